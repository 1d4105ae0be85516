//! Dense integer ids: the position of an entity or a mention in its document's list.

macro_rules! index_type {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(u32);

        impl $name {
            /// Creates the id at `index`. Panics beyond 2³² − 2, which no document in memory reaches.
            pub fn new(index: usize) -> Self {
                assert!(index < u32::MAX as usize, "more than 2^32 - 2 items in one document");
                $name(index as u32)
            }

            /// Returns the position in the document's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index_type! {
    /// An entity of one document.
    EntityId
}
index_type! {
    /// A mention of one document.
    MentionId
}
