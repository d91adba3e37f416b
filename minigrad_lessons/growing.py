"""Watch a graph grow with each step: ``Growing(after, steps=5)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import viz
from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, followed

STEPS, NODES = Says("steps", "步数"), Says("nodes", "节点")


class Growing(Moving):
    """The graph behind a tensor after 1, 2, 3… steps, and a slider for the number of steps.

    `after` takes the number of steps and returns a tensor, called `name` in the picture.
    """

    def __init__(self, after: Callable[[int], Any], *, steps: int, name: str = "w") -> None:
        self.after, self.steps, self.name = after, steps, name

    def words(self, lang: str) -> str:
        """The number of nodes after each number of steps."""
        steps, nodes = (getattr(word, lang) + {"en": ": ", "zh": "："}[lang] for word in (STEPS, NODES))
        lines = []
        for number in range(1, self.steps + 1):
            node = self.after(number).grad_fn
            lines.append(f"{steps}{number}   {nodes}{0 if node is None else len(reachable(node))}")
        return "\n".join(lines)

    def picture(self, number: int | None = None) -> str | None:
        """The graph after some steps, the last by default, as SVG; None where there is no graph."""
        tensor = self.after(number or self.steps)
        return None if tensor.grad_fn is None else viz.draw(tensor, names={self.name: tensor}).svg

    def widget(self) -> Any:
        """The slider and the graph."""
        import ipywidgets

        slider = ipywidgets.IntSlider(value=self.steps, min=1, max=self.steps, description=str(STEPS))
        return followed(lambda n: self.picture(n) or f"<code>{self.name}.grad_fn is None</code>", slider)


def reachable(start: Any) -> list[Any]:
    """Every node that can be reached from one node, that one first."""
    found = [start]
    for node in found:
        for way, _ in getattr(node, "next_functions", ()):
            if way is not None and way not in found:
                found.append(way)
    return found
