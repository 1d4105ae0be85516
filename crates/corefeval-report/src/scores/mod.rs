//! Scores as a report.

mod conll;
mod csv;
mod json;
mod number;

pub(crate) use self::conll::LIMITS as CONLL_LIMITS;
pub use self::json::{rows_of_scores, scores_in_brief};

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use corefeval_core::diagnostic::Code;
use corefeval_core::groups::By;
use corefeval_core::metrics::{ValueCounts, ValueRow, ValueTable};
use corefeval_core::results::{AverageReport, MetricResult, Report, SystemReport};
use corefeval_core::tally::SCORE_PARTS;
use corefeval_core::wording::plural;

use crate::block::{Block, Column, Form, Grid, Group, Line, Value};
use crate::{Columns, Kind, Origin, Printable, Style, sizes, text_of};

impl Printable for Report {
    fn kind(&self) -> Kind {
        Kind::Scores
    }

    fn origin(&self) -> Origin<'_> {
        Origin::new(&self.settings, &self.format, &self.diagnostics)
    }

    /// One system has a row for each metric; several systems, and pairs of files with their average, have a row each, with
    /// F1 unless other columns are requested. A line of counts follows each table, then the scores by group.
    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let systems = self.systems.as_slice();
        let several = systems.len() > 1 || !self.averages.is_empty();
        let columns = style.columns.unwrap_or(if several { Columns::F1 } else { Columns::ALL });
        match systems {
            [system] if !several => {
                blocks.extend(by_metric(&system.results, columns).map(Block::Grid));
                blocks.extend(system.results.iter().filter_map(by_type).map(Block::Grid));
            }
            _ => blocks
                .extend(by_system(self, columns).in_parts(style.most_columns).into_iter().map(Block::Grid)),
        }
        let mut notes = sizes::lines(&self.systems);
        for system in systems {
            let named = system.named.as_ref().map(|named| named.sentence());
            notes.extend(named.map(|named| match several {
                true => format!("{}: {named}", system.name),
                false => named,
            }));
        }
        notes.extend(note_on_bounds(self));
        notes.extend(note_on_means(self));
        notes.extend(note_on_copies(self));
        blocks.push(Block::Notes(notes));
        let by_group = by_group(self, columns).into_iter().flat_map(|grid| grid.in_parts(style.most_columns));
        blocks.extend(by_group.map(Block::Grid));
        blocks.extend(note_on_maps(self).map(|note| Block::Notes(vec![note])));
        if several && style.details {
            for system in systems {
                blocks.push(Block::Heading(system.name.as_str().into()));
                blocks.extend(by_metric(&system.results, Columns::ALL).map(Block::Grid));
                blocks.extend(system.results.iter().filter_map(by_type).map(Block::Grid));
            }
        }
        blocks.push(Block::Signature(self.signature()));
        blocks
    }

    fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    fn write_json(&self, to: &mut dyn Write) -> io::Result<()> {
        json::write(self, to)
    }

    fn csv(&self) -> String {
        text_of(|to| csv::write(self, to))
    }

    fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        csv::write(self, to)
    }

    fn write_own(&self, output: &str, to: &mut dyn Write) -> Option<io::Result<()>> {
        match output {
            "conll" => Some(to.write_all(conll::render(self).as_bytes())),
            "jsonlines" => Some(json::write_lines(self, to)),
            _ => None,
        }
    }
}

/// Writes an incomplete report, such as [`Evaluation::score_with_rows`] passes on, up to its last row.
///
/// [`Evaluation::score_with_rows`]: corefeval_core::evaluation::Evaluation::score_with_rows
pub type WriteFirst = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// [`WriteFirst`] for JSON, CSV and JSON lines.
pub(crate) const FIRST_OF_JSON: WriteFirst = json::write_first;
pub(crate) const FIRST_OF_CSV: WriteFirst = csv::write_first;
pub(crate) const FIRST_LINES: WriteFirst = json::write_first_lines;

/// Returns whether rows of the first system are already written.
fn follows_others(report: &Report) -> bool {
    report.systems.first().is_some_and(|system| system.documents.follow_others())
}

/// Recall, precision and F1; a mean of F1s has only an F1.
fn parts<'r>(result: &MetricResult) -> [Value<'r>; 3] {
    if let Some(bounds) = result.bounds() {
        let ends = |bounds: Option<[f64; 2]>| bounds.map_or(Value::Undefined, Value::Bounds);
        let [recall, precision, f1] = bounds.map(ends);
        return if result.is_mean() { [Value::Blank, Value::Blank, f1] } else { [recall, precision, f1] };
    }
    let [recall, precision, f1] = result.parts().map(|part| Value::number(part, Form::Percent));
    if result.is_mean() { [Value::Blank, Value::Blank, f1] } else { [recall, precision, f1] }
}

/// Explains the brackets that replace inexact scores, if the report has any.
fn note_on_bounds(report: &Report) -> Option<String> {
    let limit = report.settings.list().into_iter().find(|setting| setting.0 == "ceaf-bound")?.1;
    let note = format!(
        "[low, high]: proven bounds; the search for the best map of entities stopped at ceaf-bound:{limit}, and the exact \
         score is between them"
    );
    let has = |result: &MetricResult| result.upper.is_some();
    let has_bounds = report.systems.iter().any(|system| {
        system.results.iter().any(has) || system.documents.iter().any(|group| group.results.iter().any(has))
    });
    has_bounds.then_some(note)
}

/// Names the metrics whose means skip documents or pairs in which they are undefined, with the smallest number of the rest.
fn note_on_means(report: &Report) -> Option<String> {
    let (units, rows): (_, Vec<&[MetricResult]>) = match report.averages.is_empty() {
        true => ("documents", report.systems.iter().map(|system| system.results.as_slice()).collect()),
        false => ("pairs", report.averages.iter().map(|average| average.results.as_slice()).collect()),
    };
    let fewest = |place: usize, first: &MetricResult| {
        let of_place = rows.iter().filter_map(|results| results.get(place)?.mean_of);
        let [some, all] = of_place.min_by_key(|mean_of| mean_of[0])?;
        (some < all).then(|| format!("{} {some} of {all}", first.metric.label()))
    };
    let metrics = rows.first()?.iter().enumerate();
    let left: Vec<String> = metrics.filter_map(|(place, first)| fewest(place, first)).collect();
    (!left.is_empty())
        .then(|| format!("Means are over the {units} where a metric is defined: {}", left.join(", ")))
}

/// Names the metrics that exceed 100, if any.
fn note_on_copies(report: &Report) -> Option<String> {
    report.diagnostics.groups().iter().find(|group| group.code == Code::AboveOne)?;
    let results =
        || report.systems.iter().flat_map(|system| &system.results).filter(|result| !result.is_mean());
    let is_above = |result: &MetricResult| result.parts().into_iter().flatten().any(|part| part > 1.0 + 1e-9);
    let labels: Vec<String> = report
        .metrics()
        .iter()
        .filter(|metric| results().any(|result| result.metric == **metric && is_above(result)))
        .map(|metric| metric.label().to_string())
        .collect();
    (!labels.is_empty()).then(|| {
        format!(
            "Above 100, since each copy of a mention that an entity repeats counts: {}",
            labels.join(", ")
        )
    })
}

/// Reports the widest range of a group's score over the best maps of entities.
fn note_on_maps(report: &Report) -> Option<String> {
    let of_mentions = |system: &&SystemReport| system.by.is_some_and(By::is_of_mentions);
    let groups = report.systems.iter().filter(of_mentions).flat_map(|system| system.documents.iter());
    let ranges = groups.flat_map(|group| {
        let range =
            |result: &MetricResult| Some((result.range_over_maps()?[2]?, result.metric, result.score.f1));
        let results = group.results.iter().filter(|result| !result.is_mean());
        results.filter_map(range).map(|range| (group.id.clone(), range)).collect::<Vec<_>>()
    });
    let width = |range: &(_, ([f64; 2], _, _))| range.1.0[1] - range.1.0[0];
    let (group, ([low, high], metric, f1)) =
        ranges.max_by(|one, other| width(one).total_cmp(&width(other)))?;
    let [low, high, f1] = [low, high, f1].map(|score| Form::Percent.show(score));
    Some(format!(
        "Several maps of entities are best for CEAF, and groups depend on the map: {} of `{group}`, here {f1}, is between {low} and \
         {high} over all of them (CSV and JSON have every range)",
        metric.label()
    ))
}

/// The value, if the metric has one.
fn value<'r>(result: &MetricResult) -> Option<Value<'r>> {
    let value = result.value?;
    Some(Value::number(Some(value).filter(|_| result.is_defined()), Form::Percent))
}

/// A row for each metric that has no table of values.
fn by_metric(results: &[MetricResult], columns: Columns) -> Option<Grid<'_>> {
    let plain: Vec<&MetricResult> = results.iter().filter(|result| result.values.is_none()).collect();
    let has_values = plain.iter().any(|result| result.value.is_some());
    let mut heads: Vec<Column<'_>> =
        columns.places().map(|place| column(SCORE_PARTS[place].label, place)).collect();
    heads.extend(has_values.then(|| Column::new("Value").key()));
    let row = |result: &&MetricResult| {
        let mut parts = parts(result);
        let parts = columns.places().map(|place| std::mem::replace(&mut parts[place], Value::Blank));
        let value = has_values.then(|| value(result).unwrap_or(Value::Blank));
        Line::row(result.metric.label(), parts.chain(value).collect::<Vec<_>>())
    };
    let lines: Vec<Line<'_>> = plain.iter().map(row).collect();
    let grid = Grid { corner: "Metric".into(), groups: vec![Group::untitled(heads)], lines };
    (!plain.is_empty()).then_some(grid)
}

/// A column of recall, precision or F1, by its place.
fn column(head: &str, place: usize) -> Column<'_> {
    if place == 2 { Column::new(head).key() } else { Column::new(head) }
}

/// The columns of several rows with the scores of the same metrics: a group for each metric, or a single column if only
/// one is shown. A mean has only an F1, so tables of recall or precision label it `F1`.
pub(crate) fn groups_of_columns(results: &[MetricResult], columns: Columns) -> Vec<Group<'static>> {
    if columns.places().count() == 1 {
        let is_of_f1 = columns == Columns::F1;
        let head = |result: &MetricResult| match result.metric.label() {
            label if result.is_mean() && !is_of_f1 => Column::new(format!("{label} F1")),
            label => Column::new(label),
        };
        return vec![Group::untitled(results.iter().map(head).collect())];
    }
    let group = |result: &MetricResult| {
        let columns = match (result.value, result.is_mean()) {
            (Some(_), _) => vec![Column::new("Value").key()],
            (None, true) => vec![column("F1", 2)],
            (None, false) => columns.places().map(|place| column(SCORE_PARTS[place].short, place)).collect(),
        };
        Group { title: result.metric.label().into(), columns }
    };
    results.iter().map(group).collect()
}

/// The scores of a row, as columns of [`groups_of_columns`]. Values and means have a single number, regardless of the
/// chosen columns.
pub(crate) fn row<'r>(name: impl Into<Cow<'r, str>>, results: &[MetricResult], columns: Columns) -> Line<'r> {
    let cells = |result: &MetricResult| {
        let [recall, precision, f1] = parts(result);
        match value(result) {
            Some(value) => vec![value],
            None if result.is_mean() => vec![f1],
            None => {
                let mut parts = [recall, precision, f1];
                columns.places().map(|place| std::mem::replace(&mut parts[place], Value::Blank)).collect()
            }
        }
    };
    Line::row(name, results.iter().flat_map(cells))
}

/// The head of the column of names if each metric has one column; it names the kind of score.
pub(crate) fn corner(rows: &str, results: &[MetricResult], columns: Columns) -> Option<String> {
    let shown: Vec<&str> = columns.places().map(|place| SCORE_PARTS[place].label).collect();
    match shown[..] {
        [one] if results.iter().all(|result| result.value.is_none()) => Some(format!("{one} by {rows}")),
        _ => None,
    }
}

/// A row for each system, or for each pair of files and their average.
fn by_system(report: &Report, columns: Columns) -> Grid<'_> {
    let first = report.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
    let mut lines = Vec::new();
    if report.averages.is_empty() {
        lines.extend(report.systems.iter().map(|system| row(system.name.as_str(), &system.results, columns)));
    }
    for average in &report.averages {
        if report.averages.len() > 1 {
            lines.push(Line::Title(average.name.as_str().into()));
        }
        let systems = report.rows(average).iter();
        lines.extend(systems.map(|system| row(system.pair_name(), &system.results, columns)));
        lines.push(Line::Rule);
        lines.push(row(title(average), &average.results, columns));
    }
    let [rows, head] = if report.averages.is_empty() { ["system", "System"] } else { ["pair", "Pair"] };
    let corner = corner(rows, first, columns).unwrap_or_else(|| head.to_owned());
    Grid { corner: corner.into(), groups: groups_of_columns(first, columns), lines }
}

/// The units of an average.
fn title(average: &AverageReport) -> String {
    format!("macro average of {}", plural(average.rows.len(), "pair", "pairs"))
}

/// A row for all entities and one for each type.
fn by_type(result: &MetricResult) -> Option<Grid<'_>> {
    let table = result.values.as_deref()?;
    let columns = ["Key", "FA", "Miss", "Error", "FA cost", "Miss cost", "Error cost", "Value"];
    let mut columns: Vec<Column<'_>> = columns.into_iter().map(Column::new).collect();
    columns.extend(SCORE_PARTS.map(|part| part.label).into_iter().chain(["Share"]).map(Column::new));
    columns[7].key = true;
    let [types, ..] = &table.groups;
    let types = types.iter().map(|(name, counts)| (name.as_str(), counts));
    let rows = std::iter::once(("total", &table.total)).chain(types);
    Some(Grid {
        corner: result.metric.label().into(),
        groups: vec![Group::untitled(columns)],
        lines: rows.map(|(name, counts)| Line::row(name, values(counts, table))).collect(),
    })
}

fn values<'r>(counts: &ValueCounts, table: &ValueTable) -> Vec<Value<'r>> {
    let ValueRow { costs, value, score, .. } = counts.row();
    let defined = counts.reference + counts.false_alarm > 0;
    let percent = |number: f64| Value::number(Some(number).filter(|_| defined), Form::Percent);
    let counted = [counts.reference, counts.false_alarm, counts.miss, counts.error];
    let ratios = [value, score.recall, score.precision, score.f1, counts.share(&table.total)];
    counted.into_iter().map(Value::Count).chain(costs.into_iter().chain(ratios).map(percent)).collect()
}

/// A row for each document or group. With several systems, each group has a title and a row for each system.
fn by_group(report: &Report, columns: Columns) -> Option<Grid<'_>> {
    let by = report.systems.iter().find_map(|system| system.by)?;
    let systems: Vec<&SystemReport> = report.systems.iter().collect();
    let first = systems.iter().find_map(|system| system.documents.get(0))?.results;
    let mut lines = Vec::new();
    if let [system] = systems[..] {
        let documents = system.documents.iter();
        lines.extend(documents.map(|document| row(document.id, &document.results, columns)));
    } else {
        let places: Vec<BTreeMap<String, usize>> = systems.iter().map(|system| places(system)).collect();
        for id in group_ids(&systems) {
            let found = systems.iter().zip(&places).filter_map(|(system, places)| {
                let found = system.documents.get(*places.get(&id)?)?;
                Some(row(system.name.as_str(), &found.results, columns))
            });
            let found: Vec<Line<'_>> = found.collect();
            lines.push(Line::Title(id.into()));
            lines.extend(found);
        }
    }
    let rows = by.specs().map(|spec| spec.id).collect::<Vec<_>>().join(" and ");
    let grid = Grid {
        corner: corner(&rows, &first, columns).unwrap_or(rows).into(),
        groups: groups_of_columns(&first, columns),
        lines,
    };
    Some(grid)
}

/// The index of the first group with each id.
fn places(system: &SystemReport) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    for (place, id) in system.documents.ids().enumerate() {
        places.entry(id).or_insert(place);
    }
    places
}

/// The groups of all systems. A group that the first system lacks follows its predecessor in its own system.
fn group_ids(systems: &[&SystemReport]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for system in systems {
        let mut next = 0;
        for id in system.documents.ids() {
            if known.insert(id.clone()) {
                ids.insert(next, id);
                next += 1;
            } else if ids.get(next) == Some(&id) {
                next += 1;
            } else {
                next = ids.iter().position(|other| *other == id).map_or(next, |place| place + 1);
            }
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request};
    use corefeval_core::results::DigestOfRows;

    use super::*;
    use crate::OUTPUTS;

    /// Scores the first documents of the examples.
    fn of_first(count: usize) -> Report {
        let side = |name: &str| {
            let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).expect("an example");
            let documents = text.split_inclusive("#end document\n").take(count);
            NamedInput::of_bytes(name, documents.collect::<String>().as_bytes())
        };
        let inputs = Inputs::OneKey { key: side("key.conll"), responses: vec![side("alder.conll")] };
        let request = Request::new(inputs).by(By::named("document").expect("a grouping"));
        Evaluation::new(request).and_then(|evaluation| evaluation.score()).expect("scores")
    }

    #[test]
    fn json_is_the_same_as_a_value_and_as_text() {
        let report = of_first(3);
        assert_eq!(format!("{:#}\n", report.json()), text_of(|to| report.write_json(to)));
    }

    #[test]
    fn pieces_are_joined_to_the_text_of_the_report() {
        let whole = of_first(3);
        let outputs: Vec<_> = OUTPUTS.iter().filter_map(|output| Some((output, output.first?))).collect();
        assert_eq!(outputs.len(), 3);
        for (output, first) in outputs {
            let text = output.render(&whole, Style::default()).expect("a text");
            for ends in [&[1][..], &[2], &[3], &[1, 2], &[2, 3], &[1, 2, 3]] {
                let (mut joined, mut printed) = (String::new(), DigestOfRows::default());
                let without_printed = |mut report: Report, printed: &DigestOfRows| {
                    assert!(printed.count() == 0 || report.systems[0].documents.remove_first(printed));
                    report
                };
                for &end in ends {
                    let mut begun = without_printed(of_first(end), &printed);
                    begun.systems[0].results.clear();
                    joined += &text_of(|to| first(&begun, to));
                    printed = DigestOfRows::default();
                    printed.add(&of_first(end).systems[0].documents);
                }
                let rest = without_printed(whole.clone(), &printed);
                joined += &output.render(&rest, Style::default()).expect("a text");
                assert_eq!(joined, text, "{} in pieces to {ends:?}", output.id);
            }
        }
    }
}
