//! The destination of a report (`-o`): standard output, in an output by name, or a file whose extension selects the output.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::Request;
use corefeval_core::output::{refuse_input, write_file, write_file_with};
use corefeval_core::suggest::nearest;
use corefeval_core::wording::inert;
use corefeval_report::{Kind, OutputSpec, Printable, Style};

use crate::typed::text;
use crate::{Output, put_with};

/// The name of standard output.
const STANDARD: &str = "-";

/// The names and extensions of outputs.
type OutputNames<'r> = &'r [(&'static str, &'static [&'static str])];

/// The meaning of a value of `-o` among the outputs of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The name of the output.
    pub id: &'static str,
    /// The file to write, unless the report is written to standard output.
    pub file: Option<PathBuf>,
}

impl Destination {
    /// Interprets `typed`, given the names and extensions of the outputs.
    ///
    /// A name is an output. Anything else with a dot or a folder is a file, whose extension must belong to an output.
    pub fn among(rows: OutputNames<'_>, typed: &str) -> Result<Destination> {
        Destination::among_or(rows, typed, || unknown(rows, typed))
    }

    /// Like [`among`](Self::among), with the error for a value that selects no output.
    pub fn among_or(
        rows: OutputNames<'_>,
        typed: &str,
        unknown: impl FnOnce() -> Error,
    ) -> Result<Destination> {
        if let Some(&(id, _)) = rows.iter().find(|row| row.0.eq_ignore_ascii_case(typed)) {
            return Ok(Destination { id, file: None });
        }
        let first = rows.first().map_or("", |row| row.0);
        if typed == STANDARD {
            return Ok(Destination { id: first, file: None });
        }
        let path = Path::new(typed);
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let name = path.file_name().filter(|_| extension.is_some()).unwrap_or_default();
        if let Some(id) = owner(rows, &name.to_string_lossy()) {
            return Ok(Destination { id, file: Some(path.to_owned()) });
        }
        if matches!(extension.as_deref(), Some("gz" | "zst")) {
            return Err(Error::new(ErrorKind::Settings, format!("`{typed}` would not be compressed"))
                .hint("name the file without this extension, and compress it afterwards"));
        }
        Err(unknown())
    }

    /// Returns the destination that was typed for a report of a kind; by default aligned tables on standard output.
    pub fn new(matches: &ArgMatches, kind: Kind) -> Result<Destination> {
        let typed = text(matches, "output").unwrap_or("table");
        let lower = typed.to_ascii_lowercase();
        // The error names an output that the report does not support.
        if let Some(error) = OutputSpec::named(&lower, kind).err().filter(|_| OutputSpec::is_one(&lower)) {
            return Err(error);
        }
        let rows: Vec<_> = OutputSpec::of(kind).map(|spec| (spec.id, spec.extensions)).collect();
        Destination::among(&rows, typed)
    }

    /// The output.
    pub fn output(&self, kind: Kind) -> Result<&'static OutputSpec> {
        OutputSpec::named(self.id, kind)
    }

    /// Fails if the file is an input, or lies in an input directory.
    pub fn refuse_inputs(&self, request: &Request) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let inputs = request.all_inputs();
        refuse_input(file, &inputs.iter().collect::<Vec<_>>())
    }

    /// Returns whether a report is printed to a file or pipe that is standard output.
    pub fn is_piped(&self) -> bool {
        self.file.is_none() && !std::io::stdout().is_terminal()
    }

    /// Prints or writes a report piece by piece.
    pub fn put(&self, report: &dyn Printable, style: Style) -> Result<Output> {
        let output = self.output(report.kind())?;
        match &self.file {
            Some(file) => {
                // Files have no colours and no terminal width.
                let mut of_file = style;
                (of_file.colour, of_file.width) = (false, None);
                write_file_with(file, |to| output.write(report, of_file, to))?;
            }
            None if std::io::stdout().is_terminal() => return self.put_text(output.render(report, style)?),
            None => {
                put_with(|to| output.write(report, style, to))?;
            }
        }
        Ok(Output::done(String::new()))
    }

    /// Prints or writes a text.
    pub fn put_text(&self, text: String) -> Result<Output> {
        match &self.file {
            // Tables are escaped already, and contain colours.
            None if self.id != "table" => Ok(Output::done(for_standard_output(text))),
            None => Ok(Output::done(text)),
            Some(file) => write_file(file, text).map(|()| Output::done(String::new())),
        }
    }
}

/// The error for a value that selects none of the outputs of a report.
fn unknown(rows: OutputNames<'_>, typed: &str) -> Error {
    let path = Path::new(typed);
    if path.extension().is_some() || path.components().count() > 1 {
        let message = match path.extension() {
            Some(extension) => {
                format!("`{typed}`: no output has the extension `.{}`", extension.to_string_lossy())
            }
            None => format!("`{typed}` is a file without an extension, which chooses the output"),
        };
        let hint = format!("the extensions are {}", extensions(rows));
        return Error::new(ErrorKind::Settings, message).hint(hint);
    }
    let ids: Vec<&str> = rows.iter().map(|row| row.0).collect();
    let with_extension = rows.iter().find(|row| row.1.contains(&typed)).map(|row| row.0);
    let hint = match with_extension.or_else(|| nearest(typed, ids.iter().copied())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("the outputs are {}; a file needs an extension: {}", ids.join(", "), extensions(rows))
        }
    };
    Error::new(ErrorKind::Settings, format!("unknown output `{typed}`")).hint(hint)
}

/// Returns data for standard output: unchanged, or made safe to display on a terminal.
pub(crate) fn for_standard_output(text: String) -> String {
    if std::io::stdout().is_terminal() { inert_lines(&text) } else { text }
}

/// Returns text of data for display: unchanged except for control characters and those that change the direction of
/// text.
fn inert_lines(text: &str) -> String {
    let line = |line: &str| line.split('\t').map(inert).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the output that the extension of `name` selects. If several outputs list it, the one that lists it first
/// among its extensions is selected.
fn owner(rows: OutputNames<'_>, name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let names = |extension: &&str| name.ends_with(&format!(".{}", extension.to_lowercase()));
    let places = rows.iter().filter_map(|row| Some((row.1.iter().position(&names)?, row.0)));
    places.min_by_key(|place| place.0).map(|place| place.1)
}

/// Lists all extensions with the outputs that they select.
fn extensions(rows: OutputNames<'_>) -> String {
    let all = rows.iter().flat_map(|row| row.1.iter().map(move |extension| (row.0, extension)));
    let own = all.filter(|(id, extension)| owner(rows, &format!("x.{extension}")) == Some(*id));
    own.map(|(id, extension)| format!(".{extension} ({id})")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [(&str, &[&str]); 3] = [("table", &["txt"]), ("json", &["json"]), ("latex", &["tex"])];

    #[test]
    fn output_has_no_control_characters() {
        assert_eq!(inert_lines("a,\u{1b}[2J\tb\r\n\u{202e}c\n"), "a,\\u{1b}[2J\tb\\r\n\\u{202e}c\n");
        assert_eq!(inert_lines("{\"a\": 1}\n"), "{\"a\": 1}\n");
    }

    #[test]
    fn names_are_outputs_and_extensions_choose_them() {
        let of = |typed: &str| Destination::among(&ROWS, typed);
        let file = |id: &'static str, file: &str| Destination { id, file: Some(PathBuf::from(file)) };
        assert_eq!(of("json"), Ok(Destination { id: "json", file: None }));
        assert_eq!(of("-"), Ok(Destination { id: "table", file: None }));
        assert_eq!(of("a/scores.JSON"), Ok(file("json", "a/scores.JSON")));
        assert_eq!(of("table.tex"), Ok(file("latex", "table.tex")));
        let wrong = |typed: &str| of(typed).expect_err("it is refused").to_string();
        assert_eq!(wrong("jsn"), "unknown output `jsn`\n  hint: did you mean `json`?");
        assert_eq!(wrong("tex"), "unknown output `tex`\n  hint: did you mean `latex`?");
        assert!(
            wrong("word").contains("a file needs an extension: .txt (table), .json (json), .tex (latex)")
        );
        assert!(wrong("a.doc").starts_with("`a.doc`: no output has the extension `.doc`"));
        assert!(wrong("a.doc").contains("the extensions are .txt (table)"));
        // If two outputs share an extension, the list names the output that it selects.
        let shared: [(&str, &[&str]); 2] = [("conll-ua", &["conllua", "conll"]), ("conll", &["conll"])];
        assert_eq!(Destination::among(&shared, "x.conll").expect("an output").id, "conll");
        assert_eq!(extensions(&shared), ".conllua (conll-ua), .conll (conll)");
        assert!(wrong("a.json.gz").contains("would not be compressed"));
        assert!(wrong("folder/scores").starts_with("`folder/scores` is a file without an extension"));
    }
}
