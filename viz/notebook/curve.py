"""The losses of a cell's passes, as many as a curve can show."""

from contextlib import suppress
from math import isfinite
from typing import Any

from ..model.protocol import listens
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
