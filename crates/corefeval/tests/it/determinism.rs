//! The same input gives the same bytes, for any number of threads and any order of documents and entities.

use std::fmt::Write as _;

use crate::common::{command, file, run};

/// Pseudorandom numbers, the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Documents as lists of entities with the first and the last word of each mention, without repeated mentions.
type Documents = Vec<Vec<Vec<(u64, u64)>>>;

const WORDS: u64 = 60;

fn documents(seed: u64) -> Documents {
    let mut numbers = Numbers(seed);
    let document = |numbers: &mut Numbers| {
        let mut entities: Vec<Vec<(u64, u64)>> = vec![Vec::new(); 9];
        let mut seen = Vec::new();
        for _ in 0..40 {
            let start = numbers.below(WORDS);
            let mention = (start, (start + numbers.below(4)).min(WORDS - 1));
            let entity: &mut Vec<(u64, u64)> = &mut entities[numbers.below(9) as usize];
            // Crossing brackets of one entity would close the wrong mention.
            let crosses =
                |one: &(u64, u64), other: &(u64, u64)| one.0 < other.0 && other.0 <= one.1 && one.1 < other.1;
            let crossing = entity.iter().any(|other| crosses(other, &mention) || crosses(&mention, other));
            if !seen.contains(&mention) && !crossing {
                seen.push(mention);
                entity.push(mention);
            }
        }
        entities
    };
    (0..30).map(|_| document(&mut numbers)).collect()
}

/// Writes the documents in the given order, with entities named by `name`.
fn written(documents: &Documents, order: &[usize], name: impl Fn(usize) -> usize) -> String {
    let mut text = String::new();
    for &place in order {
        let _ = writeln!(text, "#begin document (bc/d{place}); part 000");
        for word in 0..WORDS {
            let mut marks: Vec<String> = Vec::new();
            for (entity, mentions) in documents[place].iter().enumerate() {
                for &(start, end) in mentions {
                    match (start == word, end == word) {
                        (true, true) => marks.push(format!("({})", name(entity))),
                        (true, false) => marks.push(format!("({}", name(entity))),
                        (false, true) => marks.push(format!("{})", name(entity))),
                        _ => {}
                    }
                }
            }
            // Entities have different names, and therefore a different order.
            marks.sort();
            let marks = if marks.is_empty() { "-".to_owned() } else { marks.join("|") };
            let _ = writeln!(text, "bc/d{place}\t0\t{word}\tw{word}\t{marks}");
        }
        text.push_str("\n#end document\n");
    }
    text
}

#[test]
fn threads_change_no_byte() {
    let all: Vec<usize> = (0..30).collect();
    let files: Vec<String> = (1..4)
        .map(|seed| file(&format!("threads-{seed}.conll"), written(&documents(seed), &all, |e| e)))
        .collect();
    let [key, one, two] = files.as_slice() else { panic!("three files") };
    let resampled = ["--resamples", "200", key, one, two];
    let lines: Vec<Vec<&str>> = vec![
        vec!["score", "--by", "document", "-m", "all", "-o", "json", key, one, two],
        vec!["score", "--by", "entity-size", "-o", "markdown", key, one, two],
        [&["compare", "-o", "json"][..], &resampled].concat(),
        [&["compare", "--interval", "percentile", "-o", "csv"][..], &resampled].concat(),
        [&["correlate", "--x", "muc", "--y", "lea", "-o", "json"][..], &resampled].concat(),
        vec!["errors", "-o", "json", key, one],
        vec!["agree", "-o", "json", key, one],
        vec!["report", key, one, two],
    ];
    for line in lines {
        let of = |threads: &str| {
            let output =
                command().args(&line).args(["--threads", threads]).output().expect("the command runs");
            assert_eq!(
                output.status.code(),
                Some(0),
                "{line:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            (output.stdout, output.stderr)
        };
        let wanted = of("1");
        assert!(!wanted.0.is_empty());
        for threads in ["2", "8"] {
            assert!(of(threads) == wanted, "{line:?} differs with {threads} threads");
        }
    }
}

#[test]
fn the_order_of_documents_and_entities_changes_no_byte() {
    let (key, response) = (documents(5), documents(6));
    let in_order: Vec<usize> = (0..30).collect();
    let shuffled = |seed: u64| {
        let (mut order, mut numbers) = (in_order.clone(), Numbers(seed));
        (1..order.len()).rev().for_each(|place| order.swap(place, numbers.below(place as u64 + 1) as usize));
        order
    };
    let scores = |orders: [&[usize]; 2], name: fn(usize) -> usize| {
        let key = file("order-key.conll", written(&key, orders[0], name));
        let response = file("order-response.conll", written(&response, orders[1], name));
        run(&["score", "-m", "all", "-o", "csv", &key, &response], 0).0
    };
    let wanted = scores([&in_order, &in_order], |entity| entity);
    for seed in 0..3 {
        let orders = [shuffled(seed), shuffled(100 + seed)];
        assert_eq!(scores([&orders[0], &orders[1]], |entity| (entity * 7 + 3) % 9), wanted);
    }
}
