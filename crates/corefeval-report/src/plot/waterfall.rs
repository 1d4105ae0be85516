//! Waterfalls: how a score grows step by step from a first value to a last one, in blocks with a head.

use super::drawing::{Anchor, Drawing, Outline, SIZE, Text, shortened, text_width};
use super::{Axis, COLOURS, FRAME, GRID};

/// Scores that grow step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waterfall {
    /// The content.
    pub title: String,
    /// The meaning of the numbers.
    pub axis: String,
    /// The blocks, one below the other.
    pub blocks: Vec<Steps>,
}

/// The steps of one score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// Their head.
    pub title: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Left of it.
    pub name: String,
    /// The values before and after it, as fractions; the first is `None` for a value that is no step.
    pub from: Option<f64>,
    /// The value after it; not a number where it is undefined, and then nothing is drawn.
    pub to: f64,
    /// Right of it.
    pub note: String,
}

const FIELD: f64 = 420.0;
const TOP: f64 = 44.0;
const ROW: f64 = 20.0;
/// How high a bar is.
const BAR: f64 = 12.0;
/// The longest name.
const NAME: f64 = 220.0;

impl Waterfall {
    /// The figure, drawn.
    pub fn draw(&self) -> Drawing {
        let steps = || self.blocks.iter().flat_map(|block| &block.steps);
        let names = steps().map(|step| text_width(&shortened(&step.name, SIZE, NAME), SIZE, false));
        let heads = self.blocks.iter().map(|block| text_width(&block.title, SIZE, true));
        let left = 28.0 + names.map(|width| width + 10.0).chain(heads).fold(0.0, f64::max);
        let notes = steps().map(|step| text_width(&step.note, SIZE, false)).fold(0.0, f64::max);
        let width = (left + FIELD + 14.0 + notes).max(14.0 + text_width(&self.title, 16.0, true)) + 16.0;
        let titled = self.blocks.iter().filter(|block| !block.title.is_empty()).count();
        let lines = steps().count() + titled;
        let bottom = TOP + ROW * lines as f64 + 8.0 * self.blocks.len() as f64;
        let mut drawing = Drawing::new(&self.title, width, bottom + 52.0);
        drawing.headline(14.0, &self.title);
        let axis = Axis::around(steps().flat_map(|step| [Some(step.to), step.from]).flatten());
        let x = |value: f64| left + FIELD * axis.share(value);
        for (value, name) in axis.ticks() {
            let x = x(value / 100.0);
            drawing.line((x, TOP), (x, bottom), GRID, 1.0);
            drawing.text((x, bottom + 14.0), Anchor::Middle, &name);
        }
        drawing.shape(Outline::Box([left, TOP, FIELD, bottom - TOP]), None, Some((FRAME, 1.0)));
        drawing.text((left + FIELD / 2.0, bottom + 36.0), Anchor::Middle, &self.axis);
        let mut y = TOP + 4.0 + ROW / 2.0;
        for block in &self.blocks {
            if !block.title.is_empty() {
                let (text, at, anchor) = (block.title.clone(), (14.0, y), Anchor::Start);
                drawing.text_of(Text { at, text, size: SIZE, bold: true, anchor, upright: false });
                y += ROW;
            }
            let mut above: Option<f64> = None;
            for step in &block.steps {
                drawing.text((26.0, y), Anchor::Start, &shortened(&step.name, SIZE, NAME));
                drawing.text((left + FIELD + 10.0, y), Anchor::Start, &step.note);
                if step.to.is_finite() {
                    let from = x(step.from.filter(|from| from.is_finite()).unwrap_or(axis.low / 100.0));
                    let (start, end) = (from.min(x(step.to)), from.max(x(step.to)));
                    // Joins the bar with the one above, where that ended.
                    if let Some(before) = above {
                        drawing.line((before, y - ROW + BAR / 2.0), (before, y - BAR / 2.0), FRAME, 1.0);
                    }
                    // Values are outlined, gains filled, losses filled with another colour.
                    let (fill, colour) = match step.from {
                        None => ("#ffffff", COLOURS[4]),
                        Some(before) if step.to < before => (COLOURS[6], COLOURS[6]),
                        Some(_) => (COLOURS[4], COLOURS[4]),
                    };
                    let bar = Outline::Box([start, y - BAR / 2.0, (end - start).max(1.0), BAR]);
                    drawing.shape(bar, Some(fill), Some((colour, 1.4)));
                    above = Some(x(step.to));
                }
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
    fn every_step_has_its_bar() {
        let step = |from: Option<f64>, to: f64| Step { name: "s".to_owned(), from, to, note: String::new() };
        let steps = vec![
            step(None, 0.5),
            step(Some(0.5), 0.7),
            step(Some(0.7), 0.6),
            step(Some(0.6), f64::NAN),
            step(None, 1.0),
        ];
        let block = Steps { title: "CoNLL <of> a".to_owned(), steps };
        let svg = Waterfall { blocks: vec![block], ..Waterfall::default() }.draw().svg();
        let bars = |colour: &str| svg.matches(&format!("fill=\"{colour}\"")).count();
        assert_eq!((bars(COLOURS[4]), bars(COLOURS[6])), (1, 1), "{svg}");
        assert!(svg.contains("CoNLL &lt;of&gt; a") && !svg.contains("NaN"));
        assert!(Waterfall::default().draw().svg().ends_with("</svg>\n"));
    }
}
