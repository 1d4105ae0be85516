// Data for the tests, built from bracketed texts: `[1 The [2 old] man] saw [1 himself].` `1:name` adds the type of the
// mention; a word `∅x` is a zero; `[3+ a] b [3+ c]` are the two parts of one discontinuous mention.

import { deflateRawSync } from "node:zlib";

/** Words, sentences and mentions of a bracketed text; each line is a sentence. */
export function parse(text) {
  const words = [];
  const sentences = [];
  const zeros = [];
  const mentions = [];
  const parts = new Map();
  for (const line of text.trim().split("\n")) {
    sentences.push(words.length);
    const open = [];
    for (const token of line.match(/\[[\w:+]+ |\]|[^\s\][]+/g)) {
      if (token.startsWith("[")) open.push({ name: token.slice(1, -1), start: words.length });
      else if (token === "]") {
        const { name, start } = open.pop();
        const [, entity, more, type] = /^(\w+)(\+?)(?::(\w+))?$/.exec(name);
        const span = [start, words.length];
        if (more && parts.has(entity)) parts.get(entity).spans.push(span);
        else {
          const mention = { spans: [span], name: entity, ...(type && { type }) };
          if (more) parts.set(entity, mention);
          mentions.push(mention);
        }
      } else {
        if (token.startsWith("∅")) zeros.push(words.length);
        words.push(token.replace(/^∅/, ""));
      }
    }
  }
  mentions.sort((a, b) => a.spans[0][0] - b.spans[0][0] || a.spans.at(-1)[1] - b.spans.at(-1)[1]);
  const names = [...new Set(mentions.map((mention) => mention.name))];
  return {
    words,
    sentences,
    zeros,
    side: {
      mentions: mentions.map(({ spans, name, type }) => ({ spans, entity: names.indexOf(name), ...(type && { type }) })),
      entities: names.map((name) => ({ name })),
    },
  };
}

export function align(key, response) {
  const places = new Map(key.mentions.map((mention, index) => [JSON.stringify(mention.spans), index]));
  return response.mentions.flatMap((mention, index) => {
    const found = places.get(JSON.stringify(mention.spans));
    return found === undefined ? [] : [[found, index]];
  });
}

export function chunk(value) {
  return deflateRawSync(Buffer.from(JSON.stringify(value)), { level: 9 }).toString("base64");
}

export const score = (recall, precision, more = {}) => ({ recall, precision, f1: recall + precision > 0 ? (2 * recall * precision) / (recall + precision) : 0, ...more });

/** Link errors of one side, with the closest antecedent. */
export function linkErrors(system, document, body) {
  const response = body.responses[system];
  if (!response) return [];
  const toResponse = new Map(response.matches);
  const toKey = new Map(response.matches.map(([k, r]) => [r, k]));
  const sentenceOf = (word) => body.sentences.findLastIndex((start) => start <= word);
  const text = (mention) => mention.spans.map(([start, end]) => body.words.slice(start, end).join(" ")).join(" … ");
  const rows = [];
  const look = (side, other, map, kind, field) => {
    const earlier = new Map();
    side.mentions.forEach((mention, index) => {
      const list = earlier.get(mention.entity) ?? [];
      earlier.set(mention.entity, [...list, index]);
      if (list.length === 0) return;
      const entity = map.has(index) ? other.mentions[map.get(index)].entity : undefined;
      if (entity !== undefined && list.some((before) => map.has(before) && other.mentions[map.get(before)].entity === entity)) return;
      const antecedent = list.at(-1);
      const [a, b] = [side.mentions[index], side.mentions[antecedent]];
      rows.push({
        system, document, kind, [field]: [index, antecedent], text: text(a), other: text(b),
        type: a.type ?? "nominal", other_type: b.type ?? "nominal", sentence: sentenceOf(a.spans[0][0]),
        distance: sentenceOf(a.spans[0][0]) - sentenceOf(b.spans[0][0]),
      });
    });
  };
  look(body.key, response, toResponse, "missed_link", "key");
  look(response, body.key, toKey, "wrong_link", "response");
  body.key.mentions.forEach((mention, index) => {
    if (!toResponse.has(index)) rows.push({ system, document, kind: "missing_mention", key: [index], text: text(mention), type: mention.type ?? "nominal" });
  });
  response.mentions.forEach((mention, index) => {
    if (!toKey.has(index)) rows.push({ system, document, kind: "extra_mention", response: [index], text: text(mention), type: mention.type ?? "nominal" });
  });
  return rows;
}

const ALL_KINDS = [
  { id: "span_error", label: "Span error", analysis: "transform", side: "response", relation: "should be" },
  { id: "conflated_entities", label: "Conflated entities", analysis: "transform", side: "response", relation: "mixed with" },
  { id: "extra_mention", label: "Extra mention", analysis: "transform", side: "response", relation: "put into the entity of" },
  { id: "extra_entity", label: "Extra entity", analysis: "transform", side: "response" },
  { id: "divided_entity", label: "Divided entity", analysis: "transform", side: "key", relation: "parted from" },
  { id: "missing_mention", label: "Missing mention", analysis: "transform", side: "key", relation: "not in the entity of", summary: "A mention of the key that no response entity has." },
  { id: "missing_entity", label: "Missing entity", analysis: "transform", side: "key" },
  { id: "missed_link", label: "Missed link", analysis: "links", side: "key", relation: "not linked to", summary: "A link of the key that the response lacks." },
  { id: "wrong_link", label: "Wrong link", analysis: "links", side: "response", relation: "wrongly linked to" },
];

/** The kinds whose errors are listed. */
const KINDS = ["missing_mention", "extra_mention", "missed_link", "wrong_link"].map((id) => ALL_KINDS.find((kind) => kind.id === id));

const METRICS = [
  { id: "muc", label: "MUC", summary: "links that join the entities", explanation: "# MUC\n\nWhat it measures: how few *links* would turn `one` side into **the other**.\n\n- one [doi:1](https://doi.org/1)\n- two [plain](javascript:alert)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>Not bold</b>", references: ["Vilain et al. (1995)."] },
  { id: "b_cubed", label: "B³", summary: "shared mentions, averaged over mentions" },
  { id: "conll", label: "CoNLL", summary: "the mean F1 of MUC, B³ and CEAF φ4", f1_only: true },
];

/** Data of documents `{ id, key, responses: [text or null], language }` for systems. */
/** Labels the entities of a document as the command does. */
function labelled(body) {
  const sizes = (side) => side.entities.map((_, entity) => side.mentions.filter((mention) => mention.entity === entity && !mention.ignored).length);
  const inOrder = (side) => [...new Set(side.mentions.map((mention) => mention.entity))];
  let number = 0;
  const ofKey = sizes(body.key);
  body.key.entities = [...body.key.entities];
  for (const entity of inOrder(body.key)) body.key.entities[entity] = { ...body.key.entities[entity], label: ofKey[entity] < 2 ? "single" : String((number += 1)) };
  for (const response of body.responses.filter(Boolean)) {
    response.entities = [...response.entities];
    const shared = new Map();
    for (const [k, r] of response.matches) {
      const pair = [body.key.mentions[k].entity, response.mentions[r].entity];
      shared.set(String(pair), { pair, n: (shared.get(String(pair))?.n ?? 0) + 1 });
    }
    const counterpart = new Map();
    for (const { pair: [k, r] } of [...shared.values()].sort((a, b) => b.n - a.n || a.pair[0] - b.pair[0] || a.pair[1] - b.pair[1])) {
      if (!counterpart.has(r) && ![...counterpart.values()].includes(k)) counterpart.set(r, k);
    }
    const own = sizes(response);
    let letter = 0;
    for (const entity of inOrder(response)) {
      const of = ofKey[counterpart.get(entity)] >= 2 ? body.key.entities[counterpart.get(entity)].label : undefined;
      const label = of ?? (own[entity] < 2 ? "single" : String.fromCharCode(97 + letter++));
      response.entities[entity] = { ...response.entities[entity], label };
    }
  }
  return body;
}

export function evaluation(systems, documents, more = {}) {
  const bodies = documents.map(({ key, responses, language, direction, speakers, body }) => {
    if (body) return labelled(body);
    const parsed = parse(key);
    return labelled({
      words: parsed.words,
      sentences: parsed.sentences,
      ...(language && { language }),
      ...(direction && { direction }),
      ...(speakers && { speakers }),
      ...(parsed.zeros.length > 0 && { zeros: parsed.zeros.map((word) => ({ word })) }),
      key: parsed.side,
      responses: responses.map((text) => {
        if (text === null) return null;
        const { side } = parse(text);
        return { ...side, matches: align(parsed.side, side) };
      }),
    });
  });
  const rows = bodies.flatMap((body, document) => systems.flatMap((_, system) => linkErrors(system, document, body)));
  for (const row of rows) row.made_by = rows.length < 1000 ? systems.filter((_, system) => rows.some((other) => other.system === system && other.document === row.document && other.kind === row.kind && other.text === row.text)).length : undefined;
  for (const row of rows) row.shared = rows.length < 1000 && systems.every((_, system) => rows.some((other) => other.system === system && other.document === row.document && other.kind === row.kind && other.text === row.text));
  const value = (system, document) => 0.9 - 0.13 * system - 0.02 * ((document * 7) % 5);
  const scores = (system, document, interval) => {
    const v = value(system, document);
    const around = interval ? { interval: [v - 0.04, v + 0.03], recall_interval: [v - 0.05, v + 0.01], precision_interval: [v - 0.02, v + 0.04] } : {};
    return { muc: score(v - 0.02, v + 0.01, { ...around, counts: [4, 5, 6, 7] }), b_cubed: score(v, v, around), conll: { f1: v, ...(interval && { interval: around.interval }) } };
  };
  const totals = (system) => {
    const of = (kind) => rows.filter((row) => row.system === system && row.kind === kind).length;
    return {
      transform: { span_error: 0, missing_entity: 2, extra_entity: 1, missing_mention: of("missing_mention"), extra_mention: of("extra_mention"), divided_entity: 0, conflated_entities: 1 },
      links: { recall: { total: of("missed_link") }, precision: { total: of("wrong_link") } },
    };
  };
  return {
    kind: "corefeval-viewer",
    version: 1,
    corefeval: "0.0.0",
    signature: "corefeval:0.0.0|profile:conll|format:conll|match:exact|singletons:keep",
    settings: [
      { name: "profile", value: "conll", about: "Profile", words: "The settings of the CoNLL-2012 reference scorer.", default: true },
      { name: "singletons", value: "keep", about: "Entities of one mention", words: "Score them.", default: false },
    ],
    key: { name: "key.conll" },
    systems: systems.map((name, system) => ({
      name,
      scores: scores(system, 0, true),
      error_counts: totals(system),
      costs: ["span_error", "missing_mention", "missing_entity"].map((kind, at) => ({ kind, alone: { conll: value(system, 0) + 0.02 + at * 0.01 }, sequence: { conll: at === 2 ? 1 : value(system, 0) + 0.02 + at * 0.02 } })),
    })),
    metrics: METRICS,
    headline: "conll",
    confidence: 0.95,
    ...(systems.length > 1 && {
      comparison: {
        test: "randomization", resamples: 10000, seed: 1, correction: "holm", interval: "bca", baseline: 0,
        pairs: systems.slice(1).map((_, at) => ({ first: 0, second: at + 1, metrics: { conll: { f1: -0.13 * (at + 1), interval: [-0.13 * (at + 1) - 0.02, -0.13 * (at + 1) + 0.03], p: 0.001, p_corrected: 0.002 }, muc: { f1: -0.1, p: 0.3 } } })),
      },
    }),
    documents: documents.map(({ id }, document) => {
      const body = bodies[document];
      return {
        id,
        groups: { genre: id.split("/")[0] },
        counts: { words: body.words.length, sentences: body.sentences.length, mentions: body.key.mentions.length, entities: body.key.entities.length },
        ...(body.responses.includes(null) && { missing: body.responses.flatMap((response, system) => (response ? [] : [system])) }),
        scores: systems.map((_, system) => (body.responses[system] ? scores(system, document, false) : null)),
        body: chunk(body),
      };
    }),
    groups: [{ by: "genre", rows: [...new Set(documents.map(({ id }) => id.split("/")[0]))].map((id, at) => ({ id, documents: documents.filter((document) => document.id.startsWith(id)).length, scores: systems.map((_, system) => scores(system, at, false)) })) }],
    kinds: ALL_KINDS,
    errors: chunk({ kinds: KINDS, rows, tables: [{ id: "wrong", title: "Most frequent wrong antecedents", note: "By anaphor.", columns: [{ label: "Anaphor", kind: "words" }, { label: "Correct", kind: "count" }, { label: "Wrong", kind: "count" }], rows: [["His daughter , who was seven", 50, 5], ["it", 1, 0]] }] }),
    warnings: [
      { code: "few-documents", severity: "warning", count: 1, summary: "There are few documents to resample.", remedy: "use 20 documents or more", places: [{ message: "3 documents", file: null, line: null, column: null, document: null }] },
      { code: "format-assumed", severity: "note", count: 2, summary: "The format was detected from the first bytes.", remedy: "name it with --format", places: [{ message: "read as conll", file: "key.conll", line: 1, column: null, document: null }] },
    ],
    ...more,
  };
}

const NEWS = {
  id: "news/ferry",
  key: `[1:name The Line] will end [2 [1:pronoun its] winter service to [3:name the island of Skarvoy]] .
[4 [1:pronoun Its] only ferry , [4:name the Alma]] , is old , and [1:nominal the company] sold [4:pronoun her] .
[5:name Moe] said [5:pronoun she] would miss [6 the Alma and the island] .
No one on [3:nominal the island] asked [1:pronoun them] .`,
  responses: [
    `[1:name The Line] will end [1:pronoun its] winter service to [3:name the island of Skarvoy] .
[4 [1:pronoun Its] only ferry , [4:name the Alma]] , is old , and [1:nominal the company] sold [5:pronoun her] .
[5:name Moe] said [5:pronoun she] would miss [4 the Alma] and [3 the island] .
[7 No one on [3:nominal the island]] asked [7:pronoun them] .`,
    `[1:name The Line] will end its winter service to [3:name the island] of Skarvoy .
[4 Its only ferry] , the Alma , is old , and [1:nominal the company] sold her .
[5:name Moe] said [5:pronoun she] would miss the Alma and [3 the island] .
No one on [3:nominal the island] asked them .`,
  ],
};

const HEBREW = {
  id: "hebrew/train",
  language: "he",
  key: `[1 הרכבת] יצאה מ [2 תחנת ירושלים] בשעה 7:30 .
[1 היא] עברה ב [3 גשר מעל [4 הנחל]] ו [1 ∅היא] חזרה ל [2 ירושלים] .`,
  responses: [
    `[1 הרכבת] יצאה מ [2 תחנת ירושלים] בשעה 7:30 .
[1 היא] עברה ב [3 גשר מעל הנחל] ו [3 ∅היא] חזרה ל ירושלים .`,
    null,
  ],
};

const ARABIC = {
  id: "arabic/market",
  language: "ar",
  direction: "rtl",
  key: `ذهبت [1 مريم] إلى [2 السوق] مع [3 [1 ـها] أختها] .
اشترت [1 ∅هي] خبزا من [2 ه] .`,
  responses: [
    `ذهبت [1 مريم] إلى [2 السوق] مع [3 ها أختها] .
اشترت [1 ∅هي] [4 خبزا] من [2 ه] .`,
    `ذهبت [1 مريم] إلى السوق مع ها أختها .
اشترت ∅هي خبزا من ه .`,
  ],
};

const PARTS = {
  id: "grammar/parts",
  speakers: ["Ann", "Bo"],
  key: `He [1+ gave] it [1+ up] , and [2 [1 that] day] crossed .
[1 It] was [2 the day] .`,
  responses: [
    `He [1+ gave] it [1+ up] , and [2 [1 that] day] crossed .
[1 It] was [2 the day] .`,
    `He gave [1 it up] , and [2 that day] crossed .
[1 It] was [2 the day] .`,
  ],
};

export const small = evaluation(["alder", "birch"], [NEWS, HEBREW, ARABIC, PARTS]);
export const single = evaluation(["alder"], [{ ...NEWS, responses: NEWS.responses.slice(0, 1) }]);

export const withoutText = { ...evaluation(["alder"], [{ ...NEWS, responses: NEWS.responses.slice(0, 1) }]), without_text: true };
withoutText.documents = withoutText.documents.map(({ body, ...rest }) => rest);
withoutText.errors = chunk({
  kinds: KINDS,
  rows: [
    { system: 0, document: 0, kind: "missing_mention", key: [3], words: [11, 12], sentence: 1, type: "nominal" },
    { system: 0, document: 0, kind: "wrong_link", response: [4, 2], words: [8, 10], other_words: [0, 1], sentence: 1, type: "name", other_type: "name", distance: 1 },
  ],
});

const EVIL = `<img/src=x/onerror=window.hacked=1>`;
export const hostile = evaluation([`<script>window.hacked=1</script>`, `a"b'c&d\u202Egnp.exe`], [
  {
    id: `evil/<b>bold</b>"'&#x3c;--><!--</script><script>window.hacked=1</script>`,
    key: `[1 ${EVIL}] and [1 <script>window.hacked=1</script>] and [2 \u202Eback\u202C] .\n[2 ${"w".repeat(20000)}] has [1 \u0000\u001b[31m] .`.replace("\u001b[31m", "\u001b"),
    responses: [
      `[1 ${EVIL}] and [1 <script>window.hacked=1</script>] and [2 \u202Eback\u202C] .\n[2 ${"w".repeat(20000)}] has \u0000\u001b .`,
      `${EVIL} and <script>window.hacked=1</script> and \u202Eback\u202C .\n${"w".repeat(20000)} has \u0000\u001b .`,
    ],
  },
]);

/** One document of 50,000 words with the mention density of OntoNotes and many errors. */
export function large() {
  let seed = 7;
  const random = (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
  };
  const words = [];
  const sentences = [];
  const key = [];
  const response = [];
  while (words.length < 50000) {
    sentences.push(words.length);
    const length = 12 + random(20);
    const start = words.length;
    for (let i = 0; i < length; i++) words.push("lorem ipsum dolor sit amet consectetur adipiscing elit sed do".split(" ")[random(10)]);
    words[words.length - 1] = ".";
    for (let at = start; at + 5 < words.length; at += 3 + random(5)) {
      const end = at + 1 + random(4);
      const entity = random(3) === 0 ? random(20) : random(1500);
      key.push({ spans: [[at, end]], entity });
      if (random(10) > 1) response.push({ spans: [[at, random(9) === 0 ? end + 1 : end]], entity: random(8) === 0 ? random(1500) : entity });
    }
  }
  const entities = Array.from({ length: 1500 }, (_, index) => ({ name: String(index) }));
  const body = { words, sentences, key: { mentions: key, entities }, responses: [{ mentions: response, entities, matches: align({ mentions: key }, { mentions: response }) }] };
  return evaluation(["alder"], [{ id: "long/one", body }]);
}

/** The numbers of documents, systems and errors of an OntoNotes test set. */
export function wide() {
  const documents = Array.from({ length: 350 }, (_, index) => ({ ...NEWS, id: `${["bc", "bn", "mz", "nw", "pt", "tc", "wb"][index % 7]}/doc_${String(index).padStart(4, "0")}` }));
  const data = evaluation(["alder", "birch"], documents.slice(0, 3));
  const base = small;
  const rows = [];
  const words = "the company it he she they a ferry island that".split(" ");
  for (let i = 0; i < 60000; i++) {
    rows.push({ system: i % 2, document: i % 350, kind: KINDS[i % 4].id, ...(i % 4 === 3 ? { response: [2, 0] } : { key: [2, 0] }), text: `${words[i % 10]} ${i % 97}`, other: words[(i * 7) % 10], type: ["name", "nominal", "pronoun"][i % 3], other_type: ["name", "nominal", "pronoun"][(i >> 2) % 3], distance: i % 17 });
  }
  return {
    ...base,
    documents: documents.map(({ id }, index) => ({ ...data.documents[index % 3], id, groups: { genre: id.split("/")[0] } })),
    errors: chunk({ kinds: KINDS, rows }),
  };
}
