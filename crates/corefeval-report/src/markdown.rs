//! Markdown, as GitHub renders it: a table for each grid; text from data is escaped for Markdown, HTML and math.

use std::fmt::{self, Write as _};

use crate::block::{Alert, Block, Grid, Line, Value};

/// Renders blocks, separated by empty lines.
pub(crate) fn render(blocks: &[Block<'_>], digits: u8) -> String {
    let mut text = String::new();
    for block in blocks {
        if matches!(block, Block::Figure(_)) {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = match block {
            Block::Heading(name) => writeln!(text, "### {}", escaped(name)),
            Block::Grid(grid) => add_grid(&mut text, grid, digits),
            Block::Notes(notes) => notes.iter().try_for_each(|note| writeln!(text, "- {}", escaped(note))),
            Block::Signature(signature) => writeln!(text, "{}", code(signature)),
            Block::Passage(passage) => {
                writeln!(text, "**{}** {}", escaped(&passage.head), escaped(&passage.line()))
            }
            Block::Alert(alert) => add_alert(&mut text, alert),
            Block::Figure(_) => Ok(()),
        };
    }
    text
}

fn add_alert(text: &mut String, alert: &Alert<'_>) -> fmt::Result {
    text.push_str("- ");
    if !alert.place.is_empty() {
        write!(text, "{} ", code(&alert.place))?;
    }
    text.push_str(&escaped(&alert.head()));
    if let Some((_, line)) = alert.shown_line() {
        let [before, marked, after] = line.map(|part| escaped(&part));
        write!(text, ": {before}**{marked}**{after}")?;
    }
    text.push('\n');
    alert.notes.iter().try_for_each(|note| writeln!(text, "  - {}", escaped(note)))
}

fn add_grid(text: &mut String, grid: &Grid<'_>, digits: u8) -> fmt::Result {
    let columns: Vec<_> = grid.columns().collect();
    write!(text, "| {} |", escaped(&grid.corner))?;
    for (group, column) in &columns {
        write!(text, " {} |", escaped(&group.full_head(column)))?;
    }
    text.push_str("\n|---|");
    columns.iter().for_each(|(_, column)| text.push_str(if column.text { "---|" } else { "---:|" }));
    text.push('\n');
    for line in &grid.lines {
        let (name, cells, strong) = match line {
            Line::Row(name, cells) => (name, cells.as_slice(), ""),
            Line::Title(title) => (title, &[][..], "**"),
            // A table in Markdown has no rules; the next rows have a separate heading.
            Line::Rule => continue,
        };
        write!(text, "| {strong}{}{strong} |", escaped(name))?;
        for place in 0..columns.len() {
            match cells.get(place).filter(|cell| cell.value != Value::Blank) {
                Some(cell) => {
                    let strong = if cell.best { "**" } else { "" };
                    write!(text, " {strong}{}{strong} |", cell_text(&cell.value, digits))?;
                }
                None => text.push_str(" |"),
            }
        }
        text.push('\n');
    }
    Ok(())
}

fn cell_text(value: &Value<'_>, digits: u8) -> String {
    match value {
        Value::Text(words) => escaped(words),
        Value::Code(words) => code(words),
        value => {
            let mut number = String::new();
            value.add_to(&mut number, digits);
            // Brackets of an interval do not form a link without a target; a p-value may start with an HTML
            // character.
            if matches!(value, Value::P(_)) { number.replace('<', "&lt;") } else { number }
        }
    }
}

/// Returns text, escaped for Markdown, for HTML within it and for math, on one line. Control characters and direction
/// overrides are shown escaped.
fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    let words = words.replace(['\n', '\r'], " ");
    let words = corefeval_core::wording::inert(&words);
    let mut before = ' ';
    let mut characters = words.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' | '|' | '*' | '`' | '[' | ']' | '~' => text.extend(['\\', character]),
            // Within a word it has no effect.
            '_' if before.is_alphanumeric()
                && characters.peek().is_some_and(|next| next.is_alphanumeric()) =>
            {
                text.push('_');
            }
            '_' => text.push_str("\\_"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            // A backslash would not stop it from starting a formula.
            '$' => text.push_str("&#36;"),
            other => text.push(other),
        }
        before = character;
    }
    text
}

/// Returns code between more backticks than it contains.
fn code(code: &str) -> String {
    let code = code.replace(['\n', '\r'], " ");
    let code = corefeval_core::wording::inert(&code);
    let longest = code.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let (fence, room) = ("`".repeat(longest + 1), if longest > 0 { " " } else { "" });
    format!("{fence}{room}{code}{room}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Column, Group, sample};

    #[test]
    fn text_from_data_is_escaped() {
        let text = render(&sample(), 2);
        assert!(
            text.starts_with("### &lt;script&gt;\\\\u{2067}\n\n| F1 by system | B³ F1 | B³ 95% interval |"),
            "{text}"
        );
        assert!(text.contains("| =a\\|b_c\\*\\\\u{202e}\\\\u{1b}\\[31m  | **50.00** |"), "{text}");
        assert!(text.contains("| -25.00 | &lt;0.0001 | 1 | x_1 &amp; y |"), "{text}");
        assert!(text.contains("| **group &#36;1 &lt;b&gt;** | | | | | | |"), "{text}");
        assert!(text.contains("| 系统 | – | – | | | | |"), "{text}");
        assert!(text.contains("- 100% of \\`x\\`, and more."), "{text}");
        let bars = |line: &str| line.replace("\\|", "").matches('|').count();
        let table: Vec<usize> = text.lines().filter(|line| line.starts_with('|')).map(bars).collect();
        assert_eq!(table, [8; 5], "{text}");
        assert_eq!(code("a``b"), "``` a``b ```");
        assert_eq!(escaped("_a_b_"), "\\_a_b\\_");
    }

    #[test]
    fn text_columns_are_left_aligned() {
        let groups = vec![Group::untitled(vec![Column::new("F1"), Column::of_text("reading")])];
        let text = render(&[Block::Grid(Grid { corner: "x".into(), groups, lines: Vec::new() })], 2);
        assert_eq!(text, "| x | F1 | reading |\n|---|---:|---|\n");
    }
}
