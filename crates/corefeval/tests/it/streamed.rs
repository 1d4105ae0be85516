//! Large files are scored while they are read, and rows of documents are printed meanwhile.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use corefeval_report::{Kind, OutputSpec};

use crate::common::{command, file, place};

/// Returns documents in JSON lines. Each has enough mentions to be scored at once, and fills enough of the file.
fn documents() -> Vec<String> {
    let filler = "x".repeat(12 << 20);
    let document = |number: usize| {
        let mut entities = String::new();
        for first in 0..20_000 {
            let second = 20_000 + (first + number) % 20_000;
            let comma = if first == 0 { "" } else { "," };
            write!(entities, "{comma}[[{first},{first}],[{second},{second}]]").expect("a string grows");
        }
        format!("{{\"doc_key\":\"d{number}\",\"note\":\"{filler}\",\"clusters\":[{entities}]}}\n")
    };
    (0..3).map(document).collect()
}

#[test]
fn rows_are_printed_before_the_end_is_read() {
    let documents = documents();
    let key = file("streamed-key.jsonlines", documents.concat());
    let score = |output: &str, threads: &str, response: &[String]| {
        let response = file("streamed-response.jsonlines", response.concat());
        let mut score = command();
        score.args(["score", "-q", "-o", output, "--by", "document", "-m", "muc"]);
        // Findings about words would have the lines of documents.
        score.args(["--check-tokens", "no"]);
        score.args(["--threads", threads, &key, &format!("system={response}")]);
        score
    };
    // The last document of the response has an error, which is reported at the end.
    let last = documents[2].replace("[[0,0]", "[[0,\"a\"]");
    let broken = [&documents[..2], &[last]].concat();
    // If their order differs, documents are read as a whole.
    let [swapped, swapped_broken] = [&documents, &broken].map(|all| [&all[2..], &all[..2]].concat());
    for spec in OutputSpec::of(Kind::Scores).filter(|spec| spec.first.is_some()) {
        let (output, extension) = (spec.id, spec.extensions[0]);
        let whole = score(output, "2", &swapped).output().expect("it starts");
        assert!(whole.status.success());
        let text = String::from_utf8_lossy(&whole.stdout);
        let places = ["d0", "d1", "d2"].map(|id| text.find(id).expect("a row"));
        assert!(places.is_sorted(), "{text}");
        for threads in ["1", "2"] {
            let streamed = score(output, threads, &documents).output().expect("it starts");
            assert_eq!(streamed, whole, "{output}");
            let found = score(output, threads, &broken).output().expect("it starts");
            let errors = String::from_utf8_lossy(&found.stderr);
            assert_eq!(found.status.code(), Some(1), "{errors}");
            let incomplete = String::from_utf8_lossy(&found.stdout);
            assert!(incomplete.starts_with(&text[..places[2]]), "{incomplete}");
            assert!(incomplete.len() < text.len(), "{incomplete}");
            let printed = "error: the rows of 3 documents were printed before this error";
            assert!(errors.contains(printed), "{errors}");
            let advice = format!("with --output FILE.{extension} nothing is written");
            assert!(errors.contains(&advice), "{errors}");
        }
        assert!(score(output, "2", &swapped_broken).output().expect("it starts").stdout.is_empty());
        // The reader of the rows may stop.
        let mut child = score(output, "2", &documents)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut first = [0; 10];
        child.stdout.take().expect("a pipe").read_exact(&mut first).expect("a row");
        let ended = child.wait_with_output().expect("it ends");
        assert!(ended.status.success() && ended.stderr.is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn large_inputs_are_scored_in_less_memory_than_their_documents_take() {
    // Twice the memory that is needed, and two thirds of the memory that all documents take.
    const KILOBYTES: usize = 45_000;
    let filler = "x".repeat(80_000);
    let entity = |number: usize| format!("[[{number},{number}],[{0},{0}]]", number + 1_000);
    let entities = (0..1_000).map(entity).collect::<Vec<_>>().join(",");
    let document = |number: usize| {
        format!("{{\"doc_key\":\"d{number}\",\"note\":\"{filler}\",\"clusters\":[{entities}]}}\n")
    };
    let text: String = (0..400).map(document).collect();
    let folders = ["bounded-key", "bounded-response"].map(place);
    let files = folders.each_ref().map(|folder| {
        fs::create_dir_all(folder).expect("a folder");
        let file = folder.join("all.jsonlines");
        fs::write(&file, &text).expect("a file");
        file.display().to_string()
    });
    let score = |arguments: &[&str]| {
        let line = format!("ulimit -d {KILOBYTES}; exec \"$0\" score -q -m muc \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_corefeval")]).args(arguments);
        shell.output().expect("it starts")
    };
    let [key, response] = &files;
    let whole = score(&["--pair-documents", "order", key, response]);
    let errors = String::from_utf8_lossy(&whole.stderr);
    assert!(!whole.status.success() && errors.contains("memory allocation of"), "{errors}");
    let again = format!("again={response}");
    let [keys, responses] = folders.each_ref().map(|folder| folder.to_str().expect("a path"));
    for arguments in [
        &["--threads", "1", key, response][..],
        &["--threads", "2", key, response],
        &["--threads", "2", key, response, &again],
        &["--threads", "2", keys, responses],
    ] {
        let found = score(arguments);
        assert!(found.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&found.stderr));
        assert!(String::from_utf8_lossy(&found.stdout).contains("100.00"), "{arguments:?}");
    }
    for folder in folders {
        fs::remove_dir_all(folder).expect("it exists");
    }
}
