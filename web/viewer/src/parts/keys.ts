// Keys that work without a focused control.

import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Calls `onKey` for every key pressed without Ctrl, Alt or Meta. It listens as soon as the component is in the page, so
 * that no key is lost before the next paint.
 */
export function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented) latest.current(event);
    };
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);
}

/**
 * Returns whether a key belongs to the text. Fields and open dialogs keep all of their keys; buttons and links keep Enter and
 * space.
 */
export function isForText(event: KeyboardEvent): boolean {
  const active = document.activeElement;
  if (active?.closest("input, select, textarea") || document.querySelector("dialog[open]")) return false;
  return !((event.key === "Enter" || event.key === " ") && active?.closest("button, a, summary"));
}
