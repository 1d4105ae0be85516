//! Relations of mentions and entities beyond identity: split antecedents, bridging, non-reference.

use super::{EntityId, Mention, Span};

/// The annotation that mentions and entities are read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotation {
    /// Identity of reference.
    #[default]
    Identity,
    /// Reference to events and propositions.
    DiscourseDeixis,
}

/// The relations of a document beyond identity. Most documents have none.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Relations {
    /// Split antecedents.
    pub split_antecedents: Vec<SplitAntecedent>,
    /// Bridging anaphors.
    pub bridges: Vec<Bridge>,
    /// Expressions that look like mentions but do not refer (`it` in "it rains"). Each belongs to a
    /// separate entity, which has a name and no mentions.
    pub non_referring: Vec<Mention>,
}

impl Relations {
    /// Returns the relations moved by `by` words; `entities` gives the new number of each entity.
    pub(crate) fn moved(&self, by: u32, entities: &[EntityId]) -> Relations {
        let entity = |entity: EntityId| entities[entity.index()];
        let spans = |spans: &[Span]| spans.iter().map(|span| span.moved(by)).collect::<Vec<_>>();
        let split = |split: &SplitAntecedent| SplitAntecedent {
            entity: entity(split.entity),
            parts: split.parts.iter().copied().map(entity).collect(),
            line: split.line,
        };
        let bridge = |bridge: &Bridge| Bridge {
            anaphor: spans(&bridge.anaphor),
            antecedent: bridge.antecedent.as_deref().map(spans),
            entity: bridge.entity.map(entity),
            ..bridge.clone()
        };
        Relations {
            split_antecedents: self.split_antecedents.iter().map(split).collect(),
            bridges: self.bridges.iter().map(bridge).collect(),
            non_referring: self.non_referring.iter().map(|mention| mention.moved(by, entities)).collect(),
        }
    }

    /// Appends the relations of another document.
    pub(crate) fn append(&mut self, other: Relations) {
        self.split_antecedents.extend(other.split_antecedents);
        self.bridges.extend(other.bridges);
        self.non_referring.extend(other.non_referring);
    }
}

/// A split antecedent: an entity that is the sum of others ("they" after "Ada" and "the pilot").
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct SplitAntecedent {
    /// The entity that is the sum.
    pub entity: EntityId,
    /// The parts of the sum, in the order of the file.
    pub parts: Vec<EntityId>,
    /// The line of the annotation, from 1.
    pub line: u32,
}

/// A bridging anaphor: "the engine" after "the ferry".
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Bridge {
    /// The words of the anaphor, in runs.
    pub anaphor: Vec<Span>,
    /// The words of the antecedent mention, in runs, if the format identifies one.
    pub antecedent: Option<Vec<Span>>,
    /// The antecedent entity, if the format identifies one.
    pub entity: Option<EntityId>,
    /// The kind of relation; empty if the format does not give one.
    pub relation: String,
    /// The line of the annotation, from 1.
    pub line: u32,
    /// The column of the annotation (in bytes, from 1).
    pub column: u32,
}
