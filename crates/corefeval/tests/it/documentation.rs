//! The pages of the documentation: every command on them runs and prints the output that follows it, and every link has
//! a target.
//!
//! A command with its output is in a block marked `console`, after `$ `. A line with only `…` matches any number of lines.
//! `COREFEVAL_BLESS=1` writes outputs without such a line. Other commands run in a folder with the files that they name:
//! those in indented blocks, in blocks without a mark, in tables and in the text. Options and programs of the repository
//! that the text names must exist. Separate tests cover the pages in `docs/codes` (`codes.rs`) and the commands of
//! `corefeval-dev` (in its crate).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use corefeval_core::bibliography::BIBLIOGRAPHY;
use corefeval_core::formats::FORMATS;
use corefeval_core::metrics::METRICS;

use crate::common::{as_in, command, root};

/// The command before its installation, as in the README.
const UNINSTALLED: &str = "cargo run --profile quick -p corefeval --no-default-features --";

/// Returns the paths of the README and of every page in `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("docs"))
        .expect("pages")
        .map(|entry| entry.expect("an entry of a folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.extend(["README.md", "examples/README.md", "bench/README.md"].map(|page| root().join(page)));
    pages.sort();
    pages
}

/// Runs a command of a page; standard error follows standard output.
fn printed(typed: &str) -> String {
    let typed = typed.replace(UNINSTALLED, "corefeval");
    let mut words = typed.split_whitespace();
    assert_eq!(words.next(), Some("corefeval"), "{typed}");
    let output = command().args(words).output().expect("the command starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command prints UTF-8");
    text(output.stdout) + &text(output.stderr)
}

/// Returns whether `printed` equals the output on the page; a line `…` matches any lines, but not everything.
fn shows(page: &str, printed: &str) -> bool {
    if page.trim() == "…" {
        return false;
    }
    let mut rest = Some(printed.trim_end());
    let parts: Vec<&str> = page.trim_end().split("…\n").collect();
    for (number, part) in parts.iter().enumerate() {
        let part = part.strip_suffix('…').unwrap_or(part);
        let open = page.trim_end().ends_with('…') || number + 1 < parts.len();
        rest = rest.and_then(|rest| match (number, open) {
            (0, true) => rest.strip_prefix(part),
            (0, false) => (rest == part).then_some(""),
            (_, true) => rest.split_once(part).map(|split| split.1),
            (_, false) => rest.strip_suffix(part),
        });
    }
    rest.is_some()
}

/// Returns the page with the current output of every command, and the commands whose output the page does not show.
fn with_outputs(text: &str) -> (String, Vec<String>) {
    let (mut page, mut differing) = (String::new(), Vec::new());
    let mut parts = text.split("```console\n");
    page.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (block, after) = part.split_once("```").expect("a block ends");
        page.push_str("```console\n");
        for example in block.split("$ ").skip(1) {
            let (typed, wanted) = example.split_once('\n').expect("a command ends its line");
            let now = printed(typed);
            let gap = if wanted.ends_with("\n\n") { "\n" } else { "" };
            page.push_str(&format!("$ {typed}\n"));
            match shows(wanted, &now) {
                true => page.push_str(wanted),
                false => {
                    page.push_str(&format!("{}\n{gap}", now.trim_end()));
                    differing.push(format!("$ {typed}\n{now}"));
                }
            }
        }
        page.push_str("```");
        page.push_str(after);
    }
    (page, differing)
}

#[test]
fn commands_print_what_the_pages_show() {
    let mut wrong = Vec::new();
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a page is text");
        let (page, differing) = with_outputs(&text);
        if std::env::var_os("COREFEVAL_BLESS").is_some() {
            fs::write(&path, &page).expect("the page can be written");
        } else {
            wrong.extend(differing.into_iter().map(|example| format!("{}: {example}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "COREFEVAL_BLESS=1 rewrites these outputs\n{}", wrong.join("\n"));
}

/// The tables of the README have every metric, and every format except answers of language models, which have their own page.
#[test]
fn the_readme_lists_all_metrics_and_formats() {
    let page = fs::read_to_string(root().join("README.md")).expect("the README is text");
    let listed = |head: &str| -> BTreeSet<String> {
        let table = page.split_once(head).expect("the table").1.split("\n\n").next().unwrap_or_default();
        let first = table.lines().filter_map(|line| line.split('|').nth(1));
        first.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
    };
    let metrics: BTreeSet<String> = METRICS.iter().map(|metric| metric.id.to_owned()).collect();
    assert_eq!(listed("| metric | | reference |"), metrics);
    let formats = FORMATS.iter().filter(|format| !format.is_answer());
    assert_eq!(listed("| format | files |"), formats.map(|format| format.id.to_owned()).collect());
}

/// Returns the blocks of indented lines of a page, outside its fences, that call the command.
#[cfg(unix)]
fn indented(page: &str) -> Vec<String> {
    let (mut blocks, mut block, mut fenced) = (Vec::new(), String::new(), false);
    for line in page.lines().chain([""]) {
        fenced ^= line.starts_with("```");
        match line.strip_prefix("    ").filter(|_| !fenced) {
            Some(typed) => {
                // The description of the command follows it, at some distance.
                block.push_str(typed.split("   ").next().unwrap_or_default());
                block.push('\n');
            }
            None => blocks.push(std::mem::take(&mut block)),
        }
    }
    blocks.retain(|block| block.lines().any(|line| line.starts_with("corefeval ")));
    blocks
}

/// Makes a folder with the files that pages name.
#[cfg(unix)]
fn folder_of_pages(name: &str) -> PathBuf {
    let folder = crate::common::place(name);
    let _ = fs::remove_dir_all(&folder);
    for name in ["KEYS", "RESPONSES", "submissions", "runs"] {
        fs::create_dir_all(folder.join(name)).expect("the folder can be made");
    }
    std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).expect("a link can be made");
    for (names, from) in [
        (&["KEY", "key.conll", "KEYS/a.conll"][..], "key.conll"),
        (&["RESPONSE", "ANSWER", "response.conll", "first.conll", "RESPONSES/a.conll"], "alder.conll"),
        (&["second.conll", "submissions/alder.conll", "a.conll", "runs/1.conll"], "alder.conll"),
        (&["submissions/birch.conll", "b.conll", "base.conll", "last-year.conll"], "birch.conll"),
        (&["c.conll", "runs/2.conll"], "cedar.conll"),
        (&["printed.txt"], "explain/coval.txt"),
        (&["counts.csv", "alder.csv", "birch.csv"], "counts/part1.csv"),
    ] {
        for name in names {
            fs::copy(root().join("examples").join(from), folder.join(name)).expect("the file can be copied");
        }
    }
    let text = "{\"type\": \"clusters\", \"clusters\": {\"e1\": [\"a\", \"b\"]}}";
    for name in ["KEY.json", "RESPONSE.json"] {
        fs::write(folder.join(name), text).expect("the file can be written");
    }
    folder
}

/// Returns the code spans in the text and the tables of a page, which may continue on the next line.
fn spans(page: &str) -> Vec<String> {
    let (mut paragraphs, mut fenced) = (vec![String::new()], false);
    for line in page.lines() {
        let text = line.trim_start();
        let item = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let begins = text.is_empty()
            || text.starts_with(['|', '#', '>'])
            || ["- ", ". "].iter().any(|mark| item.starts_with(mark));
        if text.starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            paragraphs.push(String::new());
        } else if begins {
            paragraphs.push(text.to_owned());
        } else if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push(' ');
            paragraph.push_str(text);
        }
    }
    let spans_of = |paragraph: &String| -> Vec<String> {
        let spans: Vec<&str> = paragraph.split('`').collect();
        assert!(spans.len() % 2 == 1, "a code span does not close: {paragraph}");
        spans.into_iter().skip(1).step_by(2).map(str::to_owned).collect()
    };
    paragraphs.iter().flat_map(spans_of).collect()
}

/// Returns the lines of the blocks of a page that have no mark: those between fences, and the indented ones.
/// Descriptions, which follow a command at some distance, are left out.
fn typed_lines(page: &str) -> [Vec<&str>; 2] {
    let ([mut fenced, mut indented], mut fence) = ([Vec::new(), Vec::new()], None);
    for line in page.lines() {
        match (line.trim_start().strip_prefix("```"), fence) {
            (Some(mark), None) => fence = Some(mark),
            (Some(_), Some(_)) => fence = None,
            (None, Some("")) => fenced.push(line),
            (None, None) => indented.extend(line.strip_prefix("    ")),
            (None, Some(_)) => {}
        }
    }
    [fenced, indented].map(|lines| {
        lines.into_iter().map(|line| line.trim_start().split("   ").next().unwrap_or_default()).collect()
    })
}

/// Returns the commands in the text of a page, in its tables and in its fences without a mark.
#[cfg(unix)]
fn inline(page: &str) -> Vec<String> {
    let is_command = |span: &String| {
        span.strip_prefix("corefeval ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let [fenced, _] = typed_lines(page);
    spans(page).into_iter().chain(fenced.into_iter().map(str::to_owned)).filter(is_command).collect()
}

#[cfg(unix)]
#[test]
fn commands_that_continue_on_the_next_line_are_found() {
    let page =
        "Run `corefeval score KEY\nRESPONSE`, or\n- `corefeval list\n  metrics`.\n| `corefeval man` |\n";
    assert_eq!(inline(page), ["corefeval score KEY RESPONSE", "corefeval list metrics", "corefeval man"]);
}

/// Words of commands that are not files and that users replace, with their values.
#[cfg(unix)]
const FILLED: [(&str, &str); 6] = [
    ("RESPONSE...", "second.conll"),
    ("FORMAT", "conll"),
    ("NOTATION", "bracketed:link"),
    ("NAME", "conll"),
    ("ID", "stories/stairs"),
    // One run of a simulation takes seconds; all runs take minutes.
    ("--simulate", "--simulate --repeats 1"),
];

/// Returns a command with all of its words filled in.
#[cfg(unix)]
fn filled(typed: &str) -> String {
    let fill = |word: &str| {
        let bare = word.trim_end();
        let filled = FILLED.iter().find(|(name, _)| *name == bare).map_or(bare, |(_, filled)| filled);
        format!("{filled}{}", &word[bare.len()..])
    };
    typed.split_inclusive(char::is_whitespace).map(fill).collect()
}

/// Every span of two or more words that starts with `corefeval` is a command that runs. Two words without the required
/// inputs name a subcommand.
#[cfg(unix)]
#[test]
fn commands_within_the_text_run() {
    let folder = folder_of_pages("inline-commands");
    let (mut ran, mut wrong) = (0, Vec::new());
    for page in pages() {
        for typed in inline(&fs::read_to_string(&page).expect("a page is text")) {
            let filled = filled(&typed);
            let words: Vec<&str> = filled.split_whitespace().skip(1).collect();
            let output = command().current_dir(&folder).args(&words).output().expect("the command starts");
            let errors = String::from_utf8_lossy(&output.stderr);
            let names = words.len() == 1
                && output.status.code() == Some(2)
                && errors.contains("required arguments were not provided");
            match output.status.success() {
                true => ran += 1,
                false if names => {}
                false => wrong.push(format!("{}: {typed}\n{errors}", page.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "complete these commands, or name the subcommand alone\n{}", wrong.join("\n"));
    assert!(ran >= 45, "{ran} ran");
}

/// Options in the text, alone or after a subcommand, exist.
#[test]
fn options_within_the_text_exist() {
    let mut command = corefeval::command();
    command.build();
    let names = |command: &clap::Command| {
        command
            .get_arguments()
            .filter_map(|argument| argument.get_long())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let known: BTreeSet<String> = command.get_subcommands().chain([&command]).flat_map(names).collect();
    let mut count = 0;
    // The page about benchmarks names options of `corefeval-dev`.
    for path in pages().into_iter().filter(|path| !path.ends_with("bench/README.md")) {
        let page = fs::read_to_string(&path).expect("a page is text");
        for span in spans(&page) {
            let ours = span.starts_with("--") || span.starts_with("corefeval ");
            for word in span.split_whitespace().filter(|_| ours) {
                let Some(option) = word.strip_prefix("--") else { continue };
                let name = option.split('=').next().unwrap_or_default();
                assert!(known.contains(name), "{}: unknown option --{name}: `{span}`", path.display());
                count += 1;
            }
        }
    }
    assert!(count >= 250, "{count} options");
}

/// Programs of the repository that pages name exist, and accept the options given there.
#[test]
fn programs_of_the_repository_exist() {
    let extra = ["ARCHITECTURE.md", "CONTRIBUTING.md", "fuzz/README.md", "release/README.md"];
    let (mut count, mut wrong) = (0, Vec::new());
    for path in pages().into_iter().chain(extra.map(|page| root().join(page))) {
        let page = fs::read_to_string(&path).expect("a page is text");
        let typed = typed_lines(&page).concat().into_iter().map(str::to_owned).chain(spans(&page));
        for command in typed.flat_map(|typed| typed.split("&&").map(str::to_owned).collect::<Vec<_>>()) {
            let mut words = command.split_whitespace().filter(|word| !word.contains('=')).peekable();
            words.next_if(|word| ["python", "python3", "sh", "bash"].contains(word));
            // A place in a file includes line and column.
            let Some(program) = words.next().and_then(|word| word.split(':').next()) else { continue };
            let place = root().join(program);
            let folder = place.parent().filter(|_| program.contains('/')).unwrap_or(Path::new(""));
            // Other paths belong to users, and NAME is a file to add.
            let ours = folder.starts_with(root()) && folder.is_dir() && folder != root().join("target");
            if program != "./test" && (!ours || program.ends_with('/') || program.contains("NAME")) {
                continue;
            }
            let text = fs::read_to_string(&place).unwrap_or_default();
            if !place.exists() {
                wrong.push(format!("{}: there is no {program}: {command}", path.display()));
            }
            for option in words.filter(|word| word.starts_with("--") && !text.contains(*word)) {
                wrong.push(format!("{}: {program} has no {option}", path.display()));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 60, "{count} programs and files");
}

/// Commands in indented blocks run too.
#[cfg(unix)]
#[test]
fn commands_without_their_output_run() {
    let folder = folder_of_pages("indented-commands");
    let own = Path::new(env!("CARGO_BIN_EXE_corefeval")).parent().expect("a folder");
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    for page in pages() {
        for block in indented(&fs::read_to_string(&page).expect("a page is text")) {
            let block = filled(&block);
            let mut shell = std::process::Command::new("sh");
            shell.args(["-e", "-c", &block]).env("PATH", &path).current_dir(&folder);
            let done = shell.output().expect("a shell starts");
            let errors = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}:\n{block}{errors}", page.display());
            count += block.lines().filter(|line| line.starts_with("corefeval ")).count();
        }
    }
    assert!(count >= 25, "{count} commands");
}

/// The place that runs a command of a page, if not this test.
enum Runs {
    /// A test or a workflow: a file of the repository, and the words with which it calls the command.
    By(&'static str, &'static str),
    /// Nothing runs it, for this reason.
    Nothing(&'static str),
}

use Runs::{By, Nothing};

/// The commands of pages that are not `corefeval`, by their first words. The longest match applies.
const ELSEWHERE: &[(&str, Runs)] = &[
    ("./test", By(".ci/run", "./test")),
    (".ci/chaos.py COMMAND", By(".ci/run", "python3 .ci/chaos.py")),
    (".ci/mutants NAME", Nothing("takes hours, and a mutant needs a decision")),
    (".ci/originals FOLDER", By(".ci/python", ".ci/originals")),
    (".ci/python", By(".ci/run", ".ci/python")),
    (".ci/run", Nothing("runs all tests, of which this is one")),
    ("cargo add --path", Nothing("changes another package; the examples that it is for are tests")),
    (
        "cargo build --no-default-features",
        By(".ci/run", "cargo check --quiet -p corefeval --no-default-features"),
    ),
    ("cargo build --release", By("release/binary", "cargo build --locked --release --package corefeval")),
    ("cargo build --release -p corefeval --features", By(".ci/run", "--features parquet,arrow")),
    ("cargo install --locked cargo-mutants", Nothing("installs a tool that takes hours to use")),
    ("cargo install --path crates/corefeval", By("release/crates", "--package corefeval")),
    ("cargo login", Nothing("needs an account of the registry")),
    ("cargo logout", Nothing("needs an account of the registry")),
    (
        "cargo run --no-default-features",
        By(".ci/run", "cargo check --quiet -p corefeval --no-default-features"),
    ),
    ("cargo run --release -p corefeval-dev --", By("crates/corefeval-dev/src/main.rs", "bench/README.md")),
    ("cargo run -p corefeval-dev -- answers", By("crates/corefeval-dev/src/main.rs", "bench/README.md")),
    ("for zip in submissions/*.zip", By(".ci/codabench.py", "```sh")),
    ("fuzz/run TARGET", By(".ci/run", "fuzz/run all")),
    ("fuzz/run --counts", Nothing("counts what long runs left on a machine")),
    ("fuzz/run all", By(".ci/run", "fuzz/run all")),
    ("fuzz/run fill", Nothing("runs for hours")),
    ("fuzz/run readers", By(".ci/run", "fuzz/run all")),
    ("gh attestation verify", Nothing("needs a published release")),
    ("git push", Nothing("publishes a release")),
    ("git tag", Nothing("publishes a release")),
    ("npm login", Nothing("needs an account of the registry")),
    ("npm logout", Nothing("needs an account of the registry")),
    ("pip install .", By(".ci/python", "pip\" install --quiet --disable-pip-version-check .")),
    ("pip install corefeval", By("release/first-score", "--find-links \"$folder\" corefeval")),
    ("pip install duckdb", Nothing("is for a measurement, on a machine that does nothing else")),
    ("podman build", By("release/container", "build -t corefeval")),
    ("podman run", By("release/container", "run --rm --network none")),
    ("python bench/", Nothing("is a measurement, on a machine that does nothing else")),
    ("python -m pytest", By(".ci/python", "-m pytest")),
    ("python corefud-scorer.py", Nothing("is another scorer; the conformance cases have its scores")),
    ("python scorer.py", Nothing("is another scorer; the conformance cases have its scores")),
    ("python ua-scorer.py", Nothing("is another scorer; the conformance cases have its scores")),
    ("python3 -m venv", By(".ci/python", "python3 -m venv")),
    ("python3 .ci/limits.py", Nothing("fills memory on purpose")),
    ("python3 .github/action/check.py", By(".ci/developers.py", "INPUT_KEY=…")),
    ("python3 examples/codabench/build", By(".ci/codabench.py", "python3 examples/codabench/build")),
    (
        "python3 testdata/significance/coverage.py",
        Nothing("repeats a simulation of hours with another program"),
    ),
    ("release/crates", By(".github/workflows/release.yml", "run: release/crates")),
    ("release/crates --publish", By("release/test.py", "\"--publish\"")),
    ("release/npm", By(".github/workflows/release.yml", "run: release/npm dist")),
    ("release/npm --publish-first", By("release/test.py", "\"--publish-first\"")),
    ("release/version", By("release/test.py", "\"release/version\"")),
    ("rm \"$zip\"; done", By(".ci/codabench.py", "```sh")),
    ("sha256sum", By("release/test.py", "sha256sum")),
    ("site/build", By(".ci/run", "site/build")),
    ("venv/bin/", By(".ci/python", "-m pytest")),
    ("web/page/bench", Nothing("is a measurement, on a machine that does nothing else")),
    ("web/page/build", By("web/page/test", "./build")),
    ("web/page/test", By(".ci/run", "web/page/test")),
];

/// Returns the commands of a page of the site that are not `corefeval`, without variables of the environment: all lines of blocks
/// marked `sh`, and other lines and spans that start with a program of the repository or one of these.
fn other_commands(page: &str) -> Vec<String> {
    let tools =
        ["cargo", "docker", "gh", "git", "node", "npm", "pip", "podman", "python", "python3", "sha256sum"];
    let in_shell = page.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let in_shell = in_shell.flat_map(|(block, _)| block.lines().map(|line| (line.to_owned(), true)));
    let typed = typed_lines(page).concat().into_iter().map(|line| (line.to_owned(), false));
    let inline = spans(page).into_iter().filter(|span| span.contains(' ')).map(|span| (span, false));
    let lines = in_shell.chain(typed).chain(inline).flat_map(|(line, shell)| {
        let line = line.split(" #").next().unwrap_or_default().to_owned();
        line.split(" && ").map(|command| (command.trim().to_owned(), shell)).collect::<Vec<_>>()
    });
    let bare = |(command, shell): (String, bool)| {
        let words: Vec<&str> = command.split(' ').skip_while(|word| word.contains('=')).collect();
        let first = words.first()?.trim_start_matches("venv/bin/");
        // Files that a page builds may be missing.
        let program = first.contains('/') && !first.contains('.') && !first.starts_with("target/");
        let ours = program && root().join(first).is_file() || first == "./test" || first.starts_with(".ci/");
        let known = words.len() > 1 && tools.contains(&first) || ours && root().join(first).is_file();
        let is_ours = command.starts_with("corefeval ")
            || command.replace(UNINSTALLED, "corefeval ").starts_with("corefeval ");
        ((known || shell) && !is_ours).then(|| words.join(" "))
    };
    lines.filter_map(bare).collect()
}

/// Every command on every page of the site is run, by the tests above or as listed in [`ELSEWHERE`].
#[test]
fn other_commands_are_run_elsewhere() {
    let prepare = fs::read_to_string(root().join("site/prepare.py")).expect("the script of the site");
    let project =
        prepare.split_once("PROJECT = {").and_then(|(_, rest)| rest.split_once('}')).expect("its pages").0;
    let project = project.split('"').skip(1).step_by(4).map(|page| root().join(page));
    // The changelog names commands of earlier versions.
    let project = project.filter(|page| !page.ends_with("CHANGELOG.md"));
    let all: BTreeSet<PathBuf> = pages().into_iter().chain(project).collect();
    assert!(all.contains(&root().join("release/README.md")) && all.len() >= 35, "{all:?}");
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for path in &all {
        for command in other_commands(&fs::read_to_string(path).expect("a page is text")) {
            let fits = ELSEWHERE.iter().filter(|row| command.starts_with(row.0));
            match fits.max_by_key(|row| row.0.len()) {
                Some(row) => _ = used.insert(row.0),
                None => wrong.push(format!("{}: {command}", path.display())),
            }
        }
    }
    for (command, runs) in ELSEWHERE {
        if !used.contains(command) {
            wrong.push(format!("no page has `{command}`"));
        }
        match runs {
            By(file, words)
                if !fs::read_to_string(root().join(file)).is_ok_and(|text| text.contains(words)) =>
            {
                wrong.push(format!("{file} does not run `{words}`"));
            }
            By(..) => {}
            Nothing(reason) => assert!(reason.len() > 10, "{command}"),
        }
    }
    assert!(
        wrong.is_empty(),
        "commands that nothing runs, or rows of ELSEWHERE that are not needed\n{}",
        wrong.join("\n")
    );
}

/// Returns the file part of every relative link of a page.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link).filter_map(
        |link| {
            let file = link.split('#').next().unwrap_or_default();
            (!file.is_empty() && !file.contains("://") && !file.contains(' ')).then_some(file)
        },
    )
}

#[test]
fn links_lead_to_files() {
    let extra = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root().join(page));
    for path in pages().into_iter().chain(extra) {
        let text = fs::read_to_string(&path).expect("a page is text");
        // Blocks of code contain examples of annotation that look like links.
        let prose: String = text
            .split("\n    ")
            .enumerate()
            .map(
                |(number, part)| {
                    if number == 0 { part } else { part.split_once('\n').map_or("", |split| split.1) }
                },
            )
            .collect();
        for link in links(&prose) {
            let folder = path.parent().unwrap_or(Path::new(""));
            assert!(folder.join(link).exists(), "{} links to {link}, which does not exist", path.display());
        }
    }
}

#[test]
fn the_first_pages_stay_short() {
    for (page, most) in [("README.md", 250), ("ARCHITECTURE.md", 70)] {
        let lines = fs::read_to_string(root().join(page)).expect("a page is text").lines().count();
        assert!(lines <= most, "{page} has {lines} lines; move details to docs/");
    }
}

/// Returns the programs of a page in Rust, without blank lines. In doc comments lines after `# ` are hidden.
fn programs(page: &str, fences: &[&str]) -> Vec<Vec<String>> {
    let (mut programs, mut program): (Vec<Vec<String>>, Option<Vec<String>>) = (Vec::new(), None);
    for line in page.lines().map(str::trim) {
        match &mut program {
            None if fences.contains(&line) => program = Some(Vec::new()),
            None => {}
            Some(_) if line == "```" => programs.extend(program.take()),
            Some(lines) if !line.is_empty() && !line.starts_with("# ") => lines.push(line.to_owned()),
            Some(_) => {}
        }
    }
    programs
}

/// The README is not a doc comment: its programs are on the front pages of the crates, where they run.
#[test]
fn rust_programs_of_the_readme_are_doctests() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a text");
    let front = |name: &str| -> String {
        let source = read(&format!("crates/{name}/src/lib.rs"));
        source.lines().filter_map(|line| line.strip_prefix("//!")).flat_map(|line| [line, "\n"]).collect()
    };
    let doctests: Vec<Vec<String>> = ["corefeval", "corefeval-metrics", "corefeval-report"]
        .iter()
        .flat_map(|name| programs(&front(name), &["```", "```standalone_crate"]))
        .collect();
    let shown = programs(&read("README.md"), &["```rust"]);
    assert_eq!(shown.len(), 2, "two partitions, and two files");
    for program in shown {
        assert!(program.len() <= 5, "more than five lines: {program:#?}");
        assert!(doctests.contains(&program), "no front page runs {program:#?}");
    }
}

/// Returns the anchor of a heading, as on the site and on GitHub.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the title of the page of a metric.
fn title_of(page: &str) -> Option<&str> {
    page.trim().lines().next()?.strip_prefix("# ")
}

/// Returns the page of all metrics, generated from the table of metrics.
fn page_of_metrics() -> String {
    let mut page = "# Metrics\n\n<!-- Generated from the table of metrics by `COREFEVAL_BLESS=1 ./test`. -->\n\nThis page defines each metric, with edge cases, an example, references, and differences from other scorers. Names are those of\n`--metrics`, JSON and Python. The [bibliography](bibliography.md) has the references of all pages.\n\n| name | metric | summary |\n|---|---|---|\n".to_owned();
    for metric in METRICS {
        let title = title_of(&metric.explanation()).unwrap_or(metric.label).to_owned();
        let anchor = anchor(&format!("{title} ({})", metric.id));
        page.push_str(&format!("| `{}` | [{}](#{anchor}) | {} |\n", metric.id, metric.label, metric.summary));
    }
    for metric in METRICS {
        // A link to an item of the source is plain text on the page.
        let text = metric.explanation().replace("[ACE-value](VALUE)", "ACE-value");
        let mut lines = text.trim().lines().peekable();
        let title = lines.next_if(|line| line.starts_with("# ")).map_or(metric.label, |line| &line[2..]);
        page.push_str(&format!("\n## {title} (`{}`)\n", metric.id));
        for line in lines {
            match line.strip_prefix("## ") {
                Some(heading) => page.push_str(&format!("### {heading}\n")),
                None => page.push_str(&format!("{}\n", line.trim_end())),
            }
        }
    }
    page
}

#[test]
fn the_page_of_metrics_is_current() {
    as_in("docs/metrics.md", &page_of_metrics());
}

/// Returns the page of the bibliography, generated from its table.
fn page_of_the_bibliography() -> String {
    let mut page = "# Bibliography\n\n<!-- Generated from the bibliography of corefeval-core by `COREFEVAL_BLESS=1 ./test`. -->\n\nThe profiles and the source cite the keys in the first column.\n".to_owned();
    for subject in &BIBLIOGRAPHY {
        page += &format!("\n## {}\n\n| key | reference | here |\n|---|---|---|\n", subject.title);
        for work in subject.references {
            page += &format!("| `{}` | {} | {} |\n", work.key, work.text, work.here);
        }
    }
    page
}

#[test]
fn the_bibliography_is_current() {
    as_in("docs/bibliography.md", &page_of_the_bibliography());
}
