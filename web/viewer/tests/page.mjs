// Builds a page like `corefeval report`.

import { readFileSync } from "node:fs";

const dist = new URL("../../../crates/corefeval-page/assets/", import.meta.url);
const part = (name) => readFileSync(new URL(name, dist), "utf8");

export function page(data) {
  const parts = { title: "Report", style: part("viewer.css"), script: part("viewer.js"), data: JSON.stringify(data).replaceAll("<", "\\u003c") };
  return part("page.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
}
