// @ts-check
/* What is true at a step of a recorded pass: functions without a page. */

import { plain } from "./names.js";

/** @param {Gradient | undefined} gradient */
export const short = (gradient) => (gradient ? plain(gradient.short) : "0");

/** A `.grad`, where null is None. @param {Gradient | undefined} gradient */
export const shortGrad = (gradient) => (gradient ? plain(gradient.short) : "None");

/** @type {WeakMap<Trace, ReturnType<typeof looked>>} */
const known = new WeakMap();

/** What is looked up in a trace again and again. @param {Trace} trace */
export function indexOf(trace) {
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

/** @param {Trace} trace @returns {(id: string | null | undefined) => SceneNode | undefined} */
export const finder = (trace) => (id) => indexOf(trace).nodes.get(id ?? "");

/**
 * What each step writes on edges, as [position, gradient].
 * @param {Trace} trace @param {Step} step @returns {[number, NonNullable<Gradient>][]}
 */
function written(trace, step) {
  const { edges } = indexOf(trace), { node } = step;
  const sent = (step.out ?? []).map(({ target, input_nr, gradient }) => ({ at: edges.get(`${node} ${target} ${input_nr}`) ?? edges.get(`${node} ${target}`), gradient }));
  if (step.kind === "accumulate") sent.push({ at: edges.get(`${node} ${step.leaf} 0`), gradient: step.added ?? null });
  return sent.flatMap(({ at, gradient }) => (at !== undefined && gradient ? [[at, gradient]] : []));
}

/** How wide the edge of a gradient is drawn, by its size beside the largest of the pass. @param {Trace} trace @param {number | null} size */
function edgeWidth(trace, size) {
  const { largest } = indexOf(trace);
  if (!largest || size === null || size === undefined) return 2.2;
  return Math.max(1.5, Math.min(5, 1.5 + 3.5 * (1 + Math.log10(size / largest) / 3)));
}

/** @type {Moment} */
export const NOTHING = { nodes: new Map(), edges: new Map(), grads: new Map(), freed: new Map(), now: null, receiver: null };

/**
 * What is true after the first `k` steps of a pass (0: before it).
 * @param {Trace} trace @param {number} k @returns {Moment}
 */
export function momentAt(trace, k) {
  /** @type {Moment} */
  const moment = { ...NOTHING, nodes: new Map(), edges: new Map(), grads: gradsAt(trace, k), freed: new Map() };
  const { nodes, edges, freed } = moment, { firings } = indexOf(trace), bare = { got: false, order: 0, fired: 0, of: 1 };
  for (const [id, waits] of Object.entries(trace.pending)) nodes.set(id, { ...bare, status: "waiting", waits });
  trace.steps.forEach((step, i) => {
    const { node } = step, present = i === k - 1, [fired, of] = step.member ? firings[i] : [1, 1];
    if (step.member && node !== null && !nodes.has(node)) nodes.set(node, { ...bare, status: "waiting", waits: 0, of });
    if (i >= k) return;
    for (const [id, waits] of Object.entries(step.pending ?? {})) {
      if (!["now", "part", "done", "failed"].includes(nodes.get(id)?.status ?? "")) {
        nodes.set(id, { ...bare, status: waits === 0 ? "ready" : "waiting", waits, got: true });
      }
    }
    for (const [at, gradient] of written(trace, step)) {
      const rests = (trace.pending[trace.scene.edges[at].target] ?? 0) > 1;
      edges.set(at, { text: short(gradient), fresh: present, rests, wide: edgeWidth(trace, gradient.size) });
    }
    if (node === null) return;
    const status = step.kind === "error" ? "failed" : present ? "now" : fired < of ? "part" : "done";
    nodes.set(node, { status, waits: 0, got: true, order: i + 1, fired, of });
    if (step.freed?.length && !step.member) freed.set(node, new Set([...(freed.get(node) ?? []), ...step.freed]));
    if (present) moment.now = node;
    if (present && step.kind === "accumulate") moment.receiver = step.leaf ?? null;
  });
  return moment;
}

/** The gradient that each node holds then: `·` where none has come, `9 + …` where another is to come. @param {Trace} trace @param {number} k */
function gradsAt(trace, k) {
  /** @type {Map<string, string>} */
  const grads = new Map();
  const find = finder(trace);
  trace.steps.forEach((step, i) => {
    const past = i < k, { node, leaf, kind } = step;
    const hold = (/** @type {string} */ id, /** @type {string} */ before, /** @type {string} */ after) => { if (past || !grads.has(id)) grads.set(id, past ? after : before); };
    if ((kind === "op" || kind === "start") && !step.member && node !== null) hold(node, "·", (step.into ?? []).map(short).join(", "));
    if (kind === "accumulate" && leaf) hold(leaf, shortGrad(step.before), shortGrad(step.after));
    for (const { target, gradient } of (past && step.out) || []) {
      if (!target || !gradient || !["op", "custom"].includes(find(target)?.kind ?? "")) continue;
      const before = (grads.get(target) ?? "·").replace(/^·$| \+ …$/g, ""), more = (step.pending?.[target] ?? 0) > 0;
      grads.set(target, [before, short(gradient), more ? "…" : ""].filter(Boolean).join(" + "));
    }
  });
  return grads;
}

/**
 * Calls `change(key, value)` for what is new or different in `after`, and `change(key)` for what is no longer there.
 * @template K, V @param {Map<K, V>} before @param {Map<K, V>} after @param {(key: K, value: V | undefined) => void} change
 */
export function each(before, after, change) {
  for (const key of before.keys()) if (!after.has(key)) change(key, undefined);
  for (const [key, value] of after) if (JSON.stringify(value) !== JSON.stringify(before.get(key))) change(key, value);
}
