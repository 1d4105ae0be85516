//! The pages of the documentation: every command on them runs, those whose output follows print it, and every link leads
//! somewhere.
//!
//! A command with its output is in a block marked `console`, after `$ `. A line that holds only `…` matches any number of
//! lines. `COREFEVAL_BLESS=1` writes outputs without such a line. Commands in indented blocks, in blocks without a mark, in
//! tables and in the text run in a folder that has the files that they name. The pages in `docs/codes` have a test of their
//! own (`codes.rs`); `CONTRIBUTING.md` and `ARCHITECTURE.md` are not for users of the command.

use std::fs;
use std::path::{Path, PathBuf};

use corefeval_core::metrics::METRICS;

use crate::common::{as_in, command, root};

/// How the README spells the command before it is installed.
const UNINSTALLED: &str = "cargo run --profile quick -p corefeval --no-default-features --";

/// The README and every page in `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("docs"))
        .expect("there are pages")
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

/// Returns whether `printed` is what the page shows; a line `…` matches any lines, but not everything.
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

/// The page with the output of every command as it is now, and the commands whose output the page does not show.
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
    assert!(wrong.is_empty(), "COREFEVAL_BLESS=1 writes these outputs anew\n{}", wrong.join("\n"));
}

/// The blocks of indented lines of a page, outside its fences, that call the command.
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

/// A folder with the files that pages name.
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
        (&["RESPONSE", "response.conll", "first.conll", "RESPONSES/a.conll"], "alder.conll"),
        (&["second.conll", "submissions/alder.conll", "a.conll", "runs/1.conll"], "alder.conll"),
        (&["submissions/birch.conll", "b.conll", "base.conll", "last-year.conll"], "birch.conll"),
        (&["c.conll", "runs/2.conll"], "cedar.conll"),
        (&["printed.txt"], "explain/coval.txt"),
        (&["counts.csv"], "counts/part1.csv"),
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

/// The commands in the text of a page, in its tables and in its blocks without a mark. Those in the text may continue on
/// the next line.
#[cfg(unix)]
fn inline(page: &str) -> Vec<String> {
    let (mut commands, mut paragraphs, mut fence) = (Vec::new(), vec![String::new()], None);
    for line in page.lines() {
        let text = line.trim_start();
        let item = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let begins = text.is_empty()
            || text.starts_with(['|', '#', '>'])
            || ["- ", ". "].iter().any(|mark| item.starts_with(mark));
        match (text.strip_prefix("```"), fence) {
            (Some(mark), None) => fence = Some(mark),
            (Some(_), Some(_)) => fence = None,
            (None, Some("")) if line.starts_with("corefeval ") => commands.push(line.to_owned()),
            (None, Some(_)) => {}
            (None, None) if line.starts_with("    ") => paragraphs.push(String::new()),
            (None, None) if begins => paragraphs.push(text.to_owned()),
            (None, None) => {
                if let Some(paragraph) = paragraphs.last_mut() {
                    paragraph.push(' ');
                    paragraph.push_str(text);
                }
            }
        }
    }
    for paragraph in &paragraphs {
        let spans: Vec<&str> = paragraph.split('`').collect();
        assert!(spans.len() % 2 == 1, "a code span does not close: {paragraph}");
        let is_command = |span: &&&str| {
            span.strip_prefix("corefeval ")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
        };
        let spans = spans.iter().skip(1).step_by(2).filter(is_command);
        commands.extend(spans.map(|span| span.to_string()));
    }
    commands
}

#[cfg(unix)]
#[test]
fn commands_that_continue_on_the_next_line_are_found() {
    let page =
        "Run `corefeval score KEY\nRESPONSE`, or\n- `corefeval list\n  metrics`.\n| `corefeval man` |\n";
    assert_eq!(inline(page), ["corefeval score KEY RESPONSE", "corefeval list metrics", "corefeval man"]);
}

/// Placeholders for what users fill in.
#[cfg(unix)]
const FILLED: [(&str, &str); 13] = [
    // One run of a simulation takes seconds, all of them minutes.
    ("--simulate", "--simulate --runs 1"),
    ("RESPONSE...", "RESPONSE second.conll"),
    ("RESPONSE RESPONSE second.conll", "RESPONSE second.conll"),
    ("ANSWER", "RESPONSE"),
    ("FORMAT", "conll"),
    ("NOTATION", "bracketed:link -o prompts"),
    ("formats NAME", "formats conll"),
    ("ID", "stories/stairs"),
    ("--figures DIR", "--figures figures"),
    ("COUNTS…", "counts.csv"),
    ("COUNTS COUNTS", "counts.csv counts.csv"),
    ("metrics NAME", "metrics muc"),
    ("SUB", "score"),
];

/// Commands within the text run as well. Those that name no input show an option, which has to exist.
#[cfg(unix)]
#[test]
fn commands_within_the_text_run() {
    let folder = folder_of_pages("inline-commands");
    let (mut ran, mut fragments, mut wrong) = (0, Vec::new(), Vec::new());
    for page in pages() {
        for typed in inline(&fs::read_to_string(&page).expect("a page is text")) {
            let filled = FILLED.iter().fold(typed.clone(), |text, (from, to)| text.replace(from, to));
            let output = command()
                .current_dir(&folder)
                .args(filled.split_whitespace().skip(1))
                .output()
                .expect("the command starts");
            let said = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => ran += 1,
                // Options that do not exist are found before.
                Some(2)
                    if said.contains("required arguments were not provided")
                        || said.contains("a value is required for") =>
                {
                    fragments.push(typed);
                }
                _ => wrong.push(format!("{}: {typed}\n{said}", page.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Names of subcommands are no commands to run.
    fragments.retain(|typed| typed.split_whitespace().count() > 2);
    assert!(ran >= 25 && fragments.len() <= 15, "{ran} ran; without inputs: {fragments:#?}");
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
            let block = block
                .replace("--document ID", "--document stories/stairs")
                // One run of a simulation takes seconds, all of them minutes.
                .replace("--simulate", "--simulate --runs 1");
            let mut shell = std::process::Command::new("sh");
            shell.args(["-e", "-c", &block]).env("PATH", &path).current_dir(&folder);
            let done = shell.output().expect("a shell starts");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}:\n{block}{said}", page.display());
            count += block.lines().filter(|line| line.starts_with("corefeval ")).count();
        }
    }
    assert!(count >= 25, "{count} commands");
}

/// The file part of every relative link of a page.
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
        // Blocks of code hold examples of annotation that look like links.
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
fn the_readme_stays_short() {
    let lines = fs::read_to_string(root().join("README.md")).expect("there is a README").lines().count();
    assert!(lines <= 250, "README.md has {lines} lines; what is more belongs into docs/");
}

/// The programs of a page in Rust, without blank lines. In doc comments lines after `# ` are hidden.
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

/// The README itself is no doc comment: its programs are those on the front pages of the crates, where they run.
#[test]
fn rust_programs_of_the_readme_are_doctests() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a text");
    let front = |name: &str| -> String {
        let source = read(&format!("crates/{name}/src/lib.rs"));
        source.lines().filter_map(|line| line.strip_prefix("//!")).flat_map(|line| [line, "\n"]).collect()
    };
    let doctests: Vec<Vec<String>> = ["corefeval-metrics", "corefeval-report"]
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

/// The page of all metrics, made of the table of metrics.
fn page_of_metrics() -> String {
    let mut page = "# Metrics\n\nGenerated from the table of metrics by `COREFEVAL_BLESS=1 ./test`. References are keys of the\n[bibliography](bibliography.md).\n\n| id | metric | what it is |\n|---|---|---|\n".to_owned();
    for metric in METRICS {
        page.push_str(&format!("| `{}` | {} | {} |\n", metric.id, metric.label, metric.summary));
    }
    for metric in METRICS {
        // A link to an item of the source is plain text on the page.
        let text = metric.page().replace("[ACE-value](VALUE)", "ACE-value");
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
