//! The profiles: settings that reproduce a shared task or another scorer, one per row.

use crate::error::{Error, ErrorKind, Result};
use crate::suggest::one_of;

/// One row of the table of profiles.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name, as typed.
    pub id: &'static str,
    /// The shared task or scorer that it reproduces.
    pub summary: &'static str,
    /// The formats that use it by default. A format that no profile lists uses the first profile.
    pub formats: &'static [&'static str],
    /// The options that differ from their first value.
    pub choices: &'static [(&'static str, &'static str)],
    /// The metrics of the report, unless others are chosen.
    pub metrics: &'static [&'static str],
    /// The scorer's format of percentages.
    pub print: Print,
    /// The profiles of other scorers that are commonly run on the same files. Scores under this profile are explained
    /// by comparison with them.
    pub compared_with: &'static [&'static str],
}

/// A scorer's format of percentages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Print {
    /// Rounded to a fixed number of decimals.
    Rounded,
    /// Truncated.
    Cut,
}

impl Print {
    /// Returns the name, as in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Print::Rounded => "rounded",
            Print::Cut => "cut",
        }
    }
}

impl Profile {
    /// A profile for no format by default, of a scorer that rounds, explained by comparison with the reference scorer.
    const PLAIN: Profile = Profile {
        id: "",
        summary: "",
        formats: &[],
        choices: &[],
        metrics: &[],
        print: Print::Rounded,
        compared_with: &["conll"],
    };
}

/// All profiles.
pub static PROFILES: &[Profile] = &[
    Profile {
        id: "conll",
        summary: "the CoNLL reference scorer 8.01 and its LEA branch",
        choices: &[("check-tokens", "warn")],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll"],
        print: Print::Cut,
        compared_with: &["coval", "e2e"],
        ..Profile::PLAIN
    },
    Profile {
        id: "coval",
        summary: "coval, the scorer of Moosavi",
        choices: &[("check-tokens", "warn"), ("duplicates", "last-sets"), ("place", "sentence")],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_e", "lea", "conll"],
        compared_with: &["conll", "e2e"],
        ..Profile::PLAIN
    },
    Profile {
        id: "corefud",
        summary: "corefud-scorer 1.2, official for the CRAC shared tasks",
        formats: &["corefud"],
        choices: COREFUD_HEAD_DEPENDENT,
        metrics: COREFUD_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "ua",
        summary: "the Universal Anaphora scorer 2.0",
        formats: &["conll-ua"],
        choices: &[
            ("singletons", "drop"),
            ("zeros", "drop"),
            ("split-parts", "whole"),
            ("duplicates", "last"),
            ("blanc", "either"),
        ],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll"],
        ..Profile::PLAIN
    },
    Profile {
        id: "ua-corefud",
        summary: "the Universal Anaphora scorer bundled with corefud-scorer 1.2",
        choices: &[
            ("match-details", "corefud-1.2"),
            ("singletons", "drop"),
            ("zeros", "drop"),
            ("split-parts", "whole"),
            ("duplicates", "last"),
            ("blanc", "either"),
        ],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll"],
        ..Profile::PLAIN
    },
    Profile {
        id: "scorch",
        summary: "scorch, which averages documents weighted by their mentions",
        formats: &["json"],
        choices: &[("extra-mentions", "in-key"), ("blanc", "scorch"), ("average", "mentions")],
        metrics: &["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "conll"],
        ..Profile::PLAIN
    },
    Profile {
        id: "e2e",
        summary: "the CorefEvaluator of the e2e family, whose CEAF ignores response singletons; B³ counts them",
        choices: &[("check-tokens", "warn"), ("duplicates", "last"), ("ceaf-singletons", "key-only")],
        metrics: &["muc", "b_cubed", "ceaf_e", "conll"],
        compared_with: &["conll", "coval"],
        ..Profile::PLAIN
    },
    Profile {
        id: "semeval-2010",
        summary: "SemEval-2010 task 1, with singletons, by the corrected scorer 8.01",
        formats: &["semeval"],
        choices: &[("check-tokens", "warn")],
        metrics: &["mentions", "ceaf_m", "muc", "b_cubed", "blanc"],
        print: Print::Cut,
        ..Profile::PLAIN
    },
    Profile {
        id: "conll-2011",
        summary: "the CoNLL-2011 shared task, by the corrected scorer 8.01",
        choices: &[("check-tokens", "warn")],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "conll"],
        print: Print::Cut,
        ..Profile::PLAIN
    },
    Profile {
        id: "conll-2012",
        summary: "the CoNLL-2012 shared task, by the corrected scorer 8.01",
        choices: &[("check-tokens", "warn")],
        metrics: &["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "conll"],
        print: Print::Cut,
        ..Profile::PLAIN
    },
    Profile {
        id: "craft-2019",
        summary: "the coreference task of CRAFT 2019: a part within the first part of the key mention matches",
        choices: &[
            ("match", "craft"),
            ("match-details", "corefud-1.2"),
            ("zeros", "drop"),
            ("duplicates", "last"),
            ("blanc", "either"),
        ],
        metrics: &["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll"],
        ..Profile::PLAIN
    },
    Profile {
        id: "codi-crac-2021-anaphora",
        summary: "CODI-CRAC 2021 task 1: identity with singletons and split antecedents",
        choices: CODI_CRAC,
        metrics: CONLL_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "codi-crac-2021-bridging",
        summary: "CODI-CRAC 2021 task 2: bridging at its three levels",
        choices: CODI_CRAC_BRIDGING,
        metrics: BRIDGING_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "codi-crac-2021-deixis",
        summary: "CODI-CRAC 2021 task 3: discourse deixis",
        choices: CODI_CRAC_DEIXIS,
        metrics: CONLL_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "codi-crac-2022-anaphora",
        summary: "CODI-CRAC 2022 task 1: identity with singletons and split antecedents",
        choices: CODI_CRAC,
        metrics: CONLL_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "codi-crac-2022-bridging",
        summary: "CODI-CRAC 2022 task 2: bridging at its three levels",
        choices: CODI_CRAC_BRIDGING,
        metrics: BRIDGING_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "codi-crac-2022-deixis",
        summary: "CODI-CRAC 2022 task 3: discourse deixis",
        choices: CODI_CRAC_DEIXIS,
        metrics: CONLL_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "crac-2022",
        summary: "the CRAC 2022 shared task: partial matching, given zeros",
        choices: &[
            ("match", "partial"),
            ("singletons", "drop"),
            ("duplicates", "distinct"),
            ("blanc", "either"),
        ],
        metrics: COREFUD_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "crac-2023",
        summary: "the CRAC 2023 shared task: head matching, given zeros",
        choices: &[
            ("match", "head"),
            ("singletons", "drop"),
            ("duplicates", "distinct"),
            ("blanc", "either"),
        ],
        metrics: COREFUD_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "crac-2024",
        summary: "the CRAC 2024 shared task: head matching, predicted zeros",
        choices: COREFUD_HEAD_DEPENDENT,
        metrics: COREFUD_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "crac-2025",
        summary: "the CRAC 2025 shared task: head matching, predicted zeros",
        choices: COREFUD_HEAD_DEPENDENT,
        metrics: COREFUD_METRICS,
        ..Profile::PLAIN
    },
    Profile {
        id: "muc",
        summary: "the coreference tasks of MUC-6 and MUC-7, not checked against their scorer",
        formats: &["muc"],
        choices: &[("match", "muc"), ("optional", "if-found"), ("duplicates", "distinct")],
        metrics: &["muc", "links_as_written", "mentions"],
        ..Profile::PLAIN
    },
    Profile {
        id: "ace-2005",
        summary: "NIST's ace05-eval-v14",
        formats: &["apf"],
        choices: &[("check-tokens", "warn")],
        metrics: &["ace_value", "ace_mention_value"],
        ..Profile::PLAIN
    },
    Profile {
        id: "ace-2007",
        summary: "NIST's ace07-eval-v01",
        choices: &[("check-tokens", "warn"), ("ace", "2007")],
        ..ACE
    },
    Profile {
        id: "ace-2008",
        summary: "NIST's ace08-eval-v08, not checked against it",
        choices: &[("check-tokens", "warn"), ("ace", "2008")],
        ..ACE
    },
    Profile {
        id: "ace-2004",
        summary: "the evaluation plan of ACE 2004, not checked against a scorer",
        choices: &[("check-tokens", "warn"), ("ace", "2004")],
        ..ACE
    },
    Profile {
        id: "ace-2003",
        summary: "the evaluation plan of ACE 2003, not checked against a scorer",
        choices: &[("check-tokens", "warn"), ("ace", "2003")],
        ..ACE
    },
];

/// The settings that the profiles of ACE share.
const ACE: Profile = Profile {
    id: "",
    summary: "",
    choices: &[("check-tokens", "warn")],
    metrics: &["ace_value", "ace_mention_value"],
    ..Profile::PLAIN
};

/// The metrics that the shared tasks since 2011 rank systems by.
const CONLL_METRICS: &[&str] = &["muc", "b_cubed", "ceaf_e", "conll"];

const COREFUD_METRICS: &[&str] =
    &["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll", "mention_overlap", "zero_anaphora"];

const BRIDGING_METRICS: &[&str] = &["bridging:level=anaphor", "bridging:level=mention", "bridging"];

const COREFUD_HEAD_DEPENDENT: &[(&str, &str)] = &[
    ("match", "head"),
    ("singletons", "drop"),
    ("zero-match", "dependent"),
    ("duplicates", "distinct"),
    ("extra-zeros", "spurious"),
    ("blanc", "either"),
];

const CODI_CRAC: &[(&str, &str)] = &[
    ("zeros", "drop"),
    ("split-antecedents", "keep"),
    ("split-parts", "whole"),
    ("duplicates", "last"),
    ("blanc", "either"),
];

const CODI_CRAC_BRIDGING: &[(&str, &str)] = &[("zeros", "drop"), ("duplicates", "last"), ("blanc", "either")];

const CODI_CRAC_DEIXIS: &[(&str, &str)] = &[
    ("zeros", "drop"),
    ("split-antecedents", "keep"),
    ("split-parts", "whole"),
    ("duplicates", "last"),
    ("blanc", "either"),
    ("annotation", "discourse-deixis"),
];

impl Profile {
    /// Returns the profile called `id`.
    ///
    /// # Errors
    ///
    /// A profile that does not exist.
    pub fn named(id: &str) -> Result<&'static Profile> {
        if let Some(profile) = PROFILES.iter().find(|profile| profile.id == id) {
            return Ok(profile);
        }
        let hint = one_of(id, "the profiles are", PROFILES.iter().map(|profile| profile.id));
        Err(Error::new(ErrorKind::Settings, format!("unknown profile `{id}`")).hint(hint))
    }

    /// Returns the default profile of a format: the one that lists it, otherwise the first.
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
                let mut again = settings.clone();
                assert_eq!(again.set(name, value), Ok(()));
                assert_eq!(again, settings, "{} sets {name}", profile.id);
            }
            for id in profile.compared_with {
                assert!(*id != profile.id && Profile::named(id).is_ok(), "{}: {id}", profile.id);
            }
            for id in profile.metrics {
                assert!(Metric::parse(id).is_ok(), "{}: {id}", profile.id);
            }
        }
    }

    #[test]
    fn a_format_is_in_one_profile_at_most() {
        let listed: Vec<&str> = PROFILES.iter().flat_map(|profile| profile.formats).copied().collect();
        assert!(listed.iter().all(|id| FORMATS.iter().any(|format| format.id == *id)), "{listed:?}");
        assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len(), "{listed:?}");
        assert_eq!(Profile::for_format("table").id, "conll");
    }
}
