// The panel next to the text: the entities of the document, or the selected entity with its counterparts.

import { useMemo, useState } from "preact/hooks";
import type { ErrorRow, Store } from "../data";
import { Link, Search } from "../parts/controls";
import type { Arc } from "../text/arcs";
import { STATUS_SIGNS, STATUS_WORDS, type DocumentView, type EntityView, type ResponseView, type Status } from "../text/model";
import type { Layout, Ref } from "../text/view";
import { count, inert, plural, SINGLE } from "../words";

/** A missed or wrong link of a selected entity. */
export interface LinkError { from: Ref; to: Ref; kind: Arc["kind"]; name: string; system: number }

export interface Selection { side: number; entity: number }

/** The actions of the panel on the text. */
export interface TextActions {
  select(selection: Selection | undefined): void;
  point(ref: Ref): void;
  /** Draws the links of a system. */
  draw(system: number): void;
  showSentence(sentence: number): void;
}

interface PanelProps {
  store: Store;
  view: DocumentView;
  layout: Layout;
  selection: Selection | undefined;
  errors: ErrorRow[];
  /** The missed and wrong links of the selected entity; those of the chosen system are drawn as arcs in the text. */
  links: LinkError[];
  actions: TextActions;
  found: number[] | undefined;
  query: string;
}

export function Panel(props: PanelProps) {
  const { selection } = props;
  return (
    <aside class={`panel ${selection ? "has-selection" : ""}`} aria-label={selection ? "Selected entity" : "Entities"}>
      {selection ? <Card key={`${selection.side} ${selection.entity}`} {...props} selection={selection} /> : props.found ? <Found {...props} found={props.found} /> : <List {...props} />}
    </aside>
  );
}

export function Chip({ entity }: { entity: EntityView }) {
  const label = entity.singleton ? SINGLE : entity.label;
  return <span class={`chip entity ${entity.hue === undefined ? "grey" : ""}`} style={entity.hue === undefined ? {} : { "--h": String(entity.hue) }}>{label}</span>;
}

const FIRST = 200;

function Found({ view, found, query, actions }: PanelProps & { found: number[] }) {
  return (
    <>
      <h2>{found.length === 0 ? "Not found" : !view.hasSentences ? "Found" : plural(found.length, "sentence")}</h2>
      <ul class="rows">
        {found.slice(0, FIRST).map((sentence) => {
          const text = view.words(...view.sentence(sentence));
          const at = text.toLowerCase().indexOf(query.toLowerCase());
          const from = Math.max(0, at - 30);
          return (
            <li key={sentence}>
              <button type="button" class="row" onClick={() => actions.showSentence(sentence)}>
                {view.hasSentences && <span class="no">{sentence + 1}</span>}
                <span class="what" dir={view.rtl ? "rtl" : "ltr"}>
                  {from > 0 && "…"}{text.slice(from, at)}<mark>{text.slice(at, at + query.length)}</mark>{text.slice(at + query.length, at + query.length + 40)}{at + query.length + 40 < text.length && "…"}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {found.length > FIRST && <p class="dim">The first {FIRST} are listed.</p>}
    </>
  );
}

function List({ store, view, layout, actions }: PanelProps) {
  const [filter, setFilter] = useState("");
  const response = view.responses[layout.system];
  const needle = filter.toLowerCase();
  const system = inert(store.data.systems[layout.system]!.name);
  const { shown, own, singletons, ignored } = useMemo(() => {
    const matches = (side: number) => (entity: EntityView) => {
      if (!needle) return true;
      const owner = view.side(side)!;
      return entity.label === needle || entity.mentions.some((mention) => view.text(owner.mentions[mention]).toLowerCase().includes(needle));
    };
    const bySize = (a: EntityView, b: EntityView) => b.mentions.length - a.mentions.length || a.index - b.index;
    const shown = view.key.entities.filter((entity) => !entity.singleton).filter(matches(-1)).sort(bySize);
    const own = (response?.entities ?? []).filter((entity) => !entity.singleton && /^[a-z]+$/.test(entity.label)).filter(matches(layout.system)).sort(bySize);
    const alone = view.key.entities.filter((entity) => entity.singleton && entity.mentions.length > 0);
    const ignored = alone.filter((entity) => entity.mentions.every((mention) => view.key.mentions[mention]!.ignored)).length;
    return { shown, own, singletons: alone.length, ignored };
  }, [view, layout.system, needle]);
  return (
    <>
      <div class="panelhead"><h2>Entities</h2><Search label="Filter entities" value={filter} onInput={setFilter} /></div>
      <p class="dim small">Bars show how many mentions of each entity <bdi>{system}</bdi> has in the corresponding entity.</p>
      <ul class="rows">
        {shown.slice(0, FIRST).map((entity) => {
          const right = entity.mentions.filter((mention) => response?.keyStatus[mention] === "right").length;
          return (
            <li key={entity.index}>
              <button type="button" class="row" onClick={() => actions.select({ side: -1, entity: entity.index })}>
                <Chip entity={entity} />
                <span class="what" dir="auto">{entity.title}</span>
                <span class="share" title={`${right} of ${entity.mentions.length} mentions found`}>
                  <span class="minibar" aria-hidden="true"><span style={{ width: `${(right / entity.mentions.length) * 100}%` }} /></span>
                  {right}/{entity.mentions.length}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {shown.length === 0 && <p class="dim">{needle ? "No entity of the key matches." : "The key has no entity with two or more mentions."}</p>}
      {shown.length > FIRST && <p class="dim">The largest {FIRST} are listed. Filter to find others.</p>}
      {own.length > 0 && (
        <>
          <h3>Only in <bdi>{system}</bdi></h3>
          <ul class="rows">
            {own.slice(0, FIRST).map((entity) => (
              <li key={entity.index}>
                <button type="button" class="row" onClick={() => actions.select({ side: layout.system, entity: entity.index })}>
                  <Chip entity={entity} /><span class="what" dir="auto">{entity.title}</span><span class="share">{entity.mentions.length}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {singletons > 0 && !needle && <p class="dim small">{plural(singletons, "singleton")} in the key{ignored > 0 && `, ${ignored === singletons ? "not scored" : `${count(ignored)} not scored`}`}.</p>}
    </>
  );
}

function MentionRow(props: { view: DocumentView; side: number; mention: number; status: Status; note?: preact.ComponentChildren; actions: TextActions }) {
  const mention = props.view.side(props.side)!.mentions[props.mention]!;
  return (
    <li>
      <button type="button" class={`row mention ${props.status}`} onClick={() => props.actions.point({ side: props.side, mention: props.mention })}>
        <span class="sign" title={STATUS_WORDS[props.status]}><span aria-hidden="true">{STATUS_SIGNS[props.status]}</span><span class="hidden">{STATUS_WORDS[props.status]}: </span></span>
        <span class="what" dir="auto">{props.view.text(mention)}</span>
        {props.view.hasSentences && <span class="no" title="Sentence">{props.view.sentenceOf(mention.spans[0]![0]) + 1}</span>}
      </button>
      {props.note}
    </li>
  );
}

function EntityLink({ view, side, entity, actions, children }: { view: DocumentView; side: number; entity: number; actions: TextActions; children?: preact.ComponentChildren }) {
  const found = view.side(side)!.entities[entity]!;
  return (
    <button type="button" class="entitylink" onClick={() => actions.select({ side, entity })}>
      <Chip entity={found} /> <span dir="auto">{found.title}</span>{children}
    </button>
  );
}

const LONG = 60;

function Card(props: PanelProps & { selection: Selection }) {
  const { store, view, layout, selection, actions } = props;
  const side = view.side(selection.side)!;
  const entity = side.entities[selection.entity]!;
  const system = selection.side < 0 ? layout.system : selection.side;
  const response = view.responses[system] ?? null;
  const name = inert(store.data.systems[system]!.name);
  const source = selection.side < 0 ? view.body.key.entities[selection.entity] : view.body.responses[selection.side]?.entities[selection.entity];
  const [all, setAll] = useState(false);
  return (
    <>
      <div class="cardhead">
        <Chip entity={entity} />
        <h2 dir="auto">{entity.title}</h2>
        <button type="button" class="icon" aria-label="Close" title="Clear the selection (Esc)" onClick={() => actions.select(undefined)}>×</button>
      </div>
      <p class="dim small">
        {selection.side < 0 ? "Entity of the key" : <>Entity of <bdi>{name}</bdi></>}
        {source?.type && <> · {inert(source.type)}</>} · {plural(entity.mentions.length, "mention")}
      </p>
      {selection.side < 0
        ? <KeyCard {...props} entity={entity} response={response} name={name} system={system} all={all} />
        : <ResponseCard {...props} entity={entity} response={response!} name={name} all={all} />}
      {!all && entity.mentions.length > LONG && <button type="button" class="plain" onClick={() => setAll(true)}>Show all {entity.mentions.length} mentions</button>}
      <Links {...props} all={all} />
      <ErrorsHere {...props} entity={entity} system={system} />
    </>
  );
}

function KeyCard(props: PanelProps & { entity: EntityView; response: ResponseView | null; name: string; system: number; all: boolean }) {
  const { store, view, entity, response, name, system, actions } = props;
  const counterpart = response?.counterpartOfKey[entity.index] ?? -1;
  const statusOf = (mention: number): Status => response?.keyStatus[mention] ?? "missing";
  const counts = { right: 0, wrong: 0, missing: 0, extra: 0, ignored: 0 };
  for (const mention of entity.mentions) counts[statusOf(mention)] += 1;
  const extra = counterpart < 0 ? [] : response!.entities[counterpart]!.mentions.filter((r) => {
    const k = response!.toKey[r]!;
    return !response!.mentions[r]!.ignored && (k < 0 || view.key.mentions[k]!.entity !== entity.index);
  });
  const others = response?.sharing(view.key, entity.index).filter((cell) => cell.entity !== counterpart) ?? [];
  return (
    <>
      {store.data.systems.length > 1 && <Systems {...props} />}
      <h3>In <bdi>{name}</bdi></h3>
      <p class="tally">
        {(["right", "wrong", "missing"] as const).map((status) => <span key={status} class={status}><span aria-hidden="true">{STATUS_SIGNS[status]}</span> {counts[status]} {STATUS_WORDS[status]}</span>)}
        <span class="extra"><span aria-hidden="true">+</span> {extra.length} extra</span>
      </p>
      {others.length > 0 && <div class="others"><p class="small dim">Other entities of <bdi>{name}</bdi> that have mentions of it:</p>{others.slice(0, 8).map((cell) => <EntityLink key={cell.entity} view={view} side={system} entity={cell.entity} actions={actions}><span class="dim"> {cell.shared}</span></EntityLink>)}</div>}
      <h3>Mentions</h3>
      <ul class="rows">
        {entity.mentions.slice(0, props.all ? undefined : LONG).map((mention) => <MentionRow key={mention} view={view} side={-1} mention={mention} status={statusOf(mention)} actions={actions} />)}
      </ul>
      {extra.length > 0 && (
        <>
          <h3>Extra in <bdi>{name}</bdi></h3>
          <ul class="rows">{extra.slice(0, props.all ? undefined : LONG).map((mention) => <MentionRow key={mention} view={view} side={system} mention={mention} status={response!.toKey[mention]! < 0 ? "extra" : "wrong"} actions={actions} />)}</ul>
        </>
      )}
    </>
  );
}

/** The counterparts of a key entity in each system. */
function Systems({ store, view, entity }: PanelProps & { entity: EntityView }) {
  return (
    <table class="plain systems">
      <thead><tr><th scope="col">System</th><th scope="col" class="number">right</th><th scope="col" class="number">other</th><th scope="col" class="number">missing</th></tr></thead>
      <tbody>
        {store.data.systems.map((system, index) => {
          const response = view.responses[index];
          const of = (status: Status) => entity.mentions.filter((mention) => (response?.keyStatus[mention] ?? "missing") === status).length;
          return <tr key={index}><th scope="row"><bdi>{inert(system.name)}</bdi></th><td class="number">{of("right")}</td><td class="number">{of("wrong")}</td><td class="number">{of("missing")}</td></tr>;
        })}
      </tbody>
    </table>
  );
}

function ResponseCard({ view, entity, response, name, all, actions }: PanelProps & { entity: EntityView; response: ResponseView; name: string; all: boolean }) {
  const counterpart = response.counterpart[entity.index] ?? -1;
  const shares = response.sharedWith(view.key, entity.index);
  return (
    <>
      {shares.length > 0 && (
        <div class="others">
          <p class="small dim">Entities of the key that its mentions belong to:</p>
          {shares.slice(0, 8).map((cell) => <EntityLink key={cell.entity} view={view} side={-1} entity={cell.entity} actions={actions}><span class="dim"> {cell.shared}{cell.entity === counterpart ? ", its counterpart" : ""}</span></EntityLink>)}
        </div>
      )}
      {counterpart < 0 && <p class="small">No entity of the key is its counterpart.</p>}
      <h3>Mentions in <bdi>{name}</bdi></h3>
      <ul class="rows">
        {entity.mentions.slice(0, all ? undefined : LONG).map((mention) => <MentionRow key={mention} view={view} side={view.responses.indexOf(response)} mention={mention} status={response.status[mention]!} actions={actions} />)}
      </ul>
    </>
  );
}

/** The missed and wrong links as lists of links to their anaphors, by system if several are displayed. */
function Links({ store, view, layout, links, actions, all }: PanelProps & { all: boolean }) {
  if (links.length === 0) return null;
  const list = (own: LinkError[]) => (
    <ul class="rows links">
      {own.slice(0, all ? undefined : LONG).map((link) => <LinkRow key={`${link.kind} ${link.from.mention} ${link.to.mention}`} view={view} link={link} actions={actions} />)}
    </ul>
  );
  const several = layout.mode === "columns" && layout.columns.length > 1;
  if (!several) return <><h3>Missed and wrong links</h3>{list(links)}</>;
  return (
    <>
      <h3>Missed and wrong links</h3>
      {layout.columns.map((system) => {
        const own = links.filter((link) => link.system === system);
        const drawn = system === layout.system;
        return (
          <div key={system} class="ofsystem">
            <h4>
              <bdi>{inert(store.data.systems[system]!.name)}</bdi> <span class="dim">{count(own.length)}</span>
              {drawn && own.length > 0 && <span class="dim arcsonly"> · drawn in the text</span>}
              {!drawn && own.length > 0 && <button type="button" class="plain arcsonly" onClick={() => actions.draw(system)}>Draw<span class="hidden"> the links of {inert(store.data.systems[system]!.name)}</span></button>}
            </h4>
            {own.length > 0 && list(own)}
          </div>
        );
      })}
    </>
  );
}

function LinkRow({ view, link, actions }: { view: DocumentView; link: LinkError; actions: TextActions }) {
  const { from, to, kind, name } = link;
  const words = ({ side, mention }: Ref) => view.text(view.side(side)!.mentions[mention]);
  return (
    <li>
      <button type="button" class="row" title={name} onClick={() => actions.point(from)}>
        <span class={`linkkind ${kind}`}>{kind}</span>
        <span class="what"><bdi>{words(from)}</bdi> <span class="dim">→</span> <bdi>{words(to)}</bdi></span>
      </button>
    </li>
  );
}

function ErrorsHere({ store, view, selection, errors, entity, system }: PanelProps & { selection: Selection; entity: EntityView; system: number }) {
  const here = useMemo(() => {
    const response = view.responses[system];
    const key = new Set(selection.side < 0 ? entity.mentions : []);
    const counterpart = selection.side < 0 ? (response?.counterpartOfKey[entity.index] ?? -1) : entity.index;
    const own = new Set(counterpart < 0 ? [] : response?.entities[counterpart]?.mentions);
    const counts = new Map<string, number>();
    for (const row of errors) {
      if (row.system !== system) continue;
      if (row.key?.some((mention) => key.has(mention)) || row.response?.some((mention) => own.has(mention))) counts.set(row.kind, (counts.get(row.kind) ?? 0) + 1);
    }
    return [...counts];
  }, [view, errors, selection, system]);
  if (here.length === 0) return null;
  const document = errors[0]!.document;
  return (
    <>
      <h3>Errors</h3>
      <ul class="plainlist">
        {here.map(([kind, n]) => (
          <li key={kind}><Link to={{ view: "errors", kind, system: store.data.systems[system]!.name, of: store.data.documents[document]!.id }}>{store.labelOf(kind)}</Link> <span class="dim">{n}</span></li>
        ))}
      </ul>
    </>
  );
}
