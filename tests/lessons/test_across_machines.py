"""Lesson 16: without dask it says what to install and goes on; a cluster that others use is left as it is."""

import contextlib
import io
import os
import sys

import pytest

from minigrad_lessons import source, workers

CELLS = source.read("16_across_machines").code


def said(cells) -> str:
    """What these cells print, one after the other, in one process."""
    namespace, printed = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells:
            exec(cell.source, namespace)
    return printed.getvalue()


def test_without_dask_the_lesson_says_what_to_install_and_the_rest_works(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    printed = said(CELLS)
    assert printed.count(workers.INSTALL) == 2  # once in each language
    assert "→ tensor(-480.)" in printed
    assert "computed" not in printed


def test_what_it_says_to_install_is_an_extra_of_this_project():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((source.SOURCES.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f'pip install "{project["name"]}[dask]"' == workers.INSTALL
    assert "dask" in project["optional-dependencies"]


def test_a_cluster_by_its_address_is_used_left_running_and_loses_no_worker(monkeypatch, capsys):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("MINIGRAD_LANG", "en")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        client = workers.connect(cluster.scheduler_address)
        assert client.cluster is None
        future = client.submit(os.getpid)
        assert future.result() == os.getpid()
        assert workers.calls(client, future) == 1
        workers.lose(client, future)
        assert "others may be using" in capsys.readouterr().out
        assert future.result() == os.getpid()
        workers.close(client)
        assert len(cluster.scheduler.workers) == 1


def test_dask_finds_the_address_in_its_own_variable(monkeypatch):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", cluster.scheduler_address)
        with dask.config.set(dask.config.collect_env()):  # as a new process reads it
            client = workers.connect()
        assert client.scheduler.address == cluster.scheduler_address
        workers.close(client)
