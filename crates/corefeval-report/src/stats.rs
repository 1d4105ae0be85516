//! Statistics of corpora as a report: the table of a corpus that papers print, and the properties of entities and mentions.

use std::collections::BTreeSet;

use corefeval_core::formats::report_columns;
use corefeval_core::groups::{By, Label};
use corefeval_core::reports::stats::{CorpusReport, StatsReport};
use corefeval_core::stats::{CorpusStats, Distribution};
use serde_json::{Map, Value as Json, json};

use crate::block::{Block, Column, Form, Grid, Group, Line, Value};
use crate::csv::Table;
use crate::json::document;
use crate::{DIGITS, Kind, Origin, Printable, Style};

/// A measure: its name in JSON and CSV, its label, its value.
type Measure = (&'static str, &'static str, fn(&CorpusStats) -> Number);

/// A value of a measure.
enum Number {
    Count(u64),
    /// A count that the annotation may lack.
    Known(Option<u64>),
    /// A mean; undefined without items.
    Mean(Option<f64>),
}

/// All measures in the order of reports.
const MEASURES: [Measure; 13] = [
    ("documents", "documents", |stats| Number::Count(stats.documents)),
    ("sentences", "sentences", |stats| Number::Known(stats.sentences)),
    ("words", "words", |stats| Number::Known(stats.words)),
    ("mentions", "mentions", |stats| Number::Count(stats.mentions)),
    ("entities", "entities", |stats| Number::Count(stats.entities)),
    ("singletons", "singletons", |stats| Number::Count(stats.singletons)),
    ("mentions_per_entity", "mentions per entity", |stats| Number::Mean(stats.mean_size())),
    ("largest_entity", "mentions of the largest entity", |stats| Number::Count(stats.largest)),
    ("words_per_mention", "words per mention", |stats| Number::Mean(stats.mean_length())),
    ("zeros", "zeros", |stats| Number::Count(stats.zeros)),
    ("discontinuous", "discontinuous mentions", |stats| Number::Count(stats.discontinuous)),
    ("nested", "nested mentions", |stats| Number::Count(stats.nested)),
    ("crossing", "crossing mentions", |stats| Number::Count(stats.crossing)),
];

/// The measures in tables of groups.
const OF_GROUPS: [&str; 6] = ["documents", "sentences", "words", "mentions", "entities", "singletons"];

impl Number {
    fn value(&self, digits: u8) -> Value<'static> {
        match *self {
            Number::Count(count) => Value::Count(count),
            Number::Known(count) => count.map_or(Value::Undefined, Value::Count),
            Number::Mean(mean) => Value::number(mean, Form::Decimals(digits)),
        }
    }

    fn json(&self) -> Json {
        match *self {
            Number::Count(count) => json!(count),
            Number::Known(count) => json!(count),
            Number::Mean(mean) => json!(mean.unwrap_or_default()),
        }
    }

    fn add_to(&self, table: &mut Table) {
        match *self {
            Number::Count(count) => table.number(count),
            Number::Known(count) => table.optional(count),
            Number::Mean(mean) => table.optional(mean),
        }
    }
}

impl Printable for StatsReport {
    fn kind(&self) -> Kind {
        Kind::Stats
    }

    fn origin(&self) -> Origin<'_> {
        Origin::new(&self.settings, &self.format, &self.diagnostics)
    }

    /// A column for each corpus: all measures, then the numbers of entities and mentions of each kind; then the groups
    /// of documents of each corpus.
    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let columns = self.corpora.iter().map(|corpus| Column::new(corpus.name.as_str())).collect();
        let row = |(_, name, number): &Measure| {
            Line::row(*name, self.corpora.iter().map(|corpus| number(&corpus.stats).value(style.digits)))
        };
        let lines = MEASURES.iter().map(row).collect();
        let mut blocks = vec![Block::Grid(Grid {
            corner: "Corpus".into(),
            groups: vec![Group::untitled(columns)],
            lines,
        })];
        blocks.extend(distributions(self).into_iter().map(|found| Block::Grid(by_kind(self, found))));
        for corpus in self.corpora.iter().filter(|corpus| !corpus.groups.is_empty()) {
            if self.corpora.len() > 1 {
                blocks.push(Block::Heading(corpus.name.as_str().into()));
            }
            blocks.push(Block::Grid(by_group(self.by, corpus)));
        }
        blocks.push(Block::Signature(self.signature()));
        blocks
    }

    fn json(&self) -> Json {
        let mut object = document(self.signature(), &self.settings, &self.diagnostics);
        let corpora = self.corpora.iter().map(|corpus| {
            let mut row = counts(&corpus.stats);
            row.insert("name".to_owned(), json!(corpus.name));
            row.insert("path".to_owned(), json!(corpus.path));
            row.insert("format".to_owned(), json!(corpus.format));
            if let Some(by) = self.by {
                let groups = corpus.groups.iter().map(|(id, stats)| {
                    let mut row = counts(stats);
                    row.insert("id".to_owned(), json!(id));
                    Json::Object(row)
                });
                row.insert("by".to_owned(), json!(by.id()));
                row.insert("groups".to_owned(), groups.collect());
            }
            Json::Object(row)
        });
        object["corpora"] = corpora.collect();
        object
    }

    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::STATS);
        for corpus in &self.corpora {
            let groups = corpus.groups.iter().map(|(id, stats)| (id.as_str(), stats));
            for (group, stats) in std::iter::once(("", &corpus.stats)).chain(groups) {
                for (id, _, number) in &MEASURES {
                    [corpus.name.as_str(), group, id, ""].into_iter().for_each(|text| table.text(text));
                    number(stats).add_to(&mut table);
                    table.end_row();
                }
                for (distribution, rows) in &stats.distributions {
                    for (label, count) in rows {
                        let names = [corpus.name.as_str(), group, distribution.id(), &label.1];
                        names.into_iter().for_each(|text| table.text(text));
                        table.number(count);
                        table.end_row();
                    }
                }
            }
        }
        table.finish()
    }
}

/// All counts as members of an object.
fn counts(stats: &CorpusStats) -> Map<String, Json> {
    let mut object: Map<String, Json> =
        MEASURES.iter().map(|(id, _, number)| ((*id).to_owned(), number(stats).json())).collect();
    // An undefined mean is 0, and marked.
    let undefined = MEASURES.iter().filter(|(_, _, number)| matches!(number(stats), Number::Mean(None)));
    let undefined: Map<String, Json> = undefined.map(|(id, ..)| ((*id).to_owned(), json!(false))).collect();
    if !undefined.is_empty() {
        object.insert("defined".to_owned(), undefined.into());
    }
    let distributions = stats.distributions.iter().map(|(distribution, rows)| {
        let rows: Vec<Json> =
            rows.iter().map(|(label, count)| json!({ "id": label.1, "count": count })).collect();
        json!({ "by": distribution.id(), "of": distribution.unit(), "rows": rows })
    });
    object.insert("distributions".to_owned(), distributions.collect());
    object
}

/// The distributions that at least one corpus has.
fn distributions(report: &StatsReport) -> BTreeSet<Distribution> {
    report.corpora.iter().flat_map(|corpus| corpus.stats.distributions.keys().copied()).collect()
}

/// The number and share of each kind.
fn by_kind(report: &StatsReport, distribution: Distribution) -> Grid<'_> {
    let rows = report.corpora.iter().filter_map(|corpus| corpus.stats.distributions.get(&distribution));
    let labels: BTreeSet<&Label> = rows.flat_map(|rows| rows.keys()).collect();
    let row = |label: &'_ Label| {
        let cells = report.corpora.iter().flat_map(|corpus| {
            let rows = corpus.stats.distributions.get(&distribution);
            let all: u64 = rows.into_iter().flat_map(|rows| rows.values()).sum();
            let count = rows.and_then(|rows| rows.get(label)).copied().unwrap_or_default();
            match all {
                // The corpus lacks the annotation.
                0 => [Value::Undefined, Value::Undefined],
                _ => [Value::Count(count), Value::number(Some(count as f64 / all as f64), Form::Percent)],
            }
        });
        Line::row(label.1.clone(), cells.collect::<Vec<_>>())
    };
    let group = |corpus: &'_ CorpusReport| -> Group<'_> {
        let title = if report.corpora.len() > 1 { corpus.name.clone().into() } else { "".into() };
        Group { title, columns: vec![Column::new(distribution.unit()), Column::new("%")] }
    };
    Grid {
        corner: distribution.id().into(),
        groups: report.corpora.iter().map(group).collect(),
        lines: labels.into_iter().map(row).collect(),
    }
}

/// A row for each group of documents.
fn by_group(by: Option<By>, corpus: &CorpusReport) -> Grid<'_> {
    let measures = || MEASURES.iter().filter(|measure| OF_GROUPS.contains(&measure.0));
    let row = |(id, stats): &'_ (String, CorpusStats)| {
        Line::row(id.clone(), measures().map(|measure| measure.2(stats).value(DIGITS)).collect::<Vec<_>>())
    };
    Grid {
        corner: by.map(By::id).unwrap_or_default().into(),
        groups: vec![Group::untitled(measures().map(|measure| Column::new(measure.1)).collect())],
        lines: corpus.groups.iter().map(row).collect(),
    }
}
