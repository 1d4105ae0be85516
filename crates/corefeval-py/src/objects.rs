//! CEAF of arbitrary objects: takes similarities, returns counts and the best map.

use corefeval_core::fraction::{FractionSum, Ratio};
use corefeval_core::metrics::ceaf_of_objects;
use pyo3::prelude::*;

use crate::errors;

/// A similarity as numerator and denominator.
type FractionPair = (u64, u64);

/// Finds the best one-to-one map of objects. Returns recall, precision and F1, their numerators and denominators, and the
/// map.
///
/// `key` and `response` are the similarities of objects to themselves, `similar` the similarities of pairs.
#[pyfunction]
#[pyo3(signature = (key, response, similar))]
#[allow(clippy::type_complexity)]
pub fn map_objects(
    py: Python<'_>,
    key: Vec<FractionPair>,
    response: Vec<FractionPair>,
    similar: Vec<(u32, u32, u64, u64)>,
) -> PyResult<([f64; 3], [f64; 4], Vec<(u32, u32)>)> {
    let ratio = |numerator: u64, denominator: u64| Ratio::new(numerator, denominator).unwrap_or(Ratio::ZERO);
    let own = |side: &[FractionPair]| side.iter().map(|&(one, two)| ratio(one, two)).collect::<Vec<_>>();
    let similar: Vec<_> =
        similar.into_iter().map(|(row, column, one, two)| (row, column, ratio(one, two))).collect();
    let (key, response) = (own(&key), own(&response));
    let found = py
        .detach(|| ceaf_of_objects(&key, &response, &similar))
        .map_err(|error| errors::wrong_value(py, &error.message(), error.hint()))?;
    let (score, counts) = (found.tally.first.score(), &found.tally.first);
    let counts = [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den];
    Ok(([score.recall, score.precision, score.f1], counts.map(FractionSum::to_f64), found.map))
}
