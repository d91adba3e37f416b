"""What a debugger meets: the rule itself, in files that exist, after few steps.

The README promises code that Python's own debugger can step through. So a breakpoint on a rule must be hit, a rule that
is patched must be what runs, and between a learner's line and the rule there is little to step over.
"""

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import minigrad
from minigrad.autograd import grad_mode
from minigrad.autograd.gradcheck import GradcheckError
from minigrad.functions import reduction
from minigrad.ops import activation, pointwise


class Steps:
    """The frames that a call enters, and the lines at which a debugger would stop, by `sys.settrace`."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.frames: list[str] = []
        self.lines: set[tuple[str, int]] = set()
        self.stops = 0
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            function()
        finally:
            sys.settrace(before)
        del self.frames[0]  # of `function` itself
        assert all(Path(file).is_file() for file, _ in self.lines)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.frames.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_name}")
        return self._line

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and len(self.frames) > 1:
            self.stops += 1
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def line_of(text: str, module: Any = pointwise) -> tuple[str, int]:
    """The place of a line of the rules."""
    lines = Path(module.__file__).read_text(encoding="utf-8").splitlines()
    return module.__file__, 1 + next(i for i, line in enumerate(lines) if line.strip() == text)


def leaves() -> tuple[Any, Any]:
    return minigrad.ones(2, 2, requires_grad=True), minigrad.full((2, 2), 3.0, requires_grad=True)


def test_a_breakpoint_on_the_derivative_of_mul_is_hit() -> None:
    a, b = leaves()
    (a * b).sum().backward()
    for _ in range(3):
        steps = Steps(lambda: (a * b).sum().backward())
        assert line_of("self=lambda grad, other: grad * other,") in steps.lines
        assert line_of("other=lambda grad, self: grad * self,") in steps.lines


def test_a_breakpoint_on_the_forward_of_mul_is_hit() -> None:
    a, b = leaves()
    file, docstring = line_of('"""c = a · b      ∂L/∂a = g · b      ∂L/∂b = g · a"""')
    for _ in range(3):
        assert (file, docstring + 1) in Steps(lambda: a * b).lines


@pytest.mark.parametrize("name", ["exp", "tanh", "relu", "sigmoid", "log", "abs"])
def test_a_breakpoint_on_any_elementary_function_is_hit(name: str) -> None:
    """Whether it is called as a function or as a method.

    The forward of a row may be numpy's own function, written in C: then the breakpoint is on the derivative beside it.
    """
    x, _ = leaves()
    function = getattr(minigrad, name)
    module = pointwise if hasattr(pointwise, name) else activation
    forward = getattr(module, name).forward
    lines = Path(module.__file__).read_text(encoding="utf-8").splitlines()
    for call in (lambda: function(x), lambda: getattr(x, name)()):
        call().sum().backward()
        steps = Steps(lambda call=call: call().sum().backward())
        if hasattr(forward, "__code__"):
            code = forward.__code__
            assert any(file == code.co_filename and line > code.co_firstlineno for file, line in steps.lines)
        else:
            row = next(i for i, line in enumerate(lines, start=1) if line.startswith(f"{name} = "))
            end = next(i for i in range(row, len(lines)) if not lines[i].startswith((" ", ")")))  # that of the next one
            assert any((module.__file__, line) in steps.lines for line in range(row, end + 1))


def test_a_patched_helper_of_a_derivative_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A teacher breaks a rule and lets gradcheck find it."""
    x = minigrad.tensor([0.5, 2.0], dtype=minigrad.float64, requires_grad=True)
    assert minigrad.autograd.gradcheck(lambda x: x**3, [x])
    monkeypatch.setattr(pointwise, "_pow_grad", lambda grad, self, exponent: grad * exponent)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        minigrad.autograd.gradcheck(lambda x: x**3, [x])
    monkeypatch.undo()
    assert minigrad.autograd.gradcheck(lambda x: x**3, [x])


def test_a_patched_helper_of_a_forward_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    x = minigrad.ones(2, 2)
    assert x.mean().item() == 1
    monkeypatch.setattr(reduction, "count", lambda shape, dim: 8)
    assert x.mean().item() == 0.5


def test_few_steps_lead_through_a_product_and_its_backward(request: pytest.FixtureRequest) -> None:
    kept = set(grad_mode.unusual)  # what other tests have used in this process
    grad_mode.unusual.clear()
    request.addfinalizer(lambda: grad_mode.unusual.update(kept))
    a, b = leaves()
    for _ in range(3):  # also with the graph of the last one alive
        product = a * b
        product.sum().backward(retain_graph=True)
    forward = Steps(lambda: a * b)
    assert len(forward.frames) <= 3, forward.frames
    assert forward.stops <= 40
    loss = (a * b).sum()
    backward = Steps(loss.backward)
    assert len(backward.frames) <= 20, backward.frames
    assert backward.stops <= 160, backward.stops
    assert product.requires_grad


def test_a_leaf_that_became_a_single_number_slows_nothing_else() -> None:
    a, b = leaves()
    a * b
    steps = len(Steps(lambda: a * b).frames)
    w, v = minigrad.ones(1, requires_grad=True), minigrad.ones(1, requires_grad=True)
    with minigrad.no_grad():
        w.squeeze_()
    v.data = minigrad.tensor(2.0)
    (w * 2 + v).backward()
    assert len(Steps(lambda: a * b).frames) == steps


def test_an_error_leads_from_the_learners_line_to_its_reason_in_files_that_exist() -> None:
    """A learner who looks at the whole traceback sees every line of it."""
    x = minigrad.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError) as caught:
        x + minigrad.ones(3)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert all(frame.line and Path(frame.filename).is_file() for frame in frames)
    assert len(frames) <= 3, frames
