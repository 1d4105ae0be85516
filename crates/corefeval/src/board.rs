//! `corefeval board`: a leaderboard as static pages, from a folder of submissions.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command, ValueHint};
use corefeval_core::analysis::ErrorReport;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Compare, Errors, TaskKind};
use corefeval_core::output::{self, not_written};
use corefeval_core::reports::comparison::ComparisonReport;
use corefeval_core::significance::METHOD_FIELDS;
use corefeval_core::text;
use corefeval_core::wording::quoted;
use corefeval_page::{Board, Page, Texts, file_name};
use corefeval_report::Printable;

use crate::args::{flag, method, path, valued};
use crate::compare::sort;
use crate::score::of_score;
use crate::terminal::Terminal;
use crate::typed::{self, Typed};
use crate::{Output, Subcommand, errors};

/// The subcommand.
pub const BOARD: Subcommand = Subcommand {
    name: TaskKind::Board.id(),
    about: "Writes a leaderboard as static pages, from a folder of submissions",
    examples: &[(
        "A page to publish, with a report for each submission",
        "corefeval board examples/pairs/key examples/pairs --ids-by-file --by language -o site",
    )],
    args,
    run,
};

/// The files of the leaderboard: its page, and its results as JSON and CSV.
const PAGES: [&str; 3] = ["index.html", "board.json", "board.csv"];

/// The folder of the reports, in the folder of the leaderboard.
const REPORTS: &str = "reports";

fn run(matches: &ArgMatches) -> Result<Output> {
    let request = typed::request(matches)?.read_by_caller(&ErrorReport::CHOICES);
    let analysis = Errors::with(&Typed(matches))?;
    let mut compare = Compare::with(&Typed(matches))?;
    // A submission that cannot be read does not stop the others.
    compare.skip_broken = true;
    let terminal = Terminal::new(matches)?;
    let evaluation = terminal.evaluation(request)?;
    let site = PathBuf::from(typed::text(matches, "output").unwrap_or("site"));
    let reports = site.join(REPORTS);
    output::refuse_dash(&site)?;
    let key = typed::text(matches, "key").map(PathBuf::from);
    refuse_within(&site, compare.folders.iter().chain(&key))?;
    let inputs = evaluation.request().all_inputs();
    for page in PAGES {
        output::refuse_input(&site.join(page), &inputs.iter().collect::<Vec<_>>())?;
    }
    fs::create_dir_all(&reports).map_err(|error| not_written(&reports, &error))?;

    let mut report = terminal.while_working(|| evaluation.compare(&compare))?;
    terminal.print_notes(&report);
    let hidden = matches.get_flag("without-text");
    for system in &report.systems {
        let one = evaluation.of_one(&system.name, &system.response)?;
        let overview = one.overview(Some(&compare.method), &analysis)?;
        let texts = if hidden { Texts::None } else { Texts::All };
        let html = Page { title: Some(&system.name), texts, ..Page::from(&overview) }.html();
        output::write(&reports.join(file_name(&system.name)), html)?;
    }
    if hidden {
        leave_out_words(&mut report);
    }
    let board = Board { title: typed::text(matches, "title"), comparison: &report, reports: REPORTS };
    let (json, csv) = (format!("{:#}\n", report.json()), report.csv());
    let [index, of_json, of_csv] = PAGES.map(|page| site.join(page));
    output::write_all(&[(index, board.html()?), (of_json, json), (of_csv, csv)])?;
    note_others(terminal, &reports, &report);
    terminal.note(&format!(
        "wrote {} for {} submissions",
        site.join("index.html").display(),
        report.systems.len()
    ));
    Ok(Output::done(String::new()))
}

/// Fails if the leaderboard would be written into a folder of inputs, where the next run would read it.
fn refuse_within<'p>(site: &Path, folders: impl Iterator<Item = &'p PathBuf>) -> Result<()> {
    let there = std::path::absolute(site).ok();
    let there = there.iter().flat_map(|site| site.ancestors()).find_map(|folder| folder.canonicalize().ok());
    for folder in folders {
        let canonical = folder.canonicalize().ok().filter(|folder| folder.is_dir());
        if let (Some(there), Some(canonical)) = (&there, canonical)
            && there.starts_with(&canonical)
        {
            let message = text!(
                "the leaderboard would be written into {}, which is an input",
                quoted(folder.display().to_string())
            );
            return Err(Error::new(ErrorKind::Settings, message).hint("name another folder with -o"));
        }
    }
    Ok(())
}

/// Replaces the messages of findings and errors, which may quote the texts, by the summaries of their codes.
fn leave_out_words(report: &mut ComparisonReport) {
    report.diagnostics = Diagnostics::default();
    for system in &mut report.broken {
        system.error = Error::new(system.error.kind(), system.error.code().summary());
    }
}

/// Notes the reports of earlier runs whose systems no longer exist. The organiser can delete them.
fn note_others(terminal: Terminal, reports: &Path, report: &ComparisonReport) {
    let current: Vec<String> = report.systems.iter().map(|system| file_name(&system.name)).collect();
    let names = fs::read_dir(reports)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut others: Vec<String> =
        names.filter(|name| name.ends_with(".html") && !current.contains(name)).collect();
    others.sort();
    if !others.is_empty() {
        terminal.warn(&format!(
            "{} has pages of no current submission: {}",
            reports.display(),
            others.join(", ")
        ));
    }
}

/// Like `compare`, for one folder of systems, with the options of reports.
fn args(bare: Command) -> Command {
    bare.long_about(
        "Writes a leaderboard as static pages, from a folder of submissions.\n\n\
         Each file in DIR is a submission, and so is each directory in it with all its files. The leaderboard is a folder: \
         `index.html` with ranks, intervals and links, a report for each submission, and the results as JSON and CSV. \
         The pages load nothing from other sites, and any web server can publish them. A submission that cannot be \
         read or compared is listed with the reason.",
    )
    .override_usage("corefeval board [OPTIONS] [KEY] DIR -o SITE")
    .allow_missing_positional(true)
    .arg(path("key", "KEY", "The annotation taken as correct [default: the file or directory in DIR that is called key or gold]"))
    .arg(
        path("systems", "DIR", "A directory in which each file or directory is a submission")
            .required(true)
            .value_hint(ValueHint::DirPath),
    )
    .args(of_score(TaskKind::Board))
    .next_help_heading("Pages")
    .arg(
        path("output", "SITE", "The folder to write [default: site]")
            .long("output")
            .short('o')
            .value_hint(ValueHint::DirPath),
    )
    .arg(flag("without-text", "Leaves out all words, for corpora that must not be passed on"))
    .arg(valued("title", "TEXT").help("The heading of the leaderboard"))
    .arg(
        path("cache", "DIR", "Caches the counts of each submission in this folder")
            .long("cache")
            .value_hint(ValueHint::DirPath),
    )
    .next_help_heading("Errors")
    .args([errors::tree(), errors::language(), errors::types()])
    .next_help_heading("Comparison")
    .arg(
        valued("baseline", "NAME")
            .help("The submission that the others are compared with [default: the first by name]"),
    )
    .arg(sort())
    .args(METHOD_FIELDS.iter().map(method))
}
