"""What a node keeps for its derivative, read without a word to the program: no hook of its own runs for a picture."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any


@contextmanager
def collector_paused() -> Iterator[None]:
    """While many objects are made, Python's garbage collector would look through all of them again and again, which
    takes nearly half the time of a large graph; and with a large library loaded each look takes a tenth of a second."""
    was_on = gc.isenabled()
    if was_on:  # else another thread has paused it, and may let it go on at this moment
        gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def version_of(tensor: Any) -> int | None:
    """How often it has been written; None where nobody counts that, as in inference mode."""
    with suppress(RuntimeError):
        return getattr(tensor, "_version", None)
    return None


class Packed(RuntimeError):
    """What a node saved is kept by hooks of the user's, or of a checkpoint, which nobody asks for a picture."""


def saved(node: Any, attribute: str) -> Any:
    """What the node saved there, None where there is no such thing; raises Packed, or what the library refuses it with.

    PyTorch before 2.10 does not tell of a hook before it is called: there it is stopped as it begins.
    """
    try:
        raw = getattr(node, f"_raw_{attribute.lstrip('_')}", None)
    except Exception:  # it keeps something else than tensors, or has let it go
        raw = None
    kept = raw if isinstance(raw, tuple) else (raw,)
    silent = any(hasattr(one, "register_hooks") and not hasattr(one, "unpack_hook") for one in kept)
    if any(getattr(one, "unpack_hook", None) for one in kept) or (silent and sys.getprofile()):
        raise Packed
    if not silent:
        return getattr(node, attribute, None)
    with collector_paused():  # it would call the program's finalizers
        sys.setprofile(_stopped)
        try:
            return getattr(node, attribute, None)
        finally:
            sys.setprofile(None)


def _stopped(frame: FrameType, event: str, argument: Any) -> None:
    if event == "call":
        raise Packed
