//! Matching by sets of words: exact, by head, partial, and of zeros by their dependencies.
//!
//! Implements the rules of corefud-scorer, of the Universal Anaphora scorer and of MUC. Mentions that are the same on
//! one side form one *class*. Classes of key and response are paired one to one in steps, each of which considers only
//! classes that are still unpaired:
//!
//! 1. zeros with zeros of the same sentence by their dependencies (`--zero-match dependent`);
//! 2. the same words (with `head`, also the same head);
//! 3. by the rule: the pairs of maximum total weight. The weight of a pair is the share of the key mention's words that
//!    both have; with `overlap` the share of the longer mention's words; with `muc` the number of words that both have.
//!
//! Candidates for a pair are found by a shared head or by position, never by trying all pairs.
//!
//! Key and response may have different empty nodes. Words are therefore compared by a separate number, from
//! [`Coordinates`]. The number is the same for the same word of the text, and for empty nodes with the same number
//! after the same word.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::{
    equal_classes, head_candidates, muc_candidates, overlap_candidates, pair_craft, partial_candidates,
    zero_candidates,
};
use super::choice::{Candidate, choose};
use super::coordinates::Coordinates;
use super::exact::{MentionPlace, align_placed};
use super::located_side::{LocatedSide, pair};
use super::make_table::table_of;
use super::splits::{PartNumbers, splits_of};
use super::{Alignment, MentionCounts, NONE, Repeated};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::Document;
use crate::selection::Selected;
use crate::settings::{Match, Settings, ZeroMatch};

pub(super) fn align(
    key: (&Document, Selected),
    response: (&Document, Selected),
    settings: &Settings,
    with_table: bool,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let coordinates = Coordinates::new(key.0.words(), response.0.words(), settings.place);
    let by_head = settings.matching == Match::Head;
    let mut key = LocatedSide::new(key, &coordinates.key, by_head);
    let mut response = LocatedSide::new(response, &coordinates.response, by_head);
    if settings.zero_match != ZeroMatch::Linear {
        let candidates = zero_candidates(&key, &response, &coordinates, diagnostics);
        pair_best(&mut key, &mut response, &candidates, diagnostics);
    }
    let zeros_paired = key.partner.iter().any(|&partner| partner != NONE);
    let equal = equal_classes(&key, &response, by_head);
    for &(ours, theirs) in &equal {
        if key.partner[ours as usize] == NONE && response.partner[theirs as usize] == NONE {
            pair(&mut key, &mut response, ours, theirs);
        }
    }
    let candidates = match settings.matching {
        Match::Exact | Match::MinSpan => Vec::new(),
        Match::Muc => muc_candidates(&key, &response, diagnostics),
        Match::Head => head_candidates(&key, &response, diagnostics),
        Match::Overlap => overlap_candidates(&key, &response, diagnostics),
        Match::Partial => partial_candidates(&key, &response, settings.match_details, diagnostics),
        Match::Craft => {
            pair_craft(&mut key, &mut response, settings.match_details);
            Vec::new()
        }
    };
    pair_best(&mut key, &mut response, &candidates, diagnostics);
    let lost = (settings.zero_match == ZeroMatch::Dependent12 && zeros_paired)
        .then(|| one_dictionary(&key, &response, &equal));
    let mut alignment = finish(key, response, settings, with_table.then_some(&equal), diagnostics);
    if let Some(found) = lost {
        alignment.repeated = Some(Box::new(found));
    }
    alignment
}

/// Returns the pairs that corefud-scorer 1.2 counts. It keeps the pairs of different mentions in one dictionary for
/// both directions, first from key to response and then back. If a zero of the key and a zero of the response are the
/// same mention but have different partners, the dictionary has one entry for both, and the partner of the key's zero
/// is lost.
fn one_dictionary(key: &LocatedSide<'_>, response: &LocatedSide<'_>, equal: &[(u32, u32)]) -> Repeated {
    // Mentions with the same words share a number: the class in the key, if there is one.
    let keys = key.classes.len() as u32;
    let mut names: Vec<u32> = (keys..keys + response.classes.len() as u32).collect();
    let mut same: Vec<u32> = vec![NONE; key.classes.len()];
    for &(ours, theirs) in equal {
        names[theirs as usize] = ours;
        same[ours as usize] = theirs;
    }
    let partners = (0..).zip(&key.partner).filter(|(_, partner)| **partner != NONE);
    let pairs: Vec<(u32, u32)> = partners.map(|(ours, &theirs)| (ours, names[theirs as usize])).collect();
    let mut dictionary: FxHashMap<u32, u32> = FxHashMap::default();
    let different = || pairs.iter().filter(|(ours, theirs)| ours != theirs);
    dictionary.extend(different().copied());
    dictionary.extend(different().map(|&(ours, theirs)| (theirs, ours)));
    let partner_of = |name: u32| dictionary.get(&name).copied().unwrap_or(name);
    let to_response = |class: u32| match partner_of(class) {
        name if name < keys => Some(same[name as usize]).filter(|&theirs| theirs != NONE),
        name => Some(name - keys),
    };
    let to_key = |class: u32| Some(partner_of(names[class as usize])).filter(|&name| name < keys);
    let (key_last, response_last) = (key.last_copies(), response.last_copies());
    let copies = |side: &LocatedSide<'_>| -> Vec<(u32, u32)> {
        side.mentions.iter().zip(&side.class_of).map(|(mention, &class)| (mention.index, class)).collect()
    };
    let theirs = copies(response);
    let mut found = Repeated::default();
    for &(index, class) in &theirs {
        found.precision.extend(to_key(class).map(|ours| (key_last[ours as usize], index)));
    }
    // Entities are compared by the mentions of the key. An entity of the response counts each mention once.
    let mut holders: Vec<Vec<u32>> = vec![Vec::new(); response.classes.len()];
    let mut held: FxHashSet<(u32, u32)> = FxHashSet::default();
    for (index, class) in theirs {
        if held.insert((class, response.selected.mentions[index as usize].entity)) {
            holders[class as usize].push(index);
        }
    }
    for (index, class) in copies(key) {
        let Some(theirs) = to_response(class) else { continue };
        found.recall.push((index, response_last[theirs as usize]));
        found.similarity.extend(holders[theirs as usize].iter().map(|&theirs| (index, theirs)));
    }
    found
}

/// Pairs classes by the best choice of candidates.
fn pair_best(
    key: &mut LocatedSide<'_>,
    response: &mut LocatedSide<'_>,
    candidates: &[Candidate],
    diagnostics: &mut Diagnostics,
) {
    let choice = choose(key.classes.len(), response.classes.len(), candidates);
    if let Some(class) = choice.tied {
        let mention = key.mention(key.class(class));
        let (position, id) = (key.document.position_of(mention), key.document.id().to_string());
        diagnostics.add(Code::TiedPairs, Some(position), Some(id.clone()), || {
            format!("in `{id}` this mention and others could be paired in several equally good ways")
        });
    }
    for (ours, theirs) in choice.pairs {
        pair(key, response, ours, theirs);
    }
}

/// Builds the alignment, including the mentions themselves if the equal classes are given.
fn finish(
    mut key: LocatedSide<'_>,
    mut response: LocatedSide<'_>,
    settings: &Settings,
    equal: Option<&Vec<(u32, u32)>>,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let numbers = PartNumbers::of(&key, &response);
    let documents = (key.document, response.document);
    let selected = (std::mem::take(&mut key.selected), std::mem::take(&mut response.selected));
    let repeats = key.repeats() || response.repeats();
    let mut table = None;
    let mut alignment = if repeats {
        let placed = (placed(&key, u64::from), {
            let classes = key.classes.len() as u64;
            placed(&response, |class| match response.partner[class as usize] {
                NONE => classes + u64::from(class),
                partner => u64::from(partner),
            })
        });
        if let Some(equal) = equal {
            table = Some(Box::new(table_of(key, response, equal, (&selected.0, &selected.1))));
        }
        align_placed(
            (documents.0, selected.0),
            (documents.1, selected.1),
            &placed.0,
            &placed.1,
            settings,
            diagnostics,
        )
    } else {
        let paired = key.mentions.iter().zip(&key.partner).filter(|(_, partner)| **partner != NONE);
        let mut pairs = Vec::with_capacity(key.classes.len().min(response.classes.len()));
        pairs.extend(paired.map(|(mention, &partner)| (mention.index, response.class(partner).index)));
        let mentions = MentionCounts {
            key: key.classes.len() as u64,
            response: response.classes.len() as u64,
            shared: pairs.len() as u64,
        };
        if let Some(equal) = equal {
            table = Some(Box::new(table_of(key, response, equal, (&selected.0, &selected.1))));
        }
        Alignment { key: selected.0, response: selected.1, pairs, mentions, ..Alignment::default() }
    };
    alignment.table = table;
    alignment.splits = splits_of(numbers.as_ref(), &alignment, documents.0, settings);
    alignment
}

/// Returns the mentions of a side, at the places that `place` assigns to their classes.
fn placed(side: &LocatedSide<'_>, place: impl Fn(u32) -> u64) -> Vec<MentionPlace> {
    let all = side.class_of.iter().zip(&side.mentions);
    let mut placed: Vec<MentionPlace> =
        all.map(|(&class, mention)| MentionPlace { place: place(class), index: mention.index }).collect();
    placed.sort_unstable_by_key(|placed| (placed.place, placed.index));
    placed
}
