//! The report of errors as blocks, and blocks as text: aligned tables, Markdown, LaTeX.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A part of a report.
pub enum Block<'r> {
    /// The name of what follows.
    Heading(Cow<'r, str>),
    /// A table.
    Grid(Grid<'r>),
    /// Sentences, each a line or an item.
    Notes(Vec<String>),
    /// What the numbers depend on.
    Signature(String),
}

/// A table: named rows, and columns in groups.
pub struct Grid<'r> {
    /// The head of the column of names.
    pub corner: Cow<'r, str>,
    /// The columns to the right of it.
    pub groups: Vec<Group<'r>>,
    /// The lines below the head.
    pub lines: Vec<Line<'r>>,
}

/// Columns that belong together, under a title if they have one.
pub struct Group<'r> {
    /// The head above its columns; empty where they have none.
    pub title: Cow<'r, str>,
    /// The heads of its columns.
    pub columns: Vec<Cow<'r, str>>,
}

/// A line of a grid.
pub enum Line<'r> {
    /// A name with a cell for each column.
    Row(Cow<'r, str>, Vec<Value<'r>>),
    /// The name of the rows that follow.
    Title(Cow<'r, str>),
    /// Separates what follows.
    Rule,
}

/// What a cell holds.
pub enum Value<'r> {
    /// Nothing belongs here.
    Blank,
    /// Something belongs here and is undefined.
    Undefined,
    /// Text from data.
    Text(Cow<'r, str>),
    /// A number of things.
    Count(u64),
    /// A fraction in percent.
    Percent(f64),
    /// A difference of fractions in percentage points.
    Points(f64),
}

impl Value<'_> {
    fn show(&self) -> String {
        match self {
            Value::Blank => String::new(),
            Value::Undefined => "–".to_owned(),
            Value::Text(text) => text.to_string(),
            Value::Count(count) => count.to_string(),
            Value::Percent(share) => format!("{:.2}", 100.0 * share),
            Value::Points(points) => {
                let text = format!("{:+.2}", 100.0 * points);
                // What rounds to 0 has no sign.
                if text[1..].bytes().all(|byte| matches!(byte, b'0' | b'.')) {
                    text[1..].to_owned()
                } else {
                    text
                }
            }
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Value::Text(_))
    }
}

impl<'r> Grid<'r> {
    /// The grid as rows of text, the heads first.
    fn cells(&self) -> Vec<Vec<String>> {
        let heads = self.groups.iter().flat_map(|group| {
            group.columns.iter().map(move |head| match group.title.is_empty() {
                true => head.to_string(),
                false => format!("{}: {head}", group.title),
            })
        });
        let mut rows = vec![std::iter::once(self.corner.to_string()).chain(heads).collect::<Vec<_>>()];
        for line in &self.lines {
            match line {
                Line::Row(name, cells) => {
                    rows.push(
                        std::iter::once(name.to_string()).chain(cells.iter().map(Value::show)).collect(),
                    );
                }
                Line::Title(name) => rows.push(vec![name.to_string()]),
                Line::Rule => {}
            }
        }
        rows
    }

    /// For each column whether it holds text.
    fn text_columns(&self) -> Vec<bool> {
        let columns: usize = self.groups.iter().map(|group| group.columns.len()).sum();
        let mut text = vec![false; columns + 1];
        text[0] = true;
        for line in &self.lines {
            if let Line::Row(_, cells) = line {
                text.iter_mut().skip(1).zip(cells).for_each(|(text, cell)| *text |= cell.is_text());
            }
        }
        text
    }
}

/// Blocks as aligned text. Control characters and those that turn the direction of text are shown escaped.
pub fn table(blocks: &[Block<'_>], colour: bool) -> String {
    let mut text = String::new();
    for (place, block) in blocks.iter().enumerate() {
        if place > 0 && !matches!(blocks[place - 1], Block::Heading(_)) {
            text.push('\n');
        }
        match block {
            Block::Heading(name) => {
                let _ = match colour {
                    true => writeln!(text, "\x1b[1m{}\x1b[0m", escape(name)),
                    false => writeln!(text, "{}", escape(name)),
                };
            }
            Block::Notes(notes) => notes.iter().for_each(|note| {
                let _ = writeln!(text, "{}", escape(note));
            }),
            Block::Signature(signature) => {
                let _ = writeln!(text, "{}", escape(signature));
            }
            Block::Grid(grid) => aligned(&mut text, grid),
        }
    }
    text
}

fn aligned(text: &mut String, grid: &Grid<'_>) {
    let titled = grid.groups.iter().any(|group| !group.title.is_empty());
    let of_text = grid.text_columns();
    let heads =
        grid.groups.iter().flat_map(|group| group.columns.iter().map(|head| escape(head).into_owned()));
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(escape(&grid.corner).into_owned()).chain(heads).collect()];
    for line in &grid.lines {
        rows.push(match line {
            Line::Row(name, cells) => std::iter::once(escape(name).into_owned())
                .chain(cells.iter().map(|cell| escape(&cell.show()).into_owned()))
                .collect(),
            Line::Title(_) | Line::Rule => Vec::new(),
        });
    }
    let mut widths = vec![0; of_text.len()];
    for row in &rows {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(width_of(cell)));
    }
    if titled {
        let mut line = " ".repeat(widths[0]);
        let mut next = 1;
        for group in &grid.groups {
            let columns = next..next + group.columns.len();
            let width = widths[columns.clone()].iter().sum::<usize>() + 2 * columns.len().saturating_sub(1);
            let title = escape(&group.title);
            if let Some(last) = widths.get_mut(columns.end - 1)
                && width_of(&title) > width
            {
                *last += width_of(&title) - width;
            }
            let width = width.max(width_of(&title));
            let pad = width - width_of(&title);
            let _ = write!(line, "  {}{title}", " ".repeat(pad));
            next = columns.end;
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for (place, row) in rows.iter().enumerate() {
        match place.checked_sub(1).map(|place| &grid.lines[place]) {
            Some(Line::Title(name)) => {
                let _ = writeln!(text, "{}", escape(name));
                continue;
            }
            Some(Line::Rule) => {
                let width = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
                let _ = writeln!(text, "{}", "─".repeat(width));
                continue;
            }
            _ => {}
        }
        let mut line = String::new();
        for ((cell, width), of_text) in row.iter().zip(&widths).zip(&of_text) {
            let pad = " ".repeat(width - width_of(cell));
            if !line.is_empty() || *width == 0 {
                line.push_str("  ");
            }
            match of_text {
                true => line.extend([cell.as_str(), &pad]),
                false => line.extend([pad.as_str(), cell]),
            }
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// Blocks in Markdown.
pub fn markdown(blocks: &[Block<'_>]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Heading(name) => {
                let _ = writeln!(text, "## {}\n", in_markdown(name));
            }
            Block::Notes(notes) => {
                notes.iter().for_each(|note| {
                    let _ = writeln!(text, "- {}", in_markdown(note));
                });
                text.push('\n');
            }
            Block::Signature(signature) => {
                let _ = writeln!(text, "`{}`", signature.replace('`', "'"));
            }
            Block::Grid(grid) => {
                let of_text = grid.text_columns();
                for (place, row) in grid.cells().iter().enumerate() {
                    let cells: Vec<String> = row.iter().map(|cell| in_markdown(cell)).collect();
                    let _ = writeln!(text, "| {} |", cells.join(" | "));
                    if place == 0 {
                        let rule: Vec<&str> =
                            of_text.iter().map(|&of_text| if of_text { "---" } else { "---:" }).collect();
                        let _ = writeln!(text, "|{}|", rule.join("|"));
                    }
                }
                text.push('\n');
            }
        }
    }
    text
}

/// Blocks in LaTeX, with booktabs.
pub fn latex(blocks: &[Block<'_>]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Heading(name) => {
                let _ = writeln!(text, "\\paragraph{{{}}}", in_latex(name));
            }
            Block::Notes(notes) => {
                text.push_str("\\begin{itemize}\n");
                notes.iter().for_each(|note| {
                    let _ = writeln!(text, "\\item {}", in_latex(note));
                });
                text.push_str("\\end{itemize}\n");
            }
            Block::Signature(signature) => {
                let _ = writeln!(text, "% {}", escape(signature));
            }
            Block::Grid(grid) => {
                let columns: String =
                    grid.text_columns().iter().map(|&of_text| if of_text { 'l' } else { 'r' }).collect();
                let _ = writeln!(text, "\\begin{{tabular}}{{{columns}}}\n\\toprule");
                for (place, row) in grid.cells().iter().enumerate() {
                    let cells: Vec<String> = row.iter().map(|cell| in_latex(cell)).collect();
                    let _ = writeln!(text, "{} \\\\", cells.join(" & "));
                    if place == 0 {
                        text.push_str("\\midrule\n");
                    }
                }
                text.push_str("\\bottomrule\n\\end{tabular}\n");
            }
        }
    }
    text
}

/// Text in which nothing can be markup.
fn in_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for character in escape(text).chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
    }
    escaped
}

fn in_latex(text: &str) -> String {
    let mut escaped = String::new();
    for character in escape(text).chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '[' => escaped.push_str("{[}"),
            '–' => escaped.push_str("--"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Text without control characters and without characters that turn the direction of what follows, which are shown
/// as `\n` or `\u{202e}`.
pub fn escape(text: &str) -> Cow<'_, str> {
    let hostile = |character: char| {
        character.is_control()
            || matches!(
                character,
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            )
    };
    if !text.chars().any(hostile) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match hostile(character) {
            true => escaped.extend(character.escape_default()),
            false => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// How many columns of a terminal a text takes.
pub fn width_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { unicode_width::UnicodeWidthStr::width(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_inert_in_every_output() {
        let name = "=<b>|\u{202e}\x1b[31m_$\n";
        let blocks = [Block::Grid(Grid {
            corner: "Errors".into(),
            groups: vec![Group { title: name.into(), columns: vec!["a".into(), "b".into()] }],
            lines: vec![Line::Row(name.into(), vec![Value::Count(3), Value::Points(-0.000_01)]), Line::Rule],
        })];
        let text = table(&blocks, false);
        assert!(!text.contains(['\u{202e}', '\x1b']) && text.lines().count() == 4, "{text}");
        assert!(text.contains("  3 ") && text.contains(" 0.00"), "{text}");
        let text = markdown(&blocks);
        assert!(text.contains("&lt;b&gt;\\|") && !text.contains('\x1b'), "{text}");
        let text = latex(&blocks);
        assert!(text.contains("\\_\\$") && !text.contains('\x1b'), "{text}");
    }
}
