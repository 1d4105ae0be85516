//! `corefeval convert`: reads documents in one format and writes them in another.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use clap::ArgMatches;
use corefeval_core::diagnostic::{Diagnostics, Position};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::{FormatSpec, ReadOptions, Side, Texts, WriteOptions};
use corefeval_core::input::Input;
use corefeval_core::profiles::Profile;
use corefeval_core::settings::{Settings, Switch};

use crate::plan;
use crate::terminal::{Talk, with_progress};

/// The options of the settings that say how files are read and written.
pub const CHOICES: &[&str] = &["span-end", "boundary-crossing", "annotation", "ids-by-file"];

/// A call of `corefeval convert`, understood.
pub struct Conversion {
    input: Input,
    from: Option<&'static FormatSpec>,
    to: &'static FormatSpec,
    output: Option<PathBuf>,
    choices: Vec<(&'static str, String)>,
    side: Side,
    strict: bool,
    /// How much is said on standard error.
    pub talk: Talk,
}

impl Conversion {
    /// Understands a call.
    pub fn new(matches: &ArgMatches) -> Result<Conversion> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let from = match text("from") {
            None | Some("auto") => None,
            Some(id) => Some(FormatSpec::named(id)?),
        };
        Ok(Conversion {
            input: Input::open(text("input").unwrap_or_default())?,
            from,
            to: FormatSpec::named(text("to").unwrap_or_default())?,
            output: text("output").map(PathBuf::from),
            choices: plan::choices(matches, CHOICES),
            side: if matches.get_flag("response") { Side::Response } else { Side::Key },
            strict: matches.get_flag("strict"),
            talk: plan::talk(matches),
        })
    }

    /// Reads and writes. Gives back what goes to standard output, and what was noticed.
    pub fn run(&self) -> Result<(String, Diagnostics)> {
        let mut settings = Settings::of(Profile::for_format(self.from.map_or("", |spec| spec.id)));
        for (name, value) in &self.choices {
            settings.set(name, value)?;
        }
        let options = ReadOptions {
            keep_layers: true,
            side: self.side,
            span_end: settings.span_end,
            boundary_crossing: settings.boundary_crossing == Switch::Yes,
            annotation: settings.annotation,
            default_id: String::new(),
            ids_by_file: settings.ids_by_file == Switch::Yes,
            ..ReadOptions::default()
        };
        let read = AtomicU64::new(0);
        let size = || self.input.size();
        let loaded = with_progress(self.talk, size, &read, || self.input.read(self.from, &options, &read));
        let (mut corpus, _) = loaded?;
        let mut diagnostics = std::mem::take(&mut corpus.diagnostics);
        let options = WriteOptions { span_end: settings.span_end, annotation: settings.annotation };
        let written = self.to.write(&corpus, options)?;
        diagnostics.merge(written.diagnostics);
        if self.strict {
            crate::run::refuse_warnings(&diagnostics)?;
        }
        Ok((self.put(written.texts)?, diagnostics))
    }

    /// Puts the texts where they belong; gives back what belongs on standard output.
    fn put(&self, texts: Texts) -> Result<String> {
        match (texts, &self.output) {
            (Texts::Whole(text), None) => Ok(text),
            (Texts::Whole(text), Some(file)) => {
                refuse_input(file, &[&self.input])?;
                write_file(file, &text)
            }
            (Texts::Files(files), None) => match <[(String, String); 1]>::try_from(files) {
                Ok([(_, text)]) => Ok(text),
                Err(files) => {
                    let message =
                        format!("{} files of {} do not go to standard output", files.len(), self.to.id);
                    Err(Error::new(ErrorKind::Settings, message).hint("name a directory with --output"))
                }
            },
            (Texts::Files(files), Some(folder)) => {
                write_files(folder, &files, &[&self.input])?;
                Ok(String::new())
            }
        }
    }
}

/// Fails where a file that is to be written is one that was read, or lies in a directory that was.
pub fn refuse_input(file: &Path, inputs: &[&Input]) -> Result<()> {
    let Ok(target) = file.canonicalize() else { return Ok(()) };
    let read = |input: &&Input| input.path().and_then(|path| path.canonicalize().ok());
    if inputs.iter().filter_map(read).any(|path| target.starts_with(path)) {
        let name: Arc<str> = Arc::from(file.display().to_string());
        return Err(Error::new(ErrorKind::Settings, "this file is what was read, and would be replaced")
            .at(Position::new(&name, 0, 0))
            .hint("write to another file"));
    }
    Ok(())
}

/// Writes files into a folder. Files of the same kinds that are there and would stay beside them are an error: the
/// folder is read as one corpus.
pub fn write_files(folder: &Path, files: &[(String, String)], inputs: &[&Input]) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
    let extension = |name: &str| name.rsplit_once('.').map(|(_, extension)| extension.to_owned());
    let kinds: Vec<Option<String>> = files.iter().map(|(name, _)| extension(name)).collect();
    let there = fs::read_dir(folder).map_err(|error| not_written(folder, &error))?;
    let mut others: Vec<String> = there
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| kinds.contains(&extension(name)) && files.iter().all(|file| file.0 != *name))
        .collect();
    others.sort();
    if let Some(other) = others.first() {
        let name: Arc<str> = Arc::from(folder.display().to_string());
        let message =
            format!("`{other}` is in this folder already, and would be read as part of what is written");
        return Err(Error::new(ErrorKind::Settings, message)
            .at(Position::new(&name, 0, 0))
            .hint("name an empty folder, or a new one"));
    }
    for (name, text) in files {
        let file = folder.join(name);
        refuse_input(&file, inputs)?;
        write_file(&file, text)?;
    }
    Ok(())
}

/// Writes a file; gives back nothing for standard output. What is read compressed by its name is not written so, and
/// is an error.
pub fn write_file(file: &Path, content: impl AsRef<[u8]>) -> Result<String> {
    if file.extension().is_some_and(|extension| extension == "gz" || extension == "zst") {
        let message = format!("`{}` would not be compressed", file.display());
        let hint = "name the file without the ending, and compress it afterwards";
        return Err(Error::new(ErrorKind::Settings, message).hint(hint));
    }
    fs::write(file, content).map_err(|error| not_written(file, &error))?;
    Ok(String::new())
}

/// The error of a file that could not be written.
pub fn not_written(path: &Path, error: &io::Error) -> Error {
    let name: Arc<str> = Arc::from(path.display().to_string());
    let message = format!("this file cannot be written: {error}");
    Error::new(ErrorKind::Io, message).at(Position::new(&name, 0, 0))
}
