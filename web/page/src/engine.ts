// The core in a worker. Cancelling a request terminates the worker, and the next request starts another.

import { answered } from "./answer";
import type { FromWorker, ToWorker } from "./worker";
import type { Tasks } from "./types";
import type { Folder } from "./wasi";

type Task = keyof Tasks;

/** The error of a cancelled request. */
export class Cancelled extends Error {}

interface Waiting {
  resolve: (answer: { answer: unknown; milliseconds: number }) => void;
  reject: (error: Error) => void;
  progress?: ((read: number) => void) | undefined;
}

/** The elements of the page with the compressed program and the script of the worker. */
const PROGRAM = "corefeval-program", WORKER = "corefeval-worker";

export class Engine {
  #worker: Worker | undefined;
  #address: string | undefined;
  #program: Promise<ArrayBuffer> | undefined;
  #waiting = new Map<number, Waiting>();
  #last = 0;
  #root: Folder = {};

  /** Replaces the files that requests name. */
  files(root: Folder): void {
    this.#root = root;
    this.#post({ kind: "files", root });
  }

  /** Runs a task. `progress` receives the number of bytes read so far. */
  async run<T extends Task>(task: T, request: Tasks[T]["request"], progress?: (read: number) => void): Promise<{ answer: Tasks[T]["answer"]; milliseconds: number }> {
    const id = ++this.#last;
    const { answer, milliseconds } = await new Promise<{ answer: unknown; milliseconds: number }>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress });
      void this.#start().then((worker) => {
        // The request may have been cancelled while the worker started.
        if (this.#waiting.has(id)) worker.postMessage({ kind: "request", id, request: JSON.stringify({ task, ...request }) } satisfies ToWorker);
      }, (error: Error) => this.#settle(id)?.reject(error));
    });
    return { answer: answer as Tasks[T]["answer"], milliseconds };
  }

  /** Ends the current request. */
  cancel(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    if (waiting.length === 0) return;
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of waiting) reject(new Cancelled("cancelled"));
  }

  #post(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #start(): Promise<Worker> {
    this.#program ??= inflated(PROGRAM);
    const bytes = await this.#program;
    if (this.#worker !== undefined) return this.#worker;
    // A page on disk can start a worker from its own text, but not from another file.
    this.#address ??= URL.createObjectURL(new Blob([contents(WORKER)], { type: "text/javascript" }));
    const worker = new Worker(this.#address);
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    worker.onerror = (event) => this.#failed(new Error(event.message));
    this.#worker = worker;
    this.#post({ kind: "program", bytes });
    this.#post({ kind: "files", root: this.#root });
    return worker;
  }

  #failed(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of waiting) reject(error);
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        return;
      case "progress":
        this.#waiting.get(message.id)?.progress?.(message.read);
        return;
      case "failed":
        this.#settle(message.id)?.reject(new Error(message.message));
        return;
      case "answer": {
        const waiting = this.#settle(message.id);
        try {
          waiting?.resolve({ answer: answered(message.answer), milliseconds: message.milliseconds });
        } catch (error) {
          waiting?.reject(error as Error);
        }
      }
    }
  }
}

function contents(id: string): string {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page is incomplete: it has no ${id}.`);
  return element.textContent ?? "";
}

/** Returns the bytes of an element, which contains gzip in base64. */
async function inflated(id: string): Promise<ArrayBuffer> {
  const text = atob(contents(id).trim());
  const packed = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
