// Bundles the page: one HTML file with its script, its style, the worker, and the core as compressed WebAssembly. Also writes
// the service worker, which makes a hosted page work offline, and the files of the npm package: the core, and a module that
// runs it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [program] = process.argv.slice(2);
const OUT = "dist";
/** The maximum size of the page in bytes. */
const LIMIT = 2_000_000;

for (const project of [".", "tsconfig.sw.json"]) execFileSync("node_modules/.bin/tsc", ["--project", project], { stdio: "inherit" });

// Shared parts of the viewer use the packages of this folder.
const common = {
  bundle: true, write: false, minify: true, charset: "utf8", legalComments: "none", target: ["chrome123", "firefox128", "safari17.5"],
  jsx: "automatic", jsxImportSource: "preact", define: { "process.env.NODE_ENV": '"production"' }, nodePaths: ["node_modules"],
  loader: { ".conll": "text" },
};
const bundled = async (entry, more) => (await build({ ...common, ...more, entryPoints: [entry] })).outputFiles[0].text.trim();
const [script, worker, style] = await Promise.all([bundled("src/main.tsx", { format: "iife" }), bundled("src/worker.ts", { format: "iife" }), bundled("src/style.css", {})]);
for (const text of [script, worker]) if (/<\/script|<!--/i.test(text)) throw new Error("The bundle contains text that would end its element.");
if (style.includes("</")) throw new Error("The style contains text that would end its element.");

// The report is in a frame, which is subject to the policies of both the page and the viewer.
const asset = (name) => readFileSync(`../../crates/corefeval-page/assets/${name}`, "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const csp = [
  "default-src 'none'",
  `script-src 'wasm-unsafe-eval' ${hash(script)} ${hash(asset("viewer.js"))}`,
  `style-src ${hash(style)} ${hash(asset("viewer.css"))}`,
  "worker-src blob: 'self'", "frame-src 'self'", "img-src data:", "connect-src 'none'", "base-uri 'none'", "form-action 'none'",
].join("; ");

// The gzip format, which browsers can inflate; zopfli writes it a twentieth smaller than gzip.
const packed = execFileSync("zopfli", ["--i5", "-c", program], { maxBuffer: 1 << 28 });
const parts = { csp, style, script, worker, program: packed.toString("base64") };
const page = readFileSync("src/page.html", "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
writeFileSync(`${OUT}/index.html`, page);
const digest = createHash("sha256").update(page).digest("hex");
const service = await bundled("src/sw.ts", { format: "iife", define: { PAGE: JSON.stringify(digest) } });
writeFileSync(`${OUT}/sw.js`, service + "\n");
const loaded = gzipSync(page, { level: 9 }).length + gzipSync(service, { level: 9 }).length;
console.log(`${OUT}/index.html: ${page.length} bytes, ${loaded} compressed (the core: ${packed.length}, the script: ${gzipSync(script).length})`);
if (loaded > LIMIT) throw new Error(`The page has ${loaded} bytes compressed; at most ${LIMIT} are allowed.`);

writeFileSync(`${OUT}/corefeval.js`, await bundled("src/package.ts", { format: "esm", external: ["node:fs/promises"] }) + "\n");
copyFileSync(program, `${OUT}/corefeval.wasm`);
execFileSync("node_modules/.bin/tsc", ["--project", "tsconfig.package.json"], { stdio: "inherit" });
for (const license of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(`../../${license}`, license);
