//! Presents the simulation as a report that combines tables of other reports.

use corefeval_core::formats::report_columns;
use corefeval_report::block::{Block, Cell, Column, Form, Grid, Group, Line, Value};
use corefeval_report::csv::Table;
use corefeval_report::plot::{Curves, Figure, Panel};
use corefeval_report::{Kind, Printable, Style};
use serde_json::{Value as Json, json};

use super::{Simulation, Sweep, SweepStep};

impl Printable for Simulation {
    fn kind(&self) -> Kind {
        Kind::Reproduction
    }

    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let [documents, mentions, entities] = self.sizes;
        let mut blocks = vec![Block::Notes(vec![format!(
            "Simulated systems on {}: {documents} documents, {mentions} mentions, {entities} entities.",
            self.text
        )])];
        for sweep in &self.sweeps {
            blocks.push(Block::Heading(sweep.place.into()));
            blocks.push(Block::Grid(grid(sweep)));
            blocks.push(Block::Notes(vec![optima(sweep)]));
        }
        let parts: [(&str, Vec<Block<'_>>); 3] = [
            ("Lin et al. 2010, tables 3 and 4, and figure 1", self.cone.blocks(style)),
            (
                "Moosavi and Strube 2016, tables 1 and 4: a response and its transformations",
                self.probe.blocks(style),
            ),
            ("Moosavi and Strube 2016, table 5: fourteen systems", self.ranking.blocks(style)),
        ];
        for (title, own) in parts {
            blocks.push(Block::Heading(title.into()));
            blocks.extend(own);
        }
        blocks
    }

    fn json(&self) -> Json {
        let sweep = |sweep: &Sweep| {
            let steps = sweep.steps.iter().map(|SweepStep { penalty, entities, scores }| {
                let ids = sweep.metrics.iter().map(ToString::to_string);
                let scores: serde_json::Map<String, Json> =
                    ids.zip(scores.iter().map(|score| json!(score))).collect();
                json!({ "penalty": penalty, "entities": entities, "scores": scores })
            });
            let steps: Json = steps.collect();
            json!({ "id": sweep.id, "place": sweep.place, "key_entities": sweep.key_entities, "steps": steps })
        };
        let [documents, mentions, entities] = self.sizes;
        let sweeps: Json = self.sweeps.iter().map(sweep).collect();
        json!({
            "corefeval": corefeval_core::VERSION,
            "text": self.text,
            "documents": documents,
            "mentions": mentions,
            "entities": entities,
            "sweeps": sweeps,
            "cone": self.cone.json(),
            "probe": self.probe.json(),
            "ranking": self.ranking.json(),
        })
    }

    /// Writes every number of every table, one per row: `table,group,row,column,value`.
    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::SIMULATION);
        for sweep in &self.sweeps {
            add_grid(&mut table, sweep.id, &grid(sweep));
        }
        let parts = [
            ("cone", self.cone.blocks(&Style::default())),
            ("probe", self.probe.blocks(&Style::default())),
            ("ranking", self.ranking.blocks(&Style::default())),
        ];
        for (id, blocks) in &parts {
            let mut name = (*id).to_owned();
            for block in blocks {
                match block {
                    Block::Heading(title) => name = format!("{id}: {title}"),
                    Block::Grid(grid) => add_grid(&mut table, &name, grid),
                    _ => {}
                }
            }
        }
        table.finish()
    }

    /// Returns the sweeps as curves, the points of CONE, and the systems with their intervals.
    fn figures(&self) -> Vec<Figure> {
        let curves = self.sweeps.iter().map(|sweep| {
            let curve = |metric: usize| sweep.steps.iter().map(|step| Some(step.scores[metric])).collect();
            let plot = Curves {
                title: sweep.place.to_owned(),
                axis: "penalty of a new entity".to_owned(),
                steps: sweep.steps.iter().map(|step| format!("{:.1}", step.penalty)).collect(),
                is_scale: true,
                curves: sweep.metrics.iter().map(|metric| metric.label()).collect(),
                panels: vec![Panel {
                    title: "F1 or value, %".to_owned(),
                    curves: (0..sweep.metrics.len()).map(curve).collect(),
                    bands: Vec::new(),
                }],
            };
            Figure { name: sweep.id.to_owned(), drawing: plot.draw() }
        });
        let mut figures: Vec<Figure> = curves.collect();
        figures.extend(self.cone.figures());
        figures.extend(self.ranking.figures());
        figures
    }
}

/// Returns a sweep as a table, with the optimum of each metric.
fn grid(sweep: &Sweep) -> Grid<'_> {
    let mut columns = vec![Column::new("entities")];
    columns.extend(sweep.metrics.iter().map(|metric| Column::new(metric.label())));
    let optima: Vec<Option<f64>> =
        (0..sweep.metrics.len()).map(|metric| sweep.optimum(metric).map(|step| step.penalty)).collect();
    let line = |step: &SweepStep| {
        let entities = Cell::from(Value::Number(step.entities, Form::Decimals(1)));
        let scores = step.scores.iter().zip(&optima).map(|(&score, optimum)| Cell {
            value: Value::Number(score, Form::Percent),
            best: *optimum == Some(step.penalty),
        });
        Line::Row(format!("{:+.1}", step.penalty).into(), std::iter::once(entities).chain(scores).collect())
    };
    Grid {
        corner: "penalty".into(),
        groups: vec![Group::untitled(columns)],
        lines: sweep.steps.iter().map(line).collect(),
    }
}

/// Describes the location of each metric's maximum.
fn optima(sweep: &Sweep) -> String {
    let optimum = |metric: usize| {
        let step = sweep.optimum(metric)?;
        let label = sweep.metrics[metric].label();
        Some(format!("{label} at {:+.1} with {:.1} entities", step.penalty, step.entities))
    };
    let found: Vec<String> = (0..sweep.metrics.len()).filter_map(optimum).collect();
    format!("The key has {} entities. Greatest: {}.", sweep.key_entities, found.join(", "))
}

/// Adds the numbers of a grid.
fn add_grid(table: &mut Table, name: &str, grid: &Grid<'_>) {
    let columns =
        || grid.groups.iter().flat_map(|group| group.columns.iter().map(move |column| (group, column)));
    let mut title = "";
    for line in &grid.lines {
        let (row, cells) = match line {
            Line::Title(text) => {
                title = text;
                continue;
            }
            Line::Rule => continue,
            Line::Row(row, cells) => (row, cells),
        };
        for ((group, column), cell) in columns().zip(cells) {
            let mut add = |column: &str, value: String| {
                let head = if group.title.is_empty() {
                    column.to_owned()
                } else {
                    format!("{} {column}", group.title)
                };
                [name, title].into_iter().for_each(|text| table.text(text));
                table.text(row);
                table.text(&head);
                table.number(value);
                table.end_row();
            };
            match &cell.value {
                Value::Count(count) => add(&column.head, count.to_string()),
                Value::Number(number, _) | Value::P(number) => add(&column.head, number.to_string()),
                Value::Interval([low, high], _) | Value::Bounds([low, high]) => {
                    add(&format!("{} (low)", column.head), low.to_string());
                    add(&format!("{} (high)", column.head), high.to_string());
                }
                Value::Undefined => add(&column.head, String::new()),
                Value::Blank | Value::Text(_) | Value::Code(_) => {}
            }
        }
    }
}
