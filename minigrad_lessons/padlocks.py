"""See which nodes keep tensors for the way back, and when they let go: ``Padlocks(f, w=w, x=x)``."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving
from minigrad_lessons.steps import reachable
from minigrad_lessons.svg import padlock, table

# Each moment with the arguments of the backward that comes before it; None where none has come yet.
MOMENTS: dict[Says, dict[str, bool] | None] = {
    Says("before", "反向之前"): None,
    Says("after backward()", "backward() 之后"): {},
    Says("after backward(retain_graph=True)", "backward(retain_graph=True) 之后"): {"retain_graph": True},
}
NOTHING = Says("needs nothing", "什么都不用存")


class Padlocks(Moving):
    """The tensors that the nodes of a graph have saved, before a backward and after it.

    `function` is called with copies of the tensors, by name, and returns a scalar.
    """

    about = Says("what each node keeps, at three moments", "三个时刻，每个节点保存着什么")

    def __init__(self, function: Callable[..., Any], **tensors: Any) -> None:
        self.function, self.tensors = function, tensors

    def rows(self, moment: Says) -> list[tuple[str, list[tuple[bool, Says]]]]:
        """Each operation's node at one of MOMENTS: for each tensor that it saves whether it still holds it."""
        copies = {
            name: tensor.detach().clone().requires_grad_(tensor.requires_grad) for name, tensor in self.tensors.items()
        }
        output = self.function(**copies)
        nodes = [node for node in reachable(output.grad_fn) if not hasattr(node, "variable")]
        names = [saved_tensors(node) for node in nodes]
        if (how := MOMENTS[moment]) is not None:
            output.backward(**how)
        return [(type(node).__name__, [state(node, name) for name in saved]) for node, saved in zip(nodes, names)]

    def words(self, lang: str) -> str:
        """A row for each node, a column for each moment."""
        columns = [self.rows(moment) for moment in MOMENTS]
        rows = [["", *(getattr(moment, lang) for moment in MOMENTS)]]
        for same_node in zip(*columns):
            held = [
                ", ".join(getattr(says, lang) for _, says in states) or getattr(NOTHING, lang)
                for _, states in same_node
            ]
            rows.append([same_node[0][0], *held])
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)

    def picture(self) -> str:
        """The three moments side by side, as SVG: a closed padlock for what is held, an open one for what is gone."""
        rows, locks = [["", *("\n".join(moment.lines()) for moment in MOMENTS)]], [[None] * (len(MOMENTS) + 1)]
        for same_node in zip(*(self.rows(moment) for moment in MOMENTS)):
            words = [[says for _, says in states] or [NOTHING] for _, states in same_node]
            rows.append(
                [same_node[0][0], *("\n".join(line for says in cell for line in says.lines()) for cell in words)]
            )
            locks.append([None, *(states[0][0] if states else None for _, states in same_node)])
        return table(self.alt(), rows, locks=locks)

    def widget(self) -> Any:
        """One button for each moment, and what the nodes hold then."""
        import ipywidgets

        moments = ipywidgets.ToggleButtons(
            options={str(moment): moment for moment in MOMENTS}, style={"button_width": "auto"}
        )
        shown = ipywidgets.HTML()

        def redraw(_: Any = None) -> None:
            rows = "".join(
                f"<tr><td style='text-align:left;padding-right:2em'>{escape(node)}</td>"
                f"<td style='text-align:left'>{'<br>'.join(map(held, states)) or NOTHING}</td></tr>"
                for node, states in self.rows(moments.value)
            )
            shown.value = f"<table>{rows}</table>"

        moments.observe(redraw, "value")
        redraw()
        return ipywidgets.VBox([moments, shown])


def held(state: tuple[bool, Says]) -> str:
    """A padlock, closed or open, and the words beside it, as HTML."""
    closed, says = state
    return (
        f"<svg width='14' height='18' aria-hidden='true' style='vertical-align:-3px'>"
        f"{padlock(1, 1, closed=closed, colour='currentColor')}</svg> {escape(str(says))}"
    )


def saved_tensors(node: Any) -> list[str]:
    """The names under which a node has saved tensors, such as ``_saved_self``."""
    return [name for name in sorted(dir(node)) if name.startswith("_saved_") and hasattr(getattr(node, name), "tolist")]


def state(node: Any, name: str) -> tuple[bool, Says]:
    """Whether a node still holds what it saved under a name, and the words for it."""
    short = name.removeprefix("_saved_")
    try:
        value = f"{short} = {getattr(node, name).tolist()}"
    except RuntimeError:
        return False, Says(f"{short} is gone", f"{short} 已释放")
    return True, Says(f"keeps {value}", f"保存着 {value}")
