//! The profiles: the settings of a shared task or of another scorer, one row each.

use crate::error::{Error, ErrorKind, Result};
use crate::suggest::nearest;

/// One row of the table of profiles.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// As typed.
    pub id: &'static str,
    /// Whose rules these are.
    pub summary: &'static str,
    /// Formats for which it is the default.
    pub formats: &'static [&'static str],
    /// The choices that differ from the first value of their option.
    pub choices: &'static [(&'static str, &'static str)],
    /// The metrics that are shown unless others are asked for.
    pub metrics: &'static [&'static str],
}

/// All profiles.
pub static PROFILES: &[Profile] = &[
    Profile {
        id: "conll",
        summary: "the CoNLL reference scorer 8.01 and its LEA branch",
        formats: &["brat", "conll", "ecb+", "json", "jsonlines", "links", "semeval", "table", "webanno"],
        choices: &[("check-tokens", "warn")],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll"],
    },
    Profile {
        id: "coval",
        summary: "coval, the scorer of Moosavi",
        formats: &[],
        choices: &[("check-tokens", "warn"), ("duplicates", "last"), ("place", "sentence")],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_e", "lea", "conll"],
    },
    Profile {
        id: "corefud",
        summary: "corefud-scorer 1.2, official for the CRAC shared tasks",
        formats: &["corefud"],
        choices: &[
            ("match", "head"),
            ("singletons", "drop"),
            ("zero-match", "dependent"),
            ("duplicates", "distinct"),
            ("blanc", "either"),
        ],
        metrics: &[
            "muc",
            "b_cubed",
            "ceaf_m",
            "ceaf_e",
            "blanc",
            "lea",
            "conll",
            "mention_overlap",
            "zero_anaphora",
        ],
    },
    Profile {
        id: "ua",
        summary: "the Universal Anaphora scorer 2.0",
        formats: &["conll-ua"],
        choices: &[("check-tokens", "no"), ("duplicates", "last"), ("blanc", "either")],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll"],
    },
    Profile {
        id: "ace-2005",
        summary: "NIST's ace05-eval-v14",
        formats: &["apf"],
        choices: &[("check-tokens", "warn")],
        metrics: &["ace_value", "ace_mention_value"],
    },
    Profile {
        id: "ace-2007",
        summary: "NIST's ace07-eval-v01",
        formats: &[],
        choices: &[("check-tokens", "warn"), ("ace", "2007")],
        metrics: &["ace_value", "ace_mention_value"],
    },
    Profile {
        id: "ace-2008",
        summary: "NIST's ace08-eval-v08, not checked against it",
        formats: &[],
        choices: &[("check-tokens", "warn"), ("ace", "2008")],
        metrics: &["ace_value", "ace_mention_value"],
    },
    Profile {
        id: "ace-2004",
        summary: "the evaluation plan of ACE 2004, not checked against a scorer",
        formats: &[],
        choices: &[("check-tokens", "warn"), ("ace", "2004")],
        metrics: &["ace_value", "ace_mention_value"],
    },
    Profile {
        id: "ace-2003",
        summary: "the evaluation plan of ACE 2003, not checked against a scorer",
        formats: &[],
        choices: &[("check-tokens", "warn"), ("ace", "2003")],
        metrics: &["ace_value", "ace_mention_value"],
    },
];

impl Profile {
    /// The profile called `id`.
    pub fn named(id: &str) -> Result<&'static Profile> {
        if let Some(profile) = PROFILES.iter().find(|profile| profile.id == id) {
            return Ok(profile);
        }
        let ids = || PROFILES.iter().map(|profile| profile.id);
        let hint = match nearest(id, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the profiles are {}", ids().collect::<Vec<_>>().join(", ")),
        };
        Err(Error::new(ErrorKind::Settings, format!("there is no profile `{id}`")).hint(hint))
    }

    /// The profile that goes with a format.
    pub fn for_format(format: &str) -> &'static Profile {
        PROFILES.iter().find(|profile| profile.formats.contains(&format)).unwrap_or(&PROFILES[0])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::formats::FORMATS;
    use crate::metrics::Metric;
    use crate::settings::Settings;

    #[test]
    fn every_row_is_valid() {
        let ids: BTreeSet<_> = PROFILES.iter().map(|profile| profile.id).collect();
        assert_eq!(ids.len(), PROFILES.len());
        for profile in PROFILES {
            let settings = Settings::of(profile);
            for (name, value) in profile.choices {
                let mut again = settings;
                assert_eq!(again.set(name, value), Ok(()));
                assert_eq!(again, settings, "{} sets {name}", profile.id);
            }
            for id in profile.metrics {
                assert!(Metric::parse(id).is_ok(), "{}: {id}", profile.id);
            }
        }
    }

    #[test]
    fn every_format_has_one_default_profile() {
        for format in FORMATS {
            let defaults = PROFILES.iter().filter(|profile| profile.formats.contains(&format.id));
            assert_eq!(defaults.count(), 1, "{}", format.id);
        }
    }
}
