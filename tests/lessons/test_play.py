"""The slider, and what stands in its place where no kernel runs."""

import xml.etree.ElementTree as ET

import pytest

from lessons.play import Play


@pytest.fixture
def bowl() -> Play:
    return Play(lambda w: ((w - 2) ** 2, 2 * (w - 2)), w=(0.0, 4.0, 0.5), start=1.0)


def test_the_still_table_holds_what_the_slider_would_show(bowl):
    lines = repr(bowl).splitlines()
    assert lines[0].split() == ["w", "loss", "w.grad"]
    assert "  1     1      -2  <- here" in lines
    assert sum("<- here" in line for line in lines) == 1


def test_the_slider_moves_the_picture(bowl):
    slider, picture = bowl.widget().children
    before = picture.value
    slider.value = 3.0
    assert picture.value != before
    assert picture.value == bowl.picture(3.0)


@pytest.mark.parametrize("place", [0.0, 1.0, 2.0, 4.0, 17.0])
def test_the_picture_is_an_svg_that_says_what_it_shows(bowl, place):
    root = ET.fromstring(bowl.picture(place))
    title = root.find("{http://www.w3.org/2000/svg}title").text
    shown = min(place, 4.0)
    assert title == f"w = {shown:g},  loss = {(shown - 2) ** 2:g},  w.grad = {2 * (shown - 2):g}"
    assert root.attrib["aria-label"] == title


def test_the_tangent_stays_inside_the_frame():
    steep = Play(lambda w: (100 * w**2, 200 * w), w=(-1.0, 1.0, 0.1), start=-1.0)
    root = ET.fromstring(steep.picture(-1.0))
    dashed = next(
        line for line in root.iter("{http://www.w3.org/2000/svg}polyline") if "stroke-dasharray" in line.attrib
    )
    heights = [float(point.split(",")[1]) for point in dashed.attrib["points"].split()]
    assert all(0 <= height <= 280 for height in heights)


def test_a_notebook_gets_the_widget_and_its_still_twin(bowl):
    bundle = bowl._repr_mimebundle_()
    assert {"text/plain", "image/svg+xml", "application/vnd.jupyter.widget-view+json"} <= set(bundle)
    assert bundle["text/plain"] == repr(bowl)
