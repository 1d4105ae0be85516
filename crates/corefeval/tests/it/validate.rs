//! `corefeval validate`: its outputs, findings about two files, corrections, and the exit status.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use corefeval_core::formats::{FORMATS, FormatSpec};
use corefeval_core::validation::fixes::FIXES;
use serde_json::Value;

use crate::common::{command, file, golden, place, root, run};

const BROKEN: &str = "testdata/formats/conll-broken/";

fn broken(name: &str) -> String {
    format!("{BROKEN}{name}.conll")
}

/// A folder for files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = place(&format!("validate-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn every_output_has_the_findings() {
    let files =
        [broken("unclosed-at-end-of-file"), broken("empty-id"), broken("document-twice"), broken("bad-utf8")];
    let outputs = [
        ("table", "txt"),
        ("json", "json"),
        ("csv", "csv"),
        ("jsonlines", "jsonl"),
        ("markdown", "md"),
        ("html", "html"),
        ("latex", "tex"),
        ("github", "github"),
        ("sarif", "sarif"),
    ];
    for (output, extension) in outputs {
        let mut args = vec!["validate", "-o", output];
        args.extend(files.iter().map(String::as_str));
        let (out, err) = run(&args, 1);
        assert_eq!(err, "");
        golden(&format!("validate/findings.{extension}"), &out);
    }
}

#[test]
fn two_files_are_validated_for_scoring() {
    let key = "examples/key.conll";
    let (out, _) = run(&["validate", "--against", key, "examples/alder.conll"], 0);
    assert_eq!(out, "2 files: nothing found\n");
    let folder = folder("against");
    let put = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let text = fs::read_to_string(root().join(key)).unwrap();
    // Two documents with different words, and a missing one.
    let parts: Vec<&str> = text.split_inclusive("#end document\n").collect();
    let changed = |part: &str| {
        let line = part.lines().nth(3).unwrap();
        let word = line.split_whitespace().nth(3).unwrap();
        part.replacen(&format!("{word}\t"), &format!("{word}x\t"), 1).replacen(
            &format!(" {word} "),
            &format!(" {word}x "),
            1,
        )
    };
    let other = put("other.conll", format!("{}{}", changed(parts[0]), changed(parts[1])));
    let (out, _) = run(&["validate", "-o", "jsonlines", "--against", key, &other], 1);
    let codes: Vec<String> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(codes, ["words-differ", "words-differ", "missing-document"], "{out}");
    // The differing words themselves are underlined, regardless of the format and its separators.
    for (name, lines) in [
        (
            "tabs.conll",
            ["#begin document (d); part 000", "d\t0\t0\tÅse\t(0)", "d\t0\t1\tslept\t-", "#end document"],
        ),
        (
            "blanks.conll",
            ["#begin document (d); part 000", "d   0  0  Åse  (0)", "d  0   1   slept  -", "#end document"],
        ),
        (
            "words.conllu",
            [
                "# newdoc id = d",
                "# global.Entity = eid-etype-head-other",
                "1\tÅse\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)",
                "2\tslept\t_\t_\t_\t_\t_\t_\t_\t_",
            ],
        ),
        (
            "words.conllua",
            [
                "# global.columns = ID FORM IDENTITY",
                "# newdoc id = d",
                "1\tÅse\t(EntityID=1|MarkableID=m1)",
                "2\tslept\t_",
            ],
        ),
        ("words.semeval", ["#begin document d", "1\tÅse\t(0)", "2\tslept\t_", "#end document"]),
    ] {
        // CoNLL-U and its variants have a blank line after each sentence, including the last.
        let text = format!("{}\n\n", lines.join("\n"));
        let [key, response] = [("", text.clone()), ("other-", text.replace("slept", "sleeps"))]
            .map(|(side, text)| put(&format!("{side}{name}"), text));
        let out = run(&["validate", "--against", &key, &response], 1).0;

        let line = lines.iter().position(|line| line.contains("slept")).unwrap() + 1;
        let before = lines[line - 1].find("slept").unwrap() + 1;
        assert!(out.contains(&format!("{name}:{line}:{before}: ")), "{name}: {out}");
        assert!(out.contains("^^^^^^\n") && !out.contains("^^^^^^^"), "{name}: {out}");
    }
    let (out, _) = run(&["validate", "--against", key, &put("less.conll", parts[0].to_owned())], 1);
    assert!(out.contains("[missing-document]"), "{out}");
    // An error in a file hides findings about the pair.
    let (out, _) = run(&["validate", "--against", key, &broken("document-twice")], 1);
    assert!(out.contains("[repeated-document]") && !out.contains("no-shared-document"), "{out}");
    fs::remove_dir_all(folder).unwrap();
}

/// The subject of a finding is underlined at its column: the word, the cell, the end of the file, the first text.
#[test]
fn findings_about_lines_point_at_their_texts() {
    let folder = folder("columns");
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let head = "#begin document (d); part 000\nd\t0\t0\tAda\t(0)\n";
    let end = "\n#end document\n";
    let rest = "d\t0\t1\tslept\t-\nd\t0\t2\tShe\t(0)\n";
    let key = put("key.conll", &format!("{head}{rest}{end}"));
    let table = [
        ("other-words", "other.conll", format!("{head}{}d\t0\t3\ttoo\t-\n{end}", rest.replace("slept", "lay")), 3, 7, "lay"),
        ("other-words", "short.conll", format!("{head}d\t0\t1\tslept\t-\n{end}"), 3, 7, "slept"),
        ("sentences-differ", "sentences.conll", format!("{head}{}{end}", rest.replace("d\t0\t2", "\nd\t0\t0")), 5, 7, "She"),
        ("column-count", "more.conll", format!("{head}{}{end}", rest.replace("-\n", "-\t-\n")), 3, 15, "-"),
        ("column-count", "less.conll", format!("{head}{}{end}", rest.replace("\tslept", "")), 3, 8, ""),
        ("column-count", "more.conllua", "# global.columns = ID FORM IDENTITY\n# newdoc id = d\n1\tAda\t(EntityID=1|MarkableID=m1)\textra\n\n".to_owned(), 3, 34, "extra"),
        ("truncated", "cut.conll", format!("{head}d\t0\t1\tsl"), 3, 9, ""),
        ("truncated", "cut.conllu", "# newdoc id = d\n# global.Entity = eid-etype-head-other\n1\tAda\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\n".to_owned(), 3, 32, ""),
        ("unknown-format", "text.dat", "\n  Ada slept.\nShe slept.\n".to_owned(), 2, 3, "Ada slept."),
    ];
    for (code, name, text, line, column, underlined) in table {
        let path = put(name, &text);
        let against = code.ends_with("-words") || code.starts_with("sentences");
        let args = match against {
            true => vec!["validate", "-o", "jsonlines", "--against", &key, &path],
            false => vec!["validate", "-o", "jsonlines", &path],
        };
        let (out, _) = run(&args, 1);
        let found: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|finding| finding["code"] == code)
            .collect();
        assert_eq!(found.len(), 1, "{out}");
        assert_eq!((&found[0]["line"], &found[0]["column"]), (&line.into(), &column.into()), "{out}");
        assert_eq!(found[0]["text"], underlined, "{out}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// A file next to annotation that looks like an answer holds settings of the annotation tool, as in `score`.
#[test]
fn json_next_to_annotation_is_not_validated_as_an_answer() {
    let folder = folder("beside");
    let settings = r#"{"clusters": [["Ada", "She"]]}"#;
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("brat/a.ann", "T1\tEntity 0 3\tAda\n");
    put("brat/a.txt", "Ada slept");
    put("brat/tool.json", settings);
    put("conll/a.conll", "#begin document (d); part 000\nAda\t(0)\n#end document\n");
    put("conll/tool.json", settings);
    put("answers/a.json", settings);
    put("answers/b.txt", "[Ada](#1) slept. [She](#1) woke.");
    let validate =
        |name: &str, status| run(&["validate", &folder.join(name).display().to_string()], status).0;
    let out = validate("brat", 0);
    assert!(out.contains("tool.json (next to annotation in another format) [file-skipped]"), "{out}");
    let out = validate("conll", 1);
    assert!(out.contains("tool.json: error: ") && out.contains("[mixed-formats]"), "{out}");
    assert!(validate("answers", 0).ends_with("2 files: nothing found\n"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_exit_status_serves_hooks() {
    run(&["validate", &broken("closed-twice")], 1);
    run(&["validate", "--fail-on", "error", &broken("closed-twice")], 0);
    run(&["validate", "--fail-on", "error", &broken("document-twice")], 1);
    run(&["validate", "--fail-on", "never", &broken("document-twice")], 0);
    run(&["validate", "examples/key.conll", "examples/key.jsonlines"], 0);
    let (_, err) = run(&["validate", "--fail-on", "sometimes", "examples/key.conll"], 2);
    assert!(err.contains("fail-on"));
    let (out, _) = run(&["validate", "nowhere.conll", "examples/key.conll"], 1);
    assert!(out.contains("nowhere.conll: error: no such file [not-found]"), "{out}");
}

#[test]
fn every_output_describes_what_fix_does() {
    let path = broken("empty-id");
    for output in ["table", "github", "sarif"] {
        let (out, _) = run(&["validate", "-o", output, &path], 1);
        assert!(out.contains("give it the id of an entity; --fix removes the pair of brackets"), "{out}");
    }
}

#[test]
fn corrections_are_written_in_place_or_beside() {
    let folder = folder("fix");
    let file = folder.join("a.conll");
    let text = "#begin document (a); part 000\na\t0\t0\tIda\t(1)|()\na\t0\t1\tsaw\t()\na\t0\t2\ther\t(1)\n#begin document (b); part 000\nb\t0\t0\tIt\t(2)\n#end document\n";
    fs::write(&file, text).unwrap();
    let path = file.display().to_string();
    let (out, _) = run(&["validate", &path], 1);
    assert!(out.ends_with("1 file: 3 warnings; --fix may correct 3 of them\n"), "{out}");
    let (out, _) = run(&["validate", "--fix=beside", &path], 0);
    assert!(
        out.contains("a.fixed.conll: corrected 2 empty-id, 1 no-end-line")
            || out.contains("corrected 1 no-end-line, 2 empty-id"),
        "{out}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let fixed = text.replace("|()", "").replace("()", "-").replacen(
        "#begin document (b)",
        "#end document\n#begin document (b)",
        1,
    );
    let beside = folder.join("a.fixed.conll");
    assert_eq!(fs::read_to_string(&beside).unwrap(), fixed);
    fs::remove_file(beside).unwrap();
    run(&["validate", "--fix", &path], 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), fixed);
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    let (out, _) = run(&["validate", "--fix", &path], 0);
    assert!(out.ends_with("1 file: nothing found\n"), "{out}");
    assert_eq!(
        fs::metadata(&file).unwrap().modified().unwrap(),
        before,
        "a file without findings is not written"
    );
    // Standard input cannot be corrected.
    let (out, _) = run(&["validate", "--fix", "-"], 1);
    assert!(out.contains("only files can be corrected"), "{out}");
    fs::remove_dir_all(folder).unwrap();
}

/// Each span with further values is reported at its place, and a truncated line at its end.
#[test]
fn spans_with_further_values_and_ends_of_cut_lines_are_underlined() {
    let path = folder("spans").join("spans.jsonlines");
    let line =
        r#"{"doc_key": "a", "sentences": [["x", "y"]], "clusters": [[[0, 0, 7], [1, 1]], [[0, 1, "b"]]]}"#;
    fs::write(&path, format!("{line}\n")).unwrap();
    let out = run(&["validate", path.to_str().unwrap()], 1).0;
    for span in ["[0, 0, 7]", "[0, 1, \"b\"]"] {
        let column = line.find(span).unwrap() + 1;
        assert!(out.contains(&format!("spans.jsonlines:1:{column}: ")), "{out}");
    }
    // So is the end of a truncated line.
    for end in ["\"clu", "\"clusters\": [[[0,"] {
        let cut = format!("{{\"doc_key\": \"b\", {end}");
        fs::write(&path, format!("{cut}\n{line}\n")).unwrap();
        let out = run(&["validate", path.to_str().unwrap()], 1).0;
        assert!(
            out.contains(&format!("spans.jsonlines:1:{}: error: this is not JSON", cut.len() + 1)),
            "{out}"
        );
    }
}

#[test]
fn all_errors_of_a_file_are_found_separately() {
    let folder = folder("all-errors");
    let lines = |line: &dyn Fn(u32) -> String| (1..=30).map(line).collect::<String>();
    let equal = lines(&|n| format!("{{\"doc_key\": {n}, \"clusters\": 7}}\n"));
    let different =
        lines(&|n| format!("{{\"doc_key\": \"d{n}\", \"sentences\": [[\"a\"]], \"clusters\": {n}}}\n"));
    for (name, text) in [("equal", equal), ("different", different)] {
        let path = folder.join(format!("{name}.jsonlines")).display().to_string();
        fs::write(&path, text).unwrap();
        let (out, _) = run(&["validate", &path], 1);
        assert!(out.ends_with("1 file: 30 errors\n"), "{out}");
        assert_eq!(out.matches(": error: ").count(), 30, "{out}");
        let (out, _) = run(&["validate", "-o", "json", &path], 1);
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(report["counts"], serde_json::json!({ "errors": 30, "warnings": 0, "notes": 0 }));
        let findings = report["files"][0]["findings"].as_array().unwrap();
        let places: Vec<u64> = findings.iter().map(|finding| finding["line"].as_u64().unwrap()).collect();
        assert_eq!(places, (1..=30).collect::<Vec<u64>>());
        assert!(findings.iter().all(|found| found["more"] == 0 && found["related"] == serde_json::json!([])));
        let messages: BTreeSet<&str> =
            findings.iter().map(|found| found["message"].as_str().unwrap()).collect();
        assert_eq!(messages.len(), if name == "equal" { 1 } else { 30 });
        let (out, _) = run(&["validate", "-o", "sarif", &path], 1);
        let log: Value = serde_json::from_str(&out).unwrap();
        check_sarif(&log);
        let results = log["runs"][0]["results"].as_array().unwrap().iter();
        let places: Vec<u64> = results
            .map(|result| result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap())
            .collect();
        assert_eq!(places, (1..=30).collect::<Vec<u64>>());
        let (out, _) = run(&["validate", "-o", "github", &path], 1);
        assert_eq!(out.lines().filter(|line| line.starts_with("::error ")).count(), 30, "{out}");
        // Scoring lists the first twenty errors, and reports that more exist.
        let (_, err) = run(&["score", &path, &path], 1);
        let more = ".jsonlines:21:";
        assert!(err.contains(more) && err.contains("only the first 20 errors are listed"), "{err}");
        let listed = match name {
            "equal" => err.matches(": the same error").count() + 1,
            _ => err.matches("error: ").count(),
        };
        assert_eq!(listed, if name == "equal" { 4 } else { 20 }, "{err}");
        assert_eq!(err.contains("the same error, and at 16 further places"), name == "equal", "{err}");
    }
    // Several errors and warnings of one line are reported at their places.
    let path = folder.join("line.jsonlines").display().to_string();
    let line = "{\"doc_key\": \"a\", \"sentences\": [[\"Ada\", \"slept\"]], \"clusters\": [[[1, 0], [0, -1]], [[0, 7]], [], [[0]]]}\n";
    fs::write(&path, line).unwrap();
    let (out, _) = run(&["validate", "-o", "json", &path], 1);
    let report: Value = serde_json::from_str(&out).unwrap();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let columns: Vec<u64> = findings.iter().map(|found| found["column"].as_u64().unwrap()).collect();
    let codes: Vec<&str> = findings.iter().map(|found| found["code"].as_str().unwrap()).collect();
    let wanted = ["[1, 0]", "[0, -1]", "[0, 7]", "[]", "[0]"].map(|text| line.find(text).unwrap() as u64 + 1);
    assert_eq!(columns, wanted, "{out}");
    assert_eq!(codes, ["reversed-span", "bad-json", "out-of-range", "empty-entity", "bad-json"], "{out}");
    // CorefUD: 132 broken lines in 35 sentences are 132 errors, and nothing else.
    let path = folder.join("words.conllu").display().to_string();
    let mut text = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n".to_owned();
    let mut broken = Vec::new();
    for sentence in 0..35 {
        for word in 1..=12 {
            let line = text.lines().count() as u64 + 1;
            let misc = match word {
                2 => format!("Entity=(e{sentence}-person-1-"),
                4 => format!("Entity=e{sentence})"),
                _ => "_".to_owned(),
            };
            if word % 3 == 2 && broken.len() < 132 {
                broken.push(line);
                text += &match (sentence + word) % 4 {
                    0 => format!("{word}\tword\t_\n"),
                    1 => format!("x\tword\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"),
                    2 => format!("{word}\tword\t_\t_\t_\t_\t_\t_\t_\tEntity=(-person-1-)|{misc}\n"),
                    _ => format!("{word}\tword\t_\t_\t_\t_\t_\t_\t_\tBridge=e1|{misc}\n"),
                };
            } else {
                text += &format!("{word}\tword\t_\t_\t_\t_\t_\t_\t_\t{misc}\n");
            }
        }
        text += "\n";
    }
    assert_eq!(broken.len(), 132);
    fs::write(&path, text).unwrap();
    let (out, _) = run(&["validate", "-o", "json", &path], 1);
    let report: Value = serde_json::from_str(&out).unwrap();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let lines: Vec<u64> = findings.iter().map(|found| found["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, broken, "{out}");
    let (_, err) = run(&["score", &path, &path], 1);
    assert!(err.contains("only the first 20 errors are listed"), "{err}");
    // After a thousand errors, a note has the place of the next.
    let path = folder.join("many.jsonlines").display().to_string();
    fs::write(&path, (1..=1500).map(|n| format!("{{\"doc_key\": {n}}}\n")).collect::<String>()).unwrap();
    let (out, _) = run(&["validate", &path], 1);
    assert!(out.ends_with("1 file: 1000 errors, 1 note\n"), "{out}");
    assert!(out.contains("many.jsonlines:1001:1: note: only the first 1000 errors are listed"), "{out}");
    let (out, _) = run(&["validate", "-o", "github", &path], 1);
    assert!(out.lines().last().unwrap().starts_with("::notice "), "{out}");
    fs::remove_dir_all(folder).unwrap();
}

/// A mention annotated twice in one document, and an error in another.
#[test]
fn an_error_does_not_hide_the_findings_of_other_documents() {
    let folder = folder("validate-other-documents");
    let find = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        let (out, _) = run(&["validate", file.to_str().unwrap()], 1);
        out
    };
    let twice = r#"{"doc_key": "a", "sentences": [["x", "y"]], "clusters": [[[0, 0], [1, 1]], [[0, 0]]]}"#;
    let outside = r#"{"doc_key": "b", "sentences": [["x"]], "clusters": [[[0, 9]]]}"#;
    for text in [format!("{twice}\n{outside}\n"), format!("{outside}\n{twice}\n")] {
        let out = find("two.jsonlines", &text);
        assert!(out.contains("[duplicate-mention]") && out.contains("1 error"), "{out}");
        // The finding has the place of the span.
        assert!(out.contains(":77: warning: the mention of word 1") && out.contains("  ^^^^^^\n"), "{out}");
    }
    let corefud = [
        "# newdoc id = a\n# global.Entity = eid-etype-head-other\n1\tx\t_\n\n# newdoc id = b\n",
        "1\tx\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-x-1-)(e2-x-1-)\n",
    ];
    let out = find("last.conllu", &corefud.concat());
    assert!(out.contains("last.conllu:6:35: warning") && out.contains("1 error"), "{out}");
    // Documents with the same id.
    let conll = |words: &str| format!("#begin document (a); part 000\n{words}#end document\n");
    let out = find("same.conll", &(conll("a 0 0 x (1)\n") + &conll("a 0 0 x (1)|(2)\n")));
    assert!(out.contains("[duplicate-mention]") && out.contains("1 error"), "{out}");
}

#[test]
fn a_directory_is_not_a_file_and_has_one_note_of_skipped_entries() {
    let folder = folder("directory");
    fs::copy(root().join("examples/key.conll"), folder.join("key.conll")).unwrap();
    for name in [".hidden.conll", "README.md"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    let path = folder.display().to_string();
    let (out, _) = run(&["validate", &path], 0);
    let note = "note: 2 entries were skipped: .hidden.conll (hidden), README.md (about other files)";
    assert!(out.contains(note) && out.ends_with("\n1 file: 1 note\n"), "{out}");
    let (out, _) = run(&["validate", "-o", "json", &path], 0);
    let report: Value = serde_json::from_str(&out).unwrap();
    let files = report["files"].as_array().unwrap().iter();
    assert_eq!(files.map(|file| file["directory"].as_bool().unwrap()).collect::<Vec<_>>(), [true, false]);
    fs::remove_dir_all(folder).unwrap();
}

/// A file whose format cannot be determined is an error with a remedy: an empty file, bytes, prose, documentation with
/// links, which look like marks, and one without annotation.
#[test]
fn files_of_no_known_format_are_errors() {
    let folder = folder("validate-no-format");
    let recipes = fs::read(root().join("CONTRIBUTING.md")).unwrap();
    let manual = "# A manual\n\nSee [usage](#usage), [the licence](LICENSE.md) and the list [1 2 3].\n";
    for (name, content, code) in [
        ("empty.conll", &b""[..], "empty-file"),
        ("blank.txt", b"\n\n", "unknown-format"),
        ("bytes.dat", &[0, 159, 146, 150, 0, 1, 2], "not-text"),
        ("prose.txt", b"This is a text [sic], with a bar | in it.\n", "unknown-format"),
        ("manual.md", manual.as_bytes(), "unknown-format"),
        // Its table links each heading, some of them twice.
        ("recipes.md", &recipes, "unknown-format"),
        ("README.md", b"[Ada](#1) slept. [She](#1) woke.\n", "unknown-format"),
        ("script.py", b"print(values[1: 2], '[default: 3]')\n", "unknown-format"),
        ("words.conll", b"#begin document (a); part 000\nAda\t-\n#end document\n", "no-annotation"),
    ] {
        let path = folder.join(name).display().to_string();
        fs::write(&path, content).unwrap();
        let (out, _) = run(&["validate", &path], 1);
        assert!(out.contains(&format!("[{code}]\n")) && out.contains("hint: "), "{name}: {out}");
        assert!(out.ends_with("1 file: 1 error\n"), "{name}: {out}");
    }
    // An answer in Markdown, and files whose format is named.
    let answer = folder.join("answer.md").display().to_string();
    fs::write(&answer, "[Ada](#Ada) slept. [She](#Ada) woke.\n").unwrap();
    run(&["validate", &answer], 0);
    let readme = folder.join("README.md").display().to_string();
    run(&["validate", "--format", "bracketed", &readme], 0);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_corrected_encoding_has_the_code_of_its_finding() {
    let folder = folder("encoding");
    let text = fs::read_to_string(root().join("examples/key.conll")).unwrap();
    let bytes: Vec<u8> =
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let path = folder.join("key.conll").display().to_string();
    fs::write(&path, bytes).unwrap();
    let (out, _) = run(&["validate", "-o", "json", &path], 1);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["files"][0]["findings"][0]["fixable"], true, "{out}");
    let (out, _) = run(&["validate", "--fix", &path], 0);
    assert!(out.contains("key.conll: corrected 1 utf-16\n"), "{out}");
    fs::remove_dir_all(folder).unwrap();
}

/// Checks the requirements of SARIF 2.1.0 for the objects that are written (sections 3.13 to 3.30 of the standard).
fn check_sarif(log: &Value) {
    let of = |value: &Value, allowed: &[&str]| {
        for name in value.as_object().unwrap().keys() {
            assert!(allowed.contains(&name.as_str()), "{name} is not a member of this SARIF object");
        }
    };
    of(log, &["$schema", "version", "runs"]);
    assert_eq!(log["version"], "2.1.0");
    for run in log["runs"].as_array().unwrap() {
        of(run, &["tool", "columnKind", "results"]);
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let driver = &run["tool"]["driver"];
        of(driver, &["name", "version", "rules"]);
        assert!(driver["name"].is_string());
        let rules = driver["rules"].as_array().unwrap();
        let mut ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        for rule in rules {
            of(rule, &["id", "shortDescription", "help", "defaultConfiguration"]);
            assert!(rule["shortDescription"]["text"].as_str().unwrap().ends_with(['.', ')']));
            assert!(rule["help"]["text"].is_string());
            assert!(
                ["none", "note", "warning", "error"]
                    .contains(&rule["defaultConfiguration"]["level"].as_str().unwrap())
            );
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "rules are unique");
        for result in run["results"].as_array().unwrap() {
            of(result, &["ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations"]);
            assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
            assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            let places = result["locations"].as_array().unwrap().iter();
            for place in places.chain(result["relatedLocations"].as_array().into_iter().flatten()) {
                of(place, &["physicalLocation", "message"]);
                let place = &place["physicalLocation"];
                of(place, &["artifactLocation", "region"]);
                let uri = place["artifactLocation"]["uri"].as_str().unwrap();
                assert!(!uri.contains([' ', '\\']) && uri.is_ascii(), "{uri}");
                let Some(region) = place.get("region") else { continue };
                of(region, &["startLine", "startColumn", "endColumn", "snippet"]);
                assert!(region["startLine"].as_u64().unwrap() >= 1);
                if let Some(start) = region.get("startColumn") {
                    assert!(start.as_u64().unwrap() >= 1 && region["endColumn"].as_u64() >= start.as_u64());
                }
            }
        }
    }
}

#[test]
fn sarif_conforms_to_its_standard() {
    let samples: Vec<String> = fs::read_dir(root().join("testdata/formats"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir() && path.to_string_lossy().ends_with("-broken"))
        .map(|path| path.strip_prefix(root()).unwrap_or(&path).display().to_string())
        .collect();
    let mut args = vec!["validate", "-o", "sarif"];
    args.extend(samples.iter().map(String::as_str));
    let (out, _) = run(&args, 1);
    let log: Value = serde_json::from_str(&out).unwrap();
    check_sarif(&log);
    assert!(log["runs"][0]["results"].as_array().unwrap().len() > 150);
}

#[test]
fn annotations_of_github_are_one_line_each() {
    let (out, _) = run(&["validate", "-o", "github", BROKEN], 1);
    for line in out.lines() {
        let (head, message) = line.strip_prefix("::").and_then(|line| line.split_once("::")).unwrap();
        let (kind, properties) = head.split_once(' ').unwrap();
        assert!(["error", "warning", "notice"].contains(&kind));
        let names: Vec<&str> =
            properties.split(',').map(|property| property.split_once('=').unwrap().0).collect();
        assert!(names[0] == "file" && names.last() == Some(&"title"), "{line}");
        assert!(!message.is_empty());
    }
}

#[test]
fn texts_are_validated_with_their_annotation() {
    let text = "testdata/formats/apf/harbour.sgm";
    let (out, _) = run(&["validate", text], 0);
    assert_eq!(out, "1 file: nothing found\n");
    let (out, _) = run(&["validate", text, "testdata/formats/apf/harbour.apf.xml"], 0);
    assert_eq!(out, "1 file: nothing found\n");
    let (out, _) = run(&["validate", "testdata/formats/brat-broken/text-differs.txt"], 1);
    assert!(out.starts_with("testdata/formats/brat-broken/text-differs.ann:"), "{out}");
}

#[test]
fn errors_do_not_hide_the_format_of_an_extension() {
    for name in ["number-from-zero", "number-missing", "number-text", "starts-in-the-middle"] {
        let (out, _) = run(&["validate", &format!("testdata/formats/semeval-broken/{name}.semeval")], 1);
        assert!(out.contains("error: "), "{name}: {out}");
    }
}

#[test]
fn hooks_call_the_command() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    for entry in hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")) {
        let mut words = entry.split(' ');
        assert_eq!(words.next(), Some("corefeval"));
        let status = command().args(words).arg("examples/key.conll").output().unwrap().status;
        assert_eq!(status.code(), Some(0), "{entry}");
    }
    assert_eq!(hooks.matches("- id: ").count(), 2);
    assert!(Path::new(&root().join("pyproject.toml")).exists(), "the hooks install the Python package");
}

/// Extensions that files without annotation have too, and those of binary tables, which the hooks skip.
const SKIPPED_EXTENSIONS: [&str; 9] =
    ["txt", "md", "xml", "json", "csv", "parquet", "arrow", "arrows", "feather"];

#[test]
fn hooks_validate_the_files_of_all_formats() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let patterns =
        hooks.lines().filter_map(|line| line.trim().strip_prefix(r"files: \.(")?.strip_suffix(")$"));
    let found: Vec<BTreeSet<String>> =
        patterns.map(|pattern| pattern.split('|').map(|end| end.replace('\\', "")).collect()).collect();
    let of = |is_of: &dyn Fn(&FormatSpec) -> bool| -> BTreeSet<String> {
        let extensions = FORMATS.iter().filter(|spec| is_of(spec)).flat_map(|spec| spec.extensions);
        extensions.filter(|end| !SKIPPED_EXTENSIONS.contains(end)).map(|end| (*end).to_owned()).collect()
    };
    let is_corrected = |spec: &FormatSpec| FIXES.iter().any(|fix| fix.formats.contains(&spec.id));
    assert_eq!(found, [of(&|_| true), of(&is_corrected)]);
    let known = |end: &&str| FORMATS.iter().any(|spec| spec.extensions.contains(end));
    assert!(SKIPPED_EXTENSIONS.iter().all(known), "extensions that no format has");
}

/// Mentions in several entities of files without text, and rows, links and entities without effect, are reported.
#[test]
fn mentions_of_several_entities_and_repetitions_are_found_without_text() {
    let folder = folder("validate-without-text");
    for (name, text, count) in [
        ("twice.csv", "document,mention,entity\nd1,a,e1\nd1,a,e2\nd1,b,e1\n", 1),
        ("again.csv", "document,mention,entity\nd1,a,e1\nd1,a,e1\nd1,b,e1\n", 1),
        ("twice.json", r#"{"type": "clusters", "clusters": {"0": ["m1", "m2"], "1": ["m2"]}}"#, 1),
        ("joined.links", "#begin document d\n{a b}\n{b c}\nd-e e-f d-f\n", 0),
        ("again.links", "#begin document d\n{a b}\n{b c}\n{c}\nd-e e-d\n{a b b}\nf\nf\ng-g\n", 6),
    ] {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        let (out, _) = run(&["validate", file.to_str().unwrap()], i32::from(count > 0));
        assert_eq!(out.matches("[duplicate-mention]").count(), count, "{name}: {out}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Zeros that no answer in the notation could mark, and words that would be read as zeros.
#[test]
fn prompts_report_what_answers_cannot_mark() {
    let folder = folder("prompts-without-zeros");
    let file = folder.join("zeros.conllu");
    let text = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1)\n\
                1.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\tEntity=(e1)\n2\t##b\t_\t_\t_\t_\t1\t_\t_\t_\n\n";
    fs::write(&file, text).unwrap();
    for (notation, place, what) in [
        ("tagged:corefinst", ":4:5: ", "empty nodes, so that no zero can be marked; `pipe` has them (1)"),
        (
            "pipe",
            ":5:3: ",
            "words that begin with ## or end like a tag (`a|[e1]`), which are read as zeros and tags (1)",
        ),
    ] {
        let (_, err) = run(&["prompt", file.to_str().unwrap(), "--to", notation], 0);
        assert!(err.contains(what) && err.contains(place), "{err}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Columns are bytes in messages and JSON; SARIF and GitHub count characters.
#[test]
fn columns_are_bytes_except_where_a_standard_counts_characters() {
    let path =
        file("bytes.conll", "#begin document (d); part 000\nZoë\tλ🙂\t1)\nshe\twoke\t(2)\n#end document\n");
    let out = |format: &str| run(&["validate", "-o", format, &path], 1).0;
    // Zoë and a tab are 5 bytes and 4 characters, λ🙂 and a tab 7 bytes and 3 characters.
    assert!(out("table").contains("bytes.conll:2:13: warning"), "{}", out("table"));
    let json: Value = serde_json::from_str(&out("json")).unwrap();
    assert_eq!(json["files"][0]["findings"][0]["column"], 13);
    assert!(out("github").contains("line=2,endLine=2,col=8,endColumn=9,"), "{}", out("github"));
    let sarif: Value = serde_json::from_str(&out("sarif")).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&Value::from(8), &Value::from(10)));
    assert_eq!(sarif["runs"][0]["columnKind"], "unicodeCodePoints");
}
