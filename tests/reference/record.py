"""Write down anew what real PyTorch answers: `python -m tests.reference.record`.

Needs the `torch` extra. The programs of `seed-cases.json` stand in that file, beside their answers; those of
`note-cases.json` are the cells in `notes/`. Understand why a line changed before you commit it.
"""

import re
from pathlib import Path

import torch

from .programs import FOLDER, Answer, Case, answers, load, save


def cells(note: Path) -> list[Case]:
    """The cells of one quoted note, with no answers yet."""
    _, *parts = re.split(r"^# %% (.+)\n", note.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [
        Case(note.stem, title, code.strip("\n"), Answer("", None, [])) for title, code in zip(parts[::2], parts[1::2])
    ]


def recorded(cases: list[Case]) -> list[Case]:
    """The same programs with the answers that PyTorch gives now."""
    return [Case(case.namespace, case.title, case.code, answer) for case, answer in zip(cases, answers(cases, torch))]


def seed_cases() -> list[Case]:
    return recorded(load(FOLDER / "seed-cases.json"))


def note_cases() -> list[Case]:
    return recorded([case for note in sorted((FOLDER / "notes").glob("*.py")) for case in cells(note)])


if __name__ == "__main__":
    oracle = f"PyTorch {torch.__version__}"
    save(FOLDER / "seed-cases.json", oracle, seed_cases())
    save(FOLDER / "note-cases.json", oracle, note_cases())
