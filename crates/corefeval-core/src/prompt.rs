//! Prompts for language models: the text of a key, and instructions that make answers readable without loss.
//!
//! Each notation of answers is a row of [`PROMPTS`]. A prompt contains one document without annotation, in the spelling
//! that the answer must repeat (characters that would be read as marks are escaped), the rules of the notation, and an
//! example.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::alignment::{running_sentences, running_text};
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{is_around_an_answer, is_like_a_mark_of_pipe};
use crate::model::{Corpus, Document, EntityId, Layers, Mention};
use crate::suggest::one_of;

/// The parts of a prompt for answers in one notation.
pub struct PromptSpec {
    /// The format with its notation, as typed: `bracketed:link`.
    pub id: &'static str,
    /// The rules for marking mentions, as sentences for the model.
    rules: &'static [&'static str],
    /// The answer to the text of the example.
    example: &'static str,
    /// True if answers number the entities.
    numbered: bool,
    /// True if mentions of different entities may cross.
    crossing: bool,
    input: TextSpelling,
}

/// The spelling of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextSpelling {
    /// With the spacing of the file, and a backslash before brackets and backslashes.
    Brackets,
    /// Like [`Brackets`](Self::Brackets), with spaces between all words, for notations whose ids could run into the
    /// next word.
    SpacedBrackets,
    /// With the spacing of the file, and references for the characters of tags.
    Tags,
    /// Like [`Tags`](Self::Tags), with spaces between all words.
    SpacedTags,
    /// Words with a space between them, and empty nodes.
    Words,
    /// Numbered sentences, with the spacing of the file.
    Sentences,
}

/// The text of the example.
const EXAMPLE: &str = "Ines sold her boat. She misses it.";

/// The text of the example by words.
const EXAMPLE_WORDS: &str = "Ines sold her boat . She misses it .";

/// All prompts.
pub static PROMPTS: &[PromptSpec] = &[
    PromptSpec {
        id: "bracketed:link",
        rules: &[
            "Write [ before each mention and ](#N) after it, where N is the number of its entity: [her](#1).",
        ],
        example: "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#2).",
        numbered: true,
        crossing: false,
        input: TextSpelling::Brackets,
    },
    PromptSpec {
        id: "bracketed:first",
        rules: &[
            "Write [N and a space before each mention and ] after it, where N is the number of its entity: [1 her].",
        ],
        example: "[1 Ines] sold [2 [1 her] boat]. [1 She] misses [2 it].",
        numbered: true,
        crossing: false,
        input: TextSpelling::Brackets,
    },
    PromptSpec {
        id: "bracketed:colon",
        rules: &[
            "Write [ before each mention and : N] after it, where N is the number of its entity: [her: 1].",
        ],
        example: "[Ines: 1] sold [[her: 1] boat: 2]. [She: 1] misses [it: 2].",
        numbered: true,
        crossing: false,
        input: TextSpelling::Brackets,
    },
    PromptSpec {
        id: "bracketed:hash",
        rules: &[
            "Write [ before each mention and ]#N after it, where N is the number of its entity: [her]#1.",
        ],
        example: "[Ines]#1 sold [[her]#1 boat]#2 . [She]#1 misses [it]#2 .",
        numbered: true,
        crossing: false,
        input: TextSpelling::SpacedBrackets,
    },
    PromptSpec {
        id: "bracketed:double",
        rules: &[
            "Write [[ before each mention and ]]_N after it, where N is the number of its entity: [[her]]_1.",
        ],
        example: "[[Ines]]_1 sold [[[[her]]_1 boat]]_2 . [[She]]_1 misses [[it]]_2 .",
        numbered: true,
        crossing: false,
        input: TextSpelling::SpacedBrackets,
    },
    PromptSpec {
        id: "bracketed:subscript",
        rules: &[
            "Write [ before each mention and ]_N after it, where N is the number of its entity: [her]_1.",
        ],
        example: "[Ines]_1 sold [[her]_1 boat]_2 . [She]_1 misses [it]_2 .",
        numbered: true,
        crossing: false,
        input: TextSpelling::SpacedBrackets,
    },
    PromptSpec {
        id: "bracketed:bar",
        rules: &[
            "Write [ before each mention and | eN] after it, where N is the number of its entity: [her | e1].",
        ],
        example: "[Ines | e1] sold [[her | e1] boat | e2]. [She | e1] misses [it | e2].",
        numbered: true,
        crossing: false,
        input: TextSpelling::Brackets,
    },
    PromptSpec {
        id: "bracketed:antecedent",
        rules: &[
            "Write [ and a space before each mention, and a space and ] after it.",
            "If the entity was mentioned before, write | and the exact words of its last mention before the closing bracket: [ her | Ines ].",
            "This notation cannot represent words that mention two entities.",
        ],
        example: "[ Ines ] sold [ [ her | Ines ] boat ]. [ She | her ] misses [ it | her boat ].",
        numbered: false,
        crossing: false,
        input: TextSpelling::Brackets,
    },
    PromptSpec {
        id: "tagged:attribute",
        rules: &[
            "Write <m id=\"N\"> before each mention and </m> after it, where N is the number of its entity.",
        ],
        example: "<m id=\"1\">Ines</m> sold <m id=\"2\"><m id=\"1\">her</m> boat</m>. <m id=\"1\">She</m> misses <m id=\"2\">it</m>.",
        numbered: true,
        crossing: false,
        input: TextSpelling::Tags,
    },
    PromptSpec {
        id: "tagged:element",
        rules: &[
            "Write <eN> before each mention and </eN> after it, where N is the number of its entity. Mentions may cross.",
        ],
        example: "<e1>Ines</e1> sold <e2><e1>her</e1> boat</e2>. <e1>She</e1> misses <e2>it</e2>.",
        numbered: true,
        crossing: true,
        input: TextSpelling::Tags,
    },
    PromptSpec {
        id: "tagged:seq2seq",
        rules: &[
            "Write <m> before each mention and | N </m> after it, where N is the number of its entity: <m> her | 1 </m>.",
        ],
        example: "<m> Ines | 1 </m> sold <m> <m> her | 1 </m> boat | 2 </m>. <m> She | 1 </m> misses <m> it | 2 </m>.",
        numbered: true,
        crossing: false,
        input: TextSpelling::Tags,
    },
    PromptSpec {
        id: "tagged:corefinst",
        rules: &[
            "Write <m> before each mention and </m>#N after it, where N is the number of its entity: <m> her </m>#1.",
        ],
        example: "<m> Ines </m>#1 sold <m> <m> her </m>#1 boat </m>#2 . <m> She </m>#1 misses <m> it </m>#2 .",
        numbered: true,
        crossing: false,
        input: TextSpelling::SpacedTags,
    },
    PromptSpec {
        id: "pipe",
        rules: &[
            "The text is one line of words with spaces between them. Keep them so, on one line.",
            "Write | after a word where mentions begin or end, then their tags with commas between them: [eN at the first word of a mention, eN] at its last word, [eN] where it has one word. N is the number of its entity.",
            "Words that begin with ## are omitted pronouns. Keep them; they can be mentions too.",
        ],
        example: "Ines|[e1] sold her|[e1],[e2 boat|e2] . She|[e1] misses it|[e2] .",
        numbered: true,
        crossing: true,
        input: TextSpelling::Words,
    },
    PromptSpec {
        id: "json-answer",
        rules: &[
            "Answer with one JSON object and nothing else: {\"clusters\": [ENTITY, ...]}, where an entity is the list of its mentions in the order of the text.",
            "A mention is {\"text\": \"...\", \"sentence\": N}: its exact words, and the number of its sentence.",
        ],
        example: "{\"clusters\": [[{\"text\": \"Ines\", \"sentence\": 1}, {\"text\": \"her\", \"sentence\": 1}, {\"text\": \"She\", \"sentence\": 2}], [{\"text\": \"her boat\", \"sentence\": 1}, {\"text\": \"it\", \"sentence\": 2}]]}",
        numbered: false,
        crossing: true,
        input: TextSpelling::Sentences,
    },
];

/// Annotation that an answer may lose, with its places in a document.
type PromptLoss = (&'static str, fn(&PromptSpec, &Document) -> Vec<Position>);

/// All annotation that an answer may lose.
const LOSSES: &[PromptLoss] = &[
    ("empty nodes, so that no zero can be marked; `pipe` has them", |spec, document| {
        let nodes = if spec.input == TextSpelling::Words { &[][..] } else { document.words().empty_nodes() };
        nodes.iter().map(|&node| place_of(document, node)).collect()
    }),
    (
        "words that begin with ## or end like a tag (`a|[e1]`), which are read as zeros and tags",
        |spec, document| {
            let is_mark = |form: &str| is_like_a_mark_of_pipe(&form.replace(char::is_whitespace, "_"));
            words_where(document, |form| spec.input == TextSpelling::Words && is_mark(form))
        },
    ),
    (
        "lines that are mistaken for code fences or reasoning around an answer (```, `</think>`)",
        |spec, document| {
            let is_text = spec.input != TextSpelling::Sentences;
            let text = spec.prompt(document).ok().filter(|_| is_text).map(|prompt| prompt.text);
            text.filter(|text| is_around_an_answer(text)).map(|_| document.position()).into_iter().collect()
        },
    ),
    ("words with a bar, which precedes the words of an earlier mention", |spec, document| {
        words_where(document, |form| spec.has_antecedents() && form.contains('|'))
    }),
    ("discontinuous mentions", |_, document| mentions_where(document, |mention| mention.parts().len() > 1)),
    ("mentions that cross", |spec, document| match spec.input {
        TextSpelling::Sentences => Vec::new(),
        _ => crossing(document, !spec.crossing),
    }),
    ("mentions of several entities with the same words", |spec, document| match spec.has_antecedents() {
        true => of_equal_words(document),
        false => Vec::new(),
    }),
    ("mentions whose words their sentence has more than once", |spec, document| match spec.input {
        TextSpelling::Sentences => ambiguous_in_sentence(document),
        _ => Vec::new(),
    }),
];

/// Returns the places of words of the text with a property.
fn words_where(document: &Document, is: impl Fn(&str) -> bool) -> Vec<Position> {
    let words = document.words();
    let Some(layers) = words.layers() else { return Vec::new() };
    let form = |word: u32| layers.form.get(word as usize).unwrap_or_default();
    let found = (0..words.count()).filter(|&word| !words.is_empty_node(word) && is(form(word)));
    found.map(|word| place_of(document, word)).collect()
}

/// Returns the places of mentions with a property.
fn mentions_where(document: &Document, is: impl Fn(&Mention) -> bool) -> Vec<Position> {
    let found = document.mentions().iter().filter(|mention| is(mention));
    found.map(|mention| document.position_of(mention)).collect()
}

/// Returns the place of a word.
fn place_of(document: &Document, word: u32) -> Position {
    let mut position = document.position();
    let words = document.words();
    if let Some(line) = words.layers().and_then(|layers| layers.line.get(word as usize)) {
        (position.line, position.column) = (line, words.column_of(word as usize));
    }
    position
}

/// Returns the mentions that cross an earlier mention, of any entity or of the same entity.
fn crossing(document: &Document, of_any: bool) -> Vec<Position> {
    let mut mentions: Vec<&Mention> = document.mentions().iter().collect();
    mentions.sort_by_key(|mention| (mention.span().start(), std::cmp::Reverse(mention.span().end())));
    let mut open: Vec<&Mention> = Vec::new();
    let mut found = Vec::new();
    for mention in mentions {
        let span = mention.span();
        open.retain(|other| other.span().end() > span.start());
        let crosses = |other: &&&Mention| {
            other.span().end() < span.end() && (of_any || other.entity() == mention.entity())
        };
        if open.iter().find(crosses).is_some() {
            found.push(document.position_of(mention));
        }
        open.push(mention);
    }
    found
}

/// Returns the forms of a mention's words in the text.
fn forms<'d>(document: &'d Document, mention: &Mention) -> Vec<&'d str> {
    let words = document.words();
    let of_text = (mention.span().start()..mention.span().end()).filter(|&word| !words.is_empty_node(word));
    let layers = words.layers();
    of_text.filter_map(|word| layers?.form.get(word as usize)).collect()
}

/// Returns the mentions with the same words as a mention of another entity.
fn of_equal_words(document: &Document) -> Vec<Position> {
    let mut entities: BTreeMap<Vec<&str>, BTreeSet<EntityId>> = BTreeMap::new();
    for mention in document.mentions() {
        entities.entry(forms(document, mention)).or_default().insert(mention.entity());
    }
    mentions_where(document, |mention| {
        entities.get(&forms(document, mention)).is_some_and(|entities| entities.len() > 1)
    })
}

/// Returns the mentions whose words also start elsewhere in their sentence, regardless of spaces, or belong to several
/// entities.
fn ambiguous_in_sentence(document: &Document) -> Vec<Position> {
    let words = document.words();
    let Some(layers) = words.layers() else { return Vec::new() };
    let form = |word: u32| layers.form.get(word as usize).unwrap_or_default();
    let of_text: Vec<(u32, &str)> = (0..words.count())
        .filter(|&word| !words.is_empty_node(word))
        .map(|word| (words.sentence_of(word), form(word)))
        .collect();
    let mut entities: BTreeMap<(u32, u32), BTreeSet<EntityId>> = BTreeMap::new();
    let ends = |mention: &Mention| (mention.span().start(), mention.span().end());
    for mention in document.mentions() {
        entities.entry(ends(mention)).or_default().insert(mention.entity());
    }
    mentions_where(document, |mention| {
        let sentence = words.sentence_of(mention.span().start());
        let text = forms(document, mention).concat();
        let first = of_text.partition_point(|word| word.0 < sentence);
        let last = of_text.partition_point(|word| word.0 <= sentence);
        let begins = |start: &usize| {
            let mut rest = text.as_str();
            for (_, form) in &of_text[*start..] {
                match rest.strip_prefix(form) {
                    Some("") => return true,
                    Some(more) => rest = more,
                    None => return false,
                }
            }
            false
        };
        (first..last).filter(begins).nth(1).is_some()
            || entities.get(&ends(mention)).is_some_and(|entities| entities.len() > 1)
    })
}

/// A prompt for one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The instructions for the model.
    pub instructions: String,
    /// The text, which the model marks.
    pub text: String,
}

impl Prompt {
    /// Returns the instructions and the text, as one message.
    pub fn message(&self) -> String {
        format!("{}\nText:\n\n{}\n", self.instructions, self.text)
    }
}

impl PromptSpec {
    /// Returns whether answers identify an earlier mention by its words.
    fn has_antecedents(&self) -> bool {
        !self.numbered && self.input == TextSpelling::Brackets
    }

    /// Reports annotation that no answer to the prompts can represent: words that are read as marks, zeros outside
    /// `pipe`, and key mentions that the notation cannot mark or that its answers leave ambiguous.
    pub fn report_losses(&self, corpus: &Corpus, diagnostics: &mut Diagnostics) {
        for (what, lost) in LOSSES {
            let all: Vec<Vec<Position>> =
                corpus.documents.iter().map(|document| lost(self, document)).collect();
            let count: usize = all.iter().map(Vec::len).sum();
            if let Some((place, document)) =
                all.iter().zip(&corpus.documents).find_map(|(all, document)| Some((all.first()?, document)))
            {
                let id = Some(document.id().to_string());
                diagnostics.add(Code::NotWritten, Some(place.clone()), id, || {
                    format!("{} cannot represent: {what} ({count})", self.id)
                });
            }
        }
    }

    /// Returns the prompt for a notation, or for the first notation of a format.
    ///
    /// # Errors
    ///
    /// A format or a notation without a prompt.
    pub fn named(typed: &str) -> Result<&'static PromptSpec> {
        let first = |spec: &&PromptSpec| spec.id.split(':').next() == Some(typed);
        if let Some(spec) =
            PROMPTS.iter().find(|spec| spec.id == typed).or_else(|| PROMPTS.iter().find(first))
        {
            return Ok(spec);
        }
        let hint = one_of(typed, "prompts are for", PROMPTS.iter().map(|spec| spec.id));
        Err(Error::new(ErrorKind::Settings, format!("there is no prompt for `{typed}`")).hint(hint))
    }

    /// Makes the prompt for a document that was read with its words.
    ///
    /// ```
    /// use corefeval_core::formats::{FormatSpec, ReadOptions};
    /// use corefeval_core::prompt::PromptSpec;
    /// let text = b"#begin document (note); part 000\nIda\t(0)\nslept\t-\n.\t-\n#end document\n";
    /// let options = ReadOptions::with_layers();
    /// let corpus = FormatSpec::named("conll")?.read(text, "note.conll", options)?;
    /// let prompt = PromptSpec::named("bracketed:link")?.prompt(&corpus.documents[0])?;
    /// assert_eq!(prompt.text, "Ida slept.");
    /// assert!(prompt.instructions.contains("[her](#1)"));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The document has no words.
    pub fn prompt(&self, document: &Document) -> Result<Prompt> {
        let words = document.words();
        let Some(layers) = words.layers().filter(|_| words.fingerprint().is_some() && !words.are_names())
        else {
            let message = format!("the words of `{}` are not known", document.id());
            return Err(Error::new(ErrorKind::Format, message)
                .at(document.position())
                .hint("use a key that has the text"));
        };
        let (text, escapes) = match self.input {
            TextSpelling::Brackets => {
                escaped(&running(document, layers), &[('\\', "\\\\"), ('[', "\\["), (']', "\\]")])
            }
            TextSpelling::SpacedBrackets => {
                escaped(&spaced(document, layers), &[('\\', "\\\\"), ('[', "\\["), (']', "\\]")])
            }
            TextSpelling::Tags => escaped(&running(document, layers), &[('&', "&amp;"), ('<', "&lt;")]),
            TextSpelling::SpacedTags => escaped(&spaced(document, layers), &[('&', "&amp;"), ('<', "&lt;")]),
            TextSpelling::Words => (words_of(document, layers), false),
            TextSpelling::Sentences => (sentences_of(document), false),
        };
        Ok(Prompt { instructions: self.instructions(escapes), text })
    }

    fn instructions(&self, escapes: bool) -> String {
        let numbers = match self.numbered {
            true => "Mentions of the same entity have the same number; numbers count from 1. ",
            false => "",
        };
        let mut text = format!(
            "Mark all mentions of entities (people, things, places, events, pronouns) in the text below. {numbers}Mark nested mentions too.\n\n"
        );
        let mut rules: Vec<String> = self.rules.iter().map(|rule| (*rule).to_owned()).collect();
        if self.input != TextSpelling::Sentences {
            rules.push(
                "Repeat the whole text exactly once, from its first word to its last. Change, correct, add and leave out nothing but the marks."
                    .to_owned(),
            );
            rules.push("Write nothing before the text and nothing after it.".to_owned());
        }
        if escapes {
            rules.push(
                match self.input {
                    TextSpelling::Tags | TextSpelling::SpacedTags => "Keep &lt; and &amp; as they are.",
                    _ => "Keep each backslash: \\[ and \\] are brackets of the text, not marks.",
                }
                .to_owned(),
            );
        }
        for rule in rules {
            let _ = writeln!(text, "- {rule}");
        }
        let example = match self.input {
            TextSpelling::Words | TextSpelling::SpacedBrackets | TextSpelling::SpacedTags => {
                EXAMPLE_WORDS.to_owned()
            }
            TextSpelling::Sentences => "1: Ines sold her boat.\n2: She misses it.".to_owned(),
            TextSpelling::Brackets | TextSpelling::Tags => EXAMPLE.to_owned(),
        };
        let _ = writeln!(text, "\nExample text:\n\n{example}\n\nExample answer:\n\n{}", self.example);
        text
    }
}

/// Returns a text with some characters replaced, and whether any was replaced.
fn escaped(text: &str, signs: &[(char, &str)]) -> (String, bool) {
    let mut escaped = String::with_capacity(text.len());
    let mut any = false;
    for character in text.chars() {
        match signs.iter().find(|sign| sign.0 == character) {
            Some((_, replacement)) => {
                escaped.push_str(replacement);
                any = true;
            }
            None => escaped.push(character),
        }
    }
    (escaped, any)
}

/// Returns the text with its spacing. Adjacent quotes count as one character in the comparison of texts, so a mark
/// between them would be lost. Such a text gets spaces between all words.
fn running(document: &Document, layers: &Layers) -> String {
    let text = running_text(document);
    let quote = |character: char| "'\"`´‘’‚“”„«»‹›".contains(character);
    let touch = text.chars().zip(text.chars().skip(1)).any(|(one, other)| quote(one) && quote(other));
    if touch { spaced(document, layers) } else { text }
}

/// Returns a line for each sentence, with spaces between its words.
fn spaced(document: &Document, layers: &Layers) -> String {
    let lines = sentences(document, layers).into_iter();
    lines.map(|(_, words)| words.join(" ")).collect::<Vec<_>>().join("\n")
}

/// Returns all words on one line, with empty nodes as `##`.
fn words_of(document: &Document, layers: &Layers) -> String {
    let words = document.words();
    let mut line = String::new();
    for word in 0..words.count() {
        if word > 0 {
            line.push(' ');
        }
        if words.is_empty_node(word) {
            line.push_str("##");
            continue;
        }
        line.push_str(&layers.form.get(word as usize).unwrap_or_default().replace(char::is_whitespace, "_"));
    }
    line
}

/// Returns a line for each sentence, with its number from 1.
fn sentences_of(document: &Document) -> String {
    let lines = running_sentences(document).into_iter();
    lines.map(|(number, text)| format!("{}: {text}", number + 1)).collect::<Vec<_>>().join("\n")
}

/// Returns the words of each sentence in the text, with its number from 1.
fn sentences<'d>(document: &Document, layers: &'d Layers) -> Vec<(u32, Vec<&'d str>)> {
    let words = document.words();
    let mut lines: Vec<(u32, Vec<&str>)> = Vec::new();
    for word in (0..words.count()).filter(|&word| !words.is_empty_node(word)) {
        let number = words.sentence_of(word) + 1;
        let form = layers.form.get(word as usize).unwrap_or_default();
        match lines.last_mut().filter(|line| line.0 == number) {
            Some((_, line)) => line.push(form),
            None => lines.push((number, vec![form])),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FORMATS, FormatSpec, ReadOptions};

    /// Numbered sentences have the spaces of the file, or the usual ones. Multiword tokens are written as their words,
    /// because the strings of an answer are compared with the words.
    #[test]
    fn sentences_are_set_as_a_text() {
        let rows = |words: &[&str]| words.iter().map(|word| format!("{word}\t-\n")).collect::<String>();
        let conll = format!(
            "#begin document (a); part 000\n{}\n{}\n#end document\n",
            rows(&["Anna", "'s", "cat", "(", "old", ")", "sleeps", "."]),
            rows(&["``", "No", "''", ",", "it", "does", "n't", "''", "say", "."])
        );
        let row = |id: &str, form: &str, misc: &str| {
            let head = if id == "1" { "0\troot" } else { "1\tdep" };
            let relation = if id.contains('-') { "_\t_" } else { head };
            format!("{id}\t{form}\t_\t_\t_\t_\t{relation}\t_\t{misc}\n")
        };
        let corefud = [
            "# newdoc id = a\n# global.Entity = eid-etype-head-other\n".to_owned(),
            row("1-2", "Anna's", "_"),
            row("1", "Anna", "_"),
            row("2", "'s", "_"),
            row("3-4", "del", "SpaceAfter=No"),
            row("3", "de", "_"),
            row("4", "el", "_"),
            row("5", "!", "SpaceAfter=No"),
            "\n".to_owned(),
            row("1", "She", "_"),
            row("2", ".", "_"),
            "\n".to_owned(),
        ];
        for (format, text, wanted) in [
            ("conll", conll, "1: Anna's cat (old) sleeps.\n2: ``No'', it doesn't'' say."),
            ("corefud", corefud.concat(), "1: Anna's de el!\n2: She ."),
        ] {
            let options = ReadOptions::with_layers();
            let corpus = FormatSpec::named(format).unwrap().read(text.as_bytes(), "a", options).unwrap();
            let prompt = PromptSpec::named("json-answer").unwrap().prompt(&corpus.documents[0]).unwrap();
            assert_eq!(prompt.text, wanted, "{format}");
        }
    }

    #[test]
    fn every_notation_has_its_prompt() {
        let answers = FORMATS.iter().filter(|spec| spec.is_answer());
        let all = answers.flat_map(|spec| match spec.notations() {
            [] => vec![spec.id],
            notations => notations.to_vec(),
        });
        let mut all: Vec<&str> = all.collect();
        let mut found: Vec<&str> = PROMPTS.iter().map(|spec| spec.id).collect();
        all.sort_unstable();
        found.sort_unstable();
        assert_eq!(all, found);
        assert_eq!(PromptSpec::named("tagged").unwrap().id, "tagged:attribute");
        assert!(
            PromptSpec::named("bracketed:lnk").err().unwrap().remedy().unwrap().contains("bracketed:link")
        );
    }
}
