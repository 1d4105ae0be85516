//! The two sides of an evaluation.

/// Key or response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The annotation taken as correct.
    #[default]
    Key,
    /// The annotation to be scored.
    Response,
}

impl Side {
    /// Returns the name, as printed.
    pub fn label(self) -> &'static str {
        match self {
            Side::Key => "key",
            Side::Response => "response",
        }
    }
}
