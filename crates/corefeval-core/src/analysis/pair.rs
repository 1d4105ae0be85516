//! Finds the errors of a pair of documents, and makes corrected responses.

use super::correct::{CorrectedPair, Corrector, ErrorCorrection};
use super::items::{Aligned, Grouped, Item, NONE, Pronouns, place_on};
use super::kinds::{COREF_ERRORS, CorefErrorKind};
use super::links::{Links, links};
use super::results::KindCounts;
use super::rows::Types;
use super::spans::{SpanError, corrected, span_errors, with_errors};
use super::task::{CorpusFacts, Tree};
use super::transform::{EntityError, entity_errors};
use crate::diagnostic::Diagnostics;
use crate::model::{Document, Side};
use crate::pairing::DocumentPair;
use crate::probe::{Member, made};
use crate::scratch::Scratch;
use crate::settings::Settings;

/// The errors of one document of a pair, with the data for their correction.
pub(super) struct PairErrors<'d> {
    pub(super) aligned: Aligned<'d>,
    /// All copies of mentions, for links, if a side repeats any.
    pub(super) copies: Option<Aligned<'d>>,
    pub(super) pronouns: Pronouns,
    pub(super) spans: Scratch<SpanError>,
    /// The items once the span errors are corrected, with the entities of both sides in them.
    pub(super) items: Scratch<Item>,
    /// For each of these, whether it has a span error; empty if there is none.
    pub(super) has_span_error: Scratch<bool>,
    pub(super) key_members: Grouped,
    pub(super) response_members: Grouped,
    pub(super) errors: Scratch<EntityError>,
    pub(super) pieces: [u64; 2],
}

impl<'d> PairErrors<'d> {
    pub(super) fn new(
        pair: DocumentPair<'d>,
        settings: &Settings,
        corpus: CorpusFacts<'d>,
        diagnostics: &mut Diagnostics,
    ) -> PairErrors<'d> {
        let aligned = Aligned::new(pair, settings, corpus, diagnostics);
        let copies = aligned.repeats.then(|| Aligned::with_copies(pair, settings, corpus));
        let spans = span_errors(&aligned);
        let items = corrected(&aligned.items, &spans);
        let has_span_error = with_errors(&aligned.items, &spans);
        let members = |side: Side, entities: usize| {
            Grouped::new(items.iter().map(move |item| item.entity(side)), entities)
        };
        let key_members = members(Side::Key, aligned.key_entities);
        let response_members = members(Side::Response, aligned.response_entities);
        let pronouns = Pronouns::new(items.len());
        let is_pronoun = |item: u32| pronouns.of(item, &items, &aligned);
        let members = (&key_members, &response_members);
        let (errors, pieces) = entity_errors(&items, &is_pronoun, members, &|| corpus.singletons.get());
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

    pub(super) fn corrector(&self) -> Corrector<'_> {
        Corrector {
            items: &self.aligned.items,
            spans_corrected: &self.items,
            span_errors: &self.has_span_error,
            errors: &self.errors,
            by_kind: Grouped::new(self.errors.iter().map(|error| error.kind as u32), COREF_ERRORS.len()),
            key_members: &self.key_members,
            response_members: &self.response_members,
            is_pronoun: Box::new(|item| self.is_pronoun(item)),
        }
    }

    /// Returns whether one of the items is a pronoun.
    pub(super) fn is_pronoun(&self, item: u32) -> bool {
        self.pronouns.of(item, &self.items, &self.aligned)
    }

    /// Returns the response after a correction. Once spans are corrected, mentions of both sides are the key's.
    pub(super) fn document(&self, correction: ErrorCorrection) -> Document {
        let corrected = self.corrector().corrected(correction);
        // Before spans are corrected, the response keeps its own mentions.
        self.made(&corrected, |_| correction == ErrorCorrection::None)
    }

    /// Like [`document`](Self::document), but keeps the response's own copy of each mention that both sides have with
    /// the same words and head: its type and other attributes may differ.
    pub(super) fn document_with_attributes(&self, corrected: &CorrectedPair<'_>) -> Document {
        let mention = |item: &Item, side: Side| self.aligned.mention_on(side, item);
        let keeps =
            |item: &Item| self.aligned.text.are_same(mention(item, Side::Key), mention(item, Side::Response));
        self.made(corrected, keeps)
    }

    /// Returns the response after a correction. `keeps` selects the mentions of both sides for which the response's
    /// copy is used.
    pub(super) fn made(&self, corrected: &CorrectedPair<'_>, keeps: impl Fn(&Item) -> bool) -> Document {
        let mut entities: Vec<Vec<Member>> = vec![Vec::new(); corrected.entities as usize];
        let found =
            corrected.items.iter().zip(corrected.entity.iter()).filter(|(_, entity)| **entity != NONE);
        for (item, &entity) in found {
            let member = match item.key {
                NONE => Member::Response(item.response),
                _ if item.response != NONE && keeps(item) => Member::Response(item.response),
                key => Member::Key(key),
            };
            entities[entity as usize].push(member);
        }
        made(self.aligned.pair, &entities)
    }

    pub(super) fn counts(&self) -> KindCounts {
        let mut counts = KindCounts::default();
        counts.count(CorefErrorKind::SpanError, self.spans.len() as u64);
        self.errors.iter().for_each(|error| counts.count(error.kind, 1));
        counts
    }

    /// Returns the mentions between which links are counted.
    pub(super) fn linked(&self) -> &Aligned<'d> {
        self.copies.as_ref().unwrap_or(&self.aligned)
    }

    pub(super) fn links(&self, tree: Tree, types: &Types<'_, '_>) -> Links {
        let linked = self.linked();
        let members = |side: Side, entities: usize| {
            let entity = move |item: &Item| match place_on(side, item) {
                NONE => NONE,
                _ => item.entity(side),
            };
            Grouped::new(linked.items.iter().map(entity), entities)
        };
        let key = members(Side::Key, linked.key_entities);
        let response = members(Side::Response, linked.response_entities);
        links(linked, (&key, &response), tree, &|item| types.of(item))
    }
}

/// Makes corrected responses: documents with identity only, over the words of the response.
///
/// ```
/// use corefeval_core::analysis::{ErrorCorrection, ResponseCorrector};
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
/// assert_eq!(corrector.response(pair, ErrorCorrection::All).mentions().len(), 4);
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResponseCorrector {
    settings: Settings,
    corpus: CorpusFacts<'static>,
}

impl ResponseCorrector {
    /// Creates a corrector for these documents. The settings decide which mentions count and when two match.
    pub fn new(pairs: &[DocumentPair<'_>], settings: &Settings) -> ResponseCorrector {
        ResponseCorrector { corpus: CorpusFacts::with(pairs, settings, None), settings: settings.clone() }
    }

    /// Returns the corrected response of a pair.
    pub fn response(&self, pair: DocumentPair<'_>, correction: ErrorCorrection) -> Document {
        let errors = PairErrors::new(pair, &self.settings, self.corpus, &mut Diagnostics::default());
        errors.document(correction)
    }
}
