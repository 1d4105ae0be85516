//! `corefeval merge`: adds up tables of counts.

use clap::{ArgMatches, Command};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Evaluation, TaskKind};

use crate::args::{max_memory, messages, path};
use crate::destination::Destination;
use crate::prepared::Prepared;
use crate::{Output, Subcommand, typed};

/// The subcommand.
pub const MERGE: Subcommand = Subcommand {
    name: TaskKind::Merge.id(),
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
    let typed = matches.get_one::<String>("output").map_or("csv", String::as_str);
    let destination = Destination::among(&[("csv", &["csv"])], typed)?;
    let task = Prepared::with(destination, matches, typed::request(matches)?)?;
    let sum = task.run(Evaluation::merge)?;
    task.terminal.print_diagnostics(sum.diagnostics());
    task.destination.put_text(sum.to_csv()?)
}

fn args(bare: Command) -> Command {
    bare.long_about(
        "Adds up tables of counts, such as those of parts of the data, into one table.\n\n\
         A row has the number of mentions (`count`) that an entity of the key (`key`) and one of the response \
         (`response`) share, and optionally the `document`. An empty entity marks mentions that the side \
         lacks. Rows with the same names are added up, so entities need the same names in all tables. The result \
         is sorted, and \
         does not depend on the order of the tables. All tables of a folder are added up, except hidden files and \
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
