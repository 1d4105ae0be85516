// Renders the Markdown subset of metric explanations as elements. None of it becomes HTML.

import type { ComponentChildren, JSX } from "preact";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[`?([^\]`]+)`?\](?:\(([^)]*)\))?/g;

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(last, match.index));
    if (match[1]) parts.push(<code>{match[1]}</code>);
    else if (match[2]) parts.push(<strong>{match[2]}</strong>);
    else if (match[3]) parts.push(<em>{match[3]}</em>);
    else if (match[5]?.startsWith("https://")) parts.push(<a href={match[5]} target="_blank" rel="noopener noreferrer">{match[4]}</a>);
    else parts.push(match[4]);
    last = match.index + match[0].length;
  }
  parts.push(text.slice(last));
  return parts;
}

/** A message with code between backquotes; all other text can come from users. */
export function Coded({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

function cells(line: string): string[] {
  return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

// Doc comments start paragraphs with a heading and a colon.
const LEAD = /^(What it measures|Definition|Formula|Edge cases|Example|Examples|References|Other scorers|Parameters|Differences|Where we differ): /;

function paragraph(text: string, key: number): JSX.Element {
  const lead = LEAD.exec(text);
  if (lead) return <p key={key}><strong class="lead">{lead[1]}:</strong> {inline(text.slice(lead[0].length))}</p>;
  return <p key={key}>{inline(text)}</p>;
}

export function Markdown({ text, skipTitle }: { text: string; skipTitle?: boolean }) {
  const blocks: JSX.Element[] = [];
  const lines = text.replaceAll("\r", "").split("\n");
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const heading = /^(#{1,6}) (.*)/.exec(line);
    if (line.trim() === "") {
      i++;
    } else if (line.startsWith("```")) {
      const code: string[] = [];
      for (i++; i < lines.length && !lines[i]!.startsWith("```"); i++) code.push(lines[i]!);
      i++;
      blocks.push(<pre key={i} tabIndex={0}><code>{code.join("\n")}</code></pre>);
    } else if (heading) {
      if (!(skipTitle && blocks.length === 0 && heading[1] === "#")) blocks.push(<h3 key={i}>{inline(heading[2]!)}</h3>);
      i++;
    } else if (/^\s*[-*] /.test(line)) {
      const items: string[] = [];
      for (; i < lines.length && lines[i]!.trim() !== ""; i++) {
        const item = /^\s*[-*] (.*)/.exec(lines[i]!);
        if (item) items.push(item[1]!);
        else items[items.length - 1] += ` ${lines[i]!.trim()}`;
      }
      blocks.push(<ul key={i}>{items.map((item, at) => <li key={at}>{inline(item)}</li>)}</ul>);
    } else if (line.startsWith("|") && /^\|[\s|:-]+$/.test(lines[i + 1] ?? "")) {
      const head = cells(line);
      const rows: string[][] = [];
      for (i += 2; i < lines.length && lines[i]!.startsWith("|"); i++) rows.push(cells(lines[i]!));
      blocks.push(
        <div key={i} class="table" role="group" aria-label="Table" tabIndex={0}>
          <table class="plain">
            <thead><tr>{head.map((cell, at) => <th key={at} scope="col">{inline(cell)}</th>)}</tr></thead>
            <tbody>{rows.map((row, at) => <tr key={at}>{row.map((cell, c) => <td key={c}>{inline(cell)}</td>)}</tr>)}</tbody>
          </table>
        </div>,
      );
    } else if (/^ {4}\S/.test(line)) {
      const code: string[] = [];
      for (; i < lines.length && /^( {4}|\s*$)/.test(lines[i]!); i++) code.push(lines[i]!.slice(4));
      blocks.push(<pre key={i} tabIndex={0}><code>{code.join("\n").trimEnd()}</code></pre>);
    } else {
      const words: string[] = [];
      for (; i < lines.length && lines[i]!.trim() !== "" && !/^(#{1,6} |```|\s*[-*] )/.test(lines[i]!); i++) words.push(lines[i]!.trim());
      blocks.push(paragraph(words.join(" "), i));
    }
  }
  return <div class="markdown">{blocks}</div>;
}
