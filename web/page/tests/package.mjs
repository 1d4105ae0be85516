// Packs the npm package and installs it into an empty folder, where a program gets the scores of the command.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { corefeval, root } from "./tools.mjs";

const page = fileURLToPath(new URL("..", import.meta.url));
const run = (folder, program, ...typed) => execFileSync(program, typed, { cwd: folder, encoding: "utf8" });

/** Scores two files, and prints the answer of the core and its error for a missing file. */
const PROGRAM = `
import { readFileSync } from "node:fs";
import { Corefeval, CoreError, type Folder, type Results } from "corefeval";

const corefeval = await Corefeval.load();
const files: Folder = { key: { "a.conll": readFileSync("key/a.conll") }, response: { "a.conll": readFileSync("response/a.conll") } };
let seen = 0;
const request = { key: "key/a.conll", responses: [{ name: null, path: "response/a.conll" }], options: { metrics: ["all"] }, outputs: ["json"] };
const scored: Results = corefeval.run("score", request, files, (read) => (seen = read));
let told = "";
try {
  corefeval.run("score", { ...request, key: "missing.conll" }, files);
} catch (error) {
  if (error instanceof CoreError) told = error.failure.code;
}
console.log(JSON.stringify({ json: scored.outputs["json"], seen, told }));
`;

export const packageTests = {
  "the package in an empty folder has the numbers of the command": () => {
    const folder = mkdtempSync(join(tmpdir(), "corefeval-package-"));
    try {
      const [{ filename, files }] = JSON.parse(run(page, "npm", "pack", "--json", "--loglevel=error", "--pack-destination", folder));
      const names = files.map(({ path }) => path).filter((path) => !path.startsWith("dist/types/"));
      assert.deepEqual(names.sort(), ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist/corefeval.js", "dist/corefeval.wasm", "dist/index.html", "dist/sw.js", "package.json"]);
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      run(folder, "npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", filename);
      for (const [side, name] of [["key", "key"], ["response", "alder"]]) cpSync(join(root, `examples/${name}.conll`), join(folder, side, "a.conll"), { recursive: true });
      // The declarations are valid under strict rules.
      writeFileSync(join(folder, "program.ts"), PROGRAM);
      const rules = ["--strict", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--typeRoots", join(page, "node_modules/@types"), "--types", "node"];
      run(folder, join(page, "node_modules/.bin/tsc"), ...rules, "program.ts");
      const { json, seen, told } = JSON.parse(run(folder, "node", "program.js"));
      assert.equal(json, corefeval(folder, "score", "-q", "-o", "json", "--metrics", "all", "key/a.conll", "response/a.conll"));
      const sizes = ["key", "response"].map((side) => readFileSync(join(folder, side, "a.conll")).length);
      assert.ok(seen >= sizes[0] + sizes[1], `${seen} bytes read`);
      assert.equal(told, "not-found");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
