"""Put the launch badges into both READMEs: `python docs/badges.py`.

Binder has to be told where the repository is published, and only git knows: the address is read from the remote
`origin`. On GitHub .github/workflows/badges.yml runs this at every push, so the badges are there from the first one on.
Without a public address, what to type stands in the badges' place.
"""

from __future__ import annotations

import re
import subprocess
import unicodedata
from html import escape
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
READMES = {"en": "README.md", "zh": "README.zh.md"}
SAYS = {"en": ("launch", "Lesson 1 on Binder"), "zh": ("点击打开", "第 1 课 · Binder")}
WITHOUT = {
    "en": "**In the browser**: [Binder](https://mybinder.org) opens the lessons from wherever this repository is "
    "published, with nothing to install. On GitHub, with its `OWNER` and `NAME` put in:",
    "zh": "**在浏览器里**：本仓库公开发布之后，用 [Binder](https://mybinder.org) 就能打开课程，什么都不用装。"
    "以 GitHub 为例，把下面的 `OWNER` 和 `NAME` 换成仓库的所有者和名称：",
}
CLICK = {
    "en": "**In the browser**, nothing to install. A click on a badge opens Lesson 1, running:",
    "zh": "**在浏览器里**，什么都不用装。点一下徽章，就能打开可以运行的第 1 课：",
}
BADGES = re.compile(r"(?<=<!-- badges -->\n).*?(?=<!-- /badges -->)", re.DOTALL)
HOSTS = {"github.com": "gh", "gitlab.com": "gl"}


def provider(remote: str) -> str | None:
    """A git remote as Binder names it, such as ``gh/owner/name``; None for one that is not on the public web."""
    match = re.fullmatch(r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)([\w-]+(?:\.[\w-]+)+)[:/](.+?)(?:\.git)?/?", remote)
    if match is None:
        return None
    host, path = match.groups()
    if host in HOSTS:
        return f"{HOSTS[host]}/{path if host == 'github.com' else quote(path, safe='')}"
    return f"git/{quote(f'https://{host}/{path}', safe='')}"


def launch(place: str, lang: str) -> str:
    """The address that opens Lesson 1 in a language, in JupyterLab on Binder."""
    return f"https://mybinder.org/v2/{place}/HEAD?urlpath=lab/tree/minigrad_lessons/{lang}/01_first_gradient.ipynb"


def paragraph(place: str | None, lang: str) -> str:
    """What stands between the badges' markers of one README."""
    if place is None:
        return f"{WITHOUT[lang]}\n\n```text\n{launch('gh/OWNER/NAME', lang)}\n```\n"
    order = sorted(READMES, key=lambda other: other != lang)  # the reader's own language first
    badges = [f"[![{' · '.join(SAYS[it])}](docs/launch-{it}.svg)]({launch(place, it)})" for it in order]
    return f"{CLICK[lang]}\n\n{' '.join(badges)}\n"


def badge(label: str, message: str) -> str:
    """A badge as SVG: two boxes with a text each, the same size in whatever font the reader has."""
    left, right = (round(_width(text) + 14) for text in (label, message))
    texts = ((label, 7, left - 14), (message, left + 7, right - 14))
    font = "Verdana,DejaVu Sans,Noto Sans CJK SC,sans-serif"
    words = "".join(f'<text x="{x}" y="14" textLength="{w}">{escape(text)}</text>' for text, x, w in texts)
    title = escape(f"{label}: {message}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}">'
        f'<title>{title}</title><clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#555"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="#1f5fa8"/></g>'
        f'<g fill="#fff" font-family="{font}" font-size="11">{words}</g></svg>\n'
    )


def _width(text: str) -> float:
    """About how wide a text of 11 px is: a Chinese character is a square, a blank is narrow."""
    return sum(
        11 if unicodedata.east_asian_width(letter) in "WF" else 3.8 if letter in " ·1" else 6.8 for letter in text
    )


def main() -> None:
    """Draw the badges and write both READMEs."""
    asked = subprocess.run(
        ["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    place = provider(asked.stdout.strip())
    for lang, name in READMES.items():
        (ROOT / "docs" / f"launch-{lang}.svg").write_text(badge(*SAYS[lang]), encoding="utf-8", newline="\n")
        readme = ROOT / name
        text = readme.read_text(encoding="utf-8")
        written = BADGES.sub(lambda _, lang=lang: paragraph(place, lang), text)
        readme.write_text(written, encoding="utf-8", newline="\n")
    print(f"badges for {place}" if place else "no public remote `origin`: what to type stands instead of the badges")


if __name__ == "__main__":
    main()
