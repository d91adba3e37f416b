"""What a stranger reads first must be true: the commands, the picture, the links."""

import html
import re
from pathlib import Path

import pytest

import viz

ROOT = Path(__file__).parents[1]
READMES = ["README.md", "README.zh.md"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_both_languages_give_the_same_commands_and_code() -> None:
    english, chinese = read("README.md"), read("README.zh.md")
    assert [block.replace("lessons/zh/", "lessons/en/") for block in blocks(chinese, "sh")] == blocks(english, "sh")
    assert blocks(chinese, "python") == blocks(english, "python")


@pytest.mark.parametrize("name", [*READMES, "CONTRIBUTING.md"])
def test_every_path_exists(name: str) -> None:
    text = read(name)
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    mentioned = re.findall(r"`((?:minigrad|viz|lessons|tests|docs|\.ci)/[\w./-]*)`", text)
    in_commands = re.findall(r"\blessons/\S+\.ipynb", text)
    missing = [path for path in linked + mentioned + in_commands if "NN" not in path and not (ROOT / path).exists()]
    assert not missing


def test_the_picture_is_what_the_code_beside_it_draws() -> None:
    """Where this fails, `python docs/pictures.py` remakes it. (Its text is compared: layouts differ by Graphviz.)"""
    *setup, drawing = blocks(read("README.md"), "python")[0].strip().splitlines()
    variables: dict = {}
    exec("\n".join(setup), variables)
    picture = eval(drawing, variables)
    assert isinstance(picture, viz.Picture)
    described = re.search(r"<desc[^>]*>(.*?)</desc>", read("docs/first-gradient.svg"), re.DOTALL).group(1)
    assert html.unescape(described) == picture.text
