"""A slider that also works on paper: ``Play(at, w=(0.0, 5.0, 0.1), start=1.0)``.

With a kernel it is an ipywidgets slider and a picture that follows it. Without one (GitHub, an exported page, a
notebook just opened) the same picture stands still, and the table beside it holds what the slider would have shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lessons.plot import tangent


class Play:
    """A curve, its tangent at one place, and a slider that moves the place.

    `at` takes one float and returns the height of the curve there and its slope, two floats that the learner's own
    code computed. One keyword names the variable and gives its lowest value, its highest and the step between.
    """

    def __init__(
        self,
        at: Callable[[float], tuple[float, float]],
        *,
        start: float,
        names: tuple[str, str] = ("loss", "w.grad"),
        **span: tuple[float, float, float],
    ) -> None:
        ((variable, (self.low, self.high, self.step)),) = span.items()
        self.start = start
        self.names = (variable, *names)
        count = round((self.high - self.low) / self.step) + 1
        places = [round(self.low + self.step * i, 10) for i in range(count)]
        self.values = {place: at(place) for place in places}
        shown = places[:: max(1, round((count - 1) / 10))]
        self.rows = [tuple(f"{value:g}" for value in (place, *self.values[place])) for place in shown]

    def __repr__(self) -> str:
        rows = [self.names, *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
        return "\n".join(line + ("  <- here" if row[0] == f"{self.start:g}" else "") for row, line in zip(rows, lines))

    def picture(self, place: float) -> str:
        """The curve with its tangent at one place of the slider, as SVG."""
        place = min(self.values, key=lambda known: abs(known - place))
        curve = [(known, height) for known, (height, _) in self.values.items()]
        return tangent(curve, place, *self.values[place], self.names, self.rows)

    def widget(self) -> Any:
        """The live slider."""
        import ipywidgets

        slider = ipywidgets.FloatSlider(
            value=self.start,
            min=self.low,
            max=self.high,
            step=self.step,
            description=self.names[0],
            layout={"width": "440px"},
        )
        picture = ipywidgets.HTML(self.picture(self.start))
        slider.observe(lambda change: setattr(picture, "value", self.picture(change["new"])), "value")
        return ipywidgets.VBox([slider, picture])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        picture = self.picture(self.start)
        still = {"text/plain": repr(self), "image/svg+xml": picture, "text/html": picture}
        return self.widget()._repr_mimebundle_() | still
