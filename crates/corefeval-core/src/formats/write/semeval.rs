//! Writes `semeval`: the columns of SemEval-2010 task 1, with words, coreference and heads.
//!
//! The heads of mentions follow from the dependencies of words. The writer fills in the predicted heads (PHEAD) just
//! enough for this: the words of a mention depend on its head, and the head depends on a word outside.

use std::fmt::Write as _;

use super::conll::{coreference_of, spans};
use super::losses::Losses;
use super::renaming::ids_by;
use super::text::{self, TextWords};
use super::{DocumentWriting, WholeWriter, Writer};
use crate::error::Result;
use crate::formats::dependencies::{Dependencies, Head};
use crate::model::{Mention, Span};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    ids: |ids| ids_by(ids, false, plain_name),
    document: write_document,
    ..WholeWriter::PLAIN
});

/// Changes a name so that it is not read as a name with a part.
fn plain_name(name: &str) -> String {
    name.replace("; part", ";_part").trim_matches(|c: char| c.is_whitespace() || "();".contains(c)).to_owned()
}

fn write_document(text: &mut String, writing: &DocumentWriting<'_>, losses: &mut Losses<'_>) -> Result<()> {
    let (document, id) = (writing.document, writing.id);
    let (words, layers) = writing.text()?;
    let _ = writeln!(text, "#begin document {}", id.name());
    let in_text = TextWords::of(words);
    let spans = spans(document, &in_text, losses);
    let cells = coreference_of(document, &spans, losses);
    let sentences: Vec<Vec<u32>> = text::sentences(words)
        .into_iter()
        .map(|sentence| sentence.filter(|&word| !words.is_empty_node(word)).collect())
        .collect();
    let heads = heads(&sentences, &spans, &in_text, losses);
    let mut lines = cells.iter().zip(&heads);
    for sentence in sentences.iter().filter(|sentence| !sentence.is_empty()) {
        for (number, &word) in (1..).zip(sentence) {
            let form = text::form(layers, word, losses);
            let Some((cell, head)) = lines.next() else { break };
            let head = match head {
                Head::Word(head) => head.to_string(),
                Head::Root => "0".to_owned(),
                Head::Unknown => "_".to_owned(),
            };
            let cell = if cell.is_empty() { "_" } else { cell };
            let _ = writeln!(text, "{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{head}\t_\t_\t_\t_\t_\t_\t{cell}");
        }
        text.push('\n');
    }
    text.push_str("#end document\n");
    Ok(())
}

/// Returns the word that each word of the text must depend on so that mentions have their heads.
fn heads(
    sentences: &[Vec<u32>],
    spans: &[(Span, &Mention)],
    in_text: &TextWords,
    losses: &mut Losses<'_>,
) -> Vec<Head> {
    let count: usize = sentences.iter().map(Vec::len).sum();
    // The first word of the sentence of each word.
    let mut starts = Vec::with_capacity(count);
    for sentence in sentences {
        let start = starts.len() as u32;
        starts.extend(std::iter::repeat_n(start, sentence.len()));
    }
    let wanted: Vec<Option<u32>> = spans.iter().map(|(_, mention)| in_text.head(mention, losses)).collect();
    let mut heads = vec![Head::Unknown; count];
    // Smaller mentions come later, because a word depends on the head of the smallest mention that it is not
    // the head of.
    let mut by_length: Vec<(Span, Option<u32>)> =
        spans.iter().zip(&wanted).map(|((span, _), head)| (*span, *head)).collect();
    by_length.sort_by_key(|(span, _)| std::cmp::Reverse(span.len()));
    for (span, head) in by_length {
        let Some(head) = head.filter(|head| (span.start()..span.end()).contains(head)) else { continue };
        for word in span.start()..span.end() {
            let start = starts[word as usize];
            let place = &mut heads[word as usize];
            if word != head && starts[head as usize] == start {
                *place = Head::Word(head - start + 1);
            } else if matches!(place, Head::Unknown) {
                *place = Head::Root;
            }
        }
    }
    // Finds the heads as the reader does, because the wanted heads may contradict each other.
    let mut read = Dependencies::default();
    for ((head, start), number) in heads.iter().zip(&starts).zip(0u32..) {
        read.push(*head, number - start + 1);
    }
    let mut again: Vec<Mention> =
        spans.iter().map(|(span, mention)| Mention::new(*span, mention.entity(), 0, 0)).collect();
    read.give_heads(&mut again);
    for (((_, mention), again), wanted) in spans.iter().zip(&again).zip(wanted) {
        match (wanted, again.head()) {
            (wanted, found) if wanted == found => {}
            (None, _) => losses.renamed("mentions without a head, which have one when read again", 1),
            (Some(_), _) => losses.lost_of("heads of mentions that contradict each other", mention),
        }
    }
    heads
}
