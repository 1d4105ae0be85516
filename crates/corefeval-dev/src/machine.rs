//! Collects facts about the machine and the tools, which are needed to interpret a record of a run later.
//!
//! A fact that cannot be determined is `unknown`, and does not make a run fail.

use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

const UNKNOWN: &str = "unknown";

/// Returns the model of the processor.
pub fn processor() -> String {
    fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|info| {
            let line = info.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| first_line("sysctl", &["-n", "machdep.cpu.brand_string"]))
}

/// Returns the number of cores this process may use.
pub fn cores() -> String {
    available_parallelism().map_or_else(|_| UNKNOWN.to_owned(), |cores| cores.to_string())
}

/// Returns the operating system and its release.
pub fn system() -> String {
    first_line("uname", &["-srm"])
}

/// Returns the commit of the working tree, marked if files differ from it.
pub fn commit() -> String {
    let project = env!("CARGO_MANIFEST_DIR");
    first_line("git", &["-C", project, "describe", "--always", "--dirty", "--exclude=*"])
}

/// Returns the date and time in UTC.
pub fn date_and_time() -> (String, String) {
    let now = first_line("date", &["-u", "+%Y-%m-%d %H:%M"]);
    match now.split_once(' ') {
        Some((date, time)) => (date.to_owned(), time.to_owned()),
        None => (now, UNKNOWN.to_owned()),
    }
}

/// Returns the first line that a command prints.
pub fn first_line(program: &str, arguments: &[&str]) -> String {
    Command::new(program)
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| {
            let text = String::from_utf8_lossy(&output.stdout);
            Some(text.lines().next()?.trim().to_owned())
        })
        .filter(|line| !line.is_empty())
        .unwrap_or_else(|| UNKNOWN.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_that_cannot_be_determined_are_unknown() {
        assert_eq!(first_line("no-such-program-anywhere", &[]), UNKNOWN);
        assert_eq!(first_line("false", &[]), UNKNOWN);
        assert_eq!(first_line("true", &[]), UNKNOWN);
        assert_eq!(first_line("echo", &["a fact"]), "a fact");
    }

    #[test]
    fn dates_name_files() {
        let (date, time) = date_and_time();
        assert_eq!((date.len(), time.len()), (10, 5), "{date} {time}");
    }
}
