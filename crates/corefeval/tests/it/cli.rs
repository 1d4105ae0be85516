//! The behaviour of the command for people and scripts: golden files for its output, statuses for refused input.
//! `COREFEVAL_BLESS=1` rewrites the golden files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::common::{command, file, golden, golden_outputs, lines_of, place, root, run};
use corefeval_core::groups::GROUPS;
use corefeval_core::metrics::{METRICS, Metric};
use corefeval_report::{Kind, OUTPUTS, OutputSpec};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the command prints UTF-8")
}

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";
const BIRCH: &str = "examples/birch.conll";
const CEDAR: &str = "examples/cedar.conll";

#[test]
fn every_output_has_its_golden_files() {
    for output in OutputSpec::of(Kind::Scores).map(|spec| spec.id) {
        let one = ["score", "-o", output, "--metrics", "all", KEY, ALDER];
        golden(&format!("{output}.txt"), &run(&one, 0).0);
        let metrics = "muc,b_cubed:weight=entity,blanc,conll";
        let by_document = ["score", "-o", output, "--by", "document", "-m", metrics, KEY, CEDAR];
        golden(&format!("{output}-by-document.txt"), &run(&by_document, 0).0);
        let several =
            ["score", "-o", output, "-m", "muc,lea,conll", KEY, ALDER, "b&b=examples/birch.conll", CEDAR];
        golden(&format!("{output}-three-systems.txt"), &run(&several, 0).0);
    }
}

/// Every output renders every report, or refuses it and names the outputs that support it.
#[test]
fn every_report_has_every_output_or_names_its_outputs() {
    for &kind in Kind::ALL {
        let typed = lines_of(kind)[0];
        for spec in OUTPUTS {
            let output = command().args(typed).args(["-o", spec.id]).output().expect("the command starts");
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            let named = || OutputSpec::of(kind).all(|other| err.contains(other.id));
            match (spec.supports)(kind) {
                true => assert!(
                    output.status.success() && out.lines().count() > 1,
                    "{typed:?} {}: {err}",
                    spec.id
                ),
                false => assert!(!output.status.success() && out.is_empty() && named(), "{typed:?}: {err}"),
            }
        }
    }
}

/// Sixty columns are enough for every table; longer names have a separate line there.
#[test]
fn tables_fit_the_width_of_the_terminal() {
    let reports: [&[&str]; 4] = [
        &["score", "-q", "--metrics", "all", "--by", "document", KEY, ALDER, BIRCH],
        &["compare", "-q", "--resamples", "50", KEY, ALDER, BIRCH],
        &["agree", "-q", "--resamples", "50", "--by", "document", KEY, ALDER],
        &["correlate", "-q", "--x", "muc", "--y", "lea", "--resamples", "50", KEY, ALDER, BIRCH],
    ];
    for typed in reports {
        let output = command().args(typed).env("COLUMNS", "60").output().expect("the command starts");
        let out = text(&output.stdout);
        // A signature is meant to be copied and is not wrapped.
        let mut lines = out.lines().filter(|line| !line.starts_with("corefeval:"));
        let wide = lines.find(|line| line.chars().count() > 60 || line.ends_with(' '));
        assert_eq!(wide, None, "{typed:?}\n{out}");
    }
}

/// Two documents that share entities; see the worked values in the library's tests of ACE-value.
#[test]
fn every_output_shows_values() {
    let (key, response) = ("testdata/ace/key", "testdata/ace/response");
    for output in ["table", "json", "csv", "markdown", "html", "latex"] {
        let one = ["score", "-q", "-o", output, "-m", "ace_value,muc,ace_mention_value", key, response];
        golden(&format!("ace-{output}.txt"), &run(&one, 0).0);
        let several =
            ["score", "-q", "-o", output, "-m", "ace_value", "--by", "document", key, response, key];
        golden(&format!("ace-{output}-by-document.txt"), &run(&several, 0).0);
        let pairs = ["score", "-q", "-o", output, "-m", "ace_value,muc", "--pair-files", key, response];
        golden(&format!("ace-{output}-pairs.txt"), &run(&pairs, 0).0);
    }
}

#[test]
fn parameters_of_ace_value_come_from_a_file_and_are_in_the_signature() {
    let (key, response) = ("testdata/ace/key", "testdata/ace/response");
    let parameters = file("ace.toml", b"rules = 2007\n\n[mention]\nNOM = 0.2\nPRO = 0.04\n");
    let (from_file, _) = run(&["score", "-q", "--ace-parameters", &parameters, key, response], 0);
    let signature = from_file.lines().last().expect("a signature");
    let wanted = "|ace:2007|ace-parameters:mention.NOM=0.2,mention.PRO=0.04";
    assert!(signature.starts_with("corefeval:") && signature.ends_with(wanted), "{signature}");
    let (again, _) = run(&["score", "-q", "--settings", signature, key, response], 0);
    assert_eq!(from_file, again);

    let (_, error) = run(&["score", "--ace-parameters", "no-such.toml", key, response], 1);
    assert!(error.contains("no-such.toml: the parameters of ACE-value cannot be read"), "{error}");
    let wrong = file("wrong.toml", b"[mention]\nNOM = 20\n");
    let (_, error) = run(&["score", "--ace-parameters", &wrong, key, response], 1);
    assert!(error.contains("wrong.toml:2:1: `20` is not a valid value for `mention.NOM`"), "{error}");
}

const WEIGHTED: [&str; 2] = ["examples/weights/key.csv", "examples/weights/response.csv"];

/// The scores are worked out by hand in the library's tests of weights.
#[test]
fn weights_come_from_a_file_and_are_in_the_signature() {
    let [key, response] = WEIGHTED;
    let weights = ["--weights", "examples/weights/weights.toml"];
    for output in golden_outputs() {
        let args = [&["score", "-q", "-o", output], &weights[..], &WEIGHTED].concat();
        golden(&format!("weights-{output}.txt"), &run(&args, 0).0);
    }
    let (from_file, _) = run(&[&["score", "-q"], &weights[..], &WEIGHTED].concat(), 0);
    let signature = from_file.lines().last().expect("a signature");
    assert!(signature.contains("|weights:mention-type.NAM=1,mention-type.NOM=0.5,"), "{signature}");
    let (again, _) = run(&["score", "-q", "--settings", signature, key, response], 0);
    assert_eq!(from_file, again);
    // A preset replaces the weights of a signature.
    let (preset, _) = run(&["score", "-q", "--settings", signature, "--weights", "ace", key, response], 0);
    assert!(
        preset.ends_with("|weights:mention-type.NAM=1,mention-type.NOM=0.5,mention-type.PRO=0.1\n"),
        "{preset}"
    );
}

#[test]
fn wrong_and_unused_weights_are_reported() {
    let files: [(&str, &[u8]); 3] = [
        ("negative.toml", b"[mention-type]\nNAM = 1\nPRO = -0.1\n"),
        ("misspelt.toml", b"[mention_type]\nNAM = 1\n"),
        ("broken.toml", b"[mention-type\nNAM = 1\n"),
    ];
    let mut errors = String::new();
    for (name, content) in files {
        let path = file(name, content);
        let (_, error) = run(&[&["score", "--weights", &path][..], &WEIGHTED].concat(), 1);
        errors += &error.replace(&path, name);
    }
    golden("weights-wrong.txt", &errors);

    let score = |args: &[&str], status| run(&[&["score"], args, &WEIGHTED].concat(), status).1;
    let error = score(&["--weights", "no-such.toml"], 1);
    assert!(error.contains("no-such.toml: the weights cannot be read"), "{error}");
    let error = score(&["-m", "lea:importance=table"], 2);
    assert!(error.contains("`lea:importance=table` needs weights"), "{error}");
    let error = score(&["-m", "ceaf_m:credit=words"], 2);
    assert!(error.contains("use --match overlap or another rule"), "{error}");
    let error = score(&["--weights", "ace", "--split-antecedents", "keep"], 2);
    assert!(error.contains("not defined for split antecedents"), "{error}");
    let found = score(&["--weights", "ace", "-m", "muc,b_cubed"], 0);
    assert!(
        found.contains("the weights have no effect: none of the metrics uses them [without-effect]"),
        "{found}"
    );
    let found = score(&["-v", "--weights", "ace", "-m", "muc,b_cubed:weight=mention-type"], 0);
    assert!(found.contains("note: the weights have no effect on muc [unweighted]"), "{found}");
    // Mentions of CoNLL have no type: all have the default weight, with a warning.
    let (_, found) = run(&["score", "--weights", "ace", "-m", "b_cubed:weight=table", KEY, ALDER], 0);
    assert!(
        found.contains(
            "a mention of the key has no type; it has the default weight (at 137 places) [type-missing]"
        ),
        "{found}"
    );
    let strict = ["score", "--strict", "--weights", "ace", "-m", "b_cubed:weight=table", KEY, ALDER];
    assert!(run(&strict, 1).1.contains("[type-missing] (the first of "));
}

#[test]
fn lists_and_help_have_their_golden_files() {
    for table in ["metrics", "formats", "profiles", "outputs", "options", "warnings", "ace"] {
        golden(&format!("list-{table}.txt"), &run(&["list", table], 0).0);
    }
    golden("help.txt", &run(&["--help"], 0).0);
    golden("help-score.txt", &run(&["score", "--help"], 0).0);
    golden("help-probe.txt", &run(&["probe", "--help"], 0).0);
    golden("help-reproduce.txt", &run(&["reproduce", "--help"], 0).0);
    golden("help-convert.txt", &run(&["convert", "--help"], 0).0);
    assert!(run(&["--version"], 0).0.starts_with("corefeval "));
}

const PAIRS: [&str; 3] = ["examples/pairs/key", "examples/pairs/alder", "examples/pairs/birch"];

#[test]
fn every_output_shows_pairs_and_their_average() {
    let [key, alder, birch] = PAIRS;
    for output in OutputSpec::of(Kind::Scores).map(|spec| spec.id) {
        let one = ["score", "-q", "--pair-files", "-o", output, key, alder];
        golden(&format!("{output}-pairs.txt"), &run(&one, 0).0);
        let metrics = ["-m", "muc,conll,zero_anaphora", "--by", "document"];
        let several: Vec<&str> = ["score", "-q", "--pair-files", "-o", output, key, alder, birch]
            .into_iter()
            .chain(metrics)
            .collect();
        golden(&format!("{output}-pairs-two-systems.txt"), &run(&several, 0).0);
    }
    let args = ["score", "-v", "--pair-files", key, alder, birch];
    golden("notes-pairs.txt", &run(&args, 0).1);
}

fn json(args: &[&str]) -> serde_json::Value {
    let args: Vec<&str> = ["score", "-q", "-o", "json"].iter().chain(args).copied().collect();
    serde_json::from_str(&run(&args, 0).0).expect("the report is JSON")
}

/// A pair has the same scores as alone, and the average is the mean of the pairs.
#[test]
fn a_pair_has_the_same_scores_as_alone() {
    let [key, alder, _] = PAIRS;
    let report = json(&["--pair-files", key, alder]);
    let systems = report["systems"].as_array().expect("rows");
    let names = ["cs_mill", "de_garden", "en_harbour"];
    assert_eq!(systems.iter().map(|system| &system["name"]).collect::<Vec<_>>(), names);
    let files: Vec<String> =
        names.iter().flat_map(|name| [key, alder].map(|side| format!("{side}/{name}.conllu"))).collect();
    for (system, files) in systems.iter().zip(files.chunks(2)) {
        let alone = json(&[&files[0], &files[1]]);
        assert_eq!(alone["systems"][0]["metrics"], system["metrics"]);
        assert_eq!(
            (&alone["systems"][0]["key"], &alone["systems"][0]["response"]),
            (&system["key"], &system["response"])
        );
    }
    for metric in ["muc", "ceaf_e", "blanc", "mention_overlap", "conll"] {
        for part in ["recall", "precision", "f1"].iter().skip(if metric == "conll" { 2 } else { 0 }) {
            let of = |row: &serde_json::Value| row["metrics"][metric][part].as_f64().expect("a score");
            let mean = systems.iter().map(of).sum::<f64>() / 3.0;
            assert!((of(&report["averages"][0]) - mean).abs() < 1e-15, "{metric} {part}");
        }
    }
    let zeros = &report["averages"][0]["metrics"]["zero_anaphora"];
    assert_eq!((zeros["f1"].as_f64(), zeros["pairs"].as_u64()), (Some(0.5), Some(1)));
    // The same pairs, named individually.
    let mut args: Vec<&str> = files.chunks(2).flat_map(|two| ["--pair", &two[0], &two[1]]).collect();
    let named = json(&args);
    assert_eq!(named["averages"][0]["metrics"], report["averages"][0]["metrics"]);
    assert_eq!(named["signature"], report["signature"]);
    let again = [args[1], args[2]].map(|path| format!("x={path}"));
    args.extend(["--pair", &again[0], &again[1]]);
    let two = json(&args);
    let rows: Vec<_> = two["systems"].as_array().expect("rows").iter().map(|row| &row["name"]).collect();
    assert_eq!(rows, ["response: cs_mill", "response: de_garden", "response: en_harbour", "x: x"]);
}

/// Files with the same name in several directories are identified by their paths.
#[test]
fn pairs_with_the_same_name_are_distinguished() {
    let [one, two] = ["one", "two"].map(|name| directory(name, &[("key.conllu", "key/cs_mill.conllu")]));
    let [one, two] = [one, two].map(|folder| format!("{folder}/key.conllu"));
    let (alder, three) = ("examples/pairs/alder/cs_mill.conllu", format!("three={one}"));
    let copy = format!("{}/cs_mill.conllu", directory("copy", &[("cs_mill.conllu", "alder/cs_mill.conllu")]));
    // A file may be in two pairs if their names distinguish them.
    let report = json(&["--pair", &one, alder, "--pair", &two, &copy, "--pair", &three, alder]);
    let names = [one.trim_end_matches(".conllu"), two.trim_end_matches(".conllu"), "three"];
    assert_eq!(report["averages"][0]["pairs"], serde_json::json!(names));
}

#[test]
fn threads_change_no_byte_of_pairs() {
    let [key, alder, birch] = PAIRS;
    let args = ["score", "-v", "-o", "json", "--pair-files", key, alder, birch];
    let first = run(&[&args[..], &["--threads", "1"]].concat(), 0);
    for threads in ["2", "3", "16"] {
        assert_eq!(run(&[&args[..], &["--threads", threads]].concat(), 0), first, "{threads} threads");
    }
}

/// Makes a directory of this test run with copies of some of the example pairs.
fn directory(name: &str, files: &[(&str, &str)]) -> String {
    let folder = place(name);
    fs::create_dir_all(&folder).expect("the folder can be made");
    for (copy, original) in files {
        let original = root().join("examples/pairs").join(original);
        fs::copy(original, folder.join(copy)).expect("the file can be copied");
    }
    folder.display().to_string()
}

#[test]
fn files_without_counterpart_are_reported_and_never_guessed() {
    let key = PAIRS[0];
    let cs = ("cs_mill.conllu", "alder/cs_mill.conllu");
    let some = directory("some", &[cs, ("xx_garden.conllu", "alder/de_garden.conllu")]);
    let shorten = |text: String| text.replace(&some, "SOME");
    golden("warnings-pairs.txt", &shorten(run(&["score", "--pair-files", key, &some], 0).1));
    let strict = run(&["score", "--pair-files", "--strict", key, &some], 1).1;
    assert!(
        strict.contains("has no file `de_garden.conllu`") && strict.contains("[missing-file]"),
        "{strict}"
    );
    // Missing documents are scored as missed, in their rows and in the average.
    let report = json(&["--pair-files", key, &some]);
    assert_eq!(report["systems"][1]["metrics"]["muc"]["recall_den"], 3);
    assert_eq!(report["systems"][1]["response"], "");
    assert_eq!(report["averages"][0]["metrics"]["muc"]["f1"], 0.25);
    let (_, err) = run(&["score", key, PAIRS[1]], 1);
    assert!(err.contains("is repeated here") && err.contains("file by file with --pair-files"), "{err}");
    let none = directory("none", &[]);
    let other = directory("other", &[("other.conllu", "alder/de_garden.conllu")]);
    let twice = directory("twice", &[("cs_mill.a.conllu", cs.1), ("cs_mill.b.conllu", cs.1)]);
    let mixed = directory("mixed", &[cs]);
    fs::copy(root().join(KEY), Path::new(&mixed).join("de_garden.conllu")).expect("the file can be copied");
    for (response, expected) in [
        (&none, "this directory contains no file"),
        (&other, "no file of the key has a counterpart in the response"),
        (&twice, "several files are called `cs_mill`, so it is unclear which belong together"),
        (&mixed, "key and response have no document in common"),
        (&"nowhere".to_owned(), "no such file"),
    ] {
        let (out, err) = run(&["score", "--pair-files", key, response], 1);
        assert!(
            out.is_empty() && err.starts_with("error: ") && err.contains(expected),
            "{expected}: {out}{err}"
        );
    }
    let (_, err) = run(&["score", "--pair-files", &mixed, &mixed], 1);
    assert!(err.contains("de_garden.conllu: this file is read as conll, another as corefud"), "{err}");
    let (_, err) = run(&["score", "--pair-files", &none, key], 1);
    assert!(err.contains("this directory contains no file"), "{err}");
}

const FAULTY_KEY: &str = "\
#begin document (a); part 000
a\t0\t0\tAda\t(1)
a\t0\t1\tslept\t-
a\t0\t2\tshe\t(1)
a\t0\t3\tsays\t(2
#end document
#begin document (b)
b\t0\t0\tx\t-
#end document
";

const FAULTY_RESPONSE: &str = "\
#begin document (a); part 000
a\t0\t0\tAda\t(1)|(2)
a\t0\t1\tslept\t7
a\t0\t2\tShe\t(1)
a\t0\t3\tsays\t3)
#end document
#begin document (c)
c\t0\t0\tx\t(1)
#end document
";

#[test]
fn warnings_are_counted_with_place_and_remedy() {
    let (key, response) = (file("key", FAULTY_KEY.as_bytes()), file("response", FAULTY_RESPONSE.as_bytes()));
    let shorten = |text: String| text.replace(&key, "KEY").replace(&response, "RESPONSE");
    let names = |text: String| shorten(text).replace(&format!("{}-", std::process::id()), "");
    let score = |more: &[&str], status| {
        let args: Vec<&str> =
            ["score", "-m", "muc,conll", &key, &response].iter().chain(more).copied().collect();
        run(&args, status)
    };
    let (out, err) = score(&[], 0);
    golden("warnings.txt", &shorten(err.clone()));
    // Quiet runs still print warnings.
    assert_eq!(score(&["-q"], 0), (out.clone(), err.clone()));
    assert_eq!(score(&["--no-warnings"], 0), (out, String::new()));
    golden("notes.txt", &shorten(score(&["-v"], 0).1));
    golden("warnings-strict.txt", &shorten(score(&["--strict"], 1).1));
    golden("warnings.json", &names(score(&["-o", "json"], 0).0));
}

#[test]
fn unscorable_input_exits_with_1() {
    let other = file("other.conll", b"#begin document (x)\nw\t(0)\n#end document\n");
    let longer = file("longer.conll", b"#begin document (x)\nw\t(0)\nw\t-\n#end document\n");
    for (key, response, expected) in [
        (KEY, "no-such-file", "no-such-file: no such file"),
        ("no-such-file", KEY, "no-such-file: no such file"),
        (KEY, &file("empty.conll", b""), "this file is empty"),
        (KEY, &file("binary.conll", b"\x00\x01\x02"), "not a text file"),
        (KEY, &file("prose.txt", b"Ada slept. She says so.\n"), "do not match any known format"),
        (KEY, &other, "no document in common"),
        (&other, &longer, "do not align: 1 word in the key and 2 in the response"),
        (&other, &longer, ":3:1: the response has `w` as word 2"),
        (
            &other,
            &longer,
            "; --align text carries the mentions over, and --check-tokens no would compare places",
        ),
        (&other, &longer, "the key ends before word 2"),
    ] {
        let (out, err) = run(&["score", key, response], 1);
        assert!(
            out.is_empty() && err.starts_with("error: ") && err.contains(expected),
            "{expected}: {out}{err}"
        );
    }
}

#[test]
fn wrong_usage_exits_with_2_and_suggests_the_right_name() {
    let wrong: [(&[&str], &str); 21] = [
        (&["score", KEY], "RESPONSE"),
        (&["score", "--singleton", "drop", KEY, ALDER], "--singletons"),
        (&["score", "--singletons", "dorp", KEY, ALDER], "drop"),
        (&["score", "-m", "muk", KEY, ALDER], "did you mean `muc`?"),
        (&["score", "-m", "b_cubed:weigth=entity", KEY, ALDER], "`b_cubed` has no parameter `weigth`"),
        (&["score", "--format", "connl", KEY, ALDER], "conll"),
        (&["score", "--profile", "conl", KEY, ALDER], "conll"),
        (&["score", "-o", "jsn", KEY, ALDER], "json"),
        (&["score", "-", "-"], "standard input can be read for one side only"),
        (&["score", "-o", "conll", "--average", "macro", KEY, ALDER], "no average over documents"),
        (&["score", "--settings", "profile:conll|singleton:drop", KEY, ALDER], "did you mean `singletons`?"),
        (&["score", "--pair-files", KEY, ALDER], "--pair-files pairs the files of directories"),
        (&["score", "--pair-files", "examples/pairs/key", "-"], "`-` is not a directory"),
        (&["score", "--pair", KEY], "2 values required"),
        (&["score", "--pair", KEY, ALDER, BIRCH], "--pair <KEY> <RESPONSE>"),
        (
            &["score", "--pair", KEY, ALDER, "--pair", KEY, BIRCH],
            "`examples/key.conll` is the key of two pairs of one system",
        ),
        (
            &["score", "--pair", KEY, ALDER, "--pair", BIRCH, ALDER],
            "`examples/alder.conll` is the response of two pairs",
        ),
        (&["score", "--pair", "-", ALDER, "--pair", "-", BIRCH], "standard input can be read for one side"),
        (&["score", "--pair", KEY, ALDER, "--average", "macro"], "leave out --average macro"),
        (&["list", "metric"], "metrics"),
        (&[], "Usage"),
    ];
    for (args, expected) in wrong {
        let (out, err) = run(args, 2);
        assert!(out.is_empty() && err.contains(expected), "{args:?}: {out}{err}");
    }
}

#[test]
fn sentences_on_one_side_only_do_no_harm() {
    let with = file(
        "with.jsonlines",
        br#"{"doc_key":"d","sentences":[["a","b"],["c"]],"clusters":[[[0,0],[2,2]]]}"#,
    );
    let without = file("without.jsonlines", br#"{"doc_key":"d","predicted_clusters":[[[0,0],[2,2]]]}"#);
    for (key, response) in [(&with, &without), (&without, &with)] {
        let (out, _) = run(&["score", "-m", "muc", "--profile", "coval", key, response], 0);
        assert!(out.contains("MUC"), "{out}");
    }
}

#[test]
fn sentences_that_break_elsewhere_are_shown_side_by_side() {
    let words = |breaks: &[usize]| {
        let mut text = String::from("# newdoc id = d\n# global.Entity = eid-etype-head-other\n");
        let mut number = 0;
        for (place, word) in ["Ida", "ran", "She", "fell"].iter().enumerate() {
            if breaks.contains(&place) {
                text.push('\n');
                number = 0;
            }
            number += 1;
            text.push_str(&format!("{number}\t{word}\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-x-1-)\n"));
        }
        text.push('\n');
        text
    };
    let key = file("two.conllu", words(&[2]).as_bytes());
    let response = file("three.conllu", words(&[2, 3]).as_bytes());
    let (_, err) = run(&["score", &key, &response], 1);
    assert!(err.contains("the same words, but other sentences"), "{err}");
    assert!(err.contains(":8:3: sentence 3 of the response starts at word 4, `fell`"), "{err}");
    assert!(err.contains("the key has 2 sentences"), "{err}");
    run(&["score", "--check-tokens", "no", &key, &response], 0);
}

#[test]
fn idle_options_and_undefined_metrics_cause_warnings() {
    let (_, err) = run(&["score", "--annotation", "discourse-deixis", KEY, ALDER], 0);
    assert!(err.contains("`annotation:discourse-deixis` has no effect on conll [without-effect]"), "{err}");
    let (_, err) = run(&["score", "--pair-files", "examples/pairs/key", "examples/pairs/alder"], 0);
    assert!(!err.contains("without-effect"), "{err}");
    // Options about answers of language models have no effect without an answer.
    let (out, err) = run(&["score", "--notation", "link", "--extra-zeros", "spurious", KEY, ALDER], 0);
    for option in ["notation:link", "extra-zeros:spurious"] {
        assert!(err.contains(&format!("`{option}` has no effect on conll [without-effect]")), "{err}");
        assert!(!out.contains(option), "{out}");
    }
    let (key, answer) = ("examples/answers/key.conll", "examples/answers/bracketed.txt");
    let (out, err) = run(&["score", "--notation", "link", "--extra-zeros", "spurious", key, answer], 0);
    assert!(
        out.contains("|notation:link|extra-zeros:spurious") && !err.contains("without-effect"),
        "{out}{err}"
    );
    run(&["score", "--strict", "--profile", "codi-crac-2021-deixis", KEY, ALDER], 1);
    let (out, err) = run(&["score", "-v", "-m", "zero_anaphora", KEY, ALDER], 0);
    assert!(err.contains("[metric-undefined]") && out.contains('–'), "{out}{err}");
    let (_, err) = run(&["score", "-o", "conll", "-m", "zero_anaphora", KEY, ALDER], 2);
    assert!(err.contains("the reference scorer has none of these metrics"), "{err}");
}

#[test]
fn an_entity_annotated_twice_equals_one_of_the_other_side() {
    let twice = file("twice.conll", b"#begin document (x)\na\t(1)|(2)\nb\t-\n#end document\n");
    let args = ["score", "-q", "--profile", "coval", "-m", "ceaf_1", "-o", "csv", &twice, &twice];
    let (out, _) = run(&args, 0);
    assert!(out.contains(",ceaf_1,1,1,1,"), "{out}");
}

#[test]
fn groups_of_documents_add_up() {
    let part = |name: &str| {
        format!("#begin document ({name}); part 000\na\t(0)\nb\t(0)\nc\t(1\nd\t1)\n#end document\n")
    };
    let half = |name: &str| {
        format!("#begin document ({name}); part 000\na\t(0)\nb\t(0)\nc\t(0)\nd\t-\n#end document\n")
    };
    let key = file(
        "groups-key.conll",
        (part("nw/x/1") + &part("bc/y/2") + &part("nw/x/3") + &part("plain")).as_bytes(),
    );
    let response = file(
        "groups-response.conll",
        (part("nw/x/1") + &half("bc/y/2") + &half("nw/x/3") + &part("plain")).as_bytes(),
    );
    let rows = |by: &str| -> Vec<(String, f64)> {
        let (out, _) = run(&["score", "-q", "-m", "b_cubed", "-o", "csv", "--by", by, &key, &response], 0);
        assert!(out.starts_with(&format!("system,{by},metric,")), "{out}");
        let cells = out.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let groups = cells.filter(|cells| !cells[1].is_empty());
        groups.map(|cells| (cells[1].to_owned(), cells[6].parse().expect("a number"))).collect()
    };
    // Two of three mentions of the halved documents are found; the third is only in the key.
    let named = |rows: &[(&str, f64)]| rows.iter().map(|row| (row.0.to_owned(), row.1)).collect::<Vec<_>>();
    assert_eq!(rows("genre"), named(&[("bc", 2.0), ("nw", 5.0), ("(none)", 3.0)]));
    assert_eq!(rows("length"), named(&[("0 to 99 words", 10.0)]));
    assert_eq!(rows("document").len(), 4);
    let (out, _) = run(&["score", "-q", "-m", "b_cubed,lea", "--by", "genre", &key, &response], 0);
    golden("table-by-genre.txt", &out);
    let (out, _) = run(&["score", "-q", "-m", "lea", "--by", "genre", "-o", "json", &key, &response], 0);
    assert!(out.contains("\"by\": \"genre\"") && out.contains("\"groups\": ["), "{out}");
    let (_, err) = run(&["score", "--by", "topic", &key, &response], 1);
    assert!(err.contains("no document has a topic"), "{err}");
    let ace = ["testdata/ace/key", "testdata/ace/response"];
    let (_, err) = run(&["score", "--profile", "ace-2005", "--by", "length", ace[0], ace[1]], 2);
    assert!(err.contains("has no score by group"), "{err}");
    let (_, err) = run(&["agree", "--by", "genre", &key, &response], 2);
    assert!(err.contains("not by genre"), "{err}");
}

#[test]
fn assumed_and_skipped_columns_are_reported() {
    let linked = file(
        "linked.conll",
        b"#begin document (x)\na\t(place-1-Rome)\nb\t(place-1-Rome\nc\tplace-1)\n#end document\n",
    );
    let spans = file("spans.jsonlines", b"{\"doc_key\": \"x\", \"clusters\": [[[0, 0], [1, 2]]]}\n");
    let both = file(
        "both.jsonlines",
        b"{\"doc_key\": \"x\", \"clusters\": [[[0, 0], [1, 2]]], \"predicted_clusters\": [[[0, 0], [2, 2]]]}\n",
    );
    let table = file("bare.csv", b"a,1\nb,1\nc,2\n");
    let words = file("words.conll", b"#begin document (x)\na\t(0)\nb\t(0\nc\t0)\n#end document\n");
    let again = file(
        "again.conll",
        b"#begin document (x)\na\t(0)\nb\t(0)\n#end document\n#begin document (y)\na\t(0)\nb\t(0)\n#end document\n",
    );
    let settings = |fields: &str| format!("{fields}|profile:conll");
    let (older, other) = (settings("corefeval:0.0.1"), settings("format:jsonlines"));
    for (args, expected) in [
        (&[linked.as_str(), &linked][..], "[linked-ids]"),
        (&[&words, &spans], "[words-unchecked]"),
        (&[&both, &both], "for the response `predicted_clusters` was read [two-clusterings]"),
        (&["--format", "table", &table, &table], "[columns-assumed]"),
        (&["--scope", "corpus", &again, &again], "1 of 1 entity of the key was merged by name"),
        (&["--settings", &older, &words, &words], "printed for version 0.0.1"),
        (
            &["--settings", &other, &words, &words],
            "printed for format jsonlines; this is conll [other-origin]",
        ),
    ] {
        let (_, err) = run(&[&["score", "-v"], args].concat(), 0);
        assert!(err.contains(expected), "{args:?}: {err}");
    }
    // A file with both clusterings scores its response against its key.
    let (out, _) = run(&["score", "-q", "-m", "muc", "-o", "csv", &both, &both], 0);
    assert!(out.contains(",muc,0,0,0,"), "{out}");
}

#[test]
fn a_side_may_come_from_standard_input() {
    let mut child = command()
        .args(["score", "-q", KEY, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let bytes = fs::read(root().join(ALDER)).expect("the example exists");
    child.stdin.take().expect("a pipe").write_all(&bytes).expect("the command reads");
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(text(&output.stdout), run(&["score", "-q", KEY, ALDER], 0).0);
}

#[test]
fn several_inputs_are_converted_into_a_directory_under_their_names() {
    let folder = place("converted");
    let output = folder.to_str().unwrap();
    let (out, _) = run(&["convert", KEY, ALDER, "--to", "jsonlines", "-o", output], 0);
    assert_eq!(out, format!("{output}/key.jsonlines\n{output}/alder.jsonlines\n"));
    let (key, alder) = (format!("{output}/key.jsonlines"), format!("{output}/alder.jsonlines"));
    let [before, after] = [[KEY, ALDER], [&key, &alder]]
        .map(|[key, response]| run(&["score", "-q", "-o", "csv", "-m", "muc,lea", key, response], 0).0);
    let scores =
        |csv: &str| csv.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect::<Vec<_>>();
    assert_eq!(scores(&before), scores(&after));
    let (_, err) = run(&["convert", KEY, KEY, "--to", "links", "-o", output], 2);
    assert!(err.contains("two inputs would be written to"), "{err}");
    let (_, err) = run(&["convert", KEY, ALDER, "--to", "links"], 2);
    assert!(err.contains("hint: name the format with --to and a directory with --output"), "{err}");
    let (out, _) = run(&["convert", "-q", KEY, ALDER, "--to", "brat", "-o", output], 0);
    assert_eq!(out, format!("{output}/key\n{output}/alder\n"));
}

/// A truncated file is reported where its words differ from the key's.
#[test]
fn a_truncated_response_is_reported() {
    let text = fs::read(root().join(ALDER)).unwrap();
    let cut = file("cut.conll", &text[..3000]);
    let (_, err) = run(&["score", KEY, &cut], 1);
    assert!(err.contains("the file is truncated"), "{err}");
    // A response that ends with a whole line lacks its `#end document`.
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').take(40).collect();
    let cut = file("cut.conll", lines.concat());
    let (_, err) = run(&["score", KEY, &cut], 1);
    assert!(err.contains("has no `#end document` line: is the file truncated?"), "{err}");
    let key = fs::read(root().join("examples/key.jsonlines")).unwrap();
    let cut = file("cut.jsonlines", &key[..400]);
    let (_, err) = run(&["score", &cut, &cut], 1);
    assert!(err.contains("cut.jsonlines:1:400: the file is truncated: it ends within a string"), "{err}");
}

#[test]
fn documents_are_converted_and_losses_are_counted() {
    // A conversion without losses scores 100.
    for (input, format, name) in [
        (KEY, "jsonlines", "key.jsonlines"),
        (KEY, "corefud", "key.conllu"),
        (KEY, "conll-ua", "key.conllua"),
        ("testdata/formats/corefud/plain.conllu", "conll", "plain.conll"),
    ] {
        let output = place(name).display().to_string();
        let (out, _) = run(&["convert", input, "--to", format, "--output", &output], 0);
        assert_eq!(out, "");
        let (out, _) = run(&["convert", "-q", input, "--to", format], 0);
        assert_eq!(out, fs::read_to_string(&output).expect("the file exists"));
        let back = place(&format!("{name}.links")).display().to_string();
        run(&["convert", "-q", &output, "--to", "links", "-o", &back], 0);
        let (links, _) = run(&["convert", "-q", input, "--to", "links"], 0);
        let lines = |text: &str| {
            let mut lines: Vec<String> = text
                .lines()
                .filter_map(|line| {
                    let mut names: Vec<&str> =
                        line.strip_prefix('{')?.strip_suffix('}')?.split(' ').collect();
                    names.sort_unstable();
                    Some(names.join(" "))
                })
                .collect();
            lines.sort_unstable();
            lines
        };
        assert_eq!(lines(&links), lines(&fs::read_to_string(&back).expect("the file exists")), "{format}");
    }
    // Formats with one or two files per document write into a directory.
    for format in ["brat", "ecb+", "json", "apf", "webanno"] {
        let folder = place(&format!("converted-{format}")).display().to_string();
        run(&["convert", "-q", KEY, "--to", format, "-o", &folder], 0);
        let (out, _) = run(&["convert", "-q", &folder, "--to", "links"], 0);
        let (links, _) = run(&["convert", "-q", KEY, "--to", "links"], 0);
        assert_eq!(out.matches('{').count(), links.matches('{').count(), "{format}");
        let (_, err) = run(&["convert", "-q", KEY, "--to", format], 2);
        assert!(err.contains("cannot be written to standard output") && err.contains("--output"), "{err}");
    }
    let discontinuous = "testdata/formats/corefud/discontinuous.conllu";
    let (_, err) = run(&["convert", discontinuous, "--to", "conll"], 0);
    assert!(
        err.contains("conll cannot represent: gaps in mentions") && err.contains("[not-written]"),
        "{err}"
    );
    let (out, err) = run(&["convert", "--strict", discontinuous, "--to", "conll"], 1);
    assert!(out.is_empty() && err.contains("cannot represent"), "{err}");
    // Nothing is written, not even the folder.
    let folder = place("converted-strict").display().to_string();
    run(&["convert", "--strict", KEY, "--to", "brat", "-o", &folder], 1);
    assert!(!Path::new(&folder).exists());
    let (_, err) = run(&["convert", "examples/links/key.links", "--to", "conll"], 1);
    assert!(
        err.contains("names of mentions instead of a text") && err.contains("write it as links"),
        "{err}"
    );
    let (_, err) = run(&["convert", KEY, "--to", "conl"], 2);
    assert!(err.contains("conll"), "{err}");
    let (_, err) = run(&["convert", KEY, "--to", "jsonlines", "-o", "no/such/folder/x"], 1);
    assert!(err.contains("this file cannot be written"), "{err}");
}

/// Losses are reported; converting the written file again loses nothing.
#[test]
fn conversion_reports_its_losses() {
    let formats = "testdata/formats";
    for (file, to, count) in [
        // Lemma, frameset and word sense.
        ("conll/columns-12.conll", "conll", 4),
        ("corefud/gum.conllu", "corefud", 10),
        ("corefud/multiword.conllu", "jsonlines", 11),
        ("conll-ua/comments.conllua", "conll-ua", 2),
        ("semeval/full.semeval", "semeval", 9),
        // Genre, part, map of sentences and heads.
        ("jsonlines/other-fields.jsonlines", "jsonlines", 4),
    ] {
        let path = format!("{formats}/{file}");
        let expected =
            format!("left out: other columns, fields and comments of the input, such as lemmas ({count});");
        let (text, err) = run(&["convert", &path, "--to", to], 0);
        assert!(err.contains(&expected), "{file}: {err}");
        let err = run(&["convert", "--strict", &path, "--to", to], 1).1;
        assert!(err.contains("[not-written]"), "{file}: {err}");
        let again = place(&format!("kept-{to}"));
        fs::write(&again, text).unwrap();
        let again = again.display().to_string();
        let err = run(&["convert", "--from", to, &again, "--to", to], 0).1;
        assert!(!err.contains("left out"), "{file}: {err}");
    }
    // The same holds for formats that are read as a whole; some are written to a directory.
    let table = file("other-columns.csv", "mention,entity,note\na,e1,hello\nb,e1,_\n");
    for (path, to, count) in [
        (table.as_str(), "links", 1),
        ("testdata/formats/json/other-fields.json", "json", 2),
        ("testdata/formats/brat/events.ann", "jsonlines", 4),
        ("testdata/formats/muc/other-tags.sgm", "muc", 2),
        ("testdata/formats/apf/attributes.apf.xml", "jsonlines", 2),
        ("testdata/formats/ecb+/refers-to.xml", "jsonlines", 1),
    ] {
        let err = run(&["convert", path, "--to", to], 0).1;
        assert!(err.contains(&format!("such as lemmas ({count});")), "{path}: {err}");
        assert!(run(&["convert", "--strict", path, "--to", to], 1).1.contains("[not-written]"), "{path}");
    }
    // Placed on a key's words, the key's other columns are lost unless its file is copied.
    let key = format!("{formats}/conll/columns-12.conll");
    let onto = run(&["convert", &key, "--onto", &key, "--to", "conll"], 0).1;
    assert!(onto.contains("such as lemmas (4)"), "{onto}");
    let (copy, err) = run(&["convert", "--strict", &key, "--onto", &key, "--keep-columns"], 0);
    assert!(err.is_empty() && copy.contains("opened\tVBD\t(VP*\topen\t01\t1"), "{err}{copy}");
}

#[test]
fn a_probe_has_a_row_for_each_transformation() {
    golden("probe.txt", &run(&["probe", "-q", KEY, ALDER], 0).0);
    golden("probe.md", &run(&["probe", "-q", "-o", "markdown", "-m", "b_cubed,blanc,lea", KEY, BIRCH], 0).0);
    golden("probe.csv", &run(&["probe", "-q", "-o", "csv", "-m", "muc,lea", KEY, CEDAR], 0).0);
    for output in ["json", "latex", "conll"] {
        run(&["probe", "-q", "-o", output, KEY, ALDER], 0);
    }
    // The unchanged response has the scores of `score`, for any matching and scope.
    let [key, alder, _] = PAIRS.map(|folder| format!("{folder}/cs_mill.conllu"));
    for args in
        [vec![KEY, ALDER], vec!["--scope", "corpus", KEY, CEDAR], vec!["--match", "head", &key, &alder]]
    {
        let scored = json(&[&["-m", "mentions,muc,lea,conll"], &args[..]].concat());
        let probe = ["probe", "-q", "-o", "json", "-m", "mentions,muc,lea,conll"];
        let probed = run(&[&probe, &args[..]].concat(), 0).0;
        let probed: serde_json::Value = serde_json::from_str(&probed).expect("the report is JSON");
        assert_eq!(probed["systems"][0]["name"], "base");
        for part in ["metrics", "key", "response"] {
            assert_eq!(probed["systems"][0][part], scored["systems"][0][part], "{args:?}");
        }
        assert_eq!(probed["signature"], scored["signature"]);
        assert_eq!(probed["systems"].as_array().map(Vec::len), Some(8));
    }
    assert!(run(&["probe", KEY, ALDER, CEDAR], 2).1.contains("unexpected argument"));
    assert!(
        run(&["probe", "--settings", "profile:conll|pair-files:yes", KEY, ALDER], 2).1.contains("one by one")
    );
}

/// Tips for unknown arguments are command lines that work.
#[test]
fn tips_for_unknown_arguments_work() {
    let tip = |args: &[&str]| {
        let (_, err) = run(args, 2);
        let tip = err.lines().find_map(|line| line.trim().strip_prefix("tip: ")).map(str::to_owned);
        assert!(err.contains("unexpected argument") && !err.contains("use '-- "), "{err}");
        tip.unwrap_or_default()
    };
    let others = tip(&["show", KEY, ALDER, "-m", "muc"]);
    assert!(others.starts_with("'-m' is an option of score, probe, errors, "), "{others}");
    assert_eq!(tip(&["show", KEY, ALDER, "-qm", "muc"]), others);
    let others = tip(&["score", KEY, ALDER, "--confidence", "0.9"]);
    assert!(others.starts_with("'--confidence' is an option of report, compare, "), "{others}");
    assert_eq!(tip(&["score", KEY, ALDER, "--metrcs", "muc"]), "a similar argument exists: '--metrics'");
    assert_eq!(tip(&["score", KEY, ALDER, "--nonsense"]), "");
    assert_eq!(tip(&["score", KEY, "-5"]), "");
    assert_eq!(tip(&["score", KEY, "--quiet", "-5"]), "");
    let attach = "to pass '-5' as a value of '--seed', use '--seed=-5'";
    assert_eq!(tip(&["compare", KEY, ALDER, CEDAR, "--seed", "-5"]), attach);
    let (_, err) = run(&["compare", KEY, ALDER, CEDAR, "--seed=-5"], 2);
    assert!(err.contains("`-5` is not a valid value for `seed`"), "{err}");
    // A file of this name is passed with its directory.
    let folder = place("dash");
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::copy(root().join(ALDER), folder.join("-5.conll")).expect("the file can be copied");
    let in_folder = |args: &[&str]| command().current_dir(&folder).args(args).output().expect("it runs");
    let key = root().join(KEY).display().to_string();
    let refused = String::from_utf8(in_folder(&["score", &key, "-5.conll"]).stderr).expect("UTF-8");
    assert!(refused.contains("tip: to pass the file '-5.conll', use './-5.conll'"), "{refused}");
    assert!(in_folder(&["score", &key, "./-5.conll"]).status.success());
}

#[test]
fn the_results_of_the_papers_are_reproduced() {
    golden("reproduce.txt", &run(&["reproduce"], 0).0);
    golden("reproduce.md", &run(&["reproduce", "-o", "markdown"], 0).0);
    let (found, _) = run(&["reproduce", "-o", "json"], 0);
    let found: serde_json::Value = serde_json::from_str(&found).expect("the results are JSON");
    let outcomes = found["outcomes"].as_array().expect("rows");
    assert!(outcomes.len() > 80 && outcomes.iter().all(|outcome| outcome["verdict"] != "off"));
    let folder = place("figures");
    let typed = folder.display().to_string();
    assert_eq!(run(&["reproduce", "--figures", &typed], 0), run(&["reproduce"], 0));
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the folder was made")
        .map(|entry| entry.expect("a figure").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    assert_eq!(names.len(), if cfg!(feature = "png") { 24 } else { 8 });
    assert_eq!(names.iter().filter(|name| name.ends_with(".svg")).count(), 8);
    assert!(names.contains(&"mention-identification.svg".to_owned()), "{names:?}");
    let file = format!("{typed}/{}", names[0]);
    assert!(run(&["reproduce", "--figures", &file], 1).1.contains("cannot be written"));
    let points = place("points.csv");
    run(&["reproduce", "--points", &points.display().to_string()], 0);
    let points = fs::read_to_string(points).expect("points");
    assert!(points.starts_with("figure,step,metric,recall,precision,f1\n"), "{points}");
}

/// Luo's sweep, CONE's tables and a ranking, on the shipped text and on another.
#[test]
fn results_on_licensed_data_are_simulated() {
    let usual = ["reproduce", "--simulate", "--repeats", "1"];
    let (whole, _) = run(&usual, 0);
    let (tables, ranking) =
        whole.split_once("Moosavi and Strube 2016, table 5: fourteen systems").expect("two parts");
    golden("simulate.txt", tables);
    // The comparison has separate golden files.
    assert!(ranking.contains("system-14") && ranking.contains("CoNLL"), "{ranking}");
    let folder = place("simulated").display().to_string();
    let (csv, _) = run(&[&usual[..], &["-o", "csv", "--figures", &folder]].concat(), 0);
    assert!(csv.starts_with("table,group,row,column,value\n"));
    for table in ["luo-table-3,", "luo-table-4,", "cone: ", "probe,", "ranking,"] {
        assert!(csv.lines().any(|line| line.starts_with(table)), "{table}");
    }
    assert!(fs::read_dir(folder).expect("figures").count() > 8);
    let other = [&usual[..], &["--text", KEY, "-o", "json"]].concat();
    let found: serde_json::Value = serde_json::from_str(&run(&other, 0).0).expect("JSON");
    assert_eq!((found["documents"].as_u64(), found["mentions"].as_u64()), (Some(3), Some(137)));
    assert!(csv.lines().any(|line| line.starts_with("luo-table-3,,-2.0,entities,")), "a penalty is a number");
    assert!(run(&["reproduce", "--repeats", "2"], 2).1.contains("--simulate"));
    // An option without effect is refused, and the report does not replace the text.
    let (_, err) = run(&["reproduce", "--points", "never.csv", "--text", KEY], 2);
    assert!(err.contains("cannot be used with"), "{err}");
    let text = place("simulated-text.txt");
    fs::copy(root().join(KEY), &text).expect("a copy");
    let text = text.display().to_string();
    let (_, err) = run(&[&usual[..], &["--text", &text, "-o", &text]].concat(), 2);
    assert!(err.contains("this file is an input and would be replaced"), "{err}");
    let links = run(&["reproduce", "--simulate", "--text", "examples/links/key.links"], 1).1;
    assert!(links.contains("does not contain its words"), "{links}");
}

#[test]
fn compressed_files_score_like_plain_ones() {
    let samples = root().join("testdata/formats/conll");
    let mut found = 0;
    for entry in fs::read_dir(samples).expect("the samples exist") {
        let path = entry.expect("a sample").path();
        let name = path.display().to_string();
        if name.ends_with(".gz") || name.ends_with(".zst") {
            let (out, _) = run(&["score", "-q", "-m", "mentions", &name, &name], 0);
            assert!(out.contains("100.00"), "{name}: {out}");
            found += 1;
        }
    }
    assert!(found >= 2, "a sample of each compression");
}

#[test]
fn directories_are_read_whole_and_paired_by_document() {
    let folder = place("corpus");
    for (side, source) in [("key", KEY), ("response", ALDER)] {
        let whole = fs::read_to_string(root().join(source)).expect("the example exists");
        let documents = whole.split_inclusive("#end document\n").filter(|part| part.contains("#begin"));
        fs::create_dir_all(folder.join(side)).expect("the folder can be made");
        for (number, document) in documents.enumerate() {
            // In the response the file names are swapped.
            let number = if side == "key" { number } else { 9 - number };
            fs::write(folder.join(side).join(format!("part{number}.conll")), document).expect("a file");
        }
    }
    let [key, response] = ["key", "response"].map(|side| folder.join(side).display().to_string());
    assert_eq!(run(&["score", "-q", &key, &response], 0).0, run(&["score", "-q", KEY, ALDER], 0).0);
}

#[test]
fn threads_change_no_byte() {
    let args = ["score", "-q", "-o", "json", "--metrics", "all", "--by", "document", KEY, BIRCH, CEDAR];
    let first = run(&args, 0).0;
    for threads in ["1", "2", "7"] {
        let args: Vec<&str> = args.iter().copied().chain(["--threads", threads]).collect();
        assert_eq!(run(&args, 0).0, first, "{threads} threads");
    }
}

#[test]
fn a_signature_gives_the_same_scores_again() {
    let args = ["score", "-q", "--profile", "coval", "--singletons", "drop", "--blanc", "either", KEY, BIRCH];
    let first = run(&args, 0).0;
    let signature = first.lines().last().expect("a signature");
    assert_eq!(
        run(
            &[
                "score",
                "-q",
                "-m",
                "mentions,muc,b_cubed,ceaf_e,lea,conll",
                "--settings",
                signature,
                KEY,
                BIRCH
            ],
            0
        )
        .0,
        first
    );
}

#[test]
fn colours_only_where_they_are_wanted() {
    assert!(!run(&["score", "-q", KEY, ALDER], 0).0.contains('\x1b'));
    assert!(run(&["score", "-q", "--color", "always", KEY, ALDER], 0).0.contains("\x1b[1m"));
}

#[test]
fn completions_and_manual_name_every_option() {
    let help = run(&["score", "--help"], 0).0;
    let words = help.split_whitespace().map(|word| word.trim_end_matches([',', '.', ';', ')']));
    let options: Vec<&str> = words.filter(|word| word.starts_with("--") && word.len() > 4).collect();
    assert!(options.len() > 15);
    let manual = run(&["man", "score"], 0).0.replace('\\', "");
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell], 0).0;
        for option in &options {
            assert!(script.contains(option.trim_start_matches('-')), "{shell} lacks {option}");
            assert!(manual.contains(option), "the manual lacks {option}");
        }
    }
}

/// Unsupported metrics are refused if requested, and otherwise left out with a warning.
#[test]
fn links_are_counted_only_where_files_record_them() {
    let links = "links_as_written";
    let refused = |args: &[&str]| {
        let (_, err) = run(args, 1);
        assert!(err.contains("Links as written cannot be counted") && err.contains("hint: leave"), "{err}");
    };
    refused(&["score", "-m", links, KEY, ALDER]);
    refused(&["score", "-m", links, "--pair", KEY, ALDER]);
    refused(&["compare", "-m", links, KEY, ALDER, BIRCH]);
    refused(&["probe", "-m", links, "examples/muc/key.sgm", "examples/muc/response.sgm"]);
    let (out, err) = run(&["score", "--profile", "muc", KEY, ALDER], 0);
    assert!(out.contains("MUC") && !out.contains("Links"), "{out}");
    assert!(err.contains("Links as written was left out") && err.contains("[metric-impossible]"), "{err}");
}

/// A response to a different text is refused with the first difference on both sides.
#[test]
fn muc_scores_one_text() {
    let response = fs::read_to_string(root().join("examples/muc/response.sgm")).expect("the example");
    let other = file("other.sgm", response.replace("Tuesday", "Monday").as_bytes());
    let (_, err) = run(&["score", "examples/muc/key.sgm", &other], 1);
    assert!(err.contains("key.sgm:10: the key has `Tuesday` as word 29"), "{err}");
    assert!(err.contains("other.sgm:10: the response has `Monday` as word 29"), "{err}");
    let broken = file("broken-lines.sgm", response.replace("in November,", "in\nNovember,").as_bytes());
    let (whole, _) = run(&["score", "-q", "examples/muc/key.sgm", "examples/muc/response.sgm"], 0);
    assert_eq!(run(&["score", "-q", "examples/muc/key.sgm", &broken], 0).0, whole);
    let (out, err) = run(&["convert", "--no-warnings", "examples/muc/key.sgm", "--to", "jsonlines"], 0);
    assert!(out.contains("\"doc_key\":\"ferry_line\"") && err.is_empty(), "{out}{err}");
}

#[test]
fn names_and_places_are_not_compared() {
    let table = file("places.csv", "mention,entity\na,1\nb,1\n");
    let spans = file("places.jsonlines", "{\"doc_key\": \"x\", \"clusters\": [[[0, 0], [2, 2]]]}\n");
    let links = file("places.links", "# document x\nA-B B-C\n");
    for (key, response) in [(KEY, &table), (KEY, &links)] {
        for command in ["score", "agree"] {
            let (_, err) = run(&[command, key, response], 1);
            assert!(err.contains("in common") || err.contains("names its mentions"), "{err}");
        }
    }
    let (_, err) = run(&["score", "--check-tokens", "no", &spans, &table], 1);
    assert!(err.contains("cannot be compared") || err.contains("in common"), "{err}");
    let (names, _) = run(&["convert", "-q", KEY, "--to", "table"], 0);
    let names = file("names.csv", names);
    let (_, err) = run(&["score", "-q", KEY, &names], 1);
    assert!(err.contains("names its mentions") && err.contains("convert both to `table`"), "{err}");
}

/// An entity is a set of names: a repeated row changes nothing, under any rules.
#[test]
fn equal_rows_count_once() {
    let once = file("once.csv", "mention,entity\na,1\nb,1\nc,2\nd,2\n");
    let twice = file("twice.csv", "mention,entity\na,1\nb,1\nc,2\nd,2\na,1\n");
    let moved = file("moved.csv", "mention,entity\nc,2\na,1\nd,2\na,1\nb,1\n");
    for rules in [
        &[][..],
        &["--duplicates", "distinct"],
        &["--duplicates", "last"],
        &["--match", "head"],
        &["--profile", "corefud"],
    ] {
        let score = |key: &str, response: &str| {
            let args =
                [&["score", "-m", "mentions,muc,b_cubed,ceaf_e,lea"][..], rules, &[key, response]].concat();
            run(&args, 0)
        };
        let perfect = score(&once, &once).0;
        assert_eq!(perfect.matches("100.00     100.00  100.00").count(), 5, "{perfect}");
        for (key, response) in [(&twice, &twice), (&once, &twice), (&twice, &moved), (&moved, &once)] {
            let (out, err) = score(key, response);
            // The line of counts includes the copies.
            let scores = |text: &str| text.split("\n\n").next().map(str::to_owned);
            assert_eq!(scores(&out), scores(&perfect), "{rules:?}: {err}");
            assert!(err.contains("has `a` in entity `1` twice") && err.contains("it counts once"), "{err}");
        }
    }
}

#[test]
fn misleading_results_cause_warnings() {
    let (key, response) =
        (file("ids1.csv", "mention,entity\n001,1\n002,1\n"), file("ids2.csv", "mention,entity\n1,1\n2,1\n"));
    let (_, err) = run(&["score", &key, &response], 0);
    assert!(err.contains("no mention in common: the response has `1` here, the key `001`"), "{err}");
    let (out, err) = run(&["score", "-m", "ace_value", KEY, ALDER], 0);
    assert!(err.contains("no entity has a type") && out.contains("|profile:conll|"), "{out}{err}");
    let (_, err) = run(&["score", "-o", "conll", "-m", "lea,pairwise", "--by", "length", KEY, ALDER], 0);
    assert!(err.contains("does not show `pairwise`") && err.contains("not scores by length"), "{err}");
    let (_, err) = run(&["cone", "-o", "conll", KEY, ALDER], 0);
    assert!(err.contains("does not show `cone_b_cubed`"), "{err}");
    let text = "testdata/formats/apf/attributes.sgm";
    let (_, err) = run(&["score", text, text], 1);
    assert!(err.contains("this is the text of `testdata/formats/apf/attributes.apf.xml`"), "{err}");
    let (_, err) =
        run(&["score", "--by", "length", "examples/links/key.links", "examples/links/response.links"], 1);
    assert!(err.contains("no document has a length"), "{err}");
    let harbour = ["examples/pairs/key/en_harbour.conllu", "examples/pairs/alder/en_harbour.conllu"];
    let (_, err) = run(&["probe", harbour[0], harbour[1]], 0);
    assert!(err.contains("`sys-sing` makes only singletons") && err.contains("[probe-idle]"), "{err}");
}

#[test]
fn names_of_systems_may_contain_an_equals_sign_and_are_unique() {
    let path = file("lr=0.1.conll", fs::read(root().join(ALDER)).expect("it exists"));
    let (out, _) = run(&["score", "-q", "-m", "lea", "-o", "csv", KEY, &format!("lr=0.1={path}"), CEDAR], 0);
    assert!(out.contains("\nlr=0.1,,lea,"), "{out}");
    let (_, err) = run(&["score", KEY, &format!("a={ALDER}"), &format!("a={CEDAR}")], 2);
    assert!(err.contains("two systems are called `a`"), "{err}");
    let page = file("names-of-systems.html", "");
    for (task, more) in [("show", &[][..]), ("report", &["-o", &page])] {
        let (_, err) = run(&[&[task, KEY, ALDER, ALDER], more].concat(), 2);
        assert!(err.contains(&format!("two systems are called `{ALDER}`")), "{task}: {err}");
    }
    for (task, name) in [("score", ""), ("compare", " "), ("errors", ""), ("show", "")] {
        let (_, err) = run(&[task, KEY, &format!("{name}={ALDER}"), CEDAR], 2);
        assert!(err.contains("the name of a system is empty") && err.contains("NAME=PATH"), "{task}: {err}");
    }
}

/// Words are compared even if the ids of the documents are spelt differently.
#[test]
fn words_of_loosely_paired_documents_are_compared() {
    let text = fs::read_to_string(root().join(KEY)).expect("it exists");
    let loose =
        text.replace("#begin document (news/ferry_line); part 000", "#begin document (news/ferry_line_0)");
    let same = file("loose.conll", &loose);
    let (_, err) = run(&["score", "-v", "-m", "muc", KEY, &same], 0);
    assert!(err.contains("[paired-loosely]") && !err.contains("words"), "{err}");
    let cut = file("loose-cut.conll", loose.replacen("\tferry\t", "\tboat\t", 1));
    let (_, err) = run(&["score", "--check-tokens", "yes", KEY, &cut], 1);
    assert!(err.contains("do not align") && err.contains("`boat`"), "{err}");
    // brat does not mark words, so its texts may be divided into words differently from the converted file.
    let folder = place("brat").display().to_string();
    run(&["convert", "-q", KEY, "--to", "brat", "-o", &folder], 0);
    let (_, err) = run(&["score", KEY, &folder], 1);
    assert!(err.contains("news/ferry_line") && err.contains("do not align"), "{err}");
}

#[test]
fn inputs_are_never_replaced() {
    let path = file("source.conll", fs::read(root().join(KEY)).expect("it exists"));
    let (_, err) = run(&["convert", &path, "--to", "jsonlines", "-o", &path], 2);
    assert!(err.contains("this file is an input and would be replaced"), "{err}");
    let (_, err) = run(&["cone", "-q", "--key-approximate", "--write-key", &path, &path], 2);
    assert!(err.contains("this file is an input and would be replaced"), "{err}");
    let folder = place("brat-twice");
    let name = folder.display().to_string();
    let convert = |status| run(&["convert", "-q", &path, "--to", "brat", "-o", &name], status).1;
    convert(0);
    convert(0);
    fs::write(folder.join("old.ann"), "").expect("the folder exists");
    assert!(convert(2).contains("`old.ann` is in this folder already"));
}

#[test]
fn truncated_compressed_files_are_reported_in_plain_words() {
    for name in ["compressed.conll.gz", "compressed.conll.zst"] {
        let whole = fs::read(root().join("testdata/formats/conll").join(name)).expect("it exists");
        let path = file(name, &whole[..whole.len() / 2]);
        let (_, err) = run(&["score", &path, &path], 1);
        assert!(err.contains("data ends too early") && err.contains("hint: fetch"), "{err}");
    }
}

/// The page of groups has a row with its help for each grouping, and one for each metric with scores by group.
#[test]
fn the_page_of_groups_is_complete() {
    let page = fs::read_to_string(root().join("docs/groups.md")).expect("the page exists");
    let groups = GROUPS.iter().map(|spec| format!("| `{}` | {} |", spec.id, spec.summary));
    let shares = METRICS.iter().map(Metric::new).filter_map(|metric| {
        Some(format!("| `{metric}` | {} |", metric.mention_share()?.summary.replace('|', "\\|")))
    });
    let missing: Vec<String> = groups.chain(shares).filter(|row| !page.contains(row)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn scores_by_groups_of_mentions() {
    let files = ["examples/key.conll", "examples/birch.conll"];
    let by = |group: &str, output: &str| {
        run(
            &["score", "-q", "-m", "muc,ceaf_e,blanc,conll", "--by", group, "-o", output, files[0], files[1]],
            0,
        )
        .0
    };
    for output in golden_outputs() {
        golden(&format!("{output}-by-entity-size.txt"), &by("entity-size", output));
    }
    golden("table-by-distance.txt", &by("distance", "table"));
    golden("table-by-mention-length.txt", &by("mention-length", "table"));
    let types = ["examples/weights/key.csv", "examples/weights/response.csv"];
    let (out, _) = run(&["score", "-q", "-m", "all", "--by", "entity-type", types[0], types[1]], 0);
    golden("table-by-entity-type.txt", &out);
    let (_, err) = run(&["score", "-m", "all", "--by", "zero", files[0], files[1]], 0);
    assert!(
        err.contains("Adjusted Rand has no score by zero") && err.contains("[metric-without-groups]"),
        "{err}"
    );
    let (_, err) = run(&["score", "--by", "mention-type", files[0], files[1]], 1);
    assert!(err.contains("examples/key.conll:1:1: the key has no mention-type"), "{err}");
    let (_, err) = run(&["score", "-m", "adjusted_rand", "--by", "zero", files[0], files[1]], 2);
    assert!(err.contains("none of these metrics") && err.contains("b_cubed"), "{err}");
    // Files are read by one thread each or all by one: the bytes are the same.
    let threads = |number: &str| {
        run(&["score", "-q", "--by", "distance", "--threads", number, files[0], files[1]], 0).0
    };
    assert_eq!(threads("1"), threads("7"));
}
