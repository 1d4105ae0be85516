//! The direction of the library: a module uses only modules that come before it in [`ORDER`].
//!
//! The test reads the source as text: every `crate::module` outside comments and unit tests is an arrow. An arrow that
//! runs against the order has to be listed in [`EXCEPTIONS`], and a listed arrow that no longer exists fails the test
//! too, so that the list can only shrink. The same things by their names at the root of the library, such as
//! `crate::text`, are arrows that a picture does not show: modules name the module that has them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the library, from what everything may use to what nothing else uses.
const ORDER: &[&str] = &[
    "version",
    "threads",
    "suggest",
    "choice",
    "closure",
    "wording",
    "diagnostic",
    "error",
    "digest",
    "limits",
    "model",
    "ace_parameters",
    "weights",
    "heuristics",
    "profiles",
    "settings",
    "formats",
    "input",
    "counts",
    "labels",
    "output",
    "file_pairs",
    "pairing",
    "alignment",
    "conversion",
    "prompt",
    "scope",
    "selection",
    "named",
    "matching",
    "overlap",
    "metrics",
    "signature",
    "groups",
    "stats",
    "results",
    "score",
    "exact",
    "printed",
    "significance",
    "agreement",
    "cache",
    "cone",
    "probe",
    "validation",
    "analysis",
    "reports",
    "systems",
    "evaluation",
];

/// Arrows against the order, module by module.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Every Rust file below `folder`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are readable") {
        let path = entry.expect("an entry of a folder").path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The modules that a file names after `crate::`, without those in comments and in its unit tests.
fn modules_used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut used = BTreeSet::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        // `$crate` is the library as the users of a macro name it.
        for (place, _) in line.match_indices("crate::").filter(|&(place, _)| !line[..place].ends_with('$')) {
            let rest = &line[place + "crate::".len()..];
            let first =
                |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
            match rest.strip_prefix('{') {
                Some(group) => used.extend(group.split(", ").filter_map(first)),
                None => used.extend(first(rest)),
            }
        }
    }
    used
}

#[test]
fn modules_use_only_what_comes_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let place: BTreeMap<&str, usize> = ORDER.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    let (mut unknown, mut against, mut hidden) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
    for file in files {
        let path = file.strip_prefix(&root).expect("a file of the library");
        let first = path.iter().next().and_then(|part| part.to_str()).unwrap_or_default();
        let module = first.strip_suffix(".rs").unwrap_or(first);
        if module == "lib" {
            continue;
        }
        let Some(from) = place.get(module) else {
            unknown.insert(module.to_owned());
            continue;
        };
        for used in modules_used(&fs::read_to_string(&file).expect("a source is text")) {
            if !place.contains_key(used.as_str()) {
                hidden.insert((path.display().to_string(), used));
            } else if place.get(used.as_str()).is_some_and(|to| to > from) {
                against
                    .entry((module.to_owned(), used))
                    .or_insert_with(Vec::new)
                    .push(path.display().to_string());
            }
        }
    }
    assert!(unknown.is_empty(), "give these modules a place in ORDER: {unknown:?}");
    assert!(hidden.is_empty(), "name the module instead of `crate::…`: {hidden:?}");
    let listed = |(from, to): &(String, String)| EXCEPTIONS.contains(&(from.as_str(), to.as_str()));
    let new: Vec<_> = against.iter().filter(|(arrow, _)| !listed(arrow)).collect();
    assert!(new.is_empty(), "these modules use what comes after them: {new:#?}");
    let gone: Vec<_> = EXCEPTIONS
        .iter()
        .filter(|(from, to)| !against.contains_key(&((*from).to_owned(), (*to).to_owned())))
        .collect();
    assert!(gone.is_empty(), "these exceptions are no longer needed: {gone:?}");
}
