//! Writes figures: an SVG file each and, where the command was built with it, a PNG file beside it.

use std::fs;
use std::path::Path;

use corefeval_core::error::Result;
use corefeval_core::plot::Figure;

use crate::convert::{not_written, write_file};

/// Writes figures into a directory, which is made where there is none.
pub fn write(folder: &Path, figures: &[Figure]) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
    for figure in figures {
        write_file(&folder.join(format!("{}.svg", figure.name)), figure.drawing.svg())?;
        #[cfg(feature = "png")]
        write_file(&folder.join(format!("{}.png", figure.name)), figure.drawing.png()?)?;
    }
    Ok(())
}
