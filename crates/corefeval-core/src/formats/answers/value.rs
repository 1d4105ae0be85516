//! Reads JSON as language models write it: truncated, or with Python syntax, curly quotes, trailing commas or comments.

/// A value and the place where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) at: usize,
    /// True if its end is missing.
    pub(super) cut: bool,
    pub(super) value: NodeValue,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeValue {
    /// `null`, `true`, `false`.
    Plain,
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Returns the items of a list.
    pub(super) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the fields of an object.
    pub(super) fn map(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            NodeValue::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns the first of these fields that an object has.
    pub(super) fn field(&self, names: &[&str]) -> Option<&Node> {
        let fields = self.map()?;
        names.iter().find_map(|wanted| {
            let fits = |name: &str| name.eq_ignore_ascii_case(wanted);
            fields.iter().find(|(name, _)| fits(name)).map(|field| &field.1)
        })
    }

    /// Returns the value if it is a text.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value if it is a whole number, possibly as a string.
    pub(super) fn number(&self) -> Option<i64> {
        match &self.value {
            NodeValue::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => Some(*number as i64),
            NodeValue::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns the value if it is a name: a text or a number.
    pub(super) fn name(&self) -> Option<String> {
        match &self.value {
            NodeValue::Text(text) => Some(text.trim().to_owned()),
            NodeValue::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// The quotes around a string.
struct Quotes {
    open: &'static [char],
    close: &'static [char],
    /// True if JSON allows these quotes.
    strict: bool,
}

/// The quotes of JSON, of Python, and of word processors, which replace the quotes of JSON.
static QUOTES: [Quotes; 3] = [
    Quotes { open: &['"'], close: &['"'], strict: true },
    Quotes { open: &['\''], close: &['\''], strict: false },
    Quotes { open: &['“', '”', '„'], close: &['“', '”'], strict: false },
];

/// The mark at both ends of a block in Markdown, and the line end before it.
const FENCE: &str = "```";
const LINE_FENCE: &str = "\n```";

/// The most quotes within a string.
const INNER_QUOTES: u32 = 8;

/// The largest depth of nested values.
const DEPTH: u32 = 64;

/// Reads one value.
pub(super) struct ValueReader<'r> {
    raw: &'r str,
    bytes: &'r [u8],
    pub(super) at: usize,
    /// The first place that deviates from JSON syntax although its meaning is certain.
    pub(super) repaired: Option<usize>,
    /// The places with missing or surplus quotes or commas, and how each was read.
    pub(super) guesses: Vec<(usize, String)>,
    /// True if a string or a number was read.
    has_content: bool,
    /// The first place at which the bracket of an inner value is missing.
    pub(super) unclosed: Option<usize>,
    /// True if the end of the value is missing.
    pub(super) cut: bool,
    /// True if other text follows within the value.
    pub(super) broken: bool,
    /// True if dots replace values, as in `{"clusters": [["a", "b"], ...]}`.
    pub(super) elided: bool,
    /// True if the value had repairable damage that other JSON readers reject.
    pub(super) mended: bool,
    /// The closing brackets of the values around this place.
    open: Vec<u8>,
}

/// The error of a place where no value starts, with the missing text.
pub(super) struct NoValue(&'static str);

/// The message for a place where no value starts.
const NO_VALUE: &str = "a value is missing here";

impl<'r> ValueReader<'r> {
    /// Creates a reader for the value that starts at a place.
    pub(super) fn new(raw: &'r str, at: usize) -> ValueReader<'r> {
        ValueReader {
            raw,
            bytes: raw.as_bytes(),
            at,
            repaired: None,
            guesses: Vec::new(),
            has_content: false,
            unclosed: None,
            cut: false,
            broken: false,
            elided: false,
            mended: false,
            open: Vec::new(),
        }
    }

    /// Continues after another value and takes over its repairs.
    pub(super) fn continue_after(&mut self, after: ValueReader<'r>) {
        let mut guesses = std::mem::take(&mut self.guesses);
        guesses.extend(after.guesses);
        *self = ValueReader {
            repaired: self.repaired.or(after.repaired),
            guesses,
            unclosed: self.unclosed.or(after.unclosed),
            elided: self.elided || after.elided,
            mended: self.mended || after.mended,
            open: after.open,
            ..after
        };
    }

    fn repair(&mut self) {
        self.repaired = self.repaired.or(Some(self.at));
    }

    fn guess(&mut self, message: impl Into<String>) {
        self.guesses.push((self.at, message.into()));
    }

    /// Records a repair at this place.
    fn mend(&mut self, message: impl Into<String>) {
        self.mended = true;
        self.guess(message);
    }

    /// Ends the value at a place where other text starts.
    fn break_off(&mut self, at: usize) {
        (self.at, self.cut, self.broken) = (at, true, true);
    }

    /// Returns whether the closing bracket of the innermost value is missing here, because the bracket of an outer
    /// value, a fence or an unmatched bracket follows.
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

    /// Skips commas up to the next item. At the end of the items, returns whether their list is cut off.
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
                b',' | b';' => {
                    self.guess("a comma without a value before it was skipped: a value may be missing");
                    self.at += 1;
                }
                _ => match self.dots() {
                    Some(length) => {
                        self.elided = true;
                        self.mend("dots instead of values were skipped: mentions may be missing");
                        self.at += length;
                        if self.skip() && self.bytes[self.at] == b',' {
                            self.at += 1;
                        }
                    }
                    None => return self.lacks_bracket().then_some(self.cut),
                },
            }
        }
    }

    /// Returns the length of the dots that start here, if any.
    fn dots(&self) -> Option<usize> {
        let rest = &self.raw[self.at..];
        ["...", "…"].iter().find(|dots| rest.starts_with(**dots)).map(|dots| dots.len())
    }

    /// Returns the end of a text without quotes, such as `it` in `["her boat", it]`, or without its first quote, such
    /// as `her"` in `["Ines", her"]`. A sentence after the value is neither.
    fn unquoted(&self) -> Option<usize> {
        const LONGEST: usize = 100;
        let rest = &self.raw[self.at..];
        let is_after_value = self.raw[..self.at].trim_end().ends_with([',', '[', ':']);
        if !is_after_value || !rest.starts_with(char::is_alphabetic) {
            return None;
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '\'' | '’' | '.');
        let length = rest.find(|c| !is_word(c)).filter(|length| *length < LONGEST)?;
        let after = rest[length..].strip_prefix('"').unwrap_or(&rest[length..]);
        let is_plain = matches!(rest[..length].trim(), "null" | "true" | "false" | "None" | "True" | "False");
        (!is_plain && after.trim_start().starts_with([',', ']', '}'])).then_some(self.at + length)
    }

    /// Reads a text without quotes, or without its first quote, within an object.
    fn unquoted_text(&mut self) -> Option<Node> {
        if self.open.first() != Some(&b'}') || !self.skip() {
            return None;
        }
        let (at, end) = (self.at, self.unquoted()?);
        self.mend("a text without quotes was read as a string");
        self.has_content = true;
        self.at = end + usize::from(self.bytes.get(end) == Some(&b'"'));
        Some(Node { at, cut: false, value: NodeValue::Text(self.raw[at..end].trim().to_owned()) })
    }

    /// Returns the end of a string that lacks its last quote, such as `her` in `{"text": "her, "id": 1}`. The string
    /// starts at `start` and was read up to the first quote of the next name. The reader is at the place after that
    /// quote.
    fn lost_end(&self, start: usize) -> Option<usize> {
        let inner = self.raw.get(start + 1..self.at.checked_sub(1)?)?;
        let before = &inner[..inner.rfind('"')?];
        let is_sign = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | '[' | ']');
        let text = before.trim_end_matches(is_sign);
        before[text.len()..].contains([',', '{']).then_some(start + 1 + text.len())
    }

    /// Returns whether a sentence can start here. The dots of `{"clusters": [["a", "b"], ...]}`, which is not an
    /// answer, do not start a sentence. A list may be a bracket in a text with marks, so a sentence after it must
    /// start on a new line.
    fn is_prose(&self, at: usize) -> bool {
        let Some(first) = self.raw[at..].chars().next() else { return false };
        let before = self.raw[..at].trim_end_matches([' ', '\t']);
        let is_object = self.open.first() == Some(&b'}');
        first.is_alphabetic() && is_object || before.ends_with('\n') && !matches!(first, '.' | '…')
    }

    /// Skips spaces and comments. Returns false at the end of the file.
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

    /// Reads the value at this place. Returns `None` if the file ends before any part of the value is complete.
    pub(super) fn value(&mut self, depth: u32) -> Result<Option<Node>, NoValue> {
        if !self.skip() {
            self.cut = true;
            return Ok(None);
        }
        let at = self.at;
        let node = |value: NodeValue, cut: bool| Ok(Some(Node { at, cut, value }));
        if let Some(quotes) = self.quotes() {
            return match self.string(quotes) {
                Some(text) => {
                    self.has_content = true;
                    node(NodeValue::Text(text), false)
                }
                None => Ok(None),
            };
        }
        match self.bytes[at] {
            b'{' if depth < DEPTH => {
                self.open.push(b'}');
                self.at += 1;
                let (fields, cut) = self.fields(depth)?;
                self.open.pop();
                node(NodeValue::Map(fields), cut)
            }
            open @ (b'[' | b'(') if depth < DEPTH => {
                if open == b'(' {
                    self.repair();
                }
                let close = if open == b'(' { b')' } else { b']' };
                self.open.push(close);
                let (items, cut) = self.items(close, depth)?;
                self.open.pop();
                node(NodeValue::List(items), cut)
            }
            b'-' | b'0'..=b'9' => {
                let rest = &self.raw[at..];
                let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
                let length = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
                self.at += length;
                if self.at == self.bytes.len() {
                    // The file may have ended within the number.
                    self.cut = true;
                    return Ok(None);
                }
                self.has_content = true;
                node(NodeValue::Number(rest[..length].parse().map_err(|_| NoValue(NO_VALUE))?), false)
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
                node(NodeValue::Plain, false)
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
            let (unquoted, known) = (self.unquoted_text(), self.guesses.len());
            match unquoted.map_or_else(|| self.value(depth + 1), |text| Ok(Some(text))) {
                Ok(Some(name)) if name.text().is_some() && self.is_before(b':') && depth < DEPTH => {
                    self.guesses.truncate(known);
                    self.at = start;
                    self.mend("an object without its first bracket was read here: mentions may be wrong");
                    self.open.push(b'}');
                    let (fields, cut) = self.fields(depth + 1)?;
                    self.open.pop();
                    items.push(Node { at: start, cut, value: NodeValue::Map(fields) });
                }
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

    /// Reads a comma, or finds the end of a list or an object without consuming it.
    fn separator(&mut self, close: u8) -> Result<(), NoValue> {
        if !self.skip() {
            return Ok(());
        }
        match self.bytes[self.at] {
            sign @ (b',' | b';') => {
                if sign == b';' {
                    self.mend("a semicolon was read as a comma");
                }
                self.at += 1;
                if self.skip() && self.bytes[self.at] == close {
                    self.repair();
                }
                Ok(())
            }
            // The caller handles brackets.
            b']' | b'}' | b')' => Ok(()),
            b'"' | b'{' | b'[' => {
                self.guess(
                    "a comma was missing here, or there is an extra quote: values may be wrong or missing",
                );
                Ok(())
            }
            _ if self.raw[self.at..].starts_with(FENCE) || self.is_prose(self.at) => Ok(()),
            _ if self.dots().is_some() => Ok(()),
            _ => Err(NoValue("there is neither a comma nor a closing bracket here")),
        }
    }

    /// Reads the fields of an object after its bracket. Also returns whether the end of the object is missing.
    fn fields(&mut self, depth: u32) -> Result<(Vec<(String, Node)>, bool), NoValue> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        loop {
            if let Some(cut) = self.ends(b'}') {
                return Ok((fields, cut));
            }
            let start = self.at;
            let name = match self.bytes[self.at] {
                b'{' if fields.is_empty() && depth < DEPTH => {
                    self.mend("there is an extra bracket here");
                    let Some(inner) = self.value(depth + 1)? else { return Ok((fields, true)) };
                    if let NodeValue::Map(inner) = inner.value {
                        fields = inner;
                    }
                    if self.cut {
                        return Ok((fields, true));
                    }
                    self.separator(b'}')?;
                    continue;
                }
                b'[' | b'{' if fields.last().is_some_and(|field| field.1.list().is_some()) => {
                    self.mend("a bracket before this value is missing or extra: entities may be wrong");
                    let Some(value) = self.value(depth + 1)? else { return Ok((fields, true)) };
                    if let Some((_, last)) = fields.last_mut() {
                        add_to_list(last, value);
                    }
                    if self.cut {
                        return Ok((fields, true));
                    }
                    self.separator(b'}')?;
                    self.at += usize::from(self.is_before(b']'));
                    continue;
                }
                b'"' if self.lost_name_end().is_some() => {
                    self.mend("the last quote of this name is missing");
                    self.at = self.lost_name_end().unwrap_or(start + 1);
                    self.raw[start + 1..self.at].to_owned()
                }
                _ if self.quotes().is_some() => match self.quotes().and_then(|quotes| self.string(quotes)) {
                    Some(name) => name,
                    None => return Ok((fields, true)),
                },
                // Python allows numbers as names, and JavaScript allows words.
                byte if byte.is_ascii_alphanumeric() || byte == b'_' => self.bare_name(),
                _ if self.is_prose(start) => String::new(),
                _ => return Err(NoValue("a name is missing here")),
            };
            if !self.skip() {
                self.cut = true;
                return Ok((fields, true));
            }
            let is_quoted = self.bytes[start] == b'"';
            match self.bytes[self.at] {
                b':' => self.at += 1,
                b'=' if is_quoted => {
                    self.mend("a sign was read as a colon");
                    self.at += 1;
                }
                b'[' | b'{' | b'"' if is_quoted => self.mend("a colon is missing here"),
                _ if self.quotes_at(start).is_some() || !self.is_prose(start) => {
                    return Err(NoValue("a colon is missing after the name"));
                }
                _ => {
                    self.break_off(start);
                    return Ok((fields, true));
                }
            }
            let value = self.field_value(depth + 1)?;
            fields.extend(value.map(|value| (name.trim().to_owned(), value)));
            if self.cut {
                return Ok((fields, true));
            }
            self.separator(b'}')?;
        }
    }

    /// Reads a name without quotes.
    fn bare_name(&mut self) -> String {
        let start = self.at;
        let rest = &self.raw[start..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += length;
        if self.raw[self.at..].trim_start().starts_with(':') {
            self.repaired = self.repaired.or(Some(start));
        }
        rest[..length].to_owned()
    }

    /// Reads the value of a field after its colon; `None` if it is missing.
    fn field_value(&mut self, depth: u32) -> Result<Option<Node>, NoValue> {
        let known = self.guesses.len();
        if self.skip() && self.raw[self.at..].starts_with(FENCE) {
            self.break_off(self.at);
            return Ok(None);
        }
        if let Some(value) = self.unquoted_text() {
            return Ok(Some(value));
        }
        let Some(mut value) = self.value(depth)? else { return Ok(None) };
        if value.text().is_some()
            && let Some(end) = self.lost_end(value.at).filter(|_| self.is_before(b':'))
        {
            self.guesses.truncate(known);
            self.at = end;
            self.mend("the last quote of this string is missing: mentions may be wrong or missing");
            value.value = NodeValue::Text(self.raw[value.at + 1..end].to_owned());
        }
        Ok(Some(value))
    }

    /// Returns whether `byte` follows after spaces. If so, skips the spaces.
    fn is_before(&mut self, byte: u8) -> bool {
        let rest = self.raw[self.at..].trim_start();
        let is_next = rest.as_bytes().first() == Some(&byte);
        if is_next {
            self.at = self.raw.len() - rest.len();
        }
        is_next
    }

    /// Returns the end of a name that lacks its last quote and is followed by a value: `{"clusters: [[`.
    fn lost_name_end(&self) -> Option<usize> {
        let rest = &self.raw[self.at + 1..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | ' ')))?;
        let value = rest[length..].strip_prefix(':')?.trim_start();
        (length > 0 && value.starts_with(['[', '{', '"'])).then_some(self.at + 1 + length)
    }

    /// Returns the quotes of the string that starts here, if any.
    fn quotes(&self) -> Option<&'static Quotes> {
        self.quotes_at(self.at)
    }

    fn quotes_at(&self, at: usize) -> Option<&'static Quotes> {
        let first = self.raw[at..].chars().next()?;
        QUOTES.iter().find(|quotes| quotes.open.contains(&first))
    }

    /// Reads a string with its quotes. Returns `None` if the file, or a fence, ends within it. A quote before a
    /// word on the same line does not end the string: `"her "own" boat"`. If two quotes end it, the second one is
    /// skipped: `"her boat"",`.
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

/// Adds a value to the list before it, if a missing or surplus bracket separates them. A list after a list of
/// mentions becomes another entity.
fn add_to_list(list: &mut Node, value: Node) {
    let (at, cut) = (list.at, list.cut);
    let NodeValue::List(items) = &mut list.value else { return };
    if value.list().is_some() && items.iter().all(|item| item.list().is_none()) {
        let first = Node { at, cut, value: NodeValue::List(std::mem::take(items)) };
        items.push(first);
    }
    items.push(value);
}

/// Removes the escapes or doubled quotes from JSON in which all quotes have them, as if it were inside a string:
/// `{\"clusters\": []}` and `{""clusters"": []}`. Spaces replace them, so places do not change. Also returns the place
/// of the first of them.
pub(super) fn unescaped(text: &str) -> Option<(String, usize)> {
    let whole = text.trim();
    let inner = whole.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).filter(|inner| {
        let inner = inner.trim_start();
        inner.starts_with(['{', '['])
    });
    let json = inner.unwrap_or(whole);
    let first = json.find('"')?;
    let start = json.as_ptr() as usize - text.as_ptr() as usize;
    let is_begun = |before: &str| before.trim_end().ends_with(['{', '[']);
    let quotes = || json.match_indices('"').map(|quote| quote.0);
    let (is_escaped, is_doubled) = match json[..first].strip_suffix('\\') {
        Some(before) => (is_begun(before) && quotes().all(|place| json[..place].ends_with('\\')), false),
        None => {
            let is_even = |part: &str| part.bytes().take_while(|byte| *byte == b'"').count() % 2 == 0;
            let starts = quotes().filter(|place| !json[..*place].ends_with('"'));
            let is_word = json[first..].trim_start_matches('"').starts_with(char::is_alphanumeric);
            (false, is_begun(&json[..first]) && is_word && starts.map(|place| &json[place..]).all(is_even))
        }
    };
    if !is_escaped && !is_doubled {
        return None;
    }
    let mut plain = text[..start].replace('"', " ");
    if is_doubled {
        plain.push_str(&json.replace("\"\"", "\" "));
    } else {
        // An escape within the string belongs to a string of the JSON.
        let json = json.replace("\\\\\\\"", "  \u{0}\u{0}").replace("\\\"", "\" ").replace("\\n", "  ");
        plain.push_str(&json.replace("\u{0}\u{0}", "\\\""));
    }
    plain.push_str(&text[start + json.len()..].replace('"', " "));
    Some((plain, start + first))
}

/// A value that cannot be read.
pub(super) struct Unreadable {
    /// True if it is probably an answer: strings or numbers precede the place that cannot be read.
    pub(super) has_content: bool,
    /// The place that cannot be read.
    pub(super) at: usize,
    /// The missing text; `None` if the text ends there.
    pub(super) missing: Option<&'static str>,
}

/// Reads the value that starts at a place. Returns the value, and the reader positioned after it.
pub(super) fn read(raw: &str, at: usize) -> Result<(Node, ValueReader<'_>), Unreadable> {
    let mut reader = ValueReader::new(raw, at);
    match reader.value(0) {
        Ok(Some(node)) => Ok((node, reader)),
        failed => {
            let missing = failed.err().map(|NoValue(missing)| missing);
            Err(Unreadable { has_content: reader.has_content, at: reader.at, missing })
        }
    }
}
