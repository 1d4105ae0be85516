//! Handles mentions of the key that a response may lack (`STATUS="OPT"` in MUC).
//!
//! Only matching can determine whether the response has such a mention. The response is therefore aligned with the
//! whole key, optional mentions without a counterpart are left out, and the rest is aligned again, with the same pairs
//! as before. An optional mention with a counterpart counts like any other. This applies to every matching rule.

use super::{Alignment, align_by_rule};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::Document;
use crate::selection::Selected;
use crate::settings::Settings;

pub(super) fn align(
    key: (&Document, Selected),
    response: (&Document, Selected),
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let (document, mut selected) = key;
    let mut dropped = 0;
    loop {
        let mut found = Diagnostics::default();
        let theirs = (response.0, response.1.clone());
        let alignment = align_by_rule((document, selected.clone()), theirs, settings, true, &mut found);
        let missed = missed(document, &selected, &alignment);
        // The second round is usually the last one. With hundreds of candidates, it may pair the mentions differently.
        if missed.is_empty() {
            diagnostics.merge(found);
            note_dropped(document, dropped, diagnostics);
            return alignment;
        }
        dropped += missed.len() as u64;
        selected = selected.without(&missed);
    }
}

/// Returns the positions of the optional mentions without a counterpart, ascending.
fn missed(document: &Document, selected: &Selected, alignment: &Alignment) -> Vec<u32> {
    let Some(table) = &alignment.table else { return Vec::new() };
    let found = table.key.mentions.iter().map(|mention| table.key.partner(mention.class).is_some());
    let mut counterparts = vec![false; selected.mentions.len()];
    for (mention, found) in table.key.mentions.iter().zip(found) {
        counterparts[mention.index as usize] = found;
    }
    let is_optional = |mention: u32| document.mentions()[mention as usize].is_optional();
    let places = (0..).zip(&selected.mentions).zip(counterparts);
    let missed = places.filter(|((_, chosen), found)| !found && is_optional(chosen.mention));
    missed.map(|((place, _), _)| place).collect()
}

fn note_dropped(document: &Document, dropped: u64, diagnostics: &mut Diagnostics) {
    if dropped > 0 {
        let id = document.id().to_string();
        let message =
            || format!("{dropped} optional mentions that the response lacks were left out of `{id}`");
        diagnostics.add(Code::MentionsDropped, Some(document.position()), Some(id.clone()), message);
        diagnostics.count(Code::MentionsDropped, dropped - 1);
    }
}
