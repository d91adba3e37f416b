/*
 * Puts the live panel in a tab at the right of its notebook: a prebuilt JupyterLab extension, written by hand.
 *
 * The panel says on the document what it wants, as an event "minigrad-dock" with {what, model, el, auto}: "there?" asks
 * whether anybody hears it, "shown" comes when a panel is shown, "dock" and "undock" from its button, a command of the
 * notebook's, "notebook:…", from a key. What is heard is prevented. A notebook has one tab, for the panel shown last.
 */
(() => {
  const MIME = "application/vnd.jupyter.widget-view+json";
  const LEAST = 420; // pixels; 40 % of the place is more on a large screen
  const STYLE = ".minigrad-dock { overflow: auto; background: var(--jp-layout-color1); } .minigrad-dock div:has(.viz-live) { height: 100%; }"
    + " .jp-Notebook .jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere; }" // a verdict breaks between words
    + " .jp-OutputArea:has(.viz-twin) .jupyter-widgets:not(:has(*)) { display: none; }"; // "model not found": a picture stands there

  function activate(app) {
    const tabs = new Map(); // by the id of a notebook: its tab, with the `model` that is shown in it and its `view`
    const refused = new Set(); // the notebooks whose tab somebody has closed
    document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));

    const notebooks = () => [...app.shell.widgets("main")].filter((w) => w.context && w.content?.rendermime && w.content.model?.cells);
    const shows = (notebook, model) => [...notebook.content.model.cells].some((cell) =>
      cell.outputs?.toJSON().some(({ data }) => data?.[MIME]?.model_id === model));

    async function fill(tab, notebook, model) {
      if (tab.model === model) return;
      tab.view?.dispose();
      const view = notebook.content.rendermime.createRenderer(MIME);
      Object.assign(tab, { model, view });
      tab.addWidget(view);
      await view.renderModel({ data: { [MIME]: { version_major: 2, version_minor: 0, model_id: model } }, metadata: {}, trusted: true });
      view.widgets?.[0]?.disposed.connect(() => { if (tab.view === view && !view.isDisposed) tab.dispose(); });
    }

    function opened(notebook) {
      const tab = notebook.content.rendermime.createRenderer(MIME); // nothing but a panel for other widgets
      const other = [...tabs.values()].find((each) => each.isVisible);
      tab.id = `minigrad-dock-${notebook.id}`;
      tab.title.label = notebook.title.label.replace(/\.ipynb$/, "");
      tab.title.closable = true;
      tab.addClass("minigrad-dock");
      tab.onCloseRequest = () => { refused.add(notebook.id); tab.dispose(); };
      tab.disposed.connect(() => {
        tabs.delete(notebook.id);
        if (!notebook.isDisposed) notebook.removeClass("minigrad-docked");
      });
      notebook.disposed.connect(() => { if (!tab.isDisposed) tab.dispose(); });
      tabs.set(notebook.id, tab);
      notebook.addClass("minigrad-docked");
      const several = app.shell.mode === "multiple-document"; // else there is one page and a side: Notebook 7, and the simple interface
      app.shell.add(tab, several ? "main" : "right", { activate: false, ...(other ? { ref: other.id, mode: "tab-after" } : { ref: notebook.id, mode: "split-right" }) });
      if (!several) app.shell.activateById(tab.id);
      else if (!other) requestAnimationFrame(() => requestAnimationFrame(() => narrow(tab)));
      else if (notebook.isVisible) tab.parent?.selectWidget?.(tab);
      return tab;
    }

    /** As wide as most drawings need; afterwards the reader's own width stays. */
    function narrow(tab) {
      const layout = tab.parent?.layout, place = tab.node.getBoundingClientRect();
      for (const handle of layout?.handles?.() ?? []) {
        const { right, width } = handle.getBoundingClientRect(), area = tab.parent.node.getBoundingClientRect();
        if (handle.dataset.orientation !== "horizontal" || Math.abs(right - place.left) > 3) continue;
        layout.moveHandle(handle, area.width - Math.min(Math.max(LEAST, 0.4 * area.width), 0.45 * area.width) - width, 0);
      }
    }

    function hear(said, tries = 20) {
      const { what, model, el, auto } = said, all = notebooks();
      const notebook = all.find((n) => n.node.contains(el) || tabs.get(n.id)?.node.contains(el)) ?? all.find((n) => shows(n, model));
      const tab = tabs.get(notebook?.id);
      if (what === "undock" || what.startsWith("notebook:")) {
        if (tab?.node.contains(document.activeElement)) app.shell.activateById(notebook.id); // the keyboard goes back, too
        if (what === "undock") tab?.onCloseRequest();
        else app.commands.execute(what);
      }
      else if (!notebook && !tab && what === "shown" && tries) setTimeout(() => hear(said, tries - 1), 50); // its output is yet to come
      else if (notebook && (tab || what === "dock" || (auto && !refused.has(notebook.id)))) fill(tab ?? opened(notebook), notebook, model);
    }

    document.addEventListener("minigrad-dock", (event) => {
      if (notebooks().length) event.preventDefault(); // nothing to go beside: as in Voilà
      if (event.detail.what !== "there?") hear(event.detail);
    });
    app.shell.currentChanged?.connect((_, { newValue }) => {
      const tab = tabs.get(newValue?.id);
      if (tab && !tab.isVisible) tab.parent?.selectWidget?.(tab);
    });
  }

  const plugin = { id: "minigrad-dock:plugin", autoStart: true, activate };
  (window._JUPYTERLAB ??= {})["minigrad-dock"] = { init: () => {}, get: async () => () => ({ __esModule: true, default: [plugin] }) };
})();
