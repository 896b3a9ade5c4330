"""Batches divided between the cores by threads: kernels release the GIL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import pairwise
from threading import Thread
from typing import Any, TypeVar

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
    cores = 1 if count < from_count or is_alone() else os.cpu_count() or 1
    if cores == 1:
        return [task(slice(0, count))]
    edges = [count * k // cores for k in range(cores + 1)]
    futures = [in_thread(_alone, task, slice(a, b)) for a, b in pairwise(edges)]
    return [future.result() for future in futures]


def _alone(task: Callable[[slice], Any], part: slice) -> Any:
    stay_on_this_thread()
    return task(part)
