//! Analysis of errors: their kinds, link errors, their cost, and their places.
//!
//! Two analyses, each after a published tool and with the same counts:
//!
//! - **Transform** (Kummerfeld and Klein 2013): the seven kinds of errors whose correction turns the response into
//!   the key ([`CorefErrorKind::TRANSFORM`]). Span errors are found first (`spans`), the other six follow from the
//!   pieces into which entities fall (`transform`).
//! - **Links** (Martschat and Strube 2014): mentions without any of their correct antecedents (`links`), by type and
//!   distance. Their number equals that of the links missing in MUC.
//!
//! [`analyse`] makes an [`ErrorAnalysis`] of paired documents, and [`CommonErrors`] compares several. Mentions are
//! selected and aligned as for scores, but each counts in one entity and split antecedents are left out. Both sides'
//! mentions then form one list (`items`) in the order of the text, and the rest is arithmetic on the entities of these
//! items, in time linear in their number.
//!
//! Cases that the published tools do not support: if the key has singletons, a singleton that the other side lacks is a
//! missing or an extra entity; otherwise extra singletons of the response are ignored. If the response lacks a
//! document, all of it is missing. A discontinuous mention is trimmed at its outer ends. A zero is a pronoun.

mod antecedents;
mod changes;
mod common;
mod correct;
mod cort;
mod costs;
mod documents;
mod gather;
mod heads;
mod items;
mod kinds;
mod links;
mod report;
mod results;
mod rows;
mod spans;
mod text;
mod transform;
mod types;
mod view;

pub(crate) use self::changes::changed_mentions;
pub use self::changes::{ChangedMention, DocumentChanges, MentionChange};
pub use self::common::{CommonErrors, CommonLinks};
pub use self::correct::Correction;
use self::correct::Corrector;
pub use self::costs::metrics_of_corrections;
use self::gather::Part;
use self::items::{Aligned, Members, NONE, Pronouns};
pub use self::kinds::{COREF_ERRORS, CorefErrorKind, CorefErrorSpec};
use self::links::{LinkError, Links, links};
pub use self::links::{Outcome, Tree};
pub use self::report::ErrorReport;
pub use self::results::{
    DocumentErrors, EntityErrors, ErrorAnalysis, ErrorRow, Example, ExampleWord, KindCounts, LinkCounts,
    OutcomeCounts, OutcomeTable, RowMention, Step, WrongAntecedent,
};
use self::rows::{Types, place_on};
use self::spans::{corrected, span_errors, with_errors};
use self::text::is_tag;
pub use self::text::zero;
pub use self::transform::Operations;
use self::transform::entity_errors;
pub use self::types::{LANGUAGES, Language, MentionType, TypeRule};
pub use self::view::{DocumentView, EntityView, MentionView, ResponseView, SideView, Viewer, ZeroView};
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::model::{Document, Side};
use crate::pairing::DocumentPair;
use crate::probe::{Member, made};
use crate::score::Runs;
use crate::settings::{Keep, Settings};
use crate::threads::side_by_side;

/// The analysis, beyond the settings.
#[derive(Clone, Debug)]
pub struct AnalysisTask {
    /// The choices that scores depend on.
    pub settings: Settings,
    /// The metrics that measure the cost of errors; those that [`metrics_of_corrections`] leaves out have none.
    pub metrics: Vec<Metric>,
    /// The tree that link errors take their antecedents from.
    pub tree: Tree,
    /// The language of documents without tags, by its code; `None` for the one with most pronouns in the key.
    pub language: Option<&'static Language>,
    /// The word that decides types of mentions.
    pub types: TypeRule,
    /// The number of examples to show of each kind.
    pub examples: usize,
    /// Whether to list every error ([`ErrorAnalysis::rows`]).
    pub rows: bool,
    /// The largest number of threads to use; the result does not depend on it.
    pub threads: usize,
}

/// Below this many mentions one thread is as fast as two.
const MENTIONS_PER_THREAD: usize = 2_000;

/// Finds the errors of paired documents.
///
/// Documents should keep their layers on the side of the key: without words, the only span errors are those of
/// equal heads, and all mentions are nominal.
pub fn analyse(
    pairs: &[DocumentPair<'_>],
    task: &AnalysisTask,
    diagnostics: &mut Diagnostics,
) -> ErrorAnalysis {
    let corpus = CorpusFacts::of(pairs, task);
    let Runs { threads, runs } = Runs::of(pairs, task.threads, MENTIONS_PER_THREAD);
    let first = |run: usize| runs[..run].iter().map(|pairs| pairs.len() as u32).sum();
    let of_run = |run: usize| Part::of(first(run), runs[run], task, corpus);
    let mut parts = side_by_side(threads, runs.len(), of_run).into_iter();
    let mut whole = parts.next().unwrap_or_else(|| Part::new(task));
    parts.for_each(|part| whole.add(part));
    whole.finish(pairs, task, corpus, threads, diagnostics)
}

/// The properties of all documents that the rules depend on.
#[derive(Clone, Copy, Debug)]
struct CorpusFacts {
    language: &'static Language,
    types: TypeRule,
    /// Whether the key has scored singletons.
    singletons: bool,
}

impl CorpusFacts {
    fn of(pairs: &[DocumentPair<'_>], task: &AnalysisTask) -> CorpusFacts {
        CorpusFacts { types: task.types, ..CorpusFacts::with(pairs, &task.settings, task.language) }
    }

    fn with(
        pairs: &[DocumentPair<'_>],
        settings: &Settings,
        language: Option<&'static Language>,
    ) -> CorpusFacts {
        let has_singletons = |document: &Document| {
            let mut sizes = vec![0u32; document.entities().len()];
            document.mentions().iter().for_each(|mention| sizes[mention.entity().index()] += 1);
            sizes.contains(&1)
        };
        CorpusFacts {
            language: language.unwrap_or_else(|| language_of(pairs)),
            types: TypeRule::default(),
            singletons: settings.singletons == Keep::Keep
                && pairs.iter().any(|pair| has_singletons(pair.key)),
        }
    }
}

/// The language whose pronouns are most frequent among the key's mentions of one word.
fn language_of(pairs: &[DocumentPair<'_>]) -> &'static Language {
    let mut counts = vec![0u64; LANGUAGES.len()];
    for pair in pairs {
        let Some(layers) = pair.key.words().layers() else { continue };
        // Tags are more reliable than words. If the first word has a tag, the lines of the others need not be located
        // here; the threads that analyse the documents do so later.
        if layers.part_of_speech.first().is_some_and(is_tag) || layers.part_of_speech.iter().any(is_tag) {
            continue;
        }
        for mention in pair.key.mentions().iter().filter(|mention| mention.span().len() == 1) {
            let form = layers.form.get(mention.span().start() as usize).unwrap_or_default();
            for (language, count) in LANGUAGES.iter().zip(&mut counts) {
                *count += u64::from(language.is_pronoun(form));
            }
        }
    }
    // The first language wins ties.
    let best = (0..LANGUAGES.len()).rev().max_by_key(|&place| counts[place]);
    &LANGUAGES[best.unwrap_or(0)]
}

/// The errors of one document of a pair, with the data for their correction.
struct PairErrors<'d> {
    aligned: Aligned<'d>,
    /// All copies of mentions, for links, if a side repeats any.
    copies: Option<Aligned<'d>>,
    pronouns: Pronouns,
    spans: Vec<spans::SpanError>,
    /// The items once the span errors are corrected, with the entities of both sides in them.
    items: Vec<items::Item>,
    /// For each of these, whether it has a span error; empty if there is none.
    has_span_error: Vec<bool>,
    key_members: Members,
    response_members: Members,
    errors: Vec<transform::EntityError>,
    pieces: [u64; 2],
}

impl<'d> PairErrors<'d> {
    fn new(
        pair: DocumentPair<'d>,
        settings: &Settings,
        corpus: CorpusFacts,
        diagnostics: &mut Diagnostics,
    ) -> PairErrors<'d> {
        let aligned = Aligned::new(pair, settings, corpus, diagnostics);
        let copies = aligned.repeats.then(|| Aligned::with_copies(pair, settings, corpus));
        let spans = span_errors(&aligned);
        let items = corrected(&aligned.items, &spans);
        let has_span_error = with_errors(&aligned.items, &spans);
        let members = |side: Side, entities: usize| {
            Members::new(items.iter().map(move |item| item.entity(side)), entities)
        };
        let key_members = members(Side::Key, aligned.key_entities);
        let response_members = members(Side::Response, aligned.response_entities);
        let pronouns = Pronouns::new(items.len());
        let is_pronoun = |item: u32| pronouns.of(item, &items, &aligned);
        let members = (&key_members, &response_members);
        let (errors, pieces) = entity_errors(&items, &is_pronoun, members, corpus.singletons);
        PairErrors {
            aligned,
            copies,
            pronouns,
            spans,
            items,
            has_span_error,
            key_members,
            response_members,
            errors,
            pieces,
        }
    }

    fn corrector(&self) -> Corrector<'_> {
        Corrector {
            items: &self.aligned.items,
            spans_corrected: &self.items,
            span_errors: &self.has_span_error,
            errors: &self.errors,
            key_members: &self.key_members,
            response_members: &self.response_members,
            is_pronoun: Box::new(|item| self.is_pronoun(item)),
        }
    }

    /// Whether one of the items is a pronoun.
    fn is_pronoun(&self, item: u32) -> bool {
        self.pronouns.of(item, &self.items, &self.aligned)
    }

    /// The response after a correction. Once spans are corrected, mentions of both sides are those of the key.
    fn document(&self, correction: Correction) -> Document {
        self.made(correction, |_| false)
    }

    /// Like [`document`](Self::document), but keeps the response's own copy of each mention that both sides have with
    /// the same words and head: its type and other attributes may differ.
    fn document_with_attributes(&self, correction: Correction) -> Document {
        let mention = |item: &items::Item, side: Side| self.aligned.mention_on(side, item);
        let keeps = |item: &items::Item| {
            self.aligned.text.are_same(mention(item, Side::Key), mention(item, Side::Response))
        };
        self.made(correction, keeps)
    }

    /// Returns the response after a correction. `keeps` selects the mentions of both sides for which the response's
    /// copy is used.
    fn made(&self, correction: Correction, keeps: impl Fn(&items::Item) -> bool) -> Document {
        let corrected = self.corrector().corrected(correction);
        let mut entities: Vec<Vec<Member>> = vec![Vec::new(); corrected.entities as usize];
        let found = corrected.items.iter().zip(&corrected.entity).filter(|(_, entity)| **entity != NONE);
        for (item, &entity) in found {
            // Before spans are corrected, the response keeps its own mentions.
            let member = match (correction, item.key) {
                (Correction::None, _) | (_, NONE) => Member::Response(item.response),
                _ if item.response != NONE && keeps(item) => Member::Response(item.response),
                (_, key) => Member::Key(key),
            };
            entities[entity as usize].push(member);
        }
        made(self.aligned.pair, &entities)
    }

    fn counts(&self) -> KindCounts {
        let mut counts = KindCounts::default();
        counts.count(CorefErrorKind::SpanError, self.spans.len() as u64);
        self.errors.iter().for_each(|error| counts.count(error.kind, 1));
        counts
    }

    /// Returns the mentions between which links are counted.
    fn linked(&self) -> &Aligned<'d> {
        self.copies.as_ref().unwrap_or(&self.aligned)
    }

    fn links(&self, tree: Tree, types: &Types<'_, '_>) -> Links {
        let linked = self.linked();
        let members = |side: Side, entities: usize| {
            let entity = move |item: &items::Item| match place_on(side, item) {
                NONE => NONE,
                _ => item.entity(side),
            };
            Members::new(linked.items.iter().map(entity), entities)
        };
        let key = members(Side::Key, linked.key_entities);
        let response = members(Side::Response, linked.response_entities);
        links(linked, (&key, &response), tree, &|item| types.of(item))
    }
}

/// Makes corrected responses: documents with identity only, over the words of the response.
///
/// ```
/// use corefeval_core::analysis::{Correction, ResponseCorrector};
/// use corefeval_core::formats::{FormatSpec, ReadOptions};
/// use corefeval_core::pairing::DocumentPair;
/// use corefeval_core::profiles::Profile;
/// use corefeval_core::settings::Settings;
///
/// let format = FormatSpec::named("links")?;
/// let read = |text: &str| format.read(text.as_bytes(), "text", ReadOptions::default());
/// let (key, response) = (read("{a b} {c d}")?, read("{a b c d e}")?);
/// let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
/// let settings = Settings::of(Profile::for_format("links"));
/// let corrector = ResponseCorrector::new(&[pair], &settings);
/// assert_eq!(corrector.response(pair, Correction::All).mentions().len(), 4);
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResponseCorrector {
    settings: Settings,
    corpus: CorpusFacts,
}

impl ResponseCorrector {
    /// A corrector for these documents. The settings decide which mentions count and when two are the same.
    pub fn new(pairs: &[DocumentPair<'_>], settings: &Settings) -> ResponseCorrector {
        ResponseCorrector { corpus: CorpusFacts::with(pairs, settings, None), settings: settings.clone() }
    }

    /// The corrected response of a pair.
    pub fn response(&self, pair: DocumentPair<'_>, correction: Correction) -> Document {
        let errors = PairErrors::new(pair, &self.settings, self.corpus, &mut Diagnostics::default());
        errors.document(correction)
    }
}
