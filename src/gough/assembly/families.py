"""Families of machines with fewer assembly modes than general ones, and the frames in which members are recognised.

In a family whose joint points form a linear space every member has at most as many isolated solutions as a generic one
(Morgan and Sommese 1989): that many distinct ends are all, and fewer paths need be followed. In `Normalised` frames
lengths are of size one and planar plates lie in z = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Complex, Ints
from gough.poses import inverse_matrices

EXACT = 1e-12
"""Deviations of joint points from those of a member below this part of their spread are rounding."""
THIRD = np.exp(2j * np.pi / 3)


@dataclass(frozen=True)
class Family:
    """A family of machines.

    Attributes
    ----------
    name : str
        Name of its start systems.
    finite : int
        Finite complex solutions of a generic member.
    is_flat : bool
        Whether base and platform lie in z = 0, so that solutions are mirror pairs; one of each is stored.
    is_inverse : bool
        Whether base and platform are exchanged in the stored start systems.

    """

    name: str
    finite: int
    is_flat: bool
    is_inverse: bool = False

    @property
    def stored(self) -> int:
        """Solutions of a start system."""
        return self.finite // 2 if self.is_flat else self.finite


GENERAL = Family("general", 40, is_flat=False)
"""Ronga and Vust 1992; Mourrain 1993."""
FLAT = Family("flat", 40, is_flat=True)
SYMMETRIC = Family("symmetric", 28, is_flat=True)
"""Flat hexagons of three-fold symmetry with all corners on a circle, legs between them of the same symmetry."""


def triangle(is_flat: bool, is_inverse: bool) -> Family:
    """Return machines whose legs meet in pairs at three platform joints (inverse: base joints), other joints planar or
    not.

    Innocenti and Parenti-Castelli 1990: sixteen.
    """
    return Family("flat triangle" if is_flat else "triangle", 16, is_flat, is_inverse)


@dataclass(frozen=True, eq=False)
class Membership:
    """A machine as a member of a family: order of its legs, rotations of its frames about their z axes [rad], and
    whether the platform's is upside down."""

    family: Family
    order: Ints
    base_turn: float = 0.0
    platform_turn: float = 0.0
    is_upside_down: bool = False


def membership(a: Array, b: Array, is_flat: bool) -> Membership | None:
    """Return the family of a machine with base and platform points a, b (6, 3) about their means; None for a general
    one."""
    for points, is_inverse in ((b, False), (a, True)):
        order = _in_pairs(points)
        if order is not None:
            return Membership(triangle(is_flat, is_inverse), order)
    return _symmetric(a[:, 0] + 1j * a[:, 1], b[:, 0] + 1j * b[:, 1]) if is_flat else None


def _in_pairs(points: Array) -> Ints | None:
    """Order in which points (6, 3) that coincide in pairs are neighbours; None where they do not."""
    same = np.abs(points[:, None] - points).max(axis=2) <= EXACT * np.abs(points).max()
    # Each point equals itself and one other; `argmax` is the first of the two, by which pairs sort together.
    return np.argsort(same.argmax(axis=1), kind="stable") if (same.sum(axis=1) == 2).all() else None


def _symmetric(a: Complex, b: Complex) -> Membership | None:
    """Membership in SYMMETRIC of base and platform points x + i y (6,)."""
    radii = np.abs(np.array([a, b]))
    least = EXACT * radii[:, 0]
    if not (np.abs(radii.T - radii[:, 0]) <= least).all():
        return None
    # Orbits of leg 0 and of another leg under the rotation of the base by a third of a turn, alternating.
    image = np.abs(THIRD * a[:, None] - a).argmin(axis=1)
    orbit = [0, image[0], image[image[0]]]
    other = next(leg for leg in range(6) if leg not in orbit)
    order = np.array([0, other, image[0], image[other], orbit[2], image[image[other]]])
    a, b = a[order], b[order]
    is_upside_down = not _is_threefold(b, least[1])
    b = b.conj() if is_upside_down else b
    if not (_is_threefold(a, least[0]) and _is_threefold(b, least[1])):
        return None
    base_turn, platform_turn = (0.5 * float(np.angle(points[0] * points[1])) for points in (a, b))
    return Membership(SYMMETRIC, order, base_turn, platform_turn, is_upside_down)


def _is_threefold(points: Complex, within: float) -> bool:
    """Whether a third of a turn maps each of the points x + i y (6,) to the next but one."""
    return bool((np.abs(THIRD * points - np.roll(points, -2)) <= within).all())


IN_PLANE = 1e-13
"""Distances of points from their plane below this part of their spread are rounding."""


@dataclass(frozen=True, eq=False)
class Normalised:
    """Legs in normalised frames: origins at the mean joint points, lengths divided by `size`.

    Attributes
    ----------
    legs : (6, 7) complex array
        Rows (a, b, c) with c = |a|^2 + |b|^2 - l^2, in the leg order of the special family.
    family : Family
        FLAT where all a and all b lie in z = 0, else GENERAL.
    special : Family, optional
        Family with fewer solutions to which the machine belongs.
    size : float
        [m].
    X_BA, X_PC : (4, 4) array
        The frames of a and b in the base and in the platform, lengths in metres.

    """

    legs: NDArray[np.complex128]
    family: Family
    special: Family | None
    size: float
    X_BA: Array
    X_PC: Array

    def pose(self, x: NDArray[np.complex128]) -> Array:
        """Return poses (n, 4, 4) of the platform in the base from real dual quaternions (n, 8) between the frames."""
        e, g = x.real[:, :4], x.real[:, 4:]
        square = (e * e).sum(axis=1)
        X_AC = np.zeros((len(x), 4, 4))
        X_AC[:, 3, 3] = 1.0
        # R = ((e0^2 - v . v) 1 + 2 v v^T + 2 e0 [v]x) / |e|^2
        v, e0 = e[:, 1:], e[:, :1]
        outer = 2.0 * v[:, :, None] * v[:, None, :]
        cross = np.cross(np.eye(3), v[:, None, :])  # row j is e_j x v, which makes it [v]x
        X_AC[:, :3, :3] = (
            outer + ((e0[:, 0] ** 2 - (v * v).sum(axis=1))[:, None, None]) * np.eye(3) + 2.0 * e0[:, :, None] * cross
        ) / square[:, None, None]
        # t = 2 g e* / |e|^2, its vector part.
        t = 2.0 * (e0 * g[:, 1:] - g[:, :1] * v - np.cross(g[:, 1:], v)) / square[:, None]
        X_AC[:, :3, 3] = self.size * t
        return np.asarray(self.X_BA @ X_AC @ inverse_matrices(self.X_PC))


def normalised(a: Array, b: Array, length: Array) -> Normalised:
    """Return the normalised legs between base points a and platform points b (6, 3), with their lengths (6,) [m]."""
    X_BA, a_flat = _plane(a)
    X_PC, b_flat = _plane(b)
    is_flat = a_flat and b_flat
    if not is_flat:
        X_BA[:3, :3] = X_PC[:3, :3] = np.eye(3)
    found = membership((a - X_BA[:3, 3]) @ X_BA[:3, :3], (b - X_PC[:3, 3]) @ X_PC[:3, :3], is_flat)
    if found is not None:
        a, b, length = a[found.order], b[found.order], length[found.order]
        _align(found, X_BA, X_PC)
    a = (a - X_BA[:3, 3]) @ X_BA[:3, :3]
    b = (b - X_PC[:3, 3]) @ X_PC[:3, :3]
    if is_flat:  # exactly, for mirror symmetry
        a[:, 2] = b[:, 2] = 0.0
    size = float(np.sqrt(((a * a).sum() + (b * b).sum()) / 12.0))
    a, b, length = a / size, b / size, length / size
    c = (a * a).sum(axis=1) + (b * b).sum(axis=1) - length * length
    legs = np.column_stack([a, b, c]).astype(complex)
    special = None if found is None else found.family
    return Normalised(legs, FLAT if is_flat else GENERAL, special, size, X_BA, X_PC)


def _align(found: Membership, X_BA: Array, X_PC: Array) -> None:
    """Rotate the frames in place until the legs belong to a member of their family."""
    if found.is_upside_down:  # half a turn about x
        X_PC[:3, 1:3] *= -1.0
    for X, turn in ((X_BA, found.base_turn), (X_PC, found.platform_turn)):
        x, y = X[:3, 0].copy(), X[:3, 1].copy()
        X[:3, 0], X[:3, 1] = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x


def _plane(points: Array) -> tuple[Array, bool]:
    """Frame (4, 4) at the mean of points (6, 3) with z normal to their best plane; whether they lie in it."""
    X = np.eye(4)
    X[:3, 3] = points.mean(axis=0)
    _, spread, rows = np.linalg.svd(points - X[:3, 3])
    if np.linalg.det(rows) < 0:  # axes must be right-handed
        rows[2] *= -1.0
    X[:3, :3] = rows.T
    return X, bool(spread[2] <= IN_PLANE * spread[0])
