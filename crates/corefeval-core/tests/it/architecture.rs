//! Checks the direction of the library: a module uses only modules that come before it in [`ORDER`].
//!
//! The source is read as text: every `crate::module` outside comments and unit tests is an arrow, and so is a
//! `super::module` that names a module of the root. An arrow against the order must be listed in [`EXCEPTIONS`], and a
//! listed arrow that no longer exists fails the test too, so that the list can only shrink. Names at the root of the
//! library, such as `crate::text`, hide arrows: code must name the module that defines them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the library, from those that all others may use to those that no other uses.
const ORDER: &[&str] = &[
    "version", "bibliography", "threads", "scratch", "suggest", "choice", "wording", "diagnostic", "error",
    "digest", "limits", "shared_file", "model", "ace_parameters", "weights", "heuristics", "profiles",
    "settings", "formats", "input", "counts", "labels", "output", "file_pairs", "pairing", "alignment",
    "conversion", "prompt", "scope", "selection", "named", "matching", "overlap", "metrics", "signature",
    "groups", "stats", "results", "score", "exact", "printed", "significance", "agreement", "cache", "cone",
    "probe", "validation", "analysis", "reports", "systems", "evaluation",
];

/// Arrows against the order, module by module.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Names that public types of several libraries share; the list can only shrink.
const SHARED_NAMES: &[&str] = &["Error", "Result"];

/// Collects every Rust file below `folder`.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are readable") {
        let path = entry.expect("an entry of a folder").path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
}

/// Returns the modules that a file names after `crate::`, or after enough `super::` to reach the root of the library,
/// except in comments and its unit tests. `depth` is the number of modules that contain the file, including its own.
fn modules_used(text: &str, depth: usize) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = lines.join("\n");
    let to_root = "super::".repeat(depth);
    let is_part_of_name = |before: &str| {
        before.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '$' | '_' | ':'))
    };
    let mut used = BTreeSet::new();
    for prefix in ["crate::", &to_root] {
        // Users of a macro refer to the library as `$crate`.
        for (place, _) in code.match_indices(prefix).filter(|&(place, _)| !is_part_of_name(&code[..place])) {
            used.extend(first_names(&code[place + prefix.len()..]));
        }
    }
    used
}

/// Returns the names that a path continues with: one name, or those of a group in braces.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| {
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        text[..end].to_owned()
    };
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (place, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(name(&group[start..place]));
                start = place + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Arrows of the library: those against the order, with their files, and those to names at the root. Also the modules
/// without a place in the order, and the places without a module.
#[derive(Default)]
struct Arrows {
    against: BTreeMap<(String, String), Vec<String>>,
    hidden: BTreeSet<(String, String)>,
    unknown: BTreeSet<String>,
    gone: BTreeSet<String>,
}

impl Arrows {
    /// The arrows of files, each with its path below the root of the library and its text.
    fn of<'t>(files: impl IntoIterator<Item = (&'t Path, &'t str)>) -> Arrows {
        let place: BTreeMap<&str, usize> =
            ORDER.iter().enumerate().map(|(place, name)| (*name, place)).collect();
        let mut arrows =
            Arrows { gone: ORDER.iter().map(|name| (*name).to_owned()).collect(), ..Arrows::default() };
        for (path, text) in files {
            let mut modules: Vec<&str> =
                path.iter().map(|part| part.to_str().expect("the name of a module")).collect();
            let last = modules.pop().unwrap_or_default().trim_end_matches(".rs");
            if last != "mod" {
                modules.push(last);
            }
            let [module, ..] = modules[..] else { continue };
            if module == "lib" {
                continue;
            }
            arrows.gone.remove(module);
            let Some(from) = place.get(module) else {
                arrows.unknown.insert(module.to_owned());
                continue;
            };
            for used in modules_used(text, modules.len()) {
                let file = path.display().to_string();
                match place.get(used.as_str()) {
                    None => _ = arrows.hidden.insert((file, used)),
                    Some(to) if to > from => {
                        arrows.against.entry((module.to_owned(), used)).or_default().push(file);
                    }
                    Some(_) => {}
                }
            }
        }
        arrows
    }
}

#[test]
fn modules_use_only_what_comes_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let files: Vec<(PathBuf, String)> = files
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).expect("a source is text");
            (file.strip_prefix(&root).expect("a file of the library").to_owned(), text)
        })
        .collect();
    let Arrows { against, hidden, unknown, gone } =
        Arrows::of(files.iter().map(|(path, text)| (path.as_path(), text.as_str())));
    assert!(unknown.is_empty(), "give these modules a place in ORDER: {unknown:?}");
    assert!(gone.is_empty(), "ORDER names modules that do not exist: {gone:?}");
    assert!(hidden.is_empty(), "name the module instead of `crate::…`: {hidden:?}");
    let listed = |(from, to): &(String, String)| EXCEPTIONS.contains(&(from.as_str(), to.as_str()));
    let new: Vec<_> = against.iter().filter(|(arrow, _)| !listed(arrow)).collect();
    assert!(new.is_empty(), "these modules use what comes after them: {new:#?}");
    let settled: Vec<_> = EXCEPTIONS
        .iter()
        .filter(|(from, to)| !against.contains_key(&((*from).to_owned(), (*to).to_owned())))
        .collect();
    assert!(settled.is_empty(), "these exceptions are no longer needed: {settled:?}");
}

/// All public types of the libraries have different names; the tools for developers and the Python extension are not
/// libraries.
#[test]
fn public_types_have_distinct_names() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut files = Vec::new();
    sources(crates, &mut files);
    let mut places: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in files {
        let below = file.strip_prefix(crates).expect("a file of a crate").to_owned();
        let is_tool = below.starts_with("corefeval-dev") || below.starts_with("corefeval-py");
        if is_tool || below.components().nth(1).is_none_or(|folder| folder.as_os_str() != "src") {
            continue;
        }
        for line in fs::read_to_string(&file).expect("a source is text").lines() {
            let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
            if let Some(rest) = kinds.iter().find_map(|kind| line.trim_start().strip_prefix(kind)) {
                places.entry(first_names(rest).remove(0)).or_default().insert(below.clone());
            }
        }
    }
    // A macro's parameter is no name.
    places.retain(|name, files| !name.is_empty() && files.len() > 1);
    let shared: Vec<&str> = places.keys().map(String::as_str).collect();
    assert_eq!(shared, SHARED_NAMES, "rename the new ones: {places:#?}");
}

/// Every way to write an arrow is found, with the order and against it.
#[test]
fn arrows_are_found_however_they_are_written() {
    let found = |path: &str, text: &str| {
        let arrows = Arrows::of([(Path::new(path), text)]);
        let against: Vec<String> = arrows.against.into_keys().map(|(_, to)| to).collect();
        let hidden: Vec<String> = arrows.hidden.into_iter().map(|(_, to)| to).collect();
        (against.join(" "), hidden.join(" "))
    };
    for (path, text, against, hidden) in [
        ("pairing.rs", "use crate::metrics::Metric;", "metrics", ""),
        ("metrics/mod.rs", "use crate::pairing::DocumentPair;", "", ""),
        ("pairing.rs", "    let metric = crate::metrics::METRICS[0];", "metrics", ""),
        ("pairing.rs", "use crate::{model, score::{Task, Runs}, stats};", "score stats", ""),
        (
            "pairing.rs",
            "use crate::{\n    error::Error,\n    score::{\n        Task,\n    },\n    stats,\n};",
            "score stats",
            "",
        ),
        ("pairing.rs", "use super::score::Task;", "score", ""),
        ("formats/mod.rs", "use super::score::Task;", "score", ""),
        ("formats/conll.rs", "use super::score::Task;", "", ""),
        ("formats/conll.rs", "use super::super::score::Task;", "score", ""),
        ("formats/write/brat.rs", "use super::super::score::Task;", "", ""),
        ("formats/write/brat.rs", "use super::super::super::{score::Task};", "score", ""),
        ("pairing.rs", "use crate::VERSION;", "", "VERSION"),
        ("pairing.rs", "// use crate::score::Task;\n    /// [`crate::score`]", "", ""),
        ("pairing.rs", "$crate::score::Task", "", ""),
        ("pairing.rs", "#[cfg(test)]\nmod tests {\n    use crate::score::Task;\n}", "", ""),
    ] {
        assert_eq!(found(path, text), (against.to_owned(), hidden.to_owned()), "{path}: {text}");
    }
    let arrows = Arrows::of([(Path::new("new_room/mod.rs"), "")]);
    assert!(arrows.unknown.contains("new_room") && arrows.gone.len() == ORDER.len());
}
