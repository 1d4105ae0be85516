//! The results of comparing systems, of agreement, of correlation, of checking CONE and of counting corpora, as data, with the settings that
//! they depend on.

pub mod agreement;
pub mod check;
pub mod comparison;
pub mod correlation;
pub mod stats;
