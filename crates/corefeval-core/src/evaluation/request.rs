//! The request: inputs, settings and metrics, as a front end understood them.
//!
//! A [`Request`] contains the options that all tasks share. Each task has a type for its other options
//! ([`Compare`](super::Compare), [`Agree`](super::Agree), …). Defaults, conflicts and their hints are defined here and
//! in those types, so that all front ends reject the same requests for the same reasons.

use crate::wording::text;
use crate::wording::{Part, Text, option, option_blank, option_value, quoted};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;

use glob::Pattern;

use crate::ace_parameters::AceChanges;
use crate::analysis::ErrorReport;
use crate::choice::Choice as _;
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::groups::By;
use crate::heuristics::Heuristics;
use crate::input::{self, Input};
use crate::limits::{Limits, SMALL, read_small};
use crate::metrics::{self, Metric};
use crate::model::Document;
use crate::named::NameFile;
use crate::profiles::Profile;
use crate::score::Task;
use crate::settings::{
    AlignedShare, Average, CeafBound, Match, MinAligned, OPTIONS, OptionSpec, PARAMETERS, Settings, SpanEnds,
    SplitAntecedents, Switch, ceaf_bound,
};
use crate::signature::counted;
use crate::significance::Method;
use crate::suggest::one_of;
use crate::systems::without_format;
use crate::weights::Weights;

/// An input with its name in reports.
#[derive(Clone, Debug)]
pub struct NamedInput {
    /// The name of the system or of the annotator.
    pub name: String,
    /// True if the user chose the name. Otherwise the name changes if two inputs share it.
    pub named: bool,
    /// The path as the user wrote it; empty for documents from a program.
    pub path: String,
    /// The source of the bytes or documents.
    pub input: Input,
}

impl NamedInput {
    /// Returns a file or directory as an input, named by the last part of its path without the extension of a format.
    /// `-` is standard input, which is read to its end now.
    ///
    /// # Errors
    ///
    /// Standard input or a pipe cannot be read. Files are opened when they are read.
    pub fn open(path: &str) -> Result<NamedInput> {
        NamedInput::open_within(path, &Limits::default())
    }

    /// Like [`open`](Self::open), with memory limits for input that is read now.
    ///
    /// # Errors
    ///
    /// Standard input or a pipe cannot be read, or exceeds the limits.
    pub fn open_within(path: &str, limits: &Limits) -> Result<NamedInput> {
        let (name, input) = (short_name(path), Input::open_within(path, limits)?);
        Ok(NamedInput { name, named: false, path: path.to_owned(), input })
    }

    /// Returns bytes in memory as an input, treated like a file of this name.
    pub fn of_bytes(name: &str, bytes: &[u8]) -> NamedInput {
        let input = Input::Bytes { name: name.into(), bytes: bytes.into() };
        NamedInput { name: short_name(name), named: false, path: name.to_owned(), input }
    }

    /// Returns the input under a name that the user chose.
    #[must_use]
    pub fn called(self, name: impl Into<String>) -> NamedInput {
        NamedInput { name: name.into(), named: true, ..self }
    }

    /// Returns documents from a program as an input. `format` is the format that they were read from, or
    /// [`FormatSpec::of_program`].
    pub fn documents(
        name: impl Into<String>,
        documents: impl Into<Arc<Vec<Arc<Document>>>>,
        format: &'static FormatSpec,
    ) -> NamedInput {
        let name = name.into();
        let (label, documents) = (Arc::from(name.as_str()), documents.into());
        let input = Input::Documents { name: label, documents, findings: Diagnostics::default(), format };
        NamedInput { named: true, path: String::new(), input, name }
    }

    /// Adds the findings of the program that made the documents of this input, which reports then include. Other inputs
    /// have their findings from their files, and stay unchanged.
    #[must_use]
    pub fn found(mut self, more: Diagnostics) -> NamedInput {
        if let Input::Documents { findings, .. } = &mut self.input {
            findings.merge(more);
        }
        self
    }
}

/// Returns the last part of a path, for files without the extensions of compression and format: `birch` for
/// `systems/birch.v4_gold_conll.gz`.
fn short_name(path: &str) -> String {
    let file = Path::new(path);
    let name = || file.file_name().map(|name| name.to_string_lossy().into_owned());
    let short = if file.is_dir() { name() } else { without_format(file) };
    short.unwrap_or_else(|| path.to_owned())
}

/// The inputs: keys and responses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Inputs {
    /// Responses to one key, or the files of directories pair by pair.
    OneKey {
        /// The key.
        key: NamedInput,
        /// The responses.
        responses: Vec<NamedInput>,
    },
    /// Pairs of a key and a response, each scored separately.
    Pairs(Vec<[NamedInput; 2]>),
    /// Responses whose key is made from names.
    NoKey(Vec<NamedInput>),
    /// Tables of counts, each for a key and a system: see [`counts`](crate::counts).
    Counts(Vec<NamedInput>),
}

impl Inputs {
    /// Returns all inputs, the key first.
    pub(super) fn all(&self) -> Vec<&NamedInput> {
        match self {
            Inputs::OneKey { key, responses } => std::iter::once(key).chain(responses).collect(),
            Inputs::Pairs(pairs) => pairs.iter().flatten().collect(),
            Inputs::NoKey(inputs) | Inputs::Counts(inputs) => inputs.iter().collect(),
        }
    }

    /// Renames responses with the same short name to their file name, and responses with the same file name to their
    /// path, without extension if that distinguishes them. Fails if the user chose the same name for two responses.
    fn give_distinct_names(&mut self) -> Result<()> {
        let (Inputs::OneKey { responses, .. } | Inputs::NoKey(responses) | Inputs::Counts(responses)) = self
        else {
            return Ok(());
        };
        let chosen: Vec<&str> = responses
            .iter()
            .filter(|response| response.named)
            .map(|response| response.name.as_str())
            .collect();
        if let Some(twice) = (1..chosen.len()).find(|&place| chosen[..place].contains(&chosen[place])) {
            let message = format!("two systems are called `{}`", chosen[twice]);
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("give each a unique name: {}", Part::NamedPath)));
        }
        let file_name = |response: &NamedInput| {
            let name = Path::new(&response.path).file_name();
            name.map_or_else(|| response.path.clone(), |name| name.to_string_lossy().into_owned())
        };
        let short_path = |response: &NamedInput| {
            let short = Path::new(&response.path).with_file_name(short_name(&response.path));
            short.to_string_lossy().into_owned()
        };
        let longer: [&dyn Fn(&NamedInput) -> String; 3] =
            [&file_name, &short_path, &|response| response.path.clone()];
        for longer in longer {
            let names: Vec<String> = responses.iter().map(|response| response.name.clone()).collect();
            for response in responses.iter_mut().filter(|response| !response.named) {
                if names.iter().filter(|name| **name == response.name).count() > 1 {
                    response.name = longer(response);
                }
            }
        }
        Ok(())
    }
}

/// An item of a list of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetricItem {
    /// Every metric that the format supports.
    All,
    /// A metric.
    One(Metric),
    /// All metrics except this one; without parameters, it excludes all variants.
    Without(Metric),
}

/// The signature of an earlier report, as read.
#[derive(Clone, Debug)]
struct Signed {
    /// The part about scores: version, format and settings.
    of_scores: String,
    settings: Settings,
    /// The names of the other fields: the method of tests and intervals, and choices of analyses.
    others: Vec<String>,
}

impl Signed {
    fn read(signature: &str) -> Result<Signed> {
        let (of_scores, _) = Method::split_signature(&ErrorReport::split_signature(signature).0)?;
        let settings = Settings::from_signature(&of_scores)?;
        let is_of_scores = |field: &&str| of_scores.split('|').any(|other| other == *field);
        let others = signature.trim().split('|').filter(|field| !is_of_scores(field));
        let names = others.filter_map(|field| Some(field.split_once(':')?.0.to_owned()));
        Ok(Signed { settings, others: names.collect(), of_scores })
    }
}

/// The part of a request that all tasks share: inputs, settings and metrics.
///
/// ```
/// use corefeval_core::evaluation::Request;
/// let request = Request::files("key.conll", ["response.conll"])?.choose("singletons", "drop")?.metrics("muc,lea")?;
/// assert!(request.choose("singletons", "sometimes").is_err());
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) inputs: Inputs,
    pub(super) key_format: Option<&'static FormatSpec>,
    pub(super) response_format: Option<&'static FormatSpec>,
    profile: Option<&'static Profile>,
    /// The signature of an earlier report.
    base: Option<Signed>,
    /// Fields of the signature that the caller reads, besides the settings and those of the task.
    read_by_caller: &'static [&'static str],
    choices: Vec<(&'static OptionSpec, String)>,
    metrics: Option<Vec<MetricItem>>,
    /// The parameter file of ACE-value: its name and text.
    ace_parameters: Option<(String, String)>,
    weights: Option<Weights>,
    min_aligned: Option<MinAligned>,
    span_ends: Option<SpanEnds>,
    ceaf_bound: Option<CeafBound>,
    /// The files of parameters, weights and labels.
    small_files: Vec<PathBuf>,
    pub(super) names: Option<Arc<NameFile>>,
    pub(super) by: Option<By>,
    pub(super) strict: bool,
    pub(super) allow_empty: bool,
    pub(super) include: Option<Arc<Pattern>>,
    pub(super) threads: usize,
    pub(super) limits: Limits,
}

impl Request {
    /// Creates a request with the profile's settings and metrics, on all cores.
    pub fn new(inputs: Inputs) -> Request {
        Request {
            inputs,
            key_format: None,
            response_format: None,
            profile: None,
            base: None,
            read_by_caller: &[],
            choices: Vec::new(),
            metrics: None,
            ace_parameters: None,
            weights: None,
            min_aligned: None,
            span_ends: None,
            ceaf_bound: None,
            small_files: Vec::new(),
            names: None,
            by: None,
            strict: false,
            allow_empty: false,
            include: None,
            threads: available_parallelism().map_or(1, usize::from),
            limits: Limits::default(),
        }
    }

    /// Creates a request to score files or directories against a key.
    ///
    /// # Errors
    ///
    /// Standard input or a pipe cannot be read. Files are opened when they are read.
    pub fn files<'p>(key: &str, responses: impl IntoIterator<Item = &'p str>) -> Result<Request> {
        let responses = responses.into_iter().map(NamedInput::open).collect::<Result<_>>()?;
        Ok(Request::new(Inputs::OneKey { key: NamedInput::open(key)?, responses }))
    }

    /// Sets the format of the key; by default it is detected from each file's first bytes.
    #[must_use]
    pub fn key_format(self, format: impl Into<Option<&'static FormatSpec>>) -> Request {
        Request { key_format: format.into(), ..self }
    }

    /// Sets the format of the responses; by default it is detected from each file's first bytes.
    #[must_use]
    pub fn response_format(self, format: impl Into<Option<&'static FormatSpec>>) -> Request {
        Request { response_format: format.into(), ..self }
    }

    /// Sets the profile; by default the format of the key determines it. It cannot be combined with a
    /// [`signature`](Self::signature), which names a profile.
    ///
    /// # Errors
    ///
    /// The request has a signature.
    pub fn profile(self, profile: &'static Profile) -> Result<Request> {
        match self.base {
            Some(_) => Err(two_profiles()),
            None => Ok(Request { profile: Some(profile), ..self }),
        }
    }

    /// Applies all settings in the signature of an earlier report. Chosen options override them.
    ///
    /// # Errors
    ///
    /// The request has a profile, the text is not a signature, or the signature names unknown settings.
    pub fn signature(self, signature: &str) -> Result<Request> {
        if self.profile.is_some() {
            return Err(two_profiles());
        }
        Ok(Request { base: Some(Signed::read(signature)?), ..self })
    }

    /// Sets one option of [`OPTIONS`] by name. The last value takes precedence.
    ///
    /// # Errors
    ///
    /// The option does not exist, or the value is not one of its values.
    pub fn choose(mut self, name: &str, value: &str) -> Result<Request> {
        // An invalid value is reported here, not after a large file is read.
        Settings::of(Profile::for_format("")).set(name, value)?;
        if let Some(option) = OPTIONS.iter().find(|option| option.name == name) {
            self.choices.retain(|choice| choice.0.name != name);
            self.choices.push((option, value.to_owned()));
        }
        Ok(self)
    }

    /// Sets the metrics, joined by commas. `all` adds every metric that the format supports, and `-ID` leaves one out.
    /// A list of `-ID` alone starts from the metrics of the profile.
    ///
    /// ```
    /// use corefeval_core::evaluation::Request;
    /// let request = Request::files("key.conll", ["response.conll"])?;
    /// assert!(request.clone().metrics("all,-rand").is_ok() && request.clone().metrics("-lea").is_ok());
    /// assert!(request.metrics("all,-rnad").is_err());
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A metric or a parameter does not exist.
    pub fn metrics(self, list: &str) -> Result<Request> {
        let item = |item: &str| match item.trim() {
            all if all.eq_ignore_ascii_case("all") => Ok(MetricItem::All),
            id => match id.strip_prefix('-') {
                Some(id) => Metric::parse(id).map(MetricItem::Without),
                None => Metric::parse(id).map(MetricItem::One),
            },
        };
        Ok(Request { metrics: Some(list.split(',').map(item).collect::<Result<_>>()?), ..self })
    }

    /// Sets the parameters of ACE-value that differ from the evaluation's, from a TOML file.
    ///
    /// # Errors
    ///
    /// The file cannot be read. [`Evaluation::new`](super::Evaluation::new) checks the parameters.
    pub fn ace_parameters(self, path: &str) -> Result<Request> {
        let not_text = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let read = read_small(Path::new(path), SMALL);
        let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(not_text)).map_err(|error| {
            Error::new(ErrorKind::Io, format!("the parameters of ACE-value cannot be read: {error}"))
                .at(Position::new(&path.into(), 0, 0))
        })?;
        Ok(Request { ace_parameters: Some((path.to_owned(), text)), ..self.also_reading(path) })
    }

    /// Sets the weights of mention and entity types.
    #[must_use]
    pub fn weights(self, weights: Weights) -> Request {
        Request { weights: Some(weights), ..self }
    }

    /// Sets the weights of mention and entity types, from a TOML file or by the name of a preset.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not a file of weights.
    pub fn weights_from(self, path: &str) -> Result<Request> {
        Ok(self.also_reading(path).weights(Weights::open(path)?))
    }

    /// Records a file that is read in addition to the inputs.
    fn also_reading(mut self, path: &str) -> Request {
        self.small_files.push(PathBuf::from(path));
        self
    }

    /// Sets the minimum share of a response's text that the key must contain.
    ///
    /// # Errors
    ///
    /// The text is not a number from 0 to 1.
    pub fn min_aligned(self, share: &str) -> Result<Request> {
        Ok(Request { min_aligned: Some(MinAligned(AlignedShare::parse("min-aligned", share)?)), ..self })
    }

    /// Sets the meaning of the second number of a span in single inputs: `ada=exclusive,bo=inclusive`.
    ///
    /// # Errors
    ///
    /// The list is not of the form `NAME=END,…`.
    pub fn span_end_of(self, list: &str) -> Result<Request> {
        Ok(Request { span_ends: Some(SpanEnds::parse(list)?), ..self })
    }

    /// Returns the names of an input: its name in reports, and its path.
    pub(super) fn names_of(&self, input: &Input) -> Vec<&str> {
        let named = self.inputs.all().into_iter().find(|named| std::ptr::eq(&raw const named.input, input));
        named.map_or_else(Vec::new, |named| vec![named.path.as_str(), named.name.as_str()])
    }

    /// Fails if the ends of spans are set for an unknown input, or for paired files.
    pub(super) fn check_span_ends(&self, settings: &Settings) -> Result<()> {
        let inputs = self.inputs.all();
        let known = |name: &str| inputs.iter().any(|named| named.name == name || named.path == name);
        let refused = |message: Text, hint: Text| Err(Error::new(ErrorKind::Settings, message).hint(hint));
        if settings.pair_files == Switch::Yes && settings.span_ends.names().next().is_some() {
            return refused(
                text!("{} applies to whole inputs, but files are paired", option("span-end-of")),
                text!("use {} or {}", option("key-span-end"), option("response-span-end")),
            );
        }
        let Some(unknown) = settings.span_ends.names().find(|name| !known(name)) else { return Ok(()) };
        refused(
            text!("{} names {}, which is not an input", option("span-end-of"), quoted(unknown)),
            one_of(unknown, "the inputs are", inputs.iter().map(|named| named.name.as_str())).into(),
        )
    }

    /// Allows CEAF φ3 and φ4 to stop with bounds, at a gap (`0.001`), a time (`10s`), or either (`0.001,10s`).
    ///
    /// # Errors
    ///
    /// The text is neither a gap above 0 and at most 1 nor a time with its unit.
    pub fn ceaf_bound(self, bound: &str) -> Result<Request> {
        Ok(Request { ceaf_bound: Some(ceaf_bound(bound)?), ..self })
    }

    /// Labels the names in the key's text from a file, or in the responses' text if no key is given.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not a file of labels.
    pub fn name_file(self, path: &str) -> Result<Request> {
        let bytes = read_small(Path::new(path), SMALL).map_err(|error| {
            Error::new(ErrorKind::Io, format!("the named-entity labels cannot be read: {error}"))
                .at(Position::new(&path.into(), 0, 0))
        })?;
        Ok(Request { names: Some(Arc::new(NameFile::read(&bytes, path)?)), ..self.also_reading(path) })
    }

    /// Adds scores by group of documents or mentions.
    #[must_use]
    pub fn by(self, by: By) -> Request {
        Request { by: Some(by), ..self }
    }

    /// Turns the first warning into an error.
    #[must_use]
    pub fn strict(self, strict: bool) -> Request {
        Request { strict, ..self }
    }

    /// Also scores files without mentions, which are otherwise an error.
    #[must_use]
    pub fn allow_empty(self, allow_empty: bool) -> Request {
        Request { allow_empty, ..self }
    }

    /// Reads only the files of directories that match a pattern with `*`, `?` and `[…]`: by their names, or by their
    /// paths within the directory if the pattern has a slash.
    ///
    /// # Errors
    ///
    /// The pattern is invalid.
    pub fn include(self, pattern: &str) -> Result<Request> {
        Ok(Request { include: Some(Arc::new(input::pattern(pattern)?)), ..self })
    }

    /// Sets the largest number of threads to use. Results do not depend on it.
    #[must_use]
    pub fn threads(self, threads: usize) -> Request {
        Request { threads: threads.max(1), ..self }
    }

    /// Sets the memory in bytes that the process may use while reading; 0 means no limit. The default is nine tenths of
    /// the machine's memory.
    #[must_use]
    pub fn max_memory(self, bytes: u64) -> Request {
        Request { limits: Limits { memory: Some(bytes), ..self.limits }, ..self }
    }

    /// Returns the request for other inputs.
    #[must_use]
    pub fn on(self, inputs: Inputs) -> Request {
        Request { inputs, ..self }
    }

    /// Returns the inputs.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Returns all files that are read: the inputs, and the files of parameters, weights and labels.
    pub fn all_inputs(&self) -> Vec<Input> {
        let named: Vec<&NamedInput> = match &self.inputs {
            Inputs::OneKey { key, responses } => std::iter::once(key).chain(responses).collect(),
            Inputs::Pairs(pairs) => pairs.iter().flatten().collect(),
            Inputs::NoKey(inputs) | Inputs::Counts(inputs) => inputs.iter().collect(),
        };
        let inputs = named.into_iter().map(|named| named.input.clone());
        inputs.chain(self.small_files.iter().cloned().map(Input::Path)).collect()
    }

    /// Returns whether warnings are errors.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Resolves everything that does not require reading: names of inputs, settings, metrics.
    pub(super) fn validated(mut self) -> Result<Request> {
        if self.inputs.all().is_empty() {
            return Err(Error::new(ErrorKind::Settings, "no input was given").hint("name at least one"));
        }
        self.inputs.give_distinct_names()?;
        let settings = self.settings(self.key_format.map(|format| format.id))?;
        if self.metrics.is_some() {
            self.metrics_for(&settings, self.key_format.map_or("", |format| format.id))?;
        }
        Ok(self)
    }

    /// Returns the settings for a key in `format`; `None` before it is read.
    pub(super) fn settings(&self, format: Option<&str>) -> Result<Settings> {
        let profile = self.profile.unwrap_or_else(|| Profile::for_format(format.unwrap_or_default()));
        let base = self.base.as_ref().map(|base| base.settings.clone());
        let mut settings = base.unwrap_or_else(|| Settings::of(profile));
        for (option, value) in &self.choices {
            settings.set(option.name, value)?;
        }
        // Parameters from a signature must exist under the chosen rules.
        settings.ace_changes = AceChanges::parse(&settings.ace_changes.to_string(), settings.ace)?;
        if let Some((name, text)) = &self.ace_parameters {
            (settings.ace, settings.ace_changes) = AceChanges::read(text, name, settings.ace)
                .map_err(|error| error.of_kind(ErrorKind::Format))?;
        }
        settings.min_aligned = self.min_aligned.unwrap_or(settings.min_aligned);
        settings.span_ends = self.span_ends.clone().unwrap_or(settings.span_ends);
        settings.ceaf_bound = self.ceaf_bound.or(settings.ceaf_bound);
        settings.weights = self.weights.clone().or(settings.weights);
        if !matches!(self.inputs, Inputs::NoKey(_)) {
            // The signature may come from scores without a key.
            settings.key_approximate = None;
        }
        if matches!(self.inputs, Inputs::Pairs(_)) {
            settings.pair_files = Switch::Yes;
        }
        if settings.pair_files == Switch::Yes && settings.average == Average::Macro {
            let message = text!(
                "the macro average is over pairs of files, but {} is over documents",
                option_value("average", "macro")
            );
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("leave out {}", option_value("average", "macro"))));
        }
        if settings.ceaf_bound.is_some() {
            self.check_bounds(&settings)?;
        }
        Ok(settings)
    }

    /// Fails if bounds of CEAF are requested together with means over documents or contributions of single mentions.
    /// Bounds add up over documents, but means have no bounds, and contributions depend on the map.
    fn check_bounds(&self, settings: &Settings) -> Result<()> {
        let mentions = self.by.filter(|by| by.is_of_mentions());
        let other = match mentions {
            Some(by) => option_value("by", by.id()),
            None if settings.average != Average::Micro => option_value("average", settings.average.id()),
            None if settings.pair_files == Switch::Yes => option("pair-files"),
            None => return Ok(()),
        };
        let message = text!(
            "{} gives bounds of sums over documents, which {} does not use",
            option("ceaf-bound"),
            other
        );
        Err(Error::new(ErrorKind::Settings, message).hint("leave out one of them"))
    }

    /// Returns the metrics and settings for documents in `format`, for a program that pairs them itself: see
    /// [`score_documents`](super::score_documents).
    ///
    /// # Errors
    ///
    /// Settings contradict each other, or the format does not support a metric.
    pub fn task(&self, format: &str) -> Result<Task> {
        let settings = self.settings(Some(format))?;
        let metrics = self.metrics_for(&settings, format)?;
        Ok(Task { settings, metrics, by: self.by, threads: self.threads })
    }

    /// Returns the requested metrics without duplicates; `all` means those of `format`. Defaults to the profile's
    /// metrics and, with weights, the metrics that use them.
    pub(super) fn metrics_for(&self, settings: &Settings, format: &str) -> Result<Vec<Metric>> {
        let mut metrics: Vec<Metric> = Vec::new();
        match &self.metrics {
            Some(items) => {
                if items.iter().all(|item| matches!(item, MetricItem::Without(_))) {
                    metrics = usual(settings)?;
                }
                for item in items {
                    let added = match item {
                        MetricItem::All => Metric::all_for(format),
                        MetricItem::One(metric) => vec![*metric],
                        MetricItem::Without(_) => continue,
                    };
                    for metric in added {
                        if !metrics.contains(&metric) {
                            metrics.push(metric);
                        }
                    }
                }
                let without = items.iter().filter_map(|item| match item {
                    MetricItem::Without(metric) => Some(metric),
                    _ => None,
                });
                for metric in without {
                    metrics.retain(|other| !other.is_variant_of(metric));
                }
                if metrics.is_empty() {
                    return Err(Error::new(
                        ErrorKind::Settings,
                        text!("{} leaves out every metric", option("metrics")),
                    )
                    .hint(text!("name at least one, for example {}", option_value("metrics", "muc"))));
                }
            }
            None => metrics = usual(settings)?,
        }
        check_weights(&metrics, settings)?;
        Ok(metrics)
    }

    /// Returns the request with these metrics, unless it names some.
    pub(super) fn or_metrics(self, metrics: &[Metric]) -> Request {
        if self.has_metrics() { self } else { self.for_metrics(metrics) }
    }

    /// Returns the request with these metrics.
    pub(super) fn for_metrics(self, metrics: &[Metric]) -> Request {
        Request { metrics: Some(metrics.iter().map(|metric| MetricItem::One(*metric)).collect()), ..self }
    }

    /// Returns the request under another profile. Chosen options override it.
    pub(super) fn under(&self, profile: &'static Profile) -> Request {
        Request { profile: Some(profile), base: None, ..self.clone() }
    }

    /// Returns the request under these settings.
    pub(super) fn with_settings(self, settings: Settings) -> Request {
        let base = Some(Signed { of_scores: String::new(), settings, others: Vec::new() });
        let (ace_parameters, weights, min_aligned) = (None, None, None);
        let (span_ends, ceaf_bound, choices) = (None, None, Vec::new());
        Request {
            base,
            profile: None,
            choices,
            ace_parameters,
            weights,
            min_aligned,
            span_ends,
            ceaf_bound,
            ..self
        }
    }

    /// Returns the request with key and response exchanged.
    pub(super) fn swapped(self, key: &NamedInput, response: &NamedInput) -> Request {
        let inputs = Inputs::OneKey { key: response.clone(), responses: vec![key.clone()] };
        let (key_format, response_format) = (self.response_format, self.key_format);
        Request { inputs, key_format, response_format, ..self }
    }

    /// Warns about a minimum share of aligned text, other than the default, if no text is aligned.
    pub(super) fn warn_unaligned(&self, diagnostics: &mut Diagnostics) {
        if self.min_aligned.is_some_and(|share| share != MinAligned::default()) {
            diagnostics.add(Code::WithoutEffect, None, None, || {
                text!("{} has no effect: no text is aligned", option("min-aligned"))
            });
        }
    }

    /// Returns whether metrics were requested.
    pub(super) fn has_metrics(&self) -> bool {
        self.metrics.is_some()
    }

    /// Returns whether this metric was requested by its own name, not through a profile or `all`.
    pub fn names_metric(&self, metric: &Metric) -> bool {
        self.metrics.iter().flatten().any(|item| *item == MetricItem::One(*metric))
    }

    /// Returns the heuristics for the signature, if any.
    pub(super) fn heuristics_of_signature(&self) -> Option<Heuristics> {
        self.base.as_ref().and_then(|base| base.settings.key_approximate)
    }

    /// Returns the options that were chosen one by one.
    pub(super) fn chosen_options(&self) -> impl Iterator<Item = &'static OptionSpec> {
        self.choices.iter().map(|choice| choice.0)
    }

    /// Returns the chosen options about names, as `name:value`.
    pub(super) fn options_about_names(&self) -> Vec<String> {
        let chosen = self.choices.iter().filter(|(option, _)| option.concerns_names());
        let chosen = chosen.map(|(option, value)| format!("{}:{value}", option.name));
        chosen.chain(self.names.is_some().then(|| "ne-labels".to_owned())).collect()
    }

    /// Returns a sentence for each difference between the settings' origin and this evaluation (version, format).
    fn signature_differs(&self, format: &str) -> Vec<String> {
        let signature = self.base.as_ref().map_or("", |base| base.of_scores.as_str());
        let here = [("corefeval", crate::version::VERSION, "version"), ("format", format, "format")];
        let differs = |(name, here, what)| {
            let mut fields = signature.trim().split('|').filter_map(|field| field.split_once(':'));
            let there = fields.find(|field| field.0 == name)?.1;
            // `conll+jsonlines` is a key in CoNLL and a response in JSON lines.
            let first = FormatSpec::ids_of(there).first().copied();
            let there = first.filter(|_| name == "format").unwrap_or(there);
            (there != here).then(|| format!("they were printed for {what} {there}; this is {here}"))
        };
        here.into_iter().filter_map(differs).collect()
    }

    /// Names fields of the signature that the caller reads, such as those of an analysis of errors. They cause no warning if
    /// the task itself does not use them.
    #[must_use]
    pub fn read_by_caller(mut self, fields: &'static [&'static str]) -> Request {
        self.read_by_caller = fields;
        self
    }

    /// Warns about fields of the signature, such as those of tests, that neither the settings nor this task use. `used`
    /// are the fields that the task reads in addition to the settings.
    pub(super) fn warn_of_unused_fields(&self, used: &[&str], task: &str, diagnostics: &mut Diagnostics) {
        let others = self.base.iter().flat_map(|base| &base.others);
        let is_used = |name: &str| used.contains(&name) || self.read_by_caller.contains(&name);
        let mut unused: Vec<String> =
            others.filter(|name| !is_used(name)).map(|name| format!("`{name}`")).collect();
        unused.dedup();
        if !unused.is_empty() {
            let have = if unused.len() == 1 { "has" } else { "have" };
            diagnostics.add(Code::WithoutEffect, None, None, || {
                format!("the settings given: {} {have} no effect on {task}", unused.join(", "))
            });
        }
    }

    /// Warns about choices without effect on a task in these formats, the key's first: options about names and the minimum
    /// share of aligned text that nothing uses, weights that some metrics do not use, settings that do not apply to the
    /// formats or metrics, and settings that were printed for another format or version. `is_aligned` is whether the
    /// text of a response is aligned with the key's, or will be if that is not known yet.
    pub fn warn_without_effect(
        &self,
        task: &Task,
        formats: &[&'static FormatSpec],
        is_aligned: bool,
        diagnostics: &mut Diagnostics,
    ) {
        if !is_aligned {
            self.warn_unaligned(diagnostics);
        }
        let idle = if metrics::need_names(&task.settings, &task.metrics) {
            Vec::new()
        } else {
            self.options_about_names()
        };
        for option in idle {
            diagnostics.add(Code::WithoutEffect, None, None, || {
                format!("`{option}` has no effect: no metric scores named mentions")
            });
        }
        let plain: Vec<String> =
            task.metrics.iter().filter(|metric| !metric.uses_weights()).map(Metric::to_string).collect();
        // Without a list of metrics, the profile's own metrics are shown in addition to weighted ones.
        if task.settings.weights.is_some() && !plain.is_empty() && self.has_metrics() {
            let (code, message) = match plain.len() == task.metrics.len() {
                true => {
                    let message = "the weights have no effect: none of the metrics uses them".to_owned();
                    (Code::WithoutEffect, message)
                }
                false => (Code::Unweighted, format!("the weights have no effect on {}", plain.join(", "))),
            };
            diagnostics.add(code, None, None, || message);
        }
        let idle = self.without_effect(&task.settings, formats, &task.metrics);
        if !idle.iter().any(|row| row.0 == "ceaf-bound") {
            warn_of_idle_bound(task, diagnostics);
        }
        for message in formats.first().map_or_else(Vec::new, |key| self.signature_differs(key.id)) {
            diagnostics.add(Code::OtherOrigin, None, None, || format!("the settings given: {message}"));
        }
        for (name, value, what) in idle {
            diagnostics
                .add(Code::WithoutEffect, None, None, || format!("`{name}:{value}` has no effect on {what}"));
        }
    }

    /// Returns the settings, chosen or set by the profile, without effect on the formats or the metrics: their names and
    /// values, and which of the two rules them out. The key's format comes first. Documents from a program have no
    /// format, so any option may affect them.
    fn without_effect(
        &self,
        settings: &Settings,
        formats: &[&'static FormatSpec],
        metrics: &[Metric],
    ) -> Vec<(&'static str, String, String)> {
        if formats.iter().any(|format| FormatSpec::known(format.id).is_none()) {
            return Vec::new();
        }
        let (of_key, of_responses) = formats.split_at(1.min(formats.len()));
        let of_side = |name: &str| match name.split_once('-') {
            Some(("key", _)) => of_key,
            Some(("response", _)) => of_responses,
            _ => formats,
        };
        let traits = |formats: &[&'static FormatSpec]| {
            formats.iter().map(|format| format.traits()).collect::<Vec<_>>()
        };
        let metrics = counted(metrics);
        let chosen = |name: &str| self.choices.iter().any(|choice| choice.0.name == name);
        let unusual = |option: &OptionSpec| option.ids().next() != Some(option.value(settings));
        let options = OPTIONS.iter().filter(|option| chosen(option.name) || option.name == "annotation");
        let idle = options.filter(|option| unusual(option)).filter_map(|option| {
            let what = option.is_idle_on(&traits(of_side(option.name)), &metrics)?;
            Some((option.name, option.value(settings).to_owned(), what))
        });
        // No profile sets a parameter, but a signature may.
        let before = self.base.as_ref().map(|base| &base.settings);
        let parameters = PARAMETERS.iter().filter_map(|row| Some((row, row.value(settings)?)));
        let chosen = parameters
            .filter(|(row, value)| before.and_then(|before| row.value(before)).as_ref() != Some(value));
        let idle_parameters = chosen
            .filter_map(|(row, value)| Some((row.name, value, row.is_idle_on(&traits(formats), &metrics)?)));
        idle.chain(idle_parameters).collect()
    }
}

/// Returns the metrics of the profile and, with weights, the metrics that use them.
fn usual(settings: &Settings) -> Result<Vec<Metric>> {
    let mut metrics = Metric::of_profile(settings.profile)?;
    metrics.extend(settings.weights.iter().flat_map(|_| Metric::weighted()));
    Ok(metrics)
}

fn two_profiles() -> Error {
    Error::new(ErrorKind::Settings, "the signature already has a profile").hint("leave out one of them")
}

/// Checks that the settings allow metrics that use weights or give partial credit.
pub(super) fn check_weights(metrics: &[Metric], settings: &Settings) -> Result<()> {
    let wrong = |message: String| Error::new(ErrorKind::Settings, message);
    if let Some(metric) = metrics.iter().find(|metric| metric.uses_weights())
        && settings.weights.is_none()
    {
        let error = wrong(format!("`{metric}` needs weights"));
        return Err(error.hint(text!(
            "give them with {}; see examples/weights/weights.toml",
            option_blank("weights", "FILE")
        )));
    }
    let asks = metrics.iter().find(|metric| metric.uses_weights() || metric.credits_words());
    if let Some(metric) = asks
        && settings.split_antecedents != SplitAntecedents::Drop
    {
        let error = wrong(format!("`{metric}` is not defined for split antecedents"));
        return Err(error.hint(text!(
            "leave them out ({}), or take another metric",
            option_value("split-antecedents", "drop")
        )));
    }
    if let Some(metric) = metrics.iter().find(|metric| metric.credits_words())
        && settings.matching == Match::Exact
    {
        let error =
            wrong(format!("`{metric}` gives partial credit, but only mentions of the same words match"));
        return Err(error.hint(text!(
            "use {} or another rule that matches different words, or leave credit=words out",
            option_value("match", "overlap")
        )));
    }
    Ok(())
}

/// Fails if two systems have the same name, or if a name is empty.
pub(super) fn check_system_names<'n>(mut names: impl Iterator<Item = &'n str>) -> Result<()> {
    let mut known = std::collections::BTreeSet::new();
    let wrong = names.find(|name| name.trim().is_empty() || !known.insert(*name));
    let Some(wrong) = wrong else { return Ok(()) };
    let message = match wrong.trim() {
        "" => "the name of a system is empty".to_owned(),
        _ => format!("two systems are called `{wrong}`"),
    };
    Err(Error::new(ErrorKind::Settings, message).hint(text!("name them: {}", Part::NamedPath)))
}

/// Warns if scores are to be bounded, but none of the metrics has bounds: those that use weights or give partial credit have
/// none.
pub(super) fn warn_of_idle_bound(task: &Task, diagnostics: &mut Diagnostics) {
    if task.settings.ceaf_bound.is_some() && !task.metrics.iter().any(Metric::may_have_bounds) {
        diagnostics.add(Code::WithoutEffect, None, None, || {
            text!("{} has no effect: none of these metrics has bounds", option("ceaf-bound"))
        });
    }
}
