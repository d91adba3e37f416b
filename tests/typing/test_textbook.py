"""Editors read minigrad rightly: the stubs say what there is, and checkers find nothing wrong with textbook code."""

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTBOOK = Path(__file__).with_name("textbook.py")
#: `pip install pyright mypy`; CI does.
CHECKERS = {
    "pyright": ["--pythonpath", sys.executable],
    # The source itself, which mypy reads with it, is not what is asked about.
    "mypy": ["--follow-imports=silent", "--cache-dir", "{cache}"],
}
spec = importlib.util.spec_from_file_location("stubs", ROOT / "docs" / "stubs.py")
stubs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(stubs)


@pytest.mark.parametrize("name", stubs.PAGES)
def test_the_stubs_say_what_there_is(name: str) -> None:
    assert (stubs.HOME / name).read_text(encoding="utf-8") == stubs.PAGES[name](), "run python docs/stubs.py"


def test_the_textbook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(TEXTBOOK))
    assert "SumBackward0" in capsys.readouterr().out


def _said(checker: str, program: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    options = [option.format(cache=cache) for option in CHECKERS[checker]]
    command = [sys.executable, "-m", checker, *options, str(program)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_type_checker_finds_nothing_wrong_with_textbook_code(checker: str, tmp_path: Path) -> None:
    said = _said(checker, TEXTBOOK, tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_type_checker_finds_what_is_wrong(checker: str, tmp_path: Path) -> None:
    """Not everything is `Any`: a wrong name is found behind a function, an operator, a method and a gradient."""
    wrong = ["torch.rellu(x)", "torch.cat([x]).bakward()", "(2 * x).exp_it()", "x.sum().grd", "x.grad.sum()"]
    program = tmp_path / "wrong.py"
    program.write_text("import minigrad as torch\nx = torch.ones(2)\n" + "\n".join(wrong), encoding="utf-8")
    said = _said(checker, program, tmp_path).stdout
    missed = [line for number, line in enumerate(wrong, start=3) if f"wrong.py:{number}:" not in said]
    assert not missed, said
