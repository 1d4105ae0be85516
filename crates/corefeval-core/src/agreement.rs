//! Agreement between annotators: Krippendorff's α for coreference, without a key.
//!
//! # Definition
//!
//! α = 1 − Dₒ / Dₑ (Krippendorff 2004): Dₒ is the mean distance between the values that two annotators give the same
//! unit, and Dₑ is the mean distance between any two values, of any annotator and unit. 1 is perfect agreement, 0 is
//! agreement by chance, and negative values are systematic disagreement.
//!
//! - For **sets** (Passonneau 2004, 2006) a unit is a mention that at least one annotator has, and its value is the set
//!   of mentions in its entity, itself included. For an annotator who does not have the mention, the set contains only
//!   the mention, as for a singleton. The distance between sets is a row of [`ALPHAS`]; sets without a common mention,
//!   such as those of different documents, are at distance 1.
//! - For **links** a unit is a pair of mentions of a document, and its value is whether they share an entity. Equal
//!   values are at distance 0, different ones at distance 1.
//!
//! Dₒ and Dₑ cover the whole corpus. With many documents, two random sets are rarely from the same document, so Dₑ is
//! near 1 for sets; one document has a lower α than a corpus of such documents.
//!
//! # Computation
//!
//! Values are never compared one by one. With c the mentions that the sets E and F share, Dₒ is the sum of c · δ(E, F)
//! over the cells of the overlap table. The closeness of all pairs of values is the sum of |E| · |F| · (1 − δ(E, F)),
//! since every mention of a set has that set as its value. Both are exact fractions and add up over documents.
//!
//! # Equal mentions
//!
//! No annotator is the key, so the result must not depend on their order:
//!
//! - The scored mentions of an annotation do not depend on other annotations. A repeated mention counts once: the copy
//!   that the rule for duplicates selects.
//! - Two annotators are aligned in both directions. Pairs found in one direction only are added, largest share of common words
//!   first, as long as each mention has one partner.
//! - With `optional:if-found`, an optional mention that only one annotator has is not a unit.
//!
//! # Edge cases
//!
//! If all values are equal, the expected disagreement is 0 and α is undefined. It is an error if inexact matching of
//! three or more annotators joins two mentions of one annotator into a unit.
//!
//! # References
//!
//! `krippendorff-2004`, `passonneau-2004`, `passonneau-2006`.

use corefeval_metrics::Closure;

use crate::wording::option_value;
use crate::wording::text;
use std::collections::BTreeMap;

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::matching;
use crate::model::Document;
use crate::named;
use crate::pairing::DocumentPair;
use crate::selection::{Selected, select};
use crate::settings::{Entities, NamedSource, Optional, Settings, Switch};
use crate::significance::interval::interval;
use crate::significance::random::{Purpose, Stream};
use crate::significance::{Interval, Method, ResamplingUnits};
use corefeval_metrics::fraction::FractionSum;

/// The sizes of two sets that share a mention.
#[derive(Clone, Copy, Debug)]
pub struct SharedSets {
    /// The mentions in both.
    pub shared: u64,
    /// The mentions in each of the two.
    pub sizes: [u64; 2],
}

impl SharedSets {
    /// Returns the size of the union.
    fn union(self) -> u64 {
        self.sizes[0] + self.sizes[1] - self.shared
    }

    /// Returns the similarity of sets by inclusion, in thirds (Passonneau 2004): 3 if equal, 2 if one contains the
    /// other, otherwise 1.
    fn thirds(self) -> u64 {
        let within = self.sizes.map(|size| u64::from(size == self.shared));
        1 + within[0] + within[1]
    }
}

/// The kind of values that α compares.
#[derive(Clone, Copy)]
pub enum Units {
    /// Sets of mentions. The function returns the closeness 1 − δ of two sets that share a mention, as numerator and
    /// denominator.
    Sets(fn(SharedSets) -> (u64, u64)),
    /// Pairs of mentions.
    Links,
}

/// One row of the table of coefficients.
pub struct AlphaSpec {
    /// The id, which is also the key in JSON.
    pub id: &'static str,
    /// The name as shown.
    pub label: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The bibliography key.
    pub reference: &'static str,
    /// The values and their distance.
    pub units: Units,
}

/// All coefficients.
pub static ALPHAS: &[AlphaSpec] = &[
    AlphaSpec {
        id: "passonneau",
        label: "α sets",
        summary: "sets at distance 0 if equal, 1/3 if one contains the other, 2/3 if they share a mention",
        reference: "passonneau-2004",
        units: Units::Sets(|sets| (sets.thirds(), 3)),
    },
    AlphaSpec {
        id: "jaccard",
        label: "α Jaccard",
        summary: "sets at distance 1 minus the share of common mentions among all their mentions",
        reference: "passonneau-2006",
        units: Units::Sets(|sets| (sets.shared, sets.union())),
    },
    AlphaSpec {
        id: "masi",
        label: "α MASI",
        summary: "sets at distance 1 minus the product of that share and 1, 2/3 or 1/3",
        reference: "passonneau-2006",
        units: Units::Sets(|sets| (sets.shared * sets.thirds(), 3 * sets.union())),
    },
    AlphaSpec {
        id: "links",
        label: "α links",
        summary: "pairs of mentions of a document, in one entity or not",
        reference: "krippendorff-2004",
        units: Units::Links,
    },
];

/// The contribution of one or more documents to a coefficient.
#[derive(Clone, Debug, Default)]
struct Contribution {
    /// Units: mentions, or pairs of mentions.
    units: u64,
    /// Σ of distances over units and pairs of annotators.
    distance: FractionSum,
    /// For sets, Σ (1 − δ) over ordered pairs of values, including pairs of a value with itself; for links, the number
    /// of values "linked".
    close: FractionSum,
}

/// Like [`Contribution`], in floating point.
#[derive(Clone, Copy, Debug, Default)]
struct RealSums {
    units: f64,
    distance: f64,
    close: f64,
}

impl RealSums {
    fn of(sums: &Contribution) -> RealSums {
        RealSums { units: sums.units as f64, distance: sums.distance.to_f64(), close: sums.close.to_f64() }
    }

    fn add(&mut self, other: &RealSums, times: f64) {
        self.units += times * other.units;
        self.distance += times * other.distance;
        self.close += times * other.close;
    }

    /// Returns the observed and the expected distance; `None` without values to compare.
    fn distances(&self, units: Units, annotators: usize) -> Option<[f64; 2]> {
        let annotators = annotators as f64;
        let values = annotators * self.units;
        let pairs = values * (values - 1.0);
        if self.units < 1.0 || pairs <= 0.0 {
            return None;
        }
        let observed = self.distance / (self.units * annotators * (annotators - 1.0) / 2.0);
        let expected = match units {
            Units::Sets(_) => 1.0 - (self.close - values) / pairs,
            Units::Links => 2.0 * self.close * (values - self.close) / pairs,
        };
        Some([observed, expected])
    }

    /// Returns α; `None` if no disagreement is expected.
    fn alpha(&self, units: Units, annotators: usize) -> Option<f64> {
        let [observed, expected] = self.distances(units, annotators)?;
        // The expected disagreement is 0, or at least 1 / the number of pairs of values.
        (expected > 1e-15).then(|| 1.0 - observed / expected)
    }
}

/// The counts of a document for agreement.
#[derive(Clone, Debug)]
pub struct DocumentAgreement {
    /// The document's id.
    pub id: String,
    /// Mentions that at least one annotator has.
    pub units: u64,
    /// Mentions that all annotators have.
    pub common: u64,
    /// The sums for each row of [`ALPHAS`].
    sums: Vec<Contribution>,
}

/// Compares all annotators' annotations of one document. All documents must list the annotators in the same order.
///
/// `settings` decide which mentions are scored and how they are matched. The documents must have the same words and
/// must already be joined as the scope requires: [`Evaluation::agree`](crate::evaluation::Evaluation::agree) does this.
///
/// # Errors
///
/// No annotator has the document, or inexact matching of three or more annotators joins two mentions of one annotator
/// into a unit.
#[doc(hidden)] // Public for tests.
pub fn count_document(
    documents: &[&Document],
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Result<DocumentAgreement> {
    let Some(first) = documents.first() else {
        return Err(Error::new(ErrorKind::Pairing, "no annotator has the document"));
    };
    let labels = labels(documents, settings, diagnostics)?;
    Ok(count_labels(&first.id().to_string(), &labels))
}

/// Returns, for each annotator, the entity of each unit; `None` for units that the annotator lacks.
fn labels(
    documents: &[&Document],
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Vec<Option<u32>>>> {
    let selected = selections(documents, settings);
    // Each mention starts as its own unit: (annotator, mention).
    let mut entities: BTreeMap<(usize, u32), u32> = BTreeMap::new();
    for (annotator, selected) in selected.iter().enumerate() {
        entities.extend(selected.mentions.iter().map(|chosen| ((annotator, chosen.mention), chosen.entity)));
    }
    let numbers: BTreeMap<(usize, u32), usize> = entities.keys().copied().zip(0..).collect();
    let mut units = Closure::new(numbers.len());
    for first in 0..documents.len() {
        for second in first + 1..documents.len() {
            let side = |annotator: usize| (documents[annotator], &selected[annotator]);
            for (ours, theirs) in matching::align_both_ways(side(first), side(second), settings, diagnostics)
            {
                let number = |annotator: usize, mention: u32| numbers.get(&(annotator, mention)).copied();
                let (Some(one), Some(other)) = (number(first, ours), number(second, theirs)) else {
                    continue;
                };
                units.join(one, other);
            }
        }
    }
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    let mut labels: Vec<Vec<Option<u32>>> = vec![Vec::new(); documents.len()];
    // For each unit: true if all annotators who marked it consider it optional, and the number of these annotators.
    let mut optional: Vec<(bool, u32)> = Vec::new();
    for (&(annotator, mention), &number) in &numbers {
        let next = columns.len();
        let column = *columns.entry(units.find(number)).or_insert(next);
        labels.iter_mut().for_each(|labels| labels.resize(labels.len().max(column + 1), None));
        optional.resize(optional.len().max(column + 1), (true, 0));
        let document = documents[annotator];
        let annotated = &document.mentions()[mention as usize];
        let place = &mut labels[annotator][column];
        if place.is_some() {
            let position = document.position_of(annotated);
            let message = "matching links two mentions of one annotator through mentions of other annotators";
            return Err(Error::new(ErrorKind::Pairing, message)
                .at(position)
                .hint(text!("use {}", option_value("match", "exact"))));
        }
        *place = entities.get(&(annotator, mention)).copied();
        optional[column] = (optional[column].0 && annotated.is_optional(), optional[column].1 + 1);
    }
    if settings.optional == Optional::IfFound {
        // Like an optional key mention that the response lacks: no annotator has to mark it.
        let needless = |&(optional, annotators): &(bool, u32)| optional && annotators == 1;
        for labels in &mut labels {
            let mut kept = optional.iter().map(|unit| !needless(unit));
            labels.retain(|_| kept.next().unwrap_or(true));
        }
    }
    Ok(labels)
}

/// Returns the scored mentions of each annotator, each once and independent of the order of annotators. If a document
/// lacks the parse or the names that the settings require, they are taken from another annotator's document, as a
/// response takes the key's.
fn selections(documents: &[&Document], settings: &Settings) -> Vec<Selected> {
    let mut settings = settings.clone();
    if settings.entities == Entities::Named && settings.named == NamedSource::Auto {
        let all: Vec<DocumentPair<'_>> =
            documents.iter().map(|&key| DocumentPair { key, response: None }).collect();
        settings.named = named::source_of_pairs(&all);
    }
    // Findings about one side were reported when pairs were scored.
    let mut discarded = Diagnostics::default();
    let parse = |document: &Document| -> Option<Vec<String>> {
        let layers = document.words().layers()?;
        let bits: Vec<String> = layers.parse.iter().map(str::to_owned).collect();
        bits.iter().any(|bit| !bit.is_empty()).then_some(bits)
    };
    let asks_for_parse = settings.np_only == Switch::Yes || settings.remove_nested == Switch::Yes;
    let of = |&document: &&Document| {
        let mut parsed = document;
        if asks_for_parse && parse(document).is_none() {
            let others = documents.iter().filter_map(|&other| Some((parse(other)?, other)));
            parsed = others.min_by(|a, b| a.0.cmp(&b.0)).map_or(document, |(_, other)| other);
        }
        let mut selected = select(document, parsed, &settings, &mut discarded);
        if settings.entities == Entities::Named {
            let mut flags = vec![false; document.mentions().len()];
            // The document's own source of names takes precedence over other annotators' sources.
            for &other in std::iter::once(&document).chain(documents) {
                let pair = DocumentPair { key: document, response: Some(other) };
                let found = named::named_mentions(pair, &settings, &mut discarded).key;
                flags.iter_mut().zip(found).for_each(|(flag, found)| *flag |= found);
            }
            selected = selected.of_named_entities(&flags);
        }
        matching::without_copies(document, selected, &settings)
    };
    documents.iter().map(of).collect()
}

/// Counts the values of annotators: the set of each unit that an annotator has.
fn count_labels(id: &str, labels: &[Vec<Option<u32>>]) -> DocumentAgreement {
    let units = labels.first().map_or(0, Vec::len);
    // Units that an annotator lacks get separate sets, after the sets of the entities.
    let sets: Vec<Vec<u32>> = labels
        .iter()
        .map(|labels| {
            let mut next = labels.iter().flatten().max().map_or(0, |&last| last + 1);
            let mut set = |label: &Option<u32>| {
                label.unwrap_or_else(|| {
                    next += 1;
                    next - 1
                })
            };
            labels.iter().map(&mut set).collect()
        })
        .collect();
    let sizes: Vec<Vec<u64>> = sets
        .iter()
        .map(|sets| {
            let mut sizes = vec![0; sets.iter().max().map_or(0, |&last| last as usize + 1)];
            sets.iter().for_each(|&set| sizes[set as usize] += 1);
            sizes
        })
        .collect();
    let cells: Vec<SharedSets> = (0..sets.len())
        .flat_map(|first| (first + 1..sets.len()).map(move |second| [first, second]))
        .flat_map(|pair| {
            let mut both: Vec<[u32; 2]> =
                sets[pair[0]].iter().zip(&sets[pair[1]]).map(|(&first, &second)| [first, second]).collect();
            both.sort_unstable();
            let cells = both.chunk_by(|a, b| a == b).map(|cell| {
                let size = |side: usize| sizes[pair[side]][cell[0][side] as usize];
                SharedSets { shared: cell.len() as u64, sizes: [size(0), size(1)] }
            });
            cells.collect::<Vec<_>>()
        })
        .collect();
    let two = |count: u64| count * count.saturating_sub(1) / 2;
    let sums = ALPHAS.iter().map(|spec| {
        let mut sums = Contribution::default();
        match spec.units {
            Units::Sets(closeness) => {
                sums.units = units as u64;
                sizes.iter().flatten().for_each(|&size| sums.close.add_integer(i128::from(size * size)));
                for &cell in &cells {
                    let (close, whole) = closeness(cell);
                    sums.distance.add_fraction(u128::from(cell.shared * (whole - close)), whole);
                    let pairs = 2 * u128::from(cell.sizes[0]) * u128::from(cell.sizes[1]);
                    sums.close.add_fraction(pairs * u128::from(close), whole);
                }
            }
            Units::Links => {
                sums.units = two(units as u64);
                let linked: u64 = sizes.iter().flatten().map(|&size| two(size)).sum();
                let shared: u64 = cells.iter().map(|cell| two(cell.shared)).sum();
                // Each annotator's links are compared with every other annotator's links.
                let others = sets.len().saturating_sub(1) as u64;
                sums.distance.add_integer(i128::from(others * linked) - 2 * i128::from(shared));
                sums.close.add_integer(i128::from(linked));
            }
        }
        sums
    });
    let common = (0..units).filter(|&unit| labels.iter().all(|labels| labels[unit].is_some()));
    DocumentAgreement {
        id: id.to_owned(),
        units: units as u64,
        common: common.count() as u64,
        sums: sums.collect(),
    }
}

/// Agreement over a corpus.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The method of the intervals. Its fields for tests are not used.
    pub method: Method,
    /// The number of annotators.
    pub annotators: usize,
    /// The number of resampling units.
    pub drawn: usize,
    /// Mentions that at least one annotator has.
    pub units: u64,
    /// Mentions that all annotators have.
    pub common: u64,
    /// The coefficient for each row of [`ALPHAS`].
    pub alphas: Vec<Alpha>,
    /// The α of each document for each row of [`ALPHAS`], in the order of the corpus.
    pub documents: Vec<DocumentAlphas>,
}

/// One coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// α, at most 1; `None` if no disagreement is expected because all values are equal.
    pub value: Option<f64>,
    /// Dₒ, from 0 to 1.
    pub observed: f64,
    /// Dₑ, from 0 to 1.
    pub expected: f64,
    /// From a bootstrap over documents; `None` with fewer than two, or if α is undefined.
    pub interval: Option<Interval>,
}

/// The coefficients of one document.
#[derive(Clone, Debug)]
pub struct DocumentAlphas {
    /// The document's id.
    pub id: String,
    /// Mentions that at least one annotator has.
    pub units: u64,
    /// α for each row of [`ALPHAS`].
    pub alphas: Vec<Option<f64>>,
}

/// Combines documents, and resamples them for intervals.
///
/// Intervals exclude samples with undefined α. Documents are drawn in the order of their ids, so that the interval does
/// not depend on which annotator comes first.
///
/// Documents of the same unit in `units` are drawn together.
#[doc(hidden)] // Public for tests.
pub fn agreement(
    documents: &[DocumentAgreement],
    units: &ResamplingUnits,
    annotators: usize,
    method: &Method,
) -> Agreement {
    let mut drawn: Vec<usize> = (0..documents.len()).collect();
    drawn.sort_by(|&a, &b| documents[a].id.cmp(&documents[b].id));
    // Numbered in this order.
    let unit_of = units.only(drawn.iter().copied());
    let alphas = ALPHAS.iter().enumerate().map(|(row, spec)| {
        let mut total = Contribution::default();
        for document in documents {
            let sums = &document.sums[row];
            total.units += sums.units;
            total.distance.add(&sums.distance);
            total.close.add(&sums.close);
        }
        let total = RealSums::of(&total);
        let value = total.alpha(spec.units, annotators);
        let mut each = vec![RealSums::default(); unit_of.number()];
        for (&document, &unit) in drawn.iter().zip(unit_of.of_documents()) {
            each[unit].add(&RealSums::of(&documents[document].sums[row]), 1.0);
        }
        let [observed, expected] = total.distances(spec.units, annotators).unwrap_or_default();
        let interval = value.filter(|_| each.len() > 1).and_then(|value| {
            let alpha = |sums: RealSums| sums.alpha(spec.units, annotators);
            let mut samples = bootstrap(&each, method, alpha);
            samples.sort_unstable_by(f64::total_cmp);
            let without = |left: &RealSums| {
                let mut sums = total;
                sums.add(left, -1.0);
                alpha(sums)
            };
            let jackknife: Vec<f64> = each.iter().filter_map(without).collect();
            (!samples.is_empty())
                .then(|| interval(method.interval, method.confidence, value, &samples, &jackknife))
        });
        Alpha { value, observed, expected, interval }
    });
    let alphas = alphas.collect();
    let document = |document: &DocumentAgreement| DocumentAlphas {
        id: document.id.clone(),
        units: document.units,
        alphas: ALPHAS
            .iter()
            .zip(&document.sums)
            .map(|(spec, sums)| RealSums::of(sums).alpha(spec.units, annotators))
            .collect(),
    };
    Agreement {
        method: *method,
        annotators,
        drawn: unit_of.number(),
        units: documents.iter().map(|document| document.units).sum(),
        common: documents.iter().map(|document| document.common).sum(),
        alphas,
        documents: documents.iter().map(document).collect(),
    }
}

/// Returns α of samples of the same number of documents, drawn with replacement.
fn bootstrap(each: &[RealSums], method: &Method, alpha: impl Fn(RealSums) -> Option<f64>) -> Vec<f64> {
    let draw = |resample: u32| {
        let mut stream = Stream::new(method.seed, Purpose::Bootstrap, u64::from(resample));
        let mut sums = RealSums::default();
        (0..each.len()).for_each(|_| sums.add(&each[stream.below(each.len())], 1.0));
        alpha(sums)
    };
    (0..method.resamples).filter_map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &[&str]) -> Vec<Vec<Option<u32>>> {
        let label = |letter: char| letter.is_ascii_lowercase().then(|| u32::from(letter) - u32::from('a'));
        text.iter().map(|text| text.chars().map(label).collect()).collect()
    }

    fn alphas(documents: &[&[&str]]) -> Vec<Option<f64>> {
        let counted: Vec<_> = documents.iter().map(|text| count_labels("", &labels(text))).collect();
        let found = agreement(
            &counted,
            &ResamplingUnits::single(counted.len()),
            documents[0].len(),
            &Method::default(),
        );
        found.alphas.iter().map(|alpha| alpha.value).collect()
    }

    /// Two annotators, mentions 1 to 4: {1 2 3} {4} and {1 2} {3 4}.
    ///
    /// Sets: Dₒ = (2·⅓ + ⅔ + ⅓) / 4 = 5/12. The closeness of the 8 · 7 ordered pairs of values adds up to 9 + 1 + 4 + 4
    /// − 8 on the same side and 2 (6·⅔ + 6·⅓ + 2·⅔) across, so Dₑ = 1 − (74/3) / 56 = 47/84 and α = 12/47. Links: three
    /// of six pairs of mentions differ, 5 of 12 values are "linked": Dₒ = 1/2, Dₑ = 2·5·7/132, α = 2/35.
    #[test]
    fn agreement_by_hand() {
        let found = alphas(&[&["aaab", "aabb"]]);
        assert!((found[0].unwrap_or_default() - 12.0 / 47.0).abs() < 1e-15, "{found:?}");
        assert!((found[3].unwrap_or_default() - 2.0 / 35.0).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn equal_annotations_are_perfect_and_a_single_value_is_undefined() {
        for alpha in alphas(&[&["aabbc", "bbaac", "aabb-"]]) {
            assert_eq!(alpha, Some(1.0));
        }
        assert_eq!(alphas(&[&["aaa", "aaa"]]), [None; 4]);
        assert_eq!(alphas(&[&["", ""]]), [None; 4]);
        // Sets of different documents differ, so α of sets is 1. All links are equal, so α of links is undefined.
        assert_eq!(alphas(&[&["aa", "aa"], &["aa", "aa"]]), [Some(1.0), Some(1.0), Some(1.0), None]);
    }

    /// Computes α by its definition, comparing each pair of values as sets.
    fn twin(documents: &[Vec<Vec<Option<u32>>>], row: usize) -> Option<f64> {
        type Value = (usize, Vec<usize>);
        let mut units: Vec<Vec<Value>> = Vec::new();
        let mut links: Vec<Vec<Value>> = Vec::new();
        for (number, labels) in documents.iter().enumerate() {
            let count = labels[0].len();
            let set = |labels: &[Option<u32>], unit: usize| -> Vec<usize> {
                let same =
                    |&other: &usize| other == unit || labels[unit].is_some() && labels[unit] == labels[other];
                (0..count).filter(same).collect()
            };
            for unit in 0..count {
                units.push(labels.iter().map(|labels| (number, set(labels, unit))).collect());
                for other in unit + 1..count {
                    let linked = |labels: &Vec<Option<u32>>| usize::from(set(labels, unit).contains(&other));
                    links.push(labels.iter().map(|labels| (0, vec![linked(labels)])).collect());
                }
            }
        }
        let distance = |a: &Value, b: &Value| -> f64 {
            let shared = a.1.iter().filter(|mention| b.1.contains(mention)).count();
            if a.0 != b.0 || shared == 0 {
                return 1.0;
            }
            let jaccard = shared as f64 / (a.1.len() + b.1.len() - shared) as f64;
            let inclusion = match (shared == a.1.len(), shared == b.1.len()) {
                (true, true) => 1.0,
                (false, false) => 1.0 / 3.0,
                _ => 2.0 / 3.0,
            };
            1.0 - [inclusion, jaccard, jaccard * inclusion, jaccard][row]
        };
        let mean = |groups: Vec<Vec<&Value>>| {
            let (mut sum, mut count) = (0.0, 0.0);
            for group in groups {
                for (place, a) in group.iter().enumerate() {
                    for b in &group[place + 1..] {
                        sum += distance(a, b);
                        count += 1.0;
                    }
                }
            }
            sum / count
        };
        let chosen = if row == 3 { &links } else { &units };
        let observed = mean(chosen.iter().map(|unit| unit.iter().collect()).collect());
        let expected = mean(vec![chosen.iter().flatten().collect()]);
        (expected > 1e-12).then(|| 1.0 - observed / expected)
    }

    /// Thousands of random annotations of up to three documents by up to four annotators.
    #[test]
    fn agrees_with_the_definition() {
        let mut stream = Stream::new(7, Purpose::Bootstrap, 0);
        for _ in 0..2_000 {
            let annotators = 2 + stream.below(3);
            let documents: Vec<Vec<Vec<Option<u32>>>> = (0..1 + stream.below(3))
                .map(|_| {
                    let (count, sets) = (stream.below(8), 1 + stream.below(4));
                    let mut label = || Some(stream.below(sets + 1) as u32).filter(|&label| label > 0);
                    (0..annotators).map(|_| (0..count).map(|_| label()).collect()).collect()
                })
                .collect();
            let counted: Vec<_> = documents.iter().map(|labels| count_labels("", labels)).collect();
            let method = Method { resamples: 1, ..Method::default() };
            let found = agreement(&counted, &ResamplingUnits::single(counted.len()), annotators, &method);
            for (row, alpha) in found.alphas.iter().enumerate() {
                let wanted = twin(&documents, row);
                let same = match (alpha.value, wanted) {
                    (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-9,
                    (found, wanted) => found.is_none() && wanted.is_none(),
                };
                assert!(same, "{} of {documents:?}: {alpha:?}, not {wanted:?}", ALPHAS[row].id);
            }
        }
    }

    #[test]
    fn intervals_hold_the_value_and_depend_on_the_seed_alone() {
        let one = count_labels("1", &labels(&["aabb", "abab"]));
        let two = count_labels("2", &labels(&["aabbcc", "aabbcd"]));
        let documents = [one.clone(), two.clone(), one, two];
        let found = agreement(&documents, &ResamplingUnits::single(4), 2, &Method::default());
        assert_eq!(
            found.alphas,
            agreement(&documents, &ResamplingUnits::single(4), 2, &Method::default()).alphas
        );
        for alpha in &found.alphas {
            let (value, interval) = (alpha.value.unwrap_or_default(), alpha.interval.unwrap_or_default());
            assert!(interval.low <= value && value <= interval.high, "{alpha:?}");
        }
        assert!(
            agreement(&documents[..1], &ResamplingUnits::single(1), 2, &Method::default()).alphas[0]
                .interval
                .is_none()
        );
    }

    #[test]
    fn rows_are_unique() {
        let ids: std::collections::BTreeSet<_> = ALPHAS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), ALPHAS.len());
    }

    /// Four documents in two units have the same intervals as two documents that contain all their mentions.
    #[test]
    fn documents_of_a_unit_are_drawn_together() {
        let texts: [[&str; 2]; 4] =
            [["aabb", "abab"], ["aabbcc", "aabbcd"], ["aab", "aab"], ["abcabc", "abcacc"]];
        let documents: Vec<DocumentAgreement> = (0..)
            .zip(&texts)
            .map(|(number, text)| count_labels(&number.to_string(), &labels(text)))
            .collect();
        let method = Method { interval: crate::significance::IntervalKind::Percentile, ..Method::default() };
        let units = ResamplingUnits::single(2).only([0, 0, 1, 1].into_iter());
        let found = agreement(&documents, &units, 2, &method);
        assert_eq!(found.drawn, 2);
        for (row, alpha) in found.alphas.iter().enumerate() {
            // Each sample contains the first unit twice, both units, or the second twice.
            let alpha_of = |chosen: &[usize]| {
                let chosen: Vec<DocumentAgreement> =
                    chosen.iter().map(|&place| documents[place].clone()).collect();
                agreement(&chosen, &ResamplingUnits::single(chosen.len()), 2, &method).alphas[row].value
            };
            let samples = [vec![0, 1, 0, 1], vec![0, 1, 2, 3], vec![2, 3, 2, 3]];
            let mut values: Vec<f64> = samples.iter().filter_map(|sample| alpha_of(sample)).collect();
            values.sort_unstable_by(f64::total_cmp);
            let interval = alpha.interval.expect("an interval");
            let ends = (values[0], values[values.len() - 1]);
            assert!(
                (interval.low - ends.0).abs() < 1e-9 && (interval.high - ends.1).abs() < 1e-9,
                "{interval:?} {ends:?}"
            );
        }
    }
}
