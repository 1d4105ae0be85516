//! Matching by minimum spans: two mentions are the same if they have the same minimum span.
//!
//! The minimum span of a mention (MINA) comes from the parse of the *key*, for both sides. A mention
//! without a minimum span, because the key has no parse there, is matched by its words. (Moosavi,
//! Born, Poesio and Strube 2019; coval's `min_span`.)

use super::Alignment;
use super::exact::{MentionPlace, align_placed, place_by_rank};
use super::splits::{PartNumbers, splits_of};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::Document;
use crate::selection::{Identity, KeyParse, Selected};
use crate::settings::Settings;
use crate::wording::{option_value, quoted, text};

pub(super) fn align(
    key: (&Document, Selected),
    response: (&Document, Selected),
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let parsed = KeyParse { key: key.0, place: settings.place };
    if !key.0.words().layers().is_some_and(|layers| layers.parse.iter().any(|bit| bit.contains('('))) {
        let id = key.0.id().to_string();
        diagnostics.add(Code::ParseMissing, Some(key.0.position()), Some(id.clone()), || {
            text!(
                "{} needs the parse of {}, and the key has none; mentions are matched by their words",
                option_value("match", "min-span"),
                quoted(id)
            )
        });
    }
    let documents = (key.0, response.0);
    let numbers =
        PartNumbers::of_identities([(key.0, &key.1), (response.0, &response.1)], |document, mention| {
            Identity::of(document, mention, parsed)
        });
    let side = |document: &Document, selected: &Selected| {
        let places = (0..).zip(&selected.mentions);
        let identities: Vec<Identity> = places
            .clone()
            .map(|(_, mention)| {
                Identity::of(document, &document.mentions()[mention.mention as usize], parsed)
            })
            .collect();
        let placed: Vec<MentionPlace> = places.map(|(index, _)| MentionPlace { place: 0, index }).collect();
        (placed, identities)
    };
    let (mut key_placed, key_identities) = side(key.0, &key.1);
    let (mut response_placed, response_identities) = side(response.0, &response.1);
    place_by_rank([(&mut key_placed, key_identities), (&mut response_placed, response_identities)]);
    let mut alignment = align_placed(key, response, &key_placed, &response_placed, settings, diagnostics);
    alignment.splits = splits_of(numbers.as_ref(), &alignment, documents.0, settings);
    alignment
}
