//! `corefeval merge`: adds up tables of counts.

use std::sync::atomic::AtomicU64;

use clap::{ArgMatches, Command};
use corefeval_core::counts::CountTable;
use corefeval_core::error::Result;
use corefeval_core::evaluation::limits;
use corefeval_core::input::{self, Input};
use corefeval_core::output::refuse_input;

use crate::args::{max_memory, messages, path};
use crate::destination::Destination;
use crate::terminal::Terminal;
use crate::typed::{Typed, open, refuse_twice, texts};
use crate::{Output, Subcommand};

/// The subcommand.
pub const MERGE: Subcommand = Subcommand {
    name: "merge",
    about: "Adds up tables of counts",
    examples: &[
        (
            "The counts of two parts of the data, in one table",
            "corefeval merge examples/counts/part1.csv examples/counts/part2.csv -o counts.csv",
        ),
        ("All tables of a folder, as engines write it", "corefeval merge examples/counts -o counts.csv"),
    ],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    refuse_twice(texts(matches, "tables"))?;
    let limits = limits(&Typed(matches))?;
    let inputs: Vec<Input> =
        texts(matches, "tables").map(|typed| Ok(open(typed, &limits)?.input)).collect::<Result<_>>()?;
    input::check_present(&inputs)?;
    let destination = Destination::among(
        &[("csv", &["csv"])],
        matches.get_one::<String>("output").map_or("csv", String::as_str),
    )?;
    if let Some(file) = &destination.file {
        refuse_input(file, &inputs.iter().collect::<Vec<_>>())?;
    }
    let (size, read) = (|| inputs.iter().map(Input::size).sum(), AtomicU64::new(0));
    let sum = Terminal::new(matches)?.with_progress(size, &read, || -> Result<_> {
        let mut sum = CountTable::default();
        inputs.iter().try_for_each(|input| sum.add_input(input, &limits, &read))?;
        Ok(sum)
    })?;
    sum.check_filled()?;
    destination.put_text(sum.to_csv()?)
}

fn args(bare: Command) -> Command {
    bare.long_about(
        "Adds up tables of counts, such as those of parts of the data, into one table.\n\n\
         A row has the number of mentions (`count`) that an entity of the key (`key`) and one of the response \
         (`response`) share, and optionally the `document`. An empty entity marks mentions that the side \
         lacks. Rows with the same names are added up, so entities need the same names in all tables. The result \
         is sorted, and \
         does not depend on the order of the tables. Of a folder, all tables are added up, except hidden files and \
         those that start with `_`, such as `_SUCCESS`. `corefeval score --overlap` scores it.",
    )
    .override_usage("corefeval merge [OPTIONS] COUNTS...")
    .arg(path("tables", "COUNTS", "Tables with the columns `key`, `response`, `count` and optionally `document`").required(true).num_args(1..))
    .arg(
        path("output", "FILE", "The .csv file to write [default: standard output]")
            .long("output")
            .short('o'),
    )
    .arg(max_memory())
    .args(messages())
}
