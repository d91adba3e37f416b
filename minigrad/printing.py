"""Tensors as text, exactly as PyTorch prints them.

One format holds for all elements of a tensor: plain integers if all are whole, otherwise four digits, and scientific
notation if the elements are too far apart. Tensors of more than 1,000 elements show the first and last three of each
dimension.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from .autograd.node import grad_fn, requires_grad
from .autograd.variable import TensorBase
from .devices import device_of, to_host
from .dtypes import bool_, from_numpy_dtype, get_default_dtype, int64

_DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
PrintOptions = namedtuple("PrintOptions", _DEFAULTS, defaults=_DEFAULTS.values())  # see `set_printoptions`
_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors are printed from now on.

    Args:
        precision: digits behind the point (4).
        threshold: from how many elements on a tensor is summarised (1000).
        edgeitems: how many are shown at each end of a summarised dimension (3).
        linewidth: characters per line (80).
        profile: "default", "short" or "full", before the other arguments are applied.
        sci_mode: True or False to force scientific notation on or off; None lets each tensor decide.
    """
    global _options
    options = _PROFILES[profile] if profile is not None else _options
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options = options._replace(**{k: v for k, v in given.items() if v is not None}, sci_mode=sci_mode)


class _Formatter:
    """The one format for all elements of a tensor: found from the elements that will be shown."""

    def __init__(self, shown: np.ndarray) -> None:
        self.is_float = shown.dtype.kind == "f"
        self.whole, self.scientific, self.width = True, False, 1
        if not self.is_float:
            self.width = max((len(str(v)) for v in shown.reshape(-1).tolist()), default=1)
            return
        finite = shown[np.isfinite(shown) & (shown != 0)]
        if finite.size == 0:
            return
        values = finite.tolist()
        sizes = [abs(value) for value in values]
        low, high = min(sizes), max(sizes)
        self.whole = all(value == math.ceil(value) for value in values)
        self.scientific = high / low > 1000 or high > 1e8 or low < 1e-4
        if _options.sci_mode is not None:
            self.scientific = _options.sci_mode
        self.width = max(len(self._plain(v)) for v in values)

    def _plain(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{_options.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{_options.precision}f}"

    def format(self, value: Any) -> str:
        """One element, padded to the common width."""
        return (self._plain(value) if self.is_float else str(value)).rjust(self.width)


def _edges(array: np.ndarray) -> np.ndarray:
    """The elements that a summary shows."""
    n = _options.edgeitems
    for axis, size in enumerate(array.shape):
        if size > 2 * n:
            first, last = range(n), range(size - n, size)
            array = np.take(array, [*first, *last], axis)
    return array


def _body(array: np.ndarray, indent: int, formatter: _Formatter, summarize: bool) -> str:
    if array.ndim == 0:
        return formatter.format(array.item())
    n = _options.edgeitems
    cut = summarize and array.shape[0] > 2 * n
    shown = [*array[:n], *array[-n:]] if cut else [*array]
    if array.ndim > 1:
        parts = [_body(part, indent + 1, formatter, summarize) for part in shown]
        if cut:
            parts.insert(n, "...")
        return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"
    texts = [formatter.format(number.item()) for number in shown]
    if cut:
        texts.insert(n, " ...")
    per_line = max(1, (_options.linewidth - indent) // (formatter.width + 2))
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Add what stands behind the numbers, on a new line where the line would get too long."""
    parts = [text]
    line_length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        length = len(suffix.replace("minigrad.", "torch."))  # so that lines break where PyTorch's do
        if line_length + length + 2 > _options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            line_length = indent + length
        else:
            parts.append(", " + suffix)
            line_length += length + 2
    return "".join(parts) + ")"


def _history(tensor: TensorBase) -> str:
    try:
        node = grad_fn(tensor)
    except RuntimeError:  # a view made under no_grad, whose memory has been written since: it has no history any more
        return "grad_fn=<Invalid>"
    return "requires_grad=True" if node is None else f"grad_fn=<{type(node).__name__}>"


def tensor_text(tensor: TensorBase) -> str:
    """`repr(tensor)`: the numbers, then what is not the default of dtype, device and gradient."""
    value = tensor._value
    array = np.asarray(to_host(value))
    indent = len("tensor(")
    suffixes = []
    device = device_of(value)
    if device.type != "cpu":
        suffixes.append(f"device='{device}'")
    kind = from_numpy_dtype(array.dtype)
    default = kind in (get_default_dtype(), int64, bool_)
    if array.size == 0:
        if array.ndim != 1:
            suffixes.append(f"size={tuple(array.shape)}")
        if kind is not get_default_dtype():
            suffixes.append(f"dtype={kind}")
        text = "[]"
    else:
        if not default:
            suffixes.append(f"dtype={kind}")
        summarize = array.size > _options.threshold
        text = _body(array, indent, _Formatter(_edges(array) if summarize else array), summarize)
    if requires_grad(tensor):
        suffixes.append(_history(tensor))
    return _with_suffixes("tensor(" + text, suffixes, indent)
