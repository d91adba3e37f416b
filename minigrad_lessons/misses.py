"""See by how much a line misses some points: ``Misses(X, Y, w=1.0)``."""

from __future__ import annotations

from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Still
from minigrad_lessons.svg import BLUE, INK, ORANGE, Point, dot, line, svg, text

WIDTH, HEIGHT = 360, 230
LEFT, RIGHT, TOP, BOTTOM = 44, 96, 20, 34


class Misses(Still):
    """The points (x, y), the line y = w x, and how far it passes each point by.

    X, Y: one-dimensional tensors of positive numbers, equally long.
    """

    about = Says("some points, a line, and by how much it misses each", "几个点、一条直线，以及直线在每个点处的误差")

    def __init__(self, X: Any, Y: Any, *, w: float) -> None:
        self.points: list[Point] = list(zip(X.tolist(), Y.tolist()))
        self.w = w

    def words(self, lang: str) -> str:
        """Each point, what the line says there, and the square of the miss."""
        line = {
            "en": "x = {x:g}: y = {y:g}, w x = {on:g}, miss {off:g}, squared {square:g}",
            "zh": "x = {x:g}：y = {y:g}，w x = {on:g}，误差 {off:g}，平方 {square:g}",
        }[lang]
        offs = [(x, y, self.w * x) for x, y in self.points]
        return "\n".join(line.format(x=x, y=y, on=on, off=y - on, square=(y - on) ** 2) for x, y, on in offs)

    def picture(self) -> str:
        """The points as dots, the line, and a dashed line for each miss with its square beside it. As SVG."""
        right = max(x for x, _ in self.points)
        top = max(*(y for _, y in self.points), self.w * right)
        floor = HEIGHT - BOTTOM

        def on_page(x: float, y: float) -> Point:
            return LEFT + x / right * (WIDTH - LEFT - RIGHT), floor - y / top * (floor - TOP)

        parts = [
            line([(LEFT, TOP), (LEFT, floor), (WIDTH - RIGHT + 20, floor)]),
            line([on_page(0, 0), on_page(right, self.w * right)], colour=BLUE, width=2.5),
            text(LEFT - 8, TOP + 4, f"{top:g}", at="end"),
            text(LEFT - 8, floor + 4, "0", at="end"),
        ]
        for x, y in self.points:
            across, up = on_page(x, y)
            miss = y - self.w * x
            parts += [
                line([on_page(x, self.w * x), (across, up)], colour=ORANGE, width=2, dashed=True),
                dot(across, up),
                text(across + 10, up + 4, f"{miss:g}² = {miss**2:g}"),
                text(across, floor + 18, f"{x:g}", at="middle"),
            ]
        across, up = on_page(right, self.w * right)
        parts.append(text(across + 10, up + 4, "w x", colour=INK, bold=True))
        return svg(self.alt(), WIDTH, HEIGHT, parts)
