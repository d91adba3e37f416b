// @ts-check
/* Finding nodes by name: the field, and the way from one that was found to the next. */

import { icon, make } from "./parts.js";

/**
 * The nodes whose name, label or module holds the text, in graph order.
 * @param {SceneNode[]} nodes @param {string} text @returns {string[]}
 */
export function findNodes(nodes, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  return nodes.filter((n) => [n.label, n.module, ...n.names].some((t) => t && t.toLowerCase().includes(wanted))).map((n) => n.id);
}

export class Find {
  /** @param {Panel} panel */
  constructor(panel) {
    const { w } = panel;
    this.panel = panel;
    /** @type {string[]} */
    this.hits = [];
    this.hit = -1;
    this.field = make("input", { type: "search", class: "vl-input", autocomplete: "off", spellcheck: "false", placeholder: w("search"), title: w("searchHint"), "aria-label": w("searchHint") });
    this.found = make("output", { class: "vl-found" });
    this.element = make("label", { class: "vl-search" }, icon("search"), this.field, this.found);
    this.field.addEventListener("input", () => {
      this.look();
      this.next(1);
    });
    this.field.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
      if (e.key === "Enter") this.next(e.shiftKey ? -1 : 1);
    });
  }

  /** Marks what is found in what is shown now. */
  look() {
    const { panel, field, found } = this, asked = Boolean(field.value.trim());
    this.hits = findNodes(panel.shown?.nodes ?? [], field.value);
    this.hit = -1;
    panel.stage.mark(asked ? new Set(this.hits) : null);
    found.textContent = asked ? String(this.hits.length) : "";
  }

  /** @param {number} by */
  next(by) {
    const { hits, panel } = this;
    if (!hits.length) return;
    this.hit = (this.hit + by + hits.length) % hits.length;
    this.found.textContent = `${this.hit + 1}/${hits.length}`;
    panel.stage.visit(hits[this.hit]);
    panel.card.open(hits[this.hit]);
  }

  /** Whether there was anything to clear. */
  clear() {
    const asked = Boolean(this.field.value);
    this.field.value = "";
    this.look();
    return asked;
  }
}
