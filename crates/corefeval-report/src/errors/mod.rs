//! Errors as a report: counts by system, their cost, their places, and examples.

mod data;
pub mod figures;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{self, Write};

use corefeval_core::analysis::{
    COREF_ERRORS, CommonLinks, CorefErrorKind, DocumentErrors, EntityErrors, ErrorAnalysis, ErrorCorrection,
    ErrorReport, ErrorRow, Example, ExampleWord, LinkCounts, MentionType, Outcome, OutcomeCounts,
    OutcomeTable, Step, Tree, WordsAre, WrongAntecedent,
};
use corefeval_core::metrics::Metric;
use corefeval_core::results::MetricResult;
use serde_json::Value as Json;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::block::{Block, Column, Form, Grid, Group, Line, Value};
use crate::plot::Figure;
use crate::sizes::lines_of;
use crate::{Kind, Origin, Printable, Style};

/// The largest number of rows in human-readable tables; JSON has more.
const MOST: usize = 10;

/// The title of a table of at most [`MOST`] rows, with the number of all rows if it lacks some.
fn titled<'r>(title: &'r str, all: u64) -> Cow<'r, str> {
    match all > MOST as u64 {
        true => format!("{title} (first {MOST} of {all})").into(),
        false => title.into(),
    }
}

/// The number of words of a long sentence that an example shows on either side of its subject.
const CONTEXT: usize = 12;

impl Printable for ErrorReport {
    fn kind(&self) -> Kind {
        Kind::Errors
    }

    fn origin(&self) -> Origin<'_> {
        Origin::new(&self.settings, &self.format, &self.diagnostics)
    }

    fn figures(&self) -> Vec<Figure> {
        figures::figures(self)
    }

    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let mut blocks = vec![Block::Grid(counts(self))];
        let sizes = self.systems.iter().map(|system| (system.name.as_str(), &system.sizes));
        blocks.push(Block::Notes(lines_of(&sizes.collect::<Vec<_>>(), true)));
        let scored = self.systems.iter().any(|system| !score_of(system).is_empty());
        match self.systems.as_slice() {
            [system] => blocks.extend(costs(system).into_iter().map(Block::Grid)),
            _ => {
                blocks.extend(figures::headline(self).map(|metric| Block::Grid(headline_costs(self, metric))))
            }
        }
        let notes_of_costs = notes_of_costs(self, scored);
        if !notes_of_costs.is_empty() {
            blocks.push(Block::Notes(notes_of_costs));
        }
        if let Some(common) = &self.common {
            blocks.push(Block::Grid(common_links(self, [&common.recall, &common.precision])));
        }
        for system in &self.systems {
            blocks.extend(of_system(self, system, style));
        }
        let notes = notes(self);
        if !notes.is_empty() {
            blocks.push(Block::Notes(notes));
        }
        blocks.push(Block::Signature(self.signature()));
        blocks
    }

    fn json(&self) -> Json {
        data::json(self)
    }

    fn csv(&self) -> String {
        data::csv(self)
    }

    fn write_own(&self, output: &str, to: &mut dyn Write) -> Option<io::Result<()>> {
        (output == "jsonlines").then(|| data::write_json_lines(self, to))
    }
}

fn document_id<'a>(system: &'a ErrorAnalysis, row: &ErrorRow) -> &'a str {
    system.documents.get(row.document as usize).map_or("", |document| document.id.as_str())
}

/// The number of errors of each kind in each system, with their share of the links.
fn counts(report: &ErrorReport) -> Grid<'_> {
    let of_links = shows_links(report);
    let row = |kind: CorefErrorKind| {
        let cells = report.systems.iter().flat_map(|system| {
            let links = match kind {
                CorefErrorKind::MissedLink => Some(system.recall.links),
                CorefErrorKind::WrongLink => Some(system.precision.links),
                _ => None,
            };
            let count = system.counts.of(kind);
            let share = match links {
                None => Value::Blank,
                Some(0) => Value::Undefined,
                Some(links) => Value::Number(count as f64 / links as f64, Form::Percent),
            };
            std::iter::once(Value::Count(count)).chain(of_links.then_some(share))
        });
        Line::row(kind.spec().label, cells)
    };
    let groups = report.systems.iter().map(|system| Group {
        title: system.name.as_str().into(),
        columns: std::iter::once("errors").chain(of_links.then_some("% of links")).map(Column::new).collect(),
    });
    let shown = |kind: &&CorefErrorKind| report.shows(**kind);
    let mut lines: Vec<Line<'_>> =
        CorefErrorKind::TRANSFORM.iter().filter(shown).map(|kind| row(*kind)).collect();
    let links: Vec<Line<'_>> = [CorefErrorKind::MissedLink, CorefErrorKind::WrongLink]
        .iter()
        .filter(shown)
        .map(|kind| row(*kind))
        .collect();
    if !lines.is_empty() && !links.is_empty() {
        lines.push(Line::Rule);
    }
    lines.extend(links);
    Grid { corner: "Errors".into(), groups: groups.collect(), lines }
}

/// Returns whether the report shows link errors.
fn shows_links(report: &ErrorReport) -> bool {
    report.shows(CorefErrorKind::MissedLink) || report.shows(CorefErrorKind::WrongLink)
}

/// The scores of the uncorrected response; empty if no metric was requested.
fn score_of(system: &ErrorAnalysis) -> &[MetricResult] {
    system.scored.as_deref().unwrap_or_else(|| first_copies(system))
}

/// The scores that corrections start from, with the first copy of each mention.
fn first_copies(system: &ErrorAnalysis) -> &[MetricResult] {
    system.sequence.first().map(|step| step.results.as_slice()).unwrap_or_default()
}

/// The scores of the key: the end of the sequence.
fn score_of_key(system: &ErrorAnalysis) -> &[MetricResult] {
    system.sequence.last().map(|step| step.results.as_slice()).unwrap_or_default()
}

fn f1(result: &MetricResult) -> Option<f64> {
    result.is_defined().then_some(result.score.f1)
}

fn percent<'r>(result: &MetricResult) -> Value<'r> {
    Value::number(f1(result), Form::Percent)
}

/// The gain of each metric's F1 from one step to another.
fn gains<'r>(before: Option<&Step>, after: Option<&Step>) -> Vec<Value<'r>> {
    let [before, after] = [before, after].map(|step| step.map_or(&[][..], |step| &step.results[..]));
    differences(before, after)
}

/// The difference of each metric's F1.
fn differences<'r>(before: &[MetricResult], after: &[MetricResult]) -> Vec<Value<'r>> {
    let gain = |(before, after): (&MetricResult, &MetricResult)| {
        Value::number(f1(after).zip(f1(before)).map(|(after, before)| after - before), Form::Points)
    };
    before.iter().zip(after).map(gain).collect()
}

/// The row between the scores of the response and the corrections, if a side repeats mentions.
const ONE_COPY: &str = "One copy of each mention";

/// The note that explains this row.
const NOTE_OF_COPIES: &str = "One copy of each mention: the score counts all copies of a mention that a side repeats; \
     errors other than link errors count only the first.";

/// The step from the score to the start of the sequence, if errors use different settings from scores.
const OTHER_SETTINGS: &str = "Settings of errors";

/// The note that explains this step.
const NOTE_OF_SETTINGS: &str = "Settings of errors: errors count all mentions of both sides, once each, and no split \
     antecedents; the score counts some of them differently.";

/// Returns the step from the score to the start of the sequence; `None` if the score is the start.
pub fn label_of_first_step(system: &ErrorAnalysis) -> Option<&'static str> {
    system.scored.as_ref().map(|_| if system.has_other_settings { OTHER_SETTINGS } else { ONE_COPY })
}

/// The row of the last step of the sequence, after the seven kinds.
const REST: &str = "Other extra mentions";

/// Returns the note that explains the first step, if it needs one.
pub fn note_of_first_step(system: &ErrorAnalysis) -> Option<&'static str> {
    system.scored.as_ref().map(|_| if system.has_other_settings { NOTE_OF_SETTINGS } else { NOTE_OF_COPIES })
}

/// Returns the label of a correction.
pub fn label_of_step(correction: ErrorCorrection) -> &'static str {
    correction.kind().map_or(REST, |kind| kind.spec().label)
}

/// The gains of each step of the sequence, with its correction.
fn gains_in_sequence(system: &ErrorAnalysis) -> impl Iterator<Item = (ErrorCorrection, Vec<Value<'static>>)> {
    let steps = system.sequence.iter().zip(system.sequence.iter().skip(1));
    steps.map(|(before, step)| (step.correction, gains(Some(before), Some(step))))
}

/// The gains of each kind alone. All kinds except span errors are corrected after span errors.
fn gains_alone(system: &ErrorAnalysis) -> impl Iterator<Item = (ErrorCorrection, Vec<Value<'static>>)> {
    system.alone.iter().map(|step| {
        let before = usize::from(step.correction != ErrorCorrection::Spans);
        (step.correction, gains(system.sequence.get(before), Some(step)))
    })
}

/// The gain of each kind in the F1 of every metric: in sequence and alone.
fn costs(system: &ErrorAnalysis) -> Vec<Grid<'_>> {
    let first = score_of(system);
    if first.is_empty() {
        return Vec::new();
    }
    let row = |(correction, gains): (ErrorCorrection, Vec<Value<'static>>)| {
        Line::row(label_of_step(correction), gains)
    };
    let mut sequence = vec![Line::row("response", first.iter().map(percent))];
    if let Some(label) = label_of_first_step(system) {
        sequence.push(Line::row(label, differences(first, first_copies(system))));
    }
    sequence.extend(gains_in_sequence(system).map(row));
    sequence.push(Line::Rule);
    sequence.push(Line::row("key", score_of_key(system).iter().map(percent)));
    let alone = gains_alone(system).map(row).collect();
    let grid = |corner: &'static str, lines| {
        let columns = first.iter().map(|result| Column::new(result.metric.label())).collect();
        Grid { corner: corner.into(), groups: vec![Group::untitled(columns)], lines }
    };
    vec![grid("F1, in sequence", sequence), grid("F1, alone", alone)]
}

/// The gain of each kind in the F1 of one metric, with the systems side by side.
fn headline_costs(report: &ErrorReport, metric: usize) -> Grid<'_> {
    let one = |cells: &[Value<'static>]| cells.get(metric).cloned().unwrap_or(Value::Undefined);
    let row = |name: &'static str, cells: &dyn Fn(&ErrorAnalysis) -> [Value<'static>; 2]| {
        Line::row(name, report.systems.iter().flat_map(cells))
    };
    let score =
        |results: &[MetricResult]| [results.get(metric).map_or(Value::Undefined, percent), Value::Blank];
    let mut lines = vec![row("response", &|system| score(score_of(system)))];
    // Systems have the same settings.
    if let Some(label) = report.systems.iter().find_map(label_of_first_step) {
        lines.push(row(label, &|system| match &system.scored {
            Some(scored) => [one(&differences(scored, first_copies(system))), Value::Blank],
            None => [Value::Blank, Value::Blank],
        }));
    }
    for correction in ErrorCorrection::all().1.into_iter().skip(1) {
        let of = |mut all: Box<dyn Iterator<Item = (ErrorCorrection, Vec<Value<'static>>)> + '_>| {
            let found = all.find(|(other, _)| other.kind() == correction.kind());
            found.map_or(Value::Blank, |(_, gains)| one(&gains))
        };
        lines.push(row(label_of_step(correction), &|system| {
            [of(Box::new(gains_in_sequence(system))), of(Box::new(gains_alone(system)))]
        }));
    }
    lines.push(Line::Rule);
    lines.push(row("key", &|system| score(score_of_key(system))));
    let label = report.systems.iter().flat_map(score_of).nth(metric).map(|result| result.metric.label());
    let groups = report.systems.iter().map(|system| Group {
        title: system.name.as_str().into(),
        columns: vec![Column::new("in sequence"), Column::new("alone")],
    });
    Grid { corner: format!("{} F1", label.unwrap_or_default()).into(), groups: groups.collect(), lines }
}

/// The link errors that systems share.
fn common_links<'r>(report: &'r ErrorReport, sides: [&CommonLinks; 2]) -> Grid<'r> {
    let row = |name: &'r str, count: &dyn Fn(&CommonLinks) -> u64| {
        Line::row(name, sides.map(|side| Value::Count(count(side))))
    };
    let mut lines = vec![row("by any system", &|side| side.any), row("by all systems", &|side| side.all)];
    for (place, system) in report.systems.iter().enumerate() {
        let alone = move |side: &CommonLinks| side.alone.get(place).copied().unwrap_or_default();
        lines.push(row(system.name.as_str(), &alone));
    }
    lines.insert(2, Line::Title("by one system alone".into()));
    Grid { corner: "Common link errors".into(), groups: vec![untitled(["missed", "wrong"])], lines }
}

/// Tables of link errors, groups, hardest documents and entities, and examples of one system.
fn of_system<'r>(report: &'r ErrorReport, system: &'r ErrorAnalysis, style: &Style) -> Vec<Block<'r>> {
    let mut blocks = Vec::new();
    if report.systems.len() > 1 {
        blocks.push(Block::Heading(system.name.as_str().into()));
    }
    let shows_links = shows_links(report);
    if shows_links && system.recall.total + system.precision.total > 0 {
        if system.has_types {
            blocks.push(Block::Grid(by_type(system)));
        }
        if system.has_sentences {
            blocks.push(Block::Grid(by_distance(system)));
        }
    }
    if shows_links {
        let known = system.outcomes.iter().filter(|table| system.has_types || table.by != "type");
        blocks.extend(known.map(|table| Block::Grid(outcomes(table))));
        blocks.extend(hardest_documents(system).map(Block::Grid));
        blocks.extend(hardest_entities(system, style.width).map(Block::Grid));
        blocks.extend(antecedents(system).map(Block::Grid));
    }
    for spec in COREF_ERRORS.iter().filter(|spec| report.shows(spec.kind)) {
        let examples = system.examples.iter().filter(|example| example.row.kind == spec.kind);
        let lines: Vec<Line<'_>> = examples.map(|example| example_line(system, example)).collect();
        if !lines.is_empty() {
            let groups = vec![Group::untitled(vec![Column::of_text(spec.summary)])];
            blocks.push(Block::Grid(Grid { corner: spec.label.into(), groups, lines }));
        }
    }
    // The costs of a single system are at the head of the report.
    if report.systems.len() > 1 && score_of(system).len() > 1 {
        blocks.extend(costs(system).into_iter().map(Block::Grid));
    }
    blocks
}

/// Link errors by the types of anaphor and antecedent, and by distance.
fn by_type(system: &ErrorAnalysis) -> Grid<'_> {
    let sides = [&system.recall, &system.precision];
    // Types that occur on neither side have no column.
    let antecedents: Vec<MentionType> = MentionType::ALL
        .into_iter()
        .filter(|kind| sides.iter().any(|side| side.by_type.keys().any(|types| types.1 == *kind)))
        .collect();
    let columns =
        || antecedents.iter().map(|kind| kind.id()).chain(["all"]).map(Column::new).collect::<Vec<_>>();
    let of = |counts: &LinkCounts, anaphor: MentionType, antecedent: MentionType| {
        counts.by_type.get(&(anaphor, antecedent)).copied().unwrap_or_default()
    };
    let used = |anaphor: &&MentionType| {
        sides.iter().any(|side| side.by_type.keys().any(|types| types.0 == **anaphor))
    };
    let row = |anaphor: &MentionType| {
        let cells = sides.into_iter().flat_map(|side| {
            let each: Vec<u64> =
                antecedents.iter().map(|&antecedent| of(side, *anaphor, antecedent)).collect();
            let all = each.iter().sum();
            each.into_iter().chain([all]).map(Value::Count).collect::<Vec<_>>()
        });
        Line::row(anaphor.id(), cells)
    };
    Grid {
        corner: "Anaphor".into(),
        groups: vec![
            Group { title: "missed links by antecedent".into(), columns: columns() },
            Group { title: "wrong links by antecedent".into(), columns: columns() },
        ],
        lines: MentionType::ALL.iter().filter(used).map(row).collect(),
    }
}

/// Link errors by the sentences between anaphor and antecedent, in classes.
fn by_distance(system: &ErrorAnalysis) -> Grid<'static> {
    const CLASSES: [(&str, std::ops::RangeInclusive<u32>); 6] = [
        ("0: the same sentence", 0..=0),
        ("1", 1..=1),
        ("2", 2..=2),
        ("3 to 5", 3..=5),
        ("6 to 10", 6..=10),
        ("11 or more", 11..=u32::MAX),
    ];
    let row = |(name, class): (&'static str, std::ops::RangeInclusive<u32>)| {
        let cells = [&system.recall, &system.precision].map(|side| {
            let of_class = side.by_distance.iter().filter(|(distance, _)| class.contains(distance));
            Value::Count(of_class.map(|(_, count)| count).sum())
        });
        Line::row(name, cells)
    };
    Grid {
        corner: "Sentences between".into(),
        groups: vec![untitled(["missed links", "wrong links"])],
        lines: CLASSES.into_iter().map(row).collect(),
    }
}

fn outcomes(table: &OutcomeTable) -> Grid<'_> {
    let columns = Outcome::ALL.iter().map(|outcome| outcome.id()).chain(["% correct"]);
    let row = |(group, counts): &'_ (String, OutcomeCounts)| {
        let all: u64 = counts.0.iter().sum();
        let share = counts.of(Outcome::Correct) as f64 / all.max(1) as f64;
        let cells = Outcome::ALL.map(|outcome| Value::Count(counts.of(outcome)));
        Line::row(group.clone(), cells.into_iter().chain([Value::Number(share, Form::Percent)]))
    };
    Grid {
        corner: titled(table.title, table.rows.len() as u64),
        groups: vec![untitled(columns)],
        lines: table.rows.iter().take(MOST).map(row).collect(),
    }
}

/// Columns without a title.
fn untitled<'r>(heads: impl IntoIterator<Item = &'r str>) -> Group<'r> {
    Group::untitled(heads.into_iter().map(Column::new).collect())
}

fn hardest_documents(system: &ErrorAnalysis) -> Option<Grid<'_>> {
    let links = |kind| move |document: &DocumentErrors| document.counts.of(kind);
    let (missed, wrong) = (links(CorefErrorKind::MissedLink), links(CorefErrorKind::WrongLink));
    let mut documents: Vec<_> = system.documents.iter().filter(|d| missed(d) + wrong(d) > 0).collect();
    if system.documents.len() < 2 || documents.is_empty() {
        return None;
    }
    documents.sort_by_key(|document| Reverse(missed(document) + wrong(document)));
    let row = |document: &&'_ DocumentErrors| {
        let cells = [
            Value::Count(missed(document)),
            Value::Count(document.key_links),
            Value::Count(wrong(document)),
            Value::Count(document.response_links),
            Value::Count(document.counts.transform()),
        ];
        Line::row(document.id.clone(), cells)
    };
    let lines = documents.iter().take(MOST).map(row).collect();
    let corner = titled("Hardest documents", documents.len() as u64);
    let titled = |title: &'static str, columns: [&'static str; 2]| Group {
        title: title.into(),
        columns: columns.map(Column::new).into(),
    };
    let groups = vec![
        titled("key links", ["missed", "all"]),
        titled("response links", ["wrong", "all"]),
        untitled(["seven kinds"]),
    ];
    Some(Grid { corner, groups, lines })
}

/// The key entities with the most missing links. In a terminal that is too narrow for one table, heads have two lines,
/// and texts are shortened so that the names of documents fit next to the numbers. If the texts would then be too
/// short, the names are below the numbers.
fn hardest_entities(system: &ErrorAnalysis, width: Option<usize>) -> Option<Grid<'_>> {
    /// The widths of the numbers under heads of one line and of two.
    const NUMBERS: [usize; 2] = [43, 30];
    /// The shortest text next to names of documents.
    const SHORTEST: usize = 16;
    let entities = || system.entities.iter().take(MOST);
    let document = |entity: &EntityErrors| {
        let document = system.documents.get(entity.document as usize);
        document.map_or("", |document| document.id.as_str())
    };
    let widest = |text: &dyn Fn(&EntityErrors) -> usize| entities().map(text).max().unwrap_or_default();
    let several = system.documents.len() > 1;
    let names =
        if several { 2 + widest(&|entity| document(entity).width()).max("document".len()) } else { 0 };
    let texts = widest(&|entity| entity.text.width()).min(LONGEST);
    let narrow = width.filter(|width| texts + NUMBERS[0] + names > *width);
    let longest = narrow.map_or(LONGEST, |width| {
        let alone = (width / 2).min(width.saturating_sub(NUMBERS[1]));
        let beside = width.saturating_sub(NUMBERS[1] + names);
        if beside >= SHORTEST { beside } else { alone.max(SHORTEST) }
    });
    let row = |entity: &'_ EntityErrors| {
        let cells = [Value::Count(entity.missed), Value::Count(entity.mentions), Value::Count(entity.parts)];
        let document = several.then(|| Value::text(document(entity).to_owned()));
        Line::row(shortened_to(&entity.text, longest.min(LONGEST)), cells.into_iter().chain(document))
    };
    let lines: Vec<Line<'_>> = entities().map(row).collect();
    let below = |title: &'static str, column: &'static str| Group {
        title: title.into(),
        columns: vec![Column::new(column)],
    };
    let mut groups = match narrow {
        None => vec![untitled(["missed links", "mentions", "response entities"])],
        Some(_) => vec![below("missed", "links"), untitled(["mentions"]), below("response", "entities")],
    };
    groups.extend(several.then(|| Group::untitled(vec![Column::of_text("document")])));
    (!lines.is_empty()).then(|| Grid {
        corner: titled("Hardest entities", system.entities_missed),
        groups,
        lines,
    })
}

fn antecedents(system: &ErrorAnalysis) -> Option<Grid<'_>> {
    // Unique errors are shown as examples.
    let repeated = system.antecedents.iter().filter(|row| row.errors > 1);
    let frequent: Vec<&WrongAntecedent> = repeated.take(MOST).collect();
    // Among anaphors with one link each, none is the most frequent.
    let has_anaphor = |row: &WrongAntecedent| row.with_anaphor > 1;
    let mut columns = vec![Column::new("wrong links")];
    let some = frequent.iter().any(|row| has_anaphor(row));
    columns.extend(
        some.then(|| [Column::of_text("most often from"), Column::new("times")]).into_iter().flatten(),
    );
    let line = |row: &&WrongAntecedent| {
        let mut cells = vec![Value::Count(row.errors)];
        if some {
            cells.extend(match has_anaphor(row) {
                true => [Value::Text(shortened(&row.anaphor).into()), Value::Count(row.with_anaphor)],
                false => [Value::Blank, Value::Blank],
            });
        }
        Line::row(shortened(&row.antecedent), cells)
    };
    (!frequent.is_empty()).then(|| Grid {
        corner: titled("Wrong antecedents, 2 or more times", system.antecedents_repeated),
        groups: vec![Group::untitled(columns)],
        lines: frequent.iter().map(line).collect(),
    })
}

/// The longest text in a table, in columns of a terminal.
const LONGEST: usize = 36;

/// Text that fits into a table.
fn shortened(text: &str) -> String {
    shortened_to(text, LONGEST)
}

/// Text of at most this many columns of a terminal.
fn shortened_to(text: &str, longest: usize) -> String {
    if text.width() <= longest {
        return text.to_owned();
    }
    let mut width = 1;
    let fits = |character: &char| {
        width += character.width().unwrap_or(0);
        width <= longest
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// An error in its sentence, `[[mention]]`, `{{other}}`, after the document and the number of the sentence.
fn example_line<'r>(system: &'r ErrorAnalysis, example: &Example) -> Line<'r> {
    let mut sentences: Vec<String> = example.sentences.iter().map(|words| marked(words, true)).collect();
    let heads = example.row.different_heads();
    sentences.extend(
        heads.map(|[head, right]| {
            format!("(its head is `{}`, that of the key `{}`)", short(head), short(right))
        }),
    );
    let mut place = document_id(system, &example.row).to_owned();
    if example.row.words_are == WordsAre::Words {
        place += &format!(", sentence {}", example.row.mention.sentence + 1);
    }
    Line::row(place, [Value::text(sentences.join(" … "))])
}

/// A word, shortened if it does not fit into a line.
fn short(word: &str) -> Cow<'_, str> {
    const LONGEST: usize = 60;
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) if word[end..].chars().nth(1).is_some() => format!("{}…", &word[..end]).into(),
        _ => word.into(),
    }
}

/// A mention that an example marks.
struct Mark {
    brackets: [&'static str; 2],
    /// Returns whether a word belongs to the mention.
    of: fn(&ExampleWord) -> bool,
}

impl Mark {
    fn has(&self, word: &ExampleWord) -> bool {
        (self.of)(word)
    }
}

/// The other mention and the mention of an error. If both have the same words, the other encloses the mention.
const MARKS: [Mark; 2] = [
    Mark { brackets: ["{{", "}}"], of: |word| word.in_other },
    Mark { brackets: ["[[", "]]"], of: |word| word.in_mention },
];

/// The words of a sentence with the mention in double square brackets and the other mention in double braces. Long
/// sentences are cut outside the marked parts.
fn marked(words: &[ExampleWord], cut: bool) -> String {
    let is_marked = |word: &ExampleWord| word.in_mention || word.in_other;
    let near = |place: usize| {
        let from = place.saturating_sub(CONTEXT);
        let to = (place + CONTEXT + 1).min(words.len());
        words[from..to].iter().any(is_marked)
    };
    let mut text = String::new();
    // The marks that are open, the outer one first.
    let (mut skipped, mut open) = (false, Vec::new());
    for (place, word) in words.iter().enumerate() {
        if cut && words.len() > 4 * CONTEXT && !near(place) {
            skipped = true;
            continue;
        }
        let space = |text: &mut String| {
            if !text.is_empty() {
                text.push(' ');
            }
        };
        if skipped {
            space(&mut text);
            text.push('…');
            skipped = false;
        }
        space(&mut text);
        let mut begun: Vec<usize> =
            (0..MARKS.len()).filter(|&mark| MARKS[mark].has(word) && !open.contains(&mark)).collect();
        // The longer one encloses the other.
        begun.sort_by_key(|&mark| {
            Reverse(words[place..].iter().take_while(|word| MARKS[mark].has(word)).count())
        });
        begun.iter().for_each(|&mark| text.push_str(MARKS[mark].brackets[0]));
        open.extend(begun);
        text.push_str(&if cut { short(&word.text) } else { word.text.as_str().into() });
        let ends = |mark: &usize| !words.get(place + 1).is_some_and(|next| MARKS[*mark].has(next));
        open.iter().rev().filter(|mark| ends(mark)).for_each(|&mark| text.push_str(MARKS[mark].brackets[1]));
        open.retain(|mark| !ends(mark));
    }
    if skipped {
        text.push_str(" …");
    }
    text
}

/// Sentences that explain the costs and name the metrics without costs.
fn notes_of_costs(report: &ErrorReport, scored: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if scored {
        notes.push(
            "In sequence: the gain from correcting a kind after all kinds above it. Alone: the gain from correcting it by \
             itself, when span errors are corrected."
                .to_owned(),
        );
        notes.push(format!(
            "{REST}: mentions that only the response has, each alone in its entity when all kinds are corrected; no \
             kind counts them."
        ));
    }
    notes.extend(report.systems.iter().find_map(note_of_first_step).map(str::to_owned));
    let labels = |metrics: &mut dyn Iterator<Item = &Metric>| -> String {
        metrics.map(Metric::label).collect::<Vec<_>>().join(", ")
    };
    let shown = report.systems.first().map(score_of).unwrap_or_default().iter().map(|result| &result.metric);
    let typed = labels(&mut shown.filter(|metric| metric.needs_types()));
    if !typed.is_empty() {
        notes.push(format!(
            "The last step also corrects the types of mentions, which no kind of error covers ({typed})."
        ));
    }
    if !report.without_cost.is_empty() {
        let labels = labels(&mut report.without_cost.iter());
        notes.push(format!(
            "Without a cost: {labels}. Corrections change which mentions an entity has, but not the other \
             annotation that is counted here."
        ));
    }
    notes
}

/// Sentences that explain what was analysed.
fn notes(report: &ErrorReport) -> Vec<String> {
    let links = "Links: each mention that has no correct antecedent, with";
    let mut notes: Vec<String> = Vec::new();
    notes.extend(shows_links(report).then(|| match report.tree {
        Tree::Decisions => format!(
            "{links} the antecedent that the response names (wrong links) or that of the {} tree (missed links).",
            Tree::default().id()
        ),
        tree => format!("{links} the antecedent of the {} tree.", tree.id()),
    }));
    notes.extend(report.systems.iter().find_map(unknown_note));
    notes.extend(language_note(report));
    let examples = report.systems.iter().any(|system| !system.examples.is_empty());
    notes.extend(examples.then(|| {
        "Examples: [[mention]]; {{its antecedent, the right span, or the entity it belongs to}}.".to_owned()
    }));
    notes
}

/// A sentence about the properties of mentions that are not known without a text.
fn unknown_note(system: &ErrorAnalysis) -> Option<String> {
    let unknown = match (system.has_sentences, system.has_types) {
        (true, _) => return None,
        (false, true) => "the distances between mentions are",
        (false, false) => "the types of mentions and the distances between them are",
    };
    let order = match system.has_order {
        true => "",
        false => "; the mentions of a link are in the order in which the files name them, the key first",
    };
    Some(format!("Without a text, {unknown} unknown{order}."))
}

/// Returns a sentence about the lists of words that determined types of mentions, if any did.
pub fn language_note(report: &ErrorReport) -> Option<String> {
    let (system, language) = report.systems.iter().find_map(|system| Some((system, system.language?)))?;
    let by_type = system.outcomes.iter().find(|table| table.by == "type")?;
    let has_pronouns = by_type.rows.iter().any(|row| row.0 == MentionType::Pronoun.id());
    let capitals = if language.capitals { "capital letters and " } else { "" };
    if language.pronouns.is_empty() {
        let reason = match report.language {
            Some(_) => "; no list of pronouns was used",
            None => ", since no list of pronouns fits the language of the text",
        };
        return Some(format!("Types of mentions: by capital letters{reason}."));
    }
    let pronouns = match (report.language.is_some(), has_pronouns) {
        (true, _) => "",
        (false, true) => ", the language detected",
        (false, false) => ", the default, since no pronoun of a known language was found",
    };
    Some(format!("Types of mentions: by {capitals}the list of pronouns of `{}`{pronouns}.", language.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<ExampleWord> {
        text.split(' ')
            .map(|word| ExampleWord {
                text: word.trim_start_matches(['+', '*']).to_owned(),
                in_mention: word.starts_with('+'),
                in_other: word.starts_with('*') || word.starts_with("+*"),
            })
            .collect()
    }

    #[test]
    fn mentions_are_marked_in_their_sentence() {
        assert_eq!(marked(&words("*Ada sold +her +boat"), true), "{{Ada}} sold [[her boat]]");
        assert_eq!(marked(&words("+*her +boat sank"), true), "[[{{her}} boat]] sank");
        assert_eq!(marked(&words("*the +*old +*strings"), true), "{{the [[old strings]]}}");
        assert_eq!(marked(&words("+*A +*man *of *means left"), true), "{{[[A man]] of means}} left");
        assert_eq!(marked(&words("+*It sank"), true), "{{[[It]]}} sank");
        assert_eq!(marked(&words("*a +*b +c"), true), "{{a [[b}} c]]", "neither is within the other");
    }

    #[test]
    fn text_in_tables_is_cut_by_its_width() {
        assert_eq!(shortened_to("the old ferry", 13), "the old ferry");
        assert_eq!(shortened_to("the old ferry", 12), "the old fer…");
        assert_eq!(shortened_to("渡船と島", 8), "渡船と島");
        assert_eq!(shortened_to("渡船と島", 7), "渡船と…");
        assert_eq!(shortened_to("渡船と島", 6), "渡船…");
    }

    #[test]
    fn huge_words_are_cut() {
        let word = "x".repeat(5000);
        assert_eq!(marked(&words(&format!("a +{word}")), true), format!("a [[{}…]]", "x".repeat(60)));
        assert_eq!(marked(&words(&format!("a +{word}")), false), format!("a [[{word}]]"));
    }

    #[test]
    fn long_sentences_are_cut_outside_marks() {
        let mut all = vec!["w"; 60];
        all[30] = "+it";
        let text = marked(&words(&all.join(" ")), true);
        assert!(text.starts_with("… w ") && text.ends_with(" w …"), "{text}");
        assert_eq!(text.matches("w").count(), 2 * CONTEXT);
        assert!(!marked(&words(&all.join(" ")), false).contains('…'));
    }
}
