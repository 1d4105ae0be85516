//! Correlates CONE with B³ and CEAF over all mentions, as in Lin et al. (2010). Three variants are compared with the
//! full scores: the key's own names, a key made from the names of the text and, as a control, the mentions that are not
//! named.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::heuristics::Heuristics;
use crate::metrics::Metric;
use crate::model::{Corpus, Document, DocumentBuilder};
use crate::named::named_mentions;
use crate::overlap::AlignedPair;
use crate::pairing::DocumentPair;
use crate::results::{SideSize, SystemReport};
use crate::score::{DocumentScore, Task, document_scores, map_aligned, tally_documents};
use crate::settings::Settings;
use crate::significance::correlation::{Scale, by_jackknife};
use crate::significance::{Interval, ResamplingUnits, pearson};

use super::{NamesKey, score_approximated};

/// The scores that are compared with the full scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConeVariant {
    /// Named mentions, against the key's: CONE (table 3 of Lin et al.).
    Named,
    /// Named mentions, against a key made from the text's names (table 4).
    Approximated,
    /// All mentions that are not named, on both sides: the control.
    Complement,
}

impl ConeVariant {
    /// All variants, in the order of a report.
    pub const ALL: [ConeVariant; 3] =
        [ConeVariant::Named, ConeVariant::Approximated, ConeVariant::Complement];

    /// Returns the name in JSON and CSV.
    pub fn id(self) -> &'static str {
        match self {
            ConeVariant::Named => "named",
            ConeVariant::Approximated => "approximated",
            ConeVariant::Complement => "complement",
        }
    }
}

/// The points in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// The documents of one system, by its place.
    Documents(usize),
    /// The documents of all systems.
    AllDocuments,
    /// The entities of one system: recall of the key's entities, precision of the response's.
    Entities(usize),
    /// The entities of all systems.
    AllEntities,
}

/// The regression of the score over all mentions, y, on another score, x.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The points (x, y).
    pub points: Vec<(f64, f64)>,
    /// The number of omitted points, where one of the scores is undefined.
    pub left_out: usize,
    /// Pearson's r, if defined.
    pub r: Option<f64>,
    /// The interval of r, by the jackknife over resampling units.
    pub interval: Option<Interval>,
    /// α and β of the line y = α + β x, fitted by least squares; `None` if x is constant.
    pub line: Option<(f64, f64)>,
}

/// The number of a point's resampling unit, and its two scores, if defined.
type PointScores = (usize, [Option<f64>; 2]);

impl Fit {
    fn new(pairs: &[PointScores], confidence: f64) -> Fit {
        let all = points(pairs, None);
        let r = pearson(&all);
        let interval = r.and_then(|r| by_jackknife(r, &without_each(pairs)?, Scale::Fisher, confidence));
        let left_out = pairs.len() - all.len();
        Fit { r, interval, line: least_squares(&all), points: all, left_out }
    }
}

/// Returns the points, without one unit.
fn points(pairs: &[PointScores], without: Option<usize>) -> Vec<(f64, f64)> {
    let others = pairs.iter().filter(|(unit, _)| Some(*unit) != without);
    others.filter_map(|(_, [x, y])| Some(((*x)?, (*y)?))).collect()
}

/// Returns Pearson's r with each unit left out in turn; `None` if r is undefined without a unit.
fn without_each(pairs: &[PointScores]) -> Option<Vec<f64>> {
    let units: BTreeSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    units.into_iter().map(|unit| pearson(&points(pairs, Some(unit)))).collect()
}

/// The correlation of the control with the full metric minus the correlation of CONE, over the same documents, with its
/// interval. Positive values mean that the control correlates more closely.
#[derive(Clone, Debug, PartialEq)]
pub struct Closer {
    /// The metric over all mentions.
    pub metric: Metric,
    /// The documents.
    pub points: Points,
    /// r of the control minus r of CONE, for recall, precision and F1, if both are defined.
    pub parts: [Option<(f64, Option<Interval>)>; 3],
}

/// Returns r of the first pairs minus r of the second, with its interval.
fn difference(
    first: &[PointScores],
    second: &[PointScores],
    confidence: f64,
) -> Option<(f64, Option<Interval>)> {
    let r = |pairs: &[PointScores]| pearson(&points(pairs, None));
    let observed = r(first)? - r(second)?;
    let left_out = || -> Option<Vec<f64>> {
        let both = without_each(first)?.into_iter().zip(without_each(second)?);
        Some(both.map(|(first, second)| first - second).collect())
    };
    Some((
        observed,
        left_out().and_then(|left_out| by_jackknife(observed, &left_out, Scale::Plain, confidence)),
    ))
}

/// Returns α and β of y = α + β x; `None` if x is constant.
fn least_squares(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let number = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (x, y) = (x / number, y / number);
    let (mut xx, mut xy) = (0.0, 0.0);
    for point in points {
        xx += (point.0 - x) * (point.0 - x);
        xy += (point.0 - x) * (point.1 - y);
    }
    (xx > 1e-18).then(|| (y - xy / xx * x, xy / xx))
}

/// A row: a metric, the scores compared with it, and the points.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrelationRow {
    /// The metric over all mentions.
    pub metric: Metric,
    /// The scores compared with it.
    pub compared: ConeVariant,
    /// The points.
    pub points: Points,
    /// Recall, precision and F1; entities have the first two.
    pub parts: [Option<Fit>; 3],
}

/// The numbers of a key's named entities that a system missed or grouped wrongly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedErrors {
    /// Key entities with a named mention.
    pub entities: u64,
    /// Missed entities (MNE): the response has none of their named mentions.
    pub missed: u64,
    /// Incorrectly grouped entities (IGNE): their named mentions are in several response entities, or in one with other
    /// named mentions.
    pub wrongly_grouped: u64,
}

impl NamedErrors {
    fn plus(self, other: NamedErrors) -> NamedErrors {
        NamedErrors {
            entities: self.entities + other.entities,
            missed: self.missed + other.missed,
            wrongly_grouped: self.wrongly_grouped + other.wrongly_grouped,
        }
    }
}

/// The correlations of CONE with metrics over all mentions.
#[derive(Clone, Debug)]
pub struct ConeCorrelations {
    /// Rows by metric, then by variant, then by points.
    pub rows: Vec<CorrelationRow>,
    /// The differences between the control and CONE, by metric, then by points.
    pub closer: Vec<Closer>,
    /// The counts of each system.
    pub errors: Vec<NamedErrors>,
    /// The sizes of the key and of each response, after selection.
    pub sizes: Vec<[SideSize; 2]>,
}

/// The scores of one document: B³ and CEAF over all mentions, then both for each [`ConeVariant`].
type Scores = [Option<DocumentScore>; 2 + 2 * ConeVariant::ALL.len()];

/// The document of each entity, with the entity's scores by the metric of named mentions and by the full one, if it has
/// both.
type PairedScores = Vec<PointScores>;

/// Returns the scores of the entities of one system by each metric, of CONE and over all mentions, with the unit of
/// their document: the recall of the key's entities and the precision of the response's.
fn scores_of_entities(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    (full, cone): (&[Metric], &[Metric]),
    smallest: u32,
    unit_of: &dyn Fn(usize) -> usize,
) -> [[PairedScores; 2]; 2] {
    let (places, exchanged): (Vec<usize>, Vec<DocumentPair<'_>>) = pairs
        .iter()
        .enumerate()
        .filter_map(|(place, pair)| {
            Some((place, DocumentPair { key: pair.response?, response: Some(pair.key) }))
        })
        .unzip();
    let all = [full, cone].concat();
    let points = |pairs: &[DocumentPair<'_>], place: usize| {
        let of = |aligned: &AlignedPair| {
            let sizes = aligned.recall_view().key_sizes();
            let scores =
                cone[place].entity_scores(aligned).into_iter().zip(full[place].entity_scores(aligned));
            let kept = scores.zip(sizes).filter(|(_, size)| **size >= smallest);
            kept.map(|((x, y), _)| [x, y]).collect::<Vec<_>>()
        };
        map_aligned(pairs, &task.settings, &all, of)
    };
    let labelled = |points: Vec<Vec<[Option<f64>; 2]>>, places: &[usize]| -> PairedScores {
        let of = |(points, &place): (Vec<[Option<f64>; 2]>, &usize)| {
            points.into_iter().map(move |pair| (unit_of(place), pair)).collect::<Vec<_>>()
        };
        points.into_iter().zip(places).flat_map(of).collect()
    };
    let all_places: Vec<usize> = (0..pairs.len()).collect();
    [0, 1].map(|place| {
        [labelled(points(pairs, place), &all_places), labelled(points(&exchanged, place), &places)]
    })
}

/// Correlates CONE with the full metrics over the documents and the entities of each system and of all systems.
/// Entities with fewer than `smallest` mentions are not points.
///
/// `systems` are the pairs of each system; `task` has a source of names. Intervals at `confidence` are computed by
/// leaving out one of the `units` at a time, in all systems.
///
/// # Errors
///
/// The errors of [`score_approximated`].
pub(crate) fn correlate(
    systems: &[Vec<DocumentPair<'_>>],
    task: &Task,
    heuristics: Heuristics,
    smallest: u32,
    (units, confidence): (&ResamplingUnits, f64),
    diagnostics: &mut Diagnostics,
) -> Result<ConeCorrelations> {
    let [full, cone] = Metric::all_and_named();
    let mut documents: Vec<Vec<Scores>> = Vec::new();
    let mut entities: Vec<[[PairedScores; 2]; 2]> = Vec::new();
    let (mut errors, mut sizes) = (Vec::new(), Vec::new());
    let unit_of = |document: usize| units.of_documents().get(document).copied().unwrap_or(document);
    for pairs in systems {
        let (rows, own_sizes) = document_rows(pairs, task, (&full, &cone), heuristics, diagnostics)?;
        documents.push(rows);
        sizes.push(own_sizes);
        let all = [full.as_slice(), &cone].concat();
        entities.push(scores_of_entities(pairs, task, (&full, &cone), smallest, &unit_of));
        let counts = map_aligned(pairs, &task.settings, &all, count_errors);
        errors.push(counts.into_iter().fold(NamedErrors::default(), NamedErrors::plus));
    }
    let (mut rows, mut closer) = (Vec::new(), Vec::new());
    // The scores of the given systems by a metric: of the variant `number`, and over all mentions.
    let scores_of = |systems: &[Vec<Scores>], place: usize, number: usize, part: usize| -> Vec<PointScores> {
        let of = |scores: &Option<DocumentScore>| scores.as_ref().and_then(|score| score.part(part));
        let scores = systems.iter().flat_map(|system| system.iter().enumerate());
        let pair = |scores: &Scores| [of(&scores[2 + 2 * number + place]), of(&scores[place])];
        scores.map(|(document, scores)| (unit_of(document), pair(scores))).collect()
    };
    for (place, metric) in full.iter().enumerate() {
        for (number, compared) in ConeVariant::ALL.into_iter().enumerate() {
            let fit = |systems: &[Vec<Scores>], part: usize| {
                Fit::new(&scores_of(systems, place, number, part), confidence)
            };
            let row = |points: Points, systems: &[Vec<Scores>]| CorrelationRow {
                metric: *metric,
                compared,
                points,
                parts: std::array::from_fn(|part| Some(fit(systems, part))),
            };
            rows.extend(
                (0..systems.len()).map(|system| row(Points::Documents(system), &documents[system..=system])),
            );
            rows.extend((systems.len() > 1).then(|| row(Points::AllDocuments, &documents)));
        }
        let last = ConeVariant::ALL.len() - 1;
        let less = |points: Points, systems: &[Vec<Scores>]| Closer {
            metric: *metric,
            points,
            parts: std::array::from_fn(|part| {
                let [control, cone] = [last, 0].map(|number| scores_of(systems, place, number, part));
                difference(&control, &cone, confidence)
            }),
        };
        closer.extend(
            (0..systems.len()).map(|system| less(Points::Documents(system), &documents[system..=system])),
        );
        closer.extend((systems.len() > 1).then(|| less(Points::AllDocuments, &documents)));
        let of_entities = |points: Points, range: std::ops::Range<usize>| {
            let fit = |side: usize| {
                let pairs = entities[range.clone()].iter().flat_map(|of| of[place][side].iter().copied());
                Fit::new(&pairs.collect::<Vec<_>>(), confidence)
            };
            CorrelationRow {
                metric: *metric,
                compared: ConeVariant::Named,
                points,
                parts: [Some(fit(0)), Some(fit(1)), None],
            }
        };
        rows.extend(
            (0..systems.len()).map(|system| of_entities(Points::Entities(system), system..system + 1)),
        );
        rows.extend((systems.len() > 1).then(|| of_entities(Points::AllEntities, 0..systems.len())));
    }
    Ok(ConeCorrelations { rows, closer, errors, sizes })
}

/// Returns the scores of each document, and the sizes of both sides.
fn document_rows(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    (full, cone): (&[Metric], &[Metric]),
    heuristics: Heuristics,
    diagnostics: &mut Diagnostics,
) -> Result<(Vec<Scores>, [SideSize; 2])> {
    let metrics = [full, cone].concat();
    let whole = Task { metrics: metrics.clone(), by: None, ..task.clone() };
    let (SystemReport { sizes, .. }, tallies) = tally_documents(pairs, &whole, diagnostics);
    let whole = document_scores(&metrics, &tallies, &task.settings);
    let names_only = Task { metrics: cone.to_vec(), by: None, ..task.clone() };
    let responses: Vec<Document> = pairs.iter().filter_map(|pair| pair.response.cloned()).collect();
    let corpus = Corpus { documents: responses, ..Corpus::default() };
    let mut discarded = Diagnostics::default();
    let made = score_approximated(&corpus, &names_only, NamesKey::Made(heuristics), true, &mut discarded)?;
    let approximated = document_scores(cone, &made.documents, &task.settings);
    let ids = made.documents.iter().map(|document| document.id.as_str());
    let approximated: BTreeMap<&str, Vec<DocumentScore>> = ids.zip(approximated).collect();
    let without: Vec<[Document; 2]> =
        pairs.iter().map(|pair| without_names(*pair, &task.settings)).collect::<Result<_>>()?;
    let complement: Vec<DocumentPair<'_>> = pairs
        .iter()
        .zip(&without)
        .map(|(pair, [key, response])| DocumentPair { key, response: pair.response.map(|_| response) })
        .collect();
    let others = Task { metrics: full.to_vec(), by: None, ..task.clone() };
    let (_, tallies) = tally_documents(&complement, &others, &mut discarded);
    let complement = document_scores(full, &tallies, &task.settings);
    let rows = pairs.iter().zip(whole).zip(complement).map(|((pair, whole), complement)| {
        let made = approximated.get(pair.key.id().to_string().as_str());
        std::array::from_fn(|place| match place {
            0..4 => whole.get(place).copied(),
            4 | 5 => made.and_then(|scores| scores.get(place - 4)).copied(),
            _ => complement.get(place - 6).copied(),
        })
    });
    Ok((rows.collect(), sizes))
}

/// Returns both sides of a pair without their named mentions.
fn without_names(pair: DocumentPair<'_>, settings: &Settings) -> Result<[Document; 2]> {
    let named = named_mentions(pair, settings, &mut Diagnostics::default());
    let rest = |document: &Document, named: &[bool]| {
        let mut builder = DocumentBuilder::new(
            document.id().clone(),
            std::sync::Arc::clone(document.source()),
            document.line(),
        );
        builder.entities = document.entities().to_vec();
        let mentions = document.mentions().iter().zip(named);
        builder.mentions =
            mentions.filter(|(_, named)| !**named).map(|(mention, _)| mention.clone()).collect();
        builder.finish(document.words().clone())
    };
    Ok([rest(pair.key, &named.key)?, rest(pair.response.unwrap_or(pair.key), &named.response)?])
}

/// Counts the key's named entities, and those that the response misses or groups wrongly.
fn count_errors(aligned: &AlignedPair) -> NamedErrors {
    let Some(named) = aligned.named_view() else { return NamedErrors::default() };
    let overlap = named.recall_view();
    // The number of response entities that contain an entity's names, and whether one of them has other names.
    let mut found = vec![(0_u32, false); overlap.key_sizes().len()];
    for cell in overlap.cells() {
        let (entities, mixed) = &mut found[cell.key as usize];
        *entities += 1;
        *mixed |= cell.shared != overlap.response_sizes()[cell.response as usize];
    }
    let named = found.iter().zip(overlap.key_sizes()).filter(|(_, size)| **size > 0);
    named.fold(NamedErrors::default(), |mut errors, ((entities, mixed), _)| {
        errors.entities += 1;
        errors.missed += u64::from(*entities == 0);
        errors.wrongly_grouped += u64::from(*entities > 1 || *entities == 1 && *mixed);
        errors
    })
}

/// Fails if the settings join documents or average over them.
pub(crate) fn check_settings(settings: &Settings) -> Result<()> {
    use crate::settings::{Average, Scope};
    use crate::wording::{option, text};
    if settings.scope != Scope::Document || settings.average != Average::Micro {
        let message = "the correlation of CONE is over documents, each scored separately";
        let hint = text!("leave out {} and {}", option("scope"), option("average"));
        return Err(Error::new(ErrorKind::Settings, message).hint(hint));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::align_named_entities;

    #[test]
    fn a_line_is_fitted_by_hand() {
        // x̄ = 2, ȳ = 3; Σ (x − x̄)(y − ȳ) = (−1)(−2) + 0 + 1 · 2 = 4; Σ (x − x̄)² = 2; β = 2, α = −1.
        let (alpha, beta) = least_squares(&[(1.0, 1.0), (2.0, 3.0), (3.0, 5.0)]).expect("x varies");
        assert!((alpha + 1.0).abs() < 1e-12 && (beta - 2.0).abs() < 1e-12);
        assert_eq!(least_squares(&[(1.0, 1.0), (1.0, 3.0)]), None);
        assert_eq!(least_squares(&[]), None);
    }

    /// Correlates (0, 0), (1, 1), (2, 1), with each document left out. With two points, r is 1 or undefined.
    #[test]
    fn intervals_leave_out_documents() {
        let pair = |document: usize, x: f64, y: f64| (document, [Some(x), Some(y)]);
        let few = [pair(0, 0.0, 0.0), pair(1, 1.0, 1.0), pair(2, 2.0, 1.0), (3, [None, Some(1.0)])];
        let fit = Fit::new(&few, 0.95);
        assert_eq!((fit.points.len(), fit.left_out, fit.interval), (3, 1, None));
        assert!(fit.r.is_some_and(|r| (r - 0.75_f64.sqrt()).abs() < 1e-12), "{fit:?}");
        // Four documents of two points each.
        let many: Vec<PointScores> =
            [(0.0, 0.1), (1.0, 0.7), (2.0, 2.2), (3.0, 2.0), (0.5, 1.0), (1.5, 0.9), (2.5, 3.0), (3.5, 2.5)]
                .into_iter()
                .enumerate()
                .map(|(place, (x, y))| pair(place % 4, x, y))
                .collect();
        let fit = Fit::new(&many, 0.95);
        let scaled: Vec<f64> = (0..4)
            .map(|document| f64::atanh(pearson(&points(&many, Some(document))).expect("six points")))
            .collect();
        let mean = scaled.iter().sum::<f64>() / 4.0;
        let error = (0.75 * scaled.iter().map(|value| (value - mean).powi(2)).sum::<f64>()).sqrt();
        let r = fit.r.expect("eight points");
        let high = (r.atanh() + 3.182_446_305_284_263 * error).tanh();
        assert!(fit.interval.is_some_and(|ends| (ends.high - high).abs() < 1e-9), "{fit:?} {high}");
        // Equal sides have a difference of 0.
        let nothing = difference(&many, &many, 0.95).expect("both are defined");
        assert_eq!(nothing, (0.0, Some(Interval { low: 0.0, high: 0.0 })));
    }

    /// Names are below 10. {1 2 11} is found unchanged; {3 4} is split; 5 of {5 12} is grouped with 6; {7} is missed; 8
    /// of {8} is grouped only with a pronoun; {13} has no name.
    #[test]
    fn named_entities_are_counted_by_hand() {
        let key = [vec![1, 2, 11], vec![3, 4], vec![5, 12], vec![6], vec![7], vec![8], vec![13]];
        let response = [vec![1, 2], vec![3], vec![4], vec![5, 6], vec![8, 13]];
        let aligned = align_named_entities(&key, &response, |mention| mention < 10);
        assert_eq!(count_errors(&aligned), NamedErrors { entities: 6, missed: 1, wrongly_grouped: 3 });
    }
}
