//! The signature below each report. All other golden files contain SIGNATURE instead.

use crate::common::{golden_with_signature, run};

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";

#[test]
fn every_kind_of_report_ends_with_its_signature() {
    let cases: [(&str, &[&str]); 6] = [
        ("table", &["score", "-m", "conll", "--singletons", "drop", KEY, ALDER]),
        ("json", &["score", "-o", "json", "-m", "conll", KEY, ALDER]),
        (
            "csv",
            &[
                "score",
                "-o",
                "csv",
                "-m",
                "b_cubed:weight=table",
                "--weights",
                "ace",
                "examples/weights/key.csv",
                "examples/weights/response.csv",
            ],
        ),
        ("ace", &["score", "-m", "ace_value", "testdata/ace/key", "testdata/ace/response"]),
        ("compare", &["compare", "-m", "muc", "--resamples", "200", KEY, ALDER, "examples/birch.conll"]),
        ("cone", &["cone", "--key-approximate", ALDER]),
    ];
    for (name, args) in cases {
        let args = [args, &["-q"]].concat();
        golden_with_signature(&format!("signature-{name}.txt"), &run(&args, 0).0);
    }
}

/// Each command with the end of its signature and the warning about a setting that it does not apply.
#[test]
fn a_signature_names_only_what_was_applied() {
    let cases: [(&[&str], &str, Option<&str>); 8] = [
        (
            &["errors", "--optional", "if-found"],
            "format:conll",
            Some("`optional:if-found` has no effect on errors"),
        ),
        (
            &["errors", "--split-antecedents", "only"],
            "format:conll",
            Some("`split-antecedents:only` has no effect on errors"),
        ),
        (
            &["errors", "--extra-mentions", "in-key"],
            "format:conll",
            Some("`extra-mentions:in-key` has no effect on errors"),
        ),
        (&["errors", "--entities", "named"], "|entities:named|named:ne-column", None),
        (
            &["score", "--align", "words", "--min-aligned", "0.9"],
            "|align:words",
            Some("--min-aligned has no effect: no text is aligned"),
        ),
        (&["score", "--align", "text", "--min-aligned", "0.9"], "|align:words|min-aligned:0.9", None),
        (&["probe", "--align", "text"], "|align:words", None),
        (
            &["show", "--scope", "corpus"],
            "",
            Some("`scope:corpus` has no effect on documents that are shown"),
        ),
    ];
    for (args, end, warned) in cases {
        let (out, err) = run(&[args, &[KEY, ALDER]].concat(), 0);
        assert!(out.trim_end().ends_with(end), "{args:?}: {out}");
        assert_eq!(err.contains("[without-effect]"), warned.is_some(), "{args:?}: {err}");
        assert!(warned.is_none_or(|warning| err.contains(warning)), "{args:?}: {err}");
    }
    let (out, err) = run(&["agree", "--align", "text", KEY, ALDER], 0);
    assert!(out.contains("|align:words|unit:"), "{out}");
    assert!(err.contains("`align:text` has no effect on annotators"), "{err}");
    let answer = ["examples/answers/key.conll", "examples/answers/pipe.txt"];
    for task in ["score", "probe"] {
        let (out, _) = run(&[&[task], &answer[..]].concat(), 0);
        assert!(out.trim_end().ends_with("|align:words|notation:pipe"), "{task}: {out}");
    }
}

/// Errors of named entities are counted among the mentions that are scored.
#[test]
fn errors_of_named_entities_are_those_of_their_scores() {
    let response = |task: &str, options: &[&str]| -> serde_json::Value {
        let all = [&[task], options, &["-q", "-o", "json", KEY, ALDER]].concat();
        let report: serde_json::Value = serde_json::from_str(&run(&all, 0).0).expect("JSON");
        report["systems"][0].clone()
    };
    let named = ["--entities", "named"];
    let errors = response("errors", &named)["errors"].clone();
    assert!(errors.is_object() && errors != response("errors", &[])["errors"], "{errors}");
    let scores = run(&[&["score", "-q"], &named[..], &[KEY, ALDER]].concat(), 0).0;
    let counts = |out: &str| out.lines().find(|line| line.starts_with("3 documents")).map(str::to_owned);
    let analysed = run(&[&["errors", "-q"], &named[..], &[KEY, ALDER]].concat(), 0).0;
    assert!(counts(&scores).is_some() && counts(&scores) == counts(&analysed), "{analysed}");
}
