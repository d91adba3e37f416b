"""The picture can be read: by eyes that see no colour, in the dark, and by machines that know no CSS variables."""

import itertools
import re

import pytest

import viz
from viz.picture import theme

BOXES = {kind: (look.fill, look.line) for kind, look in theme.LOOKS.items()} | theme.TAGS


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("kind", BOXES)
def test_contrast(kind, mode):
    fill, line = BOXES[kind]
    assert contrast(theme.TEXT[mode], fill[mode]) >= 10  # WCAG asks 7
    assert contrast(theme.MUTED[mode], fill[mode]) >= 6.5
    assert contrast(line[mode], theme.PAPER[mode]) >= 3  # WCAG asks 3 for outlines


def test_no_two_kinds_share_shape_and_outline():
    looks = {kind: (look.shape, look.style) for kind, look in theme.LOOKS.items()}
    for a, b in itertools.combinations(looks, 2):
        assert looks[a] != looks[b], f"{a} and {b} differ by colour alone"


def test_every_color_has_a_dark_twin():
    light, dark = theme.variables(0), theme.variables(1)
    assert [v.split(":")[0] for v in light.split(";")] == [v.split(":")[0] for v in dark.split(";")]
    assert light != dark


def test_the_paper_is_as_large_as_the_picture(torch):
    """In numbers: Qt, which draws for Spyder and its like, takes 100% for 100 pixels, and dark is what lies behind."""
    svg = viz.draw(torch.ones(2, requires_grad=True).exp().sum()).svg
    (size,) = re.findall(r'viewBox="0 0 (\S+) (\S+)"', svg)
    assert re.findall(r'class="paper" width="(\S+)" height="(\S+)"', svg) == [size]
