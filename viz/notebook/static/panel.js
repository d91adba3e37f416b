// @ts-check
/* The panel in one language: its parts, and what is shown in them. */

import { Card } from "./card.js";
import { Code } from "./code.js";
import { lineOfStep, sentence, told } from "./explain.js";
import { Find } from "./find.js";
import { Head } from "./head.js";
import { DEAF, listen } from "./keys.js";
import { momentAt, NOTHING } from "./moment.js";
import { called, lineOf } from "./names.js";
import { icon, make } from "./parts.js";
import { Player } from "./player.js";
import { Stage } from "./stage.js";
import { word } from "./words.js";

const BESIDE = 760, SIDE = 250; // pixels: as wide a panel has its text beside the picture, and so wide is that
const SHARE = 0.7; // of the window: as high may a picture be

export class Panel {
  /** @param {Model} model @param {HTMLElement} el @param {Lang} lang @param {Kernel} kernel @param {Past} past */
  constructor(model, el, lang, kernel, past) {
    this.model = model;
    this.el = el;
    this.lang = lang;
    this.kernel = kernel;
    this.past = past;
    this.unfolded = false; // the reader has opened a group
    this.setting = false; // a change of the model that comes from here
    this.w = (/** @type {string} */ key, /** @type {Record<string, any>} */ values = {}) => word(key, lang, values);
    this.stage = new Stage(this);
    this.code = new Code(this);
    this.card = new Card(this);
    this.find = new Find(this);
    this.player = new Player(this);
    this.head = new Head(this);
    this.message = make("div", { class: "vl-message", hidden: true });
    this.note = make("div", { class: "vl-note", hidden: true });
    this.earlier = make("button", { type: "button", class: "vl-earlier", hidden: true });
    this.earlier.addEventListener("click", () => this.ask({ type: "earlier" }));
    this.stage.below = make("div", { class: "vl-below" }, this.note, this.earlier);
    this.stage.element.append(this.message, this.stage.below);
    this.steps = make("section", { class: "vl-steps", hidden: true });
    this.side = make("div", { class: "vl-side" }, this.card.element, this.steps);
    this.body = make("div", { class: "vl-body" }, this.stage.element, this.side);
    this.spoken = make("div", { class: "vl-unseen", role: "status", "aria-live": "polite" });
    this.say = (/** @type {string} */ text) => { if (this.spoken.textContent !== text) this.spoken.textContent = text; };
    this.root = make("div", { class: "viz-live", role: "region", tabindex: "0", [DEAF]: "true", lang: lang === "zh" ? "zh-CN" : "en", "aria-label": this.w("title"), "aria-description": this.w("keys") },
      this.head.element, this.code.element, this.body, this.player.element, this.spoken);
    this.root.addEventListener("pointerdown", (/** @type {any} */ e) => { if (!e.target.closest(".vl-play")) this.player.cut(true); }, true);
    this.root.addEventListener("wheel", () => this.player.cut(true), { capture: true, passive: true });
    listen(this);
    this.changes = Object.entries(this.heard()).map(([key, change]) => /** @type {[string, () => void]} */ ([`change:${key}`, () => this.safely(change)]));
    for (const [event, act] of this.changes) model.on(event, act);
    kernel.tell = () => this.head.tellStatus();
    el.append(this.root);
    this.stage.measure();
    this.head.tellTabs();
    this.head.tellLoss();
    this.safely(() => this.show());
    this.sizer = typeof ResizeObserver === "function" ? new ResizeObserver(() => this.fitRoom()) : null;
    this.sizer?.observe(this.root);
  }

  get trace() {
    return /** @type {Trace | null} */ (this.model.get("trace") ?? null);
  }

  get scene() {
    return /** @type {Scene | null} */ (this.model.get("scene") ?? null);
  }

  get inPass() {
    return this.model.get("view") === "pass";
  }

  get shown() {
    return this.inPass ? (this.trace?.scene ?? null) : this.scene;
  }

  /** What is shown is from a kernel that is no longer there. */
  get old() {
    return this.kernel.isOld(this.inPass ? "trace" : "scene");
  }

  /** Says that it is here, to what may put it beside the notebook; and plays what has come. */
  start() {
    if (this.model.get("ident")) this.shout("shown");
    if (this.model.get("following") !== null || !this.trace || typeof IntersectionObserver !== "function") return;
    const eye = this.eye = new IntersectionObserver(([seen]) => { // a saved pass plays when it is seen
      if (!seen.isIntersecting) return;
      eye.disconnect();
      this.safely(() => this.player.roll());
    });
    eye.observe(this.root);
    for (const touch of ["pointerdown", "keydown"]) this.root.addEventListener(touch, () => eye.disconnect(), true); // it is theirs now
  }

  /** Tells the extension that can put the panel beside its notebook; whether it is there. @param {string} what */
  shout(what) {
    const detail = { what, model: this.model.get("ident"), el: this.el, auto: Boolean(this.model.get("docks")) };
    return !document.dispatchEvent(new CustomEvent("minigrad-dock", { cancelable: true, detail }));
  }

  dock() {
    this.shout(this.root.closest(".minigrad-docked, .minigrad-dock") ? "undock" : "dock");
  }

  /** @param {Record<string, any>} changes */
  put(changes) {
    this.setting = true;
    try {
      for (const [key, value] of Object.entries(changes)) this.model.set(key, value);
    } finally {
      this.setting = false;
    }
    // At once: ipywidgets keeps back what the kernel cannot take yet, and knows by that which echoes are out of date.
    try { this.model.save_changes(); } catch { /* the kernel is gone; the panel goes on */ }
  }

  /** Asks the kernel for another scene. @param {any} content */
  ask(content) {
    this.unfolded = content.type === "unfold";
    this.kernel.ask(content);
  }

  /** What the kernel, or another view of this model, changes. @returns {Record<string, () => void>} */
  heard() {
    const { player, head } = this;
    return {
      scene: () => this.grown(),
      trace: () => this.came(),
      losses: () => head.tellLoss(),
      step: () => {
        if (!this.setting) player.pause(false); // another view has taken over
        if (this.inPass && this.stage.svg) this.showStep();
        else player.tell();
      },
      view: () => {
        if (!this.inPass) player.pause(false);
        head.tellTabs();
        this.show();
      },
      speed: () => player.tellSpeed(),
      following: () => head.tellStatus(),
      kernel: () => head.tellStatus(),
      height: () => this.fitRoom(),
    };
  }

  /** A scene has come: it is shown, and what is new in it is said. */
  grown() {
    const before = new Set(this.stage.nodes.keys()), now = this.scene, { lang, w } = this;
    this.kernel.answered("scene");
    this.past.remember(now);
    if (this.inPass) return;
    this.show();
    if (!now || now.busy || !Array.isArray(now.nodes)) return;
    const fresh = now.nodes.filter((node) => !before.has(node.id) && node.kind !== "accumulate").map((node) => called(node, lang));
    const said = [w("sceneSay", { n: now.nodes.length })];
    if (before.size && fresh.length) said.push(w("newSay", { n: fresh.slice(0, 6).join(", ") }));
    this.say([...said, ...this.moves(now)].join(lang === "zh" ? "" : " "));
  }

  /** A pass has come: it plays, if it is not the same with a leaf moved. */
  came() {
    const { player, trace } = this;
    this.kernel.answered("trace");
    player.pause(false);
    if (this.card.came()) {
      this.past.remember(trace?.scene);
      queueMicrotask(() => this.safely(() => player.roll())); // the view and the step come with it
    }
    if (this.inPass) return this.show();
    player.tell();
    this.head.fresh.hidden = !trace;
    if (trace && !this.scene?.busy && Array.isArray(trace.steps)) this.say(this.w("passSay", { n: trace.steps.length }));
  }

  /** A notebook that somebody saved may hold anything: what cannot be read is said in one line. @param {() => void} act */
  safely(act) {
    try {
      act();
    } catch (error) {
      this.stage.show(null);
      this.say("");
      this.tell(this.w("badData", { n: String(error) }));
      this.side.hidden = this.player.element.hidden = true;
      this.player.pause();
    }
  }

  show() {
    const { shown, inPass, w, stage } = this;
    stage.show(shown, !inPass);
    this.code.show(shown?.code ?? [], inPass ? lineOf(this.trace?.line ?? "") : "");
    this.fitRoom();
    this.message.hidden = Boolean(stage.svg);
    if (shown && !stage.svg) this.tell(shown.note?.[this.lang] || w("empty"));
    else if (!shown && inPass) this.tell(w("noPass"), w("noPassHint"), "loss.backward()");
    else if (!shown) this.tell(w("empty"), w("emptyHint"), "w = torch.tensor(2., requires_grad=True)");
    else if (!inPass) stage.showMoved();
    this.find.look();
    this.tellNote();
    this.head.tellStatus();
    this.showStep();
  }

  /** In place of a picture. @param {string} headline @param {string} [hint] @param {string} [code] */
  tell(headline, hint, code) {
    this.message.hidden = false;
    this.message.replaceChildren(icon("graph"), make("strong", {}, headline), ...(hint ? [make("span", {}, hint)] : []), ...(code ? [make("code", {}, code)] : []));
  }

  showStep() {
    const { stage, player, lang } = this, trace = this.inPass && stage.svg ? this.trace : null;
    stage.paint(trace ? momentAt(trace, player.at) : NOTHING, trace !== null);
    this.code.run(trace ? lineOfStep(trace, player.at) : "");
    this.steps.hidden = !trace;
    this.steps.replaceChildren(...(trace ? told(trace, player.at, lang) : []));
    this.card.show();
    player.tell();
    this.announce();
  }

  /** The text beside the picture has room only where there is some. */
  tellSide() {
    const bare = this.card.element.hidden && this.steps.hidden;
    if (this.side.hidden === bare) return;
    this.side.hidden = bare;
    this.fitRoom();
  }

  /** Reads the step to whoever listens. */
  announce() {
    const { trace, player } = this;
    if (trace && this.inPass && this.stage.svg && !player.fast) this.say(sentence(trace, player.at, this.lang));
  }

  /** The names that stand for another tensor now, in words. @param {Scene | null} scene */
  moves(scene) {
    return (scene?.moved ?? []).map(({ name }) => this.w("moved", { n: name }));
  }

  /** What is said below the picture: a note, names that have moved, results of before. */
  tellNote() {
    const { shown, w, lang } = this, { names, open } = shown?.earlier ?? { names: [], open: false }, n = names.length;
    const said = this.inPass ? [] : this.moves(shown);
    if (shown?.note?.[lang] && this.stage.svg) said.push(shown.note[lang]);
    this.note.hidden = !said.length;
    this.note.replaceChildren(...said.map((text) => make("p", {}, text)));
    this.earlier.hidden = !n;
    const some = names.slice(0, 4).join(", ") + (n > 4 ? ", …" : "");
    this.earlier.textContent = `${open ? "▾" : "▸"} ${w(open ? "foldEarlier" : "earlier", { n })}${lang === "zh" ? "：" : ": "}${some}`;
    this.earlier.setAttribute("aria-expanded", String(open));
    this.fitRoom();
  }

  /** The nodes that a line of the notebook made. @param {string} at */
  made(at) {
    return at ? [...this.stage.nodes.values()].filter(({ node }) => lineOf(node.source) === at).map(({ node }) => node.id) : [];
  }

  /** The largest picture that there is room for: its width beside the text, and its height. */
  most() {
    const { root, model } = this, wide = root.clientWidth, page = model.get("alone"), docked = root.closest(".minigrad-dock");
    const around = this.head.element.offsetHeight + this.code.element.offsetHeight + this.player.element.offsetHeight;
    let high = Number(model.get("height")) || SHARE * window.innerHeight;
    if (docked) high = root.clientHeight - around - (wide < BESIDE ? 170 : 0);
    else if (page) high = Math.max(high, window.innerHeight - 2 * root.offsetTop - around - 4);
    return [wide >= BESIDE ? wide - SIDE : wide, Math.max(high, 160)];
  }

  /** The panel is as high as what it shows, and no higher than there is room for. */
  fitRoom() {
    const { stage, shown } = this, fixed = Number(this.model.get("height")) || 0;
    if (shown && stage.svg) stage.show(shown, false);
    const text = this.steps.hidden || this.root.clientWidth < BESIDE ? 0 : 300;
    const own = Math.min(Math.ceil(Math.max(stage.tall, text)), this.most()[1]);
    this.body.style.setProperty("--high", stage.svg ? `${Math.round(fixed || Math.max(160, own))}px` : "64px");
    stage.measure();
    if (!stage.moved) stage.read();
  }

  close() {
    this.player.pause(false);
    for (const [event, act] of this.changes) this.model.off(event, act);
    this.sizer?.disconnect();
    this.eye?.disconnect();
    this.stage.motion.rest();
    this.root.remove();
  }
}
