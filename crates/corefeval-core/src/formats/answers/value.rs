//! JSON as language models write it: with Python syntax, curly quotes, trailing commas, comments, and truncated.

/// A value and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) at: usize,
    /// Whether it lacks its end.
    pub(super) cut: bool,
    pub(super) value: Value,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// `null`, `true`, `false`.
    Plain,
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The items of a list.
    pub(super) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The fields of an object.
    pub(super) fn map(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            Value::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// The first of these fields that an object has.
    pub(super) fn field(&self, names: &[&str]) -> Option<&Node> {
        let fields = self.map()?;
        names.iter().find_map(|wanted| {
            let fits = |name: &str| name.eq_ignore_ascii_case(wanted);
            fields.iter().find(|(name, _)| fits(name)).map(|field| &field.1)
        })
    }

    /// A text.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number, possibly as a string.
    pub(super) fn number(&self) -> Option<i64> {
        match &self.value {
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => Some(*number as i64),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A name: a text or a number.
    pub(super) fn name(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// The quotes around a string.
struct Quotes {
    open: &'static [char],
    close: &'static [char],
    /// Whether JSON allows them.
    strict: bool,
}

/// The quotes of JSON, of Python, and of word processors, which replace those of JSON.
static QUOTES: [Quotes; 3] = [
    Quotes { open: &['"'], close: &['"'], strict: true },
    Quotes { open: &['\''], close: &['\''], strict: false },
    Quotes { open: &['“', '”', '„'], close: &['“', '”'], strict: false },
];

/// The mark at both ends of a block in Markdown, and before it the end of a line.
const FENCE: &str = "```";
const LINE_FENCE: &str = "\n```";

/// The most quotes within a string.
const INNER_QUOTES: u32 = 8;

/// The largest depth of nested values.
const DEPTH: u32 = 64;

/// Reads one value.
pub(super) struct Reader<'r> {
    raw: &'r str,
    bytes: &'r [u8],
    pub(super) at: usize,
    /// The first place that deviates from the syntax of JSON without any doubt about its meaning.
    pub(super) repaired: Option<usize>,
    /// The places with too few or too many quotes or commas, and how each was read.
    pub(super) guesses: Vec<(usize, String)>,
    /// Whether a string or a number was read.
    has_content: bool,
    /// The first place at which the bracket of an inner value is missing.
    pub(super) unclosed: Option<usize>,
    /// Whether the value lacks its end.
    pub(super) cut: bool,
    /// Whether other text follows within the value.
    pub(super) broken: bool,
    /// The closing brackets of the values around this place.
    open: Vec<u8>,
}

/// No value at this place, and what is missing.
pub(super) struct NoValue(&'static str);

/// What is missing where no value starts.
const NO_VALUE: &str = "there is no value here";

impl<'r> Reader<'r> {
    /// Reads the value that starts at a place.
    pub(super) fn new(raw: &'r str, at: usize) -> Reader<'r> {
        Reader {
            raw,
            bytes: raw.as_bytes(),
            at,
            repaired: None,
            guesses: Vec::new(),
            has_content: false,
            unclosed: None,
            cut: false,
            broken: false,
            open: Vec::new(),
        }
    }

    fn repair(&mut self) {
        self.repaired = self.repaired.or(Some(self.at));
    }

    fn guess(&mut self, message: impl Into<String>) {
        self.guesses.push((self.at, message.into()));
    }

    /// Ends the value at a place from which other text follows.
    fn break_off(&mut self, at: usize) {
        (self.at, self.cut, self.broken) = (at, true, true);
    }

    /// Returns whether the bracket of the innermost value is missing here: that of an outer one, a fence or an
    /// unopened bracket follows.
    fn lacks_bracket(&mut self) -> bool {
        match self.bytes[self.at] {
            byte @ (b']' | b'}' | b')') if self.open.contains(&byte) => {
                self.unclosed = self.unclosed.or(Some(self.at));
            }
            b']' | b'}' | b')' => self.break_off(self.at),
            _ if self.raw[self.at..].starts_with(FENCE) => self.break_off(self.at),
            _ => return false,
        }
        true
    }

    /// Skips commas up to the next item. At the end of the items returns whether their bracket is missing.
    fn ends(&mut self, close: u8) -> Option<bool> {
        loop {
            if !self.skip() {
                self.cut = true;
                return Some(true);
            }
            match self.bytes[self.at] {
                byte if byte == close => {
                    self.at += 1;
                    return Some(false);
                }
                b',' => {
                    self.guess("a comma without a value before it was skipped: a value may be missing");
                    self.at += 1;
                }
                _ => return self.lacks_bracket().then_some(self.cut),
            }
        }
    }

    /// Returns whether a sentence can start here. The dots of `{"clusters": [["a", "b"], ...]}`, which is not an answer,
    /// do not start one. A list may be the bracket of a text with marks: after it, a sentence starts on a line of its own.
    fn is_prose(&self, at: usize) -> bool {
        let Some(first) = self.raw[at..].chars().next() else { return false };
        let before = self.raw[..at].trim_end_matches([' ', '\t']);
        let is_object = self.open.first() == Some(&b'}');
        first.is_alphabetic() && is_object || before.ends_with('\n') && !matches!(first, '.' | '…')
    }

    /// Skips blanks and comments. False at the end of the file.
    fn skip(&mut self) -> bool {
        loop {
            let rest = &self.raw[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            let rest = &self.bytes[self.at..];
            let end = match rest {
                [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
                [b'/', b'*', ..] => self.raw[self.at..].find("*/").map(|end| end + 2),
                [b'#', ..] => memchr::memchr(b'\n', rest),
                _ => return self.at < self.bytes.len(),
            };
            let end = end.map_or(self.bytes.len(), |end| self.at + end);
            let comment = &self.raw[self.at..end];
            let is_like_a_value = |(place, sign): (usize, char)| match sign {
                '\'' => !comment[..place].ends_with(char::is_alphanumeric),
                sign => matches!(sign, '"' | '“' | '„' | '[' | '{' | ']' | '}'),
            };
            match comment.char_indices().any(is_like_a_value) {
                true => self.guess("a comment with quotes or brackets was skipped: it may have mentions"),
                false => self.repair(),
            }
            self.at = end;
        }
    }

    /// The value at this place; it contains `None` if the file ends before any of it is complete.
    pub(super) fn value(&mut self, depth: u32) -> Result<Option<Node>, NoValue> {
        if !self.skip() {
            self.cut = true;
            return Ok(None);
        }
        let at = self.at;
        let node = |value: Value, cut: bool| Ok(Some(Node { at, cut, value }));
        if let Some(quotes) = self.quotes() {
            return match self.string(quotes) {
                Some(text) => {
                    self.has_content = true;
                    node(Value::Text(text), false)
                }
                None => Ok(None),
            };
        }
        match self.bytes[at] {
            b'{' if depth < DEPTH => {
                self.open.push(b'}');
                let (fields, cut) = self.fields(depth)?;
                self.open.pop();
                node(Value::Map(fields), cut)
            }
            open @ (b'[' | b'(') if depth < DEPTH => {
                if open == b'(' {
                    self.repair();
                }
                let close = if open == b'(' { b')' } else { b']' };
                self.open.push(close);
                let (items, cut) = self.items(close, depth)?;
                self.open.pop();
                node(Value::List(items), cut)
            }
            b'-' | b'0'..=b'9' => {
                let rest = &self.raw[at..];
                let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
                let length = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
                self.at += length;
                if self.at == self.bytes.len() {
                    // More digits may have followed.
                    self.cut = true;
                    return Ok(None);
                }
                self.has_content = true;
                node(Value::Number(rest[..length].parse().map_err(|_| NoValue(NO_VALUE))?), false)
            }
            _ => {
                let rest = &self.raw[at..];
                let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                match &rest[..length] {
                    "null" | "true" | "false" => {}
                    "None" | "True" | "False" => self.repair(),
                    word if self.at + length == self.bytes.len() && !word.is_empty() && depth > 0 => {
                        self.cut = true;
                        self.at = self.bytes.len();
                        return Ok(None);
                    }
                    _ => return Err(NoValue(NO_VALUE)),
                }
                self.at += length;
                node(Value::Plain, false)
            }
        }
    }

    fn items(&mut self, close: u8, depth: u32) -> Result<(Vec<Node>, bool), NoValue> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            if let Some(cut) = self.ends(close) {
                return Ok((items, cut));
            }
            let start = self.at;
            match self.value(depth + 1) {
                Ok(value) => items.extend(value),
                Err(_) if self.at == start && self.is_prose(start) => self.break_off(start),
                Err(error) => return Err(error),
            }
            if self.cut {
                return Ok((items, true));
            }
            self.separator(close)?;
        }
    }

    /// A comma, or the end of a list or an object, which is not consumed.
    fn separator(&mut self, close: u8) -> Result<(), NoValue> {
        if !self.skip() {
            return Ok(());
        }
        match self.bytes[self.at] {
            b',' => {
                self.at += 1;
                if self.skip() && self.bytes[self.at] == close {
                    self.repair();
                }
                Ok(())
            }
            // The caller looks at brackets.
            b']' | b'}' | b')' => Ok(()),
            b'"' | b'{' | b'[' => {
                self.guess(
                    "a comma was missing here, or a quote is one too many: values may be wrong or missing",
                );
                Ok(())
            }
            _ if self.raw[self.at..].starts_with(FENCE) || self.is_prose(self.at) => Ok(()),
            _ => Err(NoValue("there is neither a comma nor a closing bracket here")),
        }
    }

    fn fields(&mut self, depth: u32) -> Result<(Vec<(String, Node)>, bool), NoValue> {
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            if let Some(cut) = self.ends(b'}') {
                return Ok((fields, cut));
            }
            let start = self.at;
            let name = match self.bytes[self.at] {
                _ if self.quotes().is_some() => match self.quotes().and_then(|quotes| self.string(quotes)) {
                    Some(name) => name,
                    None => return Ok((fields, true)),
                },
                // Python has numbers for names, JavaScript words.
                byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                    let rest = &self.raw[self.at..];
                    let length =
                        rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                    self.at += length;
                    if self.raw[self.at..].trim_start().starts_with(':') {
                        self.repaired = self.repaired.or(Some(start));
                    }
                    rest[..length].to_owned()
                }
                _ if self.is_prose(start) => String::new(),
                _ => return Err(NoValue("there is no name here")),
            };
            if !self.skip() {
                self.cut = true;
                return Ok((fields, true));
            }
            if self.bytes[self.at] != b':' {
                if self.quotes_at(start).is_some() || !self.is_prose(start) {
                    return Err(NoValue("there is no colon after the name"));
                }
                self.break_off(start);
                return Ok((fields, true));
            }
            self.at += 1;
            if self.skip() && self.raw[self.at..].starts_with(FENCE) {
                self.break_off(self.at);
            } else if let Some(value) = self.value(depth + 1)? {
                fields.push((name.trim().to_owned(), value));
            }
            if self.cut {
                return Ok((fields, true));
            }
            self.separator(b'}')?;
        }
    }

    /// The quotes of the string that starts here, if one does.
    fn quotes(&self) -> Option<&'static Quotes> {
        self.quotes_at(self.at)
    }

    fn quotes_at(&self, at: usize) -> Option<&'static Quotes> {
        let first = self.raw[at..].chars().next()?;
        QUOTES.iter().find(|quotes| quotes.open.contains(&first))
    }

    /// A string with its quotes; `None` if the file, or a fence, ends within it. A quote before a word on the same line
    /// ends no string: `"her "own" boat"`. Of two quotes at its end the second is skipped: `"her boat"",`.
    fn string(&mut self, quotes: &Quotes) -> Option<String> {
        if !quotes.strict {
            self.repair();
        }
        self.at += self.raw[self.at..].chars().next().map_or(0, char::len_utf8);
        let mut text = String::new();
        let mut inner = 0;
        loop {
            let rest = &self.raw[self.at..];
            let length = rest.find(|c| c == '\\' || quotes.close.contains(&c)).unwrap_or(rest.len());
            if let Some(fence) = rest[..length].find(LINE_FENCE) {
                self.break_off(self.at + fence);
                return None;
            }
            text.push_str(&rest[..length]);
            self.at += length;
            match self.bytes.get(self.at) {
                None => {
                    self.cut = true;
                    return None;
                }
                Some(b'\\') => self.escape(&mut text)?,
                Some(_) => {
                    let Some(quote) = self.raw[self.at..].chars().next() else { return Some(text) };
                    self.at += quote.len_utf8();
                    let rest = &self.raw[self.at..];
                    if let Some(after) = rest.strip_prefix(quote)
                        && (after.is_empty() || after.trim_start().starts_with([',', ':', ']', '}', ')']))
                    {
                        self.guess("the second of two quotes was skipped: the string may be wrong");
                        self.at += quote.len_utf8();
                        return Some(text);
                    }
                    let rest = rest.trim_start_matches([' ', '\t']);
                    if inner == INNER_QUOTES || !rest.starts_with(char::is_alphanumeric) {
                        return Some(text);
                    }
                    inner += 1;
                    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                    self.guess(format!(
                        "the quote before `{word}` was read as a part of a string: a quote or a comma may be missing, and mentions with it"
                    ));
                    text.push(quote);
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let Some(escaped) = self.raw[self.at + 1..].chars().next() else {
            (self.at, self.cut) = (self.bytes.len(), true);
            return None;
        };
        let mut after = self.at + 1 + escaped.len_utf8();
        let character = match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{C}',
            'u' => {
                let unit = |at: usize| {
                    let digits = self.raw.get(at..at + 4)?;
                    u32::from_str_radix(digits, 16).ok()
                };
                let first = unit(after)?;
                after += 4;
                let mut code = first;
                if (0xD800..0xDC00).contains(&first)
                    && self.raw.get(after..after + 2) == Some("\\u")
                    && let Some(second) = unit(after + 2).filter(|unit| (0xDC00..0xE000).contains(unit))
                {
                    code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                    after += 6;
                }
                char::from_u32(code).unwrap_or('\u{FFFD}')
            }
            other => other,
        };
        text.push(character);
        self.at = after;
        Some(())
    }
}

/// A value that cannot be read.
pub(super) struct Unreadable {
    /// Whether it seems to be an answer: strings or numbers precede the place that cannot be read, which does not have
    /// the dots of an example.
    pub(super) has_content: bool,
    /// The place that cannot be read.
    pub(super) at: usize,
    /// What is missing there; `None` if the text ends.
    pub(super) missing: Option<&'static str>,
}

/// Reads the value that starts at a place: it, and the reader after it.
pub(super) fn read(raw: &str, at: usize) -> Result<(Node, Reader<'_>), Unreadable> {
    let mut reader = Reader::new(raw, at);
    match reader.value(0) {
        Ok(Some(node)) => Ok((node, reader)),
        failed => {
            let has_content =
                reader.has_content && !["...", "…"].iter().any(|dots| raw[reader.at..].starts_with(dots));
            let missing = failed.err().map(|NoValue(missing)| missing);
            Err(Unreadable { has_content, at: reader.at, missing })
        }
    }
}
