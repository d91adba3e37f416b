import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const here = new URL(".", import.meta.url);

const read = (/** @type {string} */ name) => readFileSync(new URL(`../../viz/notebook/static/${name}`, here), "utf-8");
const DATA = /^import (\w+) from "(\.\.\/\.\.\/\w+\.json)" with .*$/gm;
const IMPORT = /^import .* from "\.\/(.+)";\n/gm;

/** A file with all that it imports, as one: what viz/widget.py does. @param {string} name @param {Map<string, string>} files */
function joined(name, files = new Map()) {
  for (const [, other] of read(name).matchAll(IMPORT)) if (!files.has(other)) joined(other, files);
  return files.set(name, read(name).replace(IMPORT, "").replace(DATA, (_, name, file) => `const ${name} = ${read(file)};`));
}

/** The panel's code, as text. */
export const code = [...joined("widget.js").values()].join("\n");

/** A recorded state. @param {string} name */
export const fixture = (name) => JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, here), "utf-8"));

/** A page of its own, whose names the panel's code then finds as a browser's. */
export function browser() {
  const dom = new JSDOM("<!doctype html><html><body></body></html>", { pretendToBeVisual: true });
  const names = ["window", "document", "DOMParser", "XMLSerializer", "Node", "HTMLElement", "getComputedStyle", "CustomEvent"];
  for (const name of names) globalThis[name] = dom.window[name];
  Object.defineProperty(globalThis, "navigator", { value: { language: "en" }, configurable: true });
  // it lays nothing out: every line is a point
  Object.assign(dom.window.SVGElement.prototype, { getTotalLength: () => 0, getPointAtLength: () => ({ x: 0, y: -99 }) });
  return dom.window;
}
