//! Curves as SVG: panels side by side over one horizontal axis, one legend for all.
//!
//! Colours are those of Okabe and Ito, which people with any colour vision can tell apart; curves differ
//! by marker and width too, and the first are the widest, so that one that lies on another hides nothing
//! and grey prints can be read.

use std::fmt::Write as _;

/// A figure.
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What the steps are.
    pub axis: String,
    /// The names of the steps.
    pub steps: Vec<String>,
    /// Whether steps are of one scale; else lines between them only lead the eye.
    pub is_scale: bool,
    /// The names of the curves, at most as many as there are colours.
    pub curves: Vec<String>,
    /// The panels, each with a title and for each curve a number between 0 and 1 for each step.
    pub panels: Vec<(String, Vec<Vec<f64>>)>,
}

/// Colour and marker of the curves, in their order.
const LOOKS: [(&str, Marker); 8] = [
    ("#E69F00", Marker::Square),
    ("#56B4E9", Marker::Circle),
    ("#009E73", Marker::Diamond),
    ("#CC79A7", Marker::Triangle),
    ("#0072B2", Marker::Cross),
    ("#000000", Marker::Dot),
    ("#D55E00", Marker::Square),
    ("#999999", Marker::Circle),
];

#[derive(Clone, Copy)]
enum Marker {
    Square,
    Circle,
    Diamond,
    Triangle,
    Cross,
    Dot,
}

/// Width and height of the field of a panel.
const FIELD: (f64, f64) = (300.0, 250.0);
/// Left of each panel, for the numbers of its axis.
const LEFT: f64 = 50.0;
/// Above the panels, for the titles.
const TOP: f64 = 62.0;
/// Right of the last panel.
const RIGHT: f64 = 16.0;
/// How wide a character is, about.
const CHARACTER: f64 = 7.0;

impl Plot {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let width = (LEFT + FIELD.0) * self.panels.len() as f64 + RIGHT;
        let longest = self.steps.iter().map(|step| step.chars().count()).max().unwrap_or(0) as f64;
        let apart = FIELD.0 / self.steps.len().max(1) as f64;
        // Names that would touch stand upright, or, where they are numbers in order, only some stand.
        let upright = !self.is_scale && longest * CHARACTER > apart;
        let every =
            if self.is_scale { ((longest + 1.0) * CHARACTER / apart).ceil().max(1.0) as usize } else { 1 };
        let names = if upright { longest * CHARACTER + 8.0 } else { 18.0 };
        let legend = TOP + FIELD.1 + names + 44.0;
        let height = legend + 18.0;
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" \
             font-size=\"12\" fill=\"#222\">\n<title>{title}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{title}</text>",
            title = escape(&self.title)
        );
        let least = self.least();
        for (number, (title, curves)) in self.panels.iter().enumerate() {
            let left = LEFT + number as f64 * (LEFT + FIELD.0);
            self.frame(&mut svg, left, least, title);
            for (place, step) in self.steps.iter().enumerate().step_by(every) {
                let (x, y) = (self.x(left, place), TOP + FIELD.1);
                let name = escape(step);
                let _ = if upright {
                    let y = y + 8.0;
                    writeln!(
                        svg,
                        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" dominant-baseline=\"central\" \
                         transform=\"rotate(-90 {x:.1} {y:.1})\">{name}</text>"
                    )
                } else {
                    writeln!(
                        svg,
                        "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                        y + 17.0
                    )
                };
            }
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                left + FIELD.0 / 2.0,
                TOP + FIELD.1 + names + 16.0,
                escape(&self.axis)
            );
            for (place, numbers) in curves.iter().enumerate() {
                self.curve(&mut svg, left, least, place, numbers);
            }
        }
        self.legend(&mut svg, legend);
        svg.push_str("</svg>\n");
        svg
    }

    /// Where the vertical axis begins, in percent: at 0, or at a ten where all that is shown lies high.
    fn least(&self) -> f64 {
        let numbers = self.panels.iter().flat_map(|panel| &panel.1).flatten();
        let least = numbers.fold(1.0f64, |least, &number| least.min(number));
        let ten = (least * 10.0 - 1e-9).floor().clamp(0.0, 9.0) * 10.0;
        if ten < 50.0 { 0.0 } else { ten }
    }

    fn x(&self, left: f64, place: usize) -> f64 {
        left + FIELD.0 * (place as f64 + 0.5) / self.steps.len().max(1) as f64
    }

    fn y(least: f64, number: f64) -> f64 {
        TOP + FIELD.1 * (100.0 - 100.0 * number) / (100.0 - least)
    }

    fn frame(&self, svg: &mut String, left: f64, least: f64, title: &str) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"14\">{}</text>",
            left + FIELD.0 / 2.0,
            TOP - 12.0,
            escape(title)
        );
        let step = match 100.0 - least {
            range if range > 50.0 => 20.0,
            range if range > 20.0 => 10.0,
            range if range > 10.0 => 5.0,
            _ => 2.0,
        };
        let mut tick = least;
        while tick <= 100.0 {
            let y = Plot::y(least, tick / 100.0);
            let _ = writeln!(
                svg,
                "<line x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\" dominant-baseline=\"central\">{tick:.0}</text>",
                left + FIELD.0,
                left - 6.0
            );
            tick += step;
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>",
            FIELD.0, FIELD.1
        );
    }

    /// How wide a curve is: the first are the widest.
    fn width(&self, curve: usize) -> f64 {
        1.4 + 0.9 * self.curves.len().saturating_sub(curve + 1) as f64
    }

    fn curve(&self, svg: &mut String, left: f64, least: f64, place: usize, numbers: &[f64]) {
        let (colour, marker) = LOOKS[place % LOOKS.len()];
        let points: Vec<(f64, f64)> = numbers
            .iter()
            .enumerate()
            .map(|(step, &number)| (self.x(left, step), Plot::y(least, number)))
            .collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{:.1}\" \
             stroke-linejoin=\"round\" stroke-opacity=\"{}\"/>",
            path.join(" "),
            self.width(place),
            if self.is_scale { 1.0 } else { 0.3 }
        );
        for (x, y) in points {
            self.marker(svg, marker, colour, place, (x, y));
        }
    }

    /// A marker, the larger the wider its curve.
    fn marker(&self, svg: &mut String, marker: Marker, colour: &str, curve: usize, (x, y): (f64, f64)) {
        let r = 2.2 + self.width(curve) / 2.0;
        let hollow = format!("fill=\"white\" stroke=\"{colour}\" stroke-width=\"1.6\"");
        let _ = match marker {
            Marker::Square => writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" {hollow}/>",
                x - r,
                y - r,
                2.0 * r,
                2.0 * r
            ),
            Marker::Circle => writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" {hollow}/>"),
            Marker::Diamond => writeln!(
                svg,
                "<path d=\"M{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}Z\" {hollow}/>",
                y - 1.3 * r,
                x + 1.3 * r,
                y + 1.3 * r,
                x - 1.3 * r
            ),
            Marker::Triangle => writeln!(
                svg,
                "<path d=\"M{x:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" {hollow}/>",
                y - 1.3 * r,
                x + 1.3 * r,
                y + r,
                x - 1.3 * r,
                y + r
            ),
            Marker::Cross => writeln!(
                svg,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}M{:.1} {:.1}L{:.1} {:.1}\" fill=\"none\" stroke=\"{colour}\" \
                 stroke-width=\"1.8\"/>",
                x - r,
                y - r,
                x + r,
                y + r,
                x - r,
                y + r,
                x + r,
                y - r
            ),
            Marker::Dot => writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\" fill=\"{colour}\"/>"),
        };
    }

    fn legend(&self, svg: &mut String, y: f64) {
        let mut x = LEFT;
        for (place, name) in self.curves.iter().enumerate() {
            let (colour, marker) = LOOKS[place % LOOKS.len()];
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" \
                 stroke-width=\"{:.1}\"/>",
                x + 34.0,
                self.width(place)
            );
            self.marker(svg, marker, colour, place, (x + 17.0, y));
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{y:.1}\" dominant-baseline=\"central\" font-size=\"13\">{}</text>",
                x + 42.0,
                escape(name)
            );
            x += 42.0 + CHARACTER * 1.2 * name.chars().count() as f64 + 28.0;
        }
    }
}

/// Text that is no markup.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_well_formed_and_has_every_curve_and_step() {
        let plot = Plot {
            title: "A < B & \"C\"".to_owned(),
            axis: "steps".to_owned(),
            steps: vec!["one".to_owned(), "two".to_owned()],
            is_scale: false,
            curves: vec!["x".to_owned(), "y".to_owned()],
            panels: vec![("F1".to_owned(), vec![vec![0.0, 1.0], vec![0.5, 0.5]])],
        };
        let svg = plot.svg();
        let mut reader = quick_xml::Reader::from_str(&svg);
        loop {
            match reader.read_event() {
                Ok(quick_xml::events::Event::Eof) => break,
                Ok(_) => {}
                Err(error) => panic!("{error}: {svg}"),
            }
        }
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(
            svg.contains(">one<") && svg.contains(">two<") && svg.contains("A &lt; B &amp; &quot;C&quot;")
        );
        // From the bottom of the field to its top.
        assert!(svg.contains("points=\"125.0,312.0 275.0,62.0\""), "{svg}");
    }

    #[test]
    fn an_empty_plot_is_a_plot() {
        let plot = Plot {
            title: String::new(),
            axis: String::new(),
            steps: Vec::new(),
            is_scale: true,
            curves: Vec::new(),
            panels: Vec::new(),
        };
        assert!(plot.svg().ends_with("</svg>\n") && !plot.svg().contains("NaN"));
    }
}
