"""Wrench capacity along and about each axis; payload in every mounting: upright, hanging, on its side, any.

Leg i holds the machine's weight and a payload of mass m with f_i = (c_i + m d_i) . g, linear in gravity. Over all
directions of g in a plane, or in space, the largest |f_i| is |g| times the length of c_i + m d_i in it. So the worst
direction, and the mass at which the actuator reaches its force, are exact, without sampling directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point
from gough.limits.ties import legs_in_words, tied_legs
from gough.machine_parts import STANDARD_GRAVITY
from gough.poses import PoseLike, as_matrices, one_pose
from gough.present.answer import Field, of_rows
from gough.quantity import AXES, quantity, result
from gough.results import Result, Table
from gough.stacked import AnyMachine
from gough.statics.capacity import WrenchCapacity, actuator_forces, at_origin, leg_forces, wrench_capacity

HELD = "Largest force along, or moment about, the base axis on the point that actuator_force holds."


@result(eq=True)
class CapacityRow(Result):
    """Largest force [N] or moment [N m] in both directions of one axis, as amounts, with the legs that limit them: the
    first, and all that tie."""

    ROW: ClassVar[tuple[str, ...]] = ("axis", "plus", "plus_legs", "minus", "minus_legs")

    axis: str = quantity("", doc="Axis of the force or moment.")
    plus: float = quantity(attrgetter("unit"), doc=HELD)
    minus: float = quantity(attrgetter("unit"), doc="The same in the opposite sense, without sign.")
    plus_leg: int = quantity("1", doc="First leg that reaches its force, counted from 1.")
    minus_leg: int = quantity("1", doc="The same in the opposite sense.")
    plus_legs: tuple[int, ...] = quantity(
        "", label="ended by legs", default=(), doc="All legs that reach their force together: within 1e-5 of the load."
    )
    minus_legs: tuple[int, ...] = quantity("", label="ended by legs", default=(), doc="The same in the opposite sense.")

    @property
    def unit(self) -> str:
        """SI unit of both."""
        return "N" if self.axis.startswith("f") else "N m"

    def __str__(self) -> str:
        return f"{self.axis}: up to {self.plus:.6g} {self.unit}, and {self.minus:.6g} {self.unit} in the opposite sense"


WRENCH_AXES = ("fx", "fy", "fz", "mx", "my", "mz")
EVERY = ("every_direction.force", "every_axis.moment")
WHOLE = ("every direction", "every axis")
"""Rows below the axes: the smallest force and the smallest moment over all directions."""


def capacity_fields(rows: Sequence[CapacityRow]) -> list[Field]:
    """Return rows of a table of capacities as fields: for JSON all, for CSV the forces and moments alone."""
    return [
        *of_rows(rows, "axis", "minus", under="load.{}.", title="minus_{}"),
        *of_rows(rows, "axis", "plus", under="load.{}.", title="{}"),
        *of_rows(rows, "axis", "minus_legs", "plus_legs", under="load.{}.", is_csv=False),
    ]


def capacity_rows(
    rows: Sequence[CapacityRow], whole: Mapping[str, float], legs: int = 6
) -> tuple[list[str], list[Field]]:
    """Return names and fields of the rows of a text table: the axes, and force [N] and moment [N m] in every direction,
    of a machine with so many legs."""
    minus, plus, *sets = capacity_fields(rows)
    units = [*minus.unit, "N", "N m"]
    words = [[*(legs_in_words(each, legs) for each in of.value), "", ""] for of in sets]
    columns = [
        Field("", [*minus.value, *whole.values()], units, head="minus", of=("load.{}.minus", *EVERY)),
        Field("", [*plus.value, *whole.values()], units, head="plus", of=("load.{}.plus", *EVERY)),
        Field("", words[0], head="minus ended by"),
        Field("", words[1], head="plus ended by"),
    ]
    return [*minus.labels, *WHOLE], columns


@checks_arguments
def capacity_table(
    machine: AnyMachine,
    X: PoseLike,
    *,
    gravity: bool | ArrayLike | None = False,
    point: ArrayLike | None = None,
    actuator_force: ArrayLike | None = None,
) -> Table[CapacityRow]:
    """Compute the largest force along, and moment about, each base axis, one at a time, that the actuators can hold.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (4, 4)
        Pose X_BP of the platform in the base.
    gravity, actuator_force : see `wrench_capacity`
    point : (3,) array, optional
        Platform point at which the force acts, in the platform frame [m]; default the point of interest.

    Returns
    -------
    Table of CapacityRow
        x, y, z: forces [N] and moments [N m]; NaN at a singular pose.

    Raises
    ------
    InputError
        The machine has no actuator forces and none are passed.
    ShapeError
        More than one pose.

    """
    matrix = one_pose(X, machine.X_home, "pose")
    wrenches = at_origin(machine, machine.end_pose(matrix), np.eye(6), point)
    both = machine.end_wrench(np.concatenate([wrenches, -wrenches]))  # rows 0 to 5 plus, 6 to 11 minus
    found = wrench_capacity(machine, matrix, both, gravity=gravity, actuator_force=actuator_force)
    rows = (
        CapacityRow(
            axis,
            *found.factor[[k, 6 + k]].tolist(),
            *found.leg[[k, 6 + k]].tolist(),
            *(tied_legs(each) for each in found.each[[k, 6 + k]]),
        )
        for k, axis in enumerate(WRENCH_AXES)
    )
    return Table.of(rows, machine)


@result
class Payload(WrenchCapacity):
    """Largest payload: the capacity for the weight of 1 kg, so that `factor` and `each` are masses."""

    factor: Array = quantity("kg", label="largest payload", doc="Largest mass that can be held.")
    each: Array = quantity("kg", "leg_each", label="largest payload of each leg", doc="The same leg by leg.")


@result
class PayloadRow(Result):
    """Largest payload in one mounting."""

    ROW: ClassVar[tuple[str, ...]] = ("mounting", "mass", "legs", "gravity")

    mounting: str = quantity("", doc="Mounting, in words.")
    mass: float = quantity(
        "kg", label="largest payload",
        doc="Largest mass with its centre in the point of interest that actuator_force holds with the machine's own "
        "weight: with gravity along -z or +z of the platform (upright, hanging), along the worst direction "
        "across z (on its side), along the worst of all. 0 where the machine alone is too heavy, inf where no "
        "leg bears it, NaN at a singular pose.",
    )  # fmt: skip
    leg: int = quantity("1", doc="First leg that reaches its force, counted from 1; 0 where none does.")
    gravity: Array = quantity(
        "1", "axis", frame="base", label="gravity along",
        doc="Worst direction of gravity of the mounting for `leg`, a unit vector; each leg that ties has its own.",
    )  # fmt: skip
    legs: tuple[int, ...] = quantity(
        "", label="ended by legs", default=(), doc="All legs that reach it together: within 1e-5."
    )

    def __str__(self) -> str:
        return f"{self.mounting}: {self.mass:.6g} kg"


def payload_fields(rows: Sequence[PayloadRow], legs: int = 6) -> list[Field]:
    """Return rows of a table of payloads as fields: keys of JSON, masses as columns of CSV, and columns of a text
    table, of a machine with so many legs."""
    gravity = np.array([row.gravity for row in rows])
    return [
        *of_rows(
            rows,
            "mounting",
            "mass",
            under="payload.{}.",
            title="payload_{}",
            head="payload",
            is_promised=True,
        ),
        *of_rows(rows, "mounting", "leg", "legs", "gravity", under="payload.{}.", is_csv=False),
        Field("", [legs_in_words(row.legs, legs) for row in rows], head="ended by", is_csv=False, is_json=False),
        Field("payload.{}.gravity", gravity, "1", AXES[:3], head="gravity {}", digits=3, is_csv=False, is_json=False),
    ]


@checks_arguments
def payload(
    machine: AnyMachine,
    X: PoseLike,
    *,
    gravity: bool | ArrayLike | None = None,
    mass_centre: ArrayLike | None = None,
    actuator_force: ArrayLike | None = None,
) -> Payload:
    """Compute the largest payload [kg] that the machine can hold at a pose against gravity.

    The largest m with |f_weight + m f_1kg| <= f_max in every leg (by definition; forces f as in `gough.leg_forces`).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    gravity : (..., 3) array, optional
        Acceleration of free fall in the base frame [m/s2]: another one for another mounting;
        default: the machine's value. Platform and legs weigh too, as far as their masses are known.
    mass_centre : (3,) array, optional
        Mass centre of the payload, in the platform frame [m]; default: the point of interest.
    actuator_force : see `wrench_capacity`.

    Returns
    -------
    Payload
        Its `factor` is the payload's mass [kg]; 0 where the weights alone are too much, infinite where it loads no
        actuator, NaN where a leg cannot close and at a singular pose.

    Raises
    ------
    InputError
        The machine has no actuator forces and none are passed.

    """
    g = machine.free_fall(gravity)
    centre = given_point(mass_centre, machine.point_of_interest, "mass_centre")
    own = g if machine.has_weight else False  # without known masses `leg_forces` would refuse gravity
    wrench = machine.end_wrench(_pull(machine, as_matrices(X), centre, g))
    found = wrench_capacity(machine, X, wrench, gravity=own, actuator_force=actuator_force)
    return Payload(found.factor, found.leg, found.each)


@checks_arguments
def payload_table(
    machine: AnyMachine, X: PoseLike, *, mass_centre: ArrayLike | None = None, actuator_force: ArrayLike | None = None
) -> Table[PayloadRow]:
    """Compute the largest payload with the platform horizontal, upright and hanging; on its side; and in any mounting.

    Horizontal means that gravity is along the platform's z axis: upright where it pulls the platform towards the base,
    hanging where away from it. On its side is the worst direction across that axis, any mounting the worst of all: of a
    leg by definition the least m with max |c g + m d g| = f_max over the directions g of gravity. Platform and legs
    weigh too, as far as their masses are known.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (4, 4)
        Pose X_BP of the platform in the base.
    mass_centre : (3,) array, optional
        Mass centre of the payload, in the platform frame [m]; default: the point of interest.
    actuator_force : see `gough.statics.wrench_capacity`

    Returns
    -------
    Table of PayloadRow
        upright, hanging, on its side, any mounting.

    Raises
    ------
    InputError
        The machine has no actuator forces and none are passed.
    ShapeError
        More than one pose.

    """
    matrix = one_pose(X, machine.X_home, "pose")
    most = actuator_forces(machine, actuator_force)
    centre = given_point(mass_centre, machine.point_of_interest, "mass_centre")
    strength = float(np.linalg.norm(machine.gravity) or np.linalg.norm(STANDARD_GRAVITY))
    end, gravity, weighs = machine.end_pose(matrix), strength * np.eye(3), machine.has_weight
    # Forces of the legs per axis of gravity, (6, 3): d by one kilogram of payload, c by the machine's own weights.
    pulls = machine.end_wrench(_pull(machine, matrix, centre, gravity))
    d = np.stack([leg_forces(machine, matrix, pull) for pull in pulls], axis=-1)
    c = np.stack([leg_forces(machine, matrix, gravity=weighs and g) for g in gravity], axis=-1)
    z, feet = end[:3, 2], machine.stages[0].joints_home[:6].mean(axis=0)
    # Upright: gravity along the platform's axis, from the platform towards the base.
    from_base = end[:3, :3] @ machine.stages[-1].platform_centre + end[:3, 3] - feet
    down = -z if from_base @ z > 0 else z
    mountings = (
        ("upright", down[None]),
        ("hanging", -down[None]),
        ("on its side", _across(z)),
        ("any", np.eye(3)),
    )
    rows = (_row(name, c @ axes.T, d @ axes.T, axes, most) for name, axes in mountings)
    return Table.of(rows, machine)


def _pull(machine: AnyMachine, X: Array, centre: Array, gravity: Array) -> Array:
    """Wrenches (..., 6) on the (end) platform of a mass of 1 kg at `centre` under gravities (..., 3)."""
    arm, pull = np.broadcast_arrays(machine.end_pose(X)[..., :3, :3] @ centre, gravity)
    return np.concatenate([pull, np.cross(arm, pull)], axis=-1)


def _across(z: Array) -> Array:
    """Two unit vectors (2, 3) perpendicular to a unit vector and to each other; NaN if it is NaN."""
    if not np.isfinite(z).all():
        return np.full((2, 3), np.nan)
    return np.asarray(np.linalg.svd(z[None])[2][1:])


def _row(mounting: str, c: Array, d: Array, axes: Array, most: Array) -> PayloadRow:
    """Smallest mass at which |c + m d| of a leg reaches its force; c, d (6, k) in the mounting's axes (k, 3)."""
    if not np.isfinite(d).all():
        return PayloadRow(mounting, np.nan, 0, np.full(3, np.nan))
    masses = np.array([_mass(*leg) for leg in zip(c, d, most, strict=True)])
    legs = tied_legs(masses)
    if not legs:
        return PayloadRow(mounting, np.inf, 0, np.full(3, np.nan))
    i = legs[0] - 1  # the first of the legs that tie: each has its own direction, and rounding must not choose
    worst = (c[i] + masses[i] * d[i]) @ axes
    if len(axes) == 1:
        worst = axes[0]  # a direction with its sign; in a plane or in space the opposite one counts too
    return PayloadRow(mounting, float(masses[i]), i + 1, worst / np.linalg.norm(worst), legs)


def _mass(c: Array, d: Array, most: float) -> float:
    """Root m >= 0 of |c + m d| = most; 0 where |c| is more already, inf where d = 0."""
    left = most**2 - float(c @ c)
    if left <= 0:
        return 0.0
    a, b = float(d @ d), float(c @ d)
    # a m^2 + 2 b m = left, by the form of the root that does not cancel, whatever the sign of b.
    root = np.sqrt(b * b + a * left)
    return np.inf if a == 0 else (left / (b + root) if b > 0 else (root - b) / a)
