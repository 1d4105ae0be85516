//! Converted files score as before: every pair of writable formats, and every format is detected again.

use std::sync::Arc;

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FORMATS, FormatSpec, Texts, WriteOptions, Written};
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Corpus, Document};
use corefeval_core::pairing;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;
use proptest::prelude::*;

use crate::writing::{
    APF, BRAT, CONLL, CONLL_UA, COREFUD, Can, ECB_PLUS, JSONLINES, MUC, SEMEVAL, WEBANNO, found,
    key_and_response, layers, named, read_again, tapes, whole,
};

/// The formats with a text, with the annotation that their documents can have.
const TEXTS: &[(&str, &Can)] = &[
    ("conll", &CONLL),
    ("jsonlines", &JSONLINES),
    ("corefud", &COREFUD),
    ("conll-ua", &CONLL_UA),
    ("brat", &BRAT),
    ("ecb+", &ECB_PLUS),
    ("muc", &MUC),
    ("semeval", &SEMEVAL),
    ("webanno", &WEBANNO),
    ("apf", &APF),
];

/// The formats with names of mentions instead of a text: `convert` makes their documents from those of a format with
/// one.
const NAMES: &[(&str, &Can)] = &[("json", &JSONLINES), ("links", &JSONLINES), ("table", &JSONLINES)];

/// The losses after which scores may differ: those of mentions and words. All others leave the spans and entities that
/// exact matching compares as they are.
const LOSSES_OF_SPANS: &[&str] = &[
    "represent: mentions that",
    "represent: repeated mentions",
    "represent: gaps in mentions",
    "represent: empty nodes",
    "represent: a document that has no mentions",
];

/// The scores of the metrics that compare entities and mentions, in full precision.
fn scores(sides: &[Corpus; 2]) -> Result<String, String> {
    let [key, response] = sides;
    let mut diagnostics = Diagnostics::default();
    let pairs = pairing::pair(key, response, &mut diagnostics).map_err(|error| error.message())?;
    let metrics = ["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"];
    let task = Task {
        settings: Settings::of(Profile::for_format("conll")),
        metrics: metrics.iter().map(|metric| Metric::parse(metric).unwrap()).collect(),
        by: None,
        threads: 1,
    };
    let report = score_documents(&pairs, &task, &mut diagnostics).map_err(|error| error.to_string())?;
    Ok(report.results.iter().map(|result| format!("{:?}\n", result.score)).collect())
}

fn written(format: &'static FormatSpec, corpus: &Corpus) -> Option<Written> {
    format.write(corpus, WriteOptions::default()).ok()
}

/// Returns whether the losses of both sides leave scores as they are.
fn keeps_scores(sides: &[Written; 2]) -> bool {
    sides.iter().all(|side| {
        let shown = found(side, Code::NotWritten);
        let groups = side.diagnostics.groups().iter().filter(|group| group.code == Code::NotWritten);
        let all_shown = groups.map(|group| group.count).sum::<u64>() == shown.len() as u64;
        all_shown && !shown.iter().any(|loss| LOSSES_OF_SPANS.iter().any(|what| loss.contains(what)))
    })
}

/// Converts both sides to every format and from there to every other, and compares the scores.
fn convert_everywhere(
    from: &str,
    can: &Can,
    words: &[u16],
    marks: [&[u16]; 2],
) -> Result<usize, TestCaseError> {
    let sides = key_and_response(words, marks, can);
    // A table without rows is not a table.
    let is_empty = |corpus: &Corpus| corpus.documents.iter().all(|document| document.mentions().is_empty());
    if from == "table" && sides.iter().any(is_empty) {
        return Ok(0);
    }
    let first = sides.map(|side| written(named(from), &side));
    let [Some(key), Some(response)] = first else { return Ok(0) };
    let sides = [key, response].map(|side| read_again(named(from), &side, layers()));
    let before = scores(&sides);
    let mut compared = 0;
    for to in FORMATS.iter().filter(|format| format.is_written()) {
        let [Some(key), Some(response)] = [0, 1].map(|side| written(to, &sides[side])) else { continue };
        let texts = [key, response];
        if to.id == "table" && sides.iter().any(is_empty) {
            continue;
        }
        if keeps_scores(&texts) {
            let after = scores(&[0, 1].map(|side| read_again(to, &texts[side], layers())));
            prop_assert_eq!(
                &after,
                &before,
                "{} to {}\n{}\n{}",
                from,
                to.id,
                whole(&texts[0]),
                whole(&texts[1])
            );
            compared += 1;
        }
    }
    Ok(compared)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_are_the_same_in_every_format(words in tapes(), key in tapes(), response in tapes()) {
        for (from, can) in TEXTS.iter().chain(NAMES) {
            convert_everywhere(from, can, &words, [&key, &response])?;
        }
    }

    /// A file is detected as the format that it was written in, also without an extension.
    #[test]
    fn written_files_are_detected(words in tapes(), marks in tapes()) {
        for (_, can) in TEXTS {
            let [corpus, _] = key_and_response(&words, [&marks, &[]], can);
            for to in FORMATS.iter().filter(|format| format.is_written()) {
                let Some(written) = written(to, &corpus) else { continue };
                let Texts::Whole(text) = &written.texts else { continue };
                // Without any word, mention or link a file is nothing in particular.
                let nothing = |document: &Document| {
                    document.mentions().is_empty() || document.words().count_in_text() == 0
                };
                if corpus.documents.iter().all(nothing) {
                    continue;
                }
                for name in [&*format!("x.{}", to.extensions[0]), "x", "-"] {
                    let detected = FormatSpec::detect_file(name, text.as_bytes());
                    prop_assert_eq!(detected.map(|format| format.id), Some(to.id), "{}: {}", name, text);
                }
            }
        }
    }
}

/// The property is about something: most conversions keep the scores.
#[test]
fn most_conversions_are_compared() {
    let mut number = 1u64;
    let mut next = move || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 48) as u16
    };
    let mut tape = || (0..200).map(|_| next()).collect::<Vec<u16>>();
    for (from, can) in TEXTS.iter().chain(NAMES) {
        let compared: usize = (0..40)
            .map(|_| convert_everywhere(from, can, &tape(), [&tape(), &tape()]).expect("scores are the same"))
            .sum();
        assert!(compared >= 40, "{from}: {compared} of 360 conversions keep the scores");
    }
}

#[test]
fn a_file_is_read_as_its_content_and_its_extension_say() {
    let links = "#begin document a\nA-B B-C\n#end document\n";
    let conll = "#begin document (a); part 000\na\t0\t0\tAda\t(1)\n#end document\n";
    let corefud = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n1\tAda\t_\t_\t_\t_\t_\t_\t_\t_\n";
    let words = "#begin document (a)\n1\tAda\t(1)\n2\tslept\t-\n";
    for (name, text, format) in [
        ("x.links", links, "links"),
        ("x.links.gz", links, "links"),
        ("x", links, "links"),
        ("x.conll", links, "links"),
        ("x", "#begin document a\n{0..2 5 (16)}\n{5..12}\n", "links"),
        ("x.links", conll, "conll"),
        ("x.conll", conll, "conll"),
        ("x.txt", conll, "conll"),
        ("x.key", conll, "conll"),
        ("x", conll, "conll"),
        ("-", conll, "conll"),
        // Unambiguous content overrides the extension.
        ("x.conll", corefud, "corefud"),
        ("x.links", corefud, "corefud"),
        ("x.conll", words, "conll"),
    ] {
        let found = FormatSpec::detect_file(name, text.as_bytes()).map(|format| format.id);
        assert_eq!(found, Some(format), "{name}: {text}");
    }
    let input = Input::Bytes { name: Arc::from("x.links"), bytes: Arc::from(links.as_bytes()) };
    assert_eq!(input.read(None, &layers(), &Default::default()).unwrap().1.id, "links");
}
