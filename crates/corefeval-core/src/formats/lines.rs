//! Finds line ends and counts columns quickly.
//!
//! Lines of annotated text are short, about 40 bytes, so a search that restarts at each line spends most of
//! its time on starting. Here a block is compared 64 bytes at a time, and one bit mask gives all line ends.

use corefeval_system::memory::{AHEAD, fetch};
use corefeval_system::registers::{Wide, sixteen};

/// A consumer of the lines of a block.
pub(super) trait LineTask {
    /// The result of the task.
    type Output;

    /// Visits the lines. Implementations are `#[inline(always)]`, so that they are compiled for the current processor.
    fn run<F: FindBytes>(self, lines: Lines<'_, F>) -> Self::Output;
}

/// Runs `task` over the lines of `block`, with wide registers if the processor has them.
pub(super) fn run<T: LineTask>(block: &[u8], task: T) -> T::Output {
    match Wide::detect() {
        Some(wide) => wide.run(
            #[inline(always)]
            || task.run(Lines::new(block, wide)),
        ),
        None => task.run(Lines::new(block, AnyProcessor)),
    }
}

/// Finds a byte in chunks of 64 bytes.
pub(super) trait FindBytes: Copy {
    /// Returns a mask with a bit for each byte of the chunk that equals `byte`.
    fn find(self, chunk: &[u8; 64], byte: u8) -> u64;
}

impl FindBytes for Wide {
    #[inline(always)]
    fn find(self, chunk: &[u8; 64], byte: u8) -> u64 {
        Wide::find(self, chunk, byte)
    }
}

/// Finds bytes sixteen at a time, on any processor.
#[derive(Clone, Copy)]
struct AnyProcessor;

impl FindBytes for AnyProcessor {
    #[inline(always)]
    fn find(self, chunk: &[u8; 64], byte: u8) -> u64 {
        let (quarters, _) = chunk.as_chunks::<16>();
        let mut mask = 0;
        for (place, quarter) in quarters.iter().enumerate() {
            mask |= sixteen(quarter, byte) << (16 * place);
        }
        mask
    }
}

/// The lines of a block, without their `\n`. The last line may lack its `\n`. No empty line follows the last `\n`.
pub(super) struct Lines<'b, F> {
    block: &'b [u8],
    finder: F,
    /// The start of the next line.
    start: usize,
    /// The start of the current chunk.
    chunk: usize,
    /// The remaining line ends in the current chunk.
    ends: u64,
}

impl<'b, F: FindBytes> Lines<'b, F> {
    /// Returns an iterator over the lines of `block`.
    #[inline(always)]
    fn new(block: &'b [u8], finder: F) -> Lines<'b, F> {
        let mut lines = Lines { block, finder, start: 0, chunk: 0, ends: 0 };
        lines.ends = lines.look();
        lines
    }

    /// Returns the block.
    #[inline(always)]
    pub(super) fn block(&self) -> &'b [u8] {
        self.block
    }

    /// Returns the start of the next line in the block.
    #[inline(always)]
    pub(super) fn next_start(&self) -> usize {
        self.start
    }

    /// Returns the line ends of the current chunk.
    #[inline(always)]
    fn look(&self) -> u64 {
        let rest = &self.block[self.chunk.min(self.block.len())..];
        match rest.first_chunk() {
            Some(chunk) => self.finder.find(chunk, b'\n'),
            None => self.finder.find(&padded(rest), b'\n'),
        }
    }

    /// Returns the remaining lines with their tabs. Every line is examined from its start, which is faster if the
    /// tabs of each line matter.
    #[inline(always)]
    pub(super) fn tabbed(self) -> TabbedLines<'b, F> {
        TabbedLines { rest: &self.block[self.start..], finder: self.finder }
    }
}

/// Pads fewer than 64 bytes with zeros.
#[inline(always)]
fn padded(bytes: &[u8]) -> [u8; 64] {
    let mut padded = [0; 64];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

impl<'b, F: FindBytes> Iterator for Lines<'b, F> {
    type Item = &'b [u8];

    #[inline(always)]
    fn next(&mut self) -> Option<&'b [u8]> {
        while self.ends == 0 {
            self.chunk += 64;
            if self.chunk >= self.block.len() {
                let rest = &self.block[self.start..];
                self.start = self.block.len();
                return (!rest.is_empty()).then_some(rest);
            }
            fetch(self.block, self.chunk + AHEAD);
            self.ends = self.look();
        }
        let end = self.chunk + self.ends.trailing_zeros() as usize;
        self.ends &= self.ends - 1;
        let line = &self.block[self.start..end];
        self.start = end + 1;
        Some(line)
    }
}

/// A line and the places of its tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TabbedLine<'b> {
    pub(super) text: &'b [u8],
    /// The number of tabs.
    pub(super) tabs: u32,
    /// A bit for each tab in the first 64 bytes.
    pub(super) first_tabs: u64,
    /// The place of the last tab; 0 without one.
    pub(super) last_tab: usize,
}

/// The lines of a block with their tabs.
pub(super) struct TabbedLines<'b, F> {
    rest: &'b [u8],
    finder: F,
}

impl<'b, F: FindBytes> Iterator for TabbedLines<'b, F> {
    type Item = TabbedLine<'b>;

    #[inline(always)]
    fn next(&mut self) -> Option<TabbedLine<'b>> {
        if self.rest.is_empty() {
            return None;
        }
        fetch(self.rest, AHEAD);
        // Most lines end in their first 64 bytes.
        let [tabs, ends] = self.look(0);
        let last_tab = tabs.checked_ilog2().map_or(0, |place| place as usize);
        let mut line = TabbedLine { text: self.rest, tabs: tabs.count_ones(), first_tabs: tabs, last_tab };
        let mut end = ends.trailing_zeros() as usize;
        if ends == 0 {
            end = 64;
            while end < self.rest.len() {
                let [tabs, ends] = self.look(end);
                line.tabs += tabs.count_ones();
                if tabs != 0 {
                    line.last_tab = end + tabs.ilog2() as usize;
                }
                end += (ends.trailing_zeros() as usize).min(64);
                if ends != 0 {
                    break;
                }
            }
        }
        match self.rest.split_at_checked(end) {
            Some((text, [_, rest @ ..])) => (line.text, self.rest) = (text, rest),
            _ => self.rest = &[],
        }
        Some(line)
    }
}

impl<F: FindBytes> TabbedLines<'_, F> {
    /// Returns the tabs of the current line among the 64 bytes that start at `start`, and all line ends there.
    #[inline(always)]
    fn look(&self, start: usize) -> [u64; 2] {
        let rest = &self.rest[start..];
        let [tabs, ends] = match rest.first_chunk() {
            Some(chunk) => [b'\t', b'\n'].map(|byte| self.finder.find(chunk, byte)),
            None => [b'\t', b'\n'].map(|byte| self.finder.find(&padded(rest), byte)),
        };
        // Keeps only the tabs before the first line end.
        [tabs & (ends ^ ends.wrapping_sub(1)), ends]
    }
}

/// Returns how often `byte` occurs in `line`.
#[inline(always)]
pub(super) fn count_byte(line: &[u8], byte: u8) -> u32 {
    let (chunks, rest) = line.as_chunks::<16>();
    let mut count = 0;
    // Four masks of 16 bits form one number whose bits are counted.
    for four in chunks.chunks(4) {
        let mut mask = 0;
        for chunk in four {
            mask = mask << 16 | sixteen(chunk, byte);
        }
        count += mask.count_ones();
    }
    if rest.is_empty() {
        return count;
    }
    match line.last_chunk::<16>() {
        // The last sixteen bytes, minus those already counted.
        Some(last) => count + (sixteen(last, byte) >> (16 - rest.len())).count_ones(),
        None => rest.iter().filter(|&&other| other == byte).count() as u32,
    }
}

/// Returns the last place of `byte` in `line`. The search is fastest within the last sixteen bytes.
#[inline(always)]
pub(super) fn last_byte(line: &[u8], byte: u8) -> Option<usize> {
    if let Some(last) = line.last_chunk::<16>() {
        let mask = sixteen(last, byte);
        if mask != 0 {
            return Some(line.len() - 16 + mask.ilog2() as usize);
        }
    }
    line.iter().rposition(|&other| other == byte)
}

/// Returns, for each wanted byte, a mask of its places within the sixteen bytes of `line` from `start`.
#[inline(always)]
pub(super) fn sixteen_from<const N: usize>(line: &[u8], start: usize, wanted: [u8; N]) -> [u64; N] {
    let rest = &line[start..];
    match (rest.first_chunk(), line.last_chunk()) {
        (Some(chunk), _) => wanted.map(|byte| sixteen(chunk, byte)),
        // Reads the last sixteen bytes, minus those before `start`.
        (None, Some(last)) => wanted.map(|byte| sixteen(last, byte) >> (16 - rest.len())),
        (None, None) => {
            let mut chunk = [0; 16];
            chunk[..rest.len()].copy_from_slice(rest);
            wanted.map(|byte| sixteen(&chunk, byte))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies all lines.
    struct Collect;

    impl LineTask for Collect {
        type Output = Vec<Vec<u8>>;

        fn run<F: FindBytes>(self, lines: Lines<'_, F>) -> Vec<Vec<u8>> {
            lines.map(<[u8]>::to_vec).collect()
        }
    }

    /// Copies all lines with their tabs.
    struct CollectTabbed;

    impl LineTask for CollectTabbed {
        type Output = Vec<(Vec<u8>, u32, u64, usize)>;

        fn run<F: FindBytes>(self, lines: Lines<'_, F>) -> Self::Output {
            let lines = lines.tabbed();
            lines.map(|line| (line.text.to_vec(), line.tabs, line.first_tabs, line.last_tab)).collect()
        }
    }

    #[test]
    fn lines_match_a_plain_split() {
        for length in 0..300usize {
            for step in 1..70 {
                let block: Vec<u8> =
                    (0..length).map(|n| if n % step == step - 1 { b'\n' } else { b'x' }).collect();
                let mut plain: Vec<Vec<u8>> =
                    block.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                if plain.last().is_some_and(Vec::is_empty) {
                    plain.pop();
                }
                assert_eq!(run(&block, Collect), plain, "length {length}, step {step}");
                let found = Collect.run(Lines::new(&block, AnyProcessor));
                assert_eq!(found, plain, "length {length}, step {step}");
            }
        }
    }

    #[test]
    fn tabs_are_found_in_lines_of_every_length() {
        for length in 0..300usize {
            for step in 1..140 {
                let block: Vec<u8> = (0..length)
                    .map(|n| match n {
                        n if n % step == step - 1 => b'\n',
                        n if n * n % 11 < 3 => b'\t',
                        _ => b'x',
                    })
                    .collect();
                let mut plain: Vec<&[u8]> = block.split(|&byte| byte == b'\n').collect();
                if plain.last().is_some_and(|last| last.is_empty()) {
                    plain.pop();
                }
                let plain: Vec<_> = plain
                    .into_iter()
                    .map(|line| {
                        let tabs: Vec<usize> = (0..line.len()).filter(|&at| line[at] == b'\t').collect();
                        let first = tabs.iter().filter(|&&at| at < 64).map(|&at| 1 << at).sum();
                        (line.to_vec(), tabs.len() as u32, first, tabs.last().copied().unwrap_or(0))
                    })
                    .collect();
                assert_eq!(run(&block, CollectTabbed), plain, "length {length}, step {step}");
                let found = CollectTabbed.run(Lines::new(&block, AnyProcessor));
                assert_eq!(found, plain, "length {length}, step {step}");
            }
        }
    }

    #[test]
    fn bytes_are_counted_in_lines_of_every_length() {
        for length in 0..200usize {
            let line: Vec<u8> = (0..length).map(|n| if n * n % 7 < 2 { b'\t' } else { b'x' }).collect();
            for start in 0..length.min(5) {
                let plain = line[start..].iter().filter(|&&byte| byte == b'\t').count() as u32;
                let last = line[start..].iter().rposition(|&byte| byte == b'\t');
                assert_eq!(last_byte(&line[start..], b'\t'), last, "length {length}, start {start}");
                assert_eq!(count_byte(&line[start..], b'\t'), plain, "length {length}, start {start}");
            }
        }
    }
}
