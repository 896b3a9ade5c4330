"""Timing that a noisy machine cannot fool: both parties in turn, again and again, and the median of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

Party = tuple[str, Callable[[], Any]]


def interleaved(
    parties: list[Party], rounds: int = 9, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Median seconds of one call of each party; one call of each before the clock starts.

    For work on one core `time.thread_time` leaves out what other programs take of it.
    """
    for _, call in parties:
        call()
    seen: dict[str, list[float]] = {name: [] for name, _ in parties}
    for _ in range(rounds):
        for name, call in parties:
            start = clock()
            call()
            seen[name].append(clock() - start)
    return {name: median(times) for name, times in seen.items()}


def repeated(call: Callable[[], Any], count: int) -> Callable[[], None]:
    """A call many times over, for calls too short to time."""

    def run() -> None:
        for _ in range(count):
            call()

    return run
