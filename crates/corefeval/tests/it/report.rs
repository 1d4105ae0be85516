//! `corefeval report`: the contents of the page. The tests of `web/viewer` open pages in a browser.

use serde_json::Value;

use crate::common::{file, root, run};

const SYSTEMS: [&str; 4] =
    ["report", "examples/key.conll", "alder=examples/alder.conll", "birch=examples/birch.conll"];

/// Returns the data of the page.
fn data(options: &[&str]) -> Value {
    data_of(&[&SYSTEMS[..], options].concat())
}

/// Returns the data of the page that a command line prints.
fn data_of(args: &[&str]) -> Value {
    let html = run(args, 0).0;
    let data = html.split_once("id=\"corefeval-data\">").expect("the page has data").1;
    let data = data.split_once("</script>").expect("its element ends").0;
    serde_json::from_str(data).expect("the data is JSON")
}

#[test]
fn a_page_has_scores_intervals_and_errors() {
    let data = data(&["--title", "A & B"]);
    assert_eq!(data["title"], "A & B");
    let alder = &data["systems"][0];
    assert_eq!(alder["name"], "alder");
    let score = alder["scores"]["conll"]["f1"].as_f64().expect("a score");
    assert!((score - 0.870_933).abs() < 1e-6, "{score}");
    assert_eq!(alder["scores"]["conll"]["interval"].as_array().expect("an interval").len(), 2);
    assert_eq!(data["comparison"]["pairs"][0]["second"], 1);
    assert_eq!(alder["error_counts"]["links"]["recall"]["total"], 9);
    assert_eq!(alder["costs"].as_array().expect("costs").last().expect("a step")["sequence"]["conll"], 1.0);
    assert_eq!(data["bodies"], serde_json::json!({ "shown": 3, "total": 3 }));
}

#[test]
fn texts_are_chosen() {
    assert_eq!(data(&["--documents", "1"])["bodies"]["shown"], 1);
    // A document is named as in `show`: with its part or without.
    for name in ["stories/stairs; part 000", "stories/stairs", "stories/stairs,stories/stairs"] {
        let page = data(&["--documents", name]);
        assert_eq!(page["bodies"]["shown"], 1, "{name}");
        let shown =
            page["documents"].as_array().expect("documents").iter().find(|row| !row["body"].is_null());
        assert_eq!(shown.expect("its text")["id"], "stories/stairs; part 000");
    }
    assert_eq!(data(&["--without-text"])["without_text"], true);
    let err = run(&[&SYSTEMS[..], &["--documents", "nothing"]].concat(), 2).1;
    assert!(err.contains("the key has no document `nothing`") && err.contains("of its"), "{err}");
}

/// Mentions of documents, like those of the summary, are those that are scored.
#[test]
fn counts_of_documents_add_up_to_the_counts_of_the_key() {
    for (options, mentions, entities) in [(&[][..], 137, 60), (&["--singletons", "drop"], 103, 26)] {
        let data = data(options);
        let sum = |name: &str| {
            let documents = data["documents"].as_array().expect("documents").iter();
            documents.map(|document| document["counts"][name].as_u64().expect("a count")).sum::<u64>()
        };
        assert_eq!((sum("mentions"), sum("entities")), (mentions, entities), "{options:?}");
        let key = data["counts"][0].as_str().expect("a line");
        assert!(key.contains(&format!("{mentions} mentions, {entities} entities")), "{key}");
    }
    // All copies of a repeated mention count.
    let lines = "d 0 0 a (0)|(0)\nd 0 1 b (0)\n";
    let key = file("report-copies.conll", format!("#begin document (d); part 000\n{lines}#end document\n"));
    let data = data_of(&["report", &key, &key]);
    let counts = &data["documents"][0]["counts"];
    assert_eq!((&counts["mentions"], &counts["entities"]), (&3.into(), &1.into()), "{}", data["counts"]);
    assert!(data["counts"][0].as_str().expect("a line").contains("3 mentions, 1 entity"));
}

/// Documents without words have neither words nor sentences to count.
#[test]
fn names_of_mentions_are_not_words() {
    let data = data_of(&["report", "examples/links/key.links", "examples/links/response.links"]);
    assert_eq!(
        data["documents"][0]["counts"],
        serde_json::json!({ "mentions": 7, "entities": 3, "response_mentions": [7] })
    );
}

/// With three documents no difference can be significant, which the page states.
#[test]
fn a_page_states_why_nothing_is_significant() {
    let tests = &data(&[])["comparison"];
    assert_eq!(
        tests["reason_for_insignificance"],
        "with so few documents the smallest possible p-value is 0.25"
    );
    let bootstrap = &data(&["--test", "bootstrap"])["comparison"];
    assert!(bootstrap["reason_for_insignificance"].is_null(), "{bootstrap}");
}

/// Scores and errors align the same documents; findings about them are reported once.
#[test]
fn findings_of_scores_and_errors_are_reported_once() {
    let lines = "d 0 0 a (0)|(0)\nd 0 1 b (0)\n";
    let text = format!("#begin document (d); part 000\n{lines}#end document\n");
    let key = file("report-repeated-key.conll", text.clone());
    let response = file("report-repeated.conll", text.replace("(0)|(0)", "(0)"));
    let args = ["report", &key, &response];
    let err = run(&args, 0).1;
    assert_eq!(err.matches("[duplicate-mention]").count(), 1, "{err}");
    let data = data_of(&args);
    let warnings = data["warnings"].as_array().expect("a list").iter();
    let repeated: Vec<&Value> = warnings.filter(|found| found["code"] == "duplicate-mention").collect();
    assert!(repeated.len() == 1 && repeated[0]["count"] == 1, "{repeated:?}");
}

/// A finding quotes other words of the response, except for corpora that must not be redistributed.
#[test]
fn without_text_no_finding_quotes_words() {
    let key = std::fs::read_to_string(root().join("examples/key.conll")).expect("the key");
    let other = file("report-words.conll", key.replace("\tevening\t", "\tSECRETWORD\t"));
    let page = |options: &[&str]| {
        let args = ["report", "--check-tokens", "warn", "examples/key.conll", &other];
        run(&[&args[..], options].concat(), 0).0
    };
    assert!(page(&[]).contains("SECRETWORD"));
    let silent = page(&["--without-text"]);
    assert!(!silent.contains("SECRETWORD"));
    assert!(silent.contains("words-differ"));
}

/// Teams of a shared task cannot set options, so messages name them as the organisers', on the page and on standard
/// error.
#[test]
fn options_are_the_organisers_for_teams() {
    let key = std::fs::read_to_string(root().join("examples/key.conll")).expect("the key");
    let other = file("report-teams.conll", key.replace("\tevening\t", "\tmorning\t"));
    let messages = |typed: &[&str], status| {
        let (out, err) = run(&[typed, &["examples/key.conll", &other]].concat(), status);
        let remedies =
            out.split("\"remedy\":\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
        format!("{err}{}", remedies.collect::<Vec<_>>().join("\n"))
    };
    for (subcommand, level, status) in
        [("report", "warn", 0), ("score", "warn", 0), ("report", "yes", 1), ("score", "yes", 1)]
    {
        let typed = [subcommand, "--check-tokens", level];
        let (plain, teams) =
            (messages(&typed, status), messages(&[&typed[..], &["--for-teams"]].concat(), status));
        assert!(plain.contains("--check-tokens no"), "{plain}");
        assert!(teams.contains("the organisers' option `check-tokens no`"), "{teams}");
        assert!(!teams.contains("--"), "{teams}");
    }
}

#[test]
fn one_system_has_intervals_too() {
    let html = run(&["report", "examples/key.conll", "examples/alder.conll"], 0).0;
    assert!(html.contains("\"confidence\":0.95") && html.contains("\"interval\":["));
}

/// The page shows the same results for each correction as `corefeval errors`.
#[test]
fn costs_are_those_of_the_analysis() {
    let page = data(&[]);
    let arguments = [&["errors"], &SYSTEMS[1..], &["-o", "json"]].concat();
    let analysis: Value = serde_json::from_str(&run(&arguments, 0).0).expect("the analysis is JSON");
    for (system, analysed) in
        page["systems"].as_array().unwrap().iter().zip(analysis["systems"].as_array().unwrap())
    {
        let costs = system["costs"].as_array().expect("costs");
        let analysed = &analysed["errors"]["costs"];
        let sequence = &analysed["sequence"].as_array().expect("steps")[1..];
        assert_eq!(costs.len(), sequence.len());
        for (cost, step) in costs.iter().zip(sequence) {
            assert_eq!(cost["kind"], step["corrected"]);
            let alone = analysed["alone"]
                .as_array()
                .unwrap()
                .iter()
                .find(|alone| alone["corrected"] == step["corrected"]);
            assert_eq!(cost.get("alone").is_some(), alone.is_some(), "{}", cost["kind"]);
            for (metric, f1) in cost["sequence"].as_object().unwrap() {
                assert_eq!(rounded(f1), rounded(&step["metrics"][metric]["f1"]), "{metric}");
            }
            for (metric, f1) in cost.get("alone").and_then(Value::as_object).into_iter().flatten() {
                assert_eq!(rounded(f1), rounded(&alone.unwrap()["metrics"][metric]["f1"]), "{metric}");
            }
        }
    }
}

fn rounded(number: &Value) -> String {
    format!("{:.6}", number.as_f64().expect("a number"))
}

/// The signature and the words of the page name the choices of the analysis of errors.
#[test]
fn a_page_names_how_errors_are_counted() {
    let choices = |data: &Value| -> Vec<(String, String, bool)> {
        let rows = data["analysis"].as_array().expect("choices").iter();
        let text = |row: &Value, name: &str| row[name].as_str().expect("text").to_owned();
        rows.map(|row| {
            let default = row["default"].as_bool().expect("whether it is the default");
            (text(row, "value"), text(row, "words"), default)
        })
        .collect()
    };
    let data = data(&["--tree", "closest", "--types", "cort"]);
    let signature = data["signature"].as_str().expect("a signature");
    assert!(signature.ends_with("|tree:closest|types:cort"), "{signature}");
    let found = choices(&data);
    assert_eq!(found.len(), 2, "tags determine the types of the examples: {found:?}");
    assert_eq!(found[0], ("closest".to_owned(), "The closest mention before the anaphor.".to_owned(), false));
    assert_eq!((found[1].0.as_str(), found[1].2), ("cort", false));
    // The page reads its signature back.
    let again = run(&[&SYSTEMS[..], &["--settings", signature]].concat(), 0).0;
    assert!(again.contains(signature));

    let untagged =
        r#"{"doc_key": "a", "sentences": [["Ada", "sold", "her", "boat"]], "clusters": [[[0, 0], [2, 2]]]}"#;
    let key = file("report-untagged.jsonlines", format!("{untagged}\n"));
    let detected = data_of(&["report", &key, &key]);
    assert!(!detected["signature"].as_str().expect("a signature").contains("language"));
    let found = choices(&detected);
    assert_eq!((found[2].0.as_str(), found[2].2), ("en", true));
    assert!(found[2].1.contains("the list of pronouns of `en`, the language detected"), "{found:?}");
    let norwegian = r#"{"doc_key": "a", "sentences": [["Den", "fant", "du", ",", "sa", "hun"]], "clusters": [[[0, 0], [2, 2], [5, 5]]]}"#;
    let other = file("report-norwegian.jsonlines", format!("{norwegian}\n"));
    let (value, note, _) = choices(&data_of(&["report", &other, &other])).remove(2);
    assert_eq!(
        (value.as_str(), note.contains("no list of pronouns fits the language")),
        ("none", true),
        "{note}"
    );
    let given = data_of(&["report", "--language", "none", &key, &key]);
    assert!(given["signature"].as_str().expect("a signature").ends_with("|language:none"));
    assert!(!choices(&given)[2].2);
}

/// A page without intervals and tests states why, with a remedy whose options `report` has.
#[test]
fn a_page_states_why_systems_are_not_compared() {
    let key = std::fs::read_to_string(root().join("examples/key.conll")).expect("the key");
    let (first, _) = key.split_once("#end document").expect("a document");
    let one = file("report-one.conll", format!("{first}#end document\n"));
    let single = data_of(&["report", &one, &one])["not_compared"].clone();
    assert_eq!(single["message"], "there is only one document, but resampling needs at least two");

    let args = ["report", "examples/key.conll", "examples/alder.conll", &one];
    let data = data_of(&args);
    assert!(data["comparison"].is_null());
    let lacking = &data["not_compared"];
    assert!(lacking["message"].as_str().expect("a message").contains("lacks 2 documents"), "{lacking}");
    let remedy = lacking["remedy"].as_str().expect("a remedy");
    assert!(!remedy.contains("--"), "{remedy}");
    let err = run(&args, 0).1;
    assert!(err.contains("without intervals and tests") && err.contains(remedy), "{err}");
    assert!(!err.contains("--shared-documents"), "{err}");
    assert!(data_of(&SYSTEMS)["not_compared"].is_null());
}

/// Empty nodes are not words of the text, on either side.
#[test]
fn zeros_are_counted_apart_from_words() {
    let path = "testdata/formats/corefud/empty-node.conllu";
    let data = data_of(&["report", "--singletons", "keep", path, &format!("again={path}")]);
    let counts = &data["documents"][0]["counts"];
    let words = counts["words"].as_u64().expect("words");
    let line = data["counts"][0].as_str().expect("a line");
    assert!(line.contains(&format!("{words} words")), "{line}");
    assert!(counts["zeros"].as_u64().is_some_and(|zeros| zeros > 0), "{counts}");
}

/// Sentences between mentions and types need a text.
#[test]
fn undefined_scores_have_no_cost() {
    let text = |cell: &str| format!("#begin document (d); part 000\nd 0 0 Ada NNP {cell}\n\n#end document\n");
    let key = file("undefined-key.conll", text("(1)"));
    let response = file("undefined-response.conll", text("-"));
    let data = data_of(&["report", "--allow-empty", &key, &response]);
    let costs = data["systems"][0]["costs"].as_array().expect("a list");
    let missing = costs.iter().find(|cost| cost["kind"] == "missing_entity").expect("a row of each kind");
    // MUC has no links on either side; B³ finds the mention once it is restored.
    assert_eq!(missing["sequence"]["muc"], Value::Null);
    assert_eq!(missing["sequence"]["b_cubed"], 1.0);
    assert_eq!(missing["alone"]["conll"], Value::Null);
}

#[test]
fn data_without_a_text_have_no_types_and_distances() {
    let by = |data: &Value, by: &str| data["systems"][0]["error_counts"]["links"]["recall"][by].clone();
    let positions = |clusters: &str| format!("{{\"doc_key\": \"d\", \"clusters\": {clusters}}}\n");
    let key = file("report-positions-key.jsonlines", positions("[[[0, 1], [4, 4]], [[2, 3], [8, 8]]]"));
    let response = file("report-positions.jsonlines", positions("[[[0, 1], [8, 8]], [[2, 3], [6, 7]]]"));
    let data = data_of(&["report", &key, &response]);
    let empty = serde_json::json!({});
    assert_eq!((by(&data, "by_type"), by(&data, "by_distance")), (empty.clone(), empty.clone()));
    let names = data_of(&["report", "examples/links/key.links", "examples/links/response.links"]);
    assert_eq!((by(&names, "by_type"), by(&names, "by_distance")), (empty.clone(), empty));
}

/// Gains are differences of costs, which have more digits than are shown.
#[test]
fn costs_are_precise() {
    let args = ["errors", "-o", "json", SYSTEMS[1], SYSTEMS[2]];
    let errors: Value = serde_json::from_str(&run(&args, 0).0).expect("JSON");
    let steps = errors["systems"][0]["errors"]["costs"]["sequence"].as_array().expect("steps").iter();
    let data = data(&[]);
    let mut compared = 0;
    for cost in data["systems"][0]["costs"].as_array().expect("costs") {
        let Some(step) = steps.clone().find(|step| step["corrected"] == cost["kind"]) else { continue };
        let exact = step["metrics"]["conll"]["f1"].as_f64().expect("a score");
        let shown = cost["sequence"]["conll"].as_f64().expect("a score");
        assert!((exact - shown).abs() < 1e-11, "{exact} {shown}");
        compared += 1;
    }
    assert!(compared > 3);
}
