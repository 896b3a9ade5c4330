"""Rigid bodies: mass, mass centre and inertia, moved to other frames and joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.numbers import of_shape
from gough.errors import InputError, ShapeError
from gough.read_only import MachinePart

LARGEST = 1e30
"""Largest mass, distance and inertia of a payload [SI]: products of two of them stay far from overflow."""
ROUND_OFF = 1e-9
"""Tolerance on the conditions of an inertia tensor, relative to its largest entry."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Body(MachinePart):
    """A rigid body.

    Attributes
    ----------
    mass : float
        [kg].
    mass_centre : (3,) array
        In the body's frame [m].
    inertia : (3, 3) array
        About the mass centre, in the axes of the body's frame [kg m2].

    """

    mass: float
    mass_centre: Array
    inertia: Array

    def seen_from(self, X: Array) -> Body:
        """The body in another frame, in which its own has the pose X (4, 4)."""
        R = X[:3, :3]
        return Body(mass=self.mass, mass_centre=R @ self.mass_centre + X[:3, 3], inertia=R @ self.inertia @ R.T)


@dataclass(frozen=True, eq=False, kw_only=True)
class LegBodies(MachinePart):
    """A part that every leg has: `part[i]` is that of leg i as a `Body`.

    Attributes
    ----------
    mass : (6,) array
        [kg].
    mass_centre : (6, 3) array
        In the part's frame [m].
    inertia : (6, 3, 3) array
        About the mass centre, in the axes of the part's frame [kg m2].

    """

    mass: Array
    mass_centre: Array
    inertia: Array

    @classmethod
    def of(cls, bodies: LegBodies | Body | Sequence[Body]) -> LegBodies:
        """From six bodies, or from one that serves all legs."""
        if isinstance(bodies, LegBodies):
            return bodies
        six = [bodies] * 6 if isinstance(bodies, Body) else list(bodies)
        if len(six) != 6:
            raise ShapeError.expected("bodies of a leg's part", "one, or six: one for each leg", (len(six),))
        return cls(**{key: np.array([getattr(body, key) for body in six]) for key in Body.__dataclass_fields__})

    def __getitem__(self, i: int) -> Body:
        return Body(mass=float(self.mass[i]), mass_centre=self.mass_centre[i], inertia=self.inertia[i])

    def __iter__(self) -> Iterator[Body]:
        return (self[i] for i in range(6))

    @property
    def is_shared(self) -> bool:
        """Whether all six are the same."""
        return all((values == values[0]).all() for values in (self.mass, self.mass_centre, self.inertia))


def steiner(mass: float | Array, arm: Array) -> Array:
    """Steiner's term m (|r|^2 1 - r r^T) (..., 3, 3) of masses m (...) at arms r (..., 3) [m]."""
    square = np.sum(arm * arm, axis=-1)[..., None, None] * np.eye(3)
    return np.asarray(np.asarray(mass)[..., None, None] * (square - arm[..., :, None] * arm[..., None, :]))


def joined(bodies: Iterable[Body]) -> Body:
    """Bodies given in one frame as one body, by Steiner's theorem about their common mass centre."""
    parts = list(bodies)
    mass = sum(part.mass for part in parts)
    moment = sum((part.mass * part.mass_centre for part in parts), np.zeros(3))
    centre = moment / mass if mass > 0 else np.zeros(3)
    inertia = sum((part.inertia + steiner(part.mass, part.mass_centre - centre) for part in parts), np.zeros((3, 3)))
    return Body(mass=float(mass), mass_centre=centre, inertia=inertia)


def rigid_body(mass: float, centre: ArrayLike, inertia: ArrayLike | None = None) -> Body:
    """A checked body: mass [kg], mass centre (3,) [m], inertia about it (3, 3) [kg m2] or None for a point mass.

    Raises
    ------
    InputError
        A number is not finite, the mass is below zero, or the inertia is not symmetric with principal moments of which
        each is at most the sum of the other two.

    """
    m, c = float(of_shape("payload mass", mass, "()")), of_shape("payload centre", centre, "(3,)").copy()
    J = np.zeros((3, 3)) if inertia is None else of_shape("payload inertia", inertia, "(3, 3)").copy()
    if not (np.abs([m, *c, *J.ravel()]) <= LARGEST).all():
        raise InputError(
            f"payload: mass, centre and inertia must be finite numbers of at most {LARGEST:g} kg, m, kg m2"
        )
    if m < 0:
        raise InputError(f"payload mass: {m:.6g} kg, expected 0 or more")
    moments, slack = np.linalg.eigvalsh((J + J.T) / 2), ROUND_OFF * float(np.abs(J).max())
    if np.abs(J - J.T).max() > slack or moments[0] < -slack or moments[2] > moments[0] + moments[1] + slack:
        raise InputError(
            f"payload inertia: no body has the moments {moments.round(9).tolist()} kg m2; expected a "
            "symmetric tensor whose every moment is at most the sum of the other two"
        )
    if m == 0 and np.abs(J).max() > 0:
        raise InputError("payload: inertia without a mass; give the mass too")
    return Body(mass=m, mass_centre=c, inertia=(J + J.T) / 2)
