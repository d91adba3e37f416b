// @ts-check
/* The card of a node: all that is known of it; a leaf's numbers can be moved there. */

import { called, placed, plain, summed } from "./names.js";
import { button, formula, make } from "./parts.js";
import { spark } from "./history.js";
import { PATIENCE } from "./kernel.js";

export class Card {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.element = make("section", { class: "vl-card", hidden: true });
    /** @type {string | null} */
    this.opened = null; // the node that it is about
    this.sliding = false; // a leaf is being moved: the card keeps its sliders
    this.tried = 0; // since when the kernel owes what a moved leaf gives
    /** @type {Map<string, number[]>} */
    this.ranges = new Map(); // of each number that can be moved: where it was in the pass itself, and how far it goes
    /** @type {Record<string, number[]> | null} */
    this.wanted = null; // where leaves have been moved meanwhile
  }

  /** The kernel may still answer. */
  get owed() {
    return Date.now() - this.tried < PATIENCE;
  }

  /** @param {string | null} id */
  open(id) {
    this.opened = id;
    this.show();
    if (id) this.element.parentElement.scrollTop = 0; // it is the first thing there, and is to be seen
  }

  close() {
    const part = this.panel.stage.nodes.get(this.opened ?? "");
    this.open(null);
    part?.g.focus({ preventScroll: true });
  }

  /** Shows what is known at the step that is shown. */
  show() {
    const { panel, element } = this, { stage, lang } = panel, part = stage.nodes.get(this.opened ?? "");
    for (const [id, { g }] of stage.nodes) if (g.getAttribute("aria-expanded") !== String(id === this.opened)) g.setAttribute("aria-expanded", String(id === this.opened));
    if (!part) this.opened = null;
    else if (this.sliding || (this.owed && element.contains(document.activeElement))) return; // a later answer is to come
    element.hidden = !part;
    if (!part) return element.replaceChildren();
    const held = [...element.querySelectorAll("input")].indexOf(document.activeElement);
    element.setAttribute("aria-label", called(part.node, lang));
    const opens = panel.model.get("following") !== null || part.node.id in (panel.model.get("opened") ?? {}); // a page holds what some groups hold
    const open = { type: "button", class: "vl-wide", hidden: part.node.kind !== "folded" || !opens, onclick: () => panel.openGroup(part.node.id) };
    element.replaceChildren(this.head(part.node), this.list(part.node), make("button", open, panel.w("open")));
    element.querySelectorAll("input")[held]?.focus({ preventScroll: true });
  }

  /** @param {SceneNode} node */
  head(node) {
    const { w, lang } = this.panel, kind = w(`kind_${node.kind}`) + (node.count > 1 ? ` · ${w("holds", { n: node.count })}` : "");
    const names = make("div", {}, make("h3", {}, called(node, lang)), make("p", { class: "vl-dim" }, kind));
    return make("header", {}, make("span", { class: `vl-swatch ${node.kind}` }), names, button("close", w("close"), () => this.close()));
  }

  /** What is known, row by row. @param {SceneNode} node */
  list(node) {
    const { w, lang, past, stage } = this.panel, flowed = stage.moment.grads.get(node.id), leaf = node.kind === "leaf", made = /^(op|custom)$/.test(node.kind) && node.names.length;
    const codes = (/** @type {(string | null)[]} */ texts, /** @type {(text: string) => (Node | string)[]} */ set = (text) => [text]) =>
      texts.flatMap((text) => (text ? [make("code", {}, ...set(text))] : []));
    const drawn = spark(past.leaves.get(node.id) ?? [], "pastSay", lang);
    /** @type {Record<string, Node[]>} */
    const rows = {
      cName: codes(node.names.filter((name) => name !== node.label)),
      cFormula: codes(node.formula[lang], formula),
      cValue: codes([summed(node.value ?? "", lang)]),
      cPast: drawn ? [drawn.picture] : [],
      cMove: this.sliders(node),
      cShape: codes([node.shape]),
      cDtype: codes([node.dtype]),
      cGrad: made && !node.grad ? [make("span", { class: "vl-dim" }, w("notKept", { n: node.names[0] }))] : codes([summed((leaf && flowed) || node.grad || "", lang)]),
      gradient: leaf ? [] : codes([(flowed ?? "").replace("·", "")]),
      cSaved: this.saved(node),
      cHooks: codes(node.hooks),
      cModule: codes([node.module]),
      cSource: codes([placed(node.source, lang)]),
    };
    return make("dl", {}, ...Object.entries(rows).flatMap(([key, parts]) => (parts.length ? [make("dt", {}, w(key)), make("dd", { class: `vl-${key}` }, ...parts)] : [])));
  }

  /** The slots of a node, as they are at this step. @param {SceneNode} node */
  saved(node) {
    const { panel } = this, freed = panel.stage.moment.freed.get(node.id), steps = (panel.inPass && panel.trace?.steps) || [];
    const toCome = new Set(steps.flatMap((step) => (step.node === node.id && step.freed) || [])); // an earlier pass has freed the others
    return node.saved.map(({ slot, text, state: last }) => {
      const state = freed?.has(slot) ? "freed" : toCome.has(slot) ? "kept" : last;
      const said = state === "freed" || !text ? slot : `${slot} = ${plain(text)}`;
      return make("div", { class: `vl-slip ${state}` }, make("code", {}, said), make("span", {}, panel.w(state)));
    });
  }

  /** One for each number of a leaf that can be moved: a kernel is there to compute what that gives. @param {SceneNode} node */
  sliders(node) {
    const { panel, ranges } = this, { model, kernel, trace, lang } = panel;
    const own = panel.inPass && model.widget_manager && kernel.state !== "gone" ? [...(trace?.leaves?.[node.id] ?? [])] : [];
    return own.map((value, i) => {
      const key = `${node.id} ${i}`, [first, room] = ranges.get(key) ?? [value, Math.max(2, 2 * Math.abs(value))];
      ranges.set(key, [first, room]);
      const step = 10 ** Math.floor(Math.log10(room / 20)), output = make("span", {}, String(value)); // the slider says it, too
      const label = own.length > 1 ? `${called(node, lang)} ${i}` : called(node, lang);
      const input = make("input", {
        type: "range", class: "vl-slider", min: first - room, max: first + room, step, "aria-label": label,
        oninput: () => {
          this.sliding = true;
          own[i] = Number(Number(input.value).toPrecision(4));
          output.textContent = String(own[i]);
          this.wanted = { ...this.wanted, [node.id]: [...own] };
          this.move();
        },
        onchange: () => { this.sliding = false; },
      });
      input.value = String(value);
      return make("label", { class: "vl-move" }, input, output);
    });
  }

  /** Asks for what the moved leaves give; one question at a time, lest they pile up. */
  move() {
    if (!this.wanted || this.owed) return;
    this.tried = Date.now();
    try { this.panel.model.send({ type: "move", leaves: this.wanted }); } catch { this.tried = 0; }
    this.wanted = null;
  }

  /** A pass has come; whether it is another than the one whose leaves are moved. */
  came() {
    const another = !this.tried;
    if (another) this.ranges.clear();
    this.tried = 0;
    this.move();
    return another;
  }
}
