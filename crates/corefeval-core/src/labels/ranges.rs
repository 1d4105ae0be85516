//! Ranges of whole lines of a file, for reading on several threads.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

use memchr::memchr;

use crate::shared_file::read_at;

/// The minimum size of a range in bytes. The first lines of a table, with the column names, fit into one range.
const LEAST: u64 = if cfg!(test) { 1 << 12 } else { 1 << 19 };

/// The maximum length of a line where a range starts. Longer lines are not plain.
const LONGEST_LINE: usize = 1 << 17;

/// The length in bytes of one read of a range that is not cached. Such reads end at multiples of it, because the system
/// drops pages after the first read that touches them, and would fetch them again for the next one.
const STRIDE: usize = if cfg!(test) { 1 << 14 } else { 1 << 21 };

/// A range of a file. It starts after a line feed, or at the start of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineRange {
    pub(super) start: u64,
    pub(super) end: u64,
    /// True for the last range, which is read to the end of the file even if the file grows.
    is_last: bool,
}

impl LineRange {
    /// Returns the maximum number of ranges of a file of `size` bytes.
    pub(super) fn most(size: u64) -> u64 {
        (size / LEAST).max(1)
    }

    /// Divides a file of `size` bytes into at most `most` ranges of about the same size. Fails if a line is too long.
    pub(super) fn divide(file: &File, size: u64, most: usize) -> io::Result<Vec<LineRange>> {
        let count = LineRange::most(size).min(most.max(1) as u64);
        let mut ranges = Vec::new();
        let mut start = 0;
        for number in 1..=count {
            let nominal = (u128::from(size) * u128::from(number) / u128::from(count)) as u64;
            let is_last = number == count;
            let end = if is_last { size } else { line_start(file, nominal)?.min(size) };
            if end > start || is_last {
                ranges.push(LineRange { start, end, is_last });
                start = end;
            }
        }
        Ok(ranges)
    }

    /// Returns a reader of the bytes of this range. Reading fails if the file ends before the range does.
    pub(super) fn reader(self, file: &File) -> RangeReader<'_> {
        RangeReader { file, at: self.start, range: self, is_cached: true }
    }

    /// Like [`reader`](Self::reader), but the system does not add the bytes to its cache of files. Bytes that are
    /// already in the cache are read from it. Reads end at multiples of a long stride.
    pub(super) fn uncached_reader(self, file: &File) -> RangeReader<'_> {
        RangeReader { is_cached: false, ..self.reader(file) }
    }
}

/// Returns the start of the first line after the line feed at or after a place, otherwise the end of the file.
fn line_start(file: &File, place: u64) -> io::Result<u64> {
    let mut bytes = vec![0; LONGEST_LINE];
    let mut filled = 0;
    loop {
        let count = retried(|| read_at(file, &mut bytes[filled..], place + filled as u64))?;
        if let Some(found) = memchr(b'\n', &bytes[filled..filled + count]) {
            return Ok(place + (filled + found) as u64 + 1);
        }
        filled += count;
        match count {
            0 if filled == LONGEST_LINE => return Err(ErrorKind::InvalidData.into()),
            0 => return Ok(place + filled as u64),
            _ => {}
        }
    }
}

/// Reads a range of a file. Other ranges may be read at the same time.
pub(super) struct RangeReader<'f> {
    file: &'f File,
    at: u64,
    range: LineRange,
    is_cached: bool,
}

impl RangeReader<'_> {
    /// Returns the place of the next byte in the file.
    pub(super) fn place(&self) -> u64 {
        self.at
    }

    /// Returns the number of bytes that a buffer must have room for, or 0 if a read may have any length.
    pub(super) fn stride(&self) -> usize {
        if self.is_cached { 0 } else { STRIDE }
    }
}

impl Read for RangeReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.range.end.saturating_sub(self.at);
        let most = match self.range.is_last {
            true => buffer.len(),
            false => buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX)),
        };
        let count = match self.is_cached {
            true => read_at(self.file, &mut buffer[..most], self.at)?,
            false => {
                let stride = STRIDE - (self.at % STRIDE as u64) as usize;
                read_uncached_at(self.file, &mut buffer[..most.min(stride)], self.at)?
            }
        };
        if count == 0 && most > 0 && left > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.at += count as u64;
        Ok(count)
    }
}

fn retried(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Reads bytes at a place of a file without adding them to the system's cache of files, if the system can do so: Linux
/// since version 6.14, on some file systems.
#[cfg(target_os = "linux")]
fn read_uncached_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    use rustix::io::{ReadWriteFlags, preadv2};
    /// `RWF_DONTCACHE`.
    const DONT_CACHE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x80);
    match preadv2(file, &mut [io::IoSliceMut::new(buffer)], place, DONT_CACHE) {
        Ok(count) => Ok(count),
        // Systems that do not know the flag report different errors. Other errors occur again.
        Err(_) => read_at(file, buffer, place),
    }
}

#[cfg(not(target_os = "linux"))]
fn read_uncached_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    read_at(file, buffer, place)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("corefeval-ranges-{name}-{}", std::process::id()))
    }

    #[test]
    fn ranges_are_whole_lines_and_have_all_bytes() {
        let path = path("lines");
        for (length, last) in [(1, ""), (7, "end"), (1000, ""), (5000, "\n")] {
            let line = format!("{}\n", "x".repeat(length));
            let text = line.repeat(50_000 / length) + last;
            fs::write(&path, &text).unwrap();
            let file = File::open(&path).unwrap();
            for most in [0, 1, 2, 3, 7, 100] {
                let ranges = LineRange::divide(&file, text.len() as u64, most).unwrap();
                assert!(ranges.len() <= most.max(1) && (most < 2 || ranges.len() > 1), "{ranges:?}");
                let (mut all, mut uncached) = (String::new(), String::new());
                for range in ranges {
                    assert!(all.is_empty() || all.ends_with('\n'));
                    let before = all.len();
                    range.reader(&file).read_to_string(&mut all).unwrap();
                    assert!(all.len() > before);
                    range.uncached_reader(&file).read_to_string(&mut uncached).unwrap();
                }
                assert!(all == text && uncached == text, "lines of {length} bytes in {most} ranges");
            }
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn uncached_reads_end_at_multiples_of_the_stride() {
        let path = path("strides");
        fs::write(&path, "line\n".repeat(STRIDE)).unwrap();
        let file = File::open(&path).unwrap();
        let mut buffer = vec![0; 2 * STRIDE];
        for range in LineRange::divide(&file, 5 * STRIDE as u64, 3).unwrap() {
            let mut reader = range.uncached_reader(&file);
            while reader.read(&mut buffer[..reader.stride()]).unwrap() > 0 {
                assert!(reader.at == range.end || reader.at.is_multiple_of(STRIDE as u64), "{range:?}");
            }
            assert_eq!(reader.at, range.end);
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn lines_that_are_too_long_are_refused() {
        let path = path("long");
        let text = "x".repeat(3 * LONGEST_LINE) + "\n";
        fs::write(&path, &text).unwrap();
        let file = File::open(&path).unwrap();
        assert!(LineRange::divide(&file, text.len() as u64, 1).is_ok());
        assert!(LineRange::divide(&file, text.len() as u64, 2).is_err());
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_was_shortened_is_refused_and_a_longer_one_is_read_to_its_end() {
        let path = path("shortened");
        fs::write(&path, "line\n".repeat(4000)).unwrap();
        let file = File::open(&path).unwrap();
        let ranges = LineRange::divide(&file, 20_000, 4).unwrap();
        for reader in [LineRange::reader, LineRange::uncached_reader] {
            let read = |range: &LineRange| reader(*range, &file).read_to_end(&mut Vec::new()).ok();
            fs::write(&path, "line\n".repeat(5000)).unwrap();
            assert_eq!(ranges.iter().map(read).sum::<Option<usize>>(), Some(25_000));
            fs::write(&path, "line\n".repeat(1500)).unwrap();
            let found: Vec<_> = ranges.iter().map(|range| read(range).is_some()).collect();
            assert_eq!(found, [true, false, false, false]);
        }
        fs::remove_file(path).unwrap();
    }
}
