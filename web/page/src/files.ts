// Dropped files as inputs of a request.

import type { FormatRow } from "./types";
import type { Folder } from "./wasi";

/** A file with its path below the dropped item: `["key", "a.conll"]` in a directory, `["a.conll"]` for a single file. */
export interface Dropped { path: string[]; bytes: Uint8Array }

/** A file or a directory that is one side of an evaluation. */
export interface Input {
  /** The displayed name: the name of the file or directory. */
  name: string;
  /** The files, by name. */
  folder: Folder;
  /** The file to read; all files if undefined. */
  file: string | undefined;
  /** The number of files, and their size in bytes. */
  count: number;
  size: number;
}

/** Reads all dropped files, and directories with their contents. */
export async function droppedFiles(data: DataTransfer): Promise<Dropped[]> {
  // Dropped items expire at the first await, so all are collected before it.
  const taken = [...data.items].filter(({ kind }) => kind === "file").map((item) => {
    const entry = item.webkitGetAsEntry();
    // In a page on disk, Chromium reads directories only through handles, which other browsers lack.
    const handle = entry?.isDirectory ? (item as WithHandle).getAsFileSystemHandle?.() : undefined;
    return { file: item.getAsFile(), entry, handle };
  });
  const found: Dropped[] = [];
  for (const { file, entry, handle } of taken) {
    if (handle) await walkHandle(await handle, [], found);
    else if (entry?.isDirectory) await walkEntry(entry, [], found);
    else if (file) found.push({ path: [file.name], bytes: await bytesOf(file) });
  }
  return found;
}

interface WithHandle { getAsFileSystemHandle?: () => Promise<FileSystemHandle> }

const bytesOf = async (file: File) => new Uint8Array(await file.arrayBuffer());

async function walkHandle(handle: FileSystemHandle, above: string[], into: Dropped[]): Promise<void> {
  const path = [...above, handle.name];
  if (handle.kind === "file") {
    into.push({ path, bytes: await bytesOf(await (handle as FileSystemFileHandle).getFile()) });
    return;
  }
  const inner = (handle as unknown as { values(): AsyncIterable<FileSystemHandle> }).values();
  for await (const each of inner) await walkHandle(each, path, into);
}

async function walkEntry(entry: FileSystemEntry, above: string[], into: Dropped[]): Promise<void> {
  const path = [...above, entry.name];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    into.push({ path, bytes: await bytesOf(file) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // Each call returns some of the entries; an empty result is the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const inner of some) await walkEntry(inner, path, into);
  }
}

/** Reads the files of an `<input type="file">`. */
export async function chosenFiles(list: FileList): Promise<Dropped[]> {
  return Promise.all([...list].map(async (file) => {
    const path = (file.webkitRelativePath || file.name).split("/");
    return { path, bytes: await bytesOf(file) };
  }));
}

const plain = (name: string) => name.replace(/\.(gz|zst)$/i, "");

/** Removes one of these extensions from the name of a file. */
function base(name: string, extensions: string[]): string | undefined {
  const extension = extensions.find((extension) => plain(name).endsWith(`.${extension}`));
  return extension === undefined ? undefined : plain(name).slice(0, -extension.length - 1);
}

/**
 * Turns files into inputs: each directory or single file is an input. The text of stand-off annotation belongs to its
 * annotation.
 */
export function inputsOf(files: Dropped[], formats: FormatRow[]): Input[] {
  const inputs = new Map<string, Input>();
  const add = (name: string, file: string | undefined, path: string[], bytes: Uint8Array) => {
    let input = inputs.get(name);
    if (input === undefined) inputs.set(name, (input = { name, folder: {}, file, count: 0, size: 0 }));
    put(input.folder, path, bytes);
    input.count++;
    input.size += bytes.length;
  };
  const alone = files.filter(({ path }) => path.length === 1);
  const standOff = formats.filter(({ companion }) => companion !== null);
  /** Returns the annotation that belongs to a text file. */
  const annotation = (text: string) => {
    for (const { companion, extensions } of standOff) {
      const of = base(text, [companion!]);
      const found = of === undefined ? undefined : alone.find(({ path }) => base(path[0]!, extensions) === of);
      if (found) return found.path[0]!;
    }
    return undefined;
  };
  for (const { path, bytes } of files) {
    const [first, ...rest] = path as [string, ...string[]];
    if (rest.length > 0) add(first, undefined, rest, bytes);
    else add(annotation(first) ?? first, annotation(first) ?? first, [first], bytes);
  }
  return [...inputs.values()];
}

/** Joins inputs into one, which is read as a directory. */
export function joined(inputs: Input[]): Input | undefined {
  const [first] = inputs;
  if (first === undefined || inputs.length === 1) return first;
  const folder: Folder = {};
  for (const input of inputs) {
    if (input.file === undefined) folder[input.name] = input.folder;
    else Object.assign(folder, input.folder);
  }
  const sum = (of: (input: Input) => number) => inputs.reduce((sum, input) => sum + of(input), 0);
  return { name: `${inputs.length} files`, folder, file: undefined, count: sum(({ count }) => count), size: sum(({ size }) => size) };
}

function put(folder: Folder, path: string[], bytes: Uint8Array): void {
  let at = folder;
  for (const name of path.slice(0, -1)) {
    const inner = at[name];
    at = inner !== undefined && !(inner instanceof Uint8Array) ? inner : (at[name] = {});
  }
  at[path[path.length - 1]!] = bytes;
}

/** Returns the files of a key and its systems, each in a separate directory, with the paths for a request. */
export function laidOut(key: Input, systems: Input[]): { root: Folder; key: string; responses: { name: string | null; path: string }[] } {
  const root: Folder = { key: key.folder };
  const path = (folder: string, input: Input) => (input.file === undefined ? folder : `${folder}/${input.file}`);
  const responses = systems.map((system) => {
    const stem = system.file === undefined ? system.name : (system.file.split(".")[0] ?? system.file);
    let folder = stem || "response";
    for (let number = 2; Object.hasOwn(root, folder); number++) folder = `${stem}-${number}`;
    root[folder] = system.folder;
    // The core names systems of one file, like the command.
    return { name: null, path: path(folder, system) };
  });
  return { root, key: path("key", key), responses };
}
