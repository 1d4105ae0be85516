//! Finds the systems in a folder: the files that are responses, and the names of the systems.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use glob::Pattern;

use crate::cache::TAG as CACHE_TAG;
use crate::diagnostic::{Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::input::{
    COMPRESSIONS, Skipped, base_of, companion_of, io_error, is_archive_at, no_annotation_at,
    without_extension,
};
use crate::wording::{quoted, text};

/// Returns the responses in a folder with their names, sorted by name. Each file is a response, and so is each folder
/// in it, with all its files.
///
/// A name is the file name without compression and the extension of a format (`alder.conll.gz` is `alder`), or the
/// whole file name if several would be equal. Hidden files, documentation (`README`, `.md` and others), empty logs,
/// caches and files that `include` does not match are skipped; one note counts them. The text of an annotation file is
/// read with it. The folder may contain the key and the cache, which are not responses.
///
/// # Errors
///
/// The folder cannot be listed, or has no response.
pub fn systems_in(
    folder: &Path,
    key: Option<&Path>,
    cache: Option<&Path>,
    include: Option<&Pattern>,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<(String, PathBuf)>> {
    let name: Arc<str> = Arc::from(folder.display().to_string());
    let mut entries = entries_of(folder, &name)?;
    let same =
        |a: &Path, b: &Path| fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b));
    entries.retain(|entry| !cache.is_some_and(|cache| same(entry, cache)));
    let mut skipped = Skipped::default();
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for path in entries {
        match no_response(&path) {
            _ if key.is_some_and(|key| same(&path, key)) => skipped.push(path, "the key"),
            Some(why) => skipped.push(path, why),
            None if path.is_dir() => folders.push(path),
            None => files.push(path),
        }
    }
    let is_empty = |file: &&PathBuf| fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() == 0);
    let empty: BTreeSet<PathBuf> = files.iter().filter(is_empty).cloned().collect();
    skipped.keep_no_logs(&empty, &mut files);
    // A pattern with a slash applies to the files in a system's folder.
    let include = include.filter(|pattern| !pattern.as_str().contains('/'));
    skipped.keep_included(folder, include, &mut files);
    skipped.note(folder, diagnostics);
    let mut systems: Vec<(String, String, PathBuf)> = Vec::new();
    for path in files.into_iter().chain(folders) {
        let whole = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let short = if path.is_dir() {
            whole.clone()
        } else {
            without_format(&path).unwrap_or_else(|| whole.clone())
        };
        systems.push((short, whole, path));
    }
    if systems.is_empty() {
        let message = match include {
            Some(pattern) => text!("no response in this folder matches {}", quoted(pattern)),
            None => text!("this folder contains no response"),
        };
        let error = Error::new(ErrorKind::Io, message).at(Position::new(&name, 0, 0));
        return Err(error.hint("it should contain a file for each system, or a folder of files for each"));
    }
    let apart = |short: &str| systems.iter().filter(|other| other.0 == short).count() == 1;
    let named: Vec<String> = systems
        .iter()
        .map(|(short, whole, _)| if apart(short) { short.clone() } else { whole.clone() })
        .collect();
    let mut named: Vec<(String, PathBuf)> =
        named.into_iter().zip(systems.into_iter().map(|system| system.2)).collect();
    named.sort();
    Ok(named)
}

/// The names, without extensions, of a key in a folder of responses.
pub const KEYS: &[&str] = &["key", "gold"];

/// Returns the key in a folder of responses: the only file or folder with a name in [`KEYS`], apart from compression
/// and the extension of a format.
///
/// # Errors
///
/// The folder cannot be listed, or contains no key or several.
pub fn key_in(folder: &Path) -> Result<PathBuf> {
    let name: Arc<str> = Arc::from(folder.display().to_string());
    let mut entries = entries_of(folder, &name)?;
    let is_key = |path: &PathBuf| {
        let short = if path.is_dir() { None } else { without_format(path) };
        let whole = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        KEYS.contains(&&*short.unwrap_or_else(whole)) && no_response(path).is_none()
    };
    entries.retain(is_key);
    match entries.as_slice() {
        [key] => Ok(key.clone()),
        found => {
            let message = match found {
                [] => text!("this folder contains no key"),
                [first, second, ..] => text!(
                    "this folder contains several keys, {} and {}",
                    quoted(first.display()),
                    quoted(second.display())
                ),
                [_] => unreachable!("one key is taken"),
            };
            let names: Vec<String> = KEYS.iter().map(|name| format!("`{name}`")).collect();
            let error = Error::new(ErrorKind::Settings, message).at(Position::new(&name, 0, 0));
            Err(error.hint(format!(
                "name the key before the folder, or call one file or folder in it {}",
                names.join(" or ")
            )))
        }
    }
}

/// Returns the files and folders in a folder, sorted by name, without the texts of stand-off annotations, which are
/// read with the annotations.
fn entries_of(folder: &Path, name: &Arc<str>) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut entries = entries.map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => {
            let message = "this is a file, not a folder of responses";
            let error = Error::new(ErrorKind::Settings, message).at(Position::new(name, 0, 0));
            error.hint("name a folder with one file or folder for each response")
        }
        _ => io_error(name, &error),
    })?;
    entries.sort();
    let texts: BTreeSet<PathBuf> = entries
        .iter()
        .flat_map(|entry| FormatSpec::of_documents().map(move |spec| (entry, spec)))
        .filter_map(|(entry, spec)| companion_of(&base_of(entry, spec)?, spec.companion?).ok())
        .collect();
    entries.retain(|entry| !texts.contains(entry));
    Ok(entries)
}

/// Returns the kind of an entry whose name shows that it is not a response.
fn no_response(path: &Path) -> Option<&'static str> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match path.is_dir() {
        _ if name.starts_with('.') => Some("hidden"),
        true => path.join(CACHE_TAG).is_file().then_some("a cache"),
        // A submission that was not unpacked. The error explains this.
        false if is_archive_at(path) => None,
        false => no_annotation_at(path),
    }
}

/// Returns the name of a file without compression and without the extension of a format. Such an extension may contain
/// a dot.
pub(crate) fn without_format(path: &Path) -> Option<String> {
    let extensions = FormatSpec::of_documents().flat_map(|spec| spec.extensions);
    // `team.gold_conll` is not a `conll` file called `team.gold_`: extensions start at dots.
    let bases = extensions.filter_map(|extension| without_extension(path, extension));
    let bases = bases.filter(|base| base.file_name().is_some_and(|name| !name.is_empty()));
    // `apf.xml` comes before `xml`.
    let base = bases.min_by_key(|base| base.as_os_str().len());
    let name = base.as_deref().or(Some(path))?.file_name()?.to_string_lossy().into_owned();
    Some(COMPRESSIONS[1..].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_compression_and_the_extension_of_a_format() {
        for (file, name) in [
            ("alder.conll", "alder"),
            ("team-2.1.conll.gz", "team-2.1"),
            ("team.gold_conll", "team"),
            ("run.apf.xml", "run"),
            ("alder", "alder"),
            ("alder.zst", "alder"),
            ("alder.v3", "alder.v3"),
        ] {
            assert_eq!(without_format(Path::new(file)).as_deref(), Some(name), "{file}");
        }
    }
}
