// Drops samples of every format on the page, and compares the saved files with the output of the command.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { corefeval, done, drop, root, saved, tried } from "./tools.mjs";

/** Answers of models, which are only responses, because the key must provide their text. */
const ANSWERS = { bracketed: "bracketed.txt", tagged: "tagged.txt", pipe: "pipe.txt", "json-answer": "strings.json" };

/** The formats with samples: those of documents, whose samples the tests of the core require. */
const formats = JSON.parse(corefeval(root, "list", "formats", "-o", "json")).formats.map(({ name }) => name).filter((name) => name in ANSWERS || existsSync(join(root, "testdata/formats", name)));

/** The samples of each folder. */
const known = {};

const isDirectory = (path) => statSync(path).isDirectory();
const stem = (path) => basename(path).split(".")[0];
/** A file, with its text if that is in a separate file. Texts are not samples. */
function withText(path) {
  if (isDirectory(path) || !(dirname(path) in known)) return [path];
  const texts = readdirSync(dirname(path)).map((name) => join(dirname(path), name)).filter((other) => stem(other) === stem(path) && !known[dirname(path)].has(other));
  return [path, ...texts];
}

/**
 * Returns the samples of a format as key and response: the largest file that the command scores, all compressed files, and all
 * directories.
 */
function samplesOf(format) {
  if (format in ANSWERS) return [[join(root, "examples/answers/key.conll"), join(root, "examples/answers", ANSWERS[format])]];
  const samples = join(root, "testdata/formats", format);
  known[samples] = new Set(JSON.parse(readFileSync(join(samples, "cases.json"), "utf8")).map(({ file }) => join(samples, file)));
  const names = [...known[samples]];
  const special = names.filter((path) => isDirectory(path) || /\.(gz|zst)$/.test(path));
  const plain = names.filter((path) => !special.includes(path)).sort((a, b) => statSync(b).size - statSync(a).size);
  const largest = plain.find((path) => tried(root, "score", "-q", path, path).status === 0);
  return [largest, ...special].map((path) => [path, path]);
}

/** Copies dropped files to the paths of the page, and returns the path to score. */
function laidOut(folder, side, path) {
  mkdirSync(join(folder, side), { recursive: true });
  if (isDirectory(path)) cpSync(path, join(folder, side), { recursive: true });
  else for (const from of withText(path)) cpSync(from, join(folder, side, basename(from)));
  return isDirectory(path) ? side : `${side}/${basename(path)}`;
}

const dropped = (format) => ({
  test: async (page, { folder }) => {
    const samples = samplesOf(format);
    for (const [place, [key, response]] of samples.entries()) {
      await drop(page, "key", ...withText(key));
      await drop(page, "responses", ...withText(response));
      await done(page);
      const at = join(folder, String(place));
      const paths = [laidOut(at, "key", key), laidOut(at, stem(response), response)];
      const [, json] = await saved(page, "JSON");
      assert.equal(json, corefeval(at, "score", "-q", "-o", "json", ...paths), basename(response));
      assert.match(JSON.parse(json).signature, new RegExp(`\\|format:(conll\\+)?${format.replace("+", "\\+")}(\\||$)`));
      for (let left = 2; left > 0; left--) await page.locator(".inputs").getByRole("button", { name: "Remove" }).first().click();
    }
    console.log(`      ${samples.map(([, response]) => basename(response)).join(", ")}`);
  },
});

export const formatTests = Object.fromEntries(formats.map((format) => [`dropped: ${format}`, dropped(format)]));
