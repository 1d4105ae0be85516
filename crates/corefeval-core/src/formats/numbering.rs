//! Tracks the numbers of words in a sentence after a line with an error.

use std::ops::RangeInclusive;

/// The number of the last word of a sentence. After a line with an error several numbers are possible: that line may
/// be one word, several joined words, or none, and its number may be right or wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastNumber {
    least: u32,
    most: u32,
    stated: Option<u32>,
}

impl LastNumber {
    /// Creates the number of a word without an error.
    pub(super) fn known(number: u32) -> LastNumber {
        LastNumber { least: number, most: number, stated: None }
    }

    /// Returns whether the next word may have this number.
    pub(super) fn precedes(self, number: u32) -> bool {
        let before = |last: u32| last.checked_add(1) == Some(number);
        self.stated.is_some_and(before)
            || number.checked_sub(1).is_some_and(|last| (self.least..=self.most).contains(&last))
    }

    /// Returns the last number after a line with an error. `words` are the possible numbers of words on the line, and
    /// `stated` is the number that it gives, if any.
    pub(super) fn after_error(self, stated: Option<u32>, words: RangeInclusive<u32>) -> LastNumber {
        let [least, most] = [(self.least, words.start()), (self.most, words.end())]
            .map(|(before, more)| before.saturating_add(*more));
        LastNumber { least, most, stated }
    }

    /// Returns the highest number that the last word may have by counting.
    pub(super) fn most(self) -> u32 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::LastNumber;

    #[test]
    fn after_a_line_with_an_error_counting_resumes_where_the_file_does() {
        let after_two = LastNumber::known(2);
        assert!(after_two.precedes(3) && !after_two.precedes(4) && !after_two.precedes(2));
        // The cases are a missing line, a repeated line, a wrong number, a line that is not a word,
        // and two joined lines.
        for (stated, words, next) in [
            (Some(4), 1..=1, 5),
            (Some(2), 1..=1, 3),
            (Some(99), 1..=1, 4),
            (None, 0..=1, 3),
            (Some(3), 2..=2, 5),
        ] {
            assert!(after_two.after_error(stated, words).precedes(next), "{stated:?} {next}");
        }
        assert!(!after_two.after_error(Some(99), 1..=1).precedes(3));
        assert!(!after_two.after_error(None, 0..=1).precedes(5));
        assert!(!LastNumber::known(u32::MAX).after_error(Some(u32::MAX), 1..=1).precedes(0));
    }
}
