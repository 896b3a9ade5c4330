"""Parallel work of this process together with others on this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from gough.workers import new_pool, on_this_thread, run_job

Common = TypeVar("Common")
Chunk = TypeVar("Chunk")
Made = TypeVar("Made")

Begin = Callable[[int, int], object]
"""Called with the number of the chunk that this process computes or waits for, and the number of those done."""


def side_by_side(
    function: Callable[[Common, Chunk], Made], common: Common, chunks: Sequence[Chunk], processes: int, begin: Begin
) -> list[Made]:
    """Results of `function(common, chunk)` in the order of the chunks, by `processes` processes, this one included.

    Chunks are begun in their order, so the longest should come first. Those of a process that dies are computed by this
    one. An exception from `begin` or the function ends the work.
    """
    if (others := min(processes, len(chunks)) - 1) < 1:
        found = []
        for k, chunk in enumerate(chunks):
            begin(k, k)
            found.append(function(common, chunk))
        return found
    pool = new_pool(others, function, common)
    try:
        queue = _Queue(pool, chunks)
        for _ in range(others):
            queue.begin_next()
        with on_this_thread():
            made = queue.results(partial(function, common), begin)
    finally:
        pool.shutdown(wait=False, kill_workers=True)
    return [made[k] for k in range(len(chunks))]


class _Queue:
    """Chunks that wait, and results of those that other processes took."""

    def __init__(self, pool: Any, chunks: Sequence[Any]) -> None:
        self.pool, self.chunks, self.waiting = pool, chunks, deque(range(len(chunks)))
        self.ended = SimpleQueue[tuple[int, Future[Any] | None]]()

    def begin_next(self) -> None:
        """Let another process compute the first chunk that waits."""
        with suppress(IndexError):
            k = self.waiting.popleft()
            try:
                self.pool.submit(run_job, self.chunks[k]).add_done_callback(partial(self._end, k))
            except RuntimeError:  # the pool is broken or shut down: this process computes the chunk
                self.ended.put((k, None))

    def _end(self, k: int, future: Future[Any]) -> None:
        self.begin_next()
        self.ended.put((k, future))

    def results(self, compute: Callable[[Any], Any], begin: Begin) -> dict[int, Any]:
        """Results by the number of the chunk."""
        made: dict[int, Any] = {}
        for done in range(len(self.chunks)):
            first = next(k for k in range(len(self.chunks)) if k not in made)
            k, future = self._next(partial(begin, first, done))
            if future is None or isinstance(future.exception(), BrokenProcessPool):
                begin(k, done)
                made[k] = compute(self.chunks[k])
            else:
                made[k] = future.result()
        return made

    def _next(self, wait: Callable[[], object]) -> tuple[int, Future[Any] | None]:
        """A chunk with another process's result, or with None for this process to compute."""
        if self.ended.empty():
            with suppress(IndexError):
                return self.waiting.popleft(), None
            wait()
        return self.ended.get()
