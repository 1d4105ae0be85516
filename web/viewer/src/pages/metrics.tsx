// The documentation of each metric.

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
          <div class="table" role="group" aria-label={`Scores by ${metric.label}`} tabIndex={0}>
            <table class="values">
              <thead><tr><th scope="col">System</th>{!metric.f1_only && <><th scope="col" class="number">Recall</th><th scope="col" class="number">Precision</th></>}<th scope="col" class="number">F1</th></tr></thead>
              <tbody>
                {data.systems.map((system, index) => {
                  const score = system.scores[metric.id];
                  const defined = score?.defined !== false;
                  return (
                    <tr key={index}>
                      <th scope="row"><span class="swatch" style={{ "--system": `var(--system-${index % 8})` }} aria-hidden="true" /><bdi>{inert(system.name)}</bdi></th>
                      {!metric.f1_only && <td class="number">{percent(score?.recall, defined)}{score?.counts && <small>{ratio(score.counts[0], score.counts[1])}</small>}</td>}
                      {!metric.f1_only && <td class="number">{percent(score?.precision, defined)}{score?.counts && <small>{ratio(score.counts[2], score.counts[3])}</small>}</td>}
                      <td class="number"><strong>{percent(score?.f1, defined)}</strong></td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
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
