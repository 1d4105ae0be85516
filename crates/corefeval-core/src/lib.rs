//! corefeval: evaluation of coreference resolution.
//!
//! Data passes through stages, and a stage knows only those before it:
//!
//! | stage | module | what it does |
//! |---|---|---|
//! | model | [`model`] | documents of words, mentions, entities |
//! | formats | [`formats`], [`input`], [`file_pairs`] | bytes → documents |
//! | pairing | [`pairing`] | key and response documents by id; the same words? |
//! | scope | [`scope`] | documents of a topic or corpus, joined |
//! | named | [`named`] | which mentions are names |
//! | selection | [`selection`] | what is scored: singletons, verb phrases, nested mentions |
//! | matching | [`matching`] | the alignment of mentions |
//! | overlap | [`overlap`] | shared mentions by entity pair |
//! | metrics | [`metrics`] | counts, and the scores that follow |
//! | results | [`results`] | what systems scored, as data |
//! | report | [`report`] | the results as text |
//!
//! [`score`](mod@score) runs them in order; [`significance`] compares systems and correlates metrics, [`agreement`] is
//! that of annotators, [`probe`] scores transformed responses, [`cone`] named mentions without a key, [`reproduce`] the
//! examples of the papers; [`plot`] draws figures.
//!
//! ```
//! use corefeval_core::metrics::Metric;
//! use corefeval_core::score_partitions;
//!
//! // Key {a b c} {d e f g}, response {a b} {c d} {f g h i}: the example of the LEA paper.
//! let key = [vec![0, 1, 2], vec![3, 4, 5, 6]];
//! let response = [vec![0, 1], vec![2, 3], vec![5, 6, 7, 8]];
//! let (tally, score) = score_partitions(&key, &response, &Metric::parse("lea")?);
//! assert_eq!(tally.first.recall_num.to_ratio(), Some((5, 3)));
//! assert!((score.recall - 0.238).abs() < 0.001);
//! # Ok::<(), corefeval_core::Error>(())
//! ```

pub mod ace_parameters;
pub mod agreement;
pub mod analysis;
pub mod cache;
mod choice;
pub mod cone;
pub mod diagnostic;
pub mod error;
pub mod file_pairs;
pub mod formats;
pub mod fraction;
pub mod groups;
pub mod heuristics;
pub mod input;
pub mod matching;
pub mod metrics;
pub mod model;
pub mod named;
pub mod overlap;
pub mod pairing;
pub mod plot;
pub mod probe;
pub mod profiles;
pub mod report;
pub mod reproduce;
pub mod results;
pub mod scope;
pub mod score;
pub mod selection;
pub mod settings;
pub mod signature;
pub mod significance;
pub mod suggest;
pub mod systems;
pub mod tally;
mod weighed;
pub mod weights;

pub use error::{Error, ErrorKind, Result};
pub use score::score_partitions;

/// The version of the library, which is that of the command.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
