//! Span ends with a different meaning on one side, or in one of several files: warnings report them, and their hints
//! correct them.

use crate::common::{command, file, run};

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";

/// Types the options that a finding or a hint names in brackets, or after `use`, until no finding remains.
#[test]
fn hints_about_the_ends_of_one_of_several_files_can_be_followed_literally() {
    fn option_in(err: &str) -> Option<Vec<String>> {
        let begin = ["--span-end-of ", "--response-span-end ", "--key-span-end "];
        let place = begin.iter().filter_map(|option| err.find(option)).min()?;
        let end = err[place..].find([')', '\n', ',']).map_or(err.len(), |end| place + end);
        Some(err[place..end].split(' ').map(str::to_owned).collect())
    }
    let line = |document: &str, words: &str, spans: [[u32; 2]; 4]| {
        let [a, b, c, d] = spans.map(|[first, last]| format!("[{first}, {last}]"));
        format!("{{\"doc_key\": \"{document}\", {words}\"clusters\": [[{a}, {b}], [{c}, {d}]]}}\n")
    };
    let inclusive = [[0, 1], [4, 4], [6, 8], [11, 11]];
    let exclusive = inclusive.map(|[first, last]| [first, last + 1]);
    let words = format!("\"sentences\": [[{}]], ", ["\"w\""; 12].join(", "));
    // For files with words, an end beyond the text is an error instead of a warning.
    for words in ["", &words] {
        let write = |name: &str, spans: [[u32; 2]; 4]| {
            let text: String = ["x", "y"].iter().map(|document| line(document, words, spans)).collect();
            file(&format!("ends-of-{}-{name}.jsonlines", words.len()), text)
        };
        let (ada, bo, cy) = (write("ada", inclusive), write("bo", exclusive), write("cy", inclusive));
        let [ada, bo, cy] =
            [("ada", ada), ("bo", bo), ("cy", cy)].map(|(name, path)| format!("{name}={path}"));
        for (subcommand, more) in [
            ("agree", &[][..]),
            ("compare", &["-m", "muc"]),
            ("score", &["-m", "muc"]),
            ("errors", &[]),
            ("correlate", &["--x", "muc", "--y", "lea", "--over", "documents"]),
        ] {
            let typed = |key: &str, added: &[String]| {
                let mut args = vec![subcommand];
                args.extend_from_slice(more);
                args.extend(added.iter().map(String::as_str));
                let responses = [&ada, &bo, &cy].into_iter().filter(|path| *path != key);
                // A key has no name.
                let key = if subcommand == "agree" { key } else { key.split_once('=').unwrap().1 };
                args.push(key);
                args.extend(responses.map(String::as_str));
                let output = command().args(&args).output().expect("a run");
                String::from_utf8(output.stderr).expect("text")
            };
            for key in [&ada, &bo] {
                let mut added = Vec::new();
                let mut err = typed(key, &added);
                while let Some(option) = option_in(&err) {
                    assert!(added.len() < 4, "{subcommand} {key}: {added:?}\n{err}");
                    added.extend(option);
                    err = typed(key, &added);
                }
                assert!(!added.is_empty() && !err.contains("span"), "{subcommand} {key}: {added:?}\n{err}");
            }
        }
    }
    let (_, err) = run(&["agree", "--key-span-end", "exclusive", KEY, ALDER], 2);
    assert!(
        err.contains("applies to one side, and annotators have none")
            && err.contains("--span-end-of NAME=END"),
        "{err}"
    );
    let (_, err) = run(&["score", "--span-end-of", "older=exclusive", KEY, ALDER], 2);
    assert!(err.contains("`older`, which is not an input") && err.contains("did you mean `alder`?"), "{err}");
    let (_, err) = run(&["score", "--span-end-of", "alder=exclusive", "--pair", KEY, ALDER], 2);
    assert!(err.contains("files are paired"), "{err}");
}

/// Names that are spans, in formats that compare names. A warning follows whenever no mention matches.
#[test]
fn other_span_ends_are_reported_in_names_that_are_spans() {
    let named = |format: &str, name: &str, spans: [[u32; 2]; 4]| {
        let [a, b, c, d] = spans.map(|[first, last]| match format {
            "json" => format!("[{first}, {last}]"),
            "table" => format!("\"({first}, {last})\""),
            _ => format!("d:{first}:{last}"),
        });
        let text = match format {
            "json" => {
                format!("{{\"type\": \"clusters\", \"clusters\": {{\"e\": [{a}, {b}], \"f\": [{c}, {d}]}}}}")
            }
            "table" => format!("mention,entity\n{a},e\n{b},e\n{c},f\n{d},f\n"),
            _ => format!("{{{a} {b}}}\n{{{c} {d}}}\n"),
        };
        let ending = if format == "table" { "csv" } else { format };
        file(&format!("named-ends-{name}.{ending}"), text)
    };
    let inclusive = [[0, 1], [4, 4], [6, 8], [11, 11]];
    for format in ["json", "table", "links"] {
        let key = named(format, "key", inclusive);
        let response = named(format, "response", inclusive.map(|[first, last]| [first, last + 1]));
        for command in ["score", "errors"] {
            let (_, err) = run(&[command, &key, &response], 0);
            assert!(err.contains("4 of 4 mentions of the response end one word later"), "{format}: {err}");
            assert!(err.contains(&format!("(correct the file; no option applies to {format})")), "{err}");
            assert!(err.contains("[nothing-shared]"), "{format} {command}: {err}");
        }
        let far = named(format, "far", inclusive.map(|[first, last]| [first + 100, last + 200]));
        for command in ["score", "errors"] {
            let (_, err) = run(&[command, &key, &far], 0);
            assert!(err.contains("[nothing-shared]") && !err.contains("[span-ends]"), "{format}: {err}");
        }
    }
    // No document has mentions on both sides.
    let line = |document: &str, clusters: &str| {
        format!("{{\"doc_key\": \"{document}\", \"clusters\": {clusters}}}\n")
    };
    let one = "[[[0, 1], [4, 4]]]";
    let key = file("apart-key.jsonlines", line("x", one) + &line("y", "[]"));
    let response = file("apart-response.jsonlines", line("x", "[]") + &line("y", one));
    let (_, err) = run(&["score", &key, &response], 0);
    assert!(err.contains("no document has mentions on both sides [nothing-shared]"), "{err}");
}
