"""How a random program is written: a line is drawn, and PyTorch says whether it runs."""

from __future__ import annotations

import random
import re
import warnings
from types import ModuleType
from typing import Any

from tests.fuzz.programs import given


class Writer:
    """Lines that PyTorch runs, nearly all of them: of the ones that fail it keeps one in `keep_errors`."""

    def __init__(self, chance: random.Random, library: ModuleType, keep_errors: int = 12) -> None:
        self.chance = chance
        self.library = library
        self.keep_errors = keep_errors
        self.lines: list[str] = []
        self.variables: dict[str, Any] = {"log": [], **given(library)}
        library.manual_seed(0)
        self.count = 0

    def line(self, text: str, effect: bool = True) -> bool:
        """Add a line; one without an effect may be dropped if it fails. Whether it ran."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(text, self.variables)
            except Exception:
                if effect or not self.chance.randrange(self.keep_errors):
                    self.lines.append(text)
                return False
        self.lines.append(text)
        return True

    def new(self, expression: str) -> bool:
        """Give an expression's value a name of its own."""
        self.count += 1
        return self.line(f"v{self.count} = {expression}", effect=False)

    def tensors(self, floating: bool = True) -> list[str]:
        """The names of the tensors there are, small ones: later ones are likelier to be drawn."""
        found = [
            name
            for name, value in self.variables.items()
            if isinstance(value, self.library.Tensor)
            and re.fullmatch(r"[a-z]\d*", name)
            and value.numel() <= 64
            and (not floating or value.is_floating_point())
        ]
        return found + found[-3:]

    def filled(self, template: str) -> str:
        """A template with {a} and {b} for tensors."""
        names = self.tensors()
        return template.replace("{a}", self.chance.choice(names)).replace("{b}", self.chance.choice(names))

    def numbers(self, shape: tuple[int, ...]) -> str:
        """A nested list of numbers with two digits after the point: no two are likely to be equal."""
        if not shape:
            return str(self.chance.randrange(-300, 300) / 100)
        return f"[{', '.join(self.numbers(shape[1:]) for _ in range(shape[0]))}]"


def words(text: str) -> list[str]:
    """Templates with three spaces or a line's end between them."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split("   ") if part.strip()]
