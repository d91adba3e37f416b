// @ts-check
/*
 * The live graph panel, in the browser: anywidget calls `render`. It shows what `live.schema.json` describes: the graph
 * as it is now, or a recorded backward pass, which is played here, forward and back, without asking the kernel.
 *
 * viz/browser.py joins this file and those that it imports into the one that a notebook gets. Every text from the kernel
 * is a learner's and reaches the page as text only, but for a scene's `svg`, in which viz/picture/svg.py has escaped everything.
 */

import { Past } from "./history.js";
import { Kernel } from "./kernel.js";
import { Panel } from "./panel.js";
import { pickLanguage } from "./words.js";

/**
 * The panel in `el`, made anew where its language changes. Returns what takes it away again.
 * @param {{ model: Model, el: HTMLElement }} context @returns {() => void}
 */
function render({ model, el }) {
  const kernel = new Kernel(model), past = new Past();
  const make = () => {
    const lang = pickLanguage(model.get("language"), document.documentElement.lang, navigator.language);
    return new Panel(model, el, lang, kernel, past);
  };
  let panel = make();
  panel.start();
  const again = () => {
    const held = el.contains(document.activeElement);
    panel.close();
    panel = make();
    if (held) panel.head.element.querySelector(".vl-language").focus({ preventScroll: true });
  };
  model.on("change:language", again);
  return () => {
    model.off("change:language", again);
    kernel.close();
    panel.close();
  };
}

/** A model without a kernel: for a saved page, and for tests. @param {Record<string, any>} state @returns {Model & { sent: any[], tell(event: string, ...said: any[]): void }} */
export function standIn(state) {
  const data = { ...state };
  /** @type {[string, (...said: any[]) => void][]} */
  let listeners = [];
  /** @type {any[]} */
  const sent = [];
  const tell = (/** @type {string} */ event, /** @type {any[]} */ ...said) => {
    for (const [name, hear] of listeners) if (name === event) hear(...said);
  };
  return {
    sent,
    tell,
    get: (key) => data[key],
    set(key, value) {
      if (Object.is(data[key], value)) return;
      data[key] = value;
      tell(`change:${key}`);
    },
    save_changes() {},
    send(content) {
      sent.push(content);
      const told = content.type === "fold" ? state : (data.opened?.[content.id] ?? {}); // of a page: what its groups hold
      for (const key of ["scene", "trace"]) if (told[key]) this.set(key, told[key]);
    },
    on: (event, hear) => { listeners = [...listeners, [event, hear]]; },
    off: (event, hear) => { listeners = listeners.filter(([name, own]) => name !== event || own !== hear); },
  };
}

export default { render };
