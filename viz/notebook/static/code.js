// @ts-check
/* The cells that made the picture, line by line: what runs is lit, and what is pointed at. */

import { make } from "./parts.js";

export class Code {
  /** @param {Panel} panel */
  constructor(panel) {
    const { w } = panel;
    this.lines = make("div", { class: "vl-lines", role: "listbox", tabindex: "0", title: w("codeHint"), "aria-label": w("codeHint") });
    this.element = make("details", { class: "vl-code", open: true, hidden: true }, make("summary", { title: w("code") }, make("span", {}, w("code"))), this.lines);
    this.given = ""; // what is shown, as JSON
    /** @type {Map<string, any>} */
    this.rows = new Map();
    this.panel = panel;
    this.pointed = "";
    const at = (/** @type {any} */ e) => e.target.closest(".vl-line")?.getAttribute("data-at") ?? "";
    this.lines.addEventListener("pointerover", (/** @type {any} */ e) => this.point(at(e)));
    this.lines.addEventListener("pointerleave", () => this.point(""));
    this.lines.addEventListener("focusin", (/** @type {any} */ e) => this.point(at(e)));
    this.lines.addEventListener("focusout", (/** @type {FocusEvent} */ e) => { if (!this.lines.contains(/** @type {Node} */ (e.relatedTarget))) this.point(""); });
    this.lines.addEventListener("click", (/** @type {any} */ e) => this.open(at(e)));
    this.lines.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => { if (e.key === "Enter") this.open(this.pointed); });
    this.element.addEventListener("toggle", () => panel.fitRoom());
  }

  /** @param {Scene["code"]} cells @param {string} call where the pass was asked for */
  show(cells, call) {
    const given = JSON.stringify([cells, call]);
    if (given === this.given) return;
    this.given = given;
    this.element.hidden = !cells.length;
    this.rows = new Map(cells.flatMap(({ cell, lines }) => lines.map((text, i) => {
      const at = `${cell}:${i + 1}`, name = i ? "" : `In [${cell}]`;
      return /** @type {[string, any]} */ ([at, make("div", { class: `vl-line${at === call ? " vl-call-line" : ""}`, role: "option", tabindex: "-1", "data-at": at },
        make("span", { class: "vl-cell" }, name), make("span", { class: "vl-nr" }, String(i + 1)), make("code", {}, text))]);
    })));
    this.lines.replaceChildren(...this.rows.values());
    this.reveal(call || `${cells.at(-1)?.cell}:1`);
  }

  /** That line is the one that a step belongs to. @param {string} at */
  run(at) {
    this.mark("vl-running", at);
  }

  /** That line made the node that is pointed at. @param {string} at */
  light(at) {
    this.mark("vl-lit", at);
  }

  /** @param {string} name @param {string} at */
  mark(name, at) {
    this.lines.querySelectorAll(`.${name}`).forEach((/** @type {any} */ row) => row.classList.remove(name));
    this.rows.get(at)?.classList.add(name);
    this.reveal(at);
  }

  /** @param {string} at */
  point(at) {
    if (at === this.pointed) return;
    this.pointed = at;
    this.panel.stage.light(at ? this.panel.made(at) : null);
  }

  /** The card of what that line made. @param {string} at */
  open(at) {
    const [id] = this.panel.made(at);
    if (id) this.panel.card.open(id);
  }

  /** To the next line, with the keyboard. @param {number} by */
  step(by) {
    const all = [...this.rows.keys()], next = all[Math.min(Math.max(all.indexOf(this.pointed) + by, 0), all.length - 1)];
    this.rows.get(next)?.focus({ preventScroll: true });
    this.reveal(next);
  }

  /** Brings a line into view, without a move of the page. @param {string} at */
  reveal(at) {
    const row = this.rows.get(at), { lines } = this;
    if (!row) return;
    const top = row.offsetTop - lines.offsetTop, room = lines.clientHeight;
    if (top < lines.scrollTop || top + row.offsetHeight > lines.scrollTop + room) lines.scrollTop = top - (room - row.offsetHeight) / 2;
  }
}
