//! Checks real reports in JSON against the schemas in `schema/`. The validator supports only the keywords that the
//! schemas use; any other fails the test.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use corefeval_report::Kind;
use serde_json::{Map, Value};

/// Checks `value` against `schema`; returns the problems, with their paths.
fn check(value: &Value, schema: &Map<String, Value>, root: &Value, path: &str, wrong: &mut Vec<String>) {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    for (keyword, argument) in schema {
        let fits = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "type" => match argument {
                Value::Array(kinds) => kinds.iter().any(|kind| is_of(value, kind)),
                kind => is_of(value, kind),
            },
            "enum" => argument.as_array().is_some_and(|values| values.contains(value)),
            "minimum" => value.as_f64().is_none_or(|v| number("minimum").is_some_and(|minimum| v >= minimum)),
            "maximum" => value.as_f64().is_none_or(|v| number("maximum").is_some_and(|maximum| v <= maximum)),
            "required" => argument.as_array().is_some_and(|names| {
                names.iter().all(|name| name.as_str().is_some_and(|name| value.get(name).is_some()))
            }),
            "$ref" => {
                let target = argument.as_str().and_then(|text| root.pointer(text.trim_start_matches('#')));
                let target = target.and_then(Value::as_object).expect("references have a target");
                check(value, target, root, path, wrong);
                true
            }
            "minItems" | "maxItems" => value.as_array().is_none_or(|items| {
                let limit = argument.as_u64().expect("a number") as usize;
                if keyword == "minItems" { items.len() >= limit } else { items.len() <= limit }
            }),
            "anyOf" => argument.as_array().expect("a list").iter().any(|one| {
                let mut faults = Vec::new();
                check(value, one.as_object().expect("a schema"), root, path, &mut faults);
                faults.is_empty()
            }),
            "items" => {
                let items = argument.as_object().expect("items are a schema");
                for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(item, items, root, &format!("{path}/{place}"), wrong);
                }
                true
            }
            "properties" | "additionalProperties" => {
                let named = schema.get("properties").and_then(Value::as_object);
                for (name, item) in value.as_object().into_iter().flatten() {
                    let inner = named.and_then(|named| named.get(name));
                    let here = format!("{path}/{name}");
                    match (keyword.as_str(), inner, argument) {
                        ("properties", Some(inner), _) => {
                            check(item, inner.as_object().expect("a schema"), root, &here, wrong);
                        }
                        ("additionalProperties", None, Value::Bool(false)) => {
                            wrong.push(format!("{here}: not in the schema"))
                        }
                        ("additionalProperties", None, Value::Object(other)) => {
                            check(item, other, root, &here, wrong)
                        }
                        _ => {}
                    }
                }
                true
            }
            other => panic!("the validator of this test does not know `{other}`"),
        };
        if !fits {
            wrong.push(format!("{path}: {keyword} {argument} does not hold for {value}"));
        }
    }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("kinds are named") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("the validator of this test does not know the type `{other}`"),
    }
}

fn faults(report: &Value) -> Vec<String> {
    faults_by("report", report)
}

fn faults_by(name: &str, report: &Value) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema = std::fs::read_to_string(root.join(format!("schema/{name}.schema.json"))).expect("a schema");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let mut wrong = Vec::new();
    check(report, schema.as_object().expect("an object"), &schema, "", &mut wrong);
    wrong
}

fn report(args: &[&str]) -> Value {
    report_of("score", args)
}

fn report_of(subcommand: &str, args: &[&str]) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_corefeval"));
    let output =
        command.current_dir(root).args([subcommand, "-o", "json"]).args(args).output().expect("it starts");
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

pub fn faults_of_scores(json: &str) -> Vec<String> {
    faults(&serde_json::from_str(json).expect("the report is JSON"))
}

const WEIGHTS: &str = "examples/weights/weights.toml";

#[test]
fn reports_follow_the_schema() {
    let key = "examples/key.conll";
    for args in [
        vec!["--metrics", "all", key, "examples/alder.conll"],
        vec!["--metrics", "all", "--by", "document", key, "examples/birch.conll", "examples/cedar.conll"],
        vec!["--average", "macro", key, "examples/alder.conll"],
        vec!["--metrics", "all", "--by", "document", "testdata/ace/key", "testdata/ace/response"],
        vec!["--metrics", "all", "--pair-files", "testdata/ace/key", "testdata/ace/response"],
        vec!["examples/links/key.links", "examples/links/response.links"],
        vec!["--pair-files", "examples/pairs/key", "examples/pairs/alder", "examples/pairs/birch"],
        vec!["--by", "document", "--pair", key, "examples/alder.conll"],
        vec!["--by", "length", key, "examples/alder.conll"],
        vec!["--weights", WEIGHTS, "examples/weights/key.csv", "examples/weights/response.csv"],
        vec!["-m", "cone_b_cubed,cone_ceaf", "--entities", "named", key, "examples/alder.conll"],
    ] {
        assert_eq!(faults(&report(&args)), [""; 0], "{args:?}");
    }
}

#[test]
fn agreement_follows_the_schema() {
    let annotators = ["examples/key.conll", "examples/alder.conll", "examples/birch.conll"];
    let others: [&[&str]; 4] =
        [&[], &["--by", "document"], &["--shared-documents", "--metrics", "all"], &["--resamples", "7"]];
    for more in others {
        assert_eq!(
            faults_by("agree", &report_of("agree", &[more, &annotators].concat())),
            [""; 0],
            "{more:?}"
        );
    }
    let mut report = report_of("agree", &annotators[..2]);
    assert_eq!(faults_by("agree", &report), [""; 0]);
    report["alpha"]["masi"]["alpha"] = Value::from(2);
    report["annotators"] = Value::from("two");
    assert_eq!(faults_by("agree", &report).len(), 2);
}

#[test]
fn the_validator_finds_faults() {
    let mut report = report(&["-m", "muc,blanc", "examples/key.conll", "examples/alder.conll"]);
    report["systems"][0]["metrics"]["muc"]["recall"] = Value::from(1.5);
    report["systems"][0]["surprise"] = Value::from(1);
    report["systems"][0]["metrics"]["blanc"]["coreference_links"]["recall_den"] = Value::from("many");
    report["signature"] = Value::Null;
    report["settings"]["singletons"] = Value::Null;
    assert_eq!(faults(&report).len(), 5, "{:?}", faults(&report));
}

#[test]
fn checks_follow_the_schema() {
    let annotated =
        ["--key-approximate", "--annotated", "examples/names/annotated.conll", "--resamples", "100"];
    let mut report = report_of("cone", &[&annotated[..], &["examples/alder.conll"]].concat());
    assert_eq!(faults_by("cone-check", &report), [""; 0]);
    report["systems"][0]["metrics"]["b_cubed"]["full"]["f1"] = Value::from(1.5);
    report["systems"][0]["documents"] = Value::from("many");
    assert_eq!(faults_by("cone-check", &report).len(), 2);
}

#[test]
fn correlations_of_cone_follow_the_schema() {
    let args = ["--correlate", "examples/key.conll", "examples/alder.conll", "examples/birch.conll"];
    let mut report = report_of("cone", &args);
    assert_eq!(faults_by("cone-correlation", &report), [""; 0]);
    report["systems"][0]["missed"] = Value::from(-1);
    report["correlations"][0]["parts"]["recall"]["r"] = Value::from(2);
    assert_eq!(faults_by("cone-correlation", &report).len(), 2);
}

#[test]
fn comparisons_follow_the_schema() {
    let systems =
        ["examples/key.conll", "examples/alder.conll", "examples/birch.conll", "examples/cedar.conll"];
    let usual = ["--metrics", "all", "--resamples", "200"];
    let others: [&[&str]; 8] = [
        &[],
        &["--by", "document"],
        &["--by", "length", "--skip-broken", "schema/compare.schema.json"],
        &["--test", "bootstrap", "--interval", "percentile", "--correction", "bonferroni"],
        &["--average", "macro", "--baseline", "birch", "--sort", "lea"],
        &["--shared-documents", "--correction", "none", "--seed", "18446744073709551615"],
        &["--metrics", "conll", "--confidence", "0.8"],
        &["--metrics", "lea:importance=table", "--weights", WEIGHTS],
    ];
    for more in others {
        let metrics = if more.contains(&"--metrics") { &usual[2..] } else { &usual };
        let report = report_of("compare", &[metrics, &systems, more].concat());
        assert_eq!(faults_by("compare", &report), [""; 0], "{more:?}");
    }
    // Without zeros the metric has no interval, rank or test.
    let undefined = [&["--metrics", "muc,zero_anaphora", "--resamples", "20"][..], &systems].concat();
    let report = report_of("compare", &undefined);
    assert_eq!(faults_by("compare", &report), [""; 0]);
    assert_eq!(report["systems"][1]["metrics"]["zero_anaphora"]["defined"], false);
    // ACE-value is far below 0 if the key has little: one entity of pronouns per document.
    let folder = crate::common::place("low-values");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let ace = crate::common::root().join("testdata/ace/key");
    for name in ["varn-1", "varn-2"] {
        let (apf, sgm) = (format!("{name}.apf.xml"), format!("{name}.sgm"));
        let text = std::fs::read_to_string(ace.join(&apf)).expect("a key");
        let entity = "    <entity ";
        let (head, entities) = text.split_once(entity).expect("entities");
        let last = entities.rsplit(entity).next().expect("an entity");
        let last = last.replace("TYPE=\"NAM\"", "TYPE=\"PRO\"").replace("TYPE=\"NOM\"", "TYPE=\"PRO\"");
        std::fs::write(folder.join(apf), format!("{head}{entity}{last}")).expect("a file");
        std::fs::copy(ace.join(&sgm), folder.join(sgm)).expect("a copy");
    }
    let low = folder.display().to_string();
    let args =
        ["--profile", "ace-2005", &low, "a=testdata/ace/key", &format!("b={low}"), "--resamples", "99"];
    let report = report_of("compare", &args);
    assert_eq!(faults_by("compare", &report), [""; 0]);
    let value = |system: usize| report["systems"][system]["metrics"]["ace_value"]["f1"].as_f64();
    assert!(value(1).is_some_and(|value| value < -2.0) && value(0) == Some(1.0), "{report}");
    let mut report = report_of("compare", &[&usual[..], &systems[..2]].concat());
    assert_eq!(faults_by("compare", &report), [""; 0]);
    report["systems"][0]["metrics"]["muc"]["interval"][1] = Value::from("high");
    report["documents"] = Value::from(1);
    assert!(faults_by("compare", &report).len() >= 2);
}

#[test]
fn errors_follow_the_schema() {
    let systems = ["examples/key.conll", "examples/alder.conll", "examples/cedar.conll"];
    let others: [&[&str]; 4] =
        [&[], &["--tree", "closest", "--kinds", "missed_link"], &["--examples", "0"], &["-m", "muc,conll"]];
    for more in others {
        for systems in [&systems[..], &systems[..2]] {
            let report = report_of("errors", &[more, systems].concat());
            assert_eq!(faults_by("errors", &report), [""; 0], "{more:?}");
        }
    }
    let mut report = report_of("errors", &systems);
    report["systems"][0]["errors"]["transform"]["span_error"] = Value::from(-1);
    report["systems"][1]["errors"]["examples"][0]["kind"] = Value::from("mistake");
    report["common"]["recall"]["all"] = Value::from("none");
    assert_eq!(faults_by("errors", &report).len(), 3, "{:?}", faults_by("errors", &report));
}

#[test]
fn correlations_follow_the_schema() {
    let systems =
        ["examples/key.conll", "examples/alder.conll", "examples/birch.conll", "examples/cedar.conll"];
    let others: [&[&str]; 5] = [
        &["--x", "ceaf_m", "--y", "lea"],
        &["--x", "conll", "--y", "blanc", "--correlation-interval", "fisher", "--confidence", "0.9"],
        &["--x", "muc", "--y", "pairwise", "--average", "macro", "--seed", "18446744073709551615"],
        &[
            "--x", "mentions", "--y", "b_cubed:weight=entity", "--over", "systems,entities",
            "--shared-documents",
        ],
        &["--x", "rand", "--y", "adjusted_rand", "--resamples", "1"],
    ];
    for more in others {
        for systems in [&systems[..], &systems[..3]] {
            let report = report_of("correlate", &[more, systems].concat());
            assert_eq!(faults_by("correlate", &report), [""; 0], "{more:?}");
        }
    }
    let mut report = report_of("correlate", &[others[0], &systems].concat());
    report["correlations"][0]["over"] = Value::from("everything");
    report["correlations"][1]["parts"]["recall"]["pearson"]["value"] = Value::from(1.5);
    assert_eq!(faults_by("correlate", &report).len(), 2);
}

#[test]
fn findings_follow_the_schema() {
    let broken = ["--fail-on", "never", "testdata/formats/conll-broken", "testdata/formats/apf-broken"];
    let mut report = report_of("validate", &broken);
    assert_eq!(faults_by("validate", &report), [""; 0]);
    let beside = report_of("validate", &["--against", "examples/key.conll", "examples/alder.conll"]);
    assert_eq!(faults_by("validate", &beside), [""; 0]);
    report["files"][0]["findings"][0]["severity"] = Value::from("bad");
    report["counts"]["errors"] = Value::from(-1);
    assert_eq!(faults_by("validate", &report).len(), 2);
}

#[test]
fn explanations_follow_the_schema() {
    let files = ["examples/key.conll", "examples/alder.conll"];
    let others: [&[&str]; 4] = [
        &[],
        &["--profiles", "conll,corefud|singletons:keep", "-m", "muc,conll"],
        &["--find", "conll=78.50,12.34"],
        &["--against", "examples/explain/coval.txt"],
    ];
    for more in others {
        let report = report_of("explain", &[more, &files].concat());
        assert_eq!(faults_by("explain", &report), [""; 0], "{more:?}");
    }
    let mut report = report_of("explain", &files);
    report["profiles"][0]["print"] = Value::from("torn");
    report["differences"][0]["from"] = Value::from(1);
    assert_eq!(faults_by("explain", &report).len(), 2, "{:?}", faults_by("explain", &report));
}

#[test]
fn statistics_follow_the_schema() {
    let files = ["examples/key.conll", "testdata/formats/corefud/discontinuous-nested.conllu"];
    let others: [&[&str]; 3] = [&[], &["--by", "document"], &["--by", "length"]];
    for more in others {
        let report = report_of("stats", &[more, &files].concat());
        assert_eq!(faults_by("stats", &report), [""; 0], "{more:?}");
    }
    // A document without mentions has no mean length.
    let empty = "testdata/formats/conll/empty-document.conll";
    let mut report = report_of("stats", &["--by", "document", empty]);
    assert_eq!(faults_by("stats", &report), [""; 0]);
    let groups = report["corpora"][0]["groups"].as_array_mut().expect("groups");
    let silent = groups.iter_mut().find(|group| group["mentions"] == 0).expect("a document without mentions");
    assert_eq!(
        (&silent["words_per_mention"], &silent["defined"]["words_per_mention"]),
        (&Value::from(0.0), &Value::from(false))
    );
    silent["defined"]["words_per_mention"] = Value::from(true);
    silent["zeros"] = Value::Null;
    assert_eq!(faults_by("stats", &report).len(), 2);
}

#[test]
fn documents_follow_the_schema() {
    let shown: [&[&str]; 4] = [
        &["examples/key.conll", "examples/alder.conll", "examples/cedar.conll"],
        &["--singletons", "drop", "examples/key.conll", "examples/alder.conll"],
        &[
            "testdata/formats/corefud/discontinuous-nested.conllu",
            "testdata/formats/corefud/discontinuous-nested.conllu",
        ],
        &["testdata/ace/key", "testdata/ace/response"],
    ];
    for args in shown {
        assert_eq!(faults_by("show", &report_of("show", args)), [""; 0], "{args:?}");
    }
    let mut report = report_of("show", shown[0]);
    report["documents"][0]["key"][0]["spans"][0] = Value::from(vec![1]);
    report["documents"][0]["systems"][0]["mentions"][0]["type"] = Value::from("noun");
    assert_eq!(faults_by("show", &report).len(), 2);
}

#[test]
fn reproduced_results_follow_the_schema() {
    let mut report = report_of("reproduce", &[]);
    assert_eq!(faults_by("reproduce", &report), [""; 0]);
    report["outcomes"][0]["verdict"] = Value::from("right");
    assert_eq!(faults_by("reproduce", &report).len(), 1);
    let report = report_of("reproduce", &["--simulate", "--repeats", "1"]);
    assert_eq!(faults_by("simulation", &report), [""; 0]);
    for (part, schema) in [("cone", "cone-correlation"), ("probe", "report"), ("ranking", "compare")] {
        assert_eq!(faults_by(schema, &report[part]), [""; 0], "{part}");
    }
}

#[test]
fn lists_follow_the_schema() {
    let lists = report_of("list", &[]);
    assert_eq!(faults_by("list", &lists), [""; 0]);
    let names =
        lists["list"].as_array().expect("lists").iter().map(|row| row["name"].as_str().expect("a name"));
    for name in names {
        assert_eq!(faults_by("list", &report_of("list", &[name])), [""; 0], "{name}");
    }
}

/// Every kind of results has a schema, and every schema belongs to a kind.
#[test]
fn every_report_has_a_schema() {
    let names = |kind: Kind| -> &[&str] {
        match kind {
            Kind::Scores => &["report"],
            Kind::Comparison => &["compare"],
            Kind::Agreement => &["agree"],
            Kind::Correlation => &["correlate", "cone-correlation"],
            Kind::Check => &["cone-check"],
            Kind::Errors => &["errors"],
            Kind::Documents => &["show"],
            Kind::Explanation => &["explain"],
            Kind::Stats => &["stats"],
            Kind::Validation => &["validate"],
            Kind::Reproduction => &["reproduce", "simulation"],
            Kind::List => &["list"],
            other => panic!("{other:?} has no schema"),
        }
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    let there = std::fs::read_dir(folder).expect("the schemas").map(|entry| {
        let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
        name.trim_end_matches(".schema.json").to_owned()
    });
    let there: BTreeSet<String> = there.collect();
    let wanted = Kind::ALL.iter().copied().flat_map(names).map(|name| (*name).to_owned());
    assert_eq!(there, wanted.collect());
}
