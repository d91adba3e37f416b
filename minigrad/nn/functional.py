# ruff: noqa: F403 (each file says in `__all__` what is for users)
"""`minigrad.nn.functional`: layers and activations as functions, with PyTorch's arguments and errors.

Losses stand in `criteria.py`, convolutions in `windows.py`; the formulas in `ops/activation.py` and `ops/layer.py`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import functions
from ..autograd.variable import TensorBase as Tensor
from ..autograd.variable import make_tensor
from ..creation import empty_like
from ..devices import refuse, to_host
from ..functions import indexing
from ..functions.calling import called
from ..functions.drawing import draws_for
from ..functions.products import addmm
from ..functions.shape import t
from ..hints import hinted, names_the_nearest
from ..memory import arange
from ..ops import activation, layer, pointwise, shape
from ..ops.errors import check_dim, require_castable, require_constants, require_kind, type_letter
from ..ops.inplace import inplace as inplace_twin
from . import criteria, windows
from .criteria import *
from .windows import *

__all__ = [
    "batch_norm", "dropout", "dropout2d", "elu", "embedding", "gelu", "hardtanh", "layer_norm", "leaky_relu", "linear",
    "log_softmax", "normalize", "one_hot", "relu", "selu", "sigmoid", "silu", "softmax",
    "softplus", "tanh",
]  # fmt: skip
__all__ += criteria.__all__
__all__ += windows.__all__

__getattr__, __dir__ = names_the_nearest(__name__, __all__)

# ---------------------------------------------------------------------------------------------------------------------
# Layers


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """input · weightᵀ + bias, with input (…, in), weight (out, in), bias (out)."""
    ndim, transposed = len(input._value.shape), t(weight)
    if not ndim or not weight._value.shape:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {ndim}D and {weight.ndim}D")
    if bias is None:
        return functions.matmul(input, transposed)
    if ndim == 2:
        return addmm(bias, input, transposed)
    if len(weight._value.shape) == 1 or not input._value.flags.c_contiguous:
        return functions.matmul(input, transposed) + bias
    *batch, features = input._value.shape
    rows = functions.view(input, (math.prod(batch), features))
    sizes = (*batch, weight._value.shape[0])
    return functions.view(addmm(bias, rows, transposed), sizes)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """While training, each element becomes 0 with probability p, and the others are divided by 1 - p."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or input._value.size == 0:
        return input
    kind = input._value.dtype
    if kind.kind != "f" and p < 1:
        require_castable(np.dtype(np.float32), input._value)
    if p == 1:
        noise = kind.type(0)
    else:
        draws = draws_for(empty_like(input)._value, "uniform", np.dtype(np.float64))
        noise = (draws < 1 - p).astype(kind) / kind.type(1 - p)
    return _applied(pointwise.mul, inplace, input, make_tensor(noise))


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """While training, each channel of (N, C, …) becomes 0 with probability p, and the others are divided by 1 - p."""
    if not training or p == 0:
        return input
    size = input._value.shape
    channels = input.new_ones(size[:2] + (1,) * len(size[2:]))
    return _applied(pointwise.mul, inplace, input, dropout(channels, p))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Any:
    """For each class number a row of zeros with a 1 at that class."""
    classes = tensor._value
    if classes.dtype != np.int64:
        raise hinted(RuntimeError("one_hot is only applicable to index tensor of type LongTensor."))
    if classes.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    refuse(classes < 0, lambda: RuntimeError("Class values must be non-negative."))
    if num_classes == -1:
        num_classes = int(to_host(classes.max())) + 1
    refuse(classes >= num_classes, lambda: RuntimeError("Class values must be smaller than num_classes."))
    return make_tensor((classes[..., None] == arange(num_classes, classes)).astype(np.int64, order="C"))


def embedding(input: Tensor, weight: Tensor) -> Any:
    """The rows of `weight` that the numbers in `input` name."""
    if weight._value.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    kind = input._value.dtype
    if kind not in (np.int64, np.int32):
        said = (
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{type_letter(input._value)}Tensor instead (while checking arguments for embedding)"
        )
        raise hinted(RuntimeError(said))
    indexing.check_rows(input._value, weight._value.shape[0])
    return indexing.embedding(weight, input)


def _check_mixed(input: Any, weight: Any) -> None:
    """Raise PyTorch's error for a norm with weights in another type than its input, unless that is of half floats."""
    if weight is None or weight._value.dtype == input._value.dtype:
        return
    kind = weight._value.dtype
    if kind != np.float32:
        error = RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    elif input._value.dtype != np.float16:
        error = RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    else:
        return
    raise hinted(error)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Any:
    """(a - mean) / √(var + eps) over the last dimensions, of size `normalized_shape`; times weight, plus bias."""
    size, wanted = tuple(input._value.shape), tuple(normalized_shape)
    _check_mixed(input, weight)
    if not wanted or size[len(size) - len(wanted) :] != wanted:
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape [*, {', '.join(map(str, wanted))}], but "
            f"got input of size{list(size)}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each._value.shape != wanted:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(each._value.shape)} and normalized_shape = {list(wanted)}"
            )
    return layer.layer_norm(input, wanted, weight, bias, eps)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """(a - mean) / √(var + eps) of each channel (dimension 1), times weight, plus bias.

    While training, mean and variance are those of the batch, and the running ones move towards them by `momentum`.
    """
    size = tuple(input._value.shape)
    if len(size) < 2:
        check_dim(1, len(size))
    for name, each in (
        ("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)
    ):  # fmt: skip
        if each is not None and each._value.size != size[1]:
            raise RuntimeError(f"{name} should contain {size[1]} elements not {each._value.size}")
    for name, each in (("running_mean", running_mean), ("running_var", running_var)):
        if each is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    count = input._value.size // size[1] if size[1] else 0
    if training and count == 1:
        raise hinted(ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}"))
    require_kind(input._value, "f", "batch_norm")
    _check_mixed(input, weight)
    if training and running_mean is not None and count:
        dims = tuple(d for d in range(len(size)) if d != 1)
        batch = input.detach()
        for running, now in ((running_mean, batch.mean(dims)), (running_var, batch.var(dims))):
            # Not counted as a write, in PyTorch either: the module may be used again before backward.
            running.data.copy_(running * (1 - momentum) + now * momentum)
    require_constants("native_batch_norm", running_mean=running_mean, running_var=running_var)
    return layer.batch_norm(input, weight, bias, running_mean, running_var, training, eps)


def normalize(input: Tensor, p: float = 2.0, dim: int | Sequence[int] = 1, eps: float = 1e-12) -> Any:
    """input / max(its norm along `dim`, eps)."""
    length = functions.clamp_min(functions.norm(input, p, dim, keepdim=True), eps)
    return pointwise.div(input, shape.expand(length, input._value.shape))


# ---------------------------------------------------------------------------------------------------------------------
# Activations


def _applied(operation: Any, in_place: bool, *args: Any) -> Any:
    """`operation`, perhaps in place."""
    return inplace_twin(operation)(*args) if in_place else operation(*args)


def relu(input: Tensor, inplace: bool = False) -> Any:
    """max(a, 0)."""
    return _applied(functions.relu, inplace, input)


def silu(input: Tensor, inplace: bool = False) -> Any:
    """a · σ(a), with σ the sigmoid."""
    return _applied(activation.silu, inplace, input)


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Any:
    """exp(aᵢ) / Σⱼ exp(aⱼ) along `dim`."""
    return functions.softmax(input, _chosen_dim("softmax", input, dim), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Any:
    """ln softmax, without overflow."""
    return functions.log_softmax(input, _chosen_dim("log_softmax", input, dim), dtype=dtype)


def _chosen_dim(name: str, input: Any, dim: int | None) -> int:
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=4,
    )
    return 0 if len(input._value.shape) in (0, 1, 3) else 1


def gelu(input: Tensor, approximate: str = "none") -> Any:
    """a · Φ(a), with Φ the normal distribution function, or its approximation by "tanh"."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return activation.gelu(input, approximate)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """ln(1 + exp(beta · a)) / beta; a itself where beta · a is above the threshold."""
    return activation.softplus(input, beta, threshold)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """a where a > 0, else negative_slope · a."""
    return _applied(activation.leaky_relu, inplace, input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    """a where a > 0, else alpha · (eᵃ - 1)."""
    return _applied(activation.elu, inplace, input, alpha, 1.0, 1.0)


def selu(input: Tensor, inplace: bool = False) -> Any:
    """s · a where a > 0, else s · α · (eᵃ - 1), with s ≈ 1.0507 and α ≈ 1.6733: keeps mean 0 and variance 1."""
    return _applied(activation.elu, inplace, input, 1.6732632423543772, 1.0507009873554805, 1.0)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """a, but at least min_val and at most max_val."""
    if input._value.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _applied(activation.hardtanh, inplace, input, min_val, max_val)


sigmoid = functions.FUNCTIONS["sigmoid"]
tanh = functions.FUNCTIONS["tanh"]

#: Of these PyTorch's are written in C++, and say so to wrong arguments; the others in Python.
_BUILT_IN = {"avg_pool2d", "conv2d", "gelu", "linear", "one_hot", "softplus"}
for _name in __all__:
    if _name not in ("sigmoid", "tanh"):  # they are what users call already
        globals()[_name] = called(globals()[_name], _name if _name in _BUILT_IN else f"nn.{_name}")
    globals()[_name].__module__ = __name__  # some are written elsewhere; here is where users find them
