// Takes the pictures of docs/errors.md: writes a report on the example systems and captures its pages.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../../", import.meta.url));
const command = process.env.COREFEVAL ?? join(root, "target/debug/corefeval");
const folder = mkdtempSync(join(tmpdir(), "corefeval-pictures-"));
const report = join(folder, "report.html");

/** The pictures: the page, the colour scheme, the preceding actions, and the visible part of the page. */
const PICTURES = {
  "report-summary": { hash: "#", height: 860 },
  "report-errors": { hash: "#view=errors&kind=missed_link&system=cedar", height: 720, prepare: (page) => page.locator(".examples summary").first().click() },
  "report-text": { hash: "#doc=stories/stairs; part 000&system=cedar&entity=key:0", height: 720 },
  "report-columns": { hash: "#doc=stories/stairs; part 000&mode=columns&columns=all", height: 640, scheme: "dark" },
};

const systems = ["alder", "birch", "cedar"].map((name) => `${name}=examples/${name}.conll`);
execFileSync(command, ["report", "-q", "examples/key.conll", ...systems, "-o", report], { cwd: root, stdio: "inherit" });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-gpu"] });
try {
  for (const [name, { hash, height, prepare, scheme = "light" }] of Object.entries(PICTURES)) {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width: 1180, height } });
    const page = await context.newPage();
    await page.goto(pathToFileURL(report).href + hash);
    await page.waitForSelector("#main h1, .words .m");
    await page.waitForTimeout(400);
    await prepare?.(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(root, `docs/pictures/${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
