"""Cut the data in two, and see what the two halves' gradients make together: ``Cut(gradient, X, Y)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, followed
from minigrad_lessons.svg import BLUE, DARK, INK, ORANGE, box, line, svg, text

CELL, BAR, LEFT, ROOM, TOP = 34, 20, 190, 320, 76


class Cut(Moving):
    """Rows cut in two parts, one for each of two workers, and a slider that moves the cut.

    `gradient` takes the rows of a part, X and Y, and returns the gradient of its mean loss as a tensor of one element.
    """

    about = Says(
        "what two workers' gradients give together, for each place of the cut",
        "切在不同的位置，两份梯度合起来各是多少",
    )

    def __init__(self, gradient: Callable[[Any, Any], Any], X: Any, Y: Any) -> None:
        self.rows = len(X)
        self.whole = gradient(X, Y).item()
        self.parts = [
            (gradient(X[:cut], Y[:cut]).item(), gradient(X[cut:], Y[cut:]).item()) for cut in range(1, self.rows)
        ]

    def together(self, cut: int) -> tuple[float, float]:
        """The plain mean of the two gradients, and their mean weighted by size."""
        first, second = self.parts[cut - 1]
        return (first + second) / 2, (cut * first + (self.rows - cut) * second) / self.rows

    def words(self, lang: str) -> str:
        """A line for each place of the cut."""
        heads = {"en": ("rows", "A", "B", "plain mean", "by size"), "zh": ("行数", "A", "B", "直接平均", "按行数加权")}
        lines = ["".join(f"{head:>12}" for head in heads[lang])]
        for cut, parts in enumerate(self.parts, start=1):
            numbers = "".join(f"{value:>12.2f}" for value in (*parts, *self.together(cut)))
            lines.append(f"{f'{cut} + {self.rows - cut}':>12}{numbers}")
        return "\n".join(lines)

    def picture(self, cut: int = 1) -> str:
        """One place of the cut, as SVG: the rows, a bar for each gradient, and a line where the whole's ends."""
        (first, second), (plain, weighted) = self.parts[cut - 1], self.together(cut)
        longest = max(abs(value) for pair in self.parts for value in pair)
        right = self.rows - cut
        bars = [
            (f"A: {cut}", first, BLUE),
            (f"B: {right}", second, INK),
            ("(A + B) / 2", plain, ORANGE),
            (f"({cut} A + {right} B) / {self.rows}", weighted, ORANGE),
        ]
        parts = [text(LEFT - 10, 33, "X, Y", at="end", colour=DARK)]
        for row in range(self.rows):
            x, letter, colour = LEFT + CELL * row, *(("A", BLUE) if row < cut else ("B", INK))
            parts.append(box(x, 18, CELL - 4, BAR, colour=colour, tinted=True))
            parts.append(text(x + CELL / 2 - 2, 33, letter, at="middle", colour=DARK))
        for number, (name, value, colour) in enumerate(bars):
            y = TOP + 32 * number
            length = ROOM * abs(value) / longest
            parts += [
                text(LEFT - 10, y + 15, name, at="end", colour=DARK),
                box(LEFT, y, length, BAR, colour=colour, tinted=True),
                text(LEFT + length + 8, y + 15, f"{value:.2f}", colour=DARK),
            ]
        goal = LEFT + ROOM * abs(self.whole) / longest
        foot = TOP + 32 * len(bars)
        parts += [
            line([(goal, TOP - 8), (goal, foot)], colour=DARK, width=1.5, dashed=True),
            text(goal, foot + 16, f"{self.whole:.2f}", at="middle", colour=DARK, bold=True),
        ]
        by_size = Says("by size", "按行数加权")
        says = f"{cut} + {right}:  (A + B) / 2 = {plain:.2f},  {by_size} {weighted:.2f}"
        return svg(says, LEFT + ROOM + 70, foot + 28, parts, more=self.alt())

    def widget(self) -> Any:
        """The live slider."""
        import ipywidgets

        slider = ipywidgets.IntSlider(value=1, min=1, max=self.rows - 1, description="A", layout={"width": "440px"})
        return followed(self.picture, slider)
