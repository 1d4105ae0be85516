//! A comparison as figures: intervals, differences by document, a profile over metrics, a series over systems.

use std::collections::BTreeSet;

use corefeval_core::metrics::Metric;
use corefeval_core::reports::comparison::ComparisonReport;
use corefeval_core::significance::Interval;

use crate::DIGITS;
use crate::block::{Form, Value, level};
use crate::plot::{Curves, Differences, Figure, Forest, ForestRow, Panel, RowBlock, file_name};

/// Returns every figure that has data. The systems are the steps of a series if `ordered` is set, or if their names
/// differ only in a growing number (`step-100`, `step-200`).
pub fn figures(report: &ComparisonReport) -> Vec<Figure> {
    let drawn = DrawnComparison(report);
    let mut figures = vec![drawn.intervals(), drawn.profile()];
    if report.systems.len() > 1 {
        let names: Vec<&str> = report.systems.iter().map(|system| system.name.as_str()).collect();
        figures.push(drawn.intervals_of_differences());
        figures.extend((report.is_series || are_numbered(&names)).then(|| drawn.series()));
        figures.extend(drawn.differences());
    }
    figures
}

/// Returns whether names differ only in one number, which grows from each name to the next.
fn are_numbered(names: &[&str]) -> bool {
    let parts = |name: &str| -> Vec<(bool, String)> {
        let mut parts: Vec<(bool, String)> = Vec::new();
        for letter in name.chars() {
            match parts.last_mut() {
                Some((digits, part)) if *digits == letter.is_ascii_digit() => part.push(letter),
                _ => parts.push((letter.is_ascii_digit(), letter.to_string())),
            }
        }
        parts
    };
    let grows = |two: &[&str]| {
        let (one, next) = (parts(two[0]), parts(two[1]));
        let differing: Vec<_> = one.iter().zip(&next).filter(|(one, next)| one != next).collect();
        let number = |part: &(bool, String)| part.1.parse::<u64>().ok().filter(|_| part.0);
        match differing[..] {
            [(one_part, next_part)] => {
                one.len() == next.len()
                    && number(one_part).zip(number(next_part)).is_some_and(|(one, next)| one < next)
            }
            _ => false,
        }
    };
    names.len() > 2 && names.windows(2).all(grows)
}

/// F1 and interval of each system in one metric, under the metric's name.
pub(super) fn intervals_of(
    report: &ComparisonReport,
    (metric, named): &(usize, Metric),
    title: &str,
) -> RowBlock<ForestRow> {
    let row = |system: usize| {
        let estimate = report.estimate(*metric, system)?;
        let name = report.systems[system].name.clone();
        if !estimate.defined {
            return Some(ForestRow {
                name,
                value: f64::NAN,
                note: NOTHING.to_owned(),
                ..ForestRow::default()
            });
        }
        let interval = super::ends(estimate.interval, Form::Percent);
        Some(ForestRow {
            name,
            value: estimate.f1,
            ends: ends(estimate.interval, estimate.f1),
            note: format!("{} {}", Form::Percent.show(estimate.f1), shown(&interval)),
            solid: report.is_best(*metric, system),
        })
    };
    let title = format!("{} {title}", named.label());
    RowBlock {
        title: title.trim_end().to_owned(),
        rows: report.order().into_iter().filter_map(row).collect(),
    }
}

/// The text of a value.
fn shown(value: &Value<'_>) -> String {
    let mut text = String::new();
    value.add_to(&mut text, DIGITS);
    text
}

/// The report to draw.
struct DrawnComparison<'r>(&'r ComparisonReport);

impl DrawnComparison<'_> {
    /// `95% intervals`.
    fn intervals_at_level(&self) -> String {
        format!("{}s", level(self.0.comparison.method.confidence))
    }

    fn intervals(&self) -> Figure {
        let blocks = self.0.metrics().into_iter().map(|metric| intervals_of(self.0, &metric, ""));
        let forest = Forest {
            title: format!("F1 with {}", self.intervals_at_level()),
            axis: "F1, %; filled: the best".to_owned(),
            differences: false,
            blocks: blocks.collect(),
        };
        Figure { name: "forest".to_owned(), drawing: forest.draw() }
    }

    fn intervals_of_differences(&self) -> Figure {
        let level = self.0.comparison.method.level();
        let blocks = self.0.metrics().into_iter().map(|(metric, named)| {
            let row = |system: usize| {
                let estimate = self.0.estimate(metric, system)?;
                let name = self.0.systems[system].name.clone();
                let Some(difference) = &estimate.difference else {
                    let missing =
                        ForestRow { name, value: f64::NAN, note: NOTHING.to_owned(), ..ForestRow::default() };
                    return (system != self.0.comparison.baseline).then_some(missing);
                };
                let [value, interval, p, _] = super::difference(&self.0.whole(), metric, system);
                let [value, interval, p] = [value, interval, p].map(|value| shown(&value));
                let p = if p.starts_with('<') { format!("p {p}") } else { format!("p = {p}") };
                Some(ForestRow {
                    name,
                    value: difference.f1,
                    ends: ends(difference.interval, difference.f1),
                    note: format!("{value} {interval}  {p}"),
                    solid: difference.p_corrected <= level,
                })
            };
            RowBlock { title: named.label(), rows: self.0.order().into_iter().filter_map(row).collect() }
        });
        let axis = "difference of F1, percentage points; filled: significant".to_owned();
        let title = format!("Difference from {} with {}", self.0.baseline(), self.intervals_at_level());
        let forest = Forest { title, axis, differences: true, blocks: blocks.collect() };
        Figure { name: "forest-differences".to_owned(), drawing: forest.draw() }
    }

    /// Recall, precision and F1 of each system by every metric.
    fn profile(&self) -> Figure {
        let metrics = self.0.metrics();
        let curves = |part: usize| {
            let number = |system: usize, metric: usize| self.score(system, metric, part);
            let curve = |system| metrics.iter().map(|&(metric, _)| number(system, metric)).collect();
            self.0.order().into_iter().map(curve).collect()
        };
        let plot = Curves {
            title: "Systems by metric".to_owned(),
            axis: String::new(),
            steps: metrics.iter().map(|(_, metric)| metric.label()).collect(),
            is_scale: false,
            curves: self.0.order().into_iter().map(|system| self.0.systems[system].name.clone()).collect(),
            panels: panels(curves),
        };
        Figure { name: "profile".to_owned(), drawing: plot.draw() }
    }

    /// Draws every metric over the systems in the given order, which is a learning curve if they are steps of a training
    /// run. With more than three metrics, only the metric that sorts the systems has a band.
    fn series(&self) -> Figure {
        let metrics = self.0.metrics();
        let systems = || 0..self.0.systems.len();
        let curves = |part: usize| {
            let curve = |&(metric, _): &(usize, _)| systems().map(|s| self.score(s, metric, part)).collect();
            metrics.iter().map(curve).collect()
        };
        let mut panels = panels(curves);
        if let Some(f1) = panels.last_mut() {
            let ends = |metric: usize, system: usize| {
                let interval = self.0.estimate(metric, system)?.interval?;
                Some((interval.low, interval.high))
            };
            let band = |&(metric, _): &(usize, _)| systems().map(|system| ends(metric, system)).collect();
            f1.bands = metrics.iter().take(if metrics.len() > 3 { 1 } else { 3 }).map(band).collect();
        }
        // Bands of many metrics would hide each other.
        let of = match metrics.first() {
            Some((_, first)) if metrics.len() > 3 => format!(" of {}", first.label()),
            _ => String::new(),
        };
        let plot = Curves {
            title: format!("Metrics by system; bands: {}{of}", self.intervals_at_level()),
            axis: "systems in the order given".to_owned(),
            steps: self.0.systems.iter().map(|system| system.name.clone()).collect(),
            is_scale: true,
            curves: metrics.iter().map(|(_, metric)| metric.label()).collect(),
            panels,
        };
        Figure { name: "series".to_owned(), drawing: plot.draw() }
    }

    /// The differences of each system from the baseline in every document where both have an F1, by the metric that sorts
    /// the systems.
    fn differences(&self) -> Vec<Figure> {
        let (metric, baseline) = (self.0.sort, self.0.comparison.baseline);
        let Some(label) = self.0.metrics().first().map(|metric| metric.1.label()) else { return Vec::new() };
        let documents = &self.0.by_document;
        let f1 = |system: usize, document: usize| {
            documents.scores.get(system)?.get(document)?.get(metric)?.part(2)
        };
        let mut names = BTreeSet::new();
        let figure = |system: usize| {
            let name = &self.0.systems[system].name;
            let of = |(document, id): (usize, &String)| {
                Some((id.clone(), f1(system, document)? - f1(baseline, document)?))
            };
            let found: Vec<(String, f64)> = documents.ids.iter().enumerate().filter_map(of).collect();
            let title = format!("{label} F1 by document, less that of {}", self.0.baseline());
            let drawing = Differences { title, panels: vec![(name.clone(), found)] }.draw();
            let mut file = match file_name(name).as_str() {
                "" => format!("differences-{}", system + 1),
                name => format!("differences-{name}"),
            };
            if !names.insert(file.clone()) {
                file = format!("{file}-{}", system + 1);
                names.insert(file.clone());
            }
            Figure { name: file, drawing }
        };
        (0..self.0.systems.len()).filter(|&system| system != baseline).map(figure).collect()
    }

    /// Recall, precision or F1 of a system; `None` if undefined.
    fn score(&self, system: usize, metric: usize, part: usize) -> Option<f64> {
        self.0.estimate(metric, system).filter(|estimate| estimate.defined)?;
        let result = self.0.systems.get(system)?.results.get(metric)?;
        result.parts()[part]
    }
}

/// The note in a row without a score.
const NOTHING: &str = "undefined";

/// The ends of a bar; without an interval, both are the value.
fn ends(interval: Option<Interval>, value: f64) -> (f64, f64) {
    interval.map_or((value, value), |interval| (interval.low, interval.high))
}

fn panels(curves: impl Fn(usize) -> Vec<Vec<Option<f64>>>) -> Vec<Panel> {
    let titles = ["Recall, %", "Precision, %", "F1, %"].into_iter().enumerate();
    let panel = |(part, title): (usize, &str)| Panel {
        title: title.to_owned(),
        curves: curves(part),
        bands: Vec::new(),
    };
    titles.map(panel).collect()
}

#[cfg(test)]
mod tests {
    use super::are_numbered;

    #[test]
    fn a_growing_number_makes_a_series() {
        assert!(are_numbered(&["step-100", "step-200", "step-1000"]));
        assert!(are_numbered(&["1", "2", "10"]));
        for names in [
            &["a", "b", "c"][..],
            &["a1", "b2", "c3"],
            &["v2", "v1", "v3"],
            &["v1", "v2"],
            &["v1", "v1b", "v2"],
        ] {
            assert!(!are_numbered(names), "{names:?}");
        }
    }
}
