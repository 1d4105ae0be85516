//! Why something could not be read, paired or set; scoring itself cannot fail.

use std::fmt;

use crate::diagnostic::Position;

/// What kind of thing went wrong; decides the exit status of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A file could not be opened or read.
    Io,
    /// A file is not what its format asks for.
    Format,
    /// Key and response do not belong together.
    Pairing,
    /// Settings contradict each other or name what does not exist.
    Settings,
    /// A warning, where warnings are errors.
    Strict,
}

/// An error that knows where it is and what may help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    position: Option<Position>,
    related: Vec<(Position, String)>,
    hint: Option<String>,
}

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), position: None, related: Vec::new(), hint: None }
    }

    /// The same error as one of another kind: what is wrong in a file may be found by code that reads what was typed.
    #[must_use]
    pub fn of_kind(self, kind: ErrorKind) -> Error {
        Error { kind, ..self }
    }

    /// The same error, placed.
    #[must_use]
    pub fn at(mut self, position: Position) -> Error {
        self.position = Some(position);
        self
    }

    /// The same error with a second place and what stands there.
    #[must_use]
    pub fn beside(mut self, position: Position, text: impl Into<String>) -> Error {
        self.related.push((position, text.into()));
        self
    }

    /// The same error with a likely remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was found and what was expected, without place and remedy.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where.
    pub fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    /// Further places with what stands there.
    pub fn related(&self) -> &[(Position, String)] {
        &self.related
    }

    /// The likely remedy.
    pub fn remedy(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// `FILE:LINE:COLUMN: message`, then a line for each further place, then the remedy.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{position}: ")?;
        }
        f.write_str(&self.message)?;
        for (position, text) in &self.related {
            write!(f, "\n  {position}: {text}")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<corefeval_metrics::Error> for Error {
    fn from(error: corefeval_metrics::Error) -> Error {
        Error::new(ErrorKind::Settings, error.message()).hint(error.hint())
    }
}
