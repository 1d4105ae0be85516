//! Measures the effect of mention identification on scores, by transforming a response in ways whose effect on a good
//! metric is known in advance (Moosavi and Strube 2016, tables 1 and 4).
//!
//! The settings' matching rule and selection decide which mentions are shared or missing. A transformed document
//! contains only identity: split antecedents, bridging and non-referring expressions are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostics};
use crate::error::Result;
use crate::matching::{self, Alignment};
use crate::model::{Document, DocumentBuilder, EntityId, Mention, MentionDetails, Span, Words, WordsBuilder};
use crate::pairing::DocumentPair;
use crate::results::SystemReport;
use crate::score::{Task, score_pairs};
use crate::selection::{Selected, select};
use crate::settings::{Keep, Settings};

/// The name of the row of the unchanged response.
pub const BASE: &str = "base";

/// One transformation.
pub struct Transformation {
    /// The label.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    entities: fn(&ProbeView) -> Vec<Vec<Member>>,
}

/// All transformations, in display order.
pub static TRANSFORMATIONS: &[Transformation] = &[
    Transformation {
        id: "more-precise",
        summary: "without mentions that are in the key and have no correct link",
        entities: more_precise,
    },
    Transformation {
        id: "less-precise-a",
        summary: "with the missing mentions of the key, linked in wrong pairs",
        entities: less_precise_a,
    },
    Transformation {
        id: "less-precise-b",
        summary: "with the missing mentions of the key, each linked to all others it does not corefer with",
        entities: less_precise_b,
    },
    Transformation { id: "sys-sing", summary: "every mention a singleton", entities: all_singletons },
    Transformation { id: "sys-1ent", summary: "all mentions in one entity", entities: one_entity },
    Transformation {
        id: "key-sing",
        summary: "the key's mentions, each a singleton",
        entities: key_singletons,
    },
    Transformation { id: "key-1ent", summary: "the key's mentions, all in one entity", entities: key_in_one },
];

/// Scores the unchanged response ([`BASE`]) and the response after each transformation, one row each. Findings concern
/// the unchanged response.
pub(crate) fn probe(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<SystemReport>> {
    let mut rows = vec![SystemReport { name: BASE.to_owned(), ..score_pairs(pairs, task, diagnostics)? }];
    let views: Vec<ProbeView> = pairs.iter().map(|pair| ProbeView::new(*pair, &task.settings)).collect();
    for transformation in TRANSFORMATIONS {
        note_if_idle(transformation, &views, &task.settings, diagnostics);
        let made = pairs.iter().zip(&views).map(|(pair, view)| view.document(*pair, transformation));
        let documents: Vec<Document> = made.collect();
        let made = pairs.iter().zip(&documents);
        let made: Vec<DocumentPair<'_>> =
            made.map(|(pair, response)| DocumentPair { key: pair.key, response: Some(response) }).collect();
        let scores = score_pairs(&made, task, &mut Diagnostics::default())?;
        rows.push(SystemReport { name: transformation.id.to_owned(), ..scores });
    }
    Ok(rows)
}

/// Reports a transformation whose row is meaningless.
fn note_if_idle(
    transformation: &Transformation,
    views: &[ProbeView],
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) {
    let made = |view: &ProbeView| (transformation.entities)(view);
    let all = || views.iter().flat_map(made);
    let why = if views.iter().all(|view| made(view) == view.base()) {
        "does not change the response: it has nothing to add or to drop"
    } else if settings.singletons == Keep::Drop && all().all(|entity| entity.len() < 2) && all().count() > 0 {
        "makes only singletons, which the settings drop, so nothing is scored"
    } else {
        return;
    };
    diagnostics.add(Code::ProbeIdle, None, None, || format!("`{}` {why}", transformation.id));
}

#[cfg(test)]
impl Transformation {
    /// Transforms the response of `pair`. A missing response is treated as one without mentions.
    fn apply(&self, pair: DocumentPair<'_>, settings: &Settings) -> Document {
        ProbeView::new(pair, settings).document(pair, self)
    }
}

/// A mention of the new document: its place in the response, or in the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    Response(u32),
    Key(u32),
}

/// The data that the transformations use.
struct ProbeView {
    /// The response's entities: the place of each mention, and the key entity of its counterpart.
    response: Vec<Vec<(u32, Option<u32>)>>,
    /// The key's mentions, without repetitions.
    key: Vec<u32>,
    /// The number of mentions of each key entity.
    key_sizes: Vec<u32>,
    /// The key's mentions that the response lacks, by entity, in the order of the document.
    missing: Vec<Vec<u32>>,
}

impl ProbeView {
    fn new(pair: DocumentPair<'_>, settings: &Settings) -> ProbeView {
        let Alignment { key, response, pairs, .. } = align(pair, settings);
        let mut key_entity = vec![None; response.mentions.len()];
        let mut found = vec![false; key.mentions.len()];
        for &(ours, theirs) in &pairs {
            key_entity[theirs as usize] = Some(key.mentions[ours as usize].entity);
            found[ours as usize] = true;
        }
        let mut entities = vec![Vec::new(); response.sizes.len()];
        for (mention, key) in response.mentions.iter().zip(key_entity) {
            entities[mention.entity as usize].push((mention.mention, key));
        }
        entities.retain(|entity: &Vec<_>| !entity.is_empty());
        // A copy of a mention has no counterpart, and is not missing.
        let mentions = pair.response.map_or(&[][..], Document::mentions);
        let mut known: BTreeSet<Vec<u64>> = match pair.key.words().are_names() {
            true => BTreeSet::new(),
            false => mentions.iter().map(words_of).collect(),
        };
        let mut key_sizes = vec![0; key.sizes.len()];
        let mut missing = vec![Vec::new(); key.sizes.len()];
        for (mention, found) in key.mentions.iter().zip(found) {
            key_sizes[mention.entity as usize] += 1;
            if !found && known.insert(words_of(&pair.key.mentions()[mention.mention as usize])) {
                missing[mention.entity as usize].push(mention.mention);
            }
        }
        missing.retain(|entity| !entity.is_empty());
        let mut seen: BTreeSet<Vec<u64>> = BTreeSet::new();
        let names = pair.key.words().are_names();
        let first = |mention: &u32| names || seen.insert(words_of(&pair.key.mentions()[*mention as usize]));
        let key_mentions = key.mentions.iter().map(|mention| mention.mention).filter(first).collect();
        ProbeView { response: entities, key: key_mentions, key_sizes, missing }
    }

    /// Returns the response's entities unchanged.
    fn base(&self) -> Vec<Vec<Member>> {
        let members = |entity: &Vec<(u32, _)>| entity.iter().map(|&(m, _)| Member::Response(m)).collect();
        self.response.iter().map(members).collect()
    }

    fn mentions(&self) -> impl Iterator<Item = Member> {
        self.response.iter().flatten().map(|&(mention, _)| Member::Response(mention))
    }

    fn document(&self, pair: DocumentPair<'_>, transformation: &Transformation) -> Document {
        made(pair, &(transformation.entities)(self))
    }
}

fn align(pair: DocumentPair<'_>, settings: &Settings) -> Alignment {
    let mut discarded = Diagnostics::default();
    let key = select(pair.key, pair.key, settings, &mut discarded);
    let response = match pair.response {
        Some(response) => (response, select(response, pair.key, settings, &mut discarded)),
        None => (pair.key, Selected::default()),
    };
    matching::align((pair.key, key), response, settings, false, &mut discarded)
}

/// Returns the words of a mention, which identify it.
fn words_of(mention: &Mention) -> Vec<u64> {
    mention.parts().iter().map(|part| part.sort_key()).collect()
}

/// # More precise
///
/// Drops every response mention that is in the key and has no correct link, that is, no other mention of its response
/// entity belongs to its key entity. A singleton on both sides has a correct link to itself. The dropped mentions were
/// found but resolved wrongly, so link-based metrics should not fall; metrics that reward mere mention detection do.
fn more_precise(view: &ProbeView) -> Vec<Vec<Member>> {
    let entities = view.response.iter().map(|entity| {
        let mut met: BTreeMap<u32, u32> = BTreeMap::new();
        entity.iter().filter_map(|mention| mention.1).for_each(|key| *met.entry(key).or_default() += 1);
        let resolved = |key: u32| {
            met.get(&key).is_some_and(|&count| count > 1)
                || (entity.len() == 1 && view.key_sizes[key as usize] == 1)
        };
        let kept = entity.iter().filter(|mention| mention.1.is_none_or(resolved));
        kept.map(|&(mention, _)| Member::Response(mention)).collect::<Vec<_>>()
    });
    entities.filter(|entity| !entity.is_empty()).collect()
}

/// # Less precise, a
///
/// Adds the key's mentions that the response lacks, in as many pairs of non-coreferent mentions as possible. The
/// entities are put in a row, largest first, and each mention is paired with the mention half a row further on.
/// Mentions without a partner in another entity are left out. Every added link is wrong, so no metric should rise;
/// metrics that reward mere mention detection do.
fn less_precise_a(view: &ProbeView) -> Vec<Vec<Member>> {
    let mut entities: Vec<&Vec<u32>> = view.missing.iter().collect();
    entities.sort_by_key(|entity| std::cmp::Reverse(entity.len()));
    let largest = entities.first().map_or(0, |entity| entity.len());
    let row: Vec<u32> = entities.into_iter().flatten().copied().collect();
    let half = largest.max(row.len() / 2);
    let pairs = row.iter().zip(row.iter().skip(half)).take(half);
    let pairs = pairs.map(|(&one, &other)| vec![Member::Key(one), Member::Key(other)]);
    view.base().into_iter().chain(pairs).collect()
}

/// # Less precise, b
///
/// Adds the key's mentions that the response lacks, each linked to as many non-coreferent ones as possible. Links join
/// whole entities, so linking all mentions would create correct links too. The first missing mentions of all key
/// entities therefore form one entity, the second ones another, and so on. A mention that would be alone is left out.
/// The entities are larger and fewer than in [a](less_precise_a), even without a correct link.
fn less_precise_b(view: &ProbeView) -> Vec<Vec<Member>> {
    let most = view.missing.iter().map(Vec::len).max().unwrap_or(0);
    let nth = |place: usize| view.missing.iter().filter_map(move |entity| entity.get(place).copied());
    let wrong = (0..most).map(|place| nth(place).map(Member::Key).collect::<Vec<_>>());
    view.base().into_iter().chain(wrong.filter(|entity| entity.len() > 1)).collect()
}

/// # All singletons (sys-sing)
///
/// Makes every response mention a separate entity, without any link. If the settings drop singletons, nothing remains,
/// and all scores are 0.
fn all_singletons(view: &ProbeView) -> Vec<Vec<Member>> {
    view.mentions().map(|mention| vec![mention]).collect()
}

/// # One entity (sys-1ent)
///
/// Joins all response mentions of a document into one entity, with every possible link.
fn one_entity(view: &ProbeView) -> Vec<Vec<Member>> {
    let all: Vec<Member> = view.mentions().collect();
    if all.is_empty() { Vec::new() } else { vec![all] }
}

/// # All singletons of the key's mentions (key-sing)
///
/// Makes every key mention a separate entity: the score of a system that is given the mentions and resolves none.
fn key_singletons(view: &ProbeView) -> Vec<Vec<Member>> {
    view.key.iter().map(|&mention| vec![Member::Key(mention)]).collect()
}

/// # One entity of the key's mentions (key-1ent)
///
/// Joins all key mentions into one entity.
fn key_in_one(view: &ProbeView) -> Vec<Vec<Member>> {
    let all: Vec<Member> = view.key.iter().copied().map(Member::Key).collect();
    if all.is_empty() { Vec::new() } else { vec![all] }
}

/// Returns a document with the given entities, over the words of the response.
pub(crate) fn made(pair: DocumentPair<'_>, entities: &[Vec<Member>]) -> Document {
    let response = pair.response.unwrap_or(pair.key);
    let (words, places) = KeyWordPlaces::new(pair.key.words(), response.words());
    let mut builder =
        DocumentBuilder::new(response.id().clone(), Arc::clone(response.source()), response.line());
    builder.topic = response.topic().map(str::to_owned);
    let mut members: Vec<(Member, usize)> = entities
        .iter()
        .enumerate()
        .flat_map(|(entity, members)| members.iter().map(move |&member| (member, entity)))
        .collect();
    // Mentions keep the order of the files; added ones follow.
    members.sort_by_key(|&(member, _)| match member {
        Member::Response(place) => (0, place),
        Member::Key(place) => (1, place),
    });
    let mut numbers = vec![None; entities.len()];
    for (member, entity) in members {
        let mention = match member {
            Member::Response(place) => Some(response.mentions()[place as usize].clone()),
            Member::Key(place) => places.moved(&pair.key.mentions()[place as usize]),
        };
        let Some(mut mention) = mention else { continue };
        let names = &mut builder.entities;
        let number = *numbers[entity].get_or_insert_with(|| {
            names.push(names.len().to_string().into());
            EntityId::new(names.len() - 1)
        });
        mention.set_entity(number);
        builder.mentions.push(mention);
    }
    builder.finish(words).expect("a changed document keeps to its words")
}

/// The places of the key's words in the new document.
enum KeyWordPlaces {
    /// Every word has the same place as before. A document without words may have millions of positions.
    Same,
    /// The place of each word; `None` for empty nodes that the response lacks.
    Each(Vec<Option<u32>>),
}

impl KeyWordPlaces {
    /// Returns the words of the new document, and the places of the key's words in it.
    fn new(key: &Words, response: &Words) -> (Words, KeyWordPlaces) {
        if key.are_names() && response.are_names() {
            return KeyWordPlaces::of_names(key, response);
        }
        if key.empty_nodes().is_empty() && response.empty_nodes().is_empty() {
            // If words are unknown, a side may not know their number either.
            let words = if key.count() > response.count() { key } else { response };
            return (words.clone(), KeyWordPlaces::Same);
        }
        let mut theirs: Vec<((u32, u32, u32), u32)> = response.slots().zip(0..).collect();
        theirs.sort_unstable();
        // Nearly all words of one side are also adjacent on the other side.
        let mut next = 0;
        let place = |slot: (u32, u32, u32)| {
            if theirs.get(next).is_none_or(|found| found.0 != slot) {
                next = theirs.partition_point(|found| found.0 < slot);
            }
            let word = theirs.get(next).filter(|found| found.0 == slot)?.1;
            next += 1;
            Some(word)
        };
        (response.clone(), KeyWordPlaces::Each(key.slots().map(place).collect()))
    }

    /// Merges names by spelling; names that only the key has are added.
    fn of_names(key: &Words, response: &Words) -> (Words, KeyWordPlaces) {
        let mut words = WordsBuilder::names();
        words.append(response, None);
        let forms = |words: &Words| -> Vec<String> {
            let form = words.layers().map(|layers| layers.form.iter().map(str::to_owned).collect());
            form.unwrap_or_default()
        };
        let mut by_name: BTreeMap<String, u32> = forms(response).into_iter().zip(0..).collect();
        let mut places = Vec::new();
        for name in forms(key) {
            let place = *by_name.entry(name).or_insert_with_key(|name| {
                let place = words.push(name.as_bytes());
                if let Some(layers) = words.layers_mut() {
                    layers.form.push(name);
                }
                place
            });
            places.push(Some(place));
        }
        (words.finish(), KeyWordPlaces::Each(places))
    }

    fn of(&self, word: u32) -> Option<u32> {
        match self {
            KeyWordPlaces::Same => Some(word),
            KeyWordPlaces::Each(places) => places.get(word as usize).copied().flatten(),
        }
    }

    /// Returns the words of `parts` at their new places, in runs.
    fn runs(&self, parts: &[Span]) -> Vec<Span> {
        if let (KeyWordPlaces::Same, [_]) = (self, parts) {
            return parts.to_vec();
        }
        let words = parts.iter().flat_map(|part| part.start()..part.end());
        let mut words: Vec<u32> = words.filter_map(|word| self.of(word)).collect();
        words.sort_unstable();
        let mut runs: Vec<Span> = Vec::new();
        for word in words {
            match runs.last_mut() {
                Some(run) if run.end() >= word => {
                    *run = Span::new(run.start(), word + 1).unwrap_or(*run);
                }
                _ => runs.push(Span::word(word)),
            }
        }
        runs
    }

    /// Moves a mention to its new place; `None` if no word remains.
    fn moved(&self, mention: &Mention) -> Option<Mention> {
        let (entity, line, column) = (mention.entity(), mention.line(), mention.column());
        if mention.parts().is_empty() {
            let word = self.of(mention.span().start())?;
            return Some(Mention::without_words(word, entity, line, column));
        }
        let runs = self.runs(mention.parts());
        let span = Span::new(runs.first()?.start(), runs.last()?.end())?;
        let mut moved = Mention::new(span, entity, line, column);
        if let Some(head) = mention.head().and_then(|head| self.of(head)) {
            moved = moved.with_head(head);
        }
        let details = mention.details().map(|details| MentionDetails {
            min_span: self.runs(&details.min_span),
            attributes: details.attributes.clone(),
            ..MentionDetails::default()
        });
        match (details, runs.len()) {
            (None, 1) => Some(moved),
            (details, several) => moved.with_details(MentionDetails {
                parts: if several > 1 { runs } else { Vec::new() },
                ..details.unwrap_or_default()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};
    use crate::metrics::Metric;
    use crate::model::Corpus;
    use crate::profiles::Profile;

    fn read(text: &str) -> Corpus {
        let format = FormatSpec::named("links").expect("the format exists");
        format.read(text.as_bytes(), "test", ReadOptions::default()).expect("the text is right")
    }

    fn settings() -> Settings {
        Settings::of(Profile::for_format("links"))
    }

    /// Returns the result of each transformation as `{A B}`, with sorted mentions and entities.
    fn all(key: &str, response: &str) -> BTreeMap<&'static str, String> {
        let (key, response) = (read(key), read(response));
        let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
        let made = TRANSFORMATIONS.iter().map(|row| (row.id, spelt(&row.apply(pair, &settings()))));
        made.collect()
    }

    fn spelt(document: &Document) -> String {
        let mut entities = vec![Vec::new(); document.entities().len()];
        for mention in document.mentions() {
            let form = &document.words().layers().expect("names are kept").form;
            let name = form.get(mention.span().start() as usize).expect("a mention has a name");
            entities[mention.entity().index()].push(name);
        }
        let mut spelt: Vec<String> = entities
            .into_iter()
            .map(|mut names| {
                names.sort_unstable();
                format!("{{{}}}", names.join(" "))
            })
            .collect();
        spelt.sort_unstable();
        spelt.join(" ")
    }

    /// In `{a b d x}`, d has no correct link and x is not a key mention. e meets g, f is alone but not in the key, and
    /// h is a singleton on both sides. The missing mentions are c; i, j, k; l and m.
    #[test]
    fn a_case_by_hand() {
        let key = "{a b c} {d e} {g i j k} {h} {l m}";
        let response = "{a b d x} {e g} {f} {h}";
        let made = all(key, response);
        assert_eq!(made["more-precise"], "{a b x} {f} {h}");
        // Largest first: i j k l m c; three steps on: i-l, j-m, k-c.
        assert_eq!(made["less-precise-a"], "{a b d x} {c k} {e g} {f} {h} {i l} {j m}");
        // First ones c, i, l; second ones j, m; k is alone.
        assert_eq!(made["less-precise-b"], "{a b d x} {c i l} {e g} {f} {h} {j m}");
        assert_eq!(made["sys-sing"], "{a} {b} {d} {e} {f} {g} {h} {x}");
        assert_eq!(made["sys-1ent"], "{a b d e f g h x}");
        assert_eq!(made["key-sing"], "{a} {b} {c} {d} {e} {g} {h} {i} {j} {k} {l} {m}");
        assert_eq!(made["key-1ent"], "{a b c d e g h i j k l m}");
    }

    #[test]
    fn a_missing_mention_without_partner_is_left_out() {
        let made = all("{a b c d} {e f}", "{e f}");
        assert_eq!(made["less-precise-a"], "{e f}");
        assert_eq!(made["less-precise-b"], "{e f}");
        let made = all("{a b c d} {e f}", "{f}");
        assert_eq!(made["less-precise-a"], "{a e} {f}");
        // Four mentions of one entity and three others: three pairs.
        let made = all("{a b c d} {e f} {g h}", "{h}");
        assert_eq!(made["less-precise-a"], "{a e} {b f} {c g} {h}");
    }

    #[test]
    fn a_missing_response_has_no_mentions() {
        let key = read("{a b} {c d}");
        let pair = DocumentPair { key: &key.documents[0], response: None };
        let made: Vec<String> =
            TRANSFORMATIONS.iter().map(|row| spelt(&row.apply(pair, &settings()))).collect();
        assert_eq!(made, ["", "{a c} {b d}", "{a c} {b d}", "", "", "{a} {b} {c} {d}", "{a b c d}"]);
    }

    #[test]
    fn zeros_of_the_key_are_placed_among_zeros_of_the_response() {
        let row =
            |id: &str, form: &str, misc: &str| format!("{id}\t{form}\t_\tX\t_\t_\t0\troot\t_\t{misc}\n");
        let zero = |id: &str, misc: &str| format!("{id}\t_\t_\tX\t_\t_\t_\t_\t1:x\t{misc}\n");
        let head = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n# sent_id = 1\n";
        let key = format!(
            "{head}{}{}{}{}\n",
            row("1", "was", "_"),
            zero("1.1", "Entity=(e1-x-1-)"),
            row("2", "her", "Entity=(e1-x-1-)"),
            row("3", "it", "Entity=(e2-x-1-)"),
        );
        let response = format!(
            "{head}{}{}{}\n",
            row("1", "was", "_"),
            row("2", "her", "_"),
            row("3", "it", "Entity=(e7-x-1-)"),
        );
        let format = FormatSpec::named("corefud").expect("the format exists");
        let read = |text: &str| {
            format.read(text.as_bytes(), "test", ReadOptions::default()).expect("the text is right")
        };
        let (key, response) = (read(&key), read(&response));
        let mut settings = Settings::of(Profile::for_format("corefud"));
        settings.set("singletons", "keep").expect("the option exists");
        let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
        // The zero has no place. A single entity remains, which cannot form a pair.
        let made = TRANSFORMATIONS[1].apply(pair, &settings);
        assert_eq!(made.mentions().len(), 1);
        let (_, places) = KeyWordPlaces::new(key.documents[0].words(), response.documents[0].words());
        assert_eq!((0..4).map(|word| places.of(word)).collect::<Vec<_>>(), [Some(0), None, Some(1), Some(2)]);
        let (_, places) = KeyWordPlaces::new(response.documents[0].words(), key.documents[0].words());
        assert_eq!((0..3).map(|word| places.of(word)).collect::<Vec<_>>(), [Some(0), Some(2), Some(3)]);
        // A zero that ends a sentence differs from one that starts the next.
        let next = format!("\n# sent_id = 2\n{}{}\n", zero("0.1", "_"), row("1", "so", "_"));
        let key = format!("{head}{}{}{next}", row("1", "was", "_"), zero("1.1", "_"));
        let response = format!("{head}{}{next}", row("1", "was", "_"));
        let (key, response) = (read(&key), read(&response));
        let (_, places) = KeyWordPlaces::new(key.documents[0].words(), response.documents[0].words());
        assert_eq!((0..4).map(|word| places.of(word)).collect::<Vec<_>>(), [Some(0), None, Some(1), Some(2)]);
    }

    /// Properties that hold for any response: added mentions create no correct link, and removed ones do not remove
    /// any.
    #[test]
    fn transformations_keep_the_correct_links() {
        let key = "{a b c d e} {f g h} {i j} {k} {l m n o p q r}";
        let responses = ["{a b x} {c f} {g h} {l m y}", "{a f i k l}", "{z y}", "{a} {b} {k}", key];
        let key = read(key);
        let metrics = ["pairwise", "mentions"].map(|id| Metric::parse(id).expect("the metric exists"));
        let task = Task { settings: settings(), metrics: metrics.to_vec(), by: None, threads: 1 };
        for response in responses {
            let response = read(response);
            let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
            let rows = probe(&[pair], &task, &mut Diagnostics::default()).expect("no groups were requested");
            let links = |row: usize| rows[row].results[0].score.recall;
            let mentions = |row: usize| rows[row].results[1].score;
            assert_eq!(rows[0].name, BASE);
            assert_eq!([links(1), links(2), links(3)], [links(0); 3]);
            assert!(mentions(1).precision <= mentions(0).precision || mentions(0).precision == 1.0);
            assert!(mentions(2).recall >= mentions(0).recall && mentions(3).recall >= mentions(0).recall);
            assert_eq!((mentions(4), mentions(5)), (mentions(0), mentions(0)));
            assert_eq!(links(4), 0.0);
            assert!(links(5) >= links(0));
            assert_eq!(TRANSFORMATIONS[4].apply(pair, &settings()).entities().len(), 1);
            let singletons = TRANSFORMATIONS[3].apply(pair, &settings());
            assert_eq!(singletons.entities().len(), singletons.mentions().len());
        }
    }
}
