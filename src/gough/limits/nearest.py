"""The allowed pose nearest to a refused one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced, displacement
from gough.errors import InputError, PoseError
from gough.kinematics.inverse import postures
from gough.limits.climb import last_inside, quadratic_step
from gough.limits.margins import is_allowed, is_inside, margins
from gough.limits.ties import TIE, in_words
from gough.poses import PoseLike, one_pose
from gough.present.units import file_unit, rounded, with_unit
from gough.quantity import quantity, result, transform
from gough.results import Result
from gough.stacked import AnyMachine

ROUNDS = 60
"""Most rounds of the local search."""
SAMPLES, FINEST = 1000, 2.0
"""Poses that are tried for the first generation, and decades below the largest of their distances from the segment."""
HOME_REFUSED = 7.0
"""The same decades where home is not allowed, below the machine's size: digits of a home pose in a file."""
POPULATION, GENERATIONS = 100, 300
"""Size of a generation, and how many there are."""
FARTHEST = 100.0
"""Largest distance of a request from home, in machine sizes: farther ones are mistakes of units."""


@result
class NearestPose(Result):
    """An allowed pose near a wanted one.

    Attributes
    ----------
    active_limits : tuple of str
        Names of the limits active there; empty where the wanted pose is allowed.
    machine : Machine

    """

    matrix: Array = transform(
        has_platforms=True,
        doc="The nearest pose, which keeps every limit.",
    )
    distance: float = quantity("m", doc="sqrt(|translation|^2 + (length * angle)^2) from the wanted pose.")
    translation: Array = quantity(
        "m", "axis", frame="base", doc="Displacement of the point of interest from the wanted pose."
    )
    rotation: Array = quantity("rad", "axis", frame="base", doc="Rotation vector from the wanted pose.")
    active_limits: tuple[str, ...]
    length: float = quantity(
        "m", doc="Weight of rotation against translation: a rotation counts as this length times its angle."
    )
    machine: AnyMachine

    def sentence(self) -> str:
        """Describe the distance and the limits that are active there, in the unit of the machine's file."""
        far = f"{rounded(self.machine, self.distance, 'm')} {file_unit(self.machine, 'm')}"
        limited = f", limited by {in_words(self.active_limits)}" if self.active_limits else ""
        return f"{far} from the requested pose{limited}"


@checks_arguments
def nearest_pose(machine: AnyMachine, X: PoseLike, *, length: float | None = None) -> NearestPose:
    """Find the allowed pose nearest to a target pose.

    Minimises |translation of the point of interest|^2 + (length * rotation angle)^2 subject to every margin >= 0: by
    differential evolution (Storn and Price 1997) of poses about the segment from home, for there are many local minima
    where limits meet, then by sequential quadratic programming in a trust region (Nocedal and Wright 2006). Refused
    poses evolve by their smallest margin (Deb 2000), so that home need not be allowed. A nearer one may exist.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (4, 4)
        Wanted pose of the (end) platform.
    length : float, optional
        Weight of a radian [m]; default the machine's characteristic length.

    Returns
    -------
    NearestPose
        With its distance and the limits active there, every margin at least zero; the wanted pose itself where that is
        allowed.

    Raises
    ------
    InputError
        The wanted pose is farther from home than `FARTHEST` machine sizes; no allowed pose was found.

    """
    wanted = one_pose(X, machine.end_home, "pose")
    if np.isnan(wanted).any():
        raise PoseError("pose: the matrix has NaN entries")
    weight = machine.characteristic_length if length is None else float(length)
    if not weight > 0:
        raise InputError(f"length {weight:g} m: expected a weight above zero")
    posture = postures(machine, wanted)
    if is_allowed(machine, posture):
        return NearestPose(posture, 0.0, np.zeros(3), np.zeros(3), (), weight, machine)
    near = _Displacements(machine, wanted, weight)
    _check_distance(near)
    x = _minimise(near, _evolved(near, near.coordinates(_last_allowed(machine, wanted))))
    matrix = near.postures(x)
    g = margins(machine, matrix)
    active = tuple(np.array(g.names)[np.nan_to_num(g.relative, nan=1.0) < TIE].tolist())
    return NearestPose(matrix, float(np.linalg.norm(x)), x[:3], x[3:] / weight, active, weight, machine)


def nearest_words(machine: AnyMachine, X: Array) -> str:
    """Return the distance to the nearest allowed pose in words, "27.1 mm and 0.2 deg"; empty where none is found."""
    try:
        found = nearest_pose(machine, X)
    except InputError:
        return ""
    moved, turned = np.linalg.norm(found.translation), np.linalg.norm(found.rotation)
    parts = [(float(moved), "m", found.distance), (float(turned), "rad", found.distance / found.length)]
    return " and ".join(with_unit(machine, much, unit, 3) for much, unit, far in parts if much > 1e-3 * far)


class _Displacements(NamedTuple):
    """Poses by their displacement x (..., 6) [m] from the wanted one: the point of interest moves by x[..., :3] and the
    platform turns about it by x[..., 3:] / weight, so that the norm of x is the distance."""

    machine: AnyMachine
    wanted: Array
    weight: float

    def poses(self, x: Array) -> Array:
        """Poses (..., 4, 4) of the (end) platform."""
        return displaced(self.wanted, x / np.repeat([1.0, self.weight], 3), self.machine.point_of_interest)

    def postures(self, x: Array) -> Array:
        """Poses of all platforms."""
        return postures(self.machine, self.poses(x))

    def is_inside(self, x: Array) -> Bools:
        """Whether the postures are inside every limit or on it (...)."""
        return is_inside(self.machine, self.postures(x))

    def coordinates(self, pose: Array) -> Array:
        """Inverse of `poses`, the shortest displacement: with angles of at most half a turn."""
        return displacement(self.wanted, pose, self.machine.point_of_interest) * np.repeat([1.0, self.weight], 3)

    def reduced(self, x: Array) -> Array:
        """The shortest displacements to the poses of x (..., 6): angles less whole turns."""
        angle = np.linalg.norm(x[..., 3:], axis=-1, keepdims=True) / self.weight
        turns = 2 * np.pi * np.round(angle / (2 * np.pi))
        kept = 1.0 - np.divide(turns, angle, out=np.zeros_like(angle), where=angle > 0)
        return np.concatenate([x[..., :3], x[..., 3:] * kept], axis=-1)


def _check_distance(near: _Displacements) -> None:
    """Raise `InputError` where home is too far away."""
    machine = near.machine
    far = float(np.linalg.norm(near.coordinates(machine.end_home)[:3]))
    if not far <= FARTHEST * machine.size:
        away = f"{rounded(machine, far, 'm')} {file_unit(machine, 'm')}"
        size = f"{rounded(machine, machine.size, 'm')} {file_unit(machine, 'm')}"
        raise InputError(
            f"the pose is {away} from home, and the machine has a size of {size}: the nearest allowed pose is found "
            f"for poses within {FARTHEST:g} times that; check the unit of the position"
        )


def _last_allowed(machine: AnyMachine, wanted: Array) -> Array:
    """Last pose before the first refused one, of 65 on the straight path from home to the wanted pose; home where that
    is refused."""
    from_home = _Displacements(machine, machine.end_home, 1.0)
    x = np.linspace(0, 1, 65)[:, None] * from_home.coordinates(wanted)
    last = int(np.argmin(from_home.is_inside(x))) - 1
    return np.asarray(from_home.poses(x)[max(last, 0)])


def _evolved(near: _Displacements, start: Array) -> Array:
    """A short displacement from the wanted pose to an allowed one, by differential evolution from a start on."""
    from scipy.optimize import differential_evolution

    machine, rng = near.machine, np.random.default_rng(6)
    home, far = near.coordinates(machine.end_home), float(np.linalg.norm(start))
    largest = machine.size + near.weight  # moves and turns of more than that leave the workspaces of most machines
    widest, decades = max(float(np.linalg.norm(start - home)), 0.1 * min(far, 10.0 * largest)), FINEST
    if not near.is_inside(start):  # home is refused: how far allowed poses are is not known
        widest, decades = largest, HOME_REFUSED

    def height(x: Array) -> Array:
        """Distances (n,) of allowed poses beyond that of the start; larger numbers, by their margins, for others."""
        found, is_out = np.linalg.norm(near.reduced(x), axis=-1) - far, ~near.is_inside(x)
        broken = -np.nan_to_num(margins(machine, near.postures(x[is_out])).smallest, nan=-np.inf)
        found[is_out] = 1e3 * largest + np.maximum(broken, 0.0)
        return np.asarray(found)

    spread = widest * 10.0 ** rng.uniform(-decades, 0.0, (SAMPLES, 1))
    x = start + rng.random((SAMPLES, 1)) * (home - start) + spread * rng.normal(size=(SAMPLES, 6)) / np.sqrt(6.0)
    tried = np.concatenate([start[None], x])
    heights = height(tried)
    order = np.argsort(heights, kind="stable")
    # Allowed poses at all distances, where there are so many that they evolve; else those that are allowed most nearly.
    allowed = max(int(near.is_inside(tried).sum()), POPULATION)
    first = tried[order[np.unique(np.linspace(0, allowed - 1, POPULATION).astype(int))]]
    evolved = differential_evolution(
        lambda x: height(x.T),
        np.tile([-1.0, 1.0], (6, 1)) * 2.0 * np.abs(first).max(),
        init=first,
        maxiter=GENERATIONS,
        strategy="rand1bin",  # mutants of the best one end in the first local minimum
        mutation=(0.4, 0.9),
        recombination=0.9,  # nearly all coordinates at once: limits couple them
        tol=0.0,
        rng=rng,
        polish=False,
        updating="deferred",
        vectorized=True,
    )
    if not near.is_inside(evolved.x):
        broken = "; ".join(margins(machine, machine.X_home).sentences())
        home_words = f"; home itself is not allowed ({broken})" if broken else ""
        raise InputError(f"machine {machine.name!r}: no allowed pose was found{home_words}")
    return np.asarray(evolved.x)


def _minimise(near: _Displacements, start: Array) -> Array:
    """Shortest allowed displacement from the wanted pose, by quadratic programming in a trust region, from an allowed
    start.

    Every round begins and ends allowed: outside the limits a leg may not close, and its margins are then unknown.
    """
    best = near.reduced(start)
    trust = min(0.5 * float(np.linalg.norm(best)), near.machine.size + near.weight)
    for _ in range(ROUNDS):
        x = near.reduced(last_inside(near.is_inside, best, _step(near, best, trust)))
        x = last_inside(near.is_inside, x, np.zeros(6))  # then straight towards the wanted pose, while that is allowed
        # A trust region that brings little gain is too large for the linearised margins: shrink it.
        gain = np.linalg.norm(best) - np.linalg.norm(x)
        if gain > 0:
            best = x
        if gain < 1e-3 * trust:
            trust *= 0.1
        if trust < 1e-9 * near.machine.size:
            break
    return best


def _step(near: _Displacements, best: Array, trust: float) -> Array:
    """End of one quadratic program for a displacement shorter than `best`, at most `trust` from it per axis."""
    far = float(np.linalg.norm(best))

    # (|x|^2 - |best|^2) / (2 trust |best|), of size one however far the requested pose is.
    def model(x: Array) -> tuple[Array, Array]:
        gain = ((x - best) * (x + best)).sum(axis=-1) / (2 * trust * far)
        return gain, np.asarray(margins(near.machine, near.postures(x)).relative)

    return quadratic_step(model, best, trust, 1e-7 * near.machine.size)
