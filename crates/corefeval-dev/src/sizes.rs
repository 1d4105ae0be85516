//! The table of inputs: their properties and time limits.
//!
//! Its names are the values of `--size` in both subcommands; the tests read it too.

use clap::builder::{PossibleValue, PossibleValuesParser};

/// An input of the benchmark.
pub struct Size {
    /// The name, as typed.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The shape of its documents.
    pub shape: InputShape,
    /// Size of one file (key or response) in megabytes of 1,000,000 bytes, within 3%.
    pub megabytes: f64,
    /// The speed that scoring must reach, in megabytes of key and response per second.
    pub least_speed: f64,
}

impl Size {
    /// Returns the limit as the guide shows it.
    pub fn limit(&self) -> String {
        format!("{:.0} MB/s", self.least_speed)
    }
}

/// The largest allowed ratio of a build's time to that of the previous one.
pub const SLOWER_LIMIT: f64 = 1.03;

/// The largest allowed ratio of peak memory to the size of key and response together.
pub const MEMORY_LIMIT: f64 = 2.0;

/// Noise like that of a good system: it misses one mention in eight, and invents as many.
pub const SYSTEM: Noise = Noise { dropped: 12, spurious: 12, reshaped: 6, moved: 0, split: 8 };

/// A shape like the English test set of CoNLL-2012.
const ONTONOTES: InputShape = InputShape {
    layout: Layout::Conll,
    documents: 348,
    whole: 222,
    words: 170_000,
    mentions: 20_000,
    key_entities: 3_600,
    response_entities: 3_600,
    tail: -0.5,
    noise: SYSTEM,
};

/// All inputs, in the order in which they are run.
pub const SIZES: &[Size] = &[
    Size {
        name: "ontonotes",
        summary: "222 documents in 348 short parts, like the English test set of CoNLL-2012",
        shape: ONTONOTES,
        megabytes: 7.3,
        least_speed: 1000.0,
    },
    Size {
        name: "book",
        summary: "one document of the length of a novel, with one very large entity",
        shape: InputShape {
            layout: Layout::Conll,
            documents: 1,
            whole: 1,
            words: 200_000,
            mentions: 26_000,
            key_entities: 550,
            response_entities: 550,
            tail: -0.13,
            noise: SYSTEM,
        },
        megabytes: 8.6,
        least_speed: 1000.0,
    },
    Size {
        name: "corefud",
        summary: "as `ontonotes`, in CorefUD: matched by head, with empty nodes",
        shape: InputShape { layout: Layout::Corefud, whole: ONTONOTES.documents, ..ONTONOTES },
        megabytes: 7.3,
        least_speed: 650.0,
    },
    Size {
        name: "entities",
        summary: "one document of 60,000 by 47,000 entities, most of them in one component of overlap",
        shape: InputShape {
            layout: Layout::JsonLines,
            documents: 1,
            whole: 1,
            words: 1_450_000,
            mentions: 200_000,
            key_entities: 60_000,
            response_entities: 47_000,
            tail: 50.0,
            noise: Noise { dropped: 0, spurious: 0, reshaped: 0, moved: 25, split: 10 },
        },
        megabytes: 16.0,
        least_speed: 60.0,
    },
];

/// Returns the row of a name, or all rows for `all`.
pub fn select(name: &str) -> Vec<&'static Size> {
    SIZES.iter().filter(|size| name == "all" || name == size.name).collect()
}

/// Returns the possible values of `--size`.
pub fn values() -> PossibleValuesParser {
    let described = SIZES.iter().map(|size| {
        let help = format!("{}; {} MB a file", size.summary, size.megabytes);
        PossibleValue::new(size.name).help(help)
    });
    PossibleValuesParser::new(described.chain([PossibleValue::new("all")]))
}

/// The shape of one input.
///
/// All numbers are exact, not expected, values; mentions and entities are numbers per side.
#[derive(Clone, Debug)]
pub struct InputShape {
    /// The format of the documents.
    pub layout: Layout,
    /// Documents; their lengths differ by up to a factor of thirteen.
    pub documents: usize,
    /// The number of whole documents, if `documents` counts their parts; the same number if each has one part. Only
    /// CoNLL has parts.
    pub whole: usize,
    /// Words in all documents together, in sentences of 6 to 30 words.
    pub words: usize,
    /// Mentions in all documents together, of one to eight words, each within a sentence. The mentions of a side do not
    /// repeat or cross each other.
    pub mentions: usize,
    /// Entities of the key, without singletons.
    pub key_entities: usize,
    /// Entities of the response, without singletons.
    pub response_entities: usize,
    /// The tail of the entity sizes. After two mentions for each, the rest is distributed by the law of
    /// Zipf and Mandelbrot: the *k*-th entity of a document gets a share proportional to 1 / (*k* + `tail`). The
    /// smaller the number (above -1), the larger the largest entity.
    pub tail: f64,
    /// The differences of the response from the key.
    pub noise: Noise,
}

/// The differences of a response from its key, in percent.
#[derive(Clone, Debug)]
pub struct Noise {
    /// Mentions of the key that the response lacks.
    pub dropped: usize,
    /// Mentions of the response that are not in the key. Half of them join an entity of the key, the others make
    /// separate entities.
    pub spurious: usize,
    /// Mentions with one boundary that is a word or two off.
    pub reshaped: usize,
    /// Mentions moved into any other entity.
    pub moved: usize,
    /// Entities cut in two. Others are merged until the required number is reached.
    pub split: usize,
}

/// The format of the documents.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// Thirteen columns of CoNLL-2012, separated by tabs.
    Conll,
    /// CorefUD 1.x with heads. Each sentence that starts at a multiple of ten words has an empty node, which is in a
    /// different place in the response.
    Corefud,
    /// One JSON object per line with `doc_key`, `sentences` and `clusters` (both ends of a span inclusive).
    JsonLines,
}

impl Layout {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Conll => "conll",
            Self::Corefud => "conllu",
            Self::JsonLines => "jsonlines",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_guide_lists_every_size() {
        let guide = include_str!("../../../bench/README.md");
        for size in SIZES {
            let (Size { name, summary, megabytes, .. }, limit) = (size, size.limit());
            let row = format!("| `{name}` | {summary} | {megabytes:.1} MB | {limit} |");
            assert!(guide.contains(&row), "bench/README.md lacks: {row}");
        }
    }

    #[test]
    fn names_are_unique_and_described() {
        let unique: BTreeSet<_> = SIZES.iter().map(|size| size.name).collect();
        assert_eq!(unique.len(), SIZES.len());
        assert!(SIZES.iter().all(|size| !size.summary.is_empty()));
        assert!(SIZES.iter().all(|size| select(size.name).len() == 1));
        assert_eq!(select("all").len(), SIZES.len());
    }
}
