"""PyTorch's answer to every expression of expressions.txt, recorded: for machines on which PyTorch is not installed.

`python -m tests.core.answers` records them anew. Equal parts of the answers are kept once.
"""

import json
import lzma
import warnings
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from tests.core.parity import Numbers, Seen, see
from tests.core.test_against_torch import expressions, inputs

FILE = Path(__file__).with_name("answers.json.xz")


def key(expression: str, kind: str) -> str:
    """Under which the answer for one kind of number is found."""
    return f"{kind} {expression}"


def as_json(seen: Seen) -> dict[str, Any]:
    """An answer in the words of JSON, without what is empty."""
    plain = {name: value for name, value in asdict(seen).items() if value}
    if seen.saved:
        plain["saved"] = [[*slot, values] for slot, values in plain["saved"].items()]
    return plain


def from_json(plain: dict[str, Any]) -> Seen:
    """The answer again."""

    def numbers(value: Any) -> Any:
        return Numbers(**{**value, "shape": tuple(value["shape"])}) if isinstance(value, dict) else value

    error = plain.get("error")
    return Seen(
        error=error and tuple(error),
        results=[numbers(value) for value in plain.get("results", ())],
        graph=plain.get("graph", []),
        saved={
            (node, slot): [[*map(numbers, tensors)] for tensors in values]
            for node, slot, values in plain.get("saved", ())
        },
        grads={name: numbers(value) for name, value in plain.get("grads", {}).items()},
        second_graph=plain.get("second_graph", []),
        second={name: numbers(value) for name, value in plain.get("second", {}).items()},
    )


@cache
def everything() -> dict[str, Any]:
    """All answers, by `key`."""
    return json.loads(lzma.decompress(FILE.read_bytes()))


def recorded(expression: str, kind: str) -> Seen:
    """What PyTorch answered when it was asked last."""
    return from_json(everything()[key(expression, kind)])


def main() -> None:
    """Ask PyTorch, and write its answers down."""
    import torch

    warnings.simplefilter("ignore")
    answers = {
        key(expression, kind): as_json(see(torch, expression, lambda library, kind=kind: inputs(library, kind)))
        for expression, kind in (parameter.values for parameter in expressions())
    }
    text = json.dumps(answers, ensure_ascii=False, separators=(",", ":"))
    FILE.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(answers)} answers, {FILE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
