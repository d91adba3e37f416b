"""Three arms of a spiral, and a film of how a network learns to tell them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, followed
from minigrad_lessons.svg import BLUE, DARK, INK, ORANGE, box, svg, text

ARMS, EACH, HIDDEN = 3, 100, 32
GRID, SPAN = 36, 1.25  # boxes across a picture, and how far it reaches from the middle
SIZE, TITLE, GAP = 180.0, 40.0, 16.0
COLOURS = (BLUE, ORANGE, DARK)


def spiral(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """300 points of the plane, the arm of each, and the same as rows of zeros with a one."""
    chance, away = np.random.default_rng(seed), np.linspace(0.1, 1.0, EACH)
    arms = np.repeat(np.arange(ARMS), EACH)
    turned = arms * 2 * np.pi / ARMS + np.tile(away, ARMS) * 4 + chance.normal(size=len(arms)) * 0.2
    points = np.stack([np.sin(turned), np.cos(turned)], axis=1) * np.tile(away, ARMS)[:, None]
    return points, arms, np.eye(ARMS)[arms]


def weights(seed: int = 1) -> list[np.ndarray]:
    """Where a network 2 → 32 → 3 starts: w1, b1, w2, b2."""
    chance = np.random.default_rng(seed)
    return [
        chance.normal(size=(2, HIDDEN)),
        np.zeros(HIDDEN),
        chance.normal(size=(HIDDEN, ARMS)) * 0.2,
        np.zeros(ARMS),
    ]


class Film(Moving):
    """What a network says of the plane after some steps of its training; a slider goes from one to the next."""

    about = Says(
        "the plane in three colours, as a network divides it, with the points of a spiral's three arms",
        "网络把平面分成三种颜色，上面是螺旋三条臂的点",
    )

    def __init__(self, points: np.ndarray, arms: np.ndarray) -> None:
        self.points, self.arms = points, arms
        self.frames: list[tuple[int, float, int, np.ndarray]] = []

    def keep(self, step: int, loss: float, scores: Callable[[np.ndarray], np.ndarray]) -> None:
        """Keep what `scores` says now: for rows of points, a row of three numbers each, the largest wins."""
        middle = (np.arange(GRID) + 0.5) / GRID * 2 * SPAN - SPAN
        plane = np.stack(np.meshgrid(middle, -middle), axis=-1).reshape(-1, 2)
        hit = int((np.argmax(scores(self.points), axis=1) == self.arms).sum())
        self.frames.append((step, loss, hit, np.argmax(scores(plane), axis=1).reshape(GRID, GRID)))

    def title(self, number: int) -> Says:
        """What is said of one frame."""
        step, loss, hit, _ = self.frames[number]
        return Says(
            f"step {step}: loss {loss:.2f}, {hit} of {len(self.arms)} right",
            f"第 {step} 步：损失 {loss:.2f}，{len(self.arms)} 个点对了 {hit} 个",
        )

    def words(self, lang: str) -> str:
        """A line for each frame."""
        return "\n".join(getattr(self.title(number), lang) for number in range(len(self.frames)))

    def picture(self) -> str:
        """All frames side by side, as SVG."""
        return self._drawn(range(len(self.frames)), SIZE)

    def _drawn(self, numbers: Any, size: float) -> str:
        parts: list[str] = []
        for place, number in enumerate(numbers):
            left = GAP + place * (size + GAP)
            step, loss, hit, plane = self.frames[number]
            parts += [
                text(left, 18, str(Says(f"step {step}", f"第 {step} 步")), bold=True, colour=DARK),
                text(left, 35, f"{loss:.2f} · {hit}/{len(self.arms)}", colour=INK),
                *self._frame(plane, left, TITLE, size),
            ]
        return svg(self.alt(), GAP + len(numbers) * (size + GAP), TITLE + size + GAP, parts)

    def _frame(self, plane: np.ndarray, left: float, top: float, size: float) -> list[str]:
        """The plane in runs of one colour, the points on it, and a frame."""
        unit, parts = size / GRID, []
        across = left + (self.points[:, 0] + SPAN) / (2 * SPAN) * size
        down = top + (SPAN - self.points[:, 1]) / (2 * SPAN) * size
        for arm, colour in enumerate(COLOURS):
            runs = []
            for row, line in enumerate(plane == arm):
                edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(int), [0]))))
                runs += [
                    f"M{left + start * unit:.1f} {top + (row + 0.5) * unit:.1f}h{(end - start) * unit:.1f}"
                    for start, end in edges.reshape(-1, 2)
                ]
            dots = [f"M{x:.1f} {y:.1f}h0" for x, y in zip(across[self.arms == arm], down[self.arms == arm])]
            parts += [
                f'<path d="{"".join(runs)}" stroke="{colour}" stroke-opacity="0.3" stroke-width="{unit:.2f}"/>',
                f'<path class="dots" d="{"".join(dots)}" stroke="{colour}" stroke-width="3.6" stroke-linecap="round"/>',
            ]
        # dots lie on the planes of all three colours
        return [*sorted(parts, key=lambda part: "dots" in part), box(left, top, size, size)]

    def widget(self) -> Any:
        """One frame, large, and a slider from the first to the last."""
        import ipywidgets

        last = len(self.frames) - 1
        slider = ipywidgets.SelectionSlider(
            options=[(str(Says(f"step {step}", f"第 {step} 步")), n) for n, (step, *_) in enumerate(self.frames)],
            value=last,
            layout={"width": "440px"},
        )
        return followed(lambda n: "<br>".join([*self.title(n).lines(), self._drawn([n], 2 * SIZE)]), slider)
