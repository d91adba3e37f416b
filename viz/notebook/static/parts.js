// @ts-check
/* Small parts of a page. No text ever becomes markup. */

import ICONS from "../../icons.json" with { type: "json" };

export const SVG = "http://www.w3.org/2000/svg";

/**
 * An element; texts among the children are texts, never markup.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {(Node | string | null)[]} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** @param {string} tag @param {Record<string, any>} [attributes] @param {Node[]} children @returns {any} */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** @param {keyof typeof ICONS} name @param {string} label @param {() => void} act @param {string} [kind] */
export function button(name, label, act, kind = "") {
  const element = make("button", { type: "button", class: `vl-button ${kind}`, title: label, "aria-label": label }, icon(name));
  element.addEventListener("click", act);
  return element;
}

/** A text in a box, which stands in the picture with its middle there. @param {string} kind @param {string} text @param {number} x @param {number} y */
export function tag(kind, text, x, y) {
  const wide = tagWidth(text), words = draw("text", { "text-anchor": "middle", y: 4 });
  words.textContent = text;
  const box = draw("rect", { x: -wide / 2, y: -8.5, width: wide, height: 17, rx: 8 });
  return draw("g", { class: `vl-tag ${kind}`, "aria-hidden": "true", transform: `translate(${x} ${y})` }, box, words);
}

/** How wide the box of a text is; Chinese characters are square. @param {string} text */
export function tagWidth(text) {
  let wide = 0;
  for (const char of text) wide += /[\u1100-\u115f\u2e80-\uffdc]/.test(char) ? 12 : 7.3;
  return wide + 10;
}

const GROUP = String.raw`\((?:[^()]|\([^()]*\))*\)`, OPERAND = String.raw`(?:\d[\d.]*e[+-]\d+|[^\s()/·+=,]+(?:${GROUP})?|${GROUP})`;
const FRACTION = new RegExp(`(${OPERAND}) ?/ ?(${OPERAND})`, "g");

/** A formula as one writes it by hand: a short division stands above and below a line. @param {string} text @returns {(Node | string)[]} */
export function formula(text) {
  let from = 0;
  /** @type {(Node | string)[]} */
  const parts = [];
  for (const { 0: whole, 1: above, 2: below, index } of text.matchAll(FRACTION)) {
    if (Math.max(above.length, below.length) > 24) continue;
    parts.push(text.slice(from, index), make("span", { class: "vl-fraction" }, make("span", {}, above), make("i", { class: "vl-unseen" }, "/"), make("span", {}, below)));
    from = index + whole.length;
  }
  return [...parts, text.slice(from)];
}

/** Drawn on 16 × 16, in lines of the text's colour. @param {keyof typeof ICONS} name */
export function icon(name) {
  return draw("svg", { class: "vl-icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, draw("path", { d: ICONS[name] }));
}

/** A text that is not too long. @param {string} text @param {number} most */
export const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/**
 * A picture without all that could run: a notebook that somebody saved may hold any text in the place of ours.
 * @param {Element} svg
 */
export function harmless(svg) {
  for (const other of svg.querySelectorAll(":not(g, path, text, rect, title, desc, style)")) other.remove();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const { name } of [...element.attributes]) if (/^on/i.test(name)) element.removeAttribute(name);
  }
  return svg;
}
