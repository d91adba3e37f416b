"""The live panel as a Jupyter widget: the browser's side is ``static/widget.js`` and what that imports; this side holds
what it shows."""

import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import anywidget
import traitlets
from IPython.display import display

from ..browser import as_html, viewer
from ..language import message, words
from ..settings import docks, reader
from .pydevd_dont_trace import unseen

_KERNEL = uuid.uuid4().hex  # a panel that was made by an earlier kernel knows by this that it is old
# where nothing stands above it but words of JupyterLab's: that the widget is not found
_ALONE = ".jp-OutputArea:has(.viz-twin img, .viz-twin svg) .jp-OutputArea-child:has(> .jupyter-widgets:not(:has(*)))"


class LivePanel(anywidget.AnyWidget):
    """Shows a graph as it grows, and a backward pass step by step. `viz.live()` makes one and keeps it up to date.

    Traits, all synced and linkable (``jslink((panel, "step"), (slider, "value"))``):

    scene, trace, losses: what is shown, as ``static/live.schema.json`` describes it.
    view: ``"live"`` shows the graph as it is now, ``"pass"`` the recorded backward pass.
    step: which step of the pass is shown: 0 is before it, ``len(trace["steps"])`` after it.
    speed: steps a second when it plays. language: ``"en"``, ``"zh"``, or ``"auto"``: the browser's.
    height: of the picture, in pixels; 0: as high as it is, up to 70 % of the window.
    following: whether the panel still follows the notebook. kernel: changes when the kernel restarts.
    ident: the panel's own id; docks: whether it goes beside its notebook by itself, where the extension is that can put
        it there (``MINIGRAD_DOCK`` is set, as `minigrad lab` does).
    """

    _esm = viewer()
    _css = viewer("widget.css")

    scene = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    trace = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    losses: Any = traitlets.List().tag(sync=True)
    view = traitlets.Enum(("live", "pass"), "live").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    speed = traitlets.Float(1.5, min=0.1, max=20.0).tag(sync=True)
    language = traitlets.Enum(("auto", "en", "zh"), "auto").tag(sync=True)
    height = traitlets.Int(0).tag(sync=True)
    following = traitlets.Bool(True).tag(sync=True)
    kernel = traitlets.Unicode(_KERNEL).tag(sync=True)
    ident = traitlets.Unicode("").tag(sync=True)
    docks = traitlets.Bool(False).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        self._turn = threading.RLock()
        self._handle_msg = partial(unseen, self._handle_msg)  # type: ignore[method-assign]
        super().__init__(**traits)
        self.ident, self.docks = self.model_id or "", docks()
        self.follower: Any = None
        self.shown_in: Any = None  # the number of the cell that has: as its last expression it shows no second one
        self._twin: Any = None  # the display of the last state for who has no kernel; and what that says
        self._twin_says = ""

    def start(self) -> None:
        """Follows the notebook, from now on."""
        self.follower.start()

    def stop(self) -> None:
        """Follows no more, and takes back everything that following needed; the panel shows the last state."""
        self.follower.stop()

    def show(self, cell: int | None) -> None:
        """Shows the panel in the cell of that number, which runs, and below it what will be seen without it."""
        display(self)
        self.shown_in = cell
        self._twin = display(still(self.scene), raw=True, display_id=True)

    def keep(self) -> None:
        """Brings up to date what is seen without a kernel."""
        if self._twin is not None and self.scene is not None and self.scene["text"] != self._twin_says:
            self._twin_says = self.scene["text"]
            self._twin.update(still(self.scene), raw=True)

    def send_again(self, seen: Mapping[str, Any]) -> None:
        """Answers a browser that tells which scene and pass it has `seen`: Jupyter drops messages where a cell prints
        much, and a panel in a notebook that is opened again may belong to a kernel of long ago."""
        if self.scene is not None and seen.get("scene") != self.scene["serial"]:
            self.send_state(("scene", "view"))
        if self.trace is not None and seen.get("trace") != self.trace["serial"]:
            self.send_state(("trace", "losses", "view", "step"))
        self.send({"type": "here"})

    def close(self) -> None:
        """Stops, and removes the panel from the notebook."""
        if self.follower is not None:
            self.stop()
        super().close()

    @contextmanager
    def hold_sync(self) -> Iterator[None]:
        """Between these changes comes no message of the browser's, which JupyterLab may give to another thread than the
        cells' (a subshell of the kernel): of two threads each would undo what ipywidgets notes for the other."""
        with self._in_turn(0.2), super().hold_sync():  # no longer: what observes a trait there may wait for the cell
            yield

    def _handle_msg(self, msg: Any) -> None:
        with self._in_turn(5.0):
            super()._handle_msg(msg)

    @contextmanager
    def _in_turn(self, seconds: float) -> Iterator[None]:
        """One thread at a time; who has waited for so many seconds goes on all the same."""
        is_mine = self._turn.acquire(timeout=seconds)
        try:
            yield
        finally:
            if is_mine:
                self._turn.release()

    def __repr__(self) -> str:
        return "LivePanel()"  # stable, for notebooks that are compared with their stored outputs

    def _ipython_display_(self) -> None:
        if self.follower is not None and self.shown_in == self.follower.cell.number:
            self.shown_in = None
            return
        data, metadata = self._repr_mimebundle_() or ({}, {})
        display(data | {"text/plain": message("noWidgets")}, metadata=metadata, raw=True)


def still(scene: Mapping[str, Any] | None) -> dict[str, str]:
    """A scene as a notebook keeps it, below a live panel, which hides it: for who reads that without a kernel."""
    if scene is None or not scene["svg"]:
        return {"text/plain": words("empty")[reader()], "text/html": '<div class="viz-twin"></div>'}
    when = words("asItWas", n=scene["cell"])[reader()]
    html = f'<div class="viz-twin">{as_html(scene["svg"], scene["text"])}<p><small>{when}</small></p></div>'
    html += f"<style>{_ALONE} {{ display: none; }}</style>"
    return {"text/plain": f"{scene['text']}\n\n{when}", "image/svg+xml": scene["svg"], "text/html": html}
