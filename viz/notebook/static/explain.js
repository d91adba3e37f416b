// @ts-check
/* A step of a pass in words: read aloud, or block by block beside the picture. */

import { finder, indexOf, short } from "./moment.js";
import { called, lineOf, placed, plain, summed } from "./names.js";
import { formula, make } from "./parts.js";
import { word } from "./words.js";

/** The line that a step belongs to: what made the node that fires, or asked for the pass. @param {Trace} trace @param {number} k */
export function lineOfStep(trace, k) {
  const step = trace.steps[k - 1];
  if (!step || step.kind === "start") return lineOf(trace.line);
  return lineOf(step.member?.source ?? finder(trace)(step.leaf ?? step.node)?.source ?? "");
}

/** `before + new = after` @param {Step} step */
export const sum = (step) => plain(`${short(step.before)} + ${short(step.added).replace(/^-.*/, "($&)")} = ${short(step.after)}`);

/** A step read aloud: what its blocks say; of many numbers the shape. @param {Trace} trace @param {number} k @param {Lang} lang @returns {string} */
export function sentence(trace, k, lang) {
  const [stop, colon, gap] = lang === "zh" ? ["。", "：", "，"] : [". ", ": ", ", "];
  const said = explain(trace, k, lang).filter(({ kind }) => kind !== "call" && kind !== "rules").map(({ title, rows }) => {
    const texts = rows.filter(({ text, quiet }) => text && !quiet).map(({ text, detail, note }) => [text.length > 80 && detail ? `${word("cShape", lang)} ${detail}` : text, note].filter(Boolean).join(" "));
    return [title, texts.join(gap)].filter(Boolean).join(colon);
  });
  const all = [k ? word("stepOf", lang, { k, n: trace.steps.length }) : "", ...said].filter(Boolean).join(stop) + stop;
  return all.replace(/([.。])[.。:：]+/g, "$1").trim();
}

/** A step, block by block, for the panel beside the picture. @param {Trace} trace @param {number} k @param {Lang} lang @returns {Block[]} */
export function explain(trace, k, lang) {
  const find = finder(trace), step = trace.steps[k - 1];
  const w = (/** @type {string} */ key, /** @type {Record<string, any>} */ values = {}) => word(key, lang, values);
  /** @type {Block[]} */
  const blocks = [];
  const add = (/** @type {Block["kind"]} */ kind, /** @type {string} */ title, /** @type {Block["rows"]} */ rows) => { blocks.push({ kind, title, rows }); };
  const list = (/** @type {Block["kind"]} */ kind, /** @type {Block["rows"]} */ rows) => { if (rows.length) add(kind, w(`${kind}Title`), rows); };
  const gradient = (/** @type {Gradient} */ g, /** @type {string} */ note, none = "None") => ({ text: g ? summed(g.full, lang) : none, detail: g?.shape, note });

  if (trace.call) add("call", trace.call, [{ text: placed(trace.line || "", lang) }]);
  if (!step) {
    const waiting = Object.values(trace.pending).filter((count) => count > 0).length;
    add("head", w("atStart"), [{ text: w("beforeSay", { n: waiting }) }, { text: trace.steps.length ? w("beforeHint") : "", quiet: true }]);
    if (trace.retain_graph) add("freed", "", [{ text: w("retained") }]);
    return blocks;
  }
  /** By one of its names: the others stand on its card. @param {string | null} id */
  const name = (id) => called(find(id), lang).replace(/( = [^\s()]+)+/, "");
  const leaf = step.leaf ? name(step.leaf) : (step.name ?? "");
  const node = find(step.node), source = step.member?.source ?? node?.source ?? "";
  const n = step.kind === "accumulate" ? leaf : (step.member?.label ?? called(node, lang));
  const [fired, of] = indexOf(trace).firings[k - 1];
  const group = step.member ? w("inGroup", { k: fired, n: of, g: called(node, lang) }) : "";
  const where = [{ text: group }, { text: placed(source, lang), quiet: true }];
  add("head", w(`${step.kind}Head`, { n }), where.filter((row) => row.text));
  if (step.kind === "error") {
    const cure = step.hint?.[lang]; // first: what PyTorch says besides may be long
    list("error", cure ? [{ text: cure }] : []);
    add("error", "", [{ text: step.error ?? "", folded: Boolean(cure) }]);
  }
  list("rules", (step.rules ?? []).map(({ rule, filled }) => ({ text: rule[lang], detail: plain(filled) })));
  if (step.kind === "accumulate") {
    const { added, after } = step, whole = added && after && after.full !== after.short && `${leaf}.grad = ${summed(after.full, lang)}`;
    const says = added ? sum(step) : w("keeps", { n: leaf, g: short(after) });
    add("sum", added ? w("sumTitle") : "", [{ text: says }, ...(whole ? [{ text: whole, quiet: whole.length > 80 }] : [])]);
  } else {
    const into = step.into ?? [];
    list("into", into.map((g, i) => gradient(g, into.length > 1 ? w("intoNr", { n: i }) : "", w("zero"))));
  }
  list("out", (step.out ?? []).map((out) => gradient(out.gradient, w("to", { n: out.member ?? name(out.target) }))));
  list("freed", (step.freed ?? []).map((text) => ({ text })));
  if (k === trace.steps.length && trace.ended) add("end", w("endSay"), trace.replayed ? [{ text: trace.replayed[lang] }] : []);
  return blocks;
}

/** A node's state in words. @param {NodeState} state @param {Lang} lang */
export function stateText({ status, waits, order, fired, of }, lang) {
  switch (status) {
    case "now": return word("now", lang) + (of > 1 ? ` ${fired}/${of}` : "");
    case "part": return word("partOf", lang, { k: fired, n: of });
    case "done": return word("doneWord", lang, { n: order });
    case "waiting": return waits ? word("waits", lang, { n: waits }) : "";
    default: return word(status, lang);
  }
}

/** The same on the page. @param {Trace} trace @param {number} k @param {Lang} lang @returns {Node[]} */
export function told(trace, k, lang) {
  return explain(trace, k, lang).map(({ kind, title, rows }) => {
    const known = rows.filter((row) => row.text), plainly = (/** @type {string} */ tag) => known.map((row) => make(tag, {}, row.text));
    if (kind === "call") return make("div", { class: `vl-call${/#\d+$/.test(title) ? " vl-nth" : ""}` }, make("code", {}, title), ...plainly("span"));
    if (kind === "head") {
      const nth = word("stepOf", lang, { k, n: trace.steps.length });
      return make("div", { class: "vl-step" }, k > 0 && make("span", { class: "vl-kicker" }, nth), make("h3", {}, title),
        ...known.map(({ text, quiet }) => make("p", { class: quiet && "vl-quiet" }, text)));
    }
    return make("div", { class: `vl-block vl-${kind}` }, title && make("h4", {}, title), ...known.map((row) => line(kind, row)));
  });
}

/** A row of a block. @param {Block["kind"]} kind @param {Block["rows"][number]} row */
function line(kind, { text, detail, note, folded }) {
  if (kind === "rules") {
    const filled = detail && make("code", { class: "vl-filled" }, ...formula(`= ${detail}`));
    return make("div", { class: "vl-row" }, make("code", {}, ...formula(text)), filled);
  }
  const code = make("code", {}, text), dim = (/** @type {string | undefined} */ said) => said && make("span", { class: "vl-dim" }, said);
  if (folded) return make("div", { class: "vl-row" }, make("details", {}, make("summary", {}, code)));
  return make("div", { class: "vl-row" }, dim(note), code, detail !== "()" && dim(detail));
}
