"""Be the engine: ``Turns(run)`` shows the graph of a recorded pass, and whoever clicks its nodes says which runs next.

A node that may run does, and its gradients go on; one that may not says what it still waits for.
"""

from __future__ import annotations

import re
from typing import Any

from minigrad_lessons.language import Says, spoken
from minigrad_lessons.play import Moving, in_turn

START = Says("Which node may run first? Click it.", "哪个节点可以最先运行？点它。")
DONE = Says("Every node has run, each once.", "所有节点都运行过了，每个一次。")

_SCRIPT = """
function render({ model, el }) {
  const picture = document.createElement("div"), said = document.createElement("div");
  said.setAttribute("aria-live", "polite");
  el.classList.add("minigrad-turns");
  el.append(picture, said);
  picture.innerHTML = model.get("svg");
  const nodes = [...picture.querySelectorAll(".node:not(.untracked)")].reverse(); // the output is reached first
  for (const node of nodes) node.parentNode.append(node);
  const turn = (event) => {
    const node = event.target.closest?.(".node:not(.untracked)");
    if (!node || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    model.send({ node: node.dataset.id });
  };
  picture.addEventListener("click", turn);
  picture.addEventListener("keydown", turn);
  const show = () => {
    for (const node of nodes) {
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      node.classList.toggle("ran", model.get("ran").includes(node.dataset.id));
    }
    said.replaceChildren(...model.get("says").map((line) => {
      const p = document.createElement("p");
      p.textContent = line;
      return p;
    }));
  };
  model.on("change:says", show);
  show();
}
export default { render };
"""
_STYLE = """
.minigrad-turns .node:not(.untracked) { cursor: pointer; opacity: .55; }
.minigrad-turns .node.ran, .minigrad-turns .node:hover { opacity: 1; }
.minigrad-turns .node.ran .shape { stroke-width: 3; }
.minigrad-turns .node:not(.ran) .grad { visibility: hidden; }
.minigrad-turns p { margin: .2em 0; }
"""


class Turns(Moving):
    """The graph of a pass that `viz.record` has recorded, and the learner in the place of the engine."""

    about = Says("a graph whose nodes can be clicked", "一张可以点击节点的计算图")

    def __init__(self, run: Any) -> None:
        scene = run.trace["scene"]
        self.svg = scene["svg"]
        if spoken() == ("zh",):
            self.svg = re.sub(r' data-zh="([^"]*)">[^<]*<', r">\1<", self.svg)
        self.called = {node["id"]: node["title"] or node["label"] for node in scene["nodes"]}
        self.steps = {step["node"]: step for step in run.trace["steps"] if step["kind"] in ("op", "accumulate")}
        self.waits = {node: [] for node in self.steps}
        self.leaves = {edge["source"]: edge["target"] for edge in scene["edges"] if edge["kind"] == "variable"}
        for node, step in self.steps.items():
            for sent in step.get("out", ()):
                self.waits[sent["target"]].append((node, sent["gradient"]["short"]))

    def turn(self, node: str, ran: list[str]) -> Says:
        """What comes of a click on a node when those in `ran` have run; where it may run, it is put there, too."""
        name = self.called[node]
        if node not in self.steps:
            return Says(
                f"{name} is a tensor. What runs is its AccumulateGrad.",
                f"{name} 是张量，运行的是它的 AccumulateGrad。",
            )
        if node in ran:
            return Says(f"{name} has run already. A node runs once.", f"{name} 已经运行过了。每个节点只运行一次。")
        if missing := [self.called[user] for user, _ in self.waits[node] if user not in ran]:
            return Says(
                f"Not yet: {name} still waits for what {' and '.join(missing)} will send.",
                f"还不行：{name} 还没有收到 {'、'.join(missing)} 传来的梯度。",
            )
        ran.append(node)
        return self.happens(node)

    def happens(self, node: str) -> Says:
        """What a node does when it runs."""
        name, step = self.called[node], self.steps[node]
        came = " + ".join(gradient for _, gradient in self.waits[node]) or step["into"][0]["short"]
        sent = [(sent["gradient"]["short"], self.called[sent["target"]]) for sent in step.get("out", ())]
        if not sent:
            return Says(f"{name}: {came} arrives and is kept.", f"{name}：收到 {came}，存下来。")
        return Says(
            f"{name}: {came} arrives, {', '.join(f'{grad} goes to {to}' for grad, to in sent)}.",
            f"{name}：收到 {came}，{'，'.join(f'把 {grad} 传给 {to}' for grad, to in sent)}。",
        )

    def words(self, lang: str) -> str:
        """What happens, in an order that holds."""
        return "\n".join(getattr(self.happens(node), lang) for node in self.steps)

    def picture(self) -> str:
        """The graph."""
        return self.svg

    def widget(self) -> Any:
        """The graph, its nodes to be clicked, and what has happened so far."""
        import anywidget
        import traitlets

        class Clicked(anywidget.AnyWidget):
            _esm, _css = _SCRIPT, _STYLE
            svg = traitlets.Unicode(self.svg).tag(sync=True)
            ran: Any = traitlets.List().tag(sync=True)
            says: Any = traitlets.List([str(START)]).tag(sync=True)

        clicked, told = Clicked(), []

        @in_turn
        def turn(_: Any, message: dict[str, str], __: Any) -> None:
            ran = list(clicked.ran)
            answer = str(self.turn(message["node"], ran))
            if len(ran) > len(clicked.ran):
                told.append(answer)
                answer = str(DONE) if self.steps.keys() <= set(ran) else ""
            filled = [leaf for node, leaf in self.leaves.items() if node in ran and leaf not in ran]
            clicked.ran = ran + filled  # their gradients are shown from now on
            clicked.says = [line for line in (*told, answer) if line]

        clicked.on_msg(turn)
        return clicked
