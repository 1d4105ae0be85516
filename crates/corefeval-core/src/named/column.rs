//! Names in a column of labels: brackets as in CoNLL-2012, or BIO, IOB and IOBES tags as in CoNLL-2003.

use crate::diagnostic::{Code, Diagnostics, Position};
use crate::model::{Document, Layers, NameLabel, Span, TextColumn};

/// Returns whether any word has a label.
pub(super) fn has_labels(cells: &TextColumn) -> bool {
    cells.iter().any(|cell| !is_empty(cell))
}

fn is_empty(cell: &str) -> bool {
    matches!(cell, "" | "-" | "_" | "*" | "O")
}

/// Returns the names in the named-entity column, sentence by sentence. Names that do not close are omitted, with a
/// warning.
pub(super) fn names(document: &Document, layers: &Layers, diagnostics: &mut Diagnostics) -> Vec<NameLabel> {
    let words = document.words();
    let mut names = Vec::new();
    let ends = words.sentences().iter().skip(1).copied().chain([words.count()]);
    let starts = words.sentences().iter().copied().chain(words.sentences().is_empty().then_some(0));
    for (start, end) in starts.zip(ends) {
        let cells = (start..end).map(|word| layers.named_entity.get(word as usize).unwrap_or_default());
        let warn = |word: u32, what: &str, diagnostics: &mut Diagnostics| {
            let line = layers.line.get(word as usize).unwrap_or(0);
            let position = Position::new(document.source(), line, 1);
            diagnostics
                .add(Code::BrokenName, Some(position), Some(document.id().to_string()), || what.to_owned());
        };
        if cells.clone().any(|cell| cell.contains(['(', ')', '*'])) {
            let mut open: Vec<(u32, &str)> = Vec::new();
            for (word, cell) in (start..end).zip(cells) {
                let mut rest = cell;
                while let Some(character) = rest.chars().next() {
                    rest = &rest[character.len_utf8()..];
                    match character {
                        '(' => {
                            let length = rest.find(['(', ')', '*']).unwrap_or(rest.len());
                            open.push((word, &rest[..length]));
                            rest = &rest[length..];
                        }
                        ')' => match open.pop() {
                            Some((first, kind)) => names.extend(label(first, word + 1, kind)),
                            None => warn(word, "a name closes here but never opened", diagnostics),
                        },
                        _ => {}
                    }
                }
            }
            for (word, kind) in open {
                warn(
                    word,
                    &format!("the name `{kind}` opens here and does not close in its sentence"),
                    diagnostics,
                );
            }
        } else {
            names.extend(tagged(start, cells));
        }
    }
    names
}

fn label(start: u32, end: u32, kind: &str) -> Option<NameLabel> {
    Span::new(start, end).map(|span| NameLabel { span, kind: kind.into() })
}

/// Returns the names in the tags of a sentence. `B-PER` starts a name; `I-PER` continues a name of the same type or
/// starts one; `E-` and `S-` are read as `I-` and `B-`; a tag without a prefix is read as `I-`; any other tag is
/// outside names.
pub(super) fn tagged<'t>(first: u32, tags: impl Iterator<Item = &'t str>) -> Vec<NameLabel> {
    let mut names = Vec::new();
    let mut open: Option<(u32, &str)> = None;
    let mut next = first;
    for (word, tag) in (first..).zip(tags) {
        next = word + 1;
        let (prefix, kind) = match tag.split_once(['-', '_']) {
            _ if is_empty(tag) => ("O", ""),
            Some((prefix @ ("B" | "I" | "E" | "S" | "L" | "U" | "M"), kind)) => (prefix, kind),
            _ => ("I", tag),
        };
        let goes_on = matches!(prefix, "I" | "E" | "L" | "M") && open.is_some_and(|(_, other)| other == kind);
        if goes_on {
            continue;
        }
        names.extend(open.take().and_then(|(start, kind)| label(start, word, kind)));
        if prefix != "O" {
            open = Some((word, kind));
        }
    }
    names.extend(open.and_then(|(start, kind)| label(start, next, kind)));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_all_kinds_are_names() {
        let names = |tags: &str| -> Vec<(u32, u32, String)> {
            let names = tagged(0, tags.split(' '));
            names.iter().map(|n| (n.span.start(), n.span.end(), n.kind.to_string())).collect()
        };
        let name = |start, end, kind: &str| (start, end, kind.to_owned());
        assert_eq!(
            names("B-PER I-PER O B-LOC B-LOC"),
            [name(0, 2, "PER"), name(3, 4, "LOC"), name(4, 5, "LOC")]
        );
        assert_eq!(names("I-PER I-PER I-ORG"), [name(0, 2, "PER"), name(2, 3, "ORG")]);
        assert_eq!(names("B-PER E-PER S-LOC"), [name(0, 2, "PER"), name(2, 3, "LOC")]);
        assert_eq!(names("PER PER O"), [name(0, 2, "PER")]);
        assert!(names("O - _").is_empty());
    }
}
