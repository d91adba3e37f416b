"""The `minigrad` command: a learner's own work is never overwritten, and goes on where it stopped."""

import contextlib
import json
import os
import sys
from pathlib import Path

import pytest

from lessons import command, doctor, source
from lessons.language import LANGUAGES, Says
from lessons.progress import exercises, first_unfinished, record


@pytest.fixture
def opened(monkeypatch):
    """`minigrad lab` with JupyterLab's own start left out; what it would have been started with."""
    labapp = pytest.importorskip("jupyterlab.labapp")
    calls = []
    monkeypatch.setattr(labapp.LabApp, "launch_instance", lambda argv: calls.append(argv))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    return calls


@pytest.fixture(autouse=True)
def beside_the_notebooks(monkeypatch):
    """Progress is kept where a learner's is."""
    monkeypatch.delenv("MINIGRAD_PROGRESS", raising=False)


def solve(folder: Path, *names: str) -> None:
    """Answer exercises, in the kernel of a notebook in `folder`."""
    with contextlib.chdir(folder):
        for name in names:
            record(name)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_lab_opens_the_first_lesson_in_a_new_folder(opened, tmp_path, lang):
    assert command.main(["lab", "--lang", lang, "--dir", str(tmp_path / "mine")]) == 0
    assert opened[-1][-1] == str(tmp_path / "mine" / "lessons" / lang / "01_first_gradient.ipynb")
    assert f"--ServerApp.root_dir={tmp_path / 'mine'}" in opened[-1]


def test_lab_goes_on_at_the_first_lesson_with_an_open_exercise(opened, tmp_path):
    command.main(["lab", "--lang", "zh", "--dir", str(tmp_path)])
    folder = tmp_path / "lessons" / "zh"
    first, second = folder / "01_first_gradient.ipynb", folder / "02_tensors_and_views.ipynb"
    solve(first.parent, *exercises(first.stem), *exercises(second.stem)[1:])
    command.main(["lab", "--lang", "zh", "--dir", str(tmp_path)])
    assert opened[-1][-1] == str(second)


def test_lab_opens_the_index_when_everything_is_done(tmp_path):
    command.copy_lessons(tmp_path)
    folder = tmp_path / "lessons" / "en"
    for notebook in folder.glob("*.ipynb"):
        solve(folder, *exercises(notebook.stem))
    assert first_unfinished(folder).name == "00_index.ipynb"


def test_lab_never_overwrites_what_is_there_and_brings_back_what_is_gone(opened, tmp_path, capsys):
    command.main(["lab", "--lang", "en", "--dir", str(tmp_path)])
    mine = tmp_path / "lessons" / "en" / "01_first_gradient.ipynb"
    mine.write_text("my work", encoding="utf-8")
    gone = tmp_path / "lessons" / "zh" / "03_the_graph.ipynb"
    gone.unlink()
    capsys.readouterr()
    command.main(["lab", "--lang", "en", "--dir", str(tmp_path)])
    assert mine.read_text(encoding="utf-8") == "my work"
    assert gone.exists()
    assert f"New in {tmp_path}: 1." in capsys.readouterr().out


def test_every_link_of_the_copied_lessons_leads_somewhere(tmp_path):
    command.copy_lessons(tmp_path)
    for notebook in (tmp_path / "lessons").rglob("*.ipynb"):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            for link in source.links("".join(cell["source"])) if cell["cell_type"] == "markdown" else []:
                if ":" not in link:
                    assert (notebook.parent / link.partition("#")[0]).exists(), f"{link} in {notebook.name}"


def test_export_of_a_notebook_that_is_not_there_says_so(tmp_path, capsys):
    assert command.main(["export", "--lang", "zh", "--dir", str(tmp_path), str(tmp_path / "no.ipynb")]) == 1
    assert "找不到笔记本" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_options_of_jupyterlab_are_passed_on(opened, tmp_path):
    command.main(["lab", "--dir", str(tmp_path), "--no-browser", "--port=9999"])
    assert {"--no-browser", "--port=9999"} <= set(opened[-1])


def test_jupyterlab_asks_nothing_speaks_the_learners_language_and_keeps_nothing(monkeypatch, opened, tmp_path):
    labapp = pytest.importorskip("jupyterlab.labapp")
    settings = pytest.importorskip("jupyterlab_server.settings_utils")
    schemas = Path(labapp.__file__).parent / "schemas"
    seen = []

    def look(argv):
        """What JupyterLab itself reads as its defaults while it runs."""
        overrides, error = settings._get_overrides(str(tmp_path / "no-app-settings"))
        assert error == ""
        names = ("@jupyterlab/apputils-extension:notification", "@jupyterlab/translation-extension:plugin")
        for name in names:  # a setting of another name would be ignored
            package, plugin = name.split(":")
            known = json.loads((schemas / package / f"{plugin}.json").read_text(encoding="utf-8"))["properties"]
            assert set(overrides.get(name, {})) <= set(known)
        seen.append([overrides.get(name) for name in names])

    monkeypatch.setattr(labapp.LabApp, "launch_instance", look)
    for lang in LANGUAGES:
        command.main(["lab", "--lang", lang, "--dir", str(tmp_path)])
        assert not Path(os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0]).exists()
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    assert seen == [[quiet, None], [quiet, {"locale": "zh_CN"}]]


def test_lab_without_jupyterlab_says_where_to_ask(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", None)
    assert command.main(["lab", "--lang", "en", "--dir", str(tmp_path)]) == 1
    assert "minigrad doctor" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("environment", "lang"),
    [({"LANG": "zh_CN.UTF-8"}, "zh"), ({"LANG": "zh_CN", "LC_ALL": "en_GB.UTF-8"}, "en"), ({"LANG": "de_DE"}, "en")],
)
def test_the_language_is_the_systems(monkeypatch, environment, lang):
    for name in ("MINIGRAD_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert command.system_language() == lang


def test_the_doctor_finds_nothing_missing_here(capsys):
    assert doctor.main("en") == 0
    assert "❌" not in capsys.readouterr().out


@pytest.mark.parametrize(("lang", "state"), [("en", "missing"), ("zh", "没有安装")])
def test_the_doctor_names_what_is_missing_and_the_command_that_brings_it(monkeypatch, capsys, lang, state):
    monkeypatch.setattr(doctor, "_kernel", lambda: None)
    monkeypatch.setattr(doctor, "PARTS", {**doctor.PARTS, "no_such_part": Says("nothing", "没有用处")})
    assert doctor.main(lang) == 1
    said = capsys.readouterr().out
    assert state in said
    assert f"{sys.executable} -m pip install no_such_part" in said


def test_the_doctor_finds_a_kernel_that_cannot_import_the_lessons(monkeypatch):
    def broken():
        raise RuntimeError("in the kernel, ModuleNotFoundError: No module named 'minigrad'")

    monkeypatch.setattr(doctor, "_kernel", broken)
    (found,) = [finding for finding in doctor.examine() if "kernel" in finding.name.en]
    assert found.needed
    assert "No module named 'minigrad'" in found.name.en
    assert "pip install" in found.get.en
