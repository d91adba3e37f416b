"""What learners write at first ends as in PyTorch: first_inputs.txt, line by line."""

import ast
import math
import re
import warnings
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad
from tests.core.parity import first_line, numbers, renamed
from tests.core.test_against_torch import inputs

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")


def programs() -> list[Any]:
    tables = ConfigParser(allow_no_value=True, delimiters=("\0",), comment_prefixes=("#",), strict=False)
    tables.optionxform = str
    tables.read(Path(__file__).with_name("first_inputs.txt"), encoding="utf-8")
    return [pytest.param(line, id=f"{table}: {line}") for table in tables.sections() for line in tables[table]]


def names(library: ModuleType) -> dict[str, Any]:
    """What a program may use."""
    array = np.arange(6.0).reshape(2, 3)
    own = {"torch": library, "math": math, "array": array, "number": np.float64(2.0), "position": np.int64(1)}
    return own | inputs(library, "float32")


def outcome(library: ModuleType, program: str) -> Any:
    """The error that a program ends in, its type and first line; else what its last expression is."""
    known = names(library)
    statements = ast.parse(program).body
    last = statements.pop() if isinstance(statements[-1], ast.Expr) else None
    library.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(ast.Module(statements, []), "program", "exec"), known)
            value = None if last is None else eval(compile(ast.Expression(last.value), "program", "eval"), known)
        except Exception as error:
            kind, line = first_line(error)
            # Python names a method after the class that wrote it, which may be one that a module is derived from.
            return kind, re.sub(r"0x[0-9a-fA-F]+", "0x…", re.sub(r"\b\w+\.(?=(__init__|forward)\(\))", "", line))
    return numbers(library, value) if isinstance(value, library.Tensor) else renamed(str(value))


@pytest.mark.parametrize("program", programs())
def test_ends_as_in_pytorch(program: str) -> None:
    assert outcome(minigrad, program) == outcome(torch, program)


def test_a_hint_is_in_the_readers_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook's folder says which; MINIGRAD_LANG decides before it; without both, two lines."""

    def note() -> str:
        with pytest.raises(RuntimeError, match="does not require grad") as caught:
            minigrad.tensor(1.0).backward()
        return caught.value.__notes__[0]

    monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    both = note()
    english, chinese = both.split("\n")
    (tmp_path / "zh").mkdir()
    monkeypatch.chdir(tmp_path / "zh")
    assert note() == chinese
    monkeypatch.setenv("MINIGRAD_LANG", "en")
    assert note() == english
    monkeypatch.setenv("MINIGRAD_LANG", "both")
    assert note() == both


@pytest.mark.parametrize(
    "program", ["torch.nn.Linear(3, 2)(torch.from_numpy(array))", "torch.ones(3) @ torch.from_numpy(array).t()"]
)
def test_numbers_of_numpys_before_weights_are_told_how_to_fit(program: str) -> None:
    with pytest.raises(RuntimeError, match=r"Double and Float|float != double") as caught:
        eval(program, names(minigrad))
    assert "x.float()" in caught.value.__notes__[0]
    fitted = program.replace("(array)", "(array).float()")
    assert eval(fitted, names(minigrad)).dtype is minigrad.float32


def test_a_hint_is_in_two_languages() -> None:
    hints = []
    for parameter in programs():
        try:
            exec(parameter.values[0], names(minigrad))
        except Exception as error:
            hints += [note.split("\n") for note in getattr(error, "__notes__", ())]
    assert len(hints) > 50
    for english, chinese in hints:
        assert english.startswith("minigrad: ")
        assert not re.search(r"[\u4e00-\u9fff]", english)
        assert chinese.startswith("minigrad：")
        assert re.search(r"[\u4e00-\u9fff]", chinese)
