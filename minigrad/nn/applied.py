# ruff: noqa: D101 (the docstring of each is that of its function)
"""Functions of `functional` as modules: nothing but the function and the options that it is called with.

`nn.ELU(0.5)` has the attributes `alpha` and `inplace`, what `functional.elu` takes beside its tensors, and its
`forward(input)` is `functional.elu(input, alpha=0.5)`. So a module of this kind is a row of `_MODULES`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter as Option
from inspect import signature
from typing import Any, ClassVar

from ..autograd.variable import TensorBase
from ..hints import hinted
from ..options import made_with
from . import functional
from .module import Module


class Applied(Module):
    """`class Dropout(Applied, of=functional.dropout)` is a module that applies a function."""

    function: ClassVar[Callable[..., Any]]
    _options: ClassVar[dict[str, Any]]  # with their defaults

    def __init_subclass__(cls, of: Callable[..., Any] | None = None) -> None:
        if of is None:  # what several have in common, or a class of the user's
            return
        taken = signature(of).parameters
        options = [p for p in taken.values() if not _is_input(p) and p.name not in ("dtype", "training")]
        cls.function, cls.__doc__ = staticmethod(of), of.__doc__
        cls._options = {p.name: p.default for p in options}
        cls.__init__ = made_with(options)  # type: ignore[method-assign]

    def _set(self, **options: Any) -> None:
        Module.__init__(self)
        for name, value in options.items():
            if name in ("weight", "pos_weight"):
                self.register_buffer(name, value)  # it goes where the module goes
            else:
                setattr(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        """What is left to do when the options are set."""

    def _unfit(self, args: tuple[Any, ...], error: Exception) -> Exception:
        """The error for options that are none. PyTorch takes tensors for flags, and asks whether they are true."""
        if not any(isinstance(arg, TensorBase) for arg in args):
            return error
        error = RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if not self._options:
            given = len(args) + 1
            error = TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {given} were given")
        return hinted(error, "[not made yet]", name=type(self).__name__)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """The function of the inputs, with the options of this module."""
        for name, usual in self._options.items():
            value = getattr(self, name)
            if value is not usual:
                named[name] = value
        return self.function(*inputs, **named)

    def extra_repr(self) -> str:
        """The options; `inplace` only if it is so."""
        shown = [f"{name}={getattr(self, name)!r}" for name in self._options if name != "inplace"]
        return ", ".join([*shown, "inplace=True"] if getattr(self, "inplace", False) else shown)


def _is_input(parameter: Option) -> bool:
    return str(parameter.annotation).startswith("Tensor") and parameter.default is Option.empty


class Loss(Applied):
    """What all losses have in common: printed, they show no options."""

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class _Pool(Applied):
    _shown = ("kernel_size", "stride", "padding")

    def __post_init__(self) -> None:
        """Windows stand side by side if no stride is given."""
        if self.stride is None:
            self.stride = self.kernel_size

    def extra_repr(self) -> str:
        """Some of the options."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)


class MaxPool2d(_Pool, of=functional.max_pool2d):
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


class _Dropout(Applied):
    def __post_init__(self) -> None:
        """Raise ValueError for what is no probability."""
        if not 0 <= self.p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return self.function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return f"p={self.p}, inplace={self.inplace}"


def _flatten(input: TensorBase, start_dim: int = 1, end_dim: int = -1) -> Any:
    """(N, …) to (N, product of …)."""
    return input.flatten(start_dim, end_dim)


def _unflatten(input: TensorBase, dim: int, unflattened_size: Any) -> Any:
    """(…, product of sizes, …) to (…, *sizes, …)."""
    return input.unflatten(dim, unflattened_size)


class Flatten(Applied, of=_flatten): ...


class Unflatten(Applied, of=_unflatten): ...


#: The other modules, by what they are, with the functions that they apply.
_MODULES: dict[type[Applied], dict[str, str]] = {
    Applied: {
        "AdaptiveAvgPool2d": "adaptive_avg_pool2d", "ELU": "elu", "GELU": "gelu", "Hardtanh": "hardtanh",
        "LeakyReLU": "leaky_relu", "LogSoftmax": "log_softmax", "ReLU": "relu", "SELU": "selu", "SiLU": "silu",
        "Sigmoid": "sigmoid", "Softmax": "softmax", "Softplus": "softplus", "Tanh": "tanh",
    },
    Loss: {
        "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
        "CrossEntropyLoss": "cross_entropy", "L1Loss": "l1_loss", "MSELoss": "mse_loss", "NLLLoss": "nll_loss",
    },
    _Pool: {"AvgPool2d": "avg_pool2d"},
    _Dropout: {"Dropout": "dropout", "Dropout2d": "dropout2d"},
}  # fmt: skip

__all__ = ["Flatten", "MaxPool2d", "Unflatten"]
for _base, _rows in _MODULES.items():
    for _name, _function in _rows.items():
        globals()[_name] = type(_name, (_base,), {"__module__": __name__}, of=getattr(functional, _function))
        __all__ += [_name]
