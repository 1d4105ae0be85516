//! The library and the command agree: `Evaluation` and the program give the same bytes.

use corefeval_core::diagnostic::Code;
use corefeval_core::evaluation::{
    Agree, Compare, Cone, ConeReport, Correlate, Errors, Evaluation, Inputs, Request,
};
use corefeval_core::groups::By;
use corefeval_core::metrics::Metric;
use corefeval_core::wording::Part;
use corefeval_report::{OutputSpec, Printable, Style, rows_of_scores};

use crate::common::{root, run};

/// Returns the request for a key and responses, by paths from the root of the repository.
fn request(key: &str, responses: &[&str]) -> Request {
    let path = |path: &str| root().join(path).display().to_string();
    let responses: Vec<String> = responses.iter().map(|response| path(response)).collect();
    Request::files(&path(key), responses.iter().map(String::as_str)).expect("inputs")
}

/// Compares a report with the output of the command for `typed`, as JSON and as a table.
fn same(typed: &[&str], report: &dyn Printable) {
    for output in ["json", "table"] {
        let spec = OutputSpec::named(output, report.kind()).expect("an output");
        let ours = spec.render(report, Style::default()).expect("a report");
        let all: Vec<&str> = typed.iter().copied().chain(["-q", "-o", output]).collect();
        let theirs = run(&all, 0).0;
        let root = format!("{}/", root().display());
        assert_eq!(ours.replace(&root, ""), theirs, "{all:?}");
    }
}

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";
const BIRCH: &str = "examples/birch.conll";

fn evaluation() -> Evaluation {
    Evaluation::new(request(KEY, &[ALDER, BIRCH])).expect("a request")
}

#[test]
fn score_gives_the_same_bytes() {
    same(&["score", KEY, ALDER, BIRCH], &evaluation().score().unwrap());
    let request = request(KEY, &[ALDER]).choose("singletons", "drop").unwrap().metrics("lea,conll").unwrap();
    let report = Evaluation::new(request).unwrap().score().unwrap();
    same(&["score", "--singletons", "drop", "-m", "lea,conll", KEY, ALDER], &report);
}

#[test]
fn rows_are_written_as_they_are_rendered() {
    for by in ["document", "length", "entity-size", "document,entity-size"] {
        let request = request(KEY, &[ALDER, BIRCH]).by(By::named(by).unwrap());
        let report = Evaluation::new(request).unwrap().score().unwrap();
        for spec in OutputSpec::of(report.kind()) {
            let mut written = Vec::new();
            spec.write(&report, Style::default(), &mut written).unwrap().unwrap();
            assert_eq!(written, spec.render(&report, Style::default()).unwrap().into_bytes());
            match spec.id {
                "json" => assert_eq!(written, format!("{:#}\n", report.json()).into_bytes()),
                "csv" => assert_eq!(written, report.csv().into_bytes()),
                _ => {}
            }
        }
        let json = report.json();
        for (place, system) in report.systems.iter().enumerate() {
            let name = if by == "document" { "documents" } else { "groups" };
            let rows = serde_json::json!({ name: json["systems"][place][name] });
            assert_eq!(rows_of_scores(system), rows.to_string());
        }
        same(&["score", "--by", by, KEY, ALDER, BIRCH], &report);
    }
}

#[test]
fn compare_and_correlate_give_the_same_bytes() {
    let compare = Compare::default();
    same(&["compare", KEY, ALDER, BIRCH], &evaluation().compare(&compare).unwrap());
    let metric = |name: &str| Metric::parse(name).unwrap();
    let correlate = Correlate::new(metric("muc"), metric("lea")).unwrap();
    let report = evaluation().correlate(&correlate).unwrap();
    same(&["correlate", "--x", "muc", "--y", "lea", KEY, ALDER, BIRCH], &report);
}

#[test]
fn agree_and_probe_give_the_same_bytes() {
    same(&["agree", KEY, ALDER, BIRCH], &evaluation().agree(&Agree::default()).unwrap());
    let report = Evaluation::new(request(KEY, &[ALDER])).unwrap().probe().unwrap();
    same(&["probe", KEY, ALDER], &report);
}

#[test]
fn cone_gives_the_same_bytes() {
    let result = Evaluation::new(request(KEY, &[ALDER])).unwrap().cone(&Cone::default()).unwrap();
    let ConeReport::Scores(report) = result.report else { panic!("scores were requested") };
    same(&["cone", KEY, ALDER], &report);
}

#[test]
fn a_key_without_responses_is_an_error() {
    let evaluation = Evaluation::new(request(KEY, &[])).unwrap();
    let metric = |name: &str| Metric::parse(name).unwrap();
    let correlate = Correlate::new(metric("muc"), metric("lea")).unwrap();
    let errors = [
        evaluation.score().err(),
        evaluation.compare(&Compare::default()).err(),
        evaluation.correlate(&correlate).err(),
        evaluation.cone(&Cone::default()).err(),
        evaluation.errors(&Errors::default()).err(),
    ];
    for error in errors {
        assert_eq!(error.unwrap().message(), "a key was given, but no response to score");
    }
    let error = evaluation.agree(&Agree::default()).err().unwrap();
    assert_eq!(error.message(), "agreement needs two annotators or more");
    for inputs in [Inputs::NoKey(Vec::new()), Inputs::Pairs(Vec::new()), Inputs::Counts(Vec::new())] {
        let error = Evaluation::new(Request::new(inputs)).err().unwrap();
        assert_eq!(error.message(), "no input was given");
    }
}

#[test]
fn remedies_name_options_of_the_command() {
    let commands = ["score", "compare", "cone", "probe", "validate"];
    let help: String = commands.iter().map(|command| run(&[command, "--help"], 0).0).collect();
    let mut named = 0;
    for code in Code::ALL {
        for part in code.remedy().parts() {
            if let Part::Option { name, .. } = part {
                named += 1;
                assert!(help.contains(&format!("--{name}")), "{}: {name}", code.id());
            }
        }
    }
    assert!(named > 10, "{named}");
}
