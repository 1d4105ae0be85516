//! Lists of names with descriptions, such as all metrics.

use corefeval_core::formats::report_columns;
use serde_json::{Value as Json, json};

use crate::block::{Block, Column, Grid, Group, Line, Value};
use crate::csv::Table;
use crate::{Kind, Printable, Style};

/// Names with a one-line description each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The kind of names.
    pub title: String,
    /// Name and description.
    pub rows: Vec<[String; 2]>,
}

impl Printable for List {
    fn kind(&self) -> Kind {
        Kind::List
    }

    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        let row = |[name, text]: &'_ [String; 2]| -> Line<'_> {
            Line::row(name.clone(), [Value::text(text.clone())])
        };
        vec![Block::Grid(Grid {
            corner: "".into(),
            groups: vec![Group::untitled(vec![Column::of_text("")])],
            lines: self.rows.iter().map(row).collect(),
        })]
    }

    fn json(&self) -> Json {
        let rows = self.rows.iter().map(|[name, text]| json!({ "name": name.trim_start(), "text": text }));
        json!({ "corefeval": corefeval_core::VERSION, (self.title.as_str()): rows.collect::<Vec<_>>() })
    }

    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::LIST);
        for [name, text] in &self.rows {
            table.text(name.trim_start());
            table.text(text);
            table.end_row();
        }
        table.finish()
    }
}
