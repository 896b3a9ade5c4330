"""Smooth paths through poses: cubic splines of the position and, on the group, of the rotation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.dynamics.motions import spline_states
from gough.errors import InputError, ShapeError
from gough.motion.paths.path import Path, States, piece_of
from gough.motion.paths.segment_path import turn_between
from gough.poses import PoseLike, checked_matrices
from gough.regions.ball_bounds import Rates

CLOSEST = 1e-12
"""Least part of all parameters between two poses: nearer ones have rates that no number holds."""
WRAP = 30
"""Poses by which a closed path is continued at both ends: what the ends do to a cubic spline falls by 0.27 with each
(de Boor 1978), 1e-17 after thirty."""


class Spline(Path):
    """Through poses, with continuous first and second derivative.

    The position is a cubic spline, the rotation from one pose to the next exp([phi]) with phi a cubic polynomial, such
    that angular velocity and acceleration are continuous (SciPy's `RotationSpline`).

    Parameters
    ----------
    poses : PoseLike, (n, 4, 4)
        At least two; with `closed`, at least three, and the last must be the first.
    at : (n,) array, optional
        Their parameters, increasing (times, for example); without them the distance between two poses counts, in
        metres, or the turn in radians where that is the larger number.
    closed : bool
        Whether the path goes on smoothly from its end to its begin.

    Raises
    ------
    InputError
        Parameters that do not increase, two equal poses one after the other, a closed path that is not.

    """

    @checks_arguments
    def __init__(self, poses: PoseLike, at: ArrayLike | None = None, *, closed: bool = False) -> None:
        from scipy.interpolate import CubicSpline
        from scipy.spatial.transform import Rotation, RotationSpline

        X = checked_matrices(poses)
        if X.ndim != 3 or len(X) < 2 + closed:
            raise ShapeError.expected("poses", f"(n, 4, 4), at least {2 + closed}", X.shape)
        s = _parameters(X) if at is None else np.asarray(at, dtype=float)
        _check(s, X)
        self.knots, self.breaks = s, np.empty(0)
        if closed:
            if np.abs(X[-1] - X[0]).max() > 1e-9:
                raise InputError("poses: a closed path must end at its first pose")
            s, X = _continued(s, X)
        self._position: CubicSpline = CubicSpline(s, X[:, :3, 3])
        self._rotation: RotationSpline = RotationSpline(s, Rotation.from_matrix(X[:, :3, :3]))

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        return spline_states(self._position, self._rotation, s)

    def rates(self, low: Array, high: Array) -> Rates:
        """See `Path.rates`.

        A polynomial stays in the hull of its Bernstein coefficients. The rate of exp([phi]) is no greater than that of
        phi; its acceleration no greater than |phi''| + |phi'|^2 / 2 (docs/motion.md).
        """
        bounds = []
        for spline in (self._position, self._rotation.interpolator):
            piece = piece_of(spline.x, (low + high) / 2, False)
            x, h = (low - spline.x[piece])[:, None], (high - low)[:, None]
            c3, c2, c1 = (spline.c[k, piece] for k in range(3))
            first, second = c1 + 2 * c2 * x + 3 * c3 * x**2, 2 * c2 + 6 * c3 * x
            hull = (first, first + second * h / 2, first + second * h + 3 * c3 * h**2)
            bounds.append(np.max([np.linalg.norm(point, axis=1) for point in hull], axis=0))
            bounds.append(np.max([np.linalg.norm(point, axis=1) for point in (second, second + 6 * c3 * h)], axis=0))
        v, a, w, phi2 = bounds
        return Rates(v, w, a, phi2 + w**2 / 2)


def _parameters(X: Array) -> Array:
    distance = np.linalg.norm(np.diff(X[:, :3, 3], axis=0), axis=1)
    turn = np.linalg.norm(turn_between(X[:-1, :3, :3], X[1:, :3, :3]), axis=1)
    return np.concatenate([[0.0], np.cumsum(np.maximum(distance, turn))])


def _check(s: Array, X: Array) -> None:
    of_shape("at", s, f"({len(X)},), one for each pose")
    if not (np.isfinite(s).all() and np.isfinite(X).all()):
        raise InputError("poses or their parameters: a number is not finite")
    back = np.flatnonzero(~(np.diff(s) > CLOSEST * max(s[-1] - s[0], 1e-200)))
    if len(back):
        k = int(back[0])
        raise InputError(
            f"poses {k + 1} and {k + 2}: their parameters {s[k]:g} and {s[k + 1]:g} must increase by {CLOSEST:g} of all"
        )


def _continued(s: Array, X: Array) -> tuple[Array, Array]:
    """Round and round, at least `WRAP` poses before and after."""
    rounds = -(-WRAP // (len(s) - 1))
    span = s[-1] - s[0]
    parts = [s[:-1] + k * span for k in range(-rounds, rounds + 1)]
    poses = np.concatenate([np.tile(X[:-1], (2 * rounds + 1, 1, 1)), X[:1]])
    return np.concatenate([*parts, [s[-1] + rounds * span]]), poses
