// @ts-check
/* What can be saved: a picture, a page that still plays. */

import { icon, make } from "./parts.js";
import PAGE from "../../page.json" with { type: "json" };

const KEYS = ["scene", "trace", "losses", "step", "view", "language", "speed", "height"];

/**
 * A model without a kernel: for the saved page, and for tests.
 * @param {Record<string, any>} state @returns {Model & { sent: any[], tell(event: string, ...said: any[]): void }}
 */
export function standIn(state) {
  const data = { ...state };
  /** @type {Map<string, Set<(...args: any[]) => void>>} */
  const listeners = new Map();
  /** @type {any[]} */
  const sent = [];
  /** @param {string} event @param {any[]} said */
  const tell = (event, ...said) => { for (const callback of [...(listeners.get(event) ?? [])]) callback(...said); };
  return {
    sent,
    get: (key) => data[key],
    set(key, value) {
      if (Object.is(data[key], value)) return;
      data[key] = value;
      tell(`change:${key}`);
    },
    tell,
    save_changes() {},
    send: (content) => { sent.push(content); },
    on(event, callback) {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event)?.add(callback);
    },
    off: (event, callback) => { listeners.get(event)?.delete(callback); },
  };
}

/**
 * A page that shows the panel as it is and still plays the pass; it asks the network for nothing.
 * @param {Model} model @param {string} title @param {Lang} lang @returns {string}
 */
export function page(model, title, lang) {
  const inside = (/** @type {string} */ text, /** @type {string} */ tag) => text.replace(new RegExp(`</(?=${tag})`, "gi"), "<\\/");
  const code = String(model.get("_esm")).replace(/^export default \{ render \};$/m, "globalThis.vizLive = { render, standIn };").replace(/^export (?=async|function|const|class)/gm, "");
  const state = Object.fromEntries(KEYS.map((key) => [key, model.get(key)]));
  const json = JSON.stringify({ ...state, following: null, alone: true }).replace(/</g, "\\u003c");
  const safe = title.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const fill = (/** @type {string[]} */ part, /** @type {Record<string, string>} */ values) => part.join("\n").replace(/@(\w+)@/g, (_, name) => values[name]);
  const parts = { key: "viz-page", instead: "", state: json, look: inside(String(model.get("_css")), "style"), code: inside(code, "script") };
  return fill(PAGE.page, { lang, title: safe, piece: fill(PAGE.piece, parts) });
}

/** @param {string} name @param {string | Blob} content @param {string} [type] */
function download(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** @param {string} source @param {number} width @param {number} height @returns {Promise<Blob>} */
async function toPng(source, width, height) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(source);
  await image.decode();
  const scale = Math.min(2, 16_000 / Math.max(width, height)); // browsers refuse larger ones
  const canvas = make("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((/** @type {Blob | null} */ blob) => (blob ? resolve(blob) : reject(new Error("PNG")))));
}

/** The button that opens into what can be saved. */
export class Saving {
  /** @param {Panel} panel */
  constructor(panel) {
    const { w } = panel, button = make("summary", { class: "vl-button", title: w("save"), "aria-label": w("save") }, icon("save"));
    this.panel = panel;
    const items = [["saveSvg", "svg"], ["savePng", "png"], ["saveHtml", "html"]].map(([key, kind]) => {
      const item = make("button", { type: "button", class: "vl-item" }, w(key));
      item.addEventListener("click", () => {
        this.close();
        this.save(kind);
      });
      return item;
    });
    this.element = make("details", { class: "vl-holder" }, button, make("div", { class: "vl-menu" }, ...items));
    this.element.addEventListener("focusout", (/** @type {FocusEvent} */ e) => {
      if (e.relatedTarget && !this.element.contains(e.relatedTarget)) this.element.open = false;
    });
  }

  /** Closes it; whether it was open. */
  close() {
    const { open } = this.element;
    this.element.open = false;
    if (open) this.element.firstElementChild.focus();
    return open;
  }

  /** @param {string} kind */
  async save(kind) {
    const { stage, model, w, lang, shown } = this.panel;
    if (kind === "html") return download("graph.html", page(model, w("title"), lang), "text/html;charset=utf-8");
    if (!shown || !stage.svg) return;
    const source = stage.source(), { width, height } = stage.scene;
    if (kind === "svg") download("graph.svg", source, "image/svg+xml");
    else download("graph.png", await toPng(source, width, height));
  }
}
