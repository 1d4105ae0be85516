//! Waterfalls: how a score grows step by step from a first value to a last one, in blocks with a head.

use super::drawing::{Contour, Drawing};
use super::rows::{BlockFigure, NamedRow, RowBlock};
use super::{COLOURS, FRAME};

/// Scores that grow step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waterfall {
    /// The title.
    pub title: String,
    /// The meaning of the numbers.
    pub axis: String,
    /// The blocks, one below the other.
    pub blocks: Vec<RowBlock<WaterfallStep>>,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaterfallStep {
    /// The text to the left of it.
    pub name: String,
    /// The value before it, as a fraction; `None` for a value that is not a step.
    pub from: Option<f64>,
    /// The value after it; nothing is drawn if it is undefined, which is not a number.
    pub to: f64,
    /// The text to the right of it.
    pub note: String,
}

/// The height of a bar.
const BAR: f64 = 12.0;

impl NamedRow for WaterfallStep {
    fn name(&self) -> &str {
        &self.name
    }

    fn note(&self) -> &str {
        &self.note
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        // The bar of a value starts at 0.
        [self.to, self.from.unwrap_or(0.0)].into_iter()
    }
}

impl Waterfall {
    /// Draws the figure.
    pub fn draw(&self) -> Drawing {
        let Waterfall { title, axis, blocks } = self;
        // The end of the last bar: its place and its lower edge.
        let mut above: Option<(f64, f64)> = None;
        BlockFigure { title, axis, blocks, mark: None }.draw(|frame, number, step| {
            if number == 0 {
                above = None;
            }
            if !step.to.is_finite() {
                return;
            }
            let (low, y) = (frame.axis.low / 100.0, frame.y);
            let from = frame.x(step.from.filter(|from| from.is_finite()).unwrap_or(low));
            let to = frame.x(step.to);
            let (start, end) = (from.min(to), from.max(to));
            // A step of 0 has no bar, so that it differs from a small one; the line to the next bar passes it.
            if step.from == Some(step.to) {
                return;
            }
            // Joins the bar with the one above.
            if let Some(top) = above {
                frame.drawing.line(top, (top.0, y - BAR / 2.0), FRAME, 1.0);
            }
            // Values are outlined, gains filled, losses filled with another colour.
            let (fill, colour) = match step.from {
                None => ("#ffffff", COLOURS[4]),
                Some(before) if step.to < before => (COLOURS[6], COLOURS[6]),
                Some(_) => (COLOURS[4], COLOURS[4]),
            };
            let bar = Contour::Box([start, y - BAR / 2.0, (end - start).max(1.0), BAR]);
            frame.drawing.shape(bar, Some(fill), Some((colour, 1.4)));
            above = Some((to, y + BAR / 2.0));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line from a bar to the next one passes steps without a bar.
    #[test]
    fn steps_of_zero_leave_no_gap() {
        let step = |from: Option<f64>, to: f64| WaterfallStep { from, to, ..WaterfallStep::default() };
        let heights = |rows: Vec<WaterfallStep>| {
            let block = RowBlock { title: String::new(), rows };
            let svg = Waterfall { blocks: vec![block], ..Waterfall::default() }.draw().svg();
            let place = |line: &str, name: &str| {
                let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("a place");
                rest.split('"').next().and_then(|text| text.parse::<f64>().ok()).expect("a number")
            };
            let joints = svg.lines().filter(|line| line.starts_with("<line") && line.contains(FRAME));
            joints.map(|line| place(line, "y2") - place(line, "y1")).collect::<Vec<f64>>()
        };
        assert_eq!(heights(vec![step(None, 0.5), step(Some(0.5), 0.7)]), [8.0]);
        assert_eq!(heights(vec![step(None, 0.5), step(Some(0.5), 0.5), step(Some(0.5), 0.7)]), [28.0]);
    }

    #[test]
    fn every_step_has_its_bar() {
        let step = |from: Option<f64>, to: f64| WaterfallStep {
            name: "s".to_owned(),
            from,
            to,
            note: String::new(),
        };
        let steps = vec![
            step(None, 0.5),
            step(Some(0.5), 0.7),
            step(Some(0.7), 0.6),
            step(Some(0.6), 0.6),
            step(Some(0.6), f64::NAN),
            step(None, 1.0),
        ];
        let block = RowBlock { title: "CoNLL <of> a".to_owned(), rows: steps };
        let svg = Waterfall { blocks: vec![block], ..Waterfall::default() }.draw().svg();
        let bars = |colour: &str| svg.matches(&format!("fill=\"{colour}\"")).count();
        assert_eq!((bars(COLOURS[4]), bars(COLOURS[6])), (1, 1), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 2 + 4, "{svg}");
        assert!(svg.contains(">0<") && svg.contains(">100<"), "the axis starts at 0: {svg}");
        assert!(svg.contains("CoNLL &lt;of&gt; a") && !svg.contains("NaN"));
        assert!(Waterfall::default().draw().svg().ends_with("</svg>\n"));
    }
}
