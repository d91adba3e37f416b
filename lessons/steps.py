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

    def table(self, done: int) -> list[tuple[str, str, str]]:
        """After `done` steps: each node, what it is doing, and the gradient that has arrived at it so far."""
        waiting = dict.fromkeys(self.nodes, 0)
        for node in self.nodes:
            for way, _ in getattr(node, "next_functions", ()):
                if way is not None:
                    waiting[way] += 1
        expected, arrived = dict(waiting), dict.fromkeys(self.nodes, 0.0)
        arrived[self.nodes[0]] = self.ran[0][1]
        for node, _, sent in self.ran[:done]:
            for (way, _), grad in zip(getattr(node, "next_functions", ()), sent):
                if way is not None:
                    waiting[way] -= 1
                    arrived[way] += grad or 0.0
        finished = [node for node, _, _ in self.ran[:done]]
        rows = []
        for node in [node for node, _, _ in self.ran]:
            if node in finished:
                state = "ran"
            elif waiting[node] == 0:
                state = "ready"
            else:
                state = f"waits for {waiting[node]} of {expected[node]}"
            rows.append((self.labels[node], state, f"{arrived[node]:g}" if arrived[node] else "-"))
        return rows

    def __repr__(self) -> str:
        blocks = []
        for done in range(len(self.ran) + 1):
            rows = self.table(done)
            title = "start" if done == 0 else f"step {done}: {self.labels[self.ran[done - 1][0]]}"
            widths = [max(len(row[column]) for row in rows) for column in range(2)]
            lines = [f"  {row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}" for row in rows]
            blocks.append("\n".join([title, *lines]))
        return "\n".join(blocks)

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
                f"<tr><td>{escape(label)}</td><td>{escape(state)}</td><td>{escape(grad)}</td></tr>"
                for label, state, grad in self.table(done)
            )
            shown.value = (
                f"<table><tr><th>node</th><th>after {done} steps</th><th>gradient so far</th></tr>{rows}</table>"
            )

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
