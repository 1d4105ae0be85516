//! Numbers as other programs print them: single numbers from papers, and whole outputs of other scorers.
//!
//! The reference scorer prints a section for each metric, with counts. Coval, the Universal Anaphora scorer and
//! corefud-scorer print a line for each metric, with or without the words *Recall*, *Precision* and *F1*, or the name
//! of the metric on a separate line. [`PrintedScores::read`] reads all of them: the words before a number determine its
//! meaning. If a section has several numbers for a metric, the last one is used, because the reference scorer prints
//! the totals after the documents. A file with two different prints is an error.

use corefeval_metrics::tally::{PartNames, SCORE_PARTS};
use num_traits::ToPrimitive;

use crate::diagnostic::Position;
use crate::error::{Error, ErrorKind, Result};
use crate::exact::Exact;
use crate::metrics::Metric;
use crate::profiles::Print;
use crate::wording::{quoted, text};

/// A percentage with a fixed number of decimals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedNumber {
    /// The text as printed.
    pub text: String,
    /// Its digits without the point.
    pub scaled: i64,
    /// The number of decimals.
    pub digits: u8,
}

impl PrintedNumber {
    /// Reads `62.03`, `62.03%`, or the fraction `0.6203`.
    pub fn parse(text: &str) -> Option<PrintedNumber> {
        let trimmed = text.trim();
        let (plain, percent) = match trimmed.strip_suffix('%') {
            Some(plain) => (plain.trim_end(), true),
            None => (trimmed, false),
        };
        let (whole, decimals) = plain.split_once('.').unwrap_or((plain, ""));
        let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        if whole.is_empty()
            || !is_number(whole)
            || !is_number(decimals)
            || decimals.len() > 12
            || whole.len() > 3
        {
            return None;
        }
        let digits = decimals.len() as u8;
        let scaled: i64 = format!("{whole}{decimals}").parse().ok()?;
        let one = 10_i64.pow(u32::from(digits));
        // A fraction of one has at least three decimals: 0.62 may be a very low percentage.
        let number = match !percent && digits > 2 && scaled <= one {
            true => PrintedNumber { text: trimmed.to_owned(), scaled, digits: digits - 2 },
            false => PrintedNumber { text: trimmed.to_owned(), scaled, digits },
        };
        (number.scaled <= 100 * 10_i64.pow(u32::from(number.digits))).then_some(number)
    }

    /// Returns the percentage.
    pub fn percent(&self) -> f64 {
        self.scaled as f64 / self.unit()
    }

    /// Returns the number of steps of the last decimal in one percent.
    pub fn unit(&self) -> f64 {
        10_f64.powi(i32::from(self.digits))
    }
}

/// Returns the digits of a score as a percentage with a fixed number of decimals, without the point.
pub fn shown(score: f64, exact: &Exact, print: Print, digits: u8) -> i64 {
    match print {
        Print::Rounded => {
            let text = format!("{:.*}", usize::from(digits), 100.0 * score);
            text.replace('.', "").parse().unwrap_or(i64::MIN)
        }
        Print::Cut => {
            let scale = Exact::from_integer(10_i64.pow(u32::from(digits) + 2).into());
            (exact * scale).floor().to_integer().to_i64().unwrap_or(i64::MIN)
        }
    }
}

/// The hint for a value that is not a number to search for.
const EXAMPLES: &str =
    "write a percentage as it was printed, for example 62.03, conll=62.03 or muc.recall=70.1";

/// A number to search for, with the metric if known.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedNumber {
    /// The metric.
    pub metric: Option<Metric>,
    /// Recall, precision or F1; any of them without a metric.
    pub part: Option<usize>,
    /// The number.
    pub number: PrintedNumber,
}

impl WantedNumber {
    /// Reads `62.03`, `conll=62.03` or `muc.recall=70.1`.
    ///
    /// # Errors
    ///
    /// The number is not a percentage from 0 to 100; the metric does not exist, or has no such part.
    pub fn parse(text: &str) -> Result<WantedNumber> {
        let wrong = |what: &str| {
            let error = Error::new(ErrorKind::Settings, text!("{} is {}", quoted(text), what));
            error.hint(EXAMPLES)
        };
        let (name, number) = match text.rsplit_once('=') {
            Some((name, number)) => (Some(name), number),
            None => (None, text),
        };
        let number =
            PrintedNumber::parse(number).ok_or_else(|| wrong("not a percentage between 0 and 100"))?;
        let Some(name) = name else { return Ok(WantedNumber { metric: None, part: None, number }) };
        let (name, part) = match name.rsplit_once('.') {
            Some((name, part)) => {
                let part = part.trim().to_lowercase();
                let place = SCORE_PARTS.iter().position(|row| !part.is_empty() && row.id.starts_with(&part));
                (name, Some(place.ok_or_else(|| wrong("neither recall, precision nor f1 of a metric"))?))
            }
            None => (name, None),
        };
        let metric = Metric::parse(name)?;
        if part.is_some_and(|part| part < 2) && metric.is_mean() {
            let what = format!("not a score of {}, which has only an F1", metric.label());
            return Err(wrong(&what));
        }
        Ok(WantedNumber { metric: Some(metric), part: part.or(Some(2)), number })
    }

    /// Reads numbers joined by commas.
    ///
    /// # Errors
    ///
    /// The list is empty, an item is not a number, or a comma may be a decimal comma (`62,03`).
    pub fn list(text: &str) -> Result<Vec<WantedNumber>> {
        let is_whole = |item: &str| !item.is_empty() && item.bytes().all(|byte| byte.is_ascii_digit());
        let items: Vec<&str> = text.split(',').map(str::trim).collect();
        for pair in items.windows(2) {
            let number = pair[0].rsplit('=').next().unwrap_or_default().trim();
            if is_whole(number) && is_whole(pair[1]) && pair[1].len() <= 2 {
                let message = text!("{} may be one number or two", quoted(pair.join(",")));
                let one = format!("write decimals with a point: {number}.{}", pair[1]);
                let two = format!("name the metrics of whole numbers: conll={number},muc={}", pair[1]);
                return Err(Error::new(ErrorKind::Settings, message).hint(format!("{one}; {two}")));
            }
        }
        if items.iter().all(|item| item.is_empty()) {
            let error = Error::new(ErrorKind::Settings, "no number to search for");
            return Err(error.hint(EXAMPLES));
        }
        items.into_iter().filter(|item| !item.is_empty()).map(WantedNumber::parse).collect()
    }
}

/// A scorer whose output is read.
#[derive(Debug, PartialEq, Eq)]
pub struct Peer {
    /// The name, as in JSON.
    pub id: &'static str,
    /// The name in texts.
    pub label: &'static str,
    /// The profiles that may reproduce it, the likeliest first.
    pub profiles: &'static [&'static str],
    /// Its format of percentages.
    pub print: Print,
    /// Words that only its output has, in lower case.
    marks: &'static [&'static str],
    /// True if it prints the name of a metric on a separate line, before the line with the scores.
    name_alone: bool,
    /// The format that it reads.
    format: &'static str,
}

/// The scorers whose output can be read. All but the first print similar output; if no mark decides, the key's format
/// and the layout do.
pub static PEERS: &[Peer] = &[
    Peer {
        id: "reference",
        label: "the CoNLL reference scorer",
        profiles: &["conll"],
        print: Print::Cut,
        marks: &["metric ", "coreference: recall", "identification of mentions", " / "],
        name_alone: false,
        format: "",
    },
    Peer {
        id: "ua-scorer",
        label: "the Universal Anaphora scorer",
        profiles: &["ua", "codi-crac-2022-anaphora", "ua-corefud", "codi-crac-2022-deixis"],
        print: Print::Rounded,
        marks: &[
            "match evaluation setting", "corferent markables", "non-referring", "bridging",
            "split antecedent", "split-antecedent",
        ],
        name_alone: true,
        format: "conll-ua",
    },
    Peer {
        id: "corefud-scorer",
        label: "corefud-scorer",
        profiles: &["corefud", "crac-2023", "crac-2022", "ua-corefud"],
        print: Print::Rounded,
        // The Universal Anaphora scorer, which precedes it in this list, prints `corferent markables` or its setting.
        marks: &[
            "coreferent markables",
            "evaluating coreference including",
            "evaluating coreference excluding",
            "mor ",
            "mor\n",
            "mor\t",
            "zero ",
            "zero\n",
            "zero\t",
        ],
        name_alone: true,
        format: "corefud",
    },
    Peer {
        id: "coval",
        label: "coval",
        profiles: &["coval"],
        print: Print::Rounded,
        marks: &[],
        name_alone: false,
        format: "conll",
    },
];

impl Peer {
    /// Returns the scorer that printed a text about files in this format. If only the layout decides, also returns the
    /// other candidates.
    fn of(text: &str, format: &str) -> (&'static Peer, Vec<&'static Peer>) {
        let text = text.to_lowercase();
        let marked = PEERS.iter().find(|peer| peer.marks.iter().any(|mark| text.contains(mark)));
        if let Some(peer) = marked {
            return (peer, Vec::new());
        }
        let by_format = PEERS.iter().find(|peer| peer.format == format).unwrap_or(&PEERS[PEERS.len() - 1]);
        if !text.lines().any(|line| line.trim_start().starts_with("recall:")) {
            return (by_format, Vec::new());
        }
        let mut alike: Vec<&Peer> = PEERS.iter().filter(|peer| peer.name_alone).collect();
        alike.sort_by_key(|peer| peer.format != format);
        (alike[0], alike.split_off(1))
    }
}

/// A number in a scorer's output.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedScore {
    /// The metric.
    pub metric: Metric,
    /// Recall, precision or F1.
    pub part: usize,
    /// The number.
    pub number: PrintedNumber,
    /// Its line, from 1.
    pub line: u32,
}

/// The output of another scorer.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedScores {
    /// Its place in the text.
    pub source: String,
    /// The scorer that seems to have printed it.
    pub peer: &'static Peer,
    /// Other scorers with the same layout, if the text does not name the scorer.
    pub alike: Vec<&'static Peer>,
    /// The numbers, in the order of the output.
    pub numbers: Vec<PrintedScore>,
}

/// Names of metrics that other scorers print differently.
const NAMES: &[(&str, &str)] = &[
    ("identification of mentions", "mentions"),
    ("mention", "mentions"),
    ("mor", "mention_overlap"),
    ("zero", "zero_anaphora"),
    ("als_zeros", "zero_anaphora"),
    ("conll score", "conll"),
    ("average", "conll"),
    ("bridging anaphora recognition scores", "bridging:level=anaphor"),
    ("full bridging scores markable level", "bridging:level=mention"),
    ("full bridging scores entity level", "bridging"),
];

/// Returns the metric that an output calls by this name.
fn metric_called(name: &str) -> Option<Metric> {
    let name = name.trim().trim_end_matches(':').trim().to_lowercase();
    if name.starts_with("non-referring") {
        return Metric::parse("non_referring").ok();
    }
    let known = NAMES.iter().find(|row| row.0 == name);
    Metric::parse(known.map_or(name.as_str(), |row| row.1)).ok()
}

/// Returns a line without its counts in parentheses.
fn without_counts(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut depth = 0_u32;
    for character in line.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(character),
            _ => {}
        }
    }
    text
}

/// Returns a line with decimal commas replaced by points: `89,78`, but not the commas of `89.78,91.28` and `100,91.28`.
fn with_points(line: &str) -> String {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let digits_at_end = |text: &str| text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let mut text = String::with_capacity(line.len());
    for (place, character) in line.char_indices() {
        let (before, after) = (&text[..], &line[place + character.len_utf8()..]);
        let (left, right) = (digits_at_end(before), digits(after));
        let is_decimal = character == ','
            && left > 0
            && right > 0
            && !before[..before.len() - left].ends_with('.')
            && !after[right..].starts_with('.');
        text.push(if is_decimal { '.' } else { character });
    }
    text
}

/// Returns the numbers of a line, in order.
fn numbers_in(text: &str) -> Vec<PrintedNumber> {
    let words =
        text.split(|character: char| character.is_whitespace() || matches!(character, ',' | '|' | ':'));
    words
        .filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .filter_map(PrintedNumber::parse)
        .collect()
}

/// Returns the start of a line, which may name a metric. `has_words` if the line has the words recall and precision.
fn head_of(line: &str, has_words: bool) -> &str {
    let ends = line.find("recall").filter(|_| has_words);
    let first_digit = line.find(|character: char| character.is_ascii_digit() && !line.starts_with(character));
    // A name may contain digits, such as `b3`.
    let head = match (ends, first_digit) {
        (Some(end), _) => &line[..end],
        (None, Some(_)) => line.split_whitespace().next().unwrap_or_default(),
        (None, None) => line,
    };
    if line.starts_with("conll score") { "conll score" } else { head.trim() }
}

/// Returns the numbers of a line with the parts of the score that they are: those after the words, or all in order.
fn by_part(
    line: &str,
    has_words: bool,
    metric: Metric,
    found: Vec<PrintedNumber>,
) -> Option<Vec<(usize, PrintedNumber)>> {
    match (has_words, found.len()) {
        (true, _) => {
            let of = |(part, word): (usize, &PartNames)| Some((part, number_after(line, word.id)?));
            Some(SCORE_PARTS.iter().enumerate().filter_map(of).collect())
        }
        (false, 1) if metric.is_mean() => Some((2..3).zip(found).collect()),
        (false, 3) => Some((0..).zip(found).collect()),
        _ => None,
    }
}

/// Returns the first number after a word, in lower case.
fn number_after(line: &str, word: &str) -> Option<PrintedNumber> {
    let rest = &line[line.find(word)? + word.len()..];
    numbers_in(rest).into_iter().next()
}

/// The prints in a text, each with every metric at most once.
#[derive(Default)]
struct Prints {
    all: Vec<OnePrint>,
    /// The line of the first scores of all.
    first: Option<u32>,
    /// The line of the last scores so far.
    last: u32,
}

/// One print of a scorer.
#[derive(Default)]
struct OnePrint {
    /// The line that names its first metric.
    line: u32,
    /// The last line with scores before it, from 1.
    after: u32,
    /// The metrics named so far.
    named: Vec<Metric>,
    numbers: Vec<PrintedScore>,
}

impl Prints {
    /// Starts the scores of a metric, in a new print if the current one already has the metric.
    fn begin(&mut self, metric: Metric, line: u32) {
        if self.all.last().is_none_or(|print| print.named.contains(&metric)) {
            self.all.push(OnePrint { line, after: self.last, ..OnePrint::default() });
        }
        if let Some(print) = self.all.last_mut() {
            print.named.push(metric);
        }
    }

    /// Adds a number to the current print.
    fn add(&mut self, score: PrintedScore) {
        self.last = score.line;
        self.first.get_or_insert(score.line);
        if let Some(print) = self.all.last_mut() {
            add_score(&mut print.numbers, score);
        }
    }

    /// Returns the numbers of all prints, or the line where a different print starts. A print starts at the repeated
    /// metric, or at an earlier line that the first print contains too.
    fn joined(self, text: &str) -> std::result::Result<Vec<PrintedScore>, u32> {
        let mut numbers: Vec<PrintedScore> = Vec::new();
        for print in self.all {
            let differs = |score: &PrintedScore| {
                let is_same_score =
                    |other: &&PrintedScore| other.metric == score.metric && other.part == score.part;
                numbers.iter().find(is_same_score).is_some_and(|other| {
                    let value = |number: &PrintedNumber| (number.scaled, number.digits);
                    value(&other.number) != value(&score.number)
                })
            };
            if print.numbers.iter().any(differs) {
                let head: Vec<&str> = text.lines().take(self.first.unwrap_or(1) as usize - 1).collect();
                let is_head = |line: &str| line.contains(char::is_alphabetic) && head.contains(&line);
                let mut lines = (1_u32..).zip(text.lines()).skip(print.after as usize);
                let first = lines.find(|(_, line)| is_head(line)).map_or(print.line, |found| found.0);
                return Err(first.min(print.line));
            }
            print.numbers.into_iter().for_each(|score| add_score(&mut numbers, score));
        }
        Ok(numbers)
    }
}

/// Adds a number, or replaces the number of the same score.
fn add_score(numbers: &mut Vec<PrintedScore>, score: PrintedScore) {
    match numbers.iter_mut().find(|other| other.metric == score.metric && other.part == score.part) {
        Some(earlier) => *earlier = score,
        None => numbers.push(score),
    }
}

impl PrintedScores {
    /// Reads the output of a scorer. The key's `format` distinguishes scorers with the same output.
    ///
    /// # Errors
    ///
    /// The text has no score of any metric, or contains several prints with different scores.
    pub fn read(text: &str, source: &str, format: &str) -> Result<PrintedScores> {
        let (peer, alike) = Peer::of(text, format);
        let mut prints = Prints::default();
        let mut current: Option<Metric> = None;
        // True if the reference scorer's headings name the metrics.
        let mut in_sections = false;
        for (line_number, raw) in (1_u32..).zip(text.lines()) {
            // Parentheses contain the levels of bridging, but also counts.
            let line =
                raw.replace("(Markable Level)", "markable level").replace("(Entity Level)", "entity level");
            let line = with_points(&without_counts(&line).to_lowercase());
            let mut line = line.trim();
            if let Some(rest) = line.strip_prefix("metric ") {
                let (name, rest) = rest.split_once(':').unwrap_or((rest, ""));
                current = metric_called(name);
                in_sections = true;
                current.into_iter().for_each(|metric| prints.begin(metric, line_number));
                line = rest.trim();
            }
            let has_words = line.contains("recall") && line.contains("precision");
            let head = head_of(line, has_words);
            let found = numbers_in(line.strip_prefix(head).unwrap_or(line));
            if found.is_empty() {
                if !head.is_empty() && !has_words {
                    // A heading of other scores ends the current scores.
                    let ends = head.ends_with("scores:");
                    current = metric_called(head).or(current.filter(|_| !ends));
                }
                continue;
            }
            let metric = match head.trim_end_matches(':').trim() {
                "" | "coreference" => current,
                named => metric_called(named),
            };
            let Some(metric) = metric else { continue };
            let Some(values) = by_part(line, has_words, metric, found) else { continue };
            let is_of_section = current == Some(metric) || head.starts_with("identification");
            if !(in_sections && is_of_section) {
                prints.begin(metric, line_number);
            }
            for (part, mut number) in values {
                if peer.print == Print::Cut && number.digits < 2 {
                    // The reference scorer prints 74.2 for 74.20.
                    number.scaled *= 10_i64.pow(2 - u32::from(number.digits));
                    number.digits = 2;
                }
                prints.add(PrintedScore { metric, part, number, line: line_number });
            }
        }
        let numbers = prints.joined(text).map_err(|line| {
            let error = Error::new(ErrorKind::Format, "a second output with different scores starts here");
            error
                .at(Position::new(&source.into(), line, 0))
                .hint("put each print into a separate file, and give the one to explain")
        })?;
        if numbers.is_empty() {
            let error = Error::new(ErrorKind::Format, "this output of a scorer has no scores");
            return Err(error.at(Position::new(&source.into(), 0, 0)).hint(
                "give the output of the reference scorer, coval, corefud-scorer or the Universal Anaphora scorer: \
                 lines with the name of a metric, recall, precision and F1",
            ));
        }
        Ok(PrintedScores { source: source.to_owned(), peer, alike, numbers })
    }

    /// Returns the scorers that may have printed it, the likeliest first.
    pub fn peers(&self) -> impl Iterator<Item = &'static Peer> {
        std::iter::once(self.peer).chain(self.alike.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let printed = PrintedScores::read(text, "x.txt", "conll").unwrap();
        let number = |score: &PrintedScore| {
            format!("{}.{}={}", score.metric, &SCORE_PARTS[score.part].id[..1], score.number.text)
        };
        std::iter::once(printed.peer.id.to_owned()).chain(printed.numbers.iter().map(number)).collect()
    }

    #[test]
    fn prints_of_all_scorers_are_read() {
        let reference = "METRIC muc:\n\n====== TOTALS =======\n\
            Identification of Mentions: Recall: (4 / 5) 80%\tPrecision: (4 / 6) 66.66%\tF1: 72.72%\n\
            Coreference: Recall: (1 / 3) 33.33%\tPrecision: (1 / 2) 50%\tF1: 40%\n\
            METRIC blanc:\nCoreference links: Recall: (1 / 3) 33.33%\tPrecision: (1 / 3) 33.33%\tF1: 33.33%\n\
            BLANC: Recall: (0.5 / 1) 50.5%\tPrecision: (0.5 / 1) 50.5%\tF1: 50.5%\n";
        let found = read(reference);
        let expected = [
            "reference", "mentions.r=80%", "mentions.p=66.66%", "mentions.f=72.72%", "muc.r=33.33%",
            "muc.p=50%", "muc.f=40%", "blanc.r=50.5%", "blanc.p=50.5%", "blanc.f=50.5%",
        ];
        assert_eq!(found, expected);
        let coval = "muc        Recall: 70.00  Precision: 77.78  F1: 73.68\n\
            bcub       Recall: 60.00  Precision: 80.21  F1: 68.65\nCoNLL score: 71.01\n";
        assert_eq!(
            read(coval),
            [
                "coval", "muc.r=70.00", "muc.p=77.78", "muc.f=73.68", "b_cubed.r=60.00", "b_cubed.p=80.21",
                "b_cubed.f=68.65", "conll.f=71.01"
            ]
        );
        let table = "             recall  precision         F1\nceafe         60.09      85.84      70.70\n\
            lea 55.00 75.00 63.46\nCoNLL score:  71.01\n";
        assert_eq!(
            read(table),
            [
                "coval", "ceaf_e.r=60.09", "ceaf_e.p=85.84", "ceaf_e.f=70.70", "lea.r=55.00", "lea.p=75.00",
                "lea.f=63.46", "conll.f=71.01"
            ]
        );
        let ua = "muc\nRecall: 1.00  Precision: 2.00  F1: 3.00\nNon-referring markable identification scores:\n\
            Recall: 4.00  Precision: 5.00  F1: 6.00\nBridging anaphora recognition scores:\n\
            Recall: 7.00  Precision: 8.00  F1: 9.00\nFull bridging scores (Entity Level):\n\
            Recall: 10.00  Precision: 11.00  F1: 12.00\nOther scores:\n\
            Recall: 13.00  Precision: 14.00  F1: 15.00\n";
        assert_eq!(
            read(ua),
            [
                "ua-scorer",
                "muc.r=1.00",
                "muc.p=2.00",
                "muc.f=3.00",
                "non_referring.r=4.00",
                "non_referring.p=5.00",
                "non_referring.f=6.00",
                "bridging:level=anaphor.r=7.00",
                "bridging:level=anaphor.p=8.00",
                "bridging:level=anaphor.f=9.00",
                "bridging.r=10.00",
                "bridging.p=11.00",
                "bridging.f=12.00"
            ]
        );
        assert!(PrintedScores::read("nothing\n12\n", "x", "conll").is_err());
    }

    #[test]
    fn two_outputs_are_refused_at_the_start_of_the_second() {
        let reference = |f1: &str| {
            format!(
                "version: 8.01\n\nMETRIC muc:\nd1:\nCoreference: Recall: (1 / 2) 50%\tPrecision: (1 / 2) 50%\tF1: 50%\n\
                 ====== TOTALS =======\nIdentification of Mentions: Recall: (4 / 5) 80%\tPrecision: (4 / 5) 80%\tF1: 80%\n\
                 Coreference: Recall: (1 / 2) 50%\tPrecision: (1 / 2) 50%\tF1: {f1}%\n\nMETRIC bcub:\n\
                 Identification of Mentions: Recall: (4 / 5) 80%\tPrecision: (4 / 5) 80%\tF1: 80%\n\
                 Coreference: Recall: (1 / 2) 50%\tPrecision: (1 / 2) 50%\tF1: 50%\n"
            )
        };
        let coval = |f1: &str| {
            format!(
                "muc  Recall: 70.00  Precision: 77.78  F1: {f1}\nlea Recall: 1.00 Precision: 1.00 F1: 1.00\n"
            )
        };
        let table =
            |f1: &str| format!("      recall  precision  F1\nmuc  70.00  77.78  {f1}\nCoNLL score: 71.01\n");
        let ua = |f1: &str| {
            format!(
                "The scorer is evaluating coreferent markables\nmuc\nRecall: 1.00  Precision: 2.00  F1: {f1}\n"
            )
        };
        let of = |text: &str| PrintedScores::read(text, "x.txt", "conll").map(|read| read.numbers.len());
        for (print, numbers, line) in
            [(&reference as &dyn Fn(&str) -> String, 9, 13), (&coval, 6, 3), (&table, 4, 4), (&ua, 3, 4)]
        {
            let (one, other) = (print("73.68"), print("73.69"));
            assert_eq!(of(&one).unwrap(), numbers, "{one}");
            assert_eq!(of(&format!("{one}{one}")).unwrap(), numbers, "{one}");
            let error = of(&format!("{one}{other}")).unwrap_err();
            assert_eq!(error.message(), "a second output with different scores starts here");
            assert_eq!(error.position().map(|place| place.line), Some(line), "{one}");
            // Other text between the prints belongs to neither.
            let error = of(&format!("{one}Done.\n{other}")).unwrap_err();
            assert_eq!(error.position().map(|place| place.line), Some(line + 1), "{one}");
        }
        // One metric at a time, then prints of different scorers.
        assert_eq!(of("muc 70.00 77.78 73.68\nbcub 70.00 77.78 73.68\n").unwrap(), 6);
        let error = of(&(reference("50") + &coval("73.68"))).unwrap_err();
        assert_eq!(error.position().map(|place| place.line), Some(13));
    }

    /// The first lines of the scorers name the evaluated annotation, each in different words; coval has no such line.
    /// Without it, two scorers have the same layout.
    #[test]
    fn scorers_are_recognised_by_their_first_lines() {
        let scores = "muc\nRecall: 1.00  Precision: 2.00  F1: 3.00\n";
        for (line, format, peer) in [
            ("", "conll", "ua-scorer or corefud-scorer"),
            ("", "corefud", "corefud-scorer or ua-scorer"),
            ("", "conll-ua", "ua-scorer or corefud-scorer"),
            ("The scorer is evaluating  coreferent markables, singletons\n", "corefud", "corefud-scorer"),
            ("The scorer is evaluating  coreferent markables\n", "conll", "corefud-scorer"),
            ("The scorer is evaluating  coreferent markables\n", "conll-ua", "corefud-scorer"),
            (
                "The scorer is evaluating coreference excluding singletons, with partial matching of mentions using the \
                 following metrics: lea, muc.\n",
                "conll",
                "corefud-scorer",
            ),
            (
                "The scorer is evaluating  corferent markables, singletons, split-antecedents \n",
                "conll",
                "ua-scorer",
            ),
            (
                "The scorer is evaluating coreferent markables, zeros (using linear match method) using partial match \
                 evaluation setting with default method.\n\nThe following metrics will be evaluated: muc, mor, zero\n",
                "corefud",
                "ua-scorer",
            ),
        ] {
            let read = PrintedScores::read(&format!("{line}{scores}"), "x", format).unwrap();
            let peers: Vec<&str> = read.peers().map(|peer| peer.id).collect();
            assert_eq!(peers.join(" or "), peer, "{line}");
            assert_eq!(read.numbers.len(), 3, "{line}");
        }
    }

    #[test]
    fn decimal_commas_are_points() {
        for (line, wanted) in [
            ("muc Recall: 88,31  Precision: 94,4", "muc Recall: 88.31  Precision: 94.4"),
            ("88.31,94.44,91.28", "88.31,94.44,91.28"),
            ("100,94.44", "100,94.44"),
            ("conll, 62,", "conll, 62,"),
        ] {
            assert_eq!(with_points(line), wanted);
        }
        let print = "muc        Recall: 88,31  Precision: 94,44  F1: 91,28\n";
        let read = |text: &str| PrintedScores::read(text, "print", "conll").unwrap().numbers;
        let scaled = |text: &str| read(text).iter().map(|score| score.number.scaled).collect::<Vec<_>>();
        assert_eq!(scaled(print), [8831, 9444, 9128]);
    }

    #[test]
    fn numbers_are_read_as_printed() {
        let of = |text: &str| PrintedNumber::parse(text).map(|number| (number.scaled, number.digits));
        assert_eq!(of("62.03"), Some((6203, 2)));
        assert_eq!(of("0.6203"), Some((6203, 2)));
        assert_eq!(of("0.62"), Some((62, 2)));
        assert_eq!(of("62.03 %"), Some((6203, 2)));
        assert_eq!(of("100"), Some((100, 0)));
        assert!(["", "x", "-1", "101", "1e2", "1.2.3", "100.01"].into_iter().all(|text| of(text).is_none()));
        let wanted = WantedNumber::list("62.03, muc.recall=70.1,conll=1").unwrap();
        assert_eq!(wanted.iter().map(|wanted| wanted.part).collect::<Vec<_>>(), [None, Some(0), Some(2)]);
        assert!(
            ["muc.x=1", "mucc=1", "muc=101", "="].into_iter().all(|text| WantedNumber::list(text).is_err())
        );
        assert_eq!(WantedNumber::parse("conll.f1=1").unwrap().part, Some(2));
        for text in ["62,03", "conll=62,03", "70.1,62,3"] {
            let error = WantedNumber::list(text).unwrap_err();
            assert!(error.message().contains("one number or two"), "{error}");
        }
        for text in ["", " ", ","] {
            let error = WantedNumber::list(text).unwrap_err();
            assert_eq!(error.message(), "no number to search for");
            assert!(error.remedy().is_some_and(|remedy| remedy.contains("conll=62.03")));
        }
        for text in ["62,70.1", "conll=62,muc=70", "62, 100", "62,"] {
            assert!(WantedNumber::list(text).is_ok(), "{text}");
        }
        let alone = WantedNumber::parse("conll.recall=62.03").unwrap_err();
        assert_eq!(alone.message(), "`conll.recall=62.03` is not a score of CoNLL, which has only an F1");
        let third = Exact::new(2.into(), 3.into());
        assert_eq!(shown(2.0 / 3.0, &third, Print::Cut, 2), 6666);
        assert_eq!(shown(2.0 / 3.0, &third, Print::Rounded, 2), 6667);
    }
}
