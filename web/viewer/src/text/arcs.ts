// Arcs between mentions: missed links and wrong links of a system.

export interface Arc {
  from: HTMLElement;
  to: HTMLElement;
  kind: "missed" | "wrong";
  /** A description of the link, for screen readers. */
  name: string;
}

const NS = "http://www.w3.org/2000/svg";

/**
 * Draws arcs from anaphors to antecedents, between the lines of the text and next to it, not over words. Missed links are
 * solid lines that end in a dot, wrong links are dashed lines that end in a cross. Each starts at its label.
 */
export function drawArcs(svg: SVGSVGElement, over: HTMLElement, arcs: Arc[]): void {
  svg.replaceChildren();
  if (arcs.length === 0) return;
  const origin = over.getBoundingClientRect();
  const rtl = over.dir === "rtl";
  svg.setAttribute("width", String(over.scrollWidth));
  svg.setAttribute("height", String(over.scrollHeight));
  const labels: { label: SVGTextElement; of: HTMLElement }[] = [];
  arcs.forEach(({ from, to, kind, name }, index) => {
    const a = from.getClientRects()[0];
    const b = to.getClientRects()[0];
    const line = from.closest(".line")?.getBoundingClientRect();
    if (!a || !b || !line) return;
    const middle = (box: DOMRect) => (rtl ? box.right - Math.min(box.width / 2, 16) : box.left + Math.min(box.width / 2, 16)) - origin.left;
    const lane = 5 + (index % 3) * 2.5;
    const startX = middle(a);
    const endX = middle(b) + (index % 3) * 3;
    const top = a.top - origin.top;
    const sameLine = Math.abs(a.top - b.top) < a.height / 2;
    const above = b.top < a.top;
    const endY = (sameLine ? b.top : above ? b.bottom : b.top) - origin.top;
    const points: [number, number][] = [[startX, top]];
    // True if one line of text is directly below the other.
    const adjacent = sameLine || (above && a.top - b.bottom < a.height * 0.9);
    if (adjacent) {
      const y = sameLine ? top - lane : Math.max(endY + 2, top - lane);
      points.push([startX, y], [endX, y]);
    } else {
      const margin = (rtl ? line.right + lane + 2 : line.left - lane - 2) - origin.left;
      const y = above ? endY + lane : endY - lane;
      points.push([startX, top - lane], [margin, top - lane], [margin, y], [endX, y]);
    }
    points.push([endX, endY]);
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
    const end = document.createElementNS(NS, "path");
    end.setAttribute("class", "end");
    end.setAttribute("d", endOf(kind, endX, endY));
    const label = document.createElementNS(NS, "text");
    label.setAttribute("x", String(startX + (rtl ? -4 : 4)));
    label.setAttribute("y", String(top - 3));
    label.setAttribute("direction", "ltr");
    if (rtl) label.setAttribute("text-anchor", "end");
    label.setAttribute("class", `arclabel ${kind}`);
    label.setAttribute("aria-hidden", "true");
    label.textContent = kind;
    labels.push({ label, of: from });
    group.append(end);
    svg.append(group);
  });
  // Labels are above all lines. A mention with a missed and a wrong link has two labels, one after the other.
  svg.append(...labels.map(({ label }) => label));
  const taken = new Map<HTMLElement, number>();
  for (const { label, of } of labels) {
    const before = taken.get(of) ?? 0;
    if (before > 0) label.setAttribute("x", String(Number(label.getAttribute("x")) + (rtl ? -before : before)));
    taken.set(of, before + label.getComputedTextLength() + 6);
  }
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
