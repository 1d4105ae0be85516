//! Computes the standard normal distribution with IEEE operations only, so that digits are the same on every machine.

/// Returns the probability of a value below `x`, to an absolute error of about 10⁻¹⁵, by the series of Marsaglia
/// (2004).
pub(super) fn cdf(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let square = x * x;
    let (mut sum, mut before, mut term, mut odd) = (x, 0.0, x, 1.0);
    while sum != before {
        before = sum;
        odd += 2.0;
        term *= square / odd;
        sum += term;
    }
    0.5 + sum / (exp(0.5 * square) * (2.0 * std::f64::consts::PI).sqrt())
}

/// Returns e to the power of `x` from 0 to 32, by powers of e and a series.
pub(super) fn exp(x: f64) -> f64 {
    let (mut power, mut term, mut sum) = (1.0, 1.0, 1.0);
    (0..x as u32).for_each(|_| power *= std::f64::consts::E);
    for number in 1..=20 {
        term *= x.fract() / f64::from(number);
        sum += term;
    }
    power * sum
}

/// Returns the inverse of the hyperbolic tangent, ½ ln((1 + x) / (1 − x)), by eight square roots of the ratio and a
/// series. Infinite at ±1.
pub(super) fn artanh(x: f64) -> f64 {
    if x.abs() >= 1.0 {
        return x.signum() * f64::INFINITY;
    }
    let root = (0..8).fold((1.0 + x) / (1.0 - x), |ratio: f64, _| ratio.sqrt());
    let small = (root - 1.0) / (root + 1.0);
    let (square, mut power, mut sum) = (small * small, small, 0.0);
    for odd in (1..20).step_by(2) {
        sum += power / f64::from(odd);
        power *= square;
    }
    256.0 * sum
}

/// Returns the value below which a share of `p` lies, within −8 and 8: bisection of [`cdf`].
pub(super) fn quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `scipy.stats.norm`.
    #[test]
    fn agrees_with_published_values() {
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.959_963_984_540_054, 0.025),
            (2.575_829_303_548_900_4, 0.995),
            (-3.0, 0.001_349_898_031_630_094_6),
        ] {
            assert!((cdf(x) - p).abs() < 1e-15, "{x}: {}", cdf(x));
            assert!((quantile(p) - x).abs() < 1e-12, "{p}: {}", quantile(p));
        }
        for x in [0.0, 0.5, 1.0, 7.25, 31.999] {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-14, "{x}");
        }
        for x in [0.0, 0.3, 0.8, 0.999_999, 0.999_999_999_999] {
            assert!((artanh(x) - f64::atanh(x)).abs() < 1e-12, "{x}: {}", artanh(x));
            assert!((artanh(x) + artanh(-x)).abs() < 1e-12, "{x}: {}", artanh(-x));
        }
        assert_eq!((artanh(1.0), artanh(-1.0)), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!((cdf(f64::INFINITY), cdf(f64::NEG_INFINITY)), (1.0, 0.0));
        // In the far tails only rounding errors remain.
        assert!((-8.0..-7.9).contains(&quantile(0.0)) && (7.9..=8.0).contains(&quantile(1.0)));
    }
}
