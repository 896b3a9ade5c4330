"""Worker processes of this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import current_process
from threading import Lock
from typing import Any
from weakref import WeakSet

from gough.batches import is_alone, stay_on_this_thread


def cores() -> int:
    """Number of cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def idle_cores() -> int:
    """As many as `cores`; one in a worker, whose parent keeps the others busy."""
    return 1 if is_alone() or current_process().daemon else cores()


STARTED = 1.0
"""Time within which a pool has started [s]."""
_job: tuple[Callable[[Any, Any], Any], Any] | None = None
"""In a worker: its function, and what the chunks have in common."""
_pools: WeakSet[Any] = WeakSet()
"""Pools of workers of this process."""
_starting = Lock()
"""Held while a pool starts: interrupted in between, it would leave semaphores behind."""


def new_pool(processes: int, function: Callable[[Any, Any], Any], common: Any) -> Any:
    """Processes in which `run_job` applies a function to one chunk.

    They are new interpreters: a script of the caller needs no main guard, and threads of the caller may hold locks.
    Returns loky's executor.
    """
    from loky import ProcessPoolExecutor

    with _starting:
        pool = ProcessPoolExecutor(processes, initializer=_begin, initargs=(function, common))
        pool.submit(os.getpid)  # starts the processes
        _pools.add(pool)
    return pool


def end_all() -> None:
    """End all worker processes of this process, which starts no more: at its end Python would wait for their work."""
    _starting.acquire(timeout=STARTED)
    for pool in tuple(_pools):
        pool.shutdown(wait=False, kill_workers=True)


def _begin(function: Callable[[Any, Any], Any], common: Any) -> None:
    """Begin a worker: Ctrl-C is for its parent, and kernels use one core."""
    global _job  # noqa: PLW0603 - a worker process has one
    _job = function, common
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stay_on_this_thread()


def run_job(chunk: Any) -> Any:
    """Run the job of this worker for one chunk."""
    assert _job is not None
    return _job[0](_job[1], chunk)
