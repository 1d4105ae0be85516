// Opens reports in Chromium and uses them like a person. Any message on the console, any request that leaves the page and
// any finding of axe-core fails the test in which it occurs.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { browserTests } from "./browser.mjs";
import { page as html } from "./page.mjs";
import { reportTests } from "./reports.mjs";
import { unitTests } from "./unit.mjs";

const wanted = process.argv.slice(2);
const selected = (name) => wanted.length === 0 || wanted.some((part) => name.includes(part));
const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "corefeval-viewer-"));
mkdirSync(new URL("out/", import.meta.url), { recursive: true });
let passed = 0;
let failed = 0;

/** A page in a notebook cell, like `_repr_html_` of the Python package. */
function cell(page) {
  const text = page.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#x27;");
  return `<!doctype html><title>Notebook</title><style>body { color: red } .page { display: none }</style><p>Cell</p><iframe title="Errors" sandbox="allow-scripts" style="width: 100%; height: 40rem; border: 1px solid #8886" srcdoc="${text}"></iframe>`;
}

/** Waits until the page has rendered the effect of an action. Its tasks follow frames and timers, so several of both pass. */
const rendered = (page) =>
  page.evaluate(async () => {
    for (let round = 0; round < 3; round += 1) {
      await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => setTimeout(done));
    }
  });

/** Makes methods that act on a page wait for it to render, so that what follows them sees their effect. */
function waitAfter(object, methods, pageOf) {
  for (const name of methods) {
    const act = object[name];
    object[name] = async function (...values) {
      const result = await act.apply(this, values);
      await rendered(pageOf(this));
      return result;
    };
  }
}

async function run(name, test) {
  if (!selected(name)) return;
  const start = performance.now();
  try {
    await test();
    passed += 1;
    console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${String(error?.stack ?? error).replaceAll(/^/gm, "      ")}`);
  }
}

for (const [name, test] of Object.entries(unitTests)) await run(name, test);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  let files = 0;
  const blank = await browser.newPage();
  waitAfter(Object.getPrototypeOf(blank.locator("body")), ["click", "press", "fill", "selectOption", "check", "uncheck", "focus"], (locator) => locator.page());
  await blank.close();
  for (const [name, { data, html: written, hash = "", scheme = "light", width = 1280, height = 900, frame = false, test }] of Object.entries({ ...browserTests, ...reportTests })) {
    await run(name, async () => {
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height } });
      try {
        const page = await context.newPage();
        waitAfter(page, ["goBack"], () => page);
        waitAfter(page.keyboard, ["press", "type"], () => page);
        const problems = [];
        page.on("console", (message) => problems.push(`console: ${message.text()}`));
        page.on("pageerror", (error) => problems.push(`error: ${error.stack ?? error}`));
        const file = join(folder, `${files++}.html`);
        const address = pathToFileURL(file).href;
        page.on("request", (request) => {
          if (request.url().split("#")[0] !== address && request.url() !== "about:srcdoc") problems.push(`request: ${request.url()}`);
        });
        const text = written ? written() : html(data());
        writeFileSync(file, frame ? cell(text) : text);
        // Work is measured in processor time, which does not depend on other load.
        const session = await context.newCDPSession(page);
        await session.send("Performance.enable", { timeDomain: "threadTicks" });
        await page.goto(address + hash);
        const top = frame ? page.frameLocator("iframe") : page;
        await top.locator("#main h1, [role=alert]").first().waitFor();
        const tools = {
          /** Fails unless axe-core finds nothing. */
          accessible: async (what) => {
            await page.evaluate(axe);
            const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
            for (const { id, help, nodes } of violations) problems.push(`axe, ${what}: ${id}: ${help}\n  ${nodes.slice(0, 3).map((node) => `${node.html}\n  ${node.failureSummary}`).join("\n  ")}`);
          },
          open: async (hash) => {
            await page.evaluate((hash) => void (location.hash = hash), hash);
            await page.waitForTimeout(100);
          },
          /** Returns the milliseconds of work of the page since it was opened. */
          work: async () => {
            const { metrics } = await session.send("Performance.getMetrics");
            return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
          },
          picture: (name) => page.screenshot({ path: new URL(`out/${name}.png`, import.meta.url).pathname }),
        };
        await test(page, tools);
        await page.waitForTimeout(50);
        if (problems.length > 0) throw new Error(problems.join("\n"));
      } finally {
        await context.close();
      }
    });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
