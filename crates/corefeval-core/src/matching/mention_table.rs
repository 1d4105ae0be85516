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
    /// The mentions, sorted by start, end, and number of words.
    pub mentions: Vec<TableMention>,
    runs: Vec<Span>,
    /// The class of the other side that each class is paired with, or `u32::MAX`.
    partner: Vec<u32>,
    /// The class of the other side with the same words, for each class, or `u32::MAX`.
    equal: Vec<u32>,
    /// The entity in which each class counts: the last entity that contains it.
    entity: Vec<u32>,
    /// The words of the first non-referring expression of each kind, in runs.
    pub non_referring: Vec<Vec<Span>>,
    /// The bridging relations with two known ends, the last one of each anaphor.
    pub bridges: Vec<TableBridge>,
    /// The links between classes as written in the file, if the file writes links: each link once, with the smaller
    /// class first. Links are left out if both ends are one mention, or if an end is not scored.
    pub links: Option<Vec<(u32, u32)>>,
}

/// A bridging relation from an anaphor to the mention through which it is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableBridge {
    /// The words of the anaphor, in runs.
    pub anaphor: Vec<Span>,
    /// The words of the antecedent, in runs.
    pub antecedent: Vec<Span>,
}

/// A mention of the table.
#[derive(Clone, Copy, Debug)]
pub struct TableMention {
    /// The class of the mention. Identical mentions of one side have the same class.
    pub class: u32,
    /// The entity of the mention, numbered as in the overlap table.
    pub entity: u32,
    /// True if the head of the mention is not in the text.
    pub zero: bool,
    /// The first word.
    pub start: u32,
    /// One past the last word.
    pub end: u32,
    /// The position of the mention in the selection.
    pub(super) index: u32,
    pub(super) runs: (u32, u32),
}

impl TableSide {
    /// Creates the table of a side. `ranks` defines the order of entities; it may be empty if no mention is in
    /// two entities.
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

    /// Returns the words of a mention, in runs.
    pub fn runs(&self, mention: &TableMention) -> &[Span] {
        &self.runs[mention.runs.0 as usize..mention.runs.1 as usize]
    }

    /// Returns the entity of the mention with these `words`.
    pub fn entity_of(&self, words: &[Span]) -> Option<u32> {
        self.class_of(words).map(|class| self.entity(class))
    }

    /// Returns the class of the mention with these `words`.
    pub fn class_of(&self, words: &[Span]) -> Option<u32> {
        let (start, end) = (words.first()?.start(), words.last()?.end());
        let from = self.mentions.partition_point(|mention| (mention.start, mention.end) < (start, end));
        let near =
            self.mentions[from..].iter().take_while(|mention| (mention.start, mention.end) == (start, end));
        let found = near.into_iter().find(|mention| self.runs(mention) == words)?;
        Some(found.class)
    }

    /// Returns the number of classes.
    pub fn classes(&self) -> usize {
        self.entity.len()
    }

    /// Returns the class of the other side that a class is paired with.
    pub fn partner(&self, class: u32) -> Option<u32> {
        Some(self.partner[class as usize]).filter(|&partner| partner != u32::MAX)
    }

    /// Returns the class of the other side that is the same mention, regardless of pairs.
    pub fn equal(&self, class: u32) -> Option<u32> {
        Some(self.equal[class as usize]).filter(|&equal| equal != u32::MAX)
    }

    /// Returns the entity in which a class counts.
    pub fn entity(&self, class: u32) -> u32 {
        self.entity[class as usize]
    }
}
