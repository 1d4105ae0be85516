//! Writes `muc`: the SGML of MUC-7, `<COREF ID="2" REF="1" TYPE="IDENT" MIN="board">`.
//!
//! Each mention refers to the previous mention of its entity. Tags must nest, so the writer drops one of two crossing
//! mentions. The `ID` of the first mention is the name of the entity.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::conll::text_span;
use super::losses::Losses;
use super::markup::{entity_names, escaped};
use super::renaming::ids_by;
use super::text::{self, BORDERS, TextWords, note_head};
use super::{DocumentWriting, WholeWriter, Writer};
use crate::error::Result;
use crate::formats::standoff::PlainText;
use crate::model::{Document, EntityId, Mention, OPTIONAL, STATUS, Span};
use crate::wording::one_line;

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    ids: |ids| ids_by(ids, false, one_line),
    document: write_document,
    ..WholeWriter::PLAIN
});

/// The attributes that have a different meaning in the format.
const RESERVED: [&str; 6] = ["ID", "REF", "TYPE", "MIN", "STATUS", "STAT"];

fn write_document(text: &mut String, writing: &DocumentWriting<'_>, losses: &mut Losses<'_>) -> Result<()> {
    let (document, id) = (writing.document, writing.id);
    let (words, layers) = writing.text()?;
    let mut forms: Vec<Cow<'_, str>> = Vec::with_capacity(words.count_in_text() as usize);
    for word in (0..words.count()).filter(|&word| !words.is_empty_node(word)) {
        forms.push(text::form(layers, word, losses));
    }
    let pieces = Pieces::of(&forms, losses);
    let in_text = TextWords::of(words);
    let mentions = mentions(document, &in_text, &pieces, losses);
    let mut opening = vec![String::new(); forms.len()];
    let mut closing = vec![0; forms.len()];
    let ids = ids(document, &mentions, losses);
    let mut last: FxHashMap<EntityId, usize> = FxHashMap::default();
    for (number, (span, mention)) in mentions.iter().enumerate() {
        let tag = &mut opening[span.start() as usize];
        let _ = write!(tag, "<COREF ID=\"{}\"", escaped(&ids[number]));
        if let Some(before) = last.insert(mention.entity(), number) {
            let _ = write!(tag, " TYPE=\"IDENT\" REF=\"{}\"", escaped(&ids[before]));
        }
        if let Some(minimum) = minimum(*span, mention, &in_text, &pieces, losses) {
            let minimum = &forms[minimum.start() as usize..minimum.end() as usize];
            let _ = write!(tag, " MIN=\"{}\"", escaped(&minimum.join(" ")));
        }
        attributes(tag, mention, losses);
        tag.push('>');
        closing[span.last() as usize] += 1;
    }
    match id.name() {
        "" => text.push_str("<DOC>\n<TXT>\n"),
        name => _ = write!(text, "<DOC>\n<DOCNO> {} </DOCNO>\n<TXT>\n", escaped(name)),
    }
    // A document without sentences is written as one line.
    let marked = !words.sentences().is_empty();
    let mut next = 0;
    for sentence in text::sentences(words) {
        let in_text = sentence.filter(|&word| !words.is_empty_node(word)).count();
        if in_text == 0 {
            continue;
        }
        text.push_str(if marked { "<s> " } else { "" });
        for word in next..next + in_text {
            if word > next {
                text.push(' ');
            }
            text.extend([opening[word].as_str(), &escaped(&forms[word])]);
            (0..closing[word]).for_each(|_| text.push_str("</COREF>"));
        }
        text.push_str(if marked { " </s>\n" } else { "\n" });
        next += in_text;
    }
    text.push_str("</TXT>\n</DOC>\n");
    Ok(())
}

/// The words that the reader will find in the text, which may differ from the words of the document.
struct Pieces {
    words: Vec<String>,
    /// The number of pieces before each word, and before the end.
    before: Vec<usize>,
}

impl Pieces {
    fn of(forms: &[Cow<'_, str>], losses: &mut Losses<'_>) -> Pieces {
        let mut pieces = Pieces { words: Vec::with_capacity(forms.len()), before: vec![0] };
        for form in forms {
            let plain = PlainText::new(form.to_string());
            let words = plain.words_in(&(0..plain.len()));
            let count = words.map_or(0, |(span, _)| span.len());
            if count != 1 {
                losses.lost_of_document(BORDERS);
            }
            pieces.words.extend(words.into_iter().flat_map(|(span, _)| plain.forms(span)).map(str::to_owned));
            pieces.before.push(pieces.words.len());
        }
        pieces
    }

    fn of_span(&self, span: Span) -> &[String] {
        &self.words[self.before[span.start() as usize]..self.before[span.end() as usize]]
    }
}

/// Returns the mentions that can be written, in the order in which they open.
fn mentions<'d>(
    document: &'d Document,
    in_text: &TextWords,
    pieces: &Pieces,
    losses: &mut Losses<'_>,
) -> Vec<(Span, &'d Mention)> {
    let mut spans: Vec<(Span, &Mention)> = Vec::with_capacity(document.mentions().len());
    for mention in document.mentions() {
        let Some(span) = text_span(mention, in_text, losses) else { continue };
        match pieces.of_span(span).is_empty() {
            true => losses.lost_of("mentions that are not in the text", mention),
            false => spans.push((span, mention)),
        }
    }
    // The reader returns mentions in the order in which they close, so the last of several equal spans opens first.
    spans.reverse();
    spans.sort_by_key(|(span, _)| (span.start(), std::cmp::Reverse(span.end())));
    let mut open: Vec<u32> = Vec::new();
    spans.retain(|(span, mention)| {
        while open.last().is_some_and(|&end| end <= span.start()) {
            open.pop();
        }
        let crosses = open.last().is_some_and(|&end| end < span.end());
        match crosses {
            true => losses.lost_of("mentions that cross another", mention),
            false => open.push(span.end()),
        }
        !crosses
    });
    spans
}

/// Returns the `ID` of each mention: the name of the entity for its first mention, numbers for later mentions.
fn ids(document: &Document, mentions: &[(Span, &Mention)], losses: &mut Losses<'_>) -> Vec<String> {
    let names = entity_names(document, losses);
    let taken: HashSet<&str> = names.iter().map(String::as_str).collect();
    let mut numbers =
        (1u32..).map(|number| number.to_string()).filter(|number| !taken.contains(number.as_str()));
    let mut begun = vec![false; names.len()];
    let ids = mentions.iter().map(|(_, mention)| {
        let entity = mention.entity().index();
        match std::mem::replace(&mut begun[entity], true) {
            false => names[entity].clone(),
            true => numbers.next().unwrap_or_default(),
        }
    });
    ids.collect()
}

/// Returns the words of `MIN`: the minimum span, or the head. The reader searches for them from the start of the
/// mention, with the last of them as the head.
fn minimum(
    span: Span,
    mention: &Mention,
    in_text: &TextWords,
    pieces: &Pieces,
    losses: &mut Losses<'_>,
) -> Option<Span> {
    let min_span = mention.details().map_or(&[][..], |details| &details.min_span);
    let head = in_text.head(mention, losses);
    let wanted = match (in_text.runs(min_span).as_slice(), head) {
        ([run], _) if span.contains(*run) => *run,
        ([], Some(head)) => {
            losses.renamed("heads of mentions, which are written as minimum spans too", 1);
            Span::word(head)
        }
        ([], None) => return None,
        _ => {
            losses.lost_of("minimum spans with gaps or beyond their mentions", mention);
            return None;
        }
    };
    let found = |place: &u32| {
        let rest = Span::new(*place, span.end());
        rest.is_some_and(|rest| pieces.of_span(rest).starts_with(pieces.of_span(wanted)))
    };
    if !span.contains(wanted)
        || pieces.of_span(wanted).is_empty()
        || (span.start()..wanted.end()).find(found) != Some(wanted.start())
    {
        losses.lost_of("minimum spans whose words come earlier in their mentions", mention);
        return None;
    }
    note_head(head, wanted, mention, losses);
    Some(wanted)
}

fn attributes(tag: &mut String, mention: &Mention, losses: &mut Losses<'_>) {
    let mut seen: Vec<&str> = Vec::new();
    for (name, value) in mention.attributes() {
        let is_new = !seen.contains(&name.as_str());
        seen.push(name);
        let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_-.".contains(c);
        let supported = is_new && !value.contains(char::is_control);
        if name == STATUS && supported && !value.is_empty() && value.trim() == value {
            // The reader capitalises only this value.
            match value.eq_ignore_ascii_case(OPTIONAL) && value != OPTIONAL {
                true => losses.lost_of("attributes of mentions", mention),
                false => _ = write!(tag, " STATUS=\"{}\"", escaped(value)),
            }
        } else if supported
            && !name.is_empty()
            && name.chars().all(fits)
            && !RESERVED.contains(&name.as_str())
        {
            let _ = write!(tag, " {name}=\"{}\"", escaped(value));
        } else {
            losses.lost_of("attributes of mentions", mention);
        }
    }
}
