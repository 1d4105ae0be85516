//! Computes confidence intervals from a bootstrap distribution.

use super::{TIE, normal, student};
use crate::choice::{Choice, choice};

/// Both ends of a confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

choice! {
    /// The method of an interval from the bootstrap distribution.
    IntervalKind {
        #[default]
        Auto = "auto" "bca from 50 units, expanded below, where it covers more than bca in simulations (docs/statistics.md)",
        Bca = "bca" "bias-corrected and accelerated (Efron 1987), the acceleration by the jackknife over documents",
        Percentile = "percentile" "the quantiles of the distribution",
        Expanded = "expanded" "quantiles further out, by Student's t and the number of units (Hesterberg 2015)",
        Basic = "basic" "the quantiles of the distribution, mirrored at the score",
        Student = "student" "Student's t times the standard error by the jackknife, on both sides",
    }
}

/// With fewer units than this, bootstrap distributions are too narrow for BCa and for the bootstrap test.
pub const SMALL_SAMPLE: usize = 50;

impl IntervalKind {
    /// Returns the kind that is used for a number of units, which are documents by default.
    ///
    /// ```
    /// use corefeval_core::significance::IntervalKind;
    /// assert_eq!(IntervalKind::Auto.used_for(49), IntervalKind::Expanded);
    /// assert_eq!(IntervalKind::Auto.used_for(50), IntervalKind::Bca);
    /// assert_eq!(IntervalKind::Basic.used_for(10), IntervalKind::Basic);
    /// ```
    pub fn used_for(self, units: usize) -> IntervalKind {
        match self {
            IntervalKind::Auto if units < SMALL_SAMPLE => IntervalKind::Expanded,
            IntervalKind::Auto => IntervalKind::Bca,
            other => other,
        }
    }

    /// Returns its name as typed.
    pub fn name(self) -> &'static str {
        self.id()
    }

    /// Returns its name in a sentence: `BCa`.
    pub fn label(self) -> &'static str {
        match self {
            IntervalKind::Auto => "BCa or expanded percentile",
            IntervalKind::Bca => "BCa",
            IntervalKind::Percentile => "percentile",
            IntervalKind::Expanded => "expanded percentile",
            IntervalKind::Basic => "basic bootstrap",
            IntervalKind::Student => "Student's t",
        }
    }
}

/// Computes an interval of `observed` at a level of `confidence`, from the distribution in ascending order and the
/// values with each document left out.
pub(crate) fn interval(
    kind: IntervalKind,
    confidence: f64,
    observed: f64,
    sorted: &[f64],
    jackknife: &[f64],
) -> Interval {
    let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
        return Interval { low: observed, high: observed };
    };
    // A distribution of one value has no bias to correct.
    if most - least <= TIE {
        return Interval { low: least, high: most };
    }
    let tail = 0.5 * (1.0 - confidence);
    let units = jackknife.len();
    let [low, high] = match kind.used_for(units) {
        IntervalKind::Auto | IntervalKind::Percentile => [tail, 1.0 - tail],
        IntervalKind::Expanded => {
            let outer = expanded(tail, units);
            [outer, 1.0 - outer]
        }
        IntervalKind::Basic => {
            let [low, high] = [1.0 - tail, tail].map(|share| 2.0 * observed - quantile(sorted, share));
            return Interval { low, high };
        }
        IntervalKind::Student => {
            let reach = student::quantile(1.0 - tail, freedom_of(units)) * standard_error(jackknife);
            return Interval { low: observed - reach, high: observed + reach };
        }
        IntervalKind::Bca => {
            let (bias, acceleration) = (bias(observed, sorted), acceleration(jackknife));
            [tail, 1.0 - tail].map(|share| {
                let shifted = bias + normal::quantile(share);
                let stretch = 1.0 - acceleration * shifted;
                // If the acceleration is too large for the method, the interval ends where the distribution does.
                let value = if stretch > 0.0 { bias + shifted / stretch } else { shifted.signum() * 9.0 };
                normal::cdf(value)
            })
        }
    };
    Interval { low: quantile(sorted, low), high: quantile(sorted, high) }
}

/// Returns the share below the lower end of an expanded interval: Φ(−√(n / (n − 1)) t), where t leaves `tail` above it
/// with n − 1 degrees of freedom. For a mean of normal values, the result is Student's interval.
fn expanded(tail: f64, units: usize) -> f64 {
    if units < 2 {
        return tail;
    }
    let n = units as f64;
    normal::cdf(-(n / (n - 1.0)).sqrt() * student::quantile(1.0 - tail, freedom_of(units)))
}

/// Returns the degrees of freedom of the standard error for a number of units.
fn freedom_of(units: usize) -> f64 {
    units.saturating_sub(1).max(1) as f64
}

/// Returns the standard error by the values with each unit left out: √((n − 1) / n Σ (x − x̄)²).
pub(super) fn standard_error(jackknife: &[f64]) -> f64 {
    let n = jackknife.len().max(1) as f64;
    let mean = jackknife.iter().sum::<f64>() / n;
    ((n - 1.0) / n * jackknife.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()).sqrt()
}

/// Returns z₀: the deviation of the median of the distribution from `observed`, in standard deviations. Values equal to
/// `observed` count half, and each side has at least half a value.
fn bias(observed: f64, sorted: &[f64]) -> f64 {
    let below = sorted.partition_point(|&value| value < observed - TIE);
    let not_above = sorted.partition_point(|&value| value <= observed + TIE);
    let number = sorted.len() as f64;
    let share = 0.5 * (below + not_above) as f64 / number;
    normal::quantile(share.clamp(0.5 / number, 1.0 - 0.5 / number))
}

/// Returns a: a sixth of the skewness of the values with each document left out.
fn acceleration(jackknife: &[f64]) -> f64 {
    let mean = jackknife.iter().sum::<f64>() / jackknife.len().max(1) as f64;
    let (mut squares, mut cubes) = (0.0, 0.0);
    for off in jackknife.iter().map(|value| mean - value) {
        squares += off * off;
        cubes += off * off * off;
    }
    if squares <= TIE * TIE { 0.0 } else { cubes / (6.0 * squares * squares.sqrt()) }
}

/// Returns the value below which a share of ascending values lies, between two of them by linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * sorted.len().saturating_sub(1) as f64;
    let (whole, rest) = (place.floor(), place.fract());
    let at = |place: usize| sorted.get(place).or(sorted.last()).copied().unwrap_or_default();
    let (low, high) = (at(whole as usize), at(whole as usize + 1));
    low + rest * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        for (share, value) in [(0.0, 1.0), (0.25, 2.0), (0.375, 3.0), (1.0, 16.0)] {
            assert_eq!(quantile(&sorted, share), value);
        }
    }

    /// Without bias and skew, BCa equals the percentile interval.
    #[test]
    fn symmetric_distributions_have_one_interval() {
        let sorted: Vec<f64> = (-500..=500).map(f64::from).collect();
        let both = [IntervalKind::Bca, IntervalKind::Percentile]
            .map(|kind| interval(kind, 0.9, 0.0, &sorted, &[-1.0, 0.0, 1.0]));
        assert!((both[0].low - -450.0).abs() < 1e-9 && (both[0].high - 450.0).abs() < 1e-9, "{both:?}");
        assert!((both[1].low - -450.0).abs() < 1e-9 && (both[1].high - 450.0).abs() < 1e-9, "{both:?}");
    }

    /// By hand: jackknife values 0, 0, 3 have mean 1, Σ(1 − x)² = 6, Σ(1 − x)³ = −6.
    #[test]
    fn the_acceleration_is_a_sixth_of_the_skewness() {
        assert!((acceleration(&[0.0, 0.0, 3.0]) - -6.0 / (6.0 * 6.0_f64.powf(1.5))).abs() < 1e-15);
        assert_eq!(acceleration(&[2.0, 2.0]), 0.0);
    }

    /// By tables: t of 9 degrees of freedom is 2.2622, Φ(−√(10 / 9) 2.2622) = Φ(−2.3845) = 0.00855. The jackknife
    /// values of the mean of 1, 2, 3 are 2.5, 2, 1.5, with a standard error of 1 / √3.
    #[test]
    fn few_units_have_wider_intervals() {
        assert!((expanded(0.025, 10) - 0.008_551).abs() < 1e-5, "{}", expanded(0.025, 10));
        assert!((expanded(0.025, 100_000) - 0.025).abs() < 1e-5);
        assert!((standard_error(&[2.5, 2.0, 1.5]) - 3.0_f64.sqrt().recip()).abs() < 1e-12);
        let sorted: Vec<f64> = (0..=1000).map(|place| f64::from(place) / 1000.0).collect();
        let leave_out = [2.5, 2.0, 1.5];
        let found = interval(IntervalKind::Student, 0.95, 0.5, &sorted, &leave_out);
        assert!((found.high - 0.5 - 4.302_652_7 / 3.0_f64.sqrt()).abs() < 1e-6, "{found:?}");
        let found = interval(IntervalKind::Basic, 0.9, 0.4, &sorted, &leave_out);
        assert!((found.low + 0.15).abs() < 1e-12 && (found.high - 0.75).abs() < 1e-12, "{found:?}");
        // For three units the automatic choice is the expanded interval.
        let both = [IntervalKind::Auto, IntervalKind::Expanded]
            .map(|kind| interval(kind, 0.95, 0.5, &sorted, &leave_out));
        assert_eq!(both[0], both[1]);
    }

    #[test]
    fn constant_scores_have_intervals_without_width() {
        for kind in [IntervalKind::Bca, IntervalKind::Percentile] {
            let found = interval(kind, 0.95, 0.5, &[0.5; 99], &[0.5; 9]);
            assert_eq!(found, Interval { low: 0.5, high: 0.5 });
            // All values on one side of the observed one.
            let found = interval(kind, 0.95, 0.9, &[0.1, 0.2, 0.3], &[0.0, 0.0, 9.0]);
            assert!(found.low >= 0.1 && found.high <= 0.3 && found.low <= found.high, "{found:?}");
        }
    }

    /// Values that equal the observed one count half: one value below and one above two equal ones have no bias. If all
    /// three values are on one side, the other side gets half a value: 0.967 422 leaves a sixth.
    #[test]
    fn the_bias_counts_ties_half() {
        assert!(bias(1.0, &[0.0, 1.0, 1.0, 2.0]).abs() < 1e-12);
        assert!((bias(5.0, &[1.0, 2.0, 3.0]) - 0.967_421_566).abs() < 1e-8);
        assert!((bias(0.0, &[1.0, 2.0, 3.0]) + 0.967_421_566).abs() < 1e-8);
    }

    /// The skewness does not depend on the scale, down to the scale of rounding errors.
    #[test]
    fn the_acceleration_does_not_depend_on_the_scale() {
        let found = [3.0, 3e-7].map(|value| acceleration(&[0.0, 0.0, value]));
        assert!((found[0] / found[1] - 1.0).abs() < 1e-9, "{found:?}");
    }

    /// The observed value is beyond all values, and one of fifty documents decides: the bias is 3.29 and the
    /// acceleration 0.16. At 99.99%, BCa cannot correct the end, so the interval ends where the distribution does.
    #[test]
    fn bca_ends_at_the_distribution_where_it_cannot_be_corrected() {
        let sorted: Vec<f64> = (1..=1000).map(f64::from).collect();
        let jackknife =
            |last: f64| -> Vec<f64> { (0..50).map(|place| if place == 49 { last } else { 0.0 }).collect() };
        let found = interval(IntervalKind::Bca, 0.9999, 2000.0, &sorted, &jackknife(-1.0));
        assert_eq!(found.high, 1000.0);
        let found = interval(IntervalKind::Bca, 0.9999, -2000.0, &sorted, &jackknife(1.0));
        assert_eq!(found.low, 1.0);
    }
}
