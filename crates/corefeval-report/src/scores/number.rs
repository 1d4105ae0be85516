//! Numbers as the reference scorer prints them.

/// Formats a number with 15 significant digits, as `%.15g` does in C and therefore in Perl.
pub(super) fn significant(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{number:.14e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..15).contains(&exponent) {
        let digits = trim(digits);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let decimals = (14 - exponent).max(0) as usize;
    trim(&format!("{number:.decimals$}")).to_owned()
}

/// Removes zeros from the end of the decimals.
fn trim(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// Formats a fraction as a percentage, truncated to two decimals as in the reference scorer: the integer part of 10,000
/// times the number, over 100. A value that is below a whole number only by a rounding error is taken as that number,
/// so 68 is not printed as 67.99.
pub(super) fn cut_percent(fraction: f64) -> String {
    let scaled = fraction * 10_000.0;
    let whole = scaled.round();
    let cut = if whole > scaled && whole - scaled < 1e-11 * whole { whole } else { scaled.trunc() };
    significant(cut / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_in_perl() {
        for (number, text) in [
            (0.0, "0"),
            (100.0, "100"),
            (8.52554112554113, "8.52554112554113"),
            (265.352848301124_3, "265.352848301124"),
            (1.0 / 3.0, "0.333333333333333"),
            (0.000_012_5, "1.25e-05"),
            (16_277.0, "16277"),
            (1e15, "1e+15"),
            (123_456_789_012_345.6, "123456789012346"),
        ] {
            assert_eq!(significant(number), text);
        }
    }

    #[test]
    fn percentages_are_cut() {
        assert_eq!(cut_percent(0.620_37), "62.03");
        assert_eq!(cut_percent(11_000.0 / 16_277.0), "67.58");
        assert_eq!(cut_percent(1.0), "100");
        assert_eq!(cut_percent(0.338), "33.8");
        // 17/25, up to the errors of doubles.
        assert_eq!(
            cut_percent(2.0 * 0.85 * 0.566_666_666_666_666_6 / (0.85 + 0.566_666_666_666_666_6)),
            "68"
        );
        assert_eq!(cut_percent(0.499_999_999_999_999_94), "50");
        assert_eq!(cut_percent(0.679_999_999), "67.99");
    }
}
