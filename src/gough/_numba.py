"""Machine code from Numba, for `gough._compile`: everything that needs the compiler, imported when it is needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.extending import typeof_impl

from gough._kernel_cache import KernelCache

# "contract" lets a * b + c round once (fused multiply-add); nothing else of IEEE arithmetic is given up.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
_HELPER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


COMPILING: list[str] = []
"""Names of the kernels that are being compiled, or read from disk, now; for what shows progress."""


class _Dispatcher(CPUDispatcher):
    """A kernel's machine code, which says while it is compiled or read from disk."""

    def compile(self, sig: Any) -> Any:
        name: str = self.py_func.__name__
        COMPILING.append(name)
        try:
            return super().compile(sig)
        finally:
            COMPILING.remove(name)


def kernel_code(function: Callable[..., Any]) -> Any:
    """Numba's dispatcher of a kernel, kept on disk."""
    made: Any = numba.njit(**_OPTIONS)(function)
    made.__class__ = _Dispatcher
    made._cache = KernelCache(function)
    return made


def helper_code(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Numba's dispatcher of a helper, which Python cannot call."""
    return numba.njit(**_OPTIONS, **_HELPER, **options)(function)


@cache
def give_type(kind: type[Any]) -> None:
    """What a kernel finds under the name of a `kind` is its dispatcher."""
    register: Any = typeof_impl.register
    register(kind)(lambda value, _context: types.Dispatcher(value.dispatcher))


if hasattr(os, "register_at_fork"):
    # A forked child has Numba's lock as it was: held, if another thread compiled.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )
