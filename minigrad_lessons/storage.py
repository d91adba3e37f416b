"""Show where tensors keep their numbers: ``Storage(x=x, y=y)``.

A tensor is two things: a row of numbers in memory (its storage), and a way to walk along it (its shape and stride).
The picture draws each storage once and under it every tensor that walks there, each cell with its place in the row.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from minigrad_lessons.language import Says
from minigrad_lessons.play import Moving, in_turn
from minigrad_lessons.svg import BLUE, INK, ORANGE, box, svg, text

CELL, GAP, ROW = 44, 28, 26
DIGIT = 9  # pixels that a digit of a cell takes at most
STORAGE, STRIDE, WRITE = Says("storage", "存储"), Says("stride", "步幅"), Says("write", "写入")
SHAPE, WALKS = Says("shape", "形状"), Says("walks", "依次走过")


class Storage(Moving):
    """Some tensors and their storages, and a control that writes one number into one of the tensors.

    The tensors are given by name and have at most two dimensions.
    """

    about = Says("each storage, and the tensors that walk along it", "每块存储，以及沿着它走的张量")

    def __init__(self, **tensors: Any) -> None:
        self.tensors = tensors
        self.just_written: tuple[int, int] | None = None  # storage, place

    def places(self, tensor: Any) -> dict[tuple[int, ...], int]:
        """Each index of a tensor with its place in the tensor's storage."""
        return {
            index: tensor.storage_offset() + sum(i * step for i, step in zip(index, tensor.stride()))
            for index in product(*map(range, tensor.shape))
        }

    def storages(self) -> dict[int, list[str]]:
        """The address where each storage starts, with the names of the tensors that live there."""
        found: dict[int, list[str]] = {}
        for name, tensor in self.tensors.items():
            start = tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()
            found.setdefault(start, []).append(name)
        return found

    def row(self, names: list[str]) -> dict[int, str]:
        """The numbers of one storage by place, as far as its tensors reach them."""
        numbers = {
            place: f"{self.tensors[name][index].item():g}"
            for name in names
            for index, place in self.places(self.tensors[name]).items()
        }
        return dict(sorted(numbers.items()))

    def words(self, lang: str) -> str:
        """Each storage on a line, then each of its tensors."""
        storage, shape, stride, walks = (getattr(word, lang) for word in (STORAGE, SHAPE, STRIDE, WALKS))
        colon, comma = {"en": (": ", ", "), "zh": ("：", "，")}[lang]
        lines = []
        for number, names in enumerate(self.storages().values(), start=1):
            lines.append(f"{storage} {number}{colon}" + " ".join(self.row(names).values()))
            for name in names:
                tensor = self.tensors[name]
                walk = " ".join(map(str, self.places(tensor).values()))
                how = f"{shape} {tuple(tensor.shape)}{comma}{stride} {tensor.stride()}{comma}{walks} {walk}"
                lines.append(f"  {name}{colon}{how}")
        return "\n".join(lines)

    def picture(self) -> str:
        """The storages, and under each the tensors that walk along it, as SVG."""
        parts, y, width = [], 6.0, 0.0
        rows = [(names, self.row(names)) for names in self.storages().values()]
        # a learner may write any number, and it must not run into the next one
        wide = max([CELL, *(8 + DIGIT * len(value) for _, row in rows for value in row.values())])
        for number, (names, row) in enumerate(rows, start=1):
            parts.append(text(4, y + 14, f"{STORAGE} {number}", bold=True))
            y += 22
            for column, (place, value) in enumerate(row.items()):
                parts.append(self._cell(4 + wide * column, y, wide, value, place, BLUE, (number, place)))
            width = max(width, 8 + wide * len(row))
            y += ROW + 34
            x, bottom = 4.0, y
            for name in names:
                tensor = self.tensors[name]
                title, subtitle = f"{name}  {tuple(tensor.shape)}", f"{STRIDE} {tensor.stride()}"
                parts.append(text(x, y - 4, title, colour=INK, bold=True))
                parts.append(text(x, y + 12, subtitle, size=12))
                columns = tensor.shape[-1] if tensor.shape else 1
                for index, place in self.places(tensor).items():
                    i, j = ((0, 0), (0, *index), index)[len(index)]
                    here = (number, place)
                    parts.append(self._cell(x + wide * j, y + 20 + ROW * i, wide, row[place], place, INK, here))
                high = tensor.shape[0] if len(tensor.shape) == 2 else 1
                bottom = max(bottom, y + 20 + ROW * high)
                x += max(wide * columns, 9.0 * len(title), 8.0 * len(subtitle)) + GAP
            width = max(width, x)
            y = bottom + 24
        return svg(self.alt(), width, y - 12, parts)

    def _cell(self, x: float, y: float, wide: float, value: str, place: int, colour: str, here: tuple[int, int]) -> str:
        written = here == self.just_written
        return (
            box(x, y, wide, ROW, colour=ORANGE if written else colour, thick=2.5 if written else 1)
            + text(
                x + wide / 2 - 3, y + 18, value, at="middle", size=14, colour=ORANGE if written else INK, bold=written
            )
            + text(x + wide - 4, y + 23, str(place), at="end", size=11)
        )

    def widget(self) -> Any:
        """Choose a cell, type a number, and watch every tensor that reaches it."""
        import ipywidgets

        cells = {
            f"{name}[{', '.join(map(str, index))}]": (name, index)
            for name, tensor in self.tensors.items()
            for index in self.places(tensor)
        }
        where = ipywidgets.Dropdown(options=cells, layout={"width": "120px"})
        number = ipywidgets.FloatText(
            value=99, description="=", layout={"width": "180px"}, style={"description_width": "20px"}
        )
        write = ipywidgets.Button(description=str(WRITE))
        picture = ipywidgets.HTML(self.picture())

        @in_turn
        def on_click(_: Any) -> None:
            name, index = where.value
            self.tensors[name][index] = number.value
            owner = next(i for i, names in enumerate(self.storages().values(), start=1) if name in names)
            self.just_written = (owner, self.places(self.tensors[name])[index])
            picture.value = self.picture()

        write.on_click(on_click)
        return ipywidgets.VBox([ipywidgets.HBox([where, number, write]), picture])
