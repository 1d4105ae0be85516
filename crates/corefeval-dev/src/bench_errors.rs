//! Times whole runs of `corefeval errors` and `corefeval report`, and of `corefeval score` on the same files.

use std::path::PathBuf;

use clap::Args;

use crate::bench::{Program, Times, duration, find_command, target_directory, time_in_turns};
use crate::{generate, sizes};

/// The arguments of `bench-errors`.
#[derive(Args)]
pub struct Options {
    /// The input
    #[arg(long, value_name = "NAME", default_value = "ontonotes", value_parser = sizes::values())]
    size: String,
    /// The number of rounds to time
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The command to time [default: corefeval as built by `cargo build --release`]
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
}

/// The time limits of an analysis, as a multiple of `score`, and of a page, in seconds.
const LIMITS: (f64, f64) = (2.0, 1.0);

/// Runs the benchmark and prints a table for each input.
pub fn run(options: &Options) -> Result<(), String> {
    let command = find_command(options.command.as_ref())?;
    for size in sizes::select(&options.size) {
        let pair = generate::write(size, &target_directory().join("bench"), generate::SEED)?;
        let (key, response) = (pair.key.to_string_lossy(), pair.response.to_string_lossy());
        let program = |name: &str, words: &[&str]| {
            Program::new(name, &[&[command.as_str()], words, &["-q", &key, &response]].concat())
        };
        // The two that are compared have turns of their own, so that neither follows a larger process more often.
        let compared = [program("score", &["score"]), program("errors", &["errors"])];
        let [score, errors] = &time_in_turns(&compared, options.runs)?[..] else { continue };
        let others = [
            program("errors -o json", &["errors", "-o", "json"]),
            program("errors -o csv", &["errors", "-o", "csv"]),
            program("report", &["report"]),
            program("report --without-text", &["report", "--without-text"]),
        ];
        let others = time_in_turns(&others, options.runs)?;
        println!("{}: median of {} rounds\n", size.name, options.runs);
        println!("| command | time | of `score` | limit | verdict |\n|---|---:|---:|---:|---|");
        println!("| `score` | {} | | | |", duration(score.median()));
        println!("{}", row(errors, errors.ratio_to(score)));
        for times in &others {
            println!("{}", row(times, times.median() / score.median()));
        }
        println!();
    }
    Ok(())
}

/// A row of the table, with the limits of `errors` and of `report`.
fn row(times: &Times, ratio: f64) -> String {
    let (limit, above) = match times.name.as_str() {
        "errors" => (format!("{:.1} × score", LIMITS.0), Some(ratio > LIMITS.0)),
        "report" => (format!("{:.1} s", LIMITS.1), Some(times.median() > LIMITS.1)),
        _ => (String::new(), None),
    };
    let verdict = above.map_or("", |above| if above { "ABOVE: time" } else { "within" });
    format!("| `{}` | {} | {ratio:.2} | {limit} | {verdict} |", times.name, duration(times.median()))
}
