//! Rules about scores, as opposed to counts.

/// Which halves of BLANC count if one has no links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halves {
    /// Halves that have links in the key (the reference scorer).
    #[default]
    Key,
    /// Halves that have links on either side (corefud-scorer).
    Either,
}

/// The rules that metrics follow when they turn counts into a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Which halves of BLANC count.
    pub blanc_halves: Halves,
}
