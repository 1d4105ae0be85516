//! Explanations of differences as a report: profiles side by side, each difference as steps, the results of a search, and
//! another scorer's output compared with ours.

mod data;

use corefeval_core::analysis::{ChangedMention, MentionChange};
use corefeval_core::exact::{Exact, ExactScore, to_f64};
use corefeval_core::metrics::Metric;
use corefeval_core::model::Side;
use corefeval_core::printed::{WantedNumber, shown};
use corefeval_core::profiles::{Print, Profile};
use corefeval_core::reports::explain::{
    Against, Chance, Explanation, Hit, RulePath, RuleStep, RuleSwitch, ScoredSettings, Search,
};
use corefeval_core::tally::SCORE_PARTS;
use corefeval_core::wording::plural;
use serde_json::Value as Json;

use crate::block::{Block, Column, Form, Grid, Group, Line, Value};
use crate::sizes::lines_of_settings;
use crate::{Columns, Kind, Origin, Printable, Style};

/// The largest number of documents, entities and hits in human-readable outputs; JSON has more.
const MOST: usize = 3;

/// The largest number of hits of a search in human-readable outputs.
const MOST_HITS: usize = 8;

/// The largest number of characters of a mention in human-readable outputs.
const LONGEST: usize = 40;

impl Printable for Explanation {
    fn kind(&self) -> Kind {
        Kind::Explanation
    }

    fn origin(&self) -> Origin<'_> {
        let settings = self.profiles.first().map(|first| &first.settings);
        Origin { settings, format: &self.format, diagnostics: Some(&self.diagnostics) }
    }

    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let columns = style.columns.unwrap_or(Columns::F1);
        let mut blocks = vec![Block::Grid(profiles(self, columns))];
        let sizes = self.profiles.iter().map(|profile| (profile.name.as_str(), &profile.sizes));
        let mut notes = lines_of_settings(&sizes.collect::<Vec<_>>());
        let cut = self.profiles.iter().filter_map(|profile| cut_text(self, profile, columns, style.digits));
        notes.extend(cut);
        blocks.push(Block::Notes(notes));
        for path in &self.paths {
            let to = self.profiles.iter().find(|profile| profile.name == path.to);
            if let (Some(from), Some(to)) = (self.profiles.first(), to) {
                blocks.extend(of_path(self, path, BothEnds::of_profiles(from, to), (columns, style.digits)));
            }
        }
        if let Some(search) = &self.search {
            blocks.extend(of_search(search));
        }
        if let Some(against) = &self.against {
            blocks.extend(of_against(self, against, columns, style.digits));
        }
        let first = self.profiles.first().map(|profile| self.signature_of(profile));
        blocks.push(Block::Signature(first.unwrap_or_default()));
        blocks
    }

    fn json(&self) -> Json {
        data::json(self)
    }

    fn csv(&self) -> String {
        data::csv(self)
    }
}

/// The label of a part of a metric: `MUC recall`, `CoNLL F1`.
fn part_name(metric: &Metric, part: usize) -> String {
    match (part, metric.needs_corpus()) {
        (2, true) => metric.label(),
        _ => format!("{} {}", metric.label(), SCORE_PARTS[part].name),
    }
}

/// The head of a part of a metric.
fn head(metric: &Metric, part: usize) -> &'static str {
    if part == 2 && metric.needs_corpus() { "Value" } else { SCORE_PARTS[part].short }
}

/// The columns of scores: F1 by metric, or several parts of each metric.
fn score_groups(report: &Explanation, columns: Columns) -> Vec<Group<'static>> {
    let parts: Vec<usize> = columns.places().collect();
    let group = |place: usize| {
        let label = report.metrics[place].label();
        match parts.as_slice() {
            [_] => Group::untitled(vec![Column::new(label)]),
            _ => {
                let mean = report.metrics[place].is_mean();
                let shown = parts.iter().filter(|part| !mean || **part == 2);
                let head = |part: &usize| Column::new(head(&report.metrics[place], *part));
                Group { title: label.into(), columns: shown.map(head).collect() }
            }
        }
    };
    let mut groups: Vec<Group<'static>> = (0..report.metrics.len()).map(group).collect();
    groups.retain(|group| !group.columns.is_empty());
    groups
}

/// The cells of a row: one for each column of [`score_groups`].
fn cells<'r>(
    report: &Explanation,
    columns: Columns,
    value: impl Fn(usize, usize) -> Value<'r>,
) -> Vec<Value<'r>> {
    let parts: Vec<usize> = columns.places().collect();
    let mut all = Vec::new();
    for (place, metric) in report.metrics.iter().enumerate() {
        let mean = metric.is_mean();
        for &part in parts.iter().filter(|part| parts.len() == 1 || !mean || **part == 2) {
            all.push(if mean && part != 2 { Value::Blank } else { value(place, part) });
        }
    }
    all
}

fn corner(report: &Explanation, columns: Columns) -> &'static str {
    match columns.places().collect::<Vec<_>>()[..] {
        [2] if report.metrics.iter().all(|metric| metric.needs_corpus()) => "Value",
        [part] => SCORE_PARTS[part].label,
        _ => "Settings",
    }
}

/// The scores under each profile.
fn profiles(report: &Explanation, columns: Columns) -> Grid<'_> {
    let row = |profile: &'_ ScoredSettings| -> Line<'_> {
        let value = |place: usize, part: usize| {
            let score = profile.results.get(place).and_then(|result| result.figures()[part]);
            Value::number(score, Form::Percent)
        };
        Line::row(profile.name.clone(), cells(report, columns, value))
    };
    Grid {
        corner: corner(report, columns).into(),
        groups: score_groups(report, columns),
        lines: report.profiles.iter().map(row).collect(),
    }
}

/// Lists the scores that a profile's scorer prints with different digits from the report, because it truncates
/// percentages.
fn cut_text(report: &Explanation, profile: &ScoredSettings, columns: Columns, digits: u8) -> Option<String> {
    if profile.print() != Print::Cut {
        return None;
    }
    let parts: Vec<usize> = columns.places().collect();
    let mut numbers = Vec::new();
    for (place, metric) in report.metrics.iter().enumerate() {
        let mean = metric.is_mean();
        for &part in parts.iter().filter(|part| !mean || **part == 2) {
            let cut = units(profile, (place, part), Print::Cut, digits);
            if cut != units(profile, (place, part), Print::Rounded, digits) {
                let head =
                    if parts.len() == 1 || mean { String::new() } else { format!(" {}", head(metric, part)) };
                let number = cut as f64 / 10_f64.powi(digits.into());
                numbers.push(format!("{}{head} {number:.*}", metric.label(), usize::from(digits)));
            }
        }
    }
    (!numbers.is_empty()).then(|| {
        format!(
            "Under {} the original scorer truncates instead of rounding: it prints {}.",
            profile.name,
            numbers.join(", ")
        )
    })
}

/// Both ends of a difference, each with the rounding of its scorer, and the rounding of the displayed scores.
#[derive(Clone, Copy)]
struct BothEnds<'r> {
    from: (&'r ScoredSettings, Print),
    to: (&'r ScoredSettings, Print),
    shown: Print,
}

impl<'r> BothEnds<'r> {
    /// The scores of two profiles, rounded here, and rounded or truncated by the scorer of each.
    fn of_profiles(from: &'r ScoredSettings, to: &'r ScoredSettings) -> BothEnds<'r> {
        BothEnds { from: (from, from.print()), to: (to, to.print()), shown: Print::Rounded }
    }

    /// The scores of another scorer and ours, all rounded or truncated as that scorer does.
    fn printed(from: &'r ScoredSettings, to: &'r ScoredSettings, print: Print) -> BothEnds<'r> {
        BothEnds { from: (from, print), to: (to, print), shown: print }
    }

    /// Returns whether one scorer rounds and the other truncates.
    fn print_differs(self) -> bool {
        self.from.1 != self.to.1
    }

    /// The difference between the displayed scores, in units of the last decimal.
    fn total(self, at: (usize, usize), digits: u8) -> i64 {
        units(self.to.0, at, self.shown, digits) - units(self.from.0, at, self.shown, digits)
    }

    /// The part of the difference that is due to the scorers' rounding.
    fn of_print(self, at: (usize, usize), digits: u8) -> i64 {
        let adds = |(scored, print)| units(scored, at, print, digits) - units(scored, at, self.shown, digits);
        adds(self.to) - adds(self.from)
    }
}

/// A displayed score, in units of the last decimal. A mean with undefined components is taken from its exact fraction,
/// in which they are 0.
fn units(scored: &ScoredSettings, (place, part): (usize, usize), print: Print, digits: u8) -> i64 {
    let exact = &scored.exact[place][part];
    let double = scored.results[place].figures()[part].unwrap_or_else(|| to_f64(exact));
    shown(double, exact, print, digits)
}

/// Rounds changes so that they add up to a total: each is truncated, and the remainder is added to the changes that
/// lost the most. The total and the results are in units of the last decimal.
fn shares(changes: &[&Exact], total: i64, digits: u8) -> Vec<i64> {
    let scale = Exact::from_integer(10_i64.pow(u32::from(digits) + 2).into());
    let scaled: Vec<Exact> = changes.iter().map(|change| *change * &scale).collect();
    let floors: Vec<Exact> = scaled.iter().map(Exact::floor).collect();
    let mut rounded: Vec<i64> = floors.iter().map(|floor| to_f64(floor) as i64).collect();
    let zero = Exact::from_integer(0.into());
    let mut order: Vec<usize> = (0..changes.len()).filter(|place| *changes[*place] != zero).collect();
    let lost: Vec<Exact> = scaled.iter().zip(&floors).map(|(change, floor)| change - floor).collect();
    order.sort_by(|one, other| lost[*other].cmp(&lost[*one]));
    let rest = total - rounded.iter().sum::<i64>();
    // The remainder is negative only if both ends are halves that are rounded towards each other.
    if rest < 0 {
        order.reverse();
    }
    for place in order.into_iter().take(rest.unsigned_abs() as usize) {
        rounded[place] += rest.signum();
    }
    rounded
}

/// The part of a difference that is due to rounding by the scorers.
fn of_print(BothEnds { from, to, .. }: BothEnds<'_>, place: usize, part: usize, digits: u8) -> Exact {
    let rest = |(scored, print): (&ScoredSettings, Print)| {
        let steps = 100 * 10_i64.pow(u32::from(digits));
        Exact::new(units(scored, (place, part), print, digits).into(), steps.into())
            - &scored.exact[place][part]
    };
    rest(to) - rest(from)
}

fn is_zero(change: &ExactScore) -> bool {
    change.iter().all(|part| to_f64(part) == 0.0)
}

/// A difference in units of the last decimal, as points.
fn points<'r>(units: i64, digits: u8) -> Value<'r> {
    Value::Number(units as f64 / 10_f64.powi(2 + i32::from(digits)), Form::Points)
}

/// One difference: its steps in a table, then each step with its documents and mentions.
/// The rows below the steps of a path: their sum, and the change by another way to print, if `any_print`.
fn sum_lines<'r>(
    report: &Explanation,
    path: &RulePath,
    ends: BothEnds<'r>,
    (columns, digits): (Columns, u8),
    any_print: bool,
) -> Vec<Line<'r>> {
    if path.steps.len() < 2 && !any_print {
        return Vec::new();
    }
    let row = cells(report, columns, |place, part| match to_f64(&path.total[place][part]) {
        0.0 => Value::Blank,
        _ => points(ends.total((place, part), digits), digits),
    });
    let mut lines = vec![Line::Rule, Line::row("all", row)];
    if any_print {
        let row_of_units = |units: &dyn Fn(usize, usize) -> i64| {
            cells(report, columns, |place, part| match units(place, part) {
                0 => Value::Blank,
                units => points(units, digits),
            })
        };
        let row = row_of_units(&|place, part| ends.of_print((place, part), digits));
        lines.push(Line::row(format!("then print {} → {}", ends.from.1.id(), ends.to.1.id()), row));
        let row = row_of_units(&|place, part| {
            ends.total((place, part), digits) + ends.of_print((place, part), digits)
        });
        lines.push(Line::row("as printed", row));
    }
    lines
}

fn of_path<'r>(
    report: &'r Explanation,
    path: &'r RulePath,
    ends: BothEnds<'r>,
    (columns, digits): (Columns, u8),
) -> Vec<Block<'r>> {
    let headline = report.headline;
    let label = report.metrics[headline].label();
    let shown_of = |(scored, _): (&ScoredSettings, Print), print: Print| {
        let number = units(scored, (headline, 2), print, digits) as f64;
        format!("{:.*}", usize::from(digits), number / 10_f64.powi(digits.into()))
    };
    let BothEnds { from, to, .. } = ends;
    let mut blocks = Vec::new();
    let metrics = 0..report.metrics.len();
    // Means show neither recall nor precision.
    let is_shown = |place: usize, part: usize| part == 2 || !report.metrics[place].is_mean();
    let any_print = ends.print_differs()
        && columns.places().any(|part| {
            metrics.clone().any(|place| is_shown(place, part) && ends.of_print((place, part), digits) != 0)
        });
    if path.steps.is_empty() {
        let print = if any_print { "; as printed, they differ by truncation" } else { "" };
        let mut notes = vec![format!("{} gives the same scores as {}{print}.", path.to, path.from)];
        notes.extend(idle_text(path));
        blocks.push(Block::Notes(notes));
        return blocks;
    }
    // The fractions of a mean count its undefined parts as 0, as other scorers do.
    let is_defined = |(scored, _): (&ScoredSettings, Print)| scored.results[headline].is_defined();
    let undefined = if is_defined(from) && is_defined(to) { "" } else { ", undefined scores counted as 0" };
    let mut numbers =
        format!("{label} {} → {}{undefined}", shown_of(from, ends.shown), shown_of(to, ends.shown));
    if ends.of_print((headline, 2), digits) != 0 {
        let printed = [from, to].map(|end| shown_of(end, end.1));
        numbers.push_str(&format!(", printed {}", printed.join(" → ")));
    }
    blocks.push(Block::Heading(format!("From {} to {}: {numbers}", path.from, path.to).into()));
    // Rounded so that the steps add up to the difference between the displayed scores.
    let steps_of = |place: usize, part: usize| {
        let changes: Vec<&Exact> = path.steps.iter().map(|step| &step.change[place][part]).collect();
        shares(&changes, ends.total((place, part), digits), digits)
    };
    let steps: Vec<[Vec<i64>; 3]> =
        metrics.map(|place| [0, 1, 2].map(|part| steps_of(place, part))).collect();
    let mut lines: Vec<Line<'r>> = Vec::new();
    for (number, step) in path.steps.iter().enumerate() {
        let row = cells(report, columns, |place, part| match to_f64(&step.change[place][part]) {
            0.0 => Value::Blank,
            _ => points(steps[place][part][number], digits),
        });
        lines.push(Line::row(format!("{}. {}", number + 1, step.name()), row));
    }
    lines.extend(sum_lines(report, path, ends, (columns, digits), any_print));
    blocks.push(Block::Grid(Grid {
        corner: "One rule at a time".into(),
        groups: score_groups(report, columns),
        lines,
    }));
    for (number, step) in path.steps.iter().enumerate() {
        let shown = |place: usize| (steps[place][2][number], digits);
        blocks.extend(of_step(report, number + 1, step, shown));
    }
    blocks.extend(idle_text(path).map(|text| Block::Notes(vec![text])));
    blocks
}

/// The rules that differ without changing a score: `No effect here: place first → any.`
fn idle_text(path: &RulePath) -> Option<String> {
    let idle = path.idle.iter().map(|switch| format!("{} {} → {}", switch.option, switch.from, switch.to));
    let idle: Vec<String> = idle.collect();
    (!idle.is_empty()).then(|| format!("No effect here: {}.", idle.join(", ")))
}

/// Describes a rule: `entities with one mention: score them → drop them from both sides before matching`.
fn switch_text(switch: &RuleSwitch) -> String {
    let [from, to] = switch.meaning;
    match from.is_empty() || to.is_empty() {
        true => format!("{}: {} → {}", switch.summary, switch.from, switch.to),
        false => format!("{}: {from} → {to}", switch.summary),
    }
}

/// The numbers of mentions that a step treats differently: `34 mentions of the key dropped, 2 newly matched, in 2
/// documents`; without the documents in a brief report.
fn counts_text(step: &RuleStep, is_brief: bool) -> Option<String> {
    let counts = step.counts();
    let mut before = None;
    let each = counts.iter().map(|(change, side, count)| {
        let [one, many] = change.noun();
        match before.replace((many, *side)) == Some((many, *side)) {
            true => format!("{count} {}", change.label()),
            false => format!("{} of the {} {}", plural(*count, one, many), side.label(), change.label()),
        }
    });
    let each: Vec<String> = each.collect();
    let documents = match is_brief {
        true => String::new(),
        false => format!(", in {}", plural(step.mentions.len() as u64, "document", "documents")),
    };
    (!each.is_empty()).then(|| format!("{}{documents}.", each.join(", ")))
}

/// A step: the rule, the documents and entities that change most, and some of the mentions.
/// The contributions of documents add up to the change of a metric's F1 in the table, which `shown` contains.
fn of_step<'r>(
    report: &'r Explanation,
    number: usize,
    step: &'r RuleStep,
    shown: impl Fn(usize) -> (i64, u8),
) -> Vec<Block<'r>> {
    let headline = report.headline;
    let is_changed = |place: &usize| to_f64(&step.change[*place][2]) != 0.0;
    let place = Some(headline).filter(is_changed);
    let place = place.or_else(|| (0..report.metrics.len()).find(is_changed)).unwrap_or(headline);
    let label = report.metrics[place].label();
    let rules: Vec<String> = step.switches.iter().map(switch_text).collect();
    let mut notes = vec![format!("{number}. {}.", capital(&rules.join("; ")))];
    if let Some(text) = counts_text(step, report.is_brief()) {
        notes.push(capital(&text));
    }
    if let Some(detail) = &step.detail {
        notes.push(format!("{}.", capital(detail)));
    }
    let exact: Vec<&Exact> = step.documents.iter().map(|document| &document.adds[place][2]).collect();
    let (total, digits) = shown(place);
    let added = if step.additive { shares(&exact, total, digits) } else { Vec::new() };
    let adds = |at: usize| match step.additive {
        true => to_f64(exact[at]),
        false => step.documents[at].own[1][place] - step.documents[at].own[0][place],
    };
    let changed: Vec<usize> = (0..step.documents.len()).filter(|at| adds(*at).abs() >= 5e-7).collect();
    if step.documents.len() > 1 && !changed.is_empty() {
        let most = if report.is_brief() { 1 } else { MOST };
        let shown = changed.iter().take(most).map(|&at| {
            let mut text = format!("{} (", step.documents[at].id);
            let number = added
                .get(at)
                .map_or_else(|| Value::Number(adds(at), Form::Points), |units| points(*units, digits));
            number.add_to(&mut text, digits);
            text + ")"
        });
        let shown = shown.collect::<Vec<_>>().join(", ");
        let what = if step.additive { "contribution" } else { "separate change" };
        let of = plural(changed.len() as u64, "document", "documents");
        notes.push(match changed.len() {
            1 => format!("{} of {of} ({label}): {shown}.", capital(what)),
            _ if report.is_brief() => format!("Largest {what} of {of} ({label}): {shown}."),
            _ => format!("{}s of {of} ({label}), largest first: {shown}.", capital(what)),
        });
    }
    let entities = step.entities();
    let several = entities.iter().filter(|entity| entity.changed > 1).take(MOST);
    let shown: Vec<String> = several
        .map(|entity| {
            format!(
                "{} of the {} ({} of {} mentions, “{}”)",
                entity.entity,
                entity.side,
                entity.changed,
                entity.size,
                short(entity.text)
            )
        })
        .collect();
    if !shown.is_empty() && !report.is_brief() {
        notes.push(format!("Entities with most such mentions: {}.", shown.join(", ")));
    }
    let mut blocks = vec![Block::Notes(notes)];
    blocks.extend(examples(report, step, digits).map(Block::Grid));
    blocks
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// Shortens a text that is too long.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// Example mentions of a step: the first of each kind of change and side, then others.
fn examples<'r>(report: &'r Explanation, step: &'r RuleStep, digits: u8) -> Option<Grid<'r>> {
    let all: Vec<(&str, &ChangedMention)> = step
        .mentions
        .iter()
        .flat_map(|document| document.mentions.iter().map(|mention| (document.id.as_str(), mention)))
        .collect();
    let mut chosen: Vec<usize> = Vec::new();
    let mut kinds = Vec::new();
    for (place, (_, mention)) in all.iter().enumerate() {
        let kind = (mention.change, mention.side == Side::Key);
        if !kinds.contains(&kind) {
            kinds.push(kind);
            chosen.push(place);
        }
    }
    let most = report.examples.unwrap_or(if report.is_brief() { 1 } else { MOST });
    chosen.truncate(most);
    let more: Vec<usize> = (0..all.len()).filter(|place| !chosen.contains(place)).collect();
    chosen.extend(more.into_iter().take(most.saturating_sub(chosen.len())));
    chosen.sort_unstable();
    if chosen.is_empty() {
        return None;
    }
    let line = |&place: &usize| {
        let (document, mention) = all[place];
        let partner = match (&mention.before, &mention.after) {
            (Some(before), Some(after)) if before == after && mention.change == MentionChange::Rematched => {
                format!(": “{}” in another entity", short(after))
            }
            (Some(before), Some(after)) if before != after => {
                format!(": “{}”, before “{}”", short(after), short(before))
            }
            _ if !change_of_match(mention.change) => String::new(),
            (_, Some(after)) => format!(": with “{}”", short(after)),
            (Some(before), None) => format!(" (was with “{}”)", short(before)),
            (None, None) => String::new(),
        };
        let values = mention.values.map(|values| {
            let [before, after] = values.map(|value| format!("{:.*}", usize::from(digits), 100.0 * value));
            format!(": {before} → {after}")
        });
        let what = format!("{}{partner}{}", mention.change.label(), values.unwrap_or_default());
        let line = mention.position.line;
        let at = if line > 0 { format!("{document}, line {line}") } else { document.to_owned() };
        let text = if mention.text.is_empty() { "(text not known)".to_owned() } else { short(&mention.text) };
        Line::row(
            text,
            [
                Value::text(format!("{} {}", mention.side.label(), mention.entity)),
                Value::text(what),
                Value::text(at),
            ],
        )
    };
    let heads = ["entity", "change", "where"];
    let mut nouns = all.iter().map(|(_, mention)| mention.change.noun());
    let [one, many] =
        nouns.next().filter(|first| nouns.all(|noun| noun == *first)).unwrap_or(["change", "changes"]);
    Some(Grid {
        corner: format!("{} of {}", chosen.len(), plural(all.len() as u64, one, many)).into(),
        groups: vec![Group::untitled(heads.into_iter().map(Column::of_text).collect())],
        lines: chosen.iter().map(line).collect(),
    })
}

/// Returns whether a change is clearer with the mention of the other side.
fn change_of_match(change: MentionChange) -> bool {
    use MentionChange as Change;
    matches!(
        change,
        Change::Dropped | Change::Added | Change::Matched | Change::Unmatched | Change::Rematched
    )
}

/// The name of a wanted number: `62.03`, `CoNLL F1 62.03`.
fn wanted_name(wanted: &WantedNumber) -> String {
    match (&wanted.metric, wanted.part) {
        (Some(metric), Some(part)) => format!("{} {}", part_name(metric, part), wanted.number.text),
        _ => wanted.number.text.clone(),
    }
}

/// Describes the searched settings and, for a hit, its strength as evidence.
fn chance_text(wanted: &WantedNumber, chance: &Chance, search: &Search, is_hit: bool) -> String {
    let Chance { candidates, spread: [low, high], probability } = *chance;
    let digits = usize::from(wanted.number.digits);
    let verdict = match probability {
        probability if probability < 0.05 => "a hit is unlikely to be chance",
        probability if probability < 0.5 => "a hit might be chance",
        _ => "a hit is weak evidence",
    };
    let evidence = match is_hit {
        true => format!(
            ". The search would find a number drawn from this range with probability {probability:.3}: {verdict}."
        ),
        false => ", but not this one.".to_owned(),
    };
    let failed = match search.failed {
        0 => String::new(),
        failed => format!("; {failed} cannot be scored on these files"),
    };
    format!(
        "{}: {} settings (profiles, and up to {} changed{failed}) print, rounded or cut, {} between {low:.digits$} and \
         {high:.digits$}{evidence}",
        wanted_name(wanted),
        search.tried,
        plural(search.rules as u64, "rule", "rules"),
        plural(candidates as u64, "number", "different numbers"),
    )
}

/// The score of some settings that is nearest to a wanted number.
fn nearest_number(scored: &ScoredSettings, wanted: &WantedNumber) -> String {
    let (unit, digits) = (wanted.number.unit(), usize::from(wanted.number.digits));
    let shown = |metric: &Metric, part: usize| {
        let is_defined = scored.is_defined(metric, part);
        scored.prints(metric, part, Print::Rounded, wanted.number.digits).filter(|_| is_defined)
    };
    let metrics = scored.results.iter().map(|result| result.metric);
    let all =
        metrics.filter(|metric| wanted.metric.is_none_or(|wanted| wanted == *metric)).flat_map(|metric| {
            let parts = match wanted.part {
                Some(part) => part..part + 1,
                None if metric.is_mean() => 2..3,
                None => 0..3,
            };
            parts.filter_map(move |part| Some((metric, part, shown(&metric, part)?)))
        });
    let nearest = all.min_by_key(|(.., shown)| (shown - wanted.number.scaled).abs());
    let number = |(metric, part, shown): (Metric, usize, i64)| {
        format!("{} {:.digits$}", part_name(&metric, part), shown as f64 / unit)
    };
    nearest.map_or_else(|| "–".to_owned(), number)
}

/// Returns the profiles that score the same as a hit and whose own scorers print all numbers that it matches.
fn exact_profiles<'h>(hit: &'h Hit, search: &Search) -> Vec<&'h str> {
    let prints = |profile: &Profile| {
        search.wanted.iter().zip(&hit.numbers).all(|(wanted, found)| {
            let printed = |(metric, part, _): &(Metric, usize, Print)| {
                hit.scored.prints(metric, *part, profile.print, wanted.number.digits)
            };
            found.as_ref().is_none_or(|found| printed(found) == Some(wanted.number.scaled))
        })
    };
    let names = hit.same.iter().map(String::as_str);
    names.filter(|name| Profile::named(name).is_ok_and(prints)).collect()
}

/// The settings that print the wanted numbers.
/// The row of settings that print some of the numbers.
fn hit_line<'s>(search: &'s Search, hit: &'s Hit) -> Line<'s> {
    let number = |(wanted, found): (&WantedNumber, &Option<(Metric, usize, Print)>)| match found {
        None => Value::Blank,
        Some((metric, part, print)) => {
            let digits = |print| hit.scored.prints(metric, *part, print, wanted.number.digits);
            let is_as_shown = digits(Print::Rounded) == digits(Print::Cut)
                || (*print == Print::Rounded && hit.scored.print() == Print::Rounded);
            // The report rounds; a scorer that truncates prints other digits.
            let how = if is_as_shown { String::new() } else { format!(" ({})", print.id()) };
            Value::text(format!("{}{how}", part_name(metric, *part)))
        }
    };
    let same = match hit.same.len() {
        0 => Value::Blank,
        count => Value::Count(count as u64),
    };
    Line::row(hit.scored.name.clone(), search.wanted.iter().zip(&hit.numbers).map(number).chain([same]))
}

/// Lists the profiles that print exactly the numbers of a hit; `names` are those of the wanted numbers.
fn note_on_profiles(search: &Search, hit: &Hit, names: &[String]) -> Option<String> {
    let profiles = exact_profiles(hit, search);
    if profiles.is_empty() {
        return None;
    }
    let printed = names.iter().zip(&hit.numbers).filter(|(_, found)| found.is_some());
    let printed: Vec<&str> = printed.map(|(name, _)| name.as_str()).collect();
    let more = match profiles.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "Profiles with the scores of {} that print exactly {}: {}{more}.",
        hit.scored.name,
        printed.join(", "),
        profiles.iter().take(MOST).copied().collect::<Vec<_>>().join(", ")
    ))
}

fn of_search(search: &Search) -> Vec<Block<'_>> {
    let names: Vec<String> = search.wanted.iter().map(wanted_name).collect();
    let mut blocks = vec![Block::Heading(format!("Settings that print {}", names.join(", ")).into())];
    let mut columns: Vec<Column<'_>> =
        search.wanted.iter().map(|wanted| Column::of_text(wanted.number.text.as_str())).collect();
    columns.push(Column::new("others like it"));
    let best = search.hits.first().map_or(0, Hit::count);
    // Settings that print fewer of the numbers are listed only if none prints all.
    let hits: Vec<&Hit> = search.hits.iter().filter(|hit| hit.count() == best).collect();
    let mut notes = Vec::new();
    if hits.is_empty() {
        let which = if names.len() == 1 { "this number" } else { "any of these numbers" };
        notes.push(format!(
            "No settings print {which}. The number may come from other files, from another response, or from a \
             metric that is not in the table above."
        ));
    } else {
        blocks.push(Block::Grid(Grid {
            corner: "Settings".into(),
            groups: vec![Group::untitled(columns)],
            lines: hits.iter().take(MOST_HITS).map(|hit| hit_line(search, hit)).collect(),
        }));
        notes.extend(hits.iter().take(MOST_HITS).filter_map(|hit| note_on_profiles(search, hit, &names)));
        if hits.len() > MOST_HITS {
            notes.push(format!(
                "{} more settings print it; the JSON output lists all.",
                hits.len() - MOST_HITS
            ));
        }
        if best < search.wanted.len() {
            notes.push(format!(
                "No settings print all of the numbers; these print {best} of {}.",
                search.wanted.len()
            ));
        }
    }
    if let Some(nearest) = &search.nearest {
        let numbers: Vec<String> =
            search.wanted.iter().map(|wanted| nearest_number(&nearest.scored, wanted)).collect();
        notes.push(format!("Nearest: {} with {}.", nearest.scored.name, numbers.join(", ")));
    }
    notes.extend(search.wanted.iter().zip(&search.chances).enumerate().map(|(place, (wanted, chance))| {
        let is_hit = hits.iter().any(|hit| hit.numbers[place].is_some());
        chance_text(wanted, chance, search, is_hit)
    }));
    blocks.push(Block::Notes(notes));
    blocks
}

/// Another scorer's output, ours, and the steps from ours to it.
fn of_against<'r>(
    report: &'r Explanation,
    against: &'r Against,
    columns: Columns,
    digits: u8,
) -> Vec<Block<'r>> {
    let printed = &against.printed;
    let best = &against.best;
    let labels: Vec<&str> = printed.peers().map(|peer| peer.label).collect();
    let cut = if printed.peer.print == Print::Cut { ", truncated after the last decimal" } else { "" };
    let heading = format!("{} by {}, and ours{cut}", printed.source, labels.join(" or "));
    let mut blocks = vec![Block::Heading(heading.into())];
    blocks.push(Block::Grid(grid_of_printed(against)));
    blocks.push(Block::Notes(notes_on_printed(against, &labels)));
    let path = against.path.as_ref().filter(|(start, _)| against.is_near() && start.name != best.scored.name);
    if let Some((start, path)) = path {
        let ends = BothEnds::printed(start, &best.scored, printed.peer.print);
        blocks.extend(of_path(report, path, ends, (columns, digits)));
    }
    blocks
}

/// The numbers of another scorer, next to ours and to those of the nearest settings.
fn grid_of_printed(against: &Against) -> Grid<'_> {
    let printed = &against.printed;
    let (ours, best) = (&against.ours, &against.best);
    let is_near = against.is_near();
    let row = |(score, hit): (&corefeval_core::printed::PrintedScore, bool)| {
        let of = |scored: &ScoredSettings| {
            let number = against.number(scored, score);
            number.map_or(Value::Undefined, |number| Value::text(number.text))
        };
        let mark = if hit { "" } else { "differs" };
        Line::row(
            part_name(&score.metric, score.part),
            [
                Value::text(format!("{:.*}", usize::from(score.number.digits), score.number.percent())),
                of(ours),
                of(&best.scored),
                Value::text(mark),
            ],
        )
    };
    // Settings that print few of the numbers get no column.
    let same = ours.name == best.scored.name || !is_near;
    let mut heads = vec![
        Column::new("printed"),
        Column::new(ours.name.clone()),
        Column::new(best.scored.name.clone()),
        Column::of_text(""),
    ];
    let is_ours =
        |score| against.number(ours, score).is_some_and(|number| number.scaled == score.number.scaled);
    let lines = printed.numbers.iter().zip(&best.numbers);
    let lines: Vec<Line<'_>> = lines
        .map(|(score, hit)| row((score, if is_near { hit.is_some() } else { is_ours(score) })))
        .collect();
    let lines = match same {
        false => lines,
        // One column is enough.
        true => {
            heads.remove(2);
            lines
                .into_iter()
                .map(|line| match line {
                    Line::Row(name, mut cells) => {
                        cells.remove(2);
                        Line::Row(name, cells)
                    }
                    other => other,
                })
                .collect()
        }
    };
    Grid { corner: "Score".into(), groups: vec![Group::untitled(heads)], lines }
}

/// Notes on the settings that print the numbers of another scorer, which `labels` names.
fn notes_on_printed(against: &Against, labels: &[&str]) -> Vec<String> {
    let printed = &against.printed;
    let (ours, best) = (&against.ours, &against.best);
    let total = printed.numbers.len();
    let is_near = against.is_near();
    let same = ours.name == best.scored.name || !is_near;
    let hit = best.count();
    let mut notes = Vec::new();
    if !printed.alike.is_empty() {
        let labels = labels.join(" and ");
        notes.push(format!("{} does not name its scorer; {labels} print in this layout.", printed.source));
    }
    if !is_near {
        notes.push(format!(
            "{} seems to be about other files: of {} settings none prints half of its {total} numbers ({hit} at most, and {} with \
             key and response swapped). Give the key and the response that it was printed for.",
            printed.source, against.tried, against.met_if_swapped
        ));
        return notes;
    }
    let text = |scored, score| against.number(scored, score).map(|number| number.text);
    let agree = printed.numbers.iter().all(|score| text(ours, score) == text(&best.scored, score));
    notes.push(match (hit == total, same) {
        (true, false) if agree => {
            format!("{} prints all {total} numbers, and so does {}.", best.scored.name, ours.name)
        }
        (true, true) => format!("{} prints all {total} numbers.", ours.name),
        (true, false) if best.scored.swapped => format!(
            "Key and response are exchanged: {} prints all {total} numbers. Give them in the other order.",
            best.scored.name
        ),
        (true, false) => format!("{} prints all {total} numbers; {} does not.", best.scored.name, ours.name),
        (false, _) => format!(
            "None of {} settings prints all {total} numbers. The nearest, {}, prints {hit} of them; the remaining \
             difference is unexplained: other files, another version, or a rule that corefeval lacks.",
            against.tried, best.scored.name
        ),
    });
    if best.scored.swapped && hit < total {
        notes.push("Key and response were given to the other scorer in the other order.".to_owned());
    }
    if !best.same.is_empty() && hit == total && !same {
        notes.push(format!(
            "{} on these files, among them {}.",
            match best.same.len() {
                1 => "1 other setting gives the same scores".to_owned(),
                count => format!("{count} other settings give the same scores"),
            },
            best.same.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    notes
}

/// The names of the parts of a score in JSON.
fn part_id(part: usize) -> &'static str {
    SCORE_PARTS[part].id
}

/// Returns whether a change concerns this metric.
fn changes_any(change: &ExactScore) -> bool {
    !is_zero(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i64, denominator: i64) -> Exact {
        Exact::new(numerator.into(), denominator.into())
    }

    /// The displayed steps add up to the difference between the displayed scores, and none is off by more than a unit of the
    /// last decimal.
    #[test]
    fn rounded_changes_add_up() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for print in [Print::Rounded, Print::Cut] {
            for digits in [0, 1, 2, 4] {
                let scale = fraction(10_i64.pow(u32::from(digits) + 2), 1);
                for _ in 0..2000 {
                    // Fractions over 800 and 3200 can be halves of the last decimal; fractions over 97 and 60 cannot.
                    let denominator = [97, 60, 800, 3200][next(4) as usize];
                    let scores: Vec<Exact> = (0..2 + next(6))
                        .map(|_| fraction(next(denominator as u64 + 1) as i64, denominator))
                        .collect();
                    let changes: Vec<Exact> = scores.windows(2).map(|two| &two[1] - &two[0]).collect();
                    let units = |score: &Exact| shown(to_f64(score), score, print, digits);
                    let total = units(&scores[scores.len() - 1]) - units(&scores[0]);
                    let rounded = shares(&changes.iter().collect::<Vec<_>>(), total, digits);
                    assert_eq!(rounded.iter().sum::<i64>(), total, "{scores:?} {print:?} {digits}");
                    for (change, rounded) in changes.iter().zip(&rounded) {
                        let off = change * &scale - fraction(*rounded, 1);
                        assert!(
                            off <= fraction(1, 1) && -off <= fraction(1, 1),
                            "{scores:?} {print:?} {digits}"
                        );
                    }
                }
            }
        }
    }

    /// Both ends are halves: rounded towards each other, the displayed difference is smaller than the step.
    #[test]
    fn rounded_halves_add_up() {
        assert_eq!(shares(&[&fraction(1, 10_000)], 0, 2), [0]);
        assert_eq!(shares(&[&fraction(1, 10_000)], 2, 2), [2]);
        assert_eq!(shares(&[&fraction(-1, 10_000), &fraction(3, 20_000)], 0, 2), [-1, 1]);
    }
}
