"""Holding the tool: platform and head together bring its tip to a pose, or to a point and an axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.limits.margins import Margins, margins
from gough.machine import Machine
from gough.motion.heads._grid_search import ToolSearch
from gough.motion.heads.kinematics import head_margins, head_of
from gough.motion.heads.pointing import unit_axis
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]

LOOKS = 2048
"""Configurations sampled before the best are refined."""
CLIMBS = 4
"""Of the best configurations, each apart from the others."""
APART = 0.3
"""How far, in halves of a coordinate's range."""


@dataclass(frozen=True, eq=False)
class ToolPlacement:
    """How platform and head hold the tool.

    Attributes
    ----------
    matrix : (4, 4) array
        Pose of the platform in the base.
    joints : (n,) array
        Of the head [rad or m].
    tip : (4, 4) array
        Pose of the tip in the base.
    limits : Margins
        To all limits of platform and head (`gough.motion.heads.head_margins`).

    """

    matrix: Array
    joints: Array
    tip: Array
    limits: Margins

    @property
    def margin(self) -> float:
        """Smallest relative margin over the platform's limits and the head's; negative: the tool cannot be held."""
        return float(np.nanmin(self.limits.relative))

    @property
    def is_allowed(self) -> bool:
        """Whether every limit of platform and head is kept."""
        return self.margin >= 0

    @property
    def binding(self) -> str:
        """Name of the limit with the smallest relative margin."""
        return str(self.limits.binding)

    def sentence(self) -> str:
        """The binding limit in words, e.g. "leg 4 needs 1002 mm, allowed up to 970 mm"."""
        return self.limits.sentence()


@checks_arguments
def place_tool(
    machine: Machine,
    tip: PoseLike | None = None,
    *,
    point: ArrayLike | None = None,
    axis: ArrayLike | None = None,
    joints: ArrayLike | None = None,
) -> ToolPlacement:
    """Platform pose and head joints that hold the tool, as far from every limit as can be.

    The tool's pose leaves the head's joints free, its point and axis the roll about the axis besides: the platform
    follows in closed form, X_BP = X_BT X_PT(q)^-1. Of all these configurations the one is taken whose smallest relative
    margin, over the limits of the platform and of the head, is largest: 2048 spread evenly (Sobol's sequence) and the
    one where the head is now are evaluated, and the four best of them, apart from one another, refined by sequential
    quadratic programming. A better one between the samples may exist.

    Parameters
    ----------
    machine : Machine
        With a head.
    tip : PoseLike, (4, 4), optional
        The tool's pose in the base; or
    point, axis : (3,) arrays, optional
        its tip [m] and the direction of its z axis, in the base frame.
    joints : (n,) array, optional
        Hold the head there [rad or m], and share out nothing but the roll.

    Returns
    -------
    ToolPlacement
        Where nothing keeps all limits, `is_allowed` is False and `sentence()` names what binds at the configuration
        that misses least; the head itself is always within its limits unless `joints` say otherwise.

    Raises
    ------
    InputError
        The machine has no head; neither a pose nor a point and an axis are given, or both.

    """
    target, has_roll = tool_target(machine, tip, point, axis)
    search = ToolSearch(machine, target, has_roll)
    if joints is not None:
        return _held(search, head_of(machine).checked(joints))
    z, _ = best_configuration(search, [search.from_joints(head_of(machine).q)])
    return placement(search, z)


def tool_target(
    machine: Machine, tip: PoseLike | None, point: ArrayLike | None, axis: ArrayLike | None
) -> tuple[Array, bool]:
    """Pose (4, 4) of the tip at roll zero, and whether it may roll."""
    if (tip is None) == (point is None) or (point is None) != (axis is None):
        raise InputError("give the tool's pose as `tip`, or its `point` and `axis`")
    if tip is not None:
        X = checked_matrices(tip)
        if X.shape != (4, 4):
            raise ShapeError.expected("tip", "(4, 4): one pose", X.shape)
        return X, False
    place, z = np.asarray(point, dtype=float), unit_axis(axis)  # type: ignore[arg-type]
    if place.shape != (3,) or z.shape != (3,):
        raise ShapeError.expected("point and axis", "(3,) each", place.shape if place.shape != (3,) else z.shape)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pointed(machine, z), place
    return X, True


def pointed(machine: Machine, z: Array) -> Array:
    """Orientation (3, 3) of the tip with its z axis along the unit vector z: by the smallest turn from home."""
    from scipy.spatial.transform import Rotation

    R = (machine.X_home @ head_of(machine).tip())[:3, :3]
    across = np.cross(R[:, 2], z)
    sine = float(np.linalg.norm(across))
    axis = across / sine if sine > 1e-12 else R[:, 0]
    return np.asarray(Rotation.from_rotvec(np.arctan2(sine, R[:, 2] @ z) * axis).as_matrix() @ R)


def best_configuration(search: ToolSearch, starts: list[Array]) -> tuple[Array, float]:
    """Coordinates of the best configuration found and its smallest relative margin."""
    z, value = search.look(LOOKS)
    z = np.concatenate([np.array(starts), z])
    value = np.concatenate([search.relative(np.array(starts)).min(axis=-1), value])
    chosen: list[Array] = []
    for k in np.argsort(-value):
        if all(np.abs(z[k] - other).max() > APART for other in chosen):
            chosen.append(z[k])
        if len(chosen) == CLIMBS:
            break
    return max((search.climb(start) for start in chosen), key=lambda found: found[1])


def placement(search: ToolSearch, z: Array) -> ToolPlacement:
    """The placement of coordinates z, with its evidence."""
    joints, roll = search.split(z)
    return _placed(search, joints, search.tips(roll) if search.has_roll else search.target, search.poses(z))


def _placed(search: ToolSearch, joints: Array, tip: Array, X: Array) -> ToolPlacement:
    return ToolPlacement(X, joints, tip, head_margins(search.machine, X, joints))


def _held(search: ToolSearch, joints: Array) -> ToolPlacement:
    """The best roll with the head held: all round in steps, then closer about the best."""
    from gough.poses import inverse_matrices

    back = inverse_matrices(head_of(search.machine).tip(joints))
    if not search.has_roll:
        return _placed(search, joints, search.target, search.target @ back)

    def least(roll: Array) -> Array:
        found = margins(search.machine, search.tips(roll) @ back).relative
        return np.nan_to_num(found, nan=np.inf).min(axis=-1)

    roll, width = 0.0, np.pi
    while width > 1e-12:
        tried = roll + np.linspace(-width, width, 129)
        roll = float(tried[np.argmax(least(tried))])
        width /= 16 if width > 1.0 else 32
    tip = search.tips(np.array(roll))
    return _placed(search, joints, tip, tip @ back)
