// The panel in a page without layout (jsdom): what it shows, what keys and other views do, what it leaves behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import widget, { standIn } from "../../viz/notebook/static/widget.js";
import { browser, fixture } from "./helper.js";

const window = browser();

function open(name, more = {}, manager = undefined) {
  const model = standIn({ ...fixture(name), step: 0, view: "pass", language: "en", speed: 50, following: true, kernel: "k1", height: 300, ...more });
  model.widget_manager = manager;
  return { model, ...view(model) };
}
function view(model) {
  const el = document.createElement("div");
  document.body.append(el);
  const close = widget.render({ model, el });
  const $ = (selector) => el.querySelector(selector), $$ = (selector) => [...el.querySelectorAll(selector)];
  const key = (name, target = $(".viz-live")) => target.dispatchEvent(new window.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const button = (label) => $$("button").find((b) => b.getAttribute("aria-label")?.startsWith(label));
  return { el, close, $, $$, key, button };
}
const until = async (met) => { for (let i = 0; i < 400 && !met(); i++) await later(10); };
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const node = (panel, label) => panel.$$(".node").find((g) => g.getAttribute("aria-label").startsWith(label));

test("keys step forward and back, to both ends, and no further", () => {
  const panel = open("chain"), { model, key } = panel, n = model.get("trace").steps.length;
  key("ArrowLeft");
  assert.equal(model.get("step"), 0);
  key("ArrowRight");
  key("ArrowRight");
  assert.equal(model.get("step"), 2);
  assert.equal(node(panel, "PowBackward0").dataset.state, "now");
  assert.match(panel.$("[role=status]").textContent, /^Step 2 of 6\. PowBackward0/);
  key("End");
  key("ArrowRight");
  assert.equal(model.get("step"), n);
  assert.match(node(panel, "w,").textContent, /grad\s*42/);
  key("Home");
  assert.equal(model.get("step"), 0);
  assert.match(node(panel, "w,").textContent, /grad\s*None/);
  assert.equal(panel.$$(".vl-label").filter((e) => e.style.display !== "none").length, 0);
});

test("a node says its gradient aloud as it is at the step, and numbers as one writes them", () => {
  const panel = open("chain"), { key } = panel, said = (label) => node(panel, label).getAttribute("aria-label");
  assert.match(said("w,"), /^w, leaf tensor, 2, grad None/);
  assert.match(said("AddBackward0"), /operation, 7, waits/);
  key("End");
  assert.match(said("w,"), /^w, leaf tensor, 2, grad 42/);
  assert.match(said("AddBackward0"), /operation, 7, grad 14, done/);
});

test("a node says the gradient that it holds where no pass is played, what failed at it, and nothing twice", () => {
  const scenes = [fixture("chain").scene, fixture("error").trace.scene, fixture("moved").scene];
  const said = scenes.map((scene) => open("chain", { view: "live", scene }).$$(".node").map((g) => g.getAttribute("aria-label")));
  assert.ok(said[0].includes("w, leaf tensor, 2, grad None"));
  assert.ok(said[1].some((text) => text.endsWith(", backward stops here")));
  assert.ok(said[2].includes("w (old), leaf tensor, 2, grad 4"));
  assert.ok(said[2].includes("no gradient flows here"));
});

test("the button of the language speaks it, and is called what stands on it", () => {
  for (const [language, other] of [["en", "zh"], ["zh", "en"]]) {
    const { $ } = open("chain", { language }), button = $(".vl-language");
    assert.equal(button.lang, other);
    assert.ok(button.getAttribute("aria-label").includes(button.textContent));
  }
});

test("a button that goes away leaves the keyboard to the panel", () => {
  const panel = open("chain", { view: "live" }), fold = panel.button("Close opened");
  panel.model.set("scene", { ...fixture("folded").scene, serial: 7 });
  panel.$(".node.folded").dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  panel.$(".vl-wide").click();
  panel.model.set("scene", { ...fixture("moved").scene, serial: 8 }); // without groups
  fold.focus();
  fold.click();
  assert.ok(fold.hidden);
  assert.equal(document.activeElement, panel.$(".viz-live"));
});

test("what is said of the keys is what they do", () => {
  const panel = open("chain"), { $, $$, key } = panel, stops = () => $$(".node[tabindex='0']"), [first] = stops();
  assert.match($(".viz-live").getAttribute("aria-description"), /Tab goes to the graph: there arrow keys move between nodes, and Enter opens/);
  assert.equal(stops().length, 1);
  first.focus();
  for (const arrow of ["ArrowUp", "ArrowLeft"]) key(arrow, first);
  assert.equal(stops().length, 1);
  assert.notEqual(stops()[0], first);
  assert.equal(document.activeElement, stops()[0]);
  key("Enter", stops()[0]);
  assert.ok(!$(".vl-card").hidden);
});

test("a saved page offers no group to open or to close: nobody is there to draw it", () => {
  const buttons = (more) => {
    const panel = open("folded", { view: "live", ...more });
    panel.$(".node.folded").dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
    return [panel.button("Close opened"), panel.$(".vl-wide")].map((button) => !button.hidden);
  };
  assert.deepEqual([buttons({}), buttons({ following: null })], [[true, true], [false, false]]);
});

test("a saved page is no live graph by its name either", () => {
  assert.equal(open("chain").$(".viz-live").getAttribute("aria-label"), "Live graph");
  assert.equal(open("chain", { following: null }).$(".viz-live").getAttribute("aria-label"), "Computation graph");
});

test("keys stay in the panel, but those with a modifier do not", () => {
  const { key, $ } = open("chain");
  let heard = 0;
  document.addEventListener("keydown", () => { heard += 1; });
  key("ArrowRight");
  key("x");
  assert.equal(heard, 0);
  $(".viz-live").dispatchEvent(new window.KeyboardEvent("keydown", { key: "s", ctrlKey: true, bubbles: true }));
  assert.equal(heard, 1);
});

test("what a pass of before has freed is not kept in this one", () => {
  const { trace } = fixture("twice");
  for (const step of trace.steps) delete step.freed;
  const panel = open("twice", { trace }), { id } = trace.scene.nodes.find((n) => n.label === "MulBackward0");
  panel.$(`.node[data-id="${id}"]`).dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  assert.deepEqual([...new Set(panel.$$(".vl-cSaved .vl-slip").map((slip) => slip.className))], ["vl-slip freed"]);
});

test("it plays to the end, and a pause holds it", async () => {
  const { model, key, button } = open("chain", { speed: 100 });
  key(" ");
  assert.ok(button("Pause"));
  await until(() => button("Play"));
  assert.equal(model.get("step"), model.get("trace").steps.length);
  assert.ok(button("Play"));
  model.set("speed", 0.5);
  key(" "); // from the start again
  assert.equal(model.get("step"), 0);
  key(" ");
  await later(50);
  assert.equal(model.get("step"), 0);
});

test("two views of one model go together; two models do not", () => {
  const one = open("chain"), two = view(one.model), other = open("chain");
  one.key("ArrowRight");
  assert.equal(two.$(".vl-count").textContent, "1 / 6");
  assert.equal(other.$(".vl-count").textContent, "0 / 6");
  two.button("Language") ?? two.$(".vl-language").click();
  assert.equal(one.$(".viz-live").lang, "zh-CN");
  assert.equal(other.$(".viz-live").lang, "en");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  assert.equal(new Set(ids).size, ids.length);
});

test("a new scene keeps what is known, marks what is new, and leaves nothing behind", () => {
  const panel = open("chain", { view: "live" }), { model, el } = panel;
  const size = () => el.querySelectorAll("*").length;
  const scene = model.get("scene"), before = size();
  for (let i = 0; i < 50; i++) model.set("scene", { ...scene, serial: i + 2 });
  assert.equal(size(), before);
  model.set("scene", { ...fixture("moved").scene, serial: 99 });
  assert.match(panel.$(".vl-note").textContent, /w now refers to another tensor/);
  assert.equal(panel.$$(".vl-moved").length, 1);
});

test("what its cell did besides is said below a pass, too, once, and only of its own cell", () => {
  const panel = open("chain", { view: "pass" }), { model } = panel, trace = model.get("trace"), { cell } = trace, folded = { en: "Folded.", zh: "" };
  const said = () => panel.$$(".vl-note:not([hidden]) p").map((p) => p.textContent);
  model.set("trace", { ...trace, scene: { ...trace.scene, note: folded } });
  const scene = { ...fixture("moved").scene, cell, serial: 99, note: { en: "Folded. And more.", zh: "" } };
  model.set("scene", scene);
  assert.deepEqual(said(), ["w now refers to another tensor", "Folded.", " And more."]);
  model.set("scene", { ...scene, cell: cell + 1, serial: 100 });
  assert.deepEqual(said(), ["Folded."]);
});

test("what is new is read aloud by its name, and nothing that has none", () => {
  const panel = open("chain", { view: "live", language: "zh" }), { model } = panel, scene = model.get("scene"), [some] = scene.nodes;
  const more = [["p", "p"], ["None", ""], ["q", "q"]].map(([label, title], i) => ({ ...some, kind: "untracked", id: `more${i}`, label, title, names: title ? [title] : [], words: null }));
  const ids = more.map(({ id }) => `<g class="node" data-id="${id}"></g>`).join("");
  model.set("scene", { ...scene, serial: 9, nodes: [...scene.nodes, ...more], svg: scene.svg.replace("</svg>", `${ids}</svg>`) });
  assert.match(panel.$("[role=status]").textContent, /新出现：p、q。$/);
  const note = { en: "In [2] ended with TypeError", zh: "In [2] 因错误中止：TypeError" };
  model.set("scene", { ...fixture("moved").scene, serial: 10, note });
  assert.match(panel.$("[role=status]").textContent, /。In \[2\] 因错误中止：TypeError。w 现在引用另一个张量。$/);
});

test("a card says what is known, and follows the step", () => {
  const panel = open("chain", { step: 2 });
  node(panel, "w,").dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  const text = () => panel.$(".vl-card").textContent;
  assert.match(text(), /leaf tensor.*value2.*\.gradNone/s);
  const opened = () => panel.$$(".node[aria-expanded=true]").map((g) => g.getAttribute("aria-label").split(",")[0]).join();
  assert.deepEqual([opened(), panel.$$(".node[aria-expanded=false]").length], ["w", 7]);
  panel.key("End");
  assert.match(text(), /\.grad42/);
  panel.key("Enter", node(panel, "MulBackward0"));
  assert.match(text(), /∂L\/∂a = g · b.*saved tensors.*freed/s);
  assert.ok(!text().includes("retain_grad"), "it has no name to be asked by");
  assert.equal(opened(), "MulBackward0 (w * x)");
  panel.key("Home");
  assert.match(text(), /saved tensors.*kept/s);
  panel.key("Enter", node(panel, "AddBackward0"));
  assert.match(text(), /\.gradNone: only z\.retain_grad\(\)/, "whatever gradient comes to it");
  panel.key("Escape");
  assert.ok(panel.$(".vl-card").hidden);
  assert.equal(opened(), "");
});

test("an error is shown with its hint in the chosen language", () => {
  const panel = open("error", { step: 3, language: "zh" });
  assert.equal(node(panel, "MulBackward0").dataset.state, "failed");
  assert.match(panel.$(".vl-steps").textContent, /怎么办.*保存的值已经用过并释放了.*RuntimeError: Trying to backward/s);
  const message = panel.$(".vl-steps details");
  assert.ok(!message.open, "what PyTorch says stands in the cure's way");
  panel.key("Enter", message.firstElementChild);
  panel.key(" ", message.firstElementChild);
  assert.equal(panel.model.get("step"), 3, "keys that open the message play the pass");
});

test("Shift+Enter and Ctrl+Enter reach the notebook, and press no button", async () => {
  const panel = open("chain", { step: 3 }), back = panel.button("One step back");
  /** @type {any[]} */
  const heard = [];
  const deaf = () => panel.$(".viz-live").hasAttribute("data-lm-suppress-shortcuts");
  document.addEventListener("keydown", (e) => { if (!deaf() && !e.defaultPrevented) heard.push(e); }); // as JupyterLab does
  for (const held of ["shiftKey", "ctrlKey", "metaKey", "altKey"]) {
    const event = new window.KeyboardEvent("keydown", { key: "Enter", [held]: true, bubbles: true, cancelable: true });
    back.focus();
    back.dispatchEvent(event);
    assert.equal(heard.at(-1), event, `${held} and Enter do not reach the notebook`);
    assert.equal(document.activeElement, panel.$(".viz-live"), `${held} and Enter press the button`);
  }
  back.dispatchEvent(new window.KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  assert.equal(heard.length, 4, "Enter alone is the panel's");
  assert.ok(deaf(), "JupyterLab's own keys would be heard from now on");
  panel.close();
});

test("nothing in a stranger's picture can run", () => {
  const { scene } = fixture("chain");
  const evil = `<script>globalThis.ran = 1</script><a href="javascript:ran=1"><text>x</text></a><image href="x" onerror="ran=1"/>
    <foreignObject><iframe srcdoc="&lt;script>parent.ran=1&lt;/script>"></iframe></foreignObject><set attributeName="href" to="x" onbegin="ran=1"/>`;
  const svg = scene.svg.replace("<svg ", '<svg onload="ran=1" ').replace('<g class="node ', `${evil}<g onclick="ran=1" ONFOCUS="ran=1" class="node `);
  const panel = open("chain", { scene: { ...scene, svg }, view: "live" });
  const drawn = panel.$("svg.viz"), inside = [drawn, ...drawn.querySelectorAll("*")];
  assert.ok(panel.$$(".node").length === scene.nodes.length, "the picture itself is gone");
  assert.deepEqual(inside.flatMap((e) => [...e.attributes]).filter((a) => /^on/i.test(a.name)).map((a) => a.name), []);
  assert.equal(drawn.querySelectorAll("script, a, image, foreignObject, iframe, set").length, 0);
  assert.equal(globalThis.ran, undefined);
  panel.close();
});

test("a group is opened by the kernel, which is waited for", () => {
  const panel = open("folded", { view: "live" });
  const group = panel.model.get("scene").nodes.find((n) => n.kind === "folded");
  panel.$(".node.folded").dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  panel.$(".vl-card .vl-wide").click();
  assert.deepEqual(panel.model.sent, [{ type: "unfold", id: group.id }]);
  assert.equal(panel.$(".vl-status").textContent, "waiting for the kernel");
  panel.model.set("scene", { ...panel.model.get("scene"), serial: 9 });
  assert.notEqual(panel.$(".vl-status").textContent, "waiting for the kernel");
  panel.$(".vl-earlier").click();
  for (const detail of [1, 2]) panel.$(".vl-stage").dispatchEvent(new window.MouseEvent("click", { bubbles: true, detail }));
  assert.deepEqual(panel.model.sent.slice(1), [{ type: "earlier" }, { type: "fold" }], "earlier results leave it open");
  panel.button("Close opened groups").click();
  assert.deepEqual(panel.model.sent[3], { type: "fold" });
});

test("a pass is remembered after groups of the other view have been closed, which no pass answers", async () => {
  const { trace } = fixture("chain"), leaf = trace.scene.nodes.find((n) => n.kind === "leaf");
  const panel = open("folded", { view: "live", trace }), { model, $ } = panel;
  $(".node.folded").dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  $(".vl-card .vl-wide").click();
  model.set("scene", { ...model.get("scene"), serial: 9 });
  model.set("view", "pass");
  model.send = () => {};
  panel.button("Close opened groups").click();
  model.set("scene", { ...model.get("scene"), serial: 10 });
  await later(0);
  node(panel, `${leaf.title},`).dispatchEvent(new window.Event("click", { bubbles: true }));
  for (const [i, value] of ["0.1", "0.7", "0.9"].entries()) {
    model.set("trace", { ...trace, serial: 5 + i, call: `loss.backward()  #${i}`, scene: { ...trace.scene, nodes: trace.scene.nodes.map((n) => (n.id === leaf.id ? { ...n, value } : n)) } });
  }
  assert.match($(".vl-card .vl-spark").getAttribute("aria-label"), /to 0.9, lowest 0.1/);
  panel.close();
});

test("what cannot be shown, and what is old, is said", () => {
  const panel = open("chain");
  panel.model.set("trace", { steps: 3 });
  assert.match(panel.$(".vl-message").textContent, /cannot read \(/);
  panel.model.set("trace", fixture("chain").trace);
  assert.ok(panel.$(".vl-message").hidden);
  const { trace, scene } = fixture("chain"), says = () => assert.match(panel.$(".vl-message").textContent, /cannot read \(/);
  panel.model.set("trace", { ...trace, steps: [{ ...trace.steps[0], rules: [null] }, ...trace.steps.slice(1)] });
  panel.model.set("step", 1);
  says();
  panel.model.set("view", "live");
  assert.ok(panel.$(".vl-message").hidden);
  panel.model.set("scene", { ...scene, nodes: [null] });
  says();
  panel.model.set("scene", { ...scene, direction: "sideways" });
  assert.ok(panel.$(".vl-message").hidden);
  panel.model.set("trace", trace);
  panel.model.set("view", "pass");
  panel.model.set("following", false);
  assert.match(panel.$(".vl-status").textContent, /no longer following/);
  panel.model.set("kernel", "k2");
  assert.match(panel.$(".vl-status").textContent, /old/);
});

test("a kernel is asked whether it has anything newer, and one that does not answer makes it old", async () => {
  const heard = new Set(), signal = { connect: (f) => heard.add(f), disconnect: (f) => heard.delete(f) };
  const kernel = { status: "idle", statusChanged: { connect() {}, disconnect() {} }, iopubMessage: signal };
  const panel = open("chain", {}, { kernel }), { model, $ } = panel, status = () => $(".vl-status").textContent;
  const [asked] = model.sent;
  assert.deepEqual(asked, { type: "check", scene: model.get("scene").serial, trace: model.get("trace").serial });
  model.tell("msg:custom", { type: "here" });
  await later(3000);
  assert.doesNotMatch(status(), /old/);
  const idle = { header: { msg_type: "status" }, content: { execution_state: "idle" }, parent_header: { msg_type: "execute_request" } };
  for (const hear of heard) hear(null, { ...idle, parent_header: { msg_type: "comm_msg" } });
  await later(400);
  assert.equal(model.sent.length, 1, "only the end of a cell is a reason to ask");
  for (const hear of heard) hear(null, idle);
  await until(() => model.sent.length === 2);
  kernel.status = "busy";
  await until(() => /waiting for the kernel/.test(status()));
  kernel.status = "idle";
  for (const hear of heard) hear(null, idle);
  await until(() => /its kernel is gone; run viz\.live\(\) again/.test(status()));
  assert.equal($("[role=status]").textContent, "old: its kernel is gone; run viz.live() again");
  model.set("scene", { ...model.get("scene"), serial: 50 });
  assert.doesNotMatch(status(), /gone/, "it is there, after all");
  panel.close();
  assert.equal(heard.size, 0);
});

test("nothing to show is said, too", () => {
  const panel = open("chain", { scene: null, trace: null, view: "live" });
  assert.match(panel.$(".vl-message").textContent, /No graph yet.*requires_grad=True/s);
  assert.ok(panel.$(".vl-player").hidden);
  panel.key("ArrowRight");
  panel.key(" ");
  panel.model.set("view", "pass");
  assert.match(panel.$(".vl-message").textContent, /No backward pass/);
  assert.equal(panel.$("[role=status]").textContent, "No backward pass recorded yet. Recording begins with the cell after viz.live(). Run a cell that calls loss.backward()");
});

test("closed, it listens to nothing", async () => {
  const { model, close, el, key } = open("chain", { speed: 50 });
  key(" ");
  close();
  const step = model.get("step");
  await later(80);
  assert.equal(model.get("step"), step);
  assert.equal(el.children.length, 0);
  model.set("step", 3);
  model.set("language", "zh");
});

test("names run nothing", () => {
  const evil = "<img src=x onerror=alert(1)>";
  const state = fixture("chain");
  for (const n of state.trace.scene.nodes) n.label = n.value = evil;
  state.trace.call = state.trace.line = evil;
  state.trace.steps[1].rules = [{ rule: { en: evil, zh: evil }, filled: evil }];
  const panel = open("chain", { ...state, step: 2 });
  panel.$(".node").dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  assert.equal(panel.$$("img, script").length, 0);
  assert.ok(panel.$(".vl-steps").textContent.includes(evil));
});

test("a short division is set as a fraction, and reads as it was written", () => {
  const state = fixture("chain"), rule = "∂y/∂b = -∂y/∂q · (a + 1) / b²", long = `∂d/∂((p - f([3, ${"4, ".repeat(9)}])) ** 2) = ${"very".repeat(9)} / b`;
  state.trace.steps[1].rules = [{ rule: { en: rule, zh: rule }, filled: "3 / 4 = 0.75" }, { rule: { en: long, zh: long }, filled: "" }];
  const panel = open("chain", { ...state, view: "pass", step: 2 });
  const halves = panel.$$(".vl-fraction").map((/** @type {Element} */ it) => [...it.children].map((e) => e.textContent));
  assert.deepEqual(halves, [["∂y", "/", "∂b"], ["-∂y", "/", "∂q"], ["(a + 1)", "/", "b²"], ["3", "/", "4"]]);
  const [first, , last] = panel.$$(".vl-rules code").map((/** @type {Element} */ it) => it.textContent);
  assert.equal(first?.replace(/\s/g, ""), rule.replace(/\s/g, ""));
  assert.equal(last, long);
});

test("a leaf that can be moved has a slider, where a kernel is there to compute what that gives", () => {
  const state = fixture("chain"), leaf = state.trace.scene.nodes.find((n) => n.kind === "leaf");
  state.trace.leaves = { [leaf.id]: [2] };
  for (const manager of [undefined, {}]) {
    const panel = open("chain", state, manager), { model } = panel;
    model.set("step", 3);
    node(panel, `${leaf.title},`).dispatchEvent(new window.Event("click", { bubbles: true }));
    const slider = panel.$(".vl-move input");
    assert.equal(Boolean(slider), manager !== undefined);
    if (!slider) continue;
    const drag = (value) => { slider.value = value; slider.dispatchEvent(new window.Event("input", { bubbles: true })); };
    const asked = () => model.sent.filter((m) => m.type === "move");
    drag("3");
    drag("3.5");
    assert.deepEqual(asked(), [{ type: "move", leaves: { [leaf.id]: [3] } }], "one question at a time");
    assert.equal(panel.$(".vl-move span").textContent, "3.5");
    model.set("trace", { ...state.trace, serial: 2, leaves: { [leaf.id]: [3] } });
    assert.equal(panel.$(".vl-move input"), slider, "a slider that is held stays");
    assert.deepEqual(asked()[1], { type: "move", leaves: { [leaf.id]: [3.5] } });
    slider.dispatchEvent(new window.Event("change", { bubbles: true }));
    assert.equal(model.get("step"), 3, "what is shown stays the same step");
    model.set("trace", { ...state.trace, serial: 3, leaves: { [leaf.id]: [3.5] } });
    assert.equal(panel.$(".vl-move span").textContent, "3.5");
    panel.close();
  }
});

test("the card of a leaf shows how it has changed while a loop ran", () => {
  const state = fixture("chain"), leaf = state.trace.scene.nodes.find((n) => n.kind === "leaf");
  const panel = open("chain", state), { model } = panel;
  const pass = (serial, value) => ({ ...state.trace, serial, call: `loss.backward()  #${serial}`, scene: { ...state.trace.scene, nodes: state.trace.scene.nodes.map((n) => (n.id === leaf.id ? { ...n, value } : n)) } });
  node(panel, `${leaf.title},`).dispatchEvent(new window.Event("click", { bubbles: true }));
  model.set("trace", pass(5, "1."));
  assert.equal(panel.$(".vl-card .vl-spark"), null, "one number is no history");
  model.set("trace", pass(6, "0.5"));
  model.set("trace", pass(7, "0.25"));
  assert.equal(panel.$(".vl-card .vl-spark").getAttribute("aria-label"), "From 1 to 0.25, lowest 0.25.");
  panel.close();
});

test("the picture scrolls no further than it must, and shows the leaf whose .grad changes", () => {
  const panel = open("chain"), stage = panel.$(".vl-stage"), { nodes, edges } = fixture("chain").trace.scene;
  const seen = (wide, high) => Object.entries({ clientWidth: wide, clientHeight: high }).forEach(([key, value]) => Object.defineProperty(stage, key, { value, configurable: true }));
  const { node: running } = fixture("chain").trace.steps.at(-1), leaf = nodes.find((n) => n.id === edges.find((e) => e.source === running).target);
  const output = nodes.find((n) => n.label === "PowBackward0");
  seen(9999, 160);
  Object.assign(stage, { scrollLeft: 0, scrollTop: 9999 });
  panel.key("End");
  assert.equal(stage.scrollLeft, 0, "its width is in view");
  assert.ok(stage.scrollTop <= leaf.y - leaf.height / 2 && stage.scrollTop + 160 >= leaf.y + leaf.height / 2, "the name and the .grad");
  seen(output.width / 2, 9999);
  panel.key("Home");
  panel.key("ArrowRight");
  assert.equal(stage.scrollLeft, output.x - output.width / 2, "what is wider than all is shown from its beginning");
  panel.close();
});

test("which pass of a loop is shown is said in a narrow panel, too", () => {
  const { trace } = fixture("chain"), shown = (call) => open("chain", { trace: { ...trace, call } });
  assert.equal(shown("loss.backward()  #120").$(".vl-call.vl-nth code").textContent, "loss.backward()  #120");
  assert.equal(shown("loss.backward()").$(".vl-nth"), null, "the line of code says it");
});

test("a recorded pass stays in its cell: only a live panel goes beside the notebook", () => {
  const hear = (e) => e.preventDefault();
  document.addEventListener("minigrad-dock", hear);
  const live = open("chain", { ident: "m1" }), recorded = open("chain", { following: null });
  document.removeEventListener("minigrad-dock", hear);
  assert.deepEqual([live, recorded].map((panel) => [panel.$(".vl-dock").hidden, panel.$(".viz-live").classList.contains("vl-docks")]), [[false, true], [true, false]]);
});
