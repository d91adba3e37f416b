"""One reader, one language: every text that a learner meets, in English for one and in Chinese for the other.

PyTorch's own messages, names, code and formulas stay as they are for both.
"""

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html import unescape
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import nbformat
import pytest

import minigrad
import viz
from minigrad import hints
from minigrad.cures import CURES
from minigrad.refusals import REFUSALS
from minigrad_lessons import command, doctor, source
from minigrad_lessons.export import Around, Link, converter, read
from minigrad_lessons.source import CHINESE, LANGUAGES
from viz.language import data
from viz.model.formulas import in_chinese

ROOT = Path(__file__).parents[1]
#: What is no language: code, formulas, addresses, tags, placeholders, and the English name of a term in brackets.
NEITHER = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$\n]+\$|\]\([^)]*\)|https?://\S+|<[^>]*>|\{[^{}]*\}|[“\"][^”\"\n]*[”\"]|'[^'\n]*'"
    r"|\*[A-Za-z][^*一-鿿]*\*|报错了：[^一-鿿]*|（[\w .,/+=%-]*[A-Za-z][^（）一-鿿]*）|\*\*[A-Za-z][^*一-鿿]*\*\*",
    re.DOTALL,
)
#: A word, and no part of code: `loss.item()`, `requires_grad`, `w2`, `--lang`, `lessons/`, AddBackward0.
WORD = re.compile(r"(?<![\w./\\(\[{=*+<>@#&_-])[A-Za-z][a-z]+(?![\w.(\[=}/_-]*[\w(\[={/_])")
#: Names, of things and in code, and the few words that Chinese leaves as they are.
NAMES = """
    Python NumPy numpy cupy CuPy Jupyter JupyterLab Lab Binder Git PyTorch minigrad viz torch Graphviz graphviz Linux
    Windows Chromium Safari Firefox Enter Esc Tab Home End Space Shift Ctrl English Colab Dask dask Ray
    sudo None True False nan inf dtype float int shape grad leaf loss data value detach backward softmax relu sigmoid
    MyReLU Function Variable Tensor Autograd autograd TypeError NULL Jacobian
"""


def notebooks(lang: str) -> Iterator[tuple[str, str]]:
    """What a built notebook says: its prose, what its cells print, and the words in its pictures.

    The names of its program are no words: they stand in pictures, too. Of errors and warnings what is beneath them.
    """
    for path in sorted((ROOT / "minigrad_lessons" / lang).glob("*[!y].ipynb")):  # the glossary is in both
        cells = nbformat.read(path, as_version=4).cells
        program = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        known = {*re.findall(r"[A-Za-z_]+", NEITHER.sub("", program)), *re.findall(r'"(\w+)"', program)}
        names = re.compile(rf"\b({'|'.join(known)})\b")
        for number, cell in enumerate(cells):
            where = f"{path.stem}[{number}]"
            if cell.cell_type == "markdown":
                yield where, re.sub(r"^\[English\].*", "", cell.source, flags=re.MULTILINE)
                continue
            comments = re.findall(r"# (.*)", cell.source)
            yield where, "\n".join(comments)
            for output in cell.outputs:
                if output.output_type == "stream":
                    lines = output.text.splitlines()
                    yield where, names.sub("", "\n".join(line for line in lines if not QUOTED.search(line)))
                elif output.output_type == "error":
                    lines = "\n".join(output.traceback).splitlines()
                    yield where, "\n".join(line for line in lines if line.startswith("minigrad"))
                else:
                    for mime, said in output.data.items():
                        if mime in ("text/plain", "image/svg+xml"):
                            said = in_svg(said) if "svg" in mime else said
                            lines = (line for line in said.splitlines() if not QUOTED.search(line))
                            yield f"{where} {mime}", names.sub("", "\n".join(lines))


#: A line that Python or PyTorch says: of a warning, an error, a traceback, source code.
QUOTED = re.compile(r"Warning: |Error\b|^  |^def |invalid character|context manager protocol|mplicitly created")


def in_svg(svg: str) -> str:
    """What a picture says to who sees it and who hears it."""
    return "\n".join(e.text or "" for e in ET.fromstring(svg).iter() if e.tag.rpartition("}")[2] != "style")


def pairs(lang: str) -> Iterator[tuple[str, str]]:
    """The words that stand in the code in both languages, one of each pair: the hints under errors first."""
    yield from ((words, hint[lang == "zh"]) for words, hint in CURES.items())
    for path in sorted(p for part in ("minigrad", "viz", "minigrad_lessons") for p in (ROOT / part).rglob("*.py")):
        if "src" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in PAIRED:
                english, chinese = PAIRED[getattr(node.func, "id", getattr(node.func, "attr", ""))]
                chosen = english if lang == "en" else chinese
                yield from ((where, written(arg)) for arg in node.args[chosen])
            elif isinstance(node, ast.Dict):
                yield from (
                    (where, written(value))
                    for key, value in zip(node.keys, node.values)
                    if isinstance(key, ast.Constant) and key.value == lang and not isinstance(value, ast.Dict)
                )


#: Functions that are given the same words twice: which arguments are English, and which Chinese.
PAIRED = {
    "Says": (slice(0, 1), slice(1, 2)),
    "with_hint": (slice(1, 2), slice(2, 3)),
    "message": (slice(0, 2), slice(2, 3)),
    "wrong": (slice(0, 1), slice(1, 2)),
    "right": (slice(0, 1), slice(1, 2)),
    "todo": (slice(0, 1), slice(1, 2)),
}


def written(node: ast.expr) -> str:
    """The text of a string in code; what is put in when it runs is left out."""
    parts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return "{}".join(parts)


def panel(lang: str) -> Iterator[tuple[str, str]]:
    yield from ((key, row[lang]) for key, row in data("words.json").items() if "what" not in row)


def formulas(lang: str) -> Iterator[tuple[str, str]]:
    for line in (ROOT / "viz" / "model" / "formulas.txt").read_text(encoding="utf-8").splitlines():
        name, _, said = line.partition(" " * 6)
        yield name, in_chinese(said) if lang == "zh" else said


def pictures(lang: str) -> Iterator[tuple[str, str]]:
    """Pictures with everything on them, their words, a recorded pass, and what differs between two."""
    w, b = minigrad.tensor([2.0, 1.0], requires_grad=True), minigrad.tensor(1.0, requires_grad=True)
    w.register_hook(lambda grad: None)
    part, _ = (w * 3).split(1)
    loss = (part * b + w.detach()).relu().sum()
    show = ("saved", "formula", "order", "untracked")
    for picture in (viz.draw(loss, show=show), viz.draw(loss, around="b", depth=1)):
        yield "picture", in_svg(picture.svg)
        yield "repr", repr(picture)
    loss.backward()
    yield "after", in_svg(viz.draw(loss, show=show).svg)
    yield "text", viz.text(loss)
    y = (w * w).sum()
    with viz.record(y) as run:
        y.backward()
    yield "pass", repr(run)
    yield "pass", in_svg(run._repr_mimebundle_()["image/svg+xml"])


def tables(lang: str) -> Iterator[tuple[str, str]]:
    """What stands under PyTorch's warnings, and above the docstrings of what the lessons use."""
    for table in ("warnings", "summaries"):
        yield from hints._rows(table) if lang == "zh" else ()


def command_line(lang: str) -> Iterator[tuple[str, str]]:
    for words in ((), ("lab",), ("export",), ("doctor",), ("solutions",), ("report",)):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), pytest.raises(SystemExit):
            command.main([*words, "--help"])
        yield f"minigrad {' '.join(words)} --help", said.getvalue()
    for words in ((), ("paint",), ("lab", "--lang", "fr"), ("lab", "--lang"), ("doctor", "--xx"), ("report",)):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), pytest.raises(SystemExit):
            command.main(words)
        yield f"minigrad {' '.join(words)}", said.getvalue()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        doctor.main(lang)
    yield "minigrad doctor", said.getvalue()


def docs(lang: str) -> Iterator[tuple[str, str]]:
    """The pages of documentation that are there in both languages."""
    for path in sorted((*ROOT.glob("*.zh.md"), *(ROOT / "docs").glob("*.zh.md"))):
        text = (path if lang == "zh" else path.with_name(path.name.replace(".zh", ""))).read_text(encoding="utf-8")
        yield path.name, re.sub(r"^\[(English|中文)\].*|!\[[^\]]*\]", "", text, flags=re.MULTILINE)


def checks(lang: str) -> Iterator[tuple[str, str]]:
    """What the tables of the exercises say of a wrong line."""
    for row in (ROOT / "minigrad_lessons" / "checks" / "tables.md").read_text(encoding="utf-8").splitlines():
        if row.startswith("| `"):
            line, _, en, zh = row.strip("| ").split(" | ")
            yield line, en if lang == "en" else zh


def pages(lang: str) -> Iterator[tuple[str, str]]:
    """What an exported page says around its notebook, to who sees it and who hears it."""
    lesson = ROOT / "minigrad_lessons" / lang / "06_accumulate.ipynb"
    convert = converter({lesson: lesson.with_suffix(".html")})
    links = {name: Link("page.html", "", lang) for name in ("previous", "home", "following")}
    html = convert(lesson, read(lesson), Around(lang, "", **links))
    html = re.sub(r"<(style|script|code|pre|math|svg)\b.*?</\1>", " ", html[html.index("<body") :], flags=re.DOTALL)
    spoken = re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', html)
    yield "seen", unescape(re.sub(r"<[^>]*>", " ", html))
    yield "heard", unescape("\n".join(spoken))


def sheets(lang: str) -> Iterator[tuple[str, str]]:
    html = (ROOT / "minigrad_lessons" / lang / "cheat_sheet.html").read_text(encoding="utf-8")
    html = re.sub(r"<(style|script|code|pre|math)\b.*?</\1>", " ", html, flags=re.DOTALL)
    yield "cheat_sheet.html", unescape(re.sub(r"<[^>]*>", " ", html))


#: Where words come from, and what else is no English there: code that stands without marks, functions of mathematics.
MATHS = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arsinh arcosh artanh ln exp erf sign trunc det var mean min max dt"
)
SOURCES = {
    notebooks: "view reshape clone matmul exp log add array package method Basic Ellipsis self other result mean max "
    "device",
    pairs: "with as run return pip install path target input forward variable Parameter Graph Node Edge engine timeout "
    "language dot pygraphviz there here pickle logits apply expression unbroadcast grads gradcheck numerical "
    "analytical exp clone kept apt ctx dim numbers action",
    panel: "In with def return forward target ctx total",
    formulas: f"{MATHS} part digamma reflect edge correction values places",  # names of arguments, too
    pictures: "self other result part",
    command_line: "lab export doctor solutions report folder folders notebooks browser pip install ipywidgets "
    "anywidget jupyterlab en zh",
    sheets: "",
    docs: "pip pygraphviz anywidget ipywidgets torchviz torchlens torchvista micrograd tinygrad autodidact Pyodide npm "
    "node shell docstring Kubernetes The Littlest Ubuntu Alpine Code to values clone numerical analytical matmul log "
    "reshape mean cat zeros import apt glib slim ms ns Processor Transformer nbgrader nbsphinx nbdime nbstripout "
    "Jupytext Book Quarto Word Wine",
    checks: "double rsub pow sum repr print kept clone exp sin input clamp maximum log level total",
    pages: "kept other",
    tables: "target input outputs inputs item numpy batchmean seq dim gradcheck min max",
}


def foreign(text: str, lang: str, known: str = "") -> list[str]:
    """The words of the other language in a text."""
    plain, allowed = NEITHER.sub(" ", text), {*NAMES.split(), *known.split()}
    if lang == "en":
        return re.findall(f"{CHINESE.pattern}+", plain)
    return [word for word in WORD.findall(plain) if word not in allowed]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("texts", SOURCES, ids=lambda texts: texts.__name__)
def test_a_reader_meets_one_language(texts, lang, monkeypatch):
    monkeypatch.setenv("MINIGRAD_LANG", lang)
    found = {where: " ".join(words) for where, text in texts(lang) if (words := foreign(text, lang, SOURCES[texts]))}
    assert not found, json.dumps(found, ensure_ascii=False, indent=1)


def test_a_chinese_reader_finds_a_line_under_a_warning(monkeypatch):
    monkeypatch.setenv("MINIGRAD_LANG", "zh")
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
    hints.tell_warnings()
    y = minigrad.ones(1, requires_grad=True) * 2
    with pytest.warns(UserWarning, match="not a leaf") as caught:
        assert y.grad is None
    said = warnings.formatwarning(caught[0].message, UserWarning, "file", 1, "")
    assert said.startswith("file:1: UserWarning: The .grad attribute")
    assert said.splitlines()[-1].startswith("minigrad：正在读取非叶子张量的 .grad")
    assert "minigrad：" not in warnings.formatwarning(UserWarning("another"), UserWarning, "file", 1, "")


def warned() -> Iterator[str]:
    """The words of every warning in the code."""
    yield from (words for kind, words, *_ in REFUSALS.values() if issubclass(kind, Warning))
    for path in (ROOT / "minigrad").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in ("warn", "warnings.warn"):
                words = call.args[0]
                if isinstance(words, ast.Name) and words.id.isupper():
                    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                    yield getattr(import_module(module), words.id)
                elif isinstance(words, (ast.Constant, ast.JoinedStr)):
                    yield written(words)


def test_every_warning_has_a_chinese_line_and_every_line_a_warning():
    said, lines = list(warned()), [words for words, _ in hints._rows("warnings")]
    assert len(said) > 15
    assert [words for words in said if not any(line in words for line in lines)] == []
    assert [line for line in lines if not any(line in words for words in said)] == []


HELP = """
from operator import attrgetter
import minigrad
from minigrad import hints
for name, chinese in hints._rows("summaries"):
    said = attrgetter(name.replace(":", "."))(minigrad).__doc__
    assert said.startswith(chinese + chr(10)) and said.count(chinese) == 1, name
"""


def test_help_begins_in_chinese_for_a_chinese_reader():
    subprocess.run([sys.executable, "-c", HELP], env={**os.environ, "MINIGRAD_LANG": "zh"}, cwd=ROOT, check=True)


def test_what_the_lessons_call_is_said_in_chinese():
    code = "\n".join(cell.source for name in source.names() for cell in source.read(name).code)
    called = set(re.findall(r"\btorch\.([\w.]*\w)\(", code))
    told = [attrgetter(name.replace(":", "."))(minigrad) for name, _ in hints._rows("summaries")]
    assert [name for name in called if callable(thing := attrgetter(name)(minigrad)) and thing not in told] == []
