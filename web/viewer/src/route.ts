// The state of the page, in the fragment of its address so that links can contain it.

import { useEffect, useState } from "preact/hooks";

export type Route = Readonly<Record<string, string>>;
export const VIEWS = ["summary", "documents", "errors", "text", "metrics"] as const;
export type View = (typeof VIEWS)[number];

const listeners = new Set<() => void>();
let route: Route = {};
let written = "";

function read(): Route {
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) fields[name] = value;
  return fields;
}

/** The fragment of a route. */
export function fragment(fields: Route): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== "") search.append(name, value);
  return `#${search.toString().replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%3B", ";")}`;
}

/** Changes fields of the route; an empty value removes a field. `keep` replaces the entry in the history. */
export function go(change: Route, keep = false): void {
  set({ ...route, ...change }, keep);
}

/** Goes to another route and drops the fields of the current route. */
export function open(fields: Route): void {
  set(fields, false);
}

function set(fields: Route, keep: boolean): void {
  route = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
  const hash = fragment(route);
  if (hash !== written) {
    written = hash;
    try {
      if (keep) history.replaceState(null, "", hash);
      else history.pushState(null, "", hash);
    } catch {
      // A page without an address, such as a cell of a notebook, keeps its state in memory.
    }
  }
  for (const listener of listeners) listener();
}

export function currentRoute(): Route {
  return route;
}

export function viewOf(fields: Route): View {
  const view = fields.view as View | undefined;
  if (view && VIEWS.includes(view)) return view;
  return fields.doc !== undefined ? "text" : "summary";
}

/** Reads the address and follows its changes. */
export function followAddress(): void {
  const update = () => {
    route = read();
    written = location.hash;
    for (const listener of listeners) listener();
  };
  update();
  addEventListener("hashchange", update);
  addEventListener("popstate", update);
}

export function useRoute(): Route {
  const [value, change] = useState(route);
  useEffect(() => {
    const listener = () => change(route);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return value;
}
