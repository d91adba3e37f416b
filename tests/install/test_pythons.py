"""Which Pythons CI tries: every one that the package accepts, and on any machine the newest that is there."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name == "nt", reason=".ci/run is for systems with bash")


def python(place: Path, answer: str) -> None:
    """A program that answers as a Python would."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
    place.chmod(0o755)


def newest(folder: Path) -> str:
    """What .ci/newest finds where the PATH begins with folder/bin, and pyenv's folder is folder/pyenv."""
    environment = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.defpath}", "PYENV_ROOT": str(folder / "pyenv")}
    found = subprocess.run(
        ["bash", str(ROOT / ".ci/newest")], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stderr == ""
    return found.stdout.strip()


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """One with Python 3.11, and without the newer ones that this machine may have on its PATH."""
    for name, answer in [("python3", "echo 11"), *((f"python3.{minor}", "exit 127") for minor in (12, 13, 14))]:
        python(tmp_path / "bin" / name, answer)
    return tmp_path


@posix
def test_only_3_11_is_no_failure(machine: Path) -> None:
    assert newest(machine) == ""


@posix
def test_the_newest_is_found_on_the_path_and_where_pyenv_keeps_it(machine: Path) -> None:
    python(machine / "bin" / "python3.12", "echo 12")
    assert newest(machine) == str(machine / "bin" / "python3.12")
    for version, answer in {"3.9.18": "echo 9", "3.12.1": "echo 12", "3.13.0": "echo 13", "3.13.0t": "exit 1"}.items():
        python(machine / "pyenv" / "versions" / version / "bin" / "python", answer)
    assert newest(machine) == str(machine / "pyenv" / "versions" / "3.13.0" / "bin" / "python")


@posix
def test_what_is_no_newer_than_python3_is_not_tried_twice(machine: Path) -> None:
    python(machine / "bin" / "python3.13", "echo 13")
    python(machine / "bin" / "python3", "echo 13")
    assert newest(machine) == ""


def test_every_python_that_the_package_accepts_is_in_the_matrix() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    tried = re.findall(r'"3\.(\d+)"', re.search(r"python: \[(.*)\]", workflow)[1])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = int(project["requires-python"].removeprefix(">=3."))
    assert list(map(int, tried)) == list(range(oldest, 15))
    assert "python3.14" in (ROOT / ".ci/newest").read_text(encoding="utf-8")
