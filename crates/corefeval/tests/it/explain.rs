//! `corefeval explain`: its outputs against golden files, and their common properties.

use std::fs;

use serde_json::{Value, json};

use crate::common::{file, golden, root, run, with_undefined_document};

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";
const RESPONSE: &str = "examples/explain/response.conll";
const COVAL: &str = "examples/explain/coval.txt";

fn explain(args: &[&str]) -> String {
    run(&[&["explain", "-q"], args].concat(), 0).0
}

#[test]
fn the_report_for_people() {
    golden("help-explain.txt", &run(&["explain", "--help"], 0).0);
    golden("explain.txt", &explain(&[KEY, ALDER]));
    golden(
        "explain-rpf.txt",
        &explain(&["--columns", "rpf", "--profiles", "conll,conll|singletons:drop", KEY, ALDER]),
    );
    golden("explain-find.txt", &explain(&["--profile", "coval", "--find", "conll=61.1", KEY, RESPONSE]));
    golden("explain-find-two.txt", &explain(&["--find", "62.03,muc.recall=12.3", KEY, RESPONSE]));
    golden("explain-against.txt", &explain(&["--against", COVAL, KEY, RESPONSE]));
    for output in ["markdown", "latex", "html"] {
        golden(
            &format!("explain-{output}.txt"),
            &explain(&["-o", output, "--profiles", "coval,e2e", KEY, RESPONSE]),
        );
    }
}

#[test]
fn the_report_as_data() {
    let args = [
        "--profiles", "conll,coval|singletons:drop", "-m", "muc,conll", "--find", "conll=61.1", "--against",
        COVAL,
    ];
    for output in ["json", "csv"] {
        golden(&format!("explain.{output}"), &explain(&[&args[..], &["-o", output, KEY, RESPONSE]].concat()));
    }
}

/// MUC is undefined for singletons: empty cells in CSV, 0 and `"defined": false` in JSON, a dash for people.
#[test]
fn undefined_scores_are_empty_in_csv() {
    let alone =
        file("explain-alone.conll", "#begin document (a); part 000\nAda\t(1)\nslept\t-\n#end document\n");
    let args = ["--profiles", "conll,coval", "-m", "muc,lea"];
    let report = |output| explain(&[&args[..], &["-o", output, &alone, &alone]].concat());
    let csv = report("csv");
    for profile in ["conll", "coval"] {
        assert!(csv.contains(&format!("scores,{profile},,,muc,,,,\n")), "{csv}");
    }
    assert!(csv.contains("scores,coval,,,lea,1,1,1,1\n"), "{csv}");
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let muc = &json["profiles"][0]["metrics"]["muc"];
    assert_eq!((&muc["f1"], &muc["defined"]), (&0.0.into(), &false.into()), "{muc}");
    let table = report("table");
    let row = table.lines().find(|line| line.starts_with("coval ")).expect("a row");
    assert!(row.contains('–') && row.contains("100.00"), "{table}");
    // Numbers of an undefined mean include their counts.
    let table = explain(&["--profiles", "conll,e2e", &alone, &alone]);
    assert!(table.contains("CoNLL 66.67 → 33.33, undefined scores counted as 0"), "{table}");
}

/// Corpora in CorefUD: matching by heads, singletons, repeated mentions.
#[test]
fn the_report_for_corefud() {
    let folder = std::env::temp_dir().join(format!("corefeval-explain-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let [key, response] =
        ["key.conllu", "response.conllu"].map(|name| folder.join(name).display().to_string());
    for (from, to) in [(KEY, &key), (ALDER, &response)] {
        run(&["convert", "-q", "--no-warnings", from, "--to", "corefud", "-o", to], 0);
    }
    let text = explain(&["--profiles", "corefud,conll", &key, &response])
        .replace(&folder.display().to_string(), "DIR");
    golden("explain-corefud.txt", &text);
    fs::remove_dir_all(&folder).unwrap();
}

/// Files of two columns, like those published for event coreference: each line names a mention, without its place in a
/// text; singletons are included.
#[test]
fn the_report_for_two_columns() {
    let folder = std::env::temp_dir().join(format!("corefeval-columns-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    // Entities of three mentions and singletons. The response splits the former and merges some of the latter.
    let sides: [fn(usize) -> usize; 2] = [
        |mention| if mention < 9 { mention / 3 } else { mention },
        |mention| if mention < 12 { mention / 2 } else { mention },
    ];
    let [key, response] = [("gold.conll", sides[0]), ("system.conll", sides[1])].map(|(name, entity)| {
        let mut text = String::new();
        for topic in ["36_ecb", "36_ecbplus", "41_ecb"] {
            text.push_str(&format!("#begin document ({topic});\n"));
            (0..15).for_each(|mention| text.push_str(&format!("{topic}_{mention}\t({})\n", entity(mention))));
            text.push_str("#end document\n");
        }
        let path = folder.join(name).display().to_string();
        fs::write(&path, text).unwrap();
        path
    });
    let shown = |args: &[&str]| {
        explain(&[args, &[&key, &response]].concat()).replace(&folder.display().to_string(), "DIR")
    };
    golden("explain-two-columns.txt", &shown(&[]));
    golden("explain-two-columns-singletons.txt", &shown(&["--profiles", "conll,conll|singletons:drop"]));
    fs::remove_dir_all(&folder).unwrap();
}

/// An answer with a zero that the key lacks is aligned again under each profile; the rule about such zeros is a step.
#[test]
fn zeros_that_the_key_lacks_are_a_step() {
    let key = "# newdoc id = petra\n# global.Entity = eid-etype-head-other\n# text = Petra šla domů.\n\
        1\tPetra\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1--1)\n2\tšla\t_\t_\t_\t_\t1\tdep\t_\t_\n\
        3\tdomů\t_\t_\t_\t_\t1\tdep\t_\tSpaceAfter=No\n4\t.\t_\t_\t_\t_\t1\tdep\t_\t_\n\n\
        # text = Byla unavená.\n1\tByla\t_\t_\t_\t_\t0\troot\t_\t_\n\
        1.1\t_\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=(e1--1)\n2\tunavená\t_\t_\t_\t_\t1\tdep\t_\tSpaceAfter=No\n\
        3\t.\t_\t_\t_\t_\t1\tdep\t_\t_\n\n";
    let key = file("explain-zeros.conllu", key);
    let answer =
        file("explain-zeros.txt", "Petra|[e1] šla ##|[e1] domů . Byla ##|[e1] unavená .\n".as_bytes());
    for profiles in ["corefud,conll", "conll,corefud", "crac-2022,corefud"] {
        let found = explained(&["--profiles", profiles, &key, &answer]);
        for profile in found["profiles"].as_array().unwrap() {
            let name = profile["name"].as_str().unwrap();
            let scored =
                run(&["score", "-q", "-m", "conll,lea", "-o", "json", "--profile", name, &key, &answer], 0).0;
            let scored: Value = serde_json::from_str(&scored).unwrap();
            for metric in ["conll", "lea"] {
                let score = &scored["systems"][0]["metrics"][metric]["f1"];
                assert_eq!(&profile["metrics"][metric]["f1"], score, "{profiles}: {name} {metric}");
            }
        }
        let steps = found["differences"][0]["steps"].as_array().unwrap();
        let step = steps.iter().find(|step| step["switches"][0]["option"] == "extra-zeros").expect(profiles);
        let change = if profiles == "corefud,conll" { "dropped" } else { "added" };
        let mentions = mentions_of(step, &["side", "change", "text"]);
        assert_eq!(mentions, [["response", change, "∅"]], "{profiles}");
    }
    // By default CorefUD is compared with conll.
    assert!(explain(&[&key, &answer]).contains("extra-zeros spurious → drop"));
}

/// A mention of an answer without a place in the key's text is shown with its own words.
#[test]
fn mentions_without_a_place_are_shown_as_the_answer_has_them() {
    let text =
        explain(&["--profiles", "conll,e2e", "examples/answers/key.conll", "examples/answers/changed.txt"]);
    let line = text.lines().find(|line| line.contains("ignored by CEAF φ4") && line.contains("line 1"));
    assert!(line.is_some_and(|line| line.starts_with("Her anchor ")), "{text}");
}

fn explained(args: &[&str]) -> Value {
    serde_json::from_str(&explain(&[args, &["-o", "json"]].concat())).unwrap()
}

/// Without links MUC and the mean are undefined; both are 0 and marked, as in the scores.
#[test]
fn undefined_values_are_marked_in_json() {
    let text = "#begin document (d); part 000\nd 0 0 a (1)\nd 0 1 b (2)\n\n#end document\n";
    let one = file("explain-undefined.conll", text);
    let found = explained(&["--profiles", "conll,e2e", "-m", "muc,b_cubed,conll", &one, &one]);
    let exact = &found["profiles"][0]["exact"];
    let fractions = |number: &str| json!({ "recall": number, "precision": number, "f1": number });
    let marked = |mut value: Value| {
        value["defined"] = json!(false);
        value
    };
    assert_eq!(exact["b_cubed"], fractions("1"));
    assert_eq!(exact["muc"], marked(fractions("0")));
    assert_eq!(exact["conll"], marked(json!({ "f1": "0" })));
    let total = &found["differences"][0]["total"];
    assert_eq!(total["conll"], marked(json!({ "f1": 0.0, "exact": marked(json!({ "f1": "0" })) })));
}

/// Returns some fields of the mentions that a step lists.
fn mentions_of<'v>(step: &'v Value, fields: &[&str]) -> Vec<Vec<&'v str>> {
    let mentions = step["mentions"].as_array().unwrap().iter();
    mentions.map(|mention| fields.iter().map(|field| mention[*field].as_str().unwrap()).collect()).collect()
}

/// ACE-value is shown as `score` shows it, and the changes of entities add up to its change.
#[test]
fn ace_value_is_traced_to_entities() {
    let [key, response] =
        ["key", "response"].map(|side| format!("testdata/profiles/ace-2005.{side}.apf.xml"));
    let args = ["--profiles", "ace-2005,ace-2007", "-m", "ace_value", &key, &response];
    let text = explain(&args);
    assert!(text.starts_with("Value "), "{text}");
    assert!(text.contains("From ace-2005 to ace-2007: ACE-value 52.50 → 15.00\n"), "{text}");
    assert!(text.contains("\n1. ace 2005 → 2007     -37.50\n"), "{text}");
    assert!(text.contains("with another value: 0.00 → -37.50"), "{text}");
    let found = explained(&args);
    let step = &found["differences"][0]["steps"][0];
    let mut sum = 0.0;
    for mention in step["mentions"].as_array().unwrap() {
        assert_eq!(mention["change"], "revalued");
        sum += mention["value_after"].as_f64().unwrap() - mention["value_before"].as_f64().unwrap();
    }
    assert!((sum - step["change"]["ace_value"]["f1"].as_f64().unwrap()).abs() < 1e-6, "{sum} {step}");
    for profile in found["profiles"].as_array().unwrap() {
        let exact = profile["exact"]["ace_value"]["f1"].as_str().unwrap();
        let (numerator, denominator) = exact.split_once('/').unwrap();
        let exact = numerator.parse::<f64>().unwrap() / denominator.parse::<f64>().unwrap();
        assert!((exact - profile["metrics"]["ace_value"]["total"]["value"].as_f64().unwrap()).abs() < 1e-12);
    }
    let found = explain(&[&args[..], &["--find", "ace_value=15.00"]].concat());
    assert!(found.contains("Settings that print ACE-value 15.00\n"), "{found}");
    assert!(found.contains("\nace-2007"), "{found}");
}

#[test]
fn split_antecedents_that_a_rule_scores_are_listed() {
    let [key, response] =
        ["key", "response"].map(|side| format!("testdata/profiles/codi-crac-2021-anaphora.{side}.conllua"));
    let args = ["--profiles", "ua,codi-crac-2021-anaphora", &key, &response];
    let found = explained(&args);
    let step = &found["differences"][0]["steps"][0];
    assert_eq!(step["switches"][0]["option"], "split-antecedents");
    let splits: Vec<_> = mentions_of(step, &["side", "change"]);
    assert!(splits.contains(&vec!["key", "split-added"]), "{splits:?}");
    assert!(splits.contains(&vec!["response", "split-added"]), "{splits:?}");
    let text = explain(&args);
    assert!(text.contains("split antecedent of the key newly scored"), "{text}");
}

/// Contributions of documents to an average add up: each is its weight times the distance of its score from that of the
/// corpus.
#[test]
fn averages_are_traced_to_documents() {
    for profiles in
        ["conll,scorch", "conll,conll|average:macro", "scorch,conll", "scorch,scorch|average:macro"]
    {
        let args = ["--profiles", profiles, KEY, ALDER];
        let found = explained(&args);
        let steps = found["differences"][0]["steps"].as_array().unwrap();
        let step = steps.iter().find(|step| step["switches"][0]["option"] == "average").expect(profiles);
        assert_eq!(step["additive"], true, "{profiles}");
        let documents = step["documents"].as_array().unwrap();
        assert_eq!(documents.len(), 3, "{profiles}");
        for metric in ["muc", "ceaf_e", "conll"] {
            let adds = documents.iter().map(|document| document["adds"][metric]["f1"].as_f64().unwrap());
            let change = step["change"][metric]["f1"].as_f64().unwrap();
            assert!((adds.sum::<f64>() - change).abs() < 1e-12, "{profiles} {metric}");
        }
        let text = explain(&args);
        assert!(text.contains("Contributions of 3 documents (CoNLL), largest first: "), "{text}");
    }
}

/// Scores that a rule makes undefined are named.
#[test]
fn undefined_scores_are_explained() {
    let alone =
        file("explain-undefined.conll", "#begin document (a); part 000\nAda\t(1)\nslept\t-\n#end document\n");
    let text = explain(&["--profiles", "conll,conll|singletons:drop", "-m", "b_cubed,lea", &alone, &alone]);
    assert!(text.contains("1. singletons keep → drop"), "{text}");
    assert!(text.contains("Defined before and undefined after the rule is switched: B³, LEA."), "{text}");
}

/// The range of the documents' scores leaves out documents where the metric is undefined.
#[test]
fn the_range_of_documents_leaves_out_undefined_scores() {
    let [key, response] = with_undefined_document("explain-range");
    let text = explain(&["--profiles", "conll,conll|average:macro", "-m", "muc", &key, &response]);
    assert!(
        text.contains("MUC of the 2 documents where it is defined is between 66.67 and 100.00."),
        "{text}"
    );
}

/// The output of other scorers for the examples (`testdata/prints`): every number is read, and the rules of the scorer
/// that printed it reproduce it.
#[test]
fn prints_of_other_scorers_are_reproduced() {
    let folder = std::env::temp_dir().join(format!("corefeval-prints-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let converted = |name: &str, extension: &str| -> String {
        let from = format!("examples/{name}.conll");
        let to = folder.join(format!("{name}.{extension}")).display().to_string();
        run(
            &[
                "convert",
                "-q",
                "--no-warnings",
                &from,
                "--to",
                if extension == "conllu" { "corefud" } else { "conll-ua" },
                "-o",
                &to,
            ],
            0,
        );
        to
    };
    for (print, extension, profile, label, count) in [
        ("reference", "conll", "conll", "the CoNLL reference scorer", 18),
        ("coval", "conll", "coval", "coval", 16),
        ("ua", "conllua", "codi-crac-2022-anaphora", "the Universal Anaphora scorer", 22),
        ("corefud", "conllu", "corefud", "corefud-scorer", 19),
    ] {
        for response in ["alder", "birch"] {
            let file = format!("testdata/prints/{print}-{response}.txt");
            let [key, response] = ["key", response].map(|name| match extension {
                "conll" => format!("examples/{name}.conll"),
                _ => converted(name, extension),
            });
            let text = explain(&["--profile", profile, "--against", &file, &key, &response]);
            assert!(text.contains(&format!("{file} by {label}, and ours")), "{file}: {text}");
            assert!(text.contains(&format!("{profile} prints all {count} numbers")), "{file}: {text}");
        }
    }
    // An output under rules that differ from those of corefeval is explained.
    let file = "testdata/prints/reference-explain.txt";
    let text = explain(&["--profile", "e2e", "--against", file, KEY, RESPONSE]);
    assert!(text.contains("conll prints all 18 numbers; e2e does not."), "{text}");
    assert!(text.contains("1. ceaf-singletons key-only → both"), "{text}");
    fs::remove_dir_all(&folder).unwrap();
}

/// Returns the numbers of a row, by the heads of the columns.
fn row(table: &str, name: &str) -> Vec<f64> {
    let row = table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {table}"));
    row[name.len()..].split_whitespace().map(|cell| cell.parse().unwrap()).collect()
}

/// All numbers of a report are rounded, a note names those that the other scorer truncates, and the steps add up to the
/// difference in the table.
#[test]
fn the_numbers_of_a_report_agree() {
    for (response, profiles, cut) in [
        ("birch", ["conll", "corefud"], "CoNLL 67.31"),
        ("cedar", ["conll", "e2e"], "CoNLL 47.31"),
        ("alder", ["conll", "corefud"], "MUC 91.27"),
        ("birch", ["corefud", "conll"], "CoNLL 67.31"),
        ("alder", ["conll", "corefud|average:macro"], "MUC 91.27"),
    ] {
        let file = format!("examples/{response}.conll");
        let text =
            explain(&["--no-warnings", "--columns", "f1", "--profiles", &profiles.join(","), KEY, &file]);
        let ends = profiles.map(|profile| row(&text, &format!("{profile} ")));
        let [from, to] = ends.each_ref().map(|scores| *scores.last().unwrap());
        assert!(
            text.contains(&format!("From {} to {}: CoNLL {from:.2} → {to:.2}", profiles[0], profiles[1])),
            "{text}"
        );
        let cuts = "Under conll the original scorer truncates instead of rounding: it prints ";
        let cuts = text.lines().find_map(|line| line.strip_prefix(cuts)).expect("the truncated numbers");
        assert!(cuts.split(", ").any(|number| number.trim_end_matches('.') == cut), "{text}");
        // The last column is CoNLL F1, which every step here changes.
        let last = |line: &str| line.split_whitespace().last().unwrap().parse::<f64>().unwrap();
        let steps = text.lines().skip_while(|line| !line.starts_with("One rule at a time")).skip(1);
        let steps: f64 =
            steps.take_while(|line| line.contains(" → ") && !line.ends_with('.')).map(last).sum();
        assert!((steps - (to - from)).abs() < 0.001, "{steps}: {text}");
    }
    // A number that is found only by truncation is marked; the table above shows the rounded one.
    let found = explain(&["--find", "conll=67.31", KEY, "examples/birch.conll"]);
    assert!(found.contains("CoNLL F1 (cut)"), "{found}");
    // With the output of a scorer that truncates, our numbers are truncated too.
    let print = "testdata/prints/reference-birch.txt";
    let text = explain(&["--against", print, KEY, "examples/birch.conll"]);
    assert!(
        text.contains("by the CoNLL reference scorer, and ours, truncated after the last decimal"),
        "{text}"
    );
    assert_eq!(row(&text, "MUC F1"), [85.71, 85.71]);
    assert_eq!(row(&text, "CEAF φ4 F1"), [42.09, 42.09]);
}

/// The first line of an output names its scorer, regardless of the format of the files. Without it two scorers have the
/// same output.
#[test]
fn the_first_line_of_a_print_names_the_scorer() {
    let print = "testdata/prints/corefud-alder.txt";
    let text = explain(&["--against", print, KEY, ALDER]);
    assert!(text.contains(&format!("{print} by corefud-scorer, and ours")), "{text}");
    assert!(text.contains("corefud prints all 19 numbers; conll does not."), "{text}");
    let all = fs::read_to_string(root().join(print)).unwrap();
    let without = file("explain-no-header.txt", all.split_once('\n').unwrap().1);
    let text = explain(&["--against", &without, KEY, ALDER]);
    assert!(text.contains("by the Universal Anaphora scorer or corefud-scorer, and ours"), "{text}");
    assert!(
        text.contains(
            "does not name its scorer; the Universal Anaphora scorer and corefud-scorer print in this layout."
        ),
        "{text}"
    );
    assert!(text.contains("prints all 19 numbers"), "{text}");
    let json: Value =
        serde_json::from_str(&explain(&["-o", "json", "--against", &without, KEY, ALDER])).unwrap();
    assert_eq!(json["against"]["same_layout"], serde_json::json!(["corefud-scorer"]));
}

/// An output for other files is compared but not explained. An output for swapped files is recognised.
#[test]
fn prints_of_other_files_are_not_explained() {
    let text = explain(&["--no-warnings", "--against", COVAL, KEY, "examples/birch.conll"]);
    assert!(text.contains("seems to be about other files"), "{text}");
    assert!(
        text.contains("none prints half of its 16 numbers (1 at most, and 1 with key and response swapped)"),
        "{text}"
    );
    assert!(text.contains("CoNLL F1              62.03   67.32  differs"), "{text}");
    assert!(!text.contains("From ") && !text.contains("One rule at a time"), "{text}");
    let json = explain(&["--no-warnings", "-o", "json", "--against", COVAL, KEY, "examples/birch.conll"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["against"]["difference"], &json["against"]["met_if_swapped"]),
        (&Value::Null, &1.into())
    );
    let text = explain(&["--no-warnings", "--against", COVAL, RESPONSE, KEY]);
    assert!(text.contains("Key and response are exchanged: coval (key and response swapped) prints all 16 numbers. Give them in the other order."), "{text}");
}

/// The other scorer read the files in the opposite order, under another profile. The swap is reported, and the rules are
/// traced on the files in that order.
#[test]
fn rules_are_traced_on_swapped_files() {
    let args = ["--no-warnings", "--profile", "e2e", "--against", COVAL];
    let report = |files: [&str; 2], output: &[&str]| explain(&[&args, output, &files].concat());
    let text = report([RESPONSE, KEY], &[]);
    assert!(
        text.contains("Key and response are exchanged: coval (key and response swapped) prints all 16"),
        "{text}"
    );
    let swapped = "(key and response swapped)";
    assert!(text.contains(&format!("From e2e {swapped} to coval {swapped}: CoNLL 61.09 → 62.03")), "{text}");
    let steps = |text: &str| -> Vec<String> {
        let lines = text.lines().skip_while(|line| !line.starts_with("One rule at a time"));
        lines.take_while(|line| !line.starts_with("corefeval:")).map(str::to_owned).collect()
    };
    let usual = steps(&report([KEY, RESPONSE], &[]));
    assert!(usual.len() > 2, "{usual:?}");
    assert_eq!(steps(&text), usual);
    let steps = |files| -> Value {
        let json: Value = serde_json::from_str(&report(files, &["-o", "json"])).unwrap();
        json["against"]["difference"]["steps"].clone()
    };
    assert!(steps([KEY, RESPONSE]).is_array());
    assert_eq!(steps([RESPONSE, KEY]), steps([KEY, RESPONSE]));
    // Under the profile that printed it, only the order differs.
    let same = explain(&["--no-warnings", "--profile", "coval", "--against", COVAL, RESPONSE, KEY]);
    assert!(!same.contains("From ") && !same.contains("gives the same scores as"), "{same}");
}

/// The text can be read in a minute: about 250 words. `.ci/explain.py` counts those of real corpora.
#[test]
fn the_report_is_short() {
    for args in [&["--profiles", "coval,e2e", KEY, RESPONSE][..], &["--against", COVAL, KEY, RESPONSE]] {
        let words = explain(args).split_whitespace().count();
        assert!(words < 300, "{args:?}: {words} words");
    }
    for name in ["explain-two-columns", "explain-two-columns-singletons", "explain-corefud", "explain-find"] {
        let text = fs::read_to_string(root().join(format!("testdata/golden/{name}.txt"))).unwrap();
        let words = text.split_whitespace().count();
        assert!(words < 300, "{name}: {words} words");
    }
}

#[test]
fn rules_that_change_nothing_are_named() {
    let text = explain(&["--profiles", "conll,coval", KEY, ALDER]);
    assert!(text.contains("No effect here: duplicates first → last-sets, place"), "{text}");
    let report: Value =
        serde_json::from_str(&explain(&["-o", "json", "--profiles", "conll,coval", KEY, ALDER])).unwrap();
    let idle = report["differences"][0]["idle"].as_array().unwrap();
    let names: Vec<&str> = idle.iter().filter_map(|switch| switch["option"].as_str()).collect();
    assert_eq!(names, ["duplicates", "place"]);
}

#[test]
fn unexplainable_requests_are_refused() {
    for (args, part) in [
        (&["--profiles", "conl", KEY, ALDER][..], "did you mean `conll`?"),
        (&["--find", "many", KEY, ALDER], "not a percentage between 0 and 100"),
        (&["--find", "mucc=1", KEY, ALDER], "did you mean `muc`?"),
        (&["--find", "", KEY, ALDER], "no number to search for"),
        (&["--examples", "x", KEY, ALDER], "invalid value"),
        (&["--settings", "profile:conll", "--profile", "conll", KEY, ALDER], "cannot be used with"),
    ] {
        let (_, error) = run(&[&["explain"], args].concat(), 2);
        assert!(error.contains(part), "{error}");
    }
    let prints = ["coval-alder", "coval-birch"]
        .map(|name| fs::read_to_string(root().join(format!("testdata/prints/{name}.txt"))).unwrap());
    let two = file("explain-two-prints.txt", prints.concat());
    for (file, part) in [
        ("examples/none.txt", "cannot be read"),
        (KEY, "this output of a scorer has no scores"),
        (&two, "explain-two-prints.txt:7: a second output with different scores starts here"),
    ] {
        let (_, error) = run(&["explain", "--against", file, KEY, ALDER], 1);
        assert!(error.contains(part), "{error}");
    }
}

/// Rows add up to both differences in the heading: of the rounded and of the printed scores.
#[test]
fn the_rows_of_a_path_add_up_to_its_heading() {
    let text = explain(&["--columns", "f1", "--profiles", "conll,e2e", KEY, "examples/cedar.conll"]);
    let heading = text.lines().find(|line| line.starts_with("From conll to e2e: CoNLL ")).unwrap();
    let numbers: Vec<f64> = heading.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    let [from, to, from_printed, to_printed] = numbers[..] else { panic!("{heading}") };
    let last = |line: &str| line.split_whitespace().last().unwrap().parse::<f64>().unwrap_or(0.0);
    let named = |name: &str| last(text.lines().find(|line| line.starts_with(name)).expect(name));
    let steps: f64 = text
        .lines()
        .skip_while(|line| !line.starts_with("One rule at a time"))
        .skip(1)
        .take_while(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .map(last)
        .sum();
    let same = |one: f64, other: f64| assert!((one - other).abs() < 0.001, "{one} {other}\n{text}");
    same(steps, to - from);
    same(named("all "), to - from);
    same(named("all ") + named("then print"), named("as printed"));
    same(named("as printed"), to_printed - from_printed);
}

#[test]
fn csv_contains_the_results_of_searches() {
    let rows = |args: &[&str], kinds: &[&str]| -> Vec<String> {
        let csv = explain(&[args, &["-o", "csv", KEY, RESPONSE]].concat());
        let found = |line: &&str| kinds.contains(&line.split(',').next().unwrap_or_default());
        csv.lines().filter(found).map(str::to_owned).collect()
    };
    let find = ["--profile", "coval", "--find", "conll=61.1"];
    let json: Value =
        serde_json::from_str(&explain(&[&find[..], &["-o", "json", KEY, RESPONSE]].concat())).unwrap();
    let hits = rows(&find, &["hit"]);
    assert_eq!(hits.len(), json["search"]["hits"].as_array().expect("hits").len());
    assert!(hits.iter().all(|row| row.contains(",conll,,,0.61")), "{hits:?}");
    assert!(!rows(&["--find", "62.03,muc.recall=12.3"], &["hit", "nearest"]).is_empty());

    let against = rows(&["--against", COVAL], &["printed", "ours", "nearest"]);
    assert_eq!(against[0], "printed,coval,,,mentions,0.6934,,,", "{against:?}");
    assert!(against.iter().any(|row| row.starts_with("printed,coval,,,muc,,,0.7429,")), "{against:?}");
    assert_eq!(against.len() % 3, 0);
}

#[test]
fn searches_for_the_recall_of_a_mean_are_refused() {
    let error = run(&["explain", "--find", "conll.recall=62.03", KEY, RESPONSE], 2).1;
    assert!(error.contains("not a score of CoNLL, which has only an F1"), "{error}");
}
