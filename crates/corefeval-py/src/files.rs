//! Reads documents from files, and writes them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use corefeval_core::alignment;
use corefeval_core::conversion::Documents;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Values, format_and_notation, limits, refuse_warnings, settings_of_files};
use corefeval_core::formats::{FormatSpec, ReadOptions, Side, WriteOptions, WrittenTexts};
use corefeval_core::input::Input;
use corefeval_core::model::{Corpus, Document};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::document::PyDocument;
use crate::errors::raised;
use crate::report::findings;
use crate::request::{GivenSide, open};
use crate::wording;

/// Options of reading and writing, with their names on the command line.
struct Choices(Vec<(String, String)>);

impl Values for Choices {
    fn values(&self, name: &str) -> Vec<String> {
        let given = self.0.iter().filter(|choice| choice.0 == name);
        given.map(|choice| choice.1.clone()).collect()
    }
}

/// Reads the documents of files. An input is a path, or the name and the bytes of a text. Also returns the findings.
#[pyfunction]
#[pyo3(signature = (inputs, *, format, response, choices, strict, onto=None) -> "tuple[list[Document], list[dict[str, Any]]]")]
pub fn read<'py>(
    py: Python<'py>,
    inputs: Vec<(PathBuf, Option<PyBackedBytes>)>,
    format: Option<&str>,
    response: bool,
    choices: Vec<(String, String)>,
    strict: bool,
    onto: Option<GivenSide<'py>>,
) -> PyResult<(Vec<PyDocument>, Bound<'py, PyAny>)> {
    let choices = Choices(choices);
    let limits = limits(&choices).map_err(|error| raised(py, &error))?;
    let key = onto.map(|side| open(py, (None, side), &limits)).transpose();
    let key = key.map_err(|error| raised(py, &error))?;
    let read = py.detach(|| -> Result<_> {
        let (format, notation) = format_and_notation(format.filter(|format| *format != "auto"))?;
        let settings = settings_of_files(format, notation, &choices)?;
        let side = if response { Side::Response } else { Side::Key };
        let mut options = ReadOptions::of(&settings, side, &[]);
        options.keep_layers = true;
        options.accept_answers = key.is_some();
        options.limits = limits;
        let (mut documents, mut diagnostics) = (Vec::new(), Diagnostics::default());
        for (path, bytes) in inputs {
            let input = match bytes {
                None => Input::Path(path),
                Some(bytes) => {
                    Input::Bytes { name: path.to_string_lossy().into(), bytes: Arc::from(&*bytes) }
                }
            };
            let read = AtomicU64::new(0);
            if let Some(key) = &key {
                // As for scores, the key's format determines the profile.
                let placing = |key| {
                    settings_of_files(Some(key), None, &choices).map(|own| alignment::Options::of(&own))
                };
                let mut placed = Documents::of(&input, format, options.clone());
                placed.onto(&key.input, placing, &read, &mut diagnostics)?;
                let Some(format) = placed.key_format() else { continue };
                placed.for_each(&read, &mut diagnostics, &mut |_, document| {
                    documents.push(PyDocument { document: Arc::new(document.clone()), format });
                    Ok(())
                })?;
                continue;
            }
            let (corpus, format) = input.read(format, &options, &read)?;
            diagnostics.merge(corpus.diagnostics);
            let read = corpus.documents.into_iter();
            documents.extend(read.map(|document| PyDocument { document: Arc::new(document), format }));
        }
        if strict {
            refuse_warnings(&diagnostics)?;
        }
        Ok((documents, diagnostics))
    });
    let (documents, diagnostics) = read.map_err(|error| raised(py, &error))?;
    Ok((documents, findings(py, &diagnostics, wording::Python::OF_FILES)?))
}

/// A text of all documents, or the names and texts of files.
#[derive(IntoPyObject)]
pub enum WrittenFiles {
    /// All documents in one text.
    Whole(String),
    /// Separate files for each document.
    Files(Vec<(String, String)>),
}

/// Writes documents in a format. Also returns the findings.
#[pyfunction]
#[pyo3(signature = (documents, *, format, choices, strict) -> "tuple[str | list[tuple[str, str]], list[dict[str, Any]]]")]
pub fn write<'py>(
    py: Python<'py>,
    documents: Vec<Bound<'py, PyDocument>>,
    format: &str,
    choices: Vec<(String, String)>,
    strict: bool,
) -> PyResult<(WrittenFiles, Bound<'py, PyAny>)> {
    let documents: Vec<Arc<Document>> =
        documents.iter().map(|document| Arc::clone(&document.get().document)).collect();
    let choices = Choices(choices);
    let written = py.detach(|| -> Result<_> {
        let format = FormatSpec::named(format)?;
        let settings = settings_of_files(Some(format), None, &choices)?;
        let documents = documents.iter().map(|document| Document::clone(document)).collect();
        let corpus = Corpus { documents, ..Corpus::default() };
        let written = format.write(&corpus, WriteOptions::of(&settings))?;
        if strict {
            refuse_warnings(&written.diagnostics)?;
        }
        Ok(written)
    });
    let written = written.map_err(|error| raised(py, &error))?;
    let texts = match written.texts {
        WrittenTexts::Whole(text) => WrittenFiles::Whole(text),
        WrittenTexts::Files(files) => WrittenFiles::Files(files),
    };
    Ok((texts, findings(py, &written.diagnostics, wording::Python::OF_FILES)?))
}
