//! Scatter plots: a point for each item that two metrics score, panels side by side, a colour for each cloud.

use std::collections::BTreeMap;

use super::drawing::{Anchor, Drawing, Outline, TextLine, text_width};
use super::{Axis, FRAME, GRID, SAMPLE, legend, legend_height, look};

/// The scores of one metric against those of another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// The content.
    pub title: String,
    /// The metric of the horizontal axis.
    pub x: String,
    /// The metric of the vertical axis.
    pub y: String,
    /// The panels, side by side.
    pub panels: Vec<ScatterPanel>,
}

/// A part of a scatter plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScatterPanel {
    /// The content.
    pub title: String,
    /// A line below the title.
    pub note: String,
    /// The points. Several at one place are one larger marker.
    pub clouds: Vec<Cloud>,
}

/// Points that belong together; those of one place in every panel have one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// In the legend, unless it is the only one.
    pub name: String,
    /// Fractions of both metrics.
    pub points: Vec<(f64, f64)>,
    /// The labels of single points; empty if they have no names.
    pub labels: Vec<String>,
}

impl ScatterPanel {
    /// Returns the number of points.
    fn points(&self) -> usize {
        self.clouds.iter().map(|cloud| cloud.points.len()).sum()
    }
}

/// The side of the field of a panel.
const FIELD: f64 = 300.0;
/// Room between the axis and its frame, so that markers at its ends do not lie on its numbers.
const ROOM: f64 = 18.0;
/// Left of each panel, for the numbers of its axis and the name of the metric.
const LEFT: f64 = 66.0;
const TOP: f64 = 84.0;
const RIGHT: f64 = 18.0;

/// The number of points above which each is drawn faint, so that density shows.
const DENSE: usize = 150;

impl Scatter {
    /// The figure, drawn. Both axes of a panel are one scale, and on the diagonal both metrics agree.
    pub fn draw(&self) -> Drawing {
        let inner = (LEFT + FIELD) * self.panels.len().max(1) as f64 - LEFT;
        let mut names: Vec<String> = Vec::new();
        for cloud in self.panels.iter().flat_map(|panel| &panel.clouds) {
            if !names.contains(&cloud.name) {
                names.push(cloud.name.clone());
            }
        }
        if names.len() == 1 && names[0].is_empty() {
            names.clear();
        }
        let width = LEFT + inner.max(text_width(&self.title, 16.0, true)) + RIGHT;
        let bottom = TOP + FIELD + 58.0;
        let mut drawing = Drawing::new(&self.title, width, bottom + legend_height(inner, &names) + 6.0);
        drawing.headline(LEFT, &self.title);
        for (number, panel) in self.panels.iter().enumerate() {
            let left = LEFT + number as f64 * (LEFT + FIELD);
            self.panel(&mut drawing, left, panel, &names);
        }
        legend(&mut drawing, (LEFT, bottom), inner, &names, |drawing, place, (x, y)| {
            let (colour, marker) = look(place);
            let at = (x + SAMPLE - 8.0, y);
            match self.panels.iter().any(|panel| panel.points() > DENSE) {
                true => drawing.faint(0.6, Outline::Circle(at, 6.0), colour, None),
                false => marker.draw(drawing, colour, at, 4.0, None),
            }
        });
        drawing.fit();
        drawing
    }

    fn panel(&self, drawing: &mut Drawing, left: f64, panel: &ScatterPanel, names: &[String]) {
        let all = || panel.clouds.iter().flat_map(|cloud| &cloud.points);
        let axis = Axis::around(all().flat_map(|&(x, y)| [x, y]));
        let side = FIELD - 2.0 * ROOM;
        let place = |(x, y): (f64, f64)| {
            (left + ROOM + side * axis.share(x), TOP + ROOM + side * (1.0 - axis.share(y)))
        };
        for (text, size, up) in [(&panel.title, 14.0, 32.0), (&panel.note, 11.0, 13.0)] {
            let at = (left + FIELD / 2.0, TOP - up);
            let (text, anchor) = (text.clone(), Anchor::Middle);
            drawing.text_of(TextLine { at, text, size, bold: false, anchor, upright: false });
        }
        for (value, name) in axis.ticks() {
            let (x, y) = place((value / 100.0, value / 100.0));
            drawing.line((left, y), (left + FIELD, y), GRID, 1.0);
            drawing.line((x, TOP), (x, TOP + FIELD), GRID, 1.0);
            drawing.text((left - 6.0, y), Anchor::End, &name);
            drawing.text((x, TOP + FIELD + 14.0), Anchor::Middle, &name);
        }
        drawing.line((left + 1.0, TOP + FIELD - 1.0), (left + FIELD - 1.0, TOP + 1.0), FRAME, 1.0);
        drawing.shape(Outline::Box([left, TOP, FIELD, FIELD]), None, Some((FRAME, 1.0)));
        drawing.text((left + FIELD / 2.0, TOP + FIELD + 36.0), Anchor::Middle, &self.x);
        let at = (left - 46.0, TOP + FIELD / 2.0);
        let (text, anchor) = (self.y.clone(), Anchor::Middle);
        drawing.text_of(TextLine {
            at,
            text,
            size: super::drawing::SIZE,
            bold: false,
            anchor,
            upright: true,
        });
        let count = panel.points();
        if count == 0 {
            drawing.text((left + FIELD / 2.0, TOP + FIELD / 2.0), Anchor::Middle, "no points");
        }
        // Many points are small, so that they can be distinguished.
        let radius = match count {
            0..=60 => 4.0,
            61..=400 => 3.0,
            _ => 2.0,
        };
        // The first of overlapping clouds is the largest, as is a marker of several points.
        let clouds = panel.clouds.len();
        for (number, cloud) in panel.clouds.iter().enumerate() {
            let (colour, marker) = look(names.iter().position(|name| *name == cloud.name).unwrap_or(4));
            let mut times: BTreeMap<(i64, i64), usize> = BTreeMap::new();
            for &point in &cloud.points {
                let (x, y) = place(point);
                *times.entry(((x * 10.0).round() as i64, (y * 10.0).round() as i64)).or_default() += 1;
            }
            let own = radius + 1.5 * (clouds - 1 - number).min(3) as f64;
            for ((x, y), times) in times {
                let r = own * (times as f64).sqrt().sqrt().min(2.0);
                let at = (x as f64 / 10.0, y as f64 / 10.0);
                match count > DENSE {
                    // Many points that overlap grow darker.
                    true => drawing.faint(0.25, Outline::Circle(at, (1.6 * r).min(ROOM - 1.0)), colour, None),
                    false => marker.draw(drawing, colour, at, r, None),
                }
            }
            for (label, &point) in cloud.labels.iter().zip(&cloud.points) {
                let (x, y) = place(point);
                // Labels stay within the field.
                let fits = x + 9.0 + text_width(label, super::drawing::SIZE, false) <= left + FIELD;
                let (at, anchor) = if fits { (x + 9.0, Anchor::Start) } else { (x - 9.0, Anchor::End) };
                drawing.text((at, y), anchor, label);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_once_within_its_field() {
        let cloud = |name: &str, points: &[(f64, f64)]| Cloud {
            name: name.to_owned(),
            points: points.to_vec(),
            labels: Vec::new(),
        };
        let panel = ScatterPanel {
            title: "Recall".to_owned(),
            note: "r = 1".to_owned(),
            clouds: vec![cloud("a", &[(0.1, 0.2), (0.5, 0.5)]), cloud("b", &[(1.0, 0.0)])],
        };
        let scatter = Scatter { panels: vec![panel, ScatterPanel::default()], ..Scatter::default() };
        let svg = scatter.draw().svg();
        // The ground, two frames, two squares and one in the legend.
        assert_eq!(svg.matches("<rect").count(), 6);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("no points") && !svg.contains("NaN"));
        assert!(Scatter::default().draw().svg().ends_with("</svg>\n"));
    }
}
