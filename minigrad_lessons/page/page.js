"use strict";
(() => {
  const says = JSON.parse(document.getElementById("says").textContent), page = document.documentElement;

  // Light or dark: as the system says, until the button is pressed.
  const kept = { get: () => { try { return localStorage.theme; } catch { return null; } },
    set: it => { try { localStorage.theme = it; } catch { /* a browser that keeps nothing */ } } };
  const button = document.querySelector(".theme");
  const wear = theme => { if (theme === "light" || theme === "dark") page.dataset.theme = theme; };
  wear(kept.get());
  button.hidden = false;
  button.onclick = () => {
    const dark = page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    wear(dark ? "light" : "dark");
    kept.set(page.dataset.theme);
  };

  // The other language opens at the cell that is being read: its cells have the same names.
  document.querySelector(".other")?.addEventListener("click", event => {
    const here = [...document.querySelectorAll(".jp-Cell")].findLast(cell => cell.getBoundingClientRect().top < 90);
    if (here && scrollY) event.currentTarget.hash = here.id;
  });

  // Predictions. What is typed is Python: numbers, lists of them, True, False, None.
  const unwrapped = value => !Array.isArray(value) ? value : value.length === 1 ? unwrapped(value[0]) : value.map(unwrapped);
  const readable = value => value === null || typeof value === "boolean" || Number.isFinite(value)
    || (Array.isArray(value) && value.every(readable));
  const same = (said, truth) => Array.isArray(said) && Array.isArray(truth)
    ? said.length === truth.length && said.every((part, i) => same(part, truth[i]))
    : typeof said === "number" && typeof truth === "number"
      ? Math.abs(said - truth) <= 1e-3 * Math.max(1, Math.abs(truth)) : said === truth;
  const typed = text => {
    const words = { True: "true", False: "false", None: "null" };
    let plain = text.trim().replace(/^(?:torch\.)?[tT]ensor\((.*)\)$/s, "$1").replace(/\b(?:True|False|None)\b/g, word => words[word]);
    if (/^\(.*,.*\)$/s.test(plain)) plain = `[${plain.slice(1, -1)}]`;
    if (!/^(?:true|false|null|\d[eE][+-]?\d|[\d.+\-*/()[\],\s])+$/.test(plain)) return undefined;
    try { return Function(`"use strict"; return (${plain});`)(); } catch { return undefined; }
  };
  const fill = (text, ...words) => words.reduce((done, word) => done.replace("{}", () => word), text);
  for (const form of document.querySelectorAll(".predict")) {
    const { name } = form.dataset, truth = JSON.parse(form.dataset.truth), output = form.querySelector("output");
    const told = document.querySelector(`.verdict[data-names~="${CSS.escape(name)}"]`), answer = told.closest(".answer");
    const close = () => {
      form.querySelector("fieldset").disabled = true;
      form.classList.add("locked");
    };
    form.hidden = false;
    form.onsubmit = event => {
      event.preventDefault();
      const given = form.elements.it, chosen = given.value;
      const said = given instanceof HTMLInputElement ? typed(chosen) : chosen && JSON.parse(chosen);
      if (said === undefined || said === "" || (typeof said !== "string" && !readable(said))) {
        output.textContent = chosen ? `❌ ${says.unreadable}` : `⬜ ${says.nothing}`;
        return;
      }
      const words = typeof said === "string" ? said : given instanceof HTMLInputElement ? chosen.trim() : { true: "True", false: "False", null: "None" }[chosen] ?? chosen;
      const count = [truth.text, chosen.trim()].every(text => /^[+-]?\d+$/.test(text)); // which is right or wrong, never near
      const holds = typeof said === "string" ? said === truth.text
        : count ? said === truth.value : same(unwrapped(said), truth.value);
      close();
      output.textContent = `🔒 ${fill(says.locked, words)}`;
      const verdict = document.createElement("p");
      verdict.textContent = `${holds ? "✅" : "🔎"} ${fill(says.verdict, words, truth.text)}`;
      told.append(verdict);
      const others = told.dataset.names.split(" ").map(it => document.querySelector(`.predict[data-name="${CSS.escape(it)}"]`));
      answer.open = others.every(other => !other || other.classList.contains("locked"));
      if (answer.open) answer.querySelector("summary").focus();
    };
    answer.addEventListener("toggle", () => {
      if (answer.open && !form.classList.contains("locked")) { close(); output.textContent = `🔒 ${says.shown}`; }
    });
  }

  // Recorded passes: the viewer is fetched, from beside the page, when the first of them is asked for.
  let viewer = null;
  const viewing = () => viewer ??= new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: `${page.dataset.root}viewer.js`, onload: done, onerror: failed });
    document.head.append(script);
  });
  for (const pass of document.querySelectorAll(".pass")) {
    const play = async () => {
      if (!pass.open || pass.dataset.plays !== undefined) return;
      const player = pass.querySelector(".player");
      pass.dataset.plays = "";
      try { await viewing(); } catch { // the page was sent without it
        viewer = null;
        delete pass.dataset.plays;
        player.textContent = says.absent;
        return;
      }
      player.textContent = "";
      const { render, standIn } = globalThis.vizLive;
      const state = JSON.parse(pass.querySelector("script").textContent);
      render({ model: standIn(state), el: player });
    };
    pass.addEventListener("toggle", play);
    play();
  }
})();
