"""What of a live panel is seen where there is no kernel: a still picture below it, which a live panel hides."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from IPython.display import display

from ..language import said, spoken
from ..picture.html import as_html
from ..settings import options

# where nothing stands above it but words of JupyterLab's: that the widget is not found
_ALONE = ".jp-OutputArea:has(.viz-twin img, .viz-twin svg) .jp-OutputArea-child:has(> .jupyter-widgets:not(:has(*)))"
_LATER = 0.7  # seconds after a cell until it is brought up to date: the page has the live one to draw


class Twin:
    """The last state as picture and text, for a notebook that is read without a kernel. due: when it is to be brought
    up to date, in seconds of `time.monotonic`; None where it need not be."""

    def __init__(self) -> None:
        self.due: float | None = None
        self._shown: Any = None
        self._text = ""

    def show(self, scene: Mapping[str, Any] | None) -> None:
        """Shows it in the cell that runs."""
        self._shown = display(still(scene), raw=True, display_id=True)

    def soon(self) -> None:
        """The scene is another; the picture may wait a moment."""
        if self._shown is not None:
            self.due = time.monotonic() + _LATER

    def update(self, scene: Mapping[str, Any] | None) -> None:
        """Shows that scene in place of the last."""
        self.due = None
        if self._shown is not None and scene is not None and scene["text"] != self._text:
            self._text = scene["text"]
            self._shown.update(still(scene), raw=True)


def still(scene: Mapping[str, Any] | None) -> dict[str, str]:
    """A scene as a notebook keeps it."""
    if scene is None or not scene["svg"]:
        return {"text/plain": "viz.live(): no graph yet", "text/html": '<div class="viz-twin"></div>'}
    when = " ".join(said(lang, "asItWas", n=scene["cell"]) for lang in spoken(options.language))
    html = f'<div class="viz-twin">{as_html(scene["svg"], scene["text"])}<p><small>{when}</small></p></div>'
    html += f"<style>{_ALONE} {{ display: none; }}</style>"
    return {"text/plain": f"{scene['text']}\n\n{when}", "image/svg+xml": scene["svg"], "text/html": html}
