//! Reads inputs: files, directories, pipes and standard input, compressed or not.
//!
//! Files are read in blocks of whole lines that stay in the processor's cache, so that files larger than memory can
//! be scored. Large files are copied unless the program calls [`allow_mapping`], because a mapped file ends the whole
//! program if another process shortens it.

mod content;
mod files;
mod stream;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub use glob::Pattern;
use memchr::memchr_iter;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostics, Position};
use crate::digest::Digest;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FORMATS, FormatSpec, ReadOptions, check_corpus, repeated, stem, without_mark};
use crate::model::{AnswerBody, AnswerDocument, Corpus, Document, DocumentId, Notation, Side};
use crate::wording::{option, option_value, quoted, text};

pub use crate::limits::Limits;
pub(crate) use content::is_compressed;
pub use corefeval_system::{mapped::allow as allow_mapping, signal::survive_size_limits};
use files::Listing;
pub(crate) use files::{
    COMPRESSIONS, Skipped, base_of, companion_of, is_archive_at, no_annotation_at, without_extension,
};
use stream::{Each, InputStream, Tap, read_all, read_mapped, read_stream};
pub(crate) use stream::{compressed_like, decompressed};

/// An input that can be read repeatedly.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, or a directory of files.
    Path(PathBuf),
    /// Bytes in memory, such as those of standard input.
    Bytes {
        /// The name used in messages.
        name: Arc<str>,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Documents that a program already has, with their words.
    Documents {
        /// The name used in messages.
        name: Arc<str>,
        /// The documents.
        documents: Arc<Vec<Arc<Document>>>,
        /// The findings of the program that made them.
        findings: Diagnostics,
        /// The format they were read from, or [`FormatSpec::of_program`].
        format: &'static FormatSpec,
    },
}

/// The result of [`Input::read_with_digest`].
#[derive(Debug)]
pub struct Digested {
    /// The documents.
    pub corpus: Corpus,
    /// The format of the files.
    pub format: &'static FormatSpec,
    /// The digest of the bytes that were read. Equals [`Input::digest`] if the files have not changed.
    pub digest: Digest,
}

impl Input {
    /// Returns the path, if the input is a file or a directory.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::Path(path) => Some(path),
            Input::Bytes { .. } | Input::Documents { .. } => None,
        }
    }

    /// Returns all files that are read, including files of directories and texts of stand-off annotation. Omits files
    /// that cannot be listed.
    pub fn all_files(&self) -> Vec<PathBuf> {
        let Some(path) = self.path() else { return Vec::new() };
        Listing::of(path).map_or_else(|_| vec![path.to_owned()], |listing| files_of(path, &listing))
    }

    /// Opens a path: a file, a directory, or `-` for standard input.
    ///
    /// Standard input, pipes (`<(zcat key.gz)`) and devices can be read only once, so this function reads them to their
    /// end and keeps their bytes.
    ///
    /// # Errors
    ///
    /// Standard input or a pipe that cannot be read. Files are opened when they are read.
    pub fn open(path: impl AsRef<Path>) -> Result<Input> {
        Input::open_within(path, &Limits::default())
    }

    /// Opens a path. Inputs that can be read only once are read now, within `limits`.
    ///
    /// # Errors
    ///
    /// Standard input or a pipe that cannot be read, or exceeds the limits. Files are opened when they are read.
    pub fn open_within(path: impl AsRef<Path>, limits: &Limits) -> Result<Input> {
        let path = path.as_ref();
        let name: Arc<str> = Arc::from(path.display().to_string());
        if path == Path::new("-") {
            return Input::once(io::stdin().lock(), name, limits);
        }
        match fs::metadata(path) {
            Ok(data) if !data.is_file() && !data.is_dir() => {
                let pipe = File::open(path).map_err(|error| io_error(&name, &error))?;
                Input::once(pipe, name, limits)
            }
            _ => Ok(Input::Path(path.to_owned())),
        }
    }

    /// Reads to its end an input that can be read only once.
    fn once(mut stream: impl Read, name: Arc<str>, limits: &Limits) -> Result<Input> {
        let bytes = read_all(&mut stream, &name, limits)?;
        Ok(Input::Bytes { name, bytes: Arc::from(bytes) })
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Bytes { name, .. } | Input::Documents { name, .. } => name.to_string(),
        }
    }

    /// Returns the files of a directory that are read in `format`; `None` if the input is not a directory.
    ///
    /// # Errors
    ///
    /// The directory cannot be listed, or has no file to read.
    pub fn files(
        &self,
        format: Option<&'static FormatSpec>,
        include: Option<&Pattern>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Vec<PathBuf>>> {
        self.list(format, include, diagnostics, |listing| {
            listing.keep_annotation(format.or_else(|| listing.format_by_companion()));
        })
    }

    /// Returns the files of a directory that may be annotation in any format: all except the texts of stand-off
    /// annotation. `None` if the input is not a directory.
    ///
    /// # Errors
    ///
    /// The directory cannot be listed, or has no file to read.
    pub fn files_of_any_format(
        &self,
        include: Option<&Pattern>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Vec<PathBuf>>> {
        self.list(None, include, diagnostics, |listing| {
            listing.files.retain(|file| refuse_text(file).is_ok());
            listing.skip_answers_next_to_texts();
        })
    }

    /// Returns the files of a directory that match `include` and that `keep` retains; `None` if the input is not a
    /// directory. Fails if no file remains.
    fn list(
        &self,
        format: Option<&'static FormatSpec>,
        include: Option<&Pattern>,
        diagnostics: &mut Diagnostics,
        keep: impl FnOnce(&mut Listing),
    ) -> Result<Option<Vec<PathBuf>>> {
        let Input::Path(path) = self else { return Ok(None) };
        let mut listing = Listing::of(path)?;
        if !listing.directory {
            return Ok(None);
        }
        listing.keep_included(path, include);
        keep(&mut listing);
        listing.note_skipped(path, diagnostics);
        match listing.files.is_empty() {
            true => Err(no_file(path, format, include)),
            false => Ok(Some(listing.files)),
        }
    }

    /// Opens a single uncompressed file; `None` for other inputs.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn plain_reader(&self) -> Result<Option<Box<dyn BufRead + '_>>> {
        let mut reader: Box<dyn BufRead + '_> = match self {
            Input::Path(path) if path.is_file() => {
                let file = File::open(path).map_err(|error| io_error_at(path, &error))?;
                Box::new(io::BufReader::new(file))
            }
            Input::Bytes { bytes, .. } => Box::new(Cursor::new(bytes)),
            Input::Path(_) | Input::Documents { .. } => return Ok(None),
        };
        let name: Arc<str> = Arc::from(self.name());
        let first = reader.fill_buf().map_err(|error| io_error(&name, &error))?;
        Ok(if is_compressed(first) { None } else { Some(reader) })
    }

    /// Returns the lines of a file with the `wanted` numbers, from 1, decompressed if necessary. Lines end in LF, or in
    /// CR in a file without LF, and include their line ends.
    ///
    /// # Errors
    ///
    /// The file cannot be read or decompressed, or the input is documents of a program, which have no lines.
    pub fn lines(&self, wanted: &BTreeSet<u32>) -> Result<BTreeMap<u32, Vec<u8>>> {
        let name: Arc<str> = Arc::from(self.name());
        let progress = AtomicU64::new(0);
        let bytes: Box<dyn Read + '_> = match self {
            Input::Path(path) => Box::new(File::open(path).map_err(|error| io_error(&name, &error))?),
            Input::Bytes { bytes, .. } => Box::new(Cursor::new(bytes)),
            Input::Documents { name, .. } => return Err(without_bytes(name)),
        };
        let mut tap = Tap::new(bytes, &progress, false);
        let mut stream = io::BufReader::new(InputStream::new(&mut tap, &name, &Limits::default())?);
        let (mut found, mut number) = (BTreeMap::new(), 0);
        let last = wanted.last().copied().unwrap_or(0);
        while number < last {
            let mut line = Vec::new();
            if stream.read_until(b'\n', &mut line).map_err(|error| io_error(&name, &error))? == 0 {
                break;
            }
            if number == 0 && !line.ends_with(b"\n") && line.contains(&b'\r') {
                let lines = (1..).zip(line.split_inclusive(|&byte| byte == b'\r'));
                return Ok(lines
                    .filter(|(number, _)| wanted.contains(number))
                    .map(|(number, line)| (number, line.to_vec()))
                    .collect());
            }
            number += 1;
            if wanted.contains(&number) {
                let line = if number == 1 { without_mark(&line).to_vec() } else { line };
                found.insert(number, line);
            }
        }
        Ok(found)
    }

    /// Returns the number of the line, from 1, that contains a place in an uncompressed file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the input is documents of a program, which have no lines.
    pub(crate) fn line_at(&self, place: u64) -> Result<u32> {
        self.with_bytes(&Limits::default(), &AtomicU64::new(0), |bytes| {
            let (mut before, mut lines) = (bytes.take(place), 1);
            loop {
                let block = before.fill_buf().map_err(|error| io_error(&self.name().into(), &error))?;
                let count = block.len();
                if count == 0 {
                    return Ok(u32::try_from(lines).unwrap_or(u32::MAX));
                }
                lines += memchr_iter(b'\n', block).count();
                before.consume(count);
            }
        })
    }

    /// Calls `work` with a reader of the bytes of a file, decompressed if necessary. `progress` counts the bytes read.
    ///
    /// # Errors
    ///
    /// The file cannot be read or decompressed, or exceeds the limits; the input is documents of a program, which have
    /// no bytes; `work` fails.
    pub fn with_bytes<T>(
        &self,
        limits: &Limits,
        progress: &AtomicU64,
        work: impl FnOnce(&mut dyn BufRead) -> Result<T>,
    ) -> Result<T> {
        let name: Arc<str> = Arc::from(self.name());
        let bytes: Box<dyn Read + '_> = match self {
            Input::Path(path) => Box::new(File::open(path).map_err(|error| io_error(&name, &error))?),
            Input::Bytes { bytes, .. } => Box::new(Cursor::new(bytes)),
            Input::Documents { name, .. } => return Err(without_bytes(name)),
        };
        let mut tap = Tap::new(bytes, progress, false);
        work(&mut io::BufReader::new(InputStream::new(&mut tap, &name, limits)?))
    }

    /// Detects the format of a file, or of the first file to read in a directory, decompressed if necessary. Returns `None`
    /// if it is unknown or cannot be read.
    pub(crate) fn detected(&self, options: &ReadOptions) -> Option<&'static FormatSpec> {
        if let Some(path) = self.path().filter(|path| path.is_dir()) {
            let mut listing = Listing::of(path).ok()?;
            listing.keep_included(path, options.include.as_deref());
            return listing.format_by_companion().or_else(|| {
                if options.skip_empty {
                    listing.skip_all_empty(None);
                }
                Input::Path(listing.files.first()?.clone()).detected(options)
            });
        }
        let mut first = Vec::new();
        let read = self.with_bytes(&options.limits, &AtomicU64::new(0), |bytes| {
            Ok(bytes.take(stream::DETECT as u64).read_to_end(&mut first).is_ok())
        });
        FormatSpec::detect_file(&self.name(), &first).filter(|_| read.is_ok_and(|read| read))
    }

    /// Returns the number of bytes to read, as reported by the file system.
    pub fn size(&self) -> u64 {
        match self {
            Input::Path(path) => Listing::of(path).map_or(0, |listing| {
                let sizes = listing.files.iter().filter_map(|file| fs::metadata(file).ok());
                sizes.map(|data| data.len()).sum()
            }),
            Input::Bytes { bytes, .. } => bytes.len() as u64,
            Input::Documents { .. } => 0,
        }
    }

    /// Returns the total size of the files on disk, including files of directories that are not read; 0 for other inputs.
    pub(crate) fn size_on_disk(&self) -> u64 {
        self.path().map_or(0, files::size_on_disk)
    }

    /// Returns the size in bytes of a single file or of bytes in memory; `None` for directories, documents and
    /// compressed inputs.
    pub(crate) fn size_as_text(&self) -> Option<u64> {
        match self {
            Input::Path(path) if path.extension().is_some_and(|end| end == "gz" || end == "zst") => None,
            Input::Path(path) => fs::metadata(path).ok().filter(|data| data.is_file()).map(|data| data.len()),
            Input::Bytes { bytes, .. } => Some(bytes.len() as u64).filter(|_| !is_compressed(bytes)),
            Input::Documents { .. } => None,
        }
    }

    /// Returns a digest of everything that is read: the names and the bytes of the files and of their texts.
    ///
    /// Another process may change a file between this call and [`read`](Self::read). Only
    /// [`read_with_digest`](Self::read_with_digest) returns the digest of the bytes that were scored.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or the input is documents of a program, which have no bytes.
    pub fn digest(&self) -> Result<Digest> {
        match self {
            Input::Bytes { name, bytes } => Ok(digest_of_bytes(name, bytes)),
            Input::Documents { name, .. } => Err(without_bytes(name)),
            Input::Path(path) => digest_of_files(path, &Listing::of(path)?, &BTreeMap::new()),
        }
    }

    /// Reads everything. Without `format`, detects the format from the first bytes of each file, and reports it in a
    /// note. `progress` counts the bytes read.
    ///
    /// # Errors
    ///
    /// A file cannot be read, has errors, or is in an unknown format or not in `format`; files of a directory have
    /// different formats; documents share an id; the input exceeds the limits.
    pub fn read(
        &self,
        format: Option<&'static FormatSpec>,
        options: &ReadOptions,
        progress: &AtomicU64,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        let mut reading = InputReading { options, progress, buffer: Vec::new(), digests: None };
        let loaded = match self {
            Input::Bytes { name, bytes } => reading.bytes(bytes, name, format, None)?,
            Input::Documents { documents, findings, format, .. } => {
                let documents = documents.iter().map(|document| Document::clone(document)).collect();
                (Corpus { documents, diagnostics: findings.clone(), ..Corpus::default() }, *format)
            }
            Input::Path(path) => reading.path(path, &mut Listing::of(path)?, format, None)?,
        };
        check_corpus(&loaded.0)?;
        Ok(loaded)
    }

    /// Reads like [`read`](Self::read), but passes each document to `each` as soon as it is read, so that a corpus need
    /// not fit into memory. Only one document is in memory at a time in formats that are read line by line (`conll`,
    /// `semeval`, `corefud`, `conll-ua`, `jsonlines`), and one file in other formats. The returned corpus has the
    /// findings but no documents.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicU64};
    /// use corefeval_core::formats::ReadOptions;
    /// use corefeval_core::input::Input;
    /// let text: &[u8] = b"#begin document a\nAda (0)\n#end document\n#begin document b\nBo (0)\n#end document\n";
    /// let input = Input::Bytes { name: Arc::from("two.conll"), bytes: Arc::from(text) };
    /// let mut names = Vec::new();
    /// input.for_each(None, &ReadOptions::default(), &AtomicU64::new(0), &mut |document| {
    ///     names.push(document.id().to_string());
    ///     Ok(())
    /// })?;
    /// assert_eq!(names, ["a", "b"]);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read), possibly after some documents, and the first error of `each`.
    pub fn for_each(
        &self,
        format: Option<&'static FormatSpec>,
        options: &ReadOptions,
        progress: &AtomicU64,
        each: &mut dyn FnMut(Document) -> Result<()>,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        let mut seen: FxHashMap<DocumentId, Position> = FxHashMap::default();
        let mut checked = |document: Document| match seen.insert(document.id().clone(), document.position()) {
            Some(first) => Err(repeated(&document, first)),
            None => each(document),
        };
        self.for_each_of_any_id(format, options, progress, &mut checked)
    }

    /// Like [`for_each`](Self::for_each), for documents whose ids may be repeated.
    pub(crate) fn for_each_of_any_id(
        &self,
        format: Option<&'static FormatSpec>,
        options: &ReadOptions,
        progress: &AtomicU64,
        each: &mut dyn FnMut(Document) -> Result<()>,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        let mut reading = InputReading { options, progress, buffer: Vec::new(), digests: None };
        match self {
            Input::Bytes { name, bytes } => reading.bytes(bytes, name, format, Some(each)),
            Input::Documents { documents, findings, format, .. } => {
                documents.iter().try_for_each(|document| each(Document::clone(document)))?;
                Ok((Corpus { diagnostics: findings.clone(), ..Corpus::default() }, *format))
            }
            Input::Path(path) => reading.path(path, &mut Listing::of(path)?, format, Some(each)),
        }
    }

    /// Reads everything like [`read`](Self::read), and computes the digest of exactly the bytes that it reads.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read), or the input is documents of a program, which have no bytes.
    pub fn read_with_digest(
        &self,
        format: Option<&'static FormatSpec>,
        options: &ReadOptions,
        progress: &AtomicU64,
    ) -> Result<Digested> {
        let mut reading =
            InputReading { options, progress, buffer: Vec::new(), digests: Some(BTreeMap::new()) };
        let ((corpus, format), digest) = match self {
            Input::Bytes { name, bytes } => {
                (reading.bytes(bytes, name, format, None)?, digest_of_bytes(name, bytes))
            }
            Input::Documents { name, .. } => return Err(without_bytes(name)),
            Input::Path(path) => {
                let listing = Listing::of(path)?;
                let loaded = reading.path(path, &mut listing.clone(), format, None)?;
                (loaded, digest_of_files(path, &listing, &reading.digests.unwrap_or_default())?)
            }
        };
        check_corpus(&corpus)?;
        Ok(Digested { corpus, format, digest })
    }
}

/// Returns the error for documents in memory, which have no bytes.
fn without_bytes(name: &str) -> Error {
    let message = format!("`{name}` is a list of documents in memory, which has no digest");
    Error::new(ErrorKind::Settings, message).hint("compare them without a cache")
}

fn digest_of_bytes(name: &str, bytes: &[u8]) -> Digest {
    Digest::of([name.as_bytes(), Digest::of_bytes(bytes).as_bytes()])
}

/// Returns the files of `path`, including the text next to it if it is an annotation file.
fn files_of(path: &Path, listing: &Listing) -> Vec<PathBuf> {
    let mut files = listing.files.clone();
    if !listing.directory {
        let companions =
            FORMATS.iter().filter_map(|spec| companion_of(&base_of(path, spec)?, spec.companion?).ok());
        files.extend(companions.collect::<BTreeSet<_>>());
    }
    files
}

/// Computes the digest of the files of `path`, without reading files again whose digest is in `known`.
fn digest_of_files(path: &Path, listing: &Listing, known: &BTreeMap<PathBuf, Digest>) -> Result<Digest> {
    let files = files_of(path, listing);
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    let mut pieces = vec![bytes(path)];
    for file in &files {
        let digest = match known.get(file) {
            Some(digest) => *digest,
            None => {
                File::open(file).and_then(Digest::of_reader).map_err(|error| io_error_at(file, &error))?
            }
        };
        pieces.extend([bytes(file), digest.as_bytes().to_vec()]);
    }
    Ok(Digest::of(pieces))
}

/// The state of reading an input.
struct InputReading<'r> {
    options: &'r ReadOptions,
    progress: &'r AtomicU64,
    /// The memory for blocks, reused for all files.
    buffer: Vec<u8>,
    /// The digests of the files that were read, if requested.
    digests: Option<BTreeMap<PathBuf, Digest>>,
}

impl InputReading<'_> {
    fn bytes(
        &mut self,
        bytes: &Arc<[u8]>,
        name: &Arc<str>,
        format: Option<&'static FormatSpec>,
        each: Option<Each<'_>>,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        let mut tap = Tap::new(Cursor::new(bytes), self.progress, false);
        let stream = InputStream::new(&mut tap, name, &self.options.limits)?;
        let companion = |extension: &str| Err(no_companion(name, extension));
        read_stream(stream, name, format, self.options, &mut self.buffer, companion, each)
    }

    fn path(
        &mut self,
        path: &Path,
        listing: &mut Listing,
        format: Option<&'static FormatSpec>,
        mut each: Option<Each<'_>>,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        let mut corpus = Corpus { diagnostics: self.options.findings(), ..Corpus::default() };
        let include = self.options.include.as_deref();
        listing.keep_included(path, include);
        let assumed = if format.is_none() { listing.format_by_companion() } else { None };
        if format.is_none() && assumed.is_none() && !listing.directory {
            refuse_text(path)?;
        }
        let format = format.or(assumed);
        if listing.directory {
            listing.keep_annotation(format);
            if self.options.skip_empty {
                listing.skip_all_empty(format);
            }
        }
        listing.note_skipped(path, &mut corpus.diagnostics);
        let mut found: Option<(&'static FormatSpec, &PathBuf)> = None;
        for file in &listing.files {
            let name: Arc<str> = Arc::from(file.display().to_string());
            let by_file_name = listing.directory && self.options.ids_by_file;
            let mut named = each.as_mut().map(|each| {
                |document: Document| each(if by_file_name { by_file(document, file) } else { document })
            });
            let each = named.as_mut().map(|each| each as Each<'_>);
            let read = self.file(file, &name, format, listing.directory, each);
            let read = match read {
                Err(error) if format.is_none() && listing.directory => {
                    self.without_marks(file, &name, &listing.files, error)
                }
                read => read,
            };
            let (part, spec) = read.map_err(|error| match listing.directory {
                true => hint_of_directory(
                    if format.is_none() { self.mixed(file, &listing.files, error) } else { error },
                    self.options.side,
                ),
                false => error,
            })?;
            match found {
                Some((before, first)) if before.id != spec.id => {
                    return Err(self.mixed_formats((spec, file), (before, first)));
                }
                _ => found = Some((spec, file)),
            }
            match by_file_name {
                false if corpus.documents.is_empty() => corpus.documents = part.documents,
                false => corpus.documents.extend(part.documents),
                true => corpus
                    .documents
                    .extend(part.documents.into_iter().map(|document| by_file(document, file))),
            }
            corpus.answers.extend(part.answers);
            corpus.diagnostics.merge(part.diagnostics);
            if let Some(spec) = assumed {
                stream::add_assumed(&mut corpus, spec, &name);
            }
        }
        match (found, format) {
            (Some((spec, _)), _) => Ok((corpus, spec)),
            (None, format) => Err(no_file(path, format, include)),
        }
    }

    /// Reads a file in no known format as an answer without mentions, if other files of the directory are answers:
    /// `I cannot do that.` has no marks. Otherwise returns `error`.
    fn without_marks(
        &self,
        file: &Path,
        name: &Arc<str>,
        files: &[PathBuf],
        error: Error,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        if error.code() != Code::UnknownFormat || !self.options.accept_answers {
            return Err(error);
        }
        let mut others = files.iter().filter(|other| *other != file).filter_map(|path| detected(path));
        let Some(spec) = others.next().filter(|spec| spec.is_answer()) else { return Err(error) };
        let mut corpus = Corpus { diagnostics: self.options.findings(), ..Corpus::default() };
        corpus.answers.push(AnswerDocument {
            id: Some(stem(file)).filter(|id| !id.is_empty()),
            source: Arc::clone(name),
            line: 1,
            notation: Notation::Auto,
            entities: Vec::new(),
            body: AnswerBody::Strings { mentions: Vec::new(), names: Vec::new() },
        });
        Ok((corpus, spec))
    }

    /// Returns the error of a directory with files in two formats.
    fn mixed_formats(&self, one: (&FormatSpec, &Path), other: (&FormatSpec, &Path)) -> Error {
        let position = |path: &Path| Position::new(&Arc::from(path.display().to_string()), 0, 0);
        let message = format!("this file is read as {}, and another file as {}", one.0.id, other.0.id);
        Error::new(ErrorKind::Format, message)
            .coded(Code::MixedFormats)
            .at(position(one.1))
            .with_place(position(other.1), format!("read as {}", other.0.id))
            .hint(text!(
                "keep one format in a directory, select its files with {}, or name it with {}",
                option("include"),
                stream::format_option(self.options.side)
            ))
    }

    /// Puts an error about mixed formats before `error`, if the format of `file` was detected and other `files` have a
    /// different format.
    fn mixed(&self, file: &Path, files: &[PathBuf], error: Error) -> Error {
        let (ErrorKind::Format, Some(own)) = (error.kind(), detected(file)) else { return error };
        let mut others = files.iter().filter(|other| *other != file);
        let other = others.find_map(|path| Some((detected(path)?, path)));
        match other.filter(|other| other.0.id != own.id) {
            Some((spec, path)) => self.mixed_formats((own, file), (spec, path)).with_others(
                std::iter::once(error.clone().with_others(Vec::new()))
                    .chain(error.others().to_vec())
                    .collect(),
            ),
            None => error,
        }
    }

    fn file(
        &mut self,
        file: &Path,
        name: &Arc<str>,
        format: Option<&'static FormatSpec>,
        in_directory: bool,
        each: Option<Each<'_>>,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        let default_id = if in_directory { stem(file) } else { self.options.default_id.clone() };
        let options = ReadOptions { default_id, ..self.options.clone() };
        let opened = File::open(file).map_err(|error| io_error(name, &error))?;
        // The file is copied if the digest is requested, so that no other process can change the bytes between digest
        // and reader. With `each`, it is copied because the system counts a mapped file as memory in use.
        let mapped = if self.digests.is_none() && each.is_none() { stream::map(&opened) } else { None };
        if let Some(bytes) = mapped {
            let progress = self.progress;
            let companion = |extension: &str| self.companion(file, extension);
            return read_mapped(&bytes, name, format, &options, progress, companion);
        }
        let mut tap = Tap::new(opened, self.progress, self.digests.is_some());
        let stream = InputStream::new(&mut tap, name, &options.limits)?;
        let mut buffer = std::mem::take(&mut self.buffer);
        let companion = |extension: &str| self.companion(file, extension);
        let loaded = read_stream(stream, name, format, &options, &mut buffer, companion, each);
        self.buffer = buffer;
        let loaded = loaded?;
        self.keep_digest(file, tap).map_err(|error| io_error(name, &error))?;
        Ok(loaded)
    }

    fn keep_digest(&mut self, file: &Path, tap: Tap<'_, File>) -> io::Result<()> {
        if let Some(digests) = &mut self.digests
            && let Some(digest) = tap.finish()?
        {
            digests.insert(file.to_owned(), digest);
        }
        Ok(())
    }

    /// Reads the text that belongs to an annotation file.
    fn companion(&mut self, file: &Path, extension: &str) -> Result<(Arc<str>, Vec<u8>)> {
        let name: Arc<str> = Arc::from(file.display().to_string());
        let mut extensions = FORMATS.iter().filter(|spec| spec.companion == Some(extension));
        let base = extensions.find_map(|spec| base_of(file, spec));
        let base = base.unwrap_or_else(|| file.with_extension(""));
        let text = companion_of(&base, extension).map_err(|wanted| {
            let message = format!("the text of this annotation is missing: no file {}", wanted.display());
            Error::new(ErrorKind::Io, message)
                .coded(Code::MissingText)
                .at(Position::new(&name, 0, 0))
                .hint(format!("put the .{extension} file next to it (.gz and .zst are read too)"))
        })?;
        let name: Arc<str> = Arc::from(text.display().to_string());
        let opened = File::open(&text).map_err(|error| io_error(&name, &error))?;
        let mut tap = Tap::new(opened, self.progress, self.digests.is_some());
        let mut stream = InputStream::new(&mut tap, &name, &self.options.limits)?;
        let bytes = read_all(&mut stream, &name, &self.options.limits)?;
        drop(stream);
        self.keep_digest(&text, tap).map_err(|error| io_error(&name, &error))?;
        Ok((name, bytes))
    }
}

/// The largest number of missing files that are named.
const MOST_MISSING: usize = 20;

/// Checks that the files and directories of inputs exist.
///
/// # Errors
///
/// Files or directories are missing. The error names up to 20 of them, and gives their number if more are missing.
pub fn check_present<'i>(inputs: impl IntoIterator<Item = &'i Input>) -> Result<()> {
    let mut seen = BTreeSet::new();
    let paths = inputs.into_iter().filter_map(Input::path).filter(|path| seen.insert(path.to_owned()));
    let error = |path: &Path| {
        let error = io_error_at(path, &fs::metadata(path).err()?);
        (error.code() == Code::NotFound).then_some(error)
    };
    let mut missing: Vec<Error> = paths.filter_map(error).collect();
    let all = missing.len();
    missing.truncate(MOST_MISSING);
    if all > MOST_MISSING {
        let message = format!(
            "{all} files are missing, of which the first {MOST_MISSING} are listed [{}]",
            Code::FurtherErrors.id()
        );
        missing.push(Error::new(ErrorKind::Io, message).coded(Code::FurtherErrors));
    }
    let mut missing = missing.into_iter();
    match missing.next() {
        Some(first) => Err(first.with_others(missing.collect())),
        None => Ok(()),
    }
}

/// Reads a pattern for the names of files, with `*`, `?` and `[…]`.
///
/// # Errors
///
/// The pattern is invalid.
pub fn pattern(text: &str) -> Result<Pattern> {
    Pattern::new(text).map_err(|error| {
        let message = text!("{} is not a pattern for names: {}", quoted(text), error.msg);
        Error::new(ErrorKind::Settings, message)
            .hint(text!("for example {}", option_value("include", "*.conll")))
    })
}

/// Detects the format of an uncompressed file.
pub(crate) fn detected(path: &Path) -> Option<&'static FormatSpec> {
    let input = Input::Path(path.to_owned());
    let mut reader = input.plain_reader().ok()??;
    FormatSpec::detect_file(&path.to_string_lossy(), reader.fill_buf().ok()?)
}

/// Adds to the error of a file in a directory how to read only the other files.
pub(crate) fn hint_of_directory(error: Error, side: Side) -> Error {
    match error.code() {
        Code::UnknownFormat => error.hint(text!(
            "if it is not an annotation, select the files to read with {} (such as \"*.conll\"); otherwise name its format with {}",
            option("include"),
            stream::format_option(side)
        )),
        Code::NotText => error.hint(text!(
            "corefeval reads text, plain or as .gz or .zst; select the files to read with {} (such as \"*.conll\")",
            option("include")
        )),
        _ => error,
    }
}

/// Adds the file name to the id of a document: `en_gum/GUM_1` from `en_gum.conllu`.
fn by_file(document: Document, file: &Path) -> Document {
    let (name, part) = (format!("{}/{}", stem(file), document.id().name()), document.id().part());
    document.renamed(match part {
        Some(part) => DocumentId::with_part(name, part),
        None => DocumentId::new(name),
    })
}

/// Returns the annotation file next to its text, in stand-off formats.
pub(crate) fn annotation_of(text: &Path) -> Option<PathBuf> {
    FormatSpec::of_documents().find_map(|spec| {
        let base = without_extension(text, spec.companion?)?;
        spec.extensions.iter().find_map(|extension| companion_of(&base, extension).ok())
    })
}

/// Fails if a file is the text of a stand-off annotation.
fn refuse_text(file: &Path) -> Result<()> {
    let Some(beside) = annotation_of(file) else { return Ok(()) };
    let name: Arc<str> = Arc::from(file.display().to_string());
    let message = format!("this is the text of `{}`, which has the annotation", beside.display());
    Err(Error::new(ErrorKind::Format, message).at(Position::new(&name, 0, 0)).hint(text!(
        "name that file; its text is read with it ({} reads this one as annotation)",
        option("format")
    )))
}

/// Returns the error of a directory without files to read.
fn no_file(path: &Path, format: Option<&'static FormatSpec>, include: Option<&Pattern>) -> Error {
    let name: Arc<str> = Arc::from(path.display().to_string());
    let message = match format.filter(|spec| spec.companion.is_some()) {
        _ if include.is_some() => {
            format!("no file in this directory matches `{}`", include.map_or("", Pattern::as_str))
        }
        Some(spec) => format!("this directory contains no .{} file", spec.extensions[0]),
        None => "this directory contains no file".to_owned(),
    };
    Error::new(ErrorKind::Io, message).coded(Code::NotFound).at(Position::new(&name, 0, 0))
}

/// Returns the error of stand-off annotation without a path, whose text cannot be found.
fn no_companion(name: &Arc<str>, extension: &str) -> Error {
    let message =
        format!("the text of this annotation is in a .{extension} file, but there is none next to it");
    Error::new(ErrorKind::Io, message)
        .coded(Code::MissingText)
        .at(Position::new(name, 0, 0))
        .hint("name the annotation file, or the directory with both")
}

/// Returns the error of a path that cannot be read.
pub(crate) fn io_error_at(path: &Path, error: &io::Error) -> Error {
    io_error(&Arc::from(path.display().to_string()), error)
}

/// Returns the error of a file that cannot be read.
pub(crate) fn io_error(name: &Arc<str>, error: &io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::NotFound => match fs::read_link(&**name) {
            Ok(target) => format!("this is a link to `{}`, which is missing", target.display()),
            Err(_) => "no such file".to_owned(),
        },
        io::ErrorKind::NotADirectory => "no such file: a part of its path is a file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => format!("this file cannot be read: {error}"),
    };
    let found = Error::new(ErrorKind::Io, message).at(Position::new(name, 0, 0));
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => found.coded(Code::NotFound),
        io::ErrorKind::InvalidData => {
            found.hint("fetch or compress the file again; gzip -t and zstd -t test it")
        }
        _ => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_cover_everything_that_is_read() {
        let folder = std::env::temp_dir().join(format!("corefeval-digest-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let put = |name: &str, content: &str| fs::write(folder.join(name), content).unwrap();
        let digest = |name: &str| Input::Path(folder.join(name)).digest().unwrap();
        put("a.ann", "T1\tX 0 1\ta\n");
        put("a.txt", "a b");
        let before = [digest("a.ann"), digest("")];
        assert_eq!([digest("a.ann"), digest("")], before);
        // The text is next to the annotation and is read with it.
        put("a.txt", "a c");
        let after = [digest("a.ann"), digest("")];
        assert!(after[0] != before[0] && after[1] != before[1]);
        let progress = AtomicU64::new(0);
        for name in ["a.ann", ""] {
            let read =
                Input::Path(folder.join(name)).read_with_digest(None, &ReadOptions::default(), &progress);
            assert_eq!(read.unwrap().digest, digest(name), "{name}");
        }
        let bytes = |text: &str| Input::Bytes { name: Arc::from("-"), bytes: Arc::from(text.as_bytes()) };
        assert_ne!(bytes("a").digest().unwrap(), bytes("b").digest().unwrap());
        assert!(Input::Path(folder.join("nowhere")).digest().is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
