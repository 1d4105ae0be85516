//! All integration tests of the crate, in one program: a program links for longer than a module compiles.

mod ace_value;
mod adaptor;
mod agreement;
mod annotators;
mod architecture;
mod assignment;
mod beyond_identity;
mod both;
mod cone;
mod correlation;
mod errors;
mod formats;
mod generators;
mod groups;
mod lea_analysis;
mod matching;
mod muc;
mod papers;
mod pipeline;
mod profiles;
mod properties;
mod readers_never_panic;
mod significance;
mod twins;
mod weights;
mod writing;
