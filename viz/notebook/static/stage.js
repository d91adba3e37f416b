// @ts-check
/* The picture: shown, and painted for a step. */

import { stateText } from "./explain.js";
import { each, NOTHING } from "./moment.js";
import { Motion } from "./motion.js";
import { called, lineOf } from "./names.js";
import { clip, draw, harmless, make, SVG, tag, tagWidth } from "./parts.js";
import { View } from "./view.js";
import OVERLAY from "../../overlay.json" with { type: "json" };

/** The picture; it listens on itself only, never on single nodes. */
export class Stage extends View {
  /** @param {Panel} panel */
  constructor(panel) {
    super();
    this.panel = panel;
    this.element.setAttribute("aria-label", panel.w("stage"));
    // The picture's own style. It stays while pictures come and go: a new one would have the whole page styled anew.
    /** @type {HTMLStyleElement} */
    this.sheet = make("style");
    this.element.prepend(this.sheet);
    /** @type {any} */
    this.svg = null;
    this.tags = draw("g", {});
    this.over = draw("g", { class: "vl-over" }, this.tags); // what a step writes over the picture
    /** @type {Map<string, NodePart>} */
    this.nodes = new Map();
    /** @type {Map<number, EdgePart>} */
    this.edges = new Map();
    this.moment = NOTHING;
    this.motion = new Motion();
    this.offset = [0, 0];
    /** @type {string | null} */
    this.traced = null; // the node whose ways to the leaves stand out
    this.ring = draw("rect", { class: "vl-ring", rx: 8 });
    this.receiver = draw("rect", { class: "vl-ring receiver", rx: 8 });
    this.listen();
  }

  listen() {
    const { element } = this;
    element.addEventListener("click", (e) => {
      if (this.travelled < 4) this.panel.card.open(this.idAt(e.target));
    });
    element.addEventListener("focusin", (e) => {
      const part = this.nodes.get(this.idAt(e.target) ?? "");
      if (!part) return;
      this.stop(part.node.id);
      this.reveal(part.node);
      this.trace(part.node.id);
    });
    element.addEventListener("focusout", () => this.trace(null));
    element.addEventListener("pointerover", (e) => this.trace(this.idAt(e.target)));
    element.addEventListener("pointerleave", () => this.trace(null));
  }

  /** @param {any} target @returns {string | null} */
  idAt(target) {
    return target?.closest?.(".node")?.getAttribute("data-id") ?? null;
  }

  /** Shows a scene; nodes that it shares with the last one travel, new ones come `inTurn` or at once. @param {Scene | null} given @param {boolean} [inTurn] */
  show(given, inTurn = true) {
    const scene = given && this.chosen(given, this.panel.most());
    if (scene === this.scene) return;
    const old = this.nodes, focused = this.canvas.contains(document.activeElement) ? this.idAt(document.activeElement) : null;
    this.motion.rest();
    this.moment = NOTHING;
    this.nodes = new Map();
    this.edges = new Map();
    this.scene = scene;
    this.svg = scene?.svg ? this.drawn(scene) : null;
    this.canvas.replaceChildren(...(this.svg ? [this.svg] : []));
    if (!this.svg || !scene) return;
    const root = [focused, ...scene.roots, ...this.nodes.keys()].find((id) => this.nodes.has(id ?? ""));
    this.stop(root ?? null);
    if (focused !== null) this.nodes.get(focused)?.g.focus({ preventScroll: true });
    if (this.moved && [...this.nodes.keys()].some((id) => old.has(id))) this.place();
    else this.read();
    this.motion.travel(this, old, inTurn);
  }

  /** The scene's picture, as part of this page; null if it holds none. @param {Scene} scene @returns {any} */
  drawn(scene) {
    const parsed = new DOMParser().parseFromString(scene.svg, "text/html").body.firstElementChild; // faster than as XML
    if (parsed?.nodeName !== "svg") return null;
    const svg = /** @type {any} */ (document.adoptNode(harmless(parsed))), { lang, w } = this.panel;
    svg.removeAttribute("style");
    svg.removeAttribute("aria-labelledby");
    svg.setAttribute("role", "group"); // its nodes can be reached: it is more than one image
    svg.setAttribute("width", scene.width);
    svg.setAttribute("height", scene.height);
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
      const part = { g, node, grad, final: grad?.textContent ?? "", badge: null };
      this.nodes.set(node.id, part);
      g.setAttribute("role", "button");
      this.name(part);
    }
    for (const g of inner.querySelectorAll(".link")) {
      const position = Number(g.getAttribute("data-edge") ?? -1), path = g.querySelector("path.edge");
      if (scene.edges[position] && path) this.edges.set(position, { g, path, label: null, spot: null });
    }
    svg.setAttribute("aria-label", w("sceneSay", { n: this.nodes.size }));
    this.tags.replaceChildren();
    this.over.replaceChildren(this.tags);
    inner.append(this.over);
    return svg;
  }

  /** All of it, or what is of interest now. */
  read() {
    const { scene, nodes, moment } = this;
    super.read(nodes.get(moment.now ?? scene?.roots[0])?.node ?? scene?.nodes.at(-1));
  }

  /** A node in the middle, large enough to read, and there it stays. @param {string} id */
  visit(id) {
    const part = this.nodes.get(id);
    if (!part) return;
    if (this.scale < 0.6) this.scale = 0.8;
    this.centre(part.node);
    this.moved = true;
  }

  /** What a screen reader says at a node. @param {NodePart} part @param {NodeState} [state] */
  name({ g, node }, state) {
    const { lang, w } = this.panel, tip = g.querySelector("title");
    const said = [called(node, lang), w(`kind_${node.kind}`), node.value || node.shape, state ? stateText(state, lang, true) : ""];
    const text = said.filter(Boolean).join(lang === "zh" ? "，" : ", ");
    g.setAttribute("aria-label", text);
    if (tip) tip.textContent = text; // what Python wrote there speaks English
  }

  /** Paints a step over the picture, touching only what differs from the step before. @param {Moment} moment @param {boolean} playing */
  paint(moment, playing) {
    if (!this.svg) return;
    const old = this.moment;
    this.moment = moment;
    this.svg.classList.toggle("vl-pass", playing);
    each(old.nodes, moment.nodes, (id, state) => this.dress(id, state));
    each(old.edges, moment.edges, (at, written) => this.write(at, written));
    each(old.grads, moment.grads, (id, text) => {
      const part = this.nodes.get(id);
      if (!part?.grad) return;
      part.grad.textContent = text === undefined ? part.final : fitting(text, part.final);
      part.grad.classList.toggle("none", part.grad.textContent === "None" || part.grad.textContent === "·");
    });
    this.circle(this.ring, moment.now, 7);
    this.circle(this.receiver, moment.receiver, 5);
    this.ring.classList.toggle("failed", moment.nodes.get(moment.now ?? "")?.status === "failed");
    for (const id of [moment.receiver, moment.now]) {
      const part = this.nodes.get(id ?? "");
      if (part) this.reveal(part.node);
    }
  }

  /** @param {string} id @param {NodeState | undefined} state */
  dress(id, state) {
    const part = this.nodes.get(id);
    if (!part) return;
    if (state) part.g.setAttribute("data-state", state.status);
    else part.g.removeAttribute("data-state");
    this.name(part, state);
    part.badge?.remove();
    part.badge = null;
    const bare = state?.status === "failed" && !part.g.querySelector(".stop"); // else the card says it
    const text = state && (bare || state.of > 1) ? stateText(state, this.panel.lang, false) : "";
    if (!text) return;
    const [x, y] = this.middle(part.node), { width, height } = part.node;
    part.badge = tag(`vl-badge ${state?.status}`, text, x + (tagWidth(text) - width) / 2, y - height / 2 - 9.5);
    this.over.append(part.badge);
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
    const length = part.path.getTotalLength();
    const boxes = [...this.nodes.values()].map(({ node }) => [...this.middle(node), node.width, node.height]);
    for (const { spot } of this.edges.values()) if (spot) boxes.push([...spot, 17]);
    for (const t of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
      const { x, y } = part.path.getPointAtLength(length * t);
      if (!boxes.some(([a, b, w, h]) => Math.abs(a - x) < (w + wide) / 2 + 2 && Math.abs(b - y) < (h + 17) / 2 + 2)) return [x, y, wide];
    }
    return null;
  }

  /** What the present step sends travels along its edges, in so many milliseconds. @param {number} time */
  slide(time) {
    this.motion.slide(this, time);
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
    const ids = new Set(id === null ? [] : [id]), edges = new Set();
    for (const here of ids) {
      for (const [i, { source, target }] of this.scene.edges.entries()) {
        if (source !== here) continue;
        ids.add(target);
        edges.add(i);
      }
    }
    this.light(id === null ? null : [...ids], edges);
    this.panel.code.light(lineOf(this.nodes.get(id ?? "")?.node.source ?? ""));
  }

  /** These nodes in full, all else faint. @param {string[] | null} ids @param {Set<any>} [edges] */
  light(ids, edges = new Set()) {
    this.svg?.classList.toggle("vl-tracing", Boolean(ids?.length));
    for (const [id, { g }] of this.nodes) g.classList.toggle("vl-path", Boolean(ids?.includes(id)));
    for (const [position, { g }] of this.edges) g.classList.toggle("vl-path", edges.has(position));
  }

  /** @param {any} ring @param {string | null} id @param {number} room */
  circle(ring, id, room) {
    const node = this.nodes.get(id ?? "")?.node;
    if (!node) return ring.remove();
    const [x, y] = this.middle(node), width = node.width + 2 * room, height = node.height + 2 * room;
    for (const [key, value] of Object.entries({ x: x - width / 2, y: y - height / 2, width, height })) ring.setAttribute(key, value);
    if (ring.parentNode !== this.over) this.over.prepend(ring);
  }

  /** Where a node stands among the picture's own parts. @param {SceneNode} node @returns {[number, number]} */
  middle(node) {
    return [node.x - this.offset[0], node.y - this.offset[1]];
  }

  /** Names that now stand for another tensor: an arrow from the old to the new. */
  showMoved() {
    this.over.querySelectorAll(".vl-moved").forEach((/** @type {any} */ e) => e.remove());
    for (const { name, from, to } of this.scene?.moved ?? []) {
      const a = this.nodes.get(from ?? "")?.node, b = this.nodes.get(to)?.node;
      if (!b) continue;
      const [x1, y1] = this.middle(b), text = draw("text", { x: x1, y: y1 + b.height / 2 + 14, "text-anchor": "middle" });
      text.textContent = `↳ ${name}`;
      const g = draw("g", { class: "vl-moved" }, text);
      if (a) { // past what stands between: over the picture, or down its side
        const right = this.scene.direction === "right", [x0, y0] = this.middle(a);
        const top = Math.max(-20, Math.min(y0, y1) - (a.height + b.height) / 4 - 26 - Math.abs(x1 - x0) * 0.06), side = Math.min(x0 - a.width / 2, x1 - b.width / 2);
        const [start, end, bend] = right
          ? [[x0, y0 - a.height / 2], [x1, y1 - b.height / 2], `${x0} ${top} ${x1} ${top}`]
          : [[x0 - a.width / 2, y0], [x1 - b.width / 4, y1 + b.height / 2], `${side - 80} ${y0} ${side - 40} ${y1 + b.height + 20}`];
        g.append(draw("path", { d: `M${start}C${bend} ${end}` }), draw("path", { class: "vl-tip", d: `M${end}l-4 ${right ? -8 : 8}h8z` }));
      }
      this.over.append(g);
    }
  }

  /** @param {Set<string> | null} hits */
  mark(hits) {
    if (!hits && !this.svg?.classList.contains("vl-searching")) return;
    this.svg?.classList.toggle("vl-searching", hits !== null);
    for (const [id, { g }] of this.nodes) g.classList.toggle("vl-hit", Boolean(hits?.has(id)));
  }

  /** The picture as it stands, in the colours of this page, as a text of its own. @returns {string} */
  source() {
    const copy = this.svg.cloneNode(true), rules = draw("style");
    rules.textContent = this.sheet.textContent;
    copy.prepend(rules);
    copy.setAttribute("xmlns", SVG);
    copy.querySelectorAll("[tabindex]").forEach((/** @type {any} */ e) => { e.removeAttribute("tabindex"); e.removeAttribute("role"); });
    const style = getComputedStyle(this.svg);
    const names = new Set((rules.textContent ?? "").match(/--v(?:iz|l)-[\w-]+/g) ?? []);
    const colours = [...names].map((name) => `${name}:${style.getPropertyValue(name).trim()}`).filter((rule) => !rule.endsWith(":"));
    copy.setAttribute("style", colours.join(";"));
    return new XMLSerializer().serializeToString(copy);
  }
}

/** What a cell has room for. @param {string} text @param {string} final */
function fitting(text, final) {
  const most = Math.max(final.length, 4);
  if (text.length <= most) return text;
  if (text.includes(" + ")) return "…";
  return final.startsWith("(") ? final : clip(text, most); // a shape stands for what is too long
}
