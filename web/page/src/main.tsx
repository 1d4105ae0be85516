// The page: scores of files, and the playground of the metrics. The address contains the view and the state of the playground.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Engine } from "./engine";
import { Evaluate, Heading } from "./evaluate";
import { Play } from "./play/view";
import type { Tables } from "./types";

const scoring = new Engine(), playing = new Engine();

const viewOf = () => (new URLSearchParams(location.hash.slice(1)).has("play") ? "play" : "score");

/** Returns whether the page opens without a network: from disk, or from the cache of its service worker. Browsers can refuse this. */
async function worksOffline(): Promise<boolean> {
  if (location.protocol === "file:") return true;
  if (!/^https?:$/.test(location.protocol)) return false;
  try {
    await navigator.serviceWorker.register("sw.js");
    await navigator.serviceWorker.ready;
    return true;
  } catch {
    return false;
  }
}

function App() {
  const [view, setView] = useState(viewOf);
  const [tables, setTables] = useState<Tables>();
  const [problem, setProblem] = useState("");
  const [offline, setOffline] = useState(false);
  useEffect(() => {
    const follow = () => setView(viewOf());
    addEventListener("hashchange", follow);
    // A file that is dropped outside a drop zone must not replace the page.
    const keep = (event: DragEvent) => event.preventDefault();
    addEventListener("dragover", keep);
    addEventListener("drop", keep);
    scoring.run("tables", {}).then(({ answer }) => setTables(answer), (error: Error) => setProblem(error.message));
    void worksOffline().then(setOffline);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("dragover", keep);
      removeEventListener("drop", keep);
    };
  }, []);
  useEffect(() => {
    document.title = view === "play" ? "Playground – corefeval" : "corefeval";
  }, [view]);
  const link = (to: "score" | "play", href: string, label: string) => (
    <a href={href} class={view === to ? "current" : ""} aria-current={view === to ? "page" : undefined}>{label}</a>
  );
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the content</a>
      <header class="top">
        <nav aria-label="Pages">
          {link("score", "#", "Score files")}
          {link("play", "#play", "Playground")}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {problem && <p class="notice failed" role="alert">{problem}</p>}
        {view === "score" && !tables && !problem && <div class="page"><Heading /><p class="dim" role="status">Loading the scorer…</p></div>}
        <div hidden={view !== "score"}>{tables && <Evaluate engine={scoring} tables={tables} />}</div>
        {view === "play" && <Play engine={playing} />}
      </main>
      <footer>{tables ? `corefeval ${tables.version}` : "corefeval"}. {offline && "This page works offline. "}No file leaves your computer.</footer>
    </>
  );
}

render(<App />, document.getElementById("app")!);
