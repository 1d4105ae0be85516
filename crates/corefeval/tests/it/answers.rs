//! What changes entities in an answer is told by default, by each command that reads it.

use crate::common::{file, run};

const KEY: &str = "examples/answers/key.conll";

/// The outputs of `score`, `convert --onto` and `validate --against`, which end with one status.
fn told(name: &str, answer: &str) -> [String; 3] {
    let path = file(name, answer);
    let status = |is_validate: bool| {
        let failed = crate::common::command().args(["score", "-m", "muc", KEY, &path]).output();
        i32::from(is_validate || !failed.expect("a run").status.success())
    };
    let (_, score) = run(&["score", "-m", "muc", KEY, &path], status(false));
    let (_, convert) = run(&["convert", &path, "--onto", KEY, "--to", "conll"], status(false));
    let (validate, _) = run(&["validate", &path, "--against", KEY], status(true));
    [score, convert, validate]
}

/// JSON without a text, whose spans count the words of the key.
#[test]
fn spans_beyond_the_text_of_the_key_are_an_error() {
    for (spans, end) in [("[[2, 3], [7, 7]], [[70, 90]]", 91), ("[[2, 3], [7, 9]]", 10)] {
        let answer = format!("{{\"clusters\": [[[0, 0], [2, 2], [5, 5]], {spans}]}}\n");
        let message = format!("this mention ends at word {end} of `boat; part 000`, but the key has 9 words");
        for output in told("beyond.json", &answer) {
            assert!(output.contains("error: ") && output.contains(&message), "{output}");
        }
        let path = file("beyond.json", &answer);
        let (_, err) = run(&["score", "-m", "muc", &path, KEY], 1);
        assert!(err.contains(&format!("this mention ends at word {end} of")), "{err}");
        assert!(err.contains("but the response has 9 words"), "{err}");
        // On request words are not compared.
        run(&["score", "-m", "muc", "--check-tokens", "no", KEY, &path], 0);
    }
}
