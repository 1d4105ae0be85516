//! A document in the terminal: the mentions of key and response in one text, in brackets that tell them apart without
//! colours.

use std::collections::BTreeMap;

use corefeval_core::analysis::{DocumentView, MentionView, ResponseView, SideView};

use crate::errors::{escape, width_of};

/// How a text is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Whether to colour.
    pub colour: bool,
    /// The width of lines.
    pub width: Option<usize>,
}

/// The width of lines where that of the terminal is not known.
const WIDTH: usize = 80;

/// The least width that lines are broken to.
const LEAST: usize = 20;

/// The colours of entities, as codes of a terminal; each entity has the same on both sides.
const COLOURS: [&str; 6] = ["36", "33", "35", "32", "34", "31"];

/// The brackets of mentions: of both sides, of the key alone, of the response alone.
const BRACKETS: [[&str; 2]; 3] = [["[", "]"], ["<", ">"], ["{", "}"]];

/// What the brackets mean.
const LEGEND: [&str; 4] = [
    "[1 …]    in both, the same entity",
    "[1/a …]  in both, entity 1 of the key and entity a of the response",
    "<1 …>    in the key alone: missing",
    "{a …}    in the response alone: extra",
];

/// Shows a document with each response in turn, under the name of its system.
///
/// Entities of the key are numbered by their first mention; those of a response have the number of the key entity
/// that they share most mentions with, and letters where there is none left. Mentions that are not scored are not
/// shown.
pub fn show(view: &DocumentView, systems: &[String], style: Look) -> String {
    let mut text = String::new();
    for (system, response) in systems.iter().zip(&view.responses) {
        if !text.is_empty() {
            text.push('\n');
        }
        let name = format!("{}: {}", escape(&view.id), escape(system));
        text.push_str(&painted(&name, "1", style));
        text.push('\n');
        let lines = Lines::new(view, response.as_ref(), style);
        for (place, line) in LEGEND.iter().enumerate() {
            if lines.used[[0, 1, 2, 3][place]] {
                text.push_str(&painted(line, "2", style));
                text.push('\n');
            }
        }
        if response.is_none() {
            text.push_str("The response has no such document: all of the key is missing.\n");
        }
        text.push_str(&lines.text);
    }
    text
}

fn painted(text: &str, code: &str, style: Look) -> String {
    if style.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// A mention as it is shown: its spans, its label, and its colour.
struct Shown {
    spans: Vec<[u32; 2]>,
    label: String,
    colour: usize,
    /// Which pair of [`BRACKETS`].
    brackets: usize,
}

/// The text with its mentions, in lines.
struct Lines {
    text: String,
    /// Whether each line of [`LEGEND`] is of use.
    used: [bool; 4],
}

impl Lines {
    fn new(view: &DocumentView, response: Option<&ResponseView>, style: Look) -> Lines {
        let (shown, used) = mentions(view, response);
        let count = view.words.len() as u32;
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
        let limit = style.width.unwrap_or(WIDTH).max(LEAST);
        let mut text = String::new();
        let ends = view.sentences.iter().skip(1).copied().chain([count]);
        for (number, (&start, end)) in view.sentences.iter().zip(ends).enumerate() {
            text.push('\n');
            let mut line = Line { width: 0, limit, text: &mut text };
            let speaker = view.speakers.get(number).and_then(Option::as_deref);
            let head = match speaker {
                Some(speaker) => format!("{} {}:", number + 1, escape(speaker)),
                None => format!("{}", number + 1),
            };
            line.add(&[(head, Some("2".to_owned()))], style);
            for word in start..end.min(count) {
                let mut pieces: Vec<(String, Option<String>)> = Vec::new();
                for &(_, place) in opening.get(&word).into_iter().flatten() {
                    let mention = &shown[place];
                    let gap = if mention.spans.len() > 1 { "+" } else { "" };
                    pieces.push((
                        format!("{}{}{gap} ", BRACKETS[mention.brackets][0], mention.label),
                        Some(colour(mention)),
                    ));
                }
                pieces.push((escape(&view.words[word as usize]).into_owned(), None));
                for &(_, place) in closing.get(&(word + 1)).into_iter().flatten() {
                    let mention = &shown[place];
                    pieces.push((BRACKETS[mention.brackets][1].to_owned(), Some(colour(mention))));
                }
                line.add(&pieces, style);
            }
            text.push('\n');
        }
        Lines { text, used }
    }
}

/// The colour of a mention; errors are bold.
fn colour(mention: &Shown) -> String {
    let code = COLOURS[mention.colour % COLOURS.len()];
    if mention.brackets == 0 && !mention.label.contains('/') { code.to_owned() } else { format!("1;{code}") }
}

/// Words that are put into lines.
struct Line<'t> {
    width: usize,
    limit: usize,
    text: &'t mut String,
}

impl Line<'_> {
    /// Adds a word with its brackets, which stay together; a word that is wider than a line is broken.
    fn add(&mut self, pieces: &[(String, Option<String>)], style: Look) {
        let own: usize = pieces.iter().map(|piece| width_of(&piece.0)).sum();
        if self.width > 0 && self.width + 1 + own > self.limit {
            self.text.push('\n');
            self.width = 0;
        } else if self.width > 0 {
            self.text.push(' ');
            self.width += 1;
        }
        for (piece, code) in pieces {
            let mut rest = piece.as_str();
            while !rest.is_empty() {
                let mut part = rest;
                if width_of(part) > self.limit.saturating_sub(self.width) {
                    let room = self.limit.saturating_sub(self.width);
                    let mut end = 0;
                    for (place, character) in rest.char_indices() {
                        let next = place + character.len_utf8();
                        if width_of(&rest[..next]) > room {
                            break;
                        }
                        end = next;
                    }
                    part = &rest[..end];
                }
                if part.is_empty() {
                    self.text.push('\n');
                    self.width = 0;
                    continue;
                }
                match code {
                    Some(code) => self.text.push_str(&painted(part, code, style)),
                    None => self.text.push_str(part),
                }
                self.width += width_of(part);
                rest = &rest[part.len()..];
            }
        }
    }
}

/// The mentions to show, and which lines of the legend they need.
fn mentions(view: &DocumentView, response: Option<&ResponseView>) -> (Vec<Shown>, [bool; 4]) {
    let empty = ResponseView::default();
    let response = response.unwrap_or(&empty);
    let labels = Labels::new(&view.key, response);
    let mut partner: Vec<Option<u32>> = vec![None; view.key.mentions.len()];
    let mut found = vec![false; response.side.mentions.len()];
    for &[ours, theirs] in &response.matches {
        partner[ours as usize] = Some(theirs);
        found[theirs as usize] = true;
    }
    let mut used = [false; 4];
    let mut shown = Vec::new();
    let scored = |mention: &&MentionView| mention.ignored.is_none();
    for (mention, partner) in view.key.mentions.iter().zip(&partner).filter(|(mention, _)| scored(mention)) {
        let key = &labels.key[mention.entity as usize];
        let theirs =
            partner.map(|place| &labels.response[response.side.mentions[place as usize].entity as usize]);
        let (label, brackets, line) = match theirs {
            None => (key.clone(), 1, 2),
            Some(theirs) if theirs == key => (key.clone(), 0, 0),
            Some(theirs) => (format!("{key}/{theirs}"), 0, 1),
        };
        used[line] = true;
        let colour = labels.colour(key);
        shown.push(Shown { spans: mention.spans.clone(), label, colour, brackets });
    }
    for (mention, _) in
        response.side.mentions.iter().zip(found).filter(|(mention, found)| !found && scored(mention))
    {
        let label = labels.response[mention.entity as usize].clone();
        used[3] = true;
        let colour = labels.colour(&label);
        shown.push(Shown { spans: mention.spans.clone(), label, colour, brackets: 2 });
    }
    (shown, used)
}

/// What entities are called.
struct Labels {
    key: Vec<String>,
    response: Vec<String>,
}

impl Labels {
    fn new(key: &SideView, response: &ResponseView) -> Labels {
        let mut labels = Labels {
            key: vec![String::new(); key.entities.len()],
            response: vec![String::new(); response.side.entities.len()],
        };
        let mut next = 0;
        for mention in key.mentions.iter().filter(|mention| mention.ignored.is_none()) {
            let label = &mut labels.key[mention.entity as usize];
            if label.is_empty() {
                next += 1;
                *label = next.to_string();
            }
        }
        let mut shared: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for &[ours, theirs] in &response.matches {
            let entity = |side: &SideView, place: u32| side.mentions[place as usize].entity;
            *shared.entry((entity(key, ours), entity(&response.side, theirs))).or_default() += 1;
        }
        let mut shared: Vec<((u32, u32), usize)> = shared.into_iter().collect();
        shared.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let mut taken = vec![false; key.entities.len()];
        for ((ours, theirs), _) in shared {
            let label = &mut labels.response[theirs as usize];
            if label.is_empty() && !taken[ours as usize] {
                label.clone_from(&labels.key[ours as usize]);
                taken[ours as usize] = true;
            }
        }
        let mut next = 0;
        for mention in response.side.mentions.iter().filter(|mention| mention.ignored.is_none()) {
            let label = &mut labels.response[mention.entity as usize];
            if label.is_empty() {
                *label = letters(next);
                next += 1;
            }
        }
        labels
    }

    /// The colour of an entity: by its number, and of letters after those of numbers.
    fn colour(&self, label: &str) -> usize {
        label.parse().unwrap_or_else(|_| self.key.len() + label.bytes().map(usize::from).sum::<usize>())
    }
}

/// `a`, `b`, …, `z`, `aa`, `ab`, …
fn letters(number: usize) -> String {
    let letter = |place: usize| char::from(b'a' + (place % 26) as u8);
    let mut letters = vec![letter(number)];
    let mut rest = number / 26;
    while rest > 0 {
        letters.push(letter(rest - 1));
        rest = (rest - 1) / 26;
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use corefeval_core::analysis::EntityView;
    use corefeval_core::analysis::MentionType;

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
        side.entities = vec![EntityView { name: String::new(), entity_type: None }; entities];
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

    #[test]
    fn mentions_of_both_sides_are_told_apart_without_colours() {
        let text = show(&ferry(), &["alder".to_owned()], Look::default());
        assert!(text.contains("\n1 [1 Ada] sold <2 [1/a her] boat> .\n"), "{text}");
        assert!(text.contains("\n2 [1 She] kept {a the oars} .\n"), "{text}");
        assert!(text.starts_with("d\\u{1b}[31m: alder\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(LEGEND.iter().filter(|line| text.contains(**line)).count(), 4);
    }

    #[test]
    fn lines_keep_within_the_width() {
        let mut view = ferry();
        view.words[8] = "o".repeat(70);
        let style = Look { colour: false, width: Some(20) };
        let text = show(&view, &["alder".to_owned()], style);
        let of_text = text.lines().skip(1 + LEGEND.len());
        assert!(of_text.clone().all(|line| line.chars().count() <= 20), "{text}");
        let colours = show(&view, &["alder".to_owned()], Look { colour: true, ..style });
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

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 25, 26, 27, 701, 702].map(letters), ["a", "z", "aa", "ab", "zz", "aaa"]);
    }
}
