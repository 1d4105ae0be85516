//! Differences by document: a panel for each system with a bar for each document, from the worst to the best.

use super::drawing::{Anchor, Contour, Drawing, INK, SIZE, TextLine, text_width};
use super::{Axis, frame};

/// The differences of systems from a baseline, by document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differences {
    /// The title.
    pub title: String,
    /// For each system its name, then the name of each document and its difference as a fraction.
    pub panels: Vec<(String, Vec<(String, f64)>)>,
}

const FIELD: (f64, f64) = (520.0, 200.0);
const LEFT: f64 = 60.0;
const TOP: f64 = 70.0;
/// The largest number of documents with names on the axis.
const NAMED: usize = 36;
/// The colours of better and of worse documents.
const SIGNS: [&str; 2] = ["#0072B2", "#D55E00"];

impl Differences {
    /// Draws the figure, with stacked panels on one scale.
    pub fn draw(&self) -> Drawing {
        let all = self.panels.iter().flat_map(|panel| &panel.1);
        let axis = Axis::around(all.map(|document| document.1).chain([0.0]));
        let names = self.panels.iter().filter(|panel| panel.1.len() <= NAMED).flat_map(|panel| &panel.1);
        let names = names.map(|document| text_width(&document.0, SIZE, false));
        let below = 26.0 + names.fold(0.0, f64::max);
        let each = FIELD.1 + below + 44.0;
        let width = LEFT + FIELD.0.max(text_width(&self.title, 16.0, true)) + 16.0;
        let height = TOP + each * self.panels.len() as f64 - 36.0;
        let mut drawing = Drawing::new(&self.title, width, height.max(TOP));
        drawing.headline(LEFT, &self.title);
        for (number, (name, documents)) in self.panels.iter().enumerate() {
            let top = TOP + each * number as f64;
            let count = |sign: fn(f64) -> bool| documents.iter().filter(|document| sign(document.1)).count();
            let (better, worse) = (count(|value| value > TIE), count(|value| value < -TIE));
            let equal = documents.len() - better - worse;
            let title = format!("{name}: better in {better}, equal in {equal}, worse in {worse}");
            let place = [LEFT, top, FIELD.0, FIELD.1];
            frame(&mut drawing, place, &axis, &title);
            let mut sorted: Vec<&(String, f64)> = documents.iter().collect();
            sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
            let wide = FIELD.0 / sorted.len().max(1) as f64;
            let y = |value: f64| top + FIELD.1 * (1.0 - axis.share(value));
            for (place, (name, value)) in sorted.iter().enumerate() {
                let x = LEFT + wide * place as f64;
                let (high, low) = (y(value.max(0.0)), y(value.min(0.0)));
                let gap = if wide > 4.0 { (0.12 * wide).max(0.5 * wide - 20.0) } else { 0.0 };
                if low - high > 0.05 {
                    let colour = SIGNS[usize::from(*value < 0.0)];
                    let bar = Contour::Box([x + gap, high, (wide - 2.0 * gap).max(0.5), low - high]);
                    drawing.shape(bar, Some(colour), None);
                }
                if documents.len() <= NAMED {
                    let at = (x + wide / 2.0, top + FIELD.1 + 8.0);
                    let (text, anchor) = (name.clone(), Anchor::End);
                    drawing.text_of(TextLine { at, text, size: SIZE, bold: false, anchor, upright: true });
                }
            }
            drawing.line((LEFT, y(0.0)), (LEFT + FIELD.0, y(0.0)), INK, 1.0);
            if documents.len() > NAMED {
                let text = format!("{} documents, from the worst to the best", documents.len());
                drawing.text((LEFT + FIELD.0 / 2.0, top + FIELD.1 + 16.0), Anchor::Middle, &text);
            }
            let (text, anchor) = ("percentage points".to_owned(), Anchor::Middle);
            let at = (LEFT - 46.0, top + FIELD.1 / 2.0);
            drawing.text_of(TextLine { at, text, size: SIZE, bold: false, anchor, upright: true });
        }
        drawing.fit();
        drawing
    }
}

/// Smaller differences are rounding errors.
const TIE: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_a_bar() {
        let documents = [("a", 0.2), ("b", -0.1), ("c", 0.0)].map(|(name, value)| (name.to_owned(), value));
        let many = (0..100).map(|number| (number.to_string(), f64::from(number) / 100.0)).collect();
        let panels = vec![("one".to_owned(), documents.to_vec()), ("two".to_owned(), many)];
        let svg = Differences { panels, ..Differences::default() }.draw().svg();
        assert!(
            svg.contains("one: better in 1, equal in 1, worse in 1") && svg.contains("two: better in 99")
        );
        assert!(svg.contains("100 documents, from the worst to the best") && svg.contains(">c<"));
        // The ground, two frames, and the bars.
        assert_eq!(svg.matches("<rect").count(), 3 + 2 + 99);
        assert!(Differences::default().draw().svg().ends_with("</svg>\n"));
    }
}
