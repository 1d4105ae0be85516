//! `corefeval prompt`: the text of a key as a prompt for a language model.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Command};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::TaskKind;
use corefeval_core::input::Input;
use corefeval_core::output::{refuse_input, write_file, write_files};
use corefeval_core::prompt::{PROMPTS, Prompt, PromptSpec};
use corefeval_core::wording::{self, option};

use crate::args::{flag, format, max_memory, messages, path, valued};
use crate::destination::for_standard_output;
use crate::terminal::Terminal;
use crate::typed::{self, text};
use crate::{Output, Subcommand};

/// The subcommand.
pub const PROMPT: Subcommand = Subcommand {
    name: TaskKind::Prompt.id(),
    about: "Writes the text of a key as a prompt whose answer can be scored",
    examples: &[
        ("Marks in brackets", "corefeval prompt examples/answers/key.conll --to bracketed:link"),
        ("A list of mentions in JSON", "corefeval prompt examples/answers/key.conll --to json-answer"),
    ],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let spec = PromptSpec::named(text(matches, "to").unwrap_or_default())?;
    let terminal = Terminal::new(matches)?;
    let evaluation = terminal.evaluation(typed::request(matches)?)?;
    let found = evaluation.prompts(spec)?;
    terminal.print_diagnostics(&found.diagnostics);
    let content = |prompt: &Prompt| match matches.get_flag("text-only") {
        true => format!("{}\n", prompt.text),
        false => prompt.message(),
    };
    let prompts = found.prompts.iter().map(|(name, prompt)| (format!("{name}.txt"), content(prompt)));
    let mut prompts: Vec<(String, String)> = prompts.collect();
    let inputs = evaluation.request().all_inputs();
    let inputs: Vec<&Input> = inputs.iter().collect();
    match (text(matches, "output").map(PathBuf::from), prompts.len()) {
        (None, 1) => Ok(Output::done(for_standard_output(prompts.remove(0).1))),
        (None, many) => {
            let error = Error::new(ErrorKind::Settings, format!("{many} documents need one prompt each"));
            Err(error.hint(wording::text!("name a directory with {}", option("output"))))
        }
        (Some(file), 1) if file.extension().is_some() => {
            refuse_input(&file, &inputs)?;
            write_file(&file, &prompts[0].1).map(|()| Output::done(String::new()))
        }
        (Some(folder), _) => {
            write_files(&folder, &prompts, &inputs)?;
            Ok(Output::done(String::new()))
        }
    }
}

fn args(bare: Command) -> Command {
    let ids = PROMPTS.iter().map(|spec| spec.id);
    let formats = PROMPTS.iter().filter_map(|spec| spec.id.split_once(':')).map(|split| split.0);
    let mut formats: Vec<&str> = formats.collect();
    formats.dedup();
    bare.long_about(
        "Writes the text of a key, without its annotation, with the instructions that a language model needs so that its answer \
         is read back without loss. `corefeval score KEY ANSWER` scores the answer.\n\n\
         A prompt holds one document; several documents are written into a directory, a file each, named like the \
         documents. Answers in files of the same names are paired with them.",
    )
    .arg(path("key", "KEY", "The key, or any file with the text").required(true))
    .arg(
        valued("to", "NOTATION")
            .short('t')
            .required(true)
            .value_parser(PossibleValuesParser::new(ids.chain(formats)))
            .hide_possible_values(true)
            .help("The notation of the answer, such as bracketed:link, tagged, pipe or json-answer")
            .long_help(format!(
                "The notation of the answer\n\n[possible values: {}]",
                PROMPTS.iter().map(|spec| spec.id).collect::<Vec<_>>().join(", ")
            )),
    )
    .arg(path("output", "FILE|DIR", "Where to write: a file, or a directory for several documents [default: standard output]").long("output").short('o'))
    .arg(flag("text-only", "Writes the text without the instructions"))
    .next_help_heading("Reading")
    .arg(format("format", "Format of the key [default: detected from the file]"))
    .arg(max_memory())
    .next_help_heading("Messages")
    .args(messages())
}
