//! Matching without a key: aligns the mentions of two annotators, regardless of their order.
//!
//! Rules treat the sides differently (the key's minimum span must be found, the response's words must lie within the
//! key's), and break ties in the key's order. Two annotators are therefore aligned both ways, each as the key once.
//! Pairs found both ways are the same mention. Pairs found only one way are added in order of the share of common
//! words, ties in order of the document, as long as both mentions are free. The result does not depend on the order of
//! annotators.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::align;
use super::coordinates::Coordinates;
use super::located_side::{numbered, shared_words};
use crate::diagnostic::Diagnostics;
use crate::model::Document;
use crate::selection::Selected;
use crate::settings::{Optional, Settings};

/// Keeps one copy of each repeated mention, selected by the rule for duplicates as for a response that is its own key.
/// The choice does not depend on other annotators.
pub(crate) fn without_copies(document: &Document, selected: Selected, settings: &Settings) -> Selected {
    let itself = (document, &selected);
    let counts: BTreeSet<u32> =
        one_way(itself, itself, settings, &mut Diagnostics::default()).iter().map(|pair| pair.1).collect();
    let places = (0..).zip(&selected.mentions);
    let copies: Vec<u32> =
        places.filter(|(_, chosen)| !counts.contains(&chosen.mention)).map(|(place, _)| place).collect();
    selected.without(&copies)
}

/// The mentions that are the same, by their places in the two documents, ascending. Findings concern the first
/// document taken as the key.
pub(crate) fn align_both_ways(
    first: (&Document, &Selected),
    second: (&Document, &Selected),
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Vec<(u32, u32)> {
    let mut ways: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let there = one_way(first, second, settings, diagnostics);
    let back = one_way(second, first, settings, &mut Diagnostics::default());
    let back = back.into_iter().map(|(theirs, ours)| (ours, theirs));
    there.into_iter().chain(back).for_each(|pair| *ways.entry(pair).or_default() += 1);
    let coordinates = Coordinates::new(first.0.words(), second.0.words());
    let order = |(&(ours, theirs), &ways): (&(u32, u32), &u32)| {
        let (this, that) = (&first.0.mentions()[ours as usize], &second.0.mentions()[theirs as usize]);
        let (this_runs, that_runs) =
            (numbered(this.parts(), &coordinates.key), numbered(that.parts(), &coordinates.response));
        let shared = shared_words(&this_runs, &that_runs);
        let union = this.word_count() + that.word_count() - shared.min(that.word_count());
        let mut places = [(this.span(), ours), (that.span(), theirs)]
            .map(|(span, mention)| (span.start(), span.end(), mention));
        places.sort_unstable();
        // The share of all words that both have, as a whole number, so that equal fractions are equal.
        let part = (u64::from(shared) << 32) / u64::from(union.max(1));
        (Reverse((ways, part)), places, (ours, theirs))
    };
    let mut found: Vec<_> = ways.iter().map(order).collect();
    found.sort_unstable();
    let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
    let mut pairs: Vec<(u32, u32)> = found.into_iter().map(|(_, _, pair)| pair).collect();
    pairs.retain(|pair| {
        let free = !ours.contains(&pair.0) && !theirs.contains(&pair.1);
        free && ours.insert(pair.0) && theirs.insert(pair.1)
    });
    pairs.sort_unstable();
    pairs
}

/// Returns the aligned mentions with the first annotator as the key, by their places in the documents. Optional
/// mentions count like others.
fn one_way(
    key: (&Document, &Selected),
    response: (&Document, &Selected),
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Vec<(u32, u32)> {
    let settings = Settings { optional: Optional::Count, ..settings.clone() };
    let sides = ((key.0, key.1.clone()), (response.0, response.1.clone()));
    let found = align(sides.0, sides.1, &settings, false, diagnostics);
    let mention = |&(ours, theirs): &(u32, u32)| {
        (found.key.mentions[ours as usize].mention, found.response.mentions[theirs as usize].mention)
    };
    found.pairs.iter().map(mention).collect()
}
