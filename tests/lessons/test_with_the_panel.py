"""Who runs `viz.live()` at the top of a lesson reads in every cell what the lesson says without it."""

import re
import warnings

import pytest

from minigrad_lessons import predict, source
from minigrad_lessons.own_lines import show_own_lines
from tests.lessons.test_exercises import checks

pytest.importorskip("ipykernel")
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

# A new cell under the imports, as the index tells the reader. The other reader has one, too: so both count alike.
PLAIN, PANEL = "import viz", "import viz; _panel = viz.live()"


class Reader:
    """Somebody who runs a lesson in a fresh notebook."""

    def __init__(self) -> None:
        InteractiveShell.clear_instance()
        self.shell = InteractiveShell.instance()
        self.shell.kernel = None  # what tells a notebook from a terminal
        self.shell._showtraceback = lambda kind, error, lines: print(self.shell.InteractiveTB.stb2text(lines))
        show_own_lines()  # as `minigrad_lessons.checks` does, where it is imported for the first time
        predict.forget()
        for check in checks():  # which hints the one before has read
            check.hinted = 0

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *error: object) -> None:
        if panel := self.shell.user_ns.get("_panel"):
            with capture_output():  # its last picture
                panel.close()
        InteractiveShell.clear_instance()

    def run(self, cell: str) -> dict:
        """What a cell says: printed, results and tracebacks included; displayed, in words; its error; its warnings."""
        with warnings.catch_warnings(record=True) as warned, capture_output() as captured:
            warnings.simplefilter("always")
            result = self.shell.run_cell(cell, store_history=True)
        assert result.error_before_exec is None, result.error_before_exec
        if panel := self.shell.user_ns.get("_panel"):
            assert not panel.follower.waiting, "it looks at once, where no loop runs between two cells"
        # the picture under the panel is brought up to date; that is nothing which this cell displays
        shown = [output["data"] for output in captured._outputs if not output["update"]]
        error = result.error_in_exec
        return {
            "printed": _plain(captured.stdout),
            "complained": captured.stderr,
            "displayed": [_plain(data.get("text/plain", "")) for data in shown],
            "error": error and (type(error).__name__, str(error), getattr(error, "__notes__", [])),
            "warned": [(warning.category, str(warning.message), warning.lineno) for warning in warned],
        }


def _plain(text: str) -> str:
    """Without colours, and without where something lies in memory."""
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text))


def says(cells: list[str], second: str) -> list[dict]:
    """What each of the cells says where `second` runs after the first, the imports."""
    with Reader() as reader:
        imports = reader.run(cells[0])
        reader.run(second)
        return [imports, *map(reader.run, cells[1:])]


@pytest.mark.parametrize("name", source.names()[1:])
def test_a_lesson_says_with_the_panel_what_it_says_without(name, engine):
    cells = [cell.source for cell in source.read(name).code if not {"minigrad-only", "long"} & {*cell.tags}]
    for cell, plain, followed in zip(cells, says(cells, PLAIN), says(cells, PANEL), strict=True):
        assert followed == plain, f"{name}, this cell:\n{cell}"
