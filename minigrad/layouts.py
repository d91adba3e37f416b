"""How a tensor's elements lie in memory: always strided here, as nearly always in PyTorch."""

from __future__ import annotations

from typing import Final


class _Named:
    """A name for something; there is one object per name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout(_Named):
    """The kind of a tensor's memory: `x.layout` is `strided`."""


class memory_format(_Named):
    """The order in which a new tensor's elements shall lie: `x.clone(memory_format=contiguous_format)`."""


strided: Final = layout("strided")
preserve_format: Final = memory_format("preserve_format")
contiguous_format: Final = memory_format("contiguous_format")
