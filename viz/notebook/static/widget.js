// @ts-check
/*
 * The live graph panel, in the browser: anywidget calls `render`. It shows what `live.schema.json` describes: the graph
 * as it is now, or a recorded backward pass, which is played here, forward and back, without asking the kernel.
 *
 * viz/notebook/widget.py joins this file and those that it imports into the one that a notebook gets. Every text from the kernel
 * is a learner's and reaches the page as text only, but for a scene's `svg`, in which viz/picture/svg.py has escaped everything.
 */

import { Code } from "./code.js";
import { brief, called, curve, explain, findNodes, lineOf, lineOfStep, momentAt, placed, sentence } from "./pass.js";
import { draw, formula, icon, ICONS, make } from "./parts.js";
import { download, page, toPng } from "./save.js";
import { NOTHING, Stage, still } from "./stage.js";
import { pickLanguage, word } from "./words.js";

const DEAF = "data-lm-suppress-shortcuts"; // JupyterLab does not look for its own keys below an element that has it
const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const BESIDE = 760, SIDE = 250; // pixels: as wide a panel has its text beside the picture, and so wide is that
const PATIENCE = 2500; // ms: as long an idle kernel may take to answer

/**
 * The panel in `el`. Returns what takes it away again.
 * @param {{ model: Model, el: HTMLElement }} context @returns {() => void}
 */
function render({ model, el }) {
  // -- what changes without the kernel
  /** @type {Lang} */
  let lang = "en";
  /** @type {string | null} */
  let opened = null; // the node whose card is open
  /** @type {any} */
  let marked = null; // its shape in the picture
  let playing = 0; // a timer
  let eye = /** @type {IntersectionObserver | null} */ (null); // waits until a saved pass is seen
  let film = -1; // the step that is shown while a new pass plays by itself; -1 while none does
  let setting = false; // a change of the model that comes from here
  let waiting = 0; // since when the kernel owes an answer
  let unfolded = false;
  /** @type {string[]} */
  let hits = [];
  let hit = -1;
  let gone = false;
  let asked = 0; // a timer: the kernel is to say whether it still has this panel
  let unanswered = false;
  let spoken = "";
  let sliding = false; // a leaf is being moved: its card keeps its sliders
  let tried = 0; // since when the kernel owes what a moved leaf gives
  /** @type {Map<string, number[]>} */
  const ranges = new Map(); // of each number that can be moved: where it was in the pass itself, and how far it goes
  /** @type {Record<string, number[]> | null} */
  let wanted = null; // where leaves have been moved meanwhile
  const born = { scene: model.get("kernel"), trace: model.get("kernel") }; // the kernels that made what is shown

  // -- texts that follow the language
  /** @type {(() => void)[]} */
  const texts = [];
  /** @param {() => void} tell */
  const retell = (tell) => { texts.push(tell); };
  /** @param {string} key @param {Record<string, any>} [values] */
  const w = (key, values) => word(key, lang, values);

  /** @param {keyof typeof ICONS} name @param {string} key @param {() => void} act @param {string} [kind] */
  function button(name, key, act, kind = "") {
    const element = make("button", { type: "button", class: `vl-button ${kind}` }, icon(name));
    retell(() => { element.title = w(key); element.setAttribute("aria-label", w(key)); });
    element.addEventListener("click", act);
    return element;
  }
  /** @param {string} tag @param {string} key @param {Record<string, any>} [attributes] */
  function spoke(tag, key, attributes) {
    const element = make(tag, attributes);
    retell(() => { element.textContent = w(key); });
    return element;
  }
  /** @param {any} element @param {string} key */
  function labelled(element, key) {
    retell(() => element.setAttribute("aria-label", w(key)));
    return element;
  }

  // -- the parts
  const stage = new Stage({ lang: () => lang, open: (id) => openCard(id), most: () => most(), point: (node) => code.light(lineOf(node?.source ?? "")) });
  const code = new Code({ point: (at) => stage.light(at ? made(at) : null), open: (at) => { if (made(at).length) openCard(made(at)[0]); }, folded: () => fitRoom() });
  retell(() => { code.title.textContent = w("code"); code.lines.setAttribute("aria-label", w("codeHint")); code.lines.title = w("codeHint"); });
  /** The nodes that a line made. @param {string} at */
  const made = (at) => [...stage.nodes.values()].filter(({ node }) => lineOf(node.source) === at).map(({ node }) => node.id);
  labelled(stage.element, "stage");
  const message = make("div", { class: "vl-message", hidden: true });
  const note = make("div", { class: "vl-note", hidden: true });
  const earlier = make("button", { type: "button", class: "vl-earlier", hidden: true });
  earlier.addEventListener("click", () => ask({ type: "earlier" }));
  const below = make("div", { class: "vl-below" }, note, earlier);
  stage.element.append(message, below);
  stage.below = below;

  const liveTab = make("button", { type: "button", class: "vl-tab" }, spoke("span", "live"));
  const passTab = make("button", { type: "button", class: "vl-tab" }, spoke("span", "pass"));
  const passMark = make("span", { class: "vl-new", hidden: true }, "●");
  passTab.append(passMark);
  retell(() => { liveTab.title = w("liveHint"); passTab.title = w("passHint"); });
  liveTab.addEventListener("click", () => put({ view: "live" }));
  passTab.addEventListener("click", () => put({ view: "pass" }));

  const tabs = labelled(make("div", { class: "vl-tabs", role: "group" }, liveTab, passTab), "views");
  const status = make("span", { class: "vl-status" });
  const search = make("input", { type: "search", class: "vl-input", autocomplete: "off", spellcheck: "false" });
  retell(() => { search.placeholder = w("search"); search.title = w("searchHint"); search.setAttribute("aria-label", w("searchHint")); });
  const found = make("output", { class: "vl-found" });
  const loss = make("div", { class: "vl-loss", hidden: true });
  const foldButton = button("fold", "fold", () => ask({ type: "fold" }));
  const saveButton = button("save", "save", () => menu(saveMenu.hidden));
  saveButton.setAttribute("aria-haspopup", "menu");
  const saveMenu = make("div", { class: "vl-menu", role: "menu", hidden: true });
  for (const [key, kind] of [["saveSvg", "svg"], ["savePng", "png"], ["saveHtml", "html"]]) {
    const item = spoke("button", key, { type: "button", role: "menuitem", class: "vl-item", "data-save": kind });
    item.addEventListener("click", () => { menu(false); save(kind); });
    saveMenu.append(item);
  }
  const dockButton = button("dock", "dock", () => shout(root.closest(".minigrad-docked, .minigrad-dock") ? "undock" : "dock"), "vl-dock");
  /** Tells the extension that can put the panel beside its notebook; whether it is there. @param {string} what */
  function shout(what) {
    const detail = { what, model: model.get("ident"), el, auto: Boolean(model.get("docks")) };
    return !document.dispatchEvent(new CustomEvent("minigrad-dock", { cancelable: true, detail }));
  }
  dockButton.hidden = !shout("there?");
  const language = make("button", { type: "button", class: "vl-button vl-language" });
  retell(() => {
    language.replaceChildren(make("span", { class: lang === "zh" ? "on" : "" }, "中"), make("span", {}, "/"), make("span", { class: lang === "en" ? "on" : "" }, "EN"));
    language.title = lang === "zh" ? "Switch to English" : "切换到中文";
    language.setAttribute("aria-label", language.title);
  });
  language.addEventListener("click", () => put({ language: lang === "zh" ? "en" : "zh" }));

  const head = make("div", { class: "vl-head" },
    make("div", { class: "vl-brand" }, icon("graph"), spoke("strong", "title")),
    tabs,
    status, make("span", { class: "vl-space" }), loss,
    make("label", { class: "vl-search" }, icon("search"), search, found),
    labelled(make("div", { class: "vl-tools", role: "group" },
      button("minus", "zoomOut", () => stage.zoom(0.8)),
      button("fit", "fit", () => stage.fit()),
      button("plus", "zoomIn", () => stage.zoom(1.25)),
      foldButton, make("span", { class: "vl-holder" }, saveButton, saveMenu), language), "tools"), dockButton);

  const card = make("section", { class: "vl-card", hidden: true });
  const steps = make("section", { class: "vl-steps", hidden: true });
  const side = make("div", { class: "vl-side" }, card, steps);
  const body = make("div", { class: "vl-body" }, stage.element, side);

  const playButton = button("play", "play", () => toggle(), "vl-play");
  const slider = make("input", { type: "range", class: "vl-slider", min: 0, max: 0, step: 1 });
  labelled(slider, "slider");
  slider.addEventListener("input", () => {
    const step = Number(slider.value); // a pause shows its own
    pause();
    go(step);
  });
  const count = make("span", { class: "vl-count" });
  const speed = make("select", { class: "vl-speed" });
  labelled(speed, "speed");
  speed.addEventListener("change", () => put({ speed: Number(speed.value) }));
  const player = labelled(make("div", { class: "vl-player", role: "group" },
    button("first", "first", () => { pause(); go(0); }),
    button("back", "back", () => { pause(); go(at() - 1); }),
    playButton,
    button("forward", "forward", () => { pause(); go(at() + 1); }),
    button("last", "last", () => { pause(); go(Infinity); }),
    slider, count, speed), "player");

  const say = make("div", { class: "vl-unseen", role: "status", "aria-live": "polite" });
  const root = make("div", { class: "viz-live", role: "region", tabindex: "0", [DEAF]: "true" }, head, code.element, body, player, say);
  retell(() => { root.lang = lang === "zh" ? "zh-CN" : "en"; root.setAttribute("aria-label", w("title")); root.setAttribute("aria-description", w("keys")); });

  // -- the model
  const trace = () => /** @type {Trace | null} */ (model.get("trace") ?? null);
  const scene = () => /** @type {Scene | null} */ (model.get("scene") ?? null);
  const inPass = () => model.get("view") === "pass";
  const shown = () => (inPass() ? (trace()?.scene ?? null) : scene());
  const at = () => (film >= 0 ? film : Math.min(Math.max(model.get("step") || 0, 0), trace()?.steps.length ?? 0));

  /** @param {Record<string, any>} changes */
  function put(changes) {
    setting = true;
    try {
      for (const [key, value] of Object.entries(changes)) model.set(key, value);
    } finally {
      setting = false;
    }
    // At once: ipywidgets keeps back what the kernel cannot take yet, and knows by that which echoes are out of date.
    try { model.save_changes(); } catch { /* the kernel is gone; the panel goes on */ }
  }
  /** Ask the kernel, which answers with a new scene when it is free. @param {any} content */
  function ask(content) {
    unfolded = content.type === "unfold";
    waiting = Date.now();
    try { model.send(content); } catch { waiting = 0; }
    tellStatus();
  }

  /**
   * Ask the kernel whether it has anything newer than what is shown: a message may have been lost, and a panel in a
   * notebook that was opened again may show what a kernel of long ago made.
   */
  function check() {
    if (asked || gone) return;
    try { model.send({ type: "check", scene: scene()?.serial ?? 0, trace: trace()?.serial ?? 0 }); } catch { /* no answer will come */ }
    asked = window.setTimeout(() => {
      asked = 0;
      unanswered = true;
      if (kernel?.status === "idle") gone = true; // a busy one answers late
      tellStatus();
    }, PATIENCE);
  }
  /** The kernel has said something. */
  function answered() {
    window.clearTimeout(asked);
    asked = 0;
    unanswered = gone = false;
    waiting = 0;
  }

  // -- stepping
  /** @param {number} step */
  function go(step) {
    const pass = trace();
    if (!pass) return;
    const next = Math.min(Math.max(step, 0), pass.steps.length), onwards = inPass() && next === at() + 1;
    put({ view: "pass", step: next });
    if (onwards) stage.slide(playing ? Math.min(500, 900 / (model.get("speed") || 1)) : 450);
  }
  /** A pass that has just come plays by itself, once, in three seconds; what any key, click or wheel ends. */
  function roll() {
    const pass = trace(), n = pass?.steps.length ?? 0;
    const nth = Number(/#(\d+)$/.exec(pass?.call ?? "")?.[1] ?? 1); // in a loop the passes are shown, not played
    if (!pass || !n || nth > 2 || still() || !inPass() || at() !== n || !stage.svg || !stage.element.clientWidth) return;
    const time = Math.max(120, Math.min(500, 3000 / n)), stride = Math.max(1, Math.ceil((n * time) / 3000));
    film = 0;
    showStep();
    run(() => {
      film = Math.min(film + stride, n);
      showStep();
      stage.slide(time);
      return film < n;
    }, () => time);
  }
  /** Goes on after each `wait`, until there is nothing more to play. @param {() => boolean} more @param {() => number} wait */
  function run(more, wait) {
    playing = window.setTimeout(() => {
      if (more()) run(more, wait);
      else pause(false);
    }, wait());
  }
  /** Ends the film of a new pass; `here`: and the step that it has come to is the one to stay at. @param {boolean} here */
  function cut(here) {
    if (film >= 0) pause(here);
  }
  function toggle() {
    if (playing) return pause();
    const n = trace()?.steps.length;
    if (n === undefined) return;
    go(at() >= n ? 0 : at());
    run(() => { go(at() + 1); return at() < n; }, () => 1000 / (model.get("speed") || 1));
    tellPlayer();
  }
  function pause(here = true) {
    if (!playing) return;
    const k = film;
    window.clearTimeout(playing);
    playing = 0;
    film = -1;
    if (k >= 0 && here) put({ step: k });
    tellPlayer();
    announce();
  }

  // -- what is shown
  /** A notebook that somebody saved may hold anything: what cannot be read is said in one line. @param {() => void} act */
  function safely(act) {
    try {
      act();
    } catch (error) {
      stage.show(null);
      announceNothing();
      tell(w("badData", { n: String(error) }), "", "");
      side.hidden = player.hidden = true;
      pause();
    }
  }
  const showAll = () => safely(showShown);
  function showShown() {
    const now = shown();
    stage.show(now, !inPass());
    code.show(now?.code ?? [], inPass() ? lineOf(trace()?.line ?? "") : "");
    fitRoom();
    if (opened !== null && !stage.nodes.has(opened)) opened = null;
    if (!now) tell(w(inPass() ? "noPass" : "empty"), w(inPass() ? "noPassHint" : "emptyHint"), inPass() ? "loss.backward()" : "w = torch.tensor(2., requires_grad=True)");
    else if (!stage.svg) tell(now.note?.[lang] || w("empty"), "", "");
    else message.hidden = true;
    if (now && !inPass()) stage.showMoved();
    find(false);
    tellNote();
    tellStatus();
    showStep();
  }
  function announceNothing() { spoken = say.textContent = ""; }

  /** @param {string} headline @param {string} hint @param {string} code */
  function tell(headline, hint, code) {
    message.hidden = false;
    message.replaceChildren(icon("graph"), make("strong", {}, headline));
    if (hint) message.append(make("span", {}, hint));
    if (code) message.append(make("code", {}, code));
  }

  function showStep() {
    const pass = trace();
    const stepping = inPass() && pass !== null && stage.svg !== null;
    stage.paint(stepping ? momentAt(pass, at()) : NOTHING, stepping);
    for (const id of [stage.moment.receiver, stage.moment.now]) if (id !== null) stage.reveal(id);
    code.run(stepping ? lineOfStep(pass, at()) : "");
    steps.hidden = !stepping;
    if (stepping) steps.replaceChildren(...explain(pass, at(), lang).map(block));
    showCard();
    tellPlayer();
    if (stepping) announce();
  }

  /** A block of the step's explanation. @param {Block} b */
  function block(b) {
    const rows = b.rows.filter((row) => row.text);
    if (b.kind === "call") {
      return make("div", { class: "vl-call" }, make("code", {}, b.title), ...rows.map((row) => make("span", {}, row.text)));
    }
    if (b.kind === "head") {
      return make("div", { class: "vl-step" }, at() ? make("span", { class: "vl-kicker" }, w("stepOf", { k: at(), n: trace()?.steps.length ?? 0 })) : null,
        make("h3", {}, b.title), ...rows.map((row) => make("p", {}, row.text)));
    }
    const lines = rows.map((row) => {
      const line = make("div", { class: "vl-row" }, row.note ? make("span", { class: "vl-dim" }, row.note) : null);
      const code = make("code", {}, ...(b.kind === "rules" ? formula(row.text) : [row.text]));
      if (b.kind === "rules") line.append(code, ...(row.detail ? [make("code", { class: "vl-filled" }, ...formula(`= ${row.detail}`))] : []));
      else if (b.kind === "pending") line.prepend(code);
      else if (row.folded) line.append(make("details", {}, make("summary", {}, code)));
      else line.append(code, ...(row.detail && row.detail !== "()" ? [make("span", { class: "vl-dim" }, row.detail)] : []));
      return line;
    });
    return make("div", { class: `vl-block vl-${b.kind}` }, b.title ? make("h4", {}, b.title) : null, ...lines);
  }

  function announce() {
    const pass = trace();
    if (!pass || !inPass()) return;
    if (film >= 0 || (playing && (model.get("speed") || 1) > 2)) return; // faster than anyone can be read to
    const text = sentence(pass, at(), lang);
    if (text !== spoken) spoken = say.textContent = text;
  }

  function tellPlayer() {
    const pass = trace(), n = pass?.steps.length ?? 0, k = at();
    player.hidden = !pass || !inPass(); // it moves the pass, and nothing else
    slider.max = String(n);
    if (Number(slider.value) !== k) slider.value = String(k);
    slider.setAttribute("aria-valuetext", pass && inPass() ? sentence(pass, k, lang) : `${k} / ${n}`);
    slider.style.setProperty("--done", `${n ? (100 * k) / n : 0}%`);
    count.textContent = `${k} / ${n}`;
    const name = playing ? "pause" : "play";
    if (playButton.dataset.icon !== name) {
      playButton.dataset.icon = name;
      playButton.replaceChildren(icon(name));
    }
    playButton.title = w(name);
    playButton.setAttribute("aria-label", w(name));
    const [first, back, , forward, last] = player.children;
    first.disabled = back.disabled = inPass() && k === 0;
    forward.disabled = last.disabled = inPass() && k === n;
  }

  function tellSpeed() {
    const chosen = model.get("speed") || 1;
    const offered = [...new Set([...SPEEDS, chosen])].sort((a, b) => a - b);
    speed.replaceChildren(...offered.map((n) => make("option", { value: n, selected: n === chosen }, w("perSecond", { n }))));
    speed.value = String(chosen);
  }

  function tellTabs() {
    liveTab.setAttribute("aria-pressed", String(!inPass()));
    passTab.setAttribute("aria-pressed", String(inPass()));
    if (inPass()) passMark.hidden = true;
  }

  function tellStatus() {
    const now = shown(), old = isOld();
    const cell = now?.cell ? w("inCell", { n: now.cell }) : "";
    /** @type {[string, string]} */
    let [state, text] = ["following", [w("following"), cell].filter(Boolean).join(" · ")];
    if (model.get("following") === null) [state, text] = ["saved", cell]; // a saved page follows nothing
    else if (old) [state, text] = ["old", `⚠ ${w("old")}`];
    else if (unanswered && kernel?.status === "busy") [state, text] = ["waiting", w("waitingKernel")];
    else if (unanswered) [state, text] = ["old", `⚠ ${w("unanswered")}`];
    else if (waiting) [state, text] = ["waiting", w("waitingKernel")];
    else if (model.get("following") === false) [state, text] = ["stopped", `■ ${w("stopped")}`];
    else if (scene()?.busy && !inPass()) [state, text] = ["busy", [cell, w("running")].filter(Boolean).join(" · ")];
    status.dataset.state = state;
    if (status.textContent !== text) status.textContent = text;
    status.title = text;
    root.classList.toggle("vl-old", old);
    foldButton.hidden = !(unfolded || shown()?.nodes.some((node) => node.kind === "folded"));
  }

  /** The state is from a kernel that is no longer there. */
  function isOld() {
    if (gone) return true;
    const kernel = model.get("kernel");
    return kernel !== undefined && (inPass() ? born.trace : born.scene) !== kernel && shown() !== null;
  }

  let noted = ""; // what the note says
  function tellNote() {
    const now = shown();
    const said = (inPass() ? [] : (now?.moved ?? []).map((m) => w("moved", { n: m.name })));
    if (now?.note?.[lang] && stage.svg) said.push(now.note[lang]);
    const older = now?.earlier ?? { names: [], open: false }, n = older.names.length;
    const last = n ? `${w(older.open ? "foldEarlier" : "earlier", { n })}${lang === "zh" ? "：" : ": "}${older.names.slice(0, 4).join(", ")}${n > 4 ? ", …" : ""}` : "";
    if ([last, ...said].join("\n") === noted) return;
    noted = [last, ...said].join("\n");
    note.hidden = !said.length;
    note.replaceChildren(...said.map((text) => make("p", {}, text)));
    earlier.hidden = !n;
    earlier.textContent = `${older.open ? "▾" : "▸"} ${last}`;
    earlier.setAttribute("aria-expanded", String(older.open));
    fitRoom();
  }

  /** A small curve of numbers, described by the text of that `key`; null of fewer than two. @param {[number, number][]} numbers @param {string} key */
  function spark(numbers, key) {
    const box = [84, 22], drawn = curve(numbers, box[0], box[1]);
    if (!drawn) return null;
    const { d, end, count: n, first, last, low } = drawn;
    const label = w(key, { n, a: brief(first), b: brief(last), c: brief(low) });
    const picture = draw("svg", { viewBox: `-3 -3 ${box[0] + 6} ${box[1] + 6}`, role: "img", "aria-label": label, class: "vl-spark" },
      draw("path", { d }), draw("circle", { cx: end[0], cy: end[1], r: 2.4 }));
    return { picture, label, last: brief(last) };
  }
  function tellLoss() {
    const drawn = spark(model.get("losses") ?? [], "lossSay");
    loss.hidden = !drawn;
    if (!drawn) return;
    loss.replaceChildren(drawn.picture, make("span", { class: "vl-dim" }, w("loss")), make("code", {}, drawn.last));
    loss.title = drawn.label;
  }

  /** @type {Map<string, [number, number][]>} */
  const histories = new Map(); // of each leaf: (which of the pictures, its number, or the mean of its numbers)
  let pictures = 0;
  /** What leaves hold now, to be seen as a curve. @param {Scene | null | undefined} now */
  function remember(now) {
    if (!now || !Array.isArray(now.nodes)) return;
    pictures += 1;
    for (const { id, kind, value } of now.nodes) {
      const number = kind === "leaf" ? parseFloat((value ?? "").replace(/^mean /, "")) : NaN, known = histories.get(id) ?? [];
      if (Number.isNaN(number) || known.at(-1)?.[1] === number) continue;
      histories.set(id, [...known.slice(-600), [pictures, number]]);
    }
    if (histories.size > 1000) histories.clear();
  }

  // -- cards
  /** @param {string | null} id */
  function openCard(id) {
    if (id === opened && id !== null) return;
    opened = id;
    showCard();
  }
  function closeCard() {
    const id = opened;
    opened = null;
    showCard();
    if (id !== null) stage.nodes.get(id)?.g.focus({ preventScroll: true });
  }
  function showCard() {
    const part = opened === null ? undefined : stage.nodes.get(opened);
    if (sliding && part) return;
    const held = [...card.querySelectorAll("input")].indexOf(document.activeElement);
    card.hidden = !part;
    const bare = card.hidden && steps.hidden;
    if (side.hidden !== bare) {
      side.hidden = bare;
      fitRoom();
    }
    marked?.classList.remove("vl-open");
    marked = part?.g ?? null;
    if (!part) return card.replaceChildren();
    marked.classList.add("vl-open");
    const { node } = part, moment = stage.moment;
    const list = make("dl", {});
    /** @param {string} key @param {(string | null)[]} values */
    const row = (key, values) => {
      const known = values.filter((v) => v !== null && v !== "");
      const written = (/** @type {any} */ v) => (key === "cFormula" ? formula(v) : [v]);
      if (known.length) list.append(make("dt", {}, w(key)), make("dd", {}, ...known.map((v) => make("code", {}, ...written(v)))));
    };
    row("cName", node.names.filter((name) => name !== node.label));
    row("cFormula", node.formula[lang]);
    row("cValue", [node.value]);
    const past = spark(histories.get(node.id) ?? [], "pastSay");
    if (past) list.append(make("dt", {}, w("cPast")), make("dd", { title: past.label }, past.picture));
    if (movable(node.id)) list.append(make("dt", {}, w("cMove")), make("dd", {}, ...sliders(node)));
    row("cShape", [node.shape]);
    row("cDtype", [node.dtype]);
    const kept = node.kind === "leaf";
    row("cGrad", [kept ? (moment.grads.get(node.id) ?? node.grad) : node.grad]);
    if (!kept) row("gradient", [(moment.grads.get(node.id) ?? "").replace("·", "")]);
    const stepping = inPass() && trace() !== null, freed = moment.freed.get(node.id);
    const slips = node.saved.map((s) => {
      const state = stepping && s.state === "freed" && !freed?.has(s.slot) ? "kept" : freed?.has(s.slot) ? "freed" : s.state;
      return make("div", { class: `vl-slip ${state}` }, make("code", {}, state === "freed" || !s.text ? s.slot : `${s.slot} = ${s.text}`), make("span", {}, w(state)));
    });
    if (slips.length) list.append(make("dt", {}, w("cSaved")), make("dd", {}, ...slips));
    row("cHooks", node.hooks);
    row("cModule", [node.module && `${node.module}.*`]);
    row("cSource", [placed(node.source, lang)]);
    if (node.expression) {
      const { clipboard } = navigator; // none on a page that came over plain http
      const copy = clipboard && make("button", { type: "button", class: "vl-button", title: w("copy"), "aria-label": `${w("copy")}: ${node.expression}` }, icon("copy"));
      copy?.addEventListener("click", () => clipboard.writeText(node.expression).then(() => { spoken = say.textContent = copy.title = w("copied"); copy.classList.add("vl-done"); }));
      list.append(make("dt", {}, w("cPython")), make("dd", { class: "vl-copy" }, make("code", {}, node.expression), copy ?? null));
    }
    const close = make("button", { type: "button", class: "vl-button", title: w("close"), "aria-label": w("close") }, icon("close"));
    close.addEventListener("click", closeCard);
    const kind = w(`kind_${node.kind}`) + (node.count > 1 ? ` · ${w("holds", { n: node.count })}` : "");
    card.setAttribute("aria-label", called(node, lang));
    card.replaceChildren(make("header", {}, make("span", { class: `vl-swatch ${node.kind}` }), make("div", {}, make("h3", {}, called(node, lang)), make("p", { class: "vl-dim" }, kind)), close), list);
    if (node.kind === "folded") {
      const open = make("button", { type: "button", class: "vl-wide" }, w("open"));
      open.addEventListener("click", () => ask({ type: "unfold", id: node.id }));
      card.append(open);
    }
    if (held >= 0) card.querySelectorAll("input")[held]?.focus({ preventScroll: true });
  }

  // -- leaves that are moved
  /** The numbers of a leaf that can be moved: a kernel is there to compute what they give. @param {string} id */
  const movable = (id) => (inPass() && model.widget_manager && !gone ? trace()?.leaves?.[id] : undefined);
  /** @param {SceneNode} node */
  function sliders(node) {
    const own = [...(movable(node.id) ?? [])];
    return own.map((value, i) => {
      const [first, room] = ranges.get(`${node.id} ${i}`) ?? [value, Math.max(2, 2 * Math.abs(value))], told = make("output", {}, String(value));
      ranges.set(`${node.id} ${i}`, [first, room]);
      const step = 10 ** Math.floor(Math.log10(room / 20));
      const input = make("input", { type: "range", class: "vl-slider", min: first - room, max: first + room, step, "aria-label": `${called(node, lang)} ${own.length > 1 ? i : ""}` });
      input.value = String(value);
      input.addEventListener("input", () => {
        sliding = true;
        own[i] = Number(Number(input.value).toPrecision(4));
        told.textContent = String(own[i]);
        wanted = { ...wanted, [node.id]: [...own] };
        move();
      });
      input.addEventListener("change", () => { sliding = false; });
      return make("label", { class: "vl-move" }, input, told);
    });
  }
  /** Asks for what the moved leaves give; one question at a time, lest they pile up. */
  function move() {
    if (!wanted || (tried && Date.now() - tried < PATIENCE)) return;
    tried = Date.now();
    cut(true);
    try { model.send({ type: "move", leaves: wanted }); } catch { tried = 0; }
    wanted = null;
  }

  // -- finding
  /** @param {boolean} [jump] */
  function find(jump = true) {
    const now = shown();
    hits = now ? findNodes(now.nodes, search.value) : [];
    hit = -1;
    stage.mark(search.value.trim() ? new Set(hits) : null);
    found.textContent = search.value.trim() ? String(hits.length) : "";
    if (jump && hits.length) next(1);
  }
  /** @param {number} by */
  function next(by) {
    if (!hits.length) return;
    hit = (hit + by + hits.length) % hits.length;
    found.textContent = `${hit + 1}/${hits.length}`;
    const node = stage.nodes.get(hits[hit])?.node;
    if (!node) return;
    if (stage.scale < 0.6) stage.scale = 0.8;
    stage.centre(node);
    stage.moved = true;
    openCard(node.id);
  }
  search.addEventListener("input", () => find());
  search.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key === "Enter") next(e.shiftKey ? -1 : 1);
  });

  // -- saving
  /** @param {boolean} open */
  function menu(open) {
    saveMenu.hidden = !open;
    saveButton.setAttribute("aria-expanded", String(open));
    if (open) saveMenu.firstElementChild?.focus();
  }
  saveMenu.parentElement.addEventListener("focusout", (/** @type {FocusEvent} */ e) => {
    if (!saveMenu.parentElement.contains(/** @type {Node} */ (e.relatedTarget))) menu(false);
  });
  /** @param {string} kind */
  async function save(kind) {
    const now = shown();
    if (kind === "html") return download("graph.html", page(model, w("title"), lang), "text/html;charset=utf-8");
    if (!now || !stage.svg) return;
    const source = stage.source();
    if (kind === "svg") download("graph.svg", source, "image/svg+xml");
    else download("graph.png", await toPng(source, now.width, now.height));
  }

  // -- the keyboard
  root.addEventListener("pointerdown", (/** @type {any} */ e) => { if (!e.target.closest(".vl-play")) cut(true); }, true);
  root.addEventListener("wheel", () => cut(true), { capture: true, passive: true });
  for (const touch of ["pointerdown", "keydown"]) root.addEventListener(touch, () => eye?.disconnect(), true); // it is theirs now
  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const target = /** @type {any} */ (e.target), typing = target.matches("input, select, textarea");
    const held = e.ctrlKey || e.metaKey || e.altKey;
    if (e.key === "Enter" && !typing && (held || e.shiftKey)) { // runs a cell of the notebook, and presses no button here
      const last = (/** @type {Event} */ it) => it.preventDefault(); // JupyterLab heeds no key that is prevented already
      window.addEventListener("keydown", last);
      root.removeAttribute(DEAF);
      setTimeout(() => {
        window.removeEventListener("keydown", last);
        root.setAttribute(DEAF, "true");
      });
      return;
    }
    if (held) return;
    e.stopPropagation(); // the notebook's own keys are not meant
    if (e.key === "Escape") return escape(e);
    if (typing) return;
    const pressed = target.closest("button, summary");
    if (target.closest(".vl-menu") && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      e.preventDefault();
      const items = [...saveMenu.children], i = items.indexOf(target) + (e.key === "ArrowDown" ? 1 : -1);
      return items[(i + items.length) % items.length].focus();
    }
    if (pressed && (e.key === " " || e.key === "Enter")) return;
    const on = stage.idAt(target), way = /** @type {Record<string, number[]>} */ ({ ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] })[e.key];
    if (code.lines.contains(target) && way) {
      e.preventDefault();
      return code.step(way[0] + way[1]);
    }
    if (on && way) {
      e.preventDefault();
      cut(true);
      return stage.step(on, way[0], way[1]);
    }
    if (film >= 0 && e.key !== " ") cut(true);
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowRight: () => { pause(); go(inPass() ? at() + 1 : at()); },
      ArrowLeft: () => { pause(); go(inPass() ? at() - 1 : at()); },
      Home: () => { pause(); go(0); },
      End: () => { pause(); go(Infinity); },
      " ": toggle,
      Enter: () => { const id = stage.idAt(target); if (id) openCard(id); },
      "/": () => search.focus(),
      "+": () => stage.zoom(1.25),
      "=": () => stage.zoom(1.25),
      "-": () => stage.zoom(0.8),
      0: () => stage.fit(),
    };
    const act = acts[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
  /** @param {KeyboardEvent} e */
  function escape(e) {
    e.preventDefault();
    if (!saveMenu.hidden) { menu(false); saveButton.focus(); }
    else if (search.value && e.target === search) { search.value = ""; find(); }
    else if (opened !== null) closeCard();
    else root.focus({ preventScroll: true });
  }

  // -- what the kernel, or another view of this model, changes
  function chooseLanguage() {
    lang = pickLanguage(model.get("language"), document.documentElement.lang, navigator.language);
    for (const tellOne of texts) tellOne();
    tellSpeed();
    tellLoss();
    announceNothing();
    stage.retell();
    showAll();
  }
  /** The largest picture that there is room for: its width beside the text, and its height. */
  function most() {
    const wide = root.clientWidth, fixed = Number(model.get("height")) || 0;
    const around = head.offsetHeight + code.element.offsetHeight + player.offsetHeight, docked = root.closest(".minigrad-dock");
    const page = model.get("alone") && window.innerHeight - 2 * root.offsetTop - around - 4;
    const high = docked ? Math.max(160, root.clientHeight - around - (wide < BESIDE ? 190 : 0)) : fixed || Math.max(page || 0, 0.7 * window.innerHeight);
    return [wide >= BESIDE ? wide - SIDE : wide, Math.max(high, 160)];
  }
  /** The panel is as high as what it shows, and no higher than there is room for. */
  function fitRoom() {
    const now = shown(), [, high] = most();
    if (now && stage.svg) stage.show(now, false);
    const fixed = Number(model.get("height")) || 0, text = steps.hidden || root.clientWidth < BESIDE ? 0 : 300;
    const own = stage.svg ? Math.ceil(Math.max(stage.tall, text)) : 0;
    body.style.setProperty("--high", !own ? "64px" : `${Math.round(fixed || Math.max(160, Math.min(own, high)))}px`);
    stage.measure();
    if (!stage.moved) stage.fit(true);
  }
  /** @type {Record<string, () => void>} */
  const changes = {
    scene: () => {
      const before = new Set(stage.nodes.keys()), now = scene();
      born.scene = model.get("kernel");
      answered();
      remember(now);
      if (inPass()) return tellStatus();
      showAll();
      if (!now || now.busy || !Array.isArray(now.nodes)) return;
      const fresh = now.nodes.filter((node) => !before.has(node.id) && node.kind !== "accumulate").map((node) => called(node, lang));
      const said = [w("sceneSay", { n: now.nodes.length }), ...(before.size && fresh.length ? [w("newSay", { n: fresh.slice(0, 6).join(", ") })] : []), ...(now.moved ?? []).map((m) => w("moved", { n: m.name }))];
      spoken = say.textContent = said.join(lang === "zh" ? "" : " ");
    },
    trace: () => {
      const now = trace();
      born.trace = model.get("kernel");
      answered();
      cut(false);
      pause();
      if (!tried) {
        remember(now?.scene);
        ranges.clear();
        queueMicrotask(() => safely(roll)); // the view and the step come with it
      }
      tried = 0;
      move();
      if (inPass()) return showAll();
      tellPlayer();
      passMark.hidden = !now;
      if (now && !scene()?.busy && Array.isArray(now.steps)) spoken = say.textContent = w("passSay", { n: now.steps.length });
    },
    losses: tellLoss,
    step: () => {
      if (!setting) cut(false);
      if (playing && !setting) pause(); // another view has taken over
      if (inPass() && stage.svg) showStep();
      else tellPlayer();
    },
    view: () => { if (!inPass()) { cut(false); pause(); } tellTabs(); showAll(); },
    language: chooseLanguage,
    speed: tellSpeed,
    following: tellStatus,
    kernel: tellStatus,
    height: fitRoom,
  };
  const guarded = Object.entries(changes).map(([key, change]) => /** @type {[string, (content?: any) => void]} */ ([`change:${key}`, () => safely(change)]));
  const died = () => { gone = true; tellStatus(); };
  guarded.push(["comm_live_update", died], ["comm:close", died]); // a restart; a closed panel
  guarded.push(["msg:custom", (content) => { if (content?.type === "here") { answered(); tellStatus(); } }]);
  for (const [event, act] of guarded) model.on(event, act);

  el.append(root);
  // A kernel that crashed or was shut down says so only here, and only in JupyterLab; and when a cell has ended.
  const kernel = model.widget_manager?.kernel;
  const heard = (/** @type {any} */ _, /** @type {string} */ state) => {
    if (["autorestarting", "dead", "terminating"].includes(state)) died();
  };
  const ended = (/** @type {any} */ _, /** @type {any} */ said) => {
    if (said.header.msg_type !== "status" || said.content.execution_state !== "idle" || said.parent_header.msg_type !== "execute_request") return;
    window.clearTimeout(soon);
    soon = window.setTimeout(check, 300); // what the cell has sent has then arrived
  };
  let soon = 0;
  kernel?.statusChanged?.connect(heard);
  kernel?.disposed?.connect(died);
  kernel?.iopubMessage?.connect(ended);

  stage.measure();
  tellTabs();
  chooseLanguage();
  if (model.get("ident")) shout("shown");
  if (model.widget_manager) check(); // a saved page has no kernel to ask
  const sizer = typeof ResizeObserver === "function" ? new ResizeObserver(fitRoom) : null;
  sizer?.observe(root);
  tabs.hidden = model.get("following") === null && !(scene() && trace());
  if (model.get("following") === null && trace() && typeof IntersectionObserver === "function") { // a saved pass plays when it is seen
    eye = new IntersectionObserver(([seen]) => {
      if (!seen.isIntersecting) return;
      eye?.disconnect();
      safely(roll);
    });
    eye.observe(root);
  }

  return () => {
    cut(false);
    pause();
    window.clearTimeout(soon);
    window.clearTimeout(asked);
    for (const [event, act] of guarded) model.off(event, act);
    kernel?.statusChanged?.disconnect(heard);
    kernel?.disposed?.disconnect(died);
    kernel?.iopubMessage?.disconnect(ended);
    sizer?.disconnect();
    stage.rest();
    root.remove();
  };
}

export default { render };
