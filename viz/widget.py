"""The live panel as a Jupyter widget: the browser's side is ``static/widget.js``, this side holds what it shows."""

from __future__ import annotations

import uuid
from importlib.resources import files
from typing import Any

import anywidget
import traitlets
from IPython.display import display

_STATIC = files(__package__) / "static"
_KERNEL = uuid.uuid4().hex  # a panel that was made by an earlier kernel knows by this that it is old


class LivePanel(anywidget.AnyWidget):
    """Shows a graph as it grows, and a backward pass step by step. `viz.live()` makes one and keeps it up to date.

    Traits, all synced and linkable (``jslink((panel, "step"), (slider, "value"))``):

    scene, trace, losses: what is shown, as ``viz/static/live.schema.json`` describes it.
    view: ``"live"`` shows the graph as it is now, ``"pass"`` the recorded backward pass.
    step: which step of the pass is shown: 0 is before it, ``len(trace["steps"])`` after it.
    speed: steps a second when it plays.
    language: ``"en"``, ``"zh"``, or ``"auto"``: the browser's.
    height: of the picture, in pixels.
    following: whether the panel still follows the notebook.
    kernel: changes when the kernel restarts.
    """

    _esm = (_STATIC / "widget.js").read_text(encoding="utf-8")
    _css = (_STATIC / "widget.css").read_text(encoding="utf-8")

    scene = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    trace = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    losses = traitlets.List().tag(sync=True)
    view = traitlets.Enum(("live", "pass"), "live").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    speed = traitlets.Float(1.5, min=0.1, max=20.0).tag(sync=True)
    language = traitlets.Enum(("auto", "en", "zh"), "auto").tag(sync=True)
    height = traitlets.Int(420).tag(sync=True)
    following = traitlets.Bool(True).tag(sync=True)
    kernel = traitlets.Unicode(_KERNEL).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.follower: Any = None
        self._shown_in: Any = None

    def start(self) -> None:
        """Follows the notebook, from now on."""
        self.follower.start()

    def stop(self) -> None:
        """Follows no more, and takes back everything that following needed; the panel shows the last state."""
        self.follower.stop()

    def close(self) -> None:
        """Stops, and removes the panel from the notebook."""
        if self.follower is not None:
            self.stop()
        super().close()

    def __repr__(self) -> str:
        return "LivePanel()"  # stable, for notebooks that are compared with their stored outputs

    def shown_in(self, cell: Any) -> None:
        """The cell with that number has shown the panel; as its last expression it is not to be shown again."""
        self._shown_in = cell

    def _ipython_display_(self) -> None:
        if self.follower is not None and self._shown_in == self.follower.cell:
            self._shown_in = None
            return
        data, metadata = self._repr_mimebundle_()
        display(data, metadata=metadata, raw=True)
