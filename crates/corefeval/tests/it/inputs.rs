//! Inputs that change, or that can be read only once.

use std::fs::{self, OpenOptions};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{command, file, place, run};

const KEY: &str = "#begin document (a); part 000\nAda\t(0)\nslept\t-\nShe\t(0)\n#end document\n";

/// The same with other words, which is a finding that shows both files.
const RESPONSE: &str = "#begin document (a); part 000\nAda\t(0)\nwoke\t-\nShe\t(0)\n#end document\n";

#[test]
fn a_file_may_be_shortened_while_it_is_read() {
    let words = "word\t-\n".repeat(4 << 20);
    let text = format!("#begin document (a); part 000\nAda\t(0)\n{words}#end document\n");
    for milliseconds in [5, 20, 40, 80, 160] {
        let key = file("shortened.conll", &text);
        let child =
            command().args(["score", &key, &key]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("the command starts");
        thread::sleep(Duration::from_millis(milliseconds));
        let opened = OpenOptions::new().write(true).open(&key).expect("the file can be opened");
        opened.set_len(100).expect("the file can be shortened");
        let output = child.wait_with_output().expect("the command ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(1) => assert!(errors.starts_with("error: "), "{errors}"),
            other => panic!("{other:?} after {milliseconds} ms: {errors}"),
        }
        fs::remove_file(&key).expect("the file can be removed");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let (key, plain) = (file("once-key.conll", KEY), file("once-response.conll", RESPONSE));
    let pipe = place("once.pipe");
    let _ = fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let written = thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, RESPONSE)
    });
    let pipe = pipe.display().to_string();
    let (found, errors) = run(&["score", &key, &pipe, "--check-tokens", "warn"], 0);
    written.join().expect("the pipe is written").expect("the pipe is read");
    let (wanted, plain_errors) = run(&["score", &key, &plain, "--check-tokens", "warn"], 0);
    assert_eq!(found.replace(&pipe, "X"), wanted.replace(&plain, "X"));
    assert_eq!(errors.replace(&pipe, "X"), plain_errors.replace(&plain, "X"));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_directory_is_skipped() {
    let folder = place("with-pipe");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("a.conll"), KEY).expect("the file can be written");
    assert!(Command::new("mkfifo").arg(folder.join("b.conll")).status().expect("mkfifo runs").success());
    let folder = folder.display().to_string();
    let (_, errors) = run(&["score", &folder, &folder, "--verbose"], 0);
    assert!(errors.contains("b.conll") && errors.contains("a pipe"), "{errors}");
}
