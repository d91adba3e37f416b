"""What a stranger reads first must be true: the commands, the picture, the links."""

import html
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import viz
from minigrad_lessons import source

ROOT = Path(__file__).parents[1]
READMES = ["README.md", "README.zh.md"]
#: The pages with commands, by language.
COMMANDS = {"en": ["README.md", "docs/install.md"], "zh": ["README.zh.md", "docs/install.zh.md"]}
CHINESE = [
    "README.zh.md",
    *(f"docs/{name}.zh.md" for name in ("live", "teaching", "hub", "install", "peers", "gpu", "speed", "differences")),
]
PAGES = [*READMES, "CONTRIBUTING.md", *(page.replace(".zh", "") for page in CHINESE[1:]), *CHINESE[1:]]


def script(name: str) -> ModuleType:
    """A script of docs/, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


badges, beside, pictures = script("badges"), script("beside"), script("pictures")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_both_languages_give_the_same_commands_and_code() -> None:
    english, chinese = ("\n".join(map(read, COMMANDS[lang])) for lang in ("en", "zh"))
    assert [block.replace(" --lang zh", "") for block in blocks(chinese, "sh")] == blocks(english, "sh")
    assert blocks(chinese, "python") == blocks(english, "python")


@pytest.mark.parametrize("lang", COMMANDS)
def test_windows_has_the_same_commands(lang: str) -> None:
    """Line by line; its shells do not write out the wheel's name themselves."""
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    windows = {
        "python3 -m venv": "py -m venv",
        ".venv/bin/": ".venv\\Scripts\\",
        "'": '"',
        "$(echo minigrad_lessons-*.whl)": f"minigrad_lessons-{version}-py3-none-any.whl",
    }
    text = "\n".join(map(read, COMMANDS[lang]))
    wanted = "".join(blocks(text, "sh"))
    for here, there in windows.items():
        wanted = wanted.replace(here, there)
    assert blocks(text, "bat") == [wanted]


@pytest.mark.parametrize("name", CHINESE)
def test_no_line_ends_inside_a_chinese_paragraph(name: str) -> None:
    """It would show as a blank between two characters."""
    text = re.sub(r"```.*?```|<!-- benchmark -->.*<!-- /benchmark -->", "", read(name), flags=re.DOTALL)
    broken = re.findall(r"^[^|<#\n].*[\u3000-\uffef]\n(?![-|<#!\d])\S.*", text, re.MULTILINE)
    assert broken == []


@pytest.mark.parametrize("name", PAGES)
def test_every_path_exists(name: str) -> None:
    text, here = read(name), (ROOT / name).parent
    linked = re.findall(r"(?:\]\(|\bsrc(?:set)?=\")(?!https?:)([^)#\"]+)", text)
    mentioned = re.findall(r"`((?:minigrad|viz|minigrad_lessons|tests|docs|binder|\.ci)/[\w./-]*)`", text)
    in_commands = re.findall(r"\bminigrad_lessons/[\w/]+\.ipynb", text)
    missing = [path for path in mentioned + in_commands if "NN" not in path and not (ROOT / path).exists()]
    missing += [path for path in linked if not (here / path).exists()]
    assert not missing


def test_every_command_is_marked_so_that_ci_runs_it() -> None:
    english = "\n".join(map(read, COMMANDS["en"]))
    marked = re.findall(r"<!-- command: (\w+) -->\n```sh\n", english)
    assert len(marked) == len(blocks(english, "sh"))
    ci = read(".ci/run") + read(".ci/outside.py")
    assert [name for name in marked if not re.search(rf"readme_command\(?[ \"]+{name}\b", ci)] == []


@pytest.mark.parametrize("lang", COMMANDS)
def test_what_a_sentence_says_to_type_can_be_typed(lang: str) -> None:
    """Commands inside sentences: each exists, and knows the options that stand in the same paragraph."""
    speed = read("docs/speed.md" if lang == "en" else "docs/speed.zh.md")
    text = re.sub(r"```.*?```", "", "\n\n".join([*map(read, COMMANDS[lang]), speed]), flags=re.DOTALL)
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    named = {extra for group in re.findall(r"-e '\.\[([\w,]+)\]'", text) for extra in group.split(",")}
    assert named == set(extras) - {"dev"}  # that one is CONTRIBUTING.md's
    asked = 0
    for paragraph in re.split(r"\n\n", text):
        codes = re.findall(r"`([^`\n]+)`", paragraph)
        options = {word for code in codes for word in code.split() if word.startswith("--")}
        for code in codes:
            command = re.fullmatch(r"(?:minigrad (\w+)|python -m ([\w.]+))", code)
            if command is None:
                continue
            module = ["minigrad_lessons.command", command[1]] if command[1] else [command[2]]
            said = subprocess.run(
                [sys.executable, "-m", *module, "--help"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
            )
            assert said.returncode == 0, said.stderr
            if command[1] not in ("doctor", "export"):  # the options are those of `minigrad lab`
                assert {option for option in options if option not in said.stdout} == set()
            asked += 1
    assert asked >= 5


@pytest.mark.parametrize(("lang", "name"), [("en", "README.md"), ("zh", "README.zh.md")])
def test_the_badges_are_what_docs_badges_writes(lang: str, name: str) -> None:
    """Where this fails, run `python docs/badges.py`. Only git knows the address: the one that stands there is used."""
    (standing,) = badges.BADGES.findall(read(name))
    place = re.search(r"\(https://mybinder\.org/v2/(\S+)/HEAD", standing)
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
    paragraph = badges.paragraph(place, lang)
    links = re.findall(r"\((https://mybinder\.org/v2/[^)]+)\)", paragraph)
    assert len(links) == (2 if place else 0)
    if not place:  # what to type instead
        assert f"\n{badges.launch('gh/OWNER/NAME', lang)}\n" in paragraph
    for link, language in zip(links, sorted(["en", "zh"], key=lambda it: it != lang), strict=False):
        assert link.startswith(f"https://mybinder.org/v2/{place}/HEAD?urlpath=lab/tree/")
        lesson = link.partition("lab/tree/")[2]
        assert lesson == f"minigrad_lessons/{language}/01_first_gradient.ipynb"
        assert (ROOT / lesson).exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_first_push_brings_the_badges_and_the_next_changes_nothing(tmp_path: Path) -> None:
    """The command of .github/workflows/badges.yml, in a repository that is published, moved and taken back."""
    assert "run: python3 docs/badges.py\n" in read(".github/workflows/badges.yml")
    (tmp_path / "docs").mkdir()
    for name in [*READMES, "docs/badges.py"]:
        shutil.copy(ROOT / name, tmp_path / name)

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True)

    def written() -> list[str]:
        subprocess.run([sys.executable, "docs/badges.py"], cwd=tmp_path, check=True, capture_output=True)
        return [(tmp_path / name).read_text(encoding="utf-8") for name in READMES]

    git("init")
    local = written()
    git("remote", "add", "origin", "https://github.com/owner/name")
    published = written()
    for lang, text in zip(("en", "zh"), published, strict=True):
        first, second = re.findall(r"\]\(https://mybinder\.org/v2/([^?]+)\?urlpath=([^)]+)\)", text)
        assert first == ("gh/owner/name/HEAD", f"lab/tree/minigrad_lessons/{lang}/01_first_gradient.ipynb")
        assert second[0] == first[0]
        assert f"(docs/launch-{lang}.svg)" in text
    assert written() == published
    git("remote", "set-url", "origin", "git@gitlab.com:group/sub/name.git")
    moved = [text.replace("gl/group%2Fsub%2Fname", "gh/owner/name") for text in written()]
    assert moved == [badges.linked(text, None) for text in published]  # GitHub's pages are GitHub's
    git("remote", "remove", "origin")
    assert written() == local


@pytest.mark.parametrize("name", ["docs/speed.md", "docs/speed.zh.md"])
def test_the_seconds_are_those_that_were_measured(name: str) -> None:
    measured = read("tests/benchmarks/first_gradient.txt")
    seconds = re.findall(r"(?:together|Lesson 1 ran) +([\d.]+) s", measured)
    paragraph = next(part for part in re.split(r"\n\n", read(name)) if "first_gradient.txt" in part)
    said = [int(number) for number in re.findall(r"(\d+) (?:s\b|秒)", paragraph)]
    ours, lesson, theirs = (int(float(number) + 0.5) for number in seconds)
    assert said == [ours, theirs, lesson]


@pytest.mark.parametrize("page", [*READMES, "docs/live.md", "docs/live.zh.md"])
def test_a_command_remakes_every_picture(page: str) -> None:
    """`docs/pictures.py`, `docs/beside.py` and `docs/badges.py` do; `minigrad_lessons.build` for the lessons' own."""
    found = re.findall(r"!\[[^\]]*\]\(([^)]+)\)|\bsrc(?:set)?=\"([^\"]+)\"", read(page))
    shown = {(ROOT / page).parent / (inline or html) for inline, html in found}
    lessons = {ROOT / "minigrad_lessons" / "pictures" / f"{name}.svg" for name in source.names()}
    launch = {ROOT / "docs" / f"launch-{lang}.svg" for lang in ("en", "zh")}
    assert shown
    assert shown - pictures.files() - beside.files() - lessons - launch == set()


def test_the_picture_is_what_the_code_beside_it_draws() -> None:
    """Where this fails, `python docs/pictures.py` remakes it. (Its text is compared: layouts differ by Graphviz.)"""
    *setup, drawing = blocks(read("README.md"), "python")[0].strip().splitlines()
    variables: dict = {}
    exec("\n".join(setup), variables)
    picture = eval(drawing, variables)
    assert isinstance(picture, viz.Picture)
    described = re.search(r"<desc[^>]*>(.*?)</desc>", read("docs/first-gradient.svg"), re.DOTALL).group(1)
    assert html.unescape(described) == picture.alt


@pytest.mark.parametrize(("lang", "name"), [("en", "README.md"), ("zh", "README.zh.md")])
def test_the_lessons_are_those_of_the_index(lang: str, name: str) -> None:
    """The table of lessons, with a picture of each, stands in the index; seen from here its paths are longer."""
    index = json.loads(read(f"minigrad_lessons/{lang}/00_index.ipynb"))
    table = next("".join(cell["source"]) for cell in index["cells"] if "../pictures" in "".join(cell["source"]))
    rows = [line.replace("../", "minigrad_lessons/") for line in table.splitlines() if line.startswith("|")]
    rows = [re.sub(r"\]\((\d\d_\w+\.ipynb)\)", rf"](minigrad_lessons/{lang}/\1)", row) for row in rows]
    assert len(rows) == 2 + len(source.names()[1:])
    assert "\n".join(rows) in read(name)


@pytest.mark.parametrize("name", [*READMES, "docs/live.md", "docs/live.zh.md"])
def test_every_picture_says_what_it_shows_in_the_language_of_its_page(name: str) -> None:
    page = read(name)
    alts = [alt or html for alt, html in re.findall(r'!\[([^\]]*)\]\(|<img [^>]*alt="([^"]*)"', page)]
    assert len(alts) == len(re.findall(r"!\[|<img ", page)) > 1
    for alt in alts:
        assert len(alt) > 5
        assert bool(re.search("[\u4e00-\u9fff]", alt)) == (".zh." in name)
