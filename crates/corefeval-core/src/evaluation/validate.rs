//! Validates files on their own, and responses against their key.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Journal, Severity};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FormatSpec, ReadOptions};
use crate::input::{Input, annotation_of, detected};
use crate::limits::Limits;
use crate::model::{Corpus, Side};
use crate::reports::validation::{FixedFile, ValidatedFile, ValidationReport};
use crate::settings::CheckTokens;
use crate::threads::side_by_side;
use crate::validation::{Finding, add_excerpts, check_documents, fixes};
use crate::wording::{Position, switch, text};
use crate::{output, pairing};

use super::annotated::is_annotated;
use super::reading::Reading;
use super::request::{Inputs, NamedInput};
use super::{Evaluation, add_format, nothing};

/// The options of a validation.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Validate {
    /// True if files without a key are responses, in formats that have key and response in one file.
    pub response: bool,
    /// The destination of corrected files, if corrections were requested.
    pub fix: Option<WriteFixes>,
}

/// The destination of corrected files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFixes {
    /// In the file itself.
    InPlace,
    /// Next to the file: `key.fixed.conll` for `key.conll`.
    Beside,
}

impl WriteFixes {
    /// The values of `--fix` with a line of help.
    pub const VALUES: [(&'static str, &'static str); 2] =
        [("in-place", "replaces the file"), ("beside", "writes key.fixed.conll next to key.conll")];

    /// Returns the value called `name`.
    ///
    /// # Errors
    ///
    /// The value does not exist.
    pub fn named(name: &str) -> Result<WriteFixes> {
        match name {
            "in-place" | "yes" => Ok(WriteFixes::InPlace),
            "beside" => Ok(WriteFixes::Beside),
            _ => Err(Error::not_valid(name, "fix").hint("use in-place or beside")),
        }
    }

    fn target(self, file: &Path) -> PathBuf {
        match self {
            WriteFixes::InPlace => file.to_owned(),
            WriteFixes::Beside => {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let fixed = match name.split_once('.').filter(|(stem, _)| !stem.is_empty()) {
                    Some((stem, extension)) => format!("{stem}.fixed.{extension}"),
                    None => format!("{name}.fixed"),
                };
                file.with_file_name(fixed)
            }
        }
    }
}

/// A file to validate.
struct One<'i> {
    input: Input,
    /// The id of its documents if the file does not name them.
    default_id: String,
    side: Side,
    /// The input that it belongs to.
    of: &'i NamedInput,
    /// True if it may be the answer of a language model; false in a directory that also has files in other formats.
    may_be_answer: bool,
}

impl Evaluation {
    /// Finds problems in each file and, with a key, problems of scoring the responses against it. Problems are
    /// findings, not errors.
    ///
    /// ```
    /// use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request, Validate};
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/key.conll");
    /// let request = Request::new(Inputs::NoKey(vec![NamedInput::open(path)?]));
    /// let report = Evaluation::new(request)?.validate(&Validate::default())?;
    /// assert_eq!(report.findings().count(), 0);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The request is for pairs of files, or settings contradict each other.
    pub fn validate(&self, validate: &Validate) -> Result<ValidationReport> {
        let (key, responses) = match &self.request.inputs {
            Inputs::NoKey(inputs) | Inputs::Counts(inputs) => (None, inputs),
            Inputs::OneKey { key, responses } => (Some(key), responses),
            Inputs::Pairs(_) => {
                let error = Error::new(ErrorKind::Settings, "files are validated against one key");
                return Err(error.hint("name the key once for all responses"));
            }
        };
        let reading = Reading::new(self, &self.settings_before()?).with_layers().with_empty();
        let alone = if validate.response || key.is_some() { Side::Response } else { Side::Key };
        let sides =
            key.map(|key| (key, Side::Key)).into_iter().chain(responses.iter().map(|input| (input, alone)));
        let mut files = Vec::new();
        let mut ones = Vec::new();
        for (named, side) in sides {
            match expanded(&reading, named, side) {
                Ok((found, skipped)) => {
                    ones.extend(found);
                    files.extend(skipped);
                }
                Err(error) => files.push(file_report(&named.input.name(), Finding::of_errors(&error))),
            }
        }
        without_repetitions(&mut ones);
        let mut validated = Vec::new();
        side_by_side(self.request.threads, ones.len(), |place| {
            validate_one(&reading, &ones[place], validate.fix)
        })
        .into_iter()
        .for_each(|file| validated.push(file));
        files.extend(validated);
        if let Some(key) = key {
            let broken =
                |file: &ValidatedFile| file.findings.iter().any(|found| found.severity == Severity::Error);
            if !files.iter().any(broken) {
                for response in responses {
                    let found = self.findings_against(&reading, key, response, &files);
                    let name = response.input.name();
                    for finding in found {
                        let place = finding.position.as_ref().map_or(&*name, |position| &*position.source);
                        match files.iter().rposition(|file| file.path == place || file.path == name) {
                            Some(file) => files[file].findings.push(finding),
                            None => files.push(file_report(&name, vec![finding])),
                        }
                    }
                }
            }
        }
        if files.is_empty() {
            return Err(nothing());
        }
        let inputs: Vec<&Input> = ones.iter().map(|one| &one.input).collect();
        let mut formats = String::new();
        for file in &mut files {
            file.findings.sort_by(|one, other| one.order().cmp(&other.order()));
            add_excerpts(&mut file.findings, &inputs);
            match file.format.map(FormatSpec::named) {
                Some(Ok(spec)) if formats.is_empty() => formats = spec.id.to_owned(),
                Some(Ok(spec)) => add_format(&mut formats, spec),
                _ => {}
            }
        }
        let first = files.iter().find_map(|file| file.format);
        let settings = self.request.settings(first)?;
        let key = key.map(|key| key.input.name());
        Ok(ValidationReport { settings, format: formats, key, files })
    }

    /// Finds problems of scoring a response: all documents with different words, otherwise the findings of scoring.
    fn findings_against(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        response: &NamedInput,
        files: &[ValidatedFile],
    ) -> Vec<Finding> {
        let known: BTreeSet<_> = files.iter().flat_map(|file| &file.findings).map(identity).collect();
        let mut found = match self.scored(reading, key, response) {
            Ok(found) => found,
            Err(error) => Finding::of_errors(&error),
        };
        found.retain(|finding| {
            finding.code != Code::FormatAssumed.id()
                && finding.code != Code::DuplicateMention.id()
                && !known.contains(&identity(finding))
        });
        found
    }

    fn scored(&self, reading: &Reading<'_>, key: &NamedInput, response: &NamedInput) -> Result<Vec<Finding>> {
        let inputs = Inputs::OneKey { key: key.clone(), responses: vec![response.clone()] };
        let evaluation = self.of(self.request.clone().on(inputs));
        let within = Reading::new(&evaluation, &reading.settings).with_layers().with_empty();
        let loaded = within.read_all(&[(&key.input, Side::Key), (&response.input, Side::Response)])?;
        let settings = self.request.settings(loaded.first().map(|loaded| loaded.1.id))?;
        if settings.check_tokens != CheckTokens::No {
            let mut discarded = Diagnostics::default();
            let rules = (settings.pair_documents, settings.missing_documents);
            let pairs = pairing::pair_by(rules, &loaded[0].0, &loaded[1].0, &mut discarded)?;
            let doubtful = pairing::doubtful_pairs(&pairs, &settings, &mut discarded);
            let errors: Vec<Finding> = doubtful
                .into_iter()
                .filter_map(|pair| {
                    let response = pair.response?;
                    let compared =
                        pairing::compare_words(pair, pair.key, response, &settings, &mut discarded);
                    compared.err().map(|error| in_response(&error, response.source()))
                })
                .collect();
            if !errors.is_empty() {
                return Ok(errors);
            }
        }
        Ok(Finding::all(&evaluation.score()?.diagnostics))
    }
}

/// Returns the identity of a finding, to report it once.
fn identity(finding: &Finding) -> (Option<(Arc<str>, u32, u32)>, String) {
    let place = finding.position.as_ref();
    let place = place.map(|place| (Arc::clone(&place.source), place.line, place.column));
    (place, format!("{}: {}", finding.code, finding.message))
}

/// Returns an error about a pair of documents as a finding, at its place in the response, if any.
fn in_response(error: &Error, source: &Arc<str>) -> Finding {
    let mut finding = Finding::of_error(error);
    let there = finding.related.iter().find(|place| place.0.source == *source && place.0.line > 0).cloned();
    if let Some(there) = there {
        finding.position = Some(there.0);
    }
    finding
}

/// Returns the files of an input. Each file of a directory is separate, so that the others are still read after an
/// error.
fn expanded<'i>(
    reading: &Reading<'_>,
    named: &'i NamedInput,
    side: Side,
) -> Result<(Vec<One<'i>>, Option<ValidatedFile>)> {
    let (format, options) = reading.options(&named.input, side);
    let mut diagnostics = Diagnostics::default();
    let include = options.include.as_deref();
    let files = match format {
        Some(_) => named.input.files(format, include, &mut diagnostics)?,
        None => named.input.files_of_any_format(include, &mut diagnostics)?,
    };
    let Some(paths) = files else {
        // An annotation includes its text: hooks name every file that has changed.
        let annotation = match &named.input {
            Input::Path(path) if format.is_none() => annotation_of(path),
            _ => None,
        };
        let input = annotation.map_or_else(|| named.input.clone(), Input::Path);
        return Ok((
            vec![One { input, default_id: String::new(), side, of: named, may_be_answer: true }],
            None,
        ));
    };
    let is_other = |path: &PathBuf| detected(path).is_some_and(|spec| !spec.is_answer());
    let may_be_answer = format.is_some() || !paths.iter().any(is_other);
    let one = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let default_id = name.split('.').next().unwrap_or_default().to_owned();
        One { input: Input::Path(path), default_id, side, of: named, may_be_answer }
    };
    let skipped = Finding::all(&diagnostics);
    let skipped = (!skipped.is_empty()).then(|| {
        let report = file_report(&named.input.name(), skipped);
        ValidatedFile { directory: true, ..report }
    });
    Ok((paths.into_iter().map(one).collect(), skipped))
}

/// Drops files that are given twice, directly or through their texts.
fn without_repetitions(ones: &mut Vec<One<'_>>) {
    let mut seen = BTreeSet::new();
    ones.retain(|one| match &one.input {
        Input::Path(path) => seen.insert((path.clone(), one.side == Side::Key)),
        _ => true,
    });
}

fn file_report(path: &str, findings: Vec<Finding>) -> ValidatedFile {
    ValidatedFile {
        path: path.to_owned(),
        directory: false,
        format: None,
        documents: 0,
        mentions: 0,
        findings,
        fixed: None,
    }
}

/// Validates a file, after correcting it if requested.
fn validate_one(reading: &Reading<'_>, one: &One<'_>, fix: Option<WriteFixes>) -> ValidatedFile {
    let (format, options) = reading.options(&one.of.input, one.side);
    let journal = Journal::default();
    let options = ReadOptions {
        default_id: one.default_id.clone(),
        keep_layers: true,
        // Answers are read as far as possible without a key.
        accept_answers: one.may_be_answer,
        journal: Some(journal.clone()),
        all_errors: true,
        ..options
    };
    if let Input::Path(path) = &one.input
        && !one.may_be_answer
        && detected(path).is_some_and(FormatSpec::is_answer)
    {
        let message = "this file is read as an answer, but others in its directory as annotation in a format with words";
        let error = Error::new(ErrorKind::Format, message).coded(Code::MixedFormats).at(start_of(&one.input));
        return file_report(&one.input.name(), vec![Finding::of_error(&error)]);
    }
    let (fixed, failed) = match fix.map(|fix| correct(&one.input, format, &options, fix)) {
        Some(Ok(fixed)) => (fixed, None),
        Some(Err(error)) => (None, Some(Finding::of_error(&error))),
        None => (None, None),
    };
    let input = match &fixed {
        Some(fixed) => Input::Path(fixed.path.clone().into()),
        None => one.input.clone(),
    };
    journal.take();
    let mut report = file_report(&input.name(), Vec::new());
    report.fixed = fixed;
    report.findings.extend(failed);
    let mut corpus_format = None;
    let mut whole = Vec::new();
    match input.read(format, &options, &AtomicU64::new(0)) {
        Ok((corpus, spec)) => {
            corpus_format = Some(spec);
            report.documents = corpus.documents.len().max(corpus.answers.len()) as u64;
            report.mentions = corpus.documents.iter().map(|document| document.mentions().len() as u64).sum();
            let mut of_documents = Diagnostics::with_journal(Some(journal.clone()));
            check_documents(&corpus, &mut of_documents);
            let is_alone = one.of.input.name() == one.input.name();
            let empty = !corpus.documents.iter().any(is_annotated)
                && !corpus.answers.iter().any(crate::model::AnswerDocument::has_mentions);
            if is_alone && empty && !reading.allows_empty() {
                let error = Error::new(ErrorKind::Format, "this file has no mentions")
                    .coded(Code::NoAnnotation)
                    .at(start_of(&input));
                whole.push(Finding::of_error(&error));
            }
        }
        Err(error) => {
            whole.extend(Finding::of_errors(&error));
            // Reads the file again for findings in the documents that can be read.
            let mut of_documents = Diagnostics::with_journal(Some(journal.clone()));
            let again = ReadOptions { journal: None, ..options.clone() };
            let of_one = |document| Corpus { documents: vec![document], ..Corpus::default() };
            let _ = input.for_each_of_any_id(format, &again, &AtomicU64::new(0), &mut |document| {
                check_documents(&of_one(document), &mut of_documents);
                Ok(())
            });
        }
    }
    report.format = corpus_format.map(|spec| spec.id);
    let mut found = journal.take();
    found.retain(|finding| finding.code != Code::FormatAssumed);
    let id = report.format.or(format.map(|spec| spec.id)).unwrap_or_default();
    let found = with_fixable(found, &input, (id, &options.limits));
    // The entry's finding is an error, because no reader reads the file.
    if let (Input::Path(path), Some(finding)) =
        (&input, whole.iter_mut().find(|finding| finding.code == Code::Utf16.id()))
    {
        let name: Arc<str> = Arc::from(input.name());
        finding.fixable =
            fs::read(path).is_ok_and(|bytes| fixes::fix(&bytes, &name, format, &options).is_some());
    }
    report.findings.extend(found.into_iter().chain(whole));
    report
}

/// The position of findings about a whole file.
fn start_of(input: &Input) -> Position {
    Position::new(&input.name().into(), 0, 0)
}

/// Returns findings that state whether they can be corrected. `format` is the id of the file's format, if known, and the
/// limits of reading.
fn with_fixable(found: Vec<Diagnostic>, input: &Input, format: (&str, &Limits)) -> Vec<Finding> {
    let fixable = match input {
        Input::Path(path) if found.iter().any(|finding| fixes::fix_of(finding.code, format.0).is_some()) => {
            let name: Arc<str> = Arc::from(input.name());
            fs::read(path).map(|bytes| fixes::can_fix(&bytes, &name, format, &found)).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let fixable = fixable.into_iter().chain(std::iter::repeat(false));
    found.into_iter().zip(fixable).map(|(found, fixable)| Finding { fixable, ..Finding::of(found) }).collect()
}

/// Corrects a file. Returns `None` if there is nothing to correct.
fn correct(
    input: &Input,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    fix: WriteFixes,
) -> Result<Option<FixedFile>> {
    let Input::Path(path) = input else {
        let name: Arc<str> = Arc::from(input.name());
        return Err(Error::new(ErrorKind::Settings, "only files can be corrected")
            .at(Position::new(&name, 0, 0))
            .hint(text!("save it as a file, or leave out {}", switch("fix"))));
    };
    // The reader reports unreadable files.
    let Ok(bytes) = fs::read(path) else { return Ok(None) };
    let name: Arc<str> = Arc::from(path.display().to_string());
    let Some(fixed) = fixes::fix(&bytes, &name, format, options) else { return Ok(None) };
    let target = fix.target(path);
    output::write(&target, &fixed.bytes)?;
    Ok(Some(FixedFile { path: target.display().to_string(), codes: fixed.codes }))
}
