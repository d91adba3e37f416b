"""The graph as plain text: a line for each thing, stable, made to be compared and to be read aloud."""

from __future__ import annotations

from .cards import describe, source_line
from .graph import Edge, Graph, Node, Saved
from .strings import clean
from .values import TensorInfo, shape_text


def to_text(graph: Graph) -> str:
    """Outputs, then operations in the order backward can run them, then leaves."""
    lines = [describe(graph)]
    for node in graph.nodes:
        if node.kind == "output":
            lines.append(f"output {_tensor(node)}, grad_fn {_target(graph, graph.edges_from(node.id)[0])}")
    for node in reversed(graph.nodes):
        if node.kind in ("op", "custom", "folded"):
            results = "".join(f", {clean(name)}.grad_fn" for name in node.names)
            targets = ", ".join(_target(graph, edge) for edge in graph.edges_from(node.id))
            contents = ", ".join(f"{clean(name)} x{count}" for name, count in node.contents)
            shapes = " ".join(f", {shape_text(result.shape)} {result.dtype}" for result in node.results)
            label = f"{clean(node.label)}: {contents}" if contents else clean(node.label) + results + shapes
            lines.append(f"{node.id} {label} -> {targets or 'nothing'}")
            lines += [f"  saved {_saved(saved)}" for saved in node.saved]
            lines += _stop(node)
            lines += [f"  hook {clean(hook)}" for hook in node.hooks]
            if where := source_line(node):
                lines.append(f"  made by {clean(where[1], 80)}")
    for node in graph.nodes:
        if node.kind == "leaf":
            hooks = "".join(f", hook {clean(hook)}" for hook in node.hooks)
            lines.append(f"leaf {_tensor(node)}, grad {_value(node.grad) if node.grad else 'None'}{hooks}")
        elif node.kind == "untracked" and node.tensor is not None:
            cut = "".join(f", detached from {_target(graph, edge)}" for edge in graph.edges_from(node.id))
            if cut or node.label != node.tensor.value:  # a plain number says all where it is used
                lines.append(f"input {_tensor(node)}, requires_grad False{cut}")
        elif node.kind == "accumulate" and node.stops:
            lines += [_name(node), *_stop(node)]
    return "\n".join(lines)


def _stop(node: Node) -> list[str]:
    said = f": {clean(node.error, 200)}" if node.error else ""
    return [f"  backward stops here{said}"] if node.stops else []


def _name(accumulate: Node) -> str:
    leaf = clean(" = ".join(accumulate.names)) if accumulate.names else "leaf" + accumulate.id.removeprefix("acc")
    return f"{accumulate.label}({leaf})"


def _target(graph: Graph, edge: Edge) -> str:
    node = graph.node(edge.target)
    output = f"[{edge.output_nr}]" if edge.output_nr else ""
    if node.kind == "accumulate":
        return _name(node)
    return (clean(node.label) if node.kind == "untracked" else node.id) + output


def _tensor(node: Node) -> str:
    assert node.tensor is not None
    value = f", value {node.tensor.value}" if node.tensor.value else ""
    return f"{clean(node.label)}, shape {shape_text(node.tensor.shape)}, {node.tensor.dtype}{value}"


def _saved(saved: Saved) -> str:
    name = f" = {clean(saved.names[0])}" if saved.names else ""
    shape = f", shape {shape_text(saved.tensor.shape)}" if saved.tensor else ""
    version = "" if saved.version is None else f", version {saved.version}"
    return f"{clean(saved.slot)}{name}{shape}{version}, {saved.state}"


def _value(tensor: TensorInfo) -> str:
    return tensor.value or f"of shape {shape_text(tensor.shape)}"
