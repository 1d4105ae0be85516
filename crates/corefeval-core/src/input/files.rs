//! Lists the files of a directory, and finds files that belong together.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::Pattern;

use super::content::{check_text, is_archive, is_compressed};
use super::io_error_at;
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FormatSpec, is_binary, is_report};
use crate::wording::{Text, option_value, plural, text};

/// The number of times that links may lead to a directory that is already listed. Further links are an error, because n directories
/// that link to each other can have 2ⁿ paths.
const REPEATED: usize = 1000;

/// The number of skipped entries that a note names.
const NAMED: usize = 10;

/// The files of an input, in reading order.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    /// The file itself, or all files of a directory and its subdirectories except hidden files, in order of their
    /// paths.
    pub(super) files: Vec<PathBuf>,
    /// True if the input is a directory.
    pub(super) directory: bool,
    /// The skipped entries of the directory.
    skipped: Skipped,
    /// The empty files of the directory.
    empty: BTreeSet<PathBuf>,
}

/// The skipped entries of a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    /// The files that are not annotation, with the reason.
    entries: Vec<(PathBuf, String)>,
    /// The number of files that a pattern excludes, and the pattern.
    left_out: Option<(usize, String)>,
}

impl Skipped {
    /// Skips an entry.
    pub(crate) fn push(&mut self, entry: PathBuf, why: impl Into<String>) {
        self.entries.push((entry, why.into()));
    }

    /// Drops the files that `include` does not match. Compares their names or, if the pattern has a slash, their paths
    /// within the directory `root`.
    pub(crate) fn keep_included(&mut self, root: &Path, include: Option<&Pattern>, files: &mut Vec<PathBuf>) {
        let Some(pattern) = include else { return };
        let by_path = pattern.as_str().contains('/');
        let before = files.len();
        files.retain(|file| {
            let name = match by_path {
                true => file.strip_prefix(root).unwrap_or(file),
                false => Path::new(file.file_name().unwrap_or_default()),
            };
            pattern.matches(&name.to_string_lossy())
        });
        if files.len() < before {
            self.left_out = Some((before - files.len(), pattern.as_str().to_owned()));
        }
    }

    /// Drops empty files such as logs: files with an extension that no other file has and no format uses.
    pub(crate) fn keep_no_logs(&mut self, empty: &BTreeSet<PathBuf>, files: &mut Vec<PathBuf>) {
        if empty.is_empty() || empty.len() == files.len() {
            return;
        }
        let end = |file: &PathBuf| file.extension().map(ToOwned::to_owned);
        let filled: BTreeSet<_> = files.iter().filter(|file| !empty.contains(*file)).map(end).collect();
        // The extension .txt is used for answers of language models, but also for texts and logs.
        let names_format = |file: &Path| {
            let mut extensions =
                FormatSpec::of_documents().flat_map(|spec| spec.extensions).filter(|end| **end != "txt");
            extensions.any(|extension| without_extension(file, extension).is_some())
        };
        let is_text = |file: &Path| {
            FormatSpec::of_documents().any(|spec| {
                let base = spec.companion.and_then(|extension| without_extension(file, extension));
                base.is_some_and(|base| spec.extensions.iter().any(|end| companion_of(&base, end).is_ok()))
            })
        };
        let stray = |file: &PathBuf| {
            empty.contains(file) && !filled.contains(&end(file)) && !names_format(file) && !is_text(file)
        };
        let (skipped, kept) = std::mem::take(files).into_iter().partition(stray);
        *files = kept;
        let skipped: Vec<PathBuf> = skipped;
        skipped.into_iter().for_each(|file| self.push(file, "empty"));
    }

    /// Adds one note with the number of skipped entries of the directory `root`, and the first of them.
    pub(crate) fn note(&self, root: &Path, diagnostics: &mut Diagnostics) {
        if self.entries.is_empty() && self.left_out.is_none() {
            return;
        }
        let position = Position::new(&Arc::from(root.display().to_string()), 0, 0);
        diagnostics.add(Code::FileSkipped, Some(position), None, || {
            let of_pattern = self.left_out.as_ref().map(|(count, pattern)| {
                let files = plural(*count, "file does", "files do");
                text!("{} not match {}", files, option_value("include", pattern.clone()))
            });
            let names = self.entries.iter().take(NAMED).map(|(path, why)| {
                let name = path.strip_prefix(root).unwrap_or(path);
                format!("{} ({why})", name.display())
            });
            let names = names.collect::<Vec<_>>().join(", ");
            let more = match self.entries.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let entries = plural(self.entries.len(), "entry was", "entries were");
            let skipped = (!self.entries.is_empty()).then(|| format!("{entries} skipped: {names}{more}"));
            match (skipped, of_pattern) {
                (Some(skipped), Some(of_pattern)) => text!("{}; {}", skipped, of_pattern),
                (skipped, of_pattern) => skipped.map(Text::from).or(of_pattern).unwrap_or_default(),
            }
        });
    }
}

impl Listing {
    /// Lists the files of `path`.
    pub(super) fn of(path: &Path) -> Result<Listing> {
        let data = fs::metadata(path).map_err(|error| io_error_at(path, &error))?;
        let mut listing = Listing { files: Vec::new(), directory: data.is_dir(), ..Listing::default() };
        match data.is_dir() {
            false => listing.files.push(path.to_owned()),
            true => {
                let listing = &mut listing;
                Walk { listing, above: Vec::new(), seen: HashMap::new(), repeated: 0 }.directory(path)?;
            }
        }
        listing.skip_empty();
        Ok(listing)
    }

    /// Skips empty files such as logs. Keeps empty files that could be annotation, so that reading them fails.
    fn skip_empty(&mut self) {
        self.skipped.keep_no_logs(&self.empty, &mut self.files);
    }

    /// Skips all empty files, unless an empty file is a document without annotation in this format.
    pub(super) fn skip_all_empty(&mut self, format: Option<&'static FormatSpec>) {
        if format.is_some_and(|spec| spec.companion.is_some()) {
            return;
        }
        let (Listing { files, empty, skipped, .. }, why) = (self, "empty");
        files.retain(|file| {
            let filled = !empty.contains(file);
            if !filled {
                skipped.push(file.clone(), why);
            }
            filled
        });
    }

    /// Keeps the files of the directory `root` that a pattern names.
    pub(super) fn keep_included(&mut self, root: &Path, include: Option<&Pattern>) {
        if self.directory {
            self.skipped.keep_included(root, include, &mut self.files);
        }
    }

    /// Adds one note about the skipped entries of the directory `root`.
    pub(super) fn note_skipped(&self, root: &Path, diagnostics: &mut Diagnostics) {
        self.skipped.note(root, diagnostics);
    }

    /// Returns the stand-off format in which one of the files has its text next to it, if any.
    pub(super) fn format_by_companion(&self) -> Option<&'static FormatSpec> {
        FormatSpec::of_documents().find(|spec| {
            let Some(extension) = spec.companion else { return false };
            let mut bases = self.files.iter().filter_map(|file| base_of(file, spec));
            bases.any(|base| companion_of(&base, extension).is_ok())
        })
    }

    /// Skips files that look like answers (settings of an annotation tool, for example) next to stand-off annotation.
    pub(super) fn skip_answers_next_to_texts(&mut self) {
        if self.format_by_companion().is_none() {
            return;
        }
        let skipped = &mut self.skipped;
        self.files.retain(|file| {
            let is_answer = super::detected(file).is_some_and(FormatSpec::is_answer);
            if is_answer {
                skipped.push(file.clone(), "next to annotation in another format");
            }
            !is_answer
        });
    }

    /// Keeps the annotation files of stand-off formats. Their texts are read with them. Skips other files (settings of
    /// the annotation tool, texts without annotation).
    pub(super) fn keep_annotation(&mut self, format: Option<&'static FormatSpec>) {
        let Some((spec, companion)) = format.and_then(|spec| Some((spec, spec.companion?))) else { return };
        let bases: BTreeSet<PathBuf> = self.files.iter().filter_map(|file| base_of(file, spec)).collect();
        let skipped = &mut self.skipped;
        self.files.retain(|file| {
            if base_of(file, spec).is_some() {
                return true;
            }
            if !without_extension(file, companion).is_some_and(|base| bases.contains(&base)) {
                let why = format!("neither a .{} file nor the text of one", spec.extensions[0]);
                skipped.push(file.clone(), why);
            }
            false
        });
    }
}

/// Returns the total size of the files of `path`, including files that are not read, but not of linked directories. Much
/// faster than listing them.
pub(super) fn size_on_disk(path: &Path) -> u64 {
    let Ok(data) = fs::metadata(path) else { return 0 };
    if !data.is_dir() {
        return data.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_symlink() => {
                fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file).map_or(0, |data| data.len())
            }
            Ok(kind) if kind.is_dir() => size_on_disk(&entry.path()),
            _ => entry.metadata().map_or(0, |data| data.len()),
        })
        .sum()
}

/// A walk through a directory and its subdirectories.
struct Walk<'l> {
    listing: &'l mut Listing,
    /// The open directories, by their real paths.
    above: Vec<PathBuf>,
    /// The number of times that each directory was listed, by its real path.
    seen: HashMap<PathBuf, usize>,
    /// The number of times that a directory was listed again.
    repeated: usize,
}

impl Walk<'_> {
    fn directory(&mut self, path: &Path) -> Result<()> {
        let real = fs::canonicalize(path).map_err(|error| io_error_at(path, &error))?;
        if self.above.contains(&real) {
            self.listing.skipped.push(path.to_owned(), "a link to a directory that contains it");
            return Ok(());
        }
        let times = self.seen.entry(real.clone()).or_default();
        *times += 1;
        self.repeated += usize::from(*times > 1);
        if self.repeated > REPEATED {
            let message = format!("links lead to the same directories more than {REPEATED} times");
            let position = Position::new(&Arc::from(path.display().to_string()), 0, 0);
            return Err(Error::new(ErrorKind::Io, message)
                .at(position)
                .hint("remove links that lead to each other"));
        }
        let entries = fs::read_dir(path).and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>()
        });
        let mut entries = entries.map_err(|error| io_error_at(path, &error))?;
        entries.sort();
        self.above.push(real);
        for entry in entries {
            let name = entry.file_name().unwrap_or_default().to_string_lossy();
            match name.starts_with('.') {
                // Repository data is not part of the corpus.
                true if name == ".git" => {}
                true => self.listing.skipped.push(entry, "hidden"),
                false => self.entry(entry)?,
            }
        }
        self.above.pop();
        Ok(())
    }

    fn entry(&mut self, entry: PathBuf) -> Result<()> {
        let data = match fs::metadata(&entry) {
            Ok(data) if data.is_dir() => return self.directory(&entry),
            // A dangling link is an error when it is read, unless its name is skipped.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            data => Some(data.map_err(|error| io_error_at(&entry, &error))?),
        };
        let is_file = data.as_ref().is_some_and(fs::Metadata::is_file);
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let by_content = || if is_file { no_annotation_within(&entry) } else { None };
        match no_annotation(&name).or_else(by_content) {
            // Opening a pipe would wait until someone writes to it.
            _ if data.is_some() && !is_file => {
                self.listing.skipped.push(entry, "a pipe, a socket or a device");
            }
            Some(why) => self.listing.skipped.push(entry, why),
            None => {
                if data.is_some_and(|data| data.len() == 0) {
                    self.listing.empty.insert(entry.clone());
                }
                self.listing.files.push(entry);
            }
        }
        Ok(())
    }
}

/// Names, up to their first dot and in capitals, of files that describe other files.
const ABOUT: [&str; 11] = [
    "README", "LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CITATION", "CHANGELOG", "CHANGES",
    "MAKEFILE", "THUMBS",
];

/// The kind of files that describe other files.
pub(crate) const ABOUT_OTHERS: &str = "about other files";

/// Extensions that no format uses.
const NO_ANNOTATION: [&str; 16] = [
    "md", "rst", "pdf", "html", "htm", "svg", "tex", "log", "sarif", "sh", "py", "pyc", "yml", "yaml",
    "toml", "ini",
];

/// The number of bytes at the start of a file that determine its kind.
const FIRST: u64 = 1 << 12;

/// Returns the kind of an entry of a directory whose name or content shows that it is not annotation.
pub(crate) fn no_annotation_at(file: &Path) -> Option<&'static str> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    // Opening a pipe would wait until someone writes to it.
    let by_content = || if file.is_file() { no_annotation_within(file) } else { None };
    no_annotation(&name).or_else(by_content)
}

/// Returns whether a file is a zip archive, such as a submission that was not unpacked.
pub(crate) fn is_archive_at(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|data| data.is_file())
        && first_bytes(file).is_some_and(|first| is_archive(&first))
}

/// Returns the bytes that determine the kind of a file.
fn first_bytes(file: &Path) -> Option<Vec<u8>> {
    // A growing list would be filled by many small system calls.
    let mut first = Vec::with_capacity(FIRST as usize);
    fs::File::open(file).ok()?.take(FIRST).read_to_end(&mut first).ok()?;
    Some(first)
}

/// Returns the kind of a file that starts like a report, or that is not text and whose name fits no format. For other
/// files, and files that cannot be read, the reader reports errors.
fn no_annotation_within(file: &Path) -> Option<&'static str> {
    let first = first_bytes(file)?;
    let names_format = || FormatSpec::of_documents().any(|spec| base_of(file, spec).is_some());
    let is_text = || {
        let checked = check_text(&first, &Arc::from(""));
        is_compressed(&first) || checked.err().is_none_or(|error| error.code() != Code::NotText)
    };
    match () {
        () if is_report(&first) => Some("a report of corefeval"),
        () if !is_text() && !is_binary(&first) && !names_format() => Some("not a text file"),
        () => None,
    }
}

/// Returns the kind of a file whose name shows that it is not annotation, such as documentation or a backup.
pub(crate) fn no_annotation(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().to_uppercase();
    let extension = name.rsplit_once('.').map_or_else(String::new, |(_, extension)| extension.to_lowercase());
    let is_backup = name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'));
    match extension.as_str() {
        _ if is_backup => Some("the backup of an editor"),
        "bak" | "old" | "orig" | "save" | "swp" | "tmp" => Some("a backup by its extension"),
        _ if ABOUT.contains(&stem.as_str()) => Some(ABOUT_OTHERS),
        end if NO_ANNOTATION.contains(&end) => Some("no annotation by its extension"),
        _ => None,
    }
}

/// The extensions of compressed files, and an empty extension for plain files.
pub(crate) const COMPRESSIONS: &[&str] = &["", ".gz", ".zst"];

/// Returns the path without `.EXTENSION`, whether or not the file is compressed.
pub(crate) fn without_extension(file: &Path, extension: &str) -> Option<PathBuf> {
    let is_compressed = |end: &&str| file.extension().is_some_and(|found| found == &end[1..]);
    // Most files have another extension, so the name is compared before a path is built.
    let mut name = Path::new(file.file_name()?);
    if COMPRESSIONS[1..].iter().any(is_compressed) {
        name = Path::new(name.file_stem()?);
    }
    // Compares `apf.xml` piece by piece, the only way that supports names that are not UTF-8.
    for piece in extension.rsplit('.') {
        if name.extension()? != piece {
            return None;
        }
        name = Path::new(name.file_stem()?);
    }
    Some(file.with_file_name(name))
}

/// Returns the path without the extension of the format.
pub(crate) fn base_of(file: &Path, spec: &FormatSpec) -> Option<PathBuf> {
    spec.extensions.iter().find_map(|extension| without_extension(file, extension))
}

/// Returns the file with the text that belongs to `base`, or the expected path if it is missing.
pub(crate) fn companion_of(base: &Path, extension: &str) -> std::result::Result<PathBuf, PathBuf> {
    let with = |end: &str| {
        let mut path = base.as_os_str().to_owned();
        path.push(".");
        path.push(extension);
        path.push(end);
        PathBuf::from(path)
    };
    let mut candidates = COMPRESSIONS.iter().map(|end| with(end));
    candidates.find(|path| path.is_file()).ok_or_else(|| with(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_removed_whole() {
        let base = |file: &str, extension| without_extension(Path::new(file), extension);
        assert_eq!(base("a/b.ann", "ann"), Some(PathBuf::from("a/b")));
        assert_eq!(base("a/b.ann.gz", "ann"), Some(PathBuf::from("a/b")));
        assert_eq!(base("a/b.apf.xml.zst", "apf.xml"), Some(PathBuf::from("a/b")));
        assert_eq!(base("a/v1.0.ann", "ann"), Some(PathBuf::from("a/v1.0")));
        assert_eq!(base("a/b.xml", "apf.xml"), None);
        assert_eq!(base("a/b.gold_conll", "conll"), None);
        assert_eq!(base("a/.ann", "ann"), None);
    }

    #[test]
    fn empty_logs_are_skipped_and_empty_annotation_is_not() {
        let root = std::env::temp_dir().join(format!("corefeval-empty-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        let files = [
            ("a.conll", "x"),
            ("b.conll", ""),
            ("log.txt", ""),
            ("stderr", ""),
            ("c.ann", "x"),
            ("c.txt", ""),
        ];
        for (name, text) in files {
            fs::write(root.join(name), text).unwrap();
        }
        let listing = Listing::of(&root).unwrap();
        let names: Vec<_> = listing.files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        assert_eq!(names, ["a.conll", "b.conll", "c.ann", "c.txt"]);
        let mut diagnostics = Diagnostics::default();
        listing.note_skipped(&root, &mut diagnostics);
        let found = &diagnostics.groups()[0];
        assert_eq!(
            found.kept[0].message.to_string(),
            "2 entries were skipped: log.txt (empty), stderr (empty)"
        );
        assert_eq!((diagnostics.groups().len(), found.count), (1, 1));
        // An empty .txt file may be an answer of a language model if another .txt file has content.
        fs::write(root.join("d.txt"), "an answer").unwrap();
        assert!(Listing::of(&root).unwrap().files.contains(&root.join("log.txt")));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn hidden_entries_are_noted_except_repositories() {
        let root = std::env::temp_dir().join(format!("corefeval-hidden-{}", std::process::id()));
        for folder in [".git", ".cache"] {
            fs::create_dir_all(root.join(folder)).unwrap();
            fs::write(root.join(folder).join("b.conll"), "x").unwrap();
        }
        for name in ["a.conll", ".b.conll", "README"] {
            fs::write(root.join(name), "x").unwrap();
        }
        let listing = Listing::of(&root).unwrap();
        assert_eq!(listing.files, [root.join("a.conll")]);
        let mut diagnostics = Diagnostics::default();
        listing.note_skipped(&root, &mut diagnostics);
        let wanted = "3 entries were skipped: .b.conll (hidden), .cache (hidden), README (about other files)";
        assert_eq!(diagnostics.groups()[0].kept[0].message.to_string(), wanted);
        // A long list is shortened.
        for number in 0..20 {
            fs::write(root.join(format!("{number:02}.log")), "x").unwrap();
        }
        let mut diagnostics = Diagnostics::default();
        Listing::of(&root).unwrap().note_skipped(&root, &mut diagnostics);
        let message = diagnostics.groups()[0].kept[0].message.to_string();
        assert!(message.starts_with("23 entries") && message.ends_with("and 13 more"), "{message}");
        fs::remove_dir_all(root).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_in_directories_do_not_block() {
        use std::os::unix::fs::symlink;
        let root = std::env::temp_dir().join(format!("corefeval-links-{}", std::process::id()));
        let make = |name: &str| fs::create_dir_all(root.join(name)).unwrap();
        // A directory that links to itself twice has 2⁴⁰ paths.
        make("loop");
        fs::write(root.join("loop/file"), "x").unwrap();
        symlink(".", root.join("loop/a")).unwrap();
        symlink("../loop", root.join("loop/b")).unwrap();
        let listing = Listing::of(&root.join("loop")).unwrap();
        assert_eq!(listing.files, [root.join("loop/file")]);
        assert_eq!(listing.skipped.entries.len(), 2);
        // Each of twenty directories links to the next twice.
        for level in 0..20 {
            make(&format!("deep/{level}"));
            for name in ["a", "b"] {
                symlink(format!("../{}", level + 1), root.join(format!("deep/{level}/{name}"))).unwrap();
            }
        }
        make("deep/20");
        fs::write(root.join("deep/20/file"), "x").unwrap();
        let error = Listing::of(&root.join("deep/0")).unwrap_err();
        assert!(error.message().contains("more than 1000 times"), "{error}");
        // Two links to one directory are both followed.
        let listing = Listing::of(&root.join("deep/19")).unwrap();
        assert_eq!(listing.files.len(), 2);
        // A socket or a pipe would block for ever or fail.
        let _socket = std::os::unix::net::UnixListener::bind(root.join("loop/socket")).unwrap();
        let mut diagnostics = Diagnostics::default();
        let listing = Listing::of(&root.join("loop")).unwrap();
        listing.note_skipped(&root.join("loop"), &mut diagnostics);
        assert_eq!(
            (listing.files.len(), listing.skipped.entries.len(), diagnostics.groups()[0].count),
            (1, 3, 1)
        );
        fs::remove_dir_all(root).unwrap();
    }
}
