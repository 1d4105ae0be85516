// The tests in the browser, by name. Limits apply to the processor time of the page: less than a second to open it, and
// imperceptible delays for actions. Elapsed times are printed too.

import assert from "node:assert/strict";
import { inflateRawSync } from "node:zlib";
import { evaluation, hostile, large, single, small, wide, withoutText } from "./fixtures.mjs";

/** A letter with a stack of marks. */
const STACK = `Z${"\u0301\u0300\u0302\u0308".repeat(10)}`;

/** The value of a chunk. */
const plain = (chunk) => JSON.parse(inflateRawSync(Buffer.from(chunk, "base64")));

const shown = (page, selector) => page.locator(selector).allInnerTexts();
const clickWords = (page, text) => page.locator(".words .m", { hasText: text }).first().click({ position: { x: 12, y: 12 } });
const hash = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));

/** Fails unless the ends of all arcs are at the mentions that their names contain, above or below the words. */
async function arcsMeet(page) {
  await page.locator(".arcs .arc").first().waitFor();
  const arcs = await page.locator(".arcs .arc").evaluateAll((arcs) => arcs.map((arc) => {
    const name = arc.getAttribute("aria-label");
    const mentions = [...name.matchAll(/“([^”]*)” in sentence (\d+)/g)];
    const line = arc.querySelector(".line");
    const { x, y } = arc.ownerSVGElement.getBoundingClientRect();
    const meets = ([, text, sentence], length) => {
      const point = line.getPointAtLength(length);
      const [left, top] = [point.x + x, point.y + y];
      return [...document.querySelectorAll(`[data-sentence="${Number(sentence) - 1}"] .m`)].filter((mention) => mention.textContent === text).some((mention) => {
        const box = mention.getClientRects()[0];
        return left > box.left - 1 && left < box.right + 1 && (Math.abs(top - box.top) < 1 || Math.abs(top - box.bottom) < 1);
      });
    };
    return [name, mentions.length === 2 && meets(mentions[0], 0), mentions.length === 2 && meets(mentions[1], line.getTotalLength())];
  }));
  assert.deepEqual(arcs.filter(([, start, end]) => !start || !end), []);
  return arcs.length;
}

/** A text with several lines per sentence. The system leaves each pronoun alone, and links another entity to the first one. */
const manyLinks = ([name, pronoun, other], words) => {
  const sentence = (first, second, third) => `[1 ${name}] ${words} [${first} ${pronoun}] ${words} ${words} [${third} ${other}] ${words} [${second} ${pronoun}${pronoun}] .`;
  const places = [0, 1, 2, 3];
  return { key: places.map(() => sentence(1, 1, 2)).join("\n"), responses: [places.map((place) => sentence(`a${place}`, `b${place}`, place === 0 ? 1 : 2)).join("\n")] };
};

/** Milliseconds until the page has painted the effect of an action. */
const timed = (page, action) =>
  page.evaluate(async (action) => {
    const start = performance.now();
    await new Function(`return (async () => { ${action} })()`)();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - start;
  }, action);

/**
 * The limits in milliseconds of work for opening a page, and for an action. VIEWER_LIMITS=1 enforces them, on an idle machine;
 * otherwise the limits are five times as high, so that busy machines do not fail.
 */
const PATIENCE = process.env.VIEWER_LIMITS === "1" ? 1 : 5;
const OPENING = 1000 * PATIENCE;
const ACTION = 200 * PATIENCE;

/** Performs an action and fails if it takes too much work. Prints work and elapsed time. */
async function measure(page, work, actions) {
  const opened = [await work(), await page.evaluate(() => performance.now())];
  const measured = [["opened", ...opened, OPENING]];
  for (const [name, action] of actions) {
    if (typeof action === "function") {
      await action();
      continue;
    }
    const before = await work();
    const elapsed = await timed(page, action);
    measured.push([name, (await work()) - before, elapsed, ACTION]);
  }
  console.log(`      ${measured.map(([name, used, elapsed]) => `${name} ${Math.round(used)} (${Math.round(elapsed)} elapsed)`).join(", ")} ms`);
  for (const [name, used, , most] of measured) assert.ok(used < most, `${name}: ${Math.round(used)} ms of work`);
}

export const browserTests = {
  "summary of two systems": {
    data: () => small,
    test: async (page, { accessible, picture }) => {
      assert.equal(await page.locator("h1").innerText(), "alder and birch against key.conll");
      assert.match(await page.locator(".verdict").innerText(), /alder leads birch by 13\.00 points \[\+10\.00, \+15\.00\], p = 0\.002: a significant difference/);
      assert.equal(await page.locator("table.scores td.best").count(), 3);
      await page.getByRole("button", { name: "Recall" }).click();
      assert.equal(await page.locator("table.scores td.best").count(), 2, "CoNLL has no recall");
      await page.locator("section", { has: page.locator("#forest") }).getByLabel("Metric").selectOption("b_cubed");
      assert.match((await shown(page, "table.forest tbody tr"))[0], /alder/);
      assert.match(await page.locator(".settings").innerText(), /Entities of one mention singletons keep.*\nScore them\./);
      assert.equal(await page.locator(".settings .changed").count(), 1);
      assert.deepEqual((await shown(page, ".warnings .badge")), ["warning", "note"], "warnings come before notes");
      await accessible("summary");
      await picture("summary");
    },
  },

  "summary of one system": {
    data: () => single,
    test: async (page, { accessible }) => {
      assert.equal(await page.locator("table.scores tbody tr").count(), 3);
      assert.match((await shown(page, "table.scores tbody tr"))[0], /MUC.*88\.00.*91\.00/s);
      assert.equal(await page.locator("table.forest").count(), 1);
      await accessible("summary of one system");
    },
  },

  "counts of errors lead to examples and to the text": {
    data: () => small,
    test: async (page, { accessible, picture }) => {
      await page.locator("table.errors tr", { hasText: "Missed link" }).locator("a").first().click();
      assert.deepEqual(await hash(page), { view: "errors", kind: "missed_link", system: "alder" });
      const rows = page.locator(".examples tbody tr");
      const count = await rows.count();
      assert.ok(count > 0);
      for (const text of await rows.allInnerTexts()) assert.match(text, /Missed link[^]*alder/);
      await rows.first().locator("summary").click();
      await page.waitForSelector(".context mark.key");
      assert.equal(await page.locator(".context mark.key").count(), 2, "anaphor and antecedent are marked");
      await accessible("errors");
      await picture("errors");
      await page.getByRole("link", { name: "Show in the text" }).click();
      await page.waitForSelector(".words .m.cursor");
      assert.equal((await hash(page)).doc, "news/ferry");
      assert.ok((await page.locator(".words .m.sel").count()) > 0, "the entity is selected");
    },
  },

  "a reason why no difference can be significant": {
    data: () => ({ ...small, comparison: { ...small.comparison, reason_for_insignificance: "with so few documents the smallest possible p-value is 0.25", pairs: small.comparison.pairs.map((pair) => ({ ...pair, metrics: { conll: { ...pair.metrics.conll, p_corrected: 0.5, significant: false } } })) } }),
    test: async (page) => {
      assert.match(await page.locator(".verdict").innerText(), /p = 0\.500: not a significant difference\. With so few documents the smallest possible p-value is 0\.25\.$/);
    },
  },

  "equal systems are tied": {
    data: () => ({ ...small, systems: small.systems.map((system) => ({ ...system, scores: small.systems[0].scores })) }),
    test: async (page) => {
      assert.equal(await page.locator(".verdict").innerText(), "alder and birch are tied.");
      assert.match(await page.locator(".big .what").innerText(), /CoNLL of alder and birch/);
    },
  },

  "a lead that is not visible in two digits is not 0": {
    data: () => ({ ...small, comparison: { ...small.comparison, pairs: [{ first: 0, second: 1, metrics: { conll: { f1: -0.00001, p: 0.9 } } }] } }),
    test: async (page) => assert.match(await page.locator(".verdict").innerText(), /leads birch by less than 0\.01 points/),
  },

  "a key without a name is not in the heading": {
    data: () => ({ ...single, key: { name: "" } }),
    test: async (page) => {
      assert.equal(await page.locator("h1").innerText(), "alder");
      assert.equal(await page.title(), "alder");
    },
  },

  "a page states why systems are not compared": {
    data: () => ({ ...small, comparison: undefined, not_compared: { message: "`birch` lacks the document `a`", remedy: "add it" } }),
    test: async (page, { accessible }) => {
      assert.equal(await page.locator(".lead .notice").innerText(), "There are no intervals and no comparison: birch lacks the document a.");
      assert.match((await shown(page, ".warnings > li"))[0], /No intervals and tests: birch lacks the document a\.\s+Add it\./);
      await accessible("not compared");
    },
  },

  "the page names how errors are counted": {
    data: () => ({ ...small, analysis: [{ name: "tree", value: "closest", about: "The antecedent shown", words: "The closest mention.", default: false }] }),
    test: async (page, { open }) => {
      assert.match(await page.locator(".settings").last().innerText(), /The antecedent shown tree closest\s*changed\s+The closest mention\./);
      await open("#view=errors");
      await page.getByRole("navigation", { name: "After the errors" }).getByRole("button", { name: "How errors are counted" }).click();
      assert.equal(await page.evaluate(() => document.activeElement.id), "counted");
      assert.match(await page.locator(".settings").innerText(), /The closest mention\./);
      await page.getByRole("button", { name: "Most frequent wrong antecedents" }).click();
      assert.match(await page.evaluate(() => document.activeElement.textContent), /^Most frequent wrong antecedents/);
    },
  },

  "data without types and distances have no columns of them": {
    data: () => {
      const errors = plain(small.errors);
      return { ...small, errors: { ...errors, rows: errors.rows.map(({ type, other_type, distance, ...row }) => row) } };
    },
    hash: "#view=errors",
    test: async (page) => {
      await page.locator(".examples tbody tr").first().waitFor();
      const heads = (await shown(page, ".examples thead th")).map((head) => head.replace(/\W+$/, ""));
      assert.deepEqual(heads, ["Kind", "Mention", "System", "Document"]);
    },
  },

  "tables by group are filtered and show that they can be sorted": {
    data: () => small,
    hash: "#view=documents",
    test: async (page, { accessible }) => {
      const table = page.locator("[aria-label='Scores by genre']");
      assert.equal(await table.locator("tbody tr").count(), 4);
      await page.getByRole("searchbox", { name: "Filter by genre" }).fill("ara");
      assert.deepEqual(await table.locator("tbody th").allInnerTexts(), ["arabic"]);
      assert.equal(await page.locator("[aria-label='Scores by document'] tbody tr").count(), 4);
      const head = table.locator("thead th").first();
      assert.equal(await head.getAttribute("aria-sort"), "none");
      await head.getByRole("button").click();
      assert.equal(await head.getAttribute("aria-sort"), "ascending");
      await accessible("documents with a filter");
    },
  },

  "links of all displayed systems are listed, those of one are drawn": {
    data: () => small,
    hash: "#doc=news/ferry&mode=columns&columns=all&entity=key:0",
    test: async (page, { accessible }) => {
      await page.locator(".arcs .arc").first().waitFor();
      const listed = () => page.locator(".ofsystem").evaluateAll((systems) => systems.map((system) => [system.querySelector("bdi").textContent, system.querySelectorAll("li").length]));
      const [[first, ofAlder], [second, ofBirch]] = await listed();
      assert.deepEqual([first, second], ["alder", "birch"]);
      assert.ok(ofAlder > 0 && ofBirch > 0 && ofAlder !== ofBirch, `${ofAlder} ${ofBirch}`);
      assert.equal(await page.locator(".arcs .arc").count(), ofAlder);
      assert.match(await page.locator(".textlegend").innerText(), /missing in 1 of 2 systems[^]*Links: of the selected entity in alder\./);
      await page.getByRole("button", { name: "Draw the links of birch" }).click();
      await page.waitForFunction((count) => document.querySelectorAll(".arcs .arc").length === count, ofBirch);
      assert.equal((await hash(page)).columns, "all", "all systems are still displayed");
      assert.match(await page.locator(".ofsystem", { hasText: "birch" }).innerText(), /drawn in the text/);
      await accessible("links of several systems");
    },
  },

  "columns do not break words, and scroll with their heads": {
    data: () => small,
    hash: "#doc=news/ferry&mode=columns&columns=all",
    width: 400,
    test: async (page) => {
      await page.locator(".words .line").first().waitFor();
      const widths = await page.locator(".words .s").first().locator(".line").evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().width));
      assert.ok(widths.every((width) => width > 130), String(widths));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page itself does not scroll");
      await page.locator(".scroller").evaluate((scroller) => void (scroller.scrollLeft = 1000));
      await page.waitForFunction(() => document.querySelector(".columnheads").scrollLeft > 50);
      const places = await page.evaluate(() => [".columnheads span:last-child", ".words .s .line:last-child"].map((selector) => document.querySelector(selector).getBoundingClientRect().left));
      assert.ok(Math.abs(places[0] - places[1]) < 3, String(places));
    },
  },

  "aligned mentions with different boundaries have one tag": {
    data: () => {
      const [key, response] = [[[0, 3], [4, 5], [6, 7]], [[2, 3], [4, 5], [8, 9]]].map((spans) => ({ mentions: spans.map(([start, end]) => ({ spans: [[start, end]], entity: 0 })), entities: [{ name: "a" }] }));
      const body = { words: "the old town saw it and a b c".split(" "), sentences: [0], key, responses: [{ ...response, matches: [[0, 0], [1, 1], [2, 2]] }] };
      return evaluation(["alder"], [{ id: "a", body }]);
    },
    hash: "#doc=a",
    test: async (page) => {
      await page.locator(".words .m").first().waitFor();
      const tags = await page.locator(".words .m").evaluateAll((mentions) => mentions.map((mention) => [mention.textContent, mention.dataset.tag ?? ""]));
      // Aligned mentions at different places, such as zeros, have a tag each.
      assert.deepEqual(tags, [["the old town", "1"], ["town", ""], ["it", "1"], ["a", "1"], ["c", "1"]]);
    },
  },

  "a document is found by its name without its only part": {
    data: () => ({ ...single, documents: single.documents.map((document) => ({ ...document, id: `${document.id}; part 000` })) }),
    hash: "#doc=news/ferry",
    test: async (page) => {
      await page.locator(".words .m").first().waitFor();
      assert.equal(await page.locator("h1").innerText(), "news/ferry; part 000");
    },
  },

  "a printed text has no arcs and the selected entity after it": {
    data: () => small,
    hash: "#doc=news/ferry&entity=key:0",
    width: 794,
    test: async (page) => {
      await page.locator(".arcs .arc").first().waitFor();
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator(".arcs").isVisible(), false);
      const { top, bottom } = await page.evaluate(() => ({ top: document.querySelector(".panel").getBoundingClientRect().top, bottom: document.querySelector(".words").getBoundingClientRect().bottom }));
      assert.ok(top >= bottom, `${top} ${bottom}`);
      assert.equal(await page.locator(".panel").evaluate((panel) => getComputedStyle(panel).position), "static");
    },
  },

  "printed tables have all columns": {
    data: () => evaluation(["a system of this name", "another system", "the third system"], [{ id: "news/a", body: plain(small.documents[0].body) }]),
    hash: "#view=documents",
    width: 680,
    test: async (page) => {
      await page.locator("[aria-label='Scores by document'] tbody tr").first().waitFor();
      await page.emulateMedia({ media: "print" });
      const right = await page.locator("[aria-label='Scores by document'] thead th").last().evaluate((head) => head.getBoundingClientRect().right);
      assert.ok(right <= 681, String(right));
    },
  },

  "words in eight printed columns are whole, on a page in landscape format": {
    data: () => {
      const key = "[1 [2 the keeper] of the north light] counted the stairs although [2 he] knew [3 [2 their] number] .";
      const response = "[1 the keeper of the north light] counted the stairs although [1 he] knew [2 [1 their] number] .";
      const names = ["a system of this name", "another-system-with-words", "three", "four", "five", "six", "seven"];
      return evaluation(names, [{ id: "news/a", key, responses: names.map((_, place) => (place % 2 ? response : key)) }]);
    },
    hash: "#doc=news/a&mode=columns&columns=all",
    width: 1009,
    test: async (page) => {
      await page.locator(".words .line").first().waitFor();
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator(".textpage").evaluate((text) => getComputedStyle(text).page), "wide");
      const broken = await page.evaluate(() => {
        const texts = document.createTreeWalker(document.querySelector(".words"), NodeFilter.SHOW_TEXT);
        const broken = [];
        while (texts.nextNode()) {
          for (const { 0: word, index } of texts.currentNode.data.matchAll(/\p{L}+/gu)) {
            const range = new Range();
            range.setStart(texts.currentNode, index);
            range.setEnd(texts.currentNode, index + word.length);
            if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
          }
        }
        return broken;
      });
      assert.deepEqual(broken, []);
    },
  },

  "an undefined score has no bar": {
    data: () => ({ ...single, systems: single.systems.map((system) => ({ ...system, scores: { ...system.scores, b_cubed: { recall: 0, precision: 0, f1: 0, defined: false }, muc: { recall: 0, precision: 0, f1: 0 } } })) }),
    test: async (page) => {
      const bars = (metric) => page.locator("table.scores tbody tr", { hasText: metric }).locator(".bar").count();
      assert.deepEqual([await bars("MUC"), await bars("B³")], [3, 0]);
    },
  },

  "the bars of a table have one scale": {
    data: () => small,
    hash: "#view=errors",
    test: async (page) => {
      const table = page.locator("[aria-label='Most frequent wrong antecedents']");
      await table.waitFor();
      const widths = await table.locator(".countbar .bar span").evaluateAll((bars) => bars.map((bar) => bar.style.width));
      assert.deepEqual(widths, ["100%", "10%", "2%", "0%"]);
      const columns = await table.locator(".countbar .bar").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
      assert.equal(new Set(columns).size, 1, String(columns));
      assert.equal(await table.locator("tbody th").first().innerText(), "His daughter, who was seven");
    },
  },

  "the errors of two analyses are not added up": {
    data: () => small,
    hash: "#view=errors&system=alder",
    test: async (page) => {
      const total = async (name) => Number(await page.getByRole("button", { name }).locator(".total").innerText());
      const heading = () => page.locator(".heading p").innerText();
      const rows = page.locator(".examples tbody tr");
      await rows.first().waitFor();
      const parts = [await total(/^Missing mention/), await total(/^Extra mention/), await total(/^Missed link/), await total(/^Wrong link/)];
      assert.equal(await total(/^All kinds/), parts[0] + parts[1]);
      assert.equal(await total(/^All links/), parts[2] + parts[3]);
      assert.equal(await heading(), `${parts[0] + parts[1]} errors`);
      assert.equal(await rows.count(), parts[0] + parts[1]);
      await page.getByRole("button", { name: /^All links/ }).click();
      assert.equal(await heading(), `${parts[2] + parts[3]} link errors`);
      assert.ok((await rows.allInnerTexts()).every((text) => /^(Missed|Wrong) link/.test(text)));
      await page.getByRole("button", { name: /^Wrong link/ }).click();
      await page.getByRole("button", { name: "Clear filters" }).click();
      assert.equal((await hash(page)).kind, "links", "the analysis stays");
    },
  },

  "errors are filtered": {
    data: () => small,
    hash: "#view=errors&kind=links",
    test: async (page) => {
      const rows = page.locator(".examples tbody tr");
      await rows.first().waitFor();
      const all = await rows.count();
      await page.getByLabel(/^Type/).selectOption("pronoun");
      const pronouns = await rows.count();
      assert.ok(pronouns > 0 && pronouns < all);
      await page.getByLabel("Filter by text").fill("she");
      assert.ok((await rows.count()) < pronouns);
      await page.getByLabel("Filter by text").fill("no such words");
      assert.match(await page.locator(".examples").innerText(), /No error matches the filters/);
      await page.getByRole("button", { name: "Clear filters" }).click();
      assert.equal(await rows.count(), all);
      await page.getByRole("button", { name: /^Extra mention/ }).click();
      assert.ok((await rows.allInnerTexts()).every((text) => text.startsWith("Extra mention")));
      await page.getByLabel("Made by").selectOption("all");
      const shared = await rows.count();
      await page.getByLabel("Made by").selectOption("some");
      const own = await rows.count();
      await page.getByLabel("Made by").selectOption("");
      assert.ok(shared > 0 && own > 0);
      assert.equal(shared + own, await rows.count(), "an error is made by all systems or by some");
      // With two systems, errors that not all of them make are those of one alone.
      await page.getByLabel("Made by").selectOption("alone");
      assert.equal(await rows.count(), own);
    },
  },

  "documents are sorted and filtered": {
    data: () => small,
    hash: "#view=documents",
    test: async (page, { accessible, picture }) => {
      const names = () => shown(page, "[aria-label='Scores by document'] tbody th");
      assert.deepEqual(await names(), ["news/ferry", "hebrew/train", "arabic/market", "grammar/parts"]);
      await page.getByRole("button", { name: "Document", exact: true }).click();
      assert.deepEqual(await names(), ["arabic/market", "grammar/parts", "hebrew/train", "news/ferry"]);
      await page.getByRole("button", { name: /birch/ }).first().click();
      assert.equal((await names()).at(-1), "hebrew/train", "a document without score is last");
      await page.getByRole("button", { name: /birch/ }).first().click();
      assert.equal((await names()).at(-1), "hebrew/train", "and the other way round");
      assert.match(await page.locator("tbody tr", { hasText: "hebrew" }).first().innerText(), /missing/);
      await page.getByLabel("Filter documents").fill("AR");
      assert.deepEqual(new Set(await names()), new Set(["arabic/market", "grammar/parts"]));
      await page.getByLabel(/^Genre/).selectOption("arabic");
      assert.deepEqual(await names(), ["arabic/market"]);
      assert.equal((await hash(page)).q, "AR", "the address keeps the filter");
      assert.equal(await page.locator("[aria-label='Scores by genre'] tbody tr").count(), 4);
      await accessible("documents");
      await picture("documents");
      await page.getByRole("link", { name: "arabic/market" }).click();
      await page.waitForSelector(".words .m");
      assert.equal((await hash(page)).doc, "arabic/market");
    },
  },

  "an entity is selected by clicking": {
    data: () => small,
    hash: "#doc=news/ferry",
    test: async (page, { accessible, picture }) => {
      await page.waitForSelector(".words .m");
      await clickWords(page, "the company");
      assert.equal((await hash(page)).entity, "key:0");
      assert.equal(await page.locator(".panel h2").innerText(), "The Line");
      const selected = await shown(page, ".words .m.sel");
      assert.deepEqual(selected.map((text) => text.trim()), ["The Line", "its", "Its", "the company", "them"]);
      assert.match(await page.locator(".panel .tally").innerText(), /4 right[^]*1 in another entity[^]*0 missing/);
      await page.waitForSelector(".arcs .arc.missed");
      assert.equal(await page.locator(".arcs .arc.missed").count(), 1, "“them” should have been linked");
      const named = await page.getByRole("img", { name: /^Missed link from “them” in sentence \d+ to “.+” in sentence \d+$/ }).count();
      assert.equal(named, 1, "an arc has a name");
      assert.equal(await page.locator(".arcs .arclabel.missed").textContent(), "missed", "and a label");
      for (const kind of ["missed", "wrong"]) assert.equal(await page.locator(`.textlegend .arc.${kind}`).count(), 1, `the legend has ${kind} links`);
      const dashes = await page.locator(".textlegend .arc .line").evaluateAll((lines) => lines.map((line) => getComputedStyle(line).strokeDasharray));
      assert.notEqual(dashes[0], dashes[1], "not by colour alone");
      await accessible("text with a selected entity");
      await picture("selected");
      await page.locator(".panel .links button").click();
      assert.equal((await page.locator(".words .m.cursor").innerText()).trim(), "them", "the list of links goes to the anaphor");
      await page.locator(".panel .rows:not(.links) button", { hasText: "them" }).click();
      assert.equal((await page.locator(".words .m.cursor").innerText()).trim(), "them");
      await page.locator(".panel .others button").first().click();
      assert.match((await hash(page)).entity, /^system:/);
      assert.match(await page.locator(".panel").innerText(), /Entity of alder[^]*No one on the island/);
      await page.waitForSelector(".arcs .arc.wrong");
      await page.keyboard.press("Escape");
      assert.equal((await hash(page)).entity, undefined);
      // The text and its arcs follow the address a moment later.
      await page.waitForFunction(() => document.querySelectorAll(".words .m.sel, .arcs .arc").length === 0);
    },
  },

  "a link opens a document and an entity": {
    data: () => small,
    hash: "#doc=news/ferry&system=birch&entity=key:2",
    test: async (page) => {
      await page.waitForSelector(".words .m.sel");
      assert.equal(await page.locator(".panel h2").innerText(), "the island of Skarvoy");
      assert.equal(await page.locator(".toolbar [aria-pressed=true]", { hasText: "birch" }).count(), 1);
    },
  },

  "the history goes back to where one was": {
    data: () => small,
    test: async (page) => {
      await page.getByRole("link", { name: "Documents" }).click();
      await page.getByRole("link", { name: "hebrew/train" }).click();
      await page.waitForSelector(".words .m");
      await page.goBack();
      await page.waitForSelector("h1:has-text('Documents')");
      await page.goBack();
      await page.waitForSelector("h1:has-text('against')");
    },
  },

  "an address that leads nowhere is explained": {
    data: () => small,
    hash: "#doc=nothing&entity=key:99",
    test: async (page, { open }) => {
      assert.match(await page.locator(".notice").innerText(), /no document “nothing”/);
      await open("#doc=news/ferry&entity=key:999&mention=system:77&system=nobody");
      await page.waitForSelector(".words .m");
      assert.equal(await page.locator(".words .m.sel").count(), 0);
      assert.deepEqual(await shown(page, ".notice"), ["There is no system “nobody” in this report. The text shows alder.", "There is no entity “key:999” in this document."]);
    },
  },

  "an entity that is chosen in the panel comes into view": {
    data: large,
    hash: "#doc=long/one",
    test: async (page) => {
      await page.waitForSelector(".words .m");
      const rows = page.locator(".panel .rows button");
      const inView = () => page.locator(".words .m.sel").evaluateAll((elements) => elements.some((element) => element.getBoundingClientRect().top > 0 && element.getBoundingClientRect().bottom < innerHeight));
      for (const at of [0, 3]) {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        await rows.nth(at).click();
        await page.waitForSelector(".words .m.sel.cursor");
        assert.ok(await inView(), `entity ${at}`);
        await page.keyboard.press("Escape");
      }
      // A click in the text does not scroll.
      const mention = page.locator(".words .m:not(.sel)").nth(30);
      await mention.scrollIntoViewIfNeeded();
      const before = await page.evaluate(() => scrollY);
      await mention.click();
      await page.waitForSelector(".words .m.sel");
      assert.equal(await page.evaluate(() => scrollY), before);
    },
  },

  "the keyboard alone is enough": {
    data: () => small,
    hash: "#doc=news/ferry",
    test: async (page) => {
      await page.waitForSelector(".words .m");
      const cursor = async () => (await page.locator(".words .m.cursor").first().innerText()).trim();
      await page.keyboard.press("ArrowRight");
      assert.equal(await cursor(), "The Line");
      await page.keyboard.press("ArrowRight");
      assert.equal(await cursor(), "its winter service to the island of Skarvoy");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Enter");
      assert.equal((await hash(page)).entity, "key:0");
      for (const word of ["its", "Its", "the company", "them"]) {
        await page.keyboard.press("n");
        assert.equal(await cursor(), word);
      }
      await page.keyboard.press("p");
      assert.equal(await cursor(), "the company");
      await page.keyboard.press("Escape");
      await page.keyboard.press("e");
      assert.equal(await cursor(), "its winter service to the island of Skarvoy");
      assert.match(await page.locator("p[aria-live=polite].hidden").innerText(), /its winter service.*missing in alder/);
      await page.keyboard.press("m");
      await page.waitForSelector(".words.columns");
      await page.keyboard.press("s");
      assert.equal((await hash(page)).system, "birch");
      await page.keyboard.press("]");
      await page.waitForSelector("h1:has-text('hebrew/train')");
      await page.keyboard.press("[");
      await page.waitForSelector("h1:has-text('news/ferry')");
      // Keys that are pressed before the text is unpacked are not lost.
      const headings = await page.evaluate(async () => {
        const headings = [];
        for (const key of "][][") {
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          for (let turn = 0; turn < 10; turn += 1) await null; // renders, and paints nothing
          headings.push(document.querySelector("h1").innerText);
        }
        return headings;
      });
      assert.deepEqual(headings, ["hebrew/train", "news/ferry", "hebrew/train", "news/ferry"]);
      await page.waitForSelector(".words .m");
      await page.keyboard.press("/");
      await page.keyboard.type("island");
      assert.match(await page.locator(".found").innerText(), /3 sentences/);
      await page.keyboard.press("Enter");
      await page.waitForSelector(".s.flash");
      // The first Esc clears the field, the second one leaves it.
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.waitForSelector("dialog[open]");
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("dialog[open]").count(), 0);
      // Tab reaches usable elements, and the focus is visible.
      await page.keyboard.press("Tab");
      const focused = () => page.evaluate(() => ({ name: document.activeElement.tagName, visible: document.activeElement.matches(":focus-visible"), outline: getComputedStyle(document.activeElement).outlineStyle }));
      const { name, visible, outline } = await focused();
      assert.match(name, /^(A|BUTTON|INPUT|SELECT)$/);
      assert.ok(visible && outline !== "none", "the focus is seen");
    },
  },

  "keys work wherever the focus is, except in fields and dialogs": {
    data: () => small,
    hash: "#doc=news/ferry",
    test: async (page) => {
      await page.waitForSelector(".words .m");
      const system = async () => (await hash(page)).system ?? "alder";
      await page.locator("h1").click();
      assert.equal(await page.evaluate(() => document.activeElement.id), "main");
      await page.keyboard.press("s");
      assert.equal(await system(), "birch", "after a click on the heading");
      await page.locator(".skip").focus();
      await page.keyboard.press("Enter");
      assert.equal(await page.evaluate(() => document.activeElement.id), "main");
      await page.keyboard.press("s");
      assert.equal(await system(), "alder", "after the link that skips to the content");
      await page.getByRole("button", { name: "Columns" }).click();
      await page.keyboard.press("s");
      assert.equal(await system(), "birch", "on a button");
      await page.keyboard.press("e");
      assert.equal(await page.locator(".words .m.cursor").count(), 1);
      await page.getByRole("button", { name: "Overlay" }).focus();
      await page.keyboard.press("Enter");
      assert.deepEqual([(await hash(page)).mode, (await hash(page)).entity], [undefined, undefined], "Enter presses the button, and selects nothing");
      await page.getByRole("button", { name: "Singletons" }).focus();
      await page.keyboard.press("Space");
      assert.equal((await hash(page)).singletons, "hide");
      await page.getByRole("link", { name: "Metrics", exact: true }).focus();
      await page.keyboard.press("Control+s");
      assert.equal(await system(), "birch", "not with Ctrl");
      await page.keyboard.press("s");
      assert.equal(await system(), "alder", "on a link");
      await page.getByRole("searchbox", { name: "Search" }).focus();
      await page.keyboard.type("sm");
      await page.locator(".docnav select").focus();
      await page.keyboard.press("s");
      assert.deepEqual([await system(), (await hash(page)).mode, (await hash(page)).q], ["alder", undefined, "sm"], "not in fields");
      await page.locator("h1").click();
      await page.keyboard.press("?");
      await page.waitForSelector("dialog[open]");
      await page.keyboard.press("s");
      assert.equal(await system(), "alder", "not in the dialog");
    },
  },

  "the text is searched": {
    data: () => small,
    hash: "#doc=news/ferry",
    test: async (page, { accessible }) => {
      await page.waitForSelector(".words .m");
      await page.getByRole("searchbox", { name: "Search" }).fill("THE ISLAND");
      assert.match(await page.locator(".panel h2").innerText(), /3 sentences/);
      assert.equal(await page.evaluate(() => CSS.highlights.get("corefeval-search").size), 3);
      assert.equal(await page.evaluate(() => [...CSS.highlights.get("corefeval-search")].map((range) => range.toString().toLowerCase()).join()), "the island,the island,the island");
      await accessible("search");
      await page.getByRole("searchbox", { name: "Search" }).fill("nowhere");
      assert.match(await page.locator(".found").innerText(), /not found/);
      // Esc clears a search; in an empty field it leaves the field.
      await page.keyboard.press("Escape");
      assert.equal(await page.getByRole("searchbox", { name: "Search" }).inputValue(), "");
      assert.equal(await page.locator(".found").count(), 0);
      assert.equal(await page.evaluate(() => CSS.highlights.has("corefeval-search") || location.hash.includes("q=")), false);
      await page.keyboard.press("Escape");
      assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
      await page.getByRole("searchbox", { name: "Filter entities" }).fill("island");
      const filtered = await page.locator(".panel .rows button").count();
      await page.keyboard.press("Escape");
      assert.ok((await page.locator(".panel .rows button").count()) > filtered);
    },
  },

  "several systems are shown next to the key": {
    data: () => small,
    hash: "#doc=news/ferry&mode=columns",
    test: async (page, { accessible, picture }) => {
      await page.waitForSelector(".words .m");
      assert.deepEqual(await shown(page, ".columnheads span"), ["Key", "alder"]);
      await page.getByRole("button", { name: "All", exact: true }).click();
      assert.deepEqual(await shown(page, ".columnheads span"), ["Key", "alder", "birch"]);
      const lines = page.locator("[data-sentence='1'] .line");
      assert.equal(await lines.count(), 3);
      await lines.nth(0).locator(".m", { hasText: "the company" }).first().click();
      assert.equal(await page.locator("[data-sentence='1'] .line:nth-of-type(3) .m.sel").count(), 1, "birch has “the company” alone");
      const hues = await page.locator("[data-sentence='1'] .m.sel", { hasText: "the company" }).evaluateAll((elements) => elements.map((element) => element.style.getPropertyValue("--h")));
      assert.equal(hues.length, 3);
      assert.equal(new Set(hues).size, 1, "an entity has one colour in all columns");
      assert.match(await page.locator(".panel .systems").innerText(), /alder[^]*birch/);
      await accessible("columns");
      await picture("columns");
    },
  },

  "nested mentions have separate lines": {
    data: () => small,
    hash: "#doc=news/ferry",
    test: async (page) => {
      const outer = page.locator(".words .m", { hasText: "its winter service" }).first();
      const inner = outer.locator(".m", { hasText: /^its$/ });
      const [a, b] = [await outer.boundingBox(), await inner.boundingBox()];
      assert.ok(a.y + a.height > b.y + b.height + 2, "the line of the outer mention is below the inner one");
    },
  },

  "Hebrew and Arabic run from right to left": {
    data: () => small,
    hash: "#doc=hebrew/train",
    test: async (page, { accessible, open, picture }) => {
      await page.waitForSelector(".words .m");
      assert.equal(await page.locator(".words").getAttribute("dir"), "rtl");
      assert.equal(await page.locator(".words").getAttribute("lang"), "he");
      const [first, second] = [await page.locator(".words .m", { hasText: "הרכבת" }).first().boundingBox(), await page.locator(".words .m", { hasText: "ירושלים" }).first().boundingBox()];
      assert.ok(first.x > second.x, "the first mention is to the right");
      await page.keyboard.press("ArrowLeft");
      assert.equal((await page.locator(".words .m.cursor").innerText()).trim(), "הרכבת");
      await page.keyboard.press("Enter");
      // Links point from the anaphor to the antecedent, whose order is that of the page.
      for (const row of await page.locator(".panel .links .what").all()) {
        const [from, arrow, to] = await row.locator("> *").evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().x));
        assert.ok((await row.innerText()).includes("→") ? from < arrow && arrow < to : to < arrow && arrow < from);
      }
      assert.ok((await page.locator(".panel .links .what").count()) > 0);
      await accessible("Hebrew");
      await picture("hebrew");
      await open("#doc=arabic/market&mode=columns");
      await page.waitForSelector(".words.columns .m");
      const heads = await page.locator(".columnheads span").evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().x));
      assert.ok(heads[0] > heads[1], "the key's column is on the right");
      await accessible("Arabic");
      await picture("arabic");
    },
  },

  "the ends of arcs are at their mentions": {
    data: () => evaluation(["alder"], [
      { id: "text/english", ...manyLinks(["the ferry", "it", "an island"], "crossed the narrow sound again with every passenger and all the mail") },
      { id: "text/hebrew", language: "he", ...manyLinks(["הרכבת", "היא", "תחנת ירושלים"], "יצאה בשעה שבע בבוקר מן העיר ועברה על הגשר הישן מעל הנחל") },
      { id: "text/arabic", language: "ar", ...manyLinks(["مريم", "هي", "السوق القديم"], "ذهبت في الصباح مع أختها إلى المدينة ثم عادت في المساء") },
    ]),
    test: async (page, { open, picture }) => {
      for (const doc of ["text/english", "text/hebrew", "text/arabic"]) {
        for (const mode of ["overlay", "columns"]) {
          for (const width of [1280, 360]) {
            await page.setViewportSize({ width, height: 900 });
            await open(`#doc=${doc}&mode=${mode}&entity=key:0`);
            await page.waitForTimeout(100);
            assert.equal(await arcsMeet(page), 9);
            const outside = await page.locator(".arclabel").evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect()).filter(({ left, right }) => left < 0 || right > innerWidth).length);
            if (mode === "overlay") assert.equal(outside, 0, "labels are within the window");
            await picture(`arcs-${doc.slice(5)}-${mode}-${width}`);
          }
        }
      }
    },
  },

  "zeros are marked": {
    data: () => small,
    hash: "#doc=hebrew/train",
    test: async (page) => {
      await page.waitForSelector(".words .zero");
      assert.deepEqual(await shown(page, ".words .zero"), ["∅היא"]);
      await page.locator(".words .zero").click();
      assert.match(await page.locator(".panel").innerText(), /הרכבת[^]*1 in another entity/);
    },
  },

  "a missing document and a discontinuous mention": {
    data: () => small,
    hash: "#doc=hebrew/train&system=birch",
    test: async (page, { open, picture }) => {
      assert.match(await page.locator(".notice").innerText(), /birch lacks this document/);
      await open("#doc=grammar/parts");
      await page.waitForSelector(".words .m.parts");
      assert.equal(await page.locator(".words .m.parts").count(), 2);
      await page.locator(".words .m.parts").nth(1).click();
      assert.deepEqual((await shown(page, ".words .m.sel")).map((text) => text.trim()).slice(0, 2), ["gave", "up"]);
      assert.match(await page.locator(".panel .rows").first().innerText(), /gave … up/);
      assert.deepEqual(await shown(page, ".speaker"), ["Ann", "Bo"]);
      await picture("discontinuous");
    },
  },

  "singletons can be hidden": {
    data: () => small,
    hash: "#doc=news/ferry",
    test: async (page) => {
      await page.waitForSelector(".words .m");
      assert.equal(await page.locator(".words .m", { hasText: "its winter service" }).count(), 1);
      await page.getByRole("button", { name: "Singletons" }).click();
      assert.equal(await page.locator(".words .m", { hasText: "its winter service" }).count(), 0);
      assert.equal((await hash(page)).singletons, "hide");
    },
  },

  "dark": {
    data: () => small,
    scheme: "dark",
    test: async (page, { accessible, open, picture }) => {
      const lightness = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0));
      assert.ok((await lightness()) < 150, "dark as the system asks");
      await accessible("dark summary");
      for (const [name, hash] of Object.entries({ errors: "#view=errors&kind=missed_link", documents: "#view=documents", metrics: "#view=metrics", text: "#doc=news/ferry&entity=key:0", columns: "#doc=news/ferry&mode=columns&columns=all" })) {
        await open(hash);
        await page.waitForTimeout(150);
        await accessible(`dark ${name}`);
        await picture(`dark-${name}`);
      }
      const button = page.getByRole("button", { name: /Colours/ });
      await button.click();
      await button.click();
      await page.waitForTimeout(200);
      assert.ok((await lightness()) > 600, "light as the reader asks");
      await accessible("light text");
    },
  },

  "narrow": {
    data: () => small,
    width: 390,
    height: 844,
    test: async (page, { accessible, open, picture }) => {
      const fits = async (what) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} fits a narrow window`);
      for (const [name, hash] of Object.entries({ summary: "#", errors: "#view=errors", documents: "#view=documents", metrics: "#view=metrics", text: "#doc=news/ferry&entity=key:0", columns: "#doc=news/ferry&mode=columns" })) {
        await open(hash);
        await page.waitForTimeout(150);
        await fits(name);
        await accessible(`narrow ${name}`);
        await picture(`narrow-${name}`);
      }
    },
  },

  "long names of systems fit windows": {
    data: () => evaluation(["roberta-large-coref_ontonotes-english.v2024-11-30_checkpoint-123456.best", "a system with a long name of many words in it", "c"], [{ id: "news/a", body: plain(small.documents[0].body) }]),
    width: 360,
    test: async (page, { accessible, open, picture }) => {
      const views = { summary: "#", errors: "#view=errors", documents: "#view=documents", metrics: "#view=metrics", text: "#doc=news/a&entity=key:0", columns: "#doc=news/a&mode=columns&columns=all" };
      for (const width of [320, 360]) {
        await page.setViewportSize({ width, height: 800 });
        for (const [name, hash] of Object.entries(views)) {
          await open(hash);
          await page.waitForTimeout(100);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} fits ${width} px`);
          if (name === "metrics" && width === 360) assert.ok(await page.locator(".table:has(.values)").evaluateAll((tables) => tables.every((table) => table.scrollWidth <= table.clientWidth)), "scores of metrics are visible");
          await accessible(`long names, ${name}`);
          await picture(`long-names-${name}`);
        }
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      await open("#view=documents");
      const heads = await page.locator("[aria-label='Scores by document'] thead bdi").evaluateAll((names) => names.map((name) => name.getBoundingClientRect().width));
      assert.equal(heads.length, 3);
      assert.ok(heads.every((width) => width < 200), String(heads));
    },
  },

  "a perfect response has no largest gain and no errors": {
    data: () => {
      const perfect = { muc: { recall: 1, precision: 1, f1: 1 }, b_cubed: { recall: 1, precision: 1, f1: 1 }, conll: { f1: 1 } };
      const { key } = plain(small.documents[0].body);
      const body = { ...plain(small.documents[0].body), responses: [{ ...key, matches: key.mentions.map((_, index) => [index, index]) }] };
      const data = evaluation(["alder"], [{ id: "news/a", body }]);
      return { ...data, systems: data.systems.map((system) => ({ ...system, scores: perfect, costs: ["span_error", "missing_mention"].map((kind) => ({ kind, alone: { conll: 1 }, sequence: { conll: 1 } })) })) };
    },
    test: async (page, { open }) => {
      assert.equal(await page.locator("table.waterfall tbody tr").count(), 3);
      assert.equal(await page.locator("table.waterfall .largest").count(), 0);
      assert.doesNotMatch(await page.locator("section:has(#costs) .note").innerText(), /gains most/);
      await open("#view=errors");
      assert.equal(await page.locator(".examples .empty").innerText(), "There are no errors.");
      await page.getByRole("button", { name: /^All links/ }).click();
      assert.equal(await page.locator(".examples .empty").innerText(), "There are no link errors.");
    },
  },

  "an undefined score has no cost": {
    data: () => {
      const score = (value) => ({ conll: value });
      const costs = [
        { kind: "span_error", alone: score(null), sequence: score(null) },
        { kind: "missing_mention", alone: score(0.5), sequence: score(0.5) },
        { kind: "rest", label: "Other extra mentions", sequence: score(1) },
      ];
      return { ...small, systems: small.systems.map((system) => ({ ...system, scores: { ...system.scores, conll: { f1: 0, defined: false } }, costs })) };
    },
    test: async (page) => {
      const rows = await page.locator("table.waterfall tbody tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td.number")].map((cell) => cell.innerText)));
      assert.deepEqual(rows, [["–"], ["–", "–", "–"], ["50.00", "–", "–"], ["100.00", "+50.00", ""]]);
      assert.equal(await page.locator("table.waterfall .largest").count(), 1);
      assert.doesNotMatch(await page.locator("section:has(#costs) .note").innerText(), /gains most/);
    },
  },

  "a document without its text is not chosen": {
    data: () => ({ ...small, documents: small.documents.map(({ body, ...row }, index) => ([0, 2].includes(index) ? { ...row, body } : row)) }),
    hash: "#doc=hebrew/train",
    test: async (page, { open, accessible }) => {
      assert.match(await page.locator(".notice").innerText(), /not in the report\. Write the report with --documents/);
      const chosen = () => page.locator(".docnav select").evaluate((select) => select.selectedOptions[0].text);
      assert.equal(await chosen(), "Choose a document");
      await accessible("a document without its text");
      await page.getByRole("button", { name: "Next document" }).click();
      assert.equal(await chosen(), "arabic/market");
      await page.keyboard.press("[");
      assert.equal(await chosen(), "news/ferry");
      await open("#doc=nothing");
      assert.equal(await chosen(), "Choose a document");
    },
  },

  "the keys of the dialog are in line": {
    data: () => small,
    hash: "#doc=news/ferry",
    test: async (page, { picture }) => {
      await page.waitForSelector(".words .m");
      await page.keyboard.press("?");
      const lefts = await page.locator("dialog dd").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().left));
      const heights = await page.locator("dialog kbd").evaluateAll((keys) => keys.map((key) => key.getBoundingClientRect().height));
      assert.equal(new Set(lefts).size, 1, String(lefts));
      assert.equal(new Set(heights).size, 1, String(heights));
      await picture("keys");
    },
  },

  "metrics are explained": {
    data: () => small,
    hash: "#view=metrics&metric=muc",
    test: async (page, { accessible, picture }) => {
      assert.equal(await page.locator("#metric-muc .markdown code").innerText(), "one");
      assert.equal(await page.locator("#metric-muc .markdown li").count(), 2);
      assert.equal(await page.locator("#metric-muc .markdown b").count(), 0, "markup in the text stays text");
      const links = page.locator("#metric-muc .markdown a");
      assert.deepEqual(await links.evaluateAll((all) => all.map((link) => [link.textContent, link.href, link.rel])), [["doi:1", "https://doi.org/1", "noopener noreferrer"]], "only addresses of the web are links");
      assert.match(await page.locator("#metric-muc").innerText(), /<b>Not bold<\/b>[^]*Vilain et al/);
      await accessible("metrics");
      await picture("metrics");
    },
  },

  "a report without text has scores and errors": {
    data: () => withoutText,
    test: async (page, { open, accessible }) => {
      assert.match(await page.locator(".notice").innerText(), /without texts/);
      assert.equal(await page.getByRole("link", { name: "Text", exact: true }).count(), 0);
      await open("#view=errors");
      await page.waitForSelector(".examples tbody tr");
      assert.equal(await page.locator(".examples details").count(), 0);
      assert.match(await page.locator(".examples tbody tr").innerText(), /key, word 12, sentence 2/);
      await page.getByRole("button", { name: /^All links/ }).click();
      assert.match(await page.locator(".examples tbody tr").innerText(), /response, words 9–10, sentence 2 wrongly linked to word 1/);
      assert.equal(await page.getByLabel("Filter by text").count(), 0);
      await page.getByLabel("Filter by document").fill("ferry");
      assert.equal(await page.locator(".examples tbody tr").count(), 1);
      await page.getByLabel("Filter by document").fill("stairs");
      assert.equal(await page.locator(".examples tbody tr").count(), 0);
      await open("#view=documents");
      assert.equal(await page.locator("[aria-label='Scores by document'] a").count(), 0);
      await open("#doc=news/ferry");
      assert.match(await page.locator("main").innerText(), /--without-text/);
      await accessible("without text");
    },
  },

  "hostile text is inert": {
    data: () => hostile,
    test: async (page, { open, accessible, picture }) => {
      const id = await page.evaluate(() => JSON.parse(document.getElementById("corefeval-data").textContent).documents[0].id);
      for (const hash of ["#", "#view=documents", "#view=errors", "#view=metrics", `#doc=${encodeURIComponent(id)}`, `#doc=${encodeURIComponent(id)}&mode=columns&columns=all&entity=key:0`]) {
        await open(hash);
        await page.waitForTimeout(100);
        for (const summary of await page.locator(".examples summary").all()) await summary.click();
        assert.equal(await page.locator("#corefeval img, #corefeval script, #corefeval b").count(), 0);
        assert.equal(await page.evaluate(() => window.hacked), undefined);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "huge words do not widen the page");
        const text = await page.locator("#corefeval").innerText();
        const attributes = await page.locator("#corefeval [title], #corefeval [aria-label]").evaluateAll((elements) => elements.map((element) => `${element.title} ${element.ariaLabel}`).join());
        assert.ok(!/[\u202a-\u202e\u2066-\u2069\u0000\u001b]/.test(text + attributes), `no control character is shown at ${hash}`);
      }
      assert.match(await page.locator(".words").innerText(), /<img\/src=x\/onerror=window\.hacked=1>/);
      await accessible("hostile");
      await picture("hostile");
    },
  },

  "stacked marks stay within their row": {
    data: () => evaluation(["alder"], [{ id: `x/${STACK}`, key: `[1 one] [2 two] .\n[1 ${STACK}] saw [2 ${STACK}] .`, responses: [`[1 one] [2 two] .\n[1 ${STACK}] saw ${STACK} .`] }]),
    hash: "#view=text",
    test: async (page, { open, picture }) => {
      const clips = (selector) => page.locator(selector).evaluateAll((elements) => elements.map((element) => getComputedStyle(element).overflowY));
      await page.waitForSelector(".words .m");
      assert.deepEqual(await clips(".words .s, h1"), ["clip", "clip", "clip"]);
      await picture("stacked");
      await open("#view=documents");
      assert.ok((await clips("tbody th, tbody td")).every((overflow) => overflow === "clip"));
      await picture("stacked-documents");
    },
  },

  "a cell of a notebook": {
    data: () => small,
    frame: true,
    test: async (page, { picture }) => {
      const cell = page.frameLocator("iframe");
      assert.equal(await cell.locator("h1").innerText(), "alder and birch against key.conll");
      assert.ok(await cell.locator(".page").first().isVisible(), "the notebook's style stays outside");
      await cell.getByRole("link", { name: "Errors", exact: true }).click();
      await cell.locator(".examples tbody tr").first().waitFor();
      await cell.getByRole("button", { name: /^Missed link/ }).click();
      await cell.locator(".examples tbody tr summary").first().click();
      await cell.getByRole("link", { name: "Show in the text" }).click();
      await cell.locator(".words .m.cursor").waitFor();
      await page.keyboard.press("n");
      await cell.getByRole("link", { name: "Summary" }).click();
      await cell.locator("h1", { hasText: "against" }).waitFor();
      assert.equal(new URL(page.url()).hash, "", "the address of the notebook stays");
      await picture("notebook");
    },
  },

  "data of another version is refused": {
    data: () => ({ ...small, version: 2 }),
    test: async (page) => {
      assert.match(await page.locator("[role=alert]").innerText(), /version 2; this viewer reads version 1/);
    },
  },

  "a damaged chunk is reported": {
    data: () => ({ ...small, documents: small.documents.map((row) => ({ ...row, body: "AAAA" })) }),
    hash: "#doc=news/ferry",
    test: async (page) => {
      await page.waitForSelector(".notice");
      assert.match(await page.locator(".notice").innerText(), /cannot be unpacked/);
    },
  },

  "all of the text is printed": {
    data: large,
    hash: "#doc=long/one",
    test: async (page) => {
      await page.waitForSelector(".words .m");
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.emulateMedia({ media: "print" });
      assert.ok((await page.locator(".words .line").count()) > 2000);
      assert.equal(await page.locator(".toolbar").isVisible(), false);
    },
  },

  "50,000 words respond": {
    data: large,
    hash: "#doc=long/one",
    test: async (page, { picture, work }) => {
      await page.waitForSelector(".words .m");
      const largest = page.locator(".panel .rows button").first();
      const count = Number((await largest.innerText()).match(/\/(\d+)/)[1]);
      assert.ok(count > 100);
      await measure(page, work, [
        ["select", `document.querySelector(".panel .rows button").click()`],
        ["arcs", () => page.waitForTimeout(1500)],
        ["next", `dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }))`],
        ["jump", `[...document.querySelectorAll(".panel .rows button.mention")].at(-1).click()`],
        ["scroll", `scrollTo(0, document.body.scrollHeight / 2)`],
        ["search", `const box = document.getElementById("search-text"); box.value = "dolor sit amet"; box.dispatchEvent(new Event("input", { bubbles: true }))`],
        ["columns", `[...document.querySelectorAll(".toolbar button")].find((button) => button.textContent === "Columns").click()`],
      ]);
      await picture("long");
    },
  },

  "60,000 errors in 350 documents respond": {
    data: wide,
    test: async (page, { work }) => {
      await measure(page, work, [
        ["errors", async () => {
          await page.evaluate(() => void (location.hash = "#view=errors"));
          await page.waitForSelector(".examples tbody tr");
        }],
        ["kind", `document.querySelectorAll(".kind")[3].click()`],
        ["text", `const box = document.querySelector(".examples input"); box.value = "island"; box.dispatchEvent(new Event("input", { bubbles: true }))`],
        ["sort", `document.querySelector(".examples thead th:nth-child(2) button").click()`],
        ["documents", async () => {
          await page.evaluate(() => void (location.hash = "#view=documents"));
          await page.waitForSelector("[aria-label='Scores by document'] tbody tr");
        }],
        ["filter", `const box = document.querySelector(".tools input"); box.value = "bc"; box.dispatchEvent(new Event("input", { bubbles: true }))`],
      ]);
      assert.equal(await page.locator("[aria-label='Scores by document'] tbody tr").count(), 50);
    },
  },
};
