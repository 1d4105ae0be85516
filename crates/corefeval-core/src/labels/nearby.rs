//! Renumbers entities so that entities that share mentions are close in memory.
//!
//! Entities are numbered in the order of their tables, so the entities of one component may be scattered among tens of
//! millions. Every metric would miss the cache on almost every size that it reads. Renumbering incurs these misses only
//! once, and prefetches the items.
//!
//! New lists reuse the memory of lists that are no longer needed, because new memory may take longer to clear than to
//! fill.

use corefeval_metrics::assignment::Components;
use corefeval_metrics::overlap::{Overlap, OverlapCell};
use corefeval_system::memory::{fetch, with_room, zeros};

use super::cells::{Cells, cell_of};

/// The number of cells or entities between prefetching a place and using it.
const AHEAD: usize = 16;

/// Numbers the entities of each component one after another. Components are in the order of their first key entity, and
/// the entities of a component keep their order. Response entities without a cell come last. Also returns the components
/// of the table.
pub(super) fn nearby(
    key_sizes: Vec<u32>,
    response_sizes: Vec<u32>,
    cells: Cells<'_>,
) -> (Overlap, Components) {
    let NewNumbers { all, mut places, mut starts } =
        FirstEntities::of(key_sizes.len(), response_sizes.len(), &cells).numbers();
    let (new_keys, new_responses) = all.split_at(key_sizes.len());
    let moved = moved(cells, new_keys, new_responses, &mut places);
    let room = with_room(response_sizes.len());
    let new_response_sizes = new_sizes(&response_sizes, new_responses, room);
    let new_key_sizes = new_sizes(&key_sizes, new_keys, response_sizes);
    // The cells of a component start with the cells of its first key entity. A key entity alone has no cells.
    starts.iter_mut().for_each(|start| *start = places[*start as usize]);
    starts.push(moved.len() as u32);
    starts.dedup();
    let overlap = Overlap::of_cells_in(new_key_sizes, new_response_sizes, moved, [places, key_sizes]);
    (overlap, Components::of_runs(starts, all))
}

/// Returns the sizes by new number, in the memory of a list.
fn new_sizes(sizes: &[u32], numbers: &[u32], memory: Vec<u32>) -> Vec<u32> {
    let mut new = memory;
    new.clear();
    new.resize(sizes.len(), 0);
    for (place, (&size, &number)) in sizes.iter().zip(numbers).enumerate() {
        fetch_later(&new, numbers, place);
        new[number as usize] = size;
    }
    new
}

/// The first key entity of the component of each entity.
struct FirstEntities {
    keys: usize,
    /// A union-find forest over the key entities, followed by the response entities. It takes the place of a `Closure`,
    /// whose entries must be filled in first and cannot be fetched in advance: tables have up to 10⁸ rows.
    /// A value is the parent's number plus one, and 0 marks a root. A parent has a smaller number than its child. Once
    /// built, each value is the root's number plus one, or the number of key entities plus one for a response entity
    /// without cells.
    above: Vec<u32>,
}

/// The new numbers of entities.
struct NewNumbers {
    /// The numbers of key entities, followed by the response entities'.
    all: Vec<u32>,
    /// The new number of the first key entity of each component.
    starts: Vec<u32>,
    /// A list with room for each key entity and one more. Its contents are not needed.
    places: Vec<u32>,
}

impl FirstEntities {
    fn of(keys: usize, responses: usize, cells: &Cells<'_>) -> FirstEntities {
        let mut firsts = FirstEntities { keys, above: zeros(keys + responses) };
        cells.runs(|run| {
            for (place, cell) in run.iter().enumerate() {
                if let Some(later) = run.get(place + AHEAD) {
                    fetch(&firsts.above, keys + cell_of(later).response as usize);
                }
                let cell = cell_of(cell);
                let (one, other) =
                    (firsts.root(cell.key as usize), firsts.root(keys + cell.response as usize));
                if one != other {
                    firsts.above[one.max(other)] = one.min(other) as u32 + 1;
                }
            }
        });
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

    /// Replaces the first key entities by the new numbers.
    fn numbers(self) -> NewNumbers {
        let FirstEntities { keys, above: mut all } = self;
        let mut places: Vec<u32> = zeros(keys + 1);
        let mut starts = Vec::new();
        let (of_keys, of_responses) = all.split_at_mut(keys);
        // Response entities without cells are counted at the last place.
        let component = |first: u32| first as usize - 1;
        for firsts in [of_keys, of_responses] {
            let is_key = starts.is_empty();
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
            for place in 0..firsts.len() {
                if let Some(&later) = firsts.get(place + AHEAD) {
                    fetch(&places, component(later));
                }
                let first = component(firsts[place]);
                let next = &mut places[first];
                if is_key && first == place {
                    starts.push(*next);
                }
                firsts[place] = *next;
                *next += 1;
            }
        }
        NewNumbers { all, starts, places }
    }
}

/// Returns the cells with new numbers, sorted, and gives back the memory of the old cells. Replaces `starts`, which has
/// room for each key entity and one more, by the start of the cells of each key entity, and the end.
pub(super) fn moved(
    cells: Cells<'_>,
    new_keys: &[u32],
    new_responses: &[u32],
    starts: &mut [u32],
) -> Vec<OverlapCell> {
    starts.fill(0);
    // First the number of the cells of each key entity, one place later, then their start, then their end.
    let places = &mut starts[1..];
    let mut count = 0;
    cells.runs(|run| {
        run.iter().for_each(|cell| places[new_keys[cell_of(cell).key as usize] as usize] += 1);
        count += run.len();
    });
    let mut sum = 0;
    for place in places.iter_mut() {
        sum += std::mem::replace(place, sum);
    }
    let mut moved = with_room(count);
    moved.resize(count, OverlapCell { key: 0, response: 0, shared: 0 });
    cells.take_runs(|run| {
        for (place, cell) in run.iter().enumerate() {
            if let Some(later) = run.get(place + 2 * AHEAD) {
                let later = cell_of(later);
                fetch(new_responses, later.response as usize);
                fetch(places, new_keys[later.key as usize] as usize);
            }
            if let Some(later) = run.get(place + AHEAD) {
                fetch(&moved, places[new_keys[cell_of(later).key as usize] as usize] as usize);
            }
            let cell = cell_of(cell);
            let (key, response) = (new_keys[cell.key as usize], new_responses[cell.response as usize]);
            let next = &mut places[key as usize];
            moved[*next as usize] = OverlapCell { key, response, shared: cell.shared };
            *next += 1;
        }
    });
    for row in moved.chunk_by_mut(|a, b| a.key == b.key) {
        row.sort_unstable_by_key(|cell| cell.response);
    }
    moved
}

/// Prefetches the item for the number [`AHEAD`] places ahead.
fn fetch_later(items: &[u32], numbers: &[u32], place: usize) {
    if let Some(&later) = numbers.get(place + AHEAD) {
        fetch(items, later as usize);
    }
}

#[cfg(test)]
mod tests {
    use corefeval_metrics::assignment::components;

    use super::*;
    use crate::labels::cells::NewCells;
    use crate::labels::name_codes::mixed;
    use crate::labels::pool::Pool;

    fn cell(key: u32, response: u32, shared: u32) -> OverlapCell {
        OverlapCell { key, response, shared }
    }

    /// Renumbers the entities of cells that are divided among the memory of two threads.
    fn renumbered(key_sizes: &[u32], response_sizes: &[u32], cells: &[OverlapCell]) -> (Overlap, Components) {
        let pool = Pool::new(1 << 10, 2);
        let written = |cells: &[OverlapCell]| {
            let mut new = NewCells::new(&pool);
            cells.iter().for_each(|&cell| new.push(cell));
            new.written()
        };
        let (one, other) = cells.split_at(cells.len() / 3);
        let cells = Cells::new(&pool, vec![written(one), written(other)]);
        nearby(key_sizes.to_vec(), response_sizes.to_vec(), cells)
    }

    #[test]
    fn components_are_numbered_one_after_another() {
        // Two components, {0, 3 | 2} and {1 | 3, 0}; 2 is alone in the key, and 1 in the response.
        let cells = [cell(0, 2, 5), cell(1, 0, 1), cell(1, 3, 2), cell(3, 2, 4)];
        let wanted = Overlap::of_cells(
            vec![6, 4, 3, 7],
            vec![9, 1, 2, 8],
            vec![cell(0, 0, 5), cell(1, 0, 4), cell(2, 1, 1), cell(2, 2, 2)],
        );
        assert_eq!(renumbered(&[6, 3, 7, 4], &[1, 8, 9, 2], &cells).0, wanted);
        let (empty, none) = renumbered(&[1], &[2], &[]);
        assert_eq!(empty, Overlap::of_cells(vec![1], vec![2], Vec::new()));
        assert!(none.is_empty());
    }

    #[test]
    fn the_table_stays_the_same() {
        for round in 0..200_u64 {
            let random =
                |number: u64, below: u64| mixed(u128::from(round) << 32 | u128::from(number)) % below;
            let (keys, responses) = (1 + random(0, 60), 1 + random(1, 60));
            let mut cells: Vec<OverlapCell> = (0..random(2, 120))
                .map(|number| (random(10 + number, keys), random(1000 + number, responses)))
                .map(|(key, response)| cell(key as u32, response as u32, 1 + (key * response % 7) as u32))
                .collect();
            cells.sort_unstable_by_key(|cell| (cell.key, cell.response));
            cells.dedup();
            // The sizes identify the entities.
            let key_sizes: Vec<u32> = (0..keys as u32).map(|key| 100 + key).collect();
            let response_sizes: Vec<u32> = (0..responses as u32).map(|response| 1000 + response).collect();
            let (new, found) = renumbered(&key_sizes, &response_sizes, &cells);
            assert!(new.cells().is_sorted_by_key(|cell| (cell.key, cell.response)));
            let mut back: Vec<OverlapCell> = new
                .cells()
                .iter()
                .map(|found| {
                    let sizes =
                        (new.key_sizes()[found.key as usize], new.response_sizes()[found.response as usize]);
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
            assert_eq!(sorted(new.key_sizes()), key_sizes, "round {round}");
            assert_eq!(sorted(new.response_sizes()), response_sizes, "round {round}");
            // The cells of a component are adjacent: no later cell has an entity of an earlier component.
            let parts = components(
                key_sizes.len(),
                response_sizes.len(),
                new.cells().iter().map(|cell| (cell.key, cell.response)),
            );
            assert_eq!(found, parts, "round {round}");
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
