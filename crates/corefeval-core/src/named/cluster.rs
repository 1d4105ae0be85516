//! Clusters names that refer to the same entity: the entities of the approximated key.
//!
//! Only names of the same type are compared. Each spelling is compared with spellings that share a word, an acronym or
//! the first letters, which avoids a quadratic number of comparisons. Spellings that a heuristic relates are joined
//! (union-find). A short name that is part of longer names of different entities joins the nearest one before it,
//! otherwise the first one after it: "Smith" after "John Smith" and, later, after "Mary Smith".

use std::collections::BTreeMap;

use corefeval_metrics::Closure;

use super::rules::{self, SUFFIXES, TITLES};
use crate::heuristics::{Heuristic, Heuristics};

/// The minimum similarity for similar spellings.
const ALIKE: f64 = 0.93;

/// The minimum number of letters for comparing spellings by similarity.
const SHORTEST: usize = 6;

/// The largest number of pairs of spellings to compare in a document; see `docs/limits.md`.
pub(super) const MOST_PAIRS_OF_NAMES: u64 = 10_000_000;

/// Returns whether two spellings refer to the same entity by one heuristic.
fn relates(heuristic: Heuristic, a: &Spelling, b: &Spelling) -> bool {
    match heuristic {
        Heuristic::Exact => a.words == b.words,
        Heuristic::Word => is_within(&a.content, &b.content) || is_within(&b.content, &a.content),
        Heuristic::Initials => initials(a, b),
        Heuristic::Acronym => a.is_acronym_of(b) || b.is_acronym_of(a),
        Heuristic::Title => (a.words != a.content || b.words != b.content) && a.content == b.content,
        Heuristic::Parts => {
            let both = a.content.len() > 1 && b.content.len() > 1;
            both && a.content.first() == b.content.first() && a.content.last() == b.content.last()
        }
        Heuristic::Similar => {
            let long = |name: &Spelling| name.joined.chars().count() >= SHORTEST;
            long(a)
                && long(b)
                && a.begin() == b.begin()
                && strsim::jaro_winkler(&a.joined, &b.joined) >= ALIKE
        }
    }
}

/// A spelling of a name.
#[derive(Clone, Debug)]
struct Spelling {
    /// The words in lower case, without articles, possessives and full stops.
    words: Vec<String>,
    /// The words that are not titles or suffixes; all words if none remains.
    content: Vec<String>,
    /// The content as one string.
    joined: String,
    /// The capital letters, if the name is one word of capitals.
    acronym: Option<String>,
    /// The first letters of its capitalised words, with and without suffixes.
    letters: [String; 2],
}

impl Spelling {
    fn new(forms: &[&str]) -> Spelling {
        let mut light = forms.iter().filter(|form| !rules::is_light(form)).copied().collect::<Vec<_>>();
        if light.is_empty() {
            light = forms.to_vec();
        }
        let words: Vec<String> =
            light.iter().map(|form| rules::bare(form)).filter(|word| !word.is_empty()).collect();
        let mut content: Vec<String> = words.clone();
        while content.len() > 1 && TITLES.contains(&content[0].as_str()) {
            content.remove(0);
        }
        let is_suffix =
            |word: &String| SUFFIXES.contains(&word.as_str()) || !word.chars().any(char::is_alphanumeric);
        while content.len() > 1 && content.last().is_some_and(is_suffix) {
            content.pop();
        }
        let acronym = match light.as_slice() {
            [one] if rules::is_acronym(one) => Some(one.replace('.', "")),
            _ => None,
        };
        let letters = |words: &[&str]| -> String {
            let first = words.iter().filter_map(|word| word.chars().next());
            first.filter(|letter| letter.is_uppercase()).collect()
        };
        let bare = light.iter().filter(|form| !is_suffix(&rules::bare(form))).copied().collect::<Vec<_>>();
        let letters = [letters(&light), letters(&bare)];
        Spelling { joined: content.join(" "), words, content, acronym, letters }
    }

    fn is_acronym_of(&self, other: &Spelling) -> bool {
        let several = other.words.len() > 1;
        several && self.acronym.as_ref().is_some_and(|acronym| other.letters.contains(acronym))
    }

    fn begin(&self) -> Option<char> {
        self.joined.chars().next()
    }
}

/// Returns whether `short` has fewer words than `long`, and all of them are in `long` in the same order.
fn is_within(short: &[String], long: &[String]) -> bool {
    let mut rest = long.iter();
    !short.is_empty() && short.len() < long.len() && short.iter().all(|word| rest.any(|other| other == word))
}

fn initials(a: &Spelling, b: &Spelling) -> bool {
    let (Some((a_last, a_first)), Some((b_last, b_first))) = (a.content.split_last(), b.content.split_last())
    else {
        return false;
    };
    let (Some(ours), Some(theirs)) = (a_first.first(), b_first.first()) else { return false };
    let one = |word: &String| word.chars().count() == 1;
    a_last == b_last
        && ours != theirs
        && (one(ours) || one(theirs))
        && ours.chars().next() == theirs.chars().next()
}

/// Returns the entity number of each name, in the order of the first names. Each name is given by its words as written
/// and its type, in the order of the text.
///
/// # Errors
/// The number of pairs of spellings to compare, if it exceeds [`MOST_PAIRS_OF_NAMES`].
pub(super) fn cluster(names: &[(Vec<&str>, &str)], heuristics: Heuristics) -> Result<Vec<u32>, u64> {
    // Spellings of a type, with the places of their names.
    let mut known: BTreeMap<(&str, Vec<String>), usize> = BTreeMap::new();
    let mut spellings: Vec<(Spelling, &str, Vec<usize>)> = Vec::new();
    for (place, (forms, kind)) in names.iter().enumerate() {
        let spelling = Spelling::new(forms);
        // The same letters in capitals may be an acronym or a word.
        let mut key = spelling.words.clone();
        key.extend(spelling.acronym.clone());
        key.extend(spelling.letters[0].chars().next().map(|_| spelling.letters[0].clone()));
        let number = *known.entry((*kind, key)).or_insert_with(|| {
            spellings.push((spelling, *kind, Vec::new()));
            spellings.len() - 1
        });
        spellings[number].2.push(place);
    }
    let candidates = candidates(&spellings)?;
    let by_word = heuristics.contains(Heuristic::Word);
    let mut groups = Closure::new(spellings.len());
    let mut longer: Vec<Vec<usize>> = vec![Vec::new(); spellings.len()];
    for &(one, other) in &candidates {
        let (one, other) = (one as usize, other as usize);
        let (a, b) = (&spellings[one].0, &spellings[other].0);
        if heuristics.iter().any(|one| one != Heuristic::Word && relates(one, a, b)) {
            groups.join(one, other);
        } else if by_word && is_within(&a.content, &b.content) {
            longer[one].push(other);
        } else if by_word && is_within(&b.content, &a.content) {
            longer[other].push(one);
        }
    }
    // Short names join longer ones that already form one entity, the longest first.
    let mut order: Vec<usize> = (0..spellings.len()).filter(|&place| !longer[place].is_empty()).collect();
    order.sort_by_key(|&place| (std::cmp::Reverse(spellings[place].0.content.len()), place));
    let mut doubtful: Vec<bool> = vec![false; spellings.len()];
    for short in order {
        let first = groups.find(longer[short][0]);
        match longer[short].iter().all(|&long| groups.find(long) == first) {
            true => groups.join(short, first),
            false => doubtful[short] = true,
        }
    }
    // Names are processed one by one: `exact` joins names with the same spelling; otherwise heuristics join them
    // through other names.
    let exact = heuristics.contains(Heuristic::Exact);
    let mut of_names = Closure::new(names.len());
    let mut first_of_group: BTreeMap<usize, usize> = BTreeMap::new();
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for place in 0..spellings.len() {
        *sizes.entry(groups.find(place)).or_default() += 1;
    }
    for (place, (_, _, places)) in spellings.iter().enumerate().filter(|(place, _)| !doubtful[*place]) {
        let group = groups.find(place);
        if !exact && sizes[&group] == 1 {
            continue;
        }
        for &name in places {
            of_names.join(name, *first_of_group.entry(group).or_insert(name));
        }
    }
    for (short, (_, _, places)) in spellings.iter().enumerate().filter(|(place, _)| doubtful[*place]) {
        let mut others: Vec<usize> =
            longer[short].iter().flat_map(|&long| spellings[long].2.iter().copied()).collect();
        others.sort_unstable();
        for &name in places {
            let after = others.partition_point(|&other| other < name);
            let near =
                after.checked_sub(1).or((after < others.len()).then_some(after)).map(|place| others[place]);
            near.into_iter().for_each(|near| of_names.join(name, near));
        }
    }
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let number = |name: usize| {
        let next = numbers.len() as u32;
        *numbers.entry(of_names.find(name)).or_insert(next)
    };
    Ok((0..names.len()).map(number).collect())
}

/// Returns the pairs of spellings of the same type that share a word, an acronym or their first two letters, each once,
/// in order. Fails with their number if it exceeds the limit.
fn candidates(spellings: &[(Spelling, &str, Vec<usize>)]) -> Result<Vec<(u32, u32)>, u64> {
    let mut buckets: BTreeMap<(&str, String), Vec<u32>> = BTreeMap::new();
    for (place, (spelling, kind, _)) in (0..).zip(spellings) {
        let words = spelling.words.iter().chain(&spelling.content).map(|word| format!("w{word}"));
        let acronyms = spelling.acronym.iter().chain(&spelling.letters).filter(|letters| letters.len() > 1);
        let acronyms = acronyms.map(|letters| format!("a{letters}"));
        // Similar spellings have the same first letters and nearly the same length.
        let begin: String = spelling.joined.chars().take(2).collect();
        let mut keys: Vec<String> = words.chain(acronyms).chain([format!("b{begin}")]).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            buckets.entry((*kind, key)).or_default().push(place);
        }
    }
    let count: u64 = buckets.values().map(|places| places.len() as u64 * (places.len() as u64 - 1) / 2).sum();
    if count > MOST_PAIRS_OF_NAMES {
        return Err(count);
    }
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for places in buckets.values() {
        for (number, &one) in places.iter().enumerate() {
            pairs.extend(places[number + 1..].iter().map(|&other| (one, other)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "exact,word,initials,acronym,title,parts,similar";

    /// Returns the entities of names given as `Name/TYPE`.
    fn entities(names: &str, heuristics: &str) -> Vec<u32> {
        let names: Vec<(Vec<&str>, &str)> = names
            .split("; ")
            .map(|name| {
                let (forms, kind) = name.split_once('/').unwrap_or((name, "PER"));
                (forms.split(' ').collect(), kind)
            })
            .collect();
        cluster(&names, Heuristics::parse(heuristics).unwrap()).unwrap()
    }

    #[test]
    fn too_many_pairs_of_names_are_counted_and_not_compared() {
        let forms: Vec<String> = (0..4_500).map(|number| format!("Al{number}")).collect();
        let names: Vec<(Vec<&str>, &str)> = forms.iter().map(|form| (vec![form.as_str()], "PER")).collect();
        assert_eq!(cluster(&names, Heuristics::default()), Err(4_500 * 4_499 / 2));
    }

    /// Each heuristic alone relates its example, and all others together do not.
    #[test]
    fn each_heuristic_can_be_switched() {
        for (id, names) in [
            ("exact", "The Alma; alma 's"),
            ("word", "the Hamre Line; Hamre"),
            ("initials", "I. Moe; Ingrid Moe"),
            ("acronym", "U.N.; United Nations"),
            ("title", "Dr. Moe; Moe"),
            ("parts", "Ingrid Karin Moe; Ingrid Marie Moe"),
            ("similar", "Skarvoy; Skarvøy"),
        ] {
            assert_eq!(entities(names, id), [0, 0], "{id}");
            assert_eq!(entities(names, ALL), [0, 0], "{id}");
            let others: Vec<&str> = ALL.split(',').filter(|other| *other != id).collect();
            if id != "title" && id != "exact" {
                assert_eq!(entities(names, &others.join(",")), [0, 1], "{id}");
            }
        }
        assert_eq!(entities("Dr. Moe; Moe", "exact,initials,acronym,parts,similar"), [0, 1]);
        assert_eq!(entities("Alma; Alma", "initials,acronym,parts,title"), [0, 1]);
    }

    #[test]
    fn types_keep_names_apart() {
        assert_eq!(entities("Hamre/PER; Hamre/ORG; Hamre/PER", ALL), [0, 1, 0]);
    }

    #[test]
    fn an_ambiguous_short_name_joins_the_nearest() {
        let names = "Smith; John Smith; Smith; Mary Smith; Smith; John; Smith";
        assert_eq!(entities(names, ALL), [0, 0, 0, 1, 1, 0, 1]);
        assert_eq!(entities("John Smith; Smith; J. Smith", ALL), [0, 0, 0]);
    }

    #[test]
    fn unlike_names_stay_separate() {
        assert_eq!(entities("Ingrid Moe; Olav Berge; Lindau; Linda", ALL), [0, 1, 2, 3]);
        assert_eq!(entities("New York; New Jersey", ALL), [0, 1]);
        assert_eq!(entities("Ivar Moe; Ingrid Moe", ALL), [0, 1]);
    }
}
