// Tests of the playground: the mouse, a finger and keys move mentions, and the scores equal the command's for the same
// entities.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { corefeval } from "./tools.mjs";

/** Returns the displayed entities, by side. */
const entities = (page) =>
  page.evaluate(() => Object.fromEntries(["key", "response"].map((side) => [
    side,
    [...document.querySelectorAll(`.entity[data-entity^="${side}:"]:not([data-new]):not([data-out])`)].map((entity) => [...entity.querySelectorAll(".mention")].map((mention) => mention.textContent)),
  ])));

/** The table of scores: recall, precision and F1 in percent, by metric. */
const scores = (page) =>
  page.evaluate(() => Object.fromEntries([...document.querySelectorAll("table.played tbody tr")].map((row) => [
    row.dataset.metric,
    [...row.querySelectorAll("td")].map((cell) => cell.querySelector(".score")?.textContent ?? "–"),
  ])));

/** Waits for the scores of the displayed entities. */
const settled = (page) => page.locator('.play[aria-busy="false"]').waitFor();

/** Fails unless every score of the page equals the command's for the displayed entities. */
async function agrees(page, folder) {
  await settled(page);
  const shown = await entities(page);
  for (const side of ["key", "response"]) writeFileSync(join(folder, `${side}.links`), `${shown[side].map((entity) => `{${entity.join(" ")}}`).join(" ")}\n`);
  const found = await scores(page);
  const metrics = Object.keys(found).join(",");
  const printed = JSON.parse(corefeval(folder, "score", "-q", "--format", "links", "--allow-empty", "-m", metrics, "-o", "json", "key.links", "response.links")).systems[0].metrics;
  for (const [id, [recall, precision, f1]] of Object.entries(found)) {
    const percent = (value) => (100 * value).toFixed(2);
    const wanted = printed[id];
    if (f1 !== "–") assert.equal(f1, percent(wanted.f1), `${id} of ${JSON.stringify(shown)}`);
    if (wanted.recall !== undefined && recall !== "–") assert.equal(recall, percent(wanted.recall), id);
    if (wanted.precision !== undefined && precision !== "–") assert.equal(precision, percent(wanted.precision), id);
  }
  return found;
}

/** The fractions of a row of the table: recall, precision and F1. */
const fractions = (page, metric) =>
  page.locator(`tr[data-metric="${metric}"]`).evaluate((row) => [...row.querySelectorAll("td")].map((cell) => [...cell.querySelectorAll(".count")].map((count) => count.textContent.replace(" = ", ""))));

const centre = async (locator) => {
  await locator.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
};
const chip = (page, side, mention) => page.locator(`[id="chip-${side}-${mention}"]`);
const place = (page, side, at) => page.locator(`.entity[data-entity="${side}:${at}"]`);

/** Two entities of the key, and a response that joins them. */
const LINK = "#play&key=a,b,c;d,e&response=a,b,c,d,e&metric=b_cubed";

export const playTests = {
  "playground: the mouse drags mentions": {
    hash: LINK,
    test: async (page, { folder, accessible, picture }) => {
      await page.locator("table.played").waitFor();
      const before = await agrees(page, folder);
      assert.deepEqual(before.muc, ["100.00", "75.00", "85.71"]);
      const drag = async (from, to) => {
        await page.mouse.move(...await centre(from));
        await page.mouse.down();
        const [x, y] = await centre(to);
        await page.mouse.move(x - 5, y);
        await page.mouse.move(x, y);
        await page.mouse.up();
      };
      // Every metric has a numerator and a denominator, which change with the mentions.
      for (const id of Object.keys(before)) assert.ok((await fractions(page, id)).some((counts) => counts.length > 0 && counts.every((count) => / of /.test(count))), id);
      assert.deepEqual(await fractions(page, "adjusted_rand"), [["0 of 0"], ["0 of 6"], []]);
      assert.deepEqual(await fractions(page, "blanc"), [
        ["coreference: 4 of 4", "non-coreference: 0 of 6"], ["coreference: 4 of 10", "non-coreference: 0 of 0"], [],
      ]);
      assert.deepEqual(await fractions(page, "conll"), [[], [], [`(${["muc", "b_cubed", "ceaf_e"].map((id) => before[id].at(-1)).join(" + ")}) of 3`]]);
      await drag(chip(page, "response", "d"), place(page, "response", "1"));
      assert.deepEqual((await entities(page)).response, [["a", "b", "c", "e"], ["d"]]);
      await agrees(page, folder);
      await drag(chip(page, "response", "e"), place(page, "response", "1"));
      const after = await agrees(page, folder);
      assert.deepEqual(after.conll.at(-1), "100.00");
      await drag(chip(page, "response", "a"), place(page, "response", "out"));
      assert.deepEqual((await entities(page)).response, [["b", "c"], ["d", "e"]]);
      await agrees(page, folder);
      // A mention stays on its side.
      await drag(chip(page, "response", "b"), place(page, "key", "1"));
      assert.deepEqual((await entities(page)).key, [["a", "b", "c"], ["d", "e"]]);
      await accessible("the playground");
      await picture("play");
    },
  },

  "playground: fingers drag mentions": {
    hash: LINK,
    touch: true,
    width: 390,
    height: 844,
    test: async (page, { folder, accessible, picture }) => {
      await page.locator("table.played").waitFor();
      const session = await page.context().newCDPSession(page);
      const [x, y] = await centre(chip(page, "key", "c"));
      const { x: left, y: top } = await place(page, "key", "1").boundingBox();
      const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
      await touch("touchStart", [x, y]);
      await touch("touchMove", [x, y + 10]);
      await touch("touchMove", [left + 40, top + 15]);
      await touch("touchEnd");
      assert.deepEqual((await entities(page)).key, [["a", "b"], ["d", "e", "c"]]);
      await agrees(page, folder);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
      await accessible("the playground on a narrow screen");
      await picture("play-narrow");
    },
  },

  "playground: keys move mentions, and the link holds everything": {
    hash: LINK,
    scheme: "dark",
    test: async (page, { folder, accessible, picture }) => {
      await page.locator("table.played").waitFor();
      await chip(page, "response", "e").focus();
      await page.keyboard.press("ArrowRight");
      assert.deepEqual((await entities(page)).response, [["a", "b", "c", "d"], ["e"]]);
      assert.equal(await page.evaluate(() => document.activeElement?.id), "chip-response-e", "the mention keeps the focus");
      await page.keyboard.press("ArrowRight");
      assert.deepEqual((await entities(page)).response, [["a", "b", "c", "d"], ["e"]], "there is nothing after a new entity");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Delete");
      assert.deepEqual((await entities(page)).response, [["a", "b", "c", "d"]]);
      await page.keyboard.press("n");
      assert.deepEqual((await entities(page)).response, [["a", "b", "c", "d"], ["e"]]);
      const found = await agrees(page, folder);
      await page.getByRole("button", { name: "LEA", exact: true }).click();
      await page.waitForURL(/#play&key=a,b,c;d,e&response=a,b,c,d;e&metric=lea$/);
      const link = page.url();
      const other = await page.context().newPage();
      await other.goto(link);
      await other.locator("table.played").waitFor();
      assert.deepEqual(await entities(other), await entities(page));
      assert.deepEqual(await scores(other), found);
      assert.equal(await other.locator("table.played tr.current").getAttribute("data-metric"), "lea");
      await other.close();
      await accessible("the playground, dark");
      await picture("play-dark");
    },
  },

  "playground: every example has the command's numbers": {
    hash: "#play",
    test: async (page, { folder }) => {
      await page.locator("table.played").waitFor();
      const select = page.getByLabel("Example");
      const values = await select.locator("option").evaluateAll((options) => options.map(({ value }) => value).filter((value) => value !== ""));
      assert.ok(values.length >= 19);
      for (const value of values) {
        await select.selectOption(value);
        await agrees(page, folder);
      }
      console.log(`      ${values.length} examples`);
    },
  },

  "playground: the terms of the LEA paper's example": {
    hash: "#play&key=a,b,c;d,e,f,g&response=a,b;c,d;f,g,h,i&metric=lea",
    test: async (page, { folder, accessible }) => {
      await page.locator("table.terms").first().waitFor();
      const rows = await page.locator("table.terms tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
      assert.deepEqual(rows, [
        ["K1", "a b c", "1", "3"], ["K2", "d e f g", "2/3", "4"], ["Sum", "", "5/3", "7"],
        ["R1", "a b", "2", "2"], ["R2", "c d", "0", "2"], ["R3", "f g h i", "2/3", "4"], ["Sum", "", "8/3", "8"],
      ]);
      await page.getByRole("button", { name: "Add a mention" }).click();
      await page.getByRole("button", { name: "Exchange" }).click();
      assert.deepEqual((await entities(page)).key, [["a", "b"], ["c", "d"], ["f", "g", "h", "i"], ["j"]]);
      await agrees(page, folder);
      await page.getByRole("button", { name: "Response = key" }).click();
      assert.equal((await agrees(page, folder)).lea.at(-1), "100.00");
      await page.evaluate(() => (location.hash = "#play&key=a,b;c,d&response=a,b;c;d&metric=adjusted_rand"));
      await page.locator(".explained").getByRole("heading", { name: "Adjusted Rand" }).waitFor();
      await page.getByText("K2").first().waitFor();
      await settled(page);
      const terms = await page.locator("table.terms tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
      assert.deepEqual(terms, [
        ["K1", "a b", "1", "1"], ["K2", "c d", "0", "1"], ["Chance", "subtracted", "−1/3", "−1/3"], ["Sum", "", "2/3", "5/3"],
        ["R1", "a b", "1", "1"], ["R2", "c", "0", "0"], ["R3", "d", "0", "0"], ["Chance", "subtracted", "−1/3", "−1/3"], ["Sum", "", "2/3", "2/3"],
      ]);
      assert.deepEqual(await fractions(page, "adjusted_rand"), [["2/3 of 5/3"], ["2/3 of 2/3"], []]);
      await page.getByRole("button", { name: "CoNLL", exact: true }).click();
      assert.equal(await page.locator("table.terms tbody tr").count(), 4, "three metrics and their mean");
      await page.getByRole("button", { name: "BLANC", exact: true }).click();
      assert.equal(await page.locator(".explained h3").count(), 2, "BLANC has two halves");
      await accessible("BLANC explained");
    },
  },
};
