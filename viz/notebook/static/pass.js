// @ts-check
/* What is true at a step of a recorded pass, and how it is said: functions without a page. */

import { word } from "./words.js";

/** Numbers as one writes them by hand: `14.` is 14. @param {string} text */
export const plain = (text) => text.replace(/(\d)\.(?![\de])/g, "$1");

/** @param {Gradient | undefined} gradient */
const short = (gradient) => (gradient ? plain(gradient.short) : "0");

/** A `.grad`, where null is None. @param {Gradient | undefined} gradient */
const shortGrad = (gradient) => (gradient ? plain(gradient.short) : "None");

/** @type {WeakMap<Trace, ReturnType<typeof looked>>} */
const known = new WeakMap();

/** What is looked up in a trace again and again. @param {Trace} trace */
function indexOf(trace) {
  const found = known.get(trace) ?? looked(trace);
  known.set(trace, found);
  return found;
}

/**
 * The nodes by id; the positions of the edges by source, target and input_nr; the largest gradient; and of each step how
 * often its node has fired with it, and how often it does so in the whole pass.
 * @param {Trace} trace
 */
function looked({ steps, scene }) {
  const nodes = new Map(scene.nodes.map((node) => [node.id, node]));
  const edges = new Map(scene.edges.map((e, i) => [`${e.source} ${e.target} ${e.input_nr}`, i]));
  // what is drawn as one node has one edge to each other node, whatever the number of the input
  for (const [i, { source, target }] of scene.edges.entries()) {
    if ([source, target].some((id) => nodes.get(id)?.kind === "folded")) edges.set(`${source} ${target}`, i);
  }
  const sizes = steps.flatMap((step) => [...(step.into ?? []), ...(step.out ?? []).map((o) => o.gradient)].map((g) => g?.size ?? 0));
  /** @type {Map<string | null, number>} */
  const counts = new Map();
  const nth = steps.map(({ node, kind }) => {
    if (kind !== "start") counts.set(node, (counts.get(node) ?? 0) + 1);
    return counts.get(node) ?? 0;
  });
  const firings = steps.map(({ node }, i) => [nth[i], counts.get(node) ?? 0]);
  return { nodes, edges, largest: sizes.reduce((a, b) => Math.max(a, b), 0), firings };
}

/**
 * What each step writes on edges, as [position, gradient].
 * @param {Trace} trace @param {Step} step @returns {[number, NonNullable<Gradient>][]}
 */
function written(trace, step) {
  const index = indexOf(trace).edges, { node } = step;
  /** @type {[number, NonNullable<Gradient>][]} */
  const found = [];
  for (const { target, input_nr, gradient } of step.out ?? []) {
    const at = index.get(`${node} ${target} ${input_nr}`) ?? index.get(`${node} ${target}`);
    if (at !== undefined && gradient) found.push([at, gradient]);
  }
  if (step.kind === "accumulate" && step.added) {
    const at = index.get(`${node} ${step.leaf} 0`);
    if (at !== undefined) found.push([at, step.added]);
  }
  return found;
}

/** How wide the edge of a gradient is drawn, by its size beside the largest of the pass. @param {Trace} trace @param {number | null} size */
export function edgeWidth(trace, size) {
  const { largest } = indexOf(trace);
  if (!largest || size === null || size === undefined) return 2.2;
  return Math.max(1.5, Math.min(5, 1.5 + 3.5 * (1 + Math.log10(size / largest) / 3)));
}

/**
 * What is true after the first `k` steps of a pass (0: before it).
 * @param {Trace} trace @param {number} k @returns {Moment}
 */
export function momentAt(trace, k) {
  /** @type {Moment} */
  const moment = { nodes: new Map(), edges: new Map(), grads: new Map(), freed: new Map(), now: null, receiver: null };
  const { nodes, edges, grads, freed } = moment;
  const fires = indexOf(trace).firings;
  for (const [id, waits] of Object.entries(trace.pending)) nodes.set(id, { status: "waiting", waits, got: false, order: 0, fired: 0, of: 1 });
  const find = finder(trace);
  trace.steps.forEach((step, i) => {
    const past = i < k, present = i === k - 1, op = (step.kind === "op" || step.kind === "start") && !step.member;
    if (op && step.node !== null) {
      if (past) grads.set(step.node, (step.into ?? []).map((g) => plain(short(g))).join(", "));
      else if (!grads.has(step.node)) grads.set(step.node, "·");
    }
    for (const { target, gradient } of (past && step.out) || []) {
      const kind = find(target)?.kind;
      if (!target || !gradient || (kind !== "op" && kind !== "custom")) continue;
      const before = (grads.get(target) ?? "·").replace(/^·$| \+ …$/g, "");
      grads.set(target, [before, plain(gradient.short), ...((step.pending?.[target] ?? 0) > 0 ? ["…"] : [])].filter(Boolean).join(" + "));
    }
    if (step.kind === "accumulate" && step.leaf) {
      if (past) grads.set(step.leaf, plain(shortGrad(step.after)));
      else if (!grads.has(step.leaf)) grads.set(step.leaf, plain(shortGrad(step.before)));
    }
    if (step.member && step.node !== null && !nodes.has(step.node)) {
      nodes.set(step.node, { status: "waiting", waits: 0, got: false, order: 0, fired: 0, of: fires[i][1] });
    }
    if (!past) return;
    for (const [id, waits] of Object.entries(step.pending ?? {})) {
      const known = nodes.get(id);
      if (!known || known.status === "waiting" || known.status === "ready") {
        nodes.set(id, { status: waits === 0 ? "ready" : "waiting", waits, got: true, order: 0, fired: 0, of: 1 });
      }
    }
    for (const [at, gradient] of written(trace, step)) {
      const rests = (trace.pending[trace.scene.edges[at].target] ?? 0) > 1;
      edges.set(at, { text: plain(gradient.short), fresh: present, rests, wide: edgeWidth(trace, gradient.size) });
    }
    if (step.node === null) return;
    const [fired, of] = step.member ? fires[i] : [1, 1];
    const status = step.kind === "error" ? "failed" : present ? "now" : fired < of ? "part" : "done";
    nodes.set(step.node, { status, waits: 0, got: true, order: i + 1, fired, of });
    if (step.freed?.length && !step.member) freed.set(step.node, new Set([...(freed.get(step.node) ?? []), ...step.freed]));
    if (present) {
      moment.now = step.node;
      moment.receiver = step.kind === "accumulate" ? (step.leaf ?? null) : null;
    }
  });
  return moment;
}

/** What a node is called: its label, and the variable it belongs to. @param {SceneNode | undefined} node @param {Lang} lang */
export function called(node, lang) {
  if (!node) return word("hidden", lang);
  const own = node.words?.[lang] ?? (node.title || node.names[0] || ""), label = node.label === node.title || (node.words && node.kind === "folded") ? own : node.label;
  if (node.label === "None") return own || word("kind_untracked", lang);
  return own && label !== own && !label.split(" ").includes(own) ? `${label} (${own})` : label;
}

/** A line of the notebook, in words. @param {string} text @param {Lang} lang */
export const placed = (text, lang) => (lang === "zh" ? text.replace(/^(In \[\d+\]), line (\d+): /, "$1 第 $2 行：") : text);

/** Which line of which cell: `3:2`; empty where a text names none. @param {string} text */
export function lineOf(text) {
  const found = /^In \[(\d+)\], line (\d+):/.exec(text);
  return found ? `${found[1]}:${found[2]}` : "";
}

/** The line that a step belongs to: what made the node that fires, or asked for the pass. @param {Trace} trace @param {number} k */
export function lineOfStep(trace, k) {
  const step = trace.steps[k - 1];
  if (!step || step.kind === "start") return lineOf(trace.line);
  return lineOf(step.member?.source ?? finder(trace)(step.leaf ?? step.node)?.source ?? "");
}

/** What the leaf of a step is called. @param {Trace} trace @param {Step} step @param {Lang} lang */
const leafOf = (trace, step, lang) => (step.leaf ? called(finder(trace)(step.leaf), lang) : (step.name ?? ""));

/** What fires at a step. @param {Trace} trace @param {Step} step @param {Lang} lang */
const firing = (trace, step, lang) => step.member?.label ?? called(finder(trace)(step.node), lang);

/** Which of its group's operations fires at step `k`; empty where it stands alone. @param {Trace} trace @param {number} k @param {Lang} lang */
function inGroup(trace, k, lang) {
  const step = trace.steps[k - 1];
  if (!step.member) return "";
  const [fired, of] = indexOf(trace).firings[k - 1];
  return word("inGroup", lang, { k: fired, n: of, g: called(finder(trace)(step.node), lang) });
}

/** `before + new = after` @param {Step} step */
export const sum = (step) => plain(`${shortGrad(step.before)} + ${short(step.added)} = ${shortGrad(step.after)}`);

/** @param {Trace} trace @returns {(id: string | null | undefined) => SceneNode | undefined} */
const finder = (trace) => (id) => indexOf(trace).nodes.get(id ?? "");

/**
 * A step read aloud.
 * @param {Trace} trace @param {number} k @param {Lang} lang @returns {string}
 */
export function sentence(trace, k, lang) {
  const find = finder(trace), step = trace.steps[k - 1];
  if (!step) {
    const n = Object.values(trace.pending).filter((count) => count > 0).length;
    return word("beforeSay", lang, { n });
  }
  const n = firing(trace, step, lang), inside = inGroup(trace, k, lang);
  const said = [word("stepOf", lang, { k, n: trace.steps.length }) + (lang === "zh" ? "：" : ".")];
  const gradients = (step.into ?? []).map(short).join(", ");
  if (step.kind === "start") said.push(word("startSay", lang, { c: trace.call, n, g: gradients }));
  if (step.kind === "op") said.push(word("opSay", lang, { n, g: gradients }));
  if (inside) said.push(inside + (lang === "zh" ? "。" : "."));
  if (step.kind === "accumulate") said.push(word("accSay", lang, { n: leafOf(trace, step, lang), s: sum(step) }));
  if (step.kind === "error") said.push(word("errorSay", lang, { n, e: step.error ?? "" }), step.hint?.[lang] ?? "");
  if (step.kind === "op") {
    for (const { target, gradient, member } of step.out ?? []) {
      if (gradient && target) said.push(word("sends", lang, { g: plain(gradient.short), n: member ?? called(find(target), lang) }));
    }
    for (const [id, waits] of Object.entries(step.pending ?? {})) {
      const mark = lang === "zh" ? "。" : ".";
      if (waits > 0) said.push(`${called(find(id), lang)} ${word("waitsMore", lang, { n: waits })}${mark}`);
    }
  }
  if (step.freed?.length) said.push(word("freedSay", lang, { n: step.freed.join(", ") }));
  if (k === trace.steps.length && trace.ended) said.push(word("endSay", lang));
  // a number such as 14. ends a sentence well enough
  return said.filter(Boolean).join(lang === "zh" ? "" : " ").replace(/\.\.(?= |$)/g, ".");
}

/**
 * A step explained, block by block, for the panel beside the picture.
 * @param {Trace} trace @param {number} k @param {Lang} lang @returns {Block[]}
 */
export function explain(trace, k, lang) {
  const find = finder(trace), step = trace.steps[k - 1];
  /** @param {Gradient | undefined} g @param {string} [note] */
  const shown = (g, note) => ({ text: g ? plain(g.full) : word("zero", lang), detail: g?.shape, note });
  /** @type {Block[]} */
  const blocks = trace.call ? [{ kind: "call", title: trace.call, rows: [{ text: placed(trace.line || "", lang) }] }] : [];
  if (!step) {
    blocks.push({ kind: "head", title: word("atStart", lang), rows: [{ text: sentence(trace, 0, lang) }, { text: word("beforeHint", lang) }] });
    if (trace.retain_graph) blocks.push({ kind: "freed", title: "", rows: [{ text: word("retained", lang) }] });
    return blocks;
  }
  const node = find(step.node), n = firing(trace, step, lang), source = step.member?.source ?? node?.source ?? "";
  const heads = { start: "startHead", op: "opHead", accumulate: "accHead", error: "errorHead" };
  const head = word(heads[step.kind], lang, { n: step.kind === "accumulate" ? leafOf(trace, step, lang) : n });
  blocks.push({ kind: "head", title: head, rows: [{ text: inGroup(trace, k, lang) }, { text: placed(source, lang) }].filter((row) => row.text) });
  if (step.kind === "error") {
    const cure = step.hint?.[lang]; // first: what PyTorch says besides may be long
    if (cure) blocks.push({ kind: "error", title: word("hintTitle", lang), rows: [{ text: cure }] });
    blocks.push({ kind: "error", title: "", rows: [{ text: step.error ?? "", folded: Boolean(cure) }] });
  }
  if (step.rules?.length) {
    const rows = step.rules.map(({ rule, filled }) => ({ text: rule[lang], detail: plain(filled) }));
    blocks.push({ kind: "rules", title: word("rulesTitle", lang), rows });
  }
  const into = step.into ?? [];
  if (into.length && step.kind !== "accumulate") {
    const rows = into.map((g, i) => shown(g, into.length > 1 ? word("intoNr", lang, { n: i }) : undefined));
    blocks.push({ kind: "into", title: word("intoTitle", lang), rows });
  }
  if (step.kind === "accumulate") {
    const rows = [{ text: sum(step) }];
    if (step.after && step.after.full !== step.after.short) rows.push({ text: `${leafOf(trace, step, lang)}.grad = ${plain(step.after.full)}` });
    blocks.push({ kind: "sum", title: word("sumTitle", lang), rows });
  }
  const out = (step.out ?? []).filter((sent) => sent.gradient);
  if (out.length) {
    const rows = out.map((sent) => shown(sent.gradient, word("to", lang, { n: sent.member ?? (sent.target ? called(find(sent.target), lang) : word("hidden", lang)) })));
    blocks.push({ kind: "out", title: word("outTitle", lang), rows });
  }
  const pending = Object.entries(step.pending ?? {}).filter(([, waits]) => waits > 0);
  if (pending.length) {
    const rows = pending.map(([id, waits]) => ({ text: called(find(id), lang), note: word("waitsMore", lang, { n: waits }) }));
    blocks.push({ kind: "pending", title: word("pendingTitle", lang), rows });
  }
  if (step.freed?.length) {
    blocks.push({ kind: "freed", title: word("freedTitle", lang), rows: step.freed.map((text) => ({ text })) });
  }
  if (k === trace.steps.length && trace.ended) blocks.push({ kind: "end", title: word("endSay", lang), rows: trace.replayed ? [{ text: trace.replayed[lang] }] : [] });
  return blocks;
}

/**
 * The nodes whose name, label or module holds the text, in graph order.
 * @param {SceneNode[]} nodes @param {string} text @returns {string[]}
 */
export function findNodes(nodes, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  return nodes.filter((n) => [n.label, n.module, ...n.names].some((t) => t && t.toLowerCase().includes(wanted))).map((n) => n.id);
}

/**
 * The loss curve in a box: a path, and what it says.
 * @param {[number, number][]} losses @param {number} width @param {number} height
 */
export function curve(losses, width, height) {
  const points = losses.filter((p) => Array.isArray(p) && p.every(Number.isFinite));
  if (points.length < 2) return null;
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const left = Math.min(...xs), across = Math.max(...xs) - left || 1;
  const low = Math.min(...ys), up = Math.max(...ys) - low || 1;
  const at = points.map(([x, y]) => [((x - left) / across) * width, height - ((y - low) / up) * height]);
  const d = "M" + at.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  return { d, end: at[at.length - 1], count: xs[xs.length - 1], first: ys[0], last: ys[ys.length - 1], low };
}

/** A number with four digits that count. @param {number} value */
export const brief = (value) => String(Number(value.toPrecision(4)));

/** @param {NodeState} a @param {NodeState} b */
export const sameState = (a, b) => a.status === b.status && a.waits === b.waits && a.got === b.got && a.order === b.order && a.fired === b.fired;

/**
 * Calls `change(key, value)` for what is new or different in `after`, and `change(key)` for what is no longer there.
 * @template K, V @param {Map<K, V>} before @param {Map<K, V>} after @param {(a: V, b: V) => boolean} same
 * @param {(key: K, value: V | undefined) => void} change
 */
export function each(before, after, same, change) {
  for (const key of before.keys()) if (!after.has(key)) change(key, undefined);
  for (const [key, value] of after) {
    const old = before.get(key);
    if (old === undefined || !same(old, value)) change(key, value);
  }
}

/** A node's state in words: on its badge, or in `full` for a screen reader. @param {NodeState} state @param {Lang} lang @param {boolean} full */
export function stateText(state, lang, full) {
  switch (state.status) {
    case "now": return (full ? "" : "▶ ") + word("now", lang) + (state.of > 1 ? ` ${state.fired}/${state.of}` : "");
    case "part": return word("partOf", lang, { k: state.fired, n: state.of });
    case "failed": return (full ? "" : "✕ ") + word("failed", lang);
    case "ready": return word("ready", lang);
    case "done": return full ? word("doneWord", lang, { n: state.order }) : `✓ ${state.order}`;
    // Almost every node waits for one gradient; on the picture that is worth saying only where there were more.
    default: return state.waits > 1 || state.got || (full && state.waits) ? word("waits", lang, { n: state.waits }) : "";
  }
}
