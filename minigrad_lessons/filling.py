"""Watch a leaf's `.grad` fill and empty: ``Filling(loss, w=torch.tensor([1.0]))``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, in_turn
from minigrad_lessons.svg import BLUE, INK, box, line, svg, text

BACKWARD, ZERO, NONE = "backward()", "w.grad.zero_()", "w.grad = None"
BAR, ROOM, HEIGHT = 46, 106, 170


class Filling(Moving):
    """A loss of one leaf, and buttons that run backward on it and clear its gradient.

    `loss` is called anew for each backward, with a leaf of its own that starts as a copy of `w`; `w` itself is left
    alone. `actions` are what the still picture shows.
    """

    about = Says("a bar for w.grad after each of these", "做完每一步之后的 w.grad，一步一根柱子")

    def __init__(
        self,
        loss: Callable[[Any], Any],
        *,
        w: Any,
        actions: Sequence[str] = (BACKWARD, BACKWARD, BACKWARD, ZERO, BACKWARD, NONE, BACKWARD),
    ) -> None:
        self.loss, self.w, self.actions = loss, w, actions

    def history(self, actions: Sequence[str]) -> list[tuple[str, float | None]]:
        """Each action with `w.grad` after it, as a number; None where there is none."""
        w = self.w.detach().clone().requires_grad_()
        result = []
        for action in actions:
            if action == BACKWARD:
                self.loss(w).backward()
            elif action == NONE:
                w.grad = None
            elif w.grad is not None:
                w.grad.zero_()
            result.append((action, None if w.grad is None else w.grad.sum().item()))
        return result

    def words(self, lang: str) -> str:
        """Each action, and what it leaves in the gradient."""
        return "\n".join(
            f"{action:<14} w.grad: {'None' if grad is None else f'{grad:g}'}"
            for action, grad in self.history(self.actions)
        )

    def picture(self, actions: Sequence[str] | None = None) -> str:
        """A bar for `w.grad` after each of the last actions, as SVG."""
        history = self.history(self.actions if actions is None else actions)[-len(self.actions) :]
        tallest = max((abs(grad) for _, grad in history if grad is not None), default=0.0) or 1.0
        parts, floor = [], HEIGHT - 50
        for number, (action, grad) in enumerate(history):
            x = 10 + ROOM * number
            value = "None" if grad is None else f"{grad:g}"
            height = 0.0 if grad is None else abs(grad) / tallest * (floor - 30)
            if height:
                parts.append(box(x + (ROOM - BAR) / 2, floor - height, BAR, height, colour=BLUE, thick=2.5))
            parts.append(text(x + ROOM / 2, floor - height - 6, value, at="middle", size=14, bold=True))
            parts.append(text(x + ROOM / 2, floor + 20, action, at="middle"))
        width = 10 + ROOM * max(1, len(history))
        parts.append(line([(10, floor), (width - 10, floor)], colour=INK))
        parts.append(text(10, HEIGHT - 8, "w.grad"))
        return svg("; ".join(f"{action}: {grad}" for action, grad in history), width, HEIGHT, parts, more=self.alt())

    def widget(self) -> Any:
        """One button for each action, and the bars so far."""
        import ipywidgets

        done: list[str] = []
        picture = ipywidgets.HTML(self.picture(done))

        @in_turn
        def add(action: str) -> None:
            done.append(action)
            picture.value = self.picture(done)

        buttons = []
        for action in (BACKWARD, ZERO, NONE):
            button = ipywidgets.Button(description=action, layout={"width": "auto"})
            button.on_click(lambda _, action=action: add(action))
            buttons.append(button)
        return ipywidgets.VBox([ipywidgets.HBox(buttons), picture])
