//! The core as a program of WASI, which a browser runs: a request in JSON on standard input, the answer on standard
//! output. Files are those that the page provides.

#![forbid(unsafe_code)]

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut request = String::new();
    io::stdin().read_to_string(&mut request)?;
    io::stdout().write_all(corefeval_web::answer(&request).as_bytes())
}
