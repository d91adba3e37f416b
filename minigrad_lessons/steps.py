"""Step through a backward pass: ``Steps(y=y, a=a, b=b, x=x)``.

The first tensor is the output; the others only give their nodes a name. The pass is real: it runs once, when the
object is made, with hooks on the nodes that note what arrives and what is sent on. The leaves' `.grad` are put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving
from minigrad_lessons.svg import table

NEXT, BACK = Says("next node", "下一个节点"), Says("back", "上一步")


class Steps(Moving):
    """A backward pass as a list of steps, and a button that goes to the next."""

    about = Says("a backward pass, a column for each step", "一次反向传播，每一步占一列")

    def __init__(self, **tensors: Any) -> None:
        output, *_ = tensors.values()
        self.nodes = reachable(output.grad_fn)
        named = {node_of(tensor, self.nodes): name for name, tensor in tensors.items()}
        self.labels = {
            node: f"{type(node).__name__} ({named[node]})" if node in named else type(node).__name__
            for node in self.nodes
        }
        # What the engine did: the nodes in the order they ran, what arrived at each, what each sent on.
        self.ran: list[tuple[Any, float, list[float | None]]] = []
        self._record(output)

    def _record(self, output: Any) -> None:
        leaves = [node.variable for node in self.nodes if hasattr(node, "variable")]
        before = [leaf.grad for leaf in leaves]
        handles = []
        for node in self.nodes:
            handles.append(node.register_prehook(lambda grads, node=node: self.ran.append((node, plain(grads[0]), []))))
            if not hasattr(node, "variable"):
                sent = lambda results, grads: self.ran[-1][2].extend(map(plain, results))  # noqa: E731
                handles.append(node.register_hook(sent))
        output.backward(retain_graph=True)
        for handle in handles:
            handle.remove()
        for leaf, grad in zip(leaves, before):
            leaf.grad = grad

    def table(self, done: int) -> list[tuple[str, Says]]:
        """After `done` steps: each node in the order of running, and what it is doing."""
        waiting, arrived = dict.fromkeys(self.nodes, 0), dict.fromkeys(self.nodes, 0.0)
        for node in self.nodes:
            for way, _ in getattr(node, "next_functions", ()):
                if way is not None:
                    waiting[way] += 1
        arrived[self.nodes[0]] = self.ran[0][1]
        for node, _, sent in self.ran[:done]:
            for (way, _), grad in zip(getattr(node, "next_functions", ()), sent):
                if way is not None:
                    waiting[way] -= 1
                    arrived[way] += grad or 0.0
        finished = [node for node, _, _ in self.ran[:done]]
        rows = []
        for node, _, _ in self.ran:
            so_far, left = f"{arrived[node]:g}", waiting[node]
            if node in finished:
                state = Says(f"ran with {so_far}", f"已运行：{so_far}")
            elif left == 0:
                state = Says(f"ready: {so_far}", f"就绪：{so_far}")
            elif arrived[node]:
                state = Says(f"has {so_far}, waits for {left}", f"有 {so_far}，还等 {left} 份")
            else:
                state = Says(f"waits for {left}", f"还等 {left} 份")
            rows.append((self.labels[node], state))
        return rows

    def columns(self) -> Iterator[tuple[Says, list[Says | None]]]:
        """For each step its title, and what every node is doing then; None once that is said and stays so."""
        before: list[tuple[str, Says]] = []
        for done in range(len(self.ran) + 1):
            table = self.table(done)
            yield (
                step_title(done),
                [
                    None if before and before[row][1] == state and state.en.startswith("ran") else state
                    for row, (_, state) in enumerate(table)
                ],
            )
            before = table

    def words(self, lang: str) -> str:
        """One column for each step."""
        columns = [["", *(label for label, _ in self.table(0))]]
        columns += [
            [getattr(title, lang), *(getattr(state, lang) if state else "" for state in states)]
            for title, states in self.columns()
        ]
        widths = [max(map(len, column)) for column in columns]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in zip(*columns)]
        return "\n".join(line.rstrip() for line in lines)

    def picture(self) -> str:
        """The same columns, as SVG."""
        columns = [["", *(label.replace(" (", "\n(") for label, _ in self.table(0))]]
        columns += [
            ["\n".join(title.lines()), *("\n".join(state.lines()) if state else "" for state in states)]
            for title, states in self.columns()
        ]
        return table(self.alt(), list(zip(*columns)))

    def widget(self) -> Any:
        """The table after some steps, and buttons that go on and back."""
        import ipywidgets

        onward = ipywidgets.Button(description=str(NEXT), icon="arrow-down")
        back = ipywidgets.Button(description=str(BACK), icon="arrow-up")
        shown = ipywidgets.HTML()
        done = 0

        def show() -> None:
            onward.disabled, back.disabled = done == len(self.ran), done == 0
            rows = "".join(
                f"<tr><td style='text-align:left;padding-right:2em'>{escape(label)}</td>"
                f"<td style='text-align:left;min-width:14em'>{escape(str(state))}</td></tr>"
                for label, state in self.table(done)
            )
            shown.value = f"<table><tr><th></th><th style='text-align:left'>{step_title(done)}</th></tr>{rows}</table>"

        def go(by: int) -> None:
            nonlocal done
            done += by
            show()
            if onward.disabled:  # a button that is switched off loses the keyboard
                back.focus()
            elif back.disabled:
                onward.focus()

        onward.on_click(lambda _: go(+1))
        back.on_click(lambda _: go(-1))
        show()
        return ipywidgets.VBox([ipywidgets.HBox([onward, back]), shown])


def step_title(number: int) -> Says:
    """The title of a column."""
    return Says(f"step {number}", f"第 {number} 步") if number else Says("start", "开始")


def reachable(start: Any) -> list[Any]:
    """Every node that can be reached from one node, that one first."""
    found = [start]
    for node in found:
        for way, _ in getattr(node, "next_functions", ()):
            if way is not None and way not in found:
                found.append(way)
    return found


def node_of(tensor: Any, nodes: list[Any]) -> Any:
    """The node of a tensor: its grad_fn, or the AccumulateGrad that holds it."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn
    return next((node for node in nodes if getattr(node, "variable", None) is tensor), None)


def plain(grad: Any) -> float | None:
    """A gradient as one number, summed over its elements."""
    return None if grad is None else grad.sum().item()
