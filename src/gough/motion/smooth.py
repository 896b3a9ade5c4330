"""Smooth paths: splines of position and rotation through poses; functions of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.displacements import rotation_vectors
from gough.dynamics.motions import spline_states
from gough.errors import InputError, ShapeError
from gough.motion.path import Path, Rates, States, piece_of
from gough.motion.segment_path import turn_between
from gough.poses import PoseLike, as_matrices, check_sequence, checked_matrices, pose_matrix

CLOSEST = 1e-12
"""Smallest step between two parameters, as part of the span: rates over smaller ones overflow."""
WRAP = 30
"""Poses by which a closed path is continued at both ends: the effect of end conditions on a cubic spline decays by 0.27
per pose (de Boor 1978), to 1e-17 after thirty."""
NODES = 7
"""Nodes of the finite differences."""
STEP = 4e-3
"""Spacing of the nodes, as part of the piece between two breaks: truncation and rounding errors are about equal, 1e-9
of the second derivative for functions that vary on a tenth of the piece."""


class Spline(Path):
    """Spline through poses, with continuous first and second derivatives.

    The position is a cubic spline, the rotation from one pose to the next exp([phi]) with phi a cubic polynomial, so
    that angular velocity and acceleration are continuous (SciPy's `RotationSpline`).

    Parameters
    ----------
    poses : PoseLike, (n, 4, 4)
        At least two; with `closed`, at least three, and the last must be the first.
    at : (n,) array, optional
        Their parameters, increasing (times, for example); without them steps are the distance between two poses in
        metres, or the rotation in radians where that is the larger number.
    closed : bool
        Whether the path is periodic: its derivatives are continuous from the end to the begin.

    Raises
    ------
    InputError
        Parameters that do not increase, two equal consecutive poses, a closed path whose ends differ.

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
            # Repeated beyond both ends, so that end conditions do not affect the path itself.
            s, X = _continued(s, X)
        self._position: CubicSpline = CubicSpline(s, X[:, :3, 3])
        self._rotation: RotationSpline = RotationSpline(s, Rotation.from_matrix(X[:, :3, :3]))

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        return spline_states(self._position, self._rotation, s)

    def rates(self, low: Array, high: Array) -> Rates:
        """See `Path.rates`.

        A polynomial stays in the convex hull of its Bernstein coefficients. The angular velocity of exp([phi]) is at
        most |phi'|; its acceleration at most |phi''| + |phi'|^2 / 2 (docs/motion.md).
        """
        bounds = []
        for spline in (self._position, self._rotation.interpolator):
            piece = piece_of(spline.x, (low + high) / 2, False)
            x, h = (low - spline.x[piece])[:, None], (high - low)[:, None]
            c3, c2, c1 = (spline.c[k, piece] for k in range(3))
            # Derivatives at `low`, then Bernstein coefficients of the quadratic first and the linear second derivative.
            first, second = c1 + 2 * c2 * x + 3 * c3 * x**2, 2 * c2 + 6 * c3 * x
            hull = (first, first + second * h / 2, first + second * h + 3 * c3 * h**2)
            bounds.append(np.max([np.linalg.norm(point, axis=1) for point in hull], axis=0))
            bounds.append(np.max([np.linalg.norm(point, axis=1) for point in (second, second + 6 * c3 * h)], axis=0))
        v, a, w, phi2 = bounds
        return Rates(v, w, a, phi2 + w**2 / 2)


def _parameters(X: Array) -> Array:
    distance = np.linalg.norm(np.diff(X[:, :3, 3], axis=0), axis=1)
    turn = np.linalg.norm(turn_between(X[:-1, :3, :3], X[1:, :3, :3]), axis=1)
    # The larger of metres and radians, as in `Segments.over`: both mean rates are then at most one.
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
    """A closed path repeated, with at least `WRAP` poses before and after."""
    rounds = -(-WRAP // (len(s) - 1))  # rounded up
    span = s[-1] - s[0]
    parts = [s[:-1] + k * span for k in range(-rounds, rounds + 1)]
    poses = np.concatenate([np.tile(X[:-1], (2 * rounds + 1, 1, 1)), X[:1]])
    return np.concatenate([*parts, [s[-1] + rounds * span]]), poses


class FunctionPath(Path):
    """Path defined by a function of a parameter.

    Parameters
    ----------
    function : callable
        Called with parameters (n,), gives poses (n, 4, 4), or `(X, V, A)` as a `Path` or a motion in time does. From
        poses alone derivatives are seven-point finite differences, with an error of 1e-9 of the second derivative for
        functions that vary on a tenth of the span.
    span : (float, float)
    breaks : sequence of float
        Parameters at which its first or second derivative jumps.
    rates : (v, w) or callable, optional
        Bounds of |v| and |w| everywhere, or a function of `low` and `high` (n,) that gives `Rates` over intervals.
        Without it `gough.motion.check_path` can only sample the path.

    """

    @checks_arguments
    def __init__(
        self,
        function: Callable[[Array], ArrayLike | States],
        span: tuple[float, float],
        *,
        breaks: Sequence[float] = (),
        rates: tuple[float, float] | Callable[[Array, Array], Rates] | None = None,
    ) -> None:
        self.function, self.known = function, rates
        self.breaks = np.unique(numbers("breaks", breaks))
        self.knots = np.concatenate([[span[0]], self.breaks, [span[1]]]).astype(float)
        if not (np.isfinite(self.knots).all() and (np.diff(self.knots) > 0).all()):
            raise InputError(
                f"span {span}, breaks {list(breaks)}: expected finite numbers, with the breaks inside the span"
            )

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        found = self.function(self._beside_breaks(s, before))
        if isinstance(found, tuple):
            X, V, A = (numbers("part", part) for part in found)
            if X.shape != (len(s), 4, 4) or V.shape != (len(s), 6) or A.shape != (len(s), 6):
                raise ShapeError.expected("function", f"({len(s)}, 4, 4) and twice ({len(s)}, 6)", X.shape)
            return checked_matrices(X), V, A
        return self._differentiated(s, before, of_shape("function", checked_matrices(found), f"({len(s)}, 4, 4)"))

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        if self.known is None:
            return None
        if callable(self.known):
            return self.known(low, high)
        v, w = (np.full(len(low), float(bound)) for bound in self.known)
        unknown = np.full(len(low), np.inf)
        return Rates(v, w, unknown, unknown)

    def _beside_breaks(self, s: Array, before: bool) -> Array:
        """Parameters with those at breaks shifted to the wanted side, by a rounding error of the span."""
        tiny = 1e-15 * (self.knots[-1] - self.knots[0]) + np.abs(s) * 4e-16
        side = -tiny if before else tiny
        return np.where(np.isin(s, self.breaks), s + side, s)

    def _differentiated(self, s: Array, before: bool, X: Array) -> States:
        """Poses X (n, 4, 4) at parameters (n,) with derivatives by finite differences within their pieces."""
        piece = np.searchsorted(self.breaks, s, side="left" if before else "right")
        low, high = self.knots[piece], self.knots[piece + 1]
        h = STEP * (high - low)
        half = NODES // 2
        # Nodes stay inside the piece: near its ends they are one-sided, x is their offset from s in steps.
        middle = np.clip(s, low + half * h, high - half * h)
        x = np.arange(-half, half + 1) - ((s - middle) / h)[:, None]
        places = s[:, None] + x * h[:, None]
        Y = of_shape("function", checked_matrices(self.function(places.ravel())), f"({places.size}, 4, 4)")
        Y = Y.reshape(len(s), NODES, 4, 4)
        # At s the rotation vector from X vanishes, so its derivatives are angular velocity and acceleration, body axes.
        turns = np.swapaxes(X[:, None, :3, :3], -1, -2) @ Y[..., :3, :3]
        six = np.concatenate([Y[..., :3, 3] - X[:, None, :3, 3], rotation_vectors(turns)], axis=-1)
        V, A = (np.einsum("nk,nkc->nc", _weights(x, k), six) / h[:, None] ** k for k in (1, 2))
        for rate in (V, A):
            rate[:, 3:] = (X[:, :3, :3] @ rate[:, 3:, None])[..., 0]
        return X, V, A


@checks_arguments
def coordinates(
    function: Callable[[Array], ArrayLike],
    sequence: str,
    span: tuple[float, float],
    *,
    degrees: bool = False,
    breaks: Sequence[float] = (),
    rates: tuple[float, float] | None = None,
) -> FunctionPath:
    """Build a path from six functions x, y, z, alpha, beta, gamma of a parameter (De Sapio 1998, "Path execution").

    Parameters
    ----------
    function : callable
        Called with parameters (n,), gives (n, 6): position [m] and three Euler angles.
    sequence : str
        Axes of the angles in SciPy's spelling, "XYZ" about the moving ones, "xyz" about the fixed ones.
    span, breaks, rates
        As in `FunctionPath`.
    degrees : bool
        Whether the angles are degrees; radians otherwise.

    Returns
    -------
    FunctionPath
        Path of poses (n, 4, 4); checks sample it, and prove nothing, where `rates` are not given.

    Raises
    ------
    InputError
        Not three axes of one case.
    ShapeError
        Later, when the path is evaluated: the function gives another shape than (n, 6).

    """
    check_sequence(sequence, "three")

    def poses(s: Array) -> Array:
        six = of_shape("function", function(s), f"({len(s)}, 6)")
        return as_matrices(pose_matrix(six[:, :3], six[:, 3:], sequence, degrees=degrees))

    return FunctionPath(poses, span, breaks=breaks, rates=rates)


def _weights(x: Array, derivative: int) -> Array:
    """Weights (n, k) of values at nodes x (n, k) for a derivative at 0 of the polynomial through them."""
    # Moment conditions: the weights are exact for x^0 to x^(k-1).
    power = np.arange(x.shape[1])
    wanted = np.where(power == derivative, float(factorial(derivative)), 0.0)
    system = x[:, None, :] ** power[None, :, None]
    return np.asarray(np.linalg.solve(system, np.broadcast_to(wanted[:, None], (len(x), len(power), 1)))[..., 0])
