// The viewer: its pages, and the source of its data.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { check, Store, unpack, type Chunk, type Data } from "./data";
import { Documents } from "./pages/documents";
import { Errors } from "./pages/errors";
import { Metrics } from "./pages/metrics";
import { Summary } from "./pages/summary";
import { Text } from "./pages/text";
import { Link } from "./parts/controls";
import { followAddress, go, useRoute, viewOf, type Route, type View } from "./route";
import { inert } from "./words";

const TITLES: Record<View, string> = { summary: "Summary", documents: "Documents", errors: "Errors", text: "Text", metrics: "Metrics" };

function App({ store }: { store: Store }) {
  const { data } = store;
  const route = useRoute();
  const view = viewOf(route);
  const hasErrors = data.errors !== undefined;
  const hasText = data.documents.some((document) => document.body !== undefined);
  const views = (Object.keys(TITLES) as View[]).filter((name) => (name !== "errors" || hasErrors) && (name !== "text" || hasText));
  const title = data.title ?? [data.systems.map((system) => system.name).join(", "), data.key.name].filter((name) => name).join(" against ");
  useEffect(() => {
    document.title = `${view === "text" && route.doc ? `${inert(route.doc)} – ` : view === "summary" ? "" : `${TITLES[view]} – `}${inert(title)}`;
  }, [view, route.doc]);
  const to: Record<View, Route> = { summary: {}, documents: { view: "documents" }, errors: { view: "errors" }, text: { view: "text" }, metrics: { view: "metrics" } };
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the content</a>
      <header class="top">
        <nav aria-label="Pages">
          {views.map((name) => (
            <Link key={name} to={to[name]} class={name === view ? "current" : ""}>{name === view ? <span aria-current="page">{TITLES[name]}</span> : TITLES[name]}</Link>
          ))}
        </nav>
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1}>
        {view === "summary" && <Summary store={store} />}
        {view === "documents" && <Documents store={store} />}
        {view === "errors" && <Errors store={store} />}
        {view === "text" && <Text store={store} />}
        {view === "metrics" && <Metrics store={store} />}
      </main>
      <footer>corefeval {inert(data.corefeval)}</footer>
    </>
  );
}

type Theme = "auto" | "light" | "dark";
const NEXT: Record<Theme, Theme> = { auto: "dark", dark: "light", light: "auto" };

function ThemeButton() {
  const [theme, setTheme] = useState<Theme>("auto");
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === "auto" ? "" : theme;
  }, [theme]);
  const name = { auto: "as the system", light: "light", dark: "dark" }[theme];
  return (
    <button type="button" class="icon theme" aria-label={`Colours: ${name}`} title={`Colours: ${name}`} onClick={() => setTheme(NEXT[theme])}>
      {{ auto: "◐", light: "○", dark: "●" }[theme]}
    </button>
  );
}

/** Shows data in an element. `data` is the value of data.schema.json, or that value as a chunk. */
export async function mount(element: HTMLElement, data: Data | Chunk): Promise<void> {
  try {
    const store = new Store(check(await unpack(data)));
    followAddress();
    element.replaceChildren();
    render(<App store={store} />, element);
  } catch (error) {
    const message = document.createElement("p");
    message.className = "notice";
    message.setAttribute("role", "alert");
    message.textContent = error instanceof Error ? error.message : String(error);
    element.replaceChildren(message);
  }
}

/** Goes to a place in the displayed page, such as `{ doc: "a", entity: "key:3" }`. */
export { go };

// A page that contains its data has it as JSON in a script element that is not executed.
const own = document.getElementById("corefeval-data");
const place = document.getElementById("corefeval");
if (own && place) {
  const value: unknown = JSON.parse(own.textContent ?? "null");
  void mount(place, value as Data | Chunk);
}
