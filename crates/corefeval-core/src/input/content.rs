//! Checks the first bytes of a file for compression, archives, and bytes that are not text.

use std::sync::Arc;

use memchr::memchr;

use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::without_mark;

/// Returns whether a file that starts with these bytes is compressed.
pub(crate) fn is_compressed(first: &[u8]) -> bool {
    matches!(first, [0x1F, 0x8B, ..] | [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// Returns whether a file that starts with these bytes is a zip archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Fails for bytes that no reader can read.
pub(super) fn check_text(bytes: &[u8], name: &Arc<str>) -> Result<()> {
    let wrong = |code: Code, message: &str, hint: &str| {
        Err(Error::new(ErrorKind::Format, message).coded(code).at(Position::new(name, 0, 0)).hint(hint))
    };
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return wrong(Code::Utf16, "this file is UTF-16", "convert it to UTF-8");
    }
    if without_mark(bytes).is_empty() {
        return wrong(Code::EmptyFile, "this file is empty", "was it written to the end?");
    }
    if is_archive(bytes) {
        let remedy = "unpack it (`unzip FILE.zip -d FOLDER`), and give the folder instead";
        return wrong(Code::NotText, "this is a zip archive", remedy);
    }
    if memchr(0, bytes).is_some() {
        return wrong(Code::NotText, "not a text file", "corefeval reads text, plain or as .gz or .zst");
    }
    Ok(())
}
