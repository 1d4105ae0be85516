//! The behaviour of `corefeval correlate` for people and scripts, and the figures that commands draw.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{as_in, golden, golden_outputs, root, run, with_undefined_document};

const KEY: &str = "examples/key.conll";
const SYSTEMS: [&str; 3] =
    ["alder=examples/alder.conll", "birch=examples/birch.conll", "c&d=examples/cedar.conll"];

fn correlate(more: &[&str], status: i32) -> (String, String) {
    run(&[&["correlate"], more, &[KEY], &SYSTEMS[..]].concat(), status)
}

fn json(more: &[&str]) -> Value {
    let text = correlate(&[&["-q", "-o", "json"], more].concat(), 0).0;
    serde_json::from_str(&text).expect("the report is JSON")
}

/// A new directory for figures.
fn folder(name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder.display().to_string()
}

/// The names of the files of a directory, in order.
fn names(folder: &str) -> Vec<String> {
    let files = fs::read_dir(folder).expect("the directory exists");
    let mut names: Vec<String> =
        files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_output_has_its_golden_files() {
    for output in golden_outputs() {
        let more = ["-o", output, "--x", "ceaf_m", "--y", "lea", "--resamples", "500"];
        golden(&format!("correlate-{output}.txt"), &correlate(&more, 0).0);
        let one = ["correlate", "-o", output, "--x", "conll", "--y", "b_cubed", KEY, SYSTEMS[0]];
        golden(&format!("correlate-{output}-one-system.txt"), &run(&one, 0).0);
    }
    golden("correlate-warnings.txt", &correlate(&["--x", "muc", "--y", "lea"], 0).1);
    golden("help-correlate.txt", &run(&["correlate", "--help"], 0).0);
    golden("list-correlation.txt", &run(&["list", "correlation"], 0).0);
}

/// Points are the scores that `corefeval score` prints: Pearson's r over the systems follows from them.
#[test]
fn points_are_the_scores_of_score() {
    for average in ["micro", "macro"] {
        let found = json(&["--x", "muc", "--y", "blanc", "--over", "systems", "--average", average]);
        let args =
            [&["score", "-q", "-o", "json", "-m", "muc,blanc", "--average", average, KEY], &SYSTEMS[..]];
        let scored: Value = serde_json::from_str(&run(&args.concat(), 0).0).expect("the report is JSON");
        for part in ["recall", "precision", "f1"] {
            let number =
                |system: &Value, metric: &str| system["metrics"][metric][part].as_f64().expect("a score");
            let systems = scored["systems"].as_array().expect("systems");
            let points: Vec<(f64, f64)> =
                systems.iter().map(|system| (number(system, "muc"), number(system, "blanc"))).collect();
            let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / 3.0;
            let (x, y) = (mean(|point| point.0), mean(|point| point.1));
            let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
            let xy = sum(&|point| (point.0 - x) * (point.1 - y));
            let squares = sum(&|point| (point.0 - x).powi(2)) * sum(&|point| (point.1 - y).powi(2));
            let r = found["correlations"][0]["parts"][part]["pearson"]["value"].as_f64().expect("r");
            assert!((r - xy / squares.sqrt()).abs() < 1e-9, "{average} {part}: {r}");
        }
    }
}

#[test]
fn every_metric_with_counts_works() {
    let list = run(&["list", "metrics"], 0).0;
    let ids = list.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    // These files do not record which links were written.
    let possible = |id: &&str| *id != "links_as_written";
    for id in ids.filter(possible).filter(|id| *id != "lea") {
        let report = json(&["--x", id, "--y", "lea", "--resamples", "20"]);
        assert!(report["correlations"].as_array().is_some_and(|rows| rows.len() >= 5), "{id}");
        assert!(!report.to_string().contains("NaN"), "{id}");
    }
}

#[test]
fn threads_change_no_byte() {
    let more = ["-q", "-o", "json", "--x", "ceaf_e", "--y", "b_cubed", "--resamples", "300"];
    let first = correlate(&[&more[..], &["--threads", "1"]].concat(), 0).0;
    for threads in ["2", "7"] {
        assert_eq!(
            correlate(&[&more[..], &["--threads", threads]].concat(), 0).0,
            first,
            "{threads} threads"
        );
    }
}

#[test]
fn a_signature_gives_the_same_results_again() {
    let metrics = ["-q", "--x", "muc", "--y", "lea"];
    let more =
        ["--correlation-interval", "fisher", "--seed", "5", "--confidence", "0.9", "--singletons", "drop"];
    let more = [&more[..], &["--unit", "part"]].concat();
    let first = correlate(&[&metrics[..], &more].concat(), 0).0;
    let signature = first.lines().last().expect("a signature");
    // Fisher's intervals draw no resamples.
    assert!(signature.ends_with("|correlation-interval:fisher|unit:part|confidence:0.9"), "{signature}");
    assert_eq!(correlate(&[&metrics[..], &["--settings", signature]].concat(), 0).0, first);
    // `score` and `compare` use the other settings of the signature.
    run(&["score", "-q", "--settings", signature, KEY, SYSTEMS[0]], 0);
    run(&["compare", "-q", "--resamples", "20", "--settings", signature, KEY, SYSTEMS[0], SYSTEMS[1]], 0);
}

#[test]
fn impossible_correlations_are_errors() {
    let wrong: [(&[&str], &str); 11] = [
        (&["--x", "muc"], "--y"),
        (&["--x", "muc", "--y", "muc"], "would be correlated with itself"),
        (&["--x", "muk", "--y", "lea"], "did you mean `muc`?"),
        (&["--x", "muc", "--y", "ace_value", "--average", "macro"], "is computed over all documents"),
        (&["--x", "muc", "--y", "lea", "--over", "document"], "did you mean `documents`?"),
        (&["--x", "muc", "--y", "blanc", "--over", "entities"], "`blanc` has no score for a single entity"),
        (&["--x", "muc", "--y", "lea", "--correlation-interval", "basic"], "fisher"),
        (&["--x", "muc", "--y", "lea", "--resamples", "0"], "`0` is not a valid value for `resamples`"),
        (&["--x", "muc", "--y", "lea", "-o", "conll"], "markdown"),
        (&["--x", "muc", "--y", "lea", SYSTEMS[0]], "two systems are called"),
        (
            &["--x", "muc", "--y", "lea", "--settings", "profile:conll|correlation-interval:x"],
            "`x` is not a valid value",
        ),
    ];
    for (more, expected) in wrong {
        // One case names a system twice.
        let (out, err) = match more.last() {
            Some(&system) if system == SYSTEMS[0] => {
                run(&["correlate", "--x", "muc", "--y", "lea", KEY, system, system], 2)
            }
            _ => correlate(more, 2),
        };
        assert!(out.is_empty() && err.contains(expected), "{more:?}: {out}{err}");
    }
    // Two systems are too few for points, which is reported if systems were requested.
    let two =
        ["correlate", "-q", "--x", "muc", "--y", "lea", "--over", "systems", KEY, SYSTEMS[0], SYSTEMS[1]];
    let out = run(&two, 0).0;
    assert!(out.contains("No F1 over systems: 2 points, and 3 are needed.") && !out.contains("NaN"), "{out}");
    // A single document gives a single point.
    let links = ["correlate", "-q", "--x", "muc", "--y", "lea"];
    let files = ["examples/links/key.links", "examples/links/response.links"];
    let out = run(&[&links[..], &files].concat(), 0).0;
    assert!(out.contains("1 point, and 3 are needed") && out.contains("On 1 document."), "{out}");
    let err = correlate(&["--x", "muc", "--y", "lea", "--strict"], 1).1;
    assert!(err.contains("[few-documents]") || err.contains("[singletons-one-sided]"), "{err}");
}

/// The figures in `docs/plots.md` equal those that the commands named there draw.
#[test]
fn figures_of_the_documentation_are_current() {
    let place = folder("documentation");
    let systems = ["alder=examples/alder.conll", "birch=examples/birch.conll", "cedar=examples/cedar.conll"];
    let figures = ["--figures", place.as_str()];
    run(&[&["compare", "-q", "--series"][..], &figures[..], &[KEY], &systems].concat(), 0);
    run(&[&["correlate", "-q", "--x", "ceaf_m", "--y", "lea"], &figures[..], &[KEY], &systems].concat(), 0);
    run(&["reproduce", "--figures", &place], 0);
    run(&[&["errors", "-q"], &figures[..], &[KEY], &systems].concat(), 0);
    let page = fs::read_to_string(root().join("docs/plots.md")).expect("the page exists");
    let shown: Vec<&str> =
        page.split("](figures/").skip(1).filter_map(|part| part.split(".svg)").next()).collect();
    assert!(shown.len() >= 8, "{shown:?}");
    for name in &shown {
        let svg = fs::read_to_string(Path::new(&place).join(format!("{name}.svg"))).expect("it is drawn");
        as_in(&format!("docs/figures/{name}.svg"), &svg);
    }
    // The page on named mentions has a separate figure.
    let place = folder("documentation-cone");
    let figures = ["--figures", place.as_str()];
    run(
        &[&["correlate", "-q", "--x", "cone_ceaf", "--y", "ceaf_m"], &figures[..], &[KEY], &systems].concat(),
        0,
    );
    let page = fs::read_to_string(root().join("docs/cone.md")).expect("the page exists");
    assert_eq!(page.matches("](figures/cone-scatter.svg)").count(), 1);
    let svg = fs::read_to_string(Path::new(&place).join("scatter-documents.svg")).expect("it is drawn");
    as_in("docs/figures/cone-scatter.svg", &svg);
    let kept = names(&root().join("docs/figures").display().to_string());
    assert_eq!(kept.len(), shown.len() + 1, "each figure kept is shown: {kept:?}");
}

/// Every figure is drawn as SVG, PNG and PDF, with the same bytes each time.
#[test]
fn figures_are_drawn_as_svg_png_and_pdf() {
    let draw = |name: &str, threads: &str| {
        let place = folder(name);
        let more = ["-q", "--threads", threads, "--figures", place.as_str()];
        correlate(&[&more[..], &["--x", "muc", "--y", "lea", "--resamples", "50"]].concat(), 0);
        run(
            &[&["compare", "--series"][..], &more[..], &["--resamples", "50", KEY], &SYSTEMS[..]].concat(),
            0,
        );
        place
    };
    let (one, other) = (draw("one", "1"), draw("other", "4"));
    let found = names(&one);
    assert_eq!(found, names(&other));
    let svgs: Vec<&String> = found.iter().filter(|name| name.ends_with(".svg")).collect();
    let wanted = [
        "differences-birch.svg", "differences-c-d.svg", "forest-differences.svg", "forest.svg",
        "profile.svg", "scatter-documents.svg", "scatter-entities.svg", "scatter-systems.svg", "series.svg",
    ];
    assert_eq!(svgs, wanted);
    for name in &found {
        let read = |place: &str| fs::read(Path::new(place).join(name)).expect("the figure exists");
        assert_eq!(read(&one), read(&other), "{name}");
        let bytes = read(&one);
        match name.rsplit('.').next() {
            Some("png") => {
                assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
                // 288 dots an inch are 11,339 a metre.
                let resolution =
                    [&b"pHYs"[..], &11_339_u32.to_be_bytes(), &11_339_u32.to_be_bytes(), &[1]].concat();
                assert!(bytes.windows(13).any(|part| part == resolution), "{name}");
            }
            Some("pdf") => assert!(bytes.starts_with(b"%PDF-"), "{name}"),
            _ => {
                let text = String::from_utf8(bytes).expect("SVG is UTF-8");
                assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{name}");
                assert!(!text.contains("NaN") && !text.contains("inf"), "{name}");
            }
        }
    }
    if cfg!(feature = "png") {
        assert_eq!(found.len(), 3 * svgs.len());
    }
    let file = format!("{one}/forest.svg");
    let err = correlate(&["-q", "--x", "muc", "--y", "lea", "--figures", &file], 1).1;
    assert!(err.contains("cannot be written"), "{err}");
}

/// A document in which one part of a mean is undefined is not a point of the mean: there the mean is undefined too.
#[test]
fn undefined_means_are_not_points() {
    let [key, response] = with_undefined_document("undefined-mean");
    let args = ["correlate", "-q", "-o", "json", "--x", "conll", "--y", "lea", "--over", "documents"];
    let (text, _) = run(&[&args[..], &[&key, &response]].concat(), 0);
    let found: Value = serde_json::from_str(&text).expect("the report is JSON");
    let part = &found["correlations"][0]["parts"]["f1"];
    assert_eq!((&part["points"], &part["left_out"]), (&2.into(), &1.into()), "{found}");
}

/// The response has one mention of each of the key's first two entities in one entity. CEAF maps either to it, so that
/// the recall of both is 1/2 or 0. JSON and CSV have these bounds, and none for other entities and metrics.
#[test]
fn entities_have_bounds_over_all_best_maps() {
    let folder = folder("bounds");
    fs::create_dir_all(&folder).expect("a directory");
    let write = |name: &str, clusters: &str| {
        let document = |id: &str| {
            format!(
                r#"{{"doc_key": "{id}", "sentences": [["a", "b", "c", "d", "e", "f", "g", "h"]], "clusters": {clusters}}}"#
            )
        };
        let path = format!("{folder}/{name}.jsonlines");
        fs::write(&path, format!("{}\n{}\n", document("one"), document("two"))).expect("a file");
        path
    };
    let key = write("key", "[[[0,0],[1,1]], [[2,2],[3,3]], [[4,4],[5,5]], [[6,6],[7,7]]]");
    let response = write("response", "[[[0,0],[2,2]], [[4,4],[5,5]], [[6,6]]]");
    let points = |output: &str| {
        let line = ["--x", "ceaf_m", "--y", "lea", "--over", "entities", "--points", "-q", "-o", output];
        run(&[&["correlate"], &line[..], &[&key, &response]].concat(), 0).0
    };
    let found: Value = serde_json::from_str(&points("json")).expect("JSON");
    let list = found["correlations"][0]["parts"]["recall"]["list"].as_array().expect("points");
    for (point, line) in list.iter().zip(points("csv").lines().skip(1)) {
        let either = point["entity"] == 1 || point["entity"] == 2;
        let (bounds, ends) =
            if either { (serde_json::json!([0.0, 0.5]), "0,0.5,,") } else { (Value::Null, ",,,") };
        assert_eq!((&point["x_bounds"], &point["y_bounds"]), (&bounds, &Value::Null), "{point}");
        assert!(line.ends_with(&format!(",{ends}")), "{line}");
    }
    assert_eq!(list.len(), 8);
    assert!(points("csv").lines().next().is_some_and(|head| head.ends_with(",x_low,x_high,y_low,y_high")));
    // CEAF as the third metric has the same bounds: r of the first and of the third metric are computed in the same
    // way.
    let maps = &found["correlations"][0]["parts"]["recall"]["maps"];
    assert_eq!(maps["ambiguous"], 4);
    let than = |output: &str| {
        let line =
            ["--x", "b_cubed", "--y", "lea", "--than", "ceaf_m", "--over", "entities", "-q", "-o", output];
        run(&[&["correlate"], &line[..], &[&key, &response]].concat(), 0).0
    };
    let third: Value = serde_json::from_str(&than("json")).expect("JSON");
    let part = &third["correlations"][0]["parts"]["recall"];
    assert_eq!((&part["closeness"]["maps"], &part["maps"]), (maps, &Value::Null), "{part}");
    let wanted = "have another score in other best maps of CEAF; the lowest and the highest r of CEAF φ3 and LEA \
                  that a search found are ";
    assert!(than("table").contains(wanted), "{}", than("table"));
    let _ = fs::remove_dir_all(&folder);
}

/// The points of a correlation are scores in JSON and CSV, and a third metric has its own columns.
#[test]
fn points_and_a_third_metric() {
    let found = json(&["--x", "muc", "--y", "lea", "--over", "documents", "--points", "--than", "b_cubed"]);
    let part = &found["correlations"][0]["parts"]["f1"];
    let list = part["list"].as_array().expect("points");
    assert_eq!(
        (list.len() as u64, &list[0]["system"]),
        (part["points"].as_u64().expect("a number"), &"alder".into())
    );
    assert_eq!((&found["than"], part["closeness"]["points"].as_u64()), (&"b_cubed".into(), Some(3)));
    // Three coefficients and Williams's test of three systems and parts; four points are needed for the latter.
    let ps = |part: &Value| {
        let closeness = &part["closeness"];
        let ps = ["pearson", "spearman", "kendall"].map(|name| &closeness[name]["p"]);
        ps.into_iter().chain([&closeness["williams"]]).filter(|p| p.is_number()).count()
    };
    let all = found["correlations"].as_array().expect("rows").iter();
    let tests: usize = all
        .flat_map(|row| row["parts"].as_object().expect("parts").values().map(ps).collect::<Vec<_>>())
        .sum();
    assert_eq!((&found["tests"], &found["correction"]), (&tests.into(), &"none".into()));
    let table = correlate(&["--x", "muc", "--y", "lea", "--over", "pooled", "--than", "b_cubed"], 0).0;
    assert!(table.contains(" p-values is a separate family: none is corrected for their number."), "{table}");
    assert_eq!((&part["reading"], &part["unread"]), (&Value::Null, &"fewer than 8 points".into()));
    let scored = run(&["score", "-q", "-o", "json", "-m", "muc", "--by", "document", KEY, SYSTEMS[0]], 0).0;
    let scored: Value = serde_json::from_str(&scored).expect("JSON");
    for (point, document) in list.iter().zip(scored["systems"][0]["documents"].as_array().expect("documents"))
    {
        assert_eq!((&point["document"], &point["x"]), (&document["id"], &document["metrics"]["muc"]["f1"]));
    }
    let csv =
        correlate(&["-q", "-o", "csv", "--x", "muc", "--y", "lea", "--over", "entities", "--points"], 0).0;
    let entities = csv.lines().filter(|line| line.starts_with("entities,alder,recall,alder,")).count();
    assert!(entities > 20 && csv.starts_with("over,of,part,system,document,entity,x,y,"), "{csv}");
    let table = correlate(&["--x", "muc", "--y", "lea", "--over", "documents,pooled", "--unit", "part"], 0).0;
    assert!(table.contains("On 3 parts.") && table.contains("leaving out parts"), "{table}");
    assert!(table.contains("parts of all systems") && !table.contains("documents of"), "{table}");
    let err = correlate(&["--x", "muc", "--y", "lea", "--than", "lea"], 2).1;
    assert!(err.contains("--than requires a third metric"), "{err}");
}
