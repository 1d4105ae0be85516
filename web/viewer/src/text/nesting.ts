// Converts ranges of words to nested segments. Crossing ranges are split, so that segments can be elements.

/** A range of words to show, such as one part of a mention. */
export interface Item<T> { start: number; end: number; value: T }

/** An item or a piece of it, with the segments inside it. */
export interface Segment<T> extends Item<T> {
  /** True if the item starts before this piece. */
  continues: boolean;
  /** True if the item continues after this piece. */
  continued: boolean;
  children: Segment<T>[];
}

/**
 * Nests the items that start in `[start, end)`. Longer items are outside; among equal items, the first is outside. An item
 * is split where it crosses the end of another item or `end`.
 */
export function nest<T>(items: Item<T>[], start: number, end: number): Segment<T>[] {
  const queue: Segment<T>[] = items.map((item) => ({ ...item, continues: false, continued: false, children: [] }));
  const before = (a: Item<T>, b: Item<T>) => a.start - b.start || b.end - a.end;
  queue.sort(before);
  const top: Segment<T>[] = [];
  const stack: Segment<T>[] = [];
  for (let next = 0; next < queue.length; next++) {
    const segment = queue[next]!;
    if (segment.start < start) segment.start = start;
    while (stack.length > 0 && stack[stack.length - 1]!.end <= segment.start) stack.pop();
    const parent = stack[stack.length - 1];
    const limit = parent ? parent.end : end;
    if (segment.end > limit) {
      if (limit < end) {
        const rest: Segment<T> = { ...segment, start: limit, continues: true, children: [] };
        let at = next + 1;
        while (at < queue.length && before(queue[at]!, rest) <= 0) at++;
        queue.splice(at, 0, rest);
      }
      segment.end = limit;
      segment.continued = true;
    }
    (parent ? parent.children : top).push(segment);
    stack.push(segment);
  }
  return top;
}
