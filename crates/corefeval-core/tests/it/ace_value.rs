//! ACE-value against values worked out by hand, and against its plain twin on random texts.

use crate::twins::ace_value as twin;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use corefeval_core::ace_parameters::AceChanges;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::ReadOptions;
use corefeval_core::groups::By;
use corefeval_core::input::Input;
use corefeval_core::metrics::{Metric, ValueCounts, ValueTable};
use corefeval_core::model::{
    AceEntity, AceHead, AceMention, AceMentionType, AceSection, Corpus, Document, DocumentBuilder,
    DocumentId, EntityId, WordsBuilder,
};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::Profile;
use corefeval_core::results::DocumentReport;
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;
use corefeval_core::tally::Tally;

use crate::random::Rng;
use twin::{Entity, Mention, Row, Text, Twin, mentions_alone};

const YEARS: [u32; 5] = [2003, 2004, 2005, 2007, 2008];

fn document(place: usize, entities: &[Entity]) -> Document {
    let id = DocumentId::new(format!("text-{place}"));
    let mut builder = DocumentBuilder::new(id, Arc::from("x"), 1);
    let mut section = AceSection { source: "newswire".to_owned(), entities: Vec::new() };
    let owned = |value: Option<&str>| value.map(str::to_owned);
    for entity in entities {
        let mention = |mention: &Mention| AceMention {
            kind: AceMentionType::ALL[mention.kind],
            role: owned(mention.role),
            metonymic: mention.metonymic,
            head: mention.head.map(|(start, length)| AceHead {
                characters: start..start + length,
                text: mention.text.to_owned(),
            }),
        };
        section.entities.push(AceEntity {
            entity: EntityId::new(builder.entities.len()),
            kind: entity.kind.to_owned(),
            subtype: owned(entity.subtype),
            class: owned(entity.class),
            names: Vec::new(),
            mentions: entity.mentions.iter().map(mention).collect(),
        });
        builder.entities.push(entity.name.to_string().into());
    }
    builder.ace.push(section);
    builder.finish(WordsBuilder::new(false).finish()).unwrap()
}

/// Returns the table of a metric under the rules of a year.
fn table(texts: &[Text], year: u32, metric: &str) -> ValueTable {
    let sides: Vec<_> =
        texts.iter().enumerate().map(|(n, text)| (document(n, &text.0), document(n, &text.1))).collect();
    let pairs: Vec<_> =
        sides.iter().map(|(key, response)| DocumentPair { key, response: Some(response) }).collect();
    let profile = Profile::named(&format!("ace-{year}")).expect("every year has a profile");
    let task = Task {
        settings: Settings::of(profile),
        metrics: vec![Metric::parse(metric).expect("a metric")],
        by: By::named("document").ok(),
        threads: 1,
    };
    let report = score_documents(&pairs, &task, &mut Diagnostics::default()).unwrap();
    let reference =
        |document: DocumentReport| document.results[0].values.as_ref().expect("a table").total.reference;
    let sum: u64 = report.documents.iter().map(reference).sum();
    let table = report.results[0].values.as_ref().expect("a table");
    assert_eq!(sum, table.total.reference, "documents add up");
    (**table).clone()
}

fn mention(kind: usize, start: u32) -> Mention {
    Mention { kind, role: None, metonymic: false, head: Some((start, 4)), text: "head" }
}

fn entity(name: u32, kind: &'static str, mentions: &[(usize, u32)]) -> Entity {
    let mentions = mentions.iter().map(|&(kind, start)| mention(kind, start)).collect();
    Entity { name, kind, subtype: Some("Group"), class: Some("SPC"), mentions }
}

const NAM: usize = 0;
const NOM: usize = 1;
const PRO: usize = 2;

/// A person with a name and a pronoun, an organisation with a name: worth 1 each.
fn two() -> Vec<Entity> {
    vec![entity(1, "PER", &[(NAM, 0), (PRO, 10)]), entity(2, "ORG", &[(NAM, 20)])]
}

/// Checks the values under the rules of 2005 and 2007, and the counts: reference, false alarm, miss, error.
fn check(key: &[Entity], response: &[Entity], values: [f64; 2], counts: [u64; 4]) {
    for (year, wanted) in [2005, 2007].into_iter().zip(values) {
        let total = table(&[(key.to_vec(), response.to_vec())], year, "ace_value").total;
        let value = total.row().value;
        assert!((value - wanted).abs() < 1e-7, "{year}: {value}, wanted {wanted}");
        assert_eq!([total.reference, total.false_alarm, total.miss, total.error], counts, "{year}");
    }
}

#[test]
fn a_perfect_response_is_worth_all_and_an_empty_one_nothing() {
    let mut key = two();
    key.push(Entity { class: Some("GEN"), ..entity(3, "GPE", &[(NOM, 30), (NOM, 36), (PRO, 42)]) });
    let renamed = key.iter().rev().map(|entity| Entity { name: entity.name + 7, ..entity.clone() }).collect();
    let texts = [(key.clone(), renamed)];
    for year in YEARS {
        for metric in ["ace_value", "ace_mention_value"] {
            let total = table(&texts, year, metric).total;
            assert_eq!((total.row().value, total.row().score.f1), (1.0, 1.0), "{year} {metric}");
            assert_eq!((total.false_alarm, total.miss, total.error), (0, 0, 0), "{year} {metric}");
            let empty = table(&[(key.clone(), Vec::new())], year, metric).total;
            assert_eq!((empty.row().value, empty.miss), (0.0, empty.reference), "{year} {metric}");
        }
    }
    check(&key, &[], [0.0; 2], [3, 0, 3, 0]);
}

/// The entity keeps a half, and its mention, whose role is the type, nine tenths: 1 + 0.45 of 2.
#[test]
fn another_type() {
    let mut response = two();
    response[1].kind = "GPE";
    check(&two(), &response, [0.725; 2], [2, 0, 0, 1]);
}

/// Nine tenths of the second.
#[test]
fn another_subtype() {
    let mut response = two();
    response[1].subtype = None;
    check(&two(), &response, [0.95; 2], [2, 0, 0, 1]);
}

/// The smaller weight of a generic entity is 0.
#[test]
fn another_class() {
    let mut response = two();
    response[1].class = Some("GEN");
    check(&two(), &response, [0.5; 2], [2, 0, 0, 1]);
}

#[test]
fn a_missed_entity_and_a_missed_mention() {
    check(&two(), &two()[..1], [0.5; 2], [2, 0, 1, 0]);
    let mut response = two();
    response[0].mentions.pop();
    check(&two(), &response, [(1.0 / 1.1 + 1.0) / 2.0; 2], [2, 0, 0, 0]);
}

/// Under the rules of 2005 an extra entity costs three quarters of three quarters, later three quarters.
#[test]
fn entities_too_many_cost_without_end() {
    let mut response = two();
    response.push(entity(3, "WEA", &[(NAM, 30)]));
    check(&two(), &response, [(2.0 - 0.5625) / 2.0, (2.0 - 0.75) / 2.0], [2, 1, 0, 0]);
    response.extend((4..11).map(|name| entity(name, "WEA", &[(NAM, 10 * name)])));
    check(&two(), &response, [(2.0 - 8.0 * 0.5625) / 2.0, (2.0 - 8.0 * 0.75) / 2.0], [2, 8, 0, 0]);
}

/// An extra mention costs 0.75 of 1.1; in 2007 0.75 of the weight of the response's own entity, 2.1.
#[test]
fn a_mention_too_many() {
    let mut response = two();
    response[0].mentions.push(mention(NAM, 40));
    let wanted = [(1.0 - 0.75 / 1.1 + 1.0) / 2.0, (1.0 - 0.75 / 2.1 + 1.0) / 2.0];
    check(&two(), &response, wanted, [2, 0, 0, 0]);
}

/// The larger part has 1.5 of 2.5; the other costs nothing in 2005, since its mention is in the key.
#[test]
fn a_split_entity() {
    let key = [entity(1, "PER", &[(NAM, 0), (NAM, 10), (NOM, 20)])];
    let response = [entity(1, "PER", &[(NAM, 0)]), entity(2, "PER", &[(NAM, 10), (NOM, 20)])];
    check(&key, &response, [0.6, 0.6 - 0.75], [1, 1, 0, 0]);
}

/// One of the two is found and the other missed; in 2007 the mention of the other costs 0.75 of a half.
#[test]
fn merged_entities() {
    let key = [entity(1, "PER", &[(NAM, 0)]), entity(2, "PER", &[(NAM, 10)])];
    let response = [entity(1, "PER", &[(NAM, 0), (NAM, 10)])];
    check(&key, &response, [0.5, (1.0 - 0.375) / 2.0], [2, 0, 1, 0]);
}

/// 0.5 of 1.5, and in 2005 the smaller level.
#[test]
fn a_lower_level() {
    let key = [entity(1, "PER", &[(NAM, 0), (NOM, 10)])];
    let response = [entity(1, "PER", &[(NOM, 10)])];
    check(&key, &response, [0.5 / 1.5 * 0.5, 0.5 / 1.5], [1, 0, 0, 1]);
}

/// A nominal instead of a name is worth 0.5 × 0.9; in 2005 the level halves it again.
#[test]
fn another_type_of_mention() {
    let key = [entity(1, "PER", &[(NAM, 0)])];
    check(&key, &[entity(1, "PER", &[(NOM, 0)])], [0.225, 0.45], [1, 0, 0, 1]);
}

#[test]
fn another_role_and_style() {
    let key = [entity(1, "GPE", &[(NAM, 0)])];
    let mut response = key.clone();
    response[0].mentions[0].role = Some("ORG");
    check(&key, &response, [0.9; 2], [1, 0, 0, 0]);
    response[0].mentions[0].metonymic = true;
    check(&key, &response, [0.81; 2], [1, 0, 0, 0]);
}

/// Heads 0–9 and 7–16 share three of ten characters, 8–17 two.
#[test]
fn heads_overlap_enough_or_not() {
    let with = |start: u32| {
        let mut side = entity(1, "PER", &[(NAM, 0)]);
        side.mentions[0].head = Some((start, 10));
        [side]
    };
    check(&with(0), &with(7), [1.0; 2], [1, 0, 0, 0]);
    check(&with(0), &with(8), [-0.5625, -0.75], [1, 1, 1, 0]);
    let mut without = with(0);
    without[0].mentions[0].head = None;
    check(&without, &without, [-0.5625, -0.75], [1, 1, 1, 0]);
}

/// In 2007 heads at the same place with different texts are different.
#[test]
fn texts_of_heads_matter_in_2007() {
    let key = vec![entity(1, "PER", &[(NAM, 0)])];
    let mut response = key.clone();
    response[0].mentions[0].text = "root";
    for (year, wanted) in [(2005, 1.0), (2007, -0.75), (2008, 1.0)] {
        let value = table(&[(key.clone(), response.clone())], year, "ace_value").total.row().value;
        assert!((value - wanted).abs() < 1e-7, "{year}: {value}");
    }
}

/// An entity in two texts is one entity: a response that makes it two finds one of them.
#[test]
fn entities_cross_documents_by_name() {
    let text = |name: u32| vec![entity(name, "PER", &[(NAM, 0)])];
    let total = table(&[(text(1), text(1)), (text(1), text(2))], 2005, "ace_value").total;
    assert_eq!((total.reference, total.miss, total.false_alarm), (2, 1, 1));
    assert!((total.row().value - 0.5).abs() < 1e-7);
    let total = table(&[(text(1), text(5)), (text(1), text(5))], 2005, "ace_value").total;
    assert_eq!(total.row().value, 1.0);
}

/// By level the response belongs to the small entity (1 − 0.5 against 2/3 − 0.25), by mentions to the
/// large one (2 − 0.75 against 1 − 1.5); the value is by level.
#[test]
fn in_2008_entities_are_paired_by_their_mentions() {
    let key = vec![entity(1, "PER", &[(NAM, 0), (NAM, 10), (NAM, 20)]), entity(2, "PER", &[(NAM, 30)])];
    let response = vec![entity(1, "PER", &[(NAM, 0), (NAM, 10), (NAM, 30)])];
    for (year, wanted) in [(2007, 0.5 / 2.0), (2008, (2.0 / 3.0 - 0.25) / 2.0)] {
        let value = table(&[(key.clone(), response.clone())], year, "ace_value").total.row().value;
        assert!((value - wanted).abs() < 1e-7, "{year}: {value}");
    }
}

/// A person is worth 1, an organisation 0.5, a nominal facility 0.05 × 0.2.
#[test]
fn the_first_weights_are_by_type() {
    let mut key = two();
    key.push(entity(3, "FAC", &[(NOM, 30)]));
    for year in [2003, 2004] {
        let table = table(&[(key.clone(), key[1..].to_vec())], year, "ace_value");
        assert!((table.total.row().value - 0.51 / 1.51).abs() < 1e-7);
        let share = |kind: &str| table.groups[0][kind].share(&table.total);
        assert!((share("FAC") - 0.01 / 1.51).abs() < 1e-7 && (share("PER") - 1.0 / 1.51).abs() < 1e-7);
    }
}

/// The values of a type that the key lacks stay finite.
#[test]
fn a_type_that_only_the_response_has() {
    let mut response = two();
    response.push(entity(3, "WEA", &[(NAM, 30)]));
    let row = table(&[(two(), response)], 2005, "ace_value").groups[0]["WEA"].row();
    assert_eq!((row.value, row.costs, row.score.f1), (-9.999, [9.999, 0.0, 0.0], 0.0));
}

/// A group is named by the key's annotation: type, level, class, subtype, source, number of mentions.
#[test]
fn groups_are_named_by_the_key() {
    let mentions: Vec<(usize, u32)> = (0..5).map(|n| (NOM, 10 * n)).collect();
    let groups = table(&[(vec![entity(1, "PER", &mentions)], Vec::new())], 2005, "ace_value").groups;
    let names: Vec<Vec<&str>> =
        groups.iter().map(|group| group.keys().map(String::as_str).collect()).collect();
    assert_eq!(names, [["PER"], ["NOM"], ["SPC"], ["Group"], ["newswire"], ["5-8"]]);
}

/// The values of documents add up to that of the corpus, under any rules and for any texts.
#[test]
fn counts_of_documents_give_the_value() {
    let mut random = Rng(7);
    for round in 0..400 {
        let mut texts: Vec<Text> = Vec::new();
        for _ in 0..3 {
            let key = random.side();
            let response = random.response(&key);
            texts.push((key, response));
        }
        let year = YEARS[round % YEARS.len()];
        let metric = Metric::parse("ace_value").expect("a metric");
        let sides: Vec<_> =
            texts.iter().enumerate().map(|(n, text)| (document(n, &text.0), document(n, &text.1))).collect();
        let pairs: Vec<_> =
            sides.iter().map(|(key, response)| DocumentPair { key, response: Some(response) }).collect();
        let settings = Settings::of(Profile::named(&format!("ace-{year}")).expect("a profile"));
        let values = metric.corpus_values(&pairs, &settings).expect("values");
        let mut sum = Tally::default();
        values.documents.iter().for_each(|document| sum.add(&document.total.tally()));
        let (found, wanted) = (metric.score(&sum, &settings.rules()), values.corpus.total.row());
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(near(found.f1, wanted.value), "{year}: {found:?} {wanted:?} {texts:#?}");
        assert!(near(found.recall, wanted.score.recall), "{year}: {found:?} {wanted:?}");
        assert!(near(found.precision, wanted.score.precision), "{year}: {found:?} {wanted:?}");
    }
}

/// A name is a nominal in the response. The smaller weight 0.5 less the share for another type, 0.9, is 0.45 of 0.5 / 1
/// (by level); a confusion of 0.3 is 0.3 of it.
#[test]
fn confusions_take_the_place_of_the_lesser_weight() {
    let text = || (vec![entity(1, "PER", &[(NAM, 0)])], vec![entity(1, "PER", &[(NOM, 0)])]);
    let value = |changes: &str| {
        let (key, response) = (document(0, &text().0), document(0, &text().1));
        let mut settings = Settings::of(Profile::named("ace-2005").expect("a profile"));
        settings.ace_changes = AceChanges::parse(changes, settings.ace).expect("parameters");
        let metric = Metric::parse("ace_value").expect("a metric");
        let pair = DocumentPair { key: &key, response: Some(&response) };
        metric.corpus_values(&[pair], &settings).expect("values").corpus.total.row().value
    };
    let plain = value("confusion.PRO-NAM=1");
    assert!((plain - 0.5 * 0.45).abs() < 1e-6, "{plain}");
    let confused = value("confusion.NAM-NOM=0.3");
    assert!((confused - 0.5 * 0.3).abs() < 1e-6, "{confused}");
}

/// LitBank names entities and mentions by type: a person with a name and a pronoun is worth 1, two
/// nominal vehicles 0.5 each.
#[test]
fn other_formats_have_values_by_their_types() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    let read = |sample: &str| {
        let input = Input::Path(samples.join(sample));
        let loaded = input.read(None, &ReadOptions::default(), &AtomicU64::new(0));
        loaded.unwrap_or_else(|error| panic!("{error}")).0
    };
    let score = |corpus: &Corpus| {
        let pair = |document| DocumentPair { key: document, response: Some(document) };
        let pairs: Vec<_> = corpus.documents.iter().map(pair).collect();
        let settings = Settings::of(Profile::named("ace-2005").expect("a profile"));
        let metric = Metric::parse("ace_value").expect("a metric");
        metric.corpus_values(&pairs, &settings).expect("values").corpus
    };
    let table = score(&read("brat/litbank.ann"));
    assert_eq!((table.total.reference, table.total.row().value), (3, 1.0));
    let share = |kind: &str| table.groups[0][kind].share(&table.total);
    assert!((share("PER") - 0.5).abs() < 1e-7 && (share("VEH") - 0.5).abs() < 1e-7);
    let mut scored = 0;
    for format in ["brat", "conll", "conll-ua", "corefud", "jsonlines", "webanno"] {
        let entries = std::fs::read_dir(samples.join(format)).expect("the samples exist");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        for path in paths.filter(|path| path.extension().is_some_and(|end| end != "json" && end != "txt")) {
            let input = Input::Path(path.clone());
            let Ok((corpus, _)) = input.read(None, &ReadOptions::default(), &AtomicU64::new(0)) else {
                continue;
            };
            let total = score(&corpus).total;
            if total.reference > 0 {
                assert_eq!(total.row().value, 1.0, "{}", path.display());
                scored += 1;
            }
        }
    }
    assert!(scored > 100, "{scored}");
}

impl Rng {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn mention(&mut self) -> Mention {
        Mention {
            kind: self.below(3) as usize,
            role: self.pick(&[None, None, None, Some("PER"), Some("GPE")]),
            metonymic: self.below(6) == 0,
            head: (self.below(12) > 0).then(|| (self.below(14) as u32, 1 + self.below(5) as u32)),
            text: self.pick(&["head", "head", "root"]),
        }
    }

    fn entity(&mut self, name: u32) -> Entity {
        Entity {
            name,
            kind: self.pick(&["PER", "PER", "GPE", "FAC"]),
            subtype: self.pick(&[None, Some("Nation")]),
            class: self.pick(&[Some("SPC"), Some("SPC"), Some("GEN"), None]),
            mentions: (0..1 + self.below(3)).map(|_| self.mention()).collect(),
        }
    }

    fn side(&mut self) -> Vec<Entity> {
        let names: Vec<u32> = (0..4).filter(|_| self.below(2) == 0).collect();
        names.into_iter().map(|name| self.entity(name)).collect()
    }

    /// Returns a response that shares some annotation with the key.
    fn response(&mut self, key: &[Entity]) -> Vec<Entity> {
        let mut side = self.side();
        for entity in &mut side {
            for mention in &mut entity.mentions {
                if !key.is_empty() && self.below(2) == 0 {
                    let ours = &key[self.below(key.len() as u64) as usize].mentions;
                    *mention = ours[self.below(ours.len() as u64) as usize].clone();
                }
            }
        }
        side
    }
}

/// The order of documents, entities or mentions has no effect.
#[test]
fn order_does_not_matter() {
    let mut random = Rng(1999);
    for _ in 0..500 {
        let mut texts: Vec<Text> = Vec::new();
        for _ in 0..3 {
            let key = random.side();
            let response = random.response(&key);
            texts.push((key, response));
        }
        let year = random.pick(&[2004, 2005]);
        let found = table(&texts, year, "ace_value").total.row();
        texts.reverse();
        for entities in texts.iter_mut().flat_map(|(key, response)| [key, response]) {
            entities.reverse();
            entities.iter_mut().for_each(|entity| entity.mentions.reverse());
        }
        let again = table(&texts, year, "ace_value").total.row();
        assert_eq!((found.value, found.score), (again.value, again.score), "{year} {texts:#?}");
    }
}

fn row_of(counts: &ValueCounts) -> Row {
    let row = counts.row();
    (
        [counts.reference, counts.false_alarm, counts.miss, counts.error],
        [row.value, row.costs[0], row.costs[1], row.costs[2]],
    )
}

/// Returns the twin's amounts as ratios.
fn ratios(row: &Row) -> [f64; 4] {
    let [value, false_alarm, miss, lost] = row.1;
    let of = |cost: f64| match (cost == 0.0, value == 0.0) {
        (true, true) => 0.0,
        (false, true) => 9.999_f64.copysign(cost),
        _ => (cost / value).clamp(-9.999, 9.999),
    };
    [of(value - miss - lost - false_alarm), of(false_alarm), of(miss), of(lost)]
}

fn agrees(table: &ValueTable, wanted: &BTreeMap<String, Row>) -> bool {
    let mut found: BTreeMap<String, Row> =
        table.groups[0].iter().map(|(name, counts)| (name.clone(), row_of(counts))).collect();
    if !found.is_empty() {
        found.insert(String::new(), row_of(&table.total));
    }
    let same = |ours: &Row, theirs: &Row| {
        // Rounding is visible if the whole key has almost no value.
        let tolerance = if theirs.1[0] < 1e-6 { 1e-4 } else { 1e-9 };
        ours.0 == theirs.0 && ours.1.iter().zip(ratios(theirs)).all(|(a, b)| (a - b).abs() < tolerance)
    };
    found.len() == wanted.len()
        && found.iter().all(|(name, row)| wanted.get(name).is_some_and(|other| same(row, other)))
}

#[test]
fn the_library_agrees_with_the_plain_twin() {
    let mut random = Rng(2004);
    for round in 0..3_000 {
        let texts: Vec<Text> = (0..1 + random.below(2))
            .map(|_| {
                let key = random.side();
                let response = random.response(&key);
                (key, response)
            })
            .collect();
        let year = random.pick(&YEARS);
        let twin = Twin { year };
        let found = table(&texts, year, "ace_value");
        let wanted = twin.rows(&texts);
        assert!(
            wanted.iter().any(|wanted| agrees(&found, wanted)),
            "{round}: {year}\n{texts:#?}\nfound {found:#?}\nwanted one of {wanted:#?}"
        );
        let alone = mentions_alone(&texts);
        if alone.iter().all(|text| text.0.len().min(text.1.len()) <= 4) && alone.len() == 1 {
            let found = table(&texts, year, "ace_mention_value");
            let wanted = twin.rows(&alone);
            assert!(
                wanted.iter().any(|wanted| agrees(&found, wanted)),
                "{round}: {year}\n{texts:#?}\nfound {found:#?}\nwanted one of {wanted:#?}"
            );
        }
    }
}
