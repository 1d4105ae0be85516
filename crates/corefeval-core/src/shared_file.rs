//! Files that several threads read at different places at the same time.

use std::fs::File;
use std::io;
#[cfg(any(feature = "parquet", feature = "arrow"))]
use std::{io::Read, sync::Arc};

/// Reads bytes at a place of a file, and returns their number.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, place)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, place)
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A file of known size.
#[cfg(any(feature = "parquet", feature = "arrow"))]
#[derive(Clone)]
pub(crate) struct SharedFile {
    file: Arc<File>,
    size: u64,
}

#[cfg(any(feature = "parquet", feature = "arrow"))]
impl SharedFile {
    pub(crate) fn new(file: File) -> io::Result<SharedFile> {
        let size = file.metadata()?.len();
        Ok(SharedFile { file: Arc::new(file), size })
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns a reader that starts at a place.
    pub(crate) fn reader(&self, place: u64) -> FileTail {
        FileTail { file: Arc::clone(&self.file), place }
    }

    /// Reads a range. Fails before anything is allocated if the range ends after the file.
    pub(crate) fn bytes(&self, place: u64, length: usize) -> io::Result<Vec<u8>> {
        if place.checked_add(length as u64).is_none_or(|end| end > self.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = Vec::with_capacity(length);
        self.reader(place).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// Reads a file from a place to its end.
#[cfg(any(feature = "parquet", feature = "arrow"))]
pub(crate) struct FileTail {
    file: Arc<File>,
    place: u64,
}

#[cfg(any(feature = "parquet", feature = "arrow"))]
impl Read for FileTail {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.file, buffer, self.place)?;
        self.place += count as u64;
        Ok(count)
    }
}
