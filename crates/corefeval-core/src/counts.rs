//! Tables of counts: how many mentions each entity of a key shares with each entity of a response.
//!
//! All metrics that compare entities follow from these counts. An engine that holds the labels of both sides (a
//! database, Spark, a cluster) computes them with one outer join and passes one row for each pair of entities instead
//! of a row for each mention:
//!
//! ```csv
//! document,key,response,count
//! d1,e1,r1,3
//! d1,e1,,1
//! d1,,r2,2
//! ```
//!
//! Three mentions are in entity `e1` of the key and `r1` of the response, one mention of `e1` is not in the response,
//! and two mentions of `r2` are not in the key. The sizes of entities are sums of their rows, so tables of parts of the
//! data add up to the table of the whole: see [`CountTable::add`]. Commas, semicolons or tabs separate the cells, and
//! the columns may be in any order. Without a column `document` all entities belong to one document. A folder, as engines
//! write it, is the sum of the tables in it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustc_hash::FxHashMap;

use corefeval_metrics::overlap::{Cell, Overlap};

use crate::diagnostic::Position;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{COUNT_COLUMNS as COLUMNS, Columnar};
use crate::input::{Input, io_error_at};
use crate::limits::Limits;
use crate::model::{NameNumbers, Side};
use crate::wording::plural;

/// Marks mentions that are not in any entity of the side.
const NOWHERE: u32 = u32::MAX;

/// The separators of cells, in the order in which they are tried.
const DELIMITERS: [u8; 3] = [b'\t', b',', b';'];

const HINT: &str =
    "name the columns in the first row: `key`, `response` and `count`, and `document` if there are several";

/// Counts of one or more documents.
#[derive(Clone, Debug, Default)]
pub struct CountTable {
    documents: Vec<CountedDocument>,
    places: BTreeMap<Box<str>, usize>,
    /// Whether the rows name their documents; `None` if no table was added.
    names_documents: Option<bool>,
}

/// The counts of one document.
#[derive(Clone, Debug, Default)]
pub struct CountedDocument {
    id: String,
    key: EntityNumbers,
    response: EntityNumbers,
    counts: FxHashMap<(u32, u32), u64>,
}

/// The entities of a side, numbered in order of occurrence.
#[derive(Clone, Debug, Default)]
struct EntityNumbers {
    numbers: NameNumbers,
    names: Vec<Box<str>>,
}

impl EntityNumbers {
    /// Returns the number of an entity: `NOWHERE` for an empty name, `None` if there are too many entities.
    fn number(&mut self, name: &str) -> Option<u32> {
        if name.is_empty() {
            return Some(NOWHERE);
        }
        let next = u32::try_from(self.names.len()).ok().filter(|&next| next != NOWHERE)?;
        let number = self.numbers.number(name, next, |number| &self.names[number as usize]);
        if number == next {
            self.names.push(name.into());
        }
        Some(number)
    }

    fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", AsRef::as_ref)
    }
}

impl CountTable {
    /// Reads a table of counts, or all tables of a folder. A table of a part of the data may have no rows: see
    /// [`CountTable::check_filled`].
    ///
    /// ```
    /// use corefeval_core::counts::CountTable;
    /// use corefeval_core::input::{Input, Limits};
    /// let text = "key,response,count\na,x,2\na,,1\n,y,4\n";
    /// let input = Input::Bytes { name: "counts.csv".into(), bytes: text.as_bytes().into() };
    /// let table = CountTable::read(&input, &Limits::default(), &Default::default())?;
    /// let overlap = table.documents()[0].overlap(false)?;
    /// assert_eq!((overlap.key_sizes(), overlap.response_sizes()), (&[3][..], &[2, 4][..]));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first row does not name the columns; a row has a different number of cells, names no entity on either side,
    /// or has a count that is not a whole number above 0. Tables of a folder cannot be added up.
    pub fn read(input: &Input, limits: &Limits, progress: &AtomicU64) -> Result<CountTable> {
        match input {
            Input::Path(folder) if folder.is_dir() => {
                let mut sum = CountTable::default();
                for part in parts_of(folder)? {
                    sum.add_input(&Input::Path(part), limits, progress)?;
                }
                Ok(sum)
            }
            _ => {
                let source: Arc<str> = Arc::from(input.name());
                input.with_bytes(limits, progress, |bytes| read_rows(bytes, &source, limits))
            }
        }
    }

    /// Reads tables of counts and adds them. Errors name the input.
    ///
    /// # Errors
    ///
    /// A table cannot be [read](CountTable::read) or [added](CountTable::add).
    pub fn add_input(&mut self, input: &Input, limits: &Limits, progress: &AtomicU64) -> Result<()> {
        let table = CountTable::read(input, limits, progress)?;
        self.add(&table).map_err(|error| error.at(Position::new(&input.name().into(), 0, 0)))
    }

    /// Fails if there are no counts, only the names of the columns.
    ///
    /// # Errors
    ///
    /// There are no rows below the first.
    pub fn check_filled(&self) -> Result<()> {
        if !self.documents.is_empty() {
            return Ok(());
        }
        let message = "there are no counts below the names of the columns";
        Err(Error::new(ErrorKind::Format, message)
            .hint("check the query that counts; an empty part is accepted next to parts with counts"))
    }

    /// Fails if only one of the tables has a column `document`.
    ///
    /// # Errors
    ///
    /// The error is about `other`.
    pub fn check_columns(&self, other: &CountTable) -> Result<()> {
        let message = match (self.names_documents, other.names_documents) {
            (Some(true), Some(false)) => "this table has no column `document`, but the previous ones have",
            (Some(false), Some(true)) => {
                "this table has a column `document`, but the previous ones have none"
            }
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Format, message).hint(
            "count all tables by document, or none of them; without the column all rows are one document",
        ))
    }

    /// Adds the counts of another table.
    ///
    /// # Errors
    ///
    /// A sum does not fit 64 bits, or only one of the tables has a column `document`.
    pub fn add(&mut self, other: &CountTable) -> Result<()> {
        self.check_columns(other)?;
        self.names_documents = self.names_documents.or(other.names_documents);
        for document in &other.documents {
            let place = self.place(&document.id);
            let ours = &mut self.documents[place];
            for (key, response, count) in document.cells() {
                let added = ours.add(document.key.name(key), document.response.name(response), count);
                added.map_err(|message| Error::new(ErrorKind::Format, message))?;
            }
        }
        Ok(())
    }

    /// Returns the documents, sorted by id.
    pub fn documents(&self) -> Vec<&CountedDocument> {
        self.places.values().map(|&place| &self.documents[place]).collect()
    }

    /// Returns the id of the first document whose key entities or their sizes differ between the tables. A table has no
    /// entities for a document that it lacks.
    pub fn differs_in_key<'t>(&'t self, other: &'t CountTable) -> Option<&'t str> {
        let ids: BTreeSet<&str> = self.places.keys().chain(other.places.keys()).map(AsRef::as_ref).collect();
        let of_key = |table: &CountTable, id: &str| {
            let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
            let Some(document) = table.places.get(id).map(|&place| &table.documents[place]) else {
                return sizes;
            };
            for (key, _, count) in document.cells() {
                let size = sizes.entry(document.key.name(key).to_owned()).or_default();
                *size = size.saturating_add(count);
            }
            // Mentions that the key lacks.
            sizes.remove("");
            sizes
        };
        ids.into_iter().find(|id| of_key(self, id) != of_key(other, id))
    }

    /// Adds the documents that only another table has, without entities.
    pub fn add_documents_of(&mut self, other: &CountTable) {
        for id in other.places.keys() {
            self.place(id);
        }
    }

    /// Returns the table as text, sorted by document, key and response. The text does not depend on the order of
    /// additions.
    ///
    /// # Errors
    ///
    /// The table cannot be written to memory.
    pub fn to_csv(&self) -> Result<String> {
        let failed = |what: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Io, format!("the table cannot be written: {what}"))
        };
        let with_documents = self.names_documents == Some(true);
        let columns = &COLUMNS[usize::from(!with_documents)..];
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(columns).map_err(|error| failed(&error))?;
        for document in self.documents() {
            let cells = document.cells().into_iter();
            let named = cells.map(|(key, response, count)| {
                (document.key.name(key), document.response.name(response), count)
            });
            let mut rows: Vec<(&str, &str, u64)> = named.collect();
            rows.sort_unstable();
            for (key, response, count) in rows {
                let count = count.to_string();
                let cells = [document.id.as_str(), key, response, &count];
                table.write_record(&cells[usize::from(!with_documents)..]).map_err(|error| failed(&error))?;
            }
        }
        let bytes = table.into_inner().map_err(|error| failed(&error))?;
        String::from_utf8(bytes).map_err(|error| failed(&error))
    }

    fn place(&mut self, id: &str) -> usize {
        if let Some(&place) = self.places.get(id) {
            return place;
        }
        let place = self.documents.len();
        self.documents.push(CountedDocument { id: id.to_owned(), ..CountedDocument::default() });
        self.places.insert(id.into(), place);
        place
    }
}

impl CountedDocument {
    /// Returns its id; empty if the table has no column `document`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the numbers of key and response entity with their count, sorted.
    fn cells(&self) -> Vec<(u32, u32, u64)> {
        let cells = self.counts.iter().map(|(&(key, response), &count)| (key, response, count));
        let mut cells: Vec<(u32, u32, u64)> = cells.collect();
        cells.sort_unstable();
        cells
    }

    /// Adds mentions of a pair of entities, one of which may be empty.
    fn add(&mut self, key: &str, response: &str, count: u64) -> std::result::Result<(), &'static str> {
        let too_many = "a side has more than 4,294,967,294 entities";
        let pair = (self.key.number(key).ok_or(too_many)?, self.response.number(response).ok_or(too_many)?);
        let sum = self.counts.entry(pair).or_default();
        *sum = sum.checked_add(count).ok_or("the sum of the counts of two entities does not fit 64 bits")?;
        Ok(())
    }

    /// Returns the table that metrics are computed from. Mentions of dropped singletons are not shared.
    ///
    /// # Errors
    ///
    /// A side has more than 4,294,967,295 mentions: pairs of more do not fit 64 bits.
    pub fn overlap(&self, drop_singletons: bool) -> Result<Overlap> {
        let mut sizes = [vec![0_u64; self.key.names.len()], vec![0_u64; self.response.names.len()]];
        let cells = self.cells();
        for &(key, response, count) in &cells {
            for (sizes, entity) in sizes.iter_mut().zip([key, response]) {
                if entity != NOWHERE {
                    sizes[entity as usize] = sizes[entity as usize].saturating_add(count);
                }
            }
        }
        let mut kept: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        for (sizes, side) in sizes.iter().zip([Side::Key, Side::Response]) {
            let (mut numbers, mut left) = (Vec::with_capacity(sizes.len()), Vec::new());
            let mut mentions = 0_u32;
            for &size in sizes {
                let size = u32::try_from(size).ok();
                let sum = size.and_then(|size| mentions.checked_add(size));
                let (Some(size), Some(sum)) = (size, sum) else { return Err(self.too_large(side)) };
                mentions = sum;
                let drops = drop_singletons && size == 1;
                numbers.push(if drops { NOWHERE } else { left.len() as u32 });
                left.extend((!drops).then_some(size));
            }
            kept.push((numbers, left));
        }
        let (response_numbers, response_sizes) = kept.pop().unwrap_or_default();
        let (key_numbers, key_sizes) = kept.pop().unwrap_or_default();
        let number = |numbers: &[u32], entity: u32| numbers.get(entity as usize).copied().unwrap_or(NOWHERE);
        let cells = cells.into_iter().filter_map(|(key, response, count)| {
            let (key, response) = (number(&key_numbers, key), number(&response_numbers, response));
            // A count is at most the size of its entities.
            (key != NOWHERE && response != NOWHERE).then_some(Cell { key, response, shared: count as u32 })
        });
        let cells = cells.collect();
        Ok(Overlap::of_cells(key_sizes, response_sizes, cells))
    }

    fn too_large(&self, side: Side) -> Error {
        let side = if side == Side::Key { "key" } else { "response" };
        let document = if self.id.is_empty() { String::new() } else { format!(" of `{}`", self.id) };
        let message = format!("the {side}{document} has more than 4,294,967,295 mentions");
        Error::new(ErrorKind::Format, message).hint("score it in parts, each a document")
    }
}

/// Returns the tables in a folder, in order of their names. Like Hadoop and Spark, skips hidden files and names that
/// start with `_`, such as `_SUCCESS`.
fn parts_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |problem: io::Error| io_error_at(folder, &problem);
    let error = |at: &Path, message: &'static str| {
        Error::new(ErrorKind::Io, message).at(Position::new(&at.display().to_string().into(), 0, 0))
    };
    let mut parts = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_string_lossy().starts_with(['.', '_']) {
            parts.push(entry.path());
        }
    }
    parts.sort();
    // Engines name such directories after the value of a column, which the files lack: `document=d1`.
    if let Some(inner) = parts.iter().find(|part| part.is_dir()) {
        return Err(error(inner, "this is a directory in a folder of tables of counts")
            .hint("write the tables into one folder, with `document` as a column of each"));
    }
    match parts.is_empty() {
        true => Err(error(folder, "this directory contains no table of counts")
            .hint("name the folder with the tables that the engine wrote")),
        false => Ok(parts),
    }
}

/// The largest length of the first row, in bytes.
const LONGEST_HEAD: u64 = 1 << 20;

/// The number of rows between two checks of the memory in use.
const CHECK_MEMORY: u64 = 1 << 16;

fn read_rows(bytes: &mut dyn BufRead, source: &Arc<str>, limits: &Limits) -> Result<CountTable> {
    let error = |line: u64, message: String| {
        let position = Position::new(source, u32::try_from(line).unwrap_or(u32::MAX), 0);
        Error::new(ErrorKind::Format, message).at(position)
    };
    let failed = |line: u64, problem: &dyn std::fmt::Display| {
        Error::new(ErrorKind::Io, format!("this table cannot be read: {problem}")).at(Position::new(
            source,
            u32::try_from(line).unwrap_or(u32::MAX),
            0,
        ))
    };
    let mut first = Vec::new();
    let begin = Read::take(&mut *bytes, LONGEST_HEAD).read_until(b'\n', &mut first);
    begin.map_err(|problem| failed(0, &problem))?;
    if let Some(columnar) = Columnar::of(&first) {
        return Err(columnar.not_counts(source));
    }
    let delimiter = DELIMITERS.into_iter().find(|delimiter| first.contains(delimiter)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(Cursor::new(first).chain(bytes));
    let mut table = CountTable::default();
    let mut layout: Option<(usize, [Option<usize>; 4])> = None;
    let mut row = csv::StringRecord::new();
    let mut number = 0_u64;
    loop {
        let more = reader.read_record(&mut row).map_err(|problem| {
            let line = problem.position().map_or(0, csv::Position::line);
            match problem.kind() {
                csv::ErrorKind::Utf8 { .. } => error(line, "this row is not in UTF-8".to_owned()),
                _ => failed(line, &problem),
            }
        })?;
        if !more {
            break;
        }
        let line = row.position().map_or(0, csv::Position::line);
        number += 1;
        if number.is_multiple_of(CHECK_MEMORY) {
            limits.check_memory().map_err(|problem| failed(line, &problem))?;
        }
        let Some((cells, columns)) = layout else {
            let columns = columns_of(&row).map_err(|what| error(line, what).hint(HINT))?;
            table.names_documents = Some(columns[0].is_some());
            layout = Some((row.len(), columns));
            continue;
        };
        if row.len() != cells {
            let message =
                format!("this row has {}, but the first has {cells}", plural(row.len(), "cell", "cells"));
            return Err(error(line, message).hint("quote cells that contain the delimiter"));
        }
        let cell = |column: usize| columns[column].and_then(|place| row.get(place)).unwrap_or("").trim();
        let [document, key, response, count] = [0, 1, 2, 3].map(cell);
        if key.is_empty() && response.is_empty() {
            return Err(error(line, "this row has no entity on either side".to_owned())
                .hint("leave out mentions that neither side has"));
        }
        let Ok(count) =
            count.parse::<u64>().map_err(drop).and_then(|count| if count > 0 { Ok(count) } else { Err(()) })
        else {
            return Err(error(line, format!("the count `{count}` is not a whole number above 0"))
                .hint("count the mentions that both entities contain"));
        };
        let place = table.place(document);
        table.documents[place].add(key, response, count).map_err(|what| error(line, what.to_owned()))?;
    }
    match layout {
        None => Err(error(0, "this table is empty".to_owned()).hint(HINT)),
        Some(_) => Ok(table),
    }
}

/// Returns the place of each of [`COLUMNS`].
fn columns_of(row: &csv::StringRecord) -> std::result::Result<[Option<usize>; 4], String> {
    let names: Vec<String> = row.iter().map(|name| name.trim().to_lowercase()).collect();
    let places = COLUMNS.map(|column| names.iter().position(|name| name == column));
    // Otherwise rows that differ only in another column, such as a misspelt `document`, would be added up.
    let is_other = |(place, _): &(usize, &String)| !places.contains(&Some(*place));
    if let Some((place, other)) = names.iter().enumerate().find(is_other) {
        return Err(match COLUMNS.contains(&other.as_str()) {
            true => format!("the first row names the column `{other}` twice"),
            false if other.is_empty() => format!("column {} has no name", place + 1),
            false => format!("`{other}` is not a column of a table of counts"),
        });
    }
    match COLUMNS.iter().zip(places).skip(1).find(|column| column.1.is_none()) {
        Some((column, _)) => Err(format!("the first row has no column `{column}`")),
        None => Ok(places),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CountTable> {
        let input = Input::Bytes { name: "x.csv".into(), bytes: text.as_bytes().into() };
        CountTable::read(&input, &Limits::default(), &AtomicU64::new(0))
    }

    #[test]
    fn tables_add_up_in_any_order() {
        let parts = [
            "document,key,response,count\nd,a,x,1\nd,a,,2\ne,b,x,1\n",
            "count;response;key;document\n3;x;a;d\n1;y;;d\n",
        ];
        let both = |order: [usize; 2]| {
            let mut sum = CountTable::default();
            order.iter().for_each(|&part| sum.add(&read(parts[part]).expect("a table")).expect("small sums"));
            sum.to_csv().expect("text")
        };
        let sum = both([0, 1]);
        assert_eq!(sum, "document,key,response,count\nd,,y,1\nd,a,,2\nd,a,x,4\ne,b,x,1\n");
        assert_eq!(both([1, 0]), sum);
        assert_eq!(read(&sum).and_then(|table| table.to_csv()), Ok(sum));
        let without = "key,response,count\na,x,1\n";
        assert_eq!(read(without).and_then(|table| table.to_csv()).as_deref(), Ok(without));
    }

    #[test]
    fn a_part_may_lack_rows_but_not_a_column() {
        let [whole, empty, without] = [
            "document,key,response,count\nd,a,x,1\n",
            "document,key,response,count\n",
            "key,response,count\n",
        ]
        .map(|text| read(text).expect("a table"));
        let mut sum = CountTable::default();
        assert!(sum.check_filled().is_err());
        assert_eq!(sum.add(&empty), Ok(()));
        assert!(sum.check_filled().is_err());
        assert_eq!(sum.add(&whole), Ok(()));
        assert_eq!(sum.check_filled(), Ok(()));
        assert_eq!(sum.to_csv(), whole.to_csv());
        let error = sum.add(&without).expect_err("other columns");
        assert!(error.message().starts_with("this table has no column `document`"), "{error}");
        let error = without.check_columns(&whole).expect_err("other columns");
        assert!(error.message().starts_with("this table has a column `document`"), "{error}");
    }

    /// Key {1 2 3} {4}, response {1 2} {3 4} {5}.
    #[test]
    fn dropped_singletons_do_not_count_as_shared() {
        let table = read("key,response,count\na,x,2\na,y,1\nb,y,1\n,z,1\n").expect("a table");
        let all = table.documents()[0].overlap(false).expect("small");
        assert_eq!((all.key_sizes(), all.response_sizes()), (&[3, 1][..], &[2, 2, 1][..]));
        assert_eq!(all.shared_mentions(), 4);
        let without = table.documents()[0].overlap(true).expect("small");
        assert_eq!((without.key_sizes(), without.response_sizes()), (&[3][..], &[2, 2][..]));
        assert_eq!(without.shared_mentions(), 3);
    }

    /// A document without key mentions needs no row in the table of a system that has no mentions there either.
    #[test]
    fn tables_of_one_key_may_lack_documents_without_key_mentions() {
        let [mut one, other, third] = [
            "document,key,response,count\nd,a,x,2\n",
            "document,key,response,count\nd,a,,2\ne,,y,1\n",
            "document,key,response,count\nd,a,,2\ne,b,,1\n",
        ]
        .map(|text| read(text).expect("a table"));
        assert_eq!((one.differs_in_key(&other), other.differs_in_key(&one)), (None, None));
        assert_eq!((one.differs_in_key(&third), third.differs_in_key(&other)), (Some("e"), Some("e")));
        one.add_documents_of(&other);
        let ids: Vec<&str> = one.documents().iter().map(|document| document.id()).collect();
        assert_eq!(ids, ["d", "e"]);
        let empty = one.documents()[1].overlap(false).expect("an empty table");
        assert_eq!((empty.key_mentions(), empty.response_mentions()), (0, 0));
    }

    #[test]
    fn invalid_counts_are_refused_with_their_line() {
        for (text, line, wanted) in [
            ("", 0, "this table is empty"),
            ("key,response\na,b\n", 1, "no column `count`"),
            ("doc,key,response,count\nd,a,b,1\n", 1, "`doc` is not a column"),
            ("key,key,response,count\na,a,b,1\n", 1, "`key` twice"),
            ("key,response,count,\na,b,1,\n", 1, "column 4 has no name"),
            ("key,response,count\na,b\n", 2, "has 2 cells"),
            ("key,response,count\na,b,1\n,,1\n", 3, "neither side"),
            ("key,response,count\na,b,0\n", 2, "not a whole number above 0"),
            ("key,response,count\na,b,1.5\n", 2, "not a whole number above 0"),
            ("key,response,count\na,b,-1\n", 2, "not a whole number above 0"),
            ("key,response,count\na,b,18446744073709551615\na,b,1\n", 3, "64 bits"),
        ] {
            let error = read(text).expect_err(text);
            assert_eq!(error.position().map(|position| position.line), Some(line), "{error}");
            assert!(error.to_string().contains(wanted), "{error}");
        }
        for (text, side) in [
            ("key,response,count\na,b,4294967296\n", "the key"),
            ("key,response,count\na,x,4294967295\nb,,1\n", "the key"),
            ("document,key,response,count\nd,,x,4294967295\nd,,y,1\n", "the response of `d`"),
        ] {
            let error = read(text).expect("a table").documents()[0].overlap(false).expect_err(text);
            assert_eq!(error.message(), format!("{side} has more than 4,294,967,295 mentions"));
        }
        let most = read("key,response,count\na,x,4294967294\nb,y,1\n").expect("a table");
        assert_eq!(most.documents()[0].overlap(false).map(|table| table.key_mentions()), Ok(u32::MAX.into()));
    }
}
