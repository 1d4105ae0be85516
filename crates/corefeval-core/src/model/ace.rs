//! ACE's annotation of a text, in characters, from which ACE-value is computed.
//!
//! The mentions of the model are words; ACE tells mentions by the characters of their heads, and gives
//! entities and mentions attributes that its metrics compare. Both are kept side by side: a mention
//! whose characters are no word is here alone.

use std::ops::Range;

use super::EntityId;

/// The ACE annotation of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceSection {
    /// Where the text is from (`newswire`); empty where the file does not say.
    pub source: String,
    /// The entities that have a mention in it, each once.
    pub entities: Vec<AceEntity>,
}

/// What a text says of an entity. Other texts may say other things of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceEntity {
    /// The entity of the document.
    pub entity: EntityId,
    /// `PER`, `ORG`, …
    pub kind: String,
    /// `Individual`, `Nation`, …
    pub subtype: Option<String>,
    /// `SPC`, `GEN`, `NEG` or `USP`.
    pub class: Option<String>,
    /// The names that the annotation lists.
    pub names: Vec<String>,
    /// At least one.
    pub mentions: Vec<AceMention>,
}

/// A mention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceMention {
    /// Name, nominal or pronoun.
    pub kind: AceMentionType,
    /// What it is used for; the type of its entity where nothing else is said.
    pub role: Option<String>,
    /// Whether it is a metonym (`Washington` for a government).
    pub metonymic: bool,
    /// Identifies the mention; without a head it cannot match.
    pub head: Option<AceHead>,
}

/// The head of a mention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceHead {
    /// Its characters, at least one.
    pub characters: Range<u32>,
    /// What the annotation says that they are.
    pub text: String,
}

/// The types of mentions, by weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub enum AceMentionType {
    /// A name.
    Nam,
    /// A common noun; premodifiers (`PRE`) count here.
    Nom,
    /// A pronoun.
    Pro,
}

impl AceMentionType {
    /// All of them.
    pub const ALL: [AceMentionType; 3] = [AceMentionType::Nam, AceMentionType::Nom, AceMentionType::Pro];

    /// As ACE writes it.
    pub fn id(self) -> &'static str {
        match self {
            AceMentionType::Nam => "NAM",
            AceMentionType::Nom => "NOM",
            AceMentionType::Pro => "PRO",
        }
    }
}

impl AceSection {
    /// The same section where `entities` gives the new number of each entity.
    pub(crate) fn moved(&self, entities: &[EntityId]) -> AceSection {
        let mut moved = self.clone();
        for entity in &mut moved.entities {
            entity.entity = entities[entity.entity.index()];
        }
        moved
    }
}
