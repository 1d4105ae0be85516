//! Scatter plots: the documents, the systems, the entities.

use corefeval_core::reports::correlation::CorrelationReport;
use corefeval_core::significance::{Correlation, Over, PartCorrelation};
use corefeval_core::tally::SCORE_PARTS;
use corefeval_core::wording::plural;

use super::{THREE, title};
use crate::plot::{Cloud, Figure, Scatter, ScatterPanel};

/// Returns a scatter plot for each kind of points in the report. The documents of all systems share one plot, with a
/// colour for each system.
pub fn figures(report: &CorrelationReport) -> Vec<Figure> {
    let kinds = [Over::Documents, Over::Systems, Over::Entities];
    kinds.into_iter().filter_map(|over| DrawnCorrelation(report).scatter(over)).collect()
}

/// The report to draw.
struct DrawnCorrelation<'r>(&'r CorrelationReport);

impl DrawnCorrelation<'_> {
    fn scatter(&self, over: Over) -> Option<Figure> {
        let rows: Vec<&Correlation> = self.0.correlations.iter().filter(|row| row.over == over).collect();
        // Without a row for each system, the documents of all systems are pooled.
        let rows = match (over, rows.is_empty()) {
            (Over::Documents, true) => {
                self.0.correlations.iter().filter(|row| row.over == Over::Pooled).collect()
            }
            _ => rows,
        };
        if rows.is_empty() {
            return None;
        }
        let panels = SCORE_PARTS.iter().enumerate().filter_map(|(part, names)| {
            let found: Vec<(&Correlation, &PartCorrelation)> =
                rows.iter().filter_map(|row| Some((*row, row.parts[part].as_ref()?))).collect();
            if found.is_empty() {
                return None;
            }
            let clouds = found.iter().map(|(row, part)| Cloud {
                name: row.system.and_then(|system| self.0.systems.get(system)).map_or_else(
                    || if over == Over::Systems { String::new() } else { "all systems".to_owned() },
                    |system| system.0.clone(),
                ),
                points: part.groups.iter().flatten().copied().collect(),
                // Points have the names of their systems unless some systems have no point.
                labels: match over {
                    Over::Systems if part.points() == self.0.systems.len() => {
                        self.0.systems.iter().map(|system| system.0.clone()).collect()
                    }
                    _ => Vec::new(),
                },
            });
            Some(ScatterPanel {
                title: format!("{}, %", names.label),
                note: self.note(over, part, &found),
                clouds: clouds.collect(),
            })
        });
        let [x, y] = self.0.metrics.map(|metric| metric.label());
        let what = match over {
            Over::Documents | Over::Pooled => "documents",
            Over::Systems => "systems",
            Over::Entities => "entities of the key",
        };
        let scatter = Scatter { title: format!("{}, {what}", title(self.0)), panels: panels.collect(), x, y };
        Some(Figure { name: format!("scatter-{}", over.name()), drawing: scatter.draw() })
    }

    /// The coefficients of all points together, or the range over systems.
    fn note(&self, over: Over, part: usize, found: &[(&Correlation, &PartCorrelation)]) -> String {
        let whole = match (over, found) {
            (_, [(_, one)]) => Some(*one),
            (Over::Documents, _) => {
                let mut pooled = self.0.correlations.iter().filter(|row| row.over == Over::Pooled);
                pooled.next().and_then(|row| row.parts[part].as_ref())
            }
            _ => None,
        };
        let parts: Vec<&PartCorrelation> = match whole {
            Some(whole) => vec![whole],
            None => found.iter().map(|(_, part)| *part).collect(),
        };
        let coefficients =
            |part: &&PartCorrelation| [0, 1, 2].map(|of| Some(part.coefficients[of].as_ref()?.value));
        let found: Vec<[Option<f64>; 3]> = parts.iter().map(coefficients).collect();
        coefficients_note(&found, parts.iter().map(|part| part.points()).sum())
    }
}

/// r, ρ, τ and n of a panel. With one set of points per system, the lowest and the highest of each.
pub fn coefficients_note(found: &[[Option<f64>; 3]], points: usize) -> String {
    let shown = ["r", "ρ", "τ"].iter().enumerate().map(|(place, name)| {
        let values = found.iter().filter_map(|coefficients| coefficients[place]);
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match (low <= high, THREE.show(low) == THREE.show(high)) {
            (false, _) => format!("{name} –"),
            (_, true) => format!("{name} {}", THREE.show(low)),
            _ => format!("{name} {} to {}", THREE.show(low), THREE.show(high)),
        }
    });
    let shown: Vec<String> = shown.collect();
    format!("{}  ({})", shown.join("  "), plural(points, "point", "points"))
}
