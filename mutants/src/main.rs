//! Plants mutants in a copy of a source tree, each behind a switch, so that one build has them all.
//!
//! ```text
//! corefeval-mutants MUTANTS.json TREE PLANTED.json [REFUSED.json]
//! ```
//!
//! `MUTANTS.json` is the list that `cargo mutants --list --json` prints. The files that it names are rewritten in `TREE`, which is
//! a copy: each mutated place calls `mutant_switch::is(NUMBER)`. `PLANTED.json` receives, for each mutant of the list,
//! whether it was planted, and the lines that it was planted in. `REFUSED.json` lists the numbers of mutants to leave out because
//! they do not compile.

mod list;
mod plant;

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use list::Mutant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [list, tree, planted, refused @ ..] = &arguments[..] else {
        return Err("usage: corefeval-mutants MUTANTS.json TREE PLANTED.json [REFUSED.json]".into());
    };
    let mutants: Vec<Mutant> = serde_json::from_str(&fs::read_to_string(list)?)?;
    let refused: BTreeSet<usize> = match refused.first() {
        Some(path) => serde_json::from_str(&fs::read_to_string(path)?)?,
        None => BTreeSet::new(),
    };
    let mut results = vec![plant::Planted::default(); mutants.len()];
    let files: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.file.as_str()).collect();
    for file in files {
        let path = Path::new(tree).join(file);
        let source = fs::read_to_string(&path)?;
        let of_file: Vec<(usize, &Mutant)> = mutants
            .iter()
            .enumerate()
            .filter(|(number, mutant)| mutant.file == file && !refused.contains(number))
            .collect();
        let (text, planted) = plant::plant(&source, &of_file).map_err(|error| format!("{file}: {error}"))?;
        fs::write(&path, text)?;
        planted.into_iter().for_each(|(number, planted)| results[number] = planted);
    }
    fs::write(planted, serde_json::to_string(&results)?)?;
    let count = results.iter().filter(|planted| !planted.places.is_empty()).count();
    println!("{count} of {} mutants planted", mutants.len());
    Ok(())
}
