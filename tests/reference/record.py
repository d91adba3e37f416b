"""Write down anew what real PyTorch answers: `python -m tests.reference.record`.

Needs the `torch` extra. The programs of `seed-cases.json` stand in that file, beside their answers; those of the two
others are the cells in `notes/` and `engine/`. Understand why a line changed before you commit it.
"""

import torch

from .programs import FOLDER, Answer, Case, answers, cells, load, save


def recorded(cases: list[Case]) -> list[Case]:
    """The same programs with the answers that PyTorch gives now."""
    return [Case(case.namespace, case.title, case.code, answer) for case, answer in zip(cases, answers(cases, torch))]


def seed_cases() -> list[Case]:
    """The programs that probe the notes' claims: those of one namespace share their variables."""
    return recorded(load(FOLDER / "seed-cases.json"))


def note_cases() -> list[Case]:
    """The notes' cells: those of one note share their variables."""
    return recorded(
        [
            Case(note.stem, title, code, Answer("", None, []))
            for note in sorted((FOLDER / "notes").glob("*.py"))
            for title, code in cells(note)
        ]
    )


def engine_cases() -> list[Case]:
    """Our own programs: each runs alone."""
    return recorded(
        [
            Case(f"{subject.stem}: {title}", title, code, Answer("", None, []))
            for subject in sorted((FOLDER / "engine").glob("*.py"))
            for title, code in cells(subject)
        ]
    )


RECORDINGS = {"seed-cases.json": seed_cases, "note-cases.json": note_cases, "engine-cases.json": engine_cases}

if __name__ == "__main__":
    for name, record in RECORDINGS.items():
        save(FOLDER / name, f"PyTorch {torch.__version__}", record())
