//! Chunks: JSON values compressed with raw deflate and written in base64, which the viewer unpacks when it shows them.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde_json::Value;

/// The compression level. Twice as fast as the default of 6, and a twentieth larger.
const LEVEL: Compression = Compression::new(4);

/// Returns a value as a chunk.
pub(super) fn chunk(value: &impl Serialize) -> Value {
    // Serialization cannot fail: keys are strings and numbers are finite.
    let plain = serde_json::to_string(value).unwrap_or_default();
    // In one piece, because the encoder clears a buffer for each piece.
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(plain.len() / 4), LEVEL);
    let bytes = encoder.write_all(plain.as_bytes()).and_then(|()| encoder.finish());
    // Writing to memory does not fail; if it did, the viewer would accept the plain value.
    let unpacked = |_| serde_json::from_str(&plain).unwrap_or_default();
    bytes.map_or_else(unpacked, |bytes| Value::String(base64(&bytes)))
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64 with padding (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) & 63;
            let present = place <= group.len() as u32;
            text.push(if present { char::from(DIGITS[digit as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;
    use serde_json::json;

    use super::*;

    /// The value of a chunk.
    pub(crate) fn plain(chunk: &Value) -> Value {
        let text = chunk.as_str().expect("a chunk is text");
        let digit = |c: u8| DIGITS.iter().position(|&digit| digit == c).expect("a digit of base64") as u32;
        let digits: Vec<u32> = text.bytes().filter(|&c| c != b'=').map(digit).collect();
        let mut bytes = Vec::new();
        for group in digits.chunks(4) {
            let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
            bytes.extend(&bits.to_be_bytes()[1..group.len()]);
        }
        let mut plain = String::new();
        DeflateDecoder::new(&bytes[..]).read_to_string(&mut plain).expect("raw deflate");
        serde_json::from_str(&plain).expect("JSON")
    }

    /// The examples of RFC 4648.
    #[test]
    fn base64_follows_the_standard() {
        let examples = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in examples {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn chunks_can_be_unpacked() {
        let value = json!({ "words": ["a", "é", "הוא"], "n": 1 });
        assert_eq!(plain(&chunk(&value)), value);
    }
}
