"""The one table of what users may write: what follows from a row, and that no row loses a gradient in silence."""

import re
import warnings

import pytest

import minigrad as torch
from minigrad.table import TABLE
from tests.batches import batches, each
from tests.core.test_against_torch import expressions, inputs


def test_what_is_offered_is_the_table() -> None:
    for name, row in TABLE.items():
        assert hasattr(torch, name) or not row.as_function, name
        assert hasattr(torch.Tensor, name) or not row.as_method, name
        assert hasattr(torch.Tensor, f"{name}_") or row.twin is None, name


#: What gives floats of which PyTorch, too, says that they depend on nothing: no gradient flows back.
NOT_DIFFERENTIABLE = {
    "rand_like", "randn_like", "zeros_like", "ones_like", "empty_like", "full_like", "detach",
    "normal", "new_zeros", "new_empty", "new_ones", "new_full",
    "new_tensor", "data",
}  # fmt: skip


#: Rows that no expression of expressions.txt tries, and some that do.
OTHERS = [
    "torch.less(a, b)",
    "a.split_with_sizes((1, 2), 1)",
    "torch.negative(a)",
    "(a * 1).fill_(s)",
    "(a * 1).zero_()",
]


def test_every_row_is_tried() -> None:
    tried = " ".join([*OTHERS, *(p.values[0] for p in expressions())])
    untried = {name for name in TABLE if not re.search(rf"\b{name}\b", tried)}
    # sizes, devices, an address, numpy's array, and what makes memory as it is found
    assert untried <= {"cuda", "data_ptr", "numpy", "new", "untyped_storage"}


#: What takes out of the graph on purpose.
SILENT = ("detach", "no_grad", ".data", "grad", "item", "tolist", "numpy", "new_", "_like", "requires", "inference")
LOUD = [
    pytest.param(expression, id=expression)
    for expression in OTHERS + [p.values[0] for p in expressions() if p.values[1] == "float32"]
    if not any(word in expression for word in (*SILENT, *NOT_DIFFERENTIABLE))
]


@pytest.mark.parametrize("batch", batches(LOUD))
def test_no_function_loses_the_gradient_in_silence(batch) -> None:
    """Whatever an expression of tensors that need a gradient gives: floats that lead back to them, or an error."""
    each(batch, loses_nothing)


def loses_nothing(expression: str) -> None:
    known = inputs(torch, "float32")
    used = [name for name in known if name in compile(expression, "expression", "eval").co_names]
    reference = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = []
        for library in (torch, reference):
            try:
                found.append(_tracked(library, eval(expression, {"torch": library, **inputs(library, "float32")})))
            except Exception:
                return
    assert found[0] == found[1], f"{used}: which of the results need a gradient"


def _tracked(library, value):
    if isinstance(value, library.Tensor):
        return value.requires_grad
    return [_tracked(library, each) for each in value] if isinstance(value, tuple | list) else None


@pytest.mark.parametrize(
    "call",
    [
        "torch.zeros([1] * 65)", "torch.rand([1] * 65)", "x.view([1] * 65)", "x.reshape([1] * 65)", "x[None]",
        "x.unsqueeze(0)", "x.expand([1] * 65)", "torch.stack([x, x])", "torch.ones(1).repeat([1] * 65)",
        "x[torch.zeros(1, 1, dtype=torch.int64)]", "x[:, [[0]]]", "x.__setitem__([[0]], 1)", "x[[0], [[[0]]]]",
    ],
)  # fmt: skip
def test_more_dimensions_than_numpy_has_are_refused_in_words(call: str) -> None:
    with pytest.raises(NotImplementedError, match="at most 64 dimensions, .*not 65"):
        eval(call, {"torch": torch, "x": torch.ones([1] * 64)})
