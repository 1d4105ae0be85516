// The system calls of a WASI program (preview 1): read-only files in memory, standard input and output, a clock and random
// numbers. All other calls return the error for an unsupported call.

/** A directory: files and directories by name. */
export interface Folder { [name: string]: Uint8Array | Folder }

/** The output and status of a program. */
export interface Finished { output: string; errors: string }

const OK = 0, AGAIN = 6, BAD_FILE = 8, INVALID = 28, NO_ENTRY = 44, NOT_SUPPORTED = 52, NOT_A_DIRECTORY = 54, READ_ONLY = 69;
const DIRECTORY = 3, FILE = 4;

/** The errors of `path_open` for files that would be written: create, directory, exclusive, truncate. */
const CREATE = 1, MUST_BE_DIRECTORY = 2, TRUNCATE = 8;

type Node = Uint8Array | Folder;
interface Open { node: Node; at: number }
type Call = (...values: never[]) => number;

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit status ${code}`);
  }
}

const isFile = (node: Node): node is Uint8Array => node instanceof Uint8Array;

const names = (path: string) => path.split("/").filter((name) => name !== "" && name !== ".");

/** Returns the node of a path below `folder`. */
function find(folder: Node, path: string): Node | undefined {
  let node: Node | undefined = folder;
  for (const name of names(path)) {
    if (node === undefined || isFile(node) || name === "..") return undefined;
    node = Object.hasOwn(node, name) ? node[name] : undefined;
  }
  return node;
}

/** Runs a program with `input` and the files below `root`. `read` receives the number of bytes of files read so far. */
export function run(module: WebAssembly.Module, input: string, root: Folder, read: (bytes: number) => void): Finished {
  const stdin = new TextEncoder().encode(input);
  const output: Uint8Array[] = [], errors: Uint8Array[] = [];
  const open = new Map<number, Open>([[0, { node: stdin, at: 0 }], [3, { node: root, at: 0 }]]);
  let next = 4, total = 0;
  let memory: WebAssembly.Memory;
  const bytes = () => new Uint8Array(memory.buffer);
  const view = () => new DataView(memory.buffer);
  const text = (at: number, length: number) => new TextDecoder().decode(bytes().slice(at, at + length));

  /** Returns the memory areas of a list of buffers. */
  const areas = function* (list: number, count: number): Generator<Uint8Array> {
    for (let i = 0; i < count; i++) {
      const at = view().getUint32(list + 8 * i, true), length = view().getUint32(list + 8 * i + 4, true);
      yield new Uint8Array(memory.buffer, at, length);
    }
  };
  const statOf = (node: Node, at: number) => {
    bytes().fill(0, at, at + 64);
    view().setUint8(at + 16, isFile(node) ? FILE : DIRECTORY);
    view().setBigUint64(at + 24, 1n, true);
    view().setBigUint64(at + 32, BigInt(isFile(node) ? node.length : 0), true);
    return OK;
  };
  const readAt = (fd: number, list: number, count: number, from: number | undefined, into: number) => {
    const file = open.get(fd);
    if (file === undefined || !isFile(file.node)) return BAD_FILE;
    let at = from ?? file.at, sum = 0;
    for (const area of areas(list, count)) {
      const part = file.node.subarray(at, at + area.length);
      area.set(part);
      at += part.length;
      sum += part.length;
      if (part.length < area.length) break;
    }
    if (from === undefined) file.at = at;
    if (fd > 3) read((total += sum));
    view().setUint32(into, sum, true);
    return OK;
  };

  const calls: Record<string, Call> = {
    args_sizes_get: (count: number, size: number) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), OK),
    args_get: () => OK,
    environ_sizes_get: (count: number, size: number) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), OK),
    environ_get: () => OK,
    clock_res_get: (_: number, into: number) => (view().setBigUint64(into, 1_000_000n, true), OK),
    clock_time_get: (clock: number, _: bigint, into: number) => {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(into, BigInt(Math.round(milliseconds * 1e6)), true);
      return OK;
    },
    random_get: (at: number, length: number) => {
      for (let from = at; from < at + length; from += 65536) crypto.getRandomValues(bytes().subarray(from, Math.min(from + 65536, at + length)));
      return OK;
    },
    sched_yield: () => OK,
    proc_exit: (code: number) => {
      throw new Exit(code);
    },
    fd_prestat_get: (fd: number, into: number) => {
      if (fd !== 3) return BAD_FILE;
      view().setUint32(into, 0, true);
      view().setUint32(into + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name: (fd: number, at: number, length: number) => {
      if (fd !== 3 || length < 1) return BAD_FILE;
      bytes()[at] = "/".charCodeAt(0);
      return OK;
    },
    fd_fdstat_get: (fd: number, into: number) => {
      const file = open.get(fd);
      if (file === undefined && fd > 2) return BAD_FILE;
      bytes().fill(0, into, into + 24);
      view().setUint8(into, file === undefined || isFile(file.node) ? FILE : DIRECTORY);
      view().setBigUint64(into + 8, ~0n, true);
      view().setBigUint64(into + 16, ~0n, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_advise: () => OK,
    fd_filestat_get: (fd: number, into: number) => {
      const file = open.get(fd);
      return file === undefined ? BAD_FILE : statOf(file.node, into);
    },
    fd_close: (fd: number) => (open.delete(fd) ? OK : BAD_FILE),
    fd_read: (fd: number, list: number, count: number, into: number) => readAt(fd, list, count, undefined, into),
    fd_pread: (fd: number, list: number, count: number, from: bigint, into: number) => readAt(fd, list, count, Number(from), into),
    fd_seek: (fd: number, by: bigint, whence: number, into: number) => {
      const file = open.get(fd);
      if (file === undefined || !isFile(file.node)) return BAD_FILE;
      const at = Number(by) + (whence === 0 ? 0 : whence === 1 ? file.at : file.node.length);
      if (at < 0) return INVALID;
      file.at = at;
      view().setBigUint64(into, BigInt(at), true);
      return OK;
    },
    fd_tell: (fd: number, into: number) => {
      const file = open.get(fd);
      if (file === undefined) return BAD_FILE;
      view().setBigUint64(into, BigInt(file.at), true);
      return OK;
    },
    fd_write: (fd: number, list: number, count: number, into: number) => {
      if (fd !== 1 && fd !== 2) return BAD_FILE;
      let sum = 0;
      for (const area of areas(list, count)) {
        (fd === 1 ? output : errors).push(area.slice());
        sum += area.length;
      }
      view().setUint32(into, sum, true);
      return OK;
    },
    fd_readdir: (fd: number, at: number, length: number, from: bigint, into: number) => {
      const folder = open.get(fd)?.node;
      if (folder === undefined) return BAD_FILE;
      if (isFile(folder)) return NOT_A_DIRECTORY;
      let used = 0;
      const inner = Object.keys(folder).sort();
      for (let place = Number(from); place < inner.length && used < length; place++) {
        const name = new TextEncoder().encode(inner[place]);
        const entry = new Uint8Array(24 + name.length), fields = new DataView(entry.buffer);
        fields.setBigUint64(0, BigInt(place + 1), true);
        fields.setBigUint64(8, BigInt(place + 1), true);
        fields.setUint32(16, name.length, true);
        fields.setUint8(20, isFile(folder[inner[place]!]!) ? FILE : DIRECTORY);
        entry.set(name, 24);
        const part = entry.subarray(0, length - used);
        bytes().set(part, at + used);
        used += part.length;
      }
      view().setUint32(into, used, true);
      return OK;
    },
    path_open: (fd: number, _: number, path: number, length: number, flags: number, _rights: bigint, _inherited: bigint, _fdFlags: number, into: number) => {
      const folder = open.get(fd);
      if (folder === undefined) return BAD_FILE;
      const node = find(folder.node, text(path, length));
      if (flags & (CREATE | TRUNCATE)) return READ_ONLY;
      if (node === undefined) return NO_ENTRY;
      if (flags & MUST_BE_DIRECTORY && isFile(node)) return NOT_A_DIRECTORY;
      open.set(next, { node, at: 0 });
      view().setUint32(into, next++, true);
      return OK;
    },
    path_filestat_get: (fd: number, _: number, path: number, length: number, into: number) => {
      const folder = open.get(fd);
      if (folder === undefined) return BAD_FILE;
      const node = find(folder.node, text(path, length));
      return node === undefined ? NO_ENTRY : statOf(node, into);
    },
    path_readlink: (fd: number, path: number, length: number) => {
      const folder = open.get(fd);
      return folder === undefined ? BAD_FILE : find(folder.node, text(path, length)) === undefined ? NO_ENTRY : INVALID;
    },
  };
  // Functions that Debian's libc for WASI lacks (web/core). A worker cannot start threads, so the core uses a single one.
  const others: Record<string, Call> = {
    pthread_create: () => AGAIN,
    realpath: (path: number) => {
      const given = text(path, bytes().indexOf(0, path) - path);
      if (find(root, given) === undefined) return 0;
      const real = new TextEncoder().encode(`/${names(given).join("/")}\0`);
      const at = (instance.exports.malloc as (size: number) => number)(real.length);
      if (at !== 0) bytes().set(real, at);
      return at;
    },
  };

  const imports: Record<string, Record<string, Call>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const known = from === "env" ? (others[name] ?? (() => OK)) : (calls[name] ?? (() => NOT_SUPPORTED));
    (imports[from] ??= {})[name] = known;
  }
  const instance = new WebAssembly.Instance(module, imports);
  memory = instance.exports.memory as WebAssembly.Memory;
  try {
    (instance.exports._start as () => void)();
  } catch (error) {
    if (!(error instanceof Exit)) {
      const message = joined(errors).trim();
      throw new Error(message === "" ? String(error) : message);
    }
    if (error.code !== 0) throw new Error(joined(errors).trim() || error.message);
  }
  return { output: joined(output), errors: joined(errors) };
}

function joined(parts: Uint8Array[]): string {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new TextDecoder().decode(all);
}
