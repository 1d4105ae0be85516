// Small controls that several pages use.

import type { ComponentChildren } from "preact";
import type { Score } from "../data";
import { fragment, go, open, type Route } from "../route";
import { percent } from "../words";

/** A choice of one of a few options, shown side by side. */
export function Segments(props: {
  label: string;
  value: string;
  options: { value: string; label: ComponentChildren; title?: string }[];
  onChange: (value: string) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          title={option.title}
          aria-pressed={props.value === option.value}
          onClick={() => props.onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

/** A choice of one of many options. */
export function Choice(props: {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
  hideLabel?: boolean;
}) {
  return (
    <label class="choice">
      <span class={props.hideLabel ? "hidden" : ""}>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === props.value}>{option.label}</option>
        ))}
      </select>
    </label>
  );
}

export function Toggle(props: { label: string; title?: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <button type="button" class="toggle" title={props.title} aria-pressed={props.on} onClick={() => props.onChange(!props.on)}>
      <span class="box" aria-hidden="true">{props.on ? "✓" : ""}</span>
      {props.label}
    </button>
  );
}

export function Search(props: { label: string; value: string; onInput: (value: string) => void; onEnter?: (back: boolean) => void; id?: string }) {
  return (
    <label class="search">
      <span class="hidden">{props.label}</span>
      <input
        id={props.id}
        type="search"
        placeholder={props.label}
        value={props.value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") props.onEnter?.(event.shiftKey);
          // Not all browsers clear a field at Esc. In an empty field, Esc is a key of the page.
          if (event.key === "Escape" && event.currentTarget.value !== "") {
            props.onInput("");
            event.preventDefault();
          }
        }}
      />
    </label>
  );
}

/** A link within the page. `merge` keeps the other fields of the current route. */
export function Link(props: { to: Route; merge?: boolean; class?: string; title?: string; children: ComponentChildren }) {
  return (
    <a
      class={props.class}
      title={props.title}
      href={fragment(props.to)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        if (props.merge) go(props.to);
        else open(props.to);
        if (!props.merge) scrollTo(0, 0);
      }}
    >
      {props.children}
    </a>
  );
}

/** A score with a bar behind it. */
export function ScoreBar(props: { score: Score | undefined; field?: "recall" | "precision" | "f1"; strong?: boolean }) {
  const value = props.score?.[props.field ?? "f1"];
  const defined = props.score !== undefined && props.score.defined !== false && value !== undefined;
  return (
    <span class={`scorebar ${props.strong ? "strong" : ""}`}>
      {defined && <span class="bar" aria-hidden="true"><span style={{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }} /></span>}
      <span class="value">{percent(value, defined)}</span>
    </span>
  );
}
