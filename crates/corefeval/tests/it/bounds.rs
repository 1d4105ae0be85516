//! `--ceaf-bound`: proven bounds instead of scores, in every output, and only where bounds are supported.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use serde_json::Value;

use crate::common::{file, golden_with_signature, run};
use crate::schema::faults_of_scores;

/// Writes labels of a side: mentions in random entities, which reductions do not solve.
fn labels(side: char, seed: u64) -> String {
    let mut state = seed;
    let mut text = "document,mention,entity\n".to_owned();
    for document in ["d1", "d2"] {
        for mention in 0..400 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            writeln!(text, "{document},m{mention},{side}{}", (state >> 33) % 40).expect("a string grows");
        }
    }
    text
}

/// The files of both sides, written once for all tests.
fn sides() -> &'static [String; 2] {
    static SIDES: OnceLock<[String; 2]> = OnceLock::new();
    SIDES
        .get_or_init(|| [file("bounds-key.csv", labels('k', 1)), file("bounds-response.csv", labels('r', 2))])
}

/// Runs `score` on such labels.
fn score(more: &[&str], status: i32) -> (String, String) {
    let [key, response] = sides();
    let shared = ["score", "-q", "--no-warnings", key.as_str(), "random=RESPONSE"];
    let named = format!("random={response}");
    let args: Vec<&str> =
        shared.iter().map(|arg| if arg.ends_with("RESPONSE") { &*named } else { arg }).collect();
    run(&[&args[..], more].concat(), status)
}

const METRICS: &[&str] = &["-m", "muc,ceaf_m,ceaf_e,conll"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [METRICS, more].concat()
}

#[test]
fn bounds_look_like_bounds() {
    let (text, _) = score(&with(&["--ceaf-bound", "0s", "--by", "document"]), 0);
    golden_with_signature("bounds.txt", &text);
    let (markdown, _) = score(&with(&["--ceaf-bound", "0s", "-o", "markdown"]), 0);
    golden_with_signature("bounds.md", &markdown);
    let (csv, _) = score(&with(&["--ceaf-bound", "0s", "-o", "csv"]), 0);
    golden_with_signature("bounds.csv", &csv);
}

#[test]
fn bounds_contain_the_score_and_are_not_one() {
    let read = |json: &str| serde_json::from_str::<Value>(json).expect("the report is JSON");
    let (exact, _) = score(&with(&["-o", "json"]), 0);
    let exact = read(&exact);
    for limit in ["0s", "0.02", "0.02,0s"] {
        let (json, _) = score(&with(&["--ceaf-bound", limit, "-o", "json", "--by", "document"]), 0);
        assert_eq!(faults_of_scores(&json), [""; 0]);
        let found = read(&json);
        assert!(
            found["signature"].as_str().is_some_and(|text| text.ends_with(&format!("|ceaf-bound:{limit}")))
        );
        for metric in ["ceaf_m", "ceaf_e", "conll"] {
            let row = &found["systems"][0]["metrics"][metric];
            let score = exact["systems"][0]["metrics"][metric]["f1"].as_f64().expect("an exact score");
            let Some(ends) = row["bounds"]["f1"].as_array() else {
                assert_eq!(row["f1"].as_f64(), Some(score), "{metric} {limit}");
                continue;
            };
            let [low, high] = [0, 1].map(|end| ends[end].as_f64().expect("a number"));
            assert!(low < high && low <= score + 1e-12 && score <= high + 1e-12, "{low} {score} {high}");
            assert!(limit == "0s" || limit == "0.02,0s" || high - low <= 0.02 + 1e-12);
            assert!(
                row.get("f1").is_none() && row.get("recall").is_none() && row.get("recall_num").is_none()
            );
        }
        assert!(found["systems"][0]["metrics"]["muc"]["f1"].is_number());
    }
    let (json, _) = score(&with(&["--ceaf-bound", "0s", "-o", "json"]), 0);
    assert!(read(&json)["systems"][0]["metrics"]["ceaf_e"].get("bounds").is_some(), "no search stopped");
}

/// With enough time every score is exact, to the last digit.
#[test]
fn a_proof_in_time_gives_the_score() {
    let (exact, _) = score(&with(&["-o", "csv"]), 0);
    let (found, _) = score(&with(&["-o", "csv", "--ceaf-bound", "1h"]), 0);
    let mut rows = String::new();
    for row in found.replace("|ceaf-bound:3600s", "").lines() {
        let mut cells: Vec<&str> = row.split(',').collect();
        let bounds: Vec<&str> = cells.drain(10..16).collect();
        assert!(bounds[0] == "recall_low" || bounds.concat().is_empty(), "{row}");
        rows += &(cells.join(",") + "\n");
    }
    assert_eq!(rows, exact);
}

#[test]
fn gaps_do_not_depend_on_threads() {
    let of = |threads: &str| score(&with(&["-o", "json", "--ceaf-bound", "0.02", "--threads", threads]), 0).0;
    assert_eq!(of("1"), of("2"));
}

#[test]
fn tables_of_counts_have_bounds_too() {
    let (key, response) = (labels('k', 1), labels('r', 2));
    let mut cells: BTreeMap<[&str; 3], u32> = BTreeMap::new();
    for (ours, theirs) in key.lines().zip(response.lines()).skip(1) {
        let [ours, theirs] = [ours, theirs].map(|line| line.split(',').collect::<Vec<_>>());
        *cells.entry([ours[0], ours[2], theirs[2]]).or_default() += 1;
    }
    let mut counts = "document,key,response,count\n".to_owned();
    for ([document, key, response], count) in cells {
        writeln!(counts, "{document},{key},{response},{count}").expect("a string grows");
    }
    let table = file("bounds-counts.csv", counts);
    let (text, _) = run(&["score", "-q", "-m", "ceaf_e", "--ceaf-bound", "0s", "--overlap", &table], 0);
    assert!(text.contains('[') && text.contains("proven bounds"), "{text}");
}

#[test]
fn bounds_are_refused_where_they_are_not_supported() {
    for (more, expected) in [
        (
            &["--ceaf-bound", "2"][..],
            "--ceaf-bound must be a gap of the bounds above 0 and at most 1, a time",
        ),
        (&["--ceaf-bound", "-1"], "or both, not `-1`"),
        (&["--ceaf-bound", "-1s"], "or both, not `-1s`"),
        (&["--ceaf-bound", "0.00000001"], "0.001 (with at most six decimals)"),
        (&["--ceaf-bound", "0.0000015"], "not `0.0000015`"),
        (&["--ceaf-bound", "0.1ms"], "not `0.1ms`"),
        (&["--ceaf-bound", "0.1,0.2"], "not `0.1,0.2`"),
        (&["--ceaf-bound", "0.01", "--by", "entity-size"], "which --by entity-size does not use"),
        (&["--ceaf-bound", "0.01", "--average", "macro"], "which --average macro does not use"),
        (&["--ceaf-bound", "0.01", "-o", "conll"], "--output conll cannot show them"),
    ] {
        let (_, err) = score(&with(more), 2);
        assert!(err.contains(expected), "{err}");
    }
    let [key, _] = sides();
    let signature = "corefeval:0.1.0|profile:conll|format:table|ceaf-bound:0.01";
    let (_, err) = run(&["compare", key, key, "--settings", signature], 2);
    assert!(err.contains("gives bounds instead of scores, which this task cannot use"), "{err}");
    let (_, warned) = run(&["score", key, key, "-m", "muc", "--ceaf-bound", "0.01"], 0);
    assert!(warned.contains("`ceaf-bound:0.01` has no effect on these metrics"), "{warned}");
}
