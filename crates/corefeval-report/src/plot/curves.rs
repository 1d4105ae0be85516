//! Curves: panels over one horizontal axis of steps, with one legend. Wide panels are stacked, others are side by side.
//!
//! Curves also differ in marker and width. The first curves are the widest, so that overlapping curves stay visible.

use super::drawing::{Anchor, Contour, Drawing, SIZE, TextLine, text_width};
use super::{Axis, GRID, SAMPLE, WHITE, frame, legend, legend_height, look, zero};

/// Numbers by step, with several curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The title.
    pub title: String,
    /// The meaning of the steps.
    pub axis: String,
    /// The names of the steps.
    pub steps: Vec<String>,
    /// True if the steps form a scale, and lines join them; otherwise they are categories, with dots side by side.
    pub is_scale: bool,
    /// The names of the curves.
    pub curves: Vec<String>,
    /// The panels, side by side, or stacked if they are wide.
    pub panels: Vec<Panel>,
}

/// A part of a figure of curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The title.
    pub title: String,
    /// For each curve, a fraction for each step; `None` if undefined.
    pub curves: Vec<Vec<Option<f64>>>,
    /// For each curve, the ends of an interval for each step; empty if none is drawn.
    pub bands: Vec<Vec<Option<(f64, f64)>>>,
}

/// Width and height of the field of a panel.
const FIELD: (f64, f64) = (300.0, 250.0);
/// Left of each panel, for the numbers of its axis.
const LEFT: f64 = 50.0;
/// Above the panels, for the titles.
const TOP: f64 = 66.0;
/// Right of the last panel.
const RIGHT: f64 = 16.0;
/// The width of all fields side by side above which panels are stacked.
const WIDEST: f64 = 1300.0;

impl Curves {
    /// Draws the figure.
    pub fn draw(&self) -> Drawing {
        let field = self.field();
        let abreast = (LEFT + field) * self.panels.len() as f64 - LEFT;
        let stacked = self.panels.len() > 1 && abreast > WIDEST;
        let inner = if stacked { field } else { abreast };
        let width = LEFT + inner.max(text_width(&self.title, 16.0, true)) + RIGHT;
        let steps = &self.steps;
        let longest = steps.iter().map(|step| text_width(step, SIZE, false)).fold(0.0, f64::max);
        let apart = field / self.steps.len().max(1) as f64;
        // Names that would touch are turned upright; on a scale of numbers only some are shown.
        let upright = longest + 6.0 > apart && (!self.is_scale || longest > 60.0);
        let needed = if upright { SIZE + 3.0 } else { longest + 8.0 };
        let every = if self.is_scale || upright { (needed / apart).ceil().max(1.0) as usize } else { 1 };
        let names = if upright { longest + 10.0 } else { 20.0 };
        let below = names + if self.axis.is_empty() { 8.0 } else { 34.0 };
        // The distance of the panels from each other.
        let [right, down] = if stacked { [0.0, FIELD.1 + below + 30.0] } else { [LEFT + field, 0.0] };
        let bottom = TOP + FIELD.1 + below + down * self.panels.len().saturating_sub(1) as f64;
        let height = bottom + legend_height(inner, &self.curves) + 6.0;
        let mut drawing = Drawing::new(&self.title, width, height);
        drawing.headline(LEFT, &self.title);
        let axis = self.scale();
        for (number, panel) in self.panels.iter().enumerate() {
            let (left, top) = (LEFT + number as f64 * right, TOP + number as f64 * down);
            let place = [left, top, field, FIELD.1];
            frame(&mut drawing, place, &axis, &panel.title);
            zero(&mut drawing, place, &axis);
            if !self.is_scale {
                // Lines between categories show which dots belong together.
                for step in 1..self.steps.len() {
                    let x = left + field * step as f64 / self.steps.len() as f64;
                    drawing.line((x, top), (x, top + FIELD.1), GRID, 1.0);
                }
                // A mean of F1s has no recall; its panel states that.
                let has = |step: usize| {
                    panel.curves.iter().any(|curve| curve.get(step).is_some_and(Option::is_some))
                };
                for step in (0..self.steps.len()).filter(|&step| !has(step)) {
                    drawing.text((self.x(left, step), top + FIELD.1 - 12.0), Anchor::Middle, "–");
                }
            }
            for (step, name) in steps.iter().enumerate().step_by(every) {
                let at = (self.x(left, step), top + FIELD.1 + if upright { 8.0 } else { 14.0 });
                let anchor = if upright { Anchor::End } else { Anchor::Middle };
                drawing.text_of(TextLine {
                    at,
                    text: name.clone(),
                    size: SIZE,
                    bold: false,
                    anchor,
                    upright,
                });
            }
            let at = (left + field / 2.0, top + FIELD.1 + names + 14.0);
            drawing.text(at, Anchor::Middle, &self.axis);
            for (curve, band) in panel.bands.iter().enumerate() {
                self.band(&mut drawing, (left, top), &axis, curve, band);
            }
            for (curve, numbers) in panel.curves.iter().enumerate() {
                self.curve(&mut drawing, (left, top), &axis, curve, numbers);
            }
        }
        legend(&mut drawing, (LEFT, bottom), inner, &self.curves, |drawing, curve, (x, y)| {
            let (colour, marker) = look(curve);
            if self.is_scale {
                drawing.line((x, y), (x + SAMPLE, y), colour, self.width(curve));
            }
            marker.draw(drawing, colour, (x + SAMPLE / 2.0, y), self.radius(curve), WHITE);
        });
        drawing.fit();
        drawing
    }

    /// The width of a panel's field, which grows with the number of steps.
    fn field(&self) -> f64 {
        let most = if self.panels.len() > 1 { 480.0 } else { 900.0 };
        // Dots of several systems are side by side in each category.
        let dots = if self.is_scale { 1.0 } else { (self.curves.len() as f64 / 2.0).max(1.0) };
        (22.0 * dots * self.steps.len() as f64).clamp(FIELD.0, most * dots.min(2.0))
    }

    /// The vertical axis: from 0 to 100; from a multiple of ten if all values are high; from below 0 if some
    /// are negative.
    fn scale(&self) -> Axis {
        let numbers = self.panels.iter().flat_map(|panel| &panel.curves).flatten().flatten().copied();
        let ends = self.panels.iter().flat_map(|panel| &panel.bands).flatten().flatten();
        let numbers = numbers.chain(ends.flat_map(|&(low, high)| [low, high]));
        if !self.is_scale {
            // Dots are compared with each other, not with 0 and 100.
            return Axis::around(numbers);
        }
        let least = numbers.fold(1.0_f64, f64::min);
        let ten = (least * 10.0 - 1e-9).floor().clamp(-10.0, 9.0) * 10.0;
        let low = if least >= 0.0 && ten < 50.0 { 0.0 } else { ten };
        let step = match 100.0 - low {
            range if range > 50.0 => 20.0,
            range if range > 20.0 => 10.0,
            range if range > 10.0 => 5.0,
            _ => 2.0,
        };
        Axis { low: (low / step).floor() * step, high: 100.0, step }
    }

    fn x(&self, left: f64, step: usize) -> f64 {
        left + self.field() * (step as f64 + 0.5) / self.steps.len().max(1) as f64
    }

    /// The distance of a curve's dots from the middle of their category, which puts several systems side by side.
    fn aside(&self, curve: usize) -> f64 {
        if self.is_scale {
            return 0.0;
        }
        let room = 0.86 * self.field() / self.steps.len().max(1) as f64;
        let share = (curve as f64 + 0.5) / self.curves.len().max(1) as f64 - 0.5;
        room * share
    }

    /// The width of a curve; the first are the widest.
    fn width(&self, curve: usize) -> f64 {
        let others = self.curves.len().saturating_sub(1).clamp(1, 12) as f64;
        1.4 + (4.5 / others).min(0.9) * self.curves.len().min(13).saturating_sub(curve + 1) as f64
    }

    /// Returns the size of a curve's markers, which grows with its width; dots side by side all have the same size.
    fn radius(&self, curve: usize) -> f64 {
        if !self.is_scale {
            return 3.4;
        }
        2.2 + self.width(curve) / 2.0
    }

    fn curve(
        &self,
        drawing: &mut Drawing,
        (left, top): (f64, f64),
        axis: &Axis,
        curve: usize,
        numbers: &[Option<f64>],
    ) {
        let (colour, marker) = look(curve);
        let points: Vec<(f64, f64)> = (0..)
            .zip(numbers)
            .filter_map(|(step, number)| {
                let y = top + FIELD.1 * (1.0 - axis.share((*number)?));
                Some((self.x(left, step) + self.aside(curve), y))
            })
            .collect();
        // Lines join only the points of a scale.
        if self.is_scale && points.len() > 1 {
            drawing.faint(1.0, Contour::Open(points.clone()), colour, Some(self.width(curve)));
        }
        for point in points {
            marker.draw(drawing, colour, point, self.radius(curve), WHITE);
        }
    }

    fn band(
        &self,
        drawing: &mut Drawing,
        (left, top): (f64, f64),
        axis: &Axis,
        curve: usize,
        ends: &[Option<(f64, f64)>],
    ) {
        let y = |value: f64| top + FIELD.1 * (1.0 - axis.share(value).clamp(0.0, 1.0));
        let ends: Vec<(f64, f64, f64)> = (0..)
            .zip(ends)
            .filter_map(|(step, ends)| ends.map(|(low, high)| (self.x(left, step), y(low), y(high))))
            .collect();
        if self.is_scale && ends.len() > 1 {
            let back = ends.iter().rev().map(|&(x, low, _)| (x, low));
            let area = ends.iter().map(|&(x, _, high)| (x, high)).chain(back).collect();
            drawing.faint(0.18, Contour::Closed(area), look(curve).0, None);
            return;
        }
        for (x, low, high) in ends {
            drawing.line((x, low), (x, high), look(curve).0, 1.4);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(title: &str, curves: &[&[f64]]) -> Panel {
        let curves = curves.iter().map(|curve| curve.iter().copied().map(Some).collect()).collect();
        Panel { title: title.to_owned(), curves, bands: Vec::new() }
    }

    #[test]
    fn a_plot_is_well_formed_and_has_every_curve_and_step() {
        let plot = Curves {
            title: "A < B & \"C\"".to_owned(),
            axis: "steps".to_owned(),
            steps: vec!["one".to_owned(), "two".to_owned(), "three".to_owned()],
            is_scale: false,
            curves: vec!["x".to_owned(), "y".to_owned()],
            panels: vec![panel("F1", &[&[0.0, 1.0, 0.5], &[0.5, 0.5, 0.5]])],
        };
        let svg = plot.draw().svg();
        let mut reader = quick_xml::Reader::from_str(&svg);
        loop {
            match reader.read_event() {
                Ok(quick_xml::events::Event::Eof) => break,
                Ok(_) => {}
                Err(error) => panic!("{error}: {svg}"),
            }
        }
        assert_eq!(svg.matches("<polyline").count(), 0);
        assert!(
            svg.contains(">one<") && svg.contains(">two<") && svg.contains("A &lt; B &amp; &quot;C&quot;")
        );
        // Curves on a scale are lines: here from the bottom of the field to its top, and halfway down again.
        let svg = Curves { is_scale: true, ..plot }.draw().svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("points=\"100.0,316.0 200.0,66.0 300.0,191.0\""), "{svg}");
    }

    /// Dots of many systems make wide panels, which are stacked.
    #[test]
    fn wide_panels_are_stacked() {
        let plot = |systems: usize| {
            let numbers = vec![vec![0.5; 8]; systems];
            let slices: Vec<&[f64]> = numbers.iter().map(Vec::as_slice).collect();
            let drawing = Curves {
                steps: (0..8).map(|step| format!("metric {step}")).collect(),
                curves: (0..systems).map(|system| format!("system {system}")).collect(),
                panels: ["Recall", "Precision", "F1"].map(|title| panel(title, &slices)).to_vec(),
                ..Curves::default()
            }
            .draw();
            (drawing.width, drawing.height)
        };
        let [(few, low), (many, high)] = [plot(2), plot(14)];
        assert!(few > 2.0 * low && many < 1.2 * high, "{few} {low} {many} {high}");
    }

    #[test]
    fn an_empty_plot_is_a_plot() {
        let svg = Curves { is_scale: true, ..Curves::default() }.draw().svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }

    #[test]
    fn missing_and_negative_values_are_drawn() {
        let mut panel = panel("F1", &[&[-0.3, 0.2, 0.9]]);
        panel.curves[0][1] = None;
        panel.bands = vec![vec![Some((-0.4, 0.0)), None, Some((0.8, 1.0))]];
        let steps = ["a", "b", "c"].map(str::to_owned).to_vec();
        let plot = Curves {
            steps,
            is_scale: true,
            curves: vec!["x".to_owned()],
            panels: vec![panel],
            ..Curves::default()
        };
        let svg = plot.draw().svg();
        assert!(svg.contains(">-40<") && svg.contains("<polygon") && !svg.contains("NaN"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 2 + 2 + 1);
    }
}
