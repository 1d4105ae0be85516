//! Texts of findings and errors, in parts that each front end words differently.
//!
//! Messages of the library name options, places and items in the data. The command writes `--check-tokens no`, Python
//! `check_tokens="no"`; a file has lines, a list has entities. A [`Text`] therefore contains [`Part`]s, and a
//! [`Wording`] turns them into words. [`Command`] is the wording of the command line, of JSON and of `to_string`.
//! [`Teams`] is the wording of a shared task, where others set the options.
//!
//! ```
//! use corefeval_core::text;
//! use corefeval_core::wording::{option_value, quoted};
//!
//! let text = text!("the words of {} differ; {} silences this", quoted("d"), option_value("check-tokens", "no"));
//! assert_eq!(text.to_string(), "the words of `d` differ; --check-tokens no silences this");
//! ```
//!
//! Ids, words and names of files are untrusted. Control characters and marks that change the direction of text are
//! [escaped](inert) in all messages and front ends.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

/// A place in a file. Lines and columns count from 1, columns in bytes; 0 means the whole file or line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file as it was named, or `-` for standard input.
    pub source: Arc<str>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column in bytes, from 1; 0 for the whole line.
    pub column: u32,
}

impl Position {
    /// Returns a place in `source`.
    pub fn new(source: &Arc<str>, line: u32, column: u32) -> Position {
        Position { source: Arc::clone(source), line, column }
    }

    /// Returns the place of byte `offset` of `text`, the content of `source`.
    pub(crate) fn in_text(source: &Arc<str>, text: &str, offset: usize) -> Position {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Position::new(source, line as u32, (before.len() - start) as u32 + 1)
    }

    /// Returns the position as a list of source, line and column.
    pub fn to_json(&self) -> Value {
        json!([&*self.source, self.line, self.column])
    }

    /// Returns the position that [`to_json`](Self::to_json) wrote.
    pub fn from_json(value: &Value) -> Option<Position> {
        let number = |place: usize| u32::try_from(value.get(place)?.as_u64()?).ok();
        Some(Position::new(&Arc::from(value.get(0)?.as_str()?), number(1)?, number(2)?))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&inert(&self.source))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

/// Returns a text with control characters and characters that change the direction of text replaced by `\n`, `\u{1b}`
/// or `\u{202e}`, so that a terminal only displays it.
///
/// ```
/// assert_eq!(corefeval_core::wording::inert("Ada\x1b[31m"), "Ada\\u{1b}[31m");
/// ```
pub fn inert(text: &str) -> Cow<'_, str> {
    // Most text consists of printable ASCII characters, many of which are recognised at once.
    let is_printable = text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'));
    if is_printable || !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_hostile(character) {
            true => escaped.extend(character.escape_default()),
            false => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Returns whether a character can move the cursor, change the text before it, or change the direction of text.
pub fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// A part of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Words that all front ends share.
    Plain(Cow<'static, str>),
    /// An option as users type it: `--format`, `--check-tokens no`, `--weights FILE`.
    Option {
        /// The name, as `--help` lists it.
        name: Cow<'static, str>,
        /// The value.
        value: OptionValue,
    },
    /// The name of an option, quoted in a message: `` `check-tokens` ``.
    OptionName(Cow<'static, str>),
    /// An item of the data or a typed value, such as an id, a word or a path. Shown in backquotes.
    Quoted(String),
    /// A place in the input.
    Place(Position),
    /// A line of the input that another part of the message names: `line 7`.
    Line(Position),
    /// The way to give an input a name: `NAME=PATH`.
    NamedPath,
    /// The Python package, or the command built with a feature that it lacks by default.
    Build(Cow<'static, str>),
}

/// The value with which a message names an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// No value: the message concerns the option.
    None,
    /// A switch, turned on.
    On,
    /// This value.
    Word(Cow<'static, str>),
    /// The operands as users type them: `FILE`, `KEY RESPONSE`.
    Blank(Cow<'static, str>),
}

/// Returns the words of a text, with one space between them.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text of at most `most` characters, or the start of a longer one and `…`.
pub(crate) fn start_of(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns a number with its noun: `1 word`, `2 words`.
pub fn plural(count: impl TryInto<u64>, one: &str, several: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Returns an option that takes a value: `--format`.
pub fn option(name: impl Into<Cow<'static, str>>) -> Part {
    Part::Option { name: name.into(), value: OptionValue::None }
}

/// Returns an option with its value: `--check-tokens no`.
pub fn option_value(name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) -> Part {
    Part::Option { name: name.into(), value: OptionValue::Word(value.into()) }
}

/// Returns an option with a value that users fill in: `--weights FILE`.
pub fn option_blank(name: impl Into<Cow<'static, str>>, blank: impl Into<Cow<'static, str>>) -> Part {
    Part::Option { name: name.into(), value: OptionValue::Blank(blank.into()) }
}

/// Returns an option without a value: `--strict`.
pub fn switch(name: impl Into<Cow<'static, str>>) -> Part {
    Part::Option { name: name.into(), value: OptionValue::On }
}

/// Returns the name of an option, quoted: `` `check-tokens` ``.
pub fn option_name(name: impl Into<Cow<'static, str>>) -> Part {
    Part::OptionName(name.into())
}

/// Returns an item of the data or a typed value, quoted: `` `d1` ``.
pub fn quoted(name: impl fmt::Display) -> Part {
    Part::Quoted(name.to_string())
}

/// Returns a place in the input: `key.conll:7:1`.
pub fn place_of(position: Position) -> Part {
    Part::Place(position)
}

/// Returns a line of an input that the message has named: `line 7`.
pub fn line_at(position: Position) -> Part {
    Part::Line(position)
}

/// Returns a line of an input in brackets, with a description: ` (the other copy opens at line 7)`. Empty without a
/// line, as in documents from a program.
pub fn line_aside(before: &'static str, position: Position, after: &'static str) -> Text {
    match position.line {
        0 => Text::default(),
        _ => text!(" ({}{}{})", before, line_at(position), after),
    }
}

macro_rules! plain {
    ($($type:ty),*) => {$(
        impl From<$type> for Part {
            fn from(value: $type) -> Part {
                Part::Plain(Cow::Owned(value.to_string()))
            }
        }
    )*};
}

plain!(&str, &String, char, u16, u32, u64, usize, i32, i64, f64);

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part::Plain(Cow::Owned(text))
    }
}

impl From<Cow<'static, str>> for Part {
    fn from(text: Cow<'static, str>) -> Part {
        Part::Plain(text)
    }
}

/// The text of a finding or an error, in parts. The macro [`text!`](crate::text!) creates one; a string becomes one
/// part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Part>);

impl Text {
    /// Returns a text with these parts.
    pub fn new(parts: Vec<Part>) -> Text {
        Text(parts)
    }

    /// Returns the parts in order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|part| matches!(part, Part::Plain(words) if words.is_empty()))
    }

    /// Returns the text followed by `more`.
    #[must_use]
    pub fn and(mut self, more: impl Into<Text>) -> Text {
        self.0.extend(more.into().0);
        self
    }

    /// Returns the text with some of its parts replaced.
    #[must_use]
    pub(crate) fn replaced(&self, replacement: impl Fn(&Part) -> Option<Text>) -> Text {
        let parts = self.0.iter().map(|part| replacement(part).unwrap_or_else(|| Text(vec![part.clone()])));
        Text(parts.flat_map(|text| text.0).collect())
    }

    /// Returns the parts as a list: plain words as a string, any other part as a list that starts with its kind.
    pub fn to_json(&self) -> Value {
        let part = |part: &Part| match part {
            Part::Plain(words) => json!(words),
            Part::Option { name, value: OptionValue::None } => json!(["option", name]),
            Part::Option { name, value: OptionValue::On } => json!(["switch", name]),
            Part::Option { name, value: OptionValue::Word(word) } => json!(["value", name, word]),
            Part::Option { name, value: OptionValue::Blank(blank) } => json!(["blank", name, blank]),
            Part::OptionName(name) => json!(["name", name]),
            Part::Quoted(thing) => json!(["quoted", thing]),
            Part::Place(position) => json!(["place", position.to_json()]),
            Part::Line(position) => json!(["line", position.to_json()]),
            Part::NamedPath => json!(["path"]),
            Part::Build(feature) => json!(["build", feature]),
        };
        self.0.iter().map(part).collect()
    }

    /// Returns the text that [`to_json`](Self::to_json) wrote.
    pub fn from_json(value: &Value) -> Option<Text> {
        let part = |value: &Value| {
            if let Some(words) = value.as_str() {
                return Some(Part::from(words));
            }
            let word = |place: usize| Some(value.get(place)?.as_str()?.to_owned());
            let position = || Position::from_json(value.get(1)?);
            Some(match value.get(0)?.as_str()? {
                "option" => option(word(1)?),
                "switch" => switch(word(1)?),
                "value" => option_value(word(1)?, word(2)?),
                "blank" => option_blank(word(1)?, word(2)?),
                "name" => option_name(word(1)?),
                "quoted" => quoted(word(1)?),
                "place" => place_of(position()?),
                "line" => line_at(position()?),
                "path" => Part::NamedPath,
                "build" => Part::Build(word(1)?.into()),
                _ => return None,
            })
        };
        value.as_array()?.iter().map(part).collect::<Option<Vec<_>>>().map(Text)
    }

    /// Returns the text in the words of a front end.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        let mut words = String::new();
        for part in &self.0 {
            match part {
                Part::Quoted(thing) if thing.chars().any(is_hostile) => {
                    wording.part(&Part::Quoted(inert(thing).into_owned()), &mut words);
                }
                part => wording.part(part, &mut words),
            }
        }
        // A message may contain line breaks.
        match words.chars().any(|c| c != '\n' && is_hostile(c)) {
            true => words.split('\n').map(inert).collect::<Vec<_>>().join("\n"),
            false => words,
        }
    }

    /// Fills the `{}` of `template` with `parts`, for [`text!`](crate::text!).
    #[doc(hidden)]
    pub fn assemble<const N: usize>(template: &'static str, parts: [Text; N]) -> Text {
        let mut found = Vec::with_capacity(2 * N + 1);
        let mut words = template.split("{}");
        let plain = |words: Option<&'static str>| {
            words.filter(|words| !words.is_empty()).map(|words| Part::Plain(Cow::Borrowed(words)))
        };
        found.extend(plain(words.next()));
        for part in parts {
            found.extend(part.0);
            found.extend(plain(words.next()));
        }
        Text(found)
    }
}

/// Counts the `{}` in a template; for [`text!`](crate::text!).
#[doc(hidden)]
pub const fn placeholders(template: &str) -> usize {
    let bytes = template.as_bytes();
    let (mut place, mut count) = (0, 0);
    while place + 1 < bytes.len() {
        if bytes[place] == b'{' && bytes[place + 1] == b'}' {
            count += 1;
            place += 1;
        }
        place += 1;
    }
    count
}

/// Creates a [`Text`](crate::wording::Text) from a template. Each `{}` is replaced by one of the following parts: those
/// of [`wording`](crate::wording), other texts, strings and numbers. Their number is checked at compile time.
#[macro_export]
macro_rules! text {
    (@one $part:expr) => { () };
    ($template:expr $(, $part:expr)* $(,)?) => {{
        const COUNT: usize = <[()]>::len(&[$($crate::text!(@one $part)),*]);
        const { assert!($crate::wording::placeholders($template) == COUNT, "one part for each {{}}") };
        $crate::wording::Text::assemble($template, [$($crate::wording::Text::from($part)),*])
    }};
}

pub use text;

impl<T: Into<Part>> From<T> for Text {
    fn from(part: T) -> Text {
        Text(vec![part.into()])
    }
}

/// Uses the wording of the command.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.worded(&Command))
    }
}

/// The wording of parts of texts in a front end.
pub trait Wording: fmt::Debug + Sync {
    /// Appends the words of `part` to `words`.
    fn part(&self, part: &Part, words: &mut String);
}

/// The wording of the command line, also used in JSON: `--check-tokens no`, `key.conll:7:1`.
#[derive(Clone, Copy, Debug)]
pub struct Command;

impl Wording for Command {
    fn part(&self, part: &Part, words: &mut String) {
        match part {
            Part::Plain(plain) => words.push_str(plain),
            Part::Option { name, value } => {
                words.push_str("--");
                words.push_str(name);
                match value {
                    OptionValue::None | OptionValue::On => {}
                    OptionValue::Word(value) | OptionValue::Blank(value) => {
                        words.push(' ');
                        words.push_str(value);
                    }
                }
            }
            Part::OptionName(name) => words.extend(["`", name, "`"]),
            Part::Quoted(name) => words.extend(["`", name, "`"]),
            Part::Place(position) => words.push_str(&position.to_string()),
            Part::Line(position) => words.push_str(&format!("line {}", position.line)),
            Part::NamedPath => words.push_str("NAME=PATH"),
            Part::Build(feature) => {
                words.extend(["the Python package or `corefeval` built with `--features ", feature, "`"])
            }
        }
    }
}

/// The wording for the teams of a shared task. They have no command line, since the organisers set the options.
#[derive(Clone, Copy, Debug)]
pub struct Teams;

impl Wording for Teams {
    fn part(&self, part: &Part, words: &mut String) {
        match part {
            Part::Option { name, value } => {
                words.extend(["the organisers' option `", name]);
                match value {
                    OptionValue::None | OptionValue::On => {}
                    OptionValue::Word(value) | OptionValue::Blank(value) => words.extend([" ", value]),
                }
                words.push('`');
            }
            Part::NamedPath => words.push_str("another name of the file"),
            Part::Build(feature) => words.extend([
                "the Python package of `corefeval` or its command built with the feature `",
                feature,
                "`",
            ]),
            _ => Command.part(part, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_is_inert() {
        let hostile = "a\x1b]0;x\x07\n\u{202e}\u{9b}";
        let position = Position::new(&Arc::from(hostile), 1, 0);
        let plain = Text::from(format!("line one {hostile}"));
        let all = text!("{} {} {}", quoted(hostile), place_of(position.clone()), plain.clone());
        for words in [all.to_string(), plain.to_string(), position.to_string()] {
            assert!(!words.chars().any(|c| c != '\n' && is_hostile(c)), "{words:?}");
            assert!(words.contains("\\u{1b}") && words.contains("\\u{202e}"), "{words:?}");
        }
        // Quoted items and names of files cannot start new lines.
        assert!(!quoted_line(hostile).contains('\n') && !position.to_string().contains('\n'));
    }

    fn quoted_line(thing: &str) -> String {
        Text::from(quoted(thing)).to_string()
    }

    #[test]
    fn texts_are_worded_for_the_command() {
        let position = Position::new(&Arc::from("key.conll"), 7, 2);
        let parts = text!(
            "{}: {} opens at {}; use {}, {}, {}, {} or {} ({} of {}; {})",
            place_of(position.clone()),
            quoted("m"),
            line_at(position),
            option("match"),
            option_value("match", "exact"),
            option_blank("weights", "FILE"),
            switch("strict"),
            option_name("check-tokens"),
            "3",
            Part::NamedPath,
            Part::Build("parquet".into()),
        );
        let words = "key.conll:7:2: `m` opens at line 7; use --match, --match exact, --weights FILE, --strict or \
                     `check-tokens` (3 of NAME=PATH; the Python package or `corefeval` built with \
                     `--features parquet`)";
        assert_eq!(parts.to_string(), words);
        assert_eq!(Text::from_json(&parts.to_json()), Some(parts));
        assert_eq!(text!("{} and {}", "a", "{}").to_string(), "a and {}");
        assert_eq!(Text::from("a").and(text!(" {}", "b")).to_string(), "a b");
        let of_teams =
            "the organisers' option `match exact`, the organisers' option `strict` or line 7 of `m`";
        let position = Position::new(&Arc::from("key.conll"), 7, 2);
        let parts = text!(
            "{}, {} or {} of {}",
            option_value("match", "exact"),
            switch("strict"),
            line_at(position),
            quoted("m")
        );
        assert_eq!(parts.worded(&Teams), of_teams);
        assert!(
            Text::default().is_empty() && Text::from("").is_empty() && !text!("{}", switch("x")).is_empty()
        );
    }
}
