//! LaTeX: a booktabs table for each grid, and the sentences of texts under their headings; all other blocks are comments.

use std::fmt::Write as _;

use crate::block::{Block, Grid, Line, UNDEFINED, Value};

/// Renders blocks: signature and notes first, then the tables. The notes of a text follow its heading.
pub(crate) fn render(blocks: &[Block<'_>], digits: u8) -> String {
    let mut text = String::new();
    for block in blocks {
        if let Block::Signature(signature) = block {
            add_comment(&mut text, signature);
        }
    }
    if blocks.iter().any(|block| matches!(block, Block::Grid(_))) {
        text.push_str("% needs \\usepackage{booktabs}\n");
    }
    let sections = || blocks.chunk_by(|_, next| !matches!(next, Block::Heading(_)));
    let is_text = |section: &[Block<'_>]| section.iter().any(|block| matches!(block, Block::Passage(_)));
    let add_notes = |text: &mut String, block: &Block<'_>| {
        if let Block::Notes(notes) = block {
            notes.iter().for_each(|note| add_comment(text, note));
        }
    };
    for section in sections().filter(|section| !is_text(section)) {
        section.iter().for_each(|block| add_notes(&mut text, block));
    }
    let mut heading = None;
    let mut first = true;
    let blocks = sections().flat_map(|section| section.iter().map(move |block| (is_text(section), block)));
    for (in_text, block) in blocks {
        match block {
            Block::Heading(name) if in_text => {
                if !std::mem::take(&mut first) {
                    text.push('\n');
                }
                text.push_str("\\par\\medskip\\noindent\\emph{");
                add_label(&mut text, name);
                text.push_str("}\n");
            }
            Block::Heading(name) => heading = Some(name),
            Block::Notes(_) if in_text => add_notes(&mut text, block),
            Block::Grid(grid) => {
                if !std::mem::take(&mut first) {
                    text.push('\n');
                }
                if let Some(name) = heading.take() {
                    add_comment(&mut text, name);
                }
                add_grid(&mut text, grid, digits);
            }
            Block::Passage(passage) => {
                text.push_str("\\par\\noindent\\textbf{");
                add_label(&mut text, &passage.head);
                text.push_str("} ");
                add_label(&mut text, &passage.line());
                text.push('\n');
            }
            Block::Alert(alert) => {
                text.push_str("\\par\\noindent\\texttt{");
                add_label(&mut text, &alert.place);
                text.push_str("} ");
                add_label(&mut text, &alert.head());
                text.push('\n');
                alert.notes.iter().for_each(|note| add_comment(&mut text, note));
            }
            Block::Notes(_) | Block::Figure(_) | Block::Signature(_) => {}
        }
    }
    text
}

/// Adds a comment, which ends with its line.
fn add_comment(text: &mut String, words: &str) {
    let words = words.replace(['\n', '\r'], " ");
    let _ = writeln!(text, "% {}", corefeval_core::wording::inert(&words));
}

fn add_grid(text: &mut String, grid: &Grid<'_>, digits: u8) {
    let columns: Vec<&str> = grid
        .columns()
        .enumerate()
        .map(|(place, (_, column))| match column.text {
            true if is_long(grid, place) => "p{0.7\\linewidth}",
            true => "l",
            false => "r",
        })
        .collect();
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", columns.concat());
    if grid.has_titles() {
        let mut rules = String::new();
        let mut next = 2;
        for group in &grid.groups {
            let width = group.columns.len();
            if group.title.is_empty() {
                text.push_str(&" &".repeat(width));
            } else {
                let _ = write!(text, " & \\multicolumn{{{width}}}{{c}}{{");
                add_label(text, &group.title);
                text.push('}');
                let _ = write!(rules, "\\cmidrule(lr){{{next}-{}}}", next + width - 1);
            }
            next += width;
        }
        let _ = writeln!(text, " \\\\\n{rules}");
    }
    add_label(text, &grid.corner);
    for (_, column) in grid.columns() {
        text.push_str(" & ");
        add_label(text, &column.head);
    }
    text.push_str(" \\\\\n\\midrule\n");
    let mut ruled = true;
    for line in &grid.lines {
        match line {
            Line::Title(title) => {
                if !ruled {
                    text.push_str("\\midrule\n");
                }
                let _ = write!(text, "\\multicolumn{{{}}}{{l}}{{\\emph{{", columns.len() + 1);
                add_escaped(text, title);
                text.push_str("}} \\\\\n");
            }
            Line::Rule if !ruled => text.push_str("\\midrule\n"),
            Line::Rule => {}
            Line::Row(name, cells) => {
                add_escaped(text, name);
                for place in 0..columns.len() {
                    let Some(cell) = cells.get(place).filter(|cell| cell.value != Value::Blank) else {
                        text.push_str(" &");
                        continue;
                    };
                    text.push_str(" & ");
                    let end = match cell.best {
                        true => {
                            text.push_str("\\textbf{");
                            "}"
                        }
                        false => "",
                    };
                    add_value(text, &cell.value, digits);
                    text.push_str(end);
                }
                text.push_str(" \\\\\n");
            }
        }
        ruled = matches!(line, Line::Rule);
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

/// Returns whether a column has cells that need several lines on a page.
fn is_long(grid: &Grid<'_>, place: usize) -> bool {
    const WIDEST: usize = 60;
    grid.lines.iter().any(|line| match line {
        Line::Row(_, cells) => cells.get(place).is_some_and(|cell| match &cell.value {
            Value::Text(words) => words.chars().nth(WIDEST).is_some(),
            _ => false,
        }),
        Line::Title(_) | Line::Rule => false,
    })
}

fn add_value(text: &mut String, value: &Value<'_>, digits: u8) {
    match value {
        Value::Undefined => text.push_str("--"),
        Value::Text(words) => add_escaped(text, words),
        Value::Code(code) => {
            text.push_str("\\texttt{");
            add_escaped(text, code);
            text.push('}');
        }
        value => {
            let mut number = String::new();
            value.add_to(&mut number, digits);
            // The sign of a number is a minus, not a hyphen.
            let signed = value.is_number() && number.contains(['-', '+', '<']);
            let number = if signed { format!("${number}$") } else { number };
            // LaTeX would read a bracket after the end of a row as an argument of `\\`, but not within a group.
            let bracket = matches!(value, Value::Interval(..) | Value::Bounds(_));
            text.push_str(&if bracket { format!("{{{number}}}") } else { number });
        }
    }
}

/// Adds a head, in which F1 has its number below.
fn add_label(text: &mut String, label: &str) {
    for (place, word) in label.split(' ').enumerate() {
        if place > 0 {
            text.push(' ');
        }
        match word.strip_prefix("F1") {
            Some(rest) if !rest.starts_with(char::is_alphanumeric) => {
                text.push_str("F$_1$");
                add_escaped(text, rest);
            }
            _ => add_escaped(text, word),
        }
    }
}

/// Characters that text fonts lack, with their commands.
const SIGNS: [(char, &str); 6] = [
    ('³', "$^3$"),
    ('φ', "$\\phi$"),
    ('α', "$\\alpha$"),
    ('→', "$\\rightarrow$"),
    ('≠', "$\\neq$"),
    ('✓', "$\\surd$"),
];

/// Adds text, escaped for TeX, on one line. Control characters and direction overrides are shown escaped.
fn add_escaped(text: &mut String, words: &str) {
    let words = words.replace(['\n', '\r'], " ");
    let words = corefeval_core::wording::inert(&words);
    if words == UNDEFINED {
        return text.push_str("--");
    }
    // LaTeX would read a bracket or an asterisk at the start of a cell as an argument of the `\\` above.
    if words.starts_with(['[', '*']) {
        text.push_str("{}");
    }
    let mut characters = words.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push_str("\\textbackslash{}"),
            '~' => text.push_str("\\textasciitilde{}"),
            '^' => text.push_str("\\textasciicircum{}"),
            '<' => text.push_str("\\textless{}"),
            '>' => text.push_str("\\textgreater{}"),
            '|' => text.push_str("\\textbar{}"),
            '"' => text.push_str("\\textquotedbl{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => text.extend(['\\', character]),
            'φ' if characters.peek().is_some_and(char::is_ascii_digit) => {
                let index = characters.next().unwrap_or_default();
                let _ = write!(text, "$\\phi_{index}$");
            }
            other => match SIGNS.iter().find(|sign| sign.0 == other) {
                Some((_, shown)) => text.push_str(shown),
                None => text.push(other),
            },
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
        assert!(
            text.starts_with("% corefeval:0|a:b\n% needs \\usepackage{booktabs}\n% One & all.\n"),
            "{text}"
        );
        assert!(text.contains("% <script>\\u{2067}\n\\begin{tabular}{lrrrrrl}\n\\toprule\n"), "{text}");
        assert!(
            text.contains(
                " & \\multicolumn{2}{c}{B$^3$} & \\multicolumn{3}{c}{difference\\textbar{}x} & \\\\\n"
            ),
            "{text}"
        );
        assert!(text.contains("F$_1$ by system & F$_1$ & 95\\% interval &"), "{text}");
        assert!(
            text.contains("\\multicolumn{7}{l}{\\emph{group \\$1 \\textless{}b\\textgreater{}}} \\\\\n"),
            "{text}"
        );
        let row = "=a\\textbar{}b\\_c*\\textbackslash{}u\\{202e\\}\\textbackslash{}u\\{1b\\}[31m  & \\textbf{50.00} & \
                   {[0.00, 100.00]} & $-25.00$ & $<0.0001$ & 1 & x\\_1 \\& y \\\\\n\\midrule\n系统 & -- & -- & & & & \\\\\n";
        assert!(text.contains(row), "{text}");
        let mut label = String::new();
        add_label(&mut label, "CEAF φ4: F1, F1x");
        assert_eq!(label, "CEAF $\\phi_4$: F$_1$, F1x");
        let mut name = String::new();
        add_escaped(&mut name, "[x]");
        assert_eq!(name, "{}[x]");
    }
}
