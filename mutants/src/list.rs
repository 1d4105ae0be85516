//! The mutants that cargo-mutants lists.

use serde::Deserialize;

/// A mutant: the text in a span is replaced by another.
#[derive(Debug, Deserialize)]
pub struct Mutant {
    /// The path of the file from the root of the tree.
    pub file: String,
    /// The kind of the mutated place.
    pub genre: Genre,
    /// The new text: an operator, a value that a function returns, or nothing.
    pub replacement: String,
    /// The place.
    pub span: Span,
}

/// A kind of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Genre {
    /// The body of a function, which returns a value at once.
    FnValue,
    /// An operator between two values.
    BinaryOperator,
    /// An operator before a value, which is deleted.
    UnaryOperator,
    /// An arm of a `match`, which is deleted.
    MatchArm,
    /// The guard of an arm, which becomes `true` or `false`.
    MatchArmGuard,
    /// A field before the base of a struct expression, which is deleted.
    StructField,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Span {
    /// The first character.
    pub start: Position,
}

/// A line and a column, both from 1; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}
