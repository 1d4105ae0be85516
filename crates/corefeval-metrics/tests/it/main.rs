//! All integration tests of the crate, in one program. The plain twins and the random numbers are shared with the tests
//! of the core.

mod agreement;
mod assignment;
mod bounds;
mod by_hand;

#[path = "../../../corefeval-core/tests/it/random.rs"]
mod random;
#[path = "../../../corefeval-core/tests/it/twins/mod.rs"]
mod twins;
