//! The preparation of subcommands that evaluate: the destination of the report, the terminal, and the evaluation.

use clap::ArgMatches;
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Evaluation, Request};
use corefeval_core::input::Input;
use corefeval_core::output::refuse_input;
use corefeval_report::{Kind, Printable};

use crate::Output;
use crate::destination::Destination;
use crate::terminal::Terminal;
use crate::typed::texts;

/// A task that is ready to run.
pub struct Prepared<'m> {
    /// The typed line.
    matches: &'m ArgMatches,
    /// The destination of the report.
    pub destination: Destination,
    /// The terminal for messages.
    pub terminal: Terminal,
    /// The evaluation, which has not read anything yet.
    pub evaluation: Evaluation,
}

impl<'m> Prepared<'m> {
    /// Prepares a request for a report of `kind`. Refuses an output that would overwrite an input.
    pub fn new(matches: &'m ArgMatches, kind: Kind, request: Request) -> Result<Prepared<'m>> {
        Prepared::with(Destination::new(matches, kind)?, matches, request)
    }

    /// Prepares a request whose result has its own destination. Refuses an output that would overwrite an input.
    pub fn with(destination: Destination, matches: &'m ArgMatches, request: Request) -> Result<Prepared<'m>> {
        let terminal = Terminal::new(matches)?;
        let evaluation = terminal.evaluation(request)?;
        destination.refuse_inputs(evaluation.request())?;
        if let Some(file) = &destination.file {
            let prints: Vec<Input> =
                texts(matches, "against").map(|print| Input::Path(print.into())).collect();
            refuse_input(file, &prints.iter().collect::<Vec<_>>())?;
        }
        Ok(Prepared { matches, destination, terminal, evaluation })
    }

    /// Runs the task, and shows stages that take long.
    pub fn run<T>(&self, work: impl FnOnce(&Evaluation) -> T) -> T {
        self.terminal.while_working(|| work(&self.evaluation))
    }

    /// Prints the settings and findings that are requested, draws the figures, then prints the report.
    pub fn put(&self, report: &dyn Printable) -> Result<Output> {
        self.announce(report)?;
        self.destination.put(report, self.terminal.style)
    }

    /// Prints the settings and findings that are requested, and draws the figures.
    pub fn announce(&self, report: &dyn Printable) -> Result<()> {
        self.terminal.print_notes(report);
        let strict = self.evaluation.request().is_strict();
        self.terminal.write_figures(self.matches, || report.figures(), strict)
    }
}
