//! Documents with the mentions of key and response in one text, in brackets that are distinct without colours.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use corefeval_core::analysis::{
    COPY, DocumentView, MentionView, ResponseView, SINGLE, SideView, WordsAre, zero,
};
use corefeval_core::evaluation::DocumentViews;
use corefeval_core::formats::report_columns;
use serde_json::{Map, Value as Json, json};

use crate::block::{Block, BracketMark, Passage, Piece};
use crate::csv::Table;
use crate::json::finding;
use crate::sizes::counted;
use crate::{Kind, Printable, Style, terminal};

/// The brackets of mentions: of both sides, only of the key, only of the response.
const BRACKETS: [[&str; 2]; 3] = [["[", "]"], ["<", ">"], ["{", "}"]];

/// The meaning of the brackets.
const LEGEND: [&str; 7] = [
    "[1 …]       in both, the same entity",
    "[1/a …]     in both, entity 1 of the key and entity a of the response",
    "<1 …>       only in the key: missing",
    "{a …}       only in the response: extra",
    "[1+ …]      a part of a mention with gaps",
    "{=1 …}      the words that the response has for [1 …], if they differ",
    "[single …]  the only mention of its entity; only larger entities have numbers and letters",
];

impl Printable for DocumentViews {
    fn kind(&self) -> Kind {
        Kind::Documents
    }

    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        self.views.iter().flat_map(|view| blocks(view, &self.systems)).collect()
    }

    /// Words, and the mentions of each side: first and last word of each part from 0, entity, head.
    fn json(&self) -> Json {
        let side = |side: &SideView| -> Vec<Json> {
            let mentions = side.mentions.iter().map(|mention| {
                let spans: Vec<[u32; 2]> =
                    mention.spans.iter().map(|&[start, end]| [start, end - 1]).collect();
                json!({
                    "spans": spans,
                    "entity": side.entities[mention.entity as usize].name,
                    "type": mention.mention_type.id(),
                    "head": mention.head,
                    "ignored": mention.ignored,
                })
            });
            mentions.collect()
        };
        let documents = self.views.iter().map(|view| {
            let responses = self.systems.iter().zip(&view.responses).map(|(system, response)| {
                json!({
                    "name": system,
                    "mentions": response.as_ref().map(|response| side(&response.side)),
                    "matches": response.as_ref().map(|response| &response.matches),
                })
            });
            let zeros = view.zeros.iter().map(|zero| zero.word);
            json!({
                "id": view.id,
                "words": view.words,
                "sentences": view.sentences,
                "zeros": zeros.collect::<Vec<_>>(),
                "key": side(&view.key),
                "systems": responses.collect::<Vec<_>>(),
            })
        });
        json!({
            "corefeval": corefeval_core::VERSION,
            "warnings": self.diagnostics.groups().iter().map(finding).collect::<Vec<_>>(),
            "documents": documents.collect::<Vec<_>>(),
        })
    }

    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::DOCUMENTS);
        for_each_row(self, |cells| {
            for cell in cells {
                match cell {
                    ColumnValue::None => table.blanks(1),
                    ColumnValue::Text(text) => table.text(&text),
                    ColumnValue::Number(number) => table.number(number),
                }
            }
            table.end_row();
            Ok(())
        })
        .expect("a table in memory can be written");
        table.finish()
    }

    fn write_own(&self, output: &str, to: &mut dyn Write) -> Option<io::Result<()>> {
        let write = |cells: [ColumnValue<'_>; COLUMNS]| {
            let value = |cell: ColumnValue<'_>| match cell {
                ColumnValue::None => Json::Null,
                ColumnValue::Text(text) => json!(text),
                ColumnValue::Number(number) => json!(number),
            };
            let members = report_columns::DOCUMENTS.iter().zip(cells);
            let row: Map<_, _> = members.map(|(column, cell)| ((*column).to_owned(), value(cell))).collect();
            writeln!(to, "{}", Json::Object(row))
        };
        (output == "jsonlines").then(|| for_each_row(self, write))
    }
}

/// The number of columns of the table of mentions.
const COLUMNS: usize = report_columns::DOCUMENTS.len();

/// The value of a mention in a column.
enum ColumnValue<'v> {
    None,
    Text(Cow<'v, str>),
    Number(u32),
}

/// Passes on a row for each mention of the key, with its entity and its words in the response, and for each mention of
/// the response alone.
fn for_each_row<'v>(
    views: &'v DocumentViews,
    mut take: impl FnMut([ColumnValue<'v>; COLUMNS]) -> io::Result<()>,
) -> io::Result<()> {
    for view in &views.views {
        let zeros = zeros(view);
        for (system, response) in views.systems.iter().zip(&view.responses) {
            let side = response.as_ref().map(|response| &response.side);
            let mentions = side.map_or(&[][..], |side| &side.mentions);
            let mut partner = vec![None; view.key.mentions.len()];
            let mut found = vec![false; mentions.len()];
            for &[ours, theirs] in response.iter().flat_map(|response| &response.matches) {
                partner[ours as usize] = Some(&mentions[theirs as usize]);
                found[theirs as usize] = true;
            }
            let of_key =
                view.key.mentions.iter().zip(partner).map(|(mention, partner)| (Some(mention), partner));
            let extra = mentions.iter().zip(found).filter(|(_, found)| !found);
            for (ours, theirs) in of_key.chain(extra.map(|(mention, _)| (None, Some(mention)))) {
                let Some(mention) = ours.or(theirs).filter(|mention| mention.ignored.is_none()) else {
                    continue;
                };
                let name = |side: Option<&'v SideView>, mention: Option<&MentionView>| {
                    side.zip(mention).map_or(ColumnValue::None, |(side, mention)| {
                        ColumnValue::Text(side.entities[mention.entity as usize].name.as_str().into())
                    })
                };
                let [first, last, words] = words_of(view, &zeros, Some(mention));
                let [response_first, response_last, response_words] = words_of(view, &zeros, theirs);
                take([
                    ColumnValue::Text(view.id.as_str().into()),
                    ColumnValue::Text(system.as_str().into()),
                    first,
                    last,
                    words,
                    name(Some(&view.key), ours),
                    name(side, theirs),
                    response_first,
                    response_last,
                    response_words,
                ])?;
            }
        }
    }
    Ok(())
}

/// Returns the first and the last word of a mention and all its words; empty cells without a mention.
fn words_of<'v>(
    view: &DocumentView,
    zeros: &BTreeSet<u32>,
    mention: Option<&MentionView>,
) -> [ColumnValue<'v>; 3] {
    let Some(spans) = mention.map(|mention| &mention.spans) else {
        return [ColumnValue::None, ColumnValue::None, ColumnValue::None];
    };
    let words = spans.iter().flat_map(|&[start, end]| start..end);
    let words: Vec<_> = words.map(|word| shown_word(view, zeros, word)).collect();
    let number = |word: Option<u32>| word.map_or(ColumnValue::None, ColumnValue::Number);
    [
        number(spans.first().map(|span| span[0])),
        number(spans.last().map(|span| span[1] - 1)),
        ColumnValue::Text(words.join(" ").into()),
    ]
}

/// Returns a document with each response in turn, as text for a terminal.
pub fn document_text(view: &DocumentView, systems: &[String], style: Style) -> String {
    terminal::render(&blocks(view, systems), style)
}

/// Returns a document with each response in turn, under the name of its system.
///
/// Entities have their labels: numbers in the key, and letters for those that only the response has. Mentions that are not
/// scored are omitted.
pub fn blocks<'v>(view: &'v DocumentView, systems: &[String]) -> Vec<Block<'v>> {
    let mut blocks = Vec::new();
    for (system, response) in systems.iter().zip(&view.responses) {
        blocks.push(Block::Heading(format!("{}: {system}", view.id).into()));
        let (shown, used) = mentions(view, response.as_ref());
        let mut notes: Vec<String> =
            LEGEND.iter().zip(used).filter(|row| row.1).map(|row| (*row.0).to_owned()).collect();
        let sides = [Some(&view.key), response.as_ref().map(|response| &response.side)];
        let mut leave_out = |what: &str, copies: bool| {
            let is_left_out =
                |mention: &&MentionView| mention.ignored.is_some_and(|reason| (reason == COPY) == copies);
            let number = |side: &SideView| side.mentions.iter().filter(is_left_out).count();
            let [key, theirs] = sides.map(|side| side.map_or(0, number));
            if key + theirs > 0 {
                notes.push(format!("Not shown: {what}, {key} of the key and {theirs} of the response."));
            }
        };
        leave_out("mentions that are not scored", false);
        leave_out("other copies of mentions, which scores count", true);
        if response.is_none() {
            notes.push("The response lacks this document: all mentions of the key are missing.".to_owned());
        }
        if !notes.is_empty() {
            blocks.push(Block::Notes(notes));
        }
        blocks.extend(sentences(view, &shown).map(Block::Passage));
    }
    blocks
}

/// The zeros: words that are not in the text.
fn zeros(view: &DocumentView) -> BTreeSet<u32> {
    view.zeros.iter().map(|zero| zero.word).collect()
}

/// A word as displayed.
fn shown_word<'v>(view: &'v DocumentView, zeros: &BTreeSet<u32>, word: u32) -> Cow<'v, str> {
    // The view has the words of the key; a response may have others.
    let form = view.words.get(word as usize).map_or("", String::as_str);
    if zeros.contains(&word) { zero(form) } else { form.into() }
}

/// A displayed mention: its spans, its label, and its colour.
struct ShownMention {
    spans: Vec<[u32; 2]>,
    label: String,
    colour: usize,
    /// The pair of [`BRACKETS`].
    brackets: usize,
}

/// The sentences with their mentions.
fn sentences<'v>(view: &'v DocumentView, shown: &[ShownMention]) -> impl Iterator<Item = Passage<'v>> {
    let count = view.words.len() as u32;
    let zeros = zeros(view);
    let mut opening: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
    let mut closing: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
    for (place, mention) in shown.iter().enumerate() {
        for &[start, end] in &mention.spans {
            opening.entry(start).or_default().push((end, place));
            closing.entry(end).or_default().push((start, place));
        }
    }
    // The longer mention opens first and closes last.
    opening.values_mut().for_each(|all| all.sort_by_key(|&(end, place)| (u32::MAX - end, place)));
    closing
        .values_mut()
        .for_each(|all| all.sort_by_key(|&(start, place)| (u32::MAX - start, usize::MAX - place)));
    let ends = view.sentences.iter().skip(1).copied().chain([count]);
    view.sentences
        .iter()
        .zip(ends)
        .enumerate()
        .map(move |(number, (&start, end))| {
            let head = match view.speakers.get(number).and_then(Option::as_deref) {
                Some(speaker) => format!("{} {speaker}:", number + 1),
                None => match view.words_are {
                    WordsAre::Words => (number + 1).to_string(),
                    // Without a text there are no sentences.
                    WordsAre::Names => format!("{}:", counted(count.into(), "mention", "mentions")),
                    WordsAre::Positions => "positions:".to_owned(),
                },
            };
            let word = |word: u32| {
                let mut pieces = Vec::new();
                for &(_, place) in opening.get(&word).into_iter().flatten() {
                    let mention = &shown[place];
                    let gap = if mention.spans.len() > 1 { "+" } else { "" };
                    let text = format!("{}{}{gap} ", BRACKETS[mention.brackets][0], mention.label);
                    pieces.push(Piece { text: text.into(), mark: Some(mention.mark()) });
                }
                pieces.push(Piece { text: shown_word(view, &zeros, word), mark: None });
                for &(_, place) in closing.get(&(word + 1)).into_iter().flatten() {
                    let mention = &shown[place];
                    let bracket = BRACKETS[mention.brackets][1];
                    pieces.push(Piece { text: bracket.into(), mark: Some(mention.mark()) });
                }
                pieces
            };
            Passage { head: head.into(), words: (start..end.min(count)).map(word).collect() }
        })
        .collect::<Vec<_>>()
        .into_iter()
}

impl ShownMention {
    /// The mark of its brackets; errors are emphasised.
    fn mark(&self) -> BracketMark {
        BracketMark { entity: self.colour, strong: self.brackets != 0 || self.label.contains('/') }
    }
}

/// The mentions to show, and for each line of the legend whether they need it.
fn mentions(
    view: &DocumentView,
    response: Option<&ResponseView>,
) -> (Vec<ShownMention>, [bool; LEGEND.len()]) {
    let empty = ResponseView::default();
    let response = response.unwrap_or(&empty);
    let label_of =
        |side: &SideView, mention: &MentionView| side.entities[mention.entity as usize].label.clone();
    let colour = |label: &str| colour(label, view.key.entities.len());
    let mut partner: Vec<Option<u32>> = vec![None; view.key.mentions.len()];
    let mut found = vec![false; response.side.mentions.len()];
    for &[ours, theirs] in &response.matches {
        partner[ours as usize] = Some(theirs);
        found[theirs as usize] = true;
    }
    let mut used = [false; LEGEND.len()];
    let mut shown = Vec::new();
    let scored = |mention: &&MentionView| mention.ignored.is_none();
    for (mention, partner) in view.key.mentions.iter().zip(&partner).filter(|(mention, _)| scored(mention)) {
        let key = label_of(&view.key, mention);
        let partner = partner.map(|place| &response.side.mentions[place as usize]);
        let theirs = partner.map(|partner| label_of(&response.side, partner));
        let colour = colour(&key);
        let (label, brackets, line) = match theirs {
            None => (key, 1, 2),
            Some(theirs) if theirs == key => (key, 0, 0),
            Some(theirs) => (format!("{key}/{theirs}"), 0, 1),
        };
        used[line] = true;
        if let Some(partner) = partner.filter(|partner| partner.spans != mention.spans) {
            used[5] = true;
            let label = format!("={label}");
            shown.push(ShownMention { spans: partner.spans.clone(), label, colour, brackets: 2 });
        }
        shown.push(ShownMention { spans: mention.spans.clone(), label, colour, brackets });
    }
    for (mention, _) in
        response.side.mentions.iter().zip(found).filter(|(mention, found)| !found && scored(mention))
    {
        let label = label_of(&response.side, mention);
        used[3] = true;
        let colour = colour(&label);
        shown.push(ShownMention { spans: mention.spans.clone(), label, colour, brackets: 2 });
    }
    used[4] = shown.iter().any(|mention| mention.spans.len() > 1);
    used[6] = shown.iter().any(|mention| mention.label.contains(SINGLE));
    (shown, used)
}

/// The colour of an entity: by its number, with letters after the `numbers` of the key.
fn colour(label: &str, numbers: usize) -> usize {
    label.parse().unwrap_or_else(|_| numbers + label.bytes().map(usize::from).sum::<usize>())
}

#[cfg(test)]
mod tests {
    use corefeval_core::analysis::{EntityView, MentionType, ZeroView};
    use corefeval_core::diagnostic::Diagnostics;

    use super::*;

    fn side(mentions: &[(&[[u32; 2]], u32)], entities: usize) -> SideView {
        let mut side = SideView::default();
        side.mentions = mentions
            .iter()
            .map(|(spans, entity)| MentionView {
                spans: spans.to_vec(),
                entity: *entity,
                head: None,
                mention_type: MentionType::Nominal,
                ignored: None,
            })
            .collect();
        side.entities =
            vec![EntityView { name: String::new(), entity_type: None, label: String::new() }; entities];
        side
    }

    fn ferry() -> DocumentView {
        let words = "Ada sold her boat . She kept the oars .";
        let response = ResponseView {
            side: side(&[(&[[0, 1]], 0), (&[[2, 3]], 1), (&[[5, 6]], 0), (&[[7, 9]], 1)], 2),
            matches: vec![[0, 0], [2, 1], [3, 2]],
        };
        DocumentView {
            id: "d\u{1b}[31m".to_owned(),
            words: words.split(' ').map(str::to_owned).collect(),
            sentences: vec![0, 5],
            key: side(&[(&[[0, 1]], 0), (&[[2, 4]], 1), (&[[2, 3]], 0), (&[[5, 6]], 0)], 2),
            responses: vec![Some(response)],
            ..DocumentView::default()
        }
    }

    fn show(view: &DocumentView, style: Style) -> String {
        let mut view = view.clone();
        view.label_entities();
        document_text(&view, &["alder".to_owned()], style)
    }

    #[test]
    fn sides_are_distinct_without_colours() {
        let text = show(&ferry(), Style::default());
        assert!(text.contains("\n1 [1 Ada] sold <single [1/a her] boat> .\n"), "{text}");
        assert!(text.contains("\n2 [1 She] kept {a the oars} .\n"), "{text}");
        assert!(text.starts_with("d\\u{1b}[31m: alder\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(LEGEND.iter().filter(|line| text.contains(**line)).count(), 5);
    }

    #[test]
    fn different_boundaries_of_the_response_are_shown() {
        let mut view = ferry();
        // The response has only the head of `her boat`, and a zero elsewhere instead of `She`.
        let response = ResponseView {
            side: side(&[(&[[0, 1]], 0), (&[[3, 4]], 1), (&[[4, 5]], 0)], 2),
            matches: vec![[0, 0], [1, 1], [3, 2]],
        };
        view.words[4] = "_".to_owned();
        view.zeros = vec![ZeroView { word: 4, sides: vec![1] }];
        view.responses = vec![Some(response)];
        let text = show(&view, Style::default());
        assert!(text.contains("\n1 [1 Ada] sold [single <1 her> {=single boat}] {=1 ∅}\n"), "{text}");
        assert!(text.contains("\n2 [1 She] kept the oars .\n"), "{text}");
        assert!(text.contains(LEGEND[5]), "{text}");
        let (systems, diagnostics) = (vec!["alder".to_owned()], Diagnostics::default());
        let csv = DocumentViews { views: vec![view], systems, diagnostics }.csv();
        let rows: Vec<&str> = csv.lines().skip(1).map(|line| line.split_once(",alder,").unwrap().1).collect();
        let wanted = ["0,0,Ada,,,0,0,Ada", "2,3,her boat,,,3,3,boat", "2,2,her,,,,,", "5,5,She,,,4,4,∅"];
        assert_eq!(rows, wanted);
    }

    #[test]
    fn only_texts_have_numbers_of_sentences() {
        let text = |words_are| show(&DocumentView { words_are, ..ferry() }, Style::default());
        assert!(text(WordsAre::Words).contains("\n1 [1 Ada]"));
        assert!(text(WordsAre::Names).contains(" mentions: [1 Ada]"));
        assert!(text(WordsAre::Positions).contains("\npositions: [1 Ada]"));
    }

    #[test]
    fn lines_keep_within_the_width() {
        let mut view = ferry();
        view.words[8] = "o".repeat(70);
        let style = Style { width: Some(20), ..Style::default() };
        let text = show(&view, style);
        assert!(text.lines().all(|line| line.chars().count() <= 20), "{text}");
        let colours = show(&view, Style { colour: true, ..style });
        let mut plain = String::new();
        let mut rest = colours.as_str();
        while let Some(start) = rest.find("\u{1b}[") {
            plain.push_str(&rest[..start]);
            rest = &rest[start..];
            rest = &rest[rest.find('m').unwrap_or(0) + 1..];
        }
        plain.push_str(rest);
        assert_eq!(plain, text);
    }
}
