//! Finding line ends quickly.
//!
//! Lines of annotated text are short, 40 bytes or so, and a search that starts anew at each of them
//! spends its time on starting. Here a block is compared 64 bytes at a time, and the ends fall out
//! of one bit mask.

use wide::u8x16;

/// Calls `each` with every line of `block`, without its `\n`. A last line without `\n` counts; an
/// empty rest after the last `\n` does not.
#[inline]
pub(super) fn each_line<E>(
    block: &[u8],
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
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

/// A bit for each place where the chunk has `byte`.
#[inline]
fn positions(chunk: &[u8; 64], byte: u8) -> u64 {
    let wanted = u8x16::splat(byte);
    let (quarters, _) = chunk.as_chunks::<16>();
    let mut mask = 0;
    for (place, quarter) in quarters.iter().enumerate() {
        let equal = u8x16::new(*quarter).simd_eq(wanted).to_bitmask();
        mask |= u64::from(equal & 0xFFFF) << (16 * place);
    }
    mask
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
                let _: std::result::Result<(), ()> = each_line(&block, |line| {
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
}
