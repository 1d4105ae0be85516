//! Incomplete files, and warnings that are printed once.

use crate::common::{document, file, place, run};

/// Words without coreference, in a key and in a converted file.
#[test]
fn a_file_without_coreference_is_not_converted() {
    let empty = file("no-coreference.conll", document("x", &["-", "-"]));
    let arguments = file("no-coreference-but-arguments.conll", document("x", &["(V*)", "(A0*)"]));
    for path in [&empty, &arguments] {
        let (_, score) = run(&["score", path, path], 1);
        let (out, convert) = run(&["convert", path, "-o", "jsonlines"], 1);
        // Worded for the subcommand, it is the same error.
        assert_eq!(score, convert);
        assert!(out.is_empty() && convert.contains("--allow-empty"), "{convert}");
        let (out, _) = run(&["convert", path, "-o", "jsonlines", "--allow-empty"], 0);
        assert!(out.contains("\"doc_key\""), "{out}");
    }
}

#[test]
fn truncated_files_are_reported_as_such() {
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
    // The file ends within the entity, and within the columns.
    for cut in [text.len() - 5, text.len() - 25] {
        let path = file(&format!("cut-{cut}.conllu"), &text[..cut]);
        let output = crate::common::command().args(["score", &whole, &path]).output().expect("a run");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains("truncated"), "{cut}: {err}");
    }
}

#[test]
fn equal_warnings_are_printed_once() {
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
        // `validate` lists each place separately, on standard output.
        let (_, err) = run(args, i32::from(command == "validate"));
        let mut lines: Vec<&str> = err.lines().filter(|line| line.starts_with("warning")).collect();
        let count = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), count, "{command}: {err}");
    }
}

#[test]
fn show_warns_of_other_span_ends() {
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
    let place = format!("{path}:3:3: one: ");
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
        assert!(err.contains(&place) && err.contains(": two: "), "{line:?}: {err}");
        assert!(err.contains("[unclosed-mention]"), "{line:?}: {err}");
    }
    // A single system needs no name, and warnings about the key are the same for all.
    let (_, err) = run(&["score", "-m", "muc", &key, one], 0);
    assert!(err.contains("[unclosed-mention]") && !err.contains("one: "), "{err}");
    let twice = file("named-twice.conll", whole.replacen("(1)", "(1)|(1)", 1));
    let (_, err) = run(&["score", "-m", "muc", &twice, one, two], 0);
    let about_key: Vec<&str> = err.lines().filter(|line| line.contains("[duplicate-mention]")).collect();
    assert!(about_key.len() == 1 && !about_key[0].contains(" one: "), "{err}");
    // A response with different words.
    let words = file("named-words.conll", whole.replacen("w\t", "v\t", 1));
    let (_, err) = run(&["score", "-m", "muc", &key, &format!("other={words}"), one], 0);
    assert!(err.contains(&format!("{words}:2:1: other: ")) && err.contains("[words-differ]"), "{err}");
}

/// Makes a folder of three documents in three files, one of them with these cells.
fn corpus(name: &str, cells: &[&str]) -> String {
    let folder = place(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let coreferent = ["(1)", "(1)"];
    for (id, cells) in [("a", &coreferent[..]), ("b", cells), ("c", &coreferent)] {
        std::fs::write(folder.join(format!("{id}.conll")), document(id, cells)).expect("a file");
    }
    folder.display().to_string()
}

#[test]
fn one_file_of_several_without_mentions_is_a_warning_everywhere() {
    let key = corpus("several-key", &["(1)", "(1)"]);
    let response = corpus("several-response", &["-", "-"]);
    let output = place("several-output").display().to_string();
    let page = place("several.html").display().to_string();
    let pairs = ["a", "b", "c"]
        .map(|id| ["--pair".to_owned(), format!("{key}/{id}.conll"), format!("{response}/{id}.conll")]);
    let pairs: Vec<&str> = ["score"].into_iter().chain(pairs.iter().flatten().map(String::as_str)).collect();
    let of_response = "the response has no mention in `b; part 000` [no-mentions]";
    let of_none = "no mention in `b; part 000` [no-mentions]";
    for (line, expected) in [
        (&["score", &key, &response][..], of_response),
        (&["score", "--pair-files", &key, &response], of_response),
        (&pairs, of_response),
        (&["errors", &key, &response], of_response),
        (&["show", &key, &response], of_response),
        (&["report", &key, &response, "--resamples", "20", "-o", &page], of_response),
        (&["explain", &key, &response, "--profile", "coval"], of_response),
        (&["compare", "--resamples", "20", &key, &key, &format!("b={response}")], "b: the response has no"),
        (&["stats", &response], of_none),
        (&["convert", &response, "--to", "conllu", "-o", &output], of_none),
        (&["agree", &key, &format!("bo={response}")], "bo: no mention in `b; part 000`"),
    ] {
        let (_, err) = run(line, 0);
        let place = format!("{response}/b.conll:1:1: ");
        assert_eq!(err.matches("[no-mentions]").count(), 1, "{line:?}: {err}");
        assert!(err.contains(&place) && err.contains(expected), "{line:?}: {err}");
    }
    // The settings may drop all annotation of a document.
    let single = corpus("several-single", &["(1)", "-"]);
    let (_, err) = run(&["score", "--singletons", "drop", &key, &single], 0);
    assert!(err.contains("the settings keep no mention of the response in `b; part 000`"), "{err}");
}

#[test]
fn one_file_of_several_without_a_coreference_column_is_an_error() {
    let key = corpus("column-key", &["(1)", "(1)"]);
    let output = place("column-output").display().to_string();
    for (name, cells, problem) in [
        ("column-arguments", ["(V*)", "(A0*)"], "the last column has `V*` where an entity id belongs"),
        ("column-tags", ["NN", "VB"], "the last column has text but no brackets"),
    ] {
        let response = corpus(name, &cells);
        let expected = format!("{response}/b.conll:2:3: no coreference column: {problem}");
        for line in [
            &["score", &key, &response][..],
            &["score", "--pair-files", &key, &response],
            &["errors", &key, &response],
            &["show", &key, &response],
            &["compare", "--resamples", "20", &key, &key, &format!("b={response}")],
            &["explain", &key, &response, "--profile", "coval"],
            &["stats", &response],
            &["agree", &key, &response],
            &["convert", &response, "--to", "conllu", "-o", &output],
        ] {
            let (out, err) = run(line, 1);
            assert!(
                err.contains(&expected) && err.contains("--allow-empty") && out.is_empty(),
                "{line:?}: {err}"
            );
            run(&[line, &["--allow-empty"]].concat(), 0);
        }
    }
}

#[test]
fn a_side_of_pairs_without_any_mention_is_an_error() {
    let key = corpus("pairs-key", &["(1)", "(1)"]);
    let empty = place("pairs-empty");
    std::fs::create_dir_all(&empty).expect("a folder");
    for id in ["a", "b", "c"] {
        std::fs::write(empty.join(format!("{id}.conll")), document(id, &["-", "-"])).expect("a file");
    }
    let empty = empty.display().to_string();
    let expected = format!("{empty}: none of its 3 documents has a mention");
    for sides in [[&key, &empty], [&empty, &key]] {
        let line = ["score", "--pair-files", sides[0], sides[1]];
        let (_, err) = run(&line, 1);
        assert!(err.contains(&expected), "{err}");
        run(&[&line[..], &["--allow-empty"]].concat(), 0);
    }
    let [one, two] = ["a", "b"].map(|id| [format!("{key}/{id}.conll"), format!("{empty}/{id}.conll")]);
    let (_, err) = run(&["score", "--pair", &one[0], &one[1], "--pair", &two[0], &two[1]], 1);
    assert!(err.contains(&format!("{} and 1 more: none of its 2 documents has a mention", one[1])), "{err}");
}

/// Mentions that were dropped are the cause: the error names them, even in pairs of files.
#[test]
fn dropped_mentions_are_reported_for_files_without_mentions() {
    let key = corpus("lost-key", &["(1)", "(1)"]);
    let open = corpus("lost-all", &["(1", "-"]);
    for id in ["a", "c"] {
        std::fs::write(format!("{open}/{id}.conll"), document(id, &["(1", "-"])).expect("a file");
    }
    let unclosed = |source: &str| {
        format!("{source}/a.conll:2:3: a mention of entity `1` opens here but never closes; it was dropped")
    };
    let lines: [&[&str]; 5] = [
        &["score", &key, &open],
        &["score", "--pair-files", &key, &open],
        &["stats", &open],
        &["convert", &open, "--to", "jsonlines"],
        &["agree", &key, &open],
    ];
    for line in lines {
        let (_, err) = run(line, 1);
        assert!(err.contains("error: ") && err.contains("none of its 3 documents has a mention"), "{err}");
        assert_eq!(err.matches(&unclosed(&open)).count(), 1, "{err}");
        assert!(!err.contains("no mention in `"), "{err}");
    }
    let conllu = file(
        "lost.conllu",
        "# newdoc id = a\n# global.Entity = eid-etype-head-other\n1\tAda\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1[1/2]-person-1-)\n\n",
    );
    let (_, err) = run(&["stats", &conllu], 1);
    assert!(err.contains("opens here and its part 2 of 2 is missing; it was dropped"), "{err}");
}
