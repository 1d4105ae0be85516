//! The destination of converted text: memory until the losses are reported, new files, or standard output.

use std::borrow::Cow;
use std::io::IsTerminal as _;
use std::path::Path;

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::input::Input;
use corefeval_core::output::{NewFiles, NewFolder, refuse_compressed, refuse_input};

use crate::destination::for_standard_output;
use crate::put;

/// The maximum size of text to store until the losses are reported.
const KEPT: usize = 1 << 23;

/// Takes texts, piece by piece.
pub enum Sink<'s> {
    /// Stores them in memory, unless they are too large.
    Memory(Option<Vec<u8>>),
    /// Writes them to standard output, or directly to a device or pipe.
    Direct(Option<NewFiles>),
    /// Writes them to a file that is renamed at the end.
    File(NewFiles),
    /// Writes them to files of a folder, which are renamed at the end.
    Folder(NewFolder<'s>),
}

impl<'s> Sink<'s> {
    /// Stores texts in memory.
    pub fn memory() -> Sink<'s> {
        Sink::Memory(Some(Vec::new()))
    }

    /// Writes to standard output, or to a device or pipe. It is an error if that is one of the `inputs`.
    pub fn direct(file: Option<&Path>, inputs: &[&Input]) -> Result<Sink<'s>> {
        file.map_or(Ok(()), |file| refuse_input(file, inputs))?;
        let open = |file: &Path| -> Result<NewFiles> {
            let mut new = NewFiles::default();
            new.begin(file)?;
            Ok(new)
        };
        Ok(Sink::Direct(file.map(open).transpose()?))
    }

    /// Writes to a file. It is an error if its name would be read as compressed, or if it is one of the `inputs`.
    pub fn file(file: &Path, inputs: &[&Input]) -> Result<Sink<'s>> {
        refuse_input(file, inputs)?;
        refuse_compressed(file)?;
        let mut new = NewFiles::default();
        new.begin(file)?;
        Ok(Sink::File(new))
    }

    /// Writes to files of a folder.
    pub fn folder(folder: &'s Path, inputs: &'s [&'s Input]) -> Result<Sink<'s>> {
        NewFolder::new(folder, inputs).map(Sink::Folder)
    }

    /// Adds a piece of text: a whole file in a folder, otherwise a continuation of the previous piece.
    pub fn put(&mut self, name: &str, text: impl AsRef<[u8]>) -> Result<()> {
        let text = text.as_ref();
        match self {
            Sink::Memory(kept) => {
                if let Some(bytes) = kept.as_mut().filter(|bytes| bytes.len() + text.len() <= KEPT) {
                    bytes.extend_from_slice(text);
                } else {
                    *kept = None;
                }
                Ok(())
            }
            Sink::Direct(Some(file)) | Sink::File(file) => file.write(text),
            Sink::Direct(None) => match put(&for_display(text))? {
                true => Ok(()),
                false => Err(output_closed()),
            },
            Sink::Folder(files) => files.put(name, text),
        }
    }

    /// Gives the files their names. Returns the stored text, or `None` if it was too large.
    pub fn finish(self) -> Result<Option<Vec<u8>>> {
        match self {
            Sink::Memory(kept) => return Ok(kept),
            Sink::Direct(None) => {}
            Sink::Direct(Some(new)) | Sink::File(new) => new.finish()?,
            Sink::Folder(files) => files.finish()?,
        }
        Ok(Some(Vec::new()))
    }
}

/// Escapes text for standard output if it is a terminal, which would interpret control characters.
fn for_display(text: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(text) {
        Ok(words) if std::io::stdout().is_terminal() => {
            Cow::Owned(for_standard_output(words.to_owned()).into_bytes())
        }
        _ => Cow::Borrowed(text),
    }
}

/// Returns the typed file if it is a device or pipe, which is written directly.
pub fn written_directly(output: Option<&Path>) -> Option<&Path> {
    output.filter(|file| corefeval_core::output::is_written_directly(file))
}

/// The error that ends a conversion whose reader closed the pipe (`| head`), which is not an error for the user.
pub fn output_closed() -> Error {
    Error::new(ErrorKind::Io, CLOSED)
}

const CLOSED: &str = "standard output was closed";

/// Returns the result, or another one if standard output was closed.
pub fn unless_closed<T>(result: Result<T>, closed: T) -> Result<T> {
    match result {
        Err(error) if error.message() == CLOSED => Ok(closed),
        result => result,
    }
}
