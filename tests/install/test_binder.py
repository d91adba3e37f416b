"""binder/ as repo2docker reads it: what can be seen without the network. `.ci/outside.py binder` does the rest."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"


def lines(name: str) -> list[str]:
    text = (BINDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_every_file_is_one_that_repo2docker_reads():
    # A name that it does not know is silently ignored; environment.yml or a Dockerfile would displace all the others.
    assert {path.name for path in BINDER.iterdir()} == {"runtime.txt", "requirements.txt", "apt.txt", "postBuild"}


def test_the_python_is_one_that_the_package_accepts():
    (runtime,) = lines("runtime.txt")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.fullmatch(r"python-(3\.\d+)", runtime)[1]
    assert Requirement(f"python{project['requires-python']}").specifier.contains(version)


def test_every_requirement_is_one_exact_version_of_somebody_elses_package():
    for line in lines("requirements.txt"):
        assert re.fullmatch(r"[\w.-]+==[\w.!+-]+", line), line
        assert not line.startswith("minigrad"), "the package in this layer would rebuild it at every commit"


def test_the_pins_satisfy_what_the_package_asks_for():
    """Fails when pyproject.toml changed and nobody ran .ci/lock."""
    pins = {
        re.sub(r"[-_.]+", "-", name).lower(): version
        for name, version in (line.split("==") for line in lines("requirements.txt"))
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for wanted in map(Requirement, [*project["dependencies"], *extras["viz"], *extras["lab"]]):
        if wanted.name == project["name"]:  # another extra
            continue
        assert wanted.specifier.contains(pins[wanted.name.lower()]), f"{wanted}: run .ci/lock"
    assert "jupyterlab-language-pack-zh-cn" in pins


@pytest.mark.skipif(os.name == "nt", reason="Windows has no executable bit")
def test_post_build_can_run_and_stops_at_its_first_failure():
    script = BINDER / "postBuild"
    assert os.access(script, os.X_OK)
    text = script.read_bytes()
    assert text.startswith(b"#!")
    assert b"\nset -e\n" in text
    assert b"\r" not in text


def test_a_chinese_font_is_there():
    assert "fonts-noto-cjk" in lines("apt.txt")


def apt_knows_packages() -> bool:
    """Whether apt is here, and `apt-get update` has been."""
    return bool(shutil.which("apt-get")) and any(Path("/var/lib/apt/lists").glob("*_Packages*"))


@pytest.mark.skipif(not apt_knows_packages(), reason="no apt-get that has been updated")
def test_apt_would_install_every_package():
    """Debian here, Ubuntu on Binder: the names are the same. (Nothing is installed; that needs no root.)"""
    simulated = subprocess.run(
        ["apt-get", "install", "--simulate", "--no-install-recommends", *lines("apt.txt")],
        capture_output=True, text=True, encoding="utf-8", env=os.environ | {"LC_ALL": "C.UTF-8"}, check=False,
    )  # fmt: skip
    assert simulated.returncode == 0, simulated.stderr
    for name in lines("apt.txt"):
        assert re.search(rf"^Inst {name} |^{name} is already the newest", simulated.stdout, re.MULTILINE), name


def plan(folder: Path) -> str:
    """The Dockerfile that repo2docker's own code makes of a repository: no docker is needed for that."""
    pytest.importorskip("repo2docker", reason="pip install jupyter-repo2docker (not on Windows)")
    ask = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(folder)]
    asked = subprocess.run(ask, capture_output=True, text=True, encoding="utf-8", check=False)
    assert asked.returncode == 0, asked.stderr
    return asked.stdout + asked.stderr


def test_repo2docker_itself_reads_every_file(tmp_path):
    shutil.copytree(BINDER, tmp_path / "binder")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)  # which it must not install by itself
    planned = plan(tmp_path)
    (runtime,) = lines("runtime.txt")
    assert f"python={runtime.removeprefix('python-')}" in planned
    for step in ("apt-get install --yes --no-install-recommends fonts-noto-cjk", '-r "binder/requirements.txt"'):
        assert step in planned
    assert planned.index("binder/requirements.txt") < planned.index("./binder/postBuild")
    assert "pip install --no-cache-dir ." not in planned


def test_repo2docker_would_take_another_python_and_install_the_package_without_our_folder(tmp_path):
    """So the test above can fail."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planned = plan(tmp_path)
    (runtime,) = lines("runtime.txt")
    assert f"python={runtime.removeprefix('python-')}" not in planned
    assert "fonts-noto-cjk" not in planned
    assert "binder/postBuild" not in planned
    assert "pip install --no-cache-dir ." in planned
