// @ts-check
/* What moves in the picture: nodes to their new places, gradients along edges. */

import { clip, tag } from "./parts.js";

const MANY = 60; // things may move at once, each by itself: more and the browser takes longer than a reader waits
const GLIDE = "cubic-bezier(.2,.7,.2,1)", FLOW = "cubic-bezier(.45,0,.2,1)";

/** Whether the reader asked for less motion. */
export const still = () => typeof matchMedia !== "function" || matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Motion {
  constructor() {
    /** @type {Animation[]} */
    this.running = [];
    this.shownAt = 0;
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
   * @param {Stage} stage @param {Map<string, NodePart>} old the nodes of the picture before @param {boolean} inTurn
   */
  travel(stage, old, inTurn) {
    const now = Date.now(), pause = now - this.shownAt;
    this.shownAt = now;
    // In a loop, scenes follow each other too fast for anything to travel, and hundreds of nodes take too long to.
    if (still() || pause < 400 || stage.nodes.size > 300 || typeof stage.svg.animate !== "function") return;
    const parts = [...stage.nodes], fresh = parts.filter(([id]) => !old.has(id));
    const gone = parts.flatMap(([id, { g, node }]) => {
      const before = old.get(id)?.node, dx = before ? before.x - node.x : 0, dy = before ? before.y - node.y : 0;
      return dx || dy ? [{ id, g, dx, dy }] : [];
    });
    if (fresh.length + gone.length > MANY) return; // each is a layer of its own for the browser
    const delay = inTurn ? Math.min(70, 700 / Math.max(fresh.length, 1)) : 0, first = old.size ? 120 : 0;
    const waits = new Map(gone.map(({ id }) => [id, 0]));
    for (const { g, dx, dy } of gone) this.move(g, [{ transform: `translate(${dx}px,${dy}px)` }, { transform: "none" }], { duration: 280, easing: GLIDE });
    for (const [i, [id, { g }]] of fresh.entries()) {
      waits.set(id, i * delay);
      this.move(g, [{ opacity: 0 }, { opacity: 1 }], { duration: 220, delay: i * delay + first });
    }
    for (const [position, { g }] of stage.edges) {
      const { source, target } = stage.scene.edges[position], ends = [source, target].flatMap((id) => waits.get(id) ?? []);
      if (ends.length) this.move(g, [{ opacity: 0 }, { opacity: 1 }], { duration: 240, delay: Math.max(...ends) + 60 + first });
    }
  }

  /** What the present step sends travels along its edges, and lands in the cells, in so many milliseconds. @param {Stage} stage @param {number} time */
  slide(stage, time) {
    if (still() || typeof stage.svg?.animate !== "function") return;
    const appear = (/** @type {any} */ element, /** @type {number} */ offset) => { if (element) this.move(element, [{ opacity: 0 }, { opacity: 0, offset }, { opacity: 1 }], { duration: time }); };
    for (const [position, { text, fresh }] of stage.moment.edges) {
      const part = stage.edges.get(position), length = fresh && part?.path.getTotalLength();
      if (!part || !length) continue;
      const flow = { duration: time * 0.8, easing: FLOW }, pill = tag("vl-pill", clip(text, 20), 0, 0);
      const frames = [0, 0.2, 0.4, 0.6, 0.8, 1].map((t) => {
        const { x, y } = part.path.getPointAtLength(length * t);
        return { transform: `translate(${x}px,${y}px)`, opacity: t === 1 ? 0.2 : 1 };
      });
      stage.tags.append(pill);
      this.move(pill, frames, { ...flow, fill: "both" }).then(() => pill.remove());
      this.move(part.path, [{ strokeDasharray: `0 ${length}` }, { strokeDasharray: `${length} ${length}` }], flow);
      appear(part.label, 0.8);
      appear(stage.nodes.get(stage.scene.edges[position].target)?.grad, 0.75);
    }
  }
}
