// @ts-check
/* The card of a node: all that is known of it; a leaf's numbers can be moved there. */

import { called, placed } from "./names.js";
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

  /** @param {string | null} id */
  open(id) {
    if (id === this.opened && id !== null) return;
    this.opened = id;
    this.show();
  }

  close() {
    const id = this.opened;
    this.open(null);
    if (id !== null) this.panel.stage.nodes.get(id)?.g.focus({ preventScroll: true });
  }

  /** Shows what is known at the step that is shown. */
  show() {
    const { panel, element } = this, { stage } = panel;
    if (this.opened !== null && !stage.nodes.has(this.opened)) this.opened = null;
    const part = stage.nodes.get(this.opened ?? "");
    if (this.sliding && part) return;
    stage.svg?.querySelector(".vl-open")?.classList.remove("vl-open");
    element.hidden = !part;
    panel.tellSide();
    if (!part) return element.replaceChildren();
    part.g.classList.add("vl-open");
    const held = [...element.querySelectorAll("input")].indexOf(document.activeElement);
    element.setAttribute("aria-label", called(part.node, panel.lang));
    element.replaceChildren(this.head(part.node), this.list(part.node), ...this.opener(part.node));
    element.querySelectorAll("input")[held]?.focus({ preventScroll: true });
  }

  /** @param {SceneNode} node */
  head(node) {
    const { w, lang } = this.panel, kind = w(`kind_${node.kind}`) + (node.count > 1 ? ` · ${w("holds", { n: node.count })}` : "");
    const names = make("div", {}, make("h3", {}, called(node, lang)), make("p", { class: "vl-dim" }, kind));
    return make("header", {}, make("span", { class: `vl-swatch ${node.kind}` }), names, button("close", w("close"), () => this.close()));
  }

  /** The button that opens a group. @param {SceneNode} node */
  opener(node) {
    if (node.kind !== "folded") return [];
    const open = make("button", { type: "button", class: "vl-wide" }, this.panel.w("open"));
    open.addEventListener("click", () => this.panel.ask({ type: "unfold", id: node.id }));
    return [open];
  }

  /** @param {SceneNode} node */
  list(node) {
    const { panel } = this, { w, lang } = panel, { moment } = panel.stage, list = make("dl", {});
    const row = (/** @type {string} */ key, /** @type {Node[]} */ ...parts) => { if (parts.length) list.append(make("dt", {}, w(key)), make("dd", {}, ...parts)); };
    const texts = (/** @type {string} */ key, /** @type {(string | null)[]} */ values, /** @type {(text: string) => (Node | string)[]} */ set = (text) => [text]) =>
      row(key, ...values.flatMap((value) => (value ? [make("code", {}, ...set(value))] : [])));
    const leaf = node.kind === "leaf", flowed = moment.grads.get(node.id);
    texts("cName", node.names.filter((name) => name !== node.label));
    texts("cFormula", node.formula[lang], formula);
    texts("cValue", [node.value]);
    const past = spark(panel.past.leaves.get(node.id) ?? [], "pastSay", lang);
    if (past) row("cPast", past.picture);
    row("cMove", ...this.sliders(node));
    texts("cShape", [node.shape]);
    texts("cDtype", [node.dtype]);
    texts("cGrad", [leaf ? (flowed ?? node.grad) : node.grad]);
    if (!leaf) texts("gradient", [(flowed ?? "").replace("·", "")]);
    row("cSaved", ...this.saved(node));
    texts("cHooks", node.hooks);
    texts("cModule", [node.module && `${node.module}.*`]);
    texts("cSource", [placed(node.source, lang)]);
    if (node.expression) list.append(make("dt", {}, w("cPython")), this.python(node.expression));
    return list;
  }

  /** The slots of a node, as they are at this step. @param {SceneNode} node */
  saved(node) {
    const { panel } = this, freed = panel.stage.moment.freed.get(node.id), stepping = panel.inPass && panel.trace;
    return node.saved.map(({ slot, text, state: last }) => {
      const state = freed?.has(slot) ? "freed" : stepping && last === "freed" ? "kept" : last;
      const said = state === "freed" || !text ? slot : `${slot} = ${text}`;
      return make("div", { class: `vl-slip ${state}` }, make("code", {}, said), make("span", {}, panel.w(state)));
    });
  }

  /** Python to reach the node, to be copied. @param {string} expression */
  python(expression) {
    const { w, say } = this.panel, { clipboard } = navigator; // none on a page that came over plain http
    const copy = button("copy", w("copy"), () => clipboard.writeText(expression).then(() => {
      copy.title = w("copied");
      copy.classList.add("vl-done");
      say(w("copied"));
    }));
    copy.setAttribute("aria-label", `${w("copy")}: ${expression}`);
    return make("dd", { class: "vl-copy" }, make("code", {}, expression), clipboard ? copy : null);
  }

  /** One for each number of a leaf that can be moved: a kernel is there to compute what that gives. @param {SceneNode} node */
  sliders(node) {
    const { panel, ranges } = this, { model, kernel, trace, lang } = panel;
    const own = panel.inPass && model.widget_manager && !kernel.gone ? [...(trace?.leaves?.[node.id] ?? [])] : [];
    return own.map((value, i) => {
      const key = `${node.id} ${i}`, [first, room] = ranges.get(key) ?? [value, Math.max(2, 2 * Math.abs(value))];
      ranges.set(key, [first, room]);
      const step = 10 ** Math.floor(Math.log10(room / 20)), told = make("output", {}, String(value));
      const label = own.length > 1 ? `${called(node, lang)} ${i}` : called(node, lang);
      const input = make("input", { type: "range", class: "vl-slider", min: first - room, max: first + room, step, "aria-label": label });
      input.value = String(value);
      input.addEventListener("input", () => {
        this.sliding = true;
        own[i] = Number(Number(input.value).toPrecision(4));
        told.textContent = String(own[i]);
        this.wanted = { ...this.wanted, [node.id]: [...own] };
        this.move();
      });
      input.addEventListener("change", () => { this.sliding = false; });
      return make("label", { class: "vl-move" }, input, told);
    });
  }

  /** Asks for what the moved leaves give; one question at a time, lest they pile up. */
  move() {
    if (!this.wanted || (this.tried && Date.now() - this.tried < PATIENCE)) return;
    this.tried = Date.now();
    this.panel.player.cut(true);
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
