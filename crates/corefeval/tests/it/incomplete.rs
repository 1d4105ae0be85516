//! Files that are incomplete, and warnings that are said once.

use crate::common::{document, file, run};

/// Words without coreference, in a key and in what is converted.
#[test]
fn a_file_without_coreference_is_not_converted() {
    let empty = file("no-coreference.conll", document("x", &["-", "-"]));
    let arguments = file("no-coreference-but-arguments.conll", document("x", &["(V*)", "(A0*)"]));
    for path in [&empty, &arguments] {
        let (_, score) = run(&["score", path, path], 1);
        let (out, convert) = run(&["convert", path, "-o", "jsonlines"], 1);
        // In the words of the subcommand it is the same error.
        assert_eq!(score, convert);
        assert!(out.is_empty() && convert.contains("--allow-empty"), "{convert}");
        let (out, _) = run(&["convert", path, "-o", "jsonlines", "--allow-empty"], 0);
        assert!(out.contains("\"doc_key\""), "{out}");
    }
}

#[test]
fn truncated_files_are_named_so() {
    let header = "# global.Entity = eid-etype-head-other\n# newdoc id = x\n";
    let word = |number: u32, last: &str| format!("{number}\tw\t_\t_\t_\t_\t_\t_\t_\t{last}\n");
    let text = format!(
        "{header}{}{}\n{}",
        word(1, "Entity=(e1-person-1-)"),
        word(2, "_"),
        word(1, "Entity=(e1-person-1-)")
    );
    let whole = file("whole.conllu", format!("{text}\n"));
    let (_, err) = run(&["score", "-m", "muc", &whole, &whole], 0);
    assert!(!err.contains("[truncated]"), "{err}");
    for (name, cut) in [("line", text.len()), ("word", text.len() - 1)] {
        let path = file(&format!("cut-{name}.conllu"), &text[..cut]);
        let (_, err) = run(&["score", "-m", "muc", &whole, &path], 0);
        assert!(err.contains("it may be truncated [truncated]"), "{name}: {err}");
    }
    // Within the entity, and within the columns.
    for cut in [text.len() - 5, text.len() - 25] {
        let path = file(&format!("cut-{cut}.conllu"), &text[..cut]);
        let output = crate::common::command().args(["score", &whole, &path]).output().expect("a run");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains("truncated"), "{cut}: {err}");
    }
}

#[test]
fn equal_warnings_are_said_once() {
    let thrice = document("x", &["(1", "(1)(1)(1)", "1)", "(2)"]);
    let key = file("once-key.conll", document("x", &["(1)", "(1)", "(2)", "(2)"]));
    let response = file("once-response.conll", thrice);
    let (_, err) = run(&["errors", &key, &response], 0);
    assert_eq!(err.matches("is annotated 3 times").count(), 1, "{err}");
    assert_eq!(err.matches("[duplicate-mention]").count(), 1, "{err}");
    for command in ["score", "errors", "show", "validate", "stats", "overlap"] {
        let args: &[&str] = match command {
            "validate" | "stats" => &[command, &response],
            "overlap" => &["score", "--by", "document", &key, &response],
            _ => &[command, &key, &response],
        };
        // `validate` lists each place by itself, on standard output.
        let (_, err) = run(args, i32::from(command == "validate"));
        let mut lines: Vec<&str> = err.lines().filter(|line| line.starts_with("warning")).collect();
        let count = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), count, "{command}: {err}");
    }
}

#[test]
fn show_tells_of_other_ends() {
    let line = |spans: &str| format!("{{\"doc_key\": \"x\", \"clusters\": [{spans}]}}\n");
    let key = file("show-ends-key.jsonlines", line("[[0, 1], [4, 4]], [[6, 8], [11, 11]]"));
    let response = file("show-ends-response.jsonlines", line("[[0, 2], [4, 5]], [[6, 9], [11, 12]]"));
    let (_, err) = run(&["show", &key, &response], 0);
    assert!(err.contains("(--response-span-end exclusive) [span-ends]"), "{err}");
    let (_, err) = run(&["show", "--response-span-end", "exclusive", &key, &response], 0);
    assert!(!err.contains("[span-ends]"), "{err}");
}

#[test]
fn findings_within_a_file_name_the_system_if_there_are_several() {
    let whole = [document("x", &["(1)", "(1", "(2)", "1)"]), document("y", &["(1)", "(1)"])].concat();
    let key = file("named-key.conll", &whole);
    let open = whole.replacen("1)\n#", "-\n#", 1);
    let open = ["one", "two"].map(|name| format!("{name}={}", file(&format!("named-{name}.conll"), &open)));
    let [one, two] = [0, 1].map(|place| open[place].as_str());
    let path = one.split_once('=').expect("a path").1;
    let told = format!("{path}:3:3: one: ");
    for line in [
        &["score", "-m", "muc", &key, one, two][..],
        &["errors", &key, one, two],
        &["show", &key, one, two],
        &["compare", "-m", "muc", "--resamples", "20", &key, one, two],
        &["correlate", "--x", "muc", "--y", "b_cubed", "--resamples", "20", &key, one, two],
        &["stats", one, two],
        &["agree", one, two],
        &["score", "-m", "muc", "--pair", &key, one, "--pair", &key, two],
    ] {
        let (_, err) = run(line, 0);
        assert!(err.contains(&told) && err.contains(": two: "), "{line:?}: {err}");
        assert!(err.contains("[unclosed-mention]"), "{line:?}: {err}");
    }
    // A single system needs no name, and warnings about the key are the same for all.
    let (_, err) = run(&["score", "-m", "muc", &key, one], 0);
    assert!(err.contains("[unclosed-mention]") && !err.contains("one: "), "{err}");
    let twice = file("named-twice.conll", whole.replacen("(1)", "(1)|(1)", 1));
    let (_, err) = run(&["score", "-m", "muc", &twice, one, two], 0);
    let about_key: Vec<&str> = err.lines().filter(|line| line.contains("[duplicate-mention]")).collect();
    assert!(about_key.len() == 1 && !about_key[0].contains("one"), "{err}");
    // Other words.
    let words = file("named-words.conll", whole.replacen("w\t", "v\t", 1));
    let (_, err) = run(&["score", "-m", "muc", &key, &format!("other={words}"), one], 0);
    assert!(err.contains(&format!("{words}:2:1: other: ")) && err.contains("[words-differ]"), "{err}");
}
