"""Measurements of a platform with the readings of its joints: an array for each kind of measurement."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools, Ints
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError, PoseError, ShapeError
from gough.machine import Machine
from gough.poses import as_matrices, not_a_pose
from gough.present.units import with_unit

ORTHONORMAL_WITHIN = 1e-5
"""Tolerance of R^T R = I for measured rotations, whose numbers are rounded."""
NOISE = {"joints": "q", "positions": "m", "rotations": "rad", "angles": "rad", "distances": "m"}
"""Kinds of noise and their SI units; "q" is that of the joint coordinate."""


FARTHEST = 1e9
"""Largest reading and measurement, in machine sizes or rad: a metre read as a nanometre is at it."""


def noise_units(machine: Machine) -> dict[str, str]:
    """`NOISE` of a machine."""
    return {**NOISE, "joints": machine.legs.joint_unit}


@dataclass(frozen=True, eq=False)
class Measurements:
    """Samples of a machine in SI, missing numbers NaN.

    Attributes
    ----------
    q : (n, 6) array
        Readings of the joints.
    poses : (n, 4, 4) array or None
        Target in the measuring device's frame.
    positions : (n, k, 3) array or None
        k targets in that frame.
    angles : (n, 2) array or None
        Elevation of the target's x and y axes above the device's xy plane.
    distances : (n, k) array or None
        Between wire point k and fixed point k.
    relative : (n, 4, 4) array or None
        Target in its own frame at sample `relative_to`.
    relative_to : (n,) array of int or None
    sessions : (n,) array of int
        The device has a frame of its own in every session.

    """

    q: Array
    poses: Array | None = None
    positions: Array | None = None
    angles: Array | None = None
    distances: Array | None = None
    relative: Array | None = None
    relative_to: Ints | None = None
    sessions: Ints | None = None

    def __len__(self) -> int:
        return len(self.q)

    @property
    def origins(self) -> Array | None:
        """Positions (n, 1, 3) of the poses [m]."""
        return None if self.poses is None else self.poses[:, None, :3, 3]

    @property
    def session(self) -> Ints:
        """Session of each sample (n,), counted from 0."""
        return np.zeros(len(self), dtype=np.int64) if self.sessions is None else self.sessions

    @property
    def targets(self) -> int:
        """Number of targets of the positions."""
        return self.positions.shape[1] if self.positions is not None else 0

    @property
    def wires(self) -> int:
        """Number of distances of a sample."""
        return self.distances.shape[1] if self.distances is not None else 0

    @property
    def has_lengths(self) -> bool:
        """Whether any of the quantities are lengths."""
        return any(each is not None for each in (self.poses, self.positions, self.distances, self.relative))

    @property
    def count(self) -> int:
        """Number of quantities measured, readings apart."""
        given = (self.poses, self.positions, self.angles, self.distances, self.relative)
        per = (6.0 / 16.0, 1.0, 1.0, 1.0, 6.0 / 16.0)  # a matrix of 16 numbers has six quantities
        return int(sum(p * np.isfinite(a).sum() for a, p in zip(given, per, strict=True) if a is not None))

    @property
    def is_measured(self) -> Bools:
        """Samples (n,) with all readings and at least one measurement, or to which another is relative."""
        found = np.zeros(len(self), dtype=bool)
        for given in (self.poses, self.positions, self.angles, self.distances, self.relative):
            if given is not None:
                found |= np.isfinite(given).reshape(len(self), -1).any(axis=1)
        if self.relative_to is not None:
            found[self.relative_to[self.relative_to >= 0]] = True
        return np.asarray(found & np.isfinite(self.q).all(axis=1))

    def check_sizes(self, machine: Machine) -> None:
        """`InputError` where a reading or a length is beyond what any unit of measurement explains."""
        poses = (self.poses, self.relative)
        of_poses = [None if matrices is None else matrices[:, :3, 3] for matrices in poses]
        lengths = (*of_poses, self.positions, self.distances)
        found = [(each, "m", "a measured length") for each in lengths if each is not None]
        for values, unit, name in [(self.q, machine.legs.joint_unit, "a reading of the joints"), *found]:
            most = FARTHEST * (machine.size if unit == "m" else 1.0)
            largest = float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))
            if largest > most:
                at = int(np.flatnonzero((np.abs(values).reshape(len(self), -1) == largest).any(axis=1))[0])
                raise InputError(
                    f"measurement {at + 1}: {name} is {with_unit(machine, largest, unit)}, expected at most "
                    f"{with_unit(machine, most, unit)}"
                )

    def rows(self, kept: Any) -> Measurements:
        """Return some of the samples, by index or mask."""
        chosen = np.arange(len(self))[kept]
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        found: dict[str, Any] = {name: None if v is None else v[chosen] for name, v in values.items()}
        if self.relative_to is not None:
            # New numbers of the samples; the last entry is for -1, no sample.
            place = np.full(len(self) + 1, -1)
            place[chosen] = np.arange(len(chosen))
            found["relative_to"] = place[self.relative_to[chosen]]
            found["relative"] = np.where((found["relative_to"] < 0)[:, None, None], np.nan, found["relative"])
        return replace(self, **found)


def measurements(
    q: ArrayLike,
    *,
    poses: Any = None,
    positions: ArrayLike | None = None,
    angles: ArrayLike | None = None,
    distances: ArrayLike | None = None,
    relative: Any = None,
    relative_to: ArrayLike | None = None,
    sessions: ArrayLike | None = None,
) -> Measurements:
    """Return measurements with their shapes checked; `ShapeError` or `PoseError` names what is wrong."""
    joints = of_shape("q", q, "(n, 6), one row for each sample")
    n = len(joints)
    given: dict[str, Any] = {
        "q": joints,
        "poses": _poses("poses", poses, n),
        "relative": _poses("relative", relative, n),
    }
    given |= _numbers(n, positions, angles, distances)
    if relative is not None:
        to = np.arange(-1, n - 1) if relative_to is None else np.asarray(relative_to, dtype=np.int64)
        if to.shape != (n,) or (to >= n).any():
            raise InputError(f"relative_to: expected {n} numbers of samples, from 0 to {n - 1}, or -1 for none")
        to = np.where(to == np.arange(n), -1, to)  # a pose relative to itself says nothing
        given["relative_to"] = to
        given["relative"] = np.where((to < 0)[:, None, None], np.nan, given["relative"])
    if sessions is not None:
        labels = np.asarray(sessions)  # numbers or text
        if labels.shape != (n,):
            raise ShapeError.expected("sessions", f"({n},)", labels.shape)
        given["sessions"] = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return Measurements(**given)


def _numbers(
    n: int, positions: ArrayLike | None, angles: ArrayLike | None, distances: ArrayLike | None
) -> dict[str, Array]:
    """Positions (n, k, 3), angles (n, 2) and distances (n, k) that are given."""
    given = {}
    if positions is not None:
        points = numbers("positions", positions)
        points = points[:, None] if points.ndim == 2 else points
        given["positions"] = _shaped("positions", points, n, "(n, 3) or (n, k, 3)", 3, 3)
    if angles is not None:
        given["angles"] = _shaped("angles", numbers("angles", angles), n, "(n, 2)", 2, 2)
    if distances is not None:
        lengths = numbers("distances", distances)
        lengths = lengths[:, None] if lengths.ndim == 1 else lengths
        given["distances"] = _shaped("distances", lengths, n, "(n,) or (n, k)", 2, None)
    return given


def _shaped(name: str, values: Array, n: int, expected: str, axes: int, last: int | None) -> Array:
    if values.ndim != axes or len(values) != n or (last is not None and values.shape[-1] != last):
        raise ShapeError.expected(name, f"{expected} with n = {n}", values.shape)
    return values


def _poses(name: str, X: Any, n: int) -> Array | None:
    if X is None:
        return None
    matrices = of_shape(name, as_matrices(X), f"({n}, 4, 4)").copy()
    R = matrices[:, :3, :3]
    whole = np.isfinite(matrices).all(axis=(1, 2))
    off = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2))
    bad = np.flatnonzero(whole & ~((off < ORTHONORMAL_WITHIN) & (np.linalg.det(R) > 0)))
    if len(bad):
        error = not_a_pose(matrices, int(bad[0]))
        raise PoseError(f"{name}: {error}")
    for _ in range(2):  # to the nearest rotation, by the Newton-Schulz iteration of the polar decomposition
        R += 0.5 * R @ (np.eye(3) - np.swapaxes(R, 1, 2) @ R)
    matrices[~whole] = np.nan
    return matrices
