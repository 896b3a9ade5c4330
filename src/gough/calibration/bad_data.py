"""Data that no such machine gives: found before and after the fit, and named, rather than fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.misreadings import misreadings
from gough.calibration.pose import posed
from gough.calibration.problem import Problem
from gough.calibration.screening import misfit, screened
from gough.calibration.sentences import length, reading
from gough.calibration.setup import Setup
from gough.errors import InputError
from gough.machine import Machine

_STUCK = 1e-9
"""Part of the machine's size that a column varies less than if it is constant."""
_ENOUGH = 24
"""Rows by which readings of the data are judged."""
_BETTER = 3.0
"""Times by which another reading of the data fits better than the data as they are."""
_LIKELY = 3
"""Readings of the data, the best at first sight, whose frames and points are looked for as thoroughly as theirs."""
_LIKE = 0.02
"""Part of the machine's size to which the drawing fits data that are read as they were meant."""
_DEGREES = 20.0
"""Factor between turns from which one of them is in degrees: 57 times if angles are small and in line."""
_ANY = 1.5
"""Median angle between rotations that have nothing to do with one another is above this [rad]."""
_FITS = 0.01
"""Part of the machine's size that residuals of its drawing may have."""
_WRONG = 0.01
"""Part of it that residuals of a calibrated machine may have."""
_FAR = 2.5
"""Errors of a leg, in their spreads, that nobody builds."""


def check_columns(machine: Machine, given: Measurements) -> None:
    """`InputError` for columns of readings or measurements that stay while the others move."""
    if len(given) < 3:
        return
    least = _STUCK * (machine.size if machine.legs.joint == "length" else 1.0)
    span = np.ptp(given.q, axis=0)
    moving = span > 1e3 * least
    for i in np.flatnonzero(span <= least):
        if moving.sum() >= 3:
            raise InputError(
                f"q{i + 1} is {reading(given.q[0, i], machine, 6)} in all {len(given)} rows "
                "while the others change: the reading of this leg is stuck; leave the leg's rows out or read it again"
            )
    if moving.all():
        found = [_constant(values, _STUCK * machine.size) for values in (given.places, given.positions)]
        for what, axis in zip(("the poses", "target {}"), found, strict=True):
            if axis is not None:
                raise InputError(
                    f"{'xyz'[axis[1]]} of {what.format(axis[0] + 1)} is the same in all {len(given)} rows while all "
                    "legs move: a constant column; leave it empty where it was not measured"
                )


def _constant(positions: Array | None, least: float) -> tuple[int, int] | None:
    """Target and axis of a coordinate of (n, k, 3) that stays though it was measured more than thrice."""
    if positions is None:
        return None
    for k, axis in np.ndindex(positions.shape[1:]):
        known = positions[np.isfinite(positions[:, k, axis]), k, axis]
        if len(known) > 3 and np.ptp(known) <= least:
            return k, axis
    return None


def check_start(problem: Problem, setup: Setup) -> None:
    """`InputError` where another reading of the data fits the drawing, several times better than they do.

    `setup` is that from which frames and points were looked for: what they became fits the data as they are.
    """
    size = problem.legs.machine.size
    if misfit(problem) < _FITS * size:
        return
    some = np.unique(np.linspace(0, len(problem.given) - 1, min(_ENOUGH, len(problem.given))).astype(int))
    given = problem.given if problem.given.relative is not None else problem.given.rows(some)
    drawn, units = replace(problem.legs, groups=()), problem.legs.machine.units

    def judged(given: Measurements) -> Problem:
        return posed(drawn, setup, given, np.zeros(0), is_quick=True)

    now = misfit(screened(judged(given))[0])
    tried = [(judged(change(given)), words) for change, words in misreadings(problem)]
    likely = sorted(tried, key=lambda one: misfit(one[0]) / _travel(one[0]))[:_LIKELY]
    found = ((screened(one)[0], words) for one, words in likely)
    first, words = min(found, key=lambda one: misfit(one[0]) / _travel(one[0]))
    best = misfit(first)
    if best * _BETTER < now and best < _LIKE * size:
        raise InputError(
            f"{words}: with that undone the drawing fits to {length(best, units)}, as they are to {length(now, units)}"
        )
    _check_rotations(drawn, setup, given)


def _check_rotations(drawn: LegErrors, setup: Setup, given: Measurements) -> None:
    """`InputError` where the places of poses fit the drawing in some frames, and with their rotations in none."""
    m = drawn.machine
    if given.poses is None or len(given) < 2:
        return
    free = replace(setup, known=frozenset(), points=m.platform_centre[None])
    places = Measurements(given.q, positions=given.places, sessions=given.sessions)
    both = [posed(drawn, free, one, np.zeros(0), is_quick=True) for one in (given, places)]
    now, best = (misfit(screened(one)[0]) for one in both)
    if best * _BETTER >= now or best >= _LIKE * m.size:
        return
    seen, there = (_turns(X) for X in (given.poses, both[0].X))
    words = "check the order of quaternions, the sequence and the unit of angles"
    if seen < _STUCK:
        words = "they are the same in all rows: leave their columns out"
    elif seen < there / _DEGREES:
        words = "the angles look like radians taken for degrees"
    elif seen > min(_DEGREES * there, _ANY):
        words = f"the angles look like degrees taken for radians; if they are not, {words}"
    raise InputError(
        f"the rotations of the poses do not fit: without them the drawing fits to {length(best, m.units)}, with them "
        f"to {length(now, m.units)}; {words}"
    )


def _travel(problem: Problem) -> float:
    """Root mean square distance of the drawing's positions from their middle [m]: small ones have small residuals."""
    t = problem.X[np.isfinite(problem.X).all(axis=(1, 2)), :3, 3]
    return max(float(np.sqrt(t.var(axis=0).sum())), 1e-300) if len(t) else 1e-300


def _turns(X: Array) -> float:
    """Median angle between poses next to one another [rad], in whatever frames they are."""
    from gough.displacements import rotation_vectors

    R = X[np.isfinite(X).all(axis=(1, 2)), :3, :3]
    turn = rotation_vectors(np.swapaxes(R[:-1], 1, 2) @ R[1:])
    return float(np.median(np.linalg.norm(turn, axis=1))) if len(turn) else 0.0


def check_fit(problem: Problem, x: Array, rms: float) -> None:
    """`InputError` where the calibrated machine does not fit the data: never a confident wrong file."""
    m = problem.legs.machine
    far = np.sqrt(np.mean(x.reshape(6, -1) ** 2, axis=1)) if len(x) else np.zeros(6)
    worst = int(np.argmax(far))
    if rms <= _WRONG * m.size and far[worst] < _FAR:
        return
    raise InputError(
        f"the measurements do not fit machine {m.name!r}: the best errors of its legs are {far[worst]:.3g} times what "
        f"is likely (leg {worst + 1}) and still leave {length(rms, m.units)} RMS; check the order of the legs, the "
        "units and the frames of the columns"
    )
