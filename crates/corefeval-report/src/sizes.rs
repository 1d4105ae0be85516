//! The line of counts below tables: documents, words, mentions, entities and singletons of each side.

use corefeval_core::results::{SideSize, SystemReport};

/// The largest number of systems with a line of counts each.
const SYSTEMS: usize = 12;

/// The counts of systems: one line for a single system, otherwise one for each key and each system. With one key and many
/// systems, only the key has a line.
pub fn lines(systems: &[SystemReport]) -> Vec<String> {
    let one_key = systems.windows(2).all(|two| two[0].key == two[1].key);
    let rows: Vec<(&str, &[SideSize; 2])> =
        systems.iter().map(|system| (system.name.as_str(), &system.sizes)).collect();
    lines_of(&rows, one_key)
}

/// Like [`lines`], for systems by their names; `one_key` if they have the same key.
pub(crate) fn lines_of(systems: &[(&str, &[SideSize; 2])], one_key: bool) -> Vec<String> {
    if let [(_, sizes)] = systems {
        return vec![line(sizes)];
    }
    let mut lines = Vec::new();
    if one_key {
        lines.extend(systems.first().map(|(_, sizes)| format!("key: {}", side(&sizes[0], None))));
    }
    for (name, sizes) in systems.iter().filter(|_| !one_key || systems.len() <= SYSTEMS) {
        lines.push(match one_key {
            // The line of the key starts like this.
            true if *name == "key" => format!("response key: {}", below_key(sizes)),
            true => format!("{name}: {}", below_key(sizes)),
            false => format!("{name}: {}", line(sizes)),
        });
    }
    lines
}

/// The counts of a response whose key has a separate line: the words only if they differ, and the mentions without a
/// correct link.
fn below_key([key, response]: &[SideSize; 2]) -> String {
    let words = response.words.filter(|_| response.words != key.words);
    let text = side(&SideSize { words, ..*response }, Some(key.documents));
    format!("{text}, {} matched without a correct link", grouped(response.unlinked))
}

/// The counts of one response under several settings, by their names: one line if they are the same.
pub(crate) fn lines_of_settings(settings: &[(&str, &[SideSize; 2])]) -> Vec<String> {
    match settings {
        [(_, first), others @ ..] if others.iter().all(|(_, sizes)| sizes == first) => vec![line(first)],
        _ => lines_of(settings, false),
    }
}

/// Key and response in one line; documents and words once if both sides have the same.
pub(crate) fn line([key, response]: &[SideSize; 2]) -> String {
    let same = (key.documents, key.words) == (response.documents, response.words);
    if !same {
        return format!("key: {}; response: {}", side(key, None), side(response, Some(key.documents)));
    }
    let annotation = |size: &SideSize| annotation(size).join(", ");
    let texts = texts(key, None).join(", ");
    format!("{texts}; key: {}; response: {}", annotation(key), annotation(response))
}

/// Returns the counts of one side; `of` is the total number of documents.
pub(crate) fn side(size: &SideSize, of: Option<u64>) -> String {
    [texts(size, of), annotation(size)].concat().join(", ")
}

fn texts(size: &SideSize, of: Option<u64>) -> Vec<String> {
    let documents = match of.filter(|&all| all != size.documents) {
        Some(all) => format!("{} of {}", grouped(size.documents), counted(all, "document", "documents")),
        None => counted(size.documents, "document", "documents"),
    };
    std::iter::once(documents).chain(size.words.map(|words| counted(words, "word", "words"))).collect()
}

fn annotation(size: &SideSize) -> Vec<String> {
    vec![
        counted(size.mentions, "mention", "mentions"),
        counted(size.entities, "entity", "entities"),
        counted(size.singletons, "singleton", "singletons"),
    ]
}

pub(crate) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

/// A number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_named_once() {
        let key = SideSize {
            documents: 1,
            words: Some(12_345),
            mentions: 1_000,
            entities: 1,
            singletons: 0,
            unlinked: 0,
        };
        let response = SideSize { mentions: 1, singletons: 1, ..key };
        assert_eq!(
            line(&[key, response]),
            "1 document, 12,345 words; key: 1,000 mentions, 1 entity, 0 singletons; response: 1 mention, 1 entity, 1 singleton"
        );
        let key = SideSize { documents: 101, words: None, ..key };
        let response = SideSize { documents: 100, words: None, ..response };
        assert_eq!(
            line(&[key, response]),
            "key: 101 documents, 1,000 mentions, 1 entity, 0 singletons; \
             response: 100 of 101 documents, 1 mention, 1 entity, 1 singleton"
        );
    }

    #[test]
    fn digits_are_in_groups_of_three() {
        let shown = [0, 999, 1_000, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }
}
