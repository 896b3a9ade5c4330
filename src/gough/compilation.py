"""What is being compiled, by this process and its workers: known without the compiler."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter

Begun = tuple[str, float]
"""A kernel, and since when by `perf_counter` [s]."""
News = tuple[int, Begun, bool | None]
"""Of a process: a kernel that it began, and once it is there whether it is new; None before."""


class Compilation:
    """Kernels that this process and its workers are compiling, and how many they have compiled in what time.

    Attributes
    ----------
    now : list of (str, float)
        Kernels that are being compiled or read from disk.
    count : int
        Kernels compiled so far; those read from disk are not among them.
    seconds : float
        How long that took: time in which several were compiled side by side counts once.
    send : callable, optional
        Of a worker: gets `News` for the process that it works for.

    """

    def __init__(self) -> None:
        self.now: list[Begun] = []
        self.count, self.seconds = 0, 0.0
        self.send: Callable[[News], object] | None = None
        self._is_new = False

    def begin(self, name: str) -> Begun:
        """Note that a kernel is wanted."""
        begun = name, perf_counter()
        if not self.now:
            self._since = begun[1]
        self.now.append(begun)
        self._pass_on(begun, None)
        return begun

    def end(self, begun: Begun, *, is_new: bool) -> None:
        """Note that it is there."""
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
"""That of this process."""
