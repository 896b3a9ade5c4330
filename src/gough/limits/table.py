"""The limits of a machine: arrays for kernels, and a description of each column of a margin array."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from weakref import WeakKeyDictionary

import numpy as np

from gough.arrays import Array
from gough.description.describe_machine import unchecked_pairs
from gough.description.geometry import home_side
from gough.legs.leg import ARM
from gough.limits import _margins as layout
from gough.machine import Cone, Limits, Machine
from gough.stacked import by_machine

ROUNDING = 512 * float(np.finfo(float).eps)
"""A limit holds where its margin is at least minus this part of the largest coordinate of the machine [m], or of that
over the shortest rod or arm [rad, 1]: `Column.tolerance`.

A coordinate in double precision has a relative error of half an eps, a pose that is written to a file in other units
and read again one of a few, and a margin of it is the sum of some ten such products: less than 100 eps in all. A pose
exactly on a limit therefore stays allowed through every conversion. The tolerance of a machine of 1 m is 0.1 pm, far
below anything that is measured. Searches end on the allowed side, at margins of at least zero.
"""


@dataclass(frozen=True, eq=False)
class Column:
    """One limit of a machine.

    Attributes
    ----------
    name : str
        Such as "leg 3 longest".
    legs : tuple of int
        The legs it concerns, counted from 1.
    unit : str
        SI unit of the margin: "m", "rad" or "1".
    scale : float
        Unit of relative margins, which makes limits of different kinds comparable [unit]: half the stroke, the
        half-angle of a cone, ...
    bound : float
        The limiting value of the quantity [unit].
    is_lower : bool
        Whether the quantity must stay above the bound; otherwise below.
    quantity : str
        The limited quantity in words; "" for a joint coordinate.
    rounding : float
        Error of the machine's coordinates by rounding, `ROUNDING` of them [unit].

    """

    name: str
    legs: tuple[int, ...]
    unit: str
    scale: float
    bound: float
    is_lower: bool
    quantity: str
    rounding: float = 0.0

    @property
    def tolerance(self) -> float:
        """How far below zero a margin may be where the limit holds: errors of rounding only [unit]."""
        return max(self.rounding, ROUNDING * max(abs(self.bound), self.scale))

    def value(self, margin: float) -> float:
        """Return the limited quantity of a pose with this margin [unit]."""
        return self.bound + margin if self.is_lower else self.bound - margin

    @property
    def is_singularity(self) -> bool:
        """Whether the limit is the distance to a singularity."""
        return self.quantity == "signed smallest singular value"


@dataclass(frozen=True, eq=False)
class LimitTable:
    """The limits a machine has: one `Column` each, and the arrays for kernels."""

    columns: tuple[Column, ...]
    arrays: layout.LimitArrays
    unchecked_pairs: tuple[tuple[int, int], ...]
    """Pairs of legs (counted from 1) whose joints are closer than the sum of the legs' radii: no clearance limit."""


TABLES: WeakKeyDictionary[Machine, LimitTable] = WeakKeyDictionary()
"""Tables made so far."""


@by_machine
def limit_table(machine: Machine) -> LimitTable:
    """Return the limits of a machine, made once."""
    table = TABLES.get(machine)
    if table is None:
        table = TABLES[machine] = _build(machine)
    return table


def _build(machine: Machine) -> LimitTable:
    """The table: columns by their places in the layout of all margins, and arrays in the same order."""
    found: dict[int, Column] = {}
    pairs, unchecked = _clearance_pairs(machine)
    _joint_columns(machine, found)
    _direction_columns(machine.limits, found)
    for k, (i, j) in enumerate(pairs):
        thickness = float(machine.limits.leg_radius[[i, j]].sum())  # type: ignore[index]
        name = f"legs {i + 1}-{j + 1} clearance"
        found[layout.PAIR + k] = Column(name, (i + 1, j + 1), "m", thickness, thickness, True, "distance")
    _tool_columns(machine, found)
    bound = machine.limits.singular_value
    found[layout.SINGULARITY] = Column("singularity", (), "1", 1.0, bound, True, "signed smallest singular value")
    places = np.array(sorted(found), dtype=np.int64)
    wanted = np.zeros(layout.COLUMNS, dtype=np.bool_)
    for place in places:  # limits of legs are computed in groups of six
        wanted[place // 6 * 6 if place < layout.PAIR else place] = True
    rounding = _rounding(machine)
    columns = tuple(replace(found[int(place)], rounding=rounding[found[int(place)].unit]) for place in places)
    tolerance = np.array([column.tolerance for column in columns])
    arrays = layout.LimitArrays(
        code=machine.legs.code,
        T=machine.table,
        L=_per_leg(machine.limits),
        G=_general(machine),
        pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
        wanted=wanted,
        places=places,
        per_scale=np.array([1.0 / max(column.scale, np.finfo(float).tiny) for column in columns]),
        per_walk=np.array([1.0 / walking_length(machine) if column.unit == "m" else 1.0 for column in columns]),
        tolerance=tolerance,
        doubt=max(layout.DOUBT, 2.0 * float(tolerance.max())),
        sign_only=False,
    )
    return LimitTable(columns, arrays, tuple((i + 1, j + 1) for i, j in unchecked))


def _rounding(machine: Machine) -> dict[str, float]:
    """Errors of margins by rounding: `ROUNDING` of the largest coordinate [m], the angle of it across the shortest rod
    or arm [rad], and as much of a singular value [1]."""
    points = [machine.joints_home, machine.X_home[:3, 3], machine.home_point, machine.X_PT[:3, 3]]
    largest = max(machine.size, *(float(np.abs(each).max()) for each in points))
    turn = ROUNDING * largest / walking_length(machine)
    return {"m": ROUNDING * largest, "rad": turn, "1": turn}


def _joint_columns(machine: Machine, found: dict[int, Column]) -> None:
    """Add the limits of joint travel and reach."""
    limits, legs = machine.limits, machine.legs
    rod = legs.rod()
    for i in range(6):
        low, high = float(limits.joint_min[i]), float(limits.joint_max[i])
        stroke = (high - low) / 2
        scale = stroke if np.isfinite(stroke) else machine.size if legs.joint == "length" else np.pi
        if rod is not None:
            found[layout.REACH + i] = Column(f"leg {i + 1} reach", (i + 1,), "m", float(rod[i]), 0.0, True, "reach")
        if np.isfinite(low):
            name = f"leg {i + 1} shortest" if rod is None else f"leg {i + 1} lowest"
            found[layout.SHORTEST + i] = Column(name, (i + 1,), legs.joint_unit, scale, low, True, "")
        if np.isfinite(high):
            name = f"leg {i + 1} longest" if rod is None else f"leg {i + 1} highest"
            found[layout.LONGEST + i] = Column(name, (i + 1,), legs.joint_unit, scale, high, False, "")


def _direction_columns(limits: Limits, found: dict[int, Column]) -> None:
    """Add the cones of the joints and the angles between legs and plates."""
    for first, cone, side in (
        (layout.BASE_CONE, limits.base_cone, "base"),
        (layout.PLATFORM_CONE, limits.platform_cone, "platform"),
    ):
        for i in range(6 if cone else 0):
            half = float(cone.half_angle[i])  # type: ignore[union-attr]
            name = f"leg {i + 1} {side} cone"
            found[first + i] = Column(name, (i + 1,), "rad", half, half, False, f"{side} joint angle")
    for first, plate, side in (
        (layout.BASE_PLATE, limits.base_plate, "base"),
        (layout.PLATFORM_PLATE, limits.platform_plate, "platform"),
    ):
        for i in range(6 if plate else 0):
            low = float(plate.minimum[i])  # type: ignore[union-attr]
            name = f"leg {i + 1} {side} plate angle"
            quantity = f"angle to the {side} plate"
            found[first + i] = Column(name, (i + 1,), "rad", max(np.pi / 2 - low, 1e-3), low, True, quantity)


def _tool_columns(machine: Machine, found: dict[int, Column]) -> None:
    """Add the limits of the tool's position and orientation."""
    limits = machine.limits
    for axis in range(3):
        low, high = (float(side) for side in limits.box[axis])
        extent = (high - low) / 2 if np.isfinite(high - low) else machine.size
        name = f"tool {'xyz'[axis]}"
        if np.isfinite(low):
            found[layout.BOX + 2 * axis] = Column(f"{name} min", (), "m", extent, low, True, name)
        if np.isfinite(high):
            found[layout.BOX + 2 * axis + 1] = Column(f"{name} max", (), "m", extent, high, False, name)
    for place, bound, name, unit in (
        (layout.RADIUS, limits.radius, "tool radius", "m"),
        (layout.TILT, limits.tilt, "tool tilt", "rad"),
        (layout.ROTATION, limits.rotation, "tool rotation", "rad"),
    ):
        if np.isfinite(bound):
            found[place] = Column(name, (), unit, bound, bound, False, name)


def _clearance_pairs(machine: Machine) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs of legs with a clearance limit, and those whose joints alone are closer than the sum of their radii."""
    unchecked = [(i - 1, j - 1) for i, j in unchecked_pairs(machine)]
    pairs = combinations(range(6), 2) if machine.limits.leg_radius is not None else ()
    return [pair for pair in pairs if pair not in unchecked], unchecked


def _per_leg(limits: Limits) -> Array:
    """Limits of the legs (PER_LEG, 6) in the layout of `_margins`."""
    L = np.zeros((layout.PER_LEG, 6))
    L[layout.LOW], L[layout.HIGH] = limits.joint_min, limits.joint_max
    for cone, axis, half, cosine in (
        (limits.base_cone, layout.BASE_AXIS, layout.BASE_HALF, layout.BASE_COSINE),
        (limits.platform_cone, layout.PLATFORM_AXIS, layout.PLATFORM_HALF, layout.PLATFORM_COSINE),
    ):
        if isinstance(cone, Cone):
            L[axis : axis + 3], L[half], L[cosine] = cone.axis.T, cone.half_angle, np.cos(cone.half_angle)
    for plate, least, sine in (
        (limits.base_plate, layout.BASE_MIN, layout.BASE_SINE),
        (limits.platform_plate, layout.PLATFORM_MIN, layout.PLATFORM_SINE),
    ):
        if plate is not None:
            L[least], L[sine] = plate.minimum, np.sin(plate.minimum)
    if limits.leg_radius is not None:
        L[layout.LEG_RADIUS] = limits.leg_radius
    return L


def _general(machine: Machine) -> Array:
    """Other limits (GENERAL,) in the layout of `_margins`."""
    limits, X_BT = machine.limits, machine.X_home @ machine.X_PT
    G = np.zeros(layout.GENERAL)
    for plate, normal in (
        (limits.base_plate, layout.BASE_NORMAL),
        (limits.platform_plate, layout.PLATFORM_NORMAL),
    ):
        if plate is not None:
            G[normal : normal + 3] = plate.normal
    G[layout.TOOL : layout.TOOL + 3] = machine.X_PT[:3, 3]
    G[layout.TOOL_AXIS : layout.TOOL_AXIS + 3] = machine.X_PT[:3, 2]
    G[layout.TOOL_HOME : layout.TOOL_HOME + 3] = X_BT[:3, 3]
    G[layout.TOOL_AXIS_HOME : layout.TOOL_AXIS_HOME + 3] = X_BT[:3, 2]
    G[layout.R_HOME : layout.R_HOME + 9] = machine.X_home[:3, :3].ravel()
    G[layout.BOX_SIDES : layout.BOX_SIDES + 6] = limits.box.ravel()
    G[layout.RADIUS_MAX], G[layout.TILT_MAX], G[layout.ROTATION_MAX] = (
        limits.radius,
        limits.tilt,
        limits.rotation,
    )
    G[layout.SINGULAR_MIN], G[layout.LENGTH] = limits.singular_value, machine.characteristic_length
    G[layout.CENTRE : layout.CENTRE + 3] = machine.platform_centre
    # Sign of det J at home; 0 where home is singular.
    G[layout.SIDE] = home_side(machine)
    return G


def walking_length(machine: Machine) -> float:
    """Return the length scale of the curvature of joint motions, which sets the steps along paths [m]: the shortest rod
    or crank arm, at most the machine's size."""
    rod = machine.legs.rod()
    arm = np.linalg.norm(machine.table[ARM : ARM + 3], axis=0)
    candidates = [machine.size]
    if rod is not None:
        candidates.append(float(rod.min()))
    if (arm > 0).all():
        candidates.append(float(arm.min()))
    return min(candidates)


def path_speed(machine: Machine, starts: Array, directions: Array, *, euler: bool = False) -> Array:
    """Return upper bound (n,) of the speed of a platform joint along twists (n, 6) from poses (n, 4, 4), or along
    straight lines of Euler angles, in walking lengths per unit of the path."""
    moves, turns = np.linalg.norm(directions[:, :3], axis=1), np.linalg.norm(directions[:, 3:], axis=1)
    return np.asarray((moves + turns * lever(machine, starts, directions, euler=euler)) / walking_length(machine))


def lever(machine: Machine, starts: Array, directions: Array, *, euler: bool = False) -> Array:
    """Return upper bound (n,) of the displacement of a platform joint per turn about the point of interest [m/rad].

    The joints' largest distance from the point, at least a tenth of the machine's size; where the axis is fixed and the
    point farther than the machine's size, from the axis. With `euler` per |w|, w the rates of the angles of
    R = Rx Ry Rz: |omega|^2 = |w|^2 + 2 wx wz sin(angle about y) is at most |w|^2 + 2 |wx wz|.
    """
    # The axis of Rx Ry Rz changes along the path: only the distance from the point bounds the lever.
    arms, size = machine.b_P - machine.point_of_interest, machine.size
    longest = max(float(np.linalg.norm(arms, axis=1).max()), 0.1 * size)
    turns = np.linalg.norm(directions[:, 3:], axis=1, keepdims=True)
    axis = directions[:, 3:] / np.where(turns > 0.0, turns, 1.0)
    if euler:
        return np.asarray(longest * np.sqrt(1.0 + 2.0 * np.abs(axis[:, 0] * axis[:, 2])))
    if longest <= size:
        return np.full(len(directions), longest)
    around = np.linalg.norm(np.cross(axis[:, None], arms @ starts[:, :3, :3].swapaxes(1, 2)), axis=-1).max(axis=1)
    return np.minimum(longest, np.maximum(around, size))


@by_machine
def margin_values(machine: Machine, matrices: Array) -> Array:
    """Return margins (n, k) of poses (n, 4, 4), without checks of the poses."""
    return layout.margins_at(limit_table(machine).arrays, matrices)[0]
