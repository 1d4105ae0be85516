//! Grids of cells, the first row a heading, as tables for papers and pages.

use std::fmt::Write as _;

use super::latex;
use super::markdown::escape;

/// Rows of cells; the first row names the columns, the first column the rows.
pub(super) type Grid = Vec<Vec<String>>;

/// Adds it as a table in Markdown.
pub(super) fn markdown(text: &mut String, grid: &Grid) {
    for (place, row) in grid.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if place == 0 {
            let _ = writeln!(text, "|---|{}", "---:|".repeat(row.len() - 1));
        }
    }
    text.push('\n');
}

/// Adds it as a table in LaTeX, by booktabs.
pub(super) fn as_latex(text: &mut String, grid: &Grid) {
    let columns = grid.first().map_or(0, |row| row.len().saturating_sub(1));
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", "r".repeat(columns));
    for (place, row) in grid.iter().enumerate() {
        // A bracket after the end of a row would be its argument; in a group it is not.
        let cell = |cell: &String| match cell.as_str() {
            "–" | "-" => "--".to_owned(),
            cell if cell.starts_with('[') => format!("{{{}}}", latex::escape(cell)),
            // What is signed is a number, and its sign no hyphen.
            cell if cell.starts_with(['-', '+']) => format!("${cell}$"),
            cell => latex::signs(&latex::escape(cell)),
        };
        let cells: Vec<String> = row.iter().map(cell).collect();
        let _ = writeln!(text, "{} \\\\", cells.join(" & "));
        if place == 0 {
            text.push_str("\\midrule\n");
        }
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_what_they_say_in_both() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let grid = vec![
            row(["a|b", "95 % interval", "B³"]),
            row(["x_1", "[-1.00, 2.00]", "-0.5"]),
            row(["y", "–", "7"]),
        ];
        let mut text = String::new();
        markdown(&mut text, &grid);
        assert_eq!(text.lines().next(), Some("| a\\|b | 95 % interval | B³ |"));
        assert_eq!(text.lines().nth(1), Some("|---|---:|---:|"));
        text.clear();
        as_latex(&mut text, &grid);
        assert!(text.contains("x\\_1 & {[-1.00, 2.00]} & $-0.5$ \\\\\n"), "{text}");
        assert!(text.contains("y & -- & 7 \\\\\n") && text.contains("95 \\% interval & B$^3$"), "{text}");
    }
}
