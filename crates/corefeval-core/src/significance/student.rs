//! Computes Student's t distribution for any degrees of freedom from 1, with IEEE operations only, so that digits are the
//! same on every machine.

use super::normal;

/// With more degrees of freedom, quantiles come from the normal distribution with three terms of Cornish and Fisher.
const MANY: f64 = 200.0;

/// Student's t distribution with the given degrees of freedom.
pub(super) struct Student {
    freedom: f64,
    /// The distribution of 1 / (1 + t² / ν), from which tails are computed.
    square: Beta,
}

impl Student {
    pub(super) fn new(freedom: f64) -> Student {
        Student { freedom, square: Beta::new(0.5 * freedom, 0.5) }
    }

    /// Returns the probability of a value below `t`: half the incomplete beta function I(ν / 2, ½) of ν / (ν + t²) lies
    /// beyond `t` (Abramowitz and Stegun 1964, 26.5.27).
    pub(super) fn cdf(&self, t: f64) -> f64 {
        let square = t * t / self.freedom;
        let tail = 0.5 * self.square.share(1.0 / (1.0 + square), square / (1.0 + square));
        if t > 0.0 { 1.0 - tail } else { tail }
    }
}

/// Returns the probability of a value below `t`.
pub(super) fn cdf(t: f64, freedom: f64) -> f64 {
    Student::new(freedom).cdf(t)
}

/// Returns the value below which a share of `p` lies.
pub(super) fn quantile(p: f64, freedom: f64) -> f64 {
    if freedom > MANY {
        let (z, n) = (normal::quantile(p), freedom);
        let [third, fifth, seventh] = [3, 5, 7].map(|power| z.powi(power));
        return z
            + (third + z) / (4.0 * n)
            + (5.0 * fifth + 16.0 * third + 3.0 * z) / (96.0 * n * n)
            + (3.0 * seventh + 19.0 * fifth + 17.0 * third - 15.0 * z) / (384.0 * n * n * n);
    }
    let student = Student::new(freedom.max(1.0));
    let (mut low, mut high) = (-1e9, 1e9);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if student.cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// A beta distribution of `a` and `b`. The shares below and above a point are one common power times a continued
/// fraction each. The constant follows because both shares add up to 1 at the mean, a / (a + b).
struct Beta {
    a: f64,
    b: f64,
    middle: f64,
    /// The sum of both fractions at the mean, and the logarithm of the power.
    fractions: f64,
    power: f64,
}

impl Beta {
    fn new(a: f64, b: f64) -> Beta {
        let middle = a / (a + b);
        let fractions = fraction(a, b, middle) / a + fraction(b, a, 1.0 - middle) / b;
        Beta { a, b, middle, fractions, power: a * ln(middle) + b * ln(1.0 - middle) }
    }

    /// Returns the share below `x`, where `rest` is 1 − x.
    fn share(&self, x: f64, rest: f64) -> f64 {
        let Beta { a, b, middle, fractions, power } = *self;
        let down = power - (a * ln(x) + b * ln(rest));
        // Far from the middle the probability is 0.
        let height = if down < 600.0 { 1.0 / (normal::exp(down.max(0.0)) * fractions) } else { 0.0 };
        if x <= middle { height * fraction(a, b, x) / a } else { 1.0 - height * fraction(b, a, rest) / b }
    }
}

/// Computes the continued fraction of the incomplete beta function (26.5.8), by the algorithm of Lentz.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let not_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut ratio = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
    let (mut value, mut other) = (ratio, 1.0);
    for step in 1..2000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = value;
        for term in [even, odd] {
            ratio = 1.0 / not_zero(1.0 + term * ratio);
            other = not_zero(1.0 + term / other);
            value *= ratio * other;
        }
        if (value - before).abs() <= 1e-16 * value.abs() {
            break;
        }
    }
    value
}

/// Returns the natural logarithm of a number from 0 to 1.
fn ln(number: f64) -> f64 {
    -2.0 * normal::artanh((1.0 - number) / (1.0 + number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by `scipy.stats.t`.
    #[test]
    fn agrees_with_scipy() {
        for (p, freedom, wanted) in [
            (0.975, 1.0, 12.706_204_736_174_7),
            (0.975, 2.0, 4.302_652_729_749_46),
            (0.975, 9.0, 2.262_157_162_798_2),
            (0.975, 19.0, 2.093_024_054_408_26),
            (0.8, 19.0, 0.860_950_550_268_9),
            (0.995, 50.0, 2.677_793_270_940_84),
            (0.999_725_274_725_274_7, 13.0, 4.545_685_595_462_5),
            (0.975, 200.0, 1.971_896_224_633_6),
            (0.975, 201.0, 1.971_836_506_779_9),
            (0.025, 347.0, -1.966_824_003_262_2),
        ] {
            let found = quantile(p, freedom);
            assert!((found - wanted).abs() < 1e-6 * wanted.abs(), "{p} {freedom}: {found} and {wanted}");
        }
        // Fractional degrees of freedom.
        for (t, freedom, wanted) in [
            (-4.0, 2.5, 1.950648792065912e-02),
            (-0.3, 1.37, 4.016603017506511e-01),
            (-50.0, 1.9, 2.773_508_021_894_82e-4),
            (-2.5, 7.25, 1.993276037945729e-02),
            (-12.0, 40.5, 3.236132922836446e-15),
            (-3.1, 1234.5, 9.894_988_533_399_59e-4),
            (1.5, 3.3, 8.887484016403541e-01),
        ] {
            let found = cdf(t, freedom);
            assert!((found - wanted).abs() < 1e-11 * wanted, "{t} {freedom}: {found} and {wanted}");
        }
        assert!((cdf(0.0, 5.0) - 0.5).abs() < 1e-15 && (cdf(1.0, 1.0) - 0.75).abs() < 1e-14);
    }
}
