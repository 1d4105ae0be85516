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

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read};
use std::num::IntErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustc_hash::FxHashMap;

use corefeval_metrics::overlap::{Overlap, OverlapCell};

use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{
    COUNT_COLUMNS, Columnar, RowSplitter, SplitRow, is_missing, is_word_for_missing, read_as_name, utf8,
    why_missing, without_mark,
};
use crate::input::{Input, io_error_at};
use crate::limits::Limits;
use crate::model::{NameNumbers, Side};

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
    /// True if the rows name their documents; `None` if no table was added.
    names_documents: Option<bool>,
    diagnostics: Diagnostics,
}

/// The counts of one document.
#[derive(Clone, Debug, Default)]
pub struct CountedDocument {
    id: String,
    key: EntityNumbers,
    response: EntityNumbers,
    /// The number of mentions of key and response.
    mentions: [u32; 2],
    counts: FxHashMap<(u32, u32), u32>,
}

/// The entities of a side, numbered in order of occurrence.
#[derive(Clone, Debug, Default)]
struct EntityNumbers {
    numbers: NameNumbers,
    names: Vec<Box<str>>,
}

impl EntityNumbers {
    /// Returns the number of an entity, `NOWHERE` for an empty name. Each entity has a mention, so there are fewer
    /// entities than numbers.
    fn number(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return NOWHERE;
        }
        let next = self.names.len() as u32;
        let number = self.numbers.number(name, next, |number| &self.names[number as usize]);
        if number == next {
            self.names.push(name.into());
        }
        number
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
    /// let overlap = table.documents()[0].overlap(false);
    /// assert_eq!((overlap.key_sizes(), overlap.response_sizes()), (&[3][..], &[2, 4][..]));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first row does not name the columns; a row has a different number of cells, names no entity on either side,
    /// or has a count that is not a whole number above 0; a side of a document has more than 4,294,967,295 mentions.
    /// Tables of a folder cannot be added up.
    pub fn read(input: &Input, limits: &Limits, progress: &AtomicU64) -> Result<CountTable> {
        match input {
            Input::Path(folder) if folder.is_dir() => {
                let mut sum = CountTable::default();
                for part in parts_of(folder)? {
                    let part = Input::Path(part);
                    sum.add_table_of(&part, &read_file(&part, Some(folder), limits, progress)?)?;
                }
                Ok(sum)
            }
            _ => read_file(input, None, limits, progress),
        }
    }

    /// Reads tables of counts and adds them. Errors name the input.
    ///
    /// # Errors
    ///
    /// A table cannot be [read](CountTable::read) or [added](CountTable::add).
    pub fn add_input(&mut self, input: &Input, limits: &Limits, progress: &AtomicU64) -> Result<()> {
        self.add_table_of(input, &CountTable::read(input, limits, progress)?)
    }

    /// Adds the table of an input, which errors name.
    fn add_table_of(&mut self, input: &Input, table: &CountTable) -> Result<()> {
        self.add(table).map_err(|error| error.at(Position::new(&input.name().into(), 0, 0)))
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
            (Some(true), Some(false)) => {
                "this table has no column `document`, but the earlier tables have one"
            }
            (Some(false), Some(true)) => {
                "this table has a column `document`, but the earlier tables have none"
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
    /// A side of a document then has more than 4,294,967,295 mentions, or only one of the tables has a column `document`.
    pub fn add(&mut self, other: &CountTable) -> Result<()> {
        self.check_columns(other)?;
        self.names_documents = self.names_documents.or(other.names_documents);
        for document in &other.documents {
            let place = self.place(&document.id);
            let ours = &mut self.documents[place];
            for (key, response, count) in document.cells() {
                ours.add(document.key.name(key), document.response.name(response), count.into())?;
            }
        }
        self.diagnostics.merge(other.diagnostics.clone());
        Ok(())
    }

    /// Returns the findings of the tables that were read: rows that repeat the entities of an earlier row of their
    /// table.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Returns the documents, sorted by id.
    pub fn documents(&self) -> Vec<&CountedDocument> {
        self.places.values().map(|&place| &self.documents[place]).collect()
    }

    /// Returns the id of the first document whose key entities or their sizes differ between the tables. A table has no
    /// entities for a document that it lacks.
    pub fn differs_in_key<'t>(&'t self, other: &'t CountTable) -> Option<&'t str> {
        let ids: BTreeSet<&str> = self.places.keys().chain(other.places.keys()).map(AsRef::as_ref).collect();
        let of_key = |table: &'t CountTable, id: &str| {
            table.places.get(id).map(|&place| table.documents[place].key_sizes()).unwrap_or_default()
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
        let columns = &COUNT_COLUMNS[usize::from(!with_documents)..];
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(columns).map_err(|error| failed(&error))?;
        for document in self.documents() {
            let cells = document.cells().into_iter();
            let named = cells.map(|(key, response, count)| {
                (document.key.name(key), document.response.name(response), count)
            });
            let mut rows: Vec<(&str, &str, u32)> = named.collect();
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
    fn cells(&self) -> Vec<(u32, u32, u32)> {
        let cells = self.counts.iter().map(|(&(key, response), &count)| (key, response, count));
        let mut cells: Vec<(u32, u32, u32)> = cells.collect();
        cells.sort_unstable();
        cells
    }

    /// Adds mentions of a pair of entities, one of which may be empty. Fails if a side then has more than
    /// 4,294,967,295 mentions: pairs of more do not fit 64 bits.
    fn add(&mut self, key: &str, response: &str, count: u64) -> Result<Added> {
        let [of_key, of_response] = &mut self.mentions;
        for (entity, mentions, side) in [(key, of_key, Side::Key), (response, of_response, Side::Response)] {
            if !entity.is_empty() {
                let sum = u32::try_from(count).ok().and_then(|count| mentions.checked_add(count));
                *mentions = sum.ok_or_else(|| too_large(&self.id, side))?;
            }
        }
        let pair = (self.key.number(key), self.response.number(response));
        // A count is at most the number of mentions of a side.
        Ok(match self.counts.entry(pair) {
            Entry::Occupied(mut sum) => {
                *sum.get_mut() += count as u32;
                Added::ToOther
            }
            Entry::Vacant(new) => {
                new.insert(count as u32);
                Added::New
            }
        })
    }

    /// Returns the key entities with their sizes, sorted by name.
    fn key_sizes(&self) -> Vec<(&str, u32)> {
        let mut sizes: Vec<(&str, u32)> = self.key.names.iter().map(|name| (&**name, 0)).collect();
        for (key, _, count) in self.cells() {
            if key != NOWHERE {
                sizes[key as usize].1 += count;
            }
        }
        sizes.sort_unstable();
        sizes
    }

    /// Returns the table that metrics are computed from. Mentions of dropped singletons are not shared.
    pub fn overlap(&self, drop_singletons: bool) -> Overlap {
        let mut sizes = [vec![0_u32; self.key.names.len()], vec![0_u32; self.response.names.len()]];
        let cells = self.cells();
        for &(key, response, count) in &cells {
            for (sizes, entity) in sizes.iter_mut().zip([key, response]) {
                if entity != NOWHERE {
                    sizes[entity as usize] += count;
                }
            }
        }
        let [(key_numbers, key_sizes), (response_numbers, response_sizes)] = sizes.map(|sizes| {
            let (mut numbers, mut left) = (Vec::with_capacity(sizes.len()), Vec::new());
            for size in sizes {
                let drops = drop_singletons && size == 1;
                numbers.push(if drops { NOWHERE } else { left.len() as u32 });
                left.extend((!drops).then_some(size));
            }
            (numbers, left)
        });
        let number = |numbers: &[u32], entity: u32| numbers.get(entity as usize).copied().unwrap_or(NOWHERE);
        let cells = cells.into_iter().filter_map(|(key, response, shared)| {
            let (key, response) = (number(&key_numbers, key), number(&response_numbers, response));
            (key != NOWHERE && response != NOWHERE).then_some(OverlapCell { key, response, shared })
        });
        let cells = cells.collect();
        Overlap::of_cells(key_sizes, response_sizes, cells)
    }
}

/// The effect of a count: a new pair of entities, or a second count of a known pair.
enum Added {
    New,
    ToOther,
}

/// The error of a document with too many mentions.
fn too_large(id: &str, side: Side) -> Error {
    let side = if side == Side::Key { "key" } else { "response" };
    let document = if id.is_empty() { String::new() } else { format!(" of `{id}`") };
    let message = format!("the {side}{document} has more than 4,294,967,295 mentions");
    Error::new(ErrorKind::Format, message)
        .hint("divide the rows by a column `document`, or score each part separately")
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

/// The largest length of a line, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The number of lines between two checks of the memory in use.
const CHECK_MEMORY: u32 = 1 << 16;

/// Reads a table, which may be one of a folder.
fn read_file(
    input: &Input,
    folder: Option<&Path>,
    limits: &Limits,
    progress: &AtomicU64,
) -> Result<CountTable> {
    let source: Arc<str> = Arc::from(input.name());
    input.with_bytes(limits, progress, |bytes| read_rows(bytes, &source, folder, limits))
}

fn read_rows(
    bytes: &mut dyn BufRead,
    source: &Arc<str>,
    folder: Option<&Path>,
    limits: &Limits,
) -> Result<CountTable> {
    let failed = |line: u32, problem: &dyn std::fmt::Display| {
        Error::new(ErrorKind::Io, format!("this table cannot be read: {problem}"))
            .at(Position::new(source, line, 0))
    };
    let mut table = CountTable::default();
    let mut splitter = RowSplitter::new(Arc::clone(source));
    let (mut line, mut number, mut delimiter) = (Vec::new(), 0_u32, None);
    let mut layout: Option<(usize, PlacesOfColumns)> = None;
    loop {
        line.clear();
        let read = Read::take(&mut *bytes, LONGEST_LINE).read_until(b'\n', &mut line);
        if read.map_err(|problem| failed(number, &problem))? == 0 {
            break;
        }
        number = number.saturating_add(1);
        let at = |(line, column)| Position::new(source, line, column);
        if number == 1
            && let Some(columnar) = Columnar::of(&line)
        {
            return Err(columnar.not_counts(source, folder, &line));
        }
        if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
            let error = Error::new(ErrorKind::Format, "this line has more than 1 MB");
            return Err(error.at(at((number, 1))).hint("is this a table of counts?"));
        }
        if number.is_multiple_of(CHECK_MEMORY) {
            limits.check_memory().map_err(|problem| failed(number, &problem))?;
        }
        let text = utf8(if number == 1 { without_mark(&line) } else { &line }, source, number, 1)?;
        if !splitter.is_within_row() && text.trim_ascii().is_empty() {
            continue;
        }
        let delimiter = *delimiter.get_or_insert_with(|| {
            DELIMITERS.into_iter().find(|delimiter| text.as_bytes().contains(delimiter)).unwrap_or(b',')
        });
        let Some(row) = splitter.add(text, number, delimiter)? else { continue };
        match &layout {
            Some((cells, columns)) => {
                row.check_count(*cells, source)?;
                table.add_row(&row, columns, &at)?;
            }
            None => {
                let columns = PlacesOfColumns::of(&row, &at)?;
                table.names_documents = Some(columns.document.is_some());
                layout = Some((row.count(), columns));
            }
        }
    }
    splitter.finish()?;
    match layout {
        None => Err(Error::new(ErrorKind::Format, "this table is empty")
            .at(Position::new(source, 0, 0))
            .hint(HINT)),
        Some(_) => Ok(table),
    }
}

/// The places of the columns among the cells of a row.
struct PlacesOfColumns {
    document: Option<usize>,
    key: usize,
    response: usize,
    count: usize,
}

impl PlacesOfColumns {
    /// Finds the columns that the first row names.
    fn of(row: &SplitRow<'_>, at: &dyn Fn((u32, u32)) -> Position) -> Result<PlacesOfColumns> {
        let names: Vec<String> = (0..row.count()).map(|cell| row.cell(cell).to_lowercase()).collect();
        let error = |cell: usize, message: String| {
            Err(Error::new(ErrorKind::Format, message).at(at(row.place(cell))).hint(HINT))
        };
        let places = COUNT_COLUMNS.map(|column| names.iter().position(|name| name == column));
        // Otherwise rows that differ only in another column, such as a misspelt `document`, would be added up.
        let is_other = |(cell, _): &(usize, &String)| !places.contains(&Some(*cell));
        if let Some((cell, other)) = names.iter().enumerate().find(is_other) {
            return error(
                cell,
                match COUNT_COLUMNS.contains(&other.as_str()) {
                    true => format!("the first row names the column `{other}` twice"),
                    false if other.is_empty() => format!("column {} has no name", cell + 1),
                    false => format!("`{other}` is not a column of a table of counts"),
                },
            );
        }
        match places {
            [document, Some(key), Some(response), Some(count)] => {
                Ok(PlacesOfColumns { document, key, response, count })
            }
            _ => {
                let lacks = COUNT_COLUMNS.iter().zip(places).skip(1).find(|column| column.1.is_none());
                let lacks = lacks.map_or("", |column| column.0);
                error(row.count(), format!("the first row has no column `{lacks}`"))
            }
        }
    }
}

impl CountTable {
    /// Adds a row of a file. `at` returns the position of a line and column.
    fn add_row(
        &mut self,
        row: &SplitRow<'_>,
        columns: &PlacesOfColumns,
        at: &dyn Fn((u32, u32)) -> Position,
    ) -> Result<()> {
        let error = |column: usize, message: String, hint: &'static str| {
            Error::new(ErrorKind::Format, message).at(at(row.place(column))).hint(hint)
        };
        let [key, response, count] =
            [columns.key, columns.response, columns.count].map(|cell| row.cell(cell));
        if let Some(column) = columns.document.filter(|&column| is_missing(row.cell(column))) {
            let hint = "name its document, or remove the column if all rows belong to one document";
            let message = format!("this row names no document{}", why_missing(row.cell(column)));
            return Err(error(column, message, hint));
        }
        for (column, entity) in [(columns.key, key), (columns.response, response)] {
            if is_missing(entity) && !entity.is_empty() {
                let message = format!("this cell names no entity{}", why_missing(entity));
                return Err(error(
                    column,
                    message,
                    "leave the cell empty, or set the engine's option for missing values",
                )
                .coded(Code::BadValue));
            }
        }
        if key.is_empty() && response.is_empty() {
            let message = "this row has no entity on either side".to_owned();
            return Err(error(columns.key, message, "leave out mentions that neither side has"));
        }
        let count = parse_count(count).map_err(|(message, hint)| error(columns.count, message, hint))?;
        let id = columns.document.map(|column| row.cell(column));
        let place = self.place(id.unwrap_or_default());
        let named = [
            (columns.document, "a document"),
            (Some(columns.key), "an entity"),
            (Some(columns.response), "an entity"),
        ];
        for (column, what) in named {
            if let Some(column) = column.filter(|&column| is_word_for_missing(row.cell(column))) {
                let message = || read_as_name(row.cell(column), what);
                self.diagnostics.add(
                    Code::MissingWord,
                    Some(at(row.place(column))),
                    id.map(str::to_owned),
                    message,
                );
            }
        }
        let document = &mut self.documents[place];
        match document.add(key, response, count) {
            Ok(Added::New) => {}
            Ok(Added::ToOther) => {
                self.diagnostics.add(
                    Code::RepeatedCount,
                    Some(at(row.place(0))),
                    id.map(str::to_owned),
                    || "this row repeats the key and response of an earlier row; their counts were added up",
                );
            }
            Err(problem) => return Err(problem.at(at(row.place(columns.count)))),
        }
        Ok(())
    }
}

/// Parses the number of mentions of a row; [`u64::MAX`] represents any larger number. Otherwise returns the message and
/// the hint of the error.
fn parse_count(count: &str) -> std::result::Result<u64, (String, &'static str)> {
    const COUNT: &str = "count the mentions that both entities contain";
    match count.parse::<u64>() {
        Ok(number @ 1..) => Ok(number),
        Err(problem) if *problem.kind() == IntErrorKind::PosOverflow => Ok(u64::MAX),
        _ => Err(match count.parse::<f64>() {
            _ if count.is_empty() => ("this row has no count".to_owned(), COUNT),
            Ok(number) if number > 0.0 && number.fract() == 0.0 => (
                format!("the count `{count}` is not written as a whole number"),
                "convert the column to integers; outer joins in pandas turn them into floats",
            ),
            _ => (format!("the count `{count}` is not a whole number above 0"), COUNT),
        }),
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
        let all = table.documents()[0].overlap(false);
        assert_eq!((all.key_sizes(), all.response_sizes()), (&[3, 1][..], &[2, 2, 1][..]));
        assert_eq!(all.shared_mentions(), 4);
        let without = table.documents()[0].overlap(true);
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
        let empty = one.documents()[1].overlap(false);
        assert_eq!((empty.key_mentions(), empty.response_mentions()), (0, 0));
    }

    #[test]
    fn invalid_counts_are_refused_with_their_line() {
        let most = "key,response,count\na,x,4294967294\nb,y,1\n";
        for (text, place, wanted) in [
            ("", (0, 0), "this table is empty"),
            ("\n \n", (0, 0), "this table is empty"),
            ("key,response\na,b\n", (1, 13), "no column `count`"),
            ("key,doc,response,count\nd,a,b,1\n", (1, 5), "`doc` is not a column"),
            ("key,response,key,count\na,a,b,1\n", (1, 14), "`key` twice"),
            ("key,response,count,\na,b,1,\n", (1, 20), "column 4 has no name"),
            ("key,response,count\na,b\n", (2, 4), "has 2 cells"),
            (
                "key,response,count\na,b,1\na,\\N,1\n",
                (3, 3),
                "this cell names no entity: `\\N` stands for a missing",
            ),
            ("key,response,count\n\\N,b,1\n", (2, 1), "this cell names no entity"),
            ("document,key,response,count\n\\N,a,b,1\n", (2, 1), "names no document: `\\N` stands"),
            ("key,response,count\na,b,1\n,,1\n", (3, 1), "neither side"),
            ("document,key,response,count\nd,a,b,1\n ,b,c,1\n", (3, 1), "names no document"),
            ("key,response,count\na,b,0\n", (2, 5), "not a whole number above 0"),
            ("key,response,count\na,\"b, c\",1.5\n", (2, 10), "not a whole number above 0"),
            ("key,response,count\na,b,-1\n", (2, 5), "not a whole number above 0"),
            ("key,response,count\na,\"b\n,1\n", (2, 3), "does not close"),
            ("key,response,count\na,\"b\"c,1\n", (2, 6), "text follows the closing quote"),
            ("key,response,count\na,b,4294967296\n", (2, 5), "the key has more than 4,294,967,295 mentions"),
            ("key,response,count\n,b,99999999999999999999\n", (2, 4), "the response has more than"),
            (&format!("{most}c,,1\n"), (4, 4), "the key has more than"),
            (
                "document,key,response,count\nd,,x,4294967295\nd,,y,1\n",
                (3, 6),
                "the response of `d` has more",
            ),
        ] {
            let error = read(text).expect_err(text);
            let position = error.position().expect("a place");
            assert_eq!((position.line, position.column), place, "{text}: {error}");
            assert!(error.to_string().contains(wanted), "{error}");
        }
        let most = read(most).expect("a table");
        assert_eq!(most.documents()[0].overlap(false).key_mentions(), u64::from(u32::MAX));
        let error = most.clone().add(&most).expect_err("too many mentions");
        assert_eq!(error.message(), "the key has more than 4,294,967,295 mentions");
    }

    /// A query with GROUP BY never repeats a pair, but the tables of several parts may.
    #[test]
    fn repeated_pairs_within_a_table_are_added_up_with_a_warning() {
        let text = "document,key,response,count\nd,a,x,1\nd,,x,1\nd,a,x,2\ne,a,x,1\nd,a,,1\nd,,x,1\n";
        let table = read(text).expect("a table");
        let [group] = table.diagnostics().groups() else { panic!("one kind of findings") };
        assert_eq!((group.code, group.count), (Code::RepeatedCount, 2));
        let lines: Vec<_> = group.kept.iter().map(|one| one.position.as_ref().map(|at| at.line)).collect();
        assert_eq!(lines, [Some(4), Some(7)]);
        assert!(table.to_csv().expect("text").contains("d,,x,2\nd,a,,1\nd,a,x,3\n"));
        let mut sum = table.clone();
        sum.add(&read("document,key,response,count\nd,a,x,1\n").expect("a table")).expect("small sums");
        assert_eq!(sum.diagnostics(), table.diagnostics());
    }
    #[test]
    fn words_for_missing_values_are_names_with_a_warning() {
        let text = "document,key,response,count\nd,a,x,1\nd,NULL,x,1\nd,a,None,2\nNA,Nan Goldin,y,1\n";
        let table = read(text).expect("a table");
        let [group] = table.diagnostics().groups() else { panic!("one kind of findings") };
        let found: Vec<_> = group
            .kept
            .iter()
            .map(|one| (one.position.as_ref().map(|at| (at.line, at.column)), one.document.as_deref()))
            .collect();
        assert_eq!(group.code, Code::MissingWord);
        assert_eq!(found, [(Some((3, 3)), Some("d")), (Some((4, 5)), Some("d")), (Some((5, 1)), Some("NA"))]);
        assert!(group.kept[1].message.to_string().starts_with("`None` was read as the name of an entity"));
        assert!(table.to_csv().expect("text").contains("d,NULL,x,1\n"));
    }
}
