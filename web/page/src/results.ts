// Results as the core renders them: fragments of HTML, findings, and files to save.

/** A finding of a report (`schema/report.schema.json`). */
export interface Finding {
  code: string;
  severity: string;
  count: number;
  summary: string;
  remedy: string;
  places: { message: string }[];
}

/**
 * Converts a fragment of the output `html` for this page. The core escapes all text from files; attributes contain no text
 * from files. The page allows no styles in attributes, so they become classes.
 */
export function shown(html: string): string {
  const marked = html
    .replaceAll(' style="text-align: right"', ' class="number"')
    .replaceAll(' style="text-align: center"', ' class="group"')
    .replaceAll(' style="text-align: left"', "")
    .replaceAll('<div style="overflow-x: auto" ', '<div class="table" ')
    .replaceAll("<h4>", "<h3>")
    .replaceAll("</h4>", "</h3>");
  return new DOMParser().parseFromString(marked, "text/html").body.innerHTML;
}

/** Offers a text for saving as a file. */
export function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
