//! Every profile scores a separate case like the scorer or task that it reproduces. The results are published or worked
//! out by hand (see `testdata/profiles/cases.json`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::Result;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Corpus, Side};
use corefeval_core::pairing::pair;
use corefeval_core::profiles::{PROFILES, Profile};
use corefeval_core::score::Task;
use corefeval_core::settings::{OPTIONS, Settings, Switch};
use corefeval_core::signature::signature;
use corefeval_core::tally::Tally;
use corefeval_core::weights::Weights;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Deserialize;

use crate::generators::check;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    profile: String,
    source: String,
    format: String,
    options: BTreeMap<String, String>,
    /// The extension of the files; empty for directories.
    extension: String,
    expect: BTreeMap<String, BTreeMap<String, f64>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/profiles")
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.json")).expect("the cases exist");
    serde_json::from_str(&text).expect("the cases are well-formed")
}

fn read(case: &Case, side: Side, settings: &Settings) -> Corpus {
    try_read(case, side, settings).unwrap_or_else(|error| panic!("{}: {error}", case.profile))
}

fn try_read(case: &Case, side: Side, settings: &Settings) -> Result<Corpus> {
    let dot = if case.extension.is_empty() { "" } else { "." };
    let name = format!("{}.{}{dot}{}", case.profile, side.label(), case.extension);
    let mut options = ReadOptions::with_layers();
    options.side = side;
    options.span_end = settings.span_end;
    options.boundary_crossing = settings.boundary_crossing == Switch::Yes;
    options.annotation = settings.annotation;
    let format = FormatSpec::named(&case.format).expect("a format");
    let read = Input::Path(folder().join(&name)).read(Some(format), &options, &AtomicU64::new(0));
    read.map(|(corpus, _)| corpus)
}

#[test]
fn every_profile_reproduces_its_scorer_or_task() {
    let mut wrong = Vec::new();
    for case in cases() {
        for (metric, results) in &case.expect {
            assert!(!results.is_empty(), "{}: {metric} has no results", case.profile);
        }
        let profile = Profile::named(&case.profile).expect("a profile");
        let mut settings = Settings::of(profile);
        for (name, value) in &case.options {
            settings.set(name, value).expect("an option");
        }
        let (key, response) = (read(&case, Side::Key, &settings), read(&case, Side::Response, &settings));
        let mut diagnostics = Diagnostics::default();
        let pairs = pair(&key, &response, &mut diagnostics).expect("documents pair");
        let metrics: Vec<Metric> =
            case.expect.keys().map(|metric| Metric::parse(metric).expect("a metric")).collect();
        let task = Task { settings, metrics, by: None, threads: 1 };
        let report = score_documents(&pairs, &task, &mut diagnostics).unwrap();
        for result in &report.results {
            let score = result.score;
            for (name, wanted) in &case.expect[&result.metric.to_string()] {
                let found = match name.as_str() {
                    "recall" => score.recall,
                    "precision" => score.precision,
                    "f1" => score.f1,
                    "value" => result.value.expect("a metric with values"),
                    other => panic!("{}: `{other}` is not a result", case.profile),
                };
                // Under ACE's rules a worthless match has a value below 10⁻⁸, which the values worked out by hand
                // ignore.
                let tolerance = if result.value.is_some() { 1e-7 } else { 1e-9 };
                if (found - wanted).abs() > tolerance {
                    let (profile, metric) = (&case.profile, result.metric);
                    wrong.push(format!(
                        "{profile}: {metric}: {name} {found}, wanted {wanted} ({})",
                        case.source
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_profile_has_a_case() {
    let cases = cases();
    for profile in PROFILES {
        assert!(cases.iter().any(|case| case.profile == profile.id), "{}", profile.id);
    }
}

/// A metric with its recall, precision and F1 (or its value), and its counts.
type Scored = (String, [f64; 3], Option<Tally>);

/// Returns the result of a case under the settings, or the error: scores, counts and values of each metric.
fn scored(case: &Case, settings: &Settings, metrics: &[Metric]) -> Result<Vec<Scored>> {
    let (key, response) = (try_read(case, Side::Key, settings)?, try_read(case, Side::Response, settings)?);
    let mut diagnostics = Diagnostics::default();
    let pairs = pair(&key, &response, &mut diagnostics)?;
    let task = Task { settings: settings.clone(), metrics: metrics.to_vec(), by: None, threads: 1 };
    let report = score_documents(&pairs, &task, &mut diagnostics)?;
    let results = report.results.into_iter().map(|result| {
        let score = [result.score.recall, result.score.precision, result.score.f1];
        (format!("{} {:?} {:?}", result.metric, result.value, result.values), score, result.tally)
    });
    Ok(results.collect())
}

/// A signature leaves out only settings that do not affect the report.
#[test]
fn settings_that_a_signature_leaves_out_change_nothing() {
    let cases = cases();
    let changes = vec((0..OPTIONS.len(), any::<prop::sample::Index>()), 0..6);
    let chosen = vec(any::<prop::sample::Index>(), 1..4);
    let values = (0..cases.len(), 0..PROFILES.len(), changes, chosen, any::<bool>());
    check(400, values, |(case, profile, changes, chosen, weighted)| {
        let case = &cases[case];
        let mut settings = Settings::of(&PROFILES[profile]);
        for (option, value) in changes {
            let values: Vec<&str> = OPTIONS[option].ids().collect();
            settings.set(OPTIONS[option].name, value.get::<&str>(&values)).expect("a value of the option");
        }
        let all = [Metric::all_for(&case.format), Metric::weighted()].concat();
        let names = ["cone_b_cubed", "ace_value"].map(|id| Metric::parse(id).expect("a metric"));
        let all = [all, names.to_vec()].concat();
        let metrics: Vec<Metric> = chosen.iter().map(|index| *index.get(&all)).collect();
        let needs_weights = metrics.iter().any(Metric::uses_weights);
        settings.weights = (weighted || needs_weights).then(|| Weights::open("ace").expect("a preset"));
        let printed = signature(&settings, &case.format, &metrics);
        let again = Settings::from_signature(&printed).expect("a signature reads back");
        assert_eq!(signature(&again, &case.format, &metrics), printed);
        let (first, second) = (scored(case, &settings, &metrics), scored(case, &again, &metrics));
        assert_eq!(first.is_ok(), second.is_ok(), "{printed}\n{settings:?}");
        if let (Ok(first), Ok(second)) = (first, second) {
            assert_eq!(format!("{first:?}"), format!("{second:?}"), "{printed}\n{settings:?}");
        }
    });
}
