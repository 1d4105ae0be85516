//! The heuristics that decide whether two names of a document refer to the same entity, as a setting.
//!
//! `named/cluster.rs` implements them.

use std::fmt;

use crate::choice::{Choice, choice};
use crate::error::{Error, ErrorKind, Result};
use crate::suggest::one_of;

choice! {
    /// One heuristic.
    Heuristic {
        #[default]
        Exact = "exact" "same words, ignoring case, articles and possessive endings",
        Word = "word" "one name contains the words of the other, in the same order (Hamre, the Hamre Line)",
        Initials = "initials" "same last word, and one first word abbreviates the other (I. Moe, Ingrid Moe)",
        Acronym = "acronym" "one name consists of the first letters of the other's words (UN, United Nations)",
        Title = "title" "same words without titles and suffixes (Dr. Moe, Moe; Brandl Ltd., Brandl)",
        Parts = "parts" "same first and last word, ignoring the words between (Ingrid Moe, Ingrid Marie Moe)",
        Similar = "similar" "similar spellings of six letters or more with the same first letter: Jaro-Winkler 0.93 (Skarvoy, Skarvøy)",
    }
}

/// The names of all heuristics with a line of help each.
pub static HEURISTICS: &[(&str, &str)] = Heuristic::VALUES;

/// A choice of heuristics, by default all.
///
/// ```
/// use corefeval_core::heuristics::Heuristics;
/// let some = Heuristics::parse("exact,word")?;
/// assert_eq!(Heuristics::default().without("initials,acronym,title,parts,similar")?, some);
/// assert_eq!(some.to_string(), "exact,word");
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heuristics(u16);

impl Default for Heuristics {
    fn default() -> Heuristics {
        Heuristics((1 << HEURISTICS.len()) - 1)
    }
}

/// The name of an empty choice: the key of names was read from a file, not made.
const READ: &str = "read";

impl Heuristics {
    /// No heuristic: the key of names was read from a file.
    pub const READ: Heuristics = Heuristics(0);

    /// Reads a list joined by commas.
    ///
    /// # Errors
    ///
    /// A heuristic that does not exist.
    pub fn parse(list: &str) -> Result<Heuristics> {
        if list == READ {
            return Ok(Heuristics::READ);
        }
        let mut bits = 0;
        for id in list.split(',').map(str::trim) {
            let Some(place) = HEURISTICS.iter().position(|row| row.0 == id) else {
                let hint = one_of(id, "the heuristics are", HEURISTICS.iter().map(|row| row.0));
                return Err(Error::new(ErrorKind::Settings, format!("unknown heuristic `{id}`")).hint(hint));
            };
            bits |= 1 << place;
        }
        Ok(Heuristics(bits))
    }

    /// Returns these heuristics without those in a list.
    ///
    /// # Errors
    ///
    /// A heuristic that does not exist; no heuristic remains.
    pub fn without(self, list: &str) -> Result<Heuristics> {
        let left = Heuristics(self.0 & !Heuristics::parse(list)?.0);
        match left.0 {
            0 => Err(Error::new(ErrorKind::Settings, "no heuristic is left to cluster names")),
            _ => Ok(left),
        }
    }

    /// Returns the chosen heuristics, in the order of [`HEURISTICS`].
    pub fn iter(self) -> impl Iterator<Item = Heuristic> {
        let chosen = HEURISTICS.iter().enumerate().filter(move |(place, _)| self.0 >> place & 1 == 1);
        chosen.filter_map(|(_, row)| Heuristic::from_id(row.0))
    }

    /// Returns whether a heuristic is chosen.
    pub fn contains(self, heuristic: Heuristic) -> bool {
        self.iter().any(|other| other == heuristic)
    }
}

impl fmt::Display for Heuristics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.iter().map(Heuristic::id).collect();
        f.write_str(if ids.is_empty() { READ } else { "" })?;
        f.write_str(&ids.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_back() {
        let all = "exact,word,initials,acronym,title,parts,similar";
        assert_eq!(Heuristics::default().to_string(), all);
        assert_eq!(Heuristics::parse(all), Ok(Heuristics::default()));
        assert_eq!(Heuristics::parse(&Heuristics::READ.to_string()), Ok(Heuristics::READ));
        assert!(Heuristics::default().without(all).is_err());
        assert_eq!(
            Heuristics::parse("initial").unwrap_err().remedy().as_deref(),
            Some("did you mean `initials`?")
        );
    }
}
