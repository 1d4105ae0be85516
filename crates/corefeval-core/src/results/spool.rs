//! Rows that are appended one by one, and then read in the same order. Few rows stay in memory; more are written to a
//! temporary file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use corefeval_metrics::packed::PackedTallies;

use crate::groups::Label;

/// The counts of a document or a group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) labels: Arc<[Label]>,
    pub(crate) tallies: PackedTallies,
}

/// Appended rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spool {
    /// The number of rows.
    count: usize,
    /// The file with the first rows, and its size. It has no name, so it is removed automatically.
    file: Option<(Arc<Mutex<File>>, u64)>,
    /// The later rows, encoded.
    memory: Vec<u8>,
    /// True if writing failed; all later rows then stay in memory.
    full: bool,
}

/// The number of bytes kept in memory before writing, and read at a time.
const PIECE: usize = if cfg!(test) { 100 } else { 1 << 20 };

impl Spool {
    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, labels: &[Label], tallies: &PackedTallies) {
        self.count += 1;
        push_number(&mut self.memory, labels.len());
        for (key, name) in labels {
            push_number(&mut self.memory, *key);
            push_bytes(&mut self.memory, name.as_bytes());
        }
        push_bytes(&mut self.memory, tallies.as_bytes());
        if self.memory.len() >= PIECE && !self.full {
            self.full = self.write().is_err();
        }
    }

    /// Moves the rows in memory to the file. On failure they stay in memory.
    fn write(&mut self) -> std::io::Result<()> {
        let (file, size) = match &mut self.file {
            Some((file, size)) => (Arc::clone(file), size),
            None => {
                let (file, size) = self.file.insert((Arc::new(Mutex::new(tempfile::tempfile()?)), 0));
                (Arc::clone(file), size)
            }
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(*size))?;
        file.write_all(&self.memory)?;
        *size += self.memory.len() as u64;
        self.memory.clear();
        Ok(())
    }

    /// Returns the rows in order.
    ///
    /// # Panics
    ///
    /// The temporary file can no longer be read.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Row> {
        let mut bytes = Bytes { spool: self, read: 0, piece: Vec::new(), at: 0 };
        (0..self.count).map(move |_| bytes.row())
    }
}

fn push_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

fn push_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    push_number(bytes, content.len());
    bytes.extend(content);
}

/// The bytes of a spool, read from the start.
struct Bytes<'s> {
    spool: &'s Spool,
    /// The number of bytes read from the file.
    read: u64,
    /// The bytes read last, and the place of the next byte.
    piece: Vec<u8>,
    at: usize,
}

impl Bytes<'_> {
    fn row(&mut self) -> Row {
        let labels = (0..self.number()).map(|_| {
            let key = self.number();
            (key, String::from_utf8_lossy(self.content()).into_owned())
        });
        let labels = labels.collect();
        Row { labels, tallies: PackedTallies::from_bytes(self.content()) }
    }

    fn number(&mut self) -> usize {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take(8));
        u64::from_le_bytes(bytes) as usize
    }

    fn content(&mut self) -> &[u8] {
        let count = self.number();
        self.take(count)
    }

    /// Returns the next `count` bytes.
    fn take(&mut self, count: usize) -> &[u8] {
        if self.piece.len() - self.at < count {
            self.piece.drain(..self.at);
            self.at = 0;
            self.fill(count);
        }
        self.at += count;
        &self.piece[self.at - count..self.at]
    }

    /// Reads until `piece` contains `count` bytes.
    fn fill(&mut self, count: usize) {
        while self.piece.len() < count {
            let (file, size) = match &self.spool.file {
                Some((file, size)) if self.read < *size => (file, *size),
                // The remaining rows are in memory and are copied once.
                _ => return self.piece.extend(&self.spool.memory),
            };
            let wanted = (size - self.read).min(PIECE as u64);
            let start = self.piece.len();
            self.piece.resize(start + wanted as usize, 0);
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let found =
                file.seek(SeekFrom::Start(self.read)).and_then(|_| file.read_exact(&mut self.piece[start..]));
            found.expect("a temporary file can be read");
            self.read += wanted;
        }
    }
}

#[cfg(test)]
mod tests {
    use corefeval_metrics::tally::Tally;

    use super::*;

    #[test]
    fn rows_are_read_back_from_memory_and_from_the_file() {
        for count in [0, 1, 2, 50] {
            let mut spool = Spool::default();
            let mut rows = Vec::new();
            for number in 0..count {
                let labels: Vec<Label> =
                    (0..number % 3).map(|label| (label, format!("№ {number}"))).collect();
                let mut tally = Tally::default();
                tally.first.add_integers((number as u64, 7), (1, 3));
                let tallies = PackedTallies::new(&vec![tally; number % 4]);
                spool.push(&labels, &tallies);
                rows.push(Row { labels: labels.into(), tallies });
            }
            assert_eq!(spool.len(), count);
            assert_eq!(spool.file.is_some(), count > 2);
            // Two readers are independent of each other.
            let (mut one, mut other) = (spool.iter(), spool.iter());
            assert_eq!(one.by_ref().take(1).collect::<Vec<_>>(), rows[..count.min(1)]);
            assert_eq!(other.by_ref().collect::<Vec<_>>(), rows);
            assert_eq!(one.collect::<Vec<_>>(), rows[count.min(1)..]);
        }
    }

    #[test]
    fn rows_stay_in_memory_if_no_file_can_be_written() {
        let mut spool = Spool { full: true, ..Spool::default() };
        let labels = [(0, "a document".to_owned())];
        (0..50).for_each(|_| spool.push(&labels, &PackedTallies::default()));
        assert!(spool.file.is_none());
        assert!(spool.iter().count() == 50 && spool.iter().all(|row| row.labels[..] == labels));
    }
}
