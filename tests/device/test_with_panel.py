"""A panel changes nothing of a program: what a GPU is asked by hand, here on the CPU."""

import importlib.util

import pytest

from tests.device import with_panel

pytest.importorskip("ipykernel")


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_programs_do_the_same_with_the_panel_as_without(library: str) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    without, with_ = (with_panel.seen(library, "cpu", panel=panel) for panel in (False, True))
    assert without.keys() == with_panel.programs(library, "cpu").keys()
    for name, one in without.items():
        assert one.is_like(with_[name]), f"{name}: without the panel {one}, with it {with_[name]}"
    failed = {name for name, one in without.items() if not one.error.startswith("NoneType")}
    assert failed == {"a write that backward refuses", "backward twice"} | ({"anomaly detection"} & without.keys())
    assert sum("agrees" in one.panel for one in with_.values()) > len(with_) // 2


@pytest.mark.parametrize("name", with_panel.ON_GPU)
def test_what_only_a_gpu_runs_is_python(name: str) -> None:
    compile("if True:" + with_panel.ON_GPU[name], name, "exec")
