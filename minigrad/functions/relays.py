# ruff: noqa: D103 (the names are PyTorch's)
"""What PyTorch's functions that are written in Python do with their arguments before C++ looks at them.

Each stands here as far as it can go wrong with arguments of the wrong kind: what it asks of them, and which function
of C++ (`C.…`, in `signatures.txt`) it hands them to. Loaded when a call has failed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..autograd.variable import TensorBase


def parse(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise what PyTorch's parser says to these arguments; nothing if they fit."""
    from .signatures import unparsed

    wrong = unparsed(name, args, options)
    if wrong is not None:
        raise wrong


class _Parser:
    """`C.elu(input, alpha)` parses the arguments of a function of C++."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **options: parse(f"C.{name}", args, options)


C = _Parser()


def relay_of(name: str) -> Any:
    """The function of this file (or of `nn/relays.py`) that stands for PyTorch's; None if there is none."""
    if name.startswith("nn."):
        from ..nn import relays

        return vars(relays).get(name[3:])
    return vars(Tensor).get(name[1:]) if name.startswith(".") else globals().get(name) if name in _HERE else None


def einsum(*args: Any) -> None:
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    equation, *operands = args
    if isinstance(equation, TensorBase):  # operands, each with the numbers of its indices
        for subscripts in args[1::2]:
            for number in subscripts:
                if number is not ... and not 0 <= number < 52:
                    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    elif len(operands) == 1 and isinstance(operands[0], tuple | list):
        einsum(equation, *operands[0])
    else:
        C.einsum(equation, tuple(operands))


def block_diag(*tensors: Any) -> None:
    C.block_diag(tensors)


def broadcast_tensors(*tensors: Any) -> None:
    C.broadcast_tensors(tensors)


def cartesian_prod(*tensors: Any) -> None:
    C.cartesian_prod(tensors)


def meshgrid(*tensors: Any, indexing: Any = None) -> None:
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    C.meshgrid(tensors, **({} if indexing is None else {"indexing": indexing}))


def atleast_1d(*tensors: Any) -> None:
    _atleast(C.atleast_1d, tensors)


def atleast_2d(*tensors: Any) -> None:
    _atleast(C.atleast_2d, tensors)


def atleast_3d(*tensors: Any) -> None:
    _atleast(C.atleast_3d, tensors)


def _atleast(parse: Any, tensors: tuple[Any, ...]) -> None:
    given = tensors[0] if len(tensors) == 1 else tensors
    if isinstance(given, tuple | list):
        C.broadcast_tensors(given)  # of a list PyTorch says which element is none
    parse(given)


def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = "use_mm_for_euclid_dist_if_necessary") -> None:
    C.cdist(x1, x2, p, None)


def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> None:
    if not isinstance(dims, tuple | list | TensorBase | int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        pair: Any = (list(range(-dims, 0)), list(range(dims)))
    elif isinstance(dims, TensorBase):
        if dims.numel() > 1 and dims.size()[0] != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {dims.size()[0]}")
        count = 0 if dims.numel() > 1 else int(dims.item())
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        pair = dims.tolist() if dims.numel() > 1 else (list(range(-count, 0)), list(range(count)))
    else:
        first, second = dims
        pair = (first, second)
    C.tensordot(a, b, *pair)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None) -> None:
    if not isinstance(input, TensorBase):
        input.layout  # noqa: B018  (an AttributeError)
    dims = [dim] if isinstance(dim, int) else dim
    if isinstance(p, str):
        if p == "fro" and (dims is None or len(dims) <= 2):
            C.linalg_vector_norm(input, 2, dims, keepdim, dtype=dtype)
        else:
            dims = list(range(input.ndim)) if dims is None else dims
            C.linalg_matrix_norm(input, p, dims, keepdim, dtype=dtype)
    else:
        C.linalg_vector_norm(input, 2.0 if p is None else p, dims, keepdim, dtype=dtype)


def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> None:
    tensor.split(split_size_or_sections, dim)


def unique(
    input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> None:
    if dim is None:
        C._unique2(input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    else:
        C.unique_dim(input, dim, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)


def unique_consecutive(input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> None:
    C.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)


_HERE = (
    "einsum", "block_diag", "broadcast_tensors", "cartesian_prod", "meshgrid", "atleast_1d", "atleast_2d",
    "atleast_3d", "cdist", "tensordot", "norm", "split", "unique", "unique_consecutive",
)  # fmt: skip


class Tensor:
    """Methods."""

    def norm(self, p: Any = "fro", dim: Any = None, keepdim: Any = False, dtype: Any = None) -> None:
        norm(self, p, dim, keepdim, dtype=dtype)

    def split(self, split_size: Any, dim: Any = 0) -> None:
        if isinstance(split_size, TensorBase):
            with suppress(ValueError):
                split_size = int(split_size)  # type: ignore[call-overload]
        (C.split if isinstance(split_size, int) else C.split_with_sizes)(self, split_size, dim)

    def unflatten(self, dim: Any, sizes: Any) -> None:
        if not sizes:
            raise RuntimeError("unflatten: sizes must be non-empty")
        parse(".unflatten", (self, dim, sizes), {})

    def unique(
        self, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
    ) -> None:
        unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(self, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> None:
        unique_consecutive(self, return_inverse, return_counts, dim)
