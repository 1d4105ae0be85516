//! Adds up fractions exactly, for the counts of metrics.
//!
//! B³, CEAF φ4 and LEA add fractions with small denominators (entity sizes). With floating-point
//! numbers, the last digits would depend on the order of documents and threads. A [`FractionSum`]
//! adds fractions exactly and becomes a floating-point number once, at the end.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

/// The limit below which denominators have a fixed place.
const SMALL: usize = 64;

/// The small denominators by place. The first one is never used.
const DENOMINATORS: [u8; SMALL] = {
    let mut all = [u8::MAX; SMALL];
    let mut place = 1;
    while place < SMALL {
        all[place] = place as u8;
        place += 1;
    }
    all
};

/// The limit above which fractions are reduced to lowest terms.
const LARGE: u64 = 1 << 16;

/// Marks a byte of a packed number that is followed by others.
const MORE: u8 = 0x80;

/// Appends a number, seven bits per byte, the lowest bits first.
fn pack_number(mut number: u128, bytes: &mut Vec<u8>) {
    while number >= u128::from(MORE) {
        bytes.push(number as u8 | MORE);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads the number that [`pack_number`] wrote.
fn unpack_number(bytes: &mut &[u8]) -> u128 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = take_byte(bytes);
        number |= u128::from(byte & !MORE) << shift;
        if byte & MORE == 0 || shift > 112 {
            return number;
        }
        shift += 7;
    }
}

/// Takes the first byte; 0 at the end.
fn take_byte(bytes: &mut &[u8]) -> u8 {
    bytes.split_off_first().copied().unwrap_or_default()
}

/// A sum of fractions that is exact for any order of addition.
///
/// ```
/// use corefeval_metrics::fraction::FractionSum;
/// let mut sum = FractionSum::default();
/// sum.add_fraction(1, 3);
/// sum.add_fraction(1, 6);
/// assert_eq!(sum.to_ratio(), Some((1, 2)));
/// assert_eq!(sum.to_f64(), 0.5);
/// ```
#[derive(Clone, Default)]
pub struct FractionSum {
    whole: i128,
    /// The sum of the fractions below 1; `None` if only integers were added, as in most counts.
    proper: Option<Box<ProperFractions>>,
}

/// A sum of fractions below 1 with at most one for each denominator.
#[derive(Clone, Debug)]
struct ProperFractions {
    /// The numerators of small denominators, by denominator; each numerator is below its
    /// denominator. Most denominators are small.
    small: [u8; SMALL],
    /// The terms with larger denominators, by denominator, ascending; each numerator is above 0 and
    /// below its denominator.
    large: Vec<Term>,
}

impl Default for ProperFractions {
    fn default() -> ProperFractions {
        ProperFractions { small: [0; SMALL], large: Vec::new() }
    }
}

impl ProperFractions {
    /// Adds a fraction. Returns the whole that it completes: 0 or 1.
    fn add(&mut self, part: Term) -> i128 {
        if part.denominator < SMALL as u64 {
            let numerator = &mut self.small[part.denominator as usize];
            let sum = u64::from(*numerator) + part.numerator;
            let carries = sum >= part.denominator;
            *numerator = if carries { sum - part.denominator } else { sum } as u8;
            return carries.into();
        }
        let carry = |numerator: u64| -> (i128, u64) {
            let sum = u128::from(numerator) + u128::from(part.numerator);
            let denominator = u128::from(part.denominator);
            if sum >= denominator { (1, (sum - denominator) as u64) } else { (0, sum as u64) }
        };
        match self.large.binary_search_by_key(&part.denominator, |p| p.denominator) {
            Err(place) => {
                self.large.insert(place, part);
                0
            }
            Ok(place) => {
                let (whole, rest) = carry(self.large[place].numerator);
                if rest == 0 {
                    self.large.remove(place);
                } else {
                    self.large[place].numerator = rest;
                }
                whole
            }
        }
    }

    /// Adds another sum. Returns the whole that is completed.
    fn add_all(&mut self, other: &ProperFractions) -> i128 {
        let mut carried = 0;
        for (denominator, (ours, theirs)) in DENOMINATORS.iter().zip(self.small.iter_mut().zip(&other.small))
        {
            let sum = *ours + theirs;
            let carries = sum >= *denominator;
            carried += u8::from(carries);
            *ours = if carries { sum - denominator } else { sum };
        }
        other.large.iter().fold(i128::from(carried), |carried, &part| carried + self.add(part))
    }

    /// Returns the fractions, by denominator, ascending.
    fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        // Most numerators are 0, so eight are skipped at once.
        let (eights, _) = self.small.as_chunks::<8>();
        let eights = (0..).step_by(8).zip(eights).filter(|(_, eight)| u64::from_le_bytes(**eight) != 0);
        let small = eights.flat_map(|(first, eight)| {
            let terms = (first..).zip(eight).filter(|(_, numerator)| **numerator > 0);
            terms.map(|(denominator, &numerator)| Term { denominator, numerator: numerator.into() })
        });
        small.chain(self.large.iter().copied())
    }
}

#[derive(Clone, Copy, Debug)]
struct Term {
    denominator: u64,
    numerator: u64,
}

impl Term {
    /// Returns the first 60 bits after the point, and the next 60.
    #[inline]
    fn digits(self) -> (u64, u64) {
        let Term { denominator, mut numerator } = self;
        if denominator < 1 << 33 {
            // Divisions of 64 bits take a fraction of the time of divisions of 128 bits.
            let mut next = || {
                let scaled = numerator << 30;
                numerator = scaled % denominator;
                scaled / denominator
            };
            let [a, b, c, d] = std::array::from_fn(|_| next());
            return (a << 30 | b, c << 30 | d);
        }
        let wide = u128::from(denominator);
        let scaled = u128::from(numerator) << 60;
        ((scaled / wide) as u64, (((scaled % wide) << 60) / wide) as u64)
    }
}

impl FractionSum {
    /// Creates the integer `whole`.
    pub fn integer(whole: i128) -> FractionSum {
        FractionSum { whole, proper: None }
    }

    /// Adds an integer.
    #[inline]
    pub fn add_integer(&mut self, whole: i128) {
        self.whole += whole;
    }

    /// Adds `numerator / denominator`. Panics if the denominator is 0.
    #[inline]
    pub fn add_fraction(&mut self, numerator: u128, denominator: u64) {
        let wide = u128::from(denominator);
        let rest = if numerator < wide {
            numerator as u64
        } else if let Ok(narrow) = u64::try_from(numerator) {
            self.whole += i128::from(narrow / denominator);
            narrow % denominator
        } else {
            self.whole += (numerator / wide) as i128;
            (numerator % wide) as u64
        };
        if rest == 0 {
            return;
        }
        // Large denominators are common denominators of many fractions. In lowest terms they coincide with
        // others, and the list stays short.
        let shared = if denominator > LARGE { gcd(rest.into(), wide) as u64 } else { 1 };
        self.add_part(Term { denominator: denominator / shared, numerator: rest / shared });
    }

    fn add_part(&mut self, part: Term) {
        self.whole += self.proper.get_or_insert_default().add(part);
    }

    /// Adds a ratio.
    pub fn add_ratio(&mut self, ratio: Ratio) {
        self.add_fraction(ratio.numerator, ratio.denominator);
    }

    /// Returns the proper fractions, by denominator, ascending.
    fn parts(&self) -> impl Iterator<Item = Term> + '_ {
        self.proper.iter().flat_map(|proper| proper.terms())
    }

    /// Returns the whole part, and the proper fractions as numerators and denominators.
    pub fn terms(&self) -> (i128, impl Iterator<Item = (u64, u64)> + '_) {
        (self.whole, self.parts().map(|part| (part.numerator, part.denominator)))
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &FractionSum) {
        self.whole += other.whole;
        match (&mut self.proper, &other.proper) {
            (_, None) => {}
            (ours @ None, theirs) => ours.clone_from(theirs),
            (Some(ours), Some(theirs)) => self.whole += ours.add_all(theirs),
        }
    }

    /// Adds another sum, multiplied by an integer.
    ///
    /// ```
    /// use corefeval_metrics::fraction::FractionSum;
    /// let [mut sum, mut half] = [(); 2].map(|()| FractionSum::integer(1));
    /// half.add_fraction(1, 2);
    /// sum.add_times(&half, 3);
    /// assert_eq!(sum.to_ratio(), Some((11, 2)));
    /// ```
    pub fn add_times(&mut self, other: &FractionSum, times: u64) {
        if other.whole != 0 {
            self.whole += other.whole * i128::from(times);
        }
        // Most sums are integers.
        let Some(proper) = &other.proper else { return };
        for Term { numerator, denominator } in proper.terms() {
            self.add_fraction(u128::from(numerator) * u128::from(times), denominator);
        }
    }

    /// Subtracts another sum.
    pub fn subtract(&mut self, other: &FractionSum) {
        self.whole -= other.whole;
        for Term { numerator, denominator } in other.parts() {
            self.whole -= 1;
            self.add_part(Term { numerator: denominator - numerator, denominator });
        }
    }

    /// Appends the whole sum to `text`: `2`, `2+1/3+5/67`.
    pub fn write(&self, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", self.whole);
        for Term { numerator, denominator } in self.parts() {
            let _ = write!(text, "+{numerator}/{denominator}");
        }
    }

    /// Parses a sum that [`write`](Self::write) wrote. Returns `None` for any other text.
    pub fn read(text: &str) -> Option<FractionSum> {
        let mut parts = text.split('+');
        let mut sum = FractionSum::integer(parts.next()?.parse().ok()?);
        let mut last = 0;
        for part in parts {
            let (numerator, denominator) = part.split_once('/')?;
            let part = Term { numerator: numerator.parse().ok()?, denominator: denominator.parse().ok()? };
            if part.numerator == 0 || part.numerator >= part.denominator || part.denominator <= last {
                return None;
            }
            last = part.denominator;
            sum.add_part(part);
        }
        Some(sum)
    }

    /// Appends the whole sum to `bytes`. A whole number from -32 to 31 takes one byte.
    pub(crate) fn pack(&self, bytes: &mut Vec<u8>) {
        // Maps small numbers of either sign to small unsigned numbers.
        let whole = ((self.whole << 1) ^ (self.whole >> 127)) as u128;
        let mut parts = self.parts().peekable();
        let first = (whole as u8 & 0x3f) << 1 | u8::from(parts.peek().is_some());
        match whole >> 6 {
            0 => bytes.push(first),
            rest => {
                bytes.push(first | MORE);
                pack_number(rest, bytes);
            }
        }
        if parts.peek().is_some() {
            for Term { denominator, numerator } in parts {
                pack_number(denominator.into(), bytes);
                pack_number(numerator.into(), bytes);
            }
            bytes.push(0);
        }
    }

    /// Reads the sum that [`pack`](Self::pack) wrote from the start of `bytes`.
    pub(crate) fn unpack(bytes: &mut &[u8]) -> FractionSum {
        let first = take_byte(bytes);
        let mut whole = u128::from(first >> 1 & 0x3f);
        if first & MORE > 0 {
            whole |= unpack_number(bytes) << 6;
        }
        let mut sum = FractionSum::integer((whole >> 1) as i128 ^ -((whole & 1) as i128));
        if first & 1 > 0 {
            while let denominator @ 1.. = unpack_number(bytes) as u64 {
                sum.add_part(Term { denominator, numerator: unpack_number(bytes) as u64 });
            }
        }
        sum
    }

    /// Returns whether the sum is 0.
    pub fn is_zero(&self) -> bool {
        self.whole == 0 && self.parts().next().is_none()
    }

    /// Returns the sum as an integer, if it is one.
    pub fn to_integer(&self) -> Option<i128> {
        match self.to_ratio() {
            Some((numerator, 1)) => Some(numerator),
            _ => None,
        }
    }

    /// Returns numerator and denominator in lowest terms, or `None` if the common denominator does not fit 126 bits.
    pub fn to_ratio(&self) -> Option<(i128, i128)> {
        let (mut numerator, mut denominator) = (0u128, 1u128);
        for part in self.parts() {
            let other = u128::from(part.denominator);
            let common = gcd(denominator, other);
            let next = denominator.checked_mul(other / common).filter(|&n| n < 1 << 126)?;
            numerator = numerator
                .checked_mul(next / denominator)?
                .checked_add(u128::from(part.numerator).checked_mul(next / other)?)?;
            let shared = gcd(numerator, next);
            numerator /= shared;
            denominator = next / shared;
        }
        let numerator = i128::try_from(numerator).ok()?;
        let denominator = i128::try_from(denominator).ok()?;
        let total = self.whole.checked_mul(denominator)?.checked_add(numerator)?;
        Some((total, denominator))
    }

    /// Returns the sum as a floating-point number. The fractions are added to 2⁻⁶³ with exact
    /// remainders carried along, so that equal sums give equal numbers and an integer sum is exact.
    pub fn to_f64(&self) -> f64 {
        if self.parts().next().is_none() {
            return self.whole as f64;
        }
        // Each part is truncated to 2⁻¹²⁰ in two steps of 60 bits. The total error of a thousand
        // million parts is then below 2⁻⁹⁰, far below the precision of a double.
        let (mut high, mut low) = (0u128, 0u128);
        for part in self.parts() {
            let (first, second) = part.digits();
            high += u128::from(first);
            low += u128::from(second);
        }
        high += low >> 60;
        low &= (1 << 60) - 1;
        // A sum within 2⁻⁸⁰ of a multiple of 2⁻⁶⁰ is that multiple: 1/3 + 2/3 are truncated just below 1.
        if low >= (1 << 60) - (1 << 40) {
            high += 1;
            low = 0;
        } else if low < 1 << 40 {
            low = 0;
        }
        let whole = self.whole + (high >> 60) as i128;
        let fraction = (high & ((1 << 60) - 1)) as f64 + low as f64 / (1u64 << 60) as f64;
        whole as f64 + fraction / (1u64 << 60) as f64
    }
}

/// A non-negative number as a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u128,
    denominator: u64,
}

/// The integer that represents 1 if a denominator is too large.
pub(crate) const FIXED_POINT: u64 = 1 << 62;

impl Ratio {
    /// The number 0.
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };

    /// The number 1.
    pub const ONE: Ratio = Ratio { numerator: 1, denominator: 1 };

    /// Creates `numerator / denominator`; `None` if the denominator is 0.
    ///
    /// ```
    /// use corefeval_metrics::fraction::Ratio;
    /// assert_eq!(Ratio::new(2, 6), Ratio::new(1, 3));
    /// assert_eq!(Ratio::new(1, 0), None);
    /// ```
    pub fn new(numerator: u64, denominator: u64) -> Option<Ratio> {
        (denominator > 0).then(|| Ratio::nearest(numerator.into(), denominator.into()))
    }

    /// Returns `numerator / denominator` of numbers below 2¹²⁶, and 0 for `0 / 0`. The result is exact if
    /// the denominator in lowest terms fits 62 bits, otherwise the nearest multiple of 2⁻⁶².
    pub fn nearest(numerator: u128, denominator: u128) -> Ratio {
        if numerator == 0 || denominator == 0 {
            return Ratio::ZERO;
        }
        let shared = gcd(numerator, denominator);
        let (numerator, denominator) = (numerator / shared, denominator / shared);
        if let Ok(small) = u64::try_from(denominator)
            && small <= FIXED_POINT
        {
            return Ratio { numerator, denominator: small };
        }
        let (mut scaled, mut rest) = (numerator / denominator, numerator % denominator);
        for _ in 0..62 {
            (scaled, rest) = (scaled << 1, rest << 1);
            if rest >= denominator {
                (scaled, rest) = (scaled | 1, rest - denominator);
            }
        }
        Ratio { numerator: scaled + u128::from(rest << 1 >= denominator), denominator: FIXED_POINT }
    }

    /// Returns whether the ratio is at most `most`.
    pub fn is_at_most(self, most: u64) -> bool {
        self.numerator <= u128::from(most) * u128::from(self.denominator)
    }

    /// Returns the ratio as an integer multiple of 1 / `scale`, rounded to the nearest.
    pub fn times(self, scale: u64) -> u128 {
        let (whole, rest) =
            (self.numerator / u128::from(self.denominator), self.numerator % u128::from(self.denominator));
        let part = rest * u128::from(scale) + u128::from(self.denominator / 2);
        whole * u128::from(scale) + part / u128::from(self.denominator)
    }

    /// Returns the scale at which all `ratios` are integers, if it is at most 2⁶²; otherwise 2⁶².
    pub fn common_scale(ratios: impl Iterator<Item = Ratio>) -> u64 {
        let mut common = 1u64;
        for ratio in ratios {
            let shared = gcd(common.into(), ratio.denominator.into()) as u64;
            match common.checked_mul(ratio.denominator / shared).filter(|&common| common <= FIXED_POINT) {
                Some(next) => common = next,
                None => return FIXED_POINT,
            }
        }
        common
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        // Integer parts are compared first, so that the products of the rests fit.
        let parts = |ratio: &Ratio| {
            let denominator = u128::from(ratio.denominator);
            (ratio.numerator / denominator, ratio.numerator % denominator)
        };
        let ((whole, rest), (other_whole, other_rest)) = (parts(self), parts(other));
        let rests =
            || (rest * u128::from(other.denominator)).cmp(&(other_rest * u128::from(self.denominator)));
        whole.cmp(&other_whole).then_with(rests)
    }
}

/// Shows the sum as [`write`](FractionSum::write) does, so that equal terms look equal however they were added.
impl fmt::Debug for FractionSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

impl fmt::Display for FractionSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_ratio() {
            Some((whole, 1)) => write!(f, "{whole}"),
            Some((numerator, denominator)) => write!(f, "{numerator}/{denominator}"),
            None => write!(f, "{}", self.to_f64()),
        }
    }
}

/// Returns the greatest common divisor.
pub fn gcd(mut a: u128, mut b: u128) -> u128 {
    // Small numbers, the usual case, divide several times faster in 64 bits.
    while b != 0 {
        if let (Ok(small_a), Ok(small_b)) = (u64::try_from(a), u64::try_from(b)) {
            let (mut a, mut b) = (small_a, small_b);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            return u128::from(a);
        }
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the least common denominator, if it is below `limit`.
///
/// ```
/// use corefeval_metrics::fraction::common_denominator;
/// assert_eq!(common_denominator([4, 6, 3, 10].into_iter(), 1 << 80), Some(60));
/// assert_eq!(common_denominator([4, 6, 3, 10].into_iter(), 60), None);
/// ```
pub fn common_denominator(denominators: impl Iterator<Item = u64>, limit: u128) -> Option<u128> {
    let mut common = 1_u128;
    for denominator in denominators {
        // Most denominators divide it already, which is faster to find in 64 bits.
        if !u64::try_from(common).is_ok_and(|common| common.is_multiple_of(denominator)) {
            let denominator = u128::from(denominator);
            let next = common.checked_mul(denominator / gcd(common, denominator));
            common = next.filter(|&common| common < limit)?;
        }
    }
    Some(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_wide_divisions() {
        let denominators =
            [2, 3, 7, 97, 1 << 20, (1 << 33) - 1, 1 << 33, (1 << 33) + 1, u64::MAX - 58, u64::MAX];
        for denominator in denominators {
            for numerator in [1, denominator / 3, denominator / 2, denominator - 1] {
                let wide = u128::from(denominator);
                let scaled = u128::from(numerator) << 60;
                let plain = (scaled / wide, ((scaled % wide) << 60) / wide);
                let (first, second) = Term { denominator, numerator }.digits();
                assert_eq!((u128::from(first), u128::from(second)), plain, "{numerator}/{denominator}");
            }
        }
    }

    #[test]
    fn packed_sums_are_the_same() {
        let wholes = [0, 1, -1, 31, 32, -32, -33, 63, 64, 1 << 40, -(1 << 90), i128::MAX, i128::MIN];
        let denominators = [2, 3, 63, 64, 127, 128, LARGE, LARGE + 1, (1 << 33) + 1, u64::MAX];
        let mut sums: Vec<FractionSum> = wholes.into_iter().map(FractionSum::integer).collect();
        for (count, whole) in wholes.into_iter().enumerate().take(wholes.len() - 2) {
            let mut sum = FractionSum::integer(whole);
            for denominator in &denominators[..count.min(denominators.len())] {
                sum.add_fraction(u128::from(*denominator - 1), *denominator);
            }
            sums.push(sum);
        }
        let mut bytes = Vec::new();
        sums.iter().for_each(|sum| sum.pack(&mut bytes));
        let mut rest = bytes.as_slice();
        for sum in &sums {
            let unpacked = FractionSum::unpack(&mut rest);
            assert_eq!(unpacked.whole, sum.whole);
            assert!(unpacked.terms().1.eq(sum.terms().1));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn integer_sums_are_integers() {
        let mut sum = FractionSum::default();
        for denominator in [3u64, 7, 11, 13, 4_001] {
            for _ in 0..denominator {
                sum.add_fraction(1, denominator);
            }
        }
        assert_eq!(sum.to_ratio(), Some((5, 1)));
        assert_eq!(sum.to_f64(), 5.0);
        let mut split = FractionSum::default();
        split.add_fraction(1, 3);
        split.add_fraction(1, 6);
        split.add_fraction(1, 2);
        assert_eq!(split.to_integer(), Some(1));
        assert_eq!(split.to_f64(), 1.0);
    }

    #[test]
    fn order_does_not_matter() {
        let fractions: Vec<(u128, u64)> = (1..200).map(|n| (n * 7 % 31 + 1, n as u64 + 1)).collect();
        let mut forward = FractionSum::default();
        let mut backward = FractionSum::default();
        fractions.iter().for_each(|&(n, d)| forward.add_fraction(n, d));
        fractions.iter().rev().for_each(|&(n, d)| backward.add_fraction(n, d));
        assert_eq!(forward.to_f64().to_bits(), backward.to_f64().to_bits());
        let plain: f64 = fractions.iter().map(|&(n, d)| n as f64 / d as f64).sum();
        assert!((forward.to_f64() - plain).abs() < 1e-9);
    }

    #[test]
    fn ratios_are_exact_or_nearest() {
        assert_eq!(Ratio::nearest(10, 4), Ratio { numerator: 5, denominator: 2 });
        assert_eq!((Ratio::nearest(0, 0), Ratio::nearest(3, 0)), (Ratio::ZERO, Ratio::ZERO));
        // 1 / (2⁶³ + 1) has no small denominator: less than half of 2⁻⁶² rounds down, more up.
        assert_eq!(Ratio::nearest(1, (1 << 63) + 1).numerator, 0);
        assert_eq!(Ratio::nearest(3, (1 << 64) + 1).numerator, 1);
        let (third, half) = (Ratio::nearest(1, 3), Ratio::nearest(1, 2));
        assert!(third < half && Ratio::nearest(4, 3) > half);
        let scale = Ratio::common_scale([third, half].into_iter());
        assert_eq!((scale, third.times(scale), half.times(scale)), (6, 2, 3));
        let large = Ratio::nearest(1, (1 << 61) - 1);
        assert_eq!(Ratio::common_scale([third, large].into_iter()), FIXED_POINT);
        assert_eq!(half.times(FIXED_POINT), 1 << 61);
    }

    #[test]
    fn written_sums_are_read_back_and_other_text_is_rejected() {
        let mut sum = FractionSum::integer(-7);
        for (numerator, denominator) in [(1, 2), (2, 63), (5, 64), (70_000, 70_001), (1, u64::MAX)] {
            sum.add_fraction(numerator, denominator);
        }
        let mut text = String::new();
        sum.write(&mut text);
        assert_eq!(text, "-7+1/2+2/63+5/64+70000/70001+1/18446744073709551615");
        let again = FractionSum::read(&text).unwrap();
        assert_eq!(again.to_f64().to_bits(), sum.to_f64().to_bits());
        assert_eq!(format!("{again:?}"), format!("{sum:?}"));
        for wrong in ["", "x", "1+", "1+2", "1+0/3", "1+3/3", "1+1/0", "1+1/3+1/2", "1+1/3+1/3", "1 "] {
            assert!(FractionSum::read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_third_is_the_nearest_double() {
        let mut sum = FractionSum::default();
        sum.add_fraction(1, 3);
        assert_eq!(sum.to_f64(), 1.0 / 3.0);
        sum.add_fraction(11, 3);
        assert_eq!(sum.to_f64(), 4.0);
        assert_eq!(FractionSum::integer(-2).to_f64(), -2.0);
    }
}
