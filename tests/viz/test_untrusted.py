"""Names and values are other people's text: they may be ugly, never harmful."""

import xml.etree.ElementTree as ET

import pytest

import viz
from viz import strings

from .nasty import NASTY

pytestmark = pytest.mark.hostile


def named(torch, name):
    """The same picture, with the name given to a tensor."""
    w = torch.ones(1, requires_grad=True)
    return viz.draw(w * 2, names={name: w})


def module(torch, name):
    """`add_module` takes any text, and its parameters and the frame around it are named after it."""
    model = torch.nn.Module()
    model.add_module(name.replace(".", "_") or "empty", torch.nn.Linear(2, 2))
    (layer,) = model.children()
    return viz.draw(layer(torch.ones(1, 2)).sum())


def classes(torch, name):
    """A module's class and a Function, whose names stand in the frame and on the node."""
    name = name.replace("\0", "").encode("utf-8", "ignore").decode() or "empty"  # Python allows no others
    twice = type(name, (torch.autograd.Function,), {})
    twice.forward, twice.backward = staticmethod(lambda ctx, x: x * 2), staticmethod(lambda ctx, grad: grad * 2)
    model = type(name, (torch.nn.Module,), {"forward": lambda self, x: twice.apply(self.layer(x))})()
    model.layer = torch.nn.Linear(2, 2)
    return viz.draw(model(torch.ones(1, 2)).sum())


@pytest.mark.parametrize("named", [named, module, classes])
@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY.keys())
def test_any_name_is_shown_and_escaped(torch, name, named, tmp_path):
    picture = named(torch, name)
    root = ET.fromstring(picture.svg)  # still well-formed, and no element came from the name
    assert {e.tag.rpartition("}")[2] for e in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "g", "path", "text"
    }  # fmt: skip
    assert picture._repr_mimebundle_()["text/html"].count("<script>") == 1  # our own
    assert len(picture.text.splitlines()) == len(named(torch, "plain").text.splitlines())  # a name is no new line
    assert len(picture.svg) < 60_000
    if named.__name__ == "named":
        for suffix in ("svg", "dot", "png", "json", "txt"):
            assert picture.save(tmp_path / f"g.{suffix}").stat().st_size > 0


def test_dot_label_reads_as_the_name(torch):
    """Graphviz itself, asked what the label says, gives the name back."""
    pygraphviz = pytest.importorskip("pygraphviz")
    w = torch.ones(1, requires_grad=True)
    name = r"a<b>&amp;\N"
    picture = viz.draw(w * 2, names={name: w})
    svg = pygraphviz.AGraph(string=picture.source).draw(prog="dot", format="svg").decode("utf-8")
    texts = [e.text.replace("\xa0", " ") for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert name in texts


def test_clean_keeps_ordinary_text():
    for text in ("w", "model.fc.weight", "weights['in']", "权重", "Größe", "∂z/∂w"):
        assert strings.clean(text) == text


def test_chinese_is_measured_wider_than_latin():
    assert strings.width("权重", 10) == 20
    assert strings.width("权重", 10) > strings.width("ab", 10)
    assert strings.width("e\u0301", 10) == strings.width("e", 10)  # a combining accent takes no room
