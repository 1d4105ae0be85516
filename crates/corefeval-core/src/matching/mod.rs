//! Matching: which things of the key stand for which things of the response.
//!
//! [`assignment`] holds the one algorithm that several matching rules and CEAF share,
//! the best one-to-one choice. It knows numbers and weights only.

pub mod assignment;
