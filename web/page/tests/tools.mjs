// Shared tools of the tests: the command, and files for the page.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
const command = process.env.COREFEVAL ?? join(root, "target/debug/corefeval");

/** The output of the command. */
export const corefeval = (folder, ...typed) => execFileSync(command, typed, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });

/** The output of the command, with its errors. */
export function tried(folder, ...typed) {
  const { status, stdout, stderr } = spawnSync(command, typed, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  return { status, stdout, stderr };
}

/** A file or a directory in the worker's form: base64, or an object of files and directories by name. */
export function packed(path) {
  if (!statSync(path).isDirectory()) return readFileSync(path).toString("base64");
  return Object.fromEntries(readdirSync(path).map((name) => [name, packed(join(path, name))]));
}

/** Chooses files for a place of the page, like its button. */
export const choose = (page, place, ...paths) => page.locator(`input[data-place="place-${place}"]`).setInputFiles(paths);

/** Drops files or directories on a place of the page, like a file manager. */
export async function drop(page, place, ...paths) {
  const box = await page.locator(".place", { has: page.locator(`#place-${place}`) }).boundingBox();
  const session = await page.context().newCDPSession(page);
  const [x, y] = [box.x + box.width / 2, box.y + 20];
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, x, y, data });
  await session.detach();
}

const TYPES = { ".html": "text/html", ".js": "text/javascript" };

/**
 * A static host with the built page in a directory. `files` replaces or removes built files; `requests` contains the requested
 * paths.
 */
export async function host(files = {}) {
  const built = join(root, "web/page/dist");
  const below = "/tools/corefeval/";
  const requests = [];
  const server = createServer(({ url }, response) => {
    requests.push(url);
    const path = url.split("?")[0];
    const name = path === below ? "index.html" : path.startsWith(below) ? path.slice(below.length) : "";
    const file = name in files ? files[name] : name !== "" && existsSync(join(built, name)) ? readFileSync(join(built, name)) : undefined;
    if (file === undefined) response.writeHead(404).end("nothing here");
    else response.setHeader("Content-Type", TYPES[extname(name)]).end(file);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${server.address().port}${below}`, files, requests,
    stop: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };
}

/** Waits until the page reports that it works offline. */
export const keptOffline = (page) => page.locator("footer", { hasText: "works offline" }).waitFor({ timeout: 30_000 });

/** Waits for the results of a view. */
export const done = (page) => page.locator(".progress", { hasText: "Done in" }).waitFor({ timeout: 60_000 });

/** Returns the file that a button saves. */
export async function saved(page, label) {
  const waiting = page.waitForEvent("download", { timeout: 60_000 });
  await page.getByRole("group", { name: "Save" }).getByRole("button", { name: label, exact: true }).click();
  const download = await waiting;
  return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
}
