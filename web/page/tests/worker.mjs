// The core in the worker of the page: samples of every format have the results of the command. Requests use the worker's
// messages.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { packed, root, tried } from "./tools.mjs";

/** Starts a worker like the page, for `ask`. */
export const start = (page) =>
  page.evaluate(async () => {
    const contents = (id) => document.getElementById(id).textContent;
    const worker = new Worker(URL.createObjectURL(new Blob([contents("corefeval-worker")], { type: "text/javascript" })));
    const compressed = Uint8Array.from(atob(contents("corefeval-program").trim()), (letter) => letter.charCodeAt(0));
    const bytes = await new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const unpacked = (node) => (typeof node === "string" ? Uint8Array.from(atob(node), (letter) => letter.charCodeAt(0)) : Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, unpacked(inner)])));
    worker.postMessage({ kind: "program", bytes });
    globalThis.ask = (root, request) =>
      new Promise((done) => {
        worker.onmessage = ({ data }) => {
          if (data.kind === "answer") done({ ...JSON.parse(data.answer), milliseconds: data.milliseconds });
          else if (data.kind === "failed") done({ failed: data.message });
        };
        worker.postMessage({ kind: "files", root: unpacked(root) });
        worker.postMessage({ kind: "request", id: 1, request: JSON.stringify(request) });
      });
  });

/** Requests several answers, in one message to the page. */
export const askAll = (page, requests) => page.evaluate(async (requests) => {
  const answers = [];
  for (const { root, request } of requests) answers.push(await globalThis.ask(root, request));
  return answers;
}, requests);

const formats = join(root, "testdata/formats");
const folders = readdirSync(formats).filter((name) => statSync(join(formats, name)).isDirectory());

/** Returns the command's text of an error in the form of the page: without the subcommand of an option. */
export const inThePage = (stderr) => stderr.trim().replaceAll(/ \(of `corefeval \w+`\)/g, "");

/** Scores every sample of a folder against itself, in the worker and with the command. */
function samples(folder) {
  return async (page, { folder: temporary }) => {
    await start(page);
    // Both read the same paths, which are two copies of the format's folder.
    for (const side of ["key", "response"]) cpSync(join(formats, folder), join(temporary, side), { recursive: true });
    const names = readdirSync(join(formats, folder)).filter((name) => name !== "cases.json");
    const options = { metrics: ["all"], "allow-empty": ["yes"] };
    const root = packed(join(formats, folder));
    let scored = 0;
    for (const name of names) {
      const [key, response] = [`key/${name}`, `response/${name}`];
      const request = { task: "score", key, responses: [{ name: null, path: response }], options, outputs: ["json"] };
      const [answer] = await askAll(page, [{ root: { key: root, response: root }, request }]);
      const { status, stdout, stderr } = tried(temporary, "score", "-q", "-o", "json", "--metrics", "all", "--allow-empty", key, response);
      if (status === 0) assert.equal(answer.answer?.outputs.json, stdout, `${name}: ${JSON.stringify(answer).slice(0, 400)}`);
      else assert.equal(answer.error ? `error: ${answer.error.text}` : JSON.stringify(answer).slice(0, 400), inThePage(stderr), name);
      scored += status === 0;
    }
    console.log(`      ${folder}: ${names.length} samples, ${scored} scored, ${names.length - scored} refused with the same error`);
  };
}

export const workerTests = {
  ...Object.fromEntries(folders.map((folder) => [`samples of ${folder}`, { test: samples(folder) }])),

  "a directory is scored as the command scores it": {
    test: async (page, { folder }) => {
      await start(page);
      const [key, response] = ["key", "alder"].map((name) => join(root, "examples/pairs", name));
      for (const [side, from] of [["key", key], ["response", response]]) { mkdirSync(join(folder, side)); cpSync(from, join(folder, side), { recursive: true }); }
      const request = { task: "score", key: "key", responses: [{ name: null, path: "response" }], options: { "pair-files": ["yes"] }, outputs: ["json"] };
      const [answer] = await askAll(page, [{ root: { key: packed(key), response: packed(response) }, request }]);
      assert.equal(answer.answer?.outputs.json, tried(folder, "score", "-q", "-o", "json", "--pair-files", "key", "response").stdout, JSON.stringify(answer).slice(0, 400));
    },
  },

  "a request that cannot be read is an error": {
    test: async (page) => {
      await start(page);
      const answers = await askAll(page, [{ root: {}, request: { task: "scores" } }, { root: {}, request: { task: "play", key: [["a", "a"]], response: [] } }]);
      assert.match(answers[0].error.text, /unknown task `scores`/);
      assert.match(answers[1].error.text, /the key has a mention twice/);
    },
  },
};
