"""Threads and worker processes of this machine.

Batches are divided between the cores by threads, as kernels release the GIL; other work runs in processes.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import pairwise
from multiprocessing import current_process
from threading import Lock, Thread
from typing import Any, TypeVar
from weakref import WeakSet

PARALLEL_FROM = 4096
"""Batches at least this long are divided between the cores [items]."""

Made = TypeVar("Made")
_thread = threading.local()


def stay_on_this_thread() -> None:
    """Do not divide batches of the calling thread from now on: it is one of several that keep the cores busy."""
    _thread.is_alone = True


@contextmanager
def on_this_thread() -> Iterator[None]:
    """While this lasts, batches of the calling thread are not divided: other processes keep the cores busy."""
    was_alone, _thread.is_alone = is_alone(), True
    try:
        yield
    finally:
        if not was_alone:
            del _thread.is_alone


def is_alone() -> bool:
    """Whether the calling thread is one of several that keep the cores busy."""
    return hasattr(_thread, "is_alone")


def in_thread(function: Callable[..., Made], *arguments: Any, **options: Any) -> Future[Made]:
    """Call a function in a thread of its own; the process does not wait for it when it ends."""
    future: Future[Made] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments, **options))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, name="gough", daemon=True).start()
    return future


def run_batch(task: Callable[[slice], Any], count: int, from_count: int = PARALLEL_FROM) -> list[Any]:
    """Call `task` on slices that cover `range(count)`, on all cores when there are at least `from_count` items.

    Within a task there is one slice: its thread is one of those that keep the cores busy.
    """
    # Asking for the cores takes longer than many a short batch.
    threads = 1 if count < from_count or is_alone() else cores()
    if threads == 1:
        return [task(slice(0, count))]
    edges = [count * k // threads for k in range(threads + 1)]
    futures = [in_thread(_alone, task, slice(a, b)) for a, b in pairwise(edges)]
    return [future.result() for future in futures]


def first_index(task: Callable[[slice], int], count: int, from_count: int = PARALLEL_FROM) -> int:
    """Run a task that returns an index within its slice, or -1, as `run_batch` does; first index of all, or -1."""
    found = run_batch(lambda part: (part.start, task(part)), count, from_count)
    return next((start + index for start, index in found if index >= 0), -1)


def _alone(task: Callable[[slice], Any], part: slice) -> Any:
    stay_on_this_thread()
    return task(part)


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

    # Workers keep compiled kernels, which loky takes for a leak: it restarts them, which costs time only.
    warnings.filterwarnings("ignore", "A worker was restarted", UserWarning)
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
