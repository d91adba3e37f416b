import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const here = new URL(".", import.meta.url);

/** The panel's code, as text. */
export const code = readFileSync(new URL("../../viz/static/widget.js", here), "utf-8");

/** A recorded state. @param {string} name */
export const fixture = (name) => JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, here), "utf-8"));

/** A page of its own, whose names the panel's code then finds as a browser's. */
export function browser() {
  const dom = new JSDOM("<!doctype html><html><body></body></html>", { pretendToBeVisual: true });
  const names = ["window", "document", "DOMParser", "XMLSerializer", "Node", "HTMLElement", "getComputedStyle"];
  for (const name of names) globalThis[name] = dom.window[name];
  Object.defineProperty(globalThis, "navigator", { value: { language: "en" }, configurable: true });
  return dom.window;
}
