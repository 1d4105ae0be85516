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

/** Returns whether keys belong to the text, because nothing else, such as a field, has the focus. */
export function focusIsOnText(): boolean {
  const active = document.activeElement;
  return active === null || active === document.body || active.closest(".canvas") !== null;
}
