//! Written documents read back: every sample of a format, and documents with everything that the model supports.
//!
//! Documents come from a tape of numbers, so that a failing one shrinks to a short tape.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corefeval_core::diagnostic::{Code, Diagnostics, Severity};
use corefeval_core::formats::{
    Annotation, Aspect, FORMATS, FormatSpec, KeyCopy, LossCounts, Outline, ReadOptions, Side, SpanEnd,
    WriteOptions, Written, WrittenTexts,
};
use corefeval_core::input::Input;
use corefeval_core::model::{
    Bridge, Corpus, Dependency, Document, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, MENTION_TYPE,
    Mention, MentionDetails, OPTIONAL, Relations, STATUS, Span, SplitAntecedent, TextColumn, WordsBuilder,
};
use proptest::prelude::*;

use crate::generators::runs_of;

/// The annotation that a format supports, among that of the documents.
#[derive(Clone, Copy, Default)]
pub(super) struct Can {
    parts: bool,
    part_of_speech: bool,
    parse: bool,
    speakers_by_word: bool,
    names: bool,
    heads: bool,
    gaps: bool,
    empty_nodes: bool,
    dependencies: bool,
    min_spans: bool,
    attributes: &'static [(&'static str, &'static [&'static str])],
    crossing_in_entity: bool,
    split_antecedents: bool,
    bridges: bool,
    antecedents: bool,
    non_referring: bool,
    /// True if every mention has the first of the attributes.
    typed: bool,
    no_speakers: bool,
    /// True if words and ids fit plain texts and names of files.
    plain: bool,
    /// True if mentions never cross.
    nested_only: bool,
    /// True if every document has words.
    words: bool,
    /// The type of all entities.
    entity_type: &'static str,
    /// True if names and words occur that no format allows.
    odd: bool,
}

pub(super) const CONLL: Can =
    Can { parts: true, part_of_speech: true, parse: true, speakers_by_word: true, names: true, ..NOTHING };
pub(super) const JSONLINES: Can = Can { speakers_by_word: true, crossing_in_entity: true, ..NOTHING };
pub(super) const COREFUD: Can = Can {
    part_of_speech: true,
    names: true,
    heads: true,
    gaps: true,
    empty_nodes: true,
    dependencies: true,
    attributes: &[
        (ENTITY_TYPE, &["person", "a b"]),
        ("infstat", &["new", "giv:act", "ü"]),
        ("other", &["c-d", "x=y", "-"]),
    ],
    split_antecedents: true,
    bridges: true,
    ..NOTHING
};
pub(super) const CONLL_UA: Can = Can {
    part_of_speech: true,
    names: true,
    gaps: true,
    empty_nodes: true,
    min_spans: true,
    attributes: &[
        (MENTION_TYPE, &["dn", "predicate"]),
        (ENTITY_TYPE, &["person", "a b"]),
        ("Gender", &["f", "", "a=b", "c-d"]),
    ],
    crossing_in_entity: true,
    split_antecedents: true,
    bridges: true,
    antecedents: true,
    non_referring: true,
    ..NOTHING
};
pub(super) const BRAT: Can = Can {
    gaps: true,
    attributes: &[
        (ENTITY_TYPE, &["PER", "a-b", "ü"]),
        (MENTION_TYPE, &["NAM"]),
        ("Number", &["Plural", "x y"]),
    ],
    crossing_in_entity: true,
    typed: true,
    no_speakers: true,
    plain: true,
    ..NOTHING
};
pub(super) const ECB_PLUS: Can = Can {
    names: true,
    gaps: true,
    attributes: &[(ENTITY_TYPE, &["PER", "a-b"]), (MENTION_TYPE, &["NAM"]), ("tense", &["PAST", "<&\"'>"])],
    crossing_in_entity: true,
    typed: true,
    no_speakers: true,
    ..NOTHING
};
pub(super) const MUC: Can = Can {
    names: true,
    attributes: &[(STATUS, &[OPTIONAL]), ("LEVEL", &["x y", "<&\"'>"])],
    no_speakers: true,
    nested_only: true,
    plain: true,
    ..NOTHING
};
pub(super) const SEMEVAL: Can = Can { names: true, no_speakers: true, ..NOTHING };
pub(super) const WEBANNO: Can = Can {
    attributes: &[
        (ENTITY_TYPE, &["person", "a[b]|c_d"]),
        (MENTION_TYPE, &["new", "giv:act"]),
        ("note", &["x;y", "*z", "back\\slash"]),
    ],
    crossing_in_entity: true,
    no_speakers: true,
    plain: true,
    words: true,
    ..NOTHING
};
pub(super) const APF: Can = Can {
    names: true,
    attributes: &[
        (MENTION_TYPE, &["NAM", "PRO", "NOM"]),
        ("ROLE", &["PER", "<&\"'>"]),
        ("LDCTYPE", &["NAMPRE", "x y"]),
    ],
    crossing_in_entity: true,
    typed: true,
    entity_type: "PER",
    no_speakers: true,
    plain: true,
    ..NOTHING
};
const NOTHING: Can = Can {
    nested_only: false,
    words: false,
    entity_type: "",
    parts: false,
    part_of_speech: false,
    parse: false,
    speakers_by_word: false,
    names: false,
    heads: false,
    gaps: false,
    empty_nodes: false,
    dependencies: false,
    min_spans: false,
    attributes: &[],
    crossing_in_entity: false,
    split_antecedents: false,
    bridges: false,
    antecedents: false,
    non_referring: false,
    typed: false,
    no_speakers: false,
    plain: false,
    odd: false,
};
const EVERYTHING: Can = Can {
    parts: true,
    part_of_speech: true,
    parse: true,
    speakers_by_word: true,
    heads: true,
    gaps: true,
    empty_nodes: true,
    dependencies: true,
    min_spans: true,
    attributes: &[("a-b", &["x", "y-z", "(", "|"]), (ENTITY_TYPE, &["person", ""]), ("head", &["1", "@"])],
    crossing_in_entity: true,
    split_antecedents: true,
    bridges: true,
    antecedents: true,
    non_referring: true,
    odd: true,
    ..NOTHING
};

/// Numbers that determine the documents; zeros once they are used up.
pub(super) struct Tape<'t>(std::slice::Iter<'t, u16>);

impl Tape<'_> {
    fn below(&mut self, end: u32) -> u32 {
        u32::from(self.0.next().copied().unwrap_or(0)) % end.max(1)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Returns true once in `times`.
    fn rarely(&mut self, times: u32) -> bool {
        self.below(times) == times - 1
    }
}

const FORMS: &[&str] = &["Ada", "schläft", ".", "#", "a b", "(", ")", "|", "-", "_", "東京", "\"q\"", "<e&>"];
const PLAIN_FORMS: &[&str] = &["Ada", "schläft", ".", "#", "(", "|", "-", "京", "e\u{301}te\u{301}"];
const ODD_FORMS: &[&str] = &["Ada", "", "\t", "a\nb", "#begin document x", " c ", "\u{a0}"];
const NAMES: &[&str] = &["1", "e2", "x~y", "a__b", "ü", "07", "place-1", "place-1-Oslo"];
const ODD_NAMES: &[&str] = &["(a|b", "a-b", "x[1/2]", "", "it-Pseudo", "_", "a<b,c:d", " ", "1\t2", "a@"];

fn corpus(numbers: &[u16], can: &Can) -> Corpus {
    let mut tape = Tape(numbers.iter());
    let mut corpus = Corpus::default();
    for number in 0..=tape.below(3) {
        corpus.documents.push(document(&mut tape, None, number, can));
    }
    corpus
}

/// Makes two annotations of the same documents, whose words are on one tape and whose mentions are on two others. No
/// mention is repeated.
pub(super) fn key_and_response(words: &[u16], marks: [&[u16]; 2], can: &Can) -> [Corpus; 2] {
    marks.map(|marks| {
        let (mut tape, mut marks) = (Tape(words.iter()), Tape(marks.iter()));
        let mut corpus = Corpus::default();
        for number in 0..=tape.below(2) {
            corpus.documents.push(document(&mut tape, Some(&mut marks), number, can));
        }
        corpus
    })
}

/// Makes a document whose mentions are on the tape of its words, or on another.
fn document<'t>(tape: &mut Tape<'t>, marks: Option<&mut Tape<'t>>, number: u32, can: &Can) -> Document {
    let name = tape.of(&["d", "bc/cctv/00/x", "d (1), e:f;", "ü", "x = y", "GUM_news_z"]);
    let mut name = format!("{}{number}", if can.plain { "ü" } else { name });
    if can.odd {
        name = format!("{}{name}{}", tape.of(&["", " ", "(", "#"]), tape.of(&["", "\n", ")", "; part 1"]));
    }
    let id = match can.parts && tape.rarely(2) {
        true => DocumentId::with_part(name, tape.below(3)),
        false => DocumentId::new(name),
    };
    let mut builder = DocumentBuilder::new(id, Arc::from("x"), 1);
    let mut words = WordsBuilder::new(true);
    let (mut sentence, mut speaker, mut sentences) = (0, "", vec![0]);
    let mut nodes: Vec<(u32, usize)> = Vec::new();
    let mut numbers = 0;
    for _ in 0..tape.below(14).max(u32::from(can.words)) {
        let new_sentence = tape.rarely(4);
        if new_sentence {
            words.end_sentence();
            if words.count() > sentence {
                sentence = words.count();
                sentences.push(sentence);
                numbers = 0;
            }
        }
        if words.count() == sentence || can.speakers_by_word {
            speaker = tape.of(&["", "Ada", "B. C.", "ü"]);
        }
        let form = match (can.odd, can.plain) {
            (true, _) => tape.of(ODD_FORMS),
            (_, true) => tape.of(PLAIN_FORMS),
            _ => tape.of(FORMS),
        };
        if can.empty_nodes && tape.rarely(4) {
            numbers += 1 + u32::from(can.dependencies && tape.rarely(3));
            nodes.push((words.push_numbered_empty_node(numbers), sentences.len() - 1));
        } else {
            words.push(form.as_bytes());
            numbers = 0;
        }
        let Some(layers) = words.layers_mut() else { continue };
        layers.form.push(form);
        layers.line.push(1);
        layers.part_of_speech.push(if can.part_of_speech { tape.of(&["", "NN", "V B"]) } else { "" });
        layers.parse.push(if can.parse { tape.of(&["*", "(NP*", "*)"]) } else { "" });
        layers.named_entity.push(if can.parse { tape.of(&["*", "(ORG)"]) } else { "" });
        layers.speaker.push(if can.no_speakers { "" } else { speaker });
    }
    let count = words.count();
    sentences.push(count);
    if can.dependencies {
        for &(node, sentence) in &nodes {
            for _ in 0..tape.below(3) {
                let (start, end) = (sentences[sentence], sentences[sentence + 1]);
                let parent = start + tape.below(end - start);
                let later = nodes.iter().any(|other| other.0 == parent && other.0 >= node);
                let parent = (!tape.rarely(3) && (can.odd || !later)).then_some(parent);
                let relation =
                    tape.of(if can.odd { &["a|b", ""] } else { &["nsubj", "nsubj:pass", ""] }).into();
                words.push_dependency(Dependency { word: node, parent, relation });
            }
        }
    }
    let once = marks.is_some();
    let tape = marks.unwrap_or(tape);
    let names = match can.odd {
        true => ODD_NAMES,
        // In CorefUD, hyphens separate the fields of a bracket.
        false if can.dependencies => &NAMES[..6],
        false => NAMES,
    };
    builder.entities = names.iter().map(|&name| name.into()).collect();
    if count > 0 {
        for _ in 0..tape.below(9) {
            let entity = EntityId::new(tape.below(names.len() as u32) as usize);
            let mention = mention(tape, entity, count, &nodes, can);
            let fits = |other: &Mention| {
                let (a, b) = (mention.span(), other.span());
                let apart = a.end() <= b.start() || b.end() <= a.start();
                let runs = mention.parts().len() == 1 && other.parts().len() == 1;
                let elsewhere = other.entity() != entity && !can.nested_only;
                elsewhere || apart || runs && (a.contains(b) || b.contains(a))
            };
            let repeated = |other: &Mention| other.same_words(&mention) || other.parts() == mention.parts();
            // The copy of a mention that counts depends on their order, which each format chooses for itself.
            if once && builder.mentions.iter().any(repeated) {
                continue;
            }
            if can.crossing_in_entity || builder.mentions.iter().all(fits) {
                builder.mentions.push(mention);
            }
        }
        builder.relations = Some(Box::new(relations(tape, &mut builder, count, &nodes, can)));
    }
    if !can.odd {
        // A sum needs at least one entity.
        let used = |entity: usize, builder: &DocumentBuilder| {
            let non_referring = builder.relations.iter().flat_map(|relations| &relations.non_referring);
            builder.mentions.iter().chain(non_referring).any(|mention| mention.entity().index() == entity)
        };
        return without_unused(builder, used, words);
    }
    builder.finish(words.finish()).unwrap()
}

fn without_unused(
    builder: DocumentBuilder,
    used: impl Fn(usize, &DocumentBuilder) -> bool,
    words: WordsBuilder,
) -> Document {
    let kept: Vec<usize> = (0..builder.entities.len()).filter(|&entity| used(entity, &builder)).collect();
    let moved = |entity: EntityId| {
        EntityId::new(kept.iter().position(|&other| other == entity.index()).expect("it is used"))
    };
    let mention = |mention: &Mention| {
        let new = Mention::new(mention.span(), moved(mention.entity()), mention.line(), mention.column());
        let new = new.with_details(mention.details().cloned().unwrap_or_default()).expect("valid before");
        match mention.head() {
            Some(head) => new.with_head(head),
            None => new,
        }
    };
    let relations = builder.relations.as_deref().map(|relations| {
        let splits = relations.split_antecedents.iter().map(|split| SplitAntecedent {
            entity: moved(split.entity),
            parts: split.parts.iter().copied().map(moved).collect(),
            line: split.line,
        });
        let bridges = relations
            .bridges
            .iter()
            .map(|bridge| Bridge { entity: bridge.entity.map(moved), ..bridge.clone() });
        Box::new(Relations {
            split_antecedents: splits.collect(),
            bridges: bridges.collect(),
            non_referring: relations.non_referring.iter().map(mention).collect(),
        })
    });
    let mentions = builder.mentions.iter().map(mention).collect();
    let entities = kept.iter().map(|&entity| builder.entities[entity].clone()).collect();
    DocumentBuilder { mentions, entities, relations, ..builder }.finish(words.finish()).unwrap()
}

fn mention(tape: &mut Tape<'_>, entity: EntityId, count: u32, nodes: &[(u32, usize)], can: &Can) -> Mention {
    let start = tape.below(count);
    let end = start + 1 + tape.below((count - start).min(6));
    let inner: Vec<u32> =
        (start..end).filter(|&w| w == start || w + 1 == end || !can.gaps || !tape.rarely(4)).collect();
    let parts = runs_of(&inner);
    let mut details = MentionDetails::default();
    if parts.len() > 1 {
        details.parts = parts;
    }
    if can.min_spans && tape.rarely(3) {
        let first = start + tape.below(end - start);
        let last = first + tape.below(end - first);
        let is_node = |word: u32| nodes.iter().any(|node| node.0 == word);
        for word in (first..=last).filter(|&word| !is_node(word)) {
            match details.min_span.last().copied() {
                Some(before) if before.end() == word => {
                    details.min_span.pop();
                    details.min_span.extend(Span::new(before.start(), word + 1));
                }
                _ => details.min_span.push(Span::word(word)),
            }
        }
    }
    for (place, (name, values)) in can.attributes.iter().enumerate() {
        if tape.rarely(3) || can.typed && place == 0 {
            details.attributes.push(((*name).to_owned(), tape.of(values).to_owned()));
        }
    }
    if !can.entity_type.is_empty() {
        details.attributes.push((ENTITY_TYPE.to_owned(), can.entity_type.to_owned()));
    }
    let span = Span::new(start, end).expect("not empty");
    let mention = Mention::new(span, entity, 1, 1).with_details(details).expect("parts in order");
    match can.heads && !(can.odd && tape.rarely(2)) {
        true => mention.with_head(tape.of(&inner)),
        false => mention,
    }
}

fn relations(
    tape: &mut Tape<'_>,
    builder: &mut DocumentBuilder,
    count: u32,
    nodes: &[(u32, usize)],
    can: &Can,
) -> Relations {
    let mut relations = Relations::default();
    if can.non_referring {
        for number in 0..tape.below(3) {
            builder.entities.push(format!("n{number}-Pseudo").into());
            let entity = EntityId::new(builder.entities.len() - 1);
            relations.non_referring.push(mention(tape, entity, count, nodes, can));
        }
    }
    let mentions = &builder.mentions;
    let mentioned: BTreeSet<EntityId> = mentions.iter().map(Mention::entity).collect();
    let mentioned: Vec<EntityId> = mentioned.into_iter().collect();
    if mentioned.is_empty() {
        return relations;
    }
    if can.split_antecedents {
        for (place, &entity) in mentioned.iter().enumerate() {
            let after = if can.odd { &mentioned[..] } else { &mentioned[place + 1..] };
            let parts: Vec<EntityId> = after.iter().copied().filter(|_| tape.rarely(3)).collect();
            if !parts.is_empty() {
                relations.split_antecedents.push(SplitAntecedent { entity, parts, line: 1 });
            }
        }
    }
    if can.bridges {
        for _ in 0..tape.below(4) {
            let anaphor = &mentions[tape.below(mentions.len() as u32) as usize];
            let place = |mention: &Mention| (mention.entity(), mention.span().start());
            if !can.antecedents && mentions.iter().filter(|other| place(other) == place(anaphor)).count() > 1
            {
                continue;
            }
            let antecedent = &mentions[tape.below(mentions.len() as u32) as usize];
            let antecedent = (can.antecedents && tape.rarely(2)).then(|| antecedent.parts().to_vec());
            let entity = (antecedent.is_none() || tape.rarely(2)).then(|| tape.of(&mentioned));
            let relation =
                tape.of(if can.odd { &["a|b", "c,d", ")"] } else { &["part:of", "", "poss"] }).to_owned();
            relations.bridges.push(Bridge {
                anaphor: anaphor.parts().to_vec(),
                antecedent,
                entity,
                relation,
                line: 1,
                column: 1,
            });
        }
    }
    relations
}

/// Returns the value of a layer at a word. Formats write a missing value in several ways.
fn value_at(column: &TextColumn, word: u32) -> &str {
    let value = column.get(word as usize).unwrap_or("");
    if matches!(value, "-" | "_" | "*") { "" } else { value }
}

/// Describes all annotation of a document, in an order that does not depend on the format.
fn described(document: &Document, names: bool) -> Vec<String> {
    let words = document.words();
    let mut lines = vec![format!("{}: {:?}", document.id(), words.sentences())];
    if let Some(layers) = words.layers() {
        for word in 0..words.count() {
            let form = layers.form.get(word as usize).unwrap_or("");
            let columns = [&layers.part_of_speech, &layers.parse, &layers.named_entity, &layers.speaker];
            lines.push(format!("{form:?} {:?}", columns.map(|column| value_at(column, word))));
        }
    }
    for (&node, number) in words.empty_nodes().iter().zip(words.empty_node_numbers()) {
        lines.push(format!("node {node}, {number}: {:?}", words.dependencies(node)));
    }
    let entity = |entity: EntityId| {
        if names {
            return document.entity_name(entity).to_owned();
        }
        let own = document.mentions().iter().filter(|mention| mention.entity() == entity);
        let mut own: Vec<String> = own.map(|mention| format!("{:?}", mention.parts())).collect();
        own.sort();
        own.join("+")
    };
    let mention = |mention: &Mention| {
        let mut details = mention.details().cloned().unwrap_or_default();
        details.attributes.sort();
        let MentionDetails { min_span, attributes, .. } = details;
        format!(
            "{} {:?} {:?} {min_span:?} {attributes:?}",
            entity(mention.entity()),
            mention.parts(),
            mention.head()
        )
    };
    let mut more: Vec<String> = document.mentions().iter().map(mention).collect();
    if let Some(relations) = document.relations() {
        more.extend(relations.non_referring.iter().map(|other| format!("nothing: {}", mention(other))));
        for split in &relations.split_antecedents {
            let mut parts: Vec<String> = split.parts.iter().copied().map(entity).collect();
            parts.sort();
            more.push(format!("{} = {}", entity(split.entity), parts.join(" + ")));
        }
        let bridges = relations.bridges.iter().map(|bridge| {
            let Bridge { anaphor, antecedent, relation, .. } = bridge;
            format!("bridge {anaphor:?} {antecedent:?} {:?} {relation}", bridge.entity.map(entity))
        });
        more.extend(bridges.collect::<BTreeSet<_>>());
    }
    more.sort();
    lines.extend(more);
    lines
}

/// Returns entities as lists of names, in documents whose words are names.
fn classes(document: &Document) -> BTreeSet<Vec<String>> {
    let layers = document.words().layers().expect("names are kept");
    let mut classes = vec![Vec::new(); document.entities().len()];
    for mention in document.mentions() {
        let name = layers.form.get(mention.span().start() as usize).expect("a name");
        classes[mention.entity().index()].push(name.to_owned());
    }
    classes.iter_mut().for_each(|class| class.sort());
    classes.into_iter().collect()
}

pub(super) fn named(id: &str) -> &'static FormatSpec {
    FormatSpec::named(id).expect("a format")
}

pub(super) fn whole(written: &Written) -> String {
    match &written.texts {
        WrittenTexts::Whole(text) => text.clone(),
        WrittenTexts::Files(files) => files.iter().map(|(name, text)| format!("== {name}\n{text}")).collect(),
    }
}

/// Reads the output.
pub(super) fn read_again(format: &'static FormatSpec, written: &Written, options: ReadOptions) -> Corpus {
    let files = match &written.texts {
        WrittenTexts::Whole(text) => {
            let read = format.read(text.as_bytes(), "x", options);
            return read.unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
        WrittenTexts::Files(files) => files,
    };
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let place = format!("writing-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(place);
    fs::create_dir_all(&folder).expect("the folder can be made");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("the file can be written");
    }
    let mut corpus = Corpus::default();
    for (name, _) in files {
        let (stem, extension) = name.rsplit_once('.').expect("an extension");
        if format.companion != Some(extension) {
            let mut options = options.clone();
            options.default_id = stem.to_owned();
            let read = Input::Path(folder.join(name)).read(Some(format), &options, &AtomicU64::new(0));
            let read = read.unwrap_or_else(|error| panic!("{error}\n{}", whole(written))).0;
            corpus.documents.extend(read.documents);
            corpus.diagnostics.merge(read.diagnostics);
        }
    }
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    corpus
}

pub(super) fn layers() -> ReadOptions {
    ReadOptions::with_layers()
}

pub(super) fn found(written: &Written, code: Code) -> Vec<String> {
    let groups = written.diagnostics.groups().iter().filter(|group| group.code == code);
    groups.flat_map(|group| &group.kept).map(|kept| kept.message.to_string()).collect()
}

/// Returns the heads of all mentions, by the words of the text before them.
fn heads(document: &Document) -> Vec<usize> {
    let words = document.words();
    let before = |head: u32| (0..head).filter(|&word| !words.is_empty_node(word)).count();
    let mut heads: Vec<usize> = document.mentions().iter().filter_map(Mention::head).map(before).collect();
    heads.sort_unstable();
    heads
}

fn warnings(corpus: &Corpus) -> Vec<String> {
    let groups = corpus.diagnostics.groups().iter();
    let warnings = groups.filter(|group| group.code.severity() == Severity::Warning);
    warnings
        .flat_map(|group| &group.kept)
        .map(|kept| format!("{}: {}", kept.code.id(), kept.message))
        .collect()
}

/// Writes and reads documents, and compares everything.
fn there_and_back(format: &str, numbers: &[u16], can: &Can, span_end: SpanEnd) {
    let format = named(format);
    let corpus = corpus(numbers, can);
    let options = WriteOptions { span_end, ..WriteOptions::default() };
    let written = format.write(&corpus, options).expect("it can be written");
    assert_eq!(found(&written, Code::NotWritten), [""; 0]);
    let mut read = ReadOptions::with_layers();
    read.span_end = span_end;
    let again = read_again(format, &written, read);
    assert_eq!(warnings(&again), [""; 0], "{}", whole(&written));
    assert_eq!(again.documents.len(), corpus.documents.len());
    for (before, after) in corpus.documents.iter().zip(&again.documents) {
        assert_eq!(described(after, can.names), described(before, can.names), "{}", whole(&written));
    }
}

pub(super) fn tapes() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..400)
}

/// A test for each format: random documents with the annotation that it can represent are written and read again.
macro_rules! reads_back {
    ($($name:ident: $format:literal, $expressed:ident;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
            $(#[test]
            fn $name(numbers in tapes()) {
                there_and_back($format, &numbers, &$expressed, SpanEnd::Inclusive);
            })*
        }
    };
}

reads_back! {
    conll_reads_back: "conll", CONLL;
    corefud_reads_back: "corefud", COREFUD;
    conll_ua_reads_back: "conll-ua", CONLL_UA;
    ecb_plus_reads_back: "ecb+", ECB_PLUS;
    brat_reads_back: "brat", BRAT;
    muc_reads_back: "muc", MUC;
    semeval_reads_back: "semeval", SEMEVAL;
    webanno_reads_back: "webanno", WEBANNO;
    apf_reads_back: "apf", APF;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn jsonlines_reads_back(numbers in tapes(), exclusive: bool) {
        let span_end = if exclusive { SpanEnd::Exclusive } else { SpanEnd::Inclusive };
        there_and_back("jsonlines", &numbers, &JSONLINES, span_end);
    }

    #[test]
    fn links_read_back(numbers in tapes()) {
        let mut tape = Tape(numbers.iter());
        let mut corpus = Corpus::default();
        for number in 0..=tape.below(3) {
            let id = DocumentId::new(format!("{}{number}", tape.of(&["d", "ü b", "x (1) y"])));
            let mut builder = DocumentBuilder::new(id, Arc::from("x"), 1);
            builder.entities = ["a", "b", "c"].map(Into::into).to_vec();
            let mut words = WordsBuilder::names();
            for name in 0..tape.below(12) {
                let name = format!("{}{name}", tape.of(&["A", "ü", "#", "(", "a,b"]));
                let word = words.push(name.as_bytes());
                words.layers_mut().expect("names are kept").form.push(&name);
                let entity = EntityId::new(tape.below(3) as usize);
                builder.mentions.push(Mention::new(Span::word(word), entity, 1, 1));
            }
            corpus.documents.push(builder.finish(words.finish()).unwrap());
        }
        for format in ["links", "json", "table"] {
            let format = named(format);
            let mut before = corpus.documents.iter().collect::<Vec<_>>();
            // A table has no rows of a document without mentions.
            before.retain(|document| format.id != "table" || !document.mentions().is_empty());
            let written = format.write(&corpus, WriteOptions::default()).expect("it can be written");
            if before.is_empty() {
                continue;
            }
            let again = read_again(format, &written, layers());
            prop_assert_eq!(again.documents.len(), before.len());
            for (before, after) in before.into_iter().zip(&again.documents) {
                prop_assert_eq!(after.id(), before.id());
                let some = |classes: BTreeSet<Vec<String>>| {
                    classes.into_iter().filter(|class| !class.is_empty()).collect::<Vec<_>>()
                };
                prop_assert_eq!(some(classes(after)), some(classes(before)), "{}", whole(&written));
            }
        }
    }

    /// All annotation of a document is written or counted as a loss, and readers accept the result.
    #[test]
    fn losses_are_counted(numbers in tapes()) {
        let corpus = corpus(&numbers, &EVERYTHING);
        for format in FORMATS.iter().filter(|format| format.is_written()) {
            let rows = corpus.documents.iter().any(|document| !document.mentions().is_empty());
            if format.id == "table" && !rows {
                continue;
            }
            let written = format.write(&corpus, WriteOptions::default());
            let no_words = |document: &Document| document.words().count_in_text() == 0;
            if format.id == "webanno" && corpus.documents.iter().any(no_words) {
                prop_assert!(written.is_err_and(|error| error.message().contains("has no words")));
                continue;
            }
            let written = written.expect("it can be written");
            let again = read_again(format, &written, layers());
            // ACE has its own types.
            let mut warnings = warnings(&again);
            warnings.retain(|warning| format.id != "apf" || !warning.starts_with("unknown-type"));
            prop_assert_eq!(warnings, [""; 0], "{}", whole(&written));
            if format.id == "table" {
                continue;
            }
            prop_assert_eq!(again.documents.len(), corpus.documents.len(), "{}", whole(&written));
            // Some documents have more losses than are stored.
            let all_kept = written.diagnostics.groups().iter().all(|group| group.count == group.kept.len() as u64);
            let mentions = ["represent: mentions that", "represent: repeated mentions"];
            let is_mention = |what: &String| mentions.iter().any(|mention| what.contains(mention));
            let lost = found(&written, Code::NotWritten).iter().any(is_mention);
            let lost = lost || !all_kept;
            let is_head = |what: &String| what.contains("head") || what.contains("minimum span");
            let heads_lost = [Code::NotWritten, Code::WrittenOtherwise]
                .iter()
                .any(|code| found(&written, *code).iter().any(is_head));
            // Words that are read as several move the places of later words.
            let borders_lost = found(&written, Code::NotWritten).iter().any(|what| what.contains("word boundaries"));
            for (before, after) in corpus.documents.iter().zip(&again.documents) {
                let exact = matches!(format.id, "corefud" | "conll-ua");
                let has = |mention: &Mention| before.mentions().iter().any(|other| other.same_words(mention));
                prop_assert!(!exact || after.mentions().iter().all(has), "{}", whole(&written));
                let all = after.mentions().len() == before.mentions().len();
                prop_assert!(lost || all, "{}: {}", format.id, whole(&written));
                if !lost && !heads_lost && !borders_lost && format.expresses.contains(&Aspect::Heads) {
                    prop_assert_eq!(heads(after), heads(before), "{}: {}", format.id, whole(&written));
                }
            }
        }
    }
}

/// Returns the options to write documents that were read with these options.
fn write_options(read: &ReadOptions) -> WriteOptions {
    WriteOptions {
        span_end: read.span_end,
        annotation: read.annotation,
        boundary_crossing: read.boundary_crossing,
    }
}

/// Returns the options for reading a sample.
fn options_of(case: &serde_json::Value) -> ReadOptions {
    let is = |field: &str, value: &str| case[field].as_str() == Some(value);
    let mut options = ReadOptions::with_layers();
    if is("role", "response") {
        options.side = Side::Response;
    }
    if is("span_end", "exclusive") {
        options.span_end = SpanEnd::Exclusive;
    }
    if is("annotation", "discourse-deixis") {
        options.annotation = Annotation::DiscourseDeixis;
    }
    options.boundary_crossing = case["boundary_crossing"].as_bool() == Some(true);
    options.default_id = "document".to_owned();
    options
}

#[test]
fn samples_are_written_as_they_were_read() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    let mut wrong = Vec::new();
    for format in FORMATS.iter().filter(|format| format.is_written()) {
        let folder = samples.join(format.id);
        let cases = fs::read_to_string(folder.join("cases.json")).expect("every folder has its cases");
        let cases: Vec<serde_json::Value> = serde_json::from_str(&cases).expect("a list of cases");
        for case in cases {
            let options = options_of(&case);
            let file = folder.join(case["file"].as_str().expect("a file"));
            let read = Input::Path(file.clone()).read(Some(format), &options, &AtomicU64::new(0));
            let corpus = read.expect("the sample is valid").0;
            let write = write_options(&options);
            let written = format.write(&corpus, write).expect("it can be written");
            let lost = found(&written, Code::NotWritten);
            if !lost.is_empty() {
                wrong.push(format!("{}: {lost:?}", file.display()));
            }
            let again = read_again(format, &written, options);
            for (before, after) in corpus.documents.iter().zip(&again.documents) {
                let (before, after) = match before.words().are_names() {
                    true => (format!("{:#?}", classes(before)), format!("{:#?}", classes(after))),
                    false => {
                        let names = !matches!(format.id, "jsonlines" | "brat" | "webanno");
                        // In brat every mention has a type.
                        let described = |document| {
                            format!("{:#?}", described(document, names))
                                .replace(r#"(\"entity-type\", \"Mention\")"#, "")
                        };
                        (described(before), described(after))
                    }
                };
                if before != after {
                    wrong.push(format!("{}: {before}\n{after}\n{}", file.display(), whole(&written)));
                }
            }
            if corpus.documents.len() != again.documents.len() {
                wrong.push(format!("{}: {} documents", file.display(), again.documents.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

/// The counted losses of a sample, by format.
#[test]
fn every_loss_is_named() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    let lost = |from: &str, file: &str, to: &str| {
        let path = samples.join(from).join(file);
        let read = Input::Path(path).read(Some(named(from)), &layers(), &AtomicU64::new(0));
        let corpus = read.expect("the sample is valid").0;
        let written = named(to).write(&corpus, WriteOptions::default()).expect("it can be written");
        (found(&written, Code::NotWritten).join("; "), found(&written, Code::WrittenOtherwise).join("; "))
    };
    for (from, file, to, what) in [
        ("corefud", "discontinuous.conllu", "conll", "gaps in mentions"),
        ("corefud", "empty-node.conllu", "conll", "empty nodes"),
        ("corefud", "empty-node.conllu", "conll-ua", "dependencies of empty nodes"),
        ("corefud", "plain.conllu", "conll", "heads of mentions"),
        ("corefud", "split-antecedents.conllu", "jsonlines", "split antecedents"),
        ("corefud", "bridge.conllu", "links", "bridging relations"),
        ("conll-ua", "non-referring.conllua", "corefud", "expressions that refer to nothing"),
        ("conll-ua", "minimum-span.conllua", "corefud", "minimum spans"),
        ("conll-ua", "attributes.conllua", "conll", "attributes of mentions"),
        ("conll-ua", "speakers.conllua", "brat", "speakers of words"),
        ("conll", "columns-13.conll", "conll-ua", "parses of words"),
        ("conll", "columns-13.conll", "table", "parts of speech"),
        ("conll", "crossing-one-entity.conll", "corefud", ""),
        ("conll", "mention-repeated.conll", "links", "repeated mentions"),
        ("apf", "harbour.apf.xml", "ecb+", "entities as ACE describes them"),
        ("apf", "harbour.apf.xml", "conll", "the genre"),
    ] {
        let (lost, _) = lost(from, file, to);
        assert!(lost.contains(what), "{file} as {to}: {lost}");
    }
    for (from, file, to, what) in [
        ("conll", "header-full.conll", "corefud", "the id of the document"),
        ("conll", "ids-text.conll", "jsonlines", "names of entities"),
        ("conll", "header-full.conll", "corefud", "mentions without a head"),
        ("conll", "crossing-two-entities.conll", "conll-ua", "closing brackets name theirs"),
    ] {
        let (_, changed) = lost(from, file, to);
        assert!(changed.contains(what), "{file} as {to}: {changed}");
    }
}

/// The head of `la casa azul` is the zero in it: no other word replaces it silently.
#[test]
fn heads_that_are_empty_nodes_are_lost() {
    let line = |number: &str, form: &str, deps: &str, misc: &str| {
        format!("{number}\t{form}\t_\t_\t_\t_\t_\t_\t{deps}\t{misc}\n")
    };
    let text = [
        "# newdoc id = d\n# global.Entity = eid-etype-head-other\n".to_owned(),
        line("1", "la", "_", "Entity=(e-x-2-"),
        line("1.1", "_", "2:obj", "_"),
        line("2", "casa", "_", "Entity=e)"),
    ];
    let corpus = named("corefud").read(text.concat().as_bytes(), "x", layers()).expect("a sentence");
    assert_eq!(corpus.documents[0].mentions()[0].head(), Some(1));
    for format in ["semeval", "muc", "apf"] {
        let written = named(format).write(&corpus, WriteOptions::default()).expect("it can be written");
        let lost = found(&written, Code::NotWritten).join("; ");
        assert!(lost.contains("heads that are empty nodes (1)"), "{format}: {lost}");
    }
}

#[test]
fn unwritable_documents_have_a_remedy() {
    let links = named("links").read(b"A-B\n", "x.links", layers()).expect("links");
    let unknown = br#"{"doc_key": "a", "clusters": [[[0, 1]]]}"#;
    let unknown = named("jsonlines").read(unknown, "x.jsonl", layers()).expect("spans alone");
    let without = named("conll").read(b"a\t(1)\n", "x.conll", ReadOptions::default()).expect("a word");
    for (corpus, format, expected, remedy) in [
        (&links, "conll", "names of mentions instead of a text", "write it as links"),
        (&links, "jsonlines", "names of mentions instead of a text", "write it as links"),
        (&unknown, "corefud", "the words of `a` are not known", "write it as jsonlines"),
        (&without, "brat", "were not kept", "keep_layers"),
        (&without, "pipe", "cannot be written", "conll"),
    ] {
        let error = named(format).write(corpus, WriteOptions::default()).expect_err("it cannot be written");
        assert!(error.message().contains(expected), "{error}");
        assert!(error.remedy().is_some_and(|hint| hint.contains(remedy)), "{error}");
    }
}

/// The properties are not vacuous: tapes produce everything that the formats support.
#[test]
fn tapes_produce_everything() {
    let mut number = 1u64;
    let mut next = move || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 48) as u16
    };
    let tapes: Vec<Vec<u16>> = (0..200).map(|_| (0..300).map(|_| next()).collect()).collect();
    for (format, can, wanted) in [
        ("conll", &CONLL, &["|", "part 001", "(NP*", "B. C."][..]),
        (
            "corefud",
            &COREFUD,
            &["[2/2])", "Bridge=", "SplitAnte=", "1.1\t", "\t0:nsubj", "--c-d", "# speaker"][..],
        ),
        (
            "conll-ua",
            &CONLL_UA,
            &["# mentions cross", "Min=", "ElementOf=", "-Pseudo", "MentionAnchor=", "1.1\t", "SemType="][..],
        ),
        ("brat", &BRAT, &["*\tEquiv", ";", "MentionType"][..]),
        ("muc", &MUC, &["STATUS=\"OPT\"", "LEVEL=", "REF=", "</COREF></COREF>"][..]),
        ("semeval", &SEMEVAL, &["(", "|"][..]),
        ("webanno", &WEBANNO, &["coref", "\\[b\\]", "|"][..]),
        ("apf", &APF, &["<extent>", "ROLE=", "&lt;&amp;"][..]),
    ] {
        let texts = tapes.iter().map(|tape| {
            whole(
                &named(format).write(&corpus(tape, can), WriteOptions::default()).expect("it can be written"),
            )
        });
        let texts: Vec<String> = texts.collect();
        for wanted in wanted {
            let with = texts.iter().filter(|text| text.contains(wanted)).count();
            assert!(with >= 10, "{format}: {with} of 200 have {wanted}");
        }
    }
}

/// The formats whose files can be copied with different mentions.
const COPIED: [&str; 5] = ["conll", "semeval", "corefud", "conll-ua", "jsonlines"];

/// Returns a copy of `text`, the file of `key`, with the mentions of `placed`, and the losses.
pub(super) fn copy_of(
    format: &'static FormatSpec,
    text: &[u8],
    (key, placed): (&Corpus, &Corpus),
    options: WriteOptions,
) -> (String, Diagnostics) {
    let mut outline = Outline::new(format, options).expect("it can be written");
    placed.documents.iter().for_each(|document| outline.add(document));
    let mut copy = KeyCopy::new(format, &outline, text).expect("it can be copied");
    let (mut counts, mut all) = (LossCounts::default(), Vec::new());
    for (key, placed) in key.documents.iter().zip(&placed.documents) {
        all.extend(copy.document(key, placed, &mut counts).expect("the words are the same"));
    }
    all.extend(copy.finish().expect("the rest can be read"));
    let mut lost = Diagnostics::default();
    counts.report(&mut lost);
    (String::from_utf8(all).expect("UTF-8"), lost)
}

/// Returns the part of a line without coreference.
fn without_coreference(format: &str, line: &str, columns: &[String]) -> String {
    let content = line.trim_end_matches('\r');
    let end = &line[content.len()..];
    match format {
        "conll" | "semeval" => {
            let column = content.trim_end_matches(' ');
            let start = column.rfind(['\t', ' ']).map_or(0, |at| at + 1);
            format!("{}{}{end}", &content[..start], &content[column.len()..])
        }
        "corefud" => {
            let (before, misc) = content.rsplit_once('\t').expect("ten columns");
            let own = |item: &&str| {
                !["Entity=", "Bridge=", "SplitAnte="].iter().any(|name| item.starts_with(name))
                    && *item != "_"
            };
            let kept: Vec<&str> = misc.split('|').filter(own).collect();
            format!("{before}\t{}{end}", kept.join("|"))
        }
        "conll-ua" => {
            let tabs = content.contains('\t');
            let cells: Vec<&str> = match tabs {
                true => content.split('\t').collect(),
                false => content.split_whitespace().collect(),
            };
            let other = |(place, _): &(usize, &&str)| {
                !columns
                    .get(*place)
                    .is_some_and(|name| ["IDENTITY", "BRIDGING", "SPLIT"].contains(&name.as_str()))
            };
            let kept: Vec<&str> = cells.iter().enumerate().filter(other).map(|(_, cell)| *cell).collect();
            format!("{}{end}", kept.join("\t"))
        }
        _ => {
            let mut fields: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(content.trim_start_matches('\u{feff}')).expect("an object");
            let name =
                if fields.contains_key("predicted_clusters") { "predicted_clusters" } else { "clusters" };
            fields.remove(name);
            let before = content.split(&format!("\"{name}\"")).next().unwrap_or("");
            format!("{before}{}{end}", serde_json::Value::Object(fields))
        }
    }
}

#[test]
fn heads_of_several_words_are_copied() {
    let name = "../../testdata/formats/corefud/gum-minspan-several.conllu";
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let key = named("corefud").read(text.as_bytes(), "key", layers()).unwrap();
    let (copy, lost) = copy_of(named("corefud"), text.as_bytes(), (&key, &key), WriteOptions::default());
    assert_eq!(copy, text);
    assert!(lost.groups().is_empty());
}

#[test]
fn a_copy_of_a_key_keeps_all_but_coreference() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    for id in COPIED {
        let format = named(id);
        let cases =
            fs::read_to_string(samples.join(id).join("cases.json")).expect("every folder has its cases");
        let cases: Vec<serde_json::Value> = serde_json::from_str(&cases).expect("a list of cases");
        let (mut copied, mut kept) = (0, 0);
        for case in &cases {
            let options = options_of(case);
            let write = write_options(&options);
            let path = samples.join(id).join(case["file"].as_str().expect("a file"));
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let read = |text: &str, crossing: bool| {
                let mut options = options.clone();
                options.boundary_crossing |= crossing;
                let text = text.trim_start_matches('\u{feff}');
                // The response's list of clusters is replaced, not the key's.
                if text.contains("\"predicted_clusters\"") {
                    options.side = Side::Response;
                }
                format.read(text.as_bytes(), "key", options)
            };
            let Ok(key) = read(&text, false) else { continue };
            // Lines that end in CR alone are refused.
            if !text.contains('\n') || write.annotation != Annotation::Identity {
                continue;
            }
            let header = text.lines().find_map(|line| line.split_once("global.columns ="));
            let columns = header.map_or(USUAL, |(_, names)| names);
            let columns: Vec<String> = columns
                .split_whitespace()
                .map(|name| name.rsplit(':').next().unwrap_or("").to_owned())
                .collect();
            // Only these lines may change.
            let lines: BTreeSet<u32> = match id {
                "jsonlines" => key.documents.iter().map(Document::line).collect(),
                _ => {
                    let layers = key.documents.iter().filter_map(|document| document.words().layers());
                    layers.flat_map(|layers| layers.line.iter()).collect()
                }
            };
            let empty = key.documents.iter().map(|document| document.without_mentions().unwrap());
            let none = Corpus { documents: empty.collect(), ..Corpus::default() };
            for placed in [&key, &none] {
                let (copy, lost) = copy_of(format, text.as_bytes(), (&key, placed), write);
                assert_eq!(copy.matches('\n').count(), text.matches('\n').count());
                for ((number, before), after) in (1..).zip(text.split('\n')).zip(copy.split('\n')) {
                    match lines.contains(&number) {
                        true => assert_eq!(
                            without_coreference(id, before, &columns),
                            without_coreference(id, after, &columns),
                            "{}",
                            path.display()
                        ),
                        false => assert_eq!(before, after, "{}", path.display()),
                    }
                }
                copied += 1;
                if lost.warnings() == 0 {
                    let crossing = lost.groups().iter().flat_map(|group| &group.kept);
                    let crossing = crossing
                        .into_iter()
                        .any(|kept| kept.message.to_string().contains("boundary-crossing"));
                    let again = read(&copy, crossing).unwrap();
                    for (one, other) in again.documents.iter().zip(&placed.documents) {
                        assert_eq!(classes_of(one), classes_of(other), "{}\n{copy}", path.display());
                    }
                    kept += 1;
                }
            }
        }
        assert!(copied >= 10 && kept * 2 > copied, "{id}: {copied} files were copied, {kept} without loss");
    }
}

/// The columns of conll-ua files that do not name their columns.
const USUAL: &str = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM";

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A response in a copy of the key's file is read unchanged, and so is the key in a copy of that file.
    #[test]
    fn a_copy_of_a_key_contains_the_response(words in tapes(), key in tapes(), response in tapes()) {
        for (id, can) in [
            ("conll", &CONLL),
            ("semeval", &SEMEVAL),
            ("corefud", &COREFUD),
            ("conll-ua", &CONLL_UA),
            ("jsonlines", &JSONLINES),
        ] {
            let format = named(id);
            let [key, response] = key_and_response(&words, [&key, &response], can);
            let written = format.write(&key, WriteOptions::default()).expect("it can be written");
            let text = whole(&written);
            let key = read_again(format, &written, layers());
            let (copy, lost) = copy_of(format, text.as_bytes(), (&key, &response), WriteOptions::default());
            let lost = lost.groups().iter().flat_map(|group| &group.kept);
            let lost: Vec<String> = lost.map(|kept| kept.message.to_string()).collect();
            // Attributes for which the key's file has no field are lost, and nothing else.
            let few = |what: &String| what.contains("attributes of mentions") || !what.contains("cannot represent");
            prop_assert!(lost.iter().all(few), "{lost:?}");
            let boundary_crossing = lost.iter().any(|what| what.contains("boundary-crossing"))
                || text.contains("# mentions cross");
            let mut options = ReadOptions::with_layers();
            options.boundary_crossing = boundary_crossing;
            let again = format.read(copy.as_bytes(), "x", options).expect("the copy can be read");
            if boundary_crossing && !lost.iter().any(|what| what.contains("boundary-crossing")) {
                continue;
            }
            prop_assert_eq!(warnings(&again), [""; 0], "{}", copy);
            for (one, other) in again.documents.iter().zip(&response.documents) {
                prop_assert_eq!(classes_of(one), classes_of(other), "{}", copy);
            }
        }
    }
}

/// Returns the entities as sets of spans.
fn classes_of(document: &Document) -> BTreeSet<Vec<(u32, u32)>> {
    let mut classes = vec![Vec::new(); document.entities().len()];
    for mention in document.mentions() {
        classes[mention.entity().index()].push((mention.span().start(), mention.span().end()));
    }
    classes.iter_mut().for_each(|class| class.sort_unstable());
    classes.into_iter().filter(|class| !class.is_empty()).collect()
}
