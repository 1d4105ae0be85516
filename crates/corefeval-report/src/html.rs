//! HTML: a fragment with a table for each grid, for notebooks and pages. Text from data is escaped.

use std::fmt::{self, Write as _};

use crate::block::{Alert, Block, Cell, Column, Grid, Line, Value};

/// Renders blocks. Figures are omitted, because a grid has their numbers.
pub(crate) fn render(blocks: &[Block<'_>], digits: u8) -> String {
    let mut text = String::new();
    for block in blocks {
        // Writing to a string cannot fail.
        let _ = match block {
            Block::Heading(name) => writeln!(text, "<h4>{}</h4>", escaped(name)),
            Block::Grid(grid) => add_grid(&mut text, grid, digits),
            Block::Notes(notes) => {
                let notes: Vec<String> = notes.iter().map(|note| escaped(note)).collect();
                writeln!(text, "<p><small>{}</small></p>", notes.join("<br>\n"))
            }
            Block::Passage(passage) => {
                writeln!(text, "<p><b>{}</b> {}</p>", escaped(&passage.head), escaped(&passage.line()))
            }
            Block::Alert(alert) => add_alert(&mut text, alert),
            Block::Figure(_) => Ok(()),
            Block::Signature(signature) => {
                writeln!(text, "<p><small><code>{}</code></small></p>", escaped(signature))
            }
        };
    }
    text
}

fn add_alert(text: &mut String, alert: &Alert<'_>) -> fmt::Result {
    text.push_str("<p>");
    if !alert.place.is_empty() {
        write!(text, "<code>{}</code> ", escaped(&alert.place))?;
    }
    text.push_str(&escaped(&alert.head()));
    for note in &alert.notes {
        write!(text, "<br>\n<small>{}</small>", escaped(note))?;
    }
    text.push_str("</p>\n");
    if let Some((_, line)) = alert.shown_line() {
        let [before, marked, after] = line.map(|part| escaped(&part));
        writeln!(text, "<pre>{before}<u>{marked}</u>{after}</pre>")?;
    }
    Ok(())
}

fn add_grid(text: &mut String, grid: &Grid<'_>, digits: u8) -> fmt::Result {
    // A table that is wider than the page scrolls separately, with the keyboard too.
    text.push_str("<div style=\"overflow-x: auto\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">\n");
    text.push_str("<table>\n<thead>\n");
    if grid.has_titles() {
        text.push_str("<tr><td></td>");
        for group in &grid.groups {
            let (width, title) = (group.columns.len(), escaped(&group.title));
            // A cell without a title is not a heading.
            match title.is_empty() {
                true => write!(text, "<td colspan=\"{width}\"></td>")?,
                false => write!(text, "<th colspan=\"{width}\" style=\"text-align: center\">{title}</th>")?,
            }
        }
        text.push_str("</tr>\n");
    }
    text.push_str("<tr>");
    add_head(text, &grid.corner, "left")?;
    for (_, column) in grid.columns() {
        add_head(text, &column.head, alignment(column))?;
    }
    text.push_str("</tr>\n</thead>\n<tbody>\n");
    let columns: Vec<_> = grid.columns().map(|(_, column)| column).collect();
    for line in &grid.lines {
        match line {
            // The next rows have a separate heading.
            Line::Rule => continue,
            Line::Title(title) => {
                let (width, title) = (columns.len() + 1, escaped(title));
                write!(text, "<tr><th colspan=\"{width}\" style=\"text-align: left\">{title}</th>")?;
            }
            Line::Row(name, cells) => {
                text.push_str("<tr>");
                add_head(text, name, "left")?;
                for (place, column) in columns.iter().enumerate() {
                    let cell = cells.get(place).map(|cell| cell_text(cell, digits)).unwrap_or_default();
                    write!(text, "<td style=\"text-align: {}\">{cell}</td>", alignment(column))?;
                }
            }
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody>\n</table>\n</div>\n");
    Ok(())
}

/// The alignment of a column's cells and of its head.
fn alignment(column: &Column<'_>) -> &'static str {
    if column.text { "left" } else { "right" }
}

/// Adds the head of a row or column; without words, an empty cell.
fn add_head(text: &mut String, words: &str, alignment: &str) -> fmt::Result {
    match words {
        "" => write!(text, "<td></td>"),
        _ => write!(text, "<th style=\"text-align: {alignment}\">{}</th>", escaped(words)),
    }
}

fn cell_text(cell: &Cell<'_>, digits: u8) -> String {
    let text = match &cell.value {
        Value::Code(code) => format!("<code>{}</code>", escaped(code)),
        value => {
            let mut words = String::new();
            value.add_to(&mut words, digits);
            escaped(&words)
        }
    };
    if cell.best { format!("<b>{text}</b>") } else { text }
}

/// Returns text, escaped for HTML. Control characters and direction overrides are shown escaped.
fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
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
    text
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
        assert!(text.contains("<td colspan=\"1\"></td></tr>"), "a group without a title: {text}");
        assert_eq!(text.matches("<td").count(), 14, "{text}");
    }
}
