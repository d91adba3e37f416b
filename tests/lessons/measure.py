"""How much a lesson has to be read, and how much is done in it: ``python -m tests.lessons.measure``.

Words are those of the English prose, without code, formulas and links. An act is something typed, chosen or moved: a
prediction, a `...` of an exercise (a function to be mended counts as one), a control, a pass to play. Running a cell is
none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from minigrad_lessons import source


class Measured(NamedTuple):
    """A lesson's words, its acts and its stated minutes."""

    words: int
    acts: int
    minutes: int


def measure(name: str) -> Measured:
    lesson = source.read(name)
    prose = "\n".join(pair.en for pair in lesson.prose)
    (minutes,) = re.findall(r"about (\d+) minutes", prose)
    prose = re.sub(r"^\[English\].*$|`[^`\n]+`|\$[^$\n]+\$|\]\([^)]*\)", " ", prose, flags=re.MULTILINE)
    prose = re.sub(r"```.*?```|\$\$.*?\$\$", " ", prose, flags=re.DOTALL)
    acts = 0
    for cell in lesson.code:
        acts += cell.source.count('predict("')
        if "exercise" in cell.tags:
            acts += max(1, cell.source.count("..."))
        elif "moves" in cell.tags or cell.source.strip().endswith("\nrun") or cell.source.strip() == "run":
            acts += 1
    return Measured(len(re.findall(r"[A-Za-z][\w'’-]*", prose)), acts, int(minutes))


def main() -> None:
    print(f"{'lesson':24}{'words':>7}{'acts':>6}{'minutes':>9}{'acts a minute':>15}")
    for name in source.names()[1:]:
        words, acts, minutes = measure(name)
        print(f"{name:24}{words:7}{acts:6}{minutes:9}{acts / minutes:15.2f}")


if __name__ == "__main__":
    main()
