//! Computes the share of words that aligned mentions have in common, for CEAF with partial credit.

use super::coordinates::Coordinates;
use super::located_side::{numbered, shared_words};
use crate::model::{Document, Mention};
use crate::selection::{Selected, is_zero};
use crate::settings::Place;

/// Returns, for each pair of mentions (positions in the selections), the number of words that both have and the number
/// of words of the longer one. Pairs of zeros and pairs of mentions without words get full credit, because they have no
/// words of the text to share. Empty if words are names, where all pairs get full credit.
pub(crate) fn credits(
    key: (&Document, &Selected),
    response: (&Document, &Selected),
    pairs: &[(u32, u32)],
    place: Place,
) -> Vec<(u32, u32)> {
    if key.0.words().are_names() && response.0.words().are_names() {
        return Vec::new();
    }
    let coordinates = Coordinates::new(key.0.words(), response.0.words(), place);
    let credit = |&(ours, theirs): &(u32, u32)| {
        let (this, that) = (mention(key, ours), mention(response, theirs));
        if is_zero(key.0, this) && is_zero(response.0, that) {
            return (1, 1);
        }
        let (words, others) =
            (numbered(this.parts(), &coordinates.key), numbered(that.parts(), &coordinates.response));
        match this.word_count().max(that.word_count()) {
            0 => (1, 1),
            longer => (shared_words(&words, &others), longer),
        }
    };
    pairs.iter().map(credit).collect()
}

fn mention<'d>((document, selected): (&'d Document, &Selected), place: u32) -> &'d Mention {
    &document.mentions()[selected.mentions[place as usize].mention as usize]
}
