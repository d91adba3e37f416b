// @ts-check
/* A step of a pass in words: read aloud, or block by block beside the picture. */

import { finder, indexOf, short, shortGrad } from "./moment.js";
import { called, lineOf, placed, plain } from "./names.js";
import { formula, make } from "./parts.js";
import { word } from "./words.js";

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

/**
 * A step read aloud: what its blocks say.
 * @param {Trace} trace @param {number} k @param {Lang} lang @returns {string}
 */
export function sentence(trace, k, lang) {
  const [stop, colon, gap] = lang === "zh" ? ["。", "：", "，"] : [". ", ": ", ", "];
  const said = explain(trace, k, lang).filter(({ kind }) => kind !== "call" && kind !== "rules").map(({ title, rows }) => {
    const texts = rows.filter(({ text, quiet }) => text && !quiet).map(({ text, note }) => (note ? `${text} ${note}` : text));
    return [title, texts.join(gap)].filter(Boolean).join(colon);
  });
  const all = [k ? word("stepOf", lang, { k, n: trace.steps.length }) : "", ...said].filter(Boolean).join(stop) + stop;
  return all.replace(/([.。])[.。]+/g, "$1").trim();
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
    const waiting = Object.values(trace.pending).filter((count) => count > 0).length;
    blocks.push({ kind: "head", title: word("atStart", lang), rows: [{ text: word("beforeSay", lang, { n: waiting }) }, { text: word("beforeHint", lang), quiet: true }] });
    if (trace.retain_graph) blocks.push({ kind: "freed", title: "", rows: [{ text: word("retained", lang) }] });
    return blocks;
  }
  const node = find(step.node), n = firing(trace, step, lang), source = step.member?.source ?? node?.source ?? "";
  const heads = { start: "startHead", op: "opHead", accumulate: "accHead", error: "errorHead" };
  const head = word(heads[step.kind], lang, { n: step.kind === "accumulate" ? leafOf(trace, step, lang) : n });
  blocks.push({ kind: "head", title: head, rows: [{ text: inGroup(trace, k, lang) }, { text: placed(source, lang), quiet: true }].filter((row) => row.text) });
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

/**
 * The same on the page.
 * @param {Trace} trace @param {number} k @param {Lang} lang @returns {Node[]}
 */
export function told(trace, k, lang) {
  return explain(trace, k, lang).map(({ kind, title, rows }) => {
    const known = rows.filter((row) => row.text);
    if (kind === "call") return make("div", { class: "vl-call" }, make("code", {}, title), ...known.map((row) => make("span", {}, row.text)));
    if (kind === "head") {
      const nth = k ? make("span", { class: "vl-kicker" }, word("stepOf", lang, { k, n: trace.steps.length })) : null;
      return make("div", { class: "vl-step" }, nth, make("h3", {}, title), ...known.map((row) => make("p", {}, row.text)));
    }
    return make("div", { class: `vl-block vl-${kind}` }, title ? make("h4", {}, title) : null, ...known.map((row) => line(kind, row)));
  });
}

/** A row of a block. @param {Block["kind"]} kind @param {Block["rows"][number]} row */
function line(kind, { text, detail, note, folded }) {
  const dim = (/** @type {string | undefined} */ said) => (said ? make("span", { class: "vl-dim" }, said) : null);
  const code = make("code", {}, ...(kind === "rules" ? formula(text) : [text])), row = make("div", { class: "vl-row" });
  if (kind === "rules") row.append(code, ...(detail ? [make("code", { class: "vl-filled" }, ...formula(`= ${detail}`))] : []));
  else if (folded) row.append(make("details", {}, make("summary", {}, code)));
  else row.append(...[kind === "pending" ? code : dim(note), kind === "pending" ? dim(note) : code, dim(detail === "()" ? "" : detail)].filter((part) => part !== null));
  return row;
}
