//! `corefeval convert`: reads documents in one format and writes them in another.

use corefeval_core::text;
use corefeval_core::wording::{Text, inert, option};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use corefeval_core::alignment;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{NamedInput, Values, format_and_notation, refuse_warnings};
use corefeval_core::formats::{FORMATS, FormatSpec, ReadOptions, Side, Texts, WriteOptions, with_column};
use corefeval_core::input::Input;
use corefeval_core::model::{Corpus, Document};
use corefeval_core::output::not_written;
use corefeval_core::pairing;
use corefeval_core::profiles::Profile;
use corefeval_core::settings::{MinAligned, OPTIONS, Settings, Share, Switch};

use crate::args::{choice, flag, format, messages, min_aligned, path};
use crate::destination::Destination;
use crate::terminal::{Talk, Terminal, with_progress};
use crate::typed::Typed;
use crate::{Output, Subcommand, files};

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
            "corefeval convert examples/alder.jsonlines --onto examples/key.conll --keep-columns",
        ),
        (
            "The answer of a language model, over the words of its key",
            "corefeval convert examples/answers/pipe.txt --onto examples/answers/key.conll --to conll",
        ),
    ],
    args,
    run,
};

/// The options of the settings for reading and writing files.
const CHOICES: &[&str] = &["span-end", "boundary-crossing", "annotation", "ids-by-file", "align", "notation"];

fn run(matches: &ArgMatches) -> Result<Output> {
    let paths: Vec<&str> =
        matches.get_many::<String>("input").into_iter().flatten().map(String::as_str).collect();
    let terminal = Terminal::new(matches)?;
    let tell = |conversion: &Conversion, diagnostics: &Diagnostics| match conversion.onto {
        // All findings about the placing of an answer are printed: nothing else shows it.
        Some(_) => terminal.print_with_notes(diagnostics),
        None => terminal.print_diagnostics(diagnostics),
    };
    if let [path] = paths[..] {
        let conversion = Conversion::new(matches, NamedInput::open(path)?.input)?;
        let (text, diagnostics) = conversion.run()?;
        tell(&conversion, &diagnostics);
        return Ok(Output::done(text));
    }
    let mut written = String::new();
    for (input, output) in outputs(matches, &paths)? {
        let conversion = Conversion { output: Some(output.clone()), ..Conversion::new(matches, input)? };
        let (_, diagnostics) = conversion.run()?;
        tell(&conversion, &diagnostics);
        written += &format!("{}\n", inert(&output.display().to_string()));
    }
    Ok(Output::done(written))
}

/// Several inputs and their outputs in the given directory: a file with the name of the input and the extension of the
/// format, or a directory for formats with several files.
fn outputs(matches: &ArgMatches, paths: &[&str]) -> Result<Vec<(Input, PathBuf)>> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let refused = |message: &str, hint: Text| Err(Error::new(ErrorKind::Settings, message).hint(hint));
    let (Some(to), Some(folder)) = (text("to"), text("output").filter(|&folder| folder != "-")) else {
        let hint = text!("name the format with {} and a directory with {}", option("to"), option("output"));
        return refused("several inputs are written into a directory, in one format", hint);
    };
    if Path::new(folder).is_file() {
        return refused(
            &format!("`{folder}` is a file"),
            text!("name a directory with {}", option("output")),
        );
    }
    let to = FormatSpec::named(to)?;
    let mut outputs: Vec<(Input, PathBuf)> = Vec::new();
    for path in paths {
        let NamedInput { name, input, .. } = NamedInput::open(path)?;
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

/// A call of `corefeval convert`, understood.
struct Conversion {
    input: Input,
    /// The key on whose words the mentions are placed.
    onto: Option<Input>,
    from: Option<&'static FormatSpec>,
    to: &'static FormatSpec,
    output: Option<PathBuf>,
    settings: Settings,
    side: Side,
    /// Whether to write a copy of the key's file with a new coreference column.
    keep_columns: bool,
    strict: bool,
    /// How much to print on standard error.
    talk: Talk,
}

/// The format to write and the file or directory to write to, if there is one. Without `--to` the name of a format or the
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
    // Several formats share an extension: the first whose own it is.
    let rows: Vec<_> = written.iter().map(|spec| (spec.id, spec.extensions)).collect();
    let chosen = Destination::among(&rows, typed)?;
    let extension = |spec: &FormatSpec| {
        let name = chosen.file.as_ref()?.file_name()?.to_string_lossy().into_owned();
        spec.extensions.iter().position(|end| name.ends_with(&format!(".{end}")))
    };
    let own = written.iter().filter_map(|spec| Some((extension(spec)?, *spec))).min_by_key(|found| found.0);
    let spec = own.map_or_else(|| FormatSpec::named(chosen.id), |found| Ok(found.1))?;
    Ok((spec, chosen.file))
}

impl Conversion {
    /// Interprets a call.
    fn new(matches: &ArgMatches, input: Input) -> Result<Conversion> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let (from, notation) = format_and_notation(text("from"))?;
        let keep_columns = matches.get_flag("keep-columns");
        let (to, output) = match keep_columns {
            // The format is that of the key.
            true => {
                (FormatSpec::named("conll")?, text("output").filter(|&path| path != "-").map(PathBuf::from))
            }
            false => destination(text("to"), text("output"))?,
        };
        let mut settings = Settings::of(Profile::for_format(from.map_or("", |spec| spec.id)));
        for name in CHOICES {
            if let Some(value) = Typed(matches).value(name) {
                settings.set(name, &value)?;
            }
        }
        if let Some(notation) = notation {
            settings.set("notation", notation)?;
        }
        if let Some(share) = text("min-aligned") {
            settings.min_aligned = MinAligned(Share::parse("min-aligned", share)?);
        }
        let onto = text("onto").map(Input::open).transpose()?;
        Ok(Conversion {
            input,
            onto,
            from,
            to,
            output,
            settings,
            side: if matches.get_flag("response") || text("onto").is_some() {
                Side::Response
            } else {
                Side::Key
            },
            keep_columns,
            strict: matches.get_flag("strict"),
            talk: Terminal::new(matches)?.talk,
        })
    }

    /// Reads and writes. Returns the text for standard output, and the findings.
    fn run(&self) -> Result<(String, Diagnostics)> {
        let settings = &self.settings;
        let options = ReadOptions {
            keep_layers: true,
            side: self.side,
            span_end: settings.span_end,
            boundary_crossing: settings.boundary_crossing == Switch::Yes,
            annotation: settings.annotation,
            default_id: String::new(),
            ids_by_file: settings.ids_by_file == Switch::Yes,
            accept_answers: self.onto.is_some(),
            notation: settings.notation,
            ..ReadOptions::default()
        };
        let read = AtomicU64::new(0);
        let size = || self.input.size();
        let loaded = with_progress(self.talk, size, &read, || self.input.read(self.from, &options, &read));
        let (mut corpus, _) = loaded?;
        if let Some(onto) = &self.onto {
            let options = ReadOptions { side: Side::Key, accept_answers: false, ..options };
            let (key, key_format) = onto.read(None, &options, &read)?;
            let options = alignment::Options { keep_unplaced: false, ..alignment::Options::of(settings) };
            corpus = alignment::onto(&key, corpus, &options)?;
            if self.keep_columns {
                return self.copy_of(onto, (&key, key_format), corpus);
            }
            alignment::add_missing(&key, &mut corpus);
        }
        let mut diagnostics = std::mem::take(&mut corpus.diagnostics);
        let options = WriteOptions { span_end: settings.span_end, annotation: settings.annotation };
        let written = self.to.write(&corpus, options)?;
        diagnostics.merge(written.diagnostics);
        if self.strict {
            refuse_warnings(&diagnostics)?;
        }
        Ok((self.put(written.texts)?, diagnostics))
    }

    /// Writes a copy of the key's file with the mentions of `corpus` in the column of coreference.
    fn copy_of(
        &self,
        onto: &Input,
        (key, format): (&Corpus, &FormatSpec),
        mut corpus: Corpus,
    ) -> Result<(String, Diagnostics)> {
        let Some(bytes) = onto.plain_bytes()? else {
            let error = Error::new(ErrorKind::Settings, "the key is not a single uncompressed file");
            return Err(error.hint("convert file by file; decompress the key first"));
        };
        let mut diagnostics = std::mem::take(&mut corpus.diagnostics);
        let pairs = pairing::pair(key, &corpus, &mut diagnostics)?;
        // A document that the response lacks has no mentions in the copy.
        let placed = |pair: &pairing::DocumentPair<'_>| -> Result<Document> {
            pair.response.map_or_else(|| pair.key.without_mentions(), |response| Ok(response.clone()))
        };
        let placed: Vec<Document> = pairs.iter().map(placed).collect::<Result<_>>()?;
        let pairs: Vec<(&Document, &Document)> = pairs.iter().map(|pair| pair.key).zip(&placed).collect();
        let copy = with_column(&bytes, format.id, &pairs, &mut diagnostics)?;
        if self.strict {
            refuse_warnings(&diagnostics)?;
        }
        let copy = String::from_utf8(copy)
            .map_err(|_| Error::new(ErrorKind::Format, "the key is not UTF-8").hint("convert it to UTF-8"))?;
        match &self.output {
            None => Ok((copy, diagnostics)),
            Some(file) => {
                files::refuse_input(file, &[&self.input, onto])?;
                files::write_file(file, &copy)?;
                Ok((String::new(), diagnostics))
            }
        }
    }

    /// Writes the texts to their files and returns those for standard output.
    fn put(&self, texts: Texts) -> Result<String> {
        match (texts, &self.output) {
            (Texts::Whole(text), None) => Ok(text),
            (Texts::Whole(text), Some(file)) => {
                files::refuse_input(file, &[&self.input])?;
                files::write_file(file, &text).map(|()| String::new())
            }
            (Texts::Files(files), None) => match <[(String, String); 1]>::try_from(files) {
                Ok([(_, text)]) => Ok(text),
                Err(files) => {
                    let message = format!(
                        "{} files of {} cannot be written to standard output",
                        files.len(),
                        self.to.id
                    );
                    Err(Error::new(ErrorKind::Settings, message)
                        .hint(text!("name a directory with {}", option("output"))))
                }
            },
            (Texts::Files(files), Some(folder)) => {
                files::write_files(folder, &files, &[&self.input])?;
                Ok(String::new())
            }
        }
    }
}

fn args(bare: Command) -> Command {
    let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
    let choices = OPTIONS.iter().filter(|option| CHOICES.contains(&option.name));
    bare.long_about(
        "Writes documents in another format.\n\n\
             INPUT is a file, a directory of files, or - for standard input, plain or compressed (.gz, \
             .zst). Annotation that the other format cannot represent is left out and counted in warnings. Several \
             inputs are written into the directory that -o names, each under its own name, and the paths that were \
             written are printed.\n\n\
             With --onto KEY the mentions are placed on the words of the key: those of a language model's answer, or \
             of any file whose text is not quite the key's. What cannot be placed is listed and left out. With \
             --keep-columns as well the output is a copy of the key's file, byte for byte, with another last column.",
    )
    .arg(path("input", "INPUT", "The documents to write in another format").required(true).num_args(1..))
    .arg(
        Arg::new("to")
            .long("to")
            .short('t')
            .value_name("FORMAT")
            .value_parser(PossibleValuesParser::new(written))
            .help("Format to write [default: by --output]"),
    )
    .arg(
        path(
            "output",
            "FORMAT|FILE",
            "Where to write: a file, a directory for formats of a file a document, or the name of a format for standard output [default: standard output]",
        )
        .long("output")
        .short('o'),
    )
    .arg(
        path("onto", "KEY", "Places the mentions on the words of this file, whose documents are written")
            .long("onto"),
    )
    .arg(
        flag(
            "keep-columns",
            "Writes a copy of the key's file, replacing only the coreference column (conll, semeval)",
        )
        .requires("onto")
        .conflicts_with("to"),
    )
    .next_help_heading("Reading")
    .arg(format("from", "Format of the input [default: detected from the file]; see `corefeval list formats`").alias("format"))
    .arg(flag("response", "Reads the response if the input has both key and response"))
    .args(choices.map(choice))
    .arg(min_aligned())
    .arg(flag("strict", "Makes every warning an error; nothing is written then"))
    .next_help_heading("Messages")
    .args(messages())
}
