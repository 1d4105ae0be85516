// The first page: the best system and its lead, the cost of errors, and the settings of the scores.

import { useMemo, useState } from "preact/hooks";
import type { Data, Difference, Kind, Metric, Score, Setting, Store, System } from "../data";
import { Choice, Link, ScoreBar, Segments } from "../parts/controls";
import { Coded } from "../parts/markdown";
import { Axis, CountBar, scaleOf, Step, Track } from "../parts/plots";
import { count, inert, percent, plural, points, pValue } from "../words";

export type Field = "f1" | "recall" | "precision";

export const FIELDS: { value: Field; label: string }[] = [
  { value: "f1", label: "F1" },
  { value: "recall", label: "Recall" },
  { value: "precision", label: "Precision" },
];

export function intervalOf(score: Score | undefined, field: Field): [number, number] | undefined {
  if (!score || score.defined === false) return undefined;
  return field === "f1" ? score.interval : field === "recall" ? score.recall_interval : score.precision_interval;
}

export function Summary({ store }: { store: Store }) {
  const { data } = store;
  const headline = store.headline;
  return (
    <div class="page">
      <Lead data={data} headline={headline} />
      {data.systems.length === 1 ? <OneSystem data={data} /> : <Systems data={data} headline={headline} />}
      <Forest data={data} headline={headline} />
      <ErrorSummary store={store} />
      <Costs store={store} headline={headline} />
      <SettingsSection data={data} />
      <Warnings data={data} />
    </div>
  );
}

/** Systems by a metric, the best first and undefined scores last. */
export function ranked(data: Data, metric: string): { system: System; index: number }[] {
  const value = (system: System) => {
    const score = system.scores[metric];
    return !score || score.defined === false ? -1 : score.f1;
  };
  return data.systems.map((system, index) => ({ system, index })).sort((a, b) => value(b.system) - value(a.system) || a.index - b.index);
}

/** The difference of one system from another, in either direction in the data. */
export function differenceOf(data: Data, from: number, to: number, metric: string): Difference | undefined {
  for (const pair of data.comparison?.pairs ?? []) {
    const found = pair.metrics[metric];
    if (!found) continue;
    if (pair.first === from && pair.second === to) return found;
    if (pair.first === to && pair.second === from) {
      return { ...found, f1: -found.f1, ...(found.interval && { interval: [-found.interval[1], -found.interval[0]] as [number, number] }) };
    }
  }
  return undefined;
}

export function isSignificant(data: Data, difference: Difference): boolean {
  if (difference.significant !== undefined) return difference.significant;
  const p = difference.p_corrected ?? difference.p;
  return p !== undefined && p <= 1 - (data.confidence ?? 0.95) + 1e-12;
}

/** The most lines of counts above the score; more of them are below it. */
const MOST_FACTS = 3;

function Lead({ data, headline }: { data: Data; headline: Metric }) {
  const sums = useMemo(() => {
    let words = 0;
    let mentions = 0;
    let entities = 0;
    for (const { counts } of data.documents) {
      words += counts?.words ?? 0;
      mentions += counts?.mentions ?? 0;
      entities += counts?.entities ?? 0;
    }
    return { words, mentions, entities };
  }, [data]);
  const sizes = [
    plural(data.documents.length, "document"),
    sums.words > 0 && plural(sums.words, "word"),
    sums.mentions > 0 && plural(sums.mentions, "key mention"),
    sums.entities > 0 && plural(sums.entities, "key entity", "key entities"),
  ].filter((fact) => fact);
  const facts = data.counts?.length ? data.counts : [sizes.join(" · ")];
  const order = ranked(data, headline.id);
  const best = order[0]!;
  const score = best.system.scores[headline.id];
  const second = order[1];
  const difference = second && differenceOf(data, second.index, best.index, headline.id);
  // Systems with equal scores are tied, and none leads.
  const first = score && score.defined !== false ? order.filter(({ system }) => system.scores[headline.id]?.defined !== false && system.scores[headline.id]?.f1 === score.f1) : [];
  const tied = first.length > 1;
  const sizesInWords = facts.map((line, index) => <p key={index} class="facts"><bdi>{inert(line)}</bdi></p>);
  return (
    <header class="lead">
      <h1>{data.title ? inert(data.title) : <><Names names={data.systems.map((system) => system.name)} /> {data.key.name && <><span class="against">against</span> <bdi>{inert(data.key.name)}</bdi></>}</>}</h1>
      {facts.length <= MOST_FACTS && sizesInWords}
      {score && (
        <div class="hero">
          <p class="big">
            <span class="figure">{percent(score.f1, score.defined !== false)}</span>
            <span class="what">
              {headline.label}{headline.f1_only ? "" : " F1"}
              {data.systems.length > 1 && <> of <Names names={first.length > 0 ? first.map(({ system }) => system.name) : [best.system.name]} /></>}
              {score.interval && <small>{confidenceOf(data)} interval {percent(score.interval[0])} – {percent(score.interval[1])}</small>}
            </span>
          </p>
          {tied && <p class="verdict"><Names names={first.map(({ system }) => system.name)} /> are tied.</p>}
          {!tied && second && difference && score.defined !== false && (
            <p class="verdict">
              <bdi>{inert(best.system.name)}</bdi> leads <bdi>{inert(second.system.name)}</bdi> by {leadInWords(difference.f1)}
              {difference.interval && <> [{points(difference.interval[0])}, {points(difference.interval[1])}]</>}
              {difference.p !== undefined && <>, p = {pValue(difference.p_corrected ?? difference.p)}</>}:{" "}
              {isSignificant(data, difference) ? "a significant difference." : "not a significant difference."}
              {data.comparison?.reason_for_insignificance && <> {sentence(data.comparison.reason_for_insignificance)}</>}
            </p>
          )}
        </div>
      )}
      {facts.length > MOST_FACTS && sizesInWords}
      {data.not_compared && (
        <p class="notice">There are no intervals{data.systems.length > 1 && " and no comparison"}: <Coded text={inertLong(data.not_compared.message)} />.</p>
      )}
      {data.without_text && <p class="notice">This report was written without texts: it has scores and error tables only.</p>}
      {data.bodies && data.bodies.shown < data.bodies.total && (
        <p class="notice">The texts of {count(data.bodies.shown)} of {plural(data.bodies.total, "document")} are in this report; scores cover all documents.</p>
      )}
    </header>
  );
}

/** The size of a lead, which is not 0 even if it is not visible in two digits. */
function leadInWords(difference: number): string {
  const shown = points(difference).replace("+", "");
  return Number(shown) === 0 ? "less than 0.01 points" : `${shown} points`;
}

function Names({ names }: { names: string[] }) {
  const shown = names.slice(0, 4);
  return (
    <>
      {shown.map((name, index) => (
        <span key={index}>
          {index > 0 && (index === shown.length - 1 && names.length === shown.length ? " and " : ", ")}
          <bdi>{inert(name)}</bdi>
        </span>
      ))}
      {names.length > shown.length && ` and ${names.length - shown.length} more`}
    </>
  );
}

function confidenceOf(data: Data): string {
  return `${Number(((data.confidence ?? 0.95) * 100).toFixed(2))}%`;
}

function OneSystem({ data }: { data: Data }) {
  const system = data.systems[0]!;
  return (
    <section aria-labelledby="scores">
      <h2 id="scores">Scores</h2>
      <div class="table" role="group" aria-label="Scores" tabIndex={0}>
        <table class="scores">
          <thead><tr><th scope="col">Metric</th><th scope="col" class="number">Recall</th><th scope="col" class="number">Precision</th><th scope="col" class="number">F1</th>
            {data.metrics.some((metric) => system.scores[metric.id]?.interval) && <th scope="col" class="number">{confidenceOf(data)} interval</th>}</tr></thead>
          <tbody>
            {data.metrics.map((metric) => {
              const score = system.scores[metric.id];
              const undefinedScore = score?.defined === false;
              return (
                <tr key={metric.id}>
                  <th scope="row"><Link to={{ view: "metrics", metric: metric.id }} title={metric.summary ?? ""}>{metric.label}</Link></th>
                  <td class="number">{metric.f1_only ? "" : <ScoreBar score={score} field="recall" />}</td>
                  <td class="number">{metric.f1_only ? "" : <ScoreBar score={score} field="precision" />}</td>
                  <td class="number"><ScoreBar score={score} strong /></td>
                  {data.metrics.some((metric) => system.scores[metric.id]?.interval) && (
                    <td class="number dim">{score?.interval && !undefinedScore ? `${percent(score.interval[0])} – ${percent(score.interval[1])}` : ""}</td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Systems({ data, headline }: { data: Data; headline: Metric }) {
  const [field, setField] = useState<Field>("f1");
  const order = ranked(data, headline.id);
  const best = (metric: Metric) =>
    Math.max(...data.systems.map((system) => (system.scores[metric.id]?.defined === false ? -1 : (system.scores[metric.id]?.[field] ?? -1))));
  const metrics = data.metrics.filter((metric) => field === "f1" || !metric.f1_only);
  return (
    <section aria-labelledby="scores">
      <div class="heading">
        <h2 id="scores">Scores</h2>
        <Segments label="Score" value={field} options={FIELDS} onChange={(value) => setField(value as Field)} />
      </div>
      <div class="table" role="group" aria-label="Scores" tabIndex={0}>
        <table class="scores many">
          <thead>
            <tr>
              <th scope="col">System</th>
              {metrics.map((metric) => (
                <th key={metric.id} scope="col" class="number"><Link to={{ view: "metrics", metric: metric.id }} title={metric.summary ?? ""}>{metric.label}</Link></th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map(({ system, index }) => (
              <tr key={index}>
                <th scope="row"><span class="swatch" style={{ "--system": `var(--system-${index % 8})` }} aria-hidden="true" /><bdi>{inert(system.name)}</bdi></th>
                {metrics.map((metric) => {
                  const score = system.scores[metric.id];
                  const interval = intervalOf(score, field);
                  const value = score?.[field];
                  const isBest = value !== undefined && score?.defined !== false && value === best(metric);
                  return (
                    <td key={metric.id} class={`number ${isBest ? "best" : ""}`}>
                      {percent(value, score?.defined !== false)}
                      {isBest && <span class="hidden"> (best)</span>}
                      {interval && <small>{percent(interval[0], true, 1)} – {percent(interval[1], true, 1)}</small>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">The best score of each column is bold. {data.systems.some((system) => Object.values(system.scores).some((score) => score.interval)) && `The ${confidenceOf(data)} interval is below each score.`}</p>
    </section>
  );
}

function Forest({ data, headline }: { data: Data; headline: Metric }) {
  const [id, setId] = useState(headline.id);
  const several = data.systems.length > 1;
  if (!data.systems.some((system) => Object.values(system.scores).some((score) => score.interval))) return null;
  const metric = data.metrics.find((metric) => metric.id === id) ?? headline;
  const order = ranked(data, metric.id);
  if (!several) {
    const system = data.systems[0]!;
    const rows = data.metrics.filter((metric) => system.scores[metric.id]?.interval);
    const scale = scaleOf(rows.flatMap((metric) => system.scores[metric.id]!.interval!), { least: 0, most: 1 });
    return (
      <section aria-labelledby="forest">
        <h2 id="forest">Intervals</h2>
        <div class="table" role="group" aria-label="Intervals" tabIndex={0}>
          <table class="forest">
            <thead><tr><th scope="col">Metric</th><th scope="col" class="plot"><span class="hidden">Plot</span><Axis scale={scale} format={(tick) => percent(tick, true, 0)} /></th><th scope="col" class="number">F1</th></tr></thead>
            <tbody>
              {rows.map((metric) => {
                const score = system.scores[metric.id]!;
                return (
                  <tr key={metric.id}>
                    <th scope="row">{metric.label}</th>
                    <td class="plot"><Track scale={scale} value={score.f1} interval={score.interval} hollow={metric.id !== headline.id} /></td>
                    <td class="number">{percent(score.f1, score.defined !== false)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </section>
    );
  }
  const baseline = data.comparison?.baseline;
  const scores = order.flatMap(({ system }) => {
    const score = system.scores[metric.id];
    return score && score.defined !== false ? [score.f1, ...(score.interval ?? [])] : [];
  });
  const scale = scaleOf(scores, { least: 0, most: 1 });
  const differences = baseline === undefined ? [] : order.map(({ index }) => (index === baseline ? undefined : differenceOf(data, baseline, index, metric.id)));
  const differenceScale = scaleOf(differences.flatMap((difference) => (difference ? [difference.f1, ...(difference.interval ?? [])] : [])), { zero: true });
  const withDifferences = differences.some((difference) => difference);
  const small = scale.high - scale.low < 0.04 ? 1 : 0;
  return (
    <section aria-labelledby="forest">
      <div class="heading">
        <h2 id="forest">Comparison</h2>
        <Choice label="Metric" value={metric.id} options={data.metrics.map((metric) => ({ value: metric.id, label: metric.label }))} onChange={setId} />
      </div>
      <div class="table" role="group" aria-label="Comparison" tabIndex={0}>
        <table class="forest">
          <thead>
            <tr>
              <th scope="col">System</th>
              <th scope="col" class="plot"><span class="head">F1</span><Axis scale={scale} format={(tick) => percent(tick, true, small)} /></th>
              <th scope="col" class="number"><span class="hidden">F1</span></th>
              {withDifferences && <th scope="col" class="plot"><span class="head">Difference from <bdi>{inert(data.systems[baseline!]!.name)}</bdi></span><Axis scale={differenceScale} format={(tick) => points(tick, 0)} /></th>}
              {withDifferences && <th scope="col" class="number">Points</th>}
              {withDifferences && <th scope="col" class="number">p</th>}
            </tr>
          </thead>
          <tbody>
            {order.map(({ system, index }, row) => {
              const score = system.scores[metric.id];
              const defined = score !== undefined && score.defined !== false;
              const difference = differences[row];
              return (
                <tr key={index}>
                  <th scope="row"><span class="swatch" style={{ "--system": `var(--system-${index % 8})` }} aria-hidden="true" /><bdi>{inert(system.name)}</bdi>{index === baseline && <small class="dim"> baseline</small>}</th>
                  <td class="plot"><Track scale={scale} value={defined ? score.f1 : undefined} interval={intervalOf(score, "f1")} hue={index} /></td>
                  <td class="number">{percent(score?.f1, defined)}</td>
                  {withDifferences && <td class="plot">{difference ? <Track scale={differenceScale} value={difference.f1} interval={difference.interval} hue={index} zero hollow={!isSignificant(data, difference)} /> : <Track scale={differenceScale} value={undefined} zero />}</td>}
                  {withDifferences && <td class="number">{difference ? points(difference.f1) : ""}</td>}
                  {withDifferences && <td class="number dim">{difference?.p !== undefined ? pValue(difference.p_corrected ?? difference.p) : ""}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="note">{testInWords(data)}</p>
    </section>
  );
}

function testInWords(data: Data): string {
  const comparison = data.comparison;
  const parts = [`Lines are ${confidenceOf(data)} intervals over documents.`];
  if (comparison?.test) {
    const randomization = comparison.exact ? "exact randomization (all swaps)" : "approximate randomization";
    const test = comparison.test === "randomization" ? randomization : "the paired bootstrap";
    const samples = comparison.resamples && !comparison.exact ? ` with ${count(comparison.resamples)} resamples` : "";
    const correction = comparison.correction && comparison.correction !== "none" ? `, corrected after ${comparison.correction === "holm" ? "Holm" : "Bonferroni"}` : "";
    parts.push(`p-values are from ${test}${samples}${correction}. A hollow point is not significant.`);
  }
  return parts.join(" ");
}

/** The number of errors of a kind. Missed links are recall errors, wrong links precision errors. */
function countOf({ error_counts: counts }: System, kind: Kind): number | undefined {
  if (kind.analysis === "links") return counts?.links?.[kind.side === "key" ? "recall" : "precision"].total;
  return counts?.transform?.[kind.id];
}

function ErrorSummary({ store }: { store: Store }) {
  const { data } = store;
  if (!data.systems.some((system) => system.error_counts)) return null;
  const kinds = [...store.kinds.values()].filter((kind) => data.systems.some((system) => countOf(system, kind) !== undefined));
  const most = Math.max(1, ...kinds.flatMap((kind) => data.systems.map((system) => countOf(system, kind) ?? 0)));
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">Errors</h2>
      <div class="table" role="group" aria-label="Errors" tabIndex={0}>
        <table class="errors">
          <thead><tr><th scope="col">Kind</th>{data.systems.map((system, index) => <th key={index} scope="col"><span class="swatch" style={{ "--system": `var(--system-${index % 8})` }} aria-hidden="true" /><bdi>{inert(system.name)}</bdi></th>)}</tr></thead>
          <tbody>
            {kinds.map((kind, at) => (
              <tr key={kind.id} class={at > 0 && kind.analysis !== kinds[at - 1]!.analysis ? "ruled" : ""}>
                <th scope="row">{kind.label}</th>
                {data.systems.map((system, index) => (
                  <td key={index}>
                    <Link class="bare" to={{ view: "errors", kind: kind.id, system: system.name }} title={`Show these errors of ${inert(system.name)}`}>
                      <CountBar value={countOf(system, kind) ?? 0} most={most} hue={index} />
                    </Link>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">The first seven kinds are the changes that turn the response into the key (Kummerfeld and Klein, 2013). Links are counted along spanning trees of the entities (Martschat and Strube, 2014).</p>
    </section>
  );
}

function Costs({ store, headline }: { store: Store; headline: Metric }) {
  const { data } = store;
  const withCosts = data.systems.map((system, index) => ({ system, index })).filter(({ system }) => system.costs?.some((cost) => cost.sequence));
  const [chosen, setChosen] = useState(withCosts[0]?.index ?? 0);
  const metrics = data.metrics.filter((metric) => withCosts.some(({ system }) => system.costs!.some((cost) => cost.sequence?.[metric.id] !== undefined)));
  const [id, setId] = useState(headline.id);
  if (withCosts.length === 0 || metrics.length === 0) return null;
  const metric = metrics.find((metric) => metric.id === id) ?? metrics[0]!;
  const { system } = withCosts.find(({ index }) => index === chosen) ?? withCosts[0]!;
  const score = system.scores[metric.id];
  const start = score && score.defined !== false ? score.f1 : null;
  const less = (to: number | null, from: number | null) => (to === null || from === null ? null : to - from);
  // Span errors are corrected before any other kind, so the gain of another kind alone is the gain over that score.
  let spans: number | null | undefined;
  const steps: { kind: string; label: string; note: string | undefined; from: number | null; to: number | null; alone: number | null | undefined }[] = [];
  let at = start;
  for (const cost of system.costs!) {
    const to = cost.sequence?.[metric.id];
    if (to === undefined) continue;
    const alone = cost.alone?.[metric.id];
    const before = spans === undefined ? at : spans;
    steps.push({ kind: cost.kind, label: cost.label ?? store.labelOf(cost.kind), note: cost.note, from: at, to, alone: alone === undefined ? undefined : less(alone, before) });
    if (alone !== undefined && spans === undefined) spans = to;
    at = to;
  }
  const defined = steps.flatMap((step) => step.to ?? []);
  const scale = scaleOf([(start ?? 1) * 0.98, 1, ...defined], { most: 1, least: 0 });
  const gain = (step: (typeof steps)[number]) => (step.alone === undefined ? less(step.to, step.from) : step.alone) ?? 0;
  // Steps before the first kind correct no errors. A gain that is displayed as 0 is not shown as a gain.
  const first = steps.findIndex((step) => store.kinds.has(step.kind));
  const largest = steps.filter((step, at) => at >= first && Number(points(gain(step)).replace("−", "-")) > 0).sort((a, b) => gain(b) - gain(a))[0];
  const withAlone = steps.some((step) => step.alone !== undefined);
  return (
    <section aria-labelledby="costs">
      <div class="heading">
        <h2 id="costs">What each kind of error costs</h2>
        {withCosts.length > 1 && <Choice label="System" value={String(chosen)} options={withCosts.map(({ system, index }) => ({ value: String(index), label: inert(system.name) }))} onChange={(value) => setChosen(Number(value))} />}
        <Choice label="Metric" value={metric.id} options={metrics.map((metric) => ({ value: metric.id, label: metric.label }))} onChange={setId} />
      </div>
      <div class="table" role="group" aria-label="What each kind of error costs" tabIndex={0}>
        <table class="waterfall">
          <thead><tr><th scope="col">Corrected</th><th scope="col" class="plot"><span class="head">{metric.label}, corrected in sequence</span><Axis scale={scale} format={(tick) => percent(tick, true, 0)} /></th><th scope="col" class="number">Score</th><th scope="col" class="number">Gain</th>{withAlone && <th scope="col" class="number">Gain alone</th>}</tr></thead>
          <tbody>
            <tr><th scope="row">Nothing</th><td class="plot">{start !== null && <Step scale={scale} from={scale.low} to={start} total />}</td><td class="number">{percent(start)}</td><td /><td /></tr>
            {steps.map((step) => (
              <tr key={step.kind} class={step === largest ? "largest" : ""}>
                <th scope="row">{step.label}</th>
                <td class="plot">{step.from !== null && step.to !== null && <Step scale={scale} from={step.from} to={step.to} />}</td>
                <td class="number">{percent(step.to)}</td>
                <td class="number">{points(less(step.to, step.from))}</td>
                {withAlone && <td class="number dim">{step.alone !== undefined ? points(step.alone) : ""}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">Each row corrects one more kind of error; the end is the key. Span errors are always corrected first.{steps.map(({ note }) => note && ` ${note}`)}{withAlone && typeof largest?.alone === "number" && ` Corrected alone, “${largest.label}” gains most: ${points(largest.alone)} points.`}</p>
    </section>
  );
}

function SettingsSection({ data }: { data: Data }) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <SettingsList settings={data.settings} />
      {data.analysis && data.analysis.length > 0 && <h3>Errors</h3>}
      <SettingsList settings={data.analysis} />
      <p class="signature"><span class="dim">Signature</span> <code>{breakable(data.signature)}</code></p>
    </section>
  );
}

/** Settings as questions and answers. */
export function SettingsList({ settings }: { settings: Setting[] | undefined }) {
  if (!settings || settings.length === 0) return null;
  return (
    <dl class="settings">
      {settings.map((setting) => (
        <div key={setting.name} class={setting.default === false ? "changed" : ""}>
          <dt>{setting.about && <>{inert(setting.about)} </>}<code>{setting.name} {inert(setting.value)}</code>{setting.default === false && <span class="badge">changed</span>}</dt>
          <dd><Coded text={inertLong(setting.words)} /></dd>
        </div>
      ))}
    </dl>
  );
}

/** A part of a sentence as a sentence. */
function sentence(text: string): string {
  return `${inert(text).replace(/^./, (c) => c.toUpperCase())}.`;
}

function breakable(signature: string) {
  return inertLong(signature).split("|").map((part, index) => (
    <span key={index}>{index > 0 && <>|<wbr /></>}{part}</span>
  ));
}

/** Possibly long text, without control characters. */
export function inertLong(text: string): string {
  return text.split(/(?<=[\s|/])/).map(inert).join("");
}

export function Warnings({ data }: { data: Data }) {
  const warnings = data.warnings ?? [];
  if (warnings.length === 0 && !data.not_compared) return null;
  const shown = [...warnings].sort((a, b) => Number(a.severity === "note") - Number(b.severity === "note"));
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">Warnings</h2>
      <ul class="warnings">
        {data.not_compared && (
          <li class="warning">
            <p><span class="badge">warning</span> No intervals and tests: <Coded text={inertLong(data.not_compared.message)} />.</p>
            {data.not_compared.remedy && <p class="remedy"><Coded text={sentence(data.not_compared.remedy)} /></p>}
          </li>
        )}
        {shown.map((warning) => (
          <li key={warning.code} class={warning.severity}>
            <p>
              <span class="badge">{warning.severity}</span> <Coded text={inertLong(warning.summary)} />{" "}
              {warning.count > 1 && <span class="dim">{count(warning.count)} times </span>}
              <code>{warning.code}</code>
            </p>
            {warning.remedy && <p class="remedy"><Coded text={inertLong(warning.remedy.replace(/^./, (c) => c.toUpperCase()))} />.</p>}
            {warning.places && warning.places.length > 0 && (
              <details>
                <summary>{plural(warning.places.length, "place")}{warning.places.length < warning.count ? ` of ${count(warning.count)}` : ""}</summary>
                <ul>
                  {warning.places.map((place, index) => (
                    <li key={index}>
                      {place.file && <code>{inertLong(place.file)}{place.line ? `:${place.line}` : ""}{place.column ? `:${place.column}` : ""}</code>} <Coded text={inertLong(place.message)} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

