"""Switch tracking on and off, and watch the graph: ``Flags(line, w=torch.tensor(2.0), x=torch.tensor(3.0))``."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import viz
from minigrad_lessons.play import Moving, followed


class Flags(Moving):
    """A function of some tensors, and a checkbox for the `requires_grad` of each.

    A tensor's own flag is where its checkbox starts; the tensors themselves are left alone.
    """

    def __init__(self, function: Callable[..., Any], **tensors: Any) -> None:
        self.function, self.tensors = function, tensors

    def run(self, flags: dict[str, bool]) -> tuple[dict[str, Any], Any]:
        """Fresh leaves with these flags, and what the function makes of them."""
        leaves = {name: tensor.detach().clone() for name, tensor in self.tensors.items()}
        for name, leaf in leaves.items():
            leaf.requires_grad_(flags[name])
        return leaves, self.function(**leaves)

    def start(self) -> dict[str, bool]:
        """The tensors' own flags."""
        return {name: tensor.requires_grad for name, tensor in self.tensors.items()}

    def words(self, lang: str) -> str:
        """A line for each choice."""
        names = list(self.tensors)
        lines = [" ".join(f"{name:>5}" for name in names) + "   result.requires_grad  .is_leaf  .grad_fn"]
        for choice in product([True, False], repeat=len(names)):
            _, result = self.run(dict(zip(names, choice)))
            made_by = result.grad_fn.name() if result.grad_fn is not None else None
            flags = " ".join(f"{flag!s:>5}" for flag in choice)
            lines.append(f"{flags}   {result.requires_grad!s:<20}  {result.is_leaf!s:<8}  {made_by}")
        return "\n".join(lines)

    def picture(self, flags: dict[str, bool] | None = None) -> str | None:
        """The graph for these flags as SVG; None when nothing is tracked, since there is none then."""
        leaves, result = self.run(flags or self.start())
        if result.grad_fn is None:
            return None
        return viz.draw(result, names={**leaves, "result": result}).svg

    def widget(self) -> Any:
        """One checkbox for each tensor, and the graph under them."""
        import ipywidgets

        def show(*flags: bool) -> str:
            return self.picture(dict(zip(self.tensors, flags))) or "<code>result.grad_fn is None</code>"

        boxes = (
            ipywidgets.Checkbox(value=flag, description=f"{name}.requires_grad", indent=False)
            for name, flag in self.start().items()
        )
        return followed(show, *boxes, beside=True)
