// @ts-check
/* How the picture lies in its room: its direction, its size, the part of it that is seen. */

import { make } from "./parts.js";

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

export class View {
  constructor() {
    /** @type {HTMLElement} */
    this.canvas = make("div", { class: "vl-canvas" });
    /** @type {HTMLElement} */
    this.element = make("div", { class: "vl-stage", role: "group" }, this.canvas);
    /** @type {any} */
    this.below = null; // what stands at its lower edge
    this.room = [0, 0]; // its width and height, as last measured: to ask for them has the page laid out at once
    /** @type {any} */
    this.scene = null; // what is shown, in the direction that was chosen
    this.x = this.y = 0;
    this.scale = 1;
    this.wide = 0; // the width that the direction was chosen for
    this.travelled = 0; // pixels, since the button went down
    this.moved = false; // by hand: then a new scene does not move the view
    this.dragged();
  }

  /** Dragging moves it, Ctrl and the wheel zoom. */
  dragged() {
    const { element } = this;
    element.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return; // a plain wheel scrolls the notebook
      e.preventDefault();
      const view = element.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY * 0.01), e.clientX - view.left, e.clientY - view.top);
    }, { passive: false });
    let from = [0, 0];
    element.addEventListener("pointerdown", (e) => {
      this.travelled = 0;
      from = [e.clientX, e.clientY];
    });
    element.addEventListener("pointermove", (e) => {
      if (!(e.buttons & 1) || !e.isPrimary) return;
      const dx = e.clientX - from[0], dy = e.clientY - from[1];
      from = [e.clientX, e.clientY];
      this.travelled += Math.abs(dx) + Math.abs(dy);
      if (this.travelled < 4) return;
      element.setPointerCapture?.(e.pointerId);
      element.classList.add("vl-dragging");
      this.pan(dx, dy);
    });
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => element.classList.remove("vl-dragging"));
    element.addEventListener("scroll", () => { element.scrollLeft = element.scrollTop = 0; }); // a focus must not scroll it
  }

  /**
   * The scene, laid out in the direction in which more of it can be read in so much room; as long as the graph and the
   * width stay the same, so does the direction.
   * @param {Scene} scene @param {number[]} room @returns {Scene}
   */
  chosen(scene, [wide, high]) {
    const other = turned(scene), now = /** @type {Scene | null} */ (this.scene);
    if (!other || !wide) return scene;
    const known = now?.nodes.filter((node) => scene.nodes.some((n) => n.id === node.id)).length ?? 0;
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

  /** All of it, in the middle. */
  fit() {
    const { room: [wide, high], scene } = this;
    if (!scene || !wide || !high) return;
    this.moved = false;
    this.scale = Math.min(1.25, wide / scene.width, high / scene.height);
    this.x = (wide - scene.width * this.scale) / 2;
    this.y = (high - scene.height * this.scale) / 2;
    this.place();
  }

  /** All of it, or of a large graph that node, large enough to read: no text is smaller than its own size. @param {SceneNode | undefined} node */
  read(node) {
    this.fit();
    if (this.scale > 0.999 || !node || !this.room[0]) return;
    this.scale = 1;
    this.centre(node);
  }

  /** A node in the middle, as near as it can be without an empty margin beside a graph that is larger than the room. @param {SceneNode} node */
  centre(node) {
    const { room: [wide, high], scene, scale } = this;
    this.x = within(wide / 2 - node.x * scale, wide, scene.width * scale);
    this.y = within(high / 2 - node.y * scale, high, scene.height * scale);
    this.place();
  }

  /** Brings a node into view if it is not. @param {SceneNode} node */
  reveal(node) {
    const { room: [wide, high], scale } = this, x = this.x + node.x * scale, y = this.y + node.y * scale;
    const halfX = (node.width / 2) * scale, halfY = (node.height / 2) * scale;
    if (x - halfX < 0 || y - halfY < 0 || x + halfX > wide || y + halfY > high) this.centre(node);
  }
}
