//! Checks that hashes are all different. Few hashes stay in memory; more are written to a temporary file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use rustc_hash::FxHashSet;

/// The number of hashes in memory before they are written. Each run of the file contains this number, sorted.
const RUN: usize = if cfg!(test) { 10 } else { 1 << 16 };

/// The minimum number of hashes to read at a time.
const LEAST_READ: usize = if cfg!(test) { 2 } else { 1 << 6 };

/// The size of a hash in bytes.
const HASH: usize = 8;

/// The hashes added so far.
#[derive(Default)]
pub(super) struct Distinct {
    /// The latest hashes.
    recent: FxHashSet<u64>,
    /// The file with all other hashes, and the number of its runs. It has no name, so it is removed automatically.
    file: Option<(File, usize)>,
    /// True if writing failed; all later hashes then stay in memory.
    full: bool,
}

impl Distinct {
    /// Adds a hash. Returns whether it differs from the hashes in memory.
    pub(super) fn insert(&mut self, hash: u64) -> bool {
        if self.recent.len() >= RUN && !self.full {
            self.full = self.write().is_err();
        }
        self.recent.insert(hash)
    }

    /// Moves the hashes in memory to the file. On failure they stay in memory.
    fn write(&mut self) -> io::Result<()> {
        let bytes: Vec<u8> = sorted(&self.recent).into_iter().flat_map(u64::to_le_bytes).collect();
        let (file, runs) = match &mut self.file {
            Some(file) => file,
            None => self.file.insert((tempfile::tempfile()?, 0)),
        };
        file.seek(SeekFrom::Start((*runs * RUN * HASH) as u64))?;
        file.write_all(&bytes)?;
        *runs += 1;
        self.recent.clear();
        Ok(())
    }

    /// Returns whether all added hashes are different. Fails if the file can no longer be read.
    pub(super) fn are_all_different(self) -> io::Result<bool> {
        let Some((mut file, count)) = self.file else { return Ok(true) };
        // Together, the buffers are as large as a run.
        let most = (RUN / count).max(LEAST_READ);
        let mut runs: Vec<HashRun> = (0..count).map(|run| HashRun::new(run * RUN..(run + 1) * RUN)).collect();
        runs.push(HashRun { unread: 0..0, hashes: sorted(&self.recent).into_iter() });
        let mut first = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            first.extend(run.next(&mut file, most)?.map(|hash| Reverse((hash, number))));
        }
        let mut last = None;
        while let Some(Reverse((hash, number))) = first.pop() {
            if last.replace(hash) == Some(hash) {
                return Ok(false);
            }
            first.extend(runs[number].next(&mut file, most)?.map(|hash| Reverse((hash, number))));
        }
        Ok(true)
    }
}

fn sorted(hashes: &FxHashSet<u64>) -> Vec<u64> {
    let mut hashes: Vec<u64> = hashes.iter().copied().collect();
    hashes.sort_unstable();
    hashes
}

/// A run of sorted hashes in the file.
struct HashRun {
    /// The places in the file of hashes not read yet.
    unread: Range<usize>,
    /// Hashes read but not returned yet.
    hashes: std::vec::IntoIter<u64>,
}

impl HashRun {
    fn new(unread: Range<usize>) -> HashRun {
        HashRun { unread, hashes: Vec::new().into_iter() }
    }

    /// Returns the next hash. Reads up to `most` hashes at a time.
    fn next(&mut self, file: &mut File, most: usize) -> io::Result<Option<u64>> {
        if self.hashes.len() == 0 && !self.unread.is_empty() {
            let mut bytes = vec![0; most.min(self.unread.len()) * HASH];
            file.seek(SeekFrom::Start((self.unread.start * HASH) as u64))?;
            file.read_exact(&mut bytes)?;
            let (hashes, _) = bytes.as_chunks();
            self.unread.start += hashes.len();
            self.hashes = hashes.iter().map(|hash| u64::from_le_bytes(*hash)).collect::<Vec<_>>().into_iter();
        }
        Ok(self.hashes.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns different numbers in no order.
    fn hash(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Returns whether all hashes are reported as different.
    fn are_different(mut distinct: Distinct, hashes: impl IntoIterator<Item = u64>) -> bool {
        hashes.into_iter().all(|hash| distinct.insert(hash)) && distinct.are_all_different().unwrap()
    }

    #[test]
    fn different_hashes_are_different() {
        for count in [0, 1, RUN, RUN + 1, 2 * RUN, 7 * RUN + 3, 50 * RUN] {
            assert!(are_different(Distinct::default(), (0..count as u64).map(hash)), "{count}");
        }
    }

    #[test]
    fn two_equal_hashes_are_found_anywhere() {
        let count = 4 * RUN + 5;
        for one in 0..count {
            for other in one + 1..count {
                let mut hashes: Vec<u64> = (0..count as u64).map(hash).collect();
                hashes[other] = hashes[one];
                assert!(!are_different(Distinct::default(), hashes), "{one} and {other}");
            }
        }
    }

    #[test]
    fn memory_holds_no_more_than_a_run() {
        let mut distinct = Distinct::default();
        for number in 0..20 * RUN as u64 {
            distinct.insert(hash(number));
            assert!(distinct.recent.len() <= RUN);
        }
        assert_eq!(distinct.file.map(|file| file.1), Some(19));
    }

    #[test]
    fn hashes_stay_in_memory_if_no_file_can_be_written() {
        let full = || Distinct { full: true, ..Distinct::default() };
        let hashes = || (0..5 * RUN as u64).map(hash);
        assert!(are_different(full(), hashes()));
        assert!(!are_different(full(), hashes().chain([hash(3)])));
    }
}
