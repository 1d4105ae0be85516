//! Answers of language models: an answer without deviations is read back exactly, in every notation, and no answer
//! causes a panic.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::AtomicU64;

use corefeval_core::alignment::{self, Options, onto};
use corefeval_core::diagnostic::{Code, Severity};
use corefeval_core::error::Error;
use corefeval_core::formats::{FORMATS, FormatSpec, ReadOptions, WriteOptions};
use corefeval_core::input::Input;
use corefeval_core::model::{Corpus, Notation, TextLevel};
use corefeval_core::profiles::Profile;
use corefeval_core::settings::Settings;

use crate::random::Rng;
use crate::writing::{layers, named, read_again};

/// A text with mentions: first word, last word, entity.
struct Text {
    words: Vec<&'static str>,
    mentions: Vec<(usize, usize, usize)>,
}

const WORDS: &[&str] = &[
    "Ines", "sold", "her", "boat", ".", "She", "misses", "it", ",", "the", "Jørgen", "AT&T", "l'", "école",
    "彼女", "[", "]", "well-known", "\"", "2", "x|y", "O'Hara", "(", ")", "…",
];

/// Words of characters that marks use, and words that look like marks.
#[rustfmt::skip]
const MARK_WORDS: &[&str] = &[
    "\\", "a\\b", "\\[", "\\]", "\\\\", "<", ">", "<<", "</", "<m>", "</m>", "</m>#1", "<m", "<e1>",
    "</e1>", "<c1>", "<m id=\"1\">", "</m1>", "<!--", "-->", "&", "&lt;", "&amp;", "&#60;", ";", "[e1]",
    "[e1", "e1]", "e1", "[1", "1]", "1", "[]", "[[", "]]", "](#1)", "](1)", "]#1", "]_1", "(#1)", "(1)",
    "#1", "_1", "#", "_", ":", ":1", "*", "**", "*a*", "'", "`", "``", "''", "{", "}", "{1}", "|", "||",
    "a|", "|a", "a|b|c", "|e1", "a,b", "a-b", "~", "=", "/", "@1", "a_b", "x1", "1:", "Output:", "-LRB-",
    "##", "##a", "x|[e1]", "x|e1]", "|[e1]", "x|[e1],[e2", "#_1", "]", "],[e1]",
];

/// Words that `pipe` cannot distinguish from tags and empty nodes.
const PIPE_MARKS: [&str; 6] = ["##", "##a", "x|[e1]", "x|e1]", "|[e1]", "x|[e1],[e2"];

impl Text {
    /// Makes a text for a notation: its mentions are distinct, and nested or disjoint unless the notation allows
    /// crossing.
    fn random(random: &mut Rng, notation: &str) -> Text {
        let crossing = matches!(notation, "pipe" | "own-text");
        let signs = random.below(4) == 0;
        let length = 3 + random.below(40) as usize;
        let usual = WORDS.iter().filter(|word| signs || !word.contains(['[', ']', '|', '(', ')', '"', '&']));
        let mut usual: Vec<&str> = usual.copied().collect();
        for _ in 0..random.below(5) {
            usual.push(MARK_WORDS[random.below(MARK_WORDS.len() as u64) as usize]);
        }
        usual.retain(|word| notation != "pipe" || !PIPE_MARKS.contains(word));
        let words = (0..length).map(|_| usual[random.below(usual.len() as u64) as usize]).collect();
        let mut mentions: Vec<(usize, usize, usize)> = Vec::new();
        for _ in 0..random.below(12) {
            let start = random.below(length as u64) as usize;
            let end = (start + random.below(4) as usize).min(length - 1);
            let entity = random.below(4) as usize;
            // Crossing mentions of one entity look like nested ones.
            let fits = mentions.iter().all(|&(first, last, other)| {
                let apart = end < first || start > last;
                let nested = (start <= first && last <= end) || (first <= start && end <= last);
                (first, last) != (start, end) && (apart || nested || (crossing && entity != other))
            });
            if fits {
                mentions.push((start, end, entity));
            }
        }
        Text { words, mentions }
    }

    /// Returns the text as a key.
    fn key(&self) -> Corpus {
        let mut conll = "#begin document (d); part 000\n".to_owned();
        for (place, word) in self.words.iter().enumerate() {
            let mut items = Vec::new();
            for &(start, end, entity) in &self.mentions {
                match (start == place, end == place) {
                    (true, true) => items.push(format!("({entity})")),
                    (true, false) => items.push(format!("({entity}")),
                    _ => {}
                }
            }
            for &(start, end, entity) in &self.mentions {
                if end == place && start != place {
                    items.push(format!("{entity})"));
                }
            }
            let cell = if items.is_empty() { "-".to_owned() } else { items.join("|") };
            let _ = writeln!(conll, "{word}\t{cell}");
        }
        conll.push_str("#end document\n");
        let options = ReadOptions::with_layers();
        FormatSpec::named("conll").unwrap().read(conll.as_bytes(), "key", options).unwrap()
    }

    /// Returns the clusters of `[first word, last word]`.
    fn clusters(&self) -> BTreeSet<BTreeSet<(u32, u32)>> {
        let of = |entity: usize| {
            let own = self.mentions.iter().filter(|mention| mention.2 == entity);
            own.map(|mention| (mention.0 as u32, mention.1 as u32)).collect::<BTreeSet<_>>()
        };
        (0..4).map(of).filter(|cluster| !cluster.is_empty()).collect()
    }

    /// Returns the text with marks that open and close a mention of an entity.
    fn marked(
        &self,
        open: impl Fn(usize) -> String,
        close: impl Fn(usize) -> String,
        escape: fn(&str) -> String,
    ) -> String {
        let mut words = Vec::new();
        for (place, word) in self.words.iter().enumerate() {
            let mut opens: Vec<_> = self.mentions.iter().filter(|mention| mention.0 == place).collect();
            opens.sort_by_key(|mention| std::cmp::Reverse(mention.1));
            let mut closes: Vec<_> = self.mentions.iter().filter(|mention| mention.1 == place).collect();
            closes.sort_by_key(|mention| std::cmp::Reverse(mention.0));
            let before: String = opens.iter().map(|mention| open(mention.2)).collect();
            let after: String = closes.iter().map(|mention| close(mention.2)).collect();
            words.push(format!("{before}{}{after}", escape(word)));
        }
        words.join(" ")
    }

    /// Returns the text with tags after its words, in which a space is `_`.
    fn piped(&self) -> String {
        let word = |(place, word): (usize, &&str)| {
            let mut tags = Vec::new();
            for &(start, end, entity) in &self.mentions {
                match (start == place, end == place) {
                    (true, true) => tags.push(format!("[e{entity}]")),
                    (true, false) => tags.push(format!("[e{entity}")),
                    (false, true) => tags.push(format!("e{entity}]")),
                    _ => {}
                }
            }
            tags.sort();
            let word = word.replace(' ', "_");
            if tags.is_empty() { word } else { format!("{word}|{}", tags.join(",")) }
        };
        self.words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
    }
}

fn escaped(word: &str) -> String {
    word.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn referenced(word: &str) -> String {
    word.replace('&', "&amp;").replace('<', "&lt;")
}

/// A way to write an answer.
type Written = (&'static str, &'static str, fn(&Text) -> String);

/// Every notation without deviation, with its format.
const NOTATIONS: &[Written] = &[
    ("bracketed", "link", |text| {
        text.marked(|_| "[".into(), |entity| format!("](#cluster_{entity})"), escaped)
    }),
    ("bracketed", "first", |text| text.marked(|entity| format!("[{entity} "), |_| "]".into(), escaped)),
    ("bracketed", "colon", |text| text.marked(|_| "[".into(), |entity| format!(": {entity}]"), escaped)),
    ("bracketed", "hash", |text| text.marked(|_| "[".into(), |entity| format!("]#{entity}"), escaped)),
    ("bracketed", "subscript", |text| text.marked(|_| "[".into(), |entity| format!("]_{entity}"), escaped)),
    ("bracketed", "double", |text| text.marked(|_| "[[".into(), |entity| format!("]]_{entity}"), escaped)),
    ("bracketed", "bar", |text| text.marked(|_| "[".into(), |entity| format!(" | e{entity}]"), escaped)),
    ("tagged", "attribute", |text| {
        text.marked(|entity| format!("<m id=\"{entity}\">"), |_| "</m>".into(), referenced)
    }),
    ("tagged", "element", |text| {
        text.marked(|entity| format!("<e{entity}>"), |entity| format!("</e{entity}>"), referenced)
    }),
    ("tagged", "seq2seq", |text| {
        text.marked(|_| "<m> ".into(), |entity| format!(" | {entity} </m>"), referenced)
    }),
    ("tagged", "seq2seq", |text| {
        text.marked(|_| "<m> ".into(), |entity| format!(" </m{entity}>"), referenced)
    }),
    ("tagged", "seq2seq", |text| {
        text.marked(|_| "<m> ".into(), |entity| format!(" </m> <c{entity}>"), referenced)
    }),
    ("tagged", "corefinst", |text| {
        text.marked(|_| "<m> ".into(), |entity| format!(" </m>#{entity}"), referenced)
    }),
    ("pipe", "pipe", Text::piped),
    ("json-answer", "own-text", |text| {
        let spans = |cluster: &BTreeSet<(u32, u32)>| {
            let spans: Vec<String> =
                cluster.iter().map(|(first, last)| format!("[{first}, {last}]")).collect();
            format!("[{}]", spans.join(", "))
        };
        let clusters: Vec<String> = text.clusters().iter().map(spans).collect();
        let words = serde_json::to_string(&text.words).unwrap();
        format!("{{\"tokens\": {words}, \"clusters_token_offsets\": [{}]}}", clusters.join(", "))
    }),
];

fn options() -> Options {
    Options::of(&Settings::of(Profile::for_format("conll")))
}

/// Places an answer on a key.
fn placed(key: &Corpus, format: &str, notation: &str, answer: &[u8]) -> Result<Corpus, Error> {
    let mut settings = Settings::of(Profile::for_format("conll"));
    settings.set("notation", notation)?;
    let mut read = ReadOptions::of_answers();
    read.notation = settings.notation;
    onto(key, FormatSpec::named(format)?.read(answer, "answer", read)?, &options())
}

fn clusters(corpus: &Corpus) -> BTreeSet<BTreeSet<(u32, u32)>> {
    let mut found = BTreeSet::new();
    for document in &corpus.documents {
        let mut entities = vec![BTreeSet::new(); document.entities().len()];
        for mention in document.mentions() {
            entities[mention.entity().index()].insert((mention.span().start(), mention.span().last()));
        }
        found.extend(entities.into_iter().filter(|cluster| !cluster.is_empty()));
    }
    found
}

fn codes(corpus: &Corpus) -> Vec<&'static str> {
    corpus.diagnostics.groups().iter().map(|group| group.code.id()).collect()
}

#[test]
fn answers_without_deviation_are_read_exactly() {
    let mut random = Rng(26);
    let mut looked = 0;
    for round in 0..250 {
        for (format, notation, write) in NOTATIONS {
            let text = Text::random(&mut random, notation);
            looked += text.words.iter().filter(|word| MARK_WORDS.contains(word)).count();
            let answer = write(&text);
            let key = text.key();
            let found = placed(&key, format, notation, answer.as_bytes());
            let found = found.unwrap_or_else(|error| panic!("{round} {notation}: {error}\n{answer}"));
            assert_eq!(
                clusters(&found),
                text.clusters(),
                "{round} {notation}: {answer}\n{:#?}",
                found.diagnostics
            );
            let warnings =
                found.diagnostics.groups().iter().filter(|group| group.code.severity() == Severity::Warning);
            let warnings: Vec<_> = warnings.map(|group| group.code.id()).collect();
            assert!(warnings.is_empty(), "{round} {notation}: {warnings:?}\n{answer}");
        }
    }
    assert!(looked > 3000, "{looked} words look like marks");
}

/// A text of a corpus in CorefUD: sentences with empty nodes and tokens of several words.
struct Treebank {
    /// The words in the order of the file: sentence, form, whether it is an empty node.
    words: Vec<(usize, &'static str, bool)>,
    mentions: Vec<(usize, usize, usize)>,
}

impl Treebank {
    fn random(random: &mut Rng) -> Treebank {
        let mut words = Vec::new();
        for sentence in 0..1 + random.below(3) as usize {
            for place in 0..2 + random.below(8) {
                words.push((sentence, WORDS[random.below(9) as usize], false));
                // One or two empty nodes sometimes follow a word.
                while place > 0 && random.below(5) == 0 {
                    words.push((sentence, "_", true));
                }
            }
        }
        let mut mentions: Vec<(usize, usize, usize)> = Vec::new();
        for _ in 0..random.below(12) {
            let start = random.below(words.len() as u64) as usize;
            let end = (start + random.below(4) as usize).min(words.len() - 1);
            let entity = random.below(4) as usize;
            let fits = words[start].0 == words[end].0
                && mentions.iter().all(|&(first, last, other)| {
                    let apart = end < first || start > last;
                    let nested = (start <= first && last <= end) || (first <= start && end <= last);
                    (first, last) != (start, end) && (apart || nested || entity != other)
                });
            if fits {
                mentions.push((start, end, entity));
            }
        }
        Treebank { words, mentions }
    }

    fn tags(&self, place: usize, [open, close, alone]: [fn(usize) -> String; 3]) -> Vec<String> {
        let mut opens: Vec<_> = self.mentions.iter().filter(|m| m.0 == place && m.1 > place).collect();
        opens.sort_by_key(|mention| std::cmp::Reverse(mention.1));
        let mut closes: Vec<_> = self.mentions.iter().filter(|m| m.1 == place && m.0 < place).collect();
        closes.sort_by_key(|mention| std::cmp::Reverse(mention.0));
        let alone_here = self.mentions.iter().filter(|m| m.0 == place && m.1 == place);
        let opens = opens.iter().map(|mention| open(mention.2));
        let closes = closes.iter().map(|mention| close(mention.2));
        // Closing brackets are written before opening ones: `(e0--1-e1)` would be one mention.
        closes.chain(opens).chain(alone_here.map(|mention| alone(mention.2))).collect()
    }

    /// Returns the text as a key. Two words are joined into one token if neither has a mark inside.
    fn key(&self) -> Corpus {
        let mut file = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n".to_owned();
        let (mut id, mut node) = (0, 0);
        for (place, &(sentence, form, is_empty)) in self.words.iter().enumerate() {
            if place > 0 && self.words[place - 1].0 < sentence {
                file.push('\n');
                id = 0;
            }
            (id, node) = if is_empty { (id, node + 1) } else { (id + 1, 0) };
            let name = if is_empty { format!("{id}.{node}") } else { id.to_string() };
            let brackets: [fn(usize) -> String; 3] = [
                |entity| format!("(e{entity}--1-"),
                |entity| format!("e{entity})"),
                |entity| format!("(e{entity}--1-)"),
            ];
            let tags = self.tags(place, brackets).concat();
            let misc = if tags.is_empty() { "_".to_owned() } else { format!("Entity={tags}") };
            let deps = if is_empty { format!("{id}:dep") } else { "_".to_owned() };
            let follows = self.words.get(place + 1).is_some_and(|next| next.0 == sentence && !next.2);
            if !is_empty && follows && place % 5 == 3 {
                let _ =
                    writeln!(file, "{id}-{}\t{form}{}{}", id + 1, self.words[place + 1].1, "\t_".repeat(8));
            }
            let _ = writeln!(file, "{name}\t{form}\t_\t_\t_\t_\t_\t_\t{deps}\t{misc}");
        }
        file.push('\n');
        named("corefud")
            .read(file.as_bytes(), "key", layers())
            .unwrap_or_else(|error| panic!("{error}\n{file}"))
    }

    fn clusters(&self) -> BTreeSet<BTreeSet<(u32, u32)>> {
        let of = |entity: usize| {
            let own = self.mentions.iter().filter(|mention| mention.2 == entity);
            own.map(|mention| (mention.0 as u32, mention.1 as u32)).collect::<BTreeSet<_>>()
        };
        (0..4).map(of).filter(|cluster| !cluster.is_empty()).collect()
    }

    fn piped(&self) -> String {
        let word = |(place, &(_, form, is_empty)): (usize, &(usize, &str, bool))| {
            let tags: [fn(usize) -> String; 3] = [
                |entity| format!("[e{entity}"),
                |entity| format!("e{entity}]"),
                |entity| format!("[e{entity}]"),
            ];
            let mut tags = self.tags(place, tags);
            tags.sort();
            let bar = if tags.is_empty() { "" } else { "|" };
            format!("{}{bar}{}", if is_empty { "##" } else { form }, tags.join(","))
        };
        self.words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn answers_on_empty_nodes_and_tokens_of_several_words_are_read_exactly() {
    let mut random = Rng(29);
    let mut nodes = 0;
    for round in 0..400 {
        let text = Treebank::random(&mut random);
        let (key, answer) = (text.key(), text.piped());
        assert_eq!(clusters(&key), text.clusters(), "{round}");
        let found = placed(&key, "pipe", "pipe", answer.as_bytes());
        let found = found.unwrap_or_else(|error| panic!("{round}: {error}\n{answer}"));
        assert_eq!(clusters(&found), text.clusters(), "{round}: {answer}\n{:#?}", found.diagnostics);
        nodes += text.mentions.iter().filter(|mention| text.words[mention.0].2).count();
    }
    assert!(nodes > 100, "{nodes} mentions start with an empty node");
}

/// The formats with a text that can be written, each for both sides.
const TEXTS: [&str; 10] =
    ["conll", "jsonlines", "corefud", "conll-ua", "brat", "ecb+", "muc", "semeval", "webanno", "apf"];

#[test]
fn a_text_that_agrees_too_little_is_refused_in_every_format() {
    let text = |words: [&'static str; 10]| Text {
        words: words.to_vec(),
        mentions: vec![(0, 1, 1), (3, 3, 1), (5, 6, 2)],
    };
    let ours = text(["Ines", "sold", "the", "old", "boat", "before", "winter", "came", "to", "Bergen"]);
    let theirs = text(["Ines", "sold", "the", "old", "house", "after", "summer", "went", "from", "Oslo"]);
    let check = |what: &str, place: &dyn Fn(&Options) -> Result<Corpus, Error>, options: &Options| {
        for (share, is_placed) in [(0.5, false), (0.41, false), (0.4, true), (0.0, true)] {
            match place(&Options { min_aligned: share, ..*options }) {
                Ok(found) => {
                    assert!(is_placed, "{what} is placed at {share}");
                    let level = found.alignment.map(|alignment| (alignment.level, alignment.aligned));
                    assert_eq!(level, Some((Some(TextLevel::Text), Some(0.4))), "{what}");
                }
                Err(error) => {
                    assert!(!is_placed, "{what} at {share}: {error}");
                    let message = error.message();
                    assert!(
                        message.contains("4 of 10") && message.ends_with("[answer-unrelated]"),
                        "{what}: {message}"
                    );
                }
            }
        }
    };
    for (format, notation, write) in NOTATIONS {
        let place = |options: &Options| {
            let mut settings = Settings::of(Profile::for_format("conll"));
            settings.set("notation", notation)?;
            let mut read = ReadOptions::of_answers();
            read.notation = settings.notation;
            onto(&ours.key(), named(format).read(write(&theirs).as_bytes(), "answer", read)?, options)
        };
        check(notation, &place, &options());
    }
    let mut settings = Settings::of(Profile::for_format("conll"));
    settings.set("align", "text").unwrap();
    for format in TEXTS.map(named) {
        let sides = [&ours, &theirs].map(|text| {
            let written = format.write(&text.key(), WriteOptions::default()).unwrap();
            move || read_again(format, &written, layers())
        });
        let place = |options: &Options| onto(&sides[0](), sides[1](), options);
        check(format.id, &place, &Options::of(&settings));
    }
    // `TEXTS` contains every writable format with a text.
    let others: Vec<&str> = FORMATS
        .iter()
        .filter(|spec| spec.is_written() && !TEXTS.contains(&spec.id))
        .map(|spec| spec.id)
        .collect();
    assert_eq!(others, ["json", "table", "links"]);
}

#[test]
fn damaged_answers_are_read_or_refused() {
    let mut random = Rng(27);
    let alphabet = b"[](){}<>|#_\\\"'`*&;:=,.- \n\tea1/\xC3\xA9";
    for _ in 0..40 {
        for (format, notation, write) in NOTATIONS {
            let text = Text::random(&mut random, notation);
            let key = text.key();
            let mut answer = write(&text).into_bytes();
            for _ in 0..=random.below(6) {
                let at = random.below(answer.len() as u64) as usize;
                match random.below(4) {
                    0 => answer.truncate(at.max(1)),
                    1 => drop(answer.remove(at)),
                    2 => answer.insert(at, alphabet[random.below(alphabet.len() as u64) as usize]),
                    _ => answer[at] = alphabet[random.below(alphabet.len() as u64) as usize],
                }
                if answer.is_empty() {
                    answer.push(b'x');
                }
            }
            let _ = placed(&key, format, "auto", &answer);
            let _ = placed(&key, format, notation, &answer);
            for other in FORMATS.iter().filter(|other| other.is_answer()) {
                let _ = placed(&key, other.id, "auto", &answer);
            }
            let _ = FormatSpec::detect(&answer);
        }
    }
}

fn boat() -> Text {
    let words = vec!["Ines", "sold", "her", "boat", ".", "She", "misses", "it", "."];
    Text { words, mentions: vec![(0, 0, 1), (2, 2, 1), (2, 3, 2), (5, 5, 1), (7, 7, 2)] }
}

#[test]
fn a_mention_without_a_place_is_spurious() {
    let key = boat().key();
    let answer = b"[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#2). Her [anchor](#2) rusts.";
    let found = placed(&key, "bracketed", "link", answer).unwrap();
    assert_eq!(codes(&found), ["answer-aligned", "mention-unplaced", "text-added"]);
    let document = &found.documents[0];
    assert_eq!(
        (document.words().count(), document.words().count_in_text(), document.words().count_beyond()),
        (10, 9, 1)
    );
    let last = document.mentions().last().unwrap();
    assert_eq!(last.span().start(), 9);
    assert_eq!(document.words().layers().unwrap().form.get(9), Some("anchor"));
    let dropped = Options { keep_unplaced: false, ..options() };
    let read = ReadOptions::of_answers();
    let read = FormatSpec::named("bracketed").unwrap().read(answer, "answer", read).unwrap();
    assert_eq!(clusters(&onto(&key, read, &dropped).unwrap()), boat().clusters());
}

#[test]
fn a_text_about_something_else_is_refused() {
    let error =
        placed(&boat().key(), "bracketed", "auto", b"[A fox](#1) stole [three hens](#2).").unwrap_err();
    assert!(error.message().ends_with("[answer-unrelated]"), "{error}");
}

#[test]
fn documents_of_other_formats_are_carried_over() {
    let key = b"#begin document (d); part 000\nNora\t(0)\ncannot\t-\nfind\t-\nher\t(1|(0)\nkey\t1)\n.\t-\n#end document\n";
    let response = b"#begin document (d); part 000\nNora\t(0)\ncan\t-\nnot\t(5)\nfind\t-\nher\t(1|(0)\nold\t-\nkey\t1)\n.\t-\nno\t-\nkey\t(7)\n#end document\n";
    let read = |text: &[u8]| {
        let options = ReadOptions::with_layers();
        FormatSpec::named("conll").unwrap().read(text, "d", options).unwrap()
    };
    let mut settings = Settings::of(Profile::for_format("conll"));
    assert!(!alignment::is_needed(&read(response), settings.align));
    settings.set("align", "text").unwrap();
    let found = onto(&read(key), read(response), &Options::of(&settings)).unwrap();
    let spans: Vec<(u32, u32)> = found.documents[0]
        .mentions()
        .iter()
        .map(|mention| (mention.span().start(), mention.span().last()))
        .collect();
    // `can` is paired with `cannot`; `not` and the second `key` are unpaired.
    assert_eq!(spans[0], (0, 0));
    assert!(spans.contains(&(3, 3)) && spans.contains(&(3, 4)));
    assert!(spans.contains(&(6, 6)));
    assert_eq!(*spans.last().unwrap(), (7, 7));
    assert_eq!(found.alignment.unwrap().level, Some(TextLevel::Text));
    assert!(codes(&found).contains(&Code::MentionUnplaced.id()));
    settings.set("align", "characters").unwrap();
    assert!(onto(&read(key), read(response), &Options::of(&settings)).is_err());
}

#[test]
fn long_texts_are_aligned_in_time() {
    let mut random = Rng(28);
    let words: Vec<String> =
        (0..20_000).map(|_| format!("w{}", random.below(60) * random.below(60))).collect();
    let mut key = "#begin document (d); part 000\n".to_owned();
    words.iter().for_each(|word| key.push_str(&format!("{word}\t-\n")));
    key.push_str("#end document\n");
    let options = ReadOptions::with_layers();
    let key = FormatSpec::named("conll").unwrap().read(key.as_bytes(), "key", options).unwrap();
    let mut answer = String::new();
    for (place, word) in words.iter().enumerate() {
        match random.below(300) {
            0 => answer.push_str("changed "),
            1 => {}
            2 => answer.push_str(&format!("{word} more ")),
            _ if place % 50 == 0 => answer.push_str(&format!("[{word}](#{}) ", place % 7)),
            _ => answer.push_str(&format!("{word} ")),
        }
    }
    // One bracket that is never closed, and paragraphs.
    answer.insert(100, '[');
    let answer = answer.replace("w0 w0 ", "w0 w0\n\n");
    let found = placed(&key, "bracketed", "link", answer.as_bytes()).unwrap();
    let unplaced = found.diagnostics.groups().iter().find(|group| group.code == Code::MentionUnplaced);
    assert!(unplaced.is_none_or(|group| group.count < 5));
    assert!(found.documents[0].mentions().len() > 350);
}

/// The marks of a notation around a mention of an entity: before it and after it.
type Marks = (&'static str, fn(usize) -> (String, String), fn(&str) -> String);

/// The marks that prompts request, in the notations with marks around mentions.
const MARKS: &[Marks] = &[
    ("bracketed:link", |entity| ("[".into(), format!("](#{entity})")), escaped),
    ("bracketed:first", |entity| (format!("[{entity} "), "]".into()), escaped),
    ("bracketed:colon", |entity| ("[".into(), format!(": {entity}]")), escaped),
    ("bracketed:hash", |entity| ("[".into(), format!("]#{entity}")), escaped),
    ("bracketed:double", |entity| ("[[".into(), format!("]]_{entity}")), escaped),
    ("bracketed:subscript", |entity| ("[".into(), format!("]_{entity}")), escaped),
    ("bracketed:bar", |entity| ("[".into(), format!(" | e{entity}]")), escaped),
    ("tagged:attribute", |entity| (format!("<m id=\"{entity}\">"), "</m>".into()), referenced),
    ("tagged:element", |entity| (format!("<e{entity}>"), format!("</e{entity}>")), referenced),
    ("tagged:seq2seq", |entity| ("<m> ".into(), format!(" | {entity} </m>")), referenced),
    ("tagged:corefinst", |entity| ("<m> ".into(), format!(" </m>#{entity}")), referenced),
];

/// Writes the text of a prompt with the marks that its instructions request.
fn follow(
    text: &Text,
    prompt: &str,
    marks: fn(usize) -> (String, String),
    escape: fn(&str) -> String,
) -> String {
    let (mut answer, mut at) = (String::new(), 0);
    for (place, word) in text.words.iter().enumerate() {
        let word = escape(word);
        let start = at + prompt[at..].find(&word).expect("the prompt has all words");
        answer.push_str(&prompt[at..start]);
        let mut opens: Vec<_> = text.mentions.iter().filter(|mention| mention.0 == place).collect();
        opens.sort_by_key(|mention| std::cmp::Reverse(mention.1));
        opens.iter().for_each(|mention| answer.push_str(&marks(mention.2).0));
        answer.push_str(&word);
        let mut closes: Vec<_> = text.mentions.iter().filter(|mention| mention.1 == place).collect();
        closes.sort_by_key(|mention| std::cmp::Reverse(mention.0));
        closes.iter().for_each(|mention| answer.push_str(&marks(mention.2).1));
        at = start + word.len();
    }
    answer + &prompt[at..]
}

#[test]
fn an_answer_that_follows_its_prompt_is_read_without_loss() {
    use corefeval_core::prompt::{PROMPTS, PromptSpec};
    let mut random = Rng(40);
    for round in 0..100 {
        for (id, marks, escape) in MARKS {
            let (format, notation) = id.split_once(':').unwrap();
            let text = Text::random(&mut random, notation);
            let key = text.key();
            let prompt = PromptSpec::named(id).unwrap().prompt(&key.documents[0]).unwrap();
            let answer = follow(&text, &prompt.text, *marks, *escape);
            let found = placed(&key, format, notation, answer.as_bytes()).unwrap();
            assert_eq!(clusters(&found), text.clusters(), "{id} {round}\n{answer}");
        }
        let text = Text::random(&mut random, "pipe");
        let key = text.key();
        let prompt = PromptSpec::named("pipe").unwrap().prompt(&key.documents[0]).unwrap();
        let words: Vec<String> = text.words.iter().map(|word| word.replace(' ', "_")).collect();
        assert_eq!(prompt.text, words.join(" "));
        let found = placed(&key, "pipe", "pipe", text.piped().as_bytes()).unwrap();
        assert_eq!(clusters(&found), text.clusters(), "pipe {round}");
    }
    // Antecedents and strings name words, which may occur twice, as documented.
    let others: Vec<&str> =
        PROMPTS.iter().map(|spec| spec.id).filter(|id| MARKS.iter().all(|row| row.0 != *id)).collect();
    assert_eq!(others, ["bracketed:antecedent", "pipe", "json-answer"]);
}

/// A lost space in the text of an answer moves all places after it. Strings next to the places reveal the loss, in each
/// field that libraries have for them.
#[test]
fn places_moved_by_a_lost_space_are_reported() {
    let words = "[\"Ines\", \"sold\", \"her\", \"boat\", \".\", \"She\", \"misses\", \"it\", \".\"]";
    let strings = "[[\"Ines\", \"her\", \"She\"], [\"her boat\", \"it\"]]";
    let spans = "[[[0, 0], [2, 2], [5, 5]], [[2, 3], [7, 7]]]";
    let characters = "[[[0, 3], [10, 12], [20, 22]], [[10, 17], [31, 32]]]";
    let tokens =
        words.replace("\", \"", "\"}, {\"word\": \"").replace("[\"", "[{\"word\": \"").replace("\"]", "\"}]");
    let chain = |mentions: &[(usize, usize, &str)]| {
        let mention = |(from, to, text): &(usize, usize, &str)| {
            format!("{{\"sentNum\": 1, \"startIndex\": {from}, \"endIndex\": {to}, \"text\": \"{text}\"}}")
        };
        mentions.iter().map(mention).collect::<Vec<_>>().join(", ")
    };
    let chains =
        [chain(&[(1, 2, "Ines"), (3, 4, "her"), (6, 7, "She")]), chain(&[(3, 5, "her boat"), (8, 9, "it")])];
    for (answer, damaged) in [
        (
            format!(
                "{{\"tokens\": {words}, \"clusters_token_offsets\": {spans}, \"clusters_text_mentions\": {strings}}}"
            ),
            4,
        ),
        (
            format!(
                "{{\"tokens\": {words}, \"clusters_token_offsets\": {spans}, \"clusters_token_text\": {strings}}}"
            ),
            4,
        ),
        (
            format!(
                "{{\"text\": \"Ines sold her boat. She misses it.\", \"clusters_char_offsets\": {characters}, \
                 \"clusters_char_text\": {strings}}}"
            ),
            4,
        ),
        (
            format!(
                "{{\"sens\": [{{\"tok\": {words}}}], \"coref\": [[[0, 0, 1, \"Ines\"], [0, 2, 3, \"her\"], \
                 [0, 5, 6, \"She\"]], [[0, 2, 4, \"her boat\"], [0, 7, 8, \"it\"]]]}}"
            ),
            4,
        ),
        (
            format!(
                "{{\"sentences\": [{{\"tokens\": {tokens}}}], \"corefs\": {{\"1\": [{}], \"2\": [{}]}}}}",
                chains[0], chains[1]
            ),
            4,
        ),
    ] {
        let placed = |answer: &str| placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        let found = placed(&answer);
        assert_eq!(clusters(&found), boat().clusters(), "{answer}");
        assert_eq!(messages(&found, Code::OffsetWrong), Vec::<String>::new(), "{answer}");
        let lost = answer
            .replace("\"sold\", \"her\"", "\"soldher\"")
            .replace("\"sold\"}, {\"word\": \"her\"", "\"soldher\"")
            .replace("sold her boat.", "soldher boat.");
        assert_ne!(lost, answer);
        assert_eq!(messages(&placed(&lost), Code::OffsetWrong).len(), damaged, "{lost}");
    }
}

/// Writes an answer in strings with the numbers of sentences, as the prompt requests.
fn strings(text: &Text) -> String {
    let mention = |&(first, last, _): &(usize, usize, usize)| serde_json::json!({ "text": text.words[first..=last].join(" "), "sentence": 1 });
    let of = |entity: usize| {
        let mut own: Vec<_> = text.mentions.iter().filter(|mention| mention.2 == entity).collect();
        own.sort();
        own.into_iter().map(mention).collect::<Vec<_>>()
    };
    let clusters: Vec<_> = (0..4).map(of).filter(|cluster| !cluster.is_empty()).collect();
    serde_json::json!({ "clusters": clusters }).to_string()
}

/// Writes an answer in which each mention names the previous one by its words.
fn antecedents(text: &Text) -> String {
    let of = |mention: &(usize, usize, usize)| -> String {
        let words: Vec<String> = text.words[mention.0..=mention.1].iter().map(|word| escaped(word)).collect();
        words.join(" ")
    };
    // Mentions are sorted in the order in which they open.
    let mut all = text.mentions.clone();
    all.sort_by_key(|mention| (mention.0, std::cmp::Reverse(mention.1)));
    let label = |mention: &(usize, usize, usize)| {
        let place = all.iter().position(|other| other == mention).unwrap();
        all[..place].iter().rev().find(|other| other.2 == mention.2).map(of)
    };
    let mut words = Vec::new();
    for (place, word) in text.words.iter().enumerate() {
        let opens = text.mentions.iter().filter(|mention| mention.0 == place).count();
        let mut closes: Vec<_> = text.mentions.iter().filter(|mention| mention.1 == place).collect();
        closes.sort_by_key(|mention| std::cmp::Reverse(mention.0));
        let closes = closes.into_iter().map(|mention| match label(mention) {
            Some(label) => format!(" | {label} ]"),
            None => " ]".to_owned(),
        });
        words.push(format!("{}{}{}", "[ ".repeat(opens), escaped(word), closes.collect::<String>()));
    }
    words.join(" ")
}

/// Any words, and mentions that may cross and have the same words: every loss causes a warning.
#[test]
fn answers_without_warnings_of_the_prompt_are_read_without_loss() {
    use corefeval_core::diagnostic::Diagnostics;
    use corefeval_core::prompt::{PROMPTS, PromptSpec};
    let mut random = Rng(41);
    let mut whole: std::collections::BTreeMap<&str, [u32; 2]> = Default::default();
    for round in 0..300 {
        let length = 2 + random.below(12) as usize;
        let marks = random.below(3) as usize;
        let mut word = || match random.below(4) as usize {
            kind if kind < marks => MARK_WORDS[random.below(MARK_WORDS.len() as u64) as usize],
            _ => WORDS[random.below(WORDS.len() as u64) as usize],
        };
        let words: Vec<&str> = (0..length).map(|_| word()).collect();
        let mut mentions: BTreeSet<(usize, usize, usize)> = BTreeSet::new();
        for _ in 0..random.below(6) {
            let start = random.below(length as u64) as usize;
            let end = (start + random.below(4) as usize).min(length - 1);
            mentions.insert((start, end, random.below(4) as usize));
        }
        // Copies of a mention in one entity are the same mention.
        let text = Text { words, mentions: mentions.into_iter().collect() };
        let key = text.key();
        // Crossing mentions of one entity cannot be written in the key's format.
        if clusters(&key) != text.clusters() {
            continue;
        }
        for spec in PROMPTS {
            let mut warned = Diagnostics::default();
            spec.report_losses(&key, &mut warned);
            let counts = whole.entry(spec.id).or_default();
            counts[usize::from(!warned.is_empty())] += 1;
            if !warned.is_empty() {
                let kept = &warned.groups()[0].kept[0];
                assert!(kept.position.as_ref().is_some_and(|place| place.line > 0), "{kept:?}");
                continue;
            }
            let (format, notation) = spec.id.split_once(':').unwrap_or((spec.id, "auto"));
            let prompt = PromptSpec::named(spec.id).unwrap().prompt(&key.documents[0]).unwrap();
            let answer = match spec.id {
                "pipe" => text.piped(),
                "json-answer" => strings(&text),
                "bracketed:antecedent" => antecedents(&text),
                id => {
                    let (_, marks, escape) = MARKS.iter().find(|row| row.0 == id).unwrap();
                    follow(&text, &prompt.text, *marks, *escape)
                }
            };
            let found = placed(&key, format, notation, answer.as_bytes())
                .unwrap_or_else(|error| panic!("{} {round}: {error}\n{answer}", spec.id));
            assert_eq!(
                clusters(&found),
                text.clusters(),
                "{} {round}\n{answer}\n{:#?}",
                spec.id,
                found.diagnostics
            );
        }
    }
    for (id, [read, warned]) in whole {
        // Tags with names can represent everything in the keys.
        let can_warn = id != "tagged:element";
        assert!(read > 20 && (warned > 20) == can_warn, "{id}: {read} read back, {warned} with a warning");
    }
    // Lines that look like text that models write around an answer.
    let text = Text { words: vec!["Ines", "wrote", "</think>", "."], mentions: vec![(0, 0, 1)] };
    for (id, is_warned) in [("bracketed:link", true), ("pipe", true), ("tagged:attribute", false)] {
        let mut warned = Diagnostics::default();
        PromptSpec::named(id).unwrap().report_losses(&text.key(), &mut warned);
        assert_eq!(!warned.is_empty(), is_warned, "{id}");
    }
}

#[test]
fn examples_of_prompts_are_answers_to_their_text() {
    use corefeval_core::prompt::PROMPTS;
    let key = "#begin document (d); part 000\nInes\t(1)\nsold\t-\nher\t(2|(1)\nboat\t2)\n.\t-\n\nShe\t(1)\nmisses\t-\nit\t(2)\n.\t-\n#end document\n";
    let options = ReadOptions::with_layers();
    let key = FormatSpec::named("conll").unwrap().read(key.as_bytes(), "key", options).unwrap();
    for spec in PROMPTS {
        let (format, notation) = spec.id.split_once(':').unwrap_or((spec.id, "auto"));
        let prompt = spec.prompt(&key.documents[0]).unwrap();
        let (rules, answer) = prompt.instructions.split_once("Example answer:\n\n").unwrap();
        let numbered = !["bracketed:antecedent", "json-answer"].contains(&spec.id);
        assert_eq!(rules.contains("have the same number"), numbered, "{}", spec.id);
        assert_eq!(rules.contains("the number of its entity"), numbered, "{}", spec.id);
        let found = placed(&key, format, notation, answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), clusters(&key), "{}\n{answer}", spec.id);
        let lost =
            codes(&found).into_iter().filter(|code| code.starts_with("mention") || code.starts_with("text"));
        assert_eq!(lost.collect::<Vec<_>>(), [""; 0], "{}", spec.id);
    }
}

#[test]
fn answers_are_detected_whatever_their_lines_end_in() {
    let detected = |text: &str| FormatSpec::detect(text.as_bytes()).map(|spec| spec.id);
    let cases = [
        // This answer ends like a column of coreference.
        ("[The miller](#1) shut [[his](#1) door](#2)\n", Some("bracketed")),
        ("[The old bell](#1) rang; [it](#1)", Some("bracketed")),
        ("<e1>Ada</e1> left <e1>her</e1> door (again)\n", Some("tagged")),
        ("Ada|[e1] left her|[e1] door (again)\nIda|[e1] saw her|[e1]\n", Some("pipe")),
        ("It rained (again)\n[Ada](#1) left.\n[She](#1) hated it.\n", Some("bracketed")),
        // This answer starts like a link.
        ("sea-fever\n\n[A ferry](#1) left the harbour.\n[It](#1) was late.\n", Some("bracketed")),
        ("{“clusters”: [[“Ada”, “she”]]}", Some("json-answer")),
        // These answers have no mentions.
        ("{\"clusters\": []}\n", Some("json-answer")),
        ("Here it is:\n\n```json\n{\"clusters\": []}\n```\n", Some("json-answer")),
        // These answers are as short as a link, or start with the bracket of an entity.
        ("[Bo-Lee](#2)", Some("bracketed")),
        ("[Bo-Lee](#2)\n", Some("bracketed")),
        ("{ [Bo](#1) } saw [her](#2).\n", Some("bracketed")),
        ("{ <e1>Bo</e1> } saw <e2>her</e2>.\n", Some("tagged")),
        // The marks are within the element of a document, also one of muc.
        ("<doc id=\"7\">\n<m id=\"1\">Bo</m> saw <m id=\"1\">her</m>.\n</doc>\n", Some("tagged")),
        ("<DOC>\n<e1>Bo</e1> saw <e1>her</e1>.\n</DOC>\n", Some("tagged")),
        ("<DOC>\n[Bo](#1) saw [her](#1).\n</DOC>\n", Some("bracketed")),
        (
            "<DOC>\n<COREF ID=\"1\">Bo</COREF> saw <COREF ID=\"2\" REF=\"1\">her</COREF>.\n</DOC>\n",
            Some("muc"),
        ),
        ("<DOC>\n<DOCNO>7</DOCNO>\n<e1>Bo</e1> saw her.\n</DOC>\n", Some("muc")),
        ("<DOC>\n<s id=\"1\">Bo saw her.</s>\n</DOC>\n", Some("muc")),
        // A bracket is lost, and so is the only mention with a label of it.
        ("[ Bo ] saw [ [ her | Bo ] boat . [ She | her ] left [ it | her boat ] .\n", Some("bracketed")),
        ("The list [ a | b ] and [ c | d ] are no labels .\n", None),
        // Spaces precede ids.
        ("[Bo] (#1) saw [her] (#2).\n", Some("bracketed")),
        ("Bo | [e1] saw her | [e1] .\n", Some("pipe")),
        // Columns and links keep their formats.
        ("Ada\t(1)\nleft\t-\nher\t(1)\n", Some("conll")),
        ("Ada (1)\n", Some("conll")),
        ("[ -\n3 (1)\n] -\nAda (1)\n", Some("conll")),
        ("A-B B-C\nD\n{E F}\n", Some("links")),
        ("{“A” B}\n", Some("links")),
        ("{\"doc_key\": \"d\", \"clusters\": []}\n", Some("jsonlines")),
        ("{\"clusters\": []}\n{\"clusters\": [[[0, 0]]]}\n", Some("jsonlines")),
    ];
    for (text, format) in cases {
        assert_eq!(detected(text), format, "{text}");
    }
}

#[test]
fn brackets_around_numbers_are_not_ids() {
    let words = vec!["m_01", "saw", "Ada", ".", "She", "left"];
    let text = Text { words, mentions: vec![(0, 0, 1), (2, 2, 2), (4, 4, 2)] };
    for (notation, answer) in [
        ("antecedent", "[ m_01 ] saw [ Ada ]. [ She | Ada ] left"),
        ("bar", "[m_01 | e1] saw [Ada | e2]. [She | e2] left"),
    ] {
        let found = placed(&text.key(), "bracketed", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), text.clusters(), "{notation}: {:#?}", found.diagnostics);
    }
}

#[test]
fn bars_are_words_after_an_id() {
    let words = vec!["|", "a:b", "saw", "|", "2", "and", "a", "|"];
    let text = Text { words, mentions: vec![(0, 1, 1), (1, 1, 1), (3, 3, 3), (3, 4, 2), (6, 7, 3)] };
    let answer = "[1 | [1 a:b]] saw [2 [3 |] 2] and [3 a |]";
    for notation in ["first", "auto"] {
        let found = placed(&text.key(), "bracketed", notation, answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), text.clusters(), "{notation}: {:#?}", found.diagnostics);
    }
    // Alone this is the word 2 of entity e1.
    let text = Text { words: vec!["2", "saw"], mentions: vec![(0, 0, 1)] };
    let found = placed(&text.key(), "bracketed", "auto", b"[2 | e1] saw").unwrap();
    assert_eq!(clusters(&found), text.clusters());
}

#[test]
fn declarations_and_comments_are_not_text() {
    let answer = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE text>\n<text><!-- annotated -->\
        <m id=\"1\">Ines</m> sold <m id=\"2\"><m id=\"1\">her</m> boat</m>. \
        <m id=\"1\">She</m> misses <m id=\"2\">it</m>.</text>\n";
    let found = placed(&boat().key(), "tagged", "auto", answer.as_bytes()).unwrap();
    assert_eq!(clusters(&found), boat().clusters());
    assert_eq!(codes(&found), ["answer-aligned"]);
    // A key can contain them too.
    let words = vec!["<!--", "Ines", "-->", "left"];
    let text = Text { words, mentions: vec![(1, 1, 1)] };
    let found = placed(&text.key(), "tagged", "auto", b"<!-- <m id=\"1\">Ines</m> --> left").unwrap();
    assert_eq!(clusters(&found), text.clusters(), "{:#?}", found.diagnostics);
}

#[test]
fn curly_quotes_enclose_strings() {
    let answer = "{“clusters”: [[“Ines”, “her”, ”She”], [„her boat“, \"it\"]]}";
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!(clusters(&found), boat().clusters());
    assert_eq!(codes(&found), ["json-repaired"]);
    let cut = "{“clusters”: [[“Ines”, “her”, “Sh";
    let found = placed(&boat().key(), "json-answer", "auto", cut.as_bytes()).unwrap();
    assert_eq!(codes(&found), ["json-repaired", "json-cut"]);
}

/// If the answer ends within a mark, its mention is dropped and the mark is not text.
#[test]
fn answers_may_end_within_a_mark() {
    for (format, answer) in [
        ("bracketed", "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#"),
        ("bracketed", "[Ines]#1 sold [[her]#1 boat]#2. [She]#1 misses [it]#"),
        ("bracketed", "[Ines]_1 sold [[her]_1 boat]_2. [She]_1 misses [it]_\n"),
        ("bracketed", "[[Ines]]_1 sold [[[[her]]_1 boat]]_2. [[She]]_1 misses [[it]]_"),
        (
            "tagged",
            "<m id=\"1\">Ines</m> sold <m id=\"2\"><m id=\"1\">her</m> boat</m>. <m id=\"1\">She</m> misses <m id=\"2\">it</",
        ),
    ] {
        let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        assert!(codes(&found).contains(&"unclosed-mention"), "{answer}: {:?}", codes(&found));
        assert!(codes(&found).iter().all(|code| !matches!(*code, "text-added" | "text-changed")), "{answer}");
        let mentions: usize = clusters(&found).iter().map(BTreeSet::len).sum();
        assert_eq!(mentions, 4, "{answer}");
    }
}

/// Blank lines separate a text from the sentences around it, regardless of their length.
#[test]
fn long_sentences_around_an_answer_are_set_off_by_blank_lines() {
    let answer = "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#2).";
    let long =
        "I looked closely at every sentence of the passage and thought about each pronoun in it. ".repeat(3);
    let found =
        placed(&boat().key(), "bracketed", "auto", format!("{long}\n\n{answer}\n\n{long}").as_bytes());
    let found = found.unwrap();
    assert_eq!(clusters(&found), boat().clusters());
    assert_eq!(codes(&found), ["answer-unwrapped", "answer-aligned"]);
    let joined = placed(&boat().key(), "bracketed", "auto", format!("{long}\n{answer}").as_bytes());
    assert!(joined.unwrap_err().to_string().contains("blank lines"));
}

#[test]
fn an_answer_may_have_no_mentions() {
    for answer in ["{\"clusters\": []}", "None found.\n\n```json\n{\"entities\": []}\n```\n"] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert!(clusters(&found).is_empty(), "{answer}");
    }
}

/// One malformed element does not affect the others.
#[test]
fn elements_of_json_that_are_neither_entities_nor_mentions_are_left_out() {
    let lists = [("[\"Ines\", \"her\", \"She\"]", "[\"her boat\", \"it\"]")];
    let named = lists.map(|(one, two)| {
        (format!("{{\"id\": 1, \"mentions\": {one}}}"), format!("{{\"mentions\": {two}}}"))
    });
    let flat = "{\"text\": \"Ines\", \"entity\": 1}, {\"text\": \"her boat\", \"entity\": 2}, \
        {\"text\": \"her\", \"entity\": 1}, {\"text\": \"She\", \"entity\": 1}";
    let flat = [(flat.to_owned(), "{\"text\": \"it\", \"entity\": 2}".to_owned())];
    let all = lists.map(|(one, two)| (one.to_owned(), two.to_owned())).into_iter().chain(named).chain(flat);
    for (one, two) in all {
        for odd in ["null", "3", "\"it\"", "{\"name\": \"x\"}", "{\"foo\": 1}", "[4, [1]]", "true"] {
            let answer = format!("{{\"clusters\": [{one}, {odd}, {two}]}}");
            let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
            assert_eq!(clusters(&found), boat().clusters(), "{answer}");
            assert_eq!(codes(&found), ["bad-tag"], "{answer}");
        }
    }
    for (answer, count) in [
        ("{\"clusters\": [[\"Ines\", null, \"her\", 3, \"She\"], [\"her boat\", [], \"it\"]]}", 3),
        ("{\"1\": [\"Ines\", \"her\", \"She\"], \"note\": \"done\", \"2\": [\"her boat\", \"it\"]}", 1),
        ("{'clusters': [['Ines', 'her', 'She'], None, ['her boat', 'it']]}", 1),
        ("{\"result\": {\"clusters\": [[\"Ines\", \"her\", \"She\"], [\"her boat\", \"it\"]]}}", 0),
        (
            "{\"n\": [1], \"all\": [{\"x\": {\"entities\": [[\"Ines\", \"her\", \"She\"], [\"her boat\", \"it\"]]}}]}",
            0,
        ),
        ("{\"doc_id\": \"d\", \"1\": [\"Ines\", \"her\", \"She\"], \"2\": [\"her boat\", \"it\"]}", 0),
    ] {
        assert_eq!(
            FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id),
            Some("json-answer"),
            "{answer}"
        );
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), boat().clusters(), "{answer}");
        let group = found.diagnostics.groups().iter().find(|group| group.code == Code::BadTag);
        assert_eq!(group.map_or(0, |group| group.count), count, "{answer}");
    }
    // Numbers are places in a missing text, and words are not entities.
    for answer in
        ["{\"clusters\": [[[0, 1]], null]}", "{\"tokens\": [\"Ines\", \"sold\"], \"n\": 2}", "[\"Ines\", 2]"]
    {
        assert!(placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).is_err(), "{answer}");
    }
}

/// The same holds for elements of a text with places in it, and for lists of documents.
#[test]
fn odd_elements_of_texts_and_of_lists_of_documents_are_left_out() {
    const WORDS: &str = "[\"Ines\", \"sold\", \"her\", \"boat\", \".\", \"She\", \"misses\", \"it\", \".\"]";
    let text = "Ines sold her boat . She misses it .";
    let places = |odd: &str| {
        [
            format!(
                "{{\"tokens\": {WORDS}, \"clusters_token_offsets\": [[[0, 0], [2, 2], {odd}, [5, 5]], {odd}, [[2, 3], [7, 7]]]}}"
            ),
            format!(
                "{{\"text\": \"{text}\", \"clusters\": [[[0, 4], [10, 13], {odd}, [21, 24]], {odd}, [[10, 18], [32, 34]]]}}"
            ),
            format!(
                "{{\"sens\": [{{\"tok\": {WORDS}}}], \"coref\": [[[0, 0, 1], [0, 2, 3], {odd}, [0, 5, 6]], {odd}, [[0, 2, 4], [0, 7, 8]]]}}"
            ),
            format!(
                "{{\"text\": \"{text}\", \"spans\": {{\"coref_clusters_1\": [{{\"start\": 0, \"end\": 4}}, {{\"start\": 10, \"end\": 13}}, {odd}, {{\"start\": 21, \"end\": 24}}], \"coref_clusters_2\": {odd}, \"coref_clusters_3\": [{{\"start\": 10, \"end\": 18}}, {{\"start\": 32, \"end\": 34}}]}}}}"
            ),
        ]
    };
    let count = |found: &Corpus, code| {
        let group = found.diagnostics.groups().iter().find(|group| group.code == code);
        group.map_or(0, |group| group.count)
    };
    for answer in ["null", "3", "\"it\"", "{\"foo\": 1}", "true"].into_iter().flat_map(places) {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!((clusters(&found), count(&found, Code::BadTag)), (boat().clusters(), 2), "{answer}");
    }
    // A sentence that the text lacks.
    let answer = format!(
        "{{\"sens\": [{{\"tok\": {WORDS}}}], \"coref\": [[[0, 0, 1], [7, 0, 1], [0, 2, 3], [0, 5, 6]], [[0, 2, 4], [0, 7, 8]]]}}"
    );
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!((clusters(&found), count(&found, Code::OffsetWrong)), (boat().clusters(), 1));
    // JSON without any readable element is an answer without mentions.
    for odd in ["[null]", "[5, null]", "[[null]]", "[[]]", "null", "\"none\""] {
        let answer = format!("{{\"clusters\": {odd}}}");
        assert_eq!(
            FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id),
            Some("json-answer"),
            "{answer}"
        );
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), BTreeSet::new(), "{answer}");
        assert_eq!(
            count(&found, Code::BadTag),
            if odd == "[[]]" { 0 } else { odd.split(',').count() as u64 },
            "{answer}"
        );
    }
    // Documents of a list.
    let own = "{\"doc_id\": \"d\", \"clusters\": [[\"Ines\", \"her\", \"She\"], [\"her boat\", \"it\"]]}";
    for (odd, extra) in [
        ("null", 0),
        ("\"remark\"", 0),
        ("3", 0),
        ("{\"doc_id\": \"x\"}", 0),
        ("{\"doc_id\": \"x\", \"clusters\": [null]}", 1),
        ("{\"doc_id\": \"x\", \"clusters\": null}", 1),
    ] {
        for answer in [format!("[{own}, {odd}]"), format!("[{odd}, {own}]")] {
            let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
            assert_eq!(clusters(&found), boat().clusters(), "{answer}");
            assert_eq!(
                (count(&found, Code::BadTag), count(&found, Code::ExtraDocument)),
                (1, extra),
                "{answer}"
            );
        }
    }
}

/// A sign and a word right after an end are text, unless the end needs an id.
#[test]
fn hashes_after_an_end_are_text() {
    let text = Text { words: vec!["Ines", "#boat", ",", "Ines", "#1"], mentions: vec![(0, 0, 1), (3, 3, 1)] };
    for (notation, answer) in [
        ("attribute", "<m id=\"1\">Ines</m>#boat, <m id=\"1\">Ines</m>#1"),
        ("element", "<e1>Ines</e1>#boat, <e1>Ines</e1>#1"),
        ("seq2seq", "<m> Ines | 1 </m>#boat, <m> Ines | 1 </m>#1"),
        ("seq2seq", "<m> Ines </m1>#boat, <m> Ines </m1>#1"),
        ("corefinst", "<m> Ines </m>#1 #boat, <m> Ines </m>#1 #1"),
    ] {
        let found = placed(&text.key(), "tagged", notation, answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), text.clusters(), "{answer}");
        assert!(!codes(&found).iter().any(|code| code.starts_with("text")), "{answer}: {:?}", codes(&found));
    }
}

/// Empty lines and remarks are skipped.
#[test]
fn lines_around_the_documents_of_a_pipe_file_are_skipped() {
    let texts = ["Ines sold her boat .", "Bo saw it .", "Mia left him ."];
    let mut conll = String::new();
    for (number, text) in texts.iter().enumerate() {
        let _ = writeln!(conll, "#begin document (d{number}); part 000");
        for word in text.split(' ') {
            let cell = if ["Ines", "her", "Bo", "Mia"].contains(&word) { "(1)" } else { "-" };
            let _ = writeln!(conll, "{word}\t{cell}");
        }
        conll.push_str("\n#end document\n");
    }
    let options = ReadOptions::with_layers();
    let key = FormatSpec::named("conll").unwrap().read(conll.as_bytes(), "key", options).unwrap();
    let lines = ["Ines|[e1] sold her|[e1] boat .", "Bo|[e1] saw it .", "Mia|[e1] left him ."];
    let [one, two, three] = lines;
    for (answer, codes_of) in [
        (lines.join("\n"), &[][..]),
        (lines.join("\n\n"), &[]),
        (format!("Here is the result:\n{}", lines.join("\n")), &["answer-unwrapped"]),
        (
            format!("Here is the result:\n\n{}\n\nI hope that it helps.\n", lines.join("\n\n")),
            &["answer-unwrapped"],
        ),
        (format!("```\n{one}\n{two}\n\n{three}\n```\n"), &[]),
    ] {
        let found = placed(&key, "pipe", "pipe", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), clusters(&key), "{answer}");
        assert_eq!(found.documents.len(), 3, "{answer}");
        assert_eq!(codes(&found), codes_of, "{answer}");
    }
    // A document may have no mentions, or be missing.
    let found = placed(&key, "pipe", "pipe", format!("{one}\nBo saw it .\n{three}").as_bytes()).unwrap();
    assert_eq!(
        found.documents.iter().map(|document| document.mentions().len()).collect::<Vec<_>>(),
        [2, 0, 1]
    );
    let found = placed(&key, "pipe", "pipe", format!("{one}\n\n{three}").as_bytes()).unwrap();
    let ids: Vec<_> = found.documents.iter().map(|document| document.id().name()).collect();
    assert_eq!(ids, ["d0", "d2"]);
    assert!(placed(&key, "pipe", "pipe", b"Something|[e1] else\nis|[e2] said here\n").is_err());
}

/// The separator of the copies does not matter: nothing, a blank line, other text; in `pipe` a line end.
#[test]
fn mentions_in_a_repeated_passage_are_spurious() {
    let key = boat().key();
    let unplaced = |found: &Corpus| -> Vec<usize> {
        let count = |document: &corefeval_core::model::Document| {
            let text = document.words().count() - document.words().count_beyond();
            document.mentions().iter().filter(|mention| mention.span().start() >= text).count()
        };
        found.documents.iter().map(count).collect()
    };
    let (brackets, tags, pipe) = (
        "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#2).",
        "<e1>Ines</e1> sold <e2><e1>her</e1> boat</e2>. <e1>She</e1> misses <e2>it</e2>.",
        "Ines|[e1] sold her|[e1],[e2 boat|e2] . She|[e1] misses it|[e2] .",
    );
    for (format, notation, answer, between) in [
        ("bracketed", "link", brackets, &[" ", "\n", "\n\n", "\n\nAnd once more:\n\n"][..]),
        ("tagged", "element", tags, &[" ", "\n\n"]),
        ("pipe", "pipe", pipe, &[" ", "\n", "\n\n"]),
    ] {
        for between in between {
            // The answer repeats a part of the text, or all of it.
            let half = format!("{}.", answer.split('.').next().unwrap());
            for (copy, spurious) in [(half.as_str(), 3), (answer, 5)] {
                let answer = format!("{answer}{between}{copy}");
                let found = placed(&key, format, notation, answer.as_bytes()).unwrap();
                assert_eq!(unplaced(&found), [spurious], "{answer}\n{:#?}", found.diagnostics);
                assert!(codes(&found).contains(&"text-repeated"), "{answer}");
                assert!(!codes(&found).contains(&"mentions-skipped"), "{answer}");
                let placed = clusters(&found).into_iter().map(|cluster| {
                    cluster.into_iter().filter(|mention| mention.1 < 9).collect::<BTreeSet<_>>()
                });
                assert_eq!(placed.collect::<BTreeSet<_>>(), boat().clusters(), "{answer}");
            }
        }
    }
    // Other text around the answer, such as the example of a prompt, contributes no mentions.
    let example = "[Bo](#1) saw [his](#1) old red car.\n\n";
    let found = placed(&key, "bracketed", "link", format!("{example}{brackets}").as_bytes()).unwrap();
    assert_eq!((unplaced(&found), clusters(&found)), (vec![0], boat().clusters()));
    assert!(codes(&found).contains(&"mentions-skipped"));
    // Lines of `pipe` repeat one of several documents, even if another one is missing.
    let two = "#begin document (d0); part 000\nInes\t(1)\nsold\t-\nher\t(1)\nboat\t-\n.\t-\n#end document\n\
               #begin document (d1); part 000\nBo\t(1)\nsaw\t-\nhis\t(1)\ncar\t-\n.\t-\n#end document\n";
    let options = ReadOptions::with_layers();
    let key = FormatSpec::named("conll").unwrap().read(two.as_bytes(), "key", options).unwrap();
    let (one, other) = ("Ines|[e1] sold her|[e1] boat .", "Bo|[e1] saw his|[e1] car .");
    for (lines, mentions) in [
        (vec![one, one, other], &[2, 0][..]),
        (vec![one, other, other], &[0, 2]),
        (vec![one, other, one], &[2, 0]),
        (vec![one, one], &[2]),
    ] {
        let found = placed(&key, "pipe", "pipe", lines.join("\n").as_bytes()).unwrap();
        assert_eq!(unplaced(&found), mentions, "{lines:?}");
    }
}

/// Adjacent quotes and dashes are aligned with the right words.
#[test]
fn adjacent_signs_do_not_widen_a_mention() {
    type Spans = &'static [(usize, usize, usize)];
    let cases: [(&str, &str, Spans, &[&str]); 6] = [
        (
            "`` I like the song ` Yesterday ' '' he said .",
            "\"[I](#1) like [the song 'Yesterday'](#2)\" [he](#1) said.",
            &[(1, 1, 1), (3, 7, 2), (9, 9, 1)],
            &["answer-aligned"],
        ),
        ("` Yesterday ' '' he", "['Yesterday'](#1)'' [he](#2)", &[(0, 2, 1), (4, 4, 2)], &["answer-aligned"]),
        ("`` ` Go ! ' ''", "\"['Go!'](#1)\"", &[(1, 4, 1)], &["answer-aligned"]),
        ("\u{2013} --- her", "[\u{2013}](#2)---[her](#1)", &[(0, 0, 2), (2, 2, 1)], &["answer-aligned"]),
        (
            "She \u{2014} -- Ada",
            "she \u{2014}[--](#1)[Ada](#2)",
            &[(2, 2, 1), (3, 3, 2)],
            &["answer-aligned"],
        ),
        // A single sign may be either of the two words.
        ("` Go ' '' he", "'[Go\"](#1) [he](#2)", &[(1, 3, 1), (4, 4, 2)], &["answer-aligned"]),
    ];
    for (words, answer, mentions, codes_of) in cases {
        let text = Text { words: words.split(' ').collect(), mentions: mentions.to_vec() };
        let found = placed(&text.key(), "bracketed", "link", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), text.clusters(), "{answer}: {:#?}", found.diagnostics);
        assert_eq!(codes(&found), codes_of, "{answer}");
    }
    // A mention of a part of a sign is extended to its word, with a warning.
    let text = Text { words: vec!["``", "Go"], mentions: vec![(0, 1, 1)] };
    let found = placed(&text.key(), "bracketed", "link", b"`[`Go](#1)").unwrap();
    assert_eq!((clusters(&found), codes(&found)), (text.clusters(), vec!["inside-word", "answer-aligned"]));
}

/// An empty answer to one document affects only that document.
#[test]
fn an_empty_answer_in_a_directory_is_skipped_on_request() {
    let folder = std::env::temp_dir().join(format!("corefeval-empty-answer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.txt"), "[Ines](#1) sold [her](#1) boat.").unwrap();
    std::fs::write(folder.join("b.txt"), "").unwrap();
    let read = |skip_empty| {
        let mut options = ReadOptions::of_answers();
        options.skip_empty = skip_empty;
        Input::Path(folder.clone()).read(None, &options, &AtomicU64::new(0))
    };
    assert!(read(false).unwrap_err().to_string().contains("this file is empty"));
    let (found, format) = read(true).unwrap();
    assert_eq!((found.answers.len(), format.id), (1, "bracketed"));
    assert!(codes(&found).contains(&"file-skipped"), "{:?}", codes(&found));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn further_json_is_skipped_with_a_warning() {
    let answer = "{\"clusters\": [[\"Ines\", \"her\"]]}\n\nWait, I forgot one:\n\n\
        {\"clusters\": [[\"Ines\", \"her\", \"She\"]]}\n";
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!(clusters(&found).iter().map(BTreeSet::len).collect::<Vec<_>>(), [2]);
    assert_eq!(codes(&found), ["answer-unwrapped", "mentions-skipped"]);
    let group = found.diagnostics.groups().iter().find(|group| group.code == Code::MentionsSkipped).unwrap();
    assert_eq!(group.kept[0].position.as_ref().map(|place| (place.line, place.column)), Some((5, 1)));
}

/// Marks in a second passage are not in the answer, and are counted.
#[test]
fn marks_outside_the_answer_are_skipped_with_a_warning() {
    let answer = "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#2).\n\nOr, in case that this was meant by you:\n\n\
        [She](#3) misses [it](#2).\n";
    let found = placed(&boat().key(), "bracketed", "auto", answer.as_bytes()).unwrap();
    assert_eq!(clusters(&found), boat().clusters());
    let group = found.diagnostics.groups().iter().find(|group| group.code == Code::MentionsSkipped).unwrap();
    assert_eq!(group.kept[0].message.to_string(), "2 mentions in the text around the answer were skipped");
}

#[test]
fn references_to_signs_are_decoded() {
    let words = vec!["“", "It", "’s", "AT&T", "”", "—", "she", "…"];
    let text = Text { words, mentions: vec![(1, 1, 1), (3, 3, 1), (6, 6, 2)] };
    let answer = "&ldquo;<m id=1>It</m>&rsquo;s <m id=1>AT&amp;T</m>&#x201D; &mdash; <m id=2>she</m>&hellip;";
    let found = placed(&text.key(), "tagged", "auto", answer.as_bytes()).unwrap();
    assert_eq!(clusters(&found), text.clusters());
    assert_eq!(codes(&found), ["answer-aligned"]);
}

/// A list of objects, each with the mentions of an entity, is one document.
#[test]
fn objects_of_a_list_are_entities_of_one_document() {
    let answer = r#"[{"cluster": ["Ines", "her", "She"]}, {"entity": ["her boat", "it"]}]"#;
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!((clusters(&found), found.documents.len()), (boat().clusters(), 1));
}

/// Entities by name, each an object with its mentions, are read like lists.
#[test]
fn entities_of_json_that_are_objects_by_name_are_read() {
    let one = r#""mentions": ["Ines", "her", "She"]"#;
    let objects = r#""mentions": [{"text": "Ines"}, {"text": "her"}, {"text": "She"}]"#;
    let two = r#""mentions": ["her boat", "it"]"#;
    for answer in [
        format!("{{\"clusters\": {{\"1\": {{{one}}}, \"2\": {{{two}}}}}}}"),
        format!("{{\"clusters\": {{\"1\": {{{objects}}}, \"2\": {{{two}}}}}}}"),
        format!("{{\"entities\": {{\"1\": {{{one}}}, \"2\": {{{two}}}}}}}"),
        format!("{{\"Ines\": {{{one}}}, \"boat\": {{{two}}}}}"),
        format!(
            "{{\"clusters\": {{\"1\": {{\"name\": \"Ines\", {one}}}, \"2\": {{\"type\": \"thing\", {two}}}}}}}"
        ),
    ] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!((clusters(&found), codes(&found)), (boat().clusters(), vec![]), "{answer}");
    }
    // The mentions of several entities in an object.
    let flat = r#"{"result": {"mentions": [{"text": "her", "entity": 1}, {"text": "it", "entity": 2}]}}"#;
    let found = placed(&boat().key(), "json-answer", "auto", flat.as_bytes()).unwrap();
    assert_eq!(clusters(&found).len(), 2);
}

#[test]
fn lists_on_lines_next_to_the_json_are_skipped_with_a_warning() {
    let clusters = r#"{"clusters": [["Ines", "her", "She"]]}"#;
    for (answer, line) in [
        (format!("[\"her boat\", \"it\"],\n{clusters}\n"), 1),
        (format!("{clusters}\n[\"her boat\", \"it\"],\n"), 2),
    ] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(codes(&found), ["answer-unwrapped", "mentions-skipped"], "{answer}");
        let skipped = &found.diagnostics.groups()[1].kept[0];
        assert_eq!(
            skipped.position.as_ref().map(|place| (place.line, place.column)),
            Some((line, 1)),
            "{answer}"
        );
    }
    let answer = format!("{clusters} [\"her boat\", \"it\"]\n");
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!(codes(&found), ["answer-unwrapped", "mentions-skipped"]);
    // Within a sentence a list of words is not part of the answer.
    let answer = format!("Pronouns such as [\"her\", \"it\"] are marked:\n{clusters}\n");
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!(codes(&found), ["answer-unwrapped"]);
}

#[test]
fn lists_of_json_next_to_the_entities_are_skipped_with_a_warning() {
    let one = r#"{"name": "Ines", "mentions": ["Ines", "her", "She"]"#;
    for (answer, list) in [
        (format!("{{\"clusters\": [{one}}}], \"note\": \"done\", \"singletons\": [\"it\"]}}"), "[\"it\"]}"),
        (
            format!(
                "{{\"clusters\": [{one}}}], \"events\": [{{\"name\": \"x\", \"mentions\": [\"sold\"]}}]}}"
            ),
            "[{\"name\": \"x\"",
        ),
        (format!("{{\"clusters\": [{one}, \"aliases\": [\"it\"]}}]}}"), "[\"it\"]}"),
        (
            format!(
                "{{\"a\": {{\"clusters\": [{one}}}]}}, \"b\": {{\"clusters\": [[\"her boat\", \"it\"]]}}}}"
            ),
            "[[\"her boat\"",
        ),
    ] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!((clusters(&found).len(), codes(&found)), (1, vec!["mentions-skipped"]), "{answer}");
        let at = found.diagnostics.groups()[0].kept[0].position.as_ref().map(|place| place.column);
        assert_eq!(at, answer.find(list).map(|start| start as u32 + 1), "{answer}");
    }
    // Texts and numbers have no mentions.
    let answer = r#"{"sentences": ["Ines sold her boat."], "numbers": [1], "clusters": [["Ines", "her"]]}"#;
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!(codes(&found), [""; 0]);
}

/// JSON without its last brackets, before a fence or a sentence, is read up to its last complete part.
#[test]
fn json_without_its_end_before_other_text_is_read() {
    let objects =
        r#"{"clusters": [{"id": 1, "mentions": ["Ines", "her", "She"]}, {"id": 2, "mentions": ["her boat", "#;
    let lists = r#"{"clusters": [["Ines", "her", "She"]"#;
    for (answer, mentions, expected) in [
        (
            format!("Answer:\n{objects}\"it\"]}}\n\nHope this helps!\n"),
            5,
            vec!["answer-unwrapped", "json-cut"],
        ),
        (format!("{objects}\n```\n"), 4, vec!["answer-unwrapped", "json-cut"]),
        (format!("{objects}\n\nHope this helps!\n"), 4, vec!["answer-unwrapped", "json-cut"]),
        (format!("```json\n{lists}\n```\n"), 3, vec!["answer-unwrapped", "json-cut"]),
        (
            format!("```json\n{lists}, [\"her boat\", \"it\"]]\n```\n"),
            5,
            vec!["answer-unwrapped", "json-cut"],
        ),
        (format!("```json\n{lists}, [\"her boat\", \"i\n```\n"), 4, vec!["answer-unwrapped", "json-cut"]),
        (format!("{lists}]\n```\n"), 3, vec!["answer-unwrapped", "json-cut"]),
        (format!("{lists}, [\"her boat\", \"it\"}}"), 5, vec!["json-cut"]),
        (
            r#"{"clusters": [["Ines", "her", "She", ["her boat", "it"]]}"#.to_owned(),
            3,
            vec!["bad-tag", "json-cut"],
        ),
        (format!("{lists}, [\"her \"own\" boat\", \"it\"]]}}"), 5, vec!["json-broken", "mention-unplaced"]),
        (format!("{lists}] Done."), 3, vec!["answer-unwrapped", "json-cut"]),
        // A list of mentions that closes too early.
        (
            r#"[{"mention": "Ines", "entity": 1}], {"mention": "She", "entity": 1}]"#.to_owned(),
            1,
            vec!["answer-unwrapped", "json-broken"],
        ),
        // Complete JSON after it is the answer.
        (
            format!("{lists}\n```\nAgain:\n{objects}\"it\"]}}]}}"),
            5,
            vec!["answer-unwrapped", "mentions-skipped"],
        ),
        (
            "For example:\n{\"clusters\": [[\"a\", \"b\"], ...]}\n".to_owned() + objects + "\"it\"]}]}",
            5,
            vec!["answer-unwrapped"],
        ),
    ] {
        let format = FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id);
        assert_eq!(format, Some("json-answer"), "{answer}");
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        let mut codes = codes(&found);
        codes.retain(|code| *code != "mention-ambiguous");
        let count: usize = clusters(&found).iter().map(BTreeSet::len).sum();
        assert_eq!((count, codes), (mentions, expected), "{answer}");
    }
}

/// Broken JSON is detected and read as probably intended, with a warning.
#[test]
fn broken_json_is_detected_and_read_with_a_warning() {
    let all = r#"{"clusters": [["Ines", "her", "She"], ["her boat", "it"]]}"#;
    let flat = r#"{"mentions": [{"text": "Ines", "id": 1}, {"text": "her boat", "id": 2}, {"text": "her", "id": 1}, {"text": "She", "id": 1}, {"text": "it", "id": 2}]}"#;
    for (answer, mentions) in [
        (all.replace("{", "{{").replace("}", "}}"), 5),
        (all.replace("\": [[", "\" [["), 5),
        (all.replace("\": [[", ": [["), 5),
        (all.replace("\": [[", "\" = [["), 5),
        (all.replace("[[", "["), 5),
        (all.replace("], [", "]], ["), 5),
        (all.replace("\"it\"", "it"), 5),
        (all.replace("\"it\"", "it\""), 5),
        (all.replace(", ", "; "), 5),
        (all.replace("]]}", "], ...]}"), 5),
        (all.replace("\"She\"", "\"She\", …"), 5),
        (all.replace("{\"clusters\": ", "").replace("]]}", "], ...]"), 5),
        (all.replace('"', "\\\""), 5),
        (format!("\"{}\"", all.replace('"', "\\\"")), 5),
        (all.replace('"', "\"\""), 5),
        (format!("```json\n{}\n```\n", all.replace("\": [[", "\" [[")), 5),
        (format!("Here it is:\n\n{}", all.replace("]]}", "], ...]}")), 5),
        (flat.replace("\"her\"", "\"her"), 5),
        (flat.replace("{\"text\": \"her\"", "\"text\": \"her\""), 5),
        (flat.replace("\"her boat\", \"id\": 2", "\"her boat"), 4),
        (flat.replace("\"id\": 1", "\"id\": e1"), 5),
    ] {
        let format = FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id);
        assert_eq!(format, Some("json-answer"), "{answer}");
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert!(codes(&found).contains(&"json-broken"), "{answer}: {:?}", codes(&found));
        let count: usize = clusters(&found).iter().map(BTreeSet::len).sum();
        assert_eq!(count, mentions, "{answer}");
        assert!(mentions < 5 || clusters(&found) == boat().clusters(), "{answer}: {:?}", clusters(&found));
    }
    // Damaged files of other formats keep their formats.
    for (text, format) in [
        (r#"{"doc_key" "d", "sentences": [["Ines", "left"]], "clusters": [[[0, 0]]]}"#, "jsonlines"),
        (r#"{"doc_key": "d", "sentences": [["Ines", left"]], "clusters": [[[0, 0]]]}"#, "jsonlines"),
        (r#"{"doc_key": "d", "sentences: [["Ines", "left"]], "clusters": [[[0, 0]]]}"#, "jsonlines"),
        (r#"{"doc_key": "d", "clusters": [[[0, 0], [1; 2]]]}"#, "jsonlines"),
        (r#"{"type": "clusters", "clusters": {"e1" ["a", "b"]}}"#, "json"),
        (r#"{"type": "graph", "mentions": ["a", b"], "links": [["a", "b"]]}"#, "json"),
        ("{A B C}\nD-E\n", "links"),
        ("[\"Ines\", her](#1) saw [her: 1](#1).", "bracketed"),
    ] {
        assert_eq!(FormatSpec::detect(text.as_bytes()).map(|spec| spec.id), Some(format), "{text}");
    }
    // If nothing can be read, the error names the place of the damage, or explains how to read an answer.
    for (format, text) in
        [("jsonlines", "{\"clusters\": [<\"a\">]}"), ("json", "{\"clusters\": [[\"a\" <b>]]}")]
    {
        assert_eq!(FormatSpec::detect(text.as_bytes()).map(|spec| spec.id), Some(format), "{text}");
        let read = ReadOptions::of_answers();
        let error = FormatSpec::named(format).unwrap().read(text.as_bytes(), "answer", read).unwrap_err();
        assert!(error.remedy().unwrap().contains("json-answer"), "{text}: {error}");
    }
    let error =
        placed(&boat().key(), "json-answer", "auto", b"{\"clusters\":\n [[\"Ines\" <b>, her]]}").unwrap_err();
    assert!(
        error.to_string().starts_with("answer:2:11: this is not JSON: there is neither a comma"),
        "{error}"
    );
}

/// Entities may be lists of the ids of mentions, which are numbers or strings. Mentions in no list are left out and reported.
#[test]
fn entities_are_lists_of_ids_of_mentions() {
    let mentions = |ids: [&str; 5]| {
        let texts = ["Ines", "her", "her boat", "She", "it"];
        let all = ids.iter().zip(texts).map(|(id, text)| format!("{{\"id\": {id}, \"text\": \"{text}\"}}"));
        format!("\"mentions\": [{}]", all.collect::<Vec<_>>().join(", "))
    };
    let (numbers, strings) =
        (mentions(["1", "2", "3", "4", "5"]), mentions(["\"m1\"", "\"m2\"", "\"m3\"", "\"m4\"", "\"m5\""]));
    for answer in [
        format!("{{{numbers}, \"clusters\": [[1, 2, 4], [3, 5]]}}"),
        format!("{{\"chains\": [[1, 2, 4], [3, 5]], {numbers}}}"),
        format!("{{{strings}, \"entities\": [[\"m1\", \"m2\", \"m4\"], [\"m3\", \"m5\"]]}}"),
        format!(
            "{{{numbers}, \"entities\": [{{\"id\": \"a\", \"mentions\": [1, 2, 4]}}, {{\"id\": \"b\", \"mentions\": [3, 5]}}]}}"
        ),
    ] {
        assert_eq!(
            FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id),
            Some("json-answer"),
            "{answer}"
        );
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), boat().clusters(), "{answer}");
        assert!(codes(&found).iter().all(|code| *code == "answer-aligned"), "{answer}: {:?}", codes(&found));
    }
    let answer = format!("{{{numbers}, \"clusters\": [[1, 2, 4]]}}");
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!(clusters(&found).len(), 1);
    assert!(codes(&found).contains(&"bad-tag"), "{:?}", codes(&found));
}

/// A space between a mention and its id changes nothing.
#[test]
fn ids_may_follow_after_a_space() {
    for (format, answer) in [
        ("bracketed", "[Ines] (#1) sold [[her] (#1) boat] (#2). [She] (#1) misses [it] (#2)."),
        ("bracketed", "[Ines] #1 sold [[her] #1 boat] #2. [She] #1 misses [it] #2."),
        ("bracketed", "[Ines] _1 sold [[her] _1 boat] _2. [She] _1 misses [it] _2."),
        ("pipe", "Ines | [e1] sold her | [e1],[e2 boat | e2] . She | [e1] misses it | [e2] ."),
        ("pipe", "Ines |[e1] sold her| [e1],[e2 boat|e2] . She |[e1] misses it |[e2] ."),
    ] {
        let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), boat().clusters(), "{answer}");
        assert!(codes(&found).iter().all(|code| *code == "answer-aligned"), "{answer}: {:?}", codes(&found));
    }
}

/// Brackets without an id are reported as brackets, not as text that the key lacks.
#[test]
fn brackets_without_an_id_are_reported() {
    let text = "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses";
    for (answer, expected) in [
        (format!("{text} [it]."), "`[it]` has no id that can be read"),
        (format!("{text} [it]2."), "`[it]` has no id that can be read"),
        (format!("{text} [it](#1, #2)."), "`[it](#1, #2)` does not have exactly one id"),
        (format!("{text} [it](#1,#4)."), "`[it](#1,#4)` does not have exactly one id"),
        ("[Ines]#1 sold [[her]#1 boat]#2. [She]#1 misses [it]#.".into(), "`[it]#` has no id"),
        ("[1 Ines] sold [2 [1 her] boat]. [1 She] misses [2it].".into(), "`[2it]` has no id"),
        ("[Ines: 1] sold [[her: 1] boat: 2]. [She: 1] misses [it: two].".into(), "`[it: two]` has no id"),
    ] {
        let found = placed(&boat().key(), "bracketed", "auto", answer.as_bytes()).unwrap();
        let messages = messages(&found, Code::BadTag);
        assert!(messages.len() == 1 && messages[0].contains(expected), "{answer}: {messages:?}");
        let mentions: usize = clusters(&found).iter().map(BTreeSet::len).sum();
        assert_eq!(mentions, 4, "{answer}");
    }
    // The text of a key can have brackets.
    let text = Text { words: vec!["She", "[", "sic", "]", "left"], mentions: vec![(0, 0, 1)] };
    let found = placed(&text.key(), "bracketed", "auto", b"[She](#1) [sic] left").unwrap();
    assert_eq!(messages(&found, Code::BadTag), [""; 0]);
}

/// An id that was joined with the next word is reported.
#[test]
fn ids_joined_with_the_next_word_are_reported() {
    for answer in [
        "[Ines]#1 sold [[her]#1 boat]#2. [She]#1misses [it]#2.",
        "[Ines]_1 sold [[her]_1 boat]_2. [She]_1misses [it]_2.",
        "[[Ines]]_1 sold [[[[her]]_1 boat]]_2. [[She]]_1misses [[it]]_2.",
    ] {
        let found = placed(&boat().key(), "bracketed", "auto", answer.as_bytes()).unwrap();
        let messages = messages(&found, Code::BadTag);
        let expected = "the id `1misses` may be `1` before the word `misses`: then a space is missing";
        assert!(messages.len() == 1 && messages[0].ends_with(expected), "{answer}: {messages:?}");
    }
}

/// Entities in JSON on separate lines belong to one document. A repeated document is in the key.
#[test]
fn entities_of_json_on_separate_lines_are_read() {
    let lines = "{\"id\": 1, \"mentions\": [\"Ines\", \"her\", \"She\"]}\n{\"id\": 2, \"mentions\": [\"her boat\", \"it\"]}\n";
    for answer in [lines.to_owned(), lines.replace("}\n{", "},\n{")] {
        assert_eq!(
            FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id),
            Some("json-answer"),
            "{answer}"
        );
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), boat().clusters(), "{answer}");
        assert_eq!(codes(&found), [""; 0], "{answer}");
    }
    let key = boat().key();
    let name = key.documents[0].id().name().to_owned();
    let document = format!("{{\"doc_id\": \"{name}\", \"clusters\": [[\"Ines\", \"her\"]]}}\n");
    let found = placed(&key, "json-answer", "auto", document.repeat(2).as_bytes()).unwrap();
    let extra = messages(&found, Code::ExtraDocument);
    assert_eq!(extra.len(), 1, "{extra:?}");
    assert!(extra[0].contains("more than once; the first copy counts"), "{extra:?}");
}

/// A file without marks in a directory of answers has no mentions; it is an error elsewhere.
#[test]
fn a_file_without_marks_among_answers_has_no_mentions() {
    let folder = std::env::temp_dir().join(format!("corefeval-unmarked-{}", std::process::id()));
    let read = |files: &[(&str, &str)]| {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let options = ReadOptions::of_answers();
        let input = Input::Path(folder.clone());
        let read = input.read(None, &options, &AtomicU64::new(0));
        std::fs::remove_dir_all(&folder).unwrap();
        read
    };
    for (first, second) in [("a.txt", "b.txt"), ("b.txt", "a.txt")] {
        let (corpus, format) =
            read(&[(first, "[She](#1) left [her](#1) door."), (second, "I cannot do that.")]).unwrap();
        assert_eq!((format.id, corpus.answers.len()), ("bracketed", 2));
        let bare = corpus.answers.iter().find(|answer| !answer.has_mentions()).unwrap();
        assert_eq!(bare.id.as_deref(), second.split('.').next());
    }
    let columns = "#begin document (d); part 000\nAda\t(1)\n#end document\n";
    for files in [
        [("a.txt", "I cannot do that."), ("b.txt", "Nor can I.")],
        [("a.conll", columns), ("b.txt", "I cannot do that.")],
    ] {
        assert_eq!(read(&files).unwrap_err().code(), Code::UnknownFormat, "{files:?}");
    }
}

/// Lists of JSON may group mentions by sentence, and mentions may have their own id in addition to that of their
/// entity.
#[test]
fn mentions_are_in_the_entity_that_they_name() {
    let first =
        r#"{"text": "Ines", "entity": 1}, {"text": "her", "entity": 1}, {"text": "her boat", "entity": 2}"#;
    let second = r#"{"text": "She", "entity": 1}, {"text": "it", "entity": 2}"#;
    let sentences =
        format!(r#"[{{"sentence": 1, "mentions": [{first}]}}, {{"sentence": 2, "mentions": [{second}]}}]"#);
    let grouped = [
        format!("[[{first}], [{second}]]"),
        sentences.clone(),
        format!(r#"{{"sentences": {sentences}}}"#),
        r#"[[{"text": "Ines", "entity": 1}, {"text": "her", "entity": 1}], [{"text": "She", "entity": 1}],
            [{"text": "her boat", "entity": 2}], [{"text": "it", "entity": 2}]]"#
            .to_owned(),
    ];
    for answer in grouped {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), boat().clusters(), "{answer}");
        assert_eq!(codes(&found), ["json-broken"], "{answer}");
    }
    let labelled = [
        (
            r#"[[{"text": "Ines", "entity": "PER"}, {"text": "her", "entity": "PER"}], [{"text": "She", "entity": "PER"}]]"#,
            2,
        ),
        (
            r#"[{"id": 7, "text": "Ines", "entity": 1}, {"id": 8, "text": "her", "entity": 1}, {"id": 9, "text": "it", "entity": 2}]"#,
            2,
        ),
    ];
    for (answer, entities) in labelled {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!((clusters(&found).len(), codes(&found)), (entities, vec![]), "{answer}");
    }
    let doubtful = [
        (
            r#"[{"id": 0, "text": "Ines", "antecedent": null}, {"id": 1, "text": "her", "antecedent": 0}]"#,
            "`antecedent`",
        ),
        (
            r#"[{"id": 0, "text": "Ines", "label": 1}, {"id": 1, "text": "her", "label": 1}, {"id": 2, "text": "it", "label": 2}]"#,
            "`label`",
        ),
        (
            r#"[{"entity": "PER", "id": 1, "text": "Ines"}, {"entity": "PER", "id": 1, "text": "her"}, {"entity": "PER", "id": 2, "text": "it"}]"#,
            "`id`",
        ),
    ];
    for (answer, field) in doubtful {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(codes(&found)[..1], ["bad-tag"], "{answer}");
        let message = &found.diagnostics.groups()[0].kept[0].message;
        assert!(message.to_string().ends_with(&format!("{field} was not read")), "{message}");
    }
}

/// Strings by sentence do not show their entities: each sentence is read as one, with a warning.
#[test]
fn sentences_that_are_read_as_entities_are_reported() {
    let (first, second) = (r#"["Ines", "her", "her boat"]"#, r#"["She", "it"]"#);
    let texts = [r#""text": "Ines sold her boat.""#, r#""text": "She misses it.""#];
    let doubt = "but may be a sentence with mentions of several";
    for (answer, places) in [
        (format!(r#"{{"sentence 1": {first}, "sentence 2": {second}}}"#), [r#"["Ines"#, r#"["She"#]),
        (format!(r#"{{"Sentence_1": {first}, "Sentence_2": {second}}}"#), [r#"["Ines"#, r#"["She"#]),
        (format!(r#"{{"clusters": {{"para 1": {first}, "line 2": {second}}}}}"#), [r#"["Ines"#, r#"["She"#]),
        (
            format!(r#"[{{"sentence": 1, "mentions": {first}}}, {{"sentence": 2, "mentions": {second}}}]"#),
            [r#"{"sentence": 1"#, r#"{"sentence": 2"#],
        ),
        (
            format!(
                r#"{{"sentences": [{{"id": 1, {}, "mentions": {first}}}, {{"id": 2, {}, "mentions": {second}}}]}}"#,
                texts[0], texts[1]
            ),
            [r#"{"id": 1"#, r#"{"id": 2"#],
        ),
        (
            format!(
                r#"{{"paragraphs": [{{{}, "mentions": {first}}}, {{{}, "mentions": {second}}}]}}"#,
                texts[0], texts[1]
            ),
            [r#"{"text": "Ines"#, r#"{"text": "She"#],
        ),
    ] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        let messages = messages(&found, Code::BadTag);
        assert_eq!((clusters(&found).len(), messages.len()), (2, 2), "{answer} {messages:?}");
        for (message, place) in messages.iter().zip(places) {
            let column = answer.find(place).unwrap() + 1;
            assert!(
                message.starts_with(&format!("1:{column} ")) && message.ends_with(doubt),
                "{answer} {message}"
            );
        }
    }
    // Mentions that name their entities belong to these, regardless of the name of the sentence.
    let named = [
        r#"[{"text": "Ines", "entity": "a"}, {"text": "her", "entity": "a"}]"#,
        r#"[{"text": "She", "entity": "a"}]"#,
    ];
    for answer in [
        format!(r#"{{"sentence 1": {}, "sentence 2": {}}}"#, named[0], named[1]),
        format!(r#"{{"sentences": [{{"mentions": {}}}, {{"mentions": {}}}]}}"#, named[0], named[1]),
    ] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!((clusters(&found).len(), codes(&found)), (1, vec!["json-broken"]), "{answer}");
    }
    // Lists with other names are not dropped silently either.
    let answer = format!(
        r#"{{"sentences": [{{{}, "entities": [{first}]}}, {{{}, "entities": [{second}]}}]}}"#,
        texts[0], texts[1]
    );
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    assert_eq!((clusters(&found).len(), codes(&found)), (1, vec!["mentions-skipped"]), "{answer}");
    for answer in [
        r#"{"sentence": ["her", "She"], "boat": ["her boat", "it"]}"#,
        r#"{"line 5": ["her", "She"], "boat": ["her boat", "it"]}"#,
        r#"[{"id": 1, "sentence": 1, "mentions": ["Ines", "her"]}, {"id": 2, "sentence": 2, "mentions": ["it"]}]"#,
        r#"[{"text": "Ines", "sentence": 1, "entity": 1}, {"text": "it", "sentence": 2, "entity": 2}]"#,
    ] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        assert_eq!(messages(&found, Code::BadTag), [""; 0], "{answer}");
    }
}

/// Strings alone do not identify their document, so ids decide.
#[test]
fn json_is_paired_by_the_ids_of_documents() {
    let mut key = boat().key();
    let other = "#begin document (other); part 000\nother 0 0 She (0)\nother 0 1 left -\n\n#end document\n";
    key.documents.extend(
        FormatSpec::named("conll")
            .unwrap()
            .read(other.as_bytes(), "key", ReadOptions::with_layers())
            .unwrap()
            .documents,
    );
    let answer = |ids: [&str; 2]| {
        format!(
            r#"[{{"doc_key": "{}", "clusters": [["She"]]}}, {{"doc_key": "{}", "clusters": [["Ines", "her"]]}}]"#,
            ids[0], ids[1]
        )
    };
    let first = key.documents[0].id().name().to_owned();
    for ids in [["other", &first], ["other_0", &first]] {
        let found = placed(&key, "json-answer", "auto", answer(ids).as_bytes()).unwrap();
        let counts: Vec<usize> = found.documents.iter().map(|document| document.mentions().len()).collect();
        assert_eq!(counts, [2, 1], "{ids:?}");
    }
    let error = placed(&key, "json-answer", "auto", answer(["x", "y"]).as_bytes()).unwrap_err();
    assert_eq!(error.message(), "the key has no document `x`");
}

/// A bold label may precede an answer in a paragraph that contains other text.
#[test]
fn labels_in_bold_are_not_text() {
    for label in ["", "Answer: ", "**Answer:** ", "**Answer**: ", "### **Output:** "] {
        let answer = format!(
            "{label}[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#2). And more: one two \
             three four.\n"
        );
        let found = placed(&boat().key(), "bracketed", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), boat().clusters(), "{answer}");
        assert_eq!(codes(&found)[0], "answer-aligned", "{answer}");
    }
}

/// Messages do not name documents without a name.
#[test]
fn unnamed_extra_documents_of_an_answer_are_skipped() {
    let answer = "[{\"clusters\": [[\"Ines\", \"her\"]]}, {\"clusters\": [[\"her boat\", \"it\"]]}]";
    let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
    let group = found.diagnostics.groups().iter().find(|group| group.code == Code::ExtraDocument).unwrap();
    let expected = "the answer has more documents than the key; this one was skipped";
    assert_eq!(group.kept[0].message.to_string(), expected);
}

/// A truncation within a mark is reported, and the text before it is read.
#[test]
fn answers_that_end_within_a_mark_are_reported() {
    for (format, answer) in [
        ("bracketed", "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#"),
        ("bracketed", "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#clu\n"),
        ("bracketed", "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it]("),
        (
            "tagged",
            "<m id=\"1\">Ines</m> sold <m id=\"2\"><m id=\"1\">her</m> boat</m>. <m id=\"1\">She</m> misses <m id=\"2",
        ),
        ("tagged", "<e1>Ines</e1> sold <e2><e1>her</e1> boat</e2>. <e1>She</e1> misses <e2"),
    ] {
        let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found).iter().map(BTreeSet::len).sum::<usize>(), 4, "{answer}");
        let codes = codes(&found);
        assert!(
            codes.contains(&"unclosed-mention") && !codes.contains(&"text-changed"),
            "{answer}: {codes:?}"
        );
        let groups = found.diagnostics.groups();
        let group = groups.iter().find(|group| group.code == Code::UnclosedMention).unwrap();
        assert!(group.kept[0].message.to_string().starts_with("the answer ends within"), "{answer}");
    }
}

/// JSON of another shape may be an answer if there is a key.
#[test]
fn errors_about_json_of_another_shape_describe_answers() {
    let read = |accept_answers| {
        let mut options = ReadOptions::default();
        options.accept_answers = accept_answers;
        let text = br#"{"people": [["Ines", "her"]], "things": [["her boat", "it"]]}"#;
        let error = FormatSpec::named("jsonlines").unwrap().read(text, "answer", options).unwrap_err();
        format!("{error:?}")
    };
    assert!(read(true).contains("an answer is"), "{}", read(true));
    assert!(!read(false).contains("an answer is"));
}

/// In scripts without spaces, and before punctuation and suffixes beyond ASCII, an id ends where the text continues.
#[test]
fn ids_end_where_text_follows_without_a_space() {
    let words = vec!["小明", "卖", "了", "他", "的", "旧", "船", "。", "它", "—", "민수", "는"];
    let mentions = vec![(0, 0, 1), (3, 6, 2), (3, 3, 1), (8, 8, 2), (10, 10, 1)];
    let text = Text { words, mentions };
    for (notation, answer) in [
        (Notation::Subscript, "[小明]_1卖了[[他]_1的旧船]_2。[它]_2—[민수]_1는"),
        (Notation::Subscript, "[小明]_e1卖了[[他]_e1的旧船]_cluster_2。[它]_cluster_2—[민수]_e1는"),
        (Notation::Hash, "[小明]#1卖了[[他]#1的旧船]#2。[它]#2—[민수]#1는"),
        (Notation::Double, "[[小明]]_1卖了[[[[他]]_1的旧船]]_2。[[它]]_2—[[민수]]_1는"),
    ] {
        let found = placed(&text.key(), "bracketed", "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), text.clusters(), "{answer}");
        assert_eq!(codes(&found), ["answer-aligned"], "{answer}");
        assert_eq!(found.alignment.and_then(|found| found.notation), Some(notation), "{answer}");
    }
    // Names may contain any letters.
    let answer = "[Ines]_Inès sold [[her]_Inès boat]_船 . [She]_Inès misses [it]_船 .";
    let found = placed(&boat().key(), "bracketed", "auto", answer.as_bytes()).unwrap();
    assert_eq!((clusters(&found), codes(&found)), (boat().clusters(), vec![]));
}

#[test]
fn elements_without_words_are_reported() {
    for (answer, code) in [
        (r#"<m id="1">Ines</m> sold <m id="1">her</m> boat . <m id="1"/>She misses it ."#, "empty-span"),
        (r#"<m id="1">Ines</m> sold <m id="1">her</m> boat . <m id="1"></m>She misses it ."#, "empty-span"),
        (r#"<m id="1">Ines</m> sold <m id="1">her</m> boat .<br id="x"/> She misses it ."#, ""),
    ] {
        let found = placed(&boat().key(), "tagged", "auto", answer.as_bytes()).unwrap();
        let codes: Vec<_> = codes(&found).into_iter().filter(|code| *code != "answer-aligned").collect();
        assert_eq!(codes.join(" "), code, "{answer}");
        assert_eq!(clusters(&found).iter().map(BTreeSet::len).sum::<usize>(), 2, "{answer}");
    }
}

/// `{"Ines": ["her", "She"]}` leaves open whether the name is a mention.
#[test]
fn names_of_entities_that_are_not_among_their_mentions_are_reported() {
    for (answer, column) in [
        (r#"{"Ines": ["her", "She"], "her boat": ["her boat", "it"]}"#, Some(10)),
        (r#"{"clusters": {"Ines": ["her", "She"], "2": ["her boat", "it"]}}"#, Some(23)),
        (r#"{"clusters": [{"representative": "Ines", "mentions": ["her", "She"]}]}"#, Some(34)),
        (r#"{"clusters": [{"id": 1, "name": "Ines", "mentions": ["her", "She"]}]}"#, Some(33)),
        (r#"[{"text": "her", "entity": "Ines"}, {"text": "it", "entity": "boat"}]"#, Some(2)),
        (r#"{"Ines": ["Ines", "her", "She"], "boat": ["her boat", "it"]}"#, None),
        (r#"{"Ines": ["her", "She"], "2": ["Ines", "it"]}"#, None),
        (r#"{"Chain1": ["her", "She"]}"#, None),
        (r#"{"clusters": [{"id": 1, "type": "it", "mentions": ["her", "She"]}]}"#, None),
    ] {
        let found = placed(&boat().key(), "json-answer", "auto", answer.as_bytes()).unwrap();
        let groups = found.diagnostics.groups().iter().filter(|group| group.code.severity() > Severity::Note);
        let kept: Vec<_> = groups.flat_map(|group| &group.kept).collect();
        assert_eq!(
            kept.first().map(|finding| finding.code.id()),
            column.map(|_| "mentions-skipped"),
            "{answer}"
        );
        let at = kept.first().and_then(|finding| Some(finding.position.as_ref()?.column));
        assert_eq!(at, column, "{answer} {kept:?}");
    }
}

/// A text with marks and a list in JSON are two answers: the answer that is not scored is reported.
#[test]
fn marks_next_to_json_are_reported() {
    let marks = "[Ines](#1) sold [[her](#1) boat](#2) . [She](#1) misses [it](#2) .";
    let json = r#"{"clusters": [["Ines", "her"]]}"#;
    let skipped = |answer: &str| {
        let format = FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id).unwrap_or_default();
        let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        let group = found.diagnostics.groups().iter().find(|group| group.code == Code::MentionsSkipped);
        let line = group.and_then(|group| Some(group.kept[0].position.as_ref()?.line));
        (format, clusters(&found).iter().map(BTreeSet::len).sum::<usize>(), line)
    };
    assert_eq!(skipped(&format!("{marks}\n\n```json\n{json}\n```\n")), ("bracketed", 5, Some(4)));
    assert_eq!(skipped(&format!("Answer:\n\n{marks}\n\nClusters:\n\n{json}\n")), ("json-answer", 2, Some(3)));
    assert_eq!(skipped(&format!("{json}\n\nAnnotated text:\n\n{marks}\n")), ("json-answer", 2, Some(5)));
    let tagged = "Here: <m id=\"1\">Ines</m> sold <m id=\"1\">her</m> boat .";
    assert_eq!(skipped(&format!("{tagged}\n\n{json}\n")), ("json-answer", 2, Some(1)));
    // Reasoning, and text without marks.
    assert_eq!(skipped(&format!("<think>\n{marks}\n</think>\n{json}\n")), ("json-answer", 2, None));
    assert_eq!(skipped(&format!("Here [1] is the list (#1):\n{json}\nDone.\n")), ("json-answer", 2, None));
}

/// A perfect answer whose ids are several words, in each notation, with every spelling of a tag.
#[test]
fn ids_of_several_words_are_read_whole() {
    let text = boat();
    let with = |open: fn(&str) -> String, close: fn(&str) -> String| {
        text.marked(
            |entity| open(&format!("entity {entity}")),
            |entity| close(&format!("entity {entity}")),
            |word| word.to_owned(),
        )
    };
    let tags: [fn(&str) -> String; 22] = [
        |id| format!("<m id={id}>"),
        |id| format!("<m id = {id} >"),
        |id| format!("<m  id={id}\n>"),
        |id| format!("<m type=PER id={id}>"),
        |id| format!("<m id={id} type=PER>"),
        |id| format!("<m id={id} type = PER>"),
        |id| format!("<m type=proper name id={id} head=x>"),
        |id| format!("<m new id={id}>"),
        |id| format!("<m id=\"{id}\">"),
        |id| format!("<m id='{id}' type=\"a > b\">"),
        |id| format!("<m id='Jo's {id}'>"),
        |id| format!("<m id=“{id}”>"),
        |id| format!("<m id=”{id}” type=”x”>"),
        |id| format!("<m id=„{id}“>"),
        |id| format!("<m id=‘{id}’>"),
        |id| format!("<m id=\"{id}”>"),
        |id| format!("<m id=\"{id}>"),
        |id| format!("<m id={id}\">"),
        |id| format!("<m id='{id} type='x'>"),
        |id| format!("<m {}>", id.replace("entity ", "id:")),
        |id| format!("<m {}>", id.replace("entity ", "#")),
        |id| format!("<entity {}>", id.replace("entity ", "")),
    ];
    let mut answers: Vec<(String, &str)> = Vec::new();
    for tag in tags {
        let end: fn(&str) -> String =
            if tag("entity 1").starts_with("<m") { |_| "</m>".into() } else { |_| "</entity>".into() };
        answers.push((with(tag, end), "tagged"));
    }
    answers.extend([
        (with(|id| format!("<m id={id}>"), |id| format!("</m id={id}>")), "tagged"),
        (with(|id| format!("<{id}>"), |id| format!("</{id}>")), "tagged"),
        (with(|_| "<m> ".into(), |id| format!(" | {id} </m>")), "tagged"),
        (with(|_| "<m>".into(), |id| format!("</m>#{id}")), "tagged"),
        (with(|_| "<m>".into(), |id| format!("</m>#{}", id.replace(' ', "_"))), "tagged"),
        (with(|_| "[".into(), |id| format!("](#{id})")), "bracketed"),
        (with(|_| "[".into(), |id| format!("](# {id} )")), "bracketed"),
        (with(|_| "[".into(), |id| format!("]({id})")), "bracketed"),
        (with(|_| "[".into(), |id| format!("](#{})", id.replace("entity", "Ines Berg"))), "bracketed"),
        (with(|id| format!("[{id} "), |_| "]".into()), "bracketed"),
        (with(|_| "[".into(), |id| format!(": {id}]")), "bracketed"),
        (with(|_| "[".into(), |id| format!("]#{id}")), "bracketed"),
        (with(|_| "[[".into(), |id| format!("]]_{id}")), "bracketed"),
        (with(|_| "[".into(), |id| format!("]_{id}")), "bracketed"),
        (with(|_| "[".into(), |id| format!("]_{}", id.replace("entity", "Person"))), "bracketed"),
        (with(|_| "[".into(), |id| format!(" | {id}]")), "bracketed"),
    ]);
    for (open, close) in [("[", "]"), ("(", ")")] {
        let pipe = "Ines|[entity 1] sold her|[entity 1],[entity 2 boat|entity 2] . She|[entity 1], misses it|[entity 2].";
        let pipe = pipe.replace("],", "],_").replace("1],_ ", "1] ").replace('_', " ");
        answers.push((pipe.replace('[', open).replace(']', close), "pipe"));
    }
    for (answer, format) in answers {
        let detected = FormatSpec::detect(answer.as_bytes()).map(|spec| spec.id);
        assert_eq!(detected, Some(format), "{answer}");
        let found = placed(&text.key(), format, "auto", answer.as_bytes()).unwrap();
        assert_eq!(clusters(&found), text.clusters(), "{answer}\n{:#?}", found.diagnostics);
        assert!(codes(&found).iter().all(|code| *code == "answer-aligned"), "{answer} {:?}", codes(&found));
    }
}

/// Without quotes, `1 new` may be the id `1`, and a number after a word that is not an id may be text.
#[test]
fn ids_that_may_end_earlier_are_reported() {
    for (format, answer, code) in [
        ("tagged", "<m id=1 new>Ines</m> sold <m id=1>her</m> boat . She misses it .", "bad-tag"),
        ("tagged", "<m id=entity>Ines</m> sold <m id=entity 1>her</m> boat . She misses it .", "bad-tag"),
        ("tagged", "<m id='1 new'>Ines</m> sold <m id=1>her</m> boat . She misses it .", ""),
        ("tagged", "<entity id=1>Ines</entity> sold <entity>her</entity> boat . She misses it .", "empty-id"),
        ("bracketed", "[Ines]_Ines sold [her]_Ines 2 boat . She misses it .", "text-added"),
    ] {
        let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        let codes: Vec<_> = codes(&found).into_iter().filter(|code| *code != "answer-aligned").collect();
        assert_eq!(codes.join(" "), code, "{answer}");
    }
}

/// Returns the findings of a code, with line and column, and the number of mentions that were read.
fn findings_of(code: Code, answer: &str) -> (Vec<String>, usize) {
    let found = placed(&boat().key(), "tagged", "auto", answer.as_bytes()).unwrap();
    let mut groups = found.diagnostics.groups().iter();
    let other = groups.find(|group| group.code.severity() > Severity::Note && group.code != code);
    assert!(other.is_none(), "{answer} {other:?}");
    (messages(&found, code), clusters(&found).iter().map(BTreeSet::len).sum())
}

#[test]
fn elements_that_name_no_entity_are_reported() {
    let element = "<e1>Ines</e1> sold <e2><e1>her</e1> boat</e2>. <>She</> misses <e2>it</e2>.";
    let attribute = "<m id=1>Ines</m> sold <m id=2><m id=1>her</m> boat</m>. <>She</> misses <m id=2>it</m>.";
    for (answer, name) in [
        (element, "e"),
        (element, "E"),
        (element, "woman"),
        (element, "e4a"),
        (element, "entity"),
        (attribute, "span"),
        (attribute, "name"),
    ] {
        let column = answer.find("<>").unwrap() + 1;
        let answer = answer.replace("<>", &format!("<{name}>")).replace("</>", &format!("</{name}>"));
        let message = format!("1:{column} `<{name}>` names no entity; it was skipped");
        assert_eq!(findings_of(Code::BadTag, &answer), (vec![message], 4), "{answer}");
    }
    let whole = attribute.replace("<>", "<m id='1'>").replace("</>", "</m>");
    let (first, second) = whole.split_once(". ").unwrap();
    for answer in [
        format!("<html><body><p>{whole}</p></body></html>"),
        format!("<think>She?</think>\n<answer>{whole}</answer>"),
        format!("<s>{first}.</s> <s>{second}</s>"),
        format!("<div class=\"text\"><p>{first}.<br>\n{second}</p></div>"),
        // An element around whole lines encloses the answer, regardless of its name.
        format!("<marked>\n{whole}\n</marked>\n"),
        format!("<clause>{first}.</clause>\n<clause>{second}</clause>\n"),
    ] {
        assert_eq!(findings_of(Code::BadTag, &answer), (vec![], 5), "{answer}");
    }
}

/// Numbers of sentences, paragraphs and documents are not entities.
#[test]
fn elements_that_structure_the_text_are_not_mentions() {
    let first = "<m id=1>Ines</m> sold <m id=2><m id=1>her</m> boat</m>.";
    let second = "<m id=1>She</m> misses <m id=2>it</m>.";
    let structure = "is a part of the text's structure, not a mention of";
    let (read, doubt) = ("was read as a mention of", "but may be a part of the text's structure");
    for (answer, expected, count) in [
        (
            format!("<s id=\"1\">{first}</s> <s id=\"2\">{second}</s>"),
            vec![
                format!("1:1 `<s id=\"1\">` {structure} `1`"),
                format!("1:71 `<s id=\"2\">` {structure} `2`"),
            ],
            5,
        ),
        (
            format!("<s1>{first}</s1> <s2>{second}</s2>"),
            vec![format!("1:1 `<s1>` {structure} `s1`"), format!("1:66 `<s2>` {structure} `s2`")],
            5,
        ),
        (
            format!("<doc id=\"7\"><p id=\"1\">{first} {second}</p></doc>"),
            vec![
                format!("1:1 `<doc id=\"7\">` {structure} `7`"),
                format!("1:13 `<p id=\"1\">` {structure} `1`"),
            ],
            5,
        ),
        // Other names may be entity types.
        (
            format!("<clause id=3>{first}</clause> {second}"),
            vec![format!("1:1 `<clause id=3>` {read} `3`, {doubt}")],
            6,
        ),
        (
            format!("<line id=1>Ines</line> sold <m id=2>her boat</m>. {second}"),
            vec![format!("1:1 `<line id=1>` {read} `1`, {doubt}")],
            4,
        ),
    ] {
        assert_eq!(findings_of(Code::BadTag, &answer), (expected, count), "{answer}");
    }
    let typed = "<p1>Ines</p1> sold <s2><p1>her</p1> boat</s2>. <p1>She</p1> misses <s2>it</s2>.";
    let names = "<per id=1>Ines</per> sold <thing id=2><per id=1>her</per> boat</thing>. \
        <per id=1>She</per> misses <thing id=2>it</thing>.";
    let single = "<per id=1>Ines</per> sold <thing id=2><per id=1>her</per> boat</thing>. <per id=1>She</per> misses it.";
    for (answer, count) in [(typed, 5), (names, 5), (single, 4)] {
        assert_eq!(findings_of(Code::BadTag, answer), (vec![], count), "{answer}");
    }
}

/// Other annotation may have numbers too: words, parts of speech, emphasis.
#[test]
fn elements_with_unusual_names_are_reported() {
    let attribute =
        "<m id=1>Ines</m> <>sold</> <m id=2><m id=1>her</m> boat</m>. <m id=1>She</m> misses <m id=2>it</m>.";
    let element = "<e1>Ines</e1> <>sold</> <e2><e1>her</e1> boat</e2>. <e1>She</e1> misses <e2>it</e2>.";
    for (answer, names, most) in [
        (attribute, &["em", "u", "span", "event", "note", "date", "VBD", "tok", "mention", "w"][..], "m"),
        (element, &["w12", "vp1", "q1", "m1"], "e"),
    ] {
        for name in names {
            let tag = match most {
                "m" => format!("<{name} id=\"1\">"),
                _ => format!("<{name}>"),
            };
            let id = if most == "m" { "1" } else { name };
            let marked = answer.replace("<>", &tag).replace("</>", &format!("</{name}>"));
            let message = format!(
                "1:{} `{tag}` was read as a mention of `{id}`, but the elements of most mentions are called `{most}`",
                answer.find("<>").unwrap() + 1
            );
            assert_eq!(findings_of(Code::BadTag, &marked), (vec![message], 6), "{marked}");
        }
    }
    let clause = "<m id=1>Ines</m> sold <m id=2><m id=1>her</m> boat</m>. <clause id=\"2\"><m id=1>She</m> misses</clause> <m id=2>it</m>.";
    let (messages, count) = findings_of(Code::BadTag, clause);
    assert_eq!((messages.len(), count), (1, 6), "{messages:?}");
    // Elements around each word are skipped, regardless of their numbers.
    let words = |open: &str, close: &str| {
        let marked = attribute.replace("<>", "").replace("</>", "");
        let mut number = 0;
        let mut answer = String::new();
        for piece in marked.split_inclusive('>') {
            let (text, tag) = piece.split_at(piece.find('<').unwrap_or(piece.len()));
            for word in text.split_inclusive(' ') {
                let bare = word.trim_matches([' ', '.']);
                number += usize::from(!bare.is_empty());
                let around = format!(
                    "{}{bare}{}",
                    open.replace('%', &number.to_string()),
                    close.replace('%', &number.to_string())
                );
                answer.push_str(&if bare.is_empty() { word.to_owned() } else { word.replace(bare, &around) });
            }
            answer.push_str(tag);
        }
        answer
    };
    for (open, close) in [("<w id=\"%\">", "</w>"), ("<tok id=%>", "</tok>"), ("<w%>", "</w%>")] {
        let answer = words(open, close);
        let (messages, count) = findings_of(Code::BadTag, &answer);
        assert_eq!((messages.len(), count), (7, 5), "{answer} {messages:?}");
        assert!(
            messages.iter().all(|message| message.contains("is around each word, and was not read")),
            "{messages:?}"
        );
    }
}

/// Types next to repeated ids are not entities. Ids that are used once belong to mentions.
#[test]
fn attributes_with_types_are_not_entities() {
    let tag = |attributes: fn(usize, usize) -> String| {
        let number = std::cell::Cell::new(0);
        let open = |entity: usize| {
            number.set(number.get() + 1);
            format!("<m {}>", attributes(entity, number.get()))
        };
        boat().marked(open, |_| "</m>".into(), referenced)
    };
    for answer in [
        tag(|entity, _| format!("entity=\"THING\" id=\"{entity}\"")),
        tag(|entity, _| format!("id=\"{entity}\" entity=\"THING\"")),
        tag(|entity, mention| format!("id=\"m{mention}\" entity=\"{entity}\"")),
        tag(|entity, mention| format!("id=\"m{mention}\" entity=\"\" cluster=\"{entity}\"")),
        tag(|entity, _| format!("id=\"{entity}\" entity_id=\"e{entity}\"")),
    ] {
        let found = placed(&boat().key(), "tagged", "auto", answer.as_bytes()).unwrap();
        assert_eq!((clusters(&found), codes(&found)), (boat().clusters(), vec![]), "{answer}");
    }
}

/// The id of a mention is not an entity if most mentions name their entity in another attribute or field. An attribute
/// that most mentions lack may not name entities.
#[test]
fn entities_in_an_unusual_attribute_are_reported() {
    let [both, other, id] = ["entity", "other", "id"].map(|kind| {
        let number = std::cell::Cell::new(0);
        let open = |entity: usize| {
            number.set(number.get() + 1);
            match (kind, number.get()) {
                ("entity", number) => format!("<m id=\"m{number}\" entity=\"e{entity}\">"),
                ("other", number) => format!("<m id=\"m{number}\" cluster_id=\"e{entity}\">"),
                _ => format!("<m id=\"{entity}\">"),
            }
        };
        boat().marked(open, |_| "</m>".into(), referenced)
    });
    let she = "<m id=\"m4\" entity=\"e1\">";
    for (answer, tag, attributes) in [
        (both.replace(she, "<m id=\"m4\">"), "<m id=\"m4\">", ["id", "entity"]),
        (both.replace(she, "<m id=\"m4\" enity=\"e1\">"), "<m id=\"m4\" enity=\"e1\">", ["id", "entity"]),
        (both.replace(she, "<m id=\"m4\" ref=\"e1\">"), "<m id=\"m4\" ref=\"e1\">", ["id", "entity"]),
        (both.replace(she, "<m id=\"m4\" entity=\"\">"), "<m id=\"m4\" entity=\"\">", ["id", "entity"]),
        (other.replace(" cluster_id=\"e1\">She", ">She"), "<m id=\"m4\">", ["id", "cluster"]),
        (id.replace("\">She", "\" coref=\"true\">She"), "<m id=\"1\" coref=\"true\">", ["coref", "id"]),
        (id.replace("\">She", "\" set='A'>She"), "<m id=\"1\" set='A'>", ["set", "id"]),
        (id.replace("\">She", "\" chain=mayor>She"), "<m id=\"1\" chain=mayor>", ["chain", "id"]),
    ] {
        let [read, most] = attributes;
        let message =
            format!("the entity of `{tag}` was read from `{read}`, and that of most mentions from `{most}`");
        let message = format!("1:{} {message}", answer.find(tag).unwrap() + 1);
        assert_eq!(findings_of(Code::BadTag, &answer), (vec![message], 5), "{answer}");
    }
    for answer in [both, other, id] {
        assert_eq!(findings_of(Code::BadTag, &answer), (vec![], 5), "{answer}");
    }
    // The same holds for JSON.
    let flat = |she: &str| {
        format!(
            r#"[{{"id": "m1", "text": "Ines", "cluster": 1}}, {{"id": "m2", "text": "her", "cluster": 1}}, {{"id": "m3", "text": "it", "cluster": 2}}, {{{she}"text": "She"}}]"#
        )
    };
    let doubt = |read: &str, most: &str| {
        vec![format!(
            "1:131 the entity of this mention was read from `{read}`, and that of most mentions from `{most}`"
        )]
    };
    for (she, found) in [
        (r#""id": "m4", "cluster": 1, "#, vec![]),
        (r#""id": "m4", "#, doubt("id", "cluster")),
        (r#""id": "m4", "clster": 1, "#, doubt("id", "cluster")),
        (r#""entity": "PER", "cluster": 1, "#, doubt("entity", "cluster")),
    ] {
        let read = placed(&boat().key(), "json-answer", "auto", flat(she).as_bytes()).unwrap();
        assert_eq!(messages(&read, Code::BadTag), found, "{she}");
    }
    // An empty name is ignored.
    let read = placed(&boat().key(), "json-answer", "auto", flat(r#""cluster": "", "#).as_bytes()).unwrap();
    assert_eq!(
        messages(&read, Code::BadTag),
        ["1:131 this object is neither an entity nor a mention; it was left out"]
    );
}

/// Returns the findings about similar ids: line, column, message.
fn alike(found: &Corpus) -> Vec<String> {
    messages(found, Code::IdsAlike)
}

/// Returns the findings of a code: line, column, message.
fn messages(found: &Corpus, code: Code) -> Vec<String> {
    let groups = found.diagnostics.groups().iter().filter(|group| group.code == code);
    let kept = groups.flat_map(|group| &group.kept);
    let messages = kept.map(|finding| {
        let position = finding.position.as_ref().unwrap();
        format!("{}:{} {}", position.line, position.column, finding.message)
    });
    messages.collect()
}

#[test]
fn ids_that_are_spelled_alike_are_reported() {
    let apart = "they were read as two entities";
    let joined = "they were read as one";
    for (format, answer, found) in [
        (
            "bracketed",
            "[Ines](#Ines) sold [[her](#ines) boat](#Boat). [She](#Ines) misses [it](#boat).",
            vec![
                format!(
                    "1:21 `ines` (1 mention) and `Ines` (2 mentions) differ only in letter case; {apart}"
                ),
                format!("1:68 `boat` (1 mention) and `Boat` (1 mention) differ only in letter case; {apart}"),
            ],
        ),
        (
            "tagged",
            r#"<m id="1">Ines</m> sold <m id="02"><m id="01">her</m> boat</m>. <m id="1">She</m> misses <m id="2">it</m>."#,
            vec![
                format!("1:36 `01` (1 mention) and `1` (2 mentions) differ only in leading zeros; {apart}"),
                format!("1:90 `2` (1 mention) and `02` (1 mention) differ only in leading zeros; {apart}"),
            ],
        ),
        (
            "bracketed",
            "[Ines]_entity 1 sold [[her]_entity_1 boat]_2. [She]_1 misses [it]_cluster_2.",
            vec![
                format!(
                    "1:23 `entity_1` (1 mention) and `entity 1` (1 mention) differ only in punctuation or spaces; {apart}"
                ),
                format!("1:47 `1` (1 mention) and `entity 1` (1 mention) differ only in spelling; {apart}"),
                format!("1:62 `cluster_2` (1 mention) and `2` (1 mention) differ only in spelling; {apart}"),
            ],
        ),
        (
            "pipe",
            "Ines|[e1] sold her|[E1],[e2 boat|e2] . She|[1] misses it|[e02] .",
            vec![
                format!("1:16 `E1` (1 mention) and `e1` (1 mention) differ only in letter case; {apart}"),
                format!("1:40 `1` (1 mention) and `e1` (1 mention) differ only in spelling; {apart}"),
                format!("1:55 `e02` (1 mention) and `e2` (1 mention) differ only in spelling; {apart}"),
            ],
        ),
        // Several lines are one document.
        (
            "pipe",
            "Ines|[e1] sold her|[e1],[e2 boat|e2] .\nShe|[E1] misses it|[e2] .\n",
            vec![format!("2:1 `E1` (1 mention) and `e1` (2 mentions) differ only in letter case; {apart}")],
        ),
        (
            "json-answer",
            r#"{"Apple": ["Ines"], "apple": ["her", "She"], "2": ["it"]}"#,
            vec![format!(
                "1:31 `apple` (2 mentions) and `Apple` (1 mention) differ only in letter case; {apart}"
            )],
        ),
        (
            "json-answer",
            r#"[{"text": "Ines", "entity": "e1"}, {"text": "She", "entity": "E1"}]"#,
            vec![format!("1:36 `E1` (1 mention) and `e1` (1 mention) differ only in letter case; {apart}")],
        ),
        (
            "json-answer",
            r#"[{"name": "Ines", "mentions": ["Ines"]}, {"name": "Ines", "mentions": ["her", "She"]}]"#,
            vec![format!("1:72 `Ines` (2 mentions) and `Ines` (1 mention) are the same name; {apart}")],
        ),
        (
            "json-answer",
            r#"{"1": ["Ines", "her"], "2": ["her boat", "it"], "1": ["She"]}"#,
            vec![format!("1:54 two entities have the id `1`; {joined}")],
        ),
        (
            "json-answer",
            r#"{"clusters": [{"id": 1, "mentions": ["Ines", "her"]}, {"id": "1", "mentions": ["She"]}]}"#,
            vec![format!("1:55 two entities have the id `1`; {joined}")],
        ),
    ] {
        let read = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        assert_eq!(alike(&read), found, "{answer}");
        if found.iter().all(|message| message.ends_with(joined)) {
            assert!(clusters(&read).contains(&BTreeSet::from([(0, 0), (2, 2), (5, 5)])), "{answer}");
        }
    }
}

/// Two ids in one mark, each of which is an entity, may denote a mention of both.
#[test]
fn ids_that_contain_others_are_reported() {
    let attribute =
        "<m id=1>Ines</m> sold <m id=2><m id=1>her</m> boat</m>. <m id=1>She</m> misses <m id=\"%\">it</m>.";
    let link = "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#%).";
    let hash = "[Ines]#1 sold [[her]#1 boat]#2. [She]#1 misses [it]#%.";
    let named = "<m id=Ines>Ines</m> sold <m id=boat>her boat</m>. She misses <m id=\"%\">it</m>.";
    let word = "[Ines](#entity_1) sold [[her](#entity_1) boat](#entity_2). [She](#entity_1) misses [it](#%).";
    for (answer, format, id, parts) in [
        (attribute, "tagged", "1,2", "`1` and `2`"),
        (attribute, "tagged", "2, 1", "`2` and `1`"),
        (attribute, "tagged", "1|2", "`1` and `2`"),
        (attribute, "tagged", "1+2", "`1` and `2`"),
        (attribute, "tagged", "1/2", "`1` and `2`"),
        (attribute, "tagged", "1 and 2", "`1` and `2`"),
        (attribute, "tagged", "e1;e2", "`1` and `2`"),
        (named, "tagged", "Ines,boat", "`Ines` and `boat`"),
        (link, "bracketed", "1 2", "`1` and `2`"),
        (link, "bracketed", "2-1", "`2` and `1`"),
        (hash, "bracketed", "1_2", "`1` and `2`"),
        (word, "bracketed", "entity_1_2", "`entity_1` and `entity_2`"),
    ] {
        let answer = answer.replace('%', id);
        let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        let messages = alike(&found);
        let message = format!("`{id}` (1 mention) contains the ids {parts}; it was read as another entity");
        assert!(messages.len() == 1 && messages[0].ends_with(&message), "{answer} {messages:?}");
    }
    let json = r#"{"1": ["Ines", "her"], "2": ["her boat"], "1,2": ["it"]}"#;
    assert_eq!(alike(&placed(&boat().key(), "json-answer", "auto", json.as_bytes()).unwrap()).len(), 1);
}

/// An id whose form differs from all others and that is used once may be a misspelling of one of them.
#[test]
fn ids_of_an_unusual_form_are_reported() {
    for (answer, format, known, ids) in [
        (
            "<m> Ines | 1 </m> sold <m> <m> her | 1 </m> boat | 2 </m>. <m> She | % </m> misses <m> it | 2 </m>.",
            "tagged",
            "1",
            ["l", "1a"],
        ),
        ("[Ines](#1) sold [[her](#1) boat](#2). [She](#%) misses [it](#2).", "bracketed", "1", ["l", "O"]),
        ("[Ines]_e1 sold [[her]_e1 boat]_e2. [She]_% misses [it]_e2.", "bracketed", "e1", ["el", "c3"]),
        (
            "<m> Ines </m>#1 sold <m> <m> her </m>#1 boat </m>#2. <m> She </m>#% misses <m> it </m>#2.",
            "tagged",
            "1",
            ["l", "2b"],
        ),
        ("Ines|[e1] sold her|[e1],[e2 boat|e2] . She|[%] misses it|[e2] .", "pipe", "e1", ["w3", "7"]),
        (
            r#"[{"text": "Ines", "entity": 1}, {"text": "her boat", "entity": 2}, {"text": "She", "entity": "%"}]"#,
            "json-answer",
            "1",
            ["l", "1a"],
        ),
    ] {
        for id in ids {
            let answer = answer.replace('%', id);
            let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
            let message = format!(
                "`{id}` (1 mention) is written differently from all other ids, such as `{known}`; it was read as another entity"
            );
            let messages = alike(&found);
            assert!(messages.len() == 1 && messages[0].ends_with(&message), "{answer} {messages:?}");
        }
    }
    // An id similar to another has one finding. An id that is used twice is intended.
    for (id, count) in [("e1", 1), ("01", 1), ("12", 0), ("2-3", 0)] {
        let answer = format!("[Ines](#1) sold [[her](#1) boat](#2). [She](#{id}) misses [it](#2).");
        let found = placed(&boat().key(), "bracketed", "auto", answer.as_bytes()).unwrap();
        assert_eq!(alike(&found).len(), count, "{answer} {:?}", alike(&found));
    }
    let twice = "[Ines](#1) sold [[her](#l) boat](#2). [She](#l) misses [it](#2).";
    assert_eq!(alike(&placed(&boat().key(), "bracketed", "auto", twice.as_bytes()).unwrap()), [""; 0]);
}

#[test]
fn clean_ids_are_not_reported() {
    for (format, answer) in [
        ("bracketed", "[Ines](#2) sold [[her](#2) boat](#12). [She](#2) misses [it](#12)."),
        (
            "bracketed",
            "[Ines](#Ines) sold [[her](#Ines) boat](#her_boat). [She](#Ines) misses [it](#her_boat).",
        ),
        (
            "bracketed",
            "[Ines](#person_1) sold [[her](#person_1) boat](#thing_1). [She](#person_1) misses [it](#thing_1).",
        ),
        ("bracketed", "[Ines](#1-2) sold [[her](#1-2) boat](#12). [She](#1-2) misses [it](#12)."),
        ("bracketed", "[ Ines ] sold [ [ her | Ines ] boat ] . [ She | her ] misses [ it | her boat ] ."),
        ("tagged", "<e1>Ines</e1> sold <e10><e1>her</e1> boat</e10>. <e1>She</e1> misses <e10>it</e10>."),
        ("pipe", "Ines|[e1] sold her|[e1],[e11 boat|e11] . She|[e1] misses it|[e11] ."),
        ("bracketed", "[Ines](#Ines) sold [[her](#Ines) boat](#boat). [She](#Ines) misses [it](#Ines_boat)."),
        ("bracketed", "[Ines](#1) sold [[her](#1) boat](#2). [She](#1) misses [it](#2-3)."),
        ("json-answer", r#"{"Paris": ["Ines"], "France": ["her"], "Paris, France": ["it"]}"#),
        ("json-answer", r#"[["Ines", "her", "She"], ["her boat", "it"]]"#),
        (
            "json-answer",
            r#"[{"label": "PER", "mentions": ["Ines", "her"]}, {"label": "PER", "mentions": ["it"]}]"#,
        ),
        ("json-answer", r#"[{"id": "1", "mentions": ["Ines"]}, {"mentions": ["it"]}, ["She"]]"#),
        ("json-answer", r#"{"Ines": ["Ines", "her"], "Ines's boat": ["her boat", "it"]}"#),
        ("json-answer", r#"{"doc_id": "boat", "Chain1": ["Ines", "her"], "Chain11": ["it"]}"#),
    ] {
        let found = placed(&boat().key(), format, "auto", answer.as_bytes()).unwrap();
        assert_eq!(alike(&found), [""; 0], "{answer}");
    }
    // Annotation formats may have such ids.
    let key = b"#begin document (d); part 000\nIda\t(Boat)\nboat\t(boat)\n.\t(01)\nit\t(1)\n#end document\n";
    let read = FormatSpec::named("conll").unwrap().read(key, "key", ReadOptions::default()).unwrap();
    assert!(!codes(&read).contains(&"ids-alike"));
}

/// A way to spell the marks of a text; `numbers` has only ids that are numbers.
struct Spelling {
    format: &'static str,
    notation: &'static str,
    numbers: bool,
    write: fn(&Text, &dyn Fn(usize) -> String) -> String,
}

impl Spelling {
    const fn of(
        format: &'static str,
        notation: &'static str,
        write: fn(&Text, &dyn Fn(usize) -> String) -> String,
    ) -> Spelling {
        Spelling { format, notation, numbers: false, write }
    }

    const fn numbered(
        format: &'static str,
        notation: &'static str,
        write: fn(&Text, &dyn Fn(usize) -> String) -> String,
    ) -> Spelling {
        Spelling { format, notation, numbers: true, write }
    }
}

/// A mention by its first word, its last word and its string.
type WordsAndString = (usize, usize, String);

impl Text {
    /// Returns the entities with their numbers and mentions.
    fn strings(&self) -> Vec<(usize, Vec<WordsAndString>)> {
        let of = |entity: usize| {
            let mut own: Vec<_> = self.mentions.iter().filter(|mention| mention.2 == entity).collect();
            own.sort();
            let string = |first: usize, last: usize| self.words[first..=last].join(" ");
            own.iter().map(|mention| (mention.0, mention.1, string(mention.0, mention.1))).collect::<Vec<_>>()
        };
        (0..4).map(|entity| (entity, of(entity))).filter(|(_, mentions)| !mentions.is_empty()).collect()
    }

    /// Returns the text with tags after its words, between brackets and separated by a sign.
    fn tagged(&self, [open, close]: [&str; 2], between: &str, id: &dyn Fn(usize) -> String) -> String {
        let word = |(place, word): (usize, &&str)| {
            let mut tags = Vec::new();
            for &(start, end, entity) in &self.mentions {
                match (start == place, end == place) {
                    (true, true) => tags.push(format!("{open}{}{close}", id(entity))),
                    (true, false) => tags.push(format!("{open}{}", id(entity))),
                    (false, true) => tags.push(format!("{}{close}", id(entity))),
                    _ => {}
                }
            }
            let word = word.replace(' ', "_");
            if tags.is_empty() { word } else { format!("{word}|{}", tags.join(between)) }
        };
        self.words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Returns JSON with `value` for each entity, from its number and the strings of its mentions.
    fn json(&self, value: impl Fn(usize, &[(usize, usize, String)]) -> String) -> String {
        let all: Vec<String> =
            self.strings().iter().map(|(entity, mentions)| value(*entity, mentions)).collect();
        all.join(", ")
    }

    /// Returns the place of a word's first character if single spaces separate the words.
    fn character(&self, word: usize) -> usize {
        self.words[..word].iter().map(|word| word.chars().count() + 1).sum()
    }
}

/// Returns the strings of mentions as a list in JSON.
fn list(mentions: &[(usize, usize, String)]) -> String {
    let strings: Vec<String> = mentions.iter().map(|mention| quoted(&mention.2)).collect();
    format!("[{}]", strings.join(", "))
}

/// Returns a list of lists of places.
fn places(mentions: &[(usize, usize, String)], of: impl Fn(usize, usize) -> String) -> String {
    let all: Vec<String> = mentions.iter().map(|&(first, last, _)| of(first, last)).collect();
    format!("[{}]", all.join(", "))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Marks as models spell them, in every notation whose marks name entities.
const SPELLINGS: &[Spelling] = &[
    Spelling::of("bracketed", "link", |text, id| {
        text.marked(|_| "[".into(), |entity| format!("](#{})", id(entity)), escaped)
    }),
    Spelling::of("bracketed", "link", |text, id| {
        text.marked(|_| "[".into(), |entity| format!("]({})", id(entity)), escaped)
    }),
    Spelling::of("bracketed", "first", |text, id| {
        text.marked(|entity| format!("[{} ", id(entity)), |_| "]".into(), escaped)
    }),
    Spelling::of("bracketed", "colon", |text, id| {
        text.marked(|_| "[".into(), |entity| format!(": {}]", id(entity)), escaped)
    }),
    Spelling::of("bracketed", "hash", |text, id| {
        text.marked(|_| "[".into(), |entity| format!("]#{}", id(entity)), escaped)
    }),
    Spelling::of("bracketed", "subscript", |text, id| {
        text.marked(|_| "[".into(), |entity| format!("]_{}", id(entity)), escaped)
    }),
    Spelling::of("bracketed", "double", |text, id| {
        text.marked(|_| "[[".into(), |entity| format!("]]_{}", id(entity)), escaped)
    }),
    Spelling::of("bracketed", "bar", |text, id| {
        text.marked(|_| "[".into(), |entity| format!(" | {}]", id(entity)), escaped)
    }),
    Spelling::of("tagged", "attribute", |text, id| {
        text.marked(|entity| format!("<m id=\"{}\">", id(entity)), |_| "</m>".into(), referenced)
    }),
    Spelling::of("tagged", "attribute", |text, id| {
        text.marked(|entity| format!("<m id={}>", id(entity)), |_| "</m>".into(), referenced)
    }),
    Spelling::of("tagged", "attribute", |text, id| {
        text.marked(|entity| format!("<m type='PER' id='{}'>", id(entity)), |_| "</m>".into(), referenced)
    }),
    Spelling::of("tagged", "attribute", |text, id| {
        let open = |entity| format!("<entity id=“{}” type=PER>", id(entity));
        text.marked(open, |_| "</entity>".into(), referenced)
    }),
    Spelling::of("tagged", "attribute", |text, id| {
        let open = |entity| format!("<m id=\"{}\">", id(entity));
        text.marked(open, |entity| format!("</m id=\"{}\">", id(entity)), referenced)
    }),
    Spelling::numbered("tagged", "element", |text, id| {
        text.marked(|entity| format!("<e{}>", id(entity)), |entity| format!("</e{}>", id(entity)), referenced)
    }),
    Spelling::of("tagged", "seq2seq", |text, id| {
        text.marked(|_| "<m> ".into(), |entity| format!(" | {} </m>", id(entity)), referenced)
    }),
    Spelling::numbered("tagged", "seq2seq", |text, id| {
        text.marked(|_| "<m> ".into(), |entity| format!(" </m{}>", id(entity)), referenced)
    }),
    Spelling::numbered("tagged", "seq2seq", |text, id| {
        text.marked(|_| "<m> ".into(), |entity| format!(" </m> <c{}>", id(entity)), referenced)
    }),
    Spelling::of("tagged", "corefinst", |text, id| {
        text.marked(|_| "<m> ".into(), |entity| format!(" </m>#{}", id(entity)), referenced)
    }),
    Spelling::of("pipe", "pipe", |text, id| text.tagged(["[", "]"], ",", id)),
    Spelling::of("pipe", "pipe", |text, id| text.tagged(["(", ")"], ",", id)),
    Spelling::of("pipe", "pipe", |text, id| text.tagged(["[", "]"], ", ", id)),
    Spelling::of("pipe", "pipe", |text, id| text.tagged(["[", "]"], "-", id)),
    Spelling::numbered("pipe", "pipe", |text, id| text.tagged(["[", "]"], ",", id)),
    Spelling::of("json-answer", "strings", |text, _| {
        format!("{{\"clusters\": [{}]}}", text.json(|_, mentions| list(mentions)))
    }),
    Spelling::of("json-answer", "strings", |text, _| {
        format!("[{}]", text.json(|_, mentions| list(mentions)))
    }),
    Spelling::of("json-answer", "strings", |text, id| {
        let entity = |entity, mentions: &[_]| format!("{}: {}", quoted(&id(entity)), list(mentions));
        format!("{{{}}}", text.json(entity))
    }),
    Spelling::of("json-answer", "strings", |text, id| {
        let entity = |entity, mentions: &[_]| {
            format!("{}: {{\"type\": \"PER\", \"mentions\": {}}}", quoted(&id(entity)), list(mentions))
        };
        format!("{{{}}}", text.json(entity))
    }),
    Spelling::of("json-answer", "strings", |text, id| {
        let entity = |entity, mentions: &[_]| {
            format!("{{\"id\": {}, \"mentions\": {}}}", quoted(&id(entity)), list(mentions))
        };
        format!("{{\"entities\": [{}]}}", text.json(entity))
    }),
    Spelling::numbered("json-answer", "strings", |text, id| {
        let entity = |entity, mentions: &[_]| {
            format!("  {{\n    \"id\": {},\n    \"mentions\": {}\n  }}", id(entity), list(mentions))
        };
        format!("```json\n[\n{}\n]\n```\n", text.json(entity))
    }),
    Spelling::of("json-answer", "strings", |text, id| {
        let mention = |entity: usize, string: &str| {
            format!("{{\"text\": {}, \"entity\": {}}}", quoted(string), quoted(&id(entity)))
        };
        let entity = |entity, mentions: &[(usize, usize, String)]| {
            mentions.iter().map(|own| mention(entity, &own.2)).collect::<Vec<_>>().join(", ")
        };
        format!("[{}]", text.json(entity))
    }),
    Spelling::of("json-answer", "strings", |text, id| {
        let mention = |entity: usize, string: &str| {
            format!("  {{\"entity\": {}, \"text\": {}}}", quoted(&id(entity)), quoted(string))
        };
        let entity = |entity, mentions: &[(usize, usize, String)]| {
            mentions.iter().map(|own| mention(entity, &own.2)).collect::<Vec<_>>().join(",\n")
        };
        format!("The mentions are:\n\n{{\"mentions\": [\n{}\n]}}\n\nThat is all.\n", text.json(entity))
    }),
    Spelling::of("json-answer", "strings", |text, _| {
        let string = |string: &str| format!("{{\"text\": {}, \"sentence\": 1}}", quoted(string));
        let entity = |_, mentions: &[(usize, usize, String)]| {
            format!("[{}]", mentions.iter().map(|own| string(&own.2)).collect::<Vec<_>>().join(", "))
        };
        format!("{{\"clusters\": [{}]}}", text.json(entity))
    }),
    Spelling::of("json-answer", "strings", |text, _| {
        let string = |string: &str| format!("'{}'", string.replace('\\', "\\\\").replace('\'', "\\'"));
        let entity = |_, mentions: &[(usize, usize, String)]| {
            format!("({})", mentions.iter().map(|own| string(&own.2)).collect::<Vec<_>>().join(", "))
        };
        format!("{{'clusters': [{}]}}", text.json(entity))
    }),
    Spelling::of("json-answer", "own-text", |text, _| {
        let clusters = text.json(|_, mentions| places(mentions, |first, last| format!("[{first}, {last}]")));
        let words = serde_json::to_string(&text.words).unwrap();
        format!("{{\"tokens\": {words}, \"clusters_token_offsets\": [{clusters}]}}")
    }),
    Spelling::of("json-answer", "own-text", |text, _| {
        let clusters = text.json(|_, mentions| places(mentions, |first, last| format!("[{first}, {last}]")));
        let words = serde_json::to_string(&text.words).unwrap();
        let strings = text.json(|_, mentions| list(mentions));
        format!(
            "{{\"doc_id\": \"d\", \"tokens\": {words},\n\"clusters_token_offsets\": [{clusters}],\n\
             \"clusters_text_mentions\": [{strings}]}}\n"
        )
    }),
    Spelling::of("json-answer", "own-text", |text, _| {
        let words = quoted(&text.words.join(" "));
        let place = |first, last: usize| {
            let end = text.character(last) + text.words[last].chars().count();
            format!("[{}, {end}]", text.character(first))
        };
        let clusters = text.json(|_, mentions| places(mentions, place));
        let strings = text.json(|_, mentions| list(mentions));
        format!("{{\"text\": {words}, \"clusters\": [{clusters}], \"clusters_strings\": [{strings}]}}")
    }),
    Spelling::of("json-answer", "own-text", |text, _| {
        let words = serde_json::to_string(&text.words).unwrap();
        let place = |first, last| format!("[0, {first}, {}]", last + 1);
        let clusters = text.json(|_, mentions| places(mentions, place));
        format!("{{\"sens\": [{{\"tok\": {words}}}], \"coref\": [{clusters}]}}")
    }),
    Spelling::numbered("json-answer", "own-text", |text, id| {
        let words: Vec<String> =
            text.words.iter().map(|word| format!("{{\"word\": {}}}", quoted(word))).collect();
        let place = |first, last| {
            format!("{{\"sentNum\": 1, \"startIndex\": {}, \"endIndex\": {}}}", first + 1, last + 2)
        };
        let chain = |entity, mentions: &[_]| format!("\"{}\": {}", id(entity), places(mentions, place));
        let (words, chains) = (words.join(", "), text.json(chain));
        format!("{{\"sentences\": [{{\"tokens\": [{words}]}}], \"corefs\": {{{chains}}}}}")
    }),
    Spelling::numbered("json-answer", "own-text", |text, id| {
        let place = |first, last: usize| {
            let end = text.character(last) + text.words[last].chars().count();
            format!("{{\"start\": {}, \"end\": {end}}}", text.character(first))
        };
        let spans = |entity, mentions: &[_]| {
            format!("\"coref_clusters_{}\": {}", id(entity), places(mentions, place))
        };
        let (words, spans) = (quoted(&text.words.join(" ")), text.json(spans));
        format!("{{\"text\": {words}, \"spans\": {{{spans}}}}}")
    }),
];

/// Spells the id of an entity in one of several ways.
fn spelled(random: &mut Rng, entity: usize, numbers: bool) -> String {
    match random.below(if numbers { 4 } else { 10 }) {
        0 => format!("0{entity}"),
        1..=3 => format!("{entity}"),
        4 => format!("Entity {entity}"),
        5 => format!("entity_{entity}"),
        6 => format!("entity 0{entity}"),
        7 => format!("e{entity}"),
        _ => format!("entity {entity}"),
    }
}

/// Returns the places of punctuation and spaces, except within JSON strings, where another character makes another
/// mention, like another word.
fn signs(answer: &str, json: bool) -> Vec<(usize, char)> {
    let (mut signs, mut within, mut escaped) = (Vec::new(), None, false);
    for (place, character) in answer.char_indices() {
        let is_quote = json && matches!(character, '"' | '\'') && !escaped;
        let is_end = is_quote && within == Some(character);
        if !character.is_alphanumeric() && (within.is_none() || is_end) {
            signs.push((place, character));
        }
        if is_end {
            within = None;
        } else if is_quote && within.is_none() {
            within = Some(character);
        }
        escaped = within.is_some() && character == '\\' && !escaped;
    }
    signs
}

/// Damages one place of an answer: a punctuation mark or space is lost, doubled, added, replaced or moved by one
/// character, a word is split, or the end is missing.
fn damaged(random: &mut Rng, answer: &str, json: bool) -> Option<String> {
    #[rustfmt::skip]
    const SIGNS: &[&str] = &[
        " ", " ", "\"", "”", "'", "\n", "[", "]", "(", ")", "{", "}", "<", ">", "_", "#", "/", "=", "|", ",", ":", "-", "*", "\\", "##",
    ];
    let signs = signs(answer, json);
    if signs.is_empty() {
        return None;
    }
    let (at, sign) = signs[random.below(signs.len() as u64) as usize];
    let (before, rest) = (&answer[..at], &answer[at + sign.len_utf8()..]);
    let other = SIGNS[random.below(SIGNS.len() as u64) as usize];
    Some(match random.below(7) {
        0 | 1 => format!("{before}{rest}"),
        2 => format!("{before}{sign}{sign}{rest}"),
        3 => format!("{before}{other}{sign}{rest}"),
        4 => format!("{before}{other}{rest}"),
        5 => {
            let next = rest.chars().next()?;
            let after = &rest[next.len_utf8()..];
            // Within a string, the mark would be another word of the mention.
            let fits = !json || signs.iter().any(|place| place.0 == at + sign.len_utf8());
            fits.then(|| format!("{before}{next}{sign}{after}"))?
        }
        _ => {
            let places: Vec<usize> = answer.char_indices().map(|place| place.0).collect();
            let end = places[random.below(places.len() as u64) as usize];
            let follows = answer[..end].chars().next_back().zip(answer[end..].chars().next());
            let is_word = follows.is_some_and(|(one, next)| one.is_alphanumeric() && next.is_alphanumeric());
            match is_word && !json && random.below(2) == 0 {
                true => format!("{} {}", &answer[..end], &answer[end..]),
                false => answer[..end].to_owned(),
            }
        }
    })
}

/// Returns the text with a word dropped, replaced or added; its mentions cover the same places.
fn reworded(random: &mut Rng, text: &Text, strings: bool) -> Text {
    let mut words = text.words.clone();
    let word = &mut words[random.below(text.words.len() as u64) as usize];
    // A string with fewer words, or with words of the key, is another mention.
    *word = match random.below(if strings { 1 } else { 3 }) {
        0 => "zzz",
        1 => "",
        _ => WORDS[random.below(WORDS.len() as u64) as usize],
    };
    Text { words, mentions: text.mentions.clone() }
}

/// Returns whether a damaged answer is itself a valid answer with fewer or other entities. Nothing in it shows the
/// intended entities, so no finding is possible.
fn is_another_answer(text: &Text, answer: &str, damaged: &str, format: &str) -> bool {
    let is_id = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_');
    if let Some(rest) = answer.strip_prefix(damaged) {
        return match format {
            // All words are present, and the answer ends before the tags of the last one: a mention is missing.
            "pipe" => rest.starts_with(['|', ',', '-']) && !rest.contains(char::is_whitespace),
            // The answer ends within the last id, and the part is an id as well: `]#1` of `]#12`.
            "bracketed" | "tagged" => rest.chars().all(is_id),
            _ => false,
        };
    }
    // A bracket before a word of one character is now after it, or the other way round: the word belongs to the mention,
    // or does not.
    let differing: Vec<(usize, (char, char))> =
        answer.chars().zip(damaged.chars()).enumerate().filter(|(_, (one, other))| one != other).collect();
    let is_word = |sign: char| text.words.iter().any(|word| word.chars().eq([sign]));
    match differing[..] {
        [(first, (a, b)), (second, (c, d))] => {
            format == "bracketed"
                && (second, c, d) == (first + 1, b, a)
                && [(a, b), (b, a)].iter().any(|&(one, other)| matches!(one, '[' | ']') && is_word(other))
        }
        _ => false,
    }
}

/// Every deviation that changes the entities is reported, in all families of notations: ids with several spellings, and
/// single damage to punctuation, spaces, words or the end. `COREFEVAL_ROUNDS=20000` searches longer.
#[test]
fn deviations_that_change_entities_are_reported() {
    use std::cell::{Cell, RefCell};
    let wanted = std::env::var("COREFEVAL_ROUNDS").ok();
    let rounds: u64 = wanted.as_deref().map_or(60, |rounds| rounds.parse().unwrap());
    let (mut counts, mut silent) = ([0; 4], Vec::new());
    for round in 0..rounds {
        for (number, spelling) in SPELLINGS.iter().enumerate() {
            let Spelling { format, notation, numbers, write } = *spelling;
            let random = RefCell::new(Rng(1000 * round + number as u64 + 7));
            let crossing = if format == "pipe" { "pipe" } else { notation };
            let text = Text::random(&mut random.borrow_mut(), crossing);
            let key = text.key();
            let style = Cell::new(random.borrow_mut().below(1 << 40));
            let same = |entity: usize| spelled(&mut Rng(style.get()), entity, numbers);
            let other = |entity: usize| spelled(&mut random.borrow_mut(), entity, numbers);
            let whole = write(&text, &same);
            let is_json = format == "json-answer";
            let answer = match round % 4 {
                0 => write(&text, &other),
                1 => write(&reworded(&mut random.borrow_mut(), &text, notation == "strings"), &same),
                _ => match damaged(&mut random.borrow_mut(), &whole, is_json) {
                    Some(answer) => answer,
                    None => continue,
                },
            };
            for named in [notation, "auto"] {
                // Without mentions, nothing can be detected or lost.
                let Ok(meant) = placed(&key, format, named, whole.as_bytes()) else { continue };
                if clusters(&meant) != text.clusters() && notation != "strings" {
                    continue;
                }
                let Ok(found) = placed(&key, format, named, answer.as_bytes()) else {
                    counts[2] += 1;
                    continue;
                };
                let groups = found.diagnostics.groups();
                let is_warned = groups.iter().any(|group| group.code.severity() > Severity::Note);
                let is_same = clusters(&found) == clusters(&meant);
                counts[usize::from(!is_same)] += 1;
                if is_same || is_warned {
                    continue;
                }
                if is_another_answer(&text, &whole, &answer, format) {
                    counts[3] += 1;
                    continue;
                }
                silent.push(format!(
                    "{round} {format}:{named}\n  {whole}\n  {answer}\n  {:?}\n  {:?} {:?}",
                    clusters(&meant),
                    clusters(&found),
                    codes(&found)
                ));
            }
        }
    }
    assert!(
        silent.is_empty(),
        "{} of {counts:?} are silent:\n{}",
        silent.len(),
        silent[..silent.len().min(60)].join("\n")
    );
    assert!(counts[..3].iter().all(|count| *count > 200), "{counts:?}");
    assert!(counts[3] * 200 < counts[1], "{counts:?}");
}
