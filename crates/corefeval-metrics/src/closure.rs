//! Union-find: groups of elements joined by links.

/// Numbered elements, joined into groups.
///
/// ```
/// use corefeval_metrics::Closure;
///
/// let mut groups = Closure::new(4);
/// groups.join(3, 1);
/// assert_eq!(groups.find(3), 1);
/// assert_eq!((groups.add(), groups.find(4)), (4, 4));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Closure {
    /// For each element, an earlier one of its group; itself for the first.
    parents: Vec<u32>,
}

impl Closure {
    /// Creates `count` elements, each in a separate group.
    ///
    /// # Panics
    ///
    /// If `count` does not fit in 32 bits.
    pub fn new(count: usize) -> Closure {
        let count = u32::try_from(count).expect("elements are numbered with 32 bits");
        Closure { parents: (0..count).collect() }
    }

    /// Adds an element that is not linked to any other, and returns its number.
    ///
    /// # Panics
    ///
    /// If its number does not fit in 32 bits.
    pub fn add(&mut self) -> usize {
        let number = self.parents.len();
        self.parents.push(u32::try_from(number).expect("elements are numbered with 32 bits"));
        number
    }

    /// Returns the representative of the group of an element: its first member. Paths are halved on the way.
    ///
    /// # Panics
    ///
    /// If there is no element with this number.
    #[inline]
    pub fn find(&mut self, element: usize) -> usize {
        let mut element = element as u32;
        loop {
            let above = self.parents[element as usize];
            if above == element {
                return element as usize;
            }
            let next = self.parents[above as usize];
            self.parents[element as usize] = next;
            element = next;
        }
    }

    /// Joins two groups.
    ///
    /// # Panics
    ///
    /// If one of the elements does not exist.
    #[inline]
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.parents.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_agree_with_a_plain_twin() {
        let mut random = 3_u64;
        let mut below = |count: usize| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as usize % count
        };
        for _ in 0..200 {
            let count = 1 + below(30);
            let mut groups = Closure::new(count / 2);
            (count / 2..count).for_each(|number| assert_eq!(groups.add(), number));
            let mut plain: Vec<usize> = (0..count).collect();
            for _ in 0..below(2 * count) {
                let (one, other) = (below(count), below(count));
                groups.join(one, other);
                let (first, second) = (plain[one].min(plain[other]), plain[one].max(plain[other]));
                plain.iter_mut().filter(|group| **group == second).for_each(|group| *group = first);
            }
            assert!((0..count).all(|number| groups.find(number) == plain[number]));
        }
        let mut groups = Closure::new(3);
        groups.clear();
        assert_eq!(groups.add(), 0);
    }
}
