// @ts-check
/* Steps through a pass: by its bar, or as a film, which plays by itself when a pass has just come. */

import { button, icon, make } from "./parts.js";
import { sentence } from "./explain.js";
import { still } from "./motion.js";

const WHOLE = 3000; // ms: as long a new pass takes to play

export class Player {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.timer = 0;
    this.film = -1; // the step that is shown while it plays, of which the kernel hears at the end; else -1
    this.pace = 0; // ms: as long the film shows a step
    const { w } = panel;
    this.back = button("back", w("back"), () => this.by(-1));
    this.forward = button("forward", w("forward"), () => this.by(1));
    this.play = button("play", w("play"), () => this.toggle(), "vl-play");
    const oninput = () => this.go(Number(this.slider.value));
    this.slider = make("input", { type: "range", class: "vl-slider", min: 0, max: 0, step: 1, "aria-label": w("slider"), oninput });
    this.count = make("span", { class: "vl-count" });
    this.element = make("div", { class: "vl-player", role: "group", "aria-label": w("player") },
      this.back, this.play, this.forward, this.slider, this.count);
  }

  get length() {
    return this.panel.trace?.steps.length ?? 0;
  }

  /** The step that is shown. */
  get at() {
    return this.film >= 0 ? this.film : Math.min(Math.max(this.panel.model.get("step") || 0, 0), this.length);
  }

  /** One pass of many, of a loop that goes on: they are shown, not played, and not read aloud. */
  get looped() {
    return !!this.panel.trace?.scene.busy && Number(/#(\d+)$/.exec(this.panel.trace.call)?.[1]) > 2;
  }

  /** @param {number} step */
  go(step) {
    const { panel, length } = this, next = Math.min(Math.max(step, 0), length), onwards = panel.inPass && next === this.at + 1;
    this.pause(false);
    if (!panel.trace) return;
    panel.put({ view: "pass", step: next });
    panel.announce();
    if (onwards) panel.stage.motion.slide(450);
  }

  /** One step on or back; from the graph as it is now, to the pass first. @param {number} by */
  by(by) {
    this.go(this.at + (this.panel.inPass ? by : 0));
  }

  /** A pass that has just come plays by itself, once, in three seconds. */
  roll() {
    const { panel, length } = this, seen = panel.inPass && panel.stage.svg && panel.stage.element.clientWidth;
    if (!length || this.looped || still() || !seen || this.at !== length) return;
    this.run(0, Math.max(120, Math.min(500, WHOLE / length)), WHOLE);
  }

  toggle() {
    if (this.timer) return this.pause();
    if (!this.panel.trace) return;
    this.go(this.at >= this.length ? 0 : this.at);
    this.run(this.at, 1000 / (this.panel.model.get("speed") || 1));
  }

  /** Plays on from a step, and is through in that time. @param {number} from @param {number} pace @param {number} [whole] */
  run(from, pace, whole = Infinity) {
    const { panel, length } = this, stride = Math.max(1, Math.ceil((length * pace) / whole));
    const next = () => {
      if (this.film >= length) return this.pause();
      this.film = Math.min(this.film + stride, length);
      this.timer = window.setTimeout(next, pace);
      panel.showStep();
      panel.stage.motion.slide(Math.min(500, pace));
    };
    [this.film, this.pace, this.timer] = [from, pace, window.setTimeout(next, pace)];
    panel.showStep();
  }

  /** Stops; `here`: at the step that the film has come to. */
  pause(here = true) {
    if (!this.timer) return;
    const reached = this.film;
    window.clearTimeout(this.timer);
    [this.film, this.timer] = [-1, 0];
    if (here) this.panel.put({ step: reached });
    this.tell();
    this.panel.announce();
  }

  tell() {
    const { panel, length, at, slider, count, play } = this, { trace, inPass, lang, w } = panel;
    this.element.hidden = !trace || !inPass; // it moves the pass, and nothing else
    slider.max = String(length);
    if (Number(slider.value) !== at) slider.value = String(at);
    count.textContent = `${at} / ${length}`;
    slider.setAttribute("aria-valuetext", trace && inPass ? sentence(trace, at, lang) : count.textContent);
    this.back.disabled = inPass && at === 0;
    this.forward.disabled = inPass && at === length;
    const name = this.timer ? "pause" : "play";
    if (play.title === w(name)) return;
    play.replaceChildren(icon(name));
    play.title = w(name);
    play.setAttribute("aria-label", w(name));
  }
}
