"""The allowed pose nearest to a refused one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced, displacement
from gough.errors import InputError, NotConvergedError, PoseError
from gough.limits.interval_search import postures
from gough.limits.margins import is_allowed, margins
from gough.limits.ties import TIE, in_words
from gough.poses import PoseLike, one_pose
from gough.results import Quantities, Result
from gough.stacked import AnyMachine

ROUNDS = 60
"""Of one search."""
SEARCHES = 200
"""At most, each 2 % nearer at least: the last would be within a 50th of the first's distance."""
DIRECTIONS = 2000
"""Tried for a pose 2 % nearer before the search ends."""


@dataclass(frozen=True, eq=False)
class NearestPose(Result):
    """An allowed pose near a wanted one.

    Attributes
    ----------
    matrix : (4, 4) array
        The pose, of two stages those of both platforms (2, 4, 4); every margin is kept.
    distance : float
        sqrt(|translation|^2 + (length * angle)^2) from the wanted pose [m].
    translation : (3,) array
        Displacement of the point of interest from the wanted pose, in the base frame [m].
    rotation : (3,) array
        Rotation vector from the wanted pose, in the base frame [rad].
    active_limits : tuple of str
        Names of the limits active there; empty where the wanted pose is allowed.
    length : float
        Weight of rotation against translation [m per rad].

    """

    @property
    def quantities(self) -> Quantities:
        """The arrays' SI units and dimensions."""
        return {
            "distance": "m",
            "matrix": ("1, m", *("stage", "row", "column")[-self.matrix.ndim :]),
            "translation": ("m", "axis"),
            "rotation": ("rad", "axis"),
            "length": "m",
        }

    matrix: Array
    distance: float
    translation: Array
    rotation: Array
    active_limits: tuple[str, ...]
    length: float

    def __str__(self) -> str:
        return f"{self.distance:.6g} m from the requested pose, held by {in_words(self.active_limits) or 'no limit'}"


@checks_arguments
def nearest_pose(machine: AnyMachine, X: PoseLike, *, length: float | None = None) -> NearestPose:
    """The allowed pose nearest to a wanted one.

    Minimises |translation of the point of interest|^2 + (length * rotation angle)^2 subject to every margin >= 0, by
    sequential quadratic programming in a trust region, from the last allowed pose on the segment from home. It starts
    again from any pose 2 % nearer that is allowed in 2000 directions; a nearer one hidden from those may exist.

    Parameters
    ----------
    machine : Machine
        Of two stages the end platform is moved, at every pose with the posture that the machine's `share` gives.
    X : PoseLike, (4, 4)
        Wanted pose of the (end) platform.
    length : float, optional
        Weight of a radian [m]; default the machine's characteristic length.

    Returns
    -------
    NearestPose
        With its distance and the limits active there; the wanted pose itself where that is allowed.

    Raises
    ------
    InputError
        Home itself is refused, so that there is no start.
    NotConvergedError
        The search ended without an allowed pose that no small step betters.

    """
    wanted = one_pose(X, machine.end_home, "pose")
    if np.isnan(wanted).any():
        raise PoseError("pose: the matrix holds NaN; no pose is near to an unknown one")
    weight = machine.characteristic_length if length is None else float(length)
    if not weight > 0:
        raise InputError(f"length {weight:g} m: expected a weight above zero")
    posture = postures(machine, wanted)
    if is_allowed(machine, posture):
        return NearestPose(posture, 0.0, np.zeros(3), np.zeros(3), (), weight)
    start = _last_allowed(machine, wanted)
    x = _without_a_nearer(machine, wanted, weight, _coordinates(machine, wanted, start, weight))
    matrix = _postures(machine, wanted, weight, x)
    g = margins(machine, matrix)
    held = tuple(np.array(g.names)[np.nan_to_num(g.relative, nan=1.0) < TIE].tolist())
    return NearestPose(matrix, float(np.linalg.norm(x)), x[:3], x[3:] / weight, held, weight)


def _without_a_nearer(machine: AnyMachine, wanted: Array, weight: float, start: Array) -> Array:
    """The displacement found when no pose looked at is nearer."""
    x = start
    for _ in range(SEARCHES):
        best = _minimise(machine, wanted, weight, x)
        nearer = _nearer(machine, wanted, weight, float(np.linalg.norm(best)))
        if nearer is None:
            return best
        x = nearer
    raise NotConvergedError(
        f"no nearest allowed pose found: after {SEARCHES} searches there are still nearer ones",
        float(np.linalg.norm(best)),
    )


def _pose(machine: AnyMachine, wanted: Array, weight: float, x: Array) -> Array:
    """Poses displaced from the wanted one: the point of interest by x[..., :3], turned by x[..., 3:] / weight about
    it."""
    return displaced(wanted, x / np.repeat([1.0, weight], 3), machine.point_of_interest)


def _postures(machine: AnyMachine, wanted: Array, weight: float, x: Array) -> Array:
    """The same of all platforms."""
    return postures(machine, _pose(machine, wanted, weight, x))


def _coordinates(machine: AnyMachine, wanted: Array, pose: Array, weight: float) -> Array:
    """Inverse of `_pose`."""
    return displacement(wanted, pose, machine.point_of_interest) * np.repeat([1.0, weight], 3)


def _last_allowed(machine: AnyMachine, wanted: Array) -> Array:
    """Last allowed pose on the straight path from home to the wanted one."""
    home = machine.end_home
    if not is_allowed(machine, machine.X_home):
        raise InputError(f"machine {machine.name!r}: home itself is refused ({margins(machine, home).sentence()})")
    back = _coordinates(machine, home, wanted, 1.0)
    segment = _pose(machine, home, 1.0, np.linspace(0, 1, 65)[:, None] * back)
    allowed = is_allowed(machine, postures(machine, segment))
    last = int(np.argmin(allowed)) - 1
    return np.asarray(segment[max(last, 0)])


def _minimise(machine: AnyMachine, wanted: Array, weight: float, start: Array) -> Array:
    """Displacement of least length from the wanted pose, by quadratic programming within a trust region.

    Every round begins and ends allowed: outside the limits a leg may not close, and its margins say nothing there.
    """
    from scipy.optimize import minimize

    def relative(points: Array) -> Array:
        poses = _postures(machine, wanted, weight, np.atleast_2d(points))
        return np.nan_to_num(margins(machine, poses).relative, nan=-1.0)

    def is_inside(x: Array) -> bool:
        return bool(is_allowed(machine, _postures(machine, wanted, weight, x)))

    def slopes(x: Array) -> Array:
        step = 1e-7 * machine.size
        return ((relative(x + step * np.eye(6)) - relative(x - step * np.eye(6))) / (2 * step)).T

    best, trust = start, 0.5 * float(np.linalg.norm(start))
    for _ in range(ROUNDS):
        found = minimize(
            lambda z, b=best, r=trust: float(np.sum((b + r * z) ** 2)) / r**2,
            np.zeros(6),
            jac=lambda z, b=best, r=trust: 2 * (b + r * z) / r,
            bounds=[(-1.0, 1.0)] * 6,
            constraints={
                "type": "ineq",
                "fun": lambda z, b=best, r=trust: relative(b + r * z)[0],
                "jac": lambda z, b=best, r=trust: slopes(b + r * z) * r,
            },
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 60},
        )
        x = last_inside(is_inside, best, best + trust * np.asarray(found.x))
        x = last_inside(is_inside, x, np.zeros(6))  # and on towards the wanted pose, as far as it goes
        gain = np.linalg.norm(best) - np.linalg.norm(x)
        if gain > 0:
            best = x
        if gain < 1e-3 * trust:
            trust *= 0.1
        if trust < 1e-9 * machine.size:
            return best
    raise NotConvergedError("no nearest allowed pose found: the search did not converge", float(np.linalg.norm(best)))


def _nearer(machine: AnyMachine, wanted: Array, weight: float, distance: float) -> Array | None:
    """An allowed displacement a little shorter than `distance`, among many directions; None if there is none."""
    directions = np.random.default_rng(6).normal(size=(DIRECTIONS, 6))
    x = 0.98 * distance * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    allowed = np.flatnonzero(is_allowed(machine, _postures(machine, wanted, weight, x)))
    return x[allowed[0]] if len(allowed) else None


def last_inside(is_inside: Callable[[Array], bool], inside: Array, x: Array) -> Array:
    """The last allowed point towards x on the straight line from an allowed one, to rounding: some ends are just
    outside, by what a search for zero margins leaves."""
    if is_inside(x):
        return x
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if is_inside(inside + middle * (x - inside)):
            low = middle
        else:
            high = middle
    return np.asarray(inside + low * (x - inside))
