"""The course as a map: what each lesson needs, which path it is on, what is done and what to look at again."""

from __future__ import annotations

import re
import textwrap

from minigrad_lessons import progress
from minigrad_lessons.language import Says
from minigrad_lessons.play import Still
from minigrad_lessons.svg import BLUE, DARK, ORANGE, box, line, svg, text

#: Each lesson by its number, with those that it needs; a lesson that is not there yet is not drawn.
NEEDS: dict[int, tuple[int, ...]] = {
    1: (), 2: (1,), 3: (1,), 4: (3,), 5: (3,), 6: (5,), 7: (5,), 8: (4,), 9: (6, 8), 10: (5,), 11: (10,), 12: (5,),
    13: (7, 12), 14: (13,), 15: (9, 11, 12), 16: (6,),
}  # fmt: skip
PATHS = {
    Says("understand", "弄懂原理"): (1, 2, 3, 4, 5, 7, 10, 12, 13, 14),
    Says("fix my training loop", "修好训练循环"): (1, 3, 4, 6, 8, 9, 10, 11, 15),
}
COLOURS = (BLUE, ORANGE)
WIDTH, ROOM, GAP, LETTERS = 142, 156, 34, 17  # of a box, from one to the next, between rows; in a line


class Map(Still):
    """The lessons from top to bottom, an arrow from each to those that need it; what is done is ticked."""

    about = Says("a map of the lessons", "课程地图")

    def __init__(self) -> None:
        self.lessons = {int(name[:2]): name for name in progress.lessons()}
        self.done = progress.solved()
        self.again = progress.to_review()

    def needs(self, number: int) -> list[int]:
        """The lessons that this one needs, of those that there are."""
        return [other for other in NEEDS[number] if other in self.lessons]

    def paths(self, number: int) -> list[Says]:
        """The paths that lead through a lesson."""
        return [path for path, numbers in PATHS.items() if number in numbers]

    def mark(self, number: int) -> str:
        """✅ for a lesson all of whose exercises are solved, ↻ for one to look at again."""
        name = self.lessons[number]
        if name in self.again:
            return "↻ "
        return "✅ " if set(progress.exercises(name)) <= self.done else ""

    def words(self, lang: str) -> str:
        """A line for each lesson: what it needs, and its paths."""
        after, on, also = {"en": (" (after {})", ", path: ", ", "), "zh": ("（先学第 {} 课）", "，路线：", "、")}[lang]
        lines = []
        for number, name in self.lessons.items():
            needs = also.join(map(str, self.needs(number)))
            paths = on + also.join(getattr(path, lang) for path in self.paths(number)) if self.paths(number) else ""
            title = getattr(progress.titles(name)[0], lang)
            lines.append(f"{self.mark(number)}{number} {title}{after.format(needs) if needs else ''}{paths}")
        return "\n".join(lines)

    def label(self, number: int) -> list[str]:
        """What stands in a lesson's box, line by line; of a long title what comes before its comma."""
        titles = progress.titles(self.lessons[number])[0].lines()
        first, *other = (re.split("[,，]", title)[0] if len(title.encode()) > 28 else title for title in titles)
        return [*textwrap.wrap(f"{self.mark(number)}{number} · {first}", LETTERS), *other]

    def picture(self) -> str:
        """Rows by how many lessons come before at least: no wider than a page; bars for the paths."""
        depth: dict[int, int] = {}
        for number in self.lessons:
            depth[number] = 1 + max((depth[other] for other in self.needs(number)), default=-1)
        rows = [[number for number in depth if depth[number] == row] for row in range(max(depth.values()) + 1)]
        labels = {number: self.label(number) for number in self.lessons}
        widest, high = max(map(len, rows)), 22 + 18 * max(map(len, labels.values()))
        at = {
            number: (16 + ROOM * (column + (widest - len(numbers)) / 2), 40 + (high + GAP) * row)
            for row, numbers in enumerate(rows)
            for column, number in enumerate(numbers)
        }
        parts = []
        for number, (x, y) in at.items():
            for other in self.needs(number):
                from_x, from_y = at[other]
                start, end = (from_x + WIDTH / 2, from_y + high), (x + WIDTH / 2, y)
                parts.append(line([start, (start[0], end[1] - GAP), end]))  # down between the boxes, then over
                parts.append(line([(end[0] - 4, end[1] - 7), end, (end[0] + 4, end[1] - 7)]))
        for number, (x, y) in at.items():
            frame = box(x, y, WIDTH, high, colour=DARK, thick=2 if self.mark(number) else 1)
            parts.append(frame.replace('fill="none"', 'class="paper" fill="#fff"'))
            for row, words in enumerate(labels[number]):
                parts.append(text(x + 8, y + 18 + 18 * row, words, colour=DARK, bold=True))
            for place, (path, colour) in enumerate(zip(PATHS, COLOURS)):
                if path in self.paths(number):
                    left, under = x + 8 + 64 * place, y + high - 7
                    parts.append(line([(left, under), (left + 56, under)], colour=colour, width=4))
        for place, (path, colour) in enumerate(zip(PATHS, COLOURS)):
            parts.append(line([(16 + 220 * place, 18), (46 + 220 * place, 18)], colour=colour, width=4))
            parts.append(text(54 + 220 * place, 22, str(path), colour=DARK))
        width, height = 32 + ROOM * (widest - 1) + WIDTH, 56 + (high + GAP) * len(rows) - GAP
        return svg(str(self.about), width, height, parts, more=self.alt())
