"""`viz.live()`: the panel that follows a notebook."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ..language import message, not_installed
from ..picture.fold import View
from ..picture.render import LayoutError, run
from ..settings import check, reader

if TYPE_CHECKING:
    from .widget import LivePanel

_panels: WeakValueDictionary[int, LivePanel] = WeakValueDictionary()  # by the id of the shell: a notebook has one


def live(*, max_nodes: int = 400, modules: int | None = None, direction: str = "auto") -> LivePanel:
    """A panel that follows this notebook: the graph grows in it as cells run, and a backward pass can be played step
    by step, forwards and backwards. Called again, it shows the same panel once more, with these options.

    max_nodes, modules, direction: as for `viz.draw`. Its language is that of `viz.options`; where the reader's
    is not known, the browser's.

    The panel follows until ``.stop()``, and again after ``.start()``; ``.close()`` removes it.

    Raises RuntimeError outside a notebook, TypeError or ValueError for an option that cannot be.
    """
    shell = _shell()
    check(max_nodes=max_nodes, modules=modules, direction=direction)
    view = View(max_nodes=max_nodes, modules=modules)
    panel = _panels.get(id(shell))
    if panel is None or panel.comm is None:
        # only now: drawing needs neither IPython nor the widgets
        try:
            from .follow import Follower
            from .widget import LivePanel
        except ModuleNotFoundError as error:
            raise not_installed(error, "viz.live()") from None

        panel = _panels[id(shell)] = LivePanel()
        panel.follower = Follower(shell, panel)
        with suppress(LayoutError, ImportError):  # what will be said where there is something to draw
            from ..picture import dot  # noqa: F401  # before a cell changes `sys.path`

            # starts Graphviz now, not while a loop trains; to measure a label it would load the machine's fonts
            run('digraph { first [label=""] }', "json0", timeout=5.0)
    panel.language = reader("auto")  # the browser's
    panel.follower.scenes.view = view
    panel.follower.scenes.direction = direction
    panel.start()
    panel.follower.show()
    return panel


def _shell() -> Any:
    ipython: Any = sys.modules.get("IPython")  # there, where a notebook is
    shell = ipython and ipython.get_ipython()
    if not (hasattr(shell, "kernel") and hasattr(shell, "ast_transformers")):  # Solara's has no cells
        raise RuntimeError(message("noNotebook"))
    return shell
