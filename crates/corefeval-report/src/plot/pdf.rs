//! Drawings as PDF: one page of shapes, with the letters of DejaVu Sans as outlines, so viewers need no font.

use std::collections::BTreeSet;

use corefeval_core::error::Result;
use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref};
use tiny_skia::{Path, PathSegment, Point};

use super::drawing::{Drawing, Drawn, INK, Shape};
use super::png::{Letters, path};

/// Points of 1/72 inch in a pixel of 1/96 inch.
const POINTS: f64 = 0.75;

impl Drawing {
    /// Returns the figure as a PDF file with one page of the figure's size.
    ///
    /// # Errors
    ///
    /// The built-in font cannot be read.
    pub fn pdf(&self) -> Result<Vec<u8>> {
        let letters = Letters::new()?;
        let scale = (POINTS * self.scale) as f32;
        let [width, height] = [self.width, self.height].map(|length| length as f32 * scale);
        let mut content = Content::new();
        // The origin of a page is at the bottom left.
        content.transform([scale, 0.0, 0.0, -scale, 0.0, height]);
        content.set_line_join(LineJoinStyle::RoundJoin);
        let mut opacities = BTreeSet::new();
        for item in &self.items {
            match item {
                Drawn::Shape(shape) => {
                    opacities.insert(percent(shape));
                    draw(&mut content, shape);
                }
                Drawn::Text(text) => {
                    if let Some(outline) = letters.path(text) {
                        content.set_parameters(Name(b"o100"));
                        let [red, green, blue] = colour(INK);
                        content.set_fill_rgb(red, green, blue);
                        trace(&mut content, &outline);
                        content.fill_nonzero();
                    }
                }
            }
        }
        opacities.insert(100);
        let [catalog, pages, page, stream] = [1, 2, 3, 4].map(Ref::new);
        let states: Vec<(u8, Ref)> = opacities.into_iter().zip((5..).map(Ref::new)).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        let mut leaf = pdf.page(page);
        leaf.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(stream);
        let mut resources = leaf.resources();
        let mut names = resources.ext_g_states();
        for (opacity, state) in &states {
            names.pair(Name(format!("o{opacity}").as_bytes()), *state);
        }
        names.finish();
        resources.finish();
        leaf.finish();
        for (opacity, state) in states {
            let share = f32::from(opacity) / 100.0;
            pdf.ext_graphics(state).stroking_alpha(share).non_stroking_alpha(share);
        }
        pdf.stream(stream, &content.finish());
        Ok(pdf.finish())
    }
}

/// The opacity of a shape in percent.
fn percent(shape: &Shape) -> u8 {
    (100.0 * shape.opacity).round().clamp(0.0, 100.0) as u8
}

fn draw(content: &mut Content, shape: &Shape) {
    let Some(outline) = path(&shape.outline) else { return };
    content.set_parameters(Name(format!("o{}", percent(shape)).as_bytes()));
    if let Some(fill) = shape.fill {
        let [red, green, blue] = colour(fill);
        content.set_fill_rgb(red, green, blue);
        trace(content, &outline);
        content.fill_nonzero();
    }
    if let Some((stroke, width)) = shape.stroke {
        let [red, green, blue] = colour(stroke);
        content.set_stroke_rgb(red, green, blue).set_line_width(width as f32);
        trace(content, &outline);
        content.stroke();
    }
}

/// `#rrggbb` as shares of red, green and blue.
fn colour(text: &str) -> [f32; 3] {
    [1, 3, 5].map(|place| {
        let digits = text.get(place..place + 2).unwrap_or_default();
        f32::from(u8::from_str_radix(digits, 16).unwrap_or(0)) / 255.0
    })
}

/// Adds an outline, with quadratic curves converted to cubic ones.
fn trace(content: &mut Content, outline: &Path) {
    let mut last = Point::zero();
    for segment in outline.segments() {
        match segment {
            PathSegment::MoveTo(to) => {
                content.move_to(to.x, to.y);
                last = to;
            }
            PathSegment::LineTo(to) => {
                content.line_to(to.x, to.y);
                last = to;
            }
            PathSegment::QuadTo(control, to) => {
                let between = |end: Point| {
                    (end.x + 2.0 / 3.0 * (control.x - end.x), end.y + 2.0 / 3.0 * (control.y - end.y))
                };
                let ((x1, y1), (x2, y2)) = (between(last), between(to));
                content.cubic_to(x1, y1, x2, y2, to.x, to.y);
                last = to;
            }
            PathSegment::CubicTo(first, second, to) => {
                content.cubic_to(first.x, first.y, second.x, second.y, to.x, to.y);
                last = to;
            }
            PathSegment::Close => {
                content.close_path();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::plot::{Curves, Figure, Panel};

    #[test]
    fn a_figure_is_one_page_of_its_size_and_the_same_bytes_each_time() {
        let panels = vec![Panel { curves: vec![vec![Some(0.5)]], ..Panel::default() }];
        let plot =
            Curves { steps: vec!["x".to_owned()], curves: vec!["a".to_owned()], panels, ..Curves::default() };
        let figure = Figure { name: "f".to_owned(), drawing: plot.draw() }.look(Some("Title"), Some(8.0));
        let bytes = figure.drawing.pdf().expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("%PDF-1.") && text.trim_end().ends_with("%%EOF"), "{text}");
        assert_eq!(text.matches("/Type /Page\n").count(), 1);
        // Eight centimetres are 226.77 points.
        assert!(text.contains("/MediaBox [0 0 226.77"), "{text}");
        assert_eq!(bytes, figure.drawing.pdf().expect("a file"));
    }
}
