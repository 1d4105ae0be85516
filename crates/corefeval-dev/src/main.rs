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
    /// Time `corefeval score` on large inputs against a floor, and look at its peak memory
    Bench(bench::Options),
    /// Make the tables of recovered mentions in answers with a different text (docs/answers.md)
    Answers(answers::Options),
    /// Time the alignment of long texts that differ here and there
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
