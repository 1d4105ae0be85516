//! The results of tasks other than scoring, as data, with the settings that they depend on: comparison, agreement,
//! correlation, CONE, explanation, statistics and validation.

pub mod agreement;
pub mod check;
pub mod comparison;
pub mod cone_correlation;
pub mod correlation;
pub mod explain;
pub mod stats;
pub mod validation;
