//! Builds the tree of a span from its pieces of a bracketed parse, and finds its minimum span.
//!
//! The pieces of a span are read without the pieces around it. Brackets that remain open are closed at the end. A
//! closing bracket without an opening one closes the words before it. Several adjacent trees are put under an `NP`.
//! These are coval's rules, inferred from its results.

use std::collections::{BTreeSet, VecDeque};

use compact_str::CompactString;

use super::{Layers, Span};

/// A node of the tree: a phrase, or words between two brackets.
#[derive(Clone, Debug, Default)]
pub struct Phrase<'l> {
    /// The label, letters only (`NP-SBJ` is `NPSBJ`); for words, the words joined by spaces.
    label: CompactString,
    /// The words with their parts of speech; empty for a phrase.
    words: Vec<(&'l str, &'l str)>,
    /// The word at which the node was complete.
    word: u32,
    children: Phrases<'l>,
}

/// Adjacent phrases. They are dropped without recursion, because a tree may be deeper than the stack.
#[derive(Clone, Debug, Default)]
struct Phrases<'l>(Vec<Phrase<'l>>);

impl Drop for Phrases<'_> {
    fn drop(&mut self) {
        while let Some(mut phrase) = self.0.pop() {
            self.0.append(&mut phrase.children.0);
        }
    }
}

/// Labels of noun phrases and of phrases that may contain their heads.
const NOMINAL: &[&str] = &["NP", "NM", "QP", "NX"];
const VERBAL: &[&str] = &["VP"];

impl<'l> Phrase<'l> {
    /// Returns the tree of `span`, or `None` if its pieces of the parse do not form one.
    pub fn of(layers: &'l Layers, span: Span) -> Option<Phrase<'l>> {
        TreeBuilder::default().read(layers, span)
    }

    /// Returns the label of the phrase; `None` for single words.
    pub fn label(&self) -> Option<&str> {
        self.words.is_empty().then_some(self.label.as_str())
    }

    fn is_words(&self) -> bool {
        !self.words.is_empty()
    }

    fn kind(&self) -> &str {
        let end = self.label.char_indices().nth(2).map_or(self.label.len(), |(place, _)| place);
        &self.label[..end]
    }

    /// Returns the label, with the word at which the node was complete.
    fn as_words(&self) -> (String, u32) {
        (self.label.to_string(), self.word)
    }

    /// Returns whether one of the words can be a head. Such a word contains a letter or a digit (or is `%`), and is not
    /// a bracket, conjunction, determiner or preposition.
    fn may_head(&self) -> bool {
        self.words.iter().any(|(word, tag)| {
            let spelled = word.chars().any(|c| c.is_alphabetic() || c.is_numeric()) || *word == "%";
            spelled && *word != "-LRB-" && *word != "-RRB-" && !matches!(*tag, "CC" | "DT" | "IN")
        })
    }

    /// Returns the minimum span (MINA; Moosavi, Born, Poesio and Strube 2019): the words at the smallest depth,
    /// breadth first, below noun phrases or below verb phrases. Each word is given with the word at which its node was
    /// complete. Empty if no word qualifies.
    pub fn minimum_span(&self) -> BTreeSet<(String, u32)> {
        let mut found = BTreeSet::new();
        if self.is_words() {
            found.extend(self.may_head().then(|| self.as_words()));
        }
        let heads = self.children.0.iter().filter(|child| child.is_words() && child.may_head());
        found.extend(heads.map(|child| child.as_words()));
        if !found.is_empty() {
            return found;
        }
        let accepted = self.accepted_labels();
        let is_accepted =
            |phrase: &Phrase<'_>| accepted.is_some_and(|labels| labels.contains(&phrase.kind()));
        let tops: Vec<&Phrase<'_>> = self
            .children
            .0
            .iter()
            .filter(|child| !child.children.0.is_empty() && is_accepted(child))
            .collect();
        if tops.is_empty() {
            self.search(None, &mut found);
        }
        // The parts of a coordination are searched separately.
        tops.into_iter().for_each(|top| top.search(accepted, &mut found));
        found
    }

    fn accepted_labels(&self) -> Option<&'static [&'static str]> {
        match self.kind() {
            "VP" => Some(VERBAL),
            "NP" | "NM" => Some(NOMINAL),
            _ if self.children.0.is_empty() => None,
            _ => {
                let has = |kinds: &[&str]| self.children.0.iter().any(|child| kinds.contains(&child.kind()));
                Some(if !has(&["NP", "NM"]) && has(&["VP"]) { VERBAL } else { NOMINAL })
            }
        }
    }

    /// Searches breadth first for words at the smallest depth. Without `accepted` labels, the first noun or verb phrase
    /// found determines them.
    fn search(&self, accepted: Option<&'static [&'static str]>, found: &mut BTreeSet<(String, u32)>) {
        let (mut accepted, fixed) = (accepted, accepted.is_some());
        let mut least = usize::MAX;
        let mut queue = VecDeque::from([(self, 0)]);
        while let Some((node, depth)) = queue.pop_front() {
            if accepted.is_none() && !fixed {
                accepted = match node.kind() {
                    "NP" | "NM" => Some(NOMINAL),
                    "VP" => Some(VERBAL),
                    _ => None,
                };
            }
            if node.is_words() {
                if depth <= least && node.may_head() {
                    found.insert(node.as_words());
                    least = depth;
                }
                continue;
            }
            let inside = accepted.is_some_and(|labels| labels.contains(&node.kind()));
            let open = found.is_empty() || depth < least;
            if open && (depth == 0 || accepted.is_none() || inside) {
                let children = node.children.0.iter().filter(|child| !child.is_words() || inside);
                queue.extend(children.map(|child| (child, depth + 1)));
            }
        }
    }
}

/// Builds the tree.
#[derive(Default)]
struct TreeBuilder<'l> {
    open: Vec<Phrase<'l>>,
    roots: Vec<Phrase<'l>>,
    label: CompactString,
    in_label: bool,
    words: Vec<(&'l str, &'l str)>,
}

impl<'l> TreeBuilder<'l> {
    fn read(mut self, layers: &'l Layers, span: Span) -> Option<Phrase<'l>> {
        for word in span.start()..span.end() {
            let bit = layers.parse.get(word as usize).unwrap_or_default();
            for character in bit.chars() {
                match character {
                    '(' => {
                        if self.in_label {
                            self.open_phrase(word);
                        }
                        // Tokens such as commas are not added.
                        let is_plain = |word: &str| {
                            word.chars().all(char::is_alphabetic) || word.chars().all(char::is_numeric)
                        };
                        if self.words.iter().any(|(form, _)| !form.is_empty() && is_plain(form)) {
                            self.add_words(word);
                        }
                        self.words.clear();
                        self.in_label = true;
                    }
                    '*' => {
                        let value =
                            |column: &'l super::TextColumn| column.get(word as usize).unwrap_or_default();
                        self.words.push((value(&layers.form), value(&layers.part_of_speech)));
                        if self.in_label {
                            self.open_phrase(word);
                            self.in_label = false;
                        } else if !self.label.is_empty() {
                            self.roots.push(Phrase { label: self.label.clone(), word, ..Phrase::default() });
                        }
                    }
                    ')' => {
                        if !self.words.is_empty() {
                            self.add_words(word);
                        }
                        self.close();
                        self.in_label = false;
                    }
                    letter if letter.is_alphabetic() => self.label.push(letter),
                    _ => {}
                }
            }
        }
        if !self.words.is_empty() {
            self.add_words(span.last());
        }
        while !self.open.is_empty() {
            self.close();
        }
        match self.roots.len() {
            0 | 1 => self.roots.pop(),
            _ => Some(Phrase {
                label: CompactString::const_new("NP"),
                word: span.start(),
                children: Phrases(std::mem::take(&mut self.roots)),
                ..Phrase::default()
            }),
        }
    }

    fn open_phrase(&mut self, word: u32) {
        let label = std::mem::take(&mut self.label);
        self.open.push(Phrase { label, word, ..Phrase::default() });
    }

    /// Adds the words since the last bracket as a node of the innermost phrase, or as a separate node.
    fn add_words(&mut self, word: u32) {
        let words = std::mem::take(&mut self.words);
        let mut label = CompactString::default();
        for (place, (form, _)) in words.iter().enumerate() {
            label.push_str(if place == 0 { "" } else { " " });
            label.push_str(form);
        }
        let node = Phrase { label, words, word, ..Phrase::default() };
        match self.open.last_mut() {
            Some(phrase) => phrase.children.0.push(node),
            None => self.open.push(node),
        }
    }

    fn close(&mut self) {
        if let Some(phrase) = self.open.pop() {
            match self.open.last_mut() {
                Some(outer) => outer.children.0.push(phrase),
                None => self.roots.push(phrase),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(bits: &[(&str, &str, &str)]) -> (Layers, Span) {
        let mut layers = Layers::default();
        for (form, tag, bit) in bits {
            layers.form.push(form);
            layers.part_of_speech.push(tag);
            layers.parse.push(bit);
        }
        (layers, Span::new(0, bits.len() as u32).unwrap())
    }

    fn label(bits: &[(&str, &str)]) -> Option<String> {
        let bits: Vec<_> = bits.iter().map(|&(form, bit)| (form, "NN", bit)).collect();
        let (layers, span) = layers(&bits);
        Phrase::of(&layers, span).and_then(|phrase| phrase.label().map(str::to_owned))
    }

    fn minimum(bits: &[(&str, &str, &str)]) -> Vec<String> {
        let (layers, span) = layers(bits);
        Phrase::of(&layers, span)
            .map(|phrase| phrase.minimum_span().into_iter().map(|head| head.0).collect())
            .unwrap_or_default()
    }

    #[test]
    fn whole_phrases_have_their_label() {
        assert_eq!(label(&[("the", "(NP*"), ("ferry", "*)")]).as_deref(), Some("NP"));
        assert_eq!(label(&[("sailed", "(VP*"), ("home", "(ADVP*))")]).as_deref(), Some("VP"));
        assert_eq!(label(&[("sailed", "(S(VP*")]).as_deref(), Some("S"));
        assert_eq!(label(&[("it", "(NP-SBJ*)")]).as_deref(), Some("NPSBJ"));
    }

    #[test]
    fn parts_of_phrases_have_no_label() {
        assert_eq!(label(&[("ferry", "*)")]), None);
        assert_eq!(label(&[("ferry", "*")]), None);
        assert_eq!(label(&[("ferry", "-")]), None);
        assert_eq!(label(&[("Ada", "(NP*)"), ("sailed", "(VP*)")]).as_deref(), Some("NP"));
    }

    #[test]
    fn the_minimum_span_is_the_head_without_modifiers() {
        // In [the old ferry] [of the island], the minimum span is the words of the first noun phrase, as one node.
        let bits = [
            ("the", "DT", "(NP(NP*"),
            ("old", "JJ", "*"),
            ("ferry", "NN", "*)"),
            ("of", "IN", "(PP*"),
            ("the", "DT", "(NP*"),
            ("island", "NN", "*)))"),
        ];
        assert_eq!(minimum(&bits), ["the old ferry"]);
        // The minimum span is the same without the modifier.
        assert_eq!(
            minimum(&[("the", "DT", "(NP*"), ("old", "JJ", "*"), ("ferry", "NN", "*)")]),
            ["the old ferry"]
        );
        // The minimum span of a coordination contains both parts.
        let bits = [("Ada", "NNP", "(NP(NP*)"), ("and", "CC", "*"), ("Bo", "NNP", "(NP*))")];
        assert_eq!(minimum(&bits), ["Ada", "Bo"]);
    }

    #[test]
    fn a_parse_may_be_deeper_than_the_stack() {
        let deep = format!("{}*", "(NP".repeat(150_000));
        let (layers, span) = layers(&[("ferry", "NN", deep.as_str())]);
        let tree = Phrase::of(&layers, span).unwrap();
        assert_eq!(tree.minimum_span().len(), 1);
        drop(tree);
    }
}
