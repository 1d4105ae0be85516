//! Union-find: groups of elements joined by links.

/// Numbered elements, joined into groups.
#[derive(Default)]
pub(crate) struct Closure {
    parents: Vec<usize>,
}

impl Closure {
    /// Creates `count` elements, each in a separate set.
    pub(crate) fn new(count: usize) -> Closure {
        Closure { parents: (0..count).collect() }
    }

    /// Adds an element that is not linked to any other, and returns its number.
    pub(crate) fn add(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    /// Returns the representative of the group of `thing`: its first member. Paths are halved on the way.
    pub(crate) fn find(&mut self, mut thing: usize) -> usize {
        while self.parents[thing] != thing {
            self.parents[thing] = self.parents[self.parents[thing]];
            thing = self.parents[thing];
        }
        thing
    }

    /// Joins two groups.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// Removes all elements.
    pub(crate) fn clear(&mut self) {
        self.parents.clear();
    }
}
