// What each metric measures, in the words of its documentation.

import { useEffect } from "preact/hooks";
import type { Store } from "../data";
import { Markdown } from "../parts/markdown";
import { useRoute } from "../route";
import { inert, percent } from "../words";

export function Metrics({ store }: { store: Store }) {
  const { data } = store;
  const route = useRoute();
  useEffect(() => {
    if (route.metric) document.getElementById(`metric-${route.metric}`)?.scrollIntoView();
  }, [route.metric]);
  return (
    <div class="page prose">
      <h1>Metrics</h1>
      {data.metrics.map((metric) => (
        <section key={metric.id} id={`metric-${metric.id}`} aria-label={metric.label} class={route.metric === metric.id ? "target" : ""}>
          <h2>{metric.label} <code class="id">{metric.id}</code></h2>
          {metric.summary && <p class="summary">{metric.summary.replace(/^./, (c) => c.toUpperCase()).replace(/\.?$/, ".")}</p>}
          <p class="values">
            {data.systems.map((system, index) => {
              const score = system.scores[metric.id];
              const defined = score?.defined !== false;
              return (
                <span key={index}>
                  <span class="swatch" style={{ "--system": `var(--system-${index % 8})` }} aria-hidden="true" /><bdi>{inert(system.name)}</bdi>{" "}
                  {score?.recall !== undefined && <>R {percent(score.recall, defined)} · </>}
                  {score?.precision !== undefined && <>P {percent(score.precision, defined)} · </>}
                  <strong>F1 {percent(score?.f1, defined)}</strong>
                  {score?.counts && <small class="dim"> recall {ratio(score.counts[0], score.counts[1])}, precision {ratio(score.counts[2], score.counts[3])}</small>}
                </span>
              );
            })}
          </p>
          {metric.explanation && <Markdown text={metric.explanation} skipTitle />}
          {metric.references && metric.references.length > 0 && (
            <ul class="references">{metric.references.map((reference, index) => <li key={index}>{reference}</li>)}</ul>
          )}
        </section>
      ))}
    </div>
  );
}

function ratio(numerator: number, denominator: number): string {
  const show = (value: number) => (Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2));
  return `${show(numerator)} / ${show(denominator)}`;
}
