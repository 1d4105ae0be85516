//! Finding line ends, and counting columns, quickly.
//!
//! Lines of annotated text are short, 40 bytes or so, and a search that starts anew at each of them
//! spends its time on starting. Here a block is compared 64 bytes at a time, and the ends fall out
//! of one bit mask.

use wide::u8x16;

/// Calls `each` with every line of `block`, without its `\n`. A last line without `\n` counts; an
/// empty rest after the last `\n` does not.
#[inline]
pub(super) fn each_line<E>(block: &[u8], mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut start = 0;
    let (chunks, rest) = block.as_chunks::<64>();
    for (number, chunk) in chunks.iter().enumerate() {
        let mut ends = positions(chunk, b'\n');
        while ends != 0 {
            let end = number * 64 + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            each(&block[start..end])?;
            start = end + 1;
        }
    }
    let done = block.len() - rest.len();
    for (place, &byte) in rest.iter().enumerate() {
        if byte == b'\n' {
            each(&block[start..done + place])?;
            start = done + place + 1;
        }
    }
    if start < block.len() { each(&block[start..]) } else { Ok(()) }
}

/// How often `line` has `byte`.
#[inline]
pub(super) fn count_byte(line: &[u8], byte: u8) -> u32 {
    let (chunks, rest) = line.as_chunks::<16>();
    let mut count = 0;
    // Four masks of 16 bits make one number to count the bits of.
    for four in chunks.chunks(4) {
        let mut mask = 0;
        for chunk in four {
            mask = mask << 16 | sixteen(chunk, byte);
        }
        count += mask.count_ones();
    }
    if rest.is_empty() {
        return count;
    }
    match line.last_chunk::<16>() {
        // The last sixteen bytes, less those that are counted already.
        Some(last) => count + (sixteen(last, byte) >> (16 - rest.len())).count_ones(),
        None => rest.iter().filter(|&&other| other == byte).count() as u32,
    }
}

/// A bit for each place where the chunk has `byte`.
#[inline]
fn positions(chunk: &[u8; 64], byte: u8) -> u64 {
    let (quarters, _) = chunk.as_chunks::<16>();
    let mut mask = 0;
    for (place, quarter) in quarters.iter().enumerate() {
        mask |= sixteen(quarter, byte) << (16 * place);
    }
    mask
}

#[inline]
fn sixteen(chunk: &[u8; 16], byte: u8) -> u64 {
    u64::from(u8x16::new(*chunk).simd_eq(u8x16::splat(byte)).to_bitmask() & 0xFFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_a_plain_split() {
        for length in 0..300usize {
            for step in 1..70 {
                let block: Vec<u8> =
                    (0..length).map(|n| if n % step == step - 1 { b'\n' } else { b'x' }).collect();
                let mut found: Vec<Vec<u8>> = Vec::new();
                let _: Result<(), ()> = each_line(&block, |line| {
                    found.push(line.to_vec());
                    Ok(())
                });
                let mut plain: Vec<Vec<u8>> =
                    block.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                if plain.last().is_some_and(Vec::is_empty) {
                    plain.pop();
                }
                assert_eq!(found, plain, "length {length}, step {step}");
            }
        }
    }

    #[test]
    fn bytes_are_counted_in_lines_of_every_length() {
        for length in 0..200usize {
            let line: Vec<u8> = (0..length).map(|n| if n * n % 7 < 2 { b'\t' } else { b'x' }).collect();
            for start in 0..length.min(5) {
                let plain = line[start..].iter().filter(|&&byte| byte == b'\t').count() as u32;
                assert_eq!(count_byte(&line[start..], b'\t'), plain, "length {length}, start {start}");
            }
        }
    }
}
