//! Files that the command writes: converted documents, keys made from names, figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use corefeval_core::diagnostic::{Diagnostics, Position};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::input::Input;
pub use corefeval_core::output::refuse_input;
use corefeval_core::output::{self, not_written};
use corefeval_report::plot::Figure;

/// Writes files into a folder. It is an error if other files of the same kinds would remain, because the folder is read as
/// one corpus.
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
        let message = format!("`{other}` is already in this folder and would be read as part of the output");
        return Err(Error::new(ErrorKind::Settings, message)
            .at(Position::new(&name, 0, 0))
            .hint("name an empty folder, or a new one"));
    }
    let files: Vec<(PathBuf, &str)> =
        files.iter().map(|(name, text)| (folder.join(name), text.as_str())).collect();
    for (file, _) in &files {
        refuse_input(file, inputs)?;
        refuse_compressed(file)?;
    }
    output::write_all(&files)
}

/// Writes a file, whole or not at all. A name that would be read as compressed is an error.
pub fn write_file(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    refuse_compressed(file)?;
    output::write(file, content)
}

fn refuse_compressed(file: &Path) -> Result<()> {
    if file.extension().is_some_and(|extension| extension == "gz" || extension == "zst") {
        let message = format!("`{}` would not be compressed", file.display());
        let hint = "name the file without the ending, and compress it afterwards";
        return Err(Error::new(ErrorKind::Settings, message).hint(hint));
    }
    Ok(())
}

/// Writes figures into a directory, which is created if needed, and returns the findings.
pub fn write_figures(folder: &Path, figures: &[Figure]) -> Result<Diagnostics> {
    #[cfg_attr(not(feature = "png"), expect(unused_mut, reason = "an SVG shows all letters"))]
    let mut diagnostics = Diagnostics::default();
    fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for figure in figures {
        let svg = folder.join(format!("{}.svg", figure.name));
        files.push((svg.clone(), figure.drawing.svg().into()));
        #[cfg(feature = "png")]
        {
            let missing: String = figure.drawing.missing_letters()?.into_iter().collect();
            if !missing.is_empty() {
                use corefeval_core::diagnostic::Code;
                diagnostics.add(Code::LettersMissing, None, None, || {
                    format!("{} is drawn as SVG alone, which has the letters {missing}", svg.display())
                });
                continue;
            }
            files.push((folder.join(format!("{}.png", figure.name)), figure.drawing.png()?));
            files.push((folder.join(format!("{}.pdf", figure.name)), figure.drawing.pdf()?));
        }
    }
    output::write_all(&files)?;
    Ok(diagnostics)
}
