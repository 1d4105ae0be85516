//! CONE compared with the metrics of all mentions, as a report.

use corefeval_core::cone::correlations::{Closer, ConeVariant, CorrelationRow, Fit, Points};
use corefeval_core::formats::report_columns;
use corefeval_core::reports::cone_correlation::ConeCorrelationReport;
use corefeval_core::significance::{FEWEST, Interval, described, kendall, spearman};
use corefeval_core::tally::SCORE_PARTS;
use serde_json::{Map, Value as Json, json};

use crate::block::{Block, Column, Form, Grid, Group, Line, Value, trimmed};
use crate::correlation::coefficients_note;
use crate::csv::Table;
use crate::json::{document, sizes};
use crate::plot::{Cloud, Figure, Scatter, ScatterPanel};
use crate::sizes::lines_of;
use crate::{Kind, Origin, Printable, Style};

impl Printable for ConeCorrelationReport {
    fn kind(&self) -> Kind {
        Kind::Check
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

    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        for compared in ConeVariant::ALL {
            blocks.push(Block::Heading(heading(compared).into()));
            let of = |row: &&CorrelationRow| row.compared == compared && is_of_documents(row.points);
            blocks.push(Block::Grid(grid(self, self.rows.iter().filter(of), 3)));
        }
        blocks.push(Block::Heading("r of the control minus r of CONE".into()));
        blocks.push(Block::Grid(closer(self)));
        let title = match self.smallest {
            0 | 1 => "Entities: recall of the key's, precision of the response's".to_owned(),
            least => {
                format!(
                    "Entities of {least} or more mentions: recall of the key's, precision of the response's"
                )
            }
        };
        blocks.push(Block::Heading(title.into()));
        blocks.push(Block::Grid(grid(self, self.rows.iter().filter(|row| !is_of_documents(row.points)), 2)));
        blocks.push(Block::Heading("Named entities of the key".into()));
        blocks.push(Block::Grid(errors(self)));
        let systems = self.systems.iter().map(|system| system.0.as_str()).zip(&self.sizes);
        blocks.push(Block::Notes(lines_of(&systems.collect::<Vec<_>>(), true)));
        blocks.push(Block::Notes(notes(self)));
        blocks.push(Block::Signature(self.signature()));
        blocks
    }

    fn json(&self) -> Json {
        let fit = |fit: &Fit| {
            json!({
                "points": fit.points.len(),
                "left_out": fit.left_out,
                "r": fit.r,
                "interval": ends(fit.interval),
                "alpha": fit.line.map(|line| line.0),
                "beta": fit.line.map(|line| line.1),
            })
        };
        let row = |row: &CorrelationRow| {
            let parts: Map<String, Json> = SCORE_PARTS
                .iter()
                .zip(&row.parts)
                .filter_map(|(name, part)| Some((name.id.to_owned(), fit(part.as_ref()?))))
                .collect();
            let over = if is_of_documents(row.points) { "documents" } else { "entities" };
            json!({
                "metric": row.metric.to_string(),
                "with": row.compared.id(),
                "over": over,
                "system": system(self, row.points),
                "parts": parts,
            })
        };
        let less = |closer: &Closer| {
            let part = |(difference, interval): (f64, Option<Interval>)| json!({ "difference": difference, "interval": ends(interval) });
            let parts: Map<String, Json> = SCORE_PARTS
                .iter()
                .zip(closer.parts)
                .filter_map(|(name, found)| Some((name.id.to_owned(), part(found?))))
                .collect();
            json!({
                "metric": closer.metric.to_string(),
                "system": system(self, closer.points),
                "parts": parts,
            })
        };
        let systems = self.systems.iter().zip(&self.errors).zip(&self.sizes).map(
            |(((name, response), errors), counts)| {
                json!({
                    "name": name,
                    "response": response,
                    "counts": sizes(counts),
                    "named_entities": errors.entities,
                    "missed": errors.missed,
                    "wrongly_grouped": errors.wrongly_grouped,
                })
            },
        );
        let mut object = document(self.signature(), &self.settings, &self.diagnostics);
        object["key"] = json!(self.key);
        object["documents"] = json!(self.documents);
        object["unit"] = json!(self.method.signature_of("unit"));
        object["units"] = json!(self.units);
        object["confidence"] = json!(self.method.confidence);
        object["smallest"] = json!(self.smallest);
        object["systems"] = systems.collect();
        object["correlations"] = self.rows.iter().map(row).collect();
        object["control_less_cone"] = self.closer.iter().map(less).collect();
        object
    }

    /// A row for each correlation, and for each of its points a row with both scores.
    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::CONE_CORRELATION);
        for row in &self.rows {
            let over = if is_of_documents(row.points) { "documents" } else { "entities" };
            for (part, fit) in SCORE_PARTS.iter().zip(&row.parts) {
                let Some(fit) = fit else { continue };
                let names = |table: &mut Table, kind: &str| {
                    let system = system(self, row.points).unwrap_or("");
                    [kind, &row.metric.to_string(), row.compared.id(), over, system, part.id]
                        .into_iter()
                        .for_each(|name| table.text(name));
                };
                names(&mut table, "correlation");
                table.number(fit.points.len());
                table.number(fit.left_out);
                table.optional(fit.r);
                table.optional(fit.line.map(|line| line.0));
                table.optional(fit.line.map(|line| line.1));
                table.blanks(2);
                table.optional(fit.interval.map(|interval| interval.low));
                table.optional(fit.interval.map(|interval| interval.high));
                table.end_row();
                for (x, y) in &fit.points {
                    names(&mut table, "point");
                    table.blanks(5);
                    table.number(x);
                    table.number(y);
                    table.blanks(2);
                    table.end_row();
                }
            }
        }
        table.finish()
    }
}

/// Returns three scatter plots for each metric: documents with the key's names, documents with names of the text, and
/// entities (figure 1 of Lin et al.).
fn figures(report: &ConeCorrelationReport) -> Vec<Figure> {
    let mut figures = Vec::new();
    let kinds: [(&str, ConeVariant, bool); 3] = [
        ("named", ConeVariant::Named, true),
        ("approximated", ConeVariant::Approximated, true),
        ("entities", ConeVariant::Named, false),
    ];
    for (name, compared, documents) in kinds {
        let rows: Vec<&CorrelationRow> = report
            .rows
            .iter()
            .filter(|row| row.compared == compared && is_of_documents(row.points) == documents)
            .filter(|row| system(report, row.points).is_some())
            .collect();
        for metric in rows.chunk_by(|one, next| one.metric == next.metric) {
            let Some(label) = metric.first().map(|row| row.metric.label()) else { continue };
            let panel = |part: usize| {
                let cloud = |row: &&CorrelationRow| {
                    let fit = row.parts[part].as_ref()?;
                    let name = system(report, row.points).unwrap_or("").to_owned();
                    Some(Cloud { name, points: fit.points.clone(), labels: Vec::new() })
                };
                let clouds: Vec<Cloud> = metric.iter().filter_map(cloud).collect();
                // The coefficients of all points together, otherwise of each system.
                let pooled = report.rows.iter().find(|row| {
                    row.metric == metric[0].metric
                        && row.compared == compared
                        && is_of_documents(row.points) == documents
                        && system(report, row.points).is_none()
                });
                let rows: Vec<&CorrelationRow> = pooled.map_or_else(|| metric.to_vec(), |row| vec![row]);
                let fits: Vec<&Fit> = rows.iter().filter_map(|row| row.parts[part].as_ref()).collect();
                let coefficients = |fit: &&Fit| [fit.r, spearman(&fit.points), kendall(&fit.points)];
                let found: Vec<[Option<f64>; 3]> = fits.iter().map(coefficients).collect();
                let note = coefficients_note(&found, fits.iter().map(|fit| fit.points.len()).sum());
                let panel = ScatterPanel { title: format!("{}, %", SCORE_PARTS[part].label), note, clouds };
                (!panel.clouds.is_empty()).then_some(panel)
            };
            let scatter = Scatter {
                title: format!("{} against {label}", label_of(compared)),
                x: label_of(compared).to_owned(),
                y: label,
                panels: (0..3).filter_map(panel).collect(),
            };
            let name = format!("cone-{name}-{}", metric[0].metric);
            figures.push(Figure { name, drawing: scatter.draw() });
        }
    }
    figures
}

fn label_of(compared: ConeVariant) -> &'static str {
    match compared {
        ConeVariant::Named => "CONE",
        ConeVariant::Approximated => "CONE~",
        ConeVariant::Complement => "without names",
    }
}

fn heading(compared: ConeVariant) -> &'static str {
    match compared {
        ConeVariant::Named => "CONE, against the key's named mentions",
        ConeVariant::Approximated => "CONE~, against a key made from the names of the text",
        ConeVariant::Complement => "Control: both sides without their named mentions",
    }
}

fn ends(interval: Option<Interval>) -> Json {
    interval.map_or(Json::Null, |interval| json!([interval.low, interval.high]))
}

fn is_of_documents(points: Points) -> bool {
    matches!(points, Points::Documents(_) | Points::AllDocuments)
}

/// The name of the system that the points belong to; `None` for all systems.
fn system(report: &ConeCorrelationReport, points: Points) -> Option<&str> {
    match points {
        Points::Documents(system) | Points::Entities(system) => {
            report.systems.get(system).map(|system| system.0.as_str())
        }
        Points::AllDocuments | Points::AllEntities => None,
    }
}

fn grid<'r>(
    report: &'r ConeCorrelationReport,
    rows: impl Iterator<Item = &'r CorrelationRow>,
    parts: usize,
) -> Grid<'r> {
    let group = |part: usize| Group {
        title: SCORE_PARTS[part].label.into(),
        columns: vec![
            Column::new("n"),
            Column::new("r").key(),
            Column::new(level(report)),
            Column::new("α"),
            Column::new("β"),
        ],
    };
    let mut lines = Vec::new();
    let mut last = None;
    for row in rows {
        if last != Some(row.metric) {
            lines.push(Line::Title(row.metric.label().into()));
            last = Some(row.metric);
        }
        let cells = row.parts.iter().take(parts).flat_map(|fit| match fit {
            None => [const { Value::Blank }; 5],
            Some(fit) => [
                Value::Count(fit.points.len() as u64),
                Value::number(fit.r, Form::Decimals(3)),
                shown(fit.interval),
                Value::number(fit.line.map(|line| line.0), Form::Decimals(3)),
                Value::number(fit.line.map(|line| line.1), Form::Decimals(3)),
            ],
        });
        lines.push(Line::row(report.points(row.points), cells.collect::<Vec<_>>()));
    }
    Grid { corner: "".into(), groups: (0..parts).map(group).collect(), lines }
}

/// The head of the columns of intervals.
fn level(report: &ConeCorrelationReport) -> String {
    format!("{}% interval", trimmed(100.0 * report.method.confidence))
}

fn shown<'r>(interval: Option<Interval>) -> Value<'r> {
    interval.map_or(Value::Undefined, |interval| {
        Value::Interval([interval.low, interval.high], Form::Decimals(3))
    })
}

/// The differences between the control and CONE, as a table.
fn closer(report: &ConeCorrelationReport) -> Grid<'_> {
    let group = |part: usize| Group {
        title: SCORE_PARTS[part].label.into(),
        columns: vec![Column::new("difference").key(), Column::new(level(report))],
    };
    let mut lines = Vec::new();
    for rows in report.closer.chunk_by(|one, next| one.metric == next.metric) {
        lines.extend(rows.first().map(|row| Line::Title(row.metric.label().into())));
        lines.extend(rows.iter().map(|row| {
            let cells = row.parts.iter().flat_map(|found| {
                let difference = Value::number(found.map(|found| found.0), Form::Decimals(3));
                [difference, shown(found.and_then(|found| found.1))]
            });
            Line::row(report.points(row.points), cells.collect::<Vec<_>>())
        }));
    }
    Grid { corner: "".into(), groups: (0..3).map(group).collect(), lines }
}

fn errors(report: &ConeCorrelationReport) -> Grid<'_> {
    let row =
        |((name, _), errors): (&'_ (String, String), &corefeval_core::cone::correlations::NamedErrors)| {
            let counts = [errors.entities, errors.missed, errors.wrongly_grouped];
            Line::row(name.clone(), counts.map(Value::Count))
        };
    Grid {
        corner: "".into(),
        groups: vec![Group::untitled(
            ["named entities", "missed (MNE)", "incorrectly grouped (IGNE)"].map(Column::new).into(),
        )],
        lines: report.systems.iter().zip(&report.errors).map(row).collect(),
    }
}

fn notes(report: &ConeCorrelationReport) -> Vec<String> {
    let fits = || report.rows.iter().flat_map(|row| row.parts.iter().flatten());
    let (unit, documents) = (report.method.unit, report.documents);
    let mut notes = vec![
        format!("On {}; n points; r is Pearson's; score of all mentions = α + β · score of the row.", described(documents, report.units, unit)),
        "MNE: no named mention of the entity is in the response. IGNE: they are in several entities, or with a named mention of another.".to_owned(),
match report.units {
            0 | 1 => format!("One {} cannot be left out: no intervals.", unit.noun(false)),
            _ =>         format!("Intervals are Student's t with the standard error of leaving out {}, of r on Fisher's scale; none if leaving out one makes r undefined or perfect.", unit.noun(true)),
        },
    ];
    if fits().any(|fit| fit.r.is_none()) {
        let few = fits().any(|fit| fit.points.len() < FEWEST);
        let alike = fits().any(|fit| fit.points.len() >= FEWEST && fit.r.is_none());
        let why = [
            alike.then(|| "one of the scores is the same for all points".to_owned()),
            few.then(|| format!("there are fewer than {FEWEST} points")),
        ];
        let why: Vec<String> = why.into_iter().flatten().collect();
        notes.push(format!("–: no correlation, because {}.", why.join(", or ")));
    }
    notes
}
