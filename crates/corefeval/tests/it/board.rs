//! Boards of systems: responses in a folder, systems that cannot be compared, and cached counts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{golden, golden_outputs, place, root, run};

const KEY: &str = "examples/key.conll";
const EXAMPLES: [&str; 3] = ["alder", "birch", "cedar"];

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = place(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder of the tests can be written");
    path
}

/// A folder with the three examples.
fn board(name: &str) -> PathBuf {
    let folder = folder(name);
    for system in EXAMPLES {
        put(&folder, &format!("{system}.conll"), &example(system));
    }
    folder
}

fn example(system: &str) -> String {
    fs::read_to_string(root().join(format!("examples/{system}.conll"))).expect("the example exists")
}

fn put(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
    fs::write(path, content).expect("the file can be written");
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Compares the responses in a folder with the key.
fn compare(systems: &Path, more: &[&str], status: i32) -> (String, String) {
    let systems = text(systems);
    run(&[&["compare", "--resamples", "200", KEY, "--systems", &systems], more].concat(), status)
}

/// Like [`compare`], with a cache: the output, and the numbers of systems from the cache and scored.
fn cached(systems: &Path, cache: &Path, more: &[&str]) -> (String, [usize; 2]) {
    let cache = text(cache);
    let (out, err) = compare(systems, &[&["-v", "--cache", &cache], more].concat(), 0);
    let note = err.lines().find(|line| line.contains(" systems from the cache ")).expect("the note");
    let numbers: Vec<usize> =
        note.split_whitespace().filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
    (out, [numbers[0], numbers[1]])
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the report is JSON")
}

fn names(report: &Value) -> Vec<&str> {
    let systems = report["systems"].as_array().expect("systems");
    systems.iter().map(|system| system["name"].as_str().expect("a name")).collect()
}

/// Returns the entries of a cache.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(cache)
        .expect("the cache exists")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "counts"))
        .collect();
    entries.sort();
    entries
}

/// Returns the output of a board in a separate folder.
fn as_of(folder: &Path, text: &str) -> String {
    text.replace(&self::text(folder), "FOLDER")
}

#[test]
fn a_folder_is_a_board_and_every_output_has_its_golden_file() {
    let systems = board("golden");
    put(&systems, "README", "who took part");
    put(&systems, ".gitignore", "*");
    put(&systems, "elm/all.conll", &example("birch"));
    let cache = folder("golden-cache");
    for output in golden_outputs() {
        let more = ["-o", output, "-m", "muc,ceaf_e,blanc,lea,conll"];
        let (plain, _) = compare(&systems, &more, 0);
        golden(&format!("board-{output}.txt"), &as_of(&systems, &plain));
        if output == "table" {
            let (_, err) = compare(&systems, &["-v", "-m", "muc,ceaf_e,blanc,lea,conll"], 0);
            golden("board-notes.txt", &as_of(&systems, &err));
        }
        assert_eq!(cached(&systems, &cache, &more).0, plain, "{output}");
        assert_eq!(cached(&systems, &cache, &more), (plain, [4, 0]), "{output}");
    }
}

#[test]
fn systems_are_named_by_their_files() {
    let systems = board("names");
    put(&systems, "birch.jsonl", "");
    fs::remove_file(systems.join("birch.jsonl")).expect("the file exists");
    put(&systems, "birch.v4_auto_conll", &example("alder"));
    put(&systems, "team-2.1/part/all.conll", &example("cedar"));
    let (out, _) = compare(&systems, &["-o", "json", "-m", "muc", "first=examples/cedar.conll"], 0);
    let report = json(&out);
    let mut found = names(&report);
    found.sort_unstable();
    assert_eq!(found, ["alder", "birch.conll", "birch.v4_auto_conll", "cedar", "first", "team-2.1"]);
    // Systems that were named individually come first.
    assert_eq!(report["baseline"], "first");
    let (out, _) = compare(&systems, &["-o", "json", "-m", "muc", "--baseline", "team-2.1"], 0);
    assert_eq!(json(&out)["baseline"], "team-2.1");
    // A typed name is used; the system from the folder is named by its whole file name.
    let (out, _) = compare(&systems, &["-o", "json", "-m", "muc", "alder=examples/cedar.conll"], 0);
    let report = json(&out);
    assert_eq!(report["baseline"], "alder");
    assert!(names(&report).contains(&"alder.conll"), "{out}");
}

/// Skipped entries of a folder are reported in one note, including those that `--include` excludes.
#[test]
fn skipped_entries_are_one_note() {
    let systems = board("skipped");
    for name in ["README.md", ".hidden", "run.log", "curve.png", "loss.png"] {
        put(&systems, name, "neither");
    }
    let (out, err) = compare(&systems, &["-v", "-o", "json", "-m", "muc", "--include", "*.conll*"], 0);
    assert!(!names(&json(&out)).contains(&"curve.png"), "{out}");
    let notes: Vec<&str> = err.lines().filter(|line| line.contains("file-skipped")).collect();
    let wanted = "3 entries were skipped: .hidden (hidden), README.md (about other files), run.log (no annotation by its \
                  extension); 2 files do not match --include *.conll* [file-skipped]";
    assert!(notes.len() == 1 && notes[0].ends_with(wanted), "{notes:?}");
    let err = compare(&systems, &["--include", "*.txt"], 1).1;
    assert!(err.contains("no response in this folder matches `*.txt`"), "{err}");
}

/// The key is not a system, whether it is a file or a directory in the folder, or its path is written differently.
#[test]
fn the_key_in_the_folder_is_not_a_system() {
    let systems = board("with-key");
    put(&systems, "key.conll", &example("key"));
    let key = text(&systems.join(".").join("key.conll"));
    let folder = text(&systems);
    let typed = ["compare", "-v", "-o", "json", "-m", "muc", "--resamples", "200", "--systems", &folder];
    let (out, err) = run(&[&typed[..], &[&key]].concat(), 0);
    assert_eq!(names(&json(&out)).len(), EXAMPLES.len(), "{out}");
    assert!(err.contains("1 entry was skipped: key.conll (the key)"), "{err}");
    // A copy of it is a system.
    let (out, _) = run(&[&typed[..], &[KEY]].concat(), 0);
    assert!(names(&json(&out)).contains(&"key"), "{out}");

    let site = text(&self::folder("with-key-site"));
    let typed =
        ["board", "--ids-by-file", "--by", "language", "--resamples", "200", "-m", "lea", "-o", &site];
    run(&[&typed[..], &["examples/pairs/key", "examples/pairs"]].concat(), 0);
    let page = fs::read_to_string(Path::new(&site).join("index.html")).expect("a page");
    assert!(page.contains("2 submissions on 3 documents"), "{page}");
    assert!(!Path::new(&site).join("reports/key.html").exists());
}

/// `board DIR`: the key is the file or folder in the folder that is called `key` or `gold`.
#[test]
fn a_board_finds_the_key_in_its_folder() {
    let board_of = |folder: &str, more: &[&str], status: i32| {
        let site = text(&self::folder("found-key-site"));
        let (_, err) = run(
            &[&["board", "--resamples", "200", "-m", "lea", "-o", &site], more, &[folder]].concat(),
            status,
        );
        (fs::read_to_string(Path::new(&site).join("board.csv")).unwrap_or_default(), err)
    };
    let systems = board("found-key");
    let folder = text(&systems);
    let (wanted, _) = board_of(&folder, &[KEY], 0);
    assert_eq!(wanted.lines().filter(|line| line.contains("lea")).count(), EXAMPLES.len(), "{wanted}");
    for name in ["gold.conll", "key.v4_gold_conll", "key/all.conll"] {
        put(&systems, name, &example("key"));
        put(&systems, "key.md", "about the key");
        let (found, err) = board_of(&folder, &["-v"], 0);
        assert_eq!(found, wanted, "{name}");
        assert!(err.contains("(the key)"), "{err}");
        let top = name.split('/').next().expect("a name");
        let path = systems.join(top);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
            .expect("it can be removed");
    }
    let err = board_of(&folder, &[], 2).1;
    assert!(err.contains("this folder contains no key") && err.contains("`key` or `gold`"), "{err}");
    for name in ["gold.conll", "key.conll"] {
        put(&systems, name, &example("key"));
    }
    let err = board_of(&folder, &[], 2).1;
    assert!(err.contains("this folder contains several keys"), "{err}");
    // If a key is given, those in the folder are not used as keys.
    assert!(board_of(&folder, &[KEY], 0).0.contains("gold"));
}

#[test]
fn invalid_boards_are_errors() {
    let empty = folder("empty");
    put(&empty, "README.txt", "nobody took part");
    let err = compare(&empty, &[], 1).1;
    assert!(err.contains("this folder contains no response"), "{err}");
    let err = compare(&empty.join("nowhere"), &[], 1).1;
    assert!(err.contains("no such file"), "{err}");
    let file = root().join("examples/alder.conll");
    let err = compare(&file, &[], 2).1;
    assert!(err.contains("this is a file") && err.contains("name a folder with one file or folder"), "{err}");
    // A folder without --systems is one response of all its files.
    let systems = board("bare");
    let err = run(&["compare", KEY, &text(&systems)], 1).1;
    assert!(err.contains("is repeated here") && err.contains("--systems"), "{err}");
    run(&["compare", KEY], 2);
    // A cache that cannot be made.
    let err = compare(&systems, &["--cache", &text(&file)], 1).1;
    assert!(err.contains("the cache cannot be written here"), "{err}");
}

#[test]
fn a_broken_system_is_an_error_or_is_left_out() {
    let systems = board("broken");
    put(&systems, "apple.conll", "#begin document (news/ferry_line); part 000\nx\t0\t0\tThe\t(0\n");
    put(&systems, "bent.conll", "no annotation at all");
    let part: String = example("alder").split_inclusive("#end document\n").take(2).collect();
    put(&systems, "lacking.conll", &part);
    put(&systems, "hollow/.keep", "");
    let err = compare(&systems, &[], 1).1;
    assert!(err.contains("--skip-broken compares the others"), "{err}");
    assert!(err.contains("bent.conll") || err.contains("apple.conll") || err.contains("hollow"), "{err}");
    let cache = folder("broken-cache");
    let more = ["-m", "muc,conll", "--skip-broken"];
    for output in golden_outputs() {
        let more = [&more[..], &["-o", output]].concat();
        let (plain, err) = compare(&systems, &more, 0);
        assert!(err.contains("`bent` was left out: the first lines do not match any known format"), "{err}");
        assert!(err.contains("[system-left-out]"), "{err}");
        golden(&format!("board-broken-{output}.txt"), &as_of(&systems, &plain));
        assert_eq!(cached(&systems, &cache, &more).0, plain, "{output}");
        assert_eq!(cached(&systems, &cache, &more), (plain, [3, 0]), "{output}");
    }
    compare(&systems, &[&more[..], &["--strict"]].concat(), 1);
    let err = compare(&systems, &[&more[..], &["--baseline", "bent"]].concat(), 1).1;
    assert!(err.contains("bent.conll") && err.contains("do not match any known format"), "{err}");
    for system in EXAMPLES {
        fs::remove_file(systems.join(format!("{system}.conll"))).expect("the file exists");
    }
    // Without systems the board is an error.
    compare(&systems, &more, 1);
}

/// A submission that was not unpacked is not skipped: it is an error with a hint.
#[test]
fn zip_archives_are_reported() {
    let systems = board("zipped");
    put(&systems, "delta.zip", "PK\u{3}\u{4} and so on");
    let err = compare(&systems, &[], 1).1;
    assert!(
        err.contains("delta.zip: this is a zip archive") && err.contains("unzip FILE.zip -d FOLDER"),
        "{err}"
    );
    let (out, err) = compare(&systems, &["--skip-broken", "-o", "json", "-m", "muc"], 0);
    assert!(err.contains("`delta.zip` was left out: this is a zip archive"), "{err}");
    assert_eq!(names(&json(&out)), EXAMPLES);
    let err = run(&["score", KEY, &text(&systems.join("delta.zip"))], 1).1;
    assert!(err.contains("unpack it"), "{err}");
}

/// Cached counts give the same bytes as counting, for any counts and options.
#[test]
fn cached_counts_change_no_byte() {
    let systems = board("bytes");
    put(&systems, "twice.conll", &example("birch").replace("(5)", "(5)|(5)"));
    let choices: [&[&str]; 12] = [
        &["-m", "all"],
        &["-m", "all", "--average", "macro"],
        &["-m", "muc,blanc,lea,conll", "--average", "mentions"],
        &["-m", "blanc,ceaf_e,conll", "--singletons", "drop"],
        &["-m", "conll", "--profile", "coval", "--match", "min-span"],
        &["-m", "conll", "--profile", "e2e"],
        &["-m", "conll", "--profile", "scorch"],
        &["-m", "cone_b_cubed,cone_ceaf,b_cubed"],
        &["-m", "lea", "--entities", "named", "--named", "rules"],
        &["-m", "b_cubed:weight=table", "--weights", "ace"],
        &["-m", "ceaf_1,ceaf_2,rand,adjusted_rand,pairwise", "--test", "bootstrap", "--threads", "3"],
        &["-m", "conll", "--check-tokens", "no", "--format", "conll"],
    ];
    let cache = folder("bytes-cache");
    for choice in choices {
        let more = [choice, &["-o", "json"]].concat();
        let plain = compare(&systems, &more, 0).0;
        assert_eq!(cached(&systems, &cache, &more), (plain.clone(), [0, 4]), "{choice:?}");
        assert_eq!(cached(&systems, &cache, &more), (plain, [4, 0]), "{choice:?}");
    }
    // Resampling needs no further counts.
    let more = ["-m", "all", "-o", "json", "--seed", "7", "--correction", "none", "--confidence", "0.9"];
    let plain = compare(&systems, &more, 0).0;
    assert_eq!(cached(&systems, &cache, &more), (plain, [4, 0]));
}

#[test]
fn every_format_is_cached_as_a_file_or_a_folder() {
    let cases: [(&str, &str, &[&str]); 5] = [
        ("jsonlines", ".jsonlines", &["-m", "all"]),
        ("corefud", ".conllu", &["-m", "all", "--match", "head"]),
        ("table", ".csv", &["-m", "all"]),
        ("brat", "", &["-m", "all"]),
        ("ecb+", "", &["-m", "all"]),
    ];
    for (format, extension, more) in cases {
        let folder = folder(&format!("format-{format}"));
        let (systems, cache) = (folder.join("systems"), folder.join("cache"));
        fs::create_dir_all(&systems).expect("the folder can be made");
        let write = |source: &str, path: &Path| {
            let path = text(path);
            run(&["convert", "-q", &format!("examples/{source}.conll"), "--to", format, "-o", &path], 0);
            path
        };
        let key = write("key", &folder.join(format!("key{extension}")));
        for system in EXAMPLES {
            write(system, &systems.join(format!("{system}{extension}")));
        }
        let (systems, cache) = (text(&systems), text(&cache));
        let args = ["compare", "-o", "json", "--resamples", "50", &key, "--systems", &systems];
        let args = [&args[..], more].concat();
        let plain = run(&args, 0).0;
        assert_eq!(names(&json(&plain)).len(), 3, "{format}");
        let args = [&args[..], &["-v", "--cache", &cache]].concat();
        for kept in [0, 3] {
            let (out, err) = run(&args, 0);
            assert!(err.contains(&format!("{kept} systems from the cache")), "{format}: {err}");
            assert_eq!(out, plain, "{format}");
        }
    }
}

/// Results can depend on the other systems: `--scope` joins the documents that all have, and a metric that one response
/// does not support is left out for all.
#[test]
fn scopes_and_unsupported_metrics() {
    let folder = folder("links");
    let (systems, cache) = (folder.join("systems"), folder.join("cache"));
    put(&folder, "key.csv", "document,mention,entity,topic\na,1,x,t\na,2,x,t\nb,1,y,u\nb,2,y,u\nc,1,x,v\n");
    put(&systems, "one.csv", "document,mention,entity,topic\na,1,x,t\na,2,z,t\nb,1,y,u\nb,2,y,u\nc,1,x,v\n");
    put(&systems, "two.csv", "document,mention,entity,topic\na,1,x,t\nb,1,y,u\nb,2,x,u\nc,1,x,v\n");
    let (systems, cache, key) = (text(&systems), text(&cache), text(&folder.join("key.csv")));
    let args = ["compare", "-o", "json", "--resamples", "50", "-m", "all", &key, "--systems", &systems];
    let args = [&args[..], &["--scope", "topic"]].concat();
    let plain = run(&args, 0).0;
    assert_eq!(json(&plain)["documents"], 3);
    let args = [&args[..], &["--cache", &cache]].concat();
    assert_eq!([run(&args, 0).0, run(&args, 0).0], [plain.clone(), plain]);

    let folder = self::folder("muc");
    let (systems, cache) = (folder.join("systems"), folder.join("cache"));
    let muc = |links: &str| {
        let document = |name: &str| format!("<DOC><DOCNO>{name}</DOCNO><TXT>{links}</TXT></DOC>\n");
        format!("{}{}", document("a"), document("b"))
    };
    let two = "<COREF ID=\"1\">A</COREF> b <COREF ID=\"2\" REF=\"1\">c</COREF> d";
    put(&folder, "key.sgm", &muc(two));
    put(&systems, "one.sgm", &muc(two));
    let (key, cache) = (text(&folder.join("key.sgm")), text(&cache));
    let args = [
        "compare",
        "-v",
        "-o",
        "json",
        "--resamples",
        "50",
        &key,
        "--systems",
        &text(&systems),
        "--cache",
        &cache,
    ]
    .map(str::to_owned);
    let run = || {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (with, err) = run(&args, 0);
        let plain = run_without_cache(&args);
        assert_eq!(with, plain);
        err
    };
    assert!(run().contains("0 systems from the cache"));
    assert!(run().contains("1 systems from the cache"));
    // This response does not record which links were written, so the metric is left out for all systems.
    let none = "#begin document (a)\nA\t(0)\nb\t-\nc\t(0)\nd\t-\n#end document\n";
    put(&systems, "two.conll", &format!("{none}{}", none.replace("(a)", "(b)")));
    let err = run();
    assert!(err.contains("Links as written was left out"), "{err}");
    let err = run();
    assert!(err.contains("Links as written was left out"), "{err}");
}

/// Returns the output without the cache, which is the last argument.
fn run_without_cache(args: &[&str]) -> String {
    run(&args[..args.len() - 2], 0).0
}

/// Systems are compared on each group of documents, which shows where a difference comes from.
#[test]
fn groups_of_documents_are_compared_separately() {
    let folder = folder("groups");
    // Two genres with several documents, one with a single one.
    let corpus = |system: &str| -> String {
        let documents: Vec<String> = example(system)
            .split_inclusive("#end document\n")
            .filter(|part| part.contains("#begin"))
            .map(str::to_owned)
            .collect();
        let document = |(number, genre): (usize, &str)| {
            let text = &documents[number % documents.len()];
            let start = text.find('\n').expect("a line");
            format!("#begin document ({genre}/d{number}); part 000{}", &text[start..])
        };
        let genres = ["nw", "nw", "bc", "bc", "bc", "wb", "nw", "bc"];
        genres.into_iter().enumerate().map(document).collect()
    };
    put(&folder, "key.conll", &corpus("key"));
    for system in EXAMPLES {
        put(&folder, &format!("systems/{system}.conll"), &corpus(system));
    }
    let key = text(&folder.join("key.conll"));
    let (systems, cache) = (text(&folder.join("systems")), text(&folder.join("cache")));
    let args = ["compare", "-q", "--resamples", "300", "-m", "muc,conll", "--by", "genre"];
    let args = [&args[..], &[key.as_str(), "--systems", systems.as_str()]].concat();
    for output in golden_outputs() {
        let args = [&args[..], &["-o", output]].concat();
        let plain = run(&args, 0).0;
        golden(&format!("board-by-genre-{output}.txt"), &as_of(&folder, &plain));
        let args = [&args[..], &["--cache", &cache]].concat();
        assert_eq!([run(&args, 0).0, run(&args, 0).0], [plain.clone(), plain], "{output}");
    }
    let of = |more: &[&str]| json(&run(&[&args[..], &["-o", "json"], more].concat(), 0).0);
    let report = of(&[]);
    let groups = report["groups"].as_array().expect("groups");
    let ids: Vec<(&str, u64)> = groups
        .iter()
        .filter_map(|group| Some((group["id"].as_str()?, group["documents"].as_u64()?)))
        .collect();
    assert_eq!((report["by"].as_str(), ids), (Some("genre"), vec![("bc", 4), ("nw", 3), ("wb", 1)]));
    // A group of one document has scores and differences, but no results of resampling.
    let alone = &groups[2]["systems"][1]["metrics"]["conll"];
    assert!(alone["difference"]["f1"].is_number() && alone.get("interval").is_none(), "{alone}");
    assert!(groups[2]["pairs"].as_array().expect("pairs").is_empty());
    // Its rows have dashes for intervals, ranks, sets, letters, p and the detectable difference, but show differences.
    let table = run(&[&args[..], &["-o", "table"]].concat(), 0).0;
    let dashes = table.lines().skip_while(|line| !line.contains("wb, 1 document")).skip(1).take(3);
    let dashes: Vec<usize> =
        dashes.map(|line| line.split_whitespace().filter(|cell| *cell == "–").count()).collect();
    assert_eq!(dashes, [4, 7, 7], "{table}");
    let csv = run(&[&args[..], &["-o", "csv"]].concat(), 0).0;
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let names = cells(csv.lines().next().expect("names"));
    for row in csv.lines().map(cells).filter(|row| row[18..].contains(&"wb".to_owned())) {
        for empty in
            ["low", "high", "rank", "difference_low", "difference_high", "p", "detectable", "letters"]
        {
            let place = names.iter().position(|name| name == empty).expect("a column");
            assert_eq!(row[place], "", "{empty}: {row:?}");
        }
    }
    // A group is scored as if it were the whole corpus.
    let only = |text: String| -> String {
        text.split_inclusive("#end document\n").filter(|part| part.contains("(bc/")).collect()
    };
    put(&folder, "bc/key.conll", &only(corpus("key")));
    for system in EXAMPLES {
        put(&folder, &format!("bc/systems/{system}.conll"), &only(corpus(system)));
    }
    let (key, systems) = (text(&folder.join("bc/key.conll")), text(&folder.join("bc/systems")));
    let args =
        ["compare", "-q", "--resamples", "300", "-m", "muc,conll", "-o", "json", "--baseline", "alder"];
    let alone = json(&run(&[&args[..], &[key.as_str(), "--systems", systems.as_str()]].concat(), 0).0);
    for (ours, theirs) in [("systems", "systems"), ("pairs", "pairs")] {
        let (group, alone) = (groups[0][ours].as_array(), alone[theirs].as_array());
        for (group, alone) in group.expect("rows").iter().zip(alone.expect("rows")) {
            assert_eq!((&group["name"], &group["metrics"]), (&alone["name"], &alone["metrics"]));
        }
    }
}

/// Undefined scores are dashes, not numbers that look like scores.
#[test]
fn undefined_scores_are_dashes() {
    let folder = folder("undefined");
    let documents = |ids: [&str; 2]| -> String {
        let document = |name: &str, ids: [&str; 2]| {
            let [a, b] = ids;
            format!("#begin document ({name})\nw\t{a}\nv\t{b}\n#end document\n")
        };
        ["a", "b", "c"].map(|name| document(name, ids)).concat()
    };
    put(&folder, "key.conll", &documents(["(0)", "(1)"]));
    put(&folder, "systems/alone.conll", &documents(["(0)", "(1)"]));
    put(&folder, "systems/linked.conll", &documents(["(0)", "(0)"]));
    let (key, systems) = (text(&folder.join("key.conll")), text(&folder.join("systems")));
    let args = ["compare", "-q", "--resamples", "100", "-m", "muc,b_cubed", "--sort", "muc", &key];
    let args = [&args[..], &["--systems", &systems]].concat();
    let of = |output: &str| run(&[&args[..], &["-o", output]].concat(), 0).0;
    let table = of("table");
    let row = |name: &str| -> Vec<String> {
        let mut rows = table.lines().skip_while(|line| !line.starts_with("MUC   "));
        let row = rows.find(|line| line.starts_with(name)).expect("a row");
        row.split_whitespace().skip(1).map(str::to_owned).collect()
    };
    assert_eq!(row("alone"), ["–", "–", "–", "–", "–", "–", "–", "baseline"], "{table}");
    assert_eq!(row("linked")[..4], ["–", "0.00", "0.00", "[0.00,"], "{table}");
    assert_eq!(row("linked")[8..], ["–", "–", "–", "–"], "{table}");
    assert!(
        of("markdown").contains("| alone | – | – | – | – | – | – | – | baseline | | | |"),
        "{}",
        of("markdown")
    );
    assert!(
        of("latex").contains("alone & -- & -- & -- & -- & -- & -- & -- & baseline & & & "),
        "{}",
        of("latex")
    );
    assert!(of("csv").contains("\nalone,muc,,,,false,,,,,,,,false,,,,,,,,3,"), "{}", of("csv"));
    let report = json(&of("json"));
    let of = |name: &str| {
        let systems = report["systems"].as_array().expect("systems");
        &systems.iter().find(|system| system["name"] == name).expect("the system")["metrics"]["muc"]
    };
    assert_eq!((of("alone")["defined"].as_bool(), of("alone")["best"].as_bool()), (Some(false), Some(false)));
    assert_eq!(of("linked")["defined"].as_bool(), Some(true));
}

/// Adding one system scores one system.
#[test]
fn only_new_systems_are_scored() {
    let systems = board("new");
    let cache = folder("new-cache");
    let more = ["-o", "json", "-m", "muc,ceaf_e,conll"];
    assert_eq!(cached(&systems, &cache, &more).1, [0, 3]);
    put(&systems, "elm.conll", &example("birch"));
    let plain = compare(&systems, &more, 0).0;
    assert_eq!(cached(&systems, &cache, &more), (plain, [3, 1]));
    // The same content under another name is a different file, because findings name the file.
    fs::rename(systems.join("elm.conll"), systems.join("fir.conll")).expect("the file exists");
    let plain = compare(&systems, &more, 0).0;
    assert_eq!(cached(&systems, &cache, &more), (plain, [3, 1]));
    // Another name for the same file changes nothing.
    let args = ["wood=examples/alder.conll", "-o", "json", "-m", "muc,ceaf_e,conll"];
    assert_eq!(cached(&systems, &cache, &args).1, [4, 1]);
    let args = ["log=examples/alder.conll", "-o", "json", "-m", "muc,ceaf_e,conll"];
    assert_eq!(cached(&systems, &cache, &args).1, [5, 0]);
    // A rewritten file is scored again.
    put(&systems, "fir.conll", &example("cedar"));
    let plain = compare(&systems, &more, 0).0;
    assert_eq!(cached(&systems, &cache, &more), (plain, [3, 1]));
    fs::remove_file(systems.join("fir.conll")).expect("the file exists");
    fs::remove_file(systems.join("alder.conll")).expect("the file exists");
    let plain = compare(&systems, &more, 0).0;
    assert_eq!(cached(&systems, &cache, &more), (plain, [2, 0]));
    // Another option, another metric.
    let dropped = [&more[..], &["--singletons", "drop"]].concat();
    assert_eq!(cached(&systems, &cache, &dropped).1, [0, 2]);
    assert_eq!(cached(&systems, &cache, &["-o", "json", "-m", "muc"]).1, [0, 2]);
}

/// Findings and figures of a cached system are the same as in the first run.
#[test]
fn findings_and_figures_do_not_depend_on_the_cache() {
    let systems = board("findings");
    // Findings of reading, of pairing and of scoring.
    put(&systems, "odd.conll", &example("alder").replacen("(0", "(0|(0", 1).replacen("\tThe\t", "\tA\t", 1));
    // The cache may be among the systems, but is not one of them.
    let cache = systems.join("kept");
    let drawn = |name: &str, more: &[&str]| {
        let figures = folder(name);
        let (out, err) =
            compare(&systems, &[&["-o", "json", "--figures", &text(&figures)], more].concat(), 0);
        let mut files: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&figures)
            .expect("figures")
            .map(|entry| entry.expect("a figure").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "svg"))
            .map(|path| (path.file_name().expect("a name").into(), fs::read(&path).expect("a figure")))
            .collect();
        files.sort();
        let err: Vec<String> =
            err.lines().filter(|line| !line.contains(" from the cache ")).map(str::to_owned).collect();
        (out, err, files)
    };
    let plain = drawn("findings-plain", &[]);
    let strict = compare(&systems, &["--strict"], 1).1;
    assert!(plain.1.iter().any(|line| line.contains("odd.conll")), "{:?}", plain.1);
    assert!(plain.2.len() >= 5);
    let more = ["--cache", &text(&cache)];
    assert!(drawn("findings-first", &more) == plain && drawn("findings-kept", &more) == plain);
    assert_eq!(cached(&systems, &cache, &[]).1, [4, 0]);
    // A warning is an error under --strict, whether or not its system was cached.
    assert_eq!(compare(&systems, &[&["--strict"], &more[..]].concat(), 1).1, strict);
    // A cache is recognized even if no cache is requested.
    let err = compare(&systems, &["-v"], 0).1;
    assert!(err.contains("(a cache)"), "{err}");
}

#[test]
fn another_key_scores_all_systems_again() {
    let systems = text(&board("keys"));
    let cache = text(&folder("keys-cache"));
    let key = root().join(KEY);
    let copy = place("keys-key.conll");
    fs::copy(&key, &copy).expect("the key can be copied");
    let args = ["compare", "-q", "-o", "csv", "-m", "conll", "--systems", &systems, "--cache", &cache];
    let copy_text = text(&copy);
    let args = [&args[..], &[copy_text.as_str()]].concat();
    let first = run(&args, 0).0;
    let kept = entries(Path::new(&cache)).len();
    assert_eq!((kept, run(&args, 0).0 == first), (3, true));
    let changed = fs::read_to_string(&key).expect("the key is text").replacen("(0)", "-", 1);
    fs::write(&copy, changed).expect("the key can be written");
    let second = run(&args, 0).0;
    assert_ne!(first, second);
    assert_eq!(entries(Path::new(&cache)).len(), 6);
}

/// A changed entry is never used.
#[test]
fn damaged_entries_are_scored_again() {
    let systems = board("damaged");
    let cache = folder("damaged-cache");
    let more = ["-o", "json", "-m", "lea,conll"];
    let plain = compare(&systems, &more, 0).0;
    cached(&systems, &cache, &more);
    let whole: Vec<Vec<u8>> =
        entries(&cache).iter().map(|entry| fs::read(entry).expect("an entry")).collect();
    /// Changes an entry, given it and another one.
    type Change = fn(&[u8], &[u8]) -> Vec<u8>;
    let changes: [Change; 6] = [
        |_, _| Vec::new(),
        |own, _| own[..own.len() / 2].to_vec(),
        |own, _| own[..own.len() - 1].to_vec(),
        |own, _| {
            let text = String::from_utf8(own.to_vec()).expect("text");
            let last = text.rfind(' ').expect("a blank");
            format!("{}9{}", &text[..=last], &text[last + 1..]).into_bytes()
        },
        |_, other| other.to_vec(),
        |_, _| b"{\"made\": \"by another program\"}\n".to_vec(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let paths = entries(&cache);
        fs::write(&paths[0], change(&whole[0], &whole[1])).expect("an entry can be written");
        let (out, found) = cached(&systems, &cache, &more);
        assert_eq!(found, [2, 1], "change {number}");
        let (mut ours, theirs) = (json(&out), json(&plain));
        let is_about_cache = |warning: &Value| warning["code"] == "cache-entry";
        assert!(ours["warnings"].as_array().expect("warnings").iter().any(is_about_cache), "change {number}");
        ours["warnings"].as_array_mut().expect("warnings").retain(|warning| !is_about_cache(warning));
        assert_eq!(ours, theirs, "change {number}");
        // It was rewritten with the same contents.
        assert_eq!(fs::read(&paths[0]).expect("an entry"), whole[0], "change {number}");
        assert_eq!(cached(&systems, &cache, &more), (plain.clone(), [3, 0]), "change {number}");
    }
}

/// A single system does not determine which documents all systems have, so counts cached for other documents are not
/// used.
#[test]
fn documents_that_a_new_system_lacks_are_left_out_for_all() {
    let systems = board("shared");
    let cache = folder("shared-cache");
    let more = ["-o", "json", "-m", "muc,conll", "--shared-documents"];
    let plain = compare(&systems, &more, 0).0;
    assert_eq!(cached(&systems, &cache, &more), (plain, [0, 3]));
    let part: String = example("alder").split_inclusive("#end document\n").take(2).collect();
    put(&systems, "part.conll", &part);
    let plain = compare(&systems, &more, 0).0;
    assert_eq!(json(&plain)["documents_left_out"], 1);
    assert_eq!(cached(&systems, &cache, &more), (plain.clone(), [0, 4]));
    assert_eq!(cached(&systems, &cache, &more), (plain, [4, 0]));
}

/// Several programs use one cache at the same time.
#[test]
fn concurrent_programs_share_a_cache() {
    let systems = text(&board("at-once"));
    let cache = text(&folder("at-once-cache"));
    let args = ["compare", "-q", "-o", "json", "-m", "all", KEY, "--systems", &systems, "--cache", &cache];
    let args = [&args[..], &["--resamples", "50"]].concat();
    let outputs: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..6).map(|_| scope.spawn(|| run(&args, 0).0)).collect();
        runs.into_iter().map(|run| run.join().expect("a run")).collect()
    });
    assert!(outputs.windows(2).all(|two| two[0] == two[1]));
    let left: Vec<_> = fs::read_dir(&cache).expect("the cache").collect();
    // Three entries, and no partial file.
    assert_eq!((entries(Path::new(&cache)).len(), left.len()), (3, 3));
    assert_eq!(run(&args, 0).0, outputs[0]);
}

/// Pages of a leaderboard: a report for each submission, escaped names, and nothing from other sites.
#[test]
fn a_leaderboard_is_pages_with_reports() {
    let folder = folder("site");
    let systems = folder.join("systems");
    for (name, system) in
        [("alder.conll", "alder"), ("Birch & \"co\" <b>x.conll", "birch"), ("s<script>/a.conll", "cedar")]
    {
        put(&systems, name, &example(system));
    }
    put(&systems, "bent.conll", "no annotation at all");
    let site = folder.join("site");
    let arguments = |more: &[&'static str]| {
        let fixed = ["board", "--resamples", "200", "-m", "muc,lea,conll", "--by", "length", KEY];
        let fixed: Vec<String> = fixed.iter().map(|word| (*word).to_owned()).collect();
        let paths = [text(&systems), "-o".to_owned(), text(&site)];
        [fixed, paths.to_vec(), more.iter().map(|word| (*word).to_owned()).collect()].concat()
    };
    let call = |more: &[&'static str], status| {
        let arguments = arguments(more);
        run(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), status)
    };
    let (out, err) = call(&["--title", "Task <1>"], 0);
    assert!(out.is_empty() && err.contains("`bent` was left out"), "{out}{err}");
    let read = |name: &str| fs::read_to_string(site.join(name)).expect("a page");
    let page = read("index.html");
    golden("board-page.html", &as_of(&folder, &page));
    assert!(
        page.contains("<h1>Task &lt;1&gt;</h1>") && page.contains("Birch &amp; \"co\" &lt;b&gt;x"),
        "{page}"
    );
    assert!(!page.contains("<script") && !page.contains("<b>x") && !page.contains("://"), "{page}");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links.len(), 5, "{links:?}");
    for link in links {
        assert!(site.join(link).is_file(), "{link}");
    }
    assert_eq!(names(&json(&read("board.json"))).len(), 3);
    assert!(read("reports/alder.html").contains("\"body\""));

    // Without words, and with the page of a withdrawn submission.
    put(&systems, "bent.conll", &example("alder").replace("ferry", "SECRETWORD"));
    fs::remove_dir_all(systems.join("s<script>")).expect("it exists");
    let (_, err) = call(&["--without-text", "--check-tokens", "yes"], 0);
    assert!(err.contains("pages of no current submission: s-script-"), "{err}");
    for name in ["index.html", "board.json", "board.csv", "reports/alder.html"] {
        let text = read(name);
        assert!(!text.contains("SECRETWORD") && !text.contains("\"body\":"), "{name}");
    }
    assert!(err.contains("SECRETWORD"), "the organiser sees the word: {err}");

    // The leaderboard may not be written among the submissions.
    let systems = text(&systems);
    let err = run(&["board", KEY, &systems, "-o", &format!("{systems}/new/site")], 2).1;
    assert!(err.contains("which is an input") && !Path::new(&systems).join("new").exists(), "{err}");
}

#[test]
fn documents_are_grouped_by_the_language_of_their_file() {
    let arguments = ["score", "--by", "language", "-m", "muc", "--ids-by-file", "-o", "csv"];
    let folders = ["examples/pairs/key", "examples/pairs/alder"];
    let out = run(&[&arguments[..], &folders].concat(), 0).0;
    for language in ["cs", "de", "en"] {
        assert!(out.lines().any(|line| line.contains(&format!(",{language},"))), "{out}");
    }
    let err = run(&["score", "--by", "language", KEY, "examples/alder.conll"], 1).1;
    assert!(err.contains("no document has a language"), "{err}");
}
