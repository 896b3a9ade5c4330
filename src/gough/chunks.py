"""Long work cut into chunks, which run in processes of this machine or on a Dask cluster.

A chunk's result depends on the chunk alone, and results come back in the order of the chunks: what is made of them is
the same to the bit whatever the number of workers, and whichever is done first. The chunks of a worker that dies are
computed by another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import pairwise
from typing import Any, Generic, TypeVar

from gough.arrays import Progress
from gough.errors import GoughError, InputError
from gough.workers import cores, in_thread, new_pool, run_job, stay_on_this_thread

Common = TypeVar("Common")
Chunk = TypeVar("Chunk")
Made = TypeVar("Made")

ATTEMPTS = 4
"""Times that processes may die before a job is given up, and that Dask tries a chunk whose worker died."""
TASKS = 8
"""Of each of a cluster's threads, where there are more chunks, and half as many small ones: each costs scheduler and
client some milliseconds."""
PATIENCE = 10.0
"""Time for a scheduler to answer [s]."""


class Chunks(Generic[Common, Chunk, Made]):
    """A function of what all chunks have in common and of one, and where it runs; a context, which ends the workers.

    Parameters
    ----------
    function : callable
        `function(common, chunk)`.
    common : object
        Handed to each worker once.
    processes : int, optional
        Of this machine; default: the number of cores. One: in the calling process.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers are used instead.

    """

    def __init__(
        self,
        function: Callable[[Common, Chunk], Made],
        common: Common,
        processes: int | None = None,
        scheduler: str | None = None,
    ) -> None:
        if processes is not None and processes < 1:
            raise InputError(f"processes {processes}: expected at least 1")
        if processes is not None and scheduler is not None:
            raise InputError("specify local processes or the scheduler of a cluster, not both")
        self.function, self.common, self.scheduler = function, common, scheduler
        self.processes = cores() if processes is None else processes
        self._pool: Any = None  # loky's executor
        self._client: Any = None
        if scheduler is not None:
            self._client = _connected(scheduler)
            # A task, not scattered data: where the only worker that had it dies, the scheduler makes it again.
            self._remote = self._client.submit(_Held, common, pure=False)

    def __enter__(self) -> Chunks[Common, Chunk, Made]:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_processes()
        if self._client is not None:
            self._client.close()

    def run(self, chunks: Sequence[Chunk], progress: Progress = None) -> list[Made]:
        """Return the results, in the order of the chunks. `progress` gets how many are done, and of how many."""
        return list(self.results(chunks, progress))

    def results(self, chunks: Sequence[Chunk], progress: Progress = None) -> Iterator[Made]:
        """Yield the results, in the order of the chunks, each as soon as it and those before are done: workers go on
        while the caller uses it."""
        early, following = dict[int, Made](), 0
        for done, (k, made) in enumerate(self._unordered(chunks), 1):
            early[k] = made
            if progress is not None:
                progress(done, len(chunks))
            while following in early:
                yield early.pop(following)
                following += 1

    def _unordered(self, chunks: Sequence[Chunk]) -> Iterator[tuple[int, Made]]:
        """Numbers of chunks and their results, as they are done."""
        if self._client is not None:
            return self._on_cluster(self._client, chunks)
        if min(self.processes, len(chunks)) == 1:
            return ((k, self.function(self.common, chunk)) for k, chunk in enumerate(chunks))
        return self._in_processes(chunks)

    def _in_processes(self, chunks: Sequence[Chunk]) -> Iterator[tuple[int, Made]]:
        left = set(range(len(chunks)))
        for _ in range(ATTEMPTS):
            try:
                for k, made in self._attempt(chunks, left):
                    left.remove(k)
                    yield k, made
            finally:
                if left:
                    self._end_processes()
            if not left:
                return
        raise GoughError(f"worker processes crashed {ATTEMPTS} times (out of memory?); use fewer")

    def _attempt(self, chunks: Sequence[Chunk], left: set[int]) -> Iterator[tuple[int, Made]]:
        """What is done until all is, or a process dies."""
        if self._pool is None:
            self._pool = new_pool(self.processes, self.function, self.common)
        futures: dict[Future[Any], int] = {}
        with suppress(BrokenProcessPool):
            for k in sorted(left):
                futures[self._pool.submit(run_job, chunks[k])] = k
        for future in as_completed(futures):
            if not isinstance(future.exception(), BrokenProcessPool):
                yield futures[future], future.result()

    def _end_processes(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, kill_workers=True)
            self._pool = None

    def _on_cluster(self, client: Any, chunks: Sequence[Chunk]) -> Iterator[tuple[int, Made]]:
        from distributed import CancelledError, KilledWorker, TimeoutError, wait

        ends = [0, *task_ends(len(chunks), sum(client.nthreads().values()))]
        futures = client.map(
            _remote_chunks, [list(chunks[first:end]) for first, end in pairwise(ends)],
            function=self.function, common=self._remote, pure=False, retries=ATTEMPTS
        )  # fmt: skip
        left = {future: first for first, future in zip(ends, futures, strict=False)}
        try:
            while left:
                try:
                    with client.as_current():
                        done = wait([*left], PATIENCE, "FIRST_COMPLETED").done
                except TimeoutError:
                    if not client.nthreads():
                        raise GoughError(f"the scheduler {self.scheduler} has lost all its workers") from None
                    continue
                for future in sorted(done, key=lambda each: left[each]):
                    yield from enumerate(future.result(), left.pop(future))
        except (CancelledError, OSError) as error:
            raise GoughError(
                f"the scheduler {self.scheduler} is no longer reachable, and its results are lost"
            ) from error
        except RuntimeError as error:
            if "deserialization" not in str(error):
                raise
            raise GoughError(f"{self.scheduler} lacks a required module: install it there") from error
        except KilledWorker as error:
            raise GoughError(f"workers of {self.scheduler} crashed on a chunk (out of memory?)") from error
        finally:
            with suppress(Exception):  # a scheduler that is gone has nothing to cancel
                client.cancel(futures)


def task_ends(count: int, threads: int) -> list[int]:
    """Where tasks of `count` chunks end, for so many threads of a cluster: the last ones are ever smaller, so that no
    worker waits long for another (guided self-scheduling, Polychronopoulos and Kuck 1987)."""
    ends, most, left = list[int](), count // (TASKS * threads), count
    while left:
        left -= max(min(most, left // (2 * threads)), 1)
        ends.append(count - left)
    return ends


class _Held:
    """What chunks have in common, as a cluster's workers have it: Dask does not look into it for its size."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _remote_chunks(chunks: list[Any], function: Callable[[Any, Any], Any], common: _Held) -> list[Any]:
    stay_on_this_thread()  # a cluster's worker has as many threads as it is to keep busy
    return [function(common.value, chunk) for chunk in chunks]


def _version() -> str:
    import gough

    return gough.__version__


def _connected(address: str) -> Any:
    """A client of a Dask scheduler whose workers have this Gough."""
    try:
        import distributed
    except ImportError as error:
        raise InputError('a cluster needs Dask: pip install ".[cluster]" in a checkout of Gough') from error

    async def handshake() -> None:
        """Raise if no scheduler answers: a client that fails would leave threads, and a lock that blocks others."""
        async with asyncio.timeout(PATIENCE):  # Dask's handshake has no end of its own
            security = distributed.Security().get_connection_args("client")
            (await distributed.comm.core.connect(address, **security)).abort()

    try:
        in_thread(asyncio.run, handshake()).result()
        begun = in_thread(distributed.Client, address, timeout=PATIENCE, set_as_default=False)
        client: Any = begun.result(2 * PATIENCE)
    except Exception as error:  # of what answers there, or of an address that Dask does not check
        raise InputError(
            f"no Dask scheduler answers at {address!r}: start one with dask scheduler, and dask worker {address}"
        ) from error
    try:
        in_thread(_check_workers, client, address).result(2 * PATIENCE)
    except TimeoutError as error:
        raise InputError(f"the workers of {address} do not respond: restart them with dask worker {address}") from error
    except BaseException:
        client.close()
        raise
    return client


def _check_workers(client: Any, address: str) -> None:
    try:
        versions = {**client.run(_version), address: client.run_on_scheduler(_version)}
    except (ImportError, RuntimeError) as error:
        raise InputError(f"workers or scheduler of {address} have no Gough: install {_version()} there") from error
    if len(versions) < 2:
        raise InputError(f"the scheduler {address} has no workers: start some with dask worker {address}")
    for worker, version in versions.items():
        if version != _version():
            raise InputError(f"{worker} has Gough {version}, expected {_version()} as here")
