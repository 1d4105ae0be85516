//! ACE's annotation of a text in characters. ACE-value is computed from it.
//!
//! In the model, mentions are sets of words. ACE identifies mentions by the characters of their heads, and gives
//! entities and mentions attributes that its metrics compare. Both are stored. A mention whose characters do not form a
//! word is stored only here.

use std::ops::Range;

use super::EntityId;

/// The ACE annotation of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceSection {
    /// The source of the text (`newswire`); empty if the file does not give one.
    pub source: String,
    /// The entities that have a mention in it, each once.
    pub entities: Vec<AceEntity>,
}

/// The annotation of an entity in one text, which may differ from that in other texts.
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
    /// Its mentions, at least one.
    pub mentions: Vec<AceMention>,
}

/// A mention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceMention {
    /// Name, nominal or pronoun.
    pub kind: AceMentionType,
    /// Its role; by default the type of its entity.
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
    /// The text of these characters in the annotation.
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
    /// All types of mentions.
    pub const ALL: [AceMentionType; 3] = [AceMentionType::Nam, AceMentionType::Nom, AceMentionType::Pro];

    /// The type that a version of ACE writes as `name`.
    pub fn written(name: &str) -> Option<AceMentionType> {
        match name {
            "NAM" | "NAME" => Some(AceMentionType::Nam),
            "NOM" | "NOMINAL" | "PRE" => Some(AceMentionType::Nom),
            "PRO" | "PRONOUN" => Some(AceMentionType::Pro),
            _ => None,
        }
    }

    /// Returns the name that ACE uses.
    pub fn id(self) -> &'static str {
        match self {
            AceMentionType::Nam => "NAM",
            AceMentionType::Nom => "NOM",
            AceMentionType::Pro => "PRO",
        }
    }
}

impl AceSection {
    /// Returns the section with renumbered entities; `entities` gives the new number of each entity.
    pub(crate) fn moved(&self, entities: &[EntityId]) -> AceSection {
        let mut moved = self.clone();
        for entity in &mut moved.entities {
            entity.entity = entities[entity.entity.index()];
        }
        moved
    }
}
