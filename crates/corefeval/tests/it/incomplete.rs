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
