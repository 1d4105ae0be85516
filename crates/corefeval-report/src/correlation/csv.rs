//! Correlations as CSV: a row for each set of points and part.

use corefeval_core::reports::correlation::CorrelationReport;
use corefeval_core::significance::{COEFFICIENTS, reading};

use super::PARTS;
use crate::csv::Table;

/// The table.
pub(super) fn csv(report: &CorrelationReport) -> String {
    let mut head = ["x", "y", "over", "system", "part", "points", "left_out"].map(str::to_owned).to_vec();
    for name in COEFFICIENTS {
        head.extend([name.to_owned(), format!("{name}_low"), format!("{name}_high")]);
    }
    head.extend(["reading", "documents", "signature"].map(str::to_owned));
    let mut table = Table::new(head.iter().map(String::as_str));
    let signature = report.signature();
    for row in &report.correlations {
        for (name, part) in PARTS.iter().zip(&row.parts) {
            let Some(part) = part else { continue };
            let system = row.system.and_then(|system| report.systems.get(system));
            report.metrics.iter().for_each(|metric| table.text(&metric.to_string()));
            table.text(row.over.name());
            table.text(system.map_or("", |system| &system.0));
            table.text(name);
            table.number(part.points());
            table.number(part.left_out);
            for coefficient in &part.coefficients {
                let interval = coefficient.and_then(|coefficient| coefficient.interval);
                table.optional(coefficient.map(|coefficient| coefficient.value));
                table.optional(interval.map(|interval| interval.low));
                table.optional(interval.map(|interval| interval.high));
            }
            table.text(part.coefficients[0].map_or("", |pearson| reading(pearson.value)));
            table.number(report.documents);
            table.text(&signature);
            table.end_row();
        }
    }
    table.finish()
}
