//! Exact metrics of coreference resolution, for any data that can be written as two sets of entities.
//!
//! The metrics are MUC, B³, CEAF (φ1 to φ4), BLANC, LEA, pairwise links, Rand and adjusted Rand, mention
//! identification and the CoNLL average. The crate has no dependencies.
//!
//! ```
//! let key = [vec!["Ada", "she"], vec!["the pilot", "he", "him"]];
//! let response = [vec!["Ada", "she", "him"], vec!["the pilot", "he"]];
//! let scores = corefeval_metrics::score(&key, &response, &["conll"])?;
//! println!("CoNLL F1 {:.2}", 100.0 * scores[0].score.f1);
//! # assert_eq!(format!("{:.2}", 100.0 * scores[0].score.f1), "73.33");
//! # Ok::<(), corefeval_metrics::Error>(())
//! ```
//!
//! [`score`](fn@score) is the entry point. It builds on:
//!
//! | module | contents |
//! |---|---|
//! | [`overlap`] | the numbers of mentions that each key entity shares with each response entity, sufficient for most metrics |
//! | [`aligned`] | the aligned entities of both sides: the input of a metric |
//! | [`fraction`] | exact sums of fractions |
//! | [`tally`] | counts, which add up over documents, and the scores computed from them |
//! | [`assignment`] | the best one-to-one choice, which CEAF needs |
//! | [`shares`] | the contribution of a single mention to the counts |
//! | [`Closure`] | union-find, for components of overlapping entities and for formats with links |
//! | [`splits`], [`weighed`] | split antecedents and weights by type, which callers with documents add |
//!
//! [`ENTITY_METRICS`] is the table of metrics: each has a file with its definition, its counts and its page.
//! Documents, formats, the matching of mentions that are not equal, and metrics that need words belong to
//! `corefeval-core`.

#![forbid(unsafe_code)]

pub mod aligned;
pub mod assignment;
mod b_cubed;
mod best_maps;
mod blanc;
mod bounded;
mod by_type;
mod ceaf;
mod closure;
mod conll;
mod credited;
mod entity_metrics;
mod error;
pub mod fraction;
mod info;
mod lea;
mod mentions;
mod metric;
mod muc;
pub mod overlap;
pub mod packed;
mod pairwise;
mod partitions;
mod rand;
mod rules;
pub mod shares;
mod side;
mod similarity;
pub mod splits;
pub mod tally;
pub mod weighed;
mod weighted;

pub use self::aligned::{CeafBound, WHOLE_GAP};
pub use self::b_cubed::METRIC as B_CUBED_METRIC;
pub use self::best_maps::BestMaps;
pub use self::ceaf::PHI_3 as CEAF_M_METRIC;
pub use self::closure::Closure;
pub use self::conll::{CONLL_METRIC, MeanMetric};
pub use self::entity_metrics::ENTITY_METRICS;
pub use self::error::{Error, Result};
pub use self::info::{MAX_PARAMETERS, MetricInfo, ParameterSpec, Variant, find};
pub use self::mentions::METRIC as MENTIONS_METRIC;
pub use self::metric::{EntityMetric, PairsAcross};
pub use self::partitions::{PartitionScore, align, needs_entities_alone, score};
pub use self::rules::{Halves, Rules};
pub use self::side::Side;
pub use self::weighted::{EntityPairView, ObjectMap, SingleEntityView, ceaf_of_objects, ceaf_with};
