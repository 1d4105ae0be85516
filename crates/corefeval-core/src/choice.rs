//! Choices among named values: one list defines an enum, its names and their help.

/// A choice among named values.
pub(crate) trait Choice: Copy + Sized {
    /// Each name with a line of help.
    const VALUES: &'static [(&'static str, &'static str)];

    /// Returns the name, as typed.
    fn id(self) -> &'static str;

    /// Returns the value of a name.
    fn from_id(id: &str) -> Option<Self>;
}

/// Defines an enum that is a [`Choice`]; with `@table`, implements it for an existing enum.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $id:literal $summary:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* #[doc = $summary] $variant,)* }
        choice!(@table $name { $($variant = $id $summary,)* });
    };
    (@table $name:ident { $($variant:ident = $id:literal $summary:literal,)* }) => {
        impl Choice for $name {
            const VALUES: &'static [(&'static str, &'static str)] = &[$(($id, $summary),)*];
            fn id(self) -> &'static str {
                match self { $($name::$variant => $id,)* }
            }
            fn from_id(id: &str) -> Option<$name> {
                match id { $($id => Some($name::$variant),)* _ => None }
            }
        }
    };
}

pub(crate) use choice;
