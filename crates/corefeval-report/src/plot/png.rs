//! Drawings as PNG: shapes by `tiny-skia`, letters of DejaVu Sans.

use std::collections::BTreeSet;

use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::drawing::{Anchor, BASELINE, Contour, Drawing, Drawn, INK, Shape, TextLine};
use corefeval_core::error::{Error, ErrorKind, Result};

/// The resolution: dots per pixel of the drawing in each direction, 288 per inch.
const SCALE: f64 = 3.0;

/// The largest side in dots; larger figures have fewer dots per inch.
const MOST: f64 = 12_000.0;

impl Drawing {
    /// Returns the figure as a PNG file, at 288 dots per inch, or fewer if a side would have more than 12,000.
    ///
    /// # Errors
    ///
    /// A side would have more than 12,000 dots even at 96 dots per inch; the figure is empty or cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>> {
        let failed =
            |why: &str| Error::new(ErrorKind::Io, format!("the figure cannot be drawn as PNG: {why}"));
        let scale = (SCALE * self.scale).min(MOST / self.width.max(self.height).max(1.0));
        if scale < self.scale.min(1.0) {
            return Err(failed("it is too large").hint("compare fewer systems or metrics at a time"));
        }
        let [width, height] = [self.width, self.height].map(|length| (length * scale).ceil() as u32);
        let mut pixels = Pixmap::new(width, height).ok_or_else(|| failed("it is empty"))?;
        let dots_per_meter = (96.0 * scale / self.scale / 0.0254).round() as u32;
        let scale = Transform::from_scale(scale as f32, scale as f32);
        let mut letters = Letters::new()?;
        for item in &self.items {
            match item {
                Drawn::Shape(shape) => draw_shape(&mut pixels, shape, scale),
                Drawn::Text(text) => letters.draw(&mut pixels, text, scale),
            }
        }
        encoded(&pixels, dots_per_meter).map_err(|error| failed(&error.to_string()))
    }
}

/// The file of a figure, with its size on paper.
fn encoded(pixels: &Pixmap, dots_per_meter: u32) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let (xppu, yppu, unit) = (dots_per_meter, dots_per_meter, png::Unit::Meter);
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu, yppu, unit }));
    let mut writer = encoder.write_header()?;
    let straight = |pixel: &tiny_skia::PremultipliedColorU8| {
        let pixel = pixel.demultiply();
        [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
    };
    let dots: Vec<u8> = pixels.pixels().iter().flat_map(straight).collect();
    writer.write_image_data(&dots)?;
    writer.finish()?;
    Ok(file)
}

impl Drawing {
    /// Returns the letters that PNG and PDF cannot show, once each: letters that DejaVu Sans lacks, and letters of scripts
    /// that run from right to left, because this renderer neither reorders nor joins letters. An SVG is drawn by its viewer,
    /// with the viewer's fonts.
    ///
    /// # Errors
    ///
    /// The built-in font cannot be read.
    pub fn missing_letters(&self) -> Result<BTreeSet<char>> {
        let letters = Letters::new()?;
        let texts = self.items.iter().filter_map(|item| match item {
            Drawn::Text(text) => Some(text),
            Drawn::Shape(_) => None,
        });
        let missing = texts.flat_map(|text| {
            let face = if text.bold { &letters.bold } else { &letters.plain };
            let lacks = |character: &char| {
                !character.is_control()
                    && (face.glyph_index(*character).is_none() || runs_to_the_left(*character))
            };
            text.text.chars().filter(lacks)
        });
        Ok(missing.collect())
    }
}

/// Returns whether a character belongs to a script that runs from right to left: Hebrew, Arabic, Syriac and others.
fn runs_to_the_left(character: char) -> bool {
    matches!(character as u32, 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x10800..=0x10fff | 0x1e800..=0x1efff)
}

/// `#rrggbb` as paint.
fn paint(colour: &str, opacity: f64) -> Paint<'static> {
    let part = |place: usize| {
        let digits = colour.get(place..place + 2).unwrap_or_default();
        f32::from(u8::from_str_radix(digits, 16).unwrap_or(0)) / 255.0
    };
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba(part(1), part(3), part(5), opacity as f32).unwrap_or(Color::BLACK));
    paint
}

pub(super) fn path(outline: &Contour) -> Option<Path> {
    let points = |points: &[(f64, f64)], closed: bool| {
        let mut builder = PathBuilder::new();
        for (place, &(x, y)) in points.iter().enumerate() {
            match place {
                0 => builder.move_to(x as f32, y as f32),
                _ => builder.line_to(x as f32, y as f32),
            }
        }
        if closed {
            builder.close();
        }
        builder.finish()
    };
    match outline {
        Contour::Open(list) => points(list, false),
        Contour::Closed(list) => points(list, true),
        Contour::Box(numbers) => {
            let [x, y, width, height] = numbers.map(|number| number as f32);
            Rect::from_xywh(x, y, width, height).map(PathBuilder::from_rect)
        }
        Contour::Circle((x, y), radius) => PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32),
    }
}

fn draw_shape(pixels: &mut Pixmap, shape: &Shape, scale: Transform) {
    let Some(path) = path(&shape.outline) else { return };
    if let Some(colour) = shape.fill {
        pixels.fill_path(&path, &paint(colour, shape.opacity), FillRule::Winding, scale, None);
    }
    if let Some((colour, width)) = shape.stroke {
        let stroke = Stroke { width: width as f32, line_join: LineJoin::Round, ..Stroke::default() };
        pixels.stroke_path(&path, &paint(colour, shape.opacity), &stroke, scale, None);
    }
}

/// The fonts, plain and bold.
pub(super) struct Letters {
    plain: Face<'static>,
    bold: Face<'static>,
}

impl Letters {
    pub(super) fn new() -> Result<Letters> {
        let read = |bytes: &'static [u8]| {
            Face::parse(bytes, 0)
                .map_err(|error| Error::new(ErrorKind::Io, format!("the letters cannot be read: {error}")))
        };
        Ok(Letters { plain: read(dejavu::sans::regular())?, bold: read(dejavu::sans::bold())? })
    }

    fn draw(&mut self, pixels: &mut Pixmap, text: &TextLine, scale: Transform) {
        if let Some(path) = self.path(text) {
            pixels.fill_path(&path, &paint(INK, 1.0), FillRule::Winding, scale, None);
        }
    }

    /// The outlines of a text at its place.
    pub(super) fn path(&self, text: &TextLine) -> Option<Path> {
        let face = if text.bold { &self.bold } else { &self.plain };
        let size = text.size as f32 / f32::from(face.units_per_em());
        let glyphs: Vec<(GlyphId, f32)> = text
            .text
            .chars()
            .filter(|character| !character.is_control())
            .map(|character| {
                let glyph = face.glyph_index(character).unwrap_or(GlyphId(0));
                (glyph, f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * size)
            })
            .collect();
        let width: f32 = glyphs.iter().map(|glyph| glyph.1).sum();
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let (x, y) = (text.at.0 as f32, text.at.1 as f32);
        let place = Transform::from_translate(x, y);
        let place = if text.upright { place.pre_concat(Transform::from_rotate(-90.0)) } else { place };
        let mut outline =
            Glyph { builder: PathBuilder::new(), x: start, y: (BASELINE * text.size) as f32, size };
        for (glyph, advance) in glyphs {
            // A space has no outline.
            let _ = face.outline_glyph(glyph, &mut outline);
            outline.x += advance;
        }
        outline.builder.finish()?.transform(place)
    }
}

/// The outline of a text, letter by letter.
struct Glyph {
    builder: PathBuilder,
    x: f32,
    y: f32,
    size: f32,
}

impl Glyph {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.size, self.y - y * self.size)
    }
}

impl OutlineBuilder for Glyph {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawing::text_width;
    use super::*;

    fn decoded(drawing: &Drawing) -> Pixmap {
        let file = std::io::Cursor::new(drawing.png().expect("the figure is small"));
        let mut reader = png::Decoder::new(file).read_info().expect("the file is a PNG");
        // Figures have no transparent dots.
        let mut pixels =
            Pixmap::new(reader.info().width, reader.info().height).expect("the image has a size");
        reader.next_frame(pixels.data_mut()).expect("the buffer fits");
        assert!(pixels.pixels().iter().all(|pixel| pixel.is_opaque()));
        pixels
    }

    fn dark(pixels: &Pixmap) -> usize {
        pixels.pixels().iter().filter(|pixel| pixel.red() < 128).count()
    }

    #[test]
    fn shapes_and_letters_leave_ink() {
        let mut drawing = Drawing::new("t", 60.0, 20.0);
        let empty = decoded(&drawing);
        assert_eq!((empty.width(), empty.height(), dark(&empty)), (180, 60, 0));
        drawing.shape(Contour::Box([0.0, 0.0, 10.0, 10.0]), Some("#000000"), None);
        assert_eq!(dark(&decoded(&drawing)), 900);
        drawing.text((30.0, 10.0), Anchor::Middle, "φ4 ³");
        assert!(dark(&decoded(&drawing)) > 1_000);
        assert_eq!(drawing.png(), drawing.png());
        assert!(Drawing::new("t", 1e6, 20.0).png().is_err());
    }

    #[test]
    fn missing_letters_are_named() {
        let mut drawing = Drawing::new("B³, α: Ä я", 60.0, 20.0);
        drawing.text((30.0, 10.0), Anchor::Middle, "φ4 → ● Ä я");
        assert!(drawing.missing_letters().expect("letters").is_empty());
        drawing.text((30.0, 10.0), Anchor::Middle, "系统 系 a");
        assert_eq!(drawing.missing_letters().expect("letters").into_iter().collect::<String>(), "系统");
        drawing.text((30.0, 10.0), Anchor::Middle, "שלום");
        assert!(drawing.missing_letters().expect("letters").contains(&'ש'));
    }

    /// The table of widths agrees with the font.
    #[test]
    fn texts_have_their_estimated_width() {
        let letters = Letters::new().expect("the font is built in");
        for (face, bold) in [(&letters.plain, false), (&letters.bold, true)] {
            let width = |character: char| {
                let glyph = face.glyph_index(character).expect("a letter");
                f64::from(face.glyph_hor_advance(glyph).expect("a width")) / f64::from(face.units_per_em())
            };
            for text in ["Precision", "F1, %", "CEAF 4 against LEA", "conll-2012_test.v4"] {
                let whole: f64 = text.chars().map(width).sum();
                let taken = text_width(text, 1.0, bold);
                let off = if bold { 0.06 * whole } else { 0.01 };
                assert!((whole - taken).abs() <= off, "{text} {bold}: {whole} and {taken}");
            }
        }
    }
}
