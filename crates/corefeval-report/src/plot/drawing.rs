//! The common form of all figures: shapes and texts at fixed places, and the SVG document made from them.
//!
//! Lengths are in pixels of 1/96 inch, from the top left. Texts are laid out by the widths of DejaVu Sans
//! ([`text_width`]), which is among the widest sans-serif fonts, so that nothing is cut off in a viewer that
//! substitutes another; PNG is drawn with it.

use std::fmt::Write as _;

use corefeval_core::wording::inert;

/// A drawn figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// A description for screen readers.
    pub title: String,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// The scale at which it is shown.
    pub scale: f64,
    pub(super) items: Vec<Drawn>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Drawn {
    Shape(Shape),
    Text(TextLine),
}

/// A line or an area.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub outline: Contour,
    /// A colour, `#rrggbb`.
    pub fill: Option<&'static str>,
    /// A colour and a width.
    pub stroke: Option<(&'static str, f64)>,
    /// From 0 to 1.
    pub opacity: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Contour {
    /// From one point to the next.
    Open(Vec<(f64, f64)>),
    /// From one point to the next, and back to the first.
    Closed(Vec<(f64, f64)>),
    /// Left, top, width and height.
    Box([f64; 4]),
    /// Centre and radius.
    Circle((f64, f64), f64),
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextLine {
    /// Its anchor: its start, middle or end, at half the height of its letters.
    pub at: (f64, f64),
    pub text: String,
    pub size: f64,
    pub bold: bool,
    pub anchor: Anchor,
    /// True if it runs from the bottom to the top.
    pub upright: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The colour of texts.
pub(super) const INK: &str = "#222222";
/// The size of most texts.
pub(super) const SIZE: f64 = 12.0;
/// The size of titles.
const HEADLINE: f64 = 16.0;
/// The height of the line below a custom title.
const SUBTITLE: f64 = 20.0;
/// The distance between the edge and a text that would cross it.
const MARGIN: f64 = 8.0;
/// The distance of the baseline below the middle of letters, in sizes.
pub(super) const BASELINE: f64 = 0.36;

impl Drawing {
    pub(super) fn new(title: &str, width: f64, height: f64) -> Drawing {
        let mut drawing = Drawing {
            title: inert(title).into_owned(),
            width: width.ceil(),
            height: height.ceil(),
            scale: 1.0,
            items: Vec::new(),
        };
        drawing.shape(Contour::Box([0.0, 0.0, drawing.width, drawing.height]), Some("#ffffff"), None);
        drawing
    }

    pub(super) fn shape(
        &mut self,
        outline: Contour,
        fill: Option<&'static str>,
        stroke: Option<(&'static str, f64)>,
    ) {
        self.items.push(Drawn::Shape(Shape { outline, fill, stroke, opacity: 1.0 }));
    }

    pub(super) fn faint(&mut self, opacity: f64, outline: Contour, paint: &'static str, width: Option<f64>) {
        let (fill, stroke) = match width {
            Some(width) => (None, Some((paint, width))),
            None => (Some(paint), None),
        };
        self.items.push(Drawn::Shape(Shape { outline, fill, stroke, opacity }));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &'static str, width: f64) {
        self.shape(Contour::Open(vec![from, to]), None, Some((colour, width)));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.text_of(TextLine { at, text: text.to_owned(), size: SIZE, bold: false, anchor, upright: false });
    }

    pub(super) fn text_of(&mut self, text: TextLine) {
        // Names from data may have control characters, or change the direction of the following text.
        let shown = inert(&text.text).into_owned();
        self.items.push(Drawn::Text(TextLine { text: shown, ..text }));
    }

    /// Adds the title of the figure, at the top left.
    pub(super) fn headline(&mut self, left: f64, text: &str) {
        let text = text.to_owned();
        let (at, anchor) = ((left, 19.0), Anchor::Start);
        self.text_of(TextLine { at, text, size: HEADLINE, bold: true, anchor, upright: false });
    }

    /// Replaces the title at the top left. The previous title, which describes the figure, moves to a line below, unless
    /// the new title is empty.
    pub(super) fn retitle(&mut self, title: &str) {
        let title = &*inert(title);
        let is_headline =
            |item: &Drawn| matches!(item, Drawn::Text(text) if text.size == HEADLINE && text.bold);
        let Some(place) = self.items.iter().position(is_headline) else { return };
        if !title.is_empty() {
            // The background stays in its place, and grows.
            self.items.iter_mut().skip(1).for_each(|item| item.shift(0.0, SUBTITLE));
            self.height += SUBTITLE;
        }
        if let Some(Drawn::Shape(Shape { outline: Contour::Box(ground), .. })) = self.items.first_mut() {
            ground[3] = self.height;
        }
        let Drawn::Text(headline) = &mut self.items[place] else { return };
        let shown = std::mem::replace(&mut headline.text, title.to_owned());
        let (left, below) = headline.at;
        self.title = match title.is_empty() {
            true => String::new(),
            false => {
                headline.at.1 -= SUBTITLE;
                self.text((left, below), Anchor::Start, &shown);
                format!("{title}: {shown}")
            }
        };
        self.fit();
    }

    /// Enlarges the figure if a text crosses its edge, because names and titles can have any length.
    pub(super) fn fit(&mut self) {
        let mut sides = [(0.0_f64, self.width), (0.0_f64, self.height)];
        for item in &self.items {
            let Drawn::Text(text) = item else { continue };
            for (side, (low, high)) in sides.iter_mut().zip(text.extent()) {
                if low < 0.0 {
                    side.0 = side.0.min(low - MARGIN);
                }
                if high > side.1 {
                    side.1 = high + MARGIN;
                }
            }
        }
        let [(left, right), (top, bottom)] = sides;
        if (left, right, top, bottom) == (0.0, self.width, 0.0, self.height) {
            return;
        }
        (self.width, self.height) = ((right - left).ceil(), (bottom - top).ceil());
        for item in &mut self.items {
            item.shift(-left, -top);
        }
        if let Some(Drawn::Shape(Shape { outline: Contour::Box(ground), .. })) = self.items.first_mut() {
            *ground = [0.0, 0.0, self.width, self.height];
        }
    }

    /// Returns the figure as an SVG document, with the same bytes on every machine.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let (width, height) = (self.width, self.height);
        let [shown_width, shown_height] = [width, height].map(|length| length * self.scale);
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{shown_width:.0}\" \
             height=\"{shown_height:.0}\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\" \
             font-size=\"{SIZE}\" fill=\"{INK}\">\n<title>{}</title>",
            escape(&self.title)
        );
        for item in &self.items {
            match item {
                Drawn::Shape(shape) => shape.svg(&mut svg),
                Drawn::Text(text) => text.svg(&mut svg),
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Drawn {
    fn shift(&mut self, right: f64, down: f64) {
        let shift = |(x, y): &mut (f64, f64)| (*x, *y) = (*x + right, *y + down);
        match self {
            Drawn::Text(text) => shift(&mut text.at),
            Drawn::Shape(shape) => match &mut shape.outline {
                Contour::Open(points) | Contour::Closed(points) => points.iter_mut().for_each(shift),
                Contour::Box([x, y, ..]) => (*x, *y) = (*x + right, *y + down),
                Contour::Circle(centre, _) => shift(centre),
            },
        }
    }
}

impl Shape {
    fn svg(&self, svg: &mut String) {
        let list = |points: &[(f64, f64)]| {
            let points = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
            points.collect::<Vec<_>>().join(" ")
        };
        let _ = match &self.outline {
            Contour::Open(points) => match points.as_slice() {
                [(x1, y1), (x2, y2)] => {
                    write!(svg, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"")
                }
                points => write!(svg, "<polyline points=\"{}\"", list(points)),
            },
            Contour::Closed(points) => write!(svg, "<polygon points=\"{}\"", list(points)),
            Contour::Box([x, y, width, height]) => {
                write!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"")
            }
            Contour::Circle((x, y), r) => {
                write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\"")
            }
        };
        let _ = write!(svg, " fill=\"{}\"", self.fill.unwrap_or("none"));
        if let Some((colour, width)) = self.stroke {
            let _ = write!(svg, " stroke=\"{colour}\" stroke-width=\"{width:.1}\" stroke-linejoin=\"round\"");
        }
        if self.opacity < 1.0 {
            let _ = write!(svg, " opacity=\"{}\"", self.opacity);
        }
        svg.push_str("/>\n");
    }
}

impl TextLine {
    /// Its horizontal and vertical extent.
    fn extent(&self) -> [(f64, f64); 2] {
        // Bold letters are wider than plain ones by a mean factor.
        let length = text_width(&self.text, self.size, self.bold) * if self.bold { 1.06 } else { 1.0 };
        let before = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => length / 2.0,
            Anchor::End => length,
        };
        let (half, (x, y)) = (self.size / 2.0, self.at);
        match self.upright {
            true => [(x - half, x + half), (y + before - length, y + before)],
            false => [(x - before, x - before + length), (y - half, y + half)],
        }
    }

    fn svg(&self, svg: &mut String) {
        let (x, y) = self.at;
        let _ = match self.upright {
            true => write!(svg, "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\""),
            false => write!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\"", y + BASELINE * self.size),
        };
        if self.upright {
            let _ = write!(svg, " y=\"{:.1}\"", BASELINE * self.size);
        }
        match self.anchor {
            Anchor::Start => {}
            Anchor::Middle => svg.push_str(" text-anchor=\"middle\""),
            Anchor::End => svg.push_str(" text-anchor=\"end\""),
        }
        if self.size != SIZE {
            let _ = write!(svg, " font-size=\"{}\"", self.size);
        }
        if self.bold {
            svg.push_str(" font-weight=\"bold\"");
        }
        let _ = writeln!(svg, ">{}</text>", escape(&self.text));
    }
}

/// Escapes text for XML. Characters that XML does not allow are dropped.
fn escape(text: &str) -> String {
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The approximate width of a text in pixels: exact for ASCII in DejaVu Sans, generous for other characters.
pub(super) fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    let width = |character: char| match character as u32 {
        code @ 0x20..=0x7e => f64::from(WIDTHS[code as usize - 0x20]) / 1000.0,
        0..=0x1f | 0x7f..=0x9f | 0x300..=0x36f => 0.0,
        0xa0..=0x2e7f => 0.7,
        _ => 1.0,
    };
    text.chars().map(width).sum::<f64>() * size * if bold { 1.14 } else { 1.0 }
}

/// The widths of the letters of DejaVu Sans from the space to the tilde, in thousandths of their size.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_measured() {
        assert_eq!(text_width("", 12.0, false), 0.0);
        assert!(text_width("wide", 12.0, true) > text_width("wide", 12.0, false));
    }

    #[test]
    fn texts_are_escaped() {
        let mut drawing = Drawing::new("A < B & \"C\"", 10.0, 10.0);
        drawing.text((1.0, 2.0), Anchor::Middle, "<b>\u{0}");
        let svg = drawing.svg();
        assert!(
            svg.contains("A &lt; B &amp; &quot;C&quot;") && svg.contains(">&lt;b&gt;\\u{0}</text>"),
            "{svg}"
        );
    }

    #[test]
    fn no_text_crosses_the_edge() {
        let mut drawing = Drawing::new("t", 100.0, 50.0);
        drawing.line((0.0, 10.0), (100.0, 10.0), INK, 1.0);
        let before = drawing.clone();
        drawing.text((50.0, 20.0), Anchor::Middle, "short");
        drawing.fit();
        assert_eq!((drawing.width, drawing.height, &drawing.items[1]), (100.0, 50.0, &before.items[1]));
        drawing.text((50.0, 20.0), Anchor::Middle, &"m".repeat(20));
        let (text, anchor) = ("m".repeat(20), Anchor::End);
        drawing.text_of(TextLine { at: (50.0, 40.0), text, size: SIZE, bold: false, anchor, upright: true });
        drawing.fit();
        for item in &drawing.items {
            let Drawn::Text(text) = item else { continue };
            let [(left, right), (top, bottom)] = text.extent();
            assert!(left >= 0.0 && right <= drawing.width && top >= 0.0 && bottom <= drawing.height);
        }
        // All items have moved, and the background is as large as the figure.
        let Drawn::Shape(Shape { outline: Contour::Open(line), .. }) = &drawing.items[1] else { panic!() };
        assert!(line[0].0 > 50.0 && line[1].0 - line[0].0 == 100.0);
        let Drawn::Shape(Shape { outline: Contour::Box(ground), .. }) = &drawing.items[0] else { panic!() };
        assert_eq!(*ground, [0.0, 0.0, drawing.width, drawing.height]);
        let title = "w".repeat(50);
        drawing.headline(60.0, "t");
        let height = drawing.height;
        drawing.retitle(&title);
        assert!(drawing.width > 60.0 + 1.06 * text_width(&title, HEADLINE, true));
        // The line that describes the figure stays, below the title.
        let svg = drawing.svg();
        assert!(svg.contains(">t</text>") && svg.contains(&format!(">{title}</text>")), "{svg}");
        assert_eq!(drawing.height, height + SUBTITLE);
        let mut bare = Drawing::new("t", 100.0, 100.0);
        bare.headline(60.0, "t");
        bare.retitle("");
        assert!(bare.height == 100.0 && !bare.svg().contains(">t<"));
    }
}
