//! The inputs of an analysis: the choices of a task and the properties of all documents.

use std::fmt;
use std::sync::OnceLock;

use super::types::{Language, PronounCounts, TypeRule, is_tag};
use crate::metrics::Metric;
use crate::pairing::DocumentPair;
use crate::settings::{Keep, Place, Settings};

/// The antecedent that an error is reported with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tree {
    /// For pronouns and demonstratives the closest mention before them; for others the closest name, otherwise the
    /// closest nominal, otherwise the closest mention.
    #[default]
    Accessibility,
    /// The closest mention before it.
    Closest,
    /// The antecedent that the response names, for precision; for recall, and for documents whose links are unknown, as
    /// accessibility.
    Decisions,
}

impl Tree {
    /// The choice of a tree, in a line of help.
    pub const SUMMARY: &'static str = "The antecedent shown for a link error";

    /// All trees, with a line of help each.
    pub const ALL: [(Tree, &'static str, &'static str); 3] = [
        (
            Tree::Accessibility,
            "accessibility",
            "the closest mention for pronouns, else the closest name, then the closest nominal",
        ),
        (Tree::Closest, "closest", "the closest mention before the anaphor"),
        (
            Tree::Decisions,
            "decisions",
            "the antecedent that the response names (precision; formats with links only)",
        ),
    ];

    /// Returns the id, as typed.
    pub fn id(self) -> &'static str {
        Tree::ALL[self as usize].1
    }

    /// Returns the tree with this id.
    pub fn from_id(id: &str) -> Option<Tree> {
        Tree::ALL.iter().find(|row| row.1 == id).map(|row| row.0)
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// The settings of an analysis, and its other choices.
#[derive(Clone, Debug)]
pub struct AnalysisTask {
    /// The choices that scores depend on. Errors have those that [`applied_settings`](super::applied_settings) returns. If
    /// only named entities are analysed, `named` is a source and not `Auto`.
    pub settings: Settings,
    /// The metrics that measure the cost of errors. Metrics that
    /// [`metrics_of_corrections`](super::metrics_of_corrections) leaves out measure none.
    pub metrics: Vec<Metric>,
    /// The tree that link errors take their antecedents from.
    pub tree: Tree,
    /// The language of documents without tags; `None` to determine it from the key's mentions of one word.
    pub language: Option<&'static Language>,
    /// The rule that decides types of mentions.
    pub types: TypeRule,
    /// The number of examples to show of each kind.
    pub examples: usize,
    /// True to list every error ([`ErrorAnalysis::rows`](super::ErrorAnalysis::rows)).
    pub rows: bool,
    /// True to keep the data that [`CommonErrors`](super::CommonErrors) compares.
    pub compared: bool,
    /// The largest number of threads to use; the result does not depend on it.
    pub threads: usize,
}

/// The properties of all documents that the rules depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorpusFacts<'p> {
    pub(super) language: Fact<'p, &'static Language>,
    pub(super) types: TypeRule,
    /// True if the key has scored singletons.
    pub(super) singletons: Fact<'p, bool>,
    pub(super) place: Place,
}

/// A property of all documents.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact<'p, T> {
    Known(T),
    /// Determined when an error or the type of a mention depends on it, which is rare.
    OnDemand(&'p OnceLock<T>, fn(&[DocumentPair<'_>]) -> T, &'p [DocumentPair<'p>]),
}

impl<T: Copy> Fact<'_, T> {
    pub(super) fn get(self) -> T {
        match self {
            Fact::Known(value) => value,
            Fact::OnDemand(known, find, pairs) => *known.get_or_init(|| find(pairs)),
        }
    }

    /// Returns the value if it was given, or determined so far.
    pub(super) fn known(self) -> Option<T> {
        match self {
            Fact::Known(value) => Some(value),
            Fact::OnDemand(known, ..) => known.get().copied(),
        }
    }
}

/// The properties that were determined on demand.
#[derive(Debug, Default)]
pub(super) struct Determined {
    language: OnceLock<&'static Language>,
    singletons: OnceLock<bool>,
}

fn have_singletons(pairs: &[DocumentPair<'_>]) -> bool {
    pairs.iter().any(|pair| {
        let mut sizes = vec![0u32; pair.key.entities().len()];
        pair.key.mentions().iter().for_each(|mention| sizes[mention.entity().index()] += 1);
        sizes.contains(&1)
    })
}

impl<'p> CorpusFacts<'p> {
    /// Returns the properties of paired documents, which are stored in `determined` once they are. The language is only
    /// the likely one: the text is not read twice to determine it (see [`super::analyse`]).
    pub(super) fn on_demand(
        pairs: &'p [DocumentPair<'p>],
        task: &AnalysisTask,
        determined: &'p Determined,
    ) -> CorpusFacts<'p> {
        let of_text = Fact::OnDemand(&determined.language, likely_language, pairs);
        CorpusFacts {
            language: task.language.map_or(of_text, Fact::Known),
            types: task.types,
            singletons: match task.settings.singletons {
                Keep::Keep => Fact::OnDemand(&determined.singletons, have_singletons, pairs),
                Keep::Drop => Fact::Known(false),
            },
            place: task.settings.place,
        }
    }

    pub(super) fn of(pairs: &[DocumentPair<'_>], task: &AnalysisTask) -> CorpusFacts<'static> {
        CorpusFacts { types: task.types, ..CorpusFacts::with(pairs, &task.settings, task.language) }
    }

    pub(super) fn with(
        pairs: &[DocumentPair<'_>],
        settings: &Settings,
        language: Option<&'static Language>,
    ) -> CorpusFacts<'static> {
        CorpusFacts {
            language: Fact::Known(language.unwrap_or_else(|| language_of(pairs))),
            types: TypeRule::default(),
            singletons: Fact::Known(settings.singletons == Keep::Keep && have_singletons(pairs)),
            place: settings.place,
        }
    }
}

/// Returns the language of the key's mentions of one word: see [`PronounCounts::language`].
fn language_of(pairs: &[DocumentPair<'_>]) -> &'static Language {
    let mut counts = PronounCounts::default();
    pairs.iter().for_each(|pair| count_pronouns(pair, &mut counts));
    counts.language()
}

/// Like [`language_of`], but stops at enough pronouns, and reads only the first documents.
fn likely_language(pairs: &[DocumentPair<'_>]) -> &'static Language {
    const ENOUGH: u64 = 30;
    const DOCUMENTS: usize = 20;
    let mut counts = PronounCounts::default();
    for pair in pairs.iter().take(DOCUMENTS) {
        count_pronouns(pair, &mut counts);
        if counts.found() >= ENOUGH {
            break;
        }
    }
    counts.language()
}

/// Counts the pronouns of a document without tags.
fn count_pronouns(pair: &DocumentPair<'_>, counts: &mut PronounCounts) {
    let words = pair.key.words();
    let Some(layers) = words.layers().filter(|_| !words.are_names()) else { return };
    // Tags are more reliable than words. If the first word has a tag, the lines of the others need not be located.
    if layers.part_of_speech.first().is_some_and(is_tag) || layers.part_of_speech.any(|cell| is_tag(cell)) {
        return;
    }
    counts.add_mentions(pair.key, |word| layers.form.get(word as usize).unwrap_or_default());
}
