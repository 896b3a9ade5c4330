"""Taylor models of the poses of a path over intervals of its parameter, and of poses that are displaced from these.

With x from -1 to 1 over an interval of half width h, and the position p, the velocity v, the orientation R and the
angular velocity w in its middle,

    p(x) = p + h v x + e,  |e| <= h^2 / 2 max|a|            or  |e| <= h max|v| without the second term
    R(x) = R + h [w] R x + E,  |E c| <= h^2 / 2 max(|alpha| + |w|^2) |c|  or  h max|w| |c|

by the bounds of `Path.rates`. A displacement z moves a point of the platform by z[:3] and turns the platform about it
by the rotation vector z[3:], in base axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.displacements import rotations
from gough.limits.rods import Pose, Quantity
from gough.motion.path import Path, Rates, carried
from gough.regions.box_limits import Family
from gough.regions.models import Model
from gough.regions.placing import product, rotation

EXACT = 1e-13
"""Error of a path's states by rounding, of positions as a part of their size."""
WIDER = 1 + 1e-12
"""Factor of half widths and rates: middles and sums are rounded."""


class PathModels(NamedTuple):
    """Models over n intervals: positions p (3, n) [m] of the platform's origin and orientations R (3, 3, n), in the
    middle; their changes in proportion to x; bounds (n,) of the other changes; half widths h (n,), and bounds v, w of
    the speeds."""

    p: Array
    R: Array
    p_slope: Array
    R_slope: Array
    p_rest: Array
    R_rest: Array
    h: Array
    v: Array
    w: Array

    @classmethod
    def of(cls, path: Path, low: Array, high: Array) -> PathModels:
        """Return models over intervals from `low` to `high` (n,) without a knot inside, of a path with bounds."""
        rates, (X, V, _) = path.rates(low, high), path((low + high) / 2)
        assert rates is not None
        return cls.about(X, V, rates, (high - low) / 2)

    @classmethod
    def about(cls, X: Array, V: Array, rates: Rates, h: Array) -> PathModels:
        """Return models about poses (n, 4, 4) with velocities (n, 6), by bounds of rates within h (n,)."""
        h, (v, w, a, alpha) = h * WIDER, (each * WIDER for each in rates)
        p, R = X[:, :3, 3].T, np.moveaxis(X[:, :3, :3], 0, -1)
        x, y, z = V[:, 3:].T * h
        zero = np.zeros_like(x)
        turn = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
        p_slope, p_rest = _slope_and_rest(V[:, :3].T * h, carried(h, v), carried(h**2 / 2, a))
        bend = carried(h**2 / 2, alpha + w**2)
        R_slope, R_rest = _slope_and_rest((turn[:, :, None] * R).sum(1), carried(h, w), bend)
        p_rest = p_rest + EXACT * np.abs(p).max(axis=0)
        return cls(p, R, p_slope, R_slope, p_rest, np.minimum(R_rest, 2.0) + EXACT, h, v, w)

    @classmethod
    def at(cls, X: Array) -> PathModels:
        """Return poses (n, 4, 4) that rest."""
        still = np.zeros(len(X))
        return cls.about(X, np.zeros((len(X), 6)), Rates(still, still, still, still), still)

    def chosen(self, which: Any) -> PathModels:
        """Return models over some of the intervals."""
        return PathModels(*(each[..., which] for each in self))

    @property
    def poses(self) -> Array:
        """Poses (n, 4, 4) in the middle."""
        X = np.tile(np.eye(4), (len(self.h), 1, 1))
        X[:, :3, :3], X[:, :3, 3] = np.moveaxis(self.R, -1, 0), self.p.T
        return X

    def moved(self, point: Array) -> tuple[Array, Array]:
        """Return bounds (n,) of how far a point of the platform moves from the middle [m], and of the rotation
        [rad]."""
        turn = carried(self.h, self.w)
        return carried(self.h, self.v) + carried(float(np.linalg.norm(point)), turn), turn

    def family(self) -> Family:
        """Return the path's poses, of one variable."""
        return self._family(lambda x, part: Pose(*self._at(x, part)[::-1], np.zeros(3), EXACT))

    def displaced(self, z: Array, point: Array) -> Family:
        """Return poses of one variable with constant displacements z (n, 6) about a point (3,) of the platform."""
        turn = np.moveaxis(rotations(z[:, 3:]), 0, -1)
        return self._family(lambda x, part: self._displaced(x, part, z.T[:3, part], turn[:, :, part], point))

    def near(
        self, half: Array, point: Array, groups: tuple[Ints, ...], support: Callable[[Array, Ints], Array] | None
    ) -> Family:
        """Return poses with displacements in sets of half widths (n, 6), of seven variables: x, then those of z in
        units of the half widths; by models of first order, since tubes are narrow."""

        def pose_at(y: Quantity, part: slice) -> Pose:
            z = [y[1 + k] * half[part, k] for k in range(6)]
            return self._displaced(y, part, np.stack(z[:3]), rotation(z[3:], np.eye(3)), point)

        return self._family(pose_at, 6)._replace(groups=groups, support=support, is_linear=True)

    def _family(self, pose_at: Callable[[Quantity, slice], Pose], more: int = 0) -> Family:
        shape = (1 + more, len(self.h))
        return Family(np.zeros(shape), np.ones(shape), (), pose_at)

    def _at(self, x: Model, part: slice) -> tuple[Model, Model]:
        """Position and orientation."""
        p, R, p_slope, R_slope, p_rest, R_rest = (each[..., part] for each in self[:6])
        return (x[0] * p_slope + p).widened(p_rest), (x[0] * R_slope + R).widened(R_rest)

    def _displaced(self, x: Model, part: slice, shift: Quantity, turn: Quantity, point: Array) -> Pose:
        p, R = self._at(x, part)
        place = p + (R * point[:, None]).sum(1)
        return Pose(product(turn, R), place + shift, point, EXACT)


def _slope_and_rest(slope: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Slopes (..., n) and rests (n,) by bounds of the first or of the second order, whichever is smaller."""
    is_linear = second <= first
    return np.where(is_linear, slope, 0.0), np.where(is_linear, second, first)
