//! Validation finds each defect that is put into clean files, finds nothing in clean files, and never makes a correction
//! that changes a score.
//!
//! The files are written here, independently of the library: a random text with its mentions in every format. A defect is
//! a change of one place, with the code and the line of the required finding, a warning or an error.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corefeval_core::diagnostic::Severity;
use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request, Validate, WriteFixes};
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::reports::validation::ValidationReport;
use corefeval_core::validation::fixes;

use crate::formats::Case;

/// Random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }
}

/// A mention: sentence, first word, last word, entity.
type Place = (usize, usize, usize, usize);

/// A text with its mentions.
pub(crate) struct Story {
    sentences: Vec<Vec<String>>,
    mentions: Vec<Place>,
}

impl Story {
    /// Makes sentences of words that occur once, with two entities that have mentions of one and of several words, and
    /// more at random.
    pub(crate) fn new(random: &mut Random) -> Story {
        Story::of(random, None)
    }

    /// Makes a story of `count` sentences; without a count, of a few.
    fn of(random: &mut Random, count: Option<usize>) -> Story {
        let syllables = ["ka", "lo", "mi", "ne", "ru", "sa", "ti", "vo"];
        let mut number = random.below(50);
        let mut word = || {
            number += 1;
            let (a, b, c) = (number % 8, number / 8 % 8, number / 64 % 8);
            format!("{}{}{}", syllables[c], syllables[b], syllables[a])
        };
        let mut sentences: Vec<Vec<String>> = Vec::new();
        for _ in 0..count.unwrap_or_else(|| 2 + random.below(4)) {
            sentences.push((0..6 + random.below(5)).map(|_| word()).collect());
        }
        let mut mentions = vec![(0, 0, 2, 1), (0, 1, 1, 2), (0, 4, 4, 2), (1, 0, 0, 1), (1, 2, 3, 2)];
        for (sentence, words) in sentences.iter().enumerate().skip(2) {
            let mut start = random.below(3);
            while start + 3 < words.len() {
                let last = start + random.below(3);
                mentions.push((sentence, start, last, 1 + random.below(4)));
                start = last + 1 + random.below(3);
            }
        }
        // Mentions are sorted by their start, the longer first.
        mentions.sort_by_key(|&(sentence, first, last, _)| (sentence, first, usize::MAX - last));
        Story { sentences, mentions }
    }

    /// Returns the number of a word in the document.
    fn word(&self, sentence: usize, word: usize) -> usize {
        self.sentences[..sentence].iter().map(Vec::len).sum::<usize>() + word
    }

    /// Returns the place where a word starts in the text with a space between words and a line for each sentence.
    fn offset(&self, sentence: usize, word: usize) -> usize {
        let before: usize = self.sentences[..sentence].iter().map(|words| words.join(" ").len() + 1).sum();
        before + self.sentences[sentence][..word].iter().map(|word| word.len() + 1).sum::<usize>()
    }

    fn span_text(&self, (sentence, first, last, _): Place) -> String {
        self.sentences[sentence][first..=last].join(" ")
    }

    fn entities(&self) -> Vec<Vec<Place>> {
        let most = self.mentions.iter().map(|mention| mention.3).max().unwrap_or(0);
        let of = |entity| self.mentions.iter().copied().filter(|mention| mention.3 == entity).collect();
        (1..=most).map(of).filter(|mentions: &Vec<Place>| !mentions.is_empty()).collect()
    }

    /// Returns the text that opens and closes at a word, by `open`, `close` and `single`, joined by `joint`.
    fn cell(
        &self,
        at: (usize, usize),
        [open, close, single]: [&dyn Fn(usize) -> String; 3],
        joint: &str,
    ) -> String {
        let here = |mention: &&Place| mention.0 == at.0;
        let mentions = || self.mentions.iter().filter(here);
        let opens = mentions().filter(|m| m.1 == at.1 && m.2 > at.1).map(|m| open(m.3));
        let singles = mentions().filter(|m| m.1 == at.1 && m.2 == at.1).map(|m| single(m.3));
        let closes = mentions().rev().filter(|m| m.2 == at.1 && m.1 < at.1).map(|m| close(m.3));
        let items: Vec<String> = opens.chain(singles).chain(closes).collect();
        items.join(joint)
    }

    /// Returns the text with marks around mentions.
    fn marked(&self, open: impl Fn(usize, usize) -> String, close: impl Fn(usize) -> String) -> String {
        let mut text = String::new();
        for (sentence, words) in self.sentences.iter().enumerate() {
            for (place, word) in words.iter().enumerate() {
                if place > 0 {
                    text.push(' ');
                }
                for (number, mention) in self.mentions.iter().enumerate() {
                    if (mention.0, mention.1) == (sentence, place) {
                        text.push_str(&open(number, mention.3));
                    }
                }
                text.push_str(word);
                for mention in self.mentions.iter().rev() {
                    if (mention.0, mention.2) == (sentence, place) {
                        text.push_str(&close(mention.3));
                    }
                }
            }
            text.push('\n');
        }
        text
    }
}

fn or<'c>(cell: &'c str, empty: &'c str) -> &'c str {
    if cell.is_empty() { empty } else { cell }
}

/// Writes a line for each word with the coreference in brackets, and a blank line after each sentence.
fn rows(
    story: &Story,
    row: impl Fn(usize, usize, &str, &str) -> String,
    empty: &str,
    joint: &str,
    brackets: [&dyn Fn(usize) -> String; 3],
) -> String {
    let mut text = String::new();
    for (sentence, words) in story.sentences.iter().enumerate() {
        for (place, word) in words.iter().enumerate() {
            let cell = story.cell((sentence, place), brackets, joint);
            text.push_str(&row(sentence, place, word, or(&cell, empty)));
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

const PLAIN: [&dyn Fn(usize) -> String; 3] =
    [&|entity| format!("({entity}"), &|entity| format!("{entity})"), &|entity| format!("({entity})")];

/// A file in a format: the format's name, the extension of its files, the file and, in stand-off formats, the text.
pub(crate) type Written = (String, Option<String>);

pub(crate) fn written(format: &str, story: &Story) -> Written {
    let text = || story.sentences.iter().map(|words| words.join(" ") + "\n").collect::<String>();
    let file = match format {
        "conll" => {
            let row =
                |_: usize, place: usize, word: &str, cell: &str| format!("d\t0\t{place}\t{word}\t{cell}");
            format!("#begin document (d); part 000\n{}#end document\n", rows(story, row, "-", "|", PLAIN))
        }
        "semeval" => {
            let row =
                |_: usize, place: usize, word: &str, cell: &str| format!("{}\t{word}\t{cell}", place + 1);
            format!("#begin document d\n{}#end document d\n", rows(story, row, "_", "|", PLAIN))
        }
        "corefud" => {
            let brackets: [&dyn Fn(usize) -> String; 3] =
                [&|entity| format!("(e{entity}-person-1-"), &|entity| format!("e{entity})"), &|entity| {
                    format!("(e{entity}-person-1-)")
                }];
            let row = |_: usize, place: usize, word: &str, cell: &str| {
                let misc = if cell == "_" { "_".to_owned() } else { format!("Entity={cell}") };
                format!("{}\t{word}\t_\t_\t_\t_\t_\t_\t_\t{misc}", place + 1)
            };
            let words = rows(story, row, "_", "", brackets);
            format!("# global.Entity = eid-etype-head-other\n# newdoc id = d\n{words}")
        }
        "conll-ua" => {
            let brackets: [&dyn Fn(usize) -> String; 3] =
                [&|entity| format!("(EntityID={entity}"), &|_| ")".to_owned(), &|entity| {
                    format!("(EntityID={entity})")
                }];
            let row = |_: usize, place: usize, word: &str, cell: &str| {
                format!("{}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_\t{cell}\t_\t_\t_\t_", place + 1)
            };
            let words = rows(story, row, "_", "", brackets);
            let columns = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM";
            format!("# global.columns = {columns}\n# newdoc id = d\n{words}")
        }
        "jsonlines" => {
            let spans = |mentions: &Vec<Place>| {
                let spans =
                    mentions.iter().map(|m| format!("[{}, {}]", story.word(m.0, m.1), story.word(m.0, m.2)));
                format!("[{}]", spans.collect::<Vec<_>>().join(", "))
            };
            let clusters: Vec<String> = story.entities().iter().map(spans).collect();
            let line = |id: &str| {
                format!(
                    "{{\"doc_key\": \"{id}\", \"sentences\": {:?}, \"clusters\": [{}]}}\n",
                    story.sentences,
                    clusters.join(", ")
                )
            };
            line("a") + &line("b")
        }
        "json" => {
            let names = |mentions: &Vec<Place>| {
                let names: Vec<String> =
                    mentions.iter().map(|m| format!("\"m{}\"", story.word(m.0, m.1) * 100 + m.2)).collect();
                format!("[{}]", names.join(", "))
            };
            let clusters: Vec<String> =
                story.entities().iter().map(|of| format!("\"e{}\": {}", of[0].3, names(of))).collect();
            format!("{{\"type\": \"clusters\",\n \"clusters\": {{\n{}}}}}\n", clusters.join(",\n"))
        }
        "table" => {
            let row = |m: &Place| format!("m{}x{}x{},e{}\n", m.0, m.1, m.2, m.3);
            format!("mention,entity\n{}", story.mentions.iter().map(row).collect::<String>())
        }
        "links" => {
            let class = |of: &Vec<Place>| {
                let names: Vec<String> = of.iter().map(|m| format!("m{}x{}x{}", m.0, m.1, m.2)).collect();
                format!("{{{}}}\n", names.join(" "))
            };
            story.entities().iter().map(class).collect()
        }
        "brat" => {
            let mention = |(number, m): (usize, &Place)| {
                let words = story.span_text(*m);
                let start = story.offset(m.0, m.1);
                format!("T{}\tPER {start} {}\t{words}\n", number + 1, start + words.len())
            };
            let mut file: String = story.mentions.iter().enumerate().map(mention).collect();
            for entity in story.entities().iter().filter(|of| of.len() > 1) {
                let number = |m: &Place| {
                    format!("T{}", story.mentions.iter().position(|other| other == m).unwrap() + 1)
                };
                file.push_str(&format!(
                    "*\tCoref {}\n",
                    entity.iter().map(number).collect::<Vec<_>>().join(" ")
                ));
            }
            return (file, Some(text()));
        }
        "webanno" => {
            let mut file = "#FORMAT=WebAnno TSV 3.3\n#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceRelation|referenceType\n\n".to_owned();
            let mut links = [0; 10];
            let named: Vec<(Place, usize)> = story
                .mentions
                .iter()
                .map(|m| {
                    links[m.3] += 1;
                    (*m, links[m.3])
                })
                .collect();
            for (sentence, words) in story.sentences.iter().enumerate() {
                file.push_str(&format!("\n#Text={}\n", words.join(" ")));
                for (place, word) in words.iter().enumerate() {
                    let here: Vec<(usize, &(Place, usize))> = named
                        .iter()
                        .enumerate()
                        .filter(|(_, (m, _))| m.0 == sentence && (m.1..=m.2).contains(&place))
                        .collect();
                    let join = |of: &dyn Fn(usize, &(Place, usize)) -> String| {
                        let items: Vec<String> =
                            here.iter().map(|(number, named)| of(*number, named)).collect();
                        if items.is_empty() { "_".to_owned() } else { items.join("|") }
                    };
                    let relation = join(&|_, (m, link)| format!("ana->{}-{link}", m.3));
                    let kind = join(&|number, _| format!("x[{}]", number + 1));
                    let start = story.offset(sentence, place);
                    file.push_str(&format!(
                        "{}-{}\t{start}-{}\t{word}\t{relation}\t{kind}\t\n",
                        sentence + 1,
                        place + 1,
                        start + word.len()
                    ));
                }
            }
            file
        }
        "muc" => {
            let first = |entity: usize| story.mentions.iter().position(|m| m.3 == entity).unwrap() + 1;
            let open = |number: usize, entity: usize| {
                let reference = first(entity);
                match reference == number + 1 {
                    true => format!("<COREF ID=\"{}\">", number + 1),
                    false => format!("<COREF ID=\"{}\" REF=\"{reference}\">", number + 1),
                }
            };
            let text = story.marked(open, |_| "</COREF>".to_owned());
            format!("<DOC>\n<DOCNO>d</DOCNO>\n<TXT>\n{text}</TXT>\n</DOC>\n")
        }
        "apf" => {
            let head = "\n\n\n";
            let place = |m: &Place| {
                let start = head.len() + story.offset(m.0, m.1);
                let words = story.span_text(*m);
                format!("<charseq START=\"{start}\" END=\"{}\">{words}</charseq>", start + words.len() - 1)
            };
            let mut file = "<?xml version=\"1.0\"?>\n<source_file URI=\"d.sgm\" SOURCE=\"newswire\" TYPE=\"text\">\n<document DOCID=\"d\">\n".to_owned();
            for of in story.entities() {
                file.push_str(&format!("<entity ID=\"E{}\" TYPE=\"PER\" CLASS=\"SPC\">\n", of[0].3));
                for m in &of {
                    file.push_str(&format!("<entity_mention ID=\"M{}-{}\" TYPE=\"NOM\">\n<extent>{}</extent>\n</entity_mention>\n", m.0, m.1 * 100 + m.2, place(m)));
                }
                file.push_str("</entity>\n");
            }
            file.push_str("</document>\n</source_file>\n");
            return (file, Some(format!("<DOC>\n<BODY>\n<TEXT>\n{}</TEXT>\n</BODY>\n</DOC>\n", text())));
        }
        "ecb+" => {
            let mut file = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Document doc_name=\"7_2ecbplus.xml\" doc_id=\"DOC1\">\n".to_owned();
            for (sentence, words) in story.sentences.iter().enumerate() {
                for (place, word) in words.iter().enumerate() {
                    file.push_str(&format!(
                        "<token t_id=\"{}\" sentence=\"{sentence}\" number=\"{place}\">{word}</token>\n",
                        story.word(sentence, place) + 1
                    ));
                }
            }
            file.push_str("<Markables>\n");
            for (number, m) in story.mentions.iter().enumerate() {
                file.push_str(&format!("<HUMAN_PART_PER m_id=\"{}\">\n", number + 1));
                for place in m.1..=m.2 {
                    file.push_str(&format!("<token_anchor t_id=\"{}\"/>\n", story.word(m.0, place) + 1));
                }
                file.push_str("</HUMAN_PART_PER>\n");
            }
            for of in story.entities() {
                file.push_str(&format!("<HUMAN_PART_PER m_id=\"{}\" RELATED_TO=\"\" TAG_DESCRIPTOR=\"e{0}\" instance_id=\"HUM{0}\" />\n", 1000 + of[0].3));
            }
            file.push_str("</Markables>\n<Relations>\n");
            for of in story.entities() {
                file.push_str(&format!("<CROSS_DOC_COREF r_id=\"{}\" note=\"HUM{0}\">\n", 2000 + of[0].3));
                for m in &of {
                    let number = story.mentions.iter().position(|other| other == m).unwrap() + 1;
                    file.push_str(&format!("<source m_id=\"{number}\" />\n"));
                }
                file.push_str(&format!("<target m_id=\"{}\" />\n</CROSS_DOC_COREF>\n", 1000 + of[0].3));
            }
            file.push_str("</Relations>\n</Document>\n");
            file
        }
        "bracketed" => story.marked(|_, _| "[".to_owned(), |entity| format!("](#{entity})")),
        "tagged" => story.marked(|_, entity| format!("<m id=\"{entity}\">"), |_| "</m>".to_owned()),
        "pipe" => {
            let brackets: [&dyn Fn(usize) -> String; 3] =
                [&|entity| format!("[e{entity}"), &|entity| format!("e{entity}]"), &|entity| {
                    format!("[e{entity}]")
                }];
            let mut words = Vec::new();
            for (sentence, of) in story.sentences.iter().enumerate() {
                for (place, word) in of.iter().enumerate() {
                    let cell = story.cell((sentence, place), brackets, ",");
                    words.push(if cell.is_empty() { word.clone() } else { format!("{word}|{cell}") });
                }
            }
            words.join(" ") + "\n"
        }
        "json-answer" => {
            let strings = |of: &Vec<Place>| {
                let strings: Vec<String> = of.iter().map(|m| format!("{:?}", story.span_text(*m))).collect();
                format!("[{}]", strings.join(", "))
            };
            let all: Vec<String> = story.entities().iter().map(strings).collect();
            format!("{{\"clusters\": [{}]}}\n", all.join(",\n"))
        }
        other => panic!("the format {other} has no generated files: write it here"),
    };
    (file, None)
}

/// The expected finding of a defect.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    Code(&'static str),
    /// An error, which prevents scoring, with its code.
    Error(&'static str),
}

use Wanted::{Code, Error};

/// A change of the lines of a file; returns the line of the finding, from 1, or 0 if it concerns the file.
type Change = fn(&mut Vec<String>, &mut Random) -> Option<usize>;

/// Replaces `old` by `new` in one of the lines that have it, and returns the number of the line.
fn replace(lines: &mut [String], random: &mut Random, old: &str, new: &str) -> Option<usize> {
    let places: Vec<usize> = (0..lines.len()).filter(|&place| lines[place].contains(old)).collect();
    let place = *places.get(random.below(places.len().max(1)))?;
    let found: Vec<usize> = lines[place].match_indices(old).map(|found| found.0).collect();
    let at = found[random.below(found.len())];
    lines[place].replace_range(at..at + old.len(), new);
    Some(place + 1)
}

/// Replaces the last column of one of the lines that end in it.
fn replace_end(lines: &mut [String], random: &mut Random, old: &str, new: &str) -> Option<usize> {
    let places: Vec<usize> = (0..lines.len()).filter(|&place| lines[place].ends_with(old)).collect();
    let place = *places.get(random.below(places.len().max(1)))?;
    let keep = lines[place].len() - old.len();
    lines[place].replace_range(keep.., new);
    Some(place + 1)
}

/// Removes the first line that contains a text.
fn remove(lines: &mut Vec<String>, text: &str) -> Option<usize> {
    let place = lines.iter().position(|line| line.contains(text))?;
    lines.remove(place);
    Some(0)
}

/// Repeats the first line that contains a text; the finding is at the copy.
fn repeat(lines: &mut Vec<String>, text: &str) -> Option<usize> {
    let place = lines.iter().position(|line| line.contains(text))?;
    lines.insert(place + 1, lines[place].clone());
    Some(place + 2)
}

/// Cuts the file after the first line that contains a text.
fn cut(lines: &mut Vec<String>, text: &str) -> Option<usize> {
    let place = lines.iter().position(|line| line.contains(text))?;
    lines.truncate(place + 1);
    Some(0)
}

/// Returns the defects of a format.
fn defects(format: &str) -> Vec<(Wanted, Change)> {
    match format {
        "conll" => vec![
            (Code("unclosed-mention"), |lines, random| replace_end(lines, random, "\t2)", "\t-").map(|_| 0)),
            (Code("unclosed-mention"), |lines, random| replace_end(lines, random, "\t-", "\t(77")),
            (Code("unopened-mention"), |lines, random| replace_end(lines, random, "\t-", "\t77)")),
            (Code("empty-id"), |lines, random| replace_end(lines, random, "\t-", "\t()")),
            (Code("empty-id"), |lines, random| replace_end(lines, random, "\t(2)", "\t(2)|()")),
            (Code("bare-id"), |lines, random| replace_end(lines, random, "\t-", "\t7")),
            (Code("duplicate-mention"), |lines, random| replace_end(lines, random, "\t(2)", "\t(2)|(9)")),
            (Code("duplicate-mention"), |lines, random| replace_end(lines, random, "\t(1)", "\t(1)|(1)")),
            (Code("stray-sign"), |lines, random| replace_end(lines, random, "\t(2)", "\t( 2)")),
            (Code("stray-sign"), |lines, random| replace_end(lines, random, "\t(2)", "\t(2)|")),
            (Code("stray-sign"), |lines, random| replace_end(lines, random, "\t(2)", "\t(2)||(7)")),
            (Code("stray-sign"), |lines, random| replace_end(lines, random, "\t-", "\t|")),
            (Code("empty-id"), |lines, random| replace_end(lines, random, "\t-", "\t( )")),
            (Code("misspelled"), |lines, random| replace(lines, random, "#begin document", "#begin documnt")),
            (Code("misspelled"), |lines, random| replace(lines, random, "#end document", "#end docment")),
            (Code("no-end-line"), |lines, _| remove(lines, "#end document")),
            (Code("word-order"), |lines, random| replace(lines, random, "d\t0\t1\t", "d\t0\t0\t")),
            (Code("word-order"), |lines, _| {
                // The change is in the first word of any sentence but the first; the numbers of other words reveal it.
                let first =
                    lines.iter().rposition(|line| line.starts_with("d\t0\t0\t")).filter(|&at| at > 1)?;
                lines[first + 1].starts_with("d\t0\t1\t").then(|| lines.remove(first))?;
                Some(first + 1)
            }),
            (Code("word-order"), |lines, random| {
                let blanks: Vec<usize> = (1..lines.len() - 2)
                    .filter(|&at| lines[at].is_empty() && lines[at + 1].starts_with("d\t"))
                    .collect();
                let place = *blanks.get(random.below(blanks.len().max(1)))?;
                lines.remove(place);
                Some(place + 1)
            }),
            (Code("word-order"), |lines, _| {
                let place = lines.iter().position(|line| line.starts_with("d\t0\t1\t"))?;
                lines[place + 1].starts_with("d\t").then(|| lines.swap(place, place + 1))?;
                Some(place + 1)
            }),
            (Code("no-begin-line"), |lines, _| remove(lines, "#begin document").map(|_| 1)),
            (Code("unnamed-document"), |lines, random| {
                replace(lines, random, "#begin document (d); part 000", "#begin document")
            }),
            (Error("repeated-document"), |lines, _| {
                let all = lines.clone();
                lines.extend(all);
                Some(lines.len() / 2 + 1)
            }),
            (Error("missing-column"), |lines, random| {
                let line = replace_end(lines, random, "\t-", "")?;
                lines[line - 1] = "oven".to_owned();
                Some(line)
            }),
        ],
        "semeval" => vec![
            (Code("unclosed-mention"), |lines, random| replace_end(lines, random, "\t_", "\t(77")),
            (Code("unopened-mention"), |lines, random| replace_end(lines, random, "\t_", "\t77)")),
            (Code("empty-id"), |lines, random| replace_end(lines, random, "\t_", "\t()")),
            (Code("duplicate-mention"), |lines, random| replace_end(lines, random, "\t(2)", "\t(2)|(9)")),
            (Code("no-end-line"), |lines, _| remove(lines, "#end document")),
            (Error("word-number"), |lines, _| {
                lines.remove(2);
                Some(3)
            }),
        ],
        "corefud" => vec![
            (Code("unclosed-mention"), |lines, random| {
                replace_end(lines, random, "\t_", "\tEntity=(e77-person-1-")
            }),
            (Code("unopened-mention"), |lines, random| replace_end(lines, random, "\t_", "\tEntity=e77)")),
            (Code("bare-id"), |lines, random| replace_end(lines, random, "\t_", "\tEntity=e77")),
            (Code("no-global-entity"), |lines, _| remove(lines, "# global.Entity")),
            (Code("duplicate-mention"), |lines, random| {
                replace_end(lines, random, "Entity=(e2-person-1-)", "Entity=(e2-person-1-)(e9-person-1-)")
            }),
            (Code("same-id"), |lines, _| {
                // Two sentences have the same id.
                let second = lines.iter().position(String::is_empty).filter(|&at| at + 2 < lines.len())? + 1;
                lines.insert(second, "# sent_id = s1".to_owned());
                let first = lines.iter().position(|line| line.starts_with("1\t"))?;
                lines.insert(first, "# sent_id = s1".to_owned());
                Some(second + 2)
            }),
            (Error("missing-column"), |lines, random| replace_end(lines, random, "\t_", "")),
            (Error("out-of-range"), |lines, random| replace(lines, random, "-person-1-)", "-person-5-)")),
            (Error("word-number"), |lines, _| {
                lines.remove(3);
                Some(4)
            }),
            (Error("missing-field"), |lines, random| {
                replace_end(lines, random, "\t_", "\tEntity=(-person-1-)")
            }),
            (Code("misplaced-mention"), |lines, _| {
                let place = lines.iter().position(|line| line.starts_with("2\t"))?;
                lines.insert(place, "2-3\tword\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1-)".to_owned());
                Some(place + 1)
            }),
        ],
        "conll-ua" => vec![
            (Code("unclosed-mention"), |lines, random| {
                replace_end(lines, random, "\t_\t_\t_\t_\t_\t_", "\t_\t(EntityID=77\t_\t_\t_\t_")
            }),
            (Code("unopened-mention"), |lines, _| {
                let place = lines.iter().rposition(|line| line.ends_with("\t_\t_\t_\t_\t_\t_"))?;
                lines[place] = lines[place].replace(
                    "\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_",
                    "\t_\t_\t_\t_\t_\t_\t_\t_\t)\t_\t_\t_\t_",
                );
                Some(place + 1)
            }),
            (Code("empty-id"), |lines, random| replace(lines, random, "(EntityID=2)", "(SemType=dn)")),
            (Code("no-columns-line"), |lines, _| remove(lines, "# global.columns")),
            (Code("misspelled"), |lines, random| {
                replace(lines, random, "# global.columns", "# global.colums")
            }),
            (Code("misspelled"), |lines, random| replace(lines, random, " IDENTITY", " IDENTTY")),
            (Error("missing-column"), |lines, random| replace(lines, random, " IDENTITY", " IDENTTY")),
            (Code("no-begin-line"), |lines, _| remove(lines, "# newdoc")),
            (Code("min-span"), |lines, random| replace(lines, random, "(EntityID=2)", "(EntityID=2|Min=0)")),
            (Error("missing-column"), |lines, random| replace_end(lines, random, "\t_\t_\t_\t_\t_\t_", "")),
        ],
        "jsonlines" => vec![
            (Code("reversed-span"), |lines, random| replace(lines, random, "[0, 2]", "[2, 0]")),
            (Code("span-extra"), |lines, random| replace(lines, random, "[0, 2]", "[0, 2, 9]")),
            (Code("empty-entity"), |lines, random| {
                replace(lines, random, "\"clusters\": [", "\"clusters\": [[], ")
            }),
            (Code("unnamed-document"), |lines, random| replace(lines, random, "\"doc_key\": \"b\", ", "")),
            (Code("duplicate-mention"), |lines, random| replace(lines, random, "[0, 2]", "[0, 2], [0, 2]")),
            (Error("out-of-range"), |lines, random| replace(lines, random, "[0, 2]", "[0, 999]")),
            (Error("bad-json"), |lines, random| replace(lines, random, "[0, 2]", "[0, -2]")),
            (Error("missing-field"), |lines, random| replace(lines, random, "\"clusters\"", "\"cluster\"")),
            (Error("repeated-document"), |lines, random| {
                replace(lines, random, "\"doc_key\": \"b\"", "\"doc_key\": \"a\"").map(|_| 2)
            }),
            (Error("bad-json"), |lines, _| {
                let half = lines[1].len() / 2;
                lines[1].truncate(half);
                Some(2)
            }),
        ],
        "json" => vec![
            (Code("empty-entity"), |lines, random| {
                replace(lines, random, "\"e2\":", "\"e99\": [],\n\"e2\":")
            }),
            (Error("repeated-id"), |lines, random| replace(lines, random, "\"e2\":", "\"e1\":")),
            (Error("bad-value"), |lines, random| replace(lines, random, "\"clusters\",", "\"cluster\",")),
            (Error("cut-off"), |lines, _| cut(lines, "\"e1\"")),
            (Error("bad-value"), |lines, random| replace(lines, random, "\"e2\": [", "\"e2\": [null, ")),
        ],
        "table" => vec![
            (Code("columns-assumed"), |lines, _| remove(lines, "mention,entity")),
            (Error("missing-field"), |lines, random| replace(lines, random, ",e2", ",")),
            (Error("missing-column"), |lines, random| replace(lines, random, ",e2", ",e2,e3")),
            (Error("missing-column"), |lines, random| replace(lines, random, ",e2", "")),
        ],
        "links" => vec![
            (Error("cut-off"), |lines, random| replace_end(lines, random, "}", "")),
            (Error("bad-value"), |lines, random| replace(lines, random, " ", " {")),
            (Error("missing-field"), |lines, _| {
                lines.push("a-".to_owned());
                Some(lines.len())
            }),
        ],
        "brat" => vec![
            (Code("text-differs"), |lines, random| replace(lines, random, "PER 0 ", "PER 1 ")),
            (Code("inside-word"), |lines, _| {
                let line = lines[1].clone();
                let parts: Vec<&str> = line.split('\t').collect();
                let ends: Vec<usize> = parts[1].split(' ').skip(1).map(|end| end.parse().unwrap()).collect();
                lines[1] = format!(
                    "{}\tPER {} {}\t{}",
                    parts[0],
                    ends[0],
                    ends[1] - 1,
                    &parts[2][..parts[2].len() - 1]
                );
                Some(2)
            }),
            (Code("duplicate-mention"), |lines, _| {
                let copy = lines[0].replace("T1\t", "T99\t");
                lines.insert(1, copy);
                Some(2)
            }),
            (Code("same-id"), |lines, _| {
                lines.extend(["R1\tCoref Arg1:T1 Arg2:T2", "R1\tCoref Arg1:T1 Arg2:T2"].map(str::to_owned));
                Some(lines.len())
            }),
            (Code("circular-link"), |lines, _| {
                lines.push("R1\tCoref Arg1:T1 Arg2:T1".to_owned());
                Some(lines.len())
            }),
            (Error("repeated-id"), |lines, _| repeat(lines, "T1\t")),
            (Error("bad-value"), |lines, random| replace(lines, random, "PER 0 ", "PER x ")),
            (Error("out-of-range"), |lines, random| replace(lines, random, "PER 0 ", "PER 0 9999;0 ")),
        ],
        "webanno" => vec![
            (Error("repeated-id"), |lines, _| repeat(lines, "1-2\t")),
            (Error("bad-value"), |lines, random| replace(lines, random, "ana->2-1", "ana->2")),
            (Code("unknown-id"), |lines, random| replace(lines, random, "ana->2-1", "ana->2-99").map(|_| 0)),
            (Code("unknown-id"), |lines, _| {
                // Relations between spans include one to a word that does not exist.
                *lines = std::mem::take(lines)
                    .into_iter()
                    .map(|line| match line.strip_prefix("#T_CH=") {
                        Some(_) => "#T_SP=x.Mention|kind\n#T_RL=x.Coref|BT_x.Mention".to_owned(),
                        None if line.contains('\t') => {
                            let cells: Vec<&str> = line.split('\t').take(3).collect();
                            let to = if cells[0] == "1-2" { "9-9" } else { "_" };
                            format!("{}\tname\t{to}\t", cells.join("\t"))
                        }
                        None => line,
                    })
                    .flat_map(|line| line.split('\n').map(str::to_owned).collect::<Vec<_>>())
                    .collect();
                lines.iter().position(|line| line.starts_with("1-2\t")).map(|place| place + 1)
            }),
            (Error("missing-field"), |lines, _| remove(lines, "#T_CH")),
            (Error("bad-value"), |lines, random| replace(lines, random, "1-6\t", "")),
        ],
        "muc" => vec![
            (Code("unclosed-mention"), |lines, random| replace(lines, random, "</COREF>", "").map(|_| 0)),
            (Code("unopened-mention"), |lines, random| {
                replace(lines, random, "</COREF>", "</COREF></COREF>").map(|_| 0)
            }),
            (Code("unknown-id"), |lines, random| replace(lines, random, "REF=\"1\"", "REF=\"777\"")),
            (Code("circular-link"), |lines, random| {
                replace(lines, random, "<COREF ID=\"1\">", "<COREF ID=\"1\" REF=\"1\">")
            }),
            (Code("misspelled"), |lines, random| replace(lines, random, " REF=\"1\"", " REFF=\"1\"")),
            (Code("misspelled"), |lines, random| {
                replace(lines, random, " REF=\"1\"", " MIM=\"x\" REF=\"1\"")
            }),
            (Code("other-link"), |lines, random| {
                replace(lines, random, " REF=\"1\"", " TYPE=\"PART\" REF=\"1\"")
            }),
            (Code("no-end-line"), |lines, _| remove(lines, "</DOC>")),
            (Code("empty-span"), |lines, random| {
                replace(lines, random, "</COREF>", "</COREF><COREF ID=\"99\"></COREF>")
            }),
            (Error("missing-field"), |lines, random| replace(lines, random, "<COREF ID=\"2\"", "<COREF")),
            (Error("repeated-id"), |lines, random| replace(lines, random, "ID=\"2\"", "ID=\"1\"").map(|_| 0)),
            (Error("cut-off"), |lines, random| replace(lines, random, "<COREF ID=\"1\">", "<COREF ID=\"1>")),
        ],
        "apf" => vec![
            (Code("text-differs"), |lines, random| replace(lines, random, "\">ka", "\">zz")),
            (Code("unknown-type"), |lines, random| replace(lines, random, "TYPE=\"PER\"", "TYPE=\"XYZ\"")),
            (Error("missing-field"), |lines, _| {
                let place = lines.iter().position(|line| line.starts_with("<entity_mention"))?;
                lines[place] = "<entity_mention TYPE=\"NOM\">".to_owned();
                Some(place + 1)
            }),
            (Error("out-of-range"), |lines, random| replace(lines, random, "END=\"", "END=\"99")),
            (Error("bad-value"), |lines, random| replace(lines, random, "START=\"", "START=\"x")),
            (Error("cut-off"), |lines, _| cut(lines, "<entity_mention")),
            (Error("bad-markup"), |lines, random| replace(lines, random, "</extent>", "</extend>")),
            (Error("bad-markup"), |lines, _| {
                let place = lines.iter().position(|line| line.starts_with("<extent>"))?;
                lines[place] = lines[place].replace("<extent>", "").replace("</extent>", "");
                Some(place + 1)
            }),
            (Error("repeated-id"), |lines, random| {
                replace(lines, random, "<entity ID=\"E2\"", "<entity ID=\"E1\"")
            }),
        ],
        "ecb+" => vec![
            (Code("unknown-id"), |lines, random| {
                replace(lines, random, "<source m_id=\"1\"", "<source m_id=\"777\"")
            }),
            (Code("empty-span"), |lines, random| {
                replace(
                    lines,
                    random,
                    "<HUMAN_PART_PER m_id=\"1\">",
                    "<HUMAN_PART_PER m_id=\"555\">\n</HUMAN_PART_PER>\n<HUMAN_PART_PER m_id=\"1\">",
                )
            }),
            (Error("out-of-range"), |lines, random| {
                replace(lines, random, "<token_anchor t_id=\"1\"", "<token_anchor t_id=\"999\"")
            }),
            (Error("repeated-id"), |lines, _| repeat(lines, "<token t_id=\"2\"")),
            (Error("cut-off"), |lines, _| cut(lines, "<Markables>")),
            (Error("missing-field"), |lines, random| {
                replace(lines, random, " t_id=\"3\" sentence", " sentence")
            }),
            (Error("bad-markup"), |lines, random| replace(lines, random, "</Markables>", "</Markable>")),
        ],
        "bracketed" => vec![
            (Code("empty-id"), |lines, random| replace(lines, random, "](#2)", "](#)")),
            (Code("unopened-mention"), |lines, random| replace(lines, random, " ", " ](#2) ").map(|_| 0)),
        ],
        "tagged" => vec![
            (Code("unclosed-mention"), |lines, random| replace(lines, random, "</m>", "").map(|_| 0)),
            (Code("unopened-mention"), |lines, random| replace(lines, random, "</m>", "</m></m>").map(|_| 0)),
            (Code("empty-id"), |lines, random| replace(lines, random, "id=\"2\"", "id=\"\"")),
        ],
        "pipe" => vec![
            (Code("unclosed-mention"), |lines, random| replace(lines, random, " ", "|[e77 ").map(|_| 0)),
            (Code("unopened-mention"), |lines, random| replace(lines, random, " ", "|e77] ").map(|_| 0)),
        ],
        "json-answer" => vec![
            (Code("json-cut"), |lines, _| cut(lines, "clusters").map(|_| 0)),
            (Code("json-repaired"), |lines, random| replace(lines, random, "]]}", "]],}")),
            (Code("answer-unwrapped"), |lines, _| {
                lines.insert(0, "Here is the answer:".to_owned());
                Some(0)
            }),
        ],
        other => panic!("the format {other} has no defects: write them here"),
    }
}

/// An error in a line, if the line contains the text that it changes.
type Break = fn(&str) -> Option<String>;

/// Replaces the first `old` of a line.
fn changed(line: &str, old: &str, new: &str) -> Option<String> {
    line.contains(old).then(|| line.replacen(old, new, 1))
}

/// Replaces the number that a line starts with.
fn renumbered(line: &str, new: impl Fn(u32) -> String) -> Option<String> {
    let end = line.find(|c: char| !c.is_ascii_digit())?;
    Some(new(line[..end].parse().ok()?) + &line[end..])
}

/// Keeps some columns of the line of a word.
fn cut_to(line: &str, columns: usize) -> Option<String> {
    let cells: Vec<&str> = line.split('\t').collect();
    (cells.len() > columns && !line.starts_with('#')).then(|| cells[..columns].join("\t"))
}

/// Returns the errors that a single line can have, in formats whose readers fail.
fn breaks(format: &str) -> Vec<Break> {
    match format {
        "conll" => vec![|line| line.strip_prefix("d\t").and(Some("word".to_owned()))],
        "semeval" => vec![
            |line| renumbered(line, |_| "x".to_owned()),
            |line| renumbered(line, |number| (number * 7 + 50).to_string()),
            |line| renumbered(line, |number| (number * 11 + 90).to_string()),
        ],
        "corefud" => vec![
            |line| renumbered(line, |_| "x".to_owned()),
            |line| renumbered(line, |number| (number * 7 + 50).to_string()),
            |line| renumbered(line, |number| (number * 11 + 90).to_string()),
            |line| renumbered(line, |number| format!("{number}.x")),
            |line| cut_to(line, 9),
            |line| cut_to(line, 3),
            |line| line.contains('\t').then(|| line.replace('\t', " ")),
            |line| changed(line, "\t_\t", "\t"),
            |line| changed(line, "\t_\t", "\t_\t_\t"),
            |line| changed(line, "-person-1", "-person-x"),
            |line| changed(line, "-person-1-)", "-person-7-)"),
            |line| changed(line, "(e1-", "(-"),
            |line| changed(line, "(e2-", "(e2[x/2]-"),
            |line| changed(line, "e1)", "e1[2/1])"),
            |line| changed(line, "Entity=", "Bridge=e1|Entity="),
            |line| changed(line, "Entity=", "SplitAnte=e1|Entity="),
            |line| line.starts_with(|c: char| c.is_ascii_digit()).then(|| "rubbish".to_owned()),
        ],
        "conll-ua" => vec![
            |line| cut_to(line, 10),
            |line| cut_to(line, 2),
            |line| changed(line, "\t)", "\tm1)"),
            |line| {
                let marked = line.contains("EntityID").then_some(line)?;
                renumbered(marked, |number| format!("{number}-{}", number + 1))
            },
        ],
        "jsonlines" => vec![
            |line| changed(line, "[0, 2]", "[0, 999]"),
            |line| changed(line, "[0, 2]", "[0, -2]"),
            |line| changed(line, "\"clusters\"", "\"cluster\""),
            |line| changed(line, "\"doc_key\": ", "\"doc_key\": 1."),
            |line| changed(line, "[[\"", "[[7, \""),
        ],
        "json" => vec![|line| changed(line, ": [\"m", ": [null, \"m"), |line| {
            line.strip_suffix(',').and_then(|line| Some(line.split_once(": [")?.0.to_owned() + ": 7,"))
        }],
        "table" => vec![
            |line| (!line.starts_with("mention")).then(|| changed(line, ",e", ",e2,e"))?,
            |line| line.starts_with("m0").then(|| line.replace(',', "")),
            |line| line.split_once(",e").filter(|row| row.0 != "mention").map(|row| row.0.to_owned() + ","),
            |line| line.split_once(",e").filter(|row| row.0 != "mention").map(|row| format!(",e{}", row.1)),
        ],
        "links" => vec![
            |line| line.strip_suffix('}').map(str::to_owned),
            |line| changed(line, "{", "{-x "),
            |line| changed(line, "{", "a- {"),
        ],
        "brat" => vec![
            |line| changed(line, "PER ", "PER x"),
            |line| changed(line, "PER ", "PER 9999"),
            |line| changed(line, "\tPER ", " PER "),
            |line| changed(line, "PER ", ""),
            |line| changed(line, "Coref T", "Coref t"),
        ],
        "webanno" => vec![
            |line| line.contains('\t').then(|| line.replacen('-', "_", 1)),
            |line| cut_to(line, 4),
            |line| changed(line, "->1-", "->x-"),
            |line| changed(line, "->2-", "->2_"),
            |line| line.contains('\t').then(|| line.replacen('\t', "\tx", 1)),
        ],
        "muc" => vec![
            |line| changed(line, "<COREF ID=\"", "<COREF AD=\""),
            |line| changed(line, "<COREF ", "<COREF ID=\"77\" "),
            |line| changed(line, "<COREF ID=\"", "<COREF ID=\"\"\""),
        ],
        "apf" => vec![
            |line| changed(line, "<entity_mention ID=\"", "<entity_mention AD=\""),
            |line| changed(line, "TYPE=\"NOM\"", "TYPE=\"NOON\""),
            |line| changed(line, "TYPE=\"NOM\"", ""),
            |line| changed(line, "TYPE=\"NOM\"", "TYPE=NOM"),
            |line| changed(line, "START=\"", "START=\"x"),
            |line| changed(line, " START=", " FIRST="),
            |line| changed(line, "END=\"", "END=\"99"),
            |line| changed(line, " END=\"", " END=\"4\" END=\""),
            |line| changed(line, "<entity ID=", "<entity AD="),
            |line| changed(line, "TYPE=\"PER\"", ""),
            |line| changed(line, "</charseq>", "&none;</charseq>"),
        ],
        "ecb+" => vec![
            |line| changed(line, "<token t_id=", "<token id="),
            |line| changed(line, "<token t_id=", "<token t_id=\"1\" t_id="),
            |line| changed(line, "<token_anchor t_id=\"", "<token_anchor t_id=\"99"),
            |line| changed(line, "<token_anchor t_id=", "<token_anchor id="),
            |line| changed(line, "<HUMAN_PART_PER m_id=", "<HUMAN_PART_PER id="),
            |line| changed(line, "<source m_id=", "<source id="),
        ],
        _ => vec![],
    }
}

/// A folder that is removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name =
            format!("corefeval-validation-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("the folder can be made");
        Folder(folder)
    }

    /// Writes a file in a format, with its text if it has one.
    pub(crate) fn put(&self, format: &str, (file, text): (&[u8], Option<&str>)) -> PathBuf {
        let spec = FormatSpec::named(format).expect("a format");
        let path = self.0.join(format!("d.{}", spec.extensions[0]));
        fs::write(&path, file).expect("the file can be written");
        if let (Some(text), Some(extension)) = (text, spec.companion) {
            fs::write(self.0.join(format!("d.{extension}")), text).expect("the text can be written");
        }
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn validate(path: &Path, fix: Option<WriteFixes>) -> ValidationReport {
    validate_as(None, path, fix)
}

pub(crate) fn validate_as(
    format: Option<&'static FormatSpec>,
    path: &Path,
    fix: Option<WriteFixes>,
) -> ValidationReport {
    let input = NamedInput::open(&path.display().to_string()).expect("the file exists");
    let request = Request::new(Inputs::NoKey(vec![input])).threads(1).key_format(format);
    let mut validate = Validate::default();
    validate.fix = fix;
    Evaluation::new(request).expect("a request").validate(&validate).expect("a report")
}

pub(crate) fn shown(report: &ValidationReport) -> String {
    let finding = |finding: &corefeval_core::validation::Finding| {
        let place = finding.position.as_ref().map_or((0, 0), |place| (place.line, place.column));
        format!("{place:?} {} {}\n", finding.code, finding.message)
    };
    report.findings().map(finding).collect()
}

/// Numbers that are words, numbers of sentences, and numbers within the document are not word numbers in sentences.
/// Spaces may end lines, unknown attributes may occur next to known ones, and ids of sentences may start again.
#[test]
fn unusual_files_have_no_findings() {
    let conll = |rows: &str| format!("#begin document (d); part 000\n{rows}\n#end document\n");
    for (format, text) in [
        ("conll", conll("d\t0\t1\t(1)\nd\t1\tcat\t-\n\nd\t0\t7\t(1)\nd\t1\t9\t-\nd\t2\t3\t-\n")),
        ("conll", conll("d\t0\t0\tIda\t(1)\nd\t0\t0\tslept\t-\n\nd\t0\t1\tShe\t(1)\nd\t0\t1\twoke\t-\n")),
        ("conll", conll("d\t0\t0\tIda\t(1)\nd\t0\t1\tslept\t-\n\nd\t0\t2\tShe\t(1)\nd\t0\t3\twoke\t-\n")),
        (
            "conll",
            conll(
                "d\t0\t1\tIda\t(1)\nd\t0\t2\tslept\t-\n\nd\t0\t1\tShe\t(1)\n\nd\t0\t1\tA\t-\nd\t0\t2\tb\t-\n",
            ),
        ),
        (
            "conll",
            conll("d\t0\t0\tIda\t(1)  \nd\t0\t1\tslept\t- \nd\t0\t2\tShe\t(1)|(2 \nd\t0\t3\ttoo\t2) \n"),
        ),
        (
            "muc",
            "<DOC>\n<DOCNO>d</DOCNO>\n<TXT>\n<COREF ID=\"1\">Ida</COREF> <A HREF=\"x\">saw</A> \
             <COREF ID=\"2\" REF=\"1\" REL=\"x\">her</COREF>.\n</TXT>\n</DOC>\n"
                .to_owned(),
        ),
        (
            "corefud",
            ["a", "b"]
                .map(|id| {
                    format!(
                        "# newdoc id = {id}\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n\
                         1\tIda\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1-)\n\n"
                    )
                })
                .concat(),
        ),
    ] {
        let folder = Folder::new();
        let report = validate(&folder.put(format, (text.as_bytes(), None)), None);
        assert_eq!(shown(&report), "", "{text}");
        assert_eq!(report.files[0].format, Some(format), "{text}");
    }
}

#[test]
fn every_seeded_defect_is_found_and_clean_files_have_none() {
    let mut missed = Vec::new();
    for spec in FormatSpec::of_documents() {
        let mut found = 0;
        for seed in 0..12 {
            let mut random = Random(seed);
            let story = Story::new(&mut random);
            let (file, text) = written(spec.id, &story);
            let folder = Folder::new();
            let clean = validate(&folder.put(spec.id, (file.as_bytes(), text.as_deref())), None);
            assert_eq!(shown(&clean), "", "{} {seed}\n{file}", spec.id);
            assert_eq!(clean.files[0].format, Some(spec.id), "{file}");
            for (wanted, change) in defects(spec.id) {
                let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
                let Some(line) = change(&mut lines, &mut random) else { continue };
                found += 1;
                let broken = lines.join("\n") + "\n";
                let path = folder.put(spec.id, (broken.as_bytes(), text.as_deref()));
                // A file without the mark of its format is read in a different format: as conll with too few words, or
                // as an answer with a different type.
                let named = matches!(spec.id, "semeval" | "json") && matches!(wanted, Error(_));
                let named = named.then_some(spec);
                let report = validate_as(named, &path, None);
                let is_it = |finding: &&corefeval_core::validation::Finding| {
                    let right = match wanted {
                        Code(code) => finding.code == code,
                        Error(code) => finding.severity == Severity::Error && finding.code == code,
                    };
                    let at = finding.position.as_ref().map_or(0, |place| place.line as usize);
                    right && (line == 0 || at == line)
                };
                let all = shown(&report);
                let hit = report.findings().find(is_it);
                let Some(hit) = hit else {
                    missed.push(format!("{} {seed}: {wanted:?} at line {line}\n{broken}\n{all}", spec.id));
                    continue;
                };
                // An answer may end after the last line.
                let inside = 1..=broken.lines().count();
                let placed =
                    hit.position.as_ref().is_some_and(|place| inside.contains(&(place.line as usize)));
                assert!(hit.excerpt.is_some() || !placed, "{}: {all}", spec.id);
            }
        }
        assert!(found >= 12 * 2, "{} has {found} defects", spec.id);
    }
    assert!(missed.is_empty(), "{} defects were not found:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn all_lines_with_errors_are_found_in_one_run_and_no_others() {
    let mut wrong = Vec::new();
    for spec in FormatSpec::of_documents() {
        let breaks = breaks(spec.id);
        assert_eq!(breaks.is_empty(), spec.is_answer(), "{} has no errors: write them here", spec.id);
        let mut most = 0;
        for seed in 0..40 {
            let mut random = Random(seed);
            let story = Story::of(&mut random, Some(8));
            let (file, text) = written(spec.id, &story);
            let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
            let mut broken = Vec::new();
            for (place, line) in lines.iter_mut().enumerate() {
                let new: Vec<String> = breaks.iter().filter_map(|broken| broken(line)).collect();
                if !new.is_empty() && random.below(3) == 0 {
                    *line = new[random.below(new.len())].clone();
                    broken.push(place + 1);
                }
            }
            let whole = lines.join("\n") + "\n";
            let folder = Folder::new();
            let path = folder.put(spec.id, (whole.as_bytes(), text.as_deref()));
            let report = validate_as(Some(spec), &path, None);
            let mut found: Vec<usize> = report
                .findings()
                .filter(|finding| finding.severity > Severity::Note)
                // The name of a missing field may be present but misspelled.
                .filter(|finding| finding.code != "misspelled")
                .map(|finding| finding.position.as_ref().map_or(0, |place| place.line as usize))
                .collect();
            found.sort_unstable();
            most = most.max(broken.len());
            // `score` reads like this, without storing the words.
            let mut options = ReadOptions::default();
            options.all_errors = true;
            let without_words = match spec.companion {
                None => spec.read(whole.as_bytes(), "d", options).err(),
                Some(_) => None,
            };
            let errors = without_words.iter().flat_map(|error| std::iter::once(error).chain(error.others()));
            let lines: Vec<usize> =
                errors.map(|error| error.position().map_or(0, |place| place.line as usize)).collect();
            let same = without_words.is_none() || breaks.is_empty() || lines == broken;
            if found != broken || !same {
                let all = shown(&report) + &format!("{lines:?}");
                wrong.push(format!("{} {seed}: {found:?}, wanted {broken:?}\n{all}\n{whole}", spec.id));
            }
        }
        assert!(breaks.is_empty() || most > 1, "{}", spec.id);
    }
    assert!(wrong.is_empty(), "{} files:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn any_bytes_cause_findings_and_no_panic() {
    for spec in FormatSpec::of_documents() {
        let mut random = Random(7);
        for seed in 0..8 {
            let story = Story::new(&mut Random(seed));
            let (file, text) = written(spec.id, &story);
            let mut bytes = file.into_bytes();
            for _ in 0..1 + random.below(6) {
                let place = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[place] = random.below(256) as u8,
                    1 => drop(bytes.remove(place)),
                    2 => bytes.truncate(place + 1),
                    _ => bytes.insert(place, b"()[]{}<>|\"\n\t-"[random.below(13)]),
                }
            }
            let folder = Folder::new();
            let path = folder.put(spec.id, (&bytes, text.as_deref()));
            validate(&path, None);
            // A corrected file needs no further correction.
            let once = validate(&path, Some(WriteFixes::InPlace));
            let after = fs::read(&path).unwrap();
            let twice = validate(&path, Some(WriteFixes::InPlace));
            assert!(twice.files.iter().all(|file| file.fixed.is_none()), "{} {seed}", spec.id);
            assert_eq!(fs::read(&path).unwrap(), after);
            assert_eq!(shown(&once), shown(&twice));
        }
    }
}

/// Returns F1 of all metrics that need only mentions, or the message of the error.
fn scores(key: &Path, response: &Path) -> Result<Vec<String>, String> {
    let [key, response] = [key, response].map(|path| path.display().to_string());
    let request = Request::files(&key, [response.as_str()]).unwrap().threads(1);
    let request = request.metrics("mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea").unwrap();
    let report = Evaluation::new(request).unwrap().score().map_err(|error| error.message())?;
    Ok(report.systems[0].results.iter().map(|result| format!("{:?}", result.score)).collect())
}

#[test]
fn corrections_never_change_a_score() {
    let mut corrected = 0;
    for spec in FormatSpec::of_documents() {
        for seed in 0..40 {
            let mut random = Random(seed);
            let (file, text) = written(spec.id, &Story::new(&mut random));
            let other = written(spec.id, &Story::new(&mut Random(seed)));
            let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
            let defects = defects(spec.id);
            for _ in 0..1 + random.below(4) {
                let (_, change) = defects[random.below(defects.len())];
                change(&mut lines, &mut random);
            }
            let broken = lines.join("\n") + "\n";
            let (keys, responses) = (Folder::new(), Folder::new());
            let key = keys.put(spec.id, (other.0.as_bytes(), other.1.as_deref()));
            let response = responses.put(spec.id, (broken.as_bytes(), text.as_deref()));
            if spec.is_answer() {
                let report = validate(&response, Some(WriteFixes::InPlace));
                assert!(report.files[0].fixed.is_none());
                continue;
            }
            let before = [scores(&key, &response), scores(&response, &key)];
            let report = validate(&response, Some(WriteFixes::Beside));
            let Some(fixed) = &report.files[0].fixed else {
                assert_eq!(fs::read(&response).unwrap(), broken.as_bytes());
                continue;
            };
            corrected += 1;
            assert_eq!(fs::read(&response).unwrap(), broken.as_bytes(), "the file itself is unchanged");
            let copy = PathBuf::from(&fixed.path);
            assert!(copy.ends_with(format!("d.fixed.{}", spec.extensions[0])), "{}", fixed.path);
            fs::copy(&copy, &response).unwrap();
            fs::remove_file(&copy).unwrap();
            let again = validate(&response, Some(WriteFixes::Beside));
            assert!(again.files[0].fixed.is_none() && !copy.exists(), "{} {seed}: again", spec.id);
            let after = [scores(&key, &response), scores(&response, &key)];
            for (before, after) in before.into_iter().zip(after) {
                // A document that could not be scored before may be scored after the correction.
                assert!(before.is_err() || before == after, "{} {seed}\n{broken}", spec.id);
            }
        }
    }
    assert!(corrected >= 20, "{corrected} files were corrected");
}

#[test]
fn samples_cause_their_findings() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    let report = |format: &str, path: PathBuf, case: &Case| {
        let input = NamedInput::open(&path.display().to_string()).unwrap();
        let mut request = Request::new(Inputs::NoKey(vec![input])).threads(1).allow_empty(true);
        request = request.key_format(FormatSpec::named(format).unwrap());
        request = request.response_format(FormatSpec::named(format).unwrap());
        let options = [("span-end", &case.span_end), ("annotation", &case.annotation)];
        for (name, value) in options.into_iter().filter(|option| !option.1.is_empty()) {
            request = request.choose(name, value).unwrap();
        }
        if case.boundary_crossing {
            request = request.choose("boundary-crossing", "yes").unwrap();
        }
        let mut validate = Validate::default();
        validate.response = case.role == "response";
        Evaluation::new(request).unwrap().validate(&validate).unwrap()
    };
    for spec in FormatSpec::of_documents() {
        for (folder, broken) in [(spec.id.to_owned(), false), (format!("{}-broken", spec.id), true)] {
            let folder = samples.join(folder);
            let Ok(text) = fs::read_to_string(folder.join("cases.json")) else { continue };
            let cases: Vec<Case> = serde_json::from_str(&text).unwrap();
            for case in cases {
                let report = report(spec.id, folder.join(&case.file), &case);
                let all = shown(&report);
                let lines: Vec<u32> = report
                    .findings()
                    .filter(|finding| finding.severity > Severity::Note)
                    .map(|finding| finding.position.as_ref().map_or(0, |place| place.line))
                    .collect();
                match broken {
                    true if case.place == "file" => assert!(!lines.is_empty(), "{}", case.file),
                    true => assert!(lines.contains(&case.line), "{}/{}\n{all}", folder.display(), case.file),
                    false => {
                        let others = report.findings().filter(|finding| {
                            finding.severity > Severity::Note && finding.code != "duplicate-mention"
                        });
                        assert_eq!(
                            others.count() as u64,
                            case.warnings,
                            "{}/{}\n{all}",
                            folder.display(),
                            case.file
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn damaged_files_and_texts_next_to_annotation_are_not_corrected() {
    let options = ReadOptions::default();
    let gzip = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/formats/conll-broken/gzip-truncated.conll.gz");
    assert_eq!(fixes::fix(&fs::read(gzip).unwrap(), &Arc::from("a.gz"), None, &options), None);
    for fix in fixes::FIXES {
        for format in fix.formats {
            assert!(FormatSpec::named(format).is_ok_and(|spec| spec.companion.is_none()), "{format}");
        }
        assert!(fix.summary.ends_with('.'));
    }
}

/// Compressed files are corrected and stay compressed; each correction is counted once.
#[test]
fn compressed_files_are_corrected() {
    let folder = std::env::temp_dir().join(format!("corefeval-fix-compressed-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let text =
        "{\"doc_key\": \"a\", \"sentences\": [[\"Ada\", \"slept\"]], \"clusters\": [[[1, 0], [0, 0, 7]]]}\n";
    let corrected = text.replace("[1, 0], [0, 0, 7]", "[0, 1], [0, 0]");
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstandard = |text: &str| {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    };
    type Packed<'p> = &'p dyn Fn(&str) -> Vec<u8>;
    let plain = |text: &str| text.as_bytes().to_vec();
    let packed: [Packed<'_>; 3] = [&plain, &gzip, &zstandard];
    for (extension, packed) in ["jsonlines", "jsonlines.gz", "jsonlines.zst"].into_iter().zip(packed) {
        let file = folder.join(format!("a.{extension}"));
        fs::write(&file, packed(text)).unwrap();
        let report = |fix| {
            let input = NamedInput::open(&file.display().to_string()).unwrap();
            let mut validate = Validate::default();
            validate.fix = fix;
            Evaluation::new(Request::new(Inputs::NoKey(vec![input]))).unwrap().validate(&validate).unwrap()
        };
        let before = report(None);
        assert_eq!(before.findings().filter(|finding| finding.fixable).count(), 2, "{}", shown(&before));
        let after = report(Some(WriteFixes::Beside));
        let fixed = after.files[0].fixed.as_ref().unwrap();
        assert_eq!(fixed.codes, [("reversed-span", 1), ("span-extra", 1)], "{extension}");
        let copy = folder.join(format!("a.fixed.{extension}"));
        assert_eq!(fixed.path, copy.display().to_string());
        assert_eq!(fs::read(copy).unwrap(), packed(&corrected));
        assert_eq!(report(Some(WriteFixes::InPlace)).findings().count(), 0);
        assert_eq!(fs::read(&file).unwrap(), packed(&corrected));
    }
    fs::remove_dir_all(&folder).unwrap();
}
