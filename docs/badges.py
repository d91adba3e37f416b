"""Put what depends on the repository's address into both READMEs, the launch badges and the first picture's link:
`python docs/badges.py`. With `--release v1.2.3`, for PyPI, README's links also get the repository's address, and
pyproject.toml lists it.

Binder has to be told where the repository is published, and only git knows: the address is read from the remote
`origin`. On GitHub .github/workflows/badges.yml runs this at every push, so the badges are there from the first one on.
Without a public address, what to type stands in the badges' place.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
import unicodedata
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
READMES = {"en": "README.md", "zh": "README.zh.md"}
SAYS = {"en": ("launch", "Lesson 1 on Binder"), "zh": ("点击打开", "第 1 课 · Binder")}
WITHOUT = {
    "en": "**In the browser**: [Binder](https://mybinder.org) opens the lessons from wherever this repository is "
    "published, with nothing to install. On GitHub, replace `OWNER` and `NAME` by the repository's own:",
    "zh": "**在浏览器里**：本仓库公开发布之后，用 [Binder](https://mybinder.org) 就能打开课程，什么都不用装。"
    "以 GitHub 为例，把下面的 `OWNER` 和 `NAME` 换成仓库的所有者和名称：",
}
CLICK = {
    "en": "**In the browser**, nothing to install. A click on a badge opens Lesson 1, running:",
    "zh": "**在浏览器里**，什么都不用装。点一下徽章，就能打开可以运行的第 1 课：",
}
BADGES = re.compile(r"(?<=<!-- badges -->\n).*?(?=<!-- /badges -->)", re.DOTALL)
PICTURE = re.compile(r"(?:<a href=\"[^\"]*\">)?(<picture>.*?</picture>)(?:</a>)?")
LINK = re.compile(r"(?P<before>!?\[[^\]]*\]\(|\bsrc(?:set)?=\")(?![a-z]+:|#)(?P<path>[^)\"]+)")
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


def site(place: str | None) -> str | None:
    """Where .github/workflows/pages.yml publishes what `minigrad export` writes."""
    github = re.fullmatch(r"gh/([^/]+)/(.+)", place or "")
    return f"https://{github[1].lower()}.github.io/{github[2]}/" if github else None


def linked(readme: str, place: str | None) -> str:
    """A README whose first picture leads to the pages that play it, where they are published."""
    address = site(place)
    return PICTURE.sub(lambda found: f'<a href="{address}">{found[1]}</a>' if address else found[1], readme, count=1)


def released(readme: str, repository: str, tag: str) -> str:
    """A README as PyPI shows it: links and pictures of the repository have an address of their own."""

    def absolute(found: re.Match[str]) -> str:
        raw = found["before"].startswith(("!", "src"))
        return f"{found['before']}{repository}/{'raw' if raw else 'blob'}/{tag}/{found['path']}"

    return LINK.sub(absolute, readme)


def with_urls(project: str, repository: str, place: str) -> str:
    """pyproject.toml with the addresses that PyPI lists."""
    urls = {
        "Homepage": site(place),
        "Repository": repository,
        "Documentation": f"{repository}/tree/main/docs",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    listed = "".join(f'{name} = "{address}"\n' for name, address in urls.items() if address)
    without = re.sub(r"^\[project\.urls\]\n(?:.+\n)*\n", "", project, flags=re.MULTILINE)
    return without.replace("[project.scripts]\n", f"[project.urls]\n{listed}\n[project.scripts]\n")


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the badges and write both READMEs."""
    parser = argparse.ArgumentParser(description="Put the repository's address where it belongs.")
    parser.add_argument("--release", metavar="TAG", help="make README.md and pyproject.toml those of a release")
    options = parser.parse_args(arguments)
    asked = subprocess.run(
        ["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    place = provider(asked.stdout.strip())
    for lang, name in READMES.items():
        (ROOT / "docs" / f"launch-{lang}.svg").write_text(badge(*SAYS[lang]), encoding="utf-8", newline="\n")
        readme = ROOT / name
        text = linked(readme.read_text(encoding="utf-8"), place)
        written = BADGES.sub(lambda _, lang=lang: paragraph(place, lang), text)
        readme.write_text(written, encoding="utf-8", newline="\n")
    print(f"badges for {place}" if place else "no public remote `origin`: what to type stands instead of the badges")
    if options.release:
        _release(place, options.release)


def _release(place: str | None, tag: str) -> None:
    project, readme = ROOT / "pyproject.toml", ROOT / READMES["en"]
    version = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    if tag != f"v{version}":
        sys.exit(f"the tag {tag} is not v{version}, the version in pyproject.toml")
    if site(place) is None:
        sys.exit("a release is made in a repository on GitHub: `origin` is none")
    repository = f"https://github.com/{place.removeprefix('gh/')}"
    readme.write_text(released(readme.read_text(encoding="utf-8"), repository, tag), encoding="utf-8", newline="\n")
    urls = with_urls(project.read_text(encoding="utf-8"), repository, place)
    project.write_text(urls, encoding="utf-8", newline="\n")
    print(f"README.md and pyproject.toml are those of {tag} at {repository}")


if __name__ == "__main__":
    main()
