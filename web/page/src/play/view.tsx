// The playground: mentions are chips that can be dragged between the entities of key and response, next to the resulting
// scores. The mouse, a finger, or the arrow keys move a chip.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Choice } from "../../../viewer/src/parts/controls";
import { Markdown } from "../../../viewer/src/parts/markdown";
import type { Engine } from "../engine";
import type { Played, PlayedCounts, PlayedMetric, ExactRatio } from "../types";
import { FIRST, PRESETS } from "./presets";
import { added, address, fromAddress, mentionsOf, missing, moved, SIDES, without, type Game, type Side } from "./state";

/** The number of colours of entities in style.css. */
const COLOURS = 8;
const LETTER: Record<Side, string> = { key: "K", response: "R" };
const TITLE: Record<Side, string> = { key: "Key", response: "Response" };

/** A chip that is being dragged: the place of the pointer, and the entity below it. */
interface Drag { side: Side; mention: string; x: number; y: number; dx: number; dy: number; over: string | undefined }

export function Play({ engine }: { engine: Engine }) {
  const begin = fromAddress(location.hash);
  const [game, setGame] = useState<Game>(begin?.game ?? PRESETS[FIRST]!.game);
  const [metric, setMetric] = useState(begin?.metric || "lea");
  const [preset, setPreset] = useState(begin ? "" : String(FIRST));
  const [played, setPlayed] = useState<{ game: Game; answer: Played }>();
  const [problem, setProblem] = useState("");
  const [drag, setDrag] = useState<Drag>();
  const [told, setTold] = useState("");
  const focus = useRef<string | undefined>(undefined);

  useEffect(() => {
    history.replaceState(null, "", address(game, metric));
  }, [game, metric]);
  useEffect(() => {
    let current = true;
    engine.run("play", game).then(({ answer }) => current && (setPlayed({ game, answer }), setProblem("")), (error: Error) => current && setProblem(error.message));
    return () => void (current = false);
  }, [game]);
  useEffect(() => {
    const follow = () => {
      const found = fromAddress(location.hash);
      if (found) {
        setGame(found.game);
        if (found.metric) setMetric(found.metric);
        setPreset("");
      }
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  // A chip that was moved with the keyboard keeps the focus.
  useLayoutEffect(() => {
    if (focus.current) document.getElementById(focus.current)?.focus();
    focus.current = undefined;
  }, [game]);

  const change = (next: Game, words: string) => {
    setGame(next);
    setPreset("");
    setTold(words);
  };
  /** Moves a mention to an entity by number, to a new entity, or out of the side. */
  const move = (side: Side, mention: string, to: number | undefined) => {
    const where = to === undefined ? "left out" : to < game[side].length ? `in ${LETTER[side]}${to + 1}` : "in a separate entity";
    change(moved(game, side, mention, to), `${mention} of the ${side} is ${where}.`);
  };
  const drop = ({ side, mention, over }: Drag) => {
    setDrag(undefined);
    const [of, place] = over?.split(":") ?? [];
    if (of === side && place !== undefined) move(side, mention, place === "out" ? undefined : Number(place));
  };
  const press = (event: KeyboardEvent, side: Side, mention: string) => {
    const at = game[side].findIndex((entity) => entity.includes(mention));
    const last = game[side].length;
    const alone = at >= 0 && game[side][at]!.length === 1;
    let to: number | undefined;
    switch (event.key) {
      case "ArrowRight": case "ArrowDown": to = at < 0 ? 0 : at + 1; if (to > last || (to === last && alone)) return; break;
      case "ArrowLeft": case "ArrowUp": to = at < 0 ? last : at - 1; if (to < 0) return; break;
      case "n": to = last; if (alone) return; break;
      case "Delete": case "Backspace": to = undefined; if (at < 0) return; break;
      default: return;
    }
    event.preventDefault();
    focus.current = `chip-${side}-${mention}`;
    move(side, mention, to);
  };

  const answer = played?.answer;
  const shown = answer?.metrics.find(({ id }) => id === metric) ?? answer?.metrics[0];
  // Terms belong to the entities that were scored.
  const terms = played?.game === game ? shown?.counts : undefined;
  const colour = new Map(game.key.flatMap((entity, place) => entity.map((mention) => [mention, place % COLOURS] as const)));
  const groups = [...new Set(PRESETS.map(({ group }) => group))];

  const chip = (side: Side, mention: string) => (
    <button
      key={mention}
      id={`chip-${side}-${mention}`}
      type="button"
      class={`mention colour-${colour.get(mention) ?? "none"} ${drag?.side === side && drag.mention === mention ? "dragged" : ""}`}
      aria-describedby="how"
      onKeyDown={(event) => press(event, side, mention)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const { left, top } = event.currentTarget.getBoundingClientRect();
        setDrag({ side, mention, x: event.clientX, y: event.clientY, dx: event.clientX - left, dy: event.clientY - top, over: undefined });
      }}
      onPointerMove={(event) => {
        if (drag?.mention !== mention || drag.side !== side) return;
        const below = document.elementsFromPoint(event.clientX, event.clientY).find((element) => element instanceof HTMLElement && element.dataset.entity);
        setDrag({ ...drag, x: event.clientX, y: event.clientY, over: (below as HTMLElement | undefined)?.dataset.entity });
      }}
      onPointerUp={() => drag && drop(drag)}
      onPointerCancel={() => setDrag(undefined)}
    >
      {mention}
    </button>
  );
  const place = (side: Side, at: string) => ({ "data-entity": `${side}:${at}`, class: `entity ${drag?.over === `${side}:${at}` && drag.side === side ? "over" : ""}` });

  return (
    <div class="page play" aria-busy={played?.game !== game && !problem}>
      <h1>Playground of the metrics</h1>
      <p class="lead">Drag mentions between the entities of key and response, and see what each metric counts.</p>
      <div class="tools">
        <label class="choice">
          Example
          <select value={preset} onChange={(event) => {
            const chosen = PRESETS[Number(event.currentTarget.value)];
            if (!chosen || event.currentTarget.value === "") return;
            setGame(chosen.game);
            setPreset(event.currentTarget.value);
            setTold(`${chosen.group}: ${chosen.name}`);
          }}>
            <option value="" selected={preset === ""}>your own</option>
            {groups.map((group) => (
              <optgroup key={group} label={group}>
                {PRESETS.map((each, place) => each.group === group && <option key={place} value={String(place)} selected={preset === String(place)}>{each.name}</option>)}
              </optgroup>
            ))}
          </select>
        </label>
        <button type="button" class="chip" onClick={() => change(added(game), "A mention was added to both sides.")}>Add a mention</button>
        <button type="button" class="chip" onClick={() => change({ key: game.key, response: game.key }, "The response is the key.")}>Response = key</button>
        <button type="button" class="chip" onClick={() => change({ key: game.response, response: game.key }, "Key and response are exchanged.")}>Exchange</button>
      </div>
      {preset !== "" && <p class="note"><strong>{PRESETS[Number(preset)]!.group}.</strong> {PRESETS[Number(preset)]!.why}</p>}
      <p id="how" class="note">Arrow keys move the mention in focus to the entity before or after, N to a new one, Delete out of the side.</p>
      <p class="hidden" role="status">{told}</p>
      {problem && <p class="notice failed" role="alert">{problem}</p>}
      <div class="sides">
        {SIDES.map((side) => (
          <section key={side} aria-label={TITLE[side]} class="side">
            <h2>{TITLE[side]}</h2>
            {game[side].map((entity, at) => (
              <div key={at} {...place(side, String(at))} role="group" aria-label={`${LETTER[side]}${at + 1}`}>
                <span class="name" aria-hidden="true">{LETTER[side]}{at + 1}</span>
                <span class="mentions">{entity.map((mention) => chip(side, mention))}</span>
                <span class="term">{terms?.map((counts, half) => <Term key={half} counts={counts} term={counts[side][at]} />)}</span>
              </div>
            ))}
            <div {...place(side, String(game[side].length))} data-new="">a new entity</div>
            <div {...place(side, "out")} data-out="" role="group" aria-label={`Not in the ${side}`}>
              <span class="name">not in the {side}</span>
              <span class="mentions">{missing(game, side).map((mention) => chip(side, mention))}</span>
            </div>
          </section>
        ))}
      </div>
      {drag && <span class={`mention ghost colour-${colour.get(drag.mention) ?? "none"}`} aria-hidden="true" ref={(element) => { if (element) { element.style.left = `${drag.x - drag.dx}px`; element.style.top = `${drag.y - drag.dy}px`; } }}>{drag.mention}</span>}
      {mentionsOf(game).length > 0 && (
        <div class="tools">
          <Choice label="Remove a mention from both sides" value="" options={[{ value: "", label: "…" }, ...mentionsOf(game).map((mention) => ({ value: mention, label: mention }))]} onChange={(mention) => mention && change(without(game, mention), `${mention} was removed.`)} />
        </div>
      )}
      {!answer && !problem && <p class="dim">Loading the metrics…</p>}
      {answer && <Scores answer={answer} metric={shown!.id} onMetric={setMetric} />}
      {shown && <Metric metric={shown} game={played!.game} parts={answer!.metrics.filter(({ id }) => shown.mean_of.includes(id))} />}
    </div>
  );
}

/** The displayed contribution of an entity. */
function Term({ counts, term }: { counts: PlayedCounts; term: ExactRatio | null | undefined }) {
  if (!term) return null;
  return <span class="ratio" title={counts.half === null ? undefined : words(counts.half)}>{term.numerator} of {term.denominator}</span>;
}

/** The label of a half: `non_coreference_links` becomes "non-coreference links". */
const words = (half: string) => half.replace("non_", "non-").replaceAll("_", " ");

/** A number that is subtracted. */
const less = (number: string) => (number === "0" ? number : `−${number}`);

const percent = (value: number | null) => (value === null ? "–" : (100 * value).toFixed(2));

/** All metrics. A click on a name selects the metric to explain. */
function Scores({ answer, metric, onMetric }: { answer: Played; metric: string; onMetric: (id: string) => void }) {
  return (
    <section aria-label="Scores">
      <h2>Scores</h2>
      <div class="table" role="group" aria-label="Scores of all metrics" tabIndex={0}>
        <table class="played">
          <thead><tr><th scope="col">Metric</th><th scope="col" class="number">Recall</th><th scope="col" class="number">Precision</th><th scope="col" class="number">F1</th></tr></thead>
          <tbody>
            {answer.metrics.map((row) => (
              <tr key={row.id} class={row.id === metric ? "current" : ""} data-metric={row.id}>
                <th scope="row"><button type="button" class="plain" aria-pressed={row.id === metric} onClick={() => onMetric(row.id)}>{row.label}</button></th>
                {(["recall", "precision"] as const).map((part) => (
                  <td key={part} class="number">
                    {row.counts.map((counts) => (
                      <small key={counts.half} class="dim count">{counts.half && `${words(counts.half).replace(" links", ":")} `}<span class="nowrap">{counts[part].numerator} of {counts[part].denominator}{row.counts.length === 1 && " = "}</span></small>
                    ))}
                    {row.mean_of.length > 0 ? "" : <span class="score">{percent(row[part])}</span>}
                  </td>
                ))}
                <td class="number">
                  {row.mean_of.length > 0 && <small class="dim count">({row.mean_of.map((id) => percent(answer.metrics.find((other) => other.id === id)!.f1)).join(" + ")}) of {row.mean_of.length} = </small>}
                  <strong class="score">{percent(row.f1)}</strong>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The definition of a metric, with the contribution of each entity to its counts. */
function Metric({ metric, game, parts }: { metric: PlayedMetric; game: Game; parts: PlayedMetric[] }) {
  return (
    <section aria-label={metric.label} class="explained">
      <h2>{metric.label}</h2>
      <p>{metric.summary.replace(/^./, (letter) => letter.toUpperCase())}.</p>
      <Markdown text={metric.definition} />
      {parts.length > 0 && (
        <div class="table" role="group" aria-label="Metrics of the mean" tabIndex={0}>
          <table class="terms">
            <thead><tr><th scope="col">Metric</th><th scope="col" class="number">F1</th></tr></thead>
            <tbody>
              {parts.map(({ id, label, f1 }) => <tr key={id}><th scope="row">{label}</th><td class="number">{percent(f1)}</td></tr>)}
              <tr class="sum"><th scope="row">Mean</th><td class="number">{percent(metric.f1)}</td></tr>
            </tbody>
          </table>
        </div>
      )}
      {metric.share && <p class="note">A mention of an entity E that shares n mentions with the mention's entity on the other side contributes {metric.share}.</p>}
      {metric.counts.map((counts) => (
        <div key={counts.half}>
          {counts.half && <h3>{words(counts.half).replace(/^./, (letter) => letter.toUpperCase())}</h3>}
          <div class="sides">
            {SIDES.map((side) => {
              const whole = side === "key" ? counts.recall : counts.precision;
              return (
                <div key={side} class="table" role="group" aria-label={`Terms of the ${side}`} tabIndex={0}>
                  <table class="terms">
                    <thead><tr><th scope="col">{side === "key" ? "Recall" : "Precision"}</th><th scope="col">Mentions</th><th scope="col" class="number">Found</th><th scope="col" class="number">Of</th></tr></thead>
                    <tbody>
                      {counts[side].map((term, at) => term && (
                        <tr key={at}><th scope="row">{LETTER[side]}{at + 1}</th><td>{game[side][at]!.join(" ")}</td><td class="number">{term.numerator}</td><td class="number">{term.denominator}</td></tr>
                      ))}
                      {counts.chance !== null && <tr><th scope="row">Chance</th><td>subtracted</td><td class="number">{less(counts.chance)}</td><td class="number">{less(counts.chance)}</td></tr>}
                      <tr class="sum"><th scope="row">Sum</th><td /><td class="number">{whole.numerator}</td><td class="number">{whole.denominator}</td></tr>
                    </tbody>
                  </table>
                </div>
              );
            })}
          </div>
        </div>
      ))}
    </section>
  );
}
