//! Times the alignment of long texts with scattered differences: the words of an answer with those of its key.

use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;
use corefeval_core::alignment::{self, onto};
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::profiles::Profile;
use corefeval_core::settings::Settings;

use crate::random::Random;

/// The arguments of `bench-align`.
#[derive(Args)]
pub struct Options {
    /// The largest number of words
    #[arg(long, value_name = "N", default_value_t = 800_000)]
    words: usize,
    /// The number of runs; the shortest time is reported
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,
    /// The seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = crate::generate::SEED)]
    seed: u64,
}

/// An answer to time.
struct Answer {
    name: &'static str,
    /// The percentage of words that are dropped, replaced or preceded by an added one, in equal parts.
    rate: usize,
    /// The percentage of the text after which the answer stops.
    share: usize,
    /// The number of times that the answer repeats the text, each time with different changes.
    copies: usize,
}

const WHOLE: Answer = Answer { name: "0% changed", rate: 0, share: 100, copies: 1 };

const ANSWERS: [Answer; 9] = [
    WHOLE,
    Answer { name: "1%", rate: 1, ..WHOLE },
    Answer { name: "2%", rate: 2, ..WHOLE },
    Answer { name: "5%", rate: 5, ..WHOLE },
    Answer { name: "20%", rate: 20, ..WHOLE },
    Answer { name: "first half", share: 50, ..WHOLE },
    Answer { name: "first half, 1% changed", rate: 1, share: 50, ..WHOLE },
    Answer { name: "twice, 1% changed", rate: 1, copies: 2, ..WHOLE },
    Answer { name: "twice, 20% changed", rate: 20, copies: 2, ..WHOLE },
];

/// Runs the benchmark and prints the table.
pub fn run(options: &Options) -> Result<(), String> {
    println!("Seconds to place an answer on its key, without reading: alignment and mentions.\n");
    let names = ANSWERS.map(|answer| answer.name).join(" | ");
    println!("| words | mentions | {names} |\n|---:|---:{}|", "|---:".repeat(ANSWERS.len()));
    for count in
        [50_000, 100_000, 200_000, 400_000, 800_000].into_iter().filter(|count| *count <= options.words)
    {
        let mut row = format!("| {count} | {} |", count.div_ceil(10));
        for answer in &ANSWERS {
            let mut random = Random::new(options.seed);
            let seconds = least_seconds(count, answer, options.runs, &mut random)?;
            let _ = write!(row, " {seconds:.3} |");
        }
        println!("{row}");
    }
    Ok(())
}

/// Returns the shortest time of several runs.
fn least_seconds(
    count: usize,
    &Answer { rate, share, copies, .. }: &Answer,
    runs: usize,
    random: &mut Random,
) -> Result<f64, String> {
    // Few words are frequent and many are rare, as in texts.
    let word = |random: &mut Random| {
        let rank = random.below(60) * random.below(60) * random.below(20);
        format!("w{rank}")
    };
    let words: Vec<String> = (0..count).map(|_| word(random)).collect();
    let (mut key, mut answer) = ("#begin document (d); part 000\n".to_owned(), String::new());
    words.iter().for_each(|own| _ = writeln!(key, "{own}\t-"));
    let repeated = words[..count * share / 100].iter().enumerate();
    for (place, own) in std::iter::repeat_n(repeated, copies).flatten() {
        let change = if random.below(100) < rate { random.below(3) } else { 3 };
        let text = match change {
            0 => String::new(),
            1 => word(random),
            2 => format!("{own} {}", word(random)),
            _ => own.clone(),
        };
        match place % 10 {
            0 => _ = write!(answer, "[{text}](#{}) ", place / 10 % 500),
            _ => _ = write!(answer, "{text} "),
        }
    }
    key.push_str("#end document\n");
    let failed = |error: corefeval_core::Error| error.to_string();
    let options = ReadOptions::with_layers();
    let key =
        FormatSpec::named("conll").map_err(failed)?.read(key.as_bytes(), "key", options).map_err(failed)?;
    let mut placing = alignment::Options::of(&Settings::of(Profile::for_format("conll")));
    // If the answer repeats the text, less than half of it matches the key.
    placing.min_aligned = 0.0;
    let mut least = f64::MAX;
    for _ in 0..runs {
        let options = ReadOptions::of_answers();
        let format = FormatSpec::named("bracketed").map_err(failed)?;
        let read = format.read(answer.as_bytes(), "answer", options).map_err(failed)?;
        let start = Instant::now();
        let placed = onto(&key, read, &placing).map_err(failed)?;
        least = least.min(start.elapsed().as_secs_f64());
        if placed.documents.is_empty() {
            return Err("nothing was placed".to_owned());
        }
    }
    Ok(least)
}
