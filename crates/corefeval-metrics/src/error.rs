//! Defines the errors of this crate: unknown names of metrics, metrics that need more than entities, and repeated
//! mentions.

use std::fmt;

use crate::Side;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why metrics cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The name or a parameter of a metric is wrong, or the metric needs data that the caller has not given.
    Metric {
        /// The message.
        message: String,
        /// The hint.
        hint: String,
    },
    /// A side has a mention more than once.
    RepeatedMention {
        /// The side.
        side: Side,
        /// The first copy: the index of its entity and its index in that entity.
        first: (usize, usize),
        /// The second copy.
        second: (usize, usize),
    },
}

impl Error {
    pub(crate) fn metric(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::Metric { message: message.into(), hint: hint.into() }
    }

    /// Returns the message.
    pub fn message(&self) -> String {
        match self {
            Error::Metric { message, .. } => message.clone(),
            Error::RepeatedMention { side, first, second } => format!(
                "the {} has a mention twice: mention {} of entity {} is mention {} of entity {} again (counted from 0)",
                side.label(),
                second.1,
                second.0,
                first.1,
                first.0
            ),
        }
    }

    /// Returns the hint.
    pub fn hint(&self) -> &str {
        match self {
            Error::Metric { hint, .. } => hint,
            Error::RepeatedMention { .. } => "list each mention once on each side, in one entity",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  hint: {}", self.message(), self.hint())
    }
}

impl std::error::Error for Error {}
