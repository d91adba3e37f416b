"""The graph as plain text: a line for each thing, stable, made to be compared and to be read aloud."""

from collections.abc import Iterator

from ..language import Words, data, words
from ..model.graph import OPERATIONS, Edge, Graph, Node, Saved
from ..model.values import shape_text
from ..strings import clean


def to_text(graph: Graph, lang: str = "en") -> str:
    """Outputs, then operations in the order backward can run them, then leaves."""
    told, w = by_node(graph, lang), _words(lang)
    results = (node for node in graph.nodes if node.result)
    lines = [f"{w['output']} {_tensor(node, w)}{w[', ']}grad_fn {node.id}" for node in results]
    for node in reversed(graph.nodes):
        lines += told[node.id] if node.kind in OPERATIONS else ()
    for node in graph.nodes:
        alone = node.kind == "leaf" or (node.kind == "accumulate" and node.stops)
        if node.kind == "untracked" and node.tensor is not None:  # a plain number says all where it is used
            alone = node.label != node.tensor.value
        lines += told[node.id] if alone else ()
    return "\n".join([_describe(graph, lang), *lines])


def _describe(graph: Graph, lang: str = "en") -> str:
    """One sentence for readers who do not see the picture."""
    ops = sum(node.count for node in graph.nodes if node.kind in OPERATIONS)
    roots = [clean(_called(graph.node(root), lang)) for root in graph.roots]
    shown = [clean(node.called(lang)) for node in graph.nodes if node.kind == "leaf"]
    leaves = len(shown) + sum(dict(node.contents).get("leaf", 0) for node in graph.nodes)
    listed = shown if len(shown) == leaves <= 8 else []
    between, around = ("、", "（{}）") if lang == "zh" else (", ", " ({})")
    tail = around.format(between.join(listed)) if listed else ""
    operations = words("operations" + "1" * (ops == 1), n=f"{ops:,}")[lang]
    inputs = words("leaves" + "1" * (leaves == 1), n=f"{leaves:,}")[lang]
    return words("graphOf" if roots else "graph", roots=between.join(roots), ops=operations, leaves=inputs + tail)[lang]


def _called(node: Node, lang: str) -> str:
    """What a tensor is called; of an operation that stands for its result as well, what that is."""
    return (node.title if node.result else "") or node.called(lang)


def by_node(graph: Graph, lang: str = "en") -> dict[str, list[str]]:
    """What is known of each node, in lines of text, by its id."""
    w = _words(lang)
    return {node.id: list(_lines(graph, node, w)) for node in graph.nodes}


def _words(lang: str) -> Words:
    rows = {key.removeprefix("text_"): row[lang] for key, row in data("words.json").items() if key.startswith("text_")}
    return rows | {"lang": lang}


def _lines(graph: Graph, node: Node, w: Words) -> Iterator[str]:
    if node.kind in OPERATIONS:
        yield from _operation(graph, node, w)
    elif node.kind == "accumulate":
        yield from (_name(graph, node, w), *_stop(node, w))
    elif node.kind == "leaf":
        told = node.grad and node.grad.told(w["lang"])
        grad = "None" if node.grad is None else told or f"{w['of shape']} {shape_text(node.grad.shape)}"
        hooks = [f"{w['hook']} {clean(hook)}" for hook in node.hooks]
        yield w[", "].join([f"{w['leaf']} {_tensor(node, w)}", f"{w['grad']} {grad}", *hooks])
    else:
        yield w[", "].join([f"{w['input']} {_tensor(node, w)}", "requires_grad False"])


def _operation(graph: Graph, node: Node, w: Words) -> Iterator[str]:
    contents = w[", "].join(f"{w.get(name, clean(name))} x{count}" for name, count in node.contents)
    label = w[", "].join([clean(node.called(w["lang"]), 80), *(f"{clean(name)}.grad_fn" for name in node.names)])
    label += f"{w[': ']}{contents}" * bool(contents)
    targets = w[", "].join(_target(graph, edge, w) for edge in graph.edges_from(node.id))
    yield f"{node.id} {label} -> {targets or w['nothing']}"
    yield from (f"  {w['saved']} {_saved(saved, w)}" for saved in node.saved)
    yield from _stop(node, w)
    yield from (f"  {w['hook']} {clean(hook)}" for hook in node.hooks)


def _stop(node: Node, w: Words) -> list[str]:
    said = f"{w[': ']}{clean(node.error.strip(), 200)}" if node.error else ""
    where = w["fails"] if node.never_ran else w["backward stops here"]
    return [f"  {where}{said}"] if node.stops else []


def _name(graph: Graph, accumulate: Node, w: Words) -> str:
    leaf = next((graph.node(edge.target).called(w["lang"]) for edge in graph.edges_from(accumulate.id)), "")
    return f"{accumulate.label}({clean(leaf)})"


def _target(graph: Graph, edge: Edge, w: Words) -> str:
    node = graph.node(edge.target)
    if node.kind == "accumulate":
        return _name(graph, node, w)
    named = node.kind in ("untracked", "leaf")
    beside = f"{w['input']} " * (edge.input_nr < 0)  # next_functions has no place for it
    return beside + (clean(node.called(w["lang"])) if named else node.id) + f"[{edge.output_nr}]" * bool(edge.output_nr)


def _tensor(node: Node, w: Words) -> str:
    told = [clean(_called(node, w["lang"]))]
    if node.tensor is not None:
        told += [f"{w['shape']} {shape_text(node.tensor.shape)}", node.tensor.dtype]
        told += [f"{w['value']} {node.tensor.told(w['lang'])}"] * bool(node.tensor.value)
    return w[", "].join(told)


def _saved(saved: Saved, w: Words) -> str:
    name = f" = {clean(saved.names[0])}" if saved.names else ""
    shape = [f"{w['shape']} {shape_text(saved.tensor.shape)}"] if saved.tensor else []
    version = [] if saved.version is None else [f"{w['version']} {saved.version}"]
    return w[", "].join([clean(saved.slot) + name, *shape, *version, w[saved.state]])
