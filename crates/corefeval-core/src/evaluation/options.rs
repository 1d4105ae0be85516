//! Builds requests from options by name, as typed on a command line or passed as keyword arguments.
//!
//! A front end implements [`Values`]; this module defines the meaning of each value and the order of application.

use crate::wording::text;
use crate::wording::{Text, option, option_blank, quoted, switch};
use std::path::PathBuf;

use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::groups::By;
use crate::heuristics::Heuristics;
use crate::limits::Limits;
use crate::metrics::Metric;
use crate::profiles::Profile;
use crate::settings::{OPTIONS, PARAMETERS, Settings, Stage};
use crate::significance::{CorrelationMethod, METHOD_FIELDS, Method, Over};

use super::request::{NamedInput, Request};
use super::{Agree, Compare, Cone, ConeCorrelate, Correlate, Stats, Validate, WriteFixes};

/// The values of options by name, as a front end received them.
pub trait Values {
    /// Returns the values of an option in the given order, or none if it was not given. A flag has the value `yes`.
    fn values(&self, name: &str) -> Vec<String>;

    /// Returns the last value of an option.
    fn value(&self, name: &str) -> Option<String> {
        self.values(name).pop()
    }

    /// Returns whether a flag was given.
    ///
    /// # Errors
    ///
    /// The value is neither `yes` nor `no`.
    fn flag(&self, name: &str) -> Result<bool> {
        self.value(name).map_or(Ok(false), |value| flag(name, &value))
    }
}

/// Returns the value of a flag.
fn flag(name: &str, value: &str) -> Result<bool> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(Error::not_valid(value, name).hint("give yes or no")),
    }
}

/// A function that applies a value to a request.
type Take = fn(Request, &str) -> Result<Request>;

/// The options of a request in addition to [`OPTIONS`]. Later rows build on earlier ones.
const REQUEST_OPTIONS: &[(&str, Take)] = &[
    ("profile", |request, id| request.profile(Profile::named(id)?)),
    ("settings", |request, signature| request.signature(signature)),
    ("format", |request, id| match format(id)? {
        Some(format) => Ok(request.key_format(format).response_format(format)),
        None => Ok(request),
    }),
    ("key-format", |request, id| Ok(request.key_format(format(id)?))),
    ("response-format", |request, id| {
        let (format, notation) = format_and_notation(Some(id))?;
        let request = request.response_format(format);
        notation.map_or(Ok(request.clone()), |notation| request.choose("notation", notation))
    }),
    ("min-aligned", |request, share| request.min_aligned(share)),
    ("span-end-of", |request, list| request.span_end_of(list)),
    ("ceaf-bound", |request, bound| request.ceaf_bound(bound)),
    ("ace-parameters", |request, path| request.ace_parameters(path)),
    ("weights", |request, path| request.weights_from(path)),
    ("metrics", |request, list| request.metrics(list)),
    ("ne-labels", |request, path| request.name_file(path)),
    ("by", |request, id| Ok(request.by(By::named(id)?))),
    ("strict", |request, value| Ok(request.strict(flag("strict", value)?))),
    ("include", |request, pattern| request.include(pattern)),
    ("allow-empty", |request, value| Ok(request.allow_empty(flag("allow-empty", value)?))),
    ("threads", |request, number| match number.parse() {
        Ok(threads) if threads > 0 => Ok(request.threads(threads)),
        _ => Err(Error::not_valid(number, "threads").hint("give a number of threads, at least 1")),
    }),
    ("max-memory", |request, size| Ok(request.max_memory(memory(size)?))),
];

/// Parses a memory limit.
fn memory(size: &str) -> Result<u64> {
    bytes_of(size).ok_or_else(|| {
        let hint = "give a number of bytes, or one with K, M or G: 500M; 0 means no limit";
        Error::not_valid(size, "max-memory").hint(hint)
    })
}

/// Returns the given limits, for inputs that are read when they are opened.
///
/// # Errors
///
/// A value is not a size of memory.
pub fn limits(given: &impl Values) -> Result<Limits> {
    let memory = given.value("max-memory").map(|size| memory(&size)).transpose()?;
    Ok(Limits { memory: memory.or(Limits::default().memory), ..Limits::default() })
}

/// Returns a number of bytes: `4096`, `500M`, `2G`.
fn bytes_of(size: &str) -> Option<u64> {
    let (number, shift) = match size.char_indices().next_back()? {
        (end, 'k' | 'K') => (&size[..end], 10),
        (end, 'm' | 'M') => (&size[..end], 20),
        (end, 'g' | 'G') => (&size[..end], 30),
        _ => (size, 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// The options that may be repeated, with values that add up.
const LISTS: &[&str] = &["metrics", "by", "span-end-of"];

/// Returns a format by its name; `None` for `auto`, which detects the format of each file.
fn format(id: &str) -> Result<Option<&'static FormatSpec>> {
    Some(id).filter(|&id| id != "auto").map(FormatSpec::named).transpose()
}

/// Returns a format by its name, and the notation that may follow it, as in `bracketed:link`.
///
/// # Errors
///
/// The format does not exist or does not have the notation.
pub fn format_and_notation(typed: Option<&str>) -> Result<(Option<&'static FormatSpec>, Option<&str>)> {
    let Some(typed) = typed else { return Ok((None, None)) };
    let Some((id, notation)) = typed.split_once(':') else { return Ok((format(typed)?, None)) };
    let spec = FormatSpec::named(id)?;
    if spec.notations().contains(&typed) {
        return Ok((Some(spec), Some(notation)));
    }
    let error = Error::new(ErrorKind::Settings, format!("`{notation}` is not a notation of `{id}`"));
    Err(match spec.notations() {
        [] => error.hint(format!("type {id} alone")),
        all => error.hint(format!("write one of {}", all.join(", "))),
    })
}

/// Returns the settings for documents that are read or written without being scored: the settings of `format`'s
/// profile, with the notation after its name and the given options.
///
/// # Errors
///
/// A value of an option is invalid.
pub fn settings_of_files(
    format: Option<&FormatSpec>,
    notation: Option<&str>,
    given: &impl Values,
) -> Result<Settings> {
    let mut settings = Settings::of(Profile::for_format(format.map_or("", |spec| spec.id)));
    for option in OPTIONS {
        if let Some(value) = given.value(option.name) {
            settings.set(option.name, &value)?;
        }
    }
    if let Some(notation) = notation {
        settings.set("notation", notation)?;
    }
    for parameter in PARAMETERS.iter().filter(|row| row.stage == Stage::Reading) {
        if let Some(value) = given.value(parameter.name) {
            parameter.set(&mut settings, &value)?;
        }
    }
    Ok(settings)
}

impl Request {
    /// Applies the given values of options.
    ///
    /// # Errors
    ///
    /// A value of an option is invalid; a metric, a profile, a format or a group does not exist; or a file of weights,
    /// parameters or labels cannot be read.
    pub fn with(mut self, given: &impl Values) -> Result<Request> {
        for (name, take) in REQUEST_OPTIONS {
            let values = given.values(name);
            let value = match LISTS.contains(name) {
                true => Some(values.join(",")).filter(|_| !values.is_empty()),
                false => values.into_iter().next_back(),
            };
            if let Some(value) = value {
                self = take(self, &value)?;
            }
        }
        for option in OPTIONS {
            if let Some(value) = given.value(option.name) {
                self = self.choose(option.name, &value)?;
            }
        }
        Ok(self)
    }
}

/// Returns the method from the given signature, or the default, with the given fields.
fn method(given: &impl Values, fields: &[&str]) -> Result<Method> {
    let split = given.value("settings").map(|signature| Method::split_signature(&signature)).transpose()?;
    let mut method = split.and_then(|split| split.1).unwrap_or_default();
    for &name in fields {
        if let Some(value) = given.value(name) {
            method.set(name, &value)?;
        }
    }
    Ok(method)
}

/// Parses a difference to plan for, in percentage points.
fn plan(points: &str) -> Result<f64> {
    let number = points.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 100.0);
    number.map(|number| 0.01 * number).ok_or_else(|| {
        let hint = "give a difference of F1 in percentage points, above 0 and up to 100 (for example 1.5)";
        Error::not_valid(points, "plan").hint(hint)
    })
}

impl Compare {
    /// Builds the options from the given values.
    ///
    /// # Errors
    ///
    /// A field of the method, a metric or a planned difference has an invalid value, or a signature cannot be read.
    pub fn with(given: &impl Values) -> Result<Compare> {
        let fields: Vec<&str> = METHOD_FIELDS.iter().map(|field| field.name).collect();
        Ok(Compare {
            method: method(given, &fields)?,
            baseline: given.value("baseline"),
            sort: given.value("sort").map(|metric| Metric::parse(&metric)).transpose()?,
            plan: given.value("plan").map(|points| plan(&points)).transpose()?,
            shared_documents: given.flag("shared-documents")?,
            skip_broken: given.flag("skip-broken")?,
            runs: given.values("runs"),
            folders: given.values("systems").into_iter().map(PathBuf::from).collect(),
            cache: given.value("cache").map(PathBuf::from),
            series: given.flag("series")?,
        })
    }
}

impl Agree {
    /// Builds the options from the given values.
    ///
    /// # Errors
    ///
    /// A field of the method has an invalid value, or a signature cannot be read.
    pub fn with(given: &impl Values) -> Result<Agree> {
        let (method, shared_documents) = (method(given, Agree::METHOD)?, given.flag("shared-documents")?);
        Ok(Agree { method, shared_documents })
    }
}

impl Stats {
    /// Builds the options from the given values.
    ///
    /// # Errors
    ///
    /// A flag has a value other than `yes` and `no`.
    pub fn with(given: &impl Values) -> Result<Stats> {
        Ok(Stats { response: given.flag("response")? })
    }
}

impl Validate {
    /// Builds the options from the given values.
    ///
    /// # Errors
    ///
    /// The value of `fix` is invalid.
    pub fn with(given: &impl Values) -> Result<Validate> {
        let fix = given.value("fix").map(|place| WriteFixes::named(&place)).transpose()?;
        Ok(Validate { response: given.flag("response")?, fix })
    }
}

impl Correlate {
    /// Builds the options from the given values; `x` and `y` are required.
    ///
    /// # Errors
    ///
    /// A metric does not exist or is named twice, a value of an option is invalid, or a signature cannot be read.
    pub fn with(given: &impl Values) -> Result<Correlate> {
        let metric = |name: &str| Metric::parse(&given.value(name).unwrap_or_default());
        let mut correlate = Correlate::new(metric("x")?, metric("y")?)?;
        let split =
            given.value("settings").map(|text| CorrelationMethod::split_signature(&text)).transpose()?;
        correlate.method = split.and_then(|split| split.1).unwrap_or_default();
        for (name, ..) in CorrelationMethod::fields() {
            if let Some(value) = given.value(name) {
                correlate.method.set(name, &value)?;
            }
        }
        correlate.over = given.value("over").map(|list| Over::list(&list)).transpose()?;
        correlate.shared_documents = given.flag("shared-documents")?;
        correlate.points = given.flag("points")?;
        correlate.than = given.value("than").map(|than| Metric::parse(&than)).transpose()?;
        if let Some(third) = correlate.than.filter(|third| correlate.metrics.contains(third)) {
            let message = text!(
                "{} requires a third metric, but {} is one of the two",
                option("than"),
                quoted(third.to_string())
            );
            return Err(Error::new(ErrorKind::Settings, message).hint("name another"));
        }
        Ok(correlate)
    }
}

/// Fails if a given option has no effect on `what`.
fn refuse_idle(given: &impl Values, names: &[&'static str], what: &str, hint: &Text) -> Result<()> {
    match names.iter().find(|name| !given.values(name).is_empty()) {
        Some(name) => Err(no_effect(name, what).hint(hint.clone())),
        None => Ok(()),
    }
}

/// Returns the error for an option that has no effect on `what`.
pub fn no_effect(name: &'static str, what: &str) -> Error {
    Error::new(ErrorKind::Settings, text!("{} has no effect on {}", option(name), what))
}

/// Returns the given heuristics: a list, or all except those left out.
fn heuristics(given: &impl Values) -> Result<Option<Heuristics>> {
    match (given.value("heuristics"), given.value("without")) {
        (Some(_), Some(_)) => {
            let message = "heuristics cannot be selected and left out at the same time";
            Err(Error::new(ErrorKind::Settings, message).hint("leave out one of them"))
        }
        (Some(list), None) => Heuristics::parse(&list).map(Some),
        (None, Some(list)) => {
            let split = given.value("settings").map(|text| Method::split_signature(&text)).transpose()?;
            let settings = split.map(|split| Settings::from_signature(&split.0)).transpose()?;
            let known = settings.and_then(|settings| settings.key_approximate);
            known.unwrap_or_default().without(&list).map(Some)
        }
        (None, None) => Ok(None),
    }
}

impl Cone {
    /// Builds the options from the given values, and from the annotated key, which the front end opens.
    ///
    /// # Errors
    ///
    /// Heuristics do not exist, are both selected and left out, or are given for a key that is read; a key is both
    /// written and read, or its format has no such key; options of the method are given without intervals, or options
    /// of correlations; a key of names on standard input or a pipe cannot be read; a format does not exist; a field of
    /// the method has an invalid value; or a signature cannot be read.
    pub fn with(given: &impl Values, annotated: Option<NamedInput>) -> Result<Cone> {
        let compare = given.flag("compare")?;
        let hint = text!("leave it out, or correlate against a key: {}", switch("correlate"));
        refuse_idle(given, &["smallest"], "scores", &hint)?;
        if !compare && annotated.is_none() {
            let hint = text!(
                "leave it out; intervals need {}, {} or {}",
                switch("compare"),
                option("annotated"),
                switch("correlate")
            );
            refuse_idle(given, Cone::METHOD, "scores without intervals", &hint)?;
        }
        let read = given.value("read-key");
        if read.is_some() {
            let names = ["heuristics", "without", "write-key", "write-format"];
            let hint = text!("leave it out, or leave out {}", option("read-key"));
            refuse_idle(given, &names, "a key that is read", &hint)?;
        }
        let write_key = match given.value("write-key") {
            Some(file) => {
                let format = given.value("write-format");
                let format = FormatSpec::named(format.as_deref().unwrap_or("conll"))?;
                Some((PathBuf::from(file), format))
            }
            None => {
                let hint = text!("name a file for the key: {}", option_blank("write-key", "FILE"));
                refuse_idle(given, &["write-format"], "a key that is not written", &hint)?;
                None
            }
        };
        let names_key = read.map(|path| NamedInput::open_within(&path, &limits(given)?)).transpose()?;
        let (heuristics, method) = (heuristics(given)?, method(given, Cone::METHOD)?);
        Ok(Cone { heuristics, annotated, names_key, write_key, compare, method })
    }
}

impl ConeCorrelate {
    /// Builds the options from the given values. The signature of an earlier report may set the size of the smallest
    /// entities.
    ///
    /// # Errors
    ///
    /// A size of entities is not a whole number above 0; heuristics do not exist, or are both selected and left out; an
    /// annotated key or other options without effect are given; or a signature cannot be read.
    pub fn with(given: &impl Values, annotated: Option<&NamedInput>) -> Result<ConeCorrelate> {
        let what = "the correlations of CONE";
        let hint = text!("leave it out, or leave out {}", switch("correlate"));
        if annotated.is_some() {
            return Err(no_effect("annotated", what).hint(hint));
        }
        let of_method = Cone::METHOD.iter().copied().filter(|name| !ConeCorrelate::METHOD.contains(name));
        let names = ["compare", "write-key", "read-key", "write-format"].into_iter().chain(of_method);
        refuse_idle(given, &names.collect::<Vec<_>>(), what, &hint)?;
        let earlier = given.value("settings").and_then(|text| {
            let mut fields = text.split('|');
            fields.find_map(|field| field.strip_prefix("smallest:").map(str::to_owned))
        });
        let smallest = given.value("smallest").or(earlier).unwrap_or_else(|| "1".to_owned());
        let smallest = smallest.parse().ok().filter(|&number| number > 0).ok_or_else(|| {
            let hint = "it is the minimum number of mentions of an entity, at least 1";
            Error::not_valid(&smallest, "smallest").hint(hint)
        })?;
        let (heuristics, method) = (heuristics(given)?, method(given, ConeCorrelate::METHOD)?);
        Ok(ConeCorrelate { heuristics, smallest, method })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Evaluation, Inputs};
    use crate::input::Input;

    /// Options by name, for tests.
    struct TestOptions(&'static [(&'static str, &'static str)]);

    impl Values for TestOptions {
        fn values(&self, name: &str) -> Vec<String> {
            self.0.iter().filter(|given| given.0 == name).map(|given| given.1.to_owned()).collect()
        }
    }

    fn inputs() -> Inputs {
        let input = |name: &str| NamedInput {
            name: name.to_owned(),
            named: false,
            path: name.to_owned(),
            input: Input::Path(name.into()),
        };
        Inputs::OneKey { key: input("key"), responses: vec![input("response")] }
    }

    fn refused(given: &'static [(&'static str, &'static str)]) -> Option<String> {
        let request = Request::new(inputs()).with(&TestOptions(given));
        request.and_then(Evaluation::new).err().map(|error| error.message())
    }

    #[test]
    fn documents_have_the_settings_of_their_files() -> Result<()> {
        let given = TestOptions(&[("span-end", "exclusive"), ("min-aligned", "0.9")]);
        let spec = FormatSpec::named("bracketed")?;
        let settings = settings_of_files(Some(spec), Some("link"), &given)?;
        let expected = [("span-end", "exclusive"), ("min-aligned", "0.9"), ("notation", "link")];
        let list = settings.list();
        for (name, value) in expected {
            assert!(list.contains(&(name, value.to_owned())), "{name}: {list:?}");
        }
        let refused = settings_of_files(None, None, &TestOptions(&[("min-aligned", "2")]));
        assert!(refused.is_err_and(|error| error.message().to_string().contains("min-aligned")));
        Ok(())
    }

    #[test]
    fn names_are_unique_and_none_is_an_option_of_the_settings() {
        let mut known: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
        for (name, _) in REQUEST_OPTIONS {
            assert!(!known.contains(name), "{name}");
            known.push(name);
        }
    }

    #[test]
    fn conflicts_are_refused_before_anything_is_read() {
        assert_eq!(refused(&[("profile", "coval"), ("metrics", "muc"), ("threads", "2")]), None);
        for given in [
            &[("profile", "conll"), ("settings", "profile:conll")] as &'static [_],
            &[("singletons", "sometimes")],
            &[("metrics", "mucc")],
            &[("metrics", "b_cubed:weight=table")],
            &[("weights", "ace"), ("metrics", "lea:importance=table"), ("split-antecedents", "keep")],
            &[("pair-files", "yes"), ("average", "macro")],
            &[("threads", "0")],
            &[("max-memory", "much")],
            &[("format", "word")],
            &[("by", "colour")],
            &[("strict", "True")],
            &[("allow-empty", "1")],
        ] {
            assert!(refused(given).is_some(), "{given:?}");
        }
    }
}
