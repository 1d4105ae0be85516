//! Repeats the papers' measurements on licensed data with open text and simulated systems.
//!
//! The text is shipped (`examples/voyages`), or chosen by the user. A simulated system scores every pair of mentions
//! with the truth plus noise, and links each mention to the best-scoring earlier mention, unless a new entity scores
//! better: see [`systems`]. Its responses pass through the same stages as all others.

mod report;
mod systems;
mod text;

use corefeval_core::error::Result;
use corefeval_core::evaluation::{Compare, ConeCorrelate, Evaluation, Inputs, NamedInput, Request};
use corefeval_core::input::Limits;
use corefeval_core::metrics::Metric;
use corefeval_core::profiles::Profile;
use corefeval_core::reports::comparison::ComparisonReport;
use corefeval_core::reports::cone_correlation::ConeCorrelationReport;
use corefeval_core::results::Report;
use corefeval_core::significance::Method;

use systems::SimulatedSystem;
use text::SimulationText;

/// The size of the simulation.
#[derive(Clone, Debug)]
pub struct Simulate {
    /// The text; by default the shipped one.
    pub text: Option<NamedInput>,
    /// The limits for reading the text.
    pub limits: Limits,
    /// The number of systems over which each step of a sweep is averaged.
    pub systems: u64,
    /// The number of resamples in the comparison of systems.
    pub resamples: u32,
}

impl Default for Simulate {
    fn default() -> Simulate {
        Simulate {
            text: None,
            limits: Limits::default(),
            systems: 20,
            resamples: Method::default().resamples,
        }
    }
}

/// The results of the simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The text.
    pub text: String,
    /// The numbers of documents, mentions and entities in the text.
    pub sizes: [usize; 3],
    /// Luo's tables 3 and 4.
    pub sweeps: Vec<Sweep>,
    /// Tables 3 and 4 of Lin et al., figure 1, and the controls.
    pub cone: ConeCorrelationReport,
    /// Tables 1 and 4 of Moosavi and Strube: a system and its transformations.
    pub probe: Report,
    /// Table 5 of Moosavi and Strube: fourteen systems.
    pub ranking: ComparisonReport,
}

/// The scores of a system by each metric as the penalty for a new entity increases.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The table of the paper that it corresponds to.
    pub place: &'static str,
    /// The name of the file.
    pub id: &'static str,
    /// The metrics.
    pub metrics: Vec<Metric>,
    /// The number of entities in the key.
    pub key_entities: usize,
    /// The steps.
    pub steps: Vec<SweepStep>,
}

/// One step of a sweep.
#[derive(Clone, Debug)]
pub struct SweepStep {
    /// The penalty.
    pub penalty: f64,
    /// The mean number of entities.
    pub entities: f64,
    /// The mean of each metric: F1, or the value of ACE-value.
    pub scores: Vec<f64>,
}

impl Sweep {
    /// Returns the step at which a metric is greatest. In a tie, the step whose number of entities is closest to
    /// the key's.
    pub fn optimum(&self, metric: usize) -> Option<&SweepStep> {
        let distance = |step: &SweepStep| (step.entities - self.key_entities as f64).abs();
        let better = |one: &&SweepStep, other: &&SweepStep| {
            one.scores[metric]
                .total_cmp(&other.scores[metric])
                .then(distance(other).total_cmp(&distance(one)))
        };
        self.steps.iter().max_by(better)
    }
}

/// The penalties, in fifths.
const PENALTIES: std::ops::RangeInclusive<i32> = -10..=12;

/// Runs the simulation.
///
/// # Errors
///
/// The text cannot be read, does not contain its words, or has no mentions.
pub fn simulate(asked: &Simulate) -> Result<Simulation> {
    let text = match &asked.text {
        Some(input) => SimulationText::open(input, &asked.limits)?,
        None => SimulationText::shipped()?,
    };
    let sweeps = vec![
        sweep(
            &text.without_singletons()?,
            ("Luo 2005, table 3: a key without singletons", "luo-table-3"),
            "muc,b_cubed,ceaf_m,ceaf_e,lea",
            asked.systems,
        )?,
        sweep(
            &text,
            ("Luo 2005, table 4: entities as in ACE", "luo-table-4"),
            "ace_value,muc,b_cubed,ceaf_m,ceaf_e,lea",
            asked.systems,
        )?,
    ];
    let evaluation = |systems: &[(String, SimulatedSystem)]| -> Result<Evaluation> {
        let responses = systems.iter().map(|(name, system)| text.input(name, system.respond(&text)?));
        let responses = responses.collect::<Result<Vec<NamedInput>>>()?;
        let request = Request::new(Inputs::OneKey { key: text.key(), responses });
        Evaluation::new(request.profile(Profile::for_format("conll"))?)
    };
    let cone = evaluation(&systems::of_cone())?;
    let cone = Evaluation::new(cone.request().clone().choose("named", "rules")?)?;
    let probe = evaluation(&[("base".to_owned(), SimulatedSystem::base())])?;
    let mut compare = Compare::default();
    compare.method.resamples = asked.resamples;
    let ranking = evaluation(&systems::fourteen())?.request().clone();
    let ranking = Evaluation::new(ranking.metrics("muc,b_cubed,ceaf_e,lea,conll")?)?;
    Ok(Simulation {
        sizes: text.sizes(),
        text: text.name.clone(),
        sweeps,
        cone: cone.cone_correlations(&ConeCorrelate::default())?,
        probe: probe.probe()?,
        ranking: ranking.compare(&compare)?,
    })
}

/// Varies the penalty for a new entity. Every step is the mean of several systems, which differ in their noise.
fn sweep(
    text: &SimulationText,
    (place, id): (&'static str, &'static str),
    metrics: &str,
    systems: u64,
) -> Result<Sweep> {
    let request = |responses| Request::new(Inputs::OneKey { key: text.key(), responses }).metrics(metrics);
    let metrics = metrics.split(',').map(Metric::parse).collect::<Result<Vec<Metric>>>()?;
    let profile = if metrics.iter().any(Metric::needs_corpus) { "ace-2005" } else { "conll" };
    let mut steps = Vec::new();
    for fifths in PENALTIES {
        let penalty = f64::from(fifths) / 5.0;
        let (mut entities, mut sums) = (0, vec![0.0; metrics.len()]);
        let mut responses = Vec::new();
        for seed in 0..systems {
            let documents = SimulatedSystem { penalty, ..SimulatedSystem::finds_all(seed) }.respond(text)?;
            entities += documents.iter().map(|document| document.entities().len()).sum::<usize>();
            responses.push(text.input(&seed.to_string(), documents)?);
        }
        let request = request(responses)?.profile(Profile::named(profile)?)?;
        for system in Evaluation::new(request)?.score()?.systems {
            for (sum, result) in sums.iter_mut().zip(&system.results) {
                *sum += match &result.values {
                    Some(values) => values.total.row().value,
                    None => result.score.f1,
                };
            }
        }
        let mean = |sum: f64| sum / systems.max(1) as f64;
        steps.push(SweepStep {
            penalty,
            entities: mean(entities as f64),
            scores: sums.into_iter().map(mean).collect(),
        });
    }
    Ok(Sweep { place, id, metrics, key_entities: text.sizes()[2], steps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefeval_report::{Printable, Style};

    fn small() -> Simulation {
        simulate(&Simulate { systems: 2, resamples: 50, ..Simulate::default() }).expect("the text is shipped")
    }

    #[test]
    fn a_system_without_noise_finds_the_key_at_penalty_0() {
        let text = SimulationText::shipped().expect("the text is shipped");
        let perfect = SimulatedSystem { noise: [0.0; 3], ..SimulatedSystem::finds_all(1) };
        let responses = perfect.respond(&text).expect("documents");
        let responses = vec![text.input("perfect", responses).expect("an input")];
        let request = Request::new(Inputs::OneKey { key: text.key(), responses });
        let request = request.profile(Profile::named("ace-2005").expect("a profile")).expect("no other");
        let request = request.metrics("ace_value,ceaf_e").expect("metrics");
        let report = Evaluation::new(request).and_then(|evaluation| evaluation.score()).expect("scores");
        let report = &report.systems[0];
        assert_eq!(report.results[0].values.as_ref().expect("values").total.row().value, 1.0);
        assert_eq!(report.results[1].score.f1, 1.0);
    }

    #[test]
    fn a_larger_penalty_makes_fewer_entities_and_hardly_changes_muc() {
        let found = small();
        for sweep in &found.sweeps {
            assert!(sweep.steps.is_sorted_by(|one, next| one.entities >= next.entities), "{}", sweep.place);
            // Luo's point: with far too few entities, MUC decreases little and CEAF much.
            let kept = |id: &str| {
                let place = sweep.metrics.iter().position(|metric| metric.to_string() == id).expect(id);
                let last = sweep.steps.last().expect("steps");
                last.scores[place] / sweep.optimum(place).expect("steps").scores[place]
            };
            assert!(kept("muc") > 0.9 && kept("ceaf_e") < 0.4, "{}", sweep.place);
            if sweep.id == "luo-table-4" {
                assert!(kept("ace_value") < 0.4);
            }
        }
    }

    #[test]
    fn the_same_seeds_give_the_same_bytes_and_every_number_is_in_csv() {
        let (one, other) = (small(), small());
        assert_eq!(one.csv(), other.csv());
        let text = one.csv();
        for wanted in ["luo-table-3", "CEAF", "CONE~", "sys-sing", "system-14"] {
            assert!(text.contains(wanted), "{wanted}");
        }
        assert!(!one.blocks(&Style::default()).is_empty());
        assert!(one.figures().len() > 8);
    }
}
