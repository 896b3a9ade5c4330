"""Ties: values that equal the smallest within a tolerance, and sets of limits and legs in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

TIE = 1e-5
"""Values that differ by less than this part of the larger of 1 and themselves tie, wherever limits, legs or axes are
named. Machine files give joints to five or six digits, so that legs that should be equal differ by up to 1e-6 of their
strokes, and searches are as accurate. Values that are not relative are scaled first."""

DRIVE_ROUNDING = 1e-9
"""Part by which speeds and forces may exceed a limit: motions and loads that reach it exactly do not exceed it."""

_OF_A_STAGE = re.compile(r"stage (\d) (.+)")
_ONE_LEG = re.compile(r"leg (\d) (.+)")
_TWO_LEGS = re.compile(r"legs (\d-\d) (.+)")
_NUMBERS = {2: "both", 3: "three", 4: "four", 5: "five", 6: "six"}


def tied(values: ArrayLike, *, rtol: float = TIE) -> NDArray[np.bool_]:
    """Test whether each of the relative values (..., k) ties with the smallest of its row; False for NaN."""
    given = np.asarray(values, dtype=float)
    known = np.where(np.isnan(given), np.inf, given)
    least = known.min(axis=-1, keepdims=True)
    # Infinite values are no ties, not even among themselves.
    with np.errstate(invalid="ignore"):
        near = known - least <= rtol * np.maximum(1.0, np.abs(least))
    return np.asarray(near & np.isfinite(known))


def tied_legs(values: ArrayLike) -> tuple[int, ...]:
    """Return legs, counted from 1, whose value ties with the smallest, for values of any unit."""
    given = np.asarray(values, dtype=float)
    least = np.nanmin(given, initial=np.inf)
    if not np.isfinite(least):
        return ()
    return tuple(1 + int(i) for i in np.flatnonzero(given - least <= TIE * abs(least)))


def legs_in_words(legs: Iterable[int], of: int = 6) -> str:
    """Return some `of` a machine's legs, counted from 1, in words: "leg 3", "legs 1 and 4", "all six legs", "none"."""
    found = sorted(set(legs))
    if not found:
        return "none"
    if len(found) == 1:
        return f"leg {found[0]}"
    return "all six legs" if len(found) == of == 6 else f"legs {listed(found)}"


def in_words(names: Iterable[str]) -> str:
    """Return a set of limits in words: "leg 3 longest", "all six legs lowest", "leg 3, both cones", "clearance of legs
    1-2 and 3-4", "singularity of stage 1 and leg 3 longest of stage 2"."""
    names = list(names)
    of_stages = [found for found in map(_OF_A_STAGE.fullmatch, names) if found]
    if of_stages:
        stages = sorted({found[1] for found in of_stages})
        return listed(f"{in_words(f[2] for f in of_stages if f[1] == k)} of stage {k}" for k in stages)
    what_of: dict[str, list[int]] = {}
    pairs: dict[str, list[str]] = {}
    others: list[str] = []
    for name in dict.fromkeys(names):
        if one := _ONE_LEG.fullmatch(name):
            what_of.setdefault(one[2], []).append(int(one[1]))
        elif two := _TWO_LEGS.fullmatch(name):
            pairs.setdefault(two[2], []).append(two[1])
        else:
            others.append(name)
    # Limits of the same legs become one phrase.
    of_legs: dict[tuple[int, ...], list[str]] = {}
    for what, legs in what_of.items():
        of_legs.setdefault(tuple(sorted(legs)), []).append(what)
    words = [_of_legs(legs, whats) for legs, whats in of_legs.items()]
    words += [
        f"legs {both[0]} {what}" if len(both) == 1 else f"{what} of legs {listed(both)}" for what, both in pairs.items()
    ]
    words += others
    return "; ".join(words) if len(words) > 1 and any("," in each for each in words) else listed(words)


def _of_legs(legs: tuple[int, ...], whats: Sequence[str]) -> str:
    if len(whats) == 1:
        return f"{legs_in_words(legs)} {whats[0]}"
    kinds = {what.split()[-1] for what in whats}
    if len(kinds) == 1:  # "base cone" and "platform cone"
        return f"{legs_in_words(legs)}, {_NUMBERS[len(whats)]} {kinds.pop()}s"
    return f"{legs_in_words(legs)}, {listed(whats)}"


def some_of(chosen: NDArray[np.bool_], one: str, many: str) -> str:
    """Return the chosen (...) in words: `one` for a single pose, else "3 of 10 poses (the first is number 2)"."""
    if chosen.ndim == 0:
        return one
    return f"{chosen.sum()} of {chosen.size} {many} (the first is number {np.argmax(chosen) + 1})"


def listed(items: Iterable[object]) -> str:
    """Return items as "a", "a and b" or "a, b and c"."""
    texts = [str(item) for item in items]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
