//! Records divided into parts that fit the cache of a core.

use corefeval_system::memory::zeros;

/// Marks the absence of a piece.
const NONE: u32 = u32::MAX;

/// Bytes divided among parts, each in the order in which they were added.
///
/// A part is a chain of pieces of one size. All parts take their pieces from the same large blocks, so a part is
/// never copied in order to grow.
pub(super) struct Parts {
    blocks: Vec<Vec<u8>>,
    /// The number of bytes of a piece, and the number of pieces of a block.
    piece: usize,
    pieces_in_block: usize,
    pieces: Vec<Piece>,
    parts: Vec<PieceChain>,
}

struct Piece {
    /// The next piece of the part.
    next: u32,
    /// The number of bytes in use, set once there is a next piece.
    taken: u32,
}

#[derive(Clone)]
struct PieceChain {
    first: u32,
    last: u32,
    /// The number of bytes in use in the last piece.
    taken: u32,
}

impl Parts {
    /// The maximum size of a record, in bytes.
    pub(super) const LARGEST: usize = 1 << 9;

    /// The maximum size of a block, in bytes.
    const BLOCK: u64 = 1 << 25;

    /// Creates `count` empty parts, for about `bytes` bytes in total.
    pub(super) fn new(count: usize, bytes: u64) -> Parts {
        let of_part = usize::try_from(bytes).unwrap_or(usize::MAX) / count.max(1);
        // The last piece of a part is half empty on average.
        let piece = (of_part / 16).clamp(Parts::LARGEST, 1 << 14).next_power_of_two();
        let block = bytes.clamp(1 << 14, Parts::BLOCK).next_power_of_two() as usize;
        let part = PieceChain { first: NONE, last: NONE, taken: piece as u32 };
        Parts {
            blocks: Vec::new(),
            piece,
            pieces_in_block: block / piece,
            pieces: Vec::new(),
            parts: vec![part; count],
        }
    }

    /// Returns the number of parts.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Appends a record: its numbers followed by a name, from one to [`LARGEST`](Self::LARGEST) bytes.
    #[inline]
    pub(super) fn push<const N: usize>(&mut self, part: usize, numbers: &[u8; N], name: &[u8]) {
        let length = N + name.len();
        if self.parts[part].taken as usize + length > self.piece {
            self.begin_piece(part);
        }
        let part = &mut self.parts[part];
        let (piece, start) = (part.last as usize, part.taken as usize);
        part.taken += length as u32;
        let place = piece % self.pieces_in_block * self.piece + start;
        let record = &mut self.blocks[piece / self.pieces_in_block][place..place + length];
        if let Some((head, rest)) = record.split_first_chunk_mut() {
            *head = *numbers;
            copy_name(name, rest);
        }
    }

    /// Starts a new piece for a part.
    #[cold]
    fn begin_piece(&mut self, part: usize) {
        let new = self.pieces.len();
        if new.is_multiple_of(self.pieces_in_block) {
            self.blocks.push(zeros(self.piece * self.pieces_in_block));
        }
        self.pieces.push(Piece { next: NONE, taken: 0 });
        let part = &mut self.parts[part];
        match self.pieces.get_mut(part.last as usize) {
            None => part.first = new as u32,
            Some(last) => *last = Piece { next: new as u32, taken: part.taken },
        }
        (part.last, part.taken) = (new as u32, 0);
    }

    /// Appends the records of a part to `whole`, one after another.
    pub(super) fn gather(&self, part: usize, whole: &mut Vec<u8>) {
        let part = &self.parts[part];
        let mut piece = part.first;
        while let Some(&Piece { next, taken }) = self.pieces.get(piece as usize) {
            let taken = if next == NONE { part.taken } else { taken } as usize;
            let start = piece as usize % self.pieces_in_block * self.piece;
            let block = &self.blocks[piece as usize / self.pieces_in_block];
            whole.extend_from_slice(&block[start..start + taken]);
            piece = next;
        }
    }
}

/// Copies a name. Names of 8 to 32 bytes take two overlapping moves instead of a call to `memcpy`.
#[inline]
fn copy_name(name: &[u8], to: &mut [u8]) {
    fn ends<const N: usize>(name: &[u8], to: &mut [u8]) -> Option<()> {
        let (first, last) = (name.first_chunk::<N>()?, name.last_chunk::<N>()?);
        *to.first_chunk_mut()? = *first;
        *to.last_chunk_mut()? = *last;
        Some(())
    }
    match name.len() {
        0 => {}
        8..16 => _ = ends::<8>(name, to),
        16..=32 => _ = ends::<16>(name, to),
        _ => to.copy_from_slice(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_records_in_order() {
        let mut parts = Parts::new(3, 100);
        let mut wanted = vec![Vec::new(); 3];
        for number in 0..20_000_u32 {
            let name: Vec<u8> =
                (0..number * 7 % (Parts::LARGEST as u32 - 3)).map(|place| (number + place) as u8).collect();
            let part = number as usize * number as usize % 3;
            parts.push(part, &number.to_le_bytes(), &name);
            wanted[part].extend(number.to_le_bytes());
            wanted[part].extend(name);
        }
        for (part, wanted) in wanted.iter().enumerate() {
            let mut found = Vec::new();
            parts.gather(part, &mut found);
            assert!(found == *wanted, "part {part}");
        }
        assert_eq!(parts.len(), 3);
    }
}
