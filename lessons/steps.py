"""Step through a backward pass: ``Steps(y=y, a=a, b=b, x=x)``.

The first tensor is the output; the others only give their nodes a name. The pass is real: it runs once, when the
object is made, with hooks on the nodes that note what arrives and what is sent on. The leaves' `.grad` are put back.
"""

from __future__ import annotations

from html import escape
from typing import Any

from lessons.play import Moving


class Steps(Moving):
    """A backward pass as a list of steps, and a button that goes to the next."""

    def __init__(self, **tensors: Any) -> None:
        output, *_ = tensors.values()
        self.nodes = reachable(output.grad_fn)
        named = {node_of(tensor, self.nodes): name for name, tensor in tensors.items()}
        self.labels = {
            node: f"{type(node).__name__} of {named[node]}" if node in named else type(node).__name__
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

    def table(self, done: int) -> list[tuple[str, str]]:
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
            so_far = f"{arrived[node]:g}"
            if node in finished:
                state = f"ran with {so_far}"
            elif waiting[node] == 0:
                state = f"ready: {so_far}"
            elif arrived[node]:
                state = f"has {so_far}, waits for {waiting[node]}"
            else:
                state = f"waits for {waiting[node]}"
            rows.append((self.labels[node], state))
        return rows

    def __repr__(self) -> str:
        """One column for each step: what every node is doing then. Nothing is repeated once a node has run."""
        tables = [self.table(done) for done in range(len(self.ran) + 1)]
        columns = [["", *(label for label, _ in tables[0])]]
        for number, table in enumerate(tables):
            states = []
            for row, (_, state) in enumerate(table):
                repeated = number and tables[number - 1][row][1] == state and state.startswith("ran")
                states.append("" if repeated else state)
            columns.append(["start" if number == 0 else f"step {number}", *states])
        widths = [max(map(len, column)) for column in columns]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in zip(*columns)]
        return "\n".join(line.rstrip() for line in lines)

    def widget(self) -> Any:
        """The table after some steps, and buttons that go on and back."""
        import ipywidgets

        onward = ipywidgets.Button(description="next node", icon="arrow-down")
        back = ipywidgets.Button(description="back", icon="arrow-up")
        shown = ipywidgets.HTML()
        done = 0

        def go(by: int) -> None:
            nonlocal done
            done += by
            onward.disabled, back.disabled = done == len(self.ran), done == 0
            rows = "".join(
                f"<tr><td style='text-align:left;padding-right:2em'>{escape(label)}</td>"
                f"<td style='text-align:left;min-width:14em'>{escape(state)}</td></tr>"
                for label, state in self.table(done)
            )
            shown.value = f"<table><tr><th></th><th style='text-align:left'>step {done}</th></tr>{rows}</table>"

        onward.on_click(lambda _: go(+1))
        back.on_click(lambda _: go(-1))
        go(0)
        return ipywidgets.VBox([ipywidgets.HBox([onward, back]), shown])


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
