//! Requests and answers, as a page sends and receives them.

use corefeval_core::evaluation::{Evaluation, Request};
use corefeval_report::{OUTPUTS, Style};
use corefeval_web::{TASKS, answer, declarations};
use serde_json::{Value, json};

/// Answers a request.
fn ask(request: Value) -> Value {
    serde_json::from_str(&answer(&request.to_string())).expect("an answer is JSON")
}

/// A file of the examples.
fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A request about example systems.
fn files(task: &str, systems: &[&str], options: Value, outputs: &[&str]) -> Value {
    let responses: Vec<Value> =
        systems.iter().map(|name| json!({ "name": null, "path": example(name) })).collect();
    json!({
        "task": task, "key": example("key.conll"), "responses": responses, "options": options, "outputs": outputs,
    })
}

#[test]
fn scores_and_outputs_are_those_of_the_library() {
    let outputs = ["json", "csv", "latex", "markdown", "html"];
    let found =
        ask(files("score", &["alder.conll", "cedar.conll"], json!({ "metrics": ["muc", "lea"] }), &outputs));
    let systems = [example("alder.conll"), example("cedar.conll")];
    let request = Request::files(&example("key.conll"), systems.iter().map(String::as_str));
    let request = request.and_then(|request| request.metrics("muc,lea")).expect("a request");
    let report = Evaluation::new(request).and_then(|evaluation| evaluation.score()).expect("scores");
    for id in outputs {
        let spec = OUTPUTS.iter().find(|spec| spec.id == id).expect("an output");
        let wanted = spec.render(&report, Style::default()).expect("a text");
        assert_eq!(found["answer"]["outputs"][id], wanted, "{id}");
    }
    let json: Value =
        serde_json::from_str(found["answer"]["outputs"]["json"].as_str().expect("a text")).expect("JSON");
    assert_eq!(found["answer"]["report"], json);
    assert_eq!(json["systems"].as_array().map(Vec::len), Some(2));
}

#[test]
fn comparisons_errors_and_reports_are_answered() {
    let systems = ["alder.conll", "birch.conll"];
    let options = json!({ "metrics": ["conll"], "resamples": ["100"], "confidence": ["0.9"] });
    let compared = ask(files("compare", &systems, options.clone(), &["html"]));
    let signature = compared["answer"]["report"]["signature"].as_str().expect("a signature");
    assert!(signature.contains("resamples:100") && signature.contains("confidence:0.9"), "{signature}");
    assert!(compared["answer"]["outputs"]["html"].as_str().expect("a text").contains("interval"));
    let errors = ask(files("errors", &systems, json!({}), &["csv"]));
    assert!(errors["answer"]["outputs"]["csv"].as_str().expect("a text").contains("missed_link"));
    let report = ask(files("report", &systems, options, &[]));
    assert!(report["answer"]["html"].as_str().expect("a page").contains("corefeval-data"));
}

#[test]
fn errors_have_their_place_and_remedy() {
    let wrong = |request: Value| ask(request)["error"]["text"].as_str().unwrap_or_default().to_owned();
    let absent = json!({
        "task": "score", "key": example("nowhere.conll"), "responses": [{ "name": null, "path": example("alder.conll") }],
        "options": {}, "outputs": [],
    });
    assert!(wrong(absent.clone()).contains("nowhere.conll: no such file"));
    assert_eq!(ask(absent)["error"]["code"], "not-found");
    assert!(wrong(json!({ "task": "scores" })).contains("did you mean `score`?"));
    assert!(wrong(json!([])).contains("unknown task ``"));
    assert!(wrong(json!({ "task": "play", "key": 1 })).contains("the request cannot be read"));
    assert!(wrong(files("score", &[], json!({}), &[])).contains("no response"));
    assert!(
        wrong(files("score", &["alder.conll"], json!({ "metrics": ["mucc"] }), &[]))
            .contains("did you mean `muc`?")
    );
    assert!(wrong(files("compare", &["alder.conll"], json!({}), &["conll"])).contains("does not support"));
    let misspelt = wrong(files("score", &["alder.conll"], json!({ "singeltons": ["drop"] }), &[]));
    assert!(misspelt.contains("unknown option `singeltons`"), "{misspelt}");
    assert!(misspelt.contains("did you mean `singletons`?"), "{misspelt}");
    let flag = wrong(files("score", &["alder.conll"], json!({ "strict": ["true"] }), &[]));
    assert!(flag.contains("`true` is not a valid value for `strict`"), "{flag}");
    // A page sends the options of comparisons with every request.
    assert_eq!(wrong(files("score", &["alder.conll"], json!({ "resamples": ["99"] }), &[])), "");
    let twice = json!({ "task": "play", "key": [["a", "a"]], "response": [] });
    assert!(wrong(twice).contains("the key has a mention twice"));
}

/// A number in answers: `2`, `5/3`.
fn number(text: &Value) -> f64 {
    let text = text.as_str().expect("an exact number");
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    numerator.parse::<f64>().expect("a number") / denominator.parse::<f64>().expect("a number")
}

/// The example of the LEA paper: key {a b c} {d e f g}, response {a b} {c d} {f g h i}.
#[test]
fn the_terms_of_entities_are_those_of_the_lea_paper() {
    let found = ask(json!({
        "task": "play",
        "key": [["a", "b", "c"], [], ["d", "e", "f", "g"]],
        "response": [["a", "b"], ["c", "d"], ["f", "g", "h", "i"]],
    }));
    let metrics = found["answer"]["metrics"].as_array().expect("metrics");
    let lea = metrics.iter().find(|metric| metric["id"] == "lea").expect("LEA");
    let counts = &lea["counts"][0];
    assert_eq!(counts["recall"], json!({ "numerator": "5/3", "denominator": "7" }));
    assert_eq!(counts["precision"], json!({ "numerator": "8/3", "denominator": "8" }));
    let term =
        |numerator: &str, denominator: &str| json!({ "numerator": numerator, "denominator": denominator });
    assert_eq!(counts["key"], json!([term("1", "3"), null, term("2/3", "4")]));
    assert_eq!(counts["response"], json!([term("2", "2"), term("0", "2"), term("2/3", "4")]));
    assert!(lea["definition"].as_str().expect("a text").starts_with("Recall = Σ importance(K)"));
    assert!(metrics.iter().all(|metric| !metric["definition"].as_str().expect("a text").is_empty()));
}

/// The example on the page of Adjusted Rand: key {a b} {c d}, response {a b} {c} {d}.
#[test]
fn adjusted_rand_subtracts_what_chance_would_give() {
    let found = ask(json!({
        "task": "play", "key": [["a", "b"], ["c", "d"]], "response": [["a", "b"], ["c"], ["d"]],
    }));
    let metrics = found["answer"]["metrics"].as_array().expect("metrics");
    let row = metrics.iter().find(|metric| metric["id"] == "adjusted_rand").expect("Adjusted Rand");
    let counts = &row["counts"][0];
    let term =
        |numerator: &str, denominator: &str| json!({ "numerator": numerator, "denominator": denominator });
    assert_eq!(counts["chance"], "1/3");
    assert_eq!(counts["recall"], term("2/3", "5/3"));
    assert_eq!(counts["precision"], term("2/3", "2/3"));
    assert_eq!(counts["key"], json!([term("1", "1"), term("0", "1")]));
    assert_eq!(counts["response"], json!([term("1", "1"), term("0", "0"), term("0", "0")]));
    assert_eq!((row["recall"].as_f64(), row["precision"].as_f64()), (Some(0.4), Some(1.0)));
}

/// The contributions of all entities add up to the counts, less the agreement expected by chance, and the counts are
/// those of the scores. Every metric has counts and terms, except the mean of others.
#[test]
fn terms_add_up_to_the_counts() {
    let mut state = 1_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    for _ in 0..100 {
        let mut side = || {
            let mut entities: Vec<Vec<String>> = vec![Vec::new(); 5];
            (0..12).for_each(|mention| match below(6) {
                5 => {}
                entity => entities[entity as usize].push(format!("m{mention}")),
            });
            entities
        };
        let (key, response) = (side(), side());
        let found = ask(json!({ "task": "play", "key": key, "response": response }));
        for metric in found["answer"]["metrics"].as_array().expect("metrics") {
            let counts = metric["counts"].as_array().expect("counts");
            let is_mean = metric["mean_of"].as_array().is_some_and(|parts| !parts.is_empty());
            assert_eq!(counts.is_empty(), is_mean, "{}", metric["id"]);
            assert_eq!(metric["share"].is_null(), is_mean, "{}", metric["id"]);
            if let [only] = counts.as_slice() {
                for part in ["recall", "precision"] {
                    let [above, below] = ["numerator", "denominator"].map(|name| number(&only[part][name]));
                    let wanted = metric[part].as_f64().map_or(0.0, |score| score * below);
                    assert!((above - wanted).abs() < 1e-9, "{} {part}: {above}, {wanted}", metric["id"]);
                }
            }
            for counts in counts {
                for (terms, whole) in [("key", "recall"), ("response", "precision")] {
                    let terms: Vec<&Value> = counts[terms]
                        .as_array()
                        .expect("terms")
                        .iter()
                        .filter(|term| !term.is_null())
                        .collect();
                    let chance = if counts["chance"].is_null() { 0.0 } else { number(&counts["chance"]) };
                    for part in ["numerator", "denominator"] {
                        let sum: f64 = terms.iter().map(|term| number(&term[part])).sum();
                        let wanted = number(&counts[whole][part]) + chance;
                        assert!(
                            (sum - wanted).abs() < 1e-9,
                            "{} {whole} {part}: {sum}, {wanted}",
                            metric["id"]
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn tables_have_every_row() {
    let found = ask(json!({ "task": "tables" }));
    let rows = |table: &str| found["answer"][table].as_array().map_or(0, Vec::len);
    assert_eq!(rows("metrics"), corefeval_core::metrics::METRICS.len());
    assert_eq!(rows("formats"), corefeval_core::formats::FormatSpec::of_documents().count());
    assert_eq!(rows("profiles"), corefeval_core::profiles::PROFILES.len());
    assert_eq!(rows("options"), corefeval_core::settings::OPTIONS.len());
    assert_eq!(found["answer"]["version"], corefeval_core::VERSION);
}

/// The declarations for TypeScript are current; `COREFEVAL_BLESS=1` writes them.
#[test]
fn declarations_are_current() {
    let path = format!("{}/../../web/page/src/types.ts", env!("CARGO_MANIFEST_DIR"));
    let made = declarations();
    assert!(TASKS.iter().all(|task| made.contains(&format!("  {}: {{ request: ", task.id))));
    if std::env::var_os("COREFEVAL_BLESS").is_some() {
        std::fs::write(&path, &made).expect("the declarations are written");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), made, "COREFEVAL_BLESS=1 writes {path}");
}
