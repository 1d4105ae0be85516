//! Numbers values that are adjacent in memory: equal values get the same number.

use pyo3::PyErr;
use rustc_hash::FxHashMap;

use crate::key_table::{BLOCK, TextTable};

/// The reason why values cannot be numbered.
#[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "only Arrow returns it"))]
pub enum Fault {
    /// A Python exception that the object raised.
    Raised(PyErr),
    /// The data violates the interface, or an error occurred.
    Unreadable(String),
    /// A table of columns with these names.
    Table(Vec<String>),
    /// Values of a type that cannot be labels.
    Type(String),
    /// A label that is null, or not a number.
    Missing(usize),
    /// More values than numbers.
    TooMany,
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Fault {
        Fault::Raised(error)
    }
}

/// Numbers, or the reason why there are none.
pub type Result<T> = std::result::Result<T, Fault>;

/// A placeholder for missing values and for values that are not equal to themselves.
pub const MISSING: u32 = u32::MAX;

/// A number for each value, in the order of first occurrences.
pub struct ValueNumbers {
    /// The numbers.
    pub numbers: Vec<u32>,
    /// The number of distinct numbers.
    pub count: u32,
}

/// Renumbers in the order of first occurrences; no number may be [`MISSING`].
pub fn ordered(mut numbers: Vec<u32>) -> ValueNumbers {
    // Numbers from a lookup are in order already; checking this is faster than renumbering.
    let (mut next, mut in_order, mut most) = (0, true, 0);
    for &number in &numbers {
        in_order &= number <= next;
        next += u32::from(number == next);
        most = most.max(number as usize);
    }
    if in_order {
        return ValueNumbers { numbers, count: next };
    }
    let (mut known, mut count) = (vec![MISSING; most + 1], 0);
    for number in &mut numbers {
        let new = &mut known[*number as usize];
        if *new == MISSING {
            *new = count;
            count += 1;
        }
        *number = *new;
    }
    ValueNumbers { numbers, count }
}

/// Numbers values of a fixed width in bytes, in pieces; `None` for an unsupported width.
///
/// Floats that are not a number are missing, and the two zeros are equal.
pub fn fixed(pieces: &[&[u8]], width: usize, float: bool) -> Option<Vec<u32>> {
    Some(match (width, float) {
        (0, _) => return None,
        (2, true) => floats(pieces, |bits| u16::from_ne_bytes(bits).into(), 0x7C00, 1 << 15),
        (4, true) => floats(pieces, |bits| u32::from_ne_bytes(bits).into(), 0x7F80_0000, 1 << 31),
        (8, true) => floats(pieces, u64::from_ne_bytes, 0x7FF0_0000_0000_0000, 1 << 63),
        // Values are compared only with each other, so signedness does not matter.
        (1, _) => integers(pieces, |bytes| i8::from_ne_bytes(bytes).into()),
        (2, _) => integers(pieces, |bytes| i16::from_ne_bytes(bytes).into()),
        (4, _) => integers(pieces, |bytes| i32::from_ne_bytes(bytes).into()),
        (8, _) => integers(pieces, i64::from_ne_bytes),
        _ => texts(pieces.iter().flat_map(|piece| piece.chunks_exact(width)).map(Some))?,
    })
}

fn integers<const WIDTH: usize>(pieces: &[&[u8]], of: impl Fn([u8; WIDTH]) -> i64) -> Vec<u32> {
    let pieces = pieces.iter().map(|piece| piece.as_chunks::<WIDTH>().0);
    let count: usize = pieces.clone().map(<[_]>::len).sum();
    let values = || pieces.clone().flatten().map(|bytes| of(*bytes));
    let (least, most) =
        values().fold((i64::MAX, i64::MIN), |(least, most), value| (least.min(value), most.max(value)));
    let mut numbers = Vec::with_capacity(count);
    // Most labels are small numbers, which need no lookup.
    let range = most.wrapping_sub(least) as u64;
    if range < 4 * count as u64 && range < u64::from(MISSING) {
        numbers.extend(values().map(|value| value.wrapping_sub(least) as u32));
        return numbers;
    }
    let mut known = FxHashMap::default();
    numbers.extend(values().map(|value| {
        let next = known.len() as u32;
        *known.entry(value).or_insert(next)
    }));
    numbers
}

/// Numbers floats by their bits: a value above `infinite` without its `sign` is not a number.
fn floats<const WIDTH: usize>(
    pieces: &[&[u8]],
    of: impl Fn([u8; WIDTH]) -> u64,
    infinite: u64,
    sign: u64,
) -> Vec<u32> {
    let mut known: FxHashMap<u64, u32> = FxHashMap::default();
    let values = pieces.iter().flat_map(|piece| piece.as_chunks::<WIDTH>().0).map(|bytes| of(*bytes));
    let numbers = values.map(|bits| {
        if bits & !sign > infinite {
            return MISSING;
        }
        let next = known.len() as u32;
        *known.entry(if bits == sign { 0 } else { bits }).or_insert(next)
    });
    numbers.collect()
}

/// Numbers texts; `None` if a text is missing.
pub fn texts<'t>(mut texts: impl Iterator<Item = Option<&'t [u8]>>) -> Option<Vec<u32>> {
    let mut numbers = Vec::with_capacity(texts.size_hint().0);
    let (mut known, mut block) = (TextTable::default(), Vec::with_capacity(BLOCK));
    loop {
        block.clear();
        for text in texts.by_ref().take(BLOCK) {
            block.push(text?);
        }
        if block.is_empty() {
            return Some(numbers);
        }
        known.number(&block, &mut numbers);
    }
}
