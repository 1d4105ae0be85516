//! Rows of documents that are printed while large files are read.

use std::fmt::Write as _;
use std::io::Read as _;
use std::process::Stdio;

use corefeval_report::{Kind, OutputSpec};

use crate::common::{command, file};

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
        score.args(["--threads", threads, &key, &format!("system={response}")]);
        score
    };
    // The last document of the response has an error, which is reported at the end.
    let last = documents[2].replace("[[0,0]", "[[0,\"a\"]");
    let broken = [&documents[..2], &[last]].concat();
    for spec in OutputSpec::of(Kind::Scores).filter(|spec| spec.first.is_some()) {
        let (output, extension) = (spec.id, spec.extensions[0]);
        // One thread reads the files as a whole.
        let [streamed, whole] =
            ["2", "1"].map(|threads| score(output, threads, &documents).output().expect("it starts"));
        assert!(whole.status.success());
        assert_eq!(streamed, whole, "{output}");
        let text = String::from_utf8_lossy(&whole.stdout);
        let places = ["d0", "d1", "d2"].map(|id| text.find(id).expect("a row"));
        assert!(places.is_sorted(), "{text}");
        let found = score(output, "2", &broken).output().expect("it starts");
        let errors = String::from_utf8_lossy(&found.stderr);
        assert_eq!(found.status.code(), Some(1), "{errors}");
        let incomplete = String::from_utf8_lossy(&found.stdout);
        assert!(incomplete.starts_with(&text[..places[2]]) && incomplete.len() < text.len(), "{incomplete}");
        assert!(errors.contains("error: the rows of 3 documents were printed before this error"), "{errors}");
        assert!(errors.contains(&format!("with --output FILE.{extension} nothing is written")), "{errors}");
        assert!(score(output, "1", &broken).output().expect("it starts").stdout.is_empty());
        // Whoever reads the rows may stop.
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
