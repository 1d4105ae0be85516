//! Finds the heads of mentions: from the bracketed parse by Collins' rules, otherwise as annotated, otherwise the last
//! word.
//!
//! The rules are those of the analyser of Kummerfeld and Klein (2013). A mention that is a constituent has the head of
//! that constituent, or of the lowest one if several have the same words. Any other mention is headed by its last word.
//! Only the words of a mention are parsed; brackets outside them have no effect.

use std::cell::OnceCell;

use crate::model::{LayerLookup, LayersOfWord, Words};

/// The direction in which the children of a phrase are searched.
#[derive(Clone, Copy)]
enum From {
    Left,
    Right,
}

/// One row of the table of head rules: a label, the direction, and the labels to look for, in order.
type Rule = (&'static str, From, &'static [&'static str]);

/// Collins' rules for all phrases except noun phrases, as Kummerfeld and Klein use them.
const RULES: &[Rule] = &[
    ("ADJP", From::Right, ADJP),
    ("ADVP", From::Left, ADVP),
    ("CONJP", From::Left, &["CC", "RB", "IN"]),
    ("FRAG", From::Left, &[]),
    ("INTJ", From::Right, &[]),
    ("LST", From::Left, &["LS", ":"]),
    ("META", From::Right, &[]),
    ("NAC", From::Right, NAC),
    ("NX", From::Right, NAC),
    ("PP", From::Left, &["IN", "TO", "VBG", "VBN", "RP", "FW"]),
    ("PRN", From::Right, &[]),
    ("PRT", From::Left, &["RP"]),
    ("QP", From::Right, &["$", "IN", "NNS", "NN", "JJ", "RB", "DT", "CD", "NCD", "QP", "JJR", "JJS"]),
    ("RRC", From::Left, &["VP", "NP", "ADVP", "ADJP", "PP"]),
    ("S", From::Right, &["TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP"]),
    ("SBAR", From::Right, SBAR),
    ("SBARQ", From::Right, &["SQ", "S", "SINV", "SBARQ", "FRAG"]),
    ("SINV", From::Right, &["VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP"]),
    ("SQ", From::Right, &["VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ"]),
    ("UCP", From::Left, &[]),
    ("VP", From::Right, VP),
    ("WHADJP", From::Right, &["CC", "WRB", "JJ", "ADJP"]),
    ("WHADVP", From::Left, &["CC", "WRB"]),
    ("WHNP", From::Right, &["WDT", "WP", "WP$", "WHADJP", "WHPP", "WHNP"]),
    ("WHPP", From::Left, &["IN", "TO", "FW"]),
    ("X", From::Right, NAC),
];

const ADJP: &[&str] = &[
    "NNS", "QP", "NN", "$", "ADVP", "JJ", "VBN", "VBG", "ADJP", "JJR", "NP", "JJS", "DT", "FW", "RBR", "RBS",
    "SBAR", "RB",
];
const ADVP: &[&str] = &["RB", "RBR", "RBS", "FW", "ADVP", "TO", "CD", "JJR", "JJ", "IN", "NP", "JJS", "NN"];
const NAC: &[&str] = &[
    "NN", "NNS", "NNP", "NNPS", "NP", "NAC", "EX", "$", "CD", "QP", "PRP", "VBG", "JJ", "JJS", "JJR", "ADJP",
    "FW",
];
const SBAR: &[&str] = &["WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "S", "SQ", "SINV", "SBAR", "FRAG"];
const VP: &[&str] = &["TO", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "VP", "ADJP", "NN", "NNS", "NP"];

/// A child of a phrase that is being read: a word, or a phrase with a known head.
#[derive(Clone)]
struct Child<'l> {
    /// The label of a phrase; `None` for a word.
    label: Option<&'l [u8]>,
    /// The head word.
    head: u32,
    /// The tag of the head word, which few rules look at.
    tag: OnceCell<&'l [u8]>,
}

impl<'l> Child<'l> {
    fn word(word: u32) -> Child<'l> {
        Child { label: None, head: word, tag: OnceCell::new() }
    }

    fn tag(&self, layers: &LayerLookup<'l>) -> &'l [u8] {
        self.tag.get_or_init(|| layers.word(self.head).bytes(|layers| &layers.part_of_speech))
    }

    /// Returns whether its label or the tag of its head is `item`.
    fn is(&self, item: &str, layers: &LayerLookup<'l>) -> bool {
        self.fits(|name| name == item.as_bytes(), layers)
    }

    /// Returns whether its label or the tag of its head fits.
    #[inline(always)]
    fn fits(&self, fits: impl Fn(&[u8]) -> bool, layers: &LayerLookup<'l>) -> bool {
        self.label.is_some_and(&fits) || fits(self.tag(layers))
    }
}

/// Returns the child that heads a phrase. A phrase has at least one child.
fn head_child<'l>(label: &[u8], children: &[Child<'l>], layers: &LayerLookup<'l>) -> usize {
    let last = children.len() - 1;
    if matches!(label, b"NP" | b"NML") {
        if children[last].tag(layers) == b"POS" {
            return last;
        }
        let nouns = |name: &[u8]| matches!(name, b"NN" | b"NNP" | b"NNPS" | b"NNS" | b"NX" | b"POS" | b"JJR");
        let phrases = |name: &[u8]| matches!(name, b"NP" | b"NML");
        let others: [fn(&[u8]) -> bool; 3] = [
            |name| matches!(name, b"$" | b"ADJP" | b"PRN"),
            |name| name == b"CD",
            |name| matches!(name, b"JJ" | b"JJS" | b"RB" | b"QP"),
        ];
        return children
            .iter()
            .rposition(|child| child.fits(nouns, layers))
            .or_else(|| children.iter().position(|child| child.fits(phrases, layers)))
            .or_else(|| {
                others.iter().find_map(|items| children.iter().rposition(|child| child.fits(items, layers)))
            })
            .unwrap_or(last);
    }
    let Some((_, from, items)) = RULES.iter().find(|rule| rule.0.as_bytes() == label) else { return last };
    let mut found = items.iter().filter_map(|item| match from {
        From::Left => children.iter().position(|child| child.is(item, layers)),
        From::Right => children.iter().rposition(|child| child.is(item, layers)),
    });
    found.next().unwrap_or(match from {
        From::Left => 0,
        From::Right => last,
    })
}

/// A constituent of a sentence with its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Constituent {
    start: u32,
    end: u32,
    head: u32,
}

/// The trees of a document, parsed on demand.
pub(super) struct Trees<'d> {
    words: &'d Words,
    /// A bit for each place between words, including the end of the text: whether a sentence ends there.
    ends: Vec<u64>,
    /// For the sentence of a long mention, the constituents in the order in which brackets close: by last word, inner
    /// ones first. The sentence is parsed once for all its long mentions.
    sentence: Option<(u32, Vec<Constituent>)>,
    open: Vec<(&'d [u8], u32, usize)>,
    children: Vec<Child<'d>>,
}

/// The largest number of words for which a mention is parsed without its sentence.
const SHORT: u32 = 64;

impl<'d> Trees<'d> {
    /// Creates the trees of a document; returns `None` if it has no parse.
    pub(super) fn new(words: &'d Words, layers: &LayerLookup<'d>) -> Option<Trees<'d>> {
        layers.any(|layers| &layers.parse, |bit| bit.contains(&b'(')).then(|| {
            let mut ends = vec![0; words.count() as usize / 64 + 1];
            let places = words.sentences().iter().copied().chain([words.count()]);
            places.for_each(|place| ends[place as usize / 64] |= 1 << (place % 64));
            Trees { words, ends, sentence: None, open: Vec::new(), children: Vec::new() }
        })
    }

    /// Returns the head of the lowest constituent of just the words `start..end`. `last` is the annotation of the last
    /// word, if it was looked up before.
    pub(super) fn head(
        &mut self,
        layers: &LayerLookup<'d>,
        start: u32,
        end: u32,
        last: Option<LayersOfWord<'d>>,
    ) -> Option<u32> {
        // A constituent of exactly these words opens at the first, and closes at the last or with the sentence. Most
        // mentions that are not constituents are recognised by their last word.
        let has = |word: LayersOfWord<'d>, bracket: u8| word.bytes(|layers| &layers.parse).contains(&bracket);
        let closes = has(last.unwrap_or_else(|| layers.word(end - 1)), b')');
        let ends_sentence = self.ends[end as usize / 64] >> (end % 64) & 1 == 1;
        if !(closes || ends_sentence) || !has(layers.word(start), b'(') {
            return None;
        }
        let starts = self.words.sentences();
        let sentence = self.words.sentence_of(start);
        let sentence_start = starts.get(sentence as usize).copied().unwrap_or(0);
        let sentence_end = starts.get(sentence as usize + 1).copied().unwrap_or(self.words.count());
        if end > sentence_end {
            return None;
        }
        if end - start <= SHORT {
            return self.parse(layers, start, end, end == sentence_end, |constituent| {
                (constituent.start == start && constituent.end == end).then_some(constituent.head)
            });
        }
        if self.sentence.as_ref().is_none_or(|(known, _)| *known != sentence) {
            let mut constituents = Vec::new();
            self.parse(layers, sentence_start, sentence_end, true, |constituent| {
                constituents.push(constituent);
                None::<()>
            });
            self.sentence = Some((sentence, constituents));
        }
        let (_, constituents) = self.sentence.as_ref()?;
        let first = constituents.partition_point(|constituent| constituent.end < end);
        let closing = constituents[first..].iter().take_while(|constituent| constituent.end == end);
        closing.into_iter().find(|constituent| constituent.start == start).map(|found| found.head)
    }

    /// Reads the brackets of the words `start..end` and hands each constituent that closes to `found`, until it returns
    /// something. Brackets that close nothing, or something opened before `start`, are ignored; open ones are closed at
    /// the end if a sentence ends there.
    fn parse<T>(
        &mut self,
        layers: &LayerLookup<'d>,
        start: u32,
        end: u32,
        ends_sentence: bool,
        mut found: impl FnMut(Constituent) -> Option<T>,
    ) -> Option<T> {
        let (open, children) = (&mut self.open, &mut self.children);
        open.clear();
        children.clear();
        let mut close =
            |(label, first, from): (&'d [u8], u32, usize), end: u32, children: &mut Vec<Child<'d>>| {
                if from == children.len() {
                    return None;
                }
                let child = children.swap_remove(from + head_child(label, &children[from..], layers));
                let head = child.head;
                children.truncate(from);
                children.push(Child { label: Some(label), ..child });
                found(Constituent { start: first, end, head })
            };
        for word in start..end {
            let bit = layers.word(word).bytes(|layers| &layers.parse);
            if bit == b"*" {
                children.push(Child::word(word));
                continue;
            }
            let (mut at, mut added) = (0, false);
            while let Some(&byte) = bit.get(at) {
                at += 1;
                match byte {
                    b'(' => {
                        let ends = |byte: &u8| matches!(byte, b'(' | b')' | b'*' | b' ');
                        let rest = &bit[at..];
                        let end = at + rest.iter().position(ends).unwrap_or(rest.len());
                        open.push((plain_bytes(&bit[at..end]), word, children.len()));
                        at = end;
                    }
                    b')' => {
                        // The word comes first unless the bit places it.
                        if !added && !bit.contains(&b'*') {
                            children.push(Child::word(word));
                            added = true;
                        }
                        if let Some(phrase) = open.pop()
                            && let Some(found) = close(phrase, word + 1, children)
                        {
                            return Some(found);
                        }
                    }
                    b'*' if !added => {
                        children.push(Child::word(word));
                        added = true;
                    }
                    _ => {}
                }
            }
            if !added {
                children.push(Child::word(word));
            }
        }
        while let Some(phrase) = open.pop().filter(|_| ends_sentence) {
            if let Some(found) = close(phrase, end, children) {
                return Some(found);
            }
        }
        None
    }
}

/// Strips the function from a label: `NP-SBJ` becomes `NP`, `-NONE-` stays.
pub(super) fn plain(label: &str) -> &str {
    &label[..plain_bytes(label.as_bytes()).len()]
}

/// Does the same as [`plain`] with the bytes of a label.
fn plain_bytes(label: &[u8]) -> &[u8] {
    match label.iter().position(|byte| matches!(byte, b'-' | b'=')) {
        Some(place) if place > 0 => &label[..place],
        _ => label,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};
    use crate::model::Document;

    /// Makes a document of one sentence from words, tags and bits of its parse.
    fn sentence(rows: &[[&str; 3]]) -> Document {
        let line = |(n, [word, tag, bit]): (usize, &[&str; 3])| {
            format!("d\t0\t{n}\t{word}\t{tag}\t{bit}\t-\t-\t-\t-\t*\t-\n")
        };
        let lines: String = rows.iter().enumerate().map(line).collect();
        let text = format!("#begin document (d); part 000\n{lines}\n#end document\n");
        let options = ReadOptions { keep_layers: true, ..ReadOptions::default() };
        let format = FormatSpec::named("conll").unwrap();
        format.read(text.as_bytes(), "test", options).unwrap().documents.remove(0)
    }

    fn head(rows: &[[&str; 3]], start: u32, end: u32) -> Option<u32> {
        let document = sentence(rows);
        let layers = document.words().layers().unwrap().lookup();
        Trees::new(document.words(), &layers).unwrap().head(&layers, start, end, None)
    }

    const FERRY: &[[&str; 3]] = &[
        ["the", "DT", "(TOP(S(NP(NP*"],
        ["old", "JJ", "*"],
        ["ferry", "NN", "*)"],
        ["of", "IN", "(PP*"],
        ["the", "DT", "(NP(NP*"],
        ["town", "NN", "*"],
        ["'s", "POS", "*)"],
        ["islands", "NNS", "*)))"],
        ["sailed", "VBD", "(VP*)"],
        [".", ".", "*))"],
    ];

    #[test]
    fn constituents_have_their_head() {
        assert_eq!(head(FERRY, 0, 3), Some(2));
        assert_eq!(head(FERRY, 0, 8), Some(2), "the first noun phrase of a modified one");
        assert_eq!(head(FERRY, 3, 8), Some(3), "a prepositional phrase: the preposition");
        assert_eq!(head(FERRY, 4, 7), Some(6), "a possessive: its ending");
        assert_eq!(head(FERRY, 4, 8), Some(7));
        assert_eq!(head(FERRY, 0, 10), Some(8), "the sentence: the head of its verb phrase");
        assert_eq!(head(FERRY, 0, 2), None, "no constituent");
    }

    #[test]
    fn a_coordination_is_headed_by_its_last_noun() {
        let rows = [["Ada", "NNP", "(TOP(NP(NP*)"], ["and", "CC", "*"], ["Bo", "NNP", "(NP*)))"]];
        assert_eq!(head(&rows, 0, 3), Some(2));
    }

    #[test]
    fn broken_brackets_do_no_harm() {
        let rows = [["so", "RB", ")(ADVP*))"], ["late", "RB", "(ADVP(ADVP*"]];
        assert_eq!(head(&rows, 0, 1), Some(0));
        assert_eq!(head(&rows, 1, 2), Some(1));
        assert!(RULES.is_sorted_by_key(|rule| rule.0));
    }

    #[test]
    fn a_mention_is_parsed_as_its_sentence_is() {
        let bits = ["*", "(NP*", "*)", "(NP*)", "(VP(NP*))", ")(ADVP*", "(S(NP*)", "*))", "(PP", ")", "-"];
        let tags = ["NN", "DT", "POS", "VBD", "IN"];
        let mut random = 7u64;
        let mut below = |count: usize| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as usize % count
        };
        for _ in 0..400 {
            let rows: Vec<[&str; 3]> =
                (0..1 + below(9)).map(|_| ["x", tags[below(tags.len())], bits[below(bits.len())]]).collect();
            let document = sentence(&rows);
            let layers = document.words().layers().unwrap().lookup();
            let Some(mut trees) = Trees::new(document.words(), &layers) else { continue };
            let count = rows.len() as u32;
            let mut all = Vec::new();
            trees.parse(&layers, 0, count, true, |constituent| {
                all.push(constituent);
                None::<()>
            });
            for start in 0..count {
                for end in start + 1..=count {
                    let whole = all.iter().find(|found| (found.start, found.end) == (start, end));
                    for last in [None, Some(layers.word(end - 1))] {
                        assert_eq!(
                            trees.head(&layers, start, end, last),
                            whole.map(|found| found.head),
                            "{start}..{end} of {rows:?}"
                        );
                    }
                }
            }
        }
    }
}
