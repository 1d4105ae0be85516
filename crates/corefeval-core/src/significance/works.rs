//! Recognises ids of documents that look like parts or chapters of one work: `emma_chapter_12`, `emma (part 3)`,
//! `emma/03`.

use std::collections::{BTreeMap, BTreeSet};

/// The words for a part of a work, before its number. Abbreviations of fewer than three letters need the name of a work
/// before them.
pub(super) const WORDS: &[&[&str]] = &[
    &["part", "pt", "p", "teil", "partie", "parte", "deel"],
    &[
        "chapter", "chap", "ch", "kapitel", "kap", "chapitre", "capitulo", "capítulo", "capitolo", "cap",
        "hoofdstuk", "глава",
    ],
    &["section", "sect", "sec", "abschnitt", "segment", "seg", "chunk", "fragment", "excerpt"],
    &["book", "bk", "buch", "livre", "libro", "liber", "boek", "volume", "vol", "band", "tome", "tomo"],
    &[
        "act", "akt", "aufzug", "acte", "acto", "atto", "scene", "sc", "szene", "auftritt", "scène",
        "escena", "scena",
    ],
    &["canto", "gesang", "chant", "stanza", "verse", "episode", "ep", "folge", "page", "pg", "seite"],
];

/// Folders whose numbered files are separate documents; so are the files of folders with fewer than three letters.
pub(super) const FOLDERS: &[&[&str]] = &[
    &[
        "train", "training", "dev", "devel", "development", "valid", "validation", "test", "trial", "eval",
        "fold", "split",
    ],
    &[
        "key", "gold", "response", "system", "data", "dataset", "corpus", "batch", "topic", "cluster",
        "sample", "task",
    ],
    &[
        "doc", "docs", "document", "documents", "text", "texts", "file", "files", "input", "output", "conll",
        "raw",
    ],
    &[
        "news", "newswire", "article", "articles", "story", "stories", "fiction", "academic", "blog",
        "blogs", "essay", "essays",
    ],
    &[
        "web", "wiki", "wikipedia", "reddit", "forum", "email", "emails", "letters", "reviews", "abstracts",
        "reports",
    ],
    &[
        "speech", "speeches", "interview", "interviews", "dialog", "dialogue", "dialogues", "conversation",
        "conversations",
    ],
];

fn is_listed(table: &[&[&str]], word: &str) -> bool {
    let word = word.to_lowercase();
    table.iter().any(|row| row.contains(&word.as_str()))
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '_' | '-' | '.' | ',' | ':' | ';' | '#' | '/' | '\\' | '(' | ')' | '[' | ']' | '§')
        || letter.is_whitespace()
}

/// Splits off the last letters or digits of a text; marks after it are dropped.
fn last(text: &str, belongs: fn(char) -> bool) -> Option<(&str, &str)> {
    let text = text.trim_end_matches(is_mark);
    let rest = text.trim_end_matches(belongs);
    (rest.len() < text.len()).then(|| text.split_at(rest.len()))
}

/// Returns the name of the work in an id such as `emma_chapter_12`, `emma-ch3` or `Faust, Act II, Scene 1`: `emma`,
/// `emma`, `Faust`. The name is empty if the id contains nothing else (`chapter_1`). `None` if the id does not end with
/// a word for a part and its number, apart from an extension.
fn work(id: &str) -> Option<&str> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let is_roman = |letter: char| matches!(letter.to_ascii_lowercase(), 'i' | 'v' | 'x' | 'l' | 'c');
    let numbered = |text| -> Option<&str> {
        let word = match last(text, is_digit) {
            Some((before, _)) => before,
            // Roman numerals need a mark before them.
            None => last(text, is_roman).map(|found| found.0).filter(|before| before.ends_with(is_mark))?,
        };
        let (work, word) = last(word, char::is_alphabetic)?;
        let is_apart = work.is_empty() && word.chars().count() > 2 || work.ends_with(is_mark);
        (is_apart && is_listed(WORDS, word)).then(|| work.trim_end_matches(is_mark))
    };
    let without_extension = || {
        let (name, extension) = id.rsplit_once('.')?;
        extension.chars().all(char::is_alphabetic).then_some(name)
    };
    let mut found = numbered(id).or_else(|| numbered(without_extension()?))?;
    // Scenes of all acts belong to one play.
    while let Some(outer) = numbered(found) {
        found = outer;
    }
    Some(found)
}

/// Returns the folder and the number of an id such as `emma/03`.
fn numbered_file(id: &str) -> Option<(&str, u32)> {
    let (folder, number) = id.rsplit_once('/')?;
    let name = folder.rsplit('/').next()?;
    let is_name = name.chars().filter(|letter| letter.is_alphabetic()).count() > 2;
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_name && is_number && !is_listed(FOLDERS, name)).then(|| Some((folder, number.parse().ok()?)))?
}

/// Returns the places of ids that look like parts of one work, for each work. Bare numbers in a folder must form a
/// series from 0 or 1.
pub(super) fn works<'i>(ids: impl Iterator<Item = &'i str>) -> Vec<Vec<usize>> {
    let mut works: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut folders: BTreeMap<&str, (BTreeSet<u32>, Vec<usize>)> = BTreeMap::new();
    for (place, id) in ids.enumerate() {
        if let Some(work) = work(id) {
            works.entry(work).or_default().push(place);
        } else if let Some((folder, number)) = numbered_file(id) {
            let (numbers, places) = folders.entry(folder).or_default();
            numbers.insert(number);
            places.push(place);
        }
    }
    let is_series = |numbers: &BTreeSet<u32>| {
        let (first, last) = (numbers.first().copied().unwrap_or(2), numbers.last().copied().unwrap_or(0));
        first < 2 && numbers.len() as u32 == last + 1 - first
    };
    let folders = folders.into_values().filter(|(numbers, _)| is_series(numbers)).map(|(_, places)| places);
    works.into_values().chain(folders).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_by_the_ids_of_their_parts() {
        for (id, wanted) in [
            ("emma_chapter_12", Some("emma")),
            ("moby-dick-ch3", Some("moby-dick")),
            ("Faust Act 2", Some("Faust")),
            ("Faust, Act II, Scene 1", Some("Faust")),
            ("emma (part 3)", Some("emma")),
            ("emma_p3", Some("emma")),
            ("emma [Kap. 4]", Some("emma")),
            ("effi-briest_Kapitel_07.txt", Some("effi-briest")),
            ("inferno/canto-XXVIII", Some("inferno")),
            ("iliad_book-1", Some("iliad")),
            ("book-1", Some("")),
            ("act_2", Some("")),
            ("hamlet/act_2/scene_10", Some("hamlet")),
            ("война и мир, Глава 2", Some("война и мир")),
            ("p3", None),
            ("wsj_0001", None),
            ("bc/cctv/00/cctv_0000", None),
            ("1023_bleak_house_brat", None),
            ("emma_chapter", None),
            ("emma_arch_1", None),
            ("emma_actii", None),
            ("GUM_academic_art", None),
            ("CNN_ENG_20030304_173120.16", None),
            ("1_10ecbplus.xml", None),
            ("doc-12", None),
            ("dev_00012", None),
            ("", None),
        ] {
            assert_eq!(work(id), wanted, "{id}");
        }
    }

    #[test]
    fn ids_of_ordinary_corpora_belong_to_no_work() {
        let found = |ids: &[&str]| works(ids.iter().copied());
        assert_eq!(found(&["emma/01", "x", "emma/02", "emma/3"]), [[0, 2, 3]]);
        assert_eq!(found(&["a_ch1", "b_ch1", "a_ch2"]), [vec![0, 2], vec![1]]);
        for ids in [
            &["bc/cctv/00/cctv_0000", "bc/cctv/00/cctv_0001"][..],
            &["nw/wsj/00/wsj_0020", "nw/wsj/00/wsj_0021"],
            &["wsj_0020", "wsj_0021"],
            &["1023_bleak_house_brat", "105_persuasion_brat", "158_emma_brat"],
            // Samples of longer series, folders with arbitrary texts, and years.
            &["emma/17", "emma/21"],
            &["train/1", "train/2"],
            &["news/001", "news/002"],
            &["nw/1", "nw/2"],
            &["36/1", "36/2"],
            &["times/1901", "times/1902"],
        ] {
            assert_eq!(found(ids), Vec::<Vec<usize>>::new(), "{ids:?}");
        }
    }

    /// The page has both lists.
    #[test]
    fn the_documentation_has_the_table() {
        let page = include_str!("../../../../docs/statistics.md").replace('\n', " ");
        for row in WORDS.iter().chain(FOLDERS) {
            let row = row.join(", ");
            assert!(page.contains(&row), "docs/statistics.md lacks: {row}");
        }
    }
}
