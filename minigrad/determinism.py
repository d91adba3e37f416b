"""Whether results must be the same at each run, to the last bit, also where that is slower."""

from __future__ import annotations

enabled = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Choose operations that give the same bits at each run, from now on.

    On the CPU all do. On a GPU, gradients of `x[i]`, `gather`, `embedding` and the like, and `scatter_add`, `index_add`
    add in an order that changes from run to run; this makes them add in one order. They wait for the GPU to do so.
    """
    global enabled
    enabled = bool(mode)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms(True)` holds."""
    return enabled
