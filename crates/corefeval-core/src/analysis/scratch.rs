//! Lists of numbers that exist while one document is analysed.
//!
//! A document needs some thirty of them, of a few hundred to a few thousand bytes. Their memory is reused for the next
//! document of the thread, because the allocator takes longer for such sizes than filling the lists does.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// A list of numbers whose memory is reused within its thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch(Vec<u32>);

/// Longer lists are freed, so that one large document does not occupy memory until the end.
const LONGEST: usize = 1 << 16;

/// More lists than this are freed.
const MOST: usize = 64;

thread_local! {
    /// Empty lists with memory.
    static SPARE: RefCell<Vec<Vec<u32>>> = const { RefCell::new(Vec::new()) };
}

impl Scratch {
    /// Creates an empty list.
    pub(super) fn new() -> Scratch {
        // A thread that ends has no spare lists any more.
        let spare = SPARE.try_with(|spare| spare.borrow_mut().pop());
        Scratch(spare.ok().flatten().unwrap_or_default())
    }

    /// Creates a list with `count` times the same number.
    pub(super) fn filled(number: u32, count: usize) -> Scratch {
        let mut list = Scratch::new();
        list.resize(count, number);
        list
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut list = std::mem::take(&mut self.0);
        if list.capacity() == 0 || list.capacity() > LONGEST {
            return;
        }
        list.clear();
        let keep = |spare: &RefCell<Vec<Vec<u32>>>| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MOST {
                spare.push(list);
            }
        };
        let _ = SPARE.try_with(keep);
    }
}

impl Deref for Scratch {
    type Target = Vec<u32>;

    fn deref(&self) -> &Vec<u32> {
        &self.0
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut Vec<u32> {
        &mut self.0
    }
}

impl FromIterator<u32> for Scratch {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Scratch {
        let mut list = Scratch::new();
        list.extend(numbers);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_reused_unless_it_is_large() {
        let first: Scratch = (0..100).collect();
        let (memory, other) = (first.as_ptr(), Scratch::filled(7, 3));
        assert_eq!(*other, [7, 7, 7]);
        drop(first);
        let second = Scratch::new();
        assert_eq!((second.as_ptr(), second.len()), (memory, 0));
        drop(Scratch::filled(1, LONGEST + 1));
        assert_eq!(Scratch::new().capacity(), 0);
    }

    #[test]
    fn copies_have_their_own_memory() {
        let list = Scratch::filled(1, 10);
        let mut copy = list.clone();
        copy[0] = 2;
        assert_eq!((list[0], copy[0]), (1, 2));
    }
}
