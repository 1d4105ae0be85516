// The text of a document as elements: blocks of sentences that are filled when they are near the window.

import { nest, type Item, type Segment } from "./nesting";
import type { DocumentView, EntityView, SideView, Status } from "./model";
import { SINGLE } from "../words";

/** A mention of the key (`side` is -1) or of a system. */
export interface Ref { side: number; mention: number }

export interface Layout {
  /** `overlay`: one text, with the key below the line and the system above it; `columns`: a column for each side. */
  mode: "overlay" | "columns";
  /** The system that the key is compared with. */
  system: number;
  /** The systems with a column. */
  columns: number[];
  /** True if singletons and mentions that are not scored are shown. */
  singletons: boolean;
}

interface Part { start: number; end: number; mention: number; first: boolean; last: boolean }

interface Shown { refs: Ref[]; first: boolean; last: boolean }

const WORDS_IN_BLOCK = 400;

export class TextView {
  readonly document: DocumentView;
  readonly layout: Layout;
  private readonly host: HTMLElement;
  private readonly blocks: { element: HTMLElement; first: number; last: number; filled: boolean }[] = [];
  private readonly parts = new Map<number, Part[][]>();
  private readonly elements = new Map<string, HTMLElement[]>();
  private readonly refs = new WeakMap<Element, Ref[]>();
  private readonly observer: IntersectionObserver;
  private idle = 0;
  private cursorElements: HTMLElement[] = [];
  private selected: HTMLElement[] = [];
  private selection: { side: number; entity: number }[] = [];
  private order: Ref[][] | undefined;

  constructor(host: HTMLElement, document: DocumentView, layout: Layout) {
    this.host = host;
    this.document = document;
    this.layout = layout;
    host.replaceChildren();
    host.dir = document.rtl ? "rtl" : "ltr";
    host.lang = document.body.language ?? "";
    host.className = `words ${layout.mode} ${document.hasSentences ? "" : "no-sentences"}`;
    host.style.setProperty("--columns", String(layout.mode === "columns" ? layout.columns.length + 1 : 1));
    this.observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) if (entry.isIntersecting) this.fill(Number((entry.target as HTMLElement).dataset.block));
      },
      { rootMargin: "1200px 0px" },
    );
    for (let first = 0; first < document.sentences; ) {
      let last = first + 1;
      const start = document.sentence(first)[0];
      while (last < document.sentences && document.sentence(last)[1] - start < WORDS_IN_BLOCK) last++;
      const element = window.document.createElement("div");
      element.className = "block";
      element.dataset.block = String(this.blocks.length);
      const words = document.sentence(last - 1)[1] - start;
      const lines = (words * (layout.mode === "columns" ? 0.1 * (layout.columns.length + 1) : 0.1)) + (last - first) * 0.6;
      element.style.containIntrinsicBlockSize = `auto ${Math.round(lines * 36)}px`;
      element.style.minBlockSize = `${Math.round(lines * 36)}px`;
      host.append(element);
      this.blocks.push({ element, first, last, filled: false });
      first = last;
    }
    for (const { element } of this.blocks) this.observer.observe(element);
    this.fill(0);
    this.fillWhenIdle(1);
  }

  /** Stops filling blocks. The view must not be used afterwards. */
  close(): void {
    this.observer.disconnect();
    cancelIdle(this.idle);
  }

  /** Fills all blocks, for printing. */
  fillAll(): void {
    this.blocks.forEach((_, index) => this.fill(index));
  }

  private fillWhenIdle(next: number): void {
    if (next >= this.blocks.length) return;
    this.idle = whenIdle((deadline) => {
      do this.fill(next++);
      while (next < this.blocks.length && deadline.timeRemaining() > 4);
      this.fillWhenIdle(next);
    });
  }

  private fill(index: number): void {
    const block = this.blocks[index];
    if (!block || block.filled) return;
    block.filled = true;
    this.observer.unobserve(block.element);
    const fragment = window.document.createDocumentFragment();
    for (let sentence = block.first; sentence < block.last; sentence++) fragment.append(this.sentence(sentence));
    block.element.append(fragment);
    block.element.style.minBlockSize = "";
    if (this.selection.length > 0) this.select(this.selection);
  }

  /** The elements of a mention, after their block is filled. */
  elementsOf(ref: Ref): HTMLElement[] {
    const mention = this.document.side(ref.side)?.mentions[ref.mention];
    if (!mention) return [];
    for (const [start] of mention.spans) this.fillSentence(this.document.sentenceOf(start));
    return this.elements.get(name(ref)) ?? [];
  }

  fillSentence(sentence: number): HTMLElement | undefined {
    const index = this.blocks.findIndex((block) => sentence < block.last);
    this.fill(index);
    return this.blocks[index]?.element.querySelector<HTMLElement>(`[data-sentence="${sentence}"]`) ?? undefined;
  }

  /** The mentions of the innermost element around a target, the key's first. */
  refsAt(target: EventTarget | null): Ref[] {
    const element = target instanceof Element ? target.closest(".m") : null;
    return element ? (this.refs.get(element) ?? []) : [];
  }

  /** Marks the mentions of entities and fades the others. */
  select(entities: { side: number; entity: number }[]): void {
    for (const element of this.selected) element.classList.remove("sel");
    this.selection = entities;
    this.selected = entities.flatMap(({ side, entity }) =>
      (this.document.side(side)?.entities[entity]?.mentions ?? []).flatMap((mention) => this.elements.get(name({ side, mention })) ?? []),
    );
    for (const element of this.selected) element.classList.add("sel");
    this.host.classList.toggle("selecting", entities.length > 0);
  }

  /** Puts the cursor on a mention and brings it into view. */
  point(ref: Ref | undefined, scroll = true): void {
    for (const element of this.cursorElements) element.classList.remove("cursor");
    this.cursorElements = ref ? this.elementsOf(ref) : [];
    for (const element of this.cursorElements) element.classList.add("cursor");
    const element = this.cursorElements[0];
    if (element && scroll) bringIntoView(element);
  }

  /** All displayed mentions in text order, with aligned mentions of the overlay together. */
  mentions(): Ref[][] {
    if (this.order) return this.order;
    const rows: { start: number; end: number; refs: Ref[] }[] = [];
    const sides = this.layout.mode === "overlay" ? [-1, this.layout.system] : [-1, ...this.layout.columns];
    const joined = this.layout.mode === "overlay" ? this.document.responses[this.layout.system] : null;
    for (const side of sides) {
      const view = this.document.side(side);
      view?.mentions.forEach((mention, index) => {
        if (!this.isShown(view, index)) return;
        if (joined && side >= 0 && this.isJoined(index)) return;
        const refs: Ref[] = [{ side, mention: index }];
        if (joined && side < 0) {
          const aligned = joined.ofKey[index]!;
          if (aligned >= 0 && this.isJoined(aligned)) refs.push({ side: this.layout.system, mention: aligned });
        }
        rows.push({ start: mention.spans[0]![0], end: mention.spans[mention.spans.length - 1]![1], refs });
      });
    }
    rows.sort((a, b) => a.start - b.start || b.end - a.end);
    this.order = rows.map((row) => row.refs);
    return this.order;
  }

  private isShown(view: SideView, mention: number): boolean {
    if (this.layout.singletons) return true;
    const { entity, ignored } = view.mentions[mention]!;
    return !ignored && !view.entities[entity]!.singleton;
  }

  /** Returns whether a mention of the system is drawn together with the key's mention that it is aligned with. */
  private isJoined(mention: number): boolean {
    const response = this.document.responses[this.layout.system]!;
    const k = response.toKey[mention]!;
    if (k < 0 || !this.isShown(this.document.key, k) || !this.isShown(response, mention)) return false;
    const a = this.document.key.mentions[k]!.spans;
    const b = response.mentions[mention]!.spans;
    return a.length === b.length && a.every((span, i) => span[0] === b[i]![0] && span[1] === b[i]![1]);
  }

  /** Returns whether the overlay draws a mention within or after a part of its counterpart, which has the tag of both. */
  private followsPartner(refs: Ref[]): boolean {
    const response = this.document.responses[this.layout.system];
    const [ref] = refs;
    if (!response || !ref || refs.length > 1) return false;
    const { key } = this.document;
    const isKey = ref.side < 0;
    const partner = isKey ? response.ofKey[ref.mention]! : response.toKey[ref.mention]!;
    const [own, other] = isKey ? [key, response] : [response, key];
    if (partner < 0 || !this.isShown(other, partner)) return false;
    const [a, b] = [own.mentions[ref.mention]!.spans, other.mentions[partner]!.spans];
    const [end, endOfPartner] = [a[a.length - 1]![1], b[b.length - 1]![1]];
    const overlap = a[0]![0] < endOfPartner && b[0]![0] < end;
    const order = a[0]![0] - b[0]![0] || endOfPartner - end;
    return overlap && (order > 0 || (order === 0 && !isKey));
  }

  /** By sentence: the parts of the mentions of a side. */
  private partsOf(side: number): Part[][] {
    let bySentence = this.parts.get(side);
    if (bySentence) return bySentence;
    bySentence = Array.from({ length: this.document.sentences }, () => []);
    const view = this.document.side(side);
    view?.mentions.forEach((mention, index) => {
      if (!this.isShown(view, index)) return;
      mention.spans.forEach(([start, end], part) => {
        const last = part === mention.spans.length - 1;
        for (let sentence = this.document.sentenceOf(start); sentence < this.document.sentences; sentence++) {
          const [from, to] = this.document.sentence(sentence);
          if (from >= end) break;
          bySentence![sentence]!.push({
            start: Math.max(start, from),
            end: Math.min(end, to),
            mention: index,
            first: part === 0 && start >= from,
            last: last && end <= to,
          });
        }
      });
    });
    this.parts.set(side, bySentence);
    return bySentence;
  }

  private sentence(index: number): HTMLElement {
    const row = window.document.createElement("div");
    row.className = "s";
    row.dataset.sentence = String(index);
    const number = window.document.createElement("span");
    number.className = "no";
    number.textContent = String(index + 1);
    number.setAttribute("aria-hidden", "true");
    if (this.document.hasSentences) row.append(number);
    const speaker = this.document.body.speakers?.[index];
    if (speaker && speaker !== this.document.body.speakers?.[index - 1]) {
      const label = window.document.createElement("span");
      label.className = "speaker";
      label.dir = "auto";
      label.textContent = speaker;
      row.append(label);
    }
    if (this.layout.mode === "overlay") {
      row.append(this.line(index, this.overlayItems(index), undefined));
    } else {
      for (const side of [-1, ...this.layout.columns]) {
        const items = this.partsOf(side)[index]!.map((part) => item([{ side, mention: part.mention }], part));
        row.append(this.line(index, items, side));
      }
    }
    return row;
  }

  private overlayItems(sentence: number): Item<Shown>[] {
    const system = this.layout.system;
    const response = this.document.responses[system];
    const items = this.partsOf(-1)[sentence]!.map((part) => {
      const refs: Ref[] = [{ side: -1, mention: part.mention }];
      const aligned = response?.ofKey[part.mention] ?? -1;
      if (aligned >= 0 && this.isJoined(aligned)) refs.push({ side: system, mention: aligned });
      return item(refs, part);
    });
    if (response) {
      for (const part of this.partsOf(system)[sentence]!) {
        if (!this.isJoined(part.mention)) items.push(item([{ side: system, mention: part.mention }], part));
      }
    }
    return items;
  }

  private line(sentence: number, items: Item<Shown>[], side: number | undefined): HTMLElement {
    const [start, end] = this.document.sentence(sentence);
    const line = window.document.createElement("p");
    line.className = "line";
    const segments = nest(items, start, end);
    const levels = this.append(line, start, end, segments, side);
    if (levels.below > 1) line.style.setProperty("--below", String(levels.below));
    if (levels.above > 1) line.style.setProperty("--above", String(levels.above));
    return line;
  }

  /** Appends words and segments to an element, and returns the number of lines that they need above and below. */
  private append(
    into: HTMLElement,
    start: number,
    end: number,
    segments: Segment<Shown>[],
    side: number | undefined,
  ): { above: number; below: number } {
    let text = "";
    const flush = () => {
      if (text) into.append(text);
      text = "";
    };
    const words = (from: number, to: number) => {
      for (let word = from; word < to; word++) {
        if (this.document.zero.has(word)) {
          const sides = this.document.zeroSides.get(word);
          if (side !== undefined && sides && !sides.includes(side + 1)) continue;
          if (word > start) text += this.document.gap(word);
          flush();
          const zero = window.document.createElement("span");
          zero.className = "zero";
          zero.textContent = this.document.word(word);
          zero.title = sides && !sides.includes(0) ? "A zero that the key lacks" : "A zero: it has no words";
          into.append(zero);
        } else {
          text += (word > start ? this.document.gap(word) : "") + this.document.word(word);
        }
      }
    };
    let cursor = start;
    let above = 0;
    let below = 0;
    for (const segment of segments) {
      words(cursor, segment.start);
      if (segment.start > start) text += this.document.gap(segment.start);
      flush();
      const element = window.document.createElement("span");
      const inner = this.append(element, segment.start, segment.end, segment.children, side);
      const isKey = segment.value.refs.some((ref) => ref.side < 0);
      const isResponse = segment.value.refs.some((ref) => ref.side >= 0);
      const overlay = side === undefined;
      const levels = {
        below: inner.below + (isKey || !overlay ? 1 : 0),
        above: inner.above + (overlay && isResponse ? 1 : 0),
      };
      this.dress(element, segment, levels, side);
      above = Math.max(above, levels.above);
      below = Math.max(below, levels.below);
      into.append(element);
      cursor = segment.end;
    }
    words(cursor, end);
    flush();
    return { above, below };
  }

  private dress(element: HTMLElement, segment: Segment<Shown>, levels: { above: number; below: number }, side: number | undefined): void {
    const { refs, first, last } = segment.value;
    const overlay = side === undefined;
    const k = refs.find((ref) => ref.side < 0);
    const r = refs.find((ref) => ref.side >= 0);
    const classes = ["m"];
    const entityOf = (ref: Ref): EntityView => {
      const view = this.document.side(ref.side)!;
      return view.entities[view.mentions[ref.mention]!.entity]!;
    };
    if (k || !overlay) classes.push("below");
    if (r && overlay) classes.push("above");
    const status = this.status(refs);
    classes.push(status.kind);
    if (levels.below > 1) element.style.setProperty("--below", String(levels.below));
    if (levels.above > 1) element.style.setProperty("--above", String(levels.above));
    const below = k ?? (overlay ? undefined : r);
    if (below) {
      const entity = entityOf(below);
      if (entity.hue === undefined) classes.push("grey-below");
      else element.style.setProperty("--h", String(entity.hue));
    }
    if (r && overlay) {
      const entity = entityOf(r);
      if (entity.hue === undefined) classes.push("grey-above");
      else element.style.setProperty("--g", String(entity.hue));
    }
    if (segment.continues || !first) classes.push("from");
    if (segment.continued || !last) classes.push("on");
    if (refs.some((ref) => this.document.side(ref.side)!.mentions[ref.mention]!.spans.length > 1)) classes.push("parts");
    if (first && !segment.continues && status.tag && !(overlay && this.followsPartner(refs))) element.dataset.tag = status.tag;
    element.className = classes.join(" ");
    this.refs.set(element, refs);
    for (const ref of refs) {
      const id = name(ref);
      const list = this.elements.get(id);
      if (list) list.push(element);
      else this.elements.set(id, [element]);
    }
  }

  /** The status of the mentions of an element, and the tag in front of them. */
  private status(refs: Ref[]): { kind: Status; tag: string } {
    const { key, responses } = this.document;
    const label = (ref: Ref) => {
      const view = this.document.side(ref.side)!;
      const entity = view.entities[view.mentions[ref.mention]!.entity]!;
      return entity.singleton ? "" : entity.label;
    };
    const k = refs.find((ref) => ref.side < 0);
    const r = refs.find((ref) => ref.side >= 0);
    if (r) {
      const response = responses[r.side]!;
      const kind = response.status[r.mention]!;
      const aligned = response.toKey[r.mention]!;
      if (kind === "extra") return { kind, tag: `+${label(r)}` };
      if (kind === "wrong") {
        return { kind, tag: `${label({ side: -1, mention: aligned }) || SINGLE}≠${label(r) || SINGLE}` };
      }
      // A singleton of the response can be a mention of a larger entity of the key.
      return { kind, tag: label(r) || (aligned < 0 ? "" : label({ side: -1, mention: aligned })) };
    }
    const mention = k!.mention;
    const compared = this.layout.mode === "overlay" ? [this.layout.system] : this.layout.columns;
    const statuses = compared.map((system) => responses[system]?.keyStatus[mention] ?? "missing");
    const own = label(k!);
    if (key.mentions[mention]!.ignored) return { kind: "ignored", tag: own };
    const missing = statuses.filter((status) => status === "missing").length;
    if (compared.length === 1) {
      const kind = statuses[0]!;
      if (kind === "missing") return { kind, tag: `−${own}` };
      if (kind === "wrong") {
        const aligned = responses[compared[0]!]!.ofKey[mention]!;
        return { kind, tag: `${own || SINGLE}≠${label({ side: compared[0]!, mention: aligned }) || SINGLE}` };
      }
      return { kind, tag: own };
    }
    if (missing > 0) return { kind: "missing", tag: `${own}\u00a0−${missing}/${compared.length}`.trim() };
    return { kind: statuses.includes("wrong") ? "wrong" : "right", tag: own };
  }
}

function item(refs: Ref[], part: Part): Item<Shown> {
  return { start: part.start, end: part.end, value: { refs, first: part.first, last: part.last } };
}

function name(ref: Ref): string {
  return `${ref.side}:${ref.mention}`;
}

/** Scrolls to an element unless it is well within the window. */
export function bringIntoView(element: Element): void {
  const box = element.getBoundingClientRect();
  const lower = innerWidth < 900 ? innerHeight * 0.5 : innerHeight - 80;
  if (box.top < 150 || box.bottom > lower) element.scrollIntoView({ block: innerWidth < 900 ? "start" : "center", inline: "nearest" });
  const scroller = element.closest(".scroller")?.getBoundingClientRect();
  if (scroller && (box.left < scroller.left || box.right > scroller.right)) element.scrollIntoView({ block: "nearest", inline: "center" });
}

type Deadline = { timeRemaining(): number };

function whenIdle(work: (deadline: Deadline) => void): number {
  if ("requestIdleCallback" in window) return requestIdleCallback(work);
  return setTimeout(() => work({ timeRemaining: () => 0 }), 20) as unknown as number;
}

function cancelIdle(id: number): void {
  if ("cancelIdleCallback" in window) cancelIdleCallback(id);
  else clearTimeout(id);
}
