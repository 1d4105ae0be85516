// Counts of errors, examples of each kind, and links from examples to their text.

import { Fragment, type ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Data, ErrorRow, Errors as ErrorData, Kind, Range, Store, Table as DataTable } from "../data";
import { Choice, Link, Search } from "../parts/controls";
import { CountBar } from "../parts/plots";
import { Table, type Column } from "../parts/table";
import { go, useRoute, type Route } from "../route";
import { DocumentView } from "../text/model";
import { count, inert, isRightToLeft, plural, readable } from "../words";
import { inertLong, SettingsList } from "./summary";

export function useErrors(store: Store): ErrorData | undefined {
  const [errors, setErrors] = useState<ErrorData>();
  useEffect(() => {
    let current = true;
    void store.errors().then((errors) => current && setErrors(errors));
    return () => void (current = false);
  }, [store]);
  return errors;
}

/** The route to the text of an error. */
export function routeTo(store: Store, row: ErrorRow): Route {
  const mention = row.key?.length ? `key:${row.key[0]}` : row.response?.length ? `system:${row.response[0]}` : "";
  return { doc: store.data.documents[row.document]!.id, system: store.data.systems[row.system]!.name, mention };
}

const FILTERS = ["kind", "system", "type", "other", "distance", "doc"] as const;

type Analysis = Kind["analysis"];

/** The name of all errors of an analysis. Both analyses describe the same response, so their errors are not added up. */
const ALL: Record<Analysis, string> = { transform: "All kinds", links: "All links" };

export function Errors({ store }: { store: Store }) {
  const { data } = store;
  const route = useRoute();
  const errors = useErrors(store);
  const query = (route.q ?? "").toLowerCase();
  const kind = errors?.kinds.find((kind) => kind.id === route.kind);
  const analyses = useMemo(() => [...new Set(errors?.kinds.map((kind) => kind.analysis))], [errors]);
  const analysis = kind?.analysis ?? analyses.find((analysis) => analysis === route.kind) ?? analyses[0];
  const several = data.systems.length > 1;
  // The searched words of each row.
  const words = useMemo(() => (query ? errors?.rows.map((row) => (data.without_text ? data.documents[row.document]!.id : `${row.text ?? ""}\n${row.other ?? ""}`).toLowerCase()) : undefined), [data, errors, query !== ""]);
  // The only filter that excludes each row: "" if none does, and undefined if several do.
  const excluded = useMemo(() => {
    const system = data.systems.findIndex((system) => system.name === route.system);
    const shown = new Set(kind ? [kind.id] : errors?.kinds.filter((kind) => kind.analysis === analysis).map((kind) => kind.id));
    const checks: Record<(typeof FILTERS)[number] | "q" | "shared", (row: ErrorRow, index: number) => boolean> = {
      kind: (row) => shown.has(row.kind),
      system: (row) => system < 0 || row.system === system,
      type: (row) => !route.type || row.type === route.type,
      other: (row) => !route.other || row.other_type === route.other,
      distance: (row) => !route.distance || distanceGroup(row.distance) === route.distance,
      doc: (row) => !route.of || data.documents[row.document]!.id === route.of,
      shared: (row) => !route.shared || (route.shared === "alone" ? row.made_by === 1 : (route.shared === "all") === (row.shared ?? false)),
      q: (_, index) => !words || words[index]!.includes(query),
    };
    const list = Object.entries(checks);
    return errors?.rows.map((row, index) => {
      let only = "";
      for (const [name, check] of list) {
        if (check(row, index)) continue;
        if (only) return undefined;
        only = name;
      }
      return only;
    });
  }, [data, errors, words, kind, analysis, route.system, route.type, route.other, route.distance, route.of, route.shared, query]);
  const rows = useMemo(() => errors?.rows.filter((_, index) => excluded![index] === "") ?? [], [errors, excluded]);
  /** Calls `count` for the rows that all filters but this one include. */
  const without = (name: string, count: (row: ErrorRow) => void) =>
    errors?.rows.forEach((row, index) => {
      if (excluded![index] === "" || excluded![index] === name) count(row);
    });
  const kinds = useMemo(() => {
    if (!errors) return [];
    const counts = new Map<string, number[]>(errors.kinds.map((kind) => [kind.id, data.systems.map(() => 0)]));
    without("kind", (row) => void (counts.get(row.kind)![row.system]! += 1));
    return errors.kinds.map((kind) => ({ kind, counts: counts.get(kind.id)! }));
  }, [errors, excluded]);
  const options = (name: string, value: (row: ErrorRow) => string | undefined, order?: (a: string, b: string) => number) => {
    const counts = new Map<string, number>();
    without(name, (row) => {
      const id = value(row);
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    });
    return [{ value: "", label: "All" }, ...[...counts].sort(order ? (a, b) => order(a[0], b[0]) : (a, b) => b[1] - a[1]).map(([id, n]) => ({ value: id, label: `${inert(id)} (${count(n)})` }))];
  };
  const types = useMemo(() => options("type", (row) => row.type), [errors, excluded]);
  const others = useMemo(() => options("other", (row) => row.other_type), [errors, excluded]);
  const distances = useMemo(() => options("distance", (row) => distanceGroup(row.distance), (a, b) => parseInt(a) - parseInt(b)), [errors, excluded]);
  const columns = useMemo(() => errorColumns(store, errors?.rows ?? []), [store, errors]);
  if (!errors) return <div class="page"><h1>Errors</h1><p class="dim" aria-live="polite">Unpacking errors …</p></div>;
  const most = Math.max(1, ...kinds.flatMap(({ counts }) => counts));
  const allOf = (group: Analysis) => (group === analyses[0] ? "" : group);
  const tables = (errors.tables ?? []).filter(({ system }) => system === undefined || !route.system || data.systems[system]?.name === route.system);
  // The bars of other systems are left out if one is chosen.
  const isShown = (system: number) => !data.systems.some(({ name }) => name === route.system) || data.systems[system]!.name === route.system;
  const filtered = kind !== undefined || ["system", "type", "other", "distance", "of", "q", "shared"].some((name) => route[name]);
  return (
    <div class="page wide">
      <div class="heading">
        <h1>Errors</h1>
        <p class="dim" aria-live="polite">{plural(rows.length, analysis === "links" ? "link error" : "error")}</p>
      </div>
      <TableLinks data={data} tables={tables} />
      <div class="errors-layout">
        <nav class="kinds" aria-label="Kinds of errors">
          {analyses.map((group, index) => {
            const own = kinds.filter(({ kind }) => kind.analysis === group);
            const all = allOf(group);
            return (
              <Fragment key={group}>
                <div class={index > 0 ? "ruled" : ""}>
                  <KindButton current={!kind && analysis === group} onClick={() => go({ kind: all }, true)} label={ALL[group]} total={own.reduce((sum, { counts }) => sum + add(counts), 0)} />
                </div>
                {own.map(({ kind, counts }) => (
                  <KindButton key={kind.id} current={route.kind === kind.id} onClick={() => go({ kind: route.kind === kind.id ? all : kind.id }, true)} label={kind.label} total={add(counts)}>
                    {counts.map((n, system) => isShown(system) && (
                      <span key={system} title={`${inert(data.systems[system]!.name)}: ${count(n)}`} style={{ width: `${(n / most) * 100}%`, "--system": `var(--system-${system % 8})` }}>
                        {several && <span class="hidden">{inert(data.systems[system]!.name)}: {count(n)}</span>}
                      </span>
                    ))}
                  </KindButton>
                ))}
              </Fragment>
            );
          })}
          {several && (
            <p class="legend">
              {data.systems.map((system, index) => isShown(index) && <span key={index}><span class="swatch" style={{ "--system": `var(--system-${index % 8})` }} aria-hidden="true" /><bdi>{inert(system.name)}</bdi></span>)}
            </p>
          )}
        </nav>
        <div class={`examples ${kind ? "one-kind" : ""}`}>
          {kind?.summary && <p class="explain">{kind.summary}</p>}
          <div class="tools">
            <Search label={data.without_text ? "Filter by document" : "Filter by text"} value={route.q ?? ""} onInput={(q) => go({ q }, true)} />
            {several && <Choice label="System" value={route.system ?? ""} options={[{ value: "", label: "All" }, ...data.systems.map((system) => ({ value: system.name, label: inert(system.name) }))]} onChange={(system) => go({ system }, true)} />}
            {types.length > 2 && <Choice label="Type" value={route.type ?? ""} options={types} onChange={(type) => go({ type }, true)} />}
            {others.length > 2 && <Choice label="Antecedent" value={route.other ?? ""} options={others} onChange={(other) => go({ other }, true)} />}
            {distances.length > 2 && <Choice label="Sentences apart" value={route.distance ?? ""} options={distances} onChange={(distance) => go({ distance }, true)} />}
            {several && errors.rows.some((row) => row.shared || row.made_by) && (
              <Choice label="Made by" value={route.shared ?? ""} options={[{ value: "", label: "Any" }, { value: "all", label: "All systems" }, { value: "some", label: "Not all systems" }, ...(errors.rows.some((row) => row.made_by === 1) ? [{ value: "alone", label: "One system alone" }] : [])]} onChange={(shared) => go({ shared }, true)} />
            )}
            {route.of && <button type="button" class="chip" onClick={() => go({ of: "" }, true)}>{inert(route.of)} <span aria-hidden="true">×</span><span class="hidden">(remove the filter)</span></button>}
            {filtered && <button type="button" class="plain" onClick={() => go({ kind: analysis ? allOf(analysis) : "", system: "", type: "", other: "", distance: "", of: "", q: "", shared: "" }, true)}>Clear filters</button>}
          </div>
          <Table label="Errors" rows={rows} columns={columns} empty={filtered && errors.rows.length > 0 ? "No error matches the filters." : `There are no ${analysis === "links" ? "link errors" : "errors"}.`} />
        </div>
      </div>
      {data.analysis && data.analysis.length > 0 && (
        <section aria-labelledby="counted">
          <h2 id="counted" tabIndex={-1}>How errors are counted</h2>
          <SettingsList settings={data.analysis} />
        </section>
      )}
      {tables.map((table, index) => <TableSection id={`table-${index}`} key={`${table.id} ${table.system ?? ""}`} store={store} table={table} />)}
    </div>
  );
}

function add(counts: number[]): number {
  return counts.reduce((sum, n) => sum + n, 0);
}

function KindButton(props: { current: boolean; label: string; total: number; onClick: () => void; children?: ComponentChildren }) {
  return (
    <button type="button" class="kind" aria-pressed={props.current} onClick={props.onClick}>
      <span class="name">{props.label} <span class="total">{count(props.total)}</span></span>
      {props.total > 0 && props.children && <span class="bars">{props.children}</span>}
    </button>
  );
}

function distanceGroup(distance: number | undefined): string | undefined {
  if (distance === undefined) return undefined;
  return distance <= 2 ? String(distance) : distance <= 5 ? "3–5" : distance <= 10 ? "6–10" : "11 or more";
}

function errorColumns(store: Store, rows: readonly ErrorRow[]): Column<ErrorRow>[] {
  const { data } = store;
  // Mentions without a text have neither types nor sentences between them.
  const withTypes = rows.some((row) => row.type !== undefined);
  const withDistances = rows.some((row) => row.distance !== undefined);
  const columns: Column<ErrorRow>[] = [
    { id: "kind", label: "Kind", value: (row) => row.kind, cell: (row) => <span class="nowrap">{store.labelOf(row.kind)}</span> },
    {
      id: "text",
      label: "Mention",
      value: (row) => row.text,
      cell: (row) => <Example store={store} row={row} />,
    },
  ];
  if (withTypes) columns.push({ id: "type", label: "Type", value: (row) => row.type ?? "", cell: (row) => <span class="dim">{inert(row.type ?? "")}</span> });
  if (withDistances) {
    columns.push({
      id: "distance",
      label: "Apart",
      title: "Sentences between anaphor and antecedent",
      number: true,
      value: (row) => row.distance,
      cell: (row) => row.distance ?? "",
    });
  }
  if (data.systems.length > 1) {
    columns.push({
      id: "system",
      label: "System",
      value: (row) => row.system,
      cell: (row) => <span class="nowrap"><span class="swatch" style={{ "--system": `var(--system-${row.system % 8})` }} aria-hidden="true" /><bdi>{inert(data.systems[row.system]!.name)}</bdi>{row.shared && <span class="badge">all</span>}</span>,
    });
  }
  columns.push({
    id: "document",
    label: "Document",
    value: (row) => row.document,
    cell: (row) => {
      const document = data.documents[row.document]!;
      const name = <bdi>{inertLong(document.id)}</bdi>;
      return document.body === undefined ? name : <Link class="doc" to={routeTo(store, row)}>{name}</Link>;
    },
  });
  return columns;
}

const quoted = (text: string) => <q dir={isRightToLeft([text]) ? "rtl" : undefined}>{readable(text)}</q>;

/** The mention of an error, with its sentence if opened. */
function Example({ store, row }: { store: Store; row: ErrorRow }) {
  const [open, setOpen] = useState(false);
  const kind = store.kinds.get(row.kind);
  const relation = <span class="relation"> {kind?.relation} </span>;
  const hasBody = store.data.documents[row.document]!.body !== undefined;
  const summary = (
    <>
      {row.text === undefined ? <Place row={row} kind={kind} /> : quoted(row.text)}
      {row.count !== undefined && row.count > 1 && <span class="dim"> and {plural(row.count - 1, "other")}</span>}
      {row.other_words && <>{relation}{words(row.other_words)}</>}
      {row.heads && <span class="relation"> has the head {quoted(row.heads[0])}; the key’s is {quoted(row.heads[1])}</span>}
      {row.other !== undefined && !row.heads && <>{relation}{quoted(row.other)}</>}
    </>
  );
  if (!hasBody) return <span class="example">{summary}</span>;
  return (
    <details class="example" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {open && <Context store={store} row={row} />}
    </details>
  );
}

/** The place of a mention without its text. */
function Place({ row, kind }: { row: ErrorRow; kind: Kind | undefined }) {
  const side = kind?.side ?? "response";
  const mention = (side === "key" ? row.key : row.response)?.[0] ?? 0;
  return (
    <>
      <span class="dim">{side}, </span>
      {row.words ? words(row.words) : `mention ${count(mention + 1)}`}
      {row.words && row.sentence !== undefined && <span class="dim">, sentence {count(row.sentence + 1)}</span>}
    </>
  );
}

/** Words by their numbers, which count from 1 like those of messages. */
function words([start, end]: Range): string {
  return end - start === 1 ? `word ${count(end)}` : `words ${count(start + 1)}–${count(end)}`;
}

const MOST_SENTENCES = 6;

/** The sentences of an error with its mentions marked. */
function Context({ store, row }: { store: Store; row: ErrorRow }) {
  const [view, setView] = useState<DocumentView>();
  useEffect(() => {
    let current = true;
    void store.body(row.document)?.then((body) => current && setView(new DocumentView(body)));
    return () => void (current = false);
  }, [store, row]);
  if (!view) return <p class="dim">Unpacking the text …</p>;
  const kind = store.kinds.get(row.kind);
  // The second mention of a link is its antecedent.
  const isLink = kind?.analysis === "links";
  const sideOf = (side: string, place: number) => (isLink && place === 1 ? `${side} antecedent` : side);
  const marks = [
    ...(row.key ?? []).map((mention, place) => ({ side: sideOf("key", place), mention: view.key.mentions[mention] })),
    ...(row.response ?? []).map((mention, place) => ({ side: sideOf("response", place), mention: view.responses[row.system]?.mentions[mention] })),
  ].flatMap(({ side, mention }) => mention?.spans.map(([start, end]) => ({ side, start, end })) ?? []);
  // Links have two mentions; other errors have a mention with which this one should or should not be linked.
  const side = kind?.side === "key" ? view.key : view.responses[row.system];
  const text = (mention: number) => view.text(side?.mentions[mention]);
  const related = row.entity?.find((mention) => text(mention) === readable(row.other ?? "")) ?? row.entity?.[0];
  for (const [start, end] of (related === undefined ? undefined : side?.mentions[related]?.spans) ?? []) marks.push({ side: "other", start, end });
  const all = [...new Set(marks.map((mark) => view.sentenceOf(mark.start)))].sort((a, b) => a - b);
  const sentences = all.slice(0, MOST_SENTENCES);
  return (
    <div class="context" dir={view.rtl ? "rtl" : "ltr"}>
      {sentences.map((sentence) => {
        const [start, end] = view.sentence(sentence);
        const edges = [...new Set([start, end, ...marks.flatMap((mark) => [mark.start, mark.end])])].filter((edge) => edge >= start && edge <= end).sort((a, b) => a - b);
        return (
          <p key={sentence}>
            <span class="no">{sentence + 1}</span>
            {edges.slice(0, -1).map((from, index) => {
              const inside = marks.filter((mark) => mark.start <= from && mark.end > from);
              const text = view.words(from, edges[index + 1]!);
              return (
                <span key={from}>
                  {from > start && view.gap(from)}
                  {inside.length > 0 ? <mark class={inside.map((mark) => mark.side).join(" ")}>{text}</mark> : text}
                </span>
              );
            })}
          </p>
        );
      })}
      {all.length > sentences.length && <p class="dim">{plural(all.length - sentences.length, "more sentence")} with its mentions in the text.</p>}
      <p class="go"><Link to={routeTo(store, row)}>Show in the text</Link></p>
    </div>
  );
}

/** Links to what follows the errors. Tables of several systems follow each other, so each has one link. */
function TableLinks({ data, tables }: { data: Data; tables: DataTable[] }) {
  const links = [
    ...(data.analysis?.length ? [{ id: "counted", title: "How errors are counted" }] : []),
    ...tables.map(({ title }, index) => ({ id: `table-${index}`, title })).filter(({ title }, index) => tables.findIndex((other) => other.title === title) === index),
  ];
  if (links.length === 0) return null;
  return (
    <nav class="tablelinks" aria-label="After the errors">
      <span class="dim">After the errors:</span>
      {/* The fragment of the address is the state of the page, so these are not links. */}
      {links.map(({ id, title }) => (
        <button key={id} type="button" class="plain" onClick={() => {
          const heading = document.getElementById(id);
          heading?.scrollIntoView();
          heading?.focus({ preventScroll: true });
        }}>{title}</button>
      ))}
    </nav>
  );
}

function TableSection({ store, table, id }: { store: Store; table: DataTable; id: string }) {
  // All counts of a table have one scale, so that the bars of a row can be compared.
  const most = Math.max(1, ...table.columns.flatMap((column, index) => (column.kind === "count" ? table.rows.map((row) => Number(row[index] ?? 0)) : [])));
  const columns = useMemo<Column<(string | number | null)[]>[]>(
    () =>
      table.columns.map((column, index) => ({
        id: String(index),
        label: column.label,
        number: column.kind === "count" || column.kind === "percent",
        heading: index === 0,
        value: (row) => row[index] ?? undefined,
        cell: (row) => {
          const value = row[index];
          if (value === null || value === undefined) return "";
          if (column.kind === "count" && typeof value === "number") return <CountBar value={value} most={most} hue={table.system ?? 0} />;
          if (column.kind === "percent" && typeof value === "number") return (value * 100).toFixed(2);
          if (column.kind === "document" && store.data.documents.some((document) => document.id === value && document.body !== undefined)) {
            return <Link to={{ doc: String(value) }}><bdi>{inertLong(String(value))}</bdi></Link>;
          }
          if (column.kind === "words") return <bdi>{readable(String(value))}</bdi>;
          return <bdi>{typeof value === "number" ? count(value) : inertLong(value)}</bdi>;
        },
      })),
    [store, table],
  );
  const system = table.system === undefined || store.data.systems.length < 2 ? undefined : store.data.systems[table.system];
  return (
    <section>
      <h2 id={id} tabIndex={-1}>{table.title}{system && <span class="dim"> · <bdi>{inert(system.name)}</bdi></span>}</h2>
      {table.note && <p class="note">{table.note}</p>}
      <Table label={table.title + (system ? ` of ${inert(system.name)}` : "")} rows={table.rows} columns={columns} />
    </section>
  );
}
