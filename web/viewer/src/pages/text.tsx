// The text of a document with the mentions of the key and of one or more systems.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DocumentRow, ErrorRow, Store } from "../data";
import { Choice, Search, Segments, Toggle } from "../parts/controls";
import { isForText, useKeys } from "../parts/keys";
import { currentRoute, go, useRoute, type Route } from "../route";
import { drawArcs, endOf, type Arc } from "../text/arcs";
import { DocumentView, STATUS_WORDS, type EntityView } from "../text/model";
import { bringIntoView, TextView, type Layout, type Ref } from "../text/view";
import { count, inert, percent, plural } from "../words";
import { Panel, type LinkError, type Selection, type TextActions } from "./panel";
import { inertLong } from "./summary";

export function Text({ store }: { store: Store }) {
  const { data } = store;
  const route = useRoute();
  const wanted = route.doc === undefined ? -1 : documentCalled(data.documents, route.doc);
  const readable = useMemo(() => data.documents.map((document, index) => ({ document, index })).filter(({ document }) => document.body !== undefined), [data]);
  const index = wanted >= 0 ? wanted : route.doc === undefined ? (readable[0]?.index ?? -1) : -1;
  const [loaded, setLoaded] = useState<{ index: number; view?: DocumentView; error?: string }>();
  useEffect(() => {
    let current = true;
    const body = index < 0 ? undefined : store.body(index);
    if (!body) setLoaded({ index });
    else {
      body.then(
        (body) => current && setLoaded({ index, view: new DocumentView(body) }),
        () => current && setLoaded({ index, error: "The text of this document cannot be unpacked. The file may be damaged, or the browser may be too old." }),
      );
    }
    return () => void (current = false);
  }, [store, index]);
  const at = readable.findIndex((row) => row.index === index);
  // Without a text, the documents around it have the next and the previous text.
  const next = at >= 0 ? readable[at + 1] : readable.find((row) => row.index > index);
  const previous = at >= 0 ? readable[at - 1] : readable.findLast((row) => row.index < index);
  const openRow = (row: (typeof readable)[number] | undefined) => {
    if (row) openDocument(row.document.id);
  };
  // These keys work before the text is unpacked; the text view handles all others.
  useKeys((event) => {
    if (!isForText(event) || (event.key !== "]" && event.key !== "[")) return;
    openRow(event.key === "]" ? next : previous);
    event.preventDefault();
  });
  if (readable.length === 0) {
    return <div class="page"><h1>Text</h1><p>{data.without_text ? "This report was written with --without-text." : "No document of this report has a text."}</p></div>;
  }
  const view = loaded?.index === index ? loaded.view : undefined;
  const document = data.documents[index];
  return (
    <div class="textpage">
      <div class="dochead">
        <div class="docnav">
          <button type="button" class="icon" title="Previous document ([)" aria-label="Previous document" disabled={!previous} onClick={() => openRow(previous)}>‹</button>
          <Choice label="Document" hideLabel value={at >= 0 ? document!.id : ""} options={[...(at >= 0 ? [] : [{ value: "", label: "Choose a document" }]), ...readable.map(({ document }) => ({ value: document.id, label: inertLong(document.id) }))]} onChange={openDocument} />
          <button type="button" class="icon" title="Next document (])" aria-label="Next document" disabled={!next} onClick={() => openRow(next)}>›</button>
          <span class="dim count">{at >= 0 && `${count(at + 1)} of ${count(readable.length)}`}</span>
        </div>
        <h1>{document ? <bdi>{inertLong(document.id)}</bdi> : "Text"}</h1>
        {document && <DocumentFacts store={store} index={index} />}
      </div>
      {index < 0 && <p class="notice">There is no document “{inert(route.doc ?? "")}” in this report.</p>}
      {index >= 0 && document?.body === undefined && <p class="notice">The text of this document is not in the report. Write the report with --documents to choose the texts in it.</p>}
      {loaded?.error && <p class="notice">{loaded.error}</p>}
      {view && <Reader key={index} store={store} index={index} view={view} />}
    </div>
  );
}

/** The document with this id, or the only one with this name and any part; -1 if there is none. */
function documentCalled(documents: readonly DocumentRow[], name: string): number {
  const exact = documents.findIndex(({ id }) => id === name);
  if (exact >= 0) return exact;
  const isPart = ({ id }: DocumentRow) => id.replace(/; part \d+$/, "") === name;
  const first = documents.findIndex(isPart);
  return first >= 0 && documents.findLastIndex(isPart) === first ? first : -1;
}

function openDocument(id: string): void {
  const { system, mode, singletons } = currentRoute();
  const next: Record<string, string> = { doc: id, view: "", entity: "", mention: "", q: "" };
  if (system) next.system = system;
  if (mode) next.mode = mode;
  if (singletons) next.singletons = singletons;
  go(next);
  scrollTo(0, 0);
}

function DocumentFacts({ store, index }: { store: Store; index: number }) {
  const { data } = store;
  const document = data.documents[index]!;
  const { counts } = document;
  const metric = store.headline;
  return (
    <p class="facts scored">
      {[
        counts?.words !== undefined && plural(counts.words, "word"),
        counts?.zeros !== undefined && plural(counts.zeros, "zero"),
        counts?.mentions !== undefined && plural(counts.mentions, "key mention"),
        counts?.entities !== undefined && plural(counts.entities, "key entity", "key entities"),
      ].filter((fact) => fact).join(" · ")}
      {document.scores && data.systems.map((system, at) => (
        <span key={at}>{" "}<span class="score"><bdi>{inert(system.name)}</bdi> {metric.label} <strong>{percent(document.scores![at]?.[metric.id]?.f1, document.scores![at]?.[metric.id]?.defined !== false)}</strong></span></span>
      ))}
    </p>
  );
}

/** A selection as a field of the route, and back. */
export function selectionField(selection: Selection | undefined): string {
  return selection ? `${selection.side < 0 ? "key" : "system"}:${selection.entity}` : "";
}

function parsePlace(field: string | undefined, system: number): { side: number; index: number } | undefined {
  const match = /^(key|system):(\d+)$/.exec(field ?? "");
  return match ? { side: match[1] === "key" ? -1 : system, index: Number(match[2]) } : undefined;
}

const SHORTCUTS: [string, string][] = [
  ["→ ←", "next and previous mention"],
  ["Enter", "select the entity of the mention"],
  ["n p", "next and previous mention of the selected entity"],
  ["e E", "next and previous error"],
  ["Esc", "clear the search or the selection"],
  ["/", "search in the text"],
  ["] [", "next and previous document"],
  ["s", "next system"],
  ["m", "overlay or columns"],
  ["?", "show these keys"],
];

function Reader({ store, index, view }: { store: Store; index: number; view: DocumentView }) {
  const { data } = store;
  const route = useRoute();
  const host = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const heads = useRef<HTMLDivElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState<TextView>();
  const [errors, setErrors] = useState<ErrorRow[]>([]);
  const [said, say] = useState("");
  const present = data.systems.map((_, system) => system).filter((system) => view.responses[system]);
  const named = data.systems.findIndex((system) => system.name === route.system);
  const system = named >= 0 ? named : (present[0] ?? 0);
  const mode: Layout["mode"] = route.mode === "columns" ? "columns" : "overlay";
  const singletons = route.singletons !== "hide";
  const all = route.columns === "all" && present.length > 1;
  const layout = useMemo<Layout>(() => ({ mode, system, columns: all ? present : [system], singletons }), [mode, system, singletons, all]);
  const selection = useMemo<Selection | undefined>(() => {
    const place = parsePlace(route.entity, system);
    if (!place || !view.side(place.side)?.entities[place.index]) return undefined;
    return { side: place.side, entity: place.index };
  }, [route.entity, system, view]);
  const cursor = useRef<{ at: number; refs: Ref[] }>({ at: -1, refs: [] });

  useEffect(() => {
    let current = true;
    void store.errors().then(({ rows }) => current && setErrors(rows.filter((row) => row.document === index)));
    return () => void (current = false);
  }, [store, index]);

  useEffect(() => {
    const made = new TextView(host.current!, view, layout);
    cursor.current = { at: -1, refs: [] };
    setText(made);
    const print = () => made.fillAll();
    addEventListener("beforeprint", print);
    return () => {
      removeEventListener("beforeprint", print);
      made.close();
    };
  }, [view, layout]);

  const setCursor = (refs: Ref[], scroll = true) => {
    if (!text) return;
    cursor.current = { at: text.mentions().findIndex((row) => row.some((ref) => refs.some((other) => same(ref, other)))), refs };
    text.point(refs[0], scroll);
    say(describe(data.systems.map((system) => inert(system.name)), view, layout, refs));
  };
  const selectEntity = (next: Selection | undefined) => go({ entity: selectionField(next), mention: "" }, true);
  // An entity that is selected in the panel comes into view; one that is selected in the text is in view.
  const listed = useRef(false);
  const actions: TextActions = {
    select: (next) => {
      listed.current = next !== undefined;
      selectEntity(next);
    },
    point: (ref) => {
      setCursor([ref]);
    },
    draw: (system) => {
      const name = data.systems[system]!.name;
      const counterpart = selection && selection.side >= 0 ? (view.responses[selection.side]?.counterpart[selection.entity] ?? -1) : -1;
      // An entity of another system is selected by its counterpart in the key.
      go({ system: name, ...(counterpart >= 0 && { entity: selectionField({ side: -1, entity: counterpart }), mention: "" }) }, true);
    },
    showSentence: (sentence) => {
      const row = text?.fillSentence(sentence);
      if (!row) return;
      bringIntoView(row);
      row.classList.remove("flash");
      void row.offsetWidth;
      row.classList.add("flash");
    },
  };

  // A link to a mention selects its entity and scrolls to it.
  useEffect(() => {
    const place = parsePlace(route.mention, system);
    const mention = place && view.side(place.side)?.mentions[place.index];
    if (!text || !place || !mention) return;
    if (!route.entity) go({ entity: selectionField({ side: place.side, entity: mention.entity }) }, true);
    setCursor([{ side: place.side, mention: place.index }]);
  }, [text, route.mention]);

  const linked = useRef(false);
  useEffect(() => {
    if (!text) return;
    const shown = selection ? selectedEntities(view, layout, selection) : [];
    text.select(shown);
    if (selection && (listed.current || !linked.current) && !route.mention) {
      const first = view.side(selection.side)!.entities[selection.entity]!.mentions[0];
      if (first !== undefined) setCursor([{ side: selection.side, mention: first }]);
    }
    linked.current = true;
    listed.current = false;
  }, [text, selection]);

  // The links of all displayed systems are listed, and those of one system are drawn. Arcs are redrawn when the text is
  // filled or the window changes.
  const links = useMemo(() => (selection ? linksOf(store, view, layout, selection, errors) : []), [view, layout, selection, errors]);
  const drawn = useMemo(() => links.filter((link) => link.system === system), [links, system]);
  useEffect(() => {
    if (!text || !svg.current || !host.current) return;
    let frame = 0;
    const draw = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        if (!svg.current || !host.current) return;
        const near: Arc[] = [];
        for (const { from, to, kind, name } of drawn) {
          const a = text.elementsOf(from)[0];
          const b = text.elementsOf(to)[0];
          if (!a || !b) continue;
          const box = a.closest(".block")!.getBoundingClientRect();
          const other = b.closest(".block")!.getBoundingClientRect();
          if ((box.bottom < -800 && other.bottom < -800) || (box.top > innerHeight + 800 && other.top > innerHeight + 800)) continue;
          near.push({ from: a, to: b, kind, name });
        }
        drawArcs(svg.current, host.current, near);
      });
    };
    draw();
    if (drawn.length === 0) return () => cancelAnimationFrame(frame);
    const observer = new ResizeObserver(draw);
    observer.observe(host.current);
    addEventListener("scroll", draw, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      removeEventListener("scroll", draw);
    };
  }, [text, drawn]);

  const query = (route.q ?? "").trim();
  const found = useMemo(() => search(view, query), [view, query]);
  useEffect(() => {
    if (text) highlight(text, query, found);
    return () => clearHighlight();
  }, [text, query, found]);
  const foundAt = useRef(-1);
  useEffect(() => void (foundAt.current = -1), [found]);
  const nextFound = (back: boolean) => {
    if (found.length === 0) return;
    foundAt.current = (foundAt.current + (back ? -1 : 1) + found.length) % found.length;
    actions.showSentence(found[foundAt.current]!);
  };

  const move = (by: number, wanted: (refs: Ref[]) => boolean) => {
    if (!text) return;
    const mentions = text.mentions();
    let at = cursor.current.at;
    if (at < 0) at = by > 0 ? firstInWindow(text) - 1 : mentions.length;
    for (at += by; at >= 0 && at < mentions.length; at += by) {
      if (wanted(mentions[at]!)) {
        setCursor(mentions[at]!);
        cursor.current.at = at;
        return;
      }
    }
    say(by > 0 ? "No further mention." : "No earlier mention.");
  };
  const selectRefs = (refs: Ref[]) => {
    const ref = refs[0];
    if (!ref) return;
    const entity = view.side(ref.side)!.mentions[ref.mention]!.entity;
    if (ref.side >= 0 && ref.side !== system) go({ system: data.systems[ref.side]!.name, entity: selectionField({ side: ref.side, entity }), mention: "" }, true);
    else selectEntity({ side: ref.side, entity });
  };
  useKeys((event) => {
    if (event.key === "Escape") {
      if (help.current?.open) return;
      const active = document.activeElement;
      if (active instanceof HTMLInputElement) active.blur();
      actions.select(undefined);
      text?.point(undefined);
      cursor.current = { at: -1, refs: [] };
      return;
    }
    if (!isForText(event)) return;
    const chosen = selection ? new Set(selectedEntities(view, layout, selection).map(({ side, entity }) => `${side} ${entity}`)) : undefined;
    const forward = view.rtl ? "ArrowLeft" : "ArrowRight";
    const backward = view.rtl ? "ArrowRight" : "ArrowLeft";
    const ofSelection = (refs: Ref[]) => refs.some((ref) => chosen?.has(`${ref.side} ${view.side(ref.side)!.mentions[ref.mention]!.entity}`));
    const isError = (refs: Ref[]) => refs.some((ref) => !["right", "ignored"].includes(statusOf(view, layout, ref)));
    switch (event.key) {
      case forward: case "j": move(1, () => true); break;
      case backward: case "k": move(-1, () => true); break;
      case "n": move(1, chosen ? ofSelection : () => true); break;
      case "p": move(-1, chosen ? ofSelection : () => true); break;
      case "e": move(1, isError); break;
      case "E": move(-1, isError); break;
      case "Enter": selectRefs(cursor.current.refs); break;
      case "/": document.getElementById("search-text")?.focus(); break;
      case "s": if (present.length > 1) go({ system: data.systems[present[(present.indexOf(system) + 1) % present.length]!]!.name, ...(selection && selection.side >= 0 && { entity: "" }) }, true); break;
      case "m": go({ mode: mode === "overlay" ? "columns" : "" }, true); break;
      case "?": help.current?.showModal(); break;
      default: return;
    }
    event.preventDefault();
  });

  const name = inert(data.systems[system]!.name);
  const response = view.responses[system];
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label="Text">
        <Segments label="Layout" value={mode} options={[{ value: "overlay", label: "Overlay" }, { value: "columns", label: "Columns" }]} onChange={(mode) => go({ mode: mode === "overlay" ? "" : mode, ...(mode === "overlay" && { columns: "" }) }, true)} />
        {data.systems.length > 1 && (
          data.systems.length <= 4 ? (
            <Segments
              label="System"
              value={all && mode === "columns" ? "" : data.systems[system]!.name}
              options={[...data.systems.map(({ name }) => ({ value: name, label: <bdi>{inert(name)}</bdi> })), ...(mode === "columns" ? [{ value: "", label: "All" }] : [])]}
              onChange={(name) => go(systemChange(name, selection), true)}
            />
          ) : (
            <Choice label="System" value={all && mode === "columns" ? "" : data.systems[system]!.name} options={[...data.systems.map(({ name }) => ({ value: name, label: inert(name) })), ...(mode === "columns" ? [{ value: "", label: "All" }] : [])]} onChange={(name) => go(systemChange(name, selection), true)} />
          )
        )}
        <Toggle label="Singletons" title="Show entities of one mention and mentions that are not scored" on={singletons} onChange={(on) => go({ singletons: on ? "" : "hide" }, true)} />
        <Search id="search-text" label="Search" value={route.q ?? ""} onInput={(q) => go({ q }, true)} onEnter={nextFound} />
        {query && <span class="dim found" aria-live="polite">{found.length === 0 ? "not found" : !view.hasSentences ? "found" : plural(found.length, "sentence")}</span>}
        <button type="button" class="icon help" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={() => help.current?.showModal()}>?</button>
      </div>
      <Legend mode={mode} name={name} systems={mode === "columns" ? layout.columns.length : 1} links={errors.length > 0} ignored={singletons && view.hasIgnored(mode === "overlay" ? [system] : layout.columns)} />
      {route.system !== undefined && named < 0 && <p class="notice">There is no system “{inert(route.system)}” in this report. The text shows <bdi>{name}</bdi>.</p>}
      {!selection && parsePlace(route.entity, system) && <p class="notice">There is no entity “{inert(route.entity!)}” in this document{route.entity!.startsWith("system") && <> of <bdi>{name}</bdi></>}.</p>}
      {!response && <p class="notice"><bdi>{name}</bdi> lacks this document: every mention of the key is missing.</p>}
      {response?.otherWords && <p class="notice">The words of <bdi>{name}</bdi> differ from the key's. Its mentions are shown on the words of the key.</p>}
      <div class="reader">
        <div class="textcolumn">
          {mode === "columns" && (
            <div ref={heads} class="columnheads" dir={view.rtl ? "rtl" : "ltr"} style={{ "--columns": String(layout.columns.length + 1) }}>
              <div>
                <span>Key</span>
                {layout.columns.map((system) => <span key={system}><bdi>{inert(data.systems[system]!.name)}</bdi></span>)}
              </div>
            </div>
          )}
          <div class={mode === "columns" ? "scroller" : ""} dir={view.rtl ? "rtl" : "ltr"} onScroll={(event) => { if (heads.current) heads.current.scrollLeft = event.currentTarget.scrollLeft; }}>
          <div class="canvas" tabIndex={0} role="group" aria-label="Text of the document. Arrow keys go from mention to mention, Enter selects an entity.">
            <div
              ref={host}
              onClick={(event) => {
                if (getSelection()?.isCollapsed === false) return;
                const refs = text?.refsAt(event.target) ?? [];
                if (refs.length === 0) actions.select(undefined);
                else {
                  selectRefs(refs);
                  setCursor(refs, false);
                }
              }}
            />
            <svg ref={svg} class="arcs" role="group" aria-label={drawn.length > 0 ? `Missed and wrong links of the selected entity in ${name}` : undefined} aria-hidden={drawn.length > 0 ? undefined : "true"} />
          </div>
          </div>
        </div>
        <Panel store={store} view={view} layout={layout} selection={selection} errors={errors} links={links} actions={actions} found={query ? found : undefined} query={query} />
      </div>
      <p class="hidden" aria-live="polite">{said}</p>
      <dialog ref={help} class="help" aria-labelledby="help-title">
        <h2 id="help-title">Keyboard</h2>
        <dl>{SHORTCUTS.map(([keys, what]) => <div key={keys}><dt>{keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
        <form method="dialog"><button>Close</button></form>
      </dialog>
    </>
  );
}

function systemChange(name: string, selection: Selection | undefined): Route {
  const forget: Route = selection && selection.side >= 0 ? { entity: "", mention: "" } : {};
  return name === "" ? { columns: "all", ...forget } : { system: name, columns: "", ...forget };
}

function ArcSample({ kind }: { kind: Arc["kind"] }) {
  return (
    <svg class={`arcsample arc ${kind}`} viewBox="0 0 38 15" aria-hidden="true">
      <path class="line" d="M34 12V8Q34 4 30 4H8Q4 4 4 8V10" />
      <path class="end" d={endOf(kind, 4, 11)} />
    </svg>
  );
}

function Legend({ mode, name, systems, links, ignored }: { mode: Layout["mode"]; name: string; systems: number; links: boolean; ignored: boolean }) {
  return (
    <p class="legend textlegend">
      {mode === "overlay" ? (
        <>
          <span><span class="m below above right sample" data-tag="3">right</span></span>
          <span><span class="m below missing sample" data-tag="−3">missing</span> line below: the key</span>
          <span><span class="m above extra sample" data-tag="+3">extra</span> line above: <bdi>{name}</bdi></span>
          <span><span class="m below above wrong sample" data-tag="3≠5">in another entity</span></span>
        </>
      ) : (
        <>
          <span><span class="m below right sample" data-tag="3">right</span></span>
          <span><span class="m below missing sample" data-tag={systems > 1 ? `3 −1/${systems}` : "−3"}>missing</span>{systems > 1 && ` in 1 of ${systems} systems`}</span>
          <span><span class="m below extra sample" data-tag="+3">extra</span></span>
          <span><span class="m below wrong sample" data-tag="3≠5">in another entity</span></span>
        </>
      )}
      {ignored && <span><span class="m below grey-below ignored sample">not scored</span></span>}
      {links && <span class="arcsonly"><ArcSample kind="missed" />missed link</span>}
      {links && <span class="arcsonly"><ArcSample kind="wrong" />wrong link</span>}
      <span class="dim">Numbers: entities of the key. Letters: entities of the response alone. No tag: a singleton.{links && <span class="arcsonly"> Links: of the selected entity{systems > 1 && <> in <bdi>{name}</bdi></>}.</span>}</span>
    </p>
  );
}

export function same(a: Ref, b: Ref): boolean {
  return a.side === b.side && a.mention === b.mention;
}

export function statusOf(view: DocumentView, layout: Layout, ref: Ref) {
  if (ref.side < 0) return view.responses[layout.system]?.keyStatus[ref.mention] ?? "missing";
  return view.responses[ref.side]?.status[ref.mention] ?? "extra";
}

/** The systems whose mentions are in the text. */
function shownSystems(layout: Layout): number[] {
  return layout.mode === "overlay" ? [layout.system] : layout.columns;
}

/** A selected entity with its counterparts on the displayed sides. */
export function selectedEntities(view: DocumentView, layout: Layout, { side, entity }: Selection): Selection[] {
  const systems = shownSystems(layout);
  const key = side < 0 ? entity : (view.responses[side]?.counterpart[entity] ?? -1);
  const list: Selection[] = [{ side, entity }];
  if (key < 0) return list;
  if (side >= 0) list.push({ side: -1, entity: key });
  for (const system of systems) {
    const counterpart = view.responses[system]?.counterpartOfKey[key] ?? -1;
    if (counterpart >= 0 && system !== side) list.push({ side: system, entity: counterpart });
  }
  return list;
}

/** Missed links of the selected key entities, and wrong links of the selected system entities, of all displayed systems. */
export function linksOf(store: Store, view: DocumentView, layout: Layout, selection: Selection, errors: ErrorRow[]): LinkError[] {
  const chosen = new Set(selectedEntities(view, layout, selection).map(({ side, entity }) => `${side} ${entity}`));
  const links: LinkError[] = [];
  const systems = shownSystems(layout);
  for (const row of errors) {
    if (!systems.includes(row.system)) continue;
    const spec = store.kinds.get(row.kind);
    if (spec?.analysis !== "links") continue;
    const isOfKey = spec.side === "key";
    const pair = isOfKey ? row.key : row.response;
    const side = isOfKey ? -1 : row.system;
    if (!pair || pair.length < 2) continue;
    const mentions = view.side(side)?.mentions;
    const [anaphor, antecedent] = [mentions?.[pair[0]!], mentions?.[pair[1]!]];
    if (!anaphor || !antecedent || !chosen.has(`${side} ${anaphor.entity}`)) continue;
    const place = (mention: typeof anaphor) => `“${view.text(mention)}”${view.place(mention)}`;
    const name = `${spec.label} from ${place(anaphor)} to ${place(antecedent)}`;
    links.push({ from: { side, mention: pair[0]! }, to: { side, mention: pair[1]! }, kind: isOfKey ? "missed" : "wrong", name, system: row.system });
  }
  return links;
}

function firstInWindow(text: TextView): number {
  const mentions = text.mentions();
  let low = 0;
  let high = mentions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const box = text.elementsOf(mentions[middle]![0]!)[0]?.getBoundingClientRect();
    if (box && box.top < 140) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A mention in words, for screen readers. */
function describe(systems: string[], view: DocumentView, layout: Layout, refs: Ref[]): string {
  const ref = refs[0];
  if (!ref) return "";
  const side = view.side(ref.side)!;
  const mention = side.mentions[ref.mention]!;
  const entity: EntityView = side.entities[mention.entity]!;
  const system = systems[ref.side < 0 ? layout.system : ref.side]!;
  const where = entity.singleton ? "singleton" : `entity ${entity.label}, ${entity.title}`;
  return `${view.text(mention)}: ${where}, ${ref.side < 0 ? "key" : system}; ${STATUS_WORDS[statusOf(view, layout, ref)]}${ref.side < 0 ? ` in ${system}` : ""}.`;
}

/** The sentences that contain a text, ignoring case. */
function search(view: DocumentView, query: string): number[] {
  if (!query) return [];
  const needle = query.toLowerCase();
  const found: number[] = [];
  for (let sentence = 0; sentence < view.sentences; sentence++) {
    if (view.words(...view.sentence(sentence)).toLowerCase().includes(needle)) found.push(sentence);
  }
  return found;
}

const HIGHLIGHT = "corefeval-search";

function clearHighlight(): void {
  if ("highlights" in CSS) CSS.highlights.delete(HIGHLIGHT);
}

function highlight(text: TextView, query: string, sentences: number[]): void {
  clearHighlight();
  if (!("highlights" in CSS) || !query) return;
  const needle = query.toLowerCase();
  const ranges: globalThis.Range[] = [];
  for (const sentence of sentences.slice(0, 300)) {
    for (const line of text.fillSentence(sentence)?.querySelectorAll(".line") ?? []) {
      const nodes: { node: globalThis.Text; start: number }[] = [];
      let whole = "";
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        nodes.push({ node: node as globalThis.Text, start: whole.length });
        whole += node.nodeValue;
      }
      const lower = whole.toLowerCase();
      if (lower.length !== whole.length) continue;
      const place = (offset: number, end: boolean) => {
        const { node, start } = nodes.findLast(({ start }) => (end ? start < offset : start <= offset))!;
        return [node, offset - start] as const;
      };
      for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, at + needle.length)) {
        const range = document.createRange();
        range.setStart(...place(at, false));
        range.setEnd(...place(at + needle.length, true));
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set(HIGHLIGHT, new Highlight(...ranges));
}

