// @ts-check
/* The line at the top: which picture is shown, how things stand, and what one can do with it. */

import { spark } from "./history.js";
import { button, icon, make } from "./parts.js";
import { Saving } from "./save.js";

export class Head {
  /** @param {Panel} panel */
  constructor(panel) {
    const { w, lang, stage } = panel;
    this.panel = panel;
    this.fresh = make("span", { class: "vl-new", hidden: true }, "●"); // a pass has come that was not looked at
    const tab = (/** @type {string} */ view, /** @type {string} */ hint, /** @type {Node[]} */ ...more) => {
      const element = make("button", { type: "button", class: "vl-tab", title: w(hint) }, make("span", {}, w(view)), ...more);
      element.addEventListener("click", () => panel.put({ view }));
      return element;
    };
    this.live = tab("live", "liveHint");
    this.pass = tab("pass", "passHint", this.fresh);
    this.tabs = make("div", { class: "vl-tabs", role: "group", "aria-label": w("views") }, this.live, this.pass);
    this.tabs.hidden = panel.model.get("following") === null && !(panel.scene && panel.trace);
    this.status = make("span", { class: "vl-status" });
    this.loss = make("div", { class: "vl-loss", hidden: true });
    this.fold = button("fold", w("fold"), () => panel.ask({ type: "fold" }));
    this.saving = new Saving(panel);
    this.dock = button("dock", w("dock"), () => panel.dock(), "vl-dock");
    this.dock.hidden = !panel.shout("there?");
    this.element = make("div", { class: "vl-head" },
      make("div", { class: "vl-brand" }, icon("graph"), make("strong", {}, w("title"))),
      this.tabs, this.status, make("span", { class: "vl-space" }), this.loss, panel.find.element,
      make("div", { class: "vl-tools", role: "group", "aria-label": w("tools") },
        button("minus", w("zoomOut"), () => stage.zoom(0.8)),
        button("fit", w("fit"), () => stage.fit()),
        button("plus", w("zoomIn"), () => stage.zoom(1.25)),
        this.fold, this.saving.element, this.language(lang)),
      this.dock);
  }

  /** The button that leads to the other language. @param {Lang} lang */
  language(lang) {
    const other = lang === "zh" ? "en" : "zh", title = lang === "zh" ? "Switch to English" : "切换到中文";
    const name = (/** @type {Lang} */ of, /** @type {string} */ text) => make("span", { class: of === lang ? "on" : "" }, text);
    const element = make("button", { type: "button", class: "vl-button vl-language", title, "aria-label": title }, name("zh", "中"), "/", name("en", "EN"));
    element.addEventListener("click", () => this.panel.put({ language: other }));
    return element;
  }

  tellTabs() {
    const { inPass } = this.panel;
    this.live.setAttribute("aria-pressed", String(!inPass));
    this.pass.setAttribute("aria-pressed", String(inPass));
    if (inPass) this.fresh.hidden = true;
  }

  /** How things stand, in a word. */
  tellStatus() {
    const { panel, status } = this, { shown, kernel, w } = panel, following = panel.model.get("following");
    const cell = shown?.cell ? w("inCell", { n: shown.cell }) : "", old = panel.old, trouble = kernel.trouble(old);
    const said = (/** @type {string[]} */ ...words) => words.filter(Boolean).join(" · ");
    /** @type {[string, string]} */
    let [state, text] = ["following", said(w("following"), cell)];
    if (following === null) [state, text] = ["saved", cell]; // a saved page follows nothing
    else if (trouble) [state, text] = [trouble[0], (trouble[0] === "old" ? "⚠ " : "") + w(trouble[1])];
    else if (following === false) [state, text] = ["stopped", `■ ${w("stopped")}`];
    else if (panel.scene?.busy && !panel.inPass) [state, text] = ["busy", said(cell, w("running"))];
    status.dataset.state = state;
    if (status.textContent !== text) status.textContent = status.title = text;
    panel.root.classList.toggle("vl-old", old);
    this.fold.hidden = !(panel.unfolded || shown?.nodes.some((node) => node.kind === "folded"));
  }

  tellLoss() {
    const { model, lang, w } = this.panel, drawn = spark(model.get("losses") ?? [], "lossSay", lang);
    this.loss.hidden = !drawn;
    if (!drawn) return;
    this.loss.replaceChildren(drawn.picture, make("span", { class: "vl-dim" }, w("loss")), make("code", {}, drawn.last));
    this.loss.title = drawn.label;
  }
}
