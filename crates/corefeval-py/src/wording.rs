//! The wording of messages for Python: options are keywords, and indices in lists start at 0.

use corefeval_core::wording::{Command, OptionValue, Part, Position, Text, Wording};
use pyo3::prelude::*;

/// The wording of messages for Python.
#[derive(Clone, Copy, Debug)]
pub struct Python {
    /// True if positions are in lists of entities, where the line is the entity and the column the mention.
    pub lists: bool,
}

impl Python {
    /// The wording of messages about files and documents.
    pub const OF_FILES: Python = Python { lists: false };

    /// The wording of messages about lists of entities.
    pub const OF_LISTS: Python = Python { lists: true };

    /// A place: `key[3][1]` in lists, `key.conll:7:2` in files.
    pub fn place(self, position: &Position) -> String {
        if !self.lists || position.line == 0 {
            return position.to_string();
        }
        let mention = position.column.checked_sub(1).map(|mention| format!("[{mention}]"));
        format!("{}[{}]{}", position.source, position.line - 1, mention.unwrap_or_default())
    }

    /// Converts a text to `corefeval._wording.Text`: a string with its parts. Parts that name an option end with its
    /// keyword.
    pub fn text<'py>(self, py: pyo3::Python<'py>, text: &Text) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("corefeval._wording")?.getattr("Text")?;
        let mut parts = text.to_json();
        for (part, written) in text.parts().iter().zip(parts.as_array_mut().into_iter().flatten()) {
            let keyword = match part {
                Part::Option { name, value } => keyword(name, value),
                Part::OptionName(name) => name.replace('-', "_"),
                _ => continue,
            };
            written.as_array_mut().into_iter().for_each(|written| written.push(keyword.clone().into()));
        }
        class.call1((text.worded(&self), parts.to_string()))
    }
}

impl Wording for Python {
    fn part(&self, part: &Part, words: &mut String) {
        match part {
            Part::Plain(plain) => words.push_str(plain),
            Part::Option { name, value } => words.push_str(&keyword(name, value)),
            Part::OptionName(name) => words.extend(["`", &name.replace('-', "_"), "`"]),
            Part::Quoted(thing) => words.extend(["`", thing, "`"]),
            Part::Place(position) => words.push_str(&self.place(position)),
            Part::Line(position) if self.lists => words.push_str(&self.place(position)),
            Part::Line(position) => words.push_str(&format!("line {}", position.line)),
            Part::NamedPath => words.push_str("{name: path}"),
            Part::Build(_) => Command.part(part, words),
        }
    }
}

/// An option as a keyword: `check_tokens="no"`.
fn keyword(name: &str, value: &OptionValue) -> String {
    match (name, value) {
        ("key-approximate", _) => return "key=None".to_owned(),
        ("output", OptionValue::Word(output)) => return format!("render(\"{output}\")"),
        ("output", _) => return "render".to_owned(),
        ("to", OptionValue::Word(format)) => return format!("format=\"{format}\""),
        ("pair", OptionValue::Blank(blank)) if blank.contains("NAME") => {
            return "pairs={name: (key, response)}".to_owned();
        }
        ("pair", OptionValue::Blank(_)) => return "pairs=[(key, response)]".to_owned(),
        ("pair", _) => return "pairs".to_owned(),
        _ => {}
    }
    let name = name.replace('-', "_");
    match value {
        OptionValue::None => name,
        OptionValue::On => format!("{name}=True"),
        OptionValue::Word(number) if number.parse::<f64>().is_ok() => format!("{name}={number}"),
        OptionValue::Word(word) => format!("{name}=\"{word}\""),
        OptionValue::Blank(blank) => format!("{name}={blank}"),
    }
}
