// Arcs between mentions: links that a system missed, and links that it made and should not have.

export interface Arc {
  from: HTMLElement;
  to: HTMLElement;
  kind: "missed" | "wrong";
}

const NS = "http://www.w3.org/2000/svg";

/** Draws arcs from anaphors to antecedents over the text. */
export function drawArcs(svg: SVGSVGElement, over: HTMLElement, arcs: Arc[]): void {
  svg.replaceChildren();
  if (arcs.length === 0) return;
  const origin = over.getBoundingClientRect();
  svg.setAttribute("width", String(over.clientWidth));
  svg.setAttribute("height", String(over.scrollHeight));
  for (const { from, to, kind } of arcs) {
    const a = from.getClientRects()[0];
    const b = to.getClientRects()[0];
    if (!a || !b) continue;
    const start = { x: a.left + Math.min(a.width / 2, 24) - origin.left, y: a.top - origin.top };
    const sameLine = Math.abs(a.top - b.top) < a.height / 2;
    const end = { x: b.left + b.width / 2 - origin.left, y: (sameLine ? b.top : b.top < a.top ? b.bottom : b.top) - origin.top };
    let path: string;
    if (sameLine) {
      const height = Math.min(30, 8 + Math.abs(start.x - end.x) / 8);
      path = `M${start.x} ${start.y}C${start.x} ${start.y - height} ${end.x} ${end.y - height} ${end.x} ${end.y}`;
    } else {
      const bend = Math.max(18, Math.abs(start.y - end.y) * 0.4);
      const into = b.top < a.top ? 1 : -1;
      path = `M${start.x} ${start.y}C${start.x} ${start.y - bend} ${end.x} ${end.y + into * bend} ${end.x} ${end.y}`;
    }
    const group = document.createElementNS(NS, "g");
    group.setAttribute("class", `arc ${kind}`);
    for (const layer of ["halo", "line"]) {
      const line = document.createElementNS(NS, "path");
      line.setAttribute("class", layer);
      line.setAttribute("d", path);
      group.append(line);
    }
    const dot = document.createElementNS(NS, "circle");
    dot.setAttribute("cx", String(end.x));
    dot.setAttribute("cy", String(end.y));
    dot.setAttribute("r", "3.5");
    group.append(dot);
    const label = document.createElementNS(NS, "text");
    label.setAttribute("x", String(start.x + 4));
    label.setAttribute("y", String(start.y - 4));
    label.textContent = kind;
    group.append(label);
    svg.append(group);
  }
}
