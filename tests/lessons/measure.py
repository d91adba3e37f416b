"""How much a lesson has to be read, and how much is done in it: ``python -m tests.lessons.measure``.

Words are those of the English prose, without code, formulas and links. An act is something typed, chosen or moved: a
prediction, a control, a pass to play, and in an exercise each `...` or each line that the shortest of its answers
changes, whichever are more. Running a cell is none.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from minigrad_lessons import source

MOST_WORDS, LEAST_ACTS = 900, 0.5  # of a lesson, of a minute


class Measured(NamedTuple):
    """A lesson's words, its acts and its stated minutes."""

    words: int
    acts: int
    minutes: int

    @property
    def holds(self) -> bool:
        return self.words <= MOST_WORDS and self.acts / self.minutes >= LEAST_ACTS


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
            acts += max(
                1, cell.source.count("..."), min(filter(None, (changed(cell, it) for it in cell.solutions)), default=0)
            )
        elif "moves" in cell.tags or cell.source.strip().endswith("\nrun") or cell.source.strip() == "run":
            acts += 1
    return Measured(len(re.findall(r"[A-Za-z][\w'’-]*", prose)), acts, int(minutes))


def changed(cell: source.Code, answer: str) -> int:
    """How many lines of an answer the exercise's cell does not have, heads and brackets aside."""
    given = {line.strip() for line in cell.source.splitlines()}
    lines = {line.strip() for line in answer.splitlines() if re.search(r"\w", line)}
    return sum(not re.match(r"(def|class|check\.)\b|#", line) for line in lines - given)


def main() -> int:
    print(f"{'lesson':24}{'words':>7}{'acts':>6}{'minutes':>9}{'acts a minute':>15}")
    failed = []
    for name in source.names()[1:]:
        found = measure(name)
        print(f"{name:24}{found.words:7}{found.acts:6}{found.minutes:9}{found.acts / found.minutes:15.2f}")
        failed += [] if found.holds else [name]
    wanted = f"at most {MOST_WORDS} words a lesson, at least {LEAST_ACTS:g} acts a minute"
    print(f"{wanted}: {'fails in ' + ', '.join(failed) if failed else 'holds'}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
