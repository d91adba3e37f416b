"""How a tensor's elements lie in memory: always strided here, as nearly always in PyTorch."""

from __future__ import annotations

from typing import Final


class layout:
    """The kind of a tensor's memory: `x.layout` is `strided`."""

    def __repr__(self) -> str:
        return "minigrad.strided"

    def __reduce__(self) -> str:
        return "strided"


strided: Final = layout()
