"""The English that a learner reads, word by word against a dictionary."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from minigrad_lessons import source

spellchecker = pytest.importorskip("spellchecker", reason="pip install pyspellchecker")
ROOT = Path(__file__).parents[2]
FURTHER = [f"docs/{name}.md" for name in ("gallery/features", "install", "peers", "gpu", "speed")]
WORDS = Path(__file__).with_name("words.txt")
DICTIONARY = spellchecker.SpellChecker()
DICTIONARY.word_frequency.load_words(WORDS.read_text(encoding="utf-8").split())


def prose(text: str) -> str:
    """Markdown without code, formulas and the addresses of links."""
    text = re.sub(r"^ *```.*?^ *```|^\$\$.*?\$\$", " ", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]+`|\$[^$\n]+\$|\]\([^)]*\)", " ", text)


def misspelt(text: str) -> list[str]:
    words = re.findall(r"(?<![\w./])[A-Za-z][A-Za-z'’]*[A-Za-z](?![\w(=]|\.\w)", text)
    plain = {word.replace("’", "'").removesuffix("'s") for word in words}
    return sorted(DICTIONARY.unknown(plain))


def sentences(path: Path) -> Iterator[str]:
    """What a module of checks may say in English, its docstrings too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        said = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if " " in said.strip() and not source.CHINESE.search(said):
            yield said


@pytest.mark.parametrize("name", [*source.pages(), "cheat_sheet"])
def test_lessons_are_spelt_right(name):
    assert misspelt(prose("\n".join(pair.en for pair in source.read(name).prose))) == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "minigrad_lessons" / "checks").glob("*.py")), ids=lambda path: path.stem
)
def test_what_the_checks_say_is_spelt_right(path):
    assert misspelt(prose("\n".join(sentences(path)))) == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *FURTHER])
def test_what_a_stranger_reads_first_is_spelt_right(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"<!-- benchmark -->.*<!-- /benchmark -->", "", text, flags=re.DOTALL)  # written by a program
    text = re.sub(r'</?\w+(?:[^>]*?\balt="([^"]*)")?[^>]*>', r" \1 ", text)  # of HTML what it says
    assert misspelt(prose(text)) == []


@pytest.mark.parametrize("typo", ["gradeint", "recieve", "teh", "computaion", "seperate", "lern", "tensr"])
def test_a_slip_is_found(typo):
    assert misspelt(f"This is the {typo}.")


def test_code_and_formulas_are_left_alone():
    text = "See `requries_grad`, $\\nabla f$, [this](03_teh_graph.ipynb)\n```\nteh = 1\n```\n$$\\fracc{1}{2}$$\n"
    assert misspelt(prose(text)) == []


def test_the_word_list_is_sorted_and_has_no_idle_word():
    words = WORDS.read_text(encoding="utf-8").split()
    assert words == sorted(set(words))
    unaided = spellchecker.SpellChecker()
    assert words == sorted(unaided.unknown(words))
