// The conformance cases in the worker of the page: the scripts that check the command also check the page, by `through.py`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { packed, root, tried } from "./tools.mjs";
import { askAll, inThePage, start } from "./worker.mjs";

const cases = process.env.CONFORMANCE ?? join(root, "../shared/conformance");
const through = fileURLToPath(new URL("through.py", import.meta.url));

/** Subcommands that the page lacks, with the reason. The command answers instead, and its output does not count as checked. */
const NOT_IN_THE_PAGE = {
  explain: "The page scores under one profile at a time. The scores that the command explains are compared with the page's scores under each profile.",
  convert: "The page writes results and no annotation. Answers of models are scored against their keys, with the command's findings.",
};

/** Options without a value, and options about output that is not a result. */
const FLAGS = ["allow-empty", "boundary-crossing", "np-only", "remove-nested"];
const QUIET = ["-q", "--quiet", "--no-warnings"];
const SHORT = { "-m": "metrics", "-o": "output" };

/** Converts a command line to a request of the page, with its files. */
function requested([task, ...typed], folder = root) {
  const options = {}, paths = [];
  for (let word = typed.shift(); word !== undefined; word = typed.shift()) {
    if (QUIET.includes(word)) continue;
    const name = SHORT[word] ?? (word.startsWith("--") ? word.slice(2) : undefined);
    if (name === undefined) paths.push(word);
    else options[name] = [FLAGS.includes(name) ? "yes" : typed.shift()];
  }
  const { output, ...others } = options;
  assert.equal(paths.length, 2, `a key and a response: ${paths}`);
  const files = {};
  const [key, response] = ["key", "response"].map((side, place) => {
    const path = paths[place], content = packed(resolve(folder, path));
    // A file is in a directory of its side.
    files[side] = typeof content === "string" ? { [basename(path)]: content } : content;
    return typeof content === "string" ? `${side}/${basename(path)}` : side;
  });
  return { root: files, request: { task, key, responses: [{ name: null, path: response }], options: others, outputs: output ?? [] } };
}

/** Converts an answer of the page to the output of the command. */
function printed({ answer, error, failed }, [output]) {
  return answer ? [0, answer.outputs[output] ?? "", ""] : [1, "", `error: ${error?.text ?? failed}`];
}

/** Runs a check of the command on the page, with `more` options. Returns the number of answered command lines, by subcommand. */
async function checked(page, script, typed, more) {
  await start(page);
  const answered = {};
  const python = spawn("python3", [through, script, ...typed], { stdio: ["ignore", "pipe", "inherit", "pipe", "pipe"] });
  let output = "";
  python.stdout.on("data", (part) => (output += part));
  const status = new Promise((done) => python.on("close", done));
  // Requests that arrive while others run are sent to the page together.
  let waiting = [], busy = Promise.resolve();
  const answer = async () => {
    const lines = waiting;
    waiting = [];
    if (lines.length === 0) return;
    const asked = lines.filter(([, [task]]) => !(task in NOT_IN_THE_PAGE)).map(([number, line]) => ({ number, ...requested([...line, ...more]) }));
    const found = await askAll(page, asked);
    const send = (number, result) => python.stdio[4].write(`${JSON.stringify([number, ...result])}\n`);
    asked.forEach(({ number, request }, place) => send(number, printed(found[place], request.outputs)));
    for (const [number, line] of lines) {
      answered[line[0]] = (answered[line[0]] ?? 0) + 1;
      if (!(line[0] in NOT_IN_THE_PAGE)) continue;
      const { status, stdout, stderr } = tried(root, ...line);
      send(number, [status, stdout, stderr]);
    }
  };
  let problem;
  createInterface(python.stdio[3]).on("line", (line) => {
    waiting.push(JSON.parse(line));
    busy = busy.then(answer).catch((error) => {
      problem ??= error;
      python.kill();
    });
  });
  const code = await status;
  if (problem) throw problem;
  assert.equal(code, 0, output.slice(-4000));
  const last = output.trim().split("\n").slice(-1);
  console.log(`      ${last}; ${Object.entries(answered).map(([task, count]) => `${task}: ${count}${task in NOT_IN_THE_PAGE ? " by the command" : ""}`).join(", ")}`);
  return answered;
}

const script = (name) => (name.startsWith(".ci/") ? join(root, name) : join(cases, name));
const check = (tasks, name, typed, more = []) => ({
  test: async (page) => {
    const answered = await checked(page, script(name), typed, more);
    assert.deepEqual(Object.keys(answered).sort(), tasks);
  },
});
const file = (name) => join(cases, name);

export const conformanceTests = !existsSync(cases) ? {} : {
  ...Object.fromEntries(["cases.jsonl", "cases-real.jsonl", "cases-ace.jsonl"].map((name) => [`conformance ${name}`, check(["score"], "check.py", ["page", "--cases", file(name), "--jobs", "16"])])),
  "conformance errors": check(["errors"], "check_errors.py", ["page", "--closest", "--tree closest", "--jobs", "16"]),
  "conformance errors, with the types of cort": check(["errors"], "check_errors.py", ["page", "--cort-types", "--closest", "--tree closest", "--jobs", "16"], ["--types", "cort"]),
  "conformance differences": check(["score"], ".ci/differences.py", ["page", file("differences")]),
  "conformance explanations": check(["explain", "score"], ".ci/explain.py", ["page", file("cases.jsonl"), file("cases-real.jsonl")]),
  "conformance peer crashes": check(["score"], ".ci/peer_crashes.py", ["page", cases]),

  "conformance answers": {
    test: async (page, { folder }) => {
      await start(page);
      const lines = readFileSync(file("answers/cases.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
      let refused = 0;
      for (const { id, key, answer, args = [] } of lines) {
        // Both read the same paths. With two sides, an option of `convert` has another name.
        const paths = Object.entries({ key, response: answer }).map(([side, from]) => {
          const to = `${side}/${basename(from)}`;
          cpSync(join(cases, "answers", from), join(folder, to), { recursive: true });
          return to;
        });
        const typed = ["score", "-q", "--metrics", "all", "-o", "json", ...args.map((word) => word.replace("--from", "--response-format")), ...paths];
        const command = tried(folder, ...typed);
        const [found] = await askAll(page, [requested(typed, folder)]);
        assert.deepEqual(printed(found, ["json"]), command.status === 0 ? [0, command.stdout, ""] : [1, "", inThePage(command.stderr)], id);
        refused += command.status !== 0;
      }
      console.log(`      ${lines.length} answers as the command scores them, ${refused} refused with the same error`);
    },
  },

  "conformance: what the page has not": {
    test: async (page) => {
      await start(page);
      const tasks = Object.keys(NOT_IN_THE_PAGE);
      const answers = await askAll(page, tasks.map((task) => ({ root: {}, request: { task } })));
      answers.forEach(({ error }, place) => assert.match(error.text, new RegExp(`unknown task \`${tasks[place]}\``)));
    },
  },
};
