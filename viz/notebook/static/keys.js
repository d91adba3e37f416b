// @ts-check
/* The keyboard: what a key does depends on where the focus is. */

/** @type {Record<string, number[]>} */
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/** Has the panel hear its keys. @param {Panel} panel */
export function listen(panel) {
  const { root, stage, code, player, card } = panel;
  /** @type {Record<string, (target: any) => void>} */
  const acts = {
    ArrowRight: () => player.by(1),
    ArrowLeft: () => player.by(-1),
    Home: () => player.by(-Infinity),
    End: () => player.by(Infinity),
    " ": () => player.toggle(),
    Enter: (target) => (stage.idAt(target) ? card.open(stage.idAt(target)) : code.open()),
    Escape: () => (card.opened === null ? root.focus({ preventScroll: true }) : card.close()),
    0: () => stage.zoom(0),
    "+": () => stage.zoom(1.25),
    "-": () => stage.zoom(0.8),
  };

  /** What a key does there: an arrow walks where the focus is on something that has arrows of its own. @param {any} target @param {string} key */
  function meaning(target, key) {
    const way = WAYS[key], on = stage.idAt(target);
    if (way && code.lines.contains(target)) return () => code.step(way[0] + way[1]);
    return way && on ? () => stage.step(on, way[0], way[1]) : acts[key === "=" ? "+" : key]; // one key, with Shift and without
  }

  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const target = /** @type {any} */ (e.target), typing = target.matches("input");
    const held = e.ctrlKey || e.metaKey || e.altKey, runs = e.key === "Enter" && !typing && (held || e.shiftKey);
    root.toggleAttribute("data-lm-suppress-shortcuts", !held && !runs); // below it JupyterLab, which comes next, looks for no keys
    if (runs) { // a cell of the notebook
      root.focus({ preventScroll: true }); // and presses no button here
      if (!root.closest(".minigrad-dock")) return;
      e.preventDefault();
      return void panel.shout(`notebook:run-cell${e.shiftKey ? "-and-select-next" : ""}`);
    }
    if (held) return;
    e.stopPropagation(); // the notebook's own keys are not meant
    if (e.key !== " ") player.pause();
    if (typing && e.key !== "Escape") return;
    if (target.closest("button, summary") && (e.key === " " || e.key === "Enter")) return;
    const act = meaning(target, e.key);
    if (!act) return;
    e.preventDefault();
    act(target);
  });
}
