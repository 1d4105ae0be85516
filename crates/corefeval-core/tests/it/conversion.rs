//! Conversion between any two writable formats preserves scores, and every format is detected again.

use std::sync::Arc;

use corefeval_core::alignment::{Options, onto_document};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FORMATS, FormatSpec, WriteOptions, Written, WrittenTexts};
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{
    Corpus, Dependency, Document, DocumentBuilder, DocumentId, EntityId, Mention, MentionDetails, Span,
    WordsBuilder,
};
use corefeval_core::pairing;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;
use proptest::prelude::*;

use crate::random::Rng;
use crate::writing::{
    APF, BRAT, CONLL, CONLL_UA, COREFUD, Can, ECB_PLUS, JSONLINES, MUC, SEMEVAL, WEBANNO, copy_of, found,
    key_and_response, layers, named, read_again, tapes, whole,
};

/// The formats with a text, and the annotation that their documents can have.
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

/// The formats with names of mentions instead of a text. `convert` makes their documents from those of a format with
/// text.
const NAMES: &[(&str, &Can)] = &[("json", &JSONLINES), ("links", &JSONLINES), ("table", &JSONLINES)];

#[test]
fn every_format_that_is_written_is_listed() {
    let mut written: Vec<&str> =
        FormatSpec::of_documents().filter(|format| format.is_written()).map(|format| format.id).collect();
    let mut listed: Vec<&str> = TEXTS.iter().chain(NAMES).map(|row| row.0).collect();
    written.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, written);
}

/// The losses after which scores may differ: losses of mentions and words. All other losses preserve the spans and
/// entities that exact matching compares.
const LOSSES_OF_SPANS: &[&str] = &[
    "represent: mentions that",
    "represent: repeated mentions",
    "represent: gaps in mentions",
    "represent: empty nodes",
    "represent: a document that has no mentions",
];

/// Returns the scores of the metrics that compare entities and mentions, in full precision.
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

/// Returns whether the losses of both sides preserve the scores.
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

    /// A file is detected as the format that it was written in, even without an extension.
    #[test]
    fn written_files_are_detected(words in tapes(), marks in tapes()) {
        for (_, can) in TEXTS {
            let [corpus, _] = key_and_response(&words, [&marks, &[]], can);
            for to in FORMATS.iter().filter(|format| format.is_written()) {
                let Some(written) = written(to, &corpus) else { continue };
                let WrittenTexts::Whole(text) = &written.texts else { continue };
                // A file without words, mentions and links has no recognisable format.
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

/// The property is not vacuous: most conversions preserve the scores.
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
fn content_and_extension_determine_the_format() {
    let links = "#begin document a\nA-B B-C\n#end document\n";
    let conll = "#begin document (a); part 000\na\t0\t0\tAda\t(1)\n#end document\n";
    let corefud = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n1\tAda\t_\t_\t_\t_\t_\t_\t_\t_\n";
    let words = "#begin document (a)\n1\tAda\t(1)\n2\tslept\t-\n";
    let semeval = "#begin document a\n1\tAda\t_\t(1)\n2\tslept\t_\t_\n\n1\tShe\t_\t(1)\n\n#end document a\n";
    let one = "#begin document 1\n1\t0\t0\tAda\t(1)\n1\t0\t1\tslept\t-\n\n#end document\n";
    let wrong = "#begin document a\n1\tAda\t_\t(1)\n3\tslept\t_\t_\n\n#end document a\n";
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
        // Words that are numbered from 1 in each sentence indicate semeval, regardless of the extension.
        ("x.conll", semeval, "semeval"),
        ("x.key", semeval, "semeval"),
        ("x.v4_gold_conll.gz", semeval, "semeval"),
        ("x.semeval", semeval, "semeval"),
        ("x.txt", semeval, "semeval"),
        // The first column may be the id of the document, so the extension decides.
        ("x.conll", one, "conll"),
        ("x.semeval", one, "semeval"),
        ("x.semeval", conll, "conll"),
        ("x.semeval", words, "semeval"),
        ("x.semeval", wrong, "semeval"),
        ("x.conll", wrong, "conll"),
    ] {
        let found = FormatSpec::detect_file(name, text.as_bytes()).map(|format| format.id);
        assert_eq!(found, Some(format), "{name}: {text}");
    }
    let input = Input::Bytes { name: Arc::from("x.links"), bytes: Arc::from(links.as_bytes()) };
    assert_eq!(input.read(None, &layers(), &Default::default()).unwrap().1.id, "links");
}

/// One side of a text whose other side has different empty nodes.
struct WithNodes {
    builder: DocumentBuilder,
    words: WordsBuilder,
    /// The words of the text, each with the empty nodes after it: their numbers and words.
    text: Vec<(u32, Vec<(u32, u32)>)>,
}

impl WithNodes {
    /// Makes words in sentences of five, with empty nodes after some of them.
    fn random(count: u64, random: &mut Rng) -> WithNodes {
        let builder = DocumentBuilder::new(DocumentId::new("d"), Arc::from("x"), 1);
        let mut side = WithNodes { builder, words: WordsBuilder::new(true), text: Vec::new() };
        side.builder.entities = (0..5).map(|entity| format!("e{entity}").as_str().into()).collect();
        for word in 0..count {
            if word > 0 && word % 5 == 0 {
                side.words.end_sentence();
            }
            let form = format!("w{word}");
            let place = side.words.push(form.as_bytes());
            side.layers(&form);
            let mut nodes = Vec::new();
            for number in 1..=random.below(6).saturating_sub(3) as u32 {
                if random.below(4) > 0 {
                    let node = side.words.push_numbered_empty_node(number);
                    side.layers("_");
                    nodes.push((number, node));
                    if random.below(2) == 0 {
                        let relation = ["nsubj", "obj"][random.below(2) as usize].into();
                        side.words.push_dependency(Dependency { word: node, parent: Some(place), relation });
                    }
                }
            }
            side.text.push((place, nodes));
        }
        side
    }

    fn layers(&mut self, form: &str) {
        let layers = self.words.layers_mut().unwrap();
        layers.form.push(form);
        layers.line.push(1);
        for column in
            [&mut layers.part_of_speech, &mut layers.parse, &mut layers.named_entity, &mut layers.speaker]
        {
            column.push("");
        }
    }

    /// Adds mentions of words of the text, including the empty nodes among them that both sides have, and mentions of
    /// zeros. Mentions of one entity do not overlap.
    fn finish(mut self, other: &[(u32, Vec<(u32, u32)>)], random: &mut Rng) -> Corpus {
        let mut taken = Vec::new();
        for _ in 0..random.below(9) {
            let entity = random.below(5);
            let first = random.below(self.text.len() as u64) as usize;
            let last = (first + random.below(4) as usize).min(first / 5 * 5 + 4).min(self.text.len() - 1);
            if taken.iter().any(|&(of, from, to)| of == entity && from <= last && first <= to) {
                continue;
            }
            taken.push((entity, first, last));
            let mut words = Vec::new();
            for (place, (own, their)) in (first..=last).zip(self.text.iter().zip(other).skip(first)) {
                words.push(own.0);
                let shared = |number: u32| their.1.iter().any(|node| node.0 == number);
                let nodes = own.1.iter().filter(|node| place < last && shared(node.0));
                words.extend(nodes.map(|node| node.1));
            }
            let runs = words.chunk_by(|one, next| one + 1 == *next);
            let parts: Vec<Span> = runs.filter_map(|run| Span::new(run[0], run[run.len() - 1] + 1)).collect();
            let span = Span::new(words[0], words[words.len() - 1] + 1).unwrap();
            let mention = Mention::new(span, EntityId::new(entity as usize), 1, 1).with_head(words[0]);
            let parts = if parts.len() > 1 { parts } else { Vec::new() };
            let details = MentionDetails { parts, ..MentionDetails::default() };
            self.builder.mentions.push(mention.with_details(details).unwrap());
        }
        for node in self.text.iter().flat_map(|(_, nodes)| nodes) {
            if random.below(2) == 0 {
                let entity = EntityId::new(random.below(5) as usize);
                self.builder.mentions.push(Mention::new(Span::word(node.1), entity, 1, 1).with_head(node.1));
            }
        }
        let document = self.builder.finish(self.words.finish()).unwrap();
        Corpus { documents: vec![document], ..Corpus::default() }
    }
}

/// Returns the scores of mentions that are words of the text.
fn scores_in_text(key: &Corpus, response: &Corpus, rule: &str) -> String {
    let mut settings = Settings::of(Profile::for_format("corefud"));
    for (name, value) in [("zeros", "drop"), ("singletons", "keep"), ("match", rule)] {
        settings.set(name, value).unwrap();
    }
    let mut diagnostics = Diagnostics::default();
    let pairs = pairing::pair(key, response, &mut diagnostics).unwrap();
    let metrics = ["mentions", "muc", "b_cubed", "ceaf_e", "lea", "mention_overlap"];
    let metrics = metrics.iter().map(|metric| Metric::parse(metric).unwrap()).collect();
    let task = Task { settings, metrics, by: None, threads: 1 };
    let report = score_documents(&pairs, &task, &mut diagnostics).unwrap();
    report.results.iter().map(|result| format!("{:?}\n", result.score)).collect()
}

/// A response whose empty nodes differ from the key's keeps its words of the text on the key's words, and has zeros
/// only at the key's empty nodes.
#[test]
fn mentions_keep_their_words_among_other_empty_nodes() {
    let mut random = Rng(61);
    let format = named("corefud");
    let options =
        Options { keep_unplaced: false, ..Options::of(&Settings::of(Profile::for_format("corefud"))) };
    let (mut other_nodes, mut lost, mut zeros) = (0, 0, 0);
    for round in 0..400 {
        let count = 2 + random.below(14);
        let sides = [(); 2].map(|()| WithNodes::random(count, &mut random));
        let texts = [0, 1].map(|side: usize| sides[side].text.clone());
        let [key, response] = sides;
        let (key, response) = (key.finish(&texts[1], &mut random), response.finish(&texts[0], &mut random));
        let text = whole(&format.write(&key, WriteOptions::default()).unwrap());
        let key = read_again(format, &format.write(&key, WriteOptions::default()).unwrap(), layers());
        let theirs = response.documents[0].clone();
        let mut found = Diagnostics::default();
        let placed = onto_document(&key.documents[0], theirs, &options, &mut found).unwrap();
        let ours = key.documents[0].words();
        assert_eq!(placed.words().empty_nodes(), ours.empty_nodes());
        other_nodes += usize::from(texts[0] != texts[1]);
        lost += found.groups().iter().filter(|group| group.code == Code::ZeroUnplaced).count();
        let is_zero = |mention: &&Mention| ours.is_empty_node(mention.span().start());
        zeros += placed.mentions().iter().filter(is_zero).count();
        let placed = Corpus { documents: vec![placed], ..Corpus::default() };
        let (copy, _) = copy_of(format, text.as_bytes(), (&key, &placed), WriteOptions::default());
        let copy = format.read(copy.as_bytes(), "copy", layers()).unwrap();
        for rule in ["exact", "head", "partial"] {
            let before = scores_in_text(&key, &response, rule);
            assert_eq!(scores_in_text(&key, &placed, rule), before, "{round} {rule}\n{text}");
            assert_eq!(scores_in_text(&key, &copy, rule), before, "{round} {rule}\n{text}");
        }
    }
    assert!(other_nodes > 200 && lost > 50 && zeros > 100, "{other_nodes} {lost} {zeros}");
}

/// A mention keeps its words if an empty node is elsewhere. A zero gets the empty node that depends on the same word
/// in the same way, with a warning if it is in a different place, or is left out and counted.
#[test]
fn zeros_get_the_empty_nodes_of_the_key() {
    let file = |node: usize, dependency: &str, entity: &str| {
        let mut text = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n# sent_id = 1\n".to_owned();
        for (number, word) in (1..).zip(["saw", "big", "dogs", "run", "."]) {
            let mention = match number {
                2 => "Entity=(e1--2-",
                3 => "Entity=e1)",
                _ => "_",
            };
            text += &format!("{number}\t{word}\t_\t_\t_\t_\t0\troot\t_\t{mention}\n");
            if number == node {
                text += &format!("{number}.1\t_\t_\t_\t_\t_\t_\t_\t{dependency}\tEntity=({entity}--1)\n");
            }
        }
        format!("{text}\n")
    };
    let key = file(2, "4:nsubj", "e1");
    for (response, expected, codes) in [
        (file(2, "4:obj", "e1"), vec![(2, 3, 1), (1, 4, 3)], vec![]),
        (file(5, "4:nsubj", "e1"), vec![(1, 4, 2), (2, 3, 1)], vec![Code::ZeroMoved]),
        (file(5, "1:obj", "e1"), vec![(1, 4, 2)], vec![Code::ZeroUnplaced]),
        (file(9, "", ""), vec![(1, 4, 2)], vec![]),
    ] {
        let read = |text: &str| named("corefud").read(text.as_bytes(), "x", layers()).unwrap();
        let (key, response) = (read(&key), read(&response));
        let settings = Settings::of(Profile::for_format("corefud"));
        let options = Options { keep_unplaced: false, ..Options::of(&settings) };
        let mut found = Diagnostics::default();
        let theirs = response.documents[0].clone();
        let placed = onto_document(&key.documents[0], theirs, &options, &mut found).unwrap();
        let mentions = placed.mentions().iter();
        let words =
            mentions.map(|mention| (mention.span().start(), mention.span().end(), mention.word_count()));
        assert_eq!(words.collect::<Vec<_>>(), expected);
        assert_eq!(found.groups().iter().map(|group| group.code).collect::<Vec<_>>(), codes);
    }
}
