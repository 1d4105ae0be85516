//! Checks claims of the papers. Each check computes the quantities of a claim and reports the result.

use crate::families::{
    self, Entities, MERGES, SIZES, SPLITS, WRONG_LINKS, correct_and_wrong_links, correct_links, extra, key,
    mention_identification, merge, split, with_wrong_links,
};
use crate::published::{EXAMPLES, PrintedPart, RESPONSES, TRUTH};
use crate::{Scored, settings, value};
use corefeval_core::error::Result;
use corefeval_core::metrics::Metric;
use corefeval_core::overlap::{align_entities, align_named_entities};
use corefeval_core::results::MetricResult;
use corefeval_core::tally::{Score, Tally};

/// A function that returns whether a statement is true, and the evidence.
pub(super) type StatementCheck = fn() -> Result<(bool, String)>;

/// One statement.
pub(super) struct Statement {
    pub(super) source: &'static str,
    pub(super) place: &'static str,
    pub(super) claim: &'static str,
    /// True if the statement holds for the results here; a paper may state it for other data.
    pub(super) holds: bool,
    pub(super) check: StatementCheck,
}

const fn statement(
    source: &'static str,
    place: &'static str,
    claim: &'static str,
    check: StatementCheck,
) -> Statement {
    Statement { source, place, claim, holds: true, check }
}

const VILAIN: &str = "Vilain et al. 1995";
const LUO: &str = "Luo 2005";
const BLANC: &str = "Recasens and Hovy 2011, Luo et al. 2014";
const MOOSAVI: &str = "Moosavi and Strube 2016";
const LIN: &str = "Lin et al. 2010";

/// All statements.
pub(super) static STATEMENTS: &[Statement] = &[
    statement(
        VILAIN,
        "A-B B-C B-D | A-B C-D, other trees",
        "counting links as written depends on the annotator's tree, MUC does not",
        trees,
    ),
    statement(
        LUO,
        "definition",
        "CEAF is symmetric: exchanging key and response exchanges recall and precision",
        ceaf_is_symmetric,
    ),
    statement(
        LUO,
        "definition",
        "numerators and denominators are summed over documents",
        documents_are_summed,
    ),
    statement(
        BLANC,
        "definition",
        "the counts from the overlap table equal those of the explicit links",
        blanc_counts_links,
    ),
    statement(MOOSAVI, "definition", "a singleton is resolved only by the same singleton", lea_singletons),
    statement(
        MOOSAVI,
        "figures, correct links",
        "wrong links add to the recall of B³ and CEAF, not to that of MUC and LEA",
        wrong_links,
    ),
    statement(
        MOOSAVI,
        "figures, correct entities",
        "B³, CEAF φ3 and LEA agree when whole entities are resolved",
        whole_entities,
    ),
    statement(
        MOOSAVI,
        "figures, correct entities",
        "CEAF φ4 ignores the size of entities",
        ceaf_e_ignores_sizes,
    ),
    statement(MOOSAVI, "figures, splits", "MUC depends only on the number of splits", muc_counts_splits),
    statement(MOOSAVI, "figures, merges", "MUC depends only on the number of merges", muc_counts_merges),
    statement(
        MOOSAVI,
        "figures, extra mentions",
        "MUC and CEAF φ3 ignore the size of the entity that extra mentions join",
        extra_mentions,
    ),
    statement(
        MOOSAVI,
        "figures, correct links",
        "recall rises with every correct link; precision stays 100, except for CEAF φ4 and BLANC on parts of entities",
        recall_rises,
    ),
    statement(
        MOOSAVI,
        "figures, correct and wrong links",
        "all mentions are found at every step: mention F1 stays 100",
        mentions_stay,
    ),
    statement(
        MOOSAVI,
        "figures, correct and wrong links",
        "B³, CEAF and BLANC are above 0 without a correct link, MUC and LEA are 0",
        nothing_is_correct,
    ),
    Statement {
        holds: false,
        ..statement(
            MOOSAVI,
            "figures, correct and wrong links",
            "CEAF φ4 falls from 0 to 20% of correct links (in each of four constructions)",
            ceaf_e_falls,
        )
    },
    statement(
        MOOSAVI,
        "figures, correct entities",
        "all but CEAF φ4 rate the larger entities higher than as many smaller ones",
        larger_entities_count_more,
    ),
    statement(
        MOOSAVI,
        "figures, correct entities",
        "BLANC rates them most differently: links grow with the square of the size",
        blanc_is_quadratic,
    ),
    statement(
        MOOSAVI,
        "figures, splits",
        "B³, CEAF φ3, BLANC and LEA lose more by halving a larger entity, CEAF φ4 the same",
        splits_of_sizes,
    ),
    statement(
        MOOSAVI,
        "figures, merges",
        "B³, CEAF φ3, BLANC and LEA lose more by merging larger entities, CEAF φ4 the same",
        merges_of_sizes,
    ),
    statement(
        MOOSAVI,
        "figures, extra mentions",
        "CEAF φ4 loses more where extra mentions join a smaller entity, B³, BLANC and LEA where they join a larger one",
        extra_mentions_by_size,
    ),
    statement(
        MOOSAVI,
        "figures, extra mentions",
        "CEAF φ4 does not depend on the number of extra mentions in a separate entity",
        extra_entities,
    ),
    statement(
        MOOSAVI,
        "figures, mention identification",
        "B³, CEAF and BLANC rise with the mentions that are found, although no link is correct",
        found_mentions_are_rewarded,
    ),
    statement(
        MOOSAVI,
        "all in one entity, each alone",
        "MUC rates all mentions in one entity above the four largest entities; each alone, MUC and LEA are 0",
        boundaries,
    ),
    statement(
        MOOSAVI,
        "figures, mention identification",
        "only MUC and LEA are 0 when no link is correct",
        no_link_is_correct,
    ),
    statement(
        LIN,
        "example",
        "pruned to named mentions G is {A B C}, O1 is {A B} and O2 is {A C} {B}",
        cone_prunes,
    ),
    statement(
        LIN,
        "example, by hand",
        "CONE B³ and CONE CEAF equal B³ and CEAF of the pruned sides",
        cone_scores,
    ),
    statement(
        LIN,
        "definition",
        "an entity without a named mention is dropped; if all mentions are named, CONE equals B³ and CEAF",
        cone_of_all_and_none,
    ),
];

/// Returns the example of Lin et al.: the key and both responses, where A B C are 0 1 2 and named, and 1 2 3
/// 4 are 3 4 5 6.
fn cone_example() -> [Entities; 3] {
    [vec![vec![0, 1, 2, 3, 4, 5, 6]], vec![vec![0, 1, 3, 4, 5]], vec![vec![0, 2, 3, 4, 6], vec![1, 5]]]
}

/// Returns whether a mention of the example is a letter.
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
    let text =
        found.map(|(key, response, shared)| format!("{key:?} against {response:?}, shared {shared:?}"));
    Ok((holds, format!("sizes {}", text.join("; "))))
}

fn cone_scores() -> Result<(bool, String)> {
    let [key, first, second] = cone_example();
    let mut texts = Vec::new();
    let mut holds = true;
    // Recall, precision and F1, computed by hand.
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

/// Returns whether two numbers are equal except for rounding.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-12
}

fn same_score(one: Score, other: Score) -> bool {
    same(one.recall, other.recall) && same(one.precision, other.precision) && same(one.f1, other.f1)
}

fn percent(number: f64) -> String {
    format!("{:.2}", 100.0 * number)
}

/// Three of the sixteen trees that connect A, B, C and D.
fn trees() -> Result<(bool, String)> {
    let mut muc = Vec::new();
    let mut written = Vec::new();
    for key in ["A-B B-C B-D", "A-C A-D B-C", "A-B C-D A-C"] {
        let found = Scored::new(key, "A-B C-D")?;
        muc.push(found.result("muc")?);
        written.push(found.result("links_as_written")?);
    }
    let counts = |recalls: &[MetricResult]| -> Vec<String> {
        recalls.iter().map(|result| value(result, PrintedPart::Recall).counts.unwrap_or_default()).collect()
    };
    let (muc, written) = (counts(&muc), counts(&written));
    let holds = muc == ["2/3"; 3] && written == ["1/3", "0/3", "2/3"];
    Ok((holds, format!("three trees: MUC {}; links as written {}", muc.join(", "), written.join(", "))))
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

/// Returns Luo's responses as the documents of one corpus.
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

/// Returns the coreference links and the other links of a set of entities, each with the smaller mention first.
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
    let mut found = Vec::new();
    let mut shown = Vec::new();
    for (key, response) in [("{a}", "{a}"), ("{a}", "{a b}"), ("{a b}", "{a} {b}")] {
        let recall = Scored::new(key, response)?.result("lea")?.score.recall;
        shown.push(format!("{key} by {response} {recall}"));
        found.push(recall);
    }
    Ok((found == [1.0, 0.0, 0.0], shown.join("; ")))
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
    Ok((holds, format!("at 40%: {}", shown.join(", "))))
}

fn recall_rises() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for metric in ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
        let mut recalls = Vec::new();
        for percentage in (0..=100).step_by(10) {
            let found = score(&correct_links(percentage).0, metric)?;
            // While the response has a single entity, it has no non-coreference links for BLANC's precision.
            let precise =
                percentage == 0 || matches!(metric, "ceaf_e" | "blanc") || same(found.precision, 1.0);
            holds &= precise;
            recalls.push(found.recall);
        }
        holds &= recalls.is_sorted_by(|one, next| one < next);
        shown.push(format!(
            "{} {}",
            Metric::parse(metric)?.label(),
            [2, 5, 8].map(|step| percent(recalls[step])).join(" ")
        ));
    }
    Ok((holds, format!("recall at 20, 50, 80%: {}", shown.join("; "))))
}

fn mentions_stay() -> Result<(bool, String)> {
    let mut holds = true;
    for percentage in (0..=100).step_by(10) {
        for way in &WRONG_LINKS {
            holds &= same(score(&with_wrong_links(percentage, way), "mentions")?.f1, 1.0);
        }
    }
    Ok((holds, format!("in {} responses of {} constructions", 11 * WRONG_LINKS.len(), WRONG_LINKS.len())))
}

fn nothing_is_correct() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for metric in ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
        for way in &WRONG_LINKS {
            let f1 = score(&with_wrong_links(0, way), metric)?.f1;
            holds &= (f1 == 0.0) == matches!(metric, "muc" | "lea");
        }
        let f1 = score(&correct_and_wrong_links(0), metric)?.f1;
        shown.push(format!("{} {}", Metric::parse(metric)?.label(), percent(f1)));
    }
    Ok((holds, format!("at 0%: {}", shown.join(", "))))
}

/// Returns whether CEAF φ4 falls in each of the constructions. The last one combines two constructions, at the change from
/// one to the other.
fn ceaf_e_falls() -> Result<(bool, String)> {
    let mut falls = 0;
    let mut shown = Vec::new();
    let at = |percentage: usize, way: usize| -> Result<f64> {
        Ok(score(&with_wrong_links(percentage, &WRONG_LINKS[way]), "ceaf_e")?.f1)
    };
    for (place, way) in WRONG_LINKS.iter().enumerate() {
        let (none, some) = (at(0, place)?, at(20, place)?);
        falls += usize::from(some < none);
        shown.push(format!("{} {} → {}", way.name, percent(none), percent(some)));
    }
    let (few, pairs) = (1, 2);
    let change = format!(
        "from {} at 0% to {} at 20% {} → {}",
        WRONG_LINKS[pairs].name,
        WRONG_LINKS[few].name,
        percent(at(0, pairs)?),
        percent(at(20, few)?)
    );
    let all = WRONG_LINKS.len();
    Ok((falls == all, format!("falls in {falls} of {all}: {}; {change}", shown.join(", "))))
}

fn larger_entities_count_more() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for metric in ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
        for number in 1..SIZES.len() {
            let [large, small] = correct_entities(number).map(|response| score(&response, metric));
            let (large, small) = (large?.f1, small?.f1);
            holds &= if metric == "ceaf_e" { same(large, small) } else { large > small };
            if number == 3 {
                shown.push(format!(
                    "{} {} and {}",
                    Metric::parse(metric)?.label(),
                    percent(large),
                    percent(small)
                ));
            }
        }
    }
    Ok((holds, format!("F1 of the three largest and of the three smallest: {}", shown.join(", "))))
}

fn blanc_is_quadratic() -> Result<(bool, String)> {
    let mut found = Vec::new();
    for metric in ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
        let [large, small] = correct_entities(3).map(|response| score(&response, metric));
        found.push((large?.f1 / small?.f1, Metric::parse(metric)?.label()));
    }
    let most = found.iter().map(|pair| pair.0).fold(0.0, f64::max);
    let holds = found.iter().all(|(ratio, label)| (*ratio == most) == (label == "BLANC"));
    let shown: Vec<String> = found.iter().map(|(ratio, label)| format!("{label} {ratio:.1}")).collect();
    Ok((holds, format!("F1 of the three largest by that of the three smallest: {}", shown.join(", "))))
}

/// Returns whether the first of two responses loses more, except in CEAF φ4, where both must lose the same.
fn lose_more(larger: &Entities, smaller: &Entities, names: &str) -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for metric in ["b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
        let (larger, smaller) = (score(larger, metric)?.f1, score(smaller, metric)?.f1);
        holds &= if metric == "ceaf_e" { same(larger, smaller) } else { larger < smaller };
        shown.push(format!(
            "{} {} and {}",
            Metric::parse(metric)?.label(),
            percent(larger),
            percent(smaller)
        ));
    }
    Ok((holds, format!("F1 of {names}: {}", shown.join(", "))))
}

fn splits_of_sizes() -> Result<(bool, String)> {
    lose_more(&split(&[10, 10]), &split(&[2, 2]), "10-10 and 2-2")
}

fn merges_of_sizes() -> Result<(bool, String)> {
    lose_more(&merge(&[10, 10]), &merge(&[2, 2]), "10-10 and 2-2")
}

fn extra_mentions_by_size() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for metric in ["b_cubed", "ceaf_e", "blanc", "lea"] {
        let f1 = [2, 5, 10, 20].map(|size| Ok(score(&extra(2, size), metric)?.f1));
        let f1 = f1.into_iter().collect::<Result<Vec<f64>>>()?;
        holds &= if metric == "ceaf_e" {
            f1.is_sorted_by(|one, next| one < next)
        } else {
            f1.is_sorted_by(|one, next| one > next)
        };
        let f1: Vec<String> = f1.into_iter().map(percent).collect();
        shown.push(format!("{} {}", Metric::parse(metric)?.label(), f1.join(" ")));
    }
    Ok((holds, format!("F1 with 2 in an entity of 2, 5, 10, 20: {}", shown.join("; "))))
}

fn extra_entities() -> Result<(bool, String)> {
    let f1 = [2, 3, 4, 5, 10].map(|number| Ok(score(&extra(number, 0), "ceaf_e")?.f1));
    let f1 = f1.into_iter().collect::<Result<Vec<f64>>>()?;
    let holds = f1.iter().all(|&one| same(one, f1[0]));
    let f1: Vec<String> = f1.into_iter().map(percent).collect();
    Ok((holds, format!("F1 with an entity of 2, 3, 4, 5, 10: {}", f1.join(" "))))
}

fn found_mentions_are_rewarded() -> Result<(bool, String)> {
    let mut holds = true;
    let mut shown = Vec::new();
    for metric in ["b_cubed", "ceaf_m", "ceaf_e", "blanc"] {
        let f1 = [20, 40, 60, 80, 100].map(|found| Ok(score(&mention_identification(found), metric)?.f1));
        let f1 = f1.into_iter().collect::<Result<Vec<f64>>>()?;
        holds &= f1.is_sorted_by(|one, next| one < next);
        let f1: Vec<String> = f1.into_iter().map(percent).collect();
        shown.push(format!("{} {}", Metric::parse(metric)?.label(), f1.join(" ")));
    }
    Ok((holds, format!("F1 at 20 to 100%: {}", shown.join("; "))))
}

fn boundaries() -> Result<(bool, String)> {
    let one: Entities = vec![key().into_iter().flatten().collect()];
    let alone: Entities = key().into_iter().flatten().map(|mention| vec![mention]).collect();
    let largest = correct_entities(4)[0].clone();
    let mut holds = score(&one, "muc")?.f1 > score(&largest, "muc")?.f1;
    let mut shown = Vec::new();
    for metric in ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
        let scores = [score(&one, metric)?.f1, score(&alone, metric)?.f1, score(&largest, metric)?.f1];
        holds &= (scores[1] == 0.0) == matches!(metric, "muc" | "lea");
        shown.push(format!("{} {}", Metric::parse(metric)?.label(), scores.map(percent).join(" ")));
    }
    Ok((holds, format!("F1 of one entity, of all alone, of the four largest: {}", shown.join("; "))))
}

/// Returns the first entities of the key in order of decreasing size, and of increasing size.
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

fn ceaf_e_ignores_sizes() -> Result<(bool, String)> {
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

/// Returns whether a part of MUC's score depends only on the number of pieces, and the value for each number.
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
