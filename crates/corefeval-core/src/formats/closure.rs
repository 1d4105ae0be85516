//! The closure of links: which mentions are in one entity when links join them.

/// Mentions by number, joined into entities.
#[derive(Default)]
pub(super) struct Closure {
    parents: Vec<u32>,
}

impl Closure {
    /// Adds a mention that is linked to none, and returns its number.
    pub(super) fn add(&mut self) -> usize {
        let mention = self.parents.len();
        self.parents.push(u32::try_from(mention).expect("a document has fewer than 2^32 mentions"));
        mention
    }

    /// The mention that stands for the entity of `mention`: the first that was added. Paths are halved
    /// on the way.
    pub(super) fn find(&mut self, mention: usize) -> usize {
        let mut mention = mention;
        while self.parents[mention] as usize != mention {
            self.parents[mention] = self.parents[self.parents[mention] as usize];
            mention = self.parents[mention] as usize;
        }
        mention
    }

    /// Joins two entities.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }

    /// Forgets all mentions.
    pub(super) fn clear(&mut self) {
        self.parents.clear();
    }
}
