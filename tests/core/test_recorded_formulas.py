"""A formula means the same on arrays, in an ordinary backward, and on tensors, where it records itself.

Every expression of expressions.txt is differentiated in both ways; test_against_torch.py compares with PyTorch.
"""

from typing import Any

import numpy as np
import pytest

import minigrad
from tests.batches import batches, each
from tests.core import parity
from tests.core.test_against_torch import KINDS, expressions, inputs

FLOATS = [parameter for parameter in expressions() if parameter.values[1] in ("float32", "float64")]


def lived(expression: str, kind: str, create_graph: bool = False) -> dict[str, Any]:
    """What comes of an expression: its results, the graph, the gradients of its leaves; or the error."""
    made = inputs(minigrad, kind)
    leaves = {name: leaf for name, leaf in made.items() if leaf.requires_grad}
    seen: dict[str, Any] = {}
    try:
        value = eval(expression, {"torch": minigrad, "math": parity.math, **made})
        outputs = [v for v in (value if isinstance(value, tuple | list) else [value]) if isinstance(v, minigrad.Tensor)]
        seen["results"] = [output.detach().numpy() for output in outputs]
        tracked = [output for output in outputs if output.requires_grad]
        seen["graph"] = parity.graph([output.grad_fn for output in tracked], {id(t): n for n, t in leaves.items()})
        if tracked:
            directions = [parity.direction(minigrad, output) for output in tracked]
            for again in (True, False):  # the second time what was saved is freed
                minigrad.autograd.backward(tracked, directions, retain_graph=again, create_graph=create_graph)
            seen["grads"] = [None if t.grad is None else t.grad.detach().numpy() for t in leaves.values()]
    except Exception as error:
        seen["error"] = type(error), str(error)
    return seen


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", batches(FLOATS))
def test_a_formula_gives_the_same_gradients_raw_and_recorded(batch: list[Any]) -> None:
    each(batch, same_raw_and_recorded)


def same_raw_and_recorded(expression: str, kind: str) -> None:
    plain = lived(expression, kind)
    recorded = lived(expression, kind, create_graph=True)
    assert recorded.get("graph") == plain.get("graph")
    for raw, tensor in zip(plain.get("grads", ()), recorded.get("grads", ()), strict=True):
        if raw is None:
            assert tensor is None
        else:
            assert (raw.shape, raw.dtype) == (tensor.shape, tensor.dtype)
            scale = 10 * KINDS[kind]  # relative to the numbers that are added up, which are about 1
            np.testing.assert_allclose(raw, tensor, rtol=scale, atol=scale)
