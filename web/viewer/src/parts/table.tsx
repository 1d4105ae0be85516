// A table that can be sorted by its columns. Long tables grow while scrolling.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Column<Row> {
  id: string;
  label: ComponentChildren;
  /** A longer name, for hovering and for screen readers. */
  title?: string;
  /** The value to sort by; without it, the column cannot be sorted. */
  value?: (row: Row) => string | number | undefined;
  cell: (row: Row) => ComponentChildren;
  /** True if the cells are numbers, which are right-aligned and sorted in descending order. */
  number?: boolean;
  /** True if the cell is the header of its row. */
  heading?: boolean;
}

const STEP = 150;

export function Table<Row>(props: {
  label: string;
  rows: readonly Row[];
  columns: Column<Row>[];
  sort?: string;
  descending?: boolean;
  empty?: string;
  rowClass?: (row: Row) => string;
}) {
  const { rows, columns } = props;
  const [sort, setSort] = useState({ by: props.sort ?? "", descending: props.descending ?? false });
  const [limit, setLimit] = useState(STEP);
  const end = useRef<HTMLTableRowElement>(null);
  useEffect(() => setSort({ by: props.sort ?? "", descending: props.descending ?? false }), [props.sort, props.descending]);
  useEffect(() => setLimit(STEP), [rows]);
  const sorted = useMemo(() => {
    const value = columns.find((column) => column.id === sort.by)?.value;
    if (!value) return rows;
    const keyed = rows.map((row, index) => ({ row, index, key: value(row) }));
    const sign = sort.descending ? -1 : 1;
    keyed.sort((a, b) => {
      // Rows without a value are last in either order.
      if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined) || a.index - b.index;
      return sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) || a.index - b.index;
    });
    return keyed.map(({ row }) => row);
  }, [rows, columns, sort]);
  useEffect(() => {
    if (!end.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setLimit((limit) => limit + 2 * STEP);
    }, { rootMargin: "600px" });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [limit, sorted]);
  if (rows.length === 0) return <p class="empty">{props.empty ?? "Nothing to show."}</p>;
  return (
    <div class="table" role="group" aria-label={props.label} tabIndex={0}>
      <table>
        <caption class="hidden">{props.label}</caption>
        <thead>
          <tr>
            {columns.map((column) => {
              const active = sort.by === column.id;
              return (
                <th
                  key={column.id}
                  scope="col"
                  class={column.number ? "number" : ""}
                  title={column.title}
                  aria-sort={active ? (sort.descending ? "descending" : "ascending") : column.value ? "none" : undefined}
                >
                  {column.value ? (
                    <button
                      type="button"
                      class={`sort ${active ? "active" : ""}`}
                      onClick={() => setSort({ by: column.id, descending: active ? !sort.descending : column.number ?? false })}
                    >
                      {column.label}
                      <span class="direction" aria-hidden="true">{active ? (sort.descending ? "↓" : "↑") : "⇅"}</span>
                    </button>
                  ) : (
                    column.label
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, limit).map((row, index) => (
            <tr key={index} class={props.rowClass?.(row)}>
              {columns.map((column) =>
                column.heading ? (
                  <th key={column.id} scope="row">{column.cell(row)}</th>
                ) : (
                  <td key={column.id} class={column.number ? "number" : ""}>{column.cell(row)}</td>
                ),
              )}
            </tr>
          ))}
          {sorted.length > limit && (
            <tr ref={end}>
              <td class="more" colSpan={columns.length}>
                <button type="button" onClick={() => setLimit(limit + 10 * STEP)}>Show more of the {sorted.length} rows</button>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
