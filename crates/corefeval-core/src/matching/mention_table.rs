//! The table of aligned mentions, for the few metrics that need more than the overlap table.

use crate::model::Span;

/// The mentions of both sides, in the order of the document, with their partners.
#[derive(Clone, Debug, Default)]
pub struct MentionTable {
    /// The mentions of the key.
    pub key: TableSide,
    /// The mentions of the response.
    pub response: TableSide,
}

/// The mentions of one side.
#[derive(Clone, Debug, Default)]
pub struct TableSide {
    /// Sorted by start, end, and number of words.
    pub mentions: Vec<TableMention>,
    runs: Vec<Span>,
    /// For each class, the class of the other side that it is paired with, or `u32::MAX`.
    partner: Vec<u32>,
    /// For each class, the class of the other side with the same words, or `u32::MAX`.
    equal: Vec<u32>,
    /// For each class, the entity it counts in: the last that contains it.
    entity: Vec<u32>,
    /// The words of the first non-referring expression of each kind, in runs.
    pub non_referring: Vec<Vec<Span>>,
    /// The bridges with two known ends, the last of each anaphor.
    pub bridges: Vec<TableBridge>,
    /// The links between classes as the file writes them, if it does: each once, with the smaller class first. Links
    /// whose ends are one mention, or are not scored, are left out.
    pub links: Option<Vec<(u32, u32)>>,
}

/// A bridge from an anaphor to the mention through which it is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableBridge {
    /// The words of the anaphor, in runs.
    pub anaphor: Vec<Span>,
    /// The words of the antecedent, in runs.
    pub antecedent: Vec<Span>,
}

/// A mention.
#[derive(Clone, Copy, Debug)]
pub struct TableMention {
    /// Identical mentions of one side have the same class.
    pub class: u32,
    /// Its entity, numbered as in the overlap table.
    pub entity: u32,
    /// Whether its head is not in the text.
    pub zero: bool,
    /// The first word.
    pub start: u32,
    /// One past the last word.
    pub end: u32,
    /// Its place in the selection.
    pub(super) index: u32,
    pub(super) runs: (u32, u32),
}

impl TableSide {
    /// Creates the table of a side. `ranks` puts the entities in order; it may be empty if no mention is in two.
    pub(super) fn new(
        mentions: Vec<TableMention>,
        runs: Vec<Span>,
        partner: Vec<u32>,
        equal: Vec<u32>,
        ranks: &[u32],
    ) -> TableSide {
        let mut entity = vec![u32::MAX; partner.len()];
        for mention in &mentions {
            let known = &mut entity[mention.class as usize];
            let rank = |entity: u32| ranks.get(entity as usize).copied().unwrap_or(0);
            if *known == u32::MAX || rank(*known) < rank(mention.entity) {
                *known = mention.entity;
            }
        }
        TableSide { mentions, runs, partner, equal, entity, ..TableSide::default() }
    }

    /// The words of a mention, in runs.
    pub fn runs(&self, mention: &TableMention) -> &[Span] {
        &self.runs[mention.runs.0 as usize..mention.runs.1 as usize]
    }

    /// The entity of the mention with these `words`.
    pub fn entity_of(&self, words: &[Span]) -> Option<u32> {
        self.class_of(words).map(|class| self.entity(class))
    }

    /// The class of the mention with these `words`.
    pub fn class_of(&self, words: &[Span]) -> Option<u32> {
        let (start, end) = (words.first()?.start(), words.last()?.end());
        let from = self.mentions.partition_point(|mention| (mention.start, mention.end) < (start, end));
        let near =
            self.mentions[from..].iter().take_while(|mention| (mention.start, mention.end) == (start, end));
        let found = near.into_iter().find(|mention| self.runs(mention) == words)?;
        Some(found.class)
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.entity.len()
    }

    /// The class of the other side that a class is paired with.
    pub fn partner(&self, class: u32) -> Option<u32> {
        Some(self.partner[class as usize]).filter(|&partner| partner != u32::MAX)
    }

    /// The class of the other side that is the same mention, regardless of pairs.
    pub fn equal(&self, class: u32) -> Option<u32> {
        Some(self.equal[class as usize]).filter(|&equal| equal != u32::MAX)
    }

    /// The entity that a class counts in.
    pub fn entity(&self, class: u32) -> u32 {
        self.entity[class as usize]
    }
}
