//! Searches bytes with the wide registers of the processor.
//!
//! [`sixteen`] compares 16 bytes at once on any x86-64. Programs are compiled for all processors of an architecture,
//! and some x86-64 processors only have registers of 16 bytes and no instruction that counts bits. Nearly all
//! processors in use have registers of 32 bytes and that instruction. A [`Wide`] proves that the current processor
//! does. Code that runs within [`Wide::run`] is compiled for it, and [`Wide::find`] compares 32 bytes at once.
//!
//! Measured on whole processes (41 alternating runs of each, processor time): without wide registers, CoNLL files of
//! the size of OntoNotes take 1.05 times as long and CorefUD files 1.15 times. Crates that offer the same without
//! `unsafe` code in this crate (`pulp`, `wide`) took 146 of the 349 seconds for compiling all dependencies.

/// Returns a bit for each byte of the chunk that equals `byte`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code, reason = "instructions that every x86-64 has")]
pub fn sixteen(chunk: &[u8; 16], byte: u8) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: SSE2 is a part of x86-64, and the chunk has the 16 bytes that are loaded.
    let mask = unsafe {
        let bytes = _mm_loadu_si128(chunk.as_ptr().cast());
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8)))
    };
    u64::from(mask as u16)
}

/// Returns a bit for each byte of the chunk that equals `byte`.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn sixteen(chunk: &[u8; 16], byte: u8) -> u64 {
    sixteen_anywhere(chunk, byte)
}

/// Does the same as [`sixteen`] on any processor: eight bytes of one bit each become one byte of eight bits.
/// Reading a file takes a tenth longer than with the processor's own instructions.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn sixteen_anywhere(chunk: &[u8; 16], byte: u8) -> u64 {
    let bits: [u8; 16] = std::array::from_fn(|place| if chunk[place] == byte { 1 << (place % 8) } else { 0 });
    let (halves, _) = bits.as_chunks::<8>();
    let half = |place: usize| u64::from_le_bytes(halves[place]).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    half(0) | half(1) << 8
}

/// Proof that the processor has AVX2 and counts bits (`avx2`, `bmi1`, `bmi2`, `lzcnt`, `popcnt`).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Wide(());

/// Proof that the processor has registers of 32 bytes. It cannot exist on processors other than x86-64.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub enum Wide {}

#[cfg(target_arch = "x86_64")]
impl Wide {
    /// Checks whether the processor has the instructions. The answer is cached, so later calls cost almost nothing.
    #[inline]
    pub fn detect() -> Option<Wide> {
        let all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        all.then_some(Wide(()))
    }

    /// Runs `task`, compiled for the processor as far as it is inlined; mark its code `#[inline(always)]`.
    ///
    /// ```
    /// if let Some(wide) = corefeval_system::registers::Wide::detect() {
    ///     assert_eq!(wide.run(|| 0b1011_u64.count_ones()), 3);
    /// }
    /// ```
    #[inline]
    #[allow(unsafe_code, reason = "code for instructions that the current processor may not have")]
    pub fn run<R>(self, task: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled_for_it<R>(task: impl FnOnce() -> R) -> R {
            task()
        }
        // SAFETY: `self` exists only if `detect` found all of these features.
        unsafe { compiled_for_it(task) }
    }

    /// Returns a bit for each byte of the chunk that equals `byte`. Fast only within [`run`](Self::run).
    #[inline(always)]
    #[allow(unsafe_code, reason = "instructions that the processor may not have")]
    pub fn find(self, chunk: &[u8; 64], byte: u8) -> u64 {
        // SAFETY: `self` exists only if `detect` found the feature.
        unsafe { find(chunk, byte) }
    }
}

/// Returns a bit for each byte of the chunk that equals `byte`.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code, reason = "loads through a pointer; those from integers take twice as many instructions")]
fn find(chunk: &[u8; 64], byte: u8) -> u64 {
    use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8};
    let (halves, _) = chunk.as_chunks::<32>();
    let half = |place: usize| {
        // SAFETY: A half has the 32 bytes that are loaded.
        let bytes = unsafe { _mm256_loadu_si256(halves[place].as_ptr().cast()) };
        u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8))) as u32)
    };
    half(0) | half(1) << 32
}

#[cfg(not(target_arch = "x86_64"))]
impl Wide {
    /// Always returns `None`, because this processor is not an x86-64.
    #[inline(always)]
    pub fn detect() -> Option<Wide> {
        None
    }

    /// Runs `task`.
    #[inline(always)]
    pub fn run<R>(self, _task: impl FnOnce() -> R) -> R {
        match self {}
    }

    /// Returns a bit for each byte of the chunk that equals `byte`.
    #[inline(always)]
    pub fn find(self, _chunk: &[u8; 64], _byte: u8) -> u64 {
        match self {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Wide, sixteen, sixteen_anywhere};

    #[test]
    fn any_processor_finds_the_same_bytes() {
        for start in 0..200u8 {
            let chunk: [u8; 16] =
                std::array::from_fn(|n| start.wrapping_mul(31).wrapping_add((n * n) as u8 % 7));
            for byte in [0, start, start.wrapping_mul(31), start.wrapping_mul(31).wrapping_add(4), 255] {
                assert_eq!(sixteen_anywhere(&chunk, byte), sixteen(&chunk, byte), "{byte} in {chunk:?}");
            }
        }
    }

    #[test]
    fn the_same_places_as_a_plain_search() {
        let Some(wide) = Wide::detect() else { return };
        for start in 0..=255u8 {
            let chunk: [u8; 64] =
                std::array::from_fn(|n| start.wrapping_mul(31).wrapping_add((n * n) as u8 % 7));
            for byte in
                [0, start, start.wrapping_mul(31), start.wrapping_mul(31).wrapping_add(4), 127, 128, 255]
            {
                let plain = (0..64).filter(|&n| chunk[n] == byte).map(|n| 1 << n).sum::<u64>();
                assert_eq!(wide.run(|| wide.find(&chunk, byte)), plain, "{byte} in {chunk:?}");
                assert_eq!(wide.find(&chunk, byte), plain, "{byte} in {chunk:?}");
            }
        }
    }
}
