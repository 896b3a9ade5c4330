"""Progress of compilation in this process and its workers, without importing the compiler."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter

Begun = tuple[str, float]
"""A kernel, and when it was begun by `perf_counter` [s]."""
News = tuple[int, Begun, bool | None]
"""Process id, kernel, and state: None when begun; when ready, True if compiled, False if read from disk."""


class Compilation:
    """Kernels that this process and its workers are compiling; number and time of those compiled.

    Attributes
    ----------
    now : list of (str, float)
        Kernels that are being compiled or read from disk.
    count : int
        Kernels compiled so far, without those read from disk.
    seconds : float
        Wall time of that: compiling several at once counts once.
    send : callable, optional
        In a worker: passes `News` to its parent process.

    """

    def __init__(self) -> None:
        self.now: list[Begun] = []
        self.count, self.seconds = 0, 0.0
        self.send: Callable[[News], object] | None = None
        self._is_new = False

    def begin(self, name: str) -> Begun:
        """Note that a kernel is being compiled or read."""
        begun = name, perf_counter()
        if not self.now:
            self._since = begun[1]
        self.now.append(begun)
        self._pass_on(begun, None)
        return begun

    def end(self, begun: Begun, *, is_new: bool) -> None:
        """Note that it is ready."""
        self.now.remove(begun)
        self.count += is_new
        self._is_new |= is_new
        if not self.now:
            self.seconds += (perf_counter() - self._since) * self._is_new
            self._is_new = False
        self._pass_on(begun, is_new)

    def _pass_on(self, begun: Begun, is_new: bool | None) -> None:
        if self.send is not None:
            self.send((os.getpid(), begun, is_new))


COMPILATION = Compilation()
"""Compilation in this process and its workers."""
