"""Refusal of data that no such machine gives: stuck columns, misread data, and fits that explain nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from gough.arrays import Array, Bools
from gough.calibration.diagnosis import scale_sentence
from gough.calibration.measurements import Measurements
from gough.calibration.misreadings import Misreading, misreadings
from gough.calibration.problem import Problem
from gough.calibration.result import Calibration
from gough.calibration.rigid import without_rigid_motions
from gough.calibration.screening import misfit, screened
from gough.calibration.setup import Setup
from gough.calibration.start import initial_problem
from gough.errors import InputError
from gough.machine import Machine
from gough.present.show import Show

Solver: TypeAlias = Callable[[Measurements, Setup], Calibration]

_STUCK = 1e-9
"""Range, in machine sizes, below which a column is constant."""
_ENOUGH = 24
"""Number of rows by which misreadings of the data are tested."""
BETTER = 3.0
"""Factor by which a misreading undone, or a part of the rows, must fit better than the data as they are."""
_REDUNDANT = 2
"""Numbers measured for each unknown from which a part of the rows is fitted alone."""
_LIKELY = 3
"""Number of misreadings, the best at first sight, whose frames and points are refined before they are compared."""
_LIKE = 0.02
"""Residual, in machine sizes, at which the drawing fits data that are read as they were meant."""
_DEGREES = 20.0
"""Ratio of rotations from which one of them is in degrees: 57 for small angles about one axis."""
_ANY = 1.5
"""Median angle of unrelated rotations is above this [rad]."""
_FITS = 0.01
"""Residual of the drawing, in machine sizes, that needs no test of misreadings."""
_ALIKE = 1.5
"""Ratio of the residuals of fits that explain the data alike."""
_WRONG = 0.01
"""Largest residual of a calibrated machine, in machine sizes."""
_FAR = 2.5
"""Largest root mean square of a leg's errors, in their spreads."""


def check_columns(machine: Machine, given: Measurements) -> None:
    """`InputError` for columns of readings or measurements that are constant while the others change."""
    if len(given) < 3:
        return
    least = _STUCK * (machine.size if machine.legs.joint == "length" else 1.0)
    span = np.ptp(given.q, axis=0)
    moving = span > 1e3 * least  # clearly, against a column that is constant
    for i in np.flatnonzero(span <= least):
        if moving.sum() >= 3:
            reading = Show(machine).with_unit(given.q[0, i], machine.legs.joint_unit, 6)
            raise InputError(
                f"q{i + 1} is {reading} in all {len(given)} rows "
                "while the others change: the reading of this leg is stuck; leave the leg's rows out or read it again"
            )
    if moving.all():
        found = [_constant(values, _STUCK * machine.size) for values in (given.origins, given.positions)]
        for what, axis in zip(("the poses", "target {}"), found, strict=True):
            if axis is not None:
                raise InputError(
                    f"{'xyz'[axis[1]]} of {what.format(axis[0] + 1)} is the same in all {len(given)} rows while all "
                    "legs move: a constant column; leave it empty where it was not measured"
                )


def _constant(positions: Array | None, least: float) -> tuple[int, int] | None:
    """Target and axis of a coordinate of positions (n, k, 3) that is constant in more than three measurements."""
    if positions is None:
        return None
    for k, axis in np.ndindex(positions.shape[1:]):
        known = positions[np.isfinite(positions[:, k, axis]), k, axis]
        if len(known) > 3 and np.ptp(known) <= least:
            return k, axis
    return None


def check_readings(found: Calibration, setup: Setup, solved: Solver) -> tuple[str, ...]:
    """Return sentences where data read otherwise fit alike; `InputError` where they reach the noise and those as read
    do not.

    `setup` is the one from which frames and points were found; `solved` calibrates from measurements and a setup.
    """
    problem, size, show = found.problem, found.nominal.size, Show(found.nominal)
    # The problem holds frames of the drawing as found from all rows: what fits as read is not tried otherwise.
    if misfit(problem) < _FITS * size and not found.doubts:
        return ()
    held = replace(setup, known=setup.known | {"scale"})  # which would take up units
    tried = [(solved(undo(problem.given), setup), words) for undo, words in _likely(problem, held)]
    best = min((one.rms for one, _ in tried if not one.doubts), default=np.inf)
    alike = [words for one, words in tried if not one.doubts and one.rms < _ALIKE * best]
    words, (undone, as_it_is) = " or ".join(alike), (show.with_unit(value, "m", 3) for value in (best, found.rms))
    if best * BETTER < found.rms:
        words += f" ({len(alike)} readings explain the data alike)" if len(alike) > 1 else ""
        raise InputError(
            f"{words}: with that undone the fit leaves {undone} RMS, as they are {as_it_is}; --as-read (as_read=True) "
            "goes on with them"
        )
    if best < _ALIKE * found.rms:
        return (
            f"the data are explained alike as they are, with {as_it_is} RMS, and read otherwise, {undone}: {words}",
        )
    return ()


def check_setup(found: Calibration, setup: Setup, solved: Solver) -> tuple[str, ...]:
    """Return a sentence where only the fit with the scale estimated is good; `InputError` where only rotations do not
    fit."""
    _check_rotations(found, setup, solved)
    if "scale" not in setup.known or any(one.kind == "scale" for one in found.findings):
        return ()
    free = solved(found.given, replace(setup, known=setup.known - {"scale"}))
    if free.doubts or free.rms * BETTER >= found.rms:
        return ()
    left, as_it_is = (Show(found.nominal).with_unit(one.rms, "m", 3) for one in (free, found))
    return (f"{scale_sentence(found.nominal, *free.scale)}; the fit then leaves {left} RMS instead of {as_it_is}",)


def _likely(problem: Problem, setup: Setup) -> list[Misreading]:
    """Misreadings that, undone, fit the drawing several times better than the data as they are, the best first."""
    # Some rows are enough for a test of each misreading; all are used where rows are relative to others.
    some = np.unique(np.linspace(0, len(problem.given) - 1, min(_ENOUGH, len(problem.given))).astype(int))
    given = problem.given if problem.given.relative is not None else problem.given.rows(some)
    drawn = problem.drawn

    def tested(given: Measurements) -> Problem:
        return initial_problem(drawn, setup, given, np.zeros(0), is_quick=True)

    def relative_misfit(tried: Problem) -> float:
        """Misfit over travel: readings that are far too small move the drawing little, and fit without meaning."""
        return misfit(tried) / _travel(tried)

    now = misfit(screened(tested(given))[0])
    tried = [(tested(undo(given)), (undo, words)) for undo, words in misreadings(problem)]
    likely = sorted(tried, key=lambda one: relative_misfit(one[0]))[:_LIKELY]
    refined = [(screened(one)[0], misreading) for one, misreading in likely]
    refined.sort(key=lambda one: relative_misfit(one[0]))
    least = _LIKE * problem.legs.machine.size
    return [misreading for one, misreading in refined if misfit(one) * BETTER < now and misfit(one) < least]


def _check_rotations(found: Calibration, setup: Setup, solved: Solver) -> None:
    """`InputError` where the positions of poses fit in a calibration of their own, and their rotations do not."""
    given, m = found.given, found.nominal
    if given.poses is None or len(given) < 2:
        return
    # The rotations are wrong only if no frames make them fit, hence none is known here.
    drawn, free = (
        replace(found.problem.legs, groups=()),
        replace(setup, known=setup.known & {"scale"}, points=m.platform_centre[None]),
    )
    positions = Measurements(given.q, positions=given.origins, sessions=given.sessions)
    both = [initial_problem(drawn, free, one, np.zeros(0), is_quick=True) for one in (given, positions)]
    now, best = (misfit(screened(one)[0]) for one in both)
    if best * BETTER >= now or best >= _LIKE * m.size:
        return
    alone = solved(positions, free)
    if alone.doubts or alone.rms * BETTER >= found.rms:
        return
    seen, there = (_turns(X) for X in (given.poses, both[0].X))  # as measured, and by the readings of the joints
    words = "check the order of quaternions, the sequence and the unit of angles"
    if seen < _STUCK:
        words = "they are the same in all rows: leave their columns out"
    elif seen < there / _DEGREES:
        words = "the angles look like radians taken for degrees"
    elif seen > min(_DEGREES * there, _ANY):
        words = f"the angles look like degrees taken for radians; if they are not, {words}"
    without, with_them = (Show(m).with_unit(one.rms, "m", 3) for one in (alone, found))
    raise InputError(
        f"the rotations of the poses do not fit: without them the fit leaves {without} RMS, with them {with_them}; "
        f"{words}; --as-read (as_read=True) uses the data unchanged"
    )


def _travel(problem: Problem) -> float:
    """Root mean square distance of the drawing's positions from their mean [m]."""
    t = problem.X[np.isfinite(problem.X).all(axis=(1, 2)), :3, 3]
    return max(float(np.sqrt(t.var(axis=0).sum())), 1e-300) if len(t) else 1e-300


def _turns(X: Array) -> float:
    """Median angle between consecutive poses [rad], which does not depend on their frames."""
    from gough.displacements import rotation_vectors

    R = X[np.isfinite(X).all(axis=(1, 2)), :3, :3]
    turn = rotation_vectors(np.swapaxes(R[:-1], 1, 2) @ R[1:])
    return float(np.median(np.linalg.norm(turn, axis=1))) if len(turn) else 0.0


def parts_of(given: Measurements, found: Calibration) -> list[Bools]:
    """Return halves of the rows (n,), in time: the first, the second, and the quarters at both ends."""
    time = np.arange(len(given)) / len(given)
    parts = [time < 0.5, time >= 0.5, np.abs(time - 0.5) >= 0.25]
    return [part for part in parts if given.rows(part).count >= _REDUNDANT * len(found.fit.x)]


def check_fit(found: Calibration) -> None:
    """`InputError` where the calibrated machine does not fit the data, or only with errors that nobody builds."""
    m, x = found.nominal, without_rigid_motions(found.problem.legs, found.problem.spread, found.apart)
    far = np.sqrt(np.mean(x.reshape(6, -1) ** 2, axis=1)) if len(x) else np.zeros(6)
    worst = int(np.argmax(far))
    if found.rms <= _WRONG * m.size and far[worst] < _FAR:
        return
    raise InputError(
        f"the measurements do not fit machine {m.name!r}: the best errors of its legs are {far[worst]:.3g} times what "
        f"is likely (leg {worst + 1}) and still leave {Show(m).with_unit(found.rms, 'm', 3)} RMS; check the order of "
        "the legs, the units and the frames of the columns; --as-read (as_read=True) uses the data unchanged"
    )
