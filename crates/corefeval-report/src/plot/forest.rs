//! Forest plots: a row for each thing, a point and its interval on one scale, in blocks with a head.

use super::drawing::{Anchor, Drawing, INK, Outline, SIZE, Text, shortened, text_width};
use super::{Axis, COLOURS, FRAME, GRID};

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

const FIELD: f64 = 420.0;
const TOP: f64 = 44.0;
const ROW: f64 = 20.0;
/// The longest name.
const NAME: f64 = 220.0;

impl Forest {
    /// The figure, drawn.
    pub fn draw(&self) -> Drawing {
        let rows = || self.blocks.iter().flat_map(|block| &block.rows);
        let names = rows().map(|row| text_width(&shortened(&row.name, SIZE, NAME), SIZE, false));
        let heads = self.blocks.iter().map(|block| text_width(&block.title, SIZE, true));
        let left = 28.0 + names.map(|width| width + 10.0).chain(heads).fold(0.0, f64::max);
        let notes = rows().map(|row| text_width(&row.note, SIZE, false)).fold(0.0, f64::max);
        let width = (left + FIELD + 14.0 + notes).max(14.0 + text_width(&self.title, 16.0, true)) + 16.0;
        let lines = rows().count() + self.blocks.len();
        let gaps = 8.0 * self.blocks.len() as f64;
        let bottom = TOP + ROW * lines as f64 + gaps;
        let mut drawing = Drawing::new(&self.title, width, bottom + 52.0);
        drawing.headline(14.0, &self.title);
        let zero = self.differences.then_some(0.0);
        let drawn = rows().filter(|row| row.value.is_finite());
        let axis = Axis::around(drawn.flat_map(|row| [row.value, row.ends.0, row.ends.1]).chain(zero));
        let x = |value: f64| left + FIELD * axis.share(value);
        for (value, name) in axis.ticks() {
            let x = x(value / 100.0);
            drawing.line((x, TOP), (x, bottom), GRID, 1.0);
            drawing.text((x, bottom + 14.0), Anchor::Middle, &name);
        }
        drawing.shape(Outline::Box([left, TOP, FIELD, bottom - TOP]), None, Some((FRAME, 1.0)));
        if self.differences {
            drawing.line((x(0.0), TOP), (x(0.0), bottom), INK, 1.2);
        }
        drawing.text((left + FIELD / 2.0, bottom + 36.0), Anchor::Middle, &self.axis);
        let mut y = TOP + 4.0 + ROW / 2.0;
        for block in &self.blocks {
            let (text, at, anchor) = (block.title.clone(), (14.0, y), Anchor::Start);
            drawing.text_of(Text { at, text, size: SIZE, bold: true, anchor, upright: false });
            y += ROW;
            for row in &block.rows {
                drawing.text((26.0, y), Anchor::Start, &shortened(&row.name, SIZE, NAME));
                if row.value.is_finite() {
                    let (low, high) = (x(row.ends.0), x(row.ends.1));
                    let colour = COLOURS[4];
                    drawing.line((low, y), (high, y), colour, 2.0);
                    for end in [low, high] {
                        drawing.line((end, y - 4.0), (end, y + 4.0), colour, 2.0);
                    }
                    let fill = Some(if row.solid { colour } else { "#ffffff" });
                    drawing.shape(Outline::Circle((x(row.value), y), 4.5), fill, Some((colour, 1.8)));
                }
                drawing.text((left + FIELD + 10.0, y), Anchor::Start, &row.note);
                y += ROW;
            }
            y += 8.0;
        }
        drawing
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
