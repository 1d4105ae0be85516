//! A folder of cached counts, so that a board of systems scores only new systems.
//!
//! An [`Entry`] has the data that a comparison needs about a system: the tallies of its documents as exact fractions,
//! and all findings of reading and scoring it. Its key is the [`Digest`] of all inputs: the bytes and names of the
//! system's files and the key's files, the settings and metrics, the version and the sources of this library. Choices
//! that depend on the other systems (the common documents, the available metrics) are in `given`; an entry with
//! different values is not used.
//!
//! A file is a line with a checksum of the rest, a line of JSON, and a line for each document:
//!
//! ```text
//! corefeval-cache 1 KEY CHECKSUM
//! {"given":"…","format":"conll","read":[…],"scored":[…],…}
//! "d01; part 000"⇥12 10 9⇥8 10 8 9⇥17/2+1/3 …
//! ```
//!
//! It is written to a temporary file and renamed, so concurrent programs never read a partial file. A truncated or
//! changed file does not match its checksum and is [`Damaged`].

use crate::wording::text;
use crate::wording::{Text, option};
use std::fmt::{self, Write as _};
use std::fs;
use std::io::{self, ErrorKind as IoErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::choice::Choice as _;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FindingGroup, Position};
use crate::digest::Digest;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::matching::MentionCounts;
use crate::named::{NamedCounts, SideNames};
use crate::output;
use crate::results::SideSize;
use crate::score::DocumentTallies;
use crate::settings::NamedSource;
use corefeval_metrics::fraction::FractionSum;
use corefeval_metrics::tally::{Counts, Tally};

/// The start of every file: a name, and the version of the layout.
const MAGIC: &str = "corefeval-cache 1";

/// The sources that this library was built from.
const SOURCES: &str = env!("COREFEVAL_SOURCES");

/// The file that marks the folder as a cache for backup programs (<https://bford.info/cachedir/>).
pub(crate) const TAG: &str = "CACHEDIR.TAG";

/// The contents of that file.
const TAG_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # Counts that corefeval's comparisons keep; the folder can be deleted at any time.\n";

/// Returns the digest that identifies an entry of this build, computed from everything that the counts depend on.
pub fn entry_digest<P: AsRef<[u8]>>(pieces: impl IntoIterator<Item = P>) -> Digest {
    let build = Digest::of([MAGIC, crate::version::VERSION, SOURCES]);
    Digest::of([build, Digest::of(pieces)].map(|digest| *digest.as_bytes()))
}

/// The cached data of a system.
#[derive(Clone)]
pub struct Entry {
    /// The choices that depended on the other systems when it was made.
    pub given: Digest,
    /// The format of the response.
    pub format: &'static FormatSpec,
    /// The response's source of names.
    pub sources: Vec<NamedSource>,
    /// The places of the key's documents that the response lacks.
    pub missing: Vec<usize>,
    /// The findings of reading the response and pairing it with the key.
    pub read: Diagnostics,
    /// The findings of scoring.
    pub scored: Diagnostics,
    /// The numbers of named mentions, if requested.
    pub named: Option<NamedCounts>,
    /// The size of key and response.
    pub sizes: [SideSize; 2],
    /// The counts of each document.
    pub documents: Vec<DocumentTallies>,
}

/// The reason why a file of the cache cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged(String);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Damaged {}

/// A folder of entries. It only grows; the user may delete it, or files in it, at any time.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens the cache in `folder`, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// A folder that cannot be created or written.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Cache> {
        let folder = folder.into();
        let wrong = |error: &io::Error| {
            Error::new(ErrorKind::Io, format!("the cache cannot be written here: {error}"))
                .at(Position::new(&Arc::from(folder.display().to_string()), 0, 0))
                .hint(text!("name a writable folder, or leave out {}", option("cache")))
        };
        if !folder.is_dir() {
            fs::create_dir_all(&folder).map_err(|error| wrong(&error))?;
            output::write(&folder.join(TAG), TAG_TEXT)?;
        }
        Ok(Cache { folder })
    }

    /// Returns the path of the entry of `key`.
    pub fn path(&self, key: &Digest) -> PathBuf {
        self.folder.join(format!("{key}.counts"))
    }

    /// Returns the entry of `key`, if it exists.
    ///
    /// # Errors
    ///
    /// An entry that cannot be read, was changed or cut short, or belongs to another key.
    pub fn find(&self, key: &Digest) -> std::result::Result<Option<Entry>, Damaged> {
        match fs::read(self.path(key)) {
            Ok(bytes) => Entry::from_bytes(key, &bytes).map(Some),
            Err(error) if error.kind() == IoErrorKind::NotFound => Ok(None),
            Err(error) => Err(Damaged(format!("it cannot be read: {error}"))),
        }
    }

    /// Stores an entry, replacing any other under this `key`.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn keep(&self, key: &Digest, entry: &Entry) -> Result<()> {
        // Not synced: the checksum detects files that a crash damaged.
        output::write_unsynced(&self.path(key), entry.to_bytes(key))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Entry {
    /// Returns the content of its file.
    pub fn to_bytes(&self, key: &Digest) -> Vec<u8> {
        let mut head = json!({
            "given": self.given.to_string(),
            "format": self.format.id,
            "sources": self.sources.iter().map(|source| source.id()).collect::<Vec<_>>(),
            "missing": self.missing,
            "read": findings(&self.read),
            "scored": findings(&self.scored),
            "documents": self.documents.len(),
            "sizes": self.sizes.map(|SideSize { documents, words, mentions, entities, singletons, unlinked }| {
                json!([documents, words, mentions, entities, singletons, unlinked])
            }),
        });
        if let Some(named) = &self.named {
            let side = |side: &SideNames| json!([side.mentions, side.named, side.entities]);
            head["named"] = json!([named.source.id(), side(&named.key), side(&named.response)]);
        }
        let mut rest = format!("{head}\n");
        for document in &self.documents {
            let MentionCounts { key, response, shared } = document.mentions;
            let _ = write!(rest, "{}\t{key} {response} {shared}", Value::from(document.id.as_str()));
            for tally in &document.tallies {
                rest.push('\t');
                write_tally(tally, &mut rest);
            }
            rest.push('\n');
        }
        let checksum = Digest::of_bytes(rest.as_bytes());
        format!("{MAGIC} {key} {checksum}\n{rest}").into_bytes()
    }

    /// Reads the output of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    ///
    /// Bytes that are not an entry, belong to another key, or were changed or cut short.
    pub fn from_bytes(key: &Digest, bytes: &[u8]) -> std::result::Result<Entry, Damaged> {
        let damaged = |text: &str| Damaged(text.to_owned());
        let end = bytes.iter().take(256).position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| damaged("it is not an entry of this cache"))?;
        let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
        let wanted = format!("{MAGIC} {key} ");
        let checksum = line
            .strip_prefix(wanted.as_bytes())
            .ok_or_else(|| damaged("it is not an entry of this cache, or one of another system"))?;
        if checksum != Digest::of_bytes(rest).to_string().as_bytes() {
            return Err(damaged("it was changed or cut short"));
        }
        // The checksum matches and this build wrote it, so a mismatch below is a bug.
        std::str::from_utf8(rest).ok().and_then(parse).ok_or_else(|| damaged("it cannot be understood"))
    }
}

fn parse(text: &str) -> Option<Entry> {
    let mut lines = text.split_terminator('\n');
    let head: Value = serde_json::from_str(lines.next()?).ok()?;
    let list = |name: &str| head.get(name)?.as_array();
    let entry = Entry {
        given: Digest::from_hex(head.get("given")?.as_str()?)?,
        format: FormatSpec::named(head.get("format")?.as_str()?).ok()?,
        sources: list("sources")?
            .iter()
            .map(|source| NamedSource::from_id(source.as_str()?))
            .collect::<Option<_>>()?,
        missing: list("missing")?
            .iter()
            .map(|place| usize::try_from(place.as_u64()?).ok())
            .collect::<Option<_>>()?,
        read: findings_of(list("read")?)?,
        scored: findings_of(list("scored")?)?,
        named: match head.get("named") {
            None => None,
            Some(named) => Some(named_of(named.as_array()?)?),
        },
        sizes: match list("sizes")?.as_slice() {
            [key, response] => [size_of(key)?, size_of(response)?],
            _ => return None,
        },
        documents: lines.map(document_of).collect::<Option<_>>()?,
    };
    (head.get("documents")?.as_u64()? == entry.documents.len() as u64).then_some(entry)
}

fn write_tally(tally: &Tally, text: &mut String) {
    let four = |counts: &Counts, text: &mut String| {
        let Counts { recall_num, recall_den, precision_num, precision_den } = counts;
        for (place, sum) in [recall_num, recall_den, precision_num, precision_den].into_iter().enumerate() {
            if place > 0 {
                text.push(' ');
            }
            sum.write(text);
        }
    };
    four(&tally.first, text);
    let Counts { recall_num, recall_den, precision_num, precision_den } = &tally.second;
    if ![recall_num, recall_den, precision_num, precision_den].iter().all(|sum| sum.is_zero()) {
        text.push(' ');
        four(&tally.second, text);
    }
}

fn tally_of(text: &str) -> Option<Tally> {
    let sums: Vec<FractionSum> = text.split(' ').map(FractionSum::read).collect::<Option<_>>()?;
    let counts = |sums: &[FractionSum]| match sums {
        [recall_num, recall_den, precision_num, precision_den] => Some(Counts {
            recall_num: recall_num.clone(),
            recall_den: recall_den.clone(),
            precision_num: precision_num.clone(),
            precision_den: precision_den.clone(),
        }),
        _ => None,
    };
    let (first, second) = sums.split_at_checked(4)?;
    let second = if second.is_empty() { Counts::default() } else { counts(second)? };
    Some(Tally { first: counts(first)?, second })
}

fn document_of(line: &str) -> Option<DocumentTallies> {
    let mut fields = line.split('\t');
    let id: String = serde_json::from_str(fields.next()?).ok()?;
    let mentions: Vec<u64> =
        fields.next()?.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let &[key, response, shared] = mentions.as_slice() else { return None };
    let tallies = fields.map(tally_of).collect::<Option<_>>()?;
    Some(DocumentTallies { id, tallies, mentions: MentionCounts { key, response, shared } })
}

fn size_of(fields: &Value) -> Option<SideSize> {
    let [documents, words, mentions, entities, singletons, unlinked] = fields.as_array()?.as_slice() else {
        return None;
    };
    let words = if words.is_null() { None } else { Some(words.as_u64()?) };
    let [documents, mentions, entities, singletons, unlinked] =
        [documents, mentions, entities, singletons, unlinked].map(Value::as_u64);
    Some(SideSize {
        documents: documents?,
        words,
        mentions: mentions?,
        entities: entities?,
        singletons: singletons?,
        unlinked: unlinked?,
    })
}

fn named_of(fields: &[Value]) -> Option<NamedCounts> {
    let [source, key, response] = fields else { return None };
    let side = |side: &Value| {
        let numbers: Vec<u64> = side.as_array()?.iter().map(Value::as_u64).collect::<Option<_>>()?;
        let &[mentions, named, entities] = numbers.as_slice() else { return None };
        Some(SideNames { mentions, named, entities })
    };
    Some(NamedCounts {
        source: NamedSource::from_id(source.as_str()?)?,
        key: side(key)?,
        response: side(response)?,
    })
}

fn findings(diagnostics: &Diagnostics) -> Vec<Value> {
    let finding = |finding: &Diagnostic| {
        let mut object = Map::new();
        object.insert("message".to_owned(), finding.message.to_json());
        if let Some(position) = &finding.position {
            object.insert("at".to_owned(), position.to_json());
        }
        if let Some(document) = &finding.document {
            object.insert("document".to_owned(), json!(document));
        }
        Value::Object(object)
    };
    let group = |group: &FindingGroup| {
        let kept: Vec<Value> = group.kept.iter().map(|found| finding(found)).collect();
        json!([group.code.id(), group.count, kept])
    };
    diagnostics.groups().iter().map(group).collect()
}

fn findings_of(groups: &[Value]) -> Option<Diagnostics> {
    let finding = |code: Code, value: &Value| {
        let position = match value.get("at") {
            None => None,
            Some(at) => Some(Position::from_json(at)?),
        };
        let document = match value.get("document") {
            None => None,
            Some(document) => Some(document.as_str()?.to_owned()),
        };
        let message = Text::from_json(value.get("message")?)?;
        Some(Diagnostic { code, message, position, document })
    };
    let mut diagnostics = Diagnostics::default();
    for group in groups {
        let id = group.get(0)?.as_str()?;
        let code = *Code::ALL.iter().find(|code| code.id() == id)?;
        let kept = group.get(2)?.as_array()?;
        let kept: Vec<Diagnostic> = kept.iter().map(|value| finding(code, value)).collect::<Option<_>>()?;
        let unkept = group.get(1)?.as_u64()?.checked_sub(kept.len() as u64)?;
        for Diagnostic { code, message, position, document } in kept {
            diagnostics.add(code, position, document, || message);
        }
        diagnostics.count(code, unkept);
    }
    Some(diagnostics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::{option_value, quoted, text};

    fn entry() -> Entry {
        let mut read = Diagnostics::default();
        let source: Arc<str> = Arc::from("a \"b\"\t.conll");
        read.add(Code::BareId, Some(Position::new(&source, 3, 7)), Some("d\n1".to_owned()), || {
            text!("{} é {}", quoted("m"), option_value("match", "exact"))
        });
        read.add(Code::BareId, None, None, || "second".to_owned());
        read.count(Code::BareId, 98);
        let mut fractions = FractionSum::integer(-3);
        for (numerator, denominator) in [(1, 3), (5, 6), (63, 64), (7, 100_003), (1, u64::MAX)] {
            fractions.add_fraction(numerator, denominator);
        }
        let mut tally = Tally::default();
        tally.first.add_integers((3, 5), (2, 9));
        tally.first.recall_num.add(&fractions);
        let mut both = tally.clone();
        both.second.precision_num = fractions;
        let mentions = MentionCounts { key: 4, response: 5, shared: 3 };
        let document = |id: &str| DocumentTallies {
            id: id.to_owned(),
            tallies: vec![tally.clone(), both.clone(), Tally::default()],
            mentions,
        };
        let side = SideNames { mentions: 9, named: 4, entities: 2 };
        Entry {
            given: Digest::of(["given"]),
            format: FormatSpec::named("conll").unwrap(),
            sources: vec![NamedSource::Upos],
            missing: vec![2, 7],
            read,
            scored: Diagnostics::default(),
            named: Some(NamedCounts { source: NamedSource::Upos, key: side, response: side }),
            sizes: [
                SideSize {
                    documents: 2,
                    words: Some(40),
                    mentions: 9,
                    entities: 3,
                    singletons: 1,
                    unlinked: 2,
                },
                SideSize { words: None, ..SideSize::default() },
            ],
            documents: vec![document("d\t1"), document("")],
        }
    }

    #[test]
    fn an_entry_reads_back_to_the_last_digit() {
        let (key, entry) = (Digest::of(["key"]), entry());
        let bytes = entry.to_bytes(&key);
        let again = Entry::from_bytes(&key, &bytes).unwrap();
        assert_eq!(again.to_bytes(&key), bytes);
        assert_eq!((&again.read, &again.scored), (&entry.read, &entry.scored));
        assert_eq!((again.given, &again.missing, again.named), (entry.given, &entry.missing, entry.named));
        assert_eq!(again.sizes, entry.sizes);
        for (ours, theirs) in entry.documents.iter().zip(&again.documents) {
            assert_eq!((&ours.id, ours.mentions), (&theirs.id, theirs.mentions));
            for (ours, theirs) in ours.tallies.iter().zip(&theirs.tallies) {
                assert_eq!(ours.to_real(), theirs.to_real());
                assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
            }
        }
    }

    #[test]
    fn a_change_of_any_byte_is_detected() {
        let (key, entry) = (Digest::of(["key"]), entry());
        let bytes = entry.to_bytes(&key);
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(Entry::from_bytes(&key, &changed).is_err(), "byte {place}");
            assert!(Entry::from_bytes(&key, &bytes[..place]).is_err(), "cut at {place}");
        }
        assert!(Entry::from_bytes(&Digest::of(["another"]), &bytes).is_err());
        let longer = [&bytes[..], b"\n"].concat();
        assert!(Entry::from_bytes(&key, &longer).is_err());
    }
}
