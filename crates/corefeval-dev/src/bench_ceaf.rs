//! Times CEAF on random components: mentions are assigned at random to the same number of key and response entities, so
//! that nearly all entities are connected and no two are alike. Real files have no such components, but a bad
//! clustering of a large collection does.

use std::time::Instant;

use clap::Args;
use corefeval_metrics::score;

use crate::random::Random;

/// The arguments of `bench-ceaf`.
#[derive(Args)]
pub struct Options {
    /// The largest number of entities on each side
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    entities: usize,
    /// The seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = crate::generate::SEED)]
    seed: u64,
}

/// Mentions per entity.
const DEGREES: [usize; 4] = [3, 5, 10, 50];

/// The maximum number of mentions, so that the benchmark takes a minute.
const MENTIONS: usize = 1_000_000;

/// Runs the benchmark and prints the table.
pub fn run(options: &Options) -> Result<(), String> {
    println!(
        "Seconds for each metric, including the alignment of mentions, which is most of the time of MUC.\n"
    );
    println!(
        "| entities | mentions per entity | muc | ceaf_m (φ3) | ceaf_e (φ4) | ceaf_e, key entities of one size |\n\
         |---:|---:|---:|---:|---:|---:|"
    );
    let sizes = [1_000, 10_000, 20_000, 100_000, 1_000_000];
    for entities in sizes.into_iter().filter(|&size| size <= options.entities) {
        for degree in DEGREES.into_iter().filter(|degree| entities * degree <= MENTIONS.max(3 * entities)) {
            let mut random = Random::new(options.seed);
            let mut side = || -> Vec<Vec<u32>> {
                let mut side = vec![Vec::new(); entities];
                for mention in 0..entities * degree {
                    side[random.below(entities)].push(mention as u32);
                }
                side
            };
            let (key, response) = (side(), side());
            // All bidders of an auction then want the same items.
            let equal: Vec<Vec<u32>> = (0..entities)
                .map(|entity| {
                    (entity * degree..(entity + 1) * degree).map(|mention| mention as u32).collect()
                })
                .collect();
            let seconds = |key: &[Vec<u32>], metric: &str| -> Result<f64, String> {
                let start = Instant::now();
                score(key, &response, &[metric]).map_err(|error| error.to_string())?;
                Ok(start.elapsed().as_secs_f64())
            };
            let [muc, phi_3, phi_4] =
                [seconds(&key, "muc")?, seconds(&key, "ceaf_m")?, seconds(&key, "ceaf_e")?];
            let of_one_size = seconds(&equal, "ceaf_e")?;
            println!("| {entities} | {degree} | {muc:.2} | {phi_3:.2} | {phi_4:.2} | {of_one_size:.2} |");
        }
    }
    Ok(())
}
