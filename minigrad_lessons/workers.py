"""Workers for lesson 16: a small dask cluster on this machine, or any other by its address."""

from __future__ import annotations

import logging
import os
import signal
from typing import Any

from minigrad_lessons.language import Says, speak

INSTALL = 'pip install "minigrad-lessons[dask]"'


def connect(address: str | None = None) -> Any:
    """A client of the cluster at `address`, or at `DASK_SCHEDULER_ADDRESS`; without either of two processes here.

    None where dask is not installed, with a word on how to install it.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        speak(
            "⬜",
            Says(
                f"dask is not installed: from here on the cells do nothing. Run  {INSTALL}  and restart the kernel.",
                f"没有安装 dask，从这里往下的单元格什么也不做。请运行  {INSTALL}  并重启内核。",
            ),
        )
        return None
    address = address or dask.config.get("scheduler-address", None)
    client = Client(
        address
        or LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",  # any free port, for others may run this lesson, too
            silence_logs=logging.CRITICAL + 1,  # a worker that is lost below is lost on purpose
        )
    )
    client.get_task_stream()  # from now on the scheduler keeps a list of what was run
    return client


def calls(client: Any, *futures: Any) -> int:
    """How often workers have computed these results: by the scheduler's own list."""
    keys = {future.key for future in futures}
    return sum(task["key"] in keys for task in client.get_task_stream())


def lose(client: Any, future: Any) -> None:
    """End the process that holds a result, as a crash would. Only a worker that `connect` has started."""
    if client.cluster is None:
        speak("⬜", Says("No process is ended: others may be using this cluster.", "集群可能有人在用，不结束进程。"))
        return
    (holders,) = client.who_has([future]).values()
    for pid in client.run(os.getpid, workers=list(holders)).values():
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def close(client: Any) -> None:
    """Let go of a cluster; end it where `connect` has started it."""
    cluster = client.cluster
    client.close()
    if cluster is not None:
        cluster.close()
