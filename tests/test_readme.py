"""What a stranger reads first must be true: the commands, the picture, the links."""

import html
import importlib.util
import json
import re
import urllib.parse
from pathlib import Path

import pytest

import viz

ROOT = Path(__file__).parents[1]
READMES = ["README.md", "README.zh.md"]
spec = importlib.util.spec_from_file_location("badges", ROOT / "docs" / "badges.py")
badges = importlib.util.module_from_spec(spec)
spec.loader.exec_module(badges)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_both_languages_give_the_same_commands_and_code() -> None:
    english, chinese = read("README.md"), read("README.zh.md")
    assert [block.replace(" --lang zh", "") for block in blocks(chinese, "sh")] == blocks(english, "sh")
    assert blocks(chinese, "python") == blocks(english, "python")


@pytest.mark.parametrize("name", [*READMES, "CONTRIBUTING.md"])
def test_every_path_exists(name: str) -> None:
    text = read(name)
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    mentioned = re.findall(r"`((?:minigrad|viz|lessons|tests|docs|binder|\.ci)/[\w./-]*)`", text)
    in_commands = re.findall(r"\blessons/[\w/]+\.ipynb", text)
    missing = [path for path in linked + mentioned + in_commands if "NN" not in path and not (ROOT / path).exists()]
    assert not missing


def test_every_command_is_marked_so_that_ci_runs_it() -> None:
    english = read("README.md")
    marked = re.findall(r"<!-- command: (\w+) -->\n```sh\n", english)
    assert len(marked) == len(blocks(english, "sh"))
    ci = read(".ci/run") + read(".ci/outside.py")
    assert [name for name in marked if not re.search(rf"readme_command\(?[ \"]+{name}\b", ci)] == []


@pytest.mark.parametrize(("lang", "name"), [("en", "README.md"), ("zh", "README.zh.md")])
def test_the_badges_are_what_docs_badges_writes(lang: str, name: str) -> None:
    """Where this fails, run `python docs/badges.py`. Only git knows the address: the one that stands there is used."""
    (standing,) = badges.BADGES.findall(read(name))
    place = re.search(r"mybinder\.org/v2/(\S+)/HEAD", standing)
    assert standing == badges.paragraph(place and place[1], lang)
    assert read(f"docs/launch-{lang}.svg") == badges.badge(*badges.SAYS[lang])


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("remote", "place"),
    [
        ("https://github.com/owner/name.git", "gh/owner/name"),
        ("https://token@github.com/owner/name", "gh/owner/name"),
        ("git@github.com:owner/name.git", "gh/owner/name"),
        ("https://gitlab.com/group/sub/name.git", "gl/group%2Fsub%2Fname"),
        ("https://gitee.com/owner/name", "git/https%3A%2F%2Fgitee.com%2Fowner%2Fname"),
        ("/srv/git/name.git", None),
        ("", None),
    ],
)
def test_a_badge_opens_lesson_1_in_its_language(remote: str, place: str | None, lang: str) -> None:
    assert badges.provider(remote) == place
    links = re.findall(r"\((https://mybinder\.org/v2/[^)]+)\)", badges.paragraph(place, lang))
    assert len(links) == (2 if place else 0)
    for link, language in zip(links, sorted(["en", "zh"], key=lambda it: it != lang), strict=False):
        assert link.startswith(f"https://mybinder.org/v2/{place}/HEAD?urlpath=lab%2Ftree%2F")
        lesson = urllib.parse.unquote(link.partition("lab%2Ftree%2F")[2])
        assert lesson == f"lessons/{language}/01_first_gradient.ipynb"
        assert (ROOT / lesson).exists()


def test_the_picture_is_what_the_code_beside_it_draws() -> None:
    """Where this fails, `python docs/pictures.py` remakes it. (Its text is compared: layouts differ by Graphviz.)"""
    *setup, drawing = blocks(read("README.md"), "python")[0].strip().splitlines()
    variables: dict = {}
    exec("\n".join(setup), variables)
    picture = eval(drawing, variables)
    assert isinstance(picture, viz.Picture)
    described = re.search(r"<desc[^>]*>(.*?)</desc>", read("docs/first-gradient.svg"), re.DOTALL).group(1)
    assert html.unescape(described) == picture.text


@pytest.mark.parametrize(("lang", "name"), [("en", "README.md"), ("zh", "README.zh.md")])
def test_the_lessons_are_those_of_the_index(lang: str, name: str) -> None:
    """The table of lessons, with a picture of each, stands in the index; seen from here its paths are longer."""
    index = json.loads(read(f"lessons/{lang}/00_index.ipynb"))
    table = next("".join(cell["source"]) for cell in index["cells"] if "lessons/pictures" in "".join(cell["source"]))
    rows = [line.replace("../../lessons/", "lessons/") for line in table.splitlines() if line.startswith("|")]
    rows = [re.sub(r"\]\((\d\d_\w+\.ipynb)\)", rf"](lessons/{lang}/\1)", row) for row in rows]
    assert len(rows) == 2 + 13
    assert "\n".join(rows) in read(name)
