// Scores of files: a key, one or more responses, settings, and the results.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Choice, Segments } from "../../viewer/src/parts/controls";
import { Coded } from "../../viewer/src/parts/markdown";
import alder from "../../../examples/alder.conll";
import birch from "../../../examples/birch.conll";
import cedar from "../../../examples/cedar.conll";
import keyText from "../../../examples/key.conll";
import { CoreError } from "./answer";
import { Cancelled, type Engine } from "./engine";
import { chosenFiles, droppedFiles, inputsOf, joined, laidOut, type Dropped, type Input } from "./files";
import { save, shown, type Finding } from "./results";
import type { Failure, Files, FormatRow, OptionRow, OutputRow, Tables } from "./types";

/** The available views of results, by the name of their task. */
const VIEWS = { score: "Scores", compare: "Comparison", errors: "Errors", report: "Report and texts" } as const;
type View = keyof typeof VIEWS;

/** The key and the systems of the documentation, as an example. */
const EXAMPLE = Object.entries({ key: keyText, alder, birch, cedar }).map(([name, text]) => ({ path: [`${name}.conll`], bytes: new TextEncoder().encode(text) }));

interface Shown { html: string; findings: Finding[]; milliseconds: number; note?: string | null }

export function Heading() {
  return (
    <>
      <h1>Score coreference resolution</h1>
      <p class="lead">Drop a key and the responses of one or more systems. Files are scored in this page and never leave your computer.</p>
    </>
  );
}

export function Evaluate({ engine, tables }: { engine: Engine; tables: Tables }) {
  const [key, setKey] = useState<Input>();
  const [systems, setSystems] = useState<Input[]>([]);
  const [options, setOptions] = useState<Record<string, string>>({});
  const [metrics, setMetrics] = useState<string[]>([]);
  const [view, setView] = useState<View>("score");
  const [found, setFound] = useState<{ view: View; shown: Shown | undefined }>();
  const [failure, setFailure] = useState<Failure>();
  const [read, setRead] = useState<number>();
  const [cancelled, setCancelled] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [unread, setUnread] = useState("");
  const known = useRef(new Map<View, Shown>());

  // After a click, the page renders once before the effect below runs, so the results may belong to the previous view.
  const result = found?.view === view ? found.shown : undefined;
  const laid = useMemo(() => (key === undefined || systems.length === 0 ? undefined : laidOut(key, systems)), [key, systems]);
  const total = (key?.size ?? 0) + systems.reduce((sum, { size }) => sum + size, 0);
  const request = (outputs: string[]): Files => {
    const values = Object.entries({ ...options, metrics: metrics.join(",") }).filter(([, value]) => value !== "");
    return { key: laid!.key, responses: laid!.responses, options: Object.fromEntries(values.map(([name, value]) => [name, [value]])), outputs };
  };

  useEffect(() => {
    known.current.clear();
    if (laid) engine.files(laid.root);
  }, [laid, options, metrics]);

  useEffect(() => {
    engine.cancel();
    setFailure(undefined);
    setCancelled(false);
    const before = known.current.get(view);
    setFound({ view, shown: before });
    if (laid === undefined || before) return;
    let current = true;
    const failed = (error: Error) => {
      if (!current) return;
      setRead(undefined);
      if (!(error instanceof Cancelled)) setFailure(failureOf(error));
    };
    setRead(0);
    const observe = (bytes: number) => current && setRead(bytes);
    const answered = view === "report"
      ? engine.run("report", request([]), observe).then(({ answer, milliseconds }) => ({ html: answer.html, findings: [], milliseconds, note: answer.not_compared }))
      : engine.run(view, request(["html"]), observe).then(({ answer, milliseconds }) => ({ html: answer.outputs.html!, findings: answer.findings as Finding[], milliseconds }));
    answered.then((shown) => {
      if (!current) return;
      known.current.set(view, shown);
      setRead(undefined);
      setFound({ view, shown });
    }).catch(failed);
    return () => void (current = false);
  }, [laid, options, metrics, view, attempt]);

  const keep = async ({ id, extensions }: OutputRow) => {
    try {
      const task = view === "report" ? "score" : view;
      const { answer } = await engine.run(task, request([id]));
      save(`${VIEWS[task].toLowerCase()}.${extensions[0]}`, answer.outputs[id]!);
    } catch (error) {
      if (!(error instanceof Cancelled)) setFailure(failureOf(error));
    }
  };
  const example = () => {
    const [first, ...others] = inputsOf(EXAMPLE, tables.formats);
    setKey(first);
    setSystems(others);
  };
  const keepPage = async () => {
    try {
      const { answer } = await engine.run("report", request([]));
      save("report.html", answer.html);
    } catch (error) {
      if (!(error instanceof Cancelled)) setFailure(failureOf(error));
    }
  };

  return (
    <div class="page">
      <Heading />
      <div class="places">
        <Place label="Key" hint="The annotation taken as correct: a file or a directory" onUnread={setUnread} onFiles={(inputs) => setKey(joined(inputs) ?? key)} formats={tables.formats}>
          {key && <InputRow input={key} onRemove={() => setKey(undefined)} />}
        </Place>
        <Place label="Responses" hint="Each file or directory is a system" onUnread={setUnread} onFiles={(inputs) => setSystems((before) => [...before, ...inputs])} formats={tables.formats}>
          {systems.map((system, place) => <InputRow key={place} input={system} onRemove={() => setSystems(systems.filter((_, other) => other !== place))} />)}
        </Place>
      </div>
      {!key && systems.length === 0 && <p class="tools"><span class="dim small">No files at hand?</span><button type="button" class="chip" onClick={example}>Score an example</button></p>}
      <Settings tables={tables} options={options} metrics={metrics} onOptions={setOptions} onMetrics={setMetrics} />
      {unread && <p class="notice failed" role="alert">These files cannot be read: {unread}</p>}
      {laid && (
        <section class="results" aria-label="Results">
          <div class="heading">
            <h2>{VIEWS[view]}</h2>
            <Segments label="Results" value={view} options={Object.entries(VIEWS).map(([value, label]) => ({ value, label }))} onChange={(value) => setView(value as View)} />
          </div>
          <div class="state">
            <p class="progress" role="status">
              {read !== undefined && (
                <>
                  <progress max={total || 1} value={read >= total ? undefined : read} aria-label="Read" />
                  {read < total ? `Reading: ${Math.round((100 * read) / total)}%` : "Scoring"}
                  <button type="button" class="plain" onClick={() => { engine.cancel(); setRead(undefined); setCancelled(true); }}>Cancel</button>
                </>
              )}
              {read === undefined && result && `Done in ${duration(result.milliseconds)}.`}
              {cancelled && <>Cancelled.<button type="button" class="plain" onClick={() => setAttempt(attempt + 1)}>Start again</button></>}
            </p>
            {result && (
              <div class="tools" role="group" aria-label="Save">
                <span class="dim small">Save</span>
                {view !== "report" && tables.outputs.filter(({ saved_as }) => saved_as !== null).map((output) => (
                  <button key={output.id} type="button" class="chip" onClick={() => void keep(output)}>{output.saved_as}</button>
                ))}
                <button type="button" class="chip" onClick={() => void keepPage()}>HTML report</button>
              </div>
            )}
          </div>
          {failure && <FailureNotice failure={failure} />}
          {result && view !== "report" && (
            <>
              <div class="fragment" dangerouslySetInnerHTML={{ __html: shown(result.html) }} />
              {result.findings.length > 0 && <Findings findings={result.findings} />}
            </>
          )}
          {result && view === "report" && (
            <>
              {result.note && <p class="notice">Without intervals and tests: {result.note}</p>}
              <iframe title="Report" class="report" sandbox="allow-scripts" srcdoc={result.html} />
            </>
          )}
        </section>
      )}
    </div>
  );
}

const duration = (milliseconds: number) => (milliseconds < 10_000 ? `${Math.round(milliseconds)} ms` : `${Math.round(milliseconds / 1000)} s`);

/** Returns an error of the core, or another error in the same form. */
function failureOf(error: unknown): Failure {
  if (error instanceof CoreError) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { code: "", text: message, worded: message, message, file: null, line: null, column: null, hint: null };
}

function FailureNotice({ failure }: { failure: Failure }) {
  return <div class="notice failed" role="alert"><strong>The files cannot be scored.</strong><pre tabIndex={0}>{failure.worded}</pre></div>;
}

/** A place to drop files, with a button as an alternative to dragging. */
function Place(props: { label: string; hint: string; formats: FormatRow[]; onFiles: (inputs: Input[]) => void; onUnread: (message: string) => void; children: ComponentChildren }) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null), folder = useRef<HTMLInputElement>(null);
  const take = async (reading: Promise<Dropped[]>) => {
    try {
      props.onFiles(inputsOf(await reading, props.formats));
      props.onUnread("");
    } catch (error) {
      props.onUnread(error instanceof Error ? error.message : String(error));
    }
  };
  const chosen = async (element: HTMLInputElement) => {
    if (element.files && element.files.length > 0) await take(chosenFiles(element.files));
    element.value = "";
  };
  const id = `place-${props.label.toLowerCase()}`;
  return (
    <section
      class={`place ${over ? "over" : ""}`}
      aria-labelledby={id}
      onDragOver={(event) => { event.preventDefault(); setOver(true); }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) void take(droppedFiles(event.dataTransfer));
      }}
    >
      <h2 id={id}>{props.label}</h2>
      <p class="dim small">{props.hint}</p>
      <ul class="inputs">{props.children}</ul>
      <div class="tools">
        <button type="button" class="chip" onClick={() => input.current?.click()}>Choose files<span class="hidden"> for {props.label}</span></button>
        <button type="button" class="chip" onClick={() => folder.current?.click()}>Choose a directory<span class="hidden"> for {props.label}</span></button>
      </div>
      <input ref={input} type="file" multiple hidden aria-label={`Files: ${props.label}`} data-place={id} onChange={(event) => void chosen(event.currentTarget)} />
      <input ref={(element) => { folder.current = element; element?.setAttribute("webkitdirectory", ""); }} type="file" hidden aria-label={`Directory: ${props.label}`} data-place={`${id}-directory`} onChange={(event) => void chosen(event.currentTarget)} />
    </section>
  );
}

function InputRow({ input, onRemove }: { input: Input; onRemove: () => void }) {
  const size = input.size < 1 << 20 ? `${Math.ceil(input.size / 1024)} KB` : `${(input.size / (1 << 20)).toFixed(1)} MB`;
  return (
    <li>
      <bdi class="name">{input.name}</bdi>
      <span class="dim small nowrap">{input.count > 1 ? `${input.count} files, ` : ""}{size}</span>
      <button type="button" class="icon" aria-label={`Remove ${input.name}`} title="Remove" onClick={onRemove}>×</button>
    </li>
  );
}

function Settings(props: { tables: Tables; options: Record<string, string>; metrics: string[]; onOptions: (options: Record<string, string>) => void; onMetrics: (metrics: string[]) => void }) {
  const { tables, options, metrics } = props;
  const set = (name: string, value: string) => props.onOptions({ ...options, [name]: value });
  const choice = (name: string, label: string, usual: string, rows: { id: string; summary: string }[]) => (
    <Choice key={name} label={label} value={options[name] ?? ""} options={[{ value: "", label: usual }, ...rows.map(({ id, summary }) => ({ value: id, label: `${id}: ${summary}` }))]} onChange={(value) => set(name, value)} />
  );
  const changed = Object.entries(options).filter(([name, value]) => value !== "" && name !== "profile" && name !== "format").length;
  const row = (option: OptionRow) => (
    <div key={option.name} class="option" title={option.summary}>
      {option.values.length > 0
        ? choice(option.name, option.name, option.default ?? "as in the profile", option.values)
        : (
          <label class="choice">{option.name}
            <input type="text" class="value" value={options[option.name] ?? ""} placeholder={option.default ?? ""} onChange={(event) => set(option.name, event.currentTarget.value)} />
          </label>
        )}
    </div>
  );
  return (
    <section class="choices" aria-label="Settings">
      <div class="tools">
        {choice("profile", "Profile", "by format", tables.profiles)}
        {choice("format", "Format", "detected", tables.formats)}
      </div>
      <fieldset class="metrics">
        <legend>Metrics{metrics.length === 0 ? " (none chosen: those of the profile)" : ""}</legend>
        <button type="button" class="chip" aria-pressed={metrics.includes("all")} onClick={() => props.onMetrics(metrics.includes("all") ? [] : ["all"])}>All</button>
        {tables.metrics.map(({ id, label, summary }) => {
          const on = metrics.includes(id);
          const toggled = on ? metrics.filter((other) => other !== id) : [...metrics.filter((other) => other !== "all"), id];
          return <button key={id} type="button" class="chip" title={summary} aria-pressed={on} onClick={() => props.onMetrics(toggled)}>{label}</button>;
        })}
      </fieldset>
      <details>
        <summary>All options{changed > 0 ? ` (${changed} changed)` : ""}</summary>
        <h3>Scores</h3>
        <div class="options">{tables.options.map(row)}</div>
        <h3>Comparison</h3>
        <div class="options">{tables.method.map(row)}</div>
      </details>
    </section>
  );
}

function Findings({ findings }: { findings: Finding[] }) {
  return (
    <ul class="findings" aria-label="Warnings and notes">
      {findings.map(({ code, severity, count, summary, remedy, places }) => (
        <li key={code}>
          <span class={`badge ${severity}`}>{severity}</span> <Coded text={places[0]?.message ?? summary} />
          {count > 1 && <span class="dim"> ({count} times)</span>}
          {remedy && <small class="dim"><Coded text={remedy} /></small>}
        </li>
      ))}
    </ul>
  );
}
