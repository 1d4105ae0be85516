//! ACE's annotation of a text by characters, from which ACE-value is computed.
//!
//! In the model, mentions are sets of words. ACE identifies mentions by the characters of their heads, and its metrics
//! compare attributes of entities and mentions. Both are stored here. A mention whose characters do not form a word is
//! stored only here.

use std::ops::Range;

use super::EntityId;

/// The ACE annotation of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceSection {
    /// The source of the text (`newswire`); empty if the file does not give one.
    pub source: String,
    /// The entities that have a mention in the text, each once.
    pub entities: Vec<AceEntity>,
}

/// The annotation of an entity in one text, which may differ from its annotation in other texts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceEntity {
    /// The entity in the document.
    pub entity: EntityId,
    /// The type: `PER`, `ORG`, …
    pub kind: String,
    /// The subtype: `Individual`, `Nation`, …
    pub subtype: Option<String>,
    /// The class: `SPC`, `GEN`, `NEG` or `USP`.
    pub class: Option<String>,
    /// The names that the annotation lists for the entity.
    pub names: Vec<String>,
    /// Its mentions, at least one.
    pub mentions: Vec<AceMention>,
}

/// A mention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceMention {
    /// The type: name, nominal or pronoun.
    pub kind: AceMentionType,
    /// The role of the mention; by default the type of its entity.
    pub role: Option<String>,
    /// True if it is a metonym (`Washington` for a government).
    pub metonymic: bool,
    /// Identifies the mention; without a head it cannot match.
    pub head: Option<AceHead>,
}

/// The head of a mention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct AceHead {
    /// The characters of the head, at least one.
    pub characters: Range<u32>,
    /// The text of these characters in the annotation.
    pub text: String,
}

impl AceHead {
    /// Returns whether the head has no characters, which no valid head has.
    pub(super) fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }
}

/// The types of mentions, in order of weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub enum AceMentionType {
    /// A name.
    Nam,
    /// A common noun, including premodifiers (`PRE`).
    Nom,
    /// A pronoun.
    Pro,
}

impl AceMentionType {
    /// All types of mentions.
    pub const ALL: [AceMentionType; 3] = [AceMentionType::Nam, AceMentionType::Nom, AceMentionType::Pro];

    /// Returns the type that some version of ACE writes as `name`.
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
