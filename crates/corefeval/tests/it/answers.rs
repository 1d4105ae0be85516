//! Every command that reads an answer reports changes to its entities by default.

use crate::common::{command, file, run};

const KEY: &str = "examples/answers/key.conll";

/// Returns the messages of `score`, `convert --onto` and `validate --against` about an answer, regardless of their exit
/// status.
fn messages(name: &str, answer: &str) -> [String; 3] {
    let path = file(name, answer);
    let run = |args: &[&str]| command().args(args).output().expect("a run");
    let score = run(&["score", "-m", "muc", KEY, &path]).stderr;
    let convert = run(&["convert", &path, "--onto", KEY, "--to", "conll"]).stderr;
    let validate = run(&["validate", &path, "--against", KEY]).stdout;
    [score, convert, validate].map(|bytes| String::from_utf8(bytes).expect("the command prints UTF-8"))
}

/// JSON without text, whose spans refer to the words of the key.
#[test]
fn spans_beyond_the_text_of_the_key_are_an_error() {
    for (spans, end) in [("[[2, 3], [7, 7]], [[70, 90]]", 91), ("[[2, 3], [7, 9]]", 10)] {
        let answer = format!("{{\"clusters\": [[[0, 0], [2, 2], [5, 5]], {spans}]}}\n");
        let message = format!("this mention ends at word {end} of `boat; part 000`, but the key has 9 words");
        for output in messages("beyond.json", &answer) {
            assert!(output.contains("error: ") && output.contains(&message), "{output}");
        }
        let path = file("beyond.json", &answer);
        let (_, err) = run(&["score", "-m", "muc", &path, KEY], 1);
        assert!(err.contains(&format!("this mention ends at word {end} of")), "{err}");
        assert!(err.contains("but the response has 9 words"), "{err}");
        // The option turns off the comparison of words.
        run(&["score", "-m", "muc", "--check-tokens", "no", KEY, &path], 0);
    }
}

/// Each command warns by default of entities that may be unintended.
#[test]
fn doubtful_entities_have_a_warning_in_each_command() {
    let tags = |she: &str, more: &str| {
        format!(
            "<m id=\"m1\" entity=\"e1\">Ines</m> sold <m id=\"m2\" entity=\"e2\"><m id=\"m3\" entity=\"e1\">her</m> boat</m>. \
             <m {she}>She</m> {more} <m id=\"m5\" entity=\"e2\">it</m>.\n"
        )
    };
    let numbers = |she: &str, misses: &str| {
        format!(
            "<m id=\"1\">Ines</m> sold <m id=\"2\"><m id=\"1\">her</m> boat</m>. <m {she}>She</m> {misses} <m id=\"2\">it</m>.\n"
        )
    };
    let flat = |she: &str| {
        format!(
            "[{{\"id\": 11, \"text\": \"Ines\", \"cluster\": 1}}, {{\"id\": 12, \"text\": \"her\", \"cluster\": 1}}, \
             {{\"id\": 13, \"text\": \"her boat\", \"cluster\": 2}}, {{\"id\": 14, \"text\": \"She\"{she}}}]\n"
        )
    };
    for (answer, message) in [
        (tags("id=\"m4\"", "misses"), "was read from `id`, and that of most mentions from `entity`"),
        (tags("id=\"m4\" enity=\"e1\"", "misses"), "was read from `id`"),
        (flat(""), "was read from `id`, and that of most mentions from `cluster`"),
        (numbers("id=\"1\" coref=\"true\"", "misses"), "was read from `coref`"),
        (numbers("id=\"l\"", "misses"), "is written differently from all other ids"),
        (
            "{\"sentence 1\": [\"Ines\", \"her\", \"her boat\"], \"sentence 2\": [\"She\", \"it\"]}\n".to_owned(),
            "`sentence 1` was read as an entity, but may be a sentence",
        ),
        (
            "{\"sentences\": [{\"id\": 1, \"text\": \"Ines sold her boat.\", \"mentions\": [\"Ines\", \"her\"]}]}\n".to_owned(),
            "this was read as an entity, but may be a sentence",
        ),
        (numbers("id=\"1\"", "<em id=\"1\">misses</em>"), "the elements of most mentions are called `m`"),
    ] {
        for output in messages("doubtful.txt", &answer) {
            assert!(output.contains("warning: ") && output.contains(message), "{answer}\n{output}");
        }
    }
    for answer in
        [tags("id=\"m4\" entity=\"e1\"", "misses"), flat(", \"cluster\": 1"), numbers("id=\"1\"", "misses")]
    {
        for output in messages("certain.txt", &answer) {
            assert!(!output.contains("was read"), "{answer}\n{output}");
        }
    }
}
