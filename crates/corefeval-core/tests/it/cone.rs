//! CONE: against a plain twin, against B³ and CEAF, by hand, and on invalid labels.

use crate::generators::{Pair, check as check_all, pairs};
use crate::twins::Twin;
use corefeval_core::cone::{Approximated, NamesKey, check, score_approximated};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::heuristics::Heuristics;
use corefeval_core::metrics::{self, Metric};
use corefeval_core::model::Corpus;
use corefeval_core::named::{self, NameFile, NamedCounts};
use corefeval_core::pairing;
use corefeval_core::profiles::Profile;
use corefeval_core::results::SystemReport;
use corefeval_core::score::Task;
use corefeval_core::settings::{NamedSource, Settings};
use corefeval_core::significance::Method;
use num_traits::ToPrimitive;
use proptest::collection::btree_set;
use proptest::prelude::*;

fn read(text: &str) -> Corpus {
    let options = ReadOptions::with_layers();
    FormatSpec::named("conll").unwrap().read(text.as_bytes(), "test", options).unwrap()
}

/// Writes a CoNLL-2012 document in which mention i is word i, named or not.
fn document(entities: &[Vec<u32>], count: u32, named: &dyn Fn(u32) -> bool) -> String {
    let mut text = String::from("#begin document (d); part 000\n");
    for word in 0..count {
        let entity = entities.iter().position(|entity| entity.contains(&word));
        let cell = entity.map_or("-".to_owned(), |entity| format!("({entity})"));
        let name = if named(word) { "(PERSON*)" } else { "*" };
        text.push_str(&format!("d\t0\t{word}\tw{word}\tNN\t-\t-\t-\t-\t-\t{name}\t*\t{cell}\n"));
    }
    text + "\n#end document\n"
}

fn task(metrics: &str, choices: &[(&str, &str)]) -> Task {
    let mut settings = Settings::of(Profile::named("conll").unwrap());
    for (name, value) in choices {
        settings.set(name, value).unwrap();
    }
    let metrics = metrics.split(',').map(|id| Metric::parse(id).unwrap()).collect();
    Task { settings, metrics, by: None, threads: 1 }
}

fn score(key: &Corpus, response: &Corpus, task: &Task) -> SystemReport {
    let mut diagnostics = Diagnostics::default();
    let pairs = pairing::pair(key, response, &mut diagnostics).unwrap();
    score_documents(&pairs, task, &mut diagnostics).unwrap()
}

/// Prunes entities to the mentions for which `named` is true.
fn pruned(entities: &[Vec<u32>], named: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
    let names = |entity: &Vec<u32>| entity.iter().copied().filter(|&mention| named(mention)).collect();
    entities.iter().map(names).filter(|entity: &Vec<u32>| !entity.is_empty()).collect()
}

/// Returns the entities with a named mention.
fn with_names(entities: &[Vec<u32>], named: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
    entities.iter().filter(|entity| entity.iter().any(|&mention| named(mention))).cloned().collect()
}

fn numbers(report: &SystemReport, place: usize) -> [f64; 3] {
    let score = report.results[place].score;
    [score.recall, score.precision, score.f1]
}

fn assert_twin(twin: &str, key: &[Vec<u32>], response: &[Vec<u32>], found: [f64; 3], place: &str) {
    let (_, wanted) = Twin::of(twin).evaluate(key, response);
    for (wanted, found) in wanted.parts().into_iter().zip(found) {
        let wanted = wanted.to_f64().unwrap();
        assert!((wanted - found).abs() < 1e-12, "{place}: {found} is not {wanted}\n{key:?}\n{response:?}");
    }
}

/// Scores after all stages equal the twin's, on sides pruned by hand and on entities with a name.
#[test]
fn cone_equals_the_twin_on_pruned_sides() {
    let values = (pairs(), btree_set(0..20u32, 0..12));
    check_all(400, values, |(pair, names): (Pair, _)| {
        let named = |mention: u32| names.contains(&mention);
        let count = 1 + pair.key.iter().chain(&pair.response).flatten().max().copied().unwrap_or(0);
        let texts = [&pair.key, &pair.response].map(|side| read(&document(side, count, &named)));
        let task_of = |choices: &[(&str, &str)]| task("cone_b_cubed,cone_ceaf,b_cubed,ceaf_m", choices);
        let (key, response) = (pruned(&pair.key, &named), pruned(&pair.response, &named));
        let report = score(&texts[0], &texts[1], &task_of(&[("named", "ne-column")]));
        for (place, twin) in ["b_cubed", "ceaf_m"].iter().enumerate() {
            assert_twin(twin, &key, &response, numbers(&report, place), "CONE");
            assert_twin(twin, &pair.key, &pair.response, numbers(&report, place + 2), "all mentions");
        }
        let NamedCounts { key: ours, response: theirs, .. } = report.named.unwrap();
        assert_eq!(ours.entities as usize, key.len());
        assert_eq!(theirs.named as usize, response.iter().flatten().count());
        let report = score(&texts[0], &texts[1], &task_of(&[("named", "ne-column"), ("entities", "named")]));
        let (whole_key, whole) = (with_names(&pair.key, &named), with_names(&pair.response, &named));
        for (place, twin) in ["b_cubed", "ceaf_m"].iter().enumerate() {
            assert_twin(twin, &key, &response, numbers(&report, place), "CONE of NE-CRR");
            assert_twin(twin, &whole_key, &whole, numbers(&report, place + 2), "NE-CRR");
        }
    });
}

#[test]
fn cone_equals_b_cubed_and_ceaf_if_all_mentions_are_named() {
    check_all(200, pairs(), |pair: Pair| {
        let count = 1 + pair.key.iter().chain(&pair.response).flatten().max().copied().unwrap_or(0);
        let texts = [&pair.key, &pair.response].map(|side| read(&document(side, count, &|_| true)));
        let report = score(&texts[0], &texts[1], &task("b_cubed,cone_b_cubed,ceaf_m,cone_ceaf", &[]));
        assert_eq!(numbers(&report, 0), numbers(&report, 1));
        assert_eq!(numbers(&report, 2), numbers(&report, 3));
        assert_eq!(report.named.unwrap().source, NamedSource::NeColumn);
    });
}

/// The example of the paper, through all stages: letters are named.
#[test]
fn the_example_of_the_paper() {
    let letters = |mention: u32| mention < 3;
    let sides: [Vec<Vec<u32>>; 3] =
        [vec![vec![0, 1, 2, 3, 4, 5, 6]], vec![vec![0, 1, 3, 4, 5]], vec![vec![0, 2, 3, 4, 6], vec![1, 5]]];
    let [key, first, second] = sides.map(|side| read(&document(&side, 7, &letters)));
    let task = task("cone_b_cubed,cone_ceaf", &[]);
    let counts = |report: &SystemReport, place: usize| {
        let counts = &report.results[place].tally.as_ref().unwrap().first;
        [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]
            .map(|sum| sum.to_ratio().unwrap())
    };
    let report = score(&key, &first, &task);
    assert_eq!(counts(&report, 0), [(4, 3), (3, 1), (2, 1), (2, 1)]);
    assert_eq!(counts(&report, 1), [(2, 1), (3, 1), (2, 1), (2, 1)]);
    let report = score(&key, &second, &task);
    assert_eq!(counts(&report, 0), [(5, 3), (3, 1), (3, 1), (3, 1)]);
    assert_eq!(counts(&report, 1), [(2, 1), (3, 1), (2, 1), (3, 1)]);
}

/// Without a name on either side the metrics are undefined, and requesting them is an error.
#[test]
fn scores_are_undefined_without_names() {
    let side = read(&document(&[vec![0, 1]], 2, &|_| false));
    let report = score(&side, &side, &task("cone_b_cubed", &[("named", "rules")]));
    assert!(report.named.unwrap().check().unwrap_err().remedy().unwrap().contains("--ne-labels"));
    assert!(!report.results[0].is_defined());
}

const WORDS: &str = "Ingrid Moe met Olav . Moe left . Berge saw the Hamre Line , and Hamre saw Olav Berge .";

/// Scores names against a key made from the names of the text.
fn by_names_of_text(response: &Corpus, task: &Task, diagnostics: &mut Diagnostics) -> Approximated {
    let key = NamesKey::Made(Heuristics::default());
    score_approximated(response, task, key, true, diagnostics).unwrap()
}

/// Makes documents with the same words, with mentions as `first-last:entity`.
fn corpus(mentions: &[&str]) -> Corpus {
    let mut text = String::new();
    for (number, mentions) in mentions.iter().enumerate() {
        let spans: Vec<(usize, usize, &str)> = mentions
            .split_whitespace()
            .map(|mention| {
                let (span, entity) = mention.split_once(':').unwrap();
                let (first, last) = span.split_once('-').unwrap_or((span, span));
                (first.parse().unwrap(), last.parse().unwrap(), entity)
            })
            .collect();
        text.push_str(&format!("#begin document (d{number}); part 000\n"));
        for (word, form) in WORDS.split(' ').enumerate() {
            let open = spans.iter().filter(|span| span.0 == word).map(|span| match span.1 == word {
                true => format!("({})", span.2),
                false => format!("({}", span.2),
            });
            let close = spans
                .iter()
                .filter(|span| span.1 == word && span.0 != word)
                .map(|span| format!("{})", span.2));
            let cells: Vec<String> = open.chain(close).collect();
            let cell = if cells.is_empty() { "-".to_owned() } else { cells.join("|") };
            text.push_str(&format!("{form}\t{cell}\n"));
            if form == "." {
                text.push('\n');
            }
        }
        text.push_str("#end document\n");
    }
    read(&text)
}

/// By rules: Ingrid Moe, Olav, Moe, Berge, Hamre Line, Hamre, Olav Berge in five clusters (Olav Berge joins Berge and
/// Olav).
#[test]
fn a_key_is_made_from_names() {
    let response = corpus(&["0-1:a 5:a 3:b 8:c 10-12:d 15:d 17-18:c"]);
    let task = task("cone_b_cubed,cone_ceaf", &[("named", "rules")]);
    let mut diagnostics = Diagnostics::default();
    let found = by_names_of_text(&response, &task, &mut diagnostics);
    let key = &found.key.documents[0];
    let clusters: Vec<usize> = key.mentions().iter().map(|mention| mention.entity().index()).collect();
    assert_eq!(clusters, [0, 1, 0, 1, 2, 2, 1]);
    // The response separates Olav from both Berges: one of seven mentions loses two thirds, and two a third.
    let counts = &found.report.results[0].tally.as_ref().unwrap().first;
    assert_eq!(counts.recall_num.to_ratio(), Some((17, 3)));
    assert_eq!(counts.recall_den.to_ratio(), Some((7, 1)));
    assert_eq!(counts.precision_num.to_ratio(), Some((7, 1)));
    let named = found.report.named.unwrap();
    assert_eq!((named.key.named, named.response.named, named.response.mentions), (7, 7, 7));
    // Without that heuristic each spelling is a separate cluster.
    let exact = Heuristics::parse("exact").unwrap();
    let found = score_approximated(&response, &task, NamesKey::Made(exact), false, &mut diagnostics).unwrap();
    assert_eq!(found.key.documents[0].entities().len(), 7);
    // Metrics of all mentions would cover only names.
    let other = Task { metrics: vec![Metric::parse("b_cubed").unwrap()], ..task };
    assert!(score_approximated(&response, &other, NamesKey::Made(exact), false, &mut diagnostics).is_err());
}

#[test]
fn the_check_uses_the_annotated_documents() {
    let right = "0-1:a 5:a 3:b 8:b 10-12:d 15:d 17-18:b 2:x 6:x";
    let names_only = "0-1:a 5:a 3:b 8:b 10-12:d 15:d 17-18:b 2:x 6:y";
    let key = corpus(&[right, right]);
    let response = corpus(&[names_only, names_only, right, right]);
    let task = task("cone_b_cubed,cone_ceaf", &[("named", "rules")]);
    let mut diagnostics = Diagnostics::default();
    let found = by_names_of_text(&response, &task, &mut diagnostics);
    let pairs = pairing::pair(&key, &response, &mut diagnostics).unwrap();
    let method = Method { resamples: 500, ..Method::default() };
    let result = check(&pairs, &response, &found, &task, &method, &mut diagnostics).unwrap();
    assert_eq!((result.annotated, result.documents, result.rows.len()), (2, 4, 2));
    // B³: two of nine mentions have half of their entity; all names are right.
    let row = &result.rows[0];
    let (full, discrepancy) = (row.full.unwrap(), row.discrepancy.unwrap());
    assert!((full.recall - 8.0 / 9.0).abs() < 1e-12 && full.precision == 1.0);
    let named = [row.named, row.approximated_there, row.approximated].map(|score| score.unwrap().f1);
    assert_eq!(named, [1.0; 3]);
    assert!((discrepancy - (1.0 - full.f1)).abs() < 1e-12);
    assert_eq!(result.sizes.map(|size| (size.mentions, size.entities)), [(18, 8), (18, 10)]);
    // The documents do not vary, so the interval has zero width.
    assert!(row.interval.is_some_and(|ends| {
        (ends.low - discrepancy).abs() < 1e-9 && (ends.high - discrepancy).abs() < 1e-9
    }));
    let error = check(&pairs[..1], &response, &found, &task, &method, &mut diagnostics).unwrap_err();
    assert!(error.message().contains("two annotated documents"));
}

/// With strata, every sample contains annotated documents, however few there are.
#[test]
fn annotated_documents_are_drawn_separately() {
    let right = "0-1:a 5:a 3:b 8:b 2:x 6:x";
    let wrong = "0-1:a 5:c 3:b 8:b 2:x 6:x";
    let key = corpus(&[right, right, right]);
    let many: Vec<&str> = [right, wrong, right].into_iter().chain([right; 40]).collect();
    let response = corpus(&many);
    let task = task("cone_b_cubed,cone_ceaf", &[("named", "rules")]);
    let mut diagnostics = Diagnostics::default();
    let found = by_names_of_text(&response, &task, &mut diagnostics);
    let pairs = pairing::pair(&key, &response, &mut diagnostics).unwrap();
    let method = Method { resamples: 2000, ..Method::default() };
    let row = check(&pairs, &response, &found, &task, &method, &mut diagnostics).unwrap().rows[0];
    // The full score of three documents lies between that of the wrong one and 1, so the discrepancy is bounded.
    let ends = row.interval.expect("an interval");
    assert!(ends.low >= -1.0 && ends.high < 0.5, "{row:?}");
    let discrepancy = row.discrepancy.unwrap();
    assert!(ends.low <= discrepancy && discrepancy <= ends.high, "{row:?}");
}

/// Annotated documents without names have an undefined score of names, and an undefined discrepancy instead of 0.
#[test]
fn a_check_without_names_is_undefined_instead_of_zero() {
    let pronouns = "2:x 6:x";
    let named = "0-1:a 5:a 3:b 8:b 2:x 6:x";
    let key = corpus(&[pronouns, pronouns]);
    let response = corpus(&[pronouns, pronouns, named, named]);
    let task = task("cone_b_cubed,cone_ceaf", &[("named", "rules")]);
    let mut diagnostics = Diagnostics::default();
    let found = by_names_of_text(&response, &task, &mut diagnostics);
    let pairs = pairing::pair(&key, &response, &mut diagnostics).unwrap();
    let method = Method { resamples: 500, ..Method::default() };
    let result = check(&pairs, &response, &found, &task, &method, &mut diagnostics).unwrap();
    let row = &result.rows[0];
    assert_eq!((row.full.unwrap().f1, row.named), (1.0, None));
    assert!(row.approximated.is_some() && row.discrepancy.is_some());
    // If the key has no mention there, its full score and the discrepancy are undefined.
    let nothing = corpus(&["", ""]);
    let response = corpus(&["", "", named, named]);
    let found = by_names_of_text(&response, &task, &mut diagnostics);
    let pairs = pairing::pair(&nothing, &response, &mut diagnostics).unwrap();
    let row = check(&pairs, &response, &found, &task, &method, &mut diagnostics).unwrap().rows[0];
    assert_eq!((row.full, row.discrepancy, row.interval), (None, None, None));
}

#[test]
fn choices_for_a_corpus_apply_to_its_documents() {
    let with = read(&document(&[vec![0, 1]], 2, &|mention| mention == 0));
    let task = task("cone_b_cubed", &[]);
    let report = score(&with, &with, &task);
    assert_eq!(report.named.unwrap().source, NamedSource::NeColumn);
    assert!(metrics::need_names(&task.settings, &task.metrics));
    assert_eq!(named::resolve(NamedSource::Auto, Some(&with), &[&with]), Ok(NamedSource::NeColumn));
}

/// Arbitrary bytes as a file of labels are read or are an error, even when applied to a corpus.
#[test]
fn bytes_that_are_not_labels_are_an_error() {
    let seeds: [&[u8]; 3] = [
        b"-DOCSTART- O\n\nw0 B-PER\nw1 I-PER\n\n-DOCSTART- O\nw0 O\n",
        b"{\"doc_key\":\"d\",\"sentences\":[[\"w0\",\"w1\"]],\"ner\":[[[0,1,\"PER\"]]]}\n",
        b"\xEF\xBB\xBFw0\tB-PER\r\nw1\tO\r\n",
    ];
    let changes = (0..seeds.len(), proptest::collection::vec((0..80usize, any::<u8>()), 0..6));
    let corpus = read(&document(&[vec![0, 1]], 2, &|_| false));
    check_all(2000, changes, |(seed, changes)| {
        let mut bytes = seeds[seed].to_vec();
        for (place, byte) in changes {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        if let Ok(file) = NameFile::read(&bytes, "names") {
            let mut corpus = corpus.clone();
            let _: Result<(), _> = file.label(&mut corpus);
        }
    });
}
