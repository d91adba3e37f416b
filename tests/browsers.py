"""The browser that tests drive: an installed Chromium."""

import os
import shutil

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
needs_chromium = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]


def launch(playwright):
    """A headless browser; sandboxes do not work in containers."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
