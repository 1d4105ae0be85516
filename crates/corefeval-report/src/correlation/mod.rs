//! Correlations of two metrics as a report.

mod csv;
mod figures;
mod json;

use corefeval_core::reports::correlation::CorrelationReport;
use corefeval_core::significance::{
    Correlation, CorrelationInterval, FEWEST_READ, Interval, MapChoice, Over, PartCorrelation, described,
};
use corefeval_core::tally::SCORE_PARTS;

pub use self::figures::coefficients_note;
use self::figures::figures;
use crate::block::{Block, Column, Form, Grid, Group, Line, Value, level};
use crate::plot::Figure;
use crate::sizes::lines_of;
use crate::{Kind, Origin, Printable, Style};

const COEFFICIENT_LABELS: [&str; 3] = ["Pearson", "Spearman", "Kendall"];

const THREE: Form = Form::Decimals(3);

impl Printable for CorrelationReport {
    fn kind(&self) -> Kind {
        Kind::Correlation
    }

    fn origin(&self) -> Origin<'_> {
        Origin::new(&self.settings, &self.format, &self.diagnostics)
    }

    fn method(&self) -> Vec<(&'static str, String)> {
        self.method.list()
    }

    fn figures(&self) -> Vec<Figure> {
        figures(self)
    }

    /// A table each for recall, precision and F1.
    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        let mut blocks = vec![Block::Notes(vec![format!("{}.", title(self))])];
        for part in 0..SCORE_PARTS.len() {
            blocks.extend(grid(self, part).map(Block::Grid));
            blocks.extend(closeness(self, part).map(Block::Grid));
        }
        let systems = self.systems.iter().map(|system| system.0.as_str()).zip(&self.sizes);
        blocks.push(Block::Notes(lines_of(&systems.collect::<Vec<_>>(), true)));
        blocks.extend([Block::Notes(notes(self)), Block::Signature(self.signature())]);
        blocks
    }

    fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    fn csv(&self) -> String {
        csv::csv(self)
    }
}

/// A group of columns for each coefficient, a row for each set of points.
fn grid(report: &CorrelationReport, part: usize) -> Option<Grid<'_>> {
    let interval = level(report.method.confidence);
    let mut groups = vec![Group::untitled(vec![Column::new("points"), Column::new("left out")])];
    for (place, name) in COEFFICIENT_LABELS.into_iter().enumerate() {
        let mut columns = vec![Column::new("").key(), Column::new(interval.clone())];
        columns[0].head = ["r", "ρ", "τ"][place].into();
        if place == 0 {
            columns.extend(with_fisher(report).then(|| Column::new("Fisher's")));
            columns.push(Column::of_text("reading"));
        }
        groups.push(Group { title: name.into(), columns });
    }
    let lines: Vec<Line<'_>> =
        rows(report, part).map(|(row, found)| Line::row(label(report, row), cells(report, found))).collect();
    (!lines.is_empty()).then(|| Grid { corner: SCORE_PARTS[part].label.into(), groups, lines })
}

/// Returns the cells of a row: points, points left out, value and interval of each coefficient, and the reading of r.
fn cells<'r>(report: &CorrelationReport, part: &PartCorrelation) -> Vec<Value<'r>> {
    let mut cells = vec![Value::Count(part.points() as u64), Value::Count(part.left_out as u64)];
    for (place, coefficient) in part.coefficients.iter().enumerate() {
        cells.push(Value::number(coefficient.map(|coefficient| coefficient.value), THREE));
        cells.push(ends(coefficient.and_then(|coefficient| coefficient.interval)));
        if place == 0 {
            cells.extend(with_fisher(report).then(|| ends(coefficient.and_then(|r| r.fisher))));
            cells.push(part.reading().map_or(Value::Undefined, Value::text));
        }
    }
    cells
}

fn ends<'r>(interval: Option<Interval>) -> Value<'r> {
    interval.map_or(Value::Undefined, |interval| Value::Interval([interval.low, interval.high], THREE))
}

/// Returns whether to show Fisher's interval next to the bootstrap's: with systems as points, because these are few.
fn with_fisher(report: &CorrelationReport) -> bool {
    report.method.interval != CorrelationInterval::Fisher
        && report.correlations.iter().any(|row| row.over == Over::Systems)
}

/// Compares how closely the first metric and the third, if any, follow the second.
fn closeness(report: &CorrelationReport, part: usize) -> Option<Grid<'_>> {
    let [x, y] = &report.metrics;
    let third = report.than?;
    let mut groups = vec![Group::untitled(vec![Column::new("points")])];
    for (place, name) in COEFFICIENT_LABELS.into_iter().enumerate() {
        let symbol = ["r", "ρ", "τ"][place];
        let mut columns = vec![
            Column::new(format!("{symbol} {}", x.label())),
            Column::new(format!("{symbol} {}", third.label())),
            Column::new("difference"),
            Column::new(level(report.method.confidence)),
            Column::new("p"),
        ];
        columns.extend((place == 0).then(|| Column::new("p by Williams")));
        groups.push(Group { title: name.into(), columns });
    }
    let cells = |found: &PartCorrelation| {
        let closeness = found.closeness.as_ref()?;
        let mut cells = vec![Value::Count(closeness.points as u64)];
        for (place, closer) in closeness.coefficients.iter().enumerate() {
            cells.push(Value::number(closer.map(|closer| closer.first), THREE));
            cells.push(Value::number(closer.map(|closer| closer.third), THREE));
            cells.push(Value::number(closer.map(|closer| closer.first - closer.third), THREE));
            cells.push(ends(closer.and_then(|closer| closer.interval)));
            cells.push(closer.and_then(|closer| closer.p).map_or(Value::Undefined, Value::P));
            cells.extend((place == 0).then(|| closeness.williams.map_or(Value::Undefined, Value::P)));
        }
        Some(cells)
    };
    let lines: Vec<Line<'_>> = rows(report, part)
        .filter_map(|(row, found)| Some(Line::row(label(report, row), cells(found)?)))
        .collect();
    let corner = format!("{}, with {}", SCORE_PARTS[part].label, y.label());
    (!lines.is_empty()).then(|| Grid { corner: corner.into(), groups, lines })
}

/// The label of a row's points: `documents of alder`.
fn label(report: &CorrelationReport, row: &Correlation) -> String {
    let name = |system: usize| report.systems.get(system).map_or("", |system| system.0.as_str());
    match (row.over, row.system) {
        (Over::Pooled, _) => format!("{}s of all systems", report.method.unit.counted()),
        (Over::Systems, _) => "systems".to_owned(),
        (Over::Documents, Some(system)) => {
            format!("{}s of {}", report.method.unit.counted(), name(system))
        }
        (over, Some(system)) => format!("{} of {}", over.name(), name(system)),
        (over, None) => over.name().to_owned(),
    }
}

/// The rows with a correlation for this part.
fn rows(report: &CorrelationReport, part: usize) -> impl Iterator<Item = (&Correlation, &PartCorrelation)> {
    report.correlations.iter().filter_map(move |row| Some((row, row.parts[part].as_ref()?)))
}

/// The labels of the metrics: `CONE CEAF against CEAF φ3`.
fn title(report: &CorrelationReport) -> String {
    let [x, y] = &report.metrics;
    format!("{} against {}", x.label(), y.label())
}

/// The method of the intervals, followed by the method over systems if it differs.
fn intervals(report: &CorrelationReport) -> String {
    let (method, unit) = (&report.method, report.method.unit.noun(true));
    let samples = |of: &str| format!("of {} samples of {of}, seed {}", method.resamples, method.seed);
    let worded = |kind: CorrelationInterval, of: &str| match kind {
        CorrelationInterval::Expanded => format!("expanded percentiles {}", samples(of)),
        CorrelationInterval::Bca => format!("BCa {}", samples(of)),
        CorrelationInterval::Percentile => format!("percentiles {}", samples(of)),
        _ => format!("Student's t with the standard error of leaving out {unit}, on Fisher's scale"),
    };
    let over = |systems: bool| report.correlations.iter().any(|row| (row.over == Over::Systems) == systems);
    let kinds = [Over::Documents, Over::Systems].map(|over| method.interval.used_for(over));
    match [over(false), over(true)] {
        [true, true] if kinds[0] != kinds[1] => format!(
            "{}; over systems {}",
            worded(kinds[0], &unit),
            worded(kinds[1], &format!("{unit} and systems"))
        ),
        [true, _] => worded(kinds[0], &unit),
        [false, _] => worded(kinds[1], &format!("{unit} and systems")),
    }
}

/// Sentences that explain the columns and missing values.
fn notes(report: &CorrelationReport) -> Vec<String> {
    let unit = report.method.unit;
    let counted = unit.counted();
    let mut notes = vec![match report.left_out {
        Some(left_out) => format!(
            "On {} {counted}s that all systems have, of {}.",
            report.documents,
            report.documents + left_out
        ),
        None if report.documents == 1 => format!("On 1 {counted}."),
        None => format!("On {} {counted}s.", report.documents),
    }];
    if report.units != report.documents {
        notes.push(format!("Resampling draws {}.", described(report.documents, report.units, unit)));
    }
    notes.extend(notes_on_intervals(report));
    let unread = (0..SCORE_PARTS.len())
        .flat_map(|part| rows(report, part))
        .filter_map(|(_, found)| found.reading().err().filter(|_| found.undefined().is_none()))
        .collect::<Vec<_>>();
    if !unread.is_empty() {
        let maps = if unread.contains(&"best maps differ") {
            ", or if its bounds over all best maps of CEAF would be read differently"
        } else {
            ""
        };
        notes.push(format!(
            "No correlation is claimed from fewer than {FEWEST_READ} points, or if the interval or Fisher's includes 0{maps}."
        ));
    }
    if let Some(third) = report.than {
        let [x, y] = &report.metrics;
        notes.push(format!(
            "p: whether {} follows {} more or less closely than {} does, by the same samples; Williams's test assumes that all points are independent.",
            x.label(), y.label(), third.label()
        ));
        notes.push(match report.tests() {
            1 => "There is only one p-value.".to_owned(),
            tests => {
                format!(
                    "Each of the {tests} p-values is a separate family: none is corrected for their number."
                )
            }
        });
    }
    for (part, name) in SCORE_PARTS.iter().enumerate() {
        for (row, found) in rows(report, part) {
            if let Some(why) = found.undefined() {
                notes.push(format!("No {} over {}: {why}.", name.label, label(report, row)));
            }
        }
    }
    notes.extend(notes_on_maps(report));
    if report.correlations.iter().any(|row| row.over == Over::Entities) {
        notes.push("Key entities have only a recall.".to_owned());
    }
    notes
}

/// Notes on the kind of the intervals, and on correlations without an interval.
fn notes_on_intervals(report: &CorrelationReport) -> Vec<String> {
    let unit = report.method.unit;
    let mut notes = vec![match report.method.interval {
        CorrelationInterval::Fisher => {
            "Intervals are Fisher's, as if all points were independent.".to_owned()
        }
        _ if report.units < 2 => format!("One {} cannot be resampled: no intervals.", unit.noun(false)),
        _ => format!("Intervals are {}.", intervals(report)),
    }];
    if with_fisher(report) {
        notes.push(format!(
            "Over systems both {}s and systems are drawn; Fisher's intervals assume that all points are independent.",
            unit.noun(false)
        ));
    }
    let without_interval = (0..SCORE_PARTS.len()).flat_map(|part| rows(report, part)).any(|(row, found)| {
        report.method.interval.used_for(row.over) != CorrelationInterval::Fisher
            && found.coefficients.iter().flatten().any(|coefficient| coefficient.interval.is_none())
    });
    if report.units > 1 && without_interval {
        notes.push(format!(
            "No interval if leaving out one {} makes a correlation undefined or perfect.",
            unit.noun(false)
        ));
    }
    notes
}

/// Notes on the points whose scores depend on the choice among best maps of CEAF.
fn notes_on_maps(report: &CorrelationReport) -> Vec<String> {
    let mut notes = Vec::new();
    for (row, found) in rows(report, 0) {
        let note = |maps: MapChoice, points: usize, of: &str| {
            let range = maps.pearson.map_or(String::new(), |Interval { low, high }| {
                format!("; the lowest and the highest r{of} that a search found are {low:.3} and {high:.3}")
            });
            let Interval { low, high } = maps.bounds;
            format!(
                "{} of the {points} {} have another score in other best maps of CEAF{range}; in all of them it is between \
                 {low:.3} and {high:.3}. ρ and τ are those of one map, without such bounds.",
                maps.ambiguous,
                label(report, row)
            )
        };
        notes.extend(found.maps.map(|maps| note(maps, found.points(), "")));
        let third = report.than.zip(found.closeness.as_ref());
        notes.extend(third.and_then(|(third, closeness)| {
            let of = format!(" of {} and {}", third.label(), report.metrics[1].label());
            Some(note(closeness.maps?, closeness.points, &of))
        }));
    }
    notes
}
