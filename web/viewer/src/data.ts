// The input of the viewer: the types of data.schema.json, and the unpacking of its chunks.

/** A value as JSON, compressed with raw deflate, in base64. */
export type Chunk = string;
export type Range = [start: number, end: number];
export type Interval = [low: number, high: number];

export interface Data {
  kind: "corefeval-viewer";
  version: 1;
  corefeval: string;
  title?: string;
  signature: string;
  settings?: Setting[];
  key: Source;
  systems: System[];
  metrics: Metric[];
  headline?: string;
  confidence?: number;
  comparison?: Comparison;
  not_compared?: { message: string; remedy?: string };
  counts?: string[];
  documents: DocumentRow[];
  groups?: Grouping[];
  analysis?: Setting[];
  kinds?: Kind[];
  errors?: Errors | Chunk;
  warnings?: Warning[];
  without_text?: boolean;
  bodies?: { shown: number; total: number };
}

export interface Source { name: string; path?: string }
export interface Setting { name: string; value: string; about?: string; words: string; default?: boolean }

export interface System {
  name: string;
  path?: string;
  scores: Scores;
  error_counts?: ErrorCounts;
  costs?: Cost[];
}

export type Scores = Record<string, Score>;

export interface Score {
  recall?: number;
  precision?: number;
  f1: number;
  defined?: boolean;
  counts?: [number, number, number, number];
  interval?: Interval;
  recall_interval?: Interval;
  precision_interval?: Interval;
  rank?: number | null;
  best?: boolean;
}

export interface Metric {
  id: string;
  label: string;
  summary?: string;
  explanation?: string;
  references?: string[];
  f1_only?: boolean;
}

export interface Comparison {
  test?: "randomization" | "bootstrap";
  exact?: boolean;
  resamples?: number;
  seed?: number;
  correction?: "holm" | "bonferroni" | "none";
  interval?: "auto" | "bca" | "percentile" | "expanded" | "basic" | "student";
  baseline?: number;
  reason_for_insignificance?: string;
  pairs: Pair[];
}

export interface Pair { first: number; second: number; metrics: Record<string, Difference> }

export interface Difference {
  f1: number;
  interval?: Interval;
  p?: number;
  p_corrected?: number;
  detectable?: number | null;
  significant?: boolean;
}

export interface DocumentRow {
  id: string;
  groups?: Record<string, string>;
  counts?: {
    words?: number;
    zeros?: number;
    sentences?: number;
    mentions?: number;
    entities?: number;
    response_mentions?: number[];
    response_entities?: number[];
  };
  missing?: number[];
  extra?: boolean;
  scores?: (Scores | null)[];
  body?: Body | Chunk;
}

export interface Body {
  language?: string;
  direction?: "ltr" | "rtl";
  spacing?: "spaces" | "none";
  words: string[];
  words_are?: "words" | "names" | "positions";
  sentences: number[];
  speakers?: (string | null)[];
  zeros?: { word: number; sides?: number[] }[];
  key: Side;
  responses: (Response | null)[];
}

export interface Side { mentions: Mention[]; entities: Entity[] }
export interface Response extends Side { matches: [key: number, response: number][]; other_words?: boolean }
export interface Mention { spans: Range[]; entity: number; head?: number; type?: string; ignored?: string }
export interface Entity { name?: string; type?: string; label?: string; ignored?: string }

export interface Grouping {
  by: string;
  of?: "documents" | "mentions";
  rows: { id: string; documents?: number; mentions?: number; scores: (Scores | null)[] }[];
}

export interface Warning {
  code: string;
  severity: "note" | "warning" | "error";
  count: number;
  summary: string;
  remedy?: string;
  places?: {
    message: string;
    file?: string | null;
    line?: number | null;
    column?: number | null;
    document?: string | null;
  }[];
}

export interface ErrorCounts {
  transform?: Record<string, number>;
  links?: { recall: LinkCounts; precision: LinkCounts };
}

export interface LinkCounts {
  total: number;
  by_type?: Record<string, number>;
  by_distance?: Record<string, number>;
}

/** F1 after a correction, by metric; null if undefined. */
export interface Cost { kind: string; label?: string; note?: string; alone?: Record<string, number | null>; sequence?: Record<string, number | null> }
export interface Errors { kinds: Kind[]; rows: ErrorRow[]; tables?: Table[] }

export interface Kind {
  id: string;
  label: string;
  analysis: "transform" | "links";
  summary?: string;
  side: "key" | "response";
  relation?: string;
}

export interface ErrorRow {
  system: number;
  document: number;
  kind: string;
  key?: number[];
  response?: number[];
  entity?: number[];
  text?: string;
  other?: string;
  /** The heads of a span error whose words are the same on both sides: the response's and the key's. */
  heads?: [string, string];
  words?: Range;
  other_words?: Range;
  type?: string;
  other_type?: string;
  distance?: number;
  sentence?: number;
  count?: number;
  shared?: boolean;
  /** The number of systems that make this error, if errors of its kind are compared. */
  made_by?: number;
}

export interface Table {
  id: string;
  title: string;
  note?: string;
  system?: number;
  columns: { label: string; kind?: "text" | "words" | "count" | "percent" | "document" }[];
  rows: (string | number | null)[][];
}

/** Returns the data after checking that this viewer can show it. */
export function check(value: unknown): Data {
  const data = value as Partial<Data> | null;
  if (typeof data !== "object" || data === null || data.kind !== "corefeval-viewer") {
    throw new Error("This is not data of the corefeval viewer.");
  }
  if (data.version !== 1) {
    throw new Error(`The data has version ${String(data.version)}; this viewer reads version 1. Use the viewer of the corefeval that wrote it.`);
  }
  return data as Data;
}

/** Returns a value, unpacked if it is a chunk. */
export async function unpack<T extends object>(value: T | Chunk): Promise<T> {
  if (typeof value !== "string") return value;
  const binary = atob(value);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text()) as T;
}

/** Unpacks each chunk of the data once and keeps the last few documents. */
export class Store {
  readonly data: Data;
  /** The kinds of errors by id. */
  readonly kinds: ReadonlyMap<string, Kind>;
  private readonly bodies = new Map<number, Promise<Body>>();
  private rows: Promise<Errors> | undefined;

  constructor(data: Data) {
    this.data = data;
    this.kinds = new Map((data.kinds ?? []).map((kind) => [kind.id, kind]));
  }

  /** The name of a kind of error. */
  labelOf(kind: string): string {
    return this.kinds.get(kind)?.label ?? kind;
  }

  body(document: number): Promise<Body> | undefined {
    const packed = this.data.documents[document]?.body;
    if (packed === undefined) return undefined;
    let body = this.bodies.get(document);
    if (!body) {
      body = unpack(packed);
      if (this.bodies.size >= 16) this.bodies.delete(this.bodies.keys().next().value!);
      this.bodies.set(document, body);
    }
    return body;
  }

  errors(): Promise<Errors> {
    this.rows ??= this.data.errors === undefined ? Promise.resolve({ kinds: [], rows: [] }) : unpack(this.data.errors);
    return this.rows;
  }

  /** The index of the metric that leads the summary. */
  get headline(): Metric {
    const metrics = this.data.metrics;
    const find = (id: string | undefined) => metrics.find((metric) => metric.id === id);
    return find(this.data.headline) ?? find("conll") ?? metrics[metrics.length - 1] ?? { id: "", label: "" };
  }
}
