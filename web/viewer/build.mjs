// Bundles src/ into viewer.js and viewer.css. The bundle depends only on src/ and package-lock.json, so that builds are
// reproducible.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const DIST = "../../crates/corefeval-page/assets";
const check = process.argv.includes("--check");

execFileSync("node_modules/.bin/tsc", ["--project", "."], { stdio: "inherit" });

const common = { bundle: true, write: false, minify: true, charset: "utf8", legalComments: "none", target: ["chrome123", "firefox128", "safari17.5"] };
const script = await build({ ...common, entryPoints: ["src/main.tsx"], format: "iife", globalName: "corefevalViewer", jsx: "automatic", jsxImportSource: "preact", define: { "process.env.NODE_ENV": '"production"' } });
const style = await build({ ...common, entryPoints: ["src/style.css"] });

// Both are in inline elements, so they must not contain an end tag. esbuild escapes `</script` in strings.
const js = script.outputFiles[0].text.trim();
const css = style.outputFiles[0].text.trim();
if (/<\/script|<!--/i.test(js) || css.includes("</")) throw new Error("The bundle contains text that would end its element.");

// The page allows only these two.
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const csp = `default-src 'none'; script-src ${hash(js)}; style-src ${hash(css)}; img-src data:; base-uri 'none'; form-action 'none'`;

const files = { "viewer.js": js, "viewer.css": css, "page.html": readFileSync("src/page.html", "utf8").replace("{{csp}}", csp) };
let stale = false;
mkdirSync(DIST, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const path = `${DIST}/${name}`;
  if (check) {
    let present = "";
    try { present = readFileSync(path, "utf8"); } catch {}
    if (present !== text) { console.error(`${path} is not current: run web/viewer/build and commit the result.`); stale = true; }
  } else {
    writeFileSync(path, text);
    if (/^viewer/.test(name)) console.log(`${path}: ${text.length} characters, ${gzipSync(text).length} bytes compressed`);
  }
}
if (check && !stale) console.log("The bundle is current.");
process.exitCode = stale ? 1 : 0;
