//! `corefeval reproduce`: the figures of the papers, and whether they come out.

use std::path::Path;

use clap::ArgMatches;
use corefeval_core::error::Result;
use corefeval_core::reproduce::{self, Verdict};

use crate::figures;

/// The figures as text, and whether all come out that should.
pub fn reproduce(matches: &ArgMatches) -> Result<(String, bool)> {
    let found = reproduce::reproduce()?;
    if let Some(folder) = matches.get_one::<String>("figures").map(Path::new) {
        figures::write(folder, &reproduce::figures()?)?;
    }
    let render = match matches.get_one::<String>("output").map(String::as_str) {
        Some("json") => reproduce::json,
        Some("markdown") => reproduce::markdown,
        _ => reproduce::table,
    };
    Ok((render(&found), found.count(Verdict::Off) == 0))
}
