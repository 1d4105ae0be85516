//! The behaviour of `corefeval cone` for people and scripts.

use std::fs;

use serde_json::Value;

use crate::common::{file, golden, golden_outputs, place, root, run};

const KEY: &str = "examples/key.conll";
const ANNOTATED: &str = "examples/names/annotated.conll";
const SYSTEMS: [&str; 2] = ["examples/alder.conll", "examples/birch.conll"];

#[test]
fn every_output_has_its_golden_file() {
    golden("help-cone.txt", &run(&["cone", "--help"], 0).0);
    for output in golden_outputs() {
        let args = [&["cone", "-q", "-o", output, KEY], &SYSTEMS[..]].concat();
        golden(&format!("cone-{output}.txt"), &run(&args, 0).0);
    }
    let args = [&["cone", "--key-approximate"], &SYSTEMS[..]].concat();
    let (out, err) = run(&[&args[..], &["-v"]].concat(), 0);
    golden("cone-approximate.txt", &out);
    golden("cone-approximate-notes.txt", &err);
    for output in golden_outputs() {
        let more = [
            "cone", "-q", "-o", output, "--key-approximate", "--annotated", ANNOTATED, "--resamples", "1000",
        ];
        golden(&format!("cone-check-{output}.txt"), &run(&[&more, &SYSTEMS[..]].concat(), 0).0);
    }
}

/// Tables 3 and 4 of Lin et al. and figure 1: CONE compared with the metrics of all mentions.
#[test]
fn cone_is_compared_with_the_full_metrics() {
    let systems = ["examples/voyages/oak.conll", "examples/voyages/pine.conll"];
    let usual = [&["cone", "-q", "--correlate", "examples/voyages/key.conll"], &systems[..]].concat();
    golden("cone-correlate.txt", &run(&usual, 0).0);
    // r over documents equals that of `correlate`, which computes it another way.
    let found = |args: &[&str]| serde_json::from_str::<Value>(&run(args, 0).0).expect("JSON");
    let json = found(&[&usual[..], &["-o", "json"]].concat());
    let row = |with: &str, metric: &str, over: &str| {
        let all = json["correlations"].as_array().expect("rows");
        let is_it = |row: &&Value| {
            row["with"] == with && row["metric"] == metric && row["over"] == over && row["system"] == "oak"
        };
        all.iter().find(is_it).unwrap_or_else(|| panic!("{with} {metric} {over}")).clone()
    };
    for (x, y) in [("cone_b_cubed", "b_cubed"), ("cone_ceaf", "ceaf_m")] {
        let args = [
            "correlate", "-q", "-o", "json", "--over", "documents,entities", "--resamples", "10", "--x", x,
            "--y", y,
        ];
        let other = found(&[&args, &["examples/voyages/key.conll", systems[0]][..]].concat());
        let other = other["correlations"].as_array().expect("rows");
        for (place, over) in ["documents", "entities"].into_iter().enumerate() {
            let ours = row("named", y, over)["parts"]["recall"]["r"].as_f64();
            let theirs = other[place]["parts"]["recall"]["pearson"]["value"].as_f64();
            assert!(
                ours.zip(theirs).is_some_and(|(one, other)| (one - other).abs() < 1e-12),
                "{x} {over}: {ours:?} {theirs:?}"
            );
        }
    }
    assert!(row("approximated", "b_cubed", "documents")["parts"]["f1"]["points"].as_u64() > Some(10));
    assert!(row("complement", "ceaf_m", "documents")["parts"]["f1"]["points"].as_u64() > Some(10));
    let points = |json: &Value| {
        json["correlations"]
            .as_array()
            .expect("rows")
            .iter()
            .filter(|row| row["over"] == "entities")
            .map(|row| row["parts"]["precision"]["points"].as_u64().expect("points"))
            .sum::<u64>()
    };
    let fewer = found(&[&usual[..], &["-o", "json", "--smallest", "4"]].concat());
    assert!(points(&fewer) < points(&json), "small entities are left out");
    let first = run(&[&usual[..], &["--smallest", "4", "--without", "similar"]].concat(), 0).0;
    let signature = first.lines().last().expect("a signature");
    assert!(signature.ends_with("|smallest:4"), "{signature}");
    assert_eq!(run(&[&usual[..], &["--settings", signature]].concat(), 0).0, first);
    run(&["score", "-q", "--settings", signature, KEY, SYSTEMS[0]], 0);
    assert!(run(&[&usual[..], &["--smallest", "0"]].concat(), 2).1.contains("at least 1"));
    assert!(run(&[&usual[..], &["--by", "document"]].concat(), 2).1.contains("--by"));
}

/// Returns recall, precision and F1 of a metric of the first system.
fn scores(args: &[&str], metric: &str) -> [f64; 3] {
    let report: Value =
        serde_json::from_str(&run(&[&["cone", "-q", "-o", "json"], args].concat(), 0).0).unwrap();
    let found = &report["systems"][0]["metrics"][metric];
    ["recall", "precision", "f1"].map(|part| found[part].as_f64().unwrap_or(f64::NAN))
}

/// The key has twelve named mentions in nine entities; birch lacks one and matches the others.
#[test]
fn all_sources_find_the_names_of_the_examples() {
    let labels = "examples/names/names.jsonlines";
    let sources: [&[&str]; 5] = [
        &["--named", "ne-column"],
        &["--named", "upos"],
        &["--named", "rules"],
        &["--ne-labels", "examples/names/names.bio"],
        &["--named", "file", "--ne-labels", labels],
    ];
    for source in sources {
        let found = scores(&[source, &[KEY, SYSTEMS[1]]].concat(), "cone_ceaf");
        assert_eq!(found[..2], [11.0 / 12.0, 1.0], "{source:?}");
    }
    // A response in another format has the names of the key.
    assert_eq!(scores(&[KEY, "examples/alder.jsonlines"], "cone_b_cubed"), [1.0; 3]);
    // Types of mentions, from each side.
    let ace = ["testdata/ace/key", "testdata/ace/response"];
    assert_eq!(scores(&ace, "cone_b_cubed"), [1.0; 3]);
    let (out, _) = run(&[&["cone", "-q"], &ace[..]].concat(), 0);
    assert!(out.contains("|named:mention-type"), "{out}");
}

#[test]
fn metrics_equal_those_of_other_commands() {
    let (score, _) = run(&["score", "-q", "-m", "b_cubed,ceaf_m,cone_b_cubed,cone_ceaf", KEY, SYSTEMS[1]], 0);
    let (cone, _) = run(&["cone", "-q", KEY, SYSTEMS[1]], 0);
    assert_eq!(score, cone);
    let args = [&["compare", "-q", "-m", "cone_b_cubed", "--resamples", "100", KEY], &SYSTEMS[..]].concat();
    assert!(run(&args, 0).0.contains("95.65"));
    assert!(run(&["probe", "-q", "-m", "cone_ceaf", KEY, SYSTEMS[0]], 0).0.contains("base"));
    // Whole entities that have a named mention.
    let found = scores(&["--entities", "named", KEY, SYSTEMS[0]], "b_cubed");
    assert!((found[0] - 0.8674).abs() < 1e-4, "{found:?}");
}

/// The signature can be typed back, with a key and without.
#[test]
fn a_signature_scores_the_same_again() {
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    let (out, _) = run(&["cone", "-q", "--name-match", "span", "--entities", "named", KEY, SYSTEMS[0]], 0);
    assert!(last(&out).contains("|entities:named|named:ne-column|name-match:span"), "{out}");
    assert_eq!(run(&["cone", "-q", "--settings", &last(&out), KEY, SYSTEMS[0]], 0).0, out);
    let (out, _) = run(&["cone", "-q", "--key-approximate", "--without", "word,similar", SYSTEMS[0]], 0);
    assert!(last(&out).ends_with("|key-approximate:exact,initials,acronym,title,parts"), "{out}");
    let again = ["cone", "-q", "--key-approximate", "--settings", &last(&out), SYSTEMS[0]];
    assert_eq!(run(&again, 0).0, out);
}

#[test]
fn threads_change_no_byte() {
    for args in [
        vec!["cone", "-q", KEY, SYSTEMS[0]],
        vec!["cone", "-q", "--key-approximate", "--annotated", ANNOTATED, SYSTEMS[1]],
    ] {
        let with = |threads: &str| run(&[&args[..], &["--threads", threads]].concat(), 0).0;
        assert_eq!(with("1"), with("4"));
    }
}

/// The written key gives the same scores as the generated one.
#[test]
fn the_key_made_from_names_can_be_written() {
    let file = file("key.jsonlines", "");
    let args =
        ["cone", "-q", "--key-approximate", "--write-key", &file, "--write-format", "jsonlines", SYSTEMS[0]];
    run(&args, 0);
    let text = fs::read_to_string(&file).unwrap();
    let clusters: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(clusters.len(), 3);
    // The names are: the Hamre Line, Skarvoy, the Alma, Moe twice, Berge twice.
    let ferry: Vec<usize> =
        clusters[0]["clusters"].as_array().unwrap().iter().map(|c| c.as_array().unwrap().len()).collect();
    assert_eq!(ferry, [1, 1, 1, 2, 2]);
}

/// The settings of writing also apply to the key.
#[test]
fn closing_brackets_of_the_written_key_can_name_their_mentions() {
    let path = file("key.conllu", "");
    let args =
        ["cone", "-q", "--key-approximate", "--write-key", &path, "--write-format", "conll-ua", SYSTEMS[0]];
    for (more, named) in [(&[][..], false), (&["--boundary-crossing"], true)] {
        run(&[&args[..], more].concat(), 0);
        let text = fs::read_to_string(&path).expect("it was written");
        assert_eq!(text.contains("# mentions cross"), named, "{text}");
    }
}

#[test]
fn wrong_input_is_reported() {
    let bio = fs::read_to_string(root().join("examples/names/names.bio")).unwrap();
    let bad = file("bad.bio", bio.replacen("Hamre I-ORG", "Hammer I-ORG", 1));
    let none = file(
        "none.bio",
        bio.replace("B-", "O")
            .lines()
            .map(|line| {
                let word = line.split(' ').next().unwrap_or_default();
                if line.is_empty() { "\n".to_owned() } else { format!("{word} O\n") }
            })
            .collect::<String>(),
    );
    let links = ["examples/links/key.links", "examples/links/response.links"];
    let cases: Vec<(Vec<&str>, i32, &[&str])> = vec![
        (
            vec!["--ne-labels", &bad, KEY, SYSTEMS[0]],
            1,
            &["bad.bio:4", "`Hammer` as word 2", "examples/key.conll:3", "`Hamre`"],
        ),
        (
            vec!["--ne-labels", &none, "--named", "file", KEY, SYSTEMS[0]],
            1,
            &["no mention is named on either side, by file"],
        ),
        (vec!["--ne-labels", "no-such-file", KEY, SYSTEMS[0]], 1, &["no-such-file", "cannot be read"]),
        (vec!["--named", "file", KEY, SYSTEMS[0]], 2, &["no file of named-entity labels"]),
        (vec!["--named", "mention-type", KEY, SYSTEMS[0]], 1, &["mention-type", "--ne-labels"]),
        (links.to_vec(), 1, &["no annotation marks named mentions"]),
        (vec![KEY], 2, &["no response to score", "--key-approximate"]),
        (
            vec!["--key-approximate", "--heuristics", "exact,wrd", SYSTEMS[0]],
            2,
            &["unknown heuristic `wrd`", "`word`"],
        ),
        (vec!["--key-approximate", "-m", "muc", SYSTEMS[0]], 2, &["`muc` scores all mentions"]),
        (vec!["--key-approximate", links[1]], 1, &["no annotation marks named mentions"]),
        (
            vec!["--key-approximate", "testdata/formats/json/list.json"],
            1,
            &["no annotation marks named mentions"],
        ),
        (
            vec!["--key-approximate", "--annotated", ANNOTATED, "-o", "conll", SYSTEMS[0]],
            2,
            &["does not support the check", "json"],
        ),
        (vec!["--key-approximate", "--annotated", KEY, ANNOTATED], 1, &["lacks the annotated document"]),
        (vec!["--heuristics", "exact", KEY, SYSTEMS[0]], 2, &["--key-approximate"]),
        (
            vec!["--key-approximate", "--annotated", ANNOTATED, "--scope", "corpus", SYSTEMS[0]],
            2,
            &["--scope"],
        ),
    ];
    for (args, status, parts) in cases {
        if args.iter().any(|arg| arg.ends_with(".json") && !root().join(arg).exists()) {
            continue;
        }
        let (out, err) = run(&[&["cone"], &args[..]].concat(), status);
        assert_eq!(out, "", "{args:?}");
        for part in parts {
            assert!(err.contains(part), "{args:?}: {part}\n{err}");
        }
    }
    let (_, err) = run(&["score", "--named", "rules", "-m", "muc", KEY, SYSTEMS[0]], 0);
    assert!(err.contains("`named:rules` has no effect"), "{err}");
    let (_, err) =
        run(&["score", "-m", "cone_ceaf", "--pair-files", "examples/pairs/key", "examples/pairs/alder"], 2);
    assert!(err.contains("one key"), "{err}");
    // Names of the text that are not mentions.
    let text = "#begin document (d); part 000\nthe\t(0\nferry\t0)\nsank\t-\n#end document\n";
    let (one, other) = (file("lower.conll", text), file("lower2.conll", text));
    let (_, err) = run(&["cone", &one, &other], 1);
    assert!(err.contains("no mention is named on either side, by rules"), "{err}");
}

/// A key that was written and read gives the same scores; a corrected one gives other scores.
#[test]
fn a_key_of_names_is_written_corrected_and_read() {
    for response in SYSTEMS {
        let path = file("names-key.conll", "");
        let made = run(&["cone", "-q", "--key-approximate", "--write-key", &path, response], 0).0;
        let read = run(&["cone", "-q", "--key-approximate", "--read-key", &path, response], 0).0;
        let figures = |text: &str| text.lines().take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(figures(&made), figures(&read), "{made}{read}");
        assert!(read.contains("|key-approximate:read"), "{read}");
        // Without the names of one text the key has fewer names.
        let text = fs::read_to_string(&path).expect("it was written");
        let (first, rest) = text.split_once("#end document").expect("several documents");
        let bare = |line: &str| match line.rsplit_once('\t') {
            Some((words, _)) => format!("{words}\t-\n"),
            None => format!("{line}\n"),
        };
        let bare: String = first.lines().map(bare).collect();
        let corrected = file("names-corrected.conll", format!("{bare}#end document{rest}"));
        let other = run(&["cone", "-q", "--key-approximate", "--read-key", &corrected, response], 0).0;
        assert_ne!(figures(&made), figures(&other));
    }
    let short = file("short.conll", "#begin document (news/ferry_line); part 000\nx\t(0)\n#end document\n");
    let (_, err) = run(&["cone", "--key-approximate", "--read-key", &short, SYSTEMS[0]], 1);
    assert!(err.contains("do not have the same text"), "{err}");
    let (_, err) = run(&["cone", "--key-approximate", "--read-key", SYSTEMS[0], &short], 1);
    assert!(err.contains("has no document") || err.contains("do not have the same text"), "{err}");
}

/// Responses with the same names are compared on one key made from them; with different names they are not.
#[test]
fn responses_are_compared_on_one_key_of_names() {
    let args = ["cone", "-q", "--key-approximate", "--compare", "--resamples", "500", "-o", "json"];
    let found: Value = serde_json::from_str(&run(&[&args[..], &SYSTEMS[..]].concat(), 0).0).unwrap();
    let rows = found["systems"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    let scored = run(&[&["cone", "-q", "--key-approximate", "-o", "json"], &SYSTEMS[..]].concat(), 0).0;
    let scored: Value = serde_json::from_str(&scored).unwrap();
    for system in scored["systems"].as_array().unwrap() {
        let own = rows.iter().find(|row| row["name"] == system["name"]).unwrap();
        let own = &own["metrics"]["cone_b_cubed"];
        assert_eq!(own["f1"], system["metrics"]["cone_b_cubed"]["f1"]);
        assert!(own["interval"].is_array(), "{own}");
    }
    // Three documents have four swaps, apart from their direction.
    let p = rows.iter().find_map(|row| row["metrics"]["cone_b_cubed"]["difference"]["p"].as_f64());
    assert!(p.is_some_and(|p| [0.25, 0.5, 0.75, 1.0].contains(&p)), "{found}");
    let text = fs::read_to_string(root().join(SYSTEMS[1])).unwrap();
    let other = file("other-names.conll", text.replace("(ORG*", "*").replace("(PERSON)", "*"));
    let (_, err) = run(&["cone", "--key-approximate", SYSTEMS[0], &other], 0);
    assert!(err.contains("[keys-differ]"), "{err}");
    let (_, err) = run(&["cone", "--key-approximate", "--compare", SYSTEMS[0], &other], 1);
    assert!(
        err.contains("scores on different keys cannot be compared") && err.contains("--read-key"),
        "{err}"
    );
    let (_, err) = run(&["cone", "--key-approximate", "--compare", "--annotated", ANNOTATED, SYSTEMS[0]], 2);
    assert!(err.contains("--compare"), "{err}");
}

/// Intervals of `--correlate` leave out the units set by `--unit`, and equal those of `correlate`, which computes them
/// in another way.
#[test]
fn the_unit_of_the_correlations_is_a_choice() {
    let parts = |name: &str| {
        let mut text =
            fs::read_to_string(root().join(format!("examples/voyages/{name}.conll"))).expect("a file");
        for number in 1..=24 {
            let (old, document, part) = (format!("(voyage_{number:02}); part 000"), number / 3, number % 3);
            text = text.replace(&old, &format!("(log_{document}_of_nine); part {part:03}"));
        }
        file(&format!("cone-units-{name}.conll"), &text)
    };
    let [key, oak] = ["key", "oak"].map(parts);
    let found = |args: &[&str]| -> Value { serde_json::from_str(&run(args, 0).0).expect("JSON") };
    let mut intervals = Vec::new();
    for (unit, units) in [("part", 24), ("document", 9)] {
        let usual = ["cone", "-q", "--correlate", "--unit", unit, "--confidence", "0.9", &key, &oak];
        let ours = found(&[&usual[..], &["-o", "json"]].concat());
        assert_eq!((ours["unit"].as_str(), ours["units"].as_u64()), (Some(unit), Some(units)));
        let rows = ours["correlations"].as_array().expect("rows");
        let is_it =
            |row: &&Value| row["metric"] == "ceaf_m" && row["with"] == "named" && row["over"] == "documents";
        let ours = &rows.iter().find(is_it).expect("a row")["parts"]["f1"]["interval"];
        let args =
            ["correlate", "-q", "-o", "json", "--over", "documents", "--unit", unit, "--confidence", "0.9"];
        let theirs = found(&[&args[..], &["--x", "cone_ceaf", "--y", "ceaf_m", &key, &oak]].concat());
        let theirs = &theirs["correlations"][0]["parts"]["f1"]["pearson"];
        for end in 0..2 {
            let (ours, theirs) = (ours[end].as_f64(), theirs["interval"][end].as_f64());
            let same = ours.zip(theirs).is_some_and(|(one, other)| (one - other).abs() < 1e-9);
            assert!(same, "{unit}: {ours:?} {theirs:?}");
        }
        intervals.push(ours.clone());
        let table = run(&usual, 0).0;
        let signature = table.lines().last().expect("a signature").to_owned();
        assert!(signature.ends_with(&format!("|unit:{unit}|confidence:0.9")), "{signature}");
        let again = ["cone", "-q", "--correlate", "--settings", &signature, &key, &oak];
        assert_eq!(run(&again, 0).0, table);
        assert!(
            table.contains(&format!("of leaving out {unit}s")) && table.contains("90% interval"),
            "{table}"
        );
    }
    assert_ne!(intervals[0], intervals[1]);
    let (table, warnings) = run(&["cone", "--correlate", &key, &oak], 0);
    assert!(table.contains("On 9 documents with 24 parts; "), "{table}");
    assert!(warnings.contains("come from 9 documents with 24 parts [few-documents]"), "{warnings}");
    let error = run(&["cone", "-q", "--correlate", "--unit", "file", &key, &oak], 1).1;
    assert!(error.contains("all 24 documents belong to one file"), "{error}");
}

/// Scatter plots have the same coefficients and numbers of points as those of `correlate`.
#[test]
fn figures_have_their_coefficients() {
    let files = ["key", "oak", "pine"].map(|name| format!("examples/voyages/{name}.conll"));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let folder = place("cone-figures").display().to_string();
    let draw = |args: &[&str]| run(&[args, &["-q", "--figures", &folder], &files].concat(), 0);
    draw(&["cone", "--correlate"]);
    draw(&["correlate", "--resamples", "9", "--x", "cone_b_cubed", "--y", "b_cubed"]);
    let notes = |name: &str| -> Vec<String> {
        let svg = fs::read_to_string(format!("{folder}/{name}.svg")).expect("a figure");
        let texts = svg.lines().filter(|line| line.contains("ρ"));
        texts.filter_map(|line| line.split(['>', '<']).nth(2).map(str::to_owned)).collect()
    };
    let ours = notes("cone-named-b_cubed");
    assert_eq!(ours, notes("scatter-documents"));
    assert_eq!(ours.len(), 3);
    assert!(ours[0].contains("τ 0.") && ours.iter().all(|note| note.ends_with("  (48 points)")), "{ours:?}");
    assert_eq!(notes("cone-entities-ceaf_m").len(), 2);
}

/// Options without effect next to another option are refused before a file is written.
#[test]
fn idle_options_are_refused() {
    let (key, oak) = ("examples/voyages/key.conll", "examples/voyages/oak.conll");
    for (args, option) in [
        (&["--correlate", "--compare", key, oak][..], "--compare"),
        (&["--correlate", "--annotated", key, key, oak], "--annotated"),
        (&["--correlate", "--write-key", "never.conll", key, oak], "--write-key"),
        (&["--correlate", "--resamples", "9", key, oak], "--resamples"),
        (&["--correlate", "--columns", "f", key, oak], "--columns"),
        (&["--correlate", "--digits", "4", key, oak], "--digits"),
        (&["--key-approximate", "--figures", "never", oak], "--figures"),
        (&["--key-approximate", "--smallest", "2", oak], "--smallest"),
        (&["--key-approximate", "--compare", "--details", oak], "--details"),
        (&["--key-approximate", "--resamples", "9", oak], "--resamples"),
        (&["--key-approximate", "--annotated", key, "--columns", "f", oak], "--columns"),
        (&["--key-approximate", "--annotated", key, "--details", oak], "--details"),
        (&["--confidence", "0.9", key, oak], "--confidence"),
        (&["--correlate", "--metrics", "muc", key, oak], "--metrics"),
        (&["--compare", key, oak], "--compare"),
        (&["--without", "parts", key, oak], "--heuristics"),
        (&["--write-key", "never.conll", key, oak], "--write-key"),
        (&["--key-approximate", "--write-format", "jsonlines", oak], "--write-format"),
        (&["--key-approximate", "--read-key", key, "--write-key", "never.conll", oak], "--write-key"),
        (&["--key-approximate", "--read-key", key, "--without", "parts", oak], "--without"),
    ] {
        let (_, err) = run(&[&["cone"], args].concat(), 2);
        assert!(err.contains(&format!("{option} has no effect on")), "{args:?}: {err}");
    }
    assert!(!root().join("never.conll").exists());
    let (_, err) = run(&["cone", "--correlate", "--key-approximate", oak], 2);
    assert!(err.contains("there is no key"), "{err}");
}
