"""See which nodes keep tensors for the way back, and when they let go: ``Padlocks(f, w=w, x=x)``."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from lessons.play import Moving
from lessons.steps import reachable

MOMENTS = ("before", "after backward()", "after backward(retain_graph=True)")


class Padlocks(Moving):
    """The tensors that the nodes of a graph have saved, before a backward and after it.

    `function` is called with copies of the tensors, by name, and returns a scalar.
    """

    def __init__(self, function: Callable[..., Any], **tensors: Any) -> None:
        self.function, self.tensors = function, tensors

    def rows(self, moment: str) -> list[tuple[str, str]]:
        """Each operation's node, and what it holds at one of MOMENTS."""
        copies = {
            name: tensor.detach().clone().requires_grad_(tensor.requires_grad) for name, tensor in self.tensors.items()
        }
        output = self.function(**copies)
        nodes = [node for node in reachable(output.grad_fn) if not hasattr(node, "variable")]
        names = [saved_tensors(node) for node in nodes]
        if moment == MOMENTS[1]:
            output.backward()
        elif moment == MOMENTS[2]:
            output.backward(retain_graph=True)
        return [
            (type(node).__name__, ", ".join(state(node, name) for name in saved) or "needs nothing")
            for node, saved in zip(nodes, names)
        ]

    def __repr__(self) -> str:
        columns = [self.rows(moment) for moment in MOMENTS]
        table = [("", *MOMENTS)]
        table += [(first[0], *(column[number][1] for column in columns)) for number, first in enumerate(columns[0])]
        widths = [max(len(row[i]) for row in table) for i in range(len(MOMENTS) + 1)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)

    def widget(self) -> Any:
        """One button for each moment, and what the nodes hold then."""
        import ipywidgets

        moments = ipywidgets.ToggleButtons(options=MOMENTS, style={"button_width": "auto"})
        shown = ipywidgets.HTML()

        def redraw(_: Any = None) -> None:
            rows = "".join(
                f"<tr><td style='text-align:left;padding-right:2em'>{escape(node)}</td>"
                f"<td style='text-align:left'>{'&#128274; ' if 'keeps' in held else ''}{escape(held)}</td></tr>"
                for node, held in self.rows(moments.value)
            )
            shown.value = f"<table>{rows}</table>"

        moments.observe(redraw, "value")
        redraw()
        return ipywidgets.VBox([moments, shown])


def saved_tensors(node: Any) -> list[str]:
    """The names under which a node has saved tensors, such as ``_saved_self``."""
    return [name for name in sorted(dir(node)) if name.startswith("_saved_") and hasattr(getattr(node, name), "tolist")]


def state(node: Any, name: str) -> str:
    """Whether a node still holds what it saved, and its value."""
    short = name.removeprefix("_saved_")
    try:
        return f"keeps {short} = {getattr(node, name).tolist()}"
    except RuntimeError:
        return f"{short} is gone"
