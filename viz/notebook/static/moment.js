// @ts-check
/* What is true at a step of a recorded pass: functions without a page. */

import { plain } from "./names.js";

/** A gradient, or that there is none. @param {Gradient | undefined} gradient */
export const short = (gradient) => (gradient ? plain(gradient.short) : "None");

/** A function that is asked for the same thing again and again, and works it out once. @template {object} K @template V @param {(thing: K) => V} work */
export function once(work) {
  /** @type {WeakMap<K, V>} */
  const known = new WeakMap();
  return (/** @type {K} */ thing) => {
    if (!known.has(thing)) known.set(thing, work(thing));
    return /** @type {V} */ (known.get(thing));
  };
}

/**
 * The nodes by id; the positions of the edges by source, target and input_nr, or by source and target, where several are
 * drawn as one; the largest gradient; and of each step how often its node has fired with it, and does so in the whole pass.
 */
export const indexOf = once((/** @type {Trace} */ { steps, scene }) => {
  const nodes = new Map(scene.nodes.map((node) => [node.id, node]));
  /** @type {Map<string, number>} */
  const edges = new Map();
  for (const [i, { source, target, input_nr }] of scene.edges.entries()) {
    for (const key of [`${source} ${target} ${input_nr}`, `${source} ${target}`]) edges.set(key, i);
  }
  const largest = Math.max(0, ...steps.flatMap((step) => step.into ?? []).map((gradient) => gradient?.size ?? 0));
  const firings = steps.map((step, i) => {
    const own = [...steps.keys()].filter((k) => steps[k].node === step.node && steps[k].kind !== "start");
    return [own.indexOf(i) + 1, own.length];
  });
  return { nodes, edges, largest, firings };
});

/** @param {Trace} trace @returns {(id: string | null | undefined) => SceneNode | undefined} */
export const finder = (trace) => (id) => indexOf(trace).nodes.get(id ?? "");

/** What a step writes on edges: [position, gradient]. @param {Trace} trace @param {Step} step @returns {[number, NonNullable<Gradient>][]} */
function written(trace, step) {
  const { edges } = indexOf(trace), { node } = step;
  const sent = (step.out ?? []).map(({ target, input_nr, gradient }) => {
    const way = `${node} ${target}`;
    return { at: edges.get(`${way} ${input_nr}`) ?? edges.get(way), gradient };
  });
  if (step.kind === "accumulate") sent.push({ at: edges.get(`${node} ${step.leaf} 0`), gradient: step.added ?? null });
  return sent.flatMap(({ at, gradient }) => (at !== undefined && gradient ? [[at, gradient]] : []));
}

/** @type {Moment} */
export const NOTHING = { nodes: new Map(), edges: new Map(), grads: new Map(), freed: new Map(), now: null };

/** What is true after the first `k` steps of a pass (0: before it). @param {Trace} trace @param {number} k @returns {Moment} */
export function momentAt(trace, k) {
  /** @type {Moment} */
  const moment = { ...NOTHING, nodes: new Map(), edges: new Map(), grads: gradsAt(trace, k), freed: new Map() };
  const { nodes, edges, freed } = moment, { firings, largest } = indexOf(trace), bare = { got: false, order: 0, fired: 0, of: 1 };
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
      const { size } = gradient, wide = largest && size !== null ? Math.max(1.5, 5 + 1.17 * Math.log10(size / largest)) : 2.2;
      edges.set(at, { text: short(gradient), fresh: present, rests, wide }); // by its size beside the largest of the pass
    }
    if (node === null) return;
    const status = step.kind === "error" ? "failed" : present ? "now" : fired < of ? "part" : "done";
    nodes.set(node, { status, waits: 0, got: true, order: i + 1, fired, of });
    if (step.freed?.length && !step.member) freed.set(node, new Set([...(freed.get(node) ?? []), ...step.freed]));
    if (present) moment.now = node;
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
    const hold = (/** @type {string} */ id, /** @type {string} */ before, /** @type {string} */ after) => {
      if (past || !grads.has(id)) grads.set(id, past ? after : before);
    };
    const into = (step.into ?? []).map((gradient) => short(gradient)).join(", ");
    if ((kind === "op" || kind === "start") && !step.member && node !== null) hold(node, "·", into);
    if (kind === "accumulate" && leaf) hold(leaf, short(step.before), short(step.after));
    for (const { target, gradient } of (past && step.out) || []) {
      if (!target || !gradient || !["op", "custom"].includes(find(target)?.kind ?? "")) continue;
      const before = (grads.get(target) ?? "·").replace(/^·$| \+ …$/g, ""), more = (step.pending?.[target] ?? 0) > 0;
      grads.set(target, [before, short(gradient), more ? "…" : ""].filter(Boolean).join(" + "));
    }
  });
  return grads;
}

/** Calls `change(key, value)` for what is new or different in `after`, `change(key)` for what is gone. @template K, V @param {Map<K, V>} before @param {Map<K, V>} after @param {(key: K, value: V | undefined) => void} change */
export function each(before, after, change) {
  for (const key of before.keys()) if (!after.has(key)) change(key, undefined);
  for (const [key, value] of after) if (JSON.stringify(value) !== JSON.stringify(before.get(key))) change(key, value);
}
