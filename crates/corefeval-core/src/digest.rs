//! Cryptographic digests of inputs.

use std::fmt;
use std::io::{self, Read};

/// A cryptographic digest (BLAKE3): equal digests mean equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(blake3::Hash);

impl Digest {
    /// Returns the digest of several pieces, which also depends on the boundaries between them.
    ///
    /// ```
    /// use corefeval_core::digest::Digest;
    /// assert_ne!(Digest::of(["ab", "c"]), Digest::of(["a", "bc"]));
    /// ```
    pub fn of<P: AsRef<[u8]>>(pieces: impl IntoIterator<Item = P>) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for piece in pieces {
            let piece = piece.as_ref();
            hasher.update(&(piece.len() as u64).to_le_bytes());
            hasher.update(piece);
        }
        Digest(hasher.finalize())
    }

    /// Returns the digest of all bytes of a reader.
    pub(crate) fn of_reader(reader: impl Read) -> io::Result<Digest> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(reader)?;
        Ok(Digest(hasher.finalize()))
    }

    /// Returns the digest of bytes in one piece, which equals the digest of a reader of them.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Digest {
        Digest(blake3::hash(bytes))
    }

    /// Parses the output of `Display`.
    pub(crate) fn from_hex(digits: &str) -> Option<Digest> {
        blake3::Hash::from_hex(digits).ok().map(Digest)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

/// Writes 64 hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

/// Computes the digest of bytes that arrive in pieces.
///
/// ```
/// use corefeval_core::digest::Digester;
/// let of = |pieces: &[&str]| {
///     let mut digester = Digester::default();
///     pieces.iter().for_each(|piece| digester.update(piece.as_bytes()));
///     digester.finish()
/// };
/// assert_eq!(of(&["ab", "c"]), of(&["abc"]));
/// ```
#[derive(Clone, Default)]
pub struct Digester(blake3::Hasher);

impl Digester {
    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest, which equals the digest of all bytes in one piece.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize())
    }
}
