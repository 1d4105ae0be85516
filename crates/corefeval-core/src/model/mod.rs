//! The data model: documents of words, mentions and entities.
//!
//! All values are valid by construction: a [`Span`] contains at least one word, a [`Mention`] belongs to an entity of
//! its document, and the mentions of a [`Document`] lie within its words. Reading, pairing and scoring are left to
//! later stages.

mod ace;
mod answer;
mod document;
mod governors;
mod ids;
mod kept;
mod line_numbers;
mod mention;
mod numbering;
mod phrase;
mod relations;
mod span;
#[cfg(feature = "state")]
mod state;
mod words;

pub use ace::{AceEntity, AceHead, AceMention, AceMentionType, AceSection};
pub use answer::{
    AnswerBody, AnswerDocument, AnswerString, Doubt, Mark, MarkedText, Notation, TextAlignment, TextLevel,
    ZeroMark,
};
pub use corefeval_metrics::Side;
pub(crate) use document::AFTER_NUMBER;
pub use document::{Corpus, Document, DocumentBuilder, DocumentId, DocumentPiece, EntityName, Link};
pub(crate) use governors::Governors;
pub use ids::{EntityId, MentionId};
pub(crate) use kept::{KeptLines, LineEnds};
pub use line_numbers::LineNumbers;
pub use mention::{ENTITY_TYPE, MENTION_TYPE, Mention, MentionDetails, OPTIONAL, STATUS};
pub(crate) use numbering::{NameList, NameNumbers, first_equal};
pub use phrase::Phrase;
pub use relations::{Annotation, Bridge, Relations, SplitAntecedent};
pub use span::{Span, SpanEnd};
pub use words::{Dependency, Layers, NameLabel, NewEmptyNode, TextColumn, Words, WordsBuilder};
pub(crate) use words::{LayerLookup, LayersOfWord, Slot};
