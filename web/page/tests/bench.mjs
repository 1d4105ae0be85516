// Times the page on a key and a response: from the choice of the response until its scores appear, in a new page and again in
// the same page, in alternation with the command.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { choose, done } from "./tools.mjs";

const [key, response] = process.argv.slice(2).map((path) => resolve(path));
/** The target in milliseconds for first scores. Missing it is not a failure, because other work on the machine slows the page. */
const LIMIT = 500;
const rounds = Number(process.env.ROUNDS ?? 15);
const built = pathToFileURL(fileURLToPath(new URL("../dist/index.html", import.meta.url))).href;

function command(...options) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.env.COREFEVAL, ["score", "-q", ...options, key, response], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - start;
}

/** Chooses the response, and returns the milliseconds until its scores appear, and the milliseconds of the worker. */
async function shown(page) {
  await page.evaluate(() => {
    globalThis.took = new Promise((done) => {
      let start;
      addEventListener("change", () => (start = performance.now()), { capture: true, once: true });
      const observer = new MutationObserver(() => {
        const worker = /Done in (\d+) ms/.exec(document.querySelector(".progress")?.textContent ?? "");
        if (!worker) return;
        observer.disconnect();
        done([performance.now() - start, Number(worker[1])]);
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
  });
  await choose(page, "responses", response);
  await done(page);
  return page.evaluate(() => globalThis.took);
}

const rows = { "command": [], "command, one thread": [], "page, first scores": [], "of these, the worker": [], "page, again": [], "of these, the worker again": [] };
const [all, single, first, firstWorker, again, againWorker] = Object.values(rows);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-gpu"] });
try {
  // The first round loads the files into memory and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const times = [command(), command("--threads", "1")];
    const page = await browser.newPage();
    await page.goto(built);
    await choose(page, "key", key);
    times.push(...(await shown(page)));
    await page.getByRole("button", { name: "Remove" }).last().click();
    times.push(...(await shown(page)));
    await page.close();
    if (round > 0) [all, single, first, firstWorker, again, againWorker].forEach((row, place) => row.push(times[place]));
  }
  console.log(`${browser.version()}, ${rounds} rounds\n`);
} finally {
  await browser.close();
}

const median = (row) => [...row].sort((a, b) => a - b)[Math.floor(row.length / 2)];
console.log("| | median | ratio to the command | least | most |\n|---|---:|---:|---:|---:|");
for (const [name, row] of Object.entries(rows)) {
  const ms = (value) => `${value.toFixed(0)} ms`;
  console.log(`| ${name} | ${ms(median(row))} | ${(median(row) / median(all)).toFixed(1)} | ${ms(Math.min(...row))} | ${ms(Math.max(...row))} |`);
}
console.log(`\nLimit of the first scores: ${LIMIT} ms (${median(first) > LIMIT ? "ABOVE" : "within"})`);
console.log(`\nMilliseconds of each round:\n${Object.entries(rows).map(([name, row]) => `${name}: ${row.map((value) => value.toFixed(1)).join(" ")}`).join("\n")}`);
