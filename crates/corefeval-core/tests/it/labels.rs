//! Large tables of labels, which are counted without storing rows, have the same results, findings and errors as the
//! same bytes read as an ordinary table.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request};
use corefeval_core::groups::By;
use corefeval_core::results::Report;
use corefeval_core::settings::OPTIONS;

use crate::validation::Random;

/// The rows of a table.
const ROWS: u64 = 2_500;

/// An ignored cell, long enough to make a table of [`ROWS`] rows large.
const NOTE: &str = "a note of no interest to anyone that only takes up space ";

/// The request to run on the tables.
struct Choices<'a> {
    metrics: &'a str,
    /// An option and its value.
    option: Option<(&'a str, &'a str)>,
}

/// Returns the contents of a report, in full precision, or the error.
fn shown(inputs: Inputs, choices: &Choices<'_>, threads: usize) -> String {
    let request = Request::new(inputs).metrics(choices.metrics).unwrap().threads(threads);
    let chosen = match choices.option {
        Some(("ceaf-bound", value)) => request.ceaf_bound(value),
        Some(("by", name)) => By::named(name).map(|by| request.by(by)),
        Some((name, value)) => request.choose(name, value),
        None => Ok(request),
    };
    let shown = |report: Report| {
        let mut text = format!("{} {:?}\n", report.format, report.settings);
        for system in &report.systems {
            let (name, sizes, mentions) = (&system.name, &system.sizes, system.mentions.to_real());
            let _ = writeln!(text, "{name} {} {} {sizes:?} {mentions:?}", system.key, system.response);
            for result in &system.results {
                let counts =
                    result.tally.as_ref().map(|tally| [tally.first.to_real(), tally.second.to_real()]);
                let _ = writeln!(text, "{} {:?} {counts:?}", result.metric, result.score);
            }
            for row in system.documents.iter() {
                let scores: Vec<_> = row.results.iter().map(|result| result.score).collect();
                let _ = writeln!(text, "{} {:?} {scores:?}", row.id, row.labels);
            }
        }
        for group in report.diagnostics.groups() {
            let _ = writeln!(text, "{:?}", group);
        }
        text
    };
    match chosen.and_then(Evaluation::new).and_then(|evaluation| evaluation.score()) {
        Ok(report) => shown(report),
        Err(error) => format!("error: {error}"),
    }
}

struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Files {
        let folder = std::env::temp_dir().join(format!("corefeval-labels-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Files(folder)
    }

    /// Compares tables in files with the same bytes in memory, whose rows are all stored. Returns the common contents.
    fn check(&self, what: &str, tables: &[Vec<u8>], metrics: &str) -> String {
        self.check_with(what, tables, &Choices { metrics, option: None })
    }

    fn check_with(&self, what: &str, tables: &[Vec<u8>], choices: &Choices<'_>) -> String {
        assert!(tables.iter().map(Vec::len).sum::<usize>() > 1 << 20, "{what}: small tables");
        let names: Vec<String> = (0..tables.len())
            .map(|place| self.0.join(format!("table-{place}.csv")).display().to_string())
            .collect();
        names.iter().zip(tables).for_each(|(name, bytes)| fs::write(name, bytes).unwrap());
        let inputs = |open: &dyn Fn(usize) -> NamedInput| Inputs::OneKey {
            key: open(0),
            responses: (1..names.len()).map(open).collect(),
        };
        let kept = shown(inputs(&|place| NamedInput::of_bytes(&names[place], &tables[place])), choices, 2);
        for threads in [1, 3] {
            let counted = shown(inputs(&|place| NamedInput::open(&names[place]).unwrap()), choices, threads);
            assert_eq!(counted, kept, "{what}, {threads} threads");
        }
        kept
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes the labels of both sides: many small entities, some large ones, and mentions that one side lacks.
fn labels(random: &mut Random, name: impl Fn(u64) -> String) -> [Vec<[String; 2]>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for row in 0..ROWS {
        let number = row.wrapping_mul(2_654_435_761) % (1 << 32);
        let entity = match random.below(20) {
            0 => random.below(3) as u64,
            _ => random.below(ROWS as usize / 3) as u64,
        };
        let other = if random.below(4) == 0 { random.below(ROWS as usize / 3) as u64 } else { entity };
        if random.below(12) > 0 {
            sides[0].push([name(number), format!("e{entity}")]);
        }
        if random.below(12) > 0 {
            sides[1].push([name(number), format!("an entity of a long name {}", other / 2)]);
        }
    }
    sides
}

fn text(rows: &[[String; 2]], head: &str, row: impl Fn(&[String; 2]) -> String) -> Vec<u8> {
    let mut text = head.to_owned();
    rows.iter().for_each(|cells| text += &row(cells));
    text.into_bytes()
}

fn plain(rows: &[[String; 2]]) -> Vec<u8> {
    let note = NOTE.repeat(9);
    text(rows, "mention,entity,note\n", |[mention, entity]| format!("{mention},{entity},{note}\n"))
}

const METRICS: &str =
    "mentions,muc,b_cubed,ceaf_m,ceaf_e,ceaf_1,ceaf_2,blanc,lea,pairwise,rand,adjusted_rand,conll";

/// Metrics that do not pair entities: pairing is slow without optimisation.
const FEW: &str = "mentions,muc,b_cubed,blanc";

#[test]
fn large_tables_have_the_scores_of_their_rows() {
    let mut random = Random(1);
    let files = Files::new("scores");
    let names: [&dyn Fn(u64) -> String; 3] = [
        &|number| number.to_string(),
        &|number| format!("a record of many bytes: {number:015}"),
        // Short and long names occur in one table.
        &|number| "ß".repeat(number as usize % 9 + 1) + &format!("{number:x}"),
    ];
    for (kind, name) in names.into_iter().enumerate() {
        let [key, response] = labels(&mut random, name);
        let report = files.check(&format!("names {kind}"), &[plain(&key), plain(&response)], METRICS);
        assert!(report.contains("ceaf_e"), "{report}");
        // One of several responses is the key.
        let mut other = response.clone();
        other.reverse();
        let tables = [plain(&key), plain(&response), plain(&key), plain(&other)];
        files.check(&format!("responses {kind}"), &tables, "all");
    }
}

/// The form of a table: its peculiarity, its first line, and the layout of a row of mention and entity.
type Form<'f> = (&'f str, &'f str, &'f dyn Fn(&[String; 2]) -> String);

#[test]
fn large_tables_are_read_in_all_their_forms() {
    let mut random = Random(2);
    let files = Files::new("forms");
    let [key, response] = labels(&mut random, |number| format!("m{number}"));
    let response = plain(&response);
    let forms: [Form<'_>; 11] = [
        ("other columns", "score;cluster_id;x;id\n", &|[a, b]| format!("1.5;{b};;{a}\n")),
        ("no names of columns", "", &|[a, b]| format!("{a}\t{b}\n")),
        ("lines of Windows", "mention,entity\r\n", &|[a, b]| format!("{a},{b}\r\n")),
        ("blanks around cells", "mention , entity\n", &|[a, b]| format!(" {a}\t, {b} \n")),
        ("blank lines", "\n \nmention,entity\n", &|[a, b]| format!("{a},{b}\n \n\n")),
        ("a mark at the beginning", "\u{FEFF}mention,entity\n", &|[a, b]| format!("{a},{b}\n")),
        ("quotes", "\"mention\",\"entity\"\r\n", &|[a, b]| format!("\"{a}\",\"{b}\"\r\n")),
        ("quotes and blanks", "mention,entity\n", &|[a, b]| format!("\"{a}\" ,\"{b},\"\"\" \t\n")),
        ("line breaks in cells", "mention,entity,note\n", &|[a, b]| format!("{a},{b},\"\n\"\n")),
        ("documents", "document,mention,entity\n", &|[a, b]| format!("d,{a},{b}\n")),
        ("two names of a column", "mention,entity,cluster\n", &|[a, b]| format!("{a},{b},x\n")),
    ];
    for (what, head, row) in forms {
        files.check(what, &[text(&key, head, row), response.clone()], FEW);
    }
    let mut cut = plain(&key);
    cut.pop();
    files.check("no line end", &[cut, response.clone()], FEW);
    let mut long = key.clone();
    long[7][0] = "x".repeat(1000);
    files.check("a long name", &[plain(&long), response.clone()], FEW);
    let columns: String = (0..40_000).map(|column| format!("column{column},")).collect();
    let wide = text(&key[..100], &format!("{columns}mention,entity\n"), |[a, b]| {
        format!("{}{a},{b}\n", ",".repeat(40_000))
    });
    files.check("long lines", &[wide, response], FEW);
}

#[test]
fn findings_and_errors_of_large_tables_have_their_places() {
    let mut random = Random(3);
    let files = Files::new("errors");
    let [key, response] = labels(&mut random, |number| format!("m{number}"));
    let rows = |change: &dyn Fn(&mut Vec<[String; 2]>)| {
        let mut rows = key.clone();
        change(&mut rows);
        plain(&rows)
    };
    let after = |bytes: &[u8]| {
        let mut table = plain(&key);
        let middle = table.len() / 2;
        let end = middle + table[middle..].iter().position(|&byte| byte == b'\n').unwrap() + 1;
        table.splice(end..end, bytes.iter().copied());
        table
    };
    let twice = |rows: &mut Vec<[String; 2]>| rows.push([key[9][0].clone(), "e1".to_owned()]);
    let tables: [(&str, Vec<u8>, &str); 16] = [
        ("a mention in two entities", rows(&twice), "DuplicateMention"),
        ("a row twice", rows(&|rows| rows.push(key[3].clone())), "DuplicateMention"),
        ("no entity", after(b"m1,,\n"), ": the mention `m1` has no entity"),
        ("no mention", after(b",e1,\n"), "names no mention"),
        ("an entity of databases", after(b"m1,\\N,\n"), ": the mention `m1` has no entity: `\\N` stands for"),
        ("a mention of databases", after(b"\\N,e1,\n"), "names no mention: `\\N` stands for"),
        ("a word for a missing entity", after(b"m0,NaN,\nm00,NaN,\n"), "MissingWord"),
        ("a cell more", after(b"a,b,c,d\n"), "has 4 cells"),
        ("a cell less", after(b"a\n"), "has 1 cell"),
        ("an open quote", after(b"\"a,b\n"), ":1: a cell opens here with a quote that does not close"),
        ("an open quote before others", after(b"a,\"b,c\n\"d\",e,f\n"), ":3: a cell opens here with a quote"),
        ("a quote that joins lines", after(b"\"a,b,c\nd,e\",f,g,h\n"), "closes in line"),
        ("text after a quote", after(b"\"a\"b,c,d\n"), ":4: text follows the closing quote"),
        ("a quote after a quote", after(b"\"a\" \"b\",c,d\n"), ":5: text follows the closing quote"),
        ("bytes that are not text", after(b"\xFF,b,\n"), "UTF-8"),
        ("a byte of 0", after(b"a\0b,c,\n"), ""),
    ];
    let other = plain(&response);
    for (what, table, expected) in tables {
        let shown = files.check(what, &[table.clone(), other.clone()], FEW);
        assert!(shown.contains(expected), "{what}: {shown}");
        let shown = files.check(what, &[other.clone(), table], FEW);
        assert!(shown.contains(expected), "{what} in the response: {shown}");
    }
    let apart = plain(&response.iter().map(|[a, b]| [format!("x{a}"), b.clone()]).collect::<Vec<_>>());
    let shown = files.check("nothing in common", &[plain(&key), apart], FEW);
    assert!(shown.contains("NothingShared"), "{shown}");
}

/// Returns the document of a mention, if there are `count` documents.
fn document_of(mention: &str, count: usize) -> usize {
    mention.bytes().fold(7, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000_003) % count
}

/// Makes a random table of one of many kinds, with a few unusual rows. The table has a column of documents if their
/// number is above 0.
fn any_table(random: &mut Random, rows: &[[String; 2]], documents: usize) -> Vec<u8> {
    fn one<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
        of[random.below(of.len())]
    }
    let cell = one(random, &[",", ";", "\t"]);
    let end = one(random, &["\n", "\n", "\r\n"]);
    let (quotes, all_quoted) = (random.below(4) == 0, random.below(4) == 0);
    let unusual = [0, 0, 300, 3_000][random.below(4)];
    let mut table = String::new();
    if random.below(8) == 0 {
        table.push('\u{FEFF}');
    }
    let _ = match documents {
        0 => write!(table, "id{cell}label{cell}note{end}"),
        _ => write!(table, "doc_id{cell}id{cell}label{cell}note{end}"),
    };
    let note = "x".repeat(random.below(900) + 200);
    for (place, [mention, entity]) in rows.iter().enumerate() {
        let mut mention = mention.clone();
        if documents > 0 {
            let document = document_of(&mention, documents);
            let is_empty = unusual > 0 && random.below(20 * unusual) == 0;
            let _ = write!(table, "{}{cell}", if is_empty { String::new() } else { format!("d{document}") });
        }
        if unusual > 0 && random.below(unusual) == 0 {
            match random.below(8) {
                0 => mention.clone_from(&rows[random.below(place + 1)][0]),
                1 => mention = format!("\"{mention}\""),
                2 => mention = format!("  {mention}\t").replace(cell, " "),
                3 => mention += "é ü",
                4 => table += end,
                5 => mention = format!("\"{mention}\n\""),
                6 => mention = format!("\"{mention}\"{}", one(random, &[" ", "x", "\"y"])),
                _ => mention.clear(),
            }
        } else if quotes && random.below(20) == 0 {
            mention = format!("\"{mention}{cell}\"\"x\"");
        } else if all_quoted {
            mention = format!("\"{mention}\"");
        }
        let _ = write!(table, "{mention}{cell}{entity}{cell}{note}{end}");
    }
    table.into_bytes()
}

#[test]
fn tables_of_any_kind_have_the_same_results() {
    let mut random = Random(4);
    let files = Files::new("any");
    let mut scored = 0;
    for case in 0..60 {
        let sides = labels(&mut random, |number| format!("m{number}"));
        let rows = ROWS as usize / 2 + random.below(900);
        let documents = [0, 0, 1, 3, 100][random.below(5)];
        let tables = sides.map(|side| {
            let documents = if random.below(10) == 0 { random.below(4) } else { documents };
            any_table(&mut random, &side[..rows], documents)
        });
        if tables.iter().map(Vec::len).sum::<usize>() > 1 << 20 {
            let shown = files.check(&format!("case {case}"), &tables, FEW);
            scored += usize::from(!shown.starts_with("error"));
        }
    }
    assert!(scored > 20, "{scored}");
}

/// Makes a table of several documents. `name` returns the name of a document, or `None` to omit its rows.
fn of_documents(rows: &[[String; 2]], count: usize, name: impl Fn(usize) -> Option<String>) -> Vec<u8> {
    let note = NOTE.repeat(9);
    text(rows, "document,mention,entity,note\n", |[mention, entity]| {
        let document = document_of(mention, count);
        let row = |name| format!("{name},{},{entity} of {},{note}\n", &mention[1..], document % 3);
        name(document).map(row).unwrap_or_default()
    })
}

#[test]
fn large_tables_of_several_documents_have_the_scores_of_their_rows() {
    let mut random = Random(6);
    let files = Files::new("documents");
    let [key, mut response] = labels(&mut random, |number| format!("m{number}"));
    response.reverse();
    let named = |document: usize| Some(format!("the document {document}"));
    for count in [1, 2, 30, 1_500] {
        let usual = of_documents(&key, count, named);
        let [few, more, other, files_of]: [&dyn Fn(usize) -> Option<String>; 4] = [
            &|document| named(document).filter(|_| document % 4 != 3),
            &|document| if document % 5 == 4 { Some(format!("x{document}")) } else { named(document) },
            &|document| Some(format!("y{document}")),
            &|document| Some(format!("folder/the document {document}")),
        ];
        let same: &dyn Fn(usize) -> Option<String> = &named;
        let cases = [
            ("the same", same),
            ("missing", few),
            ("other names for some", more),
            ("other names", other),
            ("paths", files_of),
        ];
        for (what, name) in cases {
            let what = format!("{count} documents, {what}");
            let theirs = of_documents(&response, count, name);
            files.check(&what, &[usual.clone(), theirs.clone()], METRICS);
            files.check(&format!("{what}, in the key"), &[theirs.clone(), usual.clone()], FEW);
            files.check(
                &format!("{what}, two responses"),
                &[usual.clone(), usual.clone(), theirs.clone()],
                FEW,
            );
            let options = [
                ("singletons", "drop"),
                ("average", "macro"),
                ("missing-documents", "skip"),
                ("by", "document"),
            ];
            for option in options {
                let choices = Choices { metrics: METRICS, option: Some(option) };
                let what = format!("{what}, {} {}", option.0, option.1);
                files.check_with(&what, &[usual.clone(), theirs.clone()], &choices);
            }
        }
        let mixed = [usual.clone(), plain(&response)];
        files.check(&format!("{count} documents and no documents"), &mixed, FEW);
        let unnamed = [usual, b",a,b,\n".to_vec()].concat();
        let shown =
            files.check(&format!("{count} documents and an empty cell"), &[unnamed, mixed[1].clone()], FEW);
        assert!(shown.contains(":1: this row names no document"), "{shown}");
    }
}

#[test]
fn mentions_of_large_tables_are_distinct_within_their_document() {
    let mut random = Random(7);
    let files = Files::new("repeated");
    let [key, response] = labels(&mut random, |number| format!("m{number}"));
    let named = |document: usize| Some(format!("d{document}"));
    let other = of_documents(&response, 20, named);
    let with = |row: &str| [of_documents(&key, 20, named), row.as_bytes().to_vec()].concat();
    let first = &key[0][0];
    let document = document_of(first, 20);
    let again =
        files.check("twice", &[with(&format!("d{document},{},e,\n", &first[1..])), other.clone()], FEW);
    assert!(again.contains("DuplicateMention"), "{again}");
    let elsewhere = format!("d{},{},e,\n", (document + 1) % 20, &first[1..]);
    let shown = files.check("in two documents", &[with(&elsewhere), other], FEW);
    assert!(!shown.contains("DuplicateMention"), "{shown}");
}

/// Each value of each option, on tables without other findings.
#[test]
fn large_tables_follow_all_options() {
    let mut random = Random(5);
    let files = Files::new("options");
    let sides = labels(&mut random, |number| format!("m{number}"));
    let note = NOTE.repeat(60);
    let one_document = sides
        .each_ref()
        .map(|rows| text(&rows[..300], "mention,entity,note\n", |[a, b]| format!("{a},{b},{note}\n")));
    let several = sides.each_ref().map(|rows| {
        text(&rows[..300], "document,mention,entity,note\n", |[a, b]| {
            format!("d{},{a},\"{b}\",{note}\n", document_of(a, 12))
        })
    });
    for (what, tables) in [("one document", one_document), ("several documents", several)] {
        let plain = files.check(what, &tables, METRICS);
        let mut others = 0;
        for option in OPTIONS {
            for value in option.ids() {
                let choices = Choices { metrics: METRICS, option: Some((option.name, value)) };
                let shown = files.check_with(&format!("{what}, {} {value}", option.name), &tables, &choices);
                others += usize::from(shown != plain);
            }
        }
        assert!(others > OPTIONS.len(), "{others}");
        let choices = Choices { metrics: "ceaf_m,ceaf_e", option: Some(("ceaf-bound", "0.02")) };
        files.check_with(&format!("{what}, ceaf-bound"), &tables, &choices);
    }
}
