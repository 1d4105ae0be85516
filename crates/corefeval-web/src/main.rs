//! Runs the core as a WASI program in a browser: reads a request in JSON from standard input, and writes the answer to
//! standard output. The page provides the files.

#![forbid(unsafe_code)]

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut request = String::new();
    io::stdin().read_to_string(&mut request)?;
    io::stdout().write_all(corefeval_web::answer(&request).as_bytes())
}
