//! Computes detectable differences and planned numbers of units: the differences that a test finds in four of five
//! cases.
//!
//! A detectable difference is q s, where s is the standard error of the present corpus. If a new corpus with the same
//! number of similar units has a true difference of that size, the test is significant in four of five cases, taken
//! over present and new corpora drawn in the same way. Let their standard errors be σ S₁ and σ S₂, and let the
//! difference in the new corpus be off by σ Z. The test is then significant if q S₁ + Z > c S₂, where c is the critical
//! value of the test in standard errors. Z is standard normal, and each S is the root of a χ² divided by its degrees of
//! freedom. A plan takes the same probability with the planned units of the new corpus (Julious and Owen 2006 assume
//! that the standard error of that corpus is known).
//!
//! To first order, a difference of two scores is a sum over documents, Σ dᵢ with dᵢ = Δ wᵢ + eᵢ. Δ is the true
//! difference, and wᵢ is the share of the document in the denominators (Σ wᵢ = 1). eᵢ varies by chance with a variance
//! proportional to wᵢ, like the errors in twice as many mentions. With v = n Σ wᵢ² − 1, the squared coefficient of
//! variation of the wᵢ,
//!
//! - the variance of s² is 2 σ⁴ Σ wᵢ², so that s has n / (1 + v) − 1 degrees of freedom;
//! - swaps change the signs of the dᵢ. The variance of their sums is Σ dᵢ² ≈ ((n − 1) s² + Δ² (1 + v)) / n, and its
//!   quantile is z (1 − (z² − 3) Σ dᵢ⁴ / 12 (Σ dᵢ²)²) standard deviations, by Cornish and Fisher, with Σ dᵢ⁴ / (Σ dᵢ²)² ≈ 3 (1 + v) / n. For
//!   v = 0 this is Student's test, which finds differences above t s (Pitman 1937). v adds Δ² v / n ≈ t² s² v / n to the variance and
//!   subtracts (t² − 3) v / 2n from the square of the quantile: c = t √(1 + v (t² + 3) / 2n).
//!
//! The jackknife's s² is too large on average (Efron and Stein 1981). Without a document the others have more weight,
//! so leaving it out lowers the score by (dᵢ − wᵢ Σ dⱼ) / (1 − wᵢ). The numerator has a variance of σ² wᵢ (1 − wᵢ), so
//! the mean of s² is σ² (n − 1) / n Σ wᵢ / (1 − wᵢ) ≈ σ² (1 + v / n). The s of the present corpus is divided by √(1 + v
//! / n).
//!
//! Bootstrap samples have a variance of σ² (n − 1) / n. Their quantile has the excess kurtosis of a sum of n draws, by
//! Cornish and Fisher: Σ dᵢ⁴ / (Σ dᵢ²)², whose mean is 3 / (n + 2) for v = 0. Simulations show that v has three times
//! the effect with few documents: c = z √((n − 1) / n) (1 + (z² − 3) (1 + 3v) / 8 (n + 2)). Power is checked by
//! simulation (docs/statistics.md).
//!
//! Systems of several runs have no detectable difference, because the degrees of freedom of their Student's test are
//! estimates that vary with the standard error. Their plans use the critical value of that test.

use super::student::{self, Student};
use super::{Difference, Method, TIE, Test, normal};

/// The share of true differences that a test must find for them to be detectable.
pub const POWER: f64 = 0.8;

/// The value below which that share of a standard normal distribution lies.
const QUANTILE_OF_POWER: f64 = 0.841_621_233_572_914;

/// The largest number of units for which every swap is made.
const MOST_EXACT: usize = 13;

/// The largest number of units that is planned.
const MOST_UNITS: u64 = 100_000_000;

/// With fewer significant p-values than this, the power may be below 78% for uneven units (docs/statistics.md, by
/// `testdata/significance/power.c` and `corefeval-dev coverage --tables few`).
const FEWEST_SIGNIFICANT: u32 = 10;

/// With more degrees of freedom, Student's distribution is approximated by the normal one.
const MANY: f64 = 200.0;

/// Returns the degrees of freedom of the standard error for this number of units and their unevenness.
pub(super) fn freedom(units: usize, unevenness: f64) -> f64 {
    (units as f64 / (1.0 + unevenness) - 1.0).max(1.0)
}

/// Returns the factor by which the jackknife's standard error is too large on average.
fn inflation(units: usize, unevenness: f64) -> f64 {
    (1.0 + unevenness / units as f64).sqrt()
}

impl Method {
    /// Returns the detectable difference of systems of one run each. `None` if p-values cannot be low enough, if there
    /// is no standard error (a score depends on a single unit, or responses are equal), or if scores cannot differ by
    /// that much.
    pub fn detectable(&self, found: &Difference, units: usize, comparisons: usize) -> Option<f64> {
        self.detectable_from(FEWEST_SIGNIFICANT, found, units, comparisons)
    }

    /// Like [`detectable`](Self::detectable), but requires `fewest` possible significant p-values. Simulations use it
    /// to show the power with fewer of them.
    pub fn detectable_from(
        &self,
        fewest: u32,
        found: &Difference,
        units: usize,
        comparisons: usize,
    ) -> Option<f64> {
        let none = found.error.is_nan() || found.error <= TIE;
        if none || self.significant(units, comparisons) < fewest {
            return None;
        }
        let critical = self.critical(units, found.unevenness, comparisons);
        let error = found.error / inflation(units, found.unevenness);
        let detectable = StandardErrors::new([found.error_freedom; 2]).reach(critical) * error;
        (detectable <= 1.0).then_some(detectable)
    }

    /// Returns the critical value of Student's test.
    fn critical_of_student(&self, freedom: f64, comparisons: usize) -> f64 {
        student::quantile(1.0 - 0.5 * (1.0 - self.confidence) / self.correction.most(comparisons), freedom)
    }

    /// Returns the critical value of a test by resampling, in standard errors.
    fn critical(&self, units: usize, unevenness: f64, comparisons: usize) -> f64 {
        let tail = 0.5 * f64::from(self.significant(units, comparisons)) * self.step_of_p(units);
        let number = units as f64;
        match self.test {
            Test::Randomization => {
                let t = student::quantile(1.0 - tail, (number - 1.0).max(1.0));
                t * (1.0 + unevenness * (t * t + 3.0) / (2.0 * number)).sqrt()
            }
            Test::Bootstrap => {
                let z = normal::quantile(1.0 - tail);
                let kurtosis = (z * z - 3.0) * (1.0 + 3.0 * unevenness) / (8.0 * (number + 2.0));
                z * ((number - 1.0) / number).sqrt() * (1.0 + kurtosis)
            }
        }
    }

    /// Returns the number of significant p-values, corrected over a number of comparisons.
    fn significant(&self, units: usize, comparisons: usize) -> u32 {
        (self.level() / self.correction.most(comparisons) / self.step_of_p(units)).floor() as u32
    }

    /// Returns whether a number of units allows detectable differences, corrected over a number of comparisons: at
    /// least ten p-values of a test by resampling must be significant.
    pub(super) fn can_detect(&self, units: usize, comparisons: usize) -> bool {
        self.significant(units, comparisons) >= FEWEST_SIGNIFICANT
    }

    /// Returns the distance of one p-value from the next, which is also the smallest p-value.
    fn step_of_p(&self, units: usize) -> f64 {
        match self.is_exact(units) {
            true => self.least_p(units),
            false => self.least_p(units).max(1.0 / (1.0 + f64::from(self.resamples))),
        }
    }

    /// Returns the number of units with which a difference is found in four of five cases, if `units` of them have a
    /// standard error of `error` and others are similar. `None` if it is more than a hundred million, or if that error
    /// is 0.
    /// `comparisons` are corrected together. `unevenness` is the squared coefficient of variation of the units'
    /// weights, as in [`Difference`]. For the detectable difference, the result is `units`.
    ///
    /// ```
    /// use corefeval_core::significance::Method;
    /// let planned = |unevenness: f64, units: usize| {
    ///     // Documents of equal deviation: 100 of them have a standard error of one point.
    ///     Method::default().units_for(0.01, 0.1 / (units as f64).sqrt(), unevenness, units, 1)
    /// };
    /// // (1.96 + 0.84)² · 100 = 785, and two for Student's t.
    /// assert_eq!(planned(0.0, 1_000_000), Some(787));
    /// assert_eq!([100, 20, 10].map(|units| planned(0.0, units)), [Some(801), Some(861), Some(953)]);
    /// assert_eq!(Method::default().units_for(0.0, 0.01, 0.0, 100, 1), None);
    /// assert_eq!(Method::default().units_for(0.01, 0.0, 0.0, 100, 1), None);
    /// // Documents with very unequal weights.
    /// assert_eq!([1_000_000, 100, 20].map(|units| planned(4.0, units)), [Some(798), Some(838), Some(1205)]);
    /// ```
    pub fn units_for(
        &self,
        difference: f64,
        error: f64,
        unevenness: f64,
        units: usize,
        comparisons: usize,
    ) -> Option<u64> {
        if error.is_nan() || error <= TIE {
            return None;
        }
        let in_deviations = difference * inflation(units, unevenness) / (error * (units as f64).sqrt());
        let finds = |number: u64| {
            if !self.can_detect(number as usize, comparisons) {
                return false;
            }
            let critical = self.critical(number as usize, unevenness, comparisons);
            let errors =
                StandardErrors::new([units, number as usize].map(|units| freedom(units, unevenness)));
            errors.power(in_deviations * (number as f64).sqrt(), critical) >= POWER
        };
        least_units(difference, finds)
    }

    /// Like [`units_for`](Self::units_for), if one of the systems has several runs: more documents reduce only their
    /// own part of the error. The degrees of freedom do not change, which is slightly conservative.
    pub fn units_for_runs(
        &self,
        difference: f64,
        found: &Difference,
        units: usize,
        comparisons: usize,
    ) -> Option<u64> {
        let [error, of_runs] = [found.error, found.error_of_runs].map(|error| error * error);
        let reach = StandardErrors::new([found.error_freedom; 2])
            .reach(self.critical_of_student(found.freedom, comparisons));
        let finds = |number: u64| {
            let variance = (error - of_runs) * units as f64 / number as f64 + of_runs;
            number > 1 && reach * variance.sqrt() <= difference
        };
        least_units(difference, finds)
    }

    /// Returns whether every swap of these units is made once instead of some at random: for up to 13 units, which have
    /// 4,096 swaps apart from their direction.
    pub fn is_exact(&self, units: usize) -> bool {
        self.test == Test::Randomization && units <= MOST_EXACT
    }

    /// Returns whether the smallest possible p-value is significant, corrected over a number of comparisons. If not, no
    /// difference between any systems can be found.
    ///
    /// ```
    /// use corefeval_core::significance::Method;
    /// // Six documents have 2⁵ = 32 swaps apart from their direction: 1/32 is significant, but not for two comparisons.
    /// let [five, six] = [5, 6].map(|units| Method::default().can_find(units, 1));
    /// assert_eq!((five, six, Method::default().can_find(6, 2)), (false, true, false));
    /// ```
    pub fn can_find(&self, units: usize, comparisons: usize) -> bool {
        self.correction.most(comparisons) * self.step_of_p(units) <= self.level()
    }
}

/// Returns the smallest number of units that finds a difference, if any does.
fn least_units(difference: f64, finds: impl Fn(u64) -> bool) -> Option<u64> {
    if difference.is_nan() || difference <= 0.0 || !finds(MOST_UNITS) {
        return None;
    }
    let (mut too_few, mut enough) = (1, MOST_UNITS);
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if finds(middle) { enough = middle } else { too_few = middle }
    }
    Some(enough)
}

/// The standard errors of two corpora divided by the true ones, S₁ and S₂, at equidistant points with their weights.
///
/// With ν₁ and ν₂ degrees of freedom, ν₁ S₁² + ν₂ S₂² is χ² with ν = ν₁ + ν₂, regardless of their ratio. So for each
/// angle θ with tan²θ = ν₂ S₂² / ν₁ S₁², Z divided by √((ν₁ S₁² + ν₂ S₂²) / ν) is Student's t with ν degrees of
/// freedom. The density of u = ln tan θ is proportional to sinᵛ²θ cosᵛ¹θ. Its mode is ½ ln(ν₂ / ν₁), where its
/// curvature equals that of a normal distribution with the variance (1 / ν₁ + 1 / ν₂) / 2.
struct StandardErrors {
    freedom: f64,
    /// Student's t with this many degrees of freedom; `None` if they are many.
    student: Option<Student>,
    /// S₁ and S₂ divided by √((ν₁ S₁² + ν₂ S₂²) / ν), and the weight of the point.
    points: Vec<[f64; 3]>,
}

impl StandardErrors {
    fn new([own, other]: [f64; 2]) -> StandardErrors {
        let (ratio, freedom) = (other / own, own + other);
        let deviation = (0.5 / own + 0.5 / other).sqrt();
        // With few degrees of freedom Student's distribution is steep from one point to the next.
        let fine = if own.min(other) < 5.0 { 10 } else { 3 };
        let point = |step: i32| {
            let off = deviation * f64::from(step) / f64::from(fine);
            let power = normal::exp(2.0 * off.abs());
            let power = if off < 0.0 { 1.0 / power } else { power };
            let more = ratio * (power - 1.0) / (1.0 + ratio);
            // The logarithm of the density relative to the mode.
            let depth = freedom * normal::artanh(more / (2.0 + more)) - other * off;
            let weight = if depth < 40.0 { 1.0 / normal::exp(depth.max(0.0)) } else { 0.0 };
            let cosine = 1.0 / (1.0 + ratio * power);
            let share = |square: f64, of: f64| (square * freedom / of).sqrt();
            [share(cosine, own), share(ratio * power * cosine, other), weight]
        };
        let mut points: Vec<[f64; 3]> =
            (-12 * fine..=12 * fine).map(point).filter(|point| point[2] > 0.0).collect();
        let sum: f64 = points.iter().map(|point| point[2]).sum();
        points.iter_mut().for_each(|point| point[2] /= sum);
        let student = (freedom <= MANY).then(|| Student::new(freedom));
        StandardErrors { freedom, student, points }
    }

    /// Returns the probability of q S₁ + Z > c S₂.
    fn power(&self, reach: f64, critical: f64) -> f64 {
        let below = |t: f64| match &self.student {
            Some(student) => student.cdf(t),
            // Abramowitz and Stegun 1964, 26.7.8.
            None => {
                normal::cdf(t * (1.0 - 0.25 / self.freedom) / (1.0 + t * t / (2.0 * self.freedom)).sqrt())
            }
        };
        self.points.iter().map(|[own, other, weight]| weight * below(reach * own - critical * other)).sum()
    }

    /// Returns the q for which that probability is 80%. For q = c, it is 50% if both standard errors have the same
    /// distribution.
    fn reach(&self, critical: f64) -> f64 {
        let off = |reach: f64| self.power(reach, critical) - POWER;
        // The first guess is for normal distributions: the variance of each S is 1 / 2ν to first order.
        let mut guess = critical;
        for _ in 0..8 {
            let variance = 1.0 + (critical * critical + guess * guess) / self.freedom;
            guess = critical + QUANTILE_OF_POWER * variance.sqrt();
        }
        let mut low = (critical, 0.5 - POWER);
        let mut high = (guess, off(guess));
        while high.1 < 0.0 && high.0 < 1e9 {
            (low, high) = (high, (1.5 * high.0, off(1.5 * high.0)));
        }
        // The secant, with half the value of an end that stays (Dowell and Jarratt 1971).
        for _ in 0..60 {
            let middle = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let found = (middle, off(middle));
            if found.1.abs() < 1e-9 || middle.is_nan() {
                break;
            }
            if found.1 < 0.0 {
                (low, high.1) = (found, 0.5 * high.1);
            } else {
                (high, low.1) = (found, 0.5 * low.1);
            }
        }
        (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Correction;
    use super::*;

    /// Values by `scipy.stats.chi` and `norm`, with quadrature over both standard errors.
    #[test]
    fn a_difference_is_found_in_four_of_five_cases() {
        for (critical, own, other, wanted) in [
            (12.706_204_736, 1.0, 1.0, 39.159_755),
            (4.302_652_73, 2.0, 2.0, 8.775_147_0),
            (2.5, 3.3, 3.3, 4.471_447_3),
            (2.262_157_163, 9.0, 9.0, 3.464_602_4),
            (3.25, 2.7, 40.5, 6.109_528_8),
            (2.093, 19.0, 700.0, 3.073_562_6),
            (1.966_824, 349.0, 349.0, 2.816_133_4),
            (5.0, 6.0, 4.0, 7.428_810_8),
        ] {
            let found = StandardErrors::new([own, other]).reach(critical);
            assert!((found - wanted).abs() < 1e-3 * wanted, "{critical} {own} {other}: {found} and {wanted}");
        }
        // Without chance in the standard errors, the result is the sum of two quantiles.
        let sum = StandardErrors::new([1e6, 1e6]).reach(1.959_964) - 1.959_964;
        assert!((sum - 0.841_621).abs() < 1e-4, "{sum}");
        // Systems of two runs with many comparisons.
        assert!(StandardErrors::new([1.0, 1.0]).reach(1e4).is_finite());
    }

    /// Ten documents have 512 swaps apart from their direction: 25 of them are significant at 5%, twelve for each of two
    /// comparisons, and eight for each of three.
    #[test]
    fn few_significant_swaps_detect_nothing() {
        let method = Method::default();
        // scipy.stats.t.ppf(1 - 25 / 1024, 9) and (1 - 12 / 1024, 9).
        for (comparisons, wanted) in [(1, 2.276_664), (2, 2.724_423)] {
            let found = method.critical(10, 0.0, comparisons);
            assert!((found - wanted).abs() < 1e-5, "{found}");
        }
        assert_eq!([1, 2, 3].map(|comparisons| method.can_detect(10, comparisons)), [true, true, false]);
        assert!(method.can_find(10, 6) && !method.can_find(10, 26));
        // Ten p-values of 199 and of 200 resamples are significant, but nine of 198.
        let detects =
            |resamples: u32| Method { resamples, correction: Correction::None, ..method }.can_detect(50, 1);
        assert_eq!([198, 199, 200].map(detects), [false, true, true]);
    }

    /// A difference that is detectable with some number of units is planned for with the same number.
    #[test]
    fn plans_find_what_is_detectable() {
        for test in [Test::Randomization, Test::Bootstrap] {
            let method = Method { test, ..Method::default() };
            for (units, unevenness) in [(8, 0.0), (10, 0.3), (20, 1.5), (350, 1.2), (5000, 0.1)] {
                for comparisons in [1, 13] {
                    let found = Difference {
                        f1: 0.0,
                        interval: None,
                        p: 1.0,
                        p_corrected: 1.0,
                        error: 0.01,
                        error_of_runs: 0.0,
                        freedom: units as f64 - 1.0,
                        error_freedom: freedom(units, unevenness),
                        unevenness,
                        detectable: None,
                    };
                    let Some(detectable) = method.detectable(&found, units, comparisons) else {
                        assert!(!method.can_detect(units, comparisons));
                        continue;
                    };
                    let plan = |size: f64| method.units_for(size, 0.01, unevenness, units, comparisons);
                    assert_eq!(plan(detectable * 1.000_001), Some(units as u64), "{test:?} {comparisons}");
                    assert!(plan(detectable * 0.999_999).is_some_and(|number| number > units as u64));
                }
            }
        }
    }
}
