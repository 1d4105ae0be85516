//! Errors: the problem, its place and its remedy.

use crate::diagnostic::Code;
use crate::wording::{Command, Position, Text, Wording, option_name, quoted, text};
use std::fmt;

/// The kind of an error, which decides the exit status of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A file could not be opened or read.
    Io,
    /// A file does not follow its format.
    Format,
    /// Key and response do not belong together.
    Pairing,
    /// Settings contradict each other, or a name is unknown.
    Settings,
    /// A warning under `--strict`.
    Strict,
}

/// An error with a place and a remedy, if known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// The contents of an error, boxed to keep results small.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    message: Text,
    position: Option<Position>,
    related: Vec<(Position, Text)>,
    hint: Option<Text>,
    others: Vec<Error>,
    code: Option<Code>,
}

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Returns an error without place and remedy.
    pub fn new(kind: ErrorKind, message: impl Into<Text>) -> Error {
        Error(Box::new(Details {
            kind,
            message: message.into(),
            position: None,
            related: Vec::new(),
            hint: None,
            others: Vec::new(),
            code: None,
        }))
    }

    /// Returns the error for an invalid value of an option.
    pub(crate) fn not_valid(value: &str, option: &str) -> Error {
        let message = text!("{} is not a valid value for {}", quoted(value), option_name(option.to_owned()));
        Error::new(ErrorKind::Settings, message)
    }

    /// Returns the error with another kind, for code that reads the same syntax from files and options.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Error {
        self.0.kind = kind;
        self
    }

    /// Returns the error with its place.
    #[must_use]
    pub fn at(mut self, position: Position) -> Error {
        self.0.position = Some(position);
        self
    }

    /// Returns the error with a further place and a description of it.
    #[must_use]
    pub fn with_place(mut self, position: Position, text: impl Into<Text>) -> Error {
        self.0.related.push((position, text.into()));
        self
    }

    /// Returns the error with a likely remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Text>) -> Error {
        self.0.hint = Some(hint.into());
        self
    }

    /// Returns the error with the further errors of the same input.
    #[must_use]
    pub fn with_others(mut self, others: Vec<Error>) -> Error {
        self.0.others = others;
        self
    }

    /// Returns the further errors of the same input, in the order of their places.
    pub fn others(&self) -> &[Error] {
        &self.0.others
    }

    /// Returns the error with its code.
    #[must_use]
    pub fn coded(mut self, code: Code) -> Error {
        self.0.code = Some(code);
        self
    }

    /// Returns the stable code, by default the code of the kind.
    pub fn code(&self) -> Code {
        self.0.code.unwrap_or(match self.0.kind {
            ErrorKind::Io => Code::NotReadable,
            ErrorKind::Format => Code::Malformed,
            ErrorKind::Pairing => Code::NotComparable,
            // Under `--strict` an error has the code of its warning.
            ErrorKind::Settings | ErrorKind::Strict => Code::WrongOption,
        })
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Describes what was found and expected, without place and remedy, in the command's wording.
    pub fn message(&self) -> String {
        self.0.message.to_string()
    }

    /// Returns the message in parts, for other front ends.
    pub fn message_text(&self) -> &Text {
        &self.0.message
    }

    /// Returns the place of the error.
    pub fn position(&self) -> Option<&Position> {
        self.0.position.as_ref()
    }

    /// Returns further places, each with a description.
    pub fn related(&self) -> &[(Position, Text)] {
        &self.0.related
    }

    /// Returns the likely remedy, as the command words it.
    pub fn remedy(&self) -> Option<String> {
        self.0.hint.as_ref().map(Text::to_string)
    }

    /// Returns the likely remedy in parts, for other front ends.
    pub fn remedy_text(&self) -> Option<&Text> {
        self.0.hint.as_ref()
    }
}

/// Writes `FILE:LINE:COLUMN: message`, a line for each further place, the remedy, and the other errors. A repeated
/// remedy is omitted.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&Command).join("\nerror: "))
    }
}

impl Error {
    /// Returns the lines of [`Display`](fmt::Display) in the words of a front end, for this error and the other errors
    /// of its input.
    pub fn worded(&self, wording: &dyn Wording) -> Vec<String> {
        let mut last = None;
        let mut errors: Vec<String> = Vec::with_capacity(1 + self.0.others.len());
        for error in std::iter::once(self).chain(&self.0.others) {
            let mut text =
                error.0.position.iter().map(|position| format!("{position}: ")).collect::<String>();
            text += &error.0.message.worded(wording);
            // The note about further errors belongs to the last error.
            if let (Some(Code::FurtherErrors), Some(before)) = (error.0.code, errors.last_mut()) {
                *before = format!("{before}\n  {text}");
                continue;
            }
            for (position, related) in &error.0.related {
                text += &format!("\n  {position}: {}", related.worded(wording));
            }
            // A repeated remedy is omitted.
            if let Some(hint) = error.0.hint.as_ref().filter(|&hint| last != Some(hint)) {
                text += &format!("\n  hint: {}", hint.worded(wording));
            }
            last = error.0.hint.as_ref();
            errors.push(text);
        }
        errors
    }
}

impl std::error::Error for Error {}

impl From<corefeval_metrics::Error> for Error {
    fn from(error: corefeval_metrics::Error) -> Error {
        Error::new(ErrorKind::Settings, error.message()).hint(error.hint())
    }
}
