"""Who runs a lesson with the live panel, or on PyTorch, reads in every cell what the lesson says without."""

import importlib
import re
import warnings
from functools import cache

import pytest

from minigrad_lessons import predict, source
from minigrad_lessons.own_lines import show_own_lines
from tests.core.parity import uncalled, untriggered
from tests.lessons.conftest import LIBRARIES, minigrad_is
from tests.lessons.test_exercises import checks
from tests.shells import notebook_shell

pytest.importorskip("ipykernel")
from IPython.utils.capture import capture_output

WORDS = ("plain", "markdown", "latex")  # of what is displayed
# A new cell under the imports, as the index tells the reader. The other reader has one, too: so both count alike.
PLAIN, PANEL = "import viz", "import viz; _panel = viz.live()"


class Reader:
    """Somebody who runs a lesson in a fresh notebook."""

    def __init__(self, shell) -> None:
        self.shell = shell
        self.tracebacks: list[str] = []
        self.shell._showtraceback = lambda kind, error, lines: self.tracebacks.append("".join(lines))
        show_own_lines()  # as `minigrad_lessons.checks` does, where it is imported for the first time
        predict.forget()
        for check in checks():  # which hints the one before has read
            check.hinted = 0

    def run(self, cell: str) -> dict:
        """What a cell says: printed, results included; displayed, in words; its error, its tracebacks, its warnings."""
        self.tracebacks.clear()
        with warnings.catch_warnings(record=True) as warned, capture_output() as captured:
            warnings.simplefilter("always")
            result = self.shell.run_cell(cell, store_history=True)
        assert result.error_before_exec is None, result.error_before_exec
        if panel := self.shell.user_ns.get("_panel"):
            assert not panel.follower.soon.waits, "it looks at once, where no loop runs between two cells"
        # the picture under the panel is brought up to date; that is nothing which this cell displays
        shown = [output["data"] for output in captured._outputs if not output["update"]]
        error = result.error_in_exec
        return {
            "printed": _plain(captured.stdout),
            "tracebacks": [*map(_plain, self.tracebacks)],
            "complained": captured.stderr,
            "displayed": [_plain(data.get(f"text/{kind}", "")) for data in shown for kind in WORDS],
            "error": error and (type(error).__name__, str(error), getattr(error, "__notes__", [])),
            # (but for what another test of this process has left open: it is collected at any time)
            "warned": [(w.category, str(w.message), w.lineno) for w in warned if w.category is not ResourceWarning],
        }


def _plain(text: str) -> str:
    """Without colours, and without where something lies in memory."""
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text))


def says(cells: list[str], second: str) -> list[dict]:
    """What each of the cells says where `second` runs after the first, the imports."""
    with notebook_shell() as shell:
        reader = Reader(shell)
        try:
            imports = reader.run(cells[0])
            reader.run(second)
            return [imports, *map(reader.run, cells[1:])]
        finally:
            if panel := shell.user_ns.get("_panel"):
                with capture_output():  # its last picture
                    panel.close()


@cache
def lesson(name: str, library: str, second: str = PLAIN) -> list[tuple[str, dict]]:
    """The cells of a lesson, each with what it says where `minigrad` is that library."""
    cells = [cell.source for cell in source.read(name).code if not {"minigrad-only", "long"} & {*cell.tags}]
    with pytest.MonkeyPatch.context() as patch:
        minigrad_is(library, patch)
        assert importlib.import_module("minigrad").__name__ == library
        return [*zip(cells, says(cells, second), strict=True)]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", source.names()[1:])
def test_a_lesson_says_with_the_panel_what_it_says_without(name, library):
    for (cell, plain), (_, followed) in zip(lesson(name, library), lesson(name, library, PANEL), strict=True):
        assert followed == plain, f"{name}, this cell:\n{cell}"


@pytest.mark.parametrize("name", source.names())
def test_a_lesson_says_on_pytorch_what_it_says_on_minigrad(name):
    pytest.importorskip("torch")
    for (cell, mine), (_, theirs) in zip(lesson(name, "minigrad"), lesson(name, "torch"), strict=True):
        assert seen(mine) == seen(theirs), f"{name}, this cell:\n{cell}"


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_panel_shows_no_pass_in_which_a_check_has_put_zeros(library, monkeypatch):
    minigrad_is(library, monkeypatch)
    (exercise,) = [cell for cell in source.read("12_hooks").code if cell.title == "exercise-capture"]
    with notebook_shell() as shell:
        reader = Reader(shell)
        reader.run("import minigrad as torch\nfrom minigrad_lessons.checks import hooks as check")
        reader.run(PANEL)
        for solution in exercise.solutions:
            assert "✅" in reader.run(solution)["printed"]
            steps = shell.user_ns["_panel"].trace["steps"]
            assert {step["into"][0]["short"] for step in steps if step["into"]}.isdisjoint({"0", "0."}), steps
        with capture_output():
            shell.user_ns["_panel"].close()


def seen(said: dict) -> dict:
    """What a reader sees, without library frames, and without the name of the module."""
    displayed = [text.replace("minigrad.", "torch.") for text in said["displayed"]]
    kind, words, _ = said["error"] or ("", "", ())
    # numpy's are only seen where all warnings are asked for
    warned = [what for what in said["warned"] if what[0] is not RuntimeWarning]
    return {
        **{way: uncalled(untriggered(said[way]).replace("minigrad.", "torch.")) for way in ("printed", "complained")},
        "displayed": displayed,
        "error": (kind, words.replace("minigrad.", "torch.")),
        "warned": [untriggered(str(what)) for what in warned],
    }
