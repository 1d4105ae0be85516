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
