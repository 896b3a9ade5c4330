"""Paths given as functions of a parameter, such as time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.displacements import rotation_vectors
from gough.errors import InputError, ShapeError
from gough.motion.paths.path import Path, States
from gough.poses import as_matrices, check_sequence, checked_matrices, pose_matrix
from gough.regions.ball_bounds import Rates

NODES = 7
"""Places at which a pose is looked at for its derivatives."""
STEP = 4e-3
"""Between them, as part of the piece between two breaks: truncation and rounding are about equal there, 1e-9 of the
second derivative for functions that bend over a tenth of the piece."""


class FunctionPath(Path):
    """Any function of a parameter.

    Parameters
    ----------
    function : callable
        Called with parameters (n,), gives poses (n, 4, 4), or `(X, V, A)` as a `Path` or a motion in time does. From
        poses alone the derivatives are taken by a polynomial through seven neighbours, 1e-9 of the second derivative
        for functions that bend over a tenth of the span.
    span : (float, float)
    breaks : sequence of float
        Where its first or second derivative jumps.
    rates : (v, w) or callable, optional
        What is known of its derivatives: bounds of |v| and |w| everywhere, or a function of `low` and `high` (n,)
        that gives `Rates` over intervals. Without it `gough.motion.check_path` can only sample the path.

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
            raise InputError(f"span {span}, breaks {list(breaks)}: expected finite numbers, the breaks inside")

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        found = self.function(self._seen(s, before))
        if isinstance(found, tuple):
            X, V, A = (numbers("part", part) for part in found)
            if X.shape != (len(s), 4, 4) or V.shape != (len(s), 6) or A.shape != (len(s), 6):
                raise ShapeError.expected("function", f"({len(s)}, 4, 4) and twice ({len(s)}, 6)", X.shape)
            return checked_matrices(X), V, A
        return self._differentiated(s, before, self._poses(found, len(s)))

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        if self.known is None:
            return None
        if callable(self.known):
            return self.known(low, high)
        v, w = (np.full(len(low), float(bound)) for bound in self.known)
        unknown = np.full(len(low), np.inf)
        return Rates(v, w, unknown, unknown)

    def _seen(self, s: Array, before: bool) -> Array:
        """Parameters at breaks moved to the wanted side, by a rounding error of the span."""
        tiny = 1e-15 * (self.knots[-1] - self.knots[0]) + np.abs(s) * 4e-16
        side = -tiny if before else tiny
        return np.where(np.isin(s, self.breaks), s + side, s)

    @staticmethod
    def _poses(found: ArrayLike, count: int) -> Array:
        return of_shape("function", checked_matrices(found), f"({count}, 4, 4)")

    def _differentiated(self, s: Array, before: bool, X: Array) -> States:
        piece = np.searchsorted(self.breaks, s, side="left" if before else "right")
        low, high = self.knots[piece], self.knots[piece + 1]
        h = STEP * (high - low)
        half = NODES // 2
        middle = np.clip(s, low + half * h, high - half * h)
        x = np.arange(-half, half + 1) - ((s - middle) / h)[:, None]
        places = s[:, None] + x * h[:, None]
        Y = self._poses(self.function(places.ravel()), places.size).reshape(len(s), NODES, 4, 4)
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
    """Six functions x, y, z, alpha, beta, gamma of a parameter (De Sapio 1998, "Path execution").

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
        Of poses (n, 4, 4); sampled, not proven, where `rates` are not given.

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
    power = np.arange(x.shape[1])
    wanted = np.where(power == derivative, float(factorial(derivative)), 0.0)
    system = x[:, None, :] ** power[None, :, None]
    return np.asarray(np.linalg.solve(system, np.broadcast_to(wanted[:, None], (len(x), len(power), 1)))[..., 0])
