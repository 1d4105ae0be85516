//! Computes coefficients of correlation of pairs of numbers.
//!
//! All three are undefined (`None`) for fewer than [`FEWEST`] pairs, and if one of the numbers is the same in all
//! pairs. Numbers within 2⁻⁴⁰ of each other are ties, like differences within rounding elsewhere.

/// The fewest pairs with a correlation: any two points are on a line.
pub const FEWEST: usize = 3;

/// Returns a number in steps of 2⁻⁴⁰. Numbers with equal steps are ties.
fn steps(number: f64) -> i64 {
    (number * (1_u64 << 40) as f64).round() as i64
}

/// Returns whether there are enough pairs and both numbers vary.
fn varies(pairs: &[(f64, f64)]) -> bool {
    let differ = |of: fn(&(f64, f64)) -> f64| {
        let first = pairs.first().map_or(0, |pair| steps(of(pair)));
        pairs.iter().any(|pair| steps(of(pair)) != first)
    };
    pairs.len() >= FEWEST && differ(|pair| pair.0) && differ(|pair| pair.1)
}

/// Computes Pearson's r: Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²).
///
/// ```
/// use corefeval_core::significance::pearson;
/// assert_eq!(pearson(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
/// assert_eq!(pearson(&[(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)]), None);
/// ```
pub fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    if !varies(pairs) {
        return None;
    }
    let number = pairs.len() as f64;
    let (x, y) = pairs.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
    let (x, y) = (x / number, y / number);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (off_x, off_y) = (pair.0 - x, pair.1 - y);
        xx += off_x * off_x;
        yy += off_y * off_y;
        xy += off_x * off_y;
    }
    let scale = (xx * yy).sqrt();
    (scale > 0.0).then(|| (xy / scale).clamp(-1.0, 1.0))
}

/// Computes Spearman's ρ: Pearson's r of the ranks, where ties share the mean of their ranks.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    if !varies(pairs) {
        return None;
    }
    let ranks = |of: fn(&(f64, f64)) -> f64| {
        let numbers: Vec<i64> = pairs.iter().map(|pair| steps(of(pair))).collect();
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_unstable_by_key(|&place| numbers[place]);
        let mut ranks = vec![0.0; numbers.len()];
        let mut start = 0;
        for run in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
            // Half of the sum of the first and the last rank of the run, counted from 0.
            let rank = start as f64 + 0.5 * (run.len() - 1) as f64;
            run.iter().for_each(|&place| ranks[place] = rank);
            start += run.len();
        }
        ranks
    };
    let ranked: Vec<(f64, f64)> = ranks(|pair| pair.0).into_iter().zip(ranks(|pair| pair.1)).collect();
    pearson(&ranked)
}

/// Computes Kendall's τ-b: (concordant − discordant) / √((n₀ − ties in x)(n₀ − ties in y)) over the n₀ = n (n − 1) / 2
/// pairs of pairs. Counts the swaps of a merge sort (Knight 1966).
pub fn kendall(pairs: &[(f64, f64)]) -> Option<f64> {
    if !varies(pairs) {
        return None;
    }
    let mut sorted: Vec<(i64, i64)> = pairs.iter().map(|pair| (steps(pair.0), steps(pair.1))).collect();
    sorted.sort_unstable();
    let two = |count: usize| (count * (count - 1) / 2) as i128;
    let all = two(sorted.len());
    let ties_x: i128 = sorted.chunk_by(|a, b| a.0 == b.0).map(|run| two(run.len())).sum();
    let ties_both: i128 = sorted.chunk_by(|a, b| a == b).map(|run| two(run.len())).sum();
    let mut second: Vec<i64> = sorted.iter().map(|pair| pair.1).collect();
    let discordant = inversions(&mut second);
    let ties_y: i128 = second.chunk_by(|a, b| a == b).map(|run| two(run.len())).sum();
    let concordant = all - ties_x - ties_y + ties_both - discordant;
    let scale = ((all - ties_x) as f64 * (all - ties_y) as f64).sqrt();
    (scale > 0.0).then(|| ((concordant - discordant) as f64 / scale).clamp(-1.0, 1.0))
}

/// Sorts the numbers, and counts the pairs that were in the wrong order.
fn inversions(numbers: &mut [i64]) -> i128 {
    let mut count = 0;
    let mut merged = Vec::with_capacity(numbers.len());
    let mut width = 1;
    while width < numbers.len() {
        for two in numbers.chunks_mut(2 * width) {
            if two.len() <= width {
                continue;
            }
            let (left, right) = two.split_at(width);
            merged.clear();
            let (mut a, mut b) = (0, 0);
            while a < left.len() && b < right.len() {
                if right[b] < left[a] {
                    count += (left.len() - a) as i128;
                    merged.push(right[b]);
                    b += 1;
                } else {
                    merged.push(left[a]);
                    a += 1;
                }
            }
            merged.extend_from_slice(&left[a..]);
            merged.extend_from_slice(&right[b..]);
            two.copy_from_slice(&merged);
        }
        width *= 2;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: ranks 1 2 3 4 against 2 1 4 3; 4 pairs of 6 agree.
    #[test]
    fn small_cases() {
        let pairs = [(0.1, 0.2), (0.2, 0.1), (0.3, 0.4), (0.4, 0.3)];
        let close = |found: Option<f64>, wanted: f64| (found.expect("defined") - wanted).abs() < 1e-15;
        assert!(close(pearson(&pairs), 0.6) && close(spearman(&pairs), 0.6));
        assert!(close(kendall(&pairs), 2.0 / 6.0));
        // One tie in x: five of the six pairs can agree; y has no ties.
        let pairs = [(1.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 4.0)];
        assert!(close(kendall(&pairs), 5.0 / 30.0_f64.sqrt()));
    }

    #[test]
    fn constant_scores_have_no_correlation() {
        let nothing: [&[(f64, f64)]; 4] = [
            &[],
            &[(0.0, 0.0), (1.0, 1.0)],
            &[(0.5, 0.1), (0.5, 0.2), (0.5 + 1e-14, 0.3)],
            &[(0.1, 0.0), (0.2, 0.0), (0.3, 0.0)],
        ];
        for pairs in nothing {
            assert_eq!([pearson(pairs), spearman(pairs), kendall(pairs)], [None; 3], "{pairs:?}");
        }
    }
}
