//! Writes figures: an SVG file each and, where the command was built with it, a PNG file beside it.

use std::fs;
use std::path::Path;

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::Result;
use corefeval_report::plot::Figure;

use crate::convert::{not_written, write_file};

/// Writes figures into a directory, which is made where there is none, and gives back what there is to say of them.
pub fn write(folder: &Path, figures: &[Figure]) -> Result<Diagnostics> {
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
