//! Tables of counts have the scores of the labels that they count, and can be added up.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use crate::common::{file, place, run};

/// Labels of random entities in two documents, for each side, and their counts.
struct Labels {
    key: String,
    response: String,
    counts: BTreeMap<[String; 3], u32>,
}

impl Labels {
    fn random(seed: u64) -> Labels {
        let mut state = seed;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let head = "document,mention,entity\n";
        let mut labels = Labels { key: head.to_owned(), response: head.to_owned(), counts: BTreeMap::new() };
        for document in ["d1", "d2"] {
            for mention in 0..30 {
                // Some mentions are on one side only.
                let mut entity = |side: char| match random(5) {
                    0 => String::new(),
                    _ => format!("{side}{}", random(8)),
                };
                let [key, response] = ['k', 'r'].map(&mut entity);
                for (table, entity) in [(&mut labels.key, &key), (&mut labels.response, &response)] {
                    if !entity.is_empty() {
                        writeln!(table, "{document},m{mention},{entity}").expect("a string grows");
                    }
                }
                if !(key.is_empty() && response.is_empty()) {
                    *labels.counts.entry([document.to_owned(), key, response]).or_default() += 1;
                }
            }
        }
        labels
    }

    /// Returns the same key with another response, in which the mentions of `r0` belong to `r1`.
    fn with_other_entities(&self) -> Labels {
        let mut counts = BTreeMap::new();
        for ([document, key, response], count) in &self.counts {
            let response = if response == "r0" { "r1".to_owned() } else { response.clone() };
            *counts.entry([document.clone(), key.clone(), response]).or_default() += count;
        }
        Labels { key: self.key.clone(), response: self.response.replace(",r0\n", ",r1\n"), counts }
    }

    /// Returns the table of the rows that `keep` selects.
    fn table(&self, keep: impl Fn(usize) -> bool) -> String {
        let mut table = "document,key,response,count\n".to_owned();
        for (_, ([document, key, response], count)) in
            self.counts.iter().enumerate().filter(|(place, _)| keep(*place))
        {
            writeln!(table, "{document},{key},{response},{count}").expect("a string grows");
        }
        table
    }
}

/// Returns the numbers of a report in CSV: all columns but the name of the system and the signature.
fn figures(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').skip(1).take(9).collect()).collect()
}

#[test]
fn counts_score_like_their_labels() {
    const METRICS: &str = "muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,pairwise,rand,conll";
    for seed in 1..6 {
        let labels = Labels::random(seed);
        let key = file(&format!("labels-key-{seed}.csv"), &labels.key);
        let response = file(&format!("labels-response-{seed}.csv"), &labels.response);
        let counts = file(&format!("labels-counts-{seed}.csv"), labels.table(|_| true));
        for more in [&[][..], &["--singletons", "drop"], &["--by", "document"], &["--average", "macro"]] {
            let shared = [&["score", "-q", "-o", "csv", "--profile", "conll", "-m", METRICS], more].concat();
            let (from_labels, _) = run(&[&shared[..], &[&key, &response]].concat(), 0);
            let (from_counts, _) = run(&[&shared[..], &["--overlap", &counts]].concat(), 0);
            assert_eq!(figures(&from_counts), figures(&from_labels), "seed {seed}, {more:?}");
        }
    }
}

#[test]
fn counts_are_compared_like_their_labels() {
    let one = Labels::random(21);
    let other = one.with_other_entities();
    let path = |name: &str, text: &str| file(&format!("compared-{name}.csv"), text);
    let key = path("key", &one.key);
    let systems = [path("one", &one.response), path("other", &other.response)];
    let counts = [path("counts-one", &one.table(|_| true)), path("counts-other", &other.table(|_| true))];
    let named = |paths: &[String; 2]| [format!("a={}", paths[0]), format!("b={}", paths[1])];
    let shared = ["compare", "-q", "--no-warnings", "-o", "csv", "--profile", "conll", "-m", "muc,lea,conll"];
    let ([a, b], [c, d]) = (named(&systems), named(&counts));
    let (from_labels, _) = run(&[&shared[..], &[&key, &a, &b]].concat(), 0);
    let (from_counts, _) = run(&[&shared[..], &["--overlap", &c, &d]].concat(), 0);
    let without_format = |text: &str| text.replace("format:table", "format:overlap");
    assert_eq!(from_counts, without_format(&from_labels));
}

#[test]
fn parts_add_up_to_the_whole() {
    let labels = Labels::random(9);
    let parts = [0, 1, 2]
        .map(|part| file(&format!("counts-part-{part}.csv"), labels.table(|place| place % 3 == part)));
    let (forwards, _) = run(&["merge", &parts[0], &parts[1], &parts[2]], 0);
    let (backwards, _) = run(&["merge", &parts[2], &parts[1], &parts[0]], 0);
    assert_eq!((&forwards, &backwards), (&labels.table(|_| true), &forwards));
    let twice = file("counts-twice.csv", &forwards);
    let (doubled, _) = run(&["merge", &twice, &parts[0], &parts[1], &parts[2]], 0);
    let count = |line: &str| line.rsplit_once(',').and_then(|cells| cells.1.parse::<u32>().ok());
    let of = |text: &str| text.lines().filter_map(count).collect::<Vec<u32>>();
    assert_eq!(of(&doubled), of(&forwards).into_iter().map(|count| 2 * count).collect::<Vec<_>>());
    let (_, error) = run(&["merge", &twice, "-o", &twice], 2);
    assert!(error.contains("would be replaced"), "{error}");
}

#[test]
fn metrics_that_need_more_than_counts_are_refused() {
    let counts = "examples/counts/part1.csv";
    for (args, expected) in [
        (&["--match", "head"][..], "--match has no effect on tables of counts"),
        (&["-m", "ace_value"], "`ace_value` needs documents"),
        (&["--by", "genre"], "no groups by genre"),
        (&["--format", "conll"], "--format has no effect on tables of counts"),
        (&["--format", "overlap"], "--format has no effect on tables of counts"),
    ] {
        let (_, error) = run(&[&["score", "--overlap", counts], args].concat(), 2);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    let (_, error) = run(&["agree", "--overlap", counts, counts], 2);
    assert!(error.contains("tables of counts"), "{error}");
    let (_, error) = run(&["compare", "--unit", "file", "--overlap", counts, counts], 2);
    assert!(error.contains("--unit cannot be used with tables of counts"), "{error}");
    let (_, error) = run(&["compare", "--overlap", counts, "examples/counts/part2.csv"], 1);
    assert!(error.contains("the keys of `part1` and `part2` differ in the document `d1`"), "{error}");
    let (_, error) = run(&["merge", "-", "-"], 2);
    assert!(error.contains("standard input can be read for one side only"), "{error}");
    let (_, error) = run(&["score", "--format", "overlap", counts, counts], 2);
    assert!(error.contains("--overlap COUNTS instead of key and response"), "{error}");
    let wrong = file("counts-wrong.csv", "key,response,count\na,b,-3\n");
    let (_, error) = run(&["score", "--overlap", &wrong], 1);
    assert!(error.contains("counts-wrong.csv:2:5: the count `-3` is not a whole number above 0"), "{error}");
}

/// A shard of an engine may have no rows, but the whole has some.
#[test]
fn empty_parts_are_merged_with_others() {
    let empty = file("counts-empty.csv", "document,key,response,count\n");
    let part = "examples/counts/part1.csv";
    assert_eq!(run(&["merge", &empty, part, &empty], 0).0, run(&["merge", part], 0).0);
    let also = file("counts-also-empty.csv", "key,response,count\n");
    for args in [&["merge", &empty][..], &["score", "--overlap", &empty]] {
        let (_, error) = run(args, 1);
        let expected = "counts-empty.csv: there are no counts below the names of the columns";
        assert!(error.contains(expected), "{error}");
    }
    let other = file("counts-other-empty.csv", "document,key,response,count\n");
    let (_, error) = run(&["merge", &empty, &other], 1);
    assert!(error.contains("counts-other-empty.csv: this table has no counts either"), "{error}");
    let (_, error) = run(&["merge", &empty, &also], 1);
    assert!(error.contains("counts-also-empty.csv: this table has no column `document`"), "{error}");
    let without = file("counts-without-documents.csv", "key,response,count\na,b,1\n");
    for (args, expected) in [
        (["merge", part, &without], "this table has no column `document`, but the earlier tables have one"),
        (["merge", &without, part], "this table has a column `document`, but the earlier tables have none"),
    ] {
        let (_, error) = run(&args, 1);
        assert!(error.contains(&format!("{}: {expected}", args[2])), "{error}");
    }
    let (_, error) = run(&["compare", "--overlap", part, &without], 1);
    assert!(error.contains("counts-without-documents.csv: this table has no column `document`"), "{error}");
}

/// Engines never repeat a group of rows; a file that joins the tables of several parts may.
#[test]
fn repeated_rows_of_a_table_are_added_up_with_a_warning() {
    let rows = "document,key,response,count\nd,a,x,1\nd,a,y,2\nd,a,x,2\ne,b,z,4\n";
    let twice = file("counts-repeated.csv", rows);
    let sum = "document,key,response,count\nd,a,x,3\nd,a,y,2\ne,b,z,4\n";
    let once = file("counts-not-repeated.csv", sum);
    let expected = "counts-repeated.csv:4:1: this row repeats the key and response of an earlier row";
    let (merged, warning) = run(&["merge", &twice], 0);
    assert_eq!(merged, sum);
    assert!(warning.contains(expected) && warning.contains("[repeated-count]"), "{warning}");
    assert_eq!(run(&["merge", "--no-warnings", &twice], 0), (sum.to_owned(), String::new()));
    for command in ["score", "compare"] {
        let (_, warnings) = run(&[command, "--overlap", &format!("system={twice}"), &once], 0);
        assert!(warnings.contains("counts-repeated.csv:4:1: system: this row repeats"), "{warnings}");
    }
    let (_, error) = run(&["score", "--strict", "--overlap", &twice], 1);
    assert!(error.contains("repeated-count"), "{error}");
    // The tables of a folder may repeat the rows of each other.
    let parts = [("part-0.csv", "document,key,response,count\nd,a,x,1\nd,a,y,1\n"), ("part-1.csv", rows)];
    let (_, warning) = run(&["merge", &folder("counts-repeated", parts)], 0);
    assert!(warning.contains("part-1.csv:4:1: ") && !warning.contains("part-0"), "{warning}");
    assert_eq!(run(&["merge", &once, &once], 0).1, "");
}

#[test]
fn scores_against_different_keys_are_not_comparable() {
    let tables = [("one", "key,response,count\na,x,2\n"), ("two", "key,response,count\nb,x,2\n")];
    let [one, two] = tables.map(|(name, text)| file(&format!("counts-key-{name}.csv"), text));
    let (_, warning) = run(&["score", "--overlap", &one, &two], 0);
    assert!(warning.contains("counts-key-two` differ [counted-keys-differ]"), "{warning}");
    let (part, other) = ("examples/counts/part1.csv", "examples/counts/part2.csv");
    let (_, warning) = run(&["score", "--overlap", part, &format!("again={part}"), other], 0);
    assert!(warning.contains("the keys of `part1` and `part2` differ in the document `d1`"), "{warning}");
    assert_eq!(run(&["score", "--overlap", part, &format!("again={part}")], 0).1, "");
}

/// `merge` refuses counts that cannot be scored, at their place.
#[test]
fn counts_that_are_too_large_are_refused_at_their_place() {
    let largest = "4294967295";
    let one = file("counts-largest.csv", format!("key,response,count\na,x,{largest}\n"));
    assert!(run(&["merge", &one], 0).0.ends_with(&format!("a,x,{largest}\n")));
    let more = file("counts-more.csv", format!("key,response,count\na,x,{largest}\nb,,1\n"));
    let huge = file("counts-huge.csv", "key,response,count\n,x,99999999999999999999\n");
    for (table, expected) in [
        (&more, "counts-more.csv:3:4: the key has more than 4,294,967,295 mentions"),
        (&huge, "counts-huge.csv:2:4: the response has more than 4,294,967,295 mentions"),
    ] {
        for args in [&["merge", table][..], &["score", "--overlap", table]] {
            let (_, error) = run(args, 1);
            assert!(error.contains(expected), "{error}");
        }
    }
    let (_, error) = run(&["merge", &one, &one], 1);
    assert!(error.contains("counts-largest.csv: the key has more than 4,294,967,295"), "{error}");
}

/// Writes a folder of small files, and returns its path.
fn folder<'t>(name: &str, files: impl IntoIterator<Item = (&'t str, &'t str)>) -> String {
    let folder = place(name);
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder of the tests");
        fs::write(file, text).expect("the folder of the tests can be written");
    }
    folder.display().to_string()
}

/// Spark writes a folder with a file for each partition, and files that only Spark reads.
#[test]
fn folders_of_engines_are_the_sum_of_their_tables() {
    let labels = Labels::random(14);
    let tables: Vec<String> = (0..3).map(|part| labels.table(|place| place % 3 == part)).collect();
    let marks = [("_SUCCESS", ""), (".part-00000.csv.crc", "crc\0"), ("_committed_1", "{}")];
    let parts = ["part-00000.csv", "part-00001.csv", "part-00002.csv"].into_iter();
    let files = parts.zip(tables.iter().map(AsRef::as_ref)).chain(marks);
    let written = folder("counts-of-spark", files);
    assert_eq!(run(&["merge", &written], 0).0, labels.table(|_| true));
    let whole = file("counts-of-whole.csv", labels.table(|_| true));
    let [sum, one] = [&written, &whole].map(|path| run(&["score", "-o", "csv", "--overlap", path], 0).0);
    assert_eq!(figures(&sum), figures(&one));
}

#[test]
fn errors_about_columnar_tables_contain_a_line_that_converts_them() {
    for (name, bytes, expected) in [
        ("counts.parquet", "PAR1 and more", ["COPY (FROM '", "counts.csv' (HEADER)`"]),
        ("counts.arrow", "ARROW1 and more", ["polars.read_ipc(\"", "counts.csv\")`"]),
    ] {
        let path = file(name, bytes);
        let (_, error) = run(&["score", "--overlap", &path], 1);
        assert!(expected.iter().all(|part| error.contains(part)), "{error}");
    }
    for (name, part, expected) in [
        (
            "parquet-of-spark",
            "part-00000-1c.snappy.parquet",
            ["parquet-of-spark/*.parquet') TO", "parquet-of-spark.csv' (HEADER)`"],
        ),
        ("arrow-of-spark", "part-0.arrow", ["arrow-of-spark/*.arrow\")", "arrow-of-spark.csv\")`"]),
    ] {
        let bytes = if part.ends_with("parquet") { "PAR1 and more" } else { "ARROW1 and more" };
        let written = folder(name, [("_SUCCESS", ""), (part, bytes)]);
        let (_, error) = run(&["score", "--overlap", &written], 1);
        assert!(error.contains(part) && expected.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn a_table_or_a_response_is_not_scored_twice_under_one_name() {
    let counts = "examples/counts/part1.csv";
    for twice in [
        &["--overlap", counts, counts][..],
        &["examples/key.conll", "examples/alder.conll", "examples/alder.conll"],
    ] {
        let (_, error) = run(&[&["score"], twice].concat(), 2);
        assert!(error.contains("two systems are called") && error.contains("NAME=PATH"), "{error}");
    }
    let named = [format!("a={counts}"), format!("b={counts}")];
    let (out, _) = run(&["score", "-q", "-o", "csv", "--overlap", &named[0], &named[1]], 0);
    assert!(out.contains("\na,") && out.contains("\nb,"), "{out}");
}

#[test]
fn folders_without_tables_are_refused() {
    let table = "key,response,count\na,b,1\n";
    for (name, files, expected) in [
        (
            "counts-parquet",
            [("part-0.csv", table), ("part-1.parquet", "PAR1 and more")],
            "part-1.parquet: this Parquet file cannot be read as a table of counts",
        ),
        (
            "counts-divided",
            [("document=d1/part-0.csv", table), ("_SUCCESS", "")],
            "document=d1: this is a directory in a folder of tables of counts",
        ),
        (
            "counts-unwritten",
            [("_temporary/part-0.csv", table), (".part-0.csv.crc", "")],
            "counts-unwritten: this directory contains no table of counts",
        ),
    ] {
        let written = folder(name, files);
        for args in [&["merge", &written][..], &["score", "--overlap", &written]] {
            let (_, error) = run(args, 1);
            assert!(error.contains(expected), "{error}");
        }
    }
}

/// The signature of a profile names only the changes that apply after matching: it gives the same scores again, and
/// names no unused setting.
#[test]
fn a_signature_of_counts_names_only_settings_that_affect_counts() {
    let table = "examples/counts/part1.csv";
    let own = concat!("corefeval:", env!("CARGO_PKG_VERSION"), "|profile:conll|format:overlap");
    for (profile, more, expected) in [
        ("conll", "", None),
        ("coval", "", Some("from the profile coval, duplicates:last-sets place:sentence have no effect")),
        ("e2e", "|ceaf-singletons:key-only", Some("from the profile e2e, duplicates:last has no effect")),
        ("corefud", "|singletons:drop|blanc:either", Some("from the profile corefud, match:head")),
    ] {
        let args = ["score", "--overlap", table, "-m", "ceaf_e,blanc"];
        let (out, err) = run(&[&args[..], &["--profile", profile]].concat(), 0);
        let signature = format!("{own}{more}");
        assert!(out.ends_with(&format!("{signature}\n")), "{out}");
        assert!(expected.map_or(err.is_empty(), |expected| err.contains(expected)), "{err}");
        assert_eq!(run(&[&args[..], &["--settings", &signature]].concat(), 0).0, out);
    }
}
