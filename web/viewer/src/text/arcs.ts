// Arcs between mentions: missed links and wrong links of a system.

export interface Arc {
  from: HTMLElement;
  to: HTMLElement;
  kind: "missed" | "wrong";
  /** A description of the link, for screen readers. */
  name: string;
}

const NS = "http://www.w3.org/2000/svg";

/** The space between the lanes of arcs, and their number. */
const LANE = 2.5;
const LANES = 3;

/** An arc with the places of its ends, in pixels from the corner of the drawing. */
interface Measured {
  arc: Arc;
  start: Point;
  end: Point;
  /** Half the widths of the two mentions, up to a limit: their ends can be moved by this much. */
  room: [start: number, end: number];
  /** The edge of the text, beside which arcs pass the lines between two mentions. */
  margin: number;
  sameLine: boolean;
  above: boolean;
  /** The space between the two lines of text, if one is directly below the other. */
  between: number | undefined;
  lane: number;
}

type Point = [x: number, y: number];

/**
 * Draws arcs from anaphors to antecedents, between the lines of the text and next to it, not over words. Missed links are
 * solid lines that end in a dot, wrong links are dashed lines that end in a cross. Each starts at its label. Arcs of one
 * mention have different lanes.
 */
export function drawArcs(svg: SVGSVGElement, over: HTMLElement, arcs: Arc[]): void {
  svg.replaceChildren();
  if (arcs.length === 0) return;
  svg.setAttribute("width", String(over.scrollWidth));
  svg.setAttribute("height", String(over.scrollHeight));
  // The text can be narrower than the space for it, so places are measured from the drawing.
  const origin = svg.getBoundingClientRect();
  const sides = [over, svg.parentElement!].map((element) => element.getBoundingClientRect());
  const onward = over.dir === "rtl" ? -1 : 1;
  const measured = arcs.flatMap((arc) => measure(arc, origin, onward) ?? []);
  chooseLanes(measured, onward);
  const labels: SVGTextElement[] = [];
  for (const { arc: { kind, name }, start, end, margin, sameLine, above, between, lane } of measured) {
    const away = 5 + lane * LANE;
    const points: Point[] = [start];
    if (sameLine || between !== undefined) {
      // All lanes are between the two lines of text.
      const share = between === undefined ? 1 : Math.min(1, Math.max(0, between - 2) / (5 + (LANES - 1) * LANE));
      const y = start[1] - away * share;
      points.push([start[0], y], [end[0], y]);
    } else {
      const x = margin - onward * (away + 2);
      const y = above ? end[1] + away : end[1] - away;
      points.push([start[0], start[1] - away], [x, start[1] - away], [x, y], [end[0], y]);
    }
    points.push(end);
    const path = rounded(points);
    const group = document.createElementNS(NS, "g");
    group.setAttribute("class", `arc ${kind}`);
    group.setAttribute("role", "img");
    group.setAttribute("aria-label", name);
    for (const layer of ["halo", "line"]) {
      const element = document.createElementNS(NS, "path");
      element.setAttribute("class", layer);
      element.setAttribute("d", path);
      group.append(element);
    }
    const shape = document.createElementNS(NS, "path");
    shape.setAttribute("class", "end");
    shape.setAttribute("d", endOf(kind, ...end));
    group.append(shape);
    svg.append(group);
    const label = document.createElementNS(NS, "text");
    label.setAttribute("direction", "ltr");
    label.setAttribute("class", `arclabel ${kind}`);
    label.setAttribute("aria-hidden", "true");
    label.textContent = kind;
    labels.push(label);
  }
  // Labels are above all lines.
  svg.append(...labels);
  placeLabels(labels, measured, [Math.min(...sides.map(({ left }) => left)) - origin.left, Math.max(...sides.map(({ right }) => right)) - origin.left], onward);
}

function measure(arc: Arc, origin: DOMRect, onward: number): Measured | undefined {
  const a = arc.from.getClientRects()[0];
  const b = arc.to.getClientRects()[0];
  const line = arc.from.closest(".line")?.getBoundingClientRect();
  if (!a || !b || !line) return undefined;
  const room = (box: DOMRect) => Math.min(box.width / 2, 16);
  const middle = (box: DOMRect) => (onward > 0 ? box.left : box.right) + onward * room(box) - origin.left;
  const sameLine = Math.abs(a.top - b.top) < a.height / 2;
  const above = b.top < a.top;
  const between = a.top - b.bottom;
  return {
    arc,
    start: [middle(a), a.top - origin.top],
    end: [middle(b), (!sameLine && above ? b.bottom : b.top) - origin.top],
    room: [room(a), room(b)],
    margin: (onward > 0 ? line.left : line.right) - origin.left,
    sameLine,
    above,
    between: !sameLine && above && between < a.height * 1.5 ? between : undefined,
    lane: 0,
  };
}

/**
 * Gives arcs that start at one place different lanes, if possible not adjacent ones, and those that end at one place if there
 * are enough lanes.
 */
function chooseLanes(measured: Measured[], onward: number): void {
  const near = (a: Point, b: Point) => Math.abs(a[0] - b[0]) < 10 && Math.abs(a[1] - b[1]) < 10;
  const places = measured.map(({ start, end }) => ({ start: [...start] as Point, end: [...end] as Point }));
  measured.forEach((one, index) => {
    const taken = new Array<number>(LANES).fill(0);
    const { start, end } = places[index]!;
    let starts = 0;
    for (let before = 0; before < index; before++) {
      const other = places[before]!;
      const { lane } = measured[before]!;
      if (near(start, other.start)) {
        taken[lane]! += 100;
        for (const next of [lane - 1, lane + 1]) if (next in taken) taken[next]! += 10;
        starts += 1;
      } else if (near(end, other.end) || near(start, other.end) || near(end, other.start)) taken[lane]! += 1;
    }
    for (let step = 0, least = Infinity; step < LANES; step++) {
      const lane = (index + step) % LANES;
      if (taken[lane]! < least) {
        least = taken[lane]!;
        one.lane = lane;
      }
    }
    // Ends of different lanes are next to each other, within their mentions.
    one.start[0] -= onward * Math.min(starts * 5, one.room[0]);
    one.end[0] += onward * Math.min(one.lane * 3, one.room[1]);
  });
}

/** Places labels at the starts of their arcs, after or before them, so that none is outside the canvas or covers another. */
function placeLabels(labels: SVGTextElement[], measured: Measured[], [left, right]: [number, number], onward: number): void {
  const widths = new Map<string, number>();
  const taken: { left: number; right: number; y: number }[] = [];
  labels.forEach((label, index) => {
    const { arc, start: [x, top] } = measured[index]!;
    const width = widths.get(arc.kind) ?? label.getComputedTextLength();
    widths.set(arc.kind, width);
    const y = top - 3;
    const covered = (at: number) => taken.find((other) => Math.abs(other.y - y) < 15 && at < other.right + 5 && other.left < at + width + 5);
    const inside = (at: number) => at >= left && at + width <= right;
    /** The first free place in a direction. */
    const free = (direction: number) => {
      let at = direction > 0 ? x + 4 : x - 4 - width;
      for (let other = covered(at); other && inside(at); other = covered(at)) at = direction > 0 ? other.right + 6 : other.left - 6 - width;
      return at;
    };
    const at = [free(onward), free(-onward)].find(inside) ?? Math.max(left, Math.min(right - width, x + 4));
    taken.push({ left: at, right: at + width, y });
    label.setAttribute("x", String(at));
    label.setAttribute("y", String(y));
  });
}

/** The shape at the antecedent: a dot for a missed link, a cross for a wrong link. */
export function endOf(kind: Arc["kind"], x: number, y: number): string {
  if (kind === "missed") return `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z`;
  return `M${x - 3.5} ${y - 3.5}L${x + 3.5} ${y + 3.5}M${x - 3.5} ${y + 3.5}L${x + 3.5} ${y - 3.5}`;
}

/** Returns a path through points with round corners. */
function rounded(points: [number, number][]): string {
  let path = `M${points[0]![0]} ${points[0]![1]}`;
  for (let i = 1; i < points.length - 1; i++) {
    const [before, corner, after] = [points[i - 1]!, points[i]!, points[i + 1]!];
    const inward = toward(corner, before);
    const outward = toward(corner, after);
    path += `L${inward[0]} ${inward[1]}Q${corner[0]} ${corner[1]} ${outward[0]} ${outward[1]}`;
  }
  const last = points[points.length - 1]!;
  return `${path}L${last[0]} ${last[1]}`;
}

/** Returns the point at the corner's radius from it, at most halfway. */
function toward(from: [number, number], to: [number, number]): [number, number] {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const share = length === 0 ? 0 : Math.min(5, length / 2) / length;
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}
