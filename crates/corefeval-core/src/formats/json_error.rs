//! Rewords JSON errors for users.

use std::borrow::Cow;

use super::answers::names_fields_of_others;
use super::{ReadOptions, name_of_format_option};
use crate::wording::{Text, option_value, text};

/// The parser's wording of syntax errors, and ours.
const SYNTAX: [(&str, &str); 7] = [
    ("EOF while parsing a list", "it ends within a list"),
    ("EOF while parsing an object", "it ends within an object"),
    ("EOF while parsing a string", "it ends within a string"),
    ("EOF while parsing a value", "it ends before a value"),
    ("key must be a string", "a name is not in double quotes"),
    ("trailing characters", "something follows the value"),
    ("expected value", "a value is missing here"),
];

/// Describes the problem with a piece of JSON: what was expected and what was found. Leaves out the place, because the
/// parser counts it from the start of the piece.
pub(super) fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    if !error.is_data() {
        let known = SYNTAX.iter().find(|(theirs, _)| *theirs == text);
        return format!("this is not JSON: {}", known.map_or(text, |(_, ours)| ours));
    }
    let found = ["invalid type: ", "invalid value: ", "invalid "]
        .iter()
        .find_map(|kind| text.strip_prefix(kind)?.rsplit_once(", expected "));
    match found {
        Some((found, expected)) => {
            format!("expected {}, found {}", expected_in_words(expected), found_in_words(found))
        }
        None => text.to_owned(),
    }
}

/// Returns the hint for broken JSON, which may be the answer of a language model.
pub(super) fn hint(json: &str, options: &ReadOptions) -> Text {
    const CORRECT: &str = "correct the JSON here";
    if !options.accept_answers || names_fields_of_others(json) || json.contains("\"doc_key\"") {
        return CORRECT.into();
    }
    text!(
        "{}; if it is the answer of a language model, name it with {}",
        CORRECT,
        option_value(name_of_format_option(options.side), "json-answer")
    )
}

/// Returns where truncated JSON ends.
pub(super) fn ending(error: &serde_json::Error) -> Option<&'static str> {
    let text = error.to_string();
    let known = SYNTAX.iter().find(|(theirs, _)| text.starts_with(theirs));
    known.filter(|_| error.is_eof()).map(|(_, ours)| *ours)
}

fn expected_in_words(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    }
}

fn found_in_words(found: &str) -> Cow<'static, str> {
    let value = |kind: &str| found.strip_prefix(kind).map(|value| value.trim_matches('`'));
    match found {
        "map" => "an object".into(),
        "sequence" => "a list".into(),
        "null" | "unit value" => "null".into(),
        _ => match (value("string "), value("integer ").or(value("floating point ")), value("length ")) {
            (Some(text), ..) => format!("the string {}", shortened(text)).into(),
            (_, Some(number), _) => format!("the number {number}").into(),
            (.., Some(length)) => format!("a list of length {length}").into(),
            _ => value("boolean ").unwrap_or(found).to_owned().into(),
        },
    }
}

/// Quotes a text, shortened to its start if it is long.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}…\"", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn found_and_expected_values_are_described_plainly() {
        let reworded = |json: &str| message(&serde_json::from_str::<Vec<[u32; 2]>>(json).unwrap_err());
        assert_eq!(reworded("{}"), "expected a list, found an object");
        assert_eq!(
            reworded("[\"a, expected b\"]"),
            "expected an array of length 2, found the string \"a, expected b\""
        );
        assert_eq!(reworded("[[1]]"), "expected an array of length 2, found a list of length 1");
        assert_eq!(reworded("[[1, 2.5]]"), "expected u32, found the number 2.5");
        assert_eq!(reworded("[[true, 2]]"), "expected u32, found true");
        assert_eq!(reworded("[null]"), "expected an array of length 2, found null");
        assert_eq!(reworded("[[1, 2]"), "this is not JSON: it ends within a list");
        let long = reworded(&format!("[\"{}\"]", "x".repeat(1_000)));
        assert!(long.ends_with("x…\"") && long.len() < 120, "{long}");
    }
}
