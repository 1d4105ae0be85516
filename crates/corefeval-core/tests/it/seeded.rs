//! Validation finds the usual accidents of files in every format: a missing, repeated or moved row, a missing or extra
//! column, misspelled names, other words and offsets, unmatched brackets, another document.
//!
//! Each accident happens at a random place of a generated file. [`unseen`] and the table of docs/validate.md list accidents
//! that can leave a file without a defect, or with a defect that only the key reveals, with the reason.

use std::fs;
use std::path::Path;

use corefeval_core::diagnostic::Severity;
use corefeval_core::evaluation::{Evaluation, Request, Validate};
use corefeval_core::formats::FormatSpec;
use corefeval_core::reports::validation::ValidationReport;

use crate::validation::{Folder, Random, Story, shown, validate_as, written};

/// An accident that happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accident {
    DeleteRow,
    RepeatRow,
    SwapRows,
    DropColumn,
    AddColumn,
    Misspell,
    ChangeWord,
    MoveOffset,
    FarOffset,
    DropClosing,
    DropOpening,
    OtherDocument,
    CutEnd,
}

use Accident::*;

/// All accidents, with their names in the documentation.
const ACCIDENTS: &[(Accident, &str)] = &[
    (DeleteRow, "a line is missing"),
    (RepeatRow, "a line is repeated"),
    (SwapRows, "two lines are exchanged"),
    (DropColumn, "a column is missing in a line"),
    (AddColumn, "a line has a column more"),
    (Misspell, "a name of the format is misspelled"),
    (ChangeWord, "a word is different"),
    (MoveOffset, "a number is off by one"),
    (FarOffset, "a number is far too large"),
    (DropClosing, "a closing bracket or tag is missing"),
    (DropOpening, "an opening bracket or tag is missing"),
    (OtherDocument, "the document has another id"),
    (CutEnd, "the end of the file is missing"),
];

/// The places of the parts of a format.
struct Anatomy {
    /// Returns whether a line is a row: a word, a mention, an entity, a document.
    is_row: fn(&str) -> bool,
    /// The separator of the columns of a row.
    separator: Option<char>,
    /// Names of the format with a misspelling of each.
    names: &'static [(&'static str, &'static str)],
    /// The text before numbers of words and of characters.
    numbers: &'static [&'static str],
    opening: &'static [&'static str],
    closing: &'static [&'static str],
    /// The id of the document and another one.
    id: Option<(&'static str, &'static str)>,
}

fn starts_with_digit(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_digit())
}

fn anatomy(format: &str) -> Anatomy {
    let none = Anatomy {
        is_row: |_| false,
        separator: None,
        names: &[],
        numbers: &[],
        opening: &["("],
        closing: &[")"],
        id: None,
    };
    match format {
        "conll" => Anatomy {
            is_row: |line| line.starts_with("d\t"),
            separator: Some('\t'),
            names: &[
                ("#begin", "#bgein"),
                ("#end", "#edn"),
                ("#begin document", "#begin documnt"),
                ("#end document", "#end docment"),
            ],
            numbers: &["d\t0\t"],
            id: Some(("(d)", "(other)")),
            ..none
        },
        "semeval" => Anatomy {
            is_row: starts_with_digit,
            separator: Some('\t'),
            names: &[("#begin", "#bgein"), ("#end", "#edn")],
            numbers: &["\n"],
            id: Some(("#begin document d", "#begin document other")),
            ..none
        },
        "corefud" => Anatomy {
            is_row: starts_with_digit,
            separator: Some('\t'),
            names: &[
                ("Entity=(", "Entiy=("),
                ("Entity=(", "entity=("),
                ("# global.Entity", "# global.Entiy"),
                ("# newdoc", "# newdco"),
                ("-head-", "-haed-"),
            ],
            numbers: &["\n", "-person-"],
            id: Some(("newdoc id = d", "newdoc id = other")),
            ..none
        },
        "conll-ua" => Anatomy {
            is_row: starts_with_digit,
            separator: Some('\t'),
            names: &[
                ("(EntityID=", "(EntiyID="),
                ("# global.columns", "# global.column"),
                ("# global.columns", "# global.colums"),
                ("# newdoc", "# newdco"),
                (" IDENTITY", " IDENTIY"),
            ],
            numbers: &["\n"],
            id: Some(("newdoc id = d", "newdoc id = other")),
            ..none
        },
        "jsonlines" => Anatomy {
            is_row: |line| line.starts_with('{'),
            names: &[
                ("\"doc_key\"", "\"doc_kye\""),
                ("\"sentences\"", "\"sentnces\""),
                ("\"clusters\"", "\"clustres\""),
            ],
            numbers: &["[[", "[", ", "],
            opening: &["[", "{"],
            closing: &["]", "}"],
            id: Some(("\"a\"", "\"other\"")),
            ..none
        },
        "json" => Anatomy {
            is_row: |line| line.starts_with("\"e"),
            names: &[("\"type\"", "\"tpye\""), ("\"clusters\":", "\"clustres\":")],
            numbers: &["\"m"],
            opening: &["[", "{"],
            closing: &["]", "}"],
            ..none
        },
        "table" => Anatomy {
            is_row: |line| line.starts_with('m') && !line.starts_with("mention"),
            separator: Some(','),
            names: &[("mention,", "mentoin,"), (",entity", ",entiyt")],
            numbers: &["m"],
            opening: &[],
            closing: &[],
            ..none
        },
        "links" => Anatomy {
            is_row: |line| line.starts_with('{'),
            separator: Some(' '),
            numbers: &["{m"],
            opening: &["{"],
            closing: &["}"],
            ..none
        },
        "brat" => Anatomy {
            is_row: |line| line.starts_with('T'),
            separator: Some('\t'),
            names: &[("Coref", "Corfe")],
            numbers: &["PER "],
            opening: &[],
            closing: &[],
            ..none
        },
        "webanno" => Anatomy {
            is_row: starts_with_digit,
            separator: Some('\t'),
            names: &[("#FORMAT", "#FROMAT"), ("#T_CH", "#T_HC"), ("#Text=", "#Txet=")],
            numbers: &["\n", "\t", "ana->"],
            opening: &["["],
            closing: &["]"],
            ..none
        },
        "muc" => Anatomy {
            is_row: |line| !line.starts_with("<DOC") && !line.starts_with("</") && line != "<TXT>",
            names: &[
                (" REF=", " RFE="),
                (" REF=", " REFF="),
                (" REF=", " HEF="),
                ("ID=", "DI="),
                ("COREF ", "CROEF "),
                ("<DOCNO>", "<DCONO>"),
            ],
            numbers: &["REF=\"", " ID=\""],
            opening: &["<COREF ID=\"1\">", "<DOC>", "<"],
            closing: &["</COREF>", "</DOC>", ">"],
            id: Some(("<DOCNO>d<", "<DOCNO>other<")),
            ..none
        },
        "apf" => Anatomy {
            is_row: |line| line.starts_with("<e") || line.starts_with("</e"),
            names: &[
                ("CLASS=", "CLSAS="),
                ("TYPE=\"PER", "TPYE=\"PER"),
                ("START=", "STRAT="),
                ("<extent>", "<exetnt>"),
                ("<charseq ", "<chasreq "),
                ("DOCID=", "DOICD="),
                ("<entity_mention", "<entity_mentoin"),
            ],
            numbers: &["START=\"", "END=\""],
            opening: &["<entity ID=\"E1\" TYPE=\"PER\" CLASS=\"SPC\">", "<extent>", "<"],
            closing: &["</entity>", "</extent>", "</charseq>", ">"],
            id: Some(("DOCID=\"d\"", "DOCID=\"other\"")),
            ..none
        },
        "ecb+" => Anatomy {
            is_row: |line| line.starts_with("<token ") || line.starts_with("<source"),
            names: &[
                ("<token ", "<toekn "),
                ("m_id=", "m_di="),
                ("<source ", "<soruce "),
                ("<token_anchor", "<token_anchro"),
                ("CROSS_DOC_COREF", "CROSS_DOC_CORFE"),
                ("number=", "numebr="),
                ("note=", "ntoe="),
                ("instance_id=", "instnace_id="),
            ],
            numbers: &["token t_id=\"", "number=\"", "sentence=\"", "source m_id=\""],
            opening: &["<Markables>", "<Relations>", "<"],
            closing: &["</Markables>", "</HUMAN_PART_PER>", "</CROSS_DOC_COREF>", ">"],
            id: Some(("7_2ecbplus", "7_3ecbplus")),
            ..none
        },
        "bracketed" => Anatomy { is_row: |_| true, opening: &["["], closing: &["]"], ..none },
        "tagged" => Anatomy {
            is_row: |_| true,
            names: &[(" id=", " di=")],
            opening: &["<m id=\"2\">"],
            closing: &["</m>"],
            ..none
        },
        "pipe" => Anatomy { is_row: |_| true, separator: None, opening: &["["], closing: &["]"], ..none },
        "json-answer" => Anatomy {
            is_row: |line| line.contains("[\""),
            names: &[("clusters", "clutsers")],
            opening: &["[", "{"],
            closing: &["]", "}"],
            ..none
        },
        other => panic!("the format {other} has no anatomy: write it here"),
    }
}

/// Returns one of `count` numbers; `None` for 0.
fn one(random: &mut Random, count: usize) -> Option<usize> {
    (count > 0).then(|| random.below(count))
}

/// Returns the place of one of the occurrences of one of `texts`.
fn occurrence(text: &str, random: &mut Random, texts: &[&str]) -> Option<(usize, usize)> {
    let wanted = texts[one(random, texts.len())?];
    let all: Vec<usize> = text.match_indices(wanted).map(|found| found.0).collect();
    Some((all[one(random, all.len())?], wanted.len()))
}

fn line_of(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count() + 1
}

/// Changes a file at a random place. Returns the new file and lines, one of which must have a finding; no lines if the
/// finding concerns the whole file.
fn happen(accident: Accident, format: &str, file: &str, random: &mut Random) -> Option<(String, Vec<usize>)> {
    let Anatomy { is_row, separator, names, numbers, opening, closing, id } = anatomy(format);
    let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
    let rows: Vec<usize> = (0..lines.len()).filter(|&place| is_row(&lines[place])).collect();
    let replaced = |(place, length): (usize, usize), new: &str| {
        let mut text = file.to_owned();
        text.replace_range(place..place + length, new);
        Some((text, vec![line_of(file, place)]))
    };
    match accident {
        DeleteRow => {
            let row = rows[one(random, rows.len())?];
            lines.remove(row);
            Some((lines.join("\n") + "\n", vec![row, row + 1, row + 2]))
        }
        RepeatRow => {
            let row = rows[one(random, rows.len())?];
            lines.insert(row, lines[row].clone());
            Some((lines.join("\n") + "\n", vec![row + 1, row + 2]))
        }
        SwapRows => {
            let pairs: Vec<usize> = rows.windows(2).filter(|w| w[0] + 1 == w[1]).map(|w| w[0]).collect();
            let row = pairs[one(random, pairs.len())?];
            lines.swap(row, row + 1);
            Some((lines.join("\n") + "\n", vec![row + 1, row + 2, row + 3]))
        }
        DropColumn | AddColumn => {
            let separator = separator?;
            let row = rows[one(random, rows.len())?];
            let mut cells: Vec<&str> = lines[row].split(separator).collect();
            // An empty last line is ignored.
            let at = random.below(cells.len() - usize::from(cells.last() == Some(&"")));
            match accident {
                DropColumn => drop(cells.remove(at)),
                _ => cells.insert(at, cells[at]),
            }
            lines[row] = cells.join(&separator.to_string());
            Some((lines.join("\n") + "\n", vec![row + 1, row + 2]))
        }
        Misspell => {
            let (name, wrong) = names[one(random, names.len())?];
            replaced(occurrence(file, random, &[name])?, wrong)
        }
        ChangeWord => {
            let words: Vec<(usize, &str)> = file
                .match_indices(|c: char| "kalomineusrtv".contains(c))
                .map(|found| found.0)
                .filter(|&at| at == 0 || !file.as_bytes()[at - 1].is_ascii_alphanumeric())
                .filter_map(|at| {
                    let end = file[at..].find(|c: char| !c.is_ascii_lowercase())?;
                    let word = &file[at..at + end];
                    let syllables = ["ka", "lo", "mi", "ne", "ru", "sa", "ti", "vo"];
                    let is_word = word.len() == 6
                        && (0..3).all(|part| syllables.contains(&&word[2 * part..2 * part + 2]));
                    is_word.then_some((at, word))
                })
                .collect();
            let (at, word) = words[one(random, words.len())?];
            replaced((at, word.len()), "other")
        }
        MoveOffset | FarOffset => {
            let wanted = numbers[one(random, numbers.len())?];
            let all: Vec<usize> = file
                .match_indices(wanted)
                .map(|found| found.0 + wanted.len())
                .filter(|&at| file.as_bytes().get(at).is_some_and(u8::is_ascii_digit))
                .collect();
            let at = all[one(random, all.len())?];
            let length = file[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(file.len() - at);
            let number: u32 = file[at..at + length].parse().ok()?;
            let new = if accident == MoveOffset { number + 1 } else { number + 7000 };
            let mut changed = replaced((at, length), &new.to_string())?;
            changed.1.push(changed.1[0] + 1);
            Some(changed)
        }
        DropClosing => replaced(occurrence(file, random, closing)?, ""),
        DropOpening => replaced(occurrence(file, random, opening)?, ""),
        OtherDocument => {
            let (id, other) = id?;
            replaced((file.find(id)?, id.len()), other)
        }
        CutEnd => {
            let text = file.trim_end();
            let cuts: Vec<usize> =
                (text.len() / 4..text.len()).filter(|&at| text.is_char_boundary(at)).collect();
            let at = cuts[one(random, cuts.len())?];
            Some((file[..at].to_owned(), vec![line_of(file, at)]))
        }
    }
}

fn against(key: &Path, response: &Path, spec: &'static FormatSpec) -> ValidationReport {
    let [key, response] = [key, response].map(|path| path.display().to_string());
    let request = Request::files(&key, [response.as_str()]).unwrap().threads(1);
    let request = request.key_format(spec).response_format(spec).allow_empty(true);
    Evaluation::new(request).unwrap().validate(&Validate::default()).unwrap()
}

/// Returns whether the file means the same as before: scored against the file before, it is a perfect response.
fn means_the_same(key: &Path, response: &Path, spec: &'static FormatSpec) -> bool {
    let scores = |response: &Path| {
        let [key, response] = [key, response].map(|path| path.display().to_string());
        let request = Request::files(&key, [response.as_str()]).unwrap().threads(1);
        let request = request.key_format(spec).response_format(spec).allow_empty(true);
        let request = request.metrics("mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea").unwrap();
        let report = Evaluation::new(request).unwrap().score().ok()?;
        Some(report.systems[0].results.iter().map(|result| format!("{:?}", result.score)).collect::<Vec<_>>())
    };
    let before = scores(key);
    before.is_some() && before == scores(response)
}

/// The kind of a file in which an accident causes no finding, if validated alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unseen {
    /// A file that looks right; the defect is found by comparison with its key.
    Alone,
    /// A file that means the same as before, so that it has no defect.
    Same,
    /// A correct file with another annotation, as a person or a system could have made it.
    Other,
}

/// The accidents that are not found in every file, with the reason.
fn unseen(format: &str, accident: Accident) -> Option<(Unseen, &'static str)> {
    use Unseen::{Alone, Other, Same};
    Some(match (accident, format) {
        (OtherDocument, _) => (Alone, "the id may be any text"),
        (ChangeWord, "brat" | "apf" | "webanno") => return None,
        (ChangeWord, "table" | "links" | "json") => return None,
        (ChangeWord, _) => (Alone, "the text may have any words"),
        (DeleteRow, "conll" | "semeval" | "corefud" | "conll-ua" | "webanno") => {
            (Alone, "a sentence may end one word earlier")
        }
        (DeleteRow, "jsonlines") => (Alone, "documents are not numbered"),
        (DeleteRow, "muc" | "bracketed" | "tagged") => (Alone, "the text may have any lines"),
        (DeleteRow, "json-answer") => (Alone, "entities are not numbered"),
        (DeleteRow, "brat") => (Alone, "a mention that nothing links to may be absent"),
        (DeleteRow, "ecb+") => (Other, "a mention may be in no relation"),
        (DeleteRow, "table" | "links" | "json") => (Other, "mentions and entities are not numbered"),
        (RepeatRow, "json-answer" | "bracketed" | "tagged" | "pipe") => {
            (Alone, "the text may have any lines")
        }
        (SwapRows, "muc" | "bracketed" | "tagged") => (Alone, "the text may have any lines"),
        (SwapRows, "json-answer") => (Other, "entities may be in any order"),
        (SwapRows, "brat" | "json" | "jsonlines" | "table" | "links" | "ecb+") => {
            (Same, "the order of entities, mentions and documents has no meaning")
        }
        (DropColumn, "links") => (Other, "an entity may lack a mention"),
        (MoveOffset, "jsonlines") => (Other, "a span may have any ends within the text"),
        (MoveOffset, "corefud") => (Other, "any word of a mention may be its head"),
        (MoveOffset | FarOffset, "json" | "table" | "links") => {
            (Other, "the name of a mention may be any text")
        }
        (MoveOffset, "muc") => (Other, "a mention may be linked to any other"),
        (FarOffset, "muc") => (Other, "the id of a mention that nothing links to may be anything"),
        (MoveOffset, "webanno") => (Other, "a mention may have several parts, and a chain any mentions"),
        (DropClosing, "bracketed") => (Alone, "brackets may be text"),
        (CutEnd, "pipe" | "bracketed" | "tagged") => (Alone, "the text may end anywhere"),
        (CutEnd, "jsonlines") => (Alone, "documents are not numbered"),
        (CutEnd, "brat") => (Other, "mentions may be in no relation"),
        (CutEnd, "table") => (Other, "rows are not numbered, and the last one needs no line end"),
        _ => return None,
    })
}

/// Accidents after which a finding must be at the line, or at the next one if the line is missing or moved.
fn is_placed(format: &str, accident: Accident) -> bool {
    let by_words = ["conll", "semeval", "corefud", "conll-ua", "webanno"].contains(&format);
    match accident {
        DropColumn | AddColumn => true,
        DeleteRow | RepeatRow | SwapRows => by_words,
        Misspell => by_words || matches!(format, "brat" | "muc" | "jsonlines"),
        _ => false,
    }
}

#[test]
fn every_accident_is_found_in_every_format_or_has_a_reason() {
    let mut wrong = Vec::new();
    for spec in FormatSpec::of_documents() {
        for &(accident, _) in ACCIDENTS {
            let unseen = unseen(spec.id, accident);
            let (mut happened, mut hidden) = (0, 0);
            for seed in 0..30 {
                let mut random = Random(seed);
                let story = Story::new(&mut random);
                let (file, text) = written(spec.id, &story);
                let Some((broken, lines)) = happen(accident, spec.id, &file, &mut random) else { continue };
                if broken == file {
                    continue;
                }
                happened += 1;
                let responses = Folder::new();
                let path = responses.put(spec.id, (broken.as_bytes(), text.as_deref()));
                let report = validate_as(Some(spec), &path, None);
                let has_remedy = |report: &ValidationReport| {
                    let mut warnings = report.findings().filter(|found| found.severity > Severity::Note);
                    warnings.any(|found| found.remedy.is_some())
                };
                let mut problem = None;
                if has_remedy(&report) {
                    let place = |found: &corefeval_core::validation::Finding| {
                        found.position.as_ref().map_or((0, 0), |place| (place.line as usize, place.column))
                    };
                    let near = |found: &corefeval_core::validation::Finding| {
                        let (line, column) = place(found);
                        lines.contains(&line) && (column > 0 || found.code == "column-count")
                    };
                    if is_placed(spec.id, accident) && !report.findings().any(near) {
                        problem = Some("found at another place");
                    }
                } else {
                    hidden += 1;
                    let keys = Folder::new();
                    let key = keys.put(spec.id, (file.as_bytes(), text.as_deref()));
                    let with_key = || {
                        let report = against(&key, &path, spec);
                        // An answer is aligned with the key, and a single document is paired regardless of its id: both
                        // are notes.
                        let is_note = |code: &str| ["answer-aligned", "paired-loosely"].contains(&code);
                        has_remedy(&report) || report.findings().any(|found| is_note(found.code))
                    };
                    problem = match unseen.map(|unseen| unseen.0) {
                        None => Some("not found"),
                        Some(Unseen::Alone) if !with_key() => Some("not found by comparison with its key"),
                        Some(Unseen::Same) if !means_the_same(&key, &path, spec) => Some("not the same"),
                        _ => None,
                    };
                }
                if let Some(problem) = problem {
                    wrong.push(format!(
                        "{} {accident:?} {seed}: {problem}, at {lines:?}\n{broken}\n{}",
                        spec.id,
                        shown(&report)
                    ));
                }
            }
            if unseen.is_some() && happened > 0 && hidden == 0 {
                wrong.push(format!("{} {accident:?} is found in every file", spec.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{} accidents:\n{}", wrong.len(), wrong.join("\n"));
}

/// The table of docs/validate.md; `COREFEVAL_BLESS=1` writes it.
#[test]
fn the_documentation_lists_what_is_not_found() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validate.md");
    let page = fs::read_to_string(&path).unwrap();
    let (head, rest) =
        page.split_once("| accident | formats | the file | because |\n|---|---|---|---|\n").unwrap();
    let (rows, tail) = rest.split_at(rest.find("\n\n").unwrap() + 1);
    let mut table: Vec<(String, String, &str, &str)> = Vec::new();
    for &(accident, name) in ACCIDENTS {
        for spec in FormatSpec::of_documents() {
            let mut random = Random(1);
            let file = written(spec.id, &Story::new(&mut random)).0;
            let happens = (0..20).any(|_| happen(accident, spec.id, &file, &mut random).is_some());
            let Some((unseen, reason)) = unseen(spec.id, accident).filter(|_| happens) else { continue };
            let found = match unseen {
                Unseen::Alone => "looks right; the defect is found by comparison with the key",
                Unseen::Same => "means the same, and scores the same",
                Unseen::Other => "is correct, with different annotation",
            };
            match table.iter_mut().find(|row| (row.0.as_str(), row.2, row.3) == (name, found, reason)) {
                Some(row) => row.1 = format!("{}, {}", row.1, spec.id),
                None => table.push((name.to_owned(), spec.id.to_owned(), found, reason)),
            }
        }
    }
    let wanted: String = table
        .iter()
        .map(|(name, formats, found, reason)| format!("| {name} | {formats} | {found} | {reason} |\n"))
        .collect();
    if std::env::var_os("COREFEVAL_BLESS").is_some() {
        fs::write(
            &path,
            [head, "| accident | formats | the file | because |\n|---|---|---|---|\n", &wanted, tail]
                .concat(),
        )
        .unwrap();
    } else {
        assert_eq!(rows, wanted, "COREFEVAL_BLESS=1 writes the table");
    }
}
