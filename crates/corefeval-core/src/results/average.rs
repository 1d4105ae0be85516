//! The macro average over pairs of files: the mean of their final scores, which ranks systems in the CRAC shared tasks.
//!
//! Recall, precision and F1 are averaged separately; the F1 is the mean of the F1s, not the F1 of the means. Values of
//! metrics are also averaged.

use std::ops::Range;
use std::sync::Arc;

use super::{AverageReport, MetricResult, SystemReport};
use crate::diagnostic::{Code, Diagnostics, Position};
use corefeval_metrics::tally::{Score, Tally};

/// Returns the average of one system over `rows` of all rows of a report.
///
/// Recall, precision and F1 are averaged over the pairs where each is defined, like documents with `--average macro`.
/// Recall is defined if the key has items to count, precision if the response has, and F1 if either has. A note reports
/// pairs in which a metric is undefined. A mean of metrics (CoNLL) is undefined if one of them is.
pub fn macro_average(
    name: &str,
    rows: Range<usize>,
    all: &[SystemReport],
    diagnostics: &mut Diagnostics,
) -> AverageReport {
    let systems = &all[rows.clone()];
    let metrics = systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
    let mut average = AverageReport { name: name.to_owned(), rows, results: Vec::new(), pairs: Vec::new() };
    for (place, first) in metrics.iter().enumerate() {
        let (mut sums, mut values, mut pairs) = ([Mean::default(); 3], 0.0, 0);
        for system in systems {
            let Some(result) = system.results.get(place) else { continue };
            if !result.is_defined() {
                let source: Arc<str> = Arc::from(system.key.as_str());
                diagnostics.add(Code::UndefinedInPair, Some(Position::new(&source, 0, 0)), None, || {
                    format!("`{}` is undefined in `{}`", result.metric, system.name)
                });
                continue;
            }
            sums.iter_mut().zip(result.parts()).for_each(|(sum, part)| sum.add(part));
            values += result.value.unwrap_or(0.0);
            pairs += 1;
        }
        let averaged = [sums[0].number > 0, sums[1].number > 0];
        let [recall, precision, f1] = sums.map(Mean::value);
        let score = Score { recall, precision, f1 };
        // Empty counts if it is undefined everywhere.
        let tally = (pairs == 0).then(Tally::default);
        let value = first.value.map(|_| values / f64::from(pairs.max(1)));
        average.results.push(MetricResult {
            tally,
            value,
            averaged,
            mean_of: Some([pairs, systems.len() as u32]),
            ..MetricResult::new(first.metric, score)
        });
        average.pairs.push(pairs);
    }
    average
}

/// The mean of the defined scores; 0 without any.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    number: u32,
}

impl Mean {
    fn add(&mut self, score: Option<f64>) {
        if let Some(score) = score {
            self.sum += score;
            self.number += 1;
        }
    }

    fn value(self) -> f64 {
        self.sum / f64::from(self.number.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Metric, ValueTable};

    fn row(name: &str, recall: (u64, u64), precision: (u64, u64)) -> SystemReport {
        let metric = Metric::parse("muc").unwrap();
        let mut tally = Tally::default();
        tally.first.add_integers(recall, precision);
        let score = tally.first.score();
        let result = MetricResult { tally: Some(tally), ..MetricResult::new(metric, score) };
        SystemReport { name: name.to_owned(), results: vec![result], ..SystemReport::default() }
    }

    #[test]
    fn f1_is_the_mean_of_f1s_over_the_pairs_where_it_is_defined() {
        // F1 of 1/2 and 1/1: 2/3; of 1/1 and 1/4: 2/5. The third is undefined.
        let rows = [row("a", (1, 2), (1, 1)), row("b", (1, 1), (1, 4)), row("c", (0, 0), (0, 0))];
        let mut diagnostics = Diagnostics::default();
        let average = macro_average("x", 0..3, &rows, &mut diagnostics);
        let score = average.results[0].score;
        assert_eq!((score.recall, score.precision), (0.75, 0.625));
        assert!((score.f1 - (2.0 / 3.0 + 2.0 / 5.0) / 2.0).abs() < 1e-15);
        assert_eq!((average.pairs[0], diagnostics.groups()[0].count), (2, 1));
        // An empty response has undefined precision, a recall of 0 and an F1 of 0.
        let rows = [row("a", (1, 2), (1, 1)), row("b", (0, 3), (0, 0))];
        let average = macro_average("x", 0..2, &rows, &mut diagnostics);
        let score = average.results[0].score;
        assert_eq!((score.recall, score.precision, average.pairs[0]), (0.25, 1.0, 2));
        assert!((score.f1 - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(average.results[0].parts(), [Some(0.25), Some(1.0), Some(score.f1)]);
        // Recall and precision that are undefined in every pair are not 0.
        let rows = [row("a", (0, 0), (0, 2)), row("b", (0, 0), (0, 3))];
        let average = macro_average("x", 0..2, &rows, &mut diagnostics);
        assert_eq!(average.results[0].parts(), [None, Some(0.0), Some(0.0)]);
        let average = macro_average("x", 0..1, &[row("c", (0, 0), (0, 0))], &mut diagnostics);
        assert!(!average.results[0].is_defined());
    }

    #[test]
    fn values_are_averaged_over_the_pairs_where_either_side_has_entities() {
        let row = |reference: u64, false_alarm: u64, value: f64| {
            let mut table = ValueTable::default();
            (table.total.reference, table.total.false_alarm) = (reference, false_alarm);
            let values = Some(Box::new(table));
            let metric = Metric::parse("ace_value").unwrap();
            let result =
                MetricResult { value: Some(value), values, ..MetricResult::new(metric, Score::default()) };
            SystemReport { results: vec![result], ..SystemReport::default() }
        };
        let rows = [row(2, 0, 0.5), row(0, 0, 0.0), row(0, 1, -9.999)];
        let average = macro_average("x", 0..3, &rows, &mut Diagnostics::default());
        assert_eq!((average.results[0].value, average.pairs[0]), (Some((0.5 - 9.999) / 2.0), 2));
        let average = macro_average("x", 1..2, &rows, &mut Diagnostics::default());
        assert!(!average.results[0].is_defined());
    }
}
