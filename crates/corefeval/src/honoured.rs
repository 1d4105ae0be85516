//! The subcommands that honour the options of `corefeval score`.

use corefeval_core::settings::Settings;

/// The subcommands that score, other than `score`.
const OTHERS: &[&str] =
    &["compare", "agree", "cone", "probe", "errors", "explain", "show", "report", "board", "correlate"];

/// Options of `score`, the subcommands that only read and honour them, and the subcommands that score and do not; `counts`
/// means tables of counts. Otherwise all subcommands that score honour an option, and all that read a setting for reading.
#[rustfmt::skip]
const HONOURED: &[(&[&str], &[&str], &[&str])] = &[
    (&["pair", "pair-files", "ceaf-bound"], &[], OTHERS),
    (&["overlap"], &["compare"], OTHERS),
    (&["format"], &["validate", "stats"], &["counts"]),
    (&["key-format"], &["validate"], &["counts"]),
    (&["response-format"], &["validate"], &["agree", "counts"]),
    (&["include"], &["validate", "stats", "convert"], &["counts"]),
    (&["allow-empty"], &["validate", "stats", "convert"], &[]),
    (&["profile", "color", "quiet", "verbose", "threads", "max-memory"], &["validate", "stats"], &[]),
    (&["check-tokens", "match", "singletons"], &["validate"], &[]),
    (&["key-span-end", "response-span-end"], &[], &["agree", "stats", "convert"]),
    (&["span-end-of"], &[], &["convert"]),
    (&["pair-documents", "align", "notation", "extra-zeros"], &[], &["stats"]),
    (&["min-aligned"], &[], &["stats", "counts"]),
    (&["ne-labels"], &[], &["counts"]),
    (&["metrics"], &["validate"], &["show", "correlate"]),
    (&["strict"], &["stats"], &["show"]),
    (&["no-warnings"], &["stats"], &[]),
    // The others have an output of their own.
    (&["output"], &[], &["errors", "explain", "show", "report", "board"]),
    (&["by"], &["stats"], &["probe", "errors", "explain", "show", "report", "correlate"]),
    (&["columns"], &[], &["compare", "errors", "show", "report", "board", "correlate"]),
    (&["details"], &[], &["compare", "agree", "errors", "explain", "show", "report", "board", "correlate"]),
    (&["digits"], &["stats"], &["show", "report", "board", "correlate"]),
];

/// Returns whether a subcommand, or `counts`, honours an option of `score`.
pub fn honours(subcommand: &str, option: &str) -> bool {
    let row = HONOURED.iter().find(|row| row.0.contains(&option));
    let (with, without) = row.map_or((&[][..], &[][..]), |row| (row.1, row.2));
    let by_default = || match subcommand {
        "validate" | "stats" | "convert" => Settings::is_of_reading(option),
        _ => true,
    };
    with.contains(&subcommand) || !without.contains(&subcommand) && by_default()
}

/// The options of `score` that have no effect on tables of counts.
pub fn of_documents() -> Vec<&'static str> {
    let all = HONOURED.iter().flat_map(|row| row.0);
    all.copied().filter(|option| !honours("counts", option)).collect()
}
