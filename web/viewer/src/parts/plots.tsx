// Plots made of boxes: a forest of intervals, bars of counts, a waterfall. For screen readers, each is a table.

import type { ComponentChildren } from "preact";
import type { Interval } from "../data";

export interface Scale { low: number; high: number; ticks: number[] }

/** A scale around values, with round ticks. */
export function scaleOf(values: number[], options: { zero?: boolean; most?: number; least?: number } = {}): Scale {
  let low = Math.min(...values, ...(options.zero ? [0] : []));
  let high = Math.max(...values, ...(options.zero ? [0] : []));
  if (!(high > low)) {
    low -= 0.02;
    high += 0.02;
  }
  const pad = (high - low) * 0.08;
  low = Math.max(low - pad, options.least ?? -Infinity);
  high = Math.min(high + pad, options.most ?? Infinity);
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const ticks: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step) ticks.push(Math.abs(tick) < step / 1e6 ? 0 : tick);
  return { low, high, ticks };
}

export function place(scale: Scale, value: number): string {
  const share = (value - scale.low) / (scale.high - scale.low);
  return `${(Math.max(0, Math.min(1, share)) * 100).toFixed(3)}%`;
}

/** The ticks of a scale, as the header of a column of tracks. */
export function Axis(props: { scale: Scale; format: (value: number) => string }) {
  return (
    <span class="axis" aria-hidden="true">
      {props.scale.ticks.map((tick) => (
        <span key={tick} style={{ left: place(props.scale, tick) }}>{props.format(tick)}</span>
      ))}
    </span>
  );
}

function Grid({ scale, zero }: { scale: Scale; zero?: boolean | undefined }) {
  return (
    <>
      {scale.ticks.map((tick) => (
        <span key={tick} class={`grid ${zero && tick === 0 ? "zero" : ""}`} style={{ left: place(scale, tick) }} />
      ))}
    </>
  );
}

/** A point with its interval on a scale. */
export function Track(props: { scale: Scale; value: number | undefined; interval?: Interval | undefined; hue?: number; zero?: boolean; hollow?: boolean }) {
  const { scale, interval } = props;
  return (
    <span class="track" aria-hidden="true" style={{ "--system": `var(--system-${(props.hue ?? 0) % 8})` }}>
      <Grid scale={scale} zero={props.zero} />
      {interval && (
        <span
          class="interval"
          style={{ left: place(scale, interval[0]), right: `calc(100% - ${place(scale, interval[1])})` }}
        />
      )}
      {props.value !== undefined && <span class={`dot ${props.hollow ? "hollow" : ""}`} style={{ left: place(scale, props.value) }} />}
    </span>
  );
}

/** A step of a waterfall: from one value to the next. */
export function Step(props: { scale: Scale; from: number; to: number; total?: boolean }) {
  const low = Math.min(props.from, props.to);
  const high = Math.max(props.from, props.to);
  return (
    <span class="track step" aria-hidden="true">
      <Grid scale={props.scale} />
      <span
        class={`piece ${props.total ? "total" : props.to < props.from ? "loss" : "gain"}`}
        style={{ left: place(props.scale, low), right: `calc(100% - ${place(props.scale, high)})` }}
      />
    </span>
  );
}

/** A count with a bar as long as its share of the largest. */
export function CountBar(props: { value: number; most: number; hue?: number; children?: ComponentChildren }) {
  return (
    <span class="countbar" style={{ "--system": `var(--system-${(props.hue ?? 0) % 8})` }}>
      <span class="value">{props.children ?? props.value.toLocaleString("en")}</span>
      <span class="bar" aria-hidden="true"><span style={{ width: `${props.most > 0 ? (props.value / props.most) * 100 : 0}%` }} /></span>
    </span>
  );
}
