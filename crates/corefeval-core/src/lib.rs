//! corefeval: evaluation of coreference resolution.
//!
//! Data passes through stages, and each stage depends only on those before it:
//!
//! | stage | module | what it does |
//! |---|---|---|
//! | model | [`model`] | documents of words, mentions, entities |
//! | formats | [`formats`], [`input`], [`file_pairs`] | bytes → documents |
//! | pairing | [`pairing`] | pairs key and response documents by id, and compares their words |
//! | alignment | [`alignment`] | carries responses with a different text over to the key's words |
//! | scope | [`scope`] | joins the documents of a topic or corpus |
//! | selection | [`selection`] | selects mentions to score: singletons, verb phrases, nested mentions |
//! | named | [`named`] | determines which mentions are names |
//! | matching | [`matching`] | aligns the mentions of both sides |
//! | overlap | [`overlap`] | shared mentions by entity pair |
//! | metrics | [`metrics`] | counts, and the scores that follow |
//! | results | [`results`] | the scores of systems, as data |
//!
//! [`evaluation`] runs them, from a request to results: it is the only way from inputs to a report. Results become text
//! and figures in the crate `corefeval-report`. Within an evaluation, [`score`](mod@score) scores pairs of documents,
//! [`significance`] compares systems and correlates metrics, [`agreement`] measures the agreement of annotators,
//! [`probe`] scores transformed responses, and [`cone`] scores named mentions without a key.
//!
//! Five lines score two partitions of mentions:
//!
//! ```
//! use corefeval_core::score_partitions;
//! let key = [vec!["Ada", "she"], vec!["the pilot", "he", "him"]];
//! let response = [vec!["Ada", "she", "him"], vec!["the pilot", "he"]];
//! let scores = score_partitions(&key, &response, &["conll"])?;
//! assert_eq!(format!("{:.2}", 100.0 * scores[0].score.f1), "73.33");
//! # Ok::<(), corefeval_core::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod ace_parameters;
pub mod agreement;
pub mod alignment;
pub mod analysis;
pub mod bibliography;
pub mod cache;
mod choice;
pub mod cone;
pub mod conversion;
pub mod counts;
pub mod diagnostic;
pub mod digest;
pub mod error;
pub mod evaluation;
pub mod exact;
pub mod file_pairs;
pub mod formats;
pub mod groups;
pub mod heuristics;
pub mod input;
mod labels;
pub mod limits;
pub mod matching;
pub mod metrics;
pub mod model;
pub mod named;
pub mod output;
pub mod overlap;
pub mod pairing;
pub mod printed;
pub mod probe;
pub mod profiles;
pub mod prompt;
pub mod reports;
pub mod results;
pub mod scope;
pub mod score;
mod scratch;
pub mod selection;
pub mod settings;
mod shared_file;
pub mod signature;
pub mod significance;
pub mod stats;
pub mod suggest;
pub mod systems;
pub mod threads;
pub mod validation;
mod version;
pub mod weights;
pub mod wording;

pub use corefeval_metrics::assignment::{RunningSearch, SEARCH};
pub use corefeval_metrics::{fraction, score as score_partitions, tally};
pub use error::{Error, ErrorKind, Result};
pub use version::VERSION;
