//! A small source of pseudo-random numbers, the same on every machine.
//!
//! Uses only whole-number arithmetic and IEEE division, not the platform's mathematical functions, so that files made
//! from a seed have the same bytes everywhere.

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct Random {
    state: u64,
}

impl Random {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, and not including, `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        assert!(limit > 0, "no number lies below zero");
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// Returns a number from 0 up to, and not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns `percent` percent of `count`, rounded up or down at random so that the mean is exact.
    pub fn share(&mut self, count: usize, percent: usize) -> usize {
        (count * percent + self.below(100)) / 100
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values published with the algorithm for seed 1234567.
    #[test]
    fn agrees_with_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn stays_in_range() {
        let mut random = Random::new(1);
        for limit in 1..200 {
            assert!(random.below(limit) < limit);
            assert!((0.0..1.0).contains(&random.unit()));
            assert!(random.share(limit, 12).abs_diff(limit * 12 / 100) <= 1);
        }
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(1).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..100));
    }
}
