"""The branch-and-bound loop of proofs over regions, paths and workspaces: parts that bounds do not decide are divided
(Merlet 2006, Parallel Robots, section 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import TypeVar

Parts = TypeVar("Parts", bound=Sized)
Open = TypeVar("Open", bound=Sized)


def halve_open(
    parts: Parts,
    undecided: Callable[[Parts], Open],
    cut: Callable[[Open], Parts],
    most: int,
    pieces: int,
    is_over: Callable[[Open], bool] = lambda _: False,
) -> Open:
    """The parts that are undecided when the search `is_over`, or when more than `most` parts would be evaluated.

    `undecided` evaluates parts, records what it decides and returns the others; `cut` divides each of these into no
    more than `pieces`.
    """
    count = 0
    while True:
        count += len(parts)
        rest = undecided(parts)
        if not len(rest) or count + pieces * len(rest) > most or is_over(rest):
            return rest
        parts = cut(rest)
