//! The results of comparing systems, of agreement, of correlation and of checking CONE, as data, with the settings that
//! they depend on.

pub mod agreement;
pub mod check;
pub mod comparison;
pub mod correlation;
