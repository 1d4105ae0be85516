// The answers of the core.

import type { Failure } from "./types.js";

/** An error of the core: the problem, its place and the remedy. */
export class CoreError extends Error {
  override name = "CoreError";
  constructor(readonly failure: Failure) {
    super(failure.text);
  }
}

/** Returns the answer in the output of the core, or throws its error. */
export function answered(output: string): unknown {
  const { answer, error } = JSON.parse(output) as { answer?: unknown; error?: Failure };
  if (error) throw new CoreError(error);
  return answer;
}
