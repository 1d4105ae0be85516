// Opens the page in Chromium and uses it like a person: without a network, from disk or after a visit to a host. Any message
// on the console, any request that leaves the page and any finding of axe-core fails the test in which it occurs.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { conformanceTests } from "./conformance.mjs";
import { formatTests } from "./formats.mjs";
import { offlineTests } from "./offline.mjs";
import { packageTests } from "./package.mjs";
import { pageTests } from "./page.mjs";
import { playTests } from "./play.mjs";
import { host, keptOffline } from "./tools.mjs";
import { unitTests } from "./unit.mjs";
import { workerTests } from "./worker.mjs";

const wanted = process.argv.slice(2);
const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const built = fileURLToPath(new URL("../dist/index.html", import.meta.url));
const out = new URL("out/", import.meta.url);
mkdirSync(out, { recursive: true });
let passed = 0;
let failed = 0;

for (const [name, test] of Object.entries({ ...unitTests, ...packageTests })) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  try {
    await test();
    passed += 1;
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${String(error?.stack ?? error).replaceAll(/^/gm, "      ")}`);
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP corefeval.test 127.0.0.1"],
});
try {
  for (const [name, { hash = "", scheme = "light", width = 1280, height = 900, touch = false, hosted = false, test }] of Object.entries({ ...pageTests, ...formatTests, ...offlineTests, ...playTests, ...workerTests, ...conformanceTests })) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    const start = performance.now();
    const folder = mkdtempSync(join(tmpdir(), "corefeval-page-"));
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height }, hasTouch: touch, acceptDownloads: true });
    const problems = [];
    const site = hosted ? await host() : undefined;
    try {
      const page = await context.newPage();
      const address = site?.address ?? pathToFileURL(built).href;
      page.on("console", (message) => problems.push(`console: ${message.text()}`));
      page.on("pageerror", (error) => problems.push(`error: ${error.stack ?? error}`));
      page.on("request", (request) => {
        const url = request.url().split("#")[0];
        if (url !== address && url !== "about:srcdoc" && !/^(blob|data):/.test(url)) problems.push(`request: ${url}`);
      });
      await page.goto(address + hash);
      if (site) {
        await keptOffline(page);
        await site.stop();
        await context.setOffline(true);
        await page.reload();
      }
      await context.setOffline(true);
      // The heading of the other view exists but is hidden.
      await page.locator("#main h1:visible").first().waitFor();
      const tools = {
        folder,
        /** Fails unless axe-core finds nothing. */
        accessible: async (what) => {
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], iframes: false }));
          for (const { id, help, nodes } of violations) problems.push(`axe, ${what}: ${id}: ${help}\n  ${nodes.slice(0, 3).map((node) => `${node.html}\n  ${node.failureSummary}`).join("\n  ")}`);
        },
        picture: async (name, fullPage = true) => {
          if (fullPage) await page.evaluate(() => scrollTo(0, 0));
          // To hide the caret, Playwright would add a style to every frame, which the page does not allow.
          await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, out)), fullPage, caret: "initial" });
        },
      };
      await test(page, tools);
      await page.waitForTimeout(50);
      if (problems.length > 0) throw new Error(problems.join("\n"));
      passed += 1;
      console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}\n${[String(error?.stack ?? error), ...problems].join("\n").replaceAll(/^/gm, "      ")}`);
    } finally {
      await context.close();
      await site?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
