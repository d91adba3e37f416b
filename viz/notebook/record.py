"""`viz.record`: one backward pass as a value, which can be read, drawn, played and saved."""

import sys
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Any

from .. import browser
from ..language import message, not_installed, words
from ..model.names import caller_namespace, named_tensors
from ..model.protocol import op_name, walk
from ..model.reader import outputs_of
from ..model.values import TensorInfo
from ..picture.fold import View
from ..settings import check, reader
from ..strings import clean, printable
from .recording import Recording
from .replay import Step
from .scene import Read, Scenes

_MOST = 10_000  # operations: a quarter of a minute, and far from what overruns a stack (see `Ceiling`)


class record(Recording):
    """Records one backward pass of `outputs`: tensors, or what else `draw` takes. An error is its last step, and is
    raised all the same. modules: how much of a network it shows when it plays, as for `draw`.

    >>> with viz.record(loss) as run:
    ...     loss.backward()
    >>> print(run)             # the steps in words
    >>> run                    # in a notebook: it plays, with a kernel or without, also in an exported page
    >>> run.save("pass.html")  # the same as a page
    >>> viz.draw(run)          # the graph; where the pass failed, the node is marked, with the error's first line

    steps: what happened, in order (see `Step`). gradients: what each leaf's ``.grad`` became, by its name. saved:
    the slots that each node could give back when it ran, with the version of each tensor. failed: the node where the
    pass stopped, or None; error: ``ValueError: …``, the first line, or an empty text. retain_graph: whether the nodes
    kept what they had saved. missing: why something was not recorded, or an empty text. Whatever a recording stumbles
    over, the pass goes on. As long as you keep a recording, it keeps the outputs, their graph, and the inputs without
    gradient that it draws, such as a batch. Raises ValueError for more than 10,000 operations.
    """

    _read: Read | None = None

    def __init__(self, *outputs: Any, modules: int | None = None) -> None:
        check(modules=modules)
        self._view = View(modules=modules)
        given = outputs_of(outputs)
        if sum(1 for _ in islice(walk(given), _MOST + 1)) > _MOST:
            raise ValueError(message("longRecord", most=f"{_MOST:,}"))
        super().__init__(*given)

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        super().__exit__(kind, error, traceback)
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_globals.get("__name__") == "contextlib":  # of an ExitStack
            frame = frame.f_back
        self._safely(self._keep, frame)

    def _keep(self, frame: FrameType) -> None:
        """Reads the graph as it is now, with the names that it has now; where everything goes is found when asked."""
        self._scenes = Scenes(self._view)
        self._read = self._scenes.read(named_tensors(caller_namespace(frame)), self)

    @property
    def _graph(self) -> Read:
        if self._read is None:
            raise RuntimeError(message("notRecorded"))
        return self._read

    @cached_property
    def _told(self) -> Callable[..., dict[str, Any]]:
        read = self._graph  # or there is none yet
        return self._scenes.trace(self, read)

    @cached_property
    def trace(self) -> dict[str, Any]:
        """The pass and its graph, as ``static/live.schema.json`` describes them, in plain values."""
        return self._told()

    @property
    def text(self) -> str:
        """The steps in words, in English; the same for two libraries and from run to run."""
        return self._in("en")

    def __repr__(self) -> str:
        """The `text` in the reader's language; in English where none is known."""
        return printable(self._in(reader()))

    def _in(self, lang: str) -> str:
        lines = [self._line(step, lang) for step in self.steps] or [words("step_none")[lang]]
        lines += [told[lang] for told in (self.replay.odd, self.replay.spoiled, self.replayed) if told]
        return "\n".join(lines + [words("step_missing", n=self.missing)[lang]] * bool(self.missing))

    def _line(self, step: Step, lang: str) -> str:
        between = {"zh": "、"}.get(lang, ", ")
        leaf = step.kind == "accumulate" and self._read and self._read.called(step.node.variable)
        known = {
            "node": op_name(step.node),
            "name": clean(leaf or "") or "leaf",  # where there is no picture, it is just that
            "into": between.join(grad.short if grad else "None" for grad in step.into),
            "before": step.before.short if step.before else "None",
            "after": step.after.short if step.after else "None",
            "sent": between.join(grad.short if grad else "None" for _, _, grad in step.out),
            "error": step.error,
        }
        rules = "".join(f"\n    {rule}: {text}" for _, rule, text in step.rules if text)
        return words(f"step_{step.kind}", **known)[lang] + rules

    @property
    def gradients(self) -> dict[str, TensorInfo | None]:
        """What each leaf's ``.grad`` became, by what the picture calls the leaf."""
        called = self._graph.called
        return {called(step.node.variable): step.after for step in self.steps if step.kind == "accumulate"}

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the pass: ``.html`` is a page that plays it, ``.json`` its `trace`, ``.txt`` its `text`. Returns the
        path."""
        title = words("aPass")[reader()]
        formats = {
            ".html": lambda: browser.page(self._opened, title, self._instead),
            ".json": lambda: self.trace,
            ".txt": lambda: self.text + "\n",
        }
        return browser.save(path, formats, 'run.save("pass.html")')

    def _opened(self, groups: tuple[str, ...]) -> dict[str, Any]:
        return browser.state(None, self._told(groups) if groups else self.trace)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if self._read is None:
            return {"text/plain": repr(self)}
        plays = browser.piece(browser.state(None, self.trace), self._instead)
        still = self.trace["scene"]["svg"]  # for what shows no page, and for a notebook that is to stay small
        return {"text/plain": repr(self), "text/html": plays} | ({"image/svg+xml": still} if still else {})

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")

    @property
    def _instead(self) -> str:
        svg = self.trace["scene"]["svg"]
        return browser.as_html(svg, repr(self), unfold=False) if svg else ""


def play(run: record) -> None:
    """Shows a recorded pass in the cell that runs: it plays step by step, with a kernel or without."""
    if not isinstance(run, record):
        raise TypeError(message("notAPass", kind=type(run).__name__))
    try:
        from IPython.display import display  # drawing needs no IPython
    except ModuleNotFoundError as error:
        raise not_installed(error, "viz.play()") from None

    display(run)
