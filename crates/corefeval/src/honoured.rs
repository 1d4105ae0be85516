//! The tasks that honour the options of `corefeval score`.

use corefeval_core::evaluation::TaskKind::{
    self, Agree, Board, Compare, Convert, Correlate, Errors, Explain, Probe, Report, Show, Stats, Validate,
};
use corefeval_core::settings::Settings;

/// Options of `score`, the tasks that only read and honour them, and the tasks that score and do not. Otherwise all tasks
/// that score honour an option, and all that read a setting for reading.
#[rustfmt::skip]
const HONOURED: &[(&[&str], &[TaskKind], &[TaskKind])] = &[
    (&["pair", "pair-files", "ceaf-bound"], &[], TaskKind::SCORING),
    (&["overlap"], &[Compare], TaskKind::SCORING),
    (&["format"], &[Validate, Stats], &[]),
    (&["include"], &[Validate, Stats, Convert], &[]),
    (&["key-format"], &[Validate], &[]),
    (&["response-format"], &[Validate], &[Agree]),
    (&["allow-empty"], &[Validate, Stats, Convert], &[]),
    (&["profile", "color", "quiet", "verbose", "threads", "max-memory"], &[Validate, Stats], &[]),
    (&["check-tokens", "match", "singletons"], &[Validate], &[]),
    (&["key-span-end", "response-span-end"], &[], &[Agree, Stats, Convert]),
    (&["span-end-of"], &[], &[Convert]),
    (&["pair-documents", "align", "notation", "extra-zeros", "min-aligned"], &[], &[Stats]),
    (&["metrics"], &[Validate], &[Show, Correlate]),
    (&["strict"], &[Stats], &[Show]),
    (&["no-warnings"], &[Stats], &[]),
    // The others have separate outputs.
    (&["output"], &[], &[Errors, Explain, Show, Report, Board]),
    (&["by"], &[Stats], &[Probe, Errors, Explain, Show, Report, Correlate]),
    (&["columns"], &[], &[Compare, Errors, Show, Report, Board, Correlate]),
    (&["details"], &[], &[Compare, Agree, Errors, Explain, Show, Report, Board, Correlate]),
    (&["digits"], &[Stats], &[Show, Report, Board, Correlate]),
];

/// The options of `score` that have no effect on tables of counts.
pub const OF_DOCUMENTS: &[&str] =
    &["format", "key-format", "response-format", "include", "min-aligned", "ne-labels"];

/// Returns whether a task honours an option of `score`.
pub fn honours(task: TaskKind, option: &str) -> bool {
    let row = HONOURED.iter().find(|row| row.0.contains(&option));
    let (with, without) = row.map_or((&[][..], &[][..]), |row| (row.1, row.2));
    with.contains(&task)
        || !without.contains(&task) && (TaskKind::SCORING.contains(&task) || Settings::is_of_reading(option))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row for an option that no longer exists would have no effect.
    #[test]
    fn rows_name_options_of_score() {
        let mut command = crate::command();
        command.build();
        let score = command.get_subcommands().find(|one| one.get_name() == "score").expect("a subcommand");
        let known: Vec<&str> = score.get_arguments().filter_map(|argument| argument.get_long()).collect();
        let named = HONOURED.iter().flat_map(|row| row.0).chain(OF_DOCUMENTS);
        let unknown: Vec<&&str> = named.filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?} are not among {known:?}");
    }
}
