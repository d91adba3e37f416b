"""Who does not see a picture hears it in the reader's language; who sees the live panel reads it in that language."""

import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest

import viz
from minigrad_lessons.source import CHINESE
from tests.shells import notebook_shell
from viz import language
from viz.notebook.scene import Scenes
from viz.picture.fold import View

CHINESE_LINEAR = """\
z 的计算图：2 次运算，2 个叶子节点（w、b）
输出 z，形状 (1,)，float32，值 [7.]，grad_fn op2
op2 AddBackward0，z.grad_fn -> op1，AccumulateGrad(b)
op1 MulBackward0 -> AccumulateGrad(w)，x
叶子节点 w，形状 (1,)，float32，值 [2.]，梯度 None
输入 x，形状 (1,)，float32，值 [3.]，requires_grad False
叶子节点 b，形状 (1,)，float32，值 [1.]，梯度 None"""


@pytest.fixture
def z(torch, monkeypatch):
    w = torch.tensor([2.0], requires_grad=True)
    b = torch.tensor([1.0], requires_grad=True)
    x = torch.tensor([3.0])
    z = w * x + b

    def drawn(lang="auto"):
        monkeypatch.setattr(viz.options, "language", lang)
        return viz.draw(z, names={"w": w, "b": b, "x": x, "z": z})

    return drawn


def told(picture) -> tuple[str, str, str]:
    """Title and description of a picture, and what an image of it has as its alternative."""
    bundle = picture._repr_mimebundle_()
    root = ET.fromstring(bundle["image/svg+xml"])
    title, description = (root.find("{http://www.w3.org/2000/svg}" + part).text for part in ("title", "desc"))
    return title, description, unescape(re.search(r'alt="([^"]*)"', bundle["text/html"])[1])


def test_a_picture_is_told_in_chinese(z):
    title, description, alt = told(z("zh"))
    assert title == CHINESE_LINEAR.splitlines()[0]
    assert description == alt == CHINESE_LINEAR


def test_a_picture_is_told_in_one_language_where_none_is_known(z, monkeypatch, tmp_path):
    monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    monkeypatch.chdir(tmp_path)
    assert told(z()) == told(z("en"))
    assert not CHINESE.search(re.sub(' data-zh="[^"]*"', "", z().svg)), "what a panel changes to"


@pytest.mark.parametrize("lang", language.LANGUAGES)
def test_the_notebooks_folder_says_which_and_the_environment_before_it(z, lang, monkeypatch, tmp_path):
    monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    (tmp_path / lang).mkdir()
    monkeypatch.chdir(tmp_path / lang)
    assert told(z()) == told(z(lang))
    other = {"en": "zh", "zh": "en"}[lang]
    monkeypatch.setenv("MINIGRAD_LANG", other)
    assert told(z()) == told(z(other))


def test_the_text_that_is_compared_stays_english(z, monkeypatch):
    monkeypatch.setenv("MINIGRAD_LANG", "zh")
    assert not CHINESE.search(z().text)
    assert z()._repr_mimebundle_()["text/plain"] == repr(z()) == CHINESE_LINEAR


def test_what_is_folded_is_told_in_chinese(torch, monkeypatch):
    monkeypatch.setattr(viz.options, "language", "zh")
    w = h = torch.tensor(0.5, requires_grad=True)
    for _ in range(100):
        h = (h * w).tanh()
    lines = told(viz.draw(h))[1].splitlines()
    assert [line for line in lines if "重复 98 次" in line]
    assert not [line for line in lines if "repeat" in line]
    before = viz.draw((w * 2).exp(), depth=0)
    assert "rest1 1 次运算：叶子节点 x1，MulBackward0 x1" in before.alt
    assert "叶子 ×1</text>" in before.svg


def test_every_word_has_a_chinese_one():
    for key, row in language.data("words.json").items():
        assert {"en", "zh"} <= row.keys(), key
        assert "what" in row or sorted(re.findall(r"{\w+}", row["en"])) == sorted(re.findall(r"{\w+}", row["zh"])), key
        assert not CHINESE.search(row["en"]), key
        assert CHINESE.search(row["zh"]) or not re.search(
            "[a-z]{3}", re.sub(r"{.*?}|grad|retain_graph", "", row["en"])
        ), key


@pytest.mark.parametrize(
    ("folder", "asked", "shown"), [("zh", "auto", "zh"), ("zh", "en", "en"), ("x", "auto", "auto")]
)
def test_the_live_panel_speaks_as_the_notebook_does(folder, asked, shown, monkeypatch, tmp_path):
    """In a folder of neither language the browser decides."""
    pytest.importorskip("anywidget")
    monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / folder)
    with notebook_shell():
        monkeypatch.setattr(viz.options, "language", asked)
        panel = viz.live()
        assert panel.language == shown
        panel.close()


def test_nodes_tooltips_and_recorded_steps_speak_the_readers_language(torch, monkeypatch):
    """What stands on a node, what its tooltip says, viz.text, and a printed run: Chinese but for names and code."""
    w = torch.tensor(2.0, requires_grad=True)
    z = w * 3
    z.backward()
    monkeypatch.setenv("MINIGRAD_LANG", "zh")
    svg = re.sub("<style>.*?</style>|<[^>]*>", " ", viz.draw(z, show="saved").svg, flags=re.DOTALL)
    assert "：已释放" in svg
    assert "叶子节点" in svg
    assert viz.text(z).startswith("z 的计算图")
    y = w * w
    with viz.record(y) as run:
        y.backward()
    assert "收到 1." in repr(run)
    with monkeypatch.context() as asked:
        asked.setattr(viz.options, "language", "en")
        assert "arrives" in repr(run), "what was asked for comes before what is known of the reader"
    for english in ("freed", "leaf tensor", "arrives", "passes on", "shape ()", "forward", "operation"):
        assert english not in svg + repr(run) + viz.text(z), english
    monkeypatch.setenv("MINIGRAD_LANG", "en")
    svg = re.sub(' data-zh="[^"]*"', "", viz.draw(z, show="saved").svg)  # what a panel changes to
    assert not CHINESE.search(svg + repr(run) + viz.text(z))


@pytest.mark.parametrize(("lang", "old"), [("en", "w (old)"), ("zh", "w（旧）")])
def test_a_leaf_that_has_lost_its_name_is_called_so_in_words_too(torch, monkeypatch, lang, old):
    monkeypatch.setattr(viz.options, "language", lang)
    scenes, w = Scenes(View()), torch.tensor(2.0, requires_grad=True)
    y = w * 3
    scenes.read([("w", w), ("y", y)])
    text = scenes.scene(scenes.read([("w", w * 2), ("y", y)]))["text"]
    assert f"AccumulateGrad({old})" in text
    assert f"leaf {old}, " in text or f"叶子节点 {old}，" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_error_speaks_the_readers_language(monkeypatch, lang):
    monkeypatch.setenv("MINIGRAD_LANG", lang)
    with pytest.raises(TypeError) as raised:
        viz.draw(5)
    what, _, cure = str(raised.value).partition("\n")
    assert what == "cannot draw this: only a tensor has a graph, and it is of type int"
    assert bool(re.search(CHINESE, cure)) is (lang == "zh")
    assert set(language.explained(raised.value)) == {"en", "zh"}, "the panel may speak the other one"


def test_both_languages_can_be_asked_for_anywhere(monkeypatch, tmp_path):
    (tmp_path / "zh").mkdir()
    monkeypatch.chdir(tmp_path / "zh")
    monkeypatch.setenv("MINIGRAD_LANG", "both")
    assert language.spoken() == language.LANGUAGES
