"""The loop of proofs over regions, paths and workspaces: parts are judged, and what is left open is cut into smaller
ones (Merlet 2006, Parallel Robots, section 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import TypeVar

Parts = TypeVar("Parts", bound=Sized)
Open = TypeVar("Open", bound=Sized)


def halve_open(
    parts: Parts,
    judge: Callable[[Parts], Open],
    cut: Callable[[Open], Parts],
    most: int,
    pieces: int,
    is_over: Callable[[Open], bool] = lambda _: False,
) -> Open:
    """What is left open where the search `is_over`, or more than `most` parts would be looked at.

    `judge` keeps what it decides and returns what is open; `cut` makes no more than so many `pieces` of each.
    """
    looked = 0
    while True:
        looked += len(parts)
        rest = judge(parts)
        if not len(rest) or looked + pieces * len(rest) > most or is_over(rest):
            return rest
        parts = cut(rest)
