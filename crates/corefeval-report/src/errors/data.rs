//! Errors as JSON, CSV and lines of JSON.

use std::io::{self, Write};

use corefeval_core::analysis::{
    COREF_ERRORS, CommonLinks, CorefErrorKind, ErrorAnalysis, ErrorReport, ErrorRow, LinkCounts, Outcome,
    OutcomeCounts, RowMention, Step, WordsAre,
};
use corefeval_core::formats::report_columns;
use corefeval_core::results::MetricResult;
use serde_json::{Map, Value as Json, json};

use super::{document_id, marked};
use crate::csv::Table;
use crate::json::{add_undefined, document, f1, sizes};

/// Returns the whole report as one JSON value.
pub fn json(report: &ErrorReport) -> Json {
    let systems = report.systems.iter().map(|system| {
        json!({
            "name": system.name,
            "key": system.key,
            "response": system.response,
            "counts": sizes(&system.sizes),
            "language": system.language.map(|language| language.code),
            "errors": errors(report, system),
        })
    });
    let mut object = document(report.signature(), &report.settings, &report.diagnostics);
    object["tree"] = json!(report.tree.id());
    object["types"] = json!(report.types.id());
    if !report.without_cost.is_empty() {
        object["without_cost"] = report.without_cost.iter().map(ToString::to_string).collect();
    }
    object["systems"] = systems.collect();
    if let Some(common) = &report.common {
        let links = |links: &CommonLinks| {
            let systems = report.systems.iter().zip(links.total.iter().zip(&links.alone));
            let systems: Vec<Json> = systems
                .map(
                    |(system, (total, alone))| json!({ "name": system.name, "total": total, "alone": alone }),
                )
                .collect();
            json!({ "any": links.any, "all": links.all, "systems": systems })
        };
        object["common"] = json!({ "recall": links(&common.recall), "precision": links(&common.precision) });
    }
    object
}

/// Scores by metric. An undefined score is 0 and has `"defined": false`; if only recall or only precision is undefined, it
/// is named.
fn metrics(results: &[MetricResult]) -> Json {
    let metric = |result: &MetricResult| {
        let mut object = Map::from_iter([("f1".to_owned(), json!(f1(result)))]);
        if !result.is_mean() {
            object.insert("recall".to_owned(), json!(result.score.recall));
            object.insert("precision".to_owned(), json!(result.score.precision));
        }
        if !result.is_defined() {
            object.insert("defined".to_owned(), json!(false));
        }
        add_undefined(&mut object, result);
        (result.metric.to_string(), Json::Object(object))
    };
    results.iter().map(metric).collect::<Map<_, _>>().into()
}

/// Returns one row for each error, under one header.
pub fn csv(report: &ErrorReport) -> String {
    let mut table = Table::new(report_columns::ERRORS);
    for system in &report.systems {
        for row in report.rows(system) {
            for cell in cells(report, system, row) {
                match cell {
                    DataCell::None => table.blanks(1),
                    DataCell::Text(text) => table.text(text),
                    DataCell::Number(number) => table.number(number),
                    DataCell::Parts(parts) => {
                        table.text(&parts.iter().map(range).collect::<Vec<_>>().join(" "))
                    }
                }
            }
            table.end_row();
        }
    }
    table.finish()
}

/// A part of a mention in a table: `3:5`.
fn range([start, end]: &[u32; 2]) -> String {
    format!("{start}:{end}")
}

/// Writes one object per line for each error.
pub fn write_json_lines(report: &ErrorReport, to: &mut dyn Write) -> io::Result<()> {
    let mut rows = report.systems.iter().flat_map(|system| report.rows(system).map(move |row| (system, row)));
    rows.try_for_each(|(system, row)| writeln!(to, "{}", json_row(report, system, row)))
}

fn json_row(report: &ErrorReport, system: &ErrorAnalysis, row: &ErrorRow) -> Json {
    let value = |cell: DataCell<'_>| match cell {
        DataCell::None => Json::Null,
        DataCell::Text(text) => json!(text),
        DataCell::Number(number) => json!(number),
        DataCell::Parts(parts) => json!(parts),
    };
    let members = report_columns::ERRORS.iter().zip(cells(report, system, row));
    Json::Object(members.map(|(column, cell)| ((*column).to_owned(), value(cell))).collect())
}

/// The value of a row in a column.
enum DataCell<'e> {
    None,
    Text(&'e str),
    Number(u32),
    /// The runs of words of a discontinuous mention.
    Parts(&'e [[u32; 2]]),
}

/// The cells of a row, in the order of the columns.
fn cells<'e>(
    report: &ErrorReport,
    system: &'e ErrorAnalysis,
    row: &'e ErrorRow,
) -> [DataCell<'e>; report_columns::ERRORS.len()] {
    let mention = &row.mention;
    // Names of mentions have no places, and only a text has sentences.
    let (has_places, has_text) = (row.words_are != WordsAre::Names, row.words_are == WordsAre::Words);
    let number = |known: bool, number: u32| if known { DataCell::Number(number) } else { DataCell::None };
    let type_of = |mention: &RowMention| match mention.has_type {
        true => DataCell::Text(mention.mention_type.id()),
        false => DataCell::None,
    };
    let other_number = |known: bool, of: fn(&RowMention) -> u32| {
        row.other.as_ref().map_or(DataCell::None, |other| number(known, of(other)))
    };
    let other = |cell: fn(&'e RowMention) -> DataCell<'e>| row.other.as_ref().map_or(DataCell::None, cell);
    fn parts(mention: &RowMention) -> DataCell<'_> {
        if mention.parts.is_empty() { DataCell::None } else { DataCell::Parts(&mention.parts) }
    }
    fn head(mention: &RowMention) -> DataCell<'_> {
        mention.head.as_deref().map_or(DataCell::None, DataCell::Text)
    }
    fn piece(mention: &RowMention) -> DataCell<'_> {
        mention.document.as_deref().map_or(DataCell::None, DataCell::Text)
    }
    [
        DataCell::Text(&system.name),
        DataCell::Text(document_id(system, row)),
        DataCell::Text(row.kind.id()),
        DataCell::Text(mention.side.label()),
        DataCell::Text(&row.entity),
        DataCell::Text(&mention.text),
        number(has_places, mention.start),
        number(has_places, mention.end),
        number(has_text, mention.sentence),
        type_of(mention),
        DataCell::Number(row.count),
        other(|other| DataCell::Text(&other.text)),
        other(|other| DataCell::Text(other.side.label())),
        other_number(has_places, |other| other.start),
        other_number(has_places, |other| other.end),
        other_number(has_text, |other| other.sentence),
        row.other.as_ref().map_or(DataCell::None, type_of),
        row.distance.map_or(DataCell::None, DataCell::Number),
        parts(mention),
        other(parts),
        head(mention),
        other(head),
        piece(mention),
        other(piece),
        report
            .common
            .as_ref()
            .and_then(|common| common.made_by(row))
            .map_or(DataCell::None, DataCell::Number),
    ]
}

/// The member `errors` of a system.
fn errors(report: &ErrorReport, system: &ErrorAnalysis) -> Json {
    let transform =
        CorefErrorKind::TRANSFORM.iter().map(|&kind| (kind.id().to_owned(), json!(system.counts.of(kind))));
    let operations = system.operations.named().map(|(name, count)| (name.to_owned(), json!(count)));
    let step = |step: &Step| json!({ "corrected": step.correction.id(), "metrics": metrics(&step.results) });
    let outcomes = system.outcomes.iter().map(|table| {
        let rows = table.rows.iter().map(|(group, counts)| (group.clone(), outcome_counts(counts)));
        (table.by.to_owned(), Json::Object(rows.collect()))
    });
    let documents = system.documents.iter().map(|document| {
        let kinds =
            COREF_ERRORS.iter().map(|spec| (spec.id.to_owned(), json!(document.counts.of(spec.kind))));
        let mut object = json!({
            "id": document.id,
            "errors": kinds.collect::<Map<_, _>>(),
            "key_links": document.key_links,
            "response_links": document.response_links,
        });
        if document.missing {
            object["missing"] = json!(true);
        }
        object
    });
    let entities = system.entities.iter().map(|entity| {
        json!({
            "document": system.documents.get(entity.document as usize).map(|document| &document.id),
            "entity": entity.entity,
            "text": entity.text,
            "mentions": entity.mentions,
            "missed": entity.missed,
            "parts": entity.parts,
        })
    });
    let antecedents = system.antecedents.iter().map(|row| {
        json!({
            "antecedent": row.antecedent,
            "errors": row.errors,
            "anaphor": row.anaphor,
            "with_anaphor": row.with_anaphor,
        })
    });
    let examples = system.examples.iter().filter(|example| report.shows(example.row.kind)).map(|example| {
        let mut object = json_row(report, system, &example.row);
        let sentences: Vec<String> = example.sentences.iter().map(|words| marked(words, false)).collect();
        object["text"] = json!(sentences);
        object
    });
    let mut costs = json!({
        "alone": system.alone.iter().map(step).collect::<Vec<_>>(),
        "sequence": system.sequence.iter().map(step).collect::<Vec<_>>(),
    });
    if let Some(scored) = &system.scored {
        costs["response"] = json!(metrics(scored));
    }
    json!({
        "transform": transform.collect::<Map<_, _>>(),
        "operations": operations.into_iter().collect::<Map<_, _>>(),
        "links": { "recall": links(&system.recall), "precision": links(&system.precision) },
        "costs": costs,
        "outcomes": outcomes.collect::<Map<_, _>>(),
        "documents": documents.collect::<Vec<_>>(),
        "entities": entities.collect::<Vec<_>>(),
        "antecedents": antecedents.collect::<Vec<_>>(),
        "examples": examples.collect::<Vec<_>>(),
    })
}

fn outcome_counts(counts: &OutcomeCounts) -> Json {
    let counts = Outcome::ALL.map(|outcome| (outcome.id().to_owned(), json!(counts.of(outcome))));
    Json::Object(counts.into_iter().collect())
}

fn links(links: &LinkCounts) -> Json {
    let types = links
        .by_type
        .iter()
        .map(|((anaphor, antecedent), count)| (format!("{anaphor}-{antecedent}"), json!(count)));
    let distances = links.by_distance.iter().map(|(distance, count)| (distance.to_string(), json!(count)));
    json!({
        "total": links.total,
        "links": links.links,
        "by_type": types.collect::<Map<_, _>>(),
        "by_distance": distances.collect::<Map<_, _>>(),
    })
}
