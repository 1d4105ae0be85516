//! The tasks, under the names that the command, Python and the page use.

use std::fmt;

macro_rules! tasks {
    (
        scoring { $($(#[$doc:meta])* $task:ident = $id:literal,)* }
        reading { $($(#[$other_doc:meta])* $other:ident = $other_id:literal,)* }
    ) => {
        /// A task: an operation on inputs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum TaskKind {
            $($(#[$doc])* $task,)*
            $($(#[$other_doc])* $other,)*
        }

        impl TaskKind {
            /// The tasks that score documents. The others only read them.
            pub const SCORING: &[TaskKind] = &[$(TaskKind::$task),*];

            /// Returns its name.
            pub const fn id(self) -> &'static str {
                match self {
                    $(TaskKind::$task => $id,)*
                    $(TaskKind::$other => $other_id,)*
                }
            }
        }
    };
}

tasks! {
    scoring {
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
    reading {
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
    }
}

impl fmt::Display for TaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
