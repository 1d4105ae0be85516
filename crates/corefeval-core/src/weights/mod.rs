//! Weights of mentions and entities by their types, as a table given by the user.
//!
//! Luo (2005) proposes weights by mention type and by entity type as extensions of CEAF; Moosavi and Strube (2016)
//! propose them as choices of LEA's importance. A file lists them:
//!
//! ```toml
//! [mention-type]
//! NAM = 1
//! NOM = 0.5
//! PRO = 0.1
//!
//! [entity-type]
//! LOC = 0.25
//!
//! [similarity.PER]
//! ORG = 0.5
//!
//! [confusion.NAM]
//! NOM = 0.3
//!
//! [default]
//! mention-type = 1
//! entity-type = 1
//! similarity = 1
//! ```
//!
//! `similarity.PER.ORG` is the factor for a key entity of type PER and a response entity of type ORG; entities of the
//! same type are fully similar. `confusion.NAM.NOM` is w(k, r), the weight in CEAF of a key mention of type NAM aligned
//! with a response mention of type NOM; its default and maximum is the smaller of their weights. `[default]` sets the
//! weight of unlisted types; it is 1 if the file does not set it. Types are compared as written.
//!
//! Weights are decimals with four digits, stored as integers, so sums are exact. The tables that the
//! metrics use are part of the signature (`weights:mention-type.NOM=0.5,entity-type.LOC=0.25`).

mod weigh;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::{fmt, io};

use corefeval_metrics::fraction::gcd;
use toml::de::{DeTable, DeValue};

pub(crate) use self::weigh::{TypedSide, most_frequent, weigh};
use crate::ace_parameters::written;
use crate::diagnostic::Position;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{SMALL, read_small};
use crate::suggest::{nearest, one_of};

/// The number of units in a weight of 1.
const UNIT: u32 = 10_000;

/// The number of digits after the point.
const DIGITS: usize = 4;

/// The largest weight of a type.
const MOST: u32 = 100 * UNIT;

/// The tables of a file, in the order of the signature.
const TABLES: [&str; 5] = ["mention-type", "entity-type", "similarity", "default", CONFUSION];

/// The table of aligned mentions of different types.
const CONFUSION: &str = "confusion";

/// Returns whether the rows of a table name two types, the key's first.
fn is_of_pairs(table: &str) -> bool {
    table == "similarity" || table == CONFUSION
}

/// Presets: the name, a line of help, and the equivalent file.
pub static WEIGHT_PRESETS: &[(&str, &str, &str)] = &[(
    "ace",
    "names 1, nominals 0.5, pronouns 0.1, as in the evaluations of ACE",
    "[mention-type]\nNAM = 1\nNOM = 0.5\nPRO = 0.1\n",
)];

/// The weights that a user set. Clones share one table.
#[derive(Clone, PartialEq, Eq)]
pub struct Weights(Arc<WeightTable>);

/// Tables of weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightTables {
    /// The weights of mention types.
    pub(crate) mention_types: bool,
    /// The weights of entity types.
    pub(crate) entity_types: bool,
    /// The weights of pairs of types.
    pub(crate) pairs: bool,
}

/// The contents of a file, in units of [`UNIT`].
#[derive(Debug, Default, PartialEq, Eq)]
struct WeightTable {
    mention_types: BTreeMap<String, u32>,
    entity_types: BTreeMap<String, u32>,
    similarities: BTreeMap<(String, String), u32>,
    /// The confusions, by mention type of the key and of the response.
    confusions: BTreeMap<(String, String), u32>,
    /// Defaults for unlisted mention types, entity types and similarities, if the file sets them.
    defaults: [Option<u32>; 3],
    /// The unit of the mention weights, the entity weights and the similarities.
    steps: [u32; 3],
}

impl WeightTable {
    fn default_of(&self, which: usize) -> u32 {
        self.defaults[which].unwrap_or(UNIT)
    }

    /// Sets one weight from its names and its text.
    fn set(&mut self, names: &[&str], text: &str) -> Result<()> {
        let full = names.join(".");
        let most = match names {
            ["similarity", ..] | ["default", "similarity"] => UNIT,
            _ => MOST,
        };
        let weight = parse_decimal(text, most).map_err(|why| {
            let error =
                Error::new(ErrorKind::Settings, format!("`{text}` is not a weight for `{full}`: {why}"));
            error.hint(format!("weights must be between 0 and {}, with at most four decimals", decimal(most)))
        })?;
        match names {
            ["mention-type", kind] => self.mention_types.extend([((*kind).to_owned(), weight)]),
            ["entity-type", kind] => self.entity_types.extend([((*kind).to_owned(), weight)]),
            ["similarity", key, response] if key == response => {
                let error = Error::new(ErrorKind::Settings, format!("`{full}` cannot be set"));
                return Err(error.hint("entities of one type are fully similar; set entity-type instead"));
            }
            [CONFUSION, key, response] if key == response => {
                let error = Error::new(ErrorKind::Settings, format!("`{full}` cannot be set"));
                return Err(error.hint("mentions of one type are not confused; set mention-type instead"));
            }
            [CONFUSION, key, response] => {
                self.confusions.extend([(((*key).to_owned(), (*response).to_owned()), weight)]);
            }
            ["similarity", key, response] => {
                self.similarities.extend([(((*key).to_owned(), (*response).to_owned()), weight)]);
            }
            ["default", which] => match TABLES[..3].iter().position(|table| table == which) {
                Some(place) => self.defaults[place] = Some(weight),
                None => return Err(unknown("no default", which, &TABLES[..3])),
            },
            [table, ..] => return Err(unknown("no table", table, &TABLES)),
            [] => {}
        }
        Ok(())
    }

    /// Returns the finished weights.
    fn keep(mut self) -> Result<Weights> {
        if self.rows().is_empty() {
            let error = Error::new(ErrorKind::Settings, "the weights are empty");
            return Err(error.hint("list weights of types under [mention-type] or [entity-type]"));
        }
        let of = |kind: &String| self.mention_types.get(kind).copied().unwrap_or(self.default_of(0));
        let above =
            |((key, response), weight): &(&(String, String), &u32)| **weight > of(key).min(of(response));
        if let Some(((key, response), weight)) = self.confusions.iter().find(above) {
            let least = decimal(of(key).min(of(response)));
            let message = format!(
                "`confusion.{key}.{response}` is {}, above the smaller of the two weights, {least}",
                decimal(*weight)
            );
            let hint = "mentions of different types cannot count more than mentions of one type; lower it";
            return Err(Error::new(ErrorKind::Settings, message).hint(hint));
        }
        let step = |first: u32, others: &mut dyn Iterator<Item = u32>| {
            others.fold(gcd(UNIT.into(), first.into()), |step, weight| gcd(step, weight.into())) as u32
        };
        self.steps = [
            step(
                self.default_of(0),
                &mut self.mention_types.values().chain(self.confusions.values()).copied(),
            ),
            step(self.default_of(1), &mut self.entity_types.values().copied()),
            step(self.default_of(2), &mut self.similarities.values().copied()),
        ];
        Ok(Weights(Arc::new(self)))
    }

    /// Returns all entries in order: the names and the weight.
    fn rows(&self) -> Vec<(Vec<&str>, u32)> {
        let mentions = self.mention_types.iter().map(|(kind, &weight)| (vec![TABLES[0], kind], weight));
        let entities = self.entity_types.iter().map(|(kind, &weight)| (vec![TABLES[1], kind], weight));
        let similarities = self.similarities.iter();
        let similarities =
            similarities.map(|((key, response), &weight)| (vec![TABLES[2], key, response], weight));
        let confusions = self.confusions.iter();
        let confusions =
            confusions.map(|((key, response), &weight)| (vec![CONFUSION, key, response], weight));
        let defaults = TABLES.iter().zip(&self.defaults);
        let defaults = defaults.filter_map(|(which, weight)| Some((vec![TABLES[3], *which], (*weight)?)));
        mentions.chain(entities).chain(similarities).chain(confusions).chain(defaults).collect()
    }
}

fn unknown(what: &str, name: &str, names: &[&str]) -> Error {
    let hint = one_of(name, "there are", names.iter().copied());
    Error::new(ErrorKind::Settings, format!("weights have {what} `{name}`")).hint(hint)
}

/// Returns a copy of a table, or an empty one.
fn used<K: Clone + Ord>(table: &BTreeMap<K, u32>, is_used: bool) -> BTreeMap<K, u32> {
    if is_used { table.clone() } else { BTreeMap::new() }
}

impl Weights {
    /// Reads a file of weights called `source`.
    ///
    /// ```
    /// use corefeval_core::weights::Weights;
    /// let weights = Weights::read("[mention-type]\nPRO = 0.10\n[default]\nentity-type = 2", "w.toml")?;
    /// assert_eq!(weights.to_string(), "mention-type.PRO=0.1,default.entity-type=2");
    /// let error = Weights::read("[mention-type]\nPRO = -1\n", "w.toml").unwrap_err();
    /// assert!(error.to_string().starts_with("w.toml:2:1: `-1` is not a weight for `mention-type.PRO`"));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not TOML; a table or a default does not exist; a weight is outside its limits or has more than four
    /// decimals; a confusion is above the smaller of the two weights; or the file has no weights.
    pub fn read(text: &str, source: &str) -> Result<Weights> {
        let source: Arc<str> = Arc::from(source);
        let at = |error: Error, place: usize| error.at(Position::in_text(&source, text, place));
        let file = DeTable::parse(text).map_err(|error| {
            let place = error.span().map_or(0, |span| span.start);
            let message = format!("this is not TOML: {}", error.message().trim());
            at(Error::new(ErrorKind::Settings, message), place)
        })?;
        let mut table = WeightTable::default();
        for (name, rows) in file.get_ref() {
            let (name, place) = (name.get_ref().as_ref(), name.span().start);
            if !TABLES.contains(&name) {
                return Err(at(unknown("no table", name, &TABLES), place));
            }
            for (kind, value, place) in rows_of(name, rows.get_ref()).map_err(|error| at(error, place))? {
                if is_of_pairs(name) {
                    let pair = format!("{name}.{kind}");
                    for (other, value, place) in rows_of(&pair, value).map_err(|error| at(error, place))? {
                        table.set(&[name, kind, other], &number(value)).map_err(|error| at(error, place))?;
                    }
                } else {
                    table.set(&[name, kind], &number(value)).map_err(|error| at(error, place))?;
                }
            }
        }
        table.keep().map_err(|error| at(error, 0))
    }

    /// Returns the preset called `name`, if it exists.
    pub fn preset(name: &str) -> Option<Result<Weights>> {
        let (name, _, text) = WEIGHT_PRESETS.iter().find(|preset| preset.0 == name)?;
        Some(Weights::read(text, name))
    }

    /// Reads the file `path`, or returns the preset of that name.
    ///
    /// ```
    /// use corefeval_core::weights::Weights;
    /// assert_eq!(Weights::open("ace")?.to_string(), "mention-type.NAM=1,mention-type.NOM=0.5,mention-type.PRO=0.1");
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not a file of weights.
    pub fn open(path: &str) -> Result<Weights> {
        if let Some(preset) = Weights::preset(path) {
            return preset;
        }
        let text = read_small(path.as_ref(), SMALL).and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
        });
        let text = text.map_err(|error| {
            let names: Vec<&str> = WEIGHT_PRESETS.iter().map(|preset| preset.0).collect();
            Error::new(ErrorKind::Io, format!("the weights cannot be read: {error}"))
                .at(Position::new(&path.into(), 0, 0))
                .hint(format!("give a file in TOML, or one of {}", names.join(", ")))
        })?;
        Weights::read(&text, path).map_err(|error| error.of_kind(ErrorKind::Format))
    }

    /// Parses the weights of a signature.
    ///
    /// # Errors
    ///
    /// A field is not of the form `table.TYPE=weight`; a weight is outside its limits or has more than four decimals;
    /// or a confusion is above the smaller of the two weights.
    pub fn parse(text: &str) -> Result<Weights> {
        let wrong = |field: &str| {
            Error::new(ErrorKind::Settings, format!("`{field}` is not a weight"))
                .hint("weights are written mention-type.NOM=0.5,similarity.PER.ORG=0.5")
        };
        let mut table = WeightTable::default();
        for field in text.split(',') {
            let (names, weight) = field.split_once('=').ok_or_else(|| wrong(field))?;
            let names: Option<Vec<String>> = names.split('.').map(unescaped).collect();
            let names = names.ok_or_else(|| wrong(field))?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let wanted = if is_of_pairs(names[0]) { 3 } else { 2 };
            if names.len() != wanted {
                return Err(wrong(field));
            }
            table.set(&names, weight)?;
        }
        table.keep()
    }

    /// Returns all listed entries: the names (table, type and, for similarities, the other type) and the weight as a
    /// decimal. The defaults are last.
    pub fn rows(&self) -> Vec<(Vec<&str>, String)> {
        self.0.rows().into_iter().map(|(names, weight)| (names, decimal(weight))).collect()
    }

    /// Returns the entries of the tables that a metric uses; `None` without such entries.
    pub(crate) fn only(&self, tables: WeightTables) -> Option<Weights> {
        let WeightTables { mention_types, entity_types, pairs } = tables;
        let all = &*self.0;
        let [of_mentions, of_entities, of_similarity] = all.defaults;
        let table = WeightTable {
            mention_types: used(&all.mention_types, mention_types),
            entity_types: used(&all.entity_types, entity_types),
            similarities: used(&all.similarities, entity_types && pairs),
            confusions: used(&all.confusions, mention_types && pairs),
            defaults: [
                of_mentions.filter(|_| mention_types),
                of_entities.filter(|_| entity_types),
                of_similarity.filter(|_| entity_types && pairs),
            ],
            steps: all.steps,
        };
        table.keep().ok()
    }

    /// Returns whether mention types have different weights.
    pub(crate) fn lists_mention_types(&self) -> bool {
        !self.0.mention_types.is_empty() || self.confuses()
    }

    /// Returns whether entity types have different weights or similarities.
    pub(crate) fn lists_entity_types(&self) -> bool {
        !self.0.entity_types.is_empty() || self.differs_in_similarity()
    }

    /// Returns whether any two types differ in similarity.
    pub(crate) fn differs_in_similarity(&self) -> bool {
        !self.0.similarities.is_empty() || self.0.defaults[2].is_some()
    }

    /// Returns the weight of a mention type, as a multiple of 1 / [`mention_scale`](Self::mention_scale), and whether
    /// it is listed.
    pub(crate) fn of_mention(&self, kind: Option<&str>) -> (u32, bool) {
        let listed = kind.and_then(|kind| self.0.mention_types.get(kind));
        let in_pair = || {
            self.0
                .confusions
                .keys()
                .any(|pair| [&pair.0, &pair.1].map(String::as_str).map(Some).contains(&kind))
        };
        let known = listed.is_some() || self.0.mention_types.is_empty() && in_pair();
        (listed.copied().unwrap_or(self.0.default_of(0)) / self.0.steps[0], known)
    }

    /// Returns the weight of an entity type, as a multiple of 1 / [`entity_scale`](Self::entity_scale), and whether the
    /// table contains the type.
    pub(crate) fn of_entity(&self, kind: Option<&str>) -> (u32, bool) {
        let listed = kind.and_then(|kind| self.0.entity_types.get(kind));
        let in_pair = || {
            let names =
                |pair: &(String, String)| Some(pair.0.as_str()) == kind || Some(pair.1.as_str()) == kind;
            self.0.similarities.keys().any(names)
        };
        let only_pairs = self.0.entity_types.is_empty();
        let known = listed.is_some() || only_pairs && (self.0.similarities.is_empty() || in_pair());
        (listed.copied().unwrap_or(self.0.default_of(1)) / self.0.steps[1], known)
    }

    /// Returns the similarities of different types: the listed ones, by type of the key entity and type of the response
    /// entity, and the default, as multiples of 1 / [`similarity_scale`](Self::similarity_scale).
    pub(crate) fn similarities(&self) -> (impl Iterator<Item = (&str, &str, u32)>, u32) {
        let step = self.0.steps[2];
        let listed = self.0.similarities.iter();
        let listed = listed
            .map(move |((key, response), &similarity)| (key.as_str(), response.as_str(), similarity / step));
        (listed, self.0.default_of(2) / step)
    }

    /// Returns whether any pair of mention types has a weight for confusion.
    pub(crate) fn confuses(&self) -> bool {
        !self.0.confusions.is_empty()
    }

    /// Returns the listed weights of aligned mentions of different types, by the type of the key mention and of the
    /// response mention, as multiples of 1 / [`mention_scale`](Self::mention_scale).
    pub(crate) fn confusions(&self) -> impl Iterator<Item = (&str, &str, u32)> {
        let step = self.0.steps[0];
        let listed = self.0.confusions.iter();
        listed.map(move |((key, response), &weight)| (key.as_str(), response.as_str(), weight / step))
    }

    /// Returns the integer that represents a mention's weight of 1.
    pub(crate) fn mention_scale(&self) -> u32 {
        UNIT / self.0.steps[0]
    }

    /// Returns the integer that represents an entity's weight of 1.
    pub(crate) fn entity_scale(&self) -> u32 {
        UNIT / self.0.steps[1]
    }

    /// Returns the integer that represents a similarity of 1.
    pub(crate) fn similarity_scale(&self) -> u32 {
        UNIT / self.0.steps[2]
    }

    /// Returns the listed mention (or entity) type that `kind` may misspell.
    pub(crate) fn nearest_type(&self, kind: &str, of_entities: bool) -> Option<&str> {
        let types = if of_entities { &self.0.entity_types } else { &self.0.mention_types };
        nearest(kind, types.keys().map(String::as_str))
    }
}

type TomlRow<'t> = (&'t str, &'t DeValue<'t>, usize);

/// Returns the rows of a table of a file: name, value and place.
fn rows_of<'t>(name: &str, value: &'t DeValue<'t>) -> Result<Vec<TomlRow<'t>>> {
    let DeValue::Table(rows) = value else {
        let error = Error::new(ErrorKind::Settings, format!("`{name}` is not a table of weights"));
        let example = match name {
            _ if name.starts_with("similarity") => "similarity.PER.ORG",
            _ if name.starts_with(CONFUSION) => "confusion.NAM.NOM",
            _ => "mention-type.NOM",
        };
        return Err(error.hint(format!("weights are written `{example} = 0.5`")));
    };
    Ok(rows.iter().map(|(key, value)| (key.get_ref().as_ref(), value.get_ref(), key.span().start)).collect())
}

/// Returns a value of a file as text, which is parsed and checked later.
fn number(value: &DeValue<'_>) -> String {
    written(value).unwrap_or_else(|| "this".to_owned())
}

/// Reads a decimal exactly.
fn parse_decimal(text: &str, most: u32) -> std::result::Result<u32, &'static str> {
    let plain = text.strip_prefix('+').unwrap_or(text);
    if plain.eq_ignore_ascii_case("nan") || plain.trim_start_matches('-').eq_ignore_ascii_case("inf") {
        return Err("it is not a finite number");
    }
    if plain.starts_with('-') {
        return Err("it is negative");
    }
    let (mantissa, exponent) = match plain.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().map_err(|_| "it is not a number")?),
        None => (plain, 0),
    };
    let (whole, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.bytes().chain(rest.bytes());
    if whole.is_empty() || mantissa.ends_with('.') || !digits.clone().all(|digit| digit.is_ascii_digit()) {
        return Err("it is not a number");
    }
    // The place of the last digit, from the smallest unit.
    let mut places = i64::from(exponent) - rest.len() as i64 + DIGITS as i64;
    let mut number = 0u64;
    for digit in digits {
        number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    }
    while places < 0 && number.is_multiple_of(10) && number > 0 {
        (number, places) = (number / 10, places + 1);
    }
    if number == u64::MAX || number > 0 && places < 0 {
        return Err("it has too many digits");
    }
    for _ in 0..places.max(0) {
        number = number.saturating_mul(10);
        if number == 0 || number == u64::MAX {
            break;
        }
    }
    u32::try_from(number).ok().filter(|&number| number <= most).ok_or("it is too large")
}

/// Returns a weight as text, without zeros at the end.
fn decimal(weight: u32) -> String {
    let text = format!("{}.{:04}", weight / UNIT, weight % UNIT);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the name of a type as in a signature: letters, digits, `-` and `_` unchanged, other bytes as `%2E`.
pub(crate) fn escaped(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if character.is_alphanumeric() || matches!(character, '-' | '_') {
            text.push(character);
        } else {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                text.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    text
}

/// Returns the name of a type that [`escaped`] wrote.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let code = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(code, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (names, weight)) in self.0.rows().into_iter().enumerate() {
            let names: Vec<String> = names.into_iter().map(escaped).collect();
            write!(f, "{}{}={}", if place > 0 { "," } else { "" }, names.join("."), decimal(weight))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Weights({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(text: &str) -> String {
        Weights::read(text, "w.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_file_reads_back_from_its_signature() {
        let file = "mention-type.PRO = 1e-1\nentity-type.\"a|b, c.d=é\" = 12.5\n[similarity.PER]\nORG = 0.25\n\
                    [default]\nmention-type = 0\nsimilarity = \"0.5\"\n";
        let weights = Weights::read(file, "w.toml").unwrap();
        let text = "mention-type.PRO=0.1,entity-type.a%7Cb%2C%20c%2Ed%3Dé=12.5,similarity.PER.ORG=0.25,\
                    default.mention-type=0,default.similarity=0.5";
        assert_eq!(weights.to_string(), text);
        assert_eq!(Weights::parse(text), Ok(weights.clone()));
        // The scales are as small as possible, and 1 is a multiple of the step.
        assert_eq!((weights.mention_scale(), weights.entity_scale(), weights.similarity_scale()), (10, 2, 4));
        assert_eq!(weights.of_mention(Some("PRO")), (1, true));
        assert_eq!(weights.of_mention(Some("NAM")), (0, false));
        assert_eq!(weights.of_entity(None), (2, false));
        let (listed, default) = weights.similarities();
        assert_eq!((listed.collect::<Vec<_>>(), default), (vec![("PER", "ORG", 1)], 2));
    }

    #[test]
    fn confusions_name_the_key_type_first_and_are_below_both_weights() {
        let file = "mention-type.NOM = 0.5\n[confusion.NAM]\nNOM = 0.25\n";
        let weights = Weights::read(file, "w.toml").unwrap();
        let text = "mention-type.NOM=0.5,confusion.NAM.NOM=0.25";
        assert_eq!(weights.to_string(), text);
        assert_eq!(Weights::parse(text), Ok(weights.clone()));
        assert_eq!(weights.mention_scale(), 4);
        assert_eq!(weights.confusions().collect::<Vec<_>>(), [("NAM", "NOM", 1)]);
        assert_eq!(
            error_of("confusion.NAM.NOM = 0.6\nmention-type.NOM = 0.5"),
            "w.toml:1:1: `confusion.NAM.NOM` is 0.6, above the smaller of the two weights, 0.5\n  hint: mentions of \
             different types cannot count more than mentions of one type; lower it"
        );
        assert!(error_of("confusion.NAM.NAM = 0.5").contains("`confusion.NAM.NAM` cannot be set"));
    }

    #[test]
    fn decimals_are_read_exactly() {
        let read = |text: &str| parse_decimal(text, MOST);
        for (text, units) in [
            ("0", 0),
            ("0.1", 1000),
            ("0.100000000", 1000),
            ("1e-4", 1),
            ("25E-1", 25_000),
            ("100", 1_000_000),
            ("+3", 30_000),
            ("0e99", 0),
        ] {
            assert_eq!(read(text), Ok(units), "{text}");
        }
        let wrong = [
            "0.00001", "1e-5", "100.0001", "1e9", "-0.1", "-0", "nan", "inf", "-inf", "", ".5", "5.", "x",
            "1e", "1e99999",
        ];
        for text in wrong {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn errors_of_a_file_have_a_place_and_a_remedy() {
        let hint = "\n  hint: weights must be between 0 and 100, with at most four decimals";
        assert_eq!(
            error_of("[mention-type]\nNAM = 1\nPRO = -0.5\n"),
            format!("w.toml:3:1: `-0.5` is not a weight for `mention-type.PRO`: it is negative{hint}")
        );
        assert_eq!(
            error_of("entity-type = { X = nan }"),
            format!(
                "w.toml:1:17: `nan` is not a weight for `entity-type.X`: it is not a finite number{hint}"
            )
        );
        assert_eq!(
            error_of("[entity-type]\nX = [1]"),
            format!("w.toml:2:1: `this` is not a weight for `entity-type.X`: it is not a number{hint}")
        );
        assert_eq!(
            error_of("\n  [mention-types]\nPRO = 1"),
            "w.toml:2:4: weights have no table `mention-types`\n  hint: did you mean `mention-type`?"
        );
        assert_eq!(
            error_of("[default]\nsimilarty = 1"),
            "w.toml:2:1: weights have no default `similarty`\n  hint: did you mean `similarity`?"
        );
        assert_eq!(
            error_of("similarity.PER = 1"),
            "w.toml:1:12: `similarity.PER` is not a table of weights\n  hint: weights are written `similarity.PER.ORG = 0.5`"
        );
        assert!(error_of("[similarity.PER]\nORG = 1.5").contains("weights must be between 0 and 1, with"));
        assert!(error_of("[similarity.PER]\nPER = 0.5").contains("`similarity.PER.PER` cannot be set"));
        assert!(error_of("# nothing\n").contains("w.toml:1:1: the weights are empty"));
        assert!(error_of("[mention-type]\nA = 1\nA = 2").starts_with("w.toml:3:1: this is not TOML: "));
    }

    #[test]
    fn presets_are_weights() {
        for (name, help, _) in WEIGHT_PRESETS {
            assert!(matches!(Weights::preset(name), Some(Ok(_))) && !help.is_empty(), "{name}");
        }
        assert!(Weights::preset("other").is_none());
    }

    #[test]
    fn invalid_weights_of_signatures_are_refused() {
        for text in [
            "", "x", "mention-type=1", "mention-type.A.B=1", "similarity.A=1", "kind.A=1",
            "mention-type.%zz=1",
        ] {
            assert!(Weights::parse(text).is_err(), "{text}");
        }
    }
}
