// Tests without a browser: the schema, the nesting of ranges, displayed words.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import { buildSync } from "esbuild";
import { hostile, large, single, small, wide, withoutText } from "./fixtures.mjs";
import { inflateRawSync } from "node:zlib";

const source = new URL("../src/", import.meta.url).pathname;
const bundle = buildSync({ stdin: { contents: `export * from "./text/nesting"; export * from "./text/model"; export * from "./words"; export { fragment } from "./route"; export { scaleOf } from "./parts/plots"; export { check } from "./data";`, resolveDir: source, loader: "ts" }, bundle: true, format: "esm", write: false, jsx: "automatic", jsxImportSource: "preact" });
const viewer = await import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].text).toString("base64")}`);

const schema = JSON.parse(readFileSync(new URL("../data.schema.json", import.meta.url)));
const ajv = new Ajv({ strict: false });
ajv.addSchema(schema);
const plain = (chunk) => JSON.parse(inflateRawSync(Buffer.from(chunk, "base64")));

/** Checks data and its chunks against the schema. */
export function validate(data) {
  const check = (ref, value, what) => {
    const valid = ajv.getSchema(`data.schema.json${ref}`);
    assert.ok(valid(value), `${what}: ${ajv.errorsText(valid.errors)}`);
  };
  check("", data, "data");
  for (const { id, body } of data.documents) if (body !== undefined) check("#/$defs/body", typeof body === "string" ? plain(body) : body, `document ${id}`);
  if (data.errors !== undefined) check("#/$defs/errors", typeof data.errors === "string" ? plain(data.errors) : data.errors, "errors");
}

function randomNumbers(seed) {
  return (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
  };
}

export const unitTests = {
  "the data of the tests is valid": () => {
    for (const data of [small, single, withoutText, hostile, large(), wide()]) validate(data);
  },

  "the schema refuses what it does not know": () => {
    assert.throws(() => validate({ ...small, version: 2 }));
    assert.throws(() => validate({ ...small, more: 1 }));
    assert.throws(() => validate({ ...small, systems: [] }));
  },

  "a reader refuses other data": () => {
    assert.throws(() => viewer.check({ ...small, version: 2 }), /version 2/);
    assert.throws(() => viewer.check(null), /not data/);
    assert.throws(() => viewer.check([]), /not data/);
  },

  "nested segments keep every range": () => {
    for (let seed = 1; seed < 400; seed++) {
      const random = randomNumbers(seed);
      const items = Array.from({ length: random(12) }, (_, value) => {
        const start = random(20);
        return { start, end: Math.min(20, start + 1 + random(8)), value };
      }).filter((item) => item.end > item.start);
      const words = new Map(items.map((item) => [item.value, []]));
      let pieces = 0;
      const walk = (segments, from, to) => {
        for (const segment of segments) {
          assert.ok(segment.start >= from && segment.end <= to && segment.end > segment.start, "a segment is inside its parent and follows its neighbour");
          pieces += 1;
          words.get(segment.value).push([segment.start, segment.end, segment.continues, segment.continued]);
          walk(segment.children, segment.start, segment.end);
          from = segment.end;
        }
      };
      walk(viewer.nest(items, 0, 20), 0, 20);
      for (const item of items) {
        const parts = words.get(item.value);
        assert.equal(parts[0][0], item.start);
        assert.equal(parts.at(-1)[1], item.end);
        parts.forEach(([start, , continues, continued], index) => {
          if (index > 0) assert.equal(start, parts[index - 1][1]);
          assert.equal(continues, index > 0);
          assert.equal(continued, index < parts.length - 1);
        });
      }
      const crossing = items.some((a) => items.some((b) => a.start < b.start && b.start < a.end && a.end < b.end));
      if (!crossing) assert.equal(pieces, items.length, "what does not cross is not split");
    }
  },

  "counterparts have one colour and one label on both sides": () => {
    const view = new viewer.DocumentView(plain(small.documents[0].body));
    const response = view.responses[0];
    let pairs = 0;
    response.counterpart.forEach((k, r) => {
      if (k < 0 || view.key.entities[k].singleton) return;
      pairs += 1;
      assert.equal(response.entities[r].hue, view.key.entities[k].hue);
      assert.equal(response.entities[r].label, view.key.entities[k].label);
      assert.equal(response.counterpartOfKey[k], r);
    });
    assert.ok(pairs >= 4);
  },

  "mentions have the errors that the alignment implies": () => {
    const view = new viewer.DocumentView(plain(small.documents[0].body));
    const text = (side, status, statuses) => side.mentions.filter((_, index) => statuses[index] === status).map((mention) => view.text(mention));
    assert.deepEqual(text(view.key, "missing", view.responses[0].keyStatus), ["its winter service to the island of Skarvoy", "the Alma and the island"]);
    assert.deepEqual(text(view.responses[0], "extra", view.responses[0].status), ["the Alma", "the island", "No one on the island"]);
    // “her” is in the entity of Moe, “them” in an entity that only the response has.
    assert.deepEqual(text(view.key, "wrong", view.responses[0].keyStatus), ["her", "them"]);
  },

  "text of the data is inert": () => {
    assert.equal(viewer.inert("a\u0000b\u001b[31m"), "a␀b␛[31m");
    assert.equal(viewer.inert("\u202Eevil\u202C"), "⟨U+202E⟩evil⟨U+202C⟩");
    assert.equal(viewer.inert("\u2066x\u2069"), "⟨U+2066⟩x⟨U+2069⟩");
    assert.match(viewer.inert("w".repeat(20000)), /^w{200}… \(19,800 more characters\)$/);
    assert.equal(viewer.inert("نص"), "نص");
  },

  "direction is found from the letters": () => {
    assert.equal(viewer.isRightToLeft(["הרכבת", "7:30", "a"].slice(0, 2)), true);
    assert.equal(viewer.isRightToLeft(["a", "b", "הרכבת"]), false);
    assert.equal(viewer.isRightToLeft(["1", "2"]), false);
  },

  "tokens are joined as people write": () => {
    const join = (...words) => words.map((word, at) => (at > 0 ? viewer.gap(words[at - 1], word) : "") + word).join("");
    assert.equal(join("He", "did", "n't", "(", "see", ")", "it", ",", "did", "he", "?"), "He didn't (see) it, did he?");
    assert.equal(viewer.readable("Its only ferry , the Alma"), "Its only ferry, the Alma");
    assert.equal(viewer.readable(""), "∅");
  },

  "fragments can be read back": () => {
    const fields = { doc: "a/b; part 000 & é=?", entity: "key:3", q: "#x+y" };
    assert.deepEqual(Object.fromEntries(new URLSearchParams(viewer.fragment(fields).slice(1))), fields);
  },

  "scales have round ticks inside": () => {
    for (const values of [[0.5, 0.5], [0.1, 0.9], [0.871, 0.8712], [-0.4, -0.1], [0, 0]]) {
      const scale = viewer.scaleOf(values);
      assert.ok(scale.low < scale.high && scale.ticks.length >= 1 && scale.ticks.length <= 8, JSON.stringify([values, scale]));
      for (const tick of scale.ticks) assert.ok(tick >= scale.low - 1e-9 && tick <= scale.high + 1e-9);
    }
  },
};
