"""Pictures that move, and stand still where nothing runs.

With a kernel each is an ipywidgets control and a picture that follows it. Without one (GitHub, an exported page, a
notebook just opened) the picture stands still and shows, in a table or side by side, what the control would.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from minigrad_lessons.language import Says, spoken
from minigrad_lessons.svg import BLUE, INK, ORANGE, Point, dot, line, svg, text
from viz.language import not_installed

# JupyterLab's slider is pale on white, and not every control shows that it has the keyboard.
STYLE = """<style>
.minigrad-lesson .slider-container .noUi-target { background: var(--jp-ui-font-color2, #616161); }
.minigrad-lesson .noUi-handle { border: 2px solid var(--jp-ui-font-color2, #616161); }
.minigrad-lesson :focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 1px; }
</style>"""


class Still:
    """A picture that stands still, as SVG and in words: in the reader's language, in English where none is known."""

    about: Says  # in a phrase, where the picture is no graph: a graph speaks for itself

    def words(self, lang: str) -> str:
        """What the picture shows, in ``en`` or ``zh``."""
        raise NotImplementedError

    def picture(self) -> str | None:
        """The picture, as SVG; None where there is nothing to draw."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.words(spoken()[0])

    def alt(self) -> str:
        """The same for who does not see it, in the reader's language. Numbers are said once."""
        return "\n".join([str(self.about), *dict.fromkeys(self.words(lang) for lang in spoken())])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        still = self.picture()
        return {"text/plain": repr(self)} | ({"image/svg+xml": still, "text/html": still} if still else {})


class Moving(Still):
    """What the notebook shows for every moving picture: the live one beside the still one."""

    def widget(self) -> Any:
        """The live one, as an ipywidget."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        try:
            import ipywidgets
        except ModuleNotFoundError as error:  # it stands still, as without a kernel
            print(not_installed(error, type(self).__name__))
            return super()._repr_mimebundle_()

        live = ipywidgets.VBox([self.widget(), ipywidgets.HTML(STYLE, layout={"display": "none"})])
        live.add_class("minigrad-lesson")
        return live._repr_mimebundle_() | super()._repr_mimebundle_()


def in_turn(answer: Callable[..., None]) -> Callable[..., None]:
    """What answers a control, one answer at a time.

    JupyterLab gives a control's first messages to the thread that runs the cells, and later ones to a thread of their
    own (a subshell of the kernel). Of two quick clicks the second must not be answered inside the first, or the older
    picture comes last.
    """
    turn = threading.RLock()

    @wraps(answer)
    def answered(*args: Any) -> None:
        with turn:
            answer(*args)

    return answered


def followed(show: Callable[..., str], *controls: Any, beside: bool = False) -> Any:
    """Controls, one under the other or `beside` one another, and the HTML that `show` makes of their values."""
    import ipywidgets

    picture = ipywidgets.HTML()

    @in_turn
    def redraw(_: Any = None) -> None:
        picture.value = show(*(control.value for control in controls))

    for control in controls:
        control.observe(redraw, "value")
    redraw()
    return ipywidgets.VBox([*([ipywidgets.HBox(controls)] if beside else controls), picture])


class Play(Moving):
    """A curve, its tangent at one place, and a slider that moves the place.

    ``Play(at, w=(0.0, 5.0, 0.1), start=1.0)``: `at` takes one float and returns the height of the curve there and its
    slope, two floats that the learner's own code computed. One keyword names the variable and gives its lowest value,
    its highest and the step between.
    """

    about = Says("a curve, and its slope at each place", "一条曲线，以及它在各处的斜率")

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
        places = [round(float(self.low + self.step * i), 10) for i in range(count)]
        self.values = {place: at(place) for place in places}
        shown = places[:: max(1, round((count - 1) / 10))]
        self.rows = [tuple(f"{value:g}" for value in (place, *self.values[place])) for place in shown]

    def words(self, lang: str) -> str:
        """The curve as a table."""
        here = {"en": "here", "zh": "这里"}[lang]
        rows = [self.names, *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
        return "\n".join(
            line + (f"  <- {here}" if row[0] == f"{self.start:g}" else "") for row, line in zip(rows, lines)
        )

    def picture(self, place: float | None = None) -> str:
        """The curve with its tangent at one place of the slider, as SVG."""
        wanted = self.start if place is None else place
        place = min(self.values, key=lambda known: abs(known - wanted))
        curve = [(known, height) for known, (height, _) in self.values.items()]
        return tangent(curve, place, *self.values[place], self.names, self.rows, self.alt())

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
        return followed(self.picture, slider)


WIDTH, HEIGHT = 440, 280
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 40, 44
COLUMN, LINE = 72, 18


def tangent(
    curve: Sequence[Point],
    place: float,
    height: float,
    slope: float,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    alt: str,
) -> str:
    """A curve, the point (place, height) on it, and the line of that slope through it; beside it a table. As SVG.

    `names` are the horizontal variable, the vertical one and the slope's; `rows` hold the same three as text;
    `alt` says it all.
    """
    variable, value, derivative = names
    left, right = curve[0][0], curve[-1][0]
    low, high = min(0.0, *(y for _, y in curve)), max(y for _, y in curve)

    def on_page(x: float, y: float) -> Point:
        return (
            LEFT + (x - left) / (right - left) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - TOP - BOTTOM),
        )

    def end(side: int) -> Point:
        """One end of the tangent: a fifth of the width away, or where it would leave the frame."""
        run = min((right - left) / 5, place - left if side < 0 else right - place)
        if slope:
            run = min(run, abs(((high if side * slope > 0 else low) - height) / slope))
        return on_page(place + side * run, height + side * run * slope)

    says = f"{variable} = {place:g},  {value} = {height:g},  {derivative} = {slope:g}"
    floor = HEIGHT - BOTTOM
    x, y = on_page(place, height)
    parts = [
        line([(LEFT, TOP), (LEFT, floor), (WIDTH - RIGHT, floor)]),
        *(text(on_page(mark, low)[0], floor + 18, f"{mark:g}", at="middle") for mark in (left, right)),
        *(text(LEFT - 8, on_page(left, mark)[1] + 4, f"{mark:g}", at="end") for mark in (0.0, high)),
        text((LEFT + WIDTH - RIGHT) / 2, floor + 32, variable, at="middle"),
        text(LEFT - 8, (TOP + floor) / 2, value, at="end"),
        line([on_page(*point) for point in curve], colour=BLUE, width=2.5),
        line([end(-1), end(+1)], colour=ORANGE, width=2.5, dashed=True),
        dot(x, y),
        text(LEFT, 22, says, size=15),
    ]
    for number, row in enumerate([names, *rows]):
        here = row[0] == f"{place:g}"
        style = {"at": "end", "colour": ORANGE if here else INK, "bold": here}
        parts += [
            text(WIDTH + 48 + COLUMN * column, TOP + LINE * number, cell, **style) for column, cell in enumerate(row)
        ]
        if here:
            parts.append(text(WIDTH + 8, TOP + LINE * number, "▸", colour=ORANGE))
    return svg(says, WIDTH + 3 * COLUMN + 12, HEIGHT, parts, more=alt)
