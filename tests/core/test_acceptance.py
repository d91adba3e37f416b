"""What minigrad is for: the programs in `acceptance/` print the same under minigrad and under PyTorch.

They use the calls and ideas of PyTorch's tutorials and notes about autograd; each says in its first line what it shows.
Run one with either library: `python tests/core/acceptance/01_first_gradient.py`, or with `import minigrad as torch` in
it. What PyTorch prints stands beside each in a text file, which `python -m tests.core.acceptance` writes anew.
"""

import importlib
import re
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from tests.core.parity import renamed
from tests.reference.programs import every_warning, imported_as_torch, run

FOLDER = Path(__file__).with_name("acceptance")
PROGRAMS = sorted(FOLDER.glob("[0-9]*.py"))

LIBRARIES = [
    "minigrad",
    pytest.param("torch", marks=pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")),
]


def printed(program: Path, library: ModuleType) -> str:
    """What a program prints under a library, and the warnings and the error that it ends with."""
    with imported_as_torch(library), every_warning(library):
        answer = run(program.read_text(encoding="utf-8"), {"__name__": "__main__"}, str(program))
    warned = [f"{warning['category']}: {warning['message']}" for warning in answer.warnings]
    ended = [] if answer.error is None else ["{type}: {message}".format(**answer.error)]
    return renamed("\n".join([answer.stdout, *warned, *ended])) + "\n"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_prints_what_pytorch_prints(program: Path, library: str) -> None:
    expected = program.with_suffix(".txt").read_text(encoding="utf-8")
    assert printed(program, importlib.import_module(library)) == expected


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_no_program_ends_in_an_error_and_each_says_what_it_shows(program: Path) -> None:
    assert re.match(r'"""[A-Z`].+[.]"""\n\nimport ', program.read_text(encoding="utf-8"))
    assert not re.search(
        r"^\w+(Error|Warning): ", program.with_suffix(".txt").read_text(encoding="utf-8"), re.MULTILINE
    )


@pytest.mark.parametrize("name", ["differences.md", "differences.zh.md"])
def test_the_page_lists_them_all(name: str) -> None:
    page = (FOLDER.parents[2] / "docs" / name).read_text(encoding="utf-8")
    listed = re.findall(r"\(\.\./tests/core/acceptance/(\w+)\.py\)", page)
    assert listed == [program.stem for program in PROGRAMS]
