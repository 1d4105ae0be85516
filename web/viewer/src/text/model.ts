// The displayed document: corresponding entities, the status of each mention, names and colours.

import type { Body, Mention, Side } from "../data";
import { gap, inert, isRightToLeft } from "../words";

/** The status of a mention compared with the other side. */
export type Status = "right" | "wrong" | "missing" | "extra" | "ignored";

/** The name of a status, by side. */
export const STATUS_WORDS: Record<Status, string> = {
  right: "right",
  wrong: "in another entity",
  missing: "missing",
  extra: "extra",
  ignored: "not scored",
};

export const STATUS_SIGNS: Record<Status, string> = { right: "✓", wrong: "≠", missing: "−", extra: "+", ignored: "·" };

export interface EntityView {
  index: number;
  mentions: number[];
  /** A number for an entity of the key and its counterpart, a letter for an entity that only a response has: that of the data. */
  label: string;
  /** The hue in degrees; undefined for a singleton, which is grey. */
  hue: number | undefined;
  /** Its most informative mention. */
  title: string;
  singleton: boolean;
}

export class SideView {
  readonly mentions: Mention[];
  readonly entities: EntityView[];

  constructor(document: DocumentView, side: Side) {
    this.mentions = side.mentions;
    this.entities = side.entities.map((entity, index) => ({ index, mentions: [], label: entity.label ?? entity.name ?? "", hue: undefined, title: "", singleton: false }));
    side.mentions.forEach((mention, index) => this.entities[mention.entity]?.mentions.push(index));
    for (const entity of this.entities) {
      entity.singleton = entity.mentions.filter((m) => !this.mentions[m]!.ignored).length < 2;
      entity.title = document.text(this.telling(entity)) || side.entities[entity.index]?.name || "";
    }
  }

  /** The first name, otherwise the first nominal, otherwise the longest of the first mentions. */
  private telling(entity: EntityView): Mention | undefined {
    const mentions = entity.mentions.map((index) => this.mentions[index]!);
    const length = (mention: Mention) => mention.spans.reduce((sum, [start, end]) => sum + end - start, 0);
    return (
      mentions.find((mention) => mention.type === "name") ??
      mentions.find((mention) => mention.type === "nominal") ??
      mentions.slice(0, 5).sort((a, b) => Math.min(length(b), 6) - Math.min(length(a), 6))[0]
    );
  }
}

/** A response with its alignment. */
export class ResponseView extends SideView {
  /** By mention of the key: the aligned mention of the response, or -1. */
  readonly ofKey: Int32Array;
  /** By mention of the response: the aligned mention of the key, or -1. */
  readonly toKey: Int32Array;
  /** By entity of the response: its counterpart in the key, or -1. */
  readonly counterpart: Int32Array;
  /** By entity of the key: its counterpart in the response, or -1. */
  readonly counterpartOfKey: Int32Array;
  readonly keyStatus: Status[];
  readonly status: Status[];
  readonly otherWords: boolean;

  constructor(document: DocumentView, side: Side & { matches: [number, number][]; other_words?: boolean }) {
    super(document, side);
    const key = document.key;
    this.otherWords = side.other_words ?? false;
    this.ofKey = new Int32Array(key.mentions.length).fill(-1);
    this.toKey = new Int32Array(side.mentions.length).fill(-1);
    for (const [k, r] of side.matches) {
      this.ofKey[k] = r;
      this.toKey[r] = k;
    }
    // Counterparts are chosen by the number of shared mentions, in descending order.
    const shared = new Map<string, { k: number; r: number; n: number }>();
    for (const [k, r] of side.matches) {
      const pair = { k: key.mentions[k]!.entity, r: side.mentions[r]!.entity, n: 0 };
      const id = `${pair.k} ${pair.r}`;
      const cell = shared.get(id) ?? pair;
      cell.n += 1;
      shared.set(id, cell);
    }
    this.counterpart = new Int32Array(this.entities.length).fill(-1);
    this.counterpartOfKey = new Int32Array(key.entities.length).fill(-1);
    for (const { k, r } of [...shared.values()].sort((a, b) => b.n - a.n || a.k - b.k || a.r - b.r)) {
      if (this.counterpart[r] === -1 && this.counterpartOfKey[k] === -1) {
        this.counterpart[r] = k;
        this.counterpartOfKey[k] = r;
      }
    }
    const agree = (k: number, r: number) => this.counterpart[side.mentions[r]!.entity] === key.mentions[k]!.entity;
    this.keyStatus = key.mentions.map((mention, k) => {
      if (mention.ignored) return "ignored";
      const r = this.ofKey[k]!;
      return r < 0 ? "missing" : agree(k, r) ? "right" : "wrong";
    });
    this.status = side.mentions.map((mention, r) => {
      if (mention.ignored) return "ignored";
      const k = this.toKey[r]!;
      return k < 0 ? "extra" : agree(k, r) ? "right" : "wrong";
    });
    let own = 0;
    this.entities.forEach((entity, r) => {
      const k = this.counterpart[r]!;
      const counterpart = key.entities[k];
      if (counterpart && (!counterpart.singleton || entity.singleton)) {
        entity.hue = counterpart.hue;
      } else if (!entity.singleton) {
        entity.hue = hue(key.entities.length + own);
        own += 1;
      }
    });
  }

  /** The response entities that share mentions with a key entity, in descending order of shared mentions. */
  sharing(key: SideView, entity: number): { entity: number; shared: number }[] {
    return tally(key.entities[entity]!.mentions.map((k) => this.ofKey[k]!).filter((r) => r >= 0).map((r) => this.mentions[r]!.entity));
  }

  /** The key entities that share mentions with a response entity, in descending order of shared mentions. */
  sharedWith(key: SideView, entity: number): { entity: number; shared: number }[] {
    return tally(this.entities[entity]!.mentions.map((r) => this.toKey[r]!).filter((k) => k >= 0).map((k) => key.mentions[k]!.entity));
  }
}

function tally(entities: number[]): { entity: number; shared: number }[] {
  const counts = new Map<number, number>();
  for (const entity of entities) counts.set(entity, (counts.get(entity) ?? 0) + 1);
  return [...counts].map(([entity, shared]) => ({ entity, shared })).sort((a, b) => b.shared - a.shared || a.entity - b.entity);
}

/** Returns the hue of a number; neighbouring numbers get distant hues. */
function hue(index: number): number {
  return Math.round((255 + index * 137.508) % 360);
}

export class DocumentView {
  readonly body: Body;
  readonly rtl: boolean;
  readonly key: SideView;
  readonly responses: (ResponseView | null)[];
  /** By word: whether it is an empty node. */
  readonly zero: Set<number>;
  readonly zeroSides: Map<number, number[]>;

  constructor(body: Body) {
    this.body = body;
    this.rtl = body.direction ? body.direction === "rtl" : isRightToLeft(body.words);
    this.zero = new Set(body.zeros?.map((zero) => zero.word));
    this.zeroSides = new Map(body.zeros?.flatMap((zero) => (zero.sides ? [[zero.word, zero.sides]] : [])));
    this.key = new SideView(this, body.key);
    const inOrder = this.key.entities.filter((entity) => !entity.singleton).sort((a, b) => a.mentions[0]! - b.mentions[0]!);
    inOrder.forEach((entity, place) => (entity.hue = hue(place)));
    this.responses = body.responses.map((response) => response && new ResponseView(this, response));
  }

  /** True if the words are names of mentions. */
  get names(): boolean {
    return this.body.words_are === "names";
  }

  /** True if the words are a text. Names and positions of mentions have no sentences. */
  get hasSentences(): boolean {
    return (this.body.words_are ?? "words") === "words";
  }

  get sentences(): number {
    return this.body.sentences.length;
  }

  /** The words of a sentence, half-open. */
  sentence(index: number): [number, number] {
    return [this.body.sentences[index] ?? 0, this.body.sentences[index + 1] ?? this.body.words.length];
  }

  /** The sentence of a word. */
  sentenceOf(word: number): number {
    const starts = this.body.sentences;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= word) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The text before a word that is not the first of its line. */
  gap(word: number): string {
    if (this.names) return " \u2002";
    if (this.body.spacing === "none") return "";
    return gap(this.body.words[word - 1] ?? "", this.body.words[word] ?? "");
  }

  word(index: number): string {
    const word = this.body.words[index] ?? "";
    if (!this.zero.has(index)) return inert(word);
    return word === "" || word === "_" ? "∅" : `∅${inert(word)}`;
  }

  words(start: number, end: number): string {
    let text = "";
    for (let word = start; word < end; word++) text += (word > start ? this.gap(word) : "") + this.word(word);
    return text;
  }

  text(mention: Mention | undefined): string {
    return mention ? mention.spans.map(([start, end]) => this.words(start, end)).join(" … ") : "";
  }

  /** The sentence of a mention in words; empty if there are no sentences. */
  place(mention: Mention): string {
    return !this.hasSentences ? "" : ` in sentence ${this.sentenceOf(mention.spans[0]![0]) + 1}`;
  }

  /** Returns whether some displayed mention is not scored. */
  hasIgnored(systems: readonly number[]): boolean {
    return [-1, ...systems].some((system) => this.side(system)?.mentions.some((mention) => mention.ignored));
  }

  side(system: number): SideView | null {
    return system < 0 ? this.key : (this.responses[system] ?? null);
  }
}
