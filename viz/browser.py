"""The viewer in the browser: the script of the live panel, and pages and pieces of pages in which it runs alone.

It asks the network for nothing, and needs no kernel: all that it shows stands beside it as JSON. A still picture is an
image, which is safe also where a notebook is not trusted; but an image knows neither the page's theme nor tooltips, so
a few lines of script, where they may run, put its content into the page.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from .language import data, message
from .settings import reader

_ROOM = 5_000_000  # letters of what a page holds of groups that are opened in it
_STATIC = Path(__file__).parent / "notebook" / "static"
_IMPORT = re.compile(r'^import .* from "\./(.+)";\n', re.MULTILINE)
_DATA = re.compile(r'^import (\w+) from "../../(\w+\.json)" with .*;\n', re.MULTILINE)


@cache
def viewer(name: str = "widget.js") -> str:
    """A file of the viewer, its script or its style sheet, with all that it imports: a notebook gets a single one."""
    files: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in files:
            text = (_STATIC / name).read_text(encoding="utf-8")
            for other in _IMPORT.findall(text):
                add(other)
            files[name] = _DATA.sub(
                lambda found: f"const {found[1]} = {json.dumps(data(found[2]), ensure_ascii=False)};\n",
                _IMPORT.sub("", text),
            )

    add(name)
    return "\n".join(files.values())


def _fill(part: str, **values: str) -> str:
    """A part of ``page.json``, with `values` where ``@name@`` stands."""
    return re.sub(r"@(\w+)@", lambda found: values[found[1]], "\n".join(data("page.json")[part]))


def state(scene: Mapping[str, Any] | None, trace: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the viewer is given where nobody is there to change it."""
    return {
        "scene": scene,
        "trace": trace,
        "step": len(trace["steps"]) if trace else 0,
        "view": "pass" if trace else "live",
        "language": reader("auto"),  # the browser's
        "speed": 1.5,
        "following": None,
    }


def piece(given: Mapping[str, Any], instead: str) -> str:
    """HTML in which the viewer shows what it is `given`; where no script may run, it shows `instead`, some HTML."""
    told = json.dumps(given, ensure_ascii=False).replace("<", "\\u003c")
    key = "viz-" + sha256(told.encode("utf-8", "replace")).hexdigest()[:12]
    # neither the style nor the script may hold what would end the element that it stands in
    parts = (viewer("widget.css"), without_exports())
    look, code = (re.sub("</(?=style|script)", r"<\\/", text, flags=re.I) for text in parts)
    return _fill("piece", key=key, instead=instead, state=told, look=look, code=code)


@cache
def without_exports() -> str:
    """The viewer as a script that is no module: it leaves `render` and `standIn` in the global `vizLive`."""
    code = viewer().replace("export default { render };", "globalThis.vizLive = { render, standIn };")
    return re.sub(r"^export (?=async|function|const|class)", "", code, flags=re.MULTILINE)


def page(drawn: Callable[[tuple[str, ...]], dict[str, Any]], title: str, instead: str) -> str:
    """A page of its own that shows what is `drawn`, given the ids of groups that are opened: with none, and, as long as
    there is room, with each, for no kernel is there to ask."""
    given, opened, room = drawn(()), dict[str, dict[str, Any]](), _ROOM
    to_see: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), given)]
    for around, told in to_see:
        nodes, inside = (told["trace"] or told)["scene"]["nodes"], f"{around[-1]}." if around else ""
        for group in (node["id"] for node in nodes if node["kind"] == "folded" and node["id"].startswith(inside)):
            with suppress(ValueError, RuntimeError):  # it is none that opens; or is not laid out in time
                if room > 0:
                    opened[group] = drawn((*around, group))
                    to_see.append(((*around, group), opened[group]))
                    room -= len(json.dumps(opened[group]))
    inner = piece({**given, "alone": True, "opened": opened}, instead)
    return _fill("page", lang=given["language"].replace("auto", "en"), title=escape(title), piece=inner)


def save(path: str | PathLike[str], formats: Mapping[str, Callable[[], Any]], example: str) -> Path:
    """Writes what the suffix of the path chooses of the formats. Returns the path."""
    path = Path(path)
    write = formats.get(path.suffix.lower())
    if write is None:
        known = " ".join(formats)
        told = {"name": repr(path.name), "suffix": repr(path.suffix), "known": known, "example": example}
        raise ValueError(message("suffix", **told))
    written = write()  # a lone surrogate, which UTF-8 refuses, is written out
    if isinstance(written, dict):  # JSON, to be read by people, too
        written = json.dumps(written, ensure_ascii=False, indent=1)
    path.write_bytes(written.encode("utf-8", "backslashreplace") if isinstance(written, str) else written)
    return path


def as_html(svg: str, text: str, unfold: bool = True) -> str:
    """HTML that shows `svg`, as an image until a script puts it into the page, if it may `unfold`: where it is too wide
    it scrolls, for smaller nobody could read it. `text` says the same in words where images are not seen."""
    encoded = b64encode(svg.encode("utf-8")).decode("ascii")
    source = f'src="data:image/svg+xml;base64,{encoded}" style="max-width:none"'
    image = f'<img class="viz-image" alt="{escape(text)}" {source}>'
    return _fill("image", image=image) if unfold else image
