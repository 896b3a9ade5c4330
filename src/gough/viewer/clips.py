"""Clips: motions over time, sampled with the quantities that charts show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import gough
from gough.arrays import Array
from gough.displacements import displaced
from gough.dynamics.motions import NAMED, Motion
from gough.dynamics.natural_frequencies import SHOWN_DISPLACEMENT
from gough.errors import GoughError, InputError, one_line
from gough.machine import Machine
from gough.poses import checked_matrices
from gough.present.read import variable
from gough.present.show import Show, plain
from gough.viewer.applied_forces import NO_FORCES, AppliedForces, carrying_in_dynamics, natural_frequencies

if TYPE_CHECKING:
    import xarray
    from scipy.spatial.transform import Slerp


SAMPLES = 401
"""Samples of a motion that is given by a formula."""
PART = 0.45
"""Largest half displacement of a named motion, as a part of the travel."""
ROUND = 0.01
"""Deviation within which corners of a path are rounded: as a part of the machine's size, and [rad]."""
PERIOD = 2.0
"""Period in which a mode shape is shown, whatever its frequency [s]."""


@dataclass(frozen=True, eq=False)
class Clip:
    """A sampled motion.

    Attributes
    ----------
    name : str
        Name for people.
    time : (n,) array
        Increasing times [s].
    X : (n, 4, 4) array
        Poses, none NaN.
    q : (n, 6) array
        Joint coordinates [m or rad].
    force, power : (n, 6) array or None
        Forces and powers of the actuators [N or N m, W], where masses are known.
    note : str
        Remarks for people.
    tip : (n, 3) array or None
        Positions of the tool's tip in the base, where its path is drawn [m].
    is_rapid : (n,) array or None
        Whether a sample is in a rapid move.
    head : (n, k) array or None
        Joint coordinates of a tool head that moves with the clip [rad or m].

    """

    name: str
    time: Array
    X: Array
    q: Array
    force: Array | None = None
    power: Array | None = None
    note: str = ""
    tip: Array | None = None
    is_rapid: NDArray[np.bool_] | None = None
    head: Array | None = None

    def noted(self, note: str) -> Clip:
        """Return the clip with a note before its own."""
        return replace(self, note=f"{note} {self.note}".strip())

    @property
    def duration(self) -> float:
        """Duration [s]."""
        return float(self.time[-1] - self.time[0])

    @cached_property
    def _turns(self) -> Slerp:
        from scipy.spatial.transform import Rotation, Slerp

        return Slerp(self.time, Rotation.from_matrix(self.X[:, :3, :3]))

    def pose_at(self, t: float) -> Array:
        """Return pose (4, 4) at a time after the start [s], between samples by linear interpolation and slerp."""
        at = float(np.clip(self.time[0] + t, self.time[0], self.time[-1]))
        X = np.eye(4)
        X[:3, :3] = self._turns(at).as_matrix()
        X[:3, 3] = [np.interp(at, self.time, self.X[:, k, 3]) for k in range(3)]
        return X

    def head_at(self, t: float) -> Array | None:
        """Return joint coordinates (k,) of the tool head at a time after the start [s]; None where the clip has
        none."""
        if self.head is None:
            return None
        return np.array([np.interp(self.time[0] + t, self.time, column) for column in self.head.T])


def clip_of_motion(machine: Machine, name: str, motion: Motion, applied: AppliedForces = NO_FORCES) -> Clip:
    """Return a clip of a motion, with forces and powers under a load where the machine's masses are known."""
    time, point = np.linspace(*motion.span, SAMPLES), machine.point_of_interest
    try:
        found = gough.dynamics.motion_forces(
            carrying_in_dynamics(machine, applied), motion, time, wrench=applied.wrench, point=point
        )
        clip = clip_of_data(machine, name, found)
        return replace(clip, tip=_tips(machine, clip.X))
    except GoughError as error:  # no masses, or a pose at which a leg cannot close
        X = motion(time)[0]
        q = gough.inverse_kinematics(machine, X)
        return Clip(name, time, X, q, note=f"No forces: {error}.", tip=_tips(machine, X))


def _tips(machine: Machine, X: Array) -> Array:
    """Positions (n, 3) of the tool's tip [m] with the platform at poses (n, 4, 4)."""
    return np.asarray((X @ machine.X_PT)[:, :3, 3])


def clip_of_data(machine: Machine, name: str, data: xarray.Dataset) -> Clip:
    """Return a clip of a history, as `gough.simulate`, `gough.dynamics.motion_forces` and
    `gough.motion.joint_space.playback` return it or write it to a file."""
    if "pose" not in data or "time" not in data:
        raise InputError(f"{name}: expected a history with time and pose, as gough simulate writes into a .nc file")
    of = one_line(str(data.attrs.get("machine", machine.name)))
    time = variable(data, "time", "(n,)", name)
    n = len(time)
    X = variable(data, "pose", f"({n}, 4, 4)", name)
    kept = np.asarray(np.isfinite(X).all(axis=(1, 2)))
    if kept.sum() < 2:
        raise InputError(f"{name}: fewer than two of its poses are finite")
    if not (np.isfinite(time).all() and (np.diff(time) > 0).all()):
        raise InputError(f"{name}: expected finite times, each above the one before")
    checked_matrices(X[kept])
    note = "" if of == machine.name else f"Recorded with the machine {of}."
    note += "" if kept.all() else f" {int((~kept).sum())} samples without a pose are left out."
    series: dict[str, Any] = {
        key: variable(data, key, shape, name)[kept]
        for key, shape in (
            ("force", f"({n}, 6)"),
            ("power", f"({n}, 6)"),
            ("tip", f"({n}, 3)"),
            ("is_rapid", f"({n},)"),
        )
        if key in data
    }
    if "is_rapid" in series:
        series["is_rapid"] = series["is_rapid"] != 0
    series["head"] = _head_of(machine, data, kept)
    X = np.ascontiguousarray(X[kept])
    return Clip(name, time[kept], X, gough.inverse_kinematics(machine, X), note=note.strip(), **series)


def _head_of(machine: Machine, data: xarray.Dataset, kept: NDArray[np.bool_]) -> Array | None:
    """Joint coordinates of the tool head in a history; None where the machine has another head, or none."""
    if machine.head is None or "head_joint" not in data:
        return None
    joints = variable(data, "head_joint", f"({len(kept)}, k)", "head")[kept]
    return joints if joints.shape[1] == len(machine.head.moving) else None


def named_clips(machine: Machine, applied: AppliedForces = NO_FORCES) -> dict[str, str]:
    """Return names for people of the motions that a machine has without a file, by key."""
    found = {f"motion {name}": f"{name}, out and back" for name in NAMED}
    found |= {"tour": "along and about every axis", "circle": "a circle of the point of interest"}
    try:
        frequency = natural_frequencies(machine, machine.X_home, applied).frequency
        found |= {
            f"mode {k}": f"natural mode {k + 1}, {plain(f, 4)} Hz at home" for k, f in enumerate(frequency) if f > 0
        }
    except GoughError:
        pass
    return found


def named_clip(machine: Machine, key: str, words: str, X: Array, applied: AppliedForces = NO_FORCES) -> Clip:
    """Return one of `named_clips` under a load; mode shapes are those about the pose X."""
    kind, _, name = key.partition(" ")
    if kind == "motion":
        return clip_of_motion(machine, words, _named(machine, name), applied)
    if kind == "mode":
        return _mode(machine, words, int(name), X, applied)
    return clip_of_motion(machine, words, _tour(machine) if kind == "tour" else _circle(machine), applied)


def through(machine: Machine, poses: Array, seconds: float = 2.0, applied: AppliedForces = NO_FORCES) -> Clip:
    """Return a smooth motion from home through poses (k, 4, 4) in turn, with equal times [s] from each to the next."""
    stops = np.concatenate([machine.X_home[None], poses])
    motion = gough.dynamics.SplineMotion(seconds * np.arange(len(stops)), stops)
    return clip_of_motion(machine, f"through {len(poses)} remembered poses", motion, applied)


def quickest(machine: Machine, poses: Array, applied: AppliedForces = NO_FORCES) -> Clip:
    """Return the quickest motion from home along lines through poses (k, 4, 4), corners rounded, within the limits.

    Raises
    ------
    InputError
        The machine has no limits of speed, or its legs cannot close on the path.

    """
    from gough import motion

    path = motion.via(np.concatenate([machine.X_home[None], poses]), blend=ROUND * machine.size, blend_angle=ROUND)
    point = machine.point_of_interest
    timed = motion.time_optimal(
        carrying_in_dynamics(machine, applied), path, tolerance=1e-3, wrench=applied.wrench, point=point
    )
    return clip_of_motion(machine, f"the quickest motion through {len(poses)} remembered poses", timed, applied)


def _named(machine: Machine, name: str) -> Motion:
    whole = gough.dynamics.named_motion(machine, name, 1.0)
    # Named motions turn about the platform's origin, hence the travel is found with the point of interest there.
    travel = gough.travel(replace(machine, point_of_interest=np.zeros(3)), whole.direction)
    half = min(NAMED[name], PART * float(travel.distance)) if np.isfinite(travel.distance) else NAMED[name]
    return gough.dynamics.named_motion(machine, name, half or NAMED[name], duration=6.0)


def _tour(machine: Machine) -> Motion:
    """From home out and back along every axis in both directions, by 0.6 of the machine's travel."""
    directions = np.stack([np.eye(6), -np.eye(6)], axis=1).reshape(12, 6)
    travel = gough.travel(machine, directions).distance
    # Unlimited travel has a tenth of the size, or 0.3 rad; long travel at most five times that.
    fallback = np.where(np.abs(directions[:, :3]).any(axis=1), 0.1 * machine.size, 0.3)
    step = np.minimum(np.where(np.isfinite(travel), 0.6 * travel, fallback), 5 * fallback)[:, None] * directions
    stops = np.tile(machine.X_home, (25, 1, 1))
    stops[1::2] = displaced(machine.X_home, step, machine.point_of_interest)
    return gough.dynamics.SplineMotion(0.9 * np.arange(25), stops)


def _circle(machine: Machine) -> Motion:
    """A circle round home in the xy plane, with two thirds of the smallest travel there as radius.

    It begins and ends on the circle, not at home.
    """
    level = np.zeros((8, 6))
    angle = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    level[:, 0], level[:, 1] = np.cos(angle), np.sin(angle)
    travel = float(gough.travel(machine, level).distance.min())
    radius = 0.66 * travel if np.isfinite(travel) and travel > 0 else 0.1 * machine.size
    t = np.linspace(0.0, 6.0, 49)
    X = np.tile(machine.X_home, (49, 1, 1))
    X[:, 0, 3] += radius * np.cos(np.pi / 3 * t)
    X[:, 1, 3] += radius * np.sin(np.pi / 3 * t)
    return gough.dynamics.SplineMotion(t, X)


def _mode(machine: Machine, words: str, k: int, X: Array, applied: AppliedForces) -> Clip:
    frames = natural_frequencies(machine, X, applied).animation(k, frames=48)
    poses = np.concatenate([frames, frames[:1]])  # closed, so that it can be repeated
    swing = Show(machine).with_unit(SHOWN_DISPLACEMENT * machine.size, "m", 3)
    note = (
        "The shape of the oscillation about this pose, slowed down and enlarged, in the charts too: a mode has no "
        f"amplitude of its own. The platform joint that moves most is drawn swinging by ± {swing}."
    )
    return Clip(words, np.linspace(0, PERIOD, 49), poses, gough.inverse_kinematics(machine, poses), note=note)
