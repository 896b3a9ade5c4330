"""Homotopy from stored start systems: generic complex machines of each family, all of whose solutions are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from gough.arrays import Complex, Ints
from gough.assembly.families import Family
from gough.assembly.homotopy import LOST, NO_POSE, REGULAR, SINGULAR, follow_paths

__all__ = ["LOST", "NO_POSE", "REGULAR", "SINGULAR", "Paths", "are_same", "follow", "mirrored", "start_system"]

AIM = 6e-3
"""Intended size of the tracker's first Newton step, relative to the unknowns, which controls its step length."""
SAME = 1e-6
"""Dual quaternions closer than this, relative, are equal."""
MIRROR = np.array([1, -1, -1, 1, -1, 1, 1, -1.0])
"""The dual quaternion of S X S from that of X, where S is the reflection in the plane z = 0."""
FROM_PLATFORM, CONJUGATE = [3, 4, 5, 0, 1, 2, 6], np.array([1, -1, -1, -1, 1, -1, -1, -1.0])
"""Leg rows with base and platform exchanged, and the dual quaternion of X^-1 from that of X."""


@dataclass(frozen=True, eq=False)
class Paths:
    """Ends of homotopy paths.

    Attributes
    ----------
    ends : (n, 8) array
        Dual quaternions, up to a complex factor.
    fate : (n,) array
        REGULAR, SINGULAR (a multiple solution), NO_POSE (it left the rigid motions) or LOST.
    turns : (n,) array
        Turns after which the path closes around its end: number of branches that meet there.

    """

    ends: Complex
    fate: Ints
    turns: Ints


def follow(legs: Complex, target: Complex, starts: Complex, aim: float = AIM) -> Paths:
    """Follow solutions `starts` (n, 8) of the machine `legs` (6, 7) while it changes linearly into `target` (6, 7).

    A row of a machine is (a, b, c): base point, platform point, c = |a|^2 + |b|^2 - l^2, all of size one.
    """
    with np.errstate(all="ignore"):  # singular systems have infinite steps
        return Paths(*follow_paths(legs, target, starts, aim))


def are_same(x: Complex, y: Complex, tolerance: float = SAME) -> bool:
    """Whether two dual quaternions (8,) are proportional."""
    factor = np.vdot(x, y) / np.vdot(x, x)
    return bool(np.abs(factor * x - y).max() <= tolerance * np.abs(y).max())


def mirrored(x: Complex) -> Complex:
    """Mirror image in z = 0 of dual quaternions (..., 8): solves the same legs if both plates lie in z = 0."""
    return np.asarray(MIRROR * x)


@cache
def start_system(family: Family, number: int) -> tuple[Complex, Complex]:
    """Complex machine (6, 7) of a family and its solutions (n, 8), one of each mirror pair.

    GENERAL and FLAT have two start systems, the other families one each, made by scripts/make-start-systems.py.
    """
    with np.load(Path(__file__).parent / "starts.npz") as arrays:
        legs, solutions = (arrays[f"{family.name} {number} {what}"] for what in ("legs", "solutions"))
    # Inverse families: base and platform exchanged, and with them X and its inverse.
    return (legs[:, FROM_PLATFORM], CONJUGATE * solutions) if family.is_inverse else (legs, solutions)
