"""How well a difference quotient meets a derivative: ``Quotient(f, x=2.0, slope=12.0)``."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, Still, followed
from minigrad_lessons.svg import BLUE, INK, ORANGE, dot, line, svg, text

WIDTH, HEIGHT, EDGE = 460, 240, 56
QUOTIENT, ERROR, STEP = Says("quotient", "差商"), Says("error", "误差"), Says("step", "第几步")


class Quotient(Moving):
    """(f(x+e) - f(x-e)) / 2e for e = 0.1, 0.01, ..., and how far each is from the true slope."""

    about = Says("how far the quotient is from the slope, for each step", "每种步长下，差商与斜率相差多少")

    def __init__(self, f: Callable[[float], float], *, x: float, slope: float) -> None:
        self.steps = [10.0**-power for power in range(1, 15)]
        self.values = [(f(x + step) - f(x - step)) / (2 * step) for step in self.steps]
        self.errors = [abs(value - slope) for value in self.values]

    def words(self, lang: str) -> str:
        """A line for each step."""
        quotient, wrong_by = getattr(QUOTIENT, lang), getattr(ERROR, lang)
        return "\n".join(
            f"e = {step:.0e}   {quotient} {value:.10f}   {wrong_by} {error:.0e}"
            for step, value, error in zip(self.steps, self.values, self.errors)
        )

    def picture(self, chosen: int = 0) -> str:
        """The error for each step, both by powers of ten, with one of them marked. As SVG."""
        powers = [math.log10(max(error, 1e-16)) for error in self.errors]

        def on_page(number: int) -> tuple[float, float]:
            x = EDGE + number * (WIDTH - 2 * EDGE) / (len(self.steps) - 1)
            span = max(powers) - min(powers) or 1.0  # of a straight line each quotient may be as near as the next
            return x, EDGE + (max(powers) - powers[number]) * (HEIGHT - 2 * EDGE) / span

        says = (
            f"e = {self.steps[chosen]:.0e}   {QUOTIENT} {self.values[chosen]:.10f}   {ERROR} {self.errors[chosen]:.0e}"
        )
        x, y = on_page(chosen)
        parts = [
            text(10, 22, says, size=13),
            line([(EDGE, EDGE - 8), (EDGE, HEIGHT - EDGE + 8), (WIDTH - EDGE, HEIGHT - EDGE + 8)], colour=INK),
            line([on_page(number) for number in range(len(self.steps))], colour=BLUE, width=2.5),
            dot(x, y),
            text(EDGE, HEIGHT - EDGE + 26, f"e = {self.steps[0]:.0e}", at="middle"),
            text(WIDTH - EDGE, HEIGHT - EDGE + 26, f"e = {self.steps[-1]:.0e}", at="middle"),
            text(8, EDGE - 16, str(ERROR)),
        ]
        return svg(says, WIDTH, HEIGHT, parts, more=self.alt())

    def widget(self) -> Any:
        """A slider for the step."""
        import ipywidgets

        slider = ipywidgets.IntSlider(
            min=1, max=len(self.steps), description="e = 10^-", style={"description_width": "70px"}
        )
        return followed(lambda power: self.picture(power - 1), slider)


class Curve(Still):
    """Positive numbers as a curve over their order, by powers of ten: ``Curve(loss=losses)``, while training.

    Where the numbers run away to inf or nan, as with too large a learning rate, the curve ends there and says so.
    """

    about = Says("a curve that falls or rises with each step", "一条随步数起落的曲线")

    def __init__(self, **named: list[float]) -> None:
        ((self.name, self.values),) = named.items()
        finite = list(takewhile(math.isfinite, self.values))
        self.powers = [math.log10(max(value, 1e-12)) for value in finite]

    def words(self, lang: str) -> str:
        """How many values there are, and where they start and end."""
        count, known = len(self.values), len(self.powers)
        ran_away = {
            "en": f"value {known + 1} is no longer a finite number: the training diverged",
            "zh": f"从第 {known + 1} 个值起不再是有限的数：训练发散了",
        }[lang]
        said = {"en": f"{self.name}: {count} values", "zh": f"{self.name}：{count} 个值"}[lang]
        if self.powers:
            first, last = math.floor(self.powers[0]), math.floor(self.powers[-1])
            said += {"en": f", from 10^{first} to 10^{last}", "zh": f"，从 10^{first} 到 10^{last}"}[lang]
        return said + ("" if known == count else {"en": f"; {ran_away}", "zh": f"；{ran_away}"}[lang])

    def picture(self) -> str:
        """The curve over the number of the value, as SVG."""
        bottom = math.floor(min(self.powers, default=0))
        top = max(math.ceil(max(self.powers, default=0)), bottom + 1)
        points = [
            (
                EDGE + number * (WIDTH - 2 * EDGE) / max(1, len(self.values) - 1),
                EDGE + (top - power) * (HEIGHT - 2 * EDGE) / (top - bottom),
            )
            for number, power in enumerate(self.powers)
        ]
        floor = HEIGHT - EDGE
        parts = [
            line([(EDGE, EDGE), (EDGE, floor), (WIDTH - EDGE, floor)]),
            line(points, colour=BLUE, width=2.5),
            text(EDGE - 6, EDGE + 4, f"10^{top}", at="end"),
            text(EDGE - 6, floor + 4, f"10^{bottom}", at="end"),
            text(EDGE, EDGE - 14, self.name, at="middle"),
            text(EDGE, floor + 20, "1", at="middle"),
            text(WIDTH / 2, floor + 20, str(STEP), at="middle"),
            text(WIDTH - EDGE, floor + 20, str(len(self.values)), at="middle"),
        ]
        if len(points) < len(self.values):
            x, y = points[-1] if points else (EDGE, floor)
            parts.append(text(x + 8, y + 4, f"{self.values[len(points)]:g}", colour=ORANGE, bold=True))
        return svg(self.alt(), WIDTH, HEIGHT, parts)
