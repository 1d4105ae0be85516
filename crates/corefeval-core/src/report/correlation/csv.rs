//! CSV: a row for each set of points and part, for spreadsheets and data frames.

use super::{COEFFICIENTS, CorrelationOutput, CorrelationReport, PARTS, Style, reading};

/// `csv`.
pub(super) const SPEC: CorrelationOutput = CorrelationOutput {
    id: "csv",
    summary: "a row for each set of points and each of recall, precision and F1",
    render,
};

fn render(report: &CorrelationReport, _: Style) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: &[String]| writer.write_record(row).expect("a vector takes every row");
    let mut header = ["x", "y", "over", "system", "part", "points", "left_out"].map(str::to_owned).to_vec();
    for name in COEFFICIENTS {
        header.extend([name.to_owned(), format!("{name}_low"), format!("{name}_high")]);
    }
    header.extend(["reading", "documents", "signature"].map(str::to_owned));
    write(&header);
    let signature = report.signature();
    for row in &report.correlations {
        for (name, part) in PARTS.iter().zip(&row.parts) {
            let Some(part) = part else { continue };
            let system = row.system.and_then(|system| report.systems.get(system));
            let mut line = report.metrics.map(|metric| metric.to_string()).to_vec();
            line.extend([
                row.over.name().to_owned(),
                system.map_or(String::new(), |system| system.0.clone()),
            ]);
            line.extend([(*name).to_owned(), part.points().to_string(), part.left_out.to_string()]);
            for coefficient in &part.coefficients {
                let interval = coefficient.and_then(|coefficient| coefficient.interval);
                let numbers = [
                    coefficient.map(|coefficient| coefficient.value),
                    interval.map(|interval| interval.low),
                    interval.map(|interval| interval.high),
                ];
                line.extend(numbers.map(|number| number.map_or(String::new(), |number| number.to_string())));
            }
            let pearson = part.coefficients[0];
            line.push(pearson.map_or(String::new(), |pearson| reading(pearson.value).to_owned()));
            line.extend([report.documents.to_string(), signature.clone()]);
            write(&line);
        }
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    String::from_utf8(bytes).expect("rows are made of strings")
}
