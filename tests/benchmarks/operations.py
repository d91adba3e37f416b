"""What single operations take beside PyTorch, forward and backward, on small arrays and on large ones.

    python -m tests.benchmarks.operations              one line each, the slowest beside PyTorch first
    python -m tests.benchmarks.operations --smoke      do the results agree?

No targets: it shows which operation is worth a look, for numpy has functions that are slow in a corner that nobody
thinks of. The figures of one machine stand in operations.txt, beside this.
"""

from __future__ import annotations

# Before whatever computes:
from . import one_thread  # noqa: F401

# isort: split

import argparse
import statistics
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from . import report
from .contest import Row, Timed, compete
from .peers import load

#: What `x`, `y`, … are: the shape of an array that needs a gradient, or a list of integers.
SMALL = {
    "x": (4, 4),
    "y": (4, 4),
    "image": (1, 1, 8, 8),
    "kernel": (2, 1, 3, 3),
    "rows": [0, 2],
    "places": [[0], [1], [2], [3]],
    "classes": [0, 1, 2, 3],
}
LARGE = {
    "x": (64, 1000),
    "y": (64, 1000),
    "weight": (100, 1000),
    "bias": (100,),
    "image": (32, 8, 14, 14),
    "kernel": (16, 8, 3, 3),
    "scores": (64, 10),
    "queries": (8, 32, 64),
    "words": (1000, 64),
    "rows": [i * 7 % 64 for i in range(64)],
    "classes": [i % 10 for i in range(64)],
    "sentence": [i * 31 % 1000 for i in range(256)],
}

OF_SMALL = """
x + y; x - y; x * y; x / y; x ** 2; x ** 3; x ** 0.5; x ** y; -x; 2 * x; 1 - x; 1 / x; x + 1; x.abs(); x.exp(); x.log()
x.sqrt(); x.sin(); x.tanh(); x.sigmoid(); x.relu(); F.softplus(x); F.gelu(x); F.silu(x); F.leaky_relu(x); F.elu(x)
x.sum(); x.sum(0); x.sum(1, keepdim=True); x.mean(); x.mean(0); x.max(); x.max(0)[0]; x.min(); x.prod(); x.var()
x.std(); x.norm(); x.softmax(1); x.log_softmax(1); x.cumsum(0); x.mm(y); x @ y; x[0] @ y[0]
torch.einsum("ij,jk->ik", x, y); x.addmm(x, y); x.det(); x.inverse(); x.t(); x.view(16); x.transpose(0, 1)
x.permute(1, 0); x.unsqueeze(0); x.flatten(); x.expand(3, 4, 4); x[0]; x[0, 1]; x[1:3]; x[:, 1]; x[x > 0.5]; x[rows]
x.clone(); x.clamp(min=0); x.clamp(0, 1); x.where(x > 0.5, y); x.masked_fill(x > 0.5, 0); x.gather(1, places)
torch.cat([x, y]); torch.stack([x, y]); x.split(2)[0]; x.unbind()[0]; x.sort()[0]; x.topk(2)[0]; x.flip(0); x.tril()
torch.maximum(x, y); (x - y).pow(2).sum(); F.mse_loss(x, y); F.l1_loss(x, y)
F.cross_entropy(x, classes); F.nll_loss(x, classes); F.binary_cross_entropy_with_logits(x, y); F.linear(x, y, y[0])
F.layer_norm(x, (4,)); F.embedding(classes, x); F.conv2d(image, kernel); F.max_pool2d(image, 2); F.avg_pool2d(image, 2)
"""
OF_LARGE = """
x * y + x; x ** 3; x.pow(2).mean(); x.abs().sum(); x.exp(); x.tanh(); x.sigmoid(); x.relu(); F.gelu(x); F.silu(x)
F.softplus(x); F.leaky_relu(x); x.clamp(-1, 1); x.softmax(1); x.log_softmax(1); x.max(1)[0]; x.sort(stable=True)[0]
x.cumsum(1); x.std(0); x.var(); x.norm(); x.t().contiguous(); torch.cat([x, y], 1); x[:, ::2]; x[rows]; x[x > 0]
x.where(x > y, y); F.mse_loss(x, y); F.binary_cross_entropy_with_logits(x, y); F.linear(x, weight, bias)
F.cross_entropy(scores, classes); F.embedding(sentence, words); F.layer_norm(queries, (64,))
(queries @ queries.transpose(1, 2)).softmax(-1) @ queries; torch.einsum("bij,bkj->bik", queries, queries)
F.conv2d(image, kernel); F.max_pool2d(image, 2); F.avg_pool2d(image, 2)
F.batch_norm(image, None, None, kernel[:8, 0, 0, 0], None, True)
"""


def contestant(library: str, expression: str, inputs: dict[str, Any], _size: int) -> Timed:
    """Who computes `expression` and its gradients in a library that has PyTorch's names."""

    rng = np.random.default_rng(0)
    draw = rng.standard_normal if inputs is LARGE else partial(rng.uniform, 0.1, 0.9)
    drawn = {
        name: shape if isinstance(shape, list) else np.asarray(draw(size=shape), np.float32)
        for name, shape in inputs.items()
    }

    def prepare() -> Callable[[], Any]:
        torch, rng = load(library), np.random.default_rng(1)
        names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
        for name, numbers in drawn.items():
            names[name] = torch.tensor(numbers, requires_grad=not isinstance(numbers, list))
        leaves = [value for value in names.values() if getattr(value, "requires_grad", False)]
        compute = eval(f"lambda: {expression}", names)
        grad = torch.tensor(np.asarray(rng.standard_normal(compute().shape), np.float32))

        def step() -> Any:
            for leaf in leaves:
                leaf.grad = None
            result = compute()
            result.backward(grad)
            return [result, *(leaf.grad for leaf in leaves if leaf.grad is not None)]

        return step

    return Timed(prepare)


def row(expression: str, inputs: dict[str, Any]) -> Row:
    """The contest for one operation."""
    contestants = {
        "minigrad": partial(contestant, "minigrad", expression, inputs),
        "PyTorch": partial(contestant, "torch", expression, inputs),
    }
    return Row(expression, expression, expression, contestants, {}, size=0, smoke_size=0, rounds=15)


def expressions(text: str) -> list[str]:
    """One for each semicolon or line."""
    return [each.strip() for line in text.strip().splitlines() for each in line.split(";")]


def compared(title: str, text: str, inputs: dict[str, Any], smoke: bool) -> str:
    """The lines of one kind of array, the slowest beside PyTorch first."""
    lines = []
    for expression in expressions(text):
        outcome = compete(row(expression, inputs), smoke)
        if outcome.missing:
            raise SystemExit("\n".join(f"{name}: {reason}" for name, reason in outcome.missing.items()))
        takes = [report.quantity(statistics.median(outcome.samples[name]), "s") for name in ("minigrad", "PyTorch")]
        lines.append((statistics.median(outcome.ratios("PyTorch")), expression, *takes))
    middle = statistics.median(ratio for ratio, *_ in lines)
    faster = sum(ratio < 1 for ratio, *_ in lines)
    found = [f"{title}: {faster} of {len(lines)} faster than PyTorch, the median ratio is {middle:.2f}", ""]
    found += [
        f"{ratio:6.2f}  {what:<66} {ours:>8} {theirs:>8}" for ratio, what, ours, theirs in sorted(lines, reverse=True)
    ]
    return "\n".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.operations", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="once each: do the results agree?")
    smoke = parser.parse_args().smoke
    sys.stdout.reconfigure(encoding="utf-8")
    print(compared("Small arrays, such as 4×4", OF_SMALL, SMALL, smoke), "\n")
    print(compared("Large arrays, such as 64×1000", OF_LARGE, LARGE, smoke), "\n")
    print(report.measured_with())


if __name__ == "__main__":
    main()
