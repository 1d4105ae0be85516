//! The texts of the library are the same in every front end: only `wording.rs` words options and names the command.

use std::fs;
use std::path::Path;

use crate::architecture::sources;

/// Actions of the program itself, which the messages of every front end may name.
const VERBS: &[&str] = &["reads"];

/// Returns the string literals of a source, except those in comments and unit tests.
fn literals(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some(first) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|raw| (raw, raw.trim_start_matches('#')));
        rest = if rest.starts_with("//") {
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(after) = ["'\"'", "'\\\"'"].iter().find_map(|quote| rest.strip_prefix(quote)) {
            after
        } else if let Some((raw, body)) = raw.filter(|(_, body)| body.starts_with('"')) {
            let end = format!("\"{}", "#".repeat(raw.len() - body.len()));
            let (inside, after) = body[1..].split_once(&end).expect("a literal ends");
            found.push(inside.to_owned());
            after
        } else if let Some(body) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = body.find(|c| {
                let is_end = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                is_end
            });
            let end = end.expect("a literal ends");
            found.push(body[..end].to_owned());
            &body[end + 1..]
        } else {
            &rest[first.len_utf8()..]
        };
    }
    found
}

/// Returns whether a text names an option or a subcommand as users of the command type it.
fn names_the_command(text: &str) -> bool {
    let is_small = |text: &str| text.starts_with(|c: char| c.is_ascii_lowercase());
    let starts_word = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '-');
    let option = |(place, dashes): (usize, &str)| {
        starts_word(&text[..place]) && is_small(&text[place + dashes.len()..])
    };
    let subcommand = |(place, name): (usize, &str)| {
        let word = &text[place + name.len()..];
        is_small(word) && !VERBS.iter().any(|verb| word.starts_with(verb))
    };
    text.match_indices("--").any(option) || text.match_indices("corefeval ").any(subcommand)
}

#[test]
fn only_the_wording_names_the_command_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("wording.rs")) {
        let text = fs::read_to_string(file).expect("a source is text");
        let named = literals(&text).into_iter().filter(|literal| names_the_command(literal));
        wrong.extend(named.map(|literal| format!("{}: {literal}", file.display())));
    }
    // These messages are for those who build the library.
    wrong.retain(|text| !text.contains("build with --config"));
    assert!(wrong.is_empty(), "word these as parts of `wording`: {wrong:#?}");
}

#[test]
fn texts_that_name_the_command_line_are_found() {
    for (text, is_found) in [
        ("use --format", true),
        ("see `corefeval list formats`", true),
        ("a -- b", false),
        ("a--b", false),
        ("corefeval reads text", false),
        ("corefeval-cache 1", false),
    ] {
        assert_eq!(names_the_command(text), is_found, "{text}");
    }
    let source =
        "// \"a\"\nf('\"', \"b\\\"c\"); g(r#\"d\"e\"#); // \"\n\"\"\n#[cfg(test)]\nmod tests { \"t\" }";
    assert_eq!(literals(source), ["b\\\"c", "d\"e", ""]);
}
