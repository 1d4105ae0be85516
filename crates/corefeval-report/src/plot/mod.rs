//! Figures: curves, scatter plots, intervals, differences and waterfalls, each a type that becomes a [`Drawing`], which is
//! written as SVG and, with the feature `png`, as PNG and PDF.
//!
//! Colours are the palette of Okabe and Ito, which people with any colour vision can distinguish; each colour has its own
//! marker, for prints in grey. The bytes of a figure depend only on its contents.

mod curves;
mod differences;
mod drawing;
mod forest;
#[cfg(feature = "png")]
mod pdf;
#[cfg(feature = "png")]
mod png;
mod rows;
mod scatter;
mod waterfall;

use std::fs;
use std::path::{Path, PathBuf};

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::Result;
use corefeval_core::output::{not_written, refuse_dash, write_all};

pub use self::curves::{Curves, Panel};
pub use self::differences::Differences;
pub use self::drawing::Drawing;
use self::drawing::{Anchor, Contour, INK, TextLine, text_width};
pub use self::forest::{Forest, ForestRow};
pub use self::rows::RowBlock;
pub use self::scatter::{Cloud, Scatter, ScatterPanel};
pub use self::waterfall::{Waterfall, WaterfallStep};

/// A figure and the name of its file, without extension.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Letters and digits of any script, hyphens.
    pub name: String,
    /// The drawing.
    pub drawing: Drawing,
}

impl Figure {
    /// Returns the figure with another title above its own (no title if it is empty), and this many centimetres wide.
    #[must_use]
    pub fn look(mut self, title: Option<&str>, width: Option<f64>) -> Figure {
        if let Some(title) = title {
            self.drawing.retitle(title);
        }
        if let Some(width) = width {
            self.drawing.scale = width * PIXELS / self.drawing.width.max(1.0);
        }
        self
    }
}

/// Writes figures into a directory, which is created if needed, and returns the findings.
///
/// # Errors
///
/// A directory called `-`, or a file that cannot be written.
pub fn write_figures(folder: &Path, figures: &[Figure]) -> Result<Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    refuse_dash(folder)?;
    if figures.is_empty() {
        diagnostics
            .add(Code::NoFigure, None, None, || format!("no figure was written to {}", folder.display()));
        return Ok(diagnostics);
    }
    fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for figure in figures {
        let svg = folder.join(format!("{}.svg", figure.name));
        files.push((svg.clone(), figure.drawing.svg().into()));
        #[cfg(feature = "png")]
        {
            let missing: String = figure.drawing.missing_letters()?.into_iter().collect();
            if !missing.is_empty() {
                diagnostics.add(Code::LettersMissing, None, None, || {
                    format!(
                        "{} is drawn only as SVG, because PNG and PDF lack the letters {missing}",
                        svg.display()
                    )
                });
                continue;
            }
            files.push((folder.join(format!("{}.png", figure.name)), figure.drawing.png()?));
            files.push((folder.join(format!("{}.pdf", figure.name)), figure.drawing.pdf()?));
        }
    }
    write_all(&files)?;
    Ok(diagnostics)
}

/// Pixels of 1/96 inch in a centimetre.
const PIXELS: f64 = 96.0 / 2.54;

/// Returns a file name for a text: letters and digits of any script, Latin letters in lower case, joined by hyphens.
pub fn file_name(text: &str) -> String {
    let words = text.split(|character: char| !character.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase);
    words.collect::<Vec<_>>().join("-")
}

/// The colours of items, in order. They repeat after the last, with different markers.
const COLOURS: [&str; 8] =
    ["#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#000000", "#D55E00", "#999999"];
const MARKERS: [Marker; 6] =
    [Marker::Square, Marker::Circle, Marker::Diamond, Marker::Triangle, Marker::Cross, Marker::Dot];

const WHITE: Option<&str> = Some("#ffffff");

/// Lines of the frame, ticks, and the background.
const FRAME: &str = "#888888";
const GRID: &str = "#dddddd";

#[derive(Clone, Copy, Debug)]
enum Marker {
    Square,
    Circle,
    Diamond,
    Triangle,
    Cross,
    Dot,
}

/// The colour and marker of the item at a place.
fn look(place: usize) -> (&'static str, Marker) {
    let again = place / COLOURS.len();
    (COLOURS[place % COLOURS.len()], MARKERS[(place % COLOURS.len() + again) % MARKERS.len()])
}

impl Marker {
    /// Draws the marker around a point; without a `fill` it is transparent.
    fn draw(
        self,
        drawing: &mut Drawing,
        colour: &'static str,
        (x, y): (f64, f64),
        r: f64,
        fill: Option<&'static str>,
    ) {
        let closed = |points: &[(f64, f64)]| {
            Contour::Closed(points.iter().map(|(right, down)| (x + right * r, y + down * r)).collect())
        };
        let outline = match self {
            Marker::Square => Contour::Box([x - r, y - r, 2.0 * r, 2.0 * r]),
            Marker::Circle => Contour::Circle((x, y), r),
            Marker::Diamond => closed(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
            Marker::Triangle => closed(&[(0.0, -1.3), (1.3, 1.0), (-1.3, 1.0)]),
            Marker::Cross => {
                drawing.line((x - r, y - r), (x + r, y + r), colour, 1.8);
                return drawing.line((x - r, y + r), (x + r, y - r), colour, 1.8);
            }
            Marker::Dot => {
                return drawing.shape(Contour::Circle((x, y), 0.75 * r), Some(colour), None);
            }
        };
        drawing.shape(outline, fill, Some((colour, 1.6)));
    }
}

/// An axis in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// An axis of round numbers around values, which are fractions, with at most eight steps.
    fn around(values: impl Iterator<Item = f64>) -> Axis {
        let ends = values.filter(|value| value.is_finite()).map(|value| 100.0 * value);
        let (low, high) =
            ends.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Axis { low: 0.0, high: 100.0, step: 20.0 };
        }
        let range = (high - low).max(0.5);
        let steps = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
        let step = steps.into_iter().find(|step| range / step <= 6.0).unwrap_or(1000.0);
        let (below, above) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        // A single value, or several on one tick, has room on both sides.
        match above - below < 0.5 * step {
            true => Axis { low: below - step, high: above + step, step },
            false => Axis { low: below, high: above, step },
        }
    }

    fn ticks(&self) -> impl Iterator<Item = (f64, String)> + use<> {
        let (low, step) = (self.low, self.step);
        let count = ((self.high - low) / step + 1e-9).floor() as usize;
        let decimals = usize::from(step < 1.0);
        (0..=count).map(move |tick| {
            let value = low + tick as f64 * step;
            // No minus before zero.
            let value = if value.abs() < step / 1e6 { 0.0 } else { value };
            (value, format!("{value:.decimals$}"))
        })
    }

    /// Returns the position of a fraction on the axis, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        (100.0 * value - self.low) / (self.high - self.low)
    }
}

/// Draws a legend in rows that fit a width, and returns its height.
fn legend(
    drawing: &mut Drawing,
    (left, top): (f64, f64),
    width: f64,
    names: &[String],
    mut sample: impl FnMut(&mut Drawing, usize, (f64, f64)),
) -> f64 {
    let places = legend_places(width, names);
    for (place, (name, &(x, row))) in names.iter().zip(&places).enumerate() {
        let (x, y) = (left + x, top + 22.0 * row as f64 + 11.0);
        sample(drawing, place, (x, y));
        drawing.text((x + SAMPLE + 8.0, y), Anchor::Start, name);
    }
    22.0 * places.last().map_or(0, |last| last.1 + 1) as f64
}

/// The width of the sample in a legend's entry.
const SAMPLE: f64 = 34.0;

/// The places of a legend's entries: the distance from the left, and the row. Several rows are aligned in columns.
fn legend_places(width: f64, names: &[String]) -> Vec<(f64, usize)> {
    /// The distance between entries.
    const GAP: f64 = 24.0;
    let lengths = names.iter().map(|name| SAMPLE + 8.0 + text_width(name, drawing::SIZE, false) + GAP);
    let lengths: Vec<f64> = lengths.collect();
    if lengths.iter().sum::<f64>() <= width + GAP {
        let start = |x: &mut f64, length: f64| Some(std::mem::replace(x, *x + length));
        return lengths.into_iter().scan(0.0, |x, length| start(x, length)).map(|x| (x, 0)).collect();
    }
    let column = lengths.into_iter().fold(0.0, f64::max);
    let columns = (((width + GAP) / column) as usize).max(1);
    (0..names.len()).map(|place| ((place % columns) as f64 * column, place / columns)).collect()
}

/// The height of a legend.
fn legend_height(width: f64, names: &[String]) -> f64 {
    22.0 * legend_places(width, names).last().map_or(0, |last| last.1 + 1) as f64
}

/// A frame with lines and numbers of a vertical axis.
fn frame(drawing: &mut Drawing, [left, top, width, height]: [f64; 4], axis: &Axis, title: &str) {
    let at = (left + width / 2.0, top - 17.0);
    let (text, anchor) = (title.to_owned(), Anchor::Middle);
    drawing.text_of(TextLine { at, text, size: 14.0, bold: false, anchor, upright: false });
    for (value, name) in axis.ticks() {
        let y = top + height * (1.0 - axis.share(value / 100.0));
        drawing.line((left, y), (left + width, y), GRID, 1.0);
        drawing.text((left - 6.0, y), Anchor::End, &name);
    }
    drawing.shape(Contour::Box([left, top, width, height]), None, Some((FRAME, 1.0)));
}

/// A line at zero, if the axis contains it.
fn zero(drawing: &mut Drawing, [left, top, width, height]: [f64; 4], axis: &Axis) {
    if axis.low < 0.0 && axis.high > 0.0 {
        let y = top + height * (1.0 - axis.share(0.0));
        drawing.line((left, y), (left + width, y), INK, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_round_and_contain_their_values() {
        for values in [vec![0.0, 1.0], vec![0.431, 0.438], vec![-0.2, 0.03], vec![0.5], vec![1.0; 3], vec![]]
        {
            let axis = Axis::around(values.iter().copied());
            assert!(
                values.iter().all(|&value| (-1e-6..=1.000_001).contains(&axis.share(value))),
                "{values:?} {axis:?}"
            );
            let ticks: Vec<(f64, String)> = axis.ticks().collect();
            assert!((2..=9).contains(&ticks.len()), "{values:?} {ticks:?}");
            assert!(ticks.iter().all(|tick| !tick.1.starts_with("-0.0") && tick.1 != "-0"), "{ticks:?}");
        }
        assert_eq!(Axis::around([0.0, 1.0].into_iter()), Axis { low: 0.0, high: 100.0, step: 20.0 });
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(file_name("Run 2 / Final (v3)"), "run-2-final-v3");
        assert_eq!([file_name("系统 A"), file_name("Ätna"), file_name("?!")], ["系统-a", "Ätna", ""]);
    }

    #[test]
    fn legends_take_as_many_rows_as_they_need() {
        let names: Vec<String> = (0..30).map(|number| format!("system {number}")).collect();
        let places = legend_places(500.0, &names);
        assert!(places.last().is_some_and(|last| last.1 >= 4), "{places:?}");
        assert!(places.iter().all(|place| place.0 < 500.0));
        assert_eq!(legend_places(1.0, &names[..2]), [(0.0, 0), (0.0, 1)]);
    }

    /// A repeated colour has a different marker.
    #[test]
    fn looks_differ() {
        let looks: std::collections::BTreeSet<String> =
            (0..40).map(|place| format!("{:?}", look(place))).collect();
        assert_eq!(looks.len(), 40);
    }
}
