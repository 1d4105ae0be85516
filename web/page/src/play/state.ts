// The state of the playground: two partitions of mentions, and their form in a link.

/** The sides, key first. */
export const SIDES = ["key", "response"] as const;
export type Side = (typeof SIDES)[number];

/** The entities of both sides, each a list of mentions. A mention that a side lacks is in none of its entities. */
export type Game = Record<Side, string[][]>;

/** Returns all mentions in display order: the key's mentions by entity, then the others. */
export function mentionsOf(game: Game): string[] {
  return [...new Set([...game.key.flat(), ...game.response.flat()])];
}

/** Returns the mentions that a side lacks. */
export function missing(game: Game, side: Side): string[] {
  const own = new Set(game[side].flat());
  return mentionsOf(game).filter((mention) => !own.has(mention));
}

/** Moves a mention of a side into an entity: into a new entity after the last, or out of all entities with `undefined`. */
export function moved(game: Game, side: Side, mention: string, to: number | undefined): Game {
  const entities = game[side].map((entity, place) => (place === to ? (entity.includes(mention) ? entity : [...entity, mention]) : entity.filter((other) => other !== mention)));
  if (to !== undefined && to >= game[side].length) entities.push([mention]);
  return { ...game, [side]: entities.filter((entity) => entity.length > 0) };
}

/** Adds a mention as a separate entity to both sides. */
export function added(game: Game): Game {
  const known = new Set(mentionsOf(game));
  const letters = "abcdefghijklmnopqrstuvwxyz";
  let name = [...letters].find((letter) => !known.has(letter)) ?? "";
  for (let number = 1; name === ""; number++) if (!known.has(`m${number}`)) name = `m${number}`;
  return { key: [...game.key, [name]], response: [...game.response, [name]] };
}

/** Removes a mention from both sides. */
export function without(game: Game, mention: string): Game {
  const kept = (entities: string[][]) => entities.map((entity) => entity.filter((other) => other !== mention)).filter((entity) => entity.length > 0);
  return { key: kept(game.key), response: kept(game.response) };
}

/** A side in a link: mentions separated by commas, entities by semicolons. */
const written = (entities: string[][]) => entities.map((entity) => entity.map(encodeURIComponent).join(",")).join(";");

const read = (text: string): string[][] =>
  text.split(";").map((entity) => entity.split(",").filter((mention) => mention !== "").map(decodeURIComponent)).filter((entity) => entity.length > 0);

/** Returns the part of the address after `#`. */
export function address(game: Game, metric: string): string {
  return `#play&key=${written(game.key)}&response=${written(game.response)}&metric=${encodeURIComponent(metric)}`;
}

/** Returns the partitions in an address, or undefined if it has no valid partitions. A mention counts once on each side. */
export function fromAddress(hash: string): { game: Game; metric: string } | undefined {
  const fields = new Map(hash.replace(/^#/, "").split("&").map((field) => {
    const at = field.indexOf("=");
    return at < 0 ? [field, ""] : [field.slice(0, at), field.slice(at + 1)];
  }) as [string, string][]);
  const [key, response] = [fields.get("key"), fields.get("response")];
  if (key === undefined || response === undefined) return undefined;
  try {
    const once = (entities: string[][]) => {
      const seen = new Set<string>();
      return entities.map((entity) => entity.filter((mention) => !seen.has(mention) && seen.add(mention))).filter((entity) => entity.length > 0);
    };
    return { game: { key: once(read(key)), response: once(read(response)) }, metric: decodeURIComponent(fields.get("metric") ?? "") };
  } catch {
    return undefined;
  }
}
