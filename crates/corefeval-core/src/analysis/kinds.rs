//! Lists the kinds of errors in one table, which counts, options and outputs read.

use crate::model::Side;

/// A kind of error. The first seven come from Kummerfeld and Klein (2013), the last two from Martschat and Strube
/// (2014).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CorefErrorKind {
    /// The words of a response mention differ from those of its key mention.
    SpanError,
    /// A mention was put in an entity with mentions of another.
    ConflatedEntities,
    /// A mention of the response is not in the key.
    ExtraMention,
    /// An entity of the response is not in the key.
    ExtraEntity,
    /// Mentions of one key entity are in several response entities.
    DividedEntity,
    /// A mention of the key is not in the response.
    MissingMention,
    /// An entity of the key is not in the response.
    MissingEntity,
    /// A recall error: no earlier mention of its key entity is with the mention in the response.
    MissedLink,
    /// A precision error: no earlier mention of its response entity is with the mention in the key.
    WrongLink,
}

/// One row of the table of kinds.
#[derive(Debug)]
pub struct CorefErrorSpec {
    /// The kind.
    pub kind: CorefErrorKind,
    /// The id, which is also the key in JSON.
    pub id: &'static str,
    /// The label.
    pub label: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The side of the entity that the error concerns.
    pub side: Side,
    /// The words that pages put between the mention of an error and its other mention; `None` for kinds without one.
    pub relation: Option<&'static str>,
}

/// All kinds. The first seven are in the order in which they are corrected in sequence.
pub static COREF_ERRORS: &[CorefErrorSpec] = &[
    CorefErrorSpec {
        kind: CorefErrorKind::SpanError,
        id: "span_error",
        label: "Span error",
        summary: "a response mention whose words or head differ from those of its key mention",
        side: Side::Response,
        relation: Some("should be"),
    },
    CorefErrorSpec {
        kind: CorefErrorKind::ConflatedEntities,
        id: "conflated_entities",
        label: "Conflated entities",
        summary: "mentions of one response entity that do not belong together in the key",
        side: Side::Response,
        relation: Some("mixed with"),
    },
    CorefErrorSpec {
        kind: CorefErrorKind::ExtraMention,
        id: "extra_mention",
        label: "Extra mention",
        summary: "a response mention that is not in the key",
        side: Side::Response,
        relation: Some("put into the entity of"),
    },
    CorefErrorSpec {
        kind: CorefErrorKind::ExtraEntity,
        id: "extra_entity",
        label: "Extra entity",
        summary: "a response entity that is not in the key",
        side: Side::Response,
        relation: None,
    },
    CorefErrorSpec {
        kind: CorefErrorKind::DividedEntity,
        id: "divided_entity",
        label: "Divided entity",
        summary: "mentions of one key entity in several response entities",
        side: Side::Key,
        relation: Some("parted from"),
    },
    CorefErrorSpec {
        kind: CorefErrorKind::MissingMention,
        id: "missing_mention",
        label: "Missing mention",
        summary: "a key mention that is not in the response",
        side: Side::Key,
        relation: Some("not in the entity of"),
    },
    CorefErrorSpec {
        kind: CorefErrorKind::MissingEntity,
        id: "missing_entity",
        label: "Missing entity",
        summary: "a key entity that is not in the response",
        side: Side::Key,
        relation: None,
    },
    CorefErrorSpec {
        kind: CorefErrorKind::MissedLink,
        id: "missed_link",
        label: "Missed link",
        summary: "recall error: a key mention without any of its correct antecedents",
        side: Side::Key,
        relation: Some("not linked to"),
    },
    CorefErrorSpec {
        kind: CorefErrorKind::WrongLink,
        id: "wrong_link",
        label: "Wrong link",
        summary: "precision error: a response mention whose antecedents are all wrong",
        side: Side::Response,
        relation: Some("wrongly linked to"),
    },
];

impl CorefErrorKind {
    /// The seven kinds that turn a response into the key, in the order in which they are corrected.
    pub const TRANSFORM: [CorefErrorKind; 7] = [
        CorefErrorKind::SpanError,
        CorefErrorKind::ConflatedEntities,
        CorefErrorKind::ExtraMention,
        CorefErrorKind::ExtraEntity,
        CorefErrorKind::DividedEntity,
        CorefErrorKind::MissingMention,
        CorefErrorKind::MissingEntity,
    ];

    /// Returns the row of this kind.
    pub fn spec(self) -> &'static CorefErrorSpec {
        &COREF_ERRORS[self as usize]
    }

    /// Returns the id, which is also the key in JSON.
    pub fn id(self) -> &'static str {
        self.spec().id
    }

    /// Returns whether this is an error of a link, which has an anaphor and an antecedent.
    pub fn is_link(self) -> bool {
        matches!(self, CorefErrorKind::MissedLink | CorefErrorKind::WrongLink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_kinds() {
        for (place, spec) in COREF_ERRORS.iter().enumerate() {
            assert_eq!(spec.kind as usize, place, "{}", spec.id);
            assert_eq!(spec.kind.spec().id, spec.id);
        }
        assert_eq!(CorefErrorKind::TRANSFORM.map(|kind| kind as usize), [0, 1, 2, 3, 4, 5, 6]);
        for spec in COREF_ERRORS {
            assert_ne!(spec.kind.is_link(), CorefErrorKind::TRANSFORM.contains(&spec.kind), "{}", spec.id);
        }
    }
}
