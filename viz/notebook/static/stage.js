// @ts-check
/* The picture: shown in a direction and a size that can be read, and painted for a step. To move it is the browser's: it scrolls. */

import { stateText } from "./explain.js";
import { each, NOTHING, once } from "./moment.js";
import { Motion } from "./motion.js";
import { called, lineOf, summed } from "./names.js";
import { bring, clip, draw, harmless, make, tag, tagWidth } from "./parts.js";
import OVERLAY from "../../overlay.json" with { type: "json" };

/** The same scene laid out in the other direction, where there is one. */
const turned = once((/** @type {Scene} */ scene) => {
  if (!scene.other) return null;
  const { places, ...way } = scene.other;
  const nodes = scene.nodes.map((node) => {
    const [x, y, width, height] = places[node.id] ?? [0, 0, 0, 0];
    return { ...node, x, y, width, height };
  });
  return { ...scene, ...way, nodes, other: null };
});

/** The picture; it listens on itself only, never on single nodes. */
export class Stage {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    // The picture's own style. It stays while pictures come and go: a new one would have the whole page styled anew.
    /** @type {HTMLStyleElement} */
    this.sheet = make("style");
    /** @type {HTMLElement} */
    this.canvas = make("div", { class: "vl-canvas" });
    /** @type {HTMLElement} */
    this.element = make("div", { class: "vl-stage", role: "group", "aria-label": panel.w("stage") }, this.sheet, this.canvas);
    /** @type {any} */
    this.svg = null;
    /** @type {any} */
    this.scene = null; // what is shown, in the direction that was chosen
    this.scale = 1; // of its own size, as the reader wants it; 0: all of it, however small that gets
    this.size = 1; // what that came to
    this.dragged = -1; // pixels, since a button went down here
    this.wide = 0; // the width that the direction was chosen for
    this.tags = draw("g");
    this.over = draw("g", { class: "vl-over" }, this.tags); // what a step writes over the picture
    /** @type {Map<string, NodePart>} */
    this.nodes = new Map();
    /** @type {Map<number, EdgePart>} */
    this.edges = new Map();
    this.moment = NOTHING;
    this.motion = new Motion(this);
    this.offset = [0, 0];
    /** @type {string | null} */
    this.traced = null; // the node whose ways to the leaves stand out
    /** @type {string | null} */
    this.clicked = null; // which a second click, however the picture has moved, opens
    this.ring = draw("rect", { class: "vl-ring", rx: 8 });
    this.listen();
  }

  listen() {
    const { element, panel } = this;
    element.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return; // what only scrolls is the browser's
      e.preventDefault();
      this.zoom(2 ** (-Math.max(-50, Math.min(50, e.deltaY)) / 100), [e.clientX, e.clientY]);
    }, { passive: false });
    element.addEventListener("pointerdown", () => { this.dragged = 0; });
    element.addEventListener("pointermove", ({ buttons, pointerType, movementX: x, movementY: y }) => {
      this.dragged = buttons === 1 && this.dragged >= 0 ? this.dragged + Math.abs(x) + Math.abs(y) : -1; // not what was pressed elsewhere
      if (this.dragged > 0 && pointerType === "mouse") element.scrollBy(-x, -y); // a finger scrolls by itself
    });
    element.addEventListener("click", ({ target, detail }) => {
      if (this.dragged > 8) return;
      if (detail === 2) return panel.openGroup(this.clicked);
      this.clicked = this.idAt(target);
      panel.card.open(this.clicked);
    });
    element.addEventListener("focusin", ({ target }) => {
      const part = this.nodes.get(this.idAt(target) ?? "");
      if (!part) return;
      this.stop(part.node.id);
      this.reveal(part.node);
      this.trace(part.node.id);
    });
    element.addEventListener("pointerover", (e) => this.trace(this.idAt(e.target)));
    for (const end of ["focusout", "pointerleave"]) element.addEventListener(end, () => this.trace(null));
  }

  /** @param {any} target @returns {string | null} */
  idAt(target) {
    return target?.closest?.(".node")?.getAttribute("data-id") ?? null;
  }

  /** Shows a scene; nodes that it shares with the last one travel, new ones come `inTurn` or at once: their ids. @param {Scene | null} given @param {boolean} [inTurn] */
  show(given, inTurn = true) {
    const scene = given && this.chosen(given, this.panel.room());
    if (scene === this.scene) return;
    const old = this.nodes, focused = this.canvas.contains(document.activeElement) ? this.idAt(document.activeElement) : null;
    this.motion.rest();
    this.moment = NOTHING;
    this.traced = null;
    this.nodes = new Map();
    this.edges = new Map();
    this.scene = scene;
    this.svg = scene?.svg ? this.drawn(scene) : null;
    this.element.hidden = !this.svg;
    this.canvas.replaceChildren(...(this.svg ? [this.svg] : []));
    if (!this.svg || !scene) return;
    const first = [focused, ...scene.roots, ...this.nodes.keys()].find((id) => this.nodes.has(id ?? ""));
    this.place();
    this.stop(first ?? null);
    if (focused !== null) this.nodes.get(focused)?.g.focus({ preventScroll: true });
    this.motion.travel(old, inTurn);
    return [...this.nodes.keys()].filter((id) => !old.has(id));
  }

  /**
   * The scene, laid out in the direction in which more of it can be read in so much room; as long as the graph and the
   * width stay the same, so does the direction. Leaves alone have none.
   * @param {Scene} scene @param {number[]} room @returns {Scene}
   */
  chosen(scene, [wide, high]) {
    const other = turned(scene), now = /** @type {Scene | null} */ (this.scene);
    if (!other || !wide) { this.wide = 0; return scene; } // hidden, it is chosen when there is room again
    const ids = new Set(now?.nodes.map((node) => node.id)), known = scene.nodes.filter((node) => ids.has(node.id)).length;
    const same = now?.edges.length && known > 0.5 * Math.max(ids.size, scene.nodes.length) && Math.abs(wide - this.wide) < 40;
    if (same) return now?.direction === scene.direction ? scene : other;
    this.wide = wide;
    const fit = (/** @type {Scene} */ s) => Math.min(1, wide / s.width, high / s.height) + (s.direction === "right" ? 0 : 0.01);
    return fit(scene) >= fit(other) ? scene : other;
  }

  /** The picture in its own size, in which every text can be read, or in one in which all of it is seen; or in between. */
  place() {
    const { element, scene, svg, scale } = this;
    if (!svg) return;
    svg.style.width = ""; // what it gets is measured at its own size
    this.size = scale || Math.min(1, element.clientWidth / scene.width, element.clientHeight / scene.height);
    if (scale !== 1) svg.style.width = `${scene.width * this.size}px`;
  }

  /** So many times as large; by 0: all of it, or its own size again. What is at that point of the page stays there. @param {number} by @param {number[]} [point] */
  zoom(by, point) {
    const { element, svg } = this, room = element.getBoundingClientRect(), [x, y] = point ?? [room.x + room.width / 2, room.y + room.height / 2];
    if (!svg) return;
    const before = svg.getBoundingClientRect();
    this.scale = by ? Math.max(Math.min(0.1, this.size), Math.min(4, this.size * by)) : Number(!this.scale);
    this.place();
    const after = svg.getBoundingClientRect(), grown = after.width / before.width;
    element.scrollBy(after.x - x + (x - before.x) * grown, after.y - y + (y - before.y) * grown);
  }

  /** Brings a node into view, and into its middle, if it is not there. @param {SceneNode | undefined} node */
  reveal(node) {
    const { element, size } = this;
    if (node) bring(element, node.x * size, node.y * size, (node.width / 2) * size, (node.height / 2) * size);
  }

  /** The scene's picture, as part of this page; null if it holds none. @param {Scene} scene @returns {any} */
  drawn(scene) {
    const parsed = new DOMParser().parseFromString(scene.svg, "text/html").body.firstElementChild; // faster than as XML
    if (parsed?.nodeName !== "svg") return null;
    const svg = /** @type {any} */ (document.adoptNode(harmless(parsed))), { lang, w } = this.panel;
    for (const name of ["style", "aria-labelledby"]) svg.removeAttribute(name);
    svg.setAttribute("role", "group"); // its nodes can be reached: it is more than one image
    svg.querySelectorAll(":scope > title, :scope > desc").forEach((/** @type {any} */ e) => e.remove()); // in Python's language
    svg.querySelectorAll("[data-zh]").forEach((/** @type {any} */ e) => { e.textContent = e.getAttribute(`data-${lang}`); });
    const style = svg.querySelector("style"), rules = (style?.textContent ?? "") + OVERLAY.join("\n");
    if (this.sheet.textContent !== rules) this.sheet.textContent = rules;
    style?.remove();
    const inner = svg.querySelector(":scope > g") ?? svg;
    const shift = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(inner.getAttribute("transform") ?? "");
    this.offset = shift ? [Number(shift[1]), Number(shift[2])] : [0, 0];
    const byId = new Map(scene.nodes.map((node) => [node.id, node]));
    for (const g of inner.querySelectorAll(".node")) {
      const node = byId.get(g.getAttribute("data-id")), grad = g.querySelector("text.grad");
      if (!node) continue;
      const part = { g, node, grad, final: grad?.textContent ?? "" };
      this.nodes.set(node.id, part);
      g.setAttribute("role", "button");
      this.name(part);
    }
    for (const g of inner.querySelectorAll(".link")) {
      const position = Number(g.getAttribute("data-edge") ?? -1), path = g.querySelector("path.edge");
      const says = [...g.querySelectorAll("text")].map((t) => [Number(t.getAttribute("x")), Number(t.getAttribute("y")) - 4, tagWidth(t.textContent), 13]);
      if (scene.edges[position] && path) this.edges.set(position, { g, path, label: null, spot: null, says });
    }
    svg.setAttribute("aria-label", w("sceneSay", { n: this.nodes.size }));
    this.tags.replaceChildren();
    this.over.replaceChildren(this.tags);
    inner.append(this.over);
    return svg;
  }

  /** What a screen reader says at a node. @param {NodePart} part */
  name({ g, node }) {
    const { lang, w } = this.panel, { nodes, grads } = this.moment, tip = g.querySelector("title"), state = nodes.get(node.id), grad = summed((grads.get(node.id) ?? node.grad ?? "").replace("·", ""), lang);
    const said = [called(node, lang), w(`kind_${node.kind}`), summed(node.value || node.shape || "", lang), grad && `grad ${grad}`, state ? stateText(state, lang) : g.querySelector(".stop")?.textContent.slice(2)];
    const text = [...new Set(said)].filter(Boolean).join(lang === "zh" ? "，" : ", ");
    g.setAttribute("aria-label", text);
    if (tip) tip.textContent = text; // what Python wrote there speaks English
  }

  /** Paints a step over the picture, touching only what differs from the step before. @param {Moment} moment @param {boolean} playing */
  paint(moment, playing) {
    if (!this.svg) return;
    const old = this.moment, { nodes } = this;
    this.moment = moment;
    this.svg.classList.toggle("vl-pass", playing);
    each(old.nodes, moment.nodes, (id, state) => {
      const part = nodes.get(id);
      if (state) part?.g.setAttribute("data-state", state.status);
      else part?.g.removeAttribute("data-state");
      if (part) this.name(part);
    });
    each(old.edges, moment.edges, (at, written) => this.write(at, written));
    each(old.grads, moment.grads, (id, text) => {
      const part = nodes.get(id), { grad, final } = part ?? { final: "" };
      if (part) this.name(part);
      if (!grad) return;
      grad.textContent = text === undefined ? final : fitting(text, final);
      grad.classList.toggle("none", grad.textContent === "None" || grad.textContent === "·");
    });
    const now = nodes.get(moment.now ?? "")?.node;
    this.circle(now);
    this.ring.classList.toggle("failed", moment.nodes.get(now?.id ?? "")?.status === "failed");
    const leaf = this.scene.edges.find((/** @type {any} */ e) => now?.kind === "accumulate" && e.source === now.id);
    for (const one of [nodes.get(leaf?.target)?.node, now]) this.reveal(one); // it is the leaf's .grad that changes
  }

  /** @param {number} position @param {Flow | undefined} written */
  write(position, written) {
    const part = this.edges.get(position);
    if (!part) return;
    part.g.classList.toggle("vl-flowed", Boolean(written));
    part.g.classList.toggle("vl-fresh", Boolean(written?.fresh));
    part.path.style.strokeWidth = written ? `${written.wide.toFixed(1)}px` : "";
    part.label?.remove();
    part.label = part.spot = null;
    if (!written?.rests) return;
    const text = clip(written.text, 20), spot = this.free(part, tagWidth(text));
    if (!spot) return; // the cell says it, too
    part.spot = spot;
    part.label = tag(`vl-label${written.fresh ? " fresh" : ""}`, text, spot[0], spot[1]);
    this.tags.append(part.label);
  }

  /** Where along an edge a label lies on nothing else; null where it nowhere does. @param {EdgePart} part @param {number} wide @returns {[number, number, number] | null} */
  free(part, wide) {
    const length = part.path.getTotalLength(), boxes = [...this.nodes.values()].map(({ node }) => [...this.middle(node), node.width, node.height]);
    for (const { spot, says } of this.edges.values()) boxes.push(...says, ...(spot ? [[...spot, 17]] : []));
    for (const t of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
      const { x, y } = part.path.getPointAtLength(length * t);
      if (!boxes.some(([a, b, w, h]) => Math.abs(a - x) < (w + wide) / 2 + 2 && Math.abs(b - y) < (h + 17) / 2 + 2)) return [x, y, wide];
    }
    return null;
  }

  /** The one node that Tab stops at. @param {string | null} id */
  stop(id) {
    for (const [other, { g }] of this.nodes) g.setAttribute("tabindex", other === id ? "0" : "-1");
  }

  /** To the next node on that side. @param {string} id @param {number} dx @param {number} dy */
  step(id, dx, dy) {
    const from = this.nodes.get(id)?.node;
    if (!from) return;
    const ranked = [...this.nodes.values()].map(({ node, g }) => {
      const x = node.x - from.x, y = node.y - from.y, ahead = x * dx + y * dy;
      return { g, far: ahead <= 4 ? Infinity : ahead + 2 * Math.abs(x * dy + y * dx) };
    });
    const next = ranked.sort((a, b) => a.far - b.far)[0];
    if (next && next.far < Infinity) next.g.focus({ preventScroll: true });
  }

  /** The ways from a node to its leaves in full, all else faint. @param {string | null} id */
  trace(id) {
    if (id === this.traced || !this.svg) return;
    this.traced = id;
    const ids = new Set(id ? [id] : []), edges = new Set();
    for (const here of ids) {
      for (const [i, { source, target }] of this.scene.edges.entries()) {
        if (source !== here) continue;
        ids.add(target);
        edges.add(i);
      }
    }
    this.light([...ids], edges);
    this.panel.code.mark("vl-lit", lineOf(this.nodes.get(id ?? "")?.node.source ?? ""));
  }

  /** These nodes in full, where there are any, and all else faint. @param {string[]} ids @param {Set<any>} [edges] */
  light(ids, edges = new Set()) {
    this.svg?.classList.toggle("vl-tracing", ids.length > 0);
    for (const [id, { g }] of this.nodes) g.classList.toggle("vl-path", ids.includes(id));
    for (const [position, { g }] of this.edges) g.classList.toggle("vl-path", edges.has(position));
  }

  /** A ring around the node that runs. @param {SceneNode | undefined} node */
  circle(node) {
    if (!node) return this.ring.remove();
    const [x, y] = this.middle(node), width = node.width + 14, height = node.height + 14;
    const box = { x: x - width / 2, y: y - height / 2, width, height };
    for (const [key, value] of Object.entries(box)) this.ring.setAttribute(key, String(value));
    if (this.ring.parentNode !== this.over) this.over.prepend(this.ring);
  }

  /** Where a node stands among the picture's own parts. @param {SceneNode} node @returns {[number, number]} */
  middle(node) {
    return [node.x - this.offset[0], node.y - this.offset[1]];
  }

  /** Names that now stand for another tensor: an arrow from the old to the new, behind the nodes or down their side. @param {Scene["moved"]} [moved] */
  showMoved(moved = []) {
    const right = this.scene?.direction === "right";
    this.svg.querySelectorAll(".vl-moved").forEach((/** @type {any} */ e) => e.remove());
    for (const { from, to } of moved) {
      const ends = [from, to].flatMap((id) => this.nodes.get(id ?? "")?.node ?? []).map((node) => {
        const [x, y] = this.middle(node);
        return right ? [x, y - node.height / 2] : [x - node.width / 2, y];
      });
      if (ends.length < 2) continue;
      const [[x0, y0], [x1, y1]] = ends, past = (/** @type {number} */ a, /** @type {number} */ b) => Math.max(Math.min(a, b) - 70, -20); // half of it is seen, within the margin
      const bend = right ? [(x0 + x1) / 2, past(y0, y1)] : [past(x0, x1), (y0 + y1) / 2];
      const tip = draw("path", { class: "vl-tip", d: `M${x1} ${y1}${right ? "l-4 -8h8z" : "l-8 -4v8z"}` });
      this.over.parentNode.prepend(draw("g", { class: "vl-moved" }, draw("path", { d: `M${x0} ${y0}Q${bend} ${x1} ${y1}` }), tip));
    }
  }
}

/** What a cell has room for. @param {string} text @param {string} final */
function fitting(text, final) {
  const most = Math.max(final.length, 4);
  if (text.length <= most) return text;
  if (text.includes(" + ")) return "…";
  return final.startsWith("(") ? final : clip(text, most); // a shape stands for what is too long
}
