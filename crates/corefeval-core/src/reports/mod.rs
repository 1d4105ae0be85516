//! The results of comparing systems, of agreement, of correlation, of CONE, of counting corpora and of validation, as data,
//! with the settings that they depend on.

pub mod agreement;
pub mod check;
pub mod comparison;
pub mod cone_correlation;
pub mod correlation;
pub mod explain;
pub mod stats;
pub mod validation;
