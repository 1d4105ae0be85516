//! Any options on any two documents, with repeated, nested, discontinuous and empty mentions and split antecedents,
//! through `Evaluation`: nothing panics, every score is a number, and no score exceeds 1 unless mentions are repeated.
#![no_main]

use std::sync::Arc;

use arbitrary::Arbitrary;
use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request};
use corefeval_core::formats::FormatSpec;
use corefeval_core::groups::{By, GROUPS};
use corefeval_core::model::Document;
use corefeval_core::profiles::PROFILES;
use corefeval_core::settings::OPTIONS;
use corefeval_fuzz::Annotated;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Case {
    key: Annotated,
    response: Annotated,
    profile: u8,
    options: Vec<(u8, u8)>,
    /// True if repeated mentions and split antecedents are left out.
    each_once: bool,
    by: Option<u8>,
}

static OF_PROGRAM: FormatSpec = FormatSpec::of_program("program", "documents of the fuzzer");

fn input(name: &str, document: Document) -> NamedInput {
    NamedInput::documents(name, vec![Arc::new(document)], &OF_PROGRAM)
}

fuzz_target!(|case: Case| {
    let (Some(key), Some(response)) = (case.key.document(), case.response.document()) else { return };
    let inputs = Inputs::OneKey { key: input("key", key), responses: vec![input("response", response)] };
    let profile = &PROFILES[usize::from(case.profile) % PROFILES.len()];
    let mut request = Request::new(inputs).threads(1).allow_empty(true).max_memory(0);
    request = request.profile(profile).and_then(|request| request.metrics("all")).expect("one profile");
    for &(option, value) in case.options.iter().take(8) {
        let option = &OPTIONS[usize::from(option) % OPTIONS.len()];
        let values: Vec<&str> = option.ids().collect();
        let value = values[usize::from(value) % values.len()];
        request = request.choose(option.name, value).expect("a value of the option");
    }
    if case.each_once {
        for (option, value) in [("duplicates", "distinct"), ("split-antecedents", "drop")] {
            request = request.choose(option, value).expect("a value of the option");
        }
    }
    if let Some(by) = case.by {
        request = request.by(By::one(&GROUPS[usize::from(by) % GROUPS.len()]));
    }
    let Ok(report) = Evaluation::new(request).and_then(|evaluation| evaluation.score()) else { return };
    for result in report.systems.iter().flat_map(|system| &system.results) {
        let id = result.metric.to_string();
        for part in [result.score.recall, result.score.precision, result.score.f1] {
            assert!(part.is_finite(), "{id} {part}");
            let bounded = case.each_once && !["adjusted_rand", "blanc"].contains(&id.as_str());
            assert!(!bounded || (-1e-9..=1.0 + 1e-9).contains(&part), "{id} {part}");
        }
    }
});
