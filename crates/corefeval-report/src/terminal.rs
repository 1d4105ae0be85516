//! The terminal: aligned columns that keep within a width, numbers rounded, control characters shown escaped.

use corefeval_core::wording::inert;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::block::{
    Alert, Block, BracketMark, Column, Grid, Line, Passage, UNDEFINED, Value, without_last_rules,
};
use crate::plot::{Forest, ForestRow};
use crate::{Form, Style};

/// The emphasis of a piece of text, if there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Plain,
    Bold,
    Faint,
}

/// The width of grids with titled groups if the terminal's width is unknown. Other grids then have lines of any length,
/// for programs that read them line by line.
const WIDE: usize = 100;

/// The number of spaces between columns.
const GAP: usize = 2;

/// Renders blocks, one below the other.
pub(crate) fn render(blocks: &[Block<'_>], style: Style) -> String {
    let mut out = TerminalText { text: String::new(), style };
    for (place, block) in blocks.iter().enumerate() {
        if place > 0 && !matches!(blocks[place - 1], Block::Heading(_)) {
            out.text.push('\n');
        }
        match block {
            Block::Heading(name) => out.line(&inert(name), Ink::Bold),
            Block::Grid(grid) => out.grid(grid),
            Block::Notes(notes) => notes.iter().for_each(|note| out.wrapped(&inert(note))),
            Block::Figure(figure) => out.figure(figure),
            Block::Passage(passage) => out.passage(passage),
            Block::Alert(alert) => out.alert(alert),
            Block::Signature(signature) => out.line(&inert(signature), Ink::Faint),
        }
    }
    out.text
}

/// The number of terminal columns of a text: two for a Chinese character, none for a combining mark.
fn width_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { UnicodeWidthStr::width(text) }
}

/// Text in lines of at most this many columns, broken between words; a longer word has a separate line.
fn broken(text: &str, limit: usize) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        if limit == usize::MAX || width_of(text) <= limit {
            rest = None;
            return Some(text);
        }
        let (mut end, mut width) = (None, 0);
        for (place, _) in text.match_indices(' ').chain([(text.len(), "")]) {
            width += width_of(&text[end.unwrap_or(0)..place]);
            if end.is_some() && width > limit {
                break;
            }
            end = Some(place);
        }
        let end = end.unwrap_or(text.len());
        rest = text.get(end + 1..);
        Some(&text[..end])
    })
}

struct TerminalText {
    text: String,
    style: Style,
}

impl TerminalText {
    fn paint(&mut self, text: &str, ink: Ink) {
        let code = match ink {
            Ink::Bold if self.style.colour => "\x1b[1m",
            Ink::Faint if self.style.colour => "\x1b[2m",
            _ => return self.text.push_str(text),
        };
        let _ = write!(self.text, "{code}{text}\x1b[0m");
    }

    fn line(&mut self, text: &str, ink: Ink) {
        self.paint(text.trim_end(), ink);
        self.text.push('\n');
    }

    /// A sentence, broken between words if it is wider than the terminal.
    /// Lines that are broken between words. If several spaces separate a sign from its explanation, further lines start
    /// below the explanation.
    fn wrapped(&mut self, text: &str) {
        let limit = self.style.width.unwrap_or(usize::MAX);
        let begin = text.find("  ").map(|gap| gap + (text[gap..].len() - text[gap..].trim_start().len()));
        let indent = begin.map_or(0, |begin| width_of(&text[..begin]));
        let Some(begin) = begin.filter(|_| indent > 0 && 2 * indent < limit) else {
            return broken(text, limit).for_each(|line| self.line(line, Ink::Plain));
        };
        for (place, line) in broken(&text[begin..], limit - indent).enumerate() {
            match place {
                0 => self.line(&format!("{}{line}", &text[..begin]), Ink::Plain),
                _ => self.line(&format!("{:indent$}{line}", ""), Ink::Plain),
            }
        }
    }

    /// A text with its marks, in lines that are broken between words; brackets stay with their words, and a word that is
    /// wider than a line is broken.
    fn passage(&mut self, passage: &Passage<'_>) {
        let mut line = PassageWords { width: 0, limit: self.style.width.unwrap_or(usize::MAX), out: self };
        line.add([(&passage.head, Some("2".to_owned()))]);
        for word in &passage.words {
            line.add(word.iter().map(|piece| (&piece.text, piece.mark.map(code))));
        }
        self.text.push('\n');
    }

    /// A finding: its place and message in one line for editors, its line underlined, then its notes.
    fn alert(&mut self, alert: &Alert<'_>) {
        let colour = match alert.severity {
            "error" => "31",
            "warning" => "33",
            _ => "36",
        };
        let place = inert(&alert.place);
        let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let severity = match self.style.colour {
            true => format!("\x1b[1;{colour}m{}\x1b[0m", alert.severity),
            false => alert.severity.to_owned(),
        };
        let message = inert(&alert.message);
        let _ = writeln!(self.text, "{place}{severity}: {message} [{}]", inert(alert.code));
        if let Some((number, [before, marked, after])) = alert.shown_line() {
            let number = number.to_string();
            let line = format!("  {number} | {before}{marked}{after}");
            let _ = writeln!(self.text, "{}", line.trim_end());
            let blank = " ".repeat(width_of(&before));
            let signs = "^".repeat(width_of(&marked).max(1));
            let _ = write!(self.text, "  {:1$} | {blank}", "", number.len());
            match self.style.colour {
                true => _ = writeln!(self.text, "\x1b[1;{colour}m{signs}\x1b[0m"),
                false => _ = writeln!(self.text, "{signs}"),
            }
        }
        for note in &alert.notes {
            let _ = writeln!(self.text, "  {}", inert(note));
        }
    }

    fn grid(&mut self, grid: &Grid<'_>) {
        let texts = texts(grid, self.style.digits);
        let layout = GridWidths::of(grid, &texts, self.style.width);
        for (place, columns) in layout.parts.iter().enumerate() {
            if place > 0 {
                self.text.push('\n');
            }
            self.part(grid, &texts, &layout, columns.clone());
        }
    }

    /// Some of the columns of a grid, after the names of its rows.
    fn part(&mut self, grid: &Grid<'_>, texts: &CellTexts<'_>, layout: &GridWidths, columns: Range<usize>) {
        let of_part = || grid.columns().zip(&layout.widths).skip(columns.start).take(columns.len());
        let mut corner = &grid.corner[..];
        if grid.has_titles() {
            // A corner that has a separate line does not divide titles and heads.
            if layout.wraps && width_of(&inert(corner)) > layout.names {
                self.line(&inert(corner), Ink::Bold);
                corner = "";
            }
            self.titles(grid, layout, &columns);
        }
        let mut cells = CellLine::new(layout, corner);
        for ((_, column), &width) in of_part() {
            cells.add(&inert(&column.head), width, column.text, Ink::Bold);
        }
        if !corner.is_empty() || !cells.cells.is_empty() {
            cells.write(self, Ink::Bold);
        }
        let mut lines: Vec<_> =
            grid.lines.iter().zip(texts).filter(|(line, _)| line.is_in_part(&columns)).collect();
        without_last_rules(&mut lines, |(line, _)| matches!(line, Line::Rule));
        for (line, texts) in lines {
            match line {
                Line::Title(title) => self.line(&inert(title), Ink::Bold),
                Line::Rule => {
                    let width: usize = of_part().map(|(_, width)| GAP + width).sum();
                    self.line(&"─".repeat(layout.names + width), Ink::Faint);
                }
                Line::Row(name, values) => {
                    let mut cells = CellLine::new(layout, name);
                    let own = values.iter().zip(texts).skip(columns.start);
                    for ((cell, text), ((_, column), &width)) in own.zip(of_part()) {
                        let ink = if cell.best || column.key { Ink::Bold } else { Ink::Plain };
                        cells.add(text, width, column.text, ink);
                    }
                    cells.write(self, Ink::Plain);
                }
            }
        }
    }

    /// The titles of the groups above their columns; nothing if these have none.
    fn titles(&mut self, grid: &Grid<'_>, layout: &GridWidths, columns: &Range<usize>) {
        let mut cells = CellLine::new(layout, "");
        let (mut start, mut has_title) = (0, false);
        for group in &grid.groups {
            let end = start + group.columns.len();
            let (first, last) = (start.max(columns.start), end.min(columns.end));
            if first < last {
                has_title |= !group.title.is_empty();
                let width = layout.width_of_columns(first..last);
                cells.add(&inert(&group.title), width, true, Ink::Bold);
            }
            start = end;
        }
        if has_title {
            cells.write(self, Ink::Bold);
        }
    }

    /// The rows of a figure on one scale: `  ├──●─┤  `.
    fn figure(&mut self, figure: &Forest) {
        for (place, block) in figure.blocks.iter().enumerate() {
            if place > 0 {
                self.text.push('\n');
            }
            let ends = block.rows.iter().filter(|row| !row.value.is_nan());
            let ends = ends.flat_map(|row| [row.value, row.ends.0, row.ends.1]);
            let scale = ends.fold((f64::MAX, f64::MIN), |(low, high), end| (low.min(end), high.max(end)));
            let names = block.rows.iter().map(|row| width_of(&inert(&row.name)));
            let names = names.max().unwrap_or(0).max(width_of(&block.title));
            let limit = self.style.width.map_or(BAR, |width| width.saturating_sub(names + GAP));
            let bar_width = limit.clamp(20, BAR);
            let layout = GridWidths { names, wraps: false, widths: vec![bar_width], parts: Vec::new() };
            let head = match scale.0 <= scale.1 {
                true => {
                    let [low, high] = [scale.0, scale.1].map(|end| Form::Percent.show(end));
                    format!("{low}{high:>0$}", bar_width - low.len())
                }
                false => UNDEFINED.to_owned(),
            };
            let mut cells = CellLine::new(&layout, &block.title);
            cells.add(&head, bar_width, true, Ink::Bold);
            cells.write(self, Ink::Bold);
            for row in &block.rows {
                let mut cells = CellLine::new(&layout, &row.name);
                cells.add(bar(row, scale, bar_width).trim_end(), bar_width, true, Ink::Plain);
                cells.write(self, Ink::Plain);
            }
        }
    }
}

/// The colours of entities, as codes of a terminal.
const COLOURS: [&str; 6] = ["36", "33", "35", "32", "34", "31"];

/// The code of a mark.
fn code(mark: BracketMark) -> String {
    let colour = COLOURS[mark.entity % COLOURS.len()];
    if mark.strong { format!("1;{colour}") } else { colour.to_owned() }
}

/// Words of a passage that are laid out in lines.
struct PassageWords<'t> {
    width: usize,
    limit: usize,
    out: &'t mut TerminalText,
}

impl PassageWords<'_> {
    /// Adds the pieces of a word, which stay together, each with the code of its colour.
    fn add<'p>(&mut self, pieces: impl IntoIterator<Item = (&'p Cow<'p, str>, Option<String>)>) {
        let pieces: Vec<(Cow<'p, str>, Option<String>)> =
            pieces.into_iter().map(|(text, code)| (inert(text), code)).collect();
        let own: usize = pieces.iter().map(|piece| width_of(&piece.0)).sum();
        if self.width > 0 && self.width + 1 + own > self.limit {
            self.end_line();
        } else if self.width > 0 {
            self.out.text.push(' ');
            self.width += 1;
        }
        for (piece, code) in &pieces {
            let mut rest = piece.as_ref();
            while !rest.is_empty() {
                let part = self.fitting(rest);
                if part.is_empty() {
                    self.end_line();
                    continue;
                }
                match code {
                    Some(code) if self.out.style.colour => {
                        let _ = write!(self.out.text, "\x1b[{code}m{part}\x1b[0m");
                    }
                    _ => self.out.text.push_str(part),
                }
                self.width += width_of(part);
                rest = &rest[part.len()..];
            }
        }
    }

    /// The start of a text that fits into the rest of the line: at least one character on an empty line.
    fn fitting<'t>(&self, text: &'t str) -> &'t str {
        let room = self.limit.saturating_sub(self.width);
        if width_of(text) <= room {
            return text;
        }
        let ends = text.char_indices().map(|(place, character)| place + character.len_utf8());
        let fitting = ends.clone().take_while(|&end| width_of(&text[..end]) <= room).last();
        let least = if self.width == 0 { ends.clone().next() } else { None };
        &text[..fitting.or(least).unwrap_or(0)]
    }

    fn end_line(&mut self) {
        self.out.text.push('\n');
        self.width = 0;
    }
}

/// The number of characters of a bar if there is room.
const BAR: usize = 40;

/// A value and its interval on a scale; empty if there is no value.
fn bar(row: &ForestRow, (low, high): (f64, f64), width: usize) -> String {
    if row.value.is_nan() {
        return String::new();
    }
    let place = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        (share.clamp(0.0, 1.0) * (width - 1) as f64).round() as usize
    };
    let (value, first, last) = (place(row.value), place(row.ends.0), place(row.ends.1));
    let character = |place: usize| match place {
        place if place == value => '●',
        place if place == first => '├',
        place if place == last => '┤',
        place if (first..last).contains(&place) => '─',
        _ => ' ',
    };
    (0..width).map(character).collect()
}

/// The texts of the cells of each line.
type CellTexts<'t> = Vec<Vec<Cow<'t, str>>>;

/// Returns the texts of the cells of a grid.
fn texts<'t>(grid: &'t Grid<'_>, digits: u8) -> CellTexts<'t> {
    let text = |value: &'t Value<'_>| match value {
        Value::Text(text) | Value::Code(text) => inert(text),
        value => {
            let mut text = String::new();
            value.add_to(&mut text, digits);
            Cow::Owned(text)
        }
    };
    let of_line = |line: &'t Line<'_>| match line {
        Line::Row(_, cells) => cells.iter().map(|cell| text(&cell.value)).collect(),
        _ => Vec::new(),
    };
    grid.lines.iter().map(of_line).collect()
}

/// The widths of the columns of a grid, and which are side by side.
struct GridWidths {
    /// The width of the column of names.
    names: usize,
    /// True if wider names have a separate line.
    wraps: bool,
    widths: Vec<usize>,
    parts: Vec<Range<usize>>,
}

/// The narrowest column of numbers.
const NARROWEST: usize = 6;

/// The narrowest column into which text is broken.
const NARROWEST_TEXT: usize = 20;

impl GridWidths {
    fn of(grid: &Grid<'_>, texts: &CellTexts<'_>, width: Option<usize>) -> GridWidths {
        let narrowest = |column: &Column<'_>| if column.text { 0 } else { NARROWEST };
        let head = |(_, column): (_, &Column<'_>)| width_of(&inert(&column.head)).max(narrowest(column));
        let mut widths: Vec<usize> = grid.columns().map(head).collect();
        let corner = width_of(&inert(&grid.corner));
        let mut of_rows = 0;
        for (line, texts) in grid.lines.iter().zip(texts) {
            let Line::Row(name, _) = line else { continue };
            of_rows = of_rows.max(width_of(&inert(name)));
            for (width, text) in widths.iter_mut().zip(texts) {
                *width = (*width).max(width_of(text));
            }
        }
        let limit = width.or_else(|| grid.has_titles().then_some(WIDE)).unwrap_or(usize::MAX);
        let layout = |names: usize, wraps: bool| {
            GridWidths { names, wraps, widths: widths.clone(), parts: Vec::new() }.in_parts(grid, limit)
        };
        let whole = layout(corner.max(of_rows), false);
        let half = (limit / 2).max(NARROWEST);
        let has_text = grid.columns().any(|(_, column)| column.text);
        // Text can be broken to any width, but needs half of it.
        let room = limit.saturating_sub(whole.names + GAP);
        let fits = whole.parts.len() == 1 && whole.width_of_columns(0..widths.len()) <= room;
        let fits = fits && (!has_text || whole.names <= half);
        if width.is_none() || fits {
            return whole;
        }
        // A corner that is longer than all names has a separate line if more columns are then side by side.
        if corner > of_rows && of_rows <= half {
            let below = layout(of_rows, true);
            if whole.names > half || below.parts.len() < whole.parts.len() {
                return below;
            }
        }
        // Long names leave half of the width to numbers, and nearly all of it to text alone.
        let is_text = grid.columns().all(|(_, column)| column.text);
        if whole.names > half { layout(if is_text { 0 } else { half }, true) } else { whole }
    }

    /// Decides which columns of a grid are side by side.
    fn in_parts(self, grid: &Grid<'_>, limit: usize) -> GridWidths {
        let mut layout = self;
        let mut start = 0;
        for group in &grid.groups {
            let columns = start..start + group.columns.len();
            start = columns.end;
            let Some(last) = columns.clone().last() else { continue };
            if group.title.is_empty() {
                // These columns may be separated, and wide text is broken between words.
                let room = limit.saturating_sub(layout.names + GAP).max(NARROWEST_TEXT);
                for (column, of) in columns.zip(&group.columns) {
                    if of.text {
                        layout.widths[column] = layout.widths[column].min(room);
                    }
                    layout.place(column..column + 1, limit);
                }
                continue;
            }
            // A title that is wider than its columns widens the last one.
            let own = layout.width_of_columns(columns.clone());
            layout.widths[last] += width_of(&inert(&group.title)).saturating_sub(own);
            layout.place(columns, limit);
        }
        if layout.parts.is_empty() {
            layout.parts.push(0..0);
        }
        layout
    }

    /// Puts a group to the right of the previous columns if there is room, otherwise below them; a group that is too wide by
    /// itself is split.
    fn place(&mut self, columns: Range<usize>, limit: usize) {
        let room = limit.saturating_sub(self.names + GAP);
        if let Some(part) = self.parts.last_mut() {
            let joined = part.start..columns.end;
            let width: usize = self.widths[joined.clone()].iter().map(|width| width + GAP).sum();
            if width <= room.saturating_add(GAP) {
                *part = joined;
                return;
            }
        }
        let mut part = columns.start..columns.start;
        for column in columns {
            let joined = part.start..column + 1;
            if !part.is_empty() && self.width_of_columns(joined.clone()) > room {
                self.parts.push(part);
                part = column..column + 1;
            } else {
                part = joined;
            }
        }
        self.parts.push(part);
    }

    /// The width of neighbouring columns with the gaps between them.
    fn width_of_columns(&self, columns: Range<usize>) -> usize {
        let widths = &self.widths[columns];
        widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
    }
}

/// A line of cells, without spaces at its end.
struct CellLine<'n> {
    name: Cow<'n, str>,
    names: usize,
    wraps: bool,
    /// The cells with their styles, each after this many spaces.
    cells: Vec<(usize, String, Ink)>,
    /// Blanks before the next cell.
    blanks: usize,
    /// The start of the next cell.
    start: usize,
    /// The indentation of continued lines.
    more: Vec<(usize, String)>,
}

impl<'n> CellLine<'n> {
    fn new(layout: &GridWidths, name: &'n str) -> CellLine<'n> {
        let (names, wraps) = (layout.names, layout.wraps);
        let (cells, more) = (Vec::with_capacity(layout.widths.len()), Vec::new());
        CellLine { name: inert(name), names, wraps, cells, blanks: 0, start: names, more }
    }

    fn add(&mut self, cell: &str, width: usize, left: bool, ink: Ink) {
        self.start += GAP;
        let start = self.start;
        self.start += width;
        let mut lines = broken(cell, if left { width } else { usize::MAX });
        let cell = lines.next().unwrap_or_default();
        self.more.extend(lines.map(|line| (start, line.to_owned())));
        let rest = width.saturating_sub(width_of(cell));
        let (before, after) = if left { (0, rest) } else { (rest, 0) };
        self.blanks += GAP + before;
        if cell.is_empty() {
            self.blanks += after;
            return;
        }
        self.cells.push((self.blanks, cell.to_owned(), ink));
        self.blanks = after;
    }

    fn write(self, out: &mut TerminalText, ink: Ink) {
        let width = width_of(&self.name);
        out.paint(if self.cells.is_empty() { self.name.trim_end() } else { &self.name }, ink);
        let mut rest = self.names.saturating_sub(width);
        if self.wraps && width > self.names && !self.cells.is_empty() {
            out.text.push('\n');
            rest = self.names;
        }
        for (blanks, cell, ink) in &self.cells {
            out.text.extend(std::iter::repeat_n(' ', rest + blanks));
            rest = 0;
            out.paint(cell, *ink);
        }
        out.text.push('\n');
        for (start, line) in &self.more {
            let _ = writeln!(out.text, "{:start$}{}", "", line.trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Group, sample};

    #[test]
    fn control_sequences_are_escaped() {
        for width in [None, Some(60), Some(20), Some(1)] {
            for colour in [false, true] {
                let text = render(&sample(), Style { colour, width, ..Style::default() });
                let codes = ["1", "2", "1;31", "1;33", "1;36", "0"];
                let plain =
                    codes.iter().fold(text.clone(), |text, code| text.replace(&format!("\x1b[{code}m"), ""));
                assert!(
                    !plain.chars().any(|c| c != '\n' && corefeval_core::wording::is_hostile(c)),
                    "{text}"
                );
                assert!(plain.contains("\\u{202e}\\u{1b}[31m\\n"), "{text}");
                assert!(plain.lines().all(|line| line.trim_end() == line), "{text:?}");
            }
        }
    }

    #[test]
    fn columns_below_others_have_no_rows_without_values() {
        let columns = ["in sequence", "alone"].map(Column::new).to_vec();
        let lines = vec![
            Line::row("response", [1].map(Value::Count)),
            Line::row("Span error", [2, 3].map(Value::Count)),
            Line::row("None", []),
            Line::Rule,
            Line::row("key", [4].map(Value::Count)),
        ];
        let group = Group { title: "".into(), columns };
        let grid = Grid { corner: "F1".into(), groups: vec![group], lines };
        let text = render(&[Block::Grid(grid)], Style { width: Some(24), ..Style::default() });
        let below = text.split_once("\n\n").expect("the columns are not side by side").1;
        let names: Vec<&str> =
            below.lines().map(|line| line.split("  ").next().unwrap_or_default()).collect();
        assert_eq!(names, ["F1", "Span error", "None"], "{text}");
    }

    #[test]
    fn grids_keep_to_a_width() {
        let column = |number: usize| Column::new(format!("metric {number}"));
        let lines = (0..3)
            .map(|row| Line::row(format!("系统 {row}"), (0..20).map(|_| Value::Number(0.5, Form::Percent))));
        let groups = |columns: usize| -> Vec<Group<'_>> {
            let numbers: Vec<usize> = (0..20).collect();
            let group = |chunk: &[usize]| Group {
                title: format!("group of {}", chunk[0]).into(),
                columns: chunk.iter().map(|&number| column(number)).collect(),
            };
            numbers.chunks(columns).map(group).collect()
        };
        for columns in [1, 3, 20] {
            let grid = Grid { corner: "F1".into(), groups: groups(columns), lines: lines.clone().collect() };
            for width in [30, 60, 100] {
                let style = Style { width: Some(width), ..Style::default() };
                let text = render(&[Block::Grid(grid.clone())], style);
                assert!(text.lines().all(|line| width_of(line) <= width), "{width}\n{text}");
                assert_eq!(text.matches("50.00").count(), 60);
                assert!((0..20).all(|number| text.contains(&format!("metric {number}"))));
            }
        }
    }

    #[test]
    fn widths_are_terminal_columns() {
        let grid = Grid {
            corner: "F1".into(),
            groups: vec![Group::untitled(vec![Column::new("x"), Column::of_text("reading")])],
            lines: vec![
                Line::row("系统", [Value::Count(7), Value::text("none")]),
                Line::row("e\u{301}", [Value::Undefined]),
            ],
        };
        let text = render(&[Block::Grid(grid)], Style::default());
        assert_eq!(text, "F1         x  reading\n系统       7  none\ne\u{301}          –\n");
    }

    #[test]
    fn long_names_have_separate_lines() {
        let grid = Grid {
            corner: "document".into(),
            groups: vec![Group::untitled(vec![Column::new("F1")])],
            lines: vec![Line::row("a/very/long/name/of/a/file", [Value::Count(7)])],
        };
        let render = |width| render(&[Block::Grid(grid.clone())], Style { width, ..Style::default() });
        assert_eq!(
            render(Some(24)),
            "document          F1\na/very/long/name/of/a/file\n                   7\n"
        );
        assert_eq!(render(None).lines().count(), 2);
    }

    /// A corner that is wider than all names does not cost columns.
    #[test]
    fn long_corners_have_a_separate_line() {
        let grid = Grid {
            corner: "Pronoun (first 10 of 16)".into(),
            groups: vec![Group::untitled(vec![Column::new("correct"), Column::new("% correct")])],
            lines: vec![Line::row("it", [Value::Count(1), Value::Count(50)])],
        };
        let render = |width| render(&[Block::Grid(grid.clone())], Style { width, ..Style::default() });
        let wide =
            "Pronoun (first 10 of 16)  correct  % correct\nit                              1         50\n";
        assert_eq!([render(None), render(Some(44))], [wide, wide]);
        let narrow = "Pronoun (first 10 of 16)\n    correct  % correct\nit        1         50\n";
        assert_eq!([render(Some(43)), render(Some(24))], [narrow, narrow]);
    }

    /// Columns without a title below the others have no empty line above them, and long names before text a small
    /// indentation below them.
    #[test]
    fn columns_below_others_have_only_their_own_titles() {
        let titled = Group { title: "key".into(), columns: vec![Column::new("missed")] };
        let grid = Grid {
            corner: "document".into(),
            groups: vec![titled, Group::untitled(vec![Column::new("kinds")])],
            lines: vec![Line::row("document 1", [Value::Count(1), Value::Count(2)])],
        };
        let style = Style { width: Some(20), ..Style::default() };
        assert_eq!(
            render(&[Block::Grid(grid)], style),
            "            key\ndocument    missed\ndocument 1       1\n\ndocument     kinds\ndocument 1       2\n"
        );
        let text = Grid {
            corner: "Error".into(),
            groups: vec![Group::untitled(vec![Column::of_text("summary")])],
            lines: vec![Line::row("document, sentence 1", [Value::text("one two three four five")])],
        };
        assert_eq!(
            render(&[Block::Grid(text)], Style { width: Some(24), ..Style::default() }),
            "Error\n  summary\ndocument, sentence 1\n  one two three four\n  five\n"
        );
    }

    #[test]
    fn text_is_broken_between_words() {
        let lines = |text, limit| broken(text, limit).collect::<Vec<_>>();
        assert_eq!(lines("a bc def g", 4), ["a bc", "def", "g"]);
        assert_eq!([lines("abcdef g", 3), lines("", 3)], [vec!["abcdef", "g"], vec![""]]);
        let text = "a sentence of ten words that is wider than sixty columns";
        let grid = Grid {
            corner: "".into(),
            groups: vec![Group::untitled(vec![Column::of_text("")])],
            lines: vec![Line::row("name", [Value::text(text)])],
        };
        let shown = render(&[Block::Grid(grid)], Style { width: Some(30), ..Style::default() });
        assert_eq!(shown, "name  a sentence of ten words\n      that is wider than sixty\n      columns\n");
    }

    #[test]
    fn bars_have_their_ends_and_their_value() {
        let row = |value: f64, ends: (f64, f64)| ForestRow { value, ends, ..ForestRow::default() };
        let drawn = bar(&row(0.5, (0.0, 1.0)), (0.0, 1.0), BAR);
        assert_eq!(drawn.chars().count(), BAR);
        assert!(drawn.starts_with("├──") && drawn.ends_with("──┤") && drawn.matches('●').count() == 1);
        assert_eq!(bar(&row(0.3, (0.3, 0.3)), (0.3, 0.3), BAR).trim(), "●");
        assert_eq!(bar(&row(0.0, (0.0, 0.1)), (0.0, 1.0), BAR).trim_end(), "●───┤");
        assert_eq!(bar(&row(f64::NAN, (0.0, 0.1)), (0.0, 1.0), BAR), "");
    }
}
