//! Writes files as a whole or not at all, and never over an input.
//!
//! A file is written under another name in the same folder, synced, and renamed. If anything fails before that (a full
//! disk, a limit, a signal), the old file is not changed. Several files are renamed only when all of them are
//! written. Devices, pipes and open files of the process (`/dev/stdout`) are written to directly.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::{Builder, NamedTempFile, TempPath};

use crate::diagnostic::Position;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;

/// Writes a file, replacing any existing file of this name.
///
/// ```
/// let path = std::env::temp_dir().join("corefeval-output-example");
/// corefeval_core::output::write(&path, "one")?;
/// corefeval_core::output::write(&path, "another")?;
/// assert_eq!(std::fs::read(&path).expect("a file"), b"another");
/// # std::fs::remove_file(&path).expect("a file");
/// # Ok::<(), corefeval_core::error::Error>(())
/// ```
///
/// # Errors
///
/// The file cannot be written. The old file then remains.
pub fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    write_all(&[(file.to_owned(), content)])
}

/// Writes several files, replacing existing ones: either all of them or none.
///
/// # Errors
///
/// A file cannot be written. All old files then remain, unless a file cannot be renamed after others were.
pub fn write_all(files: &[(PathBuf, impl AsRef<[u8]>)]) -> Result<()> {
    put(files, true)
}

/// Writes a file as [`write`] does, but does not wait until it is on the disk; for files with a checksum.
pub(crate) fn write_unsynced(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    put(&[(file.to_owned(), content)], false)
}

fn put(files: &[(PathBuf, impl AsRef<[u8]>)], sync: bool) -> Result<()> {
    let mut new = NewFiles { sync, ..NewFiles::default() };
    for (file, content) in files {
        new.begin(file)?;
        new.write(content.as_ref())?;
    }
    new.finish()
}

/// Files that are written one after another and renamed together. If they are dropped before that, the old files are
/// not changed.
///
/// ```
/// use corefeval_core::output::NewFiles;
/// let path = std::env::temp_dir().join("corefeval-new-files-example");
/// let mut files = NewFiles::default();
/// files.begin(&path)?;
/// files.write("one, ")?;
/// files.write("two")?;
/// files.finish()?;
/// assert_eq!(std::fs::read(&path).expect("a file"), b"one, two");
/// # std::fs::remove_file(&path).expect("a file");
/// # Ok::<(), corefeval_core::error::Error>(())
/// ```
pub struct NewFiles {
    /// The current file.
    open: Option<(PathBuf, NewFile)>,
    /// Finished files. They are closed, because a process may not be able to keep all of them open.
    written: Vec<(PathBuf, TempPath, PathBuf)>,
    sync: bool,
}

impl Default for NewFiles {
    fn default() -> NewFiles {
        NewFiles { open: None, written: Vec::new(), sync: true }
    }
}

impl NewFiles {
    /// Starts the next file.
    ///
    /// # Errors
    ///
    /// The previous file cannot be completed, or the new one cannot be created.
    pub fn begin(&mut self, file: &Path) -> Result<()> {
        self.close()?;
        let begun = NewFile::new(file).map_err(|error| not_written(file, &error))?;
        self.open = Some((file.to_owned(), begun));
        Ok(())
    }

    /// Writes a piece of the file that was started last.
    ///
    /// # Errors
    ///
    /// The file cannot be written, for example because the disk is full.
    pub fn write(&mut self, content: impl AsRef<[u8]>) -> Result<()> {
        let Some((file, begun)) = &mut self.open else { return Ok(()) };
        begun.write_all(content.as_ref()).map_err(|error| not_written(file, &error))
    }

    /// Renames all files to their final names.
    ///
    /// # Errors
    ///
    /// The last file cannot be completed, or a file cannot be renamed.
    pub fn finish(mut self) -> Result<()> {
        self.close()?;
        for (file, beside, target) in self.written {
            let named = beside.persist(&target).map_err(|error| error.error);
            named.map_err(|error| not_written(&file, &error))?;
            // The new name is made durable too, if folders can be synced.
            let folder = target.parent().filter(|_| self.sync);
            if let Some(folder) = folder.and_then(|folder| File::open(folder).ok()) {
                let _ = folder.sync_all();
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let Some((file, begun)) = self.open.take() else { return Ok(()) };
        if let NewFile::Beside(beside, target) = begun {
            let synced = if self.sync { beside.as_file().sync_all() } else { Ok(()) };
            synced.map_err(|error| not_written(&file, &error))?;
            self.written.push((file, beside.into_temp_path(), target));
        }
        Ok(())
    }
}

/// A folder that is removed again if it was made for files and remains empty.
struct MadeFolder(Option<PathBuf>);

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // A folder with files is not removed.
        self.0.take().map(fs::remove_dir);
    }
}

/// Files in one folder, which is created if needed. They are renamed together, like [`NewFiles`].
pub struct NewFolder<'f> {
    folder: &'f Path,
    new: NewFiles,
    /// Dropped after the files.
    _made: MadeFolder,
    names: Vec<String>,
    inputs: &'f [&'f Input],
}

impl<'f> NewFolder<'f> {
    /// Creates the folder unless it exists. None of the `inputs` may be replaced.
    ///
    /// # Errors
    ///
    /// The folder cannot be created.
    pub fn new(folder: &'f Path, inputs: &'f [&'f Input]) -> Result<NewFolder<'f>> {
        let made = MadeFolder((!folder.exists()).then(|| folder.to_owned()));
        fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        Ok(NewFolder { folder, new: NewFiles::default(), _made: made, names: Vec::new(), inputs })
    }

    /// Adds a file.
    ///
    /// # Errors
    ///
    /// A file that is an input, that would be read as compressed, or that cannot be written.
    pub fn put(&mut self, name: &str, text: impl AsRef<[u8]>) -> Result<()> {
        let file = self.folder.join(name);
        refuse_input(&file, self.inputs)?;
        refuse_compressed(&file)?;
        self.names.push(name.to_owned());
        self.new.begin(&file)?;
        self.new.write(text)
    }

    /// Renames the files to their final names.
    ///
    /// # Errors
    ///
    /// The folder has other files of these kinds; a file cannot be completed or renamed.
    pub fn finish(self) -> Result<()> {
        refuse_others(self.folder, &self.names)?;
        self.new.finish()
    }
}

/// Writes files into a folder, all of them or none.
///
/// # Errors
///
/// The errors of [`NewFolder`].
pub fn write_files(folder: &Path, files: &[(String, String)], inputs: &[&Input]) -> Result<()> {
    let mut new = NewFolder::new(folder, inputs)?;
    files.iter().try_for_each(|(name, text)| new.put(name, text))?;
    new.finish()
}

/// Fails if a folder has other files of the same kinds as `names`: the folder is read as one corpus.
fn refuse_others(folder: &Path, names: &[String]) -> Result<()> {
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
    let message = format!("`{other}` is in this folder already, and would be read as a part of the output");
    Err(Error::new(ErrorKind::Settings, message)
        .at(Position::new(&name, 0, 0))
        .hint("name an empty folder, or a new one"))
}

/// Writes a file that users named, like [`write()`].
///
/// # Errors
///
/// A name that would be read as compressed or as standard input; a file that cannot be written.
pub fn write_file(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    refuse_dash(file)?;
    refuse_compressed(file)?;
    write(file, content)
}

/// Writes a file that users named, piece by piece. The inner result of `write_to` is the writer's own.
///
/// # Errors
///
/// The errors of [`write_file`] and of `write_to`; the old file then remains.
pub fn write_file_with(
    file: &Path,
    write_to: impl FnOnce(&mut dyn io::Write) -> Result<io::Result<()>>,
) -> Result<()> {
    refuse_dash(file)?;
    refuse_compressed(file)?;
    let mut new = NewFiles::default();
    new.begin(file)?;
    if let Some((file, begun)) = &mut new.open {
        write_to(begun)?.map_err(|error| not_written(file, &error))?;
    }
    new.finish()
}

/// Returns whether two names refer to the same file, which may not exist yet.
pub fn are_same(one: &Path, other: &Path) -> bool {
    let place = |file: &Path| {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some((folder.canonicalize().ok()?, file.file_name()?.to_owned()))
    };
    let target = |file: &Path| file.canonicalize().ok();
    (target(one).is_some() && target(one) == target(other))
        || (place(one).is_some() && place(one) == place(other))
}

/// Fails for `-`, the usual name of standard output, where the report is written.
///
/// # Errors
///
/// The name `-`.
pub fn refuse_dash(file: &Path) -> Result<()> {
    if file.as_os_str() == "-" {
        let error = Error::new(ErrorKind::Settings, "`-` is not a file or folder here");
        return Err(error.hint(
            "standard output is used for the report: name a file or a folder (`./-` for one of this name)",
        ));
    }
    Ok(())
}

/// Fails for a name that would be read as compressed.
///
/// # Errors
///
/// A name that ends in `.gz` or `.zst`.
pub fn refuse_compressed(file: &Path) -> Result<()> {
    if file.extension().is_some_and(|extension| extension == "gz" || extension == "zst") {
        let message = format!("`{}` would not be compressed", file.display());
        let hint = "name the file without the ending, and compress it afterwards";
        return Err(Error::new(ErrorKind::Settings, message).hint(hint));
    }
    Ok(())
}

/// Returns whether data for `file` is written directly, since it is a device, a pipe or an open file of the process.
pub fn is_written_directly(file: &Path) -> bool {
    let of_process = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"];
    of_process.iter().any(|place| file.starts_with(place))
        || fs::metadata(file).is_ok_and(|old| !old.is_file() && !old.is_dir())
}

/// Checks that a file to write is not an input.
///
/// # Errors
///
/// The file is an input, lies in a directory that is read, is the text of an annotation, a link to one of these, or
/// the file that standard input reads.
pub fn refuse_input(file: &Path, inputs: &[&Input]) -> Result<()> {
    // A file that does not exist yet cannot be an input.
    let Some(target) = FileIdentity::of(file) else { return Ok(()) };
    let is_target = |path: &PathBuf| FileIdentity::of(path).as_ref() == Some(&target);
    let below = |input: &&Input| {
        let (Ok(path), Ok(file)) =
            (input.path().ok_or(()).and_then(|path| path.canonicalize().map_err(drop)), file.canonicalize())
        else {
            return false;
        };
        file.starts_with(path)
    };
    if FileIdentity::of_standard_input().as_ref() == Some(&target)
        || inputs.iter().any(|input| below(input) || input.all_files().iter().any(is_target))
    {
        return Err(Error::new(ErrorKind::Settings, "this file is an input and would be replaced")
            .at(position(file))
            .hint("write to another file"));
    }
    Ok(())
}

/// The identity of a file, regardless of its name.
#[derive(PartialEq, Eq)]
struct FileIdentity(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] PathBuf);

impl FileIdentity {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<FileIdentity> {
        use std::os::unix::fs::MetadataExt;
        // Devices are written to, and not replaced.
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(FileIdentity((data.dev(), data.ino())))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<FileIdentity> {
        path.canonicalize().ok().map(FileIdentity)
    }

    fn of_standard_input() -> Option<FileIdentity> {
        FileIdentity::of(Path::new("/dev/stdin"))
    }
}

/// A file that is being written.
enum NewFile {
    /// A temporary file in the folder of the file that it will replace.
    Beside(NamedTempFile, PathBuf),
    /// A file that is written to directly.
    Direct(File),
}

impl NewFile {
    fn new(file: &Path) -> io::Result<NewFile> {
        if is_written_directly(file) {
            return Ok(NewFile::Direct(File::options().append(true).open(file)?));
        }
        let old = fs::metadata(file).ok();
        if old.is_some() {
            // A file without write permission is not replaced either; a directory is an error here.
            drop(File::options().write(true).open(file)?);
        }
        // A link is kept and its target replaced; the target may not exist yet.
        let target = match fs::read_link(file) {
            Ok(link) if old.is_none() => file.parent().unwrap_or(Path::new("")).join(link),
            Ok(_) => file.canonicalize()?,
            Err(_) => file.to_owned(),
        };
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let permissions = old.map_or_else(usual_permissions, |old| Some(old.permissions()));
        let mut builder = Builder::new();
        // Readers of directories skip hidden files.
        builder.prefix(".corefeval-").suffix(".new");
        if let Some(permissions) = &permissions {
            builder.permissions(permissions.clone());
        }
        Ok(NewFile::Beside(builder.tempfile_in(folder)?, target))
    }
}

impl io::Write for NewFile {
    fn write(&mut self, content: &[u8]) -> io::Result<usize> {
        match self {
            NewFile::Beside(beside, _) => beside.write(content),
            NewFile::Direct(file) => file.write(content),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the permissions of a new file, from the process's mask.
#[cfg(unix)]
fn usual_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

fn position(path: &Path) -> Position {
    Position::new(&Arc::from(path.display().to_string()), 0, 0)
}

/// Returns the error for a file that could not be written.
pub fn not_written(path: &Path, error: &io::Error) -> Error {
    // The name of the temporary file is not useful to users.
    let reason = error.to_string();
    let reason = reason.split(" at path \"").next().unwrap_or_default();
    let found =
        Error::new(ErrorKind::Io, format!("this file cannot be written: {reason}")).at(position(path));
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => {
            found.hint("free some space and run again; an older file of this name is unchanged")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => found.hint(
            "check the permissions of the file and of its folder, or write elsewhere; an older file of this name is unchanged",
        ),
        io::ErrorKind::NotFound => found.hint("name a file in a folder that exists, or create the folder first"),
        io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => {
            found.hint("name a file, in a folder that exists")
        }
        _ => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("corefeval-output-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn pieces_are_written_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rows.csv");
        let write = |end: fn() -> Result<io::Result<()>>| {
            write_file_with(&file, |to| {
                for piece in ["one,", "two"] {
                    to.write_all(piece.as_bytes()).unwrap();
                }
                end()
            })
        };
        write(|| Ok(Ok(()))).unwrap();
        for (end, message) in [
            ((|| Ok(Err(io::Error::other("full")))) as fn() -> _, "this file cannot be written: full"),
            (|| Err(Error::new(ErrorKind::Settings, "no rows")), "no rows"),
        ] {
            assert!(write(end).unwrap_err().to_string().contains(message));
            assert_eq!(fs::read(&file).unwrap(), b"one,two");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn files_are_replaced_whole_and_several_together() {
        let folder = folder("whole");
        let file = |name: &str| folder.join(name);
        write(&file("a"), "old").unwrap();
        write_all(&[(file("a"), "new"), (file("b"), "new")]).unwrap();
        assert_eq!(fs::read(file("a")).unwrap(), b"new");
        // One file that cannot be written prevents all others from being written.
        fs::create_dir(file("c")).unwrap();
        let error = write_all(&[(file("a"), "newer"), (file("c"), "newer")]).unwrap_err();
        assert!(error.message().contains("cannot be written"), "{error}");
        assert_eq!(fs::read(file("a")).unwrap(), b"new");
        assert!(write(&file("nowhere/a"), "x").is_err());
        // No temporary file remains.
        assert_eq!(names(&folder), ["a", "b", "c"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_devices_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder("links");
        let file = |name: &str| folder.join(name);
        write(&file("a"), "old").unwrap();
        fs::set_permissions(file("a"), Permissions::from_mode(0o640)).unwrap();
        symlink("a", file("link")).unwrap();
        symlink("later", file("to-nothing")).unwrap();
        write(&file("link"), "new").unwrap();
        write(&file("to-nothing"), "new").unwrap();
        assert!(fs::symlink_metadata(file("link")).unwrap().is_symlink());
        assert_eq!(fs::read(file("a")).unwrap(), b"new");
        assert_eq!(fs::read(file("later")).unwrap(), b"new");
        assert_eq!(fs::metadata(file("a")).unwrap().permissions().mode() & 0o777, 0o640);
        write(Path::new("/dev/null"), "gone").unwrap();
        if Path::new("/dev/full").exists() {
            let error = write(Path::new("/dev/full"), "x").unwrap_err();
            assert!(error.remedy().unwrap().contains("free some space"), "{error}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn nothing_that_is_read_is_replaced() {
        use std::os::unix::fs::symlink;
        let folder = folder("read");
        let file = |name: &str| folder.join(name);
        for name in ["d/a.ann", "d/a.txt", "other"] {
            fs::create_dir_all(file(name).parent().unwrap()).unwrap();
            write(&file(name), "x").unwrap();
        }
        fs::hard_link(file("d/a.txt"), file("hard")).unwrap();
        symlink("d/a.ann", file("soft")).unwrap();
        let (one, all) = (Input::Path(file("d/a.ann")), Input::Path(file("d")));
        for input in [&one, &all] {
            for name in ["d/a.ann", "d/a.txt", "hard", "soft"] {
                let error = refuse_input(&file(name), &[input]).unwrap_err();
                assert!(error.message().contains("would be replaced"), "{name}: {error}");
            }
            refuse_input(&file("other"), &[input]).unwrap();
            refuse_input(&file("none"), &[input]).unwrap();
        }
        refuse_input(Path::new("/dev/null"), &[&one]).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
