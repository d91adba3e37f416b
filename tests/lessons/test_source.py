"""The source format: what an author may write, and which mistakes are caught before a learner sees them."""

import pytest

from minigrad_lessons import source
from minigrad_lessons.source import LessonError

PAIR = """# %% [markdown] lang="en"
# Run `w.grad`, which is $x^2$.

# %% [markdown] lang="zh"{of}
# 运行 `w.grad`，它等于 $x^2$。

# %% first covers=[28]
print(1)
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "SOURCES", tmp_path)

    def write(text: str) -> str:
        (tmp_path / "01_test.py").write_text(text, encoding="utf-8")
        return "01_test"

    return write


def test_chinese_older_than_its_english_is_found_and_can_be_stamped(write):
    name = write(PAIR.format(of=""))
    (problem,) = source.problems(source.read(name))
    assert "--translated 01_test" in problem
    assert source.stamp(name) == 1
    assert source.problems(source.read(name)) == []
    assert source.stamp(name) == 0

    path = source.SOURCES / "01_test.py"
    path.write_text(path.read_text(encoding="utf-8").replace("# Run", "# Now run"), encoding="utf-8")
    (problem,) = source.problems(source.read(name))
    assert "Read the Chinese again" in problem


def test_stamping_changes_nothing_but_the_fingerprint(write):
    name = write(PAIR.format(of=""))
    source.stamp(name)
    of = f' of="{source.read(name).prose[0].of}"'
    assert (source.SOURCES / "01_test.py").read_text(encoding="utf-8") == PAIR.format(of=of)


@pytest.mark.parametrize(
    ("english", "chinese", "what"),
    [
        ("see `w.grad`", "见 `w.gard`", "code spans"),
        ("is $x^2$", "是 $x^3$", "formulas"),
        ("[here](a.ipynb)", "[这里](b.ipynb)", "links"),
        ("## Why", "### 为什么", "heading levels"),
        ("```\na = 1\n```", "```\na = 2\n```", "code spans"),
    ],
)
def test_what_must_be_the_same_in_both_languages(english, chinese, what):
    (difference,) = source.differences(english, chinese)
    assert difference.startswith(what)
    assert source.differences(english, english) == []


def test_code_is_not_mistaken_for_a_formula_or_a_heading():
    text = "`$x$` costs\n```\n# not a heading, no $y$\n```\n"
    assert source.formulas(text) == []
    assert source.headings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '# %% [markdown] lang="en"\n# alone\n',
        '# %% [markdown] lang="en"\n# one\n\n# %%\nprint(1)\n',
        '# %% [markdown] lang="zh"\n# 没有英文\n',
        "# %% [markdown]\n# no language\n",
        '# %% tags=["wrong"]\nprint(1)\n',
    ],
)
def test_cells_that_do_not_pair_are_refused(write, text):
    with pytest.raises(LessonError, match="01_test"):
        source.read(write(text))


def test_chinese_in_shared_code_is_found(write):
    name = write('# %%\nprint("你好")\n')
    (problem,) = source.problems(source.read(name))
    assert "Chinese in a code cell" in problem


def test_a_cell_that_covers_a_concept_has_a_name(write):
    name = write("# %% covers=[3]\nprint(1)\n")
    (problem,) = source.problems(source.read(name))
    assert "no title" in problem


def test_answers_stay_out_of_the_lesson(write):
    name = write('# %% ask tags=["exercise"]\n...\n\n# %% tags=["solution"]\n1\n\n# %% tags=["wrong"]\n2\n\n# %%\n3\n')
    ask, after = source.read(name).code
    assert (ask.solutions, ask.wrong) == (["1"], ["2"])
    assert after.source == "3"


def test_an_unknown_lesson_names_those_there_are(write):
    write("# %%\n1\n")
    with pytest.raises(LessonError, match="there are 01_test"):
        source.read("99_nothing")
