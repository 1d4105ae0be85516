//! Confidence intervals from a bootstrap distribution.

use super::{TIE, normal};
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
        Bca = "bca" "bias-corrected and accelerated (Efron 1987), the acceleration by the jackknife over documents",
        Percentile = "percentile" "the quantiles of the distribution",
    }
}

/// An interval of `observed` at a level of `confidence`, from the distribution in ascending order and the values
/// with each document left out.
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
    let [low, high] = match kind {
        IntervalKind::Percentile => [tail, 1.0 - tail],
        IntervalKind::Bca => {
            let (bias, acceleration) = (bias(observed, sorted), acceleration(jackknife));
            [tail, 1.0 - tail].map(|share| {
                let shifted = bias + normal::quantile(share);
                let stretch = 1.0 - acceleration * shifted;
                // If the acceleration is too large for the method, the end of the distribution.
                let value = if stretch > 0.0 { bias + shifted / stretch } else { shifted.signum() * 9.0 };
                normal::cdf(value)
            })
        }
    };
    Interval { low: quantile(sorted, low), high: quantile(sorted, high) }
}

/// z₀: how far the median of the distribution is off, in standard deviations; values equal to `observed` count
/// half. At least half a value is taken to lie on each side.
fn bias(observed: f64, sorted: &[f64]) -> f64 {
    let below = sorted.partition_point(|&value| value < observed - TIE);
    let not_above = sorted.partition_point(|&value| value <= observed + TIE);
    let number = sorted.len() as f64;
    let share = 0.5 * (below + not_above) as f64 / number;
    normal::quantile(share.clamp(0.5 / number, 1.0 - 0.5 / number))
}

/// a: a sixth of the skewness of the values with each document left out.
fn acceleration(jackknife: &[f64]) -> f64 {
    let mean = jackknife.iter().sum::<f64>() / jackknife.len().max(1) as f64;
    let (mut squares, mut cubes) = (0.0, 0.0);
    for off in jackknife.iter().map(|value| mean - value) {
        squares += off * off;
        cubes += off * off * off;
    }
    if squares <= TIE * TIE { 0.0 } else { cubes / (6.0 * squares * squares.sqrt()) }
}

/// The value below which a share of ascending values lies, between two of them by linear interpolation.
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

    /// Without bias and skew BCa is the percentile interval.
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

    #[test]
    fn what_does_not_vary_has_no_width() {
        for kind in [IntervalKind::Bca, IntervalKind::Percentile] {
            let found = interval(kind, 0.95, 0.5, &[0.5; 99], &[0.5; 9]);
            assert_eq!(found, Interval { low: 0.5, high: 0.5 });
            // All values on one side of the observed one.
            let found = interval(kind, 0.95, 0.9, &[0.1, 0.2, 0.3], &[0.0, 0.0, 9.0]);
            assert!(found.low >= 0.1 && found.high <= 0.3 && found.low <= found.high, "{found:?}");
        }
    }
}
