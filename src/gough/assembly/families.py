"""Families of machines with fewer assembly modes than general ones, and recognition of their members.

In a family whose joint points form a linear space every member has at most as many isolated solutions as a generic one
(Morgan and Sommese 1989): that many distinct ends are all, and fewer paths need be followed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Complex, Ints

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
    """Machines whose legs meet in pairs at three platform joints (inverse: base joints), other joints planar or not.

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
    """The family of a machine with base and platform points a, b (6, 3) about their means; None for a general one."""
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
