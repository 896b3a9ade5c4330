"""Interpolation in strut space: joint coordinates between via points, and where the platform really goes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError, ShapeError
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import joint_rates, platform_acceleration, platform_twist
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.paths.lines import via
from gough.motion.paths.path import Path, Rates, States, piece_of
from gough.poses import PoseLike, checked_matrices
from gough.regions.ball_bounds import rod_turns, singular_growth

Array = NDArray[np.float64]


class JointSpacePath(Path):
    """Joint coordinates interpolated between via points (De Sapio 1998, "Path execution").

    Linear where no twists are given, the joints' rates then jump at the via points; with the platform's twists there,
    cubic in every joint, with the joint rates J V at the via points. The platform's pose between them is found by
    forward kinematics, continued from the straight line.

    Parameters
    ----------
    machine : Machine
    poses : PoseLike, (n, 4, 4)
        Via points of the platform in the base.
    twists : (n, 6) array, optional
        [v, w] of the platform at each, per s.

    Attributes
    ----------
    straight : SegmentPath
        The straight lines between the via points, with the same parameter.
    q : (n, 6) array
        Joint coordinates at the via points [m or rad].

    """

    @checks_arguments
    def __init__(self, machine: Machine, poses: PoseLike, twists: ArrayLike | None = None) -> None:
        self.machine, X = machine, checked_matrices(poses)
        self.straight = via(X)
        self.knots = self.straight.joints
        self.breaks = self.knots[1:-1]
        self.q = inverse_kinematics(machine, X)
        closed = np.isfinite(self.q).all(axis=1)
        if not closed.all():
            k = int(np.argmin(closed))
            raise InputError(f"poses: via point {k + 1}: {margins(machine, X[k]).sentences()[0]}")
        h, step = np.diff(self.knots)[:, None], np.diff(self.q, axis=0)
        self._c = np.zeros((4, len(step), 6))
        self._c[0], self._c[1] = self.q[:-1], step / h
        if twists is not None:
            V = numbers("twists", twists)
            if V.shape != (len(X), 6):
                raise ShapeError.expected("twists", f"({len(X)}, 6)", V.shape)
            a, b = (rate * h for rate in (joint_rates(machine, X, V)[:-1], joint_rates(machine, X, V)[1:]))
            self._c[1], self._c[2], self._c[3] = a / h, (3 * step - 2 * a - b) / h**2, (a + b - 2 * step) / h**3

    @checks_arguments
    def joints(self, s: ArrayLike, *, before: bool = False) -> tuple[Array, Array, Array]:
        """Joint coordinates (n, 6) at parameters (n,) and their first and second derivatives by s."""
        s = numbers("s", s)
        piece = piece_of(self.knots, s, before)
        x = (s - self.knots[piece])[:, None]
        c0, c1, c2, c3 = self._c[:, piece]
        return c0 + x * (c1 + x * (c2 + x * c3)), c1 + x * (2 * c2 + 3 * x * c3), 2 * c2 + 6 * x * c3

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`; `InputError` where no pose near the straight line has these joint coordinates."""
        q, qd, qdd = self.joints(s, before=before)
        found = forward_kinematics(self.machine, q, near=self.straight.states(s, before)[0], throw=False)
        X = found.matrix
        if not np.all(found.converged):
            k = int(np.argmin(found.converged))
            raise InputError(f"s = {s[k]:g}: no pose near the straight line has the interpolated joint coordinates")
        V = platform_twist(self.machine, X, qd)
        return X, V, platform_acceleration(self.machine, X, V, qdd)

    def rates(self, low: Array, high: Array) -> Rates:
        """See `Path.rates`; of the first derivatives (`gough.motion.joint_space.path`), for intervals short enough."""
        s, length = (low + high) / 2, (high - low)[:, None]
        (_, first, second), (_, last, _) = self.joints(low), self.joints(high, before=True)
        # A quadratic stays in the hull of its Bernstein coefficients.
        rate = np.max(np.abs([first, first + second * length / 2, last]), axis=0)
        X = self.states(s, False)[0]
        return platform_rates(self.machine, X, self.joints(s)[0], rate, (high - low) / 2)


ROOM = 2.0
"""How much faster than in the middle of an interval the platform may go before the interval is called too long."""
UNKNOWN = 1e12
"""Stands for no bound."""


def platform_rates(machine: Machine, X: Array, q: Array, rate: Array, h: Array) -> Rates:
    """Bounds within h (n,) of places where the poses are X and the joints q (n, 6), with joint rates up to `rate`."""
    size, centre = machine.characteristic_length, machine.platform_centre
    needed = np.linalg.norm(driven_speed(machine, q) * rate, axis=1)
    sigma = np.abs(margins(machine, X).values[:, -1] + machine.limits.singular_value)
    with np.errstate(divide="ignore"):
        B = np.minimum(ROOM * needed / sigma, UNKNOWN)
    arms = np.linalg.norm(machine.b_P - centre, axis=1)
    balls = (h * B)[:, None] * np.hypot(1.0, arms / size)
    b_B = X[:, None, :3, 3] + machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2)
    chord, _ = rod_turns(machine.legs.enclosure(b_B, balls))
    left = sigma - singular_growth(machine, chord, np.minimum(h * B / size, np.pi))
    is_proven = left * ROOM >= sigma
    B = np.where(is_proven, needed / np.where(is_proven, left, 1.0), UNKNOWN)
    unknown = np.full(len(B), UNKNOWN)
    return Rates(B * np.hypot(1.0, np.linalg.norm(centre) / size), B / size, unknown, unknown)


def driven_speed(machine: Machine, q: Array) -> Array:
    """|p'| + |L'| (n, 6): one for struts and sliders, the arm's radius for cranks."""
    legs = machine.legs
    if legs.rod() is None:
        return np.ones_like(q)
    arm = legs.driven_points(q) - legs.carriers(q)[..., :3, 3]
    twist = legs.carrier_twist()
    return np.asarray(np.linalg.norm(twist[:, :3] + np.cross(twist[:, 3:], arm), axis=-1))
