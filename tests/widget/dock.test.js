// The extension that docks the panel, in a page that has no room beside its one document, as Notebook 7 is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browser } from "./helper.js";

const window = browser();
const DOCK = new URL("../../viz/notebook/labextension/minigrad-dock/dock.js", import.meta.url);

test("where one page is all there is, the panel goes to its side, and does not vanish", async () => {
  const signal = { connect: () => {} }, done = [], open = [];
  const createRenderer = () => ({
    title: {}, node: document.createElement("div"), disposed: signal, addClass: () => {}, addWidget: () => {}, renderModel: async () => {},
  });
  const notebook = {
    id: "n1", title: { label: "lesson.ipynb" }, node: document.createElement("div"), context: {}, disposed: signal,
    content: { rendermime: { createRenderer }, model: { cells: [] } }, addClass: () => {}, removeClass: () => {},
  };
  const shell = {
    widgets: () => open,
    add: (tab, area) => done.push(`${tab.id} to the ${area}`),
    activateById: (id) => done.push(`${id} opened`),
  };
  new Function("window", readFileSync(DOCK, "utf-8"))(window);
  const [plugin] = (await window._JUPYTERLAB["minigrad-dock"].get())().default;
  plugin.activate({ shell });
  const isThere = () => !document.dispatchEvent(new CustomEvent("minigrad-dock", { detail: { what: "there?" }, cancelable: true }));
  assert.equal(isThere(), false, "where no notebook is, as in Voilà, a button would do nothing");
  open.push(notebook);
  assert.equal(isThere(), true);
  const el = notebook.node.appendChild(document.createElement("div"));
  document.dispatchEvent(new CustomEvent("minigrad-dock", { detail: { what: "dock", model: "m1", el }, cancelable: true }));
  assert.deepEqual(done, ["minigrad-dock-n1 to the right", "minigrad-dock-n1 opened"]);
});
