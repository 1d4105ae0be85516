//! Scatter plots: a point for each item that two metrics score, panels side by side, a colour for each cloud.

use std::collections::BTreeMap;

use super::drawing::{Anchor, Contour, Drawing, SIZE, TextLine, text_width};
use super::{Axis, COLOURS, FRAME, GRID, SAMPLE, legend, legend_height, look};

/// The scores of one metric against those of another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// The title.
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
    /// The title.
    pub title: String,
    /// A line below the title.
    pub note: String,
    /// The points. Points at the same place share a larger marker.
    pub clouds: Vec<Cloud>,
}

/// Points that belong together. Clouds at the same index have the same name in every panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// The name in the legend, which is unused for a single cloud.
    pub name: String,
    /// Fractions of both metrics.
    pub points: Vec<(f64, f64)>,
    /// The labels of single points; empty if they have no names. Without enough room, numbers and a legend replace them.
    pub labels: Vec<String>,
}

impl ScatterPanel {
    /// The axis of both metrics.
    fn axis(&self) -> Axis {
        let all = self.clouds.iter().flat_map(|cloud| &cloud.points);
        Axis::around(all.flat_map(|&(x, y)| [x, y]))
    }

    /// The points that have labels.
    fn labelled(&self) -> impl Iterator<Item = (&str, (f64, f64))> {
        let clouds = self.clouds.iter();
        clouds.flat_map(|cloud| cloud.labels.iter().map(String::as_str).zip(cloud.points.iter().copied()))
    }

    /// Returns the number of points.
    fn points(&self) -> usize {
        self.clouds.iter().map(|cloud| cloud.points.len()).sum()
    }
}

/// The side of the field of a panel.
const FIELD: f64 = 300.0;
/// Room between the axis and its frame, so that markers at its ends do not cover its numbers.
const ROOM: f64 = 18.0;
/// Left of each panel, for the numbers of its axis and the name of the metric.
const LEFT: f64 = 66.0;
const TOP: f64 = 84.0;
const RIGHT: f64 = 18.0;

/// The number of points above which each is drawn faint, so that density shows.
const DENSE: usize = 150;

impl Scatter {
    /// Draws the figure. Both axes of a panel have the same scale, so the metrics agree on the diagonal.
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
        let is_dense = self.panels.iter().any(|panel| panel.points() > DENSE);
        // Faint points differ only in colour, and colours repeat.
        let clouds = names.len();
        if is_dense && clouds > COLOURS.len() {
            names.clear();
        }
        let plain = names.is_empty() && clouds > 1;
        let lefts = (0..).map(|number| LEFT + number as f64 * (LEFT + FIELD));
        let labels = PointLabels::of(lefts.zip(&self.panels));
        let numbered: &[String] = labels.as_ref().map_or(&[], |labels| &labels.names);
        let width = LEFT + inner.max(text_width(&self.title, 16.0, true)) + RIGHT;
        let bottom = TOP + FIELD + 58.0;
        let mut drawing = Drawing::new(
            &self.title,
            width,
            bottom
                + legend_height(inner, &names)
                + legend_height(inner, numbered)
                + if plain { 28.0 } else { 6.0 },
        );
        drawing.headline(LEFT, &self.title);
        for (number, panel) in self.panels.iter().enumerate() {
            let left = LEFT + number as f64 * (LEFT + FIELD);
            self.panel(&mut drawing, left, panel, (&names, plain, labels.as_ref()));
        }
        if plain {
            let text = format!("{clouds} systems in one colour, which is darker where points overlap");
            drawing.text((LEFT, bottom + 11.0), Anchor::Start, &text);
        }
        let below = legend(&mut drawing, (LEFT, bottom), inner, &names, |drawing, place, (x, y)| {
            let (colour, marker) = look(place);
            let at = (x + SAMPLE - 8.0, y);
            match is_dense {
                true => drawing.faint(0.6, Contour::Circle(at, 6.0), colour, None),
                false => marker.draw(drawing, colour, at, 4.0, None),
            }
        });
        legend(&mut drawing, (LEFT, bottom + below), inner, numbered, |drawing, place, (x, y)| {
            drawing.text((x + SAMPLE, y), Anchor::End, &(place + 1).to_string());
        });
        drawing.fit();
        drawing
    }

    fn panel(
        &self,
        drawing: &mut Drawing,
        left: f64,
        panel: &ScatterPanel,
        (names, plain, labels): (&[String], bool, Option<&PointLabels>),
    ) {
        let axis = panel.axis();
        let place = |point: (f64, f64)| place(left, &axis, point);
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
        drawing.shape(Contour::Box([left, TOP, FIELD, FIELD]), None, Some((FRAME, 1.0)));
        drawing.text((left + FIELD / 2.0, TOP + FIELD + 36.0), Anchor::Middle, &self.x);
        let at = (left - 46.0, TOP + FIELD / 2.0);
        let (text, anchor) = (self.y.clone(), Anchor::Middle);
        drawing.text_of(TextLine { at, text, size: SIZE, bold: false, anchor, upright: true });
        let count = panel.points();
        if count == 0 {
            drawing.text((left + FIELD / 2.0, TOP + FIELD / 2.0), Anchor::Middle, "no points");
        }
        // With many points, markers are small, so that they can be distinguished.
        let radius = match count {
            0..=60 => 4.0,
            61..=400 => 3.0,
            _ => 2.0,
        };
        // The first cloud has the largest markers, and a marker grows with its number of points.
        let clouds = panel.clouds.len();
        for (number, cloud) in panel.clouds.iter().enumerate() {
            let (colour, marker) = look(names.iter().position(|name| *name == cloud.name).unwrap_or(4));
            let mut times: BTreeMap<(i64, i64), usize> = BTreeMap::new();
            for &point in &cloud.points {
                let (x, y) = place(point);
                *times.entry(((x * 10.0).round() as i64, (y * 10.0).round() as i64)).or_default() += 1;
            }
            let (colour, own) = match plain {
                true => (COLOURS[4], radius),
                false => (colour, radius + 1.5 * (clouds - 1 - number).min(3) as f64),
            };
            for ((x, y), times) in times {
                let r = own * (times as f64).sqrt().sqrt().min(2.0);
                let at = (x as f64 / 10.0, y as f64 / 10.0);
                match count > DENSE {
                    // Overlapping points look darker.
                    true => drawing.faint(0.25, Contour::Circle(at, (1.6 * r).min(ROOM - 1.0)), colour, None),
                    false => marker.draw(drawing, colour, at, r, None),
                }
            }
        }
        // Names if they all fit, otherwise numbers with a legend of names below.
        let points = panel.labelled().map(|(_, point)| place(point)).collect::<Vec<_>>();
        let texts: Vec<String> = match labels {
            None => panel.labelled().map(|(label, _)| label.to_owned()).collect(),
            Some(labels) => panel.labelled().map(|(label, _)| labels.number(label)).collect(),
        };
        for Put { text, at, anchor, point, apart } in put(left, &points, &texts).0 {
            if apart {
                drawing.line(point, at, FRAME, 1.0);
            }
            drawing.text(at, anchor, &text);
        }
    }
}

/// The place of a point in the field of a panel.
fn place(left: f64, axis: &Axis, (x, y): (f64, f64)) -> (f64, f64) {
    let side = FIELD - 2.0 * ROOM;
    (left + ROOM + side * axis.share(x), TOP + ROOM + side * (1.0 - axis.share(y)))
}

/// A text next to its point.
struct Put {
    text: String,
    at: (f64, f64),
    anchor: Anchor,
    point: (f64, f64),
    /// True if it is far from its point, so that a line joins them.
    apart: bool,
}

/// Puts texts next to their points, or further away where they would cover each other or a point. Points at one place
/// share a text. Also returns whether every text has such a place within the field.
fn put(left: f64, points: &[(f64, f64)], texts: &[String]) -> (Vec<Put>, bool) {
    const NEAR: f64 = 4.0;
    // Right, left, above and below, then the corners: steps across and down.
    const WAYS: [(f64, f64); 8] = [
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, -1.0),
        (0.0, 1.0),
        (1.0, -1.0),
        (1.0, 1.0),
        (-1.0, -1.0),
        (-1.0, 1.0),
    ];
    // Distances in pixels across and down.
    const RINGS: [(f64, f64); 5] = [(9.0, 12.0), (16.0, 20.0), (26.0, 30.0), (40.0, 42.0), (56.0, 56.0)];
    let mut shared: Vec<(String, (f64, f64))> = Vec::new();
    for (text, &point) in texts.iter().zip(points) {
        let near = |other: &&mut (String, (f64, f64))| {
            let (across, down) = (other.1.0 - point.0, other.1.1 - point.1);
            across * across + down * down < 0.25
        };
        match shared.iter_mut().find(near) {
            Some(other) => other.0 = format!("{}, {text}", other.0),
            None => shared.push((text.clone(), point)),
        }
    }
    let mut taken: Vec<[f64; 4]> =
        points.iter().map(|&(x, y)| [x - NEAR, y - NEAR, x + NEAR, y + NEAR]).collect();
    let mut all = true;
    let mut places = Vec::new();
    for (text, point) in shared {
        let width = text_width(&text, SIZE, false);
        let rings = RINGS.iter().enumerate();
        let ways = rings.flat_map(|(ring, &(across, down))| {
            WAYS.iter().map(move |&(x, y)| {
                let at = (point.0 + x * across, point.1 + y * down);
                let (anchor, start) = match x {
                    x if x > 0.0 => (Anchor::Start, at.0),
                    x if x < 0.0 => (Anchor::End, at.0 - width),
                    _ => (Anchor::Middle, at.0 - width / 2.0),
                };
                let extent = [start, at.1 - 0.5 * SIZE, start + width, at.1 + 0.5 * SIZE];
                (at, anchor, extent, ring > 0)
            })
        });
        let ways: Vec<_> = ways.collect();
        let is_free = |way: &&((f64, f64), Anchor, [f64; 4], bool)| {
            let [x1, y1, x2, y2] = way.2;
            let within = x1 > left && x2 < left + FIELD && y1 > TOP && y2 < TOP + FIELD;
            within
                && !taken.iter().any(|other| x1 < other[2] && other[0] < x2 && y1 < other[3] && other[1] < y2)
        };
        let free = ways.iter().find(is_free);
        all &= free.is_some();
        let &(at, anchor, extent, apart) = free.unwrap_or(&ways[0]);
        taken.push(extent);
        places.push(Put { text, at, anchor, point, apart });
    }
    (places, all)
}

/// The names of points, for panels without room for them next to their points.
struct PointLabels {
    names: Vec<String>,
}

impl PointLabels {
    /// Collects the names of all points; `None` if there is room for them next to the points.
    fn of<'p>(panels: impl Iterator<Item = (f64, &'p ScatterPanel)>) -> Option<PointLabels> {
        let (mut names, mut all): (Vec<String>, bool) = (Vec::new(), true);
        for (left, panel) in panels {
            let axis = panel.axis();
            let points: Vec<(f64, f64)> =
                panel.labelled().map(|(_, point)| place(left, &axis, point)).collect();
            let texts: Vec<String> = panel.labelled().map(|(label, _)| label.to_owned()).collect();
            all &= put(left, &points, &texts).1;
            let new = texts.into_iter().filter(|text| !names.contains(text)).collect::<Vec<_>>();
            names.extend(new);
        }
        (!all).then_some(PointLabels { names })
    }

    fn number(&self, label: &str) -> String {
        self.names.iter().position(|name| name == label).map_or(0, |place| place + 1).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(points: &[(f64, f64)], labels: &[&str]) -> String {
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        let cloud = Cloud { name: String::new(), points: points.to_vec(), labels };
        let panel = ScatterPanel { clouds: vec![cloud], ..ScatterPanel::default() };
        Scatter { panels: vec![panel], ..Scatter::default() }.draw().svg()
    }

    #[test]
    fn labels_cover_neither_each_other_nor_the_frame() {
        let svg = labelled(&[(0.1, 0.1), (0.9, 0.9)], &["alder", "birch"]);
        assert!(svg.contains(">alder<") && svg.contains(">birch<") && !svg.contains(">1<"), "{svg}");
        // A text is moved if it would cover its neighbour.
        let (places, all) = put(0.0, &[(150.0, 200.0), (156.0, 200.0)], &["a".to_owned(), "b".to_owned()]);
        assert!(all && places[0].at != places[1].at);
        // Fourteen crowded points have separate texts, and points at one place share one.
        let heap: Vec<(f64, f64)> =
            (0..14).map(|n| (150.0 + f64::from(n % 4), 200.0 + f64::from(n / 4))).collect();
        let texts: Vec<String> = (1..=14).map(|n| n.to_string()).collect();
        let (places, all) = put(0.0, &heap, &texts);
        assert!(all && places.len() == 14 && places.iter().any(|put| put.apart));
        let (places, _) = put(0.0, &[(150.0, 200.0); 3], &texts[..3]);
        assert_eq!(places.iter().map(|put| put.text.as_str()).collect::<Vec<_>>(), ["1, 2, 3"]);
        let long = "spanbert-large-with-higher-order-inference-and-more";
        let svg = labelled(&[(0.1, 0.1), (0.5, 0.5), (0.9, 0.9)], &["alder", long, "birch"]);
        for text in ["1", "2", "3", "alder", long, "birch"] {
            assert!(svg.matches(&format!(">{text}<")).count() >= 1, "{text}: {svg}");
        }
        let same = labelled(&[(0.5, 0.5); 3], &["alder", "birch", "cedar"]);
        assert!(same.contains(">alder, birch, cedar<") && !same.contains("NaN"), "{same}");
    }

    /// If there are more systems than colours, their faint points all have the same colour.
    #[test]
    fn colours_of_faint_points_do_not_repeat() {
        let svg = |systems: usize| {
            let clouds = (0..systems).map(|system| Cloud {
                name: format!("system {system}"),
                points: (0..60).map(|point| (point as f64 / 60.0, 0.5)).collect(),
                labels: Vec::new(),
            });
            let panel = ScatterPanel { clouds: clouds.collect(), ..ScatterPanel::default() };
            Scatter { panels: vec![panel], ..Scatter::default() }.draw().svg()
        };
        assert!(svg(8).contains(">system 7<") && !svg(8).contains("in one colour"));
        assert!(svg(9).contains(">9 systems in one colour") && !svg(9).contains(">system 7<"));
    }

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
