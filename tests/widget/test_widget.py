"""The panel's JavaScript: its types hold, its tests pass, and what they are shown is what Python gives today."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from viz.notebook.widget import LivePanel

from . import record

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STATIC = ROOT / "viz/notebook/static"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy with the development tools in it, laid out as the repository is."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not installed")
    copy = tmp_path_factory.mktemp("javascript")
    shutil.copytree(STATIC, copy / "viz/notebook/static")
    shutil.copytree(STATIC.parent / "labextension", copy / "viz/notebook/labextension")
    for data in (ROOT / "viz").glob("*.json"):
        shutil.copy(data, copy / "viz")
    ignore = shutil.ignore_patterns("node_modules", "__pycache__")
    shutil.copytree(HERE, copy / "tests/widget", ignore=ignore)
    installed = run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=copy / "tests/widget")
    if installed.returncode:
        pytest.skip(f"npm ci: {installed.stderr.strip()[-200:]}")
    return copy / "tests/widget"


def run(command, *arguments, cwd):
    return subprocess.run(
        [shutil.which(command), *arguments], cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=180
    )


def test_types_hold(project):
    checked = run("npm", "run", "--silent", "types", cwd=project)
    assert checked.returncode == 0, checked.stdout


def test_javascript_passes(project):
    ran = run("npm", "run", "--silent", "test", cwd=project)
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert int(re.search(r"(?m)^\S* pass (\d+)$", ran.stdout)[1]) >= 25


@pytest.mark.parametrize("program", record.PROGRAMS, ids=lambda program: program.__name__)
def test_fixtures_are_what_python_gives(program):
    kept = (HERE / "fixtures" / f"{program.__name__}.json").read_text(encoding="utf-8")
    # where a node stands is Graphviz's choice, and differs between its versions
    assert without_places(json.loads(record.recorded(program))) == without_places(json.loads(kept))


def without_places(data):
    if isinstance(data, dict):
        return {k: without_places(v) for k, v in data.items() if k not in ("svg", "x", "y", "width", "height")}
    return [without_places(item) for item in data] if isinstance(data, list) else data


def test_nothing_asks_the_network():
    for text in (LivePanel._esm, LivePanel._css):
        text = text.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//cdn|@import|^import |\bimport\(|\bfetch\(|url\(", text, re.MULTILINE)


def test_every_rule_stays_in_the_panel():
    css = re.sub(r"/\*.*?\*/", "", (STATIC / "widget.css").read_text(encoding="utf-8"), flags=re.DOTALL)
    selectors = [s.strip() for s in re.findall(r"([^{}]+)\{", css)]
    ours = [s for s in selectors if not s.startswith(("@", "to", "50%"))]
    assert len(ours) > 80
    assert [s for s in ours if not all(".viz-live" in part for part in re.split(r",(?![^(]*\))", s))] == []
