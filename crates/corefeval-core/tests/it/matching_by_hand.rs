//! Selection and matching of mentions, on small cases worked by hand: repeated, optional and
//! discontinuous mentions, zeros, names, split antecedents and very long texts; and the findings.

use std::collections::BTreeSet;
use std::sync::Arc;

use corefeval_core::agreement::{Agreement, agreement, count_document};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{ErrorKind, Result};
use corefeval_core::evaluation::score_documents;
use corefeval_core::matching::{Alignment, align};
use corefeval_core::metrics::Metric;
use corefeval_core::model::{
    Document, DocumentBuilder, DocumentId, EntityId, MENTION_TYPE, Mention, MentionDetails, Relations, Span,
    SplitAntecedent, Words, WordsBuilder,
};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::selection::{Selected, select};
use corefeval_core::settings::Settings;
use corefeval_core::significance::{Method, ResamplingUnits};
use corefeval_core::tally::Tally;

fn settings(profile: &str, choices: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::of(Profile::named(profile).expect("a profile"));
    choices.iter().for_each(|(name, value)| settings.set(name, value).expect("an option"));
    settings
}

fn span(start: u32, end: u32) -> Span {
    Span::new(start, end).expect("it has words")
}

/// Makes a mention of the words from `start` up to `end`.
fn mention(entity: usize, start: u32, end: u32) -> Mention {
    Mention::new(span(start, end), EntityId::new(entity), 1, 1)
}

fn with(mention: Mention, details: MentionDetails) -> Mention {
    mention.with_details(details).expect("parts are in order")
}

/// Makes a mention of several runs of words.
fn of_parts(entity: usize, parts: &[(u32, u32)]) -> Mention {
    let parts: Vec<Span> = parts.iter().map(|&(start, end)| span(start, end)).collect();
    let whole = mention(entity, parts[0].start(), parts[parts.len() - 1].end());
    with(whole, MentionDetails { parts, ..MentionDetails::default() })
}

/// Makes words of the text, in sentences of these lengths.
fn sentences(lengths: &[u32]) -> Words {
    let mut words = WordsBuilder::new(false);
    for &length in lengths {
        (0..length).for_each(|_| _ = words.push(b"w"));
        words.end_sentence();
    }
    words.finish()
}

/// Makes words of one sentence: those at the given places are empty nodes.
fn with_nodes(count: u32, nodes: &[u32]) -> Words {
    let mut words = WordsBuilder::new(false);
    for word in 0..count {
        match nodes.contains(&word) {
            true => words.push_empty_node(),
            false => words.push(b"w"),
        };
    }
    words.finish()
}

/// Makes words of one sentence, with their parses.
fn parsed(text: &[(&str, &str, &str)]) -> Words {
    let mut words = WordsBuilder::new(true);
    for (form, tag, bit) in text {
        words.push(form.as_bytes());
        let layers = words.layers_mut().expect("they are kept");
        layers.form.push(form);
        layers.part_of_speech.push(tag);
        layers.parse.push(bit);
    }
    words.finish()
}

/// Makes a document with these words and mentions. The entities are called e0, e1 and so on.
fn document(words: Words, mentions: Vec<Mention>) -> Document {
    builder(mentions).finish(words).expect("a document")
}

fn builder(mentions: Vec<Mention>) -> DocumentBuilder {
    let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
    let entities = mentions.iter().map(|mention| mention.entity().index() + 1).max().unwrap_or(0);
    document.entities = (0..entities).map(|entity| format!("e{entity}").into()).collect();
    document.mentions = mentions;
    document
}

/// Makes a document with split antecedents: an entity and its parts.
fn with_splits(words: Words, mentions: Vec<Mention>, splits: &[(usize, &[usize])]) -> Document {
    let mut document = builder(mentions);
    let split = |&(entity, parts): &(usize, &[usize])| SplitAntecedent {
        entity: EntityId::new(entity),
        parts: parts.iter().map(|&part| EntityId::new(part)).collect(),
        line: 1,
    };
    let split_antecedents = splits.iter().map(split).collect();
    document.relations = Some(Box::new(Relations { split_antecedents, ..Relations::default() }));
    document.finish(words).expect("a document")
}

/// Makes a document whose mentions are names, each with its entity.
fn names(mentions: &[(usize, &str)]) -> Document {
    let mut words = WordsBuilder::names();
    let mut all = Vec::new();
    for &(entity, name) in mentions {
        let word = words.push(name.as_bytes());
        words.layers_mut().expect("names are kept").form.push(name);
        all.push(mention(entity, word, word + 1));
    }
    document(words.finish(), all)
}

/// Returns the alignment without the table of mentions, and the findings.
fn aligned(key: &Document, response: &Document, settings: &Settings) -> (Alignment, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let ours = select(key, key, settings, &mut diagnostics);
    let theirs = select(response, key, settings, &mut diagnostics);
    let alignment = align((key, ours), (response, theirs), settings, false, &mut diagnostics);
    (alignment, diagnostics)
}

/// Returns the aligned mentions, by their places in the documents.
fn pairs(key: &Document, response: &Document, settings: &Settings) -> BTreeSet<(u32, u32)> {
    let (alignment, _) = aligned(key, response, settings);
    let place = |side: &Selected, index: u32| side.mentions[index as usize].mention;
    let pair =
        |&(ours, theirs): &(u32, u32)| (place(&alignment.key, ours), place(&alignment.response, theirs));
    alignment.pairs.iter().map(pair).collect()
}

/// Returns the numbers of distinct mentions: of the key, of the response, and of both.
fn counts(alignment: &Alignment) -> [u64; 3] {
    [alignment.mentions.key, alignment.mentions.response, alignment.mentions.shared]
}

fn number_of(diagnostics: &Diagnostics, code: Code) -> u64 {
    diagnostics.groups().iter().filter(|group| group.code == code).map(|group| group.count).sum()
}

fn messages(diagnostics: &Diagnostics, code: Code) -> Vec<String> {
    let groups = diagnostics.groups().iter().filter(|group| group.code == code);
    groups.flat_map(|group| &group.kept).map(|finding| finding.message.to_string()).collect()
}

fn tally(key: &Document, response: &Document, settings: Settings, metric: &str) -> Result<Tally> {
    let metrics = vec![Metric::parse(metric).expect("a metric")];
    let task = Task { settings, metrics, by: None, threads: 1 };
    let pair = DocumentPair { key, response: Some(response) };
    let mut report = score_documents(&[pair], &task, &mut Diagnostics::default())?;
    Ok(report.results.remove(0).tally.expect("it has counts"))
}

/// Returns numerators and denominators of recall and precision.
fn fractions(tally: &Tally) -> [(i128, i128); 4] {
    let first = &tally.first;
    [&first.recall_num, &first.recall_den, &first.precision_num, &first.precision_den]
        .map(|sum| sum.to_ratio().expect("small counts"))
}

/// The signature of a metric names its weights, so it is not scored without them.
#[test]
fn documents_without_weights_are_not_scored_by_weighted_metrics() {
    let document = document(sentences(&[3]), vec![mention(0, 0, 1), mention(0, 2, 3)]);
    for (metric, fields, message) in [
        ("b_cubed:weight=table", &[][..], "`b_cubed:weight=table` needs weights"),
        ("ceaf_e:credit=words", &[], "only mentions of the same words match"),
        ("ceaf_e:credit=words", &[("match", "overlap")], ""),
        ("ceaf_e:credit=words", &[("match", "overlap"), ("split-antecedents", "keep")], "split antecedents"),
    ] {
        let found = tally(&document, &document, settings("conll", fields), metric);
        let error = found.err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(error.is_empty(), message.is_empty(), "{metric}: {error}");
        assert!(error.contains(message), "{metric}: {error}");
    }
}

// Agreement between annotators.

/// Returns the units of two annotators and those that both have.
fn units(one: &Document, other: &Document, settings: &Settings) -> (u64, u64) {
    let counts =
        count_document(&[one, other], settings, &mut Diagnostics::default()).expect("two annotators");
    (counts.units, counts.common)
}

fn agree(one: &Document, other: &Document, settings: &Settings) -> Agreement {
    let counts =
        count_document(&[one, other], settings, &mut Diagnostics::default()).expect("two annotators");
    let method = Method { resamples: 20, ..Method::default() };
    agreement(&[counts], &ResamplingUnits::single(1), 2, &method)
}

/// Returns the shares of units that differ, for the coefficient of links.
fn observed(one: &Document, other: &Document, settings: &Settings) -> f64 {
    agree(one, other, settings).alphas[3].observed
}

/// A mention: its entity, its first word and the one after its last.
type Drawn = (usize, u32, u32);

/// Makes mentions with the head 10, and a distant one.
fn of_head(mentions: &[Drawn]) -> Document {
    let head = |&(entity, start, end): &Drawn| {
        mention(entity, start, end).with_head(if start <= 10 && 10 < end { 10 } else { start })
    };
    document(sentences(&[60]), mentions.iter().map(head).collect())
}

/// With the first annotator as the key, the short mention is the better partner, because the other contains all its
/// words. With the second as the key it is the long one, which shares more words. The larger share of the words of both
/// decides, and so determines whether the annotators link the same mentions.
#[test]
fn annotators_are_aligned_by_the_share_of_all_words_of_both() {
    let settings = settings("corefud", &[("singletons", "keep")]);
    // The first annotator links the long mention with a distant one, and the short one with nothing.
    let cases: [([Drawn; 3], Drawn, f64); 2] = [
        // The long one shares 5 of 13 words with the other annotator's, the short one 3 of 6. So the pairs of the long
        // and of the short mention with the distant one are linked by one annotator each.
        ([(0, 0, 12), (1, 9, 12), (0, 50, 51)], (0, 7, 13), 2.0 / 3.0),
        // 8 of 12, and 2 of 10.
        ([(1, 9, 11), (0, 10, 20), (0, 50, 51)], (0, 8, 18), 0.0),
    ];
    for (ours, other, differ) in cases {
        let (ours, theirs) = (of_head(&ours), of_head(&[other, (0, 50, 51)]));
        assert_eq!(units(&ours, &theirs, &settings), (3, 2));
        assert_eq!(observed(&ours, &theirs, &settings), differ);
        assert_eq!(observed(&theirs, &ours, &settings), differ);
    }
}

/// A mention that an annotator has in two entities is one unit, with the entity of the copy that the rule selects: here
/// the last, so that both annotators link the two mentions.
#[test]
fn copies_of_an_annotator_are_one_unit() {
    let settings = settings("coval", &[("singletons", "keep")]);
    let one = document(sentences(&[4]), vec![mention(0, 0, 1), mention(1, 2, 3), mention(1, 0, 1)]);
    let other = document(sentences(&[4]), vec![mention(0, 0, 1), mention(0, 2, 3)]);
    assert_eq!(units(&one, &other, &settings), (2, 2));
    assert_eq!(observed(&one, &other, &settings), 0.0);
}

// Selection.

/// Every finding about dropped mentions gives their number.
#[test]
fn dropped_mentions_are_counted() {
    let dropped = |document: &Document, choices: &[(&str, &str)]| {
        let mut diagnostics = Diagnostics::default();
        let all = [&[("singletons", "keep"), ("zeros", "keep")], choices].concat();
        let selected = select(document, document, &settings("coval", &all), &mut diagnostics);
        let count = document.mentions().len() - selected.mentions.len();
        assert_eq!(number_of(&diagnostics, Code::MentionsDropped), count as u64);
        (count, messages(&diagnostics, Code::MentionsDropped).remove(0))
    };
    let zeros = document(with_nodes(4, &[1, 3]), (0..4).map(|word| mention(0, word, word + 1)).collect());
    assert_eq!(dropped(&zeros, &[("zeros", "drop")]), (2, "2 zeros left out of `d`".to_owned()));
    // Three mentions of one entity, two singletons.
    let singletons = document(
        sentences(&[5]),
        [0, 0, 0, 1, 2].into_iter().zip(0..).map(|(e, w)| mention(e, w, w + 1)).collect(),
    );
    let (count, message) = dropped(&singletons, &[("singletons", "drop")]);
    assert_eq!((count, message.as_str()), (2, "2 singletons left out of `d`"));
    // A mention within another one of its entity; and an entity that would be left with one.
    let nested =
        vec![mention(0, 0, 3), mention(0, 1, 2), mention(0, 4, 5), mention(1, 5, 8), mention(1, 6, 7)];
    let nested = document(sentences(&[8]), nested);
    let (count, message) = dropped(&nested, &[("remove-nested", "yes"), ("singletons", "drop")]);
    assert_eq!((count, message.contains("3 mentions")), (3, true), "{message}");
    // A verb phrase is next to two noun phrases, and another next to a single one.
    let text: Vec<(&str, &str, &str)> = ["(NP*)", "(NP*)", "(VP*)", "(NP*)", "(VP*)"]
        .into_iter()
        .map(|bit| ("cat", if bit == "(VP*)" { "VB" } else { "NN" }, bit))
        .collect();
    let phrases = [0, 0, 0, 1, 1].into_iter().zip(0..).map(|(entity, word)| mention(entity, word, word + 1));
    let phrases = document(parsed(&text), phrases.collect());
    let (count, message) = dropped(&phrases, &[("np-only", "yes")]);
    assert_eq!((count, message.contains("3 mentions")), (3, true), "{message}");
}

/// A mention that an entity has twice is dropped once, and reported with the entity.
#[test]
fn a_copy_within_an_entity_is_reported() {
    let copies = document(sentences(&[4]), vec![mention(0, 0, 1), mention(0, 2, 3), mention(0, 0, 1)]);
    let mut diagnostics = Diagnostics::default();
    let selected = select(&copies, &copies, &settings("corefud", &[]), &mut diagnostics);
    assert_eq!(selected.mentions.iter().map(|chosen| chosen.mention).collect::<Vec<_>>(), [0, 1]);
    let found = messages(&diagnostics, Code::DuplicateMention);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("entity `e0` has this mention twice"), "{found:?}");
}

/// A mention that starts another mention is nested, regardless of which one the file closes first, even after many
/// words.
#[test]
fn nested_mentions_are_found_at_the_end_of_a_long_text() {
    for end in [10, 200_000] {
        let all = vec![mention(0, end - 8, end - 1), mention(0, end - 8, end), mention(0, 0, 1)];
        let text = document(sentences(&[end]), all);
        let settings = settings("coval", &[("remove-nested", "yes"), ("singletons", "keep")]);
        let selected = select(&text, &text, &settings, &mut Diagnostics::default());
        let kept: Vec<u32> = selected.mentions.iter().map(|chosen| chosen.mention).collect();
        assert_eq!(kept, [1, 2], "{end} words");
    }
}

/// Two entities and their sum, which has a separate mention: four members. An entity without a name is dropped, and
/// is no longer a part. A sum without parts is not a split antecedent.
#[test]
fn split_antecedents_of_named_entities_keep_the_named_parts() {
    let found = |named: [bool; 3]| {
        let typed = |(entity, named): (usize, bool)| {
            let kind = if named { "NAM" } else { "NOM" };
            let attributes = vec![(MENTION_TYPE.to_owned(), kind.to_owned())];
            let own = mention(entity, entity as u32, entity as u32 + 1);
            with(own, MentionDetails { attributes, ..MentionDetails::default() })
        };
        let all = (0..3).zip(named).map(typed).collect();
        let text = with_splits(sentences(&[3]), all, &[(2, &[0, 1])]);
        let choices = [
            ("singletons", "keep"),
            ("split-antecedents", "keep"),
            ("entities", "named"),
            ("named", "mention-type"),
        ];
        fractions(&tally(&text, &text, settings("ua", &choices), "b_cubed").expect("it is scored"))
    };
    assert_eq!(found([true, true, true]), [(4, 1); 4]);
    assert_eq!(found([true, false, true]), [(3, 1); 4]);
    // The sum itself has no name.
    assert_eq!(found([true, true, false]), [(2, 1); 4]);
    assert_eq!(found([false, false, true]), [(1, 1); 4]);
}

// Exact matching.

/// One of the response's three mentions is among the key's two; the others are added to the key.
#[test]
fn extra_mentions_count_on_both_sides() {
    let key = document(sentences(&[8]), vec![mention(0, 0, 1), mention(0, 2, 3)]);
    let response = document(sentences(&[8]), vec![mention(0, 2, 3), mention(0, 4, 5), mention(0, 6, 7)]);
    let (alignment, _) = aligned(&key, &response, &settings("scorch", &[]));
    assert_eq!(counts(&alignment), [4, 3, 3]);
}

#[test]
fn the_table_of_mentions_is_made_on_request_only() {
    let text = document(sentences(&[4]), vec![mention(0, 0, 1).with_head(0), mention(0, 2, 4).with_head(2)]);
    for rule in ["exact", "head", "min-span"] {
        let settings = settings("conll", &[("match", rule)]);
        for wanted in [false, true] {
            let mut diagnostics = Diagnostics::default();
            let side = || select(&text, &text, &settings, &mut Diagnostics::default());
            let found = align((&text, side()), (&text, side()), &settings, wanted, &mut diagnostics);
            assert_eq!(found.table.is_some(), wanted, "{rule}");
        }
    }
}

/// Copies have separate counts only if a side has copies. The reference scorer drops the response's copies of mentions
/// that the key has.
#[test]
fn counts_of_copies_exist_only_with_copies() {
    let key = document(sentences(&[8]), vec![mention(0, 0, 1), mention(0, 2, 3)]);
    let response = document(sentences(&[8]), vec![mention(0, 2, 3), mention(0, 4, 5)]);
    let copies = document(sentences(&[8]), vec![mention(0, 2, 3), mention(1, 2, 3)]);
    for (rule, of_response) in [("first", false), ("last", true), ("last-sets", true)] {
        let settings = settings("conll", &[("duplicates", rule), ("singletons", "keep")]);
        let are_kept = |key, response| aligned(key, response, &settings).0.repeated.is_some();
        assert!(!are_kept(&key, &response) && !are_kept(&response, &key), "{rule}");
        assert!(are_kept(&copies, &response), "{rule}");
        assert_eq!(are_kept(&key, &copies), of_response, "{rule}");
    }
    // Copies that the key lacks are not dropped.
    let settings = settings("conll", &[]);
    let other = document(sentences(&[8]), vec![mention(0, 6, 7)]);
    assert!(aligned(&other, &copies, &settings).0.repeated.is_some());
}

/// Messages name a mention by its words, and give the place of its copy.
#[test]
fn repeated_mentions_are_described() {
    let side = |mentions: Vec<Mention>| document(sentences(&[8]), mentions);
    let key = side(vec![mention(0, 2, 3), mention(1, 2, 3), mention(2, 4, 7), mention(2, 4, 7)]);
    let (_, diagnostics) = aligned(&key, &side(Vec::new()), &settings("conll", &[]));
    let found = messages(&diagnostics, Code::DuplicateMention);
    assert_eq!(found.len(), 2);
    let starts = [
        "the key has the mention of word 3 in entity `e0` and again in entity `e1`",
        "the key has the mention of words 5 to 7 twice in entity `e2`",
    ];
    for (message, start) in found.iter().zip(starts) {
        assert!(message.starts_with(start), "{message}");
    }
}

/// A name that an entity has twice counts once; in another entity it is a copy.
#[test]
fn a_name_counts_once_in_an_entity() {
    let key = names(&[(0, "x"), (0, "y"), (0, "x"), (1, "z")]);
    let response = names(&[(0, "y"), (1, "x")]);
    let (alignment, diagnostics) = aligned(&key, &response, &settings("conll", &[]));
    assert_eq!(alignment.key.mentions.len(), 3);
    assert_eq!(alignment.key.sizes, [2, 1]);
    assert_eq!(counts(&alignment), [3, 2, 2]);
    let found = messages(&diagnostics, Code::DuplicateMention);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("the key has `x` in entity `e0` twice"), "{found:?}");
    let (alignment, diagnostics) = aligned(&response, &key, &settings("conll", &[]));
    assert_eq!(alignment.response.sizes, [2, 1]);
    assert!(messages(&diagnostics, Code::DuplicateMention)[0].starts_with("the response has `x`"));
}

/// A response without mentions may be read as a response of names. The key's words remain words: its mentions are
/// identified by place, copies stay in their entity, and no warning reports that the matching rule has no effect.
#[test]
fn a_response_without_mentions_does_not_make_names_of_the_key() {
    let mut words = WordsBuilder::new(true);
    for form in ["a", "b", "a", "b"] {
        words.push(form.as_bytes());
        words.layers_mut().expect("they are kept").form.push(form);
    }
    let all = [(0, 2), (2, 4), (0, 2)].map(|(start, end)| mention(0, start, end).with_head(start));
    let key = document(words.finish(), all.to_vec());
    let nothing = names(&[]);
    for (key, response, wanted) in [(&key, &nothing, [2, 0, 0]), (&nothing, &key, [0, 2, 0])] {
        let (alignment, _) = aligned(key, response, &settings("conll", &[("singletons", "keep")]));
        assert_eq!(counts(&alignment), wanted);
        assert_eq!(alignment.key.mentions.len() + alignment.response.mentions.len(), 3);
        let (_, diagnostics) = aligned(key, response, &settings("conll", &[("match", "head")]));
        assert_eq!(number_of(&diagnostics, Code::NoHeads), 0);
    }
}

/// A mention with a gap does not match the contiguous mention or one with another gap, whether or not it is alone in
/// its document.
#[test]
fn discontinuous_mentions_match_word_for_word() {
    let settings = settings("conll", &[("singletons", "keep")]);
    let gaps = [of_parts(0, &[(0, 1), (3, 4)]), of_parts(0, &[(4, 5), (7, 8)])];
    let key = document(sentences(&[8]), gaps.to_vec());
    assert_eq!(pairs(&key, &key, &settings).len(), 2);
    let whole = document(sentences(&[8]), vec![mention(0, 0, 4), mention(0, 4, 8)]);
    assert_eq!(pairs(&key, &whole, &settings), BTreeSet::new());
    let other = document(sentences(&[8]), vec![of_parts(0, &[(0, 2), (3, 4)]), gaps[1].clone()]);
    assert_eq!(pairs(&key, &other, &settings), BTreeSet::from([(1, 1)]));
}

/// Preceding sentences of different lengths do not move a mention if places are counted within the sentence.
#[test]
fn places_in_sentences_do_not_depend_on_the_sentences_before() {
    let settings = settings("conll", &[("place", "sentence"), ("singletons", "keep")]);
    let key = document(
        sentences(&[2, 2, 5]),
        vec![mention(0, 0, 1), mention(0, 3, 4), mention(0, 4, 5), of_parts(0, &[(5, 6), (7, 9)])],
    );
    let response = document(
        sentences(&[3, 4, 5]),
        vec![
            mention(0, 0, 1),
            mention(0, 4, 5),
            // The third word of the second sentence, which the key does not have.
            mention(0, 5, 6),
            mention(0, 7, 8),
            of_parts(0, &[(8, 9), (10, 12)]),
        ],
    );
    assert_eq!(pairs(&key, &response, &settings), BTreeSet::from([(0, 0), (1, 1), (2, 3), (3, 4)]));
    let reversed = BTreeSet::from([(0, 0), (1, 1), (3, 2), (4, 3)]);
    assert_eq!(pairs(&response, &key, &settings), reversed);
}

/// The rule for places applies to every rule that compares words.
#[test]
fn places_in_sentences_hold_under_all_rules() {
    let key = document(sentences(&[2, 2]), vec![mention(0, 0, 1), mention(0, 2, 4)]);
    let response = document(sentences(&[3, 2]), vec![mention(0, 0, 1), mention(0, 3, 5), mention(0, 2, 3)]);
    for (rule, duplicates) in [
        ("exact", "last"),
        ("exact", "distinct"),
        ("overlap", "last"),
        ("partial", "last"),
        ("muc", "last"),
        ("min-span", "last"),
    ] {
        let fields =
            |place| [("match", rule), ("duplicates", duplicates), ("place", place), ("singletons", "keep")];
        let by_sentence = settings("conll", &fields("sentence"));
        assert_eq!(
            pairs(&key, &response, &by_sentence),
            BTreeSet::from([(0, 0), (1, 1)]),
            "{rule} {duplicates}"
        );
        let by_document = pairs(&key, &response, &settings("conll", &fields("document")));
        assert!(!by_document.contains(&(1, 1)) || rule != "exact", "{rule} {duplicates}: {by_document:?}");
    }
}

/// A mention in two entities counts in the one that starts later. If entities start at the same word, the one with the
/// longer first mention is earlier, regardless of its own length.
#[test]
fn entities_with_a_longer_first_mention_are_earlier() {
    for length in [10, 200_000] {
        let words = || sentences(&[length]);
        let common = |entity: usize| mention(entity, 1, 2);
        let key = document(words(), vec![common(0)]);
        let all = vec![mention(1, 0, length), common(1), mention(0, 0, length - 1), common(0)];
        let response = document(words(), all);
        let settings = settings("corefud", &[("match", "exact"), ("singletons", "keep")]);
        assert_eq!(pairs(&key, &response, &settings), BTreeSet::from([(0, 3)]), "{length} words");
    }
}

/// 40 entities share one mention, and each has another one, which is linked with it. All 820 pairs of the 41 mentions
/// also count as not coreferent, since no two are only in the same entity; the same holds for two copies.
#[test]
fn links_of_a_mention_in_many_entities_are_sets() {
    let common = |entity: usize| mention(entity, 0, 1);
    let own = |entity: usize| mention(entity, entity as u32 + 1, entity as u32 + 2);
    let key = document(sentences(&[50]), (0..40).flat_map(|entity| [common(entity), own(entity)]).collect());
    // Two links that are also in the key, and one that is not.
    let response = document(sentences(&[50]), vec![mention(0, 0, 1), mention(0, 1, 2), mention(0, 2, 3)]);
    let tally = tally(&key, &response, settings("conll", &[]), "blanc").expect("it is scored");
    assert_eq!(fractions(&tally), [(2, 1), (40, 1), (2, 1), (3, 1)]);
    assert_eq!(tally.second.recall_den.to_integer(), Some(821));
    assert_eq!(tally.second.precision_den.to_integer(), Some(0));
}

// Inexact matching.

/// Rules warn if a side lacks the annotation that they use. A side without mentions lacks nothing.
#[test]
fn missing_heads_are_reported() {
    let text = |mentions: Vec<Mention>| document(sentences(&[8]), mentions);
    let reported = |key: &Document, response: &Document, rule: &str| {
        let (_, diagnostics) = aligned(key, response, &settings("conll", &[("match", rule)]));
        messages(&diagnostics, Code::NoHeads)
    };
    let nothing = text(Vec::new());
    let headless = text(vec![mention(0, 0, 3), mention(0, 4, 5)]);
    let headed = text(vec![mention(0, 0, 3).with_head(1), mention(0, 4, 5).with_head(4)]);
    let no_attributes = MentionDetails::default();
    let detailed = text(vec![with(mention(0, 0, 3), no_attributes), mention(0, 4, 5)]);
    let minimum = |mention: Mention, word: u32| mention.with_min_span(span(word, word + 1)).expect("within");
    let with_minimum = text(vec![minimum(mention(0, 0, 3), 1), minimum(mention(0, 4, 5), 4)]);
    for (key, response) in [(&headless, &headed), (&headed, &headless), (&headless, &nothing)] {
        let found = reported(key, response, "head");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("needs heads, and the mentions of `d` have none"), "{found:?}");
    }
    for (key, response) in
        [(&headed, &headed), (&nothing, &headed), (&headed, &nothing), (&nothing, &nothing)]
    {
        assert!(reported(key, response, "head").is_empty());
        assert!(reported(key, response, "partial").is_empty());
    }
    for key in [&headless, &detailed] {
        let found = reported(key, &headed, "partial");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("needs heads or minimum spans in the key"), "{found:?}");
    }
    assert!(reported(&with_minimum, &headless, "partial").is_empty());
    assert!(reported(&headed, &headless, "partial").is_empty());
}

/// The short mentions of the two sides are at different places, and both overlap with the long ones. The long ones are
/// partners; the short ones share no words.
#[test]
fn mentions_without_common_words_do_not_overlap() {
    let key = document(sentences(&[12]), vec![mention(0, 0, 9), mention(0, 5, 7)]);
    let response = document(sentences(&[12]), vec![mention(0, 0, 10), mention(0, 1, 2)]);
    let settings = settings("conll", &[("match", "overlap")]);
    assert_eq!(pairs(&key, &response, &settings), BTreeSet::from([(0, 0)]));
}

/// A head may lie in a gap of its mention. Then two mentions with the same head may share no word, and are not paired.
#[test]
fn mentions_of_the_same_head_without_common_words_are_not_paired() {
    let text = |parts: &[(u32, u32)]| document(sentences(&[6]), vec![of_parts(0, parts).with_head(2)]);
    let settings = settings("corefud", &[("singletons", "keep")]);
    let (key, response) = (text(&[(0, 1), (4, 5)]), text(&[(1, 2), (3, 4)]));
    assert_eq!(pairs(&key, &response, &settings), BTreeSet::new());
    assert_eq!(pairs(&key, &text(&[(0, 2), (3, 4)]), &settings), BTreeSet::from([(0, 0)]));
}

/// A zero and a mention of the text that starts with it share one word of two.
#[test]
fn only_two_zeros_have_full_credit_without_common_words_of_the_text() {
    let text = |end: u32, head: u32| {
        let all = vec![mention(0, 1, end).with_head(head), mention(0, 3, 4).with_head(3)];
        document(with_nodes(5, &[1]), all)
    };
    let (zero, longer) = (text(2, 1), text(3, 2));
    let settings = settings("corefud", &[("match", "overlap"), ("singletons", "keep")]);
    for (key, response, shared) in
        [(&zero, &longer, (3, 2)), (&longer, &zero, (3, 2)), (&zero, &zero, (2, 1))]
    {
        let found = tally(key, response, settings.clone(), "ceaf_m:credit=words").expect("it is scored");
        assert_eq!(fractions(&found), [shared, (2, 1), shared, (2, 1)]);
    }
}

/// Mentions that a file opens but does not close have no words, and are all the same mention.
#[test]
fn mentions_without_words_are_the_same_wherever_they_open() {
    let text = |word: u32| {
        let unclosed = Mention::without_words(word, EntityId::new(0), 1, 1);
        document(sentences(&[6]), vec![mention(0, 0, 1), unclosed, mention(0, 4, 6)])
    };
    let settings = settings("ua", &[("boundary-crossing", "yes"), ("zeros", "keep")]);
    assert_eq!(pairs(&text(1), &text(3), &settings), BTreeSet::from([(0, 0), (1, 1), (2, 2)]));
}

/// Copies of a mention are recognised even if another mention lies between them in the file, with the same first and
/// last word and number of words, or with the same words and a different head.
#[test]
fn copies_are_recognised_among_mentions_of_the_same_extent() {
    let settings = settings("corefud", &[("singletons", "keep")]);
    let (one, other) = ([(0, 2), (3, 4)], [(0, 1), (2, 4)]);
    let gaps = [of_parts(0, &one), of_parts(0, &other), of_parts(1, &one), of_parts(1, &other)];
    let gaps = gaps.map(|mention| mention.with_head(0));
    let heads = [(0, 1), (0, 2), (1, 1), (1, 2)].map(|(entity, head)| mention(entity, 0, 4).with_head(head));
    for all in [gaps.to_vec(), heads.to_vec()] {
        let text = document(sentences(&[6]), all);
        let (alignment, _) = aligned(&text, &text, &settings);
        assert_eq!(counts(&alignment), [2, 2, 2]);
        let repeated = alignment.repeated.expect("copies");
        assert_eq!((repeated.recall.len(), repeated.precision.len()), (4, 4));
    }
}

/// Version 2.0 of the Universal Anaphora scorer looks for the key's mention in the order of a Python set. The values are
/// from CPython 3.11: `next(iter(set(frozenset(range(start, end)) for start, end in mentions)))`, where only words of the
/// text have numbers.
#[test]
fn craft_takes_the_first_mention_of_a_python_set() {
    let settings = settings("ua", &[("match", "craft"), ("zeros", "keep"), ("singletons", "keep")]);
    for (mentions, first) in [([(0, 4), (2, 4)], 0), ([(0, 5), (1, 4)], 1), ([(0, 6), (2, 5)], 0)] {
        for nodes in [vec![], vec![0], vec![0, 1]] {
            let by = nodes.len() as u32;
            let text = |mentions: &[(u32, u32)]| {
                let all = mentions.iter().map(|&(start, end)| mention(0, start + by, end + by));
                document(with_nodes(8 + by, &nodes), all.collect())
            };
            let (key, response) = (text(&mentions), text(&[(3, 4)]));
            assert_eq!(
                pairs(&key, &response, &settings),
                BTreeSet::from([(first, 0)]),
                "{mentions:?} {nodes:?}"
            );
        }
    }
    // 1500 nested mentions, all of which contain the word.
    let all: Vec<Mention> = (0..1500).map(|place| mention(0, place, 3001 - place)).collect();
    let key = document(sentences(&[3001]), all);
    let response = document(sentences(&[3001]), vec![mention(0, 1500, 1501)]);
    assert_eq!(pairs(&key, &response, &settings), BTreeSet::from([(1258, 0)]));
}

/// In Python a zero differs from the word after it, so it does not change the order of the others.
#[test]
fn craft_does_not_take_a_zero_for_the_word_after_it() {
    let settings = settings("ua", &[("match", "craft"), ("zeros", "keep"), ("singletons", "keep")]);
    // The mentions are a zero after the first word, the word after it, and that word with the next one.
    let text = |mentions: Vec<Mention>| document(with_nodes(9, &[1]), mentions);
    let response = text(vec![of_parts(0, &[(2, 3), (6, 7)])]);
    let (word, two) = (mention(0, 2, 3), mention(0, 2, 4));
    // list({frozenset({1}), frozenset({1, 2})}) == [frozenset({1}), frozenset({1, 2})], with 200 values of PYTHONHASHSEED also
    // after frozenset({"1.1"}).
    assert_eq!(pairs(&text(vec![word.clone(), two.clone()]), &response, &settings), BTreeSet::from([(0, 0)]));
    assert_eq!(
        pairs(&text(vec![mention(0, 1, 2), word, two]), &response, &settings),
        BTreeSet::from([(1, 0)])
    );
}

/// The mentions of an entity before and after its split antecedent, in the order of a Python set. The values are from
/// CPython 3.11: `list({frozenset(range(start, end)), ..., frozenset({(frozenset({0}),), (frozenset({1}),)})})`, where
/// only words of the text have numbers.
#[test]
fn split_antecedents_are_in_the_order_of_a_python_set() {
    let settings =
        settings("ua", &[("split-antecedents", "keep"), ("zeros", "keep"), ("singletons", "keep")]);
    for nodes in [vec![], vec![0]] {
        let by = nodes.len() as u32;
        let runs =
            [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6), (6, 8)].map(|(start, end)| (start + by, end + by));
        let text = |entities: [usize; 6]| {
            let all = entities.into_iter().zip(runs).map(|(entity, run)| mention(entity, run.0, run.1));
            with_splits(with_nodes(9 + by, &nodes), all.collect(), &[(2, &[0, 1])])
        };
        // Each mention of the key's entity is in a separate entity of the response.
        let (alignment, _) = aligned(&text([0, 1, 2, 2, 2, 2]), &text([0, 1, 2, 3, 4, 5]), &settings);
        let splits = alignment.splits.expect("split antecedents");
        assert_eq!(splits.key.len(), 1);
        // Before: words 6 and 7, word 3. After: word 5, word 4.
        assert_eq!(
            (&splits.key[0].before[..], &splits.key[0].after[..]),
            (&[5, 2][..], &[4, 3][..]),
            "{nodes:?}"
        );
    }
}

/// A split antecedent of one side is aligned, although the other side has none.
#[test]
fn split_antecedents_of_one_side_are_enough() {
    let settings = settings("ua", &[("split-antecedents", "keep"), ("singletons", "keep")]);
    let text = |splits: &[(usize, &[usize])]| {
        let all = (0..3).map(|entity| mention(entity, entity as u32, entity as u32 + 1)).collect();
        with_splits(sentences(&[3]), all, splits)
    };
    let (split, plain) = (text(&[(2, &[0, 1])]), text(&[]));
    for (key, response, sizes) in [(&split, &plain, [1, 0]), (&plain, &split, [0, 1])] {
        let (alignment, _) = aligned(key, response, &settings);
        let splits = alignment.splits.expect("a split antecedent");
        assert_eq!([splits.key.len(), splits.response.len()], sizes);
    }
    assert!(aligned(&plain, &plain, &settings).0.splits.is_none());
}

/// A zero never equals a word of the text as a member of an entity, regardless of their places.
#[test]
fn zeros_and_words_are_different_members_of_an_entity() {
    let settings =
        settings("ua", &[("split-antecedents", "keep"), ("zeros", "keep"), ("singletons", "keep")]);
    // The zero has the place that the word of the text after it has among these: 0, and 1.
    for node in 0..2 {
        let runs = [(node, node + 1), (node + 1, node + 2), (4, 5), (5, 6)];
        let text = |entities: [usize; 4]| {
            let all = entities.into_iter().zip(runs).map(|(entity, run)| mention(entity, run.0, run.1));
            with_splits(with_nodes(7, &[node]), all.collect(), &[(0, &[1, 2])])
        };
        let (alignment, _) = aligned(&text([0, 0, 1, 2]), &text([0, 3, 1, 2]), &settings);
        let split = &alignment.splits.expect("split antecedents").key[0];
        assert_eq!(split.before.len() + split.after.len(), 2, "{split:?}");
    }
}

// Limits.

/// Mentions of 10,000 words each: a thousand of them are within the limit for parsing, and one more word exceeds it.
#[test]
fn the_words_that_are_parsed_are_limited() {
    let text = |extra: bool| {
        let mut all: Vec<Mention> = (0..1000).map(|start| mention(0, start, start + 10_000)).collect();
        all.extend(extra.then(|| mention(0, 0, 1)));
        document(sentences(&[12_000]), all)
    };
    let (most, more) = (text(false), text(true));
    let nothing = document(sentences(&[12_000]), Vec::new());
    let score = |key: &Document, response: &Document, choices: &[(&str, &str)]| {
        tally(key, response, settings("conll", choices), "mentions")
    };
    assert!(score(&more, &nothing, &[]).is_ok());
    assert!(score(&most, &nothing, &[("np-only", "yes")]).is_ok());
    for (key, response) in [(&more, &nothing), (&nothing, &more)] {
        for (choice, name) in [(("np-only", "yes"), "np-only"), (("match", "min-span"), "min-span")] {
            let error = score(key, response, &[choice]).expect_err("too many words");
            assert_eq!(error.kind(), ErrorKind::Settings);
            assert!(error.to_string().contains("10000001 words"), "{error}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}

/// 2001 copies in the key and 2000 in the response would be 4,002,000 pairs.
#[test]
fn the_pairs_of_copies_are_limited() {
    let copies =
        |count: usize| document(sentences(&[3]), (0..count).map(|entity| mention(entity, 1, 2)).collect());
    let score = |key: &Document, response: &Document, choices: &[(&str, &str)]| {
        let choices = [&[("duplicates", "last"), ("singletons", "keep")], choices].concat();
        tally(key, response, settings("conll", &choices), "mentions")
    };
    let (key, response) = (copies(2001), copies(2000));
    for (rule, by_minimum_span) in [("exact", false), ("min-span", true)] {
        let error = score(&key, &response, &[("match", rule)]).expect_err("too many copies");
        assert_eq!(error.kind(), ErrorKind::Settings);
        let message = error.to_string();
        assert!(message.contains("the mention of word 2") && message.contains("2001 times"), "{message}");
        assert_eq!(message.contains("the same minimum span"), by_minimum_span, "{message}");
    }
    // Only one copy counts, or the number of pairs is at the limit.
    assert!(score(&key, &response, &[("duplicates", "first")]).is_ok());
    // The same number of mentions, with different words.
    let different = |count: u32| {
        document(sentences(&[2001]), (0..count).map(|word| mention(word as usize, word, word + 1)).collect())
    };
    for rule in ["exact", "min-span"] {
        assert!(score(&different(2001), &different(2000), &[("match", rule)]).is_ok());
    }
    // Names are compared as names.
    let named = |count: usize, name: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..count).map(name).collect();
        names(&(0..count).zip(all.iter().map(String::as_str)).collect::<Vec<_>>())
    };
    let (same, numbered) = (|_: usize| "x".to_owned(), |place: usize| place.to_string());
    let error = score(&named(2001, &same), &named(2000, &same), &[]).expect_err("too many copies");
    assert!(error.to_string().contains("`x`"), "{error}");
    assert!(score(&named(2001, &numbered), &named(2000, &numbered), &[]).is_ok());
}

/// 2001 mentions that end with the only noun have one minimum span. They are copies of each other under minimum spans,
/// but not under exact matching.
#[test]
fn copies_by_minimum_span_are_copies_only_where_it_counts() {
    let text: Vec<(&str, &str, &str)> =
        (0..2001).map(|word| if word == 2000 { ("cat", "NN", "(NP*)") } else { (",", ",", "*") }).collect();
    let all = (0..2001).map(|start| mention(start as usize, start, 2001)).collect();
    let text = document(parsed(&text), all);
    let score = |rule: &str| {
        let choices = [("match", rule), ("duplicates", "last"), ("singletons", "keep")];
        tally(&text, &text, settings("conll", &choices), "mentions")
    };
    assert!(score("exact").is_ok());
    assert!(score("min-span").is_err());
}
