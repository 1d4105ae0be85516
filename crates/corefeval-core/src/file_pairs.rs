//! Pairs the files of two directories by name, before any file is read.
//!
//! Names are relative paths. Two files pair by the whole name, otherwise by the name without compression and
//! extension, otherwise by the name up to its first dot; a looser rule applies only if exactly one file of each
//! side has the name. Ambiguous names are an error.

use crate::wording::option_blank;
use crate::wording::text;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::input::COMPRESSIONS;
use crate::suggest::nearest;

/// The number of files of each side that a message lists.
const LISTED: usize = 3;

/// The files of a directory, with their names in it.
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
    files: Vec<PathBuf>,
    names: Vec<String>,
}

impl Directory {
    /// Creates the directory `root`, with the `files` in it that are read.
    pub fn new(root: &Path, files: Vec<PathBuf>) -> Directory {
        let names = files.iter().map(|file| name_in(root, file)).collect();
        Directory { root: root.to_owned(), files, names }
    }

    /// Returns its files.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns their names in the directory.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn position(&self, place: usize) -> Position {
        position(&self.files[place])
    }
}

fn position(path: &Path) -> Position {
    Position::new(&Arc::from(path.display().to_string()), 0, 0)
}

/// Returns the path below `root`, its parts joined by `/`.
fn name_in(root: &Path, file: &Path) -> String {
    let parts = file.strip_prefix(root).unwrap_or(file).components();
    parts.map(|part| spelled(part.as_os_str())).collect::<Vec<_>>().join("/")
}

/// Returns the name of a file as text. Bytes that are not UTF-8 become `\xFF`, so that different names remain
/// different.
fn spelled(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02X}")));
    }
    text
}

/// The forms of names to compare, from strict to loose.
const SPELLINGS: [fn(&str) -> &str; 3] = [whole, without_extension, up_to_dot];

fn whole(name: &str) -> &str {
    name
}

/// Shortens `cs.key.conllu.gz` to `cs.key`.
fn without_extension(name: &str) -> &str {
    let plain = COMPRESSIONS[1..].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    match plain.rfind('.').filter(|&dot| dot > folder_end(plain)) {
        Some(dot) => &plain[..dot],
        None => plain,
    }
}

/// Shortens `cs.key.conllu.gz` to `cs`.
fn up_to_dot(name: &str) -> &str {
    let start = folder_end(name);
    name[start..].find('.').filter(|&dot| dot > 0).map_or(name, |dot| &name[..start + dot])
}

/// Returns the position where the file name starts, after its folders.
fn folder_end(name: &str) -> usize {
    name.rfind('/').map_or(0, |slash| slash + 1)
}

/// The files with the same form of a name: all, and those not yet paired.
#[derive(Default)]
struct FileCandidates {
    key: (usize, Vec<usize>),
    response: (usize, Vec<usize>),
}

fn candidates<'n>(
    key: &'n Directory,
    response: &'n Directory,
    paired: &[Option<usize>],
    spelling: fn(&str) -> &str,
) -> BTreeMap<&'n str, FileCandidates> {
    let mut by_name: BTreeMap<&str, FileCandidates> = BTreeMap::new();
    for (place, name) in key.names.iter().enumerate() {
        let side = &mut by_name.entry(spelling(name)).or_default().key;
        side.0 += 1;
        side.1.extend(paired[place].is_none().then_some(place));
    }
    let mut taken = vec![false; response.files.len()];
    paired.iter().flatten().for_each(|&place| taken[place] = true);
    for (place, name) in response.names.iter().enumerate() {
        let side = &mut by_name.entry(spelling(name)).or_default().response;
        side.0 += 1;
        side.1.extend((!taken[place]).then_some(place));
    }
    by_name
}

/// Finds the counterpart of each key file in the response, as an index.
///
/// Key files and response files without a counterpart cause warnings.
///
/// # Errors
///
/// No file has a counterpart, or a file could belong to several pairs.
pub fn pair_files(
    key: &Directory,
    response: &Directory,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Option<usize>>> {
    let mut paired: Vec<Option<usize>> = vec![None; key.files.len()];
    for (rule, spelling) in SPELLINGS.into_iter().enumerate() {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (name, candidates) in candidates(key, response, &paired, spelling) {
            let FileCandidates { key: (keys, ours), response: (responses, theirs) } = candidates;
            match (ours.as_slice(), theirs.as_slice()) {
                (&[ours], &[theirs]) if (keys, responses) == (1, 1) => found.push((ours, theirs)),
                ([], _) | (_, []) | ([_], [_]) => {}
                _ if rule + 1 == SPELLINGS.len() => {
                    return Err(ambiguous(name, (key, &ours), (response, &theirs)));
                }
                _ => {}
            }
        }
        found.sort_unstable();
        for (ours, theirs) in found {
            paired[ours] = Some(theirs);
            if rule + 1 == SPELLINGS.len() {
                diagnostics.add(Code::FilesPairedLoosely, Some(response.position(theirs)), None, || {
                    format!("paired with `{}` of the key", key.names[ours])
                });
            }
        }
    }
    if paired.iter().all(Option::is_none) {
        return Err(nothing_pairs(key, response));
    }
    warn_of_unpaired(key, response, &paired, diagnostics);
    Ok(paired)
}

fn warn_of_unpaired(
    key: &Directory,
    response: &Directory,
    paired: &[Option<usize>],
    diagnostics: &mut Diagnostics,
) {
    let extra: Vec<usize> =
        (0..response.files.len()).filter(|place| !paired.contains(&Some(*place))).collect();
    for place in (0..key.files.len()).filter(|&place| paired[place].is_none()) {
        diagnostics.add(Code::MissingFile, Some(key.position(place)), None, || {
            let name = &key.names[place];
            let near = nearest(name, extra.iter().map(|&place| response.names[place].as_str()));
            let near = near.map(|name| format!("; is `{name}` meant?")).unwrap_or_default();
            format!("{} has no file `{name}`: its mentions count as missed{near}", response.root.display())
        });
    }
    for place in extra {
        diagnostics.add(Code::ExtraFile, Some(response.position(place)), None, || {
            format!("{} has no file `{}`: it was left out", key.root.display(), response.names[place])
        });
    }
}

fn ambiguous(name: &str, key: (&Directory, &[usize]), response: (&Directory, &[usize])) -> Error {
    let message = format!("several files are called `{name}`, so it is unclear which belong together");
    let mut error = Error::new(ErrorKind::Pairing, message).at(position(&key.0.root));
    for ((directory, places), side) in [(key, "key"), (response, "response")] {
        for &place in places.iter().take(LISTED) {
            error = error.with_place(directory.position(place), format!("a file of the {side}"));
        }
    }
    error.hint(text!(
        "give the files of a pair the same name, or name each pair: {}",
        option_blank("pair", "KEY RESPONSE")
    ))
}

fn nothing_pairs(key: &Directory, response: &Directory) -> Error {
    let mut error = Error::new(ErrorKind::Pairing, "no file of the key has a counterpart in the response")
        .at(position(&key.root));
    for (directory, side) in [(key, "key"), (response, "response")] {
        if !directory.files.is_empty() {
            error = error.with_place(directory.position(0), format!("the {side}'s first file"));
        }
    }
    error.hint(text!(
        "files pair by their path and name in the directory; {} pairs files regardless of their names",
        option_blank("pair", "KEY RESPONSE")
    ))
}

/// Returns names of pairs from their key files: the file name up to its first dot, or a longer part if needed to make
/// all names distinct. `None` if two files have the same name.
pub fn pair_names(names: &[String]) -> Option<Vec<String>> {
    let looser = SPELLINGS.iter().rev().map(|spelling| names.iter().map(|name| spelling(name).to_owned()));
    let apart = |spelt: &Vec<String>| {
        let mut sorted: Vec<&String> = spelt.iter().collect();
        sorted.sort_unstable();
        sorted.windows(2).all(|two| two[0] != two[1])
    };
    looser.map(Iterator::collect).find(apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(root: &str, names: &[&str]) -> Directory {
        let root = Path::new(root);
        Directory::new(root, names.iter().map(|name| root.join(name)).collect())
    }

    fn paired(key: &[&str], response: &[&str]) -> (Result<Vec<Option<usize>>>, Diagnostics) {
        let mut diagnostics = Diagnostics::default();
        let pairs = pair_files(&directory("K", key), &directory("R", response), &mut diagnostics);
        (pairs, diagnostics)
    }

    #[test]
    fn names_are_cut_within_the_last_part() {
        for (name, without, up_to) in [
            ("cs_pdt-corefud-dev.conllu", "cs_pdt-corefud-dev", "cs_pdt-corefud-dev"),
            ("v1.0/cs.key.conllu.gz", "v1.0/cs.key", "v1.0/cs"),
            ("v1.0/cs", "v1.0/cs", "v1.0/cs"),
            (".conllu", ".conllu", ".conllu"),
            ("cs.zst", "cs", "cs"),
        ] {
            assert_eq!((without_extension(name), up_to_dot(name)), (without, up_to), "{name}");
        }
    }

    #[test]
    fn a_stricter_rule_applies_first() {
        let key = ["a.conllu", "b.conllu.gz", "c.key.conllu", "d/a.conllu"];
        let response = ["a.conllu", "b.jsonlines", "c.response.conllu", "d/a.conllu"];
        let (pairs, diagnostics) = paired(&key, &response);
        assert_eq!(pairs, Ok((0..4).map(Some).collect()));
        assert_eq!(diagnostics.groups().len(), 1);
        assert_eq!((diagnostics.groups()[0].count, diagnostics.warnings()), (1, 0));
    }

    #[test]
    fn ambiguous_names_do_not_pair() {
        let (pairs, diagnostics) = paired(&["v1.0.conllu", "v1.1.conllu"], &["v1.0.conllu", "v1.2.conllu"]);
        assert_eq!(pairs, Ok(vec![Some(0), None]));
        let found: Vec<_> = diagnostics.groups().iter().map(|group| (group.code, group.count)).collect();
        assert_eq!(found, [(Code::MissingFile, 1), (Code::ExtraFile, 1)]);
        let missing = diagnostics.groups()[0].kept[0].message.to_string();
        assert_eq!(
            missing,
            "R has no file `v1.1.conllu`: its mentions count as missed; is `v1.2.conllu` meant?"
        );
    }

    #[test]
    fn several_files_with_one_name_are_an_error() {
        let (pairs, _) = paired(&["cs.key.conllu", "cs.gold.conllu"], &["cs.response.conllu"]);
        let error = pairs.unwrap_err();
        assert_eq!(error.related().len(), 3);
        assert_eq!(error.message(), "several files are called `cs`, so it is unclear which belong together");
        let (pairs, _) = paired(&["cs.conllu"], &["en.conllu"]);
        assert_eq!(pairs.unwrap_err().related().len(), 2);
    }

    #[test]
    fn pairs_have_short_names_if_these_are_distinct() {
        let names =
            |names: &[&str]| pair_names(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let some = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["cs.key.conllu", "en.key.conllu"]), some(&["cs", "en"]));
        assert_eq!(names(&["v1.0.conllu", "v1.1.conllu"]), some(&["v1.0", "v1.1"]));
        assert_eq!(names(&["a.conllu", "a.jsonlines"]), some(&["a.conllu", "a.jsonlines"]));
        assert_eq!(names(&["cs/key.conllu", "en/key.conllu"]), some(&["cs/key", "en/key"]));
        assert_eq!(names(&["key.conllu", "key.conllu"]), None);
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_stay_different() {
        use std::os::unix::ffi::OsStrExt as _;
        let name = |bytes: &[u8]| spelled(OsStr::from_bytes(bytes));
        assert_eq!(name(b"a\xFFb.conll"), "a\\xFFb.conll");
        assert_ne!(name(b"\xFE"), name(b"\xFF"));
    }
}
