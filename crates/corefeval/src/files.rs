//! Files that the command writes: converted documents, keys made from names, figures.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use corefeval_core::diagnostic::{Diagnostics, Position};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::input::Input;
use corefeval_report::plot::Figure;

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

/// Writes a file. A name that would be read as compressed is an error.
pub fn write_file(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    if file.extension().is_some_and(|extension| extension == "gz" || extension == "zst") {
        let message = format!("`{}` would not be compressed", file.display());
        let hint = "name the file without the ending, and compress it afterwards";
        return Err(Error::new(ErrorKind::Settings, message).hint(hint));
    }
    fs::write(file, content).map_err(|error| not_written(file, &error))
}

/// The error of a file that could not be written.
fn not_written(path: &Path, error: &io::Error) -> Error {
    let name: Arc<str> = Arc::from(path.display().to_string());
    let message = format!("this file cannot be written: {error}");
    Error::new(ErrorKind::Io, message).at(Position::new(&name, 0, 0))
}

/// Writes figures into a directory, which is made where there is none, and gives back what there is to say of them.
pub fn write_figures(folder: &Path, figures: &[Figure]) -> Result<Diagnostics> {
    #[cfg_attr(not(feature = "png"), expect(unused_mut, reason = "an SVG shows all letters"))]
    let mut diagnostics = Diagnostics::default();
    fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
    for figure in figures {
        let svg = folder.join(format!("{}.svg", figure.name));
        write_file(&svg, figure.drawing.svg())?;
        #[cfg(feature = "png")]
        {
            let png = folder.join(format!("{}.png", figure.name));
            write_file(&png, figure.drawing.png()?)?;
            let missing: String = figure.drawing.missing_letters()?.into_iter().collect();
            if !missing.is_empty() {
                use corefeval_core::diagnostic::Code;
                diagnostics.add(Code::LettersMissing, None, None, || {
                    format!("{} has boxes for {missing}; {} has the letters", png.display(), svg.display())
                });
            }
        }
    }
    Ok(diagnostics)
}
