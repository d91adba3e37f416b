// @ts-check
/* Small parts of a page. No text ever becomes markup. */

import ICONS from "../../icons.json" with { type: "json" };

/** @typedef {(Node | string | null | undefined | false)[]} Children */

/** Gives an element what it has: a function is what an event does (`onclick`), a text stays a text. @param {any} element @param {Record<string, any>} attributes @param {Children} children */
function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child));
  return element;
}

/** An element of the page. @param {string} tag @param {Record<string, any>} [attributes] @param {Children} children @returns {any} */
export const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** An element of a picture. @param {string} tag @param {Record<string, any>} [attributes] @param {Children} children @returns {any} */
export const draw = (tag, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Drawn on 16 × 16, in lines of the text's colour. @param {keyof typeof ICONS} name */
export function icon(name) {
  const about = { class: "vl-icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" };
  return draw("svg", about, draw("path", { d: ICONS[name] }));
}

/** @param {keyof typeof ICONS} name @param {string} label @param {() => void} onclick @param {string} [kind] */
export function button(name, label, onclick, kind = "") {
  return make("button", { type: "button", class: `vl-button ${kind}`, title: label, "aria-label": label, onclick }, icon(name));
}

/** A text in a box, which stands in the picture with its middle there. @param {string} kind @param {string} text @param {number} x @param {number} y */
export function tag(kind, text, x, y) {
  const wide = tagWidth(text), box = draw("rect", { x: -wide / 2, y: -8.5, width: wide, height: 17, rx: 8 });
  const words = draw("text", { "text-anchor": "middle", y: 4 }, text);
  return draw("g", { class: `vl-tag ${kind}`, "aria-hidden": "true", transform: `translate(${x} ${y})` }, box, words);
}

/** How wide the box of a number or a shape is. @param {string} text */
export const tagWidth = (text) => 7.3 * text.length + 10;

const GROUP = String.raw`\((?:[^()]|\([^()]*\))*\)`, OPERAND = String.raw`(?:\d[\d.]*e[+-]\d+|[^\s()/·+=,]+(?:${GROUP}|(?![^\s)/·+=,]))|${GROUP})`; // whole, or none at all
const FRACTION = new RegExp(`(${OPERAND}) ?/ ?(${OPERAND})`, "g");

/** A formula as one writes it by hand: a short division stands above and below a line. @param {string} text @returns {(Node | string)[]} */
export function formula(text) {
  let from = 0;
  /** @type {(Node | string)[]} */
  const parts = [];
  for (const { 0: whole, 1: above, 2: below, index } of text.matchAll(FRACTION)) {
    if (Math.max(above.length, below.length) > 24) continue;
    const halves = [make("span", {}, above), make("i", { class: "vl-unseen" }, "/"), make("span", {}, below)];
    parts.push(text.slice(from, index), make("span", { class: "vl-fraction" }, ...halves));
    from = index + whole.length;
  }
  return [...parts, text.slice(from)];
}

/** Scrolls that box, and nothing around it, until this place in it is seen. @param {any} box @param {number} x @param {number} y its middle @param {number} halfX @param {number} halfY */
export function bring(box, x, y, halfX, halfY) {
  const { scrollLeft: left, scrollTop: top, clientWidth: wide, clientHeight: high } = box; // of what is too wide, the beginning
  if (x - halfX < left || x + halfX > left + wide) box.scrollLeft = x - Math.max(wide / 2, halfX);
  if (y - halfY < top || y + halfY > top + high) box.scrollTop = y - high / 2;
}

/** A text that is not too long. @param {string} text @param {number} most */
export const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A picture without all that could run: a notebook that somebody saved may hold any text in the place of ours. @param {Element} svg */
export function harmless(svg) {
  for (const other of svg.querySelectorAll(":not(g, path, text, rect, title, desc, style)")) other.remove();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const { name } of [...element.attributes]) if (/^on/i.test(name)) element.removeAttribute(name);
  }
  return svg;
}
