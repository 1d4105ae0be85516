//! Helpers for all tests of the command: they run it and compare its output with a file.
#![allow(dead_code, reason = "each test uses a part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use corefeval_report::{Kind, OUTPUTS};

/// Returns the folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace has a root")
}

/// Returns the command, to be run in that folder with empty standard input.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_corefeval"));
    command.current_dir(root()).env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

/// Runs the command, which must exit with `status`, and returns both outputs.
pub fn run(args: &[&str], status: i32) -> (String, String) {
    let output = command().args(args).output().expect("the command starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command prints UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(status), "{args:?}\n{out}{err}");
    (out, err)
}

/// Returns the outputs that every kind of report has and that golden files test. HTML has the same tables as Markdown, and
/// separate tests.
pub fn golden_outputs() -> impl Iterator<Item = &'static str> {
    let has_all = |kinds: fn(Kind) -> bool| Kind::ALL.iter().all(|kind| kinds(*kind));
    OUTPUTS.iter().filter(move |spec| has_all(spec.supports) && spec.id != "html").map(|spec| spec.id)
}

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";
const BIRCH: &str = "examples/birch.conll";

/// Returns command lines that print the reports of a kind, without the output. The first one is quick.
pub fn lines_of(kind: Kind) -> &'static [&'static [&'static str]] {
    match kind {
        Kind::Scores => &[
            &["score", "-q", "-m", "muc,conll", KEY, ALDER],
            &["score", "-q", "--by", "entity-size", KEY, ALDER, BIRCH],
            &["cone", "-q", "--key-approximate", ALDER],
            &["probe", "-q", KEY, ALDER],
        ],
        Kind::Comparison => &[&["compare", "-q", "-m", "muc", "--resamples", "50", KEY, ALDER, BIRCH]],
        Kind::Agreement => &[&["agree", "-q", "-m", "muc", "--resamples", "50", KEY, ALDER]],
        Kind::Correlation => &[
            &["correlate", "-q", "--x", "muc", "--y", "lea", "--resamples", "50", KEY, ALDER, BIRCH],
            &["cone", "-q", "--correlate", "examples/voyages/key.conll", "examples/voyages/oak.conll"],
        ],
        Kind::Check => {
            &[&["cone", "-q", "--key-approximate", "--annotated", "examples/names/annotated.conll", ALDER]]
        }
        Kind::Errors => &[&["errors", "-q", KEY, ALDER]],
        Kind::Documents => &[&["show", "-q", "--document", "stories/stairs", KEY, ALDER]],
        Kind::Explanation => &[&["explain", "-q", KEY, ALDER]],
        Kind::Stats => &[&["stats", "-q", KEY], &["stats", "-q", "--by", "document", KEY]],
        Kind::Validation => {
            &[&["validate", "-q", "--fail-on", "never", "testdata/formats/conll-broken/unclosed.conll"]]
        }
        Kind::Reproduction => &[&["reproduce"], &["reproduce", "--simulate"]],
        Kind::List => &[&["list"], &["list", "formats", "conll"]],
        other => panic!("no command prints {other:?}"),
    }
}

/// Returns a document of the CoNLL format with a line for each cell of the coreference column.
pub fn document(id: &str, cells: &[&str]) -> String {
    let lines: String = cells.iter().map(|cell| format!("w\t{cell}\n")).collect();
    format!("#begin document ({id}); part 000\n{lines}#end document\n")
}

/// Writes key and response of three documents. In the last one both sides have one mention, so that link metrics are undefined.
pub fn with_undefined_document(name: &str) -> [String; 2] {
    [("key", "(2)"), ("response", "(1)")].map(|(side, third)| {
        let whole = document("a", &["(1)", "(1)", "(2)", "(2)"]);
        let half = document("b", &["(1)", "(1)", third, "(2)", "(2)"]);
        file(&format!("{name}-{side}.conll"), [whole, half, document("c", &["(1)"])].concat())
    })
}

/// Compares with a file of the project, in which VERSION replaces the version; `COREFEVAL_BLESS=1` writes it.
pub fn as_in(file: &str, found: &str) {
    let path = root().join(file);
    let found = found.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    if std::env::var_os("COREFEVAL_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(&path, &found).expect("the file can be written");
    }
    let wanted = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "{file} differs; COREFEVAL_BLESS=1 rewrites it\n--- found\n{found}");
}

/// Compares with `testdata/golden/NAME`, in which SIGNATURE and SETTINGS replace the signature and the settings, so
/// that a new setting or another default changes only the files of [`golden_with_signature`].
pub fn golden(name: &str, found: &str) {
    as_in(&format!("testdata/golden/{name}"), &without_settings(&without_signatures(found)));
}

/// Compares with `testdata/golden/NAME`, signatures included.
pub fn golden_with_signature(name: &str, found: &str) {
    as_in(&format!("testdata/golden/{name}"), found);
}

/// Replaces all settings (the object in JSON, on one line or several, and the note of --verbose) by SETTINGS.
fn without_settings(text: &str) -> String {
    if let Some((before, rest)) = text.split_once("note: settings: ") {
        let (_, after) = rest.split_once('\n').expect("a line ends");
        return format!("{before}note: settings: SETTINGS\n{after}");
    }
    let Some((object, name)) = ["\"settings\": ", "\"settings\":"]
        .iter()
        .find_map(|name| Some((text.split_once(&format!("{name}{{"))?, name)))
    else {
        return text.to_owned();
    };
    let (_, after) = object.1.split_once('}').expect("an object ends");
    format!("{}{name}\"SETTINGS\"{after}", object.0)
}

/// Replaces signatures by SIGNATURE, including the quotes that CSV puts around signatures with commas.
fn without_signatures(text: &str) -> String {
    let start = concat!("corefeval:", env!("CARGO_PKG_VERSION"));
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find(start) {
        let (before, signature) = rest.split_at(found);
        let separator = &signature[start.len()..];
        if !["|", "\\|", "\\textbar"].iter().any(|bar| separator.starts_with(bar)) {
            short.push_str(&rest[..found + start.len()]);
            rest = separator;
            continue;
        }
        let end = |ends: &[char]| signature.find(ends).unwrap_or(signature.len());
        let before_quote = before.strip_suffix(",\"");
        let end = match before_quote {
            Some(_) => end(&['"']) + 1,
            None if before.ends_with(',') => end(&[',', '\n']),
            None => end(&['"', '`', '\x1b', '\n']),
        };
        match before_quote {
            Some(before) => short.extend([before, ","]),
            None => short.push_str(before),
        }
        short.push_str("SIGNATURE");
        rest = &signature[end..];
    }
    short.push_str(rest);
    short
}

/// Returns a path for this test run, different for every process.
pub fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

/// Writes a small file of this test run.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = place(name);
    fs::write(&path, content).expect("the folder of the tests can be written");
    path.display().to_string()
}
