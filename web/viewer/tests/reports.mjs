// Pages of `corefeval report`: their data conforms to the schema, and every view works.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { validate } from "./unit.mjs";

const root = new URL("../../../", import.meta.url).pathname;
const command = process.env.COREFEVAL ?? join(root, "target/debug/corefeval");
const systems = ["alder", "birch", "cedar"].map((name) => `${name}=examples/${name}.conll`);

/** A document as JSON, with words that contain markup, terminal commands, and changes of direction. */
const document = (clusters) =>
  `${JSON.stringify({ doc_key: "</script><b>a", sentences: [["<script>alert(1)</script>", "\u202eright", "דן", "רץ", "\u001b[31mred", "&lt;", "x".repeat(5000), "הוא", "שר"]], clusters })}\n`;

/** A document as JSON that does not contain its words. */
const positions = (clusters) => `${JSON.stringify({ doc_key: "d", clusters })}\n`;

/** Returns the command's page for files of the project, or for files with these contents. */
function report(inputs, contents = {}) {
  const folder = mkdtempSync(join(tmpdir(), "corefeval-report-"));
  try {
    const files = inputs.map((input) => {
      if (contents[input] === undefined) return input;
      writeFileSync(join(folder, input), contents[input]);
      return join(folder, input);
    });
    return execFileSync(command, ["report", "--no-warnings", ...files], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the data inside a page. */
const dataOf = (html) => JSON.parse(html.split('id="corefeval-data">')[1].split("</script>")[0]);

/** Opens every view, and the text of the first document if available. */
function everyView(html, name) {
  return async (page, { accessible, open, picture }) => {
    const data = dataOf(html());
    validate(data);
    for (const view of ["summary", "documents", "errors", "metrics"]) {
      await open(`#view=${view}`);
      await page.locator("#main h1").first().waitFor();
      if (view === "documents") await countsAgree(page, data);
      if (view === "errors" && data.systems.length > 1) {
        const { name: last } = data.systems.at(-1);
        await open(`#view=errors&system=${encodeURIComponent(last)}`);
        await page.locator("h2[id^=table] bdi").first().waitFor();
        assert.deepEqual(new Set(await page.locator("h2[id^=table] bdi").allInnerTexts()), new Set([last]), "tables of the selected system alone");
        await open("#view=errors");
      }
      if (view === "summary") assert.deepEqual(await page.locator(".facts").allInnerTexts(), data.counts, "documents, words and mentions of both sides");
      await accessible(`${name}, ${view}`);
      await picture(`${name.replaceAll(/\W+/g, "-")}-${view}`);
    }
    const shown = data.documents.find(({ body }) => body !== undefined);
    assert.equal(shown === undefined, data.without_text === true);
    if (shown === undefined) return;
    await open(`#doc=${encodeURIComponent(shown.id)}`);
    await page.locator(".words .m").first().waitFor();
    await accessible(`${name}, text`);
    await picture(`${name.replaceAll(/\W+/g, "-")}-text`);
  };
}

/** The sums of documents are the counts of the key in the summary. */
async function countsAgree(page, { counts }) {
  const key = /^key: .*/.exec(counts[0])?.[0] ?? counts[0];
  const [, mentions, entities] = /([\d,]+) mentions?, ([\d,]+) entit/.exec(key).map((number) => Number(String(number).replaceAll(",", "")));
  const heads = await page.locator("[aria-label='Scores by document'] thead th").allInnerTexts();
  const sum = async (name) => {
    const cells = await page.locator("[aria-label='Scores by document'] tbody tr").evaluateAll((rows, at) => rows.map((row) => row.cells[at].innerText), heads.findIndex((head) => head.startsWith(name)));
    return cells.reduce((total, cell) => total + Number(cell.replaceAll(",", "")), 0);
  };
  assert.deepEqual([await sum("Mentions"), await sum("Entities")], [mentions, entities]);
}

const cases = {
  "a report of three systems": () => report(["examples/key.conll", ...systems]),
  "a report without singletons": () => report(["examples/key.conll", "examples/cedar.conll", "--singletons", "drop"]),
  "a report of names of mentions": () => report(["examples/links/key.links", "examples/links/response.links"]),
  "a report of positions": () =>
    report(["key.jsonlines", "response.jsonlines"], { "key.jsonlines": positions([[[0, 1], [4, 4]], [[2, 3], [8, 8]]]), "response.jsonlines": positions([[[0, 1], [8, 8]], [[2, 3], [6, 7]]]) }),
  "a report without text": () => report(["examples/key.conll", ...systems, "--without-text"]),
  "a report with empty nodes": () => report(["--singletons", "keep", "testdata/formats/corefud/empty-node.conllu", "again=testdata/formats/corefud/empty-node.conllu"]),
  "a report with discontinuous mentions": () => report(["--singletons", "keep", "testdata/formats/corefud/discontinuous.conllu", "again=testdata/formats/corefud/discontinuous.conllu"]),
  "a report of hostile text": () =>
    report(["key.jsonlines", "response.jsonlines"], { "key.jsonlines": document([[[0, 1], [4, 5]], [[2, 2], [7, 7]]]), "response.jsonlines": document([[[0, 1], [7, 7]], [[2, 2], [6, 6]]]) }),
};

/** A mention with a missed and a wrong link has two labels, which do not cover each other, and two lines. */
async function labelsApart(page, { open }) {
  await open("#doc=stories/stairs; part 000&system=cedar&entity=key:0");
  await page.locator(".arclabel.wrong").waitFor();
  const lanes = await page.locator(".arcs .arc").evaluateAll((arcs) => arcs.map((arc) => {
    // The lane is the height of the line after its first corner.
    const [, x, , , y] = arc.querySelector(".line").getAttribute("d").match(/^M(\S+) (\S+)L.*?Q(\S+) (\S+) /);
    return { from: /from (“.*?” in sentence \d+)/.exec(arc.getAttribute("aria-label"))[1], x: Number(x), y: Number(y) };
  }));
  const both = lanes.flatMap((one, place) => lanes.slice(place + 1).filter(({ from }) => from === one.from).map((other) => [one, other]));
  assert.ok(both.length > 0);
  for (const [one, other] of both) assert.ok(Math.abs(one.y - other.y) > 2 && Math.abs(one.x - other.x) > 2, JSON.stringify([one, other]));
  const boxes = await page.locator(".arclabel").evaluateAll((labels) => labels.map((label) => {
    const { left, right, top, bottom } = label.getBoundingClientRect();
    return { left, right, top, bottom, kind: label.textContent };
  }));
  assert.ok(boxes.length > 3 && new Set(boxes.map(({ kind }) => kind)).size === 2);
  for (const [place, a] of boxes.entries()) {
    for (const b of boxes.slice(place + 1)) assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, JSON.stringify([a, b]));
  }
}

/** Correct mentions of larger entities have a tag, even if they are alone in an entity of the response. */
async function tagged(page, { open }) {
  await open("#doc=news/ferry_line; part 000&system=cedar");
  for (const text of ["the boat", "Berge and his wife"]) {
    const tags = await page.locator(".words .m.right", { hasText: new RegExp(`^${text}$`) }).evaluateAll((mentions) => mentions.map((mention) => mention.dataset.tag));
    assert.ok(tags.length > 0 && tags.every((tag) => /^\d+$/.test(tag)), `${text}: ${tags}`);
  }
}

/** Wrong antecedents of several links, in the spelling of the text; an anaphor only if it has several of them. */
async function antecedents(page, { open }) {
  const rows = async (system) => {
    await open(`#view=errors&system=${system}`);
    await page.locator("h2[id^=table]").first().waitFor();
    return page.locator(`[aria-label='Most frequent wrong antecedents of ${system}'] tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  };
  assert.deepEqual(await rows("birch"), [["The Hamre Line", "2", "", ""], ["your father", "2", "", ""]]);
  assert.deepEqual(await rows("cedar"), []);
}

/** Mentions that are not scored are explained, and shown in no count. */
async function unscored(page, { open }) {
  await open("#doc=news/ferry_line; part 000");
  await page.locator(".words .m.ignored").first().waitFor();
  assert.equal(await page.locator(".textlegend .ignored").innerText(), "not scored");
  assert.match(await page.locator(".panel").innerText(), /\d+ singletons in the key, not scored/);
  await page.getByRole("button", { name: "Singletons" }).click();
  assert.equal(await page.locator(".textlegend .ignored").count(), 0);
}

/** Names of mentions are a list: each once, without words and sentences. */
async function names(page, { open }) {
  await open("#view=text");
  await page.locator(".words .m").first().waitFor();
  assert.deepEqual(await page.locator(".words .m").evaluateAll((mentions) => mentions.map((mention) => mention.textContent)), ["line", "its", "company", "ferry", "her", "boat", "engine"]);
  assert.equal(await page.locator(".words .no, .panel .no").count(), 0);
  assert.match(await page.locator(".facts").innerText(), /^7 key mentions/);
  await open("#view=documents");
  assert.equal(await page.getByRole("button", { name: "Words" }).count(), 0);
}

/** Positions are written as numbers, in the text and in errors. */
async function numbers(page, { open }) {
  await open("#view=text");
  await page.locator(".words .m").first().waitFor();
  assert.match(await page.locator(".words").innerText(), /0–1\s+\S*2–3/);
  assert.equal(await page.locator(".words .no").count(), 0, "there are no sentences to number");
  await open("#view=errors");
  await page.locator(".examples tbody tr").first().waitFor();
  const text = await page.locator("main").innerText();
  assert.ok(!text.includes("∅") && /^6–7 put into/m.test(text), text);
}

export const reportTests = Object.fromEntries(
  Object.entries(cases).flatMap(([name, make]) => {
    let written;
    const html = () => (written ??= make());
    return ["light", "dark"].map((scheme) => [`${name}, ${scheme}`, { html, scheme, test: everyView(html, `${name}, ${scheme}`) }]);
  }),
);
reportTests["labels of links do not cover each other"] = { html: cases["a report of three systems"], test: labelsApart };
reportTests["correct mentions of larger entities have a tag"] = { html: cases["a report of three systems"], test: tagged };
reportTests["mentions that are not scored are explained"] = { html: cases["a report without singletons"], test: unscored };
reportTests["names of mentions are a list"] = { html: cases["a report of names of mentions"], test: names };
reportTests["positions of unknown words are numbers"] = { html: cases["a report of positions"], test: numbers };
reportTests["wrong antecedents of several links are listed"] = { html: cases["a report of three systems"], test: antecedents };
