//! Forest plots: rows with a point and its interval on a common scale, in blocks with a head.

use super::COLOURS;
use super::drawing::{Contour, Drawing};
use super::rows::{BlockFigure, NamedRow, RowBlock};

/// Intervals, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    /// The title.
    pub title: String,
    /// The meaning of the numbers.
    pub axis: String,
    /// True if they are differences, with a line at zero.
    pub differences: bool,
    /// The blocks, one below the other.
    pub blocks: Vec<RowBlock<ForestRow>>,
}

/// A point with its interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForestRow {
    /// The text to the left of it.
    pub name: String,
    /// The point as a fraction; nothing is drawn if it is not a number.
    pub value: f64,
    /// The ends of its interval.
    pub ends: (f64, f64),
    /// The text to the right of it.
    pub note: String,
    /// True if the marker is filled.
    pub solid: bool,
}

impl NamedRow for ForestRow {
    fn name(&self) -> &str {
        &self.name
    }

    fn note(&self) -> &str {
        &self.note
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let all = [self.value, self.ends.0, self.ends.1];
        all.into_iter().filter(|_| self.value.is_finite())
    }
}

impl Forest {
    /// Draws the figure.
    pub fn draw(&self) -> Drawing {
        let Forest { title, axis, differences, blocks } = self;
        BlockFigure { title, axis, blocks, mark: differences.then_some(0.0) }.draw(|frame, _, row| {
            if !row.value.is_finite() {
                return;
            }
            let (low, high, y) = (frame.x(row.ends.0), frame.x(row.ends.1), frame.y);
            let at = (frame.x(row.value), y);
            let colour = COLOURS[4];
            frame.drawing.line((low, y), (high, y), colour, 2.0);
            for end in [low, high] {
                frame.drawing.line((end, y - 4.0), (end, y + 4.0), colour, 2.0);
            }
            let fill = Some(if row.solid { colour } else { "#ffffff" });
            frame.drawing.shape(Contour::Circle(at, 4.5), fill, Some((colour, 1.8)));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_point() {
        let row = |value: f64| ForestRow {
            name: format!("r{value}"),
            value,
            ends: (value - 0.1, value + 0.1),
            ..ForestRow::default()
        };
        let block = RowBlock { title: "MUC".to_owned(), rows: vec![row(0.5), row(-0.2)] };
        let forest = Forest { differences: true, blocks: vec![block.clone(), block], ..Forest::default() };
        let svg = forest.draw().svg();
        assert_eq!((svg.matches("<circle").count(), svg.matches(">MUC<").count()), (4, 2));
        assert!(svg.contains(">0<") && !svg.contains("NaN"));
        assert!(Forest::default().draw().svg().ends_with("</svg>\n"));
    }
}
