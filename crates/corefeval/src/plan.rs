//! What was typed, turned into what it means: inputs, settings, metrics, output.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use corefeval_core::ace_parameters::AceChanges;
use corefeval_core::diagnostic::{Code, Diagnostics, Position};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::FormatSpec;
use corefeval_core::groups::GroupSpec;
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::Document;
use corefeval_core::named::NameFile;
use corefeval_core::profiles::Profile;
use corefeval_core::settings::{Average, Match, OPTIONS, OptionSpec, Settings, SplitAntecedents, Switch};
use corefeval_core::signature::counted;
use corefeval_core::significance::Method;
use corefeval_core::systems::systems_in;
use corefeval_core::weights::Weights;
use corefeval_report::{Kind, OutputSpec, Style};

use crate::terminal::{self, Talk};

/// A call of `corefeval score`, understood.
pub struct Plan {
    /// What is scored.
    pub inputs: Inputs,
    /// What was noticed when folders of systems were looked through.
    pub noticed: Diagnostics,
    /// The key's format, unless it is told from the file.
    pub key_format: Option<&'static FormatSpec>,
    /// The responses' format, unless it is told from the file.
    pub response_format: Option<&'static FormatSpec>,
    /// The profile, unless it follows from the format.
    profile: Option<&'static Profile>,
    base: Option<Settings>,
    /// The signature that they were read from.
    signature: Option<String>,
    choices: Vec<(&'static str, String)>,
    /// The parameter file of ACE-value: its name and its text.
    ace_parameters: Option<(String, String)>,
    weights: Option<Weights>,
    metrics: Option<String>,
    /// Labels of named entities.
    pub names: Option<NameFile>,
    /// Whether warnings are errors.
    pub strict: bool,
    /// How the report is shown.
    pub output: &'static OutputSpec,
    /// Colours.
    pub style: Style,
    /// Whether there is a row per document.
    pub by: Option<&'static GroupSpec>,
    /// How much is said on standard error.
    pub talk: Talk,
    /// Threads at most.
    pub threads: usize,
    /// Whether the process ends after it, so that nothing that was read need be given back.
    pub forgetful: bool,
}

/// What is scored against what.
pub enum Inputs {
    /// Responses against one key, or their files pair by pair.
    OneKey {
        /// The key.
        key: Named,
        /// The responses.
        responses: Vec<Named>,
    },
    /// Pairs that were named one by one.
    Pairs(Vec<[Named; 2]>),
    /// Responses whose key is made from names.
    NoKey(Vec<Named>),
}

/// Documents that a program has, of one side.
pub struct Given {
    /// What to call them: the system, or the annotator.
    pub name: String,
    /// The documents.
    pub documents: Arc<[Arc<Document>]>,
    /// What they were read from, or [`FormatSpec::of_program`].
    pub format: &'static FormatSpec,
}

/// An input with the name of its system.
pub struct Named {
    /// Whether the name was typed.
    pub named: bool,
    /// What to call it in the report.
    pub name: String,
    /// As it was typed.
    pub path: String,
    /// Where its bytes are.
    pub input: Input,
}

impl Plan {
    /// Understands a call.
    pub fn new(matches: &ArgMatches) -> Result<Plan> {
        // Not every command has all options of `score`.
        let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten().map(String::as_str);
        let format = |name: &str| -> Result<Option<&'static FormatSpec>> {
            match text(name).or(text("format")) {
                None | Some("auto") => Ok(None),
                Some(id) => FormatSpec::named(id).map(Some),
            }
        };
        let known = |name: &&str| matches.try_contains_id(name).is_ok();
        let names: Vec<&str> = OPTIONS.iter().map(|option| option.name).filter(known).collect();
        let paths = |name: &str| matches.try_get_many::<String>(name).ok().flatten().into_iter().flatten();
        let all = || ["key", "response", "pair", "inputs", "annotated"].into_iter().flat_map(paths);
        if all().filter(|path| path.as_str() == "-").count() > 1 {
            let error = Error::new(ErrorKind::Settings, "standard input can be read for one side only");
            return Err(error.hint("give the other side as a file"));
        }
        let open = |name: &str| paths(name).map(|path| Named::open(path)).collect::<Result<Vec<Named>>>();
        let mut noticed = Diagnostics::default();
        let given = |name: &str| matches.try_contains_id(name).unwrap_or(false);
        let inputs = match given("pair") {
            _ if given("inputs") => key_first(open("inputs")?, matches.get_flag("key-approximate"))?,
            true => Inputs::Pairs(in_pairs(open("pair")?)),
            false => {
                let mut responses = open("response")?;
                for folder in paths("systems") {
                    let found = systems_in(folder.as_ref(), text("cache").map(Path::new), &mut noticed)?;
                    responses.extend(found.into_iter().map(Named::system));
                }
                name_apart(&mut responses)?;
                Inputs::OneKey { key: Named::open(text("key").unwrap_or_default())?, responses }
            }
        };
        let profile = text("profile").map(Profile::named).transpose()?;
        let split = text("settings").map(Method::split_signature).transpose()?;
        let base = split.as_ref().map(|split| Settings::from_signature(&split.0)).transpose()?;
        Ok(Plan {
            inputs,
            noticed,
            key_format: format("key-format")?,
            response_format: format("response-format")?,
            profile,
            base,
            signature: split.map(|split| split.0),
            choices: choices(matches, &names),
            ace_parameters: text("ace-parameters").map(read_parameters).transpose()?,
            weights: text("weights").map(Weights::open).transpose()?,
            metrics: text("metrics").map(str::to_owned),
            names: text("ne-labels").map(read_names).transpose()?,
            strict: matches.get_flag("strict"),
            output: OutputSpec::named(text("output").unwrap_or("table"), Kind::Scores)?,
            style: Style {
                colour: terminal::colour(text("color").unwrap_or("auto")),
                width: terminal::width(),
            },
            by: text("by").map(GroupSpec::named).transpose()?,
            talk: talk(matches),
            threads: match matches.get_one::<u16>("threads") {
                Some(&threads) => threads.into(),
                None => std::thread::available_parallelism().map_or(1, usize::from),
            },
            forgetful: true,
        })
    }

    /// The same call in a process that goes on after it: nothing is printed, and what was read is given back.
    pub fn within_a_process(self) -> Plan {
        Plan { forgetful: false, talk: Talk::Quiet, ..self }
    }

    /// The same call on documents that a program has, in place of the paths that were typed, if there are any.
    /// Nothing is printed and nothing kept.
    pub fn on_documents(self, given: Vec<Given>) -> Plan {
        let mut inputs: Vec<Named> = given.into_iter().map(Named::from).collect();
        let inputs = match self.inputs {
            given if inputs.is_empty() => given,
            Inputs::NoKey(_) => Inputs::NoKey(inputs),
            _ => Inputs::OneKey { key: inputs.remove(0), responses: inputs },
        };
        Plan { inputs, ..self }.within_a_process()
    }

    /// The settings, where the key is in `format` (unknown before it is read).
    pub fn settings(&self, format: Option<&str>) -> Result<Settings> {
        let profile = self.profile.unwrap_or_else(|| Profile::for_format(format.unwrap_or_default()));
        let mut settings = self.base.clone().unwrap_or_else(|| Settings::of(profile));
        for (name, value) in &self.choices {
            settings.set(name, value)?;
        }
        // Parameters of a signature have to fit the rules that were typed.
        settings.ace_changes = AceChanges::parse(&settings.ace_changes.to_string(), settings.ace)?;
        if let Some((name, text)) = &self.ace_parameters {
            (settings.ace, settings.ace_changes) = AceChanges::read(text, name, settings.ace)
                .map_err(|error| error.of_kind(ErrorKind::Format))?;
        }
        settings.weights = self.weights.clone().or(settings.weights);
        if !matches!(self.inputs, Inputs::NoKey(_)) {
            // A signature may come from scores without a key.
            settings.key_approximate = None;
        }
        if matches!(self.inputs, Inputs::Pairs(_)) {
            settings.pair_files = Switch::Yes;
        }
        if settings.pair_files == Switch::Yes && settings.average == Average::Macro {
            let message = "the macro average is over pairs of files, and --average macro is over documents";
            return Err(Error::new(ErrorKind::Settings, message).hint("leave out --average macro"));
        }
        Ok(settings)
    }

    /// In what a signature given as settings was printed for something else: another version of this
    /// program, another format.
    pub fn signature_differs(&self, format: &str) -> Vec<String> {
        let signature = self.signature.as_deref().unwrap_or_default();
        let here = [("corefeval", env!("CARGO_PKG_VERSION"), "version"), ("format", format, "format")];
        let differs = |(name, here, what)| {
            let mut fields = signature.trim().split('|').filter_map(|field| field.split_once(':'));
            let there = fields.find(|field| field.0 == name)?.1;
            // `conll+jsonlines` is a key in CoNLL and a response in JSON lines.
            let there = there.split('+').next().unwrap_or(there);
            (there != here).then(|| format!("they were printed for {what} {there}; this is {here}"))
        };
        here.into_iter().filter_map(differs).collect()
    }

    /// The choices that were typed, or that the profile is about, and that have no effect on the format or the
    /// metrics: name, value, and on what. Documents of another program, which have no format, may say anything.
    pub fn without_effect(
        &self,
        settings: &Settings,
        format: &str,
        metrics: &[Metric],
    ) -> Vec<(&'static str, &'static str, String)> {
        if FormatSpec::named(format).is_err() {
            return Vec::new();
        }
        let metrics = counted(metrics);
        let typed = |name: &str| self.choices.iter().any(|choice| choice.0 == name);
        let unusual = |option: &OptionSpec| option.ids().next() != Some(option.value(settings));
        let options = OPTIONS.iter().filter(|option| typed(option.name) || option.name == "annotation");
        let idle = options.filter(|option| unusual(option)).filter_map(|option| {
            Some((option.name, option.value(settings), option.is_idle_on(format, &metrics)?))
        });
        idle.collect()
    }

    /// Asks for certain metrics.
    pub fn ask_for(&mut self, metrics: &[Metric]) {
        let names: Vec<String> = metrics.iter().map(Metric::to_string).collect();
        self.metrics = Some(names.join(","));
    }

    /// Whether a metric was typed, and is not only the profile's or one of all.
    pub fn names_metric(&self, metric: &Metric) -> bool {
        let mut items = self.metrics.iter().flat_map(|list| list.split(','));
        items.any(|item| Metric::parse(item).is_ok_and(|named| named == *metric))
    }

    /// Whether metrics were typed.
    pub fn asks_for_metrics(&self) -> bool {
        self.metrics.is_some()
    }

    /// What is computed unless metrics were typed.
    pub fn default_metrics(&mut self, list: &str) {
        self.metrics.get_or_insert_with(|| list.to_owned());
    }

    /// The options about names that were typed, for nothing where no score asks for names.
    pub fn about_names(&self) -> Vec<String> {
        let options = OPTIONS.iter().filter(|option| option.concerns_names());
        let typed = options.flat_map(|option| self.choices.iter().filter(|choice| choice.0 == option.name));
        let typed = typed.map(|(name, value)| format!("{name}:{value}"));
        typed.chain(self.names.is_some().then(|| "ne-labels".to_owned())).collect()
    }

    /// The metrics, where the profile's are wanted unless others were typed; and, where there are weights,
    /// those that use them.
    pub fn metrics(&self, settings: &Settings, format: &str) -> Result<Vec<Metric>> {
        metrics_of(self.metrics.as_deref(), settings, format)
    }

    /// What weights and credit have no effect on, each as a finding.
    pub fn unweighted(&self, metrics: &[Metric], settings: &Settings) -> Option<(Code, String)> {
        let plain: Vec<String> =
            metrics.iter().filter(|m| !m.uses_weights()).map(Metric::to_string).collect();
        match settings.weights {
            // The profile's own metrics are shown besides.
            Some(_) if plain.is_empty() || self.metrics.is_none() => None,
            Some(_) if plain.len() == metrics.len() => {
                let message = "the weights have no effect: none of the metrics uses them";
                Some((Code::WithoutEffect, message.to_owned()))
            }
            Some(_) => Some((Code::Unweighted, format!("the weights do not touch {}", plain.join(", ")))),
            None => None,
        }
    }
}

/// Weights have to be there for the metrics that use them, and mean nothing for split antecedents.
fn check_weights(metrics: &[Metric], settings: &Settings) -> Result<()> {
    let wrong = |message: String| Error::new(ErrorKind::Settings, message);
    if let Some(metric) = metrics.iter().find(|metric| metric.uses_weights())
        && settings.weights.is_none()
    {
        let error = wrong(format!("`{metric}` needs weights"));
        return Err(error.hint("give them with --weights FILE; examples/weights/weights.toml is one"));
    }
    let asks = metrics.iter().find(|metric| metric.uses_weights() || metric.credits_words());
    if let Some(metric) = asks
        && settings.split_antecedents != SplitAntecedents::Drop
    {
        let error = wrong(format!("`{metric}` is not defined for split antecedents"));
        return Err(error.hint("leave them out (--split-antecedents drop), or take another metric"));
    }
    if let Some(metric) = metrics.iter().find(|metric| metric.credits_words())
        && settings.matching == Match::Exact
    {
        let error =
            wrong(format!("`{metric}` gives credit for words, and mentions match that are the same words"));
        return Err(error.hint("choose another --match, or leave credit=words out"));
    }
    Ok(())
}

/// The metrics of a list joined by commas, each once, where `all` stands for those of the format; without a
/// list those of the profile and, where there are weights, those that use them.
pub fn metrics_of(list: Option<&str>, settings: &Settings, format: &str) -> Result<Vec<Metric>> {
    let mut metrics: Vec<Metric> = Vec::new();
    match list {
        Some(list) => {
            for item in list.split(',') {
                let named =
                    if item.trim() == "all" { Metric::all_for(format) } else { vec![Metric::parse(item)?] };
                for metric in named {
                    if !metrics.contains(&metric) {
                        metrics.push(metric);
                    }
                }
            }
        }
        None => {
            let named = settings.profile.metrics.iter().map(|id| Metric::parse(id));
            let weighted = settings.weights.as_ref().map(|_| Metric::weighted()).unwrap_or_default();
            metrics = named.chain(weighted.into_iter().map(Ok)).collect::<Result<_>>()?;
        }
    }
    check_weights(&metrics, settings)?;
    Ok(metrics)
}

/// The text of a parameter file, with its name.
fn read_parameters(path: &str) -> Result<(String, String)> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::new(ErrorKind::Io, format!("the parameters of ACE-value cannot be read: {error}"))
            .at(Position::new(&path.into(), 0, 0))
    })?;
    Ok((path.to_owned(), text))
}

/// The labels of a file of named entities.
fn read_names(path: &str) -> Result<NameFile> {
    let bytes = std::fs::read(path).map_err(|error| {
        Error::new(ErrorKind::Io, format!("the named-entity labels cannot be read: {error}"))
            .at(Position::new(&path.into(), 0, 0))
    })?;
    NameFile::read(&bytes, path)
}

/// The inputs of a command that needs no key: the first is the key unless one is made from names.
fn key_first(mut inputs: Vec<Named>, no_key: bool) -> Result<Inputs> {
    if no_key {
        name_apart(&mut inputs)?;
        return Ok(Inputs::NoKey(inputs));
    }
    if inputs.len() < 2 {
        let error = Error::new(ErrorKind::Settings, "there is a key and no response to score");
        return Err(
            error.hint("name a response after the key; --key-approximate scores responses without a key")
        );
    }
    let key = inputs.remove(0);
    name_apart(&mut inputs)?;
    Ok(Inputs::OneKey { key, responses: inputs })
}

/// The choices among `names` that were typed.
pub fn choices(matches: &ArgMatches, names: &[&str]) -> Vec<(&'static str, String)> {
    let typed = |name: &str| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine);
    let typed = OPTIONS.iter().filter(|option| names.contains(&option.name) && typed(option.name));
    let choices = typed.map(|option| {
        let text = || matches.get_one::<String>(option.name).map_or("", String::as_str);
        (option.name, if option.flag { "yes" } else { text() }.to_owned())
    });
    choices.collect()
}

/// What stands between the name and the path of an input that a program names, since no path has it.
pub const NAMED: char = '\0';

/// The last part of a path.
fn file_name(path: &str) -> String {
    let file = Path::new(path).file_name();
    file.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// How much is said on standard error.
pub fn talk(matches: &ArgMatches) -> Talk {
    match (matches.get_flag("quiet"), matches.get_flag("verbose")) {
        (true, _) => Talk::Quiet,
        (_, true) => Talk::Verbose,
        _ => Talk::Normal,
    }
}

impl Named {
    /// An input as typed: a path, or `NAME=PATH` where no file has that whole name. A program, whose names and paths
    /// are known, has [`NAMED`] between them; what it does not name begins with it.
    pub fn open(typed: &str) -> Result<Named> {
        if let Some((name, path)) = typed.split_once(NAMED) {
            let given = (!name.is_empty()).then(|| name.to_owned());
            let (named, name) = (given.is_some(), given.unwrap_or_else(|| file_name(path)));
            return Ok(Named { named, name, path: path.to_owned(), input: Input::open(path)? });
        }
        // A name may hold the sign too: the path is what is there, the longest first.
        let is_there = |path: &str| path == "-" || Path::new(path).exists();
        let splits = || typed.match_indices('=').map(|(place, _)| (&typed[..place], &typed[place + 1..]));
        let split = splits().find(|split| is_there(split.1)).or_else(|| splits().next());
        if let Some((name, path)) = split.filter(|_| !is_there(typed)) {
            let (name, path) = (name.to_owned(), path.to_owned());
            return Ok(Named { named: true, name, input: Input::open(&path)?, path });
        }
        Ok(Named { named: false, name: file_name(typed), path: typed.to_owned(), input: Input::open(typed)? })
    }

    /// A system of a folder, which gives way where another has its name.
    fn system((name, path): (String, PathBuf)) -> Named {
        Named { named: false, name, path: path.display().to_string(), input: Input::Path(path) }
    }
}

impl From<Given> for Named {
    fn from(given: Given) -> Named {
        let Given { name, documents, format } = given;
        let input = Input::Documents { name: Arc::from(name.as_str()), documents, format };
        Named { named: true, path: String::new(), input, name }
    }
}

fn in_pairs(inputs: Vec<Named>) -> Vec<[Named; 2]> {
    let mut inputs = inputs.into_iter();
    std::iter::from_fn(|| Some([inputs.next()?, inputs.next()?])).collect()
}

/// Gives responses of the same file name their whole path as a name. A name that was typed twice is an error.
fn name_apart(responses: &mut [Named]) -> Result<()> {
    let names: Vec<(String, bool)> =
        responses.iter().map(|response| (response.name.clone(), response.named)).collect();
    for (place, response) in responses.iter_mut().enumerate() {
        let others =
            names.iter().enumerate().filter(|(other, name)| *other != place && name.0 == response.name);
        let (mut others, named) = (others.peekable(), response.named);
        if others.peek().is_none() {
            continue;
        }
        if named && others.any(|(_, other)| other.1) {
            let message = format!("two systems are called `{}`", response.name);
            return Err(
                Error::new(ErrorKind::Settings, message).hint("give each a name of its own: NAME=PATH")
            );
        }
        if !named {
            response.name.clone_from(&response.path);
        }
    }
    Ok(())
}
