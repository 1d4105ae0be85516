// Tests of the page: files are dropped, scored, compared and saved.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose, corefeval, done, drop, root, saved } from "./tools.mjs";

const example = (name) => join(root, "examples", name);
const KEY = example("key.conll");

/** The control of an option. */
const option = (page, name) => page.locator("label.choice").filter({ has: page.locator(`:text-is("${name}")`) }).or(page.locator(`label.choice:has(input[type="text"])`).filter({ hasText: new RegExp(`^${name}$`) })).locator("select, input").first();

const view = async (page, name) => {
  await page.getByRole("button", { name, exact: true }).click();
  await done(page);
};

/** The cells of the first table, without the column of names. */
const cells = (page) => page.locator(".fragment table").first().locator("tbody td").allInnerTexts();

/** The files of the example systems in the page's layout, for the command. */
function laidOut(folder, systems) {
  const copy = (to, name) => {
    mkdirSync(join(folder, to), { recursive: true });
    writeFileSync(join(folder, to, name), readFileSync(example(name)));
    return `${to}/${name}`;
  };
  return [copy("key", "key.conll"), ...systems.map((name) => copy(name.split(".")[0], name))];
}

/** A file with many copies of the documents of an example. */
function many(folder, name, copies) {
  const text = readFileSync(example(name), "utf8");
  writeFileSync(join(folder, name), Array.from({ length: copies }, (_, number) => text.replaceAll("#begin document (", `#begin document (${number}/`)).join(""));
  return join(folder, name);
}

/** Splits a report into the page around its data, its data without warnings as text, and the warnings. */
function divided(html) {
  const begin = html.indexOf('id="corefeval-data">') + 'id="corefeval-data">'.length;
  const end = html.indexOf("</script>", begin);
  const { warnings, ...data } = JSON.parse(html.slice(begin, end));
  return { around: [html.slice(0, begin), html.slice(end)], data: JSON.stringify(data), warnings };
}

export const pageTests = {
  "a loading page shows its state": {
    test: async (page, { accessible }) => {
      await page.addInitScript(() => void (Worker.prototype.postMessage = () => {}));
      await page.reload();
      await page.getByText("Loading the scorer…").waitFor();
      assert.match(await page.locator("footer").innerText(), /^corefeval\. /);
      await accessible("a page that loads");
      await page.getByRole("link", { name: "Playground" }).click();
      await page.getByText("Loading the metrics…").waitFor();
    },
  },

  "files are dropped and scored, and results are saved": {
    test: async (page, { folder, accessible, picture }) => {
      await page.locator(".place").first().waitFor();
      await accessible("an empty page");
      await picture("score-empty");
      await drop(page, "key", KEY);
      await drop(page, "responses", example("alder.conll"), example("cedar.conll"));
      await done(page);
      const paths = laidOut(folder, ["alder.conll", "cedar.conll"]);
      for (const [label, output, name] of [["JSON", "json", "scores.json"], ["CSV", "csv", "scores.csv"], ["LaTeX", "latex", "scores.tex"], ["Markdown", "markdown", "scores.md"]]) {
        assert.deepEqual(await saved(page, label), [name, corefeval(folder, "score", "-q", "-o", output, ...paths)]);
      }
      const json = JSON.parse(corefeval(folder, "score", "-q", "-o", "json", ...paths));
      assert.ok((await cells(page)).includes((100 * json.systems[0].metrics.conll.f1).toFixed(2)));
      assert.match(await page.locator(".findings").innerText(), /read as conll/);
      await accessible("scores");
      await picture("score");
    },
  },

  "systems are compared, and their errors are shown": {
    scheme: "dark",
    test: async (page, { folder, accessible, picture }) => {
      await choose(page, "key", KEY);
      await choose(page, "responses", example("alder.conll"), example("birch.conll"));
      await done(page);
      const paths = laidOut(folder, ["alder.conll", "birch.conll"]);
      await view(page, "Comparison");
      assert.deepEqual(await saved(page, "JSON"), ["comparison.json", corefeval(folder, "compare", "-q", "-o", "json", ...paths)]);
      assert.ok((await page.locator(".fragment").innerText()).includes("95% interval"));
      await accessible("comparison");
      await picture("compare-dark");
      await view(page, "Errors");
      assert.deepEqual(await saved(page, "CSV"), ["errors.csv", corefeval(folder, "errors", "-q", "-o", "csv", ...paths)]);
      await accessible("errors");
      await picture("errors-dark");
    },
  },

  "the report shows texts, and is saved as the command writes it": {
    test: async (page, { folder, picture }) => {
      await choose(page, "key", KEY);
      await choose(page, "responses", example("alder.conll"), example("cedar.conll"));
      await done(page);
      await view(page, "Report and texts");
      const report = page.frameLocator("iframe.report");
      await report.locator("#main h1").waitFor();
      await report.getByRole("link", { name: "Text", exact: true }).click();
      await report.locator(".words .m").first().waitFor();
      await page.locator("iframe.report").scrollIntoViewIfNeeded();
      await picture("report", false);
      const paths = laidOut(folder, ["alder.conll", "cedar.conll"]);
      // The bytes equal the command's, except for the remedies of warnings, which name the page's settings.
      const [name, html] = await saved(page, "HTML report");
      assert.equal(name, "report.html");
      const [mine, theirs] = [html, corefeval(folder, "report", "-q", ...paths)].map(divided);
      assert.deepEqual(mine.around, theirs.around);
      assert.equal(mine.data, theirs.data);
      assert.equal(mine.warnings.length, theirs.warnings.length);
      for (const [place, { remedy, ...rest }] of mine.warnings.entries()) {
        const { remedy: typed, ...others } = theirs.warnings[place];
        assert.deepEqual(rest, others);
        assert.equal(remedy.replaceAll(/[`:]/g, ""), typed.replaceAll(/--|[`:]/g, ""));
      }
      assert.ok(theirs.warnings.some(({ remedy }) => /--[a-z]/.test(remedy)));
      assert.ok(mine.warnings.every(({ remedy }) => !/--[a-z]/.test(remedy)));
    },
  },

  "settings are those of the command": {
    test: async (page, { folder, accessible }) => {
      await choose(page, "key", KEY);
      await choose(page, "responses", example("alder.conll"));
      await done(page);
      const paths = laidOut(folder, ["alder.conll"]);
      await option(page, "Profile").selectOption("ua");
      await page.getByRole("button", { name: "All", exact: true }).click();
      await page.getByText("All options").click();
      await option(page, "singletons").selectOption("keep");
      await page.waitForTimeout(100);
      await done(page);
      assert.equal((await saved(page, "JSON"))[1], corefeval(folder, "score", "-q", "-o", "json", "--profile", "ua", "-m", "all", "--singletons", "keep", ...paths));
      await accessible("settings");
    },
  },

  "a file that cannot be read has its error, with place and remedy": {
    test: async (page, { folder, accessible, picture }) => {
      const broken = join(folder, "broken.jsonlines");
      writeFileSync(broken, '{"doc_key": "a", "clusters": [[[0, 1]]\n');
      await choose(page, "key", KEY);
      await choose(page, "responses", broken);
      const alert = page.getByRole("alert");
      await alert.waitFor();
      assert.match(await alert.innerText(), /broken\/broken\.jsonlines:1:\d+/);
      await accessible("an error");
      await picture("error");
      // The page continues with other files.
      await page.getByRole("button", { name: "Remove broken.jsonlines" }).click();
      await choose(page, "responses", example("alder.conll"));
      await done(page);
      assert.equal(await page.getByRole("alert").count(), 0);
    },
  },

  "errors and warnings name the page's settings, not options of the command": {
    test: async (page, { folder }) => {
      const other = join(folder, "other.conll");
      writeFileSync(other, readFileSync(example("alder.conll"), "utf8").replaceAll("#begin document (", "#begin document (other/"));
      await choose(page, "key", KEY);
      await choose(page, "responses", other);
      const alert = page.getByRole("alert");
      await alert.waitFor();
      assert.match(await alert.innerText(), /hint: .*`pair-documents: order`/);
      assert.doesNotMatch(await alert.innerText(), /--[a-z]/);
      await page.getByText("All options").click();
      await option(page, "pair-documents").selectOption("order");
      await done(page);
      const findings = page.locator(".findings");
      assert.match(await findings.innerText(), /paired/);
      assert.doesNotMatch(await findings.innerText(), /--[a-z]/);
      await view(page, "Report and texts");
      const report = page.frameLocator("iframe.report");
      await report.locator("#main h1").waitFor();
      assert.doesNotMatch(await report.locator("body").evaluate((body) => document.querySelector("script[type='application/json']")?.textContent ?? ""), /--pair-documents/);
    },
  },

  "a Parquet file is refused, and the error names the command that reads it": {
    test: async (page) => {
      await choose(page, "key", KEY);
      await choose(page, "responses", join(root, "testdata/parquet/plain.parquet"));
      assert.match(await page.getByRole("alert").innerText(), /plain\.parquet: this build does not read Parquet files.*\n.*write the table as \.csv; the Python package of `corefeval` or its command built with the feature `parquet` reads Parquet/);
    },
  },

  "the example is scored": {
    test: async (page, { folder, accessible }) => {
      const button = page.getByRole("button", { name: "Score an example" });
      await button.click();
      await done(page);
      assert.equal((await saved(page, "JSON"))[1], corefeval(folder, "score", "-q", "-o", "json", ...laidOut(folder, ["alder.conll", "birch.conll", "cedar.conll"])));
      assert.equal(await button.count(), 0);
      await accessible("an example");
    },
  },

  "stand-off annotation is dropped with its text, and directories whole": {
    test: async (page) => {
      const brat = (name) => join(root, "testdata/formats/brat", name);
      await drop(page, "key", brat("litbank.ann"), brat("litbank.txt"));
      await drop(page, "responses", brat("litbank.ann"), brat("litbank.txt"));
      await done(page);
      assert.deepEqual(await page.locator(".inputs .name").allInnerTexts(), ["litbank.ann", "litbank.ann"]);
      for (let left = 2; left > 0; left--) await page.getByRole("button", { name: "Remove litbank.ann" }).first().click();
      await drop(page, "key", example("pairs/key"));
      await drop(page, "responses", example("pairs/alder"));
      await page.getByText("All options").click();
      await option(page, "pair-files").selectOption("yes");
      await done(page);
      assert.deepEqual(await page.locator(".inputs .name").allInnerTexts(), ["key", "alder"]);
      assert.ok((await cells(page)).length > 0);
    },
  },

  "a task is cancelled, and the next one runs": {
    test: async (page, { folder }) => {
      await choose(page, "key", many(folder, "key.conll", 40));
      await choose(page, "responses", many(folder, "alder.conll", 40), many(folder, "birch.conll", 40));
      await done(page);
      await page.getByText("All options").click();
      const resamples = option(page, "resamples");
      await resamples.fill("1000000");
      await resamples.blur();
      await page.getByRole("button", { name: "Comparison", exact: true }).click();
      for (const next of ["Start again", undefined]) {
        await page.getByRole("button", { name: "Cancel" }).click();
        assert.equal(await page.locator(".fragment").count(), 0);
        assert.match(await page.locator(".progress").innerText(), /^Cancelled\./);
        if (next) await page.getByRole("button", { name: next }).click();
      }
      await resamples.fill("100");
      await resamples.blur();
      await done(page);
      assert.ok((await page.locator(".fragment").innerText()).includes("resamples:100|"));
    },
  },

  "a corpus of the size of OntoNotes is scored": {
    test: async (page, { folder }) => {
      // The test part has 7 MB. `web/page/bench` times it.
      const files = [many(folder, "key.conll", 270), many(folder, "alder.conll", 270)];
      await choose(page, "key", files[0]);
      await choose(page, "responses", files[1]);
      await done(page);
      const json = corefeval(folder, "score", "-q", "-o", "json", "key.conll", "alder.conll");
      assert.deepEqual(JSON.parse((await saved(page, "JSON"))[1]).systems[0].metrics, JSON.parse(json).systems[0].metrics);
    },
  },

  "a page from a static host scores without the host": {
    hosted: true,
    width: 390,
    height: 844,
    test: async (page, { folder, accessible, picture }) => {
      await choose(page, "key", KEY);
      await choose(page, "responses", example("alder.conll"), example("birch.conll"));
      await done(page);
      assert.equal((await saved(page, "JSON"))[1], corefeval(folder, "score", "-q", "-o", "json", ...laidOut(folder, ["alder.conll", "birch.conll"])));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
      await accessible("a narrow page");
      await picture("score-narrow");
    },
  },

  "the page is dark and narrow": {
    scheme: "dark",
    width: 390,
    height: 844,
    test: async (page, { accessible, picture }) => {
      await choose(page, "key", KEY);
      await choose(page, "responses", example("alder.conll"));
      await done(page);
      await accessible("dark and narrow");
      await picture("score-narrow-dark");
    },
  },
};
