//! Random files of Universal Anaphora. Drafts with repeats, zeros and split antecedents are written, read again and
//! compared with the plain twins, and so are non-referring expressions and bridging relations with several markables on
//! one span.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::differences::{
    Draft, ENTITIES, Pruning, SENTENCE, SplitRules, WORDS, assert_equal, assert_split_counts, counts_of,
    document_of, draft, lists, order, pruning, settings,
};
use crate::generators::check;
use crate::twins::repeated::{self, Ordered};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions, WriteOptions, WrittenTexts};
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Corpus, Document, WordsBuilder};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::score::Task;
use proptest::collection::vec;
use proptest::prelude::*;

fn read(text: &str) -> Document {
    let options = ReadOptions::with_layers();
    let format = FormatSpec::named("conll-ua").expect("a format");
    let read = format.read(text.as_bytes(), "x", options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    read.documents.into_iter().next().unwrap_or_else(|| panic!("no document\n{text}"))
}

/// Writes the file of a draft.
fn written(draft: &Draft) -> String {
    let mut words = WordsBuilder::new(true);
    for word in 0..WORDS {
        let form = [b'a' + word as u8];
        words.push(&form);
        let form = std::str::from_utf8(&form).expect("letters");
        words.layers_mut().expect("they are kept").form.push(form);
        if word + 1 == SENTENCE {
            words.end_sentence();
        }
    }
    let corpus = Corpus { documents: vec![document_of(draft, words, |_| None)], ..Corpus::default() };
    let written = FormatSpec::named("conll-ua").expect("a format").write(&corpus, WriteOptions::default());
    match written.expect("it can be written").texts {
        WrittenTexts::Whole(text) => text,
        WrittenTexts::Files(_) => panic!("one text"),
    }
}

/// Returns the draft of a file.
fn draft_of(document: &Document) -> Draft {
    let number = |entity: usize| -> usize {
        let name = document.entities()[entity].to_string();
        name.trim_start_matches('e').parse().unwrap_or_else(|_| panic!("the name {name}"))
    };
    let mention = |mention: &corefeval_core::model::Mention| {
        (number(mention.entity().index()), mention.span().start(), mention.span().end())
    };
    let splits = document.relations().into_iter().flat_map(|relations| &relations.split_antecedents);
    Draft {
        mentions: document.mentions().iter().map(mention).collect(),
        splits: splits
            .map(|split| {
                let parts = split.parts.iter().map(|part| number(part.index())).collect();
                (number(split.entity.index()), parts)
            })
            .collect(),
    }
}

/// Returns the part of a draft that a file can represent: an entity without a mention has no line.
fn representable(draft: &Draft) -> Draft {
    let mut kept = draft.clone();
    let named: BTreeSet<usize> = draft.mentions.iter().map(|mention| mention.0).collect();
    kept.mentions.sort_unstable();
    for parts in kept.splits.values_mut() {
        parts.retain(|part| named.contains(part));
    }
    kept.splits.retain(|sum, parts| named.contains(sum) && !parts.is_empty());
    kept
}

#[test]
fn drafts_in_files() {
    let met = Cell::new([0; 2]);
    let cases = (draft(3), draft(3), pruning(), any::<bool>(), any::<[bool; 2]>());
    check(2000, cases, |(key, mut response, pruning, parts_pruned, [splits, alike])| {
        if alike {
            response.mentions = key.mentions.iter().copied().take(9).chain(response.mentions).collect();
            response.splits.clone_from(&key.splits);
        }
        // A file with only words does not name its document; it is still scored.
        let documents = [representable(&key), representable(&response)].map(|draft| {
            let text = written(&draft);
            let document = read(&text);
            let again = draft_of(&document);
            assert_eq!(
                (representable(&again).mentions, &again.splits),
                (representable(&draft).mentions, &draft.splits),
                "{text}"
            );
            document
        });
        let [key, response] = documents.each_ref().map(draft_of);
        let pruning = Pruning { nested: false, ..pruning };
        let mut number = met.get();
        if splits {
            let rules = SplitRules { pruning, parts_pruned };
            let (found, _) = counts_of(&documents, settings("ua", &rules.choices("keep")));
            number[0] += assert_split_counts([&key, &response], rules, false, &found);
        } else {
            let mut choices = pruning.choices();
            choices.push(("split-antecedents", "drop"));
            let (found, _) = counts_of(&documents, settings("ua", &choices));
            let sides = [&key, &response].map(|draft| (pruning.of(lists(draft)), order(draft)));
            let [ours, theirs] = sides.each_ref().map(|(lists, order)| Ordered { lists, order });
            let none = BTreeMap::new();
            assert_equal(&found, &repeated::looked_up(&ours, &theirs, [&none, &none]), &(&key, &response));
            let repeats = |lists: &repeated::Lists| {
                let all: Vec<_> = lists.iter().flatten().collect();
                all.iter().collect::<BTreeSet<_>>().len() < all.len()
            };
            number[1] += usize::from(sides.iter().any(|side| repeats(&side.0)));
        }
        met.set(number);
    });
    assert!(met.get()[0] > 200 && met.get()[1] > 200, "splits and repeats occur: {:?}", met.get());
}

/// A markable as its word and its entity; without an entity it does not refer.
type Markable = (usize, Option<usize>);

/// Markables of one word each, and bridging relations from one of them to another.
#[derive(Clone, Debug)]
struct Notes {
    markables: Vec<Markable>,
    bridges: Vec<(usize, usize)>,
}

const FEW: usize = 5;

fn notes() -> impl Strategy<Value = Notes> {
    let entity = prop_oneof![3 => (0..ENTITIES).prop_map(Some), 1 => Just(None)];
    (vec((0..FEW, entity), 1..9), vec((0..9_usize, 0..9_usize), 0..8)).prop_map(|(mut markables, bridges)| {
        markables.sort_by_key(|markable| markable.0);
        // Referring markables on one word belong to one entity.
        for number in 1..markables.len() {
            let known =
                markables[..number].iter().find(|own| own.0 == markables[number].0 && own.1.is_some());
            if let (Some(known), Some(entity)) = (known.and_then(|own| own.1), &mut markables[number].1) {
                *entity = known;
            }
        }
        let of = |number: usize| number % markables.len();
        let bridges = bridges.into_iter().map(|(one, other)| (of(one), of(other))).collect();
        Notes { markables, bridges }
    })
}

impl Notes {
    fn text(&self) -> String {
        let mut text =
            "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING\n\
                        # newdoc id = d\n# sent_id = d-1\n"
                .to_owned();
        for word in 0..FEW {
            let (mut identity, mut bridging) = (String::new(), String::new());
            for (number, &(place, entity)) in self.markables.iter().enumerate() {
                let name = entity.map_or_else(|| format!("9{number}-Pseudo"), |entity| entity.to_string());
                if place == word {
                    _ = write!(identity, "(EntityID={name}|MarkableID=m{number}|SemType=dn)");
                }
            }
            for &(one, other) in &self.bridges {
                if self.markables[one].0 == word {
                    _ = write!(
                        bridging,
                        "(MarkableID=m{one}|Rel=unmark|MentionAnchor=m{other}|EntityAnchor=-)"
                    );
                }
            }
            let cell = |cell: String| if cell.is_empty() { "_".to_owned() } else { cell };
            let (identity, bridging) = (cell(identity), cell(bridging));
            _ = writeln!(text, "{}\tw\t_\t_\t_\t_\t_\t_\t_\t_\t{identity}\t{bridging}", word + 1);
        }
        text + "\n"
    }

    /// Returns the non-referring words; each has one markable.
    fn non_referring(&self) -> Vec<usize> {
        self.markables.iter().filter(|markable| markable.1.is_none()).map(|markable| markable.0).collect()
    }

    /// Returns the antecedent of each anaphor by their words, as a nested Python dict stores them.
    fn pairs(&self) -> BTreeMap<usize, usize> {
        let mut by_markable: Vec<(usize, usize)> = Vec::new();
        let mut bridges = self.bridges.clone();
        bridges.sort_by_key(|bridge| self.markables[bridge.0].0);
        for (one, other) in bridges {
            match by_markable.iter_mut().find(|known| known.0 == one) {
                Some(known) => known.1 = other,
                None => by_markable.push((one, other)),
            }
        }
        let words = |(one, other): (usize, usize)| (self.markables[one].0, self.markables[other].0);
        by_markable.into_iter().map(words).collect()
    }

    /// Returns the entity of each word: the last that contains it, in the order in which they occur.
    fn entities(&self) -> BTreeMap<usize, usize> {
        let mut order = Vec::new();
        for entity in self.markables.iter().filter_map(|markable| markable.1) {
            if !order.contains(&entity) {
                order.push(entity);
            }
        }
        let members = |entity: usize| {
            self.markables.iter().filter(move |own| own.1 == Some(entity)).map(move |own| (own.0, entity))
        };
        order.into_iter().flat_map(members).collect()
    }
}

#[test]
fn non_referring_expressions_and_bridging() {
    let met = Cell::new([0; 3]);
    check(3000, (notes(), notes(), any::<bool>()), |(key, mut response, alike)| {
        if alike {
            response = Notes { bridges: response.bridges, ..key.clone() };
            response.bridges = key.bridges.iter().take(4).copied().collect();
        }
        let documents = [&key, &response].map(|notes| read(&notes.text()));
        let names = ["non_referring", "bridging:level=anaphor", "bridging:level=mention", "bridging"];
        let metrics = names.map(|name| Metric::parse(name).expect("a metric")).to_vec();
        let settings = settings("ua", &[("singletons", "keep")]);
        let task = Task { settings, metrics, by: None, threads: 1 };
        let pair = DocumentPair { key: &documents[0], response: Some(&documents[1]) };
        let report = score_documents(&[pair], &task, &mut Diagnostics::default()).expect("it is scored");
        let found: Vec<[f64; 4]> = report
            .results
            .iter()
            .map(|result| {
                let counts = result.tally.as_ref().expect("counts").to_real().first;
                [counts.recall_num, counts.recall_den, counts.precision_num, counts.precision_den]
            })
            .collect();

        let (ours, theirs) = (key.non_referring(), response.non_referring());
        let right = ours.iter().filter(|word| theirs.contains(word)).count();
        let wrong = theirs.iter().filter(|word| !ours.contains(word)).count();
        let mut wanted = vec![[right, ours.len(), right, right + wrong]];
        let (ours, theirs, entities) = (key.pairs(), response.pairs(), key.entities());
        let same = |one: usize, other: usize| {
            entities.contains_key(&one) && entities.get(&one) == entities.get(&other)
        };
        for level in 0..3 {
            let resolved = ours.iter().filter(|(anaphor, antecedent)| {
                theirs.get(anaphor).is_some_and(|their| {
                    level == 0 || their == *antecedent || level == 2 && same(**antecedent, *their)
                })
            });
            let resolved = resolved.count();
            wanted.push([resolved, ours.len(), resolved, theirs.len()]);
        }
        let wanted: Vec<[f64; 4]> =
            wanted.into_iter().map(|counts| counts.map(|count| count as f64)).collect();
        assert_eq!(found, wanted, "{names:?}\n{}\n{}", key.text(), response.text());
        let mut number = met.get();
        number[0] += usize::from(right > 0);
        number[1] += usize::from(wanted[3][0] > wanted[2][0]);
        let twice = |notes: &Notes| notes.pairs().len() < notes.bridges.iter().collect::<BTreeSet<_>>().len();
        number[2] += usize::from(twice(&key) || twice(&response));
        met.set(number);
    });
    assert!(met.get().iter().all(|&number| number > 100), "all rules apply: {:?}", met.get());
}
