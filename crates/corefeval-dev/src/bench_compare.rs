//! Times whole runs of `corefeval compare` with as many systems and documents as CoNLL-2012, and all pairwise tests.
//!
//! For comparison, it also times `corefeval score` on the same files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Args;

use crate::bench::{Program, duration, find_command, target_directory, time_in_turns};
use crate::generate;
use crate::sizes::{self, InputShape, Layout, Size};

/// The arguments of `bench-compare`.
#[derive(Args)]
pub struct Options {
    /// The number of rounds to time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The command to time [default: corefeval as built by `cargo build --release`]
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
}

/// The number of participants of CoNLL-2012.
const SYSTEMS: u64 = 14;

/// Seven metrics, and the mean of three.
const METRICS: &str = "mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,conll";

/// The limits in seconds, for `ontonotes` and for [`MANY`].
const LIMITS: [f64; 2] = [1.0, 5.0];

/// Many short documents.
const MANY: Size = Size {
    name: "many",
    summary: "10,000 documents of 20 mentions in 5 entities",
    shape: InputShape {
        layout: Layout::JsonLines,
        documents: 10_000,
        whole: 10_000,
        words: 1_000_000,
        mentions: 200_000,
        key_entities: 50_000,
        response_entities: 50_000,
        tail: -0.5,
        noise: sizes::SYSTEM,
    },
    megabytes: 12.0,
    least_speed: 0.0,
};

/// Runs the benchmark and prints the table.
pub fn run(options: &Options) -> Result<(), String> {
    let command = find_command(options.command.as_ref())?;
    let size = sizes::select("ontonotes").into_iter().next().ok_or("the input `ontonotes` is missing")?;
    let inputs = target_directory().join("bench");
    let paths = generate::write_systems(size, &inputs, generate::SEED, SYSTEMS)?;
    let paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let on = |paths: &[String], name: &str, words: &[&str]| {
        let all = [&[command.as_str()], words, &["-q", "-m", METRICS]].concat();
        Program::new(name, &all.into_iter().chain(paths.iter().map(String::as_str)).collect::<Vec<_>>())
    };
    let program = |name: &str, words: &[&str]| on(&paths, name, words);
    let many = generate::write_systems(&MANY, &inputs, generate::SEED, SYSTEMS)?;
    let many: Vec<String> = many.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    // If scoring takes longer than reading, a cache saves more time.
    let board = sizes::select("corefud").into_iter().next().ok_or("the input `corefud` is missing")?;
    let board = generate::write_systems(board, &inputs, generate::SEED, SYSTEMS)?;
    let board: Vec<String> = board.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let boards = board_programs(&command, &inputs.join("board"), &board)?;
    let programs = [
        program("score", &["score"]),
        program("compare", &["compare"]),
        program("compare, one thread", &["compare", "--threads", "1"]),
        program("compare --test bootstrap", &["compare", "--test", "bootstrap"]),
        program("compare --resamples 1", &["compare", "--resamples", "1"]),
        on(&many, "10,000 documents: score", &["score"]),
        on(&many, "10,000 documents: compare", &["compare"]),
    ];
    let programs: Vec<Program> = programs.into_iter().chain(boards).collect();
    println!(
        "{SYSTEMS} systems, {} documents in {} parts, 10,000 resamples of each kind\n",
        size.shape.whole, size.shape.documents
    );
    println!("| command | median | limit | verdict |\n|---|---:|---:|---|");
    for times in time_in_turns(&programs, options.runs)? {
        let limit = match times.name.as_str() {
            "compare" => Some(LIMITS[0]),
            "10,000 documents: compare" => Some(LIMITS[1]),
            _ => None,
        };
        let verdict = match limit {
            None => "",
            Some(limit) if times.median() <= limit => "within",
            Some(_) => "ABOVE: time",
        };
        let limit = limit.map(|limit| format!("{limit:.1} s")).unwrap_or_default();
        println!("| {} | {} | {limit} | {verdict} |", times.name, duration(times.median()));
    }
    Ok(())
}

/// Returns runs of `board` whose cache is empty, lacks one system, or is complete. Resampling takes the same time in
/// all, and is left out.
fn board_programs(command: &str, folder: &Path, paths: &[String]) -> Result<Vec<Program>, String> {
    let (Some((key, responses)), systems) = (paths.split_first(), folder.join("systems")) else {
        return Err("there is no key".to_owned());
    };
    let wrong = |e: io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(&systems).map_err(wrong)?;
    for response in responses {
        let name = Path::new(response).file_name().unwrap_or_default();
        if !systems.join(name).exists() {
            fs::hard_link(response, systems.join(name)).map_err(wrong)?;
        }
    }
    let systems = systems.to_string_lossy().into_owned();
    let program = |name: &str, cache: &str, left: usize| {
        let cache = folder.join(cache);
        let words = [command, "compare", "-q", "-m", METRICS, "--resamples", "1", key, "--systems", &systems];
        let at = cache.to_string_lossy().into_owned();
        let words = [&words[..], &["--cache", &at]].concat();
        let name = format!("CorefUD: the same with --cache DIR, {name}");
        // All systems have the same size, so any of the entries may remain.
        Program::new(&name, &words).after(move || leave(&cache, left))
    };
    let all = responses.len();
    let words = [command, "compare", "-q", "-m", METRICS, "--resamples", "1", key, "--systems", &systems];
    Ok(vec![
        Program::new("CorefUD: compare --resamples 1 --systems DIR", &words),
        program("nothing kept", "cache-none", 0),
        program("all but one kept", "cache-one", all - 1),
        program("all kept", "cache-all", all),
    ])
}

/// Deletes all but this many entries of a cache.
fn leave(cache: &Path, entries: usize) -> io::Result<()> {
    if !cache.exists() {
        return Ok(());
    }
    let files = fs::read_dir(cache)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "counts"));
    files.into_iter().skip(entries).try_for_each(fs::remove_file)
}
