//! The tasks, by the names that the command, Python and the page have for them.

use std::fmt;

macro_rules! tasks {
    ($($(#[$doc:meta])* $task:ident = $id:literal,)*) => {
        /// A task: what is done with inputs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum TaskKind {
            $($(#[$doc])* $task,)*
        }

        impl TaskKind {
            /// Returns its name.
            pub const fn id(self) -> &'static str {
                match self { $(TaskKind::$task => $id,)* }
            }
        }
    };
}

tasks! {
    /// Scores responses.
    Score = "score",
    /// Scores transformations of a key.
    Probe = "probe",
    /// Finds the errors of responses.
    Errors = "errors",
    /// Explains why scores differ.
    Explain = "explain",
    /// Shows documents with the mentions of key and responses.
    Show = "show",
    /// Makes a page about responses.
    Report = "report",
    /// Describes corpora.
    Stats = "stats",
    /// Checks files.
    Validate = "validate",
    /// Writes documents in another format.
    Convert = "convert",
    /// Adds up tables of counts.
    Merge = "merge",
    /// Writes the texts of a key as prompts.
    Prompt = "prompt",
    /// Compares systems.
    Compare = "compare",
    /// Makes a leaderboard.
    Board = "board",
    /// Measures the agreement of annotators.
    Agree = "agree",
    /// Correlates metrics.
    Correlate = "correlate",
    /// Scores names with CONE.
    Cone = "cone",
}

impl TaskKind {
    /// The tasks that score documents. The others only read them.
    pub const SCORING: &[TaskKind] = {
        use TaskKind::{Agree, Board, Compare, Cone, Correlate, Errors, Explain, Probe, Report, Score, Show};
        &[Score, Compare, Agree, Cone, Probe, Errors, Explain, Show, Report, Board, Correlate]
    };
}

impl fmt::Display for TaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
