// @ts-check
/* The picture: shown, moved about, and painted for a step. */

import { called, each, sameState, stateText } from "./pass.js";
import { clip, draw, harmless, make, SVG, textWidth } from "./parts.js";
import { word } from "./words.js";

/** How many things may move at once, each by itself: more and the browser takes longer than a reader waits. */
const MANY = 60;

/** Whether the reader asked for less motion. */
export const still = () => typeof matchMedia !== "function" || matchMedia("(prefers-reduced-motion: reduce)").matches;

// What a step writes over the picture. It stands inside the SVG, so that a saved picture has it too.
const OVERLAY = `
.vl-label rect,.vl-badge rect{stroke-width:1}
.vl-label rect,.vl-pill rect{fill:var(--viz-paper,#fff);stroke:var(--vl-flow,#4b3fd1);stroke-opacity:.35}
.viz .vl-label text,.viz .vl-pill text{font-size:12px;fill:var(--vl-flow,#4b3fd1);font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.vl-label.fresh rect,.vl-pill rect{fill:var(--vl-flow,#4b3fd1);stroke-opacity:1}.viz .vl-label.fresh text,.viz .vl-pill text{fill:var(--viz-paper,#fff);font-weight:600}
.vl-badge rect{fill:var(--viz-paper,#fff);stroke:var(--viz-muted,#4a5365)}.viz .vl-badge text{font-size:11px;font-weight:600;fill:var(--viz-muted,#4a5365)}
.vl-badge.now rect{fill:var(--vl-flow,#4b3fd1);stroke:var(--vl-flow,#4b3fd1)}.viz .vl-badge.now text{fill:var(--viz-paper,#fff)}
.vl-badge.ready rect{stroke:var(--vl-flow,#4b3fd1);stroke-dasharray:3 2}.viz .vl-badge.ready text{fill:var(--vl-flow,#4b3fd1)}
.vl-badge.failed rect{fill:var(--viz-mark,#c24e00);stroke:var(--viz-mark,#c24e00)}.viz .vl-badge.failed text{fill:var(--viz-paper,#fff)}
.vl-ring{fill:none;stroke:var(--vl-flow,#4b3fd1);stroke-width:3}.vl-ring.failed{stroke:var(--viz-mark,#c24e00);stroke-dasharray:none}
.vl-ring.receiver{stroke-width:2;stroke-dasharray:5 3}
.vl-pass .node[data-state=waiting] .shape{fill-opacity:.25;stroke-opacity:.6}
.viz .link.vl-flowed .edge{stroke:var(--vl-flow,#4b3fd1);stroke-opacity:.65}.viz .link.vl-fresh .edge{stroke-opacity:1}
.vl-tracing .node:not(.vl-path) .shape,.vl-tracing .link:not(.vl-path){opacity:.3}.vl-tracing .link.vl-path .edge{stroke-width:2.4}
.viz .link.vl-flowed .arrow{fill:var(--vl-flow,#4b3fd1);stroke:var(--vl-flow,#4b3fd1)}
.vl-searching .node:not(.vl-hit),.vl-searching .link{opacity:.25}
.vl-moved path{fill:none;stroke:var(--viz-mark,#c24e00);stroke-width:1.6;stroke-dasharray:6 4}.vl-moved .vl-tip{fill:var(--viz-mark,#c24e00);stroke-dasharray:none}
.viz .vl-moved text{font-size:11px;font-weight:600;fill:var(--viz-mark,#c24e00);paint-order:stroke;stroke:var(--viz-paper,#fff);stroke-width:3px}
`;

/** @type {Moment} */
export const NOTHING = { nodes: new Map(), edges: new Map(), grads: new Map(), freed: new Map(), now: null, receiver: null };

/** The picture: shown, moved about, and painted for a step. It listens on itself only, never on single nodes. */
export class Stage {
  /** @param {{ lang: () => Lang, open: (id: string | null) => void, most: () => number[], point: (node: SceneNode | null) => void }} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {HTMLElement} */
    this.canvas = make("div", { class: "vl-canvas" });
    // The picture's own style. It stays while pictures come and go: a new one would have the whole page styled anew.
    /** @type {HTMLStyleElement} */
    this.sheet = make("style");
    /** @type {HTMLElement} */
    this.element = make("div", { class: "vl-stage", role: "group" }, this.sheet, this.canvas);
    /** @type {any} */
    this.below = null; // what stands at its lower edge
    this.room = [0, 0]; // its width and height, as last measured: to ask for them has the page laid out at once
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {any} */
    this.svg = this.over = this.labels = this.badges = null;
    /** @type {Map<string, NodePart>} */
    this.nodes = new Map();
    /** @type {Map<number, EdgePart>} */
    this.edges = new Map();
    this.moment = NOTHING;
    /** @type {Animation[]} */
    this.motions = [];
    this.x = this.y = 0;
    this.scale = 1;
    this.offset = [0, 0];
    this.wide = 0; // the width that `way` was chosen for
    /** @type {Scene | null} */
    this.given = null; // what is shown, as it came; `scene` is that or the same laid out the other way
    this.moved = false; // by hand: then a new scene does not move the view
    this.shownAt = 0;
    this.ring = draw("path", { class: "vl-ring" });
    this.receiver = draw("path", { class: "vl-ring receiver" });
    this.listen();
  }

  listen() {
    /** @type {Map<number, [number, number]>} */
    const fingers = new Map();
    let travelled = 0;
    const { element } = this;
    element.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return; // a plain wheel scrolls the notebook
      e.preventDefault();
      const view = element.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY * 0.01), e.clientX - view.left, e.clientY - view.top);
    }, { passive: false });
    element.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      travelled = 0;
    });
    element.addEventListener("pointermove", (e) => {
      const from = fingers.get(e.pointerId);
      if (!from) return;
      if (!e.buttons) return void fingers.delete(e.pointerId); // let go outside
      const dx = e.clientX - from[0], dy = e.clientY - from[1];
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
      if (other) {
        const before = Math.hypot(from[0] - other[0], from[1] - other[1]), view = element.getBoundingClientRect();
        const after = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        this.zoom(after / Math.max(before, 1), other[0] - view.left, other[1] - view.top);
      } else {
        travelled += Math.abs(dx) + Math.abs(dy);
        if (travelled < 4) return;
        if (!element.hasPointerCapture?.(e.pointerId)) element.setPointerCapture?.(e.pointerId);
        element.classList.add("vl-dragging");
        this.pan(dx, dy);
      }
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      element.addEventListener(end, (e) => {
        fingers.delete(/** @type {PointerEvent} */ (e).pointerId);
        element.classList.remove("vl-dragging");
      });
    }
    element.addEventListener("click", (e) => {
      if (travelled < 4) this.panel.open(this.idAt(e.target));
    });
    element.addEventListener("focusin", (e) => {
      const id = this.idAt(e.target);
      if (!id) return;
      this.stop(id);
      this.reveal(id);
      this.trace(id);
    });
    element.addEventListener("focusout", () => this.trace(null));
    element.addEventListener("pointerover", (e) => this.trace(this.idAt(e.target)));
    element.addEventListener("pointerleave", () => this.trace(null));
    element.addEventListener("scroll", () => { element.scrollLeft = element.scrollTop = 0; }); // a focus must not scroll it
  }

  /** @param {any} target @returns {string | null} */
  idAt(target) {
    return target?.closest?.(".node")?.getAttribute("data-id") ?? null;
  }

  /**
   * Show a scene; nodes that it shares with the last one travel to their new places, new ones come `inTurn` or at once.
   * @param {Scene | null} scene @param {boolean} [inTurn]
   */
  show(scene, inTurn = true) {
    this.given = scene;
    scene = scene && this.chosen(scene);
    if (scene === this.scene) return;
    const old = { scene: this.scene, nodes: this.nodes, offset: this.offset, x: this.x, y: this.y, scale: this.scale };
    this.rest();
    this.moment = NOTHING;
    this.nodes = new Map();
    this.edges = new Map();
    this.scene = scene;
    const parsed = scene?.svg ? new DOMParser().parseFromString(scene.svg, "text/html").body.firstElementChild : null; // faster than as XML
    if (!scene || !parsed || parsed.nodeName !== "svg") {
      this.canvas.replaceChildren();
      this.svg = this.over = null;
      return;
    }
    const svg = /** @type {any} */ (document.adoptNode(harmless(parsed)));
    for (const attribute of ["style", "width", "height"]) svg.removeAttribute(attribute);
    svg.setAttribute("role", "group"); // its nodes can be reached: it is more than one image
    svg.setAttribute("width", scene.width);
    svg.setAttribute("height", scene.height);
    svg.querySelectorAll(":scope > title, :scope > desc").forEach((/** @type {any} */ e) => e.remove()); // in Python's language
    svg.removeAttribute("aria-labelledby");
    const style = svg.querySelector("style"), rules = (style?.textContent ?? "") + OVERLAY;
    if (this.sheet.textContent !== rules) this.sheet.textContent = rules;
    style?.remove();
    const inner = svg.querySelector(":scope > g") ?? svg;
    const shift = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(inner.getAttribute("transform") ?? "");
    this.offset = shift ? [Number(shift[1]), Number(shift[2])] : [0, 0];
    const byId = new Map(scene.nodes.map((node) => [node.id, node]));
    for (const g of inner.querySelectorAll(".node")) {
      const node = byId.get(g.getAttribute("data-id"));
      if (!node) continue;
      const grad = g.querySelector("text.grad");
      const part = { g, node, grad, final: grad?.textContent ?? "", badge: null };
      this.nodes.set(node.id, part);
      g.setAttribute("tabindex", "-1");
      g.setAttribute("role", "button");
      this.name(part);
    }
    for (const g of inner.querySelectorAll(".link")) {
      const position = Number(g.getAttribute("data-edge") ?? -1), path = g.querySelector("path.edge");
      const edge = scene.edges[position];
      if (!edge || !path) continue;
      this.edges.set(position, { g, path, label: null, spot: null });
    }
    this.labels = draw("g", {});
    this.badges = draw("g", {});
    this.over = draw("g", { class: "vl-over" }, this.labels, this.badges);
    inner.append(this.over);
    this.svg = svg;
    this.speak();
    const focused = this.idAt(document.activeElement);
    const held = focused !== null && this.canvas.contains(document.activeElement);
    this.canvas.replaceChildren(svg);
    this.stop(held && this.nodes.has(focused) ? focused : (scene.roots.find((root) => this.nodes.has(root)) ?? [...this.nodes.keys()][0]));
    if (held) this.nodes.get(focused)?.g.focus({ preventScroll: true });
    if (this.moved && scene.nodes.some((node) => old.nodes.has(node.id))) this.place();
    else this.fit(true);
    this.travel(old, inTurn);
  }

  /**
   * @param {{ scene: Scene | null, nodes: Map<string, NodePart>, offset: number[], x: number, y: number, scale: number }} old
   * @param {boolean} inTurn
   */
  travel(old, inTurn) {
    const now = Date.now(), pause = now - this.shownAt;
    this.shownAt = now;
    const scene = this.scene;
    // In a loop, scenes follow each other too fast for anything to travel, and hundreds of nodes take too long to.
    if (!scene || still() || pause < 400 || scene.nodes.length > 300 || typeof this.svg.animate !== "function") return;
    const shared = scene.nodes.flatMap((node) => {
      const before = old.nodes.get(node.id)?.node;
      return before ? [{ node, dx: before.x - node.x, dy: before.y - node.y }] : [];
    });
    const moved = new Map(shared.filter(({ dx, dy }) => dx || dy).map((it) => [it.node.id, it]));
    const fresh = scene.nodes.filter((node) => !old.nodes.has(node.id));
    if (fresh.length + moved.size > MANY) return; // each is a layer of its own for the browser
    const delay = inTurn ? Math.min(70, 700 / Math.max(fresh.length, 1)) : 0;
    const late = new Map(fresh.map((node, i) => [node.id, i * delay]));
    for (const [id, { g }] of this.nodes) {
      const wait = late.get(id), from = moved.get(id);
      if (wait !== undefined) {
        this.move(g, [{ opacity: 0 }, { opacity: 1 }], { duration: 220, delay: old.scene ? wait + 120 : wait });
      } else if (from) {
        this.move(g, [{ transform: `translate(${from.dx}px,${from.dy}px)` }, { transform: "none" }], { duration: 280, easing: "cubic-bezier(.2,.7,.2,1)" });
      }
    }
    for (const [position, { g }] of this.edges) {
      const { source, target } = scene.edges[position];
      const waits = [source, target].flatMap((id) => late.get(id) ?? (moved.has(id) ? 0 : []));
      if (!waits.length) continue; // both ends were there, and stay
      this.move(g, [{ opacity: 0 }, { opacity: 1 }], { duration: 240, delay: Math.max(...waits) + (old.scene ? 160 : 60) });
    }
  }

  /** @param {any} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} options @returns {Animation} */
  move(element, frames, options) {
    const motion = element.animate(frames, { fill: "backwards", ...options });
    motion.finished.catch(() => {});
    this.motions.push(motion);
    return motion;
  }

  /** End every motion where it leads. */
  rest() {
    for (const motion of this.motions) motion.cancel();
    this.motions = [];
  }

  /** What a screen reader says at a node. @param {NodePart} part @param {NodeState} [state] */
  name(part, state) {
    const { node } = part, lang = this.panel.lang();
    const said = [called(node, lang), word(`kind_${node.kind}`, lang)];
    if (node.value) said.push(node.value);
    else if (node.shape) said.push(node.shape);
    if (state) said.push(stateText(state, lang, true));
    const text = said.filter(Boolean).join(lang === "zh" ? "，" : ", "), tip = part.g.querySelector("title");
    part.g.setAttribute("aria-label", text);
    if (tip) tip.textContent = text; // what Python wrote there speaks English
  }

  /** The picture's own words in the language of the panel. */
  speak() {
    const lang = this.panel.lang();
    this.svg?.setAttribute("aria-label", word("sceneSay", lang, { n: this.nodes.size }));
    this.svg?.querySelectorAll("[data-zh]").forEach((/** @type {any} */ e) => { e.textContent = e.getAttribute(`data-${lang}`); });
  }

  /** Everything again: the language has changed. */
  retell() {
    this.speak();
    const moment = this.moment;
    this.moment = NOTHING;
    for (const part of this.nodes.values()) {
      part.badge?.remove();
      part.badge = null;
      this.name(part);
    }
    this.paint(moment, this.playing);
  }

  playing = false;

  /** Paint a step over the picture, touching only what differs from the step before. @param {Moment} moment @param {boolean} playing */
  paint(moment, playing) {
    if (!this.svg) return;
    const old = this.moment;
    this.moment = moment;
    this.playing = playing;
    this.svg.classList.toggle("vl-pass", playing);
    each(old.nodes, moment.nodes, sameState, (id, state) => this.dress(id, state));
    each(old.edges, moment.edges, (a, b) => a.text === b.text && a.fresh === b.fresh && a.wide === b.wide, (at, written) => this.write(at, written));
    each(old.grads, moment.grads, (a, b) => a === b, (id, text) => {
      const part = this.nodes.get(id);
      if (!part?.grad) return;
      part.grad.textContent = text === undefined ? part.final : fitting(text, part.final);
      part.grad.classList.toggle("none", part.grad.textContent === "None" || part.grad.textContent === "·");
    });
    this.circle(this.ring, moment.now, 7);
    this.circle(this.receiver, moment.receiver, 5);
    this.ring.classList.toggle("failed", moment.now !== null && moment.nodes.get(moment.now)?.status === "failed");
  }

  /** @param {string} id @param {NodeState | undefined} state */
  dress(id, state) {
    const part = this.nodes.get(id);
    if (!part) return;
    if (state) part.g.setAttribute("data-state", state.status);
    else part.g.removeAttribute("data-state");
    this.name(part, state);
    const bare = state?.status === "failed" && !part.g.querySelector(".stop"); // else the card says it
    const text = state && (bare || state.of > 1) ? stateText(state, this.panel.lang(), false) : "";
    if (!text) {
      if (part.badge) part.badge.style.display = "none";
      return;
    }
    if (!part.badge) {
      part.badge = draw("g", { "aria-hidden": "true" }, draw("rect", { height: 16, rx: 8 }), draw("text", { "text-anchor": "middle" }));
      this.badges.append(part.badge);
    }
    const [x, y] = this.corner(part.node), wide = textWidth(text, 11) + 12;
    const [rect, label] = part.badge.children;
    part.badge.setAttribute("class", `vl-badge ${state?.status}`);
    part.badge.style.display = "";
    put(rect, { x, y: y - 18, width: wide });
    put(label, { x: x + wide / 2, y: y - 6 });
    label.textContent = text;
  }

  /** @param {number} position @param {Flow | undefined} written */
  write(position, written) {
    const part = this.edges.get(position);
    if (!part) return;
    part.g.classList.toggle("vl-flowed", Boolean(written));
    part.g.classList.toggle("vl-fresh", Boolean(written?.fresh));
    part.path.style.strokeWidth = written ? `${written.wide.toFixed(1)}px` : "";
    if (!written?.rests) {
      part.label?.setAttribute("class", "vl-label");
      if (part.label) part.label.style.display = "none";
      return;
    }
    if (!part.label) {
      part.label = draw("g", {}, draw("rect", { height: 17, rx: 4 }), draw("text", { "text-anchor": "middle" }));
      this.labels.append(part.label);
    }
    const text = clip(written.text, 20);
    const wide = textWidth(text, 12) + 10, [rect, label] = part.label.children;
    part.label.setAttribute("class", `vl-label${written.fresh ? " fresh" : ""}`);
    part.spot = null;
    const spot = part.spot = this.free(part, wide);
    part.label.style.display = spot ? "" : "none"; // the cell says it, too
    if (!spot) return;
    const [x, y] = spot;
    put(rect, { x: x - wide / 2, y: y - 8.5, width: wide });
    put(label, { x, y: y + 4 });
    label.textContent = text;
  }

  /** Where along an edge a label lies on nothing else; null where it nowhere does. @param {EdgePart} part @param {number} wide @returns {[number, number, number] | null} */
  free(part, wide) {
    const length = part.path.getTotalLength(), [ox, oy] = this.offset;
    const shown = [...this.edges.values()].flatMap(({ label, spot }) => (spot && label.style.display !== "none" ? [spot] : []));
    for (const t of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
      const { x, y } = part.path.getPointAtLength(length * t);
      const meets = (/** @type {number} */ left, /** @type {number} */ top, /** @type {number} */ w, /** @type {number} */ h) =>
        Math.abs(left - x) < (w + wide) / 2 + 2 && Math.abs(top - y) < (h + 17) / 2 + 2;
      if (shown.some(([a, b, w]) => meets(a, b, w, 17))) continue;
      if ([...this.nodes.values()].some(({ node }) => meets(node.x - ox, node.y - oy, node.width, node.height))) continue;
      return [x, y, wide];
    }
    return null;
  }

  /** What the present step sends travels along its edges, and lands in the cells, in so many milliseconds. @param {number} time */
  slide(time) {
    if (still() || !this.svg || typeof this.svg.animate !== "function") return;
    for (const [position, flow] of this.moment.edges) {
      const part = this.edges.get(position), length = flow.fresh && part?.path.getTotalLength();
      if (!part || !length) continue;
      const text = clip(flow.text, 20), wide = textWidth(text, 12) + 14;
      const words = draw("text", { "text-anchor": "middle", y: 4 });
      words.textContent = text;
      const pill = draw("g", { class: "vl-pill", "aria-hidden": "true" }, draw("rect", { x: -wide / 2, y: -9, width: wide, height: 18, rx: 9 }), words);
      this.labels.append(pill);
      const frames = [0, 0.2, 0.4, 0.6, 0.8, 1].map((t) => {
        const { x, y } = part.path.getPointAtLength(length * t);
        return { transform: `translate(${x}px,${y}px)`, opacity: t === 1 ? 0.2 : 1 };
      });
      const motion = this.move(pill, frames, { duration: time * 0.8, easing: "cubic-bezier(.45,0,.2,1)", fill: "both" });
      motion.finished.then(() => pill.remove(), () => pill.remove());
      const drawn = [{ strokeDasharray: `0 ${length}` }, { strokeDasharray: `${length} ${length}` }];
      this.move(part.path, drawn, { duration: time * 0.8, easing: "cubic-bezier(.45,0,.2,1)" });
      if (part.label) this.move(part.label, [{ opacity: 0 }, { opacity: 0, offset: 0.8 }, { opacity: 1 }], { duration: time });
      const cell = this.nodes.get(this.scene?.edges[position].target ?? "")?.grad;
      if (cell) this.move(cell, [{ opacity: 0 }, { opacity: 0, offset: 0.75 }, { opacity: 1 }], { duration: time });
    }
  }

  /** The one node that Tab stops at. @param {string | null | undefined} id */
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
      this.scene?.edges.forEach(({ source, target }, i) => { if (source === here) { ids.add(target); edges.add(i); } });
    }
    this.light(id === null ? null : [...ids], edges);
    this.panel.point(id === null ? null : (this.nodes.get(id)?.node ?? null));
  }

  /** These nodes in full, all else faint. @param {string[] | null} ids @param {Set<any>} [edges] */
  light(ids, edges = new Set()) {
    this.svg?.classList.toggle("vl-tracing", Boolean(ids?.length));
    for (const [id, { g }] of this.nodes) g.classList.toggle("vl-path", Boolean(ids?.includes(id)));
    for (const [position, { g }] of this.edges) g.classList.toggle("vl-path", edges.has(position));
  }

  /** @type {string | null} */
  traced = null;

  /** @param {any} ring @param {string | null} id @param {number} room */
  circle(ring, id, room) {
    const node = id === null ? undefined : this.nodes.get(id)?.node;
    if (!node) return ring.remove();
    const wide = node.width + 2 * room, high = node.height + 2 * room;
    const [x, y] = [node.x - this.offset[0] - wide / 2, node.y - this.offset[1] - high / 2];
    ring.setAttribute("d", `M${x + 8} ${y}h${wide - 16}a8 8 0 0 1 8 8v${high - 16}a8 8 0 0 1 -8 8h${16 - wide}a8 8 0 0 1 -8 -8v${16 - high}a8 8 0 0 1 8 -8z`);
    if (ring.parentNode !== this.over) this.over.prepend(ring);
  }

  /** Top left of a node, where the picture's own parts are placed. @param {SceneNode} node @returns {[number, number]} */
  corner(node) {
    return [node.x - node.width / 2 - this.offset[0], node.y - node.height / 2 - this.offset[1]];
  }

  /** Names that now stand for another tensor: an arrow from the old to the new. */
  showMoved() {
    this.over?.querySelectorAll(".vl-moved").forEach((/** @type {any} */ e) => e.remove());
    for (const { name, from, to } of this.scene?.moved ?? []) {
      const a = from === null ? undefined : this.nodes.get(from)?.node, b = this.nodes.get(to)?.node;
      const g = draw("g", { class: "vl-moved" });
      const [ox, oy] = this.offset;
      if (b) {
        const text = draw("text", { x: b.x - ox, y: b.y - oy + b.height / 2 + 14, "text-anchor": "middle" });
        text.textContent = `↳ ${name}`;
        g.append(text);
      }
      if (a && b) { // past what stands between: over the picture, or down its side
        const right = this.scene?.direction === "right", [x0, y0, x1, y1] = [a.x - ox, a.y - oy, b.x - ox, b.y - oy];
        const top = Math.max(-20, Math.min(y0, y1) - (a.height + b.height) / 4 - 26 - Math.abs(x1 - x0) * 0.06), side = Math.min(x0 - a.width / 2, x1 - b.width / 2);
        const [start, end, bend] = right
          ? [[x0, y0 - a.height / 2], [x1, y1 - b.height / 2], `${x0} ${top} ${x1} ${top}`]
          : [[x0 - a.width / 2, y0], [x1 - b.width / 4, y1 + b.height / 2], `${side - 80} ${y0} ${side - 40} ${y1 + b.height + 20}`];
        g.append(draw("path", { d: `M${start}C${bend} ${end}` }), draw("path", { class: "vl-tip", d: `M${end}l-4 ${right ? -8 : 8}h8z` }));
      }
      this.over?.append(g);
    }
  }

  /** @param {Set<string> | null} hits */
  mark(hits) {
    if (!hits && !this.svg?.classList.contains("vl-searching")) return;
    this.svg?.classList.toggle("vl-searching", hits !== null);
    for (const [id, { g }] of this.nodes) g.classList.toggle("vl-hit", Boolean(hits?.has(id)));
  }

  // -- moving about

  /**
   * The scene, laid out in the direction in which more of it can be read here; as long as the graph and the width stay
   * the same, so does the direction.
   * @param {Scene} scene @returns {Scene}
   */
  chosen(scene) {
    const other = turned(scene), [wide, high] = this.panel.most();
    if (!other || !wide) return scene;
    const now = this.scene, known = now?.nodes.filter((node) => scene.nodes.some((n) => n.id === node.id)).length ?? 0;
    const same = now && known > 0.5 * Math.max(now.nodes.length, scene.nodes.length) && Math.abs(wide - this.wide) < 40;
    if (same) return now.direction === scene.direction ? scene : other;
    this.wide = wide;
    const fit = (/** @type {Scene} */ s) => Math.min(1, wide / s.width, high / s.height) + (s.direction === "right" ? 0 : 0.01);
    return fit(scene) >= fit(other) ? scene : other;
  }

  /** How high the picture is, where nothing has to be made smaller or larger. */
  get tall() {
    return this.scene ? this.scene.height + (this.below?.offsetHeight || 0) : 0;
  }

  /** How much room the picture has: what `below` says at the lower edge lies on none of its nodes. */
  measure() {
    this.room = [this.element.clientWidth, this.element.clientHeight - (this.below?.offsetHeight || 0)];
  }

  place() {
    this.canvas.style.transform = `translate(${this.x}px,${this.y}px) scale(${this.scale})`;
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.moved = true;
    this.place();
  }

  /** @param {number} factor @param {number} [px] @param {number} [py] */
  zoom(factor, px = this.room[0] / 2, py = this.room[1] / 2) {
    const next = Math.min(6, Math.max(0.03, this.scale * factor));
    this.x = px - ((px - this.x) * next) / this.scale;
    this.y = py - ((py - this.y) * next) / this.scale;
    this.scale = next;
    this.moved = true;
    this.place();
  }

  /** All of it, in the middle; `readable`: of a large graph rather the node that runs, or the result, large enough to read. @param {boolean} [readable] */
  fit(readable = false) {
    const [wide, high] = this.room, scene = this.scene;
    if (!scene || !wide || !high) return;
    this.moved = false;
    this.scale = Math.min(1.25, wide / scene.width, high / scene.height);
    if (readable && this.scale < 0.999) { // no text under its own size: then the view follows the node that runs
      this.scale = 1;
      const now = this.moment.now ?? scene.roots[0];
      const root = scene.nodes.find((node) => node.id === now) ?? scene.nodes[scene.nodes.length - 1];
      if (root) return this.centre(root);
    }
    this.x = (wide - scene.width * this.scale) / 2;
    this.y = (high - scene.height * this.scale) / 2;
    this.place();
  }

  /** A node in the middle, as near as it can be without an empty margin beside a graph that is larger than the room. @param {SceneNode} node */
  centre(node) {
    const [wide, high] = this.room, scene = this.scene;
    if (!scene) return;
    this.x = within(wide / 2 - node.x * this.scale, wide, scene.width * this.scale);
    this.y = within(high / 2 - node.y * this.scale, high, scene.height * this.scale);
    this.place();
  }

  /** Bring a node into view if it is not. @param {string} id */
  reveal(id) {
    const node = this.nodes.get(id)?.node;
    if (!node) return;
    const [wide, high] = this.room;
    const x = this.x + node.x * this.scale, y = this.y + node.y * this.scale;
    const halfX = (node.width / 2) * this.scale, halfY = (node.height / 2) * this.scale;
    if (x - halfX < 0 || y - halfY < 0 || x + halfX > wide || y + halfY > high) this.centre(node);
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

/** @type {WeakMap<Scene, Scene>} */
const turnedScenes = new WeakMap();

/** The same scene laid out in the other direction, where there is one. @param {Scene} scene @returns {Scene | null} */
function turned(scene) {
  if (!scene.other || turnedScenes.has(scene)) return turnedScenes.get(scene) ?? null;
  const { places, ...way } = scene.other;
  const nodes = scene.nodes.map((node) => {
    const [x, y, width, height] = places[node.id] ?? [0, 0, 0, 0];
    return { ...node, x, y, width, height };
  });
  const found = { ...scene, ...way, nodes, other: null };
  turnedScenes.set(scene, found);
  return found;
}

/** Where a picture of this size starts in the room: in its middle if it fits, else at `at` or where it still fills the room. @param {number} at @param {number} room @param {number} size */
function within(at, room, size) {
  return size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at));
}

/** @param {any} element @param {Record<string, number>} attributes */
function put(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value.toFixed(1));
}
