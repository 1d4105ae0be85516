//! Reads columnar tables of each kind that this build supports.

use std::fs::File;
use std::sync::Arc;

use super::RowDocuments;
use super::columnar::{Columnar, SeeRows};
#[cfg(any(feature = "parquet", feature = "arrow"))]
use crate::diagnostic::Position;
use crate::error::Result;
#[cfg(any(feature = "parquet", feature = "arrow"))]
use crate::error::{Error, ErrorKind};
#[cfg(any(feature = "parquet", feature = "arrow"))]
use crate::shared_file::SharedFile;
#[cfg(any(feature = "parquet", feature = "arrow"))]
use crate::threads::caught;

// If panics abort, a damaged file would end the process.
#[cfg(all(any(feature = "parquet", feature = "arrow"), panic = "abort", not(debug_assertions)))]
compile_error!(
    "Parquet and Arrow need panics that unwind: build with --config 'profile.release.panic=\"unwind\"'"
);

impl Columnar {
    /// Adds the rows of a file.
    ///
    /// The crates that read these files panic on some damaged files. This function turns such panics into errors.
    pub(super) fn read(self, bytes: Vec<u8>, source: &Arc<str>, rows: &mut RowDocuments) -> Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Columnar::Parquet => self.caught(source, || super::parquet::read(bytes, source, rows)),
            #[cfg(feature = "arrow")]
            Columnar::Arrow => self.caught(source, || super::arrow::read(bytes, source, rows)),
            #[allow(unreachable_patterns, reason = "with both features, only Feather remains")]
            _ => {
                let _ = (bytes, rows);
                Err(self.unread(source))
            }
        }
    }

    #[cfg(any(feature = "parquet", feature = "arrow"))]
    fn caught(self, source: &Arc<str>, read: impl FnOnce() -> Result<()>) -> Result<()> {
        caught(read).unwrap_or_else(|| {
            let message = format!("{} is damaged", self.described());
            Err(Error::new(ErrorKind::Format, message).at(Position::new(source, 0, 0)).hint("write it again"))
        })
    }
}

/// A complete columnar table with only mentions and entities, and documents if there are several, as text or whole
/// numbers.
pub(crate) enum PlainBatches {
    #[cfg(feature = "parquet")]
    Parquet(super::parquet::PlainParquet),
    #[cfg(feature = "arrow")]
    Arrow(super::arrow::PlainArrow),
}

impl PlainBatches {
    /// Reads the columns of the table in a file; `None` if other columns are read, or if it has other types or errors.
    #[cfg_attr(not(any(feature = "parquet", feature = "arrow")), allow(unused_variables))]
    pub(crate) fn of(kind: Columnar, file: File) -> Option<PlainBatches> {
        match kind {
            #[cfg(feature = "parquet")]
            Columnar::Parquet => {
                let file = SharedFile::new(file).ok()?;
                caught(|| super::parquet::PlainParquet::of(file))?.map(PlainBatches::Parquet)
            }
            #[cfg(feature = "arrow")]
            Columnar::Arrow => {
                let file = SharedFile::new(file).ok()?;
                caught(|| super::arrow::PlainArrow::of(file))?.map(PlainBatches::Arrow)
            }
            #[allow(unreachable_patterns, reason = "with both features, only Feather remains")]
            _ => None,
        }
    }

    /// Returns the number of batches, which can be read on several threads.
    pub(crate) fn len(&self) -> usize {
        match *self {
            #[cfg(feature = "parquet")]
            PlainBatches::Parquet(ref table) => table.len(),
            #[cfg(feature = "arrow")]
            PlainBatches::Arrow(ref table) => table.len(),
        }
    }

    /// Returns the number of rows that the file declares.
    pub(crate) fn rows(&self) -> u64 {
        match *self {
            #[cfg(feature = "parquet")]
            PlainBatches::Parquet(ref table) => table.rows(),
            #[cfg(feature = "arrow")]
            PlainBatches::Arrow(ref table) => table.rows(),
        }
    }

    /// Returns whether the table has a column of documents.
    pub(crate) fn has_documents(&self) -> bool {
        match *self {
            #[cfg(feature = "parquet")]
            PlainBatches::Parquet(ref table) => table.has_documents(),
            #[cfg(feature = "arrow")]
            PlainBatches::Arrow(ref table) => table.has_documents(),
        }
    }

    /// Calls `see` with the rows of a batch, some at a time: their mentions, entities and documents. Returns `None` as
    /// soon as `see` does, or if a cell is not a name.
    #[cfg_attr(not(any(feature = "parquet", feature = "arrow")), allow(unused_variables))]
    pub(crate) fn read(&self, batch: usize, see: &mut SeeRows<'_>) -> Option<()> {
        match *self {
            #[cfg(feature = "parquet")]
            PlainBatches::Parquet(ref table) => caught(|| table.read(batch, see))?,
            #[cfg(feature = "arrow")]
            PlainBatches::Arrow(ref table) => caught(|| table.read(batch, see))?,
        }
    }
}
