// @ts-check
/* Small parts of a page. No text ever becomes markup. */

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

// Drawn on 16 × 16, in lines of the text's colour.
export const ICONS = {
  first: "M4 3.5v9M12.5 3.5 6.5 8l6 4.5z",
  back: "M10.5 3.5 4.5 8l6 4.5z",
  play: "M5 3.2v9.6L12.8 8z",
  pause: "M5 3.5v9M11 3.5v9",
  forward: "M5.5 3.5 11.5 8l-6 4.5z",
  last: "M12 3.5v9M3.5 3.5l6 4.5-6 4.5z",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2l3.3 3.3",
  save: "M8 2.5v7M5 6.8 8 9.8l3-3M3 12.8h10",
  fold: "M4.5 2.5 8 6l3.5-3.5M4.5 13.5 8 10l3.5 3.5",
  dock: "M2.5 3h11v10h-11zM9.5 3v10",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h7v7h-7zM10.5 3.5h-7v7",
  graph: "M3.5 5.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M3.5 14.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M12.5 9.7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M5.2 4.2 11 7.2M5.2 11.8 11 8.8",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  return draw("svg", { class: "vl-icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, draw("path", { d: ICONS[name] }));
}

/** Width of a text in pixels at a size; Chinese characters are square. @param {string} text @param {number} size */
export function textWidth(text, size) {
  let wide = 0;
  for (const char of text) wide += /[\u1100-\u115f\u2e80-\uffdc]/.test(char) ? 1 : 0.61;
  return wide * size;
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
