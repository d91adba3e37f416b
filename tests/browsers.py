"""The browser that tests drive, an installed Chromium; and a page for it with live panels but no Jupyter."""

import json
import os
import shutil
from urllib.parse import urlsplit

import pytest

# The first has no window to draw for: Debian's `chromium-headless-shell` needs a quarter less of the processor.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
needs_chromium = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]


def launch(playwright):
    """A headless browser; sandboxes do not work in containers."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])


def outside(page):
    """A list that grows with every address that the page asks from now on and that is not this machine's."""
    asked = []

    def note(one):
        address = urlsplit(one.url)
        if address.scheme not in ("data", "blob", "file") and address.hostname not in ("127.0.0.1", "localhost"):
            asked.append(one.url)

    page.on("request", note)
    page.on("websocket", note)
    return asked


def panels(states, theme="light", lang="en"):
    """A page with a live panel for each of the states (traits by name); their models are `models` there."""
    from viz.notebook.widget import LivePanel

    given = json.dumps([LivePanel._esm, LivePanel._css, states]).replace("<", "\\u003c")
    return f"""<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><style>{LivePanel._css}</style></head>
        <body data-jp-theme-light="{"true" if theme == "light" else "false"}" style="margin:8px">
        <main></main><script type="application/json">{given}</script>
        <script type="module">
        const [code, css, states] = JSON.parse(document.querySelector("script").textContent);
        const module = URL.createObjectURL(new Blob([code], {{ type: "text/javascript" }}));
        const {{ default: widget, standIn }} = await import(module);
        const place = () => document.querySelector("main").appendChild(document.createElement("div"));
        window.models = states.map(state => standIn(state));
        window.closers = models.map(model => widget.render({{ model, el: place() }}));
        </script></body></html>"""
