// @ts-check
/* Steps through a pass: by its bar, by itself when a pass has just come, on and on. */

import { button, icon, make } from "./parts.js";
import { sentence } from "./explain.js";
import { still } from "./motion.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const WHOLE = 3000; // ms: as long a new pass takes to play

export class Player {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.playing = 0; // a timer
    this.film = -1; // the step that is shown while a new pass plays by itself; -1 while none does
    const { w } = panel, to = (/** @type {() => number} */ where) => () => {
      const step = where(); // a pause shows its own
      this.pause();
      this.go(step);
    };
    this.backward = [button("first", w("first"), to(() => 0)), button("back", w("back"), to(() => this.at - 1))];
    this.forward = [button("forward", w("forward"), to(() => this.at + 1)), button("last", w("last"), to(() => Infinity))];
    this.play = button("play", w("play"), () => this.toggle(), "vl-play");
    this.slider = make("input", { type: "range", class: "vl-slider", min: 0, max: 0, step: 1, "aria-label": w("slider") });
    this.slider.addEventListener("input", to(() => Number(this.slider.value)));
    this.count = make("span", { class: "vl-count" });
    this.speed = make("select", { class: "vl-speed", "aria-label": w("speed") });
    this.speed.addEventListener("change", () => panel.put({ speed: Number(this.speed.value) }));
    this.element = make("div", { class: "vl-player", role: "group", "aria-label": w("player") },
      ...this.backward, this.play, ...this.forward, this.slider, this.count, this.speed);
    this.tellSpeed();
  }

  get length() {
    return this.panel.trace?.steps.length ?? 0;
  }

  /** The step that is shown. */
  get at() {
    return this.film >= 0 ? this.film : Math.min(Math.max(this.panel.model.get("step") || 0, 0), this.length);
  }

  get rate() {
    return this.panel.model.get("speed") || 1;
  }

  /** Faster than anyone can be read to. */
  get fast() {
    return this.film >= 0 || (this.playing > 0 && this.rate > 2);
  }

  /** @param {number} step */
  go(step) {
    const { panel, length } = this;
    if (!panel.trace) return;
    const next = Math.min(Math.max(step, 0), length), onwards = panel.inPass && next === this.at + 1;
    panel.put({ view: "pass", step: next });
    if (onwards) panel.stage.slide(this.playing ? Math.min(500, 900 / this.rate) : 450);
  }

  /** One step on or back; from the graph as it is now, to the pass first. @param {number} by */
  by(by) {
    const next = this.at + (this.panel.inPass ? by : 0);
    this.pause();
    this.go(next);
  }

  /** A pass that has just come plays by itself, once, in three seconds; what any key, click or wheel ends. */
  roll() {
    const { panel, length } = this;
    const nth = Number(/#(\d+)$/.exec(panel.trace?.call ?? "")?.[1] ?? 1); // in a loop the passes are shown, not played
    const seen = panel.inPass && panel.stage.svg && panel.stage.element.clientWidth;
    if (!length || nth > 2 || still() || !seen || this.at !== length) return;
    const time = Math.max(120, Math.min(500, WHOLE / length)), stride = Math.max(1, Math.ceil((length * time) / WHOLE));
    this.film = 0;
    panel.showStep();
    this.run(() => {
      this.film = Math.min(this.film + stride, length);
      panel.showStep();
      panel.stage.slide(time);
      return this.film < length;
    }, () => time);
  }

  /** Goes on after each `wait`, until there is nothing more to play. @param {() => boolean} more @param {() => number} wait */
  run(more, wait) {
    this.playing = window.setTimeout(() => {
      if (more()) this.run(more, wait);
      else this.pause(false);
    }, wait());
  }

  toggle() {
    if (this.playing) return this.pause();
    if (!this.panel.trace) return;
    this.go(this.at >= this.length ? 0 : this.at);
    this.run(() => {
      this.go(this.at + 1);
      return this.at < this.length;
    }, () => 1000 / this.rate);
    this.tell();
  }

  /** Stops; `here`: where the film of a new pass has come to is the step to stay at. */
  pause(here = true) {
    if (!this.playing) return;
    const reached = this.film;
    window.clearTimeout(this.playing);
    this.playing = 0;
    this.film = -1;
    if (reached >= 0 && here) this.panel.put({ step: reached });
    this.tell();
    this.panel.announce();
  }

  /** Ends the film of a new pass, and nothing else that plays. @param {boolean} here */
  cut(here) {
    if (this.film >= 0) this.pause(here);
  }

  tell() {
    const { panel, length, at, slider, count, play } = this, { trace, inPass, lang, w } = panel;
    this.element.hidden = !trace || !inPass; // it moves the pass, and nothing else
    slider.max = String(length);
    if (Number(slider.value) !== at) slider.value = String(at);
    count.textContent = `${at} / ${length}`;
    slider.setAttribute("aria-valuetext", trace && inPass ? sentence(trace, at, lang) : count.textContent);
    slider.style.setProperty("--done", `${length ? (100 * at) / length : 0}%`);
    const name = this.playing ? "pause" : "play";
    if (play.title !== w(name)) {
      play.replaceChildren(icon(name));
      play.title = w(name);
      play.setAttribute("aria-label", w(name));
    }
    for (const each of this.backward) each.disabled = inPass && at === 0;
    for (const each of this.forward) each.disabled = inPass && at === length;
  }

  tellSpeed() {
    const offered = [...new Set([...SPEEDS, this.rate])].sort((a, b) => a - b);
    this.speed.replaceChildren(...offered.map((n) => make("option", { value: n, selected: n === this.rate }, this.panel.w("perSecond", { n }))));
    this.speed.value = String(this.rate);
  }
}
