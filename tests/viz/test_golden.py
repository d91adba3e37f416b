"""The DOT and the text of a few pictures, to the letter. Where one fails and the new picture is right (look at it),
`python tests/viz/test_golden.py` writes the files anew."""

import importlib
from pathlib import Path

import pytest

import viz

FOLDER = Path(__file__).parent / "golden"


def linear(torch):
    w = torch.tensor([2.0], requires_grad=True)
    b = torch.tensor([1.0], requires_grad=True)
    x = torch.tensor([3.0])
    z = w * x + b
    z.backward()
    return viz.draw(z, names={"w": w, "b": b, "x": x, "z": z}, show=("order", "formula"))


def diamond_with_chinese_names(torch):
    x = torch.tensor(3.0, requires_grad=True)
    y = (2 * x) * (5 * x)
    return viz.draw(y, names={"输入": x, "结果": y}, show="saved")


def outputs_and_a_constant(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = (x * 2).unbind()
    z = a.detach() * b
    return viz.draw(z, names={"x": x, "a": a, "z": z})


def unrolled_loop(torch):
    w = h = torch.tensor(0.5, requires_grad=True)
    for _ in range(100):
        h = (h * w).tanh()
    return viz.draw(h, names={"w": w, "h": h})


PROGRAMS = [linear, diamond_with_chinese_names, outputs_and_a_constant, unrolled_loop]


@pytest.mark.parametrize("suffix", ["dot", "txt"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_golden(torch, program, suffix, tmp_path):
    drawn = program(torch).save(tmp_path / f"g.{suffix}").read_text(encoding="utf-8")
    assert drawn == (FOLDER / f"{program.__name__}.{suffix}").read_text(encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for program in PROGRAMS:
        for suffix in ("dot", "txt"):
            program(importlib.import_module("torch")).save(FOLDER / f"{program.__name__}.{suffix}")
