"""The `minigrad` command: a learner's own work is never overwritten, and goes on where it stopped."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from minigrad_lessons import command, copies, doctor, source
from minigrad_lessons.language import LANGUAGES, Says
from minigrad_lessons.progress import exercises, first_unfinished, record


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


def address(lesson: Path) -> str:
    """The option by which JupyterLab opens a lesson, and prints where it is."""
    return f"--LabApp.default_url=/lab/tree/lessons/{lesson.parent.name}/{lesson.name}"


def solve(folder: Path, *names: str) -> None:
    """Answer exercises, in the kernel of a notebook in `folder`."""
    with contextlib.chdir(folder):
        for name in names:
            record(name)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_lab_opens_the_first_lesson_in_a_new_folder(opened, tmp_path, lang):
    before = dict(os.environ)
    assert command.main(["lab", "--lang", lang, "--dir", str(tmp_path / "mine")]) == 0
    assert dict(os.environ) == before, "what is started next in this process would open otherwise"
    assert address(tmp_path / "mine" / "lessons" / lang / "01_first_gradient.ipynb") in opened[-1]
    assert f"--ServerApp.root_dir={tmp_path / 'mine'}" in opened[-1]


def test_lab_goes_on_at_the_first_lesson_with_an_open_exercise(opened, tmp_path):
    command.main(["lab", "--lang", "zh", "--dir", str(tmp_path)])
    folder = tmp_path / "lessons" / "zh"
    first, second = folder / "01_first_gradient.ipynb", folder / "02_tensors_and_views.ipynb"
    solve(first.parent, *exercises(first.stem), *exercises(second.stem)[1:])
    command.main(["lab", "--lang", "zh", "--dir", str(tmp_path)])
    assert address(second) in opened[-1]


def test_lab_opens_the_index_when_everything_is_done(tmp_path):
    copies.copy_lessons(tmp_path)
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


def test_a_copied_lesson_shows_no_answer_and_says_all_else_to_the_letter(tmp_path):
    """Nobody predicts what stands below already. The repository's notebooks keep their outputs, for who only reads."""
    copies.copy_lessons(tmp_path)
    for copied in (tmp_path / "lessons").rglob("*.ipynb"):
        text = (copies.PACKAGE / copied.parent.name / copied.name).read_text(encoding="utf-8")
        ours, theirs = json.loads(copied.read_text(encoding="utf-8")), json.loads(text)
        for cell in ours["cells"]:
            if cell["cell_type"] == "code":
                assert (cell["outputs"], cell["execution_count"]) == ([], None), copied
        for cell in theirs["cells"]:
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)
        theirs["metadata"] = ours[
            "metadata"
        ]  # the kernel's name, as this machine calls it: see tests/install/test_lab.py
        for ours_cell, cell in zip(ours["cells"], copies.folded(theirs, copied.parent.name)["cells"], strict=True):
            assert ours_cell == cell, copied
        as_nbformat_writes = json.dumps(theirs, ensure_ascii=False, indent=1) + "\n"
        assert copied.read_text(encoding="utf-8") == as_nbformat_writes, copied
    assert '"execution_count": 1,' in (copies.PACKAGE / "en" / "01_first_gradient.ipynb").read_text(encoding="utf-8")


def test_lab_brings_back_no_answers_to_a_lesson_that_was_left_as_it_was(tmp_path):
    """What is there already, with its outputs or without, is the learner's."""
    copies.copy_lessons(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert copies.copy_lessons(tmp_path) == ([], [], [])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_without_a_kernel_the_lessons_are_copied_as_they_are_built(monkeypatch, tmp_path):
    """`minigrad doctor` says what is missing; the lessons can be read meanwhile."""
    monkeypatch.setitem(sys.modules, "ipykernel.ipkernel", None)
    copies._kernel.cache_clear()
    copies.copy_lessons(tmp_path)
    copies._kernel.cache_clear()
    copied = tmp_path / "lessons" / "en" / "01_first_gradient.ipynb"
    assert json.loads(copied.read_text(encoding="utf-8"))["metadata"]["kernelspec"]["display_name"] == "Python 3"


def test_a_copy_that_stops_in_the_middle_leaves_no_half_of_a_lesson(monkeypatch, tmp_path):
    """It would be taken for the learner's own next time, and stay."""

    class FullDisk(io.BytesIO):
        def write(self, content):
            raise OSError(28, "No space left on device", "the disk")

    real = Path.open

    def opens(path, mode="r", *more, **options):
        if mode == "xb" and path.name.startswith("05_"):
            real(path, mode).close()
            return FullDisk()
        return real(path, mode, *more, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", opens)
        with pytest.raises(OSError, match="No space left"):
            copies.copy_lessons(tmp_path)
    lessons = list((tmp_path / "lessons").rglob("*.ipynb"))
    assert lessons
    assert not any(path.name.startswith("05_") for path in lessons)
    assert copies.copy_lessons(tmp_path).new


def test_every_link_of_the_copied_lessons_leads_somewhere(tmp_path):
    copies.copy_lessons(tmp_path)
    for notebook in (tmp_path / "lessons").rglob("*.ipynb"):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            for link in source.links("".join(cell["source"])) if cell["cell_type"] == "markdown" else []:
                if ":" not in link:
                    assert (notebook.parent / link.partition("#")[0]).exists(), f"{link} in {notebook.name}"


def test_export_of_a_notebook_that_is_not_there_says_so(tmp_path, capsys):
    assert command.main(["export", "--lang", "zh", "--dir", str(tmp_path), str(tmp_path / "no.ipynb")]) == 2
    assert "找不到笔记本" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_options_of_jupyterlab_are_passed_on(opened, tmp_path):
    command.main(["lab", "--dir", str(tmp_path), "--no-browser", "--port=9999"])
    assert {"--no-browser", "--port=9999"} <= set(opened[-1])


@pytest.mark.parametrize(("lang", "says"), [("en", "has no option"), ("zh", "这个选项")])
@pytest.mark.parametrize("option", ["--bogus", "--prot=9999", "-q"])
def test_an_option_that_jupyterlab_does_not_know_is_refused_before_anything_is_written(
    opened, capsys, tmp_path, option, lang, says
):
    asked = ["lab", "--lang", lang, "--dir", str(tmp_path / "mine"), "--no-browser", option, "--port=9999"]
    assert command.main(asked) == 2
    said = capsys.readouterr().out
    assert option in said
    assert says in said
    assert (opened, list(tmp_path.iterdir())) == ([], [])


def test_a_value_that_jupyterlab_cannot_use_ends_it_before_anything_is_written(opened, tmp_path):
    with pytest.raises(SystemExit, match="1"):
        command.main(["lab", "--dir", str(tmp_path / "mine"), "--port=abc"])
    assert (opened, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.parametrize("word", ["minigrad-lessons", "3"])
def test_a_word_that_is_no_file_is_refused_with_how_to_name_a_folder(opened, tmp_path, capsys, monkeypatch, word):
    monkeypatch.chdir(tmp_path)
    assert command.main(["lab", "--lang", "en", word]) == 2
    assert f"write --dir {word}." in capsys.readouterr().out
    assert (opened, list(tmp_path.iterdir())) == ([], [])


def test_a_notebook_that_is_not_there_is_no_folder_to_be(opened, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command.main(["lab", "--lang", "en", "no.ipynb"]) == 2
    assert capsys.readouterr().out == "❌ There is no no.ipynb.\n"
    assert (opened, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.parametrize("here", ["", "lessons", "lessons/en", "lessons/zh"])
def test_lab_inside_of_the_lessons_goes_on_with_them(opened, tmp_path, monkeypatch, here):
    """Whoever changes into the folder first, or uses JupyterLab's own terminal, would find all of it undone."""
    monkeypatch.chdir(tmp_path)
    command.main(["lab", "--lang", "en"])
    home = tmp_path / "minigrad-lessons"
    lessons = home / "lessons" / "en"
    first, second = lessons / "01_first_gradient.ipynb", lessons / "02_tensors_and_views.ipynb"
    solve(first.parent, *exercises(first.stem))
    monkeypatch.chdir(home / here)
    command.main(["lab", "--lang", "en"])
    assert address(second) in opened[-1]
    assert f"--ServerApp.root_dir={home}" in opened[-1]
    assert not list(home.rglob("minigrad-lessons"))


def test_lab_makes_a_folder_where_a_folder_is_only_called_as_those_of_the_lessons_are(opened, tmp_path, monkeypatch):
    (tmp_path / "lessons" / "en").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "lessons" / "en")
    command.main(["lab", "--lang", "en"])
    assert f"--ServerApp.root_dir={tmp_path / 'lessons' / 'en' / 'minigrad-lessons'}" in opened[-1]


def test_lab_opens_the_notebook_that_is_named(opened, tmp_path, capsys):
    copies.copy_lessons(tmp_path)
    fifth = tmp_path / "lessons" / "en" / "05_backward.ipynb"
    command.main(["lab", "--lang", "en", "--dir", str(tmp_path), str(fifth), "--no-browser"])
    assert address(fifth) in opened[-1]
    assert "Opening 05_backward.ipynb" in capsys.readouterr().out


def test_copies_that_a_learner_has_made_are_no_lessons_to_finish(tmp_path):
    copies.copy_lessons(tmp_path)
    folder = tmp_path / "lessons" / "en"
    for copy in ("00_index-Copy1", "01_first_gradient-Copy1", "01_mine"):
        (folder / f"{copy}.ipynb").write_bytes((folder / "01_first_gradient.ipynb").read_bytes())
    solve(folder, *exercises("01_first_gradient"))
    assert first_unfinished(folder).name == "02_tensors_and_views.ipynb"


def test_a_notebook_of_which_a_killed_copy_left_nothing_is_copied_again(tmp_path):
    lost, extended = (tmp_path / "lessons" / "en" / name for name in ("04_leaves.ipynb", "05_backward.ipynb"))
    lost.parent.mkdir(parents=True)
    lost.touch()
    copies.copy_lessons(tmp_path)
    assert json.loads(lost.read_text(encoding="utf-8"))["cells"]
    book = json.loads(extended.read_text(encoding="utf-8"))
    book["cells"].append({"cell_type": "code", "source": [], "outputs": [], "metadata": {}, "execution_count": None})
    extended.write_text(json.dumps(book), encoding="utf-8")  # as JupyterLab does below the last cell that is run
    record = json.loads((tmp_path / copies.RECORD).read_text(encoding="utf-8"))
    assert copies.fingerprint(".ipynb", extended.read_bytes()) == record["lessons/en/05_backward.ipynb"]


def test_solutions_can_be_written_again_after_a_full_disk(tmp_path, monkeypatch):
    write, room = copies._write_new, iter(range(5))

    def filling(*what):
        if next(room, None) is None:
            raise OSError(28, "No space left on device")
        return write(*what)

    monkeypatch.setattr(copies, "_write_new", filling)
    assert command.main(["solutions", str(tmp_path / "solved"), "--lang", "en"]) == 2
    monkeypatch.undo()
    assert command.main(["solutions", str(tmp_path / "solved"), "--lang", "en"]) == 0


def test_a_command_to_paste_is_quoted(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/home/Ann Lee/.venv/bin/python")
    quote = '"' if os.name == "nt" else "'"
    assert doctor.install("numpy") == f"{quote}/home/Ann Lee/.venv/bin/python{quote} -m pip install numpy"


def test_where_there_is_no_pip_the_command_to_paste_is_uvs(monkeypatch):
    """An environment that `uv venv` has made: `python -m pip` answers that there is no such module."""
    monkeypatch.setattr(sys, "executable", "/home/ann/.venv/bin/python")
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    assert doctor.install("numpy") == "uv pip install --python /home/ann/.venv/bin/python numpy"
    assert doctor.install("numpy", again=True).endswith("python --force-reinstall numpy")


def test_a_wrong_option_of_a_command_shows_that_commands_options(capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["export", "--langage", "zh"])
    assert capsys.readouterr().err.startswith("usage: minigrad export [-h] [--dir DIR] [--lang {en,zh}]")


def test_a_question_to_jupyterlab_is_passed_on_and_nothing_is_written(opened, tmp_path):
    assert command.main(["lab", "--dir", str(tmp_path / "mine"), "--version"]) == 0
    assert (opened, list(tmp_path.iterdir())) == ([["--version"]], [])


SAYS = {
    "is no folder": {"en": "is a file where a folder is needed", "zh": "是文件，而这里需要一个文件夹"},
    "may not": {"en": "There is no permission for", "zh": "没有权限访问"},
    "is full": {"en": "There is no more room on the disk of", "zh": "磁盘没有空间了"},
    "is not a notebook": {"en": "is not a notebook", "zh": "不是笔记本"},
}


def refused(capsys, tmp_path: Path, sentence: str, lang: str, *arguments: object) -> None:
    """The command fails, says one sentence in the reader's language and nothing else, and has written nothing."""
    before = sorted(tmp_path.rglob("*"))
    assert command.main([*map(str, arguments), "--lang", lang]) == 2
    said = capsys.readouterr()
    assert SAYS[sentence][lang] in said.out
    assert (said.out.count("\n"), said.err) == (1, "")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("what", ["lab", "export"])
@pytest.mark.parametrize("below", ["", "below/it"])
def test_a_file_in_place_of_the_folder_is_named(opened, capsys, tmp_path, what, below, lang):
    (tmp_path / "afile").write_text("mine", encoding="utf-8")
    refused(capsys, tmp_path, "is no folder", lang, what, "--dir", tmp_path / "afile" / below)
    assert opened == []


def test_a_file_in_place_of_a_folder_inside_is_named_before_any_lesson_is_written(opened, capsys, tmp_path):
    (tmp_path / "minigrad").write_text("mine", encoding="utf-8")
    assert command.main(["lab", "--lang", "en", "--dir", str(tmp_path)]) == 2
    assert f"{tmp_path / 'minigrad'} is a file" in capsys.readouterr().out
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "minigrad"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("what", ["lab", "export"])
@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError(13, "Permission denied"), "may not"),
        (OSError(30, "Read-only file system"), "may not"),
        (OSError(28, "No space"), "is full"),
    ],
)
def test_a_folder_that_may_not_be_written_is_named(opened, monkeypatch, capsys, tmp_path, what, error, sentence, lang):
    def mkdir(path, *_, **__):
        raise type(error)(*error.args, str(path))

    monkeypatch.setattr(Path, "mkdir", mkdir)
    refused(capsys, tmp_path, sentence, lang, what, "--dir", tmp_path / "mine")
    assert opened == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("content", [b"# a readme", b"{}", b"[]", b'"text"', b"\xff\xfe\x00", b"", b'{"nbformat": 4}'])
def test_export_of_a_file_that_is_no_notebook_says_so(capsys, tmp_path, content, lang):
    pytest.importorskip("nbconvert")
    (tmp_path / "README.md").write_bytes(content)
    good = copies.PACKAGE / lang / "01_first_gradient.ipynb"
    refused(
        capsys, tmp_path, "is not a notebook", lang, "export", "--dir", tmp_path / "p", good, tmp_path / "README.md"
    )


def test_export_without_nbconvert_leaves_no_empty_folder(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "nbconvert", None)
    assert command.main(["export", "--lang", "en", "--dir", str(tmp_path / "pages")]) == 2
    assert "pip install" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows' pipes close otherwise")
@pytest.mark.parametrize("arguments", [["doctor"], ["lab", "--dir", __file__]], ids=["report", "refusal"])
def test_a_reader_who_goes_away_is_no_error(arguments):
    """`minigrad doctor | head -3`"""
    says = subprocess.Popen(
        [sys.executable, "-m", "minigrad_lessons.command", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(command.__file__).parents[1])},
    )  # fmt: skip
    says.stdout.close()
    assert says.stderr.read() == b""
    assert says.wait(120) == 1


@pytest.mark.parametrize("arguments", [["--help"], ["lab", "--help"], ["doctor"]], ids=" ".join)
def test_a_terminal_without_chinese_letters_is_no_error(arguments):
    """One of a Western Windows, whose reader has asked for Chinese."""
    says = subprocess.run(
        [sys.executable, "-m", "minigrad_lessons.command", "--lang", "zh", *arguments], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(command.__file__).parents[1]), "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert "?" in says.stdout
    assert says.stderr == ""


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit, match="0"):
        command.main(["--version"])
    pyproject = Path(command.__file__).parents[1] / "pyproject.toml"
    version = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["version"]
    assert capsys.readouterr().out.split() in (["minigrad", version], ["minigrad", "(not", "installed)"])


def test_jupyterlab_asks_nothing_speaks_the_learners_language_and_keeps_nothing(monkeypatch, opened, tmp_path):
    labapp = pytest.importorskip("jupyterlab.labapp")
    settings = pytest.importorskip("jupyterlab_server.settings_utils")
    schemas = Path(labapp.__file__).parent / "schemas"
    seen, configs = [], []

    def look(argv):
        """What JupyterLab itself reads as its defaults while it runs."""
        configs.append(Path(os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0]))
        assert os.environ["MINIGRAD_DOCK"] == "1"
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
        assert not configs[-1].exists()
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    assert seen == [[quiet, None], [quiet, {"locale": "zh_CN"}]]


def test_lab_without_jupyterlab_says_where_to_ask(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", None)
    assert command.main(["lab", "--lang", "en", "--dir", str(tmp_path)]) == 2
    assert "JupyterLab is missing; run: " in capsys.readouterr().out


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


def test_the_language_may_be_named_before_the_command_too(capsys):
    for arguments in (["--lang", "zh", "report", "nowhere"], ["report", "nowhere", "--lang=zh"]):
        assert command.main(arguments) == 2
        assert capsys.readouterr().out == "❌ 找不到目录 nowhere。\n"


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
    assert f'{sys.executable} -m pip install "minigrad-lessons[lab]"' in said


def test_the_doctor_finds_a_kernel_that_cannot_import_the_lessons(monkeypatch):
    def broken():
        raise RuntimeError("in the kernel, ModuleNotFoundError: No module named 'minigrad'")

    monkeypatch.setattr(doctor, "_kernel", broken)
    (found,) = [finding for finding in doctor.examine() if "kernel" in finding.name.en]
    assert found.needed
    assert "No module named 'minigrad'" in found.name.en
    assert "pip install" in found.get.en


def test_the_command_needs_nothing_that_only_the_tests_bring() -> None:
    """[lab] is what the README's first command installs; [test] has more."""
    more = ("jupytext", "nbval", "spellchecker", "hypothesis", "markdown_it", "playwright", "pytest")
    ask = f"import sys; sys.modules.update(dict.fromkeys({more}))\n"
    ask += "from minigrad_lessons.command import main; main(['doctor'])"
    ended = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, encoding="utf-8")
    assert "ModuleNotFoundError" not in ended.stderr, ended.stderr
