// The worker: the core, which is compiled once, and its files.

import { run, type Folder } from "./wasi";

/** Messages from the page: the program once, files when they change, and requests. */
export type ToWorker =
  | { kind: "program"; bytes: ArrayBuffer }
  | { kind: "files"; root: Folder }
  | { kind: "request"; id: number; request: string };

/** Messages from the worker: the number of bytes read, and answers. */
export type FromWorker =
  | { kind: "ready" }
  | { kind: "progress"; id: number; read: number }
  | { kind: "answer"; id: number; answer: string; milliseconds: number }
  | { kind: "failed"; id: number; message: string };

const send = (message: FromWorker) => self.postMessage(message);

let program: WebAssembly.Module | undefined;
let root: Folder = {};

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.kind) {
    case "program":
      program = new WebAssembly.Module(data.bytes);
      return send({ kind: "ready" });
    case "files":
      root = data.root;
      return;
    case "request": {
      const { id, request } = data;
      let told = performance.now();
      const start = told;
      try {
        if (program === undefined) throw new Error("The program is missing.");
        const { output } = run(program, request, root, (read) => {
          const now = performance.now();
          if (now - told < 50) return;
          told = now;
          send({ kind: "progress", id, read });
        });
        send({ kind: "answer", id, answer: output, milliseconds: performance.now() - start });
      } catch (error) {
        send({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
      }
    }
  }
};
