"""Processes of this machine that work for this one: how they begin, what is known of them, and how they end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import current_process, get_context, parent_process
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any
from warnings import catch_warnings, filterwarnings

from gough.batches import is_alone, stay_on_this_thread
from gough.compilation import COMPILATION, Begun, News

FORKS = sys.platform == "linux"
"""Forks begin at once and need nothing of the caller's script; new interpreters, elsewhere, take more than a second
each, and a script without a main guard would run again in each."""


def cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def idle_cores() -> int:
    """As many as `cores` where forked processes may use them, else one: this process keeps them busy with others, may
    have no processes of its own, or could not fork them."""
    return cores() if FORKS and not is_alone() and not current_process().daemon else 1


_job: tuple[Callable[[Any, Any], Any], Any] | None = None
"""Of a worker process: its function, and what the chunks have in common."""


def new_pool(processes: int, function: Callable[[Any, Any], Any], common: Any) -> ProcessPoolExecutor:
    """Processes that have a job, which `run_job` does for one chunk.

    While they are forked no other thread compiles (`gough._numba`) or begins a line of progress (`gough.cli`); they
    open their standard streams anew, and Ctrl-C is this process's matter even before they say so.
    """
    context = get_context("fork" if FORKS else None)
    receiver, sender = context.Pipe(duplex=False) if FORKS else (None, None)
    pool = ProcessPoolExecutor(processes, context, _begin, (function, common, sender))
    if receiver is not None and sender is not None:
        with sender, _held_back(signal.SIGINT), catch_warnings():
            # Python warns of forking beside other threads: the docstring says what these do not do meanwhile.
            filterwarnings("ignore", ".*fork", DeprecationWarning)
            pool.submit(os.getpid)  # the first task begins all workers
            Thread(target=_receive, args=(receiver,), daemon=True).start()
    return pool


@contextmanager
def _held_back(number: int) -> Iterator[None]:
    """While this lasts a signal waits; it waits for ever in the processes and threads that begin meanwhile."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _receive(receiver: Connection) -> None:
    """Note what workers compile, until they have ended."""
    now = dict[tuple[int, Begun], Begun]()
    with receiver, suppress(EOFError, OSError):
        for process, begun, is_new in iter(receiver.recv, None):
            if is_new is None:
                now[process, begun] = COMPILATION.begin(begun[0])
            else:
                COMPILATION.end(now.pop((process, begun)), is_new=is_new)
    for left in now.values():
        COMPILATION.end(left, is_new=False)


def _begin(function: Callable[[Any, Any], Any], common: Any, sender: Connection | None) -> None:
    """Of a worker process: signals are its parent's matter, with which it ends; kernels use one core."""
    global _job  # noqa: PLW0603 - a worker process has one
    _job = function, common
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    stay_on_this_thread()
    if sender is not None:
        _open_own_streams()
        COMPILATION.send = partial(_send, sender)
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _open_own_streams() -> None:
    """Of a fork: another thread of its parent may have been writing, and would hold the streams for ever."""
    for number, name in enumerate(("stdout", "stderr"), 1):
        with suppress(OSError):
            setattr(sys, name, open(number, "w", closefd=False))  # noqa: SIM115 - as long as the process


def _send(sender: Connection, news: News) -> None:
    with suppress(OSError):  # the parent has ended
        sender.send(news)


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def run_job(chunk: Any) -> Any:
    """Of a worker process: what becomes of a chunk."""
    assert _job is not None
    function, common = _job
    return function(common, chunk)
