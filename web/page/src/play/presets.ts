// Examples: the worked examples of the papers, shared with the tests of the library, and edge cases.

import papers from "../../../../testdata/papers.json";
import type { Game } from "./state";

export interface Preset {
  name: string;
  /** The point of the example. */
  why: string;
  /** The paper, or the kind of example. */
  group: string;
  game: Game;
}

interface Case { name: string; why: string; key?: string[][]; response?: string[][]; key_links?: string[][]; response_links?: string[][] }

/** The names of papers by the first part of a case. */
const PAPERS: Record<string, string> = {
  "vilain-1995": "Vilain et al. 1995 (MUC)",
  "luo-2005": "Luo 2005 (CEAF): four responses",
  "moosavi-2016": "Moosavi and Strube 2016 (LEA)",
};

/** Returns the entities that links connect, in the order of the links. */
function connected(links: string[][]): string[][] {
  const entities: string[][] = [];
  for (const link of links) {
    const touched = entities.filter((entity) => entity.some((mention) => link.includes(mention)));
    const whole = [...new Set([...touched.flat(), ...link])];
    const place = touched[0] === undefined ? entities.length : entities.indexOf(touched[0]);
    for (const entity of touched) entities.splice(entities.indexOf(entity), 1);
    entities.splice(place, 0, whole);
  }
  return entities;
}

const printed: Preset[] = (papers.cases as Case[]).map(({ name, why, key, response, key_links, response_links }) => {
  const [paper = "", ...rest] = name.split(", ");
  return {
    name: rest.join(", "),
    why,
    group: PAPERS[paper] ?? paper,
    game: { key: key ?? connected(key_links ?? []), response: response ?? connected(response_links ?? []) },
  };
});

const edges: Preset[] = [
  {
    name: "BLANC: one entity in the key",
    why: "The key has no non-coreference links, so this half is left out and BLANC is only the coreference half.",
    game: { key: [["a", "b", "c", "d"]], response: [["a", "b"], ["c", "d"]] },
  },
  {
    name: "BLANC: only singletons in the key",
    why: "The key has no coreference links, so recall of that half is undefined, and BLANC is only the other half.",
    game: { key: [["a"], ["b"], ["c"]], response: [["a", "b"], ["c"]] },
  },
  {
    name: "MUC: everything in one entity",
    why: "MUC finds every link and loses only those that join entities; the other metrics count what was conflated.",
    game: { key: [["a", "b"], ["c", "d"], ["e", "f"]], response: [["a", "b", "c", "d", "e", "f"]] },
  },
  {
    name: "MUC: singletons",
    why: "An entity of one mention has no link: MUC is undefined, but B³ and CEAF count it.",
    game: { key: [["a"], ["b"]], response: [["a"], ["b"]] },
  },
  {
    name: "A mention that the key lacks",
    why: "The response links d, which the key lacks, and lacks b: every metric treats them differently.",
    game: { key: [["a", "b", "c"]], response: [["a", "c", "d"]] },
  },
].map((preset) => ({ ...preset, group: "Edge cases" }));

export const PRESETS: Preset[] = [...printed, ...edges];

/** The initial example. */
export const FIRST = PRESETS.findIndex(({ group, name }) => group.startsWith("Moosavi") && name.includes("worked"));
