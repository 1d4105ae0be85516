//! Any bytes in any format: a reader returns documents or an error, the same for any division of the bytes into blocks
//! of lines.
#![no_main]

use corefeval_fuzz::{Given, described};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some(given) = Given::new(data) else { return };
    let whole = given.read(usize::MAX);
    if given.is_read_twice() {
        assert_eq!(described(&given.read(1)), described(&whole), "line by line");
    }
});
