//! First use in a terminal: the presentation of scores, their destination, and alternative names of options.

use std::fs;
use std::process::Command;

use crate::common::{command, file, golden, golden_outputs, place, root, run};

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";
const BIRCH: &str = "examples/birch.conll";
const CEDAR: &str = "examples/cedar.conll";

/// Returns the table of a report, without the text after it.
fn table(args: &[&str]) -> String {
    let (out, _) = run(&[&["score"], args].concat(), 0);
    out.split("\n\n").next().unwrap_or_default().to_owned()
}

#[test]
fn several_systems_are_one_table_with_the_requested_columns() {
    let systems = [KEY, ALDER, BIRCH];
    let score = |more: &[&str]| run(&[&["score", "-m", "muc,b_cubed,conll"], more, &systems].concat(), 0).0;
    golden("table-columns.txt", &score(&["--columns", "rpf"]));
    golden("table-details.txt", &score(&["--details"]));
    golden("table-digits.txt", &score(&["--digits", "1", "--columns", "f"]));
    golden("latex-columns.txt", &score(&["-o", "latex", "--columns", "pf", "--digits", "1"]));
    // By default a table has as many columns as fit a page.
    let heads =
        table(&systems).lines().next().map(|line| line.split("  ").filter(|head| !head.is_empty()).count());
    assert_eq!(heads, Some(9));
    // Systems are named after their files. Equal names are extended by as much of the path as distinguishes them.
    let again = file("alder.jsonl", run(&["convert", ALDER, "-o", "jsonlines"], 0).0);
    assert!(table(&[KEY, ALDER, &again]).contains("\nalder  "));
    let (_, err) = run(&["score", "--columns", "x", KEY, ALDER], 2);
    assert!(err.contains("`x` is not a list of score columns") && err.contains("--columns rpf"), "{err}");
}

#[test]
fn groups_have_recall_and_precision_and_are_crossed() {
    let crossed = ["score", "-m", "muc,conll", "--by", "document,entity-size", KEY];
    golden("table-by-crossed.txt", &run(&[&crossed[..], &[ALDER]].concat(), 0).0);
    golden("csv-by-crossed.txt", &run(&[&crossed[..], &["-o", "csv", ALDER]].concat(), 0).0);
    golden("json-by-crossed.txt", &run(&[&crossed[..], &["-o", "json", ALDER]].concat(), 0).0);
    golden(
        "table-by-crossed-two.txt",
        &run(&[&crossed[..], &["--columns", "rpf", ALDER, CEDAR]].concat(), 0).0,
    );
    // Typed individually, they have the same names.
    let typed = ["score", "-m", "muc,conll", "--by", "document", "--by", "entity-size", KEY, ALDER];
    assert_eq!(run(&typed, 0).0, run(&[&crossed[..], &[ALDER]].concat(), 0).0);
    for (by, expected) in [
        ("document,document", "--by names `document` twice"),
        ("document,length,genre", "--by crosses at most 2 groupings"),
        ("documents", "did you mean `document`?"),
    ] {
        let (_, err) = run(&["score", "--by", by, KEY, ALDER], 2);
        assert!(err.contains(expected), "{err}");
    }
}

/// The counts of groups add up: the mentions of all crossed groups are those of the corpus.
#[test]
fn crossed_groups_add_up() {
    let args = ["score", "-o", "json", "-m", "mentions,lea", "--by", "document,entity-size", KEY, ALDER];
    let report: serde_json::Value = serde_json::from_str(&run(&args, 0).0).expect("the report is JSON");
    let system = &report["systems"][0];
    for metric in ["mentions", "lea"] {
        for count in ["recall_num", "recall_den", "precision_num", "precision_den"] {
            let groups = system["groups"].as_array().expect("groups").iter();
            let sum: f64 =
                groups.map(|group| group["metrics"][metric][count].as_f64().expect("a count")).sum();
            let whole = system["metrics"][metric][count].as_f64().expect("a count");
            assert!((sum - whole).abs() < 1e-9, "{metric} {count}: {sum} {whole}");
        }
    }
}

#[test]
fn metrics_add_up_and_are_left_out() {
    let metrics = |args: &[&str]| -> Vec<String> {
        let table = table(&[args, &[KEY, ALDER]].concat());
        table.lines().skip(1).filter_map(|line| line.split("  ").next()).map(str::to_owned).collect()
    };
    assert_eq!(metrics(&["-m", "muc", "-m", "LEA"]), ["MUC", "LEA"]);
    assert_eq!(metrics(&["-m", "B³,CEAFe", "-m", "BCUB"]), ["B³", "CEAF φ4"]);
    for name in ["b3", "B3", "bcub", "bcubed", "B³", "b_cubed"] {
        assert_eq!(metrics(&["-m", name]), ["B³"], "{name}");
    }
    assert_eq!(metrics(&["-m", "ceafm,ceafe"]), ["CEAF φ3", "CEAF φ4"]);
    let all = metrics(&["-m", "all"]);
    let fewer = metrics(&["-m", "all,-rand,-ari"]);
    assert_eq!(all.len() - fewer.len(), 2);
    assert!(!fewer.iter().any(|metric| metric.contains("Rand")), "{fewer:?}");
    // A list that only excludes metrics starts from the profile's metrics.
    assert_eq!(metrics(&["-m", "-mentions,-ceafm,-b3"]), ["MUC", "CEAF φ4", "BLANC", "LEA", "CoNLL"]);
    let (_, err) = run(&["score", "-m", "muc,-muc", KEY, ALDER], 2);
    assert!(err.contains("--metrics leaves out every metric"), "{err}");
    let (_, err) = run(&["score", "-m", "ceaf", KEY, ALDER], 2);
    assert!(err.contains("`ceaf` names more than one metric") && err.contains("ceaf_m"), "{err}");
}

#[test]
fn a_file_gets_the_output_of_its_extension_whole_or_not_at_all() {
    let folder = place("destination");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let path = |name: &str| folder.join(name).display().to_string();
    for (name, output) in
        [("s.json", "json"), ("s.tex", "latex"), ("s.md", "markdown"), ("s.csv", "csv"), ("s.txt", "table")]
    {
        let (out, _) = run(&["score", "-o", &path(name), KEY, ALDER], 0);
        assert_eq!(out, "");
        let (wanted, _) = run(&["score", "-o", output, KEY, ALDER], 0);
        assert_eq!(fs::read_to_string(path(name)).expect("the file is written"), wanted, "{name}");
    }
    // A failure leaves the file unchanged and creates no other.
    let before = fs::read(path("s.json")).expect("the file exists");
    run(&["score", "-o", &path("s.json"), "--strict", KEY, BIRCH], 1);
    assert_eq!(fs::read(path("s.json")).expect("the file exists"), before);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 5);
    for (subcommand, more) in [
        ("compare", &["--resamples", "20"][..]),
        ("agree", &["--resamples", "20"]),
        ("probe", &[]),
        ("cone", &[]),
    ] {
        let name = path(&format!("{subcommand}.csv"));
        let args = [&[subcommand, "-o", &name], more, &[KEY, ALDER]].concat();
        assert_eq!(run(&args, 0).0, "");
        assert!(fs::read_to_string(&name).is_ok_and(|text| text.lines().count() > 1), "{subcommand}");
    }
    run(&["list", "metrics", "-o", &path("metrics.json")], 0);
    run(&["man", "score", "-o", &path("score.1")], 0);
    run(&["completions", "bash", "-o", &path("corefeval.bash")], 0);
    assert!(fs::read_to_string(path("score.1")).is_ok_and(|page| page.contains(".TH")));
    assert!(fs::read_to_string(path("corefeval.bash")).is_ok_and(|script| script.contains("corefeval")));
    run(&["report", KEY, ALDER, "-o", &path("page.html"), "--resamples", "20"], 0);
    run(&["convert", KEY, "-o", &path("key.conllu")], 0);
    assert!(fs::read_to_string(path("key.conllu")).is_ok_and(|text| text.contains("# global.Entity")));
    for (output, expected) in [
        ("jsn", "did you mean `json`?"),
        ("scores.doc", "`scores.doc`: no output has the extension `.doc`"),
        ("scores.json.gz", "would not be compressed"),
        ("/no/such/folder/scores.json", "name a file in a folder that exists"),
    ] {
        let output =
            command().args(["score", "-o", output, KEY, ALDER]).output().expect("the command starts");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && err.contains(expected), "{err}");
    }
    for (output, told) in
        [("out", "add --to FORMAT; see"), ("a.conlu", "did you mean `conllu`? otherwise add --to FORMAT")]
    {
        let output = command().args(["convert", KEY, "-o", output]).output().expect("the command starts");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && err.contains(told) && err.len() < 200, "{err}");
    }
    // Inputs are not replaced.
    let copy = file("read.csv", run(&["convert", KEY, "--to", "table"], 0).0);
    let (_, err) = run(&["score", "-o", &copy, &copy, &copy], 2);
    assert!(err.contains("this file is an input and would be replaced"), "{err}");
}

#[test]
fn a_file_without_any_mention_is_an_error() {
    let text = fs::read_to_string(root().join(ALDER)).expect("the example");
    let bare: String = text
        .lines()
        .map(|line| match line.rsplit_once('\t') {
            Some((words, _)) if !line.starts_with('#') => format!("{words}\t-\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let bare = file("bare.conll", bare);
    // The message names the file, which need not be a key or a response.
    let expected = format!("{bare}: none of its 3 documents has a mention");
    for line in [&["stats", &bare][..], &["convert", &bare, "--to", "jsonlines"], &["agree", KEY, &bare]] {
        let (_, err) = run(line, 1);
        assert!(err.contains(&expected), "{err}");
    }
    for (key, response) in [(KEY, bare.as_str()), (bare.as_str(), ALDER)] {
        let (_, err) = run(&["score", key, response], 1);
        assert!(err.contains(&expected) && err.contains("--allow-empty"), "{err}");
        let (out, _) = run(&["score", "--allow-empty", key, response], 0);
        assert!(out.contains(" 0 mentions, 0 entities, 0 singletons"), "{out}");
    }
    // Without the coreference column, another column is the last: `(ARG1*`, `(V*)`, `*`.
    let words = text.lines().map(|line| match line.starts_with('#') {
        true => format!("{line}\n"),
        false => line.rsplit_once('\t').map_or(String::from("\n"), |(words, _)| format!("{words}\n")),
    });
    let words = file("no-column.conll", words.collect::<String>());
    let (_, err) = run(&["score", KEY, &words], 1);
    let expected = format!("{words}:20:49: no coreference column: the last column has `");
    assert!(err.contains(&expected) && err.contains("--allow-empty"), "{err}");
    run(&["score", "--allow-empty", KEY, &words], 0);
    // One of several systems is left out on request.
    let compare = ["compare", "--resamples", "20", KEY, ALDER, &bare];
    run(&compare, 1);
    let (out, err) = run(&[&compare[..], &["--skip-broken"]].concat(), 0);
    assert!(out.contains("bare was left out") || err.contains("was left out"), "{out}{err}");
}

#[test]
fn list_without_a_name_lists_the_tables_and_names_select_entries() {
    golden("list.txt", &run(&["list"], 0).0);
    let (page, _) = run(&["list", "metrics", "MUC"], 0);
    assert!(page.starts_with("# MUC\n") && page.contains("## Edge cases"), "{page}");
    let (entry, _) = run(&["list", "options", "singletons"], 0);
    assert!(
        entry.starts_with("--singletons") && entry.contains("  keep") && !entry.contains("--zeros"),
        "{entry}"
    );
    let (_, err) = run(&["list", "formats", "corefu"], 2);
    assert!(err.contains("did you mean `corefud`?"), "{err}");
    let (_, err) = run(&["score", "-o", "jsonl", KEY, ALDER], 2);
    assert!(err.contains("did you mean `jsonlines`?"), "{err}");
    let (manual, _) = run(&["man", "score"], 0);
    let title = format!(".TH corefeval-score 1  \"corefeval {}\"", env!("CARGO_PKG_VERSION"));
    assert!(manual.contains(&title) && manual.contains("allow"), "{manual}");
    let upper = run(&["score", "-o", "JSON", KEY, ALDER], 0).0;
    assert_eq!(upper, run(&["score", "-o", "json", KEY, ALDER], 0).0);
    // A response named `key` is distinguished from the key.
    let (out, _) = run(&["score", "-q", KEY, &format!("key={ALDER}"), ALDER], 0);
    assert!(
        out.contains("\nkey: ") && out.contains("\nresponse key: ") && out.contains("\nalder: "),
        "{out}"
    );
    let (_, err) = run(&["compare", "--resamples", "20", KEY, ALDER], 0);
    assert!(err.contains("the system is scored on 3 documents [few-documents]"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once_and_for_one_side() {
    let folder = place("pipes");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let pipe = pipe.display().to_string();
    let (_, err) = run(&["score", &pipe, &pipe], 2);
    assert!(err.contains("this pipe can be read for one side only"), "{err}");
    let (_, err) = run(&["score", "-", "/dev/stdin"], 2);
    assert!(err.contains("standard input can be read for one side only"), "{err}");
    // Findings need the words of a response, which is not opened again.
    let other =
        fs::read_to_string(root().join(ALDER)).expect("the example").replacen("\tferry\t", "\tboat\t", 1);
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::write(pipe, other))
    };
    let (out, err) = run(&["score", "--check-tokens", "warn", KEY, &pipe], 0);
    assert!(out.contains("MUC") && err.contains("`boat`"), "{out}{err}");
    writer.join().expect("the writer ends").expect("the pipe takes it");
}

/// A page has room for eight columns: wider tables are split, unless columns are chosen.
#[test]
fn tables_of_a_page_have_eight_columns_at_most() {
    for (output, end) in [("latex", "\\\\"), ("markdown", " |")] {
        let args = ["score", "-m", "all", "-o", output, KEY, ALDER, BIRCH];
        let (out, _) = run(&args, 0);
        golden(&format!("all-metrics-{output}.txt"), &out);
        let heads: Vec<&str> = out.lines().filter(|line| line.contains("by system")).collect();
        assert_eq!(heads.len(), 2, "{out}");
        let row = |name: &str| out.lines().filter(|line| line.contains(name) && line.ends_with(end)).count();
        assert_eq!((row("alder"), row("birch")), (2, 2), "{out}");
        let (out, _) = run(&[&args[..], &["--columns", "f"]].concat(), 0);
        assert_eq!(out.matches("by system").count(), 1, "{out}");
        let (out, _) = run(&["score", "--by", "document", "-o", output, KEY, ALDER], 0);
        let widest =
            out.lines().map(|line| line.matches(if output == "latex" { " &" } else { " |" }).count());
        assert!(widest.max() <= Some(9), "{out}");
    }
}

/// Every subcommand has examples in its help, and all of them run.
#[test]
fn examples_in_the_help_run() {
    let folder = place("examples-of-help");
    fs::create_dir_all(&folder).expect("the folder can be made");
    #[cfg(unix)]
    std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).expect("a link can be made");
    let (help, _) = run(&["--help"], 0);
    let commands = help.split("Commands:\n").nth(1).expect("commands").split("\n\n").next().expect("a part");
    for subcommand in commands.lines().filter_map(|line| line.split_whitespace().next()) {
        if subcommand == "help" {
            continue;
        }
        let (help, _) = run(&[subcommand, "--help"], 0);
        let examples =
            help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{subcommand} has no examples"));
        let typed: Vec<&str> =
            examples.lines().filter_map(|line| line.trim().strip_prefix("corefeval ")).collect();
        assert!(!typed.is_empty(), "{subcommand}");
        for typed in typed.into_iter().filter(|_| cfg!(unix)) {
            let output = command().current_dir(&folder).args(typed.split(' ')).output().expect("it starts");
            assert!(output.status.success(), "{typed}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let (short, _) = run(&[subcommand, "-h"], 0);
        assert!(short.lines().count() <= 80 && !short.contains("Examples:"), "{subcommand}: {short}");
    }
}

#[test]
fn statistics_of_corpora_have_all_outputs() {
    for output in golden_outputs() {
        let args = ["stats", "-o", output, "--by", "document", KEY, &format!("b={BIRCH}")];
        golden(&format!("stats-{output}.txt"), &run(&args, 0).0);
    }
    // Zeros, discontinuous mentions and the counts before any setting drops something.
    let (out, _) = run(&["stats", "testdata/formats/corefud/discontinuous.conllu"], 0);
    golden("stats-discontinuous.txt", &out);
    let (_, err) = run(&["stats", "--by", "entity-size", KEY], 2);
    assert!(
        err.contains("statistics are computed for groups of documents")
            && err.contains("--by one of document"),
        "{err}"
    );
}

#[test]
fn undefined_statistics_are_a_dash_an_empty_cell_and_a_marked_zero() {
    let words = file(
        "stats-no-mentions.conllu",
        "# newdoc id = a\n# global.Entity = eid-etype-head-other\n1\tAda\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
    );
    let stats = |output| run(&["stats", "--allow-empty", "-o", output, &words], 0).0;
    let (table, csv, json) = (stats("table"), stats("csv"), stats("json"));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let corpus = &value["corpora"][0];
    for (id, name) in
        [("mentions_per_entity", "mentions per entity"), ("words_per_mention", "words per mention")]
    {
        let row = table.lines().find(|line| line.starts_with(name)).expect("a row");
        assert!(row.trim_end().ends_with('–'), "{table}");
        assert!(csv.contains(&format!(",{id},,\n")), "{csv}");
        assert_eq!((&corpus[id], &corpus["defined"][id]), (&0.0.into(), &false.into()), "{json}");
    }
    // A count of zero is defined.
    let row = table.lines().find(|line| line.starts_with("mentions ")).expect("a row");
    assert!(row.trim_end().ends_with('0') && csv.contains(",mentions,,0\n"), "{table}{csv}");
    assert_eq!(corpus["defined"].as_object().map(serde_json::Map::len), Some(2), "{json}");
    // Everything is defined where there are mentions.
    let key: serde_json::Value =
        serde_json::from_str(&run(&["stats", "--allow-empty", "-o", "json", KEY], 0).0).expect("JSON");
    assert!(key["corpora"][0].get("defined").is_none());
}

#[test]
fn each_pair_of_annotators_has_one_row() {
    let agree = |more: &[&str]| {
        let args = [&["agree", "-m", "muc,lea", "--resamples", "20", KEY, ALDER, BIRCH], more].concat();
        run(&args, 0).0
    };
    let rows = |out: &str| out.lines().filter(|line| line.contains(" → ")).count() - 1;
    let out = agree(&[]);
    assert_eq!(rows(&out), 3, "{out}");
    assert!(
        out.lines().any(|line| line.starts_with("key → alder") && line.contains("88.31   94.44   91.28")),
        "{out}"
    );
    assert!(agree(&["--columns", "f"]).starts_with("F1 by key → response"), "{out}");
}

#[test]
fn documents_pair_alone_in_order_or_by_id() {
    let document = |id: &str, chain: &str| {
        format!("#begin document ({id}); part 000\nAda\t({chain})\nshe\t({chain})\nit\t(9)\n#end document\n")
    };
    let one = file("one-a.conll", document("a", "1"));
    let other = file("one-b.conll", document("b", "2"));
    let score = |args: &[&str], status| run(&[&["score", "-m", "muc"], args].concat(), status);
    // A single document on each side is paired regardless of the ids, with a note.
    let (out, err) = score(&["-v", &one, &other], 0);
    assert!(out.contains("MUC     100.00") && err.contains("[paired-loosely]"), "{out}{err}");
    let (_, err) = score(&["--pair-documents", "id", &one, &other], 1);
    assert!(err.contains("no document in common"), "{err}");
    let two = |first: &str, second: &str| document(first, "1") + &document(second, "1");
    let key = file("two-ab.conll", two("a", "b"));
    let response = file("two-xy.conll", two("x", "y"));
    let (_, err) = score(&[&key, &response], 1);
    assert!(err.contains("--pair-documents order pairs them in order"), "{err}");
    let (out, _) = score(&["--pair-documents", "order", &key, &response], 0);
    assert!(out.contains("|pair-documents:order"), "{out}");
    let (_, err) = score(&["--pair-documents", "order", &key, &one], 1);
    assert!(err.contains("2 documents of the key cannot be paired in order with 1 of the response"), "{err}");
}

#[test]
fn directories_skip_other_files_and_read_included_ones() {
    let folder = place("corpus-folder");
    let put = |name: &str, text: &[u8]| {
        fs::create_dir_all(folder.join(name).parent().expect("a folder")).expect("the folder can be made");
        fs::write(folder.join(name), text).expect("the file can be written");
    };
    let document =
        |id: &str| format!("#begin document ({id}); part 000\nAda\t(1)\nshe\t(1)\n#end document\n");
    put("a.conll", document("a").as_bytes());
    put("sub/b.conll", document("b").as_bytes());
    for name in ["README", "README.md", "a.conll~", "#a.conll#", "train.log", "a.conll.bak", ".hidden"] {
        put(name, b"these are no annotations");
    }
    let folder = folder.display().to_string();
    let (out, err) = run(&["score", "-v", "-m", "muc", &folder, &folder], 0);
    assert!(out.contains("2 documents, 4 words") && err.contains("[file-skipped]"), "{out}{err}");
    let (out, err) = run(&["score", "-m", "muc", &folder, &folder], 0);
    assert!(out.contains("2 documents") && err.is_empty(), "{out}{err}");
    let included = |pattern: &str| run(&["score", "-m", "muc", "--include", pattern, &folder, &folder], 0).0;
    assert!(included("a.*").contains("1 document, 2 words"));
    assert!(included("sub/*").contains("1 document, 2 words"));
    let (_, err) = run(&["score", "--include", "*.jsonl", &folder, &folder], 1);
    assert!(err.contains("no file in this directory matches `*.jsonl`"), "{err}");
    let (_, err) = run(&["score", "--include", "[", &folder, &folder], 2);
    assert!(err.contains("is not a pattern for names"), "{err}");
    // A text that is not an annotation is an error that names the option to leave it out.
    put("notes.txt", b"Call the annotators on Monday.\n");
    let (_, err) = run(&["score", &folder, &folder], 1);
    assert!(err.contains("notes.txt:1: the first lines do not match any known format"), "{err}");
    assert!(err.contains("--include (such as \"*.conll\")") && err.contains("--format"), "{err}");
    assert!(included("*.conll").contains("2 documents"));
    fs::remove_file(std::path::Path::new(&folder).join("notes.txt")).expect("the file can be removed");
    // Two formats in one directory are an error that names both.
    put("c.jsonl", b"{\"doc_key\": \"c\", \"clusters\": [[[0, 0], [1, 1]]]}\n");
    let (_, err) = run(&["score", &folder, &folder], 1);
    assert!(err.contains("jsonlines") && err.contains("conll"), "{err}");
    assert!(err.contains("--include") && err.contains("--format"), "{err}");
}

#[test]
fn figures_are_drawn_in_three_formats_with_titles_and_sizes() {
    let folder = place("figures-look");
    let name = folder.display().to_string();
    let compare = |systems: &[&str], more: &[&str]| {
        let _ = fs::remove_dir_all(&folder);
        run(
            &[&["compare", "--resamples", "20", "-m", "muc,conll", "--figures", &name, KEY], systems, more]
                .concat(),
            0,
        );
        let files =
            fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        files.map(|file| file.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let files =
        compare(&[ALDER, BIRCH, CEDAR], &["--figure-title", "What \"it\" shows", "--figure-width", "16"]);
    for ending in ["svg", "png", "pdf"] {
        assert!(files.contains(&format!("profile.{ending}")), "{files:?}");
        // Unordered systems are not a series.
        assert!(!files.contains(&format!("series.{ending}")), "{files:?}");
    }
    let svg = fs::read_to_string(folder.join("profile.svg")).expect("a figure");
    assert!(svg.contains("What &quot;it&quot; shows") && svg.contains("width=\"605\""), "{svg}");
    assert!(svg.contains(">Systems by metric<"), "{svg}");
    let differences = files.iter().find(|name| name.starts_with("differences-") && name.ends_with(".svg"));
    let svg = fs::read_to_string(folder.join(differences.expect("a figure"))).expect("a figure");
    assert!(
        svg.contains(">What &quot;it&quot; shows<") && svg.contains("F1 by document, less that of alder"),
        "{svg}"
    );
    assert!(compare(&[ALDER, BIRCH, CEDAR], &["--series"]).contains(&"series.svg".to_owned()));
    let steps = [format!("step-1={CEDAR}"), format!("step-2={BIRCH}"), format!("step-10={ALDER}")];
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    assert!(compare(&steps, &[]).contains(&"series.pdf".to_owned()));
}

#[test]
fn other_span_ends_are_reported_and_set_for_one_side() {
    let document = |ends: [[u32; 2]; 4]| {
        let [a, b, c, d] = ends.map(|[first, last]| format!("[{first}, {last}]"));
        format!("{{\"doc_key\": \"x\", \"clusters\": [[{a}, {b}], [{c}, {d}]]}}\n")
    };
    let key = file("ends-key.jsonlines", document([[0, 1], [4, 4], [6, 8], [11, 11]]));
    let response = file("ends-response.jsonlines", document([[0, 2], [4, 5], [6, 9], [11, 12]]));
    let (_, err) = run(&["score", "-m", "muc", &key, &response], 0);
    assert!(err.contains("4 of 4 mentions of the response end one word later"), "{err}");
    assert!(err.contains("(--response-span-end exclusive) [span-ends]"), "{err}");
    // An error analysis would count all of them as span errors.
    let (_, err) = run(&["errors", &key, &response], 0);
    assert!(err.contains("(--response-span-end exclusive) [span-ends]"), "{err}");
    assert!(err.contains("[nothing-shared]"), "{err}");
    let (out, err) = run(&["score", "-m", "muc", "--response-span-end", "exclusive", &key, &response], 0);
    assert!(
        out.contains("MUC     100.00") && out.contains("|response-span-end:exclusive") && err.is_empty(),
        "{out}{err}"
    );
    let (_, err) = run(&["score", "-m", "muc", &response, &key], 0);
    assert!(err.contains("end one word earlier") && err.contains("(--key-span-end exclusive)"), "{err}");
    // The format of the side to which the option applies decides whether it has an effect.
    let key =
        file("ends-key.conll", "#begin document (x); part 000\na\t(1\nb\t1)\nc\t-\nd\t(1)\n#end document\n");
    let response = file(
        "ends-words.jsonlines",
        "{\"doc_key\": \"x\", \"clusters\": [[[0, 2], [3, 4]]], \"sentences\": [[\"a\", \"b\", \"c\", \"d\"]]}\n",
    );
    let (out, err) = run(&["score", "-m", "muc", "--response-span-end", "exclusive", &key, &response], 0);
    assert!(out.contains("MUC     100.00") && err.is_empty(), "{out}{err}");
    let (_, err) = run(&["score", "-m", "muc", "--key-span-end", "exclusive", &key, &key], 0);
    assert!(err.contains("`key-span-end:exclusive` has no effect on conll"), "{err}");
}

/// Signatures can be given again for formats whose id has a `+`, and for answers in several notations.
#[test]
fn signatures_of_several_formats_and_notations_are_read_back() {
    let ecb = "testdata/formats/ecb+/attributes.xml";
    let (out, _) = run(&["score", "-m", "muc", ecb, ecb], 0);
    assert!(out.contains("|format:ecb+\n"), "{out}");
    let signature =
        |out: &str| out.lines().find(|line| line.starts_with("corefeval:")).expect("a signature").to_owned();
    let (_, err) = run(&["score", "-m", "muc", "--settings", &signature(&out), ecb, ecb], 0);
    assert!(!err.contains("they were printed for"), "{err}");
    let texts = [
        ("link", "[Ines](#1) sold [her](#1) boat. [She](#1) misses it."),
        ("hash", "[Ines]#1 sold [her]#1 boat. [She]#1 misses it."),
        ("colon", "[Ines: 1] sold [her: 1] boat. [She: 1] misses it."),
    ];
    let files = texts.map(|(name, text)| file(&format!("notation-{name}.txt"), text));
    let args = |settings: &[&str]| {
        let mut args = vec!["score".to_owned(), "-m".to_owned(), "muc".to_owned()];
        args.extend(settings.iter().map(|word| (*word).to_owned()));
        args.push("examples/answers/key.conll".to_owned());
        args.extend(files.iter().cloned());
        args
    };
    let run_args = |args: &[String]| run(&args.iter().map(String::as_str).collect::<Vec<_>>(), 0).0;
    let out = run_args(&args(&[]));
    assert!(!out.contains("|notation:"), "{out}");
    assert_eq!(run_args(&args(&["--settings", &signature(&out)])), out);
}

#[test]
fn messages_name_formats_by_extension_and_systems_by_name() {
    run(&["convert", KEY, "--to", "corefud", "-o", &place("named.conllu").display().to_string()], 0);
    let path = place("named.conllu").display().to_string();
    let (out, _) = run(&["score", "-m", "muc", "--format", "conllu", &path, &path], 0);
    assert!(out.contains("|format:corefud"), "{out}");
    // Findings about one of several systems name it.
    let (_, err) = run(&["score", "-m", "lea", KEY, ALDER, BIRCH], 0);
    assert!(err.contains("warning: birch: the key has 34 singletons and the response has none"), "{err}");
    // No message suggests comparing places that cannot correspond.
    let longer = file(
        "longer-text.conll",
        fs::read_to_string(root().join(ALDER)).expect("the example").replacen(
            "#end",
            "x\t0\t0\tx\tx\tx\t-\t-\t-\t-\t*\t-\n#end",
            1,
        ),
    );
    let (_, err) = run(&["score", KEY, &longer], 1);
    assert!(err.contains("would compare places that cannot correspond"), "{err}");
}

/// Every report on texts counts its documents, words, mentions, entities and singletons below its first tables.
#[test]
fn every_report_has_its_counts() {
    let [key, oak, elm, pine] =
        ["key", "oak", "elm", "pine"].map(|name| format!("examples/voyages/{name}.conll"));
    let [key, oak, elm, pine] = [&key, &oak, &elm, &pine].map(String::as_str);
    let annotated = "examples/names/annotated.conll";
    let names = "examples/key.conll";
    let reports: &[&[&str]] = &[
        &["score", KEY, ALDER],
        &["score", KEY, ALDER, BIRCH],
        &["score", "--average", "macro", KEY, ALDER],
        &["score", "--pair-files", "examples/pairs/key", "examples/pairs/alder"],
        &["score", "--overlap", "examples/counts/part1.csv"],
        &["compare", key, oak, elm],
        &["agree", KEY, ALDER, BIRCH],
        &["correlate", "--x", "muc", "--y", "lea", key, oak, elm, pine],
        &["cone", KEY, ALDER],
        &["cone", "--correlate", key, oak, elm],
        &["cone", "--key-approximate", "--annotated", annotated, names],
        &["probe", KEY, ALDER],
        &["errors", KEY, ALDER],
        &["errors", KEY, ALDER, BIRCH],
        &["explain", KEY, ALDER],
        &["explain", "--profiles", "conll,conll|singletons:drop", KEY, ALDER],
        &["stats", KEY],
    ];
    for report in reports {
        let markdown = [*report, &["-o", "markdown"]].concat();
        for args in [*report, &markdown[..]] {
            let (out, _) = run(args, 0);
            let parts = ["documents", "mentions", "entities", "singletons"];
            let counts = |line: &str| {
                line.contains(" mentions, ") && line.contains("document") && line.contains(" singleton")
            };
            let in_rows = || parts.iter().all(|part| out.contains(&format!("{part} ")));
            assert!(out.lines().any(counts) || (args[0] == "stats" && in_rows()), "{args:?}\n{out}");
        }
    }
    // Error analyses count the mentions that are scored.
    let lines = |command: &str| -> Vec<String> {
        let (out, _) = run(&[command, KEY, ALDER, BIRCH], 0);
        out.lines().filter(|line| line.contains(" mentions, ")).map(str::to_owned).collect()
    };
    assert_eq!(lines("errors"), lines("score"));
}

/// If recall is undefined in all documents, averages over documents or pairs do not show it as 0, in any output.
#[test]
fn undefined_averages_are_a_dash_an_empty_cell_and_a_marked_zero() {
    let document = |name: &str, id: &str, side: &str, clusters: &str| {
        let words = r#""sentences":[["x","y"]]"#;
        let folder = place(name);
        fs::create_dir_all(folder.parent().expect("a folder")).expect("a folder");
        file(name, format!("{{\"doc_key\":\"{id}\",\"{side}\":[{clusters}],{words}}}\n"))
    };
    let key = document("averages/key/a.jsonl", "a", "clusters", "");
    let response = document("averages/response/a.jsonl", "a", "predicted_clusters", "[[0,0],[1,1]]");
    let folders = [&key, &response].map(|file| file.strip_suffix("/a.jsonl").expect("a folder").to_owned());
    let average: &[&str] =
        &["score", "--allow-empty", "-m", "b_cubed", "--average", "macro", &key, &response];
    let pairs: &[&str] = &[
        "score", "--allow-empty", "-m", "b_cubed", "--pair-files", "--columns", "rpf", &folders[0],
        &folders[1],
    ];
    for args in [average, pairs] {
        let of = |output: &str| run(&[args, &["-o", output]].concat(), 0).0;
        let rows = of("table");
        let row = rows.lines().find(|line| line.starts_with("B³") || line.starts_with("macro average"));
        let cells: Vec<&str> = row.expect("a row").split_whitespace().rev().take(3).collect();
        assert_eq!(cells, ["0.00", "0.00", "–"], "{rows}");
        assert!(of("csv").contains(",,0,0") || of("csv").contains(",,0.0,0.0"), "{}", of("csv"));
        let json = of("json").split_whitespace().collect::<String>();
        assert!(json.contains(r#""undefined":["recall"]"#), "{json}");
    }
}

/// `-` means standard output if the option allows it, and never creates a file of this name.
#[test]
fn a_dash_makes_no_file() {
    let key = root().join(KEY).display().to_string();
    let folder = std::env::temp_dir().join(format!("corefeval-dash-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    for args in [
        &["reproduce", "--points", "-"][..],
        &["compare", &key, &key, "--figures", "-"],
        &["cone", "--key-approximate", "--write-key", "-", &key],
    ] {
        let output = command().args(args).current_dir(&folder).output().expect("the command runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && err.contains("`-` is not a file or folder here"),
            "{args:?} {err}"
        );
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0, "{args:?}");
    }
    fs::remove_dir(&folder).expect("an empty folder");
}

#[test]
fn a_conversion_has_a_line_for_each_kind_of_loss() {
    let folder = place("losses-of-brat");
    let key = "examples/key.conll";
    let (_, err) = run(&["convert", key, "--to", "brat", "-o", &folder.display().to_string()], 0);
    let kinds: Vec<&str> = err
        .lines()
        .filter_map(|line| line.split_once("brat cannot represent: ").map(|(_, kind)| kind))
        .map(|kind| kind.split_once(" (").expect("a number").0)
        .collect();
    // Findings that change scores come first, and none is repeated.
    assert_eq!(kinds[0], "word boundaries that are read back differently", "{err}");
    assert!(err.contains("read back differently (15) [not-written]"), "{err}");
    let different: std::collections::BTreeSet<&&str> = kinds.iter().collect();
    assert!(different.len() == kinds.len() && kinds.len() > 3 && !err.contains("more"), "{err}");
}

#[test]
fn notes_of_placing_are_printed_and_others_on_request() {
    let convert = |answer: &str, flags: &[&str]| {
        let args = ["convert", answer, "--onto", "examples/answers/key.conll", "--to", "jsonlines"];
        run(&[&args, flags].concat(), 0).1
    };
    for answer in ["bracketed.txt", "pipe.txt"] {
        let answer = format!("examples/answers/{answer}");
        assert!(!convert(&answer, &["-q"]).contains("note: "), "{answer}");
        let err = convert(&answer, &[]);
        for code in ["[format-assumed]", "[written-otherwise]", "[paired-loosely]"] {
            assert!(!err.contains(code), "{answer}: {err}");
        }
        assert!(convert(&answer, &["-v"]).contains("[format-assumed]"), "{answer}");
    }
    assert!(convert("examples/answers/bracketed.txt", &[]).contains("[answer-unwrapped]"));
}

/// Warnings are printed even with `-q`, notes only with `-v`; with `--no-warnings` both are only in JSON.
#[test]
fn warnings_are_printed_and_notes_on_request() {
    let text = fs::read_to_string(root().join(ALDER)).unwrap();
    let begin = text.match_indices("#begin document").nth(1).expect("a second document").0;
    let short = file("first-of-three.conll", &text[..begin]);
    let messages = |flags: &[&str]| run(&[&["score", "-m", "muc"], flags, &[KEY, &short]].concat(), 0);
    for (flags, warnings, notes) in
        [(&[][..], 2, 0), (&["-q"], 2, 0), (&["-v"], 2, 2), (&["--no-warnings"], 0, 0)]
    {
        let (out, err) = messages(flags);
        assert_eq!(err.matches("[missing-document]").count(), warnings, "{flags:?}: {err}");
        assert_eq!(err.matches("[format-assumed]").count(), notes, "{flags:?}: {err}");
        assert!(out.contains("response: 1 of 3 documents, "), "{out}");
    }
    let (json, err) = messages(&["--no-warnings", "-o", "json"]);
    assert!(json.contains("\"missing-document\"") && err.is_empty(), "{json}{err}");
}

#[test]
fn messages_name_the_system_and_the_mention() {
    let text = fs::read_to_string(root().join(KEY)).unwrap();
    let begin = text.match_indices("#begin document").nth(1).expect("a second document").0;
    let (short, open) =
        (file("short.conll", &text[..begin]), file("open.conll", text.replacen("(0)", "(0", 1)));
    let (_, err) = run(&["score", "-m", "muc", KEY, &format!("A={short}"), &format!("B={short}")], 0);
    assert!(err.contains(": A: the response has no document") && err.contains(": B: the response"), "{err}");
    let (_, err) = run(&["show", KEY, &open], 0);
    assert!(err.contains("[unclosed-mention]"), "{err}");
    // A mention that is annotated more than once is reported once.
    let [once, twice] = ["[[[0, 0], [1, 1]]]", "[[[0, 0], [1, 1]], [[0, 0], [1, 1]]]"].map(|clusters| {
        let line = format!(r#"{{"doc_key": "a", "sentences": [["x", "y"]], "clusters": {clusters}}}"#);
        file(&format!("twice-{}.jsonlines", clusters.len()), line)
    });
    let (_, err) = run(&["errors", &once, &twice], 0);
    assert!(err.contains("the mention of word 1 of `a` is annotated twice"), "{err}");
    assert!(err.contains("the mention of word 2 of `a`") && !err.contains(" more ["), "{err}");
    // A hint names no option that the subcommand lacks.
    let (_, err) = run(&["report", KEY, &short, "-o", &place("r.html").display().to_string()], 0);
    assert!(err.contains("add the missing documents") && !err.contains("--shared-documents"), "{err}");
}

#[test]
fn files_with_equal_names_are_named_by_paths_without_extension() {
    let text = fs::read_to_string(root().join(ALDER)).unwrap();
    let folder = place("systems-of-one-name");
    for system in ["a", "b"] {
        fs::create_dir_all(folder.join(system)).unwrap();
        fs::write(folder.join(system).join("out.conll"), &text).unwrap();
    }
    let path = |system: &str| folder.join(system).join("out.conll").display().to_string();
    let (out, _) = run(&["score", "-m", "muc", KEY, &path("a"), &path("b")], 0);
    let names: Vec<&str> =
        out.lines().skip(1).take(2).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names[0].ends_with("a/out") && names[1].ends_with("b/out"), "{out}");
    // An empty log is not a system.
    fs::write(folder.join("log.txt"), "").unwrap();
    fs::write(folder.join("c.conll"), &text).unwrap();
    fs::remove_dir_all(folder.join("b")).unwrap();
    let folder = folder.display().to_string();
    let (out, err) = run(&["compare", "-v", "-m", "muc", "--resamples", "20", "--systems", &folder, KEY], 0);
    assert!(err.contains("log.txt (empty)") && out.contains('c'), "{err}");
}

#[test]
fn conversions_are_written_where_they_can_be() {
    let folder = place("converted-into");
    fs::create_dir_all(&folder).unwrap();
    let into = folder.display().to_string();
    let (out, _) = run(&["convert", "-q", KEY, "--to", "conllu", "-o", &into], 0);
    assert!(out.contains("key.conllu") && folder.join("key.conllu").is_file(), "{out}");
    let (_, err) =
        run(&["convert", KEY, "--to", "brat", "-o", &folder.join("x.ann").display().to_string()], 2);
    assert!(err.contains("name a directory with --output") && !folder.join("x.ann").exists(), "{err}");
    // The extension selects the format, and no directory is created.
    for name in ["k.ann", "k.json", "k.tsv", "k.apf.xml"] {
        let (_, err) = run(&["convert", KEY, "-o", &folder.join(name).display().to_string()], 2);
        assert!(err.contains("is named like a file") && !folder.join(name).exists(), "{name}: {err}");
    }
    // A name that ends in a slash is that of a directory.
    let new = format!("{}/", folder.join("new").display());
    run(&["convert", "-q", KEY, "--to", "jsonlines", "-o", &new], 0);
    assert!(folder.join("new/key.jsonlines").is_file());
    let both = folder.join("both.jsonl").display().to_string();
    let (_, err) = run(&["convert", KEY, ALDER, "--to", "jsonlines", "-o", &both], 2);
    assert!(err.contains("is named like a file") && !folder.join("both.jsonl").exists(), "{err}");
    let column = file("arguments.conll", "#begin document (a); part 000\na 0 (V*)\n#end document\n");
    let (_, err) = run(&["stats", &column], 1);
    assert!(err.contains("no coreference column"), "{err}");
    run(&["stats", "--allow-empty", &column], 0);
    let (out, _) = run(&["list", "formats", "conllu"], 0);
    assert!(out.starts_with("corefud"), "{out}");
    // Mentions that cross in one of two files.
    let crossing = "#begin document (d); part 000\na (0\nb (1\nc 0)\nd 1)|(0)\ne (1)\n#end document\n";
    let plain = "#begin document (d); part 000\na (0\nb -\nc 0)\nd (0)\ne -\n#end document\n";
    let [crossing, plain] =
        [("crossing.conll", crossing), ("plain.conll", plain)].map(|(name, text)| file(name, text));
    let converted = |input: &str, name: &str| {
        let output = folder.join(name).display().to_string();
        run(&["convert", "-q", input, "--to", "conll-ua", "-o", &output], 0);
        output
    };
    let both = [converted(&plain, "plain.conllua"), converted(&crossing, "crossing.conllua")];
    let score =
        |key: &str, response: &str| run(&["score", "-q", "-m", "muc", "-o", "csv", key, response], 0).0;
    let f1 = |csv: &str| {
        let cells = |line: usize| csv.lines().nth(line).expect("a line").split(',').map(str::to_owned);
        cells(0).zip(cells(1)).find(|cell| cell.0 == "f1").expect("a column f1").1
    };
    let (before, after) = (f1(&score(&plain, &crossing)), f1(&score(&both[0], &both[1])));
    assert!(before == after && before.parse::<f64>().is_ok_and(|f1| f1 > 0.0), "{before} {after}");
    // Empty nodes become words in formats without text, which is reported before it happens.
    let zeros = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1)\n\
                 1.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\tEntity=(e1)\n\n";
    let (_, err) = run(&["convert", &file("zeros.conllu", zeros), "--to", "links"], 0);
    assert!(err.contains("files with other empty nodes no longer match"), "{err}");
}
