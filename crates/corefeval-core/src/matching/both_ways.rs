//! Matching without a key: aligns the mentions of two annotators, independent of their order.
//!
//! Rules treat the sides differently (the key's minimum span must be found, the response's words must lie within the
//! key's), and break ties in the key's order. Two annotators are therefore aligned twice, with each of them as the key
//! once. The pairs of both alignments are taken in order of their share of common words, and in case of ties in the
//! order of the document, as long as both mentions are free. A pair that both alignments contain is always taken,
//! because each alignment gives a mention one partner, so no other pair has either of the two mentions. The result
//! does not depend on the order of annotators.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::align;
use super::coordinates::Coordinates;
use super::located_side::{numbered, shared_words};
use crate::diagnostic::Diagnostics;
use crate::model::Document;
use crate::selection::Selected;
use crate::settings::{Optional, Settings};

/// Keeps one copy of each repeated mention, selected by the rule for duplicates as in a response that is its own key.
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

/// Returns the mentions that match, by their positions in the two documents, ascending. Findings concern the first
/// document, which takes the role of the key.
pub(crate) fn align_both_ways(
    first: (&Document, &Selected),
    second: (&Document, &Selected),
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Vec<(u32, u32)> {
    let there = one_way(first, second, settings, diagnostics);
    let back = one_way(second, first, settings, &mut Diagnostics::default());
    let back = back.into_iter().map(|(theirs, ours)| (ours, theirs));
    let either: BTreeSet<(u32, u32)> = there.into_iter().chain(back).collect();
    let coordinates = Coordinates::new(first.0.words(), second.0.words(), settings.place);
    let order = |&(ours, theirs): &(u32, u32)| {
        let (this, that) = (&first.0.mentions()[ours as usize], &second.0.mentions()[theirs as usize]);
        let (this_runs, that_runs) =
            (numbered(this.parts(), &coordinates.key), numbered(that.parts(), &coordinates.response));
        let shared = shared_words(&this_runs, &that_runs);
        let union = this.word_count() + that.word_count() - shared.min(that.word_count());
        let mut places = [(this.span(), ours), (that.span(), theirs)]
            .map(|(span, mention)| (span.start(), span.end(), mention));
        places.sort_unstable();
        // The share of common words among all words of the two, as an integer, so that equal fractions are equal.
        let part = (u64::from(shared) << 32) / u64::from(union.max(1));
        (Reverse(part), places, (ours, theirs))
    };
    let mut found: Vec<_> = either.iter().map(order).collect();
    found.sort_unstable();
    let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
    let mut pairs: Vec<(u32, u32)> = found.into_iter().map(|(_, _, pair)| pair).collect();
    pairs.retain(|pair| {
        let free = !ours.contains(&pair.0) && !theirs.contains(&pair.1);
        if free {
            ours.insert(pair.0);
            theirs.insert(pair.1);
        }
        free
    });
    pairs.sort_unstable();
    pairs
}

/// Returns the aligned mentions with the first annotator as the key, by their positions in the documents.
/// Optional mentions count like others.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{
        DocumentBuilder, DocumentId, EntityId, Mention, MentionDetails, OPTIONAL, STATUS, Span, WordsBuilder,
    };
    use crate::profiles::Profile;
    use crate::selection::select;

    /// Creates a text of 20 words, with mentions of one entity whose head is the tenth word. A mention is given by
    /// its first word and one past the last.
    fn document(mentions: &[(u32, u32)]) -> Document {
        let mut words = WordsBuilder::new(false);
        (0..20_u8).for_each(|word| _ = words.push(&[word]));
        let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
        document.entities = vec!["a".into()];
        for &(start, end) in mentions {
            let span = Span::new(start, end).unwrap();
            document.mentions.push(Mention::new(span, EntityId::new(0), 1, 1).with_head(9));
        }
        document.finish(words.finish()).unwrap()
    }

    fn settings(choices: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::of(Profile::named("corefud").unwrap());
        for (name, value) in [&[("singletons", "keep")], choices].concat() {
            settings.set(name, value).unwrap();
        }
        settings
    }

    fn aligned(first: &Document, second: &Document, settings: &Settings) -> (Vec<(u32, u32)>, u64) {
        let mut found = Diagnostics::default();
        let [ours, theirs] = [first, second].map(|side| select(side, side, settings, &mut found));
        let pairs = align_both_ways((first, &ours), (second, &theirs), settings, &mut found);
        (pairs, found.groups().iter().map(|group| group.count).sum())
    }

    /// A mention of the second annotator contains one mention of the first and lies within another. It is paired with
    /// the mention that has the larger share of common words.
    #[test]
    fn the_larger_share_of_common_words_is_the_pair() {
        let partial = settings(&[("match", "partial")]);
        for (outer, middle, inner, wanted) in [
            ((0, 20), (5, 15), (8, 11), 0),
            // The shares are 3 of 5 words, and 5 of 20.
            ((0, 20), (7, 12), (8, 11), 1),
            // The shares are 5 of 10, and 2 of 5.
            ((4, 14), (7, 12), (9, 11), 0),
        ] {
            let (first, second) = (document(&[outer, inner]), document(&[middle]));
            assert_eq!(aligned(&first, &second, &partial).0, [(wanted, 0)], "{middle:?}");
            assert_eq!(aligned(&second, &first, &partial).0, [(0, wanted)], "{middle:?}");
        }
    }

    /// Four nested mentions: the first two share 14 of 20 words, the two in the middle 8 of 14, and the last two 2 of
    /// 8. The middle pair is rejected, because the first pair has one of its mentions. The last pair is accepted.
    #[test]
    fn a_pair_that_is_refused_leaves_its_mentions_free() {
        let partial = settings(&[("match", "partial")]);
        let (first, second) = (document(&[(0, 20), (5, 13)]), document(&[(2, 16), (8, 10)]));
        assert_eq!(aligned(&first, &second, &partial).0, [(0, 0), (1, 1)]);
        assert_eq!(aligned(&second, &first, &partial).0, [(0, 0), (1, 1)]);
    }

    /// An optional mention that only one annotator has counts like any other, without a finding.
    #[test]
    fn optional_mentions_count_like_others() {
        let optional = settings(&[("optional", "if-found")]);
        let mut first = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
        let plain = document(&[(0, 2), (4, 5)]);
        first.entities = vec!["a".into()];
        let attributes = vec![(STATUS.into(), OPTIONAL.into())];
        let details = MentionDetails { attributes, ..MentionDetails::default() };
        let [one, other] = [0, 1].map(|place| plain.mentions()[place].clone());
        first.mentions = vec![one, other.with_details(details).unwrap()];
        let first = first.finish(plain.words().clone()).unwrap();
        assert!(first.mentions()[1].is_optional());
        assert_eq!(aligned(&first, &document(&[(0, 2)]), &optional), (vec![(0, 0)], 0));
    }
}
