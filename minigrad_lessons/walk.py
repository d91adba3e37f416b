"""Walk a computation graph by hand: ``Walk(z=z)``.

Each step is a button, and each place says which Python expression leads there: what one would type to hold that node.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, in_turn
from minigrad_lessons.svg import table

BACK = Says("back", "返回")
NOBODY = Says("None: no gradient is needed here", "None：这里不需要梯度")
VARIABLE = Says(", its variable is", "，它的 variable 是")


class Walk(Moving):
    """The nodes behind one tensor, given by name, and a control that walks from node to node."""

    about = Says("every path through the graph, and where it leads", "计算图里的每条路径，以及它通向哪里")

    def __init__(self, **output: Any) -> None:
        ((self.name, tensor),) = output.items()
        self.start = tensor.grad_fn

    def places(self) -> Iterator[tuple[str, Any]]:
        """Every place that can be reached: the expression that walks there, and the node."""
        waiting = [(f"{self.name}.grad_fn", self.start)]
        while waiting:
            expression, node = waiting.pop()
            yield expression, node
            ways = getattr(node, "next_functions", ())
            waiting += [(f"{expression}.next_functions[{i}][0]", way) for i, (way, _) in enumerate(ways)][::-1]

    def words(self, lang: str) -> str:
        """Every place, and below it what stands there."""
        nobody, variable = getattr(NOBODY, lang), getattr(VARIABLE, lang)
        return "\n".join(f"{place}\n    {describe(node, nobody, variable)}" for place, node in self.places())

    def picture(self) -> str:
        """Every place and what stands there, as SVG: each expression goes on from the one above that is less far in."""
        rows = []
        for place, node in self.places():
            depth = place.count(".next_functions")
            step = place if depth == 0 else "." + place.rpartition(".")[2]
            rows.append(("\u2003" * 2 * depth + step, describe(node, str(NOBODY), str(VARIABLE))))
        return table(self.alt(), rows)

    def widget(self) -> Any:
        """Buttons that lead on and back, and the place where we are."""
        import ipywidgets

        here = ipywidgets.HTML()
        most = max(len(getattr(node, "next_functions", ())) for _, node in self.places())
        ways = [ipywidgets.Button(layout={"width": "auto"}) for _ in range(most)]
        back = ipywidgets.Button(description=str(BACK), icon="arrow-left")
        path = [(f"{self.name}.grad_fn", self.start)]

        def show() -> None:
            expression, node = path[-1]
            says = describe(node, str(NOBODY), str(VARIABLE))
            here.value = f"<code>{escape(expression)}</code><br><b>{escape(says)}</b>"
            back.disabled = len(path) == 1
            leads = [way for way, _ in getattr(node, "next_functions", ())]
            for number, button in enumerate(ways):
                way = leads[number] if number < len(leads) else None
                button.description = f"[{number}] {type(way).__name__ if way is not None else None}"
                button.disabled = way is None
                button.layout.display = "inline-flex" if number < len(leads) else "none"

        @in_turn
        def go(number: int | None) -> None:
            if number is None:
                path.pop()
            else:
                expression, node = path[-1]
                path.append((f"{expression}.next_functions[{number}][0]", node.next_functions[number][0]))
            show()
            # Who walks by keyboard goes on from here: the button just pressed may be gone.
            next((button for button in (*ways, back) if not button.disabled), back).focus()

        for number, button in enumerate(ways):
            button.on_click(lambda _, number=number: go(number))
        back.on_click(lambda _: go(None))
        show()
        return ipywidgets.VBox([here, ipywidgets.HBox(ways), back])


def describe(node: Any, nobody: str, variable: str) -> str:
    """A node's name; of an AccumulateGrad also the leaf that it fills."""
    if node is None:
        return nobody
    if hasattr(node, "variable"):
        return f"{type(node).__name__}{variable} {' '.join(repr(node.variable).split())}"
    return type(node).__name__
