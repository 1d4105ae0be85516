//! Passes bytes in blocks to a reader. Handles compression, limits and line ends.

use crate::wording::{Part, option, switch, text};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corefeval_system::mapped::{self, Mapped};
use memchr::{memchr, memchr2, memrchr};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::content::{check_text, is_compressed};
use super::files::{ABOUT_OTHERS, no_annotation};
use super::io_error;
use crate::diagnostic::{Code, Position};
use crate::digest::{Digest, Digester};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{
    FileReader, FormatSpec, ReadOptions, WHOLE_DOCUMENTS, flat_list, is_binary, is_report, listed_format,
    name_of_format_option, without_mark,
};
use crate::limits::Limits;
use crate::model::{Corpus, Document, Side};

/// The number of bytes to read at a time.
const BLOCK: usize = 1 << 16;

/// The number of bytes at the start of a file that determine its format.
pub(super) const DETECT: usize = 1 << 12;

/// The number of bytes between two checks of the memory in use.
const CHECK_MEMORY: u64 = 4 << 20;

/// Counts the bytes that pass through, and computes their digest if requested.
pub(super) struct Tap<'p, R> {
    inner: R,
    progress: &'p AtomicU64,
    count: u64,
    digester: Option<Digester>,
}

impl<'p, R: Read> Tap<'p, R> {
    /// Wraps `inner`.
    pub(super) fn new(inner: R, progress: &'p AtomicU64, digest: bool) -> Tap<'p, R> {
        Tap { inner, progress, count: 0, digester: digest.then(Digester::default) }
    }

    /// Reads the rest and returns the digest of all bytes, if requested.
    pub(super) fn finish(mut self) -> io::Result<Option<Digest>> {
        if self.digester.is_some() {
            io::copy(&mut self, &mut io::sink())?;
        }
        Ok(self.digester.map(Digester::finish))
    }
}

impl<R: Read> Read for Tap<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        self.progress.fetch_add(count as u64, Ordering::Relaxed);
        if let Some(digester) = &mut self.digester {
            digester.update(&buffer[..count]);
        }
        Ok(count)
    }
}

/// The first bytes of a tapped stream, then the rest.
type Peeked<'t, 'p, R> = io::Chain<Cursor<Vec<u8>>, &'t mut Tap<'p, R>>;

/// A stream that may be compressed.
pub(super) struct InputStream<'t, 'p, R: Read> {
    data: Compression<'t, 'p, R>,
    limits: Limits,
    /// The number of bytes returned.
    given: u64,
}

enum Compression<'t, 'p, R: Read> {
    None(Peeked<'t, 'p, R>),
    Gzip(Box<flate2::bufread::MultiGzDecoder<BufReader<Peeked<'t, 'p, R>>>>),
    Zstandard(Box<ZstandardFrames<BufReader<Peeked<'t, 'p, R>>>>),
}

impl<'t, 'p, R: Read> InputStream<'t, 'p, R> {
    /// Decompresses gzip or Zstandard, which are detected by their first bytes.
    pub(super) fn new(
        tap: &'t mut Tap<'p, R>,
        name: &Arc<str>,
        limits: &Limits,
    ) -> Result<InputStream<'t, 'p, R>> {
        let mut magic = Vec::with_capacity(4);
        let peeked = tap.by_ref().take(4).read_to_end(&mut magic);
        peeked.map_err(|error| io_error(name, &error))?;
        let kind = magic.clone();
        let whole = Cursor::new(magic).chain(tap);
        let data = match *kind.as_slice() {
            [0x1F, 0x8B, ..] => {
                Compression::Gzip(Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(whole))))
            }
            // The magic number of a data frame, or of a skippable frame, with which pzstd starts.
            [0x28, 0xB5, 0x2F, 0xFD] | [0x50..=0x5F, 0x2A, 0x4D, 0x18] => {
                Compression::Zstandard(Box::new(ZstandardFrames::new(BufReader::new(whole))))
            }
            _ => Compression::None(whole),
        };
        Ok(InputStream { data, limits: *limits, given: 0 })
    }
}

impl<R: Read> Read for InputStream<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (count, read) = match &mut self.data {
            Compression::None(inner) => return inner.read(buffer),
            Compression::Gzip(inner) => {
                let count = inner.read(buffer).map_err(|error| damaged("gzip", &error))?;
                (count, inner.get_ref().get_ref().get_ref().1.count)
            }
            Compression::Zstandard(inner) => {
                let count = inner.read(buffer).map_err(|error| damaged("Zstandard", &error))?;
                (count, inner.source().get_ref().get_ref().1.count)
            }
        };
        self.given += count as u64;
        self.limits.check_expansion(read, self.given)?;
        Ok(count)
    }
}

/// Returns the error of compressed data that cannot be decompressed.
fn damaged(kind: &str, error: &io::Error) -> io::Error {
    let what =
        if error.kind() == io::ErrorKind::UnexpectedEof || format!("{error:?}").contains("UnexpectedEof") {
            "ends too early"
        } else {
            "is damaged"
        };
    io::Error::new(io::ErrorKind::InvalidData, format!("its {kind} data {what}"))
}

/// A sequence of Zstandard frames, as `zstd` and `pzstd` write them.
struct ZstandardFrames<R: io::BufRead> {
    source: R,
    /// The current frame.
    frame: Option<FrameDecoder>,
    /// The number of bytes read.
    decoded: u64,
}

impl<R: io::BufRead> ZstandardFrames<R> {
    fn new(source: R) -> ZstandardFrames<R> {
        ZstandardFrames { source, frame: None, decoded: 0 }
    }

    fn source(&self) -> &R {
        &self.source
    }

    /// Starts the next frame with data. Returns false at the end of the stream.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let mut frame = FrameDecoder::new();
            match frame.init(&mut self.source) {
                Ok(()) => {
                    self.frame = Some(frame);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}

impl<R: io::BufRead> Read for ZstandardFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(frame) = &mut self.frame else {
                match self.begin()? {
                    true => continue,
                    false => return Ok(0),
                }
            };
            while frame.can_collect() < buffer.len() && !frame.is_finished() {
                let wanted = BlockDecodingStrategy::UptoBytes(buffer.len() - frame.can_collect());
                frame.decode_blocks(&mut self.source, wanted).map_err(io::Error::other)?;
            }
            let count = frame.read(buffer)?;
            self.decoded += count as u64;
            if count > 0 {
                return Ok(count);
            }
            let (stated, computed) = (frame.get_checksum_from_data(), frame.get_calculated_checksum());
            if stated.is_some() && stated != computed {
                return Err(io::Error::other("the checksum of a frame is wrong"));
            }
            // The size is 0 if the frame does not give it.
            if frame.content_size() != 0 && frame.content_size() != self.decoded {
                return Err(io::Error::other("the size of a frame is wrong"));
            }
            (self.frame, self.decoded) = (None, 0);
        }
    }
}

/// Reads a stream to its end. The first bytes must be text, or belong to a binary format.
pub(super) fn read_all(stream: &mut impl Read, name: &Arc<str>, limits: &Limits) -> Result<Vec<u8>> {
    let (mut bytes, mut checked) = (Vec::new(), false);
    loop {
        let count =
            stream.take(CHECK_MEMORY).read_to_end(&mut bytes).map_err(|error| io_error(name, &error))?;
        if !checked {
            checked = true;
            let first = &bytes[..bytes.len().min(DETECT)];
            if !first.is_empty() && !is_binary(first) && !is_compressed(first) {
                check_text(first, name)?;
            }
        }
        if (count as u64) < CHECK_MEMORY {
            return Ok(bytes);
        }
        limits.check_memory().map_err(|error| io_error(name, &error))?;
    }
}

/// Decompresses a file that is in memory.
pub(crate) fn decompressed(bytes: &[u8], name: &Arc<str>, limits: &Limits) -> Result<Vec<u8>> {
    let progress = AtomicU64::new(0);
    let mut tap = Tap::new(bytes, &progress, false);
    let mut text = Vec::new();
    let read = InputStream::new(&mut tap, name, limits)?.read_to_end(&mut text);
    read.map_err(|error| io_error(name, &error))?;
    Ok(text)
}

/// Compresses a text in the same format as the bytes `like`.
pub(crate) fn compressed_like(like: &[u8], text: &[u8]) -> io::Result<Vec<u8>> {
    if like.first() == Some(&0x1F) {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text)?;
        return encoder.finish();
    }
    Ok(ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest))
}

/// Chooses the reader for a file that starts with the bytes `known`, and creates it.
fn begin(
    known: &[u8],
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    companion: impl FnOnce(&str) -> Result<(Arc<str>, Vec<u8>)>,
) -> Result<(FileReader, &'static FormatSpec)> {
    let first = &known[..known.len().min(DETECT)];
    // The annotation file of a text without annotation is empty.
    let may_be_empty = format.is_some_and(|spec| spec.companion.is_some());
    if !(is_binary(first) || first.is_empty() && may_be_empty) {
        check_text(first, name)?;
    }
    if is_report(first) {
        let message = "this is a report of corefeval, not annotation";
        return Err(Error::new(ErrorKind::Format, message)
            .coded(Code::UnknownFormat)
            .at(Position::new(name, 1, 0))
            .hint("name the files that were scored"));
    }
    let spec = match format {
        Some(spec) => spec,
        // Much other text may precede the marks of an answer.
        None => FormatSpec::detect_file(name, first)
            .or_else(|| FormatSpec::detect_file(name, known))
            .filter(|spec| !(spec.is_answer() && is_about_others(name, spec)))
            // A key is never an answer.
            .filter(|spec| !spec.is_answer() || options.accept_answers || listed_format(first).is_none())
            .ok_or_else(|| {
                listed_format(first)
                    .map_or_else(|| unknown_format(first, name, options), |inner| listed(name, inner))
            })?,
    };
    if let Some(inner) = listed_format(first).filter(|inner| inner.id == spec.id) {
        return Err(listed(name, inner));
    }
    let mut reader = spec.reader(Arc::clone(name), options.clone());
    if let Some(extension) = spec.companion {
        let (source, mut text) = companion(extension)?;
        use_line_feeds(&mut text);
        reader.companion(source, &text)?;
    }
    Ok((reader, spec))
}

/// Returns whether the name of a file shows that it is not an answer of a language model. Links in Markdown and
/// brackets in programs look like marks.
fn is_about_others(name: &str, spec: &FormatSpec) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let called = |end: &&str| name.ends_with(&format!(".{end}"));
    match no_annotation(name) {
        Some(kind) => kind == ABOUT_OTHERS || !spec.extensions.iter().any(called),
        None => false,
    }
}

/// Replaces CR by LF in text whose lines end in CR alone, as on classic Macintosh systems. Returns false if any line
/// ends in LF. Offsets do not change.
fn use_line_feeds(text: &mut [u8]) -> bool {
    let Some(first) = memchr2(b'\n', b'\r', text) else { return true };
    let rest = &mut text[first..];
    if memchr(b'\n', rest).is_some() {
        return false;
    }
    rest.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
    true
}

/// Replaces CR by LF up to the first LF of a further part of a text, except in CR LF. Returns false if it finds an LF.
fn use_line_feeds_until_one(part: &mut [u8]) -> bool {
    let feed = memchr(b'\n', part);
    let lone = match feed {
        Some(place) => part[..place].strip_suffix(b"\r").map_or(place, <[u8]>::len),
        None => part.len(),
    };
    part[..lone].iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
    feed.is_none()
}

/// The smallest file that is mapped, in bytes.
const LARGE: u64 = 1 << 16;

/// Maps a large file of plain text, if the program allows it.
pub(super) fn map(file: &File) -> Option<Arc<Mapped>> {
    if !file.metadata().is_ok_and(|data| data.is_file() && data.len() >= LARGE) {
        return None;
    }
    let bytes = mapped::map(file)?;
    let first = &bytes[..bytes.len().min(BLOCK)];
    (!is_compressed(first) && !has_lone_returns(&bytes)).then(|| Arc::new(bytes))
}

/// Returns whether lines may end in CR alone: the text has a CR before any LF, and no LF in its first block. Such files
/// are copied, because their line ends are changed.
fn has_lone_returns(text: &[u8]) -> bool {
    let first_block = &text[..text.len().min(BLOCK)];
    let first_end = memchr2(b'\n', b'\r', text).map(|place| text[place]);
    first_end == Some(b'\r') && memchr(b'\n', first_block).is_none()
}

/// Passes the lines of a mapped file to a reader, block by block.
pub(super) fn read_mapped(
    bytes: &Arc<Mapped>,
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    progress: &AtomicU64,
    companion: impl FnOnce(&str) -> Result<(Arc<str>, Vec<u8>)>,
) -> Result<(Corpus, &'static FormatSpec)> {
    let first = &bytes[..bytes.len().min(BLOCK)];
    let (mut reader, spec) = begin(first, name, format, options, companion)?;
    reader.mapped(bytes);
    let mut rest = without_mark(bytes);
    let mut unchecked = 0;
    while !rest.is_empty() {
        /// The number of bytes between two reports of progress.
        const STEP: usize = 1 << 20;
        let step = rest.len().min(STEP);
        let end = memchr(b'\n', &rest[step..]).map_or(rest.len(), |more| step + more + 1);
        reader.feed(&rest[..end])?;
        progress.fetch_add(end as u64, Ordering::Relaxed);
        unchecked += end as u64;
        if unchecked >= CHECK_MEMORY {
            unchecked = 0;
            options.limits.check_memory().map_err(|error| io_error(name, &error))?;
        }
        rest = &rest[end..];
    }
    end(reader.finish(), spec, name, format)
}

/// Returns the result of a reader.
fn end(
    read: Result<Corpus>,
    spec: &'static FormatSpec,
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
) -> Result<(Corpus, &'static FormatSpec)> {
    let mut corpus = read?;
    refuse_lone_returns(&corpus, spec, name)?;
    if format.is_none() {
        add_assumed(&mut corpus, spec, name);
    }
    Ok((corpus, spec))
}

/// Fails if the line with the id of a document contains a CR. Such a line ends in CR alone, but other lines of the file
/// end in LF, so several lines were read as one.
fn refuse_lone_returns(corpus: &Corpus, spec: &FormatSpec, name: &Arc<str>) -> Result<()> {
    let joined = |document: &&Document| document.id().name().contains('\r');
    match corpus.documents.iter().find(joined).filter(|_| spec.has_header_lines()) {
        Some(document) => Err(Error::new(ErrorKind::Format, "some lines end in CR alone, and others in LF")
            .at(Position::new(name, document.line(), 0))
            .hint("convert all line ends to LF")),
        None => Ok(()),
    }
}

/// The function that receives each document as soon as it is read.
pub(super) type Each<'e> = &'e mut dyn FnMut(Document) -> Result<()>;

/// Passes on the finished documents.
fn hand_over(documents: Vec<Document>, each: &mut Option<Each<'_>>) -> Result<()> {
    match each {
        Some(each) => documents.into_iter().try_for_each(each),
        None => Ok(()),
    }
}

/// Passes the lines of a stream to a reader, block by block. `companion` finds the text by its extension, in formats
/// that require it. If `each` is given, it receives all documents, and the result has none.
pub(super) fn read_stream(
    mut stream: impl Read,
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    buffer: &mut Vec<u8>,
    companion: impl FnOnce(&str) -> Result<(Arc<str>, Vec<u8>)>,
    mut each: Option<Each<'_>>,
) -> Result<(Corpus, &'static FormatSpec)> {
    // The first block has the same size for every file, regardless of the previous contents of the buffer, because the
    // detection of line ends depends on it.
    buffer.truncate(BLOCK);
    buffer.resize(BLOCK, 0);
    let mut fill = |buffer: &mut [u8], filled: &mut usize| -> Result<bool> {
        while *filled < buffer.len() {
            match stream.read(&mut buffer[*filled..]) {
                Ok(0) => return Ok(true),
                Ok(count) => *filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io_error(name, &error)),
            }
        }
        Ok(false)
    };
    let mut filled = 0;
    let mut ended = fill(buffer, &mut filled)?;
    // CR may end lines if no line ends in LF. A CR at the end of the bytes may be half of CR LF.
    let whole = if ended { filled } else { filled - 1 };
    let mut bare = !is_binary(&buffer[..filled]) && use_line_feeds(&mut buffer[..whole]);
    let first = &buffer[..filled];
    let (mut reader, spec) = begin(first, name, format, options, companion)?;
    let mut start = filled - without_mark(&buffer[..filled]).len();
    let mut unchecked = 0;
    while !ended {
        match memrchr(b'\n', &buffer[start..filled]) {
            Some(last) => {
                let end = start + last + 1;
                reader.feed(&buffer[start..end])?;
                if each.is_some() {
                    hand_over(reader.take(), &mut each)?;
                }
                unchecked += (end - start) as u64;
                buffer.copy_within(end..filled, 0);
                (filled, start) = (filled - end, 0);
            }
            None if filled == buffer.len() => {
                unchecked += buffer.len() as u64;
                buffer.resize(buffer.len() * 2, 0);
            }
            None => {}
        }
        if unchecked >= CHECK_MEMORY {
            unchecked = 0;
            options.limits.check_memory().map_err(|error| io_error(name, &error))?;
        }
        let before = filled;
        ended = fill(buffer, &mut filled)?;
        let whole = if ended { filled } else { filled.saturating_sub(1) };
        bare = bare && use_line_feeds_until_one(&mut buffer[before.saturating_sub(1).min(whole)..whole]);
    }
    reader.feed(&buffer[start..filled])?;
    let mut readable = if each.is_some() { reader.take() } else { Vec::new() };
    let read = reader.finish_with(|documents| readable.extend(documents));
    hand_over(readable, &mut each)?;
    let (mut corpus, spec) = end(read, spec, name, format)?;
    if each.is_some() {
        hand_over(std::mem::take(&mut corpus.documents), &mut each)?;
    }
    Ok((corpus, spec))
}

/// Adds a note that a format was detected.
pub(super) fn add_assumed(corpus: &mut Corpus, spec: &FormatSpec, name: &Arc<str>) {
    let position = Position::new(name, 0, 0);
    corpus.diagnostics.add(Code::FormatAssumed, Some(position), None, || format!("read as {}", spec.id));
}

/// Returns the error of a JSON list of documents.
fn listed(name: &Arc<str>, inner: &FormatSpec) -> Error {
    let (form, remedy) = match inner.id {
        "json" => {
            ("a json file contains one document", "write each document to a separate file in one directory")
        }
        _ => (WHOLE_DOCUMENTS, "write a .jsonlines file with one document per line: `jq -c '.[]' FILE`"),
    };
    Error::new(ErrorKind::Format, format!("this JSON is a list of documents, but {form}"))
        .coded(Code::BadJson)
        .at(Position::new(name, 1, 0))
        .hint(remedy)
}

/// Returns the error of a file that starts with `first`, at its first line with text.
fn unknown_format(first: &[u8], name: &Arc<str>, options: &ReadOptions) -> Error {
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let lines = || first.split(|&byte| byte == b'\n');
    let blank = lines().position(|line| !is_blank(&line)).unwrap_or(0) as u32;
    let place = Position::new(name, blank + 1, 0);
    if let Some(error) = flat_list(first).filter(|_| options.accept_answers) {
        return error.coded(Code::UnknownFormat).at(place);
    }
    // A key is never an answer.
    let able = FormatSpec::of_documents().filter(|spec| options.accept_answers || !spec.is_answer());
    let ids = able.map(|spec| spec.id).collect::<Vec<_>>().join(", ");
    let named = text!("name it with {} ({})", format_option(options.side), ids);
    let hint = match options.accept_answers && options.side == Side::Response {
        true => text!("{}; an answer without any mark needs {} too", named, switch("allow-empty")),
        false => named,
    };
    Error::new(ErrorKind::Format, "the first lines do not match any known format")
        .coded(Code::UnknownFormat)
        .at(place)
        .hint(hint)
}

/// Returns the option that sets the format of an input.
pub(super) fn format_option(side: Side) -> Part {
    option(name_of_format_option(side))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decompresses `bytes` like a file.
    fn decompressed(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
        let (progress, name) = (AtomicU64::new(0), Arc::from("x"));
        let mut tap = Tap::new(bytes, &progress, false);
        read_all(&mut InputStream::new(&mut tap, &name, limits)?, &name, limits)
    }

    /// A frame of `content` with its size and its checksum.
    fn frame(content: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn carriage_returns_end_lines_of_files_without_line_feeds() {
        let long = "x".repeat(BLOCK);
        for (text, expected) in [
            ("a\rb\r", true),
            ("a\r\nb", false),
            ("a\nb\rc", false),
            ("a", false),
            (&*format!("{long}\rb\n"), true),
            (&*format!("{long}\nb\r"), false),
            (&*format!("a\r{long}\n"), true),
        ] {
            assert_eq!(has_lone_returns(text.as_bytes()), expected, "{:?}", &text[..text.len().min(8)]);
            // Reading a stream finds the same lines.
            let mut first = text.as_bytes()[..text.len().min(BLOCK)].to_vec();
            assert!(!expected || use_line_feeds(&mut first), "{:?}", &text[..text.len().min(8)]);
        }
    }

    #[test]
    fn a_flipped_bit_of_zstandard_is_detected() {
        let text: String = (0..200).map(|number| format!("word{}\t({})\n", number % 7, number)).collect();
        let whole = frame(text.as_bytes());
        assert_eq!(decompressed(&whole, &Limits::default()).unwrap(), text.as_bytes());
        let mut found = 0;
        for bit in 32..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match decompressed(&flipped, &Limits::default()) {
                Err(_) => found += 1,
                Ok(bytes) => assert_eq!(bytes, text.as_bytes(), "bit {bit}"),
            }
        }
        assert!(found * 100 > (whole.len() * 8 - 32) * 95, "{found} of {}", whole.len() * 8);
    }

    #[test]
    fn frames_follow_each_other_and_some_are_skipped() {
        let skipped = [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let (one, none, two) = (frame(b"one\n"), frame(b""), frame(b"two\n"));
        let all = [&skipped, &one, &skipped, &none, &two, &skipped].map(|part| part.as_slice()).concat();
        assert_eq!(decompressed(&all, &Limits::default()).unwrap(), b"one\ntwo\n");
        let cut = [&frame(b"one\n"), &skipped[..9]].concat();
        assert!(decompressed(&cut, &Limits::default()).is_err());
    }

    #[test]
    fn files_that_expand_too_much_are_rejected() {
        let zeros = vec![b'x'; Limits::EXPANSION_FROM as usize + (1 << 20)];
        let whole = frame(&zeros);
        let error = decompressed(&whole, &Limits::default()).unwrap_err();
        assert!(error.message().contains("200 times larger"), "{error}");
        let limits = Limits { expansion: u64::MAX, ..Limits::default() };
        assert_eq!(decompressed(&whole, &limits).unwrap().len(), zeros.len());
    }

    #[test]
    fn lines_may_end_in_cr() {
        // The buffer may have held a larger file before.
        let read = |text: &str| {
            let of = |before: usize| {
                let (progress, name) = (AtomicU64::new(0), Arc::from("x"));
                let mut tap = Tap::new(text.as_bytes(), &progress, false);
                let options = ReadOptions::default();
                let stream = InputStream::new(&mut tap, &name, &options.limits).unwrap();
                let mut buffer = vec![b'x'; before];
                let loaded =
                    read_stream(stream, &name, None, &options, &mut buffer, |_| unreachable!(), None);
                loaded.map(|(corpus, _)| {
                    corpus.documents.iter().map(|read| read.mentions().len()).sum::<usize>()
                })
            };
            let found = of(0);
            assert_eq!(found.as_ref().ok(), of(4 * BLOCK).as_ref().ok());
            found
        };
        let text = "#begin document (a); part 000\nAda\t(0)\nslept\t-\n\nShe\t(0)\n#end document\n";
        for ends in ["\n", "\r\n", "\r"] {
            assert_eq!(read(&text.replace('\n', ends)).unwrap(), 2, "{ends:?}");
        }
        // The same beyond the first block.
        let long = text.replace("slept\t-\n", &"slept\t-\n".repeat(20_000));
        assert_eq!(read(&long.replace('\n', "\r")).unwrap(), 2);
        // CR LF cut by the end of the first block.
        for before in BLOCK - 3..BLOCK + 2 {
            let name = "a".repeat(before - "#begin document (); part 000".len());
            let cut = text.replace("(a)", &format!("({name})")).replace('\n', "\r\n");
            assert_eq!(cut.find('\r'), Some(before));
            assert_eq!(read(&cut).unwrap(), 2);
        }
        // With both line ends, CR ends lines before the first LF, if the first block has no LF. Otherwise, a line with
        // the id of a document shows that lines were joined.
        let late = format!("{}{}", long.replace('\n', "\r"), text.replace("(a)", "(b)"));
        assert_eq!(read(&late).unwrap(), 4);
        let early = format!("{}{}", text.replace('\n', "\r"), text.replace("(a)", "(b)"));
        let error = read(&early).unwrap_err().to_string();
        assert!(error.contains("some lines end in CR alone, and others in LF"), "{error}");
    }
}
