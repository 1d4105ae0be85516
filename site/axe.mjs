// Opens pages of the built site in Chromium, light and dark, wide and narrow. Findings of axe-core, errors or warnings on the console,
// requests that leave the folder, and content wider than the screen are failures.
//
//   node site/axe.mjs FOLDER MODULES [PICTURES] [PAGE...]
//
// MODULES contains axe-core and playwright-core (web/viewer/node_modules). PICTURES is a folder for pictures of the pages.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";

const [folder, modules, pictures, ...only] = process.argv.slice(2);
const found = createRequire(join(resolve(modules), "package.json"));
const { chromium } = found("playwright-core");
const axe = readFileSync(found.resolve("axe-core/axe.min.js"), "utf8");
const root = resolve(folder);

// All pages except pages of single findings, which are alike, and applications and documentation of crates, which have separate tests.
const pages = only.length > 0 ? only : readdirSync(root, { recursive: true })
  .filter((name) => name.endsWith(".html") && !/^(app|rust|files|404)/.test(name))
  .filter((name) => !name.startsWith("codes/") || /^codes\/(index|bad-mention)\.html$/.test(name))
  .sort();

// A static host.
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png" };
const server = createServer((request, response) => {
  const path = join(root, decodeURIComponent(new URL(request.url, "http://host").pathname));
  const is = path.startsWith(root) && existsSync(path) && statSync(path).isFile();
  response.writeHead(is ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
  response.end(is ? readFileSync(path) : "");
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const host = `http://127.0.0.1:${server.address().port}/`;

// All pages in the first two settings, which cover each choice once; the start page in all settings.
const settings = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "dark-narrow", colorScheme: "dark", viewport: { width: 390, height: 844 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { name: "light-narrow", colorScheme: "light", viewport: { width: 390, height: 844 } },
];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const wrong = [];
for (const { name, ...setting } of settings) {
  const context = await browser.newContext(setting);
  const page = await context.newPage();
  let at = "";
  const report = (text) => wrong.push(`${at} (${name}): ${text}`);
  page.on("console", (message) => {
    // A message about the browser's own behaviour (a link to a place in the page keeps the focus there) is not a fault of the page.
    if (message.type() !== "info") report(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => report(`error: ${error}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(host) && !/^(blob|data):/.test(request.url())) report(`request: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() !== 200) report(`${response.status()}: ${response.url()}`);
  });
  for (at of ["light", "dark-narrow"].includes(name) || pictures ? pages : ["start.html"]) {
    await page.goto(host + at);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    for (const { id, help, nodes } of violations) report(`${id}: ${help} (${nodes.length})\n  ${nodes.slice(0, 3).map((node) => `${node.target} ${node.html.slice(0, 200)}\n  ${node.failureSummary}`).join("\n  ")}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) report(`wider than the screen by ${wide} pixels`);
    if (pictures) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${at.replaceAll("/", "-")}-${name}.png`) });
    }
  }
  if (name === "light") {
    // Selectors cannot reach the search, which opens its first result: the page about the words.
    for (const [words, first] of [["LEA", /\/metrics\.html\?.*#lea-lea$/], ["how to score two files", /\/start\.html\?.*#how-to-score-two-files$/], ["coval", /\/(migrating|explain)\.html\?/]]) {
      at = `the search for ${words}`;
      await page.goto(`${host}start.html`);
      await page.getByRole("button", { name: "Search" }).first().click();
      await page.waitForTimeout(1000);
      await page.keyboard.type(words, { delay: 80 });
      for (let seconds = 0; seconds < 30 && !page.url().includes("?h="); seconds++) {
        await page.waitForTimeout(1000);
        await page.keyboard.press("Enter");
      }
      if (!page.url().includes("?h=")) report("the search finds nothing");
      else if (!first.test(page.url())) report(`the first result is ${page.url()}`);
    }
  }
  await context.close();
}
await browser.close();
server.close();
console.log(wrong.join("\n") || `site: axe-core finds nothing on ${pages.length} pages`);
process.exit(wrong.length > 0 ? 1 : 0);
