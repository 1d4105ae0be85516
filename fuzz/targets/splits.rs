//! Split antecedents with every treatment of repeated mentions and every rule of matching: every score is a number; where
//! no mention is repeated, every treatment gives the same scores; and a document scored against itself gets full
//! scores.
#![no_main]

use std::collections::BTreeSet;

use arbitrary::Arbitrary;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Document, Span};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::PROFILES;
use corefeval_core::results::MetricResult;
use corefeval_core::score::Task;
use corefeval_core::settings::{OPTIONS, Settings};
use corefeval_fuzz::Annotated;
use libfuzzer_sys::fuzz_target;

/// The chosen options.
const CHOSEN: [&str; 6] =
    ["match", "split-antecedents", "split-parts", "singletons", "zero-match", "extra-mentions"];
const METRICS: [&str; 7] = ["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "lea", "blanc"];

#[derive(Arbitrary, Debug)]
struct Case {
    key: Annotated,
    response: Annotated,
    duplicates: u8,
    values: [u8; CHOSEN.len()],
}

/// Returns the value of an option that a number chooses.
fn value(option: &str, number: u8) -> &'static str {
    let option = OPTIONS.iter().find(|row| row.name == option).expect("an option");
    let values: Vec<&str> = option.ids().collect();
    values[usize::from(number) % values.len()]
}

fn scores(key: &Document, response: &Document, settings: &Settings) -> Option<Vec<MetricResult>> {
    let metrics = METRICS.iter().map(|id| Metric::parse(id).expect("a metric")).collect();
    let pairs = [DocumentPair { key, response: Some(response) }];
    let task = Task { settings: settings.clone(), metrics, by: None, threads: 1 };
    Some(score_documents(&pairs, &task, &mut Diagnostics::default()).ok()?.results)
}

/// Returns whether no two mentions have the same first and last word. Such mentions can have the same minimum span, which
/// omits gaps in documents without trees, and are then repeated.
fn has_each_mention_once(document: &Document) -> bool {
    let mut seen = BTreeSet::new();
    let extent = |parts: &[Span]| Some((parts.first()?.start(), parts.last()?.end()));
    document.mentions().iter().all(|mention| seen.insert(extent(mention.parts())))
}

fuzz_target!(|case: Case| {
    let (Some(key), Some(response)) = (case.key.document(), case.response.document()) else { return };
    let mut settings = Settings::of(&PROFILES[0]);
    for (option, number) in CHOSEN.iter().zip(case.values) {
        settings.set(option, value(option, number)).expect("a value of the option");
    }
    let mut one = settings.clone();
    one.set("duplicates", value("duplicates", case.duplicates)).expect("a value of the option");
    let Some(found) = scores(&key, &response, &one) else { return };
    for result in &found {
        for part in [result.score.recall, result.score.precision, result.score.f1] {
            assert!(part.is_finite(), "{} {part}", result.metric);
        }
    }
    if !has_each_mention_once(&key) {
        return;
    }
    if has_each_mention_once(&response) {
        let usual = scores(&key, &response, &settings).expect("scored as before");
        for (one, other) in found.iter().zip(&usual) {
            assert_eq!(one.score, other.score, "{}", one.metric);
        }
    }
    for result in scores(&key, &key, &one).into_iter().flatten() {
        for part in result.parts().into_iter().flatten() {
            assert!((part - 1.0).abs() < 1e-9, "{} of a document against itself: {part}", result.metric);
        }
    }
});
