"""How data may have been misread: order of legs, units, signs, conventions of rotations; and how to undo it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from typing import TypeAlias

import numpy as np

from gough.arrays import Array
from gough.calibration.measurements import Measurements
from gough.calibration.problem import Problem
from gough.displacements import rotation_vectors, rotations

Misreading: TypeAlias = tuple[Callable[[Measurements], Measurements], str]
"""The function that undoes it, and its description in an error."""


def misreadings(problem: Problem) -> list[Misreading]:
    """Return what may have happened to the data."""
    is_length, has_poses = problem.legs.machine.legs.joint == "length", problem.given.poses is not None
    found = [*_orders(), *_directions()]
    if not has_poses:
        # Mirrors of one axis and swaps of two differ by rotations only. The device's frame, where it is unknown, takes
        # these up: one mirror tests all.
        words = "the positions look mirrored: two axes swapped, or one with the other sign"
        found.append((partial(_mapped, M=np.diag([1.0, 1.0, -1.0])), words))
    found += [
        (partial(_read, M=size * np.eye(6)), f"the readings look like {words}") for size, words in _units(is_length)
    ]
    found += [(partial(_mapped, M=size * np.eye(3)), f"the positions look like {words}") for size, words in _units()]
    if has_poses:
        found += [
            *_mirrors(),
            (
                partial(_turned, by=partial(_rolled, by=-1)),
                "the quaternions look given with w first and read with w last",
            ),
            (
                partial(_turned, by=partial(_rolled, by=1)),
                "the quaternions look given with w last and read with w first",
            ),
            (_inverted, "the poses look inverted, those of the device in the target"),
            (partial(_turned, by=_in_degrees), "the angles look like degrees taken for radians"),
            (partial(_turned, by=_transposed), "the rotations look inverted, those of the device in the target"),
        ]
    return found


def _units(is_length: bool = True) -> Iterator[tuple[float, str]]:
    """Ratios of units that are taken for one another, with words."""
    lengths = {"metres": 1.0, "millimetres": 1e-3, "inches": 0.0254, "centimetres": 1e-2}
    angles = {"radians": 1.0, "degrees": np.pi / 180, "arcminutes": np.pi / 10800}
    sizes = lengths if is_length else angles
    for what, other in permutations(sizes, 2):
        yield sizes[what] / sizes[other], f"{what} taken for {other}"


def _orders() -> Iterator[Misreading]:
    """Orders of legs that are not the machine's."""
    for i, j in combinations(range(6), 2):
        order = np.arange(6)
        order[[i, j]] = j, i
        yield partial(_read, M=np.eye(6)[:, order]), f"legs {i + 1} and {j + 1} look swapped"
    yield partial(_read, M=np.eye(6)[:, ::-1]), "the legs look numbered backwards"
    for k in range(1, 6):
        yield partial(_read, M=np.roll(np.eye(6), k, axis=1)), f"the legs look numbered from {k + 1}"


def _directions() -> Iterator[Misreading]:
    """Legs whose readings may have the other sign."""
    for i in range(6):
        signs = np.where(np.arange(6) == i, -1.0, 1.0)
        yield partial(_read, M=np.diag(signs)), f"the readings of leg {i + 1} seem to have the other sign"
    yield partial(_read, M=-np.eye(6)), "the readings seem to have the other sign"


def _mirrors() -> Iterator[Misreading]:
    """Axes of positions that may be swapped, or have the other sign."""
    for i, axis in enumerate("xyz"):
        M = np.diag(np.where(np.arange(3) == i, -1.0, 1.0))
        yield partial(_mapped, M=M), f"{axis} of the positions seems to have the other sign"
    for i, j in combinations(range(3), 2):
        M = np.eye(3)
        M[[i, j]] = M[[j, i]]
        yield partial(_mapped, M=M), f"{'xyz'[i]} and {'xyz'[j]} of the positions look swapped"


def _read(given: Measurements, M: Array) -> Measurements:
    """Readings q M."""
    return replace(given, q=_times(given.q, M))


def _mapped(given: Measurements, M: Array) -> Measurements:
    """Positions p M of poses and targets, and distances as these change them."""
    poses, positions, distances = given.poses, given.positions, given.distances
    if poses is not None:
        poses = poses.copy()
        poses[:, :3, 3] = _times(poses[:, :3, 3], M)
    return replace(
        given,
        poses=poses,
        positions=None if positions is None else _times(positions, M),
        distances=None if distances is None else distances * np.linalg.norm(M[0]),
    )


def _times(values: Array, M: Array) -> Array:
    """Rows of values times a matrix with one nonzero entry in each column: only missing numbers stay NaN."""
    rows = np.abs(M).argmax(axis=0)
    return np.asarray(values[..., rows] * M[rows, np.arange(len(M))])


def _turned(given: Measurements, by: Callable[[Array], Array]) -> Measurements:
    """Poses with their rotations (n, 3, 3) changed."""
    assert given.poses is not None
    poses, there = given.poses.copy(), np.isfinite(given.poses).all(axis=(1, 2))
    poses[there, :3, :3] = by(poses[there, :3, :3])
    return replace(given, poses=poses)


def _transposed(R: Array) -> Array:
    return np.swapaxes(R, 1, 2)


def _in_degrees(R: Array) -> Array:
    return rotations(rotation_vectors(R) * (np.pi / 180))


def _rolled(R: Array, by: int) -> Array:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_quat(np.roll(Rotation.from_matrix(R).as_quat(), by, axis=1)).as_matrix())


def _inverted(given: Measurements) -> Measurements:
    from gough.poses import inverse_matrices

    assert given.poses is not None
    return replace(given, poses=inverse_matrices(given.poses))
