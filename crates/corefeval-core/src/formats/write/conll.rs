//! Writes `conll`: the layout of CoNLL-2012 in twelve columns, separated by tabs.

use std::fmt::Write as _;

use super::losses::Losses;
use super::renaming::{document_ids, entity_names};
use super::text::{self, TextWords};
use super::{DocumentWriting, WholeWriter, Writer};
use crate::error::Result;
use crate::model::{Document, Mention, Span};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    ids: |ids| document_ids(ids, true, &[]),
    document: write_document,
    ..WholeWriter::PLAIN
});

fn write_document(text: &mut String, writing: &DocumentWriting<'_>, losses: &mut Losses<'_>) -> Result<()> {
    let (document, id) = (writing.document, writing.id);
    let (words, layers) = writing.text()?;
    let part = id.part().map(|part| format!(" part {part:03}")).unwrap_or_default();
    let _ = writeln!(text, "#begin document ({});{part}", id.name());
    // The first column must not turn the line into a comment.
    let name = match id.name() {
        "" => "-".to_owned(),
        name => name.replace('#', "_"),
    };
    let part = id.part().unwrap_or(0);
    let cells = coreference(document, losses);
    let mut cells = cells.iter();
    for sentence in text::sentences(words) {
        let in_text = sentence.filter(|&word| !words.is_empty_node(word));
        let mut number = 0;
        for word in in_text {
            let form = text::form(layers, word, losses);
            let tag = text::cell(&layers.part_of_speech, word, "-", losses);
            let parse = text::cell(&layers.parse, word, "-", losses);
            let speaker = text::cell(&layers.speaker, word, "-", losses);
            let named = text::cell(&layers.named_entity, word, "-", losses);
            let coreference = cells.next().map_or("-", |cell| if cell.is_empty() { "-" } else { cell });
            let _ = writeln!(
                text,
                "{name}\t{part}\t{number}\t{form}\t{tag}\t{parse}\t-\t-\t-\t{speaker}\t{named}\t{coreference}"
            );
            number += 1;
        }
        if number > 0 {
            text.push('\n');
        }
    }
    text.push_str("#end document\n");
    Ok(())
}

/// Returns the last column: the mentions that open and close at each word.
pub(super) fn coreference(document: &Document, losses: &mut Losses<'_>) -> Vec<String> {
    let spans = spans(document, &TextWords::of(document.words()), losses);
    coreference_of(document, &spans, losses)
}

/// Returns the last column for these mentions, which are in the order in which they open.
pub(super) fn coreference_of(
    document: &Document,
    spans: &[(Span, &Mention)],
    losses: &mut Losses<'_>,
) -> Vec<String> {
    let allowed = |c: char| !"()|".contains(c) && !c.is_whitespace() && !c.is_control();
    let names = entity_names(document, allowed, |_| true, losses);
    let mut cells = vec![String::new(); document.words().count_in_text() as usize];
    let mut add = |word: u32, before: &str, name: &str, after: &str| {
        let cell = &mut cells[word as usize];
        if !cell.is_empty() {
            cell.push('|');
        }
        cell.extend([before, name, after]);
    };
    // Longer mentions open first and close last.
    for &(span, mention) in spans {
        let name = &names[mention.entity().index()];
        add(span.start(), "(", name, if span.len() == 1 { ")" } else { "" });
    }
    let mut closing = spans.to_vec();
    closing.sort_by_key(|(span, _)| (span.end(), std::cmp::Reverse(span.start())));
    for (span, mention) in closing.into_iter().filter(|(span, _)| span.len() > 1) {
        add(span.last(), "", &names[mention.entity().index()], ")");
    }
    cells
}

/// Returns the mentions as spans of the text that the format can express, in the order in which they open.
pub(super) fn spans<'d>(
    document: &'d Document,
    in_text: &TextWords,
    losses: &mut Losses<'_>,
) -> Vec<(Span, &'d Mention)> {
    let mut spans: Vec<(Span, &Mention)> = Vec::with_capacity(document.mentions().len());
    for mention in document.mentions() {
        spans.extend(text_span(mention, in_text, losses).map(|span| (span, mention)));
    }
    spans.sort_by_key(|(span, _)| (span.start(), std::cmp::Reverse(span.end())));
    // A bracket closes the newest open bracket of its entity.
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); document.entities().len()];
    spans.retain(|(span, mention)| {
        let open = &mut open[mention.entity().index()];
        while open.last().is_some_and(|&end| end <= span.start()) {
            open.pop();
        }
        let crosses = open.last().is_some_and(|&end| end < span.end());
        if crosses {
            losses.lost_of("mentions that cross another of their entity", mention);
        } else {
            open.push(span.end());
        }
        !crosses
    });
    spans
}

/// Returns a mention as one span of the text, for formats without empty nodes and gaps.
pub(super) fn text_span(mention: &Mention, in_text: &TextWords, losses: &mut Losses<'_>) -> Option<Span> {
    let runs = in_text.runs(mention.parts());
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        losses.lost_of("mentions that are not in the text", mention);
        return None;
    };
    if runs.len() > 1 {
        losses.lost_of("gaps in mentions, whose words were added to the mention", mention);
    }
    Span::new(first.start(), last.end())
}
