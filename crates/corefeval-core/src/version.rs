//! The version that signatures, caches and stored documents name.

/// The version of the library and of the command.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
