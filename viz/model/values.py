"""What a picture says of a tensor: shape, dtype, and the numbers when they are few."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..language import Words, words

FEW = 6  # elements shown in full
_ON_A_CARD = 64  # the same where there is more room
KEPT = 256  # elements that are remembered
_MOST = 10_000  # elements summarised; more stay unread: drawing must not cost more than the program did


@dataclass(frozen=True)
class TensorInfo:
    """`shape` and `dtype` of a tensor; a size that is no number, as a nested tensor has, is a text.

    `value` is its numbers as PyTorch prints them (4 digits) when there are at most six, else a summary (mean and
    largest magnitude), or None where they cannot be read. `size` is the mean magnitude, where that is finite.
    """

    shape: tuple[int | str, ...]
    dtype: str
    value: str | None
    size: float | None = None
    _rows: Any = field(default=None, compare=False, repr=False)  # the numbers themselves, of up to 256
    summary: Words | None = field(default=None, compare=False, repr=False)  # where `value` is one

    @cached_property
    def numbers(self) -> list[float] | None:
        """Real numbers, in a row, of a tensor that has no more than 256."""
        return None if self._rows is None else [float(n) for n in flat([self._rows])]

    @property
    def is_short(self) -> bool:
        """Whether `value` holds the numbers themselves, in a text that fits on a node."""
        return self.value is not None and self.summary is None and len(self.value) <= 34

    @property
    def short(self) -> str:
        """The numbers of a small tensor, the shape of a large one: enough for an edge."""
        return self.value if self.value and self.is_short else shape_text(self.shape)

    @property
    def full(self) -> str:
        """The numbers, row by row, of up to 64; else what is known of them: enough for a card."""
        whole = not self.is_short and self._rows and math.prod(map(int, self.shape)) <= _ON_A_CARD
        return _literal(self._rows, "") if whole else self.value or shape_text(self.shape)

    def told(self, lang: str) -> str | None:
        """`value` in the reader's language."""
        return self.summary[lang] if self.summary else self.value

    def to_dict(self) -> dict[str, Any]:
        """As the panel is given a gradient."""
        return {"short": self.short, "full": self.full, "shape": shape_text(self.shape), "size": self.size}


def describe(tensor: Any) -> TensorInfo:
    """The `TensorInfo` of a tensor; reads it only, and records nothing in any graph."""
    value, size, rows, summary, count = None, None, None, None, size_of(tensor)
    with suppress(Exception):  # a meta, fake or sparse tensor has no numbers to read; the picture goes on without
        detach = getattr(tensor, "detach", lambda: tensor)  # somebody's own engine may keep gradients as plain arrays
        read = detach() if count <= _MOST else None
        row = getattr(read, "flatten", None) if count > KEPT else None  # lists in lists would take ten times as long
        numbers = None if read is None else (row() if row else read).tolist()
        found = flat([numbers])
        if numbers is not None and count <= FEW:
            value = _literal(numbers)
        if numbers is not None and not isinstance(next(iter(found), 0.0), (bool, complex)):  # of one type, all
            rows, sizes = numbers if count <= KEPT else None, list(map(abs, found))
            if value is None:
                summary = words("summary", m=number(math.fsum(found) / count), n=number(max(sizes)))
                value = summary["en"]
            size = mean if math.isfinite(mean := math.fsum(sizes) / max(len(sizes), 1)) else None
    return TensorInfo(shape_of(tensor), dtype_name(tensor), value, size, rows, summary)


def brief(tensor: TensorInfo, like: TensorInfo | None = None) -> str:
    """The numbers of a small tensor, the shape of a large one, the dtype where it is not the usual one."""
    dtype = "" if tensor.dtype == (like.dtype if like else "float32") else f" {tensor.dtype}"
    return (tensor.value or tensor.short) if like and not tensor.is_short else tensor.short + dtype


def dtype_name(tensor: Any) -> str:
    """``float32`` for ``torch.float32``."""
    return str(tensor.dtype).rpartition(".")[2]


def shape_of(tensor: Any) -> tuple[int | str, ...]:
    """The sizes of a tensor; ``?`` for one that is no number."""
    try:
        sizes = tuple(tensor.shape)
    except RuntimeError:  # a nested tensor has none
        return ("?",)
    return tuple(n if type(n) is int else "?" for n in sizes)


def size_of(tensor: Any) -> float:
    """How many numbers it holds; nan, which is neither more nor fewer than any, where a size is not known."""
    shape = shape_of(tensor)
    return math.nan if "?" in shape else math.prod(n for n in shape if isinstance(n, int))


def _literal(numbers: Any, indent: str | None = None) -> str:
    """Numbers as Python writes them; where there is an `indent`, row by row."""
    if not isinstance(numbers, list):
        return number(numbers)
    if indent is not None and numbers and isinstance(numbers[0], list):
        return "[" + f",\n{indent} ".join(_literal(row, indent + " ") for row in numbers) + "]"
    return "[" + ", ".join(map(_literal, numbers)) + "]"


def flat(numbers: list[Any]) -> list[Any]:
    """All the numbers of a list of lists."""
    while numbers and isinstance(numbers[0], list):
        numbers = [item for row in numbers for item in row]
    return numbers


def number(n: Any) -> str:
    """A number as PyTorch prints it: ``3.``, ``0.25``, ``-40.``, ``1e-05``, ``True``; four significant digits."""
    if isinstance(n, complex):
        return f"{number(n.real)}{'+' if n.imag >= 0 or math.isnan(n.imag) else ''}{number(n.imag)}j"
    if not isinstance(n, float):
        return str(n)
    if n == 0:  # -0. and 0. are one number to a learner, and their sign differs between platforms
        return "0."
    text = f"{n:.4g}"
    return text + "." if text.lstrip("-").isdigit() else text


def by_hand(text: str) -> str:
    """Numbers in a text as one writes them by hand: ``14`` for ``14.``."""
    return re.sub(r"(?<=\d)\.(?![\de])", "", text)


def shape_text(shape: tuple[int | str, ...]) -> str:
    """``(2, 3)``, ``(3,)``, ``()``: a shape as Python writes a tuple."""
    return str(tuple(shape)).replace("'", "")
