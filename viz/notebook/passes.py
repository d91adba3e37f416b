"""The backward passes of one cell: which of them are recorded, and what the others leave behind.

The first of each call is, then one whenever a `Pace` has rested; and the last one, where the loops around a call tell
how often they run. Those between run by themselves: of them the loss is noted alone.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from time import monotonic
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

from ..model.identities import weakly
from ..model.names import library_of
from ..model.protocol import is_tensor, listens
from .limits import no_alarm
from .marks import Call

_MOST = 300  # losses: the curve is 84 pixels wide


class Curve:
    """What the passes of one call start from. points: (number of the pass, loss) of each, of each second, …: of `every`
    so many, and of the last. last: the loss that was read last, which may be nan."""

    def __init__(self) -> None:
        self.points: list[list[Any]] = []
        self.every = 1
        self.last = 0.0
        self._call: Call = ("", "")

    @property
    def is_flat(self) -> bool:
        """Whether all losses are the same."""
        return len(self.points) > 1 == len({loss for _, loss in self.points})

    def begin(self, call: Call, in_loop: bool) -> None:
        """A pass begins. The curve is that of the first call, or of the first that is in a loop; where both are, of no
        ``grad``."""
        rank, of_known = ("backward(" in call[0], in_loop), ("backward(" in self._call[0], False)
        if not self.points or (len(self.points) < 2 and call != self._call and rank > of_known):
            self._call, self.points = call, []

    def note(self, tensor: Any, call: Call, number: int, due: bool = False) -> None:
        """Adds the one number in `tensor`, if that is of this `call`, for what two calls start from is no one loss, and
        if it is finite: JSON has no other. One on a device is only asked where the panel is `due`: that makes the
        program wait for all that the device has to do."""
        with no_alarm(), suppress(Exception):  # more than one number, or none that can be read
            asked = call == self._call and not listens(type(tensor)) and (due or getattr(tensor, "is_cpu", True))
            self.last = loss = float(tensor.item()) if asked else self.last
            if asked and isfinite(loss):
                points = self.points
                if points and (points[-1][0] == number or (points[-1][0] - 1) % self.every):
                    points.pop()
                if len(points) >= _MOST:
                    self.every *= 2
                    points[:] = [pair for pair in points if (pair[0] - 1) % self.every == 0]
                points.append([number, loss])


@dataclass(slots=True)
class Passes:
    """The passes that a cell has run; `wake`: all is followed from now on, whether it was not."""

    wake: Callable[[], bool]
    count: int = 0
    shown: int = 0  # which of them was the last to be shown
    is_loop: bool = False  # one of them was not recorded
    curve: Curve = field(default_factory=Curve)  # of their losses
    _recorded: set[Call] = field(default_factory=set)  # calls of which one was: once more is a loop
    _alone: set[int] = field(default_factory=set)  # those in a loop that may run by themselves, by their addresses
    call: Call = ("", "")  # the last of these
    until: int = 0  # up to which pass nobody has to look
    asked: Callable[[], Any] = lambda: None  # what the last one was asked of, if that is still there
    _woken: int = 0  # up to which pass of a loop nobody had seen its modules
    _final: int = 0  # which of them is the last, as far as the loops around each of the `_counted` calls say it
    _counted: set[Call] = field(default_factory=set)

    def rest(self) -> None:
        """A statement of the cell begins: the first pass of each loop in it is to ask."""
        self._final = self.until = 0
        self._counted.clear()
        self._alone.clear()

    def goes_on(self, call: Call, function: Any, next_one: float) -> bool:
        """Whether this pass is one of a loop's that run by themselves, until the `next_one` may be recorded: then
        nothing stands between the loop and it, not even a call of another function."""
        count, every = self.count, self.curve.every
        is_last = self._final - 2 <= count < self._final
        if id(call) not in self._alone or type(function) is not MethodType or is_last:
            return False
        if not count % every:
            if monotonic() >= next_one:
                return False
            self.curve.note(function.__self__, call, count + 1)
        self.call, self.until = call, count - count % every + every
        if count < self._final:
            self.until = min(self.until, self._final - 2)
        return True

    def is_due(self, call: Call, has_rested: bool) -> bool:
        """Whether the pass that this call begins is to be recorded: in a loop where nobody saw what made it, the one
        after it is."""
        if call not in self._recorded:
            return True
        if has_rested and self.count != self._woken and self.wake():
            self._woken = self.count + 1
            self._alone.clear()
            return False
        return has_rested

    def begin(self, call: Call, due: bool, ahead: Callable[[], int], is_long: bool) -> bool:
        """Counts it; whether it is recorded. `ahead`: how often the loops around will run it; `is_long`: they have run
        for so long that recording the last one slows them by little."""
        self.asked, self.until, self.count = lambda: None, 0, self.count + 1
        if call not in self._counted:
            self._counted.add(call)
            with no_alarm():
                self._final = max(self._final, self.count - 1) + ahead()
        if is_long and self.count == self._final - 1:
            self.wake()  # the last pass is recorded
        self.curve.begin(call, in_loop=call in self._recorded)
        if due:
            self._recorded.add(call)
            self._alone.clear()
        return due or (is_long and self.count == self._final)

    def end(self, outputs: list[Any], call: Call, function: Any) -> None:
        """It has ended, and was not recorded."""
        if len(outputs) == 1:
            self.curve.note(outputs[0], call, self.count)
            if is_of_tensor(function) and self._woken != self.count:  # the next one is recorded
                self.call, self.asked = call, weakly(outputs[0])
                self._alone.add(id(call))

    @property
    def last(self) -> tuple[Call, Any] | None:
        """The pass that has run by itself last, and the tensor that it was asked of, if that is still there."""
        tensor = self.asked()
        return None if tensor is None else (self.call, tensor)


def outputs_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], bool]:
    """The tensors that a backward pass is asked of, none where the call is no such thing; and whether it surely is."""
    if is_of_tensor(function):
        return [function.__self__], True
    asked: Any = args[0] if args else kwargs.get("tensors", kwargs.get("outputs"))
    outputs = list(asked) if issubclass(type(asked), (tuple, list)) else [asked]
    if not outputs or not all(map(is_tensor, outputs)):
        return [], False
    return outputs, str(getattr(function, "__module__", "")).partition(".")[0] == library_of(outputs[0])


def is_of_tensor(function: Any) -> bool:
    """Whether it is a method of a tensor's."""
    return is_tensor(part(function, "__self__"))


def part(function: Any, name: str) -> Any:
    """An attribute of a function or method; None where another object is called: its class might answer."""
    plain = type(function) in (FunctionType, MethodType, BuiltinMethodType)
    return getattr(function, name, None) if plain else None
