//! The documents of tables with such a column: their names, and the shared mentions of their entities.
//!
//! Entities of all documents are numbered and joined together, because their names have different codes in different
//! documents. Each entity has the number of its document. At the end, entities and their cells are sorted by document.

use corefeval_metrics::aligned::AlignedEntities;
use corefeval_metrics::overlap::{Overlap, OverlapCell};
use corefeval_system::memory::{with_room, zeros};

use super::cells::Cells;
use super::name_codes::{DocumentHasher, NameHasher};
use super::nearby::moved;
use super::numbers::SideEntities;
use super::parts::{RecordParts, WrittenParts};
use super::pool::Pool;
use super::rows::{BlockTexts, LinePlace, NotPlain};
use crate::formats::{is_missing, is_word_for_missing};
use crate::model::NameNumbers;

/// A document of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TableDocument {
    pub(crate) name: Box<str>,
    /// The line of its first row, from 1.
    pub(crate) line: u32,
}

/// The size of the number of a document in bytes.
const NUMBER: usize = 4;

/// The documents of a range of a table that is being read.
pub(super) struct DocumentReader<'p> {
    hasher: NameHasher,
    /// The document of each row, divided like the rows.
    of_rows: RecordParts<'p, NUMBER>,
    documents: Vec<TableDocument>,
    hashers: Vec<DocumentHasher>,
    numbers: NameNumbers,
    /// The number of the document of the last row.
    last: u32,
    /// The number of lines in the range up to a place of the block.
    lines: u64,
    place: LinePlace,
}

impl<'p> DocumentReader<'p> {
    pub(super) fn new(hasher: NameHasher, pool: &'p Pool, parts: usize) -> DocumentReader<'p> {
        DocumentReader {
            hasher,
            of_rows: RecordParts::new(pool, parts),
            documents: Vec::new(),
            hashers: Vec::new(),
            numbers: NameNumbers::default(),
            last: 0,
            lines: 0,
            place: LinePlace::default(),
        }
    }

    /// Reads the document of a row. Returns the hasher of its names. `line` returns the place of the row.
    #[inline]
    pub(super) fn read(
        &mut self,
        texts: &BlockTexts<'_>,
        name: &[u8],
        line: impl FnOnce() -> LinePlace,
    ) -> Result<DocumentHasher, NotPlain> {
        let is_last = |document: &TableDocument| document.name.as_bytes() == name;
        if !self.documents.get(self.last as usize).is_some_and(is_last) {
            self.find(texts, name, line)?;
        }
        Ok(self.hashers[self.last as usize])
    }

    /// Finds the document of a row, or adds it.
    fn find(
        &mut self,
        texts: &BlockTexts<'_>,
        name: &[u8],
        line: impl FnOnce() -> LinePlace,
    ) -> Result<(), NotPlain> {
        let name = std::str::from_utf8(name).map_err(|_| NotPlain)?;
        if is_missing(name) || is_word_for_missing(name) {
            return Err(NotPlain);
        }
        let next = self.documents.len() as u32;
        self.last = self.numbers.number(name, next, |number| &self.documents[number as usize].name);
        if self.last == next {
            self.count_lines(texts, line());
            let line = u32::try_from(self.lines + 1).unwrap_or(u32::MAX);
            self.documents.push(TableDocument { name: name.into(), line });
            self.hashers.push(self.hasher.within(name.as_bytes()));
        }
        Ok(())
    }

    /// Adds the last row to a part.
    #[inline]
    pub(super) fn push(&mut self, part: usize) {
        self.of_rows.push(part, &self.last.to_le_bytes());
    }

    /// Counts the lines of the block before `end`.
    fn count_lines(&mut self, texts: &BlockTexts<'_>, end: LinePlace) {
        self.lines += self.place.lines_to(end, texts);
        self.place = end;
    }

    pub(super) fn end_block(&mut self, texts: &BlockTexts<'_>, end: LinePlace) {
        self.count_lines(texts, end);
        self.place = LinePlace::default();
    }

    /// Ends the reading of rows.
    pub(super) fn written(self) -> RangeDocuments {
        let DocumentReader { of_rows, documents, lines, .. } = self;
        RangeDocuments { of_rows: of_rows.written(), documents, lines, numbers: Vec::new() }
    }
}

/// The documents of a range of a table.
pub(super) struct RangeDocuments {
    of_rows: WrittenParts<NUMBER>,
    /// The documents in order of occurrence, until they are merged with those of other ranges.
    documents: Vec<TableDocument>,
    /// The number of lines of the range.
    lines: u64,
    /// The number of each document in the table.
    numbers: Vec<u32>,
}

impl RangeDocuments {
    /// Replaces the contents of `all` by the document of each row of a part, and gives the memory of the part back.
    pub(super) fn take(&self, part: usize, pool: &Pool, all: &mut Vec<u32>) {
        all.clear();
        self.of_rows.take_runs(part, pool, |run| {
            all.extend(run.iter().map(|number| self.numbers[u32::from_le_bytes(*number) as usize]));
        });
    }
}

/// Merges the documents of the ranges of a table, in order of occurrence.
pub(super) fn merged<'r>(ranges: impl Iterator<Item = &'r mut RangeDocuments>) -> Vec<TableDocument> {
    let (mut all, mut numbers) = (Vec::<TableDocument>::new(), NameNumbers::default());
    let mut lines = 0_u64;
    for range in ranges {
        for mut document in std::mem::take(&mut range.documents) {
            let next = all.len() as u32;
            let number = numbers.number(&document.name, next, |number| &all[number as usize].name);
            range.numbers.push(number);
            if number == next {
                document.line = u32::try_from(lines + u64::from(document.line)).unwrap_or(u32::MAX);
                all.push(document);
            }
        }
        lines += range.lines;
    }
    all
}

/// The shared mentions of the entities of several documents.
#[derive(Debug)]
pub(crate) struct DocumentOverlaps {
    /// The entities of key and response.
    sides: [SortedEntities; 2],
    /// The cells by key entity and response entity.
    cells: Vec<OverlapCell>,
    /// The start of the cells of each key entity, and the end.
    cell_starts: Vec<u32>,
}

/// The entities of a side, sorted by document.
#[derive(Debug)]
struct SortedEntities {
    sizes: Vec<u32>,
    /// The start of the entities of each document, and the end.
    starts: Vec<u32>,
}

impl SortedEntities {
    /// Sorts the entities of `documents` documents. Also returns the new number of each entity.
    fn new(entities: &SideEntities, documents: usize) -> (SortedEntities, Vec<u32>) {
        // First the number of entities of each document, two places later, then their start, then their end.
        let mut starts: Vec<u32> = zeros(documents + 2);
        entities.documents.iter().for_each(|&document| starts[document as usize + 2] += 1);
        for document in 0..documents {
            starts[document + 2] += starts[document + 1];
        }
        let mut sizes = zeros(entities.sizes.len());
        let mut numbers = with_room(entities.sizes.len());
        for (&size, &document) in entities.sizes.iter().zip(&entities.documents) {
            let next = &mut starts[document as usize + 1];
            sizes[*next as usize] = size;
            numbers.push(*next);
            *next += 1;
        }
        starts.pop();
        (SortedEntities { sizes, starts }, numbers)
    }

    /// Returns the number of the first entity of a document, and the sizes of its entities.
    fn of(&self, document: Option<usize>) -> (u32, &[u32]) {
        let Some(document) = document else { return (0, &[]) };
        let (start, end) = (self.starts[document], self.starts[document + 1]);
        (start, &self.sizes[start as usize..end as usize])
    }
}

impl DocumentOverlaps {
    /// Sorts entities and cells by document. `documents` contains the number of documents of each side.
    pub(super) fn new(sides: [SideEntities; 2], documents: [usize; 2], cells: Cells<'_>) -> DocumentOverlaps {
        let [key, response] = sides;
        let (key, new_keys) = SortedEntities::new(&key, documents[0]);
        let (response, new_responses) = SortedEntities::new(&response, documents[1]);
        let mut cell_starts = zeros(key.sizes.len() + 1);
        let cells = moved(cells, &new_keys, &new_responses, &mut cell_starts);
        DocumentOverlaps { sides: [key, response], cells, cell_starts }
    }

    /// Returns the entities of a document of the key and of a document of the response. A side may lack the document.
    pub(crate) fn of(&self, [key, response]: [Option<usize>; 2]) -> AlignedEntities {
        let (first_key, key_sizes) = self.sides[0].of(key);
        let (first_response, response_sizes) = self.sides[1].of(response);
        let cell_start = |entity: usize| self.cell_starts[first_key as usize + entity] as usize;
        let cells = &self.cells[cell_start(0)..cell_start(key_sizes.len())];
        let within = |cell: &OverlapCell| OverlapCell {
            key: cell.key - first_key,
            response: cell.response - first_response,
            shared: cell.shared,
        };
        let cells = cells.iter().map(within).collect();
        AlignedEntities::new(Overlap::of_cells(key_sizes.to_vec(), response_sizes.to_vec(), cells))
    }
}
