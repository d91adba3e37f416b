"""An error in a running lesson shows the learner's own lines and the message, not the inside of minigrad; in any other
notebook the one line of minigrad's that was called, too."""

import re
import subprocess
import sys
import traceback
from functools import cache
from pathlib import Path

import pytest

from minigrad import hints
from minigrad_lessons import own_lines

ERRORS = {
    "an operation": "torch.ones(2) + torch.ones(3)",
    "a method": "torch.ones(2, 3).mm(torch.ones(2, 3))",
    "a second backward": "x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()",
    "a name": "torch.ones(2).shap",
    "what is not minigrad's": "{}['w']",
}
START = "import minigrad as torch\nfrom minigrad_lessons.checks import first_gradient as check"


def printed(*cells: str) -> list[str]:
    """What IPython prints for each of the cells, without its colours."""
    program = (
        "import sys\nfrom IPython.core.interactiveshell import InteractiveShell\nshell = InteractiveShell.instance()\n"
        "for cell in sys.argv[1:]:\n    shell.run_cell(cell)\n    print('\\n=====')"
    )
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, *cells], capture_output=True, encoding="utf-8", check=True
    )
    return re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout).split("\n=====\n")[: len(cells)]


@cache
def shown_under(start: str) -> dict[str, tuple[str, str]]:
    """What a notebook that begins with `start` shows of each error, and by `%tb`."""
    _, *said = printed(start, *(cell for error in ERRORS.values() for cell in (error, "%tb")))
    return dict(zip(ERRORS, zip(said[::2], said[1::2], strict=True), strict=True))


@pytest.mark.parametrize("what", ERRORS)
def test_only_the_learners_lines_are_shown(what):
    shown, all_of_it = shown_under(START)[what]
    frames = re.findall(r"^(?:File |Cell In)", shown, re.MULTILINE)
    assert frames == ["Cell In"], shown
    assert f"> {len(ERRORS[what].splitlines())} {ERRORS[what].splitlines()[-1]}" in shown, "the arrow is at their line"
    assert shown.rstrip().splitlines()[-1] == all_of_it.rstrip().splitlines()[-1], "the message and its hints are whole"
    ours = re.findall(r"^File .*[\\/]minigrad[\\/]", all_of_it, re.MULTILINE)
    inside = what != "what is not minigrad's" and (what != "a name" or sys.version_info >= (3, 12))
    assert bool(ours) == inside, "%tb shows every frame"
    assert ("x.shape" in shown) == (what == "a name"), "the nearest name is told"


def test_a_line_inside_the_learners_function_is_shown():
    _, shown = printed(START, "def f(x):\n    return x.mm(x)\n\nf(torch.ones(2, 3))")
    assert len(re.findall(r"^Cell In", shown, re.MULTILINE)) == 2
    assert "--> 2     return x.mm(x)" in shown


@pytest.mark.parametrize("what", ERRORS)
def test_without_the_lessons_one_line_of_minigrads_says_where_it_was_called(what):
    shown, all_of_it = shown_under("import minigrad as torch")[what]
    ours = re.findall(r"^File .*[\\/]minigrad[\\/]", shown, re.MULTILINE)
    inside = what != "what is not minigrad's" and (what != "a name" or sys.version_info >= (3, 12))
    assert len(ours) == inside, shown
    assert shown.count("Cell In") == 1
    assert shown.rstrip().splitlines()[-1] == all_of_it.rstrip().splitlines()[-1], "the message and its hints are whole"
    assert ("x.shape" in shown) == (what == "a name"), "the nearest name is told"


def test_a_hook_of_the_learners_is_shown_behind_the_line_that_called_it():
    hook = "def mine(grad):\n    return grad['w']"
    run = "w = torch.ones(2, requires_grad=True)\nh = w * 2\nh.register_hook(mine)\nh.sum().backward()"
    _, _, shown, all_of_it = printed("import minigrad as torch", hook, run, "%tb")
    frames = re.findall(r"^(Cell In|File .*[\\/]minigrad[\\/])", shown, re.MULTILINE)
    assert [frame[:4] for frame in frames[:3]] == ["Cell", "File", "Cell"], shown
    assert "in mine(grad)" in shown
    assert len(re.findall("^File ", all_of_it, re.MULTILINE)) > 4


def test_a_file_of_the_learners_beside_the_clones_packages_is_theirs():
    """`minigrad lab` in a clone puts the lessons into minigrad-lessons/, whose name begins as a package's does."""
    helper = Path(own_lines.__file__).resolve().parents[1] / "minigrad-lessons" / "lessons" / "en" / "mine.py"
    with pytest.raises(ZeroDivisionError) as raised:
        exec(compile("1 / 0", str(helper), "exec"))
    shown = hints.shortened(raised.value.__traceback__, own_lines.OURS)
    assert str(helper) in [frame.f_code.co_filename for frame, _ in traceback.walk_tb(shown)]
