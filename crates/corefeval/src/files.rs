//! Files that the command writes: converted documents, keys made from names, figures.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use corefeval_core::diagnostic::{Diagnostics, Position};
use corefeval_core::error::{Error, ErrorKind, Result};
pub use corefeval_core::output::refuse_input;
use corefeval_core::output::{self, not_written};
use corefeval_report::plot::Figure;

/// Fails if a folder has other files of the same kinds as `names`: the folder is read as one corpus.
pub fn refuse_others(folder: &Path, names: &[String]) -> Result<()> {
    let extension = |name: &str| name.rsplit_once('.').map(|(_, extension)| extension.to_owned());
    let kinds: BTreeSet<Option<String>> = names.iter().map(|name| extension(name)).collect();
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let there = fs::read_dir(folder).map_err(|error| not_written(folder, &error))?;
    let mut others: Vec<String> = there
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| kinds.contains(&extension(name)) && !names.contains(name.as_str()))
        .collect();
    others.sort();
    let Some(other) = others.first() else { return Ok(()) };
    let name: Arc<str> = Arc::from(folder.display().to_string());
    let message =
        format!("`{other}` is in this folder already, and would be read as part of what is written");
    Err(Error::new(ErrorKind::Settings, message)
        .at(Position::new(&name, 0, 0))
        .hint("name an empty folder, or a new one"))
}

/// Writes a file as a whole or not at all. It is an error if its name would be read as compressed or as standard input.
pub fn write_file(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    refuse_dash(file)?;
    refuse_compressed(file)?;
    output::write(file, content)
}

/// Returns whether two names are of one file, which may not exist yet.
pub fn are_same(one: &Path, other: &Path) -> bool {
    let place = |file: &Path| {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some((folder.canonicalize().ok()?, file.file_name()?.to_owned()))
    };
    let target = |file: &Path| file.canonicalize().ok();
    (target(one).is_some() && target(one) == target(other))
        || (place(one).is_some() && place(one) == place(other))
}

/// Fails for `-`, which usually means standard output: this has the report.
pub fn refuse_dash(file: &Path) -> Result<()> {
    if file.as_os_str() == "-" {
        let error = Error::new(ErrorKind::Settings, "`-` names no file or folder here");
        return Err(error.hint(
            "standard output is used for the report: name a file or a folder (`./-` for one of this name)",
        ));
    }
    Ok(())
}

/// Fails for a name that would be read as compressed.
pub fn refuse_compressed(file: &Path) -> Result<()> {
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
    refuse_dash(folder)?;
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
                    format!(
                        "{} is drawn only as SVG, because PNG and PDF lack the letters {missing}",
                        svg.display()
                    )
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
