//! coval's minimum spans: the tree of a span, read letter by letter from its parse, and the words at the smallest
//! depth.

use std::collections::BTreeSet;

/// A word of the text: its form, its part of speech and its bit of the parse.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub form: &'static str,
    pub tag: &'static str,
    pub bit: &'static str,
}

/// The identity of a mention: words, each with the place in the sentence where its node was complete.
pub type Minimum = BTreeSet<(String, u32)>;

/// A phrase, or words between two brackets.
#[derive(Clone, Debug)]
pub struct Node {
    /// The label of a phrase; of words, the words joined by spaces.
    pub label: String,
    /// The parts of speech of words; none for a phrase.
    tags: Vec<&'static str>,
    place: u32,
    children: Vec<Node>,
}

/// The open nodes, and those without a parent.
#[derive(Default)]
struct Builder {
    open: Vec<Node>,
    roots: Vec<Node>,
    words: Vec<Word>,
}

impl Builder {
    fn begin(&mut self, label: &mut String, place: u32) {
        let label = std::mem::take(label);
        self.open.push(Node { label, tags: Vec::new(), place, children: Vec::new() });
    }

    /// Makes the words so far a node, as a child of the innermost open phrase.
    fn add_words(&mut self, place: u32) {
        let words = std::mem::take(&mut self.words);
        let label = words.iter().map(|word| word.form).collect::<Vec<_>>().join(" ");
        let tags = words.iter().map(|word| word.tag).collect();
        let node = Node { label, tags, place, children: Vec::new() };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.open.push(node),
        }
    }

    fn end(&mut self) {
        if let Some(node) = self.open.pop() {
            match self.open.last_mut() {
                Some(parent) => parent.children.push(node),
                None => self.roots.push(node),
            }
        }
    }
}

/// Returns the tree of some words of a sentence, the first of which is at `first`. `NP` becomes the parent of several
/// trees.
pub fn tree(words: &[Word], first: u32) -> Option<Node> {
    let mut builder = Builder::default();
    let (mut label, mut opening) = (String::new(), false);
    for (word, place) in words.iter().zip(first..) {
        let letters: Vec<char> = word.bit.chars().collect();
        for (number, letter) in letters.iter().enumerate() {
            match letter {
                '(' => {
                    if opening {
                        builder.begin(&mut label, place);
                    }
                    // Nodes of marks only are skipped, judged by their words as a whole.
                    let spelled = |word: &Word| {
                        let all =
                            |test: fn(char) -> bool| !word.form.is_empty() && word.form.chars().all(test);
                        all(char::is_alphabetic) || all(|letter| letter.is_ascii_digit())
                    };
                    if builder.words.iter().any(spelled) {
                        builder.add_words(place);
                    }
                    builder.words.clear();
                    opening = true;
                }
                '*' => {
                    builder.words.push(*word);
                    if opening {
                        builder.begin(&mut label, place);
                        opening = false;
                    }
                }
                ')' => {
                    if !builder.words.is_empty() {
                        builder.add_words(place);
                    }
                    builder.end();
                    opening = false;
                }
                letter if letter.is_alphabetic() => label.push(*letter),
                _ => {}
            }
            let last = number + 1 == letters.len() && place + 1 == first + words.len() as u32;
            if last && !builder.words.is_empty() {
                builder.add_words(place);
            }
        }
    }
    while !builder.open.is_empty() {
        builder.end();
    }
    match builder.roots.len() {
        0 | 1 => builder.roots.pop(),
        _ => Some(Node { label: "NP".into(), tags: Vec::new(), place: first, children: builder.roots }),
    }
}

type Labels = &'static [&'static str];
const NOMINAL: Labels = &["NP", "NM", "QP", "NX"];
const VERBAL: Labels = &["VP"];

impl Node {
    fn starts(&self, labels: &[&str]) -> bool {
        labels.contains(&self.label.chars().take(2).collect::<String>().as_str())
    }

    /// Returns whether it is a word that may head a phrase.
    fn heads(&self) -> bool {
        let forms = self.label.split(' ').zip(&self.tags);
        let mut heads = forms.map(|(form, tag)| {
            let spelled =
                form == "%" || form.chars().any(|letter| letter.is_alphabetic() || letter.is_ascii_digit());
            spelled && !["-LRB-", "-RRB-"].contains(&form) && !["CC", "DT", "IN"].contains(tag)
        });
        heads.any(|head| head)
    }

    /// Collects the words at the smallest depth below the node. Without `accepted`, the first noun or verb phrase that
    /// is found determines the phrases that may contain them.
    fn search(&self, mut accepted: Option<Labels>, settled: bool, found: &mut Minimum) {
        let mut level = vec![self];
        let mut top = true;
        while !level.is_empty() {
            let mut heads = Minimum::new();
            let mut next = Vec::new();
            for node in level {
                if accepted.is_none() && !settled {
                    accepted = match () {
                        () if node.starts(&["NP", "NM"]) => Some(NOMINAL),
                        () if node.starts(VERBAL) => Some(VERBAL),
                        () => None,
                    };
                }
                if !node.tags.is_empty() {
                    heads.extend(node.heads().then(|| (node.label.clone(), node.place)));
                    continue;
                }
                let inside = accepted.is_some_and(|labels| node.starts(labels));
                if heads.is_empty() && (top || accepted.is_none() || inside) {
                    next.extend(node.children.iter().filter(|child| child.tags.is_empty() || inside));
                }
            }
            if !heads.is_empty() {
                found.extend(heads);
                return;
            }
            level = next;
            top = false;
        }
    }

    /// Returns the minimum span of the phrase; empty if no word may head it.
    pub fn minimum(&self) -> Minimum {
        let mut found = Minimum::new();
        if !self.tags.is_empty() && self.heads() {
            found.insert((self.label.clone(), self.place));
        }
        let heads = self.children.iter().filter(|child| !child.tags.is_empty() && child.heads());
        found.extend(heads.map(|child| (child.label.clone(), child.place)));
        if !found.is_empty() {
            return found;
        }
        let has = |labels: &[&str]| self.children.iter().any(|child| child.starts(labels));
        let labels = match () {
            () if self.starts(VERBAL) => VERBAL,
            () if !self.starts(&["NP", "NM"]) && !has(&["NP", "NM"]) && has(VERBAL) => VERBAL,
            () => NOMINAL,
        };
        let phrases: Vec<&Node> =
            self.children.iter().filter(|child| !child.children.is_empty() && child.starts(labels)).collect();
        if phrases.is_empty() {
            self.search(None, false, &mut found);
        }
        for phrase in phrases {
            phrase.search(Some(labels), true, &mut found);
        }
        found
    }
}
