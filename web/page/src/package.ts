/**
 * The core of corefeval for JavaScript and TypeScript programs, in Node and in browsers (preferably in a worker).
 *
 *     import { Corefeval } from "corefeval";
 *     const corefeval = await Corefeval.load();
 *     const files = { "key.conll": bytesOfKey, "response.conll": bytesOfResponse };
 *     const { report } = corefeval.run("score", { key: "key.conll", responses: [{ name: null, path: "response.conll" }], options: {}, outputs: [] }, files);
 *
 * @packageDocumentation
 */

import { answered } from "./answer.js";
import type { Tasks } from "./types.js";
import { run, type Folder } from "./wasi.js";

export { CoreError } from "./answer.js";
export type * from "./types.js";
export type { Folder } from "./wasi.js";

/** The core. Every request is a separate run without state. */
export class Corefeval {
  readonly #program: WebAssembly.Module;

  private constructor(program: WebAssembly.Module) {
    this.#program = program;
  }

  /** Loads the core from this package, or uses a copy that was loaded in another way. */
  static async load(program?: WebAssembly.Module | BufferSource): Promise<Corefeval> {
    if (program instanceof WebAssembly.Module) return new Corefeval(program);
    return new Corefeval(await WebAssembly.compile(program ?? (await shipped())));
  }

  /**
   * Runs a task and returns its answer. `files` contains the files of the request's paths: file contents and directories
   * by name. `read` receives the number of bytes read so far. Throws a `CoreError` where the command would print an error.
   */
  run<T extends keyof Tasks>(task: T, request: Tasks[T]["request"], files: Folder = {}, read: (bytes: number) => void = () => {}): Tasks[T]["answer"] {
    const { output } = run(this.#program, JSON.stringify({ task, ...request }), files, read);
    return answered(output) as Tasks[T]["answer"];
  }
}

/** The program of this package. */
async function shipped(): Promise<BufferSource> {
  const place = new URL("./corefeval.wasm", import.meta.url);
  if (place.protocol === "file:") {
    // Only Node reads files.
    const { readFile } = (await import("node:fs/promises" as string)) as { readFile: (place: URL) => Promise<Uint8Array<ArrayBuffer>> };
    return readFile(place);
  }
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place} cannot be loaded: ${response.status}`);
  return response.arrayBuffer();
}
