//! Counts the errors of one document literally by the written rules, on sets of spans.

use std::collections::{BTreeMap, BTreeSet};

/// Sentence, first word and one past the last word, both counted within the sentence.
pub type Mention = (usize, usize, usize);

/// The entities of one side.
pub type Entities = Vec<BTreeSet<Mention>>;

/// A text and its two annotations.
#[derive(Clone, Debug)]
pub struct Annotated {
    pub sentences: Vec<Vec<&'static str>>,
    pub key: Entities,
    pub response: Entities,
}

/// The number of errors of each of the seven kinds, by their id.
pub type Counts = BTreeMap<&'static str, u64>;

const PRONOUNS: &[&str] = &["he", "it", "this", "their"];

impl Annotated {
    fn words(&self, mention: Mention) -> &[&'static str] {
        &self.sentences[mention.0][mention.1..mention.2]
    }

    fn is_pronoun(&self, mention: Mention) -> bool {
        self.words(mention).len() == 1 && PRONOUNS.contains(&self.words(mention)[0].to_lowercase().as_str())
    }

    fn trimmed(&self, mention: Mention) -> Mention {
        let (sentence, mut start, mut end) = mention;
        let is_light =
            |word: &str| word.chars().count() == 1 && !word.chars().all(|c| c.is_ascii_alphabetic());
        let word = |place: usize| self.sentences[sentence][place];
        loop {
            if end - start > 1 && (word(start) == "the" || is_light(word(start))) {
                start += 1;
            } else if end - start > 1 && (word(end - 1) == "'s" || is_light(word(end - 1))) {
                end -= 1;
            } else {
                return (sentence, start, end);
            }
        }
    }

    /// Returns the response with the key's spans instead of its own, and the number of replaced ones.
    pub fn spans_corrected(&self) -> (Entities, u64) {
        let all = |side: &Entities| -> BTreeSet<Mention> { side.iter().flatten().copied().collect() };
        let (keys, responses) = (all(&self.key), all(&self.response));
        let mut free_keys: Vec<Mention> = keys.difference(&responses).copied().collect();
        let mut free_responses: Vec<Mention> = responses.difference(&keys).copied().collect();
        let mut renamed: BTreeMap<Mention, Mention> = BTreeMap::new();
        free_responses.retain(|&response| {
            let found = free_keys.iter().position(|&key| self.trimmed(key) == self.trimmed(response));
            found.is_none_or(|place| {
                renamed.insert(response, free_keys.remove(place));
                false
            })
        });
        let head = |mention: Mention| (mention.0, mention.2 - 1);
        for &response in &free_responses {
            let of_head = |side: &[Mention]| -> Vec<Mention> {
                side.iter().copied().filter(|other| head(*other) == head(response)).collect()
            };
            if let ([key], [_]) = (of_head(&free_keys).as_slice(), of_head(&free_responses).as_slice()) {
                renamed.insert(response, *key);
            }
        }
        let rename = |mention: &Mention| renamed.get(mention).copied().unwrap_or(*mention);
        let entities = self.response.iter().map(|entity| entity.iter().map(rename).collect()).collect();
        (entities, renamed.len() as u64)
    }

    /// Counts the errors of the seven kinds.
    pub fn transform(&self) -> Counts {
        let (response, spans) = self.spans_corrected();
        let mut counts = Counts::from([("span_error", spans)]);
        self.side(&response, &self.key, ["extra_entity", "extra_mention", "conflated_entities"], &mut counts);
        self.side(&self.key, &response, ["missing_entity", "missing_mention", "divided_entity"], &mut counts);
        counts
    }

    fn side(&self, ours: &Entities, theirs: &Entities, kinds: [&'static str; 3], counts: &mut Counts) {
        let [whole, single, shared] = kinds;
        for entity in ours {
            let known = |mention: &Mention| theirs.iter().any(|other| other.contains(mention));
            let alone: Vec<Mention> = entity.iter().copied().filter(|mention| !known(mention)).collect();
            let common =
                theirs.iter().map(|other| entity.intersection(other).copied().collect::<BTreeSet<_>>());
            let common: Vec<BTreeSet<Mention>> = common.filter(|piece| !piece.is_empty()).collect();
            if alone.len() + common.len() == 1 {
                // A singleton that only one side has: an error where the key has singletons.
                if alone.len() == 1 && self.key.iter().any(|entity| entity.len() == 1) {
                    *counts.entry(whole).or_default() += 1;
                }
                continue;
            }
            let mut pieces: Vec<(BTreeSet<Mention>, &'static str)> =
                common.into_iter().map(|piece| (piece, shared)).collect();
            let noun_is_known = entity.iter().any(|mention| known(mention) && !self.is_pronoun(*mention));
            if alone.len() >= 2 && !noun_is_known {
                *counts.entry(whole).or_default() += 1;
            } else {
                pieces.extend(alone.into_iter().map(|mention| (BTreeSet::from([mention]), single)));
            }
            let first = entity.iter().find(|mention| !self.is_pronoun(**mention)).or(entity.first());
            for (piece, kind) in pieces {
                if !first.is_some_and(|first| piece.contains(first)) {
                    *counts.entry(kind).or_default() += 1;
                }
            }
        }
    }

    fn type_of(&self, mention: Mention) -> &'static str {
        let words = self.words(mention);
        if words.len() == 1 && words[0] == "this" {
            return "demonstrative";
        }
        if self.is_pronoun(mention) {
            return "pronoun";
        }
        let end = if words.len() > 1 && words[words.len() - 1] == "'s" { mention.2 - 1 } else { mention.2 };
        let head = self.sentences[mention.0][end - 1];
        let capital = head.chars().next().is_some_and(char::is_uppercase);
        if capital && end > 1 { "name" } else { "nominal" }
    }

    /// Returns the link errors of `ours`, as anaphor and antecedent.
    pub fn links(&self, of_key: bool, closest: bool) -> Vec<(Mention, Mention)> {
        let (ours, theirs) = if of_key { (&self.key, &self.response) } else { (&self.response, &self.key) };
        let mut errors = Vec::new();
        for entity in ours {
            for (place, &anaphor) in entity.iter().enumerate().skip(1) {
                let before: Vec<Mention> = entity.iter().copied().take(place).collect();
                let together = |one: Mention| {
                    theirs.iter().any(|other| other.contains(&one) && other.contains(&anaphor))
                };
                if before.iter().any(|&antecedent| together(antecedent)) {
                    continue;
                }
                let last = |kind: Option<&str>| {
                    let fits = |mention: &&Mention| kind.is_none_or(|kind| self.type_of(**mention) == kind);
                    before.iter().rev().find(fits).copied()
                };
                let near = closest || matches!(self.type_of(anaphor), "pronoun" | "demonstrative");
                let chosen = match near {
                    true => last(None),
                    false => last(Some("name")).or(last(Some("nominal"))).or(last(None)),
                };
                errors.extend(chosen.map(|antecedent| (anaphor, antecedent)));
            }
        }
        errors
    }

    /// Returns link errors by types and by the number of sentences between, as spelt in JSON.
    pub fn link_tables(&self, of_key: bool, closest: bool) -> (BTreeMap<String, u64>, BTreeMap<u32, u64>) {
        let (mut types, mut distances) = (BTreeMap::new(), BTreeMap::new());
        for (anaphor, antecedent) in self.links(of_key, closest) {
            *types.entry(format!("{}-{}", self.type_of(anaphor), self.type_of(antecedent))).or_default() += 1;
            *distances.entry(anaphor.0.abs_diff(antecedent.0) as u32).or_default() += 1;
        }
        (types, distances)
    }
}
