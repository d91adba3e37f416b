"""The usual case of each operation, whose text minigrad writes, does what the general way does.

Every expression of expressions.txt is evaluated and differentiated in both ways, and a third time with formulas that
record themselves (create_graph=True), which test_against_torch.py compares with PyTorch.
"""

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad
from minigrad.autograd import grad_mode
from minigrad.autograd.node import NodeKind
from minigrad.ops import linalg, pointwise, reduction
from minigrad.ops.usual import Usual, written_later
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
            minigrad.autograd.backward(tracked, directions)
            seen["a third time"] = [None if t.grad is None else t.grad.detach().numpy() for t in leaves.values()]
    except Exception as error:
        seen["error"] = type(error), str(error)
    return seen


def generally(function: Callable[[], Any]) -> Any:
    """What `function()` gives where every operation goes the general way."""
    grad_mode.be_special(1)
    try:
        return function()
    finally:
        grad_mode.be_special(-1)


def plain(seen: Any) -> Any:
    """The same with arrays as bytes, so that nan is equal to nan."""
    if isinstance(seen, dict):
        return {key: plain(value) for key, value in seen.items()}
    if isinstance(seen, list):
        return [plain(value) for value in seen]
    return (seen.dtype, seen.shape, seen.tobytes()) if isinstance(seen, np.ndarray) else seen


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("expression", "kind"), FLOATS)
def test_the_usual_case_is_the_general_way_made_short(expression: str, kind: str) -> None:
    usual = lived(expression, kind)
    assert plain(usual) == plain(generally(lambda: lived(expression, kind)))

    recorded = lived(expression, kind, create_graph=True)
    assert recorded.get("graph") == usual.get("graph")
    for raw, tensor in zip(usual.get("grads", ()), recorded.get("grads", ()), strict=True):
        if raw is None:
            assert tensor is None
        else:
            assert (raw.shape, raw.dtype) == (tensor.shape, tensor.dtype)
            scale = 10 * KINDS[kind]  # relative to the numbers that are added up, which are about 1
            np.testing.assert_allclose(raw, tensor, rtol=scale, atol=scale)


def refuse(*args: Any) -> None:
    raise AssertionError(f"the general way is slower, and was taken for {args}")


def test_ordinary_arguments_are_the_usual_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training is fast for a tensor, a parameter and a number, and stays so after inference_mode and anomaly mode."""
    w, x = minigrad.nn.Parameter(minigrad.ones(2, 2)), minigrad.ones(2, 2)
    with minigrad.inference_mode(), minigrad.autograd.set_detect_anomaly(True):
        w * x
    (w * x * 2).tanh().mm(w).pow(2).sum().backward()  # each text is written by now
    for operation in (pointwise.mul, minigrad.tanh, linalg.mm, pointwise.pow_number, reduction.sum_all):
        monkeypatch.setitem(operation.__globals__, "general", refuse)
        monkeypatch.setitem(operation.__globals__, "general_apply", refuse)
    (w * x * 2).tanh().mm(w).pow(2).sum().backward()
    with pytest.raises(AssertionError, match="the general way"):
        w * minigrad.ones(2, 2, dtype=minigrad.float64)


def test_two_threads_call_an_operation_for_the_first_time() -> None:
    """Both write its text; neither may take the other's for the general way, which would then call itself for ever."""
    kind = NodeKind("TwiceBackward0", lambda node, grads, create_graph: ("general",))
    usual = Usual(lambda x: None, lambda self: self * 2, kind, {"self": lambda grad: grad * 2}, {})
    twice = written_later(usual.forward, lambda forward: usual)
    x = minigrad.ones(2, requires_grad=True)
    y = twice(x)
    twice.usual().write(twice)
    assert twice(x).tolist() == [2.0, 2.0]
    assert kind.apply(y.grad_fn, [1.0], True) == ("general",)
    assert kind.apply(y.grad_fn, [1.0], False) == (2.0,)


def test_the_text_can_be_read() -> None:
    text = pointwise.mul.usual().text()
    assert text.startswith("def operation(input, other):\n")
    assert "\n    grad_other = None if edge_other is NO_EDGE else grads[0] * self_\n" in text
    assert "    \n" not in text


def test_an_error_inside_the_usual_case_shows_its_line() -> None:
    """A learner who looks at the whole traceback sees the written lines, not gaps."""
    x = minigrad.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError) as caught:
        x + minigrad.ones(3)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert all(frame.line for frame in frames)
    assert any("return general(input, other)" in frame.line for frame in frames)
