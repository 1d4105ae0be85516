//! Short texts, such as words and tags, which mostly consist of a few ASCII characters.

/// Returns bytes as text if they are UTF-8. For a few bytes, this is several times as fast as [`std::str::from_utf8`].
///
/// ```
/// use corefeval_system::short::text;
/// assert_eq!(text(b"ferry"), Some("ferry"));
/// assert_eq!(text("Fähre".as_bytes()), Some("Fähre"));
/// assert_eq!(text(b"F\xe4hre"), None);
/// ```
#[inline]
#[allow(unsafe_code, reason = "text that is known to be ASCII")]
pub fn text(bytes: &[u8]) -> Option<&str> {
    const HIGH: u32 = 0x8080_8080;
    // The first and the last bytes together cover every byte.
    let is_ascii = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            bytes.len() <= 8 && (u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last)) & HIGH == 0
        }
        _ => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                (u16::from_ne_bytes(*first) | u16::from_ne_bytes(*last)) & HIGH as u16 == 0
            }
            _ => bytes.is_ascii(),
        },
    };
    match is_ascii {
        // SAFETY: Every byte was checked to be ASCII, which is UTF-8.
        true => Some(unsafe { std::str::from_utf8_unchecked(bytes) }),
        false => std::str::from_utf8(bytes).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn bytes_of_every_length_are_checked() {
        for length in 0..20 {
            let plain: Vec<u8> = (b'a'..).take(length).collect();
            assert_eq!(text(&plain), std::str::from_utf8(&plain).ok());
            for place in 0..length {
                for byte in [0, 0x7f, 0x80, 0xc3, 0xff] {
                    let mut bytes = plain.clone();
                    bytes[place] = byte;
                    assert_eq!(text(&bytes), std::str::from_utf8(&bytes).ok(), "{bytes:?}");
                    if let Some(next) = bytes.get_mut(place + 1) {
                        *next = 0xa4;
                        assert_eq!(text(&bytes), std::str::from_utf8(&bytes).ok(), "{bytes:?}");
                    }
                }
            }
        }
    }
}
