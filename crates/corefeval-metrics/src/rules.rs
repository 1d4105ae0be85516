//! Rules that affect scores, but not counts.

/// The treatment of halves of BLANC without links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halves {
    /// Halves with links in the key count (the reference scorer).
    #[default]
    Key,
    /// Halves with links on either side count (corefud-scorer).
    Either,
    /// Halves with links in the key count. A key without any links gives 1 to a response without non-coreference
    /// links, and otherwise 0 (scorch).
    Scorch,
}

/// The rules by which metrics turn counts into a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The halves of BLANC that are counted.
    pub blanc_halves: Halves,
}
