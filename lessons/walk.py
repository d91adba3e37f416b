"""Walk a computation graph by hand: ``Walk(z=z)``.

Each step is a button, and each place says which Python expression leads there: what one would type to hold that node.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from lessons.play import Moving


class Walk(Moving):
    """The nodes behind one tensor, given by name, and a control that walks from node to node."""

    def __init__(self, **output: Any) -> None:
        ((self.name, tensor),) = output.items()
        self.start = tensor.grad_fn

    def steps(self) -> Iterator[tuple[str, str]]:
        """Every path from the output, as the expression that walks it and what stands at its end."""
        waiting = [(f"{self.name}.grad_fn", self.start)]
        while waiting:
            expression, node = waiting.pop()
            yield expression, describe(node)
            ways = getattr(node, "next_functions", ())
            waiting += [(f"{expression}.next_functions[{i}][0]", way) for i, (way, _) in enumerate(ways)][::-1]

    def __repr__(self) -> str:
        return "\n".join(f"{expression}\n    {what}" for expression, what in self.steps())

    def widget(self) -> Any:
        """Buttons that lead on and back, and the place where we are."""
        import ipywidgets

        here = ipywidgets.HTML()
        ways = ipywidgets.HBox()
        back = ipywidgets.Button(description="back", icon="arrow-left")
        path = [(f"{self.name}.grad_fn", self.start)]

        def show() -> None:
            expression, node = path[-1]
            here.value = f"<code>{escape(expression)}</code><br><b>{escape(describe(node))}</b>"
            back.disabled = len(path) == 1
            buttons = []
            for number, (way, _) in enumerate(getattr(node, "next_functions", ())):
                button = ipywidgets.Button(
                    description=f"[{number}] {type(way).__name__ if way is not None else None}",
                    disabled=way is None,
                    layout={"width": "auto"},
                )
                step = (f"{expression}.next_functions[{number}][0]", way)
                button.on_click(lambda _, step=step: (path.append(step), show()))
                buttons.append(button)
            ways.children = tuple(buttons)

        back.on_click(lambda _: (path.pop(), show()))
        show()
        return ipywidgets.VBox([here, ways, back])


def describe(node: Any) -> str:
    """A node's name; of an AccumulateGrad also the leaf that it fills."""
    if node is None:
        return "None: nobody asked for this gradient"
    if hasattr(node, "variable"):
        return f"{type(node).__name__}, its variable is {' '.join(repr(node.variable).split())}"
    return type(node).__name__
