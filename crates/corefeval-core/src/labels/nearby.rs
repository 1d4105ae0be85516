//! Renumbers entities so that those that share mentions are close in memory.
//!
//! Entities are numbered in the order of their tables, so those of one component may be scattered among tens of
//! millions. Every metric would miss the cache on almost every size that it reads. Renumbering incurs these misses
//! only once, and prefetches the items.

use corefeval_metrics::overlap::Cell;
use corefeval_system::memory::{fetch, with_room, zeros};

/// The number of cells or entities between prefetching a place and using it.
const AHEAD: usize = 16;

/// A table with renumbered entities.
#[derive(Debug, PartialEq)]
pub(super) struct Nearby {
    pub(super) key_sizes: Vec<u32>,
    pub(super) response_sizes: Vec<u32>,
    /// The cells, sorted by key entity, then by response entity.
    pub(super) cells: Vec<Cell>,
}

/// Numbers the entities of each component one after another. Components are in the order of their first key entity, and
/// the entities of a component keep their order. Response entities without a cell come last.
pub(super) fn nearby(key_sizes: Vec<u32>, response_sizes: Vec<u32>, cells: Vec<Cell>) -> Nearby {
    let firsts = First::of(key_sizes.len(), response_sizes.len(), &cells);
    let (new_keys, new_responses) = firsts.numbers();
    let new_sizes = |sizes: Vec<u32>, numbers: Vec<u32>| {
        let mut new: Vec<u32> = zeros(sizes.len());
        for (place, (&size, &number)) in sizes.iter().zip(&numbers).enumerate() {
            fetch_later(&new, &numbers, place);
            new[number as usize] = size;
        }
        new
    };
    let cells = moved(cells, &new_keys, &new_responses);
    Nearby {
        key_sizes: new_sizes(key_sizes, new_keys),
        response_sizes: new_sizes(response_sizes, new_responses),
        cells,
    }
}

/// The first key entity of the component of each entity.
struct First {
    keys: usize,
    /// A union-find forest over the key entities, followed by the response entities. A value is the parent's number
    /// plus one, and 0 marks a root. A parent has a smaller number than its child. Once built, each value is the root's
    /// number plus one, or the number of key entities plus one for a response entity without cells.
    above: Vec<u32>,
}

impl First {
    fn of(keys: usize, responses: usize, cells: &[Cell]) -> First {
        let mut firsts = First { keys, above: zeros(keys + responses) };
        for (place, cell) in cells.iter().enumerate() {
            if let Some(later) = cells.get(place + AHEAD) {
                fetch(&firsts.above, keys + later.response as usize);
            }
            let (one, other) = (firsts.root(cell.key as usize), firsts.root(keys + cell.response as usize));
            if one != other {
                firsts.above[one.max(other)] = one.min(other) as u32 + 1;
            }
        }
        // A parent has a smaller number, so its value is already final.
        for entity in 0..firsts.above.len() {
            if let Some(&later) = firsts.above.get(entity + AHEAD) {
                fetch(&firsts.above, later.wrapping_sub(1) as usize);
            }
            firsts.above[entity] = match firsts.above[entity] {
                0 => entity.min(keys) as u32 + 1,
                above => firsts.above[above as usize - 1],
            };
        }
        firsts
    }

    fn root(&mut self, mut entity: usize) -> usize {
        loop {
            let above = self.above[entity];
            if above == 0 {
                return entity;
            }
            let next = self.above[above as usize - 1];
            if next == 0 {
                return above as usize - 1;
            }
            // Halves the path.
            self.above[entity] = next;
            entity = next as usize - 1;
        }
    }

    /// Returns the new numbers of key entities and of response entities.
    fn numbers(self) -> (Vec<u32>, Vec<u32>) {
        let (keys, responses) = self.above.split_at(self.keys);
        let mut places: Vec<u32> = zeros(self.keys + 1);
        let mut numbers = |firsts: &[u32]| {
            // Response entities without cells are counted at the last place.
            let component = |first: u32| first as usize - 1;
            places.fill(0);
            for (place, &first) in firsts.iter().enumerate() {
                if let Some(&later) = firsts.get(place + AHEAD) {
                    fetch(&places, component(later));
                }
                places[component(first)] += 1;
            }
            let mut sum = 0;
            for place in &mut places {
                sum += std::mem::replace(place, sum);
            }
            let mut numbers: Vec<u32> = zeros(firsts.len());
            for (place, &first) in firsts.iter().enumerate() {
                if let Some(&later) = firsts.get(place + AHEAD) {
                    fetch(&places, component(later));
                }
                let next = &mut places[component(first)];
                numbers[place] = *next;
                *next += 1;
            }
            numbers
        };
        (numbers(keys), numbers(responses))
    }
}

/// Returns the cells with new numbers, sorted.
fn moved(cells: Vec<Cell>, new_keys: &[u32], new_responses: &[u32]) -> Vec<Cell> {
    // The start of the cells of each key entity, by its new number.
    let mut places: Vec<u32> = zeros(new_keys.len());
    for cell in &cells {
        places[new_keys[cell.key as usize] as usize] += 1;
    }
    let mut sum = 0;
    for place in &mut places {
        sum += std::mem::replace(place, sum);
    }
    let mut moved = with_room(cells.len());
    moved.resize(cells.len(), Cell { key: 0, response: 0, shared: 0 });
    for (place, cell) in cells.iter().enumerate() {
        if let Some(later) = cells.get(place + 2 * AHEAD) {
            fetch(new_responses, later.response as usize);
            fetch(&places, new_keys[later.key as usize] as usize);
        }
        if let Some(later) = cells.get(place + AHEAD) {
            fetch(&moved, places[new_keys[later.key as usize] as usize] as usize);
        }
        let (key, response) = (new_keys[cell.key as usize], new_responses[cell.response as usize]);
        let next = &mut places[key as usize];
        moved[*next as usize] = Cell { key, response, shared: cell.shared };
        *next += 1;
    }
    drop(cells);
    for row in moved.chunk_by_mut(|a, b| a.key == b.key) {
        row.sort_unstable_by_key(|cell| cell.response);
    }
    moved
}

/// Prefetches the item that the number [`AHEAD`] places ahead refers to.
fn fetch_later(items: &[u32], numbers: &[u32], place: usize) {
    if let Some(&later) = numbers.get(place + AHEAD) {
        fetch(items, later as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::names::mixed;

    fn cell(key: u32, response: u32, shared: u32) -> Cell {
        Cell { key, response, shared }
    }

    #[test]
    fn components_are_numbered_one_after_another() {
        // Two components, {0, 3 | 2} and {1 | 3, 0}; 2 is alone in the key, and 1 in the response.
        let cells = vec![cell(0, 2, 5), cell(1, 0, 1), cell(1, 3, 2), cell(3, 2, 4)];
        let wanted = Nearby {
            key_sizes: vec![6, 4, 3, 7],
            response_sizes: vec![9, 1, 2, 8],
            cells: vec![cell(0, 0, 5), cell(1, 0, 4), cell(2, 1, 1), cell(2, 2, 2)],
        };
        assert_eq!(nearby(vec![6, 3, 7, 4], vec![1, 8, 9, 2], cells), wanted);
        let empty = Nearby { key_sizes: vec![1], response_sizes: vec![2], cells: Vec::new() };
        assert_eq!(nearby(vec![1], vec![2], Vec::new()), empty);
    }

    #[test]
    fn the_table_stays_the_same() {
        for round in 0..200_u64 {
            let random =
                |number: u64, below: u64| mixed(u128::from(round) << 32 | u128::from(number)) % below;
            let (keys, responses) = (1 + random(0, 60), 1 + random(1, 60));
            let mut cells: Vec<Cell> = (0..random(2, 120))
                .map(|number| (random(10 + number, keys), random(1000 + number, responses)))
                .map(|(key, response)| cell(key as u32, response as u32, 1 + (key * response % 7) as u32))
                .collect();
            cells.sort_unstable_by_key(|cell| (cell.key, cell.response));
            cells.dedup();
            // The sizes identify the entities.
            let key_sizes: Vec<u32> = (0..keys as u32).map(|key| 100 + key).collect();
            let response_sizes: Vec<u32> = (0..responses as u32).map(|response| 1000 + response).collect();
            let new = nearby(key_sizes.clone(), response_sizes.clone(), cells.clone());
            assert!(new.cells.is_sorted_by_key(|cell| (cell.key, cell.response)));
            let mut back: Vec<Cell> = new
                .cells
                .iter()
                .map(|found| {
                    let sizes =
                        (new.key_sizes[found.key as usize], new.response_sizes[found.response as usize]);
                    cell(sizes.0 - 100, sizes.1 - 1000, found.shared)
                })
                .collect();
            back.sort_unstable_by_key(|cell| (cell.key, cell.response));
            assert_eq!(back, cells, "round {round}");
            let sorted = |sizes: &[u32]| {
                let mut sizes = sizes.to_vec();
                sizes.sort_unstable();
                sizes
            };
            assert_eq!(sorted(&new.key_sizes), key_sizes, "round {round}");
            assert_eq!(sorted(&new.response_sizes), response_sizes, "round {round}");
            // The cells of a component are adjacent: no later cell has an entity of an earlier component.
            let parts = corefeval_metrics::assignment::components(
                key_sizes.len(),
                response_sizes.len(),
                new.cells.iter().map(|cell| (cell.key, cell.response)),
            );
            let mut place = 0;
            for part in parts.iter() {
                let mut part = part.to_vec();
                part.sort_unstable();
                let wanted: Vec<u32> = (place..place + part.len() as u32).collect();
                assert_eq!(part, wanted, "round {round}");
                place += part.len() as u32;
            }
        }
    }
}
