"""A stage at a pose, as a value: moves return the next one, which keeps the limits and has the reason why it stopped.

Besides, the six coordinates of a pose, as a controller of hexapods defines them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

import gough
from gough.arrays import Array
from gough.displacements import displacement
from gough.limits.margins import Margins, is_inside
from gough.limits.ties import in_words
from gough.machine import Machine
from gough.present.show import Show

HOME, BASE = "home", "base"
BISECTIONS = 30
"""Bisections of the leg displacement, for the point at which a limit stops the legs."""


@dataclass(frozen=True, eq=False)
class Refusal:
    """The reason why the platform is not at the requested pose.

    Attributes
    ----------
    wanted : (4, 4) array or None
        The requested pose; None where joint values fit no pose.
    reasons : tuple of str
        Limits that it breaks, the worst first.
    stop : str
        Distance that the platform moved, and the limit that stopped it.

    """

    wanted: Array | None
    reasons: tuple[str, ...]
    stop: str


@dataclass(frozen=True, eq=False)
class Stage:
    """A stage of the machine at one pose.

    Attributes
    ----------
    machine : Machine
        With its tool head at the current joint coordinates.
    X : (4, 4) array
        The shown pose.
    q : (6,) array
        Its joint coordinates [m or rad], NaN where a leg cannot close.
    margins : Margins
        Margins of that pose.
    refusal : Refusal or None
        Set where that is not the requested pose.
    keeps_limits : bool
        Whether it stops at limits; otherwise it moves to any pose at which the legs close.
    inside : (4, 4) array or None
        The last requested pose that was allowed. Refused poses are approached from there, so that the shown pose slides
        along the limit while the requested one is dragged beyond it.

    """

    machine: Machine
    X: Array
    q: Array
    margins: Margins
    refusal: Refusal | None = None
    keeps_limits: bool = True
    inside: Array | None = None

    @classmethod
    def at_home(cls, machine: Machine, *, keeps_limits: bool = True) -> Stage:
        """Return the stage at its home pose, allowed or not."""
        X = machine.X_home.copy()
        found = gough.margins(machine, X)
        inside = X if found.is_allowed else None
        return cls(machine, X, gough.inverse_kinematics(machine, X), found, None, keeps_limits, inside)

    def home(self) -> Stage:
        """Return the stage at home, allowed or not."""
        return self.assembled(self.machine.X_home)

    def assembled(self, X: ArrayLike) -> Stage:
        """Return the stage assembled at a pose (4, 4), such as another assembly mode, allowed or not."""
        # Another assembly mode must not be approached from a pose of the previous one.
        return replace(self, inside=None)._at(np.array(X, dtype=float))

    def with_head(self, joints: ArrayLike) -> Stage:
        """Return the stage with other joint coordinates (n,) of the tool head [rad or m]; the platform stays."""
        machine = self.machine.with_head(joints)
        return replace(self, machine=machine, margins=gough.margins(machine, self.X))

    def accepted(self) -> Stage:
        """Return the stage with the shown pose as the requested pose."""
        return self._at(self.X)

    def limited(self, keeps_limits: bool) -> Stage:
        """Switch the limits on or off; moves towards a requested pose that had been refused."""
        wanted = None if self.refusal is None else self.refusal.wanted
        return replace(self, keeps_limits=keeps_limits).to(self.X if wanted is None else wanted)

    def to(self, X: ArrayLike) -> Stage:
        """Move to a pose (4, 4), or towards it from the last allowed pose until a limit stops it."""
        wanted = np.array(X, dtype=float)
        found = gough.margins(self.machine, wanted)
        if found.is_allowed or self.inside is None or not self.keeps_limits:
            return self._at(wanted, None if found.is_allowed else Refusal(wanted, tuple(found.sentences()), ""))
        along = displacement(self.inside, wanted, self.machine.point_of_interest)
        travel = gough.travel(self.machine, along, self.inside)
        refusal = Refusal(wanted, tuple(found.sentences()), _stop_sentence(self.machine, travel, self.inside))
        stop = travel.matrix if np.isfinite(travel.matrix).all() else self.inside
        return replace(self._at(stop, refusal), inside=self.inside)

    def to_joints(self, q: ArrayLike) -> Stage:
        """Move to joint values (6,) [m or rad], or towards them until a limit or a singularity stops the legs."""
        joints = np.array(q, dtype=float)
        start = self.X if self.inside is None or self.refusal is None else self.inside
        X = self._followed(start, joints)
        found = None if X is None else gough.margins(self.machine, X)
        if X is not None and found is not None and found.is_allowed:
            return self._at(X)
        reasons = self._no_pose() if found is None else tuple(found.sentences())
        if X is not None and not self.keeps_limits:
            return self._at(X, Refusal(X, reasons, ""))
        stop = self._last_allowed(start, joints)
        return replace(self._at(stop, Refusal(X, reasons, "the legs stop there")), inside=self.inside)

    def _at(self, X: Array, refusal: Refusal | None = None) -> Stage:
        found = gough.margins(self.machine, X)
        q, inside = gough.inverse_kinematics(self.machine, X), X if found.is_allowed else self.inside
        return replace(self, X=X, q=q, margins=found, refusal=refusal, inside=inside)

    def _last_allowed(self, start: Array, joints: Array) -> Array:
        """The last pose of a linear joint-space displacement that keeps all limits."""
        begin = gough.inverse_kinematics(self.machine, start)
        # Bisection on whether a pose is found and allowed: leg values without a pose have no margin to find a root of.
        low, high, last = 0.0, 1.0, start
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            X = self._followed(start, begin + middle * (joints - begin))
            if X is not None and is_inside(self.machine, X):
                low, last = middle, X
            else:
                high = middle
        return last

    def _followed(self, start: Array, q: Array) -> Array | None:
        """Pose after a linear joint-space displacement from `start` to q; None where none is near."""
        solver = _solver(self.machine)
        solver.reset(start)
        return solver.matrix.copy() if solver(q) == gough.kinematics.Status.NEAR else None

    def _no_pose(self) -> tuple[str, ...]:
        """Reason why the solver found no pose."""
        # It converged to a pose with these leg values, but not to one connected with the start: another assembly mode.
        if _solver(self.machine).residual < 1e-9 * self.machine.size:
            return ("a singularity lies between this pose and these leg values: only another assembly mode has them",)
        return ("no pose has these leg values",)


def _stop_sentence(machine: Machine, travel: gough.limits.Travel, start: Array) -> str:
    """Displacement of the stop from the last allowed pose and from home, and the limits that stopped the platform."""
    if not (travel.binding_index >= 0 and travel.is_start_allowed):
        return travel.sentence()
    is_from_home = np.allclose(start, machine.X_home, rtol=0, atol=1e-9 * machine.size)
    here, from_home = (_displacement(machine, X, travel.matrix) for X in (start, machine.X_home))
    if is_from_home:
        reached = f"{here} from home" if here else "no further than home"
    else:
        reached = f"{here} further" if here else "no further"
        reached += f", {from_home} from home" if from_home else ""
    ends = in_words(travel.columns[c].name for c in np.flatnonzero(travel.ties))
    return f"{reached}, stopped by {ends}"


def _displacement(machine: Machine, start: Array, end: Array) -> str:
    """Distance of the point of interest and turn of the platform between two poses, as far as they are visible."""
    show, twist = Show(machine), displacement(start, end, machine.point_of_interest)
    parts = ((float(np.linalg.norm(twist[part])), unit) for part, unit in ((slice(3), "m"), (slice(3, 6), "rad")))
    return " and ".join(show.with_unit(size, unit, 3) for size, unit in parts if show.is_visible(size, unit))


@dataclass(frozen=True, eq=False)
class PoseCoordinates:
    """Six coordinates of a pose: three of a position, three angles.

    Attributes
    ----------
    pivot : (3,) array
        Point of the platform whose position they give, and about which it turns, in the platform frame [m].
    convention : str
        One of `gough.frames.CONVENTIONS`.
    origin : str
        "home": displacement of the pivot and rotation from home; "base": position of the pivot and orientation of the
        platform in the base frame.

    """

    pivot: Array
    convention: str = "pi"
    origin: str = HOME

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the six coordinates."""
        return ("x", "y", "z", *gough.frames.CONVENTIONS[self.convention].angles)

    def numbers(self, machine: Machine, X: ArrayLike) -> Array:
        """Return the translation [m] and angles [rad], (6,), of a pose (4, 4)."""
        pose = np.asarray(X, dtype=float)
        if self.origin == HOME:
            shown = gough.frames.displacement(machine, pose, point=self.pivot).as_matrix()
        else:
            shown = pose.copy()
            shown[:3, 3] += pose[:3, :3] @ self.pivot
        return np.concatenate(gough.to_convention(self.convention, shown, degrees=False))

    def pose(self, machine: Machine, numbers: ArrayLike) -> Array:
        """Return pose (4, 4) of six numbers [m, rad]."""
        given = np.asarray(numbers, dtype=float)
        D = gough.from_convention(self.convention, given[:3], given[3:], degrees=False).as_matrix()
        if self.origin == HOME:
            return np.asarray(gough.frames.displaced(machine, D, point=self.pivot).as_matrix())
        D[:3, 3] -= D[:3, :3] @ self.pivot
        return D


def pivots(machine: Machine) -> dict[str, Array]:
    """Return pivots of the platform by name, in the platform frame [m]; equal positions only once."""
    named = {
        "point of interest": machine.point_of_interest,
        "platform origin": np.zeros(3),
        "tool": machine.X_PT[:3, 3],
        "platform joints' centre": machine.platform_centre,
    }
    kept: dict[str, Array] = {}
    for name, position in named.items():
        if not any(np.allclose(position, other, atol=1e-9 * machine.size) for other in kept.values()):
            kept[name] = position
    return kept


@lru_cache(maxsize=4)
def _solver(machine: Machine) -> gough.ForwardSolver:
    return gough.ForwardSolver(machine)
