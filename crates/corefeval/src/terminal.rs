//! Output on standard error (warnings, errors and progress), and the choice of colours.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use corefeval_core::diagnostic::{Code, Diagnostic, Diagnostics, FindingGroup, Severity};
use corefeval_core::error::{Error, Result};
use corefeval_core::evaluation::{Evaluation, Progress, Request, refuse_warnings};
use corefeval_core::significance::{RunningResampling, SAMPLES, SWAPS};
use corefeval_core::wording::inert;
use corefeval_core::{RunningSearch, SEARCH};
use corefeval_report::plot::{Figure, write_figures};
use corefeval_report::{Columns, DIGITS, Origin, Printable, Style};

use crate::accepted::Accepted;
use crate::typed::text;

/// The number of messages on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Silent,
    /// Warnings, the first of each kind.
    Quiet,
    /// Warnings, the first of each kind, and the notes that a command shows.
    Normal,
    /// All stored findings, including notes.
    Verbose,
}

/// The terminal that a command prints to.
#[derive(Clone, Copy)]
pub struct Terminal {
    /// The number of messages on standard error.
    pub verbosity: Verbosity,
    /// True to show progress on standard error.
    progress: bool,
    /// The style of reports.
    pub style: Style,
}

impl Terminal {
    /// Makes the terminal from the options.
    pub fn new(matches: &ArgMatches) -> Result<Terminal> {
        let flag = |name: &str| matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false);
        let verbosity = match [flag("no-warnings"), flag("verbose"), flag("quiet")] {
            [true, ..] => Verbosity::Silent,
            [_, true, _] => Verbosity::Verbose,
            [_, _, true] => Verbosity::Quiet,
            _ => Verbosity::Normal,
        };
        let mut style = Style::of_width(width());
        style.colour = colour(text(matches, "color").unwrap_or("auto"));
        style.columns = text(matches, "columns").map(Columns::parse).transpose()?;
        style.details = flag("details");
        style.digits = matches.try_get_one::<u8>("digits").ok().flatten().copied().unwrap_or(DIGITS);
        let progress = !flag("quiet") && std::io::stderr().is_terminal();
        Ok(Terminal { verbosity, progress, style })
    }

    /// Returns the evaluation of a request, with progress on this terminal, in a process that ends after it.
    pub fn evaluation(self, request: Request) -> Result<Evaluation> {
        Ok(Evaluation::new(request)?.observed(Arc::new(self)).before_exit())
    }

    /// Prints the findings of a report; with `--verbose`, also all settings and the method of intervals and tests.
    pub fn print_notes(self, report: &dyn Printable) {
        let Origin { settings: Some(settings), diagnostics: Some(found), .. } = report.origin() else {
            return;
        };
        for (what, all) in [("settings", settings.list()), ("method", report.method())] {
            let all: String = all.into_iter().map(|(name, value)| format!(" {name}:{value}")).collect();
            if self.verbosity == Verbosity::Verbose && !all.is_empty() {
                self.note(&format!("{what}:{all}"));
            }
        }
        self.print_with_notes(found, &[Code::ReadByRow]);
    }

    /// Prints the findings.
    pub fn print_diagnostics(self, diagnostics: &Diagnostics) {
        self.print_with_notes(diagnostics, &[]);
    }

    /// Prints the findings, and the notes with these codes unless `--quiet` is given; with `--verbose` all notes.
    pub fn print_with_notes(self, diagnostics: &Diagnostics, notes: &[Code]) {
        if self.verbosity == Verbosity::Silent {
            return;
        }
        let mut text = String::new();
        let shown = |group: &&FindingGroup| match (group.code.severity(), self.verbosity) {
            (Severity::Note, Verbosity::Verbose) => true,
            (Severity::Note, Verbosity::Normal) => notes.contains(&group.code),
            (severity, _) => severity > Severity::Note,
        };
        for group in diagnostics.groups().iter().filter(shown) {
            group_text(&mut text, group, self.verbosity);
        }
        // A closed standard error cannot be reported.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints a message about something that was done, if all messages are requested.
    pub fn note(self, text: &str) {
        if self.verbosity == Verbosity::Verbose {
            let _ = writeln!(std::io::stderr().lock(), "{}: {text}", paint(Severity::Note));
        }
    }

    /// Prints a warning that a requested part is not in the report.
    pub fn warn(self, text: &str) {
        if self.verbosity > Verbosity::Silent {
            let _ = writeln!(std::io::stderr().lock(), "{}: {text}", paint(Severity::Warning));
        }
    }

    /// Writes figures into the typed directory, if any, with the typed size and title, and prints findings;
    /// `strict` makes warnings errors.
    pub fn write_figures(
        self,
        matches: &ArgMatches,
        figures: impl FnOnce() -> Vec<Figure>,
        strict: bool,
    ) -> Result<()> {
        let Some(folder) = text(matches, "figures") else { return Ok(()) };
        let width = matches.try_get_one::<u16>("figure-width").ok().flatten().map(|&width| f64::from(width));
        let look = |figure: Figure| figure.look(text(matches, "figure-title"), width);
        let figures: Vec<Figure> = figures().into_iter().map(look).collect();
        let found = write_figures(Path::new(folder), &figures)?;
        self.print_diagnostics(&found);
        if strict { refuse_warnings(&found) } else { Ok(()) }
    }
}

impl Progress for Terminal {
    fn observe(&self, total: &dyn Fn() -> u64, read: &AtomicU64, work: &mut dyn FnMut()) {
        self.with_progress(total, read, work);
    }
}

/// Returns whether to colour standard output, for a value of `--color`.
fn colour(when: &str) -> bool {
    match when {
        "always" => true,
        "never" => false,
        _ => std::io::stdout().is_terminal() && allowed(),
    }
}

/// Returns the number of columns of standard output: from the variable COLUMNS, otherwise from the terminal.
pub fn width() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    given.or_else(|| columns_of(std::io::stdout())).filter(|&width| width > 0)
}

/// Returns the number of columns of a terminal, if it is known. The number of lines may be unknown, as on some serial
/// lines.
#[cfg(unix)]
fn columns_of(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(size.ws_col.into()).filter(|&columns| columns > 0)
}

/// Returns the number of columns of a terminal, if it is known.
#[cfg(windows)]
fn columns_of(stream: impl std::os::windows::io::AsHandle) -> Option<usize> {
    terminal_size::terminal_size_of(stream).map(|(width, _)| width.0.into())
}

fn allowed() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The largest number of findings of one kind that are shown unless all are requested.
const SHOWN: usize = 3;

/// The largest number of further places of a finding that are named.
const MOST_PLACES: usize = 2;

/// Joins findings with the same text, unless every place is requested. Returns each with its further places and its
/// number.
fn folded(kept: &[Arc<Diagnostic>], verbosity: Verbosity) -> Vec<(&Diagnostic, Vec<String>, u64)> {
    let mut folded: Vec<(&Diagnostic, Vec<String>, u64)> = Vec::new();
    let mut known: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    for finding in kept {
        let place = finding.position.as_ref().map(ToString::to_string);
        let own = place.clone().filter(|_| verbosity == Verbosity::Verbose);
        let number = *known.entry((finding.message.to_string(), own)).or_insert(folded.len());
        if number == folded.len() {
            folded.push((finding, Vec::new(), 1));
            continue;
        }
        let (first, places, count) = &mut folded[number];
        *count += 1;
        let is_first = first.position == finding.position;
        // Findings at the same place follow each other.
        if let Some(place) = place.filter(|place| !is_first && places.last() != Some(place)) {
            places.push(place);
        }
    }
    folded
}

fn group_text(text: &mut String, group: &FindingGroup, verbosity: Verbosity) {
    let severity = group.code.severity();
    // Each loss of a conversion is a separate kind.
    let is_loss = matches!(group.code, Code::NotWritten | Code::WrittenOtherwise);
    let folded = folded(&group.kept, verbosity);
    let shown =
        if is_loss || verbosity == Verbosity::Verbose { folded.len() } else { SHOWN.min(folded.len()) };
    let mut listed = 0;
    for (diagnostic, places, count) in &folded[..shown] {
        let place = diagnostic.position.as_ref().map(|position| format!("{position}: ")).unwrap_or_default();
        let label = paint(severity);
        let times = match (count, places.len()) {
            (1, _) => String::new(),
            (_, 0) => format!(" ({count} times)"),
            (_, 1..=MOST_PLACES) => format!(" (also at {})", places.join(", ")),
            (_, others) => format!(" (at {} places)", others + 1),
        };
        text.push_str(&format!(
            "{label}: {place}{}{times} [{}]\n",
            diagnostic.message.worded(&Accepted),
            group.code.id()
        ));
        listed += count;
    }
    let more = group.count - listed;
    if more > 0 {
        text.push_str(&format!("  ... and {more} more [{}]\n", group.code.id()));
    }
    if severity == Severity::Warning {
        text.push_str(&format!("  hint: {}\n", group.code.remedy().worded(&Accepted)));
    }
}

fn paint(severity: Severity) -> String {
    let code = match severity {
        Severity::Note => "36",
        Severity::Warning => "33",
        Severity::Error => "31",
    };
    painted(severity.label(), code)
}

fn painted(text: &str, code: &str) -> String {
    if std::io::stderr().is_terminal() && allowed() {
        format!("\x1b[1;{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// Prints an error of the command line.
pub fn print_usage_error(text: &str) {
    let lines: String = text.lines().map(|line| format!("{}\n", inert(line))).collect();
    let _ = std::io::stderr().lock().write_all(lines.as_bytes());
}

/// Prints an error and the other errors of its file.
pub fn print_error(error: &Error) {
    let label = painted("error", "31");
    let text: String = error.worded(&Accepted).iter().map(|error| format!("{label}: {error}\n")).collect();
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

impl Terminal {
    /// Runs `work`, which counts the bytes it reads in `read`, and shows a bar once it has taken more
    /// than a second; on a terminal only.
    pub fn with_progress<T>(
        self,
        total: impl FnOnce() -> u64,
        read: &AtomicU64,
        work: impl FnOnce() -> T,
    ) -> T {
        if !self.progress {
            return work();
        }
        let total = total();
        let started = Instant::now();
        thread::scope(|scope| {
            let (finished, wait) = mpsc::channel::<()>();
            let show = move || {
                // A closed channel means that the work is done.
                if wait.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let mut line = StatusLine::default();
                while wait.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                    line.show(|room| bar(read.load(Ordering::Relaxed), total, started.elapsed(), room));
                }
            };
            // Without a thread, no bar is shown.
            drop(thread::Builder::new().spawn_scoped(scope, show));
            let result = work();
            drop(finished);
            result
        })
    }

    /// Runs `work`, and shows long searches for the best map of entities and long resampling on a terminal.
    pub fn while_working<T>(self, work: impl FnOnce() -> T) -> T {
        if !self.progress {
            return work();
        }
        thread::scope(|scope| {
            let (finished, wait) = mpsc::channel::<()>();
            let show = move || {
                // The stage and its start, if one is running.
                let mut since: Option<(RunningStage, Instant)> = None;
                let mut shown = StatusLine::default();
                while wait.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
                    let current = RunningStage::current();
                    since = current.map(|stage| match since {
                        Some((before, start)) if before.is_before(stage) => (stage, start),
                        _ => (stage, Instant::now()),
                    });
                    match since {
                        Some((stage, start)) if start.elapsed() > Duration::from_secs(1) => {
                            shown.show(|room| stage.line(start.elapsed(), room));
                        }
                        _ => shown.show(|_| String::new()),
                    }
                }
            };
            drop(thread::Builder::new().spawn_scoped(scope, show));
            let result = work();
            drop(finished);
            result
        })
    }
}

/// A stage of an evaluation that may take long.
#[derive(Clone, Copy)]
enum RunningStage {
    /// A search for the best map of entities.
    Search(RunningSearch),
    /// Resampling, with a description of the resamples.
    Resampling(RunningResampling, &'static str),
}

impl RunningStage {
    /// Returns the stage that is running.
    fn current() -> Option<RunningStage> {
        let search = || SEARCH.current().map(RunningStage::Search);
        let samples =
            || SAMPLES.current().map(|samples| RunningStage::Resampling(samples, "bootstrap samples"));
        let swaps = || SWAPS.current().map(|swaps| RunningStage::Resampling(swaps, "swaps of documents"));
        search().or_else(samples).or_else(swaps)
    }

    /// Returns whether `next` continues this stage.
    fn is_before(self, next: RunningStage) -> bool {
        match (self, next) {
            (RunningStage::Search(_), RunningStage::Search(_)) => true,
            (RunningStage::Resampling(before, kind), RunningStage::Resampling(next, other)) => {
                kind == other && before.done <= next.done
            }
            _ => false,
        }
    }

    /// Describes its progress, in at most `room` characters if possible.
    fn line(self, elapsed: Duration, room: usize) -> String {
        match self {
            RunningStage::Search(search) => search_line(search, elapsed, room),
            RunningStage::Resampling(resampling, kind) => resampling_line(resampling, kind, elapsed, room),
        }
    }
}

/// The progress of a search: `CEAF: best map of 1000000 pairs of entities, round 4 of at most 19 (12 s)`, or a shorter
/// text if this has more than `room` characters.
fn search_line(search: RunningSearch, elapsed: Duration, room: usize) -> String {
    let RunningSearch { edges, round, most_rounds } = search;
    let end = format!("round {round} of at most {most_rounds} ({} s)", elapsed.as_secs());
    let line = format!("CEAF: best map of {edges} pairs of entities, {end}");
    if line.len() <= room { line } else { format!("CEAF: {end}") }
}

/// The progress of resampling: `resampling: 2048 of 10000 bootstrap samples (4 s left)`, or a shorter text if this has
/// more than `room` characters.
fn resampling_line(
    RunningResampling { done, total }: RunningResampling,
    kind: &str,
    elapsed: Duration,
    room: usize,
) -> String {
    let left = time_left(done as f64 / total as f64, elapsed);
    let line = format!("resampling: {done} of {total} {kind}{left}");
    if line.len() <= room { line } else { format!("resampling: {done} of {total}{left}") }
}

/// Returns the estimated time that is left, in brackets, after a share of the work; empty if it cannot be estimated or is
/// less than half a second.
fn time_left(share: f64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64() * (1.0 - share) / share;
    if share > 0.0 && seconds >= 0.5 { format!(" ({seconds:.0} s left)") } else { String::new() }
}

/// A line of progress on standard error, which each new text replaces. It fits the terminal, because wrapped text
/// cannot be replaced, and is blank at the end.
#[derive(Default)]
struct StatusLine {
    /// The number of characters that are shown.
    shown: usize,
}

impl StatusLine {
    /// Shows the text for a number of characters. The last column stays empty, because some terminals wrap when it is
    /// written.
    fn show(&mut self, text: impl FnOnce(usize) -> String) {
        let room = columns_of(std::io::stderr()).unwrap_or(80).saturating_sub(1);
        self.show_within(room, &text(room), &mut std::io::stderr().lock());
    }

    fn show_within(&mut self, room: usize, text: &str, out: &mut impl Write) {
        let text: String = text.chars().take(room).collect();
        let (length, rest) = (text.chars().count(), self.shown.min(room));
        if length > 0 || self.shown > 0 {
            let end = if text.is_empty() { "\r" } else { "" };
            let _ = write!(out, "\r{text:rest$}{end}");
        }
        self.shown = length;
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.show(|_| String::new());
    }
}

/// The largest number of characters of a bar.
const BAR: usize = 30;

/// The progress of reading: `reading ####------  40% of 1200.0 MB (12 s left)`. The bar is shorter if the text would
/// have more than `room` characters.
fn bar(read: u64, total: u64, elapsed: Duration, room: usize) -> String {
    let share = if total == 0 { 0.0 } else { (read as f64 / total as f64).min(1.0) };
    let left = time_left(share, elapsed);
    let end = format!("{:3.0}% of {:.1} MB{left}", 100.0 * share, total as f64 / 1e6);
    let length = room.saturating_sub("reading  ".len() + end.len()).min(BAR);
    let done = (share * length as f64) as usize;
    format!("reading {}{} {end}", "#".repeat(done), "-".repeat(length - done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_search_fits_a_line() {
        let search = RunningSearch { edges: 1_000_000, round: 4, most_rounds: 19 };
        let line = |room| search_line(search, Duration::from_secs(12), room);
        assert_eq!(line(79), "CEAF: best map of 1000000 pairs of entities, round 4 of at most 19 (12 s)");
        assert_eq!(line(59), "CEAF: round 4 of at most 19 (12 s)");
        let longest = RunningSearch { edges: 1 << 31, round: 60, most_rounds: 60 };
        assert!(search_line(longest, Duration::from_secs(86_400), 59).len() < 60);
    }

    #[test]
    fn long_resampling_fits_a_line() {
        let half = RunningResampling { done: 5_000, total: 10_000 };
        let line = |resampling, room| {
            resampling_line(resampling, "bootstrap samples", Duration::from_secs(12), room)
        };
        assert_eq!(line(half, 79), "resampling: 5000 of 10000 bootstrap samples (12 s left)");
        assert_eq!(line(half, 40), "resampling: 5000 of 10000 (12 s left)");
        assert_eq!(line(RunningResampling { done: 0, total: 9 }, 79), "resampling: 0 of 9 bootstrap samples");
    }

    #[test]
    fn progress_stays_on_its_line() {
        let mut out = Vec::new();
        let mut line = StatusLine::default();
        for text in ["", "reading ####", "reading", "a text that is too long", "", ""] {
            line.show_within(12, text, &mut out);
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\rreading ####\rreading     \ra text that \r            \r"
        );
    }

    #[test]
    fn the_bar_shows_the_share_that_was_read() {
        let second = Duration::from_secs(1);
        assert_eq!(bar(0, 2_000_000, second, 79), format!("reading {}   0% of 2.0 MB", "-".repeat(30)));
        let half = |length: usize| {
            format!("reading {}{}  50% of 2.0 MB (1 s left)", "#".repeat(length), "-".repeat(length))
        };
        assert_eq!(bar(1_000_000, 2_000_000, second, 79), half(15));
        assert_eq!(bar(1_000_000, 2_000_000, second, 40), half(3));
        assert_eq!(bar(1_000_000, 2_000_000, second, 20), half(0));
        assert!(bar(9, 0, second, 79).starts_with("reading --"));
        // Less than a second is left.
        assert!(bar(1_999_999, 2_000_000, second, 79).ends_with("100% of 2.0 MB"));
        assert!(bar(2_000_000, 2_000_000, second, 79).ends_with("100% of 2.0 MB"));
        let long = |room| bar(5_000_000_000_000, 10_000_000_000_000, 86_400 * second, room);
        assert!(long(79).len() < 80 && long(59).ends_with(" (86400 s left)") && long(59).len() < 60);
    }
}
