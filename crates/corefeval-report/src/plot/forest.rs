//! Forest plots: a row for each thing, a point and its interval on one scale, in blocks with a head.

use super::drawing::{Drawing, INK, Outline};
use super::rows::{ROW, Rows};
use super::{Axis, COLOURS};

/// Intervals, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    /// The content.
    pub title: String,
    /// The meaning of the numbers.
    pub axis: String,
    /// Whether they are differences, so that zero is a line of its own.
    pub differences: bool,
    /// The blocks, one below the other.
    pub blocks: Vec<Block>,
}

/// Rows below one head.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Its head.
    pub title: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A point with its interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Left of it.
    pub name: String,
    /// The point, a fraction; not a number where there is none, and then nothing is drawn.
    pub value: f64,
    /// The ends of its interval.
    pub ends: (f64, f64),
    /// Right of it.
    pub note: String,
    /// Whether the marker is filled.
    pub solid: bool,
}

impl Forest {
    /// The figure, drawn.
    pub fn draw(&self) -> Drawing {
        let rows = || self.blocks.iter().flat_map(|block| &block.rows);
        let zero = self.differences.then_some(0.0);
        let drawn = rows().filter(|row| row.value.is_finite());
        let axis = Axis::around(drawn.flat_map(|row| [row.value, row.ends.0, row.ends.1]).chain(zero));
        let heads: Vec<&str> = self.blocks.iter().map(|block| block.title.as_str()).collect();
        let texts = rows().map(|row| (row.name.as_str(), row.note.as_str()));
        let lines = rows().count() + heads.len();
        let mut frame = Rows::new(&self.title, axis, texts, &heads, lines);
        if self.differences {
            frame.mark(0.0, INK);
        }
        frame.name_axis(&self.axis);
        for block in &self.blocks {
            frame.head(&block.title);
            for row in &block.rows {
                frame.name(&row.name);
                if row.value.is_finite() {
                    let (low, high, y) = (frame.x(row.ends.0), frame.x(row.ends.1), frame.y);
                    let at = (frame.x(row.value), y);
                    let colour = COLOURS[4];
                    frame.drawing.line((low, y), (high, y), colour, 2.0);
                    for end in [low, high] {
                        frame.drawing.line((end, y - 4.0), (end, y + 4.0), colour, 2.0);
                    }
                    let fill = Some(if row.solid { colour } else { "#ffffff" });
                    frame.drawing.shape(Outline::Circle(at, 4.5), fill, Some((colour, 1.8)));
                }
                frame.note(&row.note);
                frame.y += ROW;
            }
            frame.y += 8.0;
        }
        frame.drawing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_point() {
        let row = |value: f64| Row {
            name: format!("r{value}"),
            value,
            ends: (value - 0.1, value + 0.1),
            ..Row::default()
        };
        let block = Block { title: "MUC".to_owned(), rows: vec![row(0.5), row(-0.2)] };
        let forest = Forest { differences: true, blocks: vec![block.clone(), block], ..Forest::default() };
        let svg = forest.draw().svg();
        assert_eq!((svg.matches("<circle").count(), svg.matches(">MUC<").count()), (4, 2));
        assert!(svg.contains(">0<") && !svg.contains("NaN"));
        assert!(Forest::default().draw().svg().ends_with("</svg>\n"));
    }
}
