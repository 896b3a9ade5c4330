"""Data that no such machine gives: found before and after the fit, and named, rather than fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations

import numpy as np

from gough.arrays import Array, Ints
from gough.calibration.measurements import Measurements
from gough.calibration.pose import posed
from gough.calibration.problem import Problem
from gough.calibration.screening import misfit
from gough.calibration.sentences import length, reading
from gough.errors import InputError
from gough.machine import Machine

_STUCK = 1e-9
"""Part of the machine's size that a column varies less than if it is constant."""
_ENOUGH = 40
"""Rows by which readings of the data are judged."""
_BETTER = 3.0
"""Times by which another reading of the data fits better than the data as they are."""
_FITS = 0.01
"""Part of the machine's size that residuals of its drawing may have."""
_WRONG = 0.01
"""Part of it that residuals of a calibrated machine may have."""
_FAR = 2.5
"""Errors of a machine, in their spreads, that nobody builds."""


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
    if given.positions is not None and moving.all():
        spans = np.nanmax(given.positions, axis=0) - np.nanmin(given.positions, axis=0)
        if np.isfinite(given.positions).all(axis=(1, 2)).sum() > 3 and (spans <= _STUCK * machine.size).any():
            k, axis = np.argwhere(spans <= _STUCK * machine.size)[0]
            raise InputError(
                f"{'xyz'[axis]} of target {k + 1} is the same in all {len(given)} rows while all legs move: a constant "
                "column; leave it empty where it was not measured"
            )


def check_start(problem: Problem) -> None:
    """`InputError` where another reading of the data fits the drawing several times better than they do."""
    now = misfit(problem)
    if now < _FITS * problem.legs.machine.size:
        return
    some = np.unique(np.linspace(0, len(problem.given) - 1, min(_ENOUGH, len(problem.given))).astype(int))
    given = problem.given if problem.given.relative is not None else problem.given.rows(some)
    drawn, frames, units = replace(problem.legs, groups=()), problem.setup, problem.legs.machine.units

    def judged(given: Measurements) -> float:
        return misfit(posed(drawn, frames, given, np.zeros(0), is_quick=True))

    now = judged(given)
    best, words = min(
        ((judged(change(given)), words) for change, words in _hypotheses(problem)), key=lambda one: one[0]
    )
    if best * _BETTER < now:
        raise InputError(
            f"{words}: with that undone the drawing fits to {length(best, units)}, as they are to {length(now, units)}"
        )


def check_fit(problem: Problem, x: Array, rms: float) -> None:
    """`InputError` where the calibrated machine does not fit the data: never a confident wrong file."""
    m = problem.legs.machine
    far = float(np.sqrt(np.mean(x**2))) if len(x) else 0.0
    if rms <= _WRONG * m.size and far < _FAR:
        return
    raise InputError(
        f"the measurements do not fit machine {m.name!r}: the best errors of its legs are {far:.3g} times what is "
        f"likely and still leave {length(rms, m.units)} RMS; check the order of the legs, the units and the frames "
        "of the columns"
    )


def _hypotheses(problem: Problem) -> list[tuple[Callable[[Measurements], Measurements], str]]:
    """What may have happened to the data: how to undo it, and its words."""
    found: list[tuple[Callable[[Measurements], Measurements], str]] = []
    found += [(partial(_in_order, order=order), words) for order, words in _orders()]
    is_length = problem.legs.machine.legs.joint == "length"
    found += [
        (partial(_read, size=size), f"the readings look like {words}") for size, words in _units(is_length=is_length)
    ]
    found += [(partial(_rescaled, size=size), f"the positions look like {words}") for size, words in _units()]
    if problem.given.poses is not None:
        found += [
            (partial(_reordered, by=-1), "the quaternions look given with w first and read with w last"),
            (partial(_reordered, by=1), "the quaternions look given with w last and read with w first"),
            (_inverted, "the poses look inverted, those of the device in the target"),
            (partial(_turned_less, size=np.pi / 180), "the angles look like degrees taken for radians"),
        ]
    return found


def _units(*, is_length: bool = True) -> Iterator[tuple[float, str]]:
    """Units that are taken for one another: how much of the one the other is, and in words."""
    lengths = {"metres": 1.0, "millimetres": 1e-3, "inches": 0.0254, "centimetres": 1e-2}
    angles = {"radians": 1.0, "degrees": np.pi / 180, "arcminutes": np.pi / 10800}
    sizes = lengths if is_length else angles
    for what, other in permutations(sizes, 2):
        yield sizes[what] / sizes[other], f"{what} taken for {other}"


def _orders() -> Iterator[tuple[Ints, str]]:
    """Orders of legs that are not the machine's."""
    for i, j in combinations(range(6), 2):
        order = np.arange(6)
        order[[i, j]] = j, i
        yield order, f"legs {i + 1} and {j + 1} look swapped"
    yield np.arange(6)[::-1], "the legs look numbered backwards"
    for k in range(1, 6):
        yield np.roll(np.arange(6), k), f"the legs look numbered from {k + 1}"


def _in_order(given: Measurements, order: Ints) -> Measurements:
    return replace(given, q=given.q[:, order])


def _read(given: Measurements, size: float) -> Measurements:
    return replace(given, q=given.q * size)


def _rescaled(given: Measurements, size: float) -> Measurements:
    poses = given.poses
    if poses is not None:
        poses = poses.copy()
        poses[:, :3, 3] *= size
    positions, distances = (None if v is None else v * size for v in (given.positions, given.distances))
    return replace(given, poses=poses, positions=positions, distances=distances)


def _reordered(given: Measurements, by: int) -> Measurements:
    from scipy.spatial.transform import Rotation

    assert given.poses is not None
    poses, there = given.poses.copy(), np.isfinite(given.poses).all(axis=(1, 2))
    quaternions = Rotation.from_matrix(poses[there, :3, :3]).as_quat()
    poses[there, :3, :3] = Rotation.from_quat(np.roll(quaternions, by, axis=1)).as_matrix()
    return replace(given, poses=poses)


def _inverted(given: Measurements) -> Measurements:
    from gough.poses import inverse_matrices

    assert given.poses is not None
    return replace(given, poses=inverse_matrices(given.poses))


def _turned_less(given: Measurements, size: float) -> Measurements:
    from gough.calibration.rotations import rotation_vectors, rotations

    assert given.poses is not None
    poses, there = given.poses.copy(), np.isfinite(given.poses).all(axis=(1, 2))
    poses[there, :3, :3] = rotations(rotation_vectors(poses[there, :3, :3]) * size)
    return replace(given, poses=poses)
