//! Correlations: SciPy's values, slow twins, and cases worked by hand. All seeds are fixed.

use corefeval_core::metrics::Metric;
use corefeval_core::profiles::Profile;
use corefeval_core::score::DocumentScore;
use corefeval_core::settings::Settings;
use corefeval_core::significance::{
    Correlation, CorrelationInput, CorrelationInterval, CorrelationMethod, DocumentCounts, EntityPoints,
    Interval, MapChoice, Over, PartCorrelation, ResamplingUnits, correlate, kendall, pearson, spearman,
};
use corefeval_core::tally::{RealCounts, RealTally, Score};
use serde_json::Value;

const PERCENTILE: CorrelationInterval = CorrelationInterval::Percentile;
const EXPANDED: CorrelationInterval = CorrelationInterval::Expanded;
const STUDENT: CorrelationInterval = CorrelationInterval::Student;

fn settings() -> Settings {
    Settings::of(Profile::named("conll").expect("a profile"))
}

/// Documents with one recall value per metric, and systems of these documents.
struct Made {
    counts: DocumentCounts,
    scores: Vec<Vec<Vec<DocumentScore>>>,
}

/// Makes systems of documents with the recall of two metrics; each document has the weight 1 in the sums.
fn made(systems: &[Vec<[Option<f64>; 2]>]) -> Made {
    let metrics = ["muc", "lea"].map(|id| Metric::parse(id).expect("a metric"));
    let mut counts = DocumentCounts::new(&metrics, &settings()).expect("metrics that add up");
    let tally = |recall: &Option<f64>| {
        let (recall_num, recall_den) = recall.map_or((0.0, 0.0), |recall| (recall, 1.0));
        RealTally {
            first: RealCounts { recall_num, recall_den, ..RealCounts::default() },
            ..RealTally::default()
        }
    };
    let score = |recall: &Option<f64>| DocumentScore {
        score: Score::new(recall.unwrap_or(0.0), 0.0),
        defined: [recall.is_some(), false, recall.is_some()],
    };
    let mut scores = Vec::new();
    for system in systems {
        let tallies: Vec<Vec<RealTally>> =
            system.iter().map(|pair| pair.iter().map(tally).collect()).collect();
        counts.add_real(&tallies).expect("as many documents");
        scores.push(system.iter().map(|pair| pair.iter().map(score).collect()).collect());
    }
    Made { counts, scores }
}

fn found(made: &Made, over: &[Over], method: &CorrelationMethod) -> Vec<Correlation> {
    let input = CorrelationInput { counts: &made.counts, scores: &made.scores, entities: &[], bounds: &[] };
    let one = correlate(&input, over, method, 1);
    assert_eq!(correlate(&input, over, method, 5), one, "threads change nothing");
    one
}

/// Returns a number from 0 to 1, on a grid if one is given.
fn random(state: &mut u64, grid: Option<u32>) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let number = (*state >> 11) as f64 / (1_u64 << 53) as f64;
    grid.map_or(number, |grid| (number * f64::from(grid)).round() / f64::from(grid))
}

/// Computes τ-b by its definition, over all pairs of points.
fn slow_kendall(points: &[(f64, f64)]) -> Option<f64> {
    let (mut agree, mut x_apart, mut y_apart) = (0.0, 0.0, 0.0);
    for (place, a) in points.iter().enumerate() {
        for b in &points[..place] {
            let sign = |from: f64, to: f64| if from == to { 0.0 } else { (to - from).signum() };
            let (x, y) = (sign(a.0, b.0), sign(a.1, b.1));
            agree += x * y;
            x_apart += x * x;
            y_apart += y * y;
        }
    }
    (points.len() > 2 && x_apart * y_apart > 0.0).then(|| agree / f64::sqrt(x_apart * y_apart))
}

/// Computes ρ by its definition: the rank of a point is the number of points below it plus half of those equal to it.
fn slow_spearman(points: &[(f64, f64)]) -> Option<f64> {
    let ranks = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let rank = |own: f64| {
            let below = points.iter().filter(|point| of(point) < own).count() as f64;
            let ties = points.iter().filter(|point| of(point) == own).count() as f64;
            below + 0.5 * ties
        };
        points.iter().map(|point| rank(of(point))).collect()
    };
    let (x, y) = (ranks(|point| point.0), ranks(|point| point.1));
    let mean = points.len() as f64 / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let (xx, yy) = (sum(&x, &x), sum(&y, &y));
    (points.len() > 2 && xx * yy > 0.0).then(|| sum(&x, &y) / f64::sqrt(xx * yy))
}

#[test]
fn coefficients_agree_with_their_definitions() {
    let mut state = 5;
    let mut undefined = 0;
    for round in 0..2_000_u32 {
        let length = round % 37;
        let grid = [None, Some(1), Some(2), Some(7)][(round % 4) as usize];
        let points: Vec<(f64, f64)> =
            (0..length).map(|_| (random(&mut state, grid), random(&mut state, grid))).collect();
        for (fast, slow) in
            [(kendall(&points), slow_kendall(&points)), (spearman(&points), slow_spearman(&points))]
        {
            match (fast, slow) {
                (Some(fast), Some(slow)) => assert!((fast - slow).abs() < 1e-12, "{points:?}: {fast} {slow}"),
                (None, None) => undefined += 1,
                other => panic!("{points:?}: {other:?}"),
            }
        }
        // Reversed points have the other sign, and their order does not matter.
        let turned: Vec<(f64, f64)> = points.iter().rev().map(|&(x, y)| (x, 1.0 - y)).collect();
        for coefficient in [pearson, spearman, kendall] {
            let (one, other) = (coefficient(&points), coefficient(&turned));
            assert_eq!(one.is_some(), other.is_some());
            assert!((one.unwrap_or(0.0) + other.unwrap_or(0.0)).abs() < 1e-9, "{points:?}");
        }
    }
    assert!(undefined > 100);
}

#[test]
fn results_agree_with_scipy() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/significance/correlation.json");
    let text = std::fs::read_to_string(path).expect("the results exist");
    let reference: Value = serde_json::from_str(&text).expect("the results are JSON");
    let cases = reference["cases"].as_array().expect("cases");
    assert!(cases.len() >= 7);
    let list = |value: &Value| -> Vec<f64> {
        value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
    };
    for case in cases {
        let name = &case["name"];
        let points: Vec<(f64, f64)> = list(&case["x"]).into_iter().zip(list(&case["y"])).collect();
        let ours = [pearson(&points), spearman(&points), kendall(&points)];
        for (ours, theirs) in ours.iter().zip(list(&case["coefficients"])) {
            assert!((ours.expect("defined") - theirs).abs() < 1e-12, "{name}: {ours:?} and {theirs}");
        }
        if case.get("fisher").is_none() {
            continue;
        }
        let made = made(&[points.iter().map(|&(x, y)| [Some(x), Some(y)]).collect()]);
        let method =
            CorrelationMethod { interval: CorrelationInterval::Fisher, ..CorrelationMethod::default() };
        let rows = found(&made, &[Over::Documents], &method);
        let recall = rows[0].parts[0].as_ref().expect("both have a recall");
        let ends = recall.coefficients[0].and_then(|r| r.interval).expect("an interval");
        let theirs = list(&case["fisher"]);
        assert!(
            (ends.low - theirs[0]).abs() < 1e-10 && (ends.high - theirs[1]).abs() < 1e-10,
            "{name}: {ends:?}"
        );
        let intervals = |interval: CorrelationInterval| -> Vec<Interval> {
            let resamples = if interval == STUDENT { 1 } else { 20_000 };
            let method = CorrelationMethod { resamples, interval, ..CorrelationMethod::default() };
            let rows = found(&made, &[Over::Documents], &method);
            let recall = rows[0].parts[0].as_ref().expect("both have a recall");
            let intervals =
                recall.coefficients.iter().filter_map(|coefficient| coefficient.as_ref()?.interval);
            intervals.collect()
        };
        let percentile = case["percentile"].as_array().expect("three");
        // A quantile of 20,000 samples is off by at most a twentieth of their deviation on each side, and a more
        // extreme one by more. Student's t draws no samples.
        for (kind, name, share) in
            [(PERCENTILE, "percentile", 0.1), (EXPANDED, "expanded", 0.2), (STUDENT, "student", 1e-9)]
        {
            let theirs = case[name].as_array().expect("three");
            let ours = intervals(kind);
            assert_eq!((ours.len(), theirs.len()), (3, 3));
            for ((ends, theirs), percentile) in ours.iter().zip(theirs).zip(percentile) {
                let (theirs, off) = (list(theirs), share * list(percentile)[2]);
                assert!((ends.low - theirs[0]).abs() < off, "{name} {kind:?}: {ends:?} and {theirs:?}");
                assert!((ends.high - theirs[1]).abs() < off, "{name} {kind:?}: {ends:?} and {theirs:?}");
            }
        }
    }
}

/// Two systems of four documents. The second metric is undefined for one document.
#[test]
fn points_by_hand() {
    let one = vec![[Some(0.0), Some(0.1)], [Some(0.5), Some(0.6)], [Some(1.0), Some(0.7)], [Some(0.2), None]];
    let two = vec![[Some(0.3), Some(0.3)], [Some(0.3), Some(0.4)], [Some(0.3), Some(0.9)], [Some(0.9), None]];
    let made = made(&[one, two]);
    let method = CorrelationMethod { resamples: 300, ..CorrelationMethod::default() };
    let rows = found(&made, &[Over::Systems, Over::Pooled, Over::Documents], &method);
    let kinds: Vec<(Over, Option<usize>)> = rows.iter().map(|row| (row.over, row.system)).collect();
    let wanted =
        [(Over::Documents, Some(0)), (Over::Documents, Some(1)), (Over::Pooled, None), (Over::Systems, None)];
    assert_eq!(kinds, wanted);
    let recall = |row: usize| rows[row].parts[0].as_ref().expect("both have a recall");
    assert_eq!((recall(0).points(), recall(0).left_out), (3, 1));
    let r = recall(0).coefficients[0].expect("defined").value;
    // x − x̄ = −1/2, 0, 1/2; y − ȳ = −11/30, 4/30, 7/30: 9/30 over √(1/2 · 186/900).
    assert!((r - 0.3 / (0.5_f64 * 186.0 / 900.0).sqrt()).abs() < 1e-12, "{r}");
    // The first metric does not vary.
    assert_eq!(recall(1).coefficients, [None; 3]);
    assert!(recall(1).undefined().is_some_and(|why| why.contains("the same for all points")));
    assert_eq!((recall(2).points(), recall(2).left_out), (6, 2));
    assert!(recall(2).coefficients[0].is_some_and(|r| r.interval.is_some()));
    // Two systems are too few.
    assert!(recall(3).undefined().is_some_and(|why| why.contains("2 points, and 3 are needed")));
    let means = [(0.425, 1.4 / 3.0), (0.45, 1.6 / 3.0)];
    assert!(
        recall(3).groups[0].iter().zip(means).all(|(a, b)| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-12)
    );
    // Precision is undefined everywhere.
    let precision = rows[0].parts[1].as_ref().expect("both metrics have one");
    assert_eq!((precision.points(), precision.left_out), (0, 4));
}

#[test]
fn means_have_only_an_f1_and_entities_a_recall() {
    let metrics = ["conll", "lea"].map(|id| Metric::parse(id).expect("a metric"));
    let mut counts = DocumentCounts::new(&metrics, &settings()).expect("metrics that add up");
    counts.add_real(&[vec![RealTally::default(); 4]]).expect("a system");
    let scores = [vec![vec![DocumentScore::default(); 2]]];
    let points: EntityPoints =
        [[Some(0.0), Some(0.1)], [Some(0.4), Some(0.2)], [Some(1.0), Some(0.9)], [None, Some(1.0)]]
            .map(|[x, y]| [x, y, None])
            .to_vec();
    let entities = [vec![points]];
    let input = CorrelationInput { counts: &counts, scores: &scores, entities: &entities, bounds: &[] };
    let rows = correlate(&input, &Over::ALL, &CorrelationMethod::default(), 2);
    assert_eq!(rows.iter().map(|row| row.over).collect::<Vec<_>>(), Over::ALL);
    assert!(rows[0].parts[0].is_none() && rows[0].parts[1].is_none() && rows[0].parts[2].is_some());
    let recall = rows[3].parts[0].as_ref().expect("entities have a recall");
    assert!(rows[3].parts[2].is_none());
    assert_eq!((recall.points(), recall.left_out), (3, 1));
    // A single document cannot be resampled.
    assert!(recall.coefficients[0].is_some_and(|r| r.value > 0.9 && r.interval.is_none()));
}

/// Over systems, both documents and systems are drawn. If all documents are equal, the interval is that of the systems;
/// here its ends are quantiles over all samples of four systems with replacement.
#[test]
fn intervals_over_systems_come_from_documents_and_systems() {
    let alike = |x: f64, y: f64| vec![[Some(x), Some(y)]; 6];
    let points = [(0.1, 0.2), (0.2, 0.25), (0.4, 0.5), (0.8, 0.6), (0.5, 0.3), (0.6, 0.4)];
    let systems: Vec<_> = points.iter().map(|&(x, y)| alike(x, y)).collect();
    let recall = |systems: &[Vec<[Option<f64>; 2]>]| {
        let method = CorrelationMethod { interval: PERCENTILE, ..CorrelationMethod::default() };
        let rows = found(&made(systems), &[Over::Systems], &method);
        rows[0].parts[0].clone().expect("recall")
    };
    let part = recall(&systems);
    let r = part.coefficients[0].expect("defined");
    let ends = r.interval.expect("an interval");
    let samples = 6_usize.pow(6);
    let mut all: Vec<f64> = (0..samples)
        .filter_map(|sample| {
            let drawn: Vec<_> = (0..6).map(|draw| points[sample / 6_usize.pow(draw) % 6]).collect();
            pearson(&drawn)
        })
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    // Samples of two systems have r = 1, so that quantiles may be ties.
    let within = |end: f64, shares: [f64; 2]| {
        let [low, high] = shares.map(|share| all[(share * all.len() as f64) as usize]);
        (low - 1e-9..=high + 1e-9).contains(&end)
    };
    assert!(within(ends.low, [0.015, 0.037]) && within(ends.high, [0.963, 0.985]), "{ends:?}");
    // Six points are too few for an interpretation, and Fisher's interval is added.
    assert_eq!(part.reading(), Err("fewer than 8 points"));
    assert!(r.fisher.is_some_and(|fisher| fisher.low < r.value && fisher.high > r.value));
    // If one document differs, the interval differs from that of systems with the same means, because documents are
    // resampled.
    let mut other = systems.clone();
    other.iter_mut().zip(points.iter().rev()).for_each(|(system, turned)| system[3][0] = Some(turned.0));
    let mean = |place: usize| (5.0 * points[place].0 + points[5 - place].0) / 6.0;
    let means: Vec<_> = (0..6).map(|place| alike(mean(place), points[place].1)).collect();
    let both = [recall(&other), recall(&means)].map(|part| part.coefficients[0].expect("defined"));
    assert!((both[0].value - both[1].value).abs() < 1e-9 && both[0].interval != both[1].interval, "{both:?}");
}

/// No correlation is claimed for an interval that includes 0.
#[test]
fn readings_need_points_and_an_interval_without_0() {
    let mut state = 3;
    let system = |points: usize, noise: f64, state: &mut u64| -> Vec<[Option<f64>; 2]> {
        (0..points)
            .map(|_| {
                let x = random(state, None);
                [Some(x), Some((1.0 - noise) * x + noise * random(state, None))]
            })
            .collect()
    };
    for (points, noise, wanted) in [
        (40, 0.2, Ok("strongly correlated")),
        (7, 0.1, Err("fewer than 8 points")),
        (40, 1.0, Err("the interval includes 0")),
    ] {
        let made = made(&[system(points, noise, &mut state)]);
        let rows = found(&made, &[Over::Documents], &CorrelationMethod::default());
        let part = rows[0].parts[0].as_ref().expect("recall");
        assert_eq!(part.reading(), wanted, "{points} points");
        assert_eq!(part.labels.iter().flatten().count(), points);
        let among = |low: f64, high: f64| {
            let bounds = Interval { low, high };
            let maps = Some(MapChoice { ambiguous: 2, pearson: None, bounds });
            PartCorrelation { maps, ..part.clone() }.reading()
        };
        assert_eq!(among(0.71, 0.99), wanted, "all best maps have the same reading");
        let differ = if wanted.is_ok() { Err("best maps differ") } else { wanted };
        assert_eq!((among(0.6, 0.99), among(-0.9, 0.9)), (differ, differ));
    }
}

/// MUC follows LEA closely and B³ does not: the interval of the difference excludes 0, and p is low. If both follow it
/// equally closely, neither holds. The coefficients equal those of `--x` and `--y` on the points that all three have.
#[test]
fn overlapping_correlations() {
    let metrics = ["muc", "lea", "b_cubed"].map(|id| Metric::parse(id).expect("a metric"));
    for (noise, closer) in [([0.1, 0.8], true), ([0.5, 0.5], false)] {
        let mut state = 17;
        let points: Vec<[f64; 3]> = (0..60)
            .map(|_| {
                let y = random(&mut state, None);
                let [x, third] = noise.map(|noise| (1.0 - noise) * y + noise * random(&mut state, None));
                [x, y, third]
            })
            .collect();
        let mut counts = DocumentCounts::new(&metrics, &settings()).expect("metrics that add up");
        let tally = |recall_num: f64| RealTally {
            first: RealCounts { recall_num, recall_den: 1.0, ..RealCounts::default() },
            ..RealTally::default()
        };
        let tallies: Vec<Vec<RealTally>> =
            points.iter().map(|p| p.iter().copied().map(tally).collect()).collect();
        counts.add_real(&tallies).expect("documents");
        let score = |(place, recall): (usize, f64)| DocumentScore {
            score: Score::new(recall, 0.0),
            // The third metric is undefined for the last document.
            defined: [recall != points[59][2] || place != 2, false, true],
        };
        let scores =
            [points.iter().map(|p| p.iter().copied().enumerate().map(score).collect()).collect::<Vec<_>>()];
        let input = CorrelationInput { counts: &counts, scores: &scores, entities: &[], bounds: &[] };
        // At the confidence level 1 − p, the interval ends at 0.
        for kind in [STUDENT, EXPANDED, CorrelationInterval::Bca, PERCENTILE] {
            let by = |confidence: f64| {
                let method = CorrelationMethod { interval: kind, confidence, ..CorrelationMethod::default() };
                let rows = correlate(&input, &[Over::Documents], &method, 1);
                let closeness = rows[0].parts[0].as_ref().and_then(|part| part.closeness.clone());
                closeness.and_then(|closeness| closeness.coefficients[0]).expect("defined")
            };
            let p = by(0.9).p.expect("a p-value");
            let excludes_0 = |level: f64| {
                let ends = by(1.0 - level).interval.expect("an interval");
                ends.low > 0.0 || ends.high < 0.0
            };
            assert!(excludes_0(p + 1e-4), "{kind:?}: {p}");
            assert!(p < 0.002 || !excludes_0(p - 1e-4), "{kind:?}: {p}");
        }
        let rows = correlate(&input, &[Over::Documents], &CorrelationMethod::default(), 2);
        let part = rows[0].parts[0].as_ref().expect("recall");
        let closeness = part.closeness.as_ref().expect("three metrics");
        assert_eq!((part.points(), closeness.points), (60, 59));
        let columns = |a: usize, b: usize| points[..59].iter().map(|p| (p[a], p[b])).collect::<Vec<_>>();
        for (by, coefficient) in closeness.coefficients.iter().zip([pearson, spearman, kendall]) {
            let by = by.expect("defined");
            assert_eq!(
                (Some(by.first), Some(by.third)),
                (coefficient(&columns(0, 1)), coefficient(&columns(2, 1)))
            );
            let (interval, p) = (by.interval.expect("an interval"), by.p.expect("a p-value"));
            assert_eq!((interval.low > 0.0, p < 0.05), (closer, closer), "{by:?}");
        }
        assert_eq!(closeness.williams.expect("a p-value") < 0.05, closer);
    }
}

/// Without one of these documents the correlation is perfect: the variation cannot be estimated. If all points are on
/// one line, no document makes a difference.
#[test]
fn no_standard_error_from_perfect_correlations() {
    let interval = |points: &[(f64, f64)]| {
        let made = made(&[points.iter().map(|&(x, y)| [Some(x), Some(y)]).collect()]);
        let rows = found(&made, &[Over::Documents], &CorrelationMethod::default());
        let recall = rows[0].parts[0].clone().expect("recall");
        (recall.coefficients[0].expect("defined").interval, recall.reading())
    };
    let line: Vec<(f64, f64)> = (0..9).map(|place| 0.1 * f64::from(place)).map(|x| (x, x)).collect();
    assert_eq!(interval(&line), (Some(Interval { low: 1.0, high: 1.0 }), Ok("strongly correlated")));
    let off = [&line[..], &[(0.5, 0.0)]].concat();
    assert_eq!(interval(&off), (None, Err("no interval")));
}

/// Two units of three documents have three samples: the first twice, both, the second twice. The ends of the interval
/// are the lowest and the highest of their correlations.
#[test]
fn documents_of_a_unit_are_drawn_together() {
    let points = [(0.1, 0.2), (0.5, 0.3), (0.9, 0.8), (0.2, 0.7), (0.4, 0.6), (0.8, 0.5)];
    let system: Vec<[Option<f64>; 2]> = points.iter().map(|&(x, y)| [Some(x), Some(y)]).collect();
    let mut made = made(&[system]);
    made.counts.draw_together(ResamplingUnits::single(2).only([0, 0, 0, 1, 1, 1].into_iter()));
    let rows = found(
        &made,
        &[Over::Documents],
        &CorrelationMethod { interval: PERCENTILE, ..CorrelationMethod::default() },
    );
    let part = rows[0].parts[0].as_ref().expect("recall");
    let ends = |of: fn(&[(f64, f64)]) -> Option<f64>| {
        let samples = [&points[..3], &points[..], &points[3..]].map(|points| of(points).expect("a number"));
        (samples.iter().copied().fold(1.0, f64::min), samples.iter().copied().fold(-1.0, f64::max))
    };
    for (coefficient, (low, high)) in part.coefficients.iter().zip([ends(pearson), ends(spearman)]) {
        let interval = coefficient.expect("a coefficient").interval.expect("an interval");
        assert!((interval.low - low).abs() < 1e-12 && (interval.high - high).abs() < 1e-12, "{interval:?}");
    }
    // A single unit is not resampled.
    made.counts.draw_together(ResamplingUnits::single(1).only(std::iter::repeat_n(0, 6)));
    let rows = found(&made, &[Over::Documents], &CorrelationMethod::default());
    let part = rows[0].parts[0].as_ref().expect("recall");
    assert_eq!(part.coefficients[0].expect("a coefficient").interval, None);
}
