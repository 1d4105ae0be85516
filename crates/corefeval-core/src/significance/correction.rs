//! Corrects p-values for several comparisons.

use crate::choice::{Choice, choice};

choice! {
    /// The correction of p-values for the number of comparisons.
    Correction {
        #[default]
        Holm = "holm" "Holm (1979): the smallest multiplied by the number of comparisons, the next by one less, and so on",
        Bonferroni = "bonferroni" "each multiplied by the number of comparisons",
        None = "none" "not corrected",
    }
}

choice! {
    /// The comparisons that are corrected together.
    Family {
        #[default]
        Metric = "metric" "the comparisons by one metric, over all documents or within one group",
        All = "all" "the comparisons by all metrics, over all documents and within all groups",
    }
}

impl Correction {
    /// Returns the factor by which the smallest of this many p-values is multiplied.
    pub(super) fn most(self, comparisons: usize) -> f64 {
        match self {
            Correction::None => 1.0,
            Correction::Holm | Correction::Bonferroni => comparisons.max(1) as f64,
        }
    }

    /// Corrects the p-values of one family of comparisons. Keeps their order.
    pub fn correct(self, values: &[f64]) -> Vec<f64> {
        let number = values.len() as f64;
        match self {
            Correction::None => values.to_vec(),
            Correction::Bonferroni => values.iter().map(|p| (p * number).min(1.0)).collect(),
            Correction::Holm => {
                let mut order: Vec<usize> = (0..values.len()).collect();
                order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
                let mut corrected = vec![1.0; values.len()];
                let mut least: f64 = 0.0;
                for (place, of) in order.into_iter().enumerate() {
                    least = least.max((values[of] * (number - place as f64)).min(1.0));
                    corrected[of] = least;
                }
                corrected
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holm by hand: 0.01 × 4, 0.013 × 3 = 0.039 but at least 0.04, 0.03 × 2, 0.9.
    #[test]
    fn corrections_by_hand() {
        let close = |found: Vec<f64>, wanted: [f64; 4]| {
            assert!(found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 1e-15), "{found:?}");
        };
        let values = [0.03, 0.01, 0.9, 0.013];
        close(Correction::Holm.correct(&values), [0.06, 0.04, 0.9, 0.04]);
        close(Correction::Bonferroni.correct(&values), [0.12, 0.04, 1.0, 0.052]);
        close(Correction::None.correct(&values), values);
        assert_eq!(Correction::Holm.correct(&[]), [0.0; 0]);
    }
}
