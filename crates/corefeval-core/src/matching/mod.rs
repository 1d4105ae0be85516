//! The matching rules, which create an alignment of key and response mentions.
//!
//! Each document is matched once, and metrics only use the result. A rule is a file and a row in
//! [`align`]. [`assignment`] is the solver for best one-to-one choices, which CEAF also uses.

mod both_ways;
mod by_words;
mod candidates;
mod choice;
mod coordinates;
mod cost;
mod credit;
mod exact;
mod link_sets;
mod located_side;
mod make_table;
mod mention_table;
mod min_span;
mod optional;
mod python_order;
mod splits;

pub use corefeval_metrics::aligned::MentionCounts;
pub use corefeval_metrics::assignment;
pub use corefeval_metrics::splits::{SplitMember, SplitTable};

pub(crate) use both_ways::{align_both_ways, without_copies};
pub(crate) use candidates::{EXAMINED, KEPT, MANY};
pub(crate) use coordinates::Coordinates;
pub(crate) use cost::check_cost;
pub(crate) use credit::credits;
pub(crate) use exact::{describe, where_copied};
pub(crate) use located_side::shared_words;
pub use mention_table::{MentionTable, TableBridge, TableMention, TableSide};

use corefeval_metrics::aligned::SetLinks;
use rustc_hash::FxHashSet;

use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Document, Mention, Span};
use crate::selection::Selected;
use crate::settings::{Duplicates, ExtraMentions, Match, Optional, Settings, SplitAntecedents, Switch};

/// Marks the absence of a class, entity or word.
const NONE: u32 = u32::MAX;

/// The one-to-one map of key mentions to response mentions.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    /// The scored mentions of the key.
    pub key: Selected,
    /// The scored mentions of the response, without the copies that the rule for duplicates drops.
    pub response: Selected,
    /// The aligned mentions as positions in the two selections, each of which occurs at most once.
    pub pairs: Vec<(u32, u32)>,
    /// The number of distinct mentions of both sides.
    pub mentions: MentionCounts,
    /// The counts of repeated mentions, if they stay in their entities.
    pub repeated: Option<Box<Repeated>>,
    /// The mentions themselves, if a metric needs them.
    pub table: Option<Box<MentionTable>>,
    /// The split antecedents of both sides, if there are any and they are scored.
    pub splits: Option<Box<SplitTable>>,
    /// The mentions of the response, by position in its selection, that are added to the key as singletons.
    pub extra: Vec<u32>,
}

/// The counts of mentions that a side annotates more than once and that stay in their entities.
///
/// Pairs are positions in the two selections, one pair for each mention that counts.
#[derive(Clone, Debug, Default)]
pub struct Repeated {
    /// The mentions of the key found in the response: the mention, and its copy in the last response entity that
    /// contains it.
    pub recall: Vec<(u32, u32)>,
    /// The mentions of the response found in the key: the mention's copy in the last key entity that contains it, and
    /// the mention.
    pub precision: Vec<(u32, u32)>,
    /// The copies of each mention that both contain, for any two entities.
    pub similarity: Vec<(u32, u32)>,
    /// The entities of surplus copies (those beyond the first in an entity) in the key and in the response, for
    /// similarities of entities as sets.
    pub surplus: [Vec<u32>; 2],
    /// The links as sets, under the rule `duplicates:first`.
    pub links: Option<SetLinks>,
}

/// Aligns the mentions of a key document and a response document by the rule that the settings
/// select. Each document comes with its selection. `with_table` requests the table of mentions.
/// Optional mentions of the key that the response lacks are left out if the settings require it.
pub fn align(
    key: (&Document, Selected),
    response: (&Document, Selected),
    settings: &Settings,
    with_table: bool,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    if settings.optional == Optional::IfFound && key.0.mentions().iter().any(Mention::is_optional) {
        return optional::align(key, response, settings, diagnostics);
    }
    let document = response.0;
    let mut alignment = align_by_rule(key, response, settings, with_table, diagnostics);
    if settings.extra_mentions == ExtraMentions::InKey {
        add_extra_to_key(document, &mut alignment);
    }
    alignment
}

/// Adds mentions that only the response has to the key, as singletons. If a mention has several copies, the first
/// counts.
fn add_extra_to_key(document: &Document, alignment: &mut Alignment) {
    let mut missing = vec![true; alignment.response.mentions.len()];
    let copies = alignment.repeated.iter().flat_map(|repeated| &repeated.precision);
    alignment.pairs.iter().chain(copies).for_each(|pair| missing[pair.1 as usize] = false);
    let names = document.words().layers().filter(|_| document.words().are_names());
    let mut seen: FxHashSet<(Option<&str>, &[Span])> = FxHashSet::default();
    for (place, chosen) in (0..).zip(&alignment.response.mentions) {
        let mention = &document.mentions()[chosen.mention as usize];
        let name = names.and_then(|layers| layers.form.get(mention.span().start() as usize));
        let parts = if name.is_some() { &[] } else { mention.parts() };
        if missing[place as usize] && seen.insert((name, parts)) {
            alignment.extra.push(place);
        }
    }
    alignment.mentions.key += alignment.extra.len() as u64;
    alignment.mentions.shared += alignment.extra.len() as u64;
}

/// Aligns the mentions by the rule that the settings select.
fn align_by_rule(
    key: (&Document, Selected),
    response: (&Document, Selected),
    settings: &Settings,
    with_table: bool,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let documents = (key.0, response.0);
    let empty_nodes = [key.0, response.0].iter().any(|document| !document.words().empty_nodes().is_empty());
    let splits = !key.1.splits.is_empty() || !response.1.splits.is_empty();
    // If mentions may cross, some of them may have no words.
    let by_words = empty_nodes
        || splits
        || settings.split_antecedents == SplitAntecedents::Only
        || settings.duplicates == Duplicates::Distinct
        || settings.boundary_crossing == Switch::Yes;
    if key.0.words().are_names() && response.0.words().are_names() {
        // Names have no words, heads or parse to which a rule could apply.
        if settings.matching != Match::Exact {
            let id = key.0.id().to_string();
            diagnostics.add(Code::NoHeads, Some(key.0.position()), Some(id.clone()), || {
                format!("the mentions of `{id}` are names, so they match only if they are equal")
            });
        }
        let mut alignment = exact::align(key, response, settings, diagnostics);
        if with_table {
            alignment.table = Some(Box::new(make_table::table(documents, &alignment, settings.place)));
        }
        return alignment;
    }
    let mut alignment = match settings.matching {
        Match::MinSpan => min_span::align(key, response, settings, diagnostics),
        Match::Exact if !by_words => exact::align(key, response, settings, diagnostics),
        Match::Exact | Match::Head | Match::Partial | Match::Craft | Match::Overlap | Match::Muc => {
            by_words::align(key, response, settings, with_table, diagnostics)
        }
    };
    if with_table && alignment.table.is_none() {
        alignment.table = Some(Box::new(make_table::table(documents, &alignment, settings.place)));
    }
    alignment
}
