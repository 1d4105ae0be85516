//! Finds the heads of mentions: from the bracketed parse by Collins' rules, otherwise as annotated, otherwise the last
//! word.
//!
//! The rules are those of the analyser of Kummerfeld and Klein (2013). A mention that is a constituent has the head of
//! that constituent, or of the lowest one if several have the same words. Any other mention is headed by its last word.
//! Only the words of a mention are parsed; brackets outside them have no effect.

use std::ops::Range;

use crate::model::{LayerLookup, LayersOfWord, Words};
use crate::scratch::{Scratch, spare_lists};

/// The direction in which the children of a phrase are searched.
#[derive(Clone, Copy)]
enum From {
    Left,
    Right,
}

/// A head rule: the direction, and the labels to look for, in order.
type Rule = (From, &'static [&'static str]);

/// Returns Collins' rule for a phrase other than a noun phrase, as Kummerfeld and Klein use it.
fn rule(label: &[u8]) -> Option<Rule> {
    Some(match label {
        b"ADJP" => (From::Right, ADJP),
        b"ADVP" => (From::Left, ADVP),
        b"CONJP" => (From::Left, &["CC", "RB", "IN"]),
        b"FRAG" => (From::Left, &[]),
        b"INTJ" => (From::Right, &[]),
        b"LST" => (From::Left, &["LS", ":"]),
        b"META" => (From::Right, &[]),
        b"NAC" | b"NX" | b"X" => (From::Right, NAC),
        b"PP" => (From::Left, &["IN", "TO", "VBG", "VBN", "RP", "FW"]),
        b"PRN" => (From::Right, &[]),
        b"PRT" => (From::Left, &["RP"]),
        b"QP" => (From::Right, &["$", "IN", "NNS", "NN", "JJ", "RB", "DT", "CD", "NCD", "QP", "JJR", "JJS"]),
        b"RRC" => (From::Left, &["VP", "NP", "ADVP", "ADJP", "PP"]),
        b"S" => (From::Right, &["TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP"]),
        b"SBAR" => (From::Right, SBAR),
        b"SBARQ" => (From::Right, &["SQ", "S", "SINV", "SBARQ", "FRAG"]),
        b"SINV" => (From::Right, &["VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP"]),
        b"SQ" => (From::Right, &["VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ"]),
        b"UCP" => (From::Left, &[]),
        b"VP" => (From::Right, VP),
        b"WHADJP" => (From::Right, &["CC", "WRB", "JJ", "ADJP"]),
        b"WHADVP" => (From::Left, &["CC", "WRB"]),
        b"WHNP" => (From::Right, &["WDT", "WP", "WP$", "WHADJP", "WHPP", "WHNP"]),
        b"WHPP" => (From::Left, &["IN", "TO", "FW"]),
        _ => return None,
    })
}

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
#[derive(Clone, Copy)]
struct Child<'l> {
    /// The label of a phrase; empty for a word.
    label: &'l [u8],
    /// The tag of the head word.
    tag: &'l [u8],
    /// The head word.
    head: u32,
}

impl Child<'_> {
    /// Returns whether its label or the tag of its head fits.
    #[inline(always)]
    fn fits(&self, fits: impl Fn(&[u8]) -> bool) -> bool {
        fits(self.label) || fits(self.tag)
    }
}

/// Returns whether a child with this label or tag heads a noun phrase before all others.
fn is_nominal(name: &[u8]) -> bool {
    matches!(name, b"NN" | b"NNP" | b"NNPS" | b"NNS" | b"NX" | b"POS" | b"JJR")
}

/// Returns the child that heads a phrase. A phrase has at least one child.
fn head_child(label: &[u8], children: &[Child<'_>]) -> usize {
    let last = children.len() - 1;
    if matches!(label, b"NP" | b"NML") {
        if children[last].tag == b"POS" {
            return last;
        }
        let phrases = |name: &[u8]| matches!(name, b"NP" | b"NML");
        let others: [fn(&[u8]) -> bool; 3] = [
            |name| matches!(name, b"$" | b"ADJP" | b"PRN"),
            |name| name == b"CD",
            |name| matches!(name, b"JJ" | b"JJS" | b"RB" | b"QP"),
        ];
        return children
            .iter()
            .rposition(|child| child.fits(is_nominal))
            .or_else(|| children.iter().position(|child| child.fits(phrases)))
            .or_else(|| others.iter().find_map(|items| children.iter().rposition(|child| child.fits(items))))
            .unwrap_or(last);
    }
    let Some((from, items)) = rule(label) else { return last };
    let mut found = items.iter().filter_map(|item| {
        let is_item = |child: &Child<'_>| child.fits(|name| name == item.as_bytes());
        match from {
            From::Left => children.iter().position(is_item),
            From::Right => children.iter().rposition(is_item),
        }
    });
    found.next().unwrap_or(match from {
        From::Left => 0,
        From::Right => last,
    })
}

/// Returns the head of a noun phrase without phrases in it, such as `(NP* * *)`, which most mentions are: its last noun.
/// Returns `None` for all others, and if no word is a noun. `first` is the bit of the first word.
fn flat_head<'d>(
    layers: &LayerLookup<'d>,
    words: Range<u32>,
    first: &[u8],
    last: LayersOfWord<'d>,
) -> Option<u32> {
    let bit = |word: LayersOfWord<'d>| word.bytes(|layers| &layers.parse);
    let before = first.strip_suffix(b"(NP*")?;
    let is_closing =
        |bit: &[u8]| bit.strip_prefix(b"*").is_some_and(|rest| rest.iter().all(|&byte| byte == b')'));
    let within = words.start + 1..words.end - 1;
    if before.contains(&b'*')
        || !is_closing(bit(last))
        || within.clone().any(|word| bit(layers.word(word)) != b"*")
    {
        return None;
    }
    let is_noun = |word: LayersOfWord<'d>| is_nominal(word.bytes(|layers| &layers.part_of_speech));
    if is_noun(last) {
        return Some(words.end - 1);
    }
    (words.start..words.end - 1).rev().find(|&word| is_noun(layers.word(word)))
}

/// A constituent of a sentence with its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Constituent {
    start: u32,
    end: u32,
    head: u32,
}

/// The first word and the end of a mention, and its head.
type KnownHead = ([u32; 2], Option<u32>);

spare_lists!(KnownHead);

/// The heads of the mentions parsed last, as far as there is room. Span errors need the heads of mentions that only one
/// side has; their types need them again.
#[derive(Default)]
struct KnownHeads {
    /// The first word, the end and the head of each; empty until the first head is added.
    heads: Scratch<KnownHead>,
}

impl KnownHeads {
    const ROOM: usize = 256;

    fn place(start: u32, end: u32) -> usize {
        (start as usize * 7 + end as usize) % KnownHeads::ROOM
    }

    fn get(&self, start: u32, end: u32) -> Option<Option<u32>> {
        let (words, head) = self.heads.get(KnownHeads::place(start, end))?;
        (*words == [start, end]).then_some(*head)
    }

    fn set(&mut self, start: u32, end: u32, head: Option<u32>) {
        if self.heads.is_empty() {
            self.heads = Scratch::filled(([0; 2], None), KnownHeads::ROOM);
        }
        self.heads[KnownHeads::place(start, end)] = ([start, end], head);
    }
}

/// The trees of a document, parsed on demand.
pub(super) struct Trees<'d> {
    words: &'d Words,
    /// A bit for each place between words, including the end of the text: whether a sentence ends there.
    ends: Scratch<u64>,
    /// For the sentence of a long mention, the constituents in the order in which brackets close: by last word, inner
    /// ones first. The sentence is parsed once for all its long mentions.
    sentence: Option<(u32, Vec<Constituent>)>,
    open: Vec<(&'d [u8], u32, usize)>,
    children: Vec<Child<'d>>,
    known: KnownHeads,
}

/// The largest number of words for which a mention is parsed without its sentence.
const SHORT: u32 = 64;

impl<'d> Trees<'d> {
    /// Creates the trees of a document; returns `None` if it has no parse.
    pub(super) fn new(words: &'d Words, layers: &LayerLookup<'d>) -> Option<Trees<'d>> {
        layers.any(|layers| &layers.parse, |bit| bit.contains(&b'(')).then(|| {
            let mut ends = Scratch::filled(0, words.count() as usize / 64 + 1);
            let places = words.sentences().iter().copied().chain([words.count()]);
            places.for_each(|place| ends[place as usize / 64] |= 1 << (place % 64));
            let (open, children, known) = (Vec::new(), Vec::new(), KnownHeads::default());
            Trees { words, ends, sentence: None, open, children, known }
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
        let bit = |word: LayersOfWord<'d>| word.bytes(|layers| &layers.parse);
        let last = last.unwrap_or_else(|| layers.word(end - 1));
        let closes = bit(last).contains(&b')');
        let ends_sentence = self.sentence_ends_at(end);
        if !(closes || ends_sentence) {
            return None;
        }
        let first = bit(layers.word(start));
        if !first.contains(&b'(') || self.sentence_ends_in(start + 1..end) {
            return None;
        }
        if end - start <= SHORT {
            if let Some(head) = self.known.get(start, end) {
                return head;
            }
            let head = flat_head(layers, start..end, first, last).or_else(|| {
                self.parse(layers, start, end, ends_sentence, |constituent| {
                    (constituent.start == start && constituent.end == end).then_some(constituent.head)
                })
            });
            self.known.set(start, end, head);
            return head;
        }
        let starts = self.words.sentences();
        let sentence = self.words.sentence_of(start);
        let sentence_start = starts.get(sentence as usize).copied().unwrap_or(0);
        let sentence_end = starts.get(sentence as usize + 1).copied().unwrap_or(self.words.count());
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

    /// Returns whether a sentence ends before the word at `place`.
    fn sentence_ends_at(&self, place: u32) -> bool {
        self.ends[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// Returns whether a sentence ends before any of the words `places`.
    fn sentence_ends_in(&self, places: Range<u32>) -> bool {
        if places.is_empty() {
            return false;
        }
        let [first, last] = [places.start, places.end - 1].map(|place| place as usize / 64);
        // The bits of the places in each of the numbers.
        let (from, to) = (u64::MAX << (places.start % 64), u64::MAX >> (63 - (places.end - 1) % 64));
        if first == last {
            return self.ends[first] & from & to != 0;
        }
        self.ends[first] & from != 0
            || self.ends[last] & to != 0
            || self.ends[first + 1..last].iter().any(|&bits| bits != 0)
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
        // Enough for most phrases, which take less time than growing the lists step by step.
        open.reserve(16);
        children.reserve(24);
        let mut close =
            |(label, first, from): (&'d [u8], u32, usize), end: u32, children: &mut Vec<Child<'d>>| {
                if from == children.len() {
                    return None;
                }
                let child = children.swap_remove(from + head_child(label, &children[from..]));
                let head = child.head;
                children.truncate(from);
                children.push(Child { label, ..child });
                found(Constituent { start: first, end, head })
            };
        for word in start..end {
            let layers = layers.word(word);
            let bit = layers.bytes(|layers| &layers.parse);
            let tag = layers.bytes(|layers| &layers.part_of_speech);
            let child = Child { label: b"", tag, head: word };
            if bit == b"*" {
                children.push(child);
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
                        // Without an asterisk in the bit, the word precedes the closing brackets.
                        if !added && !bit.contains(&b'*') {
                            children.push(child);
                            added = true;
                        }
                        if let Some(phrase) = open.pop()
                            && let Some(found) = close(phrase, word + 1, children)
                        {
                            return Some(found);
                        }
                    }
                    b'*' if !added => {
                        children.push(child);
                        added = true;
                    }
                    _ => {}
                }
            }
            if !added {
                children.push(child);
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
        let options = ReadOptions::with_layers();
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
        for _ in 0..1_500 {
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
