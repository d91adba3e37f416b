// @ts-check
/* The panel in one language: its parts, and what is shown in them. */

import { Card } from "./card.js";
import { Code } from "./code.js";
import { lineOfStep, sentence, told } from "./explain.js";
import { Head } from "./head.js";
import { listen } from "./keys.js";
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
    this.asked = ""; // for what: the group to be opened
    this.w = (/** @type {string} */ key, /** @type {Record<string, any>} */ values = {}) => word(key, lang, values);
    this.stage = new Stage(this);
    this.code = new Code(this);
    this.card = new Card(this);
    this.player = new Player(this);
    this.head = new Head(this);
    this.message = make("div", { class: "vl-message", hidden: true });
    this.note = make("div", { class: "vl-note", hidden: true });
    this.earlier = make("button", { type: "button", class: "vl-earlier", hidden: true, onclick: () => this.ask({ type: "earlier" }) });
    this.steps = make("section", { class: "vl-steps", hidden: true });
    this.body = make("div", { class: "vl-body" },
      make("div", { class: "vl-main" }, this.stage.element, this.message, this.note, this.earlier),
      make("div", { class: "vl-side" }, this.card.element, this.steps));
    this.spoken = make("div", { class: "vl-unseen", role: "status", "aria-live": "polite" });
    const touched = (/** @type {any} */ e) => { if (!e.target.closest(".vl-play")) this.player.pause(); };
    this.root = make("div", {
      class: `viz-live${model.get("alone") ? " vl-alone" : ""}${model.get("ident") ? " vl-docks" : ""}`, role: "region", tabindex: "0", "data-lm-suppress-shortcuts": "true",
      lang: lang === "zh" ? "zh-CN" : "en", "aria-label": this.w(model.get("following") === null ? "titleSaved" : "title"), "aria-description": this.w("keys"),
      onpointerdown: touched, onwheel: touched,
    }, this.head.element, this.code.element, this.body, this.player.element, this.spoken);
    listen(this);
    this.changes = Object.entries(this.heard()).map(([key, change]) => /** @type {[string, () => void]} */ ([`change:${key}`, () => this.safely(change)]));
    for (const [event, act] of this.changes) model.on(event, act);
    kernel.tell = () => this.head.tellStatus();
    el.append(this.root);
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

  /** The pass whose picture is shown. */
  get played() {
    return this.inPass && this.stage.svg ? this.trace : null;
  }

  /** Says that it is here, to what may put it beside the notebook; and plays a saved pass, when it is seen. */
  start() {
    if (this.model.get("ident")) this.shout("shown");
    if (this.model.get("following") !== null || !this.trace || typeof IntersectionObserver !== "function") return;
    const eye = new IntersectionObserver(([seen]) => {
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

  /** @param {Record<string, any>} changes */
  put(changes) {
    for (const [key, value] of Object.entries(changes)) this.model.set(key, value);
    // At once: ipywidgets keeps back what the kernel cannot take yet, and knows by that which echoes are out of date.
    try { this.model.save_changes(); } catch { /* the kernel is gone; the panel goes on */ }
  }

  /** Asks the kernel for another scene. @param {any} content */
  ask(content) {
    this.unfolded = content.type === "unfold" || (this.unfolded && content.type !== "fold");
    this.asked = content.id ?? content.type;
    this.safely(() => this.kernel.ask(content)); // the button that asked may be gone with it
  }

  /** Opens a group; anywhere else, closes those that have been opened. @param {string | null} id */
  openGroup(id) {
    if (this.stage.nodes.get(id ?? "")?.node.kind === "folded") this.ask({ type: "unfold", id });
    else if (this.unfolded) this.ask({ type: "fold" });
  }

  /** What the kernel, or another view of this model, changes. @returns {Record<string, () => void>} */
  heard() {
    const { player, head } = this;
    return {
      scene: () => this.grown(),
      trace: () => this.came(),
      losses: () => head.tellLoss(),
      step: () => {
        player.pause(false); // another view has taken over
        if (this.played) this.showStep();
        else player.tell();
      },
      view: () => {
        if (!this.inPass) player.pause(false);
        this.show();
      },
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
    queueMicrotask(() => { this.asked = ""; }); // a pass that answers, too, has come by then
    if (this.inPass) return this.tellNote();
    this.show();
    if (!now || now.busy || !Array.isArray(now.nodes)) return;
    const fresh = now.nodes.filter((node) => !before.has(node.id) && node.kind !== "accumulate" && node.label !== "None").map((node) => called(node, lang));
    const said = [w("sceneSay", { n: now.nodes.length })];
    if (before.size && fresh.length) said.push(w("newSay", { n: fresh.slice(0, 6).join(lang === "zh" ? "、" : ", ") }));
    for (const n of [now.folded?.[lang], now.note?.[lang], ...this.moves(now)]) if (n) said.push(/[.。?？]$/.test(n) ? n : w("sentenceEnd", { n }));
    this.say(said.join(lang === "zh" ? "" : " "));
  }

  /** A pass has come: it plays, if it is not the same with a leaf moved, or a group opened. */
  came() {
    const { player, trace } = this;
    this.kernel.answered("trace");
    player.pause(false);
    if (this.card.came() && !this.asked) {
      this.past.remember(trace?.scene);
      queueMicrotask(() => this.safely(() => player.roll())); // the view and the step come with it
    }
    if (this.inPass) this.show();
    else player.tell();
  }

  /** A notebook that somebody saved may hold anything: what cannot be read is said in one line. @param {() => void} act */
  safely(act) {
    const { root } = this, held = root.contains(document.activeElement);
    try {
      act();
    } catch (error) {
      this.stage.show(null);
      this.tell(this.w("badData", { n: String(error) }));
      this.steps.hidden = this.card.element.hidden = this.player.element.hidden = true;
      this.player.pause(false);
    }
    // What had the keyboard may be gone: the next key is meant for the panel still, and not for the notebook.
    if (held && !root.querySelector(":focus:not(:disabled, [hidden], [hidden] *)") && document.activeElement !== root) root.focus({ preventScroll: true });
  }

  show() {
    const { shown, inPass, w, stage, lang } = this;
    const { asked } = this, came = stage.show(shown, !inPass) ?? [];
    // in a page another group closes when one is opened, and comes, too
    const seen = came.find((id) => stage.nodes.get(id)?.node.kind !== "folded" || id.startsWith(`${asked}.`)) ?? came[0];
    this.asked = "";
    this.code.show(shown, inPass ? lineOf(this.trace?.line ?? "") : "");
    this.message.hidden = Boolean(stage.svg);
    if (stage.svg) stage.showMoved(inPass ? [] : shown?.moved);
    else if (shown?.note?.[lang]) this.tell(shown.note[lang]);
    else if (inPass && !shown) this.tell(w("noPass"), w("noPassHint"), "loss.backward()");
    else this.tell(w("empty"), w("emptyHint"), "w = torch.tensor(2., requires_grad=True)");
    this.tellNote();
    this.head.tellStatus();
    this.showStep();
    this.fitRoom(asked ? seen : undefined);
  }

  /** In place of a picture. @param {string} headline @param {string} [hint] @param {string} [code] */
  tell(headline, hint, code) {
    this.message.hidden = false;
    const more = [hint && make("span", {}, hint), code && make("code", {}, code)].filter((part) => part);
    this.message.replaceChildren(icon("graph"), make("strong", {}, headline), ...more);
    this.say(hint ? `${headline}${this.lang === "zh" ? "。" : ". "}${hint} ${code}` : headline);
  }

  showStep() {
    const { stage, player, lang, played } = this;
    stage.paint(played ? momentAt(played, player.at) : NOTHING, played !== null);
    this.code.mark("vl-running", played ? lineOfStep(played, player.at) : "");
    this.steps.hidden = !played;
    this.steps.replaceChildren(...(played ? told(played, player.at, lang) : []));
    this.card.show();
    player.tell();
    if (!player.looped) this.announce();
  }

  /** Reads the step to whoever listens, if no film is faster than anyone can be read to, and the slider does not say it. */
  announce() {
    const { played, player } = this;
    if (played && document.activeElement !== player.slider && (player.film < 0 || player.pace >= 2000)) this.say(sentence(played, player.at, this.lang));
  }

  /** @param {string} text */
  say(text) {
    if (this.spoken.textContent !== text) this.spoken.textContent = text;
  }

  /** The names that stand for another tensor now, in words. @param {Scene | null} scene */
  moves(scene) {
    return (scene?.moved ?? []).map(({ name }) => this.w("moved", { n: name }));
  }

  /** What is said below the picture: a note, names that have moved, results of before. */
  tellNote() {
    const { shown, scene, inPass, trace, w, lang } = this, { names, open } = shown?.earlier ?? { names: [], open: false }, n = names.length;
    const now = inPass && (!trace?.ended || scene?.cell !== trace.cell) ? null : scene; // what else the cell of a pass did
    const note = shown?.note?.[lang] ?? "", more = (now?.note?.[lang] ?? "").replace(note, ""); // and what is not said twice
    const said = [...this.moves(now), ...(this.stage.svg ? [shown?.folded?.[lang] ?? "", note, more] : [])].filter((text) => text.trim());
    this.note.hidden = !said.length;
    this.note.replaceChildren(...said.map((text) => make("p", {}, text)));
    this.earlier.hidden = !n;
    const some = names.slice(0, 4).join(", ") + (n > 4 ? ", …" : ""), [mark, key] = open ? ["▾", "foldEarlier"] : ["▸", "earlier"];
    this.earlier.textContent = `${mark} ${w(key, { n })}${lang === "zh" ? "：" : ": "}${some}`;
    this.earlier.setAttribute("aria-expanded", String(open));
  }

  /** The largest picture that there is room for: its width beside the text, and its height. */
  room() {
    const { root, body, model } = this, wide = root.clientWidth, fills = root.closest(".minigrad-dock, .vl-alone");
    const high = fills ? body.clientHeight : Number(model.get("height")) || SHARE * window.innerHeight;
    return [wide >= BESIDE ? wide - SIDE : wide, high];
  }

  /** The room is another: a direction is chosen for it, and what is of interest stays in view: of a still page the top. @param {string | null} [id] */
  fitRoom(id = this.stage.moment.now) {
    const { stage, shown, model } = this, still = model.get("following") === null, height = Number(model.get("height"));
    this.root.style.setProperty("--high", height ? `${height}px` : "");
    if (shown && stage.svg && this.root.clientWidth) stage.show(shown, false); // hidden, as another tab hides it, it stays
    stage.place();
    stage.reveal(stage.nodes.get(id ?? (still ? "" : shown?.roots[0] ?? ""))?.node);
  }

  close() {
    this.player.pause(false);
    for (const [event, act] of this.changes) this.model.off(event, act);
    this.sizer?.disconnect();
    this.stage.motion.rest();
    this.root.remove();
  }
}
