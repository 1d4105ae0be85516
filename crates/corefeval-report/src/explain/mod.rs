//! Explanations of differences as a report: profiles side by side, each difference as steps, the results of a search, and
//! another scorer's output compared with ours.

mod data;

use corefeval_core::analysis::{ChangedMention, MentionChange};
use corefeval_core::exact::{Exact, ExactScore, to_f64};
use corefeval_core::model::Side;
use corefeval_core::printed::{PARTS, WantedNumber, shown, shown_text};
use corefeval_core::profiles::Print;
use corefeval_core::reports::explain::{
    Against, Chance, Explanation, Hit, Path, ScoredSettings, Search, Step, Switch,
};
use serde_json::Value as Json;

use crate::block::{Block, Column, Form, Grid, Group, Line, Value};
use crate::sizes::lines_of_settings;
use crate::{Columns, Kind, Printable, Style};

/// The largest number of documents, entities and hits for people; JSON has more.
const MOST: usize = 3;

/// The largest number of hits of a search for people.
const MOST_HITS: usize = 8;

/// The largest number of characters of a mention for people.
const LONGEST: usize = 40;

/// The heads of the parts of a score.
const HEADS: [&str; 3] = ["R", "P", "F1"];

impl Printable for Explanation {
    fn kind(&self) -> Kind {
        Kind::Explanation
    }

    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let columns = style.columns.unwrap_or(Columns::F1);
        let mut blocks = vec![Block::Grid(profiles(self, columns))];
        let sizes = self.profiles.iter().map(|profile| (profile.name.as_str(), &profile.sizes));
        blocks.push(Block::Notes(lines_of_settings(&sizes.collect::<Vec<_>>())));
        for path in &self.paths {
            let to = self.profiles.iter().find(|profile| profile.name == path.to);
            if let (Some(from), Some(to)) = (self.profiles.first(), to) {
                blocks.extend(of_path(self, path, Ends::of_profiles(from, to), (columns, style.digits)));
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

/// The name of a part of a metric, for people: `MUC recall`, `CoNLL F1`.
fn part_name(metric: &corefeval_core::metrics::Metric, part: usize) -> String {
    let part = ["recall", "precision", "F1"][part];
    format!("{} {part}", metric.label())
}

/// The columns of scores: F1 by metric, or several parts of each metric.
fn score_groups(report: &Explanation, columns: Columns) -> Vec<Group<'static>> {
    let parts: Vec<usize> = columns.places().collect();
    let group = |place: usize| {
        let label = report.metrics[place].label();
        match parts.as_slice() {
            [_] => Group::untitled(vec![Column::new(label)]),
            _ => {
                let mean = report.metrics[place].parts().is_some();
                let shown = parts.iter().filter(|part| !mean || **part == 2);
                Group { title: label.into(), columns: shown.map(|part| Column::new(HEADS[*part])).collect() }
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
        let mean = metric.parts().is_some();
        for &part in parts.iter().filter(|part| parts.len() == 1 || !mean || **part == 2) {
            all.push(if mean && part != 2 { Value::Blank } else { value(place, part) });
        }
    }
    all
}

fn corner(columns: Columns) -> &'static str {
    match columns.places().collect::<Vec<_>>().as_slice() {
        [0] => "Recall",
        [1] => "Precision",
        [2] => "F1",
        _ => "Settings",
    }
}

/// The scores under each profile.
fn profiles(report: &Explanation, columns: Columns) -> Grid<'_> {
    let row = |profile: &'_ ScoredSettings| -> Line<'_> {
        let value = |place: usize, part: usize| {
            let score = profile.results.get(place).and_then(|result| result.parts()[part]);
            Value::number(score, Form::Percent)
        };
        Line::row(profile.name.clone(), cells(report, columns, value))
    };
    Grid {
        corner: corner(columns).into(),
        groups: score_groups(report, columns),
        lines: report.profiles.iter().map(row).collect(),
    }
}

/// Both ends of a difference, each with how its scorer prints.
#[derive(Clone, Copy)]
struct Ends<'r> {
    from: (&'r ScoredSettings, Print),
    to: (&'r ScoredSettings, Print),
}

impl<'r> Ends<'r> {
    /// The scores of two profiles, each printed as by its scorer.
    fn of_profiles(from: &'r ScoredSettings, to: &'r ScoredSettings) -> Ends<'r> {
        Ends { from: (from, from.print()), to: (to, to.print()) }
    }

    /// Returns whether the scorers print differently.
    fn print_differs(self) -> bool {
        self.from.1 != self.to.1
    }
}

/// The part of a difference that is due to rounding by the scorers.
fn of_print(Ends { from, to }: Ends<'_>, place: usize, part: usize, digits: u8) -> Exact {
    let rest = |(scored, print): (&ScoredSettings, Print)| {
        let score = scored.results[place].score;
        let exact = &scored.exact[place][part];
        let double = [score.recall, score.precision, score.f1][part];
        let steps = 100 * 10_i64.pow(u32::from(digits));
        Exact::new(shown(double, exact, print, digits).into(), steps.into()) - exact
    };
    rest(to) - rest(from)
}

fn is_zero(change: &ExactScore) -> bool {
    change.iter().all(|part| to_f64(part) == 0.0)
}

/// A difference in points; `None` if there is none.
fn points<'r>(change: &Exact) -> Value<'r> {
    match to_f64(change) {
        0.0 => Value::Blank,
        change => Value::Number(change, Form::Points),
    }
}

/// Like [`points`]; `None` if it rounds to 0 with this number of decimals.
fn rounded_points<'r>(change: &Exact, digits: u8) -> Value<'r> {
    let least = 0.5 / 10_f64.powi(2 + i32::from(digits));
    if to_f64(change).abs() < least { Value::Blank } else { points(change) }
}

/// One difference: its steps in a table, then each step with its documents and mentions.
fn of_path<'r>(
    report: &'r Explanation,
    path: &'r Path,
    ends: Ends<'r>,
    (columns, digits): (Columns, u8),
) -> Vec<Block<'r>> {
    let headline = report.headline;
    let label = report.metrics[headline].label();
    let shown_of = |(scored, print): (&ScoredSettings, Print)| {
        let score = scored.results[headline].score.f1;
        shown_text(score, &scored.exact[headline][2], print, digits)
    };
    let Ends { from, to } = ends;
    let mut blocks = Vec::new();
    let print = |place: usize, part: usize| of_print(ends, place, part, digits);
    let any_print = ends.print_differs()
        && columns.places().any(|part| {
            (0..report.metrics.len())
                .any(|place| to_f64(&print(place, part)).abs() > 0.4 / 10_f64.powi(2 + i32::from(digits)))
        });
    if path.steps.is_empty() {
        let text = match any_print {
            false => format!("{} gives the same scores as {}.", path.to, path.from),
            true => {
                format!("{} gives the same scores as {}; {}.", path.to, path.from, print_text([from.1, to.1]))
            }
        };
        blocks.push(Block::Notes(vec![text]));
        return blocks;
    }
    // The fractions of a mean count its undefined parts as 0, as other scorers do.
    let is_defined = |(scored, _): (&ScoredSettings, Print)| scored.results[headline].is_defined();
    let undefined = if is_defined(from) && is_defined(to) { "" } else { ", undefined scores counted as 0" };
    let numbers = format!("{label} {} → {}{undefined}", shown_of(from), shown_of(to));
    blocks.push(Block::Heading(format!("From {} to {}: {numbers}", path.from, path.to).into()));
    let mut lines: Vec<Line<'r>> = Vec::new();
    for (number, step) in (1..).zip(&path.steps) {
        let row = cells(report, columns, |place, part| points(&step.change[place][part]));
        lines.push(Line::row(format!("{number}. {}", step.name()), row));
    }
    if any_print {
        let row = cells(report, columns, |place, part| rounded_points(&print(place, part), digits));
        lines.push(Line::row(format!("print {} → {}", from.1.id(), to.1.id()), row));
    }
    if lines.len() > 1 {
        lines.push(Line::Rule);
        let row = cells(report, columns, |place, part| {
            let printed = if any_print { print(place, part) } else { Exact::from_integer(0.into()) };
            points(&(&path.total[place][part] + printed))
        });
        lines.push(Line::row("all", row));
    }
    blocks.push(Block::Grid(Grid {
        corner: "One rule at a time".into(),
        groups: score_groups(report, columns),
        lines,
    }));
    for (number, step) in (1..).zip(&path.steps) {
        blocks.extend(of_step(report, number, step));
    }
    if any_print {
        blocks.push(Block::Notes(vec![format!("print: {}.", print_text([from.1, to.1]))]));
    }
    blocks
}

fn print_text([from, to]: [Print; 2]) -> String {
    let text = |print: Print| match print {
        Print::Cut => "cuts percentages after the last decimal",
        Print::Rounded => "rounds percentages",
    };
    format!("the first scorer {}, the second {}", text(from), text(to))
}

/// Describes a rule: `entities with one mention: score them → drop them from both sides before matching`.
fn switch_text(switch: &Switch) -> String {
    let [from, to] = switch.meaning;
    match from.is_empty() || to.is_empty() {
        true => format!("{}: {} → {}", switch.summary, switch.from, switch.to),
        false => format!("{}: {from} → {to}", switch.summary),
    }
}

fn plural(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The numbers of mentions that a step treats differently: `34 mentions of the key dropped, 20 of the response dropped`.
fn counts_text(step: &Step) -> Option<String> {
    let counts = step.counts();
    let each = counts.iter().map(|(change, side, count)| {
        format!("{} of the {} {}", plural(*count, "mention", "mentions"), side.label(), change.label())
    });
    let each: Vec<String> = each.collect();
    let documents = step.mentions.len() as u64;
    (!each.is_empty())
        .then(|| format!("{}, in {}.", each.join(", "), plural(documents, "document", "documents")))
}

/// A step: the rule, the documents and entities that change most, and some of the mentions.
fn of_step<'r>(report: &'r Explanation, number: usize, step: &'r Step) -> Vec<Block<'r>> {
    let headline = report.headline;
    let is_changed = |place: &usize| to_f64(&step.change[*place][2]) != 0.0;
    let place = Some(headline).filter(is_changed);
    let place = place.or_else(|| (0..report.metrics.len()).find(is_changed)).unwrap_or(headline);
    let label = report.metrics[place].label();
    let rules: Vec<String> = step.switches.iter().map(switch_text).collect();
    let mut notes = vec![format!("{number}. {}.", capital(&rules.join("; ")))];
    if let Some(text) = counts_text(step) {
        notes.push(capital(&text));
    }
    if let Some(detail) = &step.detail {
        notes.push(format!("{}.", capital(detail)));
    }
    let adds = |document: &corefeval_core::reports::explain::DocumentChange| match step.additive {
        true => to_f64(&document.adds[place][2]),
        false => document.own[1][place] - document.own[0][place],
    };
    let changed: Vec<_> = step.documents.iter().filter(|document| adds(document).abs() >= 5e-7).collect();
    if step.documents.len() > 1 && !changed.is_empty() {
        let most = if report.is_brief() { 1 } else { MOST };
        let shown = changed
            .iter()
            .take(most)
            .map(|document| format!("{} ({})", document.id, Form::Points.show(adds(document))));
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
    blocks.extend(examples(report, step).map(Block::Grid));
    blocks
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// A text that is not too long.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// Some mentions of a step: of each kind of change and side the first, then more of them.
fn examples<'r>(report: &'r Explanation, step: &'r Step) -> Option<Grid<'r>> {
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
        let what = format!("{}{partner}", mention.change.label());
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
    Some(Grid {
        corner: format!("{} of {}", chosen.len(), plural(all.len() as u64, "mention", "mentions")).into(),
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

/// The strength of a hit as evidence.
fn chance_text(wanted: &WantedNumber, chance: &Chance, search: &Search) -> String {
    let Chance { candidates, spread: [low, high], expected } = *chance;
    let digits = usize::from(wanted.number.digits);
    let verdict = match expected {
        expected if expected < 0.05 => "a hit would hardly be chance",
        expected if expected < 0.5 => "a hit might be chance",
        _ => "a hit is weak evidence",
    };
    let tried = match search.failed {
        0 => format!("{} settings", search.tried),
        failed => format!("{} settings ({failed} cannot be scored on these files)", search.tried),
    };
    format!(
        "{}: {tried} gave {} between {low:.digits$} and {high:.digits$}. A number drawn from there would be one of \
         them with probability {expected:.3}: {verdict}.",
        wanted_name(wanted),
        plural(candidates as u64, "number", "different numbers"),
        expected = expected.min(1.0),
    )
}

/// The settings that print the wanted numbers.
fn of_search(search: &Search) -> Vec<Block<'_>> {
    let names: Vec<String> = search.wanted.iter().map(wanted_name).collect();
    let mut blocks = vec![Block::Heading(format!("Settings that print {}", names.join(", ")).into())];
    let row = |hit: &'_ Hit| -> Line<'_> {
        let number = |found: &Option<(corefeval_core::metrics::Metric, usize, Print)>| match found {
            None => Value::Blank,
            Some((metric, part, print)) => {
                let how = if *print == hit.scored.print() { "" } else { print.id() };
                let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
                Value::text(format!("{}{how}", part_name(metric, *part)))
            }
        };
        let same = match hit.same.len() {
            0 => Value::Blank,
            count => Value::Count(count as u64),
        };
        Line::row(hit.scored.name.clone(), hit.numbers.iter().map(number).chain([same]))
    };
    let mut columns: Vec<Column<'_>> =
        search.wanted.iter().map(|wanted| Column::of_text(wanted.number.text.as_str())).collect();
    columns.push(Column::new("others like it"));
    let best = search.hits.first().map_or(0, Hit::count);
    // Settings that print fewer of the numbers are of interest only if none prints all.
    let hits: Vec<&Hit> = search.hits.iter().filter(|hit| hit.count() == best).collect();
    let mut notes = Vec::new();
    if hits.is_empty() {
        notes.push("No settings print any of these numbers.".to_owned());
    } else {
        blocks.push(Block::Grid(Grid {
            corner: "Settings".into(),
            groups: vec![Group::untitled(columns)],
            lines: hits.iter().take(MOST_HITS).map(|hit| row(hit)).collect(),
        }));
        if hits.len() > MOST_HITS {
            notes.push(format!("{} more settings do so; JSON has all.", hits.len() - MOST_HITS));
        }
        if best < search.wanted.len() {
            notes.push(format!(
                "No settings print all of them: these print {best} of {}.",
                search.wanted.len()
            ));
        }
    }
    if let Some(nearest) = &search.nearest {
        let numbers = search.wanted.iter().map(|wanted| {
            let metric = wanted.metric.or_else(|| nearest.scored.results.last().map(|result| result.metric));
            let shown = metric.and_then(|metric| {
                nearest.scored.prints(
                    &metric,
                    wanted.part.unwrap_or(2),
                    nearest.scored.print(),
                    wanted.number.digits,
                )
            });
            let unit = wanted.number.unit();
            let digits = usize::from(wanted.number.digits);
            shown.map_or_else(|| "–".to_owned(), |shown| format!("{:.digits$}", shown as f64 / unit))
        });
        if search.wanted.iter().all(|wanted| wanted.metric.is_some()) {
            notes.push(format!(
                "Nearest: {} with {}.",
                nearest.scored.name,
                numbers.collect::<Vec<_>>().join(", ")
            ));
        } else {
            notes.push(format!("Nearest: {}.", nearest.scored.name));
        }
    }
    notes.extend(
        search.wanted.iter().zip(&search.chances).map(|(wanted, chance)| chance_text(wanted, chance, search)),
    );
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
    let (ours, best) = (&against.ours, &against.best);
    let total = printed.numbers.len();
    let mut blocks =
        vec![Block::Heading(format!("{} by {}, and ours", printed.source, printed.peer.label).into())];
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
    let same = ours.name == best.scored.name;
    let mut heads = vec![
        Column::new("printed"),
        Column::new(ours.name.clone()),
        Column::new(best.scored.name.clone()),
        Column::of_text(""),
    ];
    let lines: Vec<Line<'_>> =
        printed.numbers.iter().zip(&best.numbers).map(|(score, hit)| row((score, hit.is_some()))).collect();
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
    blocks.push(Block::Grid(Grid { corner: "Score".into(), groups: vec![Group::untitled(heads)], lines }));
    let hit = best.count();
    let mut notes = Vec::new();
    let text = |scored, score| against.number(scored, score).map(|number| number.text);
    let agree = printed.numbers.iter().all(|score| text(ours, score) == text(&best.scored, score));
    notes.push(match (hit == total, same) {
        (true, false) if agree => {
            format!("{} prints all {total} numbers, and so does {}.", best.scored.name, ours.name)
        }
        (true, true) => format!("{} prints all {total} numbers.", ours.name),
        (true, false) => format!("{} prints all {total} numbers; {} prints them otherwise.", best.scored.name, ours.name),
        (false, _) => format!(
            "None of {} settings prints all {total} numbers. The nearest, {}, prints {hit} of them; the rest of the \
             distance is not explained: other files, another version, or a rule that corefeval lacks.",
            against.tried, best.scored.name
        ),
    });
    if best.scored.swapped {
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
    blocks.push(Block::Notes(notes));
    if let Some(path) = against.path.as_ref().filter(|_| !same) {
        let print = printed.peer.print;
        let ends = Ends { from: (ours, print), to: (&best.scored, print) };
        blocks.extend(of_path(report, path, ends, (columns, digits)));
    }
    blocks
}

/// The names of the parts of a score in JSON.
fn part_id(part: usize) -> &'static str {
    PARTS[part]
}

/// Returns whether a change concerns this metric.
fn changes_any(change: &ExactScore) -> bool {
    !is_zero(change)
}
