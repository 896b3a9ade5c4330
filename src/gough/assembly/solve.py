"""All complex solutions of a machine's leg equations, with evidence of completeness.

Homotopies start from stored systems: generic complex machines of each family, all of whose solutions are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from gough.arrays import Array, Bools, Complex, Ints
from gough.assembly.families import Family, Normalised
from gough.assembly.homotopy import AIM, LOST, REGULAR, SINGULAR, follow_paths, motion_part

SHARPENINGS = (1.0, 0.1, 0.01)
"""Factors of the tracker's `AIM` at the first and later attempts."""
REACH = 0.1
"""Solutions with |e . e| / |x|^2 below this part of its minimum over real poses are out of reach: complex, with huge
translations. Rounding decides which of them are distinguished from paths that leave the group of motions."""
SAME = 1e-6
"""Dual quaternions closer than this, relative to their length, are equal."""
MIRROR = np.array([1, -1, -1, 1, -1, 1, 1, -1.0])
"""The dual quaternion of S X S from that of X, where S is the reflection in the plane z = 0."""
FROM_PLATFORM, CONJUGATE = [3, 4, 5, 0, 1, 2, 6], np.array([1, -1, -1, -1, 1, -1, -1, -1.0])
"""Leg rows with base and platform exchanged, and the dual quaternion of X^-1 from that of X."""


def are_same(x: Complex, y: Complex, tolerance: float = SAME) -> bool:
    """Test whether two dual quaternions (8,) are proportional."""
    factor = np.vdot(x, y) / np.vdot(x, x)
    return bool(np.abs(factor * x - y).max() <= tolerance * np.abs(y).max())


def mirrored(x: Complex) -> Complex:
    """Mirror image in z = 0 of dual quaternions (..., 8): solves the same legs if both plates lie in z = 0."""
    return np.asarray(MIRROR * x)


@cache
def start_system(family: Family, number: int) -> tuple[Complex, Complex]:
    """Return complex machine (6, 7) of a family and its solutions (n, 8), one of each mirror pair.

    GENERAL and FLAT have two start systems, the other families one each, made by scripts/make-start-systems.py.
    """
    with np.load(Path(__file__).parent / "starts.npz") as arrays:
        legs, solutions = (arrays[f"{family.name} {number} {what}"] for what in ("legs", "solutions"))
    # Inverse families: base and platform exchanged, and with them X and its inverse.
    return (legs[:, FROM_PLATFORM], CONJUGATE * solutions) if family.is_inverse else (legs, solutions)


@dataclass(frozen=True, eq=False)
class Solutions:
    """Complex solutions of leg equations, from one run of the paths of a start system.

    Attributes
    ----------
    regular : (n, 8) array
        Simple ones, distinct.
    in_reach : (n,) array
        Which of these may be real.
    singular : (k, 8) array
        Multiple ones, distinct, or members of a continuous family of solutions (a self-motion).
    multiplicity : (k,) array
        Paths that end at each of `singular`.
    lost : int
        Paths without a known end.
    is_clean : bool
        Whether no path is lost, and no two end at the same regular solution.
    runs : int
        Number of runs after which this one was chosen.
    complete : bool
        Whether there is evidence that no solution is missing.

    """

    regular: Complex
    in_reach: Bools
    singular: Complex
    multiplicity: Ints
    lost: int
    is_clean: bool
    runs: int = 1
    complete: bool = False


def all_solutions(machine: Normalised) -> Solutions:
    """Return every solution of the leg equations, by homotopies from generic complex machines.

    A run follows the stored solutions of such a machine (one of each mirror pair if both plates are planar) while it
    changes linearly into this one; for almost every start no solution is lost (Morgan and Sommese 1989). As many
    distinct ends as a generic member of the family has, 40 or fewer in special families, are all. A machine more
    special than its family has fewer, the other paths leaving the group of motions: then a second run from another
    start must find the same solutions, apart from those too far away to be real; otherwise runs are repeated with
    shorter steps.

    Parameters
    ----------
    machine : Normalised

    Returns
    -------
    Solutions
        `complete` False where no two runs agreed.

    """
    runs: list[Solutions] = []
    for family, number, sharpening in _starts(machine):
        new = _run(machine, family, number, AIM * sharpening)
        runs.append(new)
        if new.is_clean and len(new.regular) == family.finite:
            return replace(new, complete=True, runs=len(runs))
        for old in runs[:-1]:
            if _agree(old, new):
                return replace(max(old, new, key=_size), complete=True, runs=len(runs))
    return replace(max(runs, key=_size), runs=len(runs))


def _starts(machine: Normalised) -> Iterator[tuple[Family, int, float]]:
    """Start systems in the order of the attempts: family, number, and factor of the tracker's aim."""
    # The special family first: it has the fewest paths, and one start system.
    if machine.special is not None:
        yield machine.special, 0, 1.0
    for sharpening in SHARPENINGS:
        for number in (0, 1):
            yield machine.family, number, sharpening


def _size(run: Solutions) -> tuple[int, int]:
    """Rank of a run: more regular solutions, then fewer lost paths."""
    return len(run.regular), -run.lost


def _run(machine: Normalised, family: Family, number: int, aim: float) -> Solutions:
    """Run from a start system; lost paths are followed once more with a smaller aim."""
    legs, starts = start_system(family, number)
    paths = follow_paths(legs, machine.legs, starts, aim)
    lost = np.flatnonzero(paths.fate == LOST)
    if len(lost):
        again = follow_paths(legs, machine.legs, starts[lost], 0.01 * aim)
        paths.ends[lost], paths.fate[lost] = again.ends, again.fate
    # Stored is one start of each mirror pair, and the mirror image of an end is the end of the mirrored start.
    ends, fate = paths.ends, paths.fate
    if family.is_flat:
        ends, fate = np.concatenate([ends, mirrored(ends)]), np.concatenate([fate, fate])
    in_reach = _in_reach(machine, ends)
    regular, counts = _distinct(ends[fate == REGULAR])
    singular, multiplicity = _distinct(ends[(fate == SINGULAR) & in_reach])
    left = int((fate == LOST).sum())
    is_clean = left == 0 and bool((counts == 1).all())
    return Solutions(regular, _in_reach(machine, regular), singular, multiplicity, left, is_clean)


def _in_reach(machine: Normalised, x: Complex) -> Bools:
    """Which of the dual quaternions (n, 8) may be real poses, for which |t| <= |a| + |b| + l of each leg."""
    # A real pose with |e| = 1 has |t|^2 = 4 |g|^2, hence |e . e| / |x|^2 = 1 / (1 + |t|^2 / 4).
    a, b = np.linalg.norm(machine.legs[:, :3], axis=1), np.linalg.norm(machine.legs[:, 3:6], axis=1)
    length = np.sqrt(np.maximum(a * a + b * b - machine.legs[:, 6].real, 0.0))
    least = 1.0 / (1.0 + 0.25 * (a + b + length).min() ** 2)
    return np.asarray(motion_part(x) > REACH * least)


def _distinct(x: Complex) -> tuple[Complex, Ints]:
    """Distinct ones of dual quaternions (n, 8), normalised, and the multiplicity of each."""
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    same = _distance(x, x) < SAME
    # `argmax` of a row is the first solution equal to that of the row.
    first = np.flatnonzero(same.argmax(axis=1) == np.arange(len(x))) if len(x) else np.empty(0, np.int64)
    return x[first], same[first].sum(axis=1)


def _distance(x: Complex, y: Complex) -> Array:
    """Distances (n, k) of dual quaternions of length one, after aligning their phases."""
    along = x.conj() @ y.T
    phase = along / np.maximum(np.abs(along), 1e-300)
    return np.abs(phase[:, :, None] * x[:, None, :] - y[None, :, :]).max(axis=2)


def _agree(a: Solutions, b: Solutions) -> bool:
    """Whether two runs lost no path and found the same regular solutions in reach, and as many singular ones: these may
    be different members of a continuous family."""
    here, there = a.regular[a.in_reach], b.regular[b.in_reach]
    if not (a.is_clean and b.is_clean and len(here) == len(there)):
        return False
    if a.multiplicity.sum() != b.multiplicity.sum():
        return False
    return len(here) == 0 or bool((_distance(here, there).min(axis=1) < SAME).all())
