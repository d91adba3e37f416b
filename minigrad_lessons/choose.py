"""Choose one of several ways, and watch the graph and the gradients change: ``Choose(way, [...], w=w)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import viz
from minigrad_lessons.play import Moving, followed


class Choose(Moving):
    """A function of a choice and some leaves, and a row of buttons with the choices.

    `function` is called with one of `choices` and with fresh copies of the leaves, by name; it returns a scalar.
    `show` is what the graph shows on its nodes besides, as `viz.draw` takes it.
    """

    def __init__(self, function: Callable[..., Any], choices: Sequence[str], show: str = "", **leaves: Any) -> None:
        self.function, self.choices, self.leaves = function, list(choices), leaves
        self.show = (show,) if show else ()

    def run(self, choice: str) -> tuple[dict[str, Any], Any, str | None]:
        """Fresh leaves, the function's result, and the error of its backward, where it has one."""
        leaves = {name: leaf.detach().clone().requires_grad_() for name, leaf in self.leaves.items()}
        result = self.function(choice, **leaves)
        error = None
        if result.grad_fn is not None:
            try:
                result.backward()
            except RuntimeError as refused:
                error = str(refused).split(". Hint:")[0]
        return leaves, result, error

    def words(self, lang: str) -> str:
        """A line for each choice."""
        width = max(map(len, self.choices))
        lines = []
        for choice in self.choices:
            leaves, result, error = self.run(choice)
            grads = "  ".join(
                f"{name}.grad: {None if leaf.grad is None else format(leaf.grad.sum().item(), 'g')}"
                for name, leaf in leaves.items()
            )
            lines.append(
                f"{choice:<{width}}  result: {result.item():g}  {f'RuntimeError: {error}' if error else grads}"
            )
        return "\n".join(lines)

    def picture(self, choice: str | None = None) -> str | None:
        """The graph of one choice as SVG, of the first by default; None where nothing was recorded."""
        leaves, result, _ = self.run(choice or self.choices[0])
        if result.grad_fn is None:
            return None
        return viz.draw(result, names={**leaves, "result": result}, show=self.show).svg

    def widget(self) -> Any:
        """Buttons with the choices, the graph of the one chosen, and what every choice gives."""
        import ipywidgets

        buttons = ipywidgets.ToggleButtons(options=self.choices, style={"button_width": "auto"})
        words = f"<pre>{escape(repr(self))}</pre>"
        return followed(lambda way: (self.picture(way) or "<code>result.grad_fn is None</code>") + words, buttons)
