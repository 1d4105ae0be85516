//! Times whole runs of the command against a previous build and a floor, and measures its peak memory.
//!
//! Limits apply to bytes per second and, with `--before`, to the ratio to the previous build. The floor is `wc -l` on the
//! same files: the cost of starting a process, reading the input once and examining each byte. It has no limit, since
//! `wc` is faster on some machines than on others. Programs take turns (A B B A A B ...) after an untimed run, so that a
//! slow moment of the machine affects all of them. The result is the median over the rounds of the ratio within a round.
//!
//! A row above its limit is only marked, and the exit status stays 0. `bench/README.md` is the guide; the inputs and
//! limits are in the `sizes` module.

use std::env;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;

use crate::sizes::{self, MEMORY_LIMIT, SLOWER_LIMIT, Size};
use crate::{generate, machine};

/// The arguments of `bench`.
#[derive(Args)]
pub struct Options {
    /// The input
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = sizes::values())]
    size: String,
    /// The number of rounds to time
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The command to time [default: corefeval as built by `cargo build --release`]
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
    /// The previous build of the command; a row that takes more than 1.03 times as long is marked
    #[arg(long, value_name = "PATH")]
    before: Option<PathBuf>,
    /// Another scorer to time; {key} and {response} are replaced by the files, and spaces separate arguments
    #[arg(long = "peer", value_name = "NAME=COMMAND", value_parser = parse_peer)]
    peers: Vec<TimedScorer>,
    /// Write the report, with all numbers, to a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Append the report, with all numbers, to bench/runs/DATE.md
    #[arg(long)]
    record: bool,
}

/// Another scorer.
#[derive(Clone, Debug, Eq, PartialEq)]
struct TimedScorer {
    name: String,
    words: Vec<String>,
}

fn parse_peer(typed: &str) -> Result<TimedScorer, String> {
    let (name, command) =
        typed.split_once('=').filter(|(name, _)| !name.trim().is_empty()).ok_or("expected NAME=COMMAND")?;
    for place in ["{key}", "{response}"] {
        if !command.contains(place) {
            return Err(format!("the command does not contain {place}"));
        }
    }
    Ok(TimedScorer {
        name: name.trim().to_owned(),
        words: command.split_whitespace().map(str::to_owned).collect(),
    })
}

/// A command line to time.
pub(crate) struct Program {
    name: String,
    words: Vec<String>,
    /// Copies of the program, run in turn instead of the first word; empty to run the program itself.
    copies: Vec<String>,
    /// Untimed work before each run.
    before: Option<Preparation>,
}

/// The work before a run.
type Preparation = Box<dyn Fn() -> io::Result<()>>;

impl Program {
    pub(crate) fn new(name: &str, words: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
            copies: Vec::new(),
            before: None,
        }
    }

    /// Runs copies of the program in turn.
    fn in_copies(self, copies: &[String]) -> Self {
        Self { copies: copies.to_vec(), ..self }
    }

    /// Adds untimed work before each run.
    pub(crate) fn after(self, work: impl Fn() -> io::Result<()> + 'static) -> Self {
        Self { before: Some(Box::new(work)), ..self }
    }

    fn prepare(&self) -> Result<(), String> {
        self.before.as_ref().map_or(Ok(()), |work| work().map_err(|e| self.failed(&e)))
    }

    fn of_peer(peer: &TimedScorer, key: &str, response: &str) -> Self {
        let fill = |word: &String| word.replace("{key}", key).replace("{response}", response);
        Self {
            name: peer.name.clone(),
            words: peer.words.iter().map(fill).collect(),
            copies: Vec::new(),
            before: None,
        }
    }

    /// Returns the command line of a round.
    fn command(&self, round: u32) -> Command {
        let copy = (round as usize).checked_rem(self.copies.len()).map(|place| &self.copies[place]);
        let mut command = Command::new(copy.unwrap_or(&self.words[0]));
        command.args(&self.words[1..]).stdin(Stdio::null());
        command
    }

    fn failed(&self, why: &dyn std::fmt::Display) -> String {
        format!("`{}` failed: {why}", self.words.join(" "))
    }

    /// Runs once, or each copy once, without timing; returns the message of a failure.
    fn warm_up(&self) -> Result<(), String> {
        (0..self.copies.len().max(1) as u32).try_for_each(|round| self.warm_up_of(round))
    }

    fn warm_up_of(&self, round: u32) -> Result<(), String> {
        self.prepare()?;
        let output = self.command(round).output().map_err(|e| self.failed(&e))?;
        if output.status.success() {
            return Ok(());
        }
        let printed = String::from_utf8_lossy(&output.stderr);
        Err(self.failed(&format!("{}\n{}", output.status, printed.trim_end())))
    }

    /// Runs once and returns the seconds from before the start to after the end of the process.
    fn time(&self, round: u32) -> Result<f64, String> {
        self.prepare()?;
        let mut command = self.command(round);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn().map_err(|e| self.failed(&e))?;
        if let Some(mut output) = child.stdout.take() {
            io::copy(&mut output, &mut io::sink()).map_err(|e| self.failed(&e))?;
        }
        let status = child.wait().map_err(|e| self.failed(&e))?;
        let seconds = started.elapsed().as_secs_f64();
        if status.success() { Ok(seconds) } else { Err(self.failed(&status)) }
    }

    /// Returns the peak resident size in bytes, measured by GNU time, or by Python if GNU time is not installed. In
    /// Python, the result is at least the size of Python itself, about 10 MB.
    fn peak_memory(&self) -> Result<u64, String> {
        /// Prints the peak of its only child in units of 1,024 bytes.
        const PYTHON: &str = "import resource, subprocess, sys\n\
            subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)\n\
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n\
            print(peak // 1024 if sys.platform == 'darwin' else peak, file=sys.stderr)";
        let wrappers: [&[&str]; 2] = [&["/usr/bin/time", "-f", "%M"], &["python3", "-c", PYTHON]];
        wrappers
            .iter()
            .find_map(|wrapper| {
                let output = Command::new(wrapper[0])
                    .args(&wrapper[1..])
                    .args(&self.words)
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .output()
                    .ok()
                    .filter(|output| output.status.success())?;
                // The output of the program precedes it.
                let printed = String::from_utf8_lossy(&output.stderr);
                Some(printed.lines().last()?.trim().parse::<u64>().ok()? * 1024)
            })
            .ok_or_else(|| self.failed(&"peak memory needs GNU time or Python 3"))
    }
}

/// The times of a program, in seconds, one for each round.
pub(crate) struct Times {
    pub(crate) name: String,
    seconds: Vec<f64>,
}

impl Times {
    pub(crate) fn median(&self) -> f64 {
        median(self.seconds.clone())
    }

    /// Returns the median of the ratios of this time to the other's in the same round.
    pub(crate) fn ratio_to(&self, other: &Self) -> f64 {
        let pairs = self.seconds.iter().zip(&other.seconds);
        median(pairs.map(|(own, other)| own / other).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Times programs alternately. Every other round has the reverse order, since a process takes longer after a large one
/// than after a small one.
pub(crate) fn time_in_turns(programs: &[Program], runs: u32) -> Result<Vec<Times>, String> {
    for program in programs {
        program.warm_up()?;
    }
    let mut times: Vec<Times> =
        programs.iter().map(|program| Times { name: program.name.clone(), seconds: Vec::new() }).collect();
    for round in 0..runs {
        let mut turns: Vec<_> = programs.iter().zip(&mut times).collect();
        if round % 2 == 1 {
            turns.reverse();
        }
        for (program, times) in turns {
            times.seconds.push(program.time(round)?);
        }
    }
    Ok(times)
}

/// The measurements on one input.
struct BenchRow<'size> {
    size: &'size Size,
    /// Key and response together.
    bytes: u64,
    peak: u64,
    score: Times,
    floor: Times,
    start: Times,
    /// This build and the previous one, timed separately: another program between two runs would favour one of them.
    builds: Option<[Times; 2]>,
    peers: Vec<Times>,
}

impl BenchRow<'_> {
    fn all_times(&self) -> impl Iterator<Item = &Times> {
        [&self.score, &self.floor, &self.start]
            .into_iter()
            .chain(self.builds.iter().flatten())
            .chain(&self.peers)
    }

    fn memory_ratio(&self) -> f64 {
        self.peak as f64 / self.bytes as f64
    }

    /// Returns the megabytes of key and response per second.
    fn speed(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.score.median()
    }

    /// Returns the time as a multiple of the previous build's.
    fn to_before(&self) -> Option<f64> {
        self.builds.as_ref().map(|[this, before]| this.ratio_to(before))
    }

    fn verdict(&self) -> &'static str {
        let slower = self.to_before().is_some_and(|ratio| ratio > SLOWER_LIMIT);
        let slow = slower || self.speed() < self.size.least_speed;
        let large = self.memory_ratio() > MEMORY_LIMIT;
        match (slow, large) {
            (false, false) => "within",
            (true, false) => "ABOVE: time",
            (false, true) => "ABOVE: memory",
            (true, true) => "ABOVE: time, memory",
        }
    }
}

/// Runs the benchmark and prints the report.
pub fn run(options: &Options) -> Result<(), String> {
    let inputs = target_directory().join("bench");
    let command = find_command(options.command.as_ref())?;
    let mut copies = CommandCopies::default();
    if let Some(before) = &options.before {
        copies.of_command = copied(&command, &inputs.join("this"))?;
        copies.of_before = copied(&find_command(Some(before))?, &inputs.join("before"))?;
    }
    let rows = sizes::select(&options.size)
        .into_iter()
        .map(|size| {
            eprintln!("{}: {} rounds", size.name, options.runs);
            measure(size, &inputs, &command, &copies, options)
        })
        .collect::<Result<Vec<BenchRow<'_>>, String>>()?;
    let tables = render_tables(&rows);
    print!("{tables}");

    if options.out.is_none() && !options.record {
        return Ok(());
    }
    let (date, time) = machine::date_and_time();
    let record = render_record(&rows, &tables, &command, &format!("{date} {time} UTC"));
    if let Some(path) = &options.out {
        fs::write(path, &record).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if options.record {
        let path = project_directory().join(format!("bench/runs/{date}.md"));
        append(&path, &record).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

fn measure<'size>(
    size: &'size Size,
    inputs: &Path,
    command: &str,
    copies: &CommandCopies,
    options: &Options,
) -> Result<BenchRow<'size>, String> {
    let pair = generate::write(size, inputs, generate::SEED)?;
    let bytes = |path: &Path| {
        fs::metadata(path).map(|file| file.len()).map_err(|e| format!("{}: {e}", path.display()))
    };
    let bytes = bytes(&pair.key)? + bytes(&pair.response)?;
    let key = pair.key.to_string_lossy();
    let response = pair.response.to_string_lossy();
    let score = ["score", "--metrics", "all", &key, &response];
    let scored = |name: &str, command: &str, copies: &[String]| {
        Program::new(name, &[&[command], &score[..]].concat()).in_copies(copies)
    };
    let builds = match copies.of_before.first() {
        Some(before) => {
            let this = scored("this build", command, &copies.of_command);
            let both = [this, scored("before", before, &copies.of_before)];
            <[Times; 2]>::try_from(time_in_turns(&both, options.runs)?).ok()
        }
        None => None,
    };
    let mut programs = vec![
        scored("corefeval", command, &copies.of_command),
        Program::new("wc -l", &["wc", "-l", &key, &response]),
        Program::new("start", &[command, "--version"]),
    ];
    let peers = options.peers.iter();
    programs.extend(peers.map(|peer| Program::of_peer(peer, &key, &response)));

    let mut times = time_in_turns(&programs, options.runs)?.into_iter();
    let mut next = || times.next().expect("times for each program");
    Ok(BenchRow {
        size,
        bytes,
        peak: programs[0].peak_memory()?,
        score: next(),
        floor: next(),
        start: next(),
        builds,
        peers: times.collect(),
    })
}

/// Copies of the command and of the previous build; empty unless both are compared.
#[derive(Default)]
struct CommandCopies {
    of_command: Vec<String>,
    of_before: Vec<String>,
}

/// The number of copies of a program.
const COPIES: usize = 16;

/// Copies a program to a folder several times. Two builds are compared as copies that are run in turn, since the place
/// in memory matters: one copy of a program took up to 1.05 times as long as another.
fn copied(program: &str, folder: &Path) -> Result<Vec<String>, String> {
    let failed = |error: io::Error| format!("{program}: {error}");
    fs::create_dir_all(folder).map_err(failed)?;
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let copy = |number: usize| {
        let copy = folder.join(format!("{number}-{name}"));
        fs::copy(program, &copy).map_err(failed)?;
        Ok(copy.to_string_lossy().into_owned())
    };
    (1..=COPIES).map(copy).collect()
}

/// Returns the command to time, in a form that does not depend on the search path.
pub(crate) fn find_command(chosen: Option<&PathBuf>) -> Result<String, String> {
    let built = || {
        let name = format!("corefeval{}", env::consts::EXE_SUFFIX);
        target_directory().join("release").join(name)
    };
    let path = chosen.cloned().unwrap_or_else(built);
    // Links are not followed: some programs depend on the name by which they are called.
    match absolute(&path) {
        Ok(found) if found.is_file() => Ok(found.to_string_lossy().into_owned()),
        _ => Err(format!(
            "{} is not a file; run `cargo build --release` first, or name a program with --command",
            path.display()
        )),
    }
}

fn project_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn target_directory() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => PathBuf::from(directory),
        None => project_directory().join("target"),
    }
}

/// Renders one line for each input, and one for each peer on each input.
fn render_tables(rows: &[BenchRow<'_>]) -> String {
    let mut table = vec![cells([
        "input", "size", "corefeval", "wc -l", "ratio", "speed", "limit", "to before", "start",
        "peak memory", "of input", "verdict",
    ])];
    let mut peers = vec![cells(["peer", "input", "time", "corefeval", "ratio"])];
    for row in rows {
        table.push(vec![
            row.size.name.to_owned(),
            megabytes(row.bytes),
            duration(row.score.median()),
            duration(row.floor.median()),
            format!("{:.2}", row.score.ratio_to(&row.floor)),
            format!("{:.0} MB/s", row.speed()),
            row.size.limit(),
            row.to_before().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}")),
            duration(row.start.median()),
            megabytes(row.peak),
            format!("{:.2}", row.memory_ratio()),
            row.verdict().to_owned(),
        ]);
        for peer in &row.peers {
            peers.push(vec![
                peer.name.clone(),
                row.size.name.to_owned(),
                duration(peer.median()),
                duration(row.score.median()),
                format!("{:.1}", peer.ratio_to(&row.score)),
            ]);
        }
    }
    let mut out = render_table(&table);
    if peers.len() > 1 {
        out.push('\n');
        out.push_str(&render_table(&peers));
    }
    out
}

fn cells<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// Renders a Markdown table, padded to be readable as plain text.
fn render_table(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..lines[0].len()).filter_map(width).collect();
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        for (cell, &width) in line.iter().zip(&widths) {
            let _ = write!(out, "| {cell:width$} ");
        }
        out.push_str("|\n");
        if number == 0 {
            for &width in &widths {
                let _ = write!(out, "|-{:-<width$}-", "");
            }
            out.push_str("|\n");
        }
    }
    out
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Renders the tables with everything needed to interpret them later.
fn render_record(rows: &[BenchRow<'_>], tables: &str, command: &str, when: &str) -> String {
    let typed: Vec<String> = env::args().skip(1).collect();
    let mut out = format!("## {when}\n\n");
    for (name, fact) in [
        ("processor", machine::processor()),
        ("cores", machine::cores()),
        ("system", machine::system()),
        ("commit", machine::commit()),
        ("command", format!("`corefeval-dev {}`", typed.join(" "))),
        ("corefeval", machine::first_line(command, &["--version"])),
        ("compiler", machine::first_line("rustc", &["--version"])),
        ("wc", machine::first_line("wc", &["--version"])),
    ] {
        let _ = writeln!(out, "- {name}: {fact}");
    }
    let _ = writeln!(out, "\n{tables}\nMilliseconds of each round, in order:\n\n```text");
    for row in rows {
        for times in row.all_times() {
            let _ = write!(out, "{} {}:", row.size.name, times.name);
            for seconds in &times.seconds {
                let _ = write!(out, " {:.3}", seconds * 1e3);
            }
            out.push('\n');
        }
    }
    out.push_str("```\n");
    out
}

/// Appends a record to the file of its day.
fn append(path: &Path, record: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if file.metadata()?.len() > 0 {
        file.write_all(b"\n")?;
    }
    file.write_all(record.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizes::SIZES;

    fn times(name: &str, seconds: &[f64]) -> Times {
        Times { name: name.to_owned(), seconds: seconds.to_vec() }
    }

    /// 20 ms for the score in the middle round, 8 ms for the floor.
    fn row() -> BenchRow<'static> {
        BenchRow {
            size: &SIZES[0],
            bytes: 10_000_000,
            peak: 15_000_000,
            score: times("corefeval", &[0.024, 0.020, 0.018]),
            floor: times("wc -l", &[0.008, 0.010, 0.006]),
            start: times("start", &[0.001; 3]),
            builds: None,
            peers: vec![times("other", &[4.8, 8.0, 3.6])],
        }
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(vec![1.0]), 1.0);
    }

    /// The ratios are 3, 2 and 3; the ratio of the medians would be 2.5.
    #[test]
    fn ratios_are_computed_within_rounds() {
        let BenchRow { score, floor, .. } = row();
        assert!((score.ratio_to(&floor) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn rows_above_a_limit_are_marked() {
        let mut row = row();
        assert_eq!(row.verdict(), "ABOVE: time");
        row.peak = 20_000_001;
        assert_eq!(row.verdict(), "ABOVE: time, memory");
        row.score = times("corefeval", &[0.010; 3]);
        assert_eq!(row.verdict(), "ABOVE: memory");
        row.peak = 20_000_000;
        assert_eq!(row.verdict(), "within");
        let both = |before: &[f64]| [times("this build", &[0.010; 3]), times("before", before)];
        row.builds = Some(both(&[0.0098, 0.0095, 0.0098]));
        assert_eq!(row.verdict(), "within");
        row.builds = Some(both(&[0.0096, 0.0095, 0.0098]));
        assert_eq!(row.verdict(), "ABOVE: time");
    }

    #[test]
    fn tables_are_aligned() {
        let lines = [cells(["input", "×"]), cells(["book", "2.50"])];
        assert_eq!(
            render_table(&lines),
            "| input | ×    |\n\
             |-------|------|\n\
             | book  | 2.50 |\n"
        );
    }

    #[test]
    fn rows_and_peers_have_one_line_each() {
        let tables = render_tables(&[row()]);
        let squeezed: Vec<String> =
            tables.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            squeezed[2],
            "| ontonotes | 10.0 MB | 20.00 ms | 8.00 ms | 3.00 | 500 MB/s | 1000 MB/s | - | 1.00 ms | 15.0 MB | 1.50 | ABOVE: time |"
        );
        assert_eq!(squeezed[6], "| other | ontonotes | 4.80 s | 20.00 ms | 200.0 |");
    }

    #[test]
    fn records_contain_every_number() {
        let record = render_record(&[row()], "TABLES\n", "no-such-command", "2000-01-01 12:00 UTC");
        assert!(record.starts_with("## 2000-01-01 12:00 UTC\n\n- processor: "));
        assert!(record.contains("\n- corefeval: unknown\n"));
        assert!(record.contains("\nTABLES\n"));
        assert!(record.contains("\nontonotes corefeval: 24.000 20.000 18.000\n"));
        assert!(record.contains("\nontonotes other: 4800.000 8000.000 3600.000\n"));
    }

    #[test]
    fn peers_are_commands_with_two_placeholders() {
        let peer = parse_peer("other=perl scorer.pl all {key} {response} none").expect("a peer");
        assert_eq!(peer.name, "other");
        let program = Program::of_peer(&peer, "a key", "b");
        assert_eq!(program.words, ["perl", "scorer.pl", "all", "a key", "b", "none"]);
        for wrong in ["other", "=run {key} {response}", "other=run {key}"] {
            assert!(parse_peer(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn failures_are_errors() {
        let missing = Program::new("missing", &["no-such-program-anywhere"]);
        assert!(missing.warm_up().is_err() && missing.time(0).is_err());
        let failing = Program::new("failing", &["sh", "-c", "echo why >&2; exit 3"]);
        let message = failing.warm_up().expect_err("a failure");
        assert!(message.contains("exit status: 3\nwhy"), "{message}");
        assert!(failing.time(0).is_err() && failing.peak_memory().is_err());
    }

    #[test]
    fn more_output_than_a_pipe_holds_is_read() {
        let program = Program::new("long", &["sh", "-c", "head -c 1000000 /dev/zero"]);
        assert!(program.time(0).is_ok_and(|seconds| seconds > 0.0));
    }

    #[test]
    fn peak_memory_is_in_bytes() {
        let program = Program::new("quiet", &["sh", "-c", "echo 1; echo 2 >&2"]);
        let peak = program.peak_memory().expect("a number");
        assert!((200_000..100_000_000).contains(&peak), "{peak}");
    }
}
