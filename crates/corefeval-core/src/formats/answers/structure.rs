//! Elements of a marked text that are not mentions, although they enclose words: sentences, paragraphs, documents, and
//! marks that name no entity.

use std::collections::{BTreeMap, BTreeSet};

use super::scan::Parsed;
use crate::diagnostic::Code;

/// Elements that structure a text, or enclose an answer.
#[rustfmt::skip]
const STRUCTURE: [&str; 46] = [
    "html", "body", "div", "section", "article", "blockquote", "pre", "code", "p", "br", "h", "ul", "ol", "li", "table", "tr", "td", "th",
    "xml", "root", "documents", "document", "doc", "chapter", "passage", "paragraph", "para", "sentence", "sent", "s", "line", "title",
    "utterance", "turn", "speaker", "think", "thinking", "reasoning", "analysis", "answer", "output", "response", "result", "input",
    "text", "annotation",
];

/// Elements that emphasize words, which says nothing of entities.
const EMPHASIS: [&str; 5] = ["b", "i", "u", "em", "strong"];

/// An element with both of its tags.
pub(super) struct Element {
    /// Its name, without the number of one that is an id itself.
    pub(super) name: String,
    /// The start of its first tag.
    pub(super) at: usize,
    /// The start of its words.
    pub(super) content: usize,
    /// The start of its last tag.
    pub(super) end: usize,
    /// Its mention, by its place among the marks.
    pub(super) mark: Option<usize>,
}

/// The mentions that are marked by elements of names that do not structure a text.
struct Mentions<'e> {
    /// Their starts, in order: all of them, and those of each name.
    starts: Vec<usize>,
    of_name: BTreeMap<&'e str, Vec<usize>>,
    /// For each of them, the last end of it and those before it, and the last one of mentions with another name.
    ends: Vec<[(usize, &'e str); 2]>,
}

impl<'e> Mentions<'e> {
    fn of(elements: &'e [Element]) -> Mentions<'e> {
        let is_mention = |element: &&Element| element.mark.is_some() && !is_structure(&element.name);
        let mut marked: Vec<&Element> = elements.iter().filter(is_mention).collect();
        marked.sort_by_key(|element| element.at);
        let mut mentions =
            Mentions { starts: Vec::new(), of_name: BTreeMap::new(), ends: vec![[(0, ""); 2]] };
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

    /// The number of mentions of other names that start within an element.
    fn within(&self, element: &Element) -> usize {
        let count = |starts: &[usize]| {
            let before = |place: usize| starts.partition_point(|&start| start < place);
            before(element.end) - before(element.content)
        };
        count(&self.starts) - self.of_name.get(element.name.as_str()).map_or(0, |starts| count(starts))
    }

    /// Returns whether an element lies within a mention of another name.
    fn enclose(&self, element: &Element) -> bool {
        let before = self.starts.partition_point(|&start| start < element.at);
        let [first, second] = self.ends[before];
        let last = if first.1 == element.name { second } else { first };
        last.0 > element.end
    }
}

/// Returns whether elements of a name structure a text, unless they are marked as mentions.
fn is_structure(name: &str) -> bool {
    STRUCTURE.contains(&name)
}

/// Returns whether a text begins with the tag of an element that structures it.
pub(super) fn is_begun(text: &str) -> bool {
    let name = text.strip_prefix('<').and_then(|tag| tag.split(|c: char| !c.is_alphabetic()).next());
    name.is_some_and(|name| is_structure(&name.to_lowercase()))
}

/// Reports elements that name no entity, and mentions that may be a part of the text's structure, which are skipped if
/// it is certain: returns their places among the marks. `kinds` are names of mentions, which are never structure.
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
    let mentions = Mentions::of(elements);
    let mut groups: BTreeMap<(bool, &str), Vec<&Element>> = BTreeMap::new();
    for element in elements {
        groups.entry((element.mark.is_some(), element.name.as_str())).or_default().push(element);
    }
    let most = mentions.of_name.values().map(Vec::len).max().unwrap_or(0);
    let reported: BTreeSet<usize> = parsed.findings.iter().map(|finding| finding.0).collect();
    let findings = &mut parsed.findings;
    let mut report = |element: &Element, what: &str| {
        let message = format!("`{}` {what}", &raw[element.at..element.content]);
        findings.push((element.at, Code::BadTag, message));
    };
    for ((are_mentions, name), group) in groups {
        if !are_mentions {
            let is_around = || {
                let count: usize = group.iter().map(|element| mentions.within(element)).sum();
                count > 1 && group.iter().all(|element| is_of_whole_lines(raw, element))
            };
            let is_known = is_structure(name) || EMPHASIS.contains(&name);
            if !kinds.contains(name) && (is_known || is_around()) {
                continue;
            }
            for element in group {
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
        for (element, mark) in marks().filter(|_| is_certain || is_doubtful) {
            let id = &parsed.marks[mark].entity;
            if is_certain {
                report(element, &format!("is a part of the text's structure, not a mention of `{id}`"));
                skipped.insert(mark);
            } else {
                report(
                    element,
                    &format!("was read as a mention of `{id}`, but may be a part of the text's structure"),
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

/// Returns whether an element starts at the start of a line and ends at the end of one.
fn is_of_whole_lines(raw: &str, element: &Element) -> bool {
    let before = raw[..element.at].rsplit('\n').next().unwrap_or_default();
    let after = raw[element.end..].split('\n').next().unwrap_or_default();
    before.trim().is_empty() && after.trim_end().ends_with('>') && !after[1..].contains('<')
}
