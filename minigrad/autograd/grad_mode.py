"""Whether operations are recorded: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`.

These modes stop *recording*. They do not stop `backward`, and they do not change `requires_grad` of anything that
already exists. Each thread has its own mode.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ..devices import when_found

_Callable = TypeVar("_Callable", bound=Callable[..., Any])


class _Mode(threading.local):
    """What holds in this thread."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()  # stands for the thread in `unusual`
        self.enabled = True  # whether operations are recorded
        self.inference = False
        self.formula = False  # whether formulas are being recorded: then numpy's functions take tensors, and record
        self.hooks: tuple[tuple[Any, Any], ...] = ()  # on saved tensors, the innermost last: how to pack and to unpack
        self.refusal: str | None = None  # the message of disable_saved_tensors_hooks
        self.more_to_come = False  # whether `vmap` keeps graphs for the samples of a batch that follow
        #: The pass that runs, for hooks that ask: what stands for it, what it can reach and needs, whether it captures.
        self.running: tuple[object, Any, Any, bool] = (None, (), None, False)


mode = _Mode()

#: Why operations cannot take the shortest way: the threads that record nothing, or have hooks; "anomaly mode" and
#: "no nan"; "a GPU", for operands may be in two places; "inference", once there may be tensors that were made in
#: inference mode. While it is empty no operation asks for more.
unusual: set[object] = set()
when_found.append(lambda: unusual.add("a GPU"))

# A Ctrl-C comes between any two lines. So what switches a mode on does so in its last line, and what switches it off in
# its first; where minigrad itself does both, `restore` stands once more where an interrupt of the first would arrive.


def restore(before: dict[str, Any]) -> None:
    """Set these modes back to what they were `before`; the others stay. Doing so twice does no harm."""
    mode.__dict__.update(before)
    (unusual.discard if mode.enabled and not (mode.inference or mode.hooks) else unusual.add)(mode.thread)


def modes_kept(function: _Callable) -> _Callable:
    """A decorator: after `function` all modes of this thread are as they were before, whatever interrupts it."""

    @functools.wraps(function)
    def kept(*args: Any, **kwargs: Any) -> Any:
        before = mode.__dict__.copy()
        try:
            try:
                return function(*args, **kwargs)
            finally:
                restore(before)
        except BaseException:
            restore(before)
            raise

    return kept  # type: ignore[return-value]


def set_recording(on: bool, **others: Any) -> None:
    """Record this thread's operations from now on, if `on` and not in inference mode; set `others` as well."""
    if not on:
        unusual.add(mode.thread)
    mode.__dict__.update(others, enabled=on and not mode.inference)


@modes_kept
def run(function: Callable[..., Any], *args: Any, formula: bool) -> Any:
    """Call a function: as a `formula`, where numpy's functions take tensors and record, or as one of the user's."""
    mode.formula = formula
    return function(*args)


def is_grad_enabled() -> bool:
    """Whether operations on tensors that require grad are recorded now, in this thread."""
    return mode.enabled


def is_inference_mode_enabled() -> bool:
    """Whether `inference_mode` is on in this thread."""
    return mode.inference


class _SetMode:
    """A context manager that can also decorate a function, and a generator function step by step."""

    enabled: bool
    previous: dict[str, Any]  # these modes as they were before

    def _switch(self) -> None:
        set_recording(self.enabled)

    def __enter__(self) -> None:
        self.previous = {"enabled": mode.enabled, "inference": mode.inference}
        self._switch()

    def __exit__(self, *exc_info: object) -> None:
        mode.__dict__.update(self.previous)  # before anything else, and not by a call: see above
        restore(self.previous)

    @modes_kept
    def _inside(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._switch()
        return function(*args, **kwargs)

    def __call__(self, function: _Callable) -> _Callable:
        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            return self._inside(function, *args, **kwargs)

        @functools.wraps(function)
        def generating(*args: Any, **kwargs: Any) -> Any:  # between two values the caller's mode holds
            generator, given = function(*args, **kwargs), None
            go_on = generator.send
            try:
                while True:
                    value = self._inside(go_on, given)
                    try:
                        go_on, given = generator.send, (yield value)
                    except BaseException as error:  # from a `with` of which this is the manager
                        go_on, given = generator.throw, error
            except StopIteration as stop:
                return stop.value

        return generating if inspect.isgeneratorfunction(function) else decorated  # type: ignore[return-value]


class no_grad(_SetMode):
    """Do not record inside: `with no_grad(): w -= lr * w.grad`, or `@no_grad()` on a function.

    Results made inside have `requires_grad=False` and no `grad_fn`. `backward()` works inside as anywhere.
    """

    enabled = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return object.__new__(cls) if function is None else cls()(function)  # @no_grad, without parentheses


class enable_grad(_SetMode):
    """Record inside, even within `no_grad`."""

    enabled = True
    __new__ = no_grad.__new__


class set_grad_enabled(_SetMode):
    """Switch recording on or off: at once when called, and back at the end when used in a `with`."""

    def __init__(self, mode: bool) -> None:
        if (kind := type(mode).__name__) != "bool":  # Python's or numpy's
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        self.mode = self.enabled = bool(mode)
        super().__enter__()

    def __call__(self, function: _Callable) -> _Callable:
        restore(self.previous)  # as a decorator it must change nothing outside the function
        return super().__call__(function)

    def __enter__(self) -> None:
        self._switch()  # what was before, is known since the call

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"


class inference_mode(_SetMode):
    """`no_grad` and more: no node can save the tensors made inside, not even afterwards."""

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        return cls()(mode) if callable(mode) else object.__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def _switch(self) -> None:
        unusual.update((mode.thread, "inference"))
        mode.enabled, mode.inference = not self.mode, self.mode
