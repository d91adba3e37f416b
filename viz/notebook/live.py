"""`viz.live()`: the panel that follows a notebook."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..language import message, not_installed, spoken
from ..picture.fold import View
from ..picture.render import LayoutError, run
from ..settings import check

if TYPE_CHECKING:
    from .widget import LivePanel

# without a label: to measure one, Graphviz would load the machine's fonts
_FIRST = 'digraph { first [label=""] }'
_panels: dict[int, LivePanel] = {}  # by the id of the shell: a notebook has one


def live(
    *,
    language: str = "auto",
    height: int | None = None,
    max_nodes: int = 400,
    modules: int | None = None,
    direction: str = "auto",
) -> LivePanel:
    """A panel that follows this notebook: the graph grows in it as cells run, and a backward pass can be played step
    by step, forwards and backwards. Called again, it shows the same panel once more, with these options.

    language: ``"en"``, ``"zh"``, or ``"auto"``: the reader's (``MINIGRAD_LANG`` where it is set; that of a notebook in
        a folder ``en`` or ``zh``; else the browser's).
    height: of the picture, in pixels; by default as high as it is, up to 70 % of the window.
    max_nodes, modules, direction: as for `viz.draw`.

    The panel follows until ``.stop()``, and again after ``.start()``; ``.close()`` removes it.

    Raises RuntimeError outside a notebook, TypeError or ValueError for an option that cannot be.
    """
    shell = _shell()
    check(language=language, height=height, max_nodes=max_nodes, modules=modules, direction=direction)
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
        with suppress(LayoutError):  # what will be said where there is something to draw
            run(_FIRST, "json0", timeout=5.0)  # starts Graphviz now, not while a loop trains
    if language == "auto" and len(spoken()) == 1:
        (language,) = spoken()
    panel.language, panel.height = language, height or 0
    panel.follower.scenes.view = view
    panel.follower.scenes.direction = direction
    panel.start()
    panel.follower.show()
    return panel


def _shell() -> Any:
    try:
        from IPython import get_ipython

        shell = get_ipython()
    except ImportError:
        shell = None
    if shell is None or not hasattr(shell, "kernel"):
        raise RuntimeError(message("noNotebook"))
    return shell
