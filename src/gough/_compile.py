"""Compilation: five decorators over Numba.

`kernel` marks a function that Python calls: compiled at its first call, without the GIL, and kept on disk.
`inline` and `noinline`, each also without reference counting, mark helpers that kernels call. A kernel may use compiled
code of its own folder and of the shared ones (`gough._kernel_cache.SHARED`) only, which a test checks: names of files
on disk contain a digest of these sources.

Compiling takes seconds and importing the compiler most of one; a single pose in Python takes milliseconds. Short-lived
programs may therefore interpret their kernels for a while, see `interpret_first` and `interpret_new`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from math import inf
from time import perf_counter
from types import ModuleType
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

MOST_NUMBERS = 50_000
"""Kernels with more numbers in their arguments are compiled: these are batches, not single poses."""
FEW_NUMBERS = 12_000
"""The same for `interpret_new`: interpreting a kernel on so many takes a good part of a second."""


class _TooLongError(Exception):
    """Interpreting exceeded its time."""


class _Deadline(threading.local):
    """Time until which the kernel in this thread may be interpreted."""

    time = -inf


class _Interpreter:
    """Seconds left for interpreting all kernels (`allowed`) and each new one (`each`), and the current deadlines."""

    def __init__(self) -> None:
        self.allowed, self.each = inf if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 0.0, 0.0
        self.deadline = _Deadline()

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
        """Value of `function`; raises where Python's arithmetic differs from the kernel's, or at the deadline."""
        outer = self.deadline.time
        self.deadline.time = perf_counter() + seconds
        try:
            with np.errstate(all="ignore"):
                return function(*arguments)
        finally:
            self.deadline.time = outer

    def check_time(self) -> None:
        """Stop the interpreted kernel of this thread at its deadline."""
        if perf_counter() > self.deadline.time > -inf:
            raise _TooLongError


INTERPRETER = _Interpreter()


def interpret_first(seconds: float) -> None:
    """Interpret kernels of this process, without the compiler, for `seconds` in total.

    After that, for batches, and where Python raises (division by zero, root of a negative number), they are compiled.
    Results are the same, to the bit.
    """
    INTERPRETER.allowed = seconds


def interpret_new(seconds: float) -> None:
    """Interpret each kernel that is not on disk for `seconds` before compiling it: many need less."""
    INTERPRETER.each = seconds


class Compiled:
    """A function that Numba compiles; Numba is imported at that time."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.py_func, self.options = function, options
        update_wrapper(cast(Any, self), function)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, made at first use."""
        tell_numba()
        return self._dispatcher(_compiler())

    def _dispatcher(self, numba: ModuleType) -> Any:
        raise NotImplementedError


def tell_numba() -> None:
    """Make Numba accept kernels and helpers in compiled code.

    Numba calls this itself, as an entry point of its extensions, when users compile loops of their own.
    """
    _compiler().give_type(Compiled)


def _compiler() -> ModuleType:
    """Numba's part of this module.

    A command imports it without SciPy, of which Numba only looks at the version, 10 ms. In other programs another
    thread may be importing that.
    """
    is_hidden = INTERPRETER.each > 0.0 and not {"numba", "scipy"} & set(sys.modules)
    if is_hidden:
        sys.modules["scipy"] = cast(Any, None)
    try:
        from gough import _numba
    finally:
        if is_hidden:
            del sys.modules["scipy"]
    return _numba


class Kernel(Compiled):
    """A function that Python calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self.in_numpy = function
        """What runs where the kernel is interpreted: itself, or what computes the same in NumPy."""
        self._run: Callable[..., Any] = self._first
        self._spent = 0.0

    def __call__(self, *arguments: Any) -> Any:
        return self._run(*arguments)

    @property
    def signatures(self) -> list[Any]:
        """Types of arguments for which there is machine code."""
        return cast("list[Any]", self.dispatcher.signatures)

    def _dispatcher(self, numba: ModuleType) -> Any:
        return numba.kernel_code(self.py_func)

    def _first(self, *arguments: Any) -> Any:
        """Interpret the kernel while that is allowed, then compile it."""
        if INTERPRETER.allowed == inf:
            return INTERPRETER.run(self.py_func, arguments, inf)
        arrays = list(_arrays(arguments))
        if (seconds := self._seconds(arguments, sum(a.size for a in arrays))) > 0:
            kept, start = [a.copy() for a in arrays], perf_counter()
            try:
                return INTERPRETER.run(self.in_numpy, arguments, seconds)
            except (ArithmeticError, ValueError, _TooLongError):  # undo its partial output, then compile
                for a, before in zip(arrays, kept, strict=True):
                    if a.flags.writeable:
                        a[...] = before
            finally:
                spent = perf_counter() - start
                INTERPRETER.allowed -= spent
                self._spent += spent
        self._run = self.dispatcher
        return self._run(*arguments)

    def _seconds(self, arguments: tuple[Any, ...], numbers: int) -> float:
        """Seconds for which it may be interpreted with these arguments."""
        if INTERPRETER.allowed > 0:
            return INTERPRETER.allowed if numbers <= MOST_NUMBERS else 0.0
        left = INTERPRETER.each - self._spent
        return left if numbers <= FEW_NUMBERS and left > 0 and not self.dispatcher.is_kept(arguments) else 0.0


def in_numpy(kernel: F, function: F) -> F:
    """`kernel`, instead of which `function` runs where it would be interpreted: the same in NumPy, much quicker."""
    cast(Kernel, kernel).in_numpy = function
    return kernel


class Helper(Compiled):
    """A function that only kernels call: an entry from Python would take a fifth of the compilation."""

    def __call__(self, *arguments: Any) -> Any:
        # Called by a kernel that is being interpreted: each call checks the deadline.
        deadline = INTERPRETER.deadline.time
        if perf_counter() > deadline:
            if deadline > -inf:
                raise _TooLongError
            raise TypeError(f"{self.py_func.__name__} is for kernels only; call its py_func")
        return self.py_func(*arguments)

    def _dispatcher(self, numba: ModuleType) -> Any:
        return numba.helper_code(self.py_func, self.options)


def _arrays(arguments: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Arrays among the arguments, and in tuples of them."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            yield argument
        elif isinstance(argument, tuple):
            yield from _arrays(argument)


def kernel(function: F) -> F:
    """Compile `function` at its first call and keep the machine code on disk."""
    return cast(F, Kernel(function))


def inline(function: F) -> F:
    """Compile `function` into each place where a kernel calls it: small helpers in inner loops."""
    return cast(F, Helper(function, forceinline=True))


def inline_norefcount(function: F) -> F:
    """As `inline`, for helpers with many arrays as arguments that neither create nor return any: without Numba's
    reference counting, which would cost more than the computation."""
    return cast(F, Helper(function, forceinline=True, _nrt=False))


def noinline(function: F) -> F:
    """Compile `function` once, for kernels that call it from several places: large helpers."""
    return cast(F, Helper(function))


def noinline_norefcount(function: F) -> F:
    """As `noinline`, for helpers with many arrays as arguments that neither create nor return any."""
    return cast(F, Helper(function, _nrt=False))
