//! Student's t distribution for whole degrees of freedom, by IEEE operations alone: the same digits on every machine.

use std::f64::consts::PI;

use super::normal;

/// From here on quantiles are those of the normal distribution with three terms of Cornish and Fisher.
const MANY: usize = 200;

/// Returns the probability of a value below `t`: the finite sums of Abramowitz and Stegun (1964), 26.7.3 and 26.7.4.
pub(super) fn cdf(t: f64, freedom: usize) -> f64 {
    let tangent = t.abs() / (freedom as f64).sqrt();
    let squared = 1.0 / (1.0 + tangent * tangent);
    let cosine = squared.sqrt();
    let sine = tangent * cosine;
    let is_odd = freedom % 2 == 1;
    let (mut term, mut sum) = (if is_odd { cosine } else { 1.0 }, 0.0);
    for step in 1..=freedom / 2 {
        sum += term;
        let even = 2.0 * step as f64;
        term *= squared * if is_odd { even / (even + 1.0) } else { (even - 1.0) / even };
    }
    let inside = if is_odd { 2.0 / PI * (arc_tangent(tangent) + sine * sum) } else { sine * sum };
    0.5 + 0.5 * inside * t.signum()
}

/// Returns the value below which a share of `p` lies.
pub(super) fn quantile(p: f64, freedom: usize) -> f64 {
    if freedom > MANY {
        let (z, n) = (normal::quantile(p), freedom as f64);
        let [third, fifth, seventh] = [3, 5, 7].map(|power| z.powi(power));
        return z
            + (third + z) / (4.0 * n)
            + (5.0 * fifth + 16.0 * third + 3.0 * z) / (96.0 * n * n)
            + (3.0 * seventh + 19.0 * fifth + 17.0 * third - 15.0 * z) / (384.0 * n * n * n);
    }
    let (mut low, mut high) = (-1e9, 1e9);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if cdf(middle, freedom.max(1)) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The arc tangent of a number of at least 0: three halvings of the angle, then the series.
fn arc_tangent(number: f64) -> f64 {
    let mut small = number;
    (0..3).for_each(|_| small /= 1.0 + (1.0 + small * small).sqrt());
    let (square, mut power, mut sum) = (small * small, small, 0.0);
    for odd in (1..60).step_by(2) {
        sum += power / f64::from(odd);
        power *= -square;
    }
    8.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of `scipy.stats.t`.
    #[test]
    fn agrees_with_scipy() {
        for (p, freedom, wanted) in [
            (0.975, 1, 12.706_204_736_174_7),
            (0.975, 2, 4.302_652_729_749_46),
            (0.975, 9, 2.262_157_162_798_2),
            (0.975, 19, 2.093_024_054_408_26),
            (0.8, 19, 0.860_950_550_268_9),
            (0.995, 50, 2.677_793_270_940_84),
            (0.999_725_274_725_274_7, 13, 4.545_685_595_462_5),
            (0.975, 200, 1.971_896_224_633_6),
            (0.975, 201, 1.971_836_506_779_9),
            (0.025, 347, -1.966_824_003_262_2),
        ] {
            let found = quantile(p, freedom);
            assert!((found - wanted).abs() < 1e-6 * wanted.abs(), "{p} {freedom}: {found} and {wanted}");
        }
        for number in [0.0, 0.3, 1.0, 40.0, 1e9] {
            assert!((arc_tangent(number) - f64::atan(number)).abs() < 1e-14, "{number}");
        }
        assert!((cdf(0.0, 5) - 0.5).abs() < 1e-15 && (cdf(1.0, 1) - 0.75).abs() < 1e-14);
    }
}
