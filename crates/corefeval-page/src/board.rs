//! A leaderboard: one page without scripts, with a table of systems that links to their reports.

use std::fmt::Write as _;

use corefeval_core::digest::Digest;
use corefeval_core::error::Result;
use corefeval_core::metrics::Metric;
use corefeval_core::reports::comparison::{ComparisonReport, Section};
use corefeval_core::significance::Estimate;
use corefeval_core::wording::{inert, plural};
use corefeval_report::block::UNDEFINED;
use corefeval_report::{Form, Kind, OutputSpec, Style};

use crate::{escaped, fill};

const TEMPLATE: &str = include_str!("../assets/board.html");

/// The contents of a leaderboard.
#[derive(Clone, Copy, Debug)]
pub struct Board<'r> {
    /// The heading; without it, `Leaderboard`.
    pub title: Option<&'r str>,
    /// The comparison of the systems.
    pub comparison: &'r ComparisonReport,
    /// The folder of the reports, relative to the page.
    pub reports: &'r str,
}

/// The width of a drawn interval.
const WIDTH: f64 = 120.0;

impl Board<'_> {
    /// The page as HTML.
    ///
    /// # Errors
    ///
    /// None: every output supports comparisons.
    pub fn html(&self) -> Result<String> {
        let title = self.title.unwrap_or("Leaderboard");
        let parts = [
            ("title", text(title)),
            ("summary", self.summary()),
            ("ranking", self.ranking()),
            ("groups", self.groups()),
            ("broken", self.broken()),
            ("details", self.details()?),
            // A long line, which can break after each setting.
            ("signature", text(&self.comparison.signature()).replace('|', "|<wbr>")),
        ];
        Ok(fill(TEMPLATE, &parts))
    }

    /// The numbers of systems and documents, and an explanation of ranks.
    fn summary(&self) -> String {
        let count = |number: usize, one: &str| plural(number, one, &format!("{one}s"));
        let documents = self.comparison.comparison.documents;
        let metrics = self.comparison.metrics();
        let sorted = metrics.first().map_or_else(String::new, |(_, metric)| metric.label().to_string());
        let systems = count(self.comparison.systems.len(), "submission");
        let ranks = match self.comparison.comparison.can_find_differences() {
            true => "Submissions that do not differ significantly share a rank.",
            false => "There are no ranks: no difference can be significant.",
        };
        let level = 100.0 * self.comparison.comparison.method.confidence;
        text(&format!(
            "{systems} on {}, ordered by {sorted}, with {level}% confidence intervals. {ranks}",
            count(documents, "document")
        ))
    }

    /// Rank, interval and scores of every system.
    fn ranking(&self) -> String {
        let metrics = self.comparison.metrics();
        let Some((&(first, named), others)) = metrics.split_first() else { return String::new() };
        let whole = self.comparison.whole();
        let scale = DrawnAxis::of(&whole, first);
        let mut out = String::from("<thead><tr><th scope=\"col\">Rank</th><th scope=\"col\">Submission</th>");
        let _ = write!(out, "<th scope=\"col\" class=\"number\">{}</th>", text(&head(&named)));
        out += "<th scope=\"col\" colspan=\"2\">Interval</th>";
        for (_, metric) in others {
            let _ = write!(out, "<th scope=\"col\" class=\"number\">{}</th>", text(&head(metric)));
        }
        out += "</tr></thead>\n<tbody>\n";
        for system in self.comparison.order() {
            let name = &self.comparison.systems[system].name;
            let estimate = whole.estimate(first, system).filter(|estimate| estimate.defined);
            let rank = estimate.and_then(|estimate| estimate.rank);
            let rank = rank.map_or_else(|| UNDEFINED.to_owned(), |rank| rank.to_string());
            let address = format!("{}/{}", self.reports, file_name(name));
            let _ = write!(
                out,
                "<tr><td class=\"number\">{rank}</td><th scope=\"row\"><a href=\"{address}\">{}</a></th>",
                text(name)
            );
            out += &score(&whole, first, system);
            let interval = estimate.and_then(|estimate| estimate.interval);
            let ends = interval.map_or_else(
                || UNDEFINED.to_owned(),
                |ends| format!("{} – {}", Form::Percent.show(ends.low), Form::Percent.show(ends.high)),
            );
            let drawn = estimate.map_or_else(String::new, |estimate| scale.draw(estimate));
            let _ = write!(out, "<td class=\"number\">{ends}</td><td>{drawn}</td>");
            for &(metric, _) in others {
                out += &score(&whole, metric, system);
            }
            out += "</tr>\n";
        }
        out + "</tbody>"
    }

    /// The scores of every system on each group.
    fn groups(&self) -> String {
        let (Some(by), Some(&(first, named))) = (self.comparison.by, self.comparison.metrics().first())
        else {
            return String::new();
        };
        let mut out = format!("<h2 id=\"groups\">{} by {}</h2>\n", text(&head(&named)), text(&by.id()));
        out += "<div tabindex=\"0\" role=\"group\" aria-labelledby=\"groups\"><table>\n";
        out += "<thead><tr><th scope=\"col\">Submission</th>";
        for group in self.comparison.groups() {
            let name = group.group.map_or("", |group| &group.id);
            let _ = write!(out, "<th scope=\"col\" class=\"number\">{}</th>", text(name));
        }
        out += "</tr></thead>\n<tbody>\n";
        for system in self.comparison.order() {
            let _ = write!(out, "<tr><th scope=\"row\">{}</th>", text(&self.comparison.systems[system].name));
            for group in self.comparison.groups() {
                out += &score(&group, first, system);
            }
            out += "</tr>\n";
        }
        out + "</tbody></table></div>\n"
    }

    /// The submissions that could not be compared, with the reason.
    fn broken(&self) -> String {
        if self.comparison.broken.is_empty() {
            return String::new();
        }
        let mut out = String::from("<h2>Submissions without a score</h2>\n<dl>\n");
        for system in &self.comparison.broken {
            let (name, why) = (text(&system.name), text(&system.error.message()));
            let _ = writeln!(out, "<dt>{name}</dt><dd>{why}</dd>");
        }
        out + "</dl>\n"
    }

    /// The tables of `corefeval compare`.
    fn details(&self) -> Result<String> {
        OutputSpec::named("html", Kind::Comparison)?.render(self.comparison, Style::default())
    }
}

/// Returns the file name of a system's report: the system's name if it is plain, otherwise with a digest, so that
/// different names have different files on every file system.
///
/// ```
/// use corefeval_page::file_name;
/// assert_eq!(file_name("team-2"), "team-2.html");
/// assert!(file_name("../Team 2").starts_with("---team-2-"));
/// ```
pub fn file_name(system: &str) -> String {
    let plain = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() || c == '_' => c,
        _ => '-',
    };
    let short: String = system.chars().take(60).map(plain).collect();
    if short == system && !short.is_empty() {
        return format!("{short}.html");
    }
    let digest = Digest::of([system]).to_string();
    format!("{short}-{}.html", &digest[..8])
}

/// `CoNLL F1`, or the label of a value.
fn head(metric: &Metric) -> String {
    format!("{}{}", metric.label(), if metric.needs_corpus() { "" } else { " F1" })
}

/// A cell with the F1 of a system.
fn score(section: &Section<'_>, metric: usize, system: usize) -> String {
    let shown = match section.is_defined(metric, system) {
        true => Form::Percent.show(section.f1(metric, system)),
        false => UNDEFINED.to_owned(),
    };
    let [open, close] = if section.is_best(metric, system) { ["<b>", "</b>"] } else { ["", ""] };
    format!("<td class=\"number\">{open}{shown}{close}</td>")
}

/// The axis of drawn intervals.
struct DrawnAxis {
    low: f64,
    high: f64,
}

impl DrawnAxis {
    /// An axis with room for the intervals of all systems.
    fn of(section: &Section<'_>, metric: usize) -> DrawnAxis {
        let estimates = (0..section.systems.len()).filter_map(|system| section.estimate(metric, system));
        let intervals: Vec<_> = estimates.filter_map(|estimate| estimate.interval).collect();
        let low = intervals.iter().map(|ends| ends.low).fold(f64::INFINITY, f64::min);
        let high = intervals.iter().map(|ends| ends.high).fold(f64::NEG_INFINITY, f64::max);
        DrawnAxis { low, high }
    }

    /// The interval and the score as a picture, with its numbers next to it.
    fn draw(&self, estimate: &Estimate) -> String {
        let width = self.high - self.low;
        let Some(ends) = estimate.interval.filter(|_| width > 0.0 && width.is_finite()) else {
            return String::new();
        };
        let place = |number: f64| 4.0 + (WIDTH - 8.0) * ((number - self.low) / width).clamp(0.0, 1.0);
        let [low, point, high] = [ends.low, estimate.f1, ends.high].map(place);
        format!(
            "<svg width=\"{WIDTH}\" height=\"14\" viewBox=\"0 0 {WIDTH} 14\" aria-hidden=\"true\">\
             <line x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"7\" y2=\"7\"/><circle cx=\"{point:.1}\" cy=\"7\" r=\"3.5\"/></svg>"
        )
    }
}

/// Text from data, escaped for elements of HTML.
fn text(words: &str) -> String {
    escaped(&inert(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_reports_are_plain_and_distinct() {
        let names = ["a", "A", "a b", "a-b", "../a", "", "con/aux", "\u{202e}x", "ä", "<script>", "-"];
        let files: Vec<String> = names.iter().map(|name| file_name(name)).collect();
        for (place, file) in files.iter().enumerate() {
            assert!(
                file.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b))
            );
            assert_eq!(file.matches('.').count(), 1, "{file}");
            assert!(!files[..place].contains(file), "{file}");
        }
    }

    #[test]
    fn the_page_loads_and_runs_nothing() {
        assert!(
            TEMPLATE.contains("default-src 'none'; style-src 'unsafe-inline'")
                && !TEMPLATE.contains("<script")
        );
        let names: Vec<&str> =
            TEMPLATE.split("{{").skip(1).filter_map(|piece| piece.split("}}").next()).collect();
        let all = ["title", "title", "summary", "ranking", "groups", "broken", "details", "signature"];
        assert_eq!(names, all);
    }
}
