"""The activations of `functional` as modules."""

from __future__ import annotations

from typing import Any

from .. import creation
from . import functional
from .module import Module, own_copies
from .parameter import Parameter


class _Activation(Module):
    """A function of `functional` with its options, which are attributes, as PyTorch's."""

    function: Any

    _options: tuple[str, ...] = ()

    def _take(self, **options: Any) -> None:
        """Remember the options of a call."""
        self._options = tuple(options)
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return type(self).function(input, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self) -> str:
        """The options."""
        options = [(name, getattr(self, name)) for name in self._options if name != "inplace"]
        in_place = ["inplace=True"] if getattr(self, "inplace", False) else []
        return ", ".join([*(f"{name}={value!r}" for name, value in options), *in_place])


class Sigmoid(_Activation):
    """1 / (1 + e⁻ᵃ)."""

    function = staticmethod(functional.sigmoid)


class Tanh(_Activation):
    """tanh a."""

    function = staticmethod(functional.tanh)


class LogSigmoid(_Activation):
    """ln σ(a)."""

    function = staticmethod(functional.logsigmoid)


class Softsign(_Activation):
    """a / (1 + |a|)."""

    function = staticmethod(functional.softsign)


class Tanhshrink(_Activation):
    """a - tanh a."""

    function = staticmethod(functional.tanhshrink)


class ReLU(_Activation):
    """max(a, 0)."""

    function = staticmethod(functional.relu)

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._take(inplace=inplace)


class SiLU(_Activation):
    """a · σ(a)."""

    function = staticmethod(functional.silu)

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._take(inplace=inplace)


class SELU(_Activation):
    """s · a where a > 0, else s · α · (eᵃ - 1)."""

    function = staticmethod(functional.selu)

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._take(inplace=inplace)


class Mish(_Activation):
    """a · tanh(ln(1 + eᵃ))."""

    function = staticmethod(functional.mish)

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._take(inplace=inplace)


class Hardsigmoid(_Activation):
    """(a + 3) / 6, within 0 and 1."""

    function = staticmethod(functional.hardsigmoid)

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._take(inplace=inplace)


class Hardswish(_Activation):
    """a · hardsigmoid(a)."""

    function = staticmethod(functional.hardswish)

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._take(inplace=inplace)


class ELU(_Activation):
    """a where a > 0, else alpha · (eᵃ - 1)."""

    function = staticmethod(functional.elu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        super().__init__()
        self._take(alpha=alpha, inplace=inplace)


class CELU(_Activation):
    """a where a > 0, else alpha · (exp(a / alpha) - 1)."""

    function = staticmethod(functional.celu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        super().__init__()
        self._take(alpha=alpha, inplace=inplace)


class LeakyReLU(_Activation):
    """a where a > 0, else negative_slope · a."""

    function = staticmethod(functional.leaky_relu)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False):
        super().__init__()
        self._take(negative_slope=negative_slope, inplace=inplace)


class Hardtanh(_Activation):
    """a, within min_val and max_val."""

    function = staticmethod(functional.hardtanh)

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False):
        super().__init__()
        self._take(min_val=min_val, max_val=max_val, inplace=inplace)
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")


class Threshold(_Activation):
    """a where it is above the threshold, else value."""

    function = staticmethod(functional.threshold)

    def __init__(self, threshold: float, value: float, inplace: bool = False):
        super().__init__()
        self._take(threshold=threshold, value=value, inplace=inplace)


class Softplus(_Activation):
    """ln(1 + exp(beta · a)) / beta."""

    function = staticmethod(functional.softplus)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        super().__init__()
        self._take(beta=beta, threshold=threshold)


class GELU(_Activation):
    """a · Φ(a), with Φ the normal distribution function."""

    function = staticmethod(functional.gelu)

    def __init__(self, approximate: str = "none"):
        super().__init__()
        self._take(approximate=approximate)


class GLU(_Activation):
    """The first half along a dimension, times the sigmoid of the second."""

    function = staticmethod(functional.glu)

    def __init__(self, dim: int = -1):
        super().__init__()
        self._take(dim=dim)


class Softmax(_Activation):
    """exp(aᵢ) / Σⱼ exp(aⱼ) along a dimension."""

    function = staticmethod(functional.softmax)

    def __init__(self, dim: int | None = None):
        super().__init__()
        self._take(dim=dim)


class LogSoftmax(_Activation):
    """ln softmax along a dimension."""

    function = staticmethod(functional.log_softmax)

    def __init__(self, dim: int | None = None):
        super().__init__()
        self._take(dim=dim)


class Softmin(_Activation):
    """softmax(-a) along a dimension."""

    function = staticmethod(functional.softmin)

    def __init__(self, dim: int | None = None):
        super().__init__()
        self._take(dim=dim)


class ReLU6(Hardtanh):
    """a, within 0 and 6."""

    def __init__(self, inplace: bool = False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Nothing, unless it works in place."""
        return "inplace=True" if self.inplace else ""


class _Shrink(_Activation):
    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self._take(lambd=lambd)

    def extra_repr(self) -> str:
        """The width."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """a where |a| > lambd, else 0."""

    function = staticmethod(functional.hardshrink)


class Softshrink(_Shrink):
    """a brought nearer to 0 by lambd."""

    function = staticmethod(functional.softshrink)


class PReLU(Module):
    """a where a > 0, else weight · a; the weight is learned, one or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(creation.empty(num_parameters, device=device, dtype=dtype).fill_(init))

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many weights."""
        return f"num_parameters={self.num_parameters}"


own_copies(_Activation.__subclasses__(), "__init__", "forward")
own_copies(_Shrink.__subclasses__(), "__init__", "forward", "extra_repr")
