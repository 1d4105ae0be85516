//! The behaviour of `corefeval agree` for people and scripts.

use std::fs;

use crate::common::{command, file, golden, golden_outputs, root, run};

fn agree(args: &[&str], status: i32) -> (String, String) {
    run(&[&["agree"], args].concat(), status)
}

const THREE: [&str; 3] = ["ada=examples/key.conll", "bo=examples/alder.conll", "cy=examples/birch.conll"];

#[test]
fn agreement_has_its_golden_files() {
    for output in golden_outputs() {
        let args = [&["-m", "muc,lea,conll", "--by", "document", "-o", output], &THREE[..]].concat();
        golden(&format!("agree.{output}"), &agree(&args, 0).0);
    }
    // The signature gives the same results again, on any number of threads.
    let (out, _) =
        agree(&[&["-q", "-m", "lea", "--seed", "5", "--resamples", "200"], &THREE[..]].concat(), 0);
    let signature = out.trim_end().lines().last().expect("a signature");
    let again = [&["-q", "-m", "lea", "--threads", "1", "--settings", signature], &THREE[..]].concat();
    assert_eq!(agree(&again, 0).0, out);
}

/// The annotations of the hand-worked case in the library: {1 2 3} {4} and {1 2} {3 4}.
#[test]
fn agreement_by_hand_from_files() {
    let one = file("one.links", "{a b c}\n{d}\n");
    let other = file("other.links", "{a b}\n{c d}\n");
    let (out, _) = agree(&["-q", "-o", "csv", "-m", "muc", &one, &other], 0);
    let value = |name: &str| -> f64 {
        let line = out.lines().find(|line| line.starts_with(&format!("{name},"))).expect("a row");
        line.split(',').nth(4).and_then(|cell| cell.parse().ok()).expect("a number")
    };
    assert!((value("alpha_passonneau") - 12.0 / 47.0).abs() < 1e-12, "{out}");
    assert!((value("alpha_links") - 2.0 / 35.0).abs() < 1e-12, "{out}");
}

#[test]
fn alpha_does_not_depend_on_the_order_of_annotators() {
    let rows = |out: &str| -> Vec<String> {
        let mut rows: Vec<String> = out.lines().skip(1).map(str::to_owned).collect();
        rows.sort_unstable();
        rows
    };
    let [a, b, c] = THREE;
    let one = agree(&["-q", "-o", "csv", "-m", "muc,b_cubed", a, b, c], 0).0;
    assert_eq!(rows(&one), rows(&agree(&["-q", "-o", "csv", "-m", "muc,b_cubed", c, a, b], 0).0));
}

/// The same holds if matching treats key and response differently, and with optional or repeated mentions.
#[test]
fn no_annotator_is_treated_as_the_key() {
    let alphas = |args: &[&str]| -> Vec<String> {
        let (out, _) = agree(&[&["-q", "-o", "csv", "-m", "muc"], args].concat(), 0);
        out.lines().filter(|line| line.starts_with("alpha_")).map(str::to_owned).collect()
    };
    let (one, other) = ("a=examples/muc/key.sgm", "b=examples/muc/response.sgm");
    assert_eq!(alphas(&[one, other]), alphas(&[other, one]));
    // One word is a mention of two entities: by `duplicates:first` it belongs to the first of them, whichever annotator
    // is named first, so {a b} {c} {d e} is compared with {a b} {c e} {d}. Links: two of ten pairs differ, 4 of 20
    // values are "linked": Dₒ = 1/5, Dₑ = 2 · 4 · 16 / (20 · 19), α = 1 − 380 / 640.
    let twice = file(
        "twice.conll",
        "#begin document (d)\na\t(1)|(2)\nb\t(1)\nc\t(2)\nd\t(3)\ne\t(3)\n\n#end document\n",
    );
    let once =
        file("once.conll", "#begin document (d)\na\t(1)\nb\t(1)\nc\t(2)\nd\t(3)\ne\t(2)\n\n#end document\n");
    let (twice, again, once) = (format!("x={twice}"), format!("y={twice}"), format!("z={once}"));
    let found = alphas(&[&twice, &once]);
    assert_eq!(found, alphas(&[&once, &twice]));
    let links: f64 = found[3].split(',').nth(4).and_then(|cell| cell.parse().ok()).expect("a number");
    assert!((links - (1.0 - 380.0 / 640.0)).abs() < 1e-12, "{found:?}");
    for rule in ["first", "last", "distinct"] {
        for row in alphas(&["--duplicates", rule, &twice, &again]) {
            assert!(row.contains(",,,,1,"), "{rule}: {row}");
        }
    }
}

#[test]
fn wrong_input_is_refused_with_a_remedy() {
    let short = file(
        "short.conll",
        fs::read_to_string(root().join("examples/alder.conll"))
            .expect("the example exists")
            .split_inclusive("#end document\n")
            .take(2)
            .collect::<String>(),
    );
    let key = "examples/key.conll";
    for (args, expected) in [
        (&[key, &short][..], "lacks the document `stories/stairs; part 000`"),
        (&["a=examples/key.conll", "a=examples/alder.conll"], "two annotators are called `a`"),
        (&["--pair-files", key, "examples/alder.conll"], "does not pair files"),
        (&["--output", "conll", key, "examples/alder.conll"], "latex"),
        (&[key, "examples/none.conll"], "examples/none.conll"),
    ] {
        let output = command().arg("agree").args(args).output().expect("the command starts");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code().is_some_and(|code| code == 1 || code == 2), "{args:?}: {err}");
        assert!(err.contains(expected) && output.stdout.is_empty(), "{args:?}: {err}");
    }
    let (out, err) = agree(&["-v", "--shared-documents", key, &short], 0);
    assert!(
        out.contains("On 2 documents that all annotators have, of 3") && err.contains("was left out"),
        "{out}{err}"
    );
    // MUC is undefined without links.
    let text = "#begin document (x)\na\t(0)\nb\t(1)\n#end document\n";
    let (one, other) = (file("without.conll", text), file("links.conll", text));
    let (out, _) = agree(&["-q", "-m", "muc,b_cubed,conll", &one, &other], 0);
    assert!(out.lines().any(|line| line.ends_with("–  100.00  100.00  100.00       –")), "{out}");
    let (out, _) = agree(&["-q", "-m", "muc", "-o", "csv", &one, &other], 0);
    assert!(out.lines().any(|line| line.starts_with("muc,") && line.ends_with(",,,,,")), "{out}");
    // With one document the interval is undefined and shown as a dash.
    let one = file("single.conll", "#begin document (x)\na\t(0)\nb\t(0)\nc\t(1)\n#end document\n");
    let (out, _) = agree(&["-q", &one, &format!("b={one}")], 0);
    assert!(out.contains("1.0000") && out.contains('–') && !out.contains("samples of documents"), "{out}");
}
