//! Markdown, as GitHub renders it: a table for each grid; text from data is escaped for Markdown, HTML and math.

use std::fmt::Write as _;

use crate::block::{Block, Grid, Line, Value};

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
        match block {
            Block::Heading(name) => {
                text.push_str("### ");
                add_escaped(&mut text, name);
                text.push('\n');
            }
            Block::Grid(grid) => add_grid(&mut text, grid, digits),
            Block::Notes(notes) => {
                for note in notes {
                    text.push_str("- ");
                    add_escaped(&mut text, note);
                    text.push('\n');
                }
            }
            Block::Signature(signature) => {
                add_code(&mut text, signature);
                text.push('\n');
            }
            Block::Passage(passage) => {
                text.push_str("**");
                add_escaped(&mut text, &passage.head);
                text.push_str("** ");
                add_escaped(&mut text, &passage.line());
                text.push('\n');
            }
            Block::Alert(alert) => {
                text.push_str("- ");
                if !alert.place.is_empty() {
                    add_code(&mut text, &alert.place);
                    text.push(' ');
                }
                add_escaped(&mut text, &alert.head());
                if let Some((_, [before, marked, after])) = alert.shown_line() {
                    text.push_str(": ");
                    add_escaped(&mut text, &before);
                    text.push_str("**");
                    add_escaped(&mut text, &marked);
                    text.push_str("**");
                    add_escaped(&mut text, &after);
                }
                text.push('\n');
                for note in &alert.notes {
                    text.push_str("  - ");
                    add_escaped(&mut text, note);
                    text.push('\n');
                }
            }
            Block::Figure(_) => {}
        }
    }
    text
}

fn add_grid(text: &mut String, grid: &Grid<'_>, digits: u8) {
    let columns: Vec<_> = grid.columns().collect();
    text.push_str("| ");
    add_escaped(text, &grid.corner);
    text.push_str(" |");
    for (group, column) in &columns {
        text.push(' ');
        add_escaped(text, &group.full_head(column));
        text.push_str(" |");
    }
    text.push_str("\n|---|");
    columns.iter().for_each(|(_, column)| text.push_str(if column.text { "---|" } else { "---:|" }));
    text.push('\n');
    for line in &grid.lines {
        let (name, cells, bold) = match line {
            Line::Row(name, cells) => (name, cells.as_slice(), false),
            Line::Title(title) => (title, &[][..], true),
            // A table in Markdown has no rules; the next rows have a separate heading.
            Line::Rule => continue,
        };
        let strong = if bold { "**" } else { "" };
        let _ = write!(text, "| {strong}");
        add_escaped(text, name);
        let _ = write!(text, "{strong} |");
        for place in 0..columns.len() {
            text.push(' ');
            let Some(cell) = cells.get(place).filter(|cell| cell.value != Value::Blank) else {
                text.push('|');
                continue;
            };
            let strong = if cell.best { "**" } else { "" };
            text.push_str(strong);
            match &cell.value {
                Value::Text(words) => add_escaped(text, words),
                Value::Code(code) => add_code(text, code),
                // Brackets of an interval do not form a link without a target; a p-value may start with an HTML
                // character.
                Value::P(_) => {
                    let mut number = String::new();
                    cell.value.add_to(&mut number, digits);
                    text.push_str(&number.replace('<', "&lt;"));
                }
                value => value.add_to(text, digits),
            }
            text.push_str(strong);
            text.push_str(" |");
        }
        text.push('\n');
    }
}

/// Adds text, escaped for Markdown, for HTML within it and for math, on one line. Control characters and direction
/// overrides are shown escaped.
fn add_escaped(text: &mut String, words: &str) {
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
}

/// Adds code between more backticks than it contains.
fn add_code(text: &mut String, code: &str) {
    let code = code.replace(['\n', '\r'], " ");
    let code = corefeval_core::wording::inert(&code);
    let longest = code.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let (fence, room) = ("`".repeat(longest + 1), if longest > 0 { " " } else { "" });
    let _ = write!(text, "{fence}{room}{code}{room}{fence}");
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
        let mut code = String::new();
        add_code(&mut code, "a``b");
        assert_eq!(code, "``` a``b ```");
        let mut words = String::new();
        add_escaped(&mut words, "_a_b_");
        assert_eq!(words, "\\_a_b\\_");
    }

    #[test]
    fn text_columns_are_left_aligned() {
        let groups = vec![Group::untitled(vec![Column::new("F1"), Column::of_text("reading")])];
        let text = render(&[Block::Grid(Grid { corner: "x".into(), groups, lines: Vec::new() })], 2);
        assert_eq!(text, "| x | F1 | reading |\n|---|---:|---|\n");
    }
}
