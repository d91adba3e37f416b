"""The feature table cannot lie: every row is run, and so are the peers where they are installed."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the gallery draws PyTorch's graphs too")
pytest.importorskip("jupytext")
pytest.importorskip("IPython")

FOLDER = Path(__file__).parents[2] / "docs" / "gallery"
spec = importlib.util.spec_from_file_location("features", FOLDER / "features.py")
features = importlib.util.module_from_spec(spec)


@pytest.fixture(scope="module")
def answers():
    import sys

    sys.modules["features"] = features  # where its dataclasses look for their module
    spec.loader.exec_module(features)
    return list(features.answers())


def written():
    """The rows of features.md: [what, line, torchviz, torchlens, torchvista]."""
    lines = (FOLDER / "features.md").read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")][1:]


def test_every_row_shows_what_it_says(answers):
    assert [answer.feature.en for answer in answers if not answer.shows] == []
    assert {answer.feature for answer in answers} == set(features.FEATURES)


def test_the_table_is_what_running_gave(answers):
    """Where this fails, `python docs/gallery/build.py` writes the table anew: say in the commit what changed."""
    rows = {what: answers for what, *answers in written()}
    assert len(rows) == len(answers)
    for answer in answers:
        line, torchviz, torchlens, torchvista = rows[f"{answer.feature.en} · {answer.feature.zh}"]
        assert line == answer.line
        assert answer.torchviz in (torchviz, None), answer.feature.en
        assert answer.torchlens in (torchlens, None), answer.feature.en
        assert answer.torchvista in (torchvista, None), answer.feature.en
