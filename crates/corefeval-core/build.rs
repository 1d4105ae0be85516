//! A number that identifies the sources of the library, so that counts cached by another build (`cache.rs`) are not
//! mistaken for its own.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    // The metrics are a separate crate. If both crates come from a registry, the version identifies their sources.
    let folders = [Path::new("src"), Path::new("../corefeval-metrics/src")];
    for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(folder, &mut files);
    }
    files.sort();
    // Equal for equal sources and compilers, which is all that is needed.
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.to_string_lossy().replace('\\', "/").hash(&mut hasher);
        fs::read(&file).expect("a source file can be read").hash(&mut hasher);
    }
    println!("cargo::rustc-env=COREFEVAL_SOURCES={:016x}", hasher.finish());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the sources are in `src`");
    for entry in entries {
        let path = entry.expect("a folder can be read to its end").path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
