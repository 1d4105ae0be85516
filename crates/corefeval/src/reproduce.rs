//! `corefeval reproduce`: the figures of the papers, and whether they come out.

use std::path::Path;

use clap::ArgMatches;
use corefeval_core::error::Result;
use corefeval_papers::{self as papers, Verdict};
use corefeval_report::{Kind, OutputSpec, Style};

use crate::{figures, terminal};

/// The figures as text, and whether all come out that should.
pub fn reproduce(matches: &ArgMatches) -> Result<(String, bool)> {
    let output = matches.get_one::<String>("output").map_or("table", String::as_str);
    let output = OutputSpec::named(output, Kind::Reproduction)?;
    let found = papers::reproduce()?;
    if let Some(folder) = matches.get_one::<String>("figures").map(Path::new) {
        figures::write(folder, &papers::figures()?)?;
    }
    let style = Style { colour: false, width: terminal::width() };
    Ok((output.render(&found, style)?, found.count(Verdict::Off) == 0))
}
