//! Whatever bytes a reader gets, it answers with documents or with an error; and however the bytes are
//! cut into blocks of lines, the answer is the same.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use corefeval_core::error::Error;
use corefeval_core::formats::{Annotation, FORMATS, FormatSpec, ReadOptions, Side, SpanEnd};
use corefeval_core::input::Input;
use corefeval_core::model::{Corpus, Mention};

/// SplitMix64: small, and the same numbers everywhere.
struct Rng(u64);

impl Rng {
    fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// The text for annotation that stands beside one.
const TEXT: &str =
    "Ada had a boat.\nShe was on its brid\u{e9}ge, and the c\u{fe0f}rew: on 彼女の shore\r\n\r\nIt sank.\n";

fn options(keep_layers: bool) -> ReadOptions {
    ReadOptions { keep_layers, ..ReadOptions::default() }
}

/// The same with what the formats leave open read the other way.
fn other_options(options: ReadOptions) -> ReadOptions {
    let (span_end, annotation) = (SpanEnd::Exclusive, Annotation::DiscourseDeixis);
    ReadOptions { side: Side::Response, span_end, boundary_crossing: true, annotation, ..options }
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

/// All that a reading says of a mention, but for what it says only with the words.
fn mention(mention: &Mention) -> impl Debug + use<> {
    let minimum = mention.details().map_or_else(Vec::new, |details| details.min_span.clone());
    (mention.parts().to_vec(), minimum, mention.entity(), mention.line(), mention.column())
}

/// All that a reading says, as text.
fn told(result: &Result<Corpus, Error>) -> String {
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

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in FORMATS.iter().flat_map(|format| [format.id.to_owned(), format!("{}-broken", format.id)]) {
        let entries =
            fs::read_dir(root.join("testdata/formats").join(folder)).expect("the samples are there");
        files.extend(entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()));
    }
    files.sort();
    files
}

/// Changes bytes as accidents do: flips, cuts, lines lost, doubled and swapped, separators changed.
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
    let mut random = Rng::new(1995);
    for path in samples() {
        let bytes = fs::read(&path).expect("a sample");
        for _ in 0..40 {
            let damaged = damage(&bytes, &mut random);
            for format in FORMATS {
                for keep_layers in [false, true] {
                    let whole = told(&in_blocks(format, &damaged, keep_layers, |_| false));
                    let lines = told(&in_blocks(format, &damaged, keep_layers, |_| true));
                    assert_eq!(
                        whole,
                        lines,
                        "{} as {}: {:?}",
                        path.display(),
                        format.id,
                        String::from_utf8_lossy(&damaged)
                    );
                    let every = random.below(5) as usize + 2;
                    let some = told(&in_blocks(format, &damaged, keep_layers, |end| end % every == 0));
                    assert_eq!(whole, some, "{} as {}", path.display(), format.id);
                    let _ = format.read(&damaged, "x", other_options(options(keep_layers)));
                    let _ = format.read(
                        &damaged,
                        "x",
                        ReadOptions {
                            annotation: Annotation::Identity,
                            ..other_options(options(keep_layers))
                        },
                    );
                }
            }
        }
    }
}

#[test]
fn every_beginning_of_a_sample_is_read_or_refused() {
    for path in samples() {
        let bytes = fs::read(&path).expect("a sample");
        for end in 0..bytes.len().min(600) {
            for format in FORMATS {
                let _ = in_blocks(format, &bytes[..end], false, |_| false);
                let _ = format.read(&bytes[..end], "x", options(false));
            }
        }
    }
}

#[test]
fn noise_is_read_or_refused() {
    let mut random = Rng::new(2016);
    let alphabet = b"()|-_\t \n\r#0123456789abcT\"[]{},:;<>&=*\\\xC3\xA9\x00";
    for _ in 0..3_000 {
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
        for format in FORMATS {
            let whole = told(&in_blocks(format, &bytes, false, |_| false));
            assert_eq!(
                whole,
                told(&in_blocks(format, &bytes, false, |_| true)),
                "{:?}",
                String::from_utf8_lossy(&bytes)
            );
        }
        // The same through the door that files take, where the format is told from the bytes.
        let input = Input::Bytes { name: Arc::from("-"), bytes: Arc::from(bytes) };
        let _ = input.read(None, &options(true), &AtomicU64::new(0));
    }
}

#[test]
fn keeping_the_words_changes_nothing_else() {
    for path in samples() {
        let bytes = fs::read(&path).expect("a sample");
        for format in FORMATS {
            let plain = in_blocks(format, &bytes, false, |_| false);
            let kept = in_blocks(format, &bytes, true, |_| false);
            // A broken byte in a column that is only kept is an error only then.
            if plain.is_ok() != kept.is_ok() {
                assert!(kept.is_err_and(|error| error.message().contains("UTF-8")), "{}", path.display());
                continue;
            }
            assert_eq!(told(&plain), told(&kept), "{} as {}", path.display(), format.id);
        }
    }
}
