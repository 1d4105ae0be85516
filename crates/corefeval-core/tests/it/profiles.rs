//! Every profile scores a case of its own as the scorer or task that it stands for: published figures,
//! or figures worked out by hand (`testdata/profiles/cases.json` says which).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::formats::{FormatSpec, ReadOptions, Side};
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::Corpus;
use corefeval_core::pairing::pair;
use corefeval_core::profiles::{PROFILES, Profile};
use corefeval_core::score::{Task, score_pairs};
use corefeval_core::settings::{Settings, Switch};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    profile: String,
    source: String,
    format: String,
    options: BTreeMap<String, String>,
    /// Of the files; empty for directories.
    extension: String,
    expect: BTreeMap<String, BTreeMap<String, f64>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/profiles")
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.json")).expect("the cases are there");
    serde_json::from_str(&text).expect("the cases are well-formed")
}

fn read(case: &Case, side: Side, settings: &Settings) -> Corpus {
    let dot = if case.extension.is_empty() { "" } else { "." };
    let name = format!("{}.{}{dot}{}", case.profile, side.label(), case.extension);
    let options = ReadOptions {
        keep_layers: settings.needs_layers(),
        side,
        span_end: settings.span_end,
        boundary_crossing: settings.boundary_crossing == Switch::Yes,
        annotation: settings.annotation,
        default_id: String::new(),
        ..ReadOptions::default()
    };
    let format = FormatSpec::named(&case.format).expect("a format");
    let read = Input::Path(folder().join(&name)).read(Some(format), &options, &AtomicU64::new(0));
    read.unwrap_or_else(|error| panic!("{name}: {error}")).0
}

#[test]
fn every_profile_gives_the_figures_of_what_it_stands_for() {
    let mut wrong = Vec::new();
    for case in cases() {
        for (metric, figures) in &case.expect {
            assert!(!figures.is_empty(), "{}: {metric} has no figure", case.profile);
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
        let report = score_pairs(&pairs, &task, &mut diagnostics).unwrap();
        for result in &report.results {
            let score = result.score;
            for (name, wanted) in &case.expect[&result.metric.to_string()] {
                let found = match name.as_str() {
                    "recall" => score.recall,
                    "precision" => score.precision,
                    "f1" => score.f1,
                    "value" => result.value.expect("a metric with values"),
                    other => panic!("{}: `{other}` is no figure", case.profile),
                };
                // ACE's rules make nothing worth less than 10⁻⁸ of anything, which hand figures leave out.
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
