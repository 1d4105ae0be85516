//! Computes the results that depend on all tests of a family: corrected p-values, ranks, letters and detectable
//! differences.

use super::correction::Family;
use super::ranking::{Apart, RankRule, ranks_of_neighbours};
use super::{Comparison, Method};

/// The number of tests that are corrected together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FamilySizes {
    /// Comparisons with the baseline.
    pub baseline: usize,
    /// Pairs of systems.
    pub pairs: usize,
    /// The number of neighbours in the order of a metric; 0 unless these decide on ranks.
    pub neighbours: usize,
}

/// Corrects the p-values of comparisons made by one method, then updates everything that depends on them.
/// [`Family::All`] puts all of them into one family; otherwise each metric of each comparison is a family.
pub fn correct_together(comparisons: &mut [&mut Comparison]) {
    let Some(method) = comparisons.first().map(|comparison| comparison.method) else { return };
    let all = comparisons.iter().enumerate();
    let all: Vec<(usize, usize)> = all
        .flat_map(|(place, comparison)| (0..comparison.estimates.len()).map(move |metric| (place, metric)))
        .collect();
    match method.family {
        Family::Metric => all.iter().for_each(|own| correct(comparisons, std::slice::from_ref(own), &method)),
        Family::All => correct(comparisons, &all, &method),
    }
}

/// Corrects one family of tests; each member is a metric of a comparison.
fn correct(comparisons: &mut [&mut Comparison], members: &[(usize, usize)], method: &Method) {
    let mut sizes = FamilySizes::default();
    let (mut baseline, mut pairs) = (Vec::new(), Vec::new());
    for &(place, metric) in members {
        let differences = comparisons[place].estimates[metric].iter().filter_map(|e| e.difference.as_ref());
        baseline.extend(differences.map(|difference| difference.p));
        pairs.extend(comparisons[place].pairs[metric].iter().map(|pair| pair.p));
    }
    (sizes.baseline, sizes.pairs) = (baseline.len(), pairs.len());
    let mut baseline = method.correction.correct(&baseline).into_iter();
    let mut pairs = method.correction.correct(&pairs).into_iter();
    for &(place, metric) in members {
        let comparison = &mut *comparisons[place];
        comparison.families[metric] = sizes;
        let of_baseline =
            comparison.estimates[metric].get(comparison.baseline).map_or(1, |estimate| estimate.runs.len());
        let differences = comparison.estimates[metric].iter_mut();
        let differences = differences.filter_map(|e| Some((e.runs.len(), e.difference.as_mut()?)));
        for ((runs, difference), p) in differences.zip(&mut baseline) {
            difference.p_corrected = p;
            let by_student = Method::tests_by_student([runs, of_baseline]);
            difference.detectable = match by_student {
                true => None,
                false => method.detectable(difference, comparison.units, sizes.baseline),
            };
        }
        for (pair, p) in comparison.pairs[metric].iter_mut().zip(&mut pairs) {
            pair.p_corrected = p;
        }
    }
    let orders: Vec<Order> =
        members.iter().map(|&(place, metric)| order(comparisons[place], metric)).collect();
    let neighbours: Vec<f64> = match method.ranks {
        RankRule::Neighbours => orders.iter().flat_map(|order| order.neighbours.iter().copied()).collect(),
        RankRule::Pairs => Vec::new(),
    };
    sizes.neighbours = neighbours.len();
    let neighbours: Vec<bool> =
        method.correction.correct(&neighbours).iter().map(|p| *p <= method.level()).collect();
    let mut rest = neighbours.as_slice();
    for (&(place, metric), order) in members.iter().zip(&orders) {
        let comparison = &mut *comparisons[place];
        comparison.families[metric] = sizes;
        let ranks = match method.ranks {
            RankRule::Neighbours => {
                let (own, others) = rest.split_at(order.neighbours.len().min(rest.len()));
                rest = others;
                let can = comparison.can_find(sizes.neighbours);
                (order.systems.len() < 2 || can).then(|| ranks_of_neighbours(own))
            }
            RankRule::Pairs => order.apart.as_ref().map(Apart::ranks),
        };
        let (sets, letters) = match &order.apart {
            Some(apart) => (Some(apart.rank_sets()), apart.letters()),
            None => (None, None),
        };
        for (number, &system) in order.systems.iter().enumerate() {
            let estimate = &mut comparison.estimates[metric][system];
            estimate.rank = ranks.as_ref().and_then(|ranks| ranks.get(number).copied());
            estimate.rank_set = sets.as_ref().map(|sets| sets[number]);
            estimate.letters = letters.as_ref().map(|letters| letters[number].clone());
        }
    }
}

/// The systems that a metric is defined for, best first, and which of them differ.
struct Order {
    systems: Vec<usize>,
    /// The p-value of each system but the first, compared with the previous one.
    neighbours: Vec<f64>,
    /// The systems that differ in the tests of all pairs or in the comparison with the baseline; `None` if the tests of
    /// all pairs cannot be significant.
    apart: Option<Apart>,
}

fn order(comparison: &Comparison, metric: usize) -> Order {
    let (method, estimates) = (&comparison.method, &comparison.estimates[metric]);
    let mut systems: Vec<usize> = (0..estimates.len()).filter(|&system| estimates[system].defined).collect();
    systems.sort_by(|&a, &b| estimates[b].f1.total_cmp(&estimates[a].f1));
    let mut place_of = vec![0; estimates.len()];
    systems.iter().enumerate().for_each(|(place, &system)| place_of[system] = place);
    let mut neighbours = vec![1.0; systems.len().saturating_sub(1)];
    let mut apart = Apart::none(systems.len());
    for test in &comparison.pairs[metric] {
        let (first, second) = (place_of[test.first], place_of[test.second]);
        if first.abs_diff(second) == 1 {
            neighbours[first.min(second)] = test.p;
        }
        if test.p_corrected <= method.level() {
            apart.add(first, second);
        }
    }
    for (system, estimate) in estimates.iter().enumerate() {
        let differs = |p: f64| p <= method.level();
        if estimate.difference.as_ref().is_some_and(|difference| differs(difference.p_corrected)) {
            apart.add(place_of[system], place_of[comparison.baseline]);
        }
    }
    // Without the tests of all pairs, systems that differ would share ranks untested.
    let can = systems.len() < 2 || comparison.can_find(comparison.families[metric].pairs);
    Order { systems, neighbours, apart: can.then_some(apart) }
}

#[cfg(test)]
mod tests {
    use super::super::{Difference, Estimate, PairTest};
    use super::*;
    use crate::choice::Choice;

    /// Returns an estimate for a system with these runs, whose score is the first run's.
    fn estimate(runs: &[f64], difference: Option<Difference>) -> Estimate {
        Estimate {
            f1: runs[0],
            runs: runs.to_vec(),
            defined: true,
            interval: None,
            ratios: [None; 2],
            rank: None,
            rank_set: None,
            letters: None,
            difference,
        }
    }

    /// With three units the smallest possible p-value of swaps is 0.25. Systems with several runs have no detectable
    /// difference.
    #[test]
    fn only_tests_that_can_be_significant_have_detectable_differences() {
        let difference = Difference {
            f1: 0.1,
            interval: None,
            p: 0.25,
            p_corrected: 0.25,
            error: 0.05,
            error_of_runs: 0.0,
            freedom: 2.0,
            error_freedom: 2.0,
            unevenness: 0.0,
            detectable: None,
        };
        let detectable = |units: usize, of_baseline: &[f64]| -> Vec<bool> {
            let estimates = vec![
                estimate(of_baseline, None),
                estimate(&[0.6], Some(difference.clone())),
                estimate(&[0.6, 0.6], Some(difference.clone())),
            ];
            let mut comparison = Comparison {
                method: Method::default(),
                documents: units,
                units,
                baseline: 0,
                estimates: vec![estimates],
                pairs: vec![Vec::new()],
                undefined: vec![0],
                families: vec![FamilySizes::default()],
            };
            correct_together(&mut [&mut comparison]);
            let differences = comparison.estimates[0].iter().filter_map(|e| e.difference.as_ref());
            differences.map(|difference| difference.detectable.is_some()).collect()
        };
        assert_eq!(detectable(3, &[0.5]), [false, false]);
        assert_eq!(detectable(30, &[0.5]), [true, false]);
        // No difference from a baseline with several runs is detectable.
        assert_eq!(detectable(30, &[0.5, 0.5]), [false, false]);
    }

    /// The smallest p-value of 79 resamples is 1 / 80: enough for the comparisons of two systems with a third, and for the
    /// tests of three pairs, but not for the six pairs of four systems.
    #[test]
    fn ranks_need_the_tests_of_all_pairs() {
        let ranked = |systems: usize| {
            let difference = Difference {
                f1: 0.1,
                interval: None,
                p: 0.0125,
                p_corrected: 0.0125,
                error: 0.05,
                error_of_runs: 0.0,
                freedom: 99.0,
                error_freedom: 99.0,
                unevenness: 0.0,
                detectable: None,
            };
            let estimate_of =
                |system: usize| estimate(&[0.1 * system as f64], (system > 0).then(|| difference.clone()));
            let pairs = super::super::resample::pairs(systems).into_iter();
            let pairs = pairs.map(|(first, second)| PairTest {
                first,
                second,
                f1: -0.1,
                p: 0.0125,
                p_corrected: 0.0125,
            });
            let mut comparison = Comparison {
                method: Method { resamples: 79, ..Method::default() },
                documents: 100,
                units: 100,
                baseline: 0,
                estimates: vec![(0..systems).map(estimate_of).collect()],
                pairs: vec![pairs.collect()],
                undefined: vec![0],
                families: vec![FamilySizes::default()],
            };
            correct_together(&mut [&mut comparison]);
            assert!(comparison.can_find_differences());
            let found = &comparison.estimates[0];
            found.iter().map(|estimate| estimate.rank).collect::<Vec<_>>()
        };
        assert_eq!(ranked(3), [Some(3), Some(2), Some(1)]);
        assert_eq!(ranked(4), [None; 4]);
    }

    /// The two comparisons with the baseline are significant (0.04), and no test of the three pairs is (0.06): the sets
    /// still exclude that the baseline is not the best.
    #[test]
    fn sets_exclude_what_the_comparisons_with_the_baseline_exclude() {
        let difference = Difference {
            f1: -0.1,
            interval: None,
            p: 0.02,
            p_corrected: 0.02,
            error: 0.04,
            error_of_runs: 0.0,
            freedom: 99.0,
            error_freedom: 99.0,
            unevenness: 0.0,
            detectable: None,
        };
        let pairs = [(0, 1, 0.02), (0, 2, 0.02), (1, 2, 0.9)];
        let pairs = pairs.map(|(first, second, p)| PairTest { first, second, f1: 0.1, p, p_corrected: p });
        let mut comparison = Comparison {
            method: Method::default(),
            documents: 100,
            units: 100,
            baseline: 0,
            estimates: vec![vec![
                estimate(&[0.6], None),
                estimate(&[0.5], Some(difference.clone())),
                estimate(&[0.49], Some(difference)),
            ]],
            pairs: vec![pairs.to_vec()],
            undefined: vec![0],
            families: vec![FamilySizes::default()],
        };
        correct_together(&mut [&mut comparison]);
        assert!(comparison.pairs[0].iter().all(|test| test.p_corrected > 0.05));
        let found = &comparison.estimates[0];
        let of = |estimate: &Estimate| (estimate.rank, estimate.rank_set, estimate.letters.clone());
        let wanted = [(1, (1, 1), "a"), (2, (2, 3), "b"), (2, (2, 3), "b")];
        let wanted = wanted.map(|(rank, set, letters)| (Some(rank), Some(set), Some(letters.to_owned())));
        assert_eq!(found.iter().map(of).collect::<Vec<_>>(), wanted);
    }

    /// For random p-values of any size, letters, ranks and sets never contradict the p-values of either table: the
    /// comparisons with the baseline (whose pairs have the same p before correction) or all pairs.
    #[test]
    fn letters_and_p_values_never_contradict_each_other() {
        let mut stream = super::super::random::Stream::new(17, super::super::random::Purpose::Bootstrap, 0);
        let mut unit = move || stream.below(1 << 20) as f64 / f64::from(1 << 20);
        let (mut only_baseline, mut only_pairs, mut shared) = (0, 0, 0);
        for case in 0..3000 {
            let systems = 3 + case % 5;
            let method = Method {
                correction: Choice::from_id(["holm", "bonferroni", "none"][case % 3]).expect("a correction"),
                family: if case % 4 == 0 { Family::All } else { Family::Metric },
                ..Method::default()
            };
            let metrics = 1 + case % 2;
            let (mut estimates, mut all_pairs) = (Vec::new(), Vec::new());
            for _ in 0..metrics {
                let f1: Vec<f64> = (0..systems).map(|_| unit()).collect();
                let pairs = super::super::resample::pairs(systems).into_iter().map(|(first, second)| {
                    let p = unit().powi(4);
                    PairTest { first, second, f1: f1[first] - f1[second], p, p_corrected: p }
                });
                let pairs: Vec<PairTest> = pairs.collect();
                let difference = |system: usize| {
                    let test = pairs.iter().find(|test| (test.first, test.second) == (0, system))?;
                    Some(Difference {
                        f1: -test.f1,
                        interval: None,
                        p: test.p,
                        p_corrected: test.p,
                        error: 0.0,
                        error_of_runs: 0.0,
                        freedom: 99.0,
                        error_freedom: 99.0,
                        unevenness: 0.0,
                        detectable: None,
                    })
                };
                estimates
                    .push((0..systems).map(|system| estimate(&[f1[system]], difference(system))).collect());
                all_pairs.push(pairs);
            }
            let mut comparison = Comparison {
                method,
                documents: 100,
                units: 100,
                baseline: 0,
                estimates,
                pairs: all_pairs,
                undefined: vec![0; metrics],
                families: vec![FamilySizes::default(); metrics],
            };
            correct_together(&mut [&mut comparison]);
            for (estimates, pairs) in comparison.estimates.iter().zip(&comparison.pairs) {
                for test in pairs {
                    let both = [test.first, test.second].map(|system| &estimates[system]);
                    let [own, other] = both.map(|estimate| estimate.letters.as_deref().expect("letters"));
                    let shares = own.chars().any(|letter| other.contains(letter));
                    let of_pairs = test.p_corrected <= method.level();
                    let of_baseline = test.first == 0
                        && estimates[test.second]
                            .difference
                            .as_ref()
                            .is_some_and(|difference| difference.p_corrected <= method.level());
                    assert_eq!(shares, !(of_pairs || of_baseline), "case {case}: {test:?}");
                    let [own, other] = both.map(|estimate| (estimate.rank, estimate.rank_set));
                    assert!(shares || own.0 != other.0 && own.1 != other.1, "case {case}: {test:?}");
                    only_baseline += usize::from(of_baseline && !of_pairs);
                    only_pairs += usize::from(of_pairs && !of_baseline && test.first == 0);
                    shared += usize::from(shares);
                }
            }
        }
        // Both families decide in some cases. For a comparison with the baseline, the family of all pairs never decides
        // alone, because it is corrected for more tests.
        assert!(only_baseline > 100 && shared > 100, "{only_baseline} {shared}");
        assert_eq!(only_pairs, 0);
    }
}
