// @ts-check
/* What moves in the picture: nodes to their new places, gradients along edges. */

import { clip, tag } from "./parts.js";

const MANY = 60; // nodes may move at once: with more the browser takes longer than a reader waits
const GLIDE = "cubic-bezier(.2,.7,.2,1)", FLOW = "cubic-bezier(.45,0,.2,1)";

/** Whether the reader asked for less motion. */
export const still = () => typeof matchMedia !== "function" || matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Motion {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {Animation[]} */
    this.running = [];
    this.shownAt = 0;
  }

  get off() {
    return still() || typeof this.stage.svg?.animate !== "function";
  }

  /** @param {any} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} options */
  move(element, frames, options) {
    const motion = element.animate(frames, { fill: "backwards", ...options });
    this.running.push(motion);
    return motion.finished.catch(() => {}); // ended before its time
  }

  /** Ends every motion where it leads. */
  rest() {
    for (const motion of this.running) motion.cancel();
    this.running = [];
  }

  /**
   * Known nodes travel to their new places, new ones appear, `inTurn` or at once.
   * @param {Map<string, NodePart>} old the nodes of the picture before @param {boolean} inTurn
   */
  travel(old, inTurn) {
    const now = Date.now(), pause = now - this.shownAt, { nodes, edges, scene } = this.stage;
    this.shownAt = now;
    // In a loop, scenes follow each other too fast for anything to travel; and each that moves is a layer of its own.
    if (this.off || pause < 400 || nodes.size > MANY) return;
    const first = old.size ? 120 : 0, delay = inTurn ? Math.min(70, 700 / nodes.size) : 0;
    const appear = (/** @type {any} */ g, /** @type {number} */ wait) => this.move(g, [{ opacity: 0 }, { opacity: 1 }], { duration: 220, delay: first + wait });
    /** @type {Map<string, number>} */
    const waits = new Map();
    let turn = 0;
    for (const [id, { g, node: { x, y } }] of nodes) {
      const before = old.get(id)?.node;
      if (before?.x === x && before.y === y) continue;
      waits.set(id, before ? 0 : delay * turn++);
      if (!before) appear(g, delay * (turn - 1));
      else {
        const transform = `translate(${before.x - x}px,${before.y - y}px)`;
        this.move(g, [{ transform }, { transform: "none" }], { duration: 280, easing: GLIDE });
      }
    }
    for (const [position, { g }] of edges) {
      const { source, target } = scene.edges[position], ends = [source, target].flatMap((id) => waits.get(id) ?? []);
      if (ends.length) appear(g, Math.max(...ends) + 60);
    }
  }

  /** What the present step sends travels along its edges, and lands in the cells, in so many milliseconds. @param {number} time */
  slide(time) {
    const { moment, edges, nodes, scene, tags } = this.stage;
    if (this.off) return;
    const appear = (/** @type {any} */ element, /** @type {number} */ offset) => {
      if (element) this.move(element, [{ opacity: 0 }, { opacity: 0, offset }, { opacity: 1 }], { duration: time });
    };
    for (const [position, { text, fresh }] of moment.edges) {
      const part = edges.get(position), length = fresh && part?.path.getTotalLength();
      if (!part || !length) continue;
      const flow = { duration: time * 0.8, easing: FLOW }, pill = tag("vl-pill", clip(text, 20), 0, 0);
      const frames = [0, 0.2, 0.4, 0.6, 0.8, 1].map((t) => {
        const { x, y } = part.path.getPointAtLength(length * t);
        return { transform: `translate(${x}px,${y}px)`, opacity: t === 1 ? 0.2 : 1 };
      });
      tags.append(pill);
      this.move(pill, frames, { ...flow, fill: "both" }).then(() => pill.remove());
      this.move(part.path, [{ strokeDasharray: `0 ${length}` }, { strokeDasharray: `${length} ${length}` }], flow);
      appear(part.label, 0.8);
      appear(nodes.get(scene.edges[position].target)?.grad, 0.75);
    }
  }
}
