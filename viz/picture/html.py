"""The picture as a piece of a page.

A notebook may show an SVG in two ways. As an image it is safe everywhere, also in a notebook that is not trusted yet
or on a site that filters what it shows; but an image knows neither the page's theme nor tooltips. As part of the page
it has both. So the piece is an image, and a few lines of script, where they may run, put its content into the page.
"""

from __future__ import annotations

from base64 import b64encode
from html import escape

_UNFOLD = """
(image => {
  if (!image || image.className !== "viz-image") return;
  const bytes = Uint8Array.from(atob(image.src.split(",")[1]), c => c.charCodeAt(0));
  const svg = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "image/svg+xml");
  image.replaceWith(document.importNode(svg.documentElement, true));
})(document.currentScript && document.currentScript.previousElementSibling)
"""


def as_html(svg: str, text: str, unfold: bool = True) -> str:
    """HTML that shows `svg`, as an image until a script puts it into the page, if it may `unfold`; `text` says the same
    in words where images are not seen."""
    data = b64encode(svg.encode("utf-8")).decode("ascii")
    image = f'<img class="viz-image" alt="{escape(text)}" src="data:image/svg+xml;base64,{data}">'
    return f"<div>{image}<script>{_UNFOLD}</script></div>" if unfold else image
