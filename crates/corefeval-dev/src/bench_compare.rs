//! Times whole runs of `corefeval compare`: as many systems and documents as CoNLL-2012 had, all pairwise tests.
//!
//! What scoring takes of it is shown beside it: the same files by `corefeval score`.

use std::path::PathBuf;

use clap::Args;

use crate::bench::{Program, duration, find_command, target_directory, time_in_turns};
use crate::{generate, sizes};

/// What was typed after `bench-compare`.
#[derive(Args)]
pub struct Options {
    /// How many rounds are timed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The command to time [default: corefeval as built by `cargo build --release`]
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
}

/// As many as took part in CoNLL-2012.
const SYSTEMS: u64 = 14;

/// Seven, and their mean.
const METRICS: &str = "mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,conll";

/// More seconds than this are too many.
const LIMIT: f64 = 2.0;

/// Runs the benchmark and prints the table.
pub fn run(options: &Options) -> Result<(), String> {
    let command = find_command(options.command.as_ref())?;
    let size = sizes::select("ontonotes").into_iter().next().ok_or("there is no input `ontonotes`")?;
    let inputs = target_directory().join("bench");
    let paths = generate::write_systems(size, &inputs, generate::SEED, SYSTEMS)?;
    let paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let program = |name: &str, words: &[&str]| {
        let all = [&[command.as_str()], words, &["-q", "-m", METRICS]].concat();
        Program::new(name, &all.into_iter().chain(paths.iter().map(String::as_str)).collect::<Vec<_>>())
    };
    let programs = [
        program("score", &["score"]),
        program("compare", &["compare"]),
        program("compare, one thread", &["compare", "--threads", "1"]),
        program("compare --test bootstrap", &["compare", "--test", "bootstrap"]),
        program("compare --resamples 1", &["compare", "--resamples", "1"]),
    ];
    println!("{SYSTEMS} systems, {} documents, 10,000 resamples of each kind\n", size.shape.documents);
    println!("| command | median | limit | verdict |\n|---|---:|---:|---|");
    for times in time_in_turns(&programs, options.runs)? {
        let judged = times.name == "compare";
        let verdict = match (judged, times.median() > LIMIT) {
            (false, _) => "",
            (true, false) => "within",
            (true, true) => "ABOVE: time",
        };
        let limit = if judged { format!("{LIMIT:.1} s") } else { String::new() };
        println!("| {} | {} | {limit} | {verdict} |", times.name, duration(times.median()));
    }
    Ok(())
}
