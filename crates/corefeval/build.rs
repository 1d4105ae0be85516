//! Sets linker options so that the command starts fast: the start is most of the time on small files, and a sixth of it
//! on a test set.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name| env::var(name).unwrap_or_default();
    let linux = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    if linux && of("PROFILE") == "release" {
        // C functions are looked up when they are first called, as C compilers link by default. The small part of
        // libgcc that is needed is linked in, instead of loaded as a library. Together they save a tenth of the start
        // (300 starts of each in turn, 1.43 to 1.31 ms).
        println!("cargo::rustc-link-arg-bins=-Wl,-z,lazy");
        // The program is linked for a fixed address, so that the system need not correct ten thousand pointers in its
        // data. This saves a seventh of a start of `--version` (400 starts of each in turn, 1.00 to 0.87 ms). Stack,
        // heap, mapped files and libraries are at random addresses as before.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        println!("cargo::rustc-link-lib=gcc_eh");
    }
}
