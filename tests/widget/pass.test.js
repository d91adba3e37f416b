// What is true at a step, and how it is said: pure functions on recorded passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { explain, sentence, stateText, sum } from "../../viz/notebook/static/explain.js";
import { brief, curve } from "../../viz/notebook/static/history.js";
import { each, momentAt } from "../../viz/notebook/static/moment.js";
import { called, placed, plain } from "../../viz/notebook/static/names.js";
import { pickLanguage, word } from "../../viz/notebook/static/words.js";
import { code, fixture } from "./helper.js";

const chain = fixture("chain").trace, twice = fixture("twice").trace, error = fixture("error").trace;
const at = (trace, kind, nth = 0) => trace.steps.flatMap((s, i) => (s.kind === kind ? [i + 1] : []))[nth];
const byLabel = (trace, label) => trace.scene.nodes.find((n) => n.label === label);

test("before the pass all wait, nothing has flowed, .grad is what it was", () => {
  const moment = momentAt(chain, 0);
  assert.deepEqual(Object.fromEntries([...moment.nodes].map(([id, s]) => [id, s.waits])), chain.pending);
  assert.ok([...moment.nodes.values()].every((s) => s.status === "waiting"));
  assert.equal(moment.edges.size, 0);
  assert.equal(moment.grads.get(byLabel(chain, "w").id), "None");
  assert.equal(moment.now, null);
});

test("every step's gradients stand on the edges it sent them along", () => {
  chain.steps.forEach((step, i) => {
    const moment = momentAt(chain, i + 1);
    for (const { target, input_nr, gradient } of step.out ?? []) {
      const edge = chain.scene.edges.findIndex((e) => e.source === step.node && e.target === target && e.input_nr === input_nr);
      if (!gradient || edge < 0) continue;
      const { text, fresh } = moment.edges.get(edge);
      assert.deepEqual([text, fresh], [plain(gradient.short), true]);
    }
    assert.equal(moment.now, step.node);
  });
  const last = momentAt(chain, chain.steps.length);
  assert.deepEqual([...last.edges.values()].map((e) => e.text).sort(), ["14", "14", "14", "14", "42", "42"]);
  assert.equal([...last.edges.values()].filter((e) => e.fresh).length, 1);
});

test("a leaf's .grad is what the steps so far made of it, forward and back", () => {
  const leaf = byLabel(twice, "w").id, k = at(twice, "accumulate");
  assert.equal(momentAt(twice, k - 1).grads.get(leaf), "[10, 10]");
  assert.equal(momentAt(twice, k).grads.get(leaf), "[27.5, 126.6]");
  assert.equal(sum(twice.steps[k - 1]), "[10, 10] + [17.5, 116.6] = [27.5, 126.6]");
  assert.equal(sum(chain.steps[at(chain, "accumulate") - 1]), "None + 14 = 14");
});

test("where no gradient comes it is None, not 0, and the leaf's .grad stays what it was", () => {
  const nothing = fixture("nothing").trace, last = nothing.steps.length, { grads } = momentAt(nothing, last);
  assert.equal(grads.get(byLabel(nothing, "MulBackward0").id), "None");
  assert.equal(grads.get(byLabel(nothing, "b").id), "None");
  const rows = (k, kind) => explain(nothing, k, "en").filter((block) => block.kind === kind).flatMap((block) => block.rows);
  assert.deepEqual(rows(at(nothing, "op"), "out").map((row) => row.text), ["1.", "None"].map(plain));
  assert.deepEqual(rows(last, "sum").map((row) => row.text), ["No gradient arrives: b.grad stays None"]);
  assert.equal(nothing.scene.note.en, "");
});

test("counts fall as gradients come; at none the node is ready, and fires once", () => {
  const exp = byLabel(twice, "ExpBackward0").id;
  const history = [...twice.steps.keys(), twice.steps.length].map((k) => momentAt(twice, k).nodes.get(exp));
  assert.deepEqual(history.map((s) => s.waits), [3, 3, 3, 2, 0, 0, 0]);
  assert.deepEqual(history.map((s) => s.status), ["waiting", "waiting", "waiting", "waiting", "ready", "now", "done"]);
  assert.deepEqual(history.map((s) => s.got), [false, false, false, true, true, true, true]);
});

test("what a node saved is freed when it has run", () => {
  const mul = byLabel(twice, "MulBackward0").id, k = twice.steps.findIndex((s) => s.node === mul) + 1;
  assert.equal(momentAt(twice, k - 1).freed.get(mul), undefined);
  assert.deepEqual([...momentAt(twice, k).freed.get(mul)].sort(), ["other", "self"]);
});

test("a group fires once for each operation in it, and says which", () => {
  const { trace } = fixture("folded"), group = byLabel(trace, "30 × repeated") ?? trace.scene.nodes.find((n) => n.kind === "folded");
  const inside = trace.steps.flatMap((s, i) => (s.node === group.id ? [i + 1] : []));
  assert.equal(inside.length, group.count);
  assert.equal(momentAt(trace, 0).nodes.get(group.id).status, "waiting");
  const first = momentAt(trace, inside[0]), second = momentAt(trace, inside[1]), [last] = inside.slice(-1);
  assert.equal(first.now, group.id);
  assert.deepEqual([second.nodes.get(group.id).fired, second.nodes.get(group.id).of], [2, group.count]);
  assert.equal(stateText(second.nodes.get(group.id), "en"), `now 2/${group.count}`);
  assert.equal(momentAt(trace, last + 1).nodes.get(group.id).status, "done");
  const between = inside.find((k, i) => inside[i + 1] > k + 1); // a step of AccumulateGrad outside, say
  if (between) assert.equal(momentAt(trace, between + 1).nodes.get(group.id).status, "part");
  assert.match(sentence(trace, inside[1], "en"), new RegExp(`(Mul|Sin)Backward0 runs.* 2 of ${group.count} inside the group`));
  assert.match(sentence(trace, inside[1], "zh"), /折叠组 .* 内部：第 2 个/);
  assert.ok(explain(trace, inside[1], "en").some((b) => b.kind === "head" && /Backward0 runs/.test(b.title) && b.rows[0].text.startsWith("2 of")));
  const edges = inside.flatMap((k) => [...momentAt(trace, k).edges.keys()].map((at) => trace.scene.edges[at]));
  assert.ok(edges.some((e) => e.source === group.id), "what leaves the group stands on its edges");
});

test("an error stops on its node, which is said with the hint", () => {
  const moment = momentAt(error, error.steps.length), node = byLabel(error, "MulBackward0").id;
  assert.equal(moment.nodes.get(node).status, "failed");
  assert.match(sentence(error, error.steps.length, "en"), /stops at MulBackward0.*a second time.*retain_graph=True/s);
  assert.match(sentence(error, error.steps.length, "zh"), /反向传播停在 MulBackward0.*保存的值已经用过并释放了/s);
  const step = error.steps.at(-1);
  for (const [lang, title] of [["en", "What to do"], ["zh", "怎么办"]]) {
    assert.deepEqual(explain(error, error.steps.length, lang).filter((b) => b.kind === "error"), [
      { kind: "error", title, rows: [{ text: step.hint[lang] }] },
      { kind: "error", title: "", rows: [{ text: step.error, folded: true }] },
    ], "the cure does not come first");
  }
  const alone = { ...error, steps: [...error.steps.slice(0, -1), { ...step, hint: { en: "", zh: "" } }] };
  const [said] = explain(alone, error.steps.length, "en").filter((b) => b.kind === "error");
  assert.deepEqual(said.rows, [{ text: step.error, folded: false }], "where nobody knows a cure, all is said");
});

test("steps are read aloud in both languages", () => {
  assert.equal(sentence(chain, 0, "en"), "Before the pass: Nodes that wait for gradients: 4.");
  assert.equal(sentence(chain, 2, "en"), "Step 2 of 6. PowBackward0 (loss) runs. Gradient in: 1. Gradients out: 14 to AddBackward0 (z). Saved tensors freed: self.");
  assert.equal(sentence(chain, 2, "zh"), "第 2 步，共 6 步。轮到 PowBackward0 (loss)。收到的梯度：1。传出的梯度：14 传给 AddBackward0 (z)。释放保存的张量：self。");
  assert.match(sentence(chain, chain.steps.length, "en"), /w\.grad accumulates\. before \+ new = after: None \+ 42 = 42\. The backward pass is complete/);
  for (const trace of [chain, twice, error]) {
    for (let k = 0; k <= trace.steps.length; k++) {
      assert.doesNotMatch(sentence(trace, k, "en"), /[\u4e00-\u9fff]|undefined|\{/);
      assert.match(sentence(trace, k, "zh"), /[\u4e00-\u9fff]/);
      assert.doesNotMatch(sentence(trace, k, "zh"), /undefined|\{/);
    }
  }
});

test("of many numbers the shape is read aloud, and all of them are on the page", () => {
  const many = { short: "(8, 8)", full: `[${"0.03125, ".repeat(64)}]`, shape: "(8, 8)", size: 0.03125 };
  const [step, added] = [chain.steps[1], chain.steps[at(chain, "accumulate") - 1]];
  const trace = { ...chain, steps: [{ ...step, into: [many] }, { ...added, before: null, added: many, after: many }] };
  assert.match(sentence(trace, 1, "en"), /Gradient in: shape \(8, 8\)\. Gradients out: 14 to/);
  assert.match(sentence(trace, 1, "zh"), /收到的梯度：形状 \(8, 8\)。/);
  assert.match(sentence(trace, 2, "en"), /None \+ \(8, 8\) = \(8, 8\)\. The/);
  for (const k of [1, 2]) assert.match(JSON.stringify(explain(trace, k, "en")), /0\.03125, 0\.03125/);
});

test("a sum has what is below zero in brackets", () => {
  const step = (added) => ({ before: { short: "3." }, added: { short: added }, after: { short: "1." } });
  assert.equal(sum(step("-2.")), "3 + (-2) = 1");
  assert.equal(sum(step("[-2., 1.]")), "3 + [-2, 1] = 1");
});

test("where nothing was recorded no step is promised", () => {
  const said = JSON.stringify(explain({ ...chain, steps: [], pending: {} }, 0, "en"));
  assert.doesNotMatch(said, /Press →/);
  assert.match(JSON.stringify(explain(chain, 0, "en")), /Press →/);
});

test("numbers are written by hand, and names stay as they are", () => {
  assert.equal(plain("[14., -2., 0.5, 1.+2.j, 3.e+05]"), "[14, -2, 0.5, 1+2j, 3.e+05]");
  assert.equal(plain("net.0.weight, w1.T"), "net.0.weight, w1.T");
});

test("a step is explained with the rule, the numbers in it, and who gets what", () => {
  const k = at(chain, "op", 2), blocks = Object.fromEntries(explain(chain, k, "en").map((b) => [b.kind, b]));
  assert.equal(blocks.call.title, "loss.backward()");
  assert.equal(blocks.head.title, "MulBackward0 (w * x) runs");
  assert.deepEqual(blocks.into.rows.map((r) => r.text), ["14"]);
  assert.deepEqual(blocks.rules.rows[0], { text: "∂loss/∂w = ∂loss/∂(w * x) · x", detail: "14 · 3 = 42" });
  assert.deepEqual(blocks.out.rows.map((r) => [r.note, r.text]), [["to AccumulateGrad (w)", "42"]]);
  assert.deepEqual(blocks.freed.rows.map((r) => r.text), ["other"]);
});

test("a line of the notebook is said in one language", () => {
  assert.equal(placed("In [3], line 1: loss.backward()", "zh"), "In [3] 第 1 行：loss.backward()");
  assert.equal(placed("In [3], line 1: loss.backward()", "en"), "In [3], line 1: loss.backward()");
  assert.ok(!JSON.stringify(explain(chain, 2, "zh")).includes("line"));
});

test("the loss curve fits its box, and needs two points", () => {
  assert.equal(curve([[1, 2]], 10, 10), null);
  assert.equal(curve([[1, 2], [2, null]], 10, 10), null);
  const drawn = curve([[1, 4], [2, 0], [3, 2]], 10, 8);
  assert.equal(drawn.d, "M0.0 0.0L5.0 8.0L10.0 4.0");
  assert.deepEqual([drawn.first, drawn.last, drawn.low], [4, 2, 0]);
  assert.ok(!curve([[1, 3], [2, 3]], 10, 8).d.includes("NaN"));
  assert.equal(brief(0.123456), "0.1235");
});

test("only what differs is painted", () => {
  const seen = [];
  each(new Map([["a", 1], ["b", 2], ["c", 3]]), new Map([["b", 2], ["c", 4], ["d", 5]]), (k, v) => seen.push([k, v]));
  assert.deepEqual(seen, [["a", undefined], ["c", 4], ["d", 5]]);
});

test("the language is the chosen one, else the page's, else the browser's", () => {
  assert.equal(pickLanguage("en", "zh-CN", "zh"), "en");
  assert.equal(pickLanguage("auto", "zh-CN", "en"), "zh");
  assert.equal(pickLanguage("auto", "en", "zh-TW"), "zh");
  assert.equal(pickLanguage("auto", "", "de"), "en");
});

test("every text of the table says the same thing in both languages", () => {
  for (const [, key, en, zh] of code.matchAll(/^ {2}(\w+): \{\s*en: "(.*?)",\s*zh: "(.*?)",?\s*\}/gm)) {
    const holes = (text) => (text.match(/\{\w\}/g) ?? []).sort().join();
    assert.equal(holes(en), holes(zh), key);
  }
  for (const [, key] of code.matchAll(/\bw(?:ord)?\("(\w+)"/g)) {
    for (const lang of ["en", "zh"]) assert.ok(word(key, lang), key);
  }
});

test("at the end it is said what computing the pass once more has shown", () => {
  for (const lang of ["en", "zh"]) {
    const end = explain(chain, chain.steps.length, lang).find((b) => b.kind === "end");
    assert.deepEqual(end?.rows, [{ text: chain.replayed[lang] }]);
  }
  assert.match(chain.replayed.en, /^Computed once more, and it agrees: 2 of 2 \.grad, 4 of 4 derivatives\.$/);
});

test("what is read aloud has one full stop where a sentence ends", () => {
  assert.match(sentence(chain, chain.steps.length, "en"), /complete\. Computed once more/);
  assert.match(sentence(chain, chain.steps.length, "zh"), /结束。重新算过一遍/);
});

test("a leaf with several names is called by one of them", () => {
  const names = ["t.model.enc.0.weight", "self.model.enc.0.weight"], leaf = byLabel(chain, "w");
  const node = { ...leaf, names, label: names.join(" = "), title: "t.model.enc.0.weight = sel….enc.0.weight" };
  assert.equal(called(node, "en"), node.title);
  const trace = { ...chain, scene: { ...chain.scene, nodes: chain.scene.nodes.map((n) => (n === leaf ? node : n)) } };
  const [head] = explain(trace, chain.steps.length, "en").filter(({ kind }) => kind === "head");
  assert.equal(head.title, "t.model.enc.0.weight.grad accumulates");
});
