//! Generates pseudo-random numbers, with a stream for each resample, so that any thread can make any resample.
//!
//! A stream is SplitMix64 (Steele, Lea and Flood 2014): its n-th number is `mix(start + n γ)`, a function of a counter,
//! with γ = 0x9e3779b97f4a7c15. Streams start at `mix(mix(seed + purpose γ) + resample)`. Only whole numbers are used,
//! so that every machine generates the same numbers.

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The purpose of a stream; equal resamples for different purposes have different streams.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Drawing documents.
    Bootstrap = 1,
    /// Swapping documents.
    Randomization = 2,
    /// The stream that draws systems.
    Systems = 4,
}

/// A stream of numbers.
pub(crate) struct Stream {
    state: u64,
}

impl Stream {
    /// Creates the stream of one resample.
    pub(crate) fn new(seed: u64, purpose: Purpose, resample: u64) -> Stream {
        let base = mix(seed.wrapping_add(GAMMA.wrapping_mul(purpose as u64)));
        Stream { state: mix(base.wrapping_add(resample)) }
    }

    /// Returns the next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// Returns a number from 0 up to, and excluding, `limit`. A number is too likely by at most `limit` / 2⁶⁴.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }
}

/// Applies the finalizer of SplitMix64, a permutation of the 64-bit numbers.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values published with the algorithm for seed 1234567.
    #[test]
    fn agrees_with_the_published_sequence() {
        let mut stream = Stream { state: 1_234_567 };
        let first: Vec<u64> = (0..3).map(|_| stream.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn streams_differ_and_cover_their_range() {
        let first = |seed, purpose, resample| Stream::new(seed, purpose, resample).bits();
        let one = first(1, Purpose::Bootstrap, 0);
        assert_ne!(one, first(2, Purpose::Bootstrap, 0));
        assert_ne!(one, first(1, Purpose::Randomization, 0));
        assert_ne!(one, first(1, Purpose::Bootstrap, 1));
        // The first number of each of 7,000 streams: each of seven values about a thousand times.
        let mut seen = [0; 7];
        (0..7_000).for_each(|resample| seen[Stream::new(1, Purpose::Bootstrap, resample).below(7)] += 1);
        assert!(seen.iter().all(|count| (900..1_100).contains(count)), "{seen:?}");
    }
}
