//! For any bytes, a reader returns documents or an error, and the result is the same for any division of the bytes into
//! blocks of lines.
//!
//! These tests take a few seconds; `fuzz/` tries millions of inputs.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use corefeval_core::diagnostic::Code;
use corefeval_core::error::Error;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::input::Input;
use corefeval_core::model::{Annotation, Corpus, Mention, Side, SpanEnd};

use crate::random::Rng;

/// The formats whose annotation may span several lines.
const OVER_LINES: [&str; 4] = ["json", "muc", "ecb+", "apf"];

/// The text of stand-off annotation.
const TEXT: &str =
    "Ada had a boat.\nShe was on its brid\u{e9}ge, and the c\u{fe0f}rew: on 彼女の shore\r\n\r\nIt sank.\n";

fn options(keep_layers: bool) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.keep_layers = keep_layers;
    options
}

/// Returns options with the opposite choices, for formats that have choices.
fn other_options(mut options: ReadOptions) -> ReadOptions {
    options.side = Side::Response;
    options.span_end = SpanEnd::Exclusive;
    options.boundary_crossing = true;
    options.annotation = Annotation::DiscourseDeixis;
    options.count_unread = true;
    options
}

fn in_blocks(
    format: &FormatSpec,
    bytes: &[u8],
    keep_layers: bool,
    cuts: impl Fn(usize) -> bool,
) -> Result<Corpus, Error> {
    let mut reader = format.reader(Arc::from("x"), options(keep_layers));
    if format.companion.is_some() {
        reader.companion(Arc::from("x.txt"), TEXT.repeat(4).as_bytes())?;
    }
    let mut start = 0;
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1);
    for end in ends.filter(|&end| cuts(end)) {
        reader.feed(&bytes[start..end])?;
        start = end;
    }
    reader.feed(&bytes[start..])?;
    reader.finish()
}

/// Returns all data of a mention that a reader returns even without the words.
fn mention(mention: &Mention) -> impl Debug + use<> {
    let minimum = mention.details().map_or_else(Vec::new, |details| details.min_span.clone());
    (mention.parts().to_vec(), minimum, mention.entity(), mention.line(), mention.column())
}

/// Describes the full result of reading.
fn described(result: &Result<Corpus, Error>) -> String {
    match result {
        Err(error) => format!("{error}"),
        Ok(corpus) => {
            let documents = corpus.documents.iter().map(|document| {
                let mentions: Vec<_> = document.mentions().iter().map(mention).collect();
                let relations = document.relations().map(|relations| {
                    let non_referring: Vec<_> = relations.non_referring.iter().map(mention).collect();
                    (&relations.split_antecedents, &relations.bridges, non_referring)
                });
                format!(
                    "{} {} {:?} {mentions:?} {relations:?} {:?} {:?}",
                    document.id(),
                    document.words().count(),
                    document.entities(),
                    document.words().sentences(),
                    document.words().empty_nodes()
                )
            });
            format!("{:#?} {:?}", documents.collect::<Vec<_>>(), corpus.diagnostics)
        }
    }
}

/// Returns all samples with their formats.
fn samples() -> Vec<(&'static FormatSpec, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    let mut files = Vec::new();
    for format in FormatSpec::of_documents().filter(|format| !format.is_answer()) {
        for folder in [format.id.to_owned(), format!("{}-broken", format.id)] {
            let entries = fs::read_dir(root.join(folder)).expect("the samples exist");
            let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
            files.extend(paths.map(|path| (format, path)));
        }
    }
    files.sort_by(|one, other| one.1.cmp(&other.1));
    files
}

/// Returns the format of a sample, and another one.
fn two_formats(own: &'static FormatSpec, random: &mut Rng) -> [&'static FormatSpec; 2] {
    let all: Vec<_> = FormatSpec::of_documents().collect();
    [own, all[random.below(all.len() as u64) as usize]]
}

/// Changes bytes as accidents do: flips bits, cuts, loses, doubles and swaps lines, changes separators.
fn damage(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=random.below(3) {
        let place = random.below(lines.len().max(1) as u64) as usize;
        match random.below(7) {
            0 if !lines.is_empty() => drop(lines.remove(place)),
            1 if !lines.is_empty() => lines.insert(place, lines[place].clone()),
            2 if lines.len() > 1 => lines.swap(place, 0),
            3 => lines.iter_mut().flatten().for_each(|byte| {
                if *byte == b'\t' {
                    *byte = b' '
                }
            }),
            4 => lines.iter_mut().for_each(|line| {
                if line.ends_with(b"\n") {
                    line.insert(line.len() - 1, b'\r')
                }
            }),
            _ => {
                let mut whole = lines.concat();
                if !whole.is_empty() {
                    let at = random.below(whole.len() as u64) as usize;
                    match random.below(3) {
                        0 => whole.truncate(at),
                        1 => whole[at] = random.below(256) as u8,
                        _ => whole[at] = b"()|-_\t \n#0\"[]{},.=<>&;*"[random.below(23) as usize],
                    }
                }
                lines = whole.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            }
        }
    }
    lines.concat()
}

#[test]
fn damaged_samples_are_read_or_refused_whatever_the_blocks() {
    let mut random = Rng(1995);
    for (own, path) in samples() {
        let bytes = fs::read(&path).expect("a sample");
        for _ in 0..12 {
            let damaged = damage(&bytes, &mut random);
            for format in two_formats(own, &mut random) {
                for keep_layers in [false, true] {
                    let whole = described(&in_blocks(format, &damaged, keep_layers, |_| false));
                    let lines = described(&in_blocks(format, &damaged, keep_layers, |_| true));
                    assert_eq!(
                        whole,
                        lines,
                        "{} as {}: {:?}",
                        path.display(),
                        format.id,
                        String::from_utf8_lossy(&damaged)
                    );
                    let every = random.below(5) as usize + 2;
                    let some = described(&in_blocks(format, &damaged, keep_layers, |end| end % every == 0));
                    assert_eq!(whole, some, "{} as {}", path.display(), format.id);
                    let _ = format.read(&damaged, "x", other_options(options(keep_layers)));
                    let mut of_identity = other_options(options(keep_layers));
                    of_identity.annotation = Annotation::Identity;
                    let _ = format.read(&damaged, "x", of_identity);
                }
            }
        }
    }
}

#[test]
fn every_beginning_of_a_sample_is_read_or_refused() {
    let mut random = Rng(1997);
    for (own, path) in samples() {
        let bytes = fs::read(&path).expect("a sample");
        for end in (0..bytes.len().min(600)).step_by(3) {
            for format in two_formats(own, &mut random) {
                let _ = in_blocks(format, &bytes[..end], false, |_| false);
                let _ = format.read(&bytes[..end], "x", options(false));
            }
        }
    }
}

/// The places of findings and errors do not depend on line ends, even if a file ends between CR and LF.
#[test]
fn lines_that_end_in_two_bytes_move_no_column() {
    let with_lines = samples().into_iter().filter(|(format, _)| !OVER_LINES.contains(&format.id));
    for (format, path) in with_lines {
        let bytes = fs::read(&path).expect("a sample");
        if bytes.contains(&b'\r') {
            continue;
        }
        let read = |text: &[u8]| described(&in_blocks(format, text, false, |_| false));
        let ends: Vec<usize> = (0..bytes.len()).filter(|&place| bytes[place] == b'\n').collect();
        for &end in ends.iter().step_by(1 + ends.len() / 20).chain(ends.last()) {
            let lines: Vec<&[u8]> = bytes[..end].split(|&byte| byte == b'\n').collect();
            let (unix, windows) = (read(&bytes[..end]), lines.join(&b"\r\n"[..]));
            let place = format!("{}, byte {end}", path.display());
            assert_eq!(unix, read(&windows), "{place}");
            assert_eq!(unix, read(&[&windows, &b"\r"[..]].concat()), "{place}");
        }
    }
}

#[test]
fn noise_is_read_or_refused() {
    let mut random = Rng(2016);
    let alphabet = b"()|-_\t \n\r#0123456789abcT\"[]{},:;<>&=*\\\xC3\xA9\x00";
    for _ in 0..400 {
        let length = random.below(120) as usize;
        let mut bytes: Vec<u8> =
            (0..length).map(|_| alphabet[random.below(alphabet.len() as u64) as usize]).collect();
        let headers: [&[u8]; 8] = [
            b"",
            b"",
            b"#begin document (x); part 000\n",
            b"#FORMAT=WebAnno TSV 3.3\n#T_CH=a.Coref|a|b\n1-1\t0-1\t",
            b"T1\tA 0 3\tAda\n",
            b"<source_file><document><entity ID=\"1\" TYPE=\"PER\"><entity_mention ID=\"2\" TYPE=\"NAM\">",
            b"<Document doc_name=\"1_1\"><token t_id=\"1\">",
            b"<DOC><DOCNO>1</DOCNO><COREF ID=1 MIN=\"a\">a <COREF ID=2 REF=1>b</COREF><s>",
        ];
        bytes.splice(0..0, headers[random.below(8) as usize].iter().copied());
        for format in FormatSpec::of_documents() {
            let whole = described(&in_blocks(format, &bytes, false, |_| false));
            assert_eq!(
                whole,
                described(&in_blocks(format, &bytes, false, |_| true)),
                "{:?}",
                String::from_utf8_lossy(&bytes)
            );
        }
        // The same bytes are an input of unknown format, which is detected.
        let input = Input::Bytes { name: Arc::from("-"), bytes: Arc::from(bytes) };
        let _ = input.read(None, &options(true), &AtomicU64::new(0));
    }
}

#[test]
fn keeping_the_words_changes_nothing_else() {
    let mut random = Rng(1999);
    for (own, path) in samples() {
        let bytes = fs::read(&path).expect("a sample");
        for format in two_formats(own, &mut random) {
            let plain = in_blocks(format, &bytes, false, |_| false);
            let kept = in_blocks(format, &bytes, true, |_| false);
            // A broken byte in a column that is only stored is an error only if it is stored.
            if plain.is_ok() != kept.is_ok() {
                assert!(kept.is_err_and(|error| error.message().contains("UTF-8")), "{}", path.display());
                continue;
            }
            assert_eq!(described(&plain), described(&kept), "{} as {}", path.display(), format.id);
        }
    }
}

/// Reads a text that was made to be slow.
fn read(format: &str, text: &str, keep_layers: bool) -> Result<Corpus, Error> {
    FormatSpec::named(format).unwrap().read(text.as_bytes(), "x", options(keep_layers))
}

/// Returns the number of times that a finding was counted.
fn count(corpus: &Corpus, code: Code) -> u64 {
    corpus.diagnostics.groups().iter().filter(|group| group.code == code).map(|group| group.count).sum()
}

/// Writes a document of one sentence in CorefUD, with ten of the cells at each word.
fn corefud(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    let mut text = "# global.Entity = eid\n# newdoc id = x\n".to_owned();
    for (number, cells) in (1..).zip(cells.chunks(10)) {
        text += &format!("{number}\tw\t_\t_\t_\t_\t_\t_\t_\tEntity={}\n", cells.concat());
    }
    text
}

// Each of the following inputs took half a minute or more when readers searched lists.

#[test]
fn brackets_of_corefud_close_in_any_order() {
    const MANY: u32 = 150_000;
    // The first bracket that opens closes first. One more stays open throughout, and many closing brackets match
    // nothing.
    let open = (0..MANY).map(|number| format!("(e{number}"));
    let close = (0..MANY).map(|number| format!("e{number})"));
    // The brackets open and close at different words.
    let first = ["(all".to_owned()].into_iter().chain(std::iter::repeat_n(String::new(), 9));
    let text = corefud(first.chain(open).chain(close));
    let corpus = read("corefud", &text, false).unwrap();
    assert_eq!(corpus.documents[0].mentions().len(), MANY as usize);
    assert_eq!(count(&corpus, Code::UnclosedMention), 1);
    // Never closed.
    let open = (0..MANY).map(|number| format!("(e{number}"));
    let close = (0..MANY).map(|_| "e0)".to_owned());
    let corpus = read("corefud", &corefud(open.chain(close)), false).unwrap();
    assert_eq!(corpus.documents[0].mentions().len(), 1);
    assert_eq!(count(&corpus, Code::UnopenedMention), u64::from(MANY) - 1);
    assert_eq!(count(&corpus, Code::UnclosedMention), u64::from(MANY) - 1);
}

#[test]
fn parts_of_corefud_close_in_any_order() {
    const MANY: u32 = 20_000;
    let open = |part: u32| (0..MANY).map(move |number| format!("(e{number}[{part}/2]"));
    let close = |part: u32| (0..MANY).map(move |number| format!("e{number}[{part}/2])"));
    let gap = std::iter::repeat_n(String::new(), 10);
    let text = corefud(open(1).chain(close(1)).chain(gap).chain(open(2)).chain(close(2)));
    let corpus = read("corefud", &text.replace("Entity=\n", "_\n"), false).unwrap();
    assert_eq!(corpus.documents[0].mentions().len(), MANY as usize);
    assert!(corpus.documents[0].mentions().iter().all(|mention| mention.parts().len() == 2));
}

#[test]
fn empty_nodes_may_depend_on_each_other() {
    const MANY: u32 = 50_000;
    let mut text = "# global.Entity = eid\n# newdoc id = x\n1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n".to_owned();
    // Each depends on the next, which comes later.
    for number in 1..=MANY {
        let parent = if number < MANY { format!("1.{}", number + 1) } else { "1".to_owned() };
        text += &format!("1.{number}\t_\t_\t_\t_\t_\t_\t_\t{parent}:dep\t_\n");
    }
    let corpus = read("corefud", &text, false).unwrap();
    assert_eq!(corpus.documents[0].words().empty_nodes().len(), MANY as usize);
    let circle = text.replace("\t1:dep", "\t1.1:dep");
    assert!(read("corefud", &circle, false).unwrap_err().message().contains("in a cycle"));
}

#[test]
fn an_entity_may_be_the_sum_of_many() {
    const MANY: usize = 100_000;
    let mut text = "# global.Entity = eid\n# newdoc id = x\n".to_owned();
    for number in 1..=MANY {
        text += &format!(
            "{number}\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=(e{number})|SplitAnte=e{number}<e1,e1<e{number}\n"
        );
    }
    let corpus = read("corefud", &text, false).unwrap();
    let splits = &corpus.documents[0].relations().unwrap().split_antecedents;
    assert_eq!((splits.len(), splits[0].parts.len()), (MANY, MANY));
}

#[test]
fn mentions_of_brat_may_cover_the_whole_text() {
    const MANY: usize = 100_000;
    let (text, end) = ("a b\n".repeat(MANY), 4 * MANY);
    let mut annotation = String::new();
    for number in 1..=MANY {
        annotation += &format!("T{number}\tX 0 {end}\ta b a\n");
    }
    // One mention has many parts, and one has text that continues over many lines.
    annotation += &format!("T0\tX {}0 1\ta\n", format!("0 {end};").repeat(MANY));
    annotation += &format!("T00\tX 0 {end}\t{}\n", text.trim_end());
    let mut reader = FormatSpec::named("brat").unwrap().reader(Arc::from("x"), options(false));
    reader.companion(Arc::from("x.txt"), text.as_bytes()).unwrap();
    reader.feed(annotation.as_bytes()).unwrap();
    let corpus = reader.finish().unwrap();
    assert_eq!(corpus.documents[0].mentions().len(), MANY + 2);
    assert_eq!(count(&corpus, Code::TextDiffers), MANY as u64 + 1);
}

#[test]
fn muc_refuses_endless_searches() {
    const MANY: usize = 60_000;
    let attributes: String = (0..MANY).map(|number| format!(" A{number}=1")).collect();
    let error = read("muc", &format!("<DOC><COREF ID=1{attributes}>a</COREF></DOC>"), false).unwrap_err();
    assert!(error.message().contains("more than 100 attributes"), "{error}");
    let open: String = (0..MANY).map(|number| format!("<COREF ID={number} MIN=\"b\">")).collect();
    let nested = format!("<DOC><DOCNO>1</DOCNO>{open}{}{}</DOC>", "a ".repeat(MANY), "</COREF>".repeat(MANY));
    let error = read("muc", &nested, false).unwrap_err();
    assert!(error.message().contains("too many comparisons"), "{error}");
    let corpus = read("muc", &nested.replace("\"b\"", "\"a a\""), false).unwrap();
    assert_eq!(corpus.documents[0].mentions().len(), MANY);
}

#[test]
fn ecb_plus_is_read_at_any_depth() {
    const MANY: usize = 200_000;
    let document = |inside: &str| {
        format!("<Document doc_name=\"1_1\"><token t_id=\"1\" sentence=\"0\">a</token>{inside}</Document>")
    };
    let deep = format!("{}{}", "<x>".repeat(MANY), "</x>".repeat(MANY));
    assert_eq!(read("ecb+", &document(&deep), false).unwrap().documents[0].words().count(), 1);
    let markables = "<Markables><A m_id=\"1\"><token_anchor t_id=\"1\"/></A></Markables>";
    let relations = |count: usize| {
        let relation = "<INTRA_DOC_COREF r_id=\"1\"><source m_id=\"1\"/></INTRA_DOC_COREF>\n";
        document(&format!("{markables}<Relations>{}</Relations>", relation.repeat(count)))
    };
    let error = read("ecb+", &relations(MANY / 10), false).unwrap_err();
    assert!(error.message().contains("more than 100 entities"), "{error}");
    assert_eq!(read("ecb+", &relations(100), false).unwrap().documents[0].mentions().len(), 100);
    let attributes: String = (0..MANY).map(|number| format!(" a{number}=\"1\"")).collect();
    let error = read("ecb+", &document(&format!("<x{attributes}/>")), false).unwrap_err();
    assert!(error.message().contains("more than 200 attributes"), "{error}");
}

#[test]
fn heads_of_long_mentions_are_found() {
    const MANY: usize = 50_000;
    let open: String = (0..MANY).map(|number| format!("({number}")).collect();
    let close: String = (0..MANY).map(|number| format!("{number})")).collect();
    let mut text = "#begin document x\n".to_owned();
    for number in 1..=MANY {
        let cell = if number == 1 {
            &open
        } else if number == MANY {
            &close
        } else {
            "_"
        };
        // All depend on the first word, which depends on no known word, except the last, which is the root.
        let head = if number == MANY {
            "0"
        } else if number == 1 {
            "_"
        } else {
            "1"
        };
        text += &format!("{number}\tw\t_\t_\t_\t_\t_\t_\t{head}\t{head}\t_\t_\t_\t_\t_\t_\t{cell}\n");
    }
    let corpus = read("semeval", &text, false).unwrap();
    let mentions = corpus.documents[0].mentions();
    assert_eq!(mentions.len(), MANY);
    assert!(mentions.iter().all(|mention| mention.head() == Some(MANY as u32 - 1)));
}

#[test]
fn one_large_id_does_not_slow_the_documents_after_it() {
    const MANY: usize = 100_000;
    let document = |name: usize, id: usize| format!("#begin document ({name});\nw\t({id})\n#end document\n");
    let text: String = (0..MANY).map(|name| document(name, if name == 0 { 99_999 } else { 1 })).collect();
    let corpus = read("conll", &text, false).unwrap();
    assert!(corpus.documents.iter().all(|document| document.entities().len() == 1));
}

#[test]
fn positions_without_words_are_bounded() {
    let line = |last: u64| format!("{{\"doc_key\":\"a\",\"clusters\":[[[0,{last}],[5,5]]]}}\n");
    for last in [4_294_967_294, 10_000_000] {
        let error = read("jsonlines", &line(last), false).unwrap_err();
        assert!(error.message().contains("the limit for documents without their words"), "{error}");
    }
    let corpus = read("jsonlines", &line(9_999_999), false).unwrap();
    assert_eq!(corpus.documents[0].words().count(), 10_000_000);
}

/// Found by fuzzing: the words of a token were listed, which took 17 GB.
#[test]
fn tokens_of_several_words_are_bounded() {
    let text = |last: &str| {
        let start = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n";
        let row = |number: &str| format!("{number}\tw\t_\t_\t_\t_\t_\t_\t_\t_\n");
        [start, &row(&format!("1-{last}")), &row("1"), &row("2"), "\n"].concat()
    };
    for keep_layers in [false, true] {
        for last in ["1001", "4294967295", "21111111111111111111111"] {
            let error = read("corefud", &text(last), keep_layers).unwrap_err();
            assert!(error.message().contains("has more than 1000 words"), "{error}");
        }
        read("corefud", &text("2"), keep_layers).unwrap();
    }
}

/// Found by fuzzing: while all errors of a file were collected, the number of an empty node after the one with the largest
/// number overflowed.
#[test]
fn an_empty_node_may_follow_the_last_number() {
    let row = |number: &str| format!("{number}\tw\t_\t_\t_\t_\t_\t_\t1:nsubj\t_\n");
    let start = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n";
    for largest in ["1.4294967295", "1.11111111111111111111"] {
        let text = [start, &row("1"), &row(largest), "1.2 w\n", &row(largest), "\n"].concat();
        for keep_layers in [false, true] {
            let mut options = options(keep_layers);
            options.all_errors = true;
            let error =
                FormatSpec::named("corefud").unwrap().read(text.as_bytes(), "x", options).unwrap_err();
            assert_eq!(error.code(), Code::MissingColumn, "{error}");
        }
    }
}

/// Found by fuzzing: while all errors of a file were collected, a new document continued to count the words of a
/// sentence.
#[test]
fn a_document_of_semeval_may_start_within_a_sentence() {
    let text = b"\xda\x01\t(1)\r\n2\tsleb\0\t_nt d1\n#begin document \n#begin document \t_nt d1\n#begin document \n\
        #begin document dcument d1\nd 1\n#begin document\r\n2A\tsle d1\n#begin document \n#begin document \t_nt d1\n\
        #begin document \n#begin document dcument d0\nd 1n document \n#dc\n";
    let semeval = FormatSpec::named("semeval").unwrap();
    for keep_layers in [false, true] {
        let mut options = options(keep_layers);
        options.all_errors = true;
        assert!(semeval.read(&text[..], "x", options).is_err());
    }
}

#[test]
fn a_field_may_not_be_repeated() {
    for (format, text) in [
        ("jsonlines", "{\"doc_key\":\"a\",\"clusters\":[[[0,0]]],\"clusters\":[]}\n"),
        ("jsonlines", "{\"doc_key\":\"a\",\"doc_key\":\"b\",\"clusters\":[]}\n"),
        ("jsonlines", "{\"sentences\":[[\"a\"]],\"sentences\":[[\"b\"]],\"clusters\":[]}\n"),
        ("json", "{\"type\":\"clusters\",\"clusters\":[],\"clusters\":[[\"a\"]]}"),
    ] {
        let error = read(format, text, true).unwrap_err();
        assert!(error.message().ends_with("is repeated here"), "{error}");
        assert_eq!(error.remedy().as_deref(), Some("keep one of them"));
    }
}

/// Found by fuzzing: the first entity of the id has an error and is not stored, but its place was looked up among the
/// stored ones.
#[test]
fn an_entity_may_repeat_the_id_of_one_with_an_error() {
    let entity = |start: &str| {
        format!(
            "<entity ID=\"e1\" TYPE=\"PER\" CLASS=\"SPC\"><entity_mention ID=\"m{start}\" TYPE=\"NAM\"><extent><charseq \
             START=\"{start}\" END=\"2\">Ada</charseq></extent></entity_mention></entity>\n"
        )
    };
    let text = format!(
        "<source_file URI=\"a.sgm\" SOURCE=\"newswire\" TYPE=\"text\"><document DOCID=\"a\">\n{}{}</document></source_file>\n",
        entity("x"),
        entity("0")
    );
    let mut reader = FormatSpec::named("apf").unwrap().reader(Arc::from("x"), options(true));
    let error = (|| {
        reader.companion(Arc::from("x.sgm"), b"<TEXT>\nAda\n</TEXT>\n")?;
        reader.feed(text.as_bytes())?;
        reader.finish()
    })()
    .unwrap_err();
    assert!(error.message().contains("`x` is not an offset"), "{error}");
    let also: Vec<String> = error.others().iter().map(|error| error.message()).collect();
    assert!(also.iter().any(|message| message.contains("the entity `e1` is repeated")), "{also:?}");
}
