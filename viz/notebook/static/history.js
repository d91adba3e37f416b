// @ts-check
/* Numbers over time: the loss of every pass, and what each leaf has held. */

import { draw } from "./parts.js";
import { word } from "./words.js";

const KEPT = 600; // numbers of one leaf
const LEAVES = 1000;
const WIDE = 84, HIGH = 22; // of a curve, in pixels

/** A number with four digits that count. @param {number} value */
export const brief = (value) => String(Number(value.toPrecision(4)));

/**
 * The curve of (when, number) in a box: a path, and what it says.
 * @param {[number, number][]} numbers @param {number} width @param {number} height
 */
export function curve(numbers, width, height) {
  const points = numbers.filter((p) => Array.isArray(p) && p.every(Number.isFinite));
  if (points.length < 2) return null;
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const left = Math.min(...xs), across = Math.max(...xs) - left || 1;
  const low = Math.min(...ys), up = Math.max(...ys) - low || 1;
  const at = points.map(([x, y]) => [((x - left) / across) * width, height - ((y - low) / up) * height]);
  const d = "M" + at.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  return { d, end: at[at.length - 1], count: xs[xs.length - 1], first: ys[0], last: ys[ys.length - 1], low };
}

/** The same as a small picture, described by the text of that `key`. @param {[number, number][]} numbers @param {string} key @param {Lang} lang */
export function spark(numbers, key, lang) {
  const drawn = curve(numbers, WIDE, HIGH);
  if (!drawn) return null;
  const { d, end: [cx, cy], count: n, first, last, low } = drawn;
  const label = word(key, lang, { n, a: brief(first), b: brief(last), c: brief(low) });
  const around = { viewBox: `-3 -3 ${WIDE + 6} ${HIGH + 6}`, role: "img", "aria-label": label, class: "vl-spark" };
  return { picture: draw("svg", around, draw("path", { d }), draw("circle", { cx, cy, r: 2.4 })), label, last: brief(last) };
}

/** What leaves have held, from picture to picture. */
export class Past {
  constructor() {
    /** @type {Map<string, [number, number][]>} */
    this.leaves = new Map(); // of each: (which of the pictures, its number, or the mean of its numbers)
    this.pictures = 0;
  }

  /** @param {Scene | null | undefined} scene */
  remember(scene) {
    if (!scene || !Array.isArray(scene.nodes)) return;
    this.pictures += 1;
    for (const { id, kind, value } of scene.nodes) {
      const number = kind === "leaf" ? parseFloat((value ?? "").replace(/^mean /, "")) : NaN, known = this.leaves.get(id) ?? [];
      if (Number.isNaN(number) || known.at(-1)?.[1] === number) continue;
      this.leaves.set(id, [...known.slice(-KEPT), [this.pictures, number]]);
    }
    if (this.leaves.size > LEAVES) this.leaves.clear();
  }
}
