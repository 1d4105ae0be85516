// Displayed words and numbers.

const LONGEST_WORD = 200;
// C0 and C1 controls, and the characters that reorder or embed the following text.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g;

/** Makes text of the data safe to display: control characters become visible, huge words are cut. */
export function inert(text: string): string {
  if (text.length > LONGEST_WORD) {
    const cut = Array.from(text.slice(0, LONGEST_WORD + 1)).slice(0, LONGEST_WORD).join("");
    text = `${cut}… (${plural(text.length - cut.length, "more character")})`;
  }
  return text.replace(CONTROLS, (c) => {
    const code = c.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Returns a score as a percentage, or – if undefined. */
export function percent(value: number | null | undefined, defined = true, digits = 2): string {
  return value === undefined || value === null || !defined ? "–" : (value * 100).toFixed(digits);
}

/** A difference in percentage points with its sign, or – if undefined. */
export function points(value: number | null, digits = 2): string {
  if (value === null) return "–";
  const text = (Math.abs(value) * 100).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

export function pValue(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

export function count(value: number): string {
  return value.toLocaleString("en");
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b][\udc00-\udfff]/;
const LETTER = /\p{L}/u;

/** Returns whether most words with letters are written from right to left. */
export function isRightToLeft(words: readonly string[]): boolean {
  let balance = 0;
  for (let i = 0; i < words.length && i < 2000; i++) {
    const word = words[i]!;
    if (LETTER.test(word)) balance += RTL.test(word) ? 1 : -1;
  }
  return balance > 0;
}

const NO_SPACE_BEFORE = /^(?:[.,;:!?%)\]}’”»،؛؟।]+|'s|'re|'ve|'ll|'d|'m|n't|''|')$/u;
const NO_SPACE_AFTER = /^(?:[([{“‘«¿¡$£€]|``)$/u;

/** Returns the text between two words, as in normal writing. */
export function gap(before: string, after: string): "" | " " {
  return NO_SPACE_BEFORE.test(after) || NO_SPACE_AFTER.test(before) ? "" : " ";
}

/** Joins words as in normal writing. A zero without a form is ∅. */
export function readable(text: string): string {
  if (text === "" || text === "_") return "∅";
  let joined = "";
  let before = "";
  for (const word of text.split(" ")) {
    joined += (before === "" ? "" : gap(before, word)) + inert(word);
    before = word;
  }
  return joined;
}

/** Replaces the number of a singleton, which has no number. */
export const SINGLE = "single";
