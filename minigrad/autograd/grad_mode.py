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

_Callable = TypeVar("_Callable", bound=Callable[..., Any])


class _Mode(threading.local):
    enabled = True  # whether operations are recorded; `off` has an entry for each thread where it is False
    inference = False
    asked = False  # whether, inside inference_mode, recording was asked for: it is not done all the same
    formula = False  # whether a formula of an operation is being recorded (`in_formula`)
    #: The backward pass that is running: its number, what it can reach, what it needs, whether it captures gradients.
    running: tuple[int, Any, Any, bool] = (0, (), None, False)


mode = _Mode()

#: An entry for each thread in which recording is off: while there is none, no operation asks for that of its own.
off: list[None] = []


def set_recording(on: bool) -> bool:
    """Record the operations of this thread from now on, or do not. Returns what was done before."""
    before = not off or mode.enabled
    if on is not before:
        mode.enabled = on
        if on:
            off.pop()
        else:
            off.append(None)
    return before


#: Whether inference_mode was ever entered: until then no tensor needs to be asked whether it was made there.
inference_used = False

#: Whether a formula was ever recorded: until then no operation needs to ask whether it stands in one.
formula_used = False


class in_formula:
    """Inside, operations are those of a formula that is being recorded; with False, a user's own again.

    PyTorch's formulas are written in C++, where `g * 2` is an operation of one tensor, MulBackward1. A user's `x * 2`
    is one of two, MulBackward0, the second a number. The same holds for +, - and /.
    """

    __slots__ = ("_previous", "_value")

    def __init__(self, value: bool = True) -> None:
        self._value = value

    def __enter__(self) -> None:
        global formula_used
        formula_used = formula_used or self._value
        self._previous, mode.formula = mode.formula, self._value

    def __exit__(self, *exc_info: object) -> None:
        mode.formula = self._previous


#: How many things are on, in any thread, for which operations do more than usual: anomaly mode, hooks on saved tensors,
#: inference mode, a GPU.
special = 0


def be_special(more: int) -> None:
    """Let operations do more than usual (1), or no longer for this reason (-1)."""
    global special
    with _lock:
        special += more


_lock = threading.Lock()


def is_grad_enabled() -> bool:
    """Whether operations on tensors that require grad are recorded now, in this thread."""
    return mode.asked if mode.inference else mode.enabled


def is_inference_mode_enabled() -> bool:
    """Whether `inference_mode` is on in this thread."""
    return mode.inference


class _Decorator:
    """A context manager that can also decorate a function, and a generator function step by step."""

    def clone(self) -> Any:
        return self.__class__()

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *exc_info: object) -> None:
        raise NotImplementedError

    def __call__(self, function: _Callable) -> _Callable:
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return decorated  # type: ignore[return-value]

    def _wrap_generator(self, function: Any) -> Any:
        # The mode must hold while the generator runs and must not leak to its caller between two values.
        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            try:
                with self.clone():
                    value = generator.send(None)
                while True:
                    try:
                        received = yield value
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException as error:
                        with self.clone():
                            value = generator.throw(error)
                    else:
                        with self.clone():
                            value = generator.send(received)
            except StopIteration as stop:
                return stop.value

        return decorated


class _SetMode(_Decorator):
    enabled: bool

    def __enter__(self) -> None:
        # Most often so entered that recording stops, and so left that it goes on: as `set_recording` does it.
        self.recorded = not off or mode.enabled
        if not self.recorded:  # perhaps inside inference_mode
            self.previous = _set_enabled(self.enabled)
        elif not self.enabled:
            mode.enabled = False
            off.append(None)

    def __exit__(self, *exc_info: object) -> None:
        if not self.recorded:
            _set_enabled(self.previous)
        elif not mode.enabled:
            mode.enabled = True
            off.pop()


class no_grad(_SetMode):
    """Do not record inside: `with no_grad(): w -= lr * w.grad`, or `@no_grad()` on a function.

    Results made inside have `requires_grad=False` and no `grad_fn`. `backward()` works inside as anywhere.
    """

    enabled = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        # PyTorch allows @no_grad without parentheses, too.
        return object.__new__(cls) if function is None else cls()(function)


class enable_grad(_SetMode):
    """Record inside, even within `no_grad`."""

    enabled = True

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return object.__new__(cls) if function is None else cls()(function)


class set_grad_enabled(_Decorator):
    """Switch recording on or off: at once when called, and back at the end when used in a `with`."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            name = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {name}")
        self.mode = mode
        self.previous = _set_enabled(mode)

    def __call__(self, function: _Callable) -> _Callable:
        _set_enabled(self.previous)  # as a decorator it must change nothing outside the function
        return super().__call__(function)

    def __enter__(self) -> None:
        _set_enabled(self.mode)

    def __exit__(self, *exc_info: object) -> None:
        _set_enabled(self.previous)

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        return self.__class__(self.mode)


class set_multithreading_enabled(_Decorator):
    """Without effect: here a backward pass always runs in the thread that calls it."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info: object) -> None:
        pass

    def clone(self) -> set_multithreading_enabled:
        return self.__class__(self.mode)


class inference_mode(_Decorator):
    """`no_grad` and more: tensors made inside can never take part in recorded computation afterwards."""

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        global inference_used
        inference_used = inference_used or self.mode
        be_special(1)
        self.previous = set_recording(not self.mode), mode.inference, mode.asked
        mode.inference = self.mode
        mode.asked = False

    def __exit__(self, *exc_info: object) -> None:
        enabled, mode.inference, mode.asked = self.previous
        set_recording(enabled)
        be_special(-1)

    def clone(self) -> inference_mode:
        return self.__class__(self.mode)


def _set_enabled(enabled: bool) -> bool:
    """Record from now on, or, inside inference_mode, remember that this was asked for. Returns what held before."""
    if mode.inference:
        before, mode.asked = mode.asked, enabled
        return before
    return set_recording(enabled)
