"""What a teacher and an upgrade need: solved lessons, who is where, and lessons that follow a new version."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from minigrad_lessons import command, copies, progress, source, teaching
from minigrad_lessons.language import LANGUAGES

ROOT = Path(__file__).parents[2]
LESSONS = [name for name in source.names() if progress.exercises(name)]
COURSE = [name for lesson in LESSONS for name in progress.exercises(lesson)]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.delenv("MINIGRAD_PROGRESS", raising=False)
    monkeypatch.chdir(tmp_path)


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def minigrad(*arguments: object) -> int:
    return command.main([*map(str, arguments), "--lang", "en"])


# ---- solutions


@pytest.mark.parametrize("lesson", source.names())
def test_the_solutions_are_those_that_the_tests_of_the_lessons_accept(lesson):
    wanted = {cell.source: cell.solutions[0] for cell in source.read(lesson).code if "exercise" in cell.tags}
    assert teaching.solutions(lesson) == wanted


def test_solutions_are_the_lessons_with_each_exercise_solved_and_nothing_else_changed(tmp_path):
    assert minigrad("solutions", "solved") == 0
    for notebook in sorted((tmp_path / "solved" / "lessons").rglob("*.ipynb")):
        theirs = json.loads((copies.PACKAGE / notebook.parent.name / notebook.name).read_text(encoding="utf-8"))
        theirs = copies.folded(theirs, notebook.parent.name)
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        answered = 0
        for cell, asked in zip(cells, theirs["cells"], strict=True):
            exercise = "exercise" in asked["metadata"].get("tags", [])
            assert (cell["source"] != asked["source"]) == exercise
            assert not cell.get("outputs")
            answered += exercise
        assert answered == len(progress.exercises(notebook.stem))
    assert {path.name for path in (tmp_path / "solved" / "lessons").iterdir()} >= set(LANGUAGES)


def test_solved_lessons_stay_solved_when_the_lab_opens_them(tmp_path):
    """`minigrad lab --dir solved` copies the lessons there, and took the solved ones for old ones."""
    assert minigrad("solutions", "solved") == 0
    before = files(tmp_path)
    assert copies.copy_lessons(tmp_path / "solved") == ([], [], [])
    assert files(tmp_path) == before


def test_a_solved_lesson_runs_and_each_of_its_exercises_says_so(tmp_path, kernel_manager):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    assert minigrad("solutions", "solved") == 0
    lesson = tmp_path / "solved" / "lessons" / "en" / "01_first_gradient.ipynb"
    book = nbformat.read(lesson, as_version=4)
    nbclient.NotebookClient(book, km=kernel_manager, resources={"metadata": {"path": lesson.parent}}).execute()
    verdicts = [
        "".join(output.get("text", "") for output in cell.outputs)
        for cell in book.cells
        if "exercise" in cell.metadata.get("tags", [])
    ]
    assert [said[0] for said in verdicts] == ["✅"] * len(progress.exercises("01_first_gradient"))


def test_solutions_never_go_where_something_is(tmp_path, capsys):
    copies.copy_lessons(tmp_path / "mine")
    before = files(tmp_path)
    assert minigrad("solutions", "mine") == 2
    assert capsys.readouterr().out == "❌ mine is not empty: solutions need a folder of their own.\n"
    assert files(tmp_path) == before


# ---- report


def learner(home: Path, solved: int) -> None:
    """Somebody who has the lessons in `home`, and has solved so many exercises."""
    copies.copy_lessons(home)
    with contextlib.chdir(home / "lessons" / "zh"):
        for name in COURSE[:solved]:
            progress.record(name)


class Tables(HTMLParser):
    """The words in each cell of a page's tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        assert tag != "script"
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self.inside = tag in ("td", "th")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


#: A folder whose name a page would show otherwise; Windows allows no < there.
ODD = "&lt;b&gt;" if os.name == "nt" else "<b>"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_report_says_who_is_where_and_who_is_stopped_by_what(tmp_path, lang):
    learner(tmp_path / "class" / "anna" / "minigrad-lessons", 5)
    learner(tmp_path / "class" / "王小明", 5)
    learner(tmp_path / "class" / ODD / "minigrad-lessons", 0)
    learner(tmp_path / "class" / "zoe", len(COURSE))
    assert command.main(["report", "class", "--lang", lang]) == 0
    table = list(csv.DictReader(io.StringIO((tmp_path / "minigrad-report" / "report.csv").read_text("utf-8-sig"))))
    assert [(row["name"], row["solved"], row["next"]) for row in table] == [
        (ODD, "0", COURSE[0]),
        ("anna", "5", COURSE[5]),
        ("zoe", str(len(COURSE)), ""),
        ("王小明", "5", COURSE[5]),
    ]
    assert [table[1][name] for name in COURSE] == ["1"] * 5 + ["0"] * (len(COURSE) - 5)
    rows = Tables((tmp_path / "minigrad-report" / "report.html").read_text(encoding="utf-8")).rows
    anna = next(row for row in rows if row[0] == "anna")
    assert anna[1] == f"5/{len(COURSE)}"
    counts = [len(progress.exercises(name)) for name in LESSONS]
    assert anna[3:] == [f"{counts[0]}/{counts[0]}", f"{5 - counts[0]}/{counts[1]}", *(f"0/{n}" for n in counts[2:])]
    title = getattr(progress.titles(LESSONS[1])[2], lang)
    assert anna[2] == f"2 · {title}"
    assert [row for row in rows if len(row) == 5 and row[1] in "12"] == [
        [f"2 · {title}", "2", "anna、王小明" if lang == "zh" else "anna, 王小明", "0", ""],
        [f"1 · {getattr(progress.titles(LESSONS[0])[1], lang)}", "1", ODD, "0", ""],
    ]


def test_a_report_counts_whoever_keeps_progress_above_the_lessons_once(tmp_path):
    """MINIGRAD_PROGRESS=~/minigrad-progress.json, as docs/hub.md has it."""
    copies.copy_lessons(tmp_path / "class" / "anna" / "minigrad-lessons")
    with contextlib.chdir(tmp_path / "class" / "anna"):
        for name in COURSE[:5]:
            progress.record(name)
    copies.copy_lessons(tmp_path / "class" / "bo" / "minigrad-lessons")
    found = [(one.name, len(one.solved)) for one in teaching.learners([tmp_path / "class"])]
    assert found == [("anna", 5), ("bo", 0)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_says_what_an_exercise_said_most_to_those_whom_it_stops(tmp_path, lang):
    for name, attempts, (en, zh) in (
        ("anna", 4, ("The sign is lost.", "丢了负号。")),
        ("bo", 1, ("Twice too much.", "多了一倍。")),
        ("cy", 2, ("The sign is lost.", "丢了负号。")),
    ):
        kept = {"refused": {COURSE[0]: {"attempts": attempts, "hint": 1, "en": en, "zh": zh}}}
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "minigrad-progress.json").write_text(json.dumps(kept), encoding="utf-8")
    page = teaching.as_page(teaching.learners([tmp_path / "class"]), lang).decode("utf-8")
    (row,) = [row for row in Tables(page).rows if len(row) == 5 and row[1] == "3"]
    assert row[3:] == ["7", "丢了负号。" if lang == "zh" else "The sign is lost."]


def test_a_report_says_which_predictions_surprised_most(tmp_path):
    for name, said in (
        ("anna", {"slope": "-3.86", "nearest-first": "12"}),
        ("bo", {"slope": "-3.86"}),
        ("cy", {"slope": "40"}),
    ):
        kept = {one: {"said": text, "right": False, "attempts": 1} for one, text in said.items()}
        kept["which-way"] = {"said": "up", "right": True, "attempts": 1}
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "minigrad-progress.json").write_text(json.dumps({"predictions": kept}))
    assert minigrad("report", "class") == 0
    rows = Tables((tmp_path / "minigrad-report" / "report.html").read_text(encoding="utf-8")).rows
    assert rows[-2:] == [["1 · slope", "3", "-3.86"], ["14 · nearest-first", "1", "12"]]


@pytest.mark.parametrize(
    ("asked", "home", "name"),
    [
        ("class", "class/anna/minigrad-lessons", "anna"),
        ("class/anna", "class/anna/minigrad-lessons", "anna"),
        ("class/anna/minigrad-lessons/lessons", "class/anna/minigrad-lessons", "anna"),
        ("class/anna/minigrad-lessons/lessons/zh", "class/anna/minigrad-lessons", "anna"),
        ("class", "class/group 1/anna", "group 1/anna"),
    ],
)
def test_people_are_called_as_their_folders_are(tmp_path, asked, home, name):
    learner(tmp_path / home, 1)
    assert [found.name for found in teaching.learners([tmp_path / asked])] == [name]


def test_progress_that_is_kept_in_everybodys_home_is_found_there(tmp_path, monkeypatch):
    """As docs/hub.md has it for lessons in a folder that all share."""
    for name in ("anna", "bo"):
        (tmp_path / name).mkdir()
        for home in ("HOME", "USERPROFILE"):
            monkeypatch.setenv(home, str(tmp_path / name))
        monkeypatch.setenv("MINIGRAD_PROGRESS", "~/minigrad-progress.json")
        progress.record(COURSE[0])
    assert [(one.name, len(one.solved)) for one in teaching.learners([tmp_path])] == [("anna", 1), ("bo", 1)]


def test_nobody_is_called_as_an_environment_or_a_bin_is(tmp_path):
    learner(tmp_path / "anna" / "minigrad-lessons", 1)
    for other in (".venv/lib/site-packages/minigrad_lessons", "venv/lib/minigrad_lessons", "clone/minigrad_lessons"):
        package = tmp_path / "anna" / other
        (package / "en").mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "en" / "01_first_gradient.ipynb").touch()
    learner(tmp_path / "anna" / ".local" / "share" / "Trash" / "files" / "minigrad-lessons", 1)
    assert [found.name for found in teaching.learners([tmp_path])] == ["anna"]
    with contextlib.chdir(tmp_path / "anna" / "clone" / "minigrad_lessons" / "en"):  # as on Binder
        progress.record(COURSE[0])
    assert [found.name for found in teaching.learners([tmp_path])] == ["anna", "anna/clone/minigrad_lessons"]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="its names are all Unicode")
def test_a_folder_whose_name_is_no_utf8_is_in_the_report(tmp_path):
    """An archive that Windows has packed in Chinese, unpacked elsewhere."""
    learner(tmp_path / "class" / os.fsdecode("张三".encode("gbk")), 1)
    assert minigrad("report", "class") == 0
    table = (tmp_path / "minigrad-report" / "report.csv").read_text("utf-8-sig")
    assert next(csv.DictReader(io.StringIO(table)))["name"] == r"\udcd5\udcc5\udcc8\udcfd"
    assert r"\udcd5\udcc5\udcc8\udcfd" in (tmp_path / "minigrad-report" / "report.html").read_text("utf-8")


def test_a_name_is_no_formula_of_a_spreadsheet():
    table = teaching.as_csv([teaching.Learner('=HYPERLINK("x")', frozenset())]).decode("utf-8-sig")
    assert next(csv.DictReader(io.StringIO(table)))["name"] == '\'=HYPERLINK("x")'


def test_the_teachers_own_progress_is_nobodys(tmp_path, monkeypatch):
    learner(tmp_path / "anna", 2)
    (tmp_path / "own.json").write_text(json.dumps(COURSE), encoding="utf-8")
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "own.json"))
    assert [len(found.solved) for found in teaching.learners([tmp_path / "anna"])] == [2]
    assert len(progress.solved()) == len(COURSE), "it is still where they have named it"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["report", "nowhere"], "There is no folder nowhere."),
        (["report", "class", "afile"], "afile is a file: name the folder that holds it."),
        (["report", "empty"], "a learner's holds minigrad-progress.json or the lessons."),
        (["report", "class", "--dir", "afile"], "is a file where a folder is needed."),
        (["solutions", "afile"], "is a file where a folder is needed."),
        (["solutions", "afile/below"], "is a file where a folder is needed."),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence_and_nothing_is_written(tmp_path, capsys, arguments, says):
    learner(tmp_path / "class" / "anna", 1)
    (tmp_path / "empty").mkdir()
    (tmp_path / "afile").write_text("mine", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    assert minigrad(*arguments) == 2
    said = capsys.readouterr()
    assert said.out.endswith(f"{says}\n")
    assert (said.out.count("\n"), said.err) == (1, "")
    assert sorted(tmp_path.rglob("*")) == before


# ---- an upgrade


def upgraded(monkeypatch: pytest.MonkeyPatch, lesson: str) -> None:
    """The next version of the package says one thing more in a lesson, in both languages."""
    as_it_comes = copies._as_it_comes

    def now(path, answered):
        content = as_it_comes(path, answered)
        if path.name != f"{lesson}.ipynb":
            return content
        book = json.loads(content)
        book["cells"][0]["source"].append("\nNew.")
        return json.dumps(book).encode()

    monkeypatch.setattr(copies, "_as_it_comes", now)


def test_a_lesson_that_nobody_edited_follows_an_upgrade_also_when_it_has_run(tmp_path, monkeypatch):
    copies.copy_lessons(tmp_path)
    lesson = tmp_path / "lessons" / "en" / "01_first_gradient.ipynb"
    book = json.loads(lesson.read_text(encoding="utf-8"))
    book["cells"][2].update(execution_count=1, outputs=[])
    lesson.write_text(json.dumps(book), encoding="utf-8")
    assert copies.copy_lessons(tmp_path) == ([], [], []), "the same version: what has run stays"
    assert json.loads(lesson.read_text(encoding="utf-8")) == book
    upgraded(monkeypatch, lesson.stem)
    copied = copies.copy_lessons(tmp_path)
    assert [path.parent.name for path in copied.refreshed] == ["en", "zh"]
    assert copied.new == copied.kept == []
    assert "New." in lesson.read_text(encoding="utf-8")
    assert copies.copy_lessons(tmp_path) == ([], [], [])


@pytest.mark.parametrize("content", ["cell", "no notebook"])
def test_a_lesson_that_was_edited_is_kept_and_told_of_once(tmp_path, monkeypatch, content):
    copies.copy_lessons(tmp_path)
    lesson = tmp_path / "lessons" / "en" / "01_first_gradient.ipynb"
    text = lesson.read_text(encoding="utf-8").replace("my_slope = ...", "my_slope = -14")
    lesson.write_text(text if content == "cell" else "mine", encoding="utf-8")
    mine = lesson.read_bytes()
    assert copies.copy_lessons(tmp_path) == ([], [], []), "the same version: there is nothing to tell"
    upgraded(monkeypatch, lesson.stem)
    copied = copies.copy_lessons(tmp_path)
    assert copied == ([], [tmp_path / "lessons" / "zh" / lesson.name], [lesson])
    assert lesson.read_bytes() == mine
    says = [str(said.en) for said in command._where(tmp_path, copied)]
    assert "1" in says[1]
    assert "lessons/en/01_first_gradient.ipynb" in says[2]
    assert copies.copy_lessons(tmp_path) == ([], [], [])
    lesson.rename(lesson.with_name("mine.ipynb"))
    assert copies.copy_lessons(tmp_path).new == [lesson]


def test_the_lab_opens_after_an_upgrade_of_an_edited_lesson(tmp_path, monkeypatch, capsys):
    """In the folder that it makes by itself, whose path is a relative one."""
    labapp = pytest.importorskip("jupyterlab.labapp")
    monkeypatch.setattr(labapp.LabApp, "launch_instance", lambda argv: None)
    monkeypatch.chdir(tmp_path)
    assert command.main(["lab", "--lang", "en"]) == 0
    lesson = tmp_path / "minigrad-lessons" / "lessons" / "en" / "01_first_gradient.ipynb"
    lesson.write_text("mine", encoding="utf-8")
    upgraded(monkeypatch, lesson.stem)
    assert command.main(["lab", "--lang", "en"]) == 0
    assert "Newer than yours, which you have edited: lessons/en/01_first_gradient.ipynb" in capsys.readouterr().out


def test_who_has_begun_twice_is_one_person(tmp_path):
    for home, name in (("Ann", "slope"), ("Ann/minigrad-lessons/lessons", "flat")):
        (tmp_path / home).mkdir(parents=True)
        (tmp_path / home / "minigrad-progress.json").write_text(f'["first_gradient.{name}"]', encoding="utf-8")
    (found,) = teaching.learners([tmp_path])
    assert (found.name, len(found.solved)) == ("Ann", 2)


def test_who_has_begun_again_inside_of_the_lessons_is_one_person(tmp_path):
    learner(tmp_path / "class" / "anna" / "minigrad-lessons", 2)
    learner(tmp_path / "class" / "anna" / "minigrad-lessons" / "minigrad-lessons", 3)
    assert [(one.name, len(one.solved)) for one in teaching.learners([tmp_path / "class"])] == [("anna", 3)]


def test_of_several_folders_each_is_somebodys_whatever_they_call_their_lessons(tmp_path):
    """`minigrad report homes/*`: all that have written `--dir mine` were called mine."""
    for number, name in enumerate(("anna", "bo"), start=1):
        learner(tmp_path / name / "mine", number)
    learner(tmp_path / "cy" / "minigrad-lessons", 3)
    found = teaching.learners([tmp_path / name for name in ("anna", "bo", "cy")])
    assert [(one.name, len(one.solved)) for one in found] == [("anna/mine", 1), ("bo/mine", 2), ("cy", 3)]
    assert found == teaching.learners([tmp_path])


@pytest.mark.parametrize("others", [["anna"], []])
def test_a_home_that_may_not_be_read_is_named(tmp_path, monkeypatch, capsys, others):
    """Without `sudo` a hub's homes are closed: that is not a class in which nobody has begun."""
    for name in (*others, "dora"):
        learner(tmp_path / "class" / name / "minigrad-lessons", 1)
    (tmp_path / "class" / ".cache").mkdir(parents=True)
    look = os.scandir

    def closed(path="."):
        if Path(path).name in ("dora", ".cache"):
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", closed)
    assert minigrad("report", "class") == (0 if others else 2)
    *_, said = capsys.readouterr().out.splitlines()
    assert said == f"⚠️ Not read: {tmp_path / 'class' / 'dora'}"


def test_what_looks_like_progress_and_was_not_read_is_named(tmp_path, capsys):
    for home, name, text in (("Ann", "minigrad-progress.json", "[]"), ("Bo", "minigrad-progress (1).json", "[]")):
        (tmp_path / "class" / home).mkdir(parents=True)
        (tmp_path / "class" / home / name).write_text(text, encoding="utf-8")
    (tmp_path / "class" / "Cy").mkdir()
    (tmp_path / "class" / "Cy" / "minigrad-progress.json").write_text("{", encoding="utf-8")
    hidden = tmp_path / "class" / "Ann" / ".ipynb_checkpoints"  # where JupyterLab keeps a copy of what it has shown
    hidden.mkdir()
    (hidden / "minigrad-progress-checkpoint.json").write_text("[]", encoding="utf-8")
    command.main(["report", "--lang", "en", "--dir", str(tmp_path / "out"), str(tmp_path / "class")])
    (said,) = [line for line in capsys.readouterr().out.splitlines() if "Not read" in line]
    assert "minigrad-progress (1).json" in said
    assert "Cy" in said
    assert "Ann" not in said


def test_a_record_that_is_gone_or_broken_costs_nobody_their_work(tmp_path):
    copies.copy_lessons(tmp_path)
    lesson = tmp_path / "lessons" / "en" / "01_first_gradient.ipynb"
    lesson.write_text("mine", encoding="utf-8")
    for record in ("[]", "{", '{"lessons/en/01_first_gradient.ipynb": 5}', None):
        if record is None:
            (tmp_path / copies.RECORD).unlink()
        else:
            (tmp_path / copies.RECORD).write_text(record, encoding="utf-8")
        assert copies.copy_lessons(tmp_path) == ([], [], [lesson])
        assert lesson.read_text(encoding="utf-8") == "mine"


# ---- the command itself


def test_the_command_is_a_module_of_the_core_too():
    done = subprocess.run(
        [sys.executable, "-m", "minigrad", "--version"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    if done.returncode == 0:
        assert re.fullmatch(r"minigrad \d+\.\d+\.\d+\n", done.stdout)
    else:  # the package is on the path and not installed
        assert done.stderr.startswith("The minigrad command is not installed: pip install ")


def test_where_the_command_is_not_installed_the_module_says_so():
    program = (
        "import runpy, importlib.metadata as it; it.entry_points = lambda **_: []\n"
        "runpy.run_module('minigrad', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert done.stderr == 'The minigrad command is not installed: pip install "minigrad-lessons[lab]" brings it.\n'


# ---- docs/teaching.md


@pytest.mark.parametrize(("lang", "page"), [("en", "teaching.md"), ("zh", "teaching.zh.md")])
def test_the_page_for_teachers_knows_every_exercise_by_its_name(lang, page):
    """All of a lesson's or none; what it links to is there."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+ · [^|]+?) \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)
    named = [getattr(says, lang) for says in teaching._called().values()]
    lessons = {row.partition(" ")[0] for row in rows}
    assert rows == [name for name in named if name.partition(" ")[0] in lessons]
    assert len(rows) >= 39
    assert [link for link in source.links(text) if ":" not in link and not (ROOT / "docs" / link).exists()] == []
    for word in re.findall(r"`minigrad (\w+)", text):
        with pytest.raises(SystemExit, match="0"):
            command.main([word, "--help"])


# ---- docs/hub.md


def block(page: str, name: str) -> str:
    """The code of a page that stands under a mark."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    return found


@pytest.mark.parametrize("page", ["hub.md", "hub.zh.md"])
def test_a_hub_gives_everybody_the_lessons_by_the_file_that_stands_on_its_page(tmp_path, monkeypatch, page):
    """`python -m tests.hub` runs it in a real hub; on Kubernetes the same file is a part of the values."""
    yaml = pytest.importorskip("yaml")
    values = yaml.safe_load(block(page, "values.yaml"))["singleuser"]
    (lessons,) = values["extraFiles"].values()
    assert lessons["stringData"] == block(page, "jupyter_server_config.py")
    assert Path(lessons["mountPath"]).name == "jupyter_server_config.py"
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    exec(lessons["stringData"], {})
    assert (tmp_path / values["defaultUrl"].removeprefix("/lab/tree/")).is_file()
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for lesson in re.findall(r"user-redirect/lab/tree/(\S+)", text):
        assert (tmp_path / lesson).is_file()
    assert [link for link in source.links(text) if ":" not in link and not (ROOT / "docs" / link).exists()] == []
    assert "learners at " in block(page, "measured")


@pytest.mark.parametrize("page", ["hub.md", "hub.zh.md"])
def test_a_hub_gives_everybody_the_defaults_that_minigrad_lab_has(page):
    with command._interface("zh"):
        config = os.environ["JUPYTER_CONFIG_PATH"].partition(os.pathsep)[0]
        ours = json.loads(Path(config, "labconfig", "default_setting_overrides.json").read_text(encoding="utf-8"))
    assert json.loads(block(page, "default_setting_overrides.json")) == ours
