//! Rules that affect scores, but not counts.

/// The treatment of halves of BLANC without links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halves {
    /// Halves that have links in the key (the reference scorer).
    #[default]
    Key,
    /// Halves that have links on either side (corefud-scorer).
    Either,
    /// Halves that have links in the key. A key without any gives 1 to a response without non-coreference links, and
    /// otherwise 0 (scorch).
    Scorch,
}

/// The rules that metrics follow when they turn counts into a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The halves of BLANC that count.
    pub blanc_halves: Halves,
}
