//! Which types of mentions and entities a metric weighs.

/// What the weight of a mention or an entity depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// Nothing: all weigh the same.
    One,
    /// The types of mentions.
    MentionType,
    /// The types of entities.
    EntityType,
    /// Both.
    Table,
}

impl By {
    /// The values of a metric's parameter that select weights by type; they are its last values.
    pub const BY_TYPE: [By; 3] = [By::MentionType, By::EntityType, By::Table];

    /// The value of a metric's parameter.
    pub fn id(self) -> &'static str {
        match self {
            By::One => "mention",
            By::MentionType => "mention-type",
            By::EntityType => "entity-type",
            By::Table => "table",
        }
    }

    /// What the value `id` of a parameter selects: one of [`BY_TYPE`](Self::BY_TYPE), or else equal weights.
    pub fn of(id: &str) -> By {
        By::BY_TYPE.into_iter().find(|by| by.id() == id).unwrap_or(By::One)
    }

    /// Whether the types of mentions matter.
    pub fn mention_types(self) -> bool {
        matches!(self, By::MentionType | By::Table)
    }

    /// Whether the types of entities matter.
    pub fn entity_types(self) -> bool {
        matches!(self, By::EntityType | By::Table)
    }
}

/// What metrics need to know of mentions and entities beside the overlap table.
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
    /// Whether nothing is needed.
    pub fn is_nothing(self) -> bool {
        self == WeightNeeds::default()
    }

    /// Whatever either needs.
    #[must_use]
    pub fn or(self, other: WeightNeeds) -> WeightNeeds {
        WeightNeeds {
            mention_types: self.mention_types || other.mention_types,
            entity_types: self.entity_types || other.entity_types,
            credit: self.credit || other.credit,
        }
    }
}
