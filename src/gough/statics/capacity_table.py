"""Wrench capacity along and about each axis, in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.limits.ties import legs_in_words, tied_legs
from gough.poses import PoseLike, one_pose
from gough.present.answer import Field, of_rows
from gough.quantity import quantity, result
from gough.results import Result, Table
from gough.stacked import AnyMachine
from gough.statics.capacity import at_origin, wrench_capacity

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
    """Rows of a table of capacities as fields: for JSON all, for CSV the forces and moments alone."""
    return [
        *of_rows(rows, "axis", "minus", under="load.{}.", title="minus_{}"),
        *of_rows(rows, "axis", "plus", under="load.{}.", title="{}"),
        *of_rows(rows, "axis", "minus_legs", "plus_legs", under="load.{}.", is_csv=False),
    ]


def capacity_rows(
    rows: Sequence[CapacityRow], whole: Mapping[str, float], legs: int = 6
) -> tuple[list[str], list[Field]]:
    """Names and fields of the rows of a text table: the axes, and force [N] and moment [N m] in every direction, of a
    machine with so many legs."""
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
    """Largest force along, and moment about, each axis of the base, one at a time, that the actuators can hold.

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
        The machine has no actuator forces and none are given.
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
