"""Turn a knob and see by how much a line misses some points: ``Misses(X, Y, w=1.0)``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, followed
from minigrad_lessons.svg import BLUE, DARK, INK, ORANGE, Point, dot, line, svg, text

WIDTH, HEIGHT = 330, 250
LEFT, RIGHT, TOP, BOTTOM = 44, 70, 44, 40
ASIDE = WIDTH + 20  # where the second picture begins


class Misses(Moving):
    """The points (x, y), the line y = w x, how far it passes each point by; and a slider that turns `w`.

    Beside it stands the loss, the sum of the squared misses, at each place that the slider has been to.

    X, Y: one-dimensional tensors of positive numbers, equally long.
    span: the lowest `w`, the highest and the step between.
    """

    about = Says("some points, a line, and by how much it misses each", "几个点、一条直线，以及直线在每个点处的误差")

    def __init__(self, X: Any, Y: Any, *, w: float, span: tuple[float, float, float] = (0.0, 4.0, 0.1)) -> None:
        self.points: list[Point] = list(zip(X.tolist(), Y.tolist()))
        self.w, (self.low, self.high, self.step) = w, span

    def loss(self, w: float) -> float:
        """The sum of the squared misses."""
        return sum((y - w * x) ** 2 for x, y in self.points)

    def table(self) -> list[float]:
        """Some places of the slider, evenly spread."""
        return [self.low + (self.high - self.low) * part / 8 for part in range(9)]

    def words(self, lang: str) -> str:
        """Each point, what the line says there, and the square of the miss; then the loss for some other `w`."""
        line, there = {
            "en": ("x = {x:g}: y = {y:g}, w x = {on:g}, miss {off:g}, squared {square:g}", "w = {:g}: loss {:g}"),
            "zh": ("x = {x:g}：y = {y:g}，w x = {on:g}，误差 {off:g}，平方 {square:g}", "w = {:g}：损失 {:g}"),
        }[lang]
        offs = [(x, y, self.w * x) for x, y in self.points]
        said = [line.format(x=x, y=y, on=on, off=y - on, square=(y - on) ** 2) for x, y, on in offs]
        return "\n".join([*said, *(there.format(w, self.loss(w)) for w in self.table())])

    def picture(self, w: float | None = None, tried: Collection[float] = ()) -> str:
        """The line for one `w`, and the loss at the places `tried`. As SVG."""
        w = self.w if w is None else w
        parts = [*self._line(w), *self._losses(w, tried or self.table())]
        return svg(self.alt(), ASIDE + WIDTH, HEIGHT, parts)

    def _line(self, w: float) -> list[str]:
        """The points as dots, the line, and a dashed line for each miss with its square beside it."""
        right = max(x for x, _ in self.points)
        top = max(*(y for _, y in self.points), self.high * right)

        def on_page(x: float, y: float) -> Point:
            return LEFT + x / right * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y / top * (HEIGHT - BOTTOM - TOP)

        parts = [
            *_axes(LEFT, WIDTH, f"{right:g}", f"{top:g}", "x"),
            line([on_page(0, 0), on_page(right, w * right)], colour=BLUE, width=2.5),
        ]
        for x, y in self.points:
            across, up = on_page(x, y)
            miss = round(y - w * x, 9)
            parts += [
                line([on_page(x, w * x), (across, up)], colour=ORANGE, width=2, dashed=True),
                dot(across, up),
                text(  # on the side of the dot that the line does not pass
                    across + (2 if miss < 0 else 16),
                    up + (20 if miss < 0 else -11),
                    f"({miss:g})² = {miss**2:g}" if miss < 0 else f"{miss:g}² = {miss**2:g}",
                    at="start" if miss < 0 else "end",
                ),
            ]
        end = on_page(right, w * right)
        return [*parts, text(end[0] + 8, end[1] - 8, "w x", colour=BLUE, bold=True)]

    def _losses(self, w: float, tried: Collection[float]) -> list[str]:
        """A dot at each `w` that was tried, as high as the loss there; the present one is large."""
        left, top = ASIDE + LEFT, max(self.loss(self.low), self.loss(self.high))

        def on_page(w: float) -> Point:
            across = left + (w - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)
            return across, HEIGHT - BOTTOM - self.loss(w) / top * (HEIGHT - BOTTOM - TOP)

        dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in map(on_page, tried))
        return [
            *_axes(left, ASIDE + WIDTH, f"{self.high:g}", f"{top:g}", "w"),
            text(left, 24, f"w = {w:g},  loss = {self.loss(w):.4g}", size=15, colour=DARK),
            f'<path d="{dots}" stroke="{BLUE}" stroke-width="5" stroke-linecap="round"/>',
            dot(*on_page(w)),
        ]

    def widget(self) -> Any:
        """The knob, and the picture that follows it."""
        import ipywidgets

        knob = ipywidgets.FloatSlider(
            value=self.w,
            min=self.low,
            max=self.high,
            step=self.step,
            description="w",
            layout={"width": "440px"},
        )
        tried: list[float] = []

        def turned(w: float) -> str:
            tried.append(round(w, 9))
            return self.picture(tried[-1], tried)

        return followed(turned, knob)


def _axes(left: float, width: float, right: str, top: str, name: str) -> list[str]:
    """Two axes from 0, with the ends and the name of the horizontal one."""
    floor, end = HEIGHT - BOTTOM, width - RIGHT
    return [
        line([(left, TOP), (left, floor), (end + 16, floor)]),
        text(left - 8, TOP + 4, top, at="end"),
        text(left - 8, floor + 4, "0", at="end"),
        text(end, floor + 18, right, at="middle"),
        text((left + end) / 2, floor + 32, name, colour=INK, at="middle"),
    ]
