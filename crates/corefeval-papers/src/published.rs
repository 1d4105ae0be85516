//! The papers' printed results with their inputs. A row is an example; a result is a metric, the part of its score and
//! the printed number.

use crate::LeftOut;

/// The part of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintedPart {
    Recall,
    Precision,
    F1,
    /// The similarity of the alignment of CEAF.
    Similarity,
}

impl PrintedPart {
    pub(super) fn name(self) -> &'static str {
        match self {
            PrintedPart::Recall => "recall",
            PrintedPart::Precision => "precision",
            PrintedPart::F1 => "F1",
            PrintedPart::Similarity => "similarity",
        }
    }
}

/// The rounding after the last printed digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    HalfUp,
    Cut,
}

/// One published number.
#[derive(Clone, Copy, Debug)]
pub(super) struct PublishedNumber {
    pub(super) metric: &'static str,
    pub(super) part: PrintedPart,
    /// The number as printed: counts, or a number with its digits.
    pub(super) published: &'static str,
    /// The result of the paper's own definition, if the printed number is wrong.
    pub(super) meant: Option<&'static str>,
    pub(super) note: &'static str,
}

/// A key and a response with the numbers that the paper prints for them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrintedExample {
    pub(super) source: &'static str,
    pub(super) place: &'static str,
    /// The key, in the notation of the MUC paper.
    pub(super) key: &'static str,
    pub(super) response: &'static str,
    pub(super) rounding: Rounding,
    /// True if numbers are percentages.
    pub(super) percent: bool,
    pub(super) numbers: &'static [PublishedNumber],
}

const fn number(metric: &'static str, part: PrintedPart, published: &'static str) -> PublishedNumber {
    PublishedNumber { metric, part, published, meant: None, note: "" }
}

const fn recall(metric: &'static str, published: &'static str) -> PublishedNumber {
    number(metric, PrintedPart::Recall, published)
}

const fn precision(metric: &'static str, published: &'static str) -> PublishedNumber {
    number(metric, PrintedPart::Precision, published)
}

const fn f1(metric: &'static str, published: &'static str) -> PublishedNumber {
    number(metric, PrintedPart::F1, published)
}

const fn similarity(metric: &'static str, published: &'static str) -> PublishedNumber {
    number(metric, PrintedPart::Similarity, published)
}

const VILAIN: &str = "Vilain et al. 1995";
const BAGGA: &str = "Bagga and Baldwin 1998, by hand from the definitions";
const LUO: &str = "Luo 2005";
const MOOSAVI: &str = "Moosavi and Strube 2016";

/// Luo's key and responses.
pub(super) const TRUTH: &str = "{1 2 3 4 5} {6 7} {8 9 A B C}";
pub(super) const RESPONSES: [&str; 4] = [
    "{1 2 3 4 5} {6 7 8 9 A B C}",
    "{1 2 3 4 5 8 9 A B C} {6 7}",
    "{1 2 3 4 5 6 7 8 9 A B C}",
    "{1} {2} {3} {4} {5} {6} {7} {8} {9} {A} {B} {C}",
];

const fn vilain(
    place: &'static str,
    key: &'static str,
    response: &'static str,
    numbers: &'static [PublishedNumber],
) -> PrintedExample {
    PrintedExample {
        source: VILAIN,
        place,
        key,
        response,
        rounding: Rounding::HalfUp,
        percent: false,
        numbers,
    }
}

const fn bagga(place: &'static str, response: usize, numbers: &'static [PublishedNumber]) -> PrintedExample {
    let response = RESPONSES[response];
    PrintedExample {
        source: BAGGA,
        place,
        key: TRUTH,
        response,
        rounding: Rounding::HalfUp,
        percent: false,
        numbers,
    }
}

const fn luo(place: &'static str, response: usize, numbers: &'static [PublishedNumber]) -> PrintedExample {
    PrintedExample { source: LUO, ..bagga(place, response, numbers) }
}

const fn moosavi(
    place: &'static str,
    key: &'static str,
    response: &'static str,
    numbers: &'static [PublishedNumber],
) -> PrintedExample {
    PrintedExample { source: MOOSAVI, place, key, response, rounding: Rounding::Cut, percent: true, numbers }
}

/// All examples.
pub(super) static EXAMPLES: &[PrintedExample] = &[
    vilain(
        "A-B B-C B-D | A-B C-D",
        "A-B B-C B-D",
        "A-B C-D",
        &[recall("muc", "2/3"), precision("muc", "2/2"), recall("links_as_written", "1/3")],
    ),
    vilain("A-B B-C | A-C", "A-B B-C", "A-C", &[recall("muc", "1/2"), precision("muc", "1/1")]),
    vilain("B-C | A-B B-C", "B-C", "A-B B-C", &[recall("muc", "1/1"), precision("muc", "1/2")]),
    vilain(
        "B-C C-D D-E E-G G-H H-J | A-B B-C D-E E-F G-H H-I",
        "B-C C-D D-E E-G G-H H-J",
        "A-B B-C D-E E-F G-H H-I",
        &[recall("muc", "3/6"), precision("muc", "3/6")],
    ),
    vilain(
        "A-B B-C D-E E-F F-G | A-B C-D F-G G-H",
        "A-B B-C D-E E-F F-G",
        "A-B C-D F-G G-H",
        &[recall("muc", "2/5"), precision("muc", "2/4")],
    ),
    bagga("weight 1/n, response a", 0, &[recall("b_cubed", "12/12"), precision("b_cubed", "16/21")]),
    bagga("weight 1/n, response b", 1, &[recall("b_cubed", "12/12"), precision("b_cubed", "7/12")]),
    bagga("weight 1/n, response d", 3, &[recall("b_cubed", "3/12"), precision("b_cubed", "12/12")]),
    bagga(
        "weight by entity, response a",
        0,
        &[recall("b_cubed:weight=entity", "3/3"), precision("b_cubed:weight=entity", "39/49")],
    ),
    bagga(
        "weight by entity, response b",
        1,
        &[recall("b_cubed:weight=entity", "3/3"), precision("b_cubed:weight=entity", "3/4")],
    ),
    bagga(
        "weight by entity, response d",
        3,
        &[recall("b_cubed:weight=entity", "3/10"), precision("b_cubed:weight=entity", "12/12")],
    ),
    luo(
        "table 1, response a",
        0,
        &[f1("muc", ".947"), f1("b_cubed", ".865"), f1("ceaf_m", ".833"), f1("ceaf_e", ".733")],
    ),
    luo(
        "table 1, response b",
        1,
        &[f1("muc", ".947"), f1("b_cubed", ".737"), f1("ceaf_m", ".583"), f1("ceaf_e", ".667")],
    ),
    luo(
        "table 1, response c",
        2,
        &[f1("muc", ".900"), f1("b_cubed", ".545"), f1("ceaf_m", ".417"), f1("ceaf_e", ".294")],
    ),
    luo(
        "table 1, response d",
        3,
        &[f1("muc", "–"), f1("b_cubed", ".400"), f1("ceaf_m", ".250"), f1("ceaf_e", ".178")],
    ),
    luo(
        "table 2, response c",
        2,
        &[
            recall("b_cubed", "1.0"),
            precision("b_cubed", ".375"),
            recall("ceaf_m", ".417"),
            precision("ceaf_m", ".417"),
            recall("ceaf_e", ".196"),
            precision("ceaf_e", ".588"),
        ],
    ),
    luo(
        "table 2, response d",
        3,
        &[
            recall("b_cubed", ".25"),
            precision("b_cubed", "1.0"),
            recall("ceaf_m", ".250"),
            precision("ceaf_m", ".250"),
            recall("ceaf_e", ".444"),
            precision("ceaf_e", ".111"),
        ],
    ),
    PrintedExample {
        key: "{a b c}",
        response: "{a b}",
        ..luo(
            "similarity of {a b c} and {a b}",
            0,
            &[
                similarity("ceaf_1", "0"),
                similarity("ceaf_2", "1"),
                similarity("ceaf_m", "2"),
                similarity("ceaf_e", "0.8"),
            ],
        )
    },
    PrintedExample {
        key: "{a b c}",
        response: "{a}",
        ..luo(
            "similarity of {a b c} and {a}",
            0,
            &[
                similarity("ceaf_1", "0"),
                similarity("ceaf_2", "1"),
                similarity("ceaf_m", "1"),
                similarity("ceaf_e", "0.5"),
            ],
        )
    },
    PrintedExample {
        rounding: Rounding::HalfUp,
        percent: false,
        ..moosavi(
            "worked example",
            "{a b c} {d e f g}",
            "{a b} {c d} {f g h i}",
            &[recall("lea", "0.24"), precision("lea", "0.33")],
        )
    },
    moosavi(
        "table 3, response 1",
        "{1 2 3 4 5 6 7 8}",
        "{1 2 3 4} {5 6 7 8}",
        &[
            f1("muc", "92.30"),
            f1("b_cubed", "66.66"),
            f1("ceaf_m", "50.00"),
            f1("ceaf_e", "44.44"),
            f1("blanc", "60.00"),
        ],
    ),
    moosavi(
        "table 3, response 2",
        "{1 2 3 4 5 6 7 8}",
        "{1 2 3 4}",
        &[
            f1("muc", "60.00"),
            f1("b_cubed", "40.00"),
            f1("ceaf_m", "66.66"),
            f1("ceaf_e", "66.66"),
            PublishedNumber {
                meant: Some("35.29"),
                note: "error of the paper: 6 of 28 and 6 of 6 coreference links, and no other link in the key, give 6/17",
                ..f1("blanc", "32.29")
            },
        ],
    ),
];

/// The results that need further data.
pub(super) static LEFT_OUT: &[LeftOut] = &[
    LeftOut {
        source: LUO,
        place: "tables 3 and 4",
        needs: "the MUC and ACE corpora and the system's responses (licensed)",
        command: Some("corefeval reproduce --simulate"),
    },
    LeftOut {
        source: MOOSAVI,
        place: "tables 1 and 4",
        needs: "the CoNLL-2012 test set of OntoNotes 5.0 (licensed) and the system's response",
        command: Some("corefeval probe --profile conll KEY RESPONSE"),
    },
    LeftOut {
        source: MOOSAVI,
        place: "table 5",
        needs: "the CoNLL-2012 test set of OntoNotes 5.0 (licensed) and fourteen responses",
        command: Some("corefeval compare --profile conll -m muc,b_cubed,ceaf_e,lea,conll KEY RESPONSE..."),
    },
    LeftOut {
        source: "Lin et al. 2010",
        place: "tables 3 and 4, figure 1",
        needs: "the ACE and MUC corpora (licensed) and the systems' responses",
        command: Some("corefeval cone --correlate KEY RESPONSE..."),
    },
    LeftOut {
        source: "NIST 2003–2008",
        place: "ACE-value",
        needs: "the ACE corpora (licensed) and a response to them",
        command: Some("corefeval score --profile ace-2005 KEY RESPONSE"),
    },
];
