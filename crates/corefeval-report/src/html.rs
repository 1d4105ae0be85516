//! HTML: a fragment with a table for each grid, for notebooks and pages. Text from data is escaped.

use std::fmt::Write as _;

use crate::block::{Block, Cell, Column, Grid, Line, Value};

/// Renders blocks. Figures are omitted, because a grid has their numbers.
pub(crate) fn render(blocks: &[Block<'_>], digits: u8) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Heading(name) => {
                text.push_str("<h4>");
                add_escaped(&mut text, name);
                text.push_str("</h4>\n");
            }
            Block::Grid(grid) => add_grid(&mut text, grid, digits),
            Block::Notes(notes) => {
                text.push_str("<p><small>");
                for (place, note) in notes.iter().enumerate() {
                    text.push_str(if place > 0 { "<br>\n" } else { "" });
                    add_escaped(&mut text, note);
                }
                text.push_str("</small></p>\n");
            }
            Block::Passage(passage) => {
                text.push_str("<p><b>");
                add_escaped(&mut text, &passage.head);
                text.push_str("</b> ");
                add_escaped(&mut text, &passage.line());
                text.push_str("</p>\n");
            }
            Block::Alert(alert) => {
                text.push_str("<p>");
                if !alert.place.is_empty() {
                    text.push_str("<code>");
                    add_escaped(&mut text, &alert.place);
                    text.push_str("</code> ");
                }
                add_escaped(&mut text, &alert.head());
                for note in &alert.notes {
                    text.push_str("<br>\n<small>");
                    add_escaped(&mut text, note);
                    text.push_str("</small>");
                }
                text.push_str("</p>\n");
                if let Some((_, [before, marked, after])) = alert.shown_line() {
                    text.push_str("<pre>");
                    add_escaped(&mut text, &before);
                    text.push_str("<u>");
                    add_escaped(&mut text, &marked);
                    text.push_str("</u>");
                    add_escaped(&mut text, &after);
                    text.push_str("</pre>\n");
                }
            }
            Block::Figure(_) => {}
            Block::Signature(signature) => {
                text.push_str("<p><small><code>");
                add_escaped(&mut text, signature);
                text.push_str("</code></small></p>\n");
            }
        }
    }
    text
}

fn add_grid(text: &mut String, grid: &Grid<'_>, digits: u8) {
    // A table that is wider than the page scrolls separately, also from the keyboard.
    text.push_str("<div style=\"overflow-x: auto\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">\n");
    text.push_str("<table>\n<thead>\n");
    if grid.has_titles() {
        text.push_str("<tr><td></td>");
        for group in &grid.groups {
            let _ = write!(text, "<th colspan=\"{}\" style=\"text-align: center\">", group.columns.len());
            add_escaped(text, &group.title);
            text.push_str("</th>");
        }
        text.push_str("</tr>\n");
    }
    text.push_str("<tr>");
    add_head(text, &grid.corner, "left");
    grid.columns().for_each(|(_, column)| add_head(text, &column.head, alignment(column)));
    text.push_str("</tr>\n</thead>\n<tbody>\n");
    let columns: Vec<_> = grid.columns().map(|(_, column)| column).collect();
    for line in &grid.lines {
        match line {
            // The next rows have a separate heading.
            Line::Rule => continue,
            Line::Title(title) => {
                let _ = write!(text, "<tr><th colspan=\"{}\" style=\"text-align: left\">", columns.len() + 1);
                add_escaped(text, title);
                text.push_str("</th>");
            }
            Line::Row(name, cells) => {
                text.push_str("<tr>");
                add_head(text, name, "left");
                for (place, column) in columns.iter().enumerate() {
                    let _ = write!(text, "<td style=\"text-align: {}\">", alignment(column));
                    cells.get(place).into_iter().for_each(|cell| add_cell(text, cell, digits));
                    text.push_str("</td>");
                }
            }
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody>\n</table>\n</div>\n");
}

/// The alignment of a column's cells and of its head.
fn alignment(column: &Column<'_>) -> &'static str {
    if column.text { "left" } else { "right" }
}

/// Adds the head of a row or column; without words, an empty cell.
fn add_head(text: &mut String, words: &str, alignment: &str) {
    if words.is_empty() {
        text.push_str("<td></td>");
        return;
    }
    let _ = write!(text, "<th style=\"text-align: {alignment}\">");
    add_escaped(text, words);
    text.push_str("</th>");
}

fn add_cell(text: &mut String, cell: &Cell<'_>, digits: u8) {
    let (open, close) = if cell.best { ("<b>", "</b>") } else { ("", "") };
    text.push_str(open);
    match &cell.value {
        Value::Code(code) => {
            text.push_str("<code>");
            add_escaped(text, code);
            text.push_str("</code>");
        }
        value => {
            let mut words = String::new();
            value.add_to(&mut words, digits);
            add_escaped(text, &words);
        }
    }
    text.push_str(close);
}

/// Adds text, escaped for HTML. Control characters and direction overrides are shown escaped.
fn add_escaped(text: &mut String, words: &str) {
    for character in corefeval_core::wording::inert(words).chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            // Notebooks would render a formula.
            '$' => text.push_str("&#36;"),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::sample;

    #[test]
    fn text_from_data_is_escaped() {
        let text = render(&sample(), 2);
        assert!(text.starts_with("<h4>&lt;script&gt;\\u{2067}</h4>\n<div style"), "{text}");
        assert!(text.contains("<th colspan=\"2\" style=\"text-align: center\">B³</th>"), "{text}");
        assert!(
            text.contains("<th style=\"text-align: left\">=a|b_c*\\u{202e}\\u{1b}[31m\\n</th>"),
            "{text}"
        );
        assert!(text.contains("<td style=\"text-align: right\"><b>50.00</b></td>"), "{text}");
        assert!(text.contains("<td style=\"text-align: left\">x_1 &amp; y</td>"), "{text}");
        assert!(
            text.contains("<th colspan=\"7\" style=\"text-align: left\">group &#36;1 &lt;b&gt;</th></tr>"),
            "{text}"
        );
        assert_eq!(text.matches("<tr>").count(), text.matches("</tr>").count());
        assert_eq!(text.matches("<td").count(), 13, "{text}");
    }
}
