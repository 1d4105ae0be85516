//! `corefeval convert`: reads documents in one format and writes them in another.

use corefeval_core::text;
use corefeval_core::wording::{Text, inert, option, option_blank, quoted, switch};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command};
use corefeval_core::alignment;
use corefeval_core::conversion::Documents;
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{
    Annotated, NamedInput, format_and_notation, limits, refuse_warnings, settings_of_files,
};
use corefeval_core::formats::{
    FORMATS, FormatSpec, KeyCopy, LossCounts, Outline, Plan, ReadOptions, Side, WriteOptions, copied_formats,
};
use corefeval_core::input::{self, Input, Limits, Pattern};
use corefeval_core::output::not_written;
use corefeval_core::settings::Settings;
use corefeval_core::suggest::nearest;

use crate::args::{flag, format, max_memory, messages, path};
use crate::destination::Destination;
use crate::score::of_score;
use crate::sink::{Sink, unless_closed, written_directly};
use crate::terminal::Terminal;
use crate::typed::Typed;
use crate::{Output, Subcommand};

/// The subcommand.
pub const CONVERT: Subcommand = Subcommand {
    name: "convert",
    about: "Writes documents in another format",
    examples: &[
        ("To JSON lines, by the extension", "corefeval convert examples/key.conll -o key.jsonlines"),
        (
            "Several files, into a directory",
            "corefeval convert examples/key.conll examples/alder.conll --to jsonlines -o converted",
        ),
        ("To standard output", "corefeval convert examples/key.conll --to links"),
        (
            "The mentions of a response in a copy of the key's file",
            "corefeval convert examples/alder.jsonlines --onto examples/key.conll",
        ),
        (
            "The answer of a language model, over the words of its key",
            "corefeval convert examples/answers/pipe.txt --onto examples/answers/key.conll --to conll",
        ),
    ],
    args,
    run,
};

/// Extensions that name no format.
const OF_ANY_FORMAT: [&str; 3] = ["key", "response", "txt"];

/// The notes about the placing of mentions on the words of a key.
const PLACING: [Code; 4] =
    [Code::AnswerUnwrapped, Code::AnswerAligned, Code::MentionAmbiguous, Code::JsonRepaired];

fn run(matches: &ArgMatches) -> Result<Output> {
    let paths: Vec<&str> =
        matches.get_many::<String>("input").into_iter().flatten().map(String::as_str).collect();
    let terminal = Terminal::new(matches)?;
    let onto = matches.get_one::<String>("onto").map(String::as_str);
    let named = paths.iter().copied().chain(onto).filter(|&path| path != "-");
    let named: Vec<Input> = named.map(|path| Input::Path(path.into())).collect();
    input::check_present(&named)?;
    let one = paths.len() == 1 && !is_into_folder(matches)?;
    if let ([path], true) = (&paths[..], one) {
        let limits = limits(&Typed(matches))?;
        Conversion::new(matches, Input::open_within(path, &limits)?)?.run(&terminal)?;
        return Ok(Output::done(String::new()));
    }
    let mut written = String::new();
    for (input, output) in outputs(matches, &paths)? {
        let mut conversion = Conversion::new(matches, input)?;
        if let Target::Documents(_, file) = &mut conversion.target {
            *file = Some(output.clone());
        }
        conversion.run(&terminal)?;
        written += &format!("{}\n", inert(&output.display().to_string()));
    }
    Ok(Output::done(written))
}

/// Returns whether one file is written into a directory that exists, under the name of the input. Naming a file is an
/// error for a format that has several files for each document.
fn is_into_folder(matches: &ArgMatches) -> Result<bool> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let (Some(to), Some(output)) = (text("to"), text("output")) else { return Ok(false) };
    let (to, output) = (FormatSpec::named(to)?, Path::new(output));
    refuse_file_name(to, output)?;
    Ok(is_folder(output) && !to.fills_folders())
}

/// Returns whether a path is a directory, or is written like one.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Fails if `output` is named like a file, and the format is written as several files.
fn refuse_file_name(to: &FormatSpec, output: &Path) -> Result<()> {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let mut ends = to.extensions.iter().chain(&to.companion);
    if !to.fills_folders() || is_folder(output) || !ends.any(|end| name.ends_with(&format!(".{end}"))) {
        return Ok(());
    }
    let message = format!(
        "`{}` is named like a file, and {} is written as files of a directory",
        output.display(),
        to.id
    );
    let hint = text!("name a directory with {}, and the format with {}", option("output"), option("to"));
    Err(Error::new(ErrorKind::Settings, message).hint(hint))
}

/// Inputs and their outputs in the given directory: a file with the name of the input and the extension of the
/// format, or a directory for formats with several files.
fn outputs(matches: &ArgMatches, paths: &[&str]) -> Result<Vec<(Input, PathBuf)>> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let refused = |message: &str, hint: Text| Err(Error::new(ErrorKind::Settings, message).hint(hint));
    let (Some(to), Some(folder)) = (text("to"), text("output").filter(|&folder| folder != "-")) else {
        let hint = text!("name the format with {} and a directory with {}", option("to"), option("output"));
        return refused("several inputs are written into a directory, in one format", hint);
    };
    let is_file_name =
        |end: &std::ffi::OsStr| FORMATS.iter().any(|spec| spec.extensions.iter().any(|own| end == *own));
    if !Path::new(folder).exists() && Path::new(folder).extension().is_some_and(is_file_name) {
        return refused(
            &format!("`{folder}` is named like a file, and several inputs are written into a directory"),
            text!("name a directory with {}, or convert the inputs one by one", option("output")),
        );
    }
    if Path::new(folder).is_file() {
        return refused(
            &format!("`{folder}` is a file"),
            text!("name a directory with {}", option("output")),
        );
    }
    let (to, limits) = (FormatSpec::named(to)?, limits(&Typed(matches))?);
    let mut outputs: Vec<(Input, PathBuf)> = Vec::new();
    for path in paths {
        let NamedInput { name, input, .. } = NamedInput::open_within(path, &limits)?;
        let name = if to.fills_folders() { name } else { format!("{name}.{}", to.extensions[0]) };
        let output = Path::new(folder).join(name);
        if outputs.iter().any(|other| other.1 == output) {
            let message = format!("two inputs would be written to `{}`", output.display());
            return refused(&message, "convert them one by one, or rename one of them".into());
        }
        outputs.push((input, output));
    }
    std::fs::create_dir_all(folder).map_err(|error| not_written(Path::new(folder), &error))?;
    Ok(outputs)
}

/// A parsed call of `corefeval convert`.
struct Conversion {
    input: Input,
    /// The key whose words the mentions are placed on.
    onto: Option<Input>,
    from: Option<&'static FormatSpec>,
    target: Target,
    settings: Settings,
    side: Side,
    strict: bool,
    /// Whether to accept a file without mentions.
    allow_empty: bool,
    /// A pattern for the files of a directory to read; `None` for all.
    include: Option<Arc<Pattern>>,
    limits: Limits,
}

/// The output: content and place.
#[derive(Clone, Debug)]
enum Target {
    /// Documents in this format, to a file, a directory or standard output.
    Documents(&'static FormatSpec, Option<PathBuf>),
    /// A copy of the key's file with new coreference, to the output as typed.
    Copy(Option<String>),
    /// A copy, unless the typed output names a format other than the key's.
    CopyIfPossible(Option<String>),
}

/// Returns the format to write, and the file or directory if there is one. Without `--to` the name of a format or the
/// extension of a file chooses the format.
fn destination(to: Option<&str>, output: Option<&str>) -> Result<(&'static FormatSpec, Option<PathBuf>)> {
    if let Some(id) = to {
        return Ok((FormatSpec::named(id)?, output.filter(|&path| path != "-").map(PathBuf::from)));
    }
    let Some(typed) = output else {
        return Err(Error::new(ErrorKind::Settings, "no output format was given").hint(text!(
            "name it with {}, or write to a file with its extension: {}",
            option("to"),
            "-o key.conllu"
        )));
    };
    let written: Vec<&'static FormatSpec> = FORMATS.iter().filter(|spec| spec.is_written()).collect();
    let rows: Vec<_> = written.iter().map(|spec| (spec.id, spec.extensions)).collect();
    // A list of all formats and extensions would fill the screen.
    let unknown = || {
        let names = written.iter().flat_map(|spec| spec.extensions.iter().chain([&spec.id]).copied());
        let near = nearest(typed.rsplit('.').next().unwrap_or_default(), names);
        let add = option_blank("to", "FORMAT");
        let error = Error::new(ErrorKind::Settings, format!("`{typed}` does not name a format to write"));
        error.hint(match near {
            Some(near) => text!("did you mean `{}`? otherwise add {}", near, add),
            None => text!("add {}; see `corefeval list formats`", add),
        })
    };
    let chosen = Destination::among_or(&rows, typed, unknown)?;
    let spec = FormatSpec::named(chosen.id)?;
    if let Some(file) = &chosen.file {
        refuse_file_name(spec, file)?;
    }
    Ok((spec, chosen.file))
}

impl Conversion {
    /// Interprets a call.
    fn new(matches: &ArgMatches, input: Input) -> Result<Conversion> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let (from, notation) = format_and_notation(text("from"))?;
        let output = || text("output").filter(|&path| path != "-").map(str::to_owned);
        let target = match (matches.get_flag("keep-columns"), text("onto"), text("to")) {
            (true, ..) => Target::Copy(output()),
            (false, Some(_), None) => Target::CopyIfPossible(output()),
            (false, _, to) => {
                let (format, output) = destination(to, text("output"))?;
                Target::Documents(format, output)
            }
        };
        let settings = settings_of_files(from, notation, &Typed(matches))?;
        let limits = limits(&Typed(matches))?;
        let onto = text("onto").map(|path| Input::open_within(path, &limits)).transpose()?;
        Ok(Conversion {
            input,
            onto,
            from,
            target,
            settings,
            side: if matches.get_flag("response") || text("onto").is_some() {
                Side::Response
            } else {
                Side::Key
            },
            strict: matches.get_flag("strict"),
            allow_empty: matches.get_flag("allow-empty"),
            include: text("include").map(input::pattern).transpose()?.map(Arc::new),
            limits,
        })
    }

    /// Reads the input, reports what the other format cannot represent, and writes.
    ///
    /// Large inputs are read twice, because some properties that a file depends on (its fields, the ids of documents)
    /// are known only at the end.
    fn run(&self, terminal: &Terminal) -> Result<()> {
        let settings = &self.settings;
        let options = ReadOptions {
            keep_layers: true,
            count_unread: true,
            accept_answers: self.onto.is_some(),
            include: self.include.clone(),
            limits: self.limits,
            ..ReadOptions::of(settings, self.side, &[])
        };
        let mut diagnostics = Diagnostics::default();
        let mut documents = Documents::of(&self.input, self.from, options);
        let read = AtomicU64::new(0);
        let size = || self.input.size() + self.onto.as_ref().map_or(0, Input::size);
        if let Some(onto) = &self.onto {
            let placing = alignment::Options { keep_unplaced: false, ..alignment::Options::of(settings) };
            terminal.with_progress(size, &read, || {
                documents.onto(onto, |_| Ok(placing), &read, &mut diagnostics)
            })?;
        }
        let (to, output, is_copy) = match (&self.target, documents.key_format()) {
            (Target::Copy(typed), Some(key)) => (key, self.output_of_copy(typed.as_deref(), key)?, true),
            (Target::CopyIfPossible(typed), Some(key)) => self.target_onto(typed.as_deref(), key)?,
            (Target::Documents(to, output), _) => (*to, output.clone(), false),
            (Target::Copy(typed) | Target::CopyIfPossible(typed), None) => {
                let (to, output) = destination(None, typed.as_deref())?;
                (to, output, false)
            }
        };
        let mut outline = Outline::new(to, WriteOptions::of(settings))?;
        read.store(0, Ordering::Relaxed);
        let mut annotated = Annotated::default();
        terminal.with_progress(size, &read, || {
            documents.for_each(&read, &mut diagnostics, &mut |key, document| {
                outline.add(document);
                // A document that the response lacks was reported; it is written without the key's mentions.
                if key.is_none_or(|key| key.source() != document.source()) {
                    annotated.add(document, None);
                }
                Ok(())
            })
        })?;
        if let (false, Some(format)) = (self.allow_empty, documents.format()) {
            annotated.check_files(format, &diagnostics)?;
            annotated.check(&self.input.name(), format, [&diagnostics])?;
        }
        diagnostics.merge(annotated.findings());
        let plan = outline.finish();
        let mut produce = |sink: &mut Sink<'_>, diagnostics: &mut Diagnostics| -> Result<()> {
            read.store(0, Ordering::Relaxed);
            terminal.with_progress(size, &read, || match is_copy {
                true => self.copy(&mut documents, &plan, to, sink, (&read, diagnostics)),
                false => write_documents(&mut documents, (&plan, to), sink, (&read, diagnostics)),
            })
        };
        let report = |diagnostics: &Diagnostics| -> Result<()> {
            if self.strict {
                refuse_warnings(diagnostics)?;
            }
            match self.onto {
                // Findings about the placing of an answer appear nowhere else.
                Some(_) => terminal.print_with_notes(diagnostics, &PLACING),
                None => terminal.print_diagnostics(diagnostics),
            }
            Ok(())
        };
        let inputs: Vec<&Input> = std::iter::once(&self.input).chain(&self.onto).collect();
        let at_once = written_directly(output.as_ref());
        let mut sink = match &output {
            Some(folder) if plan.fills_folders() && !is_copy => Sink::folder(folder, &inputs)?,
            Some(file) if at_once.is_none() => Sink::file(file, &inputs)?,
            _ => Sink::memory(),
        };
        produce(&mut sink, &mut diagnostics)?;
        report(&diagnostics)?;
        let in_memory = matches!(sink, Sink::Memory(_));
        match sink.finish()? {
            _ if !in_memory => Ok(()),
            Some(text) => {
                let mut direct = Sink::direct(at_once, &inputs)?;
                unless_closed(direct.put("", text), ())?;
                direct.finish().map(drop)
            }
            // Text that is too long to store is produced again.
            None => {
                let mut direct = Sink::direct(at_once, &inputs)?;
                unless_closed(produce(&mut direct, &mut Diagnostics::default()), ())?;
                direct.finish().map(drop)
            }
        }
    }

    /// Returns the format that the name of an output belongs to, if it is not the key's.
    fn other_format(&self, typed: &str, key_format: &FormatSpec) -> Option<&'static FormatSpec> {
        let key = self.onto.as_ref().and_then(Input::path).and_then(Path::extension);
        let as_key = key.is_some() && Path::new(typed).extension() == key;
        let other = FORMATS.iter().filter(|spec| spec.is_written()).find(|spec| is_called(typed, spec));
        other.filter(|_| !is_called(typed, key_format) && !as_key)
    }

    /// Returns the format, the output and whether a copy of the key's file is written, if no format was named: a copy,
    /// unless the output names another format, or the key cannot be copied and the output names its format.
    fn target_onto(
        &self,
        typed: Option<&str>,
        key: &'static FormatSpec,
    ) -> Result<(&'static FormatSpec, Option<PathBuf>, bool)> {
        let reader = self.onto.as_ref().map(Input::plain_reader).transpose()?.flatten();
        let is_copied = key.can_be_copied() && reader.is_some();
        let names_format = typed.is_some_and(|typed| {
            let ids = || FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
            let is_path = typed.contains(['.', '/', '\\']);
            self.other_format(typed, key).is_some()
                || (!is_copied && is_called(typed, key))
                || (!is_path && nearest(typed, ids()).is_some() && !ids().any(|id| id == typed))
        });
        if names_format {
            let (to, output) = destination(None, typed)?;
            return Ok((to, output, false));
        }
        if is_copied {
            return Ok((key, self.output_of_copy(typed, key)?, true));
        }
        let why = match key.can_be_copied() {
            true => "the key is not a single uncompressed file".to_owned(),
            false => format!("the key is {}", key.id),
        };
        let message = format!("{why}, so that no copy of it with other mentions can be written");
        Err(Error::new(ErrorKind::Settings, message)
            .hint(text!("name the format to write with {}", option("to"))))
    }

    /// Returns the file for a copy of the key's file. Its name may not be that of another format.
    fn output_of_copy(&self, typed: Option<&str>, key_format: &FormatSpec) -> Result<Option<PathBuf>> {
        let Some(typed) = typed.filter(|typed| *typed != key_format.id) else { return Ok(None) };
        match self.other_format(typed, key_format) {
            None => Ok(Some(typed.into())),
            Some(other) => {
                let message = text!(
                    "{} names the format {}, and {} writes a copy of the key's file, which is {}",
                    quoted(typed),
                    other.id,
                    switch("keep-columns"),
                    key_format.id
                );
                Err(Error::new(ErrorKind::Settings, message).hint(text!(
                    "write to a file with the extension .{}, or leave out {}",
                    key_format.extensions[0],
                    switch("keep-columns")
                )))
            }
        }
    }

    /// Writes a copy of the key's file with the mentions of the documents.
    fn copy(
        &self,
        documents: &mut Documents<'_>,
        plan: &Plan,
        format: &'static FormatSpec,
        sink: &mut Sink<'_>,
        (read, diagnostics): (&AtomicU64, &mut Diagnostics),
    ) -> Result<()> {
        let reader = self.onto.as_ref().map(Input::plain_reader).transpose()?.flatten();
        let Some(reader) = reader else {
            let error = Error::new(ErrorKind::Settings, "the key is not a single uncompressed file");
            return Err(error.hint("convert file by file; decompress the key first"));
        };
        let mut copy = KeyCopy::new(format, plan.outline(), reader)?;
        let mut lost = LossCounts::default();
        documents.for_each(read, diagnostics, &mut |key, placed| {
            let Some(key) = key else { return Ok(()) };
            sink.put("", copy.document(key, placed, &mut lost)?)
        })?;
        lost.report(diagnostics);
        sink.put("", copy.finish()?)
    }
}

/// Returns whether a name is that of a format, or of a file of that format.
fn is_called(typed: &str, spec: &FormatSpec) -> bool {
    let mut ends = spec.extensions.iter().filter(|end| !OF_ANY_FORMAT.contains(end));
    typed == spec.id || ends.any(|end| typed.ends_with(&format!(".{end}")))
}

/// Writes the documents in a format.
fn write_documents(
    documents: &mut Documents<'_>,
    (plan, to): (&Plan, &FormatSpec),
    sink: &mut Sink<'_>,
    (read, diagnostics): (&AtomicU64, &mut Diagnostics),
) -> Result<()> {
    let one_text = !matches!(sink, Sink::Folder { .. });
    if !plan.fills_folders() {
        sink.put("", plan.begin()?)?;
    }
    let mut number = 0;
    let mut lost = LossCounts::default();
    documents.for_each(read, diagnostics, &mut |_, document| {
        let files = plan.document(number, document, &mut lost)?;
        let count = plan.count() * files.len();
        if plan.fills_folders() && one_text && count > 1 {
            let message = format!("{count} files of {} cannot be written to standard output", to.id);
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("name a directory with {}", option("output"))));
        }
        number += 1;
        files.iter().try_for_each(|(name, text)| sink.put(name, text))
    })?;
    lost.report(diagnostics);
    Ok(())
}

fn args(bare: Command) -> Command {
    let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| {
        // `conllu` means `corefud`.
        let names = |end: &&&str| FormatSpec::named(end).is_ok_and(|named| named.id == spec.id);
        PossibleValue::new(spec.id).aliases(spec.extensions.iter().filter(names).copied())
    });
    let copied: Vec<&str> = copied_formats().collect();
    bare.long_about(format!(
        "Writes documents in another format.\n\n\
             INPUT is a file, a directory of files, or - for standard input, plain or compressed (.gz, \
             .zst). Annotation that the other format cannot represent is left out; warnings count it before anything is \
             written, and `corefeval list formats NAME` lists it. Several inputs are written into the directory \
             that -o names, each under its own name, and their paths are printed. A file or directory may be \
             larger than memory: documents are read one by one in the \
             formats with a line per word or per document, file by file in others.\n\n\
             With --onto KEY the mentions of a language model's answer, or of any file whose text differs \
             slightly from the key's, are placed on the words of the key. Mentions that cannot be placed are \
             listed and left out. Unless \
             --to or the name of the output asks for another format, the output is a copy of the key's file, byte for byte, \
             in which only coreference is new ({}).",
        copied.join(", ")
    ))
    .arg(path("input", "INPUT", "The documents to write in another format").required(true).num_args(1..))
    .arg(
        Arg::new("to")
            .long("to")
            .short('t')
            .value_name("FORMAT")
            .value_parser(PossibleValuesParser::new(written))
            .help("Format to write [default: by --output; with --onto the format of the key]"),
    )
    .arg(
        path(
            "output",
            "FORMAT|FILE",
            "Where to write: a file, a directory for formats with one file per document, or the name of a format for standard output [default: standard output]",
        )
        .long("output")
        .short('o'),
    )
    .arg(
        path("onto", "KEY", "Places the mentions on the words of this file, and writes its documents")
            .long("onto"),
    )
    .arg(
        flag(
            "keep-columns",
            "Writes a copy of the key's file in which only coreference is replaced; fails if that is impossible [default with --onto if no other format is named]",
        )
        .requires("onto")
        .conflicts_with("to"),
    )
    .next_help_heading("Reading")
    .arg(format("from", "Format of the input [default: detected from the file]; see `corefeval list formats`").alias("format"))
    .arg(flag("response", "Reads the response if the input has both key and response"))
    .args(of_score("convert").into_iter().map(|arg| arg.help_heading("Reading")))
    .arg(flag("strict", "Makes every warning an error; nothing is written then"))
    .arg(max_memory())
    .next_help_heading("Messages")
    .args(messages())
}
