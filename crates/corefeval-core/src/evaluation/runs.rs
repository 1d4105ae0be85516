//! Several runs of one system, for example with different seeds: their inputs and their means.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::metrics::Metric;
use crate::results::{MetricResult, SideSize, SystemReport};
use crate::score::DocumentScore;
use crate::wording::{option, text};
use corefeval_metrics::tally::Score;

use super::request::{NamedInput, check_system_names};

/// A function that lists the responses of a directory with their names.
type Lister<'a> = dyn FnMut(&Path) -> Result<Vec<(String, PathBuf)>> + 'a;

/// The system of each run, both by name. Systems with one run are not included.
#[derive(Clone, Debug, Default)]
pub(super) struct SystemsOfRuns(BTreeMap<String, String>);

impl SystemsOfRuns {
    /// Splits responses such as `name=run1,run2`, adds the runs in directories, typed as `DIR` or `NAME=DIR`, and
    /// gives each run a unique name. `systems_in` lists the responses of a directory.
    pub(super) fn expand(
        responses: &mut Vec<NamedInput>,
        directories: &[String],
        systems_in: &mut Lister<'_>,
    ) -> Result<SystemsOfRuns> {
        let mut systems: Vec<(NamedInput, Vec<String>)> = Vec::new();
        for response in std::mem::take(responses) {
            let paths = listed(&response);
            systems.push((response, paths));
        }
        for typed in directories {
            let named = typed.split_once('=').filter(|_| !Path::new(typed).exists());
            let directory = PathBuf::from(named.map_or(typed.as_str(), |named| named.1));
            let found = systems_in(&directory)?;
            let paths: Vec<String> = found.iter().map(|(_, path)| path.display().to_string()).collect();
            let first = NamedInput::open(&directory.display().to_string())?;
            let name = named.map_or_else(|| first.name.clone(), |named| named.0.to_owned());
            if paths.len() < 2 {
                let message = text!("{} needs several runs, but there is only one", option("runs"));
                return Err(Error::new(ErrorKind::Settings, message)
                    .hint(text!("name it as a response: {}", format!("{name}={}", paths.join("")))));
            }
            systems.push((first.called(name), paths));
        }
        let with_runs = systems.iter().any(|system| !system.1.is_empty());
        if with_runs {
            check_system_names(systems.iter().map(|system| system.0.name.as_str()))?;
        }
        let mut runs = SystemsOfRuns::default();
        for (system, paths) in systems {
            if paths.is_empty() {
                responses.push(system);
                continue;
            }
            // An extra comma does not create runs.
            if let [path] = paths.as_slice() {
                responses.push(NamedInput::open(path)?.called(system.name));
                continue;
            }
            for (number, path) in paths.iter().enumerate() {
                let name = format!("{}, run {}", system.name, number + 1);
                runs.0.insert(name.clone(), system.name.clone());
                responses.push(NamedInput::open(path)?.called(name));
            }
        }
        Ok(runs)
    }

    /// Returns the system of a response, which may be a run.
    pub(super) fn system<'r>(&'r self, response: &'r str) -> &'r str {
        self.0.get(response).map_or(response, String::as_str)
    }

    /// Returns the systems of the given responses, each once, and its number of runs. The runs of a system are
    /// adjacent.
    pub(super) fn systems<'r>(
        &'r self,
        responses: impl Iterator<Item = &'r str>,
    ) -> (Vec<&'r str>, Vec<usize>) {
        let (mut names, mut sizes): (Vec<&str>, Vec<usize>) = (Vec::new(), Vec::new());
        for response in responses {
            let name = self.system(response);
            match sizes.last_mut() {
                Some(size) if self.0.contains_key(response) && names.last() == Some(&name) => *size += 1,
                _ => {
                    names.push(name);
                    sizes.push(1);
                }
            }
        }
        (names, sizes)
    }
}

/// Returns the paths of `name=run1,run2`; empty if the whole text is one path.
fn listed(response: &NamedInput) -> Vec<String> {
    match &response.input {
        Input::Path(path) if response.named && !path.exists() && response.path.contains(',') => {
            let path = path.display().to_string();
            path.split(',').map(str::trim).filter(|path| !path.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the reports of systems as means of the reports of their runs, without counts. `names` are the systems'
/// names.
pub(super) fn means(runs: Vec<SystemReport>, names: &[String], sizes: &[usize]) -> Vec<SystemReport> {
    let mut runs = runs.into_iter();
    let mut merge = |(name, &size): (&String, &usize)| {
        let mut own: Vec<SystemReport> = runs.by_ref().take(size).collect();
        // If the other runs of a system are broken, a single run remains.
        if own.len() == 1 {
            return own.pop().map(|run| SystemReport { name: name.clone(), ..run });
        }
        let first = own.first()?;
        let result = |place: usize| {
            let all = || own.iter().filter_map(|run| run.results.get(place));
            let mean = |part: fn(&Score) -> f64| {
                all().map(|result| part(&result.score)).sum::<f64>() / own.len() as f64
            };
            let score = Score {
                recall: mean(|score| score.recall),
                precision: mean(|score| score.precision),
                f1: mean(|score| score.f1),
            };
            MetricResult {
                partial: !all().all(MetricResult::is_defined),
                averaged: [0, 1].map(|part| all().any(|result| result.parts()[part].is_some())),
                ..MetricResult::new(first.results[place].metric, score)
            }
        };
        let responses: Vec<&str> = own.iter().map(|run| run.response.as_str()).collect();
        Some(SystemReport {
            name: name.clone(),
            key: first.key.clone(),
            response: responses.join(","),
            sizes: mean_sizes(&own),
            results: (0..first.results.len()).map(result).collect(),
            ..SystemReport::default()
        })
    };
    names.iter().zip(sizes).filter_map(&mut merge).collect()
}

/// Returns the mean sizes of both sides over runs. Documents and words are the same for all runs.
fn mean_sizes(runs: &[SystemReport]) -> [SideSize; 2] {
    [0, 1].map(|side| {
        let first = runs.first().map_or_else(SideSize::default, |run| run.sizes[side]);
        let mean = |count: fn(&SideSize) -> u64| {
            let sum: u64 = runs.iter().map(|run| count(&run.sizes[side])).sum();
            (sum as f64 / runs.len().max(1) as f64).round() as u64
        };
        SideSize {
            mentions: mean(|size| size.mentions),
            entities: mean(|size| size.entities),
            singletons: mean(|size| size.singletons),
            unlinked: mean(|size| size.unlinked),
            ..first
        }
    })
}

/// Returns the mean over runs for each system, document and metric. It is defined if it is defined for all runs.
pub(super) fn mean_documents(
    metrics: &[Metric],
    runs: Vec<Vec<Vec<DocumentScore>>>,
    sizes: &[usize],
) -> Vec<Vec<Vec<DocumentScore>>> {
    let mut runs = runs.into_iter();
    let merge = |&size: &usize| {
        let mut own: Vec<_> = runs.by_ref().take(size).collect();
        if own.len() < 2 {
            return own.pop().unwrap_or_default();
        }
        let score = |document: usize, metric: usize| {
            let all: Vec<DocumentScore> = own.iter().map(|run| run[document][metric]).collect();
            let mean = |part: fn(&Score) -> f64| {
                all.iter().map(|one| part(&one.score)).sum::<f64>() / all.len() as f64
            };
            DocumentScore {
                score: Score {
                    recall: mean(|score| score.recall),
                    precision: mean(|score| score.precision),
                    f1: mean(|score| score.f1),
                },
                defined: std::array::from_fn(|part| all.iter().all(|one| one.defined[part])),
            }
        };
        (0..own[0].len())
            .map(|document| (0..metrics.len()).map(|metric| score(document, metric)).collect())
            .collect()
    };
    sizes.iter().map(merge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second system's broken run was left out, so it keeps its own name and one run.
    #[test]
    fn systems_have_their_names_and_the_mean_sizes_of_their_runs() {
        let run = |name: &str, unlinked: u64| SystemReport {
            name: name.to_owned(),
            sizes: [10, 2 * unlinked].map(|mentions| SideSize { mentions, unlinked, ..SideSize::default() }),
            ..SystemReport::default()
        };
        let runs = vec![run("a, run 1", 2), run("a, run 2", 5), run("b, run 2", 7)];
        let found = means(runs, &["a".to_owned(), "b".to_owned()], &[2, 1]);
        let names: Vec<&str> = found.iter().map(|system| system.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let sizes = found.iter().map(|system| system.sizes.map(|size| (size.mentions, size.unlinked)));
        assert_eq!(sizes.collect::<Vec<_>>(), [[(10, 4), (7, 4)], [(10, 7), (14, 7)]]);
    }
}
