"""What the learner has done is kept on their own machine, in a file that they may delete, and never gets in the way."""

import contextlib
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import nbformat
import pytest

from minigrad_lessons import build, course, pictures, progress, source
from minigrad_lessons.checks import first_gradient
from minigrad_lessons.checks.exercise import Exercise


class Numbers(list):
    def tolist(self):
        return list(self)


@pytest.fixture(autouse=True)
def notebooks(tmp_path, monkeypatch):
    """A folder of lessons, with a kernel in lessons/en."""
    monkeypatch.delenv("MINIGRAD_PROGRESS", raising=False)
    folder = tmp_path / "lessons" / "en"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def right():
    first_gradient.slope(-14, Numbers([1.0, 2.0]), Numbers([4.0, 4.0]))


def wrong():
    first_gradient.slope(14, Numbers([1.0, 2.0]), Numbers([4.0, 4.0]))


def test_only_an_exercise_that_holds_is_solved_and_a_refusal_is_counted(notebooks, tmp_path):
    first_gradient.slope(...)
    assert list(tmp_path.rglob("*.json")) == []
    wrong()
    assert progress.solved() == set()
    first_gradient.slope.hint(1)
    wrong()
    right()
    kept = json.loads((notebooks.parent / "minigrad-progress.json").read_text(encoding="utf-8"))
    one = kept["refused"].pop("first_gradient.slope")
    assert (one["attempts"], one["hint"]) == (2, 1)
    assert "rise or fall" in one["en"]
    assert "是升还是降" in one["zh"]
    assert kept == {"solved": ["first_gradient.slope"], "predictions": {}, "refused": {}}
    wrong()  # somebody tries the other sign once more: what was done stays done
    assert progress.solved() == {"first_gradient.slope"}


def test_both_languages_share_it(notebooks, monkeypatch):
    right()
    (notebooks.parent / "zh").mkdir()
    monkeypatch.chdir(notebooks.parent / "zh")
    assert progress.solved() == {"first_gradient.slope"}


def test_another_place_can_be_named(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "mine.json"))
    right()
    assert progress.solved() == {"first_gradient.slope"}
    assert [path.name for path in tmp_path.rglob("*.json")] == ["mine.json"]
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("MINIGRAD_PROGRESS", "~/home.json")
    right()
    assert json.loads((tmp_path / "home.json").read_text(encoding="utf-8"))["solved"] == ["first_gradient.slope"]


def test_deleting_the_file_starts_over(notebooks):
    right()
    progress.place().unlink()
    assert progress.solved() == set()


@pytest.mark.hostile
@pytest.mark.parametrize(
    "broken",
    [
        "",
        "{",
        "{}",
        "[1, null]",
        '"first_gradient.slope"',
        "\x00",
        '{"solved": 3, "predictions": [1], "refused": {"first_gradient.slope": 2}}',
        '{"refused": {"first_gradient.slope": {"attempts": "many"}}}',
        '{"solved": [1]}',
    ],
)
def test_a_broken_file_is_no_progress_and_no_obstacle(broken):
    progress.place().write_text(broken, encoding="utf-8")
    assert progress.solved() == set()
    wrong()
    right()
    assert progress.solved() == {"first_gradient.slope"}


def test_what_somebody_has_edited_badly_is_put_aside():
    for name in ("first_gradient.flat", "first_gradient.slope"):
        progress.record(name)
    spoilt = progress.place().read_text(encoding="utf-8").replace('slope"', 'slope",')
    progress.place().write_text(spoilt, encoding="utf-8")
    right()
    (aside,) = progress.place().parent.glob("*.broken")
    assert aside.read_text(encoding="utf-8") == spoilt


def test_what_an_editor_has_marked_as_utf8_is_read():
    right()
    progress.place().write_bytes(b"\xef\xbb\xbf" + progress.place().read_bytes())
    progress.record("first_gradient.flat")
    assert progress.solved() == {"first_gradient.flat", "first_gradient.slope"}


def test_progress_that_cannot_be_kept_is_told_once(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "no folder" / "progress.json"))
    for name in ("flat", "slope"):
        progress.record(f"first_gradient.{name}")
    assert capsys.readouterr().out.count("MINIGRAD_PROGRESS") == 1


def test_two_notebooks_that_are_answered_at_once_lose_nothing():
    program = (
        "import sys\nfrom minigrad_lessons import progress\n"
        "for number in range(40): progress.record(f'{sys.argv[1]}.{number}')"
    )
    both = [subprocess.Popen([sys.executable, "-c", program, name]) for name in ("one", "other")]
    assert [notebook.wait() for notebook in both] == [0, 0]
    assert len(progress.solved()) == 80
    assert [file.name for file in progress.place().parent.iterdir() if file.is_file()] == ["minigrad-progress.json"]


def test_a_lock_that_a_killed_kernel_has_left_is_no_obstacle(notebooks):
    (notebooks.parent / "minigrad-progress.json.lock").touch()
    right()
    assert progress.solved() == {"first_gradient.slope"}
    assert not (notebooks.parent / "minigrad-progress.json.lock").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a folder in which a program runs")
def test_a_folder_that_is_gone_is_no_obstacle(notebooks, capsys):
    notebooks.rmdir()
    wrong()
    right()
    progress.show()
    assert [line[0] for line in capsys.readouterr().out.splitlines() if line[0] in "❌✅"] == ["❌", "✅"]


def test_a_file_from_before_there_were_predictions_counts():
    progress.place().write_text('["first_gradient.flat"]', encoding="utf-8")
    right()
    assert progress.solved() == {"first_gradient.flat", "first_gradient.slope"}


def test_a_place_that_cannot_be_written_is_no_obstacle(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "nowhere" / "progress.json"))
    right()
    assert capsys.readouterr().out.startswith("✅")
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path))  # a folder
    right()
    assert capsys.readouterr().out.startswith("✅")
    assert [path.name for path in tmp_path.iterdir()] == ["lessons"]


@pytest.mark.parametrize("name", source.names()[1:])
def test_a_lessons_exercises_are_the_cells_that_ask_for_one(name):
    asked = [cell for cell in source.read(name).code if "exercise" in cell.tags]
    found = progress.exercises(name)
    assert len(found) == len(asked) == len(set(found))
    for full in found:
        module, _, exercise = full.partition(".")
        check = getattr(__import__(f"minigrad_lessons.checks.{module}", fromlist=[exercise]), exercise)
        assert isinstance(check, Exercise)
        assert check.full_name == full


@pytest.mark.parametrize("name", ["00_index", "glossary", "errata", "no_such_page"])
def test_a_page_without_exercises_is_never_finished(notebooks, name):
    assert progress.exercises(name) == []
    assert not progress.finished(notebooks / f"{name}.ipynb")


@pytest.mark.parametrize("name", source.names()[1:])
def test_lessons_and_exercises_are_called_what_their_headings_say(name):
    lesson, *called = progress.titles(name)
    assert len(called) == len(progress.exercises(name))
    for lang in source.LANGUAGES:
        text = [line for pair in source.read(name).prose for line in getattr(pair, lang).splitlines()]
        assert f"# {int(name[:2])} · {getattr(lesson, lang)}" in text
        for title in called:
            assert any(line.startswith("### ") and line.endswith(getattr(title, lang)) for line in text), title


@pytest.mark.parametrize(
    ("lang", "first", "second"),
    [
        ("en", "1  First gradient", "⬜ train it yourself   ✅ a slope by hand   ⬜ change Y   ⬜ fix the typos"),
        ("zh", "1  第一个梯度", "⬜ 自己来训练   ✅ 手算斜率   ⬜ 改一改 Y   ⬜ 改正笔误"),
    ],
)
def test_the_index_shows_what_is_done(notebooks, capsys, monkeypatch, lang, first, second):
    monkeypatch.setenv("MINIGRAD_LANG", lang)
    (show,) = (cell for cell in source.read("00_index").code if "progress" in cell.source)
    right()
    capsys.readouterr()
    exec(show.source, {})
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == [first, second]
    assert len(lines) == 2 * len(source.names()[1:])
    assert "✅" not in "".join(lines[2:])


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_the_index_has_a_promise_a_picture_and_the_time_of_each_lesson(lang):
    index = nbformat.read(build.path_of("00_index", lang), as_version=4)
    table = [line for cell in index.cells for line in cell.source.splitlines() if line.startswith("| ")]
    for name in source.names()[1:]:
        number = int(name.partition("_")[0])
        (row,) = (row for row in table if row.startswith(f"| {number} |"))
        _, _, picture, lesson, promise, time, _ = (cell.strip() for cell in row.split("|"))
        assert picture.endswith(f"](../pictures/{name}.svg)")
        assert len(picture.partition("]")[0]) > 5, "the picture says in words what it shows"
        assert lesson.endswith(f"]({name}.ipynb)")
        assert len(promise) > 10
        assert 15 <= int(time.split()[0]) <= {"13_your_own_op": 30, "14_build_it": 90, "15_fix_it": 45}.get(name, 25)


@pytest.mark.parametrize("name", source.names()[1:])
def test_a_lessons_small_picture_is_its_notebooks(name):
    notebook = build.path_of(name, "en").read_text(encoding="utf-8")
    stored = build.picture_of(name).read_text(encoding="utf-8")
    assert stored == pictures.picture(name, notebook), f"run `python -m minigrad_lessons.build {name}`"
    width, height = (int(stored.partition(f'{side}="')[2].partition('"')[0]) for side in ("width", "height"))
    assert width <= pictures.WIDTH
    assert height <= pictures.HEIGHT


def test_what_was_predicted_wrongly_is_to_be_reviewed_until_it_is_tried_again(notebooks, capsys, monkeypatch):
    monkeypatch.setenv("MINIGRAD_LANG", "zh")
    progress.predicted("diamond", "30", False)
    progress.predicted("between", "15", False)
    progress.predicted("doubled", "18", False)
    progress.predicted("broadcast", "[4.0, 4.0, 4.0]", True)
    assert progress.to_review() == ["05_backward", "07_jacobians"]
    progress.show()
    assert "今天该复习：5 逐步反向传播、7 " in capsys.readouterr().out
    progress.predicted("doubled", "512", True)
    assert progress.to_review() == ["05_backward"]


def test_the_map_has_every_lesson_and_ticks_what_is_done(notebooks):
    drawn = course.Map()
    assert list(drawn.lessons.values()) == source.names()[1:]
    assert all(other < number for number, needs in course.NEEDS.items() for other in needs)
    assert drawn.mark(1) == ""
    for exercise in progress.exercises("01_first_gradient"):
        progress.record(exercise)
    progress.predicted("diamond", "30", False)
    assert [course.Map().mark(number) for number in (1, 2, 5)] == ["✅ ", "", "↻ "]
    assert "✅ 1 · " in ET.fromstring(course.Map().picture()).find(".//{*}text").text


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_each_lesson_says_on_its_first_lines_which_path_it_is_on(lang):
    for number, name in course.Map().lessons.items():
        (said,) = re.findall(r"(?:path: |路线：)(.*)", getattr(source.read(name).prose[0], lang)) or [""]
        wanted = [getattr(path, lang) for path in course.Map().paths(number)]
        assert re.findall(r"\*([^*]+)\*", said) == wanted, name


def test_a_record_is_whole_or_absent(monkeypatch):
    """Two notebooks may be answered at once: nobody ever reads half a file."""
    right()
    before = progress.place().read_text(encoding="utf-8")

    def interrupted(*_):
        raise OSError("the disk is full")

    with monkeypatch.context() as patch, contextlib.suppress(OSError):
        patch.setattr("pathlib.Path.replace", interrupted)
        progress.record("first_gradient.flat")
    assert progress.place().read_text(encoding="utf-8") == before
