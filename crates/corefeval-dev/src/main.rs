//! Chores of the project, for developers.

mod answers;
mod bench;
mod bench_align;
mod bench_ceaf;
mod bench_compare;
mod bench_errors;
mod coverage;
mod generate;
mod machine;
mod random;
mod sizes;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the project.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Time `corefeval score` on large inputs against a floor, and measure its peak memory
    Bench(bench::Options),
    /// Make the tables of recovered mentions in answers with a different text (docs/answers.md)
    Answers(answers::Options),
    /// Time the alignment of long texts with scattered differences
    BenchAlign(bench_align::Options),
    /// Time CEAF on large random components
    BenchCeaf(bench_ceaf::Options),
    /// Time `corefeval compare` on fourteen systems
    BenchCompare(bench_compare::Options),
    /// Time `corefeval errors` and `corefeval report` next to `corefeval score`
    BenchErrors(bench_errors::Options),
    /// Simulate how often intervals contain the truth and tests find real differences: the tables of docs/statistics.md
    Coverage(coverage::Options),
    /// Write the inputs of the benchmark
    Generate {
        /// The input
        #[arg(long, value_name = "NAME", default_value = "all", value_parser = sizes::values())]
        size: String,
        /// The directory to write to
        #[arg(long)]
        dir: PathBuf,
        /// The seed of the pseudo-random numbers
        #[arg(long, value_name = "N", default_value_t = generate::SEED)]
        seed: u64,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Bench(options) => bench::run(&options),
        Chore::Answers(options) => answers::run(&options),
        Chore::BenchAlign(options) => bench_align::run(&options),
        Chore::BenchCeaf(options) => bench_ceaf::run(&options),
        Chore::BenchCompare(options) => bench_compare::run(&options),
        Chore::Coverage(options) => coverage::run(&options),
        Chore::BenchErrors(options) => bench_errors::run(&options),
        Chore::Generate { size, dir, seed } => sizes::select(&size).into_iter().try_for_each(|size| {
            let pair = generate::write(size, &dir, seed)?;
            println!("{}\n{}", pair.key.display(), pair.response.display());
            Ok(())
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err::<_, String>(message) => {
            eprintln!("corefeval-dev: {message}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::error::ErrorKind;

    use super::*;

    /// Splits a command into words; single quotes keep words together.
    fn words(typed: &str) -> Vec<String> {
        let (mut words, mut quoted) = (Vec::new(), false);
        for part in typed.split('\'') {
            match quoted {
                true => words.push(part.to_owned()),
                false => words.extend(part.split_whitespace().map(str::to_owned)),
            }
            quoted = !quoted;
        }
        words
    }

    /// Returns the arguments of every call of this program on a page. In a block, a call ends at its description; in
    /// the text, at the end of the code.
    fn calls(page: &str) -> Vec<Vec<String>> {
        let mut calls = Vec::new();
        for (at, name) in page.match_indices("corefeval-dev ") {
            let (before, rest) = (&page[..at], &page[at + name.len()..]);
            let line = before.rfind('\n').map_or(before, |end| &before[end..]);
            let within = line.matches('`').count() % 2 == 1;
            let end = rest.find(if within { "`" } else { "\n" }).unwrap_or(rest.len());
            let typed = rest[..end].split("   ").next().unwrap_or_default();
            calls.push(words(typed.strip_prefix("-- ").unwrap_or(typed)));
        }
        calls
    }

    /// Returns the rows of a table of options, as arguments of `bench`.
    fn options(page: &str) -> Vec<Vec<String>> {
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `--")?.split('`').next());
        rows.map(|row| words(&format!("bench --{row}"))).collect()
    }

    #[test]
    fn calls_in_the_documentation_parse() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        let others = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "bench/README.md"];
        let mut found: Vec<_> = options(&read(&root.join("bench/README.md")));
        assert!(found.len() >= 7, "{found:?}");
        found.extend(pages.chain(others.map(|page| root.join(page))).flat_map(|page| calls(&read(&page))));
        assert!(found.len() >= 25, "{found:?}");
        for call in found {
            let parsed = Arguments::try_parse_from(["corefeval-dev".to_owned()].iter().chain(&call));
            let error = parsed.err().map(|error| error.kind());
            // The name of a chore needs no arguments.
            let is_name = call.len() == 1 && error == Some(ErrorKind::MissingRequiredArgument);
            assert!(error.is_none() || is_name, "{call:?}: {error:?}");
        }
    }
}
