//! Statistics worked by hand: several runs of a system, samples without a score, and correlations over best maps.

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::matching::MentionCounts;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Document, DocumentBuilder, DocumentId, WordsBuilder};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::Profile;
use corefeval_core::score::DocumentScore;
use corefeval_core::score::DocumentTallies;
use corefeval_core::settings::Scope;
use corefeval_core::settings::Settings;
use corefeval_core::significance::{
    Comparison, Correction, Correlation, CorrelationInput, CorrelationInterval, CorrelationMethod,
    Difference, DocumentCounts, EntityBounds, EntityPoints, Estimate, FamilySizes, Interval, IntervalKind,
    MapChoice, Method, Over, PairTest, PartCorrelation, RankRule, ResamplingUnit, ResamplingUnits, Test,
    check_documents, compare, correct_together, correlate, correlation_intervals_by, intervals_by, pearson,
};
use corefeval_core::tally::{RealCounts, RealTally, Score, Tally};

/// The correct mentions of one system in a document, the mentions of the key and those of the response.
type Counts = (u32, u32, u32);

fn settings() -> Settings {
    Settings::of(Profile::named("conll").expect("a profile"))
}

fn metrics(ids: &[&str]) -> Vec<Metric> {
    ids.iter().map(|id| Metric::parse(id).expect("a metric")).collect()
}

fn tally((right, key, response): Counts) -> RealTally {
    let first = RealCounts {
        recall_num: right.into(),
        recall_den: key.into(),
        precision_num: right.into(),
        precision_den: response.into(),
    };
    RealTally { first, ..RealTally::default() }
}

/// Makes systems of one metric.
fn counts(systems: &[Vec<Counts>]) -> DocumentCounts {
    let mut counts = DocumentCounts::new(&metrics(&["muc"]), &settings()).expect("a metric that adds up");
    for system in systems {
        let documents: Vec<Vec<RealTally>> = system.iter().map(|&document| vec![tally(document)]).collect();
        counts.add_real(&documents).expect("as many documents");
    }
    counts
}

/// Makes documents of ten mentions on both sides: the score is the mean of the tenths that are right.
fn tenths(right: &[u32]) -> Vec<Counts> {
    right.iter().map(|&right| (right, 10, 10)).collect()
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-9, "{found} and {wanted}");
}

fn ends_near(interval: Option<Interval>, low: f64, high: f64) {
    let Interval { low: found_low, high: found_high } = interval.expect("an interval");
    near(found_low, low);
    near(found_high, high);
}

/// SplitMix64, for cases at random.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Makes two runs and two systems of one run, on four documents.
fn with_runs() -> DocumentCounts {
    let systems = [[1, 3, 4, 6], [3, 5, 8, 10], [1, 2, 3, 4], [2, 2, 4, 6]];
    let mut counts = counts(&systems.map(|system| tenths(&system)));
    counts.group_runs(vec![2, 1, 1]);
    counts
}

/// Runs of 0.35 and 0.65 have the mean 1/2 and a variance of 0.045, half of it for the mean. The means of both runs in four
/// documents are 0.2, 0.4, 0.6 and 0.8, whose variance of the mean is 0.2 / 12; the runs are 0.1, 0.1, 0.2 and 0.2 off these, and
/// their interaction is 0.01 / 12. So V = 0.0225 + 1/60 − 1/1200. The system of one run has 0.1 to 0.4, and the difference
/// 0.05 / 12 instead of 1/60. Degrees of freedom by Satterthwaite, quantiles of Student's t by quadrature.
#[test]
fn several_runs_have_students_intervals_and_tests_over_runs_and_documents() {
    let comparison = compare(&with_runs(), 0, &Method::default(), 2).expect("documents");
    let [runs, single, other] = comparison.estimates[0].as_slice() else { panic!("three systems") };
    near(runs.f1, 0.5);
    assert_eq!(runs.runs, [0.35, 0.65]);
    near(runs.spread().expect("two runs"), 0.3 / 2.0_f64.sqrt());
    assert_eq!((single.spread(), other.spread()), (None, None));
    assert_eq!(single.runs, [0.25]);
    // t = 3.624 29 of 2.452 86 degrees of freedom times √V = 0.195 79.
    let reach = 0.709_596_047;
    ends_near(runs.interval, 0.5 - reach, 0.5 + reach);
    let difference = single.difference.as_ref().expect("not the baseline");
    near(difference.f1, -0.25);
    near(difference.error, (0.0225 + 0.05 / 12.0 - 0.01 / 12.0_f64).sqrt());
    near(difference.error_of_runs, (0.0225 - 0.01 / 12.0_f64).sqrt());
    near(difference.freedom, 1.302_756_439);
    near(difference.p, 0.319_563_514);
    let reach = 1.201_242_552;
    ends_near(difference.interval, -0.25 - reach, -0.25 + reach);
    assert_eq!(difference.detectable, None);
    assert!(comparison.has_runs() && comparison.can_find_differences());
    // The systems of one run are tested by resampling, as if there were no others.
    assert_eq!(comparison.tests_used(), [true, true]);
    assert_eq!(comparison.resampled_differences().count(), 0);
    let alone = counts(&[tenths(&[1, 2, 3, 4]), tenths(&[2, 2, 4, 6])]);
    let alone = compare(&alone, 0, &Method::default(), 2).expect("documents");
    let test = comparison.pairs[0].iter().find(|test| (test.first, test.second) == (1, 2)).expect("a pair");
    assert_eq!((test.p, test.f1), (alone.pairs[0][0].p, alone.pairs[0][0].f1));
    // Among eight swaps (ignoring direction), the observed one has the largest difference, as has the one without the
    // document in which both are equal.
    assert_eq!(test.p, 0.25);
    assert_eq!(
        [single.interval, other.interval],
        [0, 1].map(|place: usize| alone.estimates[0][place].interval)
    );
    let ratios = [single, other].map(|estimate| estimate.ratios);
    assert_eq!(ratios, [0, 1].map(|place: usize| alone.estimates[0][place].ratios));
}

/// With a baseline of one run, another of one run has a test by resampling, and one of several has Student's.
#[test]
fn the_signature_names_the_tests_of_runs() {
    let method = Method { seed: 7, ..Method::default() };
    let by_test = |comparison: &Comparison, test: &str, method: Method| {
        let signature = comparison.signature();
        assert!(signature.starts_with(&format!("test:{test}|")), "{signature}");
        let (rest, again) = Method::split_signature(&format!("profile:conll|{signature}")).expect("a method");
        assert_eq!((rest.as_str(), again), ("profile:conll", Some(method)));
    };
    let both = compare(&with_runs(), 1, &method, 1).expect("documents");
    by_test(&both, "randomization+student", method);
    assert_eq!((both.differences().count(), both.resampled_differences().count()), (2, 1));
    let mut of_runs = counts(&[[1, 3, 4, 6], [3, 5, 8, 10], [1, 2, 3, 4], [2, 2, 4, 6]].map(|s| tenths(&s)));
    of_runs.group_runs(vec![2, 2]);
    let only = compare(&of_runs, 0, &method, 1).expect("documents");
    assert_eq!((only.tests_used(), only.estimates[0].len()), ([false, true], 2));
    // Nothing is resampled, so the signature has no seed.
    by_test(&only, "student", Method::default());
    let single = compare(&counts(&[tenths(&[1, 2]), tenths(&[2, 4])]), 0, &method, 1).expect("documents");
    assert_eq!((single.tests_used(), single.has_runs()), ([true, false], false));
    by_test(&single, "randomization", method);
}

/// Every document has a recall of 1/2 and a precision of 1/4 by the first metric, and of 3/4 and 3/5 by the second: no interval
/// has a width.
#[test]
fn every_metric_has_intervals_of_its_own_recall_and_precision() {
    let mut counts = DocumentCounts::new(&metrics(&["muc", "b_cubed", "ceaf_e"]), &settings())
        .expect("metrics that add up");
    let document = || vec![tally((2, 4, 8)), tally((3, 4, 5)), tally((1, 5, 10))];
    let other = || vec![tally((1, 4, 8)), tally((2, 4, 5)), tally((0, 5, 10))];
    counts.add_real(&std::array::from_fn::<_, 6, _>(|_| document())).expect("documents");
    counts.add_real(&std::array::from_fn::<_, 6, _>(|_| other())).expect("as many documents");
    let comparison =
        compare(&counts, 0, &Method { resamples: 50, ..Method::default() }, 1).expect("documents");
    for (metric, wanted) in
        [[[0.5, 0.25], [0.25, 0.125]], [[0.75, 0.6], [0.5, 0.4]], [[0.2, 0.1], [0.0, 0.0]]].iter().enumerate()
    {
        for (estimate, wanted) in comparison.estimates[metric].iter().zip(wanted) {
            estimate.ratios.iter().zip(wanted).for_each(|(ratio, &wanted)| ends_near(*ratio, wanted, wanted));
        }
    }
}

/// Two of thirty documents have links. A score that is undefined in half of the samples has an interval, a score that is
/// undefined in more has none.
#[test]
fn a_score_that_most_samples_leave_undefined_has_no_interval() {
    let mut system = vec![(0, 0, 0); 30];
    (system[3], system[20]) = ((3, 3, 3), (1, 3, 3));
    let counts = counts(&[system]);
    let mut seen = [0; 5];
    for seed in 0..400 {
        let method = Method { resamples: 4, seed, interval: IntervalKind::Percentile, ..Method::default() };
        let comparison = compare(&counts, 0, &method, 1).expect("documents");
        let (undefined, estimate) = (comparison.undefined[0], &comparison.estimates[0][0]);
        let has = [estimate.interval, estimate.ratios[0], estimate.ratios[1]].map(|found| found.is_some());
        assert_eq!(has, [undefined <= 2; 3], "{undefined} of 4");
        seen[undefined as usize] += 1;
    }
    assert!(seen[2] > 5 && seen[3] > 0, "{seen:?}");
}

/// Several kinds of intervals from one bootstrap equal those of separate comparisons.
#[test]
fn intervals_by_several_kinds_equal_those_of_each() {
    let mut random = Random(3);
    let mut system = || -> Vec<Counts> {
        (0..25).map(|_| ((9.0 * random.unit()) as u32, 9, 4 + (9.0 * random.unit()) as u32)).collect()
    };
    let systems = [system(), system()];
    let method = Method { resamples: 200, interval: IntervalKind::Bca, ..Method::default() };
    let kinds =
        [IntervalKind::Percentile, IntervalKind::Basic, IntervalKind::Student, IntervalKind::Expanded];
    let found = intervals_by(&counts(&systems), &method, &kinds);
    for (interval, found) in kinds.into_iter().zip(found) {
        let comparison = compare(&counts(&systems), 0, &Method { interval, ..method }, 1).expect("documents");
        let second = &comparison.estimates[0][1];
        let difference = second.difference.as_ref().expect("not the baseline").interval;
        assert_eq!(found[1], (second.interval, difference), "{interval:?}");
        assert_eq!(found[0].0, comparison.estimates[0][0].interval, "{interval:?}");
    }
}

/// The smallest p-value of B resamples is 1 / (B + 1): at 5% it takes 19 for a single comparison, 39 for two.
#[test]
fn resamples_that_suffice_for_comparisons() {
    let method = |resamples: u32| Method { resamples, ..Method::default() };
    assert_eq!([18, 19].map(|resamples| method(resamples).has_resamples_for(1)), [false, true]);
    assert_eq!([38, 39].map(|resamples| method(resamples).has_resamples_for(2)), [false, true]);
    // Without comparisons only the ends of intervals matter.
    let ends = "with 10 resamples intervals end at the extreme resamples: 40 are needed";
    assert_eq!(method(10).too_few_resamples(0), [ends]);
    let correlation = |interval: CorrelationInterval| CorrelationMethod {
        resamples: 10,
        interval,
        ..CorrelationMethod::default()
    };
    assert_eq!(correlation(CorrelationInterval::Percentile).too_few_resamples(), [ends]);
    // Fisher's interval requires no resampling.
    assert!(correlation(CorrelationInterval::Fisher).too_few_resamples().is_empty());
}

/// Returns the correlation of recall over documents of one system, with one metric for each number of a point.
fn over_documents<const N: usize>(points: &[[f64; N]], method: &CorrelationMethod) -> PartCorrelation {
    let metrics = &metrics(&["muc", "lea", "b_cubed"])[..N];
    let mut counts = DocumentCounts::new(metrics, &settings()).expect("metrics that add up");
    let tally = |recall_num: f64| RealTally {
        first: RealCounts { recall_num, recall_den: 1.0, ..RealCounts::default() },
        ..RealTally::default()
    };
    let tallies: Vec<Vec<RealTally>> =
        points.iter().map(|point| point.iter().copied().map(tally).collect()).collect();
    counts.add_real(&tallies).expect("documents");
    let score =
        |&recall: &f64| DocumentScore { score: Score::new(recall, 0.0), defined: [true, false, true] };
    let scores = [points.iter().map(|point| point.iter().map(score).collect()).collect::<Vec<_>>()];
    let input = CorrelationInput { counts: &counts, scores: &scores, entities: &[], bounds: &[] };
    correlate(&input, &[Over::Documents], method, 1)[0].parts[0].clone().expect("recall")
}

#[test]
fn eight_points_suffice_for_a_reading() {
    let points: Vec<[f64; 2]> =
        (0..8).map(|place| f64::from(place) / 8.0).map(|x| [x, x * x + 0.1 * (16.0 * x % 2.0)]).collect();
    let reading = |points: &[[f64; 2]]| over_documents(points, &CorrelationMethod::default()).reading();
    assert_eq!(reading(&points), Ok("strongly correlated"));
    assert_eq!(reading(&points[1..]), Err("fewer than 8 points"));
}

/// Four points around 1/2 in directions at right angles: y follows the first, x is 0.8 of it and 0.6 of a second, and the third
/// metric 0.6 of the first and 0.8 of another, so that the correlations are 0.8, 0.6 and 0.48. |R| = 0.2304, and
/// t = 0.2 √(3 · 1.48 / (6 · 0.2304 + 0.49 · 0.52³)) = 0.349 82; of one degree of freedom, 1 − 2 arctan(t) / π.
#[test]
fn williams_of_four_points_by_hand() {
    let directions = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];
    let points = directions
        .map(|[a, b, c]| [0.8 * a + 0.6 * b, a, 0.6 * a + 0.8 * c].map(|value: f64| 0.5 + 0.25 * value));
    let method = CorrelationMethod { interval: CorrelationInterval::Fisher, ..CorrelationMethod::default() };
    let closeness = over_documents(&points, &method).closeness.expect("three metrics");
    near(closeness.williams.expect("points enough"), 0.785_768_903);
    let by_pearson = closeness.coefficients[0].expect("defined");
    near(by_pearson.first, 0.8);
    near(by_pearson.third, 0.6);
    // No document is drawn or left out for Fisher's intervals, so the difference has neither interval nor p-value.
    assert_eq!((by_pearson.interval, by_pearson.p), (None, None));
    assert_eq!(over_documents(&points[..3], &method).closeness.and_then(|found| found.williams), None);
}

/// Returns the best maps of one system's entities in one document, where each point has ends for x and y.
fn best_maps(found: &[(f64, f64)], ends: &[[[f64; 2]; 2]]) -> Option<MapChoice> {
    let mut counts =
        DocumentCounts::new(&metrics(&["ceaf_e", "lea"]), &settings()).expect("metrics that add up");
    counts.add_real(&[vec![RealTally::default(); 2]]).expect("a document");
    let scores = [vec![vec![DocumentScore::default(); 2]]];
    let points: EntityPoints = found.iter().map(|&(x, y)| [Some(x), Some(y), None]).collect();
    let bounds: EntityBounds = ends.iter().map(|&[x, y]| [Some(x), Some(y), None]).collect();
    let (entities, bounds) = ([vec![points]], [vec![bounds]]);
    let input = CorrelationInput { counts: &counts, scores: &scores, entities: &entities, bounds: &bounds };
    let method = CorrelationMethod { interval: CorrelationInterval::Fisher, ..CorrelationMethod::default() };
    correlate(&input, &[Over::Entities], &method, 1)[0].parts[0].as_ref().expect("recall").maps
}

/// Returns the lowest and the highest coefficient of all choices of ends.
fn over_all_choices(ends: &[[[f64; 2]; 2]]) -> (f64, f64) {
    let choices = (0..1_usize << (2 * ends.len())).filter_map(|choice| {
        let at = |(place, [x, y]): (usize, &[[f64; 2]; 2])| {
            (x[choice >> (2 * place) & 1], y[choice >> (2 * place + 1) & 1])
        };
        pearson(&ends.iter().enumerate().map(at).collect::<Vec<_>>())
    });
    choices.fold((1.0, -1.0), |(low, high), r| (f64::min(low, r), f64::max(high, r)))
}

/// The search from point to point finds the extremes of all choices in nearly all cases, and never exceeds them.
#[test]
fn the_search_over_best_maps_finds_the_extreme_choices() {
    let mut random = Random(1);
    let (mut cases, mut low_found, mut high_found) = (0, 0, 0);
    for case in 0..150 {
        let mut end = || {
            let low = random.unit();
            [low, if random.unit() < 0.7 { (low + random.unit() * random.unit()).min(1.0) } else { low }]
        };
        let ends: Vec<[[f64; 2]; 2]> = (0..4 + case % 3).map(|_| [end(), end()]).collect();
        let found: Vec<(f64, f64)> = ends.iter().map(|[x, y]| (x[0], y[0])).collect();
        let Some(MapChoice { ambiguous, pearson: Some(found), bounds }) = best_maps(&found, &ends) else {
            continue;
        };
        assert_eq!(ambiguous, ends.iter().filter(|[x, y]| x[0] < x[1] || y[0] < y[1]).count());
        let (low, high) = over_all_choices(&ends);
        assert!(found.low >= low - 1e-9 && found.high <= high + 1e-9, "{found:?} {low} {high}");
        assert!(bounds.low <= low && high <= bounds.high, "{bounds:?} {low} {high}");
        cases += 1;
        low_found += usize::from(found.low < low + 1e-9);
        high_found += usize::from(found.high > high - 1e-9);
    }
    assert!(cases > 140 && low_found + high_found >= 2 * cases - 5, "{low_found} {high_found} {cases}");
}

/// If all entities have the same score the coefficient is undefined, and the search still leaves such a start: recall by the
/// second metric is 0 or 1 for each of four entities.
#[test]
fn the_search_over_best_maps_leaves_a_start_without_a_coefficient() {
    let ends = [0.25, 0.5, 0.75, 1.0].map(|x| [[x, x], [0.0, 1.0]]);
    let found = best_maps(&ends.map(|[x, y]| (x[0], y[0])), &ends).expect("points may move");
    let pearson = found.pearson.expect("most choices have a coefficient");
    // −1.5, −0.5, 0.5 and 1.5 times 0, 0, 1 and 1: 2 / √(5 · 1).
    near(pearson.high, 0.8_f64.sqrt());
    near(pearson.low, -0.8_f64.sqrt());
    assert_eq!(over_all_choices(&ends), (pearson.low, pearson.high));
    // Differences within 10⁻¹² are treated as 0.
    let ties = [0.25, 0.5, 0.75].map(|x| [[x, x], [0.0, 1e-12]]);
    assert_eq!(best_maps(&[(0.25, 0.0), (0.5, 0.5), (0.75, 0.25)], &ties), None);
}

/// Middles of four points whose vectors have an angle θ, and that may be off by the sine of α in x and that of β in y: the angle
/// is between θ − α − β and θ + α + β.
#[test]
fn bounds_over_best_maps_by_their_angles() {
    let directions = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
    for [middle, x_off, y_off] in [
        [60.0, 30.0, 20.0],
        [90.0, 30.0, 20.0],
        [40.0, 30.0, 20.0],
        [150.0, 30.0, 20.0],
        [120.0, 30.0, 20.0],
        [120.0, 30.0, 40.0],
        [10.0, 50.0, 60.0],
        [60.0, 70.0, 65.0],
        [60.0, 10.0, 45.0],
        [120.0, 0.0, 15.0],
        [75.0, 15.0, 0.0],
    ] {
        let angle = f64::to_radians(middle);
        let reach = [x_off, y_off].map(|angle| 0.2 * f64::to_radians(angle).sin());
        // Four points that are off by a fifth of the sine are off by two fifths together, as long as the vectors of middles.
        let ends = directions.map(|[a, b]: [f64; 2]| {
            let middles = [0.5 + 0.2 * a, 0.5 + 0.2 * (a * angle.cos() + b * angle.sin())];
            [0, 1].map(|axis: usize| [middles[axis] - reach[axis], middles[axis] + reach[axis]])
        });
        let found = best_maps(&ends.map(|[x, y]| (x[0], y[0])), &ends).expect("points may move");
        let wanted = [middle + x_off + y_off, middle - x_off - y_off]
            .map(|angle: f64| angle.clamp(0.0, 180.0).to_radians().cos());
        near(found.bounds.low, wanted[0]);
        near(found.bounds.high, wanted[1]);
    }
}

/// Four points around 1/2 in directions at right angles: the first metric has the share `x` of the direction that y follows, and
/// the third `third` of it.
fn williams_of(x: f64, third: f64) -> Option<f64> {
    let directions = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];
    let other = |share: f64| (1.0 - share * share).sqrt();
    let points = directions.map(|[a, b, c]| {
        [x * a + other(x) * b, a, third * a + other(third) * c].map(|value: f64| 0.5 + 0.25 * value)
    });
    let method = CorrelationMethod { interval: CorrelationInterval::Fisher, ..CorrelationMethod::default() };
    over_documents(&points, &method).closeness.expect("three metrics").williams
}

/// Correlations of 0.6 and −0.6, with −0.36 between the metrics: |R| = 0.4096 and t = 1.2 √(3 · 0.64 / (6 · 0.4096)).
/// Correlations of 0 and 0.6, with 0 between them: |R| = 0.64 and t = −0.6 √(3 / (6 · 0.64 + 0.09)). One degree of freedom.
#[test]
fn williams_of_opposite_correlations_and_of_none() {
    let p = |t: f64| 1.0 - 2.0 * t.atan() / std::f64::consts::PI;
    near(williams_of(0.6, -0.6).expect("points enough"), p(1.2 * 0.781_25_f64.sqrt()));
    near(williams_of(0.0, 0.6).expect("points enough"), p(0.6 * (3.0 / 3.93_f64).sqrt()));
    // A metric does not differ from itself.
    let points: Vec<[f64; 3]> =
        [[0.1, 0.3], [0.4, 0.2], [0.7, 0.9], [0.8, 0.6], [0.2, 0.5]].map(|[x, y]| [x, y, x]).to_vec();
    let closeness = over_documents(&points, &CorrelationMethod::default()).closeness.expect("three metrics");
    assert_eq!(closeness.williams, Some(1.0));
}

/// One metric is on a line with y in all documents but one, the other in all. They do not differ in the third of the samples
/// that lack that document, so that the p-value is high in either direction.
#[test]
fn a_difference_of_0_in_many_samples_is_not_significant() {
    let points: Vec<[f64; 3]> = (0..12)
        .map(|place| f64::from(place) / 12.0)
        .map(|y| [if y == 0.5 { 0.9 } else { y }, y, y])
        .collect();
    let turned: Vec<[f64; 3]> = points.iter().map(|&[x, y, third]| [third, y, x]).collect();
    let method =
        CorrelationMethod { interval: CorrelationInterval::Percentile, ..CorrelationMethod::default() };
    let [one, other] = [points, turned].map(|points| {
        over_documents(&points, &method).closeness.expect("three metrics").coefficients[0].expect("defined")
    });
    let (p, turned) = (one.p.expect("a p-value"), other.p.expect("a p-value"));
    assert!((p - turned).abs() < 1e-6 && p > 0.5, "{p} {turned}");
    let (ends, turned) = (one.interval.expect("an interval"), other.interval.expect("an interval"));
    near(ends.low, -turned.high);
    assert_eq!((ends.high, turned.low), (0.0, 0.0));
}

/// No sample is on the other side: the p-value is the least possible with that many samples, 2 / (B + 1).
#[test]
fn the_least_p_value_of_samples() {
    let points: Vec<[f64; 3]> =
        (0..20).map(|place| f64::from(place) / 20.0).map(|y| [y, y, 0.9 - 0.8 * y]).collect();
    for (resamples, wanted) in [(99, 0.02), (199, 0.01)] {
        let method = CorrelationMethod {
            interval: CorrelationInterval::Percentile,
            resamples,
            ..CorrelationMethod::default()
        };
        let closeness = over_documents(&points, &method).closeness.expect("three metrics");
        for by in closeness.coefficients {
            near(by.expect("defined").p.expect("a p-value"), wanted);
        }
    }
}

/// Systems of documents with the weight 1 each, whose recall and precision are equal.
struct Made {
    counts: DocumentCounts,
    scores: Vec<Vec<Vec<DocumentScore>>>,
}

fn made(ids: &[&str], systems: &[Vec<Vec<f64>>]) -> Made {
    let mut counts = DocumentCounts::new(&metrics(ids), &settings()).expect("metrics that add up");
    let tally = |&value: &f64| {
        let first =
            RealCounts { recall_num: value, recall_den: 1.0, precision_num: value, precision_den: 1.0 };
        RealTally { first, ..RealTally::default() }
    };
    let score = |&value: &f64| DocumentScore { score: Score::new(value, value), defined: [true; 3] };
    let mut scores = Vec::new();
    for system in systems {
        let tallies: Vec<Vec<RealTally>> =
            system.iter().map(|document| document.iter().map(tally).collect()).collect();
        counts.add_real(&tallies).expect("as many documents");
        scores.push(system.iter().map(|document| document.iter().map(score).collect()).collect());
    }
    Made { counts, scores }
}

impl Made {
    fn input(&self) -> CorrelationInput<'_> {
        CorrelationInput { counts: &self.counts, scores: &self.scores, entities: &[], bounds: &[] }
    }

    fn found(&self, over: Over, method: &CorrelationMethod) -> Correlation {
        correlate(&self.input(), &[over], method, 1).remove(0)
    }
}

fn random_systems(systems: usize, documents: usize, metrics: usize) -> Vec<Vec<Vec<f64>>> {
    let mut random = Random(23);
    let mut system = || {
        let mut document = || {
            let ease = random.unit();
            (0..metrics).map(|_| 0.5 * ease + 0.5 * random.unit()).collect()
        };
        (0..documents).map(|_| document()).collect()
    };
    (0..systems).map(|_| system()).collect()
}

/// Several kinds of intervals from the same samples equal those of each kind.
#[test]
fn correlation_intervals_by_several_kinds_equal_those_of_each() {
    let made = made(&["muc", "lea"], &random_systems(4, 9, 2));
    let kinds = [
        CorrelationInterval::Percentile,
        CorrelationInterval::Expanded,
        CorrelationInterval::Bca,
        CorrelationInterval::Fisher,
        CorrelationInterval::Student,
        CorrelationInterval::Auto,
    ];
    for over in [Over::Documents, Over::Pooled, Over::Systems] {
        let method = CorrelationMethod { resamples: 150, ..CorrelationMethod::default() };
        let found = correlation_intervals_by(&made.input(), over, &method, &kinds);
        assert_eq!(found.len(), kinds.len());
        for (interval, found) in kinds.into_iter().zip(found) {
            let row = made.found(over, &CorrelationMethod { interval, ..method });
            let wanted = row.parts[2].as_ref().expect("F1").coefficients;
            for (found, wanted) in found.iter().zip(wanted) {
                assert_eq!(*found, wanted.expect("defined").interval, "{over:?} {interval:?}");
            }
            assert!(found[0].is_some(), "{over:?} {interval:?}");
        }
    }
}

/// tanh(artanh(r) ± z s) with s = 1 / √(n − 3) for Pearson, √((1 + ρ² / 2) / (n − 3)) for Spearman and √(0.437 / (n − 4)) for
/// Kendall.
#[test]
fn fishers_intervals_by_their_formulas() {
    let made = made(&["muc", "lea"], &random_systems(1, 12, 2));
    let method = CorrelationMethod { interval: CorrelationInterval::Fisher, ..CorrelationMethod::default() };
    let row = made.found(Over::Documents, &method);
    let coefficients =
        row.parts[0].as_ref().expect("recall").coefficients.map(|found| found.expect("defined"));
    let variances = [|_: f64| 1.0 / 9.0, |rho: f64| (1.0 + rho * rho / 2.0) / 9.0, |_: f64| 0.437 / 8.0];
    for (found, variance) in coefficients.iter().zip(variances) {
        assert!(found.value.abs() > 0.1 && found.value.abs() < 0.9, "{found:?}");
        let reach = 1.959_963_984_540_054 * variance(found.value).sqrt();
        let ends = [-reach, reach].map(|reach| (found.value.atanh() + reach).tanh());
        ends_near(found.interval, ends[0], ends[1]);
        assert_eq!(found.interval, found.fisher);
    }
}

/// Documents are equal, so samples are those of systems, however many documents are drawn. BCa leaves out systems or
/// documents, whichever are fewer; no document makes a difference.
#[test]
fn the_jackknife_leaves_out_the_fewer_of_documents_and_systems() {
    let points = [(0.1, 0.2), (0.2, 0.25), (0.4, 0.5), (0.8, 0.6), (0.5, 0.3), (0.6, 0.4)];
    let interval = |documents: usize, interval: CorrelationInterval| {
        let systems: Vec<_> = points.iter().map(|&(x, y)| vec![vec![x, y]; documents]).collect();
        let method = CorrelationMethod { interval, resamples: 500, ..CorrelationMethod::default() };
        let row = made(&["muc", "lea"], &systems).found(Over::Systems, &method);
        let Interval { low, high } = row.parts[0].as_ref().expect("recall").coefficients[0]
            .expect("defined")
            .interval
            .expect("an interval");
        (low, high)
    };
    let alike = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9;
    let by = |documents: usize| interval(documents, CorrelationInterval::Bca);
    let percentile = |documents: usize| interval(documents, CorrelationInterval::Percentile);
    assert!(alike(percentile(4), percentile(20)));
    // The number of systems is six.
    assert!(alike(by(4), by(5)) && alike(by(4), by(6)));
    assert!(alike(by(7), by(20)) && !alike(by(6), by(7)), "{:?} {:?}", by(6), by(7));
}

/// √(2 / 1) times Student's t of one degree of freedom is 8.9 at 90%: with two documents the expanded interval is that of all
/// samples at any higher level.
#[test]
fn expanded_intervals_of_two_documents_have_all_samples() {
    let made = made(&["muc", "lea"], &random_systems(7, 2, 2));
    let ends = |interval: CorrelationInterval, confidence: f64| {
        let method =
            CorrelationMethod { interval, confidence, resamples: 199, ..CorrelationMethod::default() };
        let row = made.found(Over::Systems, &method);
        row.parts[0].as_ref().expect("recall").coefficients[0]
            .expect("defined")
            .interval
            .expect("an interval")
    };
    let all = ends(CorrelationInterval::Expanded, 0.9);
    assert_eq!(ends(CorrelationInterval::Expanded, 0.99), all);
    let percentile = ends(CorrelationInterval::Percentile, 0.9);
    assert!(all.low < percentile.low && percentile.high < all.high, "{all:?} {percentile:?}");
}

/// Ten documents: √(10 / 9) times 2.2622 leaves 0.00855 outside on each side, as a percentile interval at 98.3% does.
#[test]
fn expanded_intervals_are_percentiles_further_out() {
    let mut random = Random(5);
    let system: Vec<Counts> = (0..10).map(|_| ((9.0 * random.unit()) as u32, 9, 9)).collect();
    let by = |interval: IntervalKind, confidence: f64| {
        let method = Method { interval, confidence, resamples: 999, ..Method::default() };
        compare(&counts(std::slice::from_ref(&system)), 0, &method, 1).expect("documents").estimates[0][0]
            .interval
    };
    let Interval { low, high } =
        by(IntervalKind::Percentile, 1.0 - 2.0 * 0.008_550_639_024).expect("an interval");
    ends_near(by(IntervalKind::Expanded, 0.95), low, high);
}

/// Only F1 of a mean of metrics can be compared.
#[test]
fn a_third_metric_that_is_a_mean_has_only_an_f1() {
    let method = CorrelationMethod { interval: CorrelationInterval::Fisher, ..CorrelationMethod::default() };
    let scores = made(&["muc", "lea", "b_cubed"], &random_systems(1, 9, 3)).scores;
    let with = |third: &[&str]| {
        let ids = [&["muc", "lea"][..], third].concat();
        let mut counts = DocumentCounts::new(&metrics(&ids), &settings()).expect("metrics that add up");
        counts.add_real(&vec![vec![RealTally::default(); 4]; 9]).expect("documents");
        let input = CorrelationInput { counts: &counts, scores: &scores, entities: &[], bounds: &[] };
        let row = correlate(&input, &[Over::Documents], &method, 1).remove(0);
        row.parts.map(|part| part.expect("both metrics have all parts").closeness.is_some())
    };
    assert_eq!(with(&[]), [false; 3]);
    assert_eq!(with(&["b_cubed"]), [true; 3]);
    assert_eq!(with(&["conll"]), [false, false, true]);
}

/// The scores of systems over all documents: the mean of F1 by MUC, B³ and CEAF φ4, and that of LEA.
#[test]
fn points_of_systems_by_a_mean_of_metrics() {
    let systems =
        [[0.3, 0.6, 0.9, 0.5], [0.2, 0.2, 0.5, 0.1], [0.6, 0.9, 0.6, 0.8]].map(|s| vec![s.to_vec(); 3]);
    let ids = ["conll", "lea"];
    // The counted metrics are the parts of the mean, then LEA.
    let row =
        made(&ids, &systems).found(Over::Systems, &CorrelationMethod { resamples: 9, ..Default::default() });
    assert!(row.parts[0].is_none() && row.parts[1].is_none());
    let points = &row.parts[2].as_ref().expect("F1").groups[0];
    for (&(x, y), wanted) in points.iter().zip([(0.6, 0.5), (0.3, 0.1), (0.7, 0.8)]) {
        near(x, wanted.0);
        near(y, wanted.1);
    }
    assert_eq!(points.len(), 3);
}

/// Makes documents of a system with whole counts: those of recall, those of precision, and the mentions of both sides.
fn averaged(settings: &Settings, metric: &str, documents: &[[u64; 6]]) -> DocumentCounts {
    let mut counts = DocumentCounts::new(&metrics(&[metric]), settings).expect("a metric with averages");
    let document = |&[found, key, right, response, key_mentions, response_mentions]: &[u64; 6]| {
        let mut tally = Tally::default();
        tally.first.add_integers((found, key), (right, response));
        let mentions =
            MentionCounts { key: key_mentions, response: response_mentions, ..MentionCounts::default() };
        DocumentTallies { id: String::new(), tallies: vec![tally], mentions }
    };
    counts.add(&documents.iter().map(document).collect::<Vec<_>>()).expect("documents");
    counts
}

fn with_average(average: &str) -> Settings {
    let mut settings = settings();
    settings.set("average", average).expect("an average");
    settings
}

/// The mean of four documents varies by s / √4, and t of three degrees of freedom is 2.353 363 at 90%.
#[test]
fn averages_over_documents_have_the_intervals_of_a_mean() {
    let documents = [[1, 2, 1, 4, 3, 1], [2, 2, 1, 4, 1, 1], [1, 2, 3, 4, 3, 3], [2, 2, 3, 4, 1, 3]];
    let parts = documents.map(|[found, key, right, response, ..]| {
        let (recall, precision) = (found as f64 / key as f64, right as f64 / response as f64);
        [recall, precision, 2.0 * recall * precision / (recall + precision)]
    });
    let method =
        Method { interval: IntervalKind::Student, confidence: 0.9, resamples: 99, ..Method::default() };
    let intervals = |average: &str, method: &Method| {
        let counts = averaged(&with_average(average), "muc", &documents);
        let estimate = compare(&counts, 0, method, 1).expect("documents").estimates[0][0].clone();
        [estimate.ratios[0], estimate.ratios[1], estimate.interval]
    };
    for (part, interval) in intervals("macro", &method).into_iter().enumerate() {
        let values = parts.map(|parts| parts[part]);
        let mean = values.iter().sum::<f64>() / 4.0;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let reach = 2.353_363_434_8 * (squares / 3.0 / 4.0).sqrt();
        ends_near(interval, mean - reach, mean + reach);
    }
    // Weighted by the mentions of the key, of the response, and of both, an interval is around the weighted mean.
    for (part, interval) in intervals("mentions", &method).into_iter().enumerate() {
        let weight = |document: &[u64; 6]| [document[4], document[5], document[4] + document[5]][part] as f64;
        let sum: f64 =
            documents.iter().zip(parts).map(|(document, parts)| weight(document) * parts[part]).sum();
        let interval = interval.expect("an interval");
        near(0.5 * (interval.low + interval.high), sum / documents.iter().map(weight).sum::<f64>());
    }
    // Equal documents have the same mean in every sample, and a score of 0 is defined.
    for average in ["macro", "mentions"] {
        for (document, wanted) in
            [([1, 2, 1, 4, 3, 2], [0.5, 0.25, 1.0 / 3.0]), ([0, 2, 0, 4, 3, 2], [0.0; 3])]
        {
            let counts = averaged(&with_average(average), "muc", &[document; 5]);
            let method = Method { interval: IntervalKind::Percentile, ..method };
            let estimate = compare(&counts, 0, &method, 1).expect("documents").estimates[0][0].clone();
            let found = [estimate.ratios[0], estimate.ratios[1], estimate.interval];
            found.iter().zip(wanted).for_each(|(found, wanted)| ends_near(*found, wanted, wanted));
        }
    }
}

/// With scorch's BLANC, a document without links on either side has the score 1 and is defined; with other rules it is
/// undefined.
#[test]
fn a_score_without_counts_is_defined_only_by_scorch() {
    let mut by_scorch = with_average("mentions");
    by_scorch.set("blanc", "scorch").expect("a rule");
    for (settings, defined) in [(with_average("mentions"), false), (by_scorch, true)] {
        let counts = averaged(&settings, "blanc", &[[0, 0, 0, 0, 2, 1]; 3]);
        assert_eq!(
            (counts.defined(), counts.scores()),
            (&[vec![defined]][..], &[vec![f64::from(defined)]][..])
        );
    }
}

/// The squared coefficient of variation of the documents' weights: shares of 1/8, 1/8, 3/8 and 3/8 have
/// 4 (2/64 + 18/64) − 1 = 1/4, and the standard error 4 / (1 + 1/4) − 1 degrees of freedom.
#[test]
fn unevenness_by_hand() {
    let found = |ids: &[&str], documents: &[Vec<RealTally>]| -> Vec<(f64, f64)> {
        let mut counts = DocumentCounts::new(&metrics(ids), &settings()).expect("metrics that add up");
        counts.add_real(documents).expect("documents");
        counts.add_real(documents).expect("documents");
        let comparison =
            compare(&counts, 0, &Method { resamples: 9, ..Method::default() }, 1).expect("documents");
        let differences = comparison.differences();
        differences.map(|difference| (difference.unevenness, difference.error_freedom)).collect()
    };
    let one = |weight: u32| tally((0, weight, weight));
    let single: Vec<Vec<RealTally>> = [1, 1, 3, 3].map(|weight| vec![one(weight)]).to_vec();
    let (unevenness, freedom) = found(&["muc"], &single)[0];
    near(unevenness, 0.25);
    near(freedom, 2.2);
    // The weights of a mean are the average weights of its parts: even, if these differ in opposite directions.
    let mean: Vec<Vec<RealTally>> =
        [[1, 3, 2], [1, 3, 2], [3, 1, 2], [3, 1, 2]].map(|weights| weights.map(one).to_vec()).to_vec();
    let by_metric = found(&["muc", "b_cubed", "ceaf_e", "conll"], &mean);
    by_metric.iter().zip([0.25, 0.25, 0.0, 0.0]).for_each(|(found, wanted)| near(found.0, wanted));
    // BLANC averages two kinds of links: shares of 5/16, 5/16, 3/16 and 3/16 if one kind is even and the other has three of four.
    let blanc = |weights: [[u32; 2]; 4]| -> Vec<Vec<RealTally>> {
        let document =
            |[own, other]: [u32; 2]| vec![RealTally { first: one(own).first, second: one(other).first }];
        weights.map(document).to_vec()
    };
    near(found(&["blanc"], &blanc([[3, 1], [3, 1], [1, 3], [1, 3]]))[0].0, 0.0);
    near(found(&["blanc"], &blanc([[3, 2], [3, 2], [1, 2], [1, 2]]))[0].0, 1.0 / 16.0);
    // A kind without links has no weight.
    near(found(&["blanc"], &blanc([[3, 0], [3, 0], [1, 0], [1, 0]]))[0].0, 0.25);
}

/// Units of two documents each, of which the first three are a separate stratum, equal five documents with these counts,
/// of which three are in a stratum.
#[test]
fn units_are_drawn_in_the_strata_of_their_documents() {
    let mut random = Random(9);
    let mut system = || -> Vec<Counts> { (0..10).map(|_| ((9.0 * random.unit()) as u32, 9, 9)).collect() };
    let systems = [system(), system()];
    let joined = systems.clone().map(|system| -> Vec<Counts> {
        system.chunks(2).map(|pair| (pair[0].0 + pair[1].0, 18, 18)).collect()
    });
    let method = Method { test: Test::Bootstrap, resamples: 200, ..Method::default() };
    let by = |mut counts: DocumentCounts, apart: usize, units: Option<ResamplingUnits>| {
        counts.draw_apart(apart);
        units.into_iter().for_each(|units| counts.draw_together(units));
        compare(&counts, 0, &method, 1).expect("documents")
    };
    let units = ResamplingUnits::single(5).only([0, 0, 1, 1, 2, 2, 3, 3, 4, 4].into_iter());
    let wanted = by(counts(&joined), 3, None);
    let found = by(counts(&systems), 6, Some(units));
    assert_eq!((&found.estimates, &found.pairs), (&wanted.estimates, &wanted.pairs));
    for apart in [0, 1, 2] {
        assert_ne!(by(counts(&joined), apart, None).estimates, wanted.estimates, "{apart} drawn apart");
    }
}

/// The smallest p-value of four documents is 1/8: neighbours have no tests and no ranks, except for a single system.
#[test]
fn neighbours_that_cannot_differ_have_no_ranks() {
    let method = Method { ranks: RankRule::Neighbours, resamples: 9, ..Method::default() };
    let all = [tenths(&[1, 2, 3, 4]), tenths(&[2, 2, 4, 6]), tenths(&[9, 8, 9, 8])];
    for systems in 1..=3 {
        let comparison = compare(&counts(&all[..systems]), 0, &method, 1).expect("documents");
        let ranks: Vec<_> = comparison.estimates[0].iter().map(|estimate| estimate.rank).collect();
        assert_eq!(ranks, vec![Some(1).filter(|_| systems == 1); systems]);
    }
}

#[test]
fn errors_explain_why_there_is_a_single_document() {
    let message = |scope: Scope| check_documents(1, scope, None).unwrap_err().message().to_owned();
    assert_eq!(message(Scope::Document), "there is only one document, but resampling needs at least two");
    let corpus = message(Scope::Corpus);
    assert!(corpus.contains("merges several into one"), "{corpus}");
}

/// Quadrature over the standard errors of both corpora. With 101 degrees of freedom each, t = 1.983 731 is exceeded in four of
/// five cases by 2.852 236 standard errors; with many, by the quantiles 1.959 964 and 0.841 621 together. Units of very
/// unequal weights leave few of many degrees of freedom.
#[test]
fn detectable_differences_by_quadrature() {
    let method = Method { resamples: 9_999, ..Method::default() };
    let many = 1_000_001;
    for (units, error_freedom, wanted, allowed) in [
        (102, 101.0, 2.852_236_48, 3e-5),
        (many, 1e6, 2.801_585, 1e-5),
        (many, 60.0, 2.846_034, 1e-3),
        (many, 8.0, 3.135_924, 1e-3),
        (many, 3.0, 3.728_712, 3e-3),
        (many, 1.5, 4.868_712, 5e-3),
        (many, 1.0, 6.362_992, 5e-3),
    ] {
        let found = Difference {
            f1: 0.0,
            interval: None,
            p: 1.0,
            p_corrected: 1.0,
            error: 0.01,
            error_of_runs: 0.0,
            freedom: units as f64 - 1.0,
            error_freedom,
            unevenness: 0.0,
            detectable: None,
        };
        let detectable = method.detectable(&found, units, 1).expect("something") / 0.01;
        assert!((detectable - wanted).abs() < allowed, "{units} {error_freedom}: {detectable} and {wanted}");
    }
}

/// Ten documents have a standard error of 0.02, of which 0.01 comes from runs, with infinite degrees of freedom. A difference of
/// 0.05 is 1.959 964 + 0.841 621 standard errors if these are 0.017 847. Their square is 0.000 318 5, less 0.0001 from runs; the
/// 0.0003 of ten documents becomes as little with 13.73. For three comparisons 2.393 980 + 0.841 621 require 21.61.
#[test]
fn plans_for_runs_by_hand() {
    let plan = |difference: f64, error: f64, error_of_runs: f64, comparisons: usize| {
        let found = Difference {
            f1: 0.1,
            interval: None,
            p: 1.0,
            p_corrected: 1.0,
            error,
            error_of_runs,
            freedom: 1e6,
            error_freedom: 1e6,
            unevenness: 0.0,
            detectable: None,
        };
        Method::default().units_for_runs(difference, &found, 10, comparisons)
    };
    assert_eq!([1, 3].map(|comparisons| plan(0.05, 0.02, 0.01, comparisons)), [Some(14), Some(22)]);
    // With any number of documents, 2.8 times 0.01 remains from the runs.
    assert_eq!((plan(0.028, 0.02, 0.01, 1), plan(0.029, 0.02, 0.01, 1).is_some()), (None, true));
    // A single document shows no variation.
    assert_eq!(plan(1.0, 0.02, 0.01, 1), Some(2));
    assert_eq!((plan(0.0, 0.0, 0.0, 1), plan(f64::NAN, 0.02, 0.01, 1)), (None, None));
}

#[test]
fn no_plan_without_a_standard_error() {
    let plan = |difference: f64, error: f64| Method::default().units_for(difference, error, 0.0, 100, 1);
    assert!(plan(0.01, 0.01).is_some());
    assert_eq!([plan(0.01, 0.0), plan(0.01, f64::NAN), plan(0.0, 0.01), plan(f64::NAN, 0.01)], [None; 4]);
    // A rounding error is not a standard error.
    assert_eq!(plan(0.01, 1e-13), None);
}

/// Returns the letters of systems of one metric, in which the pairs accepted by `differ` are those that differ.
fn letters(systems: usize, differ: impl Fn(usize, usize) -> bool) -> Vec<Option<String>> {
    let estimate = |system: usize| Estimate {
        f1: 1.0 - 0.01 * system as f64,
        runs: vec![1.0 - 0.01 * system as f64],
        defined: true,
        interval: None,
        ratios: [None; 2],
        rank: None,
        rank_set: None,
        letters: None,
        difference: None,
    };
    let pairs = (0..systems).flat_map(|first| (first + 1..systems).map(move |second| (first, second)));
    let test = |(first, second): (usize, usize)| {
        let p = if differ(first, second) { 0.0001 } else { 1.0 };
        PairTest { first, second, f1: 0.01 * (second - first) as f64, p, p_corrected: p }
    };
    let mut comparison = Comparison {
        method: Method { correction: Correction::None, ..Method::default() },
        documents: 100,
        units: 100,
        baseline: 0,
        estimates: vec![(0..systems).map(estimate).collect()],
        pairs: vec![pairs.map(test).collect()],
        undefined: vec![0],
        families: vec![FamilySizes::default()],
    };
    correct_together(&mut [&mut comparison]);
    comparison.estimates.remove(0).into_iter().map(|estimate| estimate.letters).collect()
}

/// Three pairs and three groups of five, within which all systems differ, make 2³ · 5³ sets, each with one system of each group.
#[test]
fn a_thousand_sets_have_letters_and_more_have_none() {
    let group = |system: usize| if system < 6 { system / 2 } else { 3 + (system - 6) / 5 };
    let found = letters(21, |first, second| group(first) == group(second));
    assert!(found.iter().all(Option::is_some));
    // Half of all sets contain the first system, and a fifth contain the last.
    let sets = |letters: &Option<String>| {
        let letters = letters.as_deref().unwrap_or_default();
        letters.chars().filter(|letter| letter.is_alphabetic()).count() + letters.matches('[').count()
    };
    assert_eq!((sets(&found[0]), sets(&found[20])), (500, 200));
    assert_eq!(letters(20, |first, second| first / 2 == second / 2), vec![None; 20]);
}

/// The second system is better in every document, so that only the swap of all gives as large a difference.
#[test]
fn swaps_of_any_number_of_documents() {
    for documents in [63, 64, 65, 70, 127, 128, 129] {
        let systems = [vec![(3, 9, 9); documents], vec![(4, 9, 9); documents]];
        let comparison = compare(&counts(&systems), 0, &Method { resamples: 99, ..Method::default() }, 1);
        assert_eq!(comparison.expect("documents").pairs[0][0].p, 0.01, "{documents} documents");
    }
}

/// Three runs of 0.3, 0.5 and 0.7 have the mean 1/2 in every document. Only the variance of the runs remains, 0.04 / 3, with two
/// degrees of freedom. A difference of 0.1 has t = 0.1 / √(0.04 / 3) and p = 1 − t / √(2 + t²).
#[test]
fn documents_that_vary_only_by_chance_leave_the_test_of_runs_alone() {
    let systems = [[2, 4, 2, 4], [5, 5, 5, 5], [8, 6, 8, 6], [4, 4, 4, 4], [5, 5, 5, 5]];
    let mut counts = counts(&systems.map(|system| tenths(&system)));
    counts.group_runs(vec![3, 1, 1]);
    let comparison = compare(&counts, 0, &Method::default(), 1).expect("documents");
    let difference = comparison.estimates[0][1].difference.as_ref().expect("not the baseline");
    near(difference.f1, -0.1);
    near(difference.freedom, 2.0);
    let t = 0.1 / (0.04 / 3.0_f64).sqrt();
    near(difference.p, 1.0 - t / (2.0 + t * t).sqrt());
    // The same score.
    assert_eq!(comparison.estimates[0][2].difference.as_ref().map(|difference| difference.p), Some(1.0));
}

/// Runs that do not vary are compared with a system that is equal in every document, and with one that is better by the
/// same amount in each.
#[test]
fn p_values_of_runs_that_do_not_vary() {
    let p = |documents: [&[Counts]; 3]| -> Vec<f64> {
        let mut counts = counts(&documents.map(<[Counts]>::to_vec));
        counts.group_runs(vec![2, 1]);
        let comparison = compare(&counts, 0, &Method::default(), 1).expect("documents");
        assert_eq!(comparison.tests_used(), [false, true]);
        comparison.differences().map(|difference| difference.p).collect()
    };
    let (five, six) = (tenths(&[5; 4]), tenths(&[6; 4]));
    assert_eq!(p([&five, &five, &five]), [1.0]);
    assert_eq!(p([&five, &five, &six]), [0.0]);
    // The scores depend on a single document, which does not show how documents vary.
    let one = |right: u32| vec![(right, 9, 9), (0, 0, 0), (0, 0, 0)];
    assert_eq!(p([&one(3), &one(4), &one(8)]), [1.0]);
}

/// Tests with fewer than ten significant p-values detect nothing, and neither does a single system.
#[test]
fn tests_that_can_detect_differences() {
    let detects = |systems: usize, documents: usize| {
        let systems: Vec<_> =
            (0..systems).map(|system| vec![(4 + system as u32, 10, 10); documents]).collect();
        let comparison = compare(&counts(&systems), 0, &Method { resamples: 999, ..Method::default() }, 1);
        comparison.expect("documents").can_detect_differences()
    };
    assert_eq!([detects(1, 40), detects(2, 40), detects(2, 6)], [false, true, false]);
}

/// Two metrics tested at once have the same p-values as alone.
#[test]
fn metrics_are_tested_independently() {
    let mut random = Random(15);
    let mut system = || -> Vec<[Counts; 2]> {
        (0..20).map(|_| [(); 2].map(|()| ((9.0 * random.unit()) as u32, 9, 9))).collect()
    };
    let systems = [system(), system(), system()];
    let p = |metrics_of: &[usize], test: Test| -> Vec<Vec<f64>> {
        let ids: Vec<&str> = metrics_of.iter().map(|&metric| ["muc", "b_cubed"][metric]).collect();
        let mut counts = DocumentCounts::new(&metrics(&ids), &settings()).expect("metrics that add up");
        for system in &systems {
            let document =
                |document: &[Counts; 2]| metrics_of.iter().map(|&metric| tally(document[metric])).collect();
            counts.add_real(&system.iter().map(document).collect::<Vec<_>>()).expect("as many documents");
        }
        let comparison = compare(&counts, 0, &Method { test, resamples: 300, ..Method::default() }, 2);
        let pairs = comparison.expect("documents").pairs;
        pairs.iter().map(|pairs| pairs.iter().map(|pair| pair.p).collect()).collect()
    };
    for test in [Test::Randomization, Test::Bootstrap] {
        let both = p(&[0, 1], test);
        assert_eq!(both, [p(&[0], test), p(&[1], test)].concat(), "{test:?}");
        assert_ne!(both[0], both[1]);
    }
}

/// With 202 documents Student's interval of a mean has t of 201 degrees of freedom, 1.971 836 506 780 by SciPy.
#[test]
fn students_intervals_of_many_documents() {
    let right: Vec<u32> = (0..202).map(|place| 3 + place * 7 % 5).collect();
    let method = Method { interval: IntervalKind::Student, resamples: 9, ..Method::default() };
    let comparison = compare(&counts(&[tenths(&right)]), 0, &method, 1).expect("documents");
    let interval = comparison.estimates[0][0].interval.expect("an interval");
    let mean = right.iter().sum::<u32>() as f64 / 2020.0;
    let squares: f64 = right.iter().map(|&right| (f64::from(right) / 10.0 - mean).powi(2)).sum();
    let error = (squares / 201.0 / 202.0).sqrt();
    let t = (interval.high - interval.low) / 2.0 / error;
    assert!((t - 1.971_836_506_779_9).abs() < 2e-9, "{t}");
}

/// Returns whether a warning names these ids as parts of one work, and the unit of each.
fn warned_of(ids: &[(&str, Option<u32>)]) -> (bool, Vec<usize>) {
    let document = |&(name, part): &(&str, Option<u32>)| -> Document {
        let id = part.map_or(DocumentId::new(name), |part| DocumentId::with_part(name, part));
        let document = DocumentBuilder::new(id, "key".into(), 1);
        document.finish(WordsBuilder::new(false).finish()).expect("a document")
    };
    let documents: Vec<Document> = ids.iter().map(document).collect();
    let pairs: Vec<DocumentPair<'_>> =
        documents.iter().map(|key| DocumentPair { key, response: None }).collect();
    let mut diagnostics = Diagnostics::default();
    let units = ResamplingUnits::of(&pairs, ResamplingUnit::Document, &mut diagnostics).expect("units");
    assert_eq!(units.are_single(), units.number() == ids.len());
    let warned = diagnostics.groups().iter().any(|group| group.code == Code::PartsOfOneWork);
    (warned, units.of_documents().to_vec())
}

/// Numbers in a folder belong to chapters if they are a series of up to three digits from 0 or 1. Abbreviations of two
/// letters require a name before them.
#[test]
fn ids_that_look_like_parts_of_one_work() {
    for (ids, wanted) in [
        (["chap_1", "chap_2"], true),
        (["ch_1", "ch_2"], false),
        (["emma_ch_1", "emma_ch_2"], true),
        (["emma/0", "emma/1"], true),
        (["emma/1", "emma/2"], true),
        (["emma/001", "emma/002"], true),
        (["emma/2", "emma/3"], false),
        (["emma/1", "emma/3"], false),
        (["emma/0001", "emma/0002"], false),
    ] {
        assert_eq!(warned_of(&ids.map(|id| (id, None))).0, wanted, "{ids:?}");
    }
}

/// Parts with the same name belong to one document; documents without parts are separate, even with the same name.
#[test]
fn only_parts_make_documents_one_unit() {
    let of = |ids: &[(&str, Option<u32>)]| warned_of(ids).1;
    assert_eq!(of(&[("a", Some(0)), ("b", None), ("a", Some(1))]), [0, 1, 0]);
    assert_eq!(of(&[("a", None), ("b", None), ("a", None)]), [0, 1, 2]);
}

/// A mean of metrics has only an F1, with or without runs.
#[test]
fn means_of_metrics_have_no_intervals_of_recall_and_precision() {
    let mut counts = DocumentCounts::new(&metrics(&["muc", "b_cubed", "ceaf_e", "conll"]), &settings())
        .expect("metrics that add up");
    let mut random = Random(2);
    for _ in 0..3 {
        let documents: Vec<Vec<RealTally>> =
            (0..6).map(|_| [(); 3].map(|()| tally(((9.0 * random.unit()) as u32, 9, 10))).to_vec()).collect();
        counts.add_real(&documents).expect("as many documents");
    }
    counts.group_runs(vec![2, 1]);
    let comparison =
        compare(&counts, 0, &Method { resamples: 99, ..Method::default() }, 1).expect("documents");
    for (metric, estimates) in comparison.estimates.iter().enumerate() {
        for estimate in estimates {
            let has =
                [estimate.interval, estimate.ratios[0], estimate.ratios[1]].map(|found| found.is_some());
            assert_eq!(has, [true, metric < 3, metric < 3], "{estimate:?}");
        }
    }
}

/// The correlation of recall over systems has the same interval for any two metrics with the same recall; the interval of ACE
/// is never below 0.
#[test]
fn samples_of_systems_add_up_the_counts_of_any_metric() {
    let systems = random_systems(6, 5, 2);
    let method = CorrelationMethod {
        interval: CorrelationInterval::Percentile,
        resamples: 200,
        ..CorrelationMethod::default()
    };
    let [ace, muc] = ["ace_value", "muc"].map(|first| {
        let row = made(&[first, "lea"], &systems).found(Over::Systems, &method);
        row.parts[0].as_ref().expect("recall").coefficients
    });
    for (ace, muc) in ace.iter().zip(muc) {
        let interval = muc.expect("defined").interval.expect("an interval");
        ends_near(ace.expect("defined").interval, interval.low, interval.high);
    }
}
