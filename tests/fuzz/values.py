"""Every function at the edges: nan, inf, zeros of both signs, denormals, the largest numbers, nothing at all."""

from __future__ import annotations

import random
import re
from types import ModuleType

from tests.core.test_against_torch import expressions
from tests.fuzz.writing import Writer

SPECIAL = {
    "float32": ["nan", "inf", "-inf", "0.0", "-0.0", "1e-45", "-1e-40", "1e-38", "3e38", "-3e38", "1e20", "1e-20"],
    "float64": ["nan", "inf", "-inf", "0.0", "-0.0", "5e-324", "1e-308", "1.7e308", "-1e200", "1e-200"],
    "float16": ["nan", "inf", "-inf", "0.0", "-0.0", "6e-8", "65000.0", "-700.0", "1e-4", "300.0"],
}
USUAL = ["1.0", "-1.0", "0.5", "2.0", "-3.5", "1e-3", "100.0", "0.25"]
SIZES = {"a": (2, 3), "b": (2, 3), "p": (2, 3), "u": (2, 3), "r": (3,), "k": (2, 1), "s": (), "e": (0,), "q": (3, 2)}
SIZES["c"] = (2, 2, 3)
# What prints, asks for objects of Python or draws random numbers has its own tests.
APART = (
    r"manual_seed|pickle|grad_fn|device|\.stride|storage|names=|data_ptr|empty\(|print|repr|layout"
    r"|str\(|f'"
)
TABLE = sorted({p.values[0] for p in expressions() if not re.search(APART, p.values[0])})


def program(chance: random.Random, library: ModuleType) -> list[str]:
    """An expression of the table over inputs with an edge or two, and its gradients."""
    writer = Writer(chance, library)
    expression = chance.choice(TABLE)
    kind = chance.choice(["float32", "float32", "float64", "float16"])
    empty = chance.random() < 0.08
    for name, size in SIZES.items():
        if re.search(rf"\b{name}\b", expression):
            shape = (0, *size[1:]) if empty and size else size
            values = nested(chance, kind, shape)
            writer.line(f"{name} = torch.tensor({values}, dtype=torch.{kind}, requires_grad=True)")
            if 0 in shape:
                writer.line(f"{name} = torch.zeros({shape}, dtype=torch.{kind}, requires_grad=True)")
    if re.search(r"\bn\b", expression):
        writer.line("n = torch.tensor([2, 0, 2])")
    if re.search(r"\bm\b", expression):
        writer.line("m = torch.tensor([[True, False, True], [False, False, True]])")
    writer.line(f"z = {expression}")
    writer.line("y = [t for t in (z if isinstance(z, (tuple, list)) else [z]) if getattr(t, 'requires_grad', False)]")
    writer.line("torch.autograd.backward(y, [torch.ones_like(t) for t in y])")
    return writer.lines


def nested(chance: random.Random, kind: str, shape: tuple[int, ...]) -> str:
    if not shape:
        number = chance.choice(SPECIAL[kind] if chance.random() < 0.4 else USUAL)
        return f"float('{number}')"
    return f"[{', '.join(nested(chance, kind, shape[1:]) for _ in range(shape[0]))}]"
