//! Two partitions of some mentions: every metric with a plain twin returns the same counts as fractions.
#![no_main]

#[path = "../../crates/corefeval-core/tests/it/twins/mod.rs"]
mod twins;

use arbitrary::Arbitrary;
use corefeval_metrics::score;
use libfuzzer_sys::fuzz_target;
use num_traits::ToPrimitive;
use twins::TWINS;

/// The entity of each mention on both sides; 0 if a side lacks it.
#[derive(Arbitrary, Debug)]
struct Case(Vec<(u8, u8)>);

const ENTITIES: usize = 5;
const MENTIONS: usize = 24;

fn entities(case: &[(u8, u8)], side: impl Fn(&(u8, u8)) -> u8) -> Vec<Vec<u32>> {
    let mut entities = vec![Vec::new(); ENTITIES];
    for (mention, places) in (0..).zip(case) {
        let entity = usize::from(side(places)) % (ENTITIES + 1);
        if entity > 0 {
            entities[entity - 1].push(mention);
        }
    }
    entities.retain(|entity| !entity.is_empty());
    entities
}

fuzz_target!(|case: Case| {
    let mentions = &case.0[..case.0.len().min(MENTIONS)];
    let (key, response) = (entities(mentions, |places| places.0), entities(mentions, |places| places.1));
    let names: Vec<&str> = TWINS.iter().map(|twin| twin.id).collect();
    let found = score(&key, &response, &names).expect("no mention is repeated");
    for (twin, found) in TWINS.iter().zip(&found) {
        let wanted = twin.evaluate(&key, &response).1;
        let pairs = [
            (found.score.recall, &wanted.recall),
            (found.score.precision, &wanted.precision),
            (found.score.f1, &wanted.f1),
        ];
        for (found, wanted) in pairs {
            let wanted = wanted.to_f64().expect("a finite fraction");
            assert!((found - wanted).abs() < 1e-9, "{}: {found} {wanted}", twin.id);
        }
    }
});
