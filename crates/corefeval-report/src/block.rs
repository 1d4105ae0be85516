//! A report as a sequence of blocks, which every human-readable output renders: headings, grids of cells, notes, a
//! figure, the signature.
//!
//! A report builds its blocks once, independently of outputs. An output renders any blocks, independently of
//! metrics. Text from data stays raw here: each renderer escapes it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use corefeval_core::wording::inert;

use crate::DIGITS;
use crate::plot::Forest;

/// A part of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Block<'r> {
    /// The heading of the following blocks.
    Heading(Cow<'r, str>),
    /// A table.
    Grid(Grid<'r>),
    /// Sentences, each rendered as a line or an item.
    Notes(Vec<String>),
    /// Points with intervals, which a terminal draws with characters. Outputs without figures omit it, because a grid
    /// has the same numbers.
    Figure(Forest),
    /// Text with marked mentions.
    Passage(Passage<'r>),
    /// A finding with the line it refers to.
    Alert(Alert<'r>),
    /// The signature, which can be parsed back.
    Signature(String),
}

/// A finding with the line it refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alert<'r> {
    /// The place, such as `key.conll:3:15`; may be empty.
    pub place: Cow<'r, str>,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The message.
    pub message: Cow<'r, str>,
    /// The code of the finding.
    pub code: &'r str,
    /// The number of the line, and the line in three parts; the second is underlined.
    pub line: Option<(u32, [Cow<'r, str>; 3])>,
    /// Further notes, such as other places and the remedy.
    pub notes: Vec<String>,
}

impl Alert<'_> {
    /// `warning: a mention … [unclosed-mention]`.
    pub(crate) fn head(&self) -> String {
        format!("{}: {} [{}]", self.severity, self.message, self.code)
    }

    /// The line in three parts as displayed, with spaces for tabs.
    pub(crate) fn shown_line(&self) -> Option<(u32, [String; 3])> {
        let show = |part: &Cow<'_, str>| inert(&part.replace('\t', "  ")).into_owned();
        self.line
            .as_ref()
            .map(|(number, parts)| (*number, [show(&parts[0]), show(&parts[1]), show(&parts[2])]))
    }
}

/// Text with marked mentions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage<'r> {
    /// The text before the words: the number of the sentence.
    pub head: Cow<'r, str>,
    /// Its words, each with the brackets that open before it and close after it.
    pub words: Vec<Vec<Piece<'r>>>,
}

/// A word or a bracket.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece<'r> {
    /// Its text.
    pub text: Cow<'r, str>,
    /// The mark, if it is a bracket.
    pub mark: Option<BracketMark>,
}

/// The mark of a bracket, which a terminal shows by colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BracketMark {
    /// The entity; brackets of the same entity have the same colour.
    pub entity: usize,
    /// True if it is emphasised.
    pub strong: bool,
}

impl Passage<'_> {
    /// The text in one line.
    pub(crate) fn line(&self) -> String {
        let word = |pieces: &Vec<Piece<'_>>| pieces.iter().map(|piece| &*piece.text).collect::<String>();
        self.words.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

/// A table: named rows, and columns in groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid<'r> {
    /// The head of the column of names.
    pub corner: Cow<'r, str>,
    /// The columns to the right of it.
    pub groups: Vec<Group<'r>>,
    /// The lines below the head.
    pub lines: Vec<Line<'r>>,
}

/// Columns that belong together; a grid that is too wide is split between groups first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group<'r> {
    /// The head above its columns; empty if they have none.
    pub title: Cow<'r, str>,
    /// Its columns.
    pub columns: Vec<Column<'r>>,
}

/// A column of a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column<'r> {
    /// Its head.
    pub head: Cow<'r, str>,
    /// True if it contains text, which is left-aligned; numbers are right-aligned.
    pub text: bool,
    /// True if it is the headline. A terminal emphasises it; other outputs do not.
    pub key: bool,
}

/// A line of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum Line<'r> {
    /// A name with a cell for each column; missing cells at the end are blank.
    Row(Cow<'r, str>, Vec<Cell<'r>>),
    /// The name of the rows that follow.
    Title(Cow<'r, str>),
    /// A horizontal rule before further rows, such as an average.
    Rule,
}

/// A cell of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell<'r> {
    /// Its contents.
    pub value: Value<'r>,
    /// True if it is the best of its column; all outputs emphasise it.
    pub best: bool,
}

/// The contents of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'r> {
    /// An unused cell.
    Blank,
    /// A value that is undefined.
    Undefined,
    /// Words or text from data.
    Text(Cow<'r, str>),
    /// Text to be typed.
    Code(Cow<'r, str>),
    /// A count.
    Count(u64),
    /// A number.
    Number(f64, Form),
    /// The ends of an interval.
    Interval([f64; 2], Form),
    /// Proven bounds of a score, as fractions; shown as percentages, rounded away from each other.
    Bounds([f64; 2]),
    /// A p-value.
    P(f64),
}

/// The format of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A fraction, shown as a percentage.
    Percent,
    /// A difference of fractions in percentage points with its sign; 0 has no sign.
    Points,
    /// The number of decimals.
    Decimals(u8),
}

/// The text for an undefined value in human-readable outputs.
pub const UNDEFINED: &str = "–";

impl<'r> Value<'r> {
    /// Text.
    pub fn text(text: impl Into<Cow<'r, str>>) -> Value<'r> {
        Value::Text(text.into())
    }

    /// A number, or [`Value::Undefined`].
    pub fn number(number: Option<f64>, form: Form) -> Value<'r> {
        number.map_or(Value::Undefined, |number| Value::Number(number, form))
    }

    /// Returns whether nothing is shown for it.
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Value::Blank => true,
            Value::Text(words) | Value::Code(words) => words.is_empty(),
            _ => false,
        }
    }

    /// Returns whether it is numeric, so that its signs are signs of numbers.
    pub(crate) fn is_number(&self) -> bool {
        matches!(
            self,
            Value::Count(_) | Value::Number(..) | Value::Interval(..) | Value::Bounds(_) | Value::P(_)
        )
    }

    /// Appends it to `text`, unescaped; percentages have this number of digits.
    pub(crate) fn add_to(&self, text: &mut String, digits: u8) {
        // Writing to a string cannot fail.
        let _ = match self {
            Value::Blank => Ok(()),
            Value::Undefined => write!(text, "{UNDEFINED}"),
            Value::Text(words) | Value::Code(words) => write!(text, "{words}"),
            Value::Count(count) => write!(text, "{count}"),
            Value::Number(number, form) => {
                form.add_to(text, *number, digits);
                Ok(())
            }
            Value::Interval([low, high], form) => {
                text.push('[');
                form.add_to(text, *low, digits);
                text.push_str(", ");
                form.add_to(text, *high, digits);
                text.push(']');
                Ok(())
            }
            Value::Bounds([low, high]) => {
                let [low, high] = [outward(*low, digits, -1.0), outward(*high, digits, 1.0)];
                write!(text, "[{low:.0$}, {high:.0$}]", usize::from(digits))
            }
            Value::P(p) if *p < 0.000_1 => write!(text, "<0.0001"),
            Value::P(p) => write!(text, "{p:.4}"),
        };
    }
}

/// Returns a bound as a percentage, rounded to this number of digits: down if `direction` is -1, up if it is 1.
fn outward(bound: f64, digits: u8, direction: f64) -> f64 {
    let unit = 10_f64.powi(digits.into());
    let exact = 100.0 * bound * unit;
    let nearest = exact.round();
    // A bound with few digits may differ from them by an error of floating-point numbers.
    let is_inside = (exact - nearest) * direction > 1e-9;
    (if is_inside { nearest + direction } else { nearest }) / unit
}

impl Form {
    /// Adds a number in this form; a number that rounds to 0 has no sign.
    fn add_to(self, text: &mut String, number: f64, digits: u8) {
        let digits = usize::from(digits);
        let start = text.len();
        let _ = match self {
            Form::Percent => write!(text, "{:.digits$}", 100.0 * number),
            Form::Points => write!(text, "{:+.digits$}", 100.0 * number),
            Form::Decimals(decimals) => write!(text, "{number:.0$}", usize::from(decimals)),
        };
        let signed = text[start..].starts_with(['+', '-']);
        if signed && text[start + 1..].bytes().all(|byte| byte == b'0' || byte == b'.') {
            text.remove(start);
        }
    }

    /// Formats a number; percentages have the usual number of decimals.
    pub fn show(self, number: f64) -> String {
        let mut text = String::new();
        self.add_to(&mut text, number, DIGITS);
        text
    }
}

impl<'r> From<Value<'r>> for Cell<'r> {
    fn from(value: Value<'r>) -> Cell<'r> {
        Cell { value, best: false }
    }
}

impl<'r> Column<'r> {
    /// A column of numbers.
    pub fn new(head: impl Into<Cow<'r, str>>) -> Column<'r> {
        Column { head: head.into(), text: false, key: false }
    }

    /// A column of text.
    pub fn of_text(head: impl Into<Cow<'r, str>>) -> Column<'r> {
        Column { text: true, ..Column::new(head) }
    }

    /// Marks the column as the headline.
    #[must_use]
    pub fn key(self) -> Column<'r> {
        Column { key: true, ..self }
    }
}

impl<'r> Group<'r> {
    /// Columns without a title.
    pub fn untitled(columns: Vec<Column<'r>>) -> Group<'r> {
        Group { title: "".into(), columns }
    }

    /// Returns the head of one of its columns, with the title, for outputs without a line of titles.
    pub(crate) fn full_head<'s>(&'s self, column: &'s Column<'r>) -> Cow<'s, str> {
        match (self.title.is_empty(), column.head.is_empty()) {
            (true, _) => Cow::Borrowed(&column.head),
            (false, true) => Cow::Borrowed(&self.title),
            (false, false) => Cow::Owned(format!("{} {}", self.title, column.head)),
        }
    }
}

impl<'r> Line<'r> {
    /// A row of plain values.
    pub fn row(name: impl Into<Cow<'r, str>>, values: impl IntoIterator<Item = Value<'r>>) -> Line<'r> {
        Line::Row(name.into(), values.into_iter().map(Cell::from).collect())
    }

    /// Returns whether a part of the grid with these columns shows the line. A row without values there is left out, unless it
    /// has none in any column.
    pub(crate) fn is_in_part(&self, columns: &Range<usize>) -> bool {
        let Line::Row(_, cells) = self else { return true };
        let has_values = |cells: &[Cell<'_>]| cells.iter().any(|cell| !cell.value.is_blank());
        let of_part = cells.get(columns.start..columns.end.min(cells.len())).unwrap_or_default();
        has_values(of_part) || !has_values(cells)
    }
}

/// Removes the rules at the end of a part, which no row follows.
pub(crate) fn without_last_rules<T>(lines: &mut Vec<T>, is_rule: impl Fn(&T) -> bool) {
    while lines.last().is_some_and(&is_rule) {
        lines.pop();
    }
}

impl<'r> Grid<'r> {
    /// The columns in their order, each with its group.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&Group<'r>, &Column<'r>)> {
        self.groups.iter().flat_map(|group| group.columns.iter().map(move |column| (group, column)))
    }

    /// Splits the grid into several with at most `most` columns each, between groups where these fit.
    pub(crate) fn in_parts(self, most: Option<usize>) -> Vec<Grid<'r>> {
        let Some(most) = most.filter(|&most| self.columns().count() > most) else { return vec![self] };
        let mut parts: Vec<Vec<Group<'r>>> = Vec::new();
        let mut room = 0;
        for group in &self.groups {
            if !group.title.is_empty() && group.columns.len() > room && group.columns.len() <= most {
                room = 0;
            }
            for (place, column) in group.columns.iter().enumerate() {
                if room == 0 {
                    parts.push(Vec::new());
                    room = most;
                }
                room -= 1;
                let Some(part) = parts.last_mut() else { continue };
                match part.last_mut().filter(|_| place > 0) {
                    Some(last) => last.columns.push(column.clone()),
                    None => part.push(Group { title: group.title.clone(), columns: vec![column.clone()] }),
                }
            }
        }
        let mut first = 0;
        let grids = parts.into_iter().map(|groups| {
            let count: usize = groups.iter().map(|group| group.columns.len()).sum();
            let columns = first..first + count;
            let line = |line: &Line<'r>| match line {
                Line::Row(name, cells) => {
                    Line::Row(name.clone(), cells.iter().skip(first).take(count).cloned().collect())
                }
                other => other.clone(),
            };
            let shown = self.lines.iter().filter(|line| line.is_in_part(&columns));
            let mut lines: Vec<Line<'r>> = shown.map(line).collect();
            without_last_rules(&mut lines, |line| matches!(line, Line::Rule));
            first += count;
            Grid { corner: self.corner.clone(), groups, lines }
        });
        grids.collect()
    }

    /// Returns whether the grid has a line of titles above the heads.
    pub(crate) fn has_titles(&self) -> bool {
        self.groups.iter().any(|group| !group.title.is_empty())
    }
}

/// Formats a number without trailing zeros.
pub(crate) fn trimmed(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `95% interval`.
pub(crate) fn level(confidence: f64) -> String {
    format!("{}% interval", trimmed(100.0 * confidence))
}

/// Blocks of every kind, with hostile text in all places.
#[cfg(test)]
pub(crate) fn sample() -> Vec<Block<'static>> {
    let rank = || Column::new("rank");
    let groups = vec![
        Group { title: "B³".into(), columns: vec![Column::new("F1").key(), Column::new("95% interval")] },
        Group { title: "difference|x".into(), columns: vec![Column::new("F1"), Column::new("p"), rank()] },
        Group::untitled(vec![Column::of_text("reading")]),
    ];
    let best = |value: Value<'static>| Cell { value, best: true };
    let row = |name: &'static str, cells: Vec<Cell<'static>>| Line::Row(name.into(), cells);
    let lines = vec![
        Line::Title("group $1 <b>".into()),
        row(
            "=a|b_c*\u{202e}\x1b[31m\n",
            vec![
                best(Value::Number(0.5, Form::Percent)),
                Value::Interval([-0.000_01, 1.0], Form::Percent).into(),
                Value::Number(-0.25, Form::Points).into(),
                Value::P(0.000_01).into(),
                Value::Count(1).into(),
                Value::text("x_1 & y").into(),
            ],
        ),
        Line::Rule,
        row("系统", vec![Value::Undefined.into(), Value::Undefined.into(), Value::Blank.into()]),
    ];
    vec![
        Block::Heading("<script>\u{2067}".into()),
        Block::Grid(Grid { corner: "F1 by system".into(), groups, lines }),
        Block::Notes(vec!["One & all.".to_owned(), "100% of `x`,\nand more.".to_owned()]),
        Block::Alert(Alert {
            place: "a|b<i>.conll:3:15".into(),
            severity: "warning",
            message: "entity `<4>` opens $1 \u{202e}".into(),
            code: "unclosed-mention",
            line: Some((3, ["a_b\t</pre>\x1b[31m".into(), "(4 ```".into(), "|%".into()])),
            notes: vec!["close *it*".to_owned()],
        }),
        Block::Signature("corefeval:0|a:b".to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_their_form() {
        let points = [0.0123, -0.5, -0.000_01].map(|number| Form::Points.show(number));
        assert_eq!(points, ["+1.23", "-50.00", "0.00"]);
        assert_eq!([Form::Percent.show(-0.000_01), Form::Decimals(3).show(-0.25)], ["0.00", "-0.250"]);
        let shown = |value: Value<'_>| {
            let mut text = String::new();
            value.add_to(&mut text, 2);
            text
        };
        assert_eq!([1.0, 0.05, 0.000_05].map(|p| shown(Value::P(p))), ["1.0000", "0.0500", "<0.0001"]);
        assert_eq!(shown(Value::Interval([0.25, 1.0], Form::Decimals(1))), "[0.2, 1.0]");
        assert_eq!(shown(Value::Bounds([0.109_378, 0.110_212])), "[10.93, 11.03]");
        assert_eq!(shown(Value::Bounds([0.29, 0.57])), "[29.00, 57.00]");
        assert_eq!(shown(Value::Bounds([0.0, 1.0])), "[0.00, 100.00]");
        assert_eq!(
            [trimmed(95.0), trimmed(100.0 - 99.9), trimmed(5.000_000_000_000_004)],
            ["95", "0.1", "5"]
        );
    }

    #[test]
    fn grids_are_split_where_a_page_ends() {
        let columns = |title: &str, names: Range<u8>| Group {
            title: title.to_owned().into(),
            columns: names.map(|name| Column::new(char::from(name).to_string())).collect(),
        };
        let groups = vec![columns("X", b'a'..b'd'), columns("Y", b'd'..b'g'), columns("Z", b'g'..b'j')];
        let grid = Grid { corner: "s".into(), groups, lines: vec![Line::row("r", (0..9).map(Value::Count))] };
        let parts = grid.clone().in_parts(Some(8));
        assert_eq!(parts.len(), 2);
        assert_eq!([&parts[0].groups[..], &parts[1].groups[..]].concat(), grid.groups);
        assert_eq!(parts[0].lines, [Line::row("r", (0..6).map(Value::Count))]);
        assert_eq!(parts[1].lines, [Line::row("r", (6..9).map(Value::Count))]);
        // A row is left out of a part where it is blank, with a rule before it.
        let mut with_base = grid.clone();
        with_base.lines.extend([Line::Rule, Line::row("base", (0..6).map(Value::Count))]);
        with_base.lines.insert(0, Line::row("unused", []));
        let names = |grid: &Grid<'_>| -> Vec<String> {
            let lines = grid.lines.iter().map(|line| match line {
                Line::Row(name, _) | Line::Title(name) => name.to_string(),
                Line::Rule => "-".to_owned(),
            });
            lines.collect()
        };
        let parts = with_base.in_parts(Some(8));
        assert_eq!(names(&parts[0]), ["unused", "r", "-", "base"]);
        assert_eq!(names(&parts[1]), ["unused", "r"]);
        assert_eq!(grid.clone().in_parts(None), std::slice::from_ref(&grid));
        assert_eq!(grid.clone().in_parts(Some(9)), [grid]);
        // Columns without a title, and a group that is wider than a page, are split anywhere.
        for title in ["", "T"] {
            let groups = vec![columns(title, b'a'..b'n')];
            let parts = Grid { corner: "s".into(), groups, lines: Vec::new() }.in_parts(Some(8));
            let widths: Vec<usize> = parts.iter().map(|grid| grid.columns().count()).collect();
            assert_eq!(widths, [8, 5]);
            assert!(parts.iter().all(|grid| grid.groups[0].title == title));
        }
    }
}
