//! Draws the analysis of Moosavi and Strube (2016, figures 2–8): each metric's scores for the responses of each family.

use crate::families::{Entities, FAMILIES, key};
use crate::settings;
use corefeval_core::error::Result;
use corefeval_core::metrics::Metric;
use corefeval_core::overlap::align_entities;
use corefeval_core::results::MetricResult;
use corefeval_core::tally::{Score, Tally};
use corefeval_report::csv::Table;
use corefeval_report::plot::{Curves, Figure, Panel};

/// The metrics that the paper compares, in the order in which they are drawn.
const METRICS: [&str; 6] = ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"];

/// Returns the points of all figures as CSV, one per row, including the score of mention identification:
/// `figure,step,metric,recall,precision,f1`. Undefined scores are empty cells.
///
/// # Errors
///
/// A metric of the figures does not exist, which the tests rule out.
pub fn points() -> Result<String> {
    let mut table = Table::new(["figure", "step", "metric", "recall", "precision", "f1"]);
    let ids = std::iter::once("mentions").chain(METRICS);
    let metrics = ids.map(Metric::parse).collect::<Result<Vec<Metric>>>()?;
    for family in FAMILIES {
        let responses = (family.responses)();
        let scores = scores_of(&metrics, &responses);
        for (step, (name, _)) in responses.iter().enumerate() {
            for (metric, scores) in metrics.iter().zip(&scores) {
                [family.id, name, &metric.to_string()].into_iter().for_each(|text| table.text(text));
                for part in scores[step].parts() {
                    match part {
                        Some(number) => table.number(number),
                        None => table.blanks(1),
                    }
                }
                table.end_row();
            }
        }
    }
    Ok(table.finish())
}

/// Returns the scores of the responses by each metric.
fn scores_of(metrics: &[Metric], responses: &[(String, Entities)]) -> Vec<Vec<MetricResult>> {
    let (rules, key) = (settings().rules(), key());
    let pairs: Vec<_> = responses.iter().map(|(_, response)| align_entities(&key, response)).collect();
    let score = |&metric: &Metric| -> Vec<MetricResult> {
        let scores = pairs.iter().map(|pair| {
            let mut tally = Tally::default();
            metric.tally(pair, &mut tally);
            let score = metric.score(&tally, &rules);
            let mut result = MetricResult::new(metric, score);
            result.tally = Some(tally);
            result
        });
        scores.collect()
    };
    metrics.iter().map(score).collect()
}

/// Returns a figure for each family.
///
/// # Errors
///
/// A metric of the figures does not exist, which the tests rule out.
pub fn figures() -> Result<Vec<Figure>> {
    let metrics = METRICS.iter().map(|id| Metric::parse(id)).collect::<Result<Vec<Metric>>>()?;
    let mut figures = Vec::new();
    for family in FAMILIES {
        let responses = (family.responses)();
        let scores = scores_of(&metrics, &responses);
        let panel = |name: &str, part: fn(Score) -> f64| {
            let curves =
                scores.iter().map(|curve| curve.iter().map(|result| Some(part(result.score))).collect());
            Panel { title: name.to_owned(), curves: curves.collect(), bands: Vec::new() }
        };
        let plot = Curves {
            title: family.title.to_owned(),
            axis: family.axis.to_owned(),
            steps: responses.iter().map(|(name, _)| name.clone()).collect(),
            is_scale: family.is_scale,
            curves: metrics.iter().map(Metric::label).collect(),
            panels: vec![
                panel("Recall, %", |score| score.recall),
                panel("Precision, %", |score| score.precision),
                panel("F1, %", |score| score.f1),
            ],
        };
        figures.push(Figure { name: family.id.to_owned(), drawing: plot.draw() });
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_cover_the_figures() {
        let points = points().expect("the metrics are known");
        let steps: usize = FAMILIES.iter().map(|family| (family.responses)().len()).sum();
        assert_eq!(points.lines().count(), 1 + steps * (1 + METRICS.len()));
        // Computed by hand: 20 of 79 mentions are in one of 17 entities, which gives 19 of MUC's 62 links.
        let row = points.lines().find(|line| line.starts_with("entities-decreasing,1,muc,"));
        assert_eq!(row.and_then(|row| row.split(',').nth(3)), Some(&*(19.0 / 62.0).to_string()));
        // Precision is undefined without mentions in the response.
        assert!(points.contains("\ncorrect-links,0,lea,0,,0\n"), "{points}");
        for line in points
            .lines()
            .filter(|line| line.starts_with("correct-and-wrong-links,") && line.contains(",mentions,"))
        {
            assert!(line.ends_with(",1,1,1"), "{line}");
        }
    }

    #[test]
    fn every_family_is_drawn_with_every_metric() {
        let figures = figures().expect("the metrics are known");
        assert_eq!(figures.len(), FAMILIES.len());
        for (Figure { name, drawing }, family) in figures.into_iter().zip(FAMILIES) {
            let svg = drawing.svg();
            // The dots of a family without an order are not connected.
            let lines = if family.is_scale { 3 * METRICS.len() } else { 0 };
            assert_eq!(svg.matches("<polyline").count(), lines, "{name}");
            for id in METRICS {
                let label = Metric::parse(id).expect("a metric").label();
                assert!(svg.contains(&label), "{name} {id}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        }
    }
}
