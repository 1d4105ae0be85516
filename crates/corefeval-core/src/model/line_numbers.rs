//! The line numbers of words in their file.

/// The line number of each word, from 1; 0 if unknown.
///
/// Most words are on consecutive lines, so only the first line of each run is kept. This saves memory that was not in
/// use before, which is the largest cost of keeping words.
///
/// ```
/// use corefeval_core::model::LineNumbers;
/// let mut lines = LineNumbers::default();
/// [3, 4, 6, 0, 0].into_iter().for_each(|line| lines.push(line));
/// assert_eq!((lines.get(1), lines.get(2), lines.get(4), lines.get(5)), (Some(4), Some(6), Some(0), None));
/// assert!(lines.iter().eq([3, 4, 6, 0, 0]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "state", serde(from = "Vec<u32>", into = "Vec<u32>"))]
pub struct LineNumbers {
    /// The first word of each run and its line. In a run without a known line, all lines are 0.
    runs: Vec<(u32, u32)>,
    count: u32,
}

impl LineNumbers {
    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the line of a word.
    pub fn get(&self, word: usize) -> Option<u32> {
        let word = u32::try_from(word).ok().filter(|&word| word < self.count)?;
        let after = self.runs.partition_point(|run| run.0 <= word);
        Some(line_in(self.runs[after - 1], word))
    }

    /// Appends the line of one word.
    pub fn push(&mut self, line: u32) {
        self.push_run(line, 1);
    }

    /// Makes room for this many more runs.
    pub(super) fn reserve(&mut self, runs: usize) {
        self.runs.reserve_exact(runs);
    }

    /// Appends words on consecutive lines, one word per line.
    pub(super) fn push_run(&mut self, line: u32, count: u32) {
        if self.runs.last().is_none_or(|&run| line_in(run, self.count) != line) {
            self.runs.push((self.count, line));
        }
        self.count += count;
    }

    /// Returns the lines of all words in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let ends = self.runs.iter().skip(1).map(|run| run.0).chain([self.count]);
        self.runs.iter().zip(ends).flat_map(|(&run, end)| (run.0..end).map(move |word| line_in(run, word)))
    }

    /// Removes the lines of the words after the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.count = self.count.min(u32::try_from(count).unwrap_or(u32::MAX));
        self.runs.retain(|run| run.0 < self.count);
    }
}

/// Returns the line of a word of the run that starts with the word `first` on `line`.
fn line_in((first, line): (u32, u32), word: u32) -> u32 {
    if line == 0 { 0 } else { line + (word - first) }
}

impl FromIterator<u32> for LineNumbers {
    fn from_iter<I: IntoIterator<Item = u32>>(lines: I) -> LineNumbers {
        let mut numbers = LineNumbers::default();
        lines.into_iter().for_each(|line| numbers.push(line));
        numbers
    }
}

impl From<Vec<u32>> for LineNumbers {
    fn from(lines: Vec<u32>) -> LineNumbers {
        lines.into_iter().collect()
    }
}

impl From<LineNumbers> for Vec<u32> {
    fn from(lines: LineNumbers) -> Vec<u32> {
        lines.iter().collect()
    }
}
