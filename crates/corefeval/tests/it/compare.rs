//! The behaviour of `corefeval compare` for people and scripts.

use crate::common;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{golden, golden_outputs, place, root, run};

const KEY: &str = "examples/key.conll";
const SYSTEMS: [&str; 3] =
    ["alder=examples/alder.conll", "b&b=examples/birch.conll", "cedar=examples/cedar.conll"];

fn compare(more: &[&str], status: i32) -> (String, String) {
    run(&[&["compare", KEY], &SYSTEMS[..], more].concat(), status)
}

/// Writes a corpus of many documents in one file: documents of the examples, some of them shortened, except the numbers
/// in `left_out`.
fn corpus(name: &str, source: &str, left_out: &[usize]) -> String {
    let whole = fs::read_to_string(root().join(source)).expect("the example exists");
    let documents: Vec<&str> =
        whole.split_inclusive("#end document\n").filter(|part| part.contains("#begin")).collect();
    let mut text = String::new();
    for number in (0..24).filter(|number| !left_out.contains(number)) {
        let document = documents[number % documents.len()];
        for (place, line) in document.lines().enumerate() {
            // Every eighth document ends after its first sentences.
            if number % 8 == 7 && place > 60 && line.is_empty() {
                text.push_str("\n#end document\n");
                break;
            }
            match line.starts_with("#begin") {
                true => text.push_str(&format!("#begin document (d{number:02}); part 000")),
                false => text.push_str(line),
            }
            text.push('\n');
        }
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    fs::write(&path, text).expect("the folder of the tests can be written");
    path.display().to_string()
}

#[test]
fn every_output_has_its_golden_files() {
    for output in golden_outputs() {
        let more = ["-o", output, "-m", "muc,lea,conll", "--resamples", "1000"];
        golden(&format!("compare-{output}.txt"), &compare(&more, 0).0);
        let one = ["compare", "-o", output, "-m", "conll", "--resamples", "1000", KEY, SYSTEMS[0]];
        golden(&format!("compare-{output}-one-system.txt"), &run(&one, 0).0);
    }
    let more =
        ["--color", "always", "-m", "muc", "--sort", "muc", "--baseline", "cedar", "--test", "bootstrap"];
    golden("compare-colours.txt", &compare(&more, 0).0);
    golden("compare-warnings.txt", &compare(&["-m", "conll"], 0).1);
    golden("help-compare.txt", &run(&["compare", "--help"], 0).0);
    golden("list-comparison.txt", &run(&["list", "comparison"], 0).0);
}

fn json(args: &[&str]) -> Value {
    let args: Vec<&str> = ["-q", "-o", "json"].iter().chain(args).copied().collect();
    serde_json::from_str(&compare(&args, 0).0).expect("the report is JSON")
}

/// The scores of a comparison equal those of `corefeval score`, to the last digit.
#[test]
fn scores_equal_those_of_score() {
    for average in ["micro", "macro", "mentions"] {
        let more = ["-m", "all", "--average", average];
        let compared = json(&[&more[..], &["--resamples", "10"]].concat());
        let scored = run(&[&["score", "-q", "-o", "json", KEY], &SYSTEMS[..], &more].concat(), 0).0;
        let scored: Value = serde_json::from_str(&scored).expect("the report is JSON");
        for system in scored["systems"].as_array().expect("systems") {
            let systems = compared["systems"].as_array().expect("systems");
            let ours = systems.iter().find(|row| row["name"] == system["name"]).expect("the system");
            for (metric, score) in system["metrics"].as_object().expect("metrics") {
                for part in ["recall", "precision", "f1"] {
                    assert_eq!(
                        ours["metrics"][metric].get(part),
                        score.get(part),
                        "{average} {metric} {part}"
                    );
                }
            }
        }
    }
}

#[test]
fn threads_change_no_byte() {
    for test in ["randomization", "bootstrap"] {
        let args = ["-q", "-o", "json", "-m", "all", "--test", test, "--resamples", "700"];
        let first = compare(&[&args[..], &["--threads", "1"]].concat(), 0).0;
        for threads in ["2", "3", "16"] {
            assert_eq!(
                compare(&[&args[..], &["--threads", threads]].concat(), 0).0,
                first,
                "{threads} threads"
            );
        }
    }
}

#[test]
fn a_signature_gives_the_same_results_again() {
    let more = ["-q", "-m", "conll", "--singletons", "drop", "--test", "bootstrap", "--resamples", "300"];
    let method = ["--seed", "5", "--interval", "percentile", "--correction", "none", "--confidence", "0.9"];
    let method = [&method[..], &["--unit", "part"]].concat();
    let first = compare(&[&more[..], &method].concat(), 0).0;
    let signature = first.lines().last().expect("a signature");
    assert!(signature.contains(
        "test:bootstrap|unit:part|resamples:300|seed:5|correction:none|ranks:pairs|interval:percentile|confidence:0.9"
    ));
    assert_eq!(compare(&["-q", "-m", "conll", "--settings", signature], 0).0, first);
    // `score` uses the other settings of the signature.
    run(&["score", "-q", "--settings", signature, KEY, SYSTEMS[0]], 0);
}

#[test]
fn rows_are_sorted_and_differences_are_to_the_baseline() {
    let report = json(&["-m", "muc,lea", "--sort", "lea", "--baseline", "b&b", "--resamples", "50"]);
    let names: Vec<&Value> =
        report["systems"].as_array().expect("rows").iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["alder", "b&b", "cedar"]);
    assert_eq!((&report["baseline"], &report["sort"]), (&Value::from("b&b"), &Value::from("lea")));
    let of = |row: usize| &report["systems"][row]["metrics"]["lea"];
    assert!(of(1).get("difference").is_none());
    let difference = of(0)["f1"].as_f64().expect("a score") - of(1)["f1"].as_f64().expect("a score");
    assert_eq!(of(0)["difference"]["f1"].as_f64(), Some(difference));
    assert_eq!((of(0)["best"].as_bool(), of(1)["best"].as_bool()), (Some(true), Some(false)));
}

#[test]
fn documents_that_a_system_lacks_are_reported() {
    let key = corpus("shared-key", KEY, &[]);
    let whole = corpus("shared-whole", "examples/alder.conll", &[]);
    let two = corpus("shared-two", "examples/birch.conll", &[3, 8]);
    let one = corpus("shared-one", "examples/cedar.conll", &[3]);
    let systems = [format!("whole={whole}"), format!("two={two}"), format!("one={one}")];
    let mut args = vec!["compare", "-m", "muc,conll", "--resamples", "200", &key];
    args.extend(systems.iter().map(String::as_str));
    let err = run(&args, 1).1;
    assert!(err.contains("`two` lacks 2 documents, the first of them `d03; part 000`"), "{err}");
    assert!(err.contains("--shared-documents"), "{err}");
    args.extend(["--shared-documents", "-v"]);
    let (out, err) = run(&args, 0);
    assert!(out.contains("On 22 documents that all systems have, of 24."), "{out}");
    assert!(out.trim_end().ends_with("|documents:shared"), "{out}");
    assert!(err.contains("`d03; part 000` was left out: two, one lacks it"), "{err}");
    // No document is treated as missing, and 22 documents are not few.
    assert!(!err.contains("[missing-document]") && !err.contains("[few-documents]"), "{err}");
    // A requested omission is not a warning.
    args.push("--strict");
    assert_eq!(run(&args, 0).0, out);
    // A corpus of this size is large enough for significant differences.
    assert!(out.lines().any(|line| line.starts_with("one  ") && line.contains("  3  ")), "{out}");
}

/// Writes a file in the folder of tests.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    fs::write(&path, text).expect("the folder of the tests can be written");
    path.display().to_string()
}

/// Returns a document of two entities, which are singletons or have two mentions each.
fn document(name: &str, linked: bool) -> String {
    let mentions = if linked { ["(0)", "(0)", "(1)", "(1)"] } else { ["(0)", "-", "(1)", "-"] };
    let words: String = mentions.iter().map(|mention| format!("w\t{mention}\n")).collect();
    format!("#begin document ({name}); part 000\n{words}\n#end document\n")
}

/// Without links MUC is a dash in every table, and has no rank, interval, test, bar or point.
#[test]
fn undefined_values_are_not_scores() {
    let text: String = (0..24).map(|number| document(&format!("d{number}"), false)).collect();
    let (key, other) = (file("singletons.conll", &text), format!("b={}", file("again.conll", &text)));
    let args =
        ["compare", "-q", "-m", "muc,b_cubed", "--sort", "muc", "--resamples", "100", &key, &key, &other];
    let found = |output: &str| run(&[&args[..], &["-o", output]].concat(), 0).0;
    let table = found("table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.contains(&vec!["b", "–", "–", "100.00", "1"]), "{table}");
    let dashes: Vec<&str> = std::iter::once("b").chain(["–"; 11]).collect();
    assert!(rows.contains(&dashes), "{table}");
    assert!(!table.contains('●'), "{table}");
    assert!(found("markdown").contains(&format!("| b |{}", " – |".repeat(11))));
    assert!(found("latex").contains(&format!("b{} ", " & --".repeat(11))));
    let report: Value = serde_json::from_str(&found("json")).expect("the report is JSON");
    let muc = &report["systems"][1]["metrics"]["muc"];
    assert_eq!((&muc["defined"], &muc["f1"], &muc["best"]), (&false.into(), &0.0.into(), &false.into()));
    assert!(muc["rank"].is_null() && muc["interval"].is_null() && muc.get("difference").is_none(), "{muc}");
    assert!(report["pairs"][0]["metrics"].get("muc").is_none());
    assert_eq!(report["pairs"][0]["metrics"]["b_cubed"]["p"], 1.0);
    let csv = found("csv");
    assert!(csv.contains("\nb,muc,,,,false,,,,,,,,false,,,,,,,,24,"), "{csv}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-undefined", std::process::id()));
    let folder = folder.display().to_string();
    run(&[&args[..], &["--figures", &folder]].concat(), 0);
    let svg = fs::read_to_string(format!("{folder}/forest.svg")).expect("the figure is there");
    assert_eq!((svg.matches("<circle").count(), svg.matches("undefined").count()), (2, 2));
}

/// With links in one document of thirty, a perfect system has no interval down to 0, and a warning reports the
/// omission.
#[test]
fn undefined_resamples_are_left_out() {
    let text: String = (0..30).map(|number| document(&format!("d{number}"), number == 0)).collect();
    let key = file("one-link.conll", &text);
    let (out, err) = run(&["compare", "-m", "muc,conll", "--resamples", "500", &key, &key], 0);
    // A single document does not show how documents vary.
    assert!(!out.contains("[100.00, 100.00]") && !out.contains("[0.00"), "{out}");
    assert!(
        out.lines().any(|line| line.contains("one-link") && line.contains("100.00             –")),
        "{out}"
    );
    let is_about_resamples =
        |line: &&str| line.contains("of 500 resamples") && line.contains("[undefined-in-resample]");
    assert_eq!(err.lines().filter(is_about_resamples).count(), 2, "{err}");
}

#[test]
fn too_few_resamples_are_reported() {
    let key = corpus("few-key", KEY, &[]);
    let systems =
        [corpus("few-one", "examples/alder.conll", &[]), corpus("few-two", "examples/cedar.conll", &[])];
    let run = |more: &[&str]| {
        let args = [&["compare", "-m", "muc", &key, &systems[0], &systems[1]][..], more].concat();
        run(&args, 0)
    };
    let (out, err) = run(&["--resamples", "10"]);
    assert!(
        err.contains("with 10 resamples no p-value can be significant in 1 comparison: 19 are needed"),
        "{err}"
    );
    assert!(err.contains("with 10 resamples intervals end at the extreme resamples: 40 are needed"), "{err}");
    assert!(out.contains("Nothing is detectable at 5%: with so few resamples"), "{out}");
    assert!(out.lines().any(|line| line.contains("few-two") && line.ends_with(" –")), "{out}");
    let (out, err) = run(&["--resamples", "200"]);
    assert!(
        !err.contains("few-resamples") && out.contains("Detectable: the smallest true difference"),
        "{err}{out}"
    );
    let (out, err) = run(&["--resamples", "100", "--confidence", "0.9999"]);
    assert_eq!(err.matches("[few-resamples]").count(), 2, "{err}");
    assert!(out.contains("Nothing is detectable at 0.01%"), "{out}");
    let (_, err) = common::run(&["agree", "--resamples", "10", &key, &systems[0]], 0);
    assert!(err.contains("with 10 resamples intervals end") && !err.contains("p-value"), "{err}");
}

/// Names in any script: the file has the name of the system, columns are aligned as in terminals, and a warning reports
/// that PNG and PDF files have only Latin, Greek and Cyrillic letters.
#[test]
fn names_in_other_letters() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-letters", std::process::id()));
    let folder = folder.display().to_string();
    let args = ["compare", "-m", "muc", "--resamples", "100", "--figures", &folder, KEY, SYSTEMS[0]];
    let (out, err) = run(&[&args[..], &["系统=examples/birch.conll", "?=examples/cedar.conll"]].concat(), 0);
    for name in ["differences-系统", "differences-3"] {
        assert!(Path::new(&folder).join(format!("{name}.svg")).is_file(), "{name}");
    }
    let is_about_letters = |line: &str| {
        line.contains("forest.svg is drawn only as SVG, because PNG and PDF lack the letters 系统")
    };
    assert!(err.lines().any(is_about_letters) == cfg!(feature = "png"), "{err}");
    // Figures are the only reason to refuse these names.
    let key = corpus("letters-key", KEY, &[]);
    let system = format!("系={}", corpus("letters-system", "examples/birch.conll", &[]));
    let strict = ["compare", "-m", "muc", "--resamples", "200", "--strict", &key, &system];
    run(&strict, 0);
    run(&[&strict[..], &["--figures", &folder]].concat(), i32::from(cfg!(feature = "png")));
    // Two letters take four columns, so that this line has two characters fewer before the score.
    let start = |name: &str| {
        let mut rows = out.lines().filter(|line| line.starts_with(name));
        let row = rows.find(|row| row.contains('.')).expect("a row with a score");
        row.chars().position(|character| character.is_ascii_digit()).expect("a score")
    };
    assert_eq!(start("系统") + 2, start("alder"), "{out}");
}

#[test]
fn groups_of_few_documents_are_reported_in_a_large_corpus() {
    let key = corpus("few-key", KEY, &[]);
    let [one, two] = [1, 2].map(|number| corpus(&format!("few-{number}"), "examples/birch.conll", &[]));
    let (out, err) =
        run(&["compare", "-m", "muc", "--resamples", "50", "--by", "length", &key, &one, &two], 0);
    assert!(err.contains("the group `0 to 99 words` has"), "{err}");
    assert!(out.contains("Groups of fewer than 20 documents"), "{out}");
    assert!(!out.contains("Documents are few"), "{out}");
}

#[test]
fn impossible_comparisons_are_errors() {
    let one = "#begin document (a)\nw\t(0)\nv\t(0)\n#end document\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-one.conll", std::process::id()));
    fs::write(&path, one).expect("the folder of the tests can be written");
    let one = path.display().to_string();
    let twice = format!("again={one}");
    let err = run(&["compare", &one, &one, &twice], 1).1;
    assert!(err.contains("there is only one document"), "{err}");
    let err = run(&["compare", "--scope", "corpus", KEY, SYSTEMS[0], SYSTEMS[1]], 1).1;
    assert!(
        err.contains("examples/key.conll: there is only one document, because --scope corpus merges"),
        "{err}"
    );
    assert!(err.contains("compare with --scope document"), "{err}");
    // Systems without a document in common, compared on the documents that all systems have.
    let halves = [&[0usize, 1, 2][..], &[3, 4, 5]].map(|first| {
        let left_out: Vec<usize> = (0..24).filter(|number| first.contains(&(number % 6))).collect();
        corpus(&format!("half-{}", first[0]), "examples/alder.conll", &left_out)
    });
    let whole = corpus("halved-key", KEY, &[]);
    let err = run(&["compare", "--shared-documents", &whole, &halves[0], &halves[1]], 1).1;
    assert!(err.contains("no document to compare on") && err.contains("in all systems"), "{err}");
    // Missing annotation is a problem of the data, not of the command line.
    let err = run(&["compare", "-m", "links_as_written", KEY, SYSTEMS[0], SYSTEMS[1]], 1).1;
    assert!(err.contains("examples/key.conll:1:1: Links as written cannot be counted"), "{err}");
    let wrong: [(&[&str], &str); 14] = [
        (&["--baseline", "aldr"], "did you mean `alder`?"),
        (&["--sort", "lea", "-m", "muc"], "cannot be sorted by `lea`"),
        (&["--sort", "leaf"], "did you mean `lea`?"),
        (&["--test", "t"], "randomization"),
        (&["--correction", "holms"], "holm"),
        (&["--resamples", "0"], "`0` is not a valid value for `resamples`"),
        (&["--resamples", "1e4"], "from 1 to 1000000"),
        (&["--seed", "-1"], "a value"),
        (&["--confidence", "95"], "from 0.5 to 0.9999"),
        (&["--pair-files"], "does not pair files"),
        (&["-o", "conll"], "markdown"),
        (&["-m", "muc,ace_value", "--average", "macro"], "`ace_value` is computed over all documents"),
        (&[SYSTEMS[0]], "two systems are called `alder`"),
        (&["--settings", "profile:conll|seed:x"], "`x` is not a valid value for `seed`"),
    ];
    for (more, expected) in wrong {
        let (out, err) = compare(more, 2);
        assert!(out.is_empty() && err.contains(expected), "{more:?}: {out}{err}");
    }
    let err = run(&["compare", "--pair", KEY, "examples/alder.conll"], 2).1;
    assert!(err.contains("does not pair files"), "{err}");
    let err = compare(&["--by", "topic"], 1).1;
    assert!(err.contains("no document has a topic"), "{err}");
}

/// Scores on groups of mentions equal those of `score --by`, with resampling added.
#[test]
fn systems_are_compared_on_groups_of_mentions() {
    let by = ["--by", "distance", "-m", "muc,lea,conll", "-o", "json", KEY];
    let compared = run(&[&["compare", "-q"], &by[..], &SYSTEMS].concat(), 0).0;
    let scored = run(&[&["score", "-q"], &by[..], &SYSTEMS].concat(), 0).0;
    let [compared, scored] =
        [compared, scored].map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
    let groups = compared["groups"].as_array().expect("groups");
    assert!(groups.len() > 4, "{groups:?}");
    let mut seen = 0;
    for group in groups {
        for (place, system) in group["systems"].as_array().expect("systems").iter().enumerate() {
            let rows = scored["systems"][place]["groups"].as_array().expect("groups");
            let Some(row) = rows.iter().find(|row| row["id"] == group["id"]) else { continue };
            for metric in ["muc", "lea"] {
                let f1 = |metrics: &Value| metrics["metrics"][metric]["f1"].as_f64();
                assert_eq!(f1(system), f1(row), "{metric} of {} in {}", system["name"], group["id"]);
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "groups of both were found: {seen}");
    let table =
        run(&[&["compare", "-q", "--by", "entity-size", "-m", "lea", KEY], &SYSTEMS[..]].concat(), 0).0;
    golden("compare-by-entity-size.txt", &table);
    let all = [&["compare", "-q", "--by", "zero", "-m", "lea,adjusted_rand", KEY], &SYSTEMS[..]].concat();
    let err =
        run(&[&["compare", "--by", "zero", "-m", "lea,adjusted_rand", KEY], &SYSTEMS[..]].concat(), 0).1;
    assert!(err.contains("Adjusted Rand has no score by zero and is not compared"), "{err}");
    assert!(!run(&all, 0).0.contains("Adjusted"));
    let cache = place("no-cache").display().to_string();
    let err = run(&[&["compare", "--by", "zero", "--cache", &cache, KEY], &SYSTEMS[..]].concat(), 2).1;
    assert!(err.contains("leave out --cache"), "{err}");
}

/// Files of a directory use the same ids, as in the CRAC tasks.
#[test]
fn documents_are_distinguished_by_their_files() {
    let pairs = ["examples/pairs/key", "examples/pairs/alder", "examples/pairs/birch"];
    let command = |more: &[&str], status| run(&[more, &["-m", "muc"], &pairs].concat(), status);
    let err = command(&["compare"], 1).1;
    assert!(err.contains("is repeated here") && err.contains("--ids-by-file"), "{err}");
    let (out, _) = command(&["compare", "-q", "--ids-by-file"], 0);
    assert!(out.contains("On 3 documents.") && out.contains("|ids-by-file:yes"), "{out}");
    assert!(command(&["agree", "-q", "--ids-by-file"], 0).0.contains("alder"));
    let whole =
        run(&["score", "-q", "--ids-by-file", "--by", "document", "-m", "muc", pairs[0], pairs[1]], 0).0;
    assert!(whole.contains("cs_mill/note") && whole.contains("de_garden/note"), "{whole}");
    let err = command(&["compare", "--pair-files"], 2).1;
    assert!(err.contains("--ids-by-file"), "{err}");
    // The directories of all systems have files of the same names, which ids by file do not distinguish.
    let all = ["examples/pairs/key", "examples/pairs", "--ids-by-file"];
    let err = run(&[&["score"], &all[..]].concat(), 1).1;
    let hint = err.lines().find(|line| line.contains("hint:")).expect("a hint");
    assert!(hint.contains("name one of the directories") && !hint.contains("--ids-by-file"), "{err}");
    let systems = ["compare", "-q", "-m", "muc", "--ids-by-file", all[0], "--systems", all[1]];
    assert!(run(&systems, 0).0.contains("birch"));
}

/// ACE-value takes the place of F1, and equals that of `score`; it has no averages over documents.
#[test]
fn ace_values_are_compared_and_correlated() {
    let ace = ["testdata/ace/key", "a=testdata/ace/key", "b=testdata/ace/response"];
    let found = |more: &[&str], status| {
        run(&[&["compare", "-q", "--resamples", "50"], &ace[..], more].concat(), status)
    };
    golden("compare-ace.txt", &found(&[], 0).0);
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let compared = json(&found(&["-o", "json"], 0).0);
    let scored = json(&run(&["score", "-q", "-o", "json", ace[0], "testdata/ace/response"], 0).0);
    for metric in ["ace_value", "ace_mention_value"] {
        let wanted = scored["systems"][0]["metrics"][metric]["total"]["value"].as_f64().expect("a value");
        let value = compared["systems"][1]["metrics"][metric]["f1"].as_f64().expect("a value");
        assert!((wanted - value).abs() < 1e-12, "{metric}: {wanted} {value}");
    }
    assert!(!run(&["compare", "-q", "-m", "ace_value", ace[0], ace[1]], 0).0.contains("F1"));
    let (_, err) = found(&["-m", "ace_value", "--average", "macro"], 2);
    assert!(
        err.contains("`ace_value` is computed over all documents at once and has no average over documents"),
        "{err}"
    );
    let both =
        ["correlate", "-q", "--resamples", "20", "--x", "ace_value", "--y", "ceaf_m", "--over", "pooled"];
    let (out, _) = run(&[&both[..], &ace].concat(), 0);
    assert!(out.contains("ACE-value against CEAF φ3"), "{out}");
}

/// Eight documents of two parts each; the parts of a document are drawn together by default.
#[test]
fn parts_of_a_document_are_drawn_together() {
    let text = |name: &str, wrong: u32, documents: u32, id: &str| {
        let part = |number: u32| {
            let (document, part) = (number / 2, number % 2);
            let entity = if number % 5 < wrong { 2 } else { 1 };
            format!(
                "#begin document ({id}{document}); part {part:03}\na\t0\ta\t(1)\na\t1\tb\t({entity})\na\t2\tc\t(1)\n\n#end document\n"
            )
        };
        file(name, &(0..2 * documents).map(part).collect::<String>())
    };
    let files = |documents: u32, id: &str| {
        ["key", "good", "bad"].map(|side| {
            let wrong = ["key", "good", "bad"].iter().position(|name| *name == side).unwrap_or(0) as u32;
            text(&format!("units-{id}{documents}-{side}.conll"), wrong, documents, id)
        })
    };
    let [key, good, bad] = files(8, "d");
    let report = |more: &[&str]| -> Value {
        let args = [&["compare", "-q", "-m", "muc", "-o", "json", &key, &good, &bad], more].concat();
        serde_json::from_str(&run(&args, 0).0).expect("JSON")
    };
    let (whole, parts) = (report(&[]), report(&["--unit", "part"]));
    for (report, unit, units) in [(&whole, "document", 8), (&parts, "part", 16)] {
        assert_eq!((report["documents"].as_u64(), report["units"].as_u64()), (Some(16), Some(units)));
        assert_eq!(report["unit"], unit);
    }
    let f1 = |report: &Value| report["systems"][1]["metrics"]["muc"]["f1"].clone();
    assert_eq!(f1(&whole), f1(&parts), "scores are the same");
    let table = run(&["compare", "-q", "-m", "muc", &key, &good, &bad], 0).0;
    assert!(table.contains("Resampling draws 8 documents with 16 parts."), "{table}");
    let args = ["compare", "-m", "muc", "--unit", "part", "--by", "length", &key, &good, &bad];
    let (table, warnings) = run(&args, 0);
    for wanted in [
        "On 16 parts.",
        "There are few parts: results are imprecise.",
        " of parts, two-sided",
        " words, 16 parts",
    ] {
        assert!(table.contains(wanted), "{wanted} is not in {table}");
    }
    assert!(warnings.contains("the systems are compared on 16 parts"), "{warnings}");
    // One file, and one document, cannot be resampled; its parts can.
    let error = run(&["compare", "-m", "muc", "--unit", "file", &key, &good], 1).1;
    assert!(
        error.contains("all 16 documents belong to one file") && error.contains("--unit document"),
        "{error}"
    );
    let [key, good, _] = files(1, "d");
    let error = run(&["compare", "-m", "muc", &key, &good], 1).1;
    assert!(error.contains("all 2 parts belong to one document") && error.contains("--unit part"), "{error}");
    run(&["compare", "-q", "-m", "muc", "--unit", "part", &key, &good], 0);
    let [key, good, _] = files(8, "emma_chapter_");
    let warning = run(&["compare", "-m", "muc", &key, &good], 0).1;
    assert!(
        warning.contains("8 documents are parts of one work") && warning.contains("--unit file"),
        "{warning}"
    );
}

/// A system with three runs is compared with a system with one. The mean and the spread of the runs are the same
/// whether the runs are listed or lie in a directory.
#[test]
fn a_system_has_several_runs() {
    let key = corpus("runs-key", KEY, &[]);
    let folder = place("runs").display().to_string();
    fs::create_dir_all(&folder).expect("the folder of the tests can be written");
    let mut runs = Vec::new();
    for (number, name) in ["alder", "birch", "cedar"].into_iter().enumerate() {
        let run = format!("{folder}/run{number}.conll");
        fs::rename(corpus(&format!("runs-{name}"), &format!("examples/{name}.conll"), &[]), &run)
            .expect("moved");
        runs.push(run);
    }
    let one = format!("one={}", corpus("runs-one", "examples/birch.conll", &[]));
    let listed = format!("ours={}", runs.join(","));
    let report = |more: &[&str]| -> Value {
        let args =
            [&["compare", "-q", "-m", "muc,conll", "-o", "json", "--resamples", "500", &key, &one], more];
        serde_json::from_str(&run(&args.concat(), 0).0).expect("JSON")
    };
    let by_name = |report: &Value, name: &str| {
        let systems = report["systems"].as_array().expect("systems").iter();
        systems.clone().find(|system| system["name"] == name).cloned().expect("the system")
    };
    let found = report(&[&listed]);
    assert_eq!(found["systems"].as_array().map(Vec::len), Some(2));
    let ours = by_name(&found, "ours");
    assert_eq!(ours["runs"].as_array().map(Vec::len), Some(3));
    let score = |run: &str| -> f64 {
        let text = common::run(&["score", "-q", "-o", "json", "-m", "muc", &key, run], 0).0;
        let report: Value = serde_json::from_str(&text).expect("JSON");
        report["systems"][0]["metrics"]["muc"]["f1"].as_f64().expect("a score")
    };
    let scores: Vec<f64> = runs.iter().map(|run| score(run)).collect();
    let mean = scores.iter().sum::<f64>() / 3.0;
    let spread = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
    let muc = &ours["metrics"]["muc"];
    let number = |value: &Value| value.as_f64().expect("a number");
    assert!(
        (number(&muc["f1"]) - mean).abs() < 1e-12
            && (number(&muc["runs"]["deviation"]) - spread).abs() < 1e-12
    );
    assert_eq!(muc["runs"]["f1"].as_array().map(Vec::len), Some(3));
    // Counts are means too.
    let sizes = |run: &String| -> Value {
        let text = common::run(&["score", "-q", "-o", "json", "-m", "muc", &key, run], 0).0;
        let report: Value = serde_json::from_str(&text).expect("JSON");
        report["systems"][0]["counts"].clone()
    };
    let sizes: Vec<Value> = runs.iter().map(sizes).collect();
    for (side, count) in [("response", "mentions"), ("response", "unlinked"), ("key", "unlinked")] {
        let mean = sizes.iter().map(|size| number(&size[side][count])).sum::<f64>() / 3.0;
        assert_eq!(number(&ours["counts"][side][count]), mean.round(), "{side} {count}");
    }
    // The runs differ far more than documents do, so the interval must be wide.
    let width = number(&muc["interval"][1]) - number(&muc["interval"][0]);
    let of_one = &by_name(&found, "one")["metrics"]["muc"]["interval"];
    assert!(width > 4.0 * (number(&of_one[1]) - number(&of_one[0])), "{width} {of_one}");
    assert!(number(&muc["difference"]["p"]) > 0.05, "{muc}");
    // The runs lie in a directory, and documents are grouped.
    let other = report(&["--runs", &format!("ours={folder}")]);
    assert_eq!(by_name(&other, "ours")["metrics"], ours["metrics"]);
    let groups = report(&["--runs", &format!("ours={folder}"), "--by", "length"]);
    assert!(groups["groups"][0]["systems"][1]["metrics"]["muc"]["runs"].is_object(), "{groups}");
    let table = run(&["compare", "-q", "-m", "muc", "--resamples", "200", &key, &one, &listed], 0).0;
    assert!(table.contains("± runs") && table.contains("ours has 3 runs"), "{table}");
    // The only pair is tested by Student's t; another system with one run adds the other test.
    assert!(table.contains("p by Student's t on runs and documents, two-sided"), "{table}");
    assert!(!table.contains("randomization") && table.contains("|test:student|"), "{table}");
    assert_eq!(
        (&found["test"], &found["tests_used"]),
        (&"randomization".into(), &serde_json::json!(["student"]))
    );
    let two = format!("two={}", corpus("runs-two", "examples/cedar.conll", &[]));
    let both = report(&[&listed, &two]);
    assert_eq!(both["tests_used"], serde_json::json!(["randomization", "student"]));
    // Only the system with one run has a detectable difference.
    let detectable = |name: &str| by_name(&both, name)["metrics"]["muc"]["difference"]["detectable"].clone();
    assert!(detectable("ours").is_null() && detectable("two").is_number(), "{both}");
    assert!(
        table.contains("\nDetectable: a dash for systems of several runs")
            && !table.contains("smallest true"),
        "{table}"
    );
    let signature = both["signature"].as_str().expect("a signature");
    assert!(signature.contains("|test:randomization+student|"), "{signature}");
    let again = report(&[&listed, &two, "--settings", signature]);
    assert_eq!(again["systems"], both["systems"]);
    // If runs vary more than the difference, no number of documents suffices.
    let planned = ["compare", "-q", "-m", "muc", "--resamples", "200", "--plan", "1", &key, &one, &listed];
    let table = run(&planned, 0).0;
    assert!(table.contains("documents for 1: a dash if no number of documents suffices"), "{table}");
    // The same name is given twice, and a directory has only one run.
    let err = run(&["compare", &key, "ours=x.conll", &listed], 2).1;
    assert!(err.contains("two systems are called `ours`"), "{err}");
    fs::remove_file(&runs[1]).and_then(|()| fs::remove_file(&runs[2])).expect("files of this test");
    let err = run(&["compare", &key, &one, "--runs", &folder], 2).1;
    assert!(err.contains("needs several runs") && err.contains("-runs=") && !err.contains("{name}"), "{err}");
}

/// Ranks by both rules, families, and planned differences.
#[test]
fn ranks_families_and_plans() {
    let key = corpus("plan-key", KEY, &[]);
    let systems = ["alder", "birch", "cedar"].map(|name| {
        format!("{name}={}", corpus(&format!("plan-{name}"), &format!("examples/{name}.conll"), &[]))
    });
    let report = |more: &[&str]| -> Value {
        let args = ["compare", "-q", "-m", "muc,b_cubed", "-o", "json", "--resamples", "999", &key];
        let all: Vec<&str> =
            args.into_iter().chain(systems.iter().map(String::as_str)).chain(more.iter().copied()).collect();
        serde_json::from_str(&run(&all, 0).0).expect("JSON")
    };
    let found = report(&["--plan", "0.5"]);
    assert_eq!(
        (&found["families"]["muc"]["baseline"], &found["families"]["muc"]["pairs"]),
        (&2.into(), &3.into())
    );
    assert_eq!((&found["plan"], &found["interval_used"]), (&0.005.into(), &"expanded".into()));
    let cedar = &found["systems"][2]["metrics"]["muc"];
    assert_eq!(
        (&cedar["rank"], &cedar["rank_set"][0], &cedar["letters"]),
        (&3.into(), &3.into(), &"c".into())
    );
    assert!(cedar["difference"]["planned"].as_u64().is_some_and(|units| units > 24), "{cedar}");
    let all = report(&["--family", "all", "--ranks", "neighbours"]);
    assert_eq!(all["families"]["muc"], serde_json::json!({ "baseline": 4, "pairs": 6, "neighbours": 4 }));
    let err = compare(&["--plan", "0"], 2).1;
    assert!(err.contains("percentage points"), "{err}");
    let err =
        run(&["compare", "--test", "bootstrap", "--resamples", "100", &key, &systems[0], &systems[1]], 0).1;
    assert!(err.contains("rejects too often on 24 documents"), "{err}");
    // The rate is the one in the table, with its error.
    let page = fs::read_to_string(root().join("docs/statistics.md")).expect("the page");
    let row = page.lines().find(|line| line.starts_with("| skewed, `bootstrap` |")).expect("a row");
    let rate = row.split(" | ").nth(2).expect("the rate at 20 documents");
    assert!(err.contains(&format!("in {rate}% of simulated cases")), "{rate}: {err}");
}

/// Pine has entities of 5 to 9 mentions in few documents, so that precision is undefined in that group for resamples
/// without these documents. A system compared with itself has no detectable difference.
#[test]
fn groups_without_precision_and_equal_systems() {
    let of = |name: &str| format!("examples/voyages/{name}.conll");
    let named = |name: &str, path: &str| format!("{name}={}", of(path));
    let (out, err) = run(
        &[
            "compare",
            "-m",
            "ceaf_e",
            "--by",
            "entity-size",
            "-o",
            "json",
            &of("key"),
            &of("oak"),
            &of("pine"),
        ],
        0,
    );
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let group = &report["groups"][3];
    let pine = &group["systems"][1]["metrics"]["ceaf_e"];
    assert_eq!((&group["id"], &pine["rank"]), (&"5 to 9 mentions".into(), &2.into()));
    assert!(pine["interval"][0].as_f64().is_some_and(|low| low > 0.7), "{pine}");
    assert!(pine["difference"]["interval"][0].as_f64().is_some_and(|low| low > -0.2), "{pine}");
    assert!(err.contains("CEAF φ4 is undefined in the group `5 to 9 mentions` in "), "{err}");
    let out = run(&["compare", "-m", "muc", &of("key"), &named("a", "oak"), &named("b", "oak")], 0).0;
    assert!(
        out.contains("Nothing is detectable at 5%: a difference would have to exceed 100 points"),
        "{out}"
    );
    let three = [named("a", "oak"), named("b", "oak"), named("c", "pine")];
    let out = run(&["compare", "-m", "muc", &of("key"), &three[0], &three[1], &three[2]], 0).0;
    assert!(out.contains("Detectable: a dash if it would be more than 100 points"), "{out}");
}

/// Without links MUC and the CoNLL average are undefined, and 0 in JSON for any average.
#[test]
fn undefined_means_are_0_in_json() {
    let text = |third: &str| -> String {
        ["a", "b"]
            .map(|id| {
                format!("#begin document ({id}); part 000\nx\t(1)\ny\t(2)\nz\t{third}\n#end document\n")
            })
            .concat()
    };
    let [key, one, other] = [("key", "(3)"), ("one", "-"), ("other", "-")]
        .map(|(name, third)| common::file(&format!("unlinked-{name}.conll"), text(third)));
    for average in ["micro", "macro", "mentions"] {
        let shared = ["-q", "--no-warnings", "--average", average, "-m", "muc,lea,conll", &key, &one];
        let both = [&shared[..], &[&other]].concat();
        let json = |args: &[&str], files: &[&str]| -> Value {
            serde_json::from_str(&run(&[args, &["-o", "json"], files].concat(), 0).0).expect("JSON")
        };
        for report in [json(&["score"], &shared), json(&["compare", "--resamples", "20"], &both)] {
            let metrics = &report["systems"][0]["metrics"];
            for metric in ["muc", "conll"] {
                assert_eq!(
                    (&metrics[metric]["f1"], &metrics[metric]["defined"]),
                    (&0.0.into(), &false.into()),
                    "{average}: {metrics}"
                );
            }
            assert_eq!(metrics["lea"]["f1"], 0.8, "{average}: {metrics}");
        }
        let table = run(&[&["score"], &shared[..]].concat(), 0).0;
        let muc = table.lines().find(|line| line.starts_with("MUC")).expect("a row");
        assert_eq!(muc.split_whitespace().collect::<Vec<_>>(), ["MUC", "–", "–", "–"], "{table}");
    }
}
