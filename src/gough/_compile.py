"""How Gough compiles: four decorators over Numba.

`kernel` marks an entry that Python calls: compiled at its first call, released from the GIL, kept on disk.
`inlined`, `lean` and `called` mark helpers that only kernels call. Helpers live in other files than the kernels
that use them, and Numba checks the age of the kernel's own file only; so the disk cache here is stamped with the
sources a kernel may be made of, and an edited helper never leaves a stale kernel behind. A kernel may use compiled
code of its own folder and of the `SHARED` ones, nothing else (a test holds that).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.registry import CPUDispatcher

F = TypeVar("F", bound=Callable[..., Any])
# "contract" lets a * b + c round once (fused multiply-add); nothing else of IEEE arithmetic is given up.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
_HELPER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_LEAN: dict[str, Any] = {**_HELPER, "forceinline": True, "_nrt": False}

PARALLEL_FROM = 4096
"""Batches at least this long are shared between the cores [items]."""


SHARED = ("", "legs", "kinematics")
"""Folders whose compiled code every kernel may use: the package's own, the leg kinds, the kinematics."""


@cache
def _sources_stamp(folder: Path) -> tuple[float, int]:
    """Newest change and total size of the files that a kernel in `folder` may be made of: `_name.py`, leg kinds."""
    here = Path(__file__).parent
    folders = {folder, *(here / name for name in SHARED)}
    stats = [path.stat() for f in folders for path in f.glob("*.py" if f.name == "legs" else "_[!_]*.py")]
    return max(stat.st_mtime for stat in stats), sum(stat.st_size for stat in stats)


class _StampedImpl(CompileResultCacheImpl):
    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)  # type: ignore[no-untyped-call]
        self.locator.get_source_stamp = partial(_sources_stamp, Path(py_func.__code__.co_filename).parent)


class _StampedCache(FunctionCache):
    _impl_class = _StampedImpl


def kernel(function: F) -> F:
    """Compile `function` at its first call and keep the machine code on disk."""
    dispatcher: Any = numba.njit(**_OPTIONS)(function)
    dispatcher._cache = _StampedCache(function)  # type: ignore[no-untyped-call]
    return cast(F, dispatcher)


class _Helper(CPUDispatcher):
    """A function that Python cannot call: the code for that would take a fifth of the compilation."""

    def __call__(self, *_arguments: Any, **_options: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} is for kernels only; call its py_func")


def _helper(function: F, options: dict[str, Any]) -> F:
    dispatcher: Any = numba.njit(**options)(function)
    if isinstance(dispatcher, CPUDispatcher):  # not where NUMBA_DISABLE_JIT=1 leaves all as it is written
        dispatcher.__class__ = _Helper
    return cast(F, dispatcher)


def inlined(function: F) -> F:
    """Compile `function` into each place where a kernel calls it: small helpers in inner loops."""
    return _helper(function, {**_HELPER, "forceinline": True})


def lean(function: F) -> F:
    """As `inlined`, for helpers that get many arrays and create none: without Numba's counting of references, which
    would cost more than what they compute."""
    return _helper(function, _LEAN)


def called(function: F) -> F:
    """Compile `function` once, for kernels that call it from several places: large helpers."""
    return _helper(function, _HELPER)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="gough")


def run_batch(task: Callable[[slice], Any], count: int, from_count: int = PARALLEL_FROM) -> list[Any]:
    """Call `task` on slices that cover `range(count)`, on all cores when there are at least `from_count` items."""
    cores = os.cpu_count() or 1
    if count < from_count or cores == 1:
        return [task(slice(0, count))]
    edges = [count * k // cores for k in range(cores + 1)]
    return list(_pool().map(task, [slice(a, b) for a, b in pairwise(edges)]))
