// Results as the core renders them: fragments of HTML, findings, and files to save.

/** A finding, as reports have it (`schema/report.schema.json`). */
export interface Finding {
  code: string;
  severity: string;
  count: number;
  summary: string;
  remedy: string;
  places: { message: string }[];
}

/**
 * A fragment of the output `html` for this page. The core escapes all text from files; attributes are its own. The page
 * allows no styles in attributes, so they become classes.
 */
export function shown(html: string): string {
  const marked = html
    .replaceAll('<td style="text-align: right">', '<td class="number">')
    .replaceAll('<td style="text-align: left">', "<td>")
    .replaceAll('<div style="overflow-x: auto" ', '<div class="table" ')
    .replaceAll("<h4>", "<h3>")
    .replaceAll("</h4>", "</h3>");
  const page = new DOMParser().parseFromString(marked, "text/html");
  // Heads of columns are aligned as their cells.
  for (const table of page.querySelectorAll("table")) {
    const heads = table.tHead?.rows[table.tHead.rows.length - 1]?.cells;
    const rows = [...(table.tBodies[0]?.rows ?? [])];
    const cells = rows.find(({ cells }) => cells.length === heads?.length)?.cells;
    for (const [place, head] of [...(heads ?? [])].entries()) if (cells?.[place]?.className === "number") head.className = "number";
  }
  return page.body.innerHTML;
}

/** Lets the reader save a text as a file. */
export function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
