//! Declarations of structs for TypeScript, written next to the structs.

use std::collections::BTreeMap;

use serde_json::Value;

/// Declarations by name.
#[derive(Default)]
pub struct Declarations(BTreeMap<&'static str, String>);

impl Declarations {
    /// Adds the declaration of a struct, unless it exists: members with descriptions.
    pub fn add(
        &mut self,
        name: &'static str,
        about: &str,
        members: impl FnOnce(&mut Self) -> String,
    ) -> String {
        if !self.0.contains_key(name) {
            // The name is taken first, for structs that contain themselves.
            self.0.insert(name, String::new());
            let members = members(self);
            self.0.insert(name, format!("/**{about} */\nexport interface {name} {{\n{members}}}\n"));
        }
        name.to_owned()
    }

    /// All declarations, by name.
    pub fn text(&self) -> String {
        self.0.values().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// A type that TypeScript has under a name.
pub trait Declared {
    /// Declares the type and all types that it contains, and returns its name.
    fn declare(into: &mut Declarations) -> String;
}

/// Types that TypeScript has.
macro_rules! plain {
    ($($name:literal: $($type:ty),+;)*) => {
        $($(impl Declared for $type {
            fn declare(_: &mut Declarations) -> String {
                $name.to_owned()
            }
        })+)*
    };
}

plain! {
    "string": String, &'static str;
    "number": f64, u32, u8;
    "boolean": bool;
    "unknown": Value;
}

impl<T: Declared> Declared for Vec<T> {
    fn declare(into: &mut Declarations) -> String {
        format!("Array<{}>", T::declare(into))
    }
}

impl<T: Declared> Declared for Option<T> {
    fn declare(into: &mut Declarations) -> String {
        format!("{} | null", T::declare(into))
    }
}

impl<T: Declared> Declared for BTreeMap<String, T> {
    fn declare(into: &mut Declarations) -> String {
        format!("Record<string, {}>", T::declare(into))
    }
}

/// Defines structs that requests and answers are made of, each with its declaration. Members that a request leaves out
/// have their defaults.
macro_rules! declared {
    ($($(#[doc = $about:literal])+ $(#[$meta:meta])* pub struct $name:ident { $($(#[doc = $what:literal])+ pub $field:ident: $type:ty,)* })+) => {
        $(
            $(#[doc = $about])+
            $(#[$meta])*
            #[derive(Debug)]
            pub struct $name { $($(#[doc = $what])+ pub $field: $type,)* }

            impl $crate::declare::Declared for $name {
                fn declare(into: &mut $crate::declare::Declarations) -> String {
                    into.add(stringify!($name), concat!($($about),+), |_into| {
                        #[allow(unused_mut, reason = "a request may have no members")]
                        let mut members = String::new();
                        $(
                            let type_name = <$type as $crate::declare::Declared>::declare(_into);
                            members += concat!("  /**", $($what,)+ " */\n");
                            members += &format!("  {}: {};\n", stringify!($field), type_name);
                        )*
                        members
                    })
                }
            }
        )+
    };
}

pub(crate) use declared;
