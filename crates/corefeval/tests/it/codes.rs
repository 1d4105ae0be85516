//! The codes of findings: a command triggers each, and each has a page in `docs/codes/` with its example.
//!
//! Pages are generated from the table of codes, the table of corrections and examples: the smallest sample in
//! `testdata/formats` that triggers the code, otherwise a row of `testdata/codes.json`. `COREFEVAL_BLESS=1` rewrites
//! them.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use corefeval_core::diagnostic::Code;
use corefeval_core::validation::fixes::FIXES;
use serde_json::Value;

use crate::common::{as_in, command, root, run};

/// A command that triggers a code.
#[derive(Clone)]
struct Example {
    code: String,
    run: Vec<String>,
    /// Files to create beforehand.
    files: BTreeMap<String, String>,
    /// The number of long rows to add to each file.
    rows: u64,
    /// A folder that the first run creates; its files are damaged before the second run.
    damage: Option<String>,
    /// A folder that the first run creates; its files become folders before the second run.
    block: Option<String>,
}

impl Example {
    /// Reads a row of `testdata/codes.json`.
    fn of(row: &Value) -> Example {
        let text = |name: &str| row.get(name).map(|text| text.as_str().unwrap().to_owned());
        let files = row["files"].as_object().unwrap().iter();
        let run = row["run"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
        Example {
            code: text("code").unwrap(),
            run: run.collect(),
            files: files
                .map(|(name, content)| (name.clone(), content.as_str().unwrap().to_owned()))
                .collect(),
            rows: row.get("rows").map_or(0, |rows| rows.as_u64().unwrap()),
            damage: text("damage"),
            block: text("block"),
        }
    }
}

/// The size of the longest sample that is used as an example.
const LONG: u64 = 600;

/// Returns, for each code, the smallest sample of a format that triggers it.
fn samples() -> BTreeMap<String, PathBuf> {
    let folder = root().join("testdata/formats");
    let mut folders: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("testdata/formats/{}", entry.file_name().to_string_lossy()))
        .collect();
    folders.sort();
    let mut args = vec!["validate", "--allow-empty", "--fail-on", "never", "-o", "jsonlines"];
    args.extend(folders.iter().map(String::as_str));
    let (out, _) = run(&args, 0);
    let mut found: BTreeMap<String, (u64, PathBuf)> = BTreeMap::new();
    for line in out.lines() {
        let finding: Value = serde_json::from_str(line).unwrap();
        let Some(file) = finding["file"].as_str().map(PathBuf::from) else { continue };
        let text = fs::read(root().join(&file)).unwrap_or_default();
        let size = text.len() as u64;
        let is_text = std::str::from_utf8(&text).is_ok()
            && file.extension().is_some_and(|end| end != "json" || !file.ends_with("cases.json"));
        let name = file.file_name().unwrap_or_default();
        if !is_text || size > LONG || name == "cases.json" || name == "messages.txt" || size == 0 {
            continue;
        }
        let code = finding["code"].as_str().unwrap().to_owned();
        match found.get(&code) {
            Some(known) if (known.0, &known.1) <= (size, &file) => {}
            _ => drop(found.insert(code, (size, file))),
        }
    }
    found.into_iter().map(|(code, (_, file))| (code, file)).collect()
}

/// Returns the example of each code.
fn examples() -> BTreeMap<String, Example> {
    let text = fs::read_to_string(root().join("testdata/codes.json")).unwrap();
    let rows: Value = serde_json::from_str(&text).unwrap();
    let rows: Vec<Example> = rows.as_array().unwrap().iter().map(Example::of).collect();
    let count = rows.len();
    let mut all: BTreeMap<String, Example> = rows.into_iter().map(|row| (row.code.clone(), row)).collect();
    assert_eq!(all.len(), count, "one example for each code");
    for (code, file) in samples() {
        all.entry(code.clone()).or_insert_with(|| {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let content = fs::read_to_string(root().join(&file)).unwrap();
            let mut files = BTreeMap::from([(name.clone(), content)]);
            // The text of an annotation.
            for extension in ["txt", "sgm"] {
                let base = name.split('.').next().unwrap();
                let beside = file.with_file_name(format!("{base}.{extension}"));
                if let Ok(text) = fs::read_to_string(root().join(beside)) {
                    files.insert(format!("{base}.{extension}"), text);
                }
            }
            let run = ["validate", name.as_str()].map(str::to_owned).to_vec();
            Example { code, run, files, rows: 0, damage: None, block: None }
        });
    }
    all
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}

/// Returns the output of a command: standard error after standard output.
fn printed(example: &Example) -> String {
    let folder =
        std::env::temp_dir().join(format!("corefeval-codes-{}-{}", example.code, std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (name, content) in &example.files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let rows: String = (0..example.rows).map(|row| format!("{row:0500},{}\n", row / 2)).collect();
        fs::write(path, content.clone() + &rows).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    #[cfg(unix)]
    for name in ["examples", "testdata"] {
        std::os::unix::fs::symlink(root().join(name), folder.join(name)).unwrap();
    }
    let call = || command().current_dir(&folder).args(&example.run).stdin(Stdio::null()).output().unwrap();
    if let Some(cache) = &example.damage {
        call();
        files_below(&folder.join(cache)).iter().for_each(|file| fs::write(file, "damaged").unwrap());
    }
    if let Some(cache) = &example.block {
        call();
        for file in files_below(&folder.join(cache)) {
            fs::remove_file(&file).unwrap();
            fs::create_dir_all(file.join("x")).unwrap();
        }
    }
    let output = call();
    fs::remove_dir_all(&folder).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    text(output.stdout) + &text(output.stderr)
}

/// Returns the lines about a code, with their details.
fn about(code: &str, printed: &str) -> String {
    let mark = format!("[{code}]");
    let mut kept = Vec::new();
    let mut within = false;
    for line in printed.lines() {
        if line.contains(&mark) {
            within = true;
        } else if !line.starts_with("  ") {
            within = false;
        }
        if within && kept.len() < 8 {
            kept.push(line);
        }
    }
    without_digests(&kept.join("\n"))
}

/// Replaces names of cache entries, which depend on the version of the program, by `…`.
fn without_digests(text: &str) -> String {
    let mut plain = String::new();
    let mut digits = String::new();
    for character in text.chars().chain(['\n']) {
        if character.is_ascii_hexdigit() {
            digits.push(character);
            continue;
        }
        plain.push_str(if digits.len() >= 16 { "…" } else { &digits });
        digits.clear();
        plain.push(character);
    }
    plain.truncate(plain.len() - 1);
    plain
}

/// Quotes a word for a shell.
fn typed(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
}

/// Returns the page of a code.
fn page(code: Code, example: Option<(&Example, &str)>) -> String {
    let remedy = code.remedy();
    let mut page = format!(
        "# `{}`\n\n{}\n\n| severity | remedy |\n|---|---|\n| {} | {remedy} |\n",
        code.id(),
        code.summary(),
        code.severity().label(),
    );
    for fix in FIXES.iter().filter(|fix| fix.code == code) {
        page.push_str(&format!(
            "\n`corefeval validate --fix` ({}): {}\n",
            fix.formats.join(", "),
            fix.summary
        ));
    }
    let Some((example, lines)) = example else { return page };
    page.push_str("\n## Example\n");
    let short = |text: &str| text.len() <= LONG as usize;
    let more = match example.rows {
        0 => String::new(),
        rows => format!(", with {rows} more rows of 500 characters"),
    };
    for (name, content) in example.files.iter().filter(|file| short(file.1)) {
        page.push_str(&format!("\n`{name}`{more}:\n\n````\n{}\n````\n", content.trim_end()));
    }
    page.push_str(&format!(
        "\n````console\n$ corefeval {}\n{lines}\n````\n",
        example.run.iter().map(|word| typed(word)).collect::<Vec<_>>().join(" ")
    ));
    page
}

#[test]
fn every_code_is_found_by_a_command_and_has_its_page() {
    let examples = examples();
    let mut index = "# Codes of findings\n\nGenerated from the table of codes by `COREFEVAL_BLESS=1 ./test`. A warning means that a score may be misleading;\nan error prevents scoring; a note does not require action.\n\n| code | severity | meaning |\n|---|---|---|\n".to_owned();
    let mut missing = Vec::new();
    for &code in Code::ALL {
        let id = code.id();
        index.push_str(&format!(
            "| [`{id}`]({id}.md) | {} | {} |\n",
            code.severity().label(),
            code.summary()
        ));
        let found = examples.get(id).map(|example| (example, about(id, &printed(example))));
        if found.as_ref().is_none_or(|(_, lines)| lines.is_empty()) {
            missing.push(id);
        }
        let example = found.as_ref().map(|(example, lines)| (*example, lines.as_str()));
        as_in(&format!("docs/codes/{id}.md"), &page(code, example));
    }
    assert!(missing.is_empty(), "no example triggers these codes: {missing:?}");
    as_in("docs/codes/README.md", &index);
    let known: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{}.md", code.id())).collect();
    for entry in fs::read_dir(root().join("docs/codes")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            name == "README.md" || known.contains(&name),
            "docs/codes/{name} belongs to no code: remove it"
        );
    }
}

/// Checks that the findings of a validation that have a line also have a column and an underlined text; returns their
/// number.
fn check_places(lines: &str) -> usize {
    let findings = lines.lines().filter(|line| line.starts_with('{'));
    let findings = findings.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let with_line = findings.filter(|finding| !finding["line"].is_null());
    with_line
        .inspect(|finding| {
            assert!(finding["column"].as_u64().is_some_and(|column| column > 0), "{finding:#}");
            assert!(finding["text"].is_string(), "{finding:#}");
        })
        .count()
}

/// Each sample, and the example of each code whose files can be validated: alone, or as key and response.
#[test]
fn every_finding_of_validate_with_a_line_has_a_column_and_a_text() {
    let mut folders: Vec<String> = fs::read_dir(root().join("testdata/formats"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.display().to_string())
        .collect();
    folders.sort();
    let options = ["validate", "--allow-empty", "--fail-on", "never", "-o", "jsonlines"];
    let args: Vec<&str> = options.iter().copied().chain(folders.iter().map(String::as_str)).collect();
    let mut count = check_places(&run(&args, 0).0);
    for (code, example) in examples() {
        let is_input = |word: &&String| example.files.contains_key(*word) || word.starts_with("examples/");
        let inputs: Vec<String> = example.run.iter().filter(is_input).cloned().collect();
        let words = match (example.run[0].as_str(), inputs.as_slice()) {
            ("validate", _) => example.run[1..].to_vec(),
            ("score", [key, response]) => vec!["--against".to_owned(), key.clone(), response.clone()],
            _ => continue,
        };
        let options = ["--fail-on", "never", "-o", "jsonlines"].map(str::to_owned);
        let run: Vec<String> = std::iter::once("validate".to_owned()).chain(words).chain(options).collect();
        count += check_places(&printed(&Example { run, code: format!("{code}-places"), ..example }));
    }
    assert!(count > 300, "{count} findings have a line");
}
