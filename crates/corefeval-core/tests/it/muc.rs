//! MUC from its SGML to its scores, against a plain twin on thousands of random annotations: the closure of links,
//! matching by MIN, optional mentions, MUC itself and the count of links that it replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use crate::generators::check;
use crate::twins::{Tally, Twin, whole};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions, WriteOptions, WrittenTexts};
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Corpus, Mention};
use corefeval_core::pairing::{self, pair};
use corefeval_core::profiles::Profile;
use corefeval_core::results::SystemReport;
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::score::Task;
use corefeval_core::settings::{Scope, Settings};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// The number of words in the text.
const WORDS: u32 = 6;

/// The draft of a mention. Numbers apply modulo the number of choices.
#[derive(Clone, Debug)]
struct Draft {
    start: u32,
    length: u32,
    minimum: Option<(u32, u32)>,
    optional: bool,
    reference: Option<usize>,
}

/// A mention as annotated: its words, its MIN, whether it is optional, and the target of its link.
#[derive(Clone, Debug)]
struct Mark {
    words: Range<u32>,
    minimum: Option<Range<u32>>,
    optional: bool,
    reference: Option<usize>,
}

fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    let draft = (0..WORDS, 1..5u32, option::of((0..4u32, 1..4u32)), 0..4u32, option::of(0..12usize));
    vec(
        draft.prop_map(|(start, length, minimum, optional, reference)| Draft {
            start,
            length,
            minimum,
            optional: optional == 0,
            reference,
        }),
        0..12,
    )
}

/// Returns mentions that do not cross, each with separate words, in the order of the text.
fn marks(drafts: &[Draft]) -> Vec<Mark> {
    let mut kept: Vec<(Range<u32>, &Draft)> = Vec::new();
    for draft in drafts {
        let words = draft.start..(draft.start + draft.length).min(WORDS);
        let fits = |other: &Range<u32>| {
            let apart = other.end <= words.start || words.end <= other.start;
            let within = |a: &Range<u32>, b: &Range<u32>| a.start >= b.start && a.end <= b.end;
            *other != words && (apart || within(other, &words) || within(&words, other))
        };
        if kept.iter().all(|(other, _)| fits(other)) {
            kept.push((words, draft));
        }
    }
    kept.sort_by_key(|(words, _)| (words.start, words.end));
    let count = kept.len();
    let mark = |(words, draft): &(Range<u32>, &Draft)| {
        let minimum = draft.minimum.map(|(from, length)| {
            let start = words.start + from % (words.end - words.start);
            start..(start + length).min(words.end)
        });
        let reference = draft.reference.map(|reference| reference % count);
        Mark { words: words.clone(), minimum, optional: draft.optional, reference }
    };
    kept.iter().map(mark).collect()
}

fn word(number: u32) -> String {
    format!("w{number}")
}

fn sgml(marks: &[Mark]) -> String {
    let mut text = "<DOC><DOCNO>d</DOCNO>\n<TXT>\n".to_owned();
    for at in 0..WORDS {
        // The longest mention opens first.
        let opening = (0..).zip(marks).filter(|(_, mark)| mark.words.start == at);
        for (number, mark) in opening.collect::<Vec<(usize, &Mark)>>().into_iter().rev() {
            let _ = write!(text, "<COREF ID=\"m{number}\"");
            if let Some(minimum) = &mark.minimum {
                let words: Vec<String> = minimum.clone().map(word).collect();
                let _ = write!(text, " MIN=\"{}\"", words.join(" "));
            }
            if mark.optional {
                text.push_str(" STATUS=OPT");
            }
            if let Some(reference) = mark.reference {
                let _ = write!(text, " REF=m{reference} TYPE=IDENT");
            }
            text.push('>');
        }
        text.push_str(&word(at));
        marks.iter().filter(|mark| mark.words.end == at + 1).for_each(|_| text.push_str("</COREF>"));
        text.push('\n');
    }
    text + "</TXT>\n</DOC>\n"
}

fn read_as(format: &str, text: &str) -> Corpus {
    let options = ReadOptions::with_layers();
    FormatSpec::named(format).expect("a format").read(text.as_bytes(), "x", options).expect("it reads")
}

fn read(text: &str) -> Corpus {
    read_as("muc", text)
}

fn task(choices: &[(&str, &str)], metrics: &[&str]) -> Task {
    let mut settings = Settings::of(Profile::named("muc").expect("a profile"));
    choices.iter().for_each(|(name, value)| settings.set(name, value).expect("an option"));
    let metrics = metrics.iter().map(|id| Metric::parse(id).expect("a metric")).collect();
    Task { settings, metrics, by: None, threads: 1 }
}

fn score(key: &Corpus, response: &Corpus, task: &Task) -> (SystemReport, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let pairs = pair(key, response, &mut diagnostics).expect("documents pair");
    let report = score_documents(&pairs, task, &mut diagnostics).unwrap();
    (report, diagnostics)
}

/// Returns numerators and denominators of recall and precision, for each metric.
fn counts(key: &Corpus, response: &Corpus, task: &Task) -> Vec<[i128; 4]> {
    let (report, _) = score(key, response, task);
    let counts = report.results.into_iter().map(|result| {
        let first = result.tally.expect("counts").first;
        [first.recall_num, first.recall_den, first.precision_num, first.precision_den]
            .map(|sum| sum.to_integer().expect("whole counts"))
    });
    counts.collect()
}

/// Returns the one-to-one choice with the largest weight. Ties go to the choice whose first row has the first column.
fn best(weights: &[Vec<u32>], row: usize, taken: &mut Vec<usize>) -> (u32, Vec<(usize, usize)>) {
    let Some(own) = weights.get(row) else { return (0, Vec::new()) };
    let mut found: Option<(u32, Vec<(usize, usize)>)> = None;
    for column in (0..own.len()).map(Some).chain([None]) {
        if column.is_some_and(|column| own[column] == 0 || taken.contains(&column)) {
            continue;
        }
        taken.extend(column);
        let (mut weight, mut pairs) = best(weights, row + 1, taken);
        if let Some(column) = column {
            taken.pop();
            weight += own[column];
            pairs.push((row, column));
        }
        if found.as_ref().is_none_or(|found| weight > found.0) {
            found = Some((weight, pairs));
        }
    }
    found.unwrap_or_default()
}

/// Returns the pairs of marks, by the rule of MUC or by the same words.
fn twin_pairs(key: &[Mark], response: &[Mark], rule: &str) -> BTreeMap<usize, usize> {
    let mut pairs = BTreeMap::new();
    for (ours, mark) in key.iter().enumerate() {
        if let Some(theirs) = response.iter().position(|other| other.words == mark.words) {
            pairs.insert(ours, theirs);
        }
    }
    if rule == "exact" {
        return pairs;
    }
    let weight = |ours: usize, theirs: usize| {
        let (mark, other) = (&key[ours], &response[theirs]);
        let minimum = mark.minimum.as_ref().unwrap_or(&mark.words);
        let within = |a: &Range<u32>, b: &Range<u32>| a.start >= b.start && a.end <= b.end;
        let free = !pairs.contains_key(&ours) && pairs.values().all(|&taken| taken != theirs);
        let fits = free && within(&other.words, &mark.words) && within(minimum, &other.words);
        if fits { other.words.end - other.words.start } else { 0 }
    };
    let weights: Vec<Vec<u32>> =
        (0..key.len()).map(|ours| (0..response.len()).map(|theirs| weight(ours, theirs)).collect()).collect();
    let (_, more) = best(&weights, 0, &mut Vec::new());
    pairs.extend(more);
    pairs
}

/// Returns the entity of each mark: the least mark that links lead to.
fn twin_entities(marks: &[Mark]) -> Vec<usize> {
    let mut entities: Vec<usize> = (0..marks.len()).collect();
    for _ in 0..=marks.len() {
        for (number, mark) in marks.iter().enumerate() {
            if let Some(other) = mark.reference {
                let least = entities[number].min(entities[other]);
                (entities[number], entities[other]) = (least, least);
            }
        }
    }
    entities
}

/// Returns the links between scored marks, without direction.
fn twin_links(marks: &[Mark], kept: &[bool]) -> BTreeSet<(usize, usize)> {
    let links = (0..).zip(marks).filter_map(|(number, mark)| Some((number, mark.reference?)));
    let scored = links.filter(|&(one, other)| one != other && kept[one] && kept[other]);
    scored.map(|(one, other)| (one.min(other), one.max(other))).collect()
}

#[test]
fn counts_agree_with_the_twin() {
    let mut seen = BTreeMap::<&str, u32>::new();
    for (rule, optional) in [("muc", "if-found"), ("muc", "count"), ("exact", "if-found")] {
        let choices = [("match", rule), ("optional", optional)];
        let task = task(&choices, &["muc", "links_as_written", "links_as_written:among=closure", "mentions"]);
        let seen = std::cell::RefCell::new(&mut seen);
        check(3000, (drafts(), drafts()), |(key, response)| {
            let (key, response) = (marks(&key), marks(&response));
            let found = counts(&read(&sgml(&key)), &read(&sgml(&response)), &task);

            let pairs = twin_pairs(&key, &response, rule);
            let kept: Vec<bool> = (0..key.len())
                .map(|ours| optional == "count" || !key[ours].optional || pairs.contains_key(&ours))
                .collect();
            let all = vec![true; response.len()];
            let (ours, theirs) = (twin_entities(&key), twin_entities(&response));
            let partner: BTreeMap<usize, usize> =
                pairs.iter().map(|(&key, &response)| (response, key)).collect();
            let lists = |entities: &[usize], kept: &[bool], name: &dyn Fn(usize) -> u32| -> Vec<Vec<u32>> {
                let members = |entity: usize| {
                    let all = (0..entities.len()).filter(|&mark| entities[mark] == entity && kept[mark]);
                    all.map(name).collect()
                };
                (0..entities.len()).map(members).collect()
            };
            let key_lists = lists(&ours, &kept, &|mark| mark as u32);
            let response_lists =
                lists(&theirs, &all, &|mark| partner.get(&mark).map_or(100 + mark as u32, |&key| key as u32));
            let muc: Tally = Twin::of("muc").evaluate(&key_lists, &response_lists).0;

            let (key_links, response_links) = (twin_links(&key, &kept), twin_links(&response, &all));
            let in_response = |&&(one, other): &&(usize, usize)| {
                let ends = pairs.get(&one).zip(pairs.get(&other));
                ends.map(|(&a, &b)| (a.min(b), a.max(b)))
            };
            let written = key_links
                .iter()
                .filter(|link| in_response(link).is_some_and(|l| response_links.contains(&l)));
            let written = written.count();
            let closed = key_links
                .iter()
                .filter(|link| in_response(link).is_some_and(|(a, b)| theirs[a] == theirs[b]));
            let closed = closed.count();
            let closed_back = response_links.iter().filter(|(a, b)| {
                partner.get(a).zip(partner.get(b)).is_some_and(|(&a, &b)| ours[a] == ours[b])
            });
            let closed_back = closed_back.count();
            let mentions = kept.iter().filter(|kept| **kept).count();
            let wanted = [
                [
                    &muc.first.recall_num, &muc.first.recall_den, &muc.first.precision_num,
                    &muc.first.precision_den,
                ]
                .map(Clone::clone),
                [written, key_links.len(), written, response_links.len()].map(whole),
                [closed, key_links.len(), closed_back, response_links.len()].map(whole),
                [pairs.len(), mentions, pairs.len(), response.len()].map(whole),
            ];
            for (found, wanted) in found.iter().zip(&wanted) {
                let found = found.map(|count| whole(count as usize));
                assert_eq!(&found, wanted, "{}{}", sgml(&key), sgml(&response));
            }

            let note = |what, holds: bool| *seen.borrow_mut().entry(what).or_default() += u32::from(holds);
            note(
                "a mention matches only by its MIN",
                pairs.iter().any(|(&a, &b)| key[a].words != response[b].words),
            );
            note("an optional mention is missed", kept.contains(&false));
            note("an optional mention is found", pairs.keys().any(|&mark| key[mark].optional));
            note("a link is found", written > 0);
            note("a link follows and is not written", closed > written);
            let longest = key.iter().enumerate().any(|(ours, mark)| {
                let within = |other: &&Mark| {
                    other.words.start >= mark.words.start && other.words.end <= mark.words.end
                };
                response.iter().filter(within).count() > 1 && pairs.contains_key(&ours)
            });
            note("there is a choice", longest);
        });
    }
    for (what, count) in seen {
        assert!(count >= 50, "{what}: {count}");
    }
}

const KEY: &str = "<DOC><DOCNO>d</DOCNO><TXT>
<COREF ID=1 MIN=board>the board of Acme</COREF> met; <COREF ID=2 REF=1 STATUS=OPT>the body</COREF> spoke;
<COREF ID=3 REF=1>it</COREF> left.</TXT></DOC>";

fn counts_of(key: &str, response: &str, choices: &[(&str, &str)], metric: &str) -> [i128; 4] {
    counts(&read(key), &read(response), &task(choices, &[metric]))[0]
}

#[test]
fn a_response_must_contain_min_and_stay_within_the_key() {
    let response = |first: &str| {
        format!(
            "<DOC><DOCNO>d</DOCNO><TXT>{first} met; the body spoke; <COREF ID=b REF=a>it</COREF> left.</TXT></DOC>"
        )
    };
    for (first, found) in [
        ("<COREF ID=a>the board of Acme</COREF>", 1),
        ("the <COREF ID=a>board</COREF> of Acme", 1),
        ("<COREF ID=a>the board</COREF> of Acme", 1),
        ("the board of <COREF ID=a>Acme</COREF>", 0),
        ("<COREF ID=a>the</COREF> board of Acme", 0),
        ("<COREF ID=a>the board of Acme met</COREF>", 0),
    ] {
        let response = response(first).replace("met</COREF> met", "met</COREF>");
        assert_eq!(counts_of(KEY, &response, &[], "muc"), [found, 1, found, 1], "{first}");
    }
}

#[test]
fn an_optional_mention_counts_where_it_is_found() {
    let with = "<DOC><DOCNO>d</DOCNO><TXT>
        <COREF ID=1>the board</COREF> of Acme met; <COREF ID=2 REF=1>the body</COREF> spoke; it left.</TXT></DOC>";
    // Key {board, body, it}: the response has the link of two of three.
    assert_eq!(counts_of(KEY, with, &[], "muc"), [1, 2, 1, 1]);
    assert_eq!(counts_of(KEY, with, &[], "links_as_written"), [1, 2, 1, 1]);
    let without = "<DOC><DOCNO>d</DOCNO><TXT>
        <COREF ID=1>the board</COREF> of Acme met; the body spoke; <COREF ID=2 REF=1>it</COREF> left.</TXT></DOC>";
    assert_eq!(counts_of(KEY, without, &[], "muc"), [1, 1, 1, 1]);
    assert_eq!(counts_of(KEY, without, &[("optional", "count")], "muc"), [1, 2, 1, 1]);
    let (_, diagnostics) = score(&read(KEY), &read(without), &task(&[], &["muc"]));
    let dropped = diagnostics.groups().iter().find(|group| group.code == Code::MentionsDropped);
    assert_eq!(dropped.map(|group| group.count), Some(1));
    // Without a response document all optional mentions are dropped.
    let other = "<DOC><DOCNO>e</DOCNO>x</DOC>";
    let both = format!("{KEY}{other}");
    assert_eq!(counts_of(&both, other, &[], "muc"), [0, 1, 0, 0]);
}

#[test]
fn a_string_that_is_tagged_twice_is_one_mention() {
    let key = "<DOC><DOCNO>d</DOCNO><TXT><COREF ID=1><COREF ID=2 REF=1>Ada</COREF></COREF> slept;
        <COREF ID=3 REF=2>she</COREF> woke.</TXT></DOC>";
    assert_eq!(counts_of(key, key, &[], "muc"), [1, 1, 1, 1]);
    assert_eq!(counts_of(key, key, &[], "links_as_written"), [1, 1, 1, 1]);
    let once = "<DOC><DOCNO>d</DOCNO><TXT><COREF ID=1>Ada</COREF> slept;
        <COREF ID=3 REF=1>she</COREF> woke.</TXT></DOC>";
    assert_eq!(counts_of(key, once, &[], "links_as_written"), [1, 1, 1, 1]);
    assert_eq!(counts_of(once, key, &[], "muc"), [1, 1, 1, 1]);
}

/// Mentions with the same words are read in the order in which they were written, which decides which copy is the
/// first.
#[test]
fn mentions_of_equal_words_keep_their_order() {
    let text = "#begin document (d); part 000\nd 0 0 Ada (1)|(2)\nd 0 1 saw (2\nd 0 2 Bo (3)|2)|(1)\nd 0 3 Cy (3)|(1)|(2)\n\n#end document\n";
    let conll = read_as("conll", text);
    let order = |corpus: &Corpus| -> Vec<(u32, u32, String)> {
        let document = &corpus.documents[0];
        let name = |mention: &Mention| document.entity_name(mention.entity()).to_owned();
        let mentions = document.mentions().iter();
        mentions.map(|mention| (mention.span().start(), mention.span().end(), name(mention))).collect()
    };
    let written = FormatSpec::named("muc").expect("a format").write(&conll, WriteOptions::default());
    let WrittenTexts::Whole(sgml) = written.expect("it is written").texts else { panic!("one file") };
    let by_words = |corpus: &Corpus| {
        let mut mentions = order(corpus);
        mentions.sort_by_key(|mention| (mention.0, mention.1));
        mentions
    };
    assert_eq!(by_words(&read(&sgml)), by_words(&conll), "{sgml}");
}

#[test]
fn the_count_of_links_depends_on_the_tree() {
    let text = |refs: [usize; 4]| {
        let mark = |number: usize| match refs[number] {
            reference if reference == number => format!("<COREF ID={number}>x{number}</COREF>"),
            reference => format!("<COREF ID={number} REF={reference}>x{number}</COREF>"),
        };
        let marks: Vec<String> = (0..4).map(mark).collect();
        format!("<DOC><DOCNO>d</DOCNO><TXT>{}</TXT></DOC>", marks.join(" "))
    };
    // The first row of the paper's table: A-B B-C B-D against A-B C-D, and the key by two other trees.
    let response = text([0, 0, 2, 2]);
    for (key, written) in [([0, 0, 1, 1], 1), ([0, 2, 0, 0], 0), ([0, 0, 0, 2], 2)] {
        let key = text(key);
        assert_eq!(counts_of(&key, &response, &[], "muc"), [2, 3, 2, 2]);
        assert_eq!(counts_of(&key, &response, &[], "links_as_written"), [written, 3, written, 2]);
        assert_eq!(counts_of(&key, &key, &[], "links_as_written"), [3, 3, 3, 3]);
    }
    let complete = text([0, 0, 0, 0]);
    assert_eq!(
        counts_of(&complete, &text([0, 0, 1, 2]), &[], "links_as_written:among=closure"),
        [3, 3, 3, 3]
    );
}

#[test]
fn without_links_the_count_is_undefined_for_all() {
    let task = task(&[], &["links_as_written", "muc"]);
    let document = |name: &str, text: &str| format!("#begin document {name}\n{text}\n");
    let links = read_as("links", &(document("a", "A-B B-C") + &document("b", "A-B")));
    let entity = read_as("links", &(document("a", "A-B B-C") + &document("b", "{A B}")));
    let alone = read_as("links", &(document("a", "A-B B-C") + &document("b", "{A} {B}")));
    assert_eq!(counts(&links, &links, &task)[0], [3, 3, 3, 3]);
    assert_eq!(counts(&links, &alone, &task)[0], [2, 3, 2, 2]);
    for (key, response, side) in [(&links, &entity, "response"), (&entity, &links, "key")] {
        let (report, diagnostics) = score(key, response, &task);
        let counts = &report.results[0].tally.as_ref().expect("counts").first;
        assert!(counts.recall_den.is_zero() && counts.precision_den.is_zero(), "nothing is counted");
        let group = diagnostics.groups().iter().find(|group| group.code == Code::MetricImpossible);
        let finding = &group.expect("a finding").kept[0];
        assert!(
            finding.message.to_string().contains(side) && finding.message.to_string().contains("`b`"),
            "{}",
            finding.message
        );
        assert_eq!(finding.position.as_ref().map(|position| position.line), Some(3));
        // The other metrics are still defined.
        assert_eq!(report.results[1].score.recall, 1.0);
    }
}

#[test]
fn links_stay_where_documents_are_joined() {
    let corpus =
        |second: &str| read_as("links", &format!("#begin document a\nA-B\n#begin document b\n{second}\n"));
    let (key, response) = (corpus("C-D D-E"), corpus("C-D"));
    let mut diagnostics = Diagnostics::default();
    let pairs = pair(&key, &response, &mut diagnostics).expect("documents pair");
    let joined = scope::join(&pairs, Scope::Corpus, &mut diagnostics).expect("small").expect("joined");
    let pairs: Vec<_> = joined.iter().map(JoinedPair::as_pair).collect();
    assert_eq!(pairs[0].key.links(), Some(&[[0, 1], [2, 3], [3, 4]][..]));
    let report = score_documents(&pairs, &task(&[], &["links_as_written"]), &mut diagnostics);
    let score = report.unwrap().results[0].score;
    assert_eq!((score.recall, score.precision), (2.0 / 3.0, 1.0));
    let mixed = corpus("{C D}");
    let pairs = pair(&mixed, &response, &mut diagnostics).expect("documents pair");
    let joined = scope::join(&pairs, Scope::Corpus, &mut diagnostics).expect("small").expect("joined");
    assert_eq!(joined[0].as_pair().key.links(), None);
}

#[test]
fn another_text_cannot_be_scored() {
    let compare = |key: &str, response: &str| {
        let (key, response) = (read(key), read(response));
        let settings = task(&[], &["muc"]).settings;
        let mut diagnostics = Diagnostics::default();
        let pairs = pair(&key, &response, &mut diagnostics).expect("documents pair");
        let doubtful = pairing::doubtful_pairs(&pairs, &settings, &mut diagnostics);
        assert_eq!(diagnostics.warnings(), 0);
        doubtful.first().map(|&pair| {
            let response = pair.response.expect("a pair");
            pairing::compare_words(pair, pair.key, response, &settings, &mut diagnostics)
                .map_err(|e| e.to_string())
        })
    };
    let document = |text: &str| format!("<DOC>\n<DOCNO>d</DOCNO>\n<TXT>\n{text}\n</TXT>\n</DOC>\n");
    let key = document("<COREF ID=1>The cook</COREF> saw\nthe ferry leave.");
    // Tags, line breaks and sentences that one side marks do not belong to the text.
    for same in
        ["The cook saw <s>the <COREF ID=2>ferry</COREF> leave.</s>", "The\ncook saw\n\n the ferry leave ."]
    {
        assert_eq!(compare(&key, &document(same)), None, "{same}");
    }
    let found = compare(&key, &document("The cook\nsaw the\nboat leave."))
        .expect("doubtful")
        .expect_err("other words");
    assert!(found.contains("x:5") && found.contains("`ferry` as word 5"), "{found}");
    assert!(found.contains("x:6") && found.contains("`boat` as word 5"), "{found}");
    let found =
        compare(&key, &document("The cook saw the ferry")).expect("doubtful").expect_err("fewer words");
    assert!(found.contains("7 words in the key and 5 in the response"), "{found}");
    assert!(found.contains("the response ends before word 6"), "{found}");
}
