//! `corefeval errors`: the outputs, against golden files, and their common properties.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

use corefeval_core::evaluation::{Errors, Evaluation, Request};
use corefeval_core::formats::FORMATS;
use corefeval_report::{Kind, OutputSpec, Style};
use serde_json::Value;

use crate::common::{command, file, golden, golden_outputs, root, run};

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";
const BIRCH: &str = "examples/birch.conll";
const CEDAR: &str = "examples/cedar.conll";

#[test]
fn the_report_for_people() {
    golden("help-errors.txt", &run(&["errors", "--help"], 0).0);
    golden("errors.txt", &run(&["errors", "-q", KEY, CEDAR], 0).0);
    golden(
        "errors-two.txt",
        &run(&["errors", "-q", "--examples", "0", "-m", "muc,conll", KEY, ALDER, BIRCH], 0).0,
    );
    golden(
        "errors.md",
        &run(&["errors", "-q", "-o", "markdown", "--examples", "1", "-m", "lea", KEY, BIRCH], 0).0,
    );
    golden(
        "errors.tex",
        &run(&["errors", "-q", "-o", "latex", "--examples", "1", "-m", "lea", KEY, BIRCH], 0).0,
    );
}

#[test]
fn the_report_as_data() {
    let args = ["errors", "-q", "-m", "muc,b_cubed,lea", "--kinds", "span_error,missed_link"];
    golden("errors.json", &run(&[&args[..], &["-o", "json", KEY, ALDER]].concat(), 0).0);
    golden("errors.csv", &run(&[&args[..], &["-o", "csv", KEY, ALDER]].concat(), 0).0);
    golden("errors.jsonlines", &run(&[&args[..], &["-o", "jsonlines", KEY, ALDER]].concat(), 0).0);
}

/// Rows and counts describe the same errors, and the sequence leads from the scores of `score` to the key.
#[test]
fn rows_counts_and_scores_agree() {
    for response in [ALDER, BIRCH, CEDAR] {
        let report: Value =
            serde_json::from_str(&run(&["errors", "-q", "-o", "json", KEY, response], 0).0).unwrap();
        let errors = &report["systems"][0]["errors"];
        let lines = run(&["errors", "-q", "-o", "jsonlines", KEY, response], 0).0;
        let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of_kind = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).count() as u64;
        for (kind, count) in errors["transform"].as_object().unwrap() {
            assert_eq!(of_kind(kind), count.as_u64().unwrap(), "{kind}");
        }
        assert_eq!(of_kind("missed_link"), errors["links"]["recall"]["total"].as_u64().unwrap());
        assert_eq!(of_kind("wrong_link"), errors["links"]["precision"]["total"].as_u64().unwrap());
        let csv = run(&["errors", "-q", "-o", "csv", KEY, response], 0).0;
        assert!(csv.lines().count() > rows.len());

        let scored: Value =
            serde_json::from_str(&run(&["score", "-q", "-o", "json", KEY, response], 0).0).unwrap();
        let steps = errors["costs"]["sequence"].as_array().unwrap();
        for (metric, score) in steps[0]["metrics"].as_object().unwrap() {
            assert_eq!(score["f1"], scored["systems"][0]["metrics"][metric]["f1"], "{metric}");
        }
        for (metric, score) in steps.last().unwrap()["metrics"].as_object().unwrap() {
            assert_eq!(score["f1"], 1.0, "{metric}");
        }
    }
}

/// A key has one mention in two entities: the row of the response is its score, and the rows add up.
#[test]
fn repeated_mentions_are_scored_as_score_does() {
    let text = |column: &[&str]| {
        let lines: String = column.iter().map(|ids| format!("a\tw\t{ids}\n")).collect();
        format!("#begin document (a); part 000\n{lines}#end document\n")
    };
    let key = file("errors-repeated-key.conll", text(&["(1)|(2)", "(1)", "(2)", "(1)", "(2)"]));
    let response = file("errors-repeated.conll", text(&["(1)|(2)", "(1)", "(2)", "(2)", "-"]));
    for profile in ["conll", "coval", "e2e", "corefud", "codi-crac-2022-anaphora", "ua"] {
        let args = |command, output| [command, "-q", "--profile", profile, "-o", output, &key, &response];
        let json = |command| -> Value { serde_json::from_str(&run(&args(command, "json"), 0).0).unwrap() };
        let (found, scored) = (json("errors"), json("score"));
        let costs = &found["systems"][0]["errors"]["costs"];
        let metrics = &scored["systems"][0]["metrics"];
        for (metric, score) in costs["response"].as_object().expect("the response's scores") {
            assert_eq!(score["f1"], metrics[metric]["f1"], "{profile} {metric}");
        }
        let links = &found["systems"][0]["errors"]["links"]["recall"];
        let recall = 1.0 - links["total"].as_f64().unwrap() / links["links"].as_f64().unwrap();
        assert!((recall - metrics["muc"]["recall"].as_f64().unwrap()).abs() < 1e-12, "{profile}");
        let table = run(&args("errors", "table"), 0).0;
        let conll = metrics["conll"]["f1"].as_f64().unwrap();
        let row = table.lines().find(|line| line.starts_with("response ")).expect("its row");
        assert!(row.split_whitespace().any(|cell| cell == format!("{:.2}", 100.0 * conll)), "{row}");
        // The row, and the note that explains it.
        assert_eq!(table.matches("One copy of each mention").count(), 2, "{table}");
        // The page and the figure have the same rows.
        let html = run(&["report", "-q", "--profile", profile, &key, &response], 0).0;
        let first = html.split_once("\"costs\":[").expect("the page has costs").1;
        let (kind, f1) =
            (first.split_once("\"kind\":\"").unwrap().1, first.split_once("\"conll\":").unwrap().1);
        assert!(kind.starts_with("one_copy\""), "{profile}: {kind:.60}");
        let f1: f64 = f1.split([',', '}']).next().unwrap().parse().expect("a score");
        let uncorrected = costs["sequence"][0]["metrics"]["conll"]["f1"].as_f64().unwrap();
        assert!((f1 - uncorrected).abs() < 1e-6, "{profile}: {f1} {uncorrected}");
    }
    let figures = std::path::Path::new(&key).with_file_name("errors-repeated-figures");
    run(&["errors", "-q", "--figures", figures.to_str().unwrap(), &key, &response], 0);
    let figure = std::fs::read_to_string(figures.join("costs.svg")).expect("a figure");
    assert!(figure.contains("One copy of each mention"));
}

/// Kinds without links have no share of links, and no note explains links.
#[test]
fn kinds_without_links_say_nothing_about_links() {
    let (table, _) = run(&["errors", "-q", "--kinds", "span_error", KEY, ALDER], 0);
    assert!(table.contains("Span error"), "{table}");
    assert!(!table.contains("% of links") && !table.contains("Links:"), "{table}");
    let (table, _) = run(&["errors", "-q", "--kinds", "span_error,wrong_link", KEY, ALDER], 0);
    assert!(table.contains("% of links") && table.contains("Links:"), "{table}");
}

/// Scores and the analysis warn of the same averages.
#[test]
fn an_undefined_muc_is_reported_with_errors() {
    let key = file("errors-alone.conll", "#begin document (a); part 000\nx\t(0)\ny\t(1)\n#end document\n");
    for command in [&["score"][..], &["errors"], &["score", "-m", "conll"], &["errors", "-m", "conll"]] {
        let args: Vec<&str> = command.iter().copied().chain([&*key, &*key]).collect();
        let (shown, found) = run(&args, 0);
        assert_eq!(found.matches("[muc-undefined]").count(), 1, "{command:?}: {found}");
        assert_eq!(shown.contains("LEA"), command.len() == 1, "{command:?}: {shown}");
    }
}

/// Names of mentions have no places, sentences or types, and reports omit these.
#[test]
fn without_a_text_types_and_distances_are_unknown() {
    let key = file("errors-names.links", "{her ferry boat}\n{oars they}\n");
    let response = file("errors-names-response.links", "{boat they ferry}\n{oars her}\n");
    let args = |output| ["errors", "-q", "-o", output, &key, &response];
    let shown = run(&args("table"), 0).0;
    for absent in ["Anaphor", "Sentences between", "Type of mention", "pronoun", "nominal", "sentence 1"] {
        assert!(!shown.contains(absent), "{absent}: {shown}");
    }
    assert!(
        shown.contains("Without a text, the types of mentions and the distances between them are unknown")
    );
    // The response names `oars` first, the key `her`: links are in the order of the key.
    assert!(shown.contains("\n(unnamed)   {{her}} [[oars]]\n"), "{shown}");
    let rows = run(&args("jsonlines"), 0).0;
    let mut links = 0;
    for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row")) {
        for unknown in
            ["start", "end", "sentence", "type", "distance", "other_start", "other_sentence", "other_type"]
        {
            assert!(row[unknown].is_null(), "{unknown}: {row}");
        }
        links += u64::from(row["kind"] == "missed_link");
    }
    let report: Value = serde_json::from_str(&run(&args("json"), 0).0).expect("JSON");
    assert!(report["systems"][0]["language"].is_null());
    let recall = &report["systems"][0]["errors"]["links"]["recall"];
    assert_eq!((recall["total"].as_u64(), recall["by_distance"]["0"].as_u64()), (Some(links), Some(links)));
    // Scores by distance in sentences do not exist either.
    let (_, error) = run(&["score", "-q", "--by", "distance", &key, &response], 1);
    assert!(error.contains("the key has no distance for any mention"), "{error}");
}

/// Rows of link errors have the number of systems that make the error. Three systems, counted by hand: all lack *Flo* in
/// the entity of *Ed*; `a` and `b` do not link *Cy* to the entity of *Ada*; only `a` does not link *Bo*; `a` links
/// *Di* to *Ada*, `b` and `c` link it to *Cy*.
#[test]
fn rows_name_the_number_of_systems_that_make_an_error() {
    let document = |name: &str, clusters: &str| {
        let words = r#"["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]"#;
        let line = format!("{{\"doc_key\": \"d\", \"sentences\": [{words}], \"clusters\": {clusters}}}\n");
        file(&format!("errors-made-by-{name}.jsonlines"), line)
    };
    let key = document("key", "[[[0, 0], [1, 1], [2, 2]], [[4, 4], [5, 5]]]");
    let systems = [
        format!("a={}", document("a", "[[[0, 0], [3, 3]]]")),
        format!("b={}", document("b", "[[[0, 0], [1, 1]], [[2, 2], [3, 3]]]")),
        format!("c={}", document("c", "[[[0, 0], [1, 1], [2, 2], [3, 3]]]")),
    ];
    let rows = |output: &str, systems: &[String]| {
        let mut args = vec!["errors", "-q", "--tree", "closest", "-o", output, key.as_str()];
        args.extend(systems.iter().map(String::as_str));
        run(&args, 0).0
    };
    let lines = rows("jsonlines", &systems);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let links = lines.iter().filter(|row| text(row, "kind").ends_with("_link"));
    let found: Vec<_> = links
        .map(|row| (text(row, "system"), text(row, "mention"), text(row, "other"), row["made_by"].as_u64()))
        .collect();
    let row = |system: &str, mention: &str, other: &str, made_by| {
        (system.to_owned(), mention.to_owned(), other.to_owned(), Some(made_by))
    };
    assert_eq!(
        found,
        [
            row("a", "Bo", "Ada", 1),
            row("a", "Cy", "Bo", 2),
            row("a", "Flo", "Ed", 3),
            row("a", "Di", "Ada", 1),
            row("b", "Cy", "Bo", 2),
            row("b", "Flo", "Ed", 3),
            row("b", "Di", "Cy", 2),
            row("c", "Flo", "Ed", 3),
            row("c", "Di", "Cy", 2),
        ]
    );
    let others: Vec<&Value> = lines.iter().filter(|row| !text(row, "kind").ends_with("_link")).collect();
    assert!(!others.is_empty() && others.iter().all(|row| row["made_by"].is_null()), "{others:?}");

    let table = rows("csv", &systems);
    let last = |line: &str| line.rsplit(',').next().unwrap_or_default().to_owned();
    let cells: Vec<String> = table.lines().filter(|line| line.contains("_link,")).map(last).collect();
    assert_eq!(cells, ["1", "2", "3", "1", "2", "3", "2", "3", "2"], "{table}");
    assert!(table.starts_with("system,") && last(table.lines().next().unwrap_or_default()) == "made_by");
    let single = rows("csv", &systems[..1]);
    assert!(single.lines().skip(1).all(|line| last(line).is_empty()), "{single}");
}

/// Rows of documents that are compared as one have the document of each mention. The response lacks *boat* in one, and
/// links *she* to *oars* of the other.
#[test]
fn rows_name_the_documents_that_mentions_are_from() {
    let text = |[she, oars]: [&str; 2]| {
        format!("document,mention,entity\na,Ada,Ada\na,boat,boat\nb,it,{she}\nb,oars,{oars}\n")
    };
    let key = file("errors-across-key.csv", text(["boat", "oars"]));
    let response = file("errors-across.csv", text(["it", "Ada"]));
    let rows = |scope: &str| -> Vec<[Option<String>; 5]> {
        let rows = run(&["errors", "-q", "--scope", scope, "-o", "jsonlines", &key, &response], 0).0;
        let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row"));
        let links = rows.filter(|row| row["kind"].as_str().is_some_and(|kind| kind.ends_with("_link")));
        let names = ["document", "mention", "mention_document", "other", "other_document"];
        links.map(|row| names.map(|name| row[name].as_str().map(str::to_owned))).collect()
    };
    let row = |cells: [&str; 5]| cells.map(|cell| Some(cell.to_owned()));
    assert_eq!(
        rows("corpus"),
        [row(["corpus", "it", "b", "boat", "a"]), row(["corpus", "oars", "b", "Ada", "a"])]
    );
    assert!(rows("document").is_empty());
    let csv = run(&["errors", "-q", "--scope", "document", "-o", "csv", KEY, ALDER], 0).0;
    let columns: Vec<&str> = csv.lines().next().unwrap_or_default().split(',').collect();
    assert_eq!(columns[columns.len() - 3..], ["mention_document", "other_document", "made_by"]);
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",,,")), "{csv}");
}

#[test]
fn cut_tables_have_the_number_of_all_rows() {
    let shown = run(&["errors", "-q", KEY, CEDAR], 0).0;
    let report: Value = serde_json::from_str(&run(&["errors", "-q", "-o", "json", KEY, CEDAR], 0).0).unwrap();
    let errors = &report["systems"][0]["errors"];
    let entities = errors["entities"].as_array().expect("entities").len();
    let pronouns = errors["outcomes"]["pronoun"].as_object().expect("pronouns").len();
    assert!(
        entities > 10 && shown.contains(&format!("Hardest entities (first 10 of {entities})")),
        "{shown}"
    );
    assert!(pronouns > 10 && shown.contains(&format!("Pronoun (first 10 of {pronouns})")), "{shown}");
    assert!(shown.contains("\nHardest documents  "), "{shown}");
}

/// The entities with the most missing links have one table in terminals of 80 columns, and two in narrower ones.
#[test]
fn hardest_entities_fit_narrow_terminals() {
    let [key, response] = [KEY, CEDAR].map(|path| root().join(path).display().to_string());
    let request = Request::files(&key, [response.as_str()]).expect("paths");
    let report = Evaluation::new(request).and_then(|it| it.errors(&Errors::default())).expect("errors");
    let table = OutputSpec::named("table", Kind::Errors).expect("an output");
    for (width, tables) in [(60, 2), (80, 1), (100, 1), (120, 1)] {
        let style = Style::of_width(Some(width));
        let text = table.render(&report, style).expect("a table");
        let own: Vec<&str> =
            text.split("\n\n").filter(|block| block.contains("Hardest entities (first 10 of 23)")).collect();
        assert_eq!(own.len(), tables, "{width}: {own:?}");
        let lines = own.iter().flat_map(|block| block.lines());
        assert!(lines.clone().all(|line| line.chars().count() <= width), "{width}: {own:?}");
        // No row is broken: ten entities, and at most three lines of heads.
        assert!(lines.count() <= 13 * tables, "{width}: {own:?}");
        assert_eq!(text.contains("missed links  mentions  response entities"), width > 109, "{text}");
    }
}

#[test]
fn a_language_without_effect_has_a_warning() {
    let text = |tag: &str| {
        let line = |word: &str, cell: &str| format!("a\t0\t0\t{word}\t{tag}\t*\t-\t-\t-\t-\t*\t{cell}\n");
        let lines = line("Ada", "(1)") + &line("she", "(1)");
        format!("#begin document (a); part 000\n{lines}\n#end document\n")
    };
    let warned = |name: &str, tag: &str| {
        let path = file(name, text(tag));
        run(&["errors", "--language", "de", &path, &path], 0).1
    };
    let tagged = warned("errors-tagged.conll", "NN");
    assert!(tagged.contains("`language:de` has no effect: the words have parts of speech"), "{tagged}");
    assert!(!warned("errors-untagged.conll", "-").contains("no effect"));
    let names =
        run(&["errors", "--language", "de", "examples/links/key.links", "examples/links/response.links"], 0)
            .1;
    assert!(names.contains("`language:de` has no effect: the documents have no text"), "{names}");
}

/// Words that are read from a key's file equal those that are stored, regardless of the contents of its lines.
#[test]
fn words_of_a_file_equal_those_of_a_pipe() {
    let cells = ["(0)", "-", "(1", "1)|(0)", "-", "(0)", "(1)"];
    let text = |cells: &[&str], long: &str, end: &str| {
        let mut text = String::new();
        for document in ["a", "b"] {
            text += &format!("#begin document ({document}); part 000{end}{end}");
            for (place, cell) in cells.iter().enumerate() {
                let word = if place % 3 == 2 { long } else { "Zoë" };
                text += &format!("d\t0\t{place}\t{word}{place}\tNN\t(NP*)\t-\t-\t-\tAda\t*\t{cell}{end}");
                if place == 3 {
                    text += &format!("# a comment{end}{end}{end}");
                }
            }
            text += &format!("{end}#end document{end}");
        }
        text
    };
    let response = file("errors-piped.conll", text(&["-", "(0)", "-", "(0)", "(1)", "-", "(1)"], "x", "\n"));
    for (name, long, end) in [("short", "x", "\n"), ("crlf", "x", "\r\n"), ("long", &"x".repeat(90), "\n")] {
        let key = text(&cells, long, end);
        let args = ["errors", "-q", "--check-tokens", "no", "-o", "csv"];
        let of_file =
            run(&[&args[..], &[&file(&format!("errors-{name}.conll"), &key), &response]].concat(), 0).0;
        let mut child = command();
        child.args(args).args(["-", &response]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().expect("the command starts");
        child.stdin.take().expect("its input").write_all(key.as_bytes()).expect("it reads");
        let piped = child.wait_with_output().expect("the command ends");
        assert_eq!(of_file, String::from_utf8_lossy(&piped.stdout), "{name}");
        assert!(of_file.contains("Zoë0") && of_file.contains(&format!("{long}2")), "{of_file}");
    }
}

/// A response may have words after the key's if they are not compared: they are shown, and determine types.
#[test]
fn words_of_a_longer_response_are_shown() {
    let text = |words: &[(&str, &str)]| {
        let lines = words.iter().map(|(word, cell)| format!("{word}\t{cell}\n"));
        format!("#begin document (d); part 000\n{}\n#end document\n", lines.collect::<String>())
    };
    let shared = [("Ada", "(1)"), ("saw", "-"), ("her", "(1)"), (".", "-")];
    let key = file("errors-shorter.conll", text(&shared));
    let longer = [&shared[..2], &[("her", "-"), (".", "-"), ("She", "(1)"), ("ran", "-")]].concat();
    let longer = file("errors-longer.conll", text(&longer));
    let call = |task: &str, more: &[&str]| {
        run(&[&[task, "-q", "--check-tokens", "no"], more, &[&key, &longer]].concat(), 0).0
    };
    let table = call("errors", &["-m", "muc"]);
    assert!(table.contains("{{Ada}} saw her . … [[She]]\n") && !table.contains("ran"), "{table}");
    let rows = call("errors", &["-o", "csv"]);
    assert!(rows.contains("extra_mention,response,1,She,4,5,0,pronoun,"), "{rows}");
    let shown = call("show", &["--document", "d"]);
    assert!(shown.contains(" . {1 She} ran"), "{shown}");
}

/// An answer of a language model may have mentions that are not in the text.
#[test]
fn examples_have_mentions_without_a_place() {
    let text =
        r#"{"doc_key": "d", "sentences": [["Ada", "saw", "her", "."]], "clusters": [[[0, 0], [2, 2]]]}"#;
    let key = file("errors-placed.jsonl", text);
    let answer = file("errors-unplaced.json", r#"[{"id": "d", "clusters": [["Ada", "the cat"]]}]"#);
    let table = run(&["errors", "-q", "-m", "muc", &key, &answer], 0).0;
    assert!(table.contains("{{Ada}} saw her . … [[the cat]]\n"), "{table}");
}

/// Scores count all copies of a mention; the text has one.
#[test]
fn other_copies_of_mentions_are_not_shown_as_unscored() {
    let text = |cells: [&str; 3]| {
        let [ada, saw, her] = cells;
        format!("#begin document (d); part 000\nAda\t{ada}\nsaw\t{saw}\nher\t{her}\n\n#end document\n")
    };
    let key = file("errors-once.conll", text(["(1)", "-", "(1)"]));
    let copies = file("errors-copies.conll", text(["(1)|(2)", "(2)", "(1)"]));
    let shown = run(&["show", "-q", &key, &copies], 0).0.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "Not shown: other copies of mentions, which scores count, 0 of the key and 1 of the response.";
    assert!(shown.contains(note) && !shown.contains("are not scored"), "{shown}");
}

/// The response {Ada Bo She} links *She* to *Bo* and *Bo* to *Ada*, both of which are wrong for the key {Ada She} {Bo}. A
/// tree of the same entity has one wrong link. Every format that can name antecedents is in the table.
#[test]
fn decisions_are_the_links_of_the_response_in_every_format() {
    let words = "Ada saw Bo . She sang .";
    let brat = |name: &str, relations: &str| {
        file(&format!("errors-decisions-{name}.txt"), words);
        let marks = "T1\tPER 0 3\tAda\nT2\tPER 8 10\tBo\nT3\tPER 13 16\tShe\n";
        file(&format!("errors-decisions-{name}.ann"), format!("{marks}{relations}"))
    };
    let json = |name: &str, links: &str| {
        let text = format!(r#"{{"type": "graph", "mentions": ["Ada", "Bo", "She"], "links": {links}}}"#);
        file(&format!("errors-decisions-{name}.json"), text + "\n")
    };
    let sgml = |name: &str, she: u32, bo: &str| {
        let text = format!(
            "<DOC><DOCNO>d</DOCNO><TXT><COREF ID=1>Ada</COREF> saw <COREF ID=2{bo}>Bo</COREF> . \
             <COREF ID=3 REF={she}>She</COREF> sang .</TXT></DOC>\n"
        );
        file(&format!("errors-decisions-{name}.sgm"), text)
    };
    // The cells of Ada, Bo and She.
    let webanno = |name: &str, head: &str, [ada, bo, she]: [&str; 3]| {
        let none = "_\t".repeat(ada.matches('\t').count() + 1);
        let cells = [ada, &none, bo, &none, she, &none, &none].map(|cell| cell.trim_end_matches('\t'));
        let mut text = format!("#FORMAT=WebAnno TSV 3.3\n{head}\n\n\n#Text={words}\n");
        let mut start = 0;
        for (number, (word, cells)) in words.split(' ').zip(cells).enumerate() {
            let end = start + word.len();
            text += &format!("1-{}\t{start}-{end}\t{word}\t{cells}\t\n", number + 1);
            start = end + 1;
        }
        file(&format!("errors-decisions-{name}.tsv"), text)
    };
    let relations = "#T_SP=a.Referent|entity\n#T_RL=a.Coref|type|BT_a.Referent";
    let chains = "#T_CH=a.CoreferenceLink|referenceRelation|referenceType";
    let all = [
        (
            "brat",
            brat("key", "*\tEquiv T1 T3\n"),
            brat("ours", "R1\tCoref Arg1:T3 Arg2:T2\nR2\tCoref Arg1:T2 Arg2:T1\n"),
        ),
        ("json", json("key", r#"[["Ada", "She"]]"#), json("ours", r#"[["Bo", "She"], ["Ada", "Bo"]]"#)),
        (
            "links",
            file("errors-decisions-key.links", "{Ada She} {Bo}\n"),
            file("errors-decisions-ours.links", "Ada-Bo-She\n"),
        ),
        ("muc", sgml("key", 1, ""), sgml("ours", 2, " REF=1")),
        (
            "webanno",
            webanno("key", relations, ["PER\tcoref\t1-5", "PER\t_\t_", "PER\t_\t_"]),
            webanno("ours", relations, ["PER\tcoref\t1-3", "PER\tcoref\t1-5", "PER\t_\t_"]),
        ),
        (
            "webanno",
            webanno("key-chains", chains, ["*->1-1\ta", "*->2-1\ta", "*->1-2\ta"]),
            webanno("ours-chains", chains, ["*->1-1\ta", "*->1-2\ta", "*->1-3\ta"]),
        ),
    ];
    let with_links = FORMATS.iter().filter(|format| format.link_notation.is_some()).map(|format| format.id);
    let tested: BTreeSet<&str> = all.iter().map(|row| row.0).collect();
    assert_eq!(tested, with_links.collect());
    for (format, key, response) in &all {
        let wrong = |tree: &str| -> Vec<(String, String)> {
            let args = ["errors", "-q", "--format", format, "--tree", tree, "-o", "jsonlines", key, response];
            let rows = run(&args, 0).0;
            let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row"));
            let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
            let wrong = rows.filter(|row| row["kind"] == "wrong_link");
            wrong.map(|row| (text(&row, "mention"), text(&row, "other"))).collect()
        };
        let pair = |anaphor: &str, antecedent: &str| (anaphor.to_owned(), antecedent.to_owned());
        let mut found = wrong("decisions");
        found.sort();
        // Names of mentions are in the order of the key, which names Bo last in `links`.
        let expected = match *format {
            "links" => [pair("Bo", "Ada"), pair("Bo", "She")],
            _ => [pair("Bo", "Ada"), pair("She", "Bo")],
        };
        assert_eq!(found, expected, "{response}");
        assert_eq!(wrong("closest").len(), 1, "{response}");
        let listed = run(&["list", "formats", format], 0).0;
        assert!(listed.contains("names antecedents with "), "{listed}");
    }
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    let docs = std::fs::read_to_string(docs).expect("the page exists");
    for format in tested {
        assert!(docs.contains(&format!("\n| `{format}` | ")), "{format}");
    }
    let equivalence = brat("whole", "*\tEquiv T1 T2 T3\n");
    let (_, error) = run(&["errors", "--tree", "decisions", &all[0].1, &equivalence], 2);
    assert!(error.contains("no response names the antecedents of all its mentions"), "{error}");
    assert!(error.contains("(relations such as `Coref Arg1:T2 Arg2:T1` in place of"), "{error}");
}

/// A document whose links are unknown has the errors of the default tree, with a warning.
#[test]
fn documents_without_links_have_the_errors_of_the_default_tree() {
    let text = |a: &str, b: &str| format!("#begin document (a)\n{a}\n#begin document (b)\n{b}\n");
    let key = file("errors-unlinked-key.links", text("{Ada She} {Bo}", "{Cy He} {Di}"));
    let response = file("errors-unlinked.links", text("Ada-Bo Bo-She", "{Cy Di He}"));
    let (rows, warnings) = run(&["errors", "--tree", "decisions", "-o", "csv", &key, &response], 0);
    let of = |document: &str| rows.matches(&format!(",{document},wrong_link,")).count();
    assert_eq!([of("a"), of("b")], [2, 1], "{rows}");
    assert!(
        warnings.contains("--tree decisions has no effect on `b`, which does not link all its mentions"),
        "{warnings}"
    );
    assert!(!warnings.contains("`a`, which"), "{warnings}");
    let corpus = ["errors", "--tree", "decisions", "--scope", "corpus", "-o", "csv"];
    let (_, warnings) = run(&[&corpus[..], &[&key, &response]].concat(), 0);
    assert!(warnings.contains("has no effect on `b`") && warnings.contains("to all documents"), "{warnings}");
    assert!(!warnings.contains("`a`, which"), "{warnings}");
    // A response of singletons has no decisions to record.
    let clusters = |name: &str, clusters: &str| {
        file(
            &format!("errors-singletons-{name}.json"),
            format!(r#"{{"type":"clusters","clusters":{{{clusters}}}}}"#),
        )
    };
    let key = clusters("key", r#""a":["x","y"],"b":["z"]"#);
    let response = clusters("response", r#""a":["x"],"b":["y"],"c":["z"]"#);
    let (rows, warnings) = run(&["errors", "--tree", "decisions", "-o", "csv", &key, &response], 0);
    assert_eq!(["missed_link", "wrong_link"].map(|kind| rows.matches(kind).count()), [1, 0], "{rows}");
    assert!(!warnings.contains("--tree decisions"), "{warnings}");
}

#[test]
fn wrong_arguments_are_refused() {
    let (_, error) = run(&["errors", "--kinds", "mising_mention", KEY, ALDER], 2);
    assert!(error.contains("missing_mention"), "{error}");
    let (_, error) = run(&["errors", KEY, ALDER, ALDER], 2);
    assert!(error.contains("two systems are called"), "{error}");
    let (_, error) = run(&["errors", "--tree", "decisions", KEY, ALDER], 2);
    assert!(
        error.contains("(webanno, brat, muc, json, links)") && error.contains("--tree accessibility"),
        "{error}"
    );
}

/// A key without mentions, in a format of names, has no words; the response has.
#[test]
fn a_response_with_more_words_than_the_key_is_shown() {
    let key = file("names-without-mentions.json", r#"{"type":"clusters","clusters":{}}"#);
    let response = "#begin document (d)\nAda (1)\nsaw -\nher (1)\n#end document\n";
    let response = file("words-beside-names.conll", response);
    for output in golden_outputs() {
        let (shown, _) = run(&["show", "-q", "--allow-empty", "-o", output, &key, &response], 0);
        assert!(!shown.is_empty(), "{output}");
    }
}

#[test]
fn a_document_is_shown_with_both_sides() {
    let shown = run(&["show", "-q", "--document", "stories/stairs", "--width", "60", KEY, CEDAR], 0).0;
    assert!(shown.lines().all(|line| line.chars().count() <= 70), "{shown}");
    golden("show.txt", &shown);
    // Names of mentions have neither words nor sentences.
    let (key, response) = ("examples/links/key.links", "examples/links/response.links");
    golden("show-links.txt", &run(&["show", "-q", key, response], 0).0);
    golden("help-show.txt", &run(&["show", "--help"], 0).0);
    let rows = |output| run(&["show", "-q", "-o", output, KEY, CEDAR], 0).0;
    let (csv, lines) = (rows("csv"), rows("jsonlines"));
    assert_eq!(csv.lines().count(), lines.lines().count() + 1);
    let first = csv.lines().nth(1).unwrap_or_default();
    assert_eq!(first, "news/ferry_line; part 000,cedar,0,2,The Hamre Line,0,0,0,2,The Hamre Line");
    for line in lines.lines() {
        let row: serde_json::Map<String, Value> = serde_json::from_str(line).expect("a row");
        let columns: Vec<&str> = row.keys().map(String::as_str).collect();
        assert_eq!(columns.join(","), csv.lines().next().unwrap_or_default());
        // Values that a side lacks are null.
        assert!(row["first"].is_u64() && row.values().all(|cell| cell != ""), "{line}");
        assert_eq!(row["response_entity"].is_null(), row["response_first"].is_null(), "{line}");
        assert!(!row["key_entity"].is_null() || !row["response_entity"].is_null(), "{line}");
    }
    let two = run(&["show", "-q", KEY, ALDER, BIRCH], 0).0;
    assert_eq!(two.matches("stories/stairs; part 000: ").count(), 2);
    let latex = run(&["show", "-q", "-o", "latex", "-d", "stories/stairs", KEY, ALDER, BIRCH], 0).0;
    golden("show.tex", &latex);
    for system in ["alder", "birch"] {
        let heading = format!("\n\\par\\medskip\\noindent\\emph{{stories/stairs; part 000: {system}}}\n");
        assert!(format!("\n{latex}").contains(&heading), "{latex}");
    }
    assert!(run(&["show", "-q", "--color", "always", KEY, ALDER], 0).0.contains('\u{1b}'));
    let (_, error) = run(&["show", "-d", "stories/stars", KEY, ALDER], 1);
    assert!(error.contains("stories/stairs"), "{error}");
}
