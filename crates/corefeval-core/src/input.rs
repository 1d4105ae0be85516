//! Where bytes come from: files, directories, standard input, compressed or not.
//!
//! Files are read in blocks of whole lines that stay in the processor's cache, so that a file
//! larger than memory can be scored and a small one costs no more than reading it.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corefeval_map::Mapped;
use memchr::{memchr, memrchr};

use crate::cache::Digest;
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FORMATS, FormatSpec, ReadOptions, Reader, check_corpus, is_binary, without_mark};
use crate::model::{Corpus, Document, DocumentId};

/// How many bytes are handed to a reader at a time.
const BLOCK: usize = 1 << 16;

/// How many bytes the format is told from, where the file has them.
const DETECT: usize = 1 << 12;

/// How many bytes a file has that is mapped.
const LARGE: u64 = 1 << 16;

/// Something that can be read, and read again.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, or a directory of files.
    Path(PathBuf),
    /// Bytes at hand, such as those of standard input.
    Bytes {
        /// What to call them in messages.
        name: Arc<str>,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Documents that a program has already, with their words.
    Documents {
        /// What to call them in messages.
        name: Arc<str>,
        /// The documents.
        documents: Arc<[Arc<Document>]>,
        /// What they were read from, or [`FormatSpec::of_program`].
        format: &'static FormatSpec,
    },
}

impl Input {
    /// The file or the directory, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::Path(path) => Some(path),
            Input::Bytes { .. } | Input::Documents { .. } => None,
        }
    }

    /// The input that `name` stands for: `-` is standard input, which is read to its end now.
    pub fn open(name: &str) -> Result<Input> {
        if name != "-" {
            return Ok(Input::Path(PathBuf::from(name)));
        }
        let mut bytes = Vec::new();
        let name: Arc<str> = Arc::from("-");
        io::stdin().lock().read_to_end(&mut bytes).map_err(|error| io_error(&name, &error))?;
        Ok(Input::Bytes { name, bytes: Arc::from(bytes) })
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Bytes { name, .. } | Input::Documents { name, .. } => name.to_string(),
        }
    }

    /// The files of a directory that are read in `format`, or `None` for what is no directory.
    pub fn files(
        &self,
        format: Option<&'static FormatSpec>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Vec<PathBuf>>> {
        let Input::Path(path) = self else { return Ok(None) };
        let name: Arc<str> = Arc::from(path.display().to_string());
        let mut files = files_of(path).map_err(|error| io_error(&name, &error))?;
        if files.len() == 1 && files[0] == *path {
            return Ok(None);
        }
        if let Some(spec) = format.or_else(|| format_by_companion(&files))
            && let Some(companion) = spec.companion
        {
            leave_out_others(&mut files, spec, companion, diagnostics);
        }
        if files.is_empty() {
            return Err(no_file(path, format));
        }
        Ok(Some(files))
    }

    /// How many bytes there are to read, as far as the file system tells.
    pub fn size(&self) -> u64 {
        match self {
            Input::Path(path) => files_of(path)
                .map(|files| {
                    files.iter().filter_map(|file| fs::metadata(file).ok()).map(|data| data.len()).sum()
                })
                .unwrap_or(0),
            Input::Bytes { bytes, .. } => bytes.len() as u64,
            Input::Documents { .. } => 0,
        }
    }

    /// A digest of all that is read of it: the names and the bytes of its files, of texts that stand beside them too.
    pub fn digest(&self) -> Result<Digest> {
        let path = match self {
            Input::Bytes { name, bytes } => {
                return Ok(Digest::of([name.as_bytes(), Digest::of_bytes(bytes).as_bytes()]));
            }
            Input::Documents { name, .. } => {
                let message =
                    format!("`{name}` is documents of a program, which have no bytes to be known by");
                return Err(Error::new(ErrorKind::Settings, message).hint("compare them without a cache"));
            }
            Input::Path(path) => path,
        };
        let error_in =
            |path: &Path, error: &io::Error| io_error(&Arc::from(path.display().to_string()), error);
        let mut files = files_of(path).map_err(|error| error_in(path, &error))?;
        if files.len() == 1 && files[0] == *path {
            let companions =
                FORMATS.iter().filter_map(|spec| companion_of(&base_of(path, spec)?, spec.companion?).ok());
            files.extend(companions.collect::<BTreeSet<_>>());
        }
        let mut pieces = vec![path.display().to_string().into_bytes()];
        for file in &files {
            let digest = File::open(file).and_then(digest_of_file).map_err(|error| error_in(file, &error))?;
            pieces.extend([file.display().to_string().into_bytes(), digest.as_bytes().to_vec()]);
        }
        Ok(Digest::of(pieces))
    }

    /// Reads all of it. Without `format` the format is told from the first bytes of each file, and
    /// the corpus says which one was assumed. `progress` counts the bytes read.
    pub fn read(
        &self,
        format: Option<&'static FormatSpec>,
        options: &ReadOptions,
        progress: &AtomicU64,
    ) -> Result<(Corpus, &'static FormatSpec)> {
        match self {
            Input::Bytes { name, bytes } => {
                let stream = Counting { inner: Cursor::new(Arc::clone(bytes)), progress };
                let companion = |extension: &str| Err(no_companion(name, extension));
                let loaded = read_stream(decompressed(stream, name)?, name, format, options, companion)?;
                check_corpus(&loaded.0)?;
                Ok(loaded)
            }
            Input::Documents { documents, format, .. } => {
                let documents = documents.iter().map(|document| Document::clone(document)).collect();
                let corpus = Corpus { documents, ..Corpus::default() };
                check_corpus(&corpus)?;
                Ok((corpus, format))
            }
            Input::Path(path) => {
                let loaded = read_path(path, format, options, progress)?;
                check_corpus(&loaded.0)?;
                Ok(loaded)
            }
        }
    }
}

/// The digest of the bytes of a file; a large one is mapped, which saves the copy.
fn digest_of_file(file: File) -> io::Result<Digest> {
    if file.metadata()?.len() >= LARGE
        && let Ok(bytes) = corefeval_map::map(&file)
    {
        return Ok(Digest::of_bytes(&bytes));
    }
    Digest::of_reader(file)
}

fn read_path(
    path: &Path,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    progress: &AtomicU64,
) -> Result<(Corpus, &'static FormatSpec)> {
    let mut files =
        files_of(path).map_err(|error| io_error(&Arc::from(path.display().to_string()), &error))?;
    let directory = files.len() != 1 || files[0] != path;
    let mut corpus = Corpus::default();
    let mut found: Option<(&'static FormatSpec, &PathBuf)> = None;
    let assumed = if format.is_none() { format_by_companion(&files) } else { None };
    if format.is_none() && assumed.is_none() && !directory {
        refuse_text(path)?;
    }
    let format = format.or(assumed);
    if let Some(spec) = format
        && let Some(companion) = spec.companion
        && directory
    {
        leave_out_others(&mut files, spec, companion, &mut corpus.diagnostics);
    }
    for file in &files {
        let name: Arc<str> = Arc::from(file.display().to_string());
        let opened = File::open(file).map_err(|error| io_error(&name, &error))?;
        let default_id = if directory { stem(file) } else { options.default_id.clone() };
        let options = ReadOptions { default_id, ..options.clone() };
        let companion = |extension: &str| read_companion(file, extension, progress);
        let (part, spec) = match mapped(&opened, format) {
            Some(bytes) => read_mapped(&bytes, &name, format, &options, companion, progress)?,
            None => {
                let stream = decompressed(Counting { inner: opened, progress }, &name)?;
                read_stream(stream, &name, format, &options, companion)?
            }
        };
        match found {
            Some((before, first)) if before.id != spec.id => {
                let message = format!("this file is read as {}, the one before as {}", spec.id, before.id);
                return Err(Error::new(ErrorKind::Format, message)
                    .at(Position::new(&name, 0, 0))
                    .beside(
                        Position::new(&Arc::from(first.display().to_string()), 0, 0),
                        format!("read as {}", before.id),
                    )
                    .hint("keep one format in a directory, or name it with --format"));
            }
            _ => found = Some((spec, file)),
        }
        match directory && options.ids_by_file {
            false => corpus.documents.extend(part.documents),
            true => {
                corpus.documents.extend(part.documents.into_iter().map(|document| by_file(document, file)))
            }
        }
        corpus.diagnostics.merge(part.diagnostics);
        if let Some(spec) = assumed {
            add_assumed(&mut corpus, spec, &name);
        }
    }
    match (found, format) {
        (Some((spec, _)), _) => Ok((corpus, spec)),
        (None, format) => Err(no_file(path, format)),
    }
}

/// A document that is called by its file too: `en_gum/GUM_1` from `en_gum.conllu`.
fn by_file(document: Document, file: &Path) -> Document {
    let (name, part) = (format!("{}/{}", stem(file), document.id().name()), document.id().part());
    document.renamed(match part {
        Some(part) => DocumentId::with_part(name, part),
        None => DocumentId::new(name),
    })
}

/// Fails where a file is the text of the annotation that stands beside it.
fn refuse_text(file: &Path) -> Result<()> {
    for spec in FORMATS {
        let Some(base) = spec.companion.and_then(|extension| without_extension(file, extension)) else {
            continue;
        };
        let beside = spec.extensions.iter().find_map(|extension| companion_of(&base, extension).ok());
        if let Some(beside) = beside {
            let name: Arc<str> = Arc::from(file.display().to_string());
            let message = format!("this is the text of `{}`, which has the annotation", beside.display());
            return Err(Error::new(ErrorKind::Format, message)
                .at(Position::new(&name, 0, 0))
                .hint("name that file; its text is read with it (--format reads this one all the same)"));
        }
    }
    Ok(())
}

/// That a directory holds nothing to read.
fn no_file(path: &Path, format: Option<&'static FormatSpec>) -> Error {
    let name: Arc<str> = Arc::from(path.display().to_string());
    let message = match format.filter(|spec| spec.companion.is_some()) {
        Some(spec) => format!("there is no .{} file in this directory", spec.extensions[0]),
        None => "there is no file in this directory".to_owned(),
    };
    Error::new(ErrorKind::Io, message).at(Position::new(&name, 0, 0))
}

/// The extensions of compressed files, with the empty one for plain files.
pub(crate) const COMPRESSIONS: &[&str] = &["", ".gz", ".zst"];

/// The path without `.EXTENSION`, be the file compressed or not.
pub(crate) fn without_extension(file: &Path, extension: &str) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let name = COMPRESSIONS[1..].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    Some(file.with_file_name(name.strip_suffix(extension)?.strip_suffix('.')?))
}

/// The path without the extension that files of the format have.
pub(crate) fn base_of(file: &Path, spec: &FormatSpec) -> Option<PathBuf> {
    spec.extensions.iter().find_map(|extension| without_extension(file, extension))
}

/// The file with the text that belongs to `base`, or the name it was looked for by.
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

/// The format whose annotation stands beside its text, where one of the files has its text beside it.
fn format_by_companion(files: &[PathBuf]) -> Option<&'static FormatSpec> {
    FORMATS.iter().find(|spec| {
        let Some(extension) = spec.companion else { return false };
        let mut bases = files.iter().filter_map(|file| base_of(file, spec));
        bases.any(|base| companion_of(&base, extension).is_ok())
    })
}

/// Keeps the annotation files; their texts are read with them, and what else there is (settings of the
/// annotation tool, a text without annotation) is counted.
fn leave_out_others(
    files: &mut Vec<PathBuf>,
    spec: &FormatSpec,
    companion: &str,
    diagnostics: &mut Diagnostics,
) {
    let bases: Vec<PathBuf> = files.iter().filter_map(|file| base_of(file, spec)).collect();
    let texts: HashSet<&PathBuf> = bases.iter().collect();
    files.retain(|file| {
        if base_of(file, spec).is_some() {
            return true;
        }
        if !without_extension(file, companion).is_some_and(|base| texts.contains(&base)) {
            let name: Arc<str> = Arc::from(file.display().to_string());
            diagnostics.add(Code::FileSkipped, Some(Position::new(&name, 0, 0)), None, || {
                format!("this is no .{} file and no text of one", spec.extensions[0])
            });
        }
        false
    });
}

/// Reads the text that belongs to an annotation file.
fn read_companion(file: &Path, extension: &str, progress: &AtomicU64) -> Result<(Arc<str>, Vec<u8>)> {
    let name: Arc<str> = Arc::from(file.display().to_string());
    let mut extensions = FORMATS.iter().filter(|spec| spec.companion == Some(extension));
    let base = extensions.find_map(|spec| base_of(file, spec));
    let base = base.unwrap_or_else(|| file.with_extension(""));
    let text = companion_of(&base, extension).map_err(|wanted| {
        let message =
            format!("the text of this annotation is missing: there is no file {}", wanted.display());
        Error::new(ErrorKind::Io, message)
            .at(Position::new(&name, 0, 0))
            .hint(format!("put the .{extension} file beside it (as .gz or .zst if need be)"))
    })?;
    let name: Arc<str> = Arc::from(text.display().to_string());
    let stream = File::open(&text).map_err(|error| io_error(&name, &error))?;
    let mut stream = decompressed(Counting { inner: stream, progress }, &name)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map_err(|error| io_error(&name, &error))?;
    if !bytes.is_empty() {
        check_text(&bytes, &name)?;
    }
    Ok((name, bytes))
}

/// That bytes without a path have no text beside them.
fn no_companion(name: &Arc<str>, extension: &str) -> Error {
    let message =
        format!("the text of this annotation stands in a .{extension} file, and here is no file beside it");
    Error::new(ErrorKind::Io, message)
        .at(Position::new(name, 0, 0))
        .hint("name the annotation file, or the directory with both")
}

fn add_assumed(corpus: &mut Corpus, spec: &FormatSpec, name: &Arc<str>) {
    corpus
        .diagnostics
        .add(Code::FormatAssumed, Some(Position::new(name, 0, 0)), None, || format!("read as {}", spec.id));
}

/// The files to read: the file itself, or all files of a directory and those below it in the order
/// of their paths, hidden ones left out.
fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<_>>()?;
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        let hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden {
            files.extend(files_of(&entry)?);
        }
    }
    Ok(files)
}

/// The name of a file up to its first dot, which names a document that has no name of its own.
fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

pub(crate) fn io_error(name: &Arc<str>, error: &io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "this file may not be read".to_owned(),
        _ => format!("this file cannot be read: {error}"),
    };
    let found = Error::new(ErrorKind::Io, message).at(Position::new(name, 0, 0));
    match error.kind() {
        io::ErrorKind::InvalidData => {
            found.hint("fetch or compress the file again; gzip -t and zstd -t test it")
        }
        _ => found,
    }
}

/// Counts the bytes that pass.
struct Counting<'p, R> {
    inner: R,
    progress: &'p AtomicU64,
}

impl<R: Read> Read for Counting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// The first bytes of a stream, then the rest.
type Peeked<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// A stream that may be compressed.
enum Stream<R: Read> {
    Plain(Peeked<R>),
    Gzip(Box<flate2::bufread::MultiGzDecoder<BufReader<Peeked<R>>>>),
    Zstandard(Box<ZstandardFrames<BufReader<Peeked<R>>>>),
}

impl<R: Read> Read for Stream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(inner) => inner.read(buffer),
            Stream::Gzip(inner) => inner.read(buffer).map_err(|error| damaged("gzip", &error)),
            Stream::Zstandard(inner) => inner.read(buffer).map_err(|error| damaged("Zstandard", &error)),
        }
    }
}

/// The error of compressed data that cannot be undone, in words for people.
fn damaged(kind: &str, error: &io::Error) -> io::Error {
    let what =
        if error.kind() == io::ErrorKind::UnexpectedEof || format!("{error:?}").contains("UnexpectedEof") {
            "ends too early"
        } else {
            "is damaged"
        };
    io::Error::new(io::ErrorKind::InvalidData, format!("its {kind} data {what}"))
}

/// Undoes gzip or Zstandard where the first bytes say so.
fn decompressed<R: Read>(mut stream: R, name: &Arc<str>) -> Result<Stream<R>> {
    let mut magic = Vec::with_capacity(4);
    let peeked = stream.by_ref().take(4).read_to_end(&mut magic);
    peeked.map_err(|error| io_error(name, &error))?;
    let kind = magic.clone();
    let whole = Cursor::new(magic).chain(stream);
    Ok(match kind.as_slice() {
        [0x1F, 0x8B, ..] => {
            Stream::Gzip(Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(whole))))
        }
        [0x28, 0xB5, 0x2F, 0xFD] => {
            Stream::Zstandard(Box::new(ZstandardFrames::Between(BufReader::new(whole))))
        }
        _ => Stream::Plain(whole),
    })
}

/// Zstandard frames one after another, as `zstd` and `pzstd` write them.
enum ZstandardFrames<R: io::BufRead> {
    Between(R),
    Inside(Box<ruzstd::decoding::StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
    Ended,
}

impl<R: io::BufRead> Read for ZstandardFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(self, ZstandardFrames::Ended) {
                ZstandardFrames::Ended => return Ok(0),
                ZstandardFrames::Between(mut inner) => {
                    if inner.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let decoder = ruzstd::decoding::StreamingDecoder::new(inner).map_err(io::Error::other)?;
                    *self = ZstandardFrames::Inside(Box::new(decoder));
                }
                ZstandardFrames::Inside(mut decoder) => match decoder.read(buffer)? {
                    0 if !buffer.is_empty() => *self = ZstandardFrames::Between(decoder.into_inner()),
                    count => {
                        *self = ZstandardFrames::Inside(decoder);
                        return Ok(count);
                    }
                },
            }
        }
    }
}

/// Maps a file whose format keeps little of its bytes: a large one, not compressed.
fn mapped(file: &File, format: Option<&'static FormatSpec>) -> Option<Mapped> {
    let large = file.metadata().is_ok_and(|data| data.is_file() && data.len() >= LARGE);
    if !large || format.is_some_and(|spec| !spec.by_line) {
        return None;
    }
    let mut first = [0; DETECT];
    let mut peeked: &File = file;
    let length = peeked.read(&mut first).ok()?;
    let spec = format.or_else(|| FormatSpec::detect(&first[..length]));
    let plain = !first.starts_with(&[0x1F, 0x8B]) && !first.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]);
    let bytes = match spec {
        Some(spec) if spec.by_line && plain => corefeval_map::map(file).ok(),
        _ => None,
    };
    if bytes.is_none() {
        peeked.rewind().ok()?;
    }
    bytes
}

/// Hands the lines of a mapped file to a reader, block by block.
fn read_mapped(
    bytes: &[u8],
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    companion: impl FnOnce(&str) -> Result<(Arc<str>, Vec<u8>)>,
    progress: &AtomicU64,
) -> Result<(Corpus, &'static FormatSpec)> {
    /// How many bytes are read between two reports of progress.
    const STEP: usize = 1 << 20;
    let (mut reader, spec) = begin(&bytes[..bytes.len().min(DETECT)], name, format, options, companion)?;
    let mut rest = without_mark(bytes);
    while !rest.is_empty() {
        let step = rest.len().min(STEP);
        let end = match memchr(b'\n', &rest[step..]) {
            Some(more) => step + more + 1,
            None => rest.len(),
        };
        reader.feed(&rest[..end])?;
        progress.fetch_add(end as u64, Ordering::Relaxed);
        rest = &rest[end..];
    }
    end(reader, spec, name, format)
}

/// The reader of a file that begins with `first`.
fn begin(
    first: &[u8],
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    companion: impl FnOnce(&str) -> Result<(Arc<str>, Vec<u8>)>,
) -> Result<(Box<dyn Reader>, &'static FormatSpec)> {
    // A text without annotation has an empty file beside it.
    let may_be_empty = format.is_some_and(|spec| spec.companion.is_some());
    if !(is_binary(first) || first.is_empty() && may_be_empty) {
        check_text(first, name)?;
    }
    let spec = match format {
        Some(spec) => spec,
        None => FormatSpec::detect(first).ok_or_else(|| unknown_format(name))?,
    };
    let mut reader = spec.reader(Arc::clone(name), options.clone());
    if let Some(extension) = spec.companion {
        let (source, text) = companion(extension)?;
        reader.companion(source, &text)?;
    }
    Ok((reader, spec))
}

/// What a reader has read.
fn end(
    reader: Box<dyn Reader>,
    spec: &'static FormatSpec,
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
) -> Result<(Corpus, &'static FormatSpec)> {
    let mut corpus = reader.finish()?;
    if format.is_none() {
        add_assumed(&mut corpus, spec, name);
    }
    Ok((corpus, spec))
}

/// Hands the lines of a stream to a reader, block by block. `companion` finds the text by its extension
/// in the formats that need it.
fn read_stream(
    mut stream: impl Read,
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    companion: impl FnOnce(&str) -> Result<(Arc<str>, Vec<u8>)>,
) -> Result<(Corpus, &'static FormatSpec)> {
    let mut buffer = vec![0u8; BLOCK];
    let mut filled = 0;
    let mut ended = false;
    let mut fill = |buffer: &mut [u8], filled: &mut usize, wanted: usize| -> Result<bool> {
        while *filled < wanted {
            match stream.read(&mut buffer[*filled..]) {
                Ok(0) => return Ok(true),
                Ok(count) => *filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io_error(name, &error)),
            }
        }
        Ok(false)
    };
    ended |= fill(&mut buffer, &mut filled, DETECT)?;
    let first = &buffer[..filled];
    let (mut reader, spec) = begin(first, name, format, options, companion)?;
    let mut start = filled - without_mark(first).len();
    while !ended {
        match memrchr(b'\n', &buffer[start..filled]) {
            Some(last) => {
                let end = start + last + 1;
                reader.feed(&buffer[start..end])?;
                buffer.copy_within(end..filled, 0);
                filled -= end;
                start = 0;
            }
            None if filled == buffer.len() => buffer.resize(buffer.len() * 2, 0),
            None => {}
        }
        let wanted = buffer.len();
        ended = fill(&mut buffer, &mut filled, wanted)?;
    }
    reader.feed(&buffer[start..filled])?;
    end(reader, spec, name, format)
}

/// Fails for what no reader can make sense of.
fn check_text(bytes: &[u8], name: &Arc<str>) -> Result<()> {
    let wrong = |message: &str, hint: &str| {
        Err(Error::new(ErrorKind::Format, message).at(Position::new(name, 0, 0)).hint(hint))
    };
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return wrong("this file is UTF-16", "convert it to UTF-8");
    }
    if without_mark(bytes).is_empty() {
        return wrong("this file is empty", "was it written to the end?");
    }
    if memchr(0, bytes).is_some() {
        return wrong("this is no text file", "corefeval reads text, plain or as .gz or .zst");
    }
    Ok(())
}

fn unknown_format(name: &Arc<str>) -> Error {
    let ids = FORMATS.iter().map(|spec| spec.id).collect::<Vec<_>>().join(", ");
    Error::new(ErrorKind::Format, "the first lines look like no known format")
        .at(Position::new(name, 1, 0))
        .hint(format!("name it with --format ({ids})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_of_all_that_is_read() {
        let folder = std::env::temp_dir().join(format!("corefeval-digest-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let put = |name: &str, content: &str| fs::write(folder.join(name), content).unwrap();
        let digest = |name: &str| Input::Path(folder.join(name)).digest().unwrap();
        put("a.ann", "T1\tX 0 1\ta\n");
        put("a.txt", "a b");
        let before = [digest("a.ann"), digest("")];
        assert_eq!([digest("a.ann"), digest("")], before);
        // The text stands beside the annotation and is read with it.
        put("a.txt", "a c");
        let after = [digest("a.ann"), digest("")];
        assert!(after[0] != before[0] && after[1] != before[1]);
        // Large files are mapped, which changes nothing but the time.
        let large = "x".repeat(100_000);
        put("large", &large);
        assert_eq!(Digest::of_reader(large.as_bytes()).unwrap(), Digest::of_bytes(large.as_bytes()));
        assert_eq!(
            digest_of_file(File::open(folder.join("large")).unwrap()).unwrap(),
            Digest::of_bytes(large.as_bytes())
        );
        let bytes = |text: &str| Input::Bytes { name: Arc::from("-"), bytes: Arc::from(text.as_bytes()) };
        assert_ne!(bytes("a").digest().unwrap(), bytes("b").digest().unwrap());
        assert!(Input::Path(folder.join("nowhere")).digest().is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
