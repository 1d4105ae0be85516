//! Finds the heads of mentions by the rules of cort (Martschat and Strube), so that mentions have the same types as in
//! cort.
//!
//! A mention that is a phrase of the parse has the phrase's head by cort's rules. Any other mention is headed by its
//! first word. Names are headed by their last word, and appositions by the name in them. The head decides only the type
//! of the mention; span errors use the heads of [`heads`](super::heads).

use crate::model::{Layers, Words};

/// The named-entity labels whose names may contain numbers, with the tags that such a name may start with.
const BEGINS: [(&[&str], &[&str]); 4] = [
    (&["DATE", "TIME"], &["NN", "CD"]),
    (&["ORDINAL"], &["NN", "JJ", "RB"]),
    (&["CARDINAL"], &["CD"]),
    (&["QUANTITY", "PERCENT"], &["CD", "JJ", "NN"]),
];

/// The labels of names that continue across conjunctions and full stops.
const LONG: [&str; 11] =
    ["ORG", "GPE", "FAC", "NORP", "PRODUCT", "EVENT", "MONEY", "WORK_OF_ART", "LOC", "LAW", "LANGUAGE"];

/// The tags that end a person's name, the tags that end a name of [`LONG`], and the tags that end all others.
const ENDS_PERSON: &[&str] = &["IN", "CC", ",", ".", ":", ";", "V", "W", "-LRB-"];
const ENDS_LONG: &[&str] = &["V", "IN", "W", "ADVP", ",", "-LRB-"];
const ENDS: &[&str] = &["CC", ",", ".", ":", ";", "V", "IN", "W", "ADVP"];

/// The heads of phrases other than noun phrases: the items to look for from the left, in this order.
const FROM_LEFT: [(&str, &[&str]); 7] = [
    ("VP", &["TO", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "VP", "ADJP", "NN", "NNS", "NP"]),
    (
        "ADJP",
        &[
            "NNS", "QP", "NN", "$", "ADVP", "JJ", "VBN", "VBG", "ADJP", "JJR", "NP", "JJS", "DT", "FW",
            "RBR", "RBS", "SBAR", "RB",
        ],
    ),
    ("QP", &["NNS", "NN", "IN", "JJ", "RB", "DT", "CD", "NCD", "QP", "JJR", "JJS"]),
    ("S", &["TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP"]),
    ("SBAR", &["WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "S", "SQ", "SINV", "SBAR", "FRAG"]),
    ("SBARQ", &["SQ", "S", "SINV", "SBARQ", "FRAG"]),
    ("SQ", &["VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ"]),
];

/// The only item that can head these phrases, the last of its kind.
const LAST: [(&str, &str); 5] = [("ADVP", "RB"), ("PP", "IN"), ("WHNP", "WDT"), ("WHADVP", "CC"), ("X", "S")];

/// A phrase of a parse, or a word.
#[derive(Clone, Debug)]
struct PhraseNode<'d> {
    /// The label of a phrase or the tag of a word.
    label: &'d str,
    start: u32,
    end: u32,
    /// The places of its children; empty for a word.
    children: Vec<usize>,
}

/// The parses of a document. Each sentence is read on demand.
pub(super) struct CortHeads<'d> {
    words: &'d Words,
    layers: &'d Layers,
    /// For each sentence, its nodes in the order in which they close.
    parsed: Vec<Option<Vec<PhraseNode<'d>>>>,
}

impl<'d> CortHeads<'d> {
    /// Creates a reader of the parses of a document; returns `None` if it has no parse.
    pub(super) fn new(words: &'d Words, layers: &'d Layers) -> Option<CortHeads<'d>> {
        layers.parse.iter().any(|bit| bit.contains('(')).then(|| CortHeads {
            words,
            layers,
            parsed: vec![None; words.sentences().len().max(1)],
        })
    }

    /// Returns the word that heads the mention of the words `start..end`. `label` gives the named entity of a word.
    pub(super) fn head(&mut self, start: u32, end: u32, label: impl Fn(u32) -> Option<&'d str>) -> u32 {
        let sentence = self.words.sentence_of(start) as usize;
        let nodes = match self.parsed.get(sentence) {
            Some(Some(_)) => None,
            Some(None) => Some(self.read(sentence)),
            None => return start,
        };
        if let (Some(nodes), Some(place)) = (nodes, self.parsed.get_mut(sentence)) {
            *place = Some(nodes);
        }
        let Some(Some(nodes)) = self.parsed.get(sentence) else { return start };
        let tree = Sentence { nodes, layers: self.layers };
        // Nodes are in the order in which they close, so the first one over a mention is the lowest.
        let covers =
            |node: &PhraseNode<'_>| !node.children.is_empty() && node.start <= start && node.end >= end;
        let over = nodes.iter().position(covers);
        let phrase = over.filter(|&place| nodes[place].end - nodes[place].start == end - start);
        let found = match phrase {
            None => start,
            Some(place) => {
                let form = tree.form(tree.head(place));
                (start..end).rev().find(|&word| tree.form(word) == form).unwrap_or(start)
            }
        };
        let name = tree.tag(found).starts_with("NNP");
        let head = if name { tree.end_of_name(start..end, label(found)).max(start) } else { found };
        phrase.and_then(|place| tree.apposition(place, end)).unwrap_or(head)
    }

    /// Returns the nodes of a sentence. Unmatched closing brackets are ignored; open ones are closed at the end.
    fn read(&self, sentence: usize) -> Vec<PhraseNode<'d>> {
        let starts = self.words.sentences();
        let start = starts.get(sentence).copied().unwrap_or(0);
        let end = starts.get(sentence + 1).copied().unwrap_or(self.words.count());
        let mut nodes: Vec<PhraseNode<'d>> = Vec::new();
        let mut open: Vec<(&'d str, u32, Vec<usize>)> = Vec::new();
        let close = |(label, start, children): (&'d str, u32, Vec<usize>),
                     end: u32,
                     nodes: &mut Vec<PhraseNode<'d>>,
                     open: &mut Vec<(&'d str, u32, Vec<usize>)>| {
            if children.is_empty() {
                return;
            }
            nodes.push(PhraseNode { label, start, end, children });
            if let Some(outer) = open.last_mut() {
                outer.2.push(nodes.len() - 1);
            }
        };
        for word in start..end {
            let bit = self.layers.parse.get(word as usize).unwrap_or_default();
            // Without an asterisk, the word precedes the closing brackets.
            let (before, after) = bit.split_once('*').unwrap_or_else(|| {
                let closing = bit.find(')').unwrap_or(bit.len());
                bit.split_at(closing)
            });
            for label in before.split('(').skip(1) {
                open.push((super::heads::plain(label.trim()), word, Vec::new()));
            }
            let tag = self.layers.part_of_speech.get(word as usize).unwrap_or_default();
            nodes.push(PhraseNode { label: tag, start: word, end: word + 1, children: Vec::new() });
            let leaf = nodes.len() - 1;
            if let Some(outer) = open.last_mut() {
                outer.2.push(leaf);
            }
            for _ in after.bytes().filter(|&byte| byte == b')') {
                if let Some(phrase) = open.pop() {
                    close(phrase, word + 1, &mut nodes, &mut open);
                }
            }
        }
        while let Some(phrase) = open.pop() {
            close(phrase, end, &mut nodes, &mut open);
        }
        nodes
    }
}

/// The nodes of a sentence with its words.
struct Sentence<'a, 'd> {
    nodes: &'a [PhraseNode<'d>],
    layers: &'d Layers,
}

impl<'d> Sentence<'_, 'd> {
    fn form(&self, word: u32) -> &'d str {
        self.layers.form.get(word as usize).unwrap_or_default()
    }

    fn tag(&self, word: u32) -> &'d str {
        self.layers.part_of_speech.get(word as usize).unwrap_or_default()
    }

    /// Returns the head word of a phrase.
    fn head(&self, place: usize) -> u32 {
        let mut place = place;
        while let Some(next) = self.head_child(place) {
            place = next;
        }
        self.nodes[place].start
    }

    /// Returns the child that heads a phrase; `None` for a word.
    fn head_child(&self, place: usize) -> Option<usize> {
        let node = &self.nodes[place];
        let label = |child: &usize| self.nodes[*child].label;
        let first_of = |item: &str| node.children.iter().copied().find(|child| label(child) == item);
        let last_of = |fits: &dyn Fn(&str) -> bool| {
            node.children.iter().copied().rev().find(|child| fits(label(child)))
        };
        let (&first, &last) = (node.children.first()?, node.children.last()?);
        if node.children.len() == 1 {
            return Some(first);
        }
        let found = match node.label {
            "NP" | "NML" => {
                let coordination = if node.label == "NP" { first_of("CC") } else { None };
                let noun = || last_of(&|label| label.starts_with("NN") || matches!(label, "JJR" | "NX"));
                let in_brackets = || {
                    let inner = first_of("PRN").map(|place| self.nodes[place].children.first().copied());
                    inner.flatten()
                };
                coordination
                    .or_else(noun)
                    .or_else(|| first_of("NP"))
                    .or_else(|| first_of("NML"))
                    .or_else(in_brackets)
                    .or_else(|| last_of(&|label| label.starts_with("CD")))
                    .or_else(|| {
                        last_of(&|label| label.starts_with("JJ") || label.starts_with("RB") || label == "QP")
                    })
            }
            "FRAG" | "UCP" => Some(last),
            "INTJ" => Some(first),
            other => match FROM_LEFT.iter().find(|row| row.0 == other) {
                Some((_, items)) => items.iter().find_map(|item| first_of(item)),
                None => LAST
                    .iter()
                    .find(|row| row.0 == other)
                    .and_then(|(_, item)| last_of(&|label| label == *item)),
            },
        };
        Some(found.unwrap_or(last))
    }

    /// Returns the last word of the name in a mention.
    fn end_of_name(&self, mention: std::ops::Range<u32>, label: Option<&str>) -> u32 {
        let begins = match label {
            None => &["NN", "CD"][..],
            Some(label) => BEGINS.iter().find(|row| row.0.contains(&label)).map_or(&["NN"][..], |row| row.1),
        };
        let ends = match label {
            Some("PERSON") => ENDS_PERSON,
            Some(label) if LONG.contains(&label) => ENDS_LONG,
            _ => ENDS,
        };
        let others = !std::ptr::eq(ends, ENDS_PERSON) && !std::ptr::eq(ends, ENDS_LONG);
        let is_any = |tag: &str, prefixes: &[&str]| prefixes.iter().any(|prefix| tag.starts_with(prefix));
        let start = mention.clone().find(|&word| is_any(self.tag(word), begins)).unwrap_or(mention.start);
        let after = (start + 1..mention.end).find(|&word| {
            let tag = self.tag(word);
            is_any(tag, ends) || (others && tag == "NN")
        });
        let last = after.unwrap_or(mention.end) - 1;
        let possessive = after.is_none() && last > start && self.tag(last) == "POS";
        if possessive { last - 1 } else { last }
    }

    /// Returns the head of an apposition: the last word of its name.
    fn apposition(&self, place: usize, end: u32) -> Option<u32> {
        let node = &self.nodes[place];
        let children: Vec<&PhraseNode<'_>> = node.children.iter().map(|&child| &self.nodes[child]).collect();
        let labels: Vec<&str> = children.iter().map(|child| child.label).collect();
        let named = |place: &&usize| self.tag(self.head(**place)).starts_with("NNP");
        if node.label != "NP" {
            return None;
        }
        match labels[..] {
            ["NP", "NP"] => named(&&node.children[1]).then(|| end - 1),
            ["NP", ",", "NP"] | ["NP", ",", "NP", ","] => {
                let determined = children.iter().any(|child| self.tag(child.start).starts_with("DT"));
                let name = node.children.iter().find(named).filter(|_| determined)?;
                Some(self.nodes[*name].end - 1)
            }
            _ => None,
        }
    }
}
