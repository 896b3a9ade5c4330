"""Holding the tool: platform and head together bring its tip to a pose, or to a point and an axis.

Pointing it with the head alone has a closed form for two turning joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import rotations
from gough.errors import InputError, PoseError
from gough.limits.margins import Margins, margins
from gough.machine import Machine
from gough.motion.heads._grid_search import ToolSearch
from gough.motion.heads.kinematics import head_margins, head_of
from gough.poses import PoseLike, checked_matrices, common_shape, inverse_matrices, one_pose
from gough.results import Quantities, Result

LOOKS = 2048
"""Configurations sampled before the best are refined."""
CLIMBS = 4
"""Of the best configurations, each apart from the others."""
APART = 0.3
"""How far, in halves of a coordinate's range."""
GRAZING = 1e-12
"""Of a unit vector: an axis this close to the end of what can be pointed at counts as there, rounding allowed."""


@dataclass(frozen=True, eq=False)
class ToolPlacement(Result):
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

    QUANTITIES: ClassVar[Quantities] = {
        "matrix": ("1, m", "row", "column"),
        "joints": ("rad or m", "joint"),
        "tip": ("1, m", "row", "column"),
        "margin": "1",
        "is_allowed": "1",
    }

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
        return one_pose(tip, name="tip"), False
    X = np.eye(4)
    X[:3, 3], z = of_shape("point", point, "(3,)"), of_shape("axis", unit_axis(axis), "(3,)")  # type: ignore[arg-type]
    X[:3, :3] = turned_onto(home_rotation(machine), z)
    return X, True


def home_rotation(machine: Machine) -> Array:
    """Orientation (3, 3) of the tip with the machine at home."""
    return np.asarray((machine.X_home @ head_of(machine).tip())[:3, :3])


def turned_onto(R: Array, z: Array) -> Array:
    """R (3, 3) after the smallest turn that takes its z axis to the unit vector z; half a turn is one about its x."""
    across = np.cross(R[:, 2], z)
    sine = float(np.linalg.norm(across))
    axis = across / sine if sine > GRAZING else R[:, 0]
    return rotations(np.arctan2(sine, R[:, 2] @ z) * axis) @ R


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


@checks_arguments
def head_angles(machine: Machine, X: PoseLike, axis: ArrayLike, joints: ArrayLike | None = None) -> Array:
    """Head joints that point the tool along an axis while the platform keeps its orientation.

    Rot(w1, q1) Rot(w2, q2) a = b with the joints' axes w1, w2, the tool's axis a, all with the joints at zero, and the
    wanted axis b in the platform's frame: subproblem 2 of Paden and Kahan (Murray, Li, Sastry 1994, chapter 3).

    Parameters
    ----------
    machine : Machine
        Its head must have two revolute joints; prismatic ones keep their coordinates.
    X : PoseLike, (..., 4, 4)
        Poses of the platform, of which only the orientation counts.
    axis : (..., 3) array
        Direction of the tool's z axis in the base frame, of any length but zero.
    joints : (n,) array, optional
        Present coordinates of the head: of prismatic joints, and of a joint that turns nothing, because the tool
        points along it. `head.q` where not given.

    Returns
    -------
    (..., 2, n) array
        Both solutions, turns within half a turn of zero; NaN where the head cannot point there. Limits are not asked.

    """
    head = head_of(machine)
    turning = [k for k, unit in enumerate(head.units) if unit == "rad"]
    if len(turning) != 2:
        raise InputError(
            f"the head of {machine.name!r} has {len(turning)} revolute joints; the closed form is for two, "
            "gough.motion.heads.place_tool finds joints of any head"
        )
    present, X_BP, b = head.coordinates(joints), checked_matrices(X), unit_axis(axis)
    shape = common_shape("poses and axes", X_BP.shape[:-2], b.shape[:-1])
    zero = np.array(present, dtype=float)
    zero[turning] = 0.0
    w1, w2 = head.axes(head.frames(zero))[1][turning]
    a = head.tip(zero)[:3, 2]
    b = np.einsum("...ji,...j->...i", X_BP[..., :3, :3], b)
    found = np.broadcast_to(present, (*shape, 2, len(present))).copy()
    found[..., turning] = _two_turns(w1, w2, a, b, present[turning])
    return found


def unit_axis(axis: ArrayLike) -> Array:
    """Unit vectors (..., 3) of directions of any length but zero."""
    given = of_shape("axis", axis, "(..., 3)")
    length = np.linalg.norm(given, axis=-1, keepdims=True)
    if not (length > 0).all() or not np.isfinite(length).all():
        raise PoseError("axis: a direction of length zero, or not finite; expected its components")
    return np.asarray(given / length)


def _two_turns(w1: Array, w2: Array, a: Array, b: Array, present: Array) -> Array:
    """Both pairs of angles (..., 2, 2) with Rot(w1, q1) Rot(w2, q2) a = b, NaN where there are none."""
    c, across = w1 @ w2, np.cross(w1, w2)
    rest = 1.0 - c * c
    if rest < GRAZING:
        raise InputError("the head's two revolute joints are parallel: they turn the tool about one axis only")
    along1, along2 = (b @ w1 - c * (w2 @ a)) / rest, (w2 @ a - c * (b @ w1)) / rest
    squared = (1.0 - along1**2 - along2**2 - 2 * along1 * along2 * c) / rest
    third = np.sqrt(np.where(squared < -GRAZING, np.nan, np.maximum(squared, 0.0)))
    signed = np.stack([third, -third], axis=-1)[..., None] * across
    middle = (along1[..., None] * w1 + along2[..., None] * w2)[..., None, :] + signed
    q2 = _one_turn(w2, a, middle, present[1])
    q1 = _one_turn(w1, middle, b[..., None, :], present[0])
    both = np.stack([q1, q2], axis=-1)
    return np.where(np.isnan(middle).any(axis=-1, keepdims=True), np.nan, both)


def _one_turn(w: Array, start: Array, end: Array, present: float) -> Array:
    """Angle (...) about the unit vector w that turns `start` to `end`; `present` where both lie along w."""
    u, v = start - (start @ w)[..., None] * w, end - (end @ w)[..., None] * w
    angle = np.arctan2(np.sum(w * np.cross(u, v), axis=-1), np.sum(u * v, axis=-1))
    lost = np.minimum(np.linalg.norm(u, axis=-1), np.linalg.norm(v, axis=-1)) < GRAZING
    return np.where(lost, present, angle)
