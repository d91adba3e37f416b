// @ts-check
/* The cells that made the picture, line by line: what runs is lit, and what is pointed at. */

import { lineOf } from "./names.js";
import { bring, make } from "./parts.js";

export class Code {
  /** @param {Panel} panel */
  constructor(panel) {
    const { w } = panel;
    const at = (/** @type {any} */ e) => e.target.closest(".vl-line")?.getAttribute("data-at") ?? "";
    const point = (/** @type {any} */ e) => this.point(at(e)), leave = () => this.point("");
    this.lines = make("div", {
      class: "vl-lines", role: "listbox", tabindex: "0", title: w("codeHint"), "aria-label": w("codeHint"),
      onpointerover: point, onpointerleave: leave, onfocusin: (/** @type {any} */ e) => { point(e); this.lines.tabIndex = at(e) ? -1 : 0; }, onfocusout: () => { leave(); this.lines.tabIndex = 0; }, onclick: () => this.open(),
    });
    this.element = make("details", { class: "vl-code", open: true, hidden: true, ontoggle: () => panel.fitRoom() },
      make("summary", { title: w("code") }, make("span", {}, w("code"))), this.lines);
    this.given = ""; // what is shown, as JSON
    /** @type {Map<string, any>} */
    this.rows = new Map();
    this.panel = panel;
    this.pointed = "";
  }

  /** From the line that asked for the pass, or the last one that made what is shown. @param {Scene | null} scene @param {string} call */
  show(scene, call) {
    const cells = scene?.code ?? [], made = new Set(scene?.nodes.map((node) => lineOf(node.source))), given = JSON.stringify([cells, call]);
    if (given === this.given) return;
    this.given = given;
    this.element.hidden = !cells.length;
    this.rows = new Map(cells.flatMap(({ cell, lines }) => lines.map((text, i) => {
      const at = `${cell}:${i + 1}`, name = i ? "" : `In [${cell}]`;
      return /** @type {[string, any]} */ ([at, make("div", { class: `vl-line${at === call ? " vl-call-line" : ""}`, role: "option", tabindex: "-1", "data-at": at },
        make("span", { class: "vl-cell" }, name), make("span", { class: "vl-nr" }, String(i + 1)), make("code", {}, text))]);
    })));
    this.lines.replaceChildren(...this.rows.values());
    this.reveal([...this.rows.keys()].filter((at) => (this.rows.has(call) ? at === call : made.has(at))).at(-1) ?? `${cells.at(-1)?.cell}:1`);
  }

  /** That line belongs to the step (`vl-running`), or made the node that is pointed at (`vl-lit`). @param {"vl-running" | "vl-lit"} how @param {string} at */
  mark(how, at) {
    this.lines.querySelector(`.${how}`)?.classList.remove(how);
    this.rows.get(at)?.classList.add(how);
    this.reveal(at);
  }

  /** The card of what the line made that is pointed at. */
  open() {
    const { card } = this.panel;
    card.open(this.made()[0] ?? card.opened);
  }

  /** The nodes that the line made that is pointed at. */
  made() {
    const { pointed, panel: { stage } } = this;
    return [...stage.nodes.values()].filter(({ node }) => pointed && lineOf(node.source) === pointed).map(({ node }) => node.id);
  }

  /** What that line made stands out. @param {string} at */
  point(at) {
    if (at === this.pointed) return;
    this.pointed = at;
    this.panel.stage.light(this.made());
  }

  /** To the next line, with the keyboard. @param {number} by */
  step(by) {
    const row = this.rows.get(this.pointed), next = row ? row[by > 0 ? "nextSibling" : "previousSibling"] : this.lines.firstChild;
    next?.focus({ preventScroll: true });
    this.reveal(this.pointed);
  }

  /** @param {string} at */
  reveal(at) {
    const row = this.rows.get(at), half = row ? row.offsetHeight / 2 : 0;
    if (row) bring(this.lines, 0, row.offsetTop - this.lines.offsetTop + half, 0, half);
  }
}
