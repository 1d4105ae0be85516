//! A comparison of systems as a report.

mod csv;
mod figures;
mod json;

use corefeval_core::groups::By;
use corefeval_core::metrics::Metric;
use corefeval_core::reports::comparison::{ComparisonReport, Section};
use corefeval_core::significance::{
    Comparison, Estimate, FEW_DOCUMENTS, Family, FamilySizes, Interval, IntervalKind, Method, RankRule,
    SMALL_SAMPLE, Test, described,
};
use corefeval_core::wording::plural;

use self::figures::figures;
use crate::block::{Block, Cell, Column, Form, Grid, Group, Line, Value, level, trimmed};
use crate::plot::{Figure, Forest};
use crate::{Kind, Origin, Printable, Style, sizes};

impl Printable for ComparisonReport {
    fn kind(&self) -> Kind {
        Kind::Comparison
    }

    fn origin(&self) -> Origin<'_> {
        Origin::new(&self.settings, &self.format, &self.diagnostics)
    }

    fn method(&self) -> Vec<(&'static str, String)> {
        self.comparison.method.list()
    }

    fn figures(&self) -> Vec<Figure> {
        figures(self)
    }

    /// F1 and rank by all metrics, a figure for the metric that sorts the systems, a table for each metric, and a table by
    /// the sorting metric for each group of documents.
    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let metrics = self.metrics();
        let mut blocks = Vec::new();
        if metrics.len() > 1 && self.systems.len() > 1 {
            let overview = overview(self, &metrics).in_parts(style.most_columns);
            blocks.extend(overview.into_iter().map(Block::Grid));
        }
        if self.systems.len() > 1 {
            blocks.extend(metrics.first().map(|first| Block::Figure(figure(self, first))));
        }
        let whole = self.whole();
        blocks.extend(metrics.iter().map(|metric| Block::Grid(grid(self, &whole, metric))));
        for group in self.groups() {
            blocks.extend(metrics.first().map(|first| Block::Grid(grid(self, &group, first))));
        }
        blocks.push(Block::Notes(sizes::lines(&self.systems)));
        let notes = notes(self).into_iter().chain(notes_on_power(self)).chain(note_on_groups(self));
        blocks.extend([Block::Notes(notes.collect()), Block::Signature(self.signature())]);
        blocks
    }

    fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    fn csv(&self) -> String {
        csv::csv(self)
    }
}

/// F1 and rank of each system by every metric.
fn overview<'r>(report: &'r ComparisonReport, metrics: &[(usize, Metric)]) -> Grid<'r> {
    let whole = report.whole();
    let group = |(_, metric): &(usize, Metric)| Group {
        title: metric.label().into(),
        columns: vec![Column::new(head(metric)), Column::new("rank")],
    };
    let row = |system: usize| {
        let cells = metrics.iter().flat_map(|&(metric, _)| {
            let estimate = whole.estimate(metric, system).filter(|estimate| estimate.defined);
            [f1(&whole, metric, system), rank(estimate).into()]
        });
        Line::Row(report.systems[system].name.as_str().into(), cells.collect())
    };
    let lines = report.order().into_iter().map(row).collect();
    Grid { corner: "System".into(), groups: metrics.iter().map(group).collect(), lines }
}

/// Returns the name of the compared score: F1, or the value of ACE-value.
fn head(metric: &Metric) -> &'static str {
    if metric.needs_corpus() { "value" } else { "F1" }
}

/// F1 and interval of each system by one metric.
fn figure(report: &ComparisonReport, metric: &(usize, Metric)) -> Forest {
    let title = if metric.1.needs_corpus() { "and interval" } else { "F1 and interval" };
    Forest { blocks: vec![figures::intervals_of(report, metric, title)], ..Forest::default() }
}

/// F1, interval and rank of each system in one metric, and its difference from the baseline. Undefined values are dashes,
/// and so are results of resampling a single document.
fn grid<'r>(
    report: &'r ComparisonReport,
    section: &Section<'_>,
    &(metric, named): &(usize, Metric),
) -> Grid<'r> {
    let order = report.order();
    let several = order.len() > 1;
    let is_mean = section.result(metric, 0).is_some_and(|result| result.is_mean());
    let interval = || Column::new(level(report.comparison.method.confidence));
    let ratios = if is_mean { vec![] } else { vec![Column::new("R"), Column::new("P")] };
    let mut scores = ratios;
    scores.extend([Column::new(head(&named)), interval()]);
    let has_runs = report.comparison.has_runs();
    scores.extend(has_runs.then(|| Column::new("± runs")));
    let mut groups = vec![Group::untitled(scores)];
    if several {
        groups[0].columns.extend(["rank", "set"].map(Column::new));
        groups[0].columns.push(Column::of_text("letters"));
        let columns = ["difference", "", "p", "detectable"].map(Column::new);
        groups.push(Group::untitled(columns.into()));
        groups[1].columns.extend(report.plan.map(|_| Column::new(planned(report))));
        groups[1].columns[1] = interval();
    }
    let row = |system: usize| {
        let mut cells: Vec<Cell<'_>> = Vec::new();
        if let Some(result) = section.result(metric, system).filter(|_| !is_mean) {
            let [recall, precision, _] = result.parts();
            cells.extend([recall, precision].map(|part| Value::number(part, Form::Percent).into()));
        }
        let estimate = section.estimate(metric, system).filter(|estimate| estimate.defined);
        cells.push(f1(section, metric, system));
        cells.push(ends(estimate.and_then(|estimate| estimate.interval), Form::Percent).into());
        if has_runs {
            cells.push(Value::number(estimate.and_then(Estimate::spread), Form::Percent).into());
        }
        if several {
            cells.extend([rank(estimate), rank_set(estimate), letters(estimate)].map(Cell::from));
            cells.extend(difference(section, metric, system).map(Cell::from));
            if report.plan.is_some() {
                let units = report.planned(section, metric, system);
                let missing = if system == section.baseline { Value::Blank } else { Value::Undefined };
                cells.push(units.map_or(missing, Value::Count).into());
            }
        }
        Line::Row(report.systems[system].name.as_str().into(), cells)
    };
    let corner = match section.group {
        None => named.label(),
        Some(group) => {
            let documents = count(section.documents, report.comparison.method.unit.counted());
            format!("{}: {}, {documents}", named.label(), group.id)
        }
    };
    Grid { corner: corner.into(), groups, lines: order.into_iter().map(row).collect() }
}

/// F1, marked if it is the best of several.
fn f1<'r>(section: &Section<'_>, metric: usize, system: usize) -> Cell<'r> {
    let f1 = Some(section.f1(metric, system)).filter(|_| section.is_defined(metric, system));
    let best = section.systems.len() > 1 && section.is_best(metric, system);
    Cell { value: Value::number(f1, Form::Percent), best }
}

fn rank<'r>(estimate: Option<&Estimate>) -> Value<'r> {
    estimate.and_then(|estimate| estimate.rank).map_or(Value::Undefined, |rank| Value::Count(rank.into()))
}

/// The ranks that the tests allow: `1–3`.
fn rank_set<'r>(estimate: Option<&Estimate>) -> Value<'r> {
    match estimate.and_then(|estimate| estimate.rank_set) {
        Some((low, high)) if low == high => Value::text(low.to_string()),
        Some((low, high)) => Value::text(format!("{low}–{high}")),
        None => Value::Undefined,
    }
}

fn letters<'r>(estimate: Option<&Estimate>) -> Value<'r> {
    let letters = estimate.and_then(|estimate| estimate.letters.clone());
    letters.map_or(Value::Undefined, Value::text)
}

/// The head of the column of planned differences: `for 1.5`.
fn planned(report: &ComparisonReport) -> String {
    let points = 100.0 * report.plan.unwrap_or_default();
    format!("{}s for {}", report.comparison.method.unit.noun(false), trimmed(points))
}

/// The difference from the baseline, its interval, p and the detectable difference. The baseline's own row is labelled.
fn difference<'r>(section: &Section<'_>, metric: usize, system: usize) -> [Value<'r>; 4] {
    if system == section.baseline {
        return [Value::text("baseline"), Value::Blank, Value::Blank, Value::Blank];
    }
    let estimate = section.estimate(metric, system).filter(|estimate| estimate.defined);
    let more = estimate.and_then(|estimate| estimate.difference.as_ref());
    [
        Value::number(section.difference(metric, system), Form::Points),
        ends(more.and_then(|more| more.interval), Form::Points),
        more.map_or(Value::Undefined, |more| Value::P(more.p_corrected)),
        Value::number(more.and_then(|more| more.detectable), Form::Percent),
    ]
}

fn ends<'r>(interval: Option<Interval>, form: Form) -> Value<'r> {
    interval.map_or(Value::Undefined, |interval| Value::Interval([interval.low, interval.high], form))
}

/// Returns why no difference between systems can be significant, if none can.
pub fn reason_for_insignificance(comparison: &Comparison) -> Option<String> {
    let Comparison { method, units: number, .. } = comparison;
    let units = method.unit.noun(true);
    if comparison.can_find_differences() {
        return None;
    }
    Some(match method.least_p(*number) {
        least if least > method.level() => {
            format!("with so few {units} the smallest possible p-value is {least}")
        }
        _ if method.is_exact(*number) => {
            format!(
                "with so few {units} the smallest possible p-value is too high for this number of comparisons"
            )
        }
        _ => "with so few resamples the smallest possible p-value is too high".to_owned(),
    })
}

/// Sentences that explain detectable and planned differences.
fn notes_on_power(report: &ComparisonReport) -> Vec<String> {
    let Comparison { method, units: number, .. } = &report.comparison;
    let [unit, units] = [false, true].map(|several| method.unit.noun(several));
    let level = trimmed(100.0 - 100.0 * method.confidence);
    if report.comparison.differences().next().is_none() {
        return Vec::new();
    }
    let differences: Vec<_> = report.comparison.resampled_differences().collect();
    let (number, can) = (*number, report.comparison.can_find_differences());
    let detects = report.comparison.can_detect_differences();
    let tests = match method.is_exact(number) {
        true => format!("swaps of so few {units}"),
        false => "so few resamples".to_owned(),
    };
    let mut notes = Vec::new();
    let first = differences.iter().find_map(|difference| difference.detectable);
    notes.extend((!differences.is_empty()).then(|| match first {
        Some(_) => format!(
            "Detectable: the smallest true difference that would be found at {level}%, corrected like p, in four of five cases."
        ),
        None if differences.iter().all(|difference| difference.error.is_nan()) && can => {
            format!("Nothing is detectable: the scores depend on a single {unit}.")
        }
        None if can && !detects => {
            format!("Nothing is detectable at {level}%: {tests} allow fewer than ten significant p-values.")
        }
        None if can => format!(
            "Nothing is detectable at {level}%: a difference would have to exceed 100 points, or the variation of differences between {units} is unknown."
        ),
        None => format!(
            "Nothing is detectable at {level}%: {}.",
            reason_for_insignificance(&report.comparison).unwrap_or_default()
        ),
    }));
    let some = first.is_some();
    let all = report.groups.iter().filter_map(|group| group.comparison.as_ref()).chain([&report.comparison]);
    let mut all = all.filter(|comparison| comparison.can_find_differences());
    if some
        && all.any(|comparison| comparison.resampled_differences().any(|found| found.detectable.is_none()))
    {
        notes.push(format!(
            "Detectable: a dash if it would be more than 100 points, if the variation of the difference between {units} is unknown, or if fewer than ten p-values are significant."
        ));
    }
    if report.comparison.has_runs() {
        notes.push(
            "Detectable: a dash for systems of several runs, which are too few to estimate how much runs vary.".to_owned(),
        );
    }
    notes.extend(report.plan.map(|_| {
        format!(
            "{}: the number of {units} like these that would find that difference, in percentage points, in four of five cases.",
            planned(report)
        )
    }));
    if let Some(plan) = report.plan
        && unplannable(report)
    {
        notes.push(format!(
            "{}: a dash if no number of {units} suffices, because the runs vary too much for a difference of \
             {}; more runs may help.",
            planned(report),
            trimmed(100.0 * plan)
        ));
    }
    notes
}

/// Returns whether the runs of some system vary so much that no number of documents detects the planned difference.
fn unplannable(report: &ComparisonReport) -> bool {
    std::iter::once(report.whole()).chain(report.groups()).any(|section| {
        let mut places = section
            .comparison
            .into_iter()
            .flat_map(|comparison| comparison.estimates.iter().enumerate())
            .flat_map(|(metric, estimates)| (0..estimates.len()).map(move |system| (metric, system)));
        places.any(|(metric, system)| {
            let difference = section.estimate(metric, system).and_then(|found| found.difference.as_ref());
            difference.is_some_and(|difference| difference.error_of_runs > 0.0)
                && section.has_runs(metric, system)
                && report.planned(&section, metric, system).is_none()
        })
    })
}

/// Sentences that explain the tests behind the ranks.
fn notes_on_ranks(report: &ComparisonReport) -> Vec<String> {
    let Comparison { method, estimates, families, .. } = &report.comparison;
    let level = trimmed(100.0 - 100.0 * method.confidence);
    let corrected = |tests: usize| match method.signature_of("correction").as_str() {
        "none" => String::new(),
        _ => format!(", corrected over {}", count(tests, "test")),
    };
    let most = |size: fn(&FamilySizes) -> usize| families.iter().map(size).max().unwrap_or(0);
    let pairs = corrected(most(|sizes| sizes.pairs));
    let has_rank = estimates.iter().flatten().any(|estimate| estimate.rank.is_some());
    let has_tests = report.comparison.can_find_differences();
    let mut notes = vec![match (has_rank, method.ranks) {
        (false, RankRule::Pairs) if has_tests => {
            format!(
                "No ranks: no difference can be significant at {level}% in the tests of all pairs{pairs}."
            )
        }
        (false, _) => format!("No ranks: no difference can be significant at {level}%."),
        (true, RankRule::Neighbours) => format!(
            "Ranks: neighbours in a metric's order share one if they do not differ at {level}%{}; the first and the last of a rank may differ.",
            corrected(most(|sizes| sizes.neighbours))
        ),
        (true, RankRule::Pairs) => {
            "Rank: 1 + the number of systems before; systems share a rank if no two of them differ significantly."
                .to_owned()
        }
    }];
    if estimates.iter().flatten().any(|estimate| estimate.letters.is_some()) {
        notes.push(format!(
            "Letters: systems that share a letter do not differ at {level}% in the tests of all pairs{pairs}, or in the comparison with the baseline; all others do."
        ));
    }
    if estimates.iter().flatten().any(|estimate| estimate.rank_set.is_some()) {
        let cases = match method.signature_of("correction").as_str() {
            "none" => "only with a correction of p-values, which is off here".to_owned(),
            // Two systems make one test, and both families are the same.
            _ if estimates.first().is_some_and(|systems| systems.len() == 2) => {
                format!("in {}% of cases", trimmed(100.0 * method.confidence))
            }
            _ => format!(
                "in at least {}% of cases (each of the two families of tests is at {level}%)",
                trimmed((200.0 * method.confidence - 100.0).max(0.0))
            ),
        };
        notes.push(format!(
            "Set: the ranks that the tests of all pairs and with the baseline allow; all true ranks are within their sets {cases}."
        ));
    }
    notes
}

/// `1 test`, `3 tests`.
fn count(number: usize, one: &str) -> String {
    plural(number, one, &format!("{one}s"))
}

/// Names the metric whose groups are shown in tables, if there are several.
fn note_on_groups(report: &ComparisonReport) -> Option<String> {
    let metrics = report.metrics();
    let (_, first) = metrics.first().filter(|_| metrics.len() > 1 && !report.groups.is_empty())?;
    Some(format!(
        "Groups are shown by {}, the metric that sorts the rows; JSON and CSV have all.",
        first.label()
    ))
}

/// The kinds of the intervals. The automatic choice differs within small `groups`, given by their units, and for systems
/// of several runs.
fn note_on_intervals(
    method: &Method,
    units: usize,
    mut groups: impl Iterator<Item = usize>,
    has_runs: bool,
) -> String {
    let kind = method.interval.used_for(units);
    let expanded = IntervalKind::Expanded.label();
    let mut note = format!("Intervals are {}", kind.label());
    if method.interval == IntervalKind::Auto
        && kind != IntervalKind::Expanded
        && groups.any(|units| units < SMALL_SAMPLE)
    {
        note += &format!(", {expanded} in groups of fewer than {SMALL_SAMPLE} {}s", method.unit.noun(false));
    }
    if has_runs && kind != IntervalKind::Student {
        note += &format!(", {} if a system has several runs", IntervalKind::Student.label());
    }
    note + "."
}

/// Sentences that explain the columns.
fn notes(report: &ComparisonReport) -> Vec<String> {
    let method = &report.comparison.method;
    let (documents, unit) = (report.comparison.documents, method.unit);
    let counted = unit.counted();
    let mut notes = vec![match report.left_out {
        Some(left_out) => {
            format!("On {documents} {counted}s that all systems have, of {}.", documents + left_out)
        }
        None => format!("On {documents} {counted}s."),
    }];
    let units = report.comparison.units;
    if units != documents {
        notes.push(format!("Resampling draws {}.", described(documents, units, unit)));
    }
    if units < FEW_DOCUMENTS {
        notes.push(format!("There are few {}: results are imprecise.", unit.noun(true)));
    }
    let groups = report.groups.iter().filter_map(|group| Some(group.comparison.as_ref()?.units));
    notes.push(note_on_intervals(method, units, groups, report.comparison.has_runs()));
    if report.comparison.has_runs() {
        let runs = report.systems.iter().zip(&report.runs).filter(|(_, paths)| !paths.is_empty());
        let runs: Vec<String> =
            runs.map(|(system, paths)| format!("{} has {} runs", system.name, paths.len())).collect();
        notes.push(format!(
            "{}: scores and counts are their means, ± runs the standard deviation of their F1; intervals are over runs and {}.",
            runs.join(", "),
            unit.noun(true)
        ));
    }
    let broken = report.broken.iter();
    notes.extend(broken.map(|system| format!("{} was left out: {}.", system.name, system.error.message())));
    let others = report.systems.len().saturating_sub(1);
    if others == 0 {
        return notes;
    }
    notes.extend(notes_on_tests(report));
    notes.extend(notes_on_ranks(report));
    if !report.groups.is_empty() {
        notes.extend(notes_on_groups(report));
    }
    notes
}

/// Notes on the tests of the differences from the baseline and on the correction of their p-values.
fn notes_on_tests(report: &ComparisonReport) -> Vec<String> {
    let Comparison { method, units, families, .. } = &report.comparison;
    let unit = method.unit;
    let test = match method.test {
        Test::Randomization if method.is_exact(*units) => "exact randomization (all swaps)",
        Test::Randomization => "approximate randomization",
        Test::Bootstrap => "paired bootstrap",
    };
    let correction = match method.signature_of("correction").as_str() {
        "none" => "not corrected for the number of comparisons".to_owned(),
        name => {
            let sizes = families.iter().map(|sizes| sizes.baseline);
            let comparisons = count(sizes.max().unwrap_or(report.systems.len() - 1), "comparison");
            let of = match method.family {
                Family::Metric => "per metric".to_owned(),
                Family::All if report.groups.is_empty() => "of all metrics".to_owned(),
                Family::All => "of all metrics and groups".to_owned(),
            };
            format!("corrected by {}{} over {comparisons} {of}", name[..1].to_uppercase(), &name[1..])
        }
    };
    let by_student = format!("Student's t on runs and {}", unit.noun(true));
    let [resampled, student] = report.comparison.tests_used();
    let test = if resampled { format!("{test} of {}", unit.noun(true)) } else { by_student.clone() };
    let mut notes =
        vec![format!("Differences are from {}; p by {test}, two-sided, {correction}.", report.baseline())];
    if resampled && student {
        notes.push(format!("If a system has several runs, p is that of {by_student}."));
    }
    notes
}

/// Notes on the comparisons of groups.
fn notes_on_groups(report: &ComparisonReport) -> Vec<String> {
    let Comparison { method, units, .. } = &report.comparison;
    let corrected = match (method.signature_of("correction").as_str(), method.family) {
        ("none", _) | (_, Family::All) => "",
        (_, Family::Metric) => {
            " p-values are corrected within a group, not across groups (as with the family of all tests)."
        }
    };
    let by = report.by.map(By::id).unwrap_or_default();
    let mut notes = vec![format!("Each group by {by} is compared separately.{corrected}")];
    let results = report.systems.first().into_iter().flat_map(|system| &system.results);
    let mut counted = results.flat_map(|result| result.metric.parts().unwrap_or_else(|| vec![result.metric]));
    if report.by.is_some_and(By::is_of_mentions) && counted.any(|metric| metric.maps_entities()) {
        notes.push(
            "CEAF by groups is that of one of several best maps of entities, and so are its tests; scores by groups have the range over all."
                .to_owned(),
        );
    }
    let noun = method.unit.counted();
    let few = report.groups.iter().any(|group| (2..FEW_DOCUMENTS).contains(&group.documents));
    if few && *units >= FEW_DOCUMENTS {
        notes.push(format!("Groups of fewer than {FEW_DOCUMENTS} {noun}s have imprecise results."));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_on_intervals_names_all_kinds() {
        let note = |interval: IntervalKind, units: usize, groups: &[usize], has_runs: bool| {
            let method = Method { interval, ..Method::default() };
            note_on_intervals(&method, units, groups.iter().copied(), has_runs)
        };
        let auto = IntervalKind::Auto;
        assert_eq!(note(auto, 60, &[50], false), "Intervals are BCa.");
        assert_eq!(
            note(auto, 20, &[10], true),
            "Intervals are expanded percentile, Student's t if a system has several runs."
        );
        assert_eq!(note(IntervalKind::Student, 20, &[10], true), "Intervals are Student's t.");
        assert_eq!(
            note(auto, 60, &[40, 20], true),
            "Intervals are BCa, expanded percentile in groups of fewer than 50 documents, Student's t if \
             a system has several runs."
        );
        assert_eq!(note(IntervalKind::Bca, 60, &[40], false), "Intervals are BCa.");
    }
}
