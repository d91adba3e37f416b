"""What is installed is what was asked for: numpy alone computes and prints, whatever else is wanted is named, and a
file that stands in the way of a name is told of. (`.ci/outside.py wheel` installs the wheel alone, from nothing.)"""

import importlib
import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from minigrad_lessons import doctor, names

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

# What is neither the standard library nor ours nor named is not found, as if it were not installed.
ALONE = """
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder
here, *installed = sys.argv[1:]
there = sys.stdlib_module_names | {"numpy", "minigrad", "viz", "minigrad_lessons", *installed}

class Installed(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        package = name.partition(".")[0]
        if package in there or package.startswith("_sysconfigdata"):
            return super().find_spec(name, path, target)

sys.meta_path[:] = [BuiltinImporter, FrozenImporter, Installed]
sys.path.insert(0, here)
import minigrad as torch
import viz

w = torch.tensor(3.0, requires_grad=True)
loss = w * w
def said(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


def alone(program: str, *installed: str, **environment: str) -> str:
    """What a program prints where numpy and `installed` are all there is."""
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", ALONE + program, str(ROOT), *installed],
        capture_output=True, encoding="utf-8", env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def brought(extra: str) -> set[str]:
    """The names of all that an extra brings, through the extras that it names, too."""
    found = set()
    for wanted in map(Requirement, EXTRAS[extra]):
        if wanted.name == PROJECT["name"]:
            found |= {name for other in wanted.extras for name in brought(other)}
        else:
            found.add(wanted.name)
    return found


def test_the_distribution_alone_needs_numpy():
    assert [Requirement(line).name for line in PROJECT["dependencies"]] == ["numpy"]


def test_each_extra_brings_what_is_named_after_it():
    assert {"graphviz", "pygraphviz", "anywidget"} <= brought("viz") < brought("lab") < brought("test")
    assert brought("all") == brought("lab") | brought("gpu") | brought("torch") | brought("test")
    assert set(doctor.PARTS) <= {"numpy"} | brought("lab")


def test_with_numpy_alone_a_graph_is_shown_and_a_pass_recorded_in_words():
    said = alone("print(viz.text(loss))\nwith viz.record(loss) as run: loss.backward()\nprint(run)")
    assert "op1 MulBackward0" in said
    assert "AccumulateGrad" in said


@pytest.mark.parametrize(
    "call", ["viz.draw(loss).svg", "viz.draw(loss).source", "viz.draw(loss).save('no.svg')", "viz.play(run)"]
)
def test_with_numpy_alone_what_draws_says_what_to_install(call):
    said = alone(f"with viz.record(loss) as run: loss.backward()\nprint(said(lambda: {call}))")
    assert 'pip install "minigrad-lessons[viz]"' in said.splitlines()[1]
    assert "请运行" in said.splitlines()[2]


def test_a_notebook_without_the_widgets_is_told_what_follows_it():
    kernel = "import types\nshell = types.SimpleNamespace(kernel=1)\nimport viz.notebook.live as it\n"
    said = alone(kernel + "it._shell = lambda: shell\nprint(said(viz.live))")
    assert said.startswith("ModuleNotFoundError: viz.live() needs ")
    assert 'pip install "minigrad-lessons[viz]"' in said


@pytest.fixture
def dot(tmp_path):
    """The folder of a real Graphviz behind a real `dot` command: the one of this Python's wheel."""
    pytest.importorskip("pygraphviz")
    if os.name == "nt":
        pytest.skip("a program of one file, as Unix runs it")
    program = tmp_path / "dot"
    program.write_text(
        f"#!{sys.executable}\nimport sys, pygraphviz\n"
        "kind = next(a[2:] for a in sys.argv if a.startswith('-T'))\n"
        "graph = pygraphviz.AGraph(string=sys.stdin.read())\n"
        "sys.stdout.buffer.write(graph.draw(format=kind, prog='dot'))\n",
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def test_where_there_is_no_pygraphviz_a_dot_program_draws(dot):
    program = "print(said(lambda: viz.draw(loss).svg))"
    assert "<svg" in alone(program, "graphviz", PATH=str(dot))
    assert "pip install" in alone(program, "graphviz", PATH=str(dot / "nothing"))


def test_where_the_system_lacks_a_library_of_pygraphviz_a_dot_program_draws(dot):
    """A slim container: the wheel is installed, and takes glib and some more from the system, which has none."""
    program = """
from viz.picture import render
render._CHILD = render._CHILD.replace("import pygraphviz", "raise ImportError('libgobject-2.0.so.0: cannot open')")
print(said(lambda: viz.draw(loss).svg))
viz.options.engine = "pygraphviz"
print(said(lambda: viz.draw(loss).svg))
"""
    refused = "LayoutError: pygraphviz cannot be loaded: libgobject-2.0.so.0: cannot open\n"
    drawn, _, rest = alone(program, "graphviz", "pygraphviz", PATH=str(dot)).partition("</svg>\n")
    assert drawn.startswith("<svg")
    assert rest.lstrip().startswith(refused)
    without = alone(program, "graphviz", "pygraphviz", PATH=str(dot / "nothing"))
    assert without.count(refused) == 2
    assert "apt install graphviz" in without


def test_the_doctor_says_what_brings_a_library_of_the_system(tmp_path, monkeypatch, capsys):
    (tmp_path / "pygraphviz.py").write_text("raise ImportError('libgobject-2.0.so.0: cannot open')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pygraphviz", raising=False)
    monkeypatch.setattr(doctor, "_picture", lambda: importlib.import_module("pygraphviz"))
    assert doctor.main("en") == 1
    said = capsys.readouterr().out
    assert "cannot open\n   → a library of the system is missing; its Graphviz brings it, for example: apt " in said


def test_the_doctor_brings_it_all_by_one_line(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "_kernel", lambda: None)
    for name in ("graphviz", "jupyterlab"):
        monkeypatch.setitem(sys.modules, name, None)
    assert doctor.main("en") == 1
    lines = set(re.findall(r"run: \S+ -m pip install (\S+)\n", capsys.readouterr().out)) - {
        "torch", "jupyterlab-language-pack-zh-CN", "fonts-noto-cjk"
    }  # fmt: skip
    assert lines == {'"minigrad-lessons[lab]"'}


FIRST_CELL = """
import sys
sys.path.insert(0, "")  # as in a kernel
import minigrad as torch
import viz
from minigrad_lessons.checks import first_gradient
"""


def first_cell(folder: Path, *path: Path) -> str:
    """What the first cell of a lesson in `folder` ends with."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_CELL], cwd=folder, capture_output=True, encoding="utf-8",
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [*path, ROOT])), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    return done.stderr


@pytest.mark.parametrize("file", ["viz.py", "minigrad.py", "torch.py", "viz/__init__.py"])
def test_a_learners_own_file_in_the_way_is_named(monkeypatch, capsys, tmp_path, file):
    own = tmp_path / file
    assert first_cell(tmp_path) == ""
    own.parent.mkdir(exist_ok=True)
    own.write_text("", encoding="utf-8")
    said = first_cell(tmp_path)
    assert f"ImportError: `import {file.partition('/')[0].removesuffix('.py')}` brings {own}" in said
    assert "rename that file" in said
    assert "请给这个文件改名" in said
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "_kernel", lambda: None)
    assert doctor.main("en") == 1
    assert capsys.readouterr().out.count(f"brings {own}") == 1


@pytest.mark.parametrize("file", ["viz.py", "minigrad.py", "numpy.py"])
@pytest.mark.parametrize(("arguments", "status"), [("doctor", 1), ("report class", 0), ("export", 2)])
def test_a_command_typed_beside_such_a_file_is_no_traceback(tmp_path, file, arguments, status):
    """The doctor is there to name that file. Installed, the command imports nothing of the folder that it runs in."""
    script = tmp_path / "bin" / "minigrad"
    script.parent.mkdir()
    script.write_text("import sys\nfrom minigrad_lessons.command import main\nsys.exit(main())\n", encoding="utf-8")
    own = tmp_path / "work" / file
    (own.parent / "class").mkdir(parents=True)
    (own.parent / "class" / "minigrad-progress.json").write_text("[]", encoding="utf-8")
    own.write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, "--lang", "zh", *arguments.split()],
        cwd=own.parent, capture_output=True, encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}, check=False,
    )  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    assert (f"导入的是 {own}" in done.stdout) == (status != 0)


def test_another_packages_viz_is_named(tmp_path):
    other = tmp_path / "site-packages" / "viz" / "__init__.py"
    other.parent.mkdir(parents=True)
    other.write_text("", encoding="utf-8")
    (tmp_path / "work").mkdir()
    said = first_cell(tmp_path / "work", other.parents[1])
    assert f"`import viz` brings another package's {other}: uninstall that package" in said
    assert "请卸载那个包" in said


def test_in_the_repository_nothing_stands_in_the_way():
    assert names.taken(ROOT, ROOT / "minigrad_lessons" / "en") == []
