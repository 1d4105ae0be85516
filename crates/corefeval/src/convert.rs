//! `corefeval convert`: reads documents in one format and writes them in another.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgMatches, Command};
use corefeval_core::diagnostic::Code;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{
    Conversion, Evaluation, Inputs, NamedInput, Request, TaskKind, WrittenForm, format_and_notation, limits,
};
use corefeval_core::formats::{FORMATS, FormatSpec, Side, copied_formats};
use corefeval_core::input::{self, Input};
use corefeval_core::output::not_written;
use corefeval_core::suggest::nearest;
use corefeval_core::text;
use corefeval_core::wording::{Text, inert, option, option_blank, quoted, switch};

use crate::args::{flag, format, max_memory, messages, path, valued};
use crate::destination::Destination;
use crate::score::of_score;
use crate::sink::{Sink, unless_closed, written_directly};
use crate::terminal::Terminal;
use crate::typed::{Typed, text, texts};
use crate::{Output, Subcommand};

/// The subcommand.
pub const CONVERT: Subcommand = Subcommand {
    name: TaskKind::Convert.id(),
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
    let paths: Vec<&str> = texts(matches, "input").collect();
    let terminal = Terminal::new(matches)?;
    let onto = text(matches, "onto");
    let named = paths.iter().copied().chain(onto).filter(|&path| path != "-");
    let named: Vec<Input> = named.map(|path| Input::Path(path.into())).collect();
    input::check_present(&named)?;
    let one = paths.len() == 1 && !is_into_folder(matches)?;
    if let ([path], true) = (&paths[..], one) {
        let input = NamedInput::open_within(path, &limits(&Typed(matches))?)?;
        convert(matches, terminal, input, None)?;
        return Ok(Output::done(String::new()));
    }
    let mut written = String::new();
    for (input, output) in outputs(matches, &paths)? {
        convert(matches, terminal, input, Some(&output))?;
        written += &format!("{}\n", inert(&output.display().to_string()));
    }
    Ok(Output::done(written))
}

/// Converts an input, to the given or else the typed output.
fn convert(matches: &ArgMatches, terminal: Terminal, input: NamedInput, into: Option<&Path>) -> Result<()> {
    let limits = limits(&Typed(matches))?;
    let onto = text(matches, "onto").map(|path| NamedInput::open_within(path, &limits)).transpose()?;
    let side = if matches.get_flag("response") || onto.is_some() { Side::Response } else { Side::Key };
    let (from, notation) = format_and_notation(text(matches, "from"))?;
    let inputs = match onto.clone() {
        Some(key) => Inputs::OneKey { key, responses: vec![input] },
        None => Inputs::NoKey(vec![input]),
    };
    let mut request = Request::new(inputs).with(&Typed(matches))?.response_format(from);
    if let Some(notation) = notation {
        request = request.choose("notation", notation)?;
    }
    let target = ConversionTarget::new(matches, into, onto.as_ref().map(|key| &key.input))?;
    let evaluation = terminal.evaluation(request)?;
    let mut output = None;
    let conversion = evaluation.convert(side, |key_format| {
        let (form, file) = target.form(key_format)?;
        output = file;
        Ok(form)
    })?;
    write(conversion, &evaluation, output.as_deref(), terminal)
}

/// Writes the documents of a conversion, and reports the annotation that the other format cannot represent before
/// anything is visible.
fn write(
    mut conversion: Conversion<'_>,
    evaluation: &Evaluation,
    output: Option<&Path>,
    terminal: Terminal,
) -> Result<()> {
    let inputs = evaluation.request().all_inputs();
    let inputs: Vec<&Input> = inputs.iter().collect();
    let at_once = written_directly(output);
    let mut sink = match output {
        Some(folder) if conversion.fills_folders() => Sink::folder(folder, &inputs)?,
        Some(file) if at_once.is_none() => Sink::file(file, &inputs)?,
        _ => Sink::memory(),
    };
    let in_folder = matches!(sink, Sink::Folder(_));
    conversion.write(in_folder, &mut |name, text| sink.put(name, text))?;
    // Findings about the placing of an answer appear nowhere else.
    let notes = if inputs.len() > 1 { &PLACING[..] } else { &[] };
    terminal.print_with_notes(conversion.diagnostics(), notes);
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
            let written = conversion.write(false, &mut |name, text| direct.put(name, text));
            unless_closed(written, ())?;
            direct.finish().map(drop)
        }
    }
}

/// Returns whether one file is written into a directory that exists, under the name of the input. Naming a file is an
/// error for a format that has several files for each document.
fn is_into_folder(matches: &ArgMatches) -> Result<bool> {
    let text = |name: &str| text(matches, name);
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
fn outputs(matches: &ArgMatches, paths: &[&str]) -> Result<Vec<(NamedInput, PathBuf)>> {
    let text = |name: &str| text(matches, name);
    let refused = |message: &str, hint: Text| Err(Error::new(ErrorKind::Settings, message).hint(hint));
    let (Some(to), Some(folder)) = (text("to"), text("output").filter(|&folder| folder != "-")) else {
        let hint = text!("name the format with {} and a directory with {}", option("to"), option("output"));
        return refused("several inputs are written into a directory, in one format", hint);
    };
    let is_file_name = |end: &std::ffi::OsStr| {
        FormatSpec::of_documents().any(|spec| spec.extensions.iter().any(|own| end == *own))
    };
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
    let mut outputs: Vec<(NamedInput, PathBuf)> = Vec::new();
    for path in paths {
        let input = NamedInput::open_within(path, &limits)?;
        let name = if to.fills_folders() {
            input.name.clone()
        } else {
            format!("{}.{}", input.name, to.extensions[0])
        };
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

/// The typed form and place of the output.
struct ConversionTarget<'m> {
    content: ConvertedForm,
    /// The output as typed.
    typed: Option<&'m str>,
    /// The key on whose words the mentions are placed.
    onto: Option<&'m Input>,
}

/// The typed form of the output.
enum ConvertedForm {
    /// Documents in this format, to a file, a directory or standard output.
    Documents(&'static FormatSpec, Option<PathBuf>),
    /// A copy of the key's file with new coreference.
    Copy,
    /// A copy, unless the typed output names a format other than the key's.
    CopyIfPossible,
}

/// The form of the output, and its file or directory.
type OutputForm = (WrittenForm, Option<PathBuf>);

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

impl<'m> ConversionTarget<'m> {
    /// Interprets the typed line. Documents in a format that is named are written `into` a file or directory, if given.
    fn new(
        matches: &'m ArgMatches,
        into: Option<&Path>,
        onto: Option<&'m Input>,
    ) -> Result<ConversionTarget<'m>> {
        let (to, output) = (text(matches, "to"), text(matches, "output"));
        let content = match (matches.get_flag("keep-columns"), onto, to) {
            (true, ..) => ConvertedForm::Copy,
            (false, Some(_), None) => ConvertedForm::CopyIfPossible,
            (false, _, to) => {
                let (format, file) = destination(to, output)?;
                ConvertedForm::Documents(format, into.map(Path::to_owned).or(file))
            }
        };
        Ok(ConversionTarget { content, typed: output.filter(|&path| path != "-"), onto })
    }

    /// Returns the form and the place of the output, given the format of the key.
    fn form(&self, key_format: Option<&'static FormatSpec>) -> Result<OutputForm> {
        match (&self.content, key_format) {
            (ConvertedForm::Copy, Some(key)) => Ok((WrittenForm::KeyCopy, self.output_of_copy(key)?)),
            (ConvertedForm::CopyIfPossible, Some(key)) => self.form_onto(key),
            (ConvertedForm::Documents(to, output), _) => Ok((WrittenForm::As(to), output.clone())),
            (ConvertedForm::Copy | ConvertedForm::CopyIfPossible, None) => in_named_format(self.typed),
        }
    }

    /// Returns the format that the name of an output belongs to, if it is not the key's.
    fn other_format(&self, typed: &str, key_format: &FormatSpec) -> Option<&'static FormatSpec> {
        let key = self.onto.and_then(Input::path).and_then(Path::extension);
        let as_key = key.is_some() && Path::new(typed).extension() == key;
        let other = FORMATS.iter().filter(|spec| spec.is_written()).find(|spec| is_called(typed, spec));
        other.filter(|_| !is_called(typed, key_format) && !as_key)
    }

    /// Returns the form and the output if no format was named: a copy of the key's file, unless the output names another
    /// format, or the key cannot be copied and the output names its format.
    fn form_onto(&self, key: &'static FormatSpec) -> Result<OutputForm> {
        let typed = self.typed;
        let reader = self.onto.map(Input::plain_reader).transpose()?.flatten();
        let is_copied = key.can_be_copied() && reader.is_some();
        let names_format = typed.is_some_and(|typed| {
            let ids = || FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
            let is_path = typed.contains(['.', '/', '\\']);
            self.other_format(typed, key).is_some()
                || (!is_copied && is_called(typed, key))
                || (!is_path && nearest(typed, ids()).is_some() && !ids().any(|id| id == typed))
        });
        if names_format {
            return in_named_format(typed);
        }
        if is_copied {
            return Ok((WrittenForm::KeyCopy, self.output_of_copy(key)?));
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
    fn output_of_copy(&self, key_format: &FormatSpec) -> Result<Option<PathBuf>> {
        let Some(typed) = self.typed.filter(|typed| *typed != key_format.id) else { return Ok(None) };
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
}

/// Returns the form and the place of an output that names its format.
fn in_named_format(typed: Option<&str>) -> Result<OutputForm> {
    let (to, output) = destination(None, typed)?;
    Ok((WrittenForm::As(to), output))
}

/// Returns whether a name is that of a format, or of a file of that format.
fn is_called(typed: &str, spec: &FormatSpec) -> bool {
    let mut ends = spec.extensions.iter().filter(|end| !OF_ANY_FORMAT.contains(end));
    typed == spec.id || ends.any(|end| typed.ends_with(&format!(".{end}")))
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
        valued("to", "FORMAT")
            .short('t')
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
    .args(of_score(TaskKind::Convert).into_iter().map(|arg| arg.help_heading("Reading")))
    .arg(flag("strict", "Makes every warning an error; nothing is written then"))
    .arg(max_memory())
    .next_help_heading("Messages")
    .args(messages())
}
