//! Correlations as CSV: a row for each set of points and part or, if requested, a row for each point.

use corefeval_core::reports::correlation::CorrelationReport;
use corefeval_core::significance::COEFFICIENTS;
use corefeval_core::tally::SCORE_PARTS;

use crate::csv::Table;

/// Returns the table.
pub(super) fn csv(report: &CorrelationReport) -> String {
    if report.points {
        return points(report);
    }
    let mut head = ["x", "y", "over", "system", "part", "points", "left_out"].map(str::to_owned).to_vec();
    for name in COEFFICIENTS {
        head.extend([name.to_owned(), format!("{name}_low"), format!("{name}_high")]);
    }
    head.extend(["reading", "documents", "signature", "fisher_low", "fisher_high"].map(str::to_owned));
    if report.than.is_some() {
        head.extend(["than", "points_of_three"].map(str::to_owned));
        for name in COEFFICIENTS {
            head.extend(
                ["third", "difference_low", "difference_high", "p"].map(|end| format!("{name}_{end}")),
            );
        }
        head.push("williams".to_owned());
    }
    let mut table = Table::new(head.iter().map(String::as_str));
    let signature = report.signature();
    for row in &report.correlations {
        for (name, part) in SCORE_PARTS.iter().zip(&row.parts) {
            let Some(part) = part else { continue };
            let system = row.system.and_then(|system| report.systems.get(system));
            report.metrics.iter().for_each(|metric| table.text(&metric.to_string()));
            table.text(row.over.name());
            table.text(system.map_or("", |system| &system.0));
            table.text(name.id);
            table.number(part.points());
            table.number(part.left_out);
            for coefficient in &part.coefficients {
                let interval = coefficient.and_then(|coefficient| coefficient.interval);
                table.optional(coefficient.map(|coefficient| coefficient.value));
                table.optional(interval.map(|interval| interval.low));
                table.optional(interval.map(|interval| interval.high));
            }
            table.text(part.reading().unwrap_or_default());
            table.number(report.documents);
            table.text(&signature);
            let fisher = part.coefficients[0].and_then(|pearson| pearson.fisher);
            table.optional(fisher.map(|fisher| fisher.low));
            table.optional(fisher.map(|fisher| fisher.high));
            if let Some(third) = report.than {
                let closeness = part.closeness.as_ref();
                table.text(&third.to_string());
                table.optional(closeness.map(|closeness| closeness.points));
                for number in 0..COEFFICIENTS.len() {
                    let closer = closeness.and_then(|closeness| closeness.coefficients[number]);
                    let interval = closer.and_then(|closer| closer.interval);
                    table.optional(closer.map(|closer| closer.third));
                    table.optional(interval.map(|interval| interval.low));
                    table.optional(interval.map(|interval| interval.high));
                    table.optional(closer.and_then(|closer| closer.p));
                }
                table.optional(closeness.and_then(|closeness| closeness.williams));
            }
            table.end_row();
        }
    }
    table.finish()
}

/// A row for each point.
fn points(report: &CorrelationReport) -> String {
    let head =
        ["over", "of", "part", "system", "document", "entity", "x", "y", "x_metric", "y_metric", "signature"];
    // The bounds of an entity's CEAF score if it depends on the choice among best maps.
    let bounds = ["x_low", "x_high", "y_low", "y_high"];
    let mut table = Table::new(head.into_iter().chain(bounds));
    let signature = report.signature();
    for row in &report.correlations {
        for (name, part) in SCORE_PARTS.iter().zip(&row.parts) {
            let Some(part) = part else { continue };
            let labels = part.labels.iter().flatten();
            let mut bounds = part.bounds.iter().flatten();
            for (&(x, y), label) in part.groups.iter().flatten().zip(labels) {
                let system = |system: Option<usize>| system.and_then(|system| report.systems.get(system));
                table.text(row.over.name());
                table.text(system(row.system).map_or("", |system| &system.0));
                table.text(name.id);
                table.text(system(Some(label.system)).map_or("", |system| &system.0));
                let document = label.document.and_then(|document| report.ids.get(document));
                table.text(document.map_or("", String::as_str));
                table.optional(label.entity.map(|entity| entity + 1));
                table.number(x);
                table.number(y);
                report.metrics.iter().for_each(|metric| table.text(&metric.to_string()));
                table.text(&signature);
                let ends = bounds.next().copied().unwrap_or_default();
                for [low, high] in ends {
                    let differ = low < high;
                    table.optional(differ.then_some(low));
                    table.optional(differ.then_some(high));
                }
                table.end_row();
            }
        }
    }
    table.finish()
}
