//! Times whole runs of `corefeval errors` and `corefeval report`, and of `corefeval score` on the same files.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::bench::{Program, Times, duration, find_command, target_directory, time_in_turns};
use crate::{generate, sizes};

/// The arguments of `bench-errors`.
#[derive(Args)]
pub struct Options {
    /// The input
    #[arg(long, value_name = "NAME", default_value = "ontonotes", value_parser = sizes::values())]
    size: String,
    /// Use real pairs instead: NAME.key and NAME.response in CoNLL format, in subfolders of this folder, repeated
    /// under other names up to the size of the test set of OntoNotes
    #[arg(long, value_name = "FOLDER", conflicts_with = "size")]
    pairs: Option<PathBuf>,
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
    for (name, pair) in inputs(options)? {
        let (key, response) = (pair.key.to_string_lossy(), pair.response.to_string_lossy());
        let program = |name: &str, words: &[&str]| {
            Program::new(name, &[&[command.as_str()], words, &["-q", &key, &response]].concat())
        };
        // The two that are compared take separate turns, so that neither follows a larger process more often.
        let compared = [program("score", &["score"]), program("errors", &["errors"])];
        let [score, errors] = &time_in_turns(&compared, options.runs)?[..] else { continue };
        let others = [
            program("errors -o json", &["errors", "-o", "json"]),
            program("errors -o csv", &["errors", "-o", "csv"]),
            program("report", &["report"]),
            program("report --without-text", &["report", "--without-text"]),
        ];
        let others = time_in_turns(&others, options.runs)?;
        println!("{name}: median of {} rounds\n", options.runs);
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

/// Writes the inputs, and returns each with its name.
fn inputs(options: &Options) -> Result<Vec<(String, generate::FilePair)>, String> {
    let directory = target_directory().join("bench");
    if let Some(pairs) = &options.pairs {
        return Ok(vec![(pairs.display().to_string(), repeated(pairs, &directory)?)]);
    }
    let written = |size: &sizes::Size| {
        Ok((String::from(size.name), generate::write(size, &directory, generate::SEED)?))
    };
    sizes::select(&options.size).into_iter().map(written).collect()
}

/// Repeats the pairs in the folders of `pairs` until key and response have 7.3 MB each, as `ontonotes` does, and writes them as
/// one pair of files. The documents of each repetition have different names.
fn repeated(pairs: &Path, directory: &Path) -> Result<generate::FilePair, String> {
    const BYTES: usize = 7_300_000;
    let failed = |error: std::io::Error| format!("{}: {error}", pairs.display());
    let mut keys: Vec<PathBuf> = Vec::new();
    for folder in fs::read_dir(pairs).map_err(failed)? {
        let files = fs::read_dir(folder.map_err(failed)?.path()).into_iter().flatten().flatten();
        keys.extend(
            files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "key")),
        );
    }
    keys.sort();
    let side = |extension| -> std::io::Result<Vec<String>> {
        keys.iter().map(|key| fs::read_to_string(key.with_extension(extension))).collect()
    };
    let sides: [Vec<String>; 2] = [side("key").map_err(failed)?, side("response").map_err(failed)?];
    if sides[0].is_empty() {
        return Err(format!("{}: no folder with NAME.key", pairs.display()));
    }
    let least = sides.each_ref().map(|texts| texts.iter().map(String::len).sum::<usize>()).into_iter().min();
    let rounds = BYTES.div_ceil(least.unwrap_or(BYTES).max(1));
    let [key, response] = ["key", "response"].map(|side| directory.join(format!("real-{side}.conll")));
    for (texts, path) in sides.iter().zip([&key, &response]) {
        let round = |number| {
            texts
                .iter()
                .map(move |text| text.replace("#begin document (", &format!("#begin document ({number}-")))
        };
        fs::write(path, (0..rounds).flat_map(round).collect::<String>()).map_err(failed)?;
    }
    Ok(generate::FilePair { key, response })
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
