//! Prepares documents for display: the words of a key and its responses, their mentions, and which of them are aligned.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::items::{Aligned, NONE, identity_settings, selected};
use super::task::{AnalysisTask, CorpusFacts};
use super::text::WordsAre;
use super::types::{Language, MentionType, NO_LIST, PronounCounts};
use crate::diagnostic::Diagnostics;
use crate::model::{Document, ENTITY_TYPE, Mention, Side, Slot, Words};
use crate::pairing::DocumentPair;
use crate::results::SideSize;
use crate::settings::{Keep, Settings};

/// A document of the key with the mentions of each response.
#[derive(Clone, Debug, Default)]
pub struct DocumentView {
    /// The document's id.
    pub id: String,
    /// Its genre.
    pub genre: Option<String>,
    /// The ISO 639-1 code of its language, if given or detected from its pronouns.
    pub language: Option<&'static str>,
    /// True if its text is written from right to left.
    pub right_to_left: bool,
    /// All words in order. If sides have zeros in different places, the zeros of all sides.
    pub words: Vec<String>,
    /// The kind of `words`.
    pub words_are: WordsAre,
    /// The first word of each sentence; the first is 0.
    pub sentences: Vec<u32>,
    /// The speaker of each sentence; empty if no speaker is known.
    pub speakers: Vec<Option<String>>,
    /// The words that are not in the text.
    pub zeros: Vec<ZeroView>,
    /// The key's annotation.
    pub key: SideView,
    /// The annotation of each response; `None` if it lacks the document.
    pub responses: Vec<Option<ResponseView>>,
}

/// A word that is not in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZeroView {
    /// Its place among the words.
    pub word: u32,
    /// The sides that have it: 0 is the key, n + 1 the nth response.
    pub sides: Vec<u32>,
}

/// The annotation of one side.
#[derive(Clone, Debug, Default)]
pub struct SideView {
    /// The mentions, by first word, then by last word.
    pub mentions: Vec<MentionView>,
    /// The entities, in the order of the file.
    pub entities: Vec<EntityView>,
    /// The number of scored mentions and entities, without the texts. Copies of a repeated mention count, as in scores.
    pub size: SideSize,
    /// For each mention of the document its place in `mentions`.
    places: Vec<u32>,
}

impl SideView {
    /// Sorts the mentions of a document by first word, then by last word.
    fn new(mentions: Vec<MentionView>, entities: Vec<EntityView>, size: SideSize) -> SideView {
        let mut mentions: Vec<(u32, MentionView)> = (0..).zip(mentions).collect();
        mentions.sort_by(|a, b| {
            let order = |mention: &MentionView| {
                (mention.spans.first().map(|span| span[0]), mention.spans.last().map(|span| span[1]))
            };
            order(&a.1).cmp(&order(&b.1)).then(a.0.cmp(&b.0))
        });
        let mut places = vec![0; mentions.len()];
        (0..).zip(&mentions).for_each(|(place, mention)| places[mention.0 as usize] = place);
        SideView { mentions: mentions.into_iter().map(|mention| mention.1).collect(), entities, size, places }
    }

    /// Returns the place in [`mentions`](Self::mentions) of a mention of the document, as rows of errors name it.
    pub fn place(&self, mention: u32) -> u32 {
        self.places.get(mention as usize).copied().unwrap_or(mention)
    }

    /// Returns the number of scored mentions of each entity.
    fn scored_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.entities.len()];
        let scored = self.mentions.iter().filter(|mention| mention.ignored.is_none());
        scored.for_each(|mention| sizes[mention.entity as usize] += 1);
        sizes
    }

    /// Returns the entities in the order of their first mentions, those without any last.
    fn by_first_mention(&self) -> Vec<usize> {
        let mut first = vec![usize::MAX; self.entities.len()];
        for (place, mention) in self.mentions.iter().enumerate().rev() {
            first[mention.entity as usize] = place;
        }
        let mut entities: Vec<usize> = (0..first.len()).collect();
        entities.sort_by_key(|&entity| first[entity]);
        entities
    }
}

/// The annotation of a response.
#[derive(Clone, Debug, Default)]
pub struct ResponseView {
    /// Its mentions and entities.
    pub side: SideView,
    /// Aligned mentions: places in the lists of the key and of the response.
    pub matches: Vec<[u32; 2]>,
}

/// A mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionView {
    /// Its words, as first word and one past the last; more than one range if it is discontinuous.
    pub spans: Vec<[u32; 2]>,
    /// Its entity.
    pub entity: u32,
    /// Its head word, if annotated.
    pub head: Option<u32>,
    /// Its type.
    pub mention_type: MentionType,
    /// The reason why it is not scored, or [`COPY`]; `None` if it is scored.
    pub ignored: Option<&'static str>,
}

/// An entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityView {
    /// Its name in the file.
    pub name: String,
    /// Its type, if a mention states it.
    pub entity_type: Option<String>,
    /// The label by which readers identify it, the same in terminals and on pages
    /// ([`DocumentView::label_entities`]).
    pub label: String,
}

/// The reason why a copy of a mention is not shown, although scores count all copies.
pub const COPY: &str = "another copy of a mention";

/// The label of an entity with fewer than two scored mentions.
pub const SINGLE: &str = "single";

impl DocumentView {
    /// Labels the entities of all sides. Key entities of at least two scored mentions are numbered from 1 in the order of
    /// their first mentions. A response entity has the label of its counterpart: the pairs of entities that share most
    /// mentions are counterparts, one to one; ties go to those that the files name first. Other response
    /// entities of at least two scored mentions have letters in the order of their first mentions, including those whose
    /// counterpart is a single mention. All others are [`SINGLE`].
    pub fn label_entities(&mut self) {
        let key = &mut self.key;
        let sizes = key.scored_sizes();
        let mut number = 0;
        for entity in key.by_first_mention() {
            let is_single = sizes[entity] < 2;
            number += usize::from(!is_single);
            key.entities[entity].label = if is_single { SINGLE.to_owned() } else { number.to_string() };
        }
        for response in self.responses.iter_mut().flatten() {
            let counterparts = counterparts(&self.key, response);
            let side = &mut response.side;
            let sizes = side.scored_sizes();
            let mut own = 0;
            for entity in side.by_first_mention() {
                let counterpart = counterparts[entity].map(|place| self.key.entities[place].label.as_str());
                side.entities[entity].label = match counterpart.filter(|label| *label != SINGLE) {
                    Some(label) => label.to_owned(),
                    None if sizes[entity] < 2 => SINGLE.to_owned(),
                    None => {
                        own += 1;
                        letters(own - 1)
                    }
                };
            }
        }
    }
}

/// Returns the counterpart in the key of each response entity.
fn counterparts(key: &SideView, response: &ResponseView) -> Vec<Option<usize>> {
    let entity = |side: &SideView, place: u32| side.mentions[place as usize].entity as usize;
    let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for &[ours, theirs] in &response.matches {
        *shared.entry((entity(key, ours), entity(&response.side, theirs))).or_default() += 1;
    }
    let mut shared: Vec<((usize, usize), usize)> = shared.into_iter().collect();
    shared.sort_by_key(|&(_, count)| Reverse(count));
    let mut taken = vec![false; key.entities.len()];
    let mut counterparts = vec![None; response.side.entities.len()];
    for ((ours, theirs), _) in shared {
        if counterparts[theirs].is_none() && !taken[ours] {
            counterparts[theirs] = Some(ours);
            taken[ours] = true;
        }
    }
    counterparts
}

/// `a`, `b`, …, `z`, `aa`, `ab`, …
fn letters(number: usize) -> String {
    let letter = |place: usize| char::from(b'a' + (place % 26) as u8);
    let mut letters = vec![letter(number)];
    let mut rest = number / 26;
    while rest > 0 {
        letters.push(letter(rest - 1));
        rest = (rest - 1) / 26;
    }
    letters.into_iter().rev().collect()
}

/// Makes views of the documents of a corpus.
#[derive(Clone, Debug)]
pub struct Viewer<'t> {
    task: &'t AnalysisTask,
    corpus: CorpusFacts<'static>,
}

impl<'t> Viewer<'t> {
    /// Creates a viewer of these documents, which also serve to detect the language of untagged text.
    pub fn new(corpus: &[DocumentPair<'_>], task: &'t AnalysisTask) -> Viewer<'t> {
        Viewer { task, corpus: CorpusFacts::of(corpus, task) }
    }

    /// Makes the view of one document from its pairs with all responses.
    pub fn view(&self, pairs: &[DocumentPair<'_>]) -> Option<DocumentView> {
        view(pairs, self.task, self.corpus)
    }
}

fn view(pairs: &[DocumentPair<'_>], task: &AnalysisTask, facts: CorpusFacts<'_>) -> Option<DocumentView> {
    let key = pairs.first()?.key;
    let settings = &task.settings;
    let mut discarded = Diagnostics::default();
    let aligned: Vec<Aligned<'_>> =
        pairs.iter().map(|pair| Aligned::new(*pair, settings, facts, &mut discarded)).collect();
    let documents: Vec<Option<&Document>> =
        std::iter::once(Some(key)).chain(pairs.iter().map(|pair| pair.response)).collect();
    let merged = Merged::new(&documents);
    let side = |of: Side, number: usize, aligned: &Aligned<'_>, size: SideSize| {
        let mentions = mentions(of, aligned, (&merged, number), settings);
        SideView::new(mentions, entities(aligned.document(of)), size)
    };
    let key_view = side(Side::Key, 0, aligned.first()?, sizes(*pairs.first()?, settings)[0]);
    let responses = pairs.iter().zip(&aligned).enumerate().map(|(number, (pair, aligned))| {
        pair.response?;
        let side = side(Side::Response, number + 1, aligned, sizes(*pair, settings)[1]);
        let both = aligned.items.iter().filter(|item| item.key != NONE && item.response != NONE);
        let matches = both.map(|item| [key_view.place(item.key), side.place(item.response)]).collect();
        Some(ResponseView { side, matches })
    });
    let responses = responses.collect();
    let words = merged.forms(&documents);
    let language = task.language.or_else(|| text_language(&words));
    let mut view = DocumentView {
        id: key.id().to_string(),
        genre: key.genre().map(str::to_owned),
        language: language.map(|language| language.code).filter(|code| *code != NO_LIST),
        right_to_left: is_right_to_left(&words),
        words,
        words_are: merged.words_are,
        sentences: merged.sentences(key.words()),
        speakers: speakers(key.words()),
        zeros: merged.zeros(),
        key: key_view,
        responses,
    };
    view.label_entities();
    Some(view)
}

/// Returns the mentions of a side as the document orders them. `number` is the place of the side in `merged`.
fn mentions(
    of: Side,
    aligned: &Aligned<'_>,
    (merged, number): (&Merged, usize),
    settings: &Settings,
) -> Vec<MentionView> {
    let document = aligned.document(of);
    let mut sizes = vec![0u32; document.entities().len()];
    document.mentions().iter().for_each(|mention| sizes[mention.entity().index()] += 1);
    let is_copy = |mention: &Mention| {
        let others = document.mentions().iter().filter(|other| !std::ptr::eq(*other, mention));
        aligned.repeats && others.into_iter().any(|other| other.same_words(mention))
    };
    let ignored = |mention: &Mention| match sizes[mention.entity().index()] {
        _ if is_copy(mention) => COPY,
        1 if settings.singletons == Keep::Drop => "singleton",
        _ => "left out by the settings",
    };
    let view = |(mention, scored): (&Mention, bool)| MentionView {
        spans: mention.parts().iter().map(|part| merged.range(number, part.start(), part.end())).collect(),
        entity: mention.entity().index() as u32,
        head: mention.head().map(|head| merged.place(number, head)),
        mention_type: aligned.text.type_of(document, of, mention),
        ignored: (!scored).then(|| ignored(mention)),
    };
    document.mentions().iter().zip(are_scored(of, aligned)).map(view).collect()
}

/// Returns for each mention of a side whether it is scored.
fn are_scored(of: Side, aligned: &Aligned<'_>) -> Vec<bool> {
    let mut scored = vec![false; aligned.document(of).mentions().len()];
    for item in &aligned.items {
        let place = if of == Side::Key { item.key } else { item.response };
        if place != NONE {
            scored[place as usize] = true;
        }
    }
    scored
}

/// Returns the sizes of both sides, in which copies of a repeated mention count.
fn sizes(pair: DocumentPair<'_>, settings: &Settings) -> [SideSize; 2] {
    let mut sizes = [SideSize::default(); 2];
    let settings = Settings { duplicates: settings.duplicates, ..identity_settings(settings) };
    let selected = selected(pair, &settings, &mut Diagnostics::default());
    sizes.iter_mut().zip(&selected).for_each(|(size, selected)| size.add_selected(selected));
    sizes
}

fn text_language(words: &[String]) -> Option<&'static Language> {
    let mut counts = PronounCounts::default();
    words.iter().for_each(|word| counts.add_word(word));
    counts.language_of_text()
}

/// Returns whether more words start with a right-to-left letter than with another letter.
fn is_right_to_left(words: &[String]) -> bool {
    let letters = words.iter().filter_map(|word| word.chars().find(|letter| letter.is_alphabetic()));
    let (mut all, mut to_left) = (0usize, 0usize);
    for letter in letters {
        all += 1;
        // The blocks from Hebrew to Arabic, their presentation forms, and the blocks of the old and African scripts.
        to_left += usize::from(matches!(letter,
            '\u{0590}'..='\u{08ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
            | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'));
    }
    2 * to_left > all
}

fn entities(document: &Document) -> Vec<EntityView> {
    let named = document.entities().iter();
    let mut entities: Vec<EntityView> = named
        .map(|name| EntityView { name: name.to_string(), entity_type: None, label: String::new() })
        .collect();
    for mention in document.mentions() {
        let entity = &mut entities[mention.entity().index()];
        if entity.entity_type.is_none() {
            let stated = mention.attribute(ENTITY_TYPE).filter(|value| !value.is_empty());
            entity.entity_type = stated.map(str::to_owned);
        }
    }
    entities
}

/// Returns the speaker of each sentence, if any is known.
fn speakers(words: &Words) -> Vec<Option<String>> {
    let Some(layers) = words.layers().filter(|layers| !layers.speaker.is_empty()) else { return Vec::new() };
    let speaker = |first: &u32| {
        let speaker = layers.speaker.get(*first as usize)?;
        Some(speaker).filter(|speaker| !matches!(*speaker, "" | "-" | "_")).map(str::to_owned)
    };
    let speakers: Vec<Option<String>> = words.sentences().iter().map(speaker).collect();
    if speakers.iter().all(Option::is_none) { Vec::new() } else { speakers }
}

/// The words of several sides as one list.
struct Merged {
    /// Each word; an empty node with the sides that have it.
    slots: Vec<(Slot, Vec<u32>)>,
    /// For each side, the place of each of its words; empty if the side lacks the document.
    places: Vec<Vec<u32>>,
    words_are: WordsAre,
    /// For positions without words: the first position of each run that no mention divides, followed by the number of
    /// all positions. A run counts as one word, so the size of a document without words depends on its mentions, not
    /// its length.
    runs: Option<Vec<u32>>,
}

impl Merged {
    fn new(documents: &[Option<&Document>]) -> Merged {
        let names = documents.iter().flatten().any(|document| document.words().are_names());
        let has_nodes = |document: &&Document| !document.words().empty_nodes().is_empty();
        if !names && !documents.iter().flatten().any(has_nodes) {
            // Only the words of the text have the same places on all sides.
            let documents = documents.iter().map(|document| document.as_deref());
            let count = |document: Option<&Document>| document.map_or(0, |document| document.words().count());
            let known = |document: Option<&Document>| {
                count(document.filter(|document| document.words().fingerprint().is_some()))
            };
            let known = documents.clone().map(known).max().unwrap_or(0);
            let longest = documents.clone().map(count).max().unwrap_or(0);
            let runs = (known < longest).then(|| runs(documents.clone().flatten(), known, longest));
            let slots = runs.as_ref().map_or(longest, |runs| runs.len() as u32 - 1);
            let limit = if runs.is_some() { known } else { longest };
            return Merged {
                slots: (1..=slots).map(|word| ((word, 0, 0), Vec::new())).collect(),
                places: documents.map(|document| (0..count(document).min(limit)).collect()).collect(),
                words_are: if longest > 0 && known == 0 { WordsAre::Positions } else { WordsAre::Words },
                runs,
            };
        }
        if names {
            return Merged::of_names(documents);
        }
        let mut sides: BTreeMap<Slot, Vec<u32>> = BTreeMap::new();
        let of = |document: &Document| document.words().slots().collect::<Vec<Slot>>();
        for (side, document) in (0..).zip(documents) {
            for slot in document.map(of).unwrap_or_default() {
                sides.entry(slot).or_default().push(side);
            }
        }
        let numbers: BTreeMap<Slot, u32> = sides.keys().copied().zip(0..).collect();
        let places = documents
            .iter()
            .map(|document| document.map(of).unwrap_or_default().iter().map(|slot| numbers[slot]).collect());
        Merged {
            places: places.collect(),
            slots: sides.into_iter().collect(),
            words_are: WordsAre::Words,
            runs: None,
        }
    }

    /// Merges words that are names of mentions, which have no common order: equal names are one word.
    fn of_names(documents: &[Option<&Document>]) -> Merged {
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let places = documents.iter().map(|document| {
            let layers = document.and_then(|document| document.words().layers());
            let names = layers.into_iter().flat_map(|layers| layers.form.iter());
            let place = |name| {
                let next = numbers.len() as u32;
                *numbers.entry(name).or_insert(next)
            };
            names.map(place).collect()
        });
        let places = places.collect();
        Merged {
            slots: (1..=numbers.len() as u32).map(|word| ((word, 0, 0), Vec::new())).collect(),
            places,
            words_are: WordsAre::Names,
            runs: None,
        }
    }

    fn place(&self, side: usize, word: u32) -> u32 {
        if let Some(runs) = &self.runs {
            return runs.partition_point(|&first| first <= word).saturating_sub(1) as u32;
        }
        self.places[side].get(word as usize).copied().unwrap_or(word)
    }

    fn range(&self, side: usize, start: u32, end: u32) -> [u32; 2] {
        [self.place(side, start), self.place(side, end - 1) + 1]
    }

    fn sentences(&self, key: &Words) -> Vec<u32> {
        if self.words_are == WordsAre::Names {
            return vec![0];
        }
        let mut starts: Vec<u32> = key.sentences().iter().map(|&start| self.place(0, start)).collect();
        match starts.first_mut() {
            Some(first) => *first = 0,
            None => starts.push(0),
        }
        starts
    }

    fn zeros(&self) -> Vec<ZeroView> {
        let words = (0..).zip(&self.slots).filter(|(_, (slot, _))| slot.2 > 0);
        words.map(|(word, (_, sides))| ZeroView { word, sides: sides.clone() }).collect()
    }

    /// Returns the words as written, from the first side that has each; for positions without words their numbers.
    fn forms(&self, documents: &[Option<&Document>]) -> Vec<String> {
        let mut forms = vec![String::new(); self.slots.len()];
        for (document, places) in documents.iter().zip(&self.places) {
            let Some(layers) = document.and_then(|document| document.words().layers()) else { continue };
            for (form, &place) in layers.form.iter().zip(places) {
                let known = &mut forms[place as usize];
                if known.is_empty() {
                    form.clone_into(known);
                }
            }
        }
        for (form, (slot, _)) in forms.iter_mut().zip(&self.slots) {
            if form.is_empty() && slot.2 > 0 {
                form.push('_');
            }
        }
        for (form, run) in forms.iter_mut().zip(self.runs.iter().flat_map(|runs| runs.windows(2))) {
            if form.is_empty() {
                let (first, last) = (run[0], run[1] - 1);
                *form = if first == last { first.to_string() } else { format!("{first}–{last}") };
            }
        }
        forms
    }
}

/// Returns the first position of each run that no mention divides, followed by the number of all positions. Each of the
/// first `known` positions is a separate run.
fn runs<'d>(documents: impl Iterator<Item = &'d Document>, known: u32, all: u32) -> Vec<u32> {
    let mut firsts: Vec<u32> = (0..=known).chain([all]).collect();
    for mention in documents.flat_map(Document::mentions) {
        let head = mention.head().into_iter().flat_map(|head| [head, head + 1]);
        let ends = mention.parts().iter().flat_map(|part| [part.start(), part.end()]);
        firsts.extend(ends.chain(head).filter(|&place| place > known));
    }
    firsts.sort_unstable();
    firsts.dedup();
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(mentions: &[(u32, bool)], entities: usize) -> SideView {
        let mention = |(place, &(entity, is_scored)): (u32, &(u32, bool))| MentionView {
            spans: vec![[place, place + 1]],
            entity,
            head: None,
            mention_type: MentionType::Nominal,
            ignored: (!is_scored).then_some("optional"),
        };
        let entity = EntityView { name: String::new(), entity_type: None, label: String::new() };
        SideView {
            mentions: (0..).zip(mentions).map(mention).collect(),
            entities: vec![entity; entities],
            ..SideView::default()
        }
    }

    /// The file names its entities in a different order from the text. Entity 1 has only one scored mention.
    #[test]
    fn entities_of_several_mentions_are_numbered() {
        let key = side(&[(2, true), (1, false), (0, true), (1, true), (2, true), (0, true)], 3);
        // Entity 0 shares two mentions with key entity 2; entity 1 shares one with the single mention of key entity 1;
        // entity 2 is a single mention of key entity 0; entities 3 and 4 are extra.
        let of_response =
            [(0, true), (1, true), (1, true), (0, true), (2, true), (3, true), (4, true), (4, true)];
        let response =
            ResponseView { side: side(&of_response, 5), matches: vec![[0, 0], [3, 1], [4, 3], [5, 4]] };
        let mut view = DocumentView { key, responses: vec![None, Some(response)], ..DocumentView::default() };
        view.label_entities();
        let labels = |side: &SideView| -> Vec<String> {
            side.entities.iter().map(|entity| entity.label.clone()).collect()
        };
        assert_eq!(labels(&view.key), ["2", "single", "1"]);
        let response = view.responses[1].as_ref().expect("a response");
        assert_eq!(labels(&response.side), ["1", "a", "2", "single", "b"]);
    }

    #[test]
    fn letters_continue_after_z() {
        assert_eq!([0, 25, 26, 27, 701, 702].map(letters), ["a", "z", "aa", "ab", "zz", "aaa"]);
    }
    use crate::formats::{FormatSpec, ReadOptions};
    use crate::model::Corpus;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn scripts_have_their_direction() {
        assert!(is_right_to_left(&words("הרכבת לירושלים , GPS 12 .")));
        assert!(is_right_to_left(&words("ذهب أحمد إلى السوق .")));
        assert!(!is_right_to_left(&words("She said שלום and left .")));
        assert!(!is_right_to_left(&words("1 , 2")) && !is_right_to_left(&[]));
    }

    /// A document in the `links` format.
    fn links(text: &str) -> Corpus {
        let format = FormatSpec::named("links").expect("the format exists");
        format.read(text.as_bytes(), "text", ReadOptions::default()).expect("the text is valid")
    }

    #[test]
    fn equal_names_of_both_sides_are_one_word() {
        let [key, response] = ["line-its\n{ferry her}\n", "{her extra}\nits-line\n"].map(links);
        let documents = [&key, &response].map(|corpus| Some(&corpus.documents[0]));
        let merged = Merged::new(&documents);
        assert_eq!(merged.words_are, WordsAre::Names);
        assert_eq!(merged.forms(&documents), ["line", "its", "ferry", "her", "extra"]);
        assert_eq!(merged.places, [vec![0, 1, 2, 3], vec![3, 4, 1, 0]]);
        assert_eq!(merged.sentences(key.documents[0].words()), [0]);
        // A response that lacks the document has no words.
        assert_eq!(Merged::new(&[documents[0], None]).slots.len(), 4);
    }

    #[test]
    fn languages_are_detected_by_pronouns() {
        let code = |text: &str| text_language(&words(text)).map(|language| language.code);
        assert_eq!(code("He knew that she saw him and they liked it"), Some("en"));
        assert_eq!(code("Он знал , что она его видит , а они ей не верят и им"), Some("ru"));
        assert_eq!(code("She saw him"), None, "too few words to detect");
        assert_eq!(code("הוא ידע שהיא ראתה אותו"), None, "no word list");
    }
}
