//! Inputs that change during reading, or that can be read only once.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use corefeval_core::formats::REPORTS_IN_JSON;
use corefeval_report::{Kind, OutputSpec};
use serde_json::Value;

use crate::common::{command, file, lines_of, place, root, run};

const KEY: &str = "#begin document (a); part 000\nAda\t(0)\nslept\t-\nShe\t(0)\n#end document\n";

/// A response with different words, which causes a finding about both files.
const RESPONSE: &str = "#begin document (a); part 000\nAda\t(0)\nwoke\t-\nShe\t(0)\n#end document\n";

/// The key of the answers in the documentation.
const ANSWERS_KEY: &str = "examples/answers/key.conll";

#[test]
fn a_file_may_be_shortened_while_it_is_read() {
    let words = "word\t-\n".repeat(4 << 20);
    let text = format!("#begin document (a); part 000\nAda\t(0)\n{words}#end document\n");
    for (milliseconds, task) in [5, 20, 40, 80, 160].into_iter().zip(["score", "errors"].into_iter().cycle())
    {
        let key = file("shortened.conll", &text);
        let child = command().args([task, &key, &key]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("the command starts");
        thread::sleep(Duration::from_millis(milliseconds));
        let opened = OpenOptions::new().write(true).open(&key).expect("the file can be opened");
        opened.set_len(100).expect("the file can be shortened");
        let output = child.wait_with_output().expect("the command ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(1) => assert!(errors.starts_with("error: "), "{errors}"),
            other => panic!("{other:?} after {milliseconds} ms: {errors}"),
        }
        fs::remove_file(&key).expect("the file can be removed");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let (key, plain) = (file("once-key.conll", KEY), file("once-response.conll", RESPONSE));
    let pipe = place("once.pipe");
    let _ = fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let written = thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, RESPONSE)
    });
    let pipe = pipe.display().to_string();
    let (found, errors) = run(&["score", &key, &pipe, "--check-tokens", "warn"], 0);
    written.join().expect("the pipe is written").expect("the pipe is read");
    let (wanted, plain_errors) = run(&["score", &key, &plain, "--check-tokens", "warn"], 0);
    assert_eq!(found.replace(&pipe, "X"), wanted.replace(&plain, "X"));
    assert_eq!(errors.replace(&pipe, "X"), plain_errors.replace(&plain, "X"));
}

/// An analysis reads the words of a large file from the file itself, and stores those of a pipe.
#[cfg(unix)]
#[test]
fn words_of_a_large_file_equal_those_of_a_pipe() {
    let line = |n: usize, word: &str, cell: &str| {
        format!("bc/a\t0\t{n}\t{word}\t{}\t{}\t-\t-\t-\tSpeaker\t{}\t{cell}", "NN", "(NP*)", "(GPE)")
    };
    let document = |number: usize, entities: [usize; 3], odd: &str| {
        let mut text = format!("#begin document (bc/{number}); part 000\n");
        for sentence in 0..9 {
            let long = format!("Straße-{}", "x".repeat(9 * sentence));
            for (n, (word, entity)) in ["Ada", &long, "she"].into_iter().zip(entities).enumerate() {
                text.push_str(&line(n, word, &format!("({})", 2 * sentence + entity)));
                text.push_str(if sentence == 4 { "\r\n" } else { "\n" });
            }
            text.push_str(if sentence == 5 { odd } else { "\n" });
        }
        text + "#end document\n"
    };
    // Comments and blank lines among the words, and lines with different columns or without tabs.
    let odd = ["\n# a comment\n\n\n", "\n", "word\t-\r\n\n", "one two three (7)\n\n", "#\tb\t-\n\n"];
    let corpus = |entities: [usize; 3]| {
        let all = (0..120).map(|number| document(number, entities, odd[number % odd.len()]));
        let all: String = all.collect();
        // The last document has no end, and its last line has no line feed.
        format!("{all}#begin document (bc/z); part 000\n{}", line(0, "Ada", "(0)"))
    };
    let key = file("large-key.conll", corpus([0, 1, 0]));
    let response = file("large-response.conll", corpus([0, 0, 1]));
    let run = |line: &str| {
        let output =
            Command::new("bash").args(["-c", line]).env("C", env!("CARGO_BIN_EXE_corefeval")).output();
        let output = output.expect("bash runs");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).replace("/dev/stdin", &key))
    };
    for options in ["-o csv", "-o markdown --examples 9", "--threads 1 -o json --types cort"] {
        let tokens = format!("$C errors --check-tokens no {options}");
        let large = run(&format!("{tokens} {key} {response}"));
        assert!(large[0].contains("Straße-xxxxxxxxx"));
        assert_eq!(large, run(&format!("cat {key} | {tokens} /dev/stdin {response}")), "{options}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_directory_is_skipped() {
    let folder = place("with-pipe");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("a.conll"), KEY).expect("the file can be written");
    assert!(Command::new("mkfifo").arg(folder.join("b.conll")).status().expect("mkfifo runs").success());
    let folder = folder.display().to_string();
    let (_, errors) = run(&["score", &folder, &folder, "--verbose"], 0);
    assert!(errors.contains("b.conll") && errors.contains("a pipe"), "{errors}");
}

/// Runs a line of the shell, in which `$C` is the command.
#[cfg(unix)]
fn shell(line: &str) -> (Option<i32>, String) {
    let output = Command::new("bash").args(["-c", line]).env("C", env!("CARGO_BIN_EXE_corefeval")).output();
    let output = output.expect("bash runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(unix)]
#[test]
fn outputs_are_written_whole_or_not_at_all() {
    let words = "word\t-\n".repeat(20_000);
    let text = format!("#begin document (a); part 000\nAda\t(0)\n{words}#end document\n");
    // A separate folder: other tests write at the same time.
    let folder = place("written-whole");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let written = folder.join("written.jsonlines").display().to_string();
    fs::write(&written, "old\n").expect("the file can be written");
    let key = file("large.conll", &text);
    // Sets a limit on the size of files, in blocks of 1024 bytes.
    let (status, errors) =
        shell(&format!("ulimit -f 16; \"$C\" convert -q {key} --to jsonlines -o {written}"));
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("written.jsonlines") && errors.contains("free some space"), "{errors}");
    assert_eq!(fs::read_to_string(&written).expect("the old file"), "old\n");
    // A full disk.
    if Path::new("/dev/full").exists() {
        let (status, errors) = shell(&format!("\"$C\" convert -q {key} --to jsonlines -o /dev/full"));
        assert_eq!(status, Some(1), "{errors}");
        assert!(errors.contains("/dev/full") && errors.contains("free some space"), "{errors}");
    }
    let (status, errors) = shell(&format!("\"$C\" convert -q {key} --to jsonlines -o {written}"));
    assert_eq!(status, Some(0), "{errors}");
    assert!(fs::read_to_string(&written).expect("the new file").starts_with('{'));
    // No other file remains.
    let left = fs::read_dir(&folder)
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let left: Vec<String> = left.filter(|name| name.starts_with(".corefeval-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(unix)]
#[test]
fn help_and_lists_report_a_full_disk() {
    if Path::new("/dev/full").exists() {
        let key = file("full-disk.conll", KEY);
        let score = format!("score {key} {key}");
        for line in ["--help", "--version", "score --help", "list", &score] {
            let (status, errors) = shell(&format!("\"$C\" {line} > /dev/full"));
            assert_eq!(status, Some(1), "{line}: {errors}");
            assert!(errors.contains("standard output cannot be written"), "{line}: {errors}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_the_old_file_or_the_new_one() {
    let words = "word\t-\n".repeat(200_000);
    let key =
        file("signalled.conll", format!("#begin document (a); part 000\nAda\t(0)\n{words}#end document\n"));
    let written = place("signalled.jsonlines").display().to_string();
    let line = format!("\"$C\" convert -q {key} --to jsonlines -o {written}");
    assert_eq!(shell(&line).0, Some(0));
    let whole = fs::read(&written).expect("the new file");
    let mut ended = 0;
    for milliseconds in 0..40 {
        fs::write(&written, "old\n").expect("the file can be written");
        let seconds = format!("0.{:03}", 1 + 2 * milliseconds);
        let (status, _) = shell(&format!("timeout -s TERM {seconds} {line}"));
        ended += u32::from(status != Some(0));
        let found = fs::read(&written).expect("the file");
        assert!(
            found == b"old\n" || found == whole,
            "neither the old file nor the new one after {seconds} s"
        );
    }
    assert!(ended > 0, "some runs were ended");
}

/// A name that is not UTF-8 is refused as an argument, and is accepted in a directory.
#[cfg(target_os = "linux")]
#[test]
fn names_of_files_need_not_be_utf8() {
    use std::os::unix::ffi::OsStringExt;
    let folder = place("not-utf8");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(std::ffi::OsString::from_vec(b"a\xff\x1b[31m.conll".to_vec()));
    fs::write(&path, KEY).expect("the file can be written");
    let output =
        command().args(["score", "examples/key.conll"]).arg(&path).output().expect("the command runs");
    let errors = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("error: the argument `") && errors.contains("is not UTF-8"), "{errors}");
    assert!(!errors.contains('\u{1b}'), "{errors}");
    let folder = folder.display().to_string();
    let (printed, _) = run(&["score", "-q", &folder, &folder], 0);
    assert!(printed.contains("100"), "{printed}");
}

/// Two reproductions of a bug: a repeated mention was dropped after split antecedents were read, and their places were stale.
#[test]
fn split_antecedents_and_repeated_mentions_are_supported_together() {
    let header = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING \
                  DISCOURSE_DEIXIS REFERENCE NOM_SEM\n# newdoc id = a\n";
    let text = |cells: [&str; 3]| {
        let blanks = "\t_".repeat(8);
        let row = |(number, cell): (u32, &str)| format!("{number}\tw{number}{blanks}\t{cell}\t_\t_\t_\t_\n");
        let rows: String = (1..).zip(cells).map(row).collect();
        format!("{header}{rows}\n")
    };
    let one = "(EntityID=1|MarkableID=m1|ElementOf=3)";
    let two = "(EntityID=2|MarkableID=m2|ElementOf=3)";
    let sum = "(EntityID=3|MarkableID=m3)";
    let copies = format!("{two}{}", two.replace("m2", "m4"));
    let others = format!("{sum}{}", "(EntityID=1|MarkableID=m5|ElementOf=3)");
    let key = file("sum-key.conllua", text([one, &copies, sum]));
    let response = file("sum-response.conllua", text([one, two, &others]));
    for profile in ["codi-crac-2022-anaphora", "ua"] {
        run(&["agree", "-q", "--profile", profile, &key, &response], 0);
        for duplicates in ["first", "last", "distinct"] {
            let options = ["--duplicates", duplicates, "--split-antecedents", "keep", "--format", "conll-ua"];
            let line = [&["score", "-q", "--profile", profile][..], &options].concat();
            let (printed, _) = run(&[&line[..], &["-o", "json", &key, &key]].concat(), 0);
            let report: Value = serde_json::from_str(&printed).expect("JSON");
            let scores = report.to_string();
            assert!(
                scores.contains("\"f1\":100.0") || scores.contains("\"f1\":1.0"),
                "{duplicates}: {scores}"
            );
            run(&[&line[..], &[&key, &response]].concat(), 0);
        }
    }
    // Each rule of matching credits split antecedents: a document scored against itself gets full scores.
    let key = file("sum-once.conllua", text([one, two, sum]));
    for rule in ["exact", "head", "partial", "craft", "overlap", "muc", "min-span"] {
        for splits in ["keep", "only"] {
            let line = ["score", "-q", "-m", "b_cubed,ceaf_e,lea", "--singletons", "keep", "--match", rule];
            let (printed, _) = run(&[&line[..], &["--split-antecedents", splits, &key, &key]].concat(), 0);
            assert_eq!(printed.matches("100.00").count(), 9, "{rule} {splits}: {printed}");
        }
    }
}

/// Quadratic work has a limit; see `docs/limits.md`.
#[test]
fn quadratic_work_is_refused() {
    let copies = |count: u32| {
        let cell: Vec<String> = (0..count).map(|entity| format!("({entity})")).collect();
        let text =
            format!("#begin document (a); part 000\nAda\t{}\nShe\t(0)\n#end document\n", cell.join("|"));
        file(&format!("copies-{count}.conll"), text)
    };
    let score = ["score", "-q", "-m", "muc", "--singletons", "keep"];
    let (few, many) = (copies(100), copies(2001));
    for rule in ["last", "last-sets", "distinct"] {
        let line = [&score[..], &["--duplicates", rule]].concat();
        let (_, errors) = run(&[&line[..], &[&many, &many]].concat(), 2);
        assert!(errors.contains("the key has the mention of word 1 2001 times"), "{errors}");
        assert!(errors.contains("copies-2001.conll:2:"), "{errors}");
        let options = [format!("--duplicates {rule} compares"), "--duplicates first".to_owned()];
        assert!(options.iter().all(|option| errors.contains(option)), "{errors}");
        run(&[&line[..], &[&few, &many]].concat(), 0);
    }
    run(&[&score[..], &["--duplicates", "first", &many, &many]].concat(), 0);

    let nested = |words: u32| {
        let row = |word: u32| format!("bc/a\t0\t{word}\tw\tNN\t(NP*\t-\t-\t-\t-\t*\t({word}\n");
        let rows: String = (0..words - 1).map(row).collect();
        let closed: Vec<String> = (0..words - 1).rev().map(|word| format!("{word})")).collect();
        let parse = ")".repeat(words as usize);
        let last =
            format!("bc/a\t0\t{}\tw\tNN\t(NN*{parse}\t-\t-\t-\t-\t*\t{}\n", words - 1, closed.join("|"));
        file(
            &format!("nested-{words}.conll"),
            format!("#begin document (bc/a); part 000\n{rows}{last}\n#end document\n"),
        )
    };
    let (few, many) = (nested(60), nested(4500));
    for option in [&["--match", "min-span"][..], &["--np-only"]] {
        let line = [&score[..], option].concat();
        let (_, errors) = run(&[&line[..], &[&many, &many]].concat(), 2);
        assert!(errors.contains("the limit is 10000000") && errors.contains(&option.join(" ")), "{errors}");
        run(&[&line[..], &[&few, &few]].concat(), 0);
    }
    // Mentions with the same minimum span are copies too.
    let line = [&score[..], &["--match", "min-span", "--duplicates", "last"]].concat();
    let many = copies(2001);
    let (_, errors) = run(&[&line[..], &[&many, &many]].concat(), 2);
    assert!(errors.contains("of the same minimum span"), "{errors}");
    run(&[&line[..], &[&few, &few]].concat(), 0);
}

/// A corpus that exceeds the available memory, although each of its documents fits.
#[cfg(target_os = "linux")]
#[test]
fn a_corpus_larger_than_memory_is_converted() {
    const DOCUMENTS: usize = 80;
    const WORDS: usize = 10_000;
    // About twice the memory that the command takes for one of the documents.
    const KILOBYTES: usize = 110_000;
    let [key, response] = [("-", "-"), ("(1)", "-")].map(|(first, other)| {
        let mut text = String::new();
        for document in 0..DOCUMENTS {
            text += &format!("#begin document (d{document}); part 000\n");
            for word in 0..WORDS {
                let cell = if word % 100 == 0 { first } else { other };
                text += &format!("word-number-{word}\t{cell}\n");
            }
            text += "#end document\n";
        }
        file(if first == "-" { "larger-key.conll" } else { "larger.conll" }, &text)
    });
    // With one arena, the allocator does not reserve address space for each thread.
    let bounded = |line: &str| shell(&format!("export MALLOC_ARENA_MAX=1; ulimit -v {KILOBYTES}; {line}"));
    // The same words do not fit as one document, which must be in memory as a whole.
    let inner = fs::read_to_string(&response).expect("the response");
    let inner: Vec<&str> = inner.lines().filter(|line| !line.starts_with('#')).collect();
    let one = file(
        "larger-one.conll",
        format!("#begin document (d); part 000\n{}\n#end document\n", inner.join("\n")),
    );
    let convert = format!("\"$C\" convert -q {one} --to jsonlines > /dev/null");
    let (status, errors) = bounded(&convert);
    assert_ne!(status, Some(0));
    assert!(errors.contains("memory allocation of"), "{errors}");
    let (status, errors) = shell(&convert);
    assert_eq!(status, Some(0), "{errors}");
    let [lines, copy, again] = ["larger.jsonlines", "larger-copy.conll", "larger-again.conll"]
        .map(|name| place(name).display().to_string());
    for line in [
        format!("\"$C\" convert -q {response} --to jsonlines -o {lines}"),
        format!("\"$C\" convert -q {lines} --to corefud | tail -n 3 | grep -q word-number"),
        format!("\"$C\" convert -q {response} --onto {key} --keep-columns -o {copy}"),
        format!("\"$C\" convert -q {lines} --onto {key} --keep-columns -o {again}"),
    ] {
        let (status, errors) = bounded(&line);
        assert_eq!(status, Some(0), "{line}: {errors}");
    }
    assert_eq!(fs::read_to_string(&lines).expect("lines").lines().count(), DOCUMENTS);
    // The copy of the key equals the response; jsonlines does not record names of entities.
    let text = fs::read_to_string(&response).expect("the response");
    assert!(fs::read_to_string(&copy).expect("a copy") == text);
    assert!(fs::read_to_string(&again).expect("a copy") == text.replace("(1)", "(0)"));
    for name in [&key, &response, &one, &lines, &copy, &again] {
        fs::remove_file(name).expect("it exists");
    }
}

/// Runs a line of the shell within 256 MB of address space, including the program itself.
#[cfg(target_os = "linux")]
fn shell_within_256_megabytes(line: &str) -> (Option<i32>, String) {
    // With one arena, the allocator does not reserve address space for each thread.
    shell(&format!("export MALLOC_ARENA_MAX=1; ulimit -v 250000; {line}"))
}

/// An earlier version stored all pairs of split antecedents of key and response: 1.2 GB.
#[cfg(target_os = "linux")]
#[test]
fn a_thousand_split_antecedents_take_little_memory() {
    let mut text = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n".to_owned();
    for split in 0..1000 {
        let cells = [
            format!("Entity=(a{split}--1-)"),
            format!("Entity=(b{split}--1-)"),
            format!("Entity=(c{split}--1-)|SplitAnte=a{split}<c{split},b{split}<c{split}"),
        ];
        for (place, cell) in cells.iter().enumerate() {
            text += &format!("{}\tw\t_\t_\t_\t_\t_\t_\t_\t{cell}\n", 3 * split + place + 1);
        }
    }
    let key = file("splits.conllu", text + "\n");
    let kept = "--split-antecedents keep --singletons keep";
    for line in [
        format!("score {kept} -m all {key} {key}"),
        format!("score {kept} -m all --match head {key} {key}"),
        format!("score {kept} -m all --match partial {key} {key}"),
        format!("agree {kept} one={key} two={key}"),
        format!("errors {kept} {key} {key}"),
        format!("probe {kept} {key} {key}"),
    ] {
        let (status, errors) = shell_within_256_megabytes(&format!("\"$C\" {line}"));
        assert_eq!(status, Some(0), "{line}: {errors}");
    }
}

/// In an earlier version 52 bytes took all memory in `convert`, `probe` and `cone`.
#[cfg(target_os = "linux")]
#[test]
fn positions_without_words_take_little_memory() {
    for last in ["4294967294", "9999999"] {
        let text = format!("{{\"doc_key\":\"a\",\"clusters\":[[[0,{last}],[5,5]]]}}");
        let key = file(&format!("position-{last}.jsonlines"), text);
        let page = place("position.html").display().to_string();
        for line in [
            format!("score {key} {key}"),
            format!("score --entities named {key} {key}"),
            format!("probe {key} {key}"),
            format!("errors {key} {key}"),
            format!("explain {key} {key}"),
            format!("show {key} {key}"),
            format!("report {key} {key} -o {page}"),
            format!("cone {key} {key}"),
            format!("cone --key-approximate {key}"),
            format!("stats {key}"),
            format!("validate {key}"),
            format!("convert {key} --to jsonlines"),
            format!("convert {key} --to conll"),
            format!("convert {key} --onto {key}"),
            format!("prompt {key} --to json-answer"),
        ] {
            let (status, errors) = shell_within_256_megabytes(&format!("\"$C\" {line} > /dev/null"));
            assert!(matches!(status, Some(0 | 1)), "{line}: {errors}");
            assert!(!errors.contains("memory allocation"), "{line}: {errors}");
        }
    }
}

#[cfg(unix)]
#[test]
fn no_output_replaces_an_input() {
    const PRINT: &str = "MUC 50 50 50\n";
    let key = file("guarded.conll", KEY);
    let print = file("guarded.txt", PRINT);
    let (there, called) =
        (Path::new(&key).parent().expect("a folder"), Path::new(&key).file_name().expect("a name"));
    let (there, called) = (there.display(), called.display());
    // A separate folder, because the names of a leaderboard are fixed.
    let folder = place("guarded-site");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let names = folder.join("board.csv").display().to_string();
    fs::write(&names, "key").expect("the file can be written");
    let (both, systems) = (place("guarded-both.csv").display().to_string(), place("guarded-systems"));
    fs::create_dir_all(&systems).expect("the folder can be made");
    let hard = place("guarded-hard.conll");
    let _ = fs::remove_file(&hard);
    fs::hard_link(&key, &hard).expect("a link");
    for line in [
        format!("\"$C\" convert {key} --to conll -o {key}"),
        format!("\"$C\" convert {key} --to conll -o {}", hard.display()),
        format!("\"$C\" convert - --from conll --to conll -o {key} < {key}"),
        format!("cd {there} && \"$C\" convert {called} --to conll -o /proc/self/cwd/{called}"),
        format!("\"$C\" convert {key} --to conll -o /dev/fd/0 0<> {key}"),
        format!("\"$C\" explain {key} {key} --against {print} -o {print}"),
        format!("\"$C\" cone --key-approximate --read-key {names} {key} -o {names}"),
        format!("\"$C\" cone --key-approximate {key} --write-key {both} -o {both}"),
        format!("\"$C\" board {names} {} -o {}", systems.display(), folder.display()),
    ] {
        let (status, errors) = shell(&line);
        assert_eq!(status, Some(2), "{line}: {errors}");
        let refused = ["would be replaced", "to the same file", "which is an input"];
        assert!(refused.iter().any(|why| errors.contains(why)), "{line}: {errors}");
        for (path, text) in [(&key, KEY), (&print, PRINT), (&names, "key")] {
            assert_eq!(fs::read_to_string(path).expect("an input"), text, "{line}");
        }
    }
}

#[test]
fn no_output_replaces_weights_parameters_or_labels() {
    let (key, response) = ("examples/key.conll", "examples/alder.conll");
    let small = |name: &str, text: &str| (file(name, text), text.to_owned());
    // Their names end like those of outputs.
    let weights = small("guarded-weights.json", "[mention-type]\nPRO = 0.5\n");
    let parameters = small("guarded-parameters.md", "");
    let labels = small("guarded-labels.csv", "Ada B-PER\n");
    for (option, (path, text)) in
        [("--weights", weights), ("--ace-parameters", parameters), ("--ne-labels", labels)]
    {
        let errors = run(&["score", option, &path, "-o", &path, key, response], 2).1;
        assert!(errors.contains("would be replaced"), "{option}: {errors}");
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_start_are_not_required() {
    // A stack as large as the address space keeps a thread from starting, as a limit on processes does.
    const STACK: &str = "140737488355328";
    let (key, response, other) = ("examples/key.conll", "examples/alder.conll", "examples/birch.conll");
    let pairs = ["score", "-q", "--pair-files", "examples/pairs/key", "examples/pairs/alder"];
    for line in [
        &["score", "-q", key, response][..],
        &["compare", "-q", "--resamples", "100", key, response, other],
        &["errors", "-q", key, response],
        &["agree", "-q", key, response],
        &["correlate", "-q", "--x", "muc", "--y", "lea", "--resamples", "100", key, response, other],
        &pairs,
    ] {
        for threads in ["1", "2", "8"] {
            let mut command = command();
            command.args(line).args(["--threads", threads]);
            let wanted = command.output().expect("the command runs");
            let found = command.env("RUST_MIN_STACK", STACK).output().expect("the command runs");
            assert_eq!(found.status.code(), Some(0), "{line:?}: {}", String::from_utf8_lossy(&found.stderr));
            assert_eq!((found.stdout, found.stderr), (wanted.stdout, wanted.stderr), "{line:?}");
        }
    }
}

/// Key and responses are replaced while the command reads them. The cache must store the counts of the bytes that were
/// read.
#[test]
fn files_that_are_swapped_do_not_poison_the_cache() {
    let folder = place("swapped");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    // Two files of equal size with different scores, long enough to take a while to read.
    let text = |first: u32, second: u32| {
        let documents = (0..200).map(|document| {
            let rows: String =
                (0..20).map(|row| format!("w\t({})\n", if row % 2 == 0 { first } else { second })).collect();
            format!("#begin document (d{document}); part 000\n{rows}#end document\n")
        });
        documents.collect::<String>()
    };
    let texts = [text(1, 1), text(1, 2)];
    let [key, one, two] = ["key.conll", "one.conll", "two.conll"].map(|name| folder.join(name));
    let put = |path: &Path, text: &str| {
        let new = path.with_extension("new");
        fs::write(&new, text).expect("the file can be written");
        fs::rename(&new, path).expect("the file can be replaced");
    };
    put(&two, &texts[1]);
    let cache = folder.join("cache").display().to_string();
    let [key_name, one_name, two_name] = [&key, &one, &two].map(|path| path.display().to_string());
    let line = [
        "compare", "-q", "-m", "muc,b_cubed", "--resamples", "100", "-o", "json", &key_name, &one_name,
        &two_name,
    ];
    for round in 0..12 {
        put(&key, &texts[0]);
        put(&one, &texts[0]);
        let child = command()
            .args(line)
            .args(["--cache", &cache])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.expect("the command starts");
        thread::sleep(Duration::from_millis(2 * round));
        for swap in 1.. {
            put(if swap % 2 == 0 { &key } else { &one }, &texts[(swap / 2) % 2]);
            if child.try_wait().expect("the command runs").is_some() {
                break;
            }
        }
        for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            put(&key, &texts[first]);
            put(&one, &texts[second]);
            let (wanted, _) = run(&line, 0);
            let (found, _) = run(&[&line[..], &["--cache", &cache]].concat(), 0);
            assert_eq!(found, wanted, "round {round}, {first} {second}");
        }
    }
}

/// Names of files, ids and words with terminal escapes and direction marks are shown escaped.
#[cfg(unix)]
#[test]
fn messages_are_inert() {
    let hostile = "x\u{1b}[31m\u{202e}y";
    let key = file(
        &format!("{hostile}.conll"),
        format!("#begin document ({hostile}); part 000\n{hostile}\t(0\n#end document\n"),
    );
    for line in [
        vec!["score", "--verbose", &key, &key],
        vec!["score", "--strict", &key, &key],
        vec!["score", &key, hostile],
        vec!["score", "--profile", hostile, &key, &key],
        vec!["show", &key, &key],
        vec!["errors", &key, &key],
        vec!["convert", &key, "--to", "jsonlines", "-o", "/nowhere/\u{1b}[31m"],
    ] {
        let output = command().args(&line).output().expect("the command runs");
        let shown = [output.stdout, output.stderr].concat();
        let shown = String::from_utf8_lossy(&shown);
        let inert = !shown.contains(['\u{1b}', '\u{202e}']);
        assert!(inert && !shown.is_empty(), "{line:?}: {shown:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn reading_respects_the_memory_limit() {
    let words = "word\t-\n".repeat(1 << 20);
    let key =
        file("memory.conll", format!("#begin document (a); part 000\nAda\t(0)\n{words}#end document\n"));
    let (_, errors) = run(&["score", "--max-memory", "1M", &key, &key], 1);
    assert!(errors.contains("memory.conll") && errors.contains("1 MiB of memory"), "{errors}");
    run(&["score", "-q", "--max-memory", "0", &key, &key], 0);
    // An input that can be read only once is read when it is opened, within the same limit.
    let (status, errors) = shell(&format!("cat {key} {key} | \"$C\" score --max-memory 1M {key} -"));
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("-: ") && errors.contains("1 MiB of memory"), "{errors}");
    let (_, errors) = run(&["score", "--max-memory", "much", &key, &key], 2);
    assert!(errors.contains("500M"), "{errors}");
    // The size of weights and labels is limited, regardless of the file.
    for option in ["--ne-labels", "--weights", "--ace-parameters"] {
        let output =
            command().args(["score", option, "/dev/zero", &key, &key]).output().expect("the command runs");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_ne!(output.status.code(), Some(0), "{option}");
        assert!(errors.contains("/dev/zero") && errors.contains("limit"), "{option}: {errors}");
    }
}

/// Every subcommand that reads files supports the option for all its inputs.
#[cfg(target_os = "linux")]
#[test]
fn every_subcommand_respects_the_memory_limit() {
    /// The arguments of each subcommand, where $F is the large input, $K a small one, $D its directory and $O an output.
    const LINES: [(&str, &str); 17] = [
        ("score", "$F $K"),
        ("probe", "$F $K"),
        ("errors", "$F $K"),
        ("explain", "$F $K"),
        ("show", "$F $K"),
        ("report", "$F $K -o $O"),
        ("reproduce", "--simulate --text $F"),
        ("stats", "$F"),
        ("validate", "$F"),
        ("convert", "$F --to jsonlines"),
        ("merge", "$F"),
        ("prompt", "$F --to json-answer"),
        ("compare", "$F one=$K two=$K"),
        ("board", "$F $D -o $O"),
        ("agree", "$F $K"),
        ("correlate", "--x muc --y lea $F one=$K two=$K"),
        ("cone", "$F $K"),
    ];
    let with_option = corefeval::command();
    let with_option = with_option.get_subcommands().map(|row| row.get_name().to_owned());
    let with_option: Vec<String> =
        with_option.filter(|name| run(&[name, "--help"], 0).0.contains("--max-memory <SIZE>")).collect();
    assert_eq!(with_option, LINES.map(|line| line.0));
    let words = "word\t-\n".repeat(640 << 10);
    let whole = format!("#begin document (a); part 000\nAda\t(0)\n{words}#end document\n");
    let folder = place("within");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let (key, folder) = (folder.join("key.conll").display().to_string(), folder.display().to_string());
    fs::write(&key, KEY).expect("the file can be written");
    let documents = file("within.conll", whole);
    let table = file("within.csv", format!("key,response,count\n{}", "a,b,1\n".repeat(1 << 20)));
    let other = place("within-output.html").display().to_string();
    for large in [&documents, &table] {
        let (status, errors) = shell(&format!("gzip -kf {large}"));
        assert_eq!(status, Some(0), "{errors}");
    }
    for (name, typed) in LINES {
        let large = if name == "merge" { &table } else { &documents };
        let compressed = format!("{large}.gz");
        for (input, before) in [
            (large.clone(), String::new()),
            (compressed.clone(), String::new()),
            (format!("<(cat {large})"), String::new()),
            ("-".to_owned(), format!("cat {large} |")),
            ("-".to_owned(), format!("cat {compressed} |")),
        ] {
            let words =
                typed.replace("$F", &input).replace("$K", &key).replace("$D", &folder).replace("$O", &other);
            let (status, errors) = shell(&format!("{before} \"$C\" {name} --max-memory 1M {words} >&2"));
            assert_eq!(status, Some(1), "{before} {name} {words}: {errors}");
            assert!(errors.contains("1 MiB of memory"), "{before} {name} {words}: {errors}");
        }
    }
    // Two inputs of `convert`, each within the limit.
    let onto = format!("\"$C\" convert {key} --to conll --max-memory 1M --onto");
    for line in [format!("{onto} {documents}"), format!("cat {documents} | {onto} -")] {
        let (status, errors) = shell(&line);
        assert!(status == Some(1) && errors.contains("1 MiB of memory"), "{line}: {errors}");
    }
    let (_, errors) = run(&["merge", "--max-memory", "much", &table], 2);
    assert!(errors.contains("500M"), "{errors}");
}

/// Files of a directory that cannot be read: broken links, paths through a file, pictures.
#[cfg(unix)]
#[test]
fn missing_files_and_pictures_are_reported_as_such() {
    let folder = place("links-to-nothing");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("a.conll"), KEY).expect("the file can be written");
    let link = folder.join("b.conll");
    std::os::unix::fs::symlink("nowhere", &link).expect("the link can be made");
    let (link, folder) = (link.display().to_string(), folder.display().to_string());
    let score = |more: &[&str], status| run(&[&["score", "-v"], more].concat(), status).1;
    for key in [&link, &folder] {
        let errors = score(&[key, "examples/key.conll"], 1);
        assert!(
            errors.contains(&format!("{link}: this is a link to `nowhere`, which is missing")),
            "{errors}"
        );
    }
    let errors = score(&[&folder, &folder, "--include", "a*"], 0);
    assert!(errors.contains(": 1 file does not match --include a* (2 times) [file-skipped]"), "{errors}");
    let errors = score(&["examples/key.conll/x", "examples/key.conll"], 1);
    assert!(errors.contains("a part of its path is a file") && !errors.contains("gzip"), "{errors}");
    fs::remove_file(&link).expect("the link can be removed");
    for (name, bytes, option) in [
        ("b.key", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "select the files to read with --include"),
        ("b.xyz", b"neither\n", "select the files to read with --include (such as \"*.conll\")"),
    ] {
        let picture = Path::new(&folder).join(name);
        fs::write(&picture, bytes).expect("the file can be written");
        for more in [&[][..], &["--pair-files"]] {
            let errors = score(&[&[&*folder, &folder][..], more].concat(), 1);
            assert!(errors.contains(option), "{name}: {errors}");
        }
        fs::remove_file(&picture).expect("the file can be removed");
    }
}

/// Files whose names or contents show that they are not annotation are skipped in directories, and reported as such if
/// they are inputs.
#[test]
fn reports_figures_and_programs_are_not_annotation() {
    let folder = place("with-other-files");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    let name = |file: &str| folder.join(file).display().to_string();
    let key = name("a.conll");
    fs::write(&key, KEY).expect("the file can be written");
    for report in ["scores.json", "scores.csv"] {
        run(&["score", "-q", "-m", "muc", &key, &key, "-o", &name(report)], 0);
        let (_, error) = run(&["stats", &name(report)], 1);
        assert!(error.contains("this is a report of corefeval, not annotation"), "{error}");
    }
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    for file in ["b.png", "b.svg", "b.tex", "b.pyc", "b.unknown", "a.conll.old", "a.conll.save"] {
        fs::write(folder.join(file), picture).expect("the file can be written");
    }
    let directory = folder.display().to_string();
    let (_, notes) = run(&["score", "-v", "-m", "muc", &directory, &directory], 0);
    assert!(notes.contains("9 entries were skipped") && notes.contains("a report of corefeval"), "{notes}");
    assert!(notes.contains("b.unknown (not a text file)"), "{notes}");
    // Other JSON is read and reported as another format, whether it comes before or after the annotation.
    for file in ["0.json", "config.json"] {
        fs::write(folder.join(file), "{\"model\": \"x\"}\n").expect("the file can be written");
        let (_, error) = run(&["stats", &directory], 1);
        assert!(error.contains("this file is read as jsonlines, and another file as conll"), "{error}");
        assert!(error.contains("--include") && error.contains("has neither `clusters`"), "{error}");
        fs::remove_file(folder.join(file)).expect("the file can be removed");
    }
}

/// Every output in JSON of every report is recognised, and there are no other kinds of reports.
#[test]
fn all_reports_in_json_are_recognised() {
    const EXAMPLE: &str = "examples/key.conll";
    const ALDER: &str = "examples/alder.conll";
    const CEDAR: &str = "examples/cedar.conll";
    let lines = |kind: Kind| -> &[&[&str]] {
        match kind {
            Kind::Scores => &[
                &["score", EXAMPLE, ALDER],
                &["score", "--by", "document", EXAMPLE, ALDER],
                &["score", "--pair-files", "examples/pairs/key", "examples/pairs/alder"],
            ],
            Kind::Comparison => &[&["compare", "--resamples", "10", EXAMPLE, ALDER, CEDAR]],
            Kind::Agreement => &[&["agree", EXAMPLE, ALDER]],
            Kind::Correlation => {
                &[&["correlate", "--x", "muc", "--y", "lea", "--over", "documents", EXAMPLE, ALDER, CEDAR]]
            }
            Kind::Check => {
                &[&["cone", "--key-approximate", "--annotated", "examples/names/annotated.conll", ALDER]]
            }
            Kind::Errors => &[&["errors", EXAMPLE, CEDAR]],
            Kind::Documents => &[&["show", EXAMPLE, ALDER]],
            Kind::Explanation => &[&["explain", EXAMPLE, ALDER]],
            Kind::Stats => &[&["stats", EXAMPLE]],
            Kind::Validation => &[&["validate", "testdata/formats/conll-broken/empty-id.conll"]],
            Kind::Reproduction => &[&["reproduce"]],
            Kind::List => &[&["list", "metrics"]],
            other => panic!("{other:?} has no command line"),
        }
    };
    let mut found = BTreeSet::new();
    for &kind in Kind::ALL {
        for output in OutputSpec::of(kind) {
            for line in lines(kind) {
                let done = command().args(*line).args(["-q", "-o", output.id]).output().expect("it starts");
                let report = done.stdout;
                let object = serde_json::Deserializer::from_slice(&report).into_iter::<Value>().next();
                let Some(Ok(Value::Object(fields))) = object else { continue };
                let known =
                    REPORTS_IN_JSON.iter().position(|names| fields.keys().take(names.len()).eq(*names));
                found.insert(
                    known.unwrap_or_else(|| panic!("{line:?} in {}: {:?}", output.id, fields.keys())),
                );
                let (_, error) = run(&["stats", &file("report.json", &report)], 1);
                assert!(error.contains("this is a report of corefeval, not annotation"), "{line:?}: {error}");
            }
        }
    }
    assert!(found.into_iter().eq(0..REPORTS_IN_JSON.len()));
}

/// Valid JSON that does not have one document per line.
#[test]
fn json_over_several_lines_is_reported_as_such() {
    let pretty = "{\n \"doc_key\": \"a\",\n \"clusters\": [[[0, 1], [2, 3]]]\n}\n";
    for name in ["pretty.json", "pretty.jsonl"] {
        let path = file(name, pretty);
        let (_, error) = run(&["stats", &path], 1);
        assert!(error.contains("this JSON spans several lines") && error.contains("jq -c"), "{error}");
        assert!(!error.contains("is not JSON"), "{error}");
    }
}

/// The reason why an answer cannot be read is reported with its place, whether or not the format is given.
#[test]
fn answers_that_are_not_recognised_have_their_own_errors() {
    let words = "\"Ines\", \"sold\", \"her\", \"boat\"";
    let pretty = "{\n  \"clusters\" [\n    [\"Ines\", \"her\"],\n    [\"her boat\", \"it\"]\n  ]\n}\n";
    let flat = "1: this is one list of strings, which does not show which of them are the same entity";
    let cut = "the file is truncated: ";
    let named = "the file is truncated: the answer ends before its mentions";
    for (name, text, error, of_named) in [
        ("cut.json", format!("{{\"tokens\": [{words}"), format!("1:41: {cut}it ends within a list"), named),
        (
            "cut-line.json",
            format!("{{\n\"tokens\": [\n{words}\n"),
            format!("3:29: {cut}it ends within a list"),
            named,
        ),
        ("cut-words.json", format!("{{\"document\": [{words}],"), format!("1:46: {named}"), named),
        (
            "cut-text.json",
            "{\"text\": \"Ines sold her boat.\", \"cl".to_owned(),
            format!("1:36: {named}"),
            named,
        ),
        (
            "cut-string.json",
            "{\"text\": \"Ines so".to_owned(),
            format!("1:17: {cut}it ends within a string"),
            named,
        ),
        ("tuple.txt", "('Ines', 'her')\n".to_owned(), flat.to_owned(), flat),
        ("tuples.txt", "('Ines', 'her')\n('her boat', 'it')\n".to_owned(), flat.to_owned(), flat),
        ("list.txt", "['Ines', 'her']\n".to_owned(), flat.to_owned(), flat),
        ("list.json", "[\"Ines\", \"her\"]\n".to_owned(), flat.to_owned(), flat),
        (
            "outside.txt",
            "Sure: {\"a\": [\"Ines\"], \"b\" <c>}\n".to_owned(),
            "do not match any known format".to_owned(),
            "1:27: this is not JSON: a colon is missing after the name",
        ),
    ] {
        let answer = file(name, text);
        let (_, found) = run(&["score", ANSWERS_KEY, &answer], 1);
        assert!(found.contains(&error) && found.contains("hint: "), "{name}: {found}");
        assert!(!found.contains("jq -c") && found.matches("error").count() == 1, "{name}: {found}");
        if !of_named.is_empty() {
            let (_, found) = run(&["score", "--response-format", "json-answer", ANSWERS_KEY, &answer], 1);
            let of_named = of_named.trim_start_matches("1: ");
            assert!(found.contains(of_named) && found.contains("hint: "), "{name}: {found}");
        }
    }
    // Broken JSON of an answer is read as an answer, with a warning about the place.
    for (name, text, warning) in [
        ("colon.json", pretty.to_owned(), "2:14: a colon is missing here [json-broken]"),
        (
            "colon-one-line.json",
            pretty.replace('\n', "") + "\n",
            "1:15: a colon is missing here [json-broken]",
        ),
        (
            "comma.json",
            "{\"clusters\": [\n  [\"Ines\", \"her\"],\n  [\"it\"; \"boat\"]\n]}\n".to_owned(),
            "3:8: a semicolon was read as a comma [json-broken]",
        ),
    ] {
        let (_, found) = run(&["score", ANSWERS_KEY, &file(name, text)], 0);
        assert!(found.contains(warning), "{name}: {found}");
    }
    // Tuples of tuples are lists of lists.
    let tuples = file("tuples-of-tuples.txt", "(('Ines', 'her', 'She'), ('her boat', 'it'))\n");
    let (scores, _) = run(&["score", "-q", "-m", "muc", ANSWERS_KEY, &tuples], 0);
    assert!(scores.contains("MUC     100.00     100.00  100.00"), "{scores}");
}

/// Every command that reads directories can choose their files.
#[test]
fn files_of_directories_are_chosen_everywhere() {
    let folder = place("mixed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    for name in ["key.conll", "key.jsonlines"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        fs::copy(from, folder.join(name)).expect("the file can be copied");
    }
    let folder = folder.display().to_string();
    let converted = ["convert", "--to", "links", &folder];
    for line in [&["score", &folder, &folder][..], &["stats", &folder], &converted] {
        let (_, errors) = run(line, 1);
        assert!(errors.contains("select its files with --include, or"), "{line:?}: {errors}");
        let (out, errors) = run(&[line, &["--include", "*.conll", "-v"]].concat(), 0);
        assert!(
            !out.is_empty() && errors.contains("1 file does not match --include *.conll"),
            "{line:?}: {errors}"
        );
    }
    let (_, errors) = run(&["stats", &folder, "--include", "[x"], 2);
    assert!(errors.contains("`[x` is not a pattern for names"), "{errors}");
}

/// Documents are paired in order only if both sides have the same number of them.
#[test]
fn order_is_suggested_where_it_is_possible() {
    let other = |count: usize| -> String {
        (0..count).map(|number| KEY.replace("(a)", &format!("(other{number})"))).collect()
    };
    let (one, two) = (file("other-one.conll", other(1)), file("other-two.conll", other(2)));
    let key = file("order-key.conll", KEY.to_owned() + &KEY.replace("(a)", "(b)"));
    let (_, errors) = run(&["score", &key, &two, "--pair-documents", "id"], 1);
    assert!(errors.contains("--pair-documents order pairs them in order"), "{errors}");
    let (_, errors) = run(&["score", &key, &one], 1);
    assert!(errors.contains("no document in common") && !errors.contains("in order"), "{errors}");
}

/// The hint of a file without coreference describes the format that it was read in.
#[test]
fn files_without_coreference_get_the_hint_of_their_format() {
    let empty = file("without.txt", "Ada slept .\n");
    let (_, errors) = run(&["score", "examples/key.conll", &empty, "--response-format", "tagged"], 1);
    assert!(errors.contains("where tagged expects it (answers of language models: <m id="), "{errors}");
    let empty = file("without.conll", KEY.replace("(0)", "-"));
    let (_, errors) = run(&["score", "examples/key.conll", &empty], 1);
    assert!(
        errors.contains("where conll expects it (CoNLL") && errors.contains("in the last column); --allow"),
        "{errors}"
    );
}

/// A hint lists only the formats that the side can have: a key is never an answer of a language model.
#[test]
fn only_formats_that_the_side_can_have_are_suggested() {
    let unknown = file("unknown.dat", "no annotation at all\n");
    let (_, errors) = run(&["score", &unknown, "examples/key.conll"], 1);
    assert!(errors.contains("name it with --format (") && !errors.contains("tagged"), "{errors}");
    let (_, errors) = run(&["score", "examples/key.conll", &unknown], 1);
    assert!(errors.contains("name it with --response-format (") && errors.contains("tagged"), "{errors}");
    assert!(errors.contains("an answer without any mark needs --allow-empty too"), "{errors}");
}

/// A key with an empty node, and an answer with one more.
fn with_an_extra_zero() -> [String; 2] {
    let key = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n# sent_id = 1\n\
        1\tIda\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1--1)\n2\tsaw\t_\t_\t_\t_\t0\troot\t_\t_\n\
        3\ther\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1--1)\n3.1\t_\t_\t_\t_\t_\t_\t_\t2:obj\tEntity=(e1--1)\n\n";
    let answer = "Ida|[e1] saw her|[e1] ##|[e1] ##|[e1]\n";
    [file("extra-zero.conllu", key), file("extra-zero.txt", answer)]
}

/// A profile determines the treatment of zeros that the key lacks, whether it is named or implied by the format: one
/// signature has one result.
#[test]
fn extra_zeros_are_treated_as_the_detected_profile_requires() {
    let [key, answer] = with_an_extra_zero();
    for task in ["score", "errors"] {
        let plain = ["--singletons", "keep", "-q", "-m", "mentions", &key, &answer];
        let args = |more: &[&str]| run(&[&[task], &plain[..], more].concat(), 0).0;
        let detected = args(&[]);
        assert!(task != "score" || detected.contains("85.71"), "{detected}");
        assert_eq!(detected, args(&["--profile", "corefud"]));
        assert_eq!(detected, args(&["--key-format", "corefud"]));
        assert_ne!(detected, args(&["--extra-zeros", "drop"]));
    }
}

/// Documents with different ids are paired in order for aligned texts and for conversions too.
#[test]
fn documents_are_paired_in_order_before_they_are_aligned() {
    let text = |ids: [&str; 2]| {
        let document = |id: &str| {
            format!("#begin document ({id}); part 000\nAda\t(0)\nslept\t-\nShe\t(0)\n#end document\n")
        };
        ids.map(document).concat()
    };
    let key = file("in-order-key.conll", text(["a", "b"]));
    let response = file("in-order-response.conll", text(["x", "y"]));
    let order = ["--pair-documents", "order"];
    for level in ["characters", "text"] {
        let score = ["score", "-m", "mentions", &key, &response, "--align", level];
        let (found, _) = run(&[&score[..], &order].concat(), 0);
        // The words agree, so no other level is needed.
        assert!(found.contains("100.00") && found.contains("|align:words"), "{found}");
        run(&score, 1);
    }
    let convert = ["convert", &response, "--onto", &key, "--keep-columns"];
    let (copy, _) = run(&[&convert[..], &order].concat(), 0);
    assert_eq!(copy, text(["a", "b"]));
    run(&convert, 1);
}

/// In a copy of a CorefUD key, mentions of a response without heads get heads from the key's dependencies.
#[test]
fn a_copy_of_the_key_has_heads_by_its_dependencies() {
    let word = |id: &str, form: &str, head: &str, misc: &str| {
        format!("{id}\t{form}\t_\t_\t_\t_\t{head}\t_\t_\t{misc}\n")
    };
    let text = |[boat, viejo, el, end]: [&str; 4]| {
        let first = [
            word("1", "Vio", "0", "_"),
            word("1.1", "_", "_", "_"),
            word("2", "su", "3", boat),
            word("3", "barco", "1", "_"),
            word("4", "viejo", "3", viejo),
        ];
        let second = [word("1", "El", "2", el), word("2", "barco", "0", end)];
        let head = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n";
        format!("{head}{}\n{}\n", first.concat(), second.concat())
    };
    let key = file("heads-key.conllu", text(["Entity=(e1--2-", "Entity=e1)|SpaceAfter=No", "_", "_"]));
    let response = file(
        "heads-response.jsonlines",
        r#"{"doc_key": "d", "sentences": [["Vio", "su", "barco", "viejo"], ["El", "barco"]], "clusters": [[[1, 3], [4, 5]]]}"#,
    );
    let (copy, _) = run(&["convert", "-q", &response, "--onto", &key, "--keep-columns"], 0);
    assert_eq!(copy, text(["Entity=(0--2-", "Entity=0)|SpaceAfter=No", "Entity=(0--2-", "Entity=0)"]));
}

/// An answer has no heads: its mentions match a CorefUD key by words, and in a copy of the key by heads.
#[test]
fn an_answer_matches_by_head_in_a_copy_of_the_key() {
    let word = |id: u32, form: &str, head: &str, misc: &str| {
        format!("{id}\t{form}\t_\t_\t_\t_\t{head}\t_\t_\t{misc}\n")
    };
    let words = [
        word(1, "the", "3", "Entity=(e1--3-"),
        word(2, "old", "3", "_"),
        word(3, "sailor", "4", "Entity=e1)"),
        word(4, "sold", "0", "_"),
        word(5, "his", "6", "Entity=(e1--1-)"),
        word(6, "boat", "4", "_"),
    ];
    let header = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n";
    let key = file("answer-heads-key.conllu", format!("{header}{}\n", words.concat()));
    let answer = file("answer-heads.txt", "the [old sailor](#1) sold [his](#1) boat\n");
    let (table, err) = run(&["score", "-m", "muc", &key, &answer], 0);
    assert!(table.contains("0.00") && err.contains("[no-heads]"), "{table}{err}");
    let copy = file("answer-heads-copy.conllu", "");
    run(&["convert", "-q", &answer, "--onto", &key, "--keep-columns", "-o", &copy], 0);
    let (table, err) = run(&["score", "-m", "muc", &key, &copy], 0);
    assert!(table.contains("100.00") && err.is_empty(), "{table}{err}");
}

/// Without a format, a response is written into a copy of the key's file, whose other columns are unchanged.
#[test]
fn a_response_is_written_into_the_key_s_file_by_default() {
    let line = |word: &str, cell: &str| format!("d\t0\t0\t{word}\tNN\tother\t{cell}\n");
    let key = |cells: [&str; 3]| {
        let words = ["Ada", "slept", "She"].iter().zip(cells).map(|(word, cell)| line(word, cell));
        format!("#begin document (d); part 000\n{}\n#end document\n", words.collect::<String>())
    };
    let text = key(["(0)", "-", "-"]);
    let expected = key(["(7)", "-", "(7)"]);
    let path = file("by-default.v4_gold_conll", text);
    let response = file(
        "by-default-response.conll",
        "#begin document (d); part 000\nAda\t(7)\nslept\t-\nShe\t(7)\n#end document\n",
    );
    let folder = std::env::temp_dir().join(format!("corefeval-by-default-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let convert = |output: &[&str], status| {
        let args = [&["convert", "-q", &response, "--onto", &path][..], output].concat();
        run(&args, status)
    };
    assert_eq!(convert(&[], 0).0, expected);
    for name in ["out", "out.conll", "out.v4_gold_conll", "out.txt"] {
        let out = folder.join(name).display().to_string();
        convert(&["-o", &out], 0);
        assert_eq!(fs::read_to_string(&out).unwrap(), expected, "{name}");
    }
    // A name with another format's extension selects that format, and `--to` writes only the documents.
    let out = folder.join("out.jsonlines").display().to_string();
    convert(&["-o", &out], 0);
    assert!(fs::read_to_string(&out).unwrap().starts_with("{\"doc_key\""));
    assert!(convert(&["-o", "jsonlines"], 0).0.starts_with("{\"doc_key\""));
    assert!(!convert(&["--to", "conll"], 0).0.contains("other"));
    assert!(convert(&["-o", "jsonlins"], 2).1.contains("did you mean `jsonlines`?"));
    // A key that cannot be copied is written in a named format.
    let muc =
        file("by-default.sgm", "<DOC><DOCNO>d</DOCNO><TXT><COREF ID=\"1\">Ada</COREF> slept</TXT></DOC>\n");
    let answer = file("by-default-answer.txt", "[Ada](#1) slept\n");
    let (_, err) = run(&["convert", "-q", &answer, "--onto", &muc], 2);
    assert!(err.contains("the key is muc") && err.contains("name the format to write with --to"), "{err}");
    assert!(run(&["convert", "-q", &answer, "--onto", &muc, "--to", "conll"], 0).0.contains("Ada"));
    fs::remove_dir_all(folder).unwrap();
}

/// `--keep-columns` writes the key's format, regardless of the name of the file. A name of another format is an error,
/// and nothing is written.
#[test]
fn a_copy_of_the_key_is_not_named_after_another_format() {
    let text = "#begin document (d); part 000\nAda\t(0)\nslept\t-\nShe\t(0)\n#end document\n";
    let (key, response) = (file("copy-of.conll", text), file("copy-from.conll", text));
    let convert = |output: &str, status| {
        run(&["convert", "-q", &response, "--onto", &key, "--keep-columns", "-o", output], status)
    };
    let folder = std::env::temp_dir().join(format!("corefeval-copy-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    for (name, format) in [("x.conllu", "corefud"), ("x.jsonlines", "jsonlines"), ("x.csv", "table")] {
        let (_, error) = convert(&path(name), 2);
        assert!(error.contains(&format!("names the format {format}")), "{error}");
        assert!(
            error.contains("which is conll") && error.contains("a file with the extension .conll"),
            "{error}"
        );
        assert!(!folder.join(name).exists());
    }
    assert!(convert("corefud", 2).1.contains("names the format corefud"));
    for name in ["x.conll", "x.response", "x.out", "x"] {
        convert(&path(name), 0);
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), text, "{name}");
    }
    assert_eq!(convert("conll", 0).0, text);
    fs::remove_dir_all(&folder).unwrap();
}

/// A folder of annotation often contains its reports too.
#[test]
fn reports_of_every_kind_in_a_directory_are_skipped() {
    let folder = place("with-reports");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let key = fs::read(root().join("examples/key.conll")).expect("the example");
    fs::write(folder.join("key.conll"), key).expect("a file");
    let mut reports = 0;
    for &kind in Kind::ALL {
        let for_programs = ["csv", "json", "jsonlines", "sarif"];
        for output in OutputSpec::of(kind).filter(|spec| for_programs.contains(&spec.id)) {
            for typed in lines_of(kind) {
                let (out, _) = run(&[typed, &["-o", output.id][..]].concat(), 0);
                fs::write(folder.join(format!("{reports}-{}.{}", typed[0], output.id)), out).expect("a file");
                reports += 1;
            }
        }
    }
    let (_, errors) = run(&["stats", "-v", &folder.display().to_string()], 0);
    assert!(errors.contains(&format!("{reports} entries were skipped")), "{errors}");
}

#[test]
fn a_json_list_of_documents_is_reported_as_such() {
    let document =
        |id: &str| format!(r#"{{"doc_key": "{id}", "sentences": [["a"]], "clusters": [[[0, 0]]]}}"#);
    let [one, two] = ["a", "b"].map(document);
    for (number, list) in [
        format!("[\n  {one},\n  {two}\n]\n"),
        format!("[{one}, {two}]"),
        "[\n {\n  \"clusters\": []\n }\n]".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let path = file(&format!("list-{number}.json"), list);
        for format in [&[][..], &["--format", "jsonlines"]] {
            let (_, error) = run(&[&["stats", &path], format].concat(), 1);
            assert!(error.contains(&format!("{path}:1: this JSON is a list of documents")), "{error}");
            assert!(error.contains("jq -c '.[]' FILE") && error.matches("error").count() == 1, "{error}");
        }
        let (_, error) = run(&["score", "examples/key.jsonlines", &path], 1);
        assert!(error.contains("this JSON is a list of documents"), "{error}");
    }
    let path = file("list-of-json.json", r#"[{"type": "clusters", "clusters": {"e": ["a"]}}]"#);
    for format in [&[][..], &["--format", "json"]] {
        let (_, error) = run(&[&["stats", &path], format].concat(), 1);
        assert!(error.contains("a json file contains one document"), "{error}");
    }
}

#[test]
fn all_missing_files_are_named() {
    let (key, alder) = ("examples/key.conll", "examples/alder.conll");
    let both = |error: &str| {
        ["nope-1", "nope-2"].iter().all(|name| error.contains(&format!("{name}: no such file")))
    };
    for line in [
        &["score", key, "nope-1", alder, "nope-2"][..],
        &["score", "nope-1", "nope-2"],
        &["score", "--pair-files", "nope-1", "nope-2"],
        &["score", "--pair", key, "nope-1", "--pair", "nope-2", alder],
        &["score", "--overlap", "nope-1", "nope-2"],
        &["merge", "nope-1", "nope-2"],
        &["errors", key, "nope-1", "nope-2"],
        &["show", key, "nope-1", "nope-2"],
        &["explain", "nope-1", "nope-2", "--profile", "coval"],
        &["compare", key, alder, "nope-1", "nope-2"],
        &["correlate", "--x", "muc", "--y", "lea", key, "nope-1", "nope-2"],
        &["probe", "nope-1", "nope-2"],
        &["agree", key, "nope-1", "nope-2"],
        &["cone", "--key-approximate", "nope-1", "nope-2"],
        &["stats", key, "nope-1", "nope-2"],
        &[
            "convert",
            key,
            "nope-1",
            "nope-2",
            "--to",
            "conllu",
            "-o",
            &place("not-made").display().to_string(),
        ],
    ] {
        let (out, error) = run(line, 1);
        assert!(both(&(out + &error)), "{line:?}: {error}");
    }
    let many: Vec<String> = (0..25).map(|number| format!("nope-{number}")).collect();
    let line: Vec<&str> = ["score", key].into_iter().chain(many.iter().map(String::as_str)).collect();
    let (_, error) = run(&line, 1);
    assert!(error.matches("no such file").count() == 20, "{error}");
    assert!(error.contains("25 files are missing, of which the first 20 are listed"), "{error}");
    // `compare` can leave them out.
    let (_, error) = run(&["compare", "--resamples", "20", "--skip-broken", key, alder, "nope-1"], 0);
    assert!(error.contains("[system-left-out]"), "{error}");
}

/// Warnings and errors about answers name the cause, not its consequences.
#[test]
fn findings_of_answers_name_the_cause() {
    let key = "examples/answers/key.conll";
    let piped = "Ines|[e1] sold her|[e1],[e2 boat|e2] . She|[e1] misses it|[e2] .\n";
    let empty = "#begin document (boat); part 000\n#end document\n";
    for (number, (answer, expected, unexpected)) in [
        // The sentence surrounds the answer, which has mentions.
        (format!("Here is the text:\n{piped}"), "100.00", "no-mentions"),
        (piped.replace(",[e2 ", ",[e2\n"), "never closes in its line, which is a document", "misses` of the key"),
        // Mentions without a place are put on words after the text.
        ("{\"clusters\": [[\"Ida\", \"hers\"]]}".to_owned(), "are not in the key's text [nothing-shared]", "word 10"),
        (
            "{\"clusters\": [{\"id\": 1, \"mentions\": [\"Ines\"]}, {\"id\": \"1.0\", \"mentions\": [\"her\"]}]}".to_owned(),
            "are the same number",
            "leading zeros",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = file(&format!("cause-{number}.txt"), answer);
        let (out, err) = run(&["score", "-m", "conll", key, &answer], 0);
        let all = out + &err;
        assert!(all.contains(expected) && !all.contains(unexpected), "{answer}: {all}");
    }
    let empty = file("cause-empty.conll", empty);
    let (_, err) = run(&["convert", &empty, "--onto", key], 1);
    assert!(err.contains("the response has no text to compare with `boat; part 000`"), "{err}");
}

#[test]
fn scores_above_100_have_a_note_below_the_table() {
    let repeated = "#begin document (a); part 000\nAda\t(0)|(0)\nslept\t(0)\nBo\t(1)\n#end document\n";
    let key = file("above.conll", repeated);
    let (table, errors) = run(&["score", "--metrics", "ceaf_m,b_cubed", &key, &key], 0);
    assert!(table.contains("133.33"), "{table}");
    let note = "\nAbove 100, since each copy of a mention that an entity repeats counts: CEAF φ3\n";
    assert!(table.contains(note), "{table}");
    assert!(errors.contains("[above-one]"), "{errors}");
    let (table, _) = run(&["score", "--metrics", "b_cubed", &key, &key], 0);
    assert!(!table.contains("bove 100"), "{table}");
}
