//! The version that signatures, caches and stored documents name.

/// The version of the library, which is also that of the command.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
