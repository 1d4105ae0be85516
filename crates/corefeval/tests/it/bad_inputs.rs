//! The page of bad inputs: the output of the command for each, updated by `COREFEVAL_BLESS=1`.

use std::fmt::Write as _;
use std::fs;

use crate::common::{as_in, command, place};

/// The key for each bad response, unless the row has another one.
const KEY: &str = "#begin document (a); part 000\nAda\t(0)\nslept\t-\nShe\t(0)\n#end document\n";

/// A bad input: its problem, the name of the file, and its content.
struct Bad(&'static str, &'static str, &'static [u8]);

const ROWS: &[Bad] = &[
    Bad("an empty file", "r.conll", b""),
    Bad("a text of no format", "r.txt", b"Ada slept.\nShe was tired.\n"),
    Bad("a file that is not text", "r.conll", b"%PDF-1.7\n%\x80\x81\x82\x00\x01\x02\x03\n\x00\xff\xfe"),
    Bad("a gzip file that was cut short", "r.conll.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03KJ"),
    Bad("something else under the name of a gzip file", "r.conll.gz", b"#begin document (a); part 000\n"),
    Bad("no document in common", "r.conll", b"#begin document (b); part 000\nAda\t(0)\n#end document\n#begin document (c); part 000\nAda\t(0)\n#end document\n"),
    Bad("a document twice", "r.conll", b"#begin document (a); part 000\nAda\t(0)\n#end document\n#begin document (a); part 000\nAda\t(0)\n#end document\n"),
    Bad("other words", "r.conll", b"#begin document (a); part 000\nAda\t(0)\nwoke\t-\nShe\t(0)\n#end document\n"),
    Bad("fewer words", "r.conll", b"#begin document (a); part 000\nAda\t(0)\nShe\t(0)\n#end document\n"),
    Bad("a mention that never closes", "r.conll", b"#begin document (a); part 000\nAda\t(0\nslept\t-\nShe\t(0)\n#end document\n"),
    Bad("a mention that never opens", "r.conll", b"#begin document (a); part 000\nAda\t0)\nslept\t-\nShe\t(0)\n#end document\n"),
    Bad("a bracket without an entity", "r.conll", b"#begin document (a); part 000\nAda\t()\nslept\t-\nShe\t(0)\n#end document\n"),
    Bad("a document that never ends", "r.conll", b"#begin document (a); part 000\nAda\t(0)\nslept\t-\nShe\t(0)\n"),
    Bad("a mention twice", "r.conll", b"#begin document (a); part 000\nAda\t(0)|(1)\nslept\t-\nShe\t(0)\n#end document\n"),
    Bad("no mention at all", "r.conll", b"#begin document (a); part 000\nAda\t-\nslept\t-\nShe\t-\n#end document\n"),
    Bad("an id that is not UTF-8, with an escape of the terminal", "r.conll", b"#begin document (a); part 000\nAda\t(\xff\x1b[31m\nslept\t-\nShe\t(0)\n#end document\n"),
    Bad("JSON that ends too early", "r.jsonlines", b"{\"doc_key\": \"a\", \"clusters\": [[[0, 0], [2, 2]]\n"),
    Bad("a field twice", "r.jsonlines", b"{\"doc_key\": \"a\", \"clusters\": [[[0, 0], [2, 2]]], \"clusters\": []}\n"),
    Bad("a mention that ends before it begins", "r.jsonlines", b"{\"doc_key\": \"a\", \"sentences\": [[\"Ada\", \"slept\", \"She\"]], \"clusters\": [[[2, 0], [2, 2]]]}\n"),
    Bad("a mention beyond the text", "r.jsonlines", b"{\"doc_key\": \"a\", \"sentences\": [[\"Ada\", \"slept\", \"She\"]], \"clusters\": [[[0, 0], [7, 9]]]}\n"),
    Bad("a position that would take all memory", "r.jsonlines", b"{\"doc_key\": \"a\", \"clusters\": [[[0, 4294967294], [5, 5]]]}\n"),
    Bad("too few columns", "r.conllu", b"# newdoc id = a\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n1\tAda\t_\n\n"),
    Bad("a head that the mention does not have", "r.conllu", b"# newdoc id = a\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n1\tAda\t_\tPROPN\t_\t_\t0\troot\t_\tEntity=(e1-x-7-)\n\n"),
];

#[test]
fn the_page_of_bad_inputs_is_current() {
    let folder = place("bad");
    let mut page = "# Bad inputs\n\nWhat `corefeval score key.conll RESPONSE` prints when the response is bad. A test makes this page. A status of 0 means\nthat scores follow. No input ends in a crash: `fuzz/` and `.ci/chaos.py` look for some.\n".to_owned();
    for Bad(what, name, content) in ROWS {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder can be made");
        fs::write(folder.join("key.conll"), KEY).expect("the key can be written");
        fs::write(folder.join(name), content).expect("the response can be written");
        let output = command().current_dir(&folder).args(["score", "key.conll", name]).output();
        let output = output.expect("the command runs");
        let errors = String::from_utf8(output.stderr).expect("messages are UTF-8");
        let status = output.status.code().expect("the command ends by itself");
        assert!(status == 0 || errors.starts_with("error: "), "{what}: {errors}");
        assert!(!errors.contains("panicked") && !errors.contains('\u{1b}'), "{what}: {errors}");
        let mut heading = what.to_string();
        heading[..1].make_ascii_uppercase();
        let said = if errors.is_empty() { "(nothing)\n" } else { &errors };
        let _ = write!(page, "\n## {heading}\n\n`{name}`, status {status}:\n\n```text\n{said}```\n");
    }
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    as_in("docs/bad-inputs.md", &page);
}
