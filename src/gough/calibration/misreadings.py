"""How data may have been misread: legs in another order, units, signs, conventions of rotations; and how to undo it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations

import numpy as np

from gough.arrays import Array, Ints
from gough.calibration.measurements import Measurements
from gough.calibration.problem import Problem


def misreadings(problem: Problem) -> list[tuple[Callable[[Measurements], Measurements], str]]:
    """What may have happened to the data: how to undo it, and its words."""
    found: list[tuple[Callable[[Measurements], Measurements], str]] = []
    found += [(partial(_in_order, order=order), words) for order, words in _orders()]
    found += [(partial(_reversed, legs=legs), words) for legs, words in _directions()]
    if problem.given.poses is None:
        words = "the positions look mirrored: two axes swapped, or one with the other sign"
        found.append((partial(_mirrored, mirror=np.diag([1.0, 1.0, -1.0])), words))
    is_length = problem.legs.machine.legs.joint == "length"
    found += [
        (partial(_read, size=size), f"the readings look like {words}") for size, words in _units(is_length=is_length)
    ]
    found += [(partial(_rescaled, size=size), f"the positions look like {words}") for size, words in _units()]
    if problem.given.poses is not None:
        found += [(partial(_mirrored, mirror=mirror), words) for mirror, words in _mirrors()]
        found += [
            (partial(_reordered, by=-1), "the quaternions look given with w first and read with w last"),
            (partial(_reordered, by=1), "the quaternions look given with w last and read with w first"),
            (_inverted, "the poses look inverted, those of the device in the target"),
            (partial(_turned_less, size=np.pi / 180), "the angles look like degrees taken for radians"),
            (_transposed, "the rotations look inverted, those of the device in the target"),
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


def _directions() -> Iterator[tuple[Ints, str]]:
    """Legs whose readings may have the other sign."""
    for i in range(6):
        yield np.array([i]), f"the readings of leg {i + 1} seem to have the other sign"
    yield np.arange(6), "the readings seem to have the other sign"


def _mirrors() -> Iterator[tuple[Array, str]]:
    """Axes of positions that may be swapped, or have the other sign."""
    for i, axis in enumerate("xyz"):
        yield np.diag(np.where(np.arange(3) == i, -1.0, 1.0)), f"{axis} of the positions seems to have the other sign"
    for i, j in combinations(range(3), 2):
        swapped = np.eye(3)
        swapped[[i, j]] = swapped[[j, i]]
        yield swapped, f"{'xyz'[i]} and {'xyz'[j]} of the positions look swapped"


def _in_order(given: Measurements, order: Ints) -> Measurements:
    return replace(given, q=given.q[:, order])


def _reversed(given: Measurements, legs: Ints) -> Measurements:
    q = given.q.copy()
    q[:, legs] *= -1.0
    return replace(given, q=q)


def _mirrored(given: Measurements, mirror: Array) -> Measurements:
    poses, positions = given.poses, given.positions
    if poses is not None:
        poses = poses.copy()
        poses[:, :3, 3] = poses[:, :3, 3] @ mirror
    return replace(given, poses=poses, positions=None if positions is None else positions @ mirror)


def _transposed(given: Measurements) -> Measurements:
    assert given.poses is not None
    poses = given.poses.copy()
    poses[:, :3, :3] = np.swapaxes(poses[:, :3, :3], 1, 2)
    return replace(given, poses=poses)


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
