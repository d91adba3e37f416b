// @ts-check
/* The line at the top: which picture is shown, how things stand, and what one can do with it. */

import { spark } from "./history.js";
import { button, icon, make } from "./parts.js";

export class Head {
  /** @param {Panel} panel */
  constructor(panel) {
    const { w, stage } = panel, [other, name, title] = panel.lang === "zh" ? ["en", "EN", "EN: switch to English"] : ["zh", "中", "切换到中文"];
    this.panel = panel;
    const tab = (/** @type {string} */ view) => {
      const onclick = () => panel.put({ view });
      return make("button", { type: "button", class: "vl-tab", title: w(`${view}Hint`), onclick }, w(view));
    };
    this.live = tab("live");
    this.pass = tab("pass");
    this.tabs = make("div", { class: "vl-tabs", role: "group", "aria-label": w("views") }, this.live, this.pass);
    this.tabs.hidden = panel.model.get("following") === null && !(panel.scene && panel.trace);
    this.status = make("span", { class: "vl-status" });
    this.loss = make("div", { class: "vl-loss", hidden: true });
    this.fold = button("fold", w("fold"), () => panel.ask({ type: "fold" }));
    const language = make("button", { type: "button", class: "vl-button vl-language", lang: other, title, "aria-label": title, onclick: () => panel.put({ language: other }) }, name);
    const docked = () => panel.root.closest(".minigrad-docked, .minigrad-dock");
    const dock = button("dock", w("dock"), () => { panel.shout(docked() ? "undock" : "dock"); }, "vl-dock");
    dock.hidden = !panel.model.get("ident") || !panel.shout("there?"); // a recorded pass stays in its cell
    const fit = button("fit", w("fit"), () => stage.zoom(0));
    const brand = make("div", { class: "vl-brand" }, icon("graph"), make("strong", { role: "heading", "aria-level": 2 }, w(panel.model.get("following") === null ? "titleSaved" : "title")));
    this.element = make("div", { class: "vl-head" }, brand, this.tabs, this.status, this.loss, this.fold, fit, language, dock);
  }

  /** How things stand, in a word; the state is told by a colour, too. */
  tellStatus() {
    const { panel, status } = this, { shown, inPass, kernel, w } = panel, following = panel.model.get("following");
    const { state } = kernel, old = kernel.isOld(inPass ? "trace" : "scene");
    const cell = shown?.cell ? w("inCell", { n: shown.cell }) : "", said = (/** @type {string} */ text) => (cell ? `${cell} · ${text}` : text);
    this.live.setAttribute("aria-pressed", String(!inPass));
    this.pass.setAttribute("aria-pressed", String(inPass));
    let told = ["following", said(w("following"))];
    if (following === null) told = ["saved", cell]; // a saved page follows nothing
    else if (old) told = ["old", `⚠ ${w("old")}`];
    else if (state === "unanswered") told = ["old", `⚠ ${w("unanswered")}`];
    else if (state) told = ["waiting", w("waitingKernel")];
    else if (following === false) told = ["stopped", `■ ${w("stopped")}`];
    else if (panel.scene?.busy && !inPass) told = ["busy", said(w("running"))];
    status.dataset.state = told[0];
    if (status.textContent !== told[1] && told[0] === "old") panel.say(told[1].slice(2));
    if (status.textContent !== told[1]) status.textContent = status.title = told[1];
    panel.root.classList.toggle("vl-old", old);
    this.fold.hidden = !(panel.unfolded || (following !== null && shown?.nodes.some((node) => node.kind === "folded")));
  }

  tellLoss() {
    const { model, lang, w } = this.panel, drawn = spark(model.get("losses") ?? [], "lossSay", lang);
    this.loss.hidden = !drawn;
    if (!drawn) return;
    this.loss.replaceChildren(drawn.picture, make("span", { class: "vl-dim" }, w("loss")), make("code", {}, drawn.last));
    this.loss.title = drawn.label;
  }
}
