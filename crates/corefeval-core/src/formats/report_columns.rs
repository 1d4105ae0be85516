//! The columns of corefeval's reports in CSV that have no column `signature`. Reports are written with these columns, and
//! a file with them is recognised as a report, which is not annotation.

/// The errors of responses.
pub const ERRORS: [&str; 25] = [
    "system", "document", "kind", "side", "entity", "mention", "start", "end", "sentence", "type", "count",
    "other", "other_side", "other_start", "other_end", "other_sentence", "other_type", "distance", "parts",
    "other_parts", "head", "other_head", "mention_document", "other_document", "made_by",
];

/// Documents with the mentions of key and responses.
pub const DOCUMENTS: [&str; 10] = [
    "document", "system", "first", "last", "words", "key_entity", "response_entity", "response_first",
    "response_last", "response_words",
];

/// The explanation of why scores differ.
pub const EXPLANATION: [&str; 9] =
    ["what", "from", "to", "rule", "metric", "recall", "precision", "f1", "f1_exact"];

/// The check of CONE without a key.
pub const CHECK: [&str; 8] = ["system", "metric", "scores", "recall", "precision", "f1", "low", "high"];

/// Correlations with CONE.
pub const CONE_CORRELATION: [&str; 15] = [
    "row", "metric", "with", "over", "system", "part", "points", "left_out", "r", "alpha", "beta", "x", "y",
    "r_low", "r_high",
];

/// The agreement of annotators.
pub const AGREEMENT: [&str; 9] =
    ["figure", "document", "key", "response", "value", "low", "high", "recall", "precision"];

/// Statistics of corpora.
pub const STATS: [&str; 5] = ["corpus", "group", "measure", "category", "value"];

/// Findings about files.
pub const VALIDATION: [&str; 10] =
    ["file", "line", "column", "severity", "code", "document", "message", "text", "remedy", "fixable"];

/// The results of papers, recomputed.
pub const REPRODUCTION: [&str; 8] =
    ["source", "place", "figure", "published", "computed", "difference", "verdict", "note"];

/// The results of papers, simulated.
pub const SIMULATION: [&str; 5] = ["table", "group", "row", "column", "value"];

/// A list of available names.
pub const LIST: [&str; 2] = ["name", "text"];

/// All of them.
const ALL: [&[&str]; 11] = [
    &ERRORS, &DOCUMENTS, &EXPLANATION, &CHECK, &CONE_CORRELATION, &AGREEMENT, &STATS, &VALIDATION,
    &REPRODUCTION, &SIMULATION, &LIST,
];

/// The number of columns that identify a report; reports of other versions may have different ones after these.
const SUFFICIENT: usize = 4;

/// Returns whether a line is the first of a report.
pub(crate) fn is_head(line: &[u8]) -> bool {
    let columns = || line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    let first: Vec<&[u8]> = columns().take(SUFFICIENT + 1).collect();
    let starts = |report: &&[&str]| {
        let needed = report.len().min(SUFFICIENT);
        let equal =
            first.iter().zip(*report).take(needed).filter(|(own, name)| **own == name.as_bytes()).count();
        equal == needed && (report.len() > SUFFICIENT || first.len() == report.len())
    };
    columns().skip(1).any(|column| column == b"signature") || ALL.iter().any(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_distinguished_from_tables_of_mentions() {
        for report in ALL {
            assert!(is_head(report.join(",").as_bytes()), "{report:?}");
        }
        for other in ["name,text,entity", "name", "document,mention,entity", "system,document,kind"] {
            assert!(!is_head(other.as_bytes()), "{other}");
        }
        assert!(is_head(b"system,document,kind,side") && is_head(b"system,metric,f1,signature"));
    }
}
