//! Lists that exist while one document is analysed: numbers, mentions, errors.
//!
//! A document needs some fifty of them, of a few hundred to a few thousand bytes. Their memory is reused for the next
//! document of the thread, because the allocator takes longer for such sizes than filling the lists does.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
use std::thread::LocalKey;

/// A list whose memory is reused within its thread.
#[derive(Clone, Debug)]
pub(crate) struct Scratch<T: Spare = u32>(Vec<T>);

/// Longer lists are freed, so that one large document does not occupy memory until the end.
const LONGEST: usize = 1 << 16;

/// More lists than this are freed.
const MOST: usize = 64;

/// Empty lists with memory.
pub(crate) type SpareLists<T> = RefCell<Vec<Vec<T>>>;

/// A type of items for which each thread keeps empty lists: see [`spare_lists`].
pub(crate) trait Spare: Sized + 'static {
    /// Returns the empty lists of the thread.
    fn lists() -> &'static LocalKey<SpareLists<Self>>;
}

/// Keeps empty lists of these types in each thread.
macro_rules! spare_lists {
    ($($type:ty),+ $(,)?) => {
        $(impl $crate::scratch::Spare for $type {
            fn lists() -> &'static std::thread::LocalKey<$crate::scratch::SpareLists<Self>> {
                thread_local! {
                    static LISTS: $crate::scratch::SpareLists<$type> =
                        const { std::cell::RefCell::new(Vec::new()) };
                }
                &LISTS
            }
        })+
    };
}
pub(crate) use spare_lists;

spare_lists!(bool, u32, u64, (u32, bool), (u32, bool, u32), ((u32, u32, u32), usize), Cell<Option<bool>>);

impl<T: Spare> Scratch<T> {
    /// Creates an empty list.
    pub(crate) fn new() -> Scratch<T> {
        // A thread that ends has no spare lists any more.
        let spare = T::lists().try_with(|spare| spare.borrow_mut().pop());
        Scratch(spare.ok().flatten().unwrap_or_default())
    }

    /// Creates a list with `count` times the same item.
    pub(crate) fn filled(item: T, count: usize) -> Scratch<T>
    where
        T: Clone,
    {
        let mut list = Scratch::new();
        list.resize(count, item);
        list
    }
}

impl<T: Spare> Default for Scratch<T> {
    /// Creates an empty list without memory.
    fn default() -> Scratch<T> {
        Scratch(Vec::new())
    }
}

impl<T: Spare> Drop for Scratch<T> {
    fn drop(&mut self) {
        let mut list = std::mem::take(&mut self.0);
        if list.capacity() == 0 || list.capacity() > LONGEST {
            return;
        }
        list.clear();
        let keep = |spare: &SpareLists<T>| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MOST {
                spare.push(list);
            }
        };
        let _ = T::lists().try_with(keep);
    }
}

impl<T: Spare> Deref for Scratch<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Spare> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<'s, T: Spare> IntoIterator for &'s Scratch<T> {
    type Item = &'s T;
    type IntoIter = std::slice::Iter<'s, T>;

    fn into_iter(self) -> std::slice::Iter<'s, T> {
        self.0.iter()
    }
}

impl<T: Spare> FromIterator<T> for Scratch<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Scratch<T> {
        let mut list = Scratch::new();
        list.extend(items);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_reused_unless_it_is_large() {
        let first: Scratch = (0..100).collect();
        let (memory, other) = (first.as_ptr(), Scratch::filled(7_u32, 3));
        assert_eq!(*other, [7, 7, 7]);
        drop(first);
        let second = Scratch::new();
        assert_eq!((second.as_ptr(), second.len()), (memory, 0));
        drop(Scratch::filled(1_u32, LONGEST + 1));
        assert_eq!(Scratch::<u32>::new().capacity(), 0);
    }

    #[test]
    fn copies_have_their_own_memory() {
        let list = Scratch::filled(1_u32, 10);
        let mut copy = list.clone();
        copy[0] = 2;
        assert_eq!((list[0], copy[0]), (1, 2));
    }
}
