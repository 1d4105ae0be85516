//! All stages together on cases worked by hand: text in, counts and findings out.

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::Error;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::groups::By;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Corpus, Side};
use corefeval_core::pairing::{self, DocumentPair};
use corefeval_core::profiles::Profile;
use corefeval_core::results::SystemReport;
use corefeval_core::scope;
use corefeval_core::score::Task;
use corefeval_core::settings::{Scope, Settings};
use corefeval_core::tally::Tally;

fn settings(choices: &[(&str, &str)]) -> Settings {
    let profile = choices.iter().find(|choice| choice.0 == "profile").map_or("conll", |choice| choice.1);
    let mut settings = Settings::of(Profile::named(profile).unwrap());
    for (name, value) in choices.iter().filter(|choice| choice.0 != "profile") {
        settings.set(name, value).unwrap();
    }
    settings
}

fn read(text: &str, side: Side) -> Corpus {
    let mut options = ReadOptions::with_layers();
    options.side = side;
    FormatSpec::named("conll").unwrap().read(text.as_bytes(), side.label(), options).unwrap()
}

/// Writes a CoNLL file of documents; a document is an id and cells, one for each word.
fn file(documents: &[(&str, &[&str])]) -> String {
    let document = |(id, cells): &(&str, &[&str])| {
        let words: String = (0..).zip(*cells).map(|(n, cell)| format!("x\t0\t{n}\tw{n}\t{cell}\n")).collect();
        format!("#begin document ({id}); part 000\n{words}#end document\n")
    };
    documents.iter().map(document).collect()
}

fn score(
    key: &str,
    response: &str,
    choices: &[(&str, &str)],
    metrics: &str,
) -> Result<(SystemReport, Diagnostics), Error> {
    let (key, response) = (read(key, Side::Key), read(response, Side::Response));
    let settings = settings(choices);
    let mut diagnostics = key.diagnostics.clone();
    diagnostics.merge(response.diagnostics.clone());
    let pairs = pairing::pair(&key, &response, &mut diagnostics)?;
    let metrics = metrics.split(',').map(|metric| Metric::parse(metric).unwrap()).collect();
    let task = Task { settings, metrics, by: By::named("document").ok(), threads: 1 };
    let report = score_documents(&pairs, &task, &mut diagnostics)?;
    Ok((report, diagnostics))
}

/// Returns recall and precision of the first metric as counts.
fn counts(report: &SystemReport) -> [String; 2] {
    let counts = &report.results[0].tally.as_ref().expect("it has counts").first;
    [
        format!("{} / {}", counts.recall_num, counts.recall_den),
        format!("{} / {}", counts.precision_num, counts.precision_den),
    ]
}

fn count_of(diagnostics: &Diagnostics, code: Code) -> u64 {
    diagnostics.groups().iter().find(|group| group.code == code).map_or(0, |group| group.count)
}

#[test]
fn a_missing_document_is_missed_and_an_extra_one_is_ignored() {
    let key = file(&[("a", &["(0)", "(0)"]), ("b", &["(0)", "(0)", "(0)"])]);
    let response = file(&[("a", &["(0)", "(0)"]), ("c", &["(0)", "(0)", "(0)", "(0)"])]);
    let (report, found) = score(&key, &response, &[], "muc").unwrap();
    assert_eq!(counts(&report), ["1 / 3", "1 / 1"]);
    assert_eq!(report.documents.len(), 2);
    assert_eq!((count_of(&found, Code::MissingDocument), count_of(&found, Code::ExtraDocument)), (1, 1));
    assert!(score(&file(&[("a", &["-"])]), &file(&[("b", &["-"])]), &[], "muc").is_err());
}

#[test]
fn the_first_copy_of_a_repeated_response_mention_counts_if_the_key_has_it() {
    let key = file(&[("a", &["(1)", "(1)", "(2)", "(2)"])]);
    let response = file(&[("a", &["(1)|(2)", "(1)", "(2)", "-"])]);
    // The copy in entity 2 is dropped: {0 1} {2}.
    let (report, found) = score(&key, &response, &[], "muc,ceaf_m").unwrap();
    assert_eq!(counts(&report), ["1 / 2", "1 / 1"]);
    assert_eq!(report.results[1].tally.as_ref().unwrap().first.precision_den.to_integer(), Some(3));
    assert_eq!(count_of(&found, Code::DuplicateMention), 1);
    // The order of the copies in the file has no effect: here entity 2 comes first.
    let response = file(&[("a", &["(2)|(1)", "(1)", "(2)", "-"])]);
    let (report, _) = score(&key, &response, &[], "muc").unwrap();
    assert_eq!(counts(&report), ["0 / 2", "0 / 1"]);
}

#[test]
fn all_copies_of_a_mention_that_the_key_lacks_count() {
    let key = file(&[("a", &["(1)", "(1)", "-"])]);
    let response = file(&[("a", &["(1)", "(2)", "(1)|(2)"])]);
    let (report, _) = score(&key, &response, &[], "muc,mentions").unwrap();
    assert_eq!(counts(&report), ["0 / 1", "0 / 2"]);
    let mentions = &report.results[1].tally.as_ref().unwrap().first;
    assert_eq!(
        [&mentions.recall_num, &mentions.recall_den, &mentions.precision_den].map(|n| n.to_integer()),
        [Some(2), Some(2), Some(3)]
    );
}

#[test]
fn coval_keeps_copies_and_looks_up_the_last() {
    let key = file(&[("a", &["(1)", "(1)", "(2)", "(2)"])]);
    let response = file(&[("a", &["(1)|(2)", "(1)", "(2)", "-"])]);
    // Looked up from the key, word 0 is in response entity 2 (the last): {0 1} is split. Looked up from the response,
    // {0 1} is whole.
    let (report, _) = score(&key, &response, &[("profile", "coval")], "muc,b_cubed,ceaf_m").unwrap();
    assert_eq!(counts(&report), ["0 / 2", "1 / 2"]);
    let b_cubed = &report.results[1].tally.as_ref().unwrap().first;
    // Recall: (1 + 1)/2 + 1/2; precision: 4/2 + (1 + 1)/2.
    assert_eq!(
        [b_cubed.recall_num.to_ratio(), b_cubed.precision_num.to_ratio()],
        [Some((3, 2)), Some((3, 1))]
    );
    // As sets {0 1} and {0 1} share both, {2 3} and {0 2} one.
    assert_eq!(report.results[2].tally.as_ref().unwrap().first.recall_num.to_integer(), Some(3));
}

#[test]
fn singletons_are_dropped_before_anything_else() {
    let key = file(&[("a", &["(1)", "(1)", "(2)", "-"])]);
    let response = file(&[("a", &["(1)", "(1)", "-", "(3)"])]);
    assert_eq!(counts(&score(&key, &response, &[], "b_cubed").unwrap().0), ["2 / 3", "2 / 3"]);
    let (report, found) = score(&key, &response, &[("singletons", "drop")], "b_cubed").unwrap();
    assert_eq!(counts(&report), ["2 / 2", "2 / 2"]);
    assert_eq!(count_of(&found, Code::MentionsDropped), 2);
}

#[test]
fn verb_phrases_are_dropped_by_the_parse_of_the_key() {
    let line =
        |n: usize, parse: &str, cell: &str| format!("x\t0\t{n}\tw\tT\t{parse}\t-\t-\t-\t-\t*\t*\t{cell}\n");
    let text = |bits: [&str; 4], cells: [&str; 4]| {
        let words: String = (0..4).map(|n| line(n, bits[n], cells[n])).collect();
        format!("#begin document (a); part 000\n{words}#end document\n")
    };
    let bits = ["(S(NP*)", "(VP*", "(NP*)))", "(NP*)"];
    let key = text(bits, ["(1)", "(1|(2)", "1)", "(2)"]);
    // Words 1 to 2 are a VP, like every span that starts at word 1. Each key entity keeps one of two mentions and is
    // dropped; of the response {0 1} is dropped and {2 3} stays.
    let response = text(["*"; 4], ["(1)", "(1)", "(2)", "(2)"]);
    let (report, _) = score(&key, &response, &[("np-only", "yes")], "mentions").unwrap();
    assert_eq!(counts(&report), ["0 / 0", "0 / 2"]);
    let (report, found) =
        score(&file(&[("a", &["(1)"])]), &file(&[("a", &["(1)"])]), &[("np-only", "yes")], "mentions")
            .unwrap();
    assert_eq!(
        (counts(&report), count_of(&found, Code::ParseMissing)),
        (["1 / 1".into(), "1 / 1".into()], 2)
    );
}

#[test]
fn nested_mentions_of_an_entity_are_dropped() {
    // Entity 1 has words 0-2, word 1 within it, and word 3. Entity 2 has words 4-5 and word 5, and would keep only one
    // mention.
    let key = file(&[("a", &["(1", "(1)", "1)", "(1)", "(2", "(2)|2)"])]);
    let (report, _) = score(&key, &key, &[("remove-nested", "yes")], "b_cubed").unwrap();
    assert_eq!(counts(&report), ["4 / 4", "4 / 4"]);
    let dropped = [("remove-nested", "yes"), ("singletons", "drop")];
    assert_eq!(counts(&score(&key, &key, &dropped, "b_cubed").unwrap().0), ["2 / 2", "2 / 2"]);
}

#[test]
fn places_by_sentence_differ_from_places_by_document() {
    // The response breaks the sentence one word later.
    let key = "#begin document (a)\nw\t(1)\n\nv\t(1)\nu\t-\n#end document\n";
    let response = "#begin document (a)\nw\t(1)\nv\t(1)\n\nu\t-\n#end document\n";
    assert_eq!(counts(&score(key, response, &[], "mentions").unwrap().0), ["2 / 2", "2 / 2"]);
    let (report, found) = score(key, response, &[("profile", "coval")], "mentions").unwrap();
    assert_eq!(counts(&report), ["1 / 2", "1 / 2"]);
    assert_eq!(count_of(&found, Code::SentencesDiffer), 1);
}

#[test]
fn only_words_are_compared_and_counts_must_agree() {
    let with_tag = |word: &str, tag: &str| {
        format!("#begin document (a)\nx\t0\t0\t{word}\t{tag}\t*\t-\t-\t-\t-\t*\t*\t(1)\n#end document\n")
    };
    let key = with_tag("she", "PRP");
    let (_, found) = score(&key, &with_tag("she", "NN"), &[], "muc").unwrap();
    assert_eq!(count_of(&found, Code::WordsDiffer), 0);
    let (_, found) = score(&key, &with_tag("She", "PRP"), &[], "muc").unwrap();
    assert_eq!(count_of(&found, Code::WordsDiffer), 1);
    assert!(score(&key, &with_tag("She", "PRP"), &[("check-tokens", "yes")], "muc").is_err());
    let (_, found) = score(&key, &with_tag("She", "PRP"), &[("check-tokens", "no")], "muc").unwrap();
    assert_eq!(count_of(&found, Code::WordsDiffer), 0);
    let error = score(&file(&[("a", &["-", "(1)"])]), &file(&[("a", &["-"])]), &[], "muc").unwrap_err();
    assert!(error.to_string().contains("key:3:7: the key has `w1` as word 2"), "{error}");
    assert!(error.to_string().contains("response:2:7: the response ends before word 2"), "{error}");
}

#[test]
fn macro_averages_are_means_over_documents_where_the_metric_is_defined() {
    let key = file(&[("a", &["(1)", "(1)", "(1)"]), ("b", &["(1)", "(1)", "-"]), ("c", &["(1)", "-", "-"])]);
    let response =
        file(&[("a", &["(1)", "(1)", "-"]), ("b", &["(1)", "(1)", "-"]), ("c", &["(1)", "-", "-"])]);
    let macros = score(&key, &response, &[("average", "macro")], "muc,conll").unwrap().0;
    // Document c has no link; a has recall 1/2, b 1.
    assert_eq!((macros.results[0].score.recall, macros.results[0].score.precision), (0.75, 1.0));
    assert!(macros.results[0].tally.is_none());
    let micro = score(&key, &response, &[], "muc").unwrap().0;
    assert_eq!(counts(&micro), ["2 / 3", "2 / 2"]);
}

/// coval ignores such a document. Here it does not align with a response that has words.
#[test]
fn a_key_document_without_lines_is_an_error_if_the_response_has_words() {
    let key = file(&[("a", &["(1)", "(1)"]), ("b", &[])]);
    let response = file(&[("a", &["(1)", "(1)"]), ("b", &["(1)", "(1)"])]);
    let error = score(&key, &response, &[("profile", "coval")], "b_cubed").expect_err("it does not align");
    assert!(error.to_string().contains("0 words in the key and 2 in the response"), "{error}");
    let unchecked = [("profile", "coval"), ("check-tokens", "no")];
    let (report, _) = score(&key, &response, &unchecked, "b_cubed").expect("it is scored");
    assert_eq!(counts(&report), ["2 / 2", "2 / 4"]);
}

#[test]
fn a_half_of_blanc_counts_by_the_profile() {
    // The key has one entity of two mentions and so no non-coreference link; the response has some.
    let key = file(&[("a", &["(1)", "(1)", "-"])]);
    let response = file(&[("a", &["(1)", "(1)", "(2)"])]);
    let f1 = |choice| score(&key, &response, &[("blanc", choice)], "blanc").unwrap().0.results[0].score.f1;
    assert_eq!((f1("key"), f1("either"), f1("scorch")), (1.0, 0.5, 1.0));
    // A key of one mention has no links.
    let key = file(&[("a", &["(1)", "-", "-"])]);
    for (response, scorch) in
        [(&["(1)", "-", "-"][..], 1.0), (&["(1)", "(1)", "-"], 1.0), (&["(1)", "(2)", "-"], 0.0)]
    {
        let response = file(&[("a", response)]);
        let f1 =
            |choice| score(&key, &response, &[("blanc", choice)], "blanc").unwrap().0.results[0].score.f1;
        assert_eq!((f1("key"), f1("scorch")), (0.0, scorch));
    }
}

#[test]
fn an_average_with_an_undefined_muc_is_reported() {
    let key = file(&[("a", &["(1)", "(2)", "(3)"])]);
    let (report, found) = score(&key, &key, &[], "conll").unwrap();
    assert!((report.results[0].score.f1 - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(count_of(&found, Code::MucUndefined), 1);
}

#[test]
fn threads_change_nothing() {
    // Enough documents and mentions for several threads.
    let cells: Vec<String> = (0..200).map(|n: u32| format!("({})", n * 7 % 31)).collect();
    let other: Vec<String> = (0..200).map(|n: u32| format!("({})", n * 11 % 23)).collect();
    let ids: Vec<String> = (0..60).map(|n| n.to_string()).collect();
    let corpus = |cells: &[String]| {
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let documents: Vec<(&str, &[&str])> =
            ids.iter().zip(0..).map(|(id, n)| (id.as_str(), &cells[n..])).collect();
        file(&documents)
    };
    let (key, response) = (read(&corpus(&cells), Side::Key), read(&corpus(&other), Side::Response));
    let mut reports = Vec::new();
    for threads in [1, 2, 3, 7] {
        let mut found = Diagnostics::default();
        let pairs = pairing::pair(&key, &response, &mut found).unwrap();
        let task = Task {
            settings: settings(&[]),
            metrics: Metric::all_for("conll"),
            by: By::named("document").ok(),
            threads,
        };
        reports.push(format!("{:?} {found:?}", score_documents(&pairs, &task, &mut found).unwrap()));
    }
    assert!(reports.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn minimum_spans_match_where_words_do_not() {
    let line = |n: usize, word: &str, tag: &str, parse: &str, cell: &str| {
        format!("x\t0\t{n}\t{word}\t{tag}\t{parse}\t-\t-\t-\t-\t*\t*\t{cell}\n")
    };
    // [the ferry [of [the island]]] in the key, [the ferry] in the response; and [the island] on both.
    let words = [
        ("the", "DT", "(NP(NP*"),
        ("ferry", "NN", "*)"),
        ("of", "IN", "(PP*"),
        ("the", "DT", "(NP*"),
        ("island", "NN", "*)))"),
    ];
    let text = |cells: [&str; 5]| {
        let lines: String = words
            .iter()
            .zip(cells)
            .enumerate()
            .map(|(n, (word, cell))| line(n, word.0, word.1, word.2, cell))
            .collect();
        format!("#begin document (a); part 000\n{lines}#end document\n")
    };
    let key = text(["(1", "-", "-", "(2", "2)|1)"]);
    let response = text(["(1", "1)", "-", "(2", "2)"]);
    let by = |rule| {
        counts(&score(&key, &response, &[("profile", "coval"), ("match", rule)], "mentions").unwrap().0)
    };
    assert_eq!(by("exact"), ["1 / 2", "1 / 2"]);
    assert_eq!(by("min-span"), ["2 / 2", "2 / 2"]);
    // Without a parse in the key, mentions match by their words, with a warning.
    let (plain, other) = (file(&[("a", &["(1", "1)", "(2)"])]), file(&[("a", &["(1)", "-", "(2)"])]));
    let (report, found) = score(&plain, &other, &[("match", "min-span")], "mentions").unwrap();
    assert_eq!(
        (counts(&report), count_of(&found, Code::ParseMissing)),
        (["1 / 2".into(), "1 / 2".into()], 1)
    );
}

/// Returns the counts of a metric under each scope.
fn counts_by_scope(key: &str, response: &str, format: &str, metric: &str) -> Vec<[String; 2]> {
    let read = |text: &str, side: Side| {
        let mut options = ReadOptions::default();
        options.side = side;
        FormatSpec::named(format).unwrap().read(text.as_bytes(), side.label(), options).unwrap()
    };
    let (key, response) = (read(key, Side::Key), read(response, Side::Response));
    let scopes = ["document", "topic", "corpus"].map(|scope| {
        let settings = settings(&[("scope", scope)]);
        let mut diagnostics = Diagnostics::default();
        let pairs = pairing::pair(&key, &response, &mut diagnostics).unwrap();
        let task = Task { settings, metrics: vec![Metric::parse(metric).unwrap()], by: None, threads: 1 };
        counts(&score_documents(&pairs, &task, &mut diagnostics).unwrap())
    });
    scopes.to_vec()
}

/// Two documents of topic 1 and one of topic 2 are about an earthquake, and `m` is a different mention in each. Within
/// documents the key has the links m-n (d1) and m-o (d2). Across the documents of topic 1 the entity `quake` has 4
/// mentions and 3 links, and over all documents 5 mentions and 4 links. The response splits it by document in topic 1
/// (1 + 1 links), and joins d3 with d1: over all documents it finds 1 + 1 + 1 of 4 links.
#[test]
fn entities_cross_documents_in_a_topic_or_a_corpus() {
    let key = "topic,document,mention,entity\n\
               1,d1,m,quake\n1,d1,n,quake\n1,d2,m,quake\n1,d2,o,quake\n2,d3,m,quake\n2,d3,p,mayor\n";
    let response = "topic,document,mention,entity\n\
                    2,d3,p,b\n2,d3,m,a\n1,d2,o,c\n1,d2,m,c\n1,d1,n,a\n1,d1,m,a\n";
    let muc = counts_by_scope(key, response, "table", "muc");
    assert_eq!(
        muc,
        [["2 / 2", "2 / 2"], ["2 / 3", "2 / 2"], ["3 / 4", "3 / 3"]].map(|side| side.map(str::to_owned))
    );
}

/// The same holds for text: `d1` has three words in the key and two in the response, and the mentions of `d2` still
/// match.
#[test]
fn documents_of_unequal_length_stay_side_by_side() {
    let key = file(&[("d1", &["(1)", "-", "-"]), ("d2", &["(1)", "-", "(2)"])]);
    let response = file(&[("d1", &["(1)", "-"]), ("d2", &["(1)", "(3)", "(2)"])]);
    let mentions = counts_by_scope(&key, &response, "conll", "mentions");
    assert_eq!(mentions[0], ["3 / 3", "3 / 4"]);
    assert_eq!(mentions[2], ["3 / 3", "3 / 4"]);
    let muc = counts_by_scope(&key, &response, "conll", "muc");
    assert_eq!(
        (&muc[0], &muc[2]),
        (&["0 / 0", "0 / 0"].map(str::to_owned), &["1 / 1", "1 / 1"].map(str::to_owned))
    );
}

#[test]
fn findings_in_joined_documents_name_the_file_they_are_in() {
    let read = |text: &str, name: &str| {
        FormatSpec::named("conll").unwrap().read(text.as_bytes(), name, ReadOptions::default()).unwrap()
    };
    let mut key = read(&file(&[("d1", &["(1)"])]), "one.conll");
    key.documents.extend(read(&file(&[("d2", &["-", "(1)|(2)"])]), "two.conll").documents);
    let settings = settings(&[("scope", "corpus")]);
    let mut diagnostics = Diagnostics::default();
    let pairs = pairing::pair(&key, &key, &mut diagnostics).unwrap();
    let joined = scope::join(&pairs, settings.scope, &mut Diagnostics::default()).unwrap().expect("joined");
    assert_eq!((joined.len(), joined[0].as_pair().key.id().to_string()), (1, "corpus".to_owned()));
    let metrics = vec![Metric::parse("muc").unwrap()];
    score_documents(&pairs, &Task { settings, metrics, by: None, threads: 1 }, &mut diagnostics).unwrap();
    let twice = diagnostics.groups().iter().find(|group| group.code == Code::DuplicateMention);
    let position = twice.and_then(|group| group.kept[0].position.clone()).expect("it has a place");
    assert_eq!(position.to_string().split(':').take(2).collect::<Vec<_>>(), ["two.conll", "3"]);
}

#[test]
fn a_document_without_topic_is_compared_alone_with_a_warning() {
    let key = read(&file(&[("d1", &["(1)"]), ("d2", &["(1)"])]), Side::Key);
    let mut diagnostics = Diagnostics::default();
    let pairs = pairing::pair(&key, &key, &mut diagnostics).unwrap();
    let joined = scope::join(&pairs, Scope::Topic, &mut diagnostics).unwrap().expect("joined");
    assert_eq!(joined.len(), 2);
    assert_eq!((diagnostics.groups()[0].code, diagnostics.groups()[0].count), (Code::TopicMissing, 2));
}

#[test]
fn documents_too_large_to_be_joined_are_an_error() {
    // 500 documents of almost ten million words each, more together than a place can number.
    let line = |id: usize| format!("{{\"doc_key\": \"{id}\", \"clusters\": [[[0, 9999990]]]}}\n");
    let text: String = (0..500).map(line).collect();
    let format = FormatSpec::named("jsonlines").unwrap();
    let corpus = format.read(text.as_bytes(), "x", ReadOptions::default()).unwrap();
    let mut diagnostics = Diagnostics::default();
    let pairs = pairing::pair(&corpus, &corpus, &mut diagnostics).unwrap();
    let error = scope::join(&pairs, Scope::Corpus, &mut diagnostics).unwrap_err();
    assert!(error.message().contains("too large"));
}

fn task(metrics: &str, choices: &[(&str, &str)]) -> Task {
    let (by, choices): (Vec<_>, Vec<_>) = choices.iter().partition(|choice| choice.0 == "by");
    Task {
        settings: settings(&choices),
        metrics: metrics.split(',').map(|metric| Metric::parse(metric).unwrap()).collect(),
        by: by.first().map(|choice| By::named(choice.1).unwrap()),
        threads: 1,
    }
}

#[test]
fn rows_equal_the_scores_of_their_documents_alone() {
    let read = |path: &str| {
        let text = std::fs::read(format!("../../examples/{path}.conll")).unwrap();
        FormatSpec::named("conll").unwrap().read(&text[..], path, ReadOptions::default()).unwrap()
    };
    let (key, response) = (read("key"), read("cedar"));
    let pairs = pairing::pair(&key, &response, &mut Diagnostics::default()).unwrap();
    let all = "mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,rand,conll";
    for choices in [&[("by", "document")][..], &[("by", "document"), ("average", "macro")]] {
        let task = task(all, choices);
        let score = |pairs: &[DocumentPair<'_>]| {
            score_documents(pairs, &task, &mut Diagnostics::default()).unwrap().documents
        };
        let rows = score(&pairs);
        assert!(rows.len() == pairs.len() && rows.get(pairs.len()).is_none());
        assert!(rows.ids().eq(pairs.iter().map(|pair| pair.key.id().to_string())));
        for (pair, row) in pairs.iter().zip(rows.iter()) {
            let alone = score(std::slice::from_ref(pair)).get(0).unwrap();
            assert_eq!(format!("{row:?}"), format!("{alone:?}"));
        }
    }
    // In the other groupings two documents are one group, with the sums of their counts.
    let rows = |by: &str, pairs: &[DocumentPair<'_>]| {
        let report = score_documents(pairs, &task("b_cubed,lea", &[("by", by)]), &mut Diagnostics::default());
        report.unwrap()
    };
    let sum = |report: &SystemReport, place: usize| {
        let mut sum = Tally::default();
        report.documents.iter().for_each(|row| sum.add(row.results[place].tally.as_ref().unwrap()));
        format!("{:?}", sum.to_real())
    };
    for by in ["document", "length", "entity-size", "document,entity-size"] {
        let report = rows(by, &pairs);
        for (place, whole) in report.results.iter().enumerate() {
            assert_eq!(sum(&report, place), format!("{:?}", whole.tally.as_ref().unwrap().to_real()), "{by}");
        }
    }
}
