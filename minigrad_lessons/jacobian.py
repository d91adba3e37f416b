"""Show a Jacobian and what a backward pass makes of it: ``Jacobian(f, x=x, v=v)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, followed
from minigrad_lessons.svg import BLUE, ORANGE, box, svg, text

CELL, ROW, TOP, GAP = 58, 30, 44, 34


class Jacobian(Moving):
    """The Jacobian of `f` at `x`, a vector `v` for its outputs, and the gradient that ``f(x).backward(v)`` leaves.

    x, v: one-dimensional tensors, `v` with as many elements as ``f(x)``. Every number comes from a real backward.
    """

    about = Says(
        "the Jacobian J, beside it v, below it x.grad: each column times v, added up",
        "雅可比矩阵 J，右边是 v，下面是 x.grad：每一列与 v 对应相乘再相加",
    )

    def __init__(self, f: Callable[[Any], Any], *, x: Any, v: Any) -> None:
        self.f, self.x, self.v = f, x, v
        outputs = len(v)
        self.matrix = [self.gradient([float(i == j) for j in range(outputs)]) for i in range(outputs)]

    def gradient(self, v: Sequence[float]) -> list[float]:
        """What ``f(x).backward(v)`` leaves in ``x.grad``."""
        x = self.x.detach().clone().requires_grad_()
        y = self.f(x)
        weights = y.detach().clone()
        for i, weight in enumerate(v):
            weights[i] = weight
        y.backward(weights)
        return x.grad.tolist()

    def words(self, lang: str) -> str:
        """J row by row with v beside it, then x.grad."""
        v = self.v.tolist()
        rows = [
            f"{'J' if number == 0 else ' '}  {' '.join(f'{value:6g}' for value in row)}    v  {weight:6g}"
            for number, (row, weight) in enumerate(zip(self.matrix, v))
        ]
        return "\n".join([*rows, f"x.grad = {' '.join(f'{value:6g}' for value in self.gradient(v))}"])

    def picture(self, v: Sequence[float] | None = None) -> str:
        """The grid of J with v beside it and x.grad under it, as SVG: each column of J times v gives one entry."""
        weights = self.v.tolist() if v is None else list(v)
        gradient = self.gradient(weights)
        outputs, inputs = len(weights), len(gradient)
        left = 60
        beside = left + CELL * inputs + GAP
        parts = [text(left + CELL * inputs / 2, 20, "J", at="middle", bold=True)]
        parts += [text(left + CELL * (j + 0.5), TOP - 6, f"x{j}", at="middle", size=11) for j in range(inputs)]
        parts += [text(left - 8, TOP + ROW * (i + 0.65), f"y{i}", at="end", size=11) for i in range(outputs)]
        parts.append(text(beside + CELL / 2, 20, "v", at="middle", bold=True, colour=ORANGE))
        for i in range(outputs):
            for j in range(inputs):
                parts += self._cell(left + CELL * j, TOP + ROW * i, self.matrix[i][j], BLUE)
            parts += self._cell(beside, TOP + ROW * i, weights[i], ORANGE)
        below = TOP + ROW * outputs + 24
        parts.append(text(left - 8, below + ROW * 0.65, "x.grad", at="end"))
        for j in range(inputs):
            parts += self._cell(left + CELL * j, below, gradient[j], ORANGE, bold=True)
        says = f"J = {self.matrix}; v = {weights}; x.grad = {gradient}"
        return svg(says, beside + CELL + 10, below + ROW + 8, parts, more=self.alt())

    def _cell(self, x: float, y: float, value: float, colour: str, *, bold: bool = False) -> list[str]:
        return [
            box(x, y, CELL, ROW, colour=colour),
            text(x + CELL / 2, y + ROW * 0.65, f"{value:g}", at="middle", size=14, bold=bold),
        ]

    def widget(self) -> Any:
        """One slider for each entry of v, and the picture."""
        import ipywidgets

        sliders = [
            ipywidgets.FloatSlider(value=weight, min=-2, max=2, step=0.25, description=f"v[{i}]")
            for i, weight in enumerate(self.v.tolist())
        ]
        return followed(lambda *v: self.picture(v), *sliders)
