//! Finds the elements of a marked text that enclose words but are not mentions: sentences, paragraphs, documents, and
//! marks that do not name an entity.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::scan::Parsed;
use crate::diagnostic::Code;

/// The attributes that name an entity, in order of precedence.
pub(super) const ENTITY: [&str; 6] = ["entity", "cluster", "chain", "coref", "set", "id"];

/// The elements that are mentions if their end tag, or the text after it, names the entity.
pub(super) const MENTIONS: [&str; 5] = ["m", "mention", "coref", "markable", "ment"];

/// Elements that structure a text, or enclose an answer.
#[rustfmt::skip]
const STRUCTURE: [&str; 46] = [
    "html", "body", "div", "section", "article", "blockquote", "pre", "code", "p", "br", "h", "ul", "ol", "li", "table", "tr", "td", "th",
    "xml", "root", "documents", "document", "doc", "chapter", "passage", "paragraph", "para", "sentence", "sent", "s", "line", "title",
    "utterance", "turn", "speaker", "think", "thinking", "reasoning", "analysis", "answer", "output", "response", "result", "input",
    "text", "annotation",
];

/// Elements that emphasize words and are unrelated to entities.
const EMPHASIS: [&str; 5] = ["b", "i", "u", "em", "strong"];

/// Returns whether elements with this name mark mentions of all kinds. If most mentions are in such elements, all
/// mentions should be.
fn is_plain(name: &str) -> bool {
    MENTIONS.contains(&name) || ENTITY.contains(&name) || ["e", "ent", "ref", "span"].contains(&name)
}

/// An element with both of its tags.
pub(super) struct Element {
    /// The name of the element, without the number if the name itself is an id.
    pub(super) name: String,
    /// The start of its start tag.
    pub(super) at: usize,
    /// The start of its words.
    pub(super) content: usize,
    /// The start of its end tag.
    pub(super) end: usize,
    /// The position of its mention among the marks, if it is a mention.
    pub(super) mark: Option<usize>,
}

/// The mentions, except mentions marked by elements that structure a text.
struct UnstructuredMentions<'e> {
    /// The starts of all mentions, in order; `of_name` has the starts for each name.
    starts: Vec<usize>,
    of_name: BTreeMap<&'e str, Vec<usize>>,
    /// Entry `n` covers the first `n` mentions: the last end among them with its name, and the last end of mentions
    /// with another name.
    ends: Vec<[(usize, &'e str); 2]>,
}

impl<'e> UnstructuredMentions<'e> {
    fn of(elements: &'e [Element]) -> UnstructuredMentions<'e> {
        let is_mention = |element: &&Element| element.mark.is_some() && !is_structure(&element.name);
        let mut marked: Vec<&Element> = elements.iter().filter(is_mention).collect();
        marked.sort_by_key(|element| element.at);
        let mut mentions =
            UnstructuredMentions { starts: Vec::new(), of_name: BTreeMap::new(), ends: vec![[(0, ""); 2]] };
        for element in marked {
            let name = element.name.as_str();
            mentions.starts.push(element.at);
            mentions.of_name.entry(name).or_default().push(element.at);
            let [mut first, mut second] = mentions.ends[mentions.ends.len() - 1];
            if name == first.1 {
                first.0 = first.0.max(element.end);
            } else if element.end > first.0 {
                (first, second) = ((element.end, name), first);
            } else if element.end > second.0 {
                second = (element.end, name);
            }
            mentions.ends.push([first, second]);
        }
        mentions
    }

    /// Returns the number of mentions with other names that start within an element.
    fn within(&self, element: &Element) -> usize {
        let count = |starts: &[usize]| {
            let before = |place: usize| starts.partition_point(|&start| start < place);
            before(element.end) - before(element.content)
        };
        count(&self.starts) - self.of_name.get(element.name.as_str()).map_or(0, |starts| count(starts))
    }

    /// Returns whether an element lies within a mention with another name.
    fn enclose(&self, element: &Element) -> bool {
        let before = self.starts.partition_point(|&start| start < element.at);
        let [first, second] = self.ends[before];
        let last = if first.1 == element.name { second } else { first };
        last.0 > element.end
    }
}

/// Returns whether elements with this name structure a text, unless they are marked as mentions.
fn is_structure(name: &str) -> bool {
    STRUCTURE.contains(&name)
}

/// Returns the name of elements that each enclose one word and together enclose nearly all words, if mentions
/// with other names exist too.
fn name_of_words<'e>(raw: &str, elements: &'e [Element], parsed: &Parsed) -> Option<&'e str> {
    let marked = || elements.iter().filter(|element| element.mark.is_some());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    marked().for_each(|element| *counts.entry(element.name.as_str()).or_default() += 1);
    // Words outnumber the mentions of any other kind.
    let (&name, &count) = counts.iter().max_by_key(|(_, count)| **count)?;
    if counts.len() < 2 || count < 3 {
        return None;
    }
    let tags = parsed.edits.iter().filter(|edit| edit.1.is_empty());
    let mut tags: Vec<Range<usize>> = tags.map(|edit| edit.0.clone()).collect();
    tags.sort_by_key(|tag| tag.start);
    // Returns the words between two places, without punctuation.
    let words = |from: usize, to: usize| {
        let first = tags.partition_point(|tag| tag.end <= from);
        let within = tags[first..].iter().take_while(|tag| tag.start < to);
        let (mut at, mut count) = (from, 0);
        let is_word = |word: &&str| word.contains(char::is_alphanumeric);
        for tag in within {
            count += raw[at..tag.start.max(at)].split_whitespace().filter(is_word).count();
            at = tag.end.max(at);
        }
        count + raw[at.min(to)..to].split_whitespace().filter(is_word).count()
    };
    let mut own: Vec<&Element> = marked().filter(|element| element.name == name).collect();
    own.sort_by_key(|element| element.at);
    // The lines with mentions.
    let (first, last) =
        (marked().map(|element| element.at).min()?, marked().map(|element| element.end).max()?);
    let start = raw[..first].rfind('\n').map_or(0, |end| end + 1);
    let end = raw[last..].find('\n').map_or(raw.len(), |length| last + length);
    let (mut at, mut outside) = (start, 0);
    for element in &own {
        if element.content < at || words(element.content, element.end) > 1 {
            return None;
        }
        outside += words(at, element.at);
        at = element.end;
    }
    outside += words(at, end);
    (outside * 10 <= count).then_some(name)
}

/// Returns whether a text starts with the tag of an element that structures it.
pub(super) fn is_begun(text: &str) -> bool {
    let name = text.strip_prefix('<').and_then(|tag| tag.split(|c: char| !c.is_alphabetic()).next());
    name.is_some_and(|name| is_structure(&name.to_lowercase()))
}

/// Reports elements that do not name an entity, and mentions that may be part of the text's structure. Returns the
/// positions of the mentions that certainly are part of it among the marks; the caller skips them. `kinds` are names of
/// mentions that are never structure.
pub(super) fn check(
    raw: &str,
    elements: &[Element],
    kinds: &BTreeSet<String>,
    parsed: &mut Parsed,
) -> BTreeSet<usize> {
    let mut skipped: BTreeSet<usize> = BTreeSet::new();
    if parsed.marks.is_empty() {
        return skipped;
    }
    let mentions = UnstructuredMentions::of(elements);
    let words = name_of_words(raw, elements, parsed);
    let names = || mentions.of_name.iter().filter(|(name, _)| Some(**name) != words);
    let most = names().map(|(_, starts)| starts.len()).max().unwrap_or(0);
    let all: usize = names().map(|(_, starts)| starts.len()).sum();
    // The name of most mentions, if it does not denote a kind of entity.
    let plain =
        names().find(|(name, starts)| starts.len() * 2 > all && is_plain(name)).map(|(name, _)| *name);
    let reported: BTreeSet<usize> = parsed.findings.iter().map(|finding| finding.0).collect();
    let findings = &mut parsed.findings;
    let mut report = |element: &Element, what: &str| {
        let message = format!("`{}` {what}", &raw[element.at..element.content]);
        findings.push((element.at, Code::BadTag, message));
    };
    for ((are_mentions, name), group) in by_name(elements) {
        if !are_mentions {
            let is_structure = !kinds.contains(name) && is_around_mentions(raw, name, &group, &mentions);
            for element in group.into_iter().filter(|_| !is_structure) {
                let words = raw[element.content..element.end].trim();
                if !words.is_empty() && !reported.contains(&element.at) {
                    report(element, "names no entity; it was skipped");
                }
            }
            continue;
        }
        let marks = || group.iter().filter_map(|element| Some((*element, element.mark?)));
        let ids: BTreeSet<&str> = marks().map(|(_, mark)| parsed.marks[mark].entity.as_str()).collect();
        let is_inside = group.iter().any(|element| mentions.enclose(element));
        let around = |count: usize| group.iter().filter(|element| mentions.within(element) >= count).count();
        let is_certain = is_structure(name) && !is_inside && around(1) > 0;
        let is_doubtful = match is_structure(name) {
            true => most > 0 && ids.len() == group.len(),
            false => group.len() < most && !is_inside && around(2) * 2 > group.len(),
        };
        let is_word = words == Some(name);
        let other = plain.filter(|plain| *plain != name);
        for (element, mark) in marks().filter(|_| is_word || is_certain || is_doubtful || other.is_some()) {
            let id = &parsed.marks[mark].entity;
            if is_word {
                report(element, &format!("is around each word, and was not read as a mention of `{id}`"));
                skipped.insert(mark);
            } else if is_certain {
                report(element, &format!("is a part of the text's structure, not a mention of `{id}`"));
                skipped.insert(mark);
            } else if is_doubtful {
                report(
                    element,
                    &format!("was read as a mention of `{id}`, but may be a part of the text's structure"),
                );
            } else if let Some(other) = other {
                report(
                    element,
                    &format!(
                        "was read as a mention of `{id}`, but the elements of most mentions are called `{other}`"
                    ),
                );
            }
        }
    }
    parsed.complete -= skipped.len();
    let mut place = 0;
    parsed.marks.retain(|_| {
        place += 1;
        !skipped.contains(&(place - 1))
    });
    skipped
}

/// Groups elements by whether they are mentions, and by name.
fn by_name(elements: &[Element]) -> BTreeMap<(bool, &str), Vec<&Element>> {
    let mut groups: BTreeMap<(bool, &str), Vec<&Element>> = BTreeMap::new();
    for element in elements {
        groups.entry((element.mark.is_some(), element.name.as_str())).or_default().push(element);
    }
    groups
}

/// Returns whether elements without entities are known as structure or emphasis, or surround mentions in whole lines.
fn is_around_mentions(
    raw: &str,
    name: &str,
    group: &[&Element],
    mentions: &UnstructuredMentions<'_>,
) -> bool {
    let is_around = || {
        let count: usize = group.iter().map(|element| mentions.within(element)).sum();
        count > 1 && group.iter().all(|element| is_of_whole_lines(raw, element))
    };
    is_structure(name) || EMPHASIS.contains(&name) || is_around()
}

/// Returns whether an element spans whole lines.
fn is_of_whole_lines(raw: &str, element: &Element) -> bool {
    let before = raw[..element.at].rsplit('\n').next().unwrap_or_default();
    let after = raw[element.end..].split('\n').next().unwrap_or_default();
    before.trim().is_empty() && after.trim_end().ends_with('>') && !after[1..].contains('<')
}
