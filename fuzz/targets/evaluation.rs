//! Any options on any two documents, with repeated, nested, discontinuous and empty mentions and split antecedents:
//! nothing panics, every score is a number, and none is above 1 where each mention counts once.
#![no_main]

use std::sync::Arc;

use arbitrary::Arbitrary;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{
    Document, DocumentBuilder, DocumentId, EntityId, Mention, Relations, Span, SplitAntecedent, WordsBuilder,
};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::PROFILES;
use corefeval_core::score::Task;
use corefeval_core::settings::{Duplicates, OPTIONS, Settings, SplitAntecedents};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Case {
    key: Vec<(u8, u8, u8)>,
    response: Vec<(u8, u8, u8)>,
    sums: [Vec<(u8, u8)>; 2],
    profile: u8,
    options: Vec<(u8, u8)>,
}

const WORDS: u32 = 12;
const ZEROS: u32 = 3;
const ENTITIES: u8 = 6;

fn document(mentions: &[(u8, u8, u8)], sums: &[(u8, u8)]) -> Option<Document> {
    let mut words = WordsBuilder::new(false);
    for word in 0..WORDS {
        words.push(&[b'a' + word as u8]);
        if word % 5 == 4 {
            words.end_sentence();
        }
    }
    (0..ZEROS).for_each(|_| _ = words.push_empty_node());
    let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
    document.entities = (0..ENTITIES).map(|entity| format!("e{entity}").into()).collect();
    for &(entity, start, length) in mentions.iter().take(40) {
        let start = u32::from(start) % (WORDS + ZEROS);
        let end = match start < WORDS {
            true => (start + 1 + u32::from(length) % 4).min(WORDS),
            false => start + 1,
        };
        let entity = EntityId::new(usize::from(entity % ENTITIES));
        document.mentions.push(Mention::new(Span::new(start, end)?, entity, 1, 1));
    }
    let mut splits: Vec<SplitAntecedent> = Vec::new();
    for &(sum, part) in sums.iter().take(8) {
        let (sum, part) = (EntityId::new(usize::from(sum % ENTITIES)), EntityId::new(usize::from(part % ENTITIES)));
        match splits.iter_mut().find(|split| split.entity == sum) {
            Some(split) if split.parts.contains(&part) => {}
            Some(split) => split.parts.push(part),
            None => splits.push(SplitAntecedent { entity: sum, parts: vec![part], line: 1 }),
        }
    }
    if !splits.is_empty() {
        document.relations = Some(Box::new(Relations { split_antecedents: splits, ..Relations::default() }));
    }
    document.finish(words.finish()).ok()
}

fuzz_target!(|case: Case| {
    let sides = [(&case.key, &case.sums[0]), (&case.response, &case.sums[1])];
    let [Some(key), Some(response)] = sides.map(|(mentions, sums)| document(mentions, sums)) else { return };
    let mut settings = Settings::of(&PROFILES[usize::from(case.profile) % PROFILES.len()]);
    for &(option, value) in case.options.iter().take(8) {
        let option = &OPTIONS[usize::from(option) % OPTIONS.len()];
        let values: Vec<&str> = option.ids().collect();
        settings.set(option.name, values[usize::from(value) % values.len()]).expect("a value of the option");
    }
    let distinct = settings.duplicates == Duplicates::Distinct && settings.split_antecedents == SplitAntecedents::Drop;
    let metrics = Metric::all_for("conll-ua");
    let pairs = [DocumentPair { key: &key, response: Some(&response) }];
    let task = Task { settings, metrics, by: None, threads: 1 };
    let Ok(report) = score_documents(&pairs, &task, &mut Diagnostics::default()) else { return };
    for result in report.results {
        for part in [result.score.recall, result.score.precision, result.score.f1] {
            assert!(part.is_finite(), "{} {part}", result.metric);
            let id = result.metric.to_string();
            let bounded = distinct && id != "adjusted_rand" && id != "blanc";
            assert!(!bounded || (-1e-9..=1.0 + 1e-9).contains(&part), "{} {part}", result.metric);
        }
    }
});
