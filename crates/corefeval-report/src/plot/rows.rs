//! The frame of figures with rows: names on the left, one axis, notes on the right.

use super::drawing::{Anchor, Contour, Drawing, INK, SIZE, TextLine, text_width};
use super::{Axis, FRAME, GRID};

/// The height of a row.
const ROW: f64 = 20.0;

/// The width of the field in which values are drawn.
const FIELD: f64 = 420.0;

/// The top of the field.
const TOP: f64 = 44.0;

/// Rows below one head.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBlock<R> {
    /// The head; an empty one takes no room.
    pub title: String,
    /// The rows.
    pub rows: Vec<R>,
}

/// A row with a name on the left and a note on the right.
pub(super) trait NamedRow {
    /// The name.
    fn name(&self) -> &str;

    /// The note.
    fn note(&self) -> &str;

    /// The values that the axis must cover.
    fn values(&self) -> impl Iterator<Item = f64>;
}

/// A figure of blocks: its title, the label of its axis, its blocks, and a value to mark with a line.
pub(super) struct BlockFigure<'f, R> {
    pub title: &'f str,
    pub axis: &'f str,
    pub blocks: &'f [RowBlock<R>],
    pub mark: Option<f64>,
}

impl<R: NamedRow> BlockFigure<'_, R> {
    /// Draws the figure. `draw` draws each row, given the row's number in its block.
    pub(super) fn draw(&self, mut draw: impl FnMut(&mut RowFigure, usize, &R)) -> Drawing {
        let rows = || self.blocks.iter().flat_map(|block| &block.rows);
        let axis = Axis::around(rows().flat_map(R::values).chain(self.mark));
        let heads: Vec<&str> = self.blocks.iter().map(|block| block.title.as_str()).collect();
        let texts = rows().map(|row| (row.name(), row.note()));
        let lines = rows().count() + heads.iter().filter(|head| !head.is_empty()).count();
        let mut frame = RowFigure::new(self.title, axis, texts, &heads, lines);
        if let Some(value) = self.mark {
            frame.mark(value, INK);
        }
        frame.name_axis(self.axis);
        for block in self.blocks {
            if !block.title.is_empty() {
                frame.head(&block.title);
            }
            for (number, row) in block.rows.iter().enumerate() {
                frame.name(row.name());
                draw(&mut frame, number, row);
                frame.note(row.note());
                frame.y += ROW;
            }
            frame.y += 8.0;
        }
        frame.drawing.fit();
        frame.drawing
    }
}

/// A figure with rows, which are added from top to bottom.
pub(super) struct RowFigure {
    /// The figure so far.
    pub drawing: Drawing,
    /// The axis of the values.
    pub axis: Axis,
    /// The middle of the next row.
    pub y: f64,
    left: f64,
    bottom: f64,
}

impl RowFigure {
    /// Returns the frame for rows with these names and this number of lines of notes, in blocks with these heads.
    pub(super) fn new<'t>(
        title: &str,
        axis: Axis,
        rows: impl Iterator<Item = (&'t str, &'t str)> + Clone,
        heads: &[&str],
        lines: usize,
    ) -> RowFigure {
        let names = rows.clone().map(|(name, _)| text_width(name, SIZE, false) + 10.0);
        let widths = heads.iter().map(|head| text_width(head, SIZE, true));
        let left = 28.0 + names.chain(widths).fold(0.0, f64::max);
        let notes = rows.map(|(_, note)| text_width(note, SIZE, false)).fold(0.0, f64::max);
        let width = (left + FIELD + 14.0 + notes).max(14.0 + text_width(title, 16.0, true)) + 16.0;
        let bottom = TOP + ROW * lines as f64 + 8.0 * heads.len() as f64;
        let mut drawing = Drawing::new(title, width, bottom + 52.0);
        drawing.headline(14.0, title);
        let mut rows = RowFigure { drawing, axis, y: TOP + 4.0 + ROW / 2.0, left, bottom };
        for (value, name) in rows.axis.ticks() {
            let x = rows.x(value / 100.0);
            rows.drawing.line((x, TOP), (x, bottom), GRID, 1.0);
            rows.drawing.text((x, bottom + 14.0), Anchor::Middle, &name);
        }
        let field = Contour::Box([left, TOP, FIELD, bottom - TOP]);
        rows.drawing.shape(field, None, Some((FRAME, 1.0)));
        rows
    }

    /// The place of a value on the axis.
    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + FIELD * self.axis.share(value)
    }

    /// Draws a line from the top to the bottom of the field.
    pub(super) fn mark(&mut self, value: f64, colour: &'static str) {
        let x = self.x(value);
        self.drawing.line((x, TOP), (x, self.bottom), colour, 1.2);
    }

    /// Writes the name of the axis.
    pub(super) fn name_axis(&mut self, name: &str) {
        self.drawing.text((self.left + FIELD / 2.0, self.bottom + 36.0), Anchor::Middle, name);
    }

    /// Writes the head of a block, as a row.
    pub(super) fn head(&mut self, head: &str) {
        let (text, at, anchor) = (head.to_owned(), (14.0, self.y), Anchor::Start);
        self.drawing.text_of(TextLine { at, text, size: SIZE, bold: true, anchor, upright: false });
        self.y += ROW;
    }

    /// Writes the name of a row.
    pub(super) fn name(&mut self, name: &str) {
        self.drawing.text((26.0, self.y), Anchor::Start, name);
    }

    /// Writes the note of a row.
    pub(super) fn note(&mut self, note: &str) {
        self.drawing.text((self.left + FIELD + 10.0, self.y), Anchor::Start, note);
    }
}
