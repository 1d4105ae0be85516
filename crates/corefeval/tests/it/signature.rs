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

/// A signature names only settings that were applied, and a warning reports chosen ones that were not.
#[test]
fn signatures_name_what_was_applied() {
    let pipe = "examples/answers/pipe.txt";
    let cases: [(&[&str], &str, &str); 7] = [
        (
            &["errors", "--split-antecedents", "only", KEY, ALDER],
            "",
            "`split-antecedents:only` has no effect on",
        ),
        (&["errors", "--entities", "named", KEY, ALDER], "", "`entities:named` has no effect on"),
        (
            &["score", "--align", "words", "--min-aligned", "0.9", KEY, ALDER],
            "|align:words",
            "no effect: no text",
        ),
        (&["score", "-m", "muc", "examples/answers/key.conll", pipe], "|align:words|notation:pipe", ""),
        (&["probe", "-m", "muc", "examples/answers/key.conll", pipe], "|align:words|notation:pipe", ""),
        (&["score", "--align", "text", KEY, KEY], "|align:words", ""),
        (&["agree", "--align", "text", KEY, ALDER], "", "--align has no effect"),
    ];
    for (args, wanted, warning) in cases {
        let (out, err) = run(args, 0);
        let line = out.lines().find(|line| line.starts_with("corefeval:")).expect("a signature");
        let chosen = ["entities:", "split-antecedents:", "align:", "min-aligned:", "notation:"];
        let found: String = line
            .split('|')
            .filter(|field| chosen.iter().any(|name| field.starts_with(name)))
            .map(|field| format!("|{field}"))
            .collect();
        assert_eq!(found, wanted, "{args:?}\n{line}");
        assert!(err.contains(warning), "{args:?}\n{err}");
    }
}
