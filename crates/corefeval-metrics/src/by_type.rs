//! Selects the types of mentions and entities by which a metric weights them.

/// The types on which the weight of a mention or an entity depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ByType {
    /// No types: all have the same weight.
    One,
    /// The types of mentions.
    MentionType,
    /// The types of entities.
    EntityType,
    /// The types of both mentions and entities.
    Table,
}

impl ByType {
    /// The values of a metric's parameter that select weights by type. They are its last values.
    pub const BY_TYPE: [ByType; 3] = [ByType::MentionType, ByType::EntityType, ByType::Table];

    /// Returns the value of a metric's parameter.
    pub fn id(self) -> &'static str {
        match self {
            ByType::One => "mention",
            ByType::MentionType => "mention-type",
            ByType::EntityType => "entity-type",
            ByType::Table => "table",
        }
    }

    /// Returns the choice for the value `id` of a parameter: one of [`BY_TYPE`](Self::BY_TYPE), otherwise equal weights.
    pub fn of(id: &str) -> ByType {
        ByType::BY_TYPE.into_iter().find(|by| by.id() == id).unwrap_or(ByType::One)
    }

    /// Returns whether the types of mentions matter.
    pub fn mention_types(self) -> bool {
        matches!(self, ByType::MentionType | ByType::Table)
    }

    /// Returns whether the types of entities matter.
    pub fn entity_types(self) -> bool {
        matches!(self, ByType::EntityType | ByType::Table)
    }
}

/// The data on mentions and entities that metrics need in addition to the overlap table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightNeeds {
    /// The weights of mentions by their types.
    pub mention_types: bool,
    /// The weights of entities by their types.
    pub entity_types: bool,
    /// The share of words of aligned mentions.
    pub credit: bool,
}

impl WeightNeeds {
    /// Returns whether no types are needed.
    pub fn is_nothing(self) -> bool {
        self == WeightNeeds::default()
    }

    /// Combines the needs of two metrics.
    #[must_use]
    pub fn or(self, other: WeightNeeds) -> WeightNeeds {
        WeightNeeds {
            mention_types: self.mention_types || other.mention_types,
            entity_types: self.entity_types || other.entity_types,
            credit: self.credit || other.credit,
        }
    }
}
