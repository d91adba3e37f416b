// @ts-check
/* Every word of the panel, in both languages: see words.json. */

import WORDS from "../../words.json" with { type: "json" };

/** A text of the table, with `{x}` filled in. @param {string} key @param {Lang} lang @param {Record<string, string | number>} [values] */
export function word(key, lang, values = {}) {
  return /** @type {Record<string, Words>} */ (WORDS)[key][lang].replace(/\{(\w)\}/g, (_, name) => String(values[name] ?? ""));
}

/** The language to use: the chosen one, else that of the page or the browser. @param {string} chosen @param {string} page @param {string} browser @returns {Lang} */
export function pickLanguage(chosen, page, browser) {
  if (chosen === "en" || chosen === "zh") return chosen;
  return /^zh/i.test(page || "") || /^zh/i.test(browser || "") ? "zh" : "en";
}
