// @ts-check
/* The keyboard: what a key does depends on where the focus is. */

export const DEAF = "data-lm-suppress-shortcuts"; // JupyterLab does not look for its own keys below an element that has it

/** @type {Record<string, number[]>} */
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/** Has the panel hear its keys. @param {Panel} panel */
export function listen(panel) {
  const { root, stage, code, player, find, card } = panel, { saving } = panel.head;
  /** @type {Record<string, (target: any) => void>} */
  const acts = {
    ArrowRight: () => player.by(1),
    ArrowLeft: () => player.by(-1),
    Home: () => player.by(-Infinity),
    End: () => player.by(Infinity),
    " ": () => player.toggle(),
    Enter: (target) => card.open(stage.idAt(target) ?? card.opened),
    "/": () => find.field.focus(),
    "+": () => stage.zoom(1.25),
    "=": () => stage.zoom(1.25),
    "-": () => stage.zoom(0.8),
    0: () => stage.fit(),
  };

  /** An arrow where the focus is on something that has arrows of its own; whether it was. @param {any} target @param {string} key */
  function walk(target, key) {
    const way = WAYS[key], on = stage.idAt(target);
    if (!way) return false;
    if (code.lines.contains(target)) code.step(way[0] + way[1]);
    else if (on) {
      player.cut(true);
      stage.step(on, way[0], way[1]);
    } else return false;
    return true;
  }

  /** @param {any} target */
  function escape(target) {
    if (saving.close()) return;
    if (target === find.field && find.clear()) return;
    if (card.opened !== null) card.close();
    else root.focus({ preventScroll: true });
  }

  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const target = /** @type {any} */ (e.target), typing = target.matches("input, select, textarea");
    const held = e.ctrlKey || e.metaKey || e.altKey;
    if (e.key === "Enter" && !typing && (held || e.shiftKey)) return through(root);
    if (held) return;
    e.stopPropagation(); // the notebook's own keys are not meant
    if (e.key === "Escape") {
      e.preventDefault();
      return escape(target);
    }
    if (typing || (target.closest("button, summary") && (e.key === " " || e.key === "Enter"))) return;
    if (walk(target, e.key)) return e.preventDefault();
    if (e.key !== " ") player.cut(true);
    if (!acts[e.key]) return;
    e.preventDefault();
    acts[e.key](target);
  });
}

/** This key runs a cell of the notebook, and presses no button here. @param {HTMLElement} root */
function through(root) {
  const last = (/** @type {Event} */ e) => e.preventDefault(); // JupyterLab heeds no key that is prevented already
  window.addEventListener("keydown", last);
  root.removeAttribute(DEAF);
  setTimeout(() => {
    window.removeEventListener("keydown", last);
    root.setAttribute(DEAF, "true");
  });
}
