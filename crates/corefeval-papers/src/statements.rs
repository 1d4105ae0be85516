//! Claims of the papers, as checks: each computes its subject and reports the result.

use crate::families::{
    self, Entities, MERGES, SIZES, SPLITS, correct_and_wrong_links, correct_links, extra, key,
    mention_identification, merge, split,
};
use crate::published::{EXAMPLES, RESPONSES, TRUTH};
use crate::{Scored, settings};
use corefeval_core::error::Result;
use corefeval_core::metrics::Metric;
use corefeval_core::overlap::{align_entities, align_named_entities};
use corefeval_core::tally::{Score, Tally};

/// Whether a statement holds, and what was found.
pub(super) type Check = fn() -> Result<(bool, String)>;

/// One statement.
pub(super) struct Statement {
    pub(super) source: &'static str,
    pub(super) place: &'static str,
    pub(super) says: &'static str,
    pub(super) check: Check,
}

const VILAIN: &str = "Vilain et al. 1995";
const LUO: &str = "Luo 2005";
const BLANC: &str = "Recasens and Hovy 2011, Luo et al. 2014";
const MOOSAVI: &str = "Moosavi and Strube 2016";
const LIN: &str = "Lin et al. 2010";

/// All statements.
pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        source: VILAIN,
        place: "row 1, other trees",
        says: "counting links as written depends on the annotator's tree, MUC does not",
        check: trees,
    },
    Statement {
        source: LUO,
        place: "definition",
        says: "CEAF is symmetric: key and response exchanged, recall and precision change places",
        check: ceaf_is_symmetric,
    },
    Statement {
        source: LUO,
        place: "definition",
        says: "over several documents numerators and denominators are summed",
        check: documents_are_summed,
    },
    Statement {
        source: BLANC,
        place: "definition",
        says: "the counts from the overlap table are those of the links written out",
        check: blanc_counts_links,
    },
    Statement {
        source: MOOSAVI,
        place: "definition",
        says: "a singleton is resolved only by the same singleton",
        check: lea_singletons,
    },
    Statement {
        source: MOOSAVI,
        place: "figures, correct links",
        says: "wrong links add to the recall of B³ and CEAF, not to that of MUC and LEA",
        check: wrong_links,
    },
    Statement {
        source: MOOSAVI,
        place: "figures, correct entities",
        says: "B³, CEAF φ3 and LEA agree when whole entities are resolved",
        check: whole_entities,
    },
    Statement {
        source: MOOSAVI,
        place: "figures, correct entities",
        says: "CEAF φ4 does not see the size of entities",
        check: ceaf_e_sees_no_size,
    },
    Statement {
        source: MOOSAVI,
        place: "figures, splits",
        says: "MUC sees only the number of splits",
        check: muc_counts_splits,
    },
    Statement {
        source: MOOSAVI,
        place: "figures, merges",
        says: "MUC sees only the number of merges",
        check: muc_counts_merges,
    },
    Statement {
        source: MOOSAVI,
        place: "figures, extra mentions",
        says: "MUC and CEAF φ3 do not see the size of the entity that extra mentions join",
        check: extra_mentions,
    },
    Statement {
        source: MOOSAVI,
        place: "figures, mention identification",
        says: "only MUC and LEA are 0 when no link is correct",
        check: no_link_is_correct,
    },
    Statement {
        source: LIN,
        place: "example",
        says: "pruned to named mentions G is {A B C}, O1 is {A B} and O2 is {A C} {B}",
        check: cone_prunes,
    },
    Statement {
        source: LIN,
        place: "example, by hand",
        says: "CONE B³ and CONE CEAF are B³ and CEAF of what is left",
        check: cone_scores,
    },
    Statement {
        source: LIN,
        place: "definition",
        says: "an entity without a named mention vanishes; where all mentions are named CONE is B³ and CEAF",
        check: cone_of_all_and_none,
    },
];

/// The example of Lin et al.: the key and both responses, A B C being 0 1 2 and named, 1 2 3 4 being 3 4 5 6.
fn cone_example() -> [Entities; 3] {
    [vec![vec![0, 1, 2, 3, 4, 5, 6]], vec![vec![0, 1, 3, 4, 5]], vec![vec![0, 2, 3, 4, 6], vec![1, 5]]]
}

/// Whether a mention of the example is a letter.
fn is_letter(mention: u32) -> bool {
    mention < 3
}

fn cone_prunes() -> Result<(bool, String)> {
    let [key, first, second] = cone_example();
    let sizes = |response: &Entities| {
        let pair = align_named_entities(&key, response, is_letter);
        let named = pair.named_view().map(|named| named.recall_view().clone()).unwrap_or_default();
        let cells = named.cells().iter().map(|cell| cell.shared).collect::<Vec<_>>();
        (named.key_sizes().to_vec(), named.response_sizes().to_vec(), cells)
    };
    let found = [sizes(&first), sizes(&second)];
    let holds = found == [(vec![3], vec![2], vec![2]), (vec![3], vec![2, 1], vec![2, 1])];
    let text = found.map(|(key, response, _)| format!("{key:?} against {response:?}")).join(", ");
    Ok((holds, format!("sizes {text}; all of a response's in the key's")))
}

fn cone_scores() -> Result<(bool, String)> {
    let [key, first, second] = cone_example();
    let mut texts = Vec::new();
    let mut holds = true;
    // Recall, precision and F1 by hand.
    for (name, response, wanted) in [
        ("O1", &first, [[4.0 / 9.0, 1.0, 8.0 / 13.0], [2.0 / 3.0, 1.0, 0.8]]),
        ("O2", &second, [[5.0 / 9.0, 1.0, 5.0 / 7.0], [2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]]),
    ] {
        for (id, wanted) in ["cone_b_cubed", "cone_ceaf"].iter().zip(wanted) {
            let metric = Metric::parse(id)?;
            let score = cone(&key, response, &metric, is_letter);
            let found = [score.recall, score.precision, score.f1];
            holds &= found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12);
            let [recall, precision, f1] = found.map(|part| format!("{:.2}", 100.0 * part));
            texts.push(format!("{name} {} {recall}/{precision}/{f1}", metric.label()));
        }
    }
    Ok((holds, texts.join(", ")))
}

fn cone_of_all_and_none() -> Result<(bool, String)> {
    let mut holds = true;
    let mut compared = 0;
    let families = (0..=100).step_by(20).map(correct_and_wrong_links);
    let responses = cone_example().into_iter().chain(families);
    for response in responses {
        for (cone_id, id) in [("cone_b_cubed", "b_cubed"), ("cone_ceaf", "ceaf_m")] {
            let (named, full) = (Metric::parse(cone_id)?, Metric::parse(id)?);
            holds &= cone(&key(), &response, &named, |_| true) == tally(&key(), &response, &full).1;
            holds &= cone(&key(), &response, &named, |_| false) == Score::default();
            compared += 1;
        }
    }
    Ok((holds, format!("in {compared} comparisons")))
}

fn cone(key: &Entities, response: &Entities, metric: &Metric, named: fn(u32) -> bool) -> Score {
    let mut tally = Tally::default();
    metric.tally(&align_named_entities(key, response, named), &mut tally);
    metric.score(&tally, &settings().rules())
}

fn score(response: &Entities, metric: &str) -> Result<Score> {
    Ok(tally(&key(), response, &Metric::parse(metric)?).1)
}

fn tally(key: &Entities, response: &Entities, metric: &Metric) -> (Tally, Score) {
    let mut tally = Tally::default();
    metric.tally(&align_entities(key, response), &mut tally);
    let score = metric.score(&tally, &settings().rules());
    (tally, score)
}

/// Whether two numbers are one number but for floating point.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-12
}

fn same_score(one: Score, other: Score) -> bool {
    same(one.recall, other.recall) && same(one.precision, other.precision) && same(one.f1, other.f1)
}

fn percent(number: f64) -> String {
    format!("{:.2}", 100.0 * number)
}

/// Three of the sixteen trees over A, B, C and D.
fn trees() -> Result<(bool, String)> {
    let mut muc = Vec::new();
    let mut written = Vec::new();
    for key in ["A-B B-C B-D", "A-C A-D B-C", "A-B C-D A-C"] {
        let found = Scored::new(key, "A-B C-D")?;
        muc.push(found.result("muc")?.score.recall);
        written.push(found.result("links_as_written")?.score.recall);
    }
    let holds = muc.iter().all(|&recall| same(recall, 2.0 / 3.0))
        && written.iter().zip([1.0, 0.0, 2.0]).all(|(&recall, links)| same(recall, links / 3.0));
    Ok((holds, "MUC 2/3 on three trees, links as written 1/3, 0/3 and 2/3".to_owned()))
}

fn ceaf_is_symmetric() -> Result<(bool, String)> {
    let (mut holds, mut count) = (true, 0);
    for example in EXAMPLES {
        let one = Scored::new(example.key, example.response)?;
        let other = Scored::new(example.response, example.key)?;
        for metric in ["ceaf_1", "ceaf_2", "ceaf_m", "ceaf_e"] {
            let (one, other) = (one.result(metric)?.score, other.result(metric)?.score);
            holds &= same(one.recall, other.precision) && same(one.precision, other.recall);
            count += 1;
        }
    }
    Ok((holds, format!("in {count} comparisons on the examples of all papers")))
}

/// Luo's responses as the documents of one corpus.
fn documents_are_summed() -> Result<(bool, String)> {
    let text = |sides: [&str; 4]| -> String {
        let documents = sides.iter().enumerate();
        documents.map(|(number, side)| format!("#begin document {number}\n{side}\n")).collect()
    };
    let all = Scored::new(&text([TRUTH; 4]), &text(RESPONSES))?;
    let mut holds = true;
    let mut found = Vec::new();
    for metric in ["ceaf_m", "ceaf_e"] {
        let whole = all.result(metric)?;
        let mut sum = Tally::default();
        for response in RESPONSES {
            if let Some(tally) = Scored::new(TRUTH, response)?.result(metric)?.tally {
                sum.add(&tally);
            }
        }
        holds &= same_score(whole.score, sum.first.score());
        found.push(format!("{} F1 {}", whole.metric.label(), percent(whole.score.f1)));
    }
    Ok((holds, format!("responses a to d as four documents: {}", found.join(", "))))
}

/// Coreference links and the other links of a set of entities, each link with the smaller mention first.
fn links(entities: &Entities) -> [Vec<(u32, u32)>; 2] {
    let mut mentions: Vec<(u32, usize)> =
        entities.iter().enumerate().flat_map(|(e, all)| all.iter().map(move |&m| (m, e))).collect();
    mentions.sort_unstable();
    let mut both = [Vec::new(), Vec::new()];
    for (place, &(one, entity)) in mentions.iter().enumerate() {
        for &(other, another) in &mentions[place + 1..] {
            both[usize::from(entity != another)].push((one, other));
        }
    }
    both
}

fn blanc_counts_links() -> Result<(bool, String)> {
    let blanc = Metric::parse("blanc")?;
    let (mut holds, mut count) = (true, 0);
    for family in families::FAMILIES {
        for (_, response) in (family.responses)() {
            let (tally, _) = tally(&key(), &response, &blanc);
            let (ours, theirs) = (links(&key()), links(&response));
            for (half, counts) in [&tally.first, &tally.second].into_iter().enumerate() {
                let shared =
                    ours[half].iter().filter(|link| theirs[half].binary_search(link).is_ok()).count();
                let wanted = [shared, ours[half].len(), shared, theirs[half].len()];
                let found =
                    [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den];
                holds &= found.iter().zip(wanted).all(|(sum, wanted)| same(sum.to_f64(), wanted as f64));
            }
            count += 1;
        }
    }
    Ok((holds, format!("on {count} responses of the families of Moosavi and Strube")))
}

fn lea_singletons() -> Result<(bool, String)> {
    let lea = |key: &str, response: &str| -> Result<f64> {
        Ok(Scored::new(key, response)?.result("lea")?.score.recall)
    };
    let found = [lea("{a}", "{a}")?, lea("{a}", "{a b}")?, lea("{a b}", "{a} {b}")?];
    let holds = found == [1.0, 0.0, 0.0];
    Ok((holds, "{a} by {a} 1, by {a b} 0; {a b} by {a} {b} 0".to_owned()))
}

fn wrong_links() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for percentage in [0, 20, 40, 60, 80] {
        let (without, with) = (correct_links(percentage).0, correct_and_wrong_links(percentage));
        for (metric, more) in
            [("muc", false), ("b_cubed", true), ("ceaf_m", true), ("ceaf_e", true), ("lea", false)]
        {
            let (without, with) = (score(&without, metric)?.recall, score(&with, metric)?.recall);
            holds &= if more { with > without } else { same(with, without) };
            if percentage == 40 {
                let label = Metric::parse(metric)?.label();
                shown.push(format!("{label} {} → {}", percent(without), percent(with)));
            }
        }
    }
    Ok((holds, format!("at 40 %: {}", shown.join(", "))))
}

/// The first entities of the key in decreasing size, and in increasing size.
fn correct_entities(number: usize) -> [Entities; 2] {
    let key = key();
    [key[..number].to_vec(), key[SIZES.len() - number..].to_vec()]
}

fn whole_entities() -> Result<(bool, String)> {
    let (mut holds, mut count) = (true, 0);
    for number in 1..=SIZES.len() {
        for response in correct_entities(number) {
            let b_cubed = score(&response, "b_cubed")?;
            for metric in ["ceaf_m", "lea"] {
                holds &= same_score(b_cubed, score(&response, metric)?);
            }
            count += 1;
        }
    }
    let [decreasing, increasing] = correct_entities(3);
    let [large, small] = [score(&decreasing, "lea")?, score(&increasing, "lea")?];
    let found = format!(
        "in {count} responses; the three largest F1 {}, the three smallest {}",
        percent(large.f1),
        percent(small.f1)
    );
    Ok((holds, found))
}

fn ceaf_e_sees_no_size() -> Result<(bool, String)> {
    let mut holds = true;
    for number in 1..=SIZES.len() {
        let [decreasing, increasing] = correct_entities(number);
        holds &= same_score(score(&decreasing, "ceaf_e")?, score(&increasing, "ceaf_e")?);
    }
    let [decreasing, increasing] = correct_entities(3);
    let [large, small] = [score(&decreasing, "ceaf_e")?.f1, score(&increasing, "ceaf_e")?.f1];
    let [ten, two] = [score(&split(&[10, 10]), "ceaf_e")?, score(&split(&[2, 2]), "ceaf_e")?];
    holds &= same_score(ten, two);
    let found = format!(
        "the three largest F1 {}, the three smallest {}; split 10-10 {}, 2-2 {}",
        percent(large),
        percent(small),
        percent(ten.f1),
        percent(two.f1)
    );
    Ok((holds, found))
}

/// Whether a part of MUC's score depends on the number of pieces alone, and that part for each number.
fn by_number(
    families: &[&[usize]],
    response: fn(&[usize]) -> Entities,
    part: fn(Score) -> f64,
    names: &str,
) -> Result<(bool, String)> {
    let mut holds = true;
    let mut found: Vec<(usize, f64)> = Vec::new();
    for pieces in families {
        let value = part(score(&response(pieces), "muc")?);
        match found.iter().find(|other| other.0 == pieces.len()) {
            Some(other) => holds &= same(other.1, value),
            None => found.push((pieces.len(), value)),
        }
    }
    found.sort_by_key(|pair| pair.0);
    holds &= found.is_sorted_by(|one, next| one.1 > next.1);
    let shown: Vec<String> =
        found.iter().map(|(number, value)| format!("{number} {names} {}", percent(*value))).collect();
    Ok((holds, format!("{} responses: {}", families.len(), shown.join(", "))))
}

fn muc_counts_splits() -> Result<(bool, String)> {
    by_number(&SPLITS, split, |score| score.recall, "parts: recall")
}

fn muc_counts_merges() -> Result<(bool, String)> {
    by_number(&MERGES, merge, |score| score.precision, "entities: precision")
}

fn extra_mentions() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for metric in ["muc", "ceaf_m", "b_cubed", "lea"] {
        let mut found = Vec::new();
        for number in [2, 3, 5, 10] {
            let sizes = [2, 5, 10, 20].map(|size| score(&extra(number, size), metric));
            let precisions =
                sizes.into_iter().map(|score| Ok(score?.precision)).collect::<Result<Vec<f64>>>()?;
            let blind = precisions.iter().all(|&precision| same(precision, precisions[0]));
            holds &= blind == matches!(metric, "muc" | "ceaf_m");
            found.push(precisions);
        }
        let precisions: Vec<String> = found[0].iter().copied().map(percent).collect();
        shown.push(format!("{} {}", Metric::parse(metric)?.label(), precisions.join(" ")));
    }
    Ok((holds, format!("precision with 2 in an entity of 2, 5, 10, 20: {}", shown.join("; "))))
}

fn no_link_is_correct() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for percentage in [20, 40, 60, 80, 100] {
        let response = mention_identification(percentage);
        for metric in ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
            let f1 = score(&response, metric)?.f1;
            let nothing = matches!(metric, "muc" | "lea");
            holds &= (f1 == 0.0) == nothing;
            if percentage == 100 {
                shown.push(format!("{} {}", Metric::parse(metric)?.label(), percent(f1)));
            }
        }
    }
    Ok((holds, format!("all mentions found: {}", shown.join(", "))))
}
