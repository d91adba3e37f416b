"""Record what PyTorch says of lesson 14's expressions: ``python -m tests.lessons.recorded``, where PyTorch is."""

import json
from pathlib import Path
from random import Random
from typing import Any

FILE = Path(__file__).parents[2] / "minigrad_lessons" / "checks" / "build_it.json"
DRAWN = Random(14)


def drawn(*shape: int) -> Any:
    """Numbers of one decimal, none of them 0 or 1, in this shape."""
    if shape:
        return [drawn(*shape[1:]) for _ in range(shape[0])]
    return DRAWN.choice([-1, 1]) * DRAWN.randint(2, 30) / 10 + 0.05


def pair(a: tuple[int, ...], b: tuple[int, ...], op: str) -> dict[str, Any]:
    out = [max(m, n) for m, n in zip((1,) * (4 - len(a)) + a, (1,) * (4 - len(b)) + b, strict=True)]
    c = drawn(*out[4 - max(len(a), len(b)) :])
    return {"expression": f"sum((a {op} b) * c)", "leaves": {"a": drawn(*a), "b": drawn(*b)}, "data": {"c": c}}


def product(n: int, k: int, m: int) -> dict[str, Any]:
    leaves = {"a": drawn(n, k), "b": drawn(k, m)}
    return {"expression": "sum(matmul(a, b) * c)", "leaves": leaves, "data": {"c": drawn(n, m)}}


def logits(z: list[list[float]], hot: list[int], weight: float) -> dict[str, Any]:
    target = [[float(column == place) for column in range(len(z[0]))] for place in hot]
    return {
        "expression": "cross_entropy(z, target) * weight",
        "leaves": {"z": z},
        "data": {"target": target, "weight": weight},
    }


#: By the step that they belong to: an expression, its leaves and its data.
CASES: dict[str, list[dict[str, Any]]] = {
    "rules": [
        {
            "expression": "(w * 1 + -3) * (w * 1 + -3) + (w * 2 + -5) * (w * 2 + -5) + (w * 3 + -7) * (w * 3 + -7)",
            "leaves": {"w": 1.0},
            "data": {},
        },
        {"expression": "sum((a + b) + a)", "leaves": {"a": drawn(3), "b": drawn(3)}, "data": {}},
        {"expression": "sum(relu(a * c) * b)", "leaves": {"a": drawn(5), "b": drawn(5)}, "data": {"c": drawn(5)}},
        {
            "expression": "sum(relu(a) * b)",
            "leaves": {"a": [-1.5, 0.0, 0.5, 2.5], "b": [2.0, 3.0, 5.0, -4.0]},
            "data": {},
        },
        {"expression": "sum(a * b) * sum(b)", "leaves": {"a": drawn(2, 3), "b": drawn(2, 3)}, "data": {}},
    ],
    "order": [
        {"expression": "(x * 2) * (x * 5)", "leaves": {"x": 3.0}, "data": {}},
        {"expression": "x * (x * x)", "leaves": {"x": 2.0}, "data": {}},
        {"expression": "(m := x * 2) * ((m + 1) * 3)", "leaves": {"x": 2.0}, "data": {}},
        {"expression": "(x * x) * x + x", "leaves": {"x": 2.0}, "data": {}},
        {"expression": "sum((a + b) + a)", "leaves": {"a": drawn(3), "b": drawn(3)}, "data": {}},
    ],
    "unbroadcast": [
        pair((3,), (), "+"),
        pair((2, 3), (3,), "*"),
        pair((3, 1), (1, 4), "*"),
        pair((4, 1, 3), (2, 1), "*"),
        pair((), (2, 2), "*"),
        pair((2, 1), (2, 3), "+"),
        pair((1,), (4,), "+"),
        pair((1, 3), (2, 1, 1, 3), "*"),
    ],
    "matmul": [product(2, 3, 4), product(3, 3, 3), product(5, 2, 1)],
    "cross_entropy": [
        logits(drawn(4, 3), [2, 0, 1, 1], 1.0),
        logits(drawn(3, 2), [0, 1, 1], -2.5),
        logits([[1000.0, 990.0, -1000.0], [0.0, 1000.0, 3.0]], [1, 0], 0.5),
        logits([[1000.0, 990.0], [0.0, 3.0]], [1, 0], 2.0),
        logits([[3000.0, 0.0, 0.0]], [0], 1.0),  # of which not even the mean may be taken off
    ],
}


def record() -> dict[str, list[dict[str, Any]]]:
    """The cases, each with its value and the gradient of each leaf."""
    import torch

    functions = {
        "sum": torch.sum,
        "relu": torch.relu,
        "matmul": torch.matmul,
        "cross_entropy": torch.nn.functional.cross_entropy,
    }
    recorded: dict[str, list[dict[str, Any]]] = {}
    for step, cases in CASES.items():
        for case in cases:
            leaves = {k: torch.tensor(v, dtype=torch.double, requires_grad=True) for k, v in case["leaves"].items()}
            data = {k: torch.tensor(v, dtype=torch.double) for k, v in case["data"].items()}
            result = eval(case["expression"], {**functions, **leaves, **data})
            result.backward()
            grads = {name: leaf.grad.tolist() for name, leaf in leaves.items()}
            recorded.setdefault(step, []).append({**case, "value": result.item(), "grads": grads})
    return recorded


def main() -> None:
    lines = ["[" + ",\n ".join(map(json.dumps, cases)) + "]" for cases in record().values()]
    steps = ",\n".join(f'"{step}":\n{cases}' for step, cases in zip(CASES, lines, strict=True))
    FILE.write_text(f"{{\n{steps}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
