// @ts-check
/* What nodes, lines and numbers are called. */

import { word } from "./words.js";

/** Numbers as one writes them by hand: `14.` is 14. @param {string} text */
export const plain = (text) => text.replace(/(\d)\.(?![\da-ik-z_])/gi, "$1");

/** What a node is called: its label, and the variable it belongs to. @param {SceneNode | undefined} node @param {Lang} lang */
export function called(node, lang) {
  if (!node) return word("hidden", lang);
  const own = node.words?.[lang] ?? (node.title || node.names[0] || "");
  const label = node.label === node.title || (node.words && node.kind === "folded") || (node.kind === "leaf" && own) ? own : node.label;
  if (node.label === "None") return own || word("kind_untracked", lang);
  return own && label !== own && !label.split(" ").includes(own) ? `${label} (${own})` : label;
}

/** A summary of many numbers, in words; a few numbers stay as they are. @param {string} text @param {Lang} lang */
export const summed = (text, lang) => plain(text).replace(/^mean (.+), largest (.+)$/, (_, m, n) => word("summary", lang, { m, n }));

/** A line of the notebook, in words. @param {string} text @param {Lang} lang */
export const placed = (text, lang) => (lang === "zh" ? text.replace(/^(In \[\d+\]|\S+), line (\d+): /, "$1 第 $2 行：") : text);

/** Which line of which cell: `3:2`; empty where a text names none. @param {string} text */
export const lineOf = (text) => /^In \[(\d+)\], line (\d+):/.exec(text)?.slice(1).join(":") ?? "";
