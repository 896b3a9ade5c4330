"""Transitions between assembly modes: a path of poses from one to another, and its singularities."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array, Bools
from gough.assembly.real_poses import leg_gradients, mode_dexterity
from gough.checks.arguments import checks_arguments
from gough.displacements import rotations
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.margins import is_allowed
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.present.units import percent
from gough.quantity import derived, of_joints, quantity, result, transform
from gough.results import Result

SAMPLES = 241
"""Poses along a path."""
TRIES = 120
"""Number of paths over a random pose, tried if the straight one is not the best possible."""
ASIDE, TURNED = 0.5, 1.2
"""Range of that pose about the middle of the straight path: machine sizes, rad."""


@result
class ModeTransition(Result):
    """A path of poses between two assembly modes."""

    s: Array = quantity("1", "place", doc="Place along the path, 0 to 1.")
    matrix: Array = transform("place", doc="Poses of the platform along the path.")
    q: Array = quantity(of_joints(), "place", "leg", doc="Joint coordinates on the path.")
    is_allowed: Bools = quantity("", "place", doc="Whether the machine allows each pose.")
    crossings: Array = quantity("1", "crossing", doc="Places where the determinant changes sign: singularities.")
    crossing_poses: Array = transform("crossing", doc="Poses of the platform at the crossings.")
    conditioning: Array = quantity("1", "place", doc="Smallest over largest singular value, as of `AssemblyModes`.")
    machine: Machine

    @property
    @derived("", is_listed=False)
    def is_free(self) -> bool:
        """Whether the path meets no singularity."""
        return len(self.crossings) == 0

    def sentence(self) -> str:
        """Describe the path in words."""
        met = "no singularity" if self.is_free else f"{len(self.crossings)} singularities"
        met = "one singularity" if len(self.crossings) == 1 else met
        if not self.is_free:
            met += f" (at {', '.join(percent(round(float(s), 2)) for s in self.crossings)} of the path)"
        outside = float((~self.is_allowed).mean())
        where = f"outside limits on {percent(round(outside, 2))} of it" if outside else "inside all limits"
        return f"a path that meets {met}, {where}"


@checks_arguments
def mode_transition(
    machine: Machine, start: PoseLike, end: PoseLike, *, tries: int = TRIES, seed: int = 0
) -> ModeTransition | None:
    """Find a path of poses from one assembly mode to another with the fewest singularities.

    The straight path (the platform's centre on a line, the shortest rotation) is tried first, then paths over random
    poses near its middle. The best path meets the fewest singularities, det J_qV = 0 (Gosselin and Angeles 1990; zero
    is possible only between modes with the same sign of the determinant, at least one otherwise), then has the smallest
    part outside limits. Each path is sampled at `SAMPLES` poses; sign changes of the determinant between two of them
    are located by root finding.

    Parameters
    ----------
    machine : Machine
    start, end : PoseLike
        Poses, of the same joint coordinates or not.
    tries : int
        Number of paths besides the straight one.
    seed : int
        Seed of their random choice.

    Returns
    -------
    ModeTransition or None
        None where the legs do not close at an end, or along any of the paths tried.

    Raises
    ------
    PoseError, ShapeError
        An end that is not a pose.

    """
    X = np.stack([checked_matrices(start), checked_matrices(end)])
    if not np.isfinite(inverse_kinematics(machine, X)).all():
        return None
    rng = np.random.default_rng(seed)
    best, least = None, (np.inf, np.inf)
    fewest = 0 if _side(machine, X[0]) == _side(machine, X[1]) else 1
    for attempt in range(tries + 1):
        via = X if attempt == 0 else _over(machine, X, rng)
        s = np.linspace(0.0, 1.0, SAMPLES)
        poses = _along(machine, via, s)
        q = inverse_kinematics(machine, poses)
        if not np.isfinite(q).all():  # a leg cannot close somewhere on the path
            continue
        signs = _sides(machine, q, poses)
        outside = float((~is_allowed(machine, poses)).mean())
        cost = (int((signs[1:] != signs[:-1]).sum()), outside)
        if cost < least:
            best, least = (via, s, poses, q), cost
        # With the fewest crossings, a quarter of the tries goes into staying within limits.
        if least[0] == fewest and (least[1] == 0.0 or attempt > tries // 4):
            break
    return None if best is None else _transition(machine, *best)


def _transition(machine: Machine, via: Array, s: Array, poses: Array, q: Array) -> ModeTransition:
    signs = _sides(machine, q, poses)
    changes = np.flatnonzero(signs[1:] != signs[:-1])
    crossings = _crossings(machine, via, s[changes], s[changes + 1])
    return ModeTransition(
        s=s,
        matrix=poses,
        q=q,
        is_allowed=is_allowed(machine, poses),
        crossings=crossings,
        crossing_poses=_along(machine, via, crossings) if len(crossings) else np.empty((0, 4, 4)),
        conditioning=mode_dexterity(machine, q, poses),
        machine=machine,
    )


def _determinant(machine: Machine, q: Array, X: Array) -> Array:
    return np.asarray(np.linalg.det(leg_gradients(machine, q, X)))


def _sides(machine: Machine, q: Array, X: Array) -> Array:
    """Signs (n,) of the determinant along a path; a pose where it is zero gets the sign of the one before."""
    signs = np.sign(_determinant(machine, q, X))
    return signs[np.maximum.accumulate(np.where(signs != 0.0, np.arange(len(signs)), 0))]


def _side(machine: Machine, X: Array) -> float:
    return float(np.sign(_determinant(machine, inverse_kinematics(machine, X[None]), X[None])[0]))


def _crossings(machine: Machine, via: Array, low: Array, high: Array) -> Array:
    """Where (n,) the determinant changes its sign between places low and high (n,) along the path."""
    from scipy.optimize.elementwise import find_root

    def determinant(s: Array) -> Array:
        poses = _along(machine, via, s)
        return _determinant(machine, inverse_kinematics(machine, poses), poses)

    return np.asarray(find_root(determinant, (low, high)).x) if len(low) else np.empty(0)


def _over(machine: Machine, X: Array, rng: np.random.Generator) -> Array:
    """Corners (3, 4, 4) of a path from X[0] to X[1] over a random pose near the middle of the straight path."""
    middle = _along(machine, X, np.array([0.5]))[0]
    # A displacement about the platform's centre, in the platform's frame.
    aside = np.eye(4)
    aside[:3, :3] = rotations(TURNED * rng.uniform(-1, 1, 3))
    c = machine.platform_centre
    aside[:3, 3] = c - aside[:3, :3] @ c + ASIDE * machine.size * rng.uniform(-1, 1, 3)
    return np.stack([X[0], middle @ aside, X[1]])


def _along(machine: Machine, via: Array, s: Array) -> Array:
    """Poses (n, 4, 4) at places s (n,) of the path over corners (k, 4, 4): centre on lines, shortest rotations."""
    from scipy.spatial.transform import Rotation, Slerp

    at = np.linspace(0.0, 1.0, len(via))
    c = machine.platform_centre
    centres = via[:, :3, :3] @ c + via[:, :3, 3]
    X = np.zeros((len(s), 4, 4))
    X[:, :3, :3] = Slerp(at, Rotation.from_matrix(via[:, :3, :3]))(s).as_matrix()
    X[:, :3, 3] = np.stack([np.interp(s, at, centres[:, k]) for k in range(3)], axis=1) - X[:, :3, :3] @ c
    X[:, 3, 3] = 1.0
    return X
