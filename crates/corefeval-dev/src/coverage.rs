//! Simulates the statistics of `corefeval compare`: the coverage of intervals, and the size and power of tests,
//! including systems with several runs. Power is simulated at the detectable difference and at a planned one. Also simulates
//! the coverage of the intervals of `corefeval correlate`, over documents and over systems.
//!
//! Documents are drawn thousands of times from two populations with known F1, and pass through the same code as a
//! user's. Each rate has its Monte Carlo error: √(p (1 − p) / cases).

use clap::{Args, ValueEnum};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{DocumentBuilder, DocumentId, WordsBuilder};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::Profile;
use corefeval_core::score::DocumentScore;
use corefeval_core::settings::Settings;
use corefeval_core::significance::{
    COEFFICIENTS, Comparison, CorrelationInput, CorrelationInterval, CorrelationMethod, Difference,
    DocumentCounts, Interval, IntervalKind, Method, Over, ResamplingUnit, ResamplingUnits, Test, compare,
    correlation_intervals_by, intervals_by, kendall, pearson, spearman,
};
use corefeval_core::tally::{RealCounts, RealTally, Score};
use corefeval_core::threads::side_by_side;

use crate::random::Random;

/// The arguments of `coverage`.
#[derive(Args, Clone)]
pub struct Options {
    /// The number of corpora to simulate for each number
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(100..))]
    cases: u64,
    /// The number of resamples of each corpus
    #[arg(long, value_name = "N", default_value_t = 999, value_parser = clap::value_parser!(u32).range(99..))]
    resamples: u32,
    /// The numbers of documents, joined by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [10, 20, 50, 150, 350])]
    documents: Vec<usize>,
    /// The tables, joined by commas
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_values_t = SimulatedTable::ALL)]
    tables: Vec<SimulatedTable>,
    /// The seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = 2016)]
    seed: u64,
    /// The number of threads
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
}

/// The simulated design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SimulatedTable {
    /// Coverage of the intervals of scores and differences
    Coverage,
    /// Size of the tests
    Size,
    /// Size of the test if documents have five parts, drawn by parts and by documents
    Units,
    /// Coverage of the sets of ranks
    Ranks,
    /// Power at the detectable difference
    Power,
    /// Power at the detectable difference where few p-values can be significant
    Few,
    /// Power with the planned number of documents
    Plan,
    /// Size and coverage where each system has several runs
    Runs,
    /// Power with the planned number of documents where each system has several runs
    RunsPlan,
    /// Coverage of the intervals of correlations
    Correlation,
    /// Coverage of the intervals of correlations over systems
    Systems,
}

impl SimulatedTable {
    const ALL: [SimulatedTable; 11] = [
        SimulatedTable::Coverage,
        SimulatedTable::Size,
        SimulatedTable::Units,
        SimulatedTable::Ranks,
        SimulatedTable::Power,
        SimulatedTable::Few,
        SimulatedTable::Plan,
        SimulatedTable::Runs,
        SimulatedTable::RunsPlan,
        SimulatedTable::Correlation,
        SimulatedTable::Systems,
    ];
}

/// The standard deviation of the skill of the runs of one system.
const RUN_DEVIATION: f64 = 0.01;

/// The difference in F1 for which documents are planned.
const PLANNED: f64 = 0.03;

/// The planned difference for systems with several runs, whose scores vary from run to run.
const PLANNED_OF_RUNS: f64 = 0.06;

/// The difference in F1 between neighbouring systems of a ranking.
const RANK_STEP: f64 = 0.02;

/// The largest number of corpora from which the median detectable difference is estimated. With this many its error is a
/// hundredth; an error of a tenth would change the power by half a point.
const MOST_OF_USUAL: u64 = 1_000;

/// The largest number of documents that is tried when planning for systems with several runs.
const MOST_PLANNED: u64 = 2_000;

/// Kinds of intervals, in the order of the tables.
const KINDS: [(IntervalKind, &str); 5] = [
    (IntervalKind::Expanded, "expanded"),
    (IntervalKind::Student, "student"),
    (IntervalKind::Bca, "bca"),
    (IntervalKind::Percentile, "percentile"),
    (IntervalKind::Basic, "basic"),
];

/// Kinds of intervals of correlations, in the order of the tables.
const CORRELATION_KINDS: [CorrelationInterval; 5] = [
    CorrelationInterval::Student,
    CorrelationInterval::Expanded,
    CorrelationInterval::Bca,
    CorrelationInterval::Percentile,
    CorrelationInterval::Fisher,
];

/// Kinds of intervals of correlations over systems, in the order of the tables.
const SYSTEM_KINDS: [CorrelationInterval; 4] = [
    CorrelationInterval::Expanded,
    CorrelationInterval::Bca,
    CorrelationInterval::Percentile,
    CorrelationInterval::Fisher,
];

/// The standard deviation of both skills of systems, to find mentions and to link them.
const SYSTEM_DEVIATION: f64 = 0.05;

/// The number of systems whose documents are pooled.
const POOLED: usize = 3;

/// The share of the mentions that a system of ordinary skill finds.
const SKILL: f64 = 0.6;

/// The share of the mentions found that such a system links.
const LINKED: f64 = 0.5;

/// The number of mentions that a system invents, as a share of those in the document.
const INVENTED: f64 = 0.25;

/// The properties of the documents of a corpus.
#[derive(Clone, Copy, Debug)]
enum Population {
    /// Documents of 5 to 34 mentions, easy or hard regardless of their length, as in newswire.
    Even,
    /// Documents with a median of 20 mentions, log-normal with σ = 1; longer ones are harder, as in mixed genres.
    Skewed,
}

impl Population {
    const ALL: [Population; 2] = [Population::Even, Population::Skewed];

    fn name(self) -> &'static str {
        match self {
            Population::Even => "even",
            Population::Skewed => "skewed",
        }
    }

    /// Returns the number of mentions of a document and the bonus to the skill of every system.
    fn document(self, random: &mut Random) -> (u32, f64) {
        match self {
            Population::Even => (5 + random.below(30) as u32, 0.6 * random.unit() - 0.3),
            Population::Skewed => {
                let size = (20.0 * normal(random).exp()).round().clamp(2.0, 600.0);
                (size as u32, 0.3 * (random.unit() - 0.5) - 0.06 * (size / 20.0).ln())
            }
        }
    }

    /// Returns the F1 of a system on unlimited text, from the expectations of a million documents.
    fn truth(self, skill: f64) -> f64 {
        let mut random = Random::new(77);
        let (mut right, mut key) = (0.0, 0.0);
        for _ in 0..1_000_000 {
            let (size, ease) = self.document(&mut random);
            right += f64::from(size) * (skill + ease).clamp(0.0, 1.0);
            key += f64::from(size);
        }
        2.0 * right / (key + right + INVENTED * key)
    }

    /// Returns the F1 of skills from 0.1 to 1.1.
    fn truths(self) -> Vec<(f64, f64)> {
        (4..=44).map(|step| 0.025 * f64::from(step)).map(|skill| (skill, self.truth(skill))).collect()
    }

    /// Returns the skill whose F1 is `goal`, by interpolation.
    fn skill_of(truths: &[(f64, f64)], goal: f64) -> f64 {
        let above = truths.partition_point(|(_, f1)| *f1 < goal).clamp(1, truths.len() - 1);
        let ((skill, f1), (next_skill, next_f1)) = (truths[above - 1], truths[above]);
        let share = (goal - f1) / (next_f1 - f1).max(1e-9);
        skill + share.clamp(0.0, 1.0) * (next_skill - skill)
    }

    /// Returns two skills whose F1 differ by `difference`, the lower first, equally far from the F1 of [`SKILL`].
    fn skills_that_differ(truths: &[(f64, f64)], truth: f64, difference: f64) -> [f64; 2] {
        [-0.5, 0.5].map(|half| Population::skill_of(truths, truth + half * difference))
    }

    /// Draws a corpus: the counts of each system in each document.
    fn corpus(self, documents: usize, skills: &[f64], random: &mut Random) -> Result<DocumentCounts, String> {
        let mut systems = vec![Vec::new(); skills.len()];
        for _ in 0..documents {
            let (key, ease) = self.document(random);
            for (system, skill) in systems.iter_mut().zip(skills) {
                system.push(vec![tally(key, skill + ease, random)]);
            }
        }
        counted(&["muc"], &systems)
    }

    /// Draws the F1 of two metrics in each document for equally good systems: the F1 of the mentions found, and of
    /// those also linked. Both are higher in easy documents.
    fn scores(self, documents: usize, systems: usize, random: &mut Random) -> Vec<Vec<[f64; 2]>> {
        let mut found = vec![Vec::new(); systems];
        for _ in 0..documents {
            let (key, ease) = self.document(random);
            for system in &mut found {
                let mut binomial = |number: u32, share: f64| {
                    (0..number).map(|_| u32::from(random.unit() < share)).sum::<u32>()
                };
                let right = binomial(key, SKILL + ease);
                let (invented, linked) = (binomial(key, INVENTED), binomial(right, LINKED + ease));
                let f1 = |right: u32| f64::from(2 * right);
                let all = f64::from(key + right + invented);
                system.push([f1(right) / all, f1(linked) / all]);
            }
        }
        found
    }
}

/// Returns the counts of the documents of several systems.
fn counted(metrics: &[&str], systems: &[Vec<Vec<RealTally>>]) -> Result<DocumentCounts, String> {
    let wrong = |error: corefeval_core::Error| error.to_string();
    let metrics = metrics.iter().map(|id| Metric::parse(id)).collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let profile = Profile::named("conll").map_err(wrong)?;
    let mut counts = DocumentCounts::new(&metrics, &Settings::of(profile)).map_err(wrong)?;
    systems.iter().try_for_each(|system| counts.add_real(system)).map_err(wrong)?;
    Ok(counts)
}

/// Draws a number from the standard normal distribution (Box and Muller 1958).
fn normal(random: &mut Random) -> f64 {
    let (angle, away) = (std::f64::consts::TAU * random.unit(), 1.0 - random.unit());
    (-2.0 * away.ln()).sqrt() * angle.cos()
}

/// Runs the simulations and prints the tables.
pub fn run(options: &Options) -> Result<(), String> {
    println!("{} corpora each, {} resamples, seed {}\n", options.cases, options.resamples, options.seed);
    for table in SimulatedTable::ALL.into_iter().filter(|table| options.tables.contains(table)) {
        let text = match table {
            SimulatedTable::Coverage => coverage(options),
            SimulatedTable::Size => size(options),
            SimulatedTable::Units => units(options),
            SimulatedTable::Ranks => ranks(options),
            SimulatedTable::Power => power(options),
            SimulatedTable::Few => power_of_few(options),
            SimulatedTable::Plan => plan(options),
            SimulatedTable::Runs => runs(options),
            SimulatedTable::RunsPlan => plan_of_runs(options),
            SimulatedTable::Correlation => correlation(options),
            SimulatedTable::Systems => over_systems(options),
        };
        println!("{}", text?);
    }
    Ok(())
}

/// Formats a rate with its Monte Carlo error: `94.2 ± 0.4`.
fn rate(count: u64, cases: u64) -> String {
    let rate = count as f64 / cases as f64;
    format!("{:.1} ± {:.1}", 100.0 * rate, 100.0 * (rate * (1.0 - rate) / cases as f64).sqrt())
}

impl Options {
    /// Returns the results of all cases; every case has separate random numbers.
    fn simulate<T: Send>(
        &self,
        purpose: u64,
        case: impl Fn(&mut Random, u64) -> Result<T, String> + Sync,
    ) -> Result<Vec<T>, String> {
        let work = |number: usize| {
            let seed =
                self.seed.wrapping_mul(0x9e37_79b9).wrapping_add(purpose << 40).wrapping_add(number as u64);
            case(&mut Random::new(seed), seed)
        };
        side_by_side(self.threads, self.cases as usize, work).into_iter().collect()
    }

    /// Counts, for each condition, the cases that meet it.
    fn count<const N: usize>(
        &self,
        purpose: u64,
        case: impl Fn(&mut Random, u64) -> Result<[bool; N], String> + Sync,
    ) -> Result<[u64; N], String> {
        let mut sums = [0; N];
        for found in self.simulate(purpose, case)? {
            sums.iter_mut().zip(found).for_each(|(sum, yes)| *sum += u64::from(yes));
        }
        Ok(sums)
    }

    fn method(&self, seed: u64) -> Method {
        Method { resamples: self.resamples, seed, ..Method::default() }
    }

    /// Estimates how often systems differ significantly if their true difference is the detectable one of another
    /// corpus, whose systems differ by about as much. Corpora in which no difference is detectable are left out; their
    /// share is in parentheses. `difference` draws a corpus with a number of systems in addition to the baseline.
    fn found_at_detectable(
        &self,
        (purpose, fewest): (u64, Option<u32>),
        (documents, comparisons, test): (usize, usize, Test),
        difference: impl Fn(f64, usize, &Method, &mut Random) -> Result<Difference, String> + Sync,
    ) -> Result<String, String> {
        let method = |seed: u64| Method { test, ..self.method(seed) };
        // Only p-values and standard errors of corpora are used. They do not depend on the confidence or the kind of
        // interval, so both are chosen to save time.
        let (interval, confidence) = (IntervalKind::Percentile, 1.0 - 1e-9);
        let own = |seed: u64| Method { interval, confidence, ..method(seed) };
        // Standard errors and exact p-values need no resamples.
        let quick = |seed: u64| Method { resamples: 1, ..own(seed) };
        let detectable = |usual: f64, random: &mut Random, seed: u64| -> Result<Option<f64>, String> {
            // The detectable difference does not depend on the other systems of the corpus.
            let found = difference(usual, 1, &quick(seed), random)?;
            let method = method(seed);
            Ok(match fewest {
                Some(fewest) => method.detectable_from(fewest, &found, documents, comparisons),
                None => method.detectable(&found, documents, comparisons),
            })
        };
        let some = Options { cases: self.cases.min(MOST_OF_USUAL), ..self.clone() };
        let mut usual = 0.06;
        for round in 0..2 {
            let mut found = some.simulate(13 + round, |random, seed| detectable(usual, random, seed))?;
            found.sort_unstable_by(|a, b| a.unwrap_or(1.0).total_cmp(&b.unwrap_or(1.0)));
            usual = found[found.len() / 2].unwrap_or(usual);
        }
        let cases = self.simulate(purpose, |random, seed| -> Result<Option<bool>, String> {
            let Some(detectable) = detectable(usual, random, seed)? else { return Ok(None) };
            let own = if method(seed).is_exact(documents) { quick(seed) } else { own(seed) };
            Ok(Some(difference(detectable, comparisons, &own, random)?.p_corrected <= 0.05))
        })?;
        let some: Vec<bool> = cases.iter().flatten().copied().collect();
        let undefined = 100.0 * (cases.len() - some.len()) as f64 / cases.len() as f64;
        Ok(match some.iter().filter(|found| **found).count() {
            _ if some.is_empty() => "–".to_owned(),
            found if undefined == 0.0 => rate(found as u64, self.cases),
            found => format!("{} ({undefined:.1})", rate(found as u64, some.len() as u64)),
        })
    }

    fn head(&self, first: &str) -> String {
        let columns: String = self.documents.iter().map(|documents| format!(" {documents} |")).collect();
        format!("| {first} |{columns}\n|---|{}\n", "---:|".repeat(self.documents.len()))
    }

    fn compared(&self, counts: &DocumentCounts, method: &Method) -> Result<Comparison, String> {
        compare(counts, 0, method, 1).map_err(|error| error.to_string())
    }
}

/// Estimates how often intervals at 95% contain the true F1, and the true difference of two systems.
fn coverage(options: &Options) -> Result<String, String> {
    let mut columns = Vec::new();
    for population in Population::ALL {
        let skills = [SKILL, SKILL + 0.05];
        let truth = skills.map(|skill| population.truth(skill));
        for &documents in &options.documents {
            let holds = |interval: Option<Interval>, value: f64| {
                interval.is_some_and(|interval| (interval.low..=interval.high).contains(&value))
            };
            columns.push(options.count(1, |random, seed| -> Result<[bool; 10], String> {
                let counts = population.corpus(documents, &skills, random)?;
                let found = intervals_by(&counts, &options.method(seed), &KINDS.map(|kind| kind.0));
                Ok(std::array::from_fn(|place| {
                    let (score, difference) = found[place / 2][1];
                    match place % 2 {
                        0 => holds(score, truth[1]),
                        _ => holds(difference, truth[1] - truth[0]),
                    }
                }))
            })?);
        }
    }
    let mut text = String::new();
    for (number, what) in ["the score", "the difference"].into_iter().enumerate() {
        text += &format!("Coverage of {what} at 95%, by the number of documents:\n\n");
        text += &options.head("population, interval");
        for (place, population) in Population::ALL.into_iter().enumerate() {
            let own = &columns[place * options.documents.len()..][..options.documents.len()];
            for (kind, (_, name)) in KINDS.iter().enumerate() {
                text += &format!("| {}, `{name}` |", population.name());
                own.iter().for_each(|counts| {
                    text += &format!(" {} |", rate(counts[2 * kind + number], options.cases));
                });
                text.push('\n');
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// Estimates how often tests at 5% find a difference of two systems of equal skill.
fn size(options: &Options) -> Result<String, String> {
    let mut text = "Size of the tests at 5%, by the number of documents:\n\n".to_owned();
    text += &options.head("population, test");
    let tests = [(Test::Randomization, "randomization"), (Test::Bootstrap, "bootstrap")];
    for population in Population::ALL {
        let mut rows = tests.map(|(_, name)| format!("| {}, `{name}` |", population.name()));
        for &documents in &options.documents {
            let found = options.count(2, |random, seed| -> Result<[bool; 2], String> {
                let counts = population.corpus(documents, &[SKILL, SKILL], random)?;
                let mut rejected = [false; 2];
                for (rejected, (test, _)) in rejected.iter_mut().zip(tests) {
                    let comparison = options.compared(&counts, &Method { test, ..options.method(seed) })?;
                    *rejected = comparison.pairs[0].iter().any(|pair| pair.p <= 0.05);
                }
                Ok(rejected)
            })?;
            rows.iter_mut()
                .zip(found)
                .for_each(|(row, count)| *row += &format!(" {} |", rate(count, options.cases)));
        }
        rows.iter().for_each(|row| text += &format!("{row}\n"));
    }
    Ok(text)
}

/// Estimates how often the test at 5% finds a difference between two equally good systems on documents of five parts.
/// Each part has 20 to 39 mentions, and a system's skill is the same in all parts of a document (0.4 to 0.8, at
/// random).
fn units(options: &Options) -> Result<String, String> {
    const PARTS: usize = 5;
    let mut text =
        "Size of the test at 5% on documents of five parts, by the number of documents:\n\n".to_owned();
    text += &options.head("unit");
    let wrong = |error: corefeval_core::Error| error.to_string();
    let drawn = [(ResamplingUnit::Part, "part"), (ResamplingUnit::Document, "document")];
    let mut rows = drawn.map(|(_, name)| format!("| `{name}` |"));
    for &documents in &options.documents {
        let part = |place: usize| {
            let id = DocumentId::with_part((place / PARTS).to_string(), (place % PARTS) as u32);
            DocumentBuilder::new(id, "key".into(), 1).finish(WordsBuilder::new(false).finish())
        };
        let keys = (0..PARTS * documents).map(part).collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let pairs: Vec<DocumentPair<'_>> =
            keys.iter().map(|key| DocumentPair { key, response: None }).collect();
        let units = drawn.map(|(unit, _)| ResamplingUnits::of(&pairs, unit, &mut Diagnostics::default()));
        let [of_parts, of_documents] = units.map(|units| units.map_err(wrong));
        let units = [of_parts?, of_documents?];
        let found = options.count(7, |random, seed| -> Result<[bool; 2], String> {
            let mut systems = [Vec::new(), Vec::new()];
            for _ in 0..documents {
                let skills = [0.0; 2].map(|_: f64| SKILL + 0.4 * (random.unit() - 0.5));
                for _ in 0..PARTS {
                    let key = 20 + random.below(20) as u32;
                    for (system, skill) in systems.iter_mut().zip(skills) {
                        system.push(vec![tally(key, skill, random)]);
                    }
                }
            }
            let mut counts = counted(&["muc"], &systems)?;
            let mut rejected = [false; 2];
            for ((rejected, (unit, _)), units) in rejected.iter_mut().zip(drawn).zip(&units) {
                counts.draw_together(units.clone());
                let comparison = options.compared(&counts, &Method { unit, ..options.method(seed) })?;
                *rejected = comparison.pairs[0].iter().any(|pair| pair.p <= 0.05);
            }
            Ok(rejected)
        })?;
        rows.iter_mut()
            .zip(found)
            .for_each(|(row, count)| *row += &format!(" {} |", rate(count, options.cases)));
    }
    rows.iter().for_each(|row| text += &format!("{row}\n"));
    Ok(text)
}

/// Estimates how often the sets of ranks of all systems contain their true ranks. For equally good systems every rank
/// is true.
fn ranks(options: &Options) -> Result<String, String> {
    let mut text =
        "Coverage of the sets of ranks of all systems together, by the number of documents:\n\n".to_owned();
    text += &options.head("population, systems, true scores");
    for population in Population::ALL {
        let (truths, truth) = (population.truths(), population.truth(SKILL));
        for systems in [2_u32, 5] {
            for (step, name) in [(0.0, "equal"), (RANK_STEP, "apart")] {
                // The first system is the worst.
                let goals = (0..systems).map(|place| truth + step * f64::from(place));
                let skills: Vec<f64> = goals.map(|goal| Population::skill_of(&truths, goal)).collect();
                text += &format!("| {}, {systems}, {name} |", population.name());
                for &documents in &options.documents {
                    let cases = options.simulate(14, |random, seed| -> Result<Option<bool>, String> {
                        let counts = population.corpus(documents, &skills, random)?;
                        let found = options.compared(&counts, &options.method(seed))?;
                        let sets = found.estimates[0].iter().map(|estimate| estimate.rank_set);
                        let sets: Option<Vec<(u32, u32)>> = sets.collect();
                        Ok(sets.map(|sets| {
                            (0..systems).rev().zip(sets).all(|(above, (low, high))| match step == 0.0 {
                                true => (low, high) == (1, systems),
                                false => (low..=high).contains(&(1 + above)),
                            })
                        }))
                    })?;
                    let some: Vec<bool> = cases.into_iter().flatten().collect();
                    let holds = some.iter().filter(|holds| **holds).count() as u64;
                    text += &match some.is_empty() {
                        true => " – |".to_owned(),
                        false => format!(" {} |", rate(holds, some.len() as u64)),
                    };
                }
                text.push('\n');
            }
        }
    }
    Ok(text)
}

/// Draws the counts of a document in which a system finds a share of the mentions and invents others.
fn tally(key: u32, share: f64, random: &mut Random) -> RealTally {
    let mut binomial =
        |share: f64| f64::from((0..key).map(|_| u32::from(random.unit() < share)).sum::<u32>());
    let right = binomial(share);
    let first = RealCounts {
        recall_num: right,
        recall_den: key.into(),
        precision_num: right,
        precision_den: right + binomial(INVENTED),
    };
    RealTally { first, ..RealTally::default() }
}

/// Estimates how often a difference is found that is as large as another corpus's detectable difference, alone and
/// among five comparisons, with both tests.
fn power(options: &Options) -> Result<String, String> {
    let mut text =
        "Power at the detectable difference of another corpus, by the number of documents:\n\n".to_owned();
    text += &options.head("population, comparisons, test");
    let tests = [(Test::Randomization, "randomization"), (Test::Bootstrap, "bootstrap")];
    for population in Population::ALL {
        let differing = Differing::new(population);
        for (test, name) in tests {
            for comparisons in [1, 5] {
                text += &format!("| {}, {comparisons}, `{name}` |", population.name());
                for &documents in &options.documents {
                    let found = differing.found(options, (3, None), (documents, comparisons, test))?;
                    text += &format!(" {found} |");
                }
                text.push('\n');
            }
        }
    }
    Ok(text)
}

/// Estimates the same power if too few p-values can be significant for `compare` to report a detectable difference, or
/// barely enough.
fn power_of_few(options: &Options) -> Result<String, String> {
    let mut text = "Power at the detectable difference of another corpus, by its rule, where few p-values can be significant:\n\n\
        | documents, comparisons, significant p-values |"
        .to_owned();
    Population::ALL.iter().for_each(|population| text += &format!(" {} |", population.name()));
    text += "\n|---|---:|---:|\n";
    let all = Population::ALL.map(Differing::new);
    for (documents, comparisons) in [(7, 1), (10, 5), (8, 1), (10, 3), (10, 2), (9, 1)] {
        // Swaps of opposite directions count once.
        let significant = 2_f64.powi(documents as i32 - 1) * 0.05 / comparisons as f64;
        text +=
            &format!("| {documents}, {comparisons}, {significant:.0} |", significant = significant.floor());
        for differing in &all {
            let design = (documents, comparisons, Test::Randomization);
            text += &format!(" {} |", differing.found(options, (15, Some(1)), design)?);
        }
        text.push('\n');
    }
    Ok(text)
}

/// A design in which one system differs from the baseline.
struct Differing {
    population: Population,
    truths: Vec<(f64, f64)>,
    truth: f64,
}

impl Differing {
    fn new(population: Population) -> Differing {
        Differing { population, truths: population.truths(), truth: population.truth(SKILL) }
    }

    fn found(
        &self,
        options: &Options,
        purpose: (u64, Option<u32>),
        (documents, comparisons, test): (usize, usize, Test),
    ) -> Result<String, String> {
        let design = (documents, comparisons, test);
        options.found_at_detectable(purpose, design, |apart, others, method, random| {
            let [base, skill] = Population::skills_that_differ(&self.truths, self.truth, apart);
            let skills = [&[base, skill][..], &vec![base; others - 1]].concat();
            let counts = self.population.corpus(documents, &skills, random)?;
            let mut comparison = options.compared(&counts, method)?;
            let found = comparison.estimates[0][1].difference.take();
            found.ok_or("the baseline has no difference".to_owned())
        })
    }
}

/// Estimates how often a true difference is found with as many documents as planned on another corpus.
fn plan(options: &Options) -> Result<String, String> {
    let points = 100.0 * PLANNED;
    let mut text = format!(
        "Power at a difference of {points} percentage points with the number of documents that --plan {points} \
         gives (in parentheses: its median), by the number of documents that it is planned from:\n\n"
    );
    text += &options.head("population");
    for population in Population::ALL {
        let skills = [SKILL, Population::skill_of(&population.truths(), population.truth(SKILL) + PLANNED)];
        text += &format!("| {} |", population.name());
        for &documents in &options.documents {
            let difference = |documents: usize, random: &mut Random, seed: u64| {
                let counts = population.corpus(documents, &skills, random)?;
                let mut comparison = options.compared(&counts, &options.method(seed))?;
                let found = comparison.estimates[0][1].difference.take();
                found.ok_or("the baseline has no difference".to_owned())
            };
            let mut cases = options.simulate(4, |random, seed| -> Result<(u64, bool), String> {
                let found = difference(documents, random, seed)?;
                let method = options.method(seed);
                let units = method.units_for(PLANNED, found.error, found.unevenness, documents, 1);
                let units = units.ok_or("no number of documents suffices".to_owned())?;
                Ok((units, difference(units as usize, random, seed)?.p_corrected <= 0.05))
            })?;
            cases.sort_unstable();
            let found = cases.iter().filter(|(_, found)| *found).count() as u64;
            text += &format!(" {} ({}) |", rate(found, options.cases), cases[cases.len() / 2].0);
        }
        text.push('\n');
    }
    Ok(text)
}

/// Two systems with several runs each.
struct Design {
    population: Population,
    runs: usize,
    /// The standard deviation between documents of a bonus to the skill of each system.
    own: f64,
    /// The standard deviation of skill between the runs of each system.
    deviations: [f64; 2],
    /// The suffix of the row's name.
    name: &'static str,
}

impl Design {
    fn all() -> Vec<Design> {
        let usual = |population, runs| Design {
            population,
            runs,
            own: 0.0,
            deviations: [RUN_DEVIATION; 2],
            name: "",
        };
        let populations = Population::ALL.into_iter();
        let mut all: Vec<Design> =
            populations.flat_map(|population| [2, 3, 5].map(|runs| usual(population, runs))).collect();
        let even = || usual(Population::Even, 3);
        all.push(Design { own: 0.1, name: ", own documents", ..even() });
        all.push(Design { deviations: [RUN_DEVIATION, 3.0 * RUN_DEVIATION], name: ", unlike", ..even() });
        all
    }

    /// Simulates two systems with these expected skills; returns the interval of the second and their difference.
    fn compared(
        &self,
        options: &Options,
        documents: usize,
        skills: [f64; 2],
        (random, seed): (&mut Random, u64),
    ) -> Result<(Option<Interval>, Difference), String> {
        let mut of_runs = Vec::new();
        for (skill, deviation) in skills.into_iter().zip(self.deviations) {
            of_runs.push((0..self.runs).map(|_| skill + deviation * normal(random)).collect::<Vec<_>>());
        }
        let mut systems = vec![Vec::new(); 2 * self.runs];
        for _ in 0..documents {
            let (key, ease) = self.population.document(random);
            for (place, skills) in of_runs.iter().enumerate() {
                let own = if self.own > 0.0 { self.own * normal(random) } else { 0.0 };
                let systems = systems.iter_mut().skip(place * self.runs);
                for (system, skill) in systems.zip(skills) {
                    system.push(vec![tally(key, skill + ease + own, random)]);
                }
            }
        }
        let mut counts = counted(&["muc"], &systems)?;
        counts.group_runs(vec![self.runs; 2]);
        let mut found = options.compared(&counts, &options.method(seed))?;
        let estimate = found.estimates[0].pop().ok_or("no second system".to_owned())?;
        Ok((estimate.interval, estimate.difference.ok_or("no difference".to_owned())?))
    }

    fn row(&self) -> String {
        format!("| {}, {}{} |", self.population.name(), self.runs, self.name)
    }
}

/// Estimates how often two equally good systems with several runs differ significantly, and how often intervals contain
/// the expected score and difference.
fn runs(options: &Options) -> Result<String, String> {
    let mut tables = [
        "Size of the test of two systems with several runs each at 5%, by the number of documents:\n\n",
        "Coverage of the difference of two systems with several runs each at 95%, by the number of documents:\n\n",
        "Coverage of the mean score of runs at 95%, by the number of documents:\n\n",
    ]
    .map(|title| title.to_owned() + &options.head("population, runs of each system"));
    for design in Design::all() {
        let truth = design.population.truth(SKILL);
        // If systems vary between documents, their expected score is not known from the skill.
        let known = if design.own > 0.0 { 2 } else { 3 };
        let tables = &mut tables[..known];
        tables.iter_mut().for_each(|table| *table += &design.row());
        for &documents in &options.documents {
            let found = options.count(5, |random, seed| -> Result<[bool; 3], String> {
                let (interval, difference) =
                    design.compared(options, documents, [SKILL; 2], (random, seed))?;
                let holds = |interval: Option<Interval>, value: f64| {
                    interval.is_some_and(|interval| (interval.low..=interval.high).contains(&value))
                };
                Ok([difference.p <= 0.05, holds(difference.interval, 0.0), holds(interval, truth)])
            })?;
            for (table, count) in tables.iter_mut().zip(found) {
                *table += &format!(" {} |", rate(count, options.cases));
            }
        }
        tables.iter_mut().for_each(|table| table.push('\n'));
    }
    Ok(tables.join("\n"))
}

/// Estimates how often a true difference between two systems with several runs is found with as many documents as a
/// plan from another corpus requires.
fn plan_of_runs(options: &Options) -> Result<String, String> {
    let points = 100.0 * PLANNED_OF_RUNS;
    let mut text = format!(
        "Power of the test of two systems with several runs each at a difference of {points} percentage points with the \
         number of documents that --plan {points} gives (in parentheses: its median, and the share of corpora without a plan of at most {MOST_PLANNED}), by \
         the number of documents that it is planned from:\n\n"
    );
    text += &options.head("population, runs of each system");
    for design in Design::all() {
        let (truths, truth) = (design.population.truths(), design.population.truth(SKILL));
        let skills = Population::skills_that_differ(&truths, truth, PLANNED_OF_RUNS);
        text += &design.row();
        for &documents in &options.documents {
            let mut cases = options.simulate(11, |random, seed| -> Result<Option<(u64, bool)>, String> {
                let found = design.compared(options, documents, skills, (random, seed))?.1;
                let method = options.method(seed);
                let units = method.units_for_runs(PLANNED_OF_RUNS, &found, documents, 1);
                let Some(units) = units.filter(|units| *units <= MOST_PLANNED) else { return Ok(None) };
                let planned = design.compared(options, units as usize, skills, (random, seed))?.1;
                Ok(Some((units, planned.p_corrected <= 0.05)))
            })?;
            let all = cases.len();
            cases.retain(Option::is_some);
            cases.sort_unstable();
            let some: Vec<(u64, bool)> = cases.into_iter().flatten().collect();
            let found = some.iter().filter(|(_, found)| *found).count() as u64;
            let median = some.get(some.len() / 2).map_or(0, |(units, _)| *units);
            let without = 100.0 * (all - some.len()) as f64 / all as f64;
            text += &match some.is_empty() {
                true => " – |".to_owned(),
                false => format!(" {} ({median}, {without:.1}) |", rate(found, some.len() as u64)),
            };
        }
        text.push('\n');
    }
    Ok(text)
}

/// Estimates how often intervals at 95% contain the true correlation of two metrics, over the documents of one system
/// and over those of three.
fn correlation(options: &Options) -> Result<String, String> {
    let over = [(Over::Documents, 1), (Over::Pooled, POOLED)];
    let mut tables = COEFFICIENTS.map(|name| {
        format!("Coverage of {name}'s coefficient at 95%, by the number of documents:\n\n")
            + &options.head("population, points, interval")
    });
    for population in Population::ALL {
        for (over, systems) in over {
            let many = population.scores(200_000, systems, &mut Random::new(78)).concat();
            let many: Vec<(f64, f64)> = many.iter().map(|&[x, y]| (x, y)).collect();
            let truth = [pearson(&many), spearman(&many), kendall(&many)];
            let mut columns = Vec::new();
            for &documents in &options.documents {
                columns.push(options.count(6, |random, seed| -> Result<[bool; 15], String> {
                    let points = population.scores(documents, systems, random);
                    let score = |f1: f64| DocumentScore { score: Score::new(f1, f1), defined: [true; 3] };
                    let scores: Vec<Vec<Vec<DocumentScore>>> = points
                        .iter()
                        .map(|of| of.iter().map(|pair| pair.map(score).to_vec()).collect())
                        .collect();
                    let nothing = vec![vec![vec![RealTally::default(); 2]; documents]; systems];
                    let input = CorrelationInput {
                        counts: &counted(&["mentions", "muc"], &nothing)?,
                        scores: &scores,
                        entities: &[],
                        bounds: &[],
                    };
                    let method = CorrelationMethod {
                        resamples: options.resamples,
                        seed,
                        ..CorrelationMethod::default()
                    };
                    let found = correlation_intervals_by(&input, over, &method, &CORRELATION_KINDS);
                    let holds = |kind: usize, coefficient: usize| {
                        let (interval, truth) = found[kind][coefficient].zip(truth[coefficient])?;
                        Some((interval.low..=interval.high).contains(&truth))
                    };
                    Ok(std::array::from_fn(|place| holds(place / 3, place % 3).unwrap_or(false)))
                })?);
            }
            for (coefficient, table) in tables.iter_mut().enumerate() {
                for (kind, interval) in CORRELATION_KINDS.iter().enumerate() {
                    *table += &format!("| {}, {}, `{}` |", population.name(), over.name(), interval.name());
                    columns.iter().for_each(|counts| {
                        *table += &format!(" {} |", rate(counts[3 * kind + coefficient], options.cases));
                    });
                    table.push('\n');
                }
            }
        }
    }
    Ok(tables.join("\n"))
}

/// Estimates how often intervals at 95% contain the correlation of two metrics over all systems of a kind on unlimited
/// text.
fn over_systems(options: &Options) -> Result<String, String> {
    let mut tables = COEFFICIENTS.map(|name| {
        format!("Coverage of {name}'s coefficient over systems at 95%, by the number of documents:\n\n")
            + &options.head("population, systems, interval")
    });
    let skills = |random: &mut Random| [SKILL, LINKED].map(|mean| mean + SYSTEM_DEVIATION * normal(random));
    for population in Population::ALL {
        // The F1 of 20,000 systems in both metrics, as expected on the same 2,000 documents.
        let mut random = Random::new(79);
        let documents: Vec<_> = (0..2000).map(|_| population.document(&mut random)).collect();
        let expected = |[skill, linked]: [f64; 2]| {
            let (mut key, mut right, mut in_links) = (0.0, 0.0, 0.0);
            for (size, ease) in &documents {
                let found = f64::from(*size) * (skill + ease).clamp(0.0, 1.0);
                key += f64::from(*size);
                right += found;
                in_links += found * (linked + ease).clamp(0.0, 1.0);
            }
            let all = key + right + INVENTED * key;
            (2.0 * right / all, 2.0 * in_links / all)
        };
        let many: Vec<(f64, f64)> = (0..20_000).map(|_| expected(skills(&mut random))).collect();
        let truth = [pearson(&many), spearman(&many), kendall(&many)];
        for systems in [8, 14, 30] {
            let mut columns = Vec::new();
            for &documents in &options.documents {
                columns.push(options.count(12, |random, seed| -> Result<[bool; 12], String> {
                    let all: Vec<[f64; 2]> = (0..systems).map(|_| skills(random)).collect();
                    let mut tallies = vec![Vec::new(); systems];
                    for _ in 0..documents {
                        let (key, ease) = population.document(random);
                        for (tallies, [skill, linked]) in tallies.iter_mut().zip(&all) {
                            let found = tally(key, skill + ease, random);
                            let right = found.first.recall_num as u32;
                            let in_links: u32 =
                                (0..right).map(|_| u32::from(random.unit() < linked + ease)).sum();
                            let mut linked = found;
                            linked.first.recall_num = in_links.into();
                            linked.first.precision_num = in_links.into();
                            tallies.push(vec![found, linked]);
                        }
                    }
                    let input = CorrelationInput {
                        counts: &counted(&["mentions", "muc"], &tallies)?,
                        scores: &vec![Vec::new(); systems],
                        entities: &[],
                        bounds: &[],
                    };
                    let method = CorrelationMethod {
                        resamples: options.resamples,
                        seed,
                        ..CorrelationMethod::default()
                    };
                    let found = correlation_intervals_by(&input, Over::Systems, &method, &SYSTEM_KINDS);
                    let holds = |kind: usize, coefficient: usize| {
                        let (interval, truth) = found[kind][coefficient].zip(truth[coefficient])?;
                        Some((interval.low..=interval.high).contains(&truth))
                    };
                    Ok(std::array::from_fn(|place| holds(place / 3, place % 3).unwrap_or(false)))
                })?);
            }
            for (coefficient, table) in tables.iter_mut().enumerate() {
                for (kind, interval) in SYSTEM_KINDS.iter().enumerate() {
                    *table += &format!("| {}, {systems}, `{}` |", population.name(), interval.name());
                    columns.iter().for_each(|counts| {
                        *table += &format!(" {} |", rate(counts[3 * kind + coefficient], options.cases));
                    });
                    table.push('\n');
                }
            }
        }
    }
    Ok(tables.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_is_that_of_many_documents() {
        for population in Population::ALL {
            let counts = population.corpus(40_000, &[SKILL], &mut Random::new(5)).unwrap();
            let (found, truth) = (counts.scores()[0][0], population.truth(SKILL));
            assert!((found - truth).abs() < 0.005, "{population:?}: {found} and {truth}");
            assert!((Population::skill_of(&population.truths(), truth) - SKILL).abs() < 1e-4);
        }
    }

    #[test]
    fn a_small_run_has_all_tables() {
        let tables = SimulatedTable::ALL.to_vec();
        let options =
            Options { cases: 100, resamples: 199, documents: vec![20], tables, seed: 1, threads: 1 };
        let tables = [
            coverage, size, units, ranks, power, power_of_few, plan, runs, plan_of_runs, correlation,
            over_systems,
        ]
        .map(|table| table(&options).unwrap())
        .concat();
        let rows = [
            "| even, `expanded` |",
            "| skewed, `bca` |",
            "| even, `bootstrap` |",
            "| `document` |",
            "| skewed, 5, apart |",
            "| skewed, 5 |",
            "| even, 3 |",
            "| skewed, pooled, `student` |",
            "| even, 14, `bca` |",
        ];
        for row in rows {
            assert!(tables.contains(row), "{row} is not in\n{tables}");
        }
        // Too few resamples to detect anything in five comparisons.
        assert_eq!(tables.matches(" ± ").count(), 20 + 4 + 2 + 8 + 4 + 12 + 2 + 31 + 60 + 72);
        assert_eq!(rate(9_500, 10_000), "95.0 ± 0.2");
    }
}
