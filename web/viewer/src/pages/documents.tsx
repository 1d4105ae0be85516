// Scores by document and by group.

import { useMemo, useState } from "preact/hooks";
import type { Data, DocumentRow, Grouping, Metric, Store } from "../data";
import { Choice, Link, ScoreBar, Search, Segments } from "../parts/controls";
import { Table, type Column } from "../parts/table";
import { go, useRoute } from "../route";
import { count, inert, percent, plural } from "../words";
import { FIELDS, inertLong, type Field } from "./summary";

interface Row { document: DocumentRow; index: number; errors: number | undefined }

export function Documents({ store }: { store: Store }) {
  const { data } = store;
  const route = useRoute();
  const metric = data.metrics.find((metric) => metric.id === route.metric) ?? store.headline;
  const [field, setField] = useState<Field>("f1");
  const shownField = metric.f1_only ? "f1" : field;
  const filter = route.q ?? "";
  const groups = data.groups ?? [];
  const divisions = [...new Set(data.documents.flatMap((document) => Object.keys(document.groups ?? {})))];
  const rows = useMemo<Row[]>(() => {
    const needle = filter.toLowerCase();
    return data.documents
      .map((document, index) => ({ document, index, errors: undefined }))
      .filter(({ document }) => !needle || document.id.toLowerCase().includes(needle))
      .filter(({ document }) => divisions.every((by) => !route[`group.${by}`] || document.groups?.[by] === route[`group.${by}`]));
  }, [data, filter, route]);
  const columns = useMemo(() => documentColumns(data, metric.id, shownField), [data, metric.id, shownField]);
  return (
    <div class="page wide">
      <div class="heading">
        <h1>Documents</h1>
        <p class="dim">{rows.length === data.documents.length ? plural(rows.length, "document") : `${count(rows.length)} of ${plural(data.documents.length, "document")}`}</p>
      </div>
      <div class="tools">
        <Search label="Filter documents" value={filter} onInput={(q) => go({ q }, true)} />
        {divisions.map((by) => (
          <Choice
            key={by}
            label={by.replace(/^./, (c) => c.toUpperCase())}
            value={route[`group.${by}`] ?? ""}
            options={[{ value: "", label: "All" }, ...[...new Set(data.documents.map((document) => document.groups?.[by]).filter((id) => id !== undefined))].sort().map((id) => ({ value: id, label: inert(id) }))]}
            onChange={(value) => go({ [`group.${by}`]: value }, true)}
          />
        ))}
        <Choice label="Metric" value={metric.id} options={data.metrics.map((metric) => ({ value: metric.id, label: metric.label }))} onChange={(id) => go({ metric: id }, true)} />
        {!metric.f1_only && <Segments label="Score" value={field} options={FIELDS} onChange={(value) => setField(value as Field)} />}
      </div>
      <Table label="Scores by document" rows={rows} columns={columns} empty="No document matches the filter." />
      {groups.map((grouping) => <GroupTable key={grouping.by} data={data} grouping={grouping} metric={metric} field={shownField} />)}
    </div>
  );
}

function documentColumns(data: Data, metric: string, field: Field): Column<Row>[] {
  const has = (name: "words" | "zeros" | "mentions" | "entities") => data.documents.some((document) => document.counts?.[name] !== undefined);
  const value = (row: Row, system: number) => {
    const score = row.document.scores?.[system]?.[metric];
    return score && score.defined !== false ? score[field] : undefined;
  };
  const columns: Column<Row>[] = [
    {
      id: "document",
      label: "Document",
      heading: true,
      value: (row) => row.document.id,
      cell: (row) => (
        <>
          {row.document.body === undefined ? <bdi>{inertLong(row.document.id)}</bdi> : <Link to={{ doc: row.document.id }}><bdi>{inertLong(row.document.id)}</bdi></Link>}
          {row.document.extra && <span class="badge">not in the key</span>}
        </>
      ),
    },
  ];
  for (const name of ["words", "zeros", "mentions", "entities"] as const) {
    if (!has(name)) continue;
    columns.push({
      id: name,
      label: name.replace(/^./, (c) => c.toUpperCase()),
      ...(name !== "words" && { title: `${name === "zeros" ? "empty nodes" : name} of the key` }),
      number: true,
      value: (row) => row.document.counts?.[name],
      cell: (row) => (row.document.counts?.[name] === undefined ? "" : count(row.document.counts[name]!)),
    });
  }
  data.systems.forEach((system, index) => {
    columns.push({
      id: `system ${index}`,
      label: <><span class="swatch" style={{ "--system": `var(--system-${index % 8})` }} aria-hidden="true" /><bdi>{inert(system.name)}</bdi></>,
      number: true,
      value: (row) => value(row, index),
      cell: (row) =>
        row.document.missing?.includes(index) ? <span class="badge">missing</span> : <ScoreBar score={row.document.scores?.[index]?.[metric]} field={field} />,
    });
  });
  if (data.systems.length > 1) {
    const spread = (row: Row) => {
      const values = data.systems.map((_, index) => value(row, index)).filter((value) => value !== undefined);
      return values.length > 1 ? Math.max(...values) - Math.min(...values) : undefined;
    };
    columns.push({
      id: "spread",
      label: "Spread",
      title: "The highest score minus the lowest",
      number: true,
      value: spread,
      cell: (row) => percent(spread(row)),
    });
  }
  return columns;
}

function GroupTable(props: { data: Data; grouping: Grouping; metric: Metric; field: Field }) {
  const { data, grouping, field } = props;
  const metric = props.metric.id;
  const columns = useMemo<Column<Grouping["rows"][number]>[]>(() => {
    const name = grouping.by.replaceAll(/[-_]/g, " ").replace(/^./, (c) => c.toUpperCase());
    const list: Column<Grouping["rows"][number]>[] = [
      { id: "group", label: name, heading: true, value: (row) => row.id, cell: (row) => <bdi>{inert(row.id)}</bdi> },
    ];
    for (const size of ["documents", "mentions"] as const) {
      if (!grouping.rows.some((row) => row[size] !== undefined)) continue;
      list.push({ id: size, label: size.replace(/^./, (c) => c.toUpperCase()), number: true, value: (row) => row[size], cell: (row) => (row[size] === undefined ? "" : count(row[size]!)) });
    }
    data.systems.forEach((system, index) => {
      list.push({
        id: `system ${index}`,
        label: <bdi>{inert(system.name)}</bdi>,
        number: true,
        value: (row) => row.scores[index]?.[metric]?.[field],
        cell: (row) => <ScoreBar score={row.scores[index]?.[metric]} field={field} />,
      });
    });
    return list;
  }, [data, grouping, metric, field]);
  const by = grouping.by.replaceAll(/[-_]/g, " ");
  const [filter, setFilter] = useState("");
  const rows = useMemo(() => grouping.rows.filter((row) => row.id.toLowerCase().includes(filter.toLowerCase())), [grouping, filter]);
  return (
    <section>
      <h2>By {by}<span class="dim"> · {props.metric.label}{props.metric.f1_only ? "" : ` ${FIELDS.find(({ value }) => value === field)!.label}`}</span></h2>
      {grouping.rows.length > 2 && (
        <div class="tools">
          <Search label={`Filter by ${by}`} value={filter} onInput={setFilter} />
          {rows.length < grouping.rows.length && <p class="dim" aria-live="polite">{count(rows.length)} of {count(grouping.rows.length)}</p>}
        </div>
      )}
      <Table label={`Scores by ${by}`} rows={rows} columns={columns} empty="No row matches the filter." />
    </section>
  );
}

