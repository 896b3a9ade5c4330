"""Interpolation in joint space between via points, and the platform's departure from straight lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, numbers, of_shape
from gough.dynamics.extremes import extremes
from gough.errors import InputError
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import joint_rates, platform_acceleration, platform_twist
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.lines import via
from gough.motion.path import Path, Rates, States, piece_of
from gough.poses import PoseLike, checked_matrices
from gough.quantity import quantity, result
from gough.regions.displacement_bounds import rod_turns, singular_growth
from gough.results import Result

LOOKS = 33
"""Samples of the curve between two via points."""
ROOM = 2.0
"""Factor over the platform's rate in the middle of an interval up to which the rate is bounded over the interval."""
UNKNOWN = 1e12
"""Finite number that stands for no bound."""


class JointSpacePath(Path):
    """Joint coordinates interpolated between via points (De Sapio 1998, "Path execution").

    Linear where no twists are given, so that the joints' rates jump at the via points; with the platform's twists there
    cubic in every joint, with the joint rates J V at the via points. The platform's pose between them is found by
    forward kinematics, starting from the straight line.

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
        # Coefficients of the polynomials, lowest power first: linear, or cubic Hermite interpolation.
        self._c = np.zeros((4, len(step), 6))
        self._c[0], self._c[1] = self.q[:-1], step / h
        if twists is not None:
            V = of_shape("twists", twists, f"({len(X)}, 6)")
            a, b = (rate * h for rate in (joint_rates(machine, X, V)[:-1], joint_rates(machine, X, V)[1:]))
            self._c[1], self._c[2], self._c[3] = a / h, (3 * step - 2 * a - b) / h**2, (a + b - 2 * step) / h**3

    @checks_arguments
    def joints(self, s: ArrayLike, *, before: bool = False) -> tuple[Array, Array, Array]:
        """Compute joint coordinates (..., 6) at parameters (...) and their first and second derivatives by s."""
        s = numbers("s", s)
        piece = piece_of(self.knots, s, before)
        x = (s - self.knots[piece])[..., None]
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
        """See `Path.rates`; bounds of the first derivatives only (`gough.motion.joint_space.path`), for short
        intervals."""
        s, length = (low + high) / 2, (high - low)[:, None]
        (_, first, second), (_, last, _) = self.joints(low), self.joints(high, before=True)
        # The joint rates are quadratic: they stay in the hull of their Bernstein coefficients.
        rate = np.max(np.abs([first, first + second * length / 2, last]), axis=0)
        X = self.states(s, False)[0]
        return platform_rates(self.machine, X, self.joints(s)[0], rate, (high - low) / 2)


def platform_rates(machine: Machine, X: Array, q: Array, rate: Array, h: Array) -> Rates:
    """Return bounds within h (n,) of parameters with poses X and joints q (n, 6), for joint rates up to `rate` (n, 6).

    With the rods' equation u . v = driven speed for every leg, the platform's rate B (its twist scaled by the
    characteristic length) is at most |driven speeds| / sigma, the smallest singular value of the rows [u, rho x u].
    """
    size, centre = machine.characteristic_length, machine.platform_centre
    needed = np.linalg.norm(driven_speed(machine, q) * rate, axis=1)
    # The last margin is that of the smallest singular value.
    sigma = np.abs(margins(machine, X).values[:, -1] + machine.limits.singular_value)
    with np.errstate(divide="ignore"):
        B = np.minimum(ROOM * needed / sigma, UNKNOWN)
    # Continuation: as long as the rate is at most B, sigma loses at most its growth over h B; if `left` of it is still
    # above sigma / ROOM, the rate is at most needed / left <= B, so that it cannot exceed B anywhere within h.
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
    """Return the speed of the rod's driven end per joint rate, |p'| + |L'| (n, 6): one, or the arm's radius for
    cranks."""
    legs = machine.legs
    if legs.rod() is None:
        return np.ones_like(q)
    arm = legs.driven_points(q) - legs.carriers(q)[..., :3, 3]
    twist = legs.carrier_twist()
    return np.asarray(np.linalg.norm(twist[:, :3] + np.cross(twist[:, 3:], arm), axis=-1))


@result
class Straightness(Result):
    """Departure of a point from the straight lines between via points, and of the rotation from a uniform one.

    Attributes
    ----------
    machine : Machine

    """

    s: Array = quantity("1", "place", doc="Sampled parameters.")
    departure: Array = quantity("m", "place", doc="Distance of the point from the line.")
    turn: Array = quantity("rad", "place", doc="Angle from the rotation of the straight motion there.")
    point: Array = quantity("m", "place", "axis", frame="base", doc="Position of the point in the base.")
    largest: Array = quantity(
        "m", "piece", is_headline=True, doc="Largest departure of each of the pieces between via points."
    )
    largest_turn: Array = quantity("rad", "piece", is_headline=True, doc="Largest turn of each of them.")
    at: Array = quantity("1", "piece", doc="Parameters of the largest departures.")
    vias: Array = quantity("1", "via", doc="Parameters of the via points.")
    machine: Machine


@checks_arguments
def straightness(
    machine: Machine, poses: PoseLike, *, twists: ArrayLike | None = None, point: ArrayLike | None = None
) -> Straightness:
    """Compute the deviation of interpolation in joint space from the straight lines between via points.

    De Sapio (1998) expects straight lines. The departure falls with the square of the distance between via points.

    Parameters
    ----------
    machine : Machine
    poses, twists
        As in `JointSpacePath`.
    point : (3,) array, optional
        The point considered, in the platform frame [m]; default: the tool's origin.

    Returns
    -------
    Straightness
        Departures along the path [m, rad], and the largest between each two via points.

    Raises
    ------
    InputError
        A leg cannot close at a via point.

    """
    path = JointSpacePath(machine, poses, twists)
    arm = given_point(point, machine.X_PT[:3, 3])
    low, high = path.knots[:-1], path.knots[1:]
    s = np.linspace(low, high, LOOKS, axis=1)
    departure, turn, points = _departures(path, arm, s)

    def squares(part: Array) -> dict[str, Array]:
        """Of departures and turns, which are smooth, of each piece at parts of it (n,), from 0 to 1."""
        found = _departures(path, arm, low[:, None] + (high - low)[:, None] * part)
        return {
            f"{kind} {k}": x[:, None] ** 2
            for kind, rows in zip("du", found[:2], strict=True)
            for k, x in enumerate(rows)
        }

    sizes = {"d": machine.size * float(departure.max()), "u": float(turn.max())}
    noise = {f"{kind} {k}": [(size, 0)] for kind, size in sizes.items() for k in range(len(low))}
    found = extremes(squares, np.array([0.0, 1.0]), noise=noise)
    of_lines, of_turns = ([found[f"{kind} {k}"] for k in range(len(low))] for kind in "du")
    return Straightness(
        s=s.ravel(),
        departure=departure.ravel(),
        turn=turn.ravel(),
        point=points.reshape(-1, 3),
        largest=np.sqrt([each.highest[0] for each in of_lines]),
        largest_turn=np.sqrt([each.highest[0] for each in of_turns]),
        at=low + (high - low) * [each.when_highest[0] for each in of_lines],
        vias=path.knots,
        machine=machine,
    )


def _departures(path: JointSpacePath, arm: Array, s: Array) -> tuple[Array, Array, Array]:
    """Distances and angles from the straight motion, and points, at parameters (k, n), a row for each piece."""
    from scipy.spatial.transform import Rotation

    X, vias, low = path(s)[0], path(path.knots)[0], path.knots[:-1, None]
    point, ends = (poses[..., :3, :3] @ arm + poses[..., :3, 3] for poses in (X, vias))
    chord, arm = np.diff(ends, axis=0)[:, None], point - ends[:-1, None]
    square = np.sum(chord**2, axis=-1)
    part = np.sum(arm * chord, axis=-1) / np.where(square > 0, square, 1.0)
    departure = np.linalg.norm(arm - part[..., None] * chord, axis=-1)
    length = np.diff(path.knots)[:, None]
    # Compared with the straight motion at the foot of the perpendicular, not at the same s: speeds may differ.
    even = np.where(square > 0, np.clip(part, 0, 1) * length, s - low)
    R = path.straight(np.minimum(low + even, path.knots[-1]))[0][..., :3, :3]
    apart = np.swapaxes(R, -1, -2) @ X[..., :3, :3]
    turn = Rotation.from_matrix(apart.reshape(-1, 3, 3)).magnitude().reshape(s.shape)
    return departure, turn, point
