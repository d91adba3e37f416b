"""What is released: one version, a README that PyPI can show, workflows that run what was read."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import yaml

import minigrad
from tests.test_readme import READMES, badges, read

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PLACE = "gh/Owner/name"


def test_there_is_one_version():
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    assert minigrad.__version__ == version
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version
    assert f"\n## {version}\n" in read("CHANGELOG.md")


def test_pip_brings_what_the_panel_imports():
    """What only a new version of another package brings is missing where an old one is kept, as in Colab."""

    def named(requirements: list[str] | None) -> set[str]:
        plain = [one for one in requirements or () if "extra ==" not in one]
        return {re.match(r"[\w.-]+", one)[0].lower().replace("_", "-") for one in plain}

    asked = named(tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]["viz"])
    brought = asked.union(*(named(requires(one)) for one in asked))
    code = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "viz").rglob("*.py")]
    names = [part for tree in code for part in ast.walk(tree) if isinstance(part, ast.Import | ast.ImportFrom)]
    plain = [one.name for part in names if isinstance(part, ast.Import) for one in part.names]
    plain += [part.module for part in names if isinstance(part, ast.ImportFrom) and not part.level]
    others = {name.partition(".")[0] for name in plain} - sys.stdlib_module_names - {"js"}  # the browser's, in Pyodide
    assert len(others) > 4
    assert {one for one in others if not brought & {d.lower() for d in packages_distributions().get(one, ())}} == set()


@pytest.mark.parametrize("name", READMES)
def test_the_first_picture_leads_to_the_pages_that_play_it(name):
    text = read(name)
    published = badges.linked(text, PLACE)
    assert published.count('<a href="https://owner.github.io/name/"><picture>') == 1
    assert badges.linked(published, PLACE) == published
    assert badges.linked(published, None) == badges.linked(text, None)


def test_every_link_of_a_released_readme_leads_to_the_repository_and_to_a_file_there():
    repository = "https://github.com/Owner/name"
    text = badges.released(read("README.md"), repository, "v9")
    found = re.findall(r"(?:\]\(|\bsrc(?:set)?=\")([^)\"]+)", text)
    assert len(found) > 30
    assert [link for link in found if not link.startswith(("https://", "#"))] == []
    ours = [link.removeprefix(repository).partition("#")[0] for link in found if link.startswith(repository)]
    assert all(re.match("/(raw|blob)/v9/", link) for link in ours)
    assert [link for link in ours if not (ROOT / link.split("/", 3)[3]).exists()] == []
    assert badges.released(text, repository, "v9") == text


def test_a_released_project_lists_its_addresses():
    project = badges.with_urls(read("pyproject.toml"), "https://github.com/Owner/name", PLACE)
    urls = tomllib.loads(project)["project"]["urls"]
    assert urls["Homepage"] == "https://owner.github.io/name/"
    assert set(urls) == {"Homepage", "Repository", "Documentation", "Changelog", "Issues"}
    assert badges.with_urls(project, "https://github.com/Owner/name", PLACE) == project


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_what_was_read_and_may_do_no_more_than_it_needs(workflow):
    """An action by its hash is what it was when somebody looked; a tag may be moved."""
    text = workflow.read_text(encoding="utf-8")
    for action, version, says in re.findall(r"uses: ([\w./-]+)@(\S+)( # v\d+\.\d+\.\d+)?", text):
        assert re.fullmatch("[0-9a-f]{40}", version), action
        assert says, action
    asks = yaml.safe_load(text)
    assert {"concurrency", "permissions"} <= set(asks)
    assert all("timeout-minutes" in job for job in asks["jobs"].values())
