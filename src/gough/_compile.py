"""How Gough compiles: four decorators over Numba.

`kernel` marks an entry that Python calls: compiled at its first call, released from the GIL, kept on disk.
`inline`, `inline_norefcount` and `noinline` mark helpers that only kernels call. Helpers live in other files than the
kernels that use them: a kernel may use compiled code of its own folder and of the shared ones
(`gough._kernel_cache.SHARED`), nothing else (a test holds that), and what is kept on disk is named by the contents of
all of these.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar, cast

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from gough._kernel_cache import KernelCache

F = TypeVar("F", bound=Callable[..., Any])
# "contract" lets a * b + c round once (fused multiply-add); nothing else of IEEE arithmetic is given up.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
_HELPER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_LEAN: dict[str, Any] = {**_HELPER, "forceinline": True, "_nrt": False}

PARALLEL_FROM = 4096
"""Batches at least this long are shared between the cores [items]."""


def kernel(function: F) -> F:
    """Compile `function` at its first call and keep the machine code on disk."""
    dispatcher: Any = numba.njit(**_OPTIONS)(function)
    if isinstance(dispatcher, CPUDispatcher):  # not where NUMBA_DISABLE_JIT=1 leaves all as it is written
        dispatcher.__class__ = _Kernel
    dispatcher._cache = KernelCache(function)
    return cast(F, dispatcher)


COMPILING: list[str] = []
"""Names of the kernels that are being compiled, or read from disk, now; for what shows progress."""


class _Kernel(CPUDispatcher):
    """A function that Python calls, which says while it is compiled."""

    def compile(self, sig: Any) -> Any:
        name: str = self.py_func.__name__
        COMPILING.append(name)
        try:
            return super().compile(sig)
        finally:
            COMPILING.remove(name)


class _Helper(CPUDispatcher):
    """A function that Python cannot call: the code for that would take a fifth of the compilation."""

    def __call__(self, *_arguments: Any, **_options: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} is for kernels only; call its py_func")


def _helper(function: F, options: dict[str, Any]) -> F:
    dispatcher: Any = numba.njit(**options)(function)
    if isinstance(dispatcher, CPUDispatcher):
        dispatcher.__class__ = _Helper
    return cast(F, dispatcher)


def inline(function: F) -> F:
    """Compile `function` into each place where a kernel calls it: small helpers in inner loops."""
    return _helper(function, {**_HELPER, "forceinline": True})


def inline_norefcount(function: F) -> F:
    """As `inline`, for helpers that get many arrays and create none: without Numba's counting of references, which
    would cost more than what they compute."""
    return _helper(function, _LEAN)


def noinline(function: F) -> F:
    """Compile `function` once, for kernels that call it from several places: large helpers."""
    return _helper(function, _HELPER)


_thread = threading.local()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, "gough", initializer=lambda: setattr(_thread, "is_of_pool", True))


def _after_fork() -> None:
    _pool.cache_clear()
    global_compiler_lock.release()  # type: ignore[no-untyped-call]


if hasattr(os, "register_at_fork"):
    # A forked child has the pool without its threads, and Numba's lock as it was: held, if another thread compiled.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=_after_fork,
    )


def run_batch(task: Callable[[slice], Any], count: int, from_count: int = PARALLEL_FROM) -> list[Any]:
    """Call `task` on slices that cover `range(count)`, on all cores when there are at least `from_count` items.

    Within a task it does all in one slice: threads of the pool that waited for the pool would wait forever.
    """
    cores = os.cpu_count() or 1
    if count < from_count or cores == 1 or hasattr(_thread, "is_of_pool"):
        return [task(slice(0, count))]
    edges = [count * k // cores for k in range(cores + 1)]
    return list(_pool().map(task, [slice(a, b) for a, b in pairwise(edges)]))
